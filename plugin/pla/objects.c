/* objects.c
 * What the capture has taught about the objects behind the calls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include <epan/to_str.h>

#include "base/hash.h"
#include "base/text.h"
#include "pla/packet.h"

/* So many steps lead from an object up to its set at most: labels stay bounded, whatever a capture says. */
#define MAX_STEPS 6

/*
 * A server: where its objects are called. Those that an activation returned, which the object exporter's port is not
 * known of, have none.
 */
struct place {
    address server;
    uint32_t port;           /* 0: any */
    const struct place *any; /* the same server's; itself where that is meant */
};

/* The key of a map, and what it is found as. */
struct ipid_key {
    const struct place *place;
    e_guid_t ipid;
};

struct known_ipid {
    struct ipid_key key;
    const struct pla_interface *iface; /* that it stands for; NULL: not known */
    struct pla_object *object;
};

struct oid_key {
    const struct place *place;
    uint64_t oid;
};

struct dispid_key {
    const void *owner; /* interface, or object */
    int64_t dispid;
};

struct pla_name {
    uint32_t frame; /* that taught it */
    const char *text;
};

HASH_BYTES(ipid, sizeof(struct ipid_key))
HASH_BYTES(oid, sizeof(struct oid_key))
HASH_BYTES(dispid, sizeof(struct dispid_key))

static guint
place_hash(const void *key)
{
    const struct place *const place = key;

    return hash_join(wmem_strong_hash(place->server.data, (size_t)place->server.len), place->port);
}

static gboolean
place_equal(const void *a, const void *b)
{
    const struct place *const one = a, *const other = b;

    return one->port == other->port && addresses_equal(&one->server, &other->server);
}

/* Servers and IPIDs, OIDs, which all interfaces of one object share, and members of IDispatch, by their keys. */
FILE_MAP(places, place_hash, place_equal)
FILE_MAP(by_ipid, ipid_hash, ipid_equal)
FILE_MAP(by_oid, oid_hash, oid_equal)
FILE_MAP(dispids, dispid_hash, dispid_equal)

/* The well-known port of activations, [MS-DCOM] 1.9 */
#define ACTIVATION_PORT 135

static const struct place *
pla_place_at(const address *server, uint32_t port)
{
    const struct place key = { *server, port, NULL };
    struct place *place = (struct place *)wmem_map_lookup(places(), &key);

    if (place == NULL) {
        place = wmem_new0(wmem_file_scope(), struct place);
        copy_address_wmem(wmem_file_scope(), &place->server, server);
        place->port = port;
        place->any = port == 0 ? place : pla_place_at(server, 0);
        wmem_map_insert(places(), place, place);
    }
    return place;
}

static const struct place *
called_place(const packet_info *pinfo)
{
    return pla_place_at(&pinfo->dst, pinfo->destport);
}

static const struct place *
answering_place(const packet_info *pinfo)
{
    return pla_place_at(&pinfo->src, pinfo->srcport == ACTIVATION_PORT ? 0 : pinfo->srcport);
}

static struct known_ipid *
known_ipid(const struct place *place, const e_guid_t *ipid)
{
    const struct ipid_key own = { place, *ipid }, any = { place->any, *ipid };
    struct known_ipid *const known = wmem_map_lookup(by_ipid(), &own);

    return known != NULL ? known : wmem_map_lookup(by_ipid(), &any);
}

static struct pla_object *
find_ipid(const struct place *place, const e_guid_t *ipid)
{
    const struct known_ipid *const known = known_ipid(place, ipid);

    return known == NULL ? NULL : known->object;
}

/* An IPID that is known stands for an interface. */
static void
learn_ipid(const struct place *place, const e_guid_t *ipid, const struct pla_interface *iface)
{
    struct known_ipid *const known = known_ipid(place, ipid);

    if (known->iface == NULL) {
        known->iface = iface;
    }
}

/* Whatever the IPID was before, it is this object's. */
static void
insert_ipid(const struct place *place, const e_guid_t *ipid, struct pla_object *object)
{
    struct known_ipid *const known = wmem_new(wmem_file_scope(), struct known_ipid);

    *known = (struct known_ipid){ { place, *ipid }, NULL, object };
    wmem_map_insert(by_ipid(), &known->key, known);
}

static struct pla_object *
find_oid(const struct place *place, uint64_t oid)
{
    const struct oid_key own = { place, oid }, any = { place->any, oid };
    struct pla_object *const object = wmem_map_lookup(by_oid(), &own);

    return object != NULL ? object : wmem_map_lookup(by_oid(), &any);
}

static void
insert_oid(const struct place *place, uint64_t oid, struct pla_object *object)
{
    struct oid_key *const key = wmem_new(wmem_file_scope(), struct oid_key);

    *key = (struct oid_key){ place, oid };
    object->oid = oid;
    object->has_oid = true;
    wmem_map_insert(by_oid(), key, object);
}

/* The object of an IPID that an answer gave with this OID; NULL: none, or it was another's. */
static struct pla_object *
find_returned(const struct place *place, const e_guid_t *ipid, uint64_t oid)
{
    struct pla_object *const object = find_ipid(place, ipid);

    return object == NULL || (object->has_oid && object->oid != oid) ? NULL : object;
}

/* An object may be known before any interface of [MS-PLA]'s that it has. */
static void
learn_interface(struct pla_object *object, const struct pla_interface *iface)
{
    if (object->iface == NULL) {
        object->iface = iface;
        if (pla_is_collector_set(iface)) {
            object->set = object;
        }
    }
}

static struct pla_object *
new_object(packet_info *pinfo, const struct place *place, const struct pla_interface *iface)
{
    struct pla_object *const object = wmem_new0(wmem_file_scope(), struct pla_object);

    object->frame = pinfo->num;
    object->server = address_to_str(wmem_file_scope(), &place->server);
    learn_interface(object, iface);
    return object;
}

struct pla_object *
pla_object_known(packet_info *pinfo, const e_guid_t *ipid)
{
    const struct place *const place = called_place(pinfo);

    return find_ipid(place, ipid);
}

struct pla_object *
pla_object_called(packet_info *pinfo, const e_guid_t *ipid, const struct pla_interface *iface)
{
    const struct place *const place = called_place(pinfo);
    struct pla_object *object = find_ipid(place, ipid);

    if (object == NULL) {
        object = new_object(pinfo, place, iface);
        insert_ipid(place, ipid, object);
    }
    learn_ipid(place, ipid, iface);
    learn_interface(object, iface);
    return object;
}

const struct pla_interface *
pla_object_interface(packet_info *pinfo, const e_guid_t *ipid)
{
    const struct place *const place = called_place(pinfo);
    const struct known_ipid *const known = known_ipid(place, ipid);

    return known == NULL ? NULL : known->iface;
}

struct pla_object *
pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent, const char *role,
    const struct pla_interface *iface)
{
    const struct place *const place = answering_place(pinfo);
    struct pla_object *object;

    if (ref->null || !ref->standard) {
        return NULL;
    }
    if (iface == NULL) {
        iface = pla_find_interface(&ref->iid);
    }
    object = find_returned(place, &ref->ipid, ref->oid);
    if (object == NULL) {
        object = find_oid(place, ref->oid);
        if (object == NULL) {
            object = new_object(pinfo, place, iface);
            object->parent = parent;
            object->role = line_text_copy(wmem_file_scope(), role, PLA_MAX_NAME);
            if (object->set == NULL) {
                object->set = parent->set;
            }
            insert_oid(place, ref->oid, object);
        }
        insert_ipid(place, &ref->ipid, object);
    }
    learn_ipid(place, &ref->ipid, pla_find_interface(&ref->iid));
    learn_interface(object, iface);
    return object;
}

void
pla_object_queried(packet_info *pinfo, const e_guid_t *asked, const struct pla_interface *iface, uint64_t oid,
    const e_guid_t *ipid, const e_guid_t *iid)
{
    const struct place *const place = answering_place(pinfo);
    struct pla_object *object = find_oid(place, oid);

    if (object == NULL) {
        object = find_returned(place, asked, oid);
        if (object == NULL) {
            if (iface == NULL || pla_is_enumerator(iface)) {
                return;
            }
            object = new_object(pinfo, place, iface);
            insert_ipid(place, asked, object);
        }
        insert_oid(place, oid, object);
    }
    if (find_ipid(place, ipid) != object) {
        insert_ipid(place, ipid, object);
    }
    learn_ipid(place, ipid, pla_find_interface(iid));
    learn_interface(object, iface);
}

struct pla_object *
pla_object_find(packet_info *pinfo, const e_guid_t *ipid)
{
    struct pla_object *const object = find_ipid(called_place(pinfo), ipid);

    return object != NULL ? object : find_ipid(answering_place(pinfo), ipid);
}

static const struct pla_name *
name_at(const struct pla_object *object, unsigned index)
{
    return (const struct pla_name *)wmem_array_index(object->names, index);
}

void
pla_object_set_name(struct pla_object *object, uint32_t frame, const char *name)
{
    const char *const known = pla_object_name(object, frame);
    struct pla_name taught = { frame, NULL };

    if (name[0] == '\0' || (known != NULL && strcmp(known, name) == 0)) {
        return;
    }
    taught.text = wmem_strdup(wmem_file_scope(), name);
    if (object->names == NULL) {
        object->names = wmem_array_sized_new(wmem_file_scope(), sizeof taught, 1);
    }
    wmem_array_append_one(object->names, taught);
    /* A call may be read late, as only a later one told what it is. */
    for (unsigned i = wmem_array_get_count(object->names) - 1; i > 0 && name_at(object, i - 1)->frame > frame; i--) {
        struct pla_name *names = (struct pla_name *)wmem_array_get_raw(object->names);

        names[i] = names[i - 1];
        names[i - 1] = taught;
    }
}

const char *
pla_object_name(const struct pla_object *object, uint32_t frame)
{
    unsigned low = 0, high;

    if (object->names == NULL) {
        return NULL;
    }
    /* The last that is not later; the first where all are. */
    high = wmem_array_get_count(object->names);
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;

        if (name_at(object, middle)->frame <= frame) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return name_at(object, low)->text;
}

const char *
pla_object_label(wmem_allocator_t *scope, const struct pla_object *object, uint32_t frame)
{
    const char *const name = pla_object_name(object, frame);
    const struct pla_object *steps[MAX_STEPS];
    const struct pla_object *up = object;
    const char *set_name;
    wmem_strbuf_t *label;
    unsigned count = 0;

    label = wmem_strbuf_new(scope, NULL);
    while (up->set != up && up->role != NULL && count < MAX_STEPS) {
        steps[count++] = up;
        up = up->parent;
    }
    set_name = up->set == up ? pla_object_name(up, frame) : NULL;
    if (set_name != NULL) {
        wmem_strbuf_append(label, set_name);
    } else if (count == MAX_STEPS) {
        wmem_strbuf_append(label, "...");
    }
    while (count > 0) {
        const char *const role = steps[--count]->role;

        wmem_strbuf_append_printf(label, "%s%s", role[0] != '[' && wmem_strbuf_get_len(label) > 0 ? "." : "", role);
    }
    if (object->set != object && name != NULL) {
        wmem_strbuf_append_printf(label, "%s\"%s\"", wmem_strbuf_get_len(label) > 0 ? " " : "", name);
    }
    return wmem_strbuf_finalize(label);
}

/* Members are an interface's; where all that is known is an object under IDispatch, that object's. */
static struct dispid_key
dispid_key(const struct pla_interface *iface, const struct pla_object *object, int32_t dispid)
{
    if (iface == &pla_dispatch_interface && object != NULL) {
        return (struct dispid_key){ object, dispid };
    }
    return (struct dispid_key){ iface, dispid };
}

void
pla_dispid_learn(const struct pla_interface *iface, const struct pla_object *object, int32_t dispid, const char *name)
{
    struct dispid_key *const key = wmem_new0(wmem_file_scope(), struct dispid_key);

    *key = dispid_key(iface, object, dispid);
    wmem_map_insert(dispids(), key, (void *)line_text_copy(wmem_file_scope(), name, PLA_MAX_NAME));
}

const char *
pla_dispid_name(const struct pla_interface *iface, const struct pla_object *object, int32_t dispid)
{
    const struct dispid_key key = dispid_key(iface, object, dispid);
    const char *name = wmem_map_lookup(dispids(), &key);

    if (name == NULL) {
        /* [MS-PLA] Appendix A gives these in its IDL, the type library the others. */
        if (dispid == -4) {
            name = "_NewEnum";
        } else if (dispid == 0 && iface != &pla_dispatch_interface) {
            name = pla_is_collector_set(iface) ? "Name" : "Item";
        } else if (dispid == 1 && g_str_has_suffix(iface->name, "Collection")) {
            name = "Count";
        }
    }
    return name;
}
