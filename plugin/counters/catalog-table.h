/* catalog-table.h
 * Countersets and counters known without a capture: the user's table and the built-in one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_CATALOG_TABLE_H
#define PERFLIB_COUNTERS_CATALOG_TABLE_H

#include <stdio.h>

#include <epan/prefs.h>

#include "counters/catalog.h"

/* Adds the table "PerflibV2 known counters" to the protocol's preferences. */
void catalog_table_register(module_t *module);

/* The name of a counterset, NULL where neither table has it. The user's table goes first. */
const char *catalog_table_counterset_name(const e_guid_t *guid);
/* false where neither table has the counter. out->name.frame is 0. */
bool catalog_table_counter(const e_guid_t *guid, uint32_t id, unsigned twin, struct catalog_counter *out);
/* How many counters of a set have this id. The table says so by records of one id that follow each other. */
unsigned catalog_table_twins(const e_guid_t *guid, uint32_t id);

/*
 * Writes one record in the format of the user's table. counter NULL: the counterset alone. Rises with
 * each change of the user's table: catalog_table_version().
 */
void catalog_table_write_record(FILE *file, const e_guid_t *guid, const char *set_name, uint32_t id,
    const struct catalog_counter *counter);
unsigned catalog_table_version(void);

#endif /* PERFLIB_COUNTERS_CATALOG_TABLE_H */
