/* path.c
 * Counter paths, [MS-PLA] 2.2.10
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/path.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "counters/record.h"

/* Bytes of a number after a name: '#' and ten digits */
#define NUMBER_TEXT_MAX 11u

static const char *
path_copy(wmem_allocator_t *scope, const char *from, const char *to)
{
    return wmem_strndup(scope, from, (size_t)(to - from));
}

/*
 * Returns the '(' that matches the ')' at close, counting parentheses backwards: names of objects ("WF
 * (System.Workflow)") and instances ("a (1)") may contain pairs. Unbalanced: the first '('.
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

/* Parses Parent/Instance#Index without the parentheses. */
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
    const char *object = text + 1, *open, *close = NULL, *backslash;

    memset(path, 0, sizeof *path);
    if (text[0] != '\\') {
        return false;
    }
    if (text[1] == '\\') {
        object = strchr(text + 2, '\\');
        if (object == NULL || object == text + 2) {
            return false;
        }
        object++;
    }
    /* The last ")\" ends the instance, unless a backslash precedes the first '(': then there is none. */
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
        return line_text_max(scope, name, NAME_TEXT_MAX);
    }
    /* A long parent must leave space for the child's name. */
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
    wmem_strbuf_t *path = wmem_strbuf_new(scope, "\\");

    if (computer[0] != '\0') {
        wmem_strbuf_append_c(path, '\\');
        line_text_append(path, computer, NAME_TEXT_MAX);
        wmem_strbuf_append_c(path, '\\');
    }
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

char *
counter_path_fold(const char *text)
{
    return g_str_is_ascii(text) ? g_ascii_strdown(text, -1) : g_utf8_casefold(text, -1);
}

guint
counter_path_hash(const void *path)
{
    char *folded = counter_path_fold((const char *)path);
    const guint hash = wmem_str_hash(folded);

    g_free(folded);
    return hash;
}

gboolean
counter_path_equal(const void *a, const void *b)
{
    char *x, *y;
    bool is_equal;

    if (strcmp((const char *)a, (const char *)b) == 0) {
        return TRUE;
    }
    x = counter_path_fold((const char *)a);
    y = counter_path_fold((const char *)b);
    is_equal = strcmp(x, y) == 0;
    g_free(x);
    g_free(y);
    return is_equal;
}

struct counter_path_names {
    wmem_allocator_t *scope;
    wmem_map_t *table; /* set of struct counter_path_used */
};

static guint
used_hash(const void *key)
{
    const struct counter_path_used *used = (const struct counter_path_used *)key;

    return hash_join(hash_join(guid_map_hash(&used->set), hash_pointer(used->server)), wmem_str_hash(used->name));
}

static gboolean
used_equal(const void *a, const void *b)
{
    const struct counter_path_used *x = (const struct counter_path_used *)a;
    const struct counter_path_used *y = (const struct counter_path_used *)b;

    return x->server == y->server && guid_map_equal(&x->set, &y->set) && strcmp(x->name, y->name) == 0;
}

struct counter_path_names *
counter_path_names_new(wmem_allocator_t *scope)
{
    struct counter_path_names *names = wmem_new(scope, struct counter_path_names);

    names->scope = scope;
    names->table = wmem_map_new(scope, used_hash, used_equal);
    return names;
}

static struct counter_path_used *
find_used(const struct counter_path_names *names, const struct counter_path_used *key)
{
    return (struct counter_path_used *)wmem_map_lookup(names->table, key);
}

static struct counter_path_used *
use_name(struct counter_path_names *names, const struct counter_path_used *key)
{
    struct counter_path_used *used = (struct counter_path_used *)wmem_memdup(names->scope, key, sizeof *key);

    used->name = wmem_strdup(names->scope, key->name);
    wmem_map_insert(names->table, used, used);
    return used;
}

static struct counter_path_used
name_key(const void *server, const e_guid_t *set, const char *folded)
{
    static const e_guid_t no_set;

    return (struct counter_path_used){
        .server = server,
        .set = set == NULL ? no_set : *set,
        .next = 1,
        .name = folded,
    };
}

struct counter_path_used *
counter_path_claim(struct counter_path_names *names, const void *server, const e_guid_t *set, const char *name,
    void *owner)
{
    char *folded = counter_path_fold(name);
    struct counter_path_used key = name_key(server, set, folded);
    struct counter_path_used *used = find_used(names, &key);

    if (used == NULL) {
        key.owner = owner;
        used = use_name(names, &key);
    }
    g_free(folded);
    return used;
}

unsigned
counter_path_number(struct counter_path_names *names, const void *server, const e_guid_t *set, const char *instance)
{
    char *folded = counter_path_fold(instance);
    struct counter_path_used key = name_key(server, set, folded);
    struct counter_path_used *used = find_used(names, &key);
    unsigned number = 0;

    if (used == NULL) {
        use_name(names, &key);
    }
    /*
     * Skip numbers that real names contain ("x#1"). `next` only grows, so each such name is skipped once: the total
     * cost is linear.
     */
    for (bool is_taken = used != NULL; is_taken; used->next++) {
        char *numbered = g_strdup_printf("%s#%u", folded, used->next);

        key.name = numbered;
        is_taken = find_used(names, &key) != NULL;
        number = used->next;
        if (!is_taken) {
            use_name(names, &key);
        }
        g_free(numbered);
    }
    g_free(folded);
    return number;
}
