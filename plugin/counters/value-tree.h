/* value-tree.h
 * What both performance APIs show alike: the path of a value, what it amounts to, the poll it is
 * compared with, and names learned elsewhere
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_VALUE_TREE_H
#define PERFLIB_COUNTERS_VALUE_TREE_H

#include "base/line.h"
#include "cook/cooking.h"
#include "counters/catalog.h"
#include "counters/series.h"

/* The fields of one protocol. */
struct value_tree_fields {
    int path, cooked, formula, reason, pdh;
    int previous_frame, next_frame, interval;
    int learned_in;
    int ett_value; /* below a value */
    int ett_name;  /* below a learned name */
    int table, table_row, ett_table;
};

/* Their names in full: "perflibv2.path". */
struct value_tree_names {
    const char *path, *cooked, *formula, *reason, *pdh;
    const char *previous_frame, *next_frame, *interval;
    const char *learned_in;
    const char *table, *table_row;
};

/* Registers the fields of proto; fields has to live as long as the process, and so have the names. */
void value_tree_register(struct value_tree_fields *fields, int proto, const struct value_tree_names *names);

/*
 * What is looked at: of an invisible tree, only fields that a filter or a column names. The rest need not be made, and
 * what it is made of need not be looked up.
 */
struct value_tree_wants {
    bool is_seen; /* labels are read, and all fields are wanted */
    bool path, cooked, formula, reason, pdh;
};
struct value_tree_wants value_tree_wants(const struct value_tree_fields *fields, proto_tree *tree);
bool value_tree_any_wanted(const struct value_tree_wants *wants);

/* Adds a cooked value with its unit, "12.300 %", "134.000 /s", "4711", "0xff"; only where cooked->reason is COOK_OK. */
void value_tree_add_cooked_text(struct line *line, const struct cook_result *cooked);
/* The same on its own, in scope. */
const char *value_tree_cooked_text(wmem_allocator_t *scope, const struct cook_result *cooked);

/*
 * Makes the line of a value: its counter path with the cooked value or why there is none. cooked: NULL where the value
 * is not cooked at all. text: of a value whose reason is COOK_OK that of value_tree_add_cooked_text(), of one whose
 * reason is COOK_TEXT the text sent, as it may stand in a line (base/text.h). raw: the number sent, which is all there
 * is to say of a value whose type is not known; NULL: it is no number.
 */
void value_tree_make_line(struct line *line, const char *path, const struct cook_result *cooked, const char *text,
    const uint64_t *raw);
/*
 * The item of a value, for its length bytes at offset. line: of value_tree_make_line(); NULL: nobody sees it. Returns
 * the tree below.
 */
proto_tree *value_tree_add_path(const struct value_tree_fields *fields, proto_tree *tree, tvbuff_t *tvb, int offset,
    int length, const char *path, const char *line);

/* What a cooked value's items say beside their values. */
struct value_tree_texts {
    const char *cooked;  /* of value_tree_add_cooked_text() */
    const char *numbers; /* of cook/formula.h; "": none */
};

/*
 * The cooked value and its formula, or the reason why there is none, and PDH's code, as far as they are wanted. texts:
 * NULL where nobody sees them, or there is no value. poll: the value's; before: the poll of its previous value. Either
 * may be NULL. A formula that looks back names before where that is not the poll's previous one.
 */
void value_tree_add_cooked(const struct value_tree_fields *fields, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
    const struct value_tree_wants *wants, const struct cook_result *cooked, const struct value_tree_texts *texts,
    const struct series_poll *poll, const struct series_poll *before);

/* PDH's code (cook/pdh.h) for what stands beside it; nothing where there is none. */
void value_tree_add_pdh(const struct value_tree_fields *fields, proto_tree *tree, tvbuff_t *tvb, uint32_t code);

/*
 * Once a poll: the frame of the previous one and the seconds in between, and the frame of the next. Nothing where there
 * is none; the next one is known when the capture has been read.
 */
void value_tree_add_neighbours(const struct value_tree_fields *fields, packet_info *pinfo, proto_tree *tree,
    tvbuff_t *tvb, const struct series_poll *poll);

/*
 * A name (field hf) that does not stand in these bytes, and the frame that taught it. Nothing where the name is not
 * known.
 */
void value_tree_add_learned_name(const struct value_tree_fields *fields, proto_tree *tree, int hf, tvbuff_t *tvb,
    struct catalog_text name);

/* DetailLevel of counters and objects, winperf.h */
extern const value_string perf_detail_level_vals[];

#endif /* PERFLIB_COUNTERS_VALUE_TREE_H */
