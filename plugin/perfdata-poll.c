/* perfdata-poll.c
 * One answer of HKEY_PERFORMANCE_DATA as a sample: the names and paths of its values, the earlier
 * sample they are compared with, and what they amount to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata-poll.h"

#include <epan/to_str.h>

#include "counter-types.h"

struct sample_object {
    uint32_t name_index;
    uint64_t perf_time;
    uint64_t perf_freq;
    unsigned columns;           /* counters */
    unsigned rows;              /* instances */
    const uint64_t *column_ids; /* title index and type; shared with the previous sample where equal */
    const char **row_keys;      /* interned: equal keys are equal pointers */
    uint64_t *values;           /* row by row */
    bool *missing;              /* NULL: every value is there */
};

struct perfdata_sample {
    const struct perfdata_sample *previous;
    uint32_t frame;
    struct cook_clocks clocks;
    unsigned num_objects;
    struct sample_object *objects;
};

struct perfdata_series {
    const struct perfdata_sample *latest;
};

/* Where the rows and columns of an object stood in the previous sample. */
struct perfdata_match {
    bool made;
    const struct sample_object *before;     /* NULL: the object was not in it */
    const int *rows;                        /* NULL: the same rows; -1: not there */
    const int *columns;
};

static wmem_map_t *all_series;  /* key text -> struct perfdata_series; file scope */
static wmem_map_t *texts;       /* interned texts; file scope */

void
perfdata_poll_init(void)
{
    all_series = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_str_hash, g_str_equal);
    texts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_str_hash, g_str_equal);
}

static const char *
intern(const char *text)
{
    const char *kept = (const char *)wmem_map_lookup(texts, text);

    if (kept == NULL) {
        kept = wmem_strdup(wmem_file_scope(), text);
        wmem_map_insert(texts, kept, (void *)kept);
    }
    return kept;
}

struct perfdata_series *
perfdata_series(const address *client, const struct catalog_server *server, const char *value_name)
{
    char *client_text = address_to_str(NULL, client);
    char *name = g_ascii_strdown(value_name, -1);
    char *key = wmem_strdup_printf(NULL, "%p %s %s", (const void *)server, client_text, name);
    struct perfdata_series *series = (struct perfdata_series *)wmem_map_lookup(all_series, key);

    if (series == NULL) {
        series = wmem_new0(wmem_file_scope(), struct perfdata_series);
        wmem_map_insert(all_series, wmem_strdup(wmem_file_scope(), key), series);
    }
    wmem_free(NULL, key);
    g_free(name);
    wmem_free(NULL, client_text);
    return series;
}

unsigned
perfdata_code_page_encoding(uint32_t code_page)
{
    static const struct {
        uint32_t code_page;
        unsigned encoding;
    } encodings[] = {
        {   437, ENC_CP437 },
        {   855, ENC_CP855 },
        {   866, ENC_CP866 },
        {   936, ENC_GB18030 },
        {   949, ENC_EUC_KR },
        {  1250, ENC_WINDOWS_1250 },
        {  1251, ENC_WINDOWS_1251 },
        {  1252, ENC_WINDOWS_1252 },
        { 28591, ENC_ISO_8859_1 },
        { 54936, ENC_GB18030 },
        { 65001, ENC_UTF_8 },
    };

    for (size_t i = 0; i < array_length(encodings); i++) {
        if (encodings[i].code_page == code_page) {
            return encodings[i].encoding;
        }
    }
    return ENC_ASCII;
}

const char *
perfdata_poll_own_name(const struct perfdata_poll *poll, const struct perfdata_object *object, const struct perfdata_instance *instance)
{
    const unsigned encoding = object->code_page != 0 ? perfdata_code_page_encoding(object->code_page)
        : ENC_UTF_16 | (poll->block->big_endian ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);

    if (instance->name_size == 0) {
        return instance->unique_id == PERF_NO_UNIQUE_ID ? ""
            : wmem_strdup_printf(poll->scope, "%d", instance->unique_id);
    }
    return (const char *)tvb_get_string_enc(poll->scope, poll->tvb, (int)instance->name_start, (int)instance->name_size, encoding);
}

static const char *
full_name(const struct perfdata_poll *poll, const struct perfdata_object *object, const struct perfdata_instance *instance)
{
    const struct perfdata_object *parent_object;
    const struct perfdata_instance *parent = perfdata_block_parent(poll->block, instance, &parent_object);
    const char *name = perfdata_poll_own_name(poll, object, instance);

    return parent == NULL ? name
        : wmem_strdup_printf(poll->scope, "%s/%s", perfdata_poll_own_name(poll, parent_object, parent), name);
}

/* The instances' names; the second of a name gets "#1", the third "#2". */
static const char **
name_instances(const struct perfdata_poll *poll, const struct perfdata_object *object)
{
    const char **names;
    wmem_map_t *seen;

    if (object->num_instances <= 0) {
        return NULL;
    }
    names = wmem_alloc_array(poll->scope, const char *, object->instances_read);
    seen = wmem_map_new(poll->scope, g_str_hash, g_str_equal);
    for (unsigned i = 0; i < object->instances_read; i++) {
        const char *name = full_name(poll, object, &object->instances[i]);
        const unsigned before = GPOINTER_TO_UINT(wmem_map_lookup(seen, name));

        wmem_map_insert(seen, name, GUINT_TO_POINTER(before + 1));
        names[i] = before == 0 ? name : wmem_strdup_printf(poll->scope, "%s#%u", name, before);
    }
    return names;
}

struct perfdata_poll *
perfdata_poll_new(wmem_allocator_t *scope, tvbuff_t *tvb, const struct perfdata_block *block, const struct catalog_server *server,
    const char *host)
{
    struct perfdata_poll *poll = wmem_new0(scope, struct perfdata_poll);

    poll->scope = scope;
    poll->tvb = tvb;
    poll->block = block;
    poll->server = server;
    poll->host = host;
    poll->instances = wmem_alloc_array(scope, const char **, block->objects_read + 1);
    for (unsigned o = 0; o < block->objects_read; o++) {
        poll->instances[o] = name_instances(poll, &block->objects[o]);
    }
    return poll;
}

static const uint64_t *
remember_columns(const struct perfdata_object *object, const struct sample_object *before)
{
    uint64_t *ids = wmem_alloc_array(NULL, uint64_t, object->counters_read + 1);
    const uint64_t *kept;

    for (unsigned c = 0; c < object->counters_read; c++) {
        ids[c] = (uint64_t)object->counters[c].name_index << 32 | object->counters[c].counter_type;
    }
    if (before != NULL && before->columns == object->counters_read
        && memcmp(before->column_ids, ids, object->counters_read * sizeof *ids) == 0) {
        kept = before->column_ids;
    } else {
        kept = (const uint64_t *)wmem_memdup(wmem_file_scope(), ids, (object->counters_read + 1) * sizeof *ids);
    }
    wmem_free(NULL, ids);
    return kept;
}

/* What tells an instance from the others in any sample: its unique id, else its name. */
static const char *
row_key(const struct perfdata_poll *poll, const struct perfdata_instance *instance, const char *name, const char *before)
{
    if (name == NULL) {
        return NULL;
    }
    if (instance->unique_id != PERF_NO_UNIQUE_ID) {
        /* A control character no name begins with. */
        name = wmem_strdup_printf(poll->scope, "\001%d", instance->unique_id);
    }
    /* Mostly the rows are those of the poll before, in the same order. */
    return before != NULL && strcmp(before, name) == 0 ? before : intern(name);
}

static void
remember_object(const struct perfdata_poll *poll, unsigned o, const struct sample_object *before, struct sample_object *out)
{
    const struct perfdata_object *object = &poll->block->objects[o];
    uint64_t *value;

    out->name_index = object->name_index;
    out->perf_time = object->perf_time;
    out->perf_freq = object->perf_freq;
    out->columns = object->counters_read;
    out->rows = object->instances_read;
    out->column_ids = remember_columns(object, before);
    out->row_keys = wmem_alloc_array(wmem_file_scope(), const char *, out->rows + 1);
    out->values = wmem_alloc_array(wmem_file_scope(), uint64_t, (size_t)out->rows * out->columns + 1);
    value = out->values;
    for (unsigned i = 0; i < out->rows; i++) {
        const struct perfdata_instance *instance = &object->instances[i];

        out->row_keys[i] = row_key(poll, instance, poll->instances[o] != NULL ? poll->instances[o][i] : NULL,
            before != NULL && i < before->rows ? before->row_keys[i] : NULL);
        for (unsigned c = 0; c < out->columns; c++, value++) {
            *value = 0;
            if (!perfdata_block_number(poll->block, instance, &object->counters[c], value)) {
                if (out->missing == NULL) {
                    out->missing = wmem_alloc0_array(wmem_file_scope(), bool, (size_t)out->rows * out->columns);
                }
                out->missing[(size_t)i * out->columns + c] = true;
            }
        }
    }
}

/* Finds objects of a sample by title index: mostly where they stand in the other one, too. */
struct object_finder {
    const struct perfdata_sample *sample;
    wmem_map_t *by_index;
};

static const struct sample_object *
find_object(struct object_finder *finder, wmem_allocator_t *scope, uint32_t name_index, unsigned position)
{
    const struct perfdata_sample *sample = finder->sample;

    if (sample == NULL) {
        return NULL;
    }
    if (position < sample->num_objects && sample->objects[position].name_index == name_index) {
        return &sample->objects[position];
    }
    if (finder->by_index == NULL) {
        finder->by_index = wmem_map_new(scope, g_direct_hash, g_direct_equal);
        for (unsigned i = sample->num_objects; i-- > 0;) {
            wmem_map_insert(finder->by_index, GUINT_TO_POINTER(sample->objects[i].name_index), &sample->objects[i]);
        }
    }
    return (const struct sample_object *)wmem_map_lookup(finder->by_index, GUINT_TO_POINTER(name_index));
}

const struct perfdata_sample *
perfdata_poll_remember(const struct perfdata_poll *poll, struct perfdata_series *series, uint32_t frame)
{
    const struct perfdata_block *block = poll->block;
    struct perfdata_sample *sample = wmem_new0(wmem_file_scope(), struct perfdata_sample);
    struct object_finder finder = { series->latest, NULL };

    sample->previous = series->latest;
    sample->frame = frame;
    sample->clocks.perf_time = block->perf_time;
    sample->clocks.time_100ns = block->perf_time_100ns;
    sample->clocks.perf_freq = block->perf_freq;
    sample->num_objects = block->objects_read;
    sample->objects = wmem_alloc0_array(wmem_file_scope(), struct sample_object, block->objects_read + 1);
    for (unsigned o = 0; o < block->objects_read; o++) {
        remember_object(poll, o, find_object(&finder, poll->scope, block->objects[o].name_index, o), &sample->objects[o]);
    }
    series->latest = sample;
    return sample;
}

void
perfdata_poll_compare(struct perfdata_poll *poll, const struct perfdata_sample *sample)
{
    poll->sample = sample;
    if (sample != NULL) {
        poll->matches = wmem_alloc0_array(poll->scope, struct perfdata_match, sample->num_objects + 1);
    }
}

bool
perfdata_poll_previous(const struct perfdata_poll *poll, uint32_t *frame, double *interval)
{
    const struct perfdata_sample *now = poll->sample;

    if (now == NULL || now->previous == NULL) {
        return false;
    }
    *frame = now->previous->frame;
    *interval = (double)(int64_t)(now->clocks.time_100ns - now->previous->clocks.time_100ns) / 1e7;
    return true;
}

const char *
perfdata_poll_title(const struct perfdata_poll *poll, uint32_t index)
{
    const struct catalog_text title = perfdata_names_title(poll->server, index);

    return title.text != NULL ? title.text : wmem_strdup_printf(poll->scope, "%u", index);
}

const char *
perfdata_poll_path(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    const char *instance_name = poll->instances[object] != NULL ? poll->instances[object][instance] : NULL;
    const uint32_t index = o->counters[counter].name_index;

    if (index == 0) {
        return NULL;
    }
    if (instance_name == NULL) {
        return wmem_strdup_printf(poll->scope, "\\\\%s\\%s\\%s", poll->host, perfdata_poll_title(poll, o->name_index),
            perfdata_poll_title(poll, index));
    }
    return wmem_strdup_printf(poll->scope, "\\\\%s\\%s(%s)\\%s", poll->host, perfdata_poll_title(poll, o->name_index), instance_name,
        perfdata_poll_title(poll, index));
}

static const int *
match_rows(const struct perfdata_poll *poll, const struct sample_object *now, const struct sample_object *before)
{
    wmem_map_t *positions;
    int *rows;

    if (now->rows == before->rows && memcmp(now->row_keys, before->row_keys, now->rows * sizeof *now->row_keys) == 0) {
        return NULL;
    }
    /* Positions from 1 on: 0 is what a lookup that finds nothing gives. */
    positions = wmem_map_new(poll->scope, g_direct_hash, g_direct_equal);
    for (unsigned i = before->rows; i-- > 0;) {
        wmem_map_insert(positions, before->row_keys[i], GUINT_TO_POINTER(i + 1));
    }
    rows = wmem_alloc_array(poll->scope, int, now->rows + 1);
    for (unsigned i = 0; i < now->rows; i++) {
        rows[i] = (int)GPOINTER_TO_UINT(wmem_map_lookup(positions, now->row_keys[i])) - 1;
    }
    return rows;
}

static const int *
match_columns(const struct perfdata_poll *poll, const struct sample_object *now, const struct sample_object *before)
{
    wmem_map_t *positions;
    int *columns;

    if (now->column_ids == before->column_ids) {
        return NULL;
    }
    positions = wmem_map_new(poll->scope, wmem_int64_hash, g_int64_equal);
    for (unsigned i = before->columns; i-- > 0;) {
        wmem_map_insert(positions, &before->column_ids[i], GUINT_TO_POINTER(i + 1));
    }
    columns = wmem_alloc_array(poll->scope, int, now->columns + 1);
    for (unsigned i = 0; i < now->columns; i++) {
        columns[i] = (int)GPOINTER_TO_UINT(wmem_map_lookup(positions, &now->column_ids[i])) - 1;
    }
    return columns;
}

static const struct perfdata_match *
match_object(const struct perfdata_poll *poll, unsigned object)
{
    struct perfdata_match *match = &poll->matches[object];
    const struct sample_object *now = &poll->sample->objects[object];

    if (!match->made) {
        struct object_finder finder = { poll->sample->previous, NULL };

        match->made = true;
        match->before = find_object(&finder, poll->scope, now->name_index, object);
        if (match->before != NULL) {
            match->rows = match_rows(poll, now, match->before);
            match->columns = match_columns(poll, now, match->before);
        }
    }
    return match;
}

/* One counter of an instance, with its value in the previous sample. */
static struct cook_value
cook_value(const struct perfdata_poll *poll, unsigned object, unsigned row, unsigned column)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    struct cook_value value = { .width = o->counters[column].width };

    value.present = perfdata_block_number(poll->block, &o->instances[row], &o->counters[column], &value.now);
    if (poll->sample != NULL && poll->sample->previous != NULL) {
        const struct perfdata_match *match = match_object(poll, object);
        const struct sample_object *before = match->before;

        if (before != NULL) {
            const int r = match->rows != NULL ? match->rows[row] : (int)row;
            const int c = match->columns != NULL ? match->columns[column] : (int)column;

            if (r >= 0 && c >= 0) {
                const size_t at = (size_t)r * before->columns + (size_t)c;

                value.have_previous = before->missing == NULL || !before->missing[at];
                value.before = before->values[at];
            }
        }
    }
    return value;
}

static struct cook_value
own_clock(uint64_t now, const uint64_t *before)
{
    const struct cook_value value = { now, before != NULL ? *before : 0, 8, true, before != NULL };

    return value;
}

struct cook_result
perfdata_poll_cook(struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter)
{
    const struct perfdata_object *o = &poll->block->objects[object];
    const struct perfdata_counter *c = &o->counters[counter];
    const unsigned needs = cook_needs(c->counter_type);
    struct cook_input in = { .type = c->counter_type, .type_known = true };
    const struct sample_object *before = NULL;

    if (poll->sample != NULL && poll->sample->previous != NULL) {
        in.polled_before = true;
        in.before = poll->sample->previous->clocks;
        before = match_object(poll, object)->before;
    }
    in.now.perf_time = poll->block->perf_time;
    in.now.time_100ns = poll->block->perf_time_100ns;
    in.now.perf_freq = poll->block->perf_freq;
    in.value = cook_value(poll, object, instance, counter);
    if (needs & (COOK_NEEDS_BASE | COOK_NEEDS_MULTI)) {
        const int base = perfdata_object_base(o, counter);

        if (base >= 0) {
            in.has_base_id = true;
            in.base = cook_value(poll, object, instance, (unsigned)base);
        }
        if (needs & COOK_NEEDS_MULTI) {
            in.multi = in.base;
            if (!in.multi.present) {
                in.multi.width = 4;
                in.multi.present = perfdata_block_multi(poll->block, &o->instances[instance], c, &in.multi.now);
            }
        }
    }
    in.time = own_clock(o->perf_time, before != NULL ? &before->perf_time : NULL);
    in.freq = own_clock(o->perf_freq, before != NULL ? &before->perf_freq : NULL);
    return cook(&in);
}
