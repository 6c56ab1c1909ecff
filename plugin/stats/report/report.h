/* report.h
 * What a report is made of, and the parts of its page
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_REPORT_H
#define PERFLIB_STATS_REPORT_REPORT_H

#include "compat.h"

#include <glib.h>

#include "counters/record.h"
#include "stats/remedies.h"
#include "stats/rows.h"
#include "session/attempts.h"

/* Values of counters over time, as many as a page has room for, and their drawings */

struct curves;

/* The curves of a table of counters (stats/tables.h), which are kept from now on, and forgotten with its rows. */
struct curves *curves_of(struct stat_rows *counters);

/* What the machine at an address is called in the paths; NULL: not known; "": several machines answer by it. */
const char *curves_host(const struct curves *curves, const char *address);

/* What is drawn, and what is not, of all of a page's curves. */
struct curves_drawn {
    unsigned drawn, left_out; /* counters with values */
    unsigned thinned;         /* of those drawn */
    unsigned points;
};

/* When the latest poll was, in seconds since 1970; 0: there is none. */
double curves_last(const struct curves *curves);
/*
 * Draws them: a block for each counterset of each machine. Nothing where no counter has a value. All are drawn over the
 * same time: end seconds from begin on. scope: of what is needed meanwhile.
 */
void curves_draw(const struct curves *curves, const nstime_t *begin, double end, wmem_allocator_t *scope, GString *page,
    struct curves_drawn *sum);

/* What a report is made of: the tables of a capture, as -z shows them, and their curves */

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
    const GPtrArray *attempts; /* struct attempt (session/attempts.h), at the end */
    const char *capture;       /* its name; NULL: not known */
    const char *filter;        /* NULL: none */
    unsigned packets;          /* that passed it */
    nstime_t first, last;      /* their times, where there are any */
};

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

/* What a capture comes to: what works, what does not, and what to do about it, the worst first */

enum tone { TONE_BAD, TONE_WARN, TONE_HINT, TONE_GOOD };

/* Texts live as long as the scope they were made in. */
struct report_finding {
    enum tone tone;
    const char *what;
    const char *remedy; /* "": nothing to do */
    const char *whom;   /* NULL: nobody in particular */
    unsigned frame;     /* where to begin to look; 0: nowhere in particular */
    const char *pdh;    /* PDH's code; NULL: none */
    unsigned order;     /* in which it was found */
};

/* struct report_finding, the worst first */
GArray *findings_of(const struct model *model, wmem_allocator_t *scope);
/* All of it in one line; sets *tone. */
const char *findings_verdict(const struct model *model, const GArray *findings, wmem_allocator_t *scope,
    enum tone *tone);

/* How an attempt ended. */
enum tone findings_tone(const struct attempt *attempt);
/* A text of a remedy about a client and a server, as they are shown. */
const char *findings_fill(wmem_allocator_t *scope, const char *text, const char *client, const char *server);
/* PDH's code that its user saw, as "0xC0000BDB PDH_ACCESS_DENIED"; NULL: none that is known for sure. */
const char *findings_pdh(wmem_allocator_t *scope, const struct attempt *attempt, const struct remedy *remedy);

/* The page of a report, from its headline to how it was made */

/* The whole page. */
void sections_write(struct model *model, GString *page);

/* How the page looks, and what it does under a pointer: its style and script */

/*
 * The head of the page, up to where its body begins, which allows its own style and script by their hashes and nothing
 * else. title: any text.
 */
void look_begin(GString *page, const char *title);
/* Its end, with the script. */
void look_end(GString *page);

/* The name of the capture that is read */

/* Without its folder; NULL: not known. To be freed with g_free(). */
char *capture_name(void);

#endif /* PERFLIB_STATS_REPORT_REPORT_H */
