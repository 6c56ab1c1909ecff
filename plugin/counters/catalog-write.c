/* catalog-write.c
 * Writes learned names and types in the format of the user's table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog-entries.h"

#include "base/hash.h"
#include "counters/record.h"

/* Countersets and counters are sorted, since the order in a hash table is arbitrary. */
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

/*
 * Writes a counterset and its counters. is_apart: the previous records may be the same counters of another server. A
 * record without a counter then separates them, since adjacent records with one id are different counters.
 */
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
        const unsigned num_same_id = catalog_same_id_count(server, &set->guid, id);

        for (unsigned nth = 0; nth < num_same_id; nth++) {
            struct catalog_counter info;

            catalog_counter(server, &set->guid, id, nth, CATALOG_NOW, &info);
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
