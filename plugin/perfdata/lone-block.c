/* lone-block.c
 * Dissector perfdata.block: a value of HKEY_PERFORMANCE_DATA without its call
 *
 * For text2pcap -P perfdata.block, exported PDUs, and user link types (DLT_USER). The plugin learns only the name of
 * the machine, and does not store the block as a sample.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

static int proto = -1;
static int ett_perfdata_lone_block = -1;

/* Returns the machine that the block names, and makes it known in the first pass. */
static const struct server *
server_of_block(packet_info *pinfo, const struct perfdata_block *block)
{
    const struct server_address at = server_address_of(pinfo, true);
    const char *machine = perfdata_answer_machine(pinfo, block);
    struct server_link link = { 0 };

    return machine == NULL || pinfo->fd->visited ? server_asked(&link, at, machine)
                                                 : server_answered(&link, at, machine, 0);
}

static int
dissect_lone_block(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const unsigned captured = tvb_captured_length(tvb);
    const uint8_t *bytes = captured == 0 ? NULL : tvb_get_ptr(tvb, 0, (int)captured);
    struct perfdata_answer answer = { .data = tvb };
    proto_item *item = proto_tree_add_item(tree, proto, tvb, 0, -1, ENC_NA);
    proto_tree *sub = proto_item_add_subtree(item, ett_perfdata_lone_block);

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerfData");
    if (perfdata_has_signature(bytes, captured)) {
        const struct perfdata_block *block =
            perfdata_block_read(pinfo->pool, bytes, captured, tvb_reported_length(tvb));

        answer.poll = perfdata_poll_new(pinfo, tvb, block, server_of_block(pinfo, block));
        col_set_str(pinfo->cinfo, COL_INFO, "Performance data");
        perfdata_answer_say_block(pinfo, &answer);
    } else {
        answer.is_names = true;
        answer.asked = PERFDATA_ASKED_NAMES;
        col_set_str(pinfo->cinfo, COL_INFO, "Names of title indexes");
        perfdata_answer_say_names(pinfo, &answer, NULL, 0);
    }
    perfdata_answer_show(pinfo, sub, &answer);
    return (int)captured;
}

void
perfdata_lone_block_register(int proto_perfdata)
{
    static int *ett[] = { &ett_perfdata_lone_block };

    proto = proto_perfdata;
    proto_register_subtree_array(ett, array_length(ett));
    register_dissector("perfdata.block", dissect_lone_block, proto);
}
