/* values.c
 * The values of a poll
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/values.h"

#include <limits.h>
#include <string.h>

#include <epan/to_str.h>

#include "base/hash.h"

const struct server *
values_server(const struct values *values)
{
    return server_known(values->poll->query->server);
}

static const struct poll_api values_api;

/* The values that a poll is the beginning of. */
static struct values *
values_of(const struct poll *poll)
{
    return (struct values *)poll;
}

struct values *
values_new(const struct lpdata *data, const struct query_poll *poll, wmem_allocator_t *scope)
{
    struct values *values = wmem_new0(scope, struct values);

    values->base = (struct poll){
        .api = &values_api,
        .scope = scope,
        .tvb = data->tvb,
        .sample = poll == NULL ? NULL : poll->values,
        .num_blocks = lpdata_count(data->blocks),
    };
    values->data = data;
    values->poll = poll;
    if (poll != NULL) {
        values->base.frame = poll->values->frame;
        values->base.names =
            catalog_version_in(values_server(values), values->base.frame) + ((uint64_t)queries_version() << 32);
    }
    return values;
}

static bool
same_set(const struct series_shape *a, const struct series_shape *b)
{
    return a->kind == b->kind && guid_map_equal(&a->set, &b->set);
}

static guint
set_hash(const void *key)
{
    return guid_map_hash(&((const struct series_shape *)key)->set);
}

static gboolean
set_equal(const void *a, const void *b)
{
    return same_set((const struct series_shape *)a, (const struct series_shape *)b);
}

/* Whether the previous poll held instances of the same counterset: one that was not among them is then new. */
static bool
polled_before(struct values *values, const struct series_shape *shape, unsigned index)
{
    const struct series_poll *previous = values->poll->values->previous;

    if (previous == NULL || !lpdata_type_has_instances(shape->kind)) {
        return false;
    }
    /* Nearly always it stands in the same place. */
    if (index < previous->num_blocks && same_set(series_shape(previous, index), shape)) {
        return true;
    }
    if (values->sets_before == NULL) {
        values->sets_before = wmem_map_new(values->base.scope, set_hash, set_equal);
        for (unsigned b = 0; b < previous->num_blocks; b++) {
            wmem_map_insert(values->sets_before, series_shape(previous, b), (void *)series_shape(previous, b));
        }
    }
    return wmem_map_contains(values->sets_before, shape);
}

#define TWIN_UNKNOWN UINT32_MAX

/*
 * Which of several counters of an id a block holds that does not hold all of them: the one whose type has values of
 * this size (0: none of 4 or 8 bytes), if it is the only one; else only what all of them have in common is known.
 * Returns its number, or TWIN_UNKNOWN.
 */
static unsigned
values_find_twin(const struct server *server, const e_guid_t *set, uint32_t id, unsigned num_twins, unsigned size,
    uint32_t frame, struct catalog_counter *out)
{
    unsigned found = TWIN_UNKNOWN, num_found = 0;

    for (unsigned twin = 0; twin < num_twins; twin++) {
        struct catalog_counter counter;

        catalog_counter_twin(server, set, id, twin, frame, &counter);
        if (size != 0 && counter.type_known && !perf_counter_type_has_size(counter.type, size)) {
            continue;
        }
        if (num_found++ == 0) {
            *out = counter;
            found = twin;
        } else {
            out->name.text = NULL;
            if (!catalog_counter_alike(out, &counter)) {
                *out = (struct catalog_counter){
                    .base_id = PERF_ID_NONE,
                    .perf_time_id = PERF_ID_NONE,
                    .perf_freq_id = PERF_ID_NONE,
                    .multi_id = PERF_ID_NONE,
                    .has_twin = true,
                };
            }
        }
    }
    if (num_found == 0 && size != 0) {
        return values_find_twin(server, set, id, num_twins, 0, frame, out);
    }
    return num_found == 1 ? found : TWIN_UNKNOWN;
}

/* What is known of the c-th counter of a block. */
static void
values_find_counter(const struct values *values, struct value_block *block, unsigned c, struct catalog_counter *out)
{
    const struct server *server = values_server(values);
    const struct series_shape *shape = block->shape;
    const uint32_t id = values_counter_id(block, c);
    unsigned num_twins;

    block->twins[c] = shape->twins == NULL ? 0 : shape->twins[c];
    catalog_counter_twin(server, &block->link.set, id, block->twins[c], values->base.frame, out);
    if (!out->has_twin) {
        return;
    }
    /* By its place, where all of them stand in the block. */
    num_twins = catalog_counter_twins(server, &block->link.set, id);
    if ((lpdata_type_has_ids(shape->kind) ? series_shape_count(shape, id) : 1) != num_twins) {
        block->twins[c] = values_find_twin(server, &block->link.set, id, num_twins,
            shape->num_rows == 0 ? 0 : shape->widths[c], values->base.frame, out);
    }
}

/* Names, counters and instances of a block, where what was learned of the poll is of a block like this. */
static void
name_block(struct values *values, struct value_block *block)
{
    const struct series_shape *shape = series_shape(values->poll->values, block->index);
    struct catalog_counter *counters;

    if (!inference_names_values(&block->link, shape->kind) || !block->bytes->is_complete ||
        (uint64_t)shape->num_rows * shape->num_counters != block->bytes->num_values) {
        return;
    }
    block->is_named = true;
    block->shape = shape;
    block->polled_before = polled_before(values, shape, block->index);
    counters = wmem_alloc0_array(values->base.scope, struct catalog_counter, shape->num_counters);
    block->counters = counters;
    block->twins = wmem_alloc_array(values->base.scope, unsigned, shape->num_counters);
    for (unsigned c = 0; c < shape->num_counters; c++) {
        values_find_counter(values, block, c, &counters[c]);
    }
}

struct value_block *
values_block(struct values *values, unsigned index)
{
    const unsigned count = lpdata_count(values->data->blocks);
    struct value_block *block;

    if (values->blocks == NULL) {
        values->blocks = wmem_alloc0_array(values->base.scope, struct value_block *, count);
    }
    block = values->blocks[index];
    if (block == NULL) {
        block = wmem_new0(values->base.scope, struct value_block);
        block->bytes = lpdata_block(values->data, index);
        block->index = index;
        if (values->poll != NULL && values->poll->num_blocks == count) {
            block->link = queries_link(values->poll, index);
            name_block(values, block);
        }
        values->blocks[index] = block;
    }
    return block;
}

uint32_t
values_counter_id(const struct value_block *block, unsigned at)
{
    return lpdata_type_has_ids(block->shape->kind) ? block->shape->counters[at % block->shape->num_counters]
                                                   : block->link.counter_id;
}

unsigned
values_twin(const struct value_block *block, unsigned at)
{
    return block->twins[at % block->shape->num_counters];
}

const struct catalog_counter *
values_counter(const struct value_block *block, unsigned at)
{
    return &block->counters[at % block->shape->num_counters];
}

const struct series_row *
values_row(const struct value_block *block, unsigned at)
{
    return lpdata_type_has_instances(block->shape->kind) ? &block->shape->rows[at / block->shape->num_counters]
                                                         : &block->link.instance;
}

/* The second counter of an id has a name of its own, or else is told apart by a number: it is no other instance. */
static const char *
counter_word(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope)
{
    struct catalog_counter known, first;
    const char *name;

    if (counter->twin == TWIN_UNKNOWN) {
        return wmem_strdup_printf(scope, "counter %u (one of %u of this id)", counter->id,
            catalog_counter_twins(counter->server, &counter->set, counter->id));
    }
    catalog_counter_twin(counter->server, &counter->set, counter->id, counter->twin, frame, &known);
    name = known.name.text;
    if (counter->twin > 0) {
        catalog_counter(counter->server, &counter->set, counter->id, frame, &first);
        if (name == NULL || first.name.text == NULL || strcmp(name, first.name.text) == 0) {
            return name == NULL
                ? wmem_strdup_printf(scope, "counter %u (no. %u of this id)", counter->id, counter->twin + 1)
                : wmem_strdup_printf(scope, "%s (no. %u of id %u)", name, counter->twin + 1, counter->id);
        }
    }
    return name == NULL ? wmem_strdup_printf(scope, "counter %u", counter->id) : name;
}

/* A counterset without a name goes by its GUID in braces. */
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

static bool
values_column(const struct poll *poll, unsigned index, unsigned column, struct perf_counter *counter)
{
    const struct value_block *block = values_block(values_of(poll), index);

    counter->server = values_server(values_of(poll));
    counter->set = block->link.set;
    counter->id = values_counter_id(block, column);
    counter->twin = values_twin(block, column);
    counter->words = values_words;
    return true;
}

/* NULL: of the counterset, as its only one without a name. */
static const struct instance *
values_instance(const struct poll *poll, unsigned index, unsigned row)
{
    const struct value_block *block = values_block(values_of(poll), index);
    struct instance *const *all = block->shape->instances;
    const struct instance *instance = all != NULL
        ? identity_instance_now(all[row], queries_instance_text)
        : identity_instance(values_server(values_of(poll)), &block->link.set,
              values_row(block, row * block->shape->num_counters), NULL, 0, queries_instance_text);

    return instance->text[0] == '\0' ? NULL : instance;
}

struct identity *
values_identity_of_all(struct values *values, const struct value_block *block, unsigned at)
{
    return identity_of(poll_counter(&values->base, block->index, at % block->shape->num_counters), NULL);
}

/* Where a value stands, in this poll or an earlier one. */
struct values_place {
    const struct series_poll *poll;
    const struct series_shape *shape;
    unsigned block, at;
};

static struct values_place
values_place(const struct values *values, const struct value_block *block, unsigned at)
{
    return (struct values_place){ values->poll->values, block->shape, block->index, at };
}

/* A counter that another's formula needs, found once for all instances of a block. */
struct operand {
    uint32_t id;     /* PERF_ID_NONE: there is none */
    unsigned column; /* of the block, by series_column(); UINT_MAX: it may stand in another */
};

/* What the values of a counter are cooked with. */
struct value_recipe {
    unsigned needs; /* COOK_NEEDS_* */
    bool has_base_id;
    struct operand base, time, freq, multi;
};

/* The value of an operand for the instance of the value at place. */
static struct cook_value
companion(const struct values_place *place, const struct operand *operand, const struct series_poll *before)
{
    const unsigned num_counters = place->shape->num_counters;
    const struct series_poll *companion_before;
    struct cook_value value = { .present = false };
    unsigned found_block = place->block, found_at = place->at - place->at % num_counters + operand->column;

    if (operand->column == UINT_MAX &&
        (operand->id == PERF_ID_NONE ||
            !series_find(place->poll, place->block, place->at, operand->id, &found_block, &found_at))) {
        return value;
    }
    value = series_value(place->poll, found_block, found_at, &companion_before);
    value.have_previous = value.have_previous && companion_before == before;
    return value;
}

/* The counters of a counterset, and the shape of a block of it. */
struct values_counters {
    const struct server *server;
    uint32_t frame;
    const e_guid_t *set;
    const struct series_shape *shape;
};

/*
 * A counter's base, time, frequency or multi counter. "None" is 0xFFFFFFFF in practice; by the text there is no such
 * value, and 0 stands in its place, which names a counter only where the counterset has one with that id that is_kind()
 * says can be it.
 */
static struct operand
values_find_operand(const struct values_counters *of, uint32_t id, bool (*is_kind)(uint32_t type))
{
    struct catalog_counter zeroth;

    if (id == 0 &&
        !(catalog_counter(of->server, of->set, 0, of->frame, &zeroth) && zeroth.type_known && is_kind(zeroth.type))) {
        id = PERF_ID_NONE;
    }
    return (struct operand){ id, id == PERF_ID_NONE ? UINT_MAX : series_column(of->shape, id) };
}

/* Whether a counterset has a counter of that id that may be a base, be it in the poll or not. */
static bool
names_base(const struct values_counters *of, uint32_t id)
{
    struct catalog_counter base;

    return id != PERF_ID_NONE && catalog_counter(of->server, of->set, id, of->frame, &base) &&
        (!base.type_known || perf_counter_type_is_base(base.type));
}

static struct value_recipe
make_recipe(const struct values_counters *of, const struct catalog_counter *counter)
{
    const struct operand none = { PERF_ID_NONE, UINT_MAX };
    struct value_recipe recipe = { counter->type_known ? cook_needs(counter->type) : 0, false, none, none, none, none };

    if (recipe.needs & COOK_NEEDS_BASE) {
        recipe.base = values_find_operand(of, counter->base_id, perf_counter_type_is_base);
        recipe.has_base_id = names_base(of, recipe.base.id);
    }
    if (recipe.needs & COOK_NEEDS_TIME) {
        recipe.time = values_find_operand(of, counter->perf_time_id, perf_counter_type_is_operand);
    }
    if (recipe.needs & COOK_NEEDS_FREQ) {
        recipe.freq = values_find_operand(of, counter->perf_freq_id, perf_counter_type_is_operand);
    }
    if (recipe.needs & COOK_NEEDS_MULTI) {
        recipe.multi = values_find_operand(of, counter->multi_id, perf_counter_type_is_operand);
    }
    return recipe;
}

/* How the at-th value is cooked. Of all counters of the block it is found out with the first. */
static const struct value_recipe *
recipe_of(const struct values *values, struct value_block *block, unsigned at)
{
    const struct values_counters of = { values_server(values), values->base.frame, &block->link.set, block->shape };

    if (block->recipes == NULL) {
        struct value_recipe *recipes =
            wmem_alloc_array(values->base.scope, struct value_recipe, of.shape->num_counters);

        for (unsigned c = 0; c < of.shape->num_counters; c++) {
            recipes[c] = make_recipe(&of, &block->counters[c]);
        }
        block->recipes = recipes;
    }
    return &block->recipes[at % of.shape->num_counters];
}

/* All that a value is cooked from. *before receives the poll it is compared with, or NULL. */
static void
gather_input(const struct values_place *place, const struct catalog_counter *counter, const struct value_recipe *recipe,
    bool polled_before, struct cook_input *in, const struct series_poll **before)
{
    *in = (struct cook_input){
        .type = counter->type,
        .type_known = counter->type_known,
        .as_hex = (counter->attrib & COUNTER_ATTRIB_AS_HEX) != 0,
        .as_real = (counter->attrib & COUNTER_ATTRIB_AS_REAL) != 0,
        .now = place->poll->clocks,
    };

    in->value = series_value(place->poll, place->block, place->at, before);
    in->polled_before = polled_before;
    if (*before != NULL) {
        in->before = (*before)->clocks;
    }
    in->has_base_id = recipe->has_base_id;
    if (recipe->needs & COOK_NEEDS_BASE) {
        in->base = companion(place, &recipe->base, *before);
    }
    if (recipe->needs & COOK_NEEDS_TIME) {
        in->time = companion(place, &recipe->time, *before);
    }
    if (recipe->needs & COOK_NEEDS_FREQ) {
        in->freq = companion(place, &recipe->freq, *before);
    }
    if (recipe->needs & COOK_NEEDS_MULTI) {
        in->multi = companion(place, &recipe->multi, *before);
    }
}

struct cook_result
values_cook_earlier(const struct values *values, const struct series_poll *poll, unsigned block, unsigned at)
{
    const struct series_shape *shape = series_shape(poll, block);
    const struct series *series = shape->series[at];
    const struct values_counters of = { values_server(values), poll->frame, &shape->set, shape };
    const struct values_place place = { poll, shape, block, at };
    const struct series_poll *before;
    struct catalog_counter counter;
    struct value_recipe recipe;
    struct cook_input in;

    catalog_counter_twin(of.server, of.set, series->counter, series->twin, of.frame, &counter);
    recipe = make_recipe(&of, &counter);
    gather_input(&place, &counter, &recipe, false, &in, &before);
    return cook(&in);
}

static bool
values_input(const struct poll *poll, unsigned index, unsigned at, struct cook_input *in,
    const struct series_poll **before)
{
    struct values *values = values_of(poll);
    struct value_block *block = values_block(values, index);
    const struct values_place place = values_place(values, block, at);

    gather_input(&place, values_counter(block, at), recipe_of(values, block, at), block->polled_before, in, before);
    return true;
}

static const char *
values_text(const struct poll *poll, unsigned index, unsigned at)
{
    const struct lpdata *data = values_of(poll)->data;

    return lpdata_value_text(data, lpdata_block(data, index)->first_value + at, poll->scope);
}

const struct aggregates *
values_aggregates(struct values *values)
{
    if (!values->has_aggregates) {
        values->has_aggregates = true;
        /* What is missing may be instances. */
        if (values->poll != NULL && !values->data->is_cut) {
            values->aggregates = aggregates_make(values, lpdata_count(values->data->blocks), values->base.scope);
        }
    }
    return values->aggregates;
}

/* How it is known what a block's values are of, and whose words their names are; the least certain goes first. */
static const char *
known_by(const struct query_link *link, const struct catalog_counter *counter)
{
    if (link->calls_missing || (link->kind == LINK_INFERRED && link->is_unnumbered)) {
        return "doubtful";
    }
    if (link->kind == LINK_INFERRED) {
        return "inferred";
    }
    if (counter->name.text == NULL) {
        return "id";
    }
    if (counter->name.frame != 0) {
        return "map";
    }
    return counter->is_built_in ? "built-in" : "table";
}

/* Whose values these are, where the instance is no matter. */
static struct perf_tap_origin
origin_of(const struct values *values, const struct value_block *block, unsigned at)
{
    const struct catalog_counter *counter = values_counter(block, at);

    return (struct perf_tap_origin){
        .set_id = guid_to_str(values->base.scope, &block->link.set),
        .counter_id = values_counter_id(block, at),
        .known_by = known_by(&block->link, counter),
        .counter = counter->name.text != NULL
            ? counter->name.text
            : wmem_strdup_printf(values->base.scope, "counter %u", values_counter_id(block, at)),
        .has_type = counter->type_known,
        .type = counter->type,
    };
}

/* Instance, counter and companions of a sample: for tables that name them one by one. */
static struct perf_tap_origin
values_origin(const struct poll *poll, unsigned index, unsigned at, bool is_aggregate)
{
    struct values *values = values_of(poll);
    struct value_block *block = values_block(values, index);
    const struct values_place place = values_place(values, block, at);
    struct perf_tap_origin origin = origin_of(values, block, at);
    const struct series_row *row;
    struct cook_value base;

    if (is_aggregate) {
        return origin;
    }
    row = values_row(block, at);
    origin.has_instance_id = row->name_size > 0 || lpdata_type_has_instances(block->shape->kind);
    origin.instance_id = row->id;
    base = companion(&place, &recipe_of(values, block, at)->base, NULL);
    origin.has_base = base.present;
    origin.base = base.now;
    return origin;
}

static perflib_bool leave_out_no_display = false;

void
values_register(module_t *module)
{
    prefs_register_bool_preference(module, "leave_out_no_display",
        "Leave counters that are not for display out of tables",
        "Counters whose Attrib says \"no display\", such as bases, which Performance "
        "Monitor does not show either. The tree shows them, and says so.",
        &leave_out_no_display);
}

static bool
values_is_left_out(const struct poll *poll, unsigned index, unsigned at)
{
    return leave_out_no_display &&
        (values_counter(values_block(values_of(poll), index), at)->attrib & COUNTER_ATTRIB_NO_DISPLAY) != 0;
}

static struct poll_shape
values_shape(const struct poll *poll, unsigned index)
{
    const struct value_block *block = values_block(values_of(poll), index);

    if (!block->is_named) {
        return (struct poll_shape){ .is_named = false };
    }
    return (struct poll_shape){
        .num_rows = block->shape->num_rows,
        .num_columns = block->shape->num_counters,
        .is_named = true,
        .is_table = lpdata_type_has_ids(block->shape->kind) && lpdata_type_has_instances(block->shape->kind),
        .offset = block->bytes->instances_offset,
    };
}

static struct poll_bytes
bytes_at(const struct poll *poll, unsigned index, unsigned at)
{
    const struct lpdata *data = values_of(poll)->data;
    const unsigned value = lpdata_block(data, index)->first_value + at;
    const struct lp_value *raw = lpdata_value(data, value);

    return (struct poll_bytes){
        .offset = raw->offset + LP_COUNTER_DATA_SIZE,
        .length = raw->data_size,
        .is_number = data->widths[value] != 0,
        .number = data->numbers[value],
    };
}

static const char *
note_at(const struct poll *poll, unsigned index, unsigned at, const struct cook_result *cooked)
{
    const struct catalog_counter *counter = values_counter(values_block(values_of(poll), index), at);

    return cooked->reason == COOK_OK && (counter->attrib & COUNTER_ATTRIB_NO_DISPLAY) != 0 ? " (not for display)"
                                                                                           : NULL;
}

static const char *
values_row_text(const struct poll *poll, unsigned index, unsigned row)
{
    const struct value_block *block = values_block(values_of(poll), index);
    const struct series_row *sent = values_row(block, row * block->shape->num_counters);

    return sent->name_size > 0 ? values_instance(poll, index, row)->text
                               : wmem_strdup_printf(poll->scope, "id %u", sent->id);
}

static bool
values_is_shown(const struct poll *poll, unsigned index, unsigned column)
{
    const struct catalog_counter *counter = values_counter(values_block(values_of(poll), index), column);

    return (counter->attrib & COUNTER_ATTRIB_NO_DISPLAY) == 0 && !perf_counter_type_is_base(counter->type);
}

static const struct poll_api values_api = {
    .shape = values_shape,
    .counter = values_column,
    .instance = values_instance,
    .bytes = bytes_at,
    .text = values_text,
    .input = values_input,
    .note = note_at,
    .is_left_out = values_is_left_out,
    .origin = values_origin,
    .row_text = values_row_text,
    .is_shown = values_is_shown,
};

/* The values that clients make of those of several instances. */
static void
add_aggregates(struct values *values, struct perf_tap_poll *record)
{
    struct perf_tap_sample *samples = (struct perf_tap_sample *)record->samples;
    const struct aggregates *aggregates = values_aggregates(values);
    wmem_map_t *taken = NULL;
    unsigned kept = 0;

    for (unsigned i = 0; i < aggregates->count; i++) {
        if (aggregates->all[i].is_nameless && !aggregates->all[i].is_own) {
            taken = taken != NULL ? taken : wmem_map_new(values->base.scope, hash_pointer, g_direct_equal);
            wmem_map_insert(taken, aggregates->all[i].identity, values);
        }
    }
    /* Instances without a name are one value a counter to a client, and this is it. */
    for (unsigned i = 0; i < record->num_samples; i++) {
        const struct value_block *block = values_block(values, samples[i].place[0]);

        if (taken == NULL || values_row(block, samples[i].place[1])->name_size > 0 ||
            !wmem_map_contains(taken, values_identity_of_all(values, block, samples[i].place[1]))) {
            samples[kept++] = samples[i];
        }
    }
    for (unsigned i = 0; i < aggregates->count; i++) {
        const struct aggregate *one = &aggregates->all[i];

        if (!one->is_own && !values_is_left_out(&values->base, one->block, one->at)) {
            samples[kept++] = (struct perf_tap_sample){
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
    record->num_samples = kept;
}

struct perf_tap_poll *
values_record(struct values *values)
{
    const struct aggregates *aggregates = values_aggregates(values);
    struct perf_tap_poll *record = poll_record(&values->base, aggregates == NULL ? 0 : aggregates->count);

    record->host = server_host(values_server(values));
    record->query = wmem_strdup_printf(values->base.scope, "%u", values->poll->query->number);
    if (aggregates != NULL) {
        add_aggregates(values, record);
    }
    return record;
}
