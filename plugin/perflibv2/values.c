/* values.c
 * Values of a poll as flat rows
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/values.h"

#include <limits.h>
#include <string.h>

#include <epan/to_str.h>

#include "base/hash.h"

struct values *
values_new(const struct lpdata *data, const struct query_poll *poll, wmem_allocator_t *scope)
{
    struct values *values = wmem_new0(scope, struct values);

    values->base.scope = scope;
    values->base.tvb = data->tvb;
    values->base.num_blocks = lpdata_count(data->blocks);
    values->data = data;
    values->poll = poll;
    if (poll != NULL) {
        values->server = server_known(poll->query->server);
        values->base.sample = poll->values;
        values->base.clocks = poll->values->clocks;
        values->base.frame = poll->values->frame;
        values->base.names = catalog_version_in(values->server, values->base.frame);
    }
    return values;
}

const struct value_block *
values_block(struct values *values, unsigned index)
{
    if (values->blocks == NULL) {
        const unsigned count = values->base.num_blocks;

        values->blocks = wmem_alloc0_array(values->base.scope, struct value_block, count);
        for (unsigned b = 0; b < count; b++) {
            values->blocks[b].bytes = lpdata_block(values->data, b);
            if (values->poll != NULL && values->poll->num_blocks == count) {
                values->blocks[b].link = queries_link(values->poll, b);
            }
        }
    }
    return &values->blocks[index];
}

void
values_mark_wrong(struct values *values, unsigned index)
{
    if (values->wrong_blocks == NULL) {
        values->wrong_blocks = wmem_alloc0_array(values->base.scope, bool, values->base.num_blocks);
    }
    values->wrong_blocks[index] = true;
}

static guint
set_hash(const void *key)
{
    return guid_map_hash(&((const struct series_shape *)key)->set);
}

static gboolean
set_equal(const void *a, const void *b)
{
    const struct series_shape *x = (const struct series_shape *)a, *y = (const struct series_shape *)b;

    return x->kind == y->kind && guid_map_equal(&x->set, &y->set);
}

/* Where fill_column() finds the counters of a block; a column is one counter of the block */
struct column_source {
    const struct server *server;
    uint32_t frame;
    const e_guid_t *set;
    const struct series_shape *shape;
    /* the block's identifier; NULL in values_previous(): the counter ids are then in .shape */
    const struct query_link *link;
};

#define NTH_UNKNOWN UINT32_MAX

/*
 * Several counters have this id, and a block has only some of them. Returns the number, from 0, of the one whose type
 * has values of `size` bytes (0: not known). If no type or several types fit, returns NTH_UNKNOWN; *out then has no
 * name, and a type only if these counters do not differ in it.
 */
static unsigned
values_find_nth(const struct server *server, const e_guid_t *set, uint32_t id, unsigned num_same_id, unsigned size,
    uint32_t frame, struct catalog_counter *out)
{
    unsigned found = NTH_UNKNOWN, num_found = 0;

    for (unsigned nth = 0; nth < num_same_id; nth++) {
        struct catalog_counter counter;

        catalog_counter(server, set, id, nth, frame, &counter);
        if (size != 0 && counter.type_known && !perf_counter_type_has_size(counter.type, size)) {
            continue;
        }
        if (num_found++ == 0) {
            *out = counter;
            found = nth;
        } else {
            out->name.text = NULL;
            if (!catalog_counter_alike(out, &counter)) {
                *out = catalog_unknown_counter;
                out->has_same_id = true;
            }
        }
    }
    if (num_found == 0 && size != 0) {
        return values_find_nth(server, set, id, num_same_id, 0, frame, out);
    }
    return num_found == 1 ? found : NTH_UNKNOWN;
}

/* Looks up column c of a block, the counter `id`. Returns its number, from 0, among counters with this id. */
static unsigned
find_counter(const struct column_source *of, uint32_t id, unsigned c, struct catalog_counter *out)
{
    const struct series_shape *shape = of->shape;
    const unsigned nth = shape->nths == NULL ? 0 : shape->nths[c];
    unsigned num_same_id;

    catalog_counter(of->server, of->set, id, nth, of->frame, out);
    if (!out->has_same_id) {
        return nth;
    }
    /* A block with all counters of this id has them in the order of the registration, so nth is right. */
    num_same_id = catalog_same_id_count(of->server, of->set, id);
    if ((lpdata_type_has_ids(shape->kind) ? series_shape_count(shape, id) : 1) == num_same_id) {
        return nth;
    }
    return values_find_nth(of->server, of->set, id, num_same_id, shape->num_rows == 0 ? 0 : shape->widths[c], of->frame,
        out);
}

/* Returns a counter's name. If an earlier counter with its id has the same name, adds "(no. 2 of id 7)". */
static const char *
counter_word(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope)
{
    struct catalog_counter known, first;
    const char *name;

    if (counter->nth == NTH_UNKNOWN) {
        return wmem_strdup_printf(scope, "counter %u (one of %u of this id)", counter->id,
            catalog_same_id_count(counter->server, &counter->set, counter->id));
    }
    catalog_counter(counter->server, &counter->set, counter->id, counter->nth, frame, &known);
    name = known.name.text;
    if (counter->nth > 0) {
        catalog_counter(counter->server, &counter->set, counter->id, 0, frame, &first);
        if (name == NULL || first.name.text == NULL || strcmp(name, first.name.text) == 0) {
            return name == NULL
                ? wmem_strdup_printf(scope, "counter %u (no. %u of this id)", counter->id, counter->nth + 1)
                : wmem_strdup_printf(scope, "%s (no. %u of id %u)", name, counter->nth + 1, counter->id);
        }
    }
    return name == NULL ? wmem_strdup_printf(scope, "counter %u", counter->id) : name;
}

/* Returns the names of a counter. A counterset without a name is shown as its GUID in braces. */
static struct counter_words
values_words(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope)
{
    const char *guid = guid_to_str(scope, &counter->set);
    const char *name = catalog_counterset_name(counter->server, &counter->set, frame).text;

    return (struct counter_words){
        .set = name != NULL ? name : wmem_strdup_printf(scope, "{%s}", guid),
        .set_id = guid,
        .counter = counter_word(counter, frame, scope),
    };
}

/*
 * Returns a counter's base, time, frequency or multi counter, if its type needs one. In practice 0xFFFFFFFF means
 * "none". [MS-PCQ] has no such value but uses 0, which names a counter only if the counterset has one with id 0 that
 * is_kind() accepts.
 */
static struct poll_operand
values_find_operand(const struct column_source *of, bool is_needed, uint32_t id, bool (*is_kind)(uint32_t type))
{
    struct catalog_counter zeroth;

    if (!is_needed ||
        (id == 0 &&
            !(catalog_counter(of->server, of->set, 0, 0, of->frame, &zeroth) && zeroth.type_known &&
                is_kind(zeroth.type)))) {
        id = PERF_ID_NONE;
    }
    return (struct poll_operand){ id, id == PERF_ID_NONE ? UINT_MAX : series_column(of->shape, id) };
}

/* Returns whether a counterset has a counter with this id that may be a base, even if the poll does not contain it. */
static bool
names_base(const struct column_source *of, uint32_t id)
{
    struct catalog_counter base;

    return id != PERF_ID_NONE && catalog_counter(of->server, of->set, id, 0, of->frame, &base) &&
        (!base.type_known || perf_counter_type_is_base(base.type));
}

/*
 * Returns the source of a counter's name as one word, for example "map". The word is "inferred" or "doubtful" if the
 * block's identifier is less certain than the name.
 */
static const char *
known_by(const struct query_link *link, const struct catalog_counter *counter)
{
    const bool is_borrowed = counter->name.text != NULL && counter->name.source >= CATALOG_OTHER_NAME &&
        counter->name.source <= CATALOG_OTHER_MACHINE;

    if (link->calls_missing || (link->kind == LINK_INFERRED && link->is_unnumbered)) {
        return "doubtful";
    }
    if (link->kind == LINK_INFERRED && !is_borrowed) {
        return "inferred";
    }
    return counter->name.text == NULL ? "id" : catalog_source_word(counter->name.source, "map");
}

static perflib_bool leave_out_no_display = false;

void
values_register(module_t *module)
{
    prefs_register_bool_preference(module, "leave_out_no_display",
        "Leave counters that are not for display out of tables",
        "Some counters, such as bases, have the attribute \"no display\". Performance Monitor does not show them "
        "either. The packet tree always shows them, marked as not for display.",
        &leave_out_no_display);
}

/* Returns the names of a counter in a block with an unknown identifier: "counter 7 (query 1, block 3)". */
static struct counter_words
unknown_words(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope)
{
    const struct query_poll *poll = (const struct query_poll *)counter->unknown;
    const struct unknown_block unknown = queries_unknown_block(&counter->set);
    const struct query_link link = queries_link(poll, unknown.block);
    /* Adding the first identifiers begins epoch 1, so the first change begins epoch 2. */
    const char *change = unknown.epoch < 2 ? "" : wmem_strdup_printf(scope, ", change %u", unknown.epoch - 1);
    const bool has_set = link.kind != LINK_NONE;
    /* Blocks of some types have no counter ids: the identifier may have one, though its instance is unknown. */
    const uint32_t id = counter->id == PERF_ID_NONE && has_set && link.counter_known ? link.counter_id : counter->id;
    struct counter_words words = { .set = "unknown", .set_id = "", .counter_known = "unknown" };

    if (has_set) {
        const char *name = catalog_counterset_name(counter->server, &link.set, frame).text;

        words.set_id = guid_to_str(scope, &link.set);
        words.set = name != NULL ? name : wmem_strdup_printf(scope, "{%s}", words.set_id);
    }
    if (id != PERF_ID_NONE) {
        words.counter_known = has_set ? catalog_counter_text(scope, counter->server, &link.set, id, frame)
                                      : wmem_strdup_printf(scope, "counter %u", id);
    }
    words.counter = wmem_strdup_printf(scope, "%s (query %u, block %u%s)", words.counter_known, poll->query->number,
        unknown.block, change);
    return words;
}

/* Fills in the columns of a block without a known identifier, so that its values are counted, though not named. */
static void
fill_unknown(struct values *values, unsigned b)
{
    struct poll_block *block = &values->base.blocks[b];
    const struct series_shape *shape = series_shape(values->base.sample, b);
    const bool has_ids = lpdata_type_has_ids(shape->kind);
    const e_guid_t set = queries_unknown_set(values->poll->query, values->poll->epoch, b);

    block->why_unknown =
        inference_is_not_captured(&values->blocks[b].link) ? COOK_COUNTER_NOT_CAPTURED : COOK_COUNTER_UNKNOWN;
    block->num_instances = shape->num_rows;
    block->num_columns = shape->num_counters;
    block->columns = wmem_alloc0_array(values->base.scope, struct poll_column, MAX(block->num_columns, 1));
    for (unsigned c = 0; c < block->num_columns; c++) {
        block->columns[c].known_by = "unknown";
        block->columns[c].key = (struct perf_counter){
            .server = values->server,
            .set = set,
            .id = has_ids ? shape->counters[c] : PERF_ID_NONE,
            .nth = shape->nths == NULL ? 0 : shape->nths[c],
            .words = unknown_words,
            .unknown = values->poll,
        };
    }
}

static void
fill_column(const struct column_source *of, unsigned c, struct poll_column *column)
{
    const bool has_id = lpdata_type_has_ids(of->shape->kind) || of->link == NULL;
    const uint32_t id = has_id ? of->shape->counters[c] : of->link->counter_id;
    struct catalog_counter known;
    const unsigned nth = find_counter(of, id, c, &known);
    const bool is_displayed = (known.attrib & COUNTER_ATTRIB_NO_DISPLAY) == 0;

    *column = (struct poll_column){
        .key = { .server = of->server, .set = *of->set, .id = id, .nth = nth, .words = values_words },
        .known_by = of->link == NULL ? NULL : known_by(of->link, &known),
        .note = is_displayed ? NULL : " (not for display)",
        .type_known = known.type_known,
        .as_hex = (known.attrib & COUNTER_ATTRIB_AS_HEX) != 0,
        .as_real = (known.attrib & COUNTER_ATTRIB_AS_REAL) != 0,
        .is_shown = is_displayed && !perf_counter_type_is_base(known.type),
        .is_left_out = leave_out_no_display && !is_displayed,
        .type = known.type,
        .method = known.type_known ? cook_method(known.type) : NULL,
        .aggregate = known.aggregate,
        .needs = known.type_known ? cook_needs(known.type) : 0,
    };
    column->base = values_find_operand(of, column->needs & COOK_NEEDS_BASE, known.base_id, perf_counter_type_is_base);
    column->has_base_id = names_base(of, column->base.id);
    column->time =
        values_find_operand(of, column->needs & COOK_NEEDS_TIME, known.perf_time_id, perf_counter_type_is_operand);
    column->freq =
        values_find_operand(of, column->needs & COOK_NEEDS_FREQ, known.perf_freq_id, perf_counter_type_is_operand);
    column->multi =
        values_find_operand(of, column->needs & COOK_NEEDS_MULTI, known.multi_id, perf_counter_type_is_operand);
}

/* Fills in the number of instances, and the columns, of an identified block. */
static void
fill_block(const struct column_source *of, wmem_allocator_t *scope, struct poll_block *block)
{
    block->is_named = true;
    block->num_instances = of->shape->num_rows;
    block->num_columns = of->shape->num_counters;
    block->is_table = lpdata_type_has_ids(of->shape->kind) && lpdata_type_has_instances(of->shape->kind);
    block->columns = wmem_alloc_array(scope, struct poll_column, MAX(block->num_columns, 1));
    for (unsigned c = 0; c < block->num_columns; c++) {
        fill_column(of, c, &block->columns[c]);
    }
}

/*
 * Sets .lacks_blocks of each block: true if other counters of its counterset, such as a base, may be in blocks that
 * were cut, failed or could not be identified.
 */
static void
mark_lacking(struct values *values)
{
    wmem_map_t *failed = NULL;
    bool is_any_unknown = values->data->is_cut;

    for (unsigned b = 0; b < values->base.num_blocks; b++) {
        const struct query_link *link = &values_block(values, b)->link;

        if (!values->base.blocks[b].is_named) {
            failed = failed != NULL ? failed : wmem_map_new(values->base.scope, guid_map_hash, guid_map_equal);
            wmem_map_insert(failed, &link->set, values);
            is_any_unknown = is_any_unknown || link->kind == LINK_NONE;
        }
    }
    for (unsigned b = 0; b < values->base.num_blocks; b++) {
        values->base.blocks[b].lacks_blocks =
            is_any_unknown || (failed != NULL && wmem_map_contains(failed, &values_block(values, b)->link.set));
    }
}

void
values_fill_columns(struct values *values)
{
    if (values->has_columns) {
        return;
    }
    values->has_columns = true;
    values->base.blocks = wmem_alloc0_array(values->base.scope, struct poll_block, MAX(values->base.num_blocks, 1));
    for (unsigned b = 0; b < values->base.num_blocks; b++) {
        const struct value_block *block = values_block(values, b);
        struct column_source of = { values->server, values->base.frame, &block->link.set, NULL, &block->link };

        if (values->poll == NULL || !block->bytes->is_complete) {
            continue;
        }
        of.shape = series_shape(values->base.sample, b);
        if ((uint64_t)of.shape->num_rows * of.shape->num_counters != block->bytes->num_values) {
            continue;
        }
        if (!inference_names_values(&block->link, of.shape->kind)) {
            fill_unknown(values, b);
        } else {
            fill_block(&of, values->base.scope, &values->base.blocks[b]);
            values->base.blocks[b].table_offset = block->bytes->instances_offset;
        }
    }
    mark_lacking(values);
}

void
values_claim_names(struct values *values)
{
    if (values->poll != NULL && poll_has_unclaimed(&values->base)) {
        values_fill_columns(values);
        poll_claim_names(&values->base);
    }
}

static void
fill_instances(struct values *values, unsigned b)
{
    struct poll_block *block = &values->base.blocks[b];
    const struct series_shape *shape = series_shape(values->base.sample, b);
    const struct query_link *link = &values->blocks[b].link;
    const bool has_instances = lpdata_type_has_instances(shape->kind);
    static const struct series_row none = { 0, NULL, 0 };
    const bool is_by_id =
        !has_instances && link->kind == LINK_MAPPED && !link->instance_known && link->instance.id != PERF_ID_NONE;

    block->instances = wmem_alloc0_array(values->base.scope, struct poll_instance, MAX(block->num_instances, 1));
    for (unsigned r = 0; r < block->num_instances; r++) {
        const bool is_known = has_instances || (link->kind != LINK_NONE && link->instance_known);
        const struct series_row *row = has_instances ? &shape->rows[r] : is_known ? &link->instance : &none;
        const struct instance *instance = shape->instances != NULL && block->is_named
            ? identity_instance_now(shape->instances[r], queries_instance_text)
            : identity_instance(values->server, &block->columns[0].key.set, row, NULL, 0, queries_instance_text);

        block->instances[r] = (struct poll_instance){
            /* An instance without a text is the only one of its counterset, so paths omit it. */
            .instance = instance->text[0] == '\0' ? NULL : instance,
            .text = row->name_size > 0 ? instance->text : NULL,
            .has_id = row->name_size > 0 || has_instances || is_by_id,
            .id = is_by_id ? link->instance.id : row->id,
        };
    }
}

static void
fill_block_rows(struct values *values, unsigned b)
{
    struct poll_block *block = &values->base.blocks[b];
    const unsigned count = block->num_instances * block->num_columns, first = values->blocks[b].bytes->first_value;

    block->rows = wmem_alloc_array(values->base.scope, struct poll_row, MAX(count, 1));
    for (unsigned at = 0; at < count; at++) {
        const struct lp_value *sent = &values->data->values[first + at];
        const struct poll_column *column = &block->columns[at % block->num_columns];

        block->rows[at] = (struct poll_row){
            .value.present = true,
            .offset = sent->offset + LP_COUNTER_DATA_SIZE,
            .length = sent->data_size,
        };
        if (column->type_known && column->type == PERF_COUNTER_TEXT) {
            if (block->texts == NULL) {
                block->texts = wmem_alloc0_array(values->base.scope, const char *, count);
            }
            block->texts[at] = lpdata_value_text(values->data, first + at, values->base.scope);
        }
    }
    poll_complete_rows(&values->base, b);
}

/*
 * Returns whether the previous poll had the block's counterset too, so that instances missing from that poll are new.
 * *sets: the previous poll's countersets, collected for the first block that is not at its old index; NULL until then.
 */
static bool
polled_before(const struct values *values, unsigned index, wmem_map_t **sets)
{
    const struct series_shape *shape = series_shape(values->base.sample, index);
    const struct series_poll *previous = values->base.sample->previous;

    if (previous == NULL || !lpdata_type_has_instances(shape->kind)) {
        return false;
    }
    if (index < previous->num_blocks && set_equal(series_shape(previous, index), shape)) {
        return true;
    }
    if (*sets == NULL) {
        *sets = wmem_map_new(values->base.scope, set_hash, set_equal);
        for (unsigned b = 0; b < previous->num_blocks; b++) {
            wmem_map_insert(*sets, series_shape(previous, b), (void *)series_shape(previous, b));
        }
    }
    return wmem_map_contains(*sets, shape);
}

void
values_fill_rows(struct values *values)
{
    wmem_map_t *sets = NULL;

    if (values->has_rows) {
        return;
    }
    values->has_rows = true;
    values_fill_columns(values);
    for (unsigned b = 0; b < values->base.num_blocks; b++) {
        if (values->base.blocks[b].num_columns > 0) {
            values->base.blocks[b].polled_before = polled_before(values, b, &sets);
            fill_instances(values, b);
            fill_block_rows(values, b);
        }
    }
}

struct poll *
values_previous(const struct values *values)
{
    const struct series_poll *sample = values->base.sample->previous;
    struct poll *poll = wmem_new0(values->base.scope, struct poll);

    series_prepare(sample);
    *poll = (struct poll){
        .scope = values->base.scope,
        .sample = sample,
        .frame = sample->frame,
        .clocks = sample->clocks,
        .num_blocks = sample->num_blocks,
        .blocks = wmem_alloc0_array(values->base.scope, struct poll_block, MAX(sample->num_blocks, 1)),
    };
    for (unsigned b = 0; b < sample->num_blocks; b++) {
        const struct series_shape *shape = series_shape(sample, b);
        const struct counterset *set = catalog_counterset(values->server, &shape->set);
        const struct column_source of = { values->server, poll->frame, &shape->set, shape, NULL };
        struct poll_block *block = &poll->blocks[b];

        if (set == NULL || set->instance_type != GLOBAL_AGGREGATE_HISTORY || shape->series == NULL) {
            continue;
        }
        fill_block(&of, poll->scope, block);
        block->rows =
            wmem_alloc0_array(poll->scope, struct poll_row, MAX(block->num_instances * block->num_columns, 1));
        for (unsigned at = 0; at < block->num_instances * block->num_columns; at++) {
            block->rows[at].value = series_value(sample, b, at);
        }
    }
    return poll;
}

const struct aggregates *
values_aggregates(struct values *values)
{
    if (!values->has_aggregates) {
        values->has_aggregates = true;
        /* A truncated poll may lack instances, so no aggregate of it is known. */
        if (values->poll != NULL && !values->data->is_cut) {
            values_fill_rows(values);
            values->aggregates = aggregates_make(values);
        }
    }
    return values->aggregates;
}

/* Adds the aggregates to the record of a poll. */
static void
add_aggregates(struct values *values, struct perf_tap_poll *record)
{
    struct perf_tap_value *sent = (struct perf_tap_value *)record->values;
    const struct aggregates *aggregates = values_aggregates(values);
    wmem_map_t *taken = NULL;
    unsigned kept = 0;

    for (unsigned i = 0; i < aggregates->count; i++) {
        if (aggregates->all[i].is_nameless && !aggregates->all[i].is_own) {
            taken = taken != NULL ? taken : wmem_map_new(values->base.scope, hash_pointer, g_direct_equal);
            wmem_map_insert(taken, aggregates->all[i].identity, values);
        }
    }
    /* Removes the values of instances without a name: the client shows only their aggregate, under the same path. */
    for (unsigned i = 0; i < record->num_values; i++) {
        struct poll_block *block = &values->base.blocks[sent[i].place[0]];
        const unsigned at = sent[i].place[1];

        if (taken == NULL || block->instances[at / block->num_columns].text != NULL ||
            !wmem_map_contains(taken,
                identity_of(poll_counter(&values->base, &block->columns[at % block->num_columns]), NULL))) {
            sent[kept++] = sent[i];
        }
    }
    for (unsigned i = 0; i < aggregates->count; i++) {
        const struct aggregate *one = &aggregates->all[i];

        if (!one->is_own && !values->base.blocks[one->block].columns[one->at].is_left_out) {
            sent[kept++] = (struct perf_tap_value){
                .identity = one->identity,
                .path = one->path,
                .set_length = one->identity->set_length,
                .place = { one->block, one->at },
                .cooked = one->cooked,
                .is_other = true,
                .num_aggregated = one->num_instances,
            };
        }
    }
    record->num_values = kept;
}

struct perf_tap_poll *
values_record(struct values *values)
{
    const struct aggregates *aggregates = values_aggregates(values);
    struct perf_tap_poll *record;

    if (values->record != NULL) {
        return values->record;
    }
    values_fill_rows(values);
    values->record = record = poll_record(&values->base, aggregates == NULL ? 0 : aggregates->count);
    record->host = server_host(values->server);
    record->wrong_blocks = values->wrong_blocks;
    record->query = wmem_strdup_printf(values->base.scope, "%u", values->poll->query->number);
    if (aggregates != NULL) {
        add_aggregates(values, record);
    }
    return record;
}
