/* tree.c
 * What a person sees of an lpData buffer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <epan/to_str.h>
#include <wsutil/nstime.h>
#include <wsutil/str_util.h>

#include "base/fields.h"
#include "base/systemtime.h"
#include "base/text.h"
#include "base/win32-names.h"
#include "cook/cooking.h"
#include "counters/poll.h"
#include "perflibv2/values.h"
#include "perflibv2/rules-report.h"

static int hf_perflibv2_counterset_guid = -1;
static int hf_perflibv2_counterset_name = -1;
static int hf_perflibv2_counterset_description = -1;
static int hf_perflibv2_counterset_type = -1;
static int hf_perflibv2_counterset_detail_level = -1;
static int hf_perflibv2_counterset_num_counters = -1;
static int hf_perflibv2_counterset_instance_type = -1;
static int hf_perflibv2_counter_id = -1;
static int hf_perflibv2_counter_name = -1;
static int hf_perflibv2_counter_description = -1;
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
static int hf_perflibv2_strings_size = -1;
static int hf_perflibv2_strings_counters = -1;
static int hf_perflibv2_string_offset = -1;
static int hf_perflibv2_provider_name = -1;
static int hf_perflibv2_provider_guid = -1;
static int hf_perflibv2_instance_size = -1;
static int hf_perflibv2_instance_id = -1;
static int hf_perflibv2_instance_name = -1;
static int hf_perflibv2_identifier_status = -1;
static int hf_perflibv2_identifier_status_sent = -1;
static int hf_perflibv2_identifier_size = -1;
static int hf_perflibv2_identifier_index = -1;
static int hf_perflibv2_identifier_reserved = -1;
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
static int hf_perflibv2_padding = -1;
static int hf_perflibv2_unknown = -1;

static int ett_perflibv2_structure = -1;
static int ett_perflibv2_counter_attrib = -1;
static int ett_perflibv2_ids = -1;
static int ett_perflibv2_block = -1;
static int ett_perflibv2_instance = -1;

static expert_field ei_perflibv2_left_out = EI_INIT;
static expert_field ei_perflibv2_out_of_reach = EI_INIT;
static expert_field ei_perflibv2_block_error = EI_INIT;
static expert_field ei_perflibv2_identifier_status = EI_INIT;

static struct item_budget budget = { .preference = 300000, .limit = 900000 };

/* What buffers hold much of: a filter on these finds them beyond what is shown. */
static int *const asked_fields[] = { &perflibv2_poll_fields.path, &perflibv2_poll_fields.cooked,
    &perflibv2_poll_fields.formula, &perflibv2_poll_fields.reason, &perflibv2_poll_fields.pdh, &hf_perflibv2_value,
    &hf_perflibv2_value_data_size, &hf_perflibv2_value_size, &hf_perflibv2_value_text, &hf_perflibv2_value_bytes,
    &hf_perflibv2_instance_size, &hf_perflibv2_instance_id, &hf_perflibv2_instance_name, &hf_perflibv2_block,
    &hf_perflibv2_block_index, &hf_perflibv2_block_status, &hf_perflibv2_block_type, &hf_perflibv2_block_size,
    &hf_perflibv2_block_link, &hf_perflibv2_counterset_guid, &hf_perflibv2_counterset_name, &hf_perflibv2_counter_id,
    &hf_perflibv2_counter_name, &hf_perflibv2_identifier_status, &hf_perflibv2_identifier_index,
    &hf_perflibv2_aggregate, &hf_perflibv2_aggregate_path, NULL };

/* Whether there is room for a structure or a value of so many items (item_budget_room()); else so many are left out. */
static bool
lpdata_tree_has_room(struct lpdata_view *view, unsigned items, unsigned left)
{
    const bool has_room = item_budget_room(&budget, view->pinfo, asked_fields, &view->rest, items);

    if (!has_room) {
        item_rest_leave(&view->rest, left);
    }
    return has_room;
}

static const value_string instance_type_vals[] = {
    { 0x00, "PERF_COUNTERSET_SINGLE_INSTANCE" },
    { 0x02, "PERF_COUNTERSET_MULTI_INSTANCES" },
    { 0x04, "PERF_COUNTERSET_SINGLE_AGGREGATE" },
    { 0x06, "PERF_COUNTERSET_MULTI_AGGREGATE" },
    { 0x0C, "PERF_COUNTERSET_SINGLE_AGGREGATE_HISTORY" },
    { 0x16, "PERF_COUNTERSET_INSTANCE_AGGREGATE" },
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

static const value_string block_type_vals[] = {
    { PERF_ERROR_RETURN, "PERF_ERROR_RETURN" },
    { PERF_SINGLE_COUNTER, "PERF_SINGLE_COUNTER" },
    { PERF_MULTIPLE_COUNTERS, "PERF_MULTIPLE_COUNTERS" },
    { PERF_MULTIPLE_INSTANCES, "PERF_MULTIPLE_INSTANCES" },
    { PERF_COUNTERSET, "PERF_COUNTERSET" },
    { 0, NULL },
};

const value_string lpdata_request_code_vals[] = {
    { PERF_REG_COUNTERSET_STRUCT, "PERF_REG_COUNTERSET_STRUCT" },
    { PERF_REG_COUNTER_STRUCT, "PERF_REG_COUNTER_STRUCT" },
    { PERF_REG_COUNTERSET_NAME_STRING, "PERF_REG_COUNTERSET_NAME_STRING" },
    { PERF_REG_COUNTERSET_HELP_STRING, "PERF_REG_COUNTERSET_HELP_STRING" },
    { PERF_REG_COUNTER_NAME_STRINGS, "PERF_REG_COUNTER_NAME_STRINGS" },
    { PERF_REG_COUNTER_HELP_STRINGS, "PERF_REG_COUNTER_HELP_STRINGS" },
    { PERF_REG_PROVIDER_NAME, "PERF_REG_PROVIDER_NAME" },
    { PERF_REG_PROVIDER_GUID, "PERF_REG_PROVIDER_GUID" },
    { PERF_REG_COUNTERSET_ENGLISH_NAME, "PERF_REG_COUNTERSET_ENGLISH_NAME" },
    { PERF_REG_COUNTER_ENGLISH_NAMES, "PERF_REG_COUNTER_ENGLISH_NAMES" },
    { 0, NULL },
};

static const value_string request_code_texts[] = {
    { PERF_REG_COUNTERSET_STRUCT, "counterset and counters" },
    { PERF_REG_COUNTER_STRUCT, "counter" },
    { PERF_REG_COUNTERSET_NAME_STRING, "counterset name" },
    { PERF_REG_COUNTERSET_HELP_STRING, "counterset description" },
    { PERF_REG_COUNTER_NAME_STRINGS, "counter names" },
    { PERF_REG_COUNTER_HELP_STRINGS, "counter descriptions" },
    { PERF_REG_PROVIDER_NAME, "provider name" },
    { PERF_REG_PROVIDER_GUID, "provider GUID" },
    { PERF_REG_COUNTERSET_ENGLISH_NAME, "counterset English name" },
    { PERF_REG_COUNTER_ENGLISH_NAMES, "counter English names" },
    { 0, NULL },
};

const char *
lpdata_request_code_text(uint32_t request_code)
{
    return try_val_to_str(request_code, request_code_texts);
}

static void
append_text(const struct lpdata_view *view, proto_item *item, const char *text)
{
    item_label_append(view->pinfo->pool, item, text);
}

static inline proto_item *
add_le(proto_tree *tree, int hf, const struct lpdata *lp, unsigned offset, int length)
{
    return proto_tree_add_item(tree, hf, lp->tvb, (int)offset, length, ENC_LITTLE_ENDIAN);
}

static void
add_rest(proto_tree *tree, int hf, const struct lpdata *lp, unsigned from, unsigned to)
{
    to = MIN(to, tvb_captured_length(lp->tvb));
    if (from < to) {
        proto_tree_add_item(tree, hf, lp->tvb, (int)from, (int)(to - from), ENC_NA);
    }
}

static void
lpdata_tree_add_padding(proto_tree *tree, const struct lpdata *lp, unsigned from, unsigned to)
{
    add_rest(tree, hf_perflibv2_padding, lp, from, to);
}

/* The findings that begin before end. */
static void
show_findings(struct lpdata_view *view, proto_tree *tree, unsigned end)
{
    rules_show(view->lp->report, &view->next_finding, end, view->pinfo, tree, view->lp->tvb);
}

void
lpdata_tree_pdh(proto_tree *tree, tvbuff_t *tvb, uint32_t error)
{
    poll_add_pdh(&perflibv2_poll_fields, tree, tvb, pdh_of_error(error));
}

void
lpdata_tree_counterset(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const e_guid_t *guid,
    const struct server *server, uint32_t frame)
{
    if (tree == NULL) {
        return;
    }
    proto_tree_add_guid(tree, hf_perflibv2_counterset_guid, tvb, (int)offset, LP_GUID_SIZE, guid);
    poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_counterset_name, tvb,
        catalog_counterset_name(server, guid, frame));
}

void
lpdata_tree_counter_id(proto_tree *tree, tvbuff_t *tvb, unsigned offset, uint32_t id, const e_guid_t *counterset,
    const struct server *server, uint32_t frame)
{
    if (tree == NULL) {
        return;
    }
    if (id == PERF_WILDCARD_COUNTER) {
        proto_tree_add_uint_format_value(tree, hf_perflibv2_counter_id, tvb, (int)offset, 4, id,
            "PERF_WILDCARD_COUNTER (0xffffffff)");
        return;
    }
    proto_tree_add_uint(tree, hf_perflibv2_counter_id, tvb, (int)offset, 4, id);
    if (counterset != NULL) {
        poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_counter_name, tvb,
            catalog_counter_name(server, counterset, id, frame));
    }
}

void
lpdata_tree_guids(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    const unsigned count = tvb_captured_length(lp->tvb) / LP_GUID_SIZE;

    for (unsigned i = 0; tree != NULL && i < count; i++) {
        const unsigned offset = i * LP_GUID_SIZE;
        struct catalog_text name;
        e_guid_t guid;
        proto_item *item;

        if (!lpdata_tree_has_room(view, 3, count - i)) {
            return;
        }
        tvb_get_guid(lp->tvb, (int)offset, &guid, view->guid_encoding);
        item = proto_tree_add_guid(tree, hf_perflibv2_counterset_guid, lp->tvb, (int)offset, LP_GUID_SIZE, &guid);
        item_rest_hide(&view->rest, item);
        name = catalog_counterset_name(view->server, &guid, view->pinfo->num);
        if (name.text != NULL) {
            append_text(view, item, wmem_strdup_printf(view->pinfo->pool, " (%s)", name.text));
            poll_add_learned_name(&perflibv2_poll_fields, proto_item_add_subtree(item, perflibv2_poll_fields.ett_name),
                hf_perflibv2_counterset_name, lp->tvb, name);
        }
    }
}

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
 * The id of a related counter, with its name; 0xFFFFFFFF is none. is_needed: the type is computed with it; else 0 is
 * none as well, and so it is where counter 0 is of no type that can be it.
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
    if ((id != 0 || is_needed) && catalog_counter(view->server, view->counterset, id, view->pinfo->num, &counter) &&
        counter.name.text != NULL &&
        (id != 0 ||
            (counter.type_known &&
                (hf == hf_perflibv2_counter_base_id ? perf_counter_type_is_base(counter.type)
                                                    : perf_counter_type_is_operand(counter.type))))) {
        append_text(view, item, wmem_strdup_printf(view->pinfo->pool, " (%s)", counter.name.text));
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

    sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)c->offset, LP_COUNTER_REG_SIZE, ett_perflibv2_structure,
        &item, "Counter %u", c->id);
    item_rest_hide(&view->rest, item);
    if (name != NULL) {
        append_text(view, item, wmem_strdup_printf(view->pinfo->pool, " %s", name));
    }
    proto_item_append_text(item, ", %s", val_to_str_ext_const(c->type, &counter_type_vals_ext, "unknown type"));
    lpdata_tree_counter_id(sub, lp->tvb, c->offset, c->id, view->counterset, view->server, view->pinfo->num);
    type_tree_add(sub, lp->tvb, c->offset + 4, &perflibv2_type_fields, ENC_LITTLE_ENDIAN, c->type);
    add_counter_attrib(sub, lp, c->offset + 8);
    add_le(sub, hf_perflibv2_counter_detail_level, lp, c->offset + 16, 4);
    add_le(sub, hf_perflibv2_counter_default_scale, lp, c->offset + 20, 4);
    add_related_id(sub, hf_perflibv2_counter_base_id, view, c->offset + 24, c->base_id, needs & COOK_NEEDS_BASE);
    add_related_id(sub, hf_perflibv2_counter_perf_time_id, view, c->offset + 28, c->perf_time_id,
        needs & COOK_NEEDS_TIME);
    add_related_id(sub, hf_perflibv2_counter_perf_freq_id, view, c->offset + 32, c->perf_freq_id,
        needs & COOK_NEEDS_FREQ);
    add_related_id(sub, hf_perflibv2_counter_multi_id, view, c->offset + 36, c->multi_id, needs & COOK_NEEDS_MULTI);
    add_le(sub, hf_perflibv2_counter_aggregate, lp, c->offset + 40, 4);
    add_le(sub, hf_perflibv2_counter_reserved, lp, c->offset + 44, 4);
    show_findings(view, sub, c->offset + LP_COUNTER_REG_SIZE);
}

static void
show_counterset_reg(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    proto_tree *sub =
        proto_tree_add_subtree(tree, lp->tvb, 0, LP_COUNTERSET_REG_SIZE, ett_perflibv2_structure, NULL, "Counterset");

    lpdata_tree_counterset(sub, lp->tvb, 0, &lp->counterset.guid, view->server, view->pinfo->num);
    add_le(sub, hf_perflibv2_counterset_type, lp, 16, 4);
    add_le(sub, hf_perflibv2_counterset_detail_level, lp, 20, 4);
    add_le(sub, hf_perflibv2_counterset_num_counters, lp, 24, 4);
    add_le(sub, hf_perflibv2_counterset_instance_type, lp, 28, 4);
    show_findings(view, sub, LP_COUNTERSET_REG_SIZE);
}

static void
add_text(proto_tree *tree, int hf, struct lpdata_view *view, unsigned offset, struct utf16_text text)
{
    if (proto_field_is_referenced(tree, hf)) {
        proto_tree_add_string(tree, hf, view->lp->tvb, (int)offset, (int)(text.size + (text.terminated ? 2 : 0)),
            utf16_get(view->pinfo->pool, view->lp->tvb, offset, text, ENC_LITTLE_ENDIAN));
    }
}

static void
show_strings(struct lpdata_view *view, proto_tree *tree, int hf)
{
    const struct lpdata *lp = view->lp;
    const unsigned count = lpdata_count(lp->strings);
    unsigned furthest = 0;
    proto_item *item;

    if (tvb_captured_length(lp->tvb) < LP_STRING_BUFFER_SIZE) {
        return;
    }
    add_le(tree, hf_perflibv2_strings_size, lp, 0, 4);
    add_le(tree, hf_perflibv2_strings_counters, lp, 4, 4);
    show_findings(view, tree, LP_STRING_BUFFER_SIZE);
    for (unsigned i = 0; i < count; i++) {
        const struct lp_counter_string *s = lpdata_counter_string(lp, i);
        const unsigned reached = s->present ? MAX(s->offset, s->text_offset) : s->offset;
        proto_tree *sub;

        /* Strings that stand before earlier ones, or are the same, are few: see base/fields.h. */
        if (!item_budget_reserve(&budget, view->pinfo,
                item_budget_text_items(&budget, reached > furthest ? 5 : 120, s->text.size))) {
            item_rest_leave(&view->rest, count - i);
            return;
        }
        furthest = MAX(furthest, reached);
        sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)s->offset, LP_STRING_COUNTER_SIZE,
            ett_perflibv2_structure, &item, "Counter %u", s->id);
        proto_tree_add_uint(sub, hf_perflibv2_counter_id, lp->tvb, (int)s->offset, 4, s->id);
        if (s->string_offset == PERF_ID_NONE) {
            proto_tree_add_uint_format_value(sub, hf_perflibv2_string_offset, lp->tvb, (int)s->offset + 4, 4,
                s->string_offset, "none (0xffffffff)");
            proto_item_append_text(item, ": no string");
        } else {
            proto_tree_add_uint_format_value(sub, hf_perflibv2_string_offset, lp->tvb, (int)s->offset + 4, 4,
                s->string_offset, "%u, from %s", s->string_offset,
                lp->offset_from_headers ? "the end of the headers" : "the start of the buffer");
        }
        if (s->present) {
            append_text(view, item, ": ");
            append_text(view, item, utf16_line(view->pinfo->pool, lp->tvb, s->text_offset, s->text, ENC_LITTLE_ENDIAN));
            add_text(sub, hf, view, s->text_offset, s->text);
        }
        show_findings(view, sub, s->offset + LP_STRING_COUNTER_SIZE);
    }
}

void
lpdata_tree_registration(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    const unsigned counters = lpdata_count(lp->counters);

    if (tree == NULL) {
        return;
    }
    switch (lp->request_code) {
    case PERF_REG_COUNTERSET_STRUCT:
    case PERF_REG_COUNTER_STRUCT:
        if (lp->has_counterset) {
            show_counterset_reg(view, tree);
        }
        for (unsigned i = 0; i < counters; i++) {
            if (!lpdata_tree_has_room(view, 14 + COUNTER_TYPE_TREE_ITEMS, counters - i)) {
                break;
            }
            show_counter_reg(view, tree, lpdata_counter(lp, i));
        }
        break;
    case PERF_REG_COUNTERSET_NAME_STRING:
    case PERF_REG_COUNTERSET_ENGLISH_NAME: add_text(tree, hf_perflibv2_counterset_name, view, 0, lp->string); break;
    case PERF_REG_COUNTERSET_HELP_STRING:
        add_text(tree, hf_perflibv2_counterset_description, view, 0, lp->string);
        break;
    case PERF_REG_PROVIDER_NAME: add_text(tree, hf_perflibv2_provider_name, view, 0, lp->string); break;
    case PERF_REG_PROVIDER_GUID:
        if (lp->has_provider) {
            proto_tree_add_guid(tree, hf_perflibv2_provider_guid, lp->tvb, 0, LP_GUID_SIZE, &lp->provider);
            poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_provider_name, lp->tvb,
                catalog_provider_name(view->server, &lp->provider, view->pinfo->num));
        }
        break;
    case PERF_REG_COUNTER_NAME_STRINGS:
    case PERF_REG_COUNTER_ENGLISH_NAMES: show_strings(view, tree, hf_perflibv2_counter_name); break;
    case PERF_REG_COUNTER_HELP_STRINGS: show_strings(view, tree, hf_perflibv2_counter_description); break;
    }
}

/* Header, name and padding of an instance; the tree its values go under. */
static proto_tree *
lpdata_tree_show_instance(struct lpdata_view *view, proto_tree *tree, const struct lp_instance *instance)
{
    const struct lpdata *lp = view->lp;
    const char *name = !perflib_tree_is_seen(tree)
        ? ""
        : utf16_line(view->pinfo->pool, lp->tvb, instance->name_offset, instance->name, ENC_LITTLE_ENDIAN);
    const unsigned name_end = instance->name_offset + instance->name.size + (instance->name.terminated ? 2 : 0);
    const unsigned captured = tvb_captured_length(lp->tvb);
    proto_item *item;
    proto_tree *sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)instance->offset,
        (int)(MIN(instance->end, captured) - instance->offset), ett_perflibv2_instance, &item, "Instance \"%s\" (%u)",
        name, instance->id);

    item_rest_hide(&view->rest, item);
    add_le(sub, hf_perflibv2_instance_size, lp, instance->offset, 4);
    add_le(sub, hf_perflibv2_instance_id, lp, instance->offset + 4, 4);
    add_text(sub, hf_perflibv2_instance_name, view, instance->name_offset, instance->name);
    lpdata_tree_add_padding(sub, lp, name_end,
        instance->num_values > 0 ? lpdata_value(lp, instance->first_value)->offset : instance->end);
    return sub;
}

void
lpdata_tree_instances(struct lpdata_view *view, proto_tree *tree)
{
    const unsigned count = view->lp->num_instances;

    for (unsigned i = 0; tree != NULL && i < count; i++) {
        const struct lp_instance *instance = lpdata_instance(view->lp, i);

        if (!lpdata_tree_has_room(view, 5, count - i)) {
            return;
        }
        show_findings(view, lpdata_tree_show_instance(view, tree, instance), instance->end);
    }
}

static const char *
identifier_counter_text(struct lpdata_view *view, const struct lp_identifier *id)
{
    return id->counter_id == PERF_WILDCARD_COUNTER
        ? "all counters"
        : catalog_counter_text(view->pinfo->pool, view->server, &id->guid, id->counter_id, view->pinfo->num);
}

static void
show_identifier(struct lpdata_view *view, proto_tree *tree, unsigned index, const struct lp_identifier *id)
{
    const struct lpdata *lp = view->lp;
    const unsigned captured = tvb_captured_length(lp->tvb);
    const struct catalog_text set = catalog_counterset_name(view->server, &id->guid, view->pinfo->num);
    const char *name = utf16_line(view->pinfo->pool, lp->tvb, id->name_offset, id->name, ENC_LITTLE_ENDIAN);
    const bool all_instances = strcmp(name, "*") == 0;
    proto_item *item, *status;
    proto_tree *sub;

    sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)id->offset, (int)(MIN(id->end, captured) - id->offset),
        ett_perflibv2_structure, &item, "Identifier %u: %s, %s", index,
        set.text != NULL ? set.text : guid_to_str(view->pinfo->pool, &id->guid), identifier_counter_text(view, id));
    item_rest_hide(&view->rest, item);
    if (all_instances) {
        proto_item_append_text(item, ", all instances");
    } else if (id->name.size > 0) {
        append_text(view, item, wmem_strdup_printf(view->pinfo->pool, ", instance \"%s\"", name));
    }
    lpdata_tree_counterset(sub, lp->tvb, id->offset, &id->guid, view->server, view->pinfo->num);
    /* Status is the server's to fill in (3.1.4.1.7): in a request it means nothing and is found by another name. */
    status = proto_tree_add_uint(sub,
        view->is_request ? hf_perflibv2_identifier_status_sent : hf_perflibv2_identifier_status, lp->tvb,
        (int)id->offset + 16, 4, id->status);
    if (id->status != 0 && !view->is_request) {
        proto_item_append_text(item, ": %s", val_to_str_ext_const(id->status, &win32_error_vals_ext, "unknown status"));
        expert_add_info_format(view->pinfo, status, &ei_perflibv2_identifier_status, "Identifier %u: %s", index,
            val_to_str_ext_const(id->status, &win32_error_vals_ext, "unknown status"));
        lpdata_tree_pdh(sub, lp->tvb, id->status);
    }
    add_le(sub, hf_perflibv2_identifier_size, lp, id->offset + 20, 4);
    lpdata_tree_counter_id(sub, lp->tvb, id->offset + 24, id->counter_id, &id->guid, view->server, view->pinfo->num);
    if (id->instance_id == PERF_ID_NONE) {
        proto_tree_add_uint_format_value(sub, hf_perflibv2_instance_id, lp->tvb, (int)id->offset + 28, 4,
            id->instance_id, "any (0xffffffff)");
    } else {
        add_le(sub, hf_perflibv2_instance_id, lp, id->offset + 28, 4);
    }
    if (id->name.size == 0) {
        poll_add_learned_name(&perflibv2_poll_fields, sub, hf_perflibv2_instance_name, lp->tvb,
            catalog_instance_name(view->server, &id->guid, id->instance_id));
    }
    add_le(sub, hf_perflibv2_identifier_index, lp, id->offset + 32, 4);
    add_le(sub, hf_perflibv2_identifier_reserved, lp, id->offset + 36, 4);
    if (id->end > id->name_offset) {
        const unsigned name_end = id->name_offset + id->name.size + (id->name.terminated ? 2 : 0);

        if (all_instances) {
            proto_tree_add_string_format_value(sub, hf_perflibv2_instance_name, lp->tvb, (int)id->name_offset,
                (int)(name_end - id->name_offset), name, "* (PERF_WILDCARD_INSTANCE)");
        } else {
            add_text(sub, hf_perflibv2_instance_name, view, id->name_offset, id->name);
        }
        lpdata_tree_add_padding(sub, lp, name_end, id->end);
    }
    show_findings(view, sub, id->end);
}

void
lpdata_tree_identifiers(struct lpdata_view *view, proto_tree *tree)
{
    const unsigned count = lpdata_count(view->lp->identifiers);

    for (unsigned i = 0; tree != NULL && i < count; i++) {
        if (!lpdata_tree_has_room(view, 15, count - i)) {
            return;
        }
        show_identifier(view, tree, i, lpdata_identifier(view->lp, i));
    }
}

static void
show_data_header(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    proto_item *item;
    proto_tree *sub =
        proto_tree_add_subtree(tree, lp->tvb, 0, LP_DATA_HEADER_SIZE, ett_perflibv2_structure, &item, "Data header");
    nstime_t time = NSTIME_INIT_ZERO;

    if (perflib_tree_is_seen(tree)) {
        const uint16_t *t = lp->header.system_time;

        proto_item_append_text(item, ", %s, taken at %04u-%02u-%02u %02u:%02u:%02u.%03u UTC",
            count_text(view->pinfo->pool, lpdata_count(lp->blocks), "block"), t[0], t[1], t[3], t[4], t[5], t[6], t[7]);
    }
    add_le(sub, hf_perflibv2_data_total_size, lp, 0, 4);
    add_le(sub, hf_perflibv2_data_num_counters, lp, 4, 4);
    add_le(sub, hf_perflibv2_data_perf_time_stamp, lp, 8, 8);
    if (time_100ns_to_nstime(lp->header.perf_time_100ns, &time)) {
        /* Formulas have it as X. */
        proto_item_append_text(proto_tree_add_time(sub, hf_perflibv2_data_perf_time_100ns, lp->tvb, 16, 8, &time),
            " (%" PRIu64 ")", lp->header.perf_time_100ns);
    } else {
        proto_tree_add_time_format_value(sub, hf_perflibv2_data_perf_time_100ns, lp->tvb, 16, 8, &time, "0x%016" PRIx64,
            lp->header.perf_time_100ns);
    }
    add_le(sub, hf_perflibv2_data_perf_freq, lp, 24, 8);
    if (systemtime_to_nstime(lp->header.system_time, &time)) {
        item = proto_tree_add_time(sub, hf_perflibv2_data_system_time, lp->tvb, 32, 16, &time);
    } else {
        item = proto_tree_add_time_format_value(sub, hf_perflibv2_data_system_time, lp->tvb, 32, 16, &time, "%s",
            systemtime_text(view->pinfo->pool, lp->header.system_time));
    }
    systemtime_tree_add(&perflibv2_time_fields, item, lp->tvb, 32, ENC_LITTLE_ENDIAN);
    show_findings(view, sub, LP_DATA_HEADER_SIZE);
}

/* The raw value: a number, a text or bytes. */
static proto_item *
lpdata_tree_add_raw_value(struct lpdata_view *view, proto_tree *tree, unsigned index, const struct poll_column *counter)
{
    tvbuff_t *tvb = view->lp->tvb;
    const struct lp_value *value = lpdata_value(view->lp, index);
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
    tvbuff_t *tvb = view->lp->tvb;
    const int offset = (int)value->offset;
    const uint32_t data_size = tvb_get_letohl(tvb, offset);
    const uint32_t size = tvb_get_letohl(tvb, offset + 4);

    proto_tree_add_uint(tree, hf_perflibv2_value_data_size, tvb, offset, 4, data_size);
    proto_tree_add_uint(tree, hf_perflibv2_value_size, tvb, offset + 4, 4, size);
}

/*
 * Watched values stand at the top of a poll, so that nobody looks for them among hundreds. A filter on one is exact
 * whether or not there is room to show the value itself.
 */
static void
lpdata_tree_show_watched(struct lpdata_view *view, proto_tree *tree)
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

/* A value that is known for what it is: one line a value, and no more items below than a person asks for. */
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
        add_value_sizes(view, sub, lpdata_value(view->lp, index));
    }
    if (view->raw_wanted) {
        lpdata_tree_add_raw_value(view, sub, index, &of->columns[at % of->num_columns]);
    }
    poll_add_cooked(poll, &view->seen, sub, block, at);
}

/* What is looked at of values: a filter on something else need not walk through all of them. */
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
    view->values_wanted = view->raw_wanted || view->sizes_wanted || poll_wants_any(&view->seen.wants);
}

static void
show_ids(struct lpdata_view *view, proto_tree *tree, const struct lp_block *block)
{
    const struct lpdata *lp = view->lp;
    const unsigned ids = block->counters_offset + LP_MULTI_COUNTERS_SIZE;
    unsigned end = ids + 4 * block->num_ids;
    proto_tree *sub;

    add_le(tree, hf_perflibv2_multi_counters_size, lp, block->counters_offset, 4);
    add_le(tree, hf_perflibv2_multi_counters_counters, lp, block->counters_offset + 4, 4);
    sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)ids, (int)(4 * block->num_ids), ett_perflibv2_ids, NULL,
        "%u counter ids", block->num_ids);
    for (unsigned i = 0; i < block->num_ids; i++) {
        if (!lpdata_tree_has_room(view, 3, block->num_ids - i)) {
            break;
        }
        lpdata_tree_counter_id(sub, lp->tvb, ids + 4 * i, lpdata_block_id(lp, block, i), view->counterset, view->server,
            view->pinfo->num);
    }
    if (block->instances_offset != 0) {
        lpdata_tree_add_padding(tree, lp, end, block->instances_offset);
    } else if (block->num_values > 0) {
        lpdata_tree_add_padding(tree, lp, end, lpdata_value(lp, block->first_value)->offset);
    }
}

/* Values first to first + count - 1 of a block. */
static void
lpdata_tree_show_values(struct lpdata_view *view, proto_tree *tree, unsigned block, unsigned first, unsigned count)
{
    const bool is_named = view->values->base.blocks[block].is_named;

    for (unsigned at = first; view->values_wanted && at < first + count; at++) {
        if (!lpdata_tree_has_room(view, is_named ? 6 : 3, first + count - at)) {
            return;
        }
        if (is_named) {
            show_named_value(view, tree, block, at);
        } else {
            const unsigned index = lpdata_block(view->lp, block)->first_value + at;
            proto_item *item = lpdata_tree_add_raw_value(view, tree, index, NULL);

            item_rest_hide(&view->rest, item);
            add_value_sizes(view, proto_item_add_subtree(item, perflibv2_poll_fields.ett_value),
                lpdata_value(view->lp, index));
        }
    }
}

/* What the block is of, and how that is known. */
static void
show_link(struct lpdata_view *view, proto_tree *tree, const struct value_block *block)
{
    const struct query_link *link = &block->link;
    proto_item *item;

    if (link->kind != LINK_NONE) {
        const struct catalog_text set = catalog_counterset_name(view->server, &link->set, view->pinfo->num);

        item = proto_tree_add_guid(tree, hf_perflibv2_counterset_guid, view->lp->tvb, 0, 0, &link->set);
        proto_item_set_generated(item);
        poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_counterset_name, view->lp->tvb, set);
        if (link->counter_known && !lpdata_type_has_ids(block->bytes->type)) {
            proto_item_set_generated(
                proto_tree_add_uint(tree, hf_perflibv2_counter_id, view->lp->tvb, 0, 0, link->counter_id));
            poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_counter_name, view->lp->tvb,
                catalog_counter_name(view->server, &link->set, link->counter_id, view->pinfo->num));
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

/* What a block of several values is of, as a path has it: "Processor Information(*)\\Interrupts/sec"; its type else. */
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

/* What a block holds in a few words: of one value what it comes to, so that nobody has to open the block. */
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

/* The item of a block, which is its text: only where somebody looks at that it is made. */
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
        append_text(view, item, text);
    }
    return item;
}

static void
show_block_instances(struct lpdata_view *view, proto_tree *tree, unsigned index)
{
    const struct lp_block *block = lpdata_block(view->lp, index);

    add_le(tree, hf_perflibv2_multi_instances_total_size, view->lp, block->instances_offset, 4);
    add_le(tree, hf_perflibv2_multi_instances_instances, view->lp, block->instances_offset + 4, 4);
    show_findings(view, tree, block->instances_offset + LP_MULTI_INSTANCES_SIZE);
    for (unsigned i = 0; i < block->num_instances; i++) {
        const struct lp_instance *instance = lpdata_instance(view->lp, block->first_instance + i);
        const unsigned first = instance->first_value - block->first_value;
        proto_tree *instance_tree;

        if (!lpdata_tree_has_room(view, 5, view->values_wanted ? block->num_values - first : 0)) {
            break;
        }
        instance_tree = lpdata_tree_show_instance(view, tree, instance);
        lpdata_tree_show_values(view, instance_tree, index, first, instance->num_values);
        show_findings(view, instance_tree, instance->end);
    }
}

static const value_string aggregate_texts[] = {
    { 1, "total" },
    { 2, "average" },
    { 3, "minimum" },
    { 4, "maximum" },
    { 0, NULL },
};

/* Counters of aggregating countersets have one value each, whatever the number of instances (2.2.4.1). */
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
            : wmem_strdup_printf(pool, ", %u of them gone since the poll before", one->num_gone);
        struct line value;
        proto_item *item;

        if (!lpdata_tree_has_room(view, 2, count - i)) {
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
    status = add_le(sub, hf_perflibv2_block_status, lp, block->offset, 4);
    if (block->type == PERF_ERROR_RETURN) {
        expert_add_info_format(view->pinfo, status, &ei_perflibv2_block_error, "Block %u: %s", index,
            val_to_str_ext_const(block->status, &win32_error_vals_ext, "unknown status"));
    }
    add_le(sub, hf_perflibv2_block_type, lp, block->offset + 4, 4);
    add_le(sub, hf_perflibv2_block_size, lp, block->offset + 8, 4);
    add_le(sub, hf_perflibv2_block_reserved, lp, block->offset + 12, 4);
    if (view->poll != NULL) {
        view->counterset = values->link.kind == LINK_NONE ? NULL : &values->link.set;
        show_link(view, sub, values);
    }
    if (block->type == PERF_ERROR_RETURN) {
        lpdata_tree_pdh(sub, lp->tvb, block->status);
    }
    if (block->counters_offset != 0) {
        show_ids(view, sub, block);
    }
    if (block->instances_offset != 0) {
        poll_add_table(&view->values->base, &view->seen, sub, index, &budget);
        show_block_instances(view, sub, index);
    } else {
        lpdata_tree_show_values(view, sub, index, 0, block->num_values);
    }
    add_rest(sub, lpdata_type_is_known(block->type) ? hf_perflibv2_padding : hf_perflibv2_unknown, lp, block->parsed,
        block->end);
    show_findings(view, sub, block->end);
}

void
lpdata_tree_data(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    const unsigned count = lpdata_count(lp->blocks);

    if (tree == NULL) {
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
        lpdata_tree_show_watched(view, tree);
    }
    if (view->poll != NULL &&
        (proto_field_is_referenced(tree, hf_perflibv2_aggregate) ||
            proto_field_is_referenced(tree, hf_perflibv2_aggregate_path))) {
        show_aggregates(view, tree);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct lp_block *block = lpdata_block(lp, i);

        if (!lpdata_tree_has_room(view, 20, lp->num_values - block->first_value + count - i)) {
            return;
        }
        show_block(view, tree, i);
    }
}

void
lpdata_tree_rest(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;

    add_rest(tree, hf_perflibv2_unknown, lp, lp->parsed, UINT32_MAX);
    show_findings(view, tree, UINT32_MAX);
    if (view->rest.left_out > 0) {
        proto_tree_add_expert_format(tree, view->pinfo, &ei_perflibv2_left_out, lp->tvb, 0, 0, "%s",
            item_budget_left_out_text(&budget, view->pinfo, view->rest.left_out, "values or structures"));
    }
    if (view->rest.missed > 0) {
        proto_tree_add_expert_format(tree, view->pinfo, &ei_perflibv2_out_of_reach, lp->tvb, 0, 0, "%s",
            item_budget_missed_text(&budget, view->pinfo, &view->rest, "values or structures"));
    }
}

void
lpdata_tree_register(int proto, expert_module_t *expert, module_t *module)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_counterset_guid,
            { "Counterset GUID", "perflibv2.counterset.guid", FT_GUID, BASE_NONE, NULL, 0, "CounterSetGuid", HFILL } },
        { &hf_perflibv2_counterset_name,
            { "Counterset name", "perflibv2.counterset.name", FT_STRING, BASE_NONE, NULL, 0,
                "The text of request codes 3 and 9", HFILL } },
        { &hf_perflibv2_counterset_description,
            { "Counterset description", "perflibv2.counterset.description", FT_STRING, BASE_NONE, NULL, 0,
                "The text of request code 4", HFILL } },
        { &hf_perflibv2_counterset_type,
            { "Counterset type", "perflibv2.counterset.type", FT_UINT32, BASE_DEC, NULL, 0, "CounterSetType, unused",
                HFILL } },
        { &hf_perflibv2_counterset_detail_level,
            { "Detail level", "perflibv2.counterset.detail_level", FT_UINT32, BASE_DEC, VALS(perf_detail_level_vals), 0,
                "DetailLevel of the counterset: whom it is meant for", HFILL } },
        { &hf_perflibv2_counterset_num_counters,
            { "Number of counters", "perflibv2.counterset.num_counters", FT_UINT32, BASE_DEC, NULL, 0,
                "NumCounters: how many counters the counterset has", HFILL } },
        { &hf_perflibv2_counterset_instance_type,
            { "Instance type", "perflibv2.counterset.instance_type", FT_UINT32, BASE_HEX, VALS(instance_type_vals), 0,
                "InstanceType: how many instances there are, and whether the client aggregates them", HFILL } },
        { &hf_perflibv2_counter_id,
            { "Counter id", "perflibv2.counter.id", FT_UINT32, BASE_DEC, NULL, 0, "CounterId, dwCounterId", HFILL } },
        { &hf_perflibv2_counter_name,
            { "Counter name", "perflibv2.counter.name", FT_STRING, BASE_NONE, NULL, 0,
                "A text of request codes 5 and 10", HFILL } },
        { &hf_perflibv2_counter_description,
            { "Counter description", "perflibv2.counter.description", FT_STRING, BASE_NONE, NULL, 0,
                "A text of request code 6", HFILL } },
        { &hf_perflibv2_counter_attrib,
            { "Attributes", "perflibv2.counter.attrib", FT_UINT64, BASE_HEX, NULL, 0,
                "Attrib: how a value is to be displayed", HFILL } },
        { &hf_perflibv2_counter_attrib_reference,
            { "PERF_ATTRIB_BY_REFERENCE", "perflibv2.counter.attrib.reference", FT_BOOLEAN, 64, NULL, 0x01,
                "The server follows a pointer to the value", HFILL } },
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
                "DetailLevel of the counter: whom it is meant for", HFILL } },
        { &hf_perflibv2_counter_default_scale,
            { "Default scale", "perflibv2.counter.default_scale", FT_INT32, BASE_DEC, NULL, 0,
                "DefaultScale: power of ten the displayed value is multiplied with; shown, not applied", HFILL } },
        { &hf_perflibv2_counter_base_id,
            { "Base counter id", "perflibv2.counter.base_id", FT_UINT32, BASE_DEC, NULL, 0,
                "BaseCounterId: the counter whose value this one is divided by", HFILL } },
        { &hf_perflibv2_counter_perf_time_id,
            { "Time counter id", "perflibv2.counter.perf_time_id", FT_UINT32, BASE_DEC, NULL, 0,
                "PerfTimeId: the counter that holds the time", HFILL } },
        { &hf_perflibv2_counter_perf_freq_id,
            { "Frequency counter id", "perflibv2.counter.perf_freq_id", FT_UINT32, BASE_DEC, NULL, 0,
                "PerfFreqId: the counter that holds the frequency of that time", HFILL } },
        { &hf_perflibv2_counter_multi_id,
            { "Multi counter id", "perflibv2.counter.multi_id", FT_UINT32, BASE_DEC, NULL, 0,
                "MultiId: the counter that holds how many are added up in this one", HFILL } },
        { &hf_perflibv2_counter_aggregate,
            { "Aggregate function", "perflibv2.counter.aggregate", FT_UINT32, BASE_DEC, VALS(aggregate_vals), 0,
                "AggregateFunc: what the client makes of the values of several instances", HFILL } },
        { &hf_perflibv2_counter_reserved,
            { "Reserved", "perflibv2.counter.reserved", FT_UINT32, BASE_HEX, NULL, 0,
                "Reserved of _PERF_COUNTER_REG_INFO", HFILL } },
        { &hf_perflibv2_strings_size,
            { "Size", "perflibv2.strings.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _STRING_BUFFER_HEADER: bytes of the whole buffer", HFILL } },
        { &hf_perflibv2_strings_counters,
            { "Counters", "perflibv2.strings.counters", FT_UINT32, BASE_DEC, NULL, 0,
                "dwCounters: how many strings follow", HFILL } },
        { &hf_perflibv2_string_offset,
            { "Offset", "perflibv2.string.offset", FT_UINT32, BASE_DEC, NULL, 0, "dwOffset: where the string stands",
                HFILL } },
        { &hf_perflibv2_provider_name,
            { "Provider name", "perflibv2.provider.name", FT_STRING, BASE_NONE, NULL, 0, "The text of request code 7",
                HFILL } },
        { &hf_perflibv2_provider_guid,
            { "Provider GUID", "perflibv2.provider.guid", FT_GUID, BASE_NONE, NULL, 0, "The GUID of request code 8",
                HFILL } },
        { &hf_perflibv2_instance_size,
            { "Size", "perflibv2.instance.size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of _PERF_INSTANCE_HEADER: bytes with the name, without values", HFILL } },
        { &hf_perflibv2_instance_id,
            { "Instance id", "perflibv2.instance.id", FT_UINT32, BASE_DEC, NULL, 0, "InstanceId", HFILL } },
        { &hf_perflibv2_instance_name,
            { "Instance name", "perflibv2.instance.name", FT_STRING, BASE_NONE, NULL, 0,
                "The text behind _PERF_INSTANCE_HEADER or _PERF_COUNTER_IDENTIFIER", HFILL } },
        { &hf_perflibv2_identifier_status,
            { "Status", "perflibv2.identifier.status", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &win32_error_vals_ext, 0,
                "Status of _PERF_COUNTER_IDENTIFIER: whether the counter was added or removed", HFILL } },
        { &hf_perflibv2_identifier_status_sent,
            { "Status as sent", "perflibv2.identifier.status_sent", FT_UINT32, BASE_HEX, NULL, 0,
                "Status of _PERF_COUNTER_IDENTIFIER in a request: the server fills it in", HFILL } },
        { &hf_perflibv2_identifier_size,
            { "Size", "perflibv2.identifier.size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of _PERF_COUNTER_IDENTIFIER: bytes with the name", HFILL } },
        { &hf_perflibv2_identifier_index,
            { "Index", "perflibv2.identifier.index", FT_UINT32, BASE_DEC, NULL, 0,
                "Index: position of the counter's block in the answers of QueryCounterData", HFILL } },
        { &hf_perflibv2_identifier_reserved,
            { "Reserved", "perflibv2.identifier.reserved", FT_UINT32, BASE_HEX, NULL, 0,
                "Reserved of _PERF_COUNTER_IDENTIFIER", HFILL } },
        { &hf_perflibv2_data_total_size,
            { "Total size", "perflibv2.data.total_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwTotalSize: bytes of all data, this header included", HFILL } },
        { &hf_perflibv2_data_num_counters,
            { "Number of blocks", "perflibv2.data.num_counters", FT_UINT32, BASE_DEC, NULL, 0,
                "dwNumCounter: the number of _PERF_COUNTER_HEADER blocks", HFILL } },
        { &hf_perflibv2_data_perf_time_stamp,
            { "Performance time", "perflibv2.data.perf_time_stamp", FT_UINT64, BASE_DEC, NULL, 0,
                "PerfTimeStamp: ticks of the high-resolution clock", HFILL } },
        { &hf_perflibv2_data_perf_time_100ns,
            { "Time (100 ns)", "perflibv2.data.perf_time_100ns", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
                "PerfTime100NSec: 100 ns since 1601, UTC", HFILL } },
        { &hf_perflibv2_data_perf_freq,
            { "Performance frequency", "perflibv2.data.perf_freq", FT_UINT64, BASE_DEC, NULL, 0,
                "PerfFreq: ticks of PerfTimeStamp per second", HFILL } },
        { &hf_perflibv2_data_system_time,
            { "System time", "perflibv2.data.system_time", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
                "SystemTime, UTC", HFILL } },
        { &hf_perflibv2_block,
            { "Block", "perflibv2.block", FT_STRING, BASE_NONE, NULL, 0,
                "What a block holds: of one value what it comes to", HFILL } },
        { &hf_perflibv2_block_index,
            { "Block index", "perflibv2.block.index", FT_UINT32, BASE_DEC, NULL, 0,
                "Position of the _PERF_COUNTER_HEADER, from 0", HFILL } },
        { &hf_perflibv2_block_status,
            { "Status", "perflibv2.block.status", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &win32_error_vals_ext, 0,
                "dwStatus of _PERF_COUNTER_HEADER", HFILL } },
        { &hf_perflibv2_block_type,
            { "Type", "perflibv2.block.type", FT_UINT32, BASE_DEC, VALS(block_type_vals), 0,
                "dwType: what the block holds", HFILL } },
        { &hf_perflibv2_block_size,
            { "Size", "perflibv2.block.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _PERF_COUNTER_HEADER: bytes of the block, header included", HFILL } },
        { &hf_perflibv2_block_reserved,
            { "Reserved", "perflibv2.block.reserved", FT_UINT32, BASE_HEX, NULL, 0, "Reserved of _PERF_COUNTER_HEADER",
                HFILL } },
        { &hf_perflibv2_multi_counters_size,
            { "Size of counter ids", "perflibv2.multi_counters.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _PERF_MULTI_COUNTERS: bytes with the ids", HFILL } },
        { &hf_perflibv2_multi_counters_counters,
            { "Counters", "perflibv2.multi_counters.counters", FT_UINT32, BASE_DEC, NULL, 0,
                "dwCounters: how many ids follow", HFILL } },
        { &hf_perflibv2_multi_instances_total_size,
            { "Size of instances", "perflibv2.multi_instances.total_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwTotalSize of _PERF_MULTI_INSTANCES: bytes with all instances", HFILL } },
        { &hf_perflibv2_multi_instances_instances,
            { "Instances", "perflibv2.multi_instances.instances", FT_UINT32, BASE_DEC, NULL, 0,
                "dwInstances: how many instances follow", HFILL } },
        { &hf_perflibv2_aggregate,
            { "Aggregated value", "perflibv2.aggregate", FT_DOUBLE, BASE_NONE, NULL, 0,
                "Of all returned instances, by AggregateFunc", HFILL } },
        { &hf_perflibv2_aggregate_path,
            { "Aggregate", "perflibv2.aggregate.path", FT_STRING, BASE_NONE, NULL, 0,
                "Path of a counter of an aggregating counterset, without an instance", HFILL } },
        { &hf_perflibv2_block_link,
            { "Block assigned", "perflibv2.block.link", FT_STRING, BASE_NONE, NULL, 0,
                "How it is known which counter the block belongs to", HFILL } },
        { &hf_perflibv2_block_mapped_in,
            { "Index map in frame", "perflibv2.block.mapped_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "The QueryCounterInfo answer that tells which counter the block belongs to", HFILL } },
        { &hf_perflibv2_value,
            { "Value", "perflibv2.value", FT_UINT64, BASE_DEC, NULL, 0, "The number as sent, of 4 or 8 bytes",
                HFILL } },
        { &hf_perflibv2_value_data_size,
            { "Data size", "perflibv2.value.data_size", FT_UINT32, BASE_DEC, NULL, 0, "dwDataSize: bytes of the value",
                HFILL } },
        { &hf_perflibv2_value_size,
            { "Size", "perflibv2.value.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _PERF_COUNTER_DATA: bytes with header and padding", HFILL } },
        { &hf_perflibv2_value_text,
            { "Text", "perflibv2.value.text", FT_STRING, BASE_NONE, NULL, 0, "The value of a PERF_COUNTER_TEXT",
                HFILL } },
        { &hf_perflibv2_value_bytes,
            { "Bytes", "perflibv2.value.bytes", FT_BYTES, BASE_NONE, NULL, 0,
                "A value that is neither a number nor a text", HFILL } },
        { &hf_perflibv2_padding,
            { "Padding", "perflibv2.padding", FT_BYTES, BASE_NONE, NULL, 0,
                "Bytes up to the next multiple of 8, or spare room", HFILL } },
        { &hf_perflibv2_unknown,
            { "Not understood", "perflibv2.unknown", FT_BYTES, BASE_NONE, NULL, 0,
                "Bytes that belong to no known structure", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2_structure, &ett_perflibv2_counter_attrib, &ett_perflibv2_ids,
        &ett_perflibv2_block, &ett_perflibv2_instance };
    static ei_register_info ei[] = {
        { &ei_perflibv2_left_out, { "perflibv2.left_out", PI_UNDECODED, PI_NOTE, "Values are not shown", EXPFILL } },
        { &ei_perflibv2_out_of_reach,
            { "perflibv2.out_of_reach", PI_UNDECODED, PI_WARN, "Values are out of reach of filters", EXPFILL } },
        { &ei_perflibv2_block_error,
            { "perflibv2.block_error", PI_RESPONSE_CODE, PI_NOTE, "The counter could not be read", EXPFILL } },
        { &ei_perflibv2_identifier_status,
            { "perflibv2.identifier_status", PI_RESPONSE_CODE, PI_NOTE, "The counter was refused", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
    perflibv2_shared_fields_register(proto);
    item_budget_register(&budget, proto, module);
}
