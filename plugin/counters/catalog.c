/* catalog.c
 * What the capture taught of countersets and counters
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog.h"

#include <string.h>

#include <epan/to_str.h>

#include "base/guid-map.h"
#include "base/text.h"
#include "counters/catalog-table.h"
#include "counters/record.h"

/*
 * The names of a counterset or a counter. A server may be asked in as many languages as there are numbers; only those
 * that may be shown are kept: the first of each kind, and the one in the server's default language.
 */
struct name {
    uint32_t lcid;
    struct catalog_text text;
};

struct names {
    struct catalog_text by_default;
    struct name first[CATALOG_ENGLISH_NAME + 1]; /* by enum catalog_text_kind */
};

struct counter_entry {
    uint32_t id;
    struct counter_entry *next_twin; /* of the same id; NULL: none */
    struct names names;
    struct catalog_counter info;
};

struct counterset_entry {
    e_guid_t guid;
    struct names names;
    bool is_complete;      /* request code 1 listed all its counters */
    wmem_map_t *counters;  /* id -> struct counter_entry */
    wmem_map_t *instances; /* id -> struct catalog_text, without text where the id has several names; NULL: none */
    bool has_provider;
    e_guid_t provider;
    struct catalog_text provider_name;
};

struct server {
    char *address; /* as shown where no call named the machine */
    uint32_t port;
    char *machine;
    wmem_map_t *countersets; /* e_guid_t -> struct counterset_entry */
    /* e_guid_t -> struct counterset_entry, the latest whose provider's name is known, too */
    wmem_map_t *providers;
};

/* Bytes of a machine's name, which stands in every path: more than the names of computers have. */
#define CATALOG_MAX_HOST 128u

struct server_key {
    address addr;
    uint32_t port;
};

static wmem_map_t *servers; /* struct server_key -> struct server; file scope */
static unsigned version;

static guint
server_key_hash(const void *key)
{
    const struct server_key *k = (const struct server_key *)key;

    return add_address_to_hash(k->port, &k->addr);
}

static gboolean
server_key_equal(const void *a, const void *b)
{
    const struct server_key *x = (const struct server_key *)a;
    const struct server_key *y = (const struct server_key *)b;

    return x->port == y->port && addresses_equal(&x->addr, &y->addr);
}

void
server_init(void)
{
    servers = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), server_key_hash, server_key_equal);
}

struct server *
server_at(const address *addr, uint32_t port)
{
    const struct server_key key = { *addr, port };
    struct server *server = (struct server *)wmem_map_lookup(servers, &key);

    if (server == NULL) {
        struct server_key *kept = wmem_new(wmem_file_scope(), struct server_key);

        copy_address_wmem(wmem_file_scope(), &kept->addr, addr);
        kept->port = port;
        server = wmem_new0(wmem_file_scope(), struct server);
        server->address = address_to_str(wmem_file_scope(), addr);
        server->port = port;
        server->countersets = wmem_map_new(wmem_file_scope(), guid_map_hash, guid_map_equal);
        server->providers = wmem_map_new(wmem_file_scope(), guid_map_hash, guid_map_equal);
        wmem_map_insert(servers, kept, server);
    }
    return server;
}

const struct server *
server_known(const struct server *server)
{
    return server;
}

const char *
server_host(const struct server *server)
{
    return server->machine != NULL ? server->machine : server->address;
}

void
catalog_learn_machine(struct server *server, const char *machine)
{
    while (*machine == '\\') {
        machine++;
    }
    if (server->machine == NULL && *machine != '\0') {
        server->machine = line_text_copy(wmem_file_scope(), machine, CATALOG_MAX_HOST);
        version++;
    }
}

static struct counterset_entry *
counterset_entry(struct server *server, const e_guid_t *guid)
{
    struct counterset_entry *set = (struct counterset_entry *)wmem_map_lookup(server->countersets, guid);

    if (set == NULL) {
        set = wmem_new0(wmem_file_scope(), struct counterset_entry);
        set->guid = *guid;
        set->counters = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        wmem_map_insert(server->countersets, &set->guid, set);
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
    counter->info = unknown_counter;
    return counter;
}

static struct counter_entry *
counter_entry(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin)
{
    struct counterset_entry *set = counterset_entry(server, guid);
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

/* Whether a name, shortened where it is long, is the text kept. */
static bool
is_text(const char *kept, const char *text)
{
    const char *name = name_text(NULL, text);
    const bool is_same = strcmp(kept, name) == 0;

    if (name != text) {
        wmem_free(NULL, (char *)name);
    }
    return is_same;
}

/* Replaces a text that is another one: a name as it may stand in a line, bounded. */
static void
keep_text(struct catalog_text *kept, const char *text, uint32_t frame)
{
    if (kept->text == NULL || !is_text(kept->text, text)) {
        kept->text = line_text_copy(wmem_file_scope(), text, NAME_TEXT_MAX);
        kept->frame = frame;
        version++;
    }
}

/* What is empty is no name. Descriptions are shown nowhere but where they stand. */
static void
learn_name(struct names *names, enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame)
{
    struct name *first = &names->first[kind];

    if (kind == CATALOG_DESCRIPTION || text[0] == '\0') {
        return;
    }
    if (first->text.text == NULL) {
        first->lcid = lcid;
    }
    if (first->lcid == lcid) {
        keep_text(&first->text, text, frame);
    }
    if (kind == CATALOG_NAME && lcid == 0) {
        keep_text(&names->by_default, text, frame);
    }
}

/*
 * The name to show: as perfmon would, in the server's default language, else in the first language asked for,
 * else the English one.
 */
static struct catalog_text
best_name(const struct names *names)
{
    if (names->by_default.text != NULL) {
        return names->by_default;
    }
    return names->first[CATALOG_NAME].text.text != NULL ? names->first[CATALOG_NAME].text
                                                        : names->first[CATALOG_ENGLISH_NAME].text;
}

void
catalog_learn_complete(struct server *server, const e_guid_t *guid)
{
    counterset_entry(server, guid)->is_complete = true;
    version++;
}

void
catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind, uint32_t lcid,
    const char *text, uint32_t frame)
{
    learn_name(&counterset_entry(server, guid)->names, kind, lcid, text, frame);
}

void
catalog_learn_provider(struct server *server, const e_guid_t *guid, const char *name, const e_guid_t *provider,
    uint32_t frame)
{
    struct counterset_entry *set = counterset_entry(server, guid);

    if (name != NULL) {
        keep_text(&set->provider_name, name, frame);
    }
    if (provider != NULL && !(set->has_provider && guid_map_equal(&set->provider, provider))) {
        set->has_provider = true;
        set->provider = *provider;
        version++;
    }
    if (set->has_provider && set->provider_name.text != NULL) {
        e_guid_t *key = wmem_new(wmem_file_scope(), e_guid_t);

        *key = set->provider;
        wmem_map_insert(server->providers, key, set);
    }
}

void
catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    const struct catalog_counter *info, uint32_t frame)
{
    struct counter_entry *counter = counter_entry(server, guid, id, twin);

    const bool type_changed =
        counter->info.type_changed || (counter->info.type_known && counter->info.type != info->type);

    counter->info = *info;
    counter->info.type_changed = type_changed;
    counter->info.type_known = true;
    counter->info.type_frame = frame;
    version++;
}

void
catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame)
{
    learn_name(&counter_entry(server, guid, id, twin)->names, kind, lcid, text, frame);
}

void
catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame)
{
    struct counterset_entry *set = counterset_entry(server, guid);
    struct catalog_text *known;

    if (set->instances == NULL) {
        set->instances = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    }
    known = (struct catalog_text *)wmem_map_lookup(set->instances, GUINT_TO_POINTER(id));
    if (known == NULL) {
        known = wmem_new0(wmem_file_scope(), struct catalog_text);
        keep_text(known, name, frame);
        wmem_map_insert(set->instances, GUINT_TO_POINTER(id), known);
    } else if (known->text != NULL && !is_text(known->text, name)) {
        known->text = NULL;
    }
}

static const struct counterset_entry *
find_counterset(const struct server *server, const e_guid_t *guid)
{
    return server == NULL ? NULL : (const struct counterset_entry *)wmem_map_lookup(server->countersets, guid);
}

struct catalog_text
catalog_counterset_name(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_entry *set = find_counterset(server, guid);
    struct catalog_text name = { NULL, 0 };

    if (set != NULL) {
        name = best_name(&set->names);
    }
    if (name.text == NULL) {
        name.text = catalog_table_counterset_name(guid);
    }
    return name;
}

struct catalog_text
catalog_instance_name(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    const struct counterset_entry *set = find_counterset(server, guid);
    const struct catalog_text *known = set == NULL || set->instances == NULL
        ? NULL
        : (const struct catalog_text *)wmem_map_lookup(set->instances, GUINT_TO_POINTER(id));

    return known == NULL ? (struct catalog_text){ NULL, 0 } : *known;
}

static const struct counter_entry *
catalog_find_counter(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    const struct counterset_entry *set = find_counterset(server, guid);

    return set == NULL ? NULL : (const struct counter_entry *)wmem_map_lookup(set->counters, GUINT_TO_POINTER(id));
}

unsigned
catalog_counter_twins(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    unsigned count = 0;

    for (const struct counter_entry *counter = catalog_find_counter(server, guid, id); counter != NULL;
         counter = counter->next_twin) {
        count++;
    }
    return count != 0 ? count : catalog_table_twins(guid, id);
}

bool
catalog_counter_twin(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    struct catalog_counter *out)
{
    const struct counter_entry *counter = catalog_find_counter(server, guid, id);
    const bool is_taught = counter != NULL;
    const bool has_twin = is_taught ? counter->next_twin != NULL : catalog_table_twins(guid, id) > 1;
    struct catalog_counter table;
    bool in_table = catalog_table_counter(guid, id, twin, &table);

    for (unsigned i = 0; counter != NULL && i < MIN(twin, CATALOG_MAX_TWINS); i++) {
        counter = counter->next_twin;
    }
    /* The capture tells how many there are. */
    in_table = in_table && (counter != NULL || !is_taught);
    if (counter == NULL) {
        *out = in_table ? table : unknown_counter;
        out->has_twin = has_twin;
        return in_table;
    }
    *out = counter->info;
    out->name = best_name(&counter->names);
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
catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, struct catalog_counter *out)
{
    return catalog_counter_twin(server, guid, id, 0, out);
}

struct catalog_text
catalog_provider_name(const struct server *server, const e_guid_t *provider)
{
    const struct counterset_entry *set =
        server == NULL ? NULL : (const struct counterset_entry *)wmem_map_lookup(server->providers, provider);

    return set == NULL ? (struct catalog_text){ NULL, 0 } : set->provider_name;
}

bool
catalog_counterset_is_complete(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_entry *set = find_counterset(server, guid);

    return set != NULL && set->is_complete;
}

unsigned
catalog_version(void)
{
    return version + catalog_table_version();
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
    const char *name = catalog_counterset_name(server, &set->guid).text;

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

            catalog_counter_twin(server, &set->guid, id, twin, &info);
            catalog_table_write_record(file, &set->guid, name, id, &info);
        }
    }
    g_ptr_array_free(counters, TRUE);
}

static int
compare_servers(const void *a, const void *b)
{
    const struct server *one = *(const struct server *const *)a;
    const struct server *other = *(const struct server *const *)b;
    int order = strcmp(one->address, other->address);

    return order != 0 ? order : (one->port > other->port) - (one->port < other->port);
}

void
catalog_write(FILE *file)
{
    const e_guid_t *last = NULL;
    GPtrArray *all = g_ptr_array_new();

    wmem_map_foreach(servers, collect, all);
    g_ptr_array_sort(all, compare_servers);
    for (unsigned i = 0; i < all->len; i++) {
        const struct server *server = (const struct server *)g_ptr_array_index(all, i);
        GPtrArray *sets = g_ptr_array_new();

        wmem_map_foreach(server->countersets, collect, sets);
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
