/* tree.c
 * Trees of HKEY_PERFORMANCE_DATA: blocks and name lists
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <limits.h>

#include <wsutil/str_util.h>

static int hf_perfdata_requested = -1;
static int hf_perfdata_data = -1;
static int hf_perfdata_padding = -1;
static int hf_perfdata_data_block = -1;
static int hf_perfdata_object_type = -1;
static int hf_perfdata_object_name = -1;
static int hf_perfdata_object_help = -1;
static int hf_perfdata_counter_definition = -1;
static int hf_perfdata_counter_name = -1;
static int hf_perfdata_counter_help = -1;
static int hf_perfdata_instance_definition = -1;
static int hf_perfdata_instance_name = -1;
static int hf_perfdata_instance_parent = -1;
static int hf_perfdata_counter_block = -1;
static int hf_perfdata_counter_block_byte_length = -1;
static int hf_perfdata_value = -1;
static int hf_perfdata_value_text = -1;
static int hf_perfdata_value_bytes = -1;
static int hf_perfdata_value_multi = -1;
static int hf_perfdata_title_index = -1;
static int hf_perfdata_title_name = -1;
static int hf_perfdata_title_help = -1;

static int ett_perfdata_block = -1;
static int ett_perfdata_object = -1;
static int ett_perfdata_counters = -1;
static int ett_perfdata_counter = -1;
static int ett_perfdata_instances = -1;
static int ett_perfdata_instance = -1;
static int ett_perfdata_counter_block = -1;

static expert_field ei_perfdata_bad_length = EI_INIT;
static expert_field ei_perfdata_value_outside = EI_INIT;
static expert_field ei_perfdata_short_block = EI_INIT;
static expert_field ei_perfdata_trailing_bytes = EI_INIT;
static expert_field ei_perfdata_header_left_out = EI_INIT;
static expert_field ei_perfdata_big_endian = EI_INIT;
static expert_field ei_perfdata_byte_order = EI_INIT;
static expert_field ei_perfdata_unknown_version = EI_INIT;
static expert_field ei_perfdata_wide_dword = EI_INIT;
static expert_field ei_perfdata_short_counter_block = EI_INIT;
static expert_field ei_perfdata_no_parent = EI_INIT;
static expert_field ei_perfdata_other_process = EI_INIT;
static expert_field ei_perfdata_no_sample = EI_INIT;
static expert_field ei_perfdata_not_answered = EI_INIT;
static expert_field ei_perfdata_left_out = EI_INIT;
static expert_field ei_perfdata_out_of_reach = EI_INIT;
static expert_field ei_perfdata_bad_names = EI_INIT;

static expert_field *const problem_fields[] = {
    [PERFDATA_BAD_LENGTH] = &ei_perfdata_bad_length,
    [PERFDATA_SHORT_BLOCK] = &ei_perfdata_short_block,
    [PERFDATA_TRAILING_BYTES] = &ei_perfdata_trailing_bytes,
    [PERFDATA_HEADER_LEFT_OUT] = &ei_perfdata_header_left_out,
    [PERFDATA_BIG_ENDIAN] = &ei_perfdata_big_endian,
    [PERFDATA_BYTE_ORDER] = &ei_perfdata_byte_order,
    [PERFDATA_VERSION] = &ei_perfdata_unknown_version,
    [PERFDATA_WIDE_DWORD] = &ei_perfdata_wide_dword,
    [PERFDATA_SHORT_COUNTER_BLOCK] = &ei_perfdata_short_counter_block,
};

static struct item_budget budget = { .preference = 300000, .limit = 450000 };

struct view {
    packet_info *pinfo;
    struct perfdata_poll *poll;
    tvbuff_t *tvb;
    unsigned encoding;
    struct poll_view seen;
    bool values_wanted;             /* items of values are needed: shown, or named by a filter or column */
    struct item_rest rest;          /* counts of values and structures that the packet has no room for */
    bool has_objects, has_counters; /* the tree has room for the items of all objects, and of all counter definitions */
};

/*
 * Frequent fields: they are added for a filter even if their structures do not fit into the tree.
 * perfdata_tree_register() adds three members.
 */
static int *asked_fields[] = { &perfdata_poll_fields.path, &perfdata_poll_fields.cooked, &perfdata_poll_fields.formula,
    &perfdata_poll_fields.reason, &perfdata_poll_fields.pdh, &hf_perfdata_value, &hf_perfdata_value_text,
    &hf_perfdata_value_bytes, &hf_perfdata_value_multi, &hf_perfdata_instance_name, &hf_perfdata_instance_parent,
    &hf_perfdata_object_name, &hf_perfdata_counter_name, NULL, NULL, NULL, NULL };

/* Returns whether there is room for a structure or value of this many items; see item_budget_room(). */
static bool
perfdata_tree_has_room(struct view *view, unsigned items, unsigned values)
{
    return item_budget_room(&budget, view->pinfo, asked_fields, &view->rest, items, values);
}

/* Returns a count with its noun after a comma: ", 2 counters". */
static const char *
comma_count(const struct view *view, unsigned count, const char *noun)
{
    return wmem_strconcat(view->pinfo->pool, ", ", count_text(view->pinfo->pool, count, noun), NULL);
}

static bool
perfdata_tree_wants(const struct view *view, proto_tree *tree, int hf)
{
    return view->seen.wants.is_seen || proto_field_is_referenced(tree, hf);
}

/* Adds a string item. Its label consists of what ("Object 1") and text ("\\A\Memory\Available Bytes = 1"). */
static proto_item *
perfdata_tree_add_text(struct view *view, proto_tree *tree, int hf, unsigned offset, int length, const char *what,
    const char *text)
{
    proto_item *item;

    if (!view->seen.wants.is_seen) {
        return proto_tree_add_string(tree, hf, view->tvb, (int)offset, length, text);
    }
    item = proto_tree_add_string_format(tree, hf, view->tvb, (int)offset, length, text, "%s", what);
    item_label_append(view->pinfo->pool, item, text);
    return item;
}

int
perfdata_captured_length(tvbuff_t *tvb, unsigned offset, unsigned end)
{
    end = MIN(end, tvb_captured_length(tvb));
    return end > offset ? (int)(end - offset) : 0;
}

void
perfdata_tree_add_padding(proto_tree *tree, tvbuff_t *tvb, unsigned offset, unsigned end)
{
    const int length = perfdata_captured_length(tvb, offset, end);

    if (length > 0) {
        proto_tree_add_item(tree, hf_perfdata_padding, tvb, (int)offset, length, ENC_NA);
    }
}

/* Adds an expert item for those of the `size` bytes at offset that were captured. */
static void
add_expert(const struct view *view, proto_tree *tree, expert_field *ei, unsigned offset, unsigned size,
    const char *text)
{
    limit_to_captured(view->tvb, &offset, &size);
    proto_tree_add_expert_format(tree, view->pinfo, ei, view->tvb, (int)offset, (int)size, "%s", text);
}

/* Adds expert items for a structure's problems to its tree. */
static void
show_problems(const struct view *view, proto_tree *tree, const struct perfdata_problem *problem)
{
    for (; problem != NULL; problem = problem->next) {
        add_expert(view, tree, problem_fields[problem->kind], problem->offset, problem->size, problem->text);
    }
}

/* Adds the item of a value's bytes. */
static proto_item *
perfdata_tree_add_raw_value(const struct view *view, proto_tree *tree, const struct perfdata_object *o,
    const struct perfdata_instance *in, const struct perfdata_counter *c)
{
    unsigned offset, size;
    const bool whole = perfdata_block_bytes(in, c, &offset, &size);
    const int length = perfdata_captured_length(view->tvb, offset, offset + size);
    proto_item *item;
    uint64_t number;

    if (perfdata_block_number(view->poll->block, in, c, &number)) {
        item = proto_tree_add_uint64(tree, hf_perfdata_value, view->tvb, (int)offset, (int)size, number);
    } else if (c->form == PERFDATA_TEXT) {
        item = proto_tree_add_string(tree, hf_perfdata_value_text, view->tvb, (int)offset, length,
            perfdata_poll_sent_text(view->poll, o, in, c));
    } else {
        item = proto_tree_add_item(tree, hf_perfdata_value_bytes, view->tvb, (int)offset, length, ENC_NA);
    }
    if (!whole && c->form != PERFDATA_NOTHING && c->counter_offset < PERF_COUNTER_BLOCK_SIZE) {
        expert_add_info_format(view->pinfo, item, &ei_perfdata_value_outside,
            "CounterOffset %u is within the counter block's own ByteLength", c->counter_offset);
    } else if (!whole && c->form != PERFDATA_NOTHING) {
        expert_add_info_format(view->pinfo, item, &ei_perfdata_value_outside,
            "CounterOffset %u and CounterSize %u reach beyond the counter block's %u bytes", c->counter_offset,
            c->counter_size, in->block_size);
    }
    return item;
}

static const char *
type_text(const struct perfdata_counter *c)
{
    const char *name = perf_counter_type_name(c->counter_type);

    return name != NULL ? name : "unknown type";
}

#define ITEMS_PER_VALUE 5u

static void
perfdata_tree_show_value(struct view *view, proto_tree *tree, unsigned object, unsigned instance, unsigned counter)
{
    const struct perfdata_object *o = &view->poll->block->objects[object];
    const struct perfdata_instance *in = &o->instances[instance];
    const struct perfdata_counter *c = &o->counters[counter];
    struct poll *poll = &view->poll->base;
    const unsigned at = instance * o->counters_read + counter;
    proto_tree *sub = poll_add_value(poll, &view->seen, tree, object, at);
    uint32_t multi_offset = in->block_offset + c->counter_offset + PERF_SECOND_NUMBER_AT;
    uint64_t multi;

    if (sub == NULL) {
        proto_item *item = perfdata_tree_add_raw_value(view, tree, o, in, c);

        if (view->seen.wants.is_seen) {
            item_label_append(view->pinfo->pool, item,
                wmem_strdup_printf(view->pinfo->pool, " (counter %u, %s)", counter, type_text(c)));
        }
        sub = proto_item_add_subtree(item, perfdata_poll_fields.ett_value);
    } else if (c->form != PERFDATA_NOTHING) {
        perfdata_tree_add_raw_value(view, sub, o, in, c);
    }
    item_rest_hide(&view->rest, sub == NULL ? NULL : proto_tree_get_parent(sub));
    if (perfdata_block_multi(view->poll->block, in, c, &multi)) {
        proto_tree_add_uint(sub, hf_perfdata_value_multi, view->tvb, (int)multi_offset, PERF_SECOND_NUMBER_SIZE,
            (uint32_t)multi);
    }
    poll_add_cooked(poll, &view->seen, sub, object, at);
}

/* Returns whether an item of a raw value is needed: it is shown, or a filter or column names its field. */
static bool
raw_values_are_wanted(proto_tree *tree)
{
    const int fields[] = { hf_perfdata_counter_block, hf_perfdata_counter_block_byte_length, hf_perfdata_padding,
        hf_perfdata_value, hf_perfdata_value_text, hf_perfdata_value_bytes, hf_perfdata_value_multi };

    for (size_t i = 0; i < array_length(fields); i++) {
        if (proto_field_is_referenced(tree, fields[i])) {
            return true;
        }
    }
    return false;
}

static void
show_counter_block(struct view *view, proto_tree *tree, unsigned object, unsigned instance)
{
    const struct perfdata_object *o = &view->poll->block->objects[object];
    const struct perfdata_instance *in = &o->instances[instance];
    unsigned end = in->block_offset + PERF_COUNTER_BLOCK_SIZE;
    proto_item *item;
    proto_tree *sub;

    if (!in->has_block || !view->values_wanted) {
        return;
    }
    if (!perfdata_tree_has_room(view, 3, o->counters_read)) {
        return;
    }
    item = proto_tree_add_none_format(tree, hf_perfdata_counter_block, view->tvb, (int)in->block_offset,
        perfdata_captured_length(view->tvb, in->block_offset, in->block_offset + in->block_size), "Counter block%s",
        comma_count(view, o->counters_read, "value"));
    sub = proto_item_add_subtree(item, ett_perfdata_counter_block);
    proto_tree_add_item(sub, hf_perfdata_counter_block_byte_length, view->tvb, (int)in->block_offset, 4,
        view->encoding);
    for (unsigned c = 0; c < o->counters_read; c++) {
        unsigned offset, size;

        const size_t text = o->counters[c].form == PERFDATA_TEXT ? o->counters[c].counter_size : 0;

        if (!perfdata_tree_has_room(view, item_budget_text_items(&budget, ITEMS_PER_VALUE, text),
                o->counters_read - c)) {
            return;
        }
        perfdata_tree_show_value(view, sub, object, instance, c);
        perfdata_block_bytes(in, &o->counters[c], &offset, &size);
        end = MAX(end, offset + size);
    }
    perfdata_tree_add_padding(sub, view->tvb, end, in->block_offset + in->block_size);
}

/* Returns the end of an instance's definition by ByteLength, limited to the object, but not below the minimum size. */
static unsigned
instance_end(const struct perfdata_object *o, const struct perfdata_instance *in)
{
    return in->offset + MAX(PERF_INSTANCE_DEFINITION_SIZE, MIN(in->byte_length, o->offset + o->size - in->offset));
}

/*
 * Adds an expert item if an instance is another process or thread than in the previous poll: the differences are
 * meaningless, but Performance Monitor shows them.
 */
static void
check_process(const struct view *view, proto_item *item, unsigned object, unsigned instance)
{
    const struct poll_block *block = &view->poll->base.blocks[object];
    const unsigned counter = block->has_identity ? poll_other_instance(block, instance) : UINT_MAX;

    if (counter != UINT_MAX) {
        const struct cook_value id = block->rows[instance * block->num_columns + counter].value;

        expert_add_info_format(view->pinfo, item, &ei_perfdata_other_process,
            "%s was %" PRIu64 " in the previous poll and is %" PRIu64 " now: this is another process or thread",
            perfdata_poll_title(view->poll, block->columns[counter].key.id), id.before, id.now);
    }
}

static void
perfdata_tree_show_instance(struct view *view, proto_tree *tree, unsigned object, unsigned instance)
{
    const struct perfdata_object *o = &view->poll->block->objects[object];
    const struct perfdata_instance *in = &o->instances[instance];
    const unsigned end = instance_end(o, in);
    const struct perfdata_object *parent_object;
    const struct perfdata_instance *parent;
    const char *name = view->poll->instances[object][instance];
    unsigned used = in->offset + PERF_INSTANCE_DEFINITION_SIZE;
    proto_item *item;
    proto_tree *sub;

    if (!perfdata_tree_has_room(view, 11, o->counters_read)) {
        return;
    }
    item = proto_tree_add_none_format(tree, hf_perfdata_instance_definition, view->tvb, (int)in->offset,
        perfdata_captured_length(view->tvb, in->offset, MAX(end, in->block_offset + in->block_size)), "Instance %u: %s",
        instance, name);
    if (o->counters_read == 1 && view->seen.wants.is_seen && poll_path(&view->poll->base, object, instance) != NULL) {
        struct line line;

        poll_make_line(&view->poll->base, &view->seen, object, instance, &line);
        proto_item_set_text(item, "Instance %u: ", instance);
        item_label_append(view->pinfo->pool, item, line.text);
    }
    item_rest_hide(&view->rest, item);
    sub = proto_item_add_subtree(item, ett_perfdata_instance);
    show_problems(view, sub, in->problems);
    check_process(view, item, object, instance);
    perfdata_members_add(sub, view->tvb, view->encoding, perfdata_instance_members, in->offset, 0,
        PERF_INSTANCE_DEFINITION_SIZE);
    if (in->parent_object != 0) {
        parent = perfdata_block_parent(view->poll->block, in, &parent_object);
        if (parent != NULL) {
            const char *parent_name =
                wmem_strdup_printf(view->pinfo->pool, "%s(%s)", perfdata_poll_title(view->poll, in->parent_object),
                    perfdata_poll_own_name(view->poll, parent_object, parent));

            proto_item_set_generated(proto_tree_add_string(sub, hf_perfdata_instance_parent, view->tvb,
                (int)(in->offset + AT_instance_parent_object),
                SIZE_instance_parent_object + SIZE_instance_parent_instance, parent_name));
        } else {
            add_expert(view, sub, &ei_perfdata_no_parent, in->offset + AT_instance_parent_object,
                SIZE_instance_parent_object + SIZE_instance_parent_instance,
                wmem_strdup_printf(view->pinfo->pool,
                    "Its parent, instance %u of object %u (%s), is not in this answer", in->parent_instance,
                    in->parent_object, perfdata_poll_title(view->poll, in->parent_object)));
        }
    }
    if (in->name_start != 0) {
        const int length = perfdata_captured_length(view->tvb, in->name_start,
            in->name_start + MIN(in->name_length, end - in->name_start));

        proto_tree_add_string(sub, hf_perfdata_instance_name, view->tvb, (int)in->name_start, length,
            perfdata_poll_sent_name(view->poll, o, in));
        used = in->name_start + (unsigned)length;
    }
    perfdata_tree_add_padding(sub, view->tvb, used, end);
    show_counter_block(view, sub, object, instance);
}

/* Adds the name of a title index with its source. */
static void
add_title(proto_tree *tree, int hf, tvbuff_t *tvb, struct catalog_text title)
{
    if (title.text != NULL && title.frame == 0) {
        proto_item *item = proto_tree_add_string(tree, hf, tvb, 0, 0, title.text);

        proto_item_append_text(item, " (built in)");
        proto_item_set_generated(item);
    } else {
        poll_add_learned_name(&perfdata_poll_fields, tree, hf, tvb, title);
    }
}

/* Returns the end of a counter's definition, or of its fixed part if the length is impossible. */
static unsigned
counter_end(const struct perfdata_object *o, const struct perfdata_counter *c)
{
    return c->offset +
        MAX(PERF_COUNTER_DEFINITION_SIZE, c->byte_length <= o->offset + o->size - c->offset ? c->byte_length : 0);
}

static void
show_counter(struct view *view, proto_tree *tree, const struct perfdata_object *o, unsigned index)
{
    const struct perfdata_counter *c = &o->counters[index];
    const unsigned end = counter_end(o, c);
    const struct catalog_text name = perfdata_names_title(view->poll->server, c->name_index, view->poll->base.frame);
    proto_item *item;
    proto_tree *sub;

    item = proto_tree_add_none_format(tree, hf_perfdata_counter_definition, view->tvb, (int)c->offset,
        perfdata_captured_length(view->tvb, c->offset, end), "Counter %u: %s, %s", index,
        c->name_index == 0 ? "without a name" : perfdata_poll_title(view->poll, c->name_index), type_text(c));
    if (!view->has_counters) {
        item_rest_hide(&view->rest, item);
    }
    sub = proto_item_add_subtree(item, ett_perfdata_counter);
    show_problems(view, sub, c->problems);
    perfdata_members_add(sub, view->tvb, view->encoding, perfdata_counter_members, c->offset, 0,
        AT_counter_counter_type);
    type_tree_add(sub, view->tvb, c->offset + AT_counter_counter_type, &perfdata_type_fields, view->encoding,
        c->counter_type);
    perfdata_members_add(sub, view->tvb, view->encoding, perfdata_counter_members, c->offset, AT_counter_counter_type,
        PERF_COUNTER_DEFINITION_SIZE);
    perfdata_tree_add_padding(sub, view->tvb, c->offset + PERF_COUNTER_DEFINITION_SIZE, end);
    add_title(sub, hf_perfdata_counter_name, view->tvb, name);
    poll_add_learned_name(&perfdata_poll_fields, sub, hf_perfdata_counter_help, view->tvb,
        catalog_title(view->poll->server, c->help_index, CATALOG_DESCRIPTION, view->poll->base.frame));
}

#define ITEMS_PER_COUNTER (10u + COUNTER_TYPE_TREE_ITEMS + 4 + 1)

static void
show_counters(struct view *view, proto_tree *tree, const struct perfdata_object *o)
{
    proto_tree *sub;

    if (o->counters_read == 0) {
        return;
    }
    sub = proto_tree_add_subtree_format(tree, view->tvb, (int)o->counters[0].offset,
        perfdata_captured_length(view->tvb, o->counters[0].offset, counter_end(o, &o->counters[o->counters_read - 1])),
        ett_perfdata_counters, NULL, "%u counter definition%s", o->counters_read, plurality(o->counters_read, "", "s"));
    for (unsigned c = 0; c < o->counters_read; c++) {
        if (!view->has_counters && !perfdata_tree_has_room(view, ITEMS_PER_COUNTER, o->counters_read - c)) {
            return;
        }
        show_counter(view, sub, o, c);
    }
}

static void
show_instances(struct view *view, proto_tree *tree, unsigned object)
{
    const struct perfdata_object *o = &view->poll->block->objects[object];
    const struct perfdata_instance *last;
    proto_tree *sub;
    unsigned end;

    if (o->instances_read == 0) {
        return;
    }
    if (view->poll->instances[object] == NULL) {
        show_problems(view, tree, o->instances[0].problems);
        show_counter_block(view, tree, object, 0);
        return;
    }
    last = &o->instances[o->instances_read - 1];
    end = last->has_block ? last->block_offset + last->block_size : instance_end(o, last);
    sub = proto_tree_add_subtree_format(tree, view->tvb, (int)o->instances[0].offset,
        perfdata_captured_length(view->tvb, o->instances[0].offset, MIN(end, o->offset + o->size)),
        ett_perfdata_instances, NULL, "%u instance%s", o->instances_read, plurality(o->instances_read, "", "s"));
    poll_add_table(&view->poll->base, &view->seen, sub, object, &budget);
    for (unsigned i = 0; i < o->instances_read; i++) {
        perfdata_tree_show_instance(view, sub, object, i);
    }
}

/* Returns a summary of an object, "Process(*)\\*, 5 instances, 2 counters", with the result if it has one value. */
static const char *
perfdata_object_text(struct view *view, unsigned object)
{
    const struct perfdata_object *o = &view->poll->block->objects[object];
    const char *line = poll_only_line(&view->poll->base, &view->seen, object);
    const bool has_instances = o->num_instances != PERF_NO_INSTANCES && o->num_instances != PERF_METADATA_NO_INSTANCES;
    const char *instances = "";

    if (line != NULL) {
        return line;
    }
    if (o->num_instances == PERF_METADATA_MULTIPLE_INSTANCES || o->num_instances == PERF_METADATA_NO_INSTANCES) {
        instances = ", metadata only";
    } else if (o->num_instances == 0) {
        instances = ", no instances now";
    } else if (has_instances) {
        instances = comma_count(view, o->instances_read, "instance");
    }
    return wmem_strdup_printf(view->pinfo->pool, "%s%s\\%s%s%s", perfdata_poll_title(view->poll, o->name_index),
        has_instances ? "(*)" : "",
        o->counters_read == 1 ? perfdata_poll_title(view->poll, o->counters[0].name_index) : "*", instances,
        o->counters_read == 1 ? "" : comma_count(view, o->counters_read, "counter"));
}

#define ITEMS_PER_OBJECT 23u

static void
perfdata_tree_show_object(struct view *view, proto_tree *tree, unsigned object)
{
    const struct perfdata_object *o = &view->poll->block->objects[object];
    proto_item *item;
    proto_tree *sub;

    if (!view->has_objects &&
        !perfdata_tree_has_room(view, ITEMS_PER_OBJECT, MAX(1, o->counters_read * o->instances_read))) {
        return;
    }
    item = perfdata_tree_add_text(view, tree, hf_perfdata_object_type, o->offset,
        perfdata_captured_length(view->tvb, o->offset, o->offset + o->size),
        wmem_strdup_printf(view->pinfo->pool, "Object %u: ", object),
        perfdata_tree_wants(view, tree, hf_perfdata_object_type) ? perfdata_object_text(view, object) : "");
    if (!view->has_objects) {
        item_rest_hide(&view->rest, item);
    }
    sub = proto_item_add_subtree(item, ett_perfdata_object);
    show_problems(view, sub, o->problems);
    perfdata_members_add(sub, view->tvb, view->encoding, perfdata_object_members, o->offset, 0, PERF_OBJECT_TYPE_SIZE);
    add_title(sub, hf_perfdata_object_name, view->tvb,
        perfdata_names_title(view->poll->server, o->name_index, view->poll->base.frame));
    poll_add_learned_name(&perfdata_poll_fields, sub, hf_perfdata_object_help, view->tvb,
        catalog_title(view->poll->server, o->help_index, CATALOG_DESCRIPTION, view->poll->base.frame));
    show_counters(view, sub, o);
    show_instances(view, sub, object);
}

/*
 * Reserves room in the tree for all objects and all counters, before instances take it. Sets .has_objects and
 * .has_counters to whether there is enough.
 */
static void
reserve_definitions(struct view *view)
{
    const struct perfdata_block *b = view->poll->block;
    uint64_t counters = 0;

    for (unsigned o = 0; o < b->objects_read; o++) {
        counters += b->objects[o].counters_read;
    }
    view->has_objects = b->objects_read <= budget.limit / ITEMS_PER_OBJECT &&
        item_budget_reserve(&budget, view->pinfo, b->objects_read * ITEMS_PER_OBJECT);
    view->has_counters = view->has_objects && counters <= budget.limit / ITEMS_PER_COUNTER &&
        item_budget_reserve(&budget, view->pinfo, (unsigned)counters * ITEMS_PER_COUNTER);
}

/* Fills in the rows if they are needed for items, or to detect instances that are another process than before. */
static void
fill_wanted(struct view *view, proto_tree *tree)
{
    struct perfdata_poll *poll = view->poll;
    bool has_identity = false;

    perfdata_poll_fill_columns(poll);
    for (unsigned o = 0; o < poll->base.num_blocks; o++) {
        has_identity |= poll->base.blocks[o].has_identity;
    }
    if (has_identity || poll_wants_rows(&view->seen.wants) ||
        proto_field_is_referenced(tree, hf_perfdata_object_type)) {
        perfdata_poll_fill_rows(poll);
    }
}

void
perfdata_tree_block(packet_info *pinfo, proto_tree *tree, struct perfdata_poll *poll)
{
    const struct perfdata_block *b = poll->block;
    struct view view = {
        .pinfo = pinfo,
        .poll = poll,
        .tvb = poll->base.tvb,
        .encoding = b->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN,
        .seen = { .pinfo = pinfo, .fields = &perfdata_poll_fields, .wants = poll_wants(&perfdata_poll_fields, tree) },
    };
    bool findings_wanted;
    const char *text = "";
    proto_item *item;
    proto_tree *sub;

    view.seen.rest = &view.rest;
    /* An expert item reports the number of left-out values, so count them even if only expert items are needed. */
    findings_wanted = expert_items_are_asked(tree) || proto_field_is_referenced(tree, ei_perfdata_left_out.hf) ||
        proto_field_is_referenced(tree, ei_perfdata_out_of_reach.hf);
    view.seen.wants.table = view.seen.wants.table || findings_wanted;
    view.values_wanted = findings_wanted || poll_wants_any(&view.seen.wants) || raw_values_are_wanted(tree);
    if (perfdata_tree_wants(&view, tree, hf_perfdata_data_block)) {
        text = b->header_only ? ", header only"
                              : wmem_strconcat(pinfo->pool, comma_count(&view, b->objects_read, "object"),
                                    comma_count(&view, perfdata_block_values(b), "value"), NULL);
        text = wmem_strconcat(pinfo->pool, server_host(poll->server), text, NULL);
    }
    item = perfdata_tree_add_text(&view, tree, hf_perfdata_data_block, 0, -1, "Performance data block of ", text);
    sub = proto_item_add_subtree(item, ett_perfdata_block);
    show_problems(&view, sub, b->problems);
    if (tvb_captured_length(poll->base.tvb) >= PERF_DATA_BLOCK_SIZE) {
        perfdata_tree_header(pinfo, sub, view.tvb, view.encoding, b);
        poll_add_neighbours(&perfdata_poll_fields, view.pinfo, sub, view.tvb, poll->base.sample);
        if (tree != NULL || findings_wanted) {
            fill_wanted(&view, tree);
        }
        if (poll->base.sample != NULL && watch_begin(sub)) {
            perfdata_poll_fill_rows(poll);
            poll_add_watched(&poll->base, pinfo, sub);
        }
        if (tree != NULL || findings_wanted) {
            reserve_definitions(&view);
            for (unsigned o = 0; o < b->objects_read; o++) {
                perfdata_tree_show_object(&view, sub, o);
            }
        }
    }
    if (perfdata_captured_length(view.tvb, b->end, b->size) > 0) {
        perfdata_tree_bytes(sub, tvb_new_subset_remaining(poll->base.tvb, (int)b->end), "Not part of an object");
    }
    if (b->incomplete) {
        expert_add_info(pinfo, item, &ei_perfdata_no_sample);
    }
    if (view.rest.left_out > 0) {
        expert_add_info_format(pinfo, item, &ei_perfdata_left_out, "%s",
            item_budget_left_out_text(&budget, pinfo, view.rest.left_out, "values or structures"));
    }
    if (view.rest.missed > 0) {
        expert_add_info_format(pinfo, item, &ei_perfdata_out_of_reach, "%s",
            item_budget_missed_text(&budget, pinfo, &view.rest, "values or structures"));
    }
}

void
perfdata_tree_names(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, enum perfdata_asked asked)
{
    const struct perfdata_names_list list = perfdata_names_open(tvb);
    const bool help = asked == PERFDATA_ASKED_HELP;
    unsigned offset = 0, entries = 0, left_out = 0;
    struct perfdata_name name;
    const char *wrong;
    proto_item *item, *list_item;
    proto_tree *sub;

    sub = proto_tree_add_subtree(tree, tvb, 0, -1, ett_perfdata_block, &list_item,
        help ? "Help texts of title indexes" : "Names of title indexes");
    while (perfdata_names_next(&list, &offset, &name, &wrong)) {
        const char *text;

        entries++;
        if (!item_budget_reserve(&budget, pinfo, 2)) {
            left_out++;
            continue;
        }
        if (tree == NULL) {
            continue;
        }
        text = perfdata_names_text(&list, &name, pinfo->pool);
        item = proto_tree_add_uint_format(sub, hf_perfdata_title_index, tvb, (int)name.offset,
            (int)(name.text_offset - name.offset), name.index, "%u: %s", name.index, line_text(pinfo->pool, text));
        proto_tree_add_string(proto_item_add_subtree(item, perfdata_poll_fields.ett_name),
            help ? hf_perfdata_title_help : hf_perfdata_title_name, tvb, (int)name.text_offset,
            (int)(name.end - name.text_offset), text);
    }
    proto_item_append_text(list_item, ", %u entr%s", entries, plurality(entries, "y", "ies"));
    if (wrong != NULL && !list.is_cut) {
        proto_tree_add_expert_format(sub, pinfo, &ei_perfdata_bad_names, tvb, (int)offset,
            (int)(tvb_captured_length(tvb) - offset), "The list of names is damaged at offset %u: %s", offset, wrong);
    }
    perfdata_tree_bytes(sub, tvb_new_subset_remaining(tvb, (int)offset), "After the list");
    if (left_out > 0) {
        expert_add_info_format(pinfo, list_item, &ei_perfdata_left_out, "%s",
            item_budget_left_out_text(&budget, pinfo, left_out, "entries"));
    }
}

/*
 * Maximum number of words of a value name that the tree of one request or answer shows. A capture may contain many
 * answers to one call, each of which shows the words again.
 */
#define MOST_REQUESTED 512

void
perfdata_tree_requested(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const struct server *server,
    const char *value_name)
{
    /* The language in "Counter 009" consists of digits, too, but is no object. */
    const bool asks_objects = perfdata_asked(value_name, NULL) == PERFDATA_ASKED_BLOCK;
    struct perfdata_word word;
    proto_item *item = NULL;

    for (unsigned shown = 0; perfdata_asked_next(&value_name, &word, pinfo->pool); shown++) {
        struct catalog_text title = { .text = NULL };

        if (shown == MOST_REQUESTED) {
            expert_add_info_format(pinfo, item, &ei_perfdata_left_out,
                "Only the first %u words of the value name are shown", MOST_REQUESTED);
            break;
        }
        item = proto_tree_add_string(tree, hf_perfdata_requested, tvb, 0, 0, word.text);
        proto_item_set_generated(item);
        if (asks_objects && word.is_index) {
            title = perfdata_names_title(server, word.index, pinfo->num);
        }
        if (title.text != NULL) {
            proto_item_append_text(item, " (%s%s)", title.text, title.frame == 0 ? ", built in" : "");
        }
    }
}

void
perfdata_tree_not_answered(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *objects)
{
    if (objects != NULL) {
        proto_tree_add_expert_format(tree, pinfo, &ei_perfdata_not_answered, tvb, 0, 0,
            "Requested, but not in the answer: %s", objects);
    }
}

void
perfdata_tree_bytes(proto_tree *tree, tvbuff_t *tvb, const char *what)
{
    if (tvb_captured_length(tvb) > 0) {
        proto_tree_add_bytes_format(tree, hf_perfdata_data, tvb, 0, (int)tvb_captured_length(tvb), NULL, "%s: %u bytes",
            what, tvb_reported_length(tvb));
    }
}

void
perfdata_tree_register(int proto, module_t *module)
{
    static hf_register_info hf[] = {
        { &hf_perfdata_requested,
            { "Requested", "perfdata.requested", FT_STRING, BASE_NONE, NULL, 0,
                "One word of the requested value name: a title index, Global, Counter", HFILL } },
        { &hf_perfdata_data,
            { "Data", "perfdata.data", FT_BYTES, BASE_NONE, NULL, 0, "Data that is not decoded as performance data",
                HFILL } },
        { &hf_perfdata_padding,
            { "Padding", "perfdata.padding", FT_BYTES, BASE_NONE, NULL, 0, "Unused bytes", HFILL } },
        { &hf_perfdata_data_block,
            { "PERF_DATA_BLOCK", "perfdata.data_block", FT_STRING, BASE_NONE, NULL, 0,
                "Summary of the block and its machine", HFILL } },
        { &hf_perfdata_object_type,
            { "PERF_OBJECT_TYPE", "perfdata.object_type", FT_STRING, BASE_NONE, NULL, 0,
                "Summary of the object, with the result if it has one value", HFILL } },
        { &hf_perfdata_object_name,
            { "Object name", "perfdata.object.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the object (performance category), such as Processor", HFILL } },
        { &hf_perfdata_object_help,
            { "Object help", "perfdata.object.help", FT_STRING, BASE_NONE, NULL, 0, "Help text of the object",
                HFILL } },
        { &hf_perfdata_counter_definition,
            { "PERF_COUNTER_DEFINITION", "perfdata.counter_definition", FT_NONE, BASE_NONE, NULL, 0,
                "Description of one counter of the object", HFILL } },
        { &hf_perfdata_counter_name,
            { "Counter name", "perfdata.counter.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the counter, such as % Processor Time", HFILL } },
        { &hf_perfdata_counter_help,
            { "Counter help", "perfdata.counter.help", FT_STRING, BASE_NONE, NULL, 0, "Help text of the counter",
                HFILL } },
        { &hf_perfdata_instance_definition,
            { "PERF_INSTANCE_DEFINITION", "perfdata.instance_definition", FT_NONE, BASE_NONE, NULL, 0,
                "Description of one instance of the object", HFILL } },
        { &hf_perfdata_instance_name,
            { "Instance name", "perfdata.instance.name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the instance, for example of a process or disk", HFILL } },
        { &hf_perfdata_instance_parent,
            { "Parent", "perfdata.instance.parent", FT_STRING, BASE_NONE, NULL, 0,
                "Instance that this one belongs to, such as the process of a thread", HFILL } },
        { &hf_perfdata_counter_block,
            { "PERF_COUNTER_BLOCK", "perfdata.counter_block", FT_NONE, BASE_NONE, NULL, 0,
                "Values of all counters of the object or of one instance", HFILL } },
        { &hf_perfdata_counter_block_byte_length,
            { "ByteLength", "perfdata.counter_block.byte_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the block in bytes, with all values", HFILL } },
        { &hf_perfdata_value,
            { "Value", "perfdata.value", FT_UINT64, BASE_DEC, NULL, 0, "Raw value: a number of 4 or 8 bytes, as sent",
                HFILL } },
        { &hf_perfdata_value_text,
            { "Text", "perfdata.value.text", FT_STRING, BASE_NONE, NULL, 0, "Value of a counter that is a text",
                HFILL } },
        { &hf_perfdata_value_bytes,
            { "Bytes", "perfdata.value.bytes", FT_BYTES, BASE_NONE, NULL, 0,
                "Value that is neither a number of 4 or 8 bytes nor a text", HFILL } },
        { &hf_perfdata_value_multi,
            { "Number of instances in the sum", "perfdata.value.multi", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of instances that the value is a sum of", HFILL } },
        { &hf_perfdata_title_index,
            { "Title index", "perfdata.title.index", FT_UINT32, BASE_DEC, NULL, 0,
                "Number that the data use in place of this name or help text", HFILL } },
        { &hf_perfdata_title_name,
            { "Name", "perfdata.title.name", FT_STRING, BASE_NONE, NULL, 0, "Name of an object or counter", HFILL } },
        { &hf_perfdata_title_help,
            { "Help text", "perfdata.title.help", FT_STRING, BASE_NONE, NULL, 0, "Help text of an object or counter",
                HFILL } },
    };
    static int *ett[] = { &ett_perfdata_block, &ett_perfdata_object, &ett_perfdata_counters, &ett_perfdata_counter,
        &ett_perfdata_instances, &ett_perfdata_instance, &ett_perfdata_counter_block };
    static ei_register_info ei[] = {
        { &ei_perfdata_bad_length,
            { "perfdata.bad_length", PI_MALFORMED, PI_ERROR, "Impossible length, offset or count", EXPFILL } },
        { &ei_perfdata_value_outside,
            { "perfdata.value_outside", PI_MALFORMED, PI_ERROR, "Value outside its counter block", EXPFILL } },
        { &ei_perfdata_short_block,
            { "perfdata.short_block", PI_MALFORMED, PI_WARN, "The server truncated the block", EXPFILL } },
        { &ei_perfdata_trailing_bytes,
            { "perfdata.trailing_bytes", PI_PROTOCOL, PI_NOTE, "Extra bytes after the last object", EXPFILL } },
        { &ei_perfdata_header_left_out,
            { "perfdata.header_left_out", PI_PROTOCOL, PI_NOTE, "TotalByteLength does not count the header",
                EXPFILL } },
        { &ei_perfdata_big_endian,
            { "perfdata.big_endian", PI_ASSUMPTION, PI_NOTE, "Read as a big-endian block", EXPFILL } },
        { &ei_perfdata_byte_order,
            { "perfdata.byte_order", PI_PROTOCOL, PI_WARN, "LittleEndian contradicts the signature", EXPFILL } },
        { &ei_perfdata_unknown_version,
            { "perfdata.unknown_version", PI_UNDECODED, PI_WARN, "Unknown version", EXPFILL } },
        { &ei_perfdata_wide_dword,
            { "perfdata.wide_dword", PI_PROTOCOL, PI_NOTE, "Counter type is DWORD, but CounterSize is 8", EXPFILL } },
        { &ei_perfdata_short_counter_block,
            { "perfdata.short_counter_block", PI_PROTOCOL, PI_NOTE, "Values after the end of the counter block",
                EXPFILL } },
        { &ei_perfdata_no_parent,
            { "perfdata.no_parent", PI_PROTOCOL, PI_NOTE, "Parent not in this answer", EXPFILL } },
        { &ei_perfdata_other_process,
            { "perfdata.other_process", PI_SEQUENCE, PI_NOTE, "The previous poll has another process with this name",
                EXPFILL } },
        { &ei_perfdata_no_sample,
            { "perfdata.no_sample", PI_SEQUENCE, PI_NOTE,
                "Incomplete block: its values are not compared with other polls", EXPFILL } },
        { &ei_perfdata_not_answered,
            { "perfdata.not_answered", PI_RESPONSE_CODE, PI_NOTE, "The answer does not contain a requested object",
                EXPFILL } },
        { &ei_perfdata_left_out, { "perfdata.left_out", PI_UNDECODED, PI_NOTE, "Values not shown", EXPFILL } },
        { &ei_perfdata_out_of_reach,
            { "perfdata.out_of_reach", PI_UNDECODED, PI_WARN, "Filters cannot see all values of this packet",
                EXPFILL } },
        { &ei_perfdata_bad_names,
            { "perfdata.bad_names", PI_MALFORMED, PI_WARN, "The list of names is damaged", EXPFILL } },
    };
    expert_module_t *expert = expert_register_protocol(proto);

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
    perfdata_shared_fields_register(proto);
    perfdata_members_register(proto, expert, &asked_fields[array_length(asked_fields) - 1 - PERFDATA_ASKED_MEMBERS]);
    item_budget_register(&budget, proto, module);
}
