/* poll.h
 * A poll of either performance API as flat rows, one per value, and the one writer of their items, of the watch list's
 * fields, and of the record for statistics
 *
 * A protocol fills in blocks (a counterset or an object each): columns (counters), instances and rows. The row of
 * instance i and column c is number i * num_columns + c of its block. All readers take what they show from the rows.
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
#include "cook/counter-types.h"
#include "counters/catalog.h"
#include "counters/identity.h"
#include "counters/record.h"
#include "counters/series.h"

/* Another counter that the formula of a counter needs. */
struct poll_operand {
    uint32_t id;     /* PERF_ID_NONE: there is none */
    unsigned column; /* its column in the same block; UINT_MAX: it may be in another block */
};

/* A counter of a block. */
struct poll_column {
    struct perf_counter key;      /* what it is (identity_counter()); .words NULL: its values have no path */
    struct perf_counter *counter; /* cache of poll.c: the counter of the whole capture */
    const char *known_by;         /* how its name is known, in a word; constant */
    const char *note;             /* what lines of its values end with; NULL: nothing */
    bool is_note_of_zero;         /* the note is for raw values of 0 only */
    bool type_known, as_hex, as_real;
    bool is_text;       /* text of any encoding */
    bool is_identity;   /* an instance where this value changed is another instance (ID Process) */
    bool is_shown;      /* it has a column in a block's table */
    bool is_left_out;   /* the user wants it left out of statistics */
    bool has_base_id;   /* BaseCounterId names a counter, whether or not the poll holds it */
    uint32_t type;      /* counter type, as sent */
    uint32_t aggregate; /* AggregateFunc ([MS-PCQ] 2.2.4.2); 0: none */
    unsigned needs;     /* COOK_NEEDS_* of the type */
    struct poll_operand base, time, freq, multi;
    const struct cook_value *multis; /* second numbers of its values, by instance; NULL: there are none */
};

/* An instance of a block. */
struct poll_instance {
    const struct instance *instance; /* NULL: the counterset has one only, without a name */
    struct series_row row;           /* where is_renamed: which instance it is, by its name among those of its poll */
    const char *text;                /* its name in tables; NULL: it goes by its id */
    bool has_id;
    uint32_t id;
};

/* A value. */
struct poll_row {
    struct cook_value value; /* raw: now, and in the previous poll */
    unsigned offset, length; /* its bytes, as far as they were captured */
    struct identity *identity;
};

struct poll_block {
    unsigned num_instances, num_columns;
    bool is_named; /* it is known what the values are of; else they have rows for statistics, but nothing to show */
    enum cook_reason why_unknown; /* where it is not named */
    bool is_table;                /* it has several instances, so that a table shows them */
    bool is_renamed;              /* instances without a name in series may have another name in each poll */
    bool polled_before;           /* the previous poll held instances of the counterset */
    bool has_identity;            /* some column says which instance it is (is_identity) */
    bool has_clock;        /* the object has its own clock, which takes the place of time and frequency counters */
    unsigned table_offset; /* where the table's items point to */
    struct poll_column *columns;
    struct poll_instance *instances;
    struct poll_row *rows; /* NULL: nobody asked for values yet */
    const char **texts;    /* of rows with text counters; NULL: there are none */
    struct cook_value time, freq;
    /* Columns that are filled when a reader asks: */
    const char **paths;
    struct cook_result *cooked;
};

/* Names of cook/formula.c that another API has other words for; the last has NULL. */
struct poll_formula_word {
    const char *newer, *older;
};

/* Begins a protocol's own structure; packet scope. */
struct poll {
    wmem_allocator_t *scope;
    tvbuff_t *tvb;
    const struct series_poll *sample; /* as remembered, its first blocks these; NULL: it is no sample */
    uint32_t frame;                   /* names are those that hold in it, */
    uint64_t names;                   /* and this is the same as long as they are */
    struct cook_clocks clocks;
    unsigned num_blocks;
    struct poll_block *blocks;
    const struct poll_formula_word *formula_words; /* NULL: formulas stay as they are */
};

/* Whether the counters of some block of a new sample have to claim their names; first pass only. */
bool poll_has_unclaimed(const struct poll *poll);
/*
 * A sample is new: its counters have the names that they have now before any that are polled later (identity_claim()).
 * Columns must be filled in. First pass only.
 */
void poll_claim_names(struct poll *poll);
/* The counter of a column; NULL: its values have no path. */
struct perf_counter *poll_counter(struct poll *poll, struct poll_column *column);
/*
 * Completes the rows of a block, of which the protocol has set bytes, texts and, without a sample, raw values: previous
 * values and identities.
 */
void poll_complete_rows(struct poll *poll, unsigned block);

/* A value's path; NULL: it has none. */
const char *poll_path(struct poll *poll, unsigned block, unsigned at);
/* The label of a counter by the names of the poll. */
const char *poll_path_of(const struct poll *poll, struct identity *identity);
/* What a value is cooked from. */
void poll_input(struct poll *poll, unsigned block, unsigned at, struct cook_input *in);
/* The result of a value; NULL: there is nothing to compare it with, as the poll is no sample. */
const struct cook_result *poll_cooked(struct poll *poll, unsigned block, unsigned at);
/* The counter in which an instance differs from the one of its name in the previous poll; UINT_MAX: none. */
unsigned poll_other_instance(const struct poll_block *block, unsigned instance);

/* The fields of one protocol. */
struct poll_fields {
    int path, cooked, formula, reason, pdh;
    int previous_frame, next_frame, interval;
    int learned_in;
    int ett_value; /* below a value */
    int ett_name;  /* below a learned name */
    int table, table_row, ett_table;
};

/* Names of the values of .cooked.pdh. */
extern const value_string pdh_code_vals[];

/*
 * What is looked at: of an invisible tree, only fields that a filter or a column names. The rest need not be made, and
 * what it is made of need not be looked up.
 */
struct poll_wants {
    bool is_seen; /* labels are read, and all fields are wanted */
    bool path, cooked, formula, reason, pdh, table;
};

/* ---- poll-tree.c ---- */

struct poll_wants poll_wants(const struct poll_fields *fields, proto_tree *tree);
bool poll_wants_any(const struct poll_wants *wants);
/* Whether anything is looked at that is made of rows. */
bool poll_wants_rows(const struct poll_wants *wants);

/* Who looks at a poll, and at what. */
struct poll_view {
    packet_info *pinfo;
    const struct poll_fields *fields;
    struct poll_wants wants;
    struct item_rest *rest; /* values there is no room for */
    struct line text;       /* of the value looked at: what it comes to, as a person reads it */
};

/* ---- poll.c ---- */

/*
 * The fields of the watch list for all values of a sample, whether or not there is room to show them: filters on them
 * are exact. Only what an entry matches is cooked.
 */
void poll_add_watched(struct poll *poll, packet_info *pinfo, proto_tree *tree);

/* ---- poll-tree.c ---- */

/* Adds a cooked value with its unit, "12.300 %", "134.000 /s", "4711", "0xff"; only where cooked->reason is COOK_OK. */
void poll_add_cooked_text(struct line *line, const struct cook_result *cooked);
/* The same on its own, in scope. */
const char *poll_cooked_text(wmem_allocator_t *scope, const struct cook_result *cooked);
/* The text of a text counter as it may stand in a line; "" where there is none. */
const char *poll_text(const struct poll *poll, unsigned block, unsigned at);
/* A value's line: its path, and what it comes to. */
void poll_make_line(struct poll *poll, struct poll_view *view, unsigned block, unsigned at, struct line *line);
/* The same of a block of one value, in the poll's scope; NULL: it has none, several, or the line would be cut. */
const char *poll_only_line(struct poll *poll, struct poll_view *view, unsigned block);
/*
 * The item of a value, with what it comes to in its line: the tree below it, or NULL where it has no path or nobody
 * looks at that. What else the protocol shows of it comes in between, and then the cooked value below.
 */
proto_tree *poll_add_value(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at);
void poll_add_cooked(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block, unsigned at);

/* PDH's code (cook/cooking.h) for what stands beside it; nothing where there is none. */
void poll_add_pdh(const struct poll_fields *fields, proto_tree *tree, tvbuff_t *tvb, uint32_t code);

/* How many polls were not captured before a poll, "2 polls not captured"; only where poll->lost says that some were. */
const char *poll_lost_text(wmem_allocator_t *scope, const struct series_poll *poll);
/*
 * Once a poll: the frame of the previous one and the seconds in between, and the frame of the next. Nothing where there
 * is none; the next one is known when the capture has been read.
 */
void poll_add_neighbours(const struct poll_fields *fields, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct series_poll *poll);

/*
 * A name (field hf) that does not stand in these bytes, and the frame that taught it. Nothing where the name is not
 * known.
 */
void poll_add_learned_name(const struct poll_fields *fields, proto_tree *tree, int hf, tvbuff_t *tvb,
    struct catalog_text name);

/* DetailLevel of counters and objects, winperf.h */
extern const value_string perf_detail_level_vals[];

/* ---- poll.c ---- */

/*
 * All values of a sample with a path, for statistics: each counter once, unless it has two values. more: how many other
 * samples the caller adds. The host, the query, time and bytes are the caller's to fill in.
 */
struct perf_tap_poll *poll_record(struct poll *poll, unsigned more);

/* ---- poll-table.c ---- */

/*
 * The values of a block of several instances and counters as a table, an instance a line, where somebody looks at it
 * and as far as the packet has room.
 */
void poll_add_table(struct poll *poll, struct poll_view *view, proto_tree *tree, unsigned block,
    const struct item_budget *budget);

/* A counter type and the bit fields it is made of, as a tree under any protocol's names */

/* The fields of one protocol. */
struct counter_type_fields {
    int type, size, kind;
    int number, counter, text, zero; /* the subtype, whose meaning depends on the kind */
    int timer, delta, delta_base, inverse, multi, display;
    int ett;
};

/* Adds a type at offset: COUNTER_TYPE_TREE_ITEMS items. */
#define COUNTER_TYPE_TREE_ITEMS 10u

/* ---- type-tree.c ---- */

proto_item *type_tree_add(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const struct counter_type_fields *fields,
    unsigned encoding, uint32_t type);

/* Names of the values of a type, and of its bit fields. */
extern value_string_ext counter_type_vals_ext;
extern const value_string counter_type_size_vals[], counter_type_kind_vals[], counter_type_number_vals[],
    counter_type_counter_vals[], counter_type_text_vals[], counter_type_timer_vals[], counter_type_display_vals[];

/* The user's watch list: counters that get a field of their own, perflibv2.watch.NAME */

/* ---- watch.c ---- */

/* Adds the table "PerflibV2 watch list" to the protocol's preferences; its fields belong to the protocol. */
void watch_register(int proto, expert_module_t *expert, module_t *module);

/*
 * To be called before the values of each poll: whether the list has entries that this tree's user looks at. Else no
 * path need be compared.
 */
bool watch_begin(proto_tree *tree);

/* Whether an entry's pattern matches a path that is without case (counter_path_fold()). */
bool watch_matches(const char *folded);
/* Rises with every change of the list. */
unsigned watch_version(void);

/*
 * Where watch_begin() says so: adds the fields of all entries whose pattern matches a path, with the cooked value,
 * under tree, for the bytes offset and length say. Where a second counter of the poll matches the same entry, that is
 * noted.
 */
void watch_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, int length, const char *path,
    const struct cook_result *cooked);

#endif /* PERFLIB_COUNTERS_POLL_H */
