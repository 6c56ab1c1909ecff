/* walk.c
 * Walk over an lpData buffer: bounds checks, and ends of structures
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/walk.h"

void
walk_blame_once(struct lpdata *lp, enum perflibv2_rule rule, unsigned offset, unsigned length, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rules_vbroken(walk_report(lp), rule, offset, length, format, args);
    va_end(args);
    lp->is_mistrusted = true;
}

struct walk
walk_begin(struct lpdata *lp)
{
    struct walk w = { .lp = lp, .captured = tvb_captured_length(lp->tvb), .size = tvb_reported_length(lp->tvb) };

    w.bytes = w.captured > 0 ? tvb_get_ptr(lp->tvb, 0, (int)w.captured) : NULL;
    return w;
}

void
walk_append(const struct lpdata *lp, wmem_array_t **array, const void *element, size_t size)
{
    if (*array == NULL) {
        *array = wmem_array_new(lp->scope, size);
    }
    wmem_array_append(*array, element, 1);
}

bool
walk_does_not_fit(struct walk *w, unsigned offset, const char *name, unsigned length, unsigned end)
{
    if (offset > end || length > end - offset) {
        const unsigned left = offset > end ? 0 : end - offset;

        walk_blame_once(w->lp, RULE_STRUCTURE_FITS, offset, left,
            "%s at offset %u needs %u bytes, but only %u are left", name, offset, length, left);
    } else {
        rules_held(walk_report(w->lp), RULE_STRUCTURE_FITS, 1);
        w->lp->is_cut = true;
    }
    return false;
}

unsigned
walk_clamp_end(struct walk *w, unsigned offset, unsigned size, unsigned end, const char *what)
{
    if (size > end - offset) {
        walk_blame_once(w->lp, RULE_STRUCTURE_FITS, offset, end - offset,
            "%s is %u, but only %u bytes are left at offset %u", what, size, end - offset, offset);
        return end;
    }
    rules_held(walk_report(w->lp), RULE_STRUCTURE_FITS, 1);
    return offset + size;
}

void
walk_check_trailing(struct walk *w, unsigned offset)
{
    w->lp->parsed = offset;
    if (w->lp->is_cut) {
        return;
    }
    rules_check(walk_report(w->lp), RULE_TRAILING_BYTES, offset >= w->size, offset, w->size - offset,
        "%u bytes follow the last structure, which ends at offset %u", w->size - offset, offset);
}

struct utf16_text
walk_measure(struct walk *w, unsigned offset, unsigned room)
{
    unsigned there = offset >= w->captured ? 0 : MIN(room, w->captured - offset);
    struct utf16_text text = utf16_measure_bytes(there == 0 ? NULL : w->bytes + offset, there);

    if (!text.terminated && there < room) {
        w->lp->is_cut = true;
    }
    return text;
}

/*
 * Returns the next multiple of 8, where structures must begin (2.2.4), or reports that the sender omitted the padding
 * and returns offset. It did if a structure is plausible at offset, and none is plausible at the multiple of 8 or the
 * size (offset - begin) already is a multiple of 8.
 */
unsigned
walk_next_off_boundary(const struct walk *w, unsigned begin, unsigned offset, unsigned end, walk_plausible plausible)
{
    const unsigned aligned = MIN(round_up_8(offset), end);

    if (!plausible(w, offset, end) || ((offset - begin) % 8 != 0 && plausible(w, aligned, end))) {
        rules_held(walk_report(w->lp), RULE_ALIGNMENT, 1);
        return aligned;
    }
    rules_broken(walk_report(w->lp), RULE_ALIGNMENT, offset, 8,
        "A structure begins at offset %u, which is not a multiple of 8", offset);
    return offset;
}

bool
walk_is_boundary(const struct walk *w, unsigned offset, unsigned end, walk_plausible plausible)
{
    const unsigned aligned = MIN(round_up_8(offset), end);

    return aligned >= end || plausible(w, offset, end) || plausible(w, aligned, end);
}

unsigned
walk_padded_end(const struct walk *w, unsigned offset, unsigned end, walk_plausible plausible)
{
    return offset % 8 != 0 && offset < end && !plausible(w, offset, end) && walk_is_boundary(w, offset, end, plausible)
        ? MIN(round_up_8(offset), end)
        : offset;
}

bool
walk_is_wrong_size(const struct walk *w, unsigned offset, unsigned least, unsigned end, walk_plausible plausible)
{
    return !w->lp->is_cut && round_up_8(least) != round_up_8(offset) && round_up_8(least) <= end &&
        !walk_is_boundary(w, offset, end, plausible) && walk_is_boundary(w, least, end, plausible);
}

/* PERF_MAX_INSTANCE_NAME of perflib.h with its terminator, in bytes */
#define LP_MAX_NAME ((1024u + 1) * 2)

struct utf16_text
walk_measure_name(struct walk *w, unsigned offset, unsigned said_end, unsigned end, walk_plausible then)
{
    const struct utf16_text name = walk_measure(w, offset, walk_padded_end(w, said_end, end, then) - offset);
    const unsigned there = MIN(end, w->captured);

    if (!name.terminated && said_end < there && !walk_is_boundary(w, said_end, end, then)) {
        const struct utf16_text whole = utf16_measure_bytes(w->bytes + offset, MIN(there - offset, LP_MAX_NAME));

        if (whole.terminated && walk_is_boundary(w, offset + whole.size + 2, end, then)) {
            return whole;
        }
    }
    return name;
}
