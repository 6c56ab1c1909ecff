/* identity.c
 * What a counter of the capture is, and its label
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/identity.h"

#include <string.h>

#include "base/guid-map.h"
#include "base/hash.h"
#include "base/text.h"
#include "cook/counter-types.h"
#include "counters/path.h"

/* All in file scope. */
static wmem_map_t *instances;  /* struct instance (by server, set, row, occurrence) -> itself */
static wmem_map_t *identities; /* struct identity (by what it is) -> itself */
static wmem_map_t *labels;     /* struct taken (by path, without case) -> itself */
/* Number instances, and tell whose a counterset's name is. */
static struct counter_path_names *instance_names, *set_names;

/* A path that is an identity's label. */
struct taken {
    struct identity_label label;
    const struct identity *identity;
    unsigned next; /* the latest number that told another identity from it */
};

static guint
instance_hash(const void *key)
{
    const struct instance *i = (const struct instance *)key;
    const uint32_t numbers[] = { i->row.id, i->occurrence };

    return hash_join(hash_join(guid_map_hash(&i->set), hash_pointer(i->server)),
        hash_join(wmem_strong_hash((const uint8_t *)numbers, sizeof numbers),
            wmem_strong_hash(i->row.name, i->row.name_size)));
}

bool
series_row_equal(const struct series_row *a, const struct series_row *b)
{
    return a->id == b->id && a->name_size == b->name_size &&
        (a->name == b->name || a->name_size == 0 || memcmp(a->name, b->name, a->name_size) == 0);
}

static gboolean
instance_equal(const void *a, const void *b)
{
    const struct instance *x = (const struct instance *)a;
    const struct instance *y = (const struct instance *)b;

    return x->server == y->server && x->occurrence == y->occurrence && series_row_equal(&x->row, &y->row) &&
        guid_map_equal(&x->set, &y->set);
}

static guint
identity_hash(const void *key)
{
    const struct identity *i = (const struct identity *)key;
    const uint32_t numbers[] = { i->counter, i->twin };

    return hash_join(hash_join(guid_map_hash(&i->set), hash_pointer(i->server)),
        hash_join(wmem_strong_hash((const uint8_t *)numbers, sizeof numbers), hash_pointer(i->instance)));
}

static gboolean
identity_equal(const void *a, const void *b)
{
    const struct identity *x = (const struct identity *)a;
    const struct identity *y = (const struct identity *)b;

    return x->server == y->server && x->counter == y->counter && x->twin == y->twin && x->instance == y->instance &&
        guid_map_equal(&x->set, &y->set);
}

static guint
taken_hash(const void *key)
{
    const struct taken *taken = (const struct taken *)key;

    return counter_path_hash(taken->label.path);
}

static gboolean
taken_equal(const void *a, const void *b)
{
    const struct taken *x = (const struct taken *)a;
    const struct taken *y = (const struct taken *)b;

    return counter_path_equal(x->label.path, y->label.path);
}

void
identity_begin(void)
{
    wmem_allocator_t *scope = wmem_file_scope();

    instances = wmem_map_new(scope, instance_hash, instance_equal);
    identities = wmem_map_new(scope, identity_hash, identity_equal);
    labels = wmem_map_new(scope, taken_hash, taken_equal);
    instance_names = counter_path_names_new(scope);
    set_names = counter_path_names_new(scope);
}

void
identity_init(void)
{
    register_init_routine(identity_begin);
}

static const struct server *
machine_of(const struct server *server)
{
    return server == NULL ? NULL : server_known(server);
}

/* Numbers a new instance, or finds the one that it is: an id was learned of it, or is not known now. */
static void
number_instance(struct instance *instance, instance_text_cb text)
{
    char *name = text(NULL, &instance->row);
    struct counter_path_used *used = counter_path_used(instance_names, instance->server, &instance->set, name);
    struct instance *first = used == NULL ? NULL : (struct instance *)used->first;

    if (instance->occurrence == 0 && first != NULL && used->next == 1 &&
        (instance->row.id == PERF_ID_NONE || first->row.id == PERF_ID_NONE)) {
        instance->is = first;
        if (first->row.id == PERF_ID_NONE) {
            /* From now on it is that one's: another id is another instance. */
            used->first = instance;
        }
    } else {
        instance->number = counter_path_number(instance_names, instance->server, &instance->set, name);
        if (used == NULL) {
            counter_path_used(instance_names, instance->server, &instance->set, name)->first = instance;
        }
    }
    wmem_free(NULL, name);
}

static struct instance *
intern_instance(const struct instance *key, instance_text_cb text)
{
    struct instance *instance = (struct instance *)wmem_map_lookup(instances, key);

    if (instance == NULL) {
        instance = (struct instance *)wmem_memdup(wmem_file_scope(), key, sizeof *key);
        instance->row.name = (const uint8_t *)wmem_memdup(wmem_file_scope(), key->row.name, key->row.name_size);
        wmem_map_insert(instances, instance, instance);
        if (text != NULL) {
            number_instance(instance, text);
        }
    }
    while (instance->is != NULL) {
        instance = instance->is;
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
        instance = intern_instance(&key, text);
    }
    if (stamp == 0) {
        return instance;
    }
    if (instance->stamp == stamp) {
        key.occurrence = ++instance->repeats;
        return intern_instance(&key, text);
    }
    instance->stamp = stamp;
    instance->repeats = 0;
    return instance;
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
    key.number = 0;
    return intern_instance(&key, text);
}

struct identity *
identity_of(const struct server *server, const e_guid_t *set, uint32_t counter, unsigned twin,
    const struct instance *instance)
{
    const struct identity key = {
        .server = machine_of(server),
        .set = *set,
        .counter = counter,
        .twin = twin,
        .instance = instance,
    };
    struct identity *identity = (struct identity *)wmem_map_lookup(identities, &key);

    if (identity == NULL) {
        identity = (struct identity *)wmem_memdup(wmem_file_scope(), &key, sizeof key);
        wmem_map_insert(identities, identity, identity);
    }
    return identity;
}

/* Room for what tells a counter, or a counterset, from others of its name: it must not be cut off with a long one. */
#define OWN_TEXT_MAX 40u

const char *
identity_set_text(const struct server *server, const e_guid_t *set, const char *name, const char *id,
    wmem_allocator_t *scope)
{
    static const e_guid_t no_set;
    const struct server *known = machine_of(server);
    struct counter_path_used *used = counter_path_used(set_names, known, &no_set, name);

    if (used == NULL) {
        counter_path_number(set_names, known, &no_set, name);
        used = counter_path_used(set_names, known, &no_set, name);
        used->first = wmem_memdup(wmem_file_scope(), set, sizeof *set);
    }
    return guid_map_equal((const e_guid_t *)used->first, set)
        ? name
        : wmem_strdup_printf(scope, "%s {%s}", line_text_max(scope, name, NAME_TEXT_MAX - OWN_TEXT_MAX), id);
}

/* The label with a path, which is the identity's that asks for it first. */
static struct taken *
take_path(const struct identity *identity, const char *path)
{
    const struct taken key = { .label = { .path = path }, .identity = identity, .next = 1 };
    struct taken *taken = (struct taken *)wmem_map_lookup(labels, &key);

    if (taken == NULL) {
        taken = (struct taken *)wmem_memdup(wmem_file_scope(), &key, sizeof key);
        taken->label.path = wmem_strdup(wmem_file_scope(), path);
        wmem_map_insert(labels, taken, taken);
    }
    return taken;
}

/* Takes the path of these names, or one that tells its counter from others that would read so. */
static struct taken *
take_names(struct identity *identity, const struct identity_names *names)
{
    const char *host = server_host(identity->server);
    const unsigned number = identity->instance == NULL ? 0 : identity->instance->number;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    const char *set = identity_set_text(identity->server, &identity->set, names->set, names->set_id, scope);
    const char *counter = line_text_max(scope, names->counter, NAME_TEXT_MAX - OWN_TEXT_MAX);
    struct taken *first =
        take_path(identity, counter_path_make(scope, host, set, names->instance, number, names->counter));
    struct taken *taken = first;

    for (unsigned tried = 0; taken->identity != identity; tried++) {
        const char *own = identity->twin == 0
            ? wmem_strdup_printf(scope, "%s (id %u)", counter, identity->counter)
            : wmem_strdup_printf(scope, "%s (no. %u of id %u)", counter, identity->twin + 1, identity->counter);

        if (tried > 0) {
            /* The number it has had, unless another one is called so. */
            identity->no = tried == 1 && identity->no != 0 ? identity->no : ++first->next;
            own = wmem_strdup_printf(scope, "%s (id %u, no. %u)", counter, identity->counter, identity->no);
        }
        taken = take_path(identity, counter_path_make(scope, host, set, names->instance, number, own));
    }
    wmem_destroy_allocator(scope);
    return taken;
}

struct identity_label *
identity_name(struct identity *identity, const struct identity_names *names, uint64_t version)
{
    if (identity->label == NULL || identity->version != version) {
        identity->label = &take_names(identity, names)->label;
        identity->version = version;
    }
    return identity->label;
}
