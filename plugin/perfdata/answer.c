/* answer.c
 * Contents of an answer for one value: a block, a list of names, or neither
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <epan/tap.h>
#include <wsutil/str_util.h>

#include "base/menus.h"
#include "base/win32-names.h"
#include "counters/missing.h"

static int tap_perfdata = -1;
static int tap_poll = -1;
static int tap_export = -1;
int tap_perfdata_missing = -1;

void
perfdata_answer_init(int proto)
{
    tap_perfdata = register_tap("perfdata");
    tap_poll = register_tap("perfdata_poll");
    tap_perfdata_missing = register_tap("perfdata_missing");
    tap_export = export_object_register(proto);
}

bool
perfdata_answer_is_recognisable(tvbuff_t *data, const char *value_name)
{
    const unsigned captured = data != NULL ? tvb_captured_length(data) : 0;

    if (captured > 0 && perfdata_has_header(tvb_get_ptr(data, 0, (int)captured), captured, tvb_reported_length(data))) {
        return true;
    }
    return value_name != NULL && perfdata_asked_is_unmistakable(value_name);
}

const char *
perfdata_answer_machine(packet_info *pinfo, const struct perfdata_block *block)
{
    return block->name_size == 0 ? NULL
                                 : line_text(pinfo->pool,
                                       utf16_from_bytes(pinfo->pool, block->data + block->name_start, block->name_size,
                                           block->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN));
}

/* Reads a block. data begins with the signature. */
static struct perfdata_poll *
perfdata_read_block(packet_info *pinfo, const dcerpc_info *di, tvbuff_t *data, struct perfdata_call *call,
    const struct perfdata_answer *answer)
{
    const bool teaches = answer->is_own && !answer->failed && !call->answered;
    const unsigned captured = tvb_captured_length(data);
    const bool foreign = call->value_name != NULL && perfdata_asked_is_foreign(call->value_name);
    const struct perfdata_block *block;
    struct perfdata_poll *poll;

    block = perfdata_block_read(pinfo->pool, tvb_get_ptr(data, 0, (int)captured), captured, tvb_reported_length(data));
    if (teaches) {
        perfdata_call_says(call, perfdata_answer_machine(pinfo, block), foreign, pinfo, di);
    }
    poll = perfdata_poll_new(pinfo, data, block, call->server != NULL ? call->server : call->key->server);
    if (teaches && !block->incomplete && !block->cut_by_capture && call->value_name != NULL) {
        struct series_store *series = perfdata_series(&pinfo->dst, poll->server, call->value_name, pinfo->pool);

        call->sample = perfdata_poll_remember(poll, series, pinfo->num, &call->position);
        poll->base.sample = call->sample;
        if (poll_has_unclaimed(&poll->base)) {
            perfdata_poll_fill_columns(poll);
            poll_claim_names(&poll->base);
        }
    } else if (answer->is_own && call->sample != NULL && perfdata_poll_is_sample(poll, call->sample)) {
        poll->base.sample = call->sample;
    }
    return poll;
}

/* Adds the text to the Info column, and keeps it for the label of the protocol's item. */
void
perfdata_answer_say(packet_info *pinfo, struct perfdata_answer *answer, const char *text)
{
    answer->said = wmem_strconcat(pinfo->pool, answer->said == NULL ? "" : answer->said, text, NULL);
    col_append_str(pinfo->cinfo, COL_INFO, text);
}

void
perfdata_answer_say_block(packet_info *pinfo, struct perfdata_answer *answer)
{
    const struct perfdata_poll *poll = answer->poll;
    const struct series_poll *sample = poll->base.sample;
    const struct perfdata_block *block = poll->block;
    const unsigned values = perfdata_block_values(block);
    const char *interval = "";

    if (block->header_only) {
        perfdata_answer_say(pinfo, answer, wmem_strdup_printf(pinfo->pool, ": header only, %u bytes", block->size));
        return;
    }
    if (sample != NULL && sample->previous != NULL) {
        interval = wmem_strdup_printf(pinfo->pool, "%s s after frame %u, ",
            number_text(pinfo->pool, "%.3f", series_interval(sample)), sample->previous->frame);
    }
    perfdata_answer_say(pinfo, answer,
        wmem_strdup_printf(pinfo->pool, ": %s%u object%s, %u value%s, %u bytes", interval, block->objects_read,
            plurality(block->objects_read, "", "s"), values, plurality(values, "", "s"), block->size));
}

/*
 * Returns the values of a sample for statistics, or NULL if no tap needs them. The answer to an uncaptured query is no
 * sample.
 */
static struct perf_tap_poll *
perfdata_tap_values(packet_info *pinfo, struct perfdata_poll *poll, const char *query, double seconds)
{
    struct perf_tap_poll *tapped;

    if (poll->base.sample == NULL || !(have_tap_listener(tap_poll) || have_tap_listener(tap_perfdata_missing))) {
        return NULL;
    }
    perfdata_poll_fill_rows(poll);
    tapped = poll_record(&poll->base, 0);
    tapped->host = server_host(poll->server);
    tapped->is_passed_on = query != NULL && perfdata_asked_is_foreign(query);
    tapped->query = query;
    tapped->seconds = seconds;
    tap_queue_packet(tap_poll, pinfo, tapped);
    return tapped;
}

void
perfdata_answer_say_names(packet_info *pinfo, struct perfdata_answer *answer, struct server *learn, unsigned language)
{
    const unsigned entries =
        perfdata_names_read(answer->data, learn, language, answer->asked, pinfo, &answer->is_damaged);

    perfdata_answer_say(pinfo, answer,
        wmem_strdup_printf(pinfo->pool, ": %u entr%s, %u bytes", entries, plurality(entries, "y", "ies"),
            tvb_reported_length(answer->data)));
}

/* Learns a list of names, in the first pass, and counts its entries. */
static void
perfdata_read_names(packet_info *pinfo, const dcerpc_info *di, struct perfdata_call *call,
    struct perfdata_answer *answer)
{
    unsigned language = call->key->unnamed_language;
    struct server *learn = NULL;

    answer->is_names = true;
    answer->asked = perfdata_asked(call->value_name, &language);
    if (answer->is_own && !call->answered) {
        learn = perfdata_call_names(call, pinfo, di);
    }
    perfdata_answer_say_names(pinfo, answer, learn, language);
}

/* Reads the data of an answer. Returns the values of a sample for statistics, or NULL if no tap needs them. */
static struct perf_tap_poll *
read_data(packet_info *pinfo, const dcerpc_info *di, struct perfdata_call *call, struct perfdata_answer *answer)
{
    nstime_t response_time;
    struct perf_tap_poll *values;

    if (tvb_captured_length(answer->data) >= 8 && perfdata_has_signature(tvb_get_ptr(answer->data, 0, 8), 8)) {
        answer->poll = perfdata_read_block(pinfo, di, answer->data, call, answer);
        perfdata_answer_say_block(pinfo, answer);
        response_time = rpc_response_time(call->request_frame, &di->call_data->req_time, pinfo);
        values = perfdata_tap_values(pinfo, answer->poll, call->value_name, nstime_to_sec(&response_time));
        if (values != NULL && call->request_bytes != 0) {
            values->bytes = call->request_bytes + answer->bytes;
        }
        return values;
    }
    if (!answer->failed && tvb_reported_length(answer->data) > 0 && call->value_name != NULL &&
        perfdata_asked(call->value_name, NULL) != PERFDATA_ASKED_BLOCK) {
        perfdata_read_names(pinfo, di, call, answer);
    }
    return NULL;
}

/* Returns a record about a handle for the tap "perfdata"; the caller adds the facts of its own event. */
static struct perfdata_tap *
perfdata_new_tapped(packet_info *pinfo, const struct perfdata_key *key)
{
    struct perfdata_tap *tapped = wmem_new0(pinfo->pool, struct perfdata_tap);

    tapped->key = key;
    tapped->handle = key->handle;
    tapped->host = server_host(key->server);
    tapped->opened_in = key->opened_in;
    tapped->closed_in = key->closed_in;
    return tapped;
}

static void
tap_answer(packet_info *pinfo, const dcerpc_info *di, const struct perfdata_call *call,
    const struct perfdata_answer *answer)
{
    struct perfdata_tap *tapped;

    if (!answer->has_error || !have_tap_listener(tap_perfdata)) {
        return;
    }
    tapped = perfdata_new_tapped(pinfo, call->key);
    tapped->value_name = call->value_name;
    tapped->failed = answer->error != 0;
    tapped->too_small = answer->error == WIN32_MORE_DATA;
    tapped->size = answer->data != NULL ? tvb_reported_length(answer->data) : 0;
    if (answer->poll != NULL && answer->poll->base.sample != NULL && answer->poll->base.sample->previous != NULL) {
        tapped->interval = series_interval(answer->poll->base.sample);
        /* After the clock was set back there is no valid interval. */
        tapped->has_interval = tapped->interval >= 0;
    }
    tapped->bytes = call->request_bytes != 0 ? call->request_bytes + answer->bytes : 0;
    tapped->finding = call->finding;
    tapped->response_time = rpc_response_time(di->call_data->req_frame, &di->call_data->req_time, pinfo);
    tap_queue_packet(tap_perfdata, pinfo, tapped);
}

/* Offers the data for export under the value's name; a list of names under a name with its language. */
static void
export_data(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer)
{
    const char *name = call->value_name == NULL ? "unnamed" : line_text(pinfo->pool, call->value_name);

    if (answer->is_names && call->value_name != NULL && !perfdata_asked_is_unmistakable(call->value_name) &&
        call->key->unnamed_language != PERFDATA_LANGUAGE_UI) {
        name = wmem_strdup_printf(pinfo->pool, "%s %03x", name, call->key->unnamed_language);
    }
    export_object_add(tap_export, pinfo, answer->data, server_host(call->key->server), name, name,
        answer->failed             ? ".failed"
            : answer->poll != NULL ? ".perfdata"
            : answer->is_names     ? ".names"
                                   : ".bin");
}

void
perfdata_answer_read(packet_info *pinfo, const dcerpc_info *di, struct perfdata_call *call,
    struct perfdata_answer *answer)
{
    struct perf_tap_poll *values = NULL;

    /* A return code cut off by the snap length is no failure; one that was never sent is. */
    answer->failed = answer->has_error ? answer->error != 0 : answer->is_broken;
    if (answer->data != NULL) {
        values = read_data(pinfo, di, call, answer);
        answer->not_answered = perfdata_missing_objects(pinfo, call, answer);
        export_data(pinfo, call, answer);
    }
    if (!call->answered) {
        perfdata_efficiency_answer(call, pinfo, di, answer);
    }
    if (values != NULL && call->finding != NULL) {
        values->wasted = call->finding->wasted;
    }
    call->answered |= answer->is_own;
    perfdata_missing_answer(pinfo, call, answer, values);
    if (answer->is_own) {
        tap_answer(pinfo, di, call, answer);
    }
}

void
perfdata_answer_show(packet_info *pinfo, proto_tree *tree, const struct perfdata_answer *answer)
{
    tvbuff_t *data = answer->data;

    if (data == NULL || tvb_reported_length(data) == 0) {
        return;
    }
    if (answer->poll != NULL) {
        perfdata_tree_block(pinfo, tree, answer->poll);
        perfdata_tree_not_answered(pinfo, tree, data, answer->not_answered);
    } else if (answer->is_names) {
        perfdata_tree_names(pinfo, tree, data, answer->asked);
    } else if (answer->failed) {
        /* In a failed call, servers return the buffer that the client sent, or what they had written so far. */
        perfdata_tree_bytes(tree, data, "Data of a failed call (not used)");
    } else {
        perfdata_tree_bytes(tree, data,
            tvb_captured_length(data) < tvb_reported_length(data) ? "Data truncated in the capture"
                                                                  : "Not a performance data block");
    }
}

void
perfdata_answer_closed(packet_info *pinfo, const struct perfdata_key *key)
{
    if (key->closed_in != 0 && have_tap_listener(tap_perfdata)) {
        struct perfdata_tap *tapped = perfdata_new_tapped(pinfo, key);

        tapped->is_close = true;
        tap_queue_packet(tap_perfdata, pinfo, tapped);
    }
}

void
perfdata_answer_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault,
    const char *operation)
{
    struct perfdata_tap *tapped;

    if (call != NULL && call->key != NULL && call->value_name != NULL) {
        perfdata_missing_fault(pinfo, call, fault);
    }
    if (!have_tap_listener(tap_perfdata)) {
        return;
    }
    if (call != NULL && call->key != NULL) {
        tapped = perfdata_new_tapped(pinfo, call->key);
        tapped->value_name = call->value_name;
    } else {
        tapped = wmem_new0(pinfo->pool, struct perfdata_tap);
        tapped->host = server_host(server_of(pinfo, true));
    }
    tapped->operation = operation;
    tapped->failed = true;
    tapped->response_time = rpc_response_time(fault->call->request_frame, &fault->call->request_time, pinfo);
    tap_queue_packet(tap_perfdata, pinfo, tapped);
}

void
perfdata_answer_unread(packet_info *pinfo, const struct rpc_unread *unread, const char *operation,
    enum perfdata_operation kind)
{
    if (have_tap_listener(tap_perfdata)) {
        struct perfdata_tap *tapped = wmem_new0(pinfo->pool, struct perfdata_tap);

        tapped->host = server_host(server_of(pinfo, unread->is_response));
        tapped->operation = operation;
        tapped->unread = unread->reason;
        tapped->kind = kind;
        tapped->needed = unread->needed;
        tapped->is_response = unread->is_response;
        tapped->is_last = unread->is_last;
        tapped->size = unread->size;
        tapped->response_time = rpc_response_time(unread->call->request_frame, &unread->call->request_time, pinfo);
        tap_queue_packet(tap_perfdata, pinfo, tapped);
    }
    perf_tap_needed(tap_perfdata_missing, tap_poll, pinfo, unread->needed);
}
