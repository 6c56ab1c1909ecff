/* catalog-lookup.c
 * Look-ups: a machine's countersets and counters, and what it may take from other machines
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog-entries.h"

#include <string.h>

#include "base/hash.h"

/* Finds the countersets with a GUID in all catalogs about a server. Returns their number, nearly always 0 or 1. */
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

/* Returns the counter with this id in a set that comes after nth others with the same id, or NULL. */
static const struct counter_entry *
listed_counter(const struct counterset_entry *set, uint32_t id, unsigned nth)
{
    const struct counter_entry *counter =
        (const struct counter_entry *)wmem_map_lookup(set->counters, GUINT_TO_POINTER(id));

    for (unsigned i = 0; counter != NULL && i < MIN(nth, CATALOG_MAX_SAME_ID); i++) {
        counter = counter->next_same_id;
    }
    return counter;
}

/* Returns whether values of all these sizes (WIDTH_*) can have a type. */
static bool
type_has_widths(uint32_t type, guint widths)
{
    return ((widths & WIDTH_4) == 0 || perf_counter_type_has_size(type, 4)) &&
        ((widths & WIDTH_8) == 0 || perf_counter_type_has_size(type, 8)) &&
        ((widths & WIDTH_OTHER) == 0 || perf_counter_type_has_size(type, 2));
}

static const struct info_entry *
latest_info(const struct counter_entry *counter)
{
    return (const struct info_entry *)timeline_in(&counter->infos, sizeof(struct info_entry), CATALOG_NOW);
}

/*
 * Returns whether values of these sizes (WIDTH_*) can be of the counter with this id in another machine's counterset.
 */
static bool
width_fits(const struct counterset_entry *lent, uint32_t id, guint seen)
{
    const struct counter_entry *counter = listed_counter(lent, id, 0);
    const bool is_disputed = counter != NULL && lent->is_shared && counter->infos.count > 1;
    const struct info_entry *info = counter == NULL || is_disputed ? NULL : latest_info(counter);

    return counter == NULL ? lent->listed_in == 0
                           : info == NULL || counter->next_same_id != NULL || type_has_widths(info->info.type, seen);
}

/*
 * Returns the cached comparison of a machine's counterset with another machine's. In a new one nothing is compared yet.
 */
static struct fit *
find_fit(struct counterset_entry *own, const struct counterset_entry *lent)
{
    const unsigned last = array_length(own->fits) - 1;

    for (unsigned i = 0; i <= last; i++) {
        if (own->fits[i].lent == lent) {
            return &own->fits[i];
        }
    }
    memmove(own->fits + 1, own->fits, last * sizeof own->fits[0]);
    own->fits[0] = (struct fit){ lent, lent->version, 0, true };
    return own->fits;
}

/*
 * Returns whether the sizes of a machine's values fit the same counterset of another machine, so that names and types
 * may be taken from there.
 */
static bool
sets_fit(struct counterset_entry *own, const struct counterset_entry *lent)
{
    const unsigned count = own->latest_widths == NULL ? 0 : wmem_array_get_count(own->latest_widths);
    struct fit *fit;

    if (own->lacked_in != 0) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    fit = find_fit(own, lent);
    if (fit->lent_version != lent->version) {
        *fit = (struct fit){ lent, lent->version, 0, true };
    }
    for (; fit->num_compared < count && fit->is_good; fit->num_compared++) {
        const uint32_t id = *(const uint32_t *)wmem_array_index(own->latest_widths, fit->num_compared);

        fit->is_good = width_fits(lent, id, GPOINTER_TO_UINT(wmem_map_lookup(own->widths, GUINT_TO_POINTER(id))));
    }
    return fit->is_good;
}

/*
 * Finds the countersets with a GUID from which a machine may take names and types, in the catalogs of one source. own:
 * the machine's own countersets with that GUID. Returns their number.
 */
static unsigned
find_lent(const struct server *server, const e_guid_t *guid, enum catalog_source source,
    const struct counterset_entry *const *own, unsigned num_own,
    const struct counterset_entry *lent[SERVER_MAX_LENDERS])
{
    const struct catalog *catalogs[SERVER_MAX_LENDERS];
    const unsigned count = server_lenders(server, source, catalogs);
    unsigned found = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct counterset_entry *set =
            (const struct counterset_entry *)wmem_map_lookup(catalogs[i]->countersets, guid);
        bool fits = set != NULL;

        for (unsigned k = 0; k < num_own && fits; k++) {
            fits = sets_fit((struct counterset_entry *)own[k], set);
        }
        if (fits) {
            lent[found++] = set;
        }
    }
    return found;
}

/*
 * Returns whether machines that share a catalog disagree on a name in some language. In the catalog of a single machine
 * a second text is a change.
 */
static bool
is_disputed(bool is_shared, const struct name *names)
{
    for (const struct name *name = names; name != NULL && is_shared; name = name->next) {
        if (name->texts.count > 1) {
            return true;
        }
    }
    return false;
}

/* Returns whether a counter is undisputed: all machines that share a set list it, with the same name and type. */
static bool
is_agreed(const struct counterset_entry *lent, const struct counter_entry *first, const struct counter_entry *counter)
{
    return !lent->is_shared ||
        (first->listings == lent->listings && counter->infos.count <= 1 && !is_disputed(true, counter->names));
}

/* Fills in the name or type of a counter if it is missing and a source (`by`) has one. */
static void
fill_gaps(struct catalog_counter *known, const struct catalog_counter *by)
{
    const struct catalog_text name = known->name.text != NULL ? known->name : by->name;

    if (!known->type_known && by->type_known) {
        const bool has_same_id = known->has_same_id, type_changed = known->type_changed;

        *known = *by;
        known->has_same_id = has_same_id;
        known->type_changed = type_changed;
    }
    known->name = name;
}

/* Returns whether two sources agree on a counter's type and name, as far as both know them. */
static bool
are_one(const struct catalog_counter *a, const struct catalog_counter *b)
{
    return (!a->type_known || !b->type_known || catalog_counter_alike(a, b)) &&
        (a->name.text == NULL || b->name.text == NULL || strcmp(a->name.text, b->name.text) == 0);
}

/*
 * Fills in a missing name or type from other machines, best source first, up to the first source that contradicts
 * itself or earlier data. Returns whether a source knew the counter.
 */
static bool
borrow_counter(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth,
    const struct counterset_entry *const *own, unsigned num_own, struct catalog_counter *out)
{
    bool is_known = false;

    for (enum catalog_source source = CATALOG_OTHER_NAME;
         source <= CATALOG_OTHER_MACHINE && (out->name.text == NULL || !out->type_known); source++) {
        const struct counterset_entry *lent[SERVER_MAX_LENDERS];
        const unsigned count = find_lent(server, guid, source, own, num_own, lent);
        struct catalog_counter found = catalog_unknown_counter;
        unsigned num_found = 0;
        bool is_one = true, has_same_id = false;

        for (unsigned i = 0; i < count; i++) {
            const struct counter_entry *first = listed_counter(lent[i], id, 0);
            const struct counter_entry *counter = listed_counter(lent[i], id, nth);
            const struct info_entry *info;
            struct catalog_counter another = catalog_unknown_counter;

            if (counter == NULL) {
                is_one = is_one && lent[i]->listed_in == 0;
                continue;
            }
            info = latest_info(counter);
            if (info != NULL) {
                another = info->info;
                another.source = source;
            }
            another.name = catalog_best_name((const struct name *const *)&counter->names, 1, CATALOG_NOW);
            another.name.source = source;
            is_one = is_one && is_agreed(lent[i], first, counter) && (num_found == 0 || are_one(&found, &another));
            fill_gaps(&found, &another);
            has_same_id = has_same_id || first->next_same_id != NULL;
            num_found++;
        }
        if (num_found == 0) {
            continue;
        }
        if (!is_one || (out->type_known && found.type_known && out->type != found.type)) {
            break;
        }
        fill_gaps(out, &found);
        out->has_same_id = out->has_same_id || has_same_id;
        is_known = true;
    }
    return is_known;
}

/* Returns the name of a counterset from the first source of other machines' answers that has one. */
static struct catalog_text
borrow_set_name(const struct server *server, const e_guid_t *guid, const struct counterset_entry *const *own,
    unsigned num_own)
{
    struct catalog_text name = { NULL, 0, CATALOG_UNKNOWN };

    for (enum catalog_source source = CATALOG_OTHER_NAME; source <= CATALOG_OTHER_MACHINE && name.text == NULL;
         source++) {
        const struct counterset_entry *lent[SERVER_MAX_LENDERS];
        const unsigned count = find_lent(server, guid, source, own, num_own, lent);

        for (unsigned i = 0; i < count; i++) {
            const struct catalog_text found =
                catalog_best_name((const struct name *const *)&lent[i]->names, 1, CATALOG_NOW);

            if (is_disputed(lent[i]->is_shared, lent[i]->names) ||
                (name.text != NULL && found.text != NULL && strcmp(name.text, found.text) != 0)) {
                return (struct catalog_text){ NULL, 0, CATALOG_UNKNOWN };
            }
            if (name.text == NULL && found.text != NULL) {
                name = (struct catalog_text){ found.text, found.frame, source };
            }
        }
    }
    return name;
}

struct catalog_text
catalog_counterset_name(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    const struct name *names[SERVER_MAX_CATALOGS] = { NULL };
    struct catalog_text name, table;

    for (unsigned i = 0; i < count; i++) {
        names[i] = sets[i]->names;
    }
    name = catalog_best_name(names, count, frame);
    if (name.text != NULL) {
        name.source = CATALOG_MACHINE;
        return name;
    }
    table = catalog_table_counterset_name(guid);
    if (table.source != CATALOG_TABLE && server != NULL) {
        name = borrow_set_name(server, guid, sets, count);
    }
    return name.text != NULL ? name : table;
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
    return (struct catalog_text){ NULL, 0, CATALOG_UNKNOWN };
}

const char *
catalog_source_word(enum catalog_source source, const char *own)
{
    static const char *const words[] = {
        [CATALOG_UNKNOWN] = "id",
        [CATALOG_TABLE] = "table",
        [CATALOG_OTHER_NAME] = "map-other-name",
        [CATALOG_OTHER_ADDRESS] = "map-other-address",
        [CATALOG_OTHER_MACHINE] = "other-machine",
        [CATALOG_BUILT_IN] = "built-in",
    };

    return source == CATALOG_MACHINE || source == CATALOG_ONLY_MACHINE ? own : words[source];
}

/* Returns the number of counters with this id in a set. */
static unsigned
count_same_id(const struct counterset_entry *set, uint32_t id)
{
    unsigned count = 0;

    for (const struct counter_entry *counter = listed_counter(set, id, 0); counter != NULL;
         counter = counter->next_same_id) {
        count++;
    }
    return count;
}

unsigned
catalog_same_id_count(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    unsigned most = 0;

    for (unsigned i = 0; i < count; i++) {
        most = MAX(most, count_same_id(sets[i], id));
    }
    most = most != 0 ? most : catalog_table_same_id_count(guid, id);
    for (enum catalog_source source = CATALOG_OTHER_NAME; source <= CATALOG_OTHER_MACHINE && most == 0; source++) {
        const struct counterset_entry *lent[SERVER_MAX_LENDERS];
        const unsigned num_lent = server == NULL ? 0 : find_lent(server, guid, source, sets, count, lent);

        for (unsigned i = 0; i < num_lent; i++) {
            most = MAX(most, count_same_id(lent[i], id));
        }
    }
    return most;
}

/* Implements catalog_counter(). may_borrow: fill gaps from other machines' catalogs. */
static bool
look_up_counter(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth, uint32_t frame,
    bool may_borrow, struct catalog_counter *out)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    const struct name *names[SERVER_MAX_CATALOGS] = { NULL };
    const struct info_entry *entry = NULL;
    struct catalog_counter table;
    unsigned num_names = 0;
    bool is_taught = false, is_known = false, type_changed = false, has_same_id = false, in_table;

    for (unsigned i = 0; i < count; i++) {
        const struct counter_entry *first = listed_counter(sets[i], id, 0);
        const struct counter_entry *counter = nth == 0 ? first : listed_counter(sets[i], id, nth);

        is_taught = is_taught || first != NULL;
        has_same_id = has_same_id || (first != NULL && first->next_same_id != NULL);
        if (counter != NULL) {
            /*
             * One catalog may contain the type and another the name: clients may ask for them on different connections.
             */
            entry =
                entry != NULL ? entry : (const struct info_entry *)timeline_in(&counter->infos, sizeof *entry, frame);
            names[num_names++] = counter->names;
            type_changed = type_changed || counter->type_changed;
            is_known = true;
        }
    }
    *out = catalog_unknown_counter;
    if (entry != NULL) {
        *out = entry->info;
        out->source = CATALOG_MACHINE;
        out->taught_in = entry->frame;
    }
    out->type_changed = type_changed;
    out->name = catalog_best_name(names, num_names, frame);
    out->name.source = out->name.text != NULL ? CATALOG_MACHINE : CATALOG_UNKNOWN;
    out->has_same_id = is_taught ? has_same_id : catalog_table_same_id_count(guid, id) > 1;
    if (is_taught && !is_known) {
        return false; /* the machine listed fewer counters with this id, so there is no nth one */
    }
    if (is_known && out->type_known && out->name.text != NULL) {
        return true; /* no source could add anything */
    }
    in_table = catalog_table_counter(guid, id, nth, &table);
    if (in_table && table.source == CATALOG_TABLE) {
        fill_gaps(out, &table);
        is_known = true;
    }
    if (may_borrow && server != NULL) {
        is_known = borrow_counter(server, guid, id, nth, sets, count, out) || is_known;
    }
    if (in_table) {
        fill_gaps(out, &table);
        is_known = true;
    }
    return is_known;
}

bool
catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned nth, uint32_t frame,
    struct catalog_counter *out)
{
    return look_up_counter(server, guid, id, nth, frame, true, out);
}

bool
catalog_counter_own(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame,
    struct catalog_counter *out)
{
    return look_up_counter(server, guid, id, 0, frame, false, out);
}

struct catalog_text
catalog_counter_name(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame)
{
    struct catalog_counter counter;

    catalog_counter(server, guid, id, 0, frame, &counter);
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
            const struct text_entry *entry =
                (const struct text_entry *)timeline_in(&set->provider_name, sizeof *entry, frame);

            return (struct catalog_text){ entry->text, entry->frame, CATALOG_MACHINE };
        }
    }
    return (struct catalog_text){ NULL, 0, CATALOG_UNKNOWN };
}

/* Returns the names or help texts of a title in a catalog, or NULL. */
static const struct name *
find_title(const struct catalog *catalog, uint32_t index, enum catalog_text_kind kind)
{
    const struct title_entry *title =
        (const struct title_entry *)wmem_map_lookup(catalog->titles, GUINT_TO_POINTER(index));

    return title == NULL ? NULL : kind == CATALOG_NAME ? title->names : title->help;
}

/*
 * Returns whether a machine may use titles from `lender`, the catalog of all machines at its address and port. If
 * answers proved that there are several, their title indexes may differ: at least one title must be the same, and none
 * may differ.
 */
static bool
may_share_titles(const struct server *server, const struct catalog *lender, const struct catalog *const *own,
    unsigned num_own)
{
    bool has_titles = false;

    if (!server_is_one_of_several(server)) {
        return !lender->titles_differ;
    }
    for (unsigned i = 0; i < num_own; i++) {
        has_titles = has_titles || wmem_map_size(own[i]->titles) > 0;
    }
    return has_titles && lender->titles_agree && !lender->titles_differ;
}

/* Returns the source of a title's text: CATALOG_MACHINE if the machine's own catalog contains it. */
static enum catalog_source
title_source(const struct server *server, const struct catalog *const *catalogs, const struct name *const *names,
    unsigned count, const char *text, uint32_t frame)
{
    enum catalog_source source = CATALOG_UNKNOWN;

    for (unsigned i = 0; i < count && source != CATALOG_MACHINE; i++) {
        const char *one = catalog_best_title(&names[i], 1, frame).text;

        if (one != NULL && strcmp(one, text) == 0) {
            source = server_source(server, catalogs[i]);
        }
    }
    return source;
}

struct catalog_text
catalog_title(const struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t frame)
{
    const struct catalog *catalogs[SERVER_MAX_CATALOGS];
    unsigned count = server == NULL ? 0 : server_catalogs(server, catalogs);
    const struct name *names[SERVER_MAX_CATALOGS] = { NULL };
    const struct catalog *lender;
    struct catalog_text text;

    for (unsigned i = 0; i < count; i++) {
        names[i] = find_title(catalogs[i], index, kind);
    }
    text = catalog_best_title(names, count, frame);
    text.source = text.text == NULL ? CATALOG_UNKNOWN : title_source(server, catalogs, names, count, text.text, frame);
    if (text.source == CATALOG_MACHINE || text.source == CATALOG_ONLY_MACHINE || server == NULL) {
        return text;
    }
    lender = server_title_lender(server);
    if (text.text != NULL) {
        /* The title was not sent under the machine's name. If titles at this address and port differ, show none. */
        return lender != NULL && lender->titles_differ ? (struct catalog_text){ NULL, 0, CATALOG_UNKNOWN } : text;
    }
    if (lender != NULL && may_share_titles(server, lender, catalogs, count)) {
        const struct name *lent = find_title(lender, index, kind);

        text = catalog_best_title(&lent, 1, CATALOG_NOW);
        text.source = text.text != NULL ? CATALOG_OTHER_NAME : CATALOG_UNKNOWN;
    }
    return text;
}

const struct counterset *
catalog_counterset(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);

    for (unsigned i = 0; i < count; i++) {
        if (sets[i]->has_info) {
            return sets[i]->has_changed ? NULL : &sets[i]->info;
        }
    }
    return NULL;
}

bool
catalog_counterset_has_instances(const struct server *server, const e_guid_t *guid)
{
    const struct counterset *info = catalog_counterset(server, guid);

    return info != NULL && (info->instance_type == MULTIPLE_INSTANCES || info->instance_type == MULTIPLE_AGGREGATE);
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
catalog_counterset_is_settled(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);
    bool is_settled = catalog_counterset_is_listed_in(server, guid, 1, frame);

    for (unsigned i = 0; i < count; i++) {
        is_settled = is_settled && sets[i]->asked == sets[i]->answered;
    }
    return is_settled;
}

bool
catalog_counterset_is_listed_in(const struct server *server, const e_guid_t *guid, uint32_t from, uint32_t until)
{
    const struct counterset_entry *sets[SERVER_MAX_CATALOGS];
    const unsigned count = find_countersets(server, guid, sets);

    for (unsigned i = 0; i < count; i++) {
        if ((sets[i]->listed_in >= from && sets[i]->listed_in < until) ||
            (sets[i]->listed_last_in >= from && sets[i]->listed_last_in < until)) {
            return true;
        }
    }
    return false;
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
    return (uint64_t)catalog_version << 32 | changes;
}
