/* lone-buffer.c
 * Named dissectors for lpData without its call
 *
 * For text2pcap -P NAME, exported PDUs, and user link types (DLT_USER). Nothing is learned from such a buffer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include "perflibv2/rules/checks.h"

/* A named dissector, and the operation whose lpData it dissects */
struct lone_buffer {
    const char *name, *title;
    unsigned opnum;
    uint32_t request_code; /* RequestCode for opnum 1; 0: another opnum */
};

static struct lone_buffer lone_buffers[] = {
    { "perflibv2.data", "Counter data", OP_QUERY_COUNTER_DATA, 0 },
    { "perflibv2.identifiers", "Counter identifiers", OP_VALIDATE_COUNTERS, 0 },
    { "perflibv2.instances", "Instances", OP_ENUMERATE_INSTANCES, 0 },
    { "perflibv2.counterset", "Counterset", OP_QUERY_REGISTRATION_INFO, PERF_REG_COUNTERSET_STRUCT },
    { "perflibv2.strings", "Counter strings", OP_QUERY_REGISTRATION_INFO, PERF_REG_COUNTER_NAME_STRINGS },
};

static int proto = -1;
static int ett_perflibv2_lone_buffer = -1;

static int
dissect_lone_buffer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_, void *cb_data)
{
    static uint8_t little_endian[4] = { 0x10, 0, 0, 0 };
    const struct lone_buffer *kind = (const struct lone_buffer *)cb_data;
    struct perflibv2_call call = { .server = server_of(pinfo, true), .expected_identifiers = -1 };
    struct pdu pdu = {
        .n = { .tvb = tvb, .pinfo = pinfo, .drep = little_endian },
        .op = &perflibv2_operations[kind->opnum],
        .is_response = true,
        .call = &call,
        .said = { .has_request = true, .request_code.value = kind->request_code },
        .report = rules_report_new(pinfo->pool, false, true),
        .has_lpdata = true,
    };
    proto_item *item = proto_tree_add_item(tree, proto, tvb, 0, -1, ENC_NA);

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerflibV2");
    col_set_str(pinfo->cinfo, COL_INFO, kind->title);
    proto_item_append_text(item, ", %s", kind->title);
    pdu.n.tree = proto_item_add_subtree(item, ett_perflibv2_lone_buffer);
    lpdata_init(&pdu.lp, tvb, pinfo->pool, pdu.report);
    pdu.lp.request_code = kind->request_code;
    pdu.op->parse(&pdu.lp);
    if (pdu.lp.has_counterset) {
        /* There is no request: take the counterset from the buffer as if from a request. */
        call.has_request = true;
        call.counterset = pdu.lp.counterset.guid;
    }
    pdu.values = values_new(&pdu.lp, NULL, pinfo->pool);
    /* Identifiers may be from a request or an answer: check only the rules for requests. */
    pdu.is_response = pdu.op->effect != CHANGES_QUERY;
    rules_check_buffer(&pdu);
    pdu.is_response = true;
    info_text(&pdu, info_lpdata(&pdu));
    buffer_show(&pdu, pdu.n.tree);
    if (pdu.lp.is_cut) {
        tvb_ensure_bytes_exist(tvb, 0, (int)tvb_reported_length(tvb));
    }
    return (int)tvb_captured_length(tvb);
}

void
lone_buffer_register(int proto_perflibv2)
{
    static int *ett[] = { &ett_perflibv2_lone_buffer };

    proto = proto_perflibv2;
    proto_register_subtree_array(ett, array_length(ett));
    for (unsigned i = 0; i < array_length(lone_buffers); i++) {
        register_dissector_with_data(lone_buffers[i].name, dissect_lone_buffer, proto, &lone_buffers[i]);
    }
}
