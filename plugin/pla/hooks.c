/* hooks.c
 * Calls to DCOM's own interfaces that concern objects of [MS-PLA]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <epan/exceptions.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "session/session-pdu.h"

#define GET_IDS_OF_NAMES       5
#define REM_RELEASE            5
#define REMOTE_CREATE_INSTANCE 4

#define OBJREF_SIZE      68 /* minimum size of an OBJREF, with the counts of its DUALSTRINGARRAY: [MS-DCOM] 2.2.18 */
#define REMQIRESULT_SIZE 48 /* size of HRESULT, padding and STDOBJREF: [MS-DCOM] 2.2.24 */

#define REMINTERFACEREF_SIZE 24 /* size of IPID, public and private references: [MS-DCOM] 2.2.23 */

/*
 * Maps dcerpc_call_value to the call's state: struct pla_call for IDispatch and activations, else struct
 * exporter_request.
 */
static struct file_map hooked_calls = { g_direct_hash, g_direct_equal, NULL };

static int tap_activation = -1;

/* State shared by all calls by IDispatch to objects that are not known to be of [MS-PLA]. */
static struct pla_call foreign_call;

struct reference_change {
    e_guid_t ipid;
    uint32_t count;
};

/* Request to an object exporter, kept until its answer. File scope. */
struct exporter_request {
    bool answered;
    e_guid_t ipid;                    /* RemQueryInterface: the object */
    e_guid_t *iids;                   /* RemQueryInterface: the interfaces that are asked for */
    struct reference_change *changes; /* RemAddRef, RemRelease: IPIDs and numbers of references */
    uint32_t count;                   /* number of iids or of changes */
    uint64_t oxid;                    /* ResolveOxid: the exporter */
};

/* Reads a stub without a tree, to learn from it. Wireshark's own dissection reports errors. */
static void
read_quietly(const struct ndr *stub, void (*read)(struct orpc *o, void *result), void *result)
{
    struct orpc o = { .ndr = *stub, .quiet = true };

    o.ndr.tree = NULL;
    TRY
    {
        read(&o, result);
    }
    CATCH_NONFATAL_ERRORS
    {
    }
    ENDTRY;
}

/* Stores a request when it is first seen, and lets Wireshark dissect it. in_ndr64: read() can read NDR64, too. */
static int
keep_request(struct ndr *stub, void (*read)(struct orpc *o, void *result), bool in_ndr64)
{
    if ((in_ndr64 || !ndr_is_64(stub)) && wmem_map_lookup(file_map(&hooked_calls), stub->di->call_data) == NULL) {
        struct exporter_request *const asked = wmem_new0(wmem_file_scope(), struct exporter_request);

        wmem_map_insert(file_map(&hooked_calls), stub->di->call_data, asked);
        read_quietly(stub, read, asked);
    }
    return rpc_hook_ask_wireshark(stub, false);
}

/* Returns the request of an answer the first time that the answer is seen; else NULL. */
static const struct exporter_request *
take_request(const struct ndr *stub)
{
    struct exporter_request *const asked =
        (struct exporter_request *)wmem_map_lookup(file_map(&hooked_calls), stub->di->call_data);

    if (asked == NULL || asked->answered) {
        return NULL;
    }
    asked->answered = true;
    return asked;
}

/* Gets the HRESULT of an answer, which is at the end of its stub. Returns false if it was not captured. */
static bool
last_hresult(const struct ndr *stub, uint32_t *hresult)
{
    const int length = (int)tvb_reported_length(stub->tvb), at = (length & ~3) - 4;
    const bool is_there = tvb_bytes_exist(stub->tvb, at, 4);

    *hresult = is_there ? perflib_tvb_get_uint32(stub->tvb, at, ndr_encoding(stub)) : 0;
    return is_there;
}

/* Calls by IDispatch */

/* Reads the names in a GetIDsOfNames request. result: array of DISPATCH_MAX_NAMES const char *. */
static void
read_asked_names(struct orpc *o, void *result)
{
    orpc_this(o);
    orpc_guid(o, -1, "riid");
    dispatch_names(o, -1, (const char **)result);
}

/*
 * Returns the object called by IDispatch, or NULL if it is not known as one of [MS-PLA]. An unknown object with a
 * member SetCredentials is assumed to be one, so that its password is not shown. First pass only.
 */
static struct pla_object *
dispatch_object(const struct ndr *stub)
{
    const e_guid_t *const ipid = &stub->di->call_data->object_uuid;
    static const e_guid_t null_guid;
    struct pla_object *object;
    const char *names[DISPATCH_MAX_NAMES] = { "" };

    if (guid_cmp(ipid, &null_guid) == 0) {
        return NULL;
    }
    object = pla_object_known(stub->pinfo, ipid);
    if (object == NULL && stub->di->call_data->opnum == GET_IDS_OF_NAMES && !ndr_is_64(stub)) {
        read_quietly(stub, read_asked_names, names);
        if (g_ascii_strcasecmp(names[0], "SetCredentials") == 0) {
            object = pla_object_called(stub->pinfo, ipid, NULL);
        }
    }
    return object;
}

static int
dissect_under_dispatch(const struct ndr *stub, struct pla_call *call, bool response, bool first)
{
    const struct pla_interface *iface = call->object->iface;
    struct ndr ours = *stub;

    if (iface == NULL || iface->kind == PLA_KIND_ENUMERATOR) {
        iface = &pla_dispatch_interface;
    }
    col_set_str(stub->pinfo->cinfo, COL_PROTOCOL, iface->short_name);
    ours.tree = pla_add_tree(stub->tvb, stub->tree, iface, stub->di->call_data->opnum,
        wmem_strdup_printf(stub->pinfo->pool, "%s under IDispatch", iface->name));
    return pla_dissect(&ours, iface, call, response, first);
}

static int
dissect_dispatch_request(struct ndr *stub)
{
    struct pla_call *call = (struct pla_call *)wmem_map_lookup(file_map(&hooked_calls), stub->di->call_data);
    const bool first = call == NULL;

    if (first) {
        struct pla_object *const object = dispatch_object(stub);

        call = object != NULL ? pla_call_new(object) : &foreign_call;
        wmem_map_insert(file_map(&hooked_calls), stub->di->call_data, call);
    }
    if (call == &foreign_call || !pla_is_enabled()) {
        return rpc_hook_ask_wireshark(stub, false);
    }
    return dissect_under_dispatch(stub, call, false, first);
}

static int
dissect_dispatch_response(struct ndr *stub)
{
    struct pla_call *const call = (struct pla_call *)wmem_map_lookup(file_map(&hooked_calls), stub->di->call_data);

    if (call == NULL || call == &foreign_call || !pla_is_enabled()) {
        return rpc_hook_ask_wireshark(stub, true);
    }
    return dissect_under_dispatch(stub, call, true, !call->answered);
}

/* RemQueryInterface, [MS-DCOM] 3.1.1.5.6.1.1 */

static void
read_query(struct orpc *o, void *result)
{
    struct exporter_request *const query = (struct exporter_request *)result;
    uint32_t count;

    orpc_this(o);
    query->ipid = orpc_guid(o, -1, "IPID");
    orpc_uint32(o, -1, "cRefs");
    orpc_uint16(o, -1, "cIids");
    count = orpc_uint32(o, -1, "iids");
    if (!orpc_room(o, (uint64_t)count * 16, "iids")) {
        return;
    }
    query->iids = wmem_alloc0_array(wmem_file_scope(), e_guid_t, count + 1);
    for (; query->count < count; query->count++) {
        query->iids[query->count] = ndr_guid(&o->ndr, -1, NULL);
    }
}

static void
pla_hook_read_results(struct orpc *o, void *result)
{
    const struct exporter_request *const query = (const struct exporter_request *)result;
    struct ndr *const n = &o->ndr;
    uint32_t count;

    orpc_that(o);
    if (orpc_uint32(o, -1, "ppQIResults") == 0) {
        return;
    }
    count = orpc_uint32(o, -1, "REMQIRESULTs");
    ndr_align(n, 8);
    /* Ignores the results if the call failed: its own HRESULT follows them. */
    if (!orpc_room(o, (uint64_t)count * REMQIRESULT_SIZE + 4, "REMQIRESULTs") ||
        (perflib_tvb_get_uint32(n->tvb, n->offset + (int)(count * REMQIRESULT_SIZE), ndr_encoding(n)) & 0x80000000) !=
            0) {
        return;
    }
    for (uint32_t i = 0; i < MIN(count, query->count); i++) {
        struct orpc_objref got = { .iid = query->iids[i] };
        struct ndr item = *n;
        const uint32_t hresult = ndr_uint32(&item, -1);

        /* Skips hResult and padding; next are flags, cPublicRefs, oxid, oid, ipid. */
        item.offset = n->offset + 12;
        got.public_refs = ndr_uint32(&item, -1);
        got.oxid = perflib_tvb_get_uint64(item.tvb, item.offset, ndr_encoding(n));
        got.oid = perflib_tvb_get_uint64(item.tvb, item.offset + 8, ndr_encoding(n));
        item.offset += 16;
        got.ipid = ndr_guid(&item, -1, NULL);
        if ((hresult & 0x80000000) == 0) {
            pla_object_queried(n->pinfo, &query->ipid, pla_find_interface(&got.iid), &got);
        }
        n->offset += REMQIRESULT_SIZE;
    }
}

static int
dissect_query_request(struct ndr *stub)
{
    return keep_request(stub, read_query, false);
}

static int
dissect_query_response(struct ndr *stub)
{
    const struct exporter_request *const query = take_request(stub);

    if (query != NULL) {
        read_quietly(stub, pla_hook_read_results, (void *)query);
    }
    return rpc_hook_ask_wireshark(stub, true);
}

/* RemAddRef and RemRelease, [MS-DCOM] 3.1.1.5.6.1.2 and 3.1.1.5.6.1.3: reference counts of IPIDs */

static void
read_references(struct orpc *o, void *result)
{
    struct exporter_request *const asked = (struct exporter_request *)result;
    uint32_t count;

    orpc_this(o);
    orpc_uint16(o, -1, "cInterfaceRefs");
    count = orpc_uint32(o, -1, "InterfaceRefs");
    if (!orpc_room(o, (uint64_t)count * REMINTERFACEREF_SIZE, "InterfaceRefs")) {
        return;
    }
    asked->changes = wmem_alloc0_array(wmem_file_scope(), struct reference_change, count + 1);
    for (; asked->count < count; asked->count++) {
        asked->changes[asked->count].ipid = ndr_guid(&o->ndr, -1, NULL);
        asked->changes[asked->count].count = ndr_uint32(&o->ndr, -1);
        o->ndr.offset += 4; /* skip the private references */
    }
}

static int
dissect_references_request(struct ndr *stub)
{
    return keep_request(stub, read_references, false);
}

static int
dissect_references_response(struct ndr *stub)
{
    const struct exporter_request *const asked = take_request(stub);
    const int sign = stub->di->call_data->opnum == REM_RELEASE ? -1 : 1;
    uint32_t hresult;

    if (asked != NULL && last_hresult(stub, &hresult) && (hresult & 0x80000000) == 0) {
        for (uint32_t i = 0; i < asked->count; i++) {
            pla_object_add_references(stub->pinfo, &asked->changes[i].ipid, sign * (int64_t)asked->changes[i].count);
        }
    }
    return rpc_hook_ask_wireshark(stub, true);
}

/*
 * Activation. Its properties are nested structures inside an OBJREF, [MS-DCOM] 2.2.22. The plugin does not parse them.
 * In the request it searches for the 16 bytes of a CLSID of [MS-PLA], in the answer for the signature of references to
 * the new object.
 */

const struct pla_class *
pla_hooks_find_class(const uint8_t *bytes, unsigned length)
{
    for (unsigned i = 0; i + sizeof(e_guid_t) <= length; i++) {
        /* All CLSIDs of [MS-PLA] have the same last 8 bytes. */
        if (memcmp(bytes + i + 8, pla_classes[0].clsid.data4, sizeof pla_classes[0].clsid.data4) != 0) {
            continue;
        }
        for (unsigned j = 0; j < pla_num_classes * 2; j++) {
            const e_guid_t clsid = bytes_guid(bytes + i, j % 2 != 0);

            if (guid_cmp(&clsid, &pla_classes[j / 2].clsid) == 0) {
                return &pla_classes[j / 2];
            }
        }
    }
    return NULL;
}

/* Returns the position of the next OBJREF_STANDARD, from `at` on, or the length if there is none. */
static unsigned
find_objref(const uint8_t *bytes, unsigned at, unsigned length)
{
    static const uint8_t standard[] = { 'M', 'E', 'O', 'W', 1, 0, 0, 0 };

    while (at + sizeof standard <= length && memcmp(bytes + at, standard, sizeof standard) != 0) {
        at++;
    }
    return at + sizeof standard <= length ? at : length;
}

/* Records the new object and its addresses, from each OBJREF and from the object exporter's bindings. */
static void
learn_activated(tvbuff_t *tvb, packet_info *pinfo, const struct pla_interface *iface)
{
    const unsigned length = tvb_captured_length(tvb);
    const uint8_t *const bytes = tvb_get_ptr(tvb, 0, (int)length);
    struct orpc_binding bindings[ORPC_MAX_BINDINGS];
    const unsigned num_bindings = orpc_find_bindings(tvb, bindings);

    for (unsigned i = find_objref(bytes, 0, length); i + OBJREF_SIZE <= length; i = find_objref(bytes, i + 1, length)) {
        struct orpc_objref ref = { .offset = i };
        /* Its bindings end where the next OBJREF begins, however many it claims. */
        const unsigned end = find_objref(bytes, i + OBJREF_SIZE, length);

        orpc_read_objref(tvb, i, end - i, &ref);
        for (unsigned j = 0; j < num_bindings && ref.num_bindings < ORPC_MAX_BINDINGS; j++) {
            ref.bindings[ref.num_bindings++] = bindings[j];
        }
        pla_object_queried(pinfo, &ref.ipid, iface, &ref);
    }
}

/*
 * Sets the addresses of the object in the record (packet scope) from the bindings in an answer, which Wireshark does
 * not provide.
 */
static void
find_addresses(struct pla_activation *record, tvbuff_t *tvb, packet_info *pinfo)
{
    struct orpc_binding bindings[ORPC_MAX_BINDINGS];
    struct pla_object_address *const addresses =
        wmem_alloc0_array(pinfo->pool, struct pla_object_address, ORPC_MAX_BINDINGS);

    record->num_addresses = orpc_find_bindings(tvb, bindings);
    record->addresses = addresses;
    for (unsigned i = 0; i < record->num_addresses; i++) {
        if (bindings[i].size != 0) {
            address server;

            set_address(&server, bindings[i].size == 4 ? AT_IPv4 : AT_IPv6, bindings[i].size, bindings[i].address);
            addresses[i].server = address_to_str(pinfo->pool, &server);
        }
        addresses[i].port = bindings[i].port;
    }
}

/* Queues a tap record for an activation. */
static void
tap_activated(const struct ndr *stub, const struct pla_call *call, bool is_response)
{
    struct pla_activation *record;

    if (!have_tap_listener(tap_activation)) {
        return;
    }
    record = wmem_new0(stub->pinfo->pool, struct pla_activation);
    record->class_name = call->class_name;
    record->is_response = is_response;
    if (is_response) {
        find_addresses(record, stub->tvb, stub->pinfo);
        record->has_hresult = last_hresult(stub, &record->hresult);
    }
    tap_queue_packet(tap_activation, stub->pinfo, record);
}

static int
dissect_activation_request(struct ndr *stub)
{
    struct pla_call *call = (struct pla_call *)wmem_map_lookup(file_map(&hooked_calls), stub->di->call_data);

    if (call == NULL) {
        const struct pla_class *const class =
            pla_hooks_find_class(tvb_get_ptr(stub->tvb, 0, -1), tvb_captured_length(stub->tvb));

        if (class != NULL) {
            call = pla_call_new(NULL);
            call->iface = pla_interface_named(class->iface);
            call->activation =
                stub->di->call_data->opnum == REMOTE_CREATE_INSTANCE ? "RemoteCreateInstance" : "RemoteActivation";
            call->class_name = class->name;
            wmem_map_insert(file_map(&hooked_calls), stub->di->call_data, call);
            /* The listener also gets a fault that answers the request; then no object was created. */
            session_pdu_note(session_pdu_of(stub->pinfo), stub->pinfo, stub->di, &pla_listener, call);
        }
    }
    if (call != NULL) {
        tap_activated(stub, call, false);
    }
    return rpc_hook_ask_wireshark(stub, false);
}

static int
dissect_activation_response(struct ndr *stub)
{
    struct pla_call *const call = (struct pla_call *)wmem_map_lookup(file_map(&hooked_calls), stub->di->call_data);
    uint32_t hresult;

    if (call != NULL) {
        last_hresult(stub, &hresult);
        if (!call->answered && (hresult & 0x80000000) == 0) {
            learn_activated(stub->tvb, stub->pinfo, call->iface);
        }
        call->answered = true;
        tap_activated(stub, call, true);
    }
    return rpc_hook_ask_wireshark(stub, true);
}

/*
 * ResolveOxid and ResolveOxid2, [MS-DCOM] 3.1.2.5.1.1 and 3.1.2.5.1.4: the bindings of an object exporter. They have no
 * ORPCTHIS, and their return code is an error_status_t.
 */

static void
read_exporter(struct orpc *o, void *result)
{
    ((struct exporter_request *)result)->oxid = perflib_tvb_get_uint64(o->ndr.tvb, 0, ndr_encoding(&o->ndr));
}

static int
dissect_resolve_request(struct ndr *stub)
{
    return keep_request(stub, read_exporter, true);
}

static int
dissect_resolve_response(struct ndr *stub)
{
    const struct exporter_request *const asked = take_request(stub);
    struct orpc_binding bindings[ORPC_MAX_BINDINGS];
    uint32_t status;

    /* .oxid is 0 if the request was truncated: then it is unknown whose bindings these are. */
    if (asked != NULL && asked->oxid != 0 && last_hresult(stub, &status) && status == 0) {
        pla_object_resolved(asked->oxid, bindings, orpc_find_bindings(stub->tvb, bindings));
    }
    return rpc_hook_ask_wireshark(stub, true);
}

static const struct rpc_hook hooks[] = {
    /* GetTypeInfoCount, GetTypeInfo, GetIDsOfNames, Invoke */
    { &idispatch_iid, 0, 3, dissect_dispatch_request, dissect_dispatch_response },
    { &idispatch_iid, 0, 4, dissect_dispatch_request, dissect_dispatch_response },
    { &idispatch_iid, 0, GET_IDS_OF_NAMES, dissect_dispatch_request, dissect_dispatch_response },
    { &idispatch_iid, 0, 6, dissect_dispatch_request, dissect_dispatch_response },
    /* RemQueryInterface, RemAddRef, RemRelease */
    { &iremunknown_iid, 0, 3, dissect_query_request, dissect_query_response },
    { &iremunknown_iid, 0, 4, dissect_references_request, dissect_references_response },
    { &iremunknown_iid, 0, REM_RELEASE, dissect_references_request, dissect_references_response },
    { &iremunknown2_iid, 0, 3, dissect_query_request, dissect_query_response },
    { &iremunknown2_iid, 0, 4, dissect_references_request, dissect_references_response },
    { &iremunknown2_iid, 0, REM_RELEASE, dissect_references_request, dissect_references_response },
    { &iremotescmactivator_iid, 0, REMOTE_CREATE_INSTANCE, dissect_activation_request, dissect_activation_response },
    /* RemoteActivation */
    { &iactivation_iid, 0, 0, dissect_activation_request, dissect_activation_response },
    /* ResolveOxid, ResolveOxid2 */
    { &iobjectexporter_iid, 0, 0, dissect_resolve_request, dissect_resolve_response },
    { &iobjectexporter_iid, 0, 4, dissect_resolve_request, dissect_resolve_response },
};

void
pla_hooks_register(void)
{
    tap_activation = register_tap("pla_activation");
}

void
pla_hooks_init(void)
{
    rpc_hook(hooks, array_length(hooks));
}
