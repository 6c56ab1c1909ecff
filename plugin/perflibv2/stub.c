/* stub.c
 * Parameters of a stub: a table of how each is laid out, shown and weighed
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <epan/tfs.h>

#include "base/menus.h"

static int proto = -1;

static int hf_perflibv2_machine = -1;
static int hf_perflibv2_handle = -1;
static int hf_perflibv2_handle_attributes = -1;
static int hf_perflibv2_handle_opened_in = -1;
static int hf_perflibv2_handle_closed_in = -1;
static int hf_perflibv2_query = -1;
static int hf_perflibv2_in_size = -1;
static int hf_perflibv2_out_size = -1;
static int hf_perflibv2_return_size = -1;
static int hf_perflibv2_request_code = -1;
static int hf_perflibv2_request_lcid = -1;
static int hf_perflibv2_add = -1;
static int hf_perflibv2_return_code = -1;

static int ett_perflibv2_handle = -1;

static expert_field ei_perflibv2_failed = EI_INIT;
static expert_field ei_perflibv2_handle_not_opened = EI_INIT;
static expert_field ei_perflibv2_handle_not_closed = EI_INIT;
static expert_field ei_perflibv2_too_small = EI_INIT;

static const true_false_string tfs_add = { "TRUE (add)", "FALSE (remove)" };

/* Returns a value of the stub with its offset. */
static struct stub_value
read_said(struct pdu *pdu, int hf)
{
    const uint32_t value = ndr_uint32(&pdu->n, hf);

    return (struct stub_value){ value, (unsigned)pdu->n.offset - 4 };
}

static void
dissect_machine(struct pdu *pdu)
{
    const unsigned offset = (unsigned)pdu->n.offset;
    struct ndr_wstring string;
    const char *machine = ndr_wstring(&pdu->n, hf_perflibv2_machine, &string);

    if (!string.overrun) {
        pdu->said.have |= P_MACHINE;
        pdu->said.machine_at = offset;
        pdu->said.machine_text_at = (unsigned)pdu->n.offset - 2 * (unsigned)string.counts.actual;
        pdu->said.machine = string.counts;
        pdu->said.machine_terminated = string.text.terminated && string.text.size == (string.counts.actual - 1) * 2;
    }
    rules_check(pdu->stub_report, RULE_STRUCTURE_FITS, !string.overrun, offset, (unsigned)pdu->n.offset - offset,
        "szMachine is longer than the stub");
    if (pdu->first_pass) {
        pdu->other_machine = call_learn_machine(pdu, machine);
    }
    /* The Info column shows the counterset instead if the operation has one. */
    if (!(pdu->op->request & P_COUNTERSET)) {
        info_add(pdu, "%s", line_text(pdu->n.pinfo->pool, machine));
    }
}

static void
dissect_counterset(struct pdu *pdu)
{
    e_guid_t guid;

    ndr_align(&pdu->n, 4);
    tvb_get_guid(pdu->n.tvb, pdu->n.offset, &guid, ndr_encoding(&pdu->n));
    lpdata_tree_counterset(pdu->n.tree, pdu->n.tvb, (unsigned)pdu->n.offset, LP_GUID_SIZE, &guid, pdu->call->server,
        pdu->n.pinfo->num);
    pdu->n.offset += LP_GUID_SIZE;
    if (pdu->first_pass) {
        pdu->call->counterset = guid;
    }
    /* With a RequestCode, the Info column shows the counterset after that code, unless the capture ends here. */
    if (!(pdu->op->request & P_REQUEST_CODE) || !tvb_bytes_exist(pdu->n.tvb, pdu->n.offset, STUB_REQUEST_CODE_SIZE)) {
        info_counterset(pdu, &guid);
    }
}

static void
dissect_request_code(struct pdu *pdu)
{
    uint32_t code, lcid;

    pdu->said.request_code = read_said(pdu, hf_perflibv2_request_code);
    code = pdu->said.request_code.value;
    /* For request code 2 (PERF_REG_COUNTER_STRUCT) RequestLCID is a counter id. */
    pdu->said.request_lcid = read_said(pdu, code == PERF_REG_COUNTER_STRUCT ? -1 : hf_perflibv2_request_lcid);
    lcid = pdu->said.request_lcid.value;
    if (code == PERF_REG_COUNTER_STRUCT) {
        lpdata_tree_counter_id(pdu->n.tree, pdu->n.tvb, pdu->said.request_lcid.offset, 4, lcid, &pdu->call->counterset,
            pdu->call->server, pdu->n.pinfo->num);
    }
    pdu->said.have |= P_REQUEST_CODE;
    if (pdu->first_pass) {
        pdu->call->request_code = code;
        pdu->call->request_lcid = lcid;
    }
    info_request_code(pdu, code, lcid);
}

/* Adds the query's number below the handle's item. Returns the subtree. */
static proto_tree *
show_query_number(const struct pdu *pdu, proto_item *item)
{
    proto_tree *tree;

    if (pdu->n.tree == NULL) {
        return NULL;
    }
    tree = proto_item_add_subtree(item, ett_perflibv2_handle);
    proto_item_set_generated(proto_tree_add_uint(tree, hf_perflibv2_query, pdu->n.tvb, 0, 0, pdu->call->query->number));
    query_filter_add(pdu->n.pinfo, proto, wmem_strdup_printf(pdu->n.pinfo->pool, "%u", pdu->call->query->number));
    return tree;
}

/* Adds opening and closing of the handle below its item. */
static void
show_query(const struct pdu *pdu, proto_item *item)
{
    const struct query *query = pdu->call->query;
    proto_tree *tree = show_query_number(pdu, item);

    if (query->opened_in != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_perflibv2_handle_opened_in, pdu->n.tvb, 0, 0, query->opened_in));
    } else {
        expert_add_info(pdu->n.pinfo, item, &ei_perflibv2_handle_not_opened);
    }
    if (query->closed_in != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_perflibv2_handle_closed_in, pdu->n.tvb, 0, 0, query->closed_in));
    } else if (pdu->op->effect == OPENS_QUERY && pdu->n.pinfo->fd->visited) {
        /* Whether the handle is ever closed is known only after the whole capture was read. */
        expert_add_info(pdu->n.pinfo, item, &ei_perflibv2_handle_not_closed);
    }
}

static void
dissect_handle(struct pdu *pdu)
{
    struct perflibv2_call *call = pdu->call;
    const uint32_t attributes = ndr_uint32(&pdu->n, hf_perflibv2_handle_attributes);
    proto_item *item;
    const e_guid_t handle = ndr_guid(&pdu->n, hf_perflibv2_handle, &item);
    const e_guid_t null_guid = { 0, 0, 0, { 0 } };
    const bool is_null = attributes == 0 && guid_cmp(&handle, &null_guid) == 0;

    pdu->said.have |= P_HANDLE;
    pdu->said.handle_is_null = is_null;
    pdu->said.handle_at = (unsigned)pdu->n.offset - STUB_HANDLE_SIZE;
    if (is_null) {
        proto_item_append_text(item, " (NULL)");
    }
    if (pdu->first_pass && !is_null) {
        if (!pdu->is_response) {
            call_learn_handle(pdu, &handle);
        } else if (pdu->op->effect == OPENS_QUERY && pdu->outcome != CALL_FAILED) {
            call_learn_opened(pdu, &handle);
        }
    }
    /*
     * call->query is the query of the call's first request or answer. A second one with the same call id may have
     * another handle.
     */
    if (call->query != NULL && guid_cmp(&call->query->handle, &handle) == 0) {
        info_query(pdu, call->query);
        show_query(pdu, item);
    }
}

void
stub_show_query(const struct pdu *pdu)
{
    const struct query *query = pdu->call->query;
    proto_item *item;

    if (pdu->n.tree != NULL) {
        item = proto_tree_add_guid(pdu->n.tree, hf_perflibv2_handle, pdu->n.tvb, 0, 0, &query->handle);
        proto_item_set_generated(item);
        show_query_number(pdu, item);
    }
    info_query(pdu, query);
}

bool
stub_is_size_probe(const struct pdu *pdu)
{
    return pdu->call->has_request && pdu->call->in_size == 0 && (pdu->op->response & P_OUT_SIZES);
}

void
stub_dissect_return_code(struct pdu *pdu)
{
    wmem_allocator_t *pool = pdu->n.pinfo->pool;
    const struct stub_value read = read_said(pdu, -1);
    const uint32_t code = read.value;
    proto_item *item =
        proto_tree_add_uint(pdu->n.tree, hf_perflibv2_return_code, pdu->n.tvb, (int)read.offset, 4, code);
    const char *name;

    pdu->said.return_code = read;
    pdu->said.have |= P_RETURN_CODE;
    if (pdu->first_pass) {
        call_learn_result(pdu);
    }
    if (code == 0) {
        return;
    }
    poll_add_pdh(&perflibv2_poll_fields, pdu->n.tree, pdu->n.tvb, pdh_of_error(code));
    name = win32_error_name(pool, code);
    if (pdu_is_too_small(pdu)) {
        const char *what = stub_is_size_probe(pdu) ? "size probe" : "buffer too small";
        const char *needed = wmem_strdup_printf(pool, "%s needed",
            count_text(pool, pdu->said.return_size.value, pdu->op->element == 1 ? "byte" : "GUID"));

        expert_add_info_format(pdu->n.pinfo, item, &ei_perflibv2_too_small, "%s: %s", what, needed);
        info_add(pdu, "%s", what);
        info_add(pdu, "%s", needed);
    } else {
        expert_add_info_format(pdu->n.pinfo, item, &ei_perflibv2_failed, "%s", name);
    }
    info_add(pdu, "%s", name);
}

static void
dissect_in_size(struct pdu *pdu)
{
    pdu->said.in_size = read_said(pdu, hf_perflibv2_in_size);
    pdu->said.have |= P_IN_SIZE;
    if (pdu->first_pass) {
        pdu->call->in_size = pdu->said.in_size.value;
    }
}

static void
dissect_out_sizes(struct pdu *pdu)
{
    pdu->said.out_size = read_said(pdu, hf_perflibv2_out_size);
    pdu->said.return_size = read_said(pdu, hf_perflibv2_return_size);
    pdu->said.have |= P_OUT_SIZES;
}

static void
dissect_add(struct pdu *pdu)
{
    pdu->said.add = read_said(pdu, -1);
    pdu->said.have |= P_ADD;
    proto_tree_add_boolean(pdu->n.tree, hf_perflibv2_add, pdu->n.tvb, (int)pdu->said.add.offset, 4,
        pdu->said.add.value);
}

const struct parameter stub_parameters[STUB_NUM_PARAMETERS] = {
    { P_MACHINE, STUB_VARYING_COUNTS, 0, dissect_machine, sense_machine },
    { P_COUNTERSET, 0, LP_GUID_SIZE, dissect_counterset, NULL },
    { P_REQUEST_CODE, 0, STUB_REQUEST_CODE_SIZE, dissect_request_code, sense_request_code },
    { P_HANDLE, 0, STUB_HANDLE_SIZE, dissect_handle, sense_handle },
    { P_IN_SIZE, 0, sizeof(uint32_t), dissect_in_size, sense_in_size },
    { P_OUT_SIZES, 0, STUB_OUT_SIZES_SIZE, dissect_out_sizes, sense_out_sizes },
    { P_VARYING, STUB_VARYING_COUNTS, 0, buffer_dissect, sense_varying },
    { P_CONFORMANT, STUB_CONFORMANT_COUNTS, 0, buffer_dissect, sense_conformant },
    { P_ADD, 0, sizeof(uint32_t), dissect_add, NULL },
};

void
stub_dissect(struct pdu *pdu)
{
    if (pdu->is_response && pdu->call->query != NULL && pdu->op->effect != OPENS_QUERY) {
        stub_show_query(pdu);
    }
    for (unsigned i = 0; i < STUB_NUM_PARAMETERS; i++) {
        if (pdu_parameters(pdu) & stub_parameters[i].bit) {
            stub_parameters[i].dissect(pdu);
        }
    }
}

/* Skips a parameter of an answer. Returns false if the capture ends before the parameter does. */
static bool
skip_parameter(struct pdu *pdu, const struct parameter *parameter, struct ndr *n)
{
    if (parameter->counts > 0) {
        return buffer_skip(pdu, n, parameter->counts);
    }
    if (!tvb_bytes_exist(n->tvb, n->offset, (int)parameter->size)) {
        return false;
    }
    if (parameter->bit == P_OUT_SIZES) {
        pdu->said.out_size.value = perflib_tvb_get_uint32(n->tvb, n->offset, ndr_encoding(n));
    }
    n->offset += (int)parameter->size;
    return true;
}

enum call_outcome
stub_outcome(struct pdu *pdu)
{
    struct ndr n = pdu->n;

    n.tree = NULL;
    for (unsigned i = 0; i < STUB_NUM_PARAMETERS; i++) {
        const struct parameter *parameter = &stub_parameters[i];

        if ((pdu_parameters(pdu) & parameter->bit) && !skip_parameter(pdu, parameter, &n)) {
            return CALL_OUTCOME_UNKNOWN;
        }
    }
    ndr_align(&n, 4);
    if (!tvb_bytes_exist(n.tvb, n.offset, 4)) {
        return CALL_OUTCOME_UNKNOWN;
    }
    return ndr_uint32(&n, -1) == 0 ? CALL_SUCCEEDED : CALL_FAILED;
}

void
stub_register(int proto_perflibv2, expert_module_t *expert)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_machine,
            { "Machine", "perflibv2.machine", FT_STRING, BASE_NONE, NULL, 0,
                "szMachine: name of the server, as the client calls it", HFILL } },
        { &hf_perflibv2_handle,
            { "Query handle", "perflibv2.handle", FT_GUID, BASE_NONE, NULL, 0,
                "RPC_HQUERY: handle of a query on the server", HFILL } },
        { &hf_perflibv2_handle_attributes,
            { "Handle attributes", "perflibv2.handle.attributes", FT_UINT32, BASE_HEX, NULL, 0,
                "Attributes of the context handle ([C706])", HFILL } },
        { &hf_perflibv2_handle_opened_in,
            { "Opened in frame", "perflibv2.handle.opened_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Answer that returned the handle", HFILL } },
        { &hf_perflibv2_handle_closed_in,
            { "Closed in frame", "perflibv2.handle.closed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Request that closed the handle", HFILL } },
        { &hf_perflibv2_query,
            { "Query", "perflibv2.query", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of the query in this capture. A query lasts from opening its handle until closing it",
                HFILL } },
        { &hf_perflibv2_in_size,
            { "Input size", "perflibv2.in_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwInSize: size of the client's buffer, in GUIDs (EnumerateCounterSet) or bytes", HFILL } },
        { &hf_perflibv2_out_size,
            { "Output size", "perflibv2.out_size", FT_UINT32, BASE_DEC, NULL, 0,
                "pdwOutSize: size of the returned data, in GUIDs (EnumerateCounterSet) or bytes", HFILL } },
        { &hf_perflibv2_return_size,
            { "Return size", "perflibv2.return_size", FT_UINT32, BASE_DEC, NULL, 0,
                "pdwRtnSize: buffer size that is needed, in GUIDs (EnumerateCounterSet) or bytes", HFILL } },
        { &hf_perflibv2_request_code,
            { "Request code", "perflibv2.request_code", FT_UINT32, BASE_DEC, VALS(lpdata_request_code_vals), 0,
                "RequestCode: kind of information that the client asks for", HFILL } },
        { &hf_perflibv2_request_lcid,
            { "Request LCID", "perflibv2.request_lcid", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &language_vals_ext, 0,
                "RequestLCID: language of the texts; 0 is the server's default", HFILL } },
        { &hf_perflibv2_add,
            { "Add", "perflibv2.add", FT_BOOLEAN, BASE_NONE, TFS(&tfs_add), 0,
                "dwAdd: add the counters to the query, or remove them", HFILL } },
        { &hf_perflibv2_return_code,
            { "Return code", "perflibv2.return_code", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &win32_error_vals_ext, 0,
                "Result of the call: 0 or a Win32 error code (error_status_t)", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2_handle };
    static ei_register_info ei[] = {
        { &ei_perflibv2_failed, { "perflibv2.failed", PI_RESPONSE_CODE, PI_NOTE, "The call failed", EXPFILL } },
        { &ei_perflibv2_handle_not_opened,
            { "perflibv2.handle.not_opened", PI_SEQUENCE, PI_NOTE, "The handle was not opened in this capture",
                EXPFILL } },
        { &ei_perflibv2_handle_not_closed,
            { "perflibv2.handle.not_closed", PI_SEQUENCE, PI_CHAT, "The handle is not closed in this capture",
                EXPFILL } },
        { &ei_perflibv2_too_small,
            { "perflibv2.too_small", PI_RESPONSE_CODE, PI_CHAT, "The client's buffer was too small", EXPFILL } },
    };

    proto = proto_perflibv2;
    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
}
