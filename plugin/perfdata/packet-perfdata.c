/* packet-perfdata.c
 * HKEY_PERFORMANCE_DATA, the older API: performance data in the answers of the remote registry
 *
 * Wireshark's winreg dissector stays: it is asked for everything that is not performance data. Only the
 * pointers of a copy of its operation table are ours. [MS-RRP] 3.1.5.4, 3.1.5.15, 3.1.5.17, 3.1.5.28 to 3.1.5.30.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/tap.h>

#include <wsutil/str_util.h>
#include <wsutil/wslog.h>

#include "base/ndr.h"
#include "base/text.h"
#include "base/win32-names.h"
#include "counters/record.h"
#include "perfdata/record.h"
#include "perfdata/tree.h"
#include "plugin.h"
#include "stats/counters.h"
#include "stats/perfdata.h"

enum {
    WINREG_OPEN_PERFORMANCE_DATA = 3,
    WINREG_CLOSE_KEY = 5,
    WINREG_OPEN_KEY = 15,
    WINREG_QUERY_VALUE = 17,
    WINREG_QUERY_MULTIPLE_VALUES = 29,
    WINREG_OPEN_PERFORMANCE_TEXT = 32,
    WINREG_OPEN_PERFORMANCE_NLS_TEXT = 33,
    WINREG_QUERY_MULTIPLE_VALUES_2 = 34,
    WINREG_NUM_OPNUMS = 64
};

static const e_guid_t winreg_uuid = { 0x338cd001, 0x2244, 0x31f1, { 0xaa, 0xaa, 0x90, 0x00, 0x38, 0x00, 0x10, 0x03 } };
#define WINREG_VERSION 1

static int proto_perfdata = -1;

static int tap_perfdata = -1;
static int tap_poll = -1;

static int hf_value_name = -1;
static int hf_value_type = -1;
static int hf_offered = -1;
static int hf_handle_opened_in = -1;
static int hf_handle_closed_in = -1;

static int ett_perfdata = -1;
static int ett_pointer = -1;
static int ett_handle = -1;
static int ett_name = -1;

static expert_field ei_array_count = EI_INIT;
static expert_field ei_recognised = EI_INIT;

/* Wireshark's own fields, so that its filters and columns go on working. */
static struct {
    int referent_id, referent_id64, null_pointer;
    int handle, name_len, name_size, value_name, type, data_size, data_length, error;
    int value_length, value_offset, buffer_size, needed;
} winreg;

static const struct {
    int *hf;
    const char *name;
} winreg_fields[] = {
    { &winreg.referent_id, "dcerpc.referent_id" },
    { &winreg.referent_id64, "dcerpc.referent_id64" },
    { &winreg.null_pointer, "dcerpc.null_pointer" },
    { &winreg.handle, "winreg.handle" },
    { &winreg.name_len, "winreg.winreg_String.name_len" },
    { &winreg.name_size, "winreg.winreg_String.name_size" },
    { &winreg.value_name, "winreg.winreg_QueryValue.value_name" },
    { &winreg.type, "winreg.winreg_QueryValue.type" },
    { &winreg.data_size, "winreg.winreg_QueryValue.data_size" },
    { &winreg.data_length, "winreg.winreg_QueryValue.data_length" },
    { &winreg.error, "winreg.werror" },
    { &winreg.value_length, "winreg.QueryMultipleValue.ve_valuelen" },
    { &winreg.value_offset, "winreg.QueryMultipleValue.ve_valueptr" },
    { &winreg.buffer_size, "winreg.winreg_QueryMultipleValues.buffer_size" },
    { &winreg.needed, "winreg.winreg_QueryMultipleValues2.needed" },
};

static dcerpc_dissect_fnct_t *original_request[WINREG_NUM_OPNUMS];
static dcerpc_dissect_fnct_t *original_response[WINREG_NUM_OPNUMS];

/* The types of registry values, [MS-RRP] 2.2.9 */
static const value_string value_type_vals[] = {
    {  0, "REG_NONE" },
    {  1, "REG_SZ" },
    {  2, "REG_EXPAND_SZ" },
    {  3, "REG_BINARY" },
    {  4, "REG_DWORD" },
    {  5, "REG_DWORD_BIG_ENDIAN" },
    {  6, "REG_LINK" },
    {  7, "REG_MULTI_SZ" },
    { 11, "REG_QWORD" },
    { 0, NULL }
};

/* What is kept of a call, from its request to its answer and for later passes. File scope. */
struct call {
    struct perfdata_key *key;            /* NULL: not known to be performance data */
    const char *value_name;     /* QueryValue; NULL: unknown */
    uint8_t handle[POLICY_HANDLE_SIZE];
    unsigned language;          /* OpenKey: of the lists of names below the key */
    bool by_signature;          /* recognised by the value alone */
    bool answered;              /* the answer was seen: what follows is known */
    const struct series_poll *sample;
    struct call *parts;         /* QueryMultipleValues: one a value */
    unsigned num_parts;
};

/* The key of a map of handles: the server makes them unique. */
struct handle_id {
    const struct catalog_server *server;
    uint8_t handle[POLICY_HANDLE_SIZE];
};

#define UNKNOWN_VALUE "value name not in the capture"

static wmem_map_t *calls;       /* dcerpc_call_value * -> struct call; file scope */
static wmem_map_t *keys;        /* struct handle_id -> struct perfdata_key, those open now; file scope */

static unsigned
handle_id_hash(const void *p)
{
    const struct handle_id *id = (const struct handle_id *)p;

    return wmem_strong_hash(id->handle, POLICY_HANDLE_SIZE) ^ g_direct_hash(id->server);
}

static gboolean
handle_id_equal(const void *a, const void *b)
{
    const struct handle_id *x = (const struct handle_id *)a;
    const struct handle_id *y = (const struct handle_id *)b;

    return x->server == y->server && memcmp(x->handle, y->handle, POLICY_HANDLE_SIZE) == 0;
}

static struct perfdata_key *
find_key(const struct catalog_server *server, const uint8_t *handle)
{
    struct handle_id id = { server, { 0 } };

    memcpy(id.handle, handle, POLICY_HANDLE_SIZE);
    return (struct perfdata_key *)wmem_map_lookup(keys, &id);
}

static struct perfdata_key *
add_key(const struct catalog_server *server, const uint8_t *handle, unsigned unnamed_language, uint32_t opened_in)
{
    struct handle_id *id = wmem_new(wmem_file_scope(), struct handle_id);
    struct perfdata_key *key = wmem_new0(wmem_file_scope(), struct perfdata_key);

    id->server = server;
    memcpy(id->handle, handle, POLICY_HANDLE_SIZE);
    memcpy(key->handle, handle, POLICY_HANDLE_SIZE);
    key->server = server;
    key->unnamed_language = unnamed_language;
    key->opened_in = opened_in;
    wmem_map_insert(keys, id, key);
    return key;
}

static void
close_key(struct perfdata_key *key, uint32_t frame)
{
    struct handle_id id = { key->server, { 0 } };

    memcpy(id.handle, key->handle, POLICY_HANDLE_SIZE);
    wmem_map_remove(keys, &id);
    key->closed_in = frame;
}

static bool
is_enabled(void)
{
    return proto_is_protocol_enabled(find_protocol_by_id(proto_perfdata));
}

static struct call *
find_call(const dcerpc_info *di)
{
    return (struct call *)wmem_map_lookup(calls, di->call_data);
}

static struct call *
add_call(const dcerpc_info *di)
{
    struct call *call = wmem_new0(wmem_file_scope(), struct call);

    wmem_map_insert(calls, di->call_data, call);
    return call;
}

static int
ask_winreg(dcerpc_dissect_fnct_t *const *originals, tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di,
    uint8_t *drep)
{
    return originals[di->call_data->opnum](tvb, offset, pinfo, tree, di, drep);
}

static struct catalog_server *
server_asked(const packet_info *pinfo)
{
    return catalog_server(&pinfo->dst, pinfo->destport);
}

static struct catalog_server *
server_answering(const packet_info *pinfo)
{
    return catalog_server(&pinfo->src, pinfo->srcport);
}

/* The pointer before a unique parameter: its tree, NULL-pointer item and all, as winreg shows it. Returns whether it points. */
static bool
begin_pointer(struct ndr *n, const char *label, proto_tree **sub)
{
    const int size = ndr_is_64(n) ? 8 : 4;
    uint64_t referent;

    ndr_align(n, size);
    referent = ndr_uint3264(n, -1);
    *sub = NULL;
    if (referent == 0) {
        proto_tree_add_bytes_format(n->tree, winreg.null_pointer, n->tvb, n->offset - size, size, NULL, "NULL Pointer: %s", label);
        return false;
    }
    *sub = proto_tree_add_subtree(n->tree, n->tvb, n->offset - size, size, ett_pointer, NULL, label);
    if (size == 8) {
        proto_tree_add_uint64(*sub, winreg.referent_id64, n->tvb, n->offset - size, size, referent);
    } else {
        proto_tree_add_uint(*sub, winreg.referent_id, n->tvb, n->offset - size, size, (uint32_t)referent);
    }
    return true;
}

/* A unique uint32 parameter; 0 where the pointer is NULL. */
static uint32_t
pointed_uint32(struct ndr *n, const char *label, int hf)
{
    proto_tree *outer = n->tree, *sub;
    uint32_t value = 0;

    if (begin_pointer(n, label, &sub)) {
        n->tree = sub;
        value = ndr_uint32(n, hf);
        n->tree = outer;
    }
    return value;
}

static uint32_t
pointed_type(struct ndr *n)
{
    proto_tree *sub;
    uint32_t type = 0;

    if (begin_pointer(n, "Pointer to Type (winreg_Type)", &sub)) {
        proto_item *item;

        type = ndr_uint32(n, -1);
        item = proto_tree_add_none_format(sub, winreg.type, n->tvb, n->offset - 4, 4, "Type: %s (%u)",
            val_to_str_const(type, value_type_vals, "unknown"), type);
        proto_item_set_hidden(proto_tree_add_uint(proto_item_add_subtree(item, ett_pointer), hf_value_type, n->tvb, n->offset - 4, 4, type));
    }
    return type;
}

/* Bytes that stand behind the data of a QueryValue answer: two unique parameters and the return code. */
static unsigned
answer_tail_size(const struct ndr *n)
{
    return ndr_is_64(n) ? 8 + 4 + 4 + 8 + 4 + 4 : 4 + 4 + 4 + 4 + 4;
}

/*
 * The array behind a pointer to data; n then stands behind it. Of a count that lies beyond the stub, what
 * stands before the last tail bytes is taken, so that those are still read.
 */
static tvbuff_t *
pointed_data(struct ndr *n, unsigned tail, proto_tree **sub)
{
    proto_tree *outer = n->tree;
    struct ndr_counts counts;
    unsigned left, size;
    tvbuff_t *data;

    if (!begin_pointer(n, "Pointer to Data (uint8)", sub)) {
        return NULL;
    }
    n->tree = *sub;
    counts = ndr_conformant_varying(n);
    n->tree = outer;
    left = ndr_remaining(n);
    size = (unsigned)MIN(counts.actual, left);
    if (counts.actual > left) {
        const unsigned alignment = ndr_is_64(n) ? 8 : 4;

        size = left > tail ? (left - tail) / alignment * alignment : left;
        proto_tree_add_expert_format(*sub, n->pinfo, &ei_array_count, n->tvb, n->offset - 4, 4,
            "the array announces %" PRIu64 " bytes, the stub has %u left: %u are taken", counts.actual, left, size);
    }
    data = tvb_new_subset_length(n->tvb, n->offset, (int)size);
    n->offset += (int)size;
    return data;
}

/* First pass: the key's handle at the start of a request, as far as it was captured, and the key if it is one of ours. */
static void
note_key(tvbuff_t *tvb, int offset, packet_info *pinfo, struct call *call)
{
    if (tvb_captured_length_remaining(tvb, offset) >= POLICY_HANDLE_SIZE) {
        tvb_memcpy(tvb, call->handle, offset, POLICY_HANDLE_SIZE);
        call->key = find_key(server_asked(pinfo), call->handle);
    }
}

/* The text of a winreg_String, without items, as far as it was captured. NULL where there is none. Packet scope. */
static const char *
read_string(struct ndr *n)
{
    const int alignment = ndr_is_64(n) ? 8 : 4;
    unsigned size;
    uint64_t count;

    ndr_align(n, alignment);
    /* Two lengths, aligned as one, a pointer and the array's three counts. */
    if (tvb_captured_length_remaining(n->tvb, n->offset) < 5 * alignment) {
        return NULL;
    }
    n->offset += 4;
    if (ndr_uint3264(n, -1) == 0) {
        return NULL;
    }
    ndr_uint3264(n, -1);
    ndr_uint3264(n, -1);
    count = ndr_uint3264(n, -1);
    if (count > UINT16_MAX) {
        return NULL;
    }
    size = MIN((unsigned)count * 2, (unsigned)tvb_captured_length_remaining(n->tvb, n->offset));
    return utf16_get(n->pinfo->pool, n->tvb, (unsigned)n->offset, utf16_measure(n->tvb, (unsigned)n->offset, size), ndr_encoding(n));
}

/* First pass: the stub of a QueryValue request up to the value name, without items. */
static void
read_request(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, struct call *call)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
    const char *name;
    unsigned language;

    note_key(tvb, offset, pinfo, call);
    name = read_string(&n);
    call->value_name = name == NULL ? NULL : wmem_strdup(wmem_file_scope(), line_text(pinfo->pool, name));
    if (call->key != NULL && call->key->names_only
        && (name == NULL || perfdata_asked(name, 0, &language) == PERFDATA_ASKED_BLOCK)) {
        call->key = NULL;
    }
}

static void
show_handle(struct ndr *n)
{
    proto_tree *sub = proto_tree_add_subtree(n->tree, n->tvb, n->offset, POLICY_HANDLE_SIZE, ett_handle, NULL,
        "Pointer to Handle (policy_handle)");

    proto_tree_add_item(sub, winreg.handle, n->tvb, n->offset, POLICY_HANDLE_SIZE, ENC_NA);
    n->offset += POLICY_HANDLE_SIZE;
}

/* What makes the call one of performance data: in the Info column and as an item of the protocol. unnamed: says what has no one value name. */
static void
show_call(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, const struct call *call, const char *unnamed)
{
    const char *name = call->value_name != NULL ? call->value_name : unnamed;
    const struct perfdata_key *key = call->key;
    proto_item *item;
    proto_tree *sub;

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerfData");
    if (call->value_name != NULL) {
        col_append_fstr(pinfo->cinfo, COL_INFO, ", %s", name);
    }
    if (tree == NULL) {
        return;
    }
    item = proto_tree_add_protocol_format(tree, proto_perfdata, tvb, offset, -1, "Windows Performance Data, %s", name);
    sub = proto_item_add_subtree(item, ett_perfdata);
    if (call->value_name != NULL) {
        proto_item_set_generated(proto_tree_add_string(sub, hf_value_name, tvb, 0, 0, name));
    }
    if (key->opened_in != 0) {
        proto_item_set_generated(proto_tree_add_uint(sub, hf_handle_opened_in, tvb, 0, 0, key->opened_in));
    }
    if (key->closed_in != 0) {
        proto_item_set_generated(proto_tree_add_uint(sub, hf_handle_closed_in, tvb, 0, 0, key->closed_in));
    }
    if (call->by_signature) {
        expert_add_info(pinfo, item, &ei_recognised);
    }
}

static void
show_value_name(struct ndr *n)
{
    proto_tree *outer = n->tree, *sub;
    proto_item *item;
    const int start = n->offset;

    n->tree = proto_tree_add_subtree(outer, n->tvb, start, -1, ett_name, &item, "Value Name: ");
    ndr_align(n, ndr_is_64(n) ? 8 : 4);
    proto_tree_add_item(n->tree, winreg.name_len, n->tvb, n->offset, 2, ndr_encoding(n));
    proto_tree_add_item(n->tree, winreg.name_size, n->tvb, n->offset + 2, 2, ndr_encoding(n));
    n->offset += 4;
    if (begin_pointer(n, "Value Name", &sub)) {
        struct ndr_wstring name;
        const char *text;

        n->tree = sub;
        text = ndr_wstring(n, winreg.value_name, &name);
        proto_item_append_text(item, "%s", text);
        if (name.overrun) {
            expert_add_info_format(n->pinfo, name.item, &ei_array_count, "the value name is longer than the stub");
        }
    }
    proto_item_set_len(item, n->offset - start);
    n->tree = outer;
}

static int
dissect_query_value_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    struct ndr n = { tvb, offset, pinfo, tree, di, drep };
    struct call *call;
    proto_tree *sub;
    tvbuff_t *data;
    uint32_t room;

    if (!is_enabled()) {
        return ask_winreg(original_request, tvb, offset, pinfo, tree, di, drep);
    }
    call = find_call(di);
    if (call == NULL) {
        call = add_call(di);
        read_request(tvb, offset, pinfo, di, drep, call);
    }
    if (call->key == NULL) {
        return ask_winreg(original_request, tvb, offset, pinfo, tree, di, drep);
    }
    show_call(pinfo, tree, tvb, offset, call, UNKNOWN_VALUE);
    show_handle(&n);
    show_value_name(&n);
    pointed_type(&n);
    data = pointed_data(&n, ndr_is_64(&n) ? 8 + 4 + 4 + 8 + 4 : 4 + 4 + 4 + 4, &sub);
    if (data != NULL && tvb_reported_length(data) > 0) {
        /* Clients send the buffer they offer, filled or not: nothing to read in it. */
        proto_tree_add_item(sub, hf_offered, data, 0, (int)tvb_captured_length(data), ENC_NA);
    }
    room = pointed_uint32(&n, "Pointer to Data Size (uint32)", winreg.data_size);
    col_append_fstr(pinfo->cinfo, COL_INFO, ", room for %u bytes", room);
    pointed_uint32(&n, "Pointer to Data Length (uint32)", winreg.data_length);
    return n.offset;
}

/* Where the data and the return code of a QueryValue answer are. */
struct answer {
    tvbuff_t *data;             /* NULL: none */
    proto_tree *data_tree;
    uint32_t error;
    bool has_error;             /* false: the capture ends before it */
};

static void
read_answer_data(struct ndr *n, struct answer *answer)
{
    pointed_type(n);
    answer->data = pointed_data(n, answer_tail_size(n), &answer->data_tree);
}

/* What stands behind the data. */
static void
read_answer_tail(struct ndr *n, struct answer *answer)
{
    if (tvb_captured_length_remaining(n->tvb, n->offset) < (int)answer_tail_size(n)
        && tvb_captured_length(n->tvb) < tvb_reported_length(n->tvb)) {
        return;
    }
    pointed_uint32(n, "Pointer to Data Size (uint32)", winreg.data_size);
    pointed_uint32(n, "Pointer to Data Length (uint32)", winreg.data_length);
    answer->error = ndr_uint32(n, winreg.error);
    answer->has_error = true;
}

/* Where the data of an answer begin with the signature, without items; false where that can't be told. */
static bool
answer_is_block(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep)
{
    struct ndr n = { tvb, offset, pinfo, NULL, di, drep };
    const int pointer = ndr_is_64(&n) ? 8 : 4;
    const int left = tvb_captured_length_remaining(tvb, offset);

    /* Type, pointer and counts take eight items of at most 8 bytes. */
    if (left < 6 * pointer + 4 + 8 || ndr_uint3264(&n, -1) == 0) {
        return false;
    }
    ndr_uint32(&n, -1);
    ndr_align(&n, pointer);
    if (ndr_uint3264(&n, -1) == 0) {
        return false;
    }
    ndr_uint3264(&n, -1);
    ndr_uint3264(&n, -1);
    return ndr_uint3264(&n, -1) >= 8 && tvb_captured_length_remaining(tvb, n.offset) >= 8
        && perfdata_has_signature(tvb_get_ptr(tvb, n.offset, 8), 8);
}

/* A call whose handle is not known: performance data shows itself. */
static void
recognise(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, struct call *call)
{
    struct catalog_server *server = server_answering(pinfo);

    if (answer_is_block(tvb, offset, pinfo, di, drep)
        || (call->value_name != NULL && perfdata_asked_is_unmistakable(call->value_name))) {
        call->by_signature = true;
        /* An earlier answer may have made the same handle known since the request. */
        call->key = find_key(server, call->handle);
        if (call->key == NULL) {
            call->key = add_key(server, call->handle, PERFDATA_LANGUAGE_ENGLISH, 0);
        }
    }
}

/* data begin with the signature. */
static struct perfdata_poll *
read_block(packet_info *pinfo, tvbuff_t *data, struct call *call, bool is_sample)
{
    const unsigned captured = tvb_captured_length(data);
    struct catalog_server *server = server_answering(pinfo);
    const struct perfdata_block *block;
    struct perfdata_poll *poll;
    const char *name = NULL;

    block = perfdata_block_read(pinfo->pool, tvb_get_ptr(data, 0, (int)captured), captured, tvb_reported_length(data));
    if (block->name_size > 0) {
        name = (const char *)tvb_get_string_enc(pinfo->pool, data, (int)block->name_start, (int)block->name_size,
            ENC_UTF_16 | (block->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN));
    }
    if (call->value_name != NULL && perfdata_asked_is_foreign(call->value_name)) {
        /* Another computer's: it names itself, and this server's names are not its names. */
        poll = perfdata_poll_new(pinfo->pool, data, block, NULL, name != NULL ? name : "?");
    } else {
        if (name != NULL && !call->answered) {
            catalog_learn_machine(server, name);
        }
        poll = perfdata_poll_new(pinfo->pool, data, block, server, catalog_host(server));
    }
    if (!call->answered && call->sample == NULL && is_sample && !block->incomplete && !block->cut_by_capture && call->value_name != NULL) {
        struct series_store *series = perfdata_series(&pinfo->dst, server, call->value_name);

        call->sample = perfdata_poll_remember(poll, series, pinfo->num);
    }
    if (call->sample != NULL && perfdata_poll_is_sample(poll, call->sample)) {
        poll->sample = call->sample;
    }
    return poll;
}

/* Every value of a sample, for the tables of values. */
static void
tap_values(packet_info *pinfo, const struct perfdata_poll *poll, unsigned num_values)
{
    const struct perfdata_block *block = poll->block;
    struct perf_tap_sample *samples;
    struct perf_tap_poll *tapped;

    if (poll->sample == NULL || !have_tap_listener(tap_poll)) {
        return;
    }
    samples = wmem_alloc_array(pinfo->pool, struct perf_tap_sample, num_values + 1);
    tapped = wmem_new0(pinfo->pool, struct perf_tap_poll);
    tapped->host = poll->host;
    filetime_to_nstime(&tapped->time, block->perf_time_100ns);
    tapped->samples = samples;
    for (unsigned o = 0; o < block->objects_read; o++) {
        const struct perfdata_object *object = &block->objects[o];

        for (unsigned i = 0; i < object->instances_read; i++) {
            for (unsigned c = 0; c < object->counters_read; c++) {
                struct perf_tap_sample *sample = &samples[tapped->num_samples];
                const struct series_poll *before;

                sample->path = perfdata_poll_path(poll, o, i, c);
                if (sample->path == NULL) {
                    continue;
                }
                tapped->num_samples++;
                sample->raw = 0;
                perfdata_block_number(block, &object->instances[i], &object->counters[c], &sample->raw);
                sample->cooked = perfdata_poll_cook(poll, o, i, c, &before);
                sample->text = sample->cooked.reason == COOK_TEXT
                    ? perfdata_poll_text(poll, object, &object->instances[i], &object->counters[c]) : NULL;
            }
        }
    }
    tap_queue_packet(tap_poll, pinfo, tapped);
}

static void
dissect_block(packet_info *pinfo, proto_tree *tree, tvbuff_t *data, struct call *call, bool is_sample)
{
    struct perfdata_poll *poll = read_block(pinfo, data, call, is_sample);
    unsigned values = 0;

    for (unsigned o = 0; o < poll->block->objects_read; o++) {
        values += poll->block->objects[o].counters_read * poll->block->objects[o].instances_read;
    }
    col_append_fstr(pinfo->cinfo, COL_INFO, ": %u object%s, %u value%s, %u bytes", poll->block->objects_read,
        plurality(poll->block->objects_read, "", "s"), values, plurality(values, "", "s"), tvb_reported_length(data));
    if (poll->sample != NULL && poll->sample->previous != NULL) {
        col_append_fstr(pinfo->cinfo, COL_INFO, ", %.3f s after frame %u", series_interval(poll->sample),
            poll->sample->previous->frame);
    }
    perfdata_tree_block(pinfo, tree, poll);
    tap_values(pinfo, poll, values);
}

static void
dissect_names(packet_info *pinfo, proto_tree *tree, tvbuff_t *data, struct call *call)
{
    unsigned language, entries;
    const enum perfdata_asked asked = perfdata_asked(call->value_name, call->key->unnamed_language, &language);
    struct perfdata_name_list *learn = NULL;

    if (!call->answered) {
        learn = perfdata_names_list(server_answering(pinfo), language, asked == PERFDATA_ASKED_HELP);
    }
    entries = perfdata_tree_names(pinfo, tree, data, asked, learn);
    col_append_fstr(pinfo->cinfo, COL_INFO, ": %u entr%s, %u bytes", entries, plurality(entries, "y", "ies"), tvb_reported_length(data));
}

static void
dissect_data(packet_info *pinfo, const struct answer *answer, struct call *call)
{
    const unsigned captured = tvb_captured_length(answer->data);
    const bool failed = answer->has_error && answer->error != 0;
    unsigned language;

    if (tvb_reported_length(answer->data) == 0) {
        return;
    }
    if (captured >= 8 && perfdata_has_signature(tvb_get_ptr(answer->data, 0, 8), 8)) {
        dissect_block(pinfo, answer->data_tree, answer->data, call, !failed);
    } else if (failed) {
        /* Servers return what the client offered, or what they had so far. */
        perfdata_tree_bytes(answer->data_tree, answer->data, "Data of a failed call, no sample");
    } else if (call->value_name != NULL && perfdata_asked(call->value_name, 0, &language) != PERFDATA_ASKED_BLOCK) {
        dissect_names(pinfo, answer->data_tree, answer->data, call);
    } else {
        perfdata_tree_bytes(answer->data_tree, answer->data,
            captured < tvb_reported_length(answer->data) ? "Data the capture cuts" : "Not a performance data block");
    }
}

static void
tap_close(packet_info *pinfo, const struct perfdata_key *key)
{
    struct perfdata_tap *tapped;

    if (key->closed_in != 0 && have_tap_listener(tap_perfdata)) {
        tapped = wmem_new0(pinfo->pool, struct perfdata_tap);
        tapped->key = key;
        tapped->is_close = true;
        tap_queue_packet(tap_perfdata, pinfo, tapped);
    }
}

static void
tap_answer(packet_info *pinfo, const dcerpc_info *di, const struct call *call, const struct answer *answer)
{
    struct perfdata_tap *tapped;

    if (!answer->has_error || !have_tap_listener(tap_perfdata)) {
        return;
    }
    tapped = wmem_new0(pinfo->pool, struct perfdata_tap);
    tapped->key = call->key;
    tapped->value_name = call->value_name;
    tapped->error = answer->error;
    tapped->size = answer->data != NULL ? tvb_reported_length(answer->data) : 0;
    if (call->sample != NULL && call->sample->previous != NULL) {
        tapped->has_interval = true;
        tapped->interval = series_interval(call->sample);
    }
    nstime_delta(&tapped->response_time, &pinfo->abs_ts, &di->call_data->req_time);
    tap_queue_packet(tap_perfdata, pinfo, tapped);
}

static int
dissect_query_value_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    struct ndr n = { tvb, offset, pinfo, tree, di, drep }, behind;
    struct answer answer = { NULL, NULL, 0, false };
    struct call *call;

    if (!is_enabled()) {
        return ask_winreg(original_response, tvb, offset, pinfo, tree, di, drep);
    }
    call = find_call(di);
    if (call == NULL) {
        call = add_call(di);
    }
    if (call->key == NULL && !call->answered) {
        recognise(tvb, offset, pinfo, di, drep, call);
    }
    if (call->key == NULL) {
        call->answered = true;
        return ask_winreg(original_response, tvb, offset, pinfo, tree, di, drep);
    }
    show_call(pinfo, tree, tvb, offset, call, UNKNOWN_VALUE);
    read_answer_data(&n, &answer);
    behind = n;
    behind.tree = NULL;
    read_answer_tail(&behind, &answer);
    if (answer.has_error && answer.error != 0) {
        col_append_fstr(pinfo->cinfo, COL_INFO, ", Error: %s", val_to_str_ext_const(answer.error, &win32_error_vals_ext, "unknown"));
    }
    /*
     * The return code says what the data are, but its item comes behind theirs: Wireshark 4.6 takes 50,000 items that
     * get no further in the packet for an endless loop.
     */
    TRY {
        if (answer.data != NULL) {
            dissect_data(pinfo, &answer, call);
        }
    }
    FINALLY {
        read_answer_tail(&n, &answer);
    }
    ENDTRY;
    call->answered = true;
    tap_answer(pinfo, di, call, &answer);
    if (!answer.has_error) {
        /* The snap length cut the rest: Wireshark says so. */
        tvb_ensure_bytes_exist(tvb, n.offset, (int)answer_tail_size(&n));
    }
    return n.offset;
}

static int
dissect_query_multiple_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    if (is_enabled() && find_call(di) == NULL) {
        struct call *call = add_call(di);

        note_key(tvb, offset, pinfo, call);
        if (call->key != NULL && call->key->names_only) {
            call->key = NULL;
        }
    }
    return ask_winreg(original_request, tvb, offset, pinfo, tree, di, drep);
}

/* One entry of values_out: where its value stands in the buffer. */
struct multiple_value {
    proto_tree *tree;
    proto_item *item;
    uint64_t name_referent;
    uint32_t length, offset;
};

/* The entries of values_out and, behind them, their names. Returns how many there are. */
static unsigned
read_multiple_values(struct ndr *n, struct multiple_value **out, struct call *call)
{
    const unsigned pointer = ndr_is_64(n) ? 8 : 4;
    const struct ndr_counts counts = ndr_conformant_varying(n);
    const unsigned count = (unsigned)MIN(counts.actual, ndr_remaining(n) / (pointer + 12));
    struct multiple_value *values = wmem_alloc0_array(n->pinfo->pool, struct multiple_value, count + 1);
    proto_tree *outer = n->tree, *sub;

    if (call->parts == NULL) {
        call->parts = wmem_alloc0_array(wmem_file_scope(), struct call, count + 1);
        call->num_parts = count;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t type;

        ndr_align(n, (int)pointer);
        values[i].tree = proto_tree_add_subtree_format(outer, n->tvb, n->offset, (int)pointer + 12, ett_name, &values[i].item, "Value %u: ", i);
        n->tree = values[i].tree;
        values[i].name_referent = ndr_uint3264(n, -1);
        values[i].length = ndr_uint32(n, winreg.value_length);
        values[i].offset = ndr_uint32(n, winreg.value_offset);
        type = ndr_uint32(n, -1);
        proto_tree_add_uint(n->tree, hf_value_type, n->tvb, n->offset - 4, 4, type);
    }
    for (unsigned i = 0; i < count; i++) {
        if (values[i].name_referent == 0) {
            continue;
        }
        n->tree = values[i].tree;
        ndr_align(n, (int)pointer);
        n->offset += 4;
        if (begin_pointer(n, "Value Name", &sub)) {
            struct ndr_wstring string;
            const char *name;

            n->tree = sub;
            name = line_text(n->pinfo->pool, ndr_wstring(n, hf_value_name, &string));
            proto_item_append_text(values[i].item, "%s", name);
            col_append_fstr(n->pinfo->cinfo, COL_INFO, ", %s", name);
            if (!call->answered && i < call->num_parts) {
                call->parts[i].value_name = wmem_strdup(wmem_file_scope(), name);
            }
        }
    }
    n->tree = outer;
    *out = values;
    return count;
}

/* The parts of a buffer that hold the data of each value. */
static void
dissect_parts(packet_info *pinfo, dcerpc_info *di, struct call *call, const struct multiple_value *values, unsigned count, tvbuff_t *buffer,
    uint32_t error)
{
    struct answer answer = { NULL, NULL, error, true };

    for (unsigned i = 0; buffer != NULL && i < count && i < call->num_parts; i++) {
        const unsigned size = tvb_reported_length(buffer);

        if (values[i].offset > size || values[i].length > size - values[i].offset) {
            expert_add_info_format(pinfo, values[i].item, &ei_array_count, "%u bytes at offset %u lie outside the buffer's %u", values[i].length,
                values[i].offset, size);
            continue;
        }
        answer.data = tvb_new_subset_length(buffer, (int)values[i].offset, (int)values[i].length);
        answer.data_tree = values[i].tree;
        call->parts[i].key = call->key;
        dissect_data(pinfo, &answer, &call->parts[i]);
        call->parts[i].answered = true;
        tap_answer(pinfo, di, &call->parts[i], &answer);
    }
}

/* The values, then what stands behind them: in this order, as with QueryValue. */
static void
dissect_parts_and_tail(struct ndr *n, struct call *call, const struct multiple_value *values, unsigned count, tvbuff_t *buffer)
{
    struct ndr behind = *n;
    uint32_t error;

    behind.tree = NULL;
    ndr_uint32(&behind, -1);
    error = ndr_uint32(&behind, -1);
    if (error != 0) {
        col_append_fstr(n->pinfo->cinfo, COL_INFO, ", Error: %s", val_to_str_ext_const(error, &win32_error_vals_ext, "unknown"));
    }
    TRY {
        dissect_parts(n->pinfo, n->di, call, values, count, buffer, error);
    }
    FINALLY {
        ndr_uint32(n, n->di->call_data->opnum == WINREG_QUERY_MULTIPLE_VALUES ? winreg.buffer_size : winreg.needed);
        ndr_uint32(n, winreg.error);
    }
    ENDTRY;
}

static int
dissect_query_multiple_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    struct ndr n = { tvb, offset, pinfo, tree, di, drep };
    struct call *call = is_enabled() ? find_call(di) : NULL;
    struct multiple_value *values;
    proto_tree *buffer_tree;
    tvbuff_t *buffer;
    unsigned count;

    if (call == NULL || call->key == NULL) {
        return ask_winreg(original_response, tvb, offset, pinfo, tree, di, drep);
    }
    show_call(pinfo, tree, tvb, offset, call, "several values");
    count = read_multiple_values(&n, &values, call);
    buffer = pointed_data(&n, 8, &buffer_tree);
    dissect_parts_and_tail(&n, call, values, count, buffer);
    call->answered = true;
    return n.offset;
}

/* The answer to whatever opened a key: a handle and a return code. First pass only. NULL where it was not opened. */
static struct perfdata_key *
read_opened(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, unsigned language)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
    uint8_t handle[POLICY_HANDLE_SIZE];

    if (tvb_captured_length_remaining(tvb, offset) < POLICY_HANDLE_SIZE + 4 || ndr_uint32(&n, -1) != 0) {
        return NULL;
    }
    tvb_memcpy(tvb, handle, offset, POLICY_HANDLE_SIZE);
    return add_key(server_answering(pinfo), handle, language, pinfo->num);
}

/* OpenPerformanceData, OpenPerformanceText and OpenPerformanceNlsText. */
static int
dissect_open_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    if (is_enabled() && find_call(di) == NULL) {
        add_call(di);
        read_opened(tvb, offset, pinfo, di, drep,
            di->call_data->opnum == WINREG_OPEN_PERFORMANCE_NLS_TEXT ? PERFDATA_LANGUAGE_UI : PERFDATA_LANGUAGE_ENGLISH);
    }
    return ask_winreg(original_response, tvb, offset, pinfo, tree, di, drep);
}

/* OpenKey of the key that holds the lists of names in a language: what is queried there is the same as of HKEY_PERFORMANCE_TEXT. */
static int
dissect_open_key_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    if (is_enabled() && find_call(di) == NULL) {
        struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
        const char *path = read_string(&n);
        unsigned language;

        if (path != NULL && perfdata_names_key(path, &language)) {
            add_call(di)->language = language;
        }
    }
    return ask_winreg(original_request, tvb, offset, pinfo, tree, di, drep);
}

static int
dissect_open_key_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    struct call *call = is_enabled() ? find_call(di) : NULL;

    if (call != NULL && !call->answered) {
        struct perfdata_key *key = read_opened(tvb, offset, pinfo, di, drep, call->language);

        if (key != NULL) {
            key->names_only = true;
        }
        call->answered = true;
    }
    return ask_winreg(original_response, tvb, offset, pinfo, tree, di, drep);
}

static int
dissect_close_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    if (is_enabled() && find_call(di) == NULL) {
        note_key(tvb, offset, pinfo, add_call(di));
    }
    return ask_winreg(original_request, tvb, offset, pinfo, tree, di, drep);
}

static int
dissect_close_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    struct call *call = is_enabled() ? find_call(di) : NULL;

    if (call != NULL && call->key != NULL && tvb_captured_length_remaining(tvb, offset) >= POLICY_HANDLE_SIZE + 4) {
        struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };

        if (!call->answered && ndr_uint32(&n, -1) == 0) {
            close_key(call->key, pinfo->num);
        }
        call->answered = true;
        tap_close(pinfo, call->key);
    }
    return ask_winreg(original_response, tvb, offset, pinfo, tree, di, drep);
}

static const struct {
    unsigned opnum;
    dcerpc_dissect_fnct_t *request;     /* NULL: winreg's own */
    dcerpc_dissect_fnct_t *response;
} operations[] = {
    { WINREG_OPEN_PERFORMANCE_DATA, NULL, dissect_open_response },
    { WINREG_CLOSE_KEY, dissect_close_request, dissect_close_response },
    { WINREG_OPEN_KEY, dissect_open_key_request, dissect_open_key_response },
    { WINREG_QUERY_VALUE, dissect_query_value_request, dissect_query_value_response },
    { WINREG_QUERY_MULTIPLE_VALUES, dissect_query_multiple_request, dissect_query_multiple_response },
    { WINREG_QUERY_MULTIPLE_VALUES_2, dissect_query_multiple_request, dissect_query_multiple_response },
    { WINREG_OPEN_PERFORMANCE_TEXT, NULL, dissect_open_response },
    { WINREG_OPEN_PERFORMANCE_NLS_TEXT, NULL, dissect_open_response },
};

static bool
find_winreg_fields(void)
{
    for (size_t i = 0; i < array_length(winreg_fields); i++) {
        *winreg_fields[i].hf = proto_registrar_get_id_byname(winreg_fields[i].name);
        if (*winreg_fields[i].hf < 0) {
            ws_warning("perfdata: this Wireshark has no field %s; performance data stay undissected", winreg_fields[i].name);
            return false;
        }
    }
    return true;
}

static void
hook_operation(dcerpc_sub_dissector *procedure)
{
    for (size_t i = 0; i < array_length(operations); i++) {
        if (operations[i].opnum == procedure->num && procedure->dissect_rqst != NULL && procedure->dissect_resp != NULL) {
            original_request[procedure->num] = procedure->dissect_rqst;
            original_response[procedure->num] = procedure->dissect_resp;
            if (operations[i].request != NULL) {
                procedure->dissect_rqst = operations[i].request;
            }
            if (operations[i].response != NULL) {
                procedure->dissect_resp = operations[i].response;
            }
        }
    }
}

/* Gives winreg a copy of its operation table with our functions in it; its own table is never written. */
static void
hook_winreg(void)
{
    guid_key key = { winreg_uuid, WINREG_VERSION };
    dcerpc_uuid_value *interface = (dcerpc_uuid_value *)g_hash_table_lookup(dcerpc_uuids, &key);
    dcerpc_sub_dissector *table;
    size_t count = 0;

    if (interface == NULL || !find_winreg_fields()) {
        return;
    }
    while (interface->procs[count].name != NULL) {
        count++;
    }
    table = (dcerpc_sub_dissector *)wmem_memdup(wmem_epan_scope(), interface->procs, (count + 1) * sizeof *table);
    for (size_t i = 0; i < count; i++) {
        hook_operation(&table[i]);
    }
    interface->procs = table;
}

void
proto_register_perfdata(void)
{
#define FIELD(field, title, name, type, display, strings, blurb) \
    { &hf_ ## field, { title, "perfdata." name, type, display, strings, 0, blurb, HFILL } }
    static hf_register_info hf[] = {
        FIELD(value_name, "Value name", "value_name", FT_STRING, BASE_NONE, NULL, "What the request asked for"),
        FIELD(value_type, "Type", "value_type", FT_UINT32, BASE_DEC, VALS(value_type_vals), "Type of the registry value"),
        FIELD(offered, "Buffer offered", "offered", FT_BYTES, BASE_NONE, NULL, "The client's buffer, whatever is in it"),
        FIELD(handle_opened_in, "Opened in", "handle.opened_in", FT_FRAMENUM, BASE_NONE, NULL, NULL),
        FIELD(handle_closed_in, "Closed in", "handle.closed_in", FT_FRAMENUM, BASE_NONE, NULL, NULL),
    };
#undef FIELD
    static int *ett[] = { &ett_perfdata, &ett_pointer, &ett_handle, &ett_name };
    static ei_register_info ei[] = {
        { &ei_array_count, { "perfdata.array_count", PI_MALFORMED, PI_ERROR, "An array longer than the stub", EXPFILL } },
        { &ei_recognised, { "perfdata.recognised", PI_ASSUMPTION, PI_CHAT,
            "Performance data by the look of the value: the handle's opening is not in the capture", EXPFILL } },
    };
    module_t *module;

    proto_perfdata = proto_register_protocol("Windows Performance Data", "PerfData", "perfdata");
    module = prefs_register_protocol(proto_perfdata, NULL);
    proto_register_field_array(proto_perfdata, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto_perfdata), ei, array_length(ei));
    perfdata_tree_register(proto_perfdata, module);
    tap_perfdata = register_tap("perfdata");
    tap_poll = register_tap("perfdata_poll");
    stats_perfdata_register();
    stats_counters_register("perfdata", "perfdata_poll", "Windows Performance Data");
    perfdata_names_init();
    perfdata_poll_init();
    calls = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    keys = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), handle_id_hash, handle_id_equal);
}

void
proto_reg_handoff_perfdata(void)
{
    ndr_init();
    hook_winreg();
}
