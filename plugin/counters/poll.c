/* poll.c
 * A poll of either performance API, and the one writer of what is made of its values
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <wsutil/nstime.h>

const struct poll_meaning *
poll_meaning(struct poll *poll, unsigned block, unsigned at)
{
    struct poll_meaning *meaning;
    struct cook_input in;

    if (poll->meanings == NULL) {
        poll->meanings = wmem_alloc0_array(poll->scope, struct poll_meaning *, poll->num_blocks);
    }
    if (poll->meanings[block] == NULL) {
        const struct poll_shape shape = poll->api->shape(poll, block);

        poll->meanings[block] =
            wmem_alloc0_array(poll->scope, struct poll_meaning, (size_t)shape.num_rows * shape.num_columns);
    }
    meaning = &poll->meanings[block][at];
    if (!meaning->is_cooked && poll->api->input(poll, block, at, &in, &meaning->before)) {
        meaning->cooked = cook(&in);
        meaning->is_cooked = true;
    }
    return meaning->is_cooked ? meaning : NULL;
}

struct perf_counter *
poll_counter(struct poll *poll, unsigned block, unsigned column)
{
    struct perf_counter **counters, key = { .id = 0 };

    if (poll->counters == NULL) {
        poll->counters = wmem_alloc0_array(poll->scope, struct perf_counter **, poll->num_blocks);
    }
    if (poll->counters[block] == NULL) {
        poll->counters[block] =
            wmem_alloc0_array(poll->scope, struct perf_counter *, poll->api->shape(poll, block).num_columns);
    }
    counters = poll->counters[block];
    if (counters[column] == NULL && poll->api->counter(poll, block, column, &key)) {
        key.frame = poll->frame;
        counters[column] = identity_counter(&key);
    }
    return counters[column];
}

const char *
poll_column_text(struct poll *poll, unsigned block, unsigned column)
{
    struct perf_counter key = { .id = 0 };

    return poll->api->counter(poll, block, column, &key) ? key.words(&key, poll->frame, poll->scope).counter : "";
}

void
poll_claim_names(struct poll *poll)
{
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        struct series_shape *remembered = series_shape(poll->sample, b);
        struct poll_shape shape;

        if (remembered->named == poll->names) {
            continue;
        }
        shape = poll->api->shape(poll, b);
        for (unsigned c = 0; shape.is_named && shape.num_rows > 0 && c < shape.num_columns; c++) {
            struct perf_counter *counter = poll_counter(poll, b, c);

            if (counter != NULL) {
                identity_claim(counter, poll->frame, poll->names);
            }
        }
        remembered->named = poll->names;
    }
}

/* The counter of a value of a prepared sample. */
static struct identity *
poll_identity(struct poll *poll, const struct poll_shape *shape, unsigned block, unsigned at)
{
    struct series *series = series_shape(poll->sample, block)->series[at];

    if (series->identity == NULL || series->version != poll->names ||
        (shape->is_renamed && series->row.name_size == 0)) {
        struct perf_counter *counter = poll_counter(poll, block, at % shape->num_columns);

        series->identity =
            counter == NULL ? NULL : identity_of(counter, poll->api->instance(poll, block, at / shape->num_columns));
        series->version = poll->names;
    }
    return series->identity;
}

const char *
poll_path_of(const struct poll *poll, struct identity *identity)
{
    return identity_path(identity, poll->frame, poll->names);
}

const char *
poll_path(struct poll *poll, unsigned block, unsigned at)
{
    struct poll_shape shape;
    struct identity *identity;

    if (poll->sample == NULL) {
        return poll->api->path(poll, block, at);
    }
    shape = poll->api->shape(poll, block);
    series_prepare(poll->sample);
    identity = poll_identity(poll, &shape, block, at);
    return identity == NULL ? NULL : poll_path_of(poll, identity);
}

/* Values of a block that the watch list has entries for. File scope. */
struct poll_watched {
    unsigned version; /* of the list, */
    uint64_t names;   /* and of names */
    unsigned count, room;
    unsigned *at;
};

/* Looks at all paths of a block part by part, without making any. */
static void
find_watched(struct poll *poll, unsigned block, const struct poll_shape *shape, struct poll_watched *watched)
{
    char **columns = wmem_alloc0_array(poll->scope, char *, shape->num_columns);
    const char *set = "";
    GString *path = g_string_new(NULL);

    for (unsigned c = 0; c < shape->num_columns; c++) {
        struct perf_counter *counter = poll_counter(poll, block, c);

        if (counter != NULL) {
            identity_name(counter, poll->frame, poll->names);
            columns[c] = counter_path_fold(counter->text);
            set = identity_set_path(poll->scope, counter);
        }
    }
    watched->count = 0;
    for (unsigned row = 0; row < shape->num_rows; row++) {
        const struct instance *instance = poll->api->instance(poll, block, row);
        char *folded;
        size_t length;

        g_string_printf(path, instance == NULL || instance->text[0] == '\0' ? "%s%s\\" : "%s(%s)\\", set,
            instance == NULL ? "" : instance->text);
        folded = counter_path_fold(path->str);
        g_string_assign(path, folded);
        g_free(folded);
        length = path->len;
        for (unsigned c = 0; c < shape->num_columns; c++) {
            if (columns[c] == NULL) {
                continue;
            }
            g_string_truncate(path, length);
            g_string_append(path, columns[c]);
            if (!watch_matches(path->str)) {
                continue;
            }
            if (watched->count == watched->room) {
                watched->room = MAX(watched->room * 2, 1);
                watched->at =
                    (unsigned *)wmem_realloc(wmem_file_scope(), watched->at, watched->room * sizeof *watched->at);
            }
            watched->at[watched->count++] = row * shape->num_columns + c;
        }
    }
    for (unsigned c = 0; c < shape->num_columns; c++) {
        g_free(columns[c]);
    }
    g_string_free(path, TRUE);
}

/* Found once for all polls that are laid out alike, as far as their instances keep their names. */
static const struct poll_watched *
poll_find_watched(struct poll *poll, unsigned block, const struct poll_shape *shape)
{
    struct series_shape *remembered = series_shape(poll->sample, block);
    struct poll_watched *watched = remembered->watched;
    bool is_lasting = true;

    for (unsigned row = 0; shape->is_renamed && row < shape->num_rows; row++) {
        is_lasting = is_lasting && remembered->rows[row].name_size > 0;
    }
    if (watched == NULL) {
        watched = remembered->watched = wmem_new0(wmem_file_scope(), struct poll_watched);
    }
    if (!is_lasting || watched->version != watch_version() || watched->names != poll->names) {
        find_watched(poll, block, shape, watched);
        watched->version = watch_version();
        watched->names = poll->names;
    }
    return watched;
}

static void
add_watched(struct poll *poll, packet_info *pinfo, proto_tree *tree, unsigned block, unsigned at)
{
    const struct poll_meaning *meaning = poll_meaning(poll, block, at);

    if (meaning != NULL && meaning->cooked.reason == COOK_OK) {
        const struct poll_bytes bytes = poll->api->bytes(poll, block, at);

        watch_add(pinfo, tree, poll->tvb, (int)bytes.offset, (int)bytes.length, poll_path(poll, block, at),
            &meaning->cooked);
    }
}

void
poll_add_watched(struct poll *poll, packet_info *pinfo, proto_tree *tree)
{
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        const struct poll_shape shape = poll->api->shape(poll, b);
        const struct poll_watched *watched = shape.is_named ? poll_find_watched(poll, b, &shape) : NULL;

        for (unsigned i = 0; watched != NULL && i < watched->count; i++) {
            add_watched(poll, pinfo, tree, b, watched->at[i]);
        }
    }
}

/* Instance, counter and companions of a sample: for tables that name them one by one. */
static void
poll_tell_origin(const struct perf_tap_poll *record, const struct perf_tap_sample *sample,
    struct perf_tap_origin *origin)
{
    struct poll *poll = (struct poll *)record->source;
    const bool is_aggregate = sample->num_aggregated > 0;
    const struct identity *identity = (const struct identity *)sample->identity;
    const struct series_poll *before = poll->sample->previous;

    *origin = poll->api->origin(poll, sample->place[0], sample->place[1], is_aggregate);
    origin->set = identity->counter->set_text;
    origin->instance = identity->instance == NULL ? NULL : identity->instance->text;
    if (identity->counter->twin > 0) {
        /* Nothing but its text in paths tells it from the first of its id. */
        origin->counter = identity->counter->text;
    }
    if (!is_aggregate) {
        before = poll_meaning(poll, sample->place[0], sample->place[1])->before;
    }
    if (before != NULL) {
        origin->previous_frame = before->frame;
        origin->interval = series_seconds(poll->sample, before);
    }
}

/* Adds the samples of a block behind those there are. */
static void
add_samples(struct poll *poll, unsigned block, unsigned records, struct perf_tap_poll *record,
    struct perf_tap_sample *samples)
{
    const struct poll_shape shape = poll->api->shape(poll, block);

    for (unsigned at = 0; shape.is_named && at < shape.num_rows * shape.num_columns; at++) {
        const bool is_left_out = poll->api->is_left_out != NULL && poll->api->is_left_out(poll, block, at);
        struct identity *identity = is_left_out ? NULL : poll_identity(poll, &shape, block, at);
        const struct poll_bytes bytes = poll->api->bytes(poll, block, at);
        const struct poll_meaning *meaning;

        if (identity == NULL) {
            continue;
        }
        /* Two identifiers of a query may name the same counter: it is one sample all the same. */
        if (identity->handed_on == records && identity->handed_raw == bytes.number) {
            continue;
        }
        identity->handed_on = records;
        identity->handed_raw = bytes.number;
        meaning = poll_meaning(poll, block, at);
        samples[record->num_samples++] = (struct perf_tap_sample){
            .identity = identity,
            .path = poll_path_of(poll, identity),
            .set_length = identity->set_length,
            .place = { block, at },
            .cooked = meaning->cooked,
            .raw = bytes.number,
            .is_other = !bytes.is_number,
            .text = meaning->cooked.reason == COOK_TEXT ? poll->api->text(poll, block, at) : NULL,
        };
    }
}

struct perf_tap_poll *
poll_record(struct poll *poll, unsigned more)
{
    static unsigned records; /* not the poll: the same one may be handed on again */
    struct perf_tap_poll *record = wmem_new0(poll->scope, struct perf_tap_poll);
    struct perf_tap_sample *samples;
    size_t room = more;

    records++;
    series_prepare(poll->sample);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        const struct poll_shape shape = poll->api->shape(poll, b);

        room += shape.is_named ? (size_t)shape.num_rows * shape.num_columns : 0;
    }
    samples = wmem_alloc_array(poll->scope, struct perf_tap_sample, room);
    filetime_to_nstime(&record->time, poll->sample->clocks.time_100ns);
    record->bytes = tvb_reported_length(poll->tvb);
    record->tell = poll_tell_origin;
    record->source = poll;
    record->samples = samples;
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        add_samples(poll, b, records, record, samples);
    }
    return record;
}
