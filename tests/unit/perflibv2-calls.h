/* perflibv2-calls.h
 * Calls of [MS-PCQ] from stub to tree, as packet-dcerpc would bring them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_PERFLIBV2_CALLS_H
#define PERFLIB_TESTS_UNIT_PERFLIBV2_CALLS_H

#include "compat.h"

#include "base/rpc-pdu.h"
#include "build.h"
#include "fake-dissector.h"
#include "perflibv2/pdu.h"
#include "perflibv2/record.h"
#include "plugin.h"

/* [MS-PCQ] 1.9 */
static const e_guid_t perflibv2_uuid = { 0xda5a86c5, 0x12c2, 0x4943,
    { 0xab, 0x30, 0x7f, 0x74, 0xa8, 0x13, 0xd8, 0x53 } };
static const char *const fake_protocol = "perflibv2", *const fake_short_name = "PerflibV2";
static const e_guid_t *const fake_interface = &perflibv2_uuid;

/* In place of Wireshark's. */
static dcerpc_sub_dissector PERFLIB_DCERPC_CONST *procs; /* as registered */
static const char *taken_by;                             /* who else has the interface */

const char *
dcerpc_get_proto_name(e_guid_t *uuid, uint16_t version)
{
    CHECK(guid_cmp(uuid, &perflibv2_uuid) == 0 && version == 1, "version %u", version);
    return taken_by;
}

void
dcerpc_init_uuid(int proto, int ett, e_guid_t *uuid, uint16_t version, dcerpc_sub_dissector PERFLIB_DCERPC_CONST *of,
    int opnum_hf)
{
    CHECK(proto == 1 && ett > 0 && guid_cmp(uuid, &perflibv2_uuid) == 0 && version == 1 &&
            opnum_hf == fake_field("perflibv2.opnum"),
        "version %u", version);
    procs = of;
}

int
find_tap_id(const char *name)
{
    CHECK(strcmp(name, "expert") == 0, "%s", name);
    return register_tap(name);
}

void
prefs_register_bool_preference(module_t *module, const char *name, const char *title, const char *description,
    perflib_bool *variable)
{
    (void)module;
    (void)title;
    (void)description;
    CHECK(variable != NULL, "%s", name);
}

char *
query_filter_of_numbers(packet_info *info, int proto, const char *field)
{
    (void)info;
    (void)proto;
    return g_strdup(field);
}

void
catalog_table_register(module_t *module)
{
    (void)module;
}

void
watch_register(int proto, expert_module_t *expert, module_t *module)
{
    (void)expert;
    (void)module;
    CHECK(proto == 1, "%d", proto);
}

/* The packet: its last PDU is all there is. */
static tvbuff_t *packet;

bool
perflib_packet_has(const packet_info *info, const char *protocol)
{
    (void)info;
    return strcmp(protocol, "smb2") == 0;
}

unsigned
perflib_num_sources(const packet_info *info)
{
    (void)info;
    return 1;
}

tvbuff_t *
perflib_source(const packet_info *info, unsigned i)
{
    (void)info;
    CHECK(i == 0, "source %u", i);
    return packet;
}

bool
rpc_latest_took_others(uint32_t first, uint32_t last, const e_guid_t *own)
{
    (void)first;
    (void)last;
    (void)own;
    return false;
}

int
perflibv2_sense(const struct stub_sample *sample, const struct operation *op)
{
    (void)sample;
    (void)op;
    return 0;
}

bool
perflibv2_proves(const struct stub_sample *sample, const struct operation *op)
{
    return sample->length == 99 && strcmp(op->name, "CloseQueryHandle") == 0;
}

/* A call: what packet-dcerpc keeps of it, and its number. */
struct made {
    dcerpc_call_value value;
    uint32_t id;
};

static inline struct made *
new_call(uint16_t opnum)
{
    static uint32_t id;
    struct made *call = wmem_new0(wmem_epan_scope(), struct made);

    call->value.uuid = perflibv2_uuid;
    call->value.opnum = opnum;
    call->id = ++id;
    begin_stub();
    return call;
}

/* What a handle, a machine and a GUID are in a stub. */
static inline void
put_handle(uint32_t handle)
{
    PUT(0, handle, 0, 0, 0);
}

static inline void
put_machine(const char *machine)
{
    const uint32_t units = (uint32_t)strlen(machine) + 1;

    PUT(units, 0, units);
    for (uint32_t i = 0; i < units; i++) {
        put_number((uint8_t)machine[i], 2);
    }
}

static inline void
put_set(uint32_t set)
{
    PUT(set, 0, 0, 0);
}

/* lpData that was made since begin(), behind its counts. */
static inline void
put_bytes(void)
{
    memcpy(stub.bytes + stub.size, out.bytes, out.size);
    stub.size += out.size;
}

/* Of a PDU: its flags; how many bytes of the stub it holds, 0: all. */
static uint8_t pdu_flags = PDU_FLAG_FIRST_FRAG | PDU_FLAG_LAST_FRAG;
static unsigned last_fragment;
static int thrown; /* the exception's code; 0: none */
static bool is_seen = true;

/* Gives the stub that was built to the dissector. Returns how far it was read. */
static inline int
give(struct made *call, bool response)
{
    const unsigned size = last_fragment == 0 ? stub.size : last_fragment;
    uint8_t *bytes = (uint8_t *)wmem_alloc0(wmem_epan_scope(), 24 + stub.size);
    const uint8_t header[24] = { 5, 0, response ? PDU_RESP : PDU_REQ, pdu_flags, 0x10, 0, 0, 0, (uint8_t)(24 + size),
        (uint8_t)((24 + size) >> 8), 0, 0, (uint8_t)call->id, (uint8_t)(call->id >> 8) };
    volatile int end = -2;
    tvbuff_t *tvb;

    memcpy(bytes, header, sizeof header);
    memcpy(bytes + 24, stub.bytes + stub.size - size, size);
    fake_packet_begin(&call->value, response);
    di.call_id = call->id;
    packet = tvb_new_real_data(bytes, 24 + size - (last_fragment == 0 ? snapped : 0), (int)(24 + size));
    if (last_fragment == 0) {
        tvb = tvb_new_subset_remaining(packet, 24);
    } else {
        tvb = tvb_new_real_data((const uint8_t *)wmem_memdup(wmem_epan_scope(), stub.bytes, stub.size),
            stub.size - snapped, (int)stub.size);
    }
    fake_tree_begin();
    g_string_assign(fake_columns[COL_INFO], "=");
    filtered = NULL;
    thrown = 0;
    TRY
    {
        end = (response ? procs[call->value.opnum].dissect_resp : procs[call->value.opnum].dissect_rqst)(tvb, 0, &pinfo,
            is_seen ? &fake_root->node : NULL, &di, drep);
    }
    CATCH_ALL
    {
        thrown = (int)exc->except_id.except_code;
    }
    ENDTRY;
    /* What the Info column says the protocol's line says, too, where somebody sees it. */
    CHECK(!is_seen || fake_asked != NULL || strcmp(fake_columns[COL_INFO]->str + 1, fake_root->text->str) == 0,
        "%s is not %s", fake_columns[COL_INFO]->str, fake_root->text->str);
    return end;
}

/* The same packet in a later pass. */
static inline int
give_again(struct made *call, bool response)
{
    int end;

    pinfo.num--;
    pinfo.abs_ts.secs--;
    frame.visited = true;
    end = give(call, response);
    frame.visited = false;
    return end;
}

/* Requests and answers of each kind. Of answers the client has room for so much as the buffer has, or else for room. */
static inline struct made *
ask_machine(uint16_t opnum, uint32_t in_size)
{
    struct made *call = new_call(opnum);

    put_machine("\\\\PC");
    PUT(in_size);
    give(call, false);
    return call;
}

static inline struct made *
ask_registration(uint32_t set, uint32_t code, uint32_t lcid)
{
    struct made *call = new_call(OP_QUERY_REGISTRATION_INFO);

    put_machine("\\\\PC");
    put_set(set);
    PUT(code, lcid, 4096);
    give(call, false);
    return call;
}

static inline struct made *
ask_instances(uint32_t set)
{
    struct made *call = new_call(OP_ENUMERATE_INSTANCES);

    put_machine("\\\\PC");
    put_set(set);
    PUT(4096);
    give(call, false);
    return call;
}

static inline struct made *
ask_query(uint16_t opnum, uint32_t handle, uint32_t in_size)
{
    struct made *call = new_call(opnum);

    put_handle(handle);
    PUT(in_size);
    give(call, false);
    return call;
}

/* An answer with a varying lpData; elements of so many bytes. */
static inline int
answer_of(struct made *call, uint32_t in_size, unsigned element, uint32_t code)
{
    const uint32_t elements = out.size / element;

    begin_stub();
    PUT(elements, elements, in_size, 0, elements);
    put_bytes();
    PUT(code);
    return give(call, true);
}

static inline int
answer(struct made *call, uint32_t code)
{
    return answer_of(call, 4096, 1, code);
}

static inline struct made *
open_handle(uint32_t handle)
{
    struct made *call = new_call(OP_OPEN_QUERY_HANDLE);

    put_machine("\\\\PC");
    give(call, false);
    begin_stub();
    put_handle(handle);
    PUT(0);
    give(call, true);
    return call;
}

/* Both ways: lpData is conformant. */
static inline struct made *
validate(uint32_t handle, bool adds)
{
    struct made *call = new_call(OP_VALIDATE_COUNTERS);

    put_handle(handle);
    PUT(out.size, out.size);
    put_bytes();
    PUT(adds);
    give(call, false);
    return call;
}

static inline void
validated(struct made *call, uint32_t code)
{
    begin_stub();
    PUT(out.size);
    put_bytes();
    PUT(code);
    give(call, true);
}

#define CHECK_INFO(text) CHECK(strcmp(fake_columns[COL_INFO]->str, "=" text) == 0, "%s", fake_columns[COL_INFO]->str)

static inline const struct perflibv2_tap *
recorded(void)
{
    return (const struct perflibv2_tap *)told_of("perflibv2");
}

/* Registers all; called once. */
static inline void
perflibv2_begin(void)
{
    wmem_init_scopes();
    proto_register_perflibv2();
    proto_reg_handoff_perflibv2();
}

#endif /* PERFLIB_TESTS_UNIT_PERFLIBV2_CALLS_H */
