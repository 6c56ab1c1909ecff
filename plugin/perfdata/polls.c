/* polls.c
 * One answer of HKEY_PERFORMANCE_DATA as a sample: the names and paths of its values, the earlier
 * sample they are compared with, and what they amount to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/polls.h"

#include <limits.h>

#include <epan/to_str.h>

#include "base/hash.h"
#include "base/text.h"
#include "cook/counter-types.h"
#include "counters/path.h"

/*
 * A sample holds the values of each object, and behind those of all as many blocks of one value: the objects' own
 * clocks. A base has no index of its own; it goes by that of its counter.
 */
enum { HISTORY_VALUES, HISTORY_CLOCK };
#define BASE_OF 0x80000000u

/* key text -> struct series_store */
FILE_MAP(all_series, wmem_str_hash, g_str_equal)

struct series_store *
perfdata_series(const address *client, const struct server *server, const char *value_name, wmem_allocator_t *scratch)
{
    const char *key = wmem_strdup_printf(scratch, "%p %s %s", (const void *)server, address_to_str(scratch, client),
        perfdata_asked_key(value_name, scratch));
    struct series_store *series = (struct series_store *)wmem_map_lookup(all_series(), key);

    if (series == NULL) {
        series = series_store_new(server, NULL);
        wmem_map_insert(all_series(), wmem_strdup(wmem_file_scope(), key), series);
    }
    return series;
}

/* size bytes at offset, all of them captured. */
static const char *
perfdata_poll_text_at(const struct perfdata_poll *poll, unsigned offset, unsigned size, bool is_utf16,
    uint32_t code_page)
{
    if (is_utf16) {
        return utf16_from_bytes(poll->base.scope, poll->block->data + offset, size,
            poll->block->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);
    }
    return code_page_text(poll->base.scope, poll->base.tvb, offset, size, code_page);
}

/* Of an instance's name the first bytes. */
static const char *
sent_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, unsigned bytes)
{
    return perfdata_poll_text_at(poll, instance->name_start, MIN(instance->name_size, bytes), object->code_page == 0,
        object->code_page);
}

const char *
perfdata_poll_sent_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance)
{
    return instance->name_size == 0 ? perfdata_poll_own_name(poll, object, instance)
                                    : sent_name(poll, object, instance, instance->name_size);
}

const char *
perfdata_poll_own_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance)
{
    if (instance->name_size == 0) {
        return instance->unique_id == PERF_NO_UNIQUE_ID
            ? ""
            : wmem_strdup_printf(poll->base.scope, "%d", instance->unique_id);
    }
    return name_text(poll->base.scope, sent_name(poll, object, instance, NAME_TEXT_UNITS * 2));
}

static const char *
full_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance)
{
    const struct perfdata_object *parent_object;
    const struct perfdata_instance *parent = perfdata_block_parent(poll->block, instance, &parent_object);

    return counter_path_instance(poll->base.scope,
        parent == NULL ? NULL : perfdata_poll_own_name(poll, parent_object, parent),
        perfdata_poll_own_name(poll, object, instance));
}

static const char **
name_instances(const struct perfdata_poll *poll, const struct perfdata_object *object)
{
    const char **names;
    struct counter_path_names *used;

    if (object->num_instances <= 0) {
        return NULL;
    }
    names = wmem_alloc_array(poll->base.scope, const char *, object->instances_read);
    for (unsigned i = 0; i < object->instances_read; i++) {
        names[i] = full_name(poll, object, &object->instances[i]);
    }
    used = counter_path_names_new(poll->base.scope);
    for (unsigned i = 0; i < object->instances_read; i++) {
        names[i] = counter_path_numbered(poll->base.scope, names[i], counter_path_number(used, NULL, NULL, names[i]));
    }
    return names;
}

static const struct poll_api poll_api;

/* A value by its place in a block. */
struct poll_place {
    const struct perfdata_poll *poll;
    const struct perfdata_object *object;
    const struct perfdata_instance *in;
    const struct perfdata_counter *definition;
    unsigned instance, counter;
};

static struct poll_place
place_at(const struct poll *base, unsigned object, unsigned at)
{
    const struct perfdata_poll *poll = (const struct perfdata_poll *)base;
    const struct perfdata_object *o = &poll->block->objects[object];
    const unsigned instance = at / o->counters_read, counter = at % o->counters_read;

    return (struct poll_place){ poll, o, &o->instances[instance], &o->counters[counter], instance, counter };
}

unsigned
perfdata_poll_at(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    return instance * poll->block->objects[object].counters_read + counter;
}

static const uint32_t *
counter_ids(const struct perfdata_poll *poll, const struct perfdata_object *object)
{
    uint32_t *ids = wmem_alloc_array(poll->base.scope, uint32_t, object->counters_read + 1);

    for (unsigned c = 0; c < object->counters_read; c++) {
        ids[c] = object->counters[c].name_index != 0 || c == 0 ? object->counters[c].name_index
                                                               : object->counters[c - 1].name_index | BASE_OF;
    }
    return ids;
}

/* A small number for a text, the same for the same. */
static unsigned
text_number(wmem_map_t *numbers, const char *text)
{
    unsigned number = GPOINTER_TO_UINT(wmem_map_lookup(numbers, text));

    if (number == 0) {
        number = wmem_map_size(numbers) + 1;
        wmem_map_insert(numbers, text, GUINT_TO_POINTER(number));
    }
    return number;
}

/*
 * What tells an object's values from those of another of its title index: a counter with the name of an instance, and
 * one with its unique id.
 */
static wmem_array_t *
value_keys(const struct perfdata_poll *poll, unsigned o, wmem_map_t *numbers)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    const char *const *names = poll->instances[o];
    const uint32_t *counters = counter_ids(poll, object);
    wmem_array_t *keys = wmem_array_new(poll->base.scope, sizeof(uint64_t));

    for (unsigned i = 0; i < object->instances_read; i++) {
        const int32_t id = object->instances[i].unique_id;
        unsigned by[2], ways = 1;

        by[0] = text_number(numbers,
            wmem_strdup_printf(poll->base.scope, "%u name %s", object->name_index, names == NULL ? "" : names[i]));
        if (names != NULL && id != PERF_NO_UNIQUE_ID) {
            by[ways++] = text_number(numbers, wmem_strdup_printf(poll->base.scope, "%u id %d", object->name_index, id));
        }
        for (unsigned c = 0; c < ways * object->counters_read; c++) {
            const uint64_t key = (uint64_t)counters[c / ways] << 32 | by[c % ways];

            wmem_array_append_one(keys, key);
        }
    }
    return keys;
}

/*
 * An object may stand twice in a block. Where it holds a value that one before it holds, too, it is a set of its own
 * with a number; where it holds none, all its values are told apart anyway, in whatever order the objects come.
 */
static void
number_objects(struct perfdata_poll *poll)
{
    const struct perfdata_block *block = poll->block;
    wmem_map_t *indexes, *texts, *taken;
    bool is_twice = false;

    if (block->objects_read < 2) {
        return;
    }
    indexes = wmem_map_new(poll->base.scope, g_direct_hash, g_direct_equal);
    for (unsigned o = 0; o < block->objects_read; o++) {
        is_twice |= wmem_map_insert(indexes, GUINT_TO_POINTER(block->objects[o].name_index), indexes) != NULL;
    }
    if (!is_twice) {
        return;
    }
    poll->numbers = wmem_alloc0_array(poll->base.scope, uint16_t, block->objects_read);
    texts = wmem_map_new(poll->base.scope, wmem_str_hash, g_str_equal);
    taken = wmem_map_new(poll->base.scope, wmem_int64_hash, g_int64_equal);
    for (unsigned o = 0; o < block->objects_read; o++) {
        wmem_array_t *keys = value_keys(poll, o, texts);
        unsigned number = 0;

        for (unsigned k = 0; k < wmem_array_get_count(keys); k++) {
            number = MAX(number, GPOINTER_TO_UINT(wmem_map_lookup(taken, wmem_array_index(keys, k))));
        }
        poll->numbers[o] = (uint16_t)MIN(number, UINT16_MAX);
        for (unsigned k = 0; k < wmem_array_get_count(keys); k++) {
            wmem_map_insert(taken, wmem_array_index(keys, k), GUINT_TO_POINTER(number + 1));
        }
    }
}

struct perfdata_poll *
perfdata_poll_new(wmem_allocator_t *scope, tvbuff_t *tvb, const struct perfdata_block *block,
    const struct server *server, uint32_t frame)
{
    struct perfdata_poll *poll = wmem_new0(scope, struct perfdata_poll);

    poll->base = (struct poll){ .api = &poll_api,
        .scope = scope,
        .tvb = tvb,
        .num_blocks = block->objects_read,
        .frame = frame };
    poll->block = block;
    poll->server = server_known(server);
    poll->base.names = catalog_version_in(poll->server, frame);
    poll->instances = wmem_alloc_array(scope, const char **, block->objects_read + 1);
    poll->others = wmem_alloc0_array(scope, uint8_t *, block->objects_read + 1);
    for (unsigned o = 0; o < block->objects_read; o++) {
        poll->instances[o] = name_instances(poll, &block->objects[o]);
    }
    number_objects(poll);
    return poll;
}

/* An object's identity in the history. */
static e_guid_t
object_id(const struct perfdata_poll *poll, unsigned o, unsigned which)
{
    return (e_guid_t){ .data1 = poll->block->objects[o].name_index,
        .data2 = (uint16_t)which,
        .data3 = poll->numbers == NULL ? 0 : poll->numbers[o] };
}

/* The same in text. */
static char *
object_id_text(wmem_allocator_t *scope, const e_guid_t *id)
{
    return id->data3 == 0 ? wmem_strdup_printf(scope, "%u", id->data1)
                          : wmem_strdup_printf(scope, "%u no. %u", id->data1, id->data3 + 1);
}

/* What tells an instance from the others in any sample: its unique id, else its name. */
static const struct series_row *
instance_rows(const struct perfdata_poll *poll, unsigned o)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    struct series_row *rows = wmem_alloc0_array(poll->base.scope, struct series_row, object->instances_read + 1);

    for (unsigned i = 0; i < object->instances_read; i++) {
        rows[i].id = (uint32_t)object->instances[i].unique_id;
        if (object->instances[i].unique_id == PERF_NO_UNIQUE_ID && poll->instances[o] != NULL) {
            rows[i].name = (const uint8_t *)poll->instances[o][i];
            rows[i].name_size = (unsigned)strlen(poll->instances[o][i]);
        }
    }
    return rows;
}

static void
remember_values(const struct perfdata_poll *poll, unsigned o, struct series_block_in *out)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    const size_t count = (size_t)object->instances_read * object->counters_read;
    uint64_t *values = wmem_alloc0_array(poll->base.scope, uint64_t, count + 1);
    uint8_t *widths = wmem_alloc0_array(poll->base.scope, uint8_t, count + 1);
    size_t at = 0;

    for (unsigned i = 0; i < object->instances_read; i++) {
        for (unsigned c = 0; c < object->counters_read; c++, at++) {
            if (perfdata_block_number(poll->block, &object->instances[i], &object->counters[c], &values[at])) {
                widths[at] = object->counters[c].width;
            }
        }
    }
    out->set = object_id(poll, o, HISTORY_VALUES);
    out->num_counters = object->counters_read;
    out->num_rows = object->instances_read;
    out->counters = counter_ids(poll, object);
    out->rows = instance_rows(poll, o);
    out->widths = widths;
    out->values = values;
}

static void
remember_clock(const struct perfdata_poll *poll, unsigned o, struct series_block_in *out)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    static const uint32_t counter = 0;
    static const uint8_t width = sizeof object->perf_time;
    static const struct series_row row = { 0, NULL, 0 };

    out->set = object_id(poll, o, HISTORY_CLOCK);
    out->num_counters = 1;
    out->num_rows = 1;
    out->counters = &counter;
    out->rows = &row;
    out->widths = &width;
    out->values = &object->perf_time;
}

static struct cook_clocks
block_clocks(const struct perfdata_block *block)
{
    const struct cook_clocks clocks = { block->perf_time, block->perf_time_100ns, block->perf_freq };

    return clocks;
}

const struct series_poll *
perfdata_poll_remember(const struct perfdata_poll *poll, struct series_store *series, uint32_t frame)
{
    const unsigned objects = poll->block->objects_read;
    struct series_block_in *blocks = wmem_alloc0_array(poll->base.scope, struct series_block_in, 2 * objects + 1);
    const struct cook_clocks clocks = block_clocks(poll->block);

    for (unsigned o = 0; o < objects; o++) {
        remember_values(poll, o, &blocks[o]);
        remember_clock(poll, o, &blocks[objects + o]);
    }
    return series_store_add(series, frame, &clocks, blocks, 2 * objects);
}

bool
perfdata_poll_is_sample(const struct perfdata_poll *poll, const struct series_poll *sample)
{
    const struct perfdata_block *block = poll->block;

    if (sample->num_blocks != 2 * block->objects_read || sample->clocks.perf_time != block->perf_time ||
        sample->clocks.time_100ns != block->perf_time_100ns) {
        return false;
    }
    for (unsigned o = 0; o < block->objects_read; o++) {
        const struct series_shape *shape = series_shape(sample, o);

        if (shape->num_counters != block->objects[o].counters_read ||
            shape->num_rows != block->objects[o].instances_read) {
            return false;
        }
    }
    return true;
}

static const char *
title_in(const struct server *server, uint32_t index, uint32_t frame, wmem_allocator_t *scope)
{
    const char *title = perfdata_names_title(server, index, frame).text;

    return title != NULL ? title : wmem_strdup_printf(scope, "%u", index);
}

const char *
perfdata_poll_title(const struct perfdata_poll *poll, uint32_t index)
{
    return title_in(poll->server, index, poll->base.frame, poll->base.scope);
}

static char *
perfdata_poll_make_path(const struct perfdata_poll *poll, wmem_allocator_t *scope, unsigned object, unsigned instance,
    uint32_t counter_index)
{
    const e_guid_t id = object_id(poll, object, HISTORY_VALUES);
    const char *title = perfdata_poll_title(poll, id.data1);
    const char *counter = perfdata_poll_title(poll, counter_index);
    const char *name = poll->instances[object] == NULL ? "" : poll->instances[object][instance];

    if (id.data3 != 0) {
        title = identity_set_text(scope, title, object_id_text(scope, &id));
    }
    return counter_path_make(scope, server_host(poll->server), title, name, 0, counter);
}

static struct counter_words
perfdata_poll_words(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope)
{
    return (struct counter_words){
        .set = title_in(counter->server, counter->set.data1, frame, scope),
        .set_id = object_id_text(scope, &counter->set),
        .counter = title_in(counter->server, counter->id, frame, scope),
    };
}

static bool
perfdata_poll_counter(const struct poll *base, unsigned object, unsigned column, struct perf_counter *counter)
{
    const struct perfdata_poll *poll = (const struct perfdata_poll *)base;
    const struct perfdata_object *o = &poll->block->objects[object];

    counter->server = poll->server;
    counter->set = object_id(poll, object, HISTORY_VALUES);
    counter->id = o->counters[column].name_index;
    counter->words = perfdata_poll_words;
    if (base->sample != NULL) {
        const struct series_shape *shape = series_shape(base->sample, object);

        counter->twin = shape->twins == NULL ? 0 : shape->twins[column];
    }
    return counter->id != 0;
}

/* What an instance goes by: its name and its place among equal ones. */
static const struct instance *
perfdata_poll_instance(const struct poll *base, unsigned object, unsigned row)
{
    const struct perfdata_poll *poll = (const struct perfdata_poll *)base;
    const char *const *names = poll->instances[object];
    const e_guid_t set = object_id(poll, object, HISTORY_VALUES);

    return names == NULL
        ? NULL
        : identity_instance(poll->server, &set,
              &(struct series_row){ 0, (const uint8_t *)names[row], (unsigned)strlen(names[row]) }, NULL, 0, NULL);
}

/* Of a value that is of no sample the path is made each time. */
static const char *
perfdata_poll_path(const struct poll *base, unsigned object, unsigned at)
{
    const struct poll_place place = place_at(base, object, at);

    return place.definition->name_index == 0
        ? NULL
        : perfdata_poll_make_path(place.poll, base->scope, object, place.instance, place.definition->name_index);
}

/* One counter of an instance as remembered, and the poll of its previous value (NULL: none). */
static struct cook_value
counter_value(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter,
    const struct series_poll **before)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    struct cook_value value = { .width = o->counters[counter].width };

    if (poll->base.sample != NULL) {
        value = series_value(poll->base.sample, object, perfdata_poll_at(poll, object, instance, counter), before);
    }
    value.present = perfdata_block_number(poll->block, &o->instances[instance], &o->counters[counter], &value.now);
    return value;
}

/* Whose values tell whether an instance is the one it was. */
enum { TITLE_ID_PROCESS = 784, TITLE_ID_THREAD = 804 };

int
perfdata_poll_other(const struct perfdata_poll *poll, unsigned object, unsigned instance, struct cook_value *id)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    const struct series_poll *before;

    for (unsigned c = 0; c < o->counters_read; c++) {
        if (o->counters[c].name_index == TITLE_ID_PROCESS || o->counters[c].name_index == TITLE_ID_THREAD) {
            *id = counter_value(poll, object, instance, c, &before);
            if (id->present && id->have_previous && id->now != id->before) {
                return (int)c;
            }
        }
    }
    return -1;
}

/* The same, asked for each value of the instance, and found out once. */
static bool
is_other(const struct perfdata_poll *poll, unsigned object, unsigned instance)
{
    enum { UNKNOWN, SAME, OTHER };
    uint8_t **others = &poll->others[object];
    struct cook_value id;

    if (*others == NULL) {
        *others = wmem_alloc0_array(poll->base.scope, uint8_t, poll->block->objects[object].instances_read + 1);
    }
    if ((*others)[instance] == UNKNOWN) {
        (*others)[instance] = perfdata_poll_other(poll, object, instance, &id) >= 0 ? OTHER : SAME;
    }
    return (*others)[instance] == OTHER;
}

/* Whether the poll before held the object, so that an instance that was not among its may be new. */
static bool
object_was_polled(const struct poll *base, unsigned object)
{
    return base->sample != NULL && series_previous(base->sample, base->num_blocks + object, 0).poll != NULL;
}

static bool
perfdata_poll_input(const struct poll *base, unsigned object, unsigned at, struct cook_input *in,
    const struct series_poll **before)
{
    const struct poll_place place = place_at(base, object, at);
    const struct perfdata_object *o = place.object;
    const struct perfdata_counter *c = place.definition;
    const unsigned needs = cook_needs(c->counter_type);
    const int other = perfdata_object_base(o, place.counter);
    const struct series_poll *base_before = NULL;

    /* A block that is no sample has no earlier one to be compared with. */
    if (base->sample == NULL && (needs & COOK_NEEDS_PREVIOUS)) {
        return false;
    }
    *before = NULL;
    *in = (struct cook_input){
        /* Of any encoding: cook() knows UTF-16 only. */
        .type = c->form == PERFDATA_TEXT ? PERF_COUNTER_TEXT : c->counter_type,
        .type_known = true,
        .polled_before = object_was_polled(base, object),
        .now = block_clocks(place.poll->block),
        .value = counter_value(place.poll, object, place.instance, place.counter, before),
        .time = { .now = o->perf_time, .present = true },
        .freq = { .now = o->perf_freq, .present = true },
    };
    if (*before != NULL) {
        /* Where the value was, its object had its clock, too. */
        const struct series_ref ref = series_previous(base->sample, object, at);

        in->before = ref.poll->clocks;
        in->time.before = series_raw(ref.poll, ref.poll->num_blocks / 2 + ref.block, 0);
        in->time.have_previous = true;
        in->is_other_process = (needs & COOK_NEEDS_PREVIOUS) && is_other(place.poll, object, place.instance);
    }
    if ((needs & (COOK_NEEDS_BASE | COOK_NEEDS_MULTI)) && other >= 0) {
        in->has_base_id = true;
        in->base = counter_value(place.poll, object, place.instance, (unsigned)other, &base_before);
        in->base.have_previous &= base_before == *before;
    }
    if (needs & COOK_NEEDS_MULTI) {
        in->multi = in->base;
        if (!in->multi.present) {
            in->multi.present = perfdata_block_multi(place.poll->block, place.in, c, &in->multi.now);
        }
    }
    return true;
}

/* A formula of cook/, which is constant text, with the names that its letters have in this API's structures. */
static const char *
perfdata_poll_formula(const char *formula)
{
    static const struct {
        const char *newer, *older;
    } words[] = {
        { "T PerfTimeStamp", "T PerfTime" },
        { "X PerfTime100NSec", "X PerfTime100nSec" },
        { "FO its frequency (PerfFreqId)", "FO its PerfFreq" },
        { "O object time (PerfTimeId)", "O the object's PerfTime" },
    };
    static wmem_map_t *formulas; /* of all files */
    const char *known;

    if (formulas == NULL) {
        formulas = wmem_map_new(wmem_epan_scope(), g_direct_hash, g_direct_equal);
    }
    known = (const char *)wmem_map_lookup(formulas, formula);
    if (known == NULL) {
        char *text = wmem_strdup(wmem_epan_scope(), formula);

        for (size_t i = 0; i < array_length(words); i++) {
            text = text_replace(wmem_epan_scope(), text, words[i].newer, words[i].older);
        }
        wmem_map_insert(formulas, formula, text);
        known = text;
    }
    return known;
}

/* Of a counter's text the first units. */
static const char *
read_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter, unsigned units)
{
    const bool is_ascii = (counter->counter_type & PERF_TYPE_SUBTYPE_MASK) != 0;
    const unsigned width = is_ascii ? 1 : 2;
    unsigned offset, size;

    perfdata_block_place(instance, counter, &offset, &size);
    size = perfdata_block_text_size(poll->block, offset, size / width < units ? size : units * width, width);
    return size == 0 ? "" : perfdata_poll_text_at(poll, offset, size, !is_ascii, object->code_page);
}

const char *
perfdata_poll_sent_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter)
{
    return read_text(poll, object, instance, counter, UINT_MAX);
}

static const char *
perfdata_poll_text(const struct poll *base, unsigned object, unsigned at)
{
    const struct poll_place place = place_at(base, object, at);

    return line_text(base->scope, read_text(place.poll, place.object, place.in, place.definition, LINE_TEXT_MAX + 2));
}

static struct poll_shape
perfdata_poll_shape(const struct poll *base, unsigned object)
{
    const struct perfdata_poll *poll = (const struct perfdata_poll *)base;
    const struct perfdata_object *o = &poll->block->objects[object];

    return (struct poll_shape){
        .num_rows = o->instances_read,
        .num_columns = o->counters_read,
        .is_named = true,
        .is_table = poll->instances[object] != NULL,
        .is_renamed = true,
        .offset = o->instances_read == 0 ? o->offset : o->instances[0].offset,
    };
}

static struct poll_bytes
perfdata_poll_bytes(const struct poll *base, unsigned object, unsigned at)
{
    const struct poll_place place = place_at(base, object, at);
    const unsigned captured = tvb_captured_length(base->tvb);
    struct poll_bytes bytes = { .offset = 0 };

    perfdata_block_place(place.in, place.definition, &bytes.offset, &bytes.length);
    bytes.length = bytes.offset < captured ? MIN(bytes.length, captured - bytes.offset) : 0;
    bytes.is_number = perfdata_block_number(place.poll->block, place.in, place.definition, &bytes.number);
    return bytes;
}

/* A FILETIME's units in a second */
#define FILETIME_FREQUENCY 10000000u

/*
 * Process(Idle) and _Total come without a time at which they began: by the formula of the type, which has no exception
 * for them, they are as old as the clock.
 */
static const char *
perfdata_poll_note(const struct poll *base, unsigned object, unsigned at, const struct cook_result *cooked _U_)
{
    const struct poll_place place = place_at(base, object, at);
    uint64_t start;

    return place.definition->counter_type == PERF_ELAPSED_TIME && place.object->perf_freq == FILETIME_FREQUENCY &&
            perfdata_block_number(place.poll->block, place.in, place.definition, &start) && start == 0
        ? " (start time 0: counted from the year 1601)"
        : NULL;
}

static struct perf_tap_origin
perfdata_poll_origin(const struct poll *base, unsigned object, unsigned at, bool is_aggregate _U_)
{
    const struct poll_place place = place_at(base, object, at);
    const struct perfdata_poll *poll = place.poll;
    const struct catalog_text title =
        perfdata_names_title(poll->server, place.definition->name_index, poll->base.frame);
    const e_guid_t set = object_id(poll, object, HISTORY_VALUES);
    struct perf_tap_origin origin = {
        .set_id = object_id_text(base->scope, &set),
        .counter = perfdata_poll_title(poll, place.definition->name_index),
        .counter_id = place.definition->name_index,
        .known_by = title.text == NULL ? "id"
            : title.frame != 0         ? "list"
                                       : "built-in",
        .has_type = true,
        .type = place.definition->counter_type,
    };

    if (poll->instances[object] != NULL) {
        origin.has_instance_id = place.in->unique_id != PERF_NO_UNIQUE_ID;
        origin.instance_id = (uint32_t)place.in->unique_id;
    }
    if ((cook_needs(origin.type) & COOK_NEEDS_BASE) != 0) {
        const int other = perfdata_object_base(place.object, place.counter);

        origin.has_base =
            other >= 0 && perfdata_block_number(poll->block, place.in, &place.object->counters[other], &origin.base);
    }
    return origin;
}

static const char *
perfdata_poll_row_text(const struct poll *base, unsigned object, unsigned row)
{
    return ((const struct perfdata_poll *)base)->instances[object][row];
}

static bool
perfdata_poll_is_shown(const struct poll *base, unsigned object, unsigned column)
{
    const struct perfdata_counter *c = &((const struct perfdata_poll *)base)->block->objects[object].counters[column];

    return c->name_index != 0 && !perf_counter_type_is_base(c->counter_type);
}

static const struct poll_api poll_api = {
    .shape = perfdata_poll_shape,
    .counter = perfdata_poll_counter,
    .instance = perfdata_poll_instance,
    .path = perfdata_poll_path,
    .bytes = perfdata_poll_bytes,
    .text = perfdata_poll_text,
    .input = perfdata_poll_input,
    .formula = perfdata_poll_formula,
    .note = perfdata_poll_note,
    .origin = perfdata_poll_origin,
    .row_text = perfdata_poll_row_text,
    .is_shown = perfdata_poll_is_shown,
};
