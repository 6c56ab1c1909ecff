/* model.h
 * All tables of a capture, for what is made of several
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_MODEL_H
#define PERFLIB_STATS_MODEL_H

#include "compat.h"

#include <glib.h>

#include "counters/record.h"
#include "stats/rows.h"

struct curves;

enum model_api { MODEL_PERFLIBV2, MODEL_PERFDATA, NUM_MODEL_APIS };

/* In the order of tables.c; sessions are those of all protocols. */
enum model_table {
    MODEL_SESSIONS,
    MODEL_RULES,
    MODEL_SETS,
    MODEL_CALLS,
    MODEL_PLA_CALLS,
    MODEL_QUERIES, /* from here on of each enum model_api */
    MODEL_USAGE = MODEL_QUERIES + NUM_MODEL_APIS,
    MODEL_MISSING = MODEL_USAGE + NUM_MODEL_APIS,
    MODEL_WATCH = MODEL_MISSING + NUM_MODEL_APIS,
    MODEL_COUNTERS = MODEL_WATCH + NUM_MODEL_APIS,
    NUM_MODEL_TABLES = MODEL_COUNTERS + NUM_MODEL_APIS
};

/* The tables of a capture, each counted as its -z does. It lives as long as the process. */
struct model {
    struct stat_rows *tables[NUM_MODEL_TABLES];
    struct curves *curves[NUM_MODEL_APIS]; /* NULL: nobody draws them */
    const GPtrArray *attempts;             /* struct attempt (session/attempts.h), at the end */
    char *capture;                         /* its name, at the end; NULL: not known */
    unsigned packets;                      /* that were counted */
    nstime_t first, last;                  /* their times, where there are any */
    GHashTable *hosts;                     /* address -> machine; "": several */
    GArray *events;                        /* what taps brought in a frame that is not counted yet */
    uint32_t frame;
    bool is_open;
};

/*
 * Begins to count; between this and model_close() nobody else has the model. begin: called for each model that is made,
 * before its tables are opened; may be NULL, and is the same for all callers that may take each other's models.
 */
struct model *model_open(void (*begin)(struct model *model));
void model_reset(struct model *model);
/* Counts a frame, all of whose taps have been told: to be called by who listens to "frame". */
void model_packet(struct model *model, const packet_info *pinfo);
/* Shows in all rows what was counted. scope: of model->attempts. */
void model_fill(struct model *model, wmem_allocator_t *scope);
void model_close(struct model *model);

/* What a cell of a column shows; "": nothing. In scope. */
const char *model_text(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, unsigned column);
/* The same of the column with that key. */
const char *model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column);
/* Digits of a table, those before the point in groups of three. In scope. */
const char *model_grouped(wmem_allocator_t *scope, const char *digits);
/* A whole number of a cell; 0: none. */
unsigned model_number(const struct stat_rows *rows, unsigned row, const char *column);
/* The sum of a column; a table's sentences have none. */
uint64_t model_sum(const struct stat_rows *rows, const char *column);
/* All polls that were answered. */
uint64_t model_polls(const struct model *model);
/* What the machine at an address is called in paths; the address where that is not known, or several answer by it. */
const char *model_host(const struct model *model, const char *address);
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

/* ---- capture-name.c ---- */

/* The name of the capture that is read, without its folder; NULL: not known. To be freed with g_free(). */
char *capture_name(void);

#endif /* PERFLIB_STATS_MODEL_H */
