/* series.c
 * Values of a query handle's polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/series.h"

#include <string.h>

#include "base/hash.h"
#include "cook/counter-types.h"

struct series_layout {
    unsigned num_blocks;
    struct series_shape **shapes;
    struct series_store *history;
    bool is_placed;          /* the series of the layout's values were created */
    wmem_map_t *by_identity; /* struct series (by identity) -> struct value_index; created on first use */
    /* struct series (by set, counter and name) -> struct value_index; created on first use */
    wmem_map_t *by_name;
    unsigned identified; /* .identified of struct series_store when .by_identity and .by_name were created */
};

struct series_store {
    struct series_poll *last;
    struct rpc_position request; /* request of the last poll */
    unsigned identified;         /* number of blocks identified by series_identify(): if it grows, maps are outdated */
    bool has_values;             /* true once a poll had a value */
    bool is_closed;
    GHashTable *series; /* set of all series; NULL before the first use, and once the store is closed */
    const struct server *server;
    instance_text_cb text;
    /* set of struct series_row, by name: each name once, so equal names have equal pointers */
    GHashTable *names;
};

/* memcmp() must not get NULL, which pointers may be if size is 0. */
static bool
same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || a == b || memcmp(a, b, size) == 0;
}

static bool
same_kept_name(const struct series_row *a, const struct series_row *b)
{
    return a->name == b->name && a->name_size == b->name_size;
}

/*
 * Hash of a series as key. Names are compared by the pointer from series_keep_name(), since a long name occurs once per
 * row but applies to all values of the row.
 */
static guint
series_hash(const void *key)
{
    const struct series *s = (const struct series *)key;
    const uint32_t numbers[] = { s->row.id, s->counter, s->row.name_size };

    return hash_join(guid_map_hash(&s->set),
               hash_join(wmem_strong_hash((const uint8_t *)numbers, sizeof numbers), hash_pointer(s->row.name))) +
        s->occurrence + s->nth;
}

static gboolean
series_equal(const void *a, const void *b)
{
    const struct series *x = (const struct series *)a;
    const struct series *y = (const struct series *)b;

    return x->counter == y->counter && x->nth == y->nth && x->occurrence == y->occurrence && x->row.id == y->row.id &&
        same_kept_name(&x->row, &y->row) && guid_map_equal(&x->set, &y->set);
}

/*
 * Returns the row with its name replaced by the first equal one, so that equal names have one pointer. The name is file
 * scope.
 */
static struct series_row
series_keep_name(struct series_store *history, const struct series_row *row)
{
    struct series_row kept = { row->id, NULL, row->name_size };
    const struct series_row *found;

    if (row->name_size > 0) {
        found = (const struct series_row *)g_hash_table_lookup(history->names, row);
        if (found == NULL) {
            found = (const struct series_row *)wmem_memdup(wmem_file_scope(), row, sizeof *row);
            g_hash_table_add(history->names, (void *)found);
        }
        kept.name = found->name;
    }
    return kept;
}

struct series_store *
series_store_new(const struct server *server, instance_text_cb text)
{
    struct series_store *history = wmem_new0(wmem_file_scope(), struct series_store);

    history->server = server;
    history->text = text;
    return history;
}

static perflib_bool
end_scope(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *history)
{
    series_store_close((struct series_store *)history);
    return false;
}

/* Creates the tables on first use, since many handles are never polled. series_store_close() frees them. */
static void
open_tables(struct series_store *history)
{
    if (history->series == NULL) {
        history->series = g_hash_table_new(series_hash, series_equal);
        history->names = g_hash_table_new(series_name_hash, series_name_equal);
        wmem_register_callback(wmem_file_scope(), end_scope, history);
    }
}

void
series_store_close(struct series_store *history)
{
    history->is_closed = true;
    if (history->series != NULL) {
        g_hash_table_destroy(history->series);
        g_hash_table_destroy(history->names);
        history->series = NULL;
    }
}

static bool
same_shape(const struct series_shape *shape, const struct series_block_in *in)
{
    if (shape->kind != in->kind || shape->num_counters != in->num_counters || shape->num_rows != in->num_rows ||
        !guid_map_equal(&shape->set, &in->set) ||
        !same_bytes(shape->counters, in->counters, in->num_counters * sizeof *in->counters) ||
        !same_bytes(shape->widths, in->widths, (size_t)in->num_counters * in->num_rows)) {
        return false;
    }
    for (unsigned r = 0; shape->rows != in->rows && r < in->num_rows; r++) {
        if (!series_row_same(&shape->rows[r], &in->rows[r])) {
            return false;
        }
    }
    return true;
}

/* Returns a new number of a block, with which identity_instance() recognises equal rows of the same block. */
static unsigned
new_stamp(void)
{
    static unsigned stamp;

    stamp = stamp == UINT_MAX ? 1 : stamp + 1;
    return stamp;
}

/* Returns the series of one value, created on first use. layout, block: where the value is. */
static struct series *
intern_series(struct series_store *history, const struct series_layout *layout, unsigned block,
    const struct series *identity)
{
    struct series key = *identity;
    struct series *series = (struct series *)g_hash_table_lookup(history->series, &key);

    if (series != NULL && series->layout == layout && series->block == block) {
        /* A duplicate in the same block is a series of its own. */
        series->duplicates++;
        key.occurrence = series->duplicates;
        series = (struct series *)g_hash_table_lookup(history->series, &key);
    }
    if (series == NULL) {
        /* The new series has only the members of the key; others are zero. */
        series = (struct series *)wmem_memdup(wmem_file_scope(), &key, sizeof key);
        g_hash_table_add(history->series, series);
    }
    return series;
}

/*
 * Finds the row of an earlier shape that equals a row. Both shapes are read in parallel, and rows that are in only one
 * of them are skipped. Returns UINT32_MAX if there is none. *at: position for the next search.
 */
static unsigned
match_row(const struct series_shape *old, unsigned *at, const struct series_row *row)
{
    for (unsigned skip = 0; skip < 2 && *at + skip < old->num_rows; skip++) {
        if (series_row_same(&old->rows[*at + skip], row)) {
            *at += skip + 1;
            return *at - 1;
        }
    }
    return UINT32_MAX;
}

/*
 * Returns a row in file scope. kept: an equal row of an earlier poll, whose name is used, or NULL. instance: the
 * instance of the row, or NULL.
 */
static struct series_row
copy_row(const struct series_store *history, const struct series_row *in, const struct series_row *kept,
    const struct instance *instance)
{
    struct series_row row = *in;

    if (kept == NULL && instance != NULL && series_row_same(in, &instance->row)) {
        kept = &instance->row;
    }
    if (kept == NULL && history->series != NULL) {
        kept = (const struct series_row *)g_hash_table_lookup(history->names, in);
    }
    row.name = kept != NULL ? kept->name : (const uint8_t *)wmem_memdup(wmem_file_scope(), in->name, in->name_size);
    return row;
}

/*
 * Creates the shape (counters and instances) of a block. old: shape of the block with the same index in a neighbouring
 * poll, or NULL: most instances are taken from it.
 */
static struct series_shape *
copy_shape(struct series_store *history, const struct series_block_in *in, const struct series_shape *old)
{
    wmem_allocator_t *scope = wmem_file_scope();
    struct series_shape *shape = wmem_new0(scope, struct series_shape);
    const unsigned values = in->num_counters * in->num_rows, stamp = new_stamp();
    unsigned old_at = 0;

    if (old != NULL && !guid_map_equal(&old->set, &in->set)) {
        old = NULL;
    }
    shape->set = in->set;
    shape->kind = in->kind;
    shape->num_counters = in->num_counters;
    shape->num_rows = in->num_rows;
    shape->counters = (uint32_t *)wmem_memdup(scope, in->counters, in->num_counters * sizeof *in->counters);
    series_order_columns(shape, old);
    shape->widths = (const uint8_t *)wmem_memdup(scope, in->widths, values);
    shape->rows = wmem_alloc_array(scope, struct series_row, in->num_rows);
    if (in->is_named) {
        shape->instances = wmem_alloc_array(scope, struct instance *, in->num_rows);
    }
    for (unsigned r = 0; r < in->num_rows; r++) {
        const unsigned old_row = old == NULL ? UINT32_MAX : match_row(old, &old_at, &in->rows[r]);
        struct instance *instance = NULL;

        if (in->is_named) {
            instance = old_row == UINT32_MAX || old->instances == NULL ? NULL : old->instances[old_row];
            instance = identity_instance(history->server, &in->set, &in->rows[r], instance, stamp, history->text);
            shape->instances[r] = instance;
        }
        shape->rows[r] = copy_row(history, &in->rows[r], old_row == UINT32_MAX ? NULL : &old->rows[old_row], instance);
    }
    return shape;
}

/*
 * Drops previous values of instances with the same identity if their number changed: it is unknown which of them was
 * added or removed.
 */
static void
part_duplicates(const struct series_store *history, const struct series_shape *shape, struct series_ref *before)
{
    for (unsigned i = 0; i < shape->num_counters * shape->num_rows; i++) {
        const struct series *first = shape->series[i];

        if (first->occurrence > 0) {
            struct series key = *first;

            key.occurrence = 0;
            first = (const struct series *)g_hash_table_lookup(history->series, &key);
        }
        if (first->duplicates != first->duplicates_before) {
            before[i].at = SERIES_NONE;
        }
    }
}

/*
 * Finds or creates the series of a block's values, and sets their positions in the layout. poll: the layout's first
 * poll, whose previous values are then found; NULL: none are. old: shape of the same block in the previous poll, whose
 * series are used without a search; NULL: none.
 */
static void
place_block(struct series_store *history, struct series_layout *layout, unsigned block, struct series_poll *poll,
    const struct series_shape *old)
{
    struct series_shape *shape = layout->shapes[block];
    struct series_block *values = poll == NULL ? NULL : &poll->blocks[block];
    unsigned old_at = 0, i = 0;
    const unsigned count = shape->num_counters * shape->num_rows;
    struct series_ref *before = values == NULL ? NULL : wmem_alloc_array(wmem_file_scope(), struct series_ref, count);
    struct series identity = { .set = shape->set };
    bool has_duplicates = false;

    if (shape->series == NULL) {
        shape->series = wmem_alloc_array(wmem_file_scope(), struct series *, count);
    }
    if (old != NULL &&
        (old->num_counters != shape->num_counters || !guid_map_equal(&old->set, &shape->set) ||
            !same_bytes(old->counters, shape->counters, shape->num_counters * sizeof *shape->counters))) {
        old = NULL;
    }
    for (unsigned r = 0; r < shape->num_rows; r++) {
        unsigned old_row;

        shape->rows[r] = series_keep_name(history, &shape->rows[r]);
        old_row = old == NULL ? UINT32_MAX : match_row(old, &old_at, &shape->rows[r]);
        identity.row = shape->rows[r];
        for (unsigned c = 0; c < shape->num_counters; c++, i++) {
            struct series *series = old_row == UINT32_MAX ? NULL : old->series[old_row * shape->num_counters + c];
            struct series_ref ref = { 0, SERIES_NONE };

            /* intern_series() counts duplicate names, so it must see each of them. */
            if (series == NULL || series->occurrence > 0) {
                identity.counter = shape->counters[c];
                identity.nth = shape->nths == NULL ? 0 : shape->nths[c];
                series = intern_series(history, layout, block, &identity);
            }
            if (series->layout != layout) {
                if (poll != NULL && series->layout == poll->previous->layout) {
                    ref = (struct series_ref){ series->block, series->at };
                }
                series->duplicates_before = series->duplicates;
                series->duplicates = 0;
                has_duplicates = has_duplicates || series->duplicates_before > 0 || series->occurrence > 0;
                series->layout = layout;
                series->block = block;
                series->at = i;
            } else if (before != NULL && series->block != block) {
                /* An earlier block of this poll has the same counter, so the previous value is the same. */
                ref = poll->blocks[series->block].before[series->at];
            }
            if (before != NULL) {
                before[i] = ref;
            }
            shape->series[i] = series;
        }
    }
    if (values != NULL) {
        if (has_duplicates) {
            part_duplicates(history, shape, before);
        }
        values->before = before;
    }
}

static void
place_layout(struct series_layout *layout, const struct series_layout *old, struct series_poll *poll)
{
    open_tables(layout->history);
    layout->is_placed = true;
    if (layout->history->is_closed && old != NULL) {
        /* Reuse the names of the closed handle, so that pointers stay equal. */
        for (unsigned b = 0; b < old->num_blocks; b++) {
            for (unsigned r = 0; r < old->shapes[b]->num_rows; r++) {
                series_keep_name(layout->history, &old->shapes[b]->rows[r]);
            }
        }
    }
    for (unsigned b = 0; b < layout->num_blocks; b++) {
        place_block(layout->history, layout, b, poll, old != NULL && b < old->num_blocks ? old->shapes[b] : NULL);
    }
}

static struct series_layout *
new_layout(struct series_store *history, unsigned num_blocks)
{
    struct series_layout *layout = wmem_new0(wmem_file_scope(), struct series_layout);

    layout->history = history;
    layout->num_blocks = num_blocks;
    layout->shapes = wmem_alloc_array(wmem_file_scope(), struct series_shape *, num_blocks);
    return layout;
}

/*
 * Adds a layout. The series of a handle's first layout are created later, when they are read or another layout follows:
 * the first layout has no previous values, and most handles have no other.
 */
static void
add_layout(struct series_store *history, struct series_poll *poll, const struct series_block_in *blocks)
{
    struct series_layout *old = poll->previous == NULL ? NULL : poll->previous->layout;
    struct series_layout *layout = new_layout(history, poll->num_blocks);

    poll->layout = layout;
    poll->starts_layout = true;
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        layout->shapes[b] = old != NULL && b < old->num_blocks && same_shape(old->shapes[b], &blocks[b])
            ? old->shapes[b]
            : copy_shape(history, &blocks[b], old != NULL && b < old->num_blocks ? old->shapes[b] : NULL);
    }
    if (history->has_values) {
        if (!old->is_placed) {
            place_layout(old, NULL, NULL);
        }
        place_layout(layout, old, poll);
    }
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        history->has_values = history->has_values || blocks[b].num_counters * blocks[b].num_rows > 0;
    }
}

void
series_prepare(const struct series_poll *poll)
{
    struct series_layout *layout = poll->layout;
    const bool was_closed = layout->history->series == NULL;

    if (!layout->is_placed) {
        place_layout(layout, NULL, NULL);
        if (was_closed && layout->history->is_closed) {
            series_store_close(layout->history);
        }
    }
}

static bool
same_layout(const struct series_layout *layout, const struct series_block_in *blocks, unsigned num_blocks)
{
    if (layout->num_blocks != num_blocks) {
        return false;
    }
    for (unsigned b = 0; b < num_blocks; b++) {
        if (!same_shape(layout->shapes[b], &blocks[b])) {
            return false;
        }
    }
    return true;
}

/*
 * Creates a poll and its values in one allocation, since captures have many small polls. like: the previous poll if it
 * has the same layout, or NULL. Unused memory is returned.
 */
static struct series_poll *
new_poll(const struct series_poll *like, struct series_block_in *blocks, unsigned num_blocks)
{
    size_t at = sizeof(struct series_poll) + num_blocks * sizeof(struct series_block), most = at;
    struct series_poll *poll;
    uint8_t *made;

    for (unsigned b = 0; b < num_blocks; b++) {
        most += series_count_of_values(&blocks[b]) * 8;
    }
    made = (uint8_t *)wmem_alloc(wmem_file_scope(), most);
    for (unsigned b = 0; b < num_blocks; b++) {
        struct series_block_in *in = &blocks[b];
        const size_t count = series_count_of_values(in);

        in->base = like == NULL ? NULL : like->blocks[b].values;
        if (in->base != NULL && !series_write_steps(in, (int32_t *)(void *)&made[at])) {
            in->base = NULL;
        }
        if (in->base == NULL && count > 0) {
            memcpy(&made[at], in->values, count * sizeof *in->values);
        }
        at += series_size_of_values(in);
    }
    poll = (struct series_poll *)wmem_realloc(wmem_file_scope(), made, at);
    *poll = (struct series_poll){ .num_blocks = num_blocks };
    at = sizeof(struct series_poll) + num_blocks * sizeof(struct series_block);
    for (unsigned b = 0; b < num_blocks; b++) {
        const void *room = (uint8_t *)poll + at;
        const uint64_t *base = blocks[b].base;

        poll->blocks[b] = base == NULL ? (struct series_block){ .values = (const uint64_t *)room }
                                       : (struct series_block){ .values = base, .steps = (const int32_t *)room };
        at += series_size_of_values(&blocks[b]);
    }
    return poll;
}

/* Sets .layout, .block and .at of a layout's series to this layout; before, they may refer to a later one. */
static void
mark_places(const struct series_layout *layout)
{
    for (unsigned b = 0; b < layout->num_blocks; b++) {
        const struct series_shape *shape = layout->shapes[b];

        for (unsigned i = 0; i < shape->num_counters * shape->num_rows; i++) {
            struct series *series = shape->series[i];

            if (series->layout != layout) {
                series->layout = layout;
                series->block = b;
                series->at = i;
            }
        }
    }
}

/* Finds the previous values of a block. mark_places() must have set the positions of the previous poll's layout. */
static void
find_previous_of_block(const struct series_store *history, struct series_poll *poll, unsigned block)
{
    const struct series_shape *shape = series_shape(poll, block);
    const unsigned count = shape->num_counters * shape->num_rows;
    struct series_ref *refs = wmem_alloc_array(wmem_file_scope(), struct series_ref, count);

    for (unsigned i = 0; i < count; i++) {
        const struct series *series = shape->series[i];
        struct series second = *series;

        second.occurrence = 1;
        refs[i] = series->layout == poll->previous->layout && series->occurrence == 0 &&
                !g_hash_table_contains(history->series, &second)
            ? (struct series_ref){ series->block, series->at }
            : (struct series_ref){ 0, SERIES_NONE };
    }
    poll->blocks[block].before = refs;
}

/* Looks up the previous values of a poll again, because another poll was inserted before it. */
static void
find_previous(const struct series_store *history, struct series_poll *poll)
{
    const struct series_layout *before = poll->previous == NULL ? NULL : poll->previous->layout;

    poll->starts_layout = before != poll->layout;
    if (before == NULL || !poll->starts_layout) {
        return;
    }
    mark_places(before);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        find_previous_of_block(history, poll, b);
    }
}

/*
 * Creates the series of a layout. If they exist, adds them to the table of series again, as closing the handle freed
 * the table.
 */
static void
know_layout(struct series_store *history, struct series_layout *layout)
{
    if (!layout->is_placed) {
        place_layout(layout, NULL, NULL);
        return;
    }
    for (unsigned b = 0; b < layout->num_blocks; b++) {
        const struct series_shape *shape = layout->shapes[b];

        for (unsigned r = 0; r < shape->num_rows; r++) {
            series_keep_name(history, &shape->rows[r]);
        }
        for (unsigned i = 0; i < shape->num_counters * shape->num_rows; i++) {
            g_hash_table_add(history->series, shape->series[i]);
        }
    }
}

/* Inserts a poll that was read after a poll of a later frame, between its neighbours by frame. */
static void
insert_poll(struct series_store *history, struct series_poll *poll, const struct series_block_in *blocks)
{
    const bool was_closed = history->series == NULL;
    struct series_poll *next = history->last, *before;

    while (next->previous != NULL && next->previous->frame > poll->frame) {
        next = (struct series_poll *)next->previous;
    }
    before = (struct series_poll *)next->previous;
    open_tables(history);
    if (before != NULL) {
        know_layout(history, before->layout);
        before->next_frame = poll->frame;
    }
    know_layout(history, next->layout);
    know_layout(history, history->last->layout);
    if (same_layout(next->layout, blocks, poll->num_blocks)) {
        poll->layout = next->layout;
    } else {
        poll->layout = new_layout(history, poll->num_blocks);
        for (unsigned b = 0; b < poll->num_blocks; b++) {
            poll->layout->shapes[b] =
                copy_shape(history, &blocks[b], b < next->num_blocks ? series_shape(next, b) : NULL);
        }
        place_layout(poll->layout, NULL, NULL);
    }
    poll->previous = before;
    poll->next_frame = next->frame;
    next->previous = poll;
    find_previous(history, poll);
    find_previous(history, next);
    mark_places(history->last->layout);
    history->has_values = true;
    if (was_closed && history->is_closed) {
        series_store_close(history);
    }
}

/* Compares a poll with the latest one that was answered before its request: answers of two connections may cross. */
static void
skip_overlapping(const struct series_store *history, struct series_poll *poll, uint32_t request_frame)
{
    while (poll->previous != NULL && poll->previous->frame > request_frame) {
        poll->previous = poll->previous->previous;
    }
    series_prepare(poll);
    if (poll->previous != NULL) {
        series_prepare(poll->previous);
    }
    find_previous(history, poll);
    mark_places(poll->layout);
}

/* Records how many calls are missing between the requests of the previous poll and of this one. */
static void
note_request(struct series_store *history, struct series_poll *poll, const struct rpc_position *request)
{
    const struct rpc_position *before = &history->request;

    if (request->calls != NULL && request->calls == before->calls && request->lost > before->lost) {
        poll->lost = (uint16_t)MIN(request->lost - before->lost, UINT16_MAX);
        poll->is_lost_else = request->seen - before->seen > 1;
    }
    history->request = *request;
}

const struct series_poll *
series_store_add(struct series_store *history, uint32_t frame, const struct rpc_position *request,
    const struct cook_clocks *clocks, struct series_block_in *blocks, unsigned num_blocks)
{
    const bool is_late = history->last != NULL && frame < history->last->frame;
    /* Answers of one connection do not cross, although its requests may overlap. */
    const bool may_cross = request->frame != 0 && request->calls != history->request.calls;
    bool is_alike = history->last != NULL && !is_late && same_layout(history->last->layout, blocks, num_blocks);
    struct series_poll *poll;

    for (unsigned b = 0; b < num_blocks; b++) {
        is_alike = is_alike && !blocks[b].is_new;
    }
    poll = new_poll(is_alike ? history->last : NULL, blocks, num_blocks);
    poll->frame = frame;
    poll->clocks = *clocks;
    if (is_late) {
        insert_poll(history, poll, blocks);
        return poll;
    }
    note_request(history, poll, request);
    poll->previous = history->last;
    if (is_alike) {
        poll->layout = history->last->layout;
    } else {
        add_layout(history, poll, blocks);
        for (unsigned b = 0; b < num_blocks; b++) {
            if (blocks[b].is_new) {
                poll->blocks[b].before = NULL;
            }
        }
    }
    history->last = poll;
    if (may_cross && poll->previous != NULL && poll->previous->frame > request->frame) {
        skip_overlapping(history, poll, request->frame);
    }
    if (poll->previous != NULL && poll->previous->next_frame == 0) {
        ((struct series_poll *)poll->previous)->next_frame = frame;
    }
    return poll;
}

void
series_identify(struct series_store *history, const struct series_poll *poll, unsigned block, const e_guid_t *set,
    const uint32_t *counter, const struct series_row *row)
{
    struct series_shape *shape = poll->layout->shapes[block];
    const e_guid_t was = shape->set;
    const unsigned stamp = new_stamp();

    if (history->is_closed) {
        return;
    }
    for (unsigned i = 0; poll->layout->is_placed && i < shape->num_counters * shape->num_rows; i++) {
        struct series *series = shape->series[i], *known, key;

        /* The identity of this series may already have been set for another layout. */
        if (!guid_map_equal(&series->set, &was)) {
            continue;
        }
        g_hash_table_remove(history->series, series);
        key = *series;
        key.set = *set;
        if (counter != NULL) {
            key.counter = *counter;
        }
        if (row != NULL) {
            key.row = series_keep_name(history, row);
        }
        known = (struct series *)g_hash_table_lookup(history->series, &key);
        if (known == NULL) {
            *series = key;
            g_hash_table_add(history->series, series);
        } else {
            /* An earlier poll has this series. Use that one, so that all layouts share it. */
            known->duplicates_before = known->duplicates;
            known->duplicates = series->duplicates;
            shape->series[i] = known;
        }
    }
    shape->set = *set;
    if (counter != NULL && shape->num_counters == 1) {
        shape->counters[0] = *counter;
    }
    if (row != NULL && shape->num_rows == 1) {
        shape->rows[0] = poll->layout->is_placed ? series_keep_name(history, row) : *row;
    }
    shape->instances = wmem_alloc_array(wmem_file_scope(), struct instance *, shape->num_rows);
    for (unsigned r = 0; r < shape->num_rows; r++) {
        shape->instances[r] = identity_instance(history->server, set, &shape->rows[r], NULL, stamp, history->text);
    }
    history->identified++;
}

void
series_rejoin(struct series_store *history, const struct series_poll *poll, const bool *is_late)
{
    if (history->is_closed || poll->previous == NULL || !poll->layout->is_placed ||
        !poll->previous->layout->is_placed) {
        return;
    }
    mark_places(poll->previous->layout);
    for (unsigned b = 0; b < poll->num_blocks; b++) {
        if (is_late[b]) {
            find_previous_of_block(history, (struct series_poll *)poll, b);
        }
    }
    mark_places(history->last->layout);
}

double
series_interval(const struct series_poll *poll)
{
    return poll->previous == NULL
        ? 0
        : (double)(int64_t)(poll->clocks.time_100ns - poll->previous->clocks.time_100ns) / 1e7;
}

struct series_shape *
series_shape(const struct series_poll *poll, unsigned block)
{
    return poll->layout->shapes[block];
}

struct cook_value
series_value(const struct series_poll *poll, unsigned block, unsigned at)
{
    struct series_ref ref = { block, at };
    struct cook_value value = {
        .now = series_raw(poll, block, at),
        .width = series_shape(poll, block)->widths[at],
        .present = true,
    };

    if (poll->previous == NULL || (poll->starts_layout && poll->blocks[block].before == NULL)) {
        return value;
    }
    if (poll->starts_layout) {
        ref = poll->blocks[block].before[at];
    }
    /* The previous poll may have a value that is no number. */
    if (ref.at != SERIES_NONE && series_shape(poll->previous, ref.block)->widths[ref.at] != 0) {
        value.before = series_raw(poll->previous, ref.block, ref.at);
        value.have_previous = true;
    }
    return value;
}

/* Position of the first value of a series in a layout, to find counters in other blocks */
struct value_index {
    const struct series *series;
    unsigned block, at;
    bool is_ambiguous; /* other series differ only in parts that are not in the map's key */
};

/*
 * Hash by instance name, without the id: of the identifiers of a counter and its base, one may contain the instance's
 * name and id, the other only the name.
 */
static guint
named_hash(const void *key)
{
    const struct series *s = (const struct series *)key;

    return hash_join(guid_map_hash(&s->set), hash_pointer(s->row.name)) + s->counter + s->nth;
}

static gboolean
named_equal(const void *a, const void *b)
{
    const struct series *x = (const struct series *)a;
    const struct series *y = (const struct series *)b;

    return x->counter == y->counter && x->nth == y->nth && same_kept_name(&x->row, &y->row) &&
        guid_map_equal(&x->set, &y->set);
}

static wmem_map_t *
index_values(const struct series_layout *layout, GHashFunc hash, GEqualFunc equal)
{
    wmem_map_t *indexes = wmem_map_new(wmem_file_scope(), hash, equal);

    for (unsigned b = 0; b < layout->num_blocks; b++) {
        const struct series_shape *shape = layout->shapes[b];

        for (unsigned i = 0; i < shape->num_counters * shape->num_rows; i++) {
            struct value_index *index = (struct value_index *)wmem_map_lookup(indexes, shape->series[i]);

            if (index == NULL) {
                index = wmem_new(wmem_file_scope(), struct value_index);
                *index = (struct value_index){ .series = shape->series[i], .block = b, .at = i };
                wmem_map_insert(indexes, shape->series[i], index);
            }
            index->is_ambiguous = index->is_ambiguous || index->series != shape->series[i];
        }
    }
    return indexes;
}

/*
 * Looks up `key`, another counter of the instance of series `of`, by the instance's name alone. Returns NULL if several
 * instances have the name, or if both counters were requested with an instance id.
 */
static const struct value_index *
find_named(struct series_layout *layout, const struct series *of, const struct series *key)
{
    const struct value_index *own, *index;

    if (layout->by_name == NULL) {
        layout->by_name = index_values(layout, named_hash, named_equal);
    }
    own = (const struct value_index *)wmem_map_lookup(layout->by_name, of);
    index = (const struct value_index *)wmem_map_lookup(layout->by_name, key);

    if (own == NULL || own->is_ambiguous || index == NULL || index->is_ambiguous ||
        (of->row.id != PERF_ID_NONE && index->series->row.id != PERF_ID_NONE)) {
        return NULL;
    }
    return index;
}

bool
series_find(const struct series_poll *poll, unsigned block, unsigned at, uint32_t counter, unsigned *found_block,
    unsigned *found_at)
{
    const struct series_shape *shape = poll->layout->shapes[block];
    unsigned column;
    const struct value_index *index;
    struct series key;

    column = series_column(shape, counter);
    if (column != UINT_MAX) {
        *found_block = block;
        *found_at = at / shape->num_counters * shape->num_counters + column;
        return true;
    }
    if (poll->layout->num_blocks < 2) {
        return false;
    }
    series_prepare(poll);
    key = *shape->series[at];
    key.counter = counter;
    key.nth = 0;
    if (poll->layout->by_identity == NULL || poll->layout->identified != poll->layout->history->identified) {
        poll->layout->by_identity = index_values(poll->layout, series_hash, series_equal);
        poll->layout->by_name = NULL;
        poll->layout->identified = poll->layout->history->identified;
    }
    index = (const struct value_index *)wmem_map_lookup(poll->layout->by_identity, &key);
    if (index == NULL) {
        index = find_named(poll->layout, shape->series[at], &key);
    }
    if (index != NULL) {
        *found_block = index->block;
        *found_at = index->at;
    }
    return index != NULL;
}
