/* walk.h
 * Walk over an lpData buffer: bounds checks, ends of structures that contain their own size, and findings about them
 *
 * For lpdata.c and lpdata-values.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_WALK_H
#define PERFLIB_PERFLIBV2_WALK_H

#include "compat.h"

#include "perflibv2/lpdata.h"
#include "perflibv2/rules-report.h"

/* State while a buffer is parsed, except for the position */
struct walk {
    struct lpdata *lp;
    const uint8_t *bytes; /* the buffer; .captured bytes are readable */
    unsigned captured;
    unsigned size; /* size of the buffer as sent */
};

/* lpData is little-endian, whatever the byte order of the stub ([MS-PCQ] 2.2). */
static inline uint16_t
le16(const uint8_t *bytes)
{
    return bytes_uint16(bytes, false);
}

static inline uint32_t
le32(const uint8_t *bytes)
{
    return bytes_uint32(bytes, false);
}

static inline uint64_t
le64(const uint8_t *bytes)
{
    return bytes_uint64(bytes, false);
}

static inline unsigned
round_up_8(unsigned value)
{
    return value > UINT32_MAX - 7 ? value : (value + 7) & ~7u;
}

/* Readers of a structure's members: lp_read_counter_reg(bytes, false, &counter) and so on */
MEMBERS_READER(lp_read_counterset_reg, lp_counterset_reg, LP_COUNTERSET_REG_MEMBERS)
MEMBERS_READER(lp_read_counter_reg, lp_counter_reg, LP_COUNTER_REG_MEMBERS)
MEMBERS_READER(lp_read_strings_header, lp_strings_header, LP_STRINGS_HEADER_MEMBERS)
MEMBERS_READER(lp_read_counter_string, lp_counter_string, LP_COUNTER_STRING_MEMBERS)
MEMBERS_READER(lp_read_instance, lp_instance, LP_INSTANCE_MEMBERS)
MEMBERS_READER(lp_read_identifier, lp_identifier, LP_IDENTIFIER_MEMBERS)
MEMBERS_READER(lp_read_data_header, lp_data_header, LP_DATA_HEADER_MEMBERS)
MEMBERS_READER(lp_read_block, lp_block, LP_BLOCK_MEMBERS)
MEMBERS_READER(lp_read_counter_data, lp_counter_data, LP_COUNTER_DATA_MEMBERS)
MEMBERS_READER(lp_read_multi_instances, lp_multi_instances, LP_MULTI_INSTANCES_MEMBERS)
MEMBERS_READER(lp_read_multi_counters, lp_multi_counters, LP_MULTI_COUNTERS_MEMBERS)

/* Returns the report to which findings are added. NULL: no report, or findings after an inconsistency are useless. */
static inline struct rules_report *
walk_report(const struct lpdata *lp)
{
    return lp->is_mistrusted ? NULL : lp->report;
}

/* Reports an inconsistent structure, and mistrusts the rest: later findings would only be consequences. */
void walk_blame_once(struct lpdata *lp, enum perflibv2_rule rule, unsigned offset, unsigned length, const char *format,
    ...) G_GNUC_PRINTF(5, 6);

struct walk walk_begin(struct lpdata *lp);
/* Appends an element to an array, which is created with the first one. */
void walk_append(const struct lpdata *lp, wmem_array_t **array, const void *element, size_t size);
/*
 * Reports a structure that ends after `end`. One that only was not captured is no violation: sets lp->is_cut. Returns
 * false. Called by walk_fits().
 */
bool walk_does_not_fit(struct walk *w, unsigned offset, const char *name, unsigned length, unsigned end);
/* Returns whether a structure at offset ends at or before `end`, and was captured. Reports one that ends later. */
static inline bool
walk_fits(struct walk *w, unsigned offset, const char *name, unsigned length, unsigned end)
{
    const unsigned limit = MIN(end, w->captured);

    if (offset > limit || length > limit - offset) {
        return walk_does_not_fit(w, offset, name, length, end);
    }
    rules_held(walk_report(w->lp), RULE_STRUCTURE_FITS, 1);
    return true;
}

/* Returns the end of a structure of this size at offset. A size beyond end is reported and cut to end. */
unsigned walk_clamp_end(struct walk *w, unsigned offset, unsigned size, unsigned end, const char *what);
/* Reports bytes after offset, the end of the part that was understood. */
void walk_check_trailing(struct walk *w, unsigned offset);
/* Measures the text in the `room` bytes at offset, as far as they were captured. */
struct utf16_text walk_measure(struct walk *w, unsigned offset, unsigned room);

/* Returns whether a structure that contains its own size can begin at offset. */
typedef bool (*walk_plausible)(const struct walk *w, unsigned offset, unsigned end);

/* Implements walk_next() for an offset that is no multiple of 8. */
unsigned walk_next_off_boundary(const struct walk *w, unsigned begin, unsigned offset, unsigned end,
    walk_plausible plausible);
/*
 * Returns the offset of the next structure after the one between begin and offset: offset itself, or the end of the
 * padding there. end: end of the structure that encloses both.
 */
static inline unsigned
walk_next(const struct walk *w, unsigned begin, unsigned offset, unsigned end, walk_plausible plausible)
{
    if (offset % 8 == 0 && offset <= end) {
        rules_held(walk_report(w->lp), RULE_ALIGNMENT, 1);
        return offset;
    }
    return walk_next_off_boundary(w, begin, offset, end, plausible);
}

/*
 * Returns whether a structure may end at offset: there or at the next multiple of 8, the enclosing structure ends or
 * another one can begin.
 */
bool walk_is_boundary(const struct walk *w, unsigned offset, unsigned end, walk_plausible plausible);
/*
 * Returns offset, the end of a structure by its size. If the size seems to exclude padding, returns the end of the
 * padding instead: the next structure can begin, or the enclosing one ends, only there.
 */
unsigned walk_padded_end(const struct walk *w, unsigned offset, unsigned end, walk_plausible plausible);
/*
 * Returns whether the size in a structure is wrong: by that size it ends at `offset`, but no structure begins there.
 * One begins at `least`, where its content ends.
 */
bool walk_is_wrong_size(const struct walk *w, unsigned offset, unsigned least, unsigned end, walk_plausible plausible);
/*
 * Measures the name at offset, up to said_end, the end of its structure by the size. If no structure can follow there,
 * but one can after the name's terminator, the size is wrong and the name ends at the terminator. then: test for the
 * structure that must follow.
 */
struct utf16_text walk_measure_name(struct walk *w, unsigned offset, unsigned said_end, unsigned end,
    walk_plausible then);

#endif /* PERFLIB_PERFLIBV2_WALK_H */
