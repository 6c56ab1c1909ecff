/* poll.h
 * A poll of either performance API as flat rows, one per value. Only this code adds the items of values, the fields
 * of the watch list and the record for statistics
 *
 * A protocol fills in blocks, one per counterset or object: columns (counters), instances and rows. The row of
 * instance i and column c has index i * num_columns + c in its block. Tree, tables and statistics use only the rows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_POLL_H
#define PERFLIB_COUNTERS_POLL_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/prefs.h>

#include "base/fields.h"
#include "base/text.h"
#include "cook/cooking.h"
#include "counters/catalog.h"
#include "counters/identity.h"
#include "counters/record.h"
#include "counters/series.h"

/* Another counter that a counter's formula needs */
struct poll_operand {
    uint32_t id; /* PERF_ID_NONE: none is known */
    /* column of this counter in the block of the value; UINT_MAX: it may be in another block */
    unsigned column;
};

/* A counter of a block */
struct poll_column {
    struct perf_counter key;      /* key for identity_counter(); if .words is NULL, its values have no path */
    struct perf_counter *counter; /* for poll.c: the record that all polls share; NULL: not looked up */
    const char *known_by;         /* source of the counter's name as one word, for example "map"; constant */
    const char *note;             /* text appended to the line of each value; NULL: none */
    bool is_note_of_zero;         /* .note applies only to values that are 0 as sent */
    bool type_known, as_hex, as_real;
    bool is_text;     /* text in any encoding */
    bool is_identity; /* values identify the instance (ID Process): if one changes, the instance is another */
    bool is_shown;    /* has a column in the block's table */
    bool is_left_out; /* the user excludes it from statistics */
    bool has_base_id; /* BaseCounterId names a counter, even if the poll does not contain that counter */
    uint32_t type;    /* counter type, as sent */
    const struct cook_method *method; /* method of the type; NULL: cook() looks it up */
    uint32_t aggregate;               /* AggregateFunc ([MS-PCQ] 2.2.4.2); 0: none */
    unsigned needs;                   /* COOK_NEEDS_* of the type */
    struct poll_operand base, time, freq, multi;
    const struct cook_value *multis; /* second number of each instance's value (PERF_MULTI_COUNTER types); NULL: none */
};

/* An instance of a block */
struct poll_instance {
    const struct instance *instance; /* NULL: the only instance of the counterset, without a name */
    /* if the block is_renamed: .name is the instance's name, .id the number of earlier ones with it in the block */
    struct series_row row;
    const char *text; /* name in tables; NULL: the id is shown */
    bool has_id;
    uint32_t id;
};

/* A row of a block: one value, of one counter and one instance */
struct poll_row {
    struct cook_value value; /* raw values of this and the previous poll */
    unsigned offset, length; /* captured bytes of the value */
    struct identity *identity;
};

struct poll_block {
    unsigned num_instances, num_columns;
    bool is_named;                /* true if the counterset is known; if not, its values are counted but not shown */
    enum cook_reason why_unknown; /* reason if .is_named is false */
    bool is_table;                /* the block's instances are shown as a table if there are at least 2 */
    bool is_renamed;              /* instances that are identified by id may have another name in each poll */
    bool polled_before;           /* the previous poll had instances of the counterset */
    bool has_identity;            /* a column identifies the instance (is_identity) */
    bool lacks_blocks;            /* the poll may lack the values of further counters that the client asked for */
    bool has_clock;               /* the object has its own clock, used in place of time and frequency counters */
    unsigned table_offset;        /* offset in the poll's tvb that the table's items highlight */
    struct poll_column *columns;
    struct poll_instance *instances;
    struct poll_row *rows; /* NULL: not needed so far */
    const char **texts;    /* text of each value, row by row; NULL for a number. NULL: all are numbers */
    struct cook_value time, freq;
    /* Arrays with a member per value, filled on demand */
    const char **paths;
    struct cook_result *cooked;
};

/* A term in the legend of a formula: as in PerflibV2, and as in the older API. Tables of these end with NULL. */
struct poll_formula_word {
    const char *newer, *older;
};

/* A poll; the first member of a protocol's own structure. Packet scope. */
struct poll {
    wmem_allocator_t *scope;
    tvbuff_t *tvb;
    /* the poll as stored: its first blocks are those of .blocks; NULL: not stored as a sample */
    const struct series_poll *sample;
    uint32_t frame; /* frame as of which names are looked up */
    uint64_t names; /* version of the names (catalog_version_in()) */
    struct cook_clocks clocks;
    unsigned num_blocks;
    struct poll_block *blocks;
    const struct poll_formula_word *formula_words; /* terms that the older API names otherwise; NULL: none */
};

/*
 * Returns whether poll_claim_names() has to be called for a new sample: a counter is new, or names were learned since
 * its last call. First pass only.
 */
bool poll_has_unclaimed(const struct poll *poll);
/*
 * Gives the counters of a new sample their names. If two counters have one name, the first one polled keeps the name
 * unchanged (identity_claim()). Columns must be filled in. First pass only.
 */
void poll_claim_names(struct poll *poll);
/* Returns the counter of a column, or NULL if its values have no path. */
struct perf_counter *poll_counter(struct poll *poll, struct poll_column *column);
/*
 * Completes the rows of a block: adds previous values and identities. The protocol has already set bytes and texts, and
 * raw values if the poll was not stored as a sample (.sample is NULL).
 */
void poll_complete_rows(struct poll *poll, unsigned block);

/* Returns a value's path, or NULL if it has none. */
const char *poll_path(struct poll *poll, unsigned block, unsigned at);
/* Fills in the input for cooking a value. */
void poll_input(struct poll *poll, unsigned block, unsigned at, struct cook_input *in);
/* Returns the cooked result of a value, or NULL if it needs a previous value and poll->sample is NULL. */
const struct cook_result *poll_cooked(struct poll *poll, unsigned block, unsigned at);
/*
 * Returns the column, ID Process or ID Thread, whose value differs from the previous poll's: the instance is another
 * one with the same name. UINT_MAX if there is none.
 */
unsigned poll_other_instance(const struct poll_block *block, unsigned instance);

/* Fields and subtrees of one protocol */
struct poll_fields {
    int path, cooked, formula, reason, pdh;
    int previous_frame, next_frame, interval;
    int learned_in;
    int ett_value; /* subtree of a value */
    int ett_name;  /* subtree of a learned name */
    int table, table_row, ett_table;
};

/* Names of the field .cooked.pdh's values */
extern const value_string pdh_code_vals[];

/* Parts of a poll that must be computed. An invisible tree needs only fields that a filter or a column names. */
struct poll_wants {
    bool is_seen; /* the tree is visible, so labels and all fields are needed */
    bool path, cooked, formula, reason, pdh, table;
};

/* ---- poll-tree.c ---- */

struct poll_wants poll_wants(const struct poll_fields *fields, proto_tree *tree);
bool poll_wants_any(const struct poll_wants *wants);
/* Returns whether any part is needed that is computed from the poll's rows. */
bool poll_wants_rows(const struct poll_wants *wants);

/* State of showing one poll in a packet: fields of the protocol, and which parts of the poll are needed */
struct poll_view {
    packet_info *pinfo;
    const struct poll_fields *fields;
    struct poll_wants wants;
    struct item_rest *rest; /* counts of values that the packet has no room for */
    struct line text;       /* the current value's result as text */
};

/* ---- poll.c ---- */

/*
 * Adds the watch list's fields for all values of a sample, even those with no room in the tree, so that filters on them
 * are exact. Only matching values are cooked.
 */
void poll_add_watched(struct poll *poll, packet_info *pinfo, proto_tree *tree);

/* ---- poll-tree.c ---- */

/* Appends a cooked value with its unit: "12.300 %", "134.000 /s", "4711", "0xff". cooked->reason must be COOK_OK. */
void poll_add_cooked_text(struct line *line, const struct cook_result *cooked);
/* Returns the printable text of a text counter, or "". */
const char *poll_text(const struct poll *poll, unsigned block, unsigned at);
/* Writes a value's line: its path and result. */
void poll_make_line(struct poll *poll, struct poll_view *view, unsigned block, unsigned at, struct line *line);
/*
 * Returns the line of the tree for a block's only value, its path and result, in the poll's scope; NULL if the block
 * has no value or several, or the line is too long for a label.
 */
const char *poll_only_line(struct poll *poll, struct poll_view *view, unsigned block);
/*
 * Adds the item of a value, with its result in the label. Returns the subtree for further items, or NULL if the value
 * has no path or !view->wants.path. The protocol adds its own items there, and then calls poll_add_cooked().
 */
proto_tree *poll_add_value(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at);
void poll_add_cooked(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at);

/* Adds PDH's code (cook/cooking.h); nothing if code is 0. */
void poll_add_pdh(const struct poll_fields *fields, proto_tree *tree, tvbuff_t *tvb, uint32_t code);

/*
 * Returns how many polls are missing before this one: "2 polls not captured", or "up to 2 polls not captured" if some
 * of the missing calls may not be polls. poll->lost must not be 0.
 */
const char *poll_lost_text(wmem_allocator_t *scope, const struct series_poll *poll);
/*
 * Adds, once per poll, the previous poll's frame and the interval, and the next poll's frame. The next poll is known
 * only after the capture was read once.
 */
void poll_add_neighbours(const struct poll_fields *fields, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct series_poll *poll);

/*
 * Adds a name that the packet does not contain, and the frame in which the name was learned. hf: field of the name.
 * Does nothing if the name is not known.
 */
void poll_add_learned_name(const struct poll_fields *fields, proto_tree *tree, int hf, tvbuff_t *tvb,
    struct catalog_text name);

/* Names of DetailLevel of counters and objects, winperf.h */
extern const value_string perf_detail_level_vals[];

/* ---- poll.c ---- */

/*
 * Returns the record for statistics: all values of a sample that have a path. A counter that occurs twice in the poll
 * is added once, unless its values differ. more: number of values that the caller adds. The caller also fills in host,
 * query, time and bytes.
 */
struct perf_tap_poll *poll_record(struct poll *poll, unsigned more);

/* ---- poll-table.c ---- */

/* Adds a block's values as a table, one line per instance, if view->wants.table, as far as the packet has room. */
void poll_add_table(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block,
    const struct item_budget *budget);

/* Items of a counter type and its bit fields, for any protocol */

/* Fields and subtree of one protocol */
struct counter_type_fields {
    int type, size, kind;
    int subtype[4]; /* bit field of the subtype, by kind: number, counter, text, zero */
    int timer, delta, delta_base, inverse, multi, display;
    int ett;
};

/* Number of items that type_tree_add() adds */
#define COUNTER_TYPE_TREE_ITEMS 10u

/* ---- type-tree.c ---- */

proto_item *type_tree_add(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const struct counter_type_fields *fields,
    unsigned encoding, uint32_t type);

/* Names of counter types and of the values of their bit fields */
extern value_string_ext counter_type_vals_ext;
extern const value_string counter_type_size_vals[], counter_type_kind_vals[], counter_type_number_vals[],
    counter_type_counter_vals[], counter_type_text_vals[], counter_type_timer_vals[], counter_type_display_vals[];

/* The user's watch list: counters with their own field, perflibv2.watch.NAME */

/* ---- watch.c ---- */

/* Adds the table "PerflibV2 watch list" to the protocol's preferences. Its fields belong to the protocol. */
void watch_register(int proto, expert_module_t *expert, module_t *module);

/*
 * Returns whether a field of the watch list is needed: it is shown, or a filter or column names it. If not, paths need
 * not be compared. Call it before the values of each poll.
 */
bool watch_begin(proto_tree *tree);

/* Returns whether an entry matches a path. */
bool watch_matches(const char *path);
/* Number that changes with every change of the list, which invalidates caches */
extern unsigned watch_version;

/*
 * Adds to tree the fields of all entries that match a path, with the cooked value, for the bytes at offset. Call it
 * only if watch_begin() returned true. Adds a note if a second counter of the poll matches the same entry.
 */
void watch_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, int length, const char *path,
    const struct cook_result *cooked);

#endif /* PERFLIB_COUNTERS_POLL_H */
