/* polls.c
 * An answer of HKEY_PERFORMANCE_DATA as a poll: names and paths of its values, the previous sample, and cooked values
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/polls.h"

#include <limits.h>

#include <epan/to_str.h>

#include "base/hash.h"
#include "counters/path.h"

/*
 * Kinds of blocks of a stored sample: first the values of each object, then one block per object with the object's own
 * clock. A base has no title index of its own: it is stored under its counter's, with the bit BASE_OF.
 */
enum { HISTORY_VALUES, HISTORY_CLOCK };
#define BASE_OF 0x80000000u

/* text of client, server and value -> struct series_store */
static struct file_map all_series = { wmem_str_hash, g_str_equal, NULL };

struct series_store *
perfdata_series(const address *client, const struct server *server, const char *value_name, wmem_allocator_t *scratch)
{
    const char *key = wmem_strdup_printf(scratch, "%p %s %s", (const void *)server, address_to_str(scratch, client),
        perfdata_asked_key(value_name, scratch));
    struct series_store *series = (struct series_store *)wmem_map_lookup(file_map(&all_series), key);

    if (series == NULL) {
        series = series_store_new(server, NULL);
        wmem_map_insert(file_map(&all_series), wmem_strdup(wmem_file_scope(), key), series);
    }
    return series;
}

/* Returns size captured bytes at offset as text. */
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

/* Returns an instance's name as sent, at most `bytes` bytes of it. */
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
    return line_text_max(poll->base.scope, sent_name(poll, object, instance, NAME_TEXT_UNITS * 2), NAME_TEXT_MAX);
}

/*
 * Maximum size of a name in a key. A longer name is replaced by its SHA-256, since the keys of all children contain
 * their parent's name.
 */
#define KEY_NAME_MAX 256u

/*
 * Returns an instance's own name as key. It is not the printable text, in which different names may be equal, but all
 * of its UTF-16 units in lower case. If the code page does not convert each byte to one character, it is the bytes as
 * sent, as surrogates.
 */
static struct series_row
own_key(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance)
{
    const uint8_t *sent = poll->block->data + instance->name_start;
    const bool is_utf16 = object->code_page == 0 && instance->name_size > 0;
    const unsigned low = poll->block->big_endian ? 1 : 0;
    const char *text = is_utf16 ? NULL : perfdata_poll_sent_name(poll, object, instance);
    const unsigned count = is_utf16 ? instance->name_size / 2
        : instance->name_size == 0  ? (unsigned)strlen(text)
                                    : instance->name_size;
    uint8_t *key = (uint8_t *)wmem_alloc(poll->base.scope, 2 * count + 1);
    struct series_row row = { .name = key, .name_size = 2 * count };

    if (text != NULL && (g_utf8_strlen(text, -1) != (glong)count || g_utf8_strchr(text, -1, 0xFFFD) != NULL)) {
        text = NULL;
    }
    for (unsigned i = 0; i < count; i++) {
        gunichar unit;

        if (is_utf16) {
            unit = text_fold((gunichar)(sent[2 * i + low] | sent[2 * i + 1 - low] << 8));
        } else if (text != NULL) {
            unit = text_fold(g_utf8_get_char(text));
            text = g_utf8_next_char(text);
        } else {
            unit = 0xDC00u | sent[i];
        }
        key[2 * i] = (uint8_t)unit;
        key[2 * i + 1] = (uint8_t)(unit >> 8);
    }
    if (row.name_size > KEY_NAME_MAX) {
        char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, key, row.name_size);

        row.name_size = (unsigned)strlen(digest);
        memcpy(key, digest, row.name_size);
        g_free(digest);
    }
    return row;
}

/* Puts a parent's name before the name of its child. No name contains the null character between them. */
static void
add_parent_key(wmem_allocator_t *scope, struct series_row *row, const struct series_row *parent)
{
    uint8_t *key = (uint8_t *)wmem_alloc0(scope, parent->name_size + 2 + row->name_size);

    memcpy(key, parent->name, parent->name_size);
    memcpy(key + parent->name_size + 2, row->name, row->name_size);
    row->name = key;
    row->name_size += parent->name_size + 2;
}

/* parents: keys of the parents so far, for the whole block */
static void
name_instances(const struct perfdata_poll *poll, unsigned o, wmem_map_t *parents)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    wmem_allocator_t *scope = poll->base.scope;
    const char **names;
    struct counter_path_names *used;
    wmem_map_t *counts;

    if (object->num_instances <= 0) {
        return;
    }
    poll->instances[o] = names = wmem_alloc_array(scope, const char *, object->instances_read);
    poll->rows[o] = wmem_alloc_array(scope, struct series_row, object->instances_read);
    counts = wmem_map_new(scope, series_name_hash, series_name_equal);
    for (unsigned i = 0; i < object->instances_read; i++) {
        const struct perfdata_object *parent_object;
        const struct perfdata_instance *parent;
        struct series_row *row = &poll->rows[o][i];

        parent = perfdata_block_parent(poll->block, &object->instances[i], &parent_object);
        names[i] =
            counter_path_instance(scope, parent == NULL ? NULL : perfdata_poll_own_name(poll, parent_object, parent),
                perfdata_poll_own_name(poll, object, &object->instances[i]));
        *row = own_key(poll, object, &object->instances[i]);
        if (parent != NULL) {
            struct series_row *known = (struct series_row *)wmem_map_lookup(parents, parent);

            if (known == NULL) {
                known = wmem_new(scope, struct series_row);
                *known = own_key(poll, parent_object, parent);
                wmem_map_insert(parents, parent, known);
            }
            add_parent_key(scope, row, known);
        }
        row->id = GPOINTER_TO_UINT(wmem_map_lookup(counts, row));
        wmem_map_insert(counts, row, GUINT_TO_POINTER(row->id + 1));
    }
    used = counter_path_names_new(scope);
    for (unsigned i = 0; i < object->instances_read; i++) {
        names[i] = counter_path_numbered(scope, names[i], counter_path_number(used, NULL, NULL, names[i]));
    }
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

/* Returns a small number for a text, equal for equal texts. */
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
 * Returns the keys of an object's values: each counter with an instance's name, and each counter with an instance's
 * unique id. Two objects with one title index contain the same value if they have a key in common.
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
 * Numbers objects whose title index occurs twice in a block. If an object has a counter and instance that an earlier
 * one has, too, it becomes a counterset of its own, with a number. Other objects need no numbers.
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

/* Legends of the letters in formulas: in PerflibV2, and in the registry API */
static const struct poll_formula_word formula_words[] = {
    { "T PerfTimeStamp", "T PerfTime" },
    { "X PerfTime100NSec", "X PerfTime100nSec" },
    { "FO its frequency (PerfFreqId)", "FO its PerfFreq" },
    { "O object time (PerfTimeId)", "O the object's PerfTime" },
    { NULL, NULL },
};

struct perfdata_poll *
perfdata_poll_new(packet_info *pinfo, tvbuff_t *tvb, const struct perfdata_block *block, const struct server *server)
{
    wmem_allocator_t *scope = pinfo->pool;
    struct perfdata_poll *poll = wmem_new0(scope, struct perfdata_poll);
    wmem_map_t *parents = wmem_map_new(scope, g_direct_hash, g_direct_equal);

    poll->base = (struct poll){ .scope = scope,
        .tvb = tvb,
        .num_blocks = block->objects_read,
        .frame = pinfo->num,
        .clocks = { block->perf_time, block->perf_time_100ns, block->perf_freq },
        .formula_words = formula_words };
    poll->block = block;
    poll->server = server_known(server);
    poll->is_read_again = pinfo->fd->visited;
    poll->base.names = catalog_version_in(poll->server, pinfo->num);
    poll->instances = wmem_alloc0_array(scope, const char **, block->objects_read + 1);
    poll->rows = wmem_alloc0_array(scope, struct series_row *, block->objects_read + 1);
    for (unsigned o = 0; o < block->objects_read; o++) {
        name_instances(poll, o, parents);
    }
    number_objects(poll);
    return poll;
}

/* Returns a made-up GUID as the counterset of an object's series. which: HISTORY_VALUES or HISTORY_CLOCK. */
static e_guid_t
object_id(const struct perfdata_poll *poll, unsigned o, unsigned which)
{
    return (e_guid_t){ .data1 = poll->block->objects[o].name_index,
        .data2 = (uint16_t)which,
        .data3 = poll->numbers == NULL ? 0 : poll->numbers[o] };
}

/* Returns, for each instance of an object, the identity that is the same in all samples: unique id, else name. */
static const struct series_row *
instance_rows(const struct perfdata_poll *poll, unsigned o)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    struct series_row *rows = wmem_alloc0_array(poll->base.scope, struct series_row, object->instances_read + 1);

    for (unsigned i = 0; i < object->instances_read; i++) {
        rows[i].id = (uint32_t)object->instances[i].unique_id;
        if (object->instances[i].unique_id == PERF_NO_UNIQUE_ID && poll->instances[o] != NULL) {
            rows[i] = poll->rows[o][i];
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

const struct series_poll *
perfdata_poll_remember(const struct perfdata_poll *poll, struct series_store *series, uint32_t frame,
    const struct rpc_position *request)
{
    const unsigned objects = poll->block->objects_read;
    struct series_block_in *blocks = wmem_alloc0_array(poll->base.scope, struct series_block_in, 2 * objects + 1);

    for (unsigned o = 0; o < objects; o++) {
        remember_values(poll, o, &blocks[o]);
        remember_clock(poll, o, &blocks[objects + o]);
    }
    return series_store_add(series, frame, request, &poll->base.clocks, blocks, 2 * objects);
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

static struct counter_words
perfdata_poll_words(const struct perf_counter *counter, uint32_t frame, wmem_allocator_t *scope)
{
    return (struct counter_words){
        .set = title_in(counter->server, counter->set.data1, frame, scope),
        .set_id = counter->set.data3 == 0
            ? wmem_strdup_printf(scope, "%u", counter->set.data1)
            : wmem_strdup_printf(scope, "%u no. %u", counter->set.data1, counter->set.data3 + 1),
        .counter = title_in(counter->server, counter->id, frame, scope),
    };
}

/* Returns the text of a text counter, at most `units` characters of it. */
static const char *
read_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter, unsigned units)
{
    const bool is_ascii = (counter->counter_type & PERF_TYPE_SUBTYPE_MASK) != 0;
    const unsigned width = is_ascii ? 1 : 2;
    unsigned offset, size;

    perfdata_block_bytes(instance, counter, &offset, &size);
    size = perfdata_block_text_size(poll->block, offset, size / width < units ? size : units * width, width);
    return size == 0 ? "" : perfdata_poll_text_at(poll, offset, size, !is_ascii, object->code_page);
}

const char *
perfdata_poll_sent_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter)
{
    return read_text(poll, object, instance, counter, UINT_MAX);
}

/* Title indexes of counters whose values identify the instance */
enum { TITLE_ID_PROCESS = 784, TITLE_ID_THREAD = 804 };

/* Units of a FILETIME per second */
#define FILETIME_FREQUENCY 10000000u

/* Returns true if an object's clock is the system time. Ticks since the server started may have the same frequency. */
static bool
is_filetime_clock(const struct perfdata_block *block, const struct perfdata_object *object)
{
    const uint64_t day = (uint64_t)24 * 60 * 60 * FILETIME_FREQUENCY;

    return object->perf_freq == FILETIME_FREQUENCY && object->perf_time - block->perf_time_100ns + day < 2 * day;
}

static void
fill_counter_column(const struct perfdata_poll *poll, unsigned o, unsigned c, struct poll_column *column)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    const struct perfdata_counter *counter = &object->counters[c];
    const struct catalog_text title = perfdata_names_title(poll->server, counter->name_index, poll->base.frame);
    /*
     * On the first pass, other machines may still answer at this address, so the title may be that of another machine.
     */
    const bool is_borrowed = title.source == CATALOG_ONLY_MACHINE && !poll->is_read_again;
    const unsigned needs = cook_needs(counter->counter_type);
    const int base = (needs & (COOK_NEEDS_BASE | COOK_NEEDS_MULTI)) ? perfdata_object_base(object, c) : -1;

    *column = (struct poll_column){
        .key = { .server = poll->server, .set = object_id(poll, o, HISTORY_VALUES), .id = counter->name_index },
        .known_by =
            title.text == NULL ? "id" : catalog_source_word(is_borrowed ? CATALOG_OTHER_NAME : title.source, "list"),
        .type_known = true,
        .is_text = counter->form == PERFDATA_TEXT,
        .is_identity = counter->name_index == TITLE_ID_PROCESS || counter->name_index == TITLE_ID_THREAD,
        .is_shown = counter->name_index != 0 && !perf_counter_type_is_base(counter->counter_type),
        .has_base_id = base >= 0,
        .type = counter->counter_type,
        .method = cook_method(counter->counter_type),
        .needs = needs,
        .base = { PERF_ID_NONE, base < 0 ? UINT_MAX : (unsigned)base },
        .multi = { PERF_ID_NONE, base < 0 ? UINT_MAX : (unsigned)base },
    };
    if (counter->name_index != 0) {
        column->key.words = perfdata_poll_words;
    }
    if (poll->base.sample != NULL) {
        const struct series_shape *shape = series_shape(poll->base.sample, o);

        column->key.nth = shape->nths == NULL ? 0 : shape->nths[c];
    }
    /* Process(Idle) and _Total have start time 0, so the formula gives the time since the clock's zero, in 1601. */
    if (counter->counter_type == PERF_ELAPSED_TIME && is_filetime_clock(poll->block, object)) {
        column->note = " (start time 0, so counted from the year 1601)";
        column->is_note_of_zero = true;
    }
}

/*
 * Returns the second number of counter c (a PERF_MULTI_COUNTER type) for each instance, used if the counter has no
 * base.
 */
static const struct cook_value *
second_numbers(const struct perfdata_poll *poll, const struct perfdata_object *object, unsigned c)
{
    struct cook_value *multis = wmem_alloc0_array(poll->base.scope, struct cook_value, object->instances_read + 1);

    for (unsigned i = 0; i < object->instances_read; i++) {
        multis[i].present =
            perfdata_block_multi(poll->block, &object->instances[i], &object->counters[c], &multis[i].now);
    }
    return multis;
}

void
perfdata_poll_fill_columns(struct perfdata_poll *poll)
{
    wmem_allocator_t *scope = poll->base.scope;

    if (poll->base.blocks != NULL) {
        return;
    }
    poll->base.blocks = wmem_alloc0_array(scope, struct poll_block, poll->base.num_blocks + 1);
    for (unsigned o = 0; o < poll->base.num_blocks; o++) {
        const struct perfdata_object *object = &poll->block->objects[o];
        struct poll_block *block = &poll->base.blocks[o];

        block->num_instances = object->instances_read;
        block->num_columns = object->counters_read;
        block->is_named = true;
        block->is_table = poll->instances[o] != NULL;
        block->is_renamed = true;
        block->table_offset = object->instances_read == 0 ? object->offset : object->instances[0].offset;
        block->columns = wmem_alloc_array(scope, struct poll_column, object->counters_read + 1);
        for (unsigned c = 0; c < object->counters_read; c++) {
            fill_counter_column(poll, o, c, &block->columns[c]);
            block->has_identity |= block->columns[c].is_identity;
        }
    }
}

/* Fills in the row of a value: its captured bytes, number and text. */
static void
fill_row(const struct perfdata_poll *poll, unsigned o, unsigned at)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    const struct perfdata_instance *in = &object->instances[at / object->counters_read];
    const struct perfdata_counter *counter = &object->counters[at % object->counters_read];
    const unsigned captured = tvb_captured_length(poll->base.tvb);
    struct poll_block *block = &poll->base.blocks[o];
    struct poll_row *row = &block->rows[at];

    perfdata_block_bytes(in, counter, &row->offset, &row->length);
    row->length = row->offset < captured ? MIN(row->length, captured - row->offset) : 0;
    row->value.present = perfdata_block_number(poll->block, in, counter, &row->value.now);
    row->value.width = row->value.present ? counter->width : 0;
    if (counter->form == PERFDATA_TEXT) {
        if (block->texts == NULL) {
            block->texts = wmem_alloc0_array(poll->base.scope, const char *, block->num_instances * block->num_columns);
        }
        block->texts[at] = line_text(poll->base.scope, read_text(poll, object, in, counter, LINE_TEXT_MAX + 2));
    }
}

static void
fill_object_rows(struct perfdata_poll *poll, unsigned o)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    struct poll_block *block = &poll->base.blocks[o];
    const unsigned count = block->num_instances * block->num_columns;

    block->instances = wmem_alloc0_array(poll->base.scope, struct poll_instance, block->num_instances + 1);
    for (unsigned i = 0; i < block->num_instances && poll->instances[o] != NULL; i++) {
        block->instances[i].row = poll->rows[o][i];
        block->instances[i].text = poll->instances[o][i];
        block->instances[i].has_id = object->instances[i].unique_id != PERF_NO_UNIQUE_ID;
        block->instances[i].id = (uint32_t)object->instances[i].unique_id;
    }
    for (unsigned c = 0; c < block->num_columns; c++) {
        if ((block->columns[c].needs & COOK_NEEDS_MULTI) != 0) {
            block->columns[c].multis = second_numbers(poll, object, c);
        }
    }
    block->rows = wmem_alloc0_array(poll->base.scope, struct poll_row, count + 1);
    for (unsigned at = 0; at < count; at++) {
        fill_row(poll, o, at);
    }
    block->has_clock = true;
    block->time = (struct cook_value){ .now = object->perf_time, .present = true };
    block->freq = (struct cook_value){ .now = object->perf_freq, .present = true };
    if (poll->base.sample != NULL) {
        /* The objects' clocks follow the blocks of all objects. */
        block->time = series_value(poll->base.sample, poll->base.num_blocks + o, 0);
        block->polled_before = block->time.have_previous;
    }
    poll_complete_rows(&poll->base, o);
}

void
perfdata_poll_fill_rows(struct perfdata_poll *poll)
{
    if (poll->has_rows) {
        return;
    }
    poll->has_rows = true;
    perfdata_poll_fill_columns(poll);
    for (unsigned o = 0; o < poll->base.num_blocks; o++) {
        fill_object_rows(poll, o);
    }
}
