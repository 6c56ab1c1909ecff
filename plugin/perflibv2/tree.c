/* tree.c
 * Trees of lpData: names, instances, identifiers, and functions that all its trees share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/tree.h"

#include <epan/to_str.h>

static int hf_perflibv2_counterset_guid = -1;
static int hf_perflibv2_counterset_name = -1;
static int hf_perflibv2_counterset_description = -1;
static int hf_perflibv2_counter_id = -1;
static int hf_perflibv2_counter_name = -1;
static int hf_perflibv2_counter_description = -1;
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
static int hf_perflibv2_padding = -1;
static int hf_perflibv2_unknown = -1;

static int ett_perflibv2_structure = -1;
static int ett_perflibv2_instance = -1;

static expert_field ei_perflibv2_left_out = EI_INIT;
static expert_field ei_perflibv2_out_of_reach = EI_INIT;
static expert_field ei_perflibv2_identifier_status = EI_INIT;

struct item_budget tree_budget = { .preference = 300000, .limit = 900000 };

/*
 * Frequent fields, which a filter finds even in structures that the tree leaves out. tree-data.c adds fields of values
 * with tree_ask_too().
 */
static int *asked_fields[32] = { &hf_perflibv2_instance_size, &hf_perflibv2_instance_id, &hf_perflibv2_instance_name,
    &hf_perflibv2_counterset_guid, &hf_perflibv2_counterset_name, &hf_perflibv2_counter_id, &hf_perflibv2_counter_name,
    &hf_perflibv2_identifier_status, &hf_perflibv2_identifier_index, NULL };

bool
tree_has_room(struct lpdata_view *view, unsigned items, unsigned left)
{
    return item_budget_room(&tree_budget, view->pinfo, asked_fields, &view->rest, items, left);
}

bool
tree_is_looked_at(struct lpdata_view *view, proto_tree *tree)
{
    view->findings_wanted = expert_items_are_asked(tree) || proto_field_is_referenced(tree, ei_perflibv2_left_out.hf) ||
        proto_field_is_referenced(tree, ei_perflibv2_out_of_reach.hf);
    return tree != NULL || view->findings_wanted;
}

/* clang-format off */
#define CODE_NAME(name, number, text) { number, #name },
#define CODE_TEXT(name, number, text) { number, text },
/* clang-format on */
const value_string lpdata_request_code_vals[] = { PERF_REG_CODES(CODE_NAME){ 0, NULL } };
const value_string lpdata_request_code_texts[] = { PERF_REG_CODES(CODE_TEXT){ 0, NULL } };

void
tree_ask_too(int *const *fields)
{
    unsigned count = 0;

    while (asked_fields[count] != NULL) {
        count++;
    }
    for (; *fields != NULL && count + 1 < array_length(asked_fields); fields++) {
        asked_fields[count++] = *fields;
    }
}

proto_item *
tree_add(proto_tree *tree, int hf, const struct lpdata *lp, unsigned offset, int length)
{
    return proto_tree_add_item(tree, hf, lp->tvb, (int)offset, length, ENC_LITTLE_ENDIAN);
}

void
tree_add_rest(proto_tree *tree, bool is_understood, const struct lpdata *lp, unsigned from, unsigned to)
{
    to = MIN(to, tvb_captured_length(lp->tvb));
    if (from < to) {
        proto_tree_add_item(tree, is_understood ? hf_perflibv2_padding : hf_perflibv2_unknown, lp->tvb, (int)from,
            (int)(to - from), ENC_NA);
    }
}

void
tree_show_findings(struct lpdata_view *view, proto_tree *tree, unsigned end)
{
    rules_show(view->lp->report, &view->next_finding, end, view->pinfo, tree, view->lp->tvb);
}

void
lpdata_tree_counterset(proto_tree *tree, tvbuff_t *tvb, unsigned offset, int length, const e_guid_t *guid,
    const struct server *server, uint32_t frame)
{
    proto_item *item;

    if (tree == NULL) {
        return;
    }
    item = proto_tree_add_guid(tree, hf_perflibv2_counterset_guid, tvb, (int)offset, length, guid);
    if (length == 0) {
        proto_item_set_generated(item);
    }
    poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_counterset_name, tvb,
        catalog_counterset_name(server, guid, frame));
}

void
lpdata_tree_counter_id(proto_tree *tree, tvbuff_t *tvb, unsigned offset, int length, uint32_t id,
    const e_guid_t *counterset, const struct server *server, uint32_t frame)
{
    proto_item *item;

    if (tree == NULL) {
        return;
    }
    if (id == PERF_WILDCARD_COUNTER) {
        proto_tree_add_uint_format_value(tree, hf_perflibv2_counter_id, tvb, (int)offset, length, id,
            "PERF_WILDCARD_COUNTER (0xffffffff)");
        return;
    }
    item = proto_tree_add_uint(tree, hf_perflibv2_counter_id, tvb, (int)offset, length, id);
    if (length == 0) {
        proto_item_set_generated(item);
    }
    if (counterset != NULL) {
        poll_add_learned_name(&perflibv2_poll_fields, tree, hf_perflibv2_counter_name, tvb,
            catalog_counter_name(server, counterset, id, frame));
    }
}

void
lpdata_tree_guids(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;
    const unsigned count = tree_is_looked_at(view, tree) ? tvb_captured_length(lp->tvb) / LP_GUID_SIZE : 0;

    for (unsigned i = 0; i < count; i++) {
        const unsigned offset = i * LP_GUID_SIZE;
        struct catalog_text name;
        e_guid_t guid;
        proto_item *item;

        if (!tree_has_room(view, 3, count - i)) {
            return;
        }
        tvb_get_guid(lp->tvb, (int)offset, &guid, view->guid_encoding);
        item = proto_tree_add_guid(tree, hf_perflibv2_counterset_guid, lp->tvb, (int)offset, LP_GUID_SIZE, &guid);
        item_rest_hide(&view->rest, item);
        name = catalog_counterset_name(view->server, &guid, view->pinfo->num);
        if (name.text != NULL) {
            item_label_append(view->pinfo->pool, item, wmem_strdup_printf(view->pinfo->pool, " (%s)", name.text));
            poll_add_learned_name(&perflibv2_poll_fields, proto_item_add_subtree(item, perflibv2_poll_fields.ett_name),
                hf_perflibv2_counterset_name, lp->tvb, name);
        }
    }
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
    tree_add(tree, hf_perflibv2_strings_size, lp, MEMBER(strings_header, size));
    tree_add(tree, hf_perflibv2_strings_counters, lp, MEMBER(strings_header, counters));
    tree_show_findings(view, tree, LP_STRING_BUFFER_SIZE);
    for (unsigned i = 0; i < count; i++) {
        const struct lp_counter_string *s = lpdata_counter_string(lp, i);
        const unsigned reached = s->present ? MAX(s->offset, s->text_offset) : s->offset;
        proto_tree *sub;

        /*
         * A string that is not after all earlier ones counts as 120 items instead of 5: Wireshark 4.6 stops at 50,000
         * items in a row that do not advance in the packet.
         */
        if (!item_budget_reserve(&tree_budget, view->pinfo,
                item_budget_text_items(&tree_budget, reached > furthest ? 5 : 120, s->text.size))) {
            view->rest.left_out += count - i;
            return;
        }
        furthest = MAX(furthest, reached);
        sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)s->offset, LP_STRING_COUNTER_SIZE,
            ett_perflibv2_structure, &item, "Counter %u", s->id);
        proto_tree_add_uint(sub, hf_perflibv2_counter_id, lp->tvb, (int)s->offset, 4, s->id);
        if (s->string_offset == PERF_ID_NONE) {
            proto_tree_add_uint_format_value(sub, hf_perflibv2_string_offset, lp->tvb,
                (int)s->offset + MEMBER(counter_string, string_offset), s->string_offset, "none (0xffffffff)");
            proto_item_append_text(item, ": no string");
        } else {
            proto_tree_add_uint_format_value(sub, hf_perflibv2_string_offset, lp->tvb,
                (int)s->offset + MEMBER(counter_string, string_offset), s->string_offset, "%u, from %s",
                s->string_offset, lp->offset_from_headers ? "the end of the headers" : "the start of the buffer");
        }
        if (s->present) {
            item_label_append(view->pinfo->pool, item, ": ");
            item_label_append(view->pinfo->pool, item,
                utf16_line(view->pinfo->pool, lp->tvb, s->text_offset, s->text, ENC_LITTLE_ENDIAN));
            add_text(sub, hf, view, s->text_offset, s->text);
        }
        tree_show_findings(view, sub, s->offset + LP_STRING_COUNTER_SIZE);
    }
}

void
lpdata_tree_registration(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;

    if (!tree_is_looked_at(view, tree)) {
        return;
    }
    switch (lp->request_code) {
    case PERF_REG_COUNTERSET_STRUCT:
    case PERF_REG_COUNTER_STRUCT: tree_counters(view, tree); break;
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

proto_tree *
tree_show_instance(struct lpdata_view *view, proto_tree *tree, const struct lp_instance *instance)
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
    tree_add(sub, hf_perflibv2_instance_size, lp, instance->offset + MEMBER(instance, size));
    tree_add(sub, hf_perflibv2_instance_id, lp, instance->offset + MEMBER(instance, id));
    add_text(sub, hf_perflibv2_instance_name, view, instance->name_offset, instance->name);
    tree_add_rest(sub, true, lp, name_end,
        instance->num_values > 0 ? lp->values[instance->first_value].offset : instance->end);
    return sub;
}

void
lpdata_tree_instances(struct lpdata_view *view, proto_tree *tree)
{
    const unsigned count = tree_is_looked_at(view, tree) ? view->lp->num_instances : 0;

    for (unsigned i = 0; i < count; i++) {
        const struct lp_instance *instance = &view->lp->instances[i];

        if (!tree_has_room(view, 5, count - i)) {
            return;
        }
        tree_show_findings(view, tree_show_instance(view, tree, instance), instance->end);
    }
}

static void
show_identifier(struct lpdata_view *view, proto_tree *tree, unsigned index, const struct lp_identifier *id)
{
    const struct lpdata *lp = view->lp;
    const unsigned captured = tvb_captured_length(lp->tvb);
    const struct catalog_text set = catalog_counterset_name(view->server, &id->guid, view->pinfo->num);
    const char *name = utf16_line(view->pinfo->pool, lp->tvb, id->name_offset, id->name, ENC_LITTLE_ENDIAN);
    const char *counter = id->counter_id == PERF_WILDCARD_COUNTER
        ? "all counters"
        : catalog_counter_text(view->pinfo->pool, view->server, &id->guid, id->counter_id, view->pinfo->num);
    const bool all_instances = strcmp(name, "*") == 0;
    proto_item *item, *status;
    proto_tree *sub;

    sub = proto_tree_add_subtree_format(tree, lp->tvb, (int)id->offset, (int)(MIN(id->end, captured) - id->offset),
        ett_perflibv2_structure, &item, "Identifier %u: %s, %s", index,
        set.text != NULL ? set.text : guid_to_str(view->pinfo->pool, &id->guid), counter);
    item_rest_hide(&view->rest, item);
    if (all_instances) {
        proto_item_append_text(item, ", all instances");
    } else if (id->name.size > 0) {
        item_label_append(view->pinfo->pool, item, wmem_strdup_printf(view->pinfo->pool, ", instance \"%s\"", name));
    }
    lpdata_tree_counterset(sub, lp->tvb, id->offset, LP_GUID_SIZE, &id->guid, view->server, view->pinfo->num);
    /* Status has no meaning in a request (3.1.4.1.7), so it gets another field: filters for errors must not find it. */
    status = proto_tree_add_uint(sub,
        view->is_request ? hf_perflibv2_identifier_status_sent : hf_perflibv2_identifier_status, lp->tvb,
        (int)id->offset + MEMBER(identifier, status), id->status);
    if (id->status != 0 && !view->is_request) {
        proto_item_append_text(item, ": %s", val_to_str_ext_const(id->status, &win32_error_vals_ext, "unknown status"));
        expert_add_info_format(view->pinfo, status, &ei_perflibv2_identifier_status, "Identifier %u: %s", index,
            val_to_str_ext_const(id->status, &win32_error_vals_ext, "unknown status"));
        poll_add_pdh(&perflibv2_poll_fields, sub, lp->tvb, pdh_of_error(id->status));
    }
    tree_add(sub, hf_perflibv2_identifier_size, lp, id->offset + MEMBER(identifier, size));
    lpdata_tree_counter_id(sub, lp->tvb, id->offset + MEMBER(identifier, counter_id), id->counter_id, &id->guid,
        view->server, view->pinfo->num);
    if (id->instance_id == PERF_ID_NONE) {
        proto_tree_add_uint_format_value(sub, hf_perflibv2_instance_id, lp->tvb,
            (int)id->offset + MEMBER(identifier, instance_id), id->instance_id, "any (0xffffffff)");
    } else {
        tree_add(sub, hf_perflibv2_instance_id, lp, id->offset + MEMBER(identifier, instance_id));
    }
    if (id->name.size == 0) {
        poll_add_learned_name(&perflibv2_poll_fields, sub, hf_perflibv2_instance_name, lp->tvb,
            catalog_instance_name(view->server, &id->guid, id->instance_id));
    }
    tree_add(sub, hf_perflibv2_identifier_index, lp, id->offset + MEMBER(identifier, index));
    tree_add(sub, hf_perflibv2_identifier_reserved, lp, id->offset + MEMBER(identifier, reserved));
    if (id->end > id->name_offset) {
        const unsigned name_end = id->name_offset + id->name.size + (id->name.terminated ? 2 : 0);

        if (all_instances) {
            proto_tree_add_string_format_value(sub, hf_perflibv2_instance_name, lp->tvb, (int)id->name_offset,
                (int)(name_end - id->name_offset), name, "* (PERF_WILDCARD_INSTANCE)");
        } else {
            add_text(sub, hf_perflibv2_instance_name, view, id->name_offset, id->name);
        }
        tree_add_rest(sub, true, lp, name_end, id->end);
    }
    tree_show_findings(view, sub, id->end);
}

void
lpdata_tree_identifiers(struct lpdata_view *view, proto_tree *tree)
{
    const unsigned count = tree_is_looked_at(view, tree) ? lpdata_count(view->lp->identifiers) : 0;

    for (unsigned i = 0; i < count; i++) {
        if (!tree_has_room(view, 15, count - i)) {
            return;
        }
        show_identifier(view, tree, i, lpdata_identifier(view->lp, i));
    }
}

void
lpdata_tree_rest(struct lpdata_view *view, proto_tree *tree)
{
    const struct lpdata *lp = view->lp;

    tree_add_rest(tree, false, lp, lp->parsed, UINT32_MAX);
    tree_show_findings(view, tree, UINT32_MAX);
    if (view->rest.left_out > 0) {
        proto_tree_add_expert_format(tree, view->pinfo, &ei_perflibv2_left_out, lp->tvb, 0, 0, "%s",
            item_budget_left_out_text(&tree_budget, view->pinfo, view->rest.left_out, "values or structures"));
    }
    if (view->rest.missed > 0) {
        proto_tree_add_expert_format(tree, view->pinfo, &ei_perflibv2_out_of_reach, lp->tvb, 0, 0, "%s",
            item_budget_missed_text(&tree_budget, view->pinfo, &view->rest, "values or structures"));
    }
}

void
lpdata_tree_register(int proto, expert_module_t *expert, module_t *module)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_counterset_guid,
            { "Counterset GUID", "perflibv2.counterset.guid", FT_GUID, BASE_NONE, NULL, 0,
                "CounterSetGuid: GUID of the counterset", HFILL } },
        { &hf_perflibv2_counterset_name,
            { "Counterset name", "perflibv2.counterset.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the counterset (request code 3; in English: 9)", HFILL } },
        { &hf_perflibv2_counterset_description,
            { "Counterset description", "perflibv2.counterset.description", FT_STRING, BASE_NONE, NULL, 0,
                "Description of the counterset (request code 4)", HFILL } },
        { &hf_perflibv2_counter_id,
            { "Counter id", "perflibv2.counter.id", FT_UINT32, BASE_DEC, NULL, 0,
                "CounterId, dwCounterId: number of the counter in its counterset", HFILL } },
        { &hf_perflibv2_counter_name,
            { "Counter name", "perflibv2.counter.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of a counter (request code 5; in English: 10)", HFILL } },
        { &hf_perflibv2_counter_description,
            { "Counter description", "perflibv2.counter.description", FT_STRING, BASE_NONE, NULL, 0,
                "Description of a counter (request code 6)", HFILL } },
        { &hf_perflibv2_strings_size,
            { "Size", "perflibv2.strings.size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwSize of _STRING_BUFFER_HEADER: bytes of the whole buffer", HFILL } },
        { &hf_perflibv2_strings_counters,
            { "Counters", "perflibv2.strings.counters", FT_UINT32, BASE_DEC, NULL, 0,
                "dwCounters: number of strings that follow", HFILL } },
        { &hf_perflibv2_string_offset,
            { "Offset", "perflibv2.string.offset", FT_UINT32, BASE_DEC, NULL, 0,
                "dwOffset: position of the string in the buffer", HFILL } },
        { &hf_perflibv2_provider_name,
            { "Provider name", "perflibv2.provider.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the program that provides the counterset (request code 7)", HFILL } },
        { &hf_perflibv2_provider_guid,
            { "Provider GUID", "perflibv2.provider.guid", FT_GUID, BASE_NONE, NULL, 0,
                "GUID of the program that provides the counterset (request code 8)", HFILL } },
        { &hf_perflibv2_instance_size,
            { "Size", "perflibv2.instance.size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of _PERF_INSTANCE_HEADER: bytes of header and name, without values", HFILL } },
        { &hf_perflibv2_instance_id,
            { "Instance id", "perflibv2.instance.id", FT_UINT32, BASE_DEC, NULL, 0,
                "InstanceId: number of the instance", HFILL } },
        { &hf_perflibv2_instance_name,
            { "Instance name", "perflibv2.instance.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the instance, for example of a process or disk", HFILL } },
        { &hf_perflibv2_identifier_status,
            { "Status", "perflibv2.identifier.status", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &win32_error_vals_ext, 0,
                "Status of _PERF_COUNTER_IDENTIFIER in an answer: 0, or why the server refused the counter", HFILL } },
        { &hf_perflibv2_identifier_status_sent,
            { "Status as sent", "perflibv2.identifier.status_sent", FT_UINT32, BASE_HEX, NULL, 0,
                "Status of _PERF_COUNTER_IDENTIFIER in a request, where it has no meaning", HFILL } },
        { &hf_perflibv2_identifier_size,
            { "Size", "perflibv2.identifier.size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of _PERF_COUNTER_IDENTIFIER: bytes of structure and name", HFILL } },
        { &hf_perflibv2_identifier_index,
            { "Index", "perflibv2.identifier.index", FT_UINT32, BASE_DEC, NULL, 0,
                "Index: position of the counter's block in the answers of QueryCounterData", HFILL } },
        { &hf_perflibv2_identifier_reserved,
            { "Reserved", "perflibv2.identifier.reserved", FT_UINT32, BASE_HEX, NULL, 0,
                "Reserved member of _PERF_COUNTER_IDENTIFIER, must be 0", HFILL } },
        { &hf_perflibv2_padding,
            { "Padding", "perflibv2.padding", FT_BYTES, BASE_NONE, NULL, 0,
                "Unused bytes, usually up to the next multiple of 8", HFILL } },
        { &hf_perflibv2_unknown,
            { "Not understood", "perflibv2.unknown", FT_BYTES, BASE_NONE, NULL, 0,
                "Bytes that belong to no known structure", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2_structure, &ett_perflibv2_instance };
    static ei_register_info ei[] = {
        { &ei_perflibv2_left_out, { "perflibv2.left_out", PI_UNDECODED, PI_NOTE, "Values are not shown", EXPFILL } },
        { &ei_perflibv2_out_of_reach,
            { "perflibv2.out_of_reach", PI_UNDECODED, PI_WARN, "Filters cannot see all values of this packet",
                EXPFILL } },
        { &ei_perflibv2_identifier_status,
            { "perflibv2.identifier_status", PI_RESPONSE_CODE, PI_NOTE, "The server refused the counter", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
    perflibv2_shared_fields_register(proto);
    tree_counters_register(proto);
    tree_data_register(proto, expert);
    item_budget_register(&tree_budget, proto, module);
}
