/* catalog.c
 * What the capture taught of countersets and counters
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "counters/record.h"

/* What changes with time: entries of one size, by frame, which each of them begins with. */
struct timeline {
    void *entries;
    unsigned count;
};

struct text_entry {
    uint32_t frame;
    const char *text;
};

struct info_entry {
    uint32_t frame;
    struct catalog_counter info;
};

/*
 * A name in a language, and the next one's: of a counterset, a counter or a title, in the order of their languages. A
 * server may be asked in as many languages as there are numbers; only those that may be shown are kept.
 */
struct name {
    struct name *next;
    enum catalog_text_kind kind;
    uint32_t lcid;
    struct timeline texts; /* of struct text_entry */
};

struct counter_entry {
    uint32_t id;
    struct counter_entry *next_twin; /* of the same id; NULL: none */
    struct name *names;
    struct timeline infos; /* of struct info_entry */
    bool type_changed;
};

struct counterset_entry {
    e_guid_t guid;
    struct name *names;
    uint32_t listed_in; /* frame of the first answer with all its counters; 0: none */
    uint32_t lacked_in; /* frame of the latest answer that there is no such set; 0: none, or it was listed later */
    unsigned asked, answered; /* how often a client asked for them, and was answered */
    bool is_told, has_changed;
    struct counterset told;
    wmem_map_t *counters;  /* id -> struct counter_entry */
    wmem_map_t *instances; /* id -> struct catalog_text, without text where the id has several names; NULL: none */
    bool has_provider;
    e_guid_t provider;
    struct timeline provider_name; /* of struct text_entry */
};

struct title_entry {
    struct name *names, *help;
};

struct catalog {
    wmem_map_t *countersets; /* e_guid_t -> struct counterset_entry */
    /* e_guid_t -> struct counterset_entry, the latest whose provider's name is known, too */
    wmem_map_t *providers;
    wmem_map_t *titles;      /* index -> struct title_entry */
    struct timeline changes; /* frames in which something got another name; of uint32_t */
    bool has_from_start;     /* offsets of its strings count from the start of the buffer */
};

static unsigned version;
static unsigned language; /* preference: an LCID; 0: none */

#define LANGUAGE_ENGLISH 0x009u

void
catalog_register(module_t *module)
{
    prefs_register_uint_preference(module, "language", "Language of names (LCID)",
        "The language of names, if the capture teaches them in several, for PerflibV2 and the older API. "
        "407: German as spoken in Germany. 7: any German. 0: the server's own language for PerflibV2, English "
        "for the older API.",
        16, &language);
}

/* How many entries there are up to a frame. */
static unsigned
timeline_count(const struct timeline *line, size_t size, uint32_t frame)
{
    unsigned from = 0, to = line->count;

    while (from < to) {
        const unsigned middle = from + (to - from) / 2;

        if (*(const uint32_t *)((const uint8_t *)line->entries + middle * size) <= frame) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static void *
timeline_entry(const struct timeline *line, size_t size, unsigned index)
{
    return (uint8_t *)line->entries + index * size;
}

/* What held in a frame: the last entry until then, else the first; NULL: there is none. */
static const void *
timeline_in(const struct timeline *line, size_t size, uint32_t frame)
{
    const unsigned until = line->count < 2 ? line->count : timeline_count(line, size, frame);

    return line->count == 0 ? NULL : timeline_entry(line, size, until == 0 ? 0 : until - 1);
}

/* What held until a frame, so far; NULL: nothing did. */
static void *
timeline_until(const struct timeline *line, size_t size, uint32_t frame)
{
    const unsigned count = timeline_count(line, size, frame);

    return count == 0 ? NULL : timeline_entry(line, size, count - 1);
}

/* The entry of a frame, where it belongs; all but the frame is the caller's to fill in. */
static void *
timeline_begin(struct timeline *line, size_t size, uint32_t frame)
{
    const unsigned count = timeline_count(line, size, frame);
    uint8_t *at = (uint8_t *)timeline_until(line, size, frame);

    if (at != NULL && *(const uint32_t *)(const void *)at == frame) {
        return at;
    }
    if ((line->count & (line->count - 1)) == 0) {
        line->entries = wmem_realloc(wmem_file_scope(), line->entries, size * MAX(line->count * 2, 1));
    }
    at = (uint8_t *)timeline_entry(line, size, count);
    memmove(at + size, at, (line->count++ - count) * size);
    memcpy(at, &frame, sizeof frame);
    return at;
}

struct catalog *
catalog_new(void)
{
    struct catalog *catalog = wmem_new0(wmem_file_scope(), struct catalog);

    catalog->countersets = wmem_map_new(wmem_file_scope(), guid_map_hash, guid_map_equal);
    catalog->providers = wmem_map_new(wmem_file_scope(), guid_map_hash, guid_map_equal);
    catalog->titles = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    return catalog;
}

static struct counterset_entry *
counterset_entry(struct catalog *catalog, const e_guid_t *guid)
{
    struct counterset_entry *set =
        (struct counterset_entry *)hash_entry(catalog->countersets, guid, sizeof *guid, sizeof *set);

    if (set->counters == NULL) {
        set->counters = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    }
    return set;
}

static const struct catalog_counter unknown_counter = {
    .base_id = PERF_ID_NONE,
    .perf_time_id = PERF_ID_NONE,
    .perf_freq_id = PERF_ID_NONE,
    .multi_id = PERF_ID_NONE,
};

static struct counter_entry *
new_counter(uint32_t id)
{
    struct counter_entry *counter = wmem_new0(wmem_file_scope(), struct counter_entry);

    counter->id = id;
    return counter;
}

static struct counter_entry *
counter_entry(struct counterset_entry *set, uint32_t id, unsigned twin)
{
    struct counter_entry *counter = (struct counter_entry *)wmem_map_lookup(set->counters, GUINT_TO_POINTER(id));

    if (counter == NULL) {
        counter = new_counter(id);
        wmem_map_insert(set->counters, GUINT_TO_POINTER(id), counter);
    }
    for (unsigned i = 0; i < MIN(twin, CATALOG_MAX_TWINS); i++) {
        if (counter->next_twin == NULL) {
            counter->next_twin = new_counter(id);
        }
        counter = counter->next_twin;
    }
    return counter;
}

static struct title_entry *
title_entry(struct catalog *catalog, uint32_t index)
{
    struct title_entry *title = (struct title_entry *)wmem_map_lookup(catalog->titles, GUINT_TO_POINTER(index));

    if (title == NULL) {
        title = wmem_new0(wmem_file_scope(), struct title_entry);
        wmem_map_insert(catalog->titles, GUINT_TO_POINTER(index), title);
    }
    return title;
}

/* Whether a text, shortened to max bytes where it is longer, is the one kept. */
static bool
is_text(const char *kept, const char *text, size_t max)
{
    const char *name;
    bool is_same;

    if (kept == text) {
        return true;
    }
    name = line_text_max(NULL, text, max);
    is_same = strcmp(kept, name) == 0;
    if (name != text) {
        wmem_free(NULL, (char *)name);
    }
    return is_same;
}

static const struct text_entry *
text_in(const struct timeline *texts, uint32_t frame)
{
    return (const struct text_entry *)timeline_in(texts, sizeof(struct text_entry), frame);
}

/* From a frame on a text holds, as it may stand in a line, and of at most max bytes. */
static void
keep_text(struct catalog *catalog, struct timeline *texts, const char *text, size_t max, uint32_t frame)
{
    struct text_entry *entry = (struct text_entry *)timeline_until(texts, sizeof *entry, frame);

    if (entry != NULL && is_text(entry->text, text, max)) {
        return;
    }
    entry = (struct text_entry *)timeline_begin(texts, sizeof *entry, frame);
    entry->text = line_text_copy(wmem_file_scope(), text, max);
    if (texts->count > 1) {
        /* What was made of it before holds for earlier frames only. */
        timeline_begin(&catalog->changes, sizeof frame, frame);
    }
    version++;
}

static const struct name *
find_name(const struct name *names, enum catalog_text_kind kind)
{
    while (names != NULL && names->kind != kind) {
        names = names->next;
    }
    return names;
}

/* How well a language is the one to be shown: exactly, or as spoken elsewhere; 0: it is another. */
static unsigned
language_fits(enum catalog_text_kind kind, uint32_t lcid)
{
    lcid = kind == CATALOG_ENGLISH_NAME ? LANGUAGE_ENGLISH : lcid;
    if (language == 0 || (lcid & 0x3FF) != (language & 0x3FF)) {
        return 0;
    }
    return lcid == language ? 2 : 1;
}

static const struct name *
preferred_name(const struct name *names)
{
    const struct name *found = NULL;

    for (const struct name *name = names; name != NULL && language != 0; name = name->next) {
        const unsigned fits = language_fits(name->kind, name->lcid);

        if (fits > (found == NULL ? 0 : language_fits(found->kind, found->lcid))) {
            found = name;
        }
    }
    return found;
}

/* What is empty is no name. */
static void
learn_name(struct catalog *catalog, struct name **names, enum catalog_text_kind kind, uint32_t lcid, const char *text,
    size_t max, uint32_t frame)
{
    struct name **at = names;

    if (text[0] == '\0') {
        return;
    }
    while (*at != NULL && !((*at)->kind == kind && (*at)->lcid == lcid)) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        const struct name *preferred = preferred_name(*names);

        if (lcid != 0 && find_name(*names, kind) != NULL &&
            language_fits(kind, lcid) <= (preferred == NULL ? 0 : language_fits(preferred->kind, preferred->lcid))) {
            return;
        }
        *at = wmem_new0(wmem_file_scope(), struct name);
        (*at)->kind = kind;
        (*at)->lcid = lcid;
    }
    keep_text(catalog, &(*at)->texts, text, max, frame);
}

/* The name that held in a frame, in the first language of those that there are. */
static struct catalog_text
name_in(const struct name *const *order, unsigned count, uint32_t frame)
{
    for (unsigned i = 0; i < count; i++) {
        if (order[i] != NULL) {
            const struct text_entry *entry = text_in(&order[i]->texts, frame);

            return (struct catalog_text){ entry->text, entry->frame };
        }
    }
    return (struct catalog_text){ NULL, 0 };
}

/*
 * The name to show: in the language that the user prefers; else as perfmon would, in the server's default language,
 * else in the first language asked for, else the English one.
 */
static struct catalog_text
best_name(const struct name *names, uint32_t frame)
{
    const struct name *first = find_name(names, CATALOG_NAME), *by_default = first;
    const struct name *order[] = { NULL, NULL, NULL, NULL };

    while (by_default != NULL && !(by_default->kind == CATALOG_NAME && by_default->lcid == 0)) {
        by_default = by_default->next;
    }
    order[0] = preferred_name(names);
    order[1] = by_default;
    order[2] = first;
    order[3] = find_name(names, CATALOG_ENGLISH_NAME);
    return name_in(order, array_length(order), frame);
}

/* The same of titles, whose clients nearly always ask for the English ones. */
static struct catalog_text
best_title(const struct name *names, uint32_t frame)
{
    const struct name *const order[] = { preferred_name(names), find_name(names, CATALOG_ENGLISH_NAME), names };

    return name_in(order, array_length(order), frame);
}

void
catalog_learn_asked(struct server *server, const e_guid_t *guid, bool is_answer)
{
    struct counterset_entry *set = counterset_entry(server_teach(server), guid);

    set->asked += !is_answer;
    set->answered += is_answer;
}

void
catalog_learn_listed(struct server *server, const e_guid_t *guid, uint32_t frame)
{
    struct counterset_entry *set = counterset_entry(server_teach(server), guid);

    set->listed_in = set->listed_in != 0 ? set->listed_in : frame;
    set->lacked_in = 0;
    version++;
}

void
catalog_learn_lacking(struct server *server, const e_guid_t *guid, uint32_t frame)
{
    counterset_entry(server_teach(server), guid)->lacked_in = frame;
}

static void
learn_counterset(struct counterset_entry *set, const struct counterset *counterset)
{
    set->has_changed = set->has_changed ||
        (set->is_told &&
            (set->told.instance_type != counterset->instance_type ||
                set->told.num_counters != counterset->num_counters));
    set->told = set->is_told ? set->told : *counterset;
    set->is_told = true;
}

void
catalog_learn_counterset(struct server *server, const e_guid_t *guid, const struct counterset *counterset)
{
    learn_counterset(counterset_entry(server_teach(server), guid), counterset);
}

/* Descriptions are shown nowhere but where they stand. */
void
catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind, uint32_t lcid,
    const char *text, uint32_t frame)
{
    struct catalog *catalog = server_teach(server);

    if (kind != CATALOG_DESCRIPTION) {
        learn_name(catalog, &counterset_entry(catalog, guid)->names, kind, lcid, text, NAME_TEXT_MAX, frame);
    }
}

static void
learn_provider(struct catalog *catalog, struct counterset_entry *set, const e_guid_t *provider)
{
    if (provider != NULL && !(set->has_provider && guid_map_equal(&set->provider, provider))) {
        set->has_provider = true;
        set->provider = *provider;
        version++;
    }
    if (set->has_provider && set->provider_name.count > 0) {
        wmem_map_insert(catalog->providers, wmem_memdup(wmem_file_scope(), &set->provider, sizeof set->provider), set);
    }
}

void
catalog_learn_provider(struct server *server, const e_guid_t *guid, const char *name, const e_guid_t *provider,
    uint32_t frame)
{
    struct catalog *catalog = server_teach(server);
    struct counterset_entry *set = counterset_entry(catalog, guid);

    if (name != NULL) {
        keep_text(catalog, &set->provider_name, name, NAME_TEXT_MAX, frame);
    }
    learn_provider(catalog, set, provider);
}

bool
catalog_counter_alike(const struct catalog_counter *a, const struct catalog_counter *b)
{
    return a->type_known == b->type_known && a->type == b->type && a->base_id == b->base_id &&
        a->perf_time_id == b->perf_time_id && a->perf_freq_id == b->perf_freq_id && a->multi_id == b->multi_id &&
        a->attrib == b->attrib && a->aggregate == b->aggregate;
}

static void
keep_info(struct counter_entry *counter, const struct catalog_counter *info, uint32_t frame)
{
    struct info_entry *entry = (struct info_entry *)timeline_until(&counter->infos, sizeof *entry, frame);
    struct catalog_counter known = *info;

    known.type_known = true;
    if (entry != NULL && catalog_counter_alike(&entry->info, &known)) {
        return;
    }
    counter->type_changed = counter->type_changed || (entry != NULL && entry->info.type != info->type);
    entry = (struct info_entry *)timeline_begin(&counter->infos, sizeof *entry, frame);
    entry->info = known;
    version++;
}

void
catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    const struct catalog_counter *info, uint32_t frame)
{
    keep_info(counter_entry(counterset_entry(server_teach(server), guid), id, twin), info, frame);
}

void
catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame)
{
    struct catalog *catalog = server_teach(server);
    struct counter_entry *counter = counter_entry(counterset_entry(catalog, guid), id, twin);

    if (kind != CATALOG_DESCRIPTION) {
        learn_name(catalog, &counter->names, kind, lcid, text, NAME_TEXT_MAX, frame);
    }
}

static void
learn_instance(struct counterset_entry *set, uint32_t id, const char *name, uint32_t frame)
{
    struct catalog_text *known;

    if (set->instances == NULL) {
        set->instances = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    }
    known = (struct catalog_text *)wmem_map_lookup(set->instances, GUINT_TO_POINTER(id));
    if (known == NULL) {
        known = wmem_new(wmem_file_scope(), struct catalog_text);
        *known = (struct catalog_text){ name == NULL ? NULL : line_text_copy(wmem_file_scope(), name, NAME_TEXT_MAX),
            frame };
        wmem_map_insert(set->instances, GUINT_TO_POINTER(id), known);
        version++;
    } else if (known->text != NULL && (name == NULL || !is_text(known->text, name, NAME_TEXT_MAX))) {
        known->text = NULL;
    }
}

void
catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame)
{
    learn_instance(counterset_entry(server_teach(server), guid), id, name, frame);
}

void
catalog_learn_title(struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t lcid, const char *text,
    uint32_t frame)
{
    struct catalog *catalog = server_teach(server);
    struct title_entry *title = title_entry(catalog, index);

    learn_name(catalog, kind == CATALOG_NAME ? &title->names : &title->help,
        lcid == LANGUAGE_ENGLISH ? CATALOG_ENGLISH_NAME : CATALOG_NAME, lcid, text, LINE_TEXT_MAX, frame);
}

bool
catalog_learn_from_start(struct server *server)
{
    struct catalog *catalog = server_teach(server);
    const bool is_first = !catalog->has_from_start;

    catalog->has_from_start = true;
    return is_first;
}

/* What one catalog is to become part of another. */
static void
absorb_names(struct catalog *catalog, struct name **names, const struct name *others)
{
    for (const struct name *name = others; name != NULL; name = name->next) {
        for (unsigned i = 0; i < name->texts.count; i++) {
            const struct text_entry *entry = (const struct text_entry *)timeline_entry(&name->texts, sizeof *entry, i);

            learn_name(catalog, names, name->kind, name->lcid, entry->text, LINE_TEXT_MAX, entry->frame);
        }
    }
}

/* Two catalogs, and the set of the first that takes in one of the second's. */
struct absorption {
    struct catalog *catalog;
    struct counterset_entry *set;
};

static void
absorb_counter(void *id, void *value, void *user_data)
{
    const struct absorption *absorption = (const struct absorption *)user_data;
    unsigned twin = 0;

    for (const struct counter_entry *other = (const struct counter_entry *)value; other != NULL;
         other = other->next_twin, twin++) {
        struct counter_entry *counter = counter_entry(absorption->set, GPOINTER_TO_UINT(id), twin);

        for (unsigned i = 0; i < other->infos.count; i++) {
            const struct info_entry *entry = (const struct info_entry *)timeline_entry(&other->infos, sizeof *entry, i);

            keep_info(counter, &entry->info, entry->frame);
        }
        absorb_names(absorption->catalog, &counter->names, other->names);
    }
}

static void
absorb_instance(void *id, void *value, void *user_data)
{
    const struct catalog_text *name = (const struct catalog_text *)value;

    learn_instance(((const struct absorption *)user_data)->set, GPOINTER_TO_UINT(id), name->text, name->frame);
}

static void
absorb_counterset(void *key _U_, void *value, void *user_data)
{
    const struct counterset_entry *other = (const struct counterset_entry *)value;
    struct catalog *catalog = (struct catalog *)user_data;
    struct counterset_entry *set = counterset_entry(catalog, &other->guid);
    struct absorption absorption = { catalog, set };

    absorb_names(catalog, &set->names, other->names);
    set->listed_in = set->listed_in == 0 || other->listed_in == 0 ? MAX(set->listed_in, other->listed_in)
                                                                  : MIN(set->listed_in, other->listed_in);
    set->lacked_in = MAX(set->lacked_in, other->lacked_in);
    set->asked += other->asked;
    set->answered += other->answered;
    if (other->is_told) {
        learn_counterset(set, &other->told);
        set->has_changed = set->has_changed || other->has_changed;
    }
    wmem_map_foreach(other->counters, absorb_counter, &absorption);
    if (other->instances != NULL) {
        wmem_map_foreach(other->instances, absorb_instance, &absorption);
    }
    for (unsigned i = 0; i < other->provider_name.count; i++) {
        const struct text_entry *entry =
            (const struct text_entry *)timeline_entry(&other->provider_name, sizeof *entry, i);

        keep_text(catalog, &set->provider_name, entry->text, NAME_TEXT_MAX, entry->frame);
    }
    learn_provider(catalog, set, other->has_provider ? &other->provider : NULL);
}

static void
absorb_title(void *index, void *value, void *user_data)
{
    const struct title_entry *other = (const struct title_entry *)value;
    struct catalog *catalog = (struct catalog *)user_data;
    struct title_entry *title = title_entry(catalog, GPOINTER_TO_UINT(index));

    absorb_names(catalog, &title->names, other->names);
    absorb_names(catalog, &title->help, other->help);
}

void
catalog_absorb(struct catalog *catalog, const struct catalog *other)
{
    wmem_map_foreach(other->countersets, absorb_counterset, catalog);
    wmem_map_foreach(other->titles, absorb_title, catalog);
    catalog->has_from_start = catalog->has_from_start || other->has_from_start;
}

/* The sets of a GUID in all catalogs that tell of a server. Nearly always it is one. */
static unsigned
find_countersets(const struct server *server, const e_guid_t *guid,
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS])
{
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];
    const unsigned count = server == NULL ? 0 : server_catalogs(server, catalogs);
    unsigned found = 0;

    for (unsigned i = 0; i < count; i++) {
        sets[found] = (const struct counterset_entry *)wmem_map_lookup(catalogs[i]->countersets, guid);
        found += sets[found] != NULL;
    }
    return found;
}

struct catalog_text
catalog_counterset_name(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    struct catalog_text name = { NULL, 0 };

    for (unsigned i = 0; i < count && name.text == NULL; i++) {
        name = best_name(sets[i]->names, frame);
    }
    if (name.text == NULL) {
        name.text = catalog_table_counterset_name(guid);
    }
    return name;
}

struct catalog_text
catalog_instance_name(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);

    for (unsigned i = 0; i < count; i++) {
        const struct catalog_text *known = sets[i]->instances == NULL
            ? NULL
            : (const struct catalog_text *)wmem_map_lookup(sets[i]->instances, GUINT_TO_POINTER(id));

        if (known != NULL) {
            return *known;
        }
    }
    return (struct catalog_text){ NULL, 0 };
}

unsigned
catalog_counter_twins(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    unsigned most = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct counter_entry *counter =
            (const struct counter_entry *)wmem_map_lookup(sets[i]->counters, GUINT_TO_POINTER(id));
        unsigned twins = 0;

        for (; counter != NULL; counter = counter->next_twin) {
            twins++;
        }
        most = MAX(most, twins);
    }
    return most != 0 ? most : catalog_table_twins(guid, id);
}

bool
catalog_counter_twin(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin, uint32_t frame,
    struct catalog_counter *out)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    const struct info_entry *entry = NULL;
    struct catalog_text name = { NULL, 0 };
    struct catalog_counter table;
    bool has_twin = false, is_taught = false, is_known = false, type_changed = false;
    bool in_table = catalog_table_counter(guid, id, twin, &table);

    for (unsigned i = 0; i < count; i++) {
        const struct counter_entry *counter =
            (const struct counter_entry *)wmem_map_lookup(sets[i]->counters, GUINT_TO_POINTER(id));

        is_taught = is_taught || counter != NULL;
        has_twin = has_twin || (counter != NULL && counter->next_twin != NULL);
        for (unsigned k = 0; counter != NULL && k < MIN(twin, CATALOG_MAX_TWINS); k++) {
            counter = counter->next_twin;
        }
        if (counter != NULL) {
            /* Names may have been read on one connection, and types on another. */
            entry =
                entry != NULL ? entry : (const struct info_entry *)timeline_in(&counter->infos, sizeof *entry, frame);
            name = name.text != NULL ? name : best_name(counter->names, frame);
            type_changed = type_changed || counter->type_changed;
            is_known = true;
        }
    }
    has_twin = is_taught ? has_twin : catalog_table_twins(guid, id) > 1;
    /* The capture tells how many there are. */
    in_table = in_table && (is_known || !is_taught);
    if (!is_known) {
        *out = in_table ? table : unknown_counter;
        out->has_twin = has_twin;
        return in_table;
    }
    *out = entry == NULL ? unknown_counter : entry->info;
    out->type_changed = type_changed;
    out->name = name;
    /* What the capture leaves open the tables may fill. */
    if (in_table && out->name.text == NULL) {
        out->name = table.name;
        out->is_built_in = table.is_built_in;
    }
    if (in_table && !out->type_known) {
        table.name = out->name;
        *out = table;
    }
    out->has_twin = has_twin;
    return true;
}

bool
catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame,
    struct catalog_counter *out)
{
    return catalog_counter_twin(server, guid, id, 0, frame, out);
}

struct catalog_text
catalog_counter_name(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame)
{
    struct catalog_counter counter;

    catalog_counter(server, guid, id, frame, &counter);
    return counter.name;
}

const char *
catalog_counter_text(wmem_allocator_t *scope, const struct server *server, const e_guid_t *guid, uint32_t id,
    uint32_t frame)
{
    const char *name = catalog_counter_name(server, guid, id, frame).text;

    return name != NULL ? name : wmem_strdup_printf(scope, "counter %u", id);
}

struct catalog_text
catalog_provider_name(const struct server *server, const e_guid_t *provider, uint32_t frame)
{
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];
    const unsigned count = server == NULL ? 0 : server_catalogs(server, catalogs);

    for (unsigned i = 0; i < count; i++) {
        const struct counterset_entry *set =
            (const struct counterset_entry *)wmem_map_lookup(catalogs[i]->providers, provider);

        if (set != NULL) {
            const struct text_entry *entry = text_in(&set->provider_name, frame);

            return (struct catalog_text){ entry->text, entry->frame };
        }
    }
    return (struct catalog_text){ NULL, 0 };
}

struct catalog_text
catalog_title(const struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t frame)
{
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];
    const unsigned count = server == NULL ? 0 : server_catalogs(server, catalogs);
    struct catalog_text text = { NULL, 0 };

    for (unsigned i = 0; i < count && text.text == NULL; i++) {
        const struct title_entry *title =
            (const struct title_entry *)wmem_map_lookup(catalogs[i]->titles, GUINT_TO_POINTER(index));

        if (title != NULL) {
            text = best_title(kind == CATALOG_NAME ? title->names : title->help, frame);
        }
    }
    return text;
}

const struct counterset *
catalog_counterset(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);

    for (unsigned i = 0; i < count; i++) {
        if (sets[i]->is_told) {
            return sets[i]->has_changed ? NULL : &sets[i]->told;
        }
    }
    return NULL;
}

bool
catalog_counterset_has_instances(const struct server *server, const e_guid_t *guid)
{
    const struct counterset *told = catalog_counterset(server, guid);

    return told != NULL && (told->instance_type == MULTIPLE_INSTANCES || told->instance_type == MULTIPLE_AGGREGATE);
}

uint32_t
catalog_counterset_lacked(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];

    return find_countersets(server, guid, sets) == 1 && sets[0]->lacked_in < frame &&
            sets[0]->asked == sets[0]->answered
        ? sets[0]->lacked_in
        : 0;
}

bool
catalog_counterset_is_complete(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    bool is_complete = false;

    for (unsigned i = 0; i < count; i++) {
        is_complete = is_complete || sets[i]->listed_in != 0;
    }
    return is_complete;
}

bool
catalog_counterset_is_settled(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    bool is_settled = false;

    for (unsigned i = 0; i < count; i++) {
        is_settled = is_settled || (sets[i]->listed_in != 0 && sets[i]->listed_in < frame);
    }
    for (unsigned i = 0; i < count; i++) {
        is_settled = is_settled && sets[i]->asked == sets[i]->answered;
    }
    return is_settled;
}

unsigned
catalog_version(void)
{
    return version + catalog_table_version() + server_version();
}

uint64_t
catalog_version_in(const struct server *server, uint32_t frame)
{
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];
    const unsigned count = server == NULL ? 0 : server_catalogs(server, catalogs);
    unsigned changes = 0;

    for (unsigned i = 0; i < count; i++) {
        changes += timeline_count(&catalogs[i]->changes, sizeof frame, frame);
    }
    return (uint64_t)catalog_version() << 32 | changes;
}

/* The order of the file does not depend on hash tables. */
static int
compare_sets(const void *a, const void *b)
{
    return guid_cmp(&(*(const struct counterset_entry *const *)a)->guid,
        &(*(const struct counterset_entry *const *)b)->guid);
}

static int
compare_counters(const void *a, const void *b)
{
    const uint32_t x = (*(const struct counter_entry *const *)a)->id;
    const uint32_t y = (*(const struct counter_entry *const *)b)->id;

    return x < y ? -1 : x > y;
}

static void
collect(void *key _U_, void *value, void *into)
{
    g_ptr_array_add((GPtrArray *)into, value);
}

/* is_apart: the record before may be of the same counter, as another server has it, and this one is no twin of that. */
static void
write_counterset(FILE *file, const struct server *server, const struct counterset_entry *set, bool is_apart)
{
    GPtrArray *counters = g_ptr_array_new();
    const char *name = catalog_counterset_name(server, &set->guid, CATALOG_NOW).text;

    wmem_map_foreach(set->counters, collect, counters);
    g_ptr_array_sort(counters, compare_counters);
    if (is_apart || (counters->len == 0 && name != NULL)) {
        catalog_table_write_record(file, &set->guid, name, 0, NULL);
    }
    for (unsigned i = 0; i < counters->len; i++) {
        const uint32_t id = ((const struct counter_entry *)g_ptr_array_index(counters, i))->id;
        const unsigned twins = catalog_counter_twins(server, &set->guid, id);

        /* Counters of one id one after another: that is how the table knows them. */
        for (unsigned twin = 0; twin < twins; twin++) {
            struct catalog_counter info;

            catalog_counter_twin(server, &set->guid, id, twin, CATALOG_NOW, &info);
            catalog_table_write_record(file, &set->guid, name, id, &info);
        }
    }
    g_ptr_array_free(counters, TRUE);
}

void
catalog_write(FILE *file)
{
    const e_guid_t *last = NULL;
    GPtrArray *all = server_all();

    for (unsigned i = 0; i < all->len; i++) {
        struct server *server = (struct server *)g_ptr_array_index(all, i);
        GPtrArray *sets = g_ptr_array_new();

        wmem_map_foreach(server_teach(server)->countersets, collect, sets);
        g_ptr_array_sort(sets, compare_sets);
        for (unsigned k = 0; k < sets->len; k++) {
            const struct counterset_entry *set = (const struct counterset_entry *)g_ptr_array_index(sets, k);

            write_counterset(file, server, set, last != NULL && guid_map_equal(last, &set->guid));
            last = &set->guid;
        }
        g_ptr_array_free(sets, TRUE);
    }
    g_ptr_array_free(all, TRUE);
}
