/* poll.h
 * A poll of either performance API: blocks of rows (instances) by columns (counters), and the one writer of their
 * items, of the watch list's fields, and of the record for statistics
 *
 * A protocol says by struct poll_api what its values are; what is made of them is the same for both. A block is the
 * values of a counterset or an object; the at-th value stands in row at / num_columns and column at % num_columns.
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

struct poll;

/* What a value comes to. */
struct poll_meaning {
    struct cook_result cooked;
    const struct series_poll *before; /* the poll it is compared with; NULL: none */
    bool is_cooked;                   /* this has been filled in */
};

struct poll_shape {
    unsigned num_rows, num_columns;
    bool is_named;   /* it is known what the values are of */
    bool is_table;   /* rows are instances, columns counters */
    bool is_renamed; /* what a row without a name is called may change from poll to poll */
    unsigned offset; /* where a table of them belongs */
};

/* Where a value's bytes are, as far as they were captured, and their number. */
struct poll_bytes {
    unsigned offset, length;
    bool is_number;
    uint64_t number;
};

/* Of values of named blocks, in the terms of one protocol. Texts are in the poll's scope. */
struct poll_api {
    struct poll_shape (*shape)(const struct poll *poll, unsigned block);
    /* What the counter of a column is (identity_counter()); false: its values have no path. */
    bool (*counter)(const struct poll *poll, unsigned block, unsigned column, struct perf_counter *counter);
    /* The instance of a row of a sample; NULL: the counterset has none. */
    const struct instance *(*instance)(const struct poll *poll, unsigned block, unsigned row);
    /* The path of a value that is of no sample, which is made each time; NULL: it has none. */
    const char *(*path)(const struct poll *poll, unsigned block, unsigned at);
    struct poll_bytes (*bytes)(const struct poll *poll, unsigned block, unsigned at);
    /* The text of a text counter. */
    const char *(*text)(const struct poll *poll, unsigned block, unsigned at);
    /*
     * What a value is cooked from, and the poll it is compared with (NULL: none). false: it can't be cooked at all, as
     * there is nothing to compare it with.
     */
    bool (*input)(const struct poll *poll, unsigned block, unsigned at, struct cook_input *in,
        const struct series_poll **before);
    /* The formula in words of the protocol. */
    const char *(*formula)(const char *formula);
    /* What a value's line ends with; NULL: nothing. */
    const char *(*note)(const struct poll *poll, unsigned block, unsigned at, const struct cook_result *cooked);
    /* Whether a value is left out of tables of statistics. */
    bool (*is_left_out)(const struct poll *poll, unsigned block, unsigned at);
    /* What a value is the value of; all but counterset, instance and what it is compared with. */
    struct perf_tap_origin (*origin)(const struct poll *poll, unsigned block, unsigned at, bool is_aggregate);
    /* The name of a row in the table of a block, and whether a counter stands in it. */
    const char *(*row_text)(const struct poll *poll, unsigned block, unsigned row);
    bool (*is_shown)(const struct poll *poll, unsigned block, unsigned column);
};

/* Begins a protocol's own structure; packet scope. */
struct poll {
    const struct poll_api *api;
    wmem_allocator_t *scope;
    tvbuff_t *tvb;
    const struct series_poll *sample; /* as remembered, its first blocks these; NULL: it is no sample */
    uint32_t frame;                   /* names are those that hold in it, */
    uint64_t names;                   /* and this is the same as long as they are */
    unsigned num_blocks;
    struct poll_meaning **meanings;  /* of blocks, of values asked for; NULL: none yet */
    struct perf_counter ***counters; /* of blocks and columns; the same */
};

/*
 * A sample is new: its counters have the names that they have now before any that are polled later (identity_claim()).
 * First pass only.
 */
void poll_claim_names(struct poll *poll);
/* The counter of a column of a sample; NULL: its values have no path. */
struct perf_counter *poll_counter(struct poll *poll, unsigned block, unsigned column);
/* What a counter is called; "" where its values have no path. */
const char *poll_column_text(struct poll *poll, unsigned block, unsigned column);
/* A value's path; NULL: it has none. */
const char *poll_path(struct poll *poll, unsigned block, unsigned at);
/* The label of a counter by the names of the poll. */
const char *poll_path_of(const struct poll *poll, struct identity *identity);

/* What a value comes to, cooked when it is asked for first; NULL: it can't be cooked at all. */
const struct poll_meaning *poll_meaning(struct poll *poll, unsigned block, unsigned at);

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
    bool path, cooked, formula, reason, pdh;
};
struct poll_wants poll_wants(const struct poll_fields *fields, proto_tree *tree);
bool poll_wants_any(const struct poll_wants *wants);

/* Who looks at a poll, and at what. */
struct poll_view {
    packet_info *pinfo;
    const struct poll_fields *fields;
    struct poll_wants wants;
    struct item_rest *rest; /* values there is no room for */
    struct line text;       /* of the value looked at: what it comes to, as a person reads it */
};

/*
 * The fields of the watch list for all values of a sample, whether or not there is room to show them: filters on them
 * are exact. Only what an entry matches is cooked.
 */
void poll_add_watched(struct poll *poll, packet_info *pinfo, proto_tree *tree);

/* Adds a cooked value with its unit, "12.300 %", "134.000 /s", "4711", "0xff"; only where cooked->reason is COOK_OK. */
void poll_add_cooked_text(struct line *line, const struct cook_result *cooked);
/* The same on its own, in scope. */
const char *poll_cooked_text(wmem_allocator_t *scope, const struct cook_result *cooked);
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

/*
 * All values of a sample with a path, for statistics: each counter once, unless it has two values. more: so many other
 * samples are added later. The host, the query, time and bytes are the caller's to fill in.
 */
struct perf_tap_poll *poll_record(struct poll *poll, unsigned more);

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
proto_item *type_tree_add(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const struct counter_type_fields *fields,
    unsigned encoding, uint32_t type);

/* Names of the values of a type, and of its bit fields. */
extern value_string_ext counter_type_vals_ext;
extern const value_string counter_type_size_vals[], counter_type_kind_vals[], counter_type_number_vals[],
    counter_type_counter_vals[], counter_type_text_vals[], counter_type_timer_vals[], counter_type_display_vals[];

/* The user's watch list: counters that get a field of their own, perflibv2.watch.NAME */

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
