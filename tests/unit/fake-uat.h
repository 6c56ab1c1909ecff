/* fake-uat.h
 * In place of Wireshark's tables of the user, which want a profile: the one table of a file, filled by the test
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_UAT_H
#define PERFLIB_TESTS_UNIT_FAKE_UAT_H

#include "compat.h"

#include <epan/prefs.h>
#include <epan/uat.h>

#include "check.h"

static struct {
    const char *filename;
    size_t size; /* of a record */
    void **records;
    unsigned *count;
    uat_copy_cb_t copy;
    uat_update_cb_t update;
    uat_free_cb_t free;
    uat_post_update_cb_t post_update;
    uat_reset_cb_t reset;
} table;

uat_t *
uat_new(const char *name _U_, size_t size, const char *filename, perflib_bool from_profile, void *data_ptr,
    unsigned *num_items_ptr, unsigned flags, const char *help _U_, uat_copy_cb_t copy_cb, uat_update_cb_t update_cb,
    uat_free_cb_t free_cb, uat_post_update_cb_t post_update_cb, uat_reset_cb_t reset_cb, uat_field_t *flds_array _U_)
{
    CHECK(from_profile && (flags & UAT_AFFECTS_DISSECTION) != 0, "%x", flags);
    table.filename = filename;
    table.size = size;
    table.records = (void **)data_ptr;
    table.count = num_items_ptr;
    table.copy = copy_cb;
    table.update = update_cb;
    table.free = free_cb;
    table.post_update = post_update_cb;
    table.reset = reset_cb;
    return (uat_t *)(void *)&table;
}

void
prefs_register_uat_preference(module_t *module _U_, const char *name _U_, const char *title _U_,
    const char *description _U_, struct epan_uat *uat)
{
    CHECK((void *)uat == &table, "another table");
}

/* Why a record can't be taken, newly allocated; NULL: it can. */
static inline char *
table_refuses(const void *record)
{
    void *copy = g_malloc0(table.size);
    char *why = (char *)copy;
    bool is_taken;

    table.copy(copy, record, table.size);
    is_taken = table.update(copy, &why);
    CHECK(is_taken == (why == NULL), "%s", why);
    table.free(copy);
    g_free(copy);
    return why;
}

/* These are the user's records from now on. */
static inline void
table_fill(const void *records, unsigned count)
{
    for (unsigned i = 0; i < *table.count; i++) {
        table.free((char *)*table.records + i * table.size);
    }
    g_free(*table.records);
    *table.records = g_malloc0((count + 1) * table.size);
    *table.count = count;
    for (unsigned i = 0; i < count; i++) {
        table.copy((char *)*table.records + i * table.size, (const char *)records + i * table.size, table.size);
    }
    table.post_update();
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_UAT_H */
