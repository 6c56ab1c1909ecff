/* tree-data.c
 * Trees of counter data: header, blocks, values, aggregates
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/tree.h"

#include <wsutil/nstime.h>
#include <wsutil/str_util.h>

#include "base/systemtime.h"

static int hf_perflibv2_data_total_size = -1;
static int hf_perflibv2_data_num_counters = -1;
static int hf_perflibv2_data_perf_time_stamp = -1;
static int hf_perflibv2_data_perf_time_100ns = -1;
static int hf_perflibv2_data_perf_freq = -1;
static int hf_perflibv2_data_system_time = -1;
static int hf_perflibv2_block = -1;
static int hf_perflibv2_block_index = -1;
static int hf_perflibv2_block_status = -1;
static int hf_perflibv2_block_type = -1;
static int hf_perflibv2_block_size = -1;
static int hf_perflibv2_block_reserved = -1;
static int hf_perflibv2_multi_counters_size = -1;
static int hf_perflibv2_multi_counters_counters = -1;
static int hf_perflibv2_multi_instances_total_size = -1;
static int hf_perflibv2_multi_instances_instances = -1;
static int hf_perflibv2_aggregate = -1;
static int hf_perflibv2_aggregate_path = -1;
static int hf_perflibv2_block_link = -1;
static int hf_perflibv2_block_mapped_in = -1;
static int hf_perflibv2_value = -1;
static int hf_perflibv2_value_data_size = -1;
static int hf_perflibv2_value_size = -1;
static int hf_perflibv2_value_text = -1;
static int hf_perflibv2_value_bytes = -1;

static int ett_perflibv2_data_header = -1;
static int ett_perflibv2_ids = -1;
static int ett_perflibv2_block = -1;

static expert_field ei_perflibv2_block_error = EI_INIT;

static const value_string block_type_vals[] = {
    { PERF_ERROR_RETURN, "PERF_ERROR_RETURN" },
    { PERF_SINGLE_COUNTER, "PERF_SINGLE_COUNTER" },
    { PERF_MULTIPLE_COUNTERS, "PERF_MULTIPLE_COUNTERS" },
    { PERF_MULTIPLE_INSTANCES, "PERF_MULTIPLE_INSTANCES" },
    { PERF_COUNTERSET, "PERF_COUNTERSET" },
    { 0, NULL },
};

static void
show_data_header(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    proto_item *item;
    proto_tree *sub =
        proto_tree_add_subtree(tree, lp->tvb, 0, LP_DATA_HEADER_SIZE, ett_perflibv2_data_header, &item, "Data header");
    nstime_t time = NSTIME_INIT_ZERO;

    if (perflib_tree_is_seen(tree)) {
        const uint16_t *t = lp->header.system_time;

        proto_item_append_text(item, ", %s, taken at %04u-%02u-%02u %02u:%02u:%02u.%03u UTC",
            count_text(view->pinfo->pool, lpdata_count(lp->blocks), "block"), t[0], t[1], t[3], t[4], t[5], t[6], t[7]);
    }
    tree_add(sub, hf_perflibv2_data_total_size, lp, MEMBER(data_header, total_size));
    tree_add(sub, hf_perflibv2_data_num_counters, lp, MEMBER(data_header, num_counters));
    tree_add(sub, hf_perflibv2_data_perf_time_stamp, lp, MEMBER(data_header, perf_time_stamp));
    if (time_100ns_to_nstime(lp->header.perf_time_100ns, &time)) {
        /* Also show the time as a number: it is X in the formulas of counter types. */
        proto_item_append_text(proto_tree_add_time(sub, hf_perflibv2_data_perf_time_100ns, lp->tvb,
                                   MEMBER(data_header, perf_time_100ns), &time),
            " (%" PRIu64 ")", lp->header.perf_time_100ns);
    } else {
        proto_tree_add_time_format_value(sub, hf_perflibv2_data_perf_time_100ns, lp->tvb,
            MEMBER(data_header, perf_time_100ns), &time, "0x%016" PRIx64, lp->header.perf_time_100ns);
    }
    tree_add(sub, hf_perflibv2_data_perf_freq, lp, MEMBER(data_header, perf_freq));
    if (systemtime_to_nstime(lp->header.system_time, &time)) {
        item =
            proto_tree_add_time(sub, hf_perflibv2_data_system_time, lp->tvb, MEMBER(data_header, system_time), &time);
    } else {
        item = proto_tree_add_time_format_value(sub, hf_perflibv2_data_system_time, lp->tvb,
            MEMBER(data_header, system_time), &time, "%s", systemtime_text(view->pinfo->pool, lp->header.system_time));
    }
    systemtime_tree_add(&perflibv2_time_fields, item, lp->tvb, AT_data_header_system_time, ENC_LITTLE_ENDIAN);
    tree_show_findings(view, sub, LP_DATA_HEADER_SIZE);
}

/* Adds the raw value: a number, text or bytes. */
static proto_item *
add_raw_value(struct lpdata_view *view, proto_tree *tree, unsigned index, const struct poll_column *counter)
{
    tvbuff_t *tvb = view->lp->tvb;
    const struct lp_value *value = &view->lp->values[index];
    const unsigned data = value->offset + LP_COUNTER_DATA_SIZE;

    if (counter != NULL && counter->type_known && (counter->type & PERF_TYPE_KIND_MASK) == PERF_TYPE_KIND_TEXT) {
        const struct utf16_text text = utf16_measure(tvb, data, value->data_size);

        return proto_tree_add_string(tree, hf_perflibv2_value_text, tvb, (int)data, (int)value->data_size,
            utf16_get(view->pinfo->pool, tvb, data, text, ENC_LITTLE_ENDIAN));
    }
    if (value->data_size == 4 || value->data_size == 8) {
        return proto_tree_add_uint64(tree, hf_perflibv2_value, tvb, (int)data, (int)value->data_size,
            view->lp->numbers[index]);
    }
    if (value->data_size == 0) {
        return proto_tree_add_bytes_format_value(tree, hf_perflibv2_value_bytes, tvb, (int)data, 0, NULL, "no data");
    }
    return proto_tree_add_item(tree, hf_perflibv2_value_bytes, tvb, (int)data, (int)value->data_size, ENC_NA);
}

static void
add_value_sizes(struct lpdata_view *view, proto_tree *tree, const struct lp_value *value)
{
    tree_add(tree, hf_perflibv2_value_data_size, view->lp, value->offset + MEMBER(counter_data, data_size));
    tree_add(tree, hf_perflibv2_value_size, view->lp, value->offset + MEMBER(counter_data, size));
}

/*
 * Adds watched values at the top of a poll, so that users need not search hundreds of values. Filters on watched values
 * are exact even if the value itself does not fit into the tree.
 */
static void
show_watched(struct lpdata_view *view, proto_tree *tree)
{
    const struct aggregates *aggregates = values_aggregates(view->values);

    values_fill_rows(view->values);
    poll_add_watched(&view->values->base, view->pinfo, tree);
    for (unsigned i = 0; aggregates != NULL && i < aggregates->count; i++) {
        const struct aggregate *one = &aggregates->all[i];

        if (!one->is_own) {
            watch_add(view->pinfo, tree, view->lp->tvb, 0, 0, one->path, &one->cooked);
        }
    }
}

/* Adds a value whose counter and instance are known: one line, and further items only if Wireshark needs them. */
static void
show_named_value(struct lpdata_view *view, proto_tree *tree, unsigned block, unsigned at)
{
    struct poll *poll = &view->values->base;
    const struct poll_block *of = &poll->blocks[block];
    const unsigned index = lpdata_block(view->lp, block)->first_value + at;
    proto_tree *sub = poll_add_value(poll, &view->seen, tree, block, at);

    item_rest_hide(&view->rest, sub == NULL ? NULL : proto_tree_get_parent(sub));
    sub = sub == NULL ? tree : sub;
    if (view->sizes_wanted) {
        add_value_sizes(view, sub, &view->lp->values[index]);
    }
    if (view->raw_wanted) {
        add_raw_value(view, sub, index, &of->columns[at % of->num_columns]);
    }
    poll_add_cooked(poll, &view->seen, sub, block, at);
}

/*
 * Determines which fields of values Wireshark needs. If none, as for a filter on other fields, the values are skipped.
 */
static void
find_wanted(struct lpdata_view *view, proto_tree *tree)
{
    view->seen = (struct poll_view){
        .pinfo = view->pinfo,
        .fields = &perflibv2_poll_fields,
        .wants = poll_wants(&perflibv2_poll_fields, tree),
        .rest = &view->rest,
    };
    view->raw_wanted = proto_field_is_referenced(tree, hf_perflibv2_value) ||
        proto_field_is_referenced(tree, hf_perflibv2_value_text) ||
        proto_field_is_referenced(tree, hf_perflibv2_value_bytes);
    view->sizes_wanted = proto_field_is_referenced(tree, hf_perflibv2_value_data_size) ||
        proto_field_is_referenced(tree, hf_perflibv2_value_size);
    view->seen.wants.table = view->seen.wants.table || view->findings_wanted;
    view->values_wanted =
        view->raw_wanted || view->sizes_wanted || view->findings_wanted || poll_wants_any(&view->seen.wants);
}

static void
show_ids(struct lpdata_view *view, proto_tree *tree, const struct lp_block *block)
{
    const struct lpdata *lp = view->lp;
    const unsigned ids = block->counters_offset + LP_MULTI_COUNTERS_SIZE;
    unsigned end = ids + 4 * block->num_ids;
    proto_tree *sub;

    tree_add(tree, hf_perflibv2_multi_counters_size, lp, block->counters_offset + MEMBER(multi_counters, size));
    tree_add(tree, hf_perflibv2_multi_counters_counters, lp, block->counters_offset + MEMBER(multi_counters, counters));
    sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)ids, (int)(4 * block->num_ids), ett_perflibv2_ids, NULL,
        "%u counter ids", block->num_ids);
    for (unsigned i = 0; i < block->num_ids; i++) {
        if (!tree_has_room(view, 3, block->num_ids - i)) {
            break;
        }
        lpdata_tree_counter_id(sub, lp->tvb, ids + 4 * i, 4, lpdata_block_id(lp, block, i), view->counterset,
            view->server, view->pinfo->num);
    }
    if (block->instances_offset != 0) {
        tree_add_rest(tree, true, lp, end, block->instances_offset);
    } else if (block->num_values > 0) {
        tree_add_rest(tree, true, lp, end, lp->values[block->first_value].offset);
    }
}

/* Adds values first to first + count - 1 of a block. */
static void
show_values(struct lpdata_view *view, proto_tree *tree, unsigned block, unsigned first, unsigned count)
{
    const bool is_named = view->values->base.blocks[block].is_named;

    for (unsigned at = first; view->values_wanted && at < first + count; at++) {
        if (!tree_has_room(view, is_named ? 6 : 3, first + count - at)) {
            return;
        }
        if (is_named) {
            show_named_value(view, tree, block, at);
        } else {
            const unsigned index = lpdata_block(view->lp, block)->first_value + at;
            proto_item *item = add_raw_value(view, tree, index, NULL);

            item_rest_hide(&view->rest, item);
            add_value_sizes(view, proto_item_add_subtree(item, perflibv2_poll_fields.ett_value),
                &view->lp->values[index]);
        }
    }
}

/* Adds the counterset and counter of the block, and how they are known. */
static void
show_link(struct lpdata_view *view, proto_tree *tree, const struct value_block *block)
{
    const struct query_link *link = &block->link;
    proto_item *item;

    if (link->kind != LINK_NONE) {
        lpdata_tree_counterset(tree, view->lp->tvb, 0, 0, &link->set, view->server, view->pinfo->num);
        if (link->counter_known && !lpdata_type_has_ids(block->bytes->type)) {
            lpdata_tree_counter_id(tree, view->lp->tvb, 0, 0, link->counter_id, &link->set, view->server,
                view->pinfo->num);
        }
    }
    item = proto_tree_add_string(tree, hf_perflibv2_block_link, view->lp->tvb, 0, 0, inference_link_text(link));
    proto_item_set_generated(item);
    if (link->kind == LINK_MAPPED) {
        proto_tree *sub = proto_item_add_subtree(item, perflibv2_poll_fields.ett_name);

        proto_item_set_generated(
            proto_tree_add_uint(sub, hf_perflibv2_block_mapped_in, view->lp->tvb, 0, 0, link->frame));
    }
}

/*
 * Returns the common path of the values of a block, for example "Processor Information(*)\\Interrupts/sec"; the type of
 * the block if its counterset is unknown.
 */
static const char *
block_path(struct lpdata_view *view, const struct value_block *values)
{
    const struct query_link *link = &values->link;
    const uint32_t type = values->bytes->type;
    const char *counter = "*", *set;

    set = view->poll == NULL || link->kind == LINK_NONE
        ? NULL
        : catalog_counterset_name(view->server, &link->set, view->pinfo->num).text;
    if (set == NULL || type == PERF_ERROR_RETURN) {
        const char *name = val_to_str_const(type, block_type_vals, "unknown type");

        return set == NULL ? name : wmem_strdup_printf(view->pinfo->pool, "%s, %s", set, name);
    }
    if (!lpdata_type_has_ids(type)) {
        counter = !link->counter_known
            ? "counter"
            : catalog_counter_text(view->pinfo->pool, view->server, &link->set, link->counter_id, view->pinfo->num);
    }
    return wmem_strdup_printf(view->pinfo->pool, "%s%s\\%s", set, values->bytes->instances_offset != 0 ? "(*)" : "",
        counter);
}

/* Returns a summary of the block, with the result if it has one value. */
static const char *
block_text(struct lpdata_view *view, unsigned index, const struct value_block *values)
{
    const struct lp_block *block = values->bytes;
    wmem_allocator_t *pool = view->pinfo->pool;
    const char *path, *counters;
    const char *line = poll_only_line(&view->values->base, &view->seen, index);

    if (line != NULL) {
        return line;
    }
    path = block_path(view, values);
    if (block->type == PERF_ERROR_RETURN) {
        return wmem_strdup_printf(pool, "%s, %s", path,
            val_to_str_ext_const(block->status, &win32_error_vals_ext, "unknown status"));
    }
    counters = block->num_ids > 0 ? count_text(view->pinfo->pool, block->num_ids, "counter") : "";
    if (block->instances_offset != 0) {
        return wmem_strdup_printf(pool, "%s, %s%s%s", path,
            count_text(view->pinfo->pool, block->num_instances, "instance"), counters[0] == '\0' ? "" : ", ", counters);
    }
    return wmem_strdup_printf(pool, "%s, %s", path,
        counters[0] != '\0' ? counters : count_text(view->pinfo->pool, block->num_values, "value"));
}

/* Adds the item of a block. Its text is made only if the item is shown or used by a filter or column. */
static proto_item *
add_block_item(struct lpdata_view *view, proto_tree *tree, unsigned index, unsigned length,
    const struct value_block *values)
{
    const struct lp_block *block = values->bytes;
    const bool is_seen = view->seen.wants.is_seen;
    const char *text =
        is_seen || proto_field_is_referenced(tree, hf_perflibv2_block) ? block_text(view, index, values) : "";
    proto_item *item = is_seen
        ? proto_tree_add_string_format(tree, hf_perflibv2_block, view->lp->tvb, (int)block->offset, (int)length, text,
              "Block %u: ", index)
        : proto_tree_add_string(tree, hf_perflibv2_block, view->lp->tvb, (int)block->offset, (int)length, text);

    if (is_seen) {
        item_label_append(view->pinfo->pool, item, text);
    }
    return item;
}

static void
show_block_instances(struct lpdata_view *view, proto_tree *tree, unsigned index)
{
    const struct lp_block *block = lpdata_block(view->lp, index);

    tree_add(tree, hf_perflibv2_multi_instances_total_size, view->lp,
        block->instances_offset + MEMBER(multi_instances, total_size));
    tree_add(tree, hf_perflibv2_multi_instances_instances, view->lp,
        block->instances_offset + MEMBER(multi_instances, instances));
    tree_show_findings(view, tree, block->instances_offset + LP_MULTI_INSTANCES_SIZE);
    for (unsigned i = 0; i < block->num_instances; i++) {
        const struct lp_instance *instance = &view->lp->instances[block->first_instance + i];
        const unsigned first = instance->first_value - block->first_value;
        proto_tree *instance_tree;

        if (!tree_has_room(view, 5, view->values_wanted ? block->num_values - first : 0)) {
            break;
        }
        instance_tree = tree_show_instance(view, tree, instance);
        show_values(view, instance_tree, index, first, instance->num_values);
        tree_show_findings(view, instance_tree, instance->end);
    }
}

static const value_string aggregate_texts[] = {
    { 1, "total" },
    { 2, "average" },
    { 3, "minimum" },
    { 4, "maximum" },
    { 0, NULL },
};

/* Adds aggregates: aggregating countersets have one value per counter, for any number of instances (2.2.4.1). */
static void
show_aggregates(struct lpdata_view *view, proto_tree *tree)
{
    const struct aggregates *aggregates = values_aggregates(view->values);
    const unsigned count = aggregates == NULL ? 0 : aggregates->count;
    wmem_allocator_t *pool = view->pinfo->pool;
    tvbuff_t *tvb = view->lp->tvb;

    for (unsigned i = 0; i < count; i++) {
        const struct aggregate *one = &aggregates->all[i];
        const char *path = one->path;
        const char *of =
            one->num_instances == one->num_returned ? "" : wmem_strdup_printf(pool, " of %u", one->num_returned);
        const char *gone = one->num_gone == 0
            ? ""
            : wmem_strdup_printf(pool, ", %u of them gone since the previous poll", one->num_gone);
        struct line value;
        proto_item *item;

        if (!tree_has_room(view, 2, count - i)) {
            return;
        }
        line_begin(&value);
        poll_add_cooked_text(&value, &one->cooked);
        item = proto_tree_add_string_format(tree, hf_perflibv2_aggregate_path, tvb, 0, 0, path,
            "%s = %s, %s, aggregated from %u%s instance%s%s", path, value.text,
            val_to_str_const(one->function, aggregate_texts, ""), one->num_instances, of,
            plurality(one->num_returned, "", "s"), gone);
        proto_item_set_generated(item);
        item_rest_hide(&view->rest, item);
        if (double_field_fits(view->pinfo, tree, hf_perflibv2_aggregate)) {
            item = proto_tree_add_double_format_value(proto_item_add_subtree(item, perflibv2_poll_fields.ett_value),
                hf_perflibv2_aggregate, tvb, 0, 0, one->cooked.value, "%s", value.text);
            proto_item_set_generated(item);
        }
    }
}

static void
show_block(struct lpdata_view *view, proto_tree *tree, unsigned index)
{
    const struct lpdata *lp = view->lp;
    const struct lp_block *block = lpdata_block(lp, index);
    const unsigned end = MIN(block->end, tvb_captured_length(lp->tvb));
    const struct value_block *values = values_block(view->values, index);
    proto_item *item = add_block_item(view, tree, index, end - block->offset, values);
    proto_tree *sub = proto_item_add_subtree(item, ett_perflibv2_block);
    proto_item *status;

    item_rest_hide(&view->rest, item);
    proto_item_set_generated(proto_tree_add_uint(sub, hf_perflibv2_block_index, lp->tvb, (int)block->offset, 0, index));
    status = tree_add(sub, hf_perflibv2_block_status, lp, block->offset + MEMBER(block, status));
    if (block->type == PERF_ERROR_RETURN) {
        expert_add_info_format(view->pinfo, status, &ei_perflibv2_block_error, "Block %u: %s", index,
            val_to_str_ext_const(block->status, &win32_error_vals_ext, "unknown status"));
    }
    tree_add(sub, hf_perflibv2_block_type, lp, block->offset + MEMBER(block, type));
    tree_add(sub, hf_perflibv2_block_size, lp, block->offset + MEMBER(block, size));
    tree_add(sub, hf_perflibv2_block_reserved, lp, block->offset + MEMBER(block, reserved));
    if (view->poll != NULL) {
        view->counterset = values->link.kind == LINK_NONE ? NULL : &values->link.set;
        show_link(view, sub, values);
    }
    if (block->type == PERF_ERROR_RETURN) {
        poll_add_pdh(&perflibv2_poll_fields, sub, lp->tvb, pdh_of_error(block->status));
    }
    if (block->counters_offset != 0) {
        show_ids(view, sub, block);
    }
    if (block->instances_offset != 0) {
        poll_add_table(&view->values->base, &view->seen, sub, index, &tree_budget);
        show_block_instances(view, sub, index);
    } else {
        show_values(view, sub, index, 0, block->num_values);
    }
    tree_add_rest(sub, lpdata_type_is_known(block->type), lp, block->parsed, block->end);
    tree_show_findings(view, sub, block->end);
}

void
lpdata_tree_data(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    const unsigned count = lpdata_count(lp->blocks);

    if (!tree_is_looked_at(view, tree)) {
        return;
    }
    if (lp->has_data_header) {
        show_data_header(view, tree);
    }
    if (view->poll != NULL) {
        poll_add_neighbours(&perflibv2_poll_fields, view->pinfo, tree, lp->tvb, view->poll->values);
    }
    find_wanted(view, tree);
    values_fill_columns(view->values);
    if (poll_wants_rows(&view->seen.wants) || proto_field_is_referenced(tree, hf_perflibv2_block)) {
        values_fill_rows(view->values);
    }
    if (view->poll != NULL && watch_begin(tree)) {
        show_watched(view, tree);
    }
    if (view->poll != NULL &&
        (view->findings_wanted || proto_field_is_referenced(tree, hf_perflibv2_aggregate) ||
            proto_field_is_referenced(tree, hf_perflibv2_aggregate_path))) {
        show_aggregates(view, tree);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_block *block = lpdata_block(lp, i);

        if (!tree_has_room(view, 20, lp->num_values - block->first_value + count - i)) {
            return;
        }
        show_block(view, tree, i);
    }
}

void
tree_data_register(int proto, expert_module_t *expert)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_data_total_size,
            { "Total size", "perflibv2.data.total_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwTotalSize: size of all data in bytes, with this header", HFILL } },
        { &hf_perflibv2_data_num_counters,
            { "Number of blocks", "perflibv2.data.num_counters", FT_UINT32, BASE_DEC, NULL, 0,
                "dwNumCounter: number of blocks (_PERF_COUNTER_HEADER)", HFILL } },
        { &hf_perflibv2_data_perf_time_stamp,
            { "Performance time", "perflibv2.data.perf_time_stamp", FT_UINT64, BASE_DEC, NULL, 0,
                "PerfTimeStamp: ticks of the high-resolution clock", HFILL } },
        { &hf_perflibv2_data_perf_time_100ns,
            { "Time (100 ns)", "perflibv2.data.perf_time_100ns", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
                "PerfTime100NSec: UTC time of the poll, in 100 ns since 1601", HFILL } },
        { &hf_perflibv2_data_perf_freq,
            { "Performance frequency", "perflibv2.data.perf_freq", FT_UINT64, BASE_DEC, NULL, 0,
                "PerfFreq: ticks of PerfTimeStamp per second", HFILL } },
        { &hf_perflibv2_data_system_time,
            { "System time", "perflibv2.data.system_time", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
                "SystemTime: time of the poll by the server's clock (UTC)", HFILL } },
        { &hf_perflibv2_block,
            { "Block", "perflibv2.block", FT_STRING, BASE_NONE, NULL, 0,
                "Summary of the block, with the result if it has one value", HFILL } },
        { &hf_perflibv2_block_index,
            { "Block index", "perflibv2.block.index", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of the block in this answer, from 0", HFILL } },
        { &hf_perflibv2_block_status,
            { "Status", "perflibv2.block.status", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &win32_error_vals_ext, 0,
                "dwStatus: 0, or why the server has no value for this block", HFILL } },
        { &hf_perflibv2_block_type,
            { "Type", "perflibv2.block.type", FT_UINT32, BASE_DEC, VALS(block_type_vals), 0,
                "dwType: kind of block (one or several counters and instances, or an error)", HFILL } },
        { &hf_perflibv2_block_size,
            { "Size", "perflibv2.block.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _PERF_COUNTER_HEADER: size of the block in bytes, with its header", HFILL } },
        { &hf_perflibv2_block_reserved,
            { "Reserved", "perflibv2.block.reserved", FT_UINT32, BASE_HEX, NULL, 0,
                "Reserved member of _PERF_COUNTER_HEADER, must be 0", HFILL } },
        { &hf_perflibv2_multi_counters_size,
            { "Size of counter ids", "perflibv2.multi_counters.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _PERF_MULTI_COUNTERS: size in bytes, with the counter ids", HFILL } },
        { &hf_perflibv2_multi_counters_counters,
            { "Counters", "perflibv2.multi_counters.counters", FT_UINT32, BASE_DEC, NULL, 0,
                "dwCounters: number of counter ids that follow", HFILL } },
        { &hf_perflibv2_multi_instances_total_size,
            { "Size of instances", "perflibv2.multi_instances.total_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwTotalSize of _PERF_MULTI_INSTANCES: size in bytes, with all instances", HFILL } },
        { &hf_perflibv2_multi_instances_instances,
            { "Instances", "perflibv2.multi_instances.instances", FT_UINT32, BASE_DEC, NULL, 0,
                "dwInstances: number of instances that follow", HFILL } },
        { &hf_perflibv2_aggregate,
            { "Aggregated value", "perflibv2.aggregate", FT_DOUBLE, BASE_NONE, NULL, 0,
                "Value of all returned instances, combined as AggregateFunc says", HFILL } },
        { &hf_perflibv2_aggregate_path,
            { "Aggregate", "perflibv2.aggregate.path", FT_STRING, BASE_NONE, NULL, 0,
                "Path of an aggregated counter, without an instance", HFILL } },
        { &hf_perflibv2_block_link,
            { "Block assigned", "perflibv2.block.link", FT_STRING, BASE_NONE, NULL, 0,
                "How the plugin knows which counter the block belongs to", HFILL } },
        { &hf_perflibv2_block_mapped_in,
            { "Index map in frame", "perflibv2.block.mapped_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "QueryCounterInfo answer that maps the block to its counter", HFILL } },
        { &hf_perflibv2_value,
            { "Value", "perflibv2.value", FT_UINT64, BASE_DEC, NULL, 0, "Raw value: a number of 4 or 8 bytes, as sent",
                HFILL } },
        { &hf_perflibv2_value_data_size,
            { "Data size", "perflibv2.value.data_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwDataSize: size of the value in bytes", HFILL } },
        { &hf_perflibv2_value_size,
            { "Size", "perflibv2.value.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _PERF_COUNTER_DATA: size in bytes, with header and padding", HFILL } },
        { &hf_perflibv2_value_text,
            { "Text", "perflibv2.value.text", FT_STRING, BASE_NONE, NULL, 0, "Value of a PERF_COUNTER_TEXT", HFILL } },
        { &hf_perflibv2_value_bytes,
            { "Bytes", "perflibv2.value.bytes", FT_BYTES, BASE_NONE, NULL, 0,
                "A value that is neither a number nor a text", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2_data_header, &ett_perflibv2_ids, &ett_perflibv2_block };
    static ei_register_info ei[] = {
        { &ei_perflibv2_block_error,
            { "perflibv2.block_error", PI_RESPONSE_CODE, PI_NOTE, "The counter could not be read", EXPFILL } },
    };
    static int *const asked[] = { &perflibv2_poll_fields.path, &perflibv2_poll_fields.cooked,
        &perflibv2_poll_fields.formula, &perflibv2_poll_fields.reason, &perflibv2_poll_fields.pdh, &hf_perflibv2_value,
        &hf_perflibv2_value_data_size, &hf_perflibv2_value_size, &hf_perflibv2_value_text, &hf_perflibv2_value_bytes,
        &hf_perflibv2_block, &hf_perflibv2_block_index, &hf_perflibv2_block_status, &hf_perflibv2_block_type,
        &hf_perflibv2_block_size, &hf_perflibv2_block_link, &hf_perflibv2_aggregate, &hf_perflibv2_aggregate_path,
        NULL };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
    tree_ask_too(asked);
}
