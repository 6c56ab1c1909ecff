/* packet-floor.c
 * What any dissector of counter values costs: recognises PerflibV2, walks the answers of QueryCounterData and adds
 * bare items, without names, state, checks or limits, as a plugin written in an afternoon does
 *
 * The preference floor.items says what a value is shown as: 1 its number; 3 with its two sizes; 6 with three more of
 * constant content, where a real one has path, cooked value and formula. It keeps no limit and trusts its input: for
 * the captures of content.py, and of little use to anybody.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <epan/prefs.h>

#include <epan/dissectors/packet-dcerpc.h>

WS_DLL_PUBLIC_DEF const char plugin_version[] = "0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = PERFLIB_WANT_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = PERFLIB_WANT_MINOR;

WS_DLL_PUBLIC void plugin_register(void);

enum { QUERY_COUNTER_DATA = 6, NUM_OPERATIONS = 8 };
enum { HEAD_SIZE = 20, DATA_HEADER_SIZE = 48, BLOCK_HEADER_SIZE = 16, PART_SIZE = 8 }; /* PART_SIZE: of the others */
enum { HAS_IDS = 2, HAS_INSTANCES = 4 };

static int proto_floor = -1;
static int hf_opnum = -1;
static int hf_value = -1;
static int hf_data_size = -1;
static int hf_size = -1;
static int hf_path = -1;
static int hf_cooked = -1;
static int hf_formula = -1;
static int ett_floor = -1;
static int ett_block = -1;
static int ett_instance = -1;
static int ett_value = -1;

static guint num_items = 3;

static e_guid_t uuid_perflibv2 = { 0xda5a86c5, 0x12c2, 0x4943, { 0xab, 0x30, 0x7f, 0x74, 0xa8, 0x13, 0xd8, 0x53 } };

static unsigned
show_value(proto_tree *tree, tvbuff_t *tvb, unsigned offset)
{
    const unsigned data_size = tvb_get_letohl(tvb, (int)offset);
    const unsigned size = tvb_get_letohl(tvb, (int)offset + 4);
    proto_item *item;
    proto_tree *sub = tree;

    if (num_items > 3) {
        item = proto_tree_add_string(tree, hf_path, tvb, (int)offset + PART_SIZE, (int)data_size,
            "\\\\HOST\\Processor Information(0,0)\\% Time");
        sub = proto_item_add_subtree(item, ett_value);
    }
    item = proto_tree_add_item(sub, hf_value, tvb, (int)offset + PART_SIZE, (int)data_size, ENC_LITTLE_ENDIAN);
    if (num_items == 3) {
        sub = proto_item_add_subtree(item, ett_value);
    }
    if (num_items >= 3) {
        proto_tree_add_item(sub, hf_data_size, tvb, (int)offset, 4, ENC_LITTLE_ENDIAN);
        proto_tree_add_item(sub, hf_size, tvb, (int)offset + 4, 4, ENC_LITTLE_ENDIAN);
    }
    if (num_items > 3) {
        proto_item_set_generated(proto_tree_add_double(sub, hf_cooked, tvb, 0, 0, data_size / 3.0));
        proto_item_set_generated(proto_tree_add_string(sub, hf_formula, tvb, 0, 0, "(N1 - N0) / ((T1 - T0) / F)"));
    }
    return offset + size;
}

static unsigned
show_values(proto_tree *tree, tvbuff_t *tvb, unsigned offset, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        offset = show_value(tree, tvb, offset);
    }
    return offset;
}

static void
show_block(proto_tree *tree, tvbuff_t *tvb, unsigned offset)
{
    const unsigned type = tvb_get_letohl(tvb, (int)offset + 4);
    const unsigned size = tvb_get_letohl(tvb, (int)offset + 8);
    proto_tree *sub = proto_tree_add_subtree(tree, tvb, (int)offset, (int)size, ett_block, NULL, "Block");
    unsigned count = 1, instances;

    offset += BLOCK_HEADER_SIZE;
    if (type & HAS_IDS) {
        count = tvb_get_letohl(tvb, (int)offset + 4);
        offset += tvb_get_letohl(tvb, (int)offset);
    }
    if ((type & HAS_INSTANCES) == 0) {
        show_values(sub, tvb, offset, count);
        return;
    }
    instances = tvb_get_letohl(tvb, (int)offset + 4);
    offset += PART_SIZE;
    for (unsigned i = 0; i < instances; i++) {
        const unsigned header = tvb_get_letohl(tvb, (int)offset);
        proto_tree *instance =
            proto_tree_add_subtree(sub, tvb, (int)offset, (int)header, ett_instance, NULL, "Instance");

        offset = show_values(instance, tvb, offset + header, count);
    }
}

static int
dissect_response(tvbuff_t *tvb, int offset, packet_info *pinfo _U_, proto_tree *tree, dcerpc_info *di,
    uint8_t *drep _U_)
{
    const unsigned begin = (unsigned)offset + HEAD_SIZE;

    if (tree != NULL && di->call_data->opnum == QUERY_COUNTER_DATA &&
        tvb_captured_length(tvb) > begin + DATA_HEADER_SIZE) {
        const unsigned blocks = tvb_get_letohl(tvb, (int)begin + 4);
        unsigned at = begin + DATA_HEADER_SIZE;

        for (unsigned i = 0; i < blocks; i++) {
            show_block(tree, tvb, at);
            at += tvb_get_letohl(tvb, (int)at + 8);
        }
    }
    return (int)tvb_captured_length(tvb);
}

static int
dissect_request(tvbuff_t *tvb, int offset _U_, packet_info *pinfo _U_, proto_tree *tree _U_, dcerpc_info *di _U_,
    uint8_t *drep _U_)
{
    return (int)tvb_captured_length(tvb);
}

static void
register_floor(void)
{
    static hf_register_info hf[] = {
        { &hf_opnum, { "Operation", "floor.opnum", FT_UINT16, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_value, { "Value", "floor.value", FT_UINT64, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_data_size, { "Data size", "floor.data_size", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_size, { "Size", "floor.size", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_path, { "Path", "floor.path", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
        { &hf_cooked, { "Cooked value", "floor.cooked", FT_DOUBLE, BASE_NONE, NULL, 0, NULL, HFILL } },
        { &hf_formula, { "Formula", "floor.formula", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    };
    static int *ett[] = { &ett_floor, &ett_block, &ett_instance, &ett_value };

    proto_floor = proto_register_protocol("Floor of the benchmark", "Floor", "floor");
    proto_register_field_array(proto_floor, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    prefs_register_uint_preference(prefs_register_protocol(proto_floor, NULL), "items", "Items a value", "1, 3 or 6",
        10, &num_items);
}

static void
hand_off_floor(void)
{
    static dcerpc_sub_dissector operations[NUM_OPERATIONS + 1];

    for (uint16_t i = 0; i < NUM_OPERATIONS; i++) {
        operations[i] = (dcerpc_sub_dissector){ i, "Operation", dissect_request, dissect_response };
    }
    dcerpc_init_uuid(proto_floor, ett_floor, &uuid_perflibv2, 1, operations, hf_opnum);
}

void
plugin_register(void)
{
    static const proto_plugin plugin = { register_floor, hand_off_floor };

    proto_register_plugin(&plugin);
}
