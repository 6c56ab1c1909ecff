/* catalog.c
 * Learns countersets and counters from the capture
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog-entries.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

unsigned catalog_version;
static unsigned language; /* preference: LCID; 0: none */

#define LANGUAGE_ENGLISH 0x009u

void
catalog_register(module_t *module)
{
    prefs_register_uint_preference(module, "language", "Language of names (LCID)",
        "Language of names, if the capture contains several. Hexadecimal LCID, for PerflibV2 and the older API: 407 is "
        "German (Germany), 7 is any German, 0 is the server's own language (PerflibV2) or English (older API).",
        16, &language);
}

unsigned
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

const void *
timeline_in(const struct timeline *line, size_t size, uint32_t frame)
{
    const unsigned until = line->count < 2 ? line->count : timeline_count(line, size, frame);

    return line->count == 0 ? NULL : timeline_entry(line, size, until == 0 ? 0 : until - 1);
}

/* Returns the latest entry up to a frame, or NULL. */
static void *
timeline_until(const struct timeline *line, size_t size, uint32_t frame)
{
    const unsigned count = timeline_count(line, size, frame);

    return count == 0 ? NULL : timeline_entry(line, size, count - 1);
}

/* Inserts an entry for a frame in order. The caller fills in everything but the frame. */
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
catalog_new(bool is_shared, bool only_listed)
{
    struct catalog *catalog = wmem_new0(wmem_file_scope(), struct catalog);

    catalog->countersets = wmem_map_new(wmem_file_scope(), guid_map_hash, guid_map_equal);
    catalog->providers = wmem_map_new(wmem_file_scope(), guid_map_hash, guid_map_equal);
    catalog->titles = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    catalog->is_shared = is_shared;
    catalog->only_listed = only_listed;
    return catalog;
}

static struct counterset_entry *
counterset_entry(struct catalog *catalog, const e_guid_t *guid)
{
    struct counterset_entry *set =
        (struct counterset_entry *)hash_entry(catalog->countersets, guid, sizeof *guid, sizeof *set);

    if (set->counters == NULL) {
        set->is_shared = catalog->is_shared;
        set->counters = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    }
    return set;
}

const struct catalog_counter catalog_unknown_counter = {
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
counter_entry(struct counterset_entry *set, uint32_t id, unsigned nth)
{
    struct counter_entry *counter = (struct counter_entry *)wmem_map_lookup(set->counters, GUINT_TO_POINTER(id));

    if (counter == NULL) {
        counter = new_counter(id);
        wmem_map_insert(set->counters, GUINT_TO_POINTER(id), counter);
        set->version++;
    }
    for (unsigned i = 0; i < MIN(nth, CATALOG_MAX_SAME_ID); i++) {
        if (counter->next_same_id == NULL) {
            counter->next_same_id = new_counter(id);
            set->version++;
        }
        counter = counter->next_same_id;
    }
    return counter;
}

static bool
has_counter(const struct counterset_entry *set, uint32_t id)
{
    return wmem_map_contains(set->counters, GUINT_TO_POINTER(id));
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

/* Returns whether a text, cut to max bytes, equals the stored one. */
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

/* Returns the position of an answer in the catalog's timelines: its frame, or a sequence number in a shared catalog. */
static uint32_t
catalog_moment(struct catalog *catalog, uint32_t frame)
{
    return catalog->is_shared ? ++catalog->sequence : frame;
}

/*
 * Returns whether an answer replaces the latest entry of a shared catalog: true if only the answering machine listed
 * that entry. A machine may change its own lists without contradicting others.
 */
static bool
is_renewed(const struct catalog *catalog, const struct catalog *teacher)
{
    return catalog->is_shared && teacher != NULL && teacher == catalog->teacher;
}

/* Keeps a text that is valid from a frame on, printable and at most max bytes long. */
static void
keep_text(struct catalog *catalog, struct timeline *texts, const char *text, size_t max, uint32_t taught_in)
{
    const uint32_t frame = catalog_moment(catalog, taught_in);
    struct text_entry *entry = (struct text_entry *)timeline_until(texts, sizeof *entry, frame);

    if (entry != NULL && is_text(entry->text, text, max)) {
        entry->teacher = entry->teacher == catalog->teacher ? entry->teacher : NULL;
        return;
    }
    if (!is_renewed(catalog, entry == NULL ? NULL : entry->teacher)) {
        entry = (struct text_entry *)timeline_begin(texts, sizeof *entry, frame);
    }
    entry->teacher = catalog->teacher;
    entry->taught_in = taught_in;
    entry->text = line_text_copy(wmem_file_scope(), text, max);
    if (texts->count > 1) {
        /* From this frame on catalog_version_in() differs, so caches with the earlier text are no longer used. */
        timeline_begin(&catalog->changes, sizeof frame, frame);
    }
    catalog_version++;
}

/* Rates a language for display: an exact match is best, then another region's variant; 0: another language. */
static unsigned
language_fits(enum catalog_text_kind kind, uint32_t lcid)
{
    lcid = kind == CATALOG_ENGLISH_NAME ? LANGUAGE_ENGLISH : lcid;
    if (language == 0 || (lcid & 0x3FF) != (language & 0x3FF)) {
        return 0;
    }
    return lcid == language ? 2 : 1;
}

/* Returns the first name of a kind in several lists, in any language or in the server's default one, or NULL. */
static const struct name *
find_name(const struct name *const *lists, unsigned count, enum catalog_text_kind kind, bool by_default)
{
    for (unsigned i = 0; i < count; i++) {
        for (const struct name *name = lists[i]; name != NULL; name = name->next) {
            if (name->kind == kind && (!by_default || name->lcid == 0)) {
                return name;
            }
        }
    }
    return NULL;
}

/*
 * Returns the name in several lists that best fits the language of the preference, or NULL. *fits: its rating by
 * language_fits(), 1 or 2; 0 without a name.
 */
static const struct name *
find_preferred(const struct name *const *lists, unsigned count, unsigned *fits)
{
    const struct name *found = NULL;

    *fits = 0;
    for (unsigned i = 0; i < count && language != 0; i++) {
        for (const struct name *name = lists[i]; name != NULL; name = name->next) {
            if (language_fits(name->kind, name->lcid) > *fits) {
                found = name;
                *fits = language_fits(name->kind, name->lcid);
            }
        }
    }
    return found;
}

/* Ignores an empty text. */
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
        const struct name *const *all = (const struct name *const *)names;
        unsigned fits;

        find_preferred(all, 1, &fits);
        if (lcid != 0 && find_name(all, 1, kind, false) != NULL && language_fits(kind, lcid) <= fits) {
            return;
        }
        *at = wmem_new0(wmem_file_scope(), struct name);
        (*at)->kind = kind;
        (*at)->lcid = lcid;
    }
    keep_text(catalog, &(*at)->texts, text, max, frame);
}

static struct catalog_text
name_in_frame(const struct name *name, uint32_t frame)
{
    const struct text_entry *entry = text_in(&name->texts, frame);

    return (struct catalog_text){ .text = entry->text, .frame = entry->taught_in };
}

struct catalog_text
catalog_best_name(const struct name *const *lists, unsigned count, uint32_t frame)
{
    unsigned fits;
    const struct name *name = find_preferred(lists, count, &fits);

    name = name != NULL ? name : find_name(lists, count, CATALOG_NAME, true);
    name = name != NULL ? name : find_name(lists, count, CATALOG_NAME, false);
    name = name != NULL ? name : find_name(lists, count, CATALOG_ENGLISH_NAME, false);
    return name != NULL ? name_in_frame(name, frame) : (struct catalog_text){ NULL, 0, CATALOG_UNKNOWN };
}

struct catalog_text
catalog_best_title(const struct name *const *lists, unsigned count, uint32_t frame)
{
    unsigned fits;
    const struct name *name = find_preferred(lists, count, &fits);

    name = name != NULL ? name : find_name(lists, count, CATALOG_ENGLISH_NAME, false);
    for (unsigned i = 0; i < count && name == NULL; i++) {
        name = lists[i];
    }
    return name != NULL ? name_in_frame(name, frame) : (struct catalog_text){ NULL, 0, CATALOG_UNKNOWN };
}

/* A counterset in a catalog, and the same counterset in another catalog, whose contents are copied */
struct absorption {
    struct catalog *catalog;
    struct counterset_entry *set;
    const struct counterset_entry *other;
};

static struct absorption absorb_set(struct catalog *catalog, const struct counterset_entry *other);

/*
 * Catalogs that store an answer of a server: the server's own, and those that it shares with other machines, from which
 * these fill gaps (catalog-lookup.c).
 */
struct lesson {
    struct catalog *catalogs[SERVER_MAX_LEARNERS]; /* the first is the server's own */
    struct counterset_entry *sets[SERVER_MAX_LEARNERS];
    unsigned count;
};

/* Returns all catalogs in which to store what a server answers about a counterset, with the counterset in each. */
static struct lesson
lesson_begin(struct server *server, const e_guid_t *guid)
{
    struct catalog *catalogs[SERVER_MAX_LEARNERS];
    const unsigned count = server_learners(server, catalogs);
    struct lesson lesson = { .count = 0 };

    for (unsigned i = 0; i < count; i++) {
        if (!catalogs[i]->only_listed || lesson.sets[0]->listed_in != 0) {
            catalogs[i]->teacher = catalogs[0];
            lesson.catalogs[lesson.count] = catalogs[i];
            lesson.sets[lesson.count++] = counterset_entry(catalogs[i], guid);
        }
    }
    return lesson;
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

    set->lacked_in = 0;
    set->listed_last_in = frame;
    if (set->listed_in == 0) {
        struct lesson lesson;

        set->listed_in = frame;
        set->version++;
        lesson = lesson_begin(server, guid);
        for (unsigned i = 1; i < lesson.count; i++) {
            absorb_set(lesson.catalogs[i], set);
        }
    }
    catalog_version++;
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
        (set->has_info &&
            (set->info.instance_type != counterset->instance_type ||
                set->info.num_counters != counterset->num_counters));
    set->info = set->has_info ? set->info : *counterset;
    set->has_info = true;
}

void
catalog_learn_counterset(struct server *server, const e_guid_t *guid, const struct counterset *counterset)
{
    learn_counterset(counterset_entry(server_teach(server), guid), counterset);
}

/* Descriptions are not learned, since they are shown only in their own packet. */
void
catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind, uint32_t lcid,
    const char *text, uint32_t frame)
{
    const struct lesson lesson = lesson_begin(server, guid);

    for (unsigned i = 0; i < lesson.count && kind != CATALOG_DESCRIPTION; i++) {
        learn_name(lesson.catalogs[i], &lesson.sets[i]->names, kind, lcid, text, NAME_TEXT_MAX, frame);
    }
}

static void
learn_provider(struct catalog *catalog, struct counterset_entry *set, const e_guid_t *provider)
{
    if (provider != NULL && !(set->has_provider && guid_map_equal(&set->provider, provider))) {
        set->has_provider = true;
        set->provider = *provider;
        catalog_version++;
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
keep_info(struct catalog *catalog, struct counterset_entry *set, struct counter_entry *counter,
    const struct catalog_counter *info, uint32_t taught_in)
{
    const uint32_t frame = catalog_moment(catalog, taught_in);
    struct info_entry *entry = (struct info_entry *)timeline_until(&counter->infos, sizeof *entry, frame);
    struct catalog_counter known = *info;

    known.type_known = true;
    if (entry != NULL && catalog_counter_alike(&entry->info, &known)) {
        entry->teacher = entry->teacher == catalog->teacher ? entry->teacher : NULL;
        return;
    }
    counter->type_changed = counter->type_changed || (entry != NULL && entry->info.type != info->type);
    if (!is_renewed(catalog, entry == NULL ? NULL : entry->teacher)) {
        entry = (struct info_entry *)timeline_begin(&counter->infos, sizeof *entry, frame);
    }
    entry->teacher = catalog->teacher;
    entry->info = known;
    set->version++;
    catalog_version++;
}

void
catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth,
    const struct catalog_counter *info, uint32_t frame)
{
    const struct lesson lesson = lesson_begin(server, guid);
    const bool is_added = lesson.sets[0]->listed_in != 0 && !has_counter(lesson.sets[0], id);

    for (unsigned i = 0; i < lesson.count; i++) {
        keep_info(lesson.catalogs[i], lesson.sets[i], counter_entry(lesson.sets[i], id, nth), info, frame);
        counter_entry(lesson.sets[i], id, 0)->listings += is_added;
    }
}

void
catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame)
{
    const struct lesson lesson = lesson_begin(server, guid);
    const bool is_added = lesson.sets[0]->listed_in != 0 && !has_counter(lesson.sets[0], id);

    for (unsigned i = 0; i < lesson.count; i++) {
        struct counter_entry *counter = counter_entry(lesson.sets[i], id, nth);

        if (kind != CATALOG_DESCRIPTION) {
            learn_name(lesson.catalogs[i], &counter->names, kind, lcid, text, NAME_TEXT_MAX, frame);
        }
        counter_entry(lesson.sets[i], id, 0)->listings += is_added;
    }
}

/* Adds widths (WIDTH_*) to those in which a machine sent values of a counter. */
static void
add_widths(struct counterset_entry *set, uint32_t id, guint widths)
{
    guint seen;

    if (set->widths == NULL) {
        set->widths = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        set->latest_widths = wmem_array_new(wmem_file_scope(), sizeof id);
    }
    seen = GPOINTER_TO_UINT(wmem_map_lookup(set->widths, GUINT_TO_POINTER(id)));
    if ((seen | widths) != seen) {
        wmem_map_insert(set->widths, GUINT_TO_POINTER(id), GUINT_TO_POINTER(seen | widths));
        wmem_array_append_one(set->latest_widths, id);
        catalog_version++;
    }
}

void
catalog_learn_width(struct server *server, const e_guid_t *guid, uint32_t id, unsigned size)
{
    struct counterset_entry *set = counterset_entry(server_teach(server), guid);
    const guint width = size == 4 ? WIDTH_4 : size == 8 ? WIDTH_8 : WIDTH_OTHER;
    const struct counter_entry *known =
        (const struct counter_entry *)wmem_map_lookup(set->counters, GUINT_TO_POINTER(id));

    /* If the machine itself listed the type, no other machine's type is needed, so sizes do not matter. */
    if (known == NULL || known->infos.count == 0) {
        add_widths(set, id, width);
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
            frame, CATALOG_MACHINE };
        wmem_map_insert(set->instances, GUINT_TO_POINTER(id), known);
        catalog_version++;
    } else if (known->text != NULL && (name == NULL || !is_text(known->text, name, NAME_TEXT_MAX))) {
        known->text = NULL;
    }
}

void
catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame)
{
    learn_instance(counterset_entry(server_teach(server), guid), id, name, frame);
}

/* Notes whether machines that share a catalog gave a title index different texts, or the same one. */
static void
note_titles(struct catalog *catalog, const struct title_entry *title)
{
    for (const struct name *name = title->names; name != NULL && catalog->is_shared; name = name->next) {
        catalog->titles_differ = catalog->titles_differ || name->texts.count > 1;
        catalog->titles_agree = catalog->titles_agree || text_in(&name->texts, 0)->teacher == NULL;
    }
}

void
catalog_learn_title(struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t lcid, const char *text,
    uint32_t frame)
{
    struct catalog *catalogs[SERVER_MAX_LEARNERS];
    const unsigned count = server_learners(server, catalogs);

    for (unsigned i = 0; i < count; i++) {
        if (!catalogs[i]->only_listed) {
            struct title_entry *title = title_entry(catalogs[i], index);

            catalogs[i]->teacher = catalogs[0];
            learn_name(catalogs[i], kind == CATALOG_NAME ? &title->names : &title->help,
                lcid == LANGUAGE_ENGLISH ? CATALOG_ENGLISH_NAME : CATALOG_NAME, lcid, text, LINE_TEXT_MAX, frame);
            note_titles(catalogs[i], title);
        }
    }
}

bool
catalog_learn_from_start(struct server *server)
{
    struct catalog *catalog = server_teach(server);
    const bool is_first = !catalog->has_from_start;

    catalog->has_from_start = true;
    return is_first;
}

/* Adds the names in a list of another catalog to a list of this one. */
static void
absorb_names(struct catalog *catalog, struct name **names, const struct name *others)
{
    for (const struct name *name = others; name != NULL; name = name->next) {
        for (unsigned i = 0; i < name->texts.count; i++) {
            const struct text_entry *entry = (const struct text_entry *)timeline_entry(&name->texts, sizeof *entry, i);

            learn_name(catalog, names, name->kind, name->lcid, entry->text, LINE_TEXT_MAX, entry->taught_in);
        }
    }
}

static void
absorb_counter(void *id, void *value, void *user_data)
{
    const struct absorption *absorption = (const struct absorption *)user_data;
    unsigned nth = 0;

    for (const struct counter_entry *other = (const struct counter_entry *)value; other != NULL;
         other = other->next_same_id, nth++) {
        struct counter_entry *counter = counter_entry(absorption->set, GPOINTER_TO_UINT(id), nth);

        for (unsigned i = 0; i < other->infos.count; i++) {
            const struct info_entry *entry = (const struct info_entry *)timeline_entry(&other->infos, sizeof *entry, i);

            keep_info(absorption->catalog, absorption->set, counter, &entry->info, entry->frame);
        }
        absorb_names(absorption->catalog, &counter->names, other->names);
        counter->listings += nth == 0 && absorption->other->listed_in != 0;
    }
}

static void
absorb_instance(void *id, void *value, void *user_data)
{
    const struct catalog_text *name = (const struct catalog_text *)value;

    learn_instance(((const struct absorption *)user_data)->set, GPOINTER_TO_UINT(id), name->text, name->frame);
}

static void
absorb_width(void *id, void *value, void *user_data)
{
    add_widths(((const struct absorption *)user_data)->set, GPOINTER_TO_UINT(id), GPOINTER_TO_UINT(value));
}

/*
 * Adds a counterset of another catalog, except what is true for that catalog's machine only: InstanceType, instances,
 * sizes of values, provider.
 */
static struct absorption
absorb_set(struct catalog *catalog, const struct counterset_entry *other)
{
    struct counterset_entry *set = counterset_entry(catalog, &other->guid);
    struct absorption absorption = { catalog, set, other };

    absorb_names(catalog, &set->names, other->names);
    set->listed_in = set->listed_in == 0 || other->listed_in == 0 ? MAX(set->listed_in, other->listed_in)
                                                                  : MIN(set->listed_in, other->listed_in);
    set->listings += other->listed_in != 0;
    wmem_map_foreach(other->counters, absorb_counter, &absorption);
    set->version++;
    return absorption;
}

/* Copies a counterset to catalog user_data. If this catalog is shared, copies only what other machines may use. */
static void
absorb_counterset(void *key _U_, void *value, void *user_data)
{
    const struct counterset_entry *other = (const struct counterset_entry *)value;
    struct catalog *catalog = (struct catalog *)user_data;
    struct absorption absorption = absorb_set(catalog, other);
    struct counterset_entry *set = absorption.set;

    if (catalog->is_shared) {
        return;
    }
    set->lacked_in = MAX(set->lacked_in, other->lacked_in);
    set->listed_last_in = MAX(set->listed_last_in, other->listed_last_in);
    set->asked += other->asked;
    set->answered += other->answered;
    if (other->has_info) {
        learn_counterset(set, &other->info);
        set->has_changed = set->has_changed || other->has_changed;
    }
    if (other->instances != NULL) {
        wmem_map_foreach(other->instances, absorb_instance, &absorption);
    }
    if (other->widths != NULL) {
        wmem_map_foreach(other->widths, absorb_width, &absorption);
    }
    for (unsigned i = 0; i < other->provider_name.count; i++) {
        const struct text_entry *entry =
            (const struct text_entry *)timeline_entry(&other->provider_name, sizeof *entry, i);

        keep_text(catalog, &set->provider_name, entry->text, NAME_TEXT_MAX, entry->taught_in);
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
    note_titles(catalog, title);
}

void
catalog_absorb(struct catalog *catalog, const struct catalog *other)
{
    catalog->teacher = other;
    wmem_map_foreach(other->countersets, absorb_counterset, catalog);
    wmem_map_foreach(other->titles, absorb_title, catalog);
    catalog->has_from_start = catalog->has_from_start || other->has_from_start;
}
