/* poll.c
 * A poll of either performance API as flat rows, and the record and watch list fields made from them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <limits.h>

#include <wsutil/nstime.h>

#include "counters/path.h"

struct perf_counter *
poll_counter(struct poll *poll, struct poll_column *column)
{
    if (column->counter == NULL && column->key.words != NULL) {
        column->key.frame = poll->frame;
        column->counter = identity_counter(&column->key);
    }
    return column->counter;
}

bool
poll_has_unclaimed(const struct poll *poll)
{
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        if (series_shape(poll->sample, b)->named != poll->names) {
            return true;
        }
    }
    return false;
}

void
poll_claim_names(struct poll *poll)
{
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        struct series_shape *remembered = series_shape(poll->sample, b);
        struct poll_block *block = &poll->blocks[b];

        if (remembered->named == poll->names) {
            continue;
        }
        for (unsigned c = 0; block->is_named && block->num_instances > 0 && c < block->num_columns; c++) {
            struct perf_counter *counter = poll_counter(poll, &block->columns[c]);

            if (counter != NULL) {
                identity_claim(counter, poll->frame, poll->names);
            }
        }
        remembered->named = poll->names;
    }
}

/* Returns instance i of a block. Looks the instance up on first use if polls may rename it (.is_renamed). */
static const struct instance *
poll_instance(const struct poll_block *block, unsigned i)
{
    struct poll_instance *in = &block->instances[i];

    if (in->instance == NULL && block->is_renamed && in->text != NULL) {
        const struct perf_counter *key = &block->columns[0].key;

        in->instance = identity_labelled(key->server, &key->set, &in->row, in->text);
    }
    return in->instance;
}

void
poll_complete_rows(struct poll *poll, unsigned b)
{
    struct poll_block *block = &poll->blocks[b];
    const unsigned count = block->num_instances * block->num_columns;
    struct series_shape *shape;

    if (poll->sample == NULL) {
        return;
    }
    series_prepare(poll->sample);
    shape = series_shape(poll->sample, b);
    for (unsigned at = 0; at < count; at++) {
        struct series *series = shape->series[at];
        struct poll_row *row = &block->rows[at];
        const bool is_present = row->value.present;

        row->value = series_value(poll->sample, b, at);
        row->value.present = is_present;
        if (series->identity == NULL || series->version != poll->names ||
            (block->is_renamed && series->row.name_size == 0)) {
            struct perf_counter *counter = poll_counter(poll, &block->columns[at % block->num_columns]);

            series->identity =
                counter == NULL ? NULL : identity_of(counter, poll_instance(block, at / block->num_columns));
            series->version = poll->names;
        }
        row->identity = series->identity;
    }
}

/* Returns the path of a value, for a poll that was not stored as a sample: its rows have no .identity. */
static const char *
plain_path(const struct poll *poll, const struct poll_block *block, unsigned at)
{
    const struct poll_column *column = &block->columns[at % block->num_columns];
    const char *instance = block->instances[at / block->num_columns].text;
    struct counter_words words;

    if (column->key.words == NULL) {
        return NULL;
    }
    words = column->key.words(&column->key, poll->frame, poll->scope);
    if (column->key.set.data3 != 0) {
        words.set = identity_set_text(poll->scope, words.set, words.set_id);
    }
    return counter_path_make(poll->scope, server_host(column->key.server), words.set, instance == NULL ? "" : instance,
        0, words.counter);
}

const char *
poll_path(struct poll *poll, unsigned b, unsigned at)
{
    struct poll_block *block = &poll->blocks[b];
    const unsigned count = block->num_instances * block->num_columns;

    if (block->paths == NULL) {
        block->paths = wmem_alloc_array(poll->scope, const char *, count);
        for (unsigned i = 0; i < count; i++) {
            struct identity *identity = block->rows[i].identity;

            block->paths[i] = poll->sample == NULL ? plain_path(poll, block, i)
                : identity == NULL                 ? NULL
                                                   : identity_path(identity, poll->frame, poll->names);
        }
    }
    return block->paths[at];
}

/*
 * Returns the value of another counter that the formula of value `at` needs, for the same instance. Not present if the
 * poll does not contain that counter.
 */
static struct cook_value
operand_value(const struct poll *poll, unsigned b, unsigned at, const struct poll_operand *operand)
{
    const struct poll_block *block = &poll->blocks[b];
    unsigned found_block = b, found_at = at - at % block->num_columns + operand->column;

    if (operand->column == UINT_MAX &&
        (operand->id == PERF_ID_NONE || poll->sample == NULL ||
            !series_find(poll->sample, b, at, operand->id, &found_block, &found_at))) {
        return (struct cook_value){ .present = false };
    }
    block = &poll->blocks[found_block];
    return block->rows != NULL ? block->rows[found_at].value : series_value(poll->sample, found_block, found_at);
}

unsigned
poll_other_instance(const struct poll_block *block, unsigned instance)
{
    for (unsigned c = 0; c < block->num_columns; c++) {
        const struct cook_value *id = &block->rows[instance * block->num_columns + c].value;

        if (block->columns[c].is_identity && id->present && id->have_previous && id->now != id->before) {
            return c;
        }
    }
    return UINT_MAX;
}

/* Returns cooking input in which the members that all values of a block share are set. */
static struct cook_input
begin_input(const struct poll *poll, const struct poll_block *block)
{
    const struct series_poll *previous = poll->sample == NULL ? NULL : poll->sample->previous;

    return (struct cook_input){
        .polled_before = block->polled_before,
        .now = poll->clocks,
        .before = previous == NULL ? (struct cook_clocks){ 0 } : previous->clocks,
        .time = block->time,
        .freq = block->freq,
    };
}

/*
 * Sets the input of one value. Operands that its type does not need keep the data of an earlier value: clearing them
 * would take as long as cooking.
 */
static void
set_input(struct poll *poll, unsigned b, unsigned at, struct cook_input *in)
{
    const struct poll_block *block = &poll->blocks[b];
    const struct poll_column *column = &block->columns[at % block->num_columns];
    const unsigned instance = at / block->num_columns;

    in->type = column->is_text ? PERF_COUNTER_TEXT : column->type;
    in->type_known = column->type_known;
    in->method = column->is_text ? NULL : column->method;
    in->as_hex = column->as_hex;
    in->as_real = column->as_real;
    in->has_base_id = column->has_base_id;
    in->value = block->rows[at].value;
    in->is_other_process =
        in->value.have_previous && block->has_identity && poll_other_instance(block, instance) != UINT_MAX;
    if ((column->needs & ~COOK_NEEDS_PREVIOUS) == 0) {
        return;
    }
    in->unknown = block->lacks_blocks ? column->needs
                                      : (column->base.id == PERF_ID_NONE ? COOK_NEEDS_BASE : 0) |
            (column->time.id == PERF_ID_NONE ? COOK_NEEDS_TIME : 0) |
            (column->freq.id == PERF_ID_NONE ? COOK_NEEDS_FREQ : 0) |
            (column->multi.id == PERF_ID_NONE ? COOK_NEEDS_MULTI : 0);
    in->time.have_previous = block->time.have_previous;
    in->freq.have_previous = block->freq.have_previous;
    if (column->needs & (COOK_NEEDS_BASE | COOK_NEEDS_MULTI)) {
        in->base = operand_value(poll, b, at, &column->base);
    }
    if (column->needs & COOK_NEEDS_MULTI) {
        in->multi = operand_value(poll, b, at, &column->multi);
        if (!in->multi.present && column->multis != NULL) {
            in->multi = column->multis[instance];
        }
    }
    if (!block->has_clock && (column->needs & COOK_NEEDS_TIME)) {
        in->time = operand_value(poll, b, at, &column->time);
    }
    if (!block->has_clock && (column->needs & COOK_NEEDS_FREQ)) {
        in->freq = operand_value(poll, b, at, &column->freq);
    }
    /* Ignore the operands' previous values if the value itself has none. */
    in->base.have_previous &= in->value.have_previous;
    in->time.have_previous &= in->value.have_previous;
    in->freq.have_previous &= in->value.have_previous;
    in->multi.have_previous &= in->value.have_previous;
}

void
poll_input(struct poll *poll, unsigned block, unsigned at, struct cook_input *in)
{
    *in = begin_input(poll, &poll->blocks[block]);
    set_input(poll, block, at, in);
}

const struct cook_result *
poll_cooked(struct poll *poll, unsigned b, unsigned at)
{
    struct poll_block *block = &poll->blocks[b];
    const unsigned count = block->num_instances * block->num_columns;

    if (block->cooked == NULL) {
        struct cook_input in = begin_input(poll, block);

        block->cooked = wmem_alloc_array(poll->scope, struct cook_result, count);
        for (unsigned i = 0; i < count; i++) {
            if (block->is_named) {
                set_input(poll, b, i, &in);
                block->cooked[i] = cook(&in);
            } else {
                block->cooked[i] = (struct cook_result){ .reason = block->why_unknown };
            }
        }
    }
    /* A poll that was not stored as a sample has no previous values. */
    return poll->sample != NULL || (block->columns[at % block->num_columns].needs & COOK_NEEDS_PREVIOUS) == 0
        ? &block->cooked[at]
        : NULL;
}

/* Values of a block that watch list entries match; file scope */
struct poll_watched {
    unsigned version; /* version of the watch list when the values were matched */
    uint64_t names;   /* version of the names when the values were matched */
    unsigned count, room;
    unsigned *at;
};

static void
find_watched(struct poll *poll, unsigned b, struct poll_watched *watched)
{
    const struct poll_block *block = &poll->blocks[b];

    watched->count = 0;
    for (unsigned at = 0; at < block->num_instances * block->num_columns; at++) {
        const char *path = poll_path(poll, b, at);

        if (path == NULL || !watch_matches(path)) {
            continue;
        }
        if (watched->count == watched->room) {
            watched->room = MAX(watched->room * 2, 1);
            watched->at = (unsigned *)wmem_realloc(wmem_file_scope(), watched->at, watched->room * sizeof *watched->at);
        }
        watched->at[watched->count++] = at;
    }
}

/*
 * Returns the values of a block that watch list entries match. Polls with the same counters and instances share the
 * result until the watch list or a name changes. If instances may be renamed in the next poll, it is not kept.
 */
static const struct poll_watched *
poll_find_watched(struct poll *poll, unsigned b)
{
    const struct poll_block *block = &poll->blocks[b];
    struct series_shape *remembered = series_shape(poll->sample, b);
    struct poll_watched *watched = remembered->watched;
    bool is_lasting = true;

    for (unsigned row = 0; block->is_renamed && row < block->num_instances; row++) {
        is_lasting = is_lasting && remembered->rows[row].name_size > 0;
    }
    if (watched == NULL) {
        watched = remembered->watched = wmem_new0(wmem_file_scope(), struct poll_watched);
    }
    if (!is_lasting || watched->version != watch_version || watched->names != poll->names) {
        find_watched(poll, b, watched);
        watched->version = watch_version;
        watched->names = poll->names;
    }
    return watched;
}

void
poll_add_watched(struct poll *poll, packet_info *pinfo, proto_tree *tree)
{
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        const struct poll_watched *watched = poll->blocks[b].is_named ? poll_find_watched(poll, b) : NULL;

        for (unsigned i = 0; watched != NULL && i < watched->count; i++) {
            const struct poll_row *row = &poll->blocks[b].rows[watched->at[i]];
            struct cook_input in;
            struct cook_result cooked;

            /* Not poll_cooked(), which cooks the whole block. */
            poll_input(poll, b, watched->at[i], &in);
            cooked = cook(&in);
            if (cooked.reason == COOK_OK) {
                watch_add(pinfo, tree, poll->tvb, (int)row->offset, (int)row->length,
                    identity_path(row->identity, poll->frame, poll->names), &cooked);
            }
        }
    }
}

/* Sets *origin to details of a value, such as its instance, for tables that show them in columns. A record's .tell. */
static void
poll_tell_origin(const struct perf_tap_poll *record, const struct perf_tap_value *value, struct perf_tap_origin *origin)
{
    struct poll *poll = (struct poll *)record->source;
    const struct identity *identity = (const struct identity *)value->identity;
    const unsigned b = value->place[0], at = value->place[1];
    const struct poll_block *block = &poll->blocks[b];
    const struct poll_column *column = &block->columns[at % block->num_columns];
    const struct counter_words words = column->key.words(&column->key, poll->frame, poll->scope);
    bool is_compared = true;

    *origin = (struct perf_tap_origin){
        .set = identity->counter->set_text,
        .set_id = words.set_id,
        .instance = identity->instance == NULL ? NULL : identity->instance->text,
        /* Counters of a block with equal ids have equal names: only the text in paths, with a number, differs. */
        .counter = !block->is_named      ? words.counter_known
            : identity->counter->nth > 0 ? identity->counter->text
                                         : words.counter,
        .has_counter_id = column->key.id != PERF_ID_NONE,
        .counter_id = column->key.id,
        .known_by = column->known_by,
        .has_type = column->type_known,
        .type = column->type,
    };
    if (value->num_aggregated == 0) {
        const struct poll_instance *instance = &block->instances[at / block->num_columns];

        origin->has_instance_id = instance->has_id;
        origin->instance_id = instance->id;
        is_compared = block->rows[at].value.have_previous;
        if (column->needs & COOK_NEEDS_BASE) {
            const struct cook_value base = operand_value(poll, b, at, &column->base);

            origin->has_base = base.present;
            origin->base = base.now;
        }
    }
    if (is_compared && poll->sample->previous != NULL) {
        origin->previous_frame = poll->sample->previous->frame;
        origin->interval = series_interval(poll->sample);
    }
}

/* Appends the values of a block to the record. */
static void
add_values(struct poll *poll, unsigned b, unsigned records, struct perf_tap_poll *record, struct perf_tap_value *values)
{
    const struct poll_block *block = &poll->blocks[b];

    for (unsigned at = 0; block->rows != NULL && at < block->num_instances * block->num_columns; at++) {
        const struct poll_row *row = &block->rows[at];
        struct identity *identity = row->identity;
        const struct cook_result *cooked;

        /* Two identifiers of a query may name the same counter: add it once. */
        if (identity == NULL || block->columns[at % block->num_columns].is_left_out ||
            (identity->handed_on == records && identity->handed_raw == row->value.now)) {
            continue;
        }
        identity->handed_on = records;
        identity->handed_raw = row->value.now;
        cooked = poll_cooked(poll, b, at);
        values[record->num_values++] = (struct perf_tap_value){
            .identity = identity,
            .path = poll_path(poll, b, at),
            .set_length = identity->set_length,
            .place = { b, at },
            .cooked = *cooked,
            .raw = row->value.now,
            .is_other = row->value.width == 0,
            .text = cooked->reason == COOK_TEXT && block->texts != NULL ? block->texts[at] : NULL,
        };
    }
}

struct perf_tap_poll *
poll_record(struct poll *poll, unsigned more)
{
    /* number of the latest record, for add_values() to know what it added; no pointer, as polls may be queued again */
    static unsigned records;
    struct perf_tap_poll *record = wmem_new0(poll->scope, struct perf_tap_poll);
    struct perf_tap_value *values;
    size_t room = more;

    records++;
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        room += (size_t)poll->blocks[b].num_instances * poll->blocks[b].num_columns;
    }
    values = wmem_alloc_array(poll->scope, struct perf_tap_value, room);
    filetime_to_nstime(&record->time, poll->sample->clocks.time_100ns);
    record->bytes = tvb_reported_length(poll->tvb);
    record->tell = poll_tell_origin;
    record->source = poll;
    record->values = values;
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        add_values(poll, b, records, record, values);
    }
    return record;
}
