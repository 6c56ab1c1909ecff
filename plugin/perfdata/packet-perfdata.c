/* packet-perfdata.c
 * HKEY_PERFORMANCE_DATA, the older API: performance data in the answers of the remote registry
 *
 * [MS-RRP] 3.1.5.4, 3.1.5.15, 3.1.5.17, 3.1.5.28 to 3.1.5.30. Items of winreg remain; items of perfdata are added
 * next to them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <epan/conversation_filter.h>
#include <epan/exceptions.h>
#include <epan/tap.h>

#include "base/menus.h"
#include "base/win32-names.h"
#include "plugin.h"
#include "session/session-pdu.h"

static int proto_perfdata = -1;

static int hf_perfdata_value_name = -1;
static int hf_perfdata_offered = -1;
static int hf_perfdata_handle_opened_in = -1;
static int hf_perfdata_handle_closed_in = -1;
static int hf_perfdata_fault = -1;
static int hf_perfdata_fault_request_in = -1;
static int hf_perfdata_response_ms = -1;

static int tap_return = -1;

static int ett_perfdata = -1;
static int ett_perfdata_value = -1;

static expert_field ei_perfdata_recognised = EI_INIT;
static expert_field ei_perfdata_faulted = EI_INIT;
static expert_field ei_perfdata_growing_buffer = EI_INIT;
static expert_field ei_perfdata_poll_overlap = EI_INIT;
static expert_field ei_perfdata_poll_late = EI_INIT;
static expert_field ei_perfdata_poll_twice = EI_INIT;

static const struct rpc_fault_items fault_items = { &hf_perfdata_fault, &hf_perfdata_fault_request_in,
    &hf_perfdata_response_ms, &ei_perfdata_faulted };
static const struct request_items request_items = { &ei_perfdata_growing_buffer, &ei_perfdata_poll_overlap,
    &ei_perfdata_poll_late, &ei_perfdata_poll_twice };

static const struct rpc_listener listener;

#define UNKNOWN_VALUE "value name not in the capture"

static bool
is_enabled(void)
{
    return proto_is_protocol_enabled(find_protocol_by_id(proto_perfdata));
}

/*
 * Returns the server whose names apply to the call's title indexes; NULL if the call requests another computer's data.
 */
static const struct server *
names_of(const struct perfdata_call *call)
{
    return perfdata_asked_is_foreign(call->value_name) ? NULL : call->server != NULL ? call->server : call->key->server;
}

static const char *
describe(packet_info *pinfo, const struct perfdata_call *call)
{
    return perfdata_names_describe(names_of(call), call->value_name, pinfo->num, pinfo->pool);
}

/* Queues the return code of an answer. */
static void
tap_return_code(packet_info *pinfo, struct perfdata_return returned)
{
    if (have_tap_listener(tap_return)) {
        tap_queue_packet(tap_return, pinfo, wmem_memdup(pinfo->pool, &returned, sizeof returned));
    }
}

static bool
asks_values(const struct perfdata_call *call)
{
    return call->value_name != NULL && perfdata_asked(call->value_name, NULL) == PERFDATA_ASKED_BLOCK;
}

static unsigned
values_in(const struct perfdata_answer *answer)
{
    return answer->poll == NULL ? 0 : perfdata_block_values(answer->poll->block);
}

/* Sets the Protocol column, and appends the value name to the Info column. */
static void
say_value(packet_info *pinfo, const struct perfdata_call *call)
{
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerfData");
    if (call->value_name != NULL) {
        col_append_fstr(pinfo->cinfo, COL_INFO, ", %s", describe(pinfo, call));
    }
}

/* Writes the columns, without the text that packet-dcerpc wrote for earlier fragments of the call. */
static void
say_call(const struct ndr *n, const struct perfdata_call *call)
{
    fragment_text_drop(n->tvb, n->pinfo, n->di, "PerfData");
    say_value(n->pinfo, call);
}

static void
say_error(packet_info *pinfo, struct perfdata_answer *answer)
{
    if (answer->has_error && answer->error != 0) {
        perfdata_answer_say(pinfo, answer,
            wmem_strdup_printf(pinfo->pool, ", Error: %s",
                val_to_str_ext_const(answer->error, &win32_error_vals_ext, "unknown")));
    }
}

PERFLIB_CONVERSATION_FILTER(perfdata_query, proto_perfdata, "perfdata.value_name", query_filter_of_texts_and_peers)

/* Adds the name of the requested value, and the frames in which the handle was opened and closed. */
static void
show_key(packet_info *pinfo, proto_tree *sub, tvbuff_t *tvb, const struct perfdata_call *call)
{
    const struct perfdata_key *key = call->key;

    if (call->value_name != NULL) {
        proto_item_set_generated(proto_tree_add_string(sub, hf_perfdata_value_name, tvb, 0, 0, call->value_name));
        perfdata_tree_requested(pinfo, sub, tvb, names_of(call), call->value_name);
        query_filter_add(pinfo, proto_perfdata, call->value_name);
    }
    for (unsigned i = 0; i < call->num_parts; i++) {
        if (call->parts[i].value_name != NULL) {
            query_filter_add(pinfo, proto_perfdata, call->parts[i].value_name);
        }
    }
    if (key->opened_in != 0) {
        proto_item_set_generated(proto_tree_add_uint(sub, hf_perfdata_handle_opened_in, tvb, 0, 0, key->opened_in));
    }
    if (key->closed_in != 0) {
        proto_item_set_generated(proto_tree_add_uint(sub, hf_perfdata_handle_closed_in, tvb, 0, 0, key->closed_in));
    }
}

/*
 * Adds the protocol's item next to winreg's. Returns its subtree, which holds the contents of the answer. unnamed: text
 * if there is no single value name. said: summary from the Info column, or NULL.
 */
static proto_tree *
show_call(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, const struct perfdata_call *call,
    const char *unnamed, const char *said)
{
    proto_item *item = NULL;
    proto_tree *sub;

    if (tree == NULL && !expert_items_are_asked(NULL)) {
        return NULL;
    }
    if (tree != NULL) {
        item = proto_tree_add_protocol_format(proto_tree_get_root(tree), proto_perfdata, tvb, offset, -1,
            "Windows Performance Data, %s", call->value_name != NULL ? describe(pinfo, call) : unnamed);
    }
    if (said != NULL) {
        item_label_append(pinfo->pool, item, said);
    }
    sub = proto_item_add_subtree(item, ett_perfdata);
    show_key(pinfo, sub, tvb, call);
    if (call->by_signature) {
        expert_add_info(pinfo, item, &ei_perfdata_recognised);
    }
    return sub;
}

/*
 * Returns the size of the parameters after the data of a QueryValue: two unique parameters and, in an answer, the
 * return code.
 */
static unsigned
tail_size(const struct ndr *n, bool is_answer)
{
    return (ndr_is_64(n) ? 8 + 4 + 4 + 8 + 4 : 4 + 4 + 4 + 4) + (is_answer ? 4 : 0);
}

/* Shows a call that is not read, since Wireshark was told not to reassemble it and passes only its first fragment. */
static int
skip_fragment(struct ndr *n, const struct perfdata_call *call, const char *unnamed)
{
    static const char said[] = ", fragments not reassembled";

    say_call(n, call);
    col_append_str(n->pinfo->cinfo, COL_INFO, said);
    show_call(n->pinfo, n->tree, n->tvb, n->offset, call, unnamed, said);
    return (int)tvb_reported_length(n->tvb);
}

static int
dissect_query_value_request(struct ndr *n)
{
    struct perfdata_call *call;
    proto_tree *ours, *sub;
    tvbuff_t *data;
    const char *room;

    if (!is_enabled()) {
        return rpc_hook_ask_wireshark(n, false);
    }
    call = perfdata_call_find(n->di);
    if (call == NULL) {
        call = perfdata_call_get(n->di);
        perfdata_call_note_value(call, n);
        if (call->key != NULL) {
            perfdata_efficiency_request(call, n->pinfo, n->di, tvb_reported_length(n->tvb));
        }
    }
    session_pdu_note(session_pdu_of(n->pinfo), n->pinfo, n->di, &listener, call);
    if (call->key == NULL) {
        return rpc_hook_ask_wireshark(n, false);
    }
    perfdata_missing_request(n->pinfo, call);
    if (asks_values(call)) {
        tap_return_code(n->pinfo, (struct perfdata_return){ .operation = NULL });
    }
    if (session_pdu_lacks_end(session_pdu_of(n->pinfo))) {
        return skip_fragment(n, call, UNKNOWN_VALUE);
    }
    say_call(n, call);
    ours = show_call(n->pinfo, n->tree, n->tvb, n->offset, call, UNKNOWN_VALUE, NULL);
    request_state_show(call->finding, false, &request_items, n->pinfo, ours, n->tvb);
    winreg_handle(n);
    winreg_value_name(n);
    winreg_type(n);
    data = winreg_data(n, tail_size(n, false), &sub);
    if (data != NULL && tvb_reported_length(data) > 0) {
        /* Clients send their buffer, filled or not; its contents have no meaning. */
        proto_tree_add_item(sub, hf_perfdata_offered, data, 0, (int)tvb_captured_length(data), ENC_NA);
    }
    room = wmem_strdup_printf(n->pinfo->pool, ", room for %u bytes", winreg_data_size(n));
    col_append_str(n->pinfo->cinfo, COL_INFO, room);
    item_label_append(n->pinfo->pool, proto_tree_get_parent(ours), room);
    winreg_data_length(n);
    return n->offset;
}

static int
dissect_query_multiple_request(struct ndr *n)
{
    struct perfdata_call *call = is_enabled() ? perfdata_call_find(n->di) : NULL;

    if (is_enabled() && call == NULL) {
        call = perfdata_call_get(n->di);
        perfdata_call_note_key(call, n);
        if (call->key != NULL && call->key->names_only) {
            call->key = NULL;
        }
    }
    session_pdu_note(session_pdu_of(n->pinfo), n->pinfo, n->di, &listener, call);
    if (call != NULL && call->key != NULL) {
        say_call(n, call);
        /* On the first pass there are no parts yet: the answer shows how many values were requested. */
        for (unsigned i = 0; i < call->num_parts; i++) {
            if (call->parts[i].value_name != NULL) {
                col_append_fstr(n->pinfo->cinfo, COL_INFO, "%s %s", i == 0 ? "," : ";",
                    describe(n->pinfo, &call->parts[i]));
            }
        }
    }
    return rpc_hook_ask_wireshark(n, false);
}

/* An entry of values_out: position of its value in the buffer */
struct multiple_value {
    proto_tree *tree;
    proto_item *item;
    int at;           /* offset of the value's length field, which precedes the value's offset field */
    const char *name; /* printable; NULL: none */
    uint64_t name_referent;
    uint32_t length, offset;
    bool is_outside; /* the value exceeds the buffer */
    bool is_shared;  /* not read: the values overlap, and together exceed MAX_SHARED times the buffer */
    struct perfdata_answer answer;
};

struct multiple_values {
    struct multiple_value *values;
    unsigned count;
};

static void
read_entry(struct ndr *n, struct multiple_value *value, unsigned index)
{
    const int pointer = ndr_is_64(n) ? 8 : 4;
    proto_tree *outer = n->tree;

    ndr_align(n, pointer);
    value->tree = proto_tree_add_subtree_format(outer, n->tvb, n->offset, pointer + 12, ett_perfdata_value,
        &value->item, "Value %u: ", index);
    n->tree = value->tree;
    value->name_referent = ndr_uint3264(n, -1);
    value->at = n->offset;
    value->length = ndr_uint32(n, winreg.value_length);
    value->offset = ndr_uint32(n, winreg.value_offset);
    winreg_plain_type(n);
    n->tree = outer;
}

static void
read_entry_name(struct ndr *n, struct multiple_value *value)
{
    proto_tree *outer = n->tree, *sub;
    struct ndr_wstring string;

    if (value->name_referent == 0) {
        return;
    }
    n->tree = value->tree;
    ndr_align(n, ndr_is_64(n) ? 8 : 4);
    n->offset += 4;
    if (winreg_pointer(n, "Value Name", &sub)) {
        n->tree = sub;
        value->name =
            line_text_max(n->pinfo->pool, ndr_wstring(n, hf_perfdata_value_name, &string), PERFDATA_VALUE_NAME_MAX);
        proto_item_append_text(value->item, "%s", value->name);
    }
    n->tree = outer;
}

/* Reads the entries of values_out and the names after them. */
static void
read_entries(struct ndr *n, struct multiple_values *out)
{
    const unsigned pointer = ndr_is_64(n) ? 8 : 4;
    const struct ndr_counts counts = ndr_conformant_varying(n);
    const unsigned count = (unsigned)MIN(counts.actual, ndr_remaining(n) / (pointer + 12));

    if (out->values == NULL) {
        out->values = wmem_alloc0_array(n->pinfo->pool, struct multiple_value, count + 1);
        out->count = count;
    }
    for (unsigned i = 0; i < count; i++) {
        read_entry(n, &out->values[i], i);
    }
    for (unsigned i = 0; i < count; i++) {
        read_entry_name(n, &out->values[i]);
    }
}

/* Size of the parameters after the values: buffer size and return code */
#define MULTIPLE_TAIL_SIZE 8u

/*
 * Returns the call's state for one value. The state is empty and temporary if the answer is not the call's valid one
 * (is_own false).
 */
static struct perfdata_call *
part_of(struct ndr *n, struct perfdata_call *call, unsigned index, bool is_own, const char *name)
{
    struct perfdata_call *part;

    if (!is_own || index >= call->num_parts) {
        part = wmem_new0(n->pinfo->pool, struct perfdata_call);
        part->value_name = name;
    } else {
        part = &call->parts[index];
        if (!part->answered && name != NULL) {
            part->value_name = wmem_strdup(wmem_file_scope(), name);
        }
    }
    part->key = call->key;
    return part;
}

/*
 * Maximum size of all values together, in multiples of the buffer's size. Without a limit, a block would be read once
 * for each entry that points to it.
 */
#define MAX_SHARED 4u

/* Reads the contents of each value in the answer. */
static void
perfdata_read_values(struct ndr *n, struct perfdata_call *call, struct multiple_values *out,
    const struct perfdata_answer *whole)
{
    const unsigned size = whole->data != NULL ? tvb_reported_length(whole->data) : 0;
    uint64_t left = (uint64_t)MAX_SHARED * size;

    if (whole->is_own && call->parts == NULL) {
        call->parts = wmem_alloc0_array(wmem_file_scope(), struct perfdata_call, out->count + 1);
        call->num_parts = out->count;
    }
    for (unsigned i = 0; i < out->count; i++) {
        struct multiple_value *value = &out->values[i];

        if (value->name != NULL) {
            col_append_fstr(n->pinfo->cinfo, COL_INFO, "%s %s", i == 0 ? "," : ";",
                perfdata_names_describe(perfdata_asked_is_foreign(value->name) ? NULL : call->key->server, value->name,
                    n->pinfo->num, n->pinfo->pool));
        }
        value->is_outside = value->offset > size || value->length > size - value->offset;
        value->is_shared = !value->is_outside && value->length > left;
        if (whole->data != NULL && !value->is_outside && !value->is_shared) {
            left -= value->length;
            value->answer = *whole;
            value->answer.data = tvb_new_subset_length(whole->data, (int)value->offset, (int)value->length);
            perfdata_answer_read(n->pinfo, n->di, part_of(n, call, i, whole->is_own, value->name), &value->answer);
        }
    }
}

static void
perfdata_show_values(const struct ndr *n, proto_tree *tree, const struct multiple_values *all, tvbuff_t *buffer)
{
    wmem_allocator_t *pool = n->pinfo->pool;
    proto_tree *sub;

    for (unsigned i = 0; buffer != NULL && i < all->count; i++) {
        const struct multiple_value *value = &all->values[i];

        if (value->is_outside) {
            winreg_tell_overrun(n, value->tree, value->at, 8,
                wmem_strdup_printf(pool, "%u bytes at offset %u are outside the buffer of %u bytes", value->length,
                    value->offset, tvb_reported_length(buffer)));
        } else if (value->is_shared) {
            winreg_tell_overrun(n, value->tree, value->at, 8,
                wmem_strdup_printf(pool, "%u bytes at offset %u already belong to other values: not read",
                    value->length, value->offset));
        } else {
            sub = proto_tree_add_subtree_format(tree, value->answer.data, 0, -1, ett_perfdata_value, NULL,
                "Value %u: %s", i, value->name != NULL ? value->name : "");
            perfdata_answer_show(n->pinfo, sub, &value->answer);
        }
    }
}

/*
 * Reads an answer's parameters up to its data, which are returned; NULL: none. several: receives the entries of
 * QueryMultipleValues; NULL: the call is QueryValue. sub NULL: adds no items for the data.
 */
static tvbuff_t *
read_to_data(struct ndr *n, struct multiple_values *several, proto_tree **sub)
{
    if (several == NULL) {
        winreg_type(n);
        return winreg_data(n, tail_size(n, true), sub);
    }
    read_entries(n, several);
    return winreg_data(n, MULTIPLE_TAIL_SIZE, sub);
}

/* Reads the parameters after the data of an answer. Returns its return code. */
static uint32_t
read_tail(struct ndr *n, const struct multiple_values *several)
{
    if (several == NULL) {
        winreg_data_size(n);
        winreg_data_length(n);
    } else {
        winreg_buffer_size(n);
    }
    return ndr_uint32(n, winreg.error);
}

/* Reads the captured part of an answer; adds no items. */
static void
look_ahead(struct ndr n, struct multiple_values *several, struct perfdata_answer *answer)
{
    n.tree = NULL;
    TRY
    {
        answer->data = read_to_data(&n, several, NULL);
        answer->error = read_tail(&n, several);
        answer->has_error = true;
    }
    CATCH3(ReportedBoundsError, FragmentBoundsError, ContainedBoundsError)
    {
        answer->is_broken = true;
    }
    CATCH(BoundsError)
    {
        /* The packet is truncated. Wireshark reports that when the items are added. */
    }
    ENDTRY;
}

/* Adds the items of an answer's parameters to winreg's tree, and those of its data to tree. Returns the end offset. */
static int
show_answer(struct ndr *n, proto_tree *tree, struct multiple_values *several, const struct perfdata_answer *answer)
{
    proto_tree *sub;

    read_to_data(n, several, &sub);
    /*
     * The return code's item is added after those of the data: Wireshark 4.6 considers 50,000 items that do not advance
     * in the packet an endless loop.
     */
    TRY
    {
        if (several == NULL) {
            perfdata_answer_show(n->pinfo, tree, answer);
        } else {
            perfdata_show_values(n, tree, several, answer->data);
        }
    }
    FINALLY
    {
        read_tail(n, several);
    }
    ENDTRY;
    return n->offset;
}

static void
show_response_time(const struct ndr *n, proto_tree *tree)
{
    if (!rpc_call_is_made_up(n->di)) {
        rpc_response_show(rpc_response_time(n->di->call_data->req_frame, &n->di->call_data->req_time, n->pinfo),
            hf_perfdata_response_ms, n->pinfo, tree, n->tvb);
    }
}

static int
dissect_query_value_response(struct ndr *n)
{
    struct perfdata_answer answer = { 0 };
    struct perfdata_call *call;
    proto_tree *ours;

    if (!is_enabled()) {
        return rpc_hook_ask_wireshark(n, true);
    }
    call = perfdata_call_get(n->di);
    if (call->key == NULL && (call->key_is_other || call->answered)) {
        return rpc_hook_ask_wireshark(n, true);
    }
    if (call->key != NULL && session_pdu_lacks_end(session_pdu_of(n->pinfo))) {
        return skip_fragment(n, call, UNKNOWN_VALUE);
    }
    look_ahead(*n, NULL, &answer);
    if (call->key == NULL && perfdata_answer_is_recognisable(answer.data, call->value_name)) {
        perfdata_call_recognised(call, n->pinfo, n->di);
    }
    if (call->key == NULL) {
        call->answered = true;
        return rpc_hook_ask_wireshark(n, true);
    }
    answer.is_own = first_answer_is_this(&call->first_answer, n->pinfo, session_packet_of(n->pinfo)->dissection);
    say_call(n, call);
    say_error(n->pinfo, &answer);
    answer.bytes = tvb_reported_length(n->tvb);
    perfdata_answer_read(n->pinfo, n->di, call, &answer);
    if (answer.has_error) {
        tap_return_code(n->pinfo,
            (struct perfdata_return){ "QueryValue", false, answer.error, answer.poll != NULL || asks_values(call),
                values_in(&answer) });
    }
    ours = show_call(n->pinfo, n->tree, n->tvb, n->offset, call, UNKNOWN_VALUE, answer.said);
    show_response_time(n, ours);
    if (answer.is_own) {
        request_state_show(call->finding, true, &request_items, n->pinfo, ours, n->tvb);
    }
    return show_answer(n, ours, NULL, &answer);
}

static int
dissect_query_multiple_response(struct ndr *n)
{
    struct perfdata_call *call = is_enabled() ? perfdata_call_find(n->di) : NULL;
    struct perfdata_answer whole = { 0 };
    struct multiple_values values = { 0 };
    proto_tree *ours;

    if (call == NULL || call->key == NULL) {
        return rpc_hook_ask_wireshark(n, true);
    }
    if (session_pdu_lacks_end(session_pdu_of(n->pinfo))) {
        return skip_fragment(n, call, "several values");
    }
    whole.is_own = first_answer_is_this(&call->first_answer, n->pinfo, session_packet_of(n->pinfo)->dissection);
    look_ahead(*n, &values, &whole);
    say_call(n, call);
    perfdata_read_values(n, call, &values, &whole);
    say_error(n->pinfo, &whole);
    if (whole.has_error) {
        unsigned count = 0;

        for (unsigned i = 0; i < values.count; i++) {
            count += values_in(&values.values[i].answer);
        }
        tap_return_code(n->pinfo,
            (struct perfdata_return){ "QueryMultipleValues", false, whole.error, count != 0, count });
    }
    ours = show_call(n->pinfo, n->tree, n->tvb, n->offset, call, "several values", whole.said);
    show_response_time(n, ours);
    return show_answer(n, ours, &values, &whole);
}

/* OpenPerformanceData, OpenPerformanceText and OpenPerformanceNlsText */
static int
dissect_open_response(struct ndr *n)
{
    const unsigned opnum = n->di->call_data->opnum;

    if (is_enabled() && perfdata_call_find(n->di) == NULL) {
        perfdata_call_get(n->di);
        perfdata_call_opened(n,
            opnum == WINREG_OPEN_PERFORMANCE_NLS_TEXT ? PERFDATA_LANGUAGE_UI : PERFDATA_LANGUAGE_ENGLISH);
    }
    if (is_enabled() && tvb_bytes_exist(n->tvb, n->offset + POLICY_HANDLE_SIZE, 4)) {
        tap_return_code(n->pinfo,
            (struct perfdata_return){ .operation = opnum == WINREG_OPEN_PERFORMANCE_DATA ? "OpenPerformanceData"
                    : opnum == WINREG_OPEN_PERFORMANCE_TEXT                              ? "OpenPerformanceText"
                                                                                         : "OpenPerformanceNlsText",
                .is_open = true,
                .error = perflib_tvb_get_uint32(n->tvb, n->offset + POLICY_HANDLE_SIZE, ndr_encoding(n)) });
    }
    return rpc_hook_ask_wireshark(n, true);
}

/* Calls that open root keys without performance data */
static int
dissect_open_root_response(struct ndr *n)
{
    if (is_enabled() && perfdata_call_find(n->di) == NULL) {
        perfdata_call_get(n->di);
        perfdata_call_opened_key(NULL, n);
    }
    return rpc_hook_ask_wireshark(n, true);
}

/*
 * OpenKey and CreateKey. A key with lists of names is treated like HKEY_PERFORMANCE_TEXT. Values of other keys are
 * ignored, whatever they contain.
 */
static int
dissect_open_key_request(struct ndr *n)
{
    if (is_enabled() && perfdata_call_find(n->di) == NULL) {
        perfdata_call_note_path(perfdata_call_get(n->di), n);
    }
    return rpc_hook_ask_wireshark(n, false);
}

static int
dissect_open_key_response(struct ndr *n)
{
    struct perfdata_call *call = is_enabled() ? perfdata_call_find(n->di) : NULL;

    if (call != NULL && !call->answered) {
        perfdata_call_opened_key(call, n);
        call->answered = true;
    }
    return rpc_hook_ask_wireshark(n, true);
}

static int
dissect_close_request(struct ndr *n)
{
    if (is_enabled() && perfdata_call_find(n->di) == NULL) {
        perfdata_call_note_key(perfdata_call_get(n->di), n);
    }
    session_pdu_note(session_pdu_of(n->pinfo), n->pinfo, n->di, &listener, perfdata_call_find(n->di));
    return rpc_hook_ask_wireshark(n, false);
}

static int
dissect_close_response(struct ndr *n)
{
    struct perfdata_call *call = is_enabled() ? perfdata_call_find(n->di) : NULL;

    if (call != NULL) {
        if (!call->answered) {
            perfdata_call_closed(call, n);
        }
        call->answered = true;
        if (call->key != NULL) {
            perfdata_answer_closed(n->pinfo, call->key);
        }
    }
    return rpc_hook_ask_wireshark(n, true);
}

static enum perfdata_operation
operation_kind(const struct rpc_call *rpc)
{
    switch (rpc->has_opnum ? rpc->opnum : UINT16_MAX) {
    case WINREG_OPEN_PERFORMANCE_DATA:
    case WINREG_OPEN_PERFORMANCE_TEXT:
    case WINREG_OPEN_PERFORMANCE_NLS_TEXT: return PERFDATA_OPENS_DATA;
    case WINREG_OPEN_CLASSES_ROOT:
    case WINREG_OPEN_CURRENT_USER:
    case WINREG_OPEN_LOCAL_MACHINE:
    case WINREG_OPEN_USERS:
    case WINREG_OPEN_CURRENT_CONFIG:
    case WINREG_OPEN_DYN_DATA: return PERFDATA_OPENS_OTHER_ROOT;
    case WINREG_QUERY_VALUE:
    case WINREG_QUERY_MULTIPLE_VALUES:
    case WINREG_QUERY_MULTIPLE_VALUES_2: return PERFDATA_QUERIES_VALUES;
    default: return PERFDATA_OTHER_OPERATION;
    }
}

/* Returns whether a call answered by a fault concerns performance data, by its request. */
static bool
is_ours(const struct rpc_call *rpc, const struct perfdata_call *call)
{
    if (operation_kind(rpc) == PERFDATA_OPENS_DATA) {
        return true;
    }
    return call != NULL &&
        (call->key != NULL ||
            (!call->key_is_other && call->value_name != NULL && perfdata_asked_is_unmistakable(call->value_name)));
}

static const char *
perfdata_operation_name(const struct rpc_call *rpc)
{
    const char *name = rpc->has_opnum ? rpc_operation_name(&winreg_uuid, WINREG_VERSION, rpc->opnum) : NULL;

    return name != NULL ? name : "unknown operation";
}

static void
perfdata_show_fault(const struct rpc_fault *fault, const struct perfdata_call *call, const char *text, tvbuff_t *tvb,
    packet_info *pinfo, proto_tree *tree)
{
    const char *operation = perfdata_operation_name(fault->call);
    proto_item *item = tree == NULL
        ? NULL
        : proto_tree_add_protocol_format(proto_tree_get_root(tree), proto_perfdata, tvb, 0,
              (int)tvb_captured_length(tvb), "Windows Performance Data, %s, fault %s", operation, text);
    proto_tree *sub = proto_item_add_subtree(item, ett_perfdata);

    if (call != NULL && call->key != NULL) {
        show_key(pinfo, sub, tvb, call);
    }
    rpc_fault_show(fault, &fault_items, operation, pinfo, sub, tvb);
}

/* Shows a fault: nothing was opened or returned. */
static void
perfdata_dissect_fault(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    struct perfdata_call *call = (struct perfdata_call *)fault->call->state;
    const char *text = rpc_fault_text_of(pinfo->pool, fault);

    if (!is_enabled() || !is_ours(fault->call, call)) {
        return;
    }
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s response", perfdata_operation_name(fault->call));
    if (call != NULL && call->key != NULL) {
        say_value(pinfo, call);
    }
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerfData");
    col_append_fstr(pinfo->cinfo, COL_INFO, ", fault %s", text);
    perfdata_show_fault(fault, call, text, tvb, pinfo, tree);
    if (!fault->is_assumed &&
        (call == NULL || first_answer_is_this(&call->first_answer, pinfo, session_packet_of(pinfo)->dissection))) {
        if (call != NULL) {
            call->answered = true;
        }
        perfdata_answer_fault(pinfo, call, fault, perfdata_operation_name(fault->call));
    }
}

/* Queues a record about a registry PDU that was not decrypted. The PDU may or may not concern performance data. */
static void
perfdata_tell_unread(const struct rpc_unread *unread, packet_info *pinfo)
{
    if (is_enabled()) {
        perfdata_answer_unread(pinfo, unread, perfdata_operation_name(unread->call), operation_kind(unread->call));
    }
}

static const struct rpc_listener listener = {
    .fault = perfdata_dissect_fault,
    .unread = perfdata_tell_unread,
};

static const struct rpc_hook operations[] = {
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_CLASSES_ROOT, NULL, dissect_open_root_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_CURRENT_USER, NULL, dissect_open_root_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_LOCAL_MACHINE, NULL, dissect_open_root_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_PERFORMANCE_DATA, NULL, dissect_open_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_USERS, NULL, dissect_open_root_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_CREATE_KEY, dissect_open_key_request, dissect_open_key_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_CURRENT_CONFIG, NULL, dissect_open_root_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_CLOSE_KEY, dissect_close_request, dissect_close_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_KEY, dissect_open_key_request, dissect_open_key_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_QUERY_VALUE, dissect_query_value_request, dissect_query_value_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_QUERY_MULTIPLE_VALUES, dissect_query_multiple_request,
        dissect_query_multiple_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_QUERY_MULTIPLE_VALUES_2, dissect_query_multiple_request,
        dissect_query_multiple_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_PERFORMANCE_TEXT, NULL, dissect_open_response },
    { &winreg_uuid, WINREG_VERSION, WINREG_OPEN_PERFORMANCE_NLS_TEXT, NULL, dissect_open_response },
};

void
proto_register_perfdata(void)
{
    static hf_register_info hf[] = {
        { &hf_perfdata_value_name,
            { "Value name", "perfdata.value_name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the value that the client asked for", HFILL } },
        { &hf_perfdata_offered,
            { "Buffer offered", "perfdata.offered", FT_BYTES, BASE_NONE, NULL, 0,
                "Content of the client's buffer, meaningless", HFILL } },
        { &hf_perfdata_handle_opened_in,
            { "Opened in", "perfdata.handle.opened_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Answer that returned the handle of the registry key", HFILL } },
        { &hf_perfdata_handle_closed_in,
            { "Closed in", "perfdata.handle.closed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Answer to the request that closed the handle of the registry key", HFILL } },
        { &hf_perfdata_fault,
            { "Fault", "perfdata.fault", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &rpc_fault_vals_ext, 0,
                "Status of the fault that the server sent as the answer", HFILL } },
        { &hf_perfdata_fault_request_in,
            { "Request in frame", "perfdata.fault.request_in", FT_FRAMENUM, BASE_NONE,
                FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0, "Request that was answered with this fault", HFILL } },
        { &hf_perfdata_response_ms,
            { "Response time in ms", "perfdata.response_ms", FT_DOUBLE, BASE_CUSTOM, CF_FUNC(rpc_response_digits), 0,
                "Milliseconds from the request to this answer", HFILL } },
    };
    static int *ett[] = { &ett_perfdata, &ett_perfdata_value };
    static ei_register_info ei[] = {
        { &ei_perfdata_recognised,
            { "perfdata.recognised", PI_ASSUMPTION, PI_CHAT,
                "Recognised as performance data by its content: the opening of the handle was not captured",
                EXPFILL } },
        { &ei_perfdata_faulted,
            { "perfdata.faulted", PI_RESPONSE_CODE, PI_NOTE, "The server answered with a fault", EXPFILL } },
        { &ei_perfdata_growing_buffer,
            { "perfdata.growing_buffer", PI_SEQUENCE, PI_NOTE,
                "The client enlarged its buffer several times before the answer fitted", EXPFILL } },
        { &ei_perfdata_poll_overlap,
            { "perfdata.poll.overlap", PI_SEQUENCE, PI_NOTE, "The client polled again before the previous answer",
                EXPFILL } },
        { &ei_perfdata_poll_late,
            { "perfdata.poll.late", PI_SEQUENCE, PI_NOTE, "The poll is late, compared with the client's usual interval",
                EXPFILL } },
        { &ei_perfdata_poll_twice,
            { "perfdata.poll.twice", PI_SEQUENCE, PI_NOTE, "The client also polls the same value with another handle",
                EXPFILL } },
    };
    module_t *module;

    proto_perfdata = proto_register_protocol("Windows Performance Data", "PerfData", "perfdata");
    module = prefs_register_protocol(proto_perfdata, NULL);
    proto_register_field_array(proto_perfdata, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto_perfdata), ei, array_length(ei));
    winreg_register(proto_perfdata);
    perfdata_tree_register(proto_perfdata, module);
    perfdata_answer_init(proto_perfdata);
    perfdata_lone_block_register(proto_perfdata);
    tap_return = register_tap("perfdata_return");
    PERFLIB_REGISTER_CONVERSATION_FILTER("perfdata", "PerfData Value Name", perfdata_query);
}

static bool
perfdata_recognise(const struct stub_sample *sample, packet_info *pinfo _U_, struct stub_recognised *found)
{
    const char *name = winreg_proves(sample) ? rpc_operation_name(&winreg_uuid, WINREG_VERSION, sample->opnum) : NULL;

    if (name != NULL) {
        *found = (struct stub_recognised){ winreg_uuid, WINREG_VERSION, name };
    }
    return name != NULL;
}

void
proto_reg_handoff_perfdata(void)
{
    ndr_init();
    winreg_hook(operations, array_length(operations));
    stub_check_register(&winreg_uuid, winreg_sense, &listener, "winreg");
    stub_fit_register(&winreg_uuid, winreg_fit);
    stub_recogniser_register(perfdata_recognise);
}
