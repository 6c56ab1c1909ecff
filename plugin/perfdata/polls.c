/* polls.c
 * One answer of HKEY_PERFORMANCE_DATA as a sample: the names and paths of its values, the earlier
 * sample they are compared with, and what they amount to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/polls.h"

#include <limits.h>

#include <epan/to_str.h>

#include "base/text.h"
#include "cook/counter-types.h"
#include "counters/path.h"
#include "perfdata/code-page.h"

/*
 * The history holds two blocks an object: its values, and its own clock as a block of two counters. A base has no
 * index of its own; it goes by that of its counter.
 */
enum { HISTORY_VALUES, HISTORY_CLOCK, HISTORY_BLOCKS_PER_OBJECT };
enum { CLOCK_TIME, CLOCK_FREQ, CLOCK_COUNTERS };
#define BASE_OF 0x80000000u

static wmem_map_t *all_series; /* key text -> struct series_store; file scope */
static wmem_map_t *formulas;   /* formula of cook/ -> the same in words of this API; of all files */

void
perfdata_poll_init(void)
{
    formulas = wmem_map_new(wmem_epan_scope(), g_direct_hash, g_direct_equal);
    all_series = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
}

struct series_store *
perfdata_series(const address *client, const struct server *server, const char *value_name, wmem_allocator_t *scratch)
{
    const char *key = wmem_strdup_printf(scratch, "%p %s %s", (const void *)server, address_to_str(scratch, client),
        perfdata_asked_key(value_name, scratch));
    struct series_store *series = (struct series_store *)wmem_map_lookup(all_series, key);

    if (series == NULL) {
        series = series_store_new(server, NULL);
        wmem_map_insert(all_series, wmem_strdup(wmem_file_scope(), key), series);
    }
    return series;
}

/* size bytes at offset, all of them captured. */
static const char *
perfdata_poll_text_at(const struct perfdata_poll *poll, unsigned offset, unsigned size, bool is_utf16,
    uint32_t code_page)
{
    if (is_utf16) {
        return utf16_from_bytes(poll->scope, poll->block->data + offset, size,
            poll->block->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);
    }
    return code_page_text(poll->scope, poll->tvb, offset, size, code_page);
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
        return instance->unique_id == PERF_NO_UNIQUE_ID ? ""
                                                        : wmem_strdup_printf(poll->scope, "%d", instance->unique_id);
    }
    return name_text(poll->scope, sent_name(poll, object, instance, NAME_TEXT_UNITS * 2));
}

static const char *
full_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance)
{
    const struct perfdata_object *parent_object;
    const struct perfdata_instance *parent = perfdata_block_parent(poll->block, instance, &parent_object);

    return counter_path_instance(poll->scope,
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
    names = wmem_alloc_array(poll->scope, const char *, object->instances_read);
    for (unsigned i = 0; i < object->instances_read; i++) {
        names[i] = full_name(poll, object, &object->instances[i]);
    }
    used = counter_path_names_new(poll->scope);
    for (unsigned i = 0; i < object->instances_read; i++) {
        names[i] = counter_path_numbered(poll->scope, names[i], counter_path_number(used, NULL, NULL, names[i]));
    }
    return names;
}

struct perfdata_poll *
perfdata_poll_new(wmem_allocator_t *scope, tvbuff_t *tvb, const struct perfdata_block *block,
    const struct server *server, uint32_t frame)
{
    struct perfdata_poll *poll = wmem_new0(scope, struct perfdata_poll);

    poll->scope = scope;
    poll->tvb = tvb;
    poll->block = block;
    poll->server = server_known(server);
    poll->frame = frame;
    poll->instances = wmem_alloc_array(scope, const char **, block->objects_read + 1);
    poll->others = wmem_alloc0_array(scope, uint8_t *, block->objects_read + 1);
    for (unsigned o = 0; o < block->objects_read; o++) {
        poll->instances[o] = name_instances(poll, &block->objects[o]);
    }
    return poll;
}

/* An object's identity in the history. */
static e_guid_t
object_id(const struct perfdata_object *object, unsigned which)
{
    const e_guid_t id = { .data1 = object->name_index, .data2 = (uint16_t)which };

    return id;
}

static const uint32_t *
counter_ids(const struct perfdata_poll *poll, const struct perfdata_object *object)
{
    uint32_t *ids = wmem_alloc_array(poll->scope, uint32_t, object->counters_read + 1);

    for (unsigned c = 0; c < object->counters_read; c++) {
        ids[c] = object->counters[c].name_index != 0 || c == 0 ? object->counters[c].name_index
                                                               : object->counters[c - 1].name_index | BASE_OF;
    }
    return ids;
}

/* What tells an instance from the others in any sample: its unique id, else its name. */
static const struct series_row *
instance_rows(const struct perfdata_poll *poll, unsigned o)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    struct series_row *rows = wmem_alloc0_array(poll->scope, struct series_row, object->instances_read + 1);

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
    uint64_t *values = wmem_alloc0_array(poll->scope, uint64_t, count + 1);
    uint8_t *widths = wmem_alloc0_array(poll->scope, uint8_t, count + 1);
    size_t at = 0;

    for (unsigned i = 0; i < object->instances_read; i++) {
        for (unsigned c = 0; c < object->counters_read; c++, at++) {
            if (perfdata_block_number(poll->block, &object->instances[i], &object->counters[c], &values[at])) {
                widths[at] = object->counters[c].width;
            }
        }
    }
    out->set = object_id(object, HISTORY_VALUES);
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
    static const uint32_t counters[CLOCK_COUNTERS] = { CLOCK_TIME, CLOCK_FREQ };
    static const uint8_t widths[CLOCK_COUNTERS] = { 8, 8 };
    static const struct series_row row = { 0, NULL, 0 };
    uint64_t *values = wmem_alloc_array(poll->scope, uint64_t, CLOCK_COUNTERS);

    values[CLOCK_TIME] = object->perf_time;
    values[CLOCK_FREQ] = object->perf_freq;
    out->set = object_id(object, HISTORY_CLOCK);
    out->num_counters = CLOCK_COUNTERS;
    out->num_rows = 1;
    out->counters = counters;
    out->rows = &row;
    out->widths = widths;
    out->values = values;
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
    struct series_block_in *blocks =
        wmem_alloc0_array(poll->scope, struct series_block_in, objects * HISTORY_BLOCKS_PER_OBJECT + 1);
    const struct cook_clocks clocks = block_clocks(poll->block);

    for (unsigned o = 0; o < objects; o++) {
        remember_values(poll, o, &blocks[o * HISTORY_BLOCKS_PER_OBJECT + HISTORY_VALUES]);
        remember_clock(poll, o, &blocks[o * HISTORY_BLOCKS_PER_OBJECT + HISTORY_CLOCK]);
    }
    return series_store_add(series, frame, &clocks, blocks, objects * HISTORY_BLOCKS_PER_OBJECT);
}

bool
perfdata_poll_is_sample(const struct perfdata_poll *poll, const struct series_poll *sample)
{
    const struct perfdata_block *block = poll->block;

    if (sample->num_blocks != block->objects_read * HISTORY_BLOCKS_PER_OBJECT ||
        sample->clocks.perf_time != block->perf_time || sample->clocks.time_100ns != block->perf_time_100ns) {
        return false;
    }
    for (unsigned o = 0; o < block->objects_read; o++) {
        const struct series_shape *shape = series_shape(sample, o * HISTORY_BLOCKS_PER_OBJECT + HISTORY_VALUES);

        if (shape->num_counters != block->objects[o].counters_read ||
            shape->num_rows != block->objects[o].instances_read) {
            return false;
        }
    }
    return true;
}

const char *
perfdata_poll_title(const struct perfdata_poll *poll, uint32_t index)
{
    const struct catalog_text title = perfdata_names_title(poll->server, index, poll->frame);

    return title.text != NULL ? title.text : wmem_strdup_printf(poll->scope, "%u", index);
}

static char *
perfdata_poll_make_path(const struct perfdata_poll *poll, wmem_allocator_t *scope, unsigned object, unsigned instance,
    uint32_t counter_index)
{
    const char *title = perfdata_poll_title(poll, poll->block->objects[object].name_index);
    const char *counter = perfdata_poll_title(poll, counter_index);
    const char *name = poll->instances[object] == NULL ? "" : poll->instances[object][instance];

    return counter_path_make(scope, server_host(poll->server), title, name, 0, counter);
}

static size_t
value_position(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    return (size_t)instance * poll->block->objects[object].counters_read + counter;
}

/* An instance that goes by a unique id may change its name from poll to poll. */
static bool
is_renamable(const struct perfdata_poll *poll, unsigned object, unsigned instance)
{
    return poll->block->objects[object].instances[instance].unique_id != PERF_NO_UNIQUE_ID;
}

static struct series *
value_series(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    series_prepare(poll->sample);
    return series_shape(poll->sample, object * HISTORY_BLOCKS_PER_OBJECT + HISTORY_VALUES)
        ->series[value_position(poll, object, instance, counter)];
}

/* What an instance goes by: its name and its place among equal ones; NULL: the object has none. */
static const struct instance *
perfdata_poll_instance(const struct perfdata_poll *poll, unsigned object, unsigned instance, const e_guid_t *set)
{
    struct series_row row = { 0, NULL, 0 };

    if (poll->instances[object] == NULL) {
        return NULL;
    }
    row.name = (const uint8_t *)poll->instances[object][instance];
    row.name_size = (unsigned)strlen(poll->instances[object][instance]);
    return identity_instance(poll->server, set, &row, NULL, 0, NULL);
}

struct identity *
perfdata_poll_identity(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    struct series *series = value_series(poll, object, instance, counter);
    const uint64_t names = catalog_version_in(poll->server, poll->frame);

    if (series->identity == NULL || series->version != names || is_renamable(poll, object, instance)) {
        const e_guid_t set = object_id(&poll->block->objects[object], HISTORY_VALUES);

        series->identity = identity_of(poll->server, &set, series->counter, series->twin,
            perfdata_poll_instance(poll, object, instance, &set));
        series->version = names;
    }
    return series->identity;
}

struct identity_label *
perfdata_poll_label(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    const uint64_t version = catalog_version_in(poll->server, poll->frame);
    struct identity *identity;

    if (o->counters[counter].name_index == 0) {
        return NULL;
    }
    identity = perfdata_poll_identity(poll, object, instance, counter);
    if (identity->label == NULL || identity->version != version) {
        const struct identity_names names = {
            .set = perfdata_poll_title(poll, o->name_index),
            .set_id = wmem_strdup_printf(poll->scope, "%u", o->name_index),
            .instance = poll->instances[object] == NULL ? NULL : poll->instances[object][instance],
            .counter = perfdata_poll_title(poll, o->counters[counter].name_index),
        };

        return identity_name(identity, &names, version);
    }
    return identity->label;
}

const char *
perfdata_poll_path(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    const uint32_t index = poll->block->objects[object].counters[counter].name_index;

    if (index == 0) {
        return NULL;
    }
    return poll->sample == NULL ? perfdata_poll_make_path(poll, poll->scope, object, instance, index)
                                : perfdata_poll_label(poll, object, instance, counter)->path;
}

/* One counter of an instance as remembered, and the poll of its previous value (NULL: none). */
static struct cook_value
counter_value(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter,
    const struct series_poll **before)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    struct cook_value value = { .width = o->counters[counter].width };

    if (poll->sample != NULL) {
        value = series_value(poll->sample, object * HISTORY_BLOCKS_PER_OBJECT + HISTORY_VALUES,
            (unsigned)value_position(poll, object, instance, counter), before);
    }
    value.present = perfdata_block_number(poll->block, &o->instances[instance], &o->counters[counter], &value.now);
    return value;
}

/* Whose values tell whether an instance is the one it was. */
enum { TITLE_ID_PROCESS = 784, TITLE_ID_THREAD = 804 };

static bool
is_replaced(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter,
    struct cook_value *id)
{
    const uint32_t index = poll->block->objects[object].counters[counter].name_index;
    const struct series_poll *before;

    if (index != TITLE_ID_PROCESS && index != TITLE_ID_THREAD) {
        return false;
    }
    *id = counter_value(poll, object, instance, counter, &before);
    return id->present && id->have_previous && id->now != id->before;
}

int
perfdata_poll_other(const struct perfdata_poll *poll, unsigned object, unsigned instance, struct cook_value *id)
{
    const struct perfdata_object *o = &poll->block->objects[object];

    for (unsigned c = 0; poll->sample != NULL && c < o->counters_read; c++) {
        if (is_replaced(poll, object, instance, c, id)) {
            return (int)c;
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
        *others = wmem_alloc0_array(poll->scope, uint8_t, poll->block->objects[object].instances_read + 1);
    }
    if ((*others)[instance] == UNKNOWN) {
        (*others)[instance] = perfdata_poll_other(poll, object, instance, &id) >= 0 ? OTHER : SAME;
    }
    return (*others)[instance] == OTHER;
}

/* The object's clock. before: the poll of its previous reading, NULL where the previous poll had no such object. */
static struct cook_value
object_clock(const struct perfdata_poll *poll, unsigned object, unsigned which, uint64_t now,
    const struct series_poll **before)
{
    struct cook_value value = { .width = 8 };

    *before = NULL;
    if (poll->sample != NULL) {
        value = series_value(poll->sample, object * HISTORY_BLOCKS_PER_OBJECT + HISTORY_CLOCK, which, before);
    }
    value.now = now;
    value.present = true;
    return value;
}

/* What a value is computed from, and the poll of its previous value (NULL: none). */
static struct cook_input
value_input(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter,
    const struct series_poll **before)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    const struct perfdata_counter *c = &o->counters[counter];
    const unsigned needs = cook_needs(c->counter_type);
    struct cook_input in = { .type = c->counter_type, .type_known = true, .now = block_clocks(poll->block) };
    const struct series_poll *base_before = NULL, *clock_before;

    *before = NULL;
    in.value = counter_value(poll, object, instance, counter, before);
    if (*before != NULL) {
        in.before = (*before)->clocks;
    }
    in.time = object_clock(poll, object, CLOCK_TIME, o->perf_time, &clock_before);
    in.freq = object_clock(poll, object, CLOCK_FREQ, o->perf_freq, &clock_before);
    /* An object that was not asked for before has no new instances. */
    in.polled_before = clock_before != NULL;
    if (*before != NULL && clock_before != *before) {
        /* The instance was not in the sample before, but in this one, where its object has its clock, too. */
        const struct series_ref ref = series_previous(poll->sample, object * HISTORY_BLOCKS_PER_OBJECT + HISTORY_VALUES,
            (unsigned)value_position(poll, object, instance, counter));

        in.time.before = ref.poll->blocks[ref.block - HISTORY_VALUES + HISTORY_CLOCK].values[CLOCK_TIME];
    }
    in.time.have_previous = *before != NULL;
    if (needs & (COOK_NEEDS_BASE | COOK_NEEDS_MULTI)) {
        const int base = perfdata_object_base(o, counter);

        if (base >= 0) {
            in.has_base_id = true;
            in.base = counter_value(poll, object, instance, (unsigned)base, &base_before);
            in.base.have_previous &= base_before == *before;
        }
        if (needs & COOK_NEEDS_MULTI) {
            in.multi = in.base;
            if (!in.multi.present) {
                in.multi.width = 4;
                in.multi.present = perfdata_block_multi(poll->block, &o->instances[instance], c, &in.multi.now);
            }
        }
    }
    return in;
}

struct cook_result
perfdata_poll_cook(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter,
    const struct series_poll **before)
{
    const struct perfdata_counter *c = &poll->block->objects[object].counters[counter];
    const struct cook_input in = value_input(poll, object, instance, counter, before);
    struct cook_result result;

    if (c->form == PERFDATA_TEXT) {
        /* Of any encoding: cook() knows UTF-16 only. */
        const struct cook_result text = { .reason = COOK_TEXT };

        return text;
    }
    result = cook(&in);
    /* Only where there were two values to compare. */
    if ((cook_needs(c->counter_type) & COOK_NEEDS_PREVIOUS) &&
        (result.reason == COOK_OK || result.reason > COOK_OTHER_PROCESS) && is_other(poll, object, instance)) {
        result.reason = COOK_OTHER_PROCESS;
    }
    return result;
}

void
perfdata_poll_numbers(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter,
    const char *formula, char numbers[COOK_NUMBERS_MAX])
{
    const struct series_poll *before;
    const struct cook_input in = value_input(poll, object, instance, counter, &before);

    cook_formula_numbers(&in, formula, numbers, COOK_NUMBERS_MAX);
}

const char *
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
    const char *known = (const char *)wmem_map_lookup(formulas, formula);

    if (known == NULL) {
        GString *text = g_string_new(formula);

        for (size_t i = 0; i < array_length(words); i++) {
            char **parts = g_strsplit(text->str, words[i].newer, 2);
            char *joined = g_strjoinv(words[i].older, parts);

            g_string_assign(text, joined);
            g_free(joined);
            g_strfreev(parts);
        }
        known = wmem_strdup(wmem_epan_scope(), text->str);
        g_string_free(text, TRUE);
        wmem_map_insert(formulas, formula, (void *)known);
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

const char *
perfdata_poll_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter)
{
    return line_text(poll->scope, read_text(poll, object, instance, counter, LINE_TEXT_MAX + 2));
}
