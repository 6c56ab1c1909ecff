/* tree-counters.c
 * Trees of a counterset and its counters in registration information
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/tree.h"

static int hf_perflibv2_counterset_type = -1;
static int hf_perflibv2_counterset_detail_level = -1;
static int hf_perflibv2_counterset_num_counters = -1;
static int hf_perflibv2_counterset_instance_type = -1;
static int hf_perflibv2_counter_attrib = -1;
static int hf_perflibv2_counter_attrib_reference = -1;
static int hf_perflibv2_counter_attrib_no_display = -1;
static int hf_perflibv2_counter_attrib_no_group_separator = -1;
static int hf_perflibv2_counter_attrib_as_real = -1;
static int hf_perflibv2_counter_attrib_as_hex = -1;
static int hf_perflibv2_counter_detail_level = -1;
static int hf_perflibv2_counter_default_scale = -1;
static int hf_perflibv2_counter_base_id = -1;
static int hf_perflibv2_counter_perf_time_id = -1;
static int hf_perflibv2_counter_perf_freq_id = -1;
static int hf_perflibv2_counter_multi_id = -1;
static int hf_perflibv2_counter_aggregate = -1;
static int hf_perflibv2_counter_reserved = -1;

static int ett_perflibv2_counter = -1;
static int ett_perflibv2_counter_attrib = -1;

const value_string lpdata_instance_type_vals[] = {
    { SINGLE_INSTANCE, "PERF_COUNTERSET_SINGLE_INSTANCE" },
    { MULTIPLE_INSTANCES, "PERF_COUNTERSET_MULTI_INSTANCES" },
    { GLOBAL_AGGREGATE, "PERF_COUNTERSET_SINGLE_AGGREGATE" },
    { MULTIPLE_AGGREGATE, "PERF_COUNTERSET_MULTI_AGGREGATE" },
    { GLOBAL_AGGREGATE_HISTORY, "PERF_COUNTERSET_SINGLE_AGGREGATE_HISTORY" },
    { INSTANCE_AGGREGATE, "PERF_COUNTERSET_INSTANCE_AGGREGATE" },
    { 0, NULL },
};

static const value_string aggregate_vals[] = {
    { 0, "PERF_AGGREGATE_UNDEFINED" },
    { 1, "PERF_AGGREGATE_TOTAL" },
    { 2, "PERF_AGGREGATE_AVG" },
    { 3, "PERF_AGGREGATE_MIN" },
    { 4, "PERF_AGGREGATE_MAX" },
    { 0, NULL },
};

static void
add_counter_attrib(proto_tree *tree, const struct lpdata *lp, unsigned offset)
{
    static int *const fields[] = {
        &hf_perflibv2_counter_attrib_reference,
        &hf_perflibv2_counter_attrib_no_display,
        &hf_perflibv2_counter_attrib_no_group_separator,
        &hf_perflibv2_counter_attrib_as_real,
        &hf_perflibv2_counter_attrib_as_hex,
        NULL,
    };

    proto_tree_add_bitmask_with_flags(tree, lp->tvb, (int)offset, hf_perflibv2_counter_attrib,
        ett_perflibv2_counter_attrib, fields, ENC_LITTLE_ENDIAN, BMT_NO_FALSE);
}

/*
 * Adds the id of a related counter, and its name. 0xFFFFFFFF means none. 0 may mean none, too: its name is shown only
 * if is_needed (the type is computed with that counter) and counter 0 has a type for that role.
 */
static void
add_related_id(proto_tree *tree, int hf, struct lpdata_view *view, unsigned offset, uint32_t id, bool is_needed)
{
    proto_item *item;
    struct catalog_counter counter;

    if (id == PERF_ID_NONE) {
        proto_tree_add_uint_format_value(tree, hf, view->lp->tvb, (int)offset, 4, id, "none (0xffffffff)");
        return;
    }
    item = proto_tree_add_uint(tree, hf, view->lp->tvb, (int)offset, 4, id);
    if ((id != 0 || is_needed) && catalog_counter(view->server, view->counterset, id, 0, view->pinfo->num, &counter) &&
        counter.name.text != NULL &&
        (id != 0 ||
            (counter.type_known &&
                (hf == hf_perflibv2_counter_base_id ? perf_counter_type_is_base(counter.type)
                                                    : perf_counter_type_is_operand(counter.type))))) {
        item_label_append(view->pinfo->pool, item, wmem_strdup_printf(view->pinfo->pool, " (%s)", counter.name.text));
    }
}

static void
show_counter_reg(struct lpdata_view *view, proto_tree *tree, const struct lp_counter_reg *c)
{
    const struct lpdata *lp = view->lp;
    const unsigned needs = cook_needs(c->type);
    const char *name = catalog_counter_name(view->server, view->counterset, c->id, view->pinfo->num).text;
    proto_tree *sub;
    proto_item *item;

    sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)c->offset, LP_COUNTER_REG_SIZE, ett_perflibv2_counter,
        &item, "Counter %u", c->id);
    item_rest_hide(&view->rest, item);
    if (name != NULL) {
        item_label_append(view->pinfo->pool, item, wmem_strdup_printf(view->pinfo->pool, " %s", name));
    }
    proto_item_append_text(item, ", %s", val_to_str_ext_const(c->type, &counter_type_vals_ext, "unknown type"));
    lpdata_tree_counter_id(sub, lp->tvb, c->offset, 4, c->id, view->counterset, view->server, view->pinfo->num);
    type_tree_add(sub, lp->tvb, c->offset + AT_counter_reg_type, &perflibv2_type_fields, ENC_LITTLE_ENDIAN, c->type);
    add_counter_attrib(sub, lp, c->offset + AT_counter_reg_attrib);
    tree_add(sub, hf_perflibv2_counter_detail_level, lp, c->offset + MEMBER(counter_reg, detail_level));
    tree_add(sub, hf_perflibv2_counter_default_scale, lp, c->offset + MEMBER(counter_reg, default_scale));
    add_related_id(sub, hf_perflibv2_counter_base_id, view, c->offset + AT_counter_reg_base_id, c->base_id,
        needs & COOK_NEEDS_BASE);
    add_related_id(sub, hf_perflibv2_counter_perf_time_id, view, c->offset + AT_counter_reg_perf_time_id,
        c->perf_time_id, needs & COOK_NEEDS_TIME);
    add_related_id(sub, hf_perflibv2_counter_perf_freq_id, view, c->offset + AT_counter_reg_perf_freq_id,
        c->perf_freq_id, needs & COOK_NEEDS_FREQ);
    add_related_id(sub, hf_perflibv2_counter_multi_id, view, c->offset + AT_counter_reg_multi_id, c->multi_id,
        needs & COOK_NEEDS_MULTI);
    tree_add(sub, hf_perflibv2_counter_aggregate, lp, c->offset + MEMBER(counter_reg, aggregate));
    tree_add(sub, hf_perflibv2_counter_reserved, lp, c->offset + MEMBER(counter_reg, reserved));
    tree_show_findings(view, sub, c->offset + LP_COUNTER_REG_SIZE);
}

static void
show_counterset_reg(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    proto_tree *sub =
        proto_tree_add_subtree(tree, lp->tvb, 0, LP_COUNTERSET_REG_SIZE, ett_perflibv2_counter, NULL, "Counterset");

    lpdata_tree_counterset(sub, lp->tvb, 0, LP_GUID_SIZE, &lp->counterset.guid, view->server, view->pinfo->num);
    tree_add(sub, hf_perflibv2_counterset_type, lp, MEMBER(counterset_reg, type));
    tree_add(sub, hf_perflibv2_counterset_detail_level, lp, MEMBER(counterset_reg, detail_level));
    tree_add(sub, hf_perflibv2_counterset_num_counters, lp, MEMBER(counterset_reg, num_counters));
    tree_add(sub, hf_perflibv2_counterset_instance_type, lp, MEMBER(counterset_reg, instance_type));
    tree_show_findings(view, sub, LP_COUNTERSET_REG_SIZE);
}

void
tree_counters(struct lpdata_view *view, proto_tree *tree)
{
    const unsigned counters = lpdata_count(view->lp->counters);

    if (view->lp->has_counterset) {
        show_counterset_reg(view, tree);
    }
    for (unsigned i = 0; i < counters; i++) {
        if (!tree_has_room(view, 14 + COUNTER_TYPE_TREE_ITEMS, counters - i)) {
            break;
        }
        show_counter_reg(view, tree, lpdata_counter(view->lp, i));
    }
}

void
tree_counters_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_counterset_type,
            { "Counterset type", "perflibv2.counterset.type", FT_UINT32, BASE_DEC, NULL, 0,
                "CounterSetType: not used, must be 0", HFILL } },
        { &hf_perflibv2_counterset_detail_level,
            { "Detail level", "perflibv2.counterset.detail_level", FT_UINT32, BASE_DEC, VALS(perf_detail_level_vals), 0,
                "DetailLevel of the counterset: for novice, advanced or expert users", HFILL } },
        { &hf_perflibv2_counterset_num_counters,
            { "Number of counters", "perflibv2.counterset.num_counters", FT_UINT32, BASE_DEC, NULL, 0,
                "NumCounters: number of counters in the counterset", HFILL } },
        { &hf_perflibv2_counterset_instance_type,
            { "Instance type", "perflibv2.counterset.instance_type", FT_UINT32, BASE_HEX,
                VALS(lpdata_instance_type_vals), 0,
                "InstanceType: one or several instances, and whether the client aggregates them", HFILL } },
        { &hf_perflibv2_counter_attrib,
            { "Attributes", "perflibv2.counter.attrib", FT_UINT64, BASE_HEX, NULL, 0,
                "Attrib: how a value is displayed", HFILL } },
        { &hf_perflibv2_counter_attrib_reference,
            { "PERF_ATTRIB_BY_REFERENCE", "perflibv2.counter.attrib.reference", FT_BOOLEAN, 64, NULL, 0x01,
                "The provider stores a pointer to the value", HFILL } },
        { &hf_perflibv2_counter_attrib_no_display,
            { "PERF_ATTRIB_NO_DISPLAYABLE", "perflibv2.counter.attrib.no_display", FT_BOOLEAN, 64, NULL, 0x02,
                "Not to be displayed", HFILL } },
        { &hf_perflibv2_counter_attrib_no_group_separator,
            { "PERF_ATTRIB_NO_GROUP_SEPARATOR", "perflibv2.counter.attrib.no_group_separator", FT_BOOLEAN, 64, NULL,
                0x04, "Displayed without commas between digits", HFILL } },
        { &hf_perflibv2_counter_attrib_as_real,
            { "PERF_ATTRIB_DISPLAY_AS_REAL", "perflibv2.counter.attrib.as_real", FT_BOOLEAN, 64, NULL, 0x08,
                "Displayed as a real number", HFILL } },
        { &hf_perflibv2_counter_attrib_as_hex,
            { "PERF_ATTRIB_DISPLAY_AS_HEX", "perflibv2.counter.attrib.as_hex", FT_BOOLEAN, 64, NULL, 0x10,
                "Displayed as a hexadecimal number", HFILL } },
        { &hf_perflibv2_counter_detail_level,
            { "Detail level", "perflibv2.counter.detail_level", FT_UINT32, BASE_DEC, VALS(perf_detail_level_vals), 0,
                "DetailLevel of the counter: for novice, advanced or expert users", HFILL } },
        { &hf_perflibv2_counter_default_scale,
            { "Default scale", "perflibv2.counter.default_scale", FT_INT32, BASE_DEC, NULL, 0,
                "DefaultScale: power of ten for display (not applied here)", HFILL } },
        { &hf_perflibv2_counter_base_id,
            { "Base counter id", "perflibv2.counter.base_id", FT_UINT32, BASE_DEC, NULL, 0,
                "BaseCounterId: counter whose value is the divisor", HFILL } },
        { &hf_perflibv2_counter_perf_time_id,
            { "Time counter id", "perflibv2.counter.perf_time_id", FT_UINT32, BASE_DEC, NULL, 0,
                "PerfTimeId: counter that contains the time", HFILL } },
        { &hf_perflibv2_counter_perf_freq_id,
            { "Frequency counter id", "perflibv2.counter.perf_freq_id", FT_UINT32, BASE_DEC, NULL, 0,
                "PerfFreqId: counter that contains the frequency of that time", HFILL } },
        { &hf_perflibv2_counter_multi_id,
            { "Multi counter id", "perflibv2.counter.multi_id", FT_UINT32, BASE_DEC, NULL, 0,
                "MultiId: counter that contains the number of summed instances", HFILL } },
        { &hf_perflibv2_counter_aggregate,
            { "Aggregate function", "perflibv2.counter.aggregate", FT_UINT32, BASE_DEC, VALS(aggregate_vals), 0,
                "AggregateFunc: how the client combines the values of all instances", HFILL } },
        { &hf_perflibv2_counter_reserved,
            { "Reserved", "perflibv2.counter.reserved", FT_UINT32, BASE_HEX, NULL, 0,
                "Reserved member of _PERF_COUNTER_REG_INFO, must be 0", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2_counter, &ett_perflibv2_counter_attrib };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
}
