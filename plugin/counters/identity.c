/* identity.c
 * Identity of a counter, and its label
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/identity.h"

#include "base/hash.h"
#include "base/text.h"
#include "cook/counter-types.h"
#include "counters/path.h"

/* All tables are in file scope. */
static wmem_map_t *instances; /* set of struct instance, unique by server, set, row and occurrence */
static wmem_map_t *counters;  /* set of struct perf_counter, unique by server, set, id and number */
static struct perf_counter *first_counter, *last_counter; /* all counters, in the order of their first polls */
static unsigned named_version; /* version of the names when identity_name() last renamed all counters */
static const char *latest_set; /* .set_text of the latest counter, reused by the next one of the counterset */
static wmem_map_t *identities; /* set of struct identity, unique by counter and instance */
static wmem_map_t *labels;     /* path in lower case -> struct used_path */
/* Names in use by instances, countersets and counters. Owner of a counterset's name: the first counter that used it */
static struct counter_path_names *instance_names, *set_names, *counter_names;

/* A path in use as a label */
struct used_path {
    const char *path;
    size_t set_length;
    const struct identity *identity;
    unsigned last_no; /* highest number appended to this path for other identities, to make their paths unique */
};

static uint16_t
fold_unit(const uint8_t *bytes)
{
    return (uint16_t)text_fold((gunichar)(bytes[0] | bytes[1] << 8));
}

static bool
series_name_same(const uint8_t *a, const uint8_t *b, unsigned size)
{
    if (memcmp(a, b, size) == 0) {
        return true;
    }
    for (unsigned i = 0; i + 1 < size; i += 2) {
        if (fold_unit(&a[i]) != fold_unit(&b[i])) {
            return false;
        }
    }
    return size % 2 == 0 || a[size - 1] == b[size - 1];
}

gboolean
series_name_equal(const void *a, const void *b)
{
    const struct series_row *x = (const struct series_row *)a;
    const struct series_row *y = (const struct series_row *)b;

    return x->name_size == y->name_size &&
        (x->name == y->name || x->name_size == 0 || series_name_same(x->name, y->name, x->name_size));
}

guint
series_name_hash(const void *row)
{
    const uint8_t *name = ((const struct series_row *)row)->name;
    const unsigned size = ((const struct series_row *)row)->name_size;
    uint16_t some[64];
    guint hash = size;

    for (unsigned i = 0; i + 1 < size;) {
        unsigned count = 0;

        for (; count < array_length(some) && i + 1 < size; i += 2) {
            some[count++] = fold_unit(&name[i]);
        }
        hash = hash_join(hash, wmem_strong_hash((const uint8_t *)some, count * sizeof *some));
    }
    return size % 2 == 0 ? hash : hash_join(hash, name[size - 1]);
}

static guint
instance_hash(const void *key)
{
    const struct instance *i = (const struct instance *)key;

    return hash_join(hash_join(guid_map_hash(&i->set), hash_pointer(i->server)), series_name_hash(&i->row)) +
        i->row.id + i->occurrence;
}

static gboolean
instance_equal(const void *a, const void *b)
{
    const struct instance *x = (const struct instance *)a;
    const struct instance *y = (const struct instance *)b;

    return x->server == y->server && x->occurrence == y->occurrence && series_row_same(&x->row, &y->row) &&
        guid_map_equal(&x->set, &y->set);
}

HASH_BYTES(perf_counter, offsetof(struct perf_counter, words))

HASH_BYTES(identity, offsetof(struct identity, path))

void
identity_begin(void)
{
    wmem_allocator_t *scope = wmem_file_scope();

    instances = wmem_map_new(scope, instance_hash, instance_equal);
    counters = wmem_map_new(scope, perf_counter_hash, perf_counter_equal);
    first_counter = last_counter = NULL;
    named_version = 0;
    latest_set = NULL;
    identities = wmem_map_new(scope, identity_hash, identity_equal);
    labels = wmem_map_new(scope, counter_path_hash, counter_path_equal);
    instance_names = counter_path_names_new(scope);
    set_names = counter_path_names_new(scope);
    counter_names = counter_path_names_new(scope);
}

static const struct server *
machine_of(const struct server *server)
{
    return server == NULL ? NULL : server_known(server);
}

/*
 * Numbers a new instance if others have the same name. If only one other has it, and that one or the new one was sent
 * without an id (0xFFFFFFFF), both are the same instance: merges them.
 */
static void
number_instance(struct instance *instance, instance_text_cb text)
{
    char *name = text(NULL, &instance->row);
    struct counter_path_used *used =
        counter_path_claim(instance_names, instance->server, &instance->set, name, instance);
    struct instance *first = (struct instance *)used->owner;
    unsigned number = 0;

    if (first != NULL && first != instance && instance->occurrence == 0 && used->next == 1 &&
        (instance->row.id == PERF_ID_NONE || first->row.id == PERF_ID_NONE)) {
        instance->merged_into = first;
        if (first->row.id == PERF_ID_NONE) {
            /* The name now has an id: an instance with another id is numbered, not merged. */
            used->owner = instance;
        }
    } else if (first != instance) {
        number = counter_path_number(instance_names, instance->server, &instance->set, name);
    }
    if (number > 0 && name[0] == '\0' && instance->occurrence == 0 && instance->row.id != PERF_ID_NONE) {
        wmem_free(NULL, name);
        name = wmem_strdup_printf(NULL, "id %u", instance->row.id);
        number = counter_path_number(instance_names, instance->server, &instance->set, name);
    }
    instance->text =
        number == 0 ? wmem_strdup(wmem_file_scope(), name) : counter_path_numbered(wmem_file_scope(), name, number);
    wmem_free(NULL, name);
}

/* Finds or creates an instance. label: text of a new one; if NULL, text() makes it. */
static struct instance *
intern_instance(const struct instance *key, const char *label, instance_text_cb text)
{
    struct instance *instance = (struct instance *)wmem_map_lookup(instances, key);

    if (instance == NULL) {
        instance = (struct instance *)wmem_memdup(wmem_file_scope(), key, sizeof *key);
        instance->row.name = (const uint8_t *)wmem_memdup(wmem_file_scope(), key->row.name, key->row.name_size);
        if (label != NULL) {
            instance->text = wmem_strdup(wmem_file_scope(), label);
        } else {
            number_instance(instance, text);
        }
        wmem_map_insert(instances, instance, instance);
    }
    while (instance->merged_into != NULL) {
        instance = instance->merged_into;
    }
    return instance;
}

struct instance *
identity_instance(const struct server *server, const e_guid_t *set, const struct series_row *row,
    struct instance *likely, unsigned stamp, instance_text_cb text)
{
    struct instance key = { .server = machine_of(server), .set = *set, .row = *row };
    struct instance *instance = likely;

    if (likely == NULL || likely->server != key.server || likely->occurrence > 0) {
        instance = intern_instance(&key, NULL, text);
    }
    if (stamp == 0) {
        return instance;
    }
    if (instance->stamp == stamp) {
        key.occurrence = ++instance->repeats;
        return intern_instance(&key, NULL, text);
    }
    instance->stamp = stamp;
    instance->repeats = 0;
    return instance;
}

struct instance *
identity_labelled(const struct server *server, const e_guid_t *set, const struct series_row *row, const char *label)
{
    const struct instance key = { .server = machine_of(server), .set = *set, .row = *row };

    return intern_instance(&key, label, NULL);
}

const struct instance *
identity_instance_now(const struct instance *instance, instance_text_cb text)
{
    struct instance key;

    if (instance->server == machine_of(instance->server)) {
        return instance;
    }
    key = *instance;
    key.server = machine_of(instance->server);
    return intern_instance(&key, NULL, text);
}

struct perf_counter *
identity_counter(const struct perf_counter *key)
{
    struct perf_counter counter = *key, *known;

    counter.server = machine_of(key->server);
    known = (struct perf_counter *)wmem_map_lookup(counters, &counter);
    if (known == NULL) {
        counter.text = counter.set_text = NULL;
        counter.no = 0;
        counter.next = NULL;
        counter.last_no = 1;
        known = (struct perf_counter *)wmem_memdup(wmem_file_scope(), &counter, sizeof counter);
        wmem_map_insert(counters, known, known);
        if (last_counter == NULL) {
            first_counter = known;
        } else {
            last_counter->next = known;
        }
        last_counter = known;
    }
    return known;
}

/* Space for a suffix that makes a long name unique: the suffix must not be cut off */
#define OWN_TEXT_MAX 40u

/*
 * Returns a text, in scope, that distinguishes a counter from others named `called`: "called (id 5)" or, if `tried`
 * such texts were taken, "called (id 5, no. 2)". *no: the counter's latest number, 0 if none. *last_no: highest number
 * appended to this name.
 */
static const char *
counter_own_text(wmem_allocator_t *scope, const struct perf_counter *counter, const char *called, unsigned tried,
    unsigned *no, unsigned *last_no)
{
    const char *text = line_text_max(scope, called, NAME_TEXT_MAX - OWN_TEXT_MAX);

    if (tried > 0) {
        /* Reuse the counter's earlier number unless it is taken. */
        *no = tried == 1 && *no != 0 ? *no : ++*last_no;
        return wmem_strdup_printf(scope, "%s (id %u, no. %u)", text, counter->id, *no);
    }
    return counter->nth == 0 ? wmem_strdup_printf(scope, "%s (id %u)", text, counter->id)
                             : wmem_strdup_printf(scope, "%s (no. %u of id %u)", text, counter->nth + 1, counter->id);
}

const char *
identity_set_text(wmem_allocator_t *scope, const char *text, const char *set_id)
{
    return wmem_strdup_printf(scope, "%s {%s}", line_text_max(scope, text, NAME_TEXT_MAX - OWN_TEXT_MAX), set_id);
}

/* Returns the text of a counterset. The first one with a name gets the name, others get name and id. */
static const char *
claim_set(struct perf_counter *counter, const struct counter_words *words, wmem_allocator_t *scope)
{
    const char *text = line_text_max(scope, words->set, NAME_TEXT_MAX);
    const struct perf_counter *owner =
        (const struct perf_counter *)counter_path_claim(set_names, counter->server, NULL, text, counter)->owner;

    return guid_map_equal(&owner->set, &counter->set) ? text : identity_set_text(scope, text, words->set_id);
}

/* Returns the owner of a text among the names of the counterset. If the text was free, the owner is now `counter`. */
static struct perf_counter *
claim_text(struct perf_counter *counter, const char *text)
{
    return (struct perf_counter *)counter_path_claim(counter_names, counter->server, &counter->set, text, counter)
        ->owner;
}

static void
claim_counter(struct perf_counter *counter, const struct counter_words *words, wmem_allocator_t *scope)
{
    const char *text = line_text_max(scope, words->counter, NAME_TEXT_MAX);
    struct perf_counter *first = claim_text(counter, text), *owner = first;

    for (unsigned tried = 0; owner != counter; tried++) {
        text = counter_own_text(scope, counter, words->counter, tried, &counter->no, &first->last_no);
        owner = claim_text(counter, text);
    }
    /* Compare with case, unlike claim_text(): the name may have changed in case only. */
    if (counter->text == NULL || strcmp(counter->text, text) != 0) {
        counter->text = wmem_strdup(wmem_file_scope(), text);
    }
}

void
identity_claim(struct perf_counter *counter, uint32_t frame, uint64_t version)
{
    wmem_allocator_t *scope;
    struct counter_words words;
    const char *set;

    if (counter->text != NULL && counter->version == version) {
        return;
    }
    /* A pool just for this call: one packet may name as many counters as it has bytes. */
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    words = counter->words(counter, frame, scope);
    set = counter->unknown != NULL ? line_text_max(scope, words.set, NAME_TEXT_MAX) : claim_set(counter, &words, scope);
    /* Usually the counterset is the same as the previous counter's. */
    if (latest_set == NULL || strcmp(latest_set, set) != 0) {
        latest_set = wmem_strdup(wmem_file_scope(), set);
    }
    counter->set_text = latest_set;
    if (counter->unknown != NULL) {
        counter->text = wmem_strdup(wmem_file_scope(), line_text_max(scope, words.counter, NAME_TEXT_MAX));
    } else {
        claim_counter(counter, &words, scope);
    }
    counter->version = version;
    wmem_destroy_allocator(scope);
}

void
identity_name(struct perf_counter *counter, uint32_t frame, uint64_t version)
{
    const unsigned names = (unsigned)(version >> 32);
    const struct perf_counter *end = last_counter;

    if (counter->text != NULL && counter->version == version) {
        return;
    }
    for (const struct perf_counter *at = first_counter; at != NULL && named_version != names;
         at = at == end ? NULL : at->next) {
        struct perf_counter *other = identity_counter(at);

        /*
         * A name to begin with: no version equals UINT64_MAX, so identity_name() names `other` again when it is shown.
         */
        identity_claim(other, other->frame, UINT64_MAX);
    }
    named_version = names;
    identity_claim(counter, frame, version);
}

struct identity *
identity_of(struct perf_counter *counter, const struct instance *instance)
{
    const struct identity key = { .counter = counter, .instance = instance };

    return (struct identity *)hash_entry(identities, &key, offsetof(struct identity, path), sizeof key);
}

/*
 * Returns the entry of an identity's path in which the counter is called `counter`. A new entry belongs to this
 * identity.
 */
static struct used_path *
take_path(const struct identity *identity, const char *counter)
{
    const char *instance = identity->instance == NULL ? "" : identity->instance->text;
    const char *open = instance[0] == '\0' ? "" : "(", *close = instance[0] == '\0' ? "" : ")";
    char *set = g_strdup_printf("\\\\%s\\%s", server_host(identity->counter->server), identity->counter->set_text);
    char *path = g_strdup_printf("%s%s%s%s\\%s", set, open, instance, close, counter);
    struct used_path *taken = (struct used_path *)wmem_map_lookup(labels, path);

    if (taken == NULL) {
        taken = wmem_new(wmem_file_scope(), struct used_path);
        *taken = (struct used_path){ wmem_strdup(wmem_file_scope(), path), strlen(set), identity, 1 };
        wmem_map_insert(labels, taken->path, taken);
    }
    g_free(path);
    g_free(set);
    return taken;
}

const char *
identity_path(struct identity *identity, uint32_t frame, uint64_t version)
{
    struct perf_counter *counter = identity->counter;
    wmem_allocator_t *scope = NULL;
    struct used_path *first, *taken;

    if (identity->path != NULL && identity->version == version) {
        return identity->path;
    }
    identity_name(counter, frame, version);
    first = taken = take_path(identity, counter->text);
    /* Different names may form the same path, since they may contain its separators. */
    for (unsigned tried = 0; taken->identity != identity; tried++) {
        scope = scope != NULL ? scope : wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
        taken =
            take_path(identity, counter_own_text(scope, counter, counter->text, tried, &identity->no, &first->last_no));
    }
    if (scope != NULL) {
        wmem_destroy_allocator(scope);
    }
    identity->path = taken->path;
    identity->set_length = taken->set_length;
    identity->version = version;
    return identity->path;
}
