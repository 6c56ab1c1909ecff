/* objects.c
 * What the capture has taught about the objects behind the calls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/to_str.h>

#include "pla/objects.h"
#include "pla/text.h"

#include <epan/dissectors/packet-dcom.h>   /* needs those of packet-dcerpc.h */

/* From an object up to its set: what labels take stays bounded, whatever a capture says. */
#define MAX_STEPS   6

/* Objects by server and IPID; by server and OID, which all interfaces of one object share. */
static wmem_map_t *by_ipid;
static wmem_map_t *by_oid;
/* char * by interface and DISPID. */
static wmem_map_t *dispids;
static unsigned label_generation;

struct ipid_key {
    address server;
    e_guid_t ipid;
};

struct oid_key {
    address server;
    uint64_t oid;
};

struct dispid_key {
    const struct pla_interface *interface;
    int32_t dispid;
};

static unsigned
ipid_hash(const void *key)
{
    const struct ipid_key *const k = key;

    return add_address_to_hash(wmem_strong_hash((const uint8_t *)&k->ipid, sizeof k->ipid), &k->server);
}

static gboolean
ipid_equal(const void *a, const void *b)
{
    const struct ipid_key *const one = a, *const other = b;

    return guid_cmp(&one->ipid, &other->ipid) == 0 && addresses_equal(&one->server, &other->server);
}

static unsigned
oid_hash(const void *key)
{
    const struct oid_key *const k = key;

    return add_address_to_hash(wmem_int64_hash(&k->oid), &k->server);
}

static gboolean
oid_equal(const void *a, const void *b)
{
    const struct oid_key *const one = a, *const other = b;

    return one->oid == other->oid && addresses_equal(&one->server, &other->server);
}

static unsigned
dispid_hash(const void *key)
{
    const struct dispid_key *const k = key;

    return wmem_strong_hash((const uint8_t *)&k->interface, sizeof k->interface) ^ (unsigned)k->dispid;
}

static gboolean
dispid_equal(const void *a, const void *b)
{
    const struct dispid_key *const one = a, *const other = b;

    return one->dispid == other->dispid && one->interface == other->interface;
}

void
pla_objects_init(void)
{
    by_ipid = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), ipid_hash, ipid_equal);
    by_oid = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), oid_hash, oid_equal);
    dispids = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), dispid_hash, dispid_equal);
}

static struct pla_object *
find_ipid(const address *server, const e_guid_t *ipid)
{
    const struct ipid_key key = { *server, *ipid };

    return wmem_map_lookup(by_ipid, &key);
}

static void
insert_ipid(const address *server, const e_guid_t *ipid, struct pla_object *object)
{
    struct ipid_key *const key = wmem_new(wmem_file_scope(), struct ipid_key);

    copy_address_wmem(wmem_file_scope(), &key->server, server);
    key->ipid = *ipid;
    wmem_map_insert(by_ipid, key, object);
}

static struct pla_object *
find_oid(const address *server, uint64_t oid)
{
    const struct oid_key key = { *server, oid };

    return wmem_map_lookup(by_oid, &key);
}

static void
insert_oid(const address *server, uint64_t oid, struct pla_object *object)
{
    struct oid_key *const key = wmem_new(wmem_file_scope(), struct oid_key);

    copy_address_wmem(wmem_file_scope(), &key->server, server);
    key->oid = oid;
    wmem_map_insert(by_oid, key, object);
}

static struct pla_object *
new_object(packet_info *pinfo, const address *server, const struct pla_interface *interface)
{
    struct pla_object *const object = wmem_new0(wmem_file_scope(), struct pla_object);

    object->interface = interface;
    object->frame = pinfo->num;
    object->server = address_to_str(wmem_file_scope(), server);
    if (pla_is_collector_set(interface)) {
        object->set = object;
    }
    return object;
}

struct pla_object *
pla_object_called(packet_info *pinfo, const e_guid_t *ipid, const struct pla_interface *interface)
{
    const address *const server = &pinfo->dst;
    struct pla_object *object = find_ipid(server, ipid);

    if (object == NULL) {
        /* Got by activation or RemQueryInterface, which Wireshark reads: it may know whose IPID this is. */
        const dcom_interface_t *const known = dcom_interface_find(pinfo, server, (e_guid_t *)ipid);
        const dcom_object_t *const owner = known != NULL ? known->parent : NULL;

        if (owner != NULL) {
            object = find_oid(server, owner->oid);
        }
        if (object == NULL) {
            object = new_object(pinfo, server, interface);
            if (owner != NULL) {
                insert_oid(server, owner->oid, object);
            }
        }
        insert_ipid(server, ipid, object);
    }
    return object;
}

struct pla_object *
pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent, const char *role)
{
    const address *const server = &pinfo->src;
    struct pla_object *object;

    if (ref->null || !ref->standard) {
        return NULL;
    }
    object = find_ipid(server, &ref->ipid);
    if (object == NULL) {
        object = find_oid(server, ref->oid);
        if (object == NULL) {
            object = new_object(pinfo, server, pla_find_interface(&ref->iid));
            object->parent = parent;
            object->role = pla_line_text(wmem_file_scope(), role, PLA_MAX_NAME);
            if (object->set == NULL) {
                object->set = parent->set;
            }
            insert_oid(server, ref->oid, object);
        }
        insert_ipid(server, &ref->ipid, object);
    }
    return object;
}

struct pla_object *
pla_object_find(packet_info *pinfo, const e_guid_t *ipid)
{
    struct pla_object *const object = find_ipid(&pinfo->dst, ipid);

    return object != NULL ? object : find_ipid(&pinfo->src, ipid);
}

void
pla_object_set_name(struct pla_object *object, const char *name)
{
    if (name[0] != '\0' && (object->name == NULL || strcmp(object->name, name) != 0)) {
        object->name = pla_line_text(wmem_file_scope(), name, PLA_MAX_NAME);
        label_generation++;
    }
}

const char *
pla_object_label(struct pla_object *object)
{
    const struct pla_object *steps[MAX_STEPS];
    const struct pla_object *up = object;
    wmem_strbuf_t *label;
    unsigned count = 0;

    if (object->label != NULL && object->label_generation == label_generation) {
        return object->label;
    }
    label = wmem_strbuf_new(wmem_file_scope(), NULL);
    while (up->set != up && up->role != NULL && count < MAX_STEPS) {
        steps[count++] = up;
        up = up->parent;
    }
    if (up->set == up && up->name != NULL) {
        wmem_strbuf_append(label, up->name);
    } else if (count == MAX_STEPS) {
        wmem_strbuf_append(label, "...");
    }
    while (count > 0) {
        const char *const role = steps[--count]->role;

        wmem_strbuf_append_printf(label, "%s%s", role[0] != '[' && wmem_strbuf_get_len(label) > 0 ? "." : "", role);
    }
    if (object->set != object && object->name != NULL) {
        wmem_strbuf_append_printf(label, "%s\"%s\"", wmem_strbuf_get_len(label) > 0 ? " " : "", object->name);
    }
    object->label = wmem_strbuf_finalize(label);
    object->label_generation = label_generation;
    return object->label;
}

void
pla_dispid_learn(const struct pla_interface *interface, int32_t dispid, const char *name)
{
    struct dispid_key *const key = wmem_new(wmem_file_scope(), struct dispid_key);

    key->interface = interface;
    key->dispid = dispid;
    wmem_map_insert(dispids, key, (void *)pla_line_text(wmem_file_scope(), name, PLA_MAX_NAME));
}

const char *
pla_dispid_name(const struct pla_interface *interface, int32_t dispid)
{
    const struct dispid_key key = { interface, dispid };
    const char *name = wmem_map_lookup(dispids, &key);

    if (name == NULL) {
        /* [MS-PLA] Appendix A gives these in its IDL, the type library the others. */
        if (dispid == -4) {
            name = "_NewEnum";
        } else if (dispid == 0) {
            name = pla_is_collector_set(interface) ? "Name" : "Item";
        } else if (dispid == 1 && g_str_has_suffix(interface->name, "Collection")) {
            name = "Count";
        }
    }
    return name;
}
