/* path.c
 * Counter paths, [MS-PLA] 2.2.10
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/path.h"

#include <string.h>

#include "base/guid-map.h"
#include "base/hash.h"
#include "base/text.h"

/* Bytes of a number behind a name: '#' and ten digits. */
#define NUMBER_TEXT_MAX 11u

static const char *
path_copy(wmem_allocator_t *scope, const char *from, const char *to)
{
    return wmem_strndup(scope, from, (size_t)(to - from));
}

/*
 * The '(' that goes with the ')' at close, by counting parentheses backwards: both an
 * object's name ("WF (System.Workflow)") and an instance's ("a (1)") may hold pairs of
 * their own. Where they don't pair up, the first '('.
 */
static const char *
opening(const char *start, const char *close)
{
    unsigned depth = 0;

    for (const char *p = close; p >= start; p--) {
        if (*p == ')') {
            depth++;
        } else if (*p == '(' && --depth == 0) {
            return p;
        }
    }
    return memchr(start, '(', (size_t)(close - start));
}

/* Parent/Instance#Index, without the parentheses. */
static void
split_instance(wmem_allocator_t *scope, const char *from, const char *to, struct counter_path *path)
{
    const char *const slash = memchr(from, '/', (size_t)(to - from));
    const char *hash = to;

    if (slash != NULL) {
        path->parent = path_copy(scope, from, slash);
        from = slash + 1;
    }
    while (hash > from && g_ascii_isdigit(hash[-1])) {
        hash--;
    }
    if (hash < to && hash > from && hash[-1] == '#') {
        path->index = path_copy(scope, hash, to);
        to = hash - 1;
    }
    path->instance = path_copy(scope, from, to);
}

bool
counter_path_split(wmem_allocator_t *scope, const char *text, struct counter_path *path)
{
    const char *object, *close = NULL, *open, *backslash;

    memset(path, 0, sizeof *path);
    if (text[0] != '\\') {
        return false;
    }
    object = text + 1;
    if (text[1] == '\\') {
        object = strchr(text + 2, '\\');
        if (object == NULL || object == text + 2) {
            return false;
        }
        object++;
    }
    /* The last ")\" ends the instance, unless a backslash before any '(' says there is none. */
    backslash = strchr(object, '\\');
    open = strchr(object, '(');
    if (backslash == NULL || open == object) {
        return false;
    }
    if (open != NULL && open < backslash) {
        for (const char *p = strstr(open, ")\\"); p != NULL; p = strstr(p + 1, ")\\")) {
            close = p;
        }
    }
    if (close != NULL) {
        open = opening(object, close);
        backslash = close + 1;
    } else {
        open = backslash;
    }
    if (open == object || backslash[1] == '\0') {
        return false;
    }
    if (object > text + 1) {
        path->computer = path_copy(scope, text + 2, object - 1);
    }
    path->object = path_copy(scope, object, open);
    if (close != NULL) {
        split_instance(scope, open + 1, close, path);
    }
    path->counter = wmem_strdup(scope, backslash + 1);
    return true;
}

const char *
counter_path_instance(wmem_allocator_t *scope, const char *parent, const char *name)
{
    if (parent == NULL) {
        return name_text(scope, name);
    }
    /* A long parent must not take the room that tells its children apart. */
    parent = line_text_max(scope, parent, NAME_TEXT_MAX / 2);
    return wmem_strdup_printf(scope, "%s/%s", parent, line_text_max(scope, name, NAME_TEXT_MAX - strlen(parent) - 1));
}

const char *
counter_path_numbered(wmem_allocator_t *scope, const char *instance, unsigned number)
{
    return number == 0 ? instance : wmem_strdup_printf(scope, "%s#%u", instance, number);
}

char *
counter_path_make(wmem_allocator_t *scope, const char *computer, const char *object, const char *instance,
    unsigned number, const char *counter)
{
    wmem_strbuf_t *path = wmem_strbuf_new(scope, "\\\\");

    line_text_append(path, computer, NAME_TEXT_MAX);
    wmem_strbuf_append_c(path, '\\');
    line_text_append(path, object, NAME_TEXT_MAX);
    if ((instance != NULL && instance[0] != '\0') || number > 0) {
        wmem_strbuf_append_c(path, '(');
        line_text_append(path, instance == NULL ? "" : instance, NAME_TEXT_MAX + NUMBER_TEXT_MAX);
        if (number > 0) {
            wmem_strbuf_append_printf(path, "#%u", number);
        }
        wmem_strbuf_append_c(path, ')');
    }
    wmem_strbuf_append_c(path, '\\');
    line_text_append(path, counter, NAME_TEXT_MAX);
    return wmem_strbuf_finalize(path);
}

struct counter_path_names {
    GHashTable *table; /* struct used_name -> itself */
};

struct used_name {
    e_guid_t set;
    unsigned next;    /* the number to try for a further instance of this name */
    const char *name; /* behind this structure, where it is in the table */
};

static guint
used_name_hash(const void *key)
{
    const struct used_name *used = (const struct used_name *)key;

    return hash_join(guid_map_hash(&used->set), wmem_str_hash(used->name));
}

static gboolean
used_name_equal(const void *a, const void *b)
{
    const struct used_name *x = (const struct used_name *)a;
    const struct used_name *y = (const struct used_name *)b;

    return guid_map_equal(&x->set, &y->set) && strcmp(x->name, y->name) == 0;
}

struct counter_path_names *
counter_path_names_new(void)
{
    struct counter_path_names *names = g_new(struct counter_path_names, 1);

    names->table = g_hash_table_new_full(used_name_hash, used_name_equal, g_free, NULL);
    return names;
}

void
counter_path_names_free(struct counter_path_names *names)
{
    g_hash_table_destroy(names->table);
    g_free(names);
}

static struct used_name *
use_name(struct counter_path_names *names, const struct used_name *key)
{
    const size_t size = strlen(key->name) + 1;
    struct used_name *used = (struct used_name *)g_malloc(sizeof *used + size);
    char *name = (char *)(used + 1);

    memcpy(name, key->name, size);
    used->set = key->set;
    used->next = 1;
    used->name = name;
    g_hash_table_add(names->table, used);
    return used;
}

unsigned
counter_path_number(struct counter_path_names *names, const e_guid_t *set, const char *instance)
{
    struct used_name key = { .name = instance };
    struct used_name *used;
    unsigned number;

    if (set != NULL) {
        key.set = *set;
    }
    used = (struct used_name *)g_hash_table_lookup(names->table, &key);
    if (used == NULL) {
        use_name(names, &key);
        return 0;
    }
    /*
     * A number is passed over where an instance is really called so: each such name is met once, so all cost is
     * linear.
     */
    for (bool is_taken = true; is_taken; used->next++) {
        char *numbered = g_strdup_printf("%s#%u", instance, used->next);

        key.name = numbered;
        is_taken = g_hash_table_lookup(names->table, &key) != NULL;
        number = used->next;
        if (!is_taken) {
            use_name(names, &key);
        }
        g_free(numbered);
    }
    return number;
}
