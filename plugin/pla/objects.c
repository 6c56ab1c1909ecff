/* objects.c
 * Objects of [MS-PLA] seen in the capture: interfaces by IPID, names, data collector sets
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <epan/to_str.h>

#include "base/hash.h"
#include "base/text.h"
#include "pla/packet.h"

/* Maximum number of steps from a set to an object in a label, to limit its length. */
#define MAX_STEPS 6

/* Maximum number of entries of an IPID that are searched for an interface: more than there are interfaces. */
#define MAX_ENTRIES 64

/* Port of activations, [MS-DCOM] 1.9. */
#define ACTIVATION_PORT 135

#define NUM_ADDRESSES     5
/* the first 4 elements of .searched contain the server's IP address: IPIDs in answers are searched only at these */
#define NUM_OWN_ADDRESSES 4

/*
 * Address of an object: IP address and port of a server, from calls to the object or from an OBJREF. An object is
 * searched at several addresses, in this order: the packet's IP address and port; its IP address with any port (used
 * for activated objects); addresses from bindings: the same IP address and port, the same IP address without a port, or
 * the same port with a host name.
 */
struct object_address {
    address server;   /* address of the server; type AT_NONE for any server */
    uint32_t port;    /* TCP port of the server; 0 for any */
    bool from_objref; /* true if from a binding of an OBJREF, false if from a packet's addresses */
    const struct object_address *searched[NUM_ADDRESSES];
};

struct ipid_key {
    const struct object_address *at;
    e_guid_t ipid;
};

/* IPID that was returned or called. Several servers may share it. */
struct known_ipid {
    const struct pla_interface *iface; /* interface of the IPID; NULL if unknown */
    struct pla_object *object;
    struct known_ipid *before; /* earlier entry of the IPID, used by calls of its other interface; NULL if none */
    int64_t references;        /* number of references that clients hold, from captured changes */
    bool is_counted;           /* true if all reference changes were captured */
    bool is_released;          /* true if all captured references were released */
};

struct oid_key {
    const struct object_address *at;
    uint64_t oid;
};

/* An IPID of an object exporter */
struct exporter_ipid {
    e_guid_t ipid;
    struct known_ipid *known;
};

/* Object exporter, by its OXID */
struct exporter {
    uint64_t oxid;
    wmem_array_t *ipids; /* elements: struct exporter_ipid */
    unsigned num_bindings;
    struct orpc_binding bindings[ORPC_MAX_BINDINGS]; /* bindings in an answer to ResolveOxid */
};

struct dispid_key {
    const void *owner;               /* interface or object to which the DISPID belongs */
    const struct object_address *at; /* server of the interface; NULL if `owner` is an object */
    /* if .dispid is an argument's: DISPID of the member with this argument; if .dispid is a member's: PLA_NO_MEMBER */
    int64_t member;
    int64_t dispid;
};

struct dispid_lessons {
    struct dispid_key key;
    struct pla_names names;
};

HASH_BYTES(ipid, sizeof(struct ipid_key))
HASH_BYTES(oid, sizeof(struct oid_key))
HASH_BYTES(oxid, sizeof(uint64_t))
HASH_BYTES(dispid, sizeof(struct dispid_key))

static guint
object_address_hash(const void *key)
{
    const struct object_address *const at = key;

    return hash_join(wmem_strong_hash(at->server.data, (size_t)at->server.len), at->port);
}

static gboolean
object_address_equal(const void *a, const void *b)
{
    const struct object_address *const one = a, *const other = b;

    return one->port == other->port && one->from_objref == other->from_objref &&
        addresses_equal(&one->server, &other->server);
}

/*
 * Addresses; struct known_ipid by address and IPID; struct pla_object by address and OID; struct exporter by OXID;
 * struct dispid_lessons by struct dispid_key
 */
static struct file_map addresses = { object_address_hash, object_address_equal, NULL };
static struct file_map by_ipid = { ipid_hash, ipid_equal, NULL };
static struct file_map by_oid = { oid_hash, oid_equal, NULL };
static struct file_map by_oxid = { oxid_hash, oxid_equal, NULL };
static struct file_map dispids = { dispid_hash, dispid_equal, NULL };

static const struct object_address *
address_at(const address *server, uint32_t port, bool from_objref)
{
    static const address any = ADDRESS_INIT_NONE;
    const struct object_address key = { .server = *server, .port = port, .from_objref = from_objref };
    struct object_address *at = (struct object_address *)wmem_map_lookup(file_map(&addresses), &key);
    unsigned count = 0;

    if (at != NULL) {
        return at;
    }
    at = wmem_new0(wmem_file_scope(), struct object_address);
    copy_address_wmem(wmem_file_scope(), &at->server, server);
    at->port = port;
    at->from_objref = from_objref;
    wmem_map_insert(file_map(&addresses), at, at);
    at->searched[count++] = at;
    if (from_objref) {
        return at;
    }
    if (port != 0) {
        at->searched[count++] = address_at(server, 0, false);
        at->searched[count++] = address_at(server, port, true);
    }
    at->searched[count++] = address_at(server, 0, true);
    if (port != 0) {
        at->searched[count] = address_at(&any, port, true);
    }
    return at;
}

static const struct object_address *
called_address(const packet_info *pinfo)
{
    return address_at(&pinfo->dst, pinfo->destport, false);
}

static const struct object_address *
answering_address(const packet_info *pinfo)
{
    return address_at(&pinfo->src, pinfo->srcport == ACTIVATION_PORT ? 0 : pinfo->srcport, false);
}

static const struct object_address *
bound_address(const struct orpc_binding *binding)
{
    address server = ADDRESS_INIT_NONE;

    if (binding->size != 0) {
        set_address(&server, binding->size == 4 ? AT_IPv4 : AT_IPv6, binding->size, binding->address);
    }
    return address_at(&server, binding->port, true);
}

/*
 * Returns true if clients have released all references: the IPID then refers to no object until references are granted
 * again.
 */
static bool
is_dead(const struct known_ipid *known)
{
    return known->is_counted && known->is_released;
}

static bool
is_collector(const struct pla_interface *iface)
{
    return iface->kind == PLA_KIND_COLLECTOR || iface == pla_interface_named("IDataCollector");
}

/*
 * Returns true if a call of this interface can be to the IPID: the interface is that of the IPID, or both are
 * IDataCollector or derived from it, or one is unknown. iface: NULL for calls by IDispatch, which fit every IPID.
 */
static bool
fits(const struct known_ipid *known, const struct pla_interface *iface)
{
    const struct pla_interface *own = known->iface != NULL ? known->iface : known->object->iface;

    return iface == NULL || own == NULL || own == iface || (is_collector(own) && is_collector(iface));
}

static struct known_ipid *
ipid_at(const struct object_address *at, const e_guid_t *ipid)
{
    const struct ipid_key key = { at, *ipid };

    return (struct known_ipid *)wmem_map_lookup(file_map(&by_ipid), &key);
}

/*
 * Returns the entry of an IPID at the first num_addresses of at->searched, or NULL. iface: interface of the call; NULL:
 * any.
 */
static struct known_ipid *
known_in(const struct object_address *at, unsigned num_addresses, const e_guid_t *ipid,
    const struct pla_interface *iface)
{
    for (unsigned i = 0; i < num_addresses && at->searched[i] != NULL; i++) {
        struct known_ipid *known = ipid_at(at->searched[i], ipid);

        for (unsigned n = 0; known != NULL && n < MAX_ENTRIES; n++, known = known->before) {
            if (!is_dead(known) && fits(known, iface)) {
                return known;
            }
        }
    }
    return NULL;
}

static struct pla_object *
find_ipid(const struct object_address *at, const e_guid_t *ipid)
{
    const struct known_ipid *const known = known_in(at, NUM_ADDRESSES, ipid, NULL);

    return known == NULL ? NULL : known->object;
}

static void
insert_ipid(const struct object_address *at, const e_guid_t *ipid, struct known_ipid *known)
{
    const struct ipid_key key = { at, *ipid };

    wmem_map_insert(file_map(&by_ipid), wmem_memdup(wmem_file_scope(), &key, sizeof key), known);
}

static struct known_ipid *
new_ipid(struct pla_object *object)
{
    struct known_ipid *const known = wmem_new0(wmem_file_scope(), struct known_ipid);

    known->object = object;
    object->num_ipids++;
    return known;
}

/* Records that an IPID belongs to an object: for an IPID that was called, but that no captured answer returned. */
static void
insert_called(const struct object_address *at, const e_guid_t *ipid, struct pla_object *object)
{
    struct known_ipid *const known = new_ipid(object);

    known->before = known_in(at, NUM_ADDRESSES, ipid, NULL);
    insert_ipid(at, ipid, known);
}

static struct pla_object *
find_oid(const struct object_address *at, uint64_t oid)
{
    for (unsigned i = 0; i < NUM_OWN_ADDRESSES && at->searched[i] != NULL; i++) {
        const struct oid_key key = { at->searched[i], oid };
        struct pla_object *const object = wmem_map_lookup(file_map(&by_oid), &key);

        if (object != NULL && object->num_ipids > 0) {
            return object;
        }
    }
    return NULL;
}

static void
insert_oid_at(const struct object_address *at, uint64_t oid, struct pla_object *object)
{
    const struct oid_key key = { at, oid };

    wmem_map_insert(file_map(&by_oid), wmem_memdup(wmem_file_scope(), &key, sizeof key), object);
}

static void
insert_oid(const struct object_address *at, const struct orpc_objref *ref, struct pla_object *object)
{
    object->oid = ref->oid;
    object->has_oid = true;
    insert_oid_at(at, ref->oid, object);
    for (unsigned i = 0; i < ref->num_bindings; i++) {
        insert_oid_at(bound_address(&ref->bindings[i]), ref->oid, object);
    }
}

static struct exporter *
exporter_of(uint64_t oxid)
{
    struct exporter *const exporter =
        (struct exporter *)hash_entry(file_map(&by_oxid), &oxid, sizeof oxid, sizeof(struct exporter));

    if (exporter->ipids == NULL) {
        exporter->ipids = wmem_array_new(wmem_file_scope(), sizeof(struct exporter_ipid));
    }
    return exporter;
}

/*
 * Makes an IPID known at an address that ResolveOxid returned for its object exporter, unless an object already has the
 * IPID there: OXIDs of two machines may be equal, so the address may be that of the other machine.
 */
static void
map_exported(const struct orpc_binding *binding, const struct exporter_ipid *given)
{
    const struct object_address *const at = bound_address(binding);
    const struct known_ipid *const there = ipid_at(at, &given->ipid);

    if (!is_dead(given->known) && (there == NULL || is_dead(there))) {
        insert_ipid(at, &given->ipid, given->known);
    }
}

void
pla_object_resolved(uint64_t oxid, const struct orpc_binding *bindings, unsigned count)
{
    struct exporter *const exporter = exporter_of(oxid);

    for (unsigned i = 0; i < count && exporter->num_bindings < ORPC_MAX_BINDINGS; i++) {
        bool is_new = true;

        for (unsigned j = 0; j < exporter->num_bindings && is_new; j++) {
            is_new = bound_address(&bindings[i]) != bound_address(&exporter->bindings[j]);
        }
        if (!is_new) {
            continue;
        }
        exporter->bindings[exporter->num_bindings++] = bindings[i];
        for (unsigned j = 0; j < wmem_array_get_count(exporter->ipids); j++) {
            map_exported(&bindings[i], (const struct exporter_ipid *)wmem_array_index(exporter->ipids, j));
        }
    }
}

/*
 * Returns the known object of an IPID in an answer, or NULL if the IPID belonged, or may have belonged, to another
 * object.
 */
static struct pla_object *
find_given(const struct object_address *at, const struct orpc_objref *ref)
{
    const struct known_ipid *const known = known_in(at, NUM_OWN_ADDRESSES, &ref->ipid, pla_find_interface(&ref->iid));

    if (known == NULL || (known->object->has_oid ? known->object->oid != ref->oid : known->is_released)) {
        return NULL;
    }
    return known->object;
}

/* Records that an answer returned an IPID of an object, with references. Another object with the IPID loses it. */
static void
give_ipid(const struct object_address *at, const struct orpc_objref *ref, struct pla_object *object)
{
    const struct pla_interface *const iface = pla_find_interface(&ref->iid);
    struct exporter *const exporter = exporter_of(ref->oxid);
    struct known_ipid *known = known_in(at, NUM_OWN_ADDRESSES, &ref->ipid, iface);

    if (known == NULL || known->object != object) {
        struct known_ipid *const replaced = ipid_at(at, &ref->ipid);

        if (replaced != NULL && !is_dead(replaced)) {
            replaced->object->num_ipids--;
        }
        known = new_ipid(object);
        known->is_counted = true;
        insert_ipid(at, &ref->ipid, known);
        wmem_array_append_one(exporter->ipids, ((struct exporter_ipid){ ref->ipid, known }));
    }
    known->references += ref->public_refs;
    known->is_released = false;
    if (known->iface == NULL) {
        known->iface = iface;
    }
    for (unsigned i = 0; i < ref->num_bindings; i++) {
        insert_ipid(bound_address(&ref->bindings[i]), &ref->ipid, known);
    }
    for (unsigned i = 0; i < exporter->num_bindings; i++) {
        map_exported(&exporter->bindings[i], &(struct exporter_ipid){ ref->ipid, known });
    }
}

/* Sets the interface of an object if it is unknown so far. iface may be NULL: the interface stays unknown. */
static void
learn_interface(struct pla_object *object, const struct pla_interface *iface)
{
    if (object->iface == NULL) {
        object->iface = iface;
        if (iface != NULL && iface->kind == PLA_KIND_SET) {
            object->set = object;
        }
    }
}

static struct pla_object *
new_object(packet_info *pinfo, const struct object_address *at, const struct pla_interface *iface)
{
    struct pla_object *const object = wmem_new0(wmem_file_scope(), struct pla_object);

    object->frame = pinfo->num;
    object->server = address_to_str(wmem_file_scope(), &at->server);
    learn_interface(object, iface);
    return object;
}

/* At the first call to an object, makes the called server its server: another one may have returned the object. */
static void
note_called(struct pla_object *object, const struct object_address *at)
{
    if (!object->is_called) {
        object->is_called = true;
        object->server = address_to_str(wmem_file_scope(), &at->server);
    }
}

struct pla_object *
pla_object_known(packet_info *pinfo, const e_guid_t *ipid)
{
    const struct object_address *const at = called_address(pinfo);
    struct pla_object *const object = find_ipid(at, ipid);

    if (object != NULL) {
        note_called(object, at);
    }
    return object;
}

struct pla_object *
pla_object_called(packet_info *pinfo, const e_guid_t *ipid, const struct pla_interface *iface)
{
    const struct object_address *const at = called_address(pinfo);
    struct known_ipid *known = known_in(at, NUM_ADDRESSES, ipid, iface);

    if (known == NULL) {
        insert_called(at, ipid, new_object(pinfo, at, iface));
        known = ipid_at(at, ipid);
    }
    if (known->iface == NULL) {
        known->iface = iface;
    }
    learn_interface(known->object, iface);
    note_called(known->object, at);
    return known->object;
}

const struct pla_interface *
pla_object_interface(packet_info *pinfo, const e_guid_t *ipid)
{
    const struct known_ipid *const known = known_in(called_address(pinfo), NUM_ADDRESSES, ipid, NULL);

    return known == NULL ? NULL : known->iface;
}

struct pla_object *
pla_object_returned(packet_info *pinfo, const struct orpc_objref *ref, struct pla_object *parent, const char *role,
    const struct pla_interface *iface)
{
    const struct object_address *const at = answering_address(pinfo);
    struct pla_object *object;

    if (ref->null || !ref->standard) {
        return NULL;
    }
    if (iface == NULL) {
        iface = pla_find_interface(&ref->iid);
    }
    object = find_given(at, ref);
    if (object == NULL) {
        object = find_oid(at, ref->oid);
    }
    if (object == NULL) {
        object = new_object(pinfo, at, iface);
        object->parent = parent;
        object->role = line_text_copy(wmem_file_scope(), role, PLA_MAX_NAME);
        if (object->set == NULL) {
            object->set = parent->set;
        }
        object->knows_next = true;
        insert_oid(at, ref, object);
    }
    give_ipid(at, ref, object);
    learn_interface(object, iface);
    return object;
}

void
pla_object_queried(packet_info *pinfo, const e_guid_t *asked, const struct pla_interface *iface,
    const struct orpc_objref *got)
{
    const struct object_address *const at = answering_address(pinfo);
    struct pla_object *object = find_oid(at, got->oid);

    if (object == NULL && guid_cmp(asked, &got->ipid) == 0) {
        object = find_given(at, got);
    } else if (object == NULL) {
        object = find_ipid(at, asked);
        if (object != NULL && object->has_oid && object->oid != got->oid) {
            object = NULL;
        }
    }
    if (object == NULL) {
        if (iface == NULL || iface->kind == PLA_KIND_ENUMERATOR) {
            return;
        }
        object = new_object(pinfo, at, iface);
        if (guid_cmp(asked, &got->ipid) != 0) {
            insert_called(at, asked, object);
        }
    }
    insert_oid(at, got, object);
    give_ipid(at, got, object);
    learn_interface(object, iface);
}

void
pla_object_add_references(packet_info *pinfo, const e_guid_t *ipid, int64_t count)
{
    struct known_ipid *const known = known_in(answering_address(pinfo), NUM_ADDRESSES, ipid, NULL);

    if (known == NULL) {
        return;
    }
    known->references += count;
    if (count < 0 && known->references <= 0 && !known->is_released) {
        known->references = 0;
        known->is_released = true;
        if (is_dead(known)) {
            known->object->num_ipids--;
        }
    }
}

struct pla_object *
pla_object_find(packet_info *pinfo, const e_guid_t *ipid)
{
    struct pla_object *const object = find_ipid(called_address(pinfo), ipid);

    return object != NULL ? object : find_ipid(answering_address(pinfo), ipid);
}

const char *
pla_name_in(const struct pla_names *names, uint32_t frame)
{
    return names->by_frame == NULL
        ? NULL
        : (const char *)wmem_tree_lookup32_le(names->by_frame, MAX(frame, names->first_frame));
}

/*
 * `frame` may be earlier than that of the previous name: some calls are read late, when a later call shows their
 * interface.
 */
void
pla_name_add(struct pla_names *names, uint32_t frame, const char *name)
{
    const char *const known = pla_name_in(names, frame);

    if (name[0] == '\0' || (known != NULL && strcmp(known, name) == 0)) {
        return;
    }
    if (names->by_frame == NULL) {
        names->by_frame = wmem_tree_new(wmem_file_scope());
        names->first_frame = names->last_frame = frame;
    }
    names->first_frame = MIN(names->first_frame, frame);
    names->last_frame = MAX(names->last_frame, frame);
    wmem_tree_insert32(names->by_frame, frame, wmem_strdup(wmem_file_scope(), name));
}

const char *
pla_object_label(wmem_allocator_t *scope, const struct pla_object *object, uint32_t frame)
{
    const char *const name = pla_name_in(&object->names, frame);
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
    set_name = up->set == up ? pla_name_in(&up->names, frame) : NULL;
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

static const struct pla_names *
find_lessons(const void *owner, const struct object_address *at, int64_t member, int32_t dispid)
{
    const struct dispid_key key = { owner, at, member, dispid };
    const struct dispid_lessons *const lessons =
        (const struct dispid_lessons *)wmem_map_lookup(file_map(&dispids), &key);

    return lessons == NULL ? NULL : &lessons->names;
}

static void
learn_lesson(struct dispid_key key, uint32_t frame, const char *name)
{
    struct dispid_lessons *const lessons =
        (struct dispid_lessons *)hash_entry(file_map(&dispids), &key, sizeof key, sizeof(struct dispid_lessons));

    pla_name_add(&lessons->names, frame, name);
}

void
pla_dispid_learn(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object, int64_t member,
    int32_t dispid, const char *name)
{
    const struct object_address *const at = answering_address(pinfo);

    if (object != NULL) {
        learn_lesson((struct dispid_key){ object, NULL, member, dispid }, pinfo->num, name);
    }
    /* If the interface of an object is unknown except for IDispatch, its DISPIDs are stored per object only. */
    if (iface != &pla_dispatch_interface) {
        learn_lesson((struct dispid_key){ iface, at, member, dispid }, pinfo->num, name);
        learn_lesson((struct dispid_key){ iface, address_at(&at->server, 0, false), member, dispid }, pinfo->num, name);
    }
}

/*
 * Returns the name of a DISPID from earlier answers: for the interface at this server and port; else for the object;
 * else for the interface at any port of the server's IP address, unless names differ between these ports.
 */
static const char *
taught_name(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object, int64_t member,
    int32_t dispid)
{
    const struct object_address *const at = called_address(pinfo);
    const bool has_interface = iface != &pla_dispatch_interface;
    const struct pla_names *lessons = has_interface ? find_lessons(iface, at, member, dispid) : NULL;

    if (lessons == NULL) {
        lessons = find_lessons(object, NULL, member, dispid);
    }
    if (lessons == NULL && has_interface) {
        lessons = find_lessons(iface, address_at(&at->server, 0, false), member, dispid);
        if (lessons != NULL && lessons->first_frame != lessons->last_frame) {
            return NULL;
        }
    }
    return lessons == NULL ? NULL : pla_name_in(lessons, pinfo->num);
}

const char *
pla_dispid_name(packet_info *pinfo, const struct pla_interface *iface, const struct pla_object *object, int64_t member,
    int32_t dispid)
{
    const char *const name = taught_name(pinfo, iface, object, member, dispid);

    if (name != NULL || member != PLA_NO_MEMBER) {
        return name;
    }
    /* [MS-PLA] Appendix A defines only these DISPIDs in its IDL; the type library defines the others. */
    if (dispid == -4) {
        return "_NewEnum";
    }
    if (dispid == 0 && iface != &pla_dispatch_interface) {
        return iface->kind == PLA_KIND_SET ? "Name" : "Item";
    }
    return dispid == 1 && iface->kind == PLA_KIND_COLLECTION ? "Count" : NULL;
}
