/* packet-perflibv2.c
 * PerflibV2, the Performance Counter Query Protocol [MS-PCQ]: its eight operations, their requests and answers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <epan/conversation_filter.h>
#include <epan/exceptions.h>
#include <epan/tap.h>
#include <wsutil/nstime.h>
#include <wsutil/wslog.h>

#include "base/menus.h"
#include "counters/missing.h"
#include "perflibv2/record.h"
#include "perflibv2/rules/checks.h"
#include "plugin.h"

static int proto_perflibv2 = -1;
static int tap_perflibv2 = -1;
static int tap_poll = -1;

static int hf_perflibv2_opnum = -1;
static int hf_perflibv2_fault = -1;
static int hf_perflibv2_fault_request_in = -1;
static int hf_perflibv2_response_ms = -1;

static int ett_perflibv2 = -1;

static expert_field ei_perflibv2_machine_other = EI_INIT;
static expert_field ei_perflibv2_no_request = EI_INIT;
static expert_field ei_perflibv2_no_beginning = EI_INIT;
static expert_field ei_perflibv2_second_answer = EI_INIT;

static expert_field ei_perflibv2_faulted = EI_INIT;
static expert_field ei_perflibv2_growing_buffer = EI_INIT;
static expert_field ei_perflibv2_poll_overlap = EI_INIT;
static expert_field ei_perflibv2_poll_late = EI_INIT;
static expert_field ei_perflibv2_poll_twice = EI_INIT;

static const struct rpc_fault_items fault_items = { &hf_perflibv2_fault, &hf_perflibv2_fault_request_in,
    &hf_perflibv2_response_ms, &ei_perflibv2_faulted };
static const struct request_items request_items = { &ei_perflibv2_growing_buffer, &ei_perflibv2_poll_overlap,
    &ei_perflibv2_poll_late, &ei_perflibv2_poll_twice };

/* UUID and version of the interface ([MS-PCQ] 1.9) */
static e_guid_t uuid_perflibv2 = { 0xda5a86c5, 0x12c2, 0x4943, { 0xab, 0x30, 0x7f, 0x74, 0xa8, 0x13, 0xd8, 0x53 } };
static const uint16_t ver_perflibv2 = 1;

static const struct rpc_listener listener;

PERFLIB_CONVERSATION_FILTER(perflibv2_query, proto_perflibv2, "perflibv2.query", query_filter_of_numbers)

bool
perflibv2_wants_findings(const struct pdu *pdu)
{
    return !pdu->is_assumed && (pdu->stub_report->is_shown || have_tap_listener(tap_perflibv2));
}

static struct pdu *
pdu_begin(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep,
    bool is_response)
{
    const bool is_counted = have_tap_listener(tap_perflibv2), is_shown = tree != NULL || expert_items_are_asked(tree);
    struct pdu *pdu = wmem_new0(pinfo->pool, struct pdu);
    struct perflibv2_call *call = call_of(di);
    const struct session_packet *packet = session_packet_of(pinfo);

    pdu->n = (struct ndr){ .tvb = tvb, .offset = offset, .pinfo = pinfo, .tree = tree, .di = di, .drep = drep };
    pdu->op = &perflibv2_operations[di->call_data->opnum];
    pdu->is_response = is_response;
    pdu->call = call;
    pdu->session = packet->pdu;
    if (!session_pdu_is_alone(pdu->session)) {
        fragment_text_drop(tvb, pinfo, di, "PerflibV2");
    }
    pdu->is_assumed = session_pdu_is_assumed(pdu->session);
    pdu->is_extra = is_response && !first_answer_is_this(&call->first_answer, pinfo, packet->dissection);
    pdu->first_pass = is_response ? !pdu->is_extra && !call->answered : !call->asked;
    pdu->stub_report =
        rules_report_init(&pdu->reports[0], pinfo->pool, is_counted && !rpc_call_is_made_up(di), is_shown);
    pdu->report = rules_report_init(&pdu->reports[1], pinfo->pool, is_counted, is_shown);
    pdu->said = (struct pdu_stub){
        .op = pdu->op,
        .is_response = is_response,
        .has_request = call->has_request,
        .in_size.value = call->in_size,
        .request_code.value = call->request_code,
        .request_lcid.value = call->request_lcid,
    };
    if (is_response) {
        pdu->outcome = stub_outcome(pdu);
    }
    call_begin(pdu);
    if (!is_response && pdu->first_pass) {
        call->request_frame = pinfo->num;
    }
    return pdu;
}

static const char *
operation_text(wmem_allocator_t *scope, const struct rpc_call *call)
{
    if (!call->has_opnum) {
        return "unknown operation";
    }
    return call->opnum < NUM_OPS ? perflibv2_operations[call->opnum].name
                                 : wmem_strdup_printf(scope, "Operation %u", call->opnum);
}

/* Returns a tap record of a PDU, with its operation and query. op, call: NULL if unknown. */
static struct perflibv2_tap *
perflibv2_new_tapped(packet_info *pinfo, const struct operation *op, const struct perflibv2_call *call,
    bool is_response)
{
    const struct query *query = call == NULL ? NULL : call->query;
    struct perflibv2_tap *tapped = wmem_new0(pinfo->pool, struct perflibv2_tap);

    if (op != NULL) {
        tapped->operation = op->name;
        tapped->is_open = op->effect == OPENS_QUERY;
        tapped->is_change = op->effect == CHANGES_QUERY;
    }
    tapped->is_response = is_response;
    tapped->add = call != NULL && call->add;
    if (query != NULL) {
        tapped->query = (struct perflibv2_tap_query){
            query,
            query->handle,
            server_host(query->server),
            query->opened_in,
            query->closed_in,
        };
    }
    return tapped;
}

static void
tap_call(const struct pdu *pdu)
{
    const packet_info *pinfo = pdu->n.pinfo;
    struct perflibv2_tap *tapped;

    if (!have_tap_listener(tap_perflibv2)) {
        return;
    }
    tapped = perflibv2_new_tapped(pdu->n.pinfo, pdu->op, pdu->call, pdu->is_response);
    tapped->rules[0] = (struct perflibv2_tap_rules){ pdu->stub_report->checked, pdu->stub_report->broken };
    tapped->rules[1] = (struct perflibv2_tap_rules){ pdu->report->checked, pdu->report->broken };
    tapped->bytes = pdu_bytes(pdu);
    tapped->too_small = pdu_is_too_small(pdu) && !pdu->is_extra;
    tapped->finding = pdu->is_extra ? NULL : pdu->call->finding;
    tapped->has_return_code = pdu_has_return_code(pdu);
    tapped->return_code = pdu->said.return_code.value;
    tapped->is_size_probe = !pdu->is_extra && stub_is_size_probe(pdu);
    if (pdu->has_lpdata) {
        tapped->size = tvb_reported_length(pdu->lp.tvb);
    }
    /* Statistics do not count the identifiers of a failed call or of a second answer. */
    if (pdu->has_lpdata && pdu->outcome != CALL_FAILED && !pdu->is_extra) {
        tapped->identifiers = lpdata_count(pdu->lp.identifiers);
        tapped->refused = pdu->refused;
    }
    if (pdu->is_response) {
        tapped->asks_values = pdu->n.di->call_data->opnum == OP_QUERY_COUNTER_DATA;
        tapped->num_values = pdu->has_lpdata && pdu->outcome != CALL_FAILED ? pdu->lp.num_values : 0;
        tapped->is_poll = pdu->poll != NULL;
        if (pdu->poll != NULL && pdu->poll->values->previous != NULL) {
            tapped->interval = series_interval(pdu->poll->values);
            tapped->has_interval = tapped->interval >= 0;
        }
        tapped->response_time =
            rpc_response_time(pdu->n.di->call_data->req_frame, &pdu->n.di->call_data->req_time, pinfo);
    }
    tap_queue_packet(tap_perflibv2, pdu->n.pinfo, tapped);
}

/* Queues the record of a sealed PDU that could not be decrypted. */
static void
perflibv2_tap_unread(const struct rpc_unread *unread, packet_info *pinfo)
{
    const struct rpc_call *call = unread->call;

    if (have_tap_listener(tap_perflibv2)) {
        struct perflibv2_tap *tapped = perflibv2_new_tapped(pinfo, NULL, NULL, unread->is_response);

        tapped->operation = operation_text(pinfo->pool, call);
        tapped->is_last = unread->is_last;
        tapped->unread = unread->reason;
        tapped->needed = unread->needed;
        tapped->size = unread->size;
        tapped->is_poll = unread->is_response && call->has_opnum && call->opnum == OP_QUERY_COUNTER_DATA;
        tapped->query.host = server_host(server_of(pinfo, unread->is_response));
        tapped->response_time = rpc_response_time(call->request_frame, &call->request_time, pinfo);
        tap_queue_packet(tap_perflibv2, pinfo, tapped);
    }
    perf_tap_needed(tap_perflibv2_missing, tap_poll, pinfo, unread->needed);
}

/* Queues all values of a poll for statistics. */
static void
perflibv2_tap_values(const struct pdu *pdu)
{
    struct perf_tap_poll *record;
    nstime_t response_time;

    if (pdu->poll != NULL && have_tap_listener(tap_poll)) {
        record = values_record(pdu->values);
        record->bytes = pdu_bytes(pdu);
        record->wasted = pdu->call->finding == NULL ? 0 : pdu->call->finding->wasted;
        if (pdu->call->has_request) {
            response_time =
                rpc_response_time(pdu->n.di->call_data->req_frame, &pdu->n.di->call_data->req_time, pdu->n.pinfo);
            record->seconds = nstime_to_sec(&response_time);
        }
        tap_queue_packet(tap_poll, pdu->n.pinfo, record);
    }
}

/* Returns whether a check of the PDU found a violation. */
static bool
violates_rule(const struct pdu *pdu)
{
    return pdu->stub_report->num_faults + pdu->report->num_faults != 0;
}

/* Queues what the call requested, and its result, to the tap "perflibv2_missing". */
static void
perflibv2_tap_missing(const struct pdu *pdu)
{
    const uint32_t code = pdu->said.return_code.value;

    if (!pdu->is_extra) {
        missing_tell_pdu(pdu,
            (struct perf_tap_why){ pdu->is_response && !pdu_has_return_code(pdu) ? WHY_RETURN_CODE_NOT_CAPTURED
                    : code != 0                                                  ? WHY_ERROR
                                                                                 : WHY_RECEIVED,
                .status = code,
                .has_finding = pdu->is_response &&
                    (violates_rule(pdu) ||
                        (pdu->call->is_wrong && (code == WIN32_INVALID_PARAMETER || code == WIN32_INVALID_HANDLE))) });
    }
}

/* Completes a PDU: adds the findings and tap records that need the whole PDU. */
static void
pdu_end(struct pdu *pdu)
{
    const bool is_made_up = rpc_call_is_made_up(pdu->n.di);
    unsigned next = 0;

    if (pdu->first_pass) {
        call_learn_end(pdu);
        if (!pdu->is_response) {
            pdu->call->request_bytes = pdu_bytes(pdu);
        }
        if (!pdu->is_response && !pdu->is_assumed && !is_made_up) {
            efficiency_learn_request(pdu);
        } else if (pdu->is_response && pdu->call->has_request && !is_made_up) {
            efficiency_learn_answer(pdu);
        }
    }
    if (perflibv2_wants_findings(pdu) && !is_made_up) {
        rules_check_session(pdu->stub_report, pdu->call, &pdu->said);
        rules_check_stub(pdu->stub_report, pdu->call, &pdu->said);
        rules_order(pdu->stub_report);
        if (!pdu->is_response) {
            pdu->call->is_wrong = violates_rule(pdu);
        }
    }
    if (pdu->is_assumed) {
        return;
    }
    tap_call(pdu);
    perflibv2_tap_values(pdu);
    perflibv2_tap_missing(pdu);
    if (pdu->is_response && !is_made_up) {
        rpc_response_show(
            rpc_response_time(pdu->n.di->call_data->req_frame, &pdu->n.di->call_data->req_time, pdu->n.pinfo),
            hf_perflibv2_response_ms, pdu->n.pinfo, pdu->n.tree, pdu->n.tvb);
    }
    rules_show(pdu->stub_report, &next, UINT32_MAX, pdu->n.pinfo, pdu->n.tree, pdu->n.tvb);
    if (!pdu->is_extra) {
        request_state_show(pdu->call->finding, pdu->is_response, &request_items, pdu->n.pinfo, pdu->n.tree, pdu->n.tvb);
    }
    if (!pdu->is_response && pdu->call->finding != NULL && pdu->call->finding->other_server != NULL) {
        proto_tree_add_expert_format(pdu->n.tree, pdu->n.pinfo, &ei_perflibv2_machine_other, pdu->n.tvb,
            (int)pdu->said.machine_text_at, 2 * (int)pdu->said.machine.actual, "%s", pdu->call->finding->other_server);
    }
}

/*
 * Dissects a PDU. If the packet is truncated, reading the tvb throws an exception in the middle of the stub: then shows
 * what was found, and rethrows for packet-dcerpc.
 */
static int
dissect_pdu(struct pdu *pdu)
{
    if (pdu->first_pass) {
        call_learn_begin(pdu);
    }
    TRY
    {
        stub_dissect(pdu);
        if (pdu->has_lpdata && pdu->lp.is_cut) {
            tvb_ensure_bytes_exist(pdu->n.tvb, 0, (int)tvb_reported_length(pdu->n.tvb));
        }
        if (pdu->is_response) {
            stub_dissect_return_code(pdu);
        } else {
            pdu->call->has_request = true;
        }
        if (pdu->tree_ended != NULL) {
            THROW_MESSAGE(DissectorError, pdu->tree_ended);
        }
    }
    FINALLY
    {
        pdu_end(pdu);
        if (!pdu->is_extra) {
            *(pdu->is_response ? &pdu->call->answered : &pdu->call->asked) = true;
        }
    }
    ENDTRY;
    return pdu->n.offset;
}

/* Returns true if fragments at the beginning or end of the stub are missing. */
static bool
is_part(const struct pdu *pdu)
{
    return session_pdu_lacks_beginning(pdu->session) || session_pdu_lacks_end(pdu->session);
}

static int
skip_pdu(struct pdu *pdu)
{
    const bool lacks_end = session_pdu_lacks_end(pdu->session);

    if (lacks_end) {
        proto_tree_add_expert_format(pdu->n.tree, pdu->n.pinfo, &ei_perflibv2_no_beginning, pdu->n.tvb, 0,
            (int)tvb_captured_length(pdu->n.tvb),
            "Only the first fragment, which is not read: the preference dcerpc.reassemble_dcerpc is off");
    } else {
        proto_tree_add_expert(pdu->n.tree, pdu->n.pinfo, &ei_perflibv2_no_beginning, pdu->n.tvb, 0,
            (int)tvb_captured_length(pdu->n.tvb));
    }
    if (!pdu->is_response && pdu->first_pass) {
        call_learn_unread(pdu);
    }
    info_add(pdu, lacks_end ? "fragments not reassembled" : "beginning not captured");
    return (int)tvb_reported_length(pdu->n.tvb);
}

static int
perflibv2_dissect_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di,
    uint8_t *drep)
{
    struct pdu *pdu = pdu_begin(tvb, offset, pinfo, tree, di, drep, false);

    session_pdu_note(pdu->session, pinfo, di, &listener, pdu->call);
    return is_part(pdu) ? skip_pdu(pdu) : dissect_pdu(pdu);
}

static int
perflibv2_dissect_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di,
    uint8_t *drep)
{
    struct pdu *pdu = pdu_begin(tvb, offset, pinfo, tree, di, drep, true);

    if (is_part(pdu)) {
        return skip_pdu(pdu);
    }
    if (!pdu->call->has_request) {
        proto_tree_add_expert(tree, pinfo, &ei_perflibv2_no_request, tvb, offset, 0);
    }
    if (pdu->is_extra) {
        proto_tree_add_expert_format(tree, pinfo, &ei_perflibv2_second_answer, tvb, offset, 0,
            "The call already had an answer in frame %u", pdu->call->first_answer.frame);
    }
    return dissect_pdu(pdu);
}

static proto_tree *
perflibv2_show_fault(const struct rpc_fault *fault, const char *operation, tvbuff_t *tvb, packet_info *pinfo,
    proto_tree *root)
{
    const struct rpc_call *call = fault->call;
    proto_item *item = root == NULL
        ? NULL
        : proto_tree_add_protocol_format(proto_tree_get_root(root), proto_perflibv2, tvb, 0,
              (int)tvb_captured_length(tvb), "Performance Counter Query Protocol, %s", operation);
    proto_tree *tree = proto_item_add_subtree(item, ett_perflibv2);

    if (call->has_opnum) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf_perflibv2_opnum, tvb, 0, 0, call->opnum));
    }
    rpc_fault_show(fault, &fault_items, operation, pinfo, tree, tvb);
    return tree;
}

/* Shows a fault, learns from it, and queues its records. */
static void
perflibv2_dissect_fault(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    const struct rpc_call *rpc = fault->call;
    const char *operation = operation_text(pinfo->pool, rpc);
    const char *text = rpc_fault_text_of(pinfo->pool, fault);
    struct perflibv2_tap *tapped;
    struct pdu pdu = {
        .n = { .tvb = tvb, .pinfo = pinfo },
        .op = rpc->has_opnum && rpc->opnum < NUM_OPS ? &perflibv2_operations[rpc->opnum] : NULL,
        .is_response = true,
        .call = (struct perflibv2_call *)rpc->state,
        .outcome = CALL_FAILED,
        .said = { .is_response = true, .is_refused = fault->has_status && rpc_fault_is_refusal(fault->status) },
        .stub_report = rules_report_new(pinfo->pool, have_tap_listener(tap_perflibv2),
            tree != NULL || expert_items_are_asked(tree)),
    };

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerflibV2");
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s response", operation);
    pdu.n.tree = perflibv2_show_fault(fault, operation, tvb, pinfo, tree);
    if (pdu.op != NULL && pdu.call != NULL) {
        pdu.is_extra = !first_answer_is_this(&pdu.call->first_answer, pinfo, session_packet_of(pinfo)->dissection);
        if (!pdu.is_extra && !pdu.call->answered) {
            call_learn_fault(&pdu, fault);
        }
        if (pdu.call->query != NULL) {
            stub_show_query(&pdu);
        }
        rules_check_session(pdu.stub_report, pdu.call, &pdu.said);
        if (pdu.call->closed_in != 0) {
            rules_held(pdu.stub_report, RULE_HANDLE_REFUSED, 1);
        }
    }
    info_add(&pdu, "fault %s", text);
    if (fault->is_assumed) {
        return;
    }
    if (pdu.op != NULL && pdu.call != NULL && !pdu.is_extra) {
        missing_tell_pdu(&pdu,
            (struct perf_tap_why){ fault->has_status ? WHY_FAULT : WHY_FAULT_NOT_CAPTURED, .status = fault->status });
    }
    if (have_tap_listener(tap_perflibv2)) {
        tapped = perflibv2_new_tapped(pinfo, pdu.op, pdu.call, true);
        tapped->operation = operation;
        tapped->is_fault = true;
        tapped->fault_text = text;
        tapped->bytes = pdu.call != NULL ? pdu.call->request_bytes : 0;
        tapped->rules[0] = (struct perflibv2_tap_rules){ pdu.stub_report->checked, pdu.stub_report->broken };
        tap_queue_packet(tap_perflibv2, pinfo, tapped);
    }
}

static void
lacks_request(void *state, const struct rpc_lack *lack, const packet_info *pinfo)
{
    const struct perflibv2_call *call = (const struct perflibv2_call *)state;

    if (!lack->has_opnum || (lack->opnum < NUM_OPS && perflibv2_operations[lack->opnum].effect != NO_EFFECT)) {
        connections_lack_request(call == NULL ? NULL : call->connection.connection, lack->is_response, pinfo);
    }
}

static const struct rpc_listener listener = { perflibv2_dissect_fault, perflibv2_tap_unread, lacks_request };

/* .name is without the common prefix "PerflibV2": it is shown in the Info column. */
const struct operation perflibv2_operations[NUM_OPS] = {
    [OP_ENUMERATE_COUNTER_SET] = {
        .name = "EnumerateCounterSet",
        .request = P_MACHINE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = LP_GUID_SIZE,
        .max_in_size = 256,
        .codes = { WIN32_NOT_ENOUGH_MEMORY, WIN32_OUTOFMEMORY },
        .parse = lpdata_parse_guids,
        .judge = rules_check_guids,
        .show = lpdata_tree_guids,
        .say = info_elements,
        .judge_stub = rules_check_enumeration,
    },
    [OP_QUERY_REGISTRATION_INFO] = {
        .name = "QueryCounterSetRegistrationInfo",
        .request = P_MACHINE | P_COUNTERSET | P_REQUEST_CODE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 134217728,
        .codes = { WIN32_INVALID_PARAMETER, WIN32_WMI_GUID_NOT_FOUND, WIN32_NOT_ENOUGH_MEMORY,
                   WIN32_WMI_ITEMID_NOT_FOUND },
        .parse = lpdata_parse_registration,
        .learn = call_learn_registration,
        .judge = rules_check_registration,
        .show = lpdata_tree_registration,
        .say = info_registration,
        .judge_stub = rules_check_registration_call,
    },
    [OP_ENUMERATE_INSTANCES] = {
        .name = "EnumerateCounterSetInstances",
        .request = P_MACHINE | P_COUNTERSET | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 67108864,
        .codes = { WIN32_WMI_GUID_NOT_FOUND, WIN32_NOT_ENOUGH_MEMORY, WIN32_WMI_INSTANCE_NOT_FOUND,
                   WIN32_WMI_INVALID_REGINFO, WIN32_OUTOFMEMORY },
        .parse = lpdata_parse_instances,
        .learn = call_learn_instances,
        .judge = rules_check_instances,
        .show = lpdata_tree_instances,
        .say = info_elements,
        .judge_stub = rules_check_filled,
    },
    [OP_OPEN_QUERY_HANDLE] = {
        .name = "OpenQueryHandle",
        .request = P_MACHINE,
        .response = P_HANDLE,
        .effect = OPENS_QUERY,
        .codes = { WIN32_OUTOFMEMORY, WIN32_NO_SYSTEM_RESOURCES },
        .judge_stub = rules_check_handle,
    },
    [OP_CLOSE_QUERY_HANDLE] = {
        .name = "CloseQueryHandle",
        .request = P_HANDLE,
        .response = P_HANDLE,
        .effect = CLOSES_QUERY,
        .judge_stub = rules_check_handle,
    },
    [OP_QUERY_COUNTER_INFO] = {
        .name = "QueryCounterInfo",
        .request = P_HANDLE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 67108864,
        .codes = { WIN32_NOT_ENOUGH_MEMORY },
        .parse = lpdata_parse_identifiers,
        .learn = call_learn_map,
        .judge = rules_check_index_map,
        .show = lpdata_tree_identifiers,
        .say = info_elements,
    },
    [OP_QUERY_COUNTER_DATA] = {
        .name = "QueryCounterData",
        .request = P_HANDLE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 1073741824,
        .codes = { WIN32_NOT_ENOUGH_MEMORY },
        .parse = lpdata_parse_data,
        .learn = call_learn_poll,
        .judge = rules_check_data,
        .show = lpdata_tree_data,
        .say = info_poll,
        .judge_stub = rules_check_filled,
    },
    [OP_VALIDATE_COUNTERS] = {
        .name = "ValidateCounters",
        .request = P_HANDLE | P_IN_SIZE | P_CONFORMANT | P_ADD,
        .response = P_CONFORMANT,
        .element = 1,
        .effect = CHANGES_QUERY,
        .max_in_size = 67108864,
        .codes = { WIN32_INVALID_PARAMETER, WIN32_OUTOFMEMORY },
        .parse = lpdata_parse_identifiers,
        .learn = call_learn_change,
        .judge = rules_check_identifiers,
        .show = lpdata_tree_identifiers,
        .say = info_change,
        .judge_stub = rules_check_validation,
    },
};

/* Names of opnums for Wireshark, filled in at start */
static value_string opnum_vals[NUM_OPS + 1];
static dcerpc_sub_dissector perflibv2_dissectors[NUM_OPS + 1];

static void
list_operations(void)
{
    for (unsigned i = 0; i < NUM_OPS; i++) {
        opnum_vals[i] =
            (value_string){ i, wmem_strdup_printf(wmem_epan_scope(), "PerflibV2%s", perflibv2_operations[i].name) };
        perflibv2_dissectors[i] = (dcerpc_sub_dissector){
            (uint16_t)i,
            perflibv2_operations[i].name,
            perflibv2_dissect_request,
            perflibv2_dissect_response,
        };
    }
}

void
proto_register_perflibv2(void)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_opnum,
            { "Operation", "perflibv2.opnum", FT_UINT16, BASE_DEC, VALS(opnum_vals), 0,
                "Operation number (opnum): which operation is called", HFILL } },
        { &hf_perflibv2_fault,
            { "Fault", "perflibv2.fault", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &rpc_fault_vals_ext, 0,
                "Status of the fault that the server sent as the answer", HFILL } },
        { &hf_perflibv2_fault_request_in,
            { "Request in frame", "perflibv2.fault.request_in", FT_FRAMENUM, BASE_NONE,
                FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0, "Request that was answered with this fault", HFILL } },
        { &hf_perflibv2_response_ms,
            { "Response time in ms", "perflibv2.response_ms", FT_DOUBLE, BASE_CUSTOM, CF_FUNC(rpc_response_digits), 0,
                "Milliseconds from the request to this answer", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2 };
    static ei_register_info ei[] = {
        { &ei_perflibv2_machine_other,
            { "perflibv2.machine.other", PI_SEQUENCE, PI_NOTE, "szMachine contains the name of another server",
                EXPFILL } },
        { &ei_perflibv2_no_request,
            { "perflibv2.no_request", PI_SEQUENCE, PI_NOTE,
                "The request is not in the capture, so parts of this answer cannot be decoded", EXPFILL } },
        { &ei_perflibv2_no_beginning,
            { "perflibv2.no_beginning", PI_UNDECODED, PI_NOTE,
                "The first fragments of this PDU were not captured completely, so the rest is not decoded", EXPFILL } },
        { &ei_perflibv2_second_answer,
            { "perflibv2.second_answer", PI_SEQUENCE, PI_WARN,
                "The call already had an answer. This one is shown, but not used", EXPFILL } },
        { &ei_perflibv2_faulted,
            { "perflibv2.faulted", PI_RESPONSE_CODE, PI_NOTE, "The server answered with a fault", EXPFILL } },
        { &ei_perflibv2_growing_buffer,
            { "perflibv2.growing_buffer", PI_SEQUENCE, PI_NOTE,
                "The client enlarged its buffer several times before the answer fitted", EXPFILL } },
        { &ei_perflibv2_poll_overlap,
            { "perflibv2.poll.overlap", PI_SEQUENCE, PI_NOTE, "The client polled again before the previous answer",
                EXPFILL } },
        { &ei_perflibv2_poll_late,
            { "perflibv2.poll.late", PI_SEQUENCE, PI_NOTE,
                "The poll is late, compared with the client's usual interval", EXPFILL } },
        { &ei_perflibv2_poll_twice,
            { "perflibv2.poll.twice", PI_SEQUENCE, PI_NOTE,
                "The client also polls the same counters with another query", EXPFILL } },
    };
    expert_module_t *expert;
    module_t *module;

    list_operations();
    proto_perflibv2 = proto_register_protocol("Performance Counter Query Protocol", "PerflibV2", "perflibv2");
    win32_names_init();
    rpc_fault_init();
    proto_register_field_array(proto_perflibv2, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert = expert_register_protocol(proto_perflibv2);
    expert_register_field_array(expert, ei, array_length(ei));
    module = prefs_register_protocol(proto_perflibv2, NULL);
    stub_register(proto_perflibv2, expert);
    buffer_register(proto_perflibv2, expert);
    lone_buffer_register(proto_perflibv2);
    rules_register(proto_perflibv2, expert);
    lpdata_tree_register(proto_perflibv2, expert, module);
    catalog_table_register(module);
    catalog_register(module);
    watch_register(proto_perflibv2, expert, module);
    values_register(module);
    server_init();
    queries_init();
    register_init_routine(identity_begin);
    tap_perflibv2 = register_tap("perflibv2");
    tap_poll = register_tap("perflibv2_poll");
    tap_perflibv2_missing = register_tap("perflibv2_missing");
    PERFLIB_REGISTER_CONVERSATION_FILTER("perflibv2", "PerflibV2 Query", perflibv2_query);
}

static int
check_stub(const struct stub_sample *sample)
{
    return sample->opnum < NUM_OPS ? perflibv2_sense(sample, &perflibv2_operations[sample->opnum]) : 0;
}

/*
 * Returns whether a request begins with a handle that a server gave out in this capture, which proves the interface.
 * False for ValidateCounters: the handle does not prove whether its array is NDR or NDR64.
 */
static bool
has_opened_handle(const struct stub_sample *sample)
{
    const uint8_t *head = sample->head;
    const bool big_endian = !sample->is_little_endian;
    e_guid_t handle;

    if (sample->is_response || !(perflibv2_operations[sample->opnum].request & P_HANDLE) ||
        (perflibv2_operations[sample->opnum].request & P_CONFORMANT) || sample->head_length < 20 ||
        check_stub(sample) <= 0 || bytes_uint32(head, big_endian) != 0) {
        return false;
    }
    handle = bytes_guid(head + 4, big_endian);
    return queries_is_opened(&handle);
}

/* Returns whether a successful answer gives out a handle that its server gave out before and that is certainly open. */
static bool
gives_open_handle(const struct stub_sample *sample, const packet_info *pinfo)
{
    const bool big_endian = !sample->is_little_endian;
    const struct query *before;
    e_guid_t handle;

    if (perflibv2_operations[sample->opnum].effect != OPENS_QUERY || sample->head_length < STUB_HANDLE_SIZE + 4 ||
        bytes_uint32(sample->head + STUB_HANDLE_SIZE, big_endian) != 0) {
        return false;
    }
    handle = bytes_guid(sample->head + 4, big_endian);
    before = queries_find(server_of(pinfo, true), &handle);
    return before != NULL && before->opened_in != 0 && before->closed_in == 0 && !before->may_be_closed &&
        before->all_gaps_opened == connections_now(before->connection).all_gaps && queries_is_in_order(before);
}

static enum stub_fit
perflibv2_fit(const struct stub_kind *kind _U_, const struct stub_sample *sample, packet_info *pinfo)
{
    const struct operation *op = sample->opnum < NUM_OPS ? &perflibv2_operations[sample->opnum] : NULL;

    if (op == NULL || !perflibv2_fits(sample, op) || gives_open_handle(sample, pinfo)) {
        return STUB_MISFIT;
    }
    return perflibv2_proves(sample, op) ? STUB_PROVES : STUB_FITS;
}

static bool
perflibv2_recognise(const struct stub_sample *sample, packet_info *pinfo _U_, struct stub_recognised *found)
{
    if (sample->opnum >= NUM_OPS ||
        (!perflibv2_proves(sample, &perflibv2_operations[sample->opnum]) && !has_opened_handle(sample))) {
        return false;
    }
    *found = (struct stub_recognised){ uuid_perflibv2, ver_perflibv2, perflibv2_operations[sample->opnum].name };
    return true;
}

void
proto_reg_handoff_perflibv2(void)
{
    const char *taken = dcerpc_get_proto_name(&uuid_perflibv2, ver_perflibv2);

    ndr_init();
    if (taken != NULL) {
        ws_message("PerflibV2: this Wireshark already decodes the interface (as %s), so the perflib plugin does not",
            taken);
        return;
    }
    stub_check_register(&uuid_perflibv2, check_stub, &listener, "perflibv2");
    stub_fit_register(&uuid_perflibv2, perflibv2_fit);
    stub_recogniser_register(perflibv2_recognise);
    dcerpc_init_uuid(proto_perflibv2, ett_perflibv2, &uuid_perflibv2, ver_perflibv2, perflibv2_dissectors,
        hf_perflibv2_opnum);
}
