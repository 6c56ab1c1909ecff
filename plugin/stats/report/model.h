/* model.h
 * What a report is made of: the tables of a capture, as -z shows them, and their curves
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_MODEL_H
#define PERFLIB_STATS_REPORT_MODEL_H

#include "compat.h"

#include "stats/report/curves.h"
#include "stats/rows.h"

enum model_api { MODEL_PERFLIBV2, MODEL_PERFDATA, NUM_MODEL_APIS };

enum model_table {
    MODEL_SESSIONS,
    MODEL_RULES,
    MODEL_SETS,
    MODEL_QUERIES, /* from here on of each enum model_api */
    MODEL_USAGE = MODEL_QUERIES + NUM_MODEL_APIS,
    MODEL_MISSING = MODEL_USAGE + NUM_MODEL_APIS,
    MODEL_COUNTERS = MODEL_MISSING + NUM_MODEL_APIS,
    NUM_MODEL_TABLES = MODEL_COUNTERS + NUM_MODEL_APIS
};

struct model {
    struct stat_rows *tables[NUM_MODEL_TABLES];
    struct curves *curves[NUM_MODEL_APIS];
    const GPtrArray *attempts; /* struct attempt (stats/sessions/attempts.h), at the end */
    const char *capture;       /* its name; NULL: not known */
    const char *filter;        /* NULL: none */
    unsigned packets;          /* that passed it */
    nstime_t first, last;      /* their times, where there are any */
};

/* The column of that name; num_columns: the table has none. */
unsigned model_column(const struct stat_rows *rows, const char *name);
/* What a cell of a column shows; "": nothing. In scope. */
const char *model_text(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, unsigned column);
/* The same of the column of that name. */
const char *model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column);
/* Digits of a table, those before the point in groups of three. In scope. */
const char *model_grouped(wmem_allocator_t *scope, const char *digits);
/* A whole number of a cell; 0: none. */
unsigned model_number(const struct stat_rows *rows, unsigned row, const char *column);
/* The sum of a column; a table's sentences have none. */
uint64_t model_sum(const struct stat_rows *rows, const char *column);
/* All polls that were answered. */
uint64_t model_polls(const struct model *model);
/* An address, with the machine's name before it where polls tell it. In scope. */
const char *model_machine(wmem_allocator_t *scope, const struct model *model, const char *address);

/* Things that have keys, in the order in which they came. */
struct gathered {
    wmem_allocator_t *scope; /* of all; zero at first are the others */
    wmem_map_t *by_key;
    wmem_array_t *things; /* pointers */
};

/* The thing of a key (which is copied), or a new one, of size bytes, all zero. */
void *gathered_add(struct gathered *gathered, const char *key, size_t size);
unsigned gathered_count(const struct gathered *gathered);
void *gathered_at(const struct gathered *gathered, unsigned index);

#endif /* PERFLIB_STATS_REPORT_MODEL_H */
