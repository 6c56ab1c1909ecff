/* lpdata-values.c
 * Parses instances and counter values in lpData
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/walk.h"

#include <string.h>

/* Returns count, limited to the number of structures that fit between offset and end. */
static unsigned
most_that_fit(const struct walk *w, uint64_t count, unsigned size, unsigned offset, unsigned end)
{
    const unsigned limit = MIN(end, w->captured);

    return (unsigned)MIN(count, offset < limit ? (limit - offset) / size : 0);
}

/* Makes room for up to count further values. */
static void
reserve_values(const struct walk *w, uint64_t count, unsigned offset, unsigned end)
{
    struct lpdata *lp = w->lp;
    const unsigned most = most_that_fit(w, count, LP_COUNTER_DATA_SIZE, offset, end);

    if (most > lp->room_for_values - lp->num_values) {
        lp->room_for_values = MAX(lp->num_values + most, lp->room_for_values * 2);
        lp->values = (struct lp_value *)wmem_realloc(lp->scope, lp->values, lp->room_for_values * sizeof *lp->values);
        lp->numbers = (uint64_t *)wmem_realloc(lp->scope, lp->numbers, lp->room_for_values * sizeof *lp->numbers);
        lp->widths = (uint8_t *)wmem_realloc(lp->scope, lp->widths, lp->room_for_values);
    }
}

/* Makes room for up to count further instances. */
static void
reserve_instances(const struct walk *w, unsigned count, unsigned offset, unsigned end)
{
    struct lpdata *lp = w->lp;
    const unsigned most = most_that_fit(w, count, LP_INSTANCE_HEADER_SIZE, offset, end);

    if (most > lp->room_for_instances - lp->num_instances) {
        lp->room_for_instances = MAX(lp->num_instances + most, lp->room_for_instances * 2);
        lp->instances = (struct lp_instance *)wmem_realloc(lp->scope, lp->instances,
            lp->room_for_instances * sizeof *lp->instances);
    }
}

static bool
plausible_instance(const struct walk *w, unsigned offset, unsigned end)
{
    struct lp_instance instance;

    if (offset + LP_INSTANCE_HEADER_SIZE > MIN(end, w->captured)) {
        return false;
    }
    lp_read_instance(w->bytes + offset, false, &instance);
    return instance.size >= LP_INSTANCE_HEADER_SIZE && instance.size <= end - offset;
}

static bool
plausible_multi_instances(const struct walk *w, unsigned offset, unsigned end)
{
    struct lp_multi_instances multi;

    if (offset + LP_MULTI_INSTANCES_SIZE > MIN(end, w->captured)) {
        return false;
    }
    lp_read_multi_instances(w->bytes + offset, false, &multi);
    return multi.total_size >= LP_MULTI_INSTANCES_SIZE && multi.total_size <= end - offset &&
        multi.instances <= (multi.total_size - LP_MULTI_INSTANCES_SIZE) / LP_INSTANCE_HEADER_SIZE;
}

static bool
plausible_value(const struct walk *w, unsigned offset, unsigned end)
{
    struct lp_counter_data sent;

    if (offset + LP_COUNTER_DATA_SIZE > MIN(end, w->captured)) {
        return false;
    }
    lp_read_counter_data(w->bytes + offset, false, &sent);
    /* dwSize exceeds header and data by less than 8 bytes, the padding to a multiple of 8. */
    return sent.size >= LP_COUNTER_DATA_SIZE && sent.size <= end - offset &&
        sent.data_size <= sent.size - LP_COUNTER_DATA_SIZE && sent.size - LP_COUNTER_DATA_SIZE - sent.data_size < 8;
}

/*
 * Reads header and name of an instance whose header fits into the buffer. end: end of the enclosing structure. then:
 * test for the structure that follows.
 */
static void
lpdata_read_instance(struct walk *w, struct lp_instance *instance, unsigned offset, unsigned end, walk_plausible then)
{
    struct lpdata *lp = w->lp;
    unsigned name_end = end, behind;
    bool is_sized;

    *instance = (struct lp_instance){ .offset = offset, .name_offset = offset + LP_INSTANCE_HEADER_SIZE };
    lp_read_instance(w->bytes + offset, false, instance);
    is_sized = instance->size >= LP_INSTANCE_HEADER_SIZE && instance->size <= end - offset;
    if (is_sized) {
        name_end = offset + instance->size;
    }
    instance->name = walk_measure_name(w, instance->name_offset, name_end, end, then);
    behind = MIN(instance->name_offset + instance->name.size + (instance->name.terminated ? 2 : 0), end);
    if (instance->size < LP_INSTANCE_HEADER_SIZE) {
        walk_blame_once(lp, RULE_INSTANCE_SIZE, offset + MEMBER(instance, size),
            "Size of _PERF_INSTANCE_HEADER is %u, less than the 8 bytes of the header", instance->size);
        name_end = behind;
    } else if (!is_sized) {
        walk_clamp_end(w, offset, instance->size, end, "Size of _PERF_INSTANCE_HEADER");
        name_end = walk_is_boundary(w, behind, end, then) ? behind : end;
    } else if (behind > name_end || walk_is_wrong_size(w, name_end, behind, end, then)) {
        walk_blame_once(lp, RULE_INSTANCE_SIZE, offset + MEMBER(instance, size),
            "Size of _PERF_INSTANCE_HEADER is %u, but header and name take %u bytes", instance->size, behind - offset);
        name_end = behind;
    } else {
        rules_held(walk_report(lp), RULE_STRUCTURE_FITS, 1);
        rules_check(walk_report(lp), RULE_INSTANCE_SIZE, instance->size % 8 == 0, offset + MEMBER(instance, size),
            "Size of _PERF_INSTANCE_HEADER is %u, not a multiple of 8", instance->size);
    }
    if (!lp->is_cut) {
        /* A terminator beyond the instance's Size does not count. */
        rules_check(walk_report(lp), RULE_INSTANCE_TERMINATED, instance->name.terminated, instance->name_offset,
            instance->name.size, "The instance name of %u bytes has no terminator within Size %u", instance->name.size,
            instance->size);
    }
    instance->end = name_end;
}

/* Size of a value in the usual layout: header, and 4 or 8 bytes of data padded to 8 bytes */
#define PLAIN_VALUE_SIZE  (LP_COUNTER_DATA_SIZE + 8)
/* dwDataSize and dwSize, read as one number, of a value with `width` bytes of data in the usual layout */
#define PLAIN_HEAD(width) ((width) | (uint64_t)PLAIN_VALUE_SIZE << 32)

static inline uint64_t
plain_head(const uint8_t *bytes, size_t i)
{
    return le64(bytes + i * PLAIN_VALUE_SIZE);
}

static inline uint64_t
plain_data(const uint8_t *bytes, size_t i)
{
    return le64(bytes + i * PLAIN_VALUE_SIZE + LP_COUNTER_DATA_SIZE);
}

/*
 * Reads up to `count` values quickly, since a poll may have hundreds of thousands. Stops at the first value that does
 * not have the usual layout (PLAIN_VALUE_SIZE): read_value() must read that one. Returns the number of values read.
 */
static unsigned
read_plain_values(const struct walk *w, unsigned offset, unsigned end, unsigned count)
{
    const size_t most = offset % 8 != 0 ? 0 : most_that_fit(w, count, PLAIN_VALUE_SIZE, offset, end);
    struct lpdata *lp = w->lp;
    struct lp_value *out;
    uint64_t *numbers;
    uint8_t *widths;
    const uint8_t *b;
    size_t n = 0;

    if (most == 0) {
        /* The arrays of values may still be NULL: do not use them. */
        return 0;
    }
    out = lp->values + lp->num_values;
    numbers = lp->numbers + lp->num_values;
    widths = lp->widths + lp->num_values;
    b = w->bytes + offset;
    for (; n < most && (plain_head(b, n) == PLAIN_HEAD(8) || plain_head(b, n) == PLAIN_HEAD(4)); n++) {
        widths[n] = (uint8_t)plain_head(b, n);
        out[n] = (struct lp_value){ offset + (unsigned)n * PLAIN_VALUE_SIZE, widths[n] };
        numbers[n] = widths[n] == 8 ? plain_data(b, n) : (uint32_t)plain_data(b, n);
    }
    lp->num_values += (unsigned)n;
    return (unsigned)n;
}

/*
 * Reads an instance whose header fits, if the instance and its values have the usual layout: Size is a multiple of 8
 * that ends with the name's padding. Otherwise returns false, without a finding.
 */
static bool
read_plain_instance(const struct walk *w, struct lp_instance *instance, unsigned offset, unsigned end,
    unsigned num_values)
{
    const unsigned size = le32(w->bytes + offset + AT_instance_size), first_value = w->lp->num_values;
    struct utf16_text name;

    if ((offset | size) % 8 != 0 || size < LP_INSTANCE_HEADER_SIZE || size > MIN(end, w->captured) - offset) {
        return false;
    }
    name = utf16_measure_bytes(w->bytes + offset + LP_INSTANCE_HEADER_SIZE, size - LP_INSTANCE_HEADER_SIZE);
    if (!name.terminated || round_up_8(LP_INSTANCE_HEADER_SIZE + name.size + 2) != size) {
        return false;
    }
    if (num_values > 0 && read_plain_values(w, offset + size, end, num_values) < num_values) {
        w->lp->num_values = first_value;
        return false;
    }
    *instance = (struct lp_instance){
        .offset = offset,
        .size = size,
        .id = le32(w->bytes + offset + AT_instance_id),
        .name_offset = offset + LP_INSTANCE_HEADER_SIZE,
        .name = name,
        .end = offset + size + num_values * PLAIN_VALUE_SIZE,
        .first_value = first_value,
        .num_values = num_values,
    };
    return true;
}

/*
 * Counts checks as successful for `count` instances that read_plain_instance() has read, with num_values values each.
 * aligned: number of RULE_ALIGNMENT checks per instance.
 */
static void
hold_plain_instances(const struct lpdata *lp, unsigned count, unsigned num_values, unsigned aligned)
{
    rules_held(walk_report(lp), RULE_STRUCTURE_FITS, count * (1 + 2 * num_values));
    rules_held(walk_report(lp), RULE_INSTANCE_SIZE, count);
    rules_held(walk_report(lp), RULE_INSTANCE_TERMINATED, count);
    rules_held(walk_report(lp), RULE_VALUE_SIZE, count * num_values);
    rules_held(walk_report(lp), RULE_ALIGNMENT, count * aligned);
}

void
lpdata_parse_instances(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    unsigned offset = 0;

    while (offset < w.size && walk_fits(&w, offset, "_PERF_INSTANCE_HEADER", LP_INSTANCE_HEADER_SIZE, w.size)) {
        struct lp_instance *instance;

        reserve_instances(&w, 1, offset, w.size);
        instance = &lp->instances[lp->num_instances++];
        if (read_plain_instance(&w, instance, offset, w.size, 0)) {
            hold_plain_instances(lp, 1, 0, 0);
        } else {
            lpdata_read_instance(&w, instance, offset, w.size, plausible_instance);
        }
        lp->is_mistrusted = lp->is_mistrusted && !walk_is_boundary(&w, instance->end, w.size, plausible_instance);
        instance->end = walk_next(&w, offset, instance->end, w.size, plausible_instance);
        offset = instance->end;
        lp->parsed = offset;
        if (lp->is_cut) {
            break;
        }
    }
}

/*
 * Reads a _PERF_COUNTER_DATA and its value. Returns the offset of the next structure, or 0 if the value could not be
 * read. then: test for the next structure; NULL: the value may be the last structure.
 */
static unsigned
read_value(struct walk *w, unsigned offset, unsigned end, walk_plausible then)
{
    struct lpdata *lp = w->lp;
    const unsigned index = lp->num_values;
    const unsigned size_at = offset + AT_counter_data_size;
    struct lp_counter_data sent;
    unsigned next, left;

    if (!walk_fits(w, offset, "_PERF_COUNTER_DATA", LP_COUNTER_DATA_SIZE, end)) {
        return 0;
    }
    lp_read_counter_data(w->bytes + offset, false, &sent);
    left = end - offset - LP_COUNTER_DATA_SIZE;
    next = offset + MIN(sent.size, end - offset);
    if (sent.size > end - offset) {
        walk_blame_once(lp, RULE_STRUCTURE_FITS, size_at, SIZE_counter_data_size,
            "dwSize of _PERF_COUNTER_DATA is %u, but only %u bytes are left", sent.size, end - offset);
        next = offset + LP_COUNTER_DATA_SIZE + MIN(sent.data_size, left);
    } else if (sent.data_size > left) {
        walk_blame_once(lp, RULE_STRUCTURE_FITS, offset + MEMBER(counter_data, data_size),
            "dwDataSize of _PERF_COUNTER_DATA is %u, but only %u bytes are left", sent.data_size, left);
        next = sent.size < LP_COUNTER_DATA_SIZE ? end : next;
    } else if (sent.size < LP_COUNTER_DATA_SIZE || sent.data_size > sent.size - LP_COUNTER_DATA_SIZE) {
        walk_blame_once(lp, RULE_VALUE_SIZE, size_at, SIZE_counter_data_size,
            "dwSize of _PERF_COUNTER_DATA is %u, less than the 8 bytes of its header and dwDataSize %u", sent.size,
            sent.data_size);
        if (sent.size < LP_COUNTER_DATA_SIZE || then == NULL || !walk_is_boundary(w, next, end, then)) {
            next = offset + LP_COUNTER_DATA_SIZE + sent.data_size;
        }
    } else if (then != NULL && walk_is_wrong_size(w, next, offset + LP_COUNTER_DATA_SIZE + sent.data_size, end, then)) {
        walk_blame_once(lp, RULE_VALUE_SIZE, size_at, SIZE_counter_data_size,
            "dwSize of _PERF_COUNTER_DATA is %u, but header and data take %u bytes", sent.size,
            LP_COUNTER_DATA_SIZE + sent.data_size);
        next = offset + LP_COUNTER_DATA_SIZE + sent.data_size;
    } else {
        rules_held(walk_report(lp), RULE_STRUCTURE_FITS, 1);
        rules_check(walk_report(lp), RULE_VALUE_SIZE, sent.size % 8 == 0, size_at, SIZE_counter_data_size,
            "dwSize of _PERF_COUNTER_DATA is %u, not a multiple of 8", sent.size);
    }
    /* The data cannot be longer than the structure that contains it. */
    sent.data_size =
        MIN(sent.data_size, next > offset + LP_COUNTER_DATA_SIZE ? next - offset - LP_COUNTER_DATA_SIZE : 0);
    if (offset + LP_COUNTER_DATA_SIZE + sent.data_size > w->captured) {
        lp->is_cut = true;
        return 0;
    }
    lp->values[index] = (struct lp_value){ offset, sent.data_size };
    lp->widths[index] = sent.data_size == 4 || sent.data_size == 8 ? (uint8_t)sent.data_size : 0;
    lp->numbers[index] = sent.data_size == 4 ? le32(w->bytes + offset + LP_COUNTER_DATA_SIZE)
        : sent.data_size == 8                ? le64(w->bytes + offset + LP_COUNTER_DATA_SIZE)
                                             : 0;
    lp->num_values++;
    return next;
}

/*
 * Reads count values; reserve_values() must have made room. Returns their end. *complete receives whether all were
 * present. then: test for the structure that must follow.
 */
static unsigned
lpdata_read_values(struct walk *w, unsigned offset, unsigned end, unsigned count, walk_plausible then, bool *complete)
{
    *complete = true;
    for (unsigned i = 0; i < count; i++) {
        const unsigned plain = read_plain_values(w, offset, end, count - i);
        unsigned next;

        rules_held(walk_report(w->lp), RULE_STRUCTURE_FITS, 2 * plain);
        rules_held(walk_report(w->lp), RULE_VALUE_SIZE, plain);
        offset += plain * PLAIN_VALUE_SIZE;
        i += plain;
        if (i == count) {
            break;
        }
        next = read_value(w, offset, end, i + 1 < count ? plausible_value : then);
        if (next == 0) {
            *complete = false;
            return offset;
        }
        offset = i + 1 < count ? walk_next(w, offset, next, end, plausible_value) : next;
    }
    return offset;
}

/* Reads _PERF_MULTI_COUNTERS and its ids. Returns the offset of the next structure, or 0 if the ids are incomplete. */
static unsigned
read_multi_counters(struct walk *w, struct lp_block *block, unsigned offset, walk_plausible then)
{
    struct lp_multi_counters sent;
    unsigned room;
    uint64_t ids_end;

    if (!walk_fits(w, offset, "_PERF_MULTI_COUNTERS", LP_MULTI_COUNTERS_SIZE, block->end)) {
        return 0;
    }
    block->counters_offset = offset;
    lp_read_multi_counters(w->bytes + offset, false, &sent);
    room = (block->end - offset - LP_MULTI_COUNTERS_SIZE) / 4;
    if (sent.counters > room) {
        walk_blame_once(w->lp, RULE_STRUCTURE_FITS, offset + MEMBER(multi_counters, counters),
            "dwCounters of _PERF_MULTI_COUNTERS is %u, but only %u ids fit into the block", sent.counters, room);
    } else {
        rules_held(walk_report(w->lp), RULE_STRUCTURE_FITS, 1);
    }
    block->num_ids = MIN(sent.counters, room);
    ids_end = offset + LP_MULTI_COUNTERS_SIZE + (uint64_t)block->num_ids * 4;
    if (ids_end > w->captured) {
        w->lp->is_cut = true;
        block->num_ids = (w->captured - offset - LP_MULTI_COUNTERS_SIZE) / 4;
        return 0;
    }
    if (sent.counters > room) {
        return 0;
    }
    if (sent.size < ids_end - offset || sent.size > block->end - offset ||
        (block->num_ids > 0 && walk_is_wrong_size(w, offset + sent.size, (unsigned)ids_end, block->end, then))) {
        walk_blame_once(w->lp, RULE_MULTI_COUNTERS_SIZE, offset + MEMBER(multi_counters, size),
            "dwSize of _PERF_MULTI_COUNTERS is %u, but header and %u ids take %u bytes", sent.size, sent.counters,
            (unsigned)ids_end - offset);
        return (unsigned)ids_end;
    }
    rules_held(walk_report(w->lp), RULE_MULTI_COUNTERS_SIZE, 1);
    return offset + sent.size;
}

/*
 * Reads an instance that read_plain_instance() refused, with per_instance values. Returns its end. Sets *complete to
 * whether all its values were present.
 */
static unsigned
read_odd_instance(struct walk *w, const struct lp_block *block, struct lp_instance *instance, unsigned offset,
    unsigned per_instance, unsigned instances, bool *complete)
{
    struct lpdata *lp = w->lp;

    lpdata_read_instance(w, instance, offset, block->end, per_instance > 0 ? plausible_value : plausible_instance);
    instance->first_value = lp->num_values;
    offset = lp->is_cut ? w->captured : instance->end;
    if (!lp->is_cut && per_instance > 0) {
        offset = walk_next(w, instance->offset, instance->end, block->end, plausible_value);
        offset = lpdata_read_values(w, offset, block->end, per_instance,
            block->num_instances + 1 < instances ? plausible_instance : NULL, complete);
    }
    instance->num_values = lp->num_values - instance->first_value;
    if (*complete && !lp->is_cut) {
        offset = walk_next(w, instance->offset, offset, block->end, plausible_instance);
    }
    instance->end = offset;
    return offset;
}

/* Reads _PERF_MULTI_INSTANCES and its instances with per_instance values each. Returns their end. */
static unsigned
read_multi_instances(struct walk *w, struct lp_block *block, unsigned offset, unsigned per_instance)
{
    struct lpdata *lp = w->lp;
    struct lp_multi_instances sent;
    const unsigned begin = offset, aligned = per_instance > 0 ? 2 : 1;
    unsigned num_plain = 0;
    bool complete = true;

    if (!walk_fits(w, offset, "_PERF_MULTI_INSTANCES", LP_MULTI_INSTANCES_SIZE, block->end)) {
        return offset;
    }
    block->instances_offset = offset;
    lp_read_multi_instances(w->bytes + offset, false, &sent);
    offset += LP_MULTI_INSTANCES_SIZE;
    reserve_values(w, (uint64_t)sent.instances * per_instance, offset, block->end);
    reserve_instances(w, sent.instances, offset, block->end);

    for (; block->num_instances < sent.instances; block->num_instances++) {
        struct lp_instance *instance;

        if (!walk_fits(w, offset, "_PERF_INSTANCE_HEADER", LP_INSTANCE_HEADER_SIZE, block->end)) {
            complete = false;
            break;
        }
        instance = &lp->instances[lp->num_instances];
        if (read_plain_instance(w, instance, offset, block->end, per_instance)) {
            num_plain++;
            offset = instance->end;
        } else {
            /*
             * Count these checks first: after a finding in read_odd_instance(), walk_report() may be NULL, and they
             * would be lost.
             */
            hold_plain_instances(lp, num_plain, per_instance, aligned);
            num_plain = 0;
            offset = read_odd_instance(w, block, instance, offset, per_instance, sent.instances, &complete);
        }
        lp->num_instances++;
        if (!complete || lp->is_cut) {
            block->num_instances++;
            complete = false;
            break;
        }
    }
    hold_plain_instances(lp, num_plain, per_instance, aligned);
    block->is_complete = complete;
    if (complete) {
        rules_check(walk_report(w->lp), RULE_MULTI_INSTANCES_SIZE, sent.total_size == offset - begin,
            begin + MEMBER(multi_instances, total_size),
            "dwTotalSize of _PERF_MULTI_INSTANCES is %u, but header and %u instances take %u bytes", sent.total_size,
            sent.instances, offset - begin);
    }
    return offset;
}

/* Reads a block's content after its header. Returns its end. */
static unsigned
read_block_content(struct walk *w, struct lp_block *block)
{
    unsigned offset = block->offset + LP_COUNTER_HEADER_SIZE;
    unsigned per_instance = 1;

    if (block->type == PERF_ERROR_RETURN || !lpdata_type_is_known(block->type)) {
        return offset;
    }
    if (lpdata_type_has_ids(block->type)) {
        const walk_plausible then = block->type == PERF_COUNTERSET ? plausible_multi_instances : plausible_value;
        const unsigned next = read_multi_counters(w, block, offset, then);

        if (next == 0) {
            return block->counters_offset == 0 ? offset : offset + LP_MULTI_COUNTERS_SIZE + 4 * block->num_ids;
        }
        per_instance = block->num_ids;
        if (block->type == PERF_MULTIPLE_COUNTERS && per_instance == 0) {
            block->is_complete = true;
            return next;
        }
        offset = walk_next(w, offset, next, block->end, then);
    }
    if (lpdata_type_has_instances(block->type)) {
        return read_multi_instances(w, block, offset, per_instance);
    }
    reserve_values(w, per_instance, offset, block->end);
    return lpdata_read_values(w, offset, block->end, per_instance, NULL, &block->is_complete);
}

static bool
plausible_block(const struct walk *w, unsigned offset, unsigned end)
{
    struct lp_block block;

    if (offset + LP_COUNTER_HEADER_SIZE > MIN(end, w->captured)) {
        return false;
    }
    lp_read_block(w->bytes + offset, false, &block);
    return block.type <= PERF_COUNTERSET && block.size >= LP_COUNTER_HEADER_SIZE && block.size <= end - offset;
}

/*
 * Like plausible_block(), but status and reserved must be usual, too. Used to decide whether the next block begins at
 * the end that dwSize gives or at the next multiple of 8.
 */
static bool
ordinary_block(const struct walk *w, unsigned offset, unsigned end)
{
    struct lp_block block;

    if (!plausible_block(w, offset, end)) {
        return false;
    }
    lp_read_block(w->bytes + offset, false, &block);
    return block.reserved == 0 &&
        (block.type == PERF_ERROR_RETURN) == (block.status != 0 && block.size == LP_COUNTER_HEADER_SIZE);
}

/*
 * Reads a block, and sets its .end to the start of the next one. If a structure in it is inconsistent, no further
 * checks are made until a block begins where the previous one ends.
 */
static void
lpdata_read_block(struct walk *w, unsigned offset)
{
    struct lpdata *lp = w->lp;
    const unsigned type_at = offset + AT_block_type, size_at = offset + AT_block_size;
    struct lp_block block = {
        .offset = offset,
        .end = w->size,
        .first_instance = lp->num_instances,
        .first_value = lp->num_values,
    };
    bool is_sized, is_trusted;
    unsigned said_end, behind;

    lp_read_block(w->bytes + offset, false, &block);
    is_sized = block.size >= LP_COUNTER_HEADER_SIZE && block.size <= w->size - offset;
    said_end = is_sized ? offset + block.size : w->size;
    is_trusted = is_sized && walk_is_boundary(w, said_end, w->size, ordinary_block);
    if (block.size < LP_COUNTER_HEADER_SIZE) {
        walk_blame_once(lp, RULE_BLOCK_SIZE, size_at, SIZE_block_size,
            "dwSize of _PERF_COUNTER_HEADER is %u, less than the 16 bytes of the header", block.size);
    } else {
        walk_clamp_end(w, offset, block.size, w->size, "dwSize of _PERF_COUNTER_HEADER");
    }
    if (lpdata_type_is_known(block.type)) {
        rules_held(walk_report(lp), RULE_BLOCK_TYPE, 1);
    } else {
        walk_blame_once(lp, RULE_BLOCK_TYPE, type_at, SIZE_block_type,
            "dwType of _PERF_COUNTER_HEADER is %u, expected 0, 1, 2, 4 or 6", block.type);
    }
    if (is_trusted) {
        block.end = walk_padded_end(w, said_end, w->size, ordinary_block);
    }
    if (is_trusted && block.type == PERF_ERROR_RETURN) {
        rules_check(walk_report(lp), RULE_BLOCK_ERROR_ALONE, block.size == LP_COUNTER_HEADER_SIZE, size_at,
            SIZE_block_size, "dwSize of a PERF_ERROR_RETURN block is %u instead of 16", block.size);
    }
    block.parsed = read_block_content(w, &block);
    block.num_values = lp->num_values - block.first_value;
    behind = MIN(round_up_8(block.parsed), w->size);
    if (is_trusted) {
        rules_check(walk_report(lp), RULE_BLOCK_SIZE, block.size % 8 == 0, size_at, SIZE_block_size,
            "dwSize of _PERF_COUNTER_HEADER is %u, not a multiple of 8", block.size);
    } else if (!lp->is_cut) {
        const bool has_content = block.is_complete || block.type == PERF_ERROR_RETURN;

        if (has_content && walk_is_boundary(w, behind, w->size, plausible_block)) {
            if (behind != MIN(round_up_8(said_end), w->size) || block.size % 8 != 0) {
                walk_blame_once(lp, RULE_BLOCK_SIZE, size_at, SIZE_block_size,
                    "dwSize of _PERF_COUNTER_HEADER is %u, but the block takes %u bytes", block.size, behind - offset);
            }
            block.end = behind;
        } else if (is_sized && block.parsed <= said_end) {
            /*
             * No block begins where this one ends by dwSize. But its content fits, and unused space is allowed, so the
             * next block is malformed.
             */
            block.end = said_end;
        } else {
            walk_blame_once(lp, RULE_BLOCK_SIZE, size_at, SIZE_block_size,
                "dwSize of _PERF_COUNTER_HEADER is %u, but neither a block nor the buffer ends there", block.size);
            block.end = behind;
        }
    }
    block.is_mistrusted = lp->is_mistrusted;
    lp->is_mistrusted = lp->is_mistrusted && !walk_is_boundary(w, block.end, w->size, plausible_block);
    walk_append(lp, &lp->blocks, &block, sizeof block);
}

/* Run of adjacent values of PLAIN_VALUE_SIZE bytes: gap in bytes after the previous run, and number of values */
struct value_run {
    unsigned gap, count;
};

struct lpdata_known {
    struct lpdata lp;
    unsigned size;
    /* copy of the buffer with a mask in place of each value: ones for its 4 or 8 bytes, zeros for padding */
    uint8_t *bytes;
    struct value_run *runs;
    unsigned num_runs;
    uint32_t *checked; /* number of checks per rule that parsing this buffer makes */
};

void
lpdata_known_free(struct lpdata_known *known)
{
    if (known != NULL) {
        wmem_destroy_allocator(known->lp.scope);
    }
}

struct lpdata_known *
lpdata_known_new(tvbuff_t *tvb)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct lpdata_known *known = wmem_new0(scope, struct lpdata_known);
    struct rules_report report;
    unsigned end = LP_DATA_HEADER_SIZE;
    bool is_usual;

    lpdata_init(&known->lp, tvb, scope, rules_report_init(&report, scope, false, false));
    report.checked = known->checked = wmem_alloc0_array(scope, uint32_t, NUM_RULES);
    lpdata_parse_data(&known->lp);
    is_usual = known->lp.has_data_header && !known->lp.is_cut && report.broken == NULL;
    known->size = tvb_reported_length(tvb);
    known->bytes = is_usual ? (uint8_t *)tvb_memdup(scope, tvb, 0, known->size) : NULL;
    known->runs = wmem_alloc_array(scope, struct value_run, known->lp.num_values + 1);
    for (unsigned i = 0; is_usual && i < known->lp.num_values; i++) {
        const struct lp_value *value = &known->lp.values[i];
        const uint64_t bits = GUINT64_TO_LE(known->lp.widths[i] == 8 ? UINT64_MAX : UINT32_MAX);

        is_usual = value->offset >= end && value->offset % 8 == 0 && known->lp.widths[i] != 0 &&
            plain_head(known->bytes + value->offset, 0) == PLAIN_HEAD(known->lp.widths[i]) &&
            value->offset + PLAIN_VALUE_SIZE <= known->size;
        if (is_usual) {
            memcpy(known->bytes + value->offset + LP_COUNTER_DATA_SIZE, &bits, sizeof bits);
        }
        if (known->num_runs == 0 || value->offset != end) {
            known->runs[known->num_runs++] = (struct value_run){ value->offset - end, 0 };
        }
        known->runs[known->num_runs - 1].count++;
        end = value->offset + PLAIN_VALUE_SIZE;
    }
    if (!is_usual) {
        lpdata_known_free(known);
        return NULL;
    }
    wmem_free(scope, known->lp.numbers);
    return known;
}

/* Reads value i of a run. Returns 0 if dwDataSize and dwSize are the same as in the known buffer. */
static inline uint64_t
read_known_value(const uint8_t *sent, const uint8_t *usual, uint64_t *numbers, size_t i)
{
    numbers[i] = plain_data(sent, i) & plain_data(usual, i);
    return plain_head(sent, i) ^ plain_head(usual, i);
}

/*
 * Reads the values of a buffer into numbers. Returns false if the buffer, after its header, differs from the known one
 * in anything but values.
 */
static bool
read_known_values(const struct walk *w, const struct lpdata_known *known, uint64_t *numbers)
{
    const uint8_t *sent = w->bytes + LP_DATA_HEADER_SIZE, *usual = known->bytes + LP_DATA_HEADER_SIZE;
    uint64_t differs = 0;

    for (unsigned r = 0; r < known->num_runs; r++) {
        const struct value_run *run = &known->runs[r];
        unsigned left = run->count;

        if (memcmp(sent, usual, run->gap) != 0) {
            return false;
        }
        sent += run->gap;
        usual += run->gap;
        /* Polls may have hundreds of thousands of values: four at a time take fewer instructions. */
        for (; left >= 4; left -= 4, sent += 4 * PLAIN_VALUE_SIZE, usual += 4 * PLAIN_VALUE_SIZE, numbers += 4) {
            differs |= read_known_value(sent, usual, numbers, 0);
            differs |= read_known_value(sent, usual, numbers, 1);
            differs |= read_known_value(sent, usual, numbers, 2);
            differs |= read_known_value(sent, usual, numbers, 3);
        }
        for (; left > 0; left--, sent += PLAIN_VALUE_SIZE, usual += PLAIN_VALUE_SIZE, numbers++) {
            differs |= read_known_value(sent, usual, numbers, 0);
        }
    }
    return differs == 0 && memcmp(sent, usual, (size_t)(w->bytes + w->size - sent)) == 0;
}

/* Reads a buffer that differs from the known one only in times and values. Returns false if it differs in more. */
static bool
read_known_data(const struct walk *w, const struct lpdata_known *known)
{
    struct lpdata *lp = w->lp;
    const struct lpdata before = *lp;
    uint64_t *numbers;

    if (lp->report == NULL || w->captured != known->size || w->size != known->size ||
        memcmp(w->bytes, known->bytes, AT_data_header_perf_time_stamp) != 0) {
        return false;
    }
    numbers = wmem_alloc_array(lp->scope, uint64_t, known->lp.num_values + 1);
    if (!read_known_values(w, known, numbers)) {
        return false;
    }
    *lp = known->lp;
    lp->tvb = before.tvb;
    lp->report = before.report;
    lp->scope = before.scope;
    lp->request_code = before.request_code;
    lp_read_data_header(w->bytes, false, &lp->header);
    lp->numbers = numbers;
    lp->known = known;
    for (unsigned rule = 0; lp->report->checked != NULL && rule < NUM_RULES; rule++) {
        lp->report->checked[rule] += known->checked[rule];
    }
    return true;
}

void
lpdata_parse_data(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    const struct lpdata_known *known = lp->known;
    const struct lp_data_header *header = &lp->header;
    const uint32_t *broken;
    unsigned offset = LP_DATA_HEADER_SIZE;
    unsigned count = 0, lacking;

    lp->known = NULL;
    if ((known != NULL && read_known_data(&w, known)) ||
        !walk_fits(&w, 0, "_PERF_DATA_HEADER", LP_DATA_HEADER_SIZE, w.size)) {
        return;
    }
    lp_read_data_header(w.bytes, false, &lp->header);
    lp->has_data_header = true;
    lp->parsed = offset;

    /* dwNumCounter may be too low, so read on while a further block is plausible. */
    for (; offset < w.size && !lp->is_cut &&
         (count < header->num_counters || (header->total_size == w.size && plausible_block(&w, offset, w.size)));
         count++) {
        const struct lp_block *block;

        if (!walk_fits(&w, offset, "_PERF_COUNTER_HEADER", LP_COUNTER_HEADER_SIZE, w.size)) {
            break;
        }
        lpdata_read_block(&w, offset);
        block = lpdata_block(lp, count);
        lp->parsed = lp->is_cut ? MAX(block->parsed, offset + LP_COUNTER_HEADER_SIZE) : block->end;
        if (!lp->is_cut) {
            offset = walk_next(&w, block->offset, block->end, w.size, plausible_block);
            lp->parsed = offset;
        }
    }
    lacking = header->total_size > w.size ? header->total_size - w.size : 0;
    broken = lp->report == NULL ? NULL : lp->report->broken;
    if (lacking == 0 || broken == NULL || broken[RULE_STRUCTURE_FITS] == 0) {
        rules_check(walk_report(lp), RULE_DATA_TOTAL_SIZE, header->total_size == w.size,
            MEMBER(data_header, total_size), "dwTotalSize is %u, but the buffer holds %u bytes", header->total_size,
            w.size);
    }
    if (lp->is_cut) {
        return;
    }
    /* If dwTotalSize exceeds the buffer, that explains missing blocks and trailing bytes: add no second finding. */
    rules_check(walk_report(lp), RULE_DATA_NUM_COUNTERS,
        count == header->num_counters ||
            (count < header->num_counters && header->num_counters - count <= lacking / LP_COUNTER_HEADER_SIZE),
        MEMBER(data_header, num_counters), "dwNumCounter is %u, but the buffer holds %u blocks", header->num_counters,
        count);
    if (offset != header->total_size || offset >= w.size) {
        walk_check_trailing(&w, offset);
    }
}
