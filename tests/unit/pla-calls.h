/* pla-calls.h
 * Calls to objects of [MS-PLA], and answers: their stubs, and how they come to the dissector as packet-dcerpc would bring them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_PLA_CALLS_H
#define PERFLIB_TESTS_UNIT_PLA_CALLS_H

#include "base/rpc-call.h"
#include "build.h"
#include "fake-taps.h"
#include "file-scope.h"
#include "pla/packet.h"
#include "plugin.h"

static dcerpc_info di;
static uint8_t drep[4] = { 0x10 };
static bool is_seen = true; /* there is a tree */

/* What statistics were told last. */
static inline const struct pla_tap *
told(void)
{
    return (const struct pla_tap *)told_of("pla");
}

static inline const struct pla_activation *
told_activation(void)
{
    return (const struct pla_activation *)told_of("pla_activation");
}

/* Protocols by number: PLA is the first. */
static int num_protocols;

int
proto_register_protocol(const char *name, const char *short_name, const char *filter_name)
{
    CHECK(strcmp(short_name, "PLA") == 0 && strcmp(filter_name, "pla") == 0, "%s", name);
    return ++num_protocols;
}

int
proto_register_protocol_in_name_only(const char *name, const char *short_name, const char *filter_name, int parent,
    enum ftenum field_type)
{
    CHECK(parent == 1 && field_type == FT_PROTOCOL &&
            strcmp(filter_name, strcmp(name, "IEnumVARIANT") == 0 ? "pla.enumerator" : "pla") == 0,
        "%s, %s", name, short_name);
    return ++num_protocols;
}

const char *
proto_get_protocol_filter_name(const int number)
{
    return number == 1 ? "pla" : "?";
}

/* What is said of the interfaces. */
static struct {
    e_guid_t uuid;
    dcerpc_sub_dissector PERFLIB_DCERPC_CONST *procs;
    int proto;
} registered[32];
static unsigned num_registered;
static const char *named_guids[64];
static unsigned num_named;
static const e_guid_t *taken; /* an interface that Wireshark dissects by itself */

void
dcerpc_init_uuid(int proto, int ett, e_guid_t *uuid, uint16_t version, dcerpc_sub_dissector PERFLIB_DCERPC_CONST *procs,
    int opnum_hf)
{
    CHECK(ett > 0 && version == 0 && opnum_hf > 0, "version %u", version);
    registered[num_registered].uuid = *uuid;
    registered[num_registered].proto = proto;
    registered[num_registered++].procs = procs;
}

const char *
dcerpc_get_proto_name(e_guid_t *uuid, uint16_t version)
{
    (void)version;
    return taken != NULL && guid_cmp(uuid, taken) == 0 ? "theirs" : NULL;
}

void
guids_add_guid(const e_guid_t *guid, const char *name)
{
    (void)guid;
    named_guids[num_named++] = name;
}

const char *
guids_resolve_guid_to_str(const e_guid_t *guid, wmem_allocator_t *into)
{
    return wmem_strdup_printf(into, "guid %x", guid->data1);
}

char *
address_to_str(wmem_allocator_t *into, const address *addr)
{
    return wmem_strdup(into, (const char *)addr->data);
}

static perflib_bool *password_preference;

void
prefs_register_bool_preference(module_t *module, const char *name, const char *title, const char *description,
    perflib_bool *variable)
{
    (void)module;
    (void)title;
    (void)description;
    CHECK(strcmp(name, "show_passwords") == 0, "%s", name);
    password_preference = variable;
}

/* Wireshark's XML dissector, and its columns, which are not to be written meanwhile. */
static const char *xml_read;
static bool is_xml_too_deep;
static perflib_bool is_writable[NUM_COL_FMTS] = { [COL_PROTOCOL] = true, [COL_INFO] = true };

dissector_handle_t
find_dissector(const char *name)
{
    CHECK(strcmp(name, "xml") == 0, "%s", name);
    return (dissector_handle_t)&xml_read;
}

int
call_dissector(dissector_handle_t handle, tvbuff_t *tvb, packet_info *info, proto_tree *tree)
{
    CHECK(handle == (dissector_handle_t)&xml_read && info == &pinfo && tree != NULL, "another dissector");
    CHECK(!is_writable[COL_PROTOCOL] && !is_writable[COL_INFO], "it may write columns");
    xml_read = (const char *)tvb_get_string_enc(pinfo.pool, tvb, 0, (int)tvb_captured_length(tvb), ENC_UTF_8);
    if (is_xml_too_deep) {
        THROW_MESSAGE(DissectorError, "too deep");
    }
    return 0;
}

/* 4.6 made it return the source. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
struct data_source *
#else
void
#endif
add_new_data_source(packet_info *info, tvbuff_t *tvb, const char *name)
{
    (void)info;
    (void)tvb;
    CHECK(strcmp(name, "XML (UTF-8)") == 0, "%s", name);
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
    return NULL;
#endif
}

perflib_bool
col_get_writable(column_info *cinfo, const int column)
{
    (void)cinfo;
    return is_writable[column];
}

void
col_set_writable(column_info *cinfo, const int column, const perflib_bool writable)
{
    (void)cinfo;
    is_writable[column] = writable;
}

/* In place of base/, and of what recognises stubs, which has a test of its own. */
static const struct rpc_hook *hooked;
static size_t num_hooked;

void
rpc_hook(const struct rpc_hook *hooks, size_t count)
{
    hooked = hooks;
    num_hooked = count;
}

/* Wireshark's own dissection of a hooked stub is asked. */
static unsigned asked_wireshark;

int
rpc_hook_ask_wireshark(const struct ndr *stub, bool is_response)
{
    (void)is_response;
    asked_wireshark++;
    return stub->offset;
}

static unsigned num_recognisers;

void
stub_recogniser_register(stub_recogniser recogniser)
{
    CHECK(recogniser == pla_recognise, "another recogniser");
    num_recognisers++;
}

bool
pla_recognise(const struct stub_sample *sample, packet_info *info, struct stub_recognised *found)
{
    (void)sample;
    (void)info;
    (void)found;
    return false;
}

void
pla_sense_register(const struct rpc_listener *listener)
{
    CHECK(listener == &pla_listener, "another listener");
}

/* Stubs; all are little-endian. */

/* [MS-DCOM] 2.2.13.3: ORPCTHIS of 32 bytes. */
static inline void
begin_request(void)
{
    begin();
    add(5, 2);
    add(7, 2);
    ADD(0, 0, 0xc1d, 0, 0, 0, 0);
}

/* 2.2.13.4: ORPCTHAT of 8. */
static inline void
begin_response(void)
{
    begin();
    ADD(0, 0);
}

static inline void
add_align(unsigned boundary)
{
    while (out.size % boundary != 0) {
        add(0, 1);
    }
}

/* [MS-OAUT] 2.2.23: of 16 bytes and 2 for each character. */
static inline void
add_bstr(const char *text)
{
    const uint32_t chars = (uint32_t)strlen(text);

    add_align(4);
    ADD(0x20000, chars, 2 * chars, chars);
    for (uint32_t i = 0; i < chars; i++) {
        add((uint8_t)text[i], 2);
    }
}

static inline void
add_guid(const e_guid_t *guid)
{
    add(guid->data1, 4);
    add(guid->data2, 2);
    add(guid->data3, 2);
    for (unsigned i = 0; i < 8; i++) {
        add(guid->data4[i], 1);
    }
}

static inline const struct pla_interface *
interface_of(const char *name)
{
    const struct pla_interface *iface =
        strcmp(name, "IDispatch") == 0 ? &pla_dispatch_interface : pla_interface_named(name);

    CHECK(iface != NULL, "no interface %s", name);
    return iface;
}

/* [MS-DCOM] 2.2.18: a standard OBJREF of 68 bytes. */
static inline void
add_objref(const e_guid_t *iid, uint64_t oid, uint32_t ipid)
{
    const e_guid_t id = { .data1 = ipid };

    ADD(0x574f454d, 1);
    add_guid(iid);
    ADD(0, 5, 0x1111, 0);
    add(oid, 8);
    add_guid(&id);
    add(0, 4);
}

/* 2.2.14: of 80 bytes with its referent. */
static inline void
add_pointer(const char *iface, uint64_t oid, uint32_t ipid)
{
    add_align(4);
    ADD(0x20000, 68, 68);
    add_objref(&interface_of(iface)->iid, oid, ipid);
}

/* A call to the object with that IPID; 0: to none. */
static inline dcerpc_call_value *
new_call(const e_guid_t *uuid, uint16_t opnum, uint32_t ipid)
{
    dcerpc_call_value *value = wmem_new0(wmem_epan_scope(), dcerpc_call_value);

    value->uuid = *uuid;
    value->opnum = opnum;
    value->object_uuid.data1 = ipid;
    return value;
}

static inline struct ndr
stub_of(dcerpc_call_value *value, bool response, unsigned size)
{
    struct ndr stub = { .pinfo = &pinfo, .di = &di, .drep = drep };
    const int client = 50000, server = 49152;

    pinfo.num++;
    pinfo.pool = wmem_epan_scope();
    pinfo.srcport = (uint32_t)(response ? server : client);
    pinfo.destport = (uint32_t)(response ? client : server);
    set_address(&pinfo.src, AT_STRINGZ, 3, response ? "PC" : "me");
    set_address(&pinfo.dst, AT_STRINGZ, 3, response ? "me" : "PC");
    di.call_data = value;
    di.ptype = response ? PDU_RESP : PDU_REQ;
    /* What is cut off stands behind it still: nobody may look there. */
    stub.tvb = tvb_new_real_data((const uint8_t *)wmem_memdup(wmem_epan_scope(), out.bytes, MAX(size, out.size)), size,
        (int)size);
    stub.tree = fake_tree_begin();
    if (!is_seen) {
        stub.tree = NULL;
    }
    forget_told();
    xml_read = NULL;
    asked_wireshark = 0;
    g_string_assign(fake_columns[COL_INFO], "=");
    rpc_notes_begin();
    return stub;
}

/* Dissects what was built as packet-dcerpc does: by what was registered for the interface. Returns how far was read. */
static inline int
dissect_cut(dcerpc_call_value *value, bool response, unsigned size)
{
    const struct ndr stub = stub_of(value, response, size);

    for (unsigned i = 0; i < num_registered; i++) {
        for (dcerpc_sub_dissector PERFLIB_DCERPC_CONST *proc = registered[i].procs;
             guid_cmp(&registered[i].uuid, &value->uuid) == 0 && proc->name != NULL; proc++) {
            if (proc->num == value->opnum) {
                return (response ? proc->dissect_resp : proc->dissect_rqst)(stub.tvb, 0, &pinfo, stub.tree, &di, drep);
            }
        }
    }
    CHECK(false, "no dissector for %u of %x", value->opnum, value->uuid.data1);
    return 0;
}

static inline int
dissect(dcerpc_call_value *value, bool response)
{
    return dissect_cut(value, response, out.size);
}

/* The call is answered by an object of that OID and IPID. */
static inline void
answer_object(dcerpc_call_value *call, const char *iface, uint32_t id)
{
    begin_response();
    add_pointer(iface, id, id);
    ADD(0);
    dissect(call, true);
}

#define CHECK_INFO(text) CHECK(strcmp(fake_columns[COL_INFO]->str, "=" text) == 0, "%s", fake_columns[COL_INFO]->str)

/* Registers all; called once. */
static inline void
pla_begin(void)
{
    wmem_init_scopes();
    fake_hidden[0] = "dcom.";
    fake_hidden[1] = "ORPCTH";
    proto_register_pla();
    proto_reg_handoff_pla();
}

#endif /* PERFLIB_TESTS_UNIT_PLA_CALLS_H */
