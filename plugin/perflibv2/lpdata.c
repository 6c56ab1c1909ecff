/* lpdata.c
 * The lpData buffers of PerflibV2, from bytes to structures
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/lpdata.h"

#include <string.h>

#include "base/bytes.h"
#include "perflibv2/rules-report.h"

/* A walk over one buffer. */
struct walk {
    struct lpdata *lp;
    const uint8_t *bytes; /* captured of them can be read */
    unsigned captured;
    unsigned size; /* bytes sent */
};

/* lpData is little-endian, whatever its stub is ([MS-PCQ] 2.2). */
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

void
lpdata_init(struct lpdata *lp, tvbuff_t *tvb, wmem_allocator_t *scope, struct rules_report *report)
{
    memset(lp, 0, sizeof *lp);
    lp->tvb = tvb;
    lp->report = report;
    lp->scope = scope;
}

static inline void
hold(const struct lpdata *lp, enum perflibv2_rule rule, uint32_t n)
{
    if (lp->report != NULL && !lp->is_mistrusted) {
        rules_held(lp->report, rule, n);
    }
}

/* What the message needs is worked out only where it is needed. */
#define blame(lp, ...) \
    do { \
        if ((lp)->report != NULL && !(lp)->is_mistrusted) { \
            rules_broken((lp)->report, __VA_ARGS__); \
        } \
    } while (0)
#define check(lp, rule, holds, ...) \
    do { \
        if (holds) { \
            hold(lp, rule, 1); \
        } else { \
            blame(lp, rule, __VA_ARGS__); \
        } \
    } while (0)

/* Something is wrong with where structures stand: the first finding is the cause of those that would follow. */
#define blame_once(lp, ...) \
    do { \
        blame(lp, __VA_ARGS__); \
        (lp)->is_mistrusted = true; \
    } while (0)

/* Appends an element to an array that is made with its first. */
static void
append(const struct lpdata *lp, wmem_array_t **array, const void *element, size_t size)
{
    if (*array == NULL) {
        *array = wmem_array_new(lp->scope, size);
    }
    wmem_array_append(*array, element, 1);
}

/* How many of count structures there can be from offset on: no more than the bytes before end hold. */
static unsigned
most_that_fit(const struct walk *w, uint64_t count, unsigned size, unsigned offset, unsigned end)
{
    const unsigned limit = MIN(end, w->captured);

    return (unsigned)MIN(count, offset < limit ? (limit - offset) / size : 0);
}

/* Room for count further values from offset on. */
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

/* The same for instances. */
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

static struct walk
walk_begin(struct lpdata *lp)
{
    struct walk w = { .lp = lp, .captured = tvb_captured_length(lp->tvb), .size = tvb_reported_length(lp->tvb) };

    w.bytes = w.captured > 0 ? tvb_get_ptr(lp->tvb, 0, (int)w.captured) : NULL;
    return w;
}

/* What keeps a structure from being read: either the capture is cut, or the sender's buffer is too short. */
static bool
does_not_fit(struct walk *w, unsigned offset, const char *name, unsigned length, unsigned end)
{
    if (offset > end || length > end - offset) {
        const unsigned left = offset > end ? 0 : end - offset;

        blame_once(w->lp, RULE_STRUCTURE_FITS, offset, left, "%s at offset %u needs %u bytes, but only %u are left",
            name, offset, length, left);
    } else {
        hold(w->lp, RULE_STRUCTURE_FITS, 1);
        w->lp->is_cut = true;
    }
    return false;
}

/* Whether a structure can be read at offset and lies before end. */
static inline bool
fits(struct walk *w, unsigned offset, const char *name, unsigned length, unsigned end)
{
    const unsigned limit = MIN(end, w->captured);

    if (offset > limit || length > limit - offset) {
        return does_not_fit(w, offset, name, length, end);
    }
    hold(w->lp, RULE_STRUCTURE_FITS, 1);
    return true;
}

/* A size that reaches too far is a finding and is cut to what is left. */
static unsigned
clamp_end(struct walk *w, unsigned offset, unsigned size, unsigned end, const char *what)
{
    if (size > end - offset) {
        blame_once(w->lp, RULE_STRUCTURE_FITS, offset, end - offset,
            "%s is %u, but only %u bytes are left at offset %u", what, size, end - offset, offset);
        return end;
    }
    hold(w->lp, RULE_STRUCTURE_FITS, 1);
    return offset + size;
}

static void
check_trailing(struct walk *w, unsigned offset)
{
    w->lp->parsed = offset;
    if (w->lp->is_cut) {
        return;
    }
    check(w->lp, RULE_TRAILING_BYTES, offset >= w->size, offset, w->size - offset,
        "%u bytes follow the last structure, which ends at offset %u", w->size - offset, offset);
}

/* The text in room bytes at offset, as far as the capture holds them. */
static struct utf16_text
lpdata_measure(struct walk *w, unsigned offset, unsigned room)
{
    unsigned there = offset >= w->captured ? 0 : MIN(room, w->captured - offset);
    struct utf16_text text = utf16_measure_bytes(there == 0 ? NULL : w->bytes + offset, there);

    if (!text.terminated && there < room) {
        w->lp->is_cut = true;
    }
    return text;
}

static e_guid_t
lpdata_read_guid(const struct walk *w, unsigned offset)
{
    e_guid_t guid;

    tvb_get_letohguid(w->lp->tvb, (int)offset, &guid);
    return guid;
}

static void
read_counter_reg(struct walk *w, unsigned offset)
{
    const uint8_t *b = w->bytes + offset;
    const struct lp_counter_reg counter = {
        .offset = offset,
        .id = le32(b),
        .type = le32(b + 4),
        .attrib = le64(b + 8),
        .detail_level = le32(b + 16),
        .default_scale = (int32_t)le32(b + 20),
        .base_id = le32(b + 24),
        .perf_time_id = le32(b + 28),
        .perf_freq_id = le32(b + 32),
        .multi_id = le32(b + 36),
        .aggregate = le32(b + 40),
        .reserved = le32(b + 44),
    };

    append(w->lp, &w->lp->counters, &counter, sizeof counter);
}

static void
parse_counterset_reg(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    struct lp_counterset_reg *set = &lp->counterset;
    unsigned offset = LP_COUNTERSET_REG_SIZE;
    unsigned count;

    if (!fits(&w, 0, "_PERF_COUNTERSET_REG_INFO", LP_COUNTERSET_REG_SIZE, w.size)) {
        return;
    }
    set->guid = lpdata_read_guid(&w, 0);
    set->type = le32(w.bytes + 16);
    set->detail_level = le32(w.bytes + 20);
    set->num_counters = le32(w.bytes + 24);
    set->instance_type = le32(w.bytes + 28);
    lp->has_counterset = true;

    /* The bytes say how many there are; NumCounters is only compared with them. */
    count = (w.size - offset) / LP_COUNTER_REG_SIZE;
    check(lp, RULE_REG_NUM_COUNTERS, set->num_counters == count, 24, 4,
        "NumCounters is %u, but %u _PERF_COUNTER_REG_INFO structures follow", set->num_counters, count);
    for (; count > 0 && fits(&w, offset, "_PERF_COUNTER_REG_INFO", LP_COUNTER_REG_SIZE, w.size); count--) {
        read_counter_reg(&w, offset);
        offset += LP_COUNTER_REG_SIZE;
    }
    check_trailing(&w, offset);
}

static void
parse_counter_reg(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);

    if (fits(&w, 0, "_PERF_COUNTER_REG_INFO", LP_COUNTER_REG_SIZE, w.size)) {
        read_counter_reg(&w, 0);
        check_trailing(&w, LP_COUNTER_REG_SIZE);
    }
}

/* Where a string from the buffer's start ends that was padded with zeros to a multiple of 4 or 8: 2.2.4 is silent. */
static unsigned
end_of_padding(const struct walk *w, unsigned text_end)
{
    unsigned end = text_end;

    while (end < w->size && end < round_up_8(text_end) && end < w->captured && w->bytes[end] == 0) {
        end++;
    }
    return end == w->size ? end : text_end;
}

static void
parse_string(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);

    lp->string = lpdata_measure(&w, 0, w.size);
    if (lp->is_cut) {
        lp->parsed = lp->string.size;
        return;
    }
    check(lp, RULE_STRING_TERMINATED, lp->string.terminated, 0, w.size, "The string of %u bytes has no terminator",
        w.size);
    check_trailing(&w, lp->string.terminated ? end_of_padding(&w, lp->string.size + 2) : w.size);
}

/*
 * From where do the offsets count? Practice: from the start of the buffer. The text (2.2.4.4): from the end of the
 * headers. An offset speaks for a reading when it leads behind the headers, into the buffer, and to where a
 * string can begin: right behind the headers or right behind a terminator. Where both fit equally, practice it is.
 */
static bool
begins_string(const struct walk *w, unsigned headers_end, uint64_t at)
{
    return at == headers_end ||
        (at >= headers_end + 2 && at <= w->captured && (at - headers_end) % 2 == 0 && le16(w->bytes + at - 2) == 0);
}

static void
find_base_of_offsets(const struct walk *w, unsigned headers_end, unsigned end)
{
    unsigned votes_start = 0, votes_headers = 0;

    for (unsigned header = LP_STRING_BUFFER_SIZE; header < headers_end; header += LP_STRING_COUNTER_SIZE) {
        const uint32_t dw_offset = le32(w->bytes + header + 4);

        for (int from_headers = 0; from_headers < 2; from_headers++) {
            const uint64_t at = (uint64_t)dw_offset + (from_headers ? headers_end : 0);

            if (dw_offset != PERF_ID_NONE && at + 2 <= end && begins_string(w, headers_end, at)) {
                *(from_headers ? &votes_headers : &votes_start) += 1;
            }
        }
    }
    w->lp->offset_base_is_known = votes_headers != votes_start;
    w->lp->offset_from_headers = votes_headers > votes_start;
}

static void
read_counter_strings(struct walk *w, unsigned headers_end, unsigned end)
{
    struct lpdata *lp = w->lp;
    const unsigned base = lp->offset_from_headers ? headers_end : 0;
    /* Headers may all point to one long string: what is measured stays linear in the buffer. */
    uint64_t budget = (uint64_t)w->size * 4;

    for (unsigned header = LP_STRING_BUFFER_SIZE; header < headers_end; header += LP_STRING_COUNTER_SIZE) {
        struct lp_counter_string string = {
            .offset = header,
            .id = le32(w->bytes + header),
            .string_offset = le32(w->bytes + header + 4),
        };
        const uint64_t at = (uint64_t)string.string_offset + base;

        if (string.string_offset != PERF_ID_NONE) {
            const bool inside = at >= headers_end && at < end;
            /* What was not captured can't be looked at. */
            const bool begins = inside && (at > w->captured || begins_string(w, headers_end, at));

            if (!inside) {
                blame(lp, RULE_STRINGS_OFFSET, header + 4, 4,
                    "dwOffset %u leads to byte %" PRIu64 ", but strings stand from %u to %u", string.string_offset, at,
                    headers_end, end);
            } else {
                check(lp, RULE_STRINGS_OFFSET, begins, header + 4, 4,
                    "dwOffset %u leads to byte %" PRIu64 ", where no string begins: it is %s", string.string_offset, at,
                    (at - headers_end) % 2 != 0 ? "in the middle of a character" : "not behind the end of another");
            }
            if (begins && budget > 0) {
                string.present = true;
                string.text_offset = (unsigned)at;
                string.text = lpdata_measure(w, (unsigned)at, (unsigned)MIN(end - at, budget));
                budget -= MIN(budget, string.text.size + 2u);
                if (!lp->is_cut) {
                    check(lp, RULE_STRING_TERMINATED, string.text.terminated, (unsigned)at, string.text.size,
                        "The string of counter %u at offset %u has no terminator", string.id, (unsigned)at);
                }
                lp->parsed = MAX(lp->parsed, (unsigned)at + string.text.size + (string.text.terminated ? 2 : 0));
            }
        }
        append(lp, &lp->strings, &string, sizeof string);
    }
}

static void
parse_strings(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    unsigned count, headers_end;

    if (!fits(&w, 0, "_STRING_BUFFER_HEADER", LP_STRING_BUFFER_SIZE, w.size)) {
        return;
    }
    lp->strings_size = le32(w.bytes);
    lp->strings_counters = le32(w.bytes + 4);
    check(lp, RULE_STRINGS_SIZE, lp->strings_size == w.size, 0, 4, "dwSize is %u, but the buffer holds %u bytes",
        lp->strings_size, w.size);

    count = (w.size - LP_STRING_BUFFER_SIZE) / LP_STRING_COUNTER_SIZE;
    if (lp->strings_counters > count) {
        blame_once(lp, RULE_STRUCTURE_FITS, 4, 4, "dwCounters is %u, but only %u _STRING_COUNTER_HEADER structures fit",
            lp->strings_counters, count);
    }
    count = MIN(count, lp->strings_counters);
    headers_end = LP_STRING_BUFFER_SIZE + count * LP_STRING_COUNTER_SIZE;
    if (headers_end > w.captured) {
        lp->is_cut = true;
        headers_end = LP_STRING_BUFFER_SIZE +
            (w.captured - LP_STRING_BUFFER_SIZE) / LP_STRING_COUNTER_SIZE * LP_STRING_COUNTER_SIZE;
    }
    lp->parsed = headers_end;
    find_base_of_offsets(&w, headers_end, w.size);
    read_counter_strings(&w, headers_end, w.size);
    if (lp->parsed > w.size - MIN(w.size, 8)) {
        /* Padding to a multiple of 8 belongs to the buffer. */
        lp->parsed = w.size;
    }
}

static void
parse_provider_guid(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);

    if (fits(&w, 0, "The provider's GUID", LP_GUID_SIZE, w.size)) {
        lp->provider = lpdata_read_guid(&w, 0);
        lp->has_provider = true;
        check_trailing(&w, LP_GUID_SIZE);
    }
}

void
lpdata_parse_guids(struct lpdata *lp)
{
    lp->parsed = tvb_reported_length(lp->tvb) / LP_GUID_SIZE * LP_GUID_SIZE;
}

void
lpdata_parse_registration(struct lpdata *lp)
{
    switch (lp->request_code) {
    case PERF_REG_COUNTERSET_STRUCT: parse_counterset_reg(lp); break;
    case PERF_REG_COUNTER_STRUCT: parse_counter_reg(lp); break;
    case PERF_REG_COUNTERSET_NAME_STRING:
    case PERF_REG_COUNTERSET_HELP_STRING:
    case PERF_REG_PROVIDER_NAME:
    case PERF_REG_COUNTERSET_ENGLISH_NAME: parse_string(lp); break;
    case PERF_REG_COUNTER_NAME_STRINGS:
    case PERF_REG_COUNTER_HELP_STRINGS:
    case PERF_REG_COUNTER_ENGLISH_NAMES: parse_strings(lp); break;
    case PERF_REG_PROVIDER_GUID: parse_provider_guid(lp); break;
    }
}

/* Whether a structure that names its own size can begin at offset. */
typedef bool (*plausible_fn)(const struct walk *w, unsigned offset, unsigned end);

static bool
plausible_instance(const struct walk *w, unsigned offset, unsigned end)
{
    return offset + LP_INSTANCE_HEADER_SIZE <= MIN(end, w->captured) &&
        le32(w->bytes + offset) >= LP_INSTANCE_HEADER_SIZE && le32(w->bytes + offset) <= end - offset;
}

static bool
plausible_multi_instances(const struct walk *w, unsigned offset, unsigned end)
{
    uint32_t total_size;

    if (offset + LP_MULTI_INSTANCES_SIZE > MIN(end, w->captured)) {
        return false;
    }
    total_size = le32(w->bytes + offset);
    return total_size >= LP_MULTI_INSTANCES_SIZE && total_size <= end - offset &&
        le32(w->bytes + offset + 4) <= (total_size - LP_MULTI_INSTANCES_SIZE) / LP_INSTANCE_HEADER_SIZE;
}

static bool
plausible_identifier(const struct walk *w, unsigned offset, unsigned end)
{
    return offset + LP_IDENTIFIER_SIZE <= MIN(end, w->captured) && le32(w->bytes + offset + 20) >= LP_IDENTIFIER_SIZE &&
        le32(w->bytes + offset + 20) <= end - offset;
}

static bool
plausible_value(const struct walk *w, unsigned offset, unsigned end)
{
    uint32_t data_size, size;

    if (offset + LP_COUNTER_DATA_SIZE > MIN(end, w->captured)) {
        return false;
    }
    data_size = le32(w->bytes + offset);
    size = le32(w->bytes + offset + 4);
    /* More than the padding to a multiple of 8 does not belong between a value's end and its dwSize. */
    return size >= LP_COUNTER_DATA_SIZE && size <= end - offset && data_size <= size - LP_COUNTER_DATA_SIZE &&
        size - LP_COUNTER_DATA_SIZE - data_size < 8;
}

/*
 * Structures begin at multiples of 8 (2.2.4), but not every sender counts the padding in its sizes, and some send none:
 * whichever place looks like the structure expected is it. A size that is a multiple of 8 has its padding counted:
 * behind a structure off the boundary the next is off it, too.
 */
static unsigned
next_off_boundary(const struct walk *w, unsigned begin, unsigned offset, unsigned end, plausible_fn plausible)
{
    const unsigned aligned = MIN(round_up_8(offset), end);

    if (!plausible(w, offset, end) || ((offset - begin) % 8 != 0 && plausible(w, aligned, end))) {
        hold(w->lp, RULE_ALIGNMENT, 1);
        return aligned;
    }
    blame(w->lp, RULE_ALIGNMENT, offset, 8, "A structure begins at offset %u, which is not a multiple of 8", offset);
    return offset;
}

/* Where the structure after one from begin to offset begins. */
static inline unsigned
next_structure(const struct walk *w, unsigned begin, unsigned offset, unsigned end, plausible_fn plausible)
{
    if (offset % 8 == 0 && offset <= end) {
        hold(w->lp, RULE_ALIGNMENT, 1);
        return offset;
    }
    return next_off_boundary(w, begin, offset, end, plausible);
}

/* Whether an end that a size tells is that of the enclosing structure, or where the next one seems to begin. */
static bool
is_boundary(const struct walk *w, unsigned offset, unsigned end, plausible_fn plausible)
{
    const unsigned aligned = MIN(round_up_8(offset), end);

    return aligned >= end || plausible(w, offset, end) || plausible(w, aligned, end);
}

/* An end that is said, or the multiple of 8 behind it where only that is one. */
static unsigned
padded_end(const struct walk *w, unsigned offset, unsigned end, plausible_fn plausible)
{
    return offset % 8 != 0 && offset < end && !plausible(w, offset, end) && is_boundary(w, offset, end, plausible)
        ? MIN(round_up_8(offset), end)
        : offset;
}

/*
 * Whether a structure from begin on says a wrong size: where it is said to end, at offset, no other begins, but one
 * does where its content ends, at least.
 */
static bool
is_wrong_size(const struct walk *w, unsigned offset, unsigned least, unsigned end, plausible_fn plausible)
{
    return !w->lp->is_cut && round_up_8(least) != round_up_8(offset) && round_up_8(least) <= end &&
        !is_boundary(w, offset, end, plausible) && is_boundary(w, least, end, plausible);
}

/* PERF_MAX_INSTANCE_NAME of perflib.h, and its terminator */
#define LP_MAX_NAME ((1024u + 1) * 2)

/*
 * The name up to where a size says it ends; or beyond, where that is no end, but what stands behind its terminator is.
 */
static struct utf16_text
measure_name(struct walk *w, unsigned offset, unsigned said_end, unsigned end, plausible_fn then)
{
    const struct utf16_text name = lpdata_measure(w, offset, padded_end(w, said_end, end, then) - offset);
    const unsigned there = MIN(end, w->captured);

    if (!name.terminated && said_end < there && !is_boundary(w, said_end, end, then)) {
        const struct utf16_text whole = utf16_measure_bytes(w->bytes + offset, MIN(there - offset, LP_MAX_NAME));

        if (whole.terminated && is_boundary(w, offset + whole.size + 2, end, then)) {
            return whole;
        }
    }
    return name;
}

/* Header and name of an instance whose header has been found to fit. end: of the enclosing structure. */
static void
lpdata_read_instance(struct walk *w, struct lp_instance *instance, unsigned offset, unsigned end, plausible_fn then)
{
    struct lpdata *lp = w->lp;
    unsigned name_end = end, behind;
    bool is_sized;

    *instance = (struct lp_instance){
        .offset = offset,
        .size = le32(w->bytes + offset),
        .id = le32(w->bytes + offset + 4),
        .name_offset = offset + LP_INSTANCE_HEADER_SIZE,
    };
    is_sized = instance->size >= LP_INSTANCE_HEADER_SIZE && instance->size <= end - offset;
    if (is_sized) {
        name_end = offset + instance->size;
    }
    instance->name = measure_name(w, instance->name_offset, name_end, end, then);
    behind = MIN(instance->name_offset + instance->name.size + (instance->name.terminated ? 2 : 0), end);
    if (instance->size < LP_INSTANCE_HEADER_SIZE) {
        blame_once(lp, RULE_INSTANCE_SIZE, offset, 4,
            "Size of _PERF_INSTANCE_HEADER is %u, less than the header's own 8 bytes", instance->size);
        name_end = behind;
    } else if (!is_sized) {
        clamp_end(w, offset, instance->size, end, "Size of _PERF_INSTANCE_HEADER");
        name_end = is_boundary(w, behind, end, then) ? behind : end;
    } else if (behind > name_end || is_wrong_size(w, name_end, behind, end, then)) {
        blame_once(lp, RULE_INSTANCE_SIZE, offset, 4,
            "Size of _PERF_INSTANCE_HEADER is %u, but header and name take %u bytes", instance->size, behind - offset);
        name_end = behind;
    } else {
        hold(lp, RULE_STRUCTURE_FITS, 1);
        check(lp, RULE_INSTANCE_SIZE, instance->size % 8 == 0, offset, 4,
            "Size of _PERF_INSTANCE_HEADER is %u, not a multiple of 8", instance->size);
    }
    if (!lp->is_cut) {
        /* Size may leave out the terminator. */
        check(lp, RULE_INSTANCE_TERMINATED, instance->name.terminated, instance->name_offset, instance->name.size,
            "The instance name of %u bytes has no terminator within Size %u", instance->name.size, instance->size);
    }
    instance->end = name_end;
}

/* What a value takes as it nearly always is laid out, at a multiple of 8: 4 or 8 bytes in 8. */
#define PLAIN_VALUE_SIZE  (LP_COUNTER_DATA_SIZE + 8)
/* dwDataSize and dwSize of one that is of so many bytes. */
#define PLAIN_HEAD(width) ((width) | (uint64_t)PLAIN_VALUE_SIZE << 32)
/* So many are read at once: to ask behind each whether to go on takes as long as to read it. */
#define VALUES_AT_ONCE    4

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
 * Values laid out as they nearly always are, as many as follow one another from offset, but at most so many. A poll may
 * hold hundreds of thousands. Returns how many; the first that is not is read_value()'s.
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
        /* There may be no room for any. */
        return 0;
    }
    out = lp->values + lp->num_values;
    numbers = lp->numbers + lp->num_values;
    widths = lp->widths + lp->num_values;
    b = w->bytes + offset;
    while (n < most) {
        for (; n + VALUES_AT_ONCE <= most && plain_head(b, 0) == PLAIN_HEAD(8) && plain_head(b, 1) == PLAIN_HEAD(8) &&
             plain_head(b, 2) == PLAIN_HEAD(8) && plain_head(b, 3) == PLAIN_HEAD(8);
             n += VALUES_AT_ONCE) {
            for (unsigned i = 0; i < VALUES_AT_ONCE; i++) {
                out[n + i] = (struct lp_value){ offset + i * PLAIN_VALUE_SIZE, 8 };
            }
            numbers[n] = plain_data(b, 0);
            numbers[n + 1] = plain_data(b, 1);
            numbers[n + 2] = plain_data(b, 2);
            numbers[n + 3] = plain_data(b, 3);
            memset(widths + n, 8, VALUES_AT_ONCE);
            b += VALUES_AT_ONCE * PLAIN_VALUE_SIZE;
            offset += VALUES_AT_ONCE * PLAIN_VALUE_SIZE;
        }
        if (n == most || (plain_head(b, 0) != PLAIN_HEAD(8) && plain_head(b, 0) != PLAIN_HEAD(4))) {
            break;
        }
        widths[n] = *b;
        out[n] = (struct lp_value){ offset, *b };
        numbers[n] = *b == 8 ? plain_data(b, 0) : (uint32_t)plain_data(b, 0);
        n++;
        b += PLAIN_VALUE_SIZE;
        offset += PLAIN_VALUE_SIZE;
    }
    lp->num_values += (unsigned)n;
    return (unsigned)n;
}

/*
 * An instance, whose header has been found to fit, with so many values, all laid out as they nearly always are: Size is
 * a multiple of 8 that ends with the name's padding. Returns whether it is; else nothing is said of it.
 */
static bool
read_plain_instance(const struct walk *w, struct lp_instance *instance, unsigned offset, unsigned end,
    unsigned num_values)
{
    const unsigned size = le32(w->bytes + offset), first_value = w->lp->num_values;
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
        .id = le32(w->bytes + offset + 4),
        .name_offset = offset + LP_INSTANCE_HEADER_SIZE,
        .name = name,
        .end = offset + size + num_values * PLAIN_VALUE_SIZE,
        .first_value = first_value,
        .num_values = num_values,
    };
    hold(w->lp, RULE_STRUCTURE_FITS, 1 + 2 * num_values);
    hold(w->lp, RULE_INSTANCE_SIZE, 1);
    hold(w->lp, RULE_INSTANCE_TERMINATED, 1);
    hold(w->lp, RULE_VALUE_SIZE, num_values);
    return true;
}

void
lpdata_parse_instances(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    unsigned offset = 0;

    while (offset < w.size && fits(&w, offset, "_PERF_INSTANCE_HEADER", LP_INSTANCE_HEADER_SIZE, w.size)) {
        struct lp_instance *instance;

        reserve_instances(&w, 1, offset, w.size);
        instance = &lp->instances[lp->num_instances++];
        if (!read_plain_instance(&w, instance, offset, w.size, 0)) {
            lpdata_read_instance(&w, instance, offset, w.size, plausible_instance);
        }
        lp->is_mistrusted = lp->is_mistrusted && !is_boundary(&w, instance->end, w.size, plausible_instance);
        instance->end = next_structure(&w, offset, instance->end, w.size, plausible_instance);
        offset = instance->end;
        lp->parsed = offset;
        if (lp->is_cut) {
            break;
        }
    }
}

void
lpdata_parse_identifiers(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    unsigned offset = 0;

    while (offset < w.size && fits(&w, offset, "_PERF_COUNTER_IDENTIFIER", LP_IDENTIFIER_SIZE, w.size)) {
        const uint8_t *b = w.bytes + offset;
        struct lp_identifier identifier = {
            .offset = offset,
            .guid = lpdata_read_guid(&w, offset),
            .status = le32(b + 16),
            .size = le32(b + 20),
            .counter_id = le32(b + 24),
            .instance_id = le32(b + 28),
            .index = le32(b + 32),
            .reserved = le32(b + 36),
            .name_offset = offset + LP_IDENTIFIER_SIZE,
        };
        unsigned least;

        if (identifier.size < LP_IDENTIFIER_SIZE) {
            /* Nothing tells where the next one begins. */
            blame(lp, RULE_IDENTIFIER_SIZE, offset + 20, 4,
                "Size of _PERF_COUNTER_IDENTIFIER is %u, less than the structure's own 40 bytes", identifier.size);
            identifier.end = offset + LP_IDENTIFIER_SIZE;
            append(lp, &lp->identifiers, &identifier, sizeof identifier);
            lp->parsed = identifier.end;
            break;
        }
        identifier.end = clamp_end(&w, offset, identifier.size, w.size, "Size of _PERF_COUNTER_IDENTIFIER");
        if (identifier.end > identifier.name_offset) {
            identifier.name = measure_name(&w, identifier.name_offset, identifier.end, w.size, plausible_identifier);
        }
        least = identifier.name_offset + identifier.name.size + (identifier.name.terminated ? 2 : 0);
        if (least > identifier.end || is_wrong_size(&w, identifier.end, least, w.size, plausible_identifier)) {
            blame_once(lp, RULE_IDENTIFIER_SIZE, offset + 20, 4,
                "Size of _PERF_COUNTER_IDENTIFIER is %u, but structure and name take %u bytes", identifier.size,
                least - offset);
            identifier.end = least;
        } else if (identifier.end > identifier.name_offset && !lp->is_cut) {
            check(lp, RULE_IDENTIFIER_TERMINATED, identifier.name.terminated, identifier.name_offset,
                identifier.name.size, "The instance name of %u bytes has no terminator", identifier.name.size);
        }
        hold(lp, RULE_IDENTIFIER_SIZE, 1);
        lp->is_mistrusted = lp->is_mistrusted && !is_boundary(&w, identifier.end, w.size, plausible_identifier);
        identifier.end = next_structure(&w, offset, identifier.end, w.size, plausible_identifier);
        append(lp, &lp->identifiers, &identifier, sizeof identifier);
        offset = identifier.end;
        lp->parsed = offset;
        if (lp->is_cut) {
            break;
        }
    }
}

/*
 * One _PERF_COUNTER_DATA and its value. Returns where the next structure, one that is plausible (NULL: none need
 * follow), is expected, or 0 where the value could not be read.
 */
static unsigned
read_value(struct walk *w, unsigned offset, unsigned end, plausible_fn then)
{
    struct lpdata *lp = w->lp;
    const unsigned index = lp->num_values;
    uint32_t data_size, size;
    unsigned next, left;

    if (!fits(w, offset, "_PERF_COUNTER_DATA", LP_COUNTER_DATA_SIZE, end)) {
        return 0;
    }
    data_size = le32(w->bytes + offset);
    size = le32(w->bytes + offset + 4);
    left = end - offset - LP_COUNTER_DATA_SIZE;
    next = offset + MIN(size, end - offset);
    if (size > end - offset) {
        blame_once(lp, RULE_STRUCTURE_FITS, offset + 4, 4,
            "dwSize of _PERF_COUNTER_DATA is %u, but only %u bytes are left", size, end - offset);
        next = offset + LP_COUNTER_DATA_SIZE + MIN(data_size, left);
    } else if (data_size > left) {
        blame_once(lp, RULE_STRUCTURE_FITS, offset, 4,
            "dwDataSize of _PERF_COUNTER_DATA is %u, but only %u bytes are left", data_size, left);
        next = size < LP_COUNTER_DATA_SIZE ? end : next;
    } else if (size < LP_COUNTER_DATA_SIZE || data_size > size - LP_COUNTER_DATA_SIZE) {
        blame_once(lp, RULE_VALUE_SIZE, offset + 4, 4,
            "dwSize of _PERF_COUNTER_DATA is %u, less than its header's 8 bytes and dwDataSize %u", size, data_size);
        if (size < LP_COUNTER_DATA_SIZE || then == NULL || !is_boundary(w, next, end, then)) {
            next = offset + LP_COUNTER_DATA_SIZE + data_size;
        }
    } else if (then != NULL && is_wrong_size(w, next, offset + LP_COUNTER_DATA_SIZE + data_size, end, then)) {
        blame_once(lp, RULE_VALUE_SIZE, offset + 4, 4,
            "dwSize of _PERF_COUNTER_DATA is %u, but header and data take %u bytes", size,
            LP_COUNTER_DATA_SIZE + data_size);
        next = offset + LP_COUNTER_DATA_SIZE + data_size;
    } else {
        hold(lp, RULE_STRUCTURE_FITS, 1);
        check(lp, RULE_VALUE_SIZE, size % 8 == 0, offset + 4, 4,
            "dwSize of _PERF_COUNTER_DATA is %u, not a multiple of 8", size);
    }
    /* The data ends where the structure does. */
    data_size = MIN(data_size, next > offset + LP_COUNTER_DATA_SIZE ? next - offset - LP_COUNTER_DATA_SIZE : 0);
    if (offset + LP_COUNTER_DATA_SIZE + data_size > w->captured) {
        lp->is_cut = true;
        return 0;
    }
    lp->values[index] = (struct lp_value){ offset, data_size };
    lp->widths[index] = data_size == 4 || data_size == 8 ? (uint8_t)data_size : 0;
    lp->numbers[index] = data_size == 4 ? le32(w->bytes + offset + LP_COUNTER_DATA_SIZE)
        : data_size == 8                ? le64(w->bytes + offset + LP_COUNTER_DATA_SIZE)
                                        : 0;
    lp->num_values++;
    return next;
}

/*
 * count values in a row, for which there is room, and what is plausible then. Returns where they end; *complete: all
 * were there.
 */
static unsigned
lpdata_read_values(struct walk *w, unsigned offset, unsigned end, unsigned count, plausible_fn then, bool *complete)
{
    *complete = true;
    for (unsigned i = 0; i < count; i++) {
        const unsigned plain = read_plain_values(w, offset, end, count - i);
        unsigned next;

        hold(w->lp, RULE_STRUCTURE_FITS, 2 * plain);
        hold(w->lp, RULE_VALUE_SIZE, plain);
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
        offset = i + 1 < count ? next_structure(w, offset, next, end, plausible_value) : next;
    }
    return offset;
}

/* _PERF_MULTI_COUNTERS and its ids. Returns where the next structure is expected, or 0. */
static unsigned
read_multi_counters(struct walk *w, struct lp_block *block, unsigned offset, plausible_fn then)
{
    uint32_t counters;
    unsigned room;
    uint64_t ids_end;

    if (!fits(w, offset, "_PERF_MULTI_COUNTERS", LP_MULTI_COUNTERS_SIZE, block->end)) {
        return 0;
    }
    block->counters_offset = offset;
    block->counters_size = le32(w->bytes + offset);
    counters = le32(w->bytes + offset + 4);
    room = (block->end - offset - LP_MULTI_COUNTERS_SIZE) / 4;
    if (counters > room) {
        blame_once(w->lp, RULE_STRUCTURE_FITS, offset + 4, 4,
            "dwCounters of _PERF_MULTI_COUNTERS is %u, but only %u ids fit into the block", counters, room);
    } else {
        hold(w->lp, RULE_STRUCTURE_FITS, 1);
    }
    block->num_ids = MIN(counters, room);
    ids_end = offset + LP_MULTI_COUNTERS_SIZE + (uint64_t)block->num_ids * 4;
    if (ids_end > w->captured) {
        w->lp->is_cut = true;
        block->num_ids = (w->captured - offset - LP_MULTI_COUNTERS_SIZE) / 4;
        return 0;
    }
    if (counters > room) {
        return 0;
    }
    if (block->counters_size < ids_end - offset || block->counters_size > block->end - offset ||
        (block->num_ids > 0 && is_wrong_size(w, offset + block->counters_size, (unsigned)ids_end, block->end, then))) {
        blame_once(w->lp, RULE_MULTI_COUNTERS_SIZE, offset, 4,
            "dwSize of _PERF_MULTI_COUNTERS is %u, but header and %u ids take %u bytes", block->counters_size, counters,
            (unsigned)ids_end - offset);
        return (unsigned)ids_end;
    }
    hold(w->lp, RULE_MULTI_COUNTERS_SIZE, 1);
    return offset + block->counters_size;
}

/*
 * The next of so many instances with per_instance values each, laid out otherwise. Returns where it ends; *complete: it
 * has all its values.
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
        offset = next_structure(w, instance->offset, instance->end, block->end, plausible_value);
        offset = lpdata_read_values(w, offset, block->end, per_instance,
            block->num_instances + 1 < instances ? plausible_instance : NULL, complete);
    }
    instance->num_values = lp->num_values - instance->first_value;
    if (*complete && !lp->is_cut) {
        offset = next_structure(w, instance->offset, offset, block->end, plausible_instance);
    }
    instance->end = offset;
    return offset;
}

/* _PERF_MULTI_INSTANCES and its instances with per_instance values each. Returns where they end. */
static unsigned
read_multi_instances(struct walk *w, struct lp_block *block, unsigned offset, unsigned per_instance)
{
    struct lpdata *lp = w->lp;
    uint32_t total_size, instances;
    unsigned begin = offset;
    bool complete = true;

    if (!fits(w, offset, "_PERF_MULTI_INSTANCES", LP_MULTI_INSTANCES_SIZE, block->end)) {
        return offset;
    }
    block->instances_offset = offset;
    total_size = le32(w->bytes + offset);
    instances = le32(w->bytes + offset + 4);
    offset += LP_MULTI_INSTANCES_SIZE;
    reserve_values(w, (uint64_t)instances * per_instance, offset, block->end);
    reserve_instances(w, instances, offset, block->end);

    for (; block->num_instances < instances; block->num_instances++) {
        struct lp_instance *instance;

        if (!fits(w, offset, "_PERF_INSTANCE_HEADER", LP_INSTANCE_HEADER_SIZE, block->end)) {
            complete = false;
            break;
        }
        instance = &lp->instances[lp->num_instances];
        if (read_plain_instance(w, instance, offset, block->end, per_instance)) {
            hold(lp, RULE_ALIGNMENT, per_instance > 0 ? 2 : 1);
            offset = instance->end;
        } else {
            offset = read_odd_instance(w, block, instance, offset, per_instance, instances, &complete);
        }
        lp->num_instances++;
        if (!complete || lp->is_cut) {
            block->num_instances++;
            complete = false;
            break;
        }
    }
    block->is_complete = complete;
    if (complete) {
        check(w->lp, RULE_MULTI_INSTANCES_SIZE, total_size == offset - begin, begin, 4,
            "dwTotalSize of _PERF_MULTI_INSTANCES is %u, but header and %u instances take %u bytes", total_size,
            instances, offset - begin);
    }
    return offset;
}

/* What follows a block's header. Returns where its content ends. */
static unsigned
read_block_content(struct walk *w, struct lp_block *block)
{
    unsigned offset = block->offset + LP_COUNTER_HEADER_SIZE;
    unsigned per_instance = 1;

    if (block->type == PERF_ERROR_RETURN) {
        return offset;
    }
    if (!lpdata_type_is_known(block->type)) {
        return offset;
    }
    if (lpdata_type_has_ids(block->type)) {
        const plausible_fn then = block->type == PERF_COUNTERSET ? plausible_multi_instances : plausible_value;
        const unsigned next = read_multi_counters(w, block, offset, then);

        if (next == 0) {
            return block->counters_offset == 0 ? offset : offset + LP_MULTI_COUNTERS_SIZE + 4 * block->num_ids;
        }
        per_instance = block->num_ids;
        if (block->type == PERF_MULTIPLE_COUNTERS && per_instance == 0) {
            block->is_complete = true;
            return next;
        }
        offset = next_structure(w, offset, next, block->end, then);
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
    return offset + LP_COUNTER_HEADER_SIZE <= MIN(end, w->captured) && le32(w->bytes + offset + 4) <= PERF_COUNTERSET &&
        le32(w->bytes + offset + 8) >= LP_COUNTER_HEADER_SIZE && le32(w->bytes + offset + 8) <= end - offset;
}

/* The same where another place is as likely: nothing of it is out of the ordinary. */
static bool
ordinary_block(const struct walk *w, unsigned offset, unsigned end)
{
    return plausible_block(w, offset, end) && le32(w->bytes + offset + 12) == 0 &&
        (le32(w->bytes + offset + 4) == PERF_ERROR_RETURN) ==
        (le32(w->bytes + offset) != 0 && le32(w->bytes + offset + 8) == LP_COUNTER_HEADER_SIZE);
}

/*
 * A block, and in block->end where the next one begins. After a first finding nothing more is judged, until a place
 * that can be trusted: the next block, where dwSize or the block's content lead to one, or to the buffer's end.
 */
static void
lpdata_read_block(struct walk *w, unsigned offset)
{
    struct lpdata *lp = w->lp;
    const uint8_t *b = w->bytes + offset;
    struct lp_block block = {
        .offset = offset,
        .status = le32(b),
        .type = le32(b + 4),
        .size = le32(b + 8),
        .reserved = le32(b + 12),
        .end = w->size,
        .first_instance = lp->num_instances,
        .first_value = lp->num_values,
    };
    const bool is_sized = block.size >= LP_COUNTER_HEADER_SIZE && block.size <= w->size - offset;
    const unsigned said_end = is_sized ? offset + block.size : w->size;
    const bool is_trusted = is_sized && is_boundary(w, said_end, w->size, ordinary_block);
    unsigned behind;

    if (block.size < LP_COUNTER_HEADER_SIZE) {
        blame_once(lp, RULE_BLOCK_SIZE, offset + 8, 4,
            "dwSize of _PERF_COUNTER_HEADER is %u, less than the header's own 16 bytes", block.size);
    } else {
        clamp_end(w, offset, block.size, w->size, "dwSize of _PERF_COUNTER_HEADER");
    }
    if (lpdata_type_is_known(block.type)) {
        hold(lp, RULE_BLOCK_TYPE, 1);
    } else {
        blame_once(lp, RULE_BLOCK_TYPE, offset + 4, 4,
            "dwType of _PERF_COUNTER_HEADER is %u, which is none of 0, 1, 2, 4 and 6", block.type);
    }
    if (is_trusted) {
        block.end = padded_end(w, said_end, w->size, ordinary_block);
    }
    if (is_trusted && block.type == PERF_ERROR_RETURN) {
        check(lp, RULE_BLOCK_ERROR_ALONE, block.size == LP_COUNTER_HEADER_SIZE, offset + 8, 4,
            "dwSize of a PERF_ERROR_RETURN block is %u instead of 16", block.size);
    }
    block.parsed = read_block_content(w, &block);
    block.num_values = lp->num_values - block.first_value;
    behind = MIN(round_up_8(block.parsed), w->size);
    if (is_trusted) {
        check(lp, RULE_BLOCK_SIZE, block.size % 8 == 0, offset + 8, 4,
            "dwSize of _PERF_COUNTER_HEADER is %u, not a multiple of 8", block.size);
    } else if (!lp->is_cut) {
        const bool has_content = block.is_complete || block.type == PERF_ERROR_RETURN;

        if (has_content && is_boundary(w, behind, w->size, plausible_block)) {
            if (behind != MIN(round_up_8(said_end), w->size) || block.size % 8 != 0) {
                blame_once(lp, RULE_BLOCK_SIZE, offset + 8, 4,
                    "dwSize of _PERF_COUNTER_HEADER is %u, but the block takes %u bytes", block.size, behind - offset);
            }
            block.end = behind;
        } else if (is_sized && block.parsed <= said_end) {
            /* Spare room behind the content is allowed; it is the next block that something is wrong with. */
            block.end = said_end;
        } else {
            blame_once(lp, RULE_BLOCK_SIZE, offset + 8, 4,
                "dwSize of _PERF_COUNTER_HEADER is %u, where neither a block nor the buffer ends", block.size);
            block.end = behind;
        }
    }
    block.is_mistrusted = lp->is_mistrusted;
    lp->is_mistrusted = lp->is_mistrusted && !is_boundary(w, block.end, w->size, plausible_block);
    append(lp, &lp->blocks, &block, sizeof block);
}

void
lpdata_parse_data(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    unsigned offset = LP_DATA_HEADER_SIZE;
    unsigned count = 0;

    if (!fits(&w, 0, "_PERF_DATA_HEADER", LP_DATA_HEADER_SIZE, w.size)) {
        return;
    }
    lp->total_size = le32(w.bytes);
    lp->num_counters = le32(w.bytes + 4);
    lp->perf_time_stamp = le64(w.bytes + 8);
    lp->perf_time_100ns = le64(w.bytes + 16);
    lp->perf_freq = le64(w.bytes + 24);
    for (unsigned i = 0; i < array_length(lp->system_time); i++) {
        lp->system_time[i] = le16(w.bytes + 32 + 2 * i);
    }
    lp->has_data_header = true;
    lp->parsed = offset;
    check(lp, RULE_DATA_TOTAL_SIZE, lp->total_size == w.size, 0, 4, "dwTotalSize is %u, but the buffer holds %u bytes",
        lp->total_size, w.size);

    for (; count < lp->num_counters && offset < w.size; count++) {
        const struct lp_block *block;

        if (!fits(&w, offset, "_PERF_COUNTER_HEADER", LP_COUNTER_HEADER_SIZE, w.size)) {
            break;
        }
        lpdata_read_block(&w, offset);
        block = lpdata_block(lp, count);
        lp->parsed = lp->is_cut ? MAX(block->parsed, offset + LP_COUNTER_HEADER_SIZE) : block->end;
        if (lp->is_cut) {
            return;
        }
        offset = next_structure(&w, block->offset, block->end, w.size, plausible_block);
        lp->parsed = offset;
    }
    if (lp->is_cut) {
        return;
    }
    check(lp, RULE_DATA_NUM_COUNTERS, count == lp->num_counters, 4, 4,
        "dwNumCounter is %u, but the buffer holds %u blocks", lp->num_counters, count);
    check_trailing(&w, offset);
}

const char *
lpdata_value_text(const struct lpdata *lp, unsigned i, wmem_allocator_t *scope)
{
    const struct lp_value *value = lpdata_value(lp, i);
    const unsigned data = value->offset + LP_COUNTER_DATA_SIZE;

    return utf16_get(scope, lp->tvb, data, utf16_measure(lp->tvb, data, value->data_size), ENC_LITTLE_ENDIAN);
}

uint32_t
lpdata_block_id(const struct lpdata *lp, const struct lp_block *block, unsigned i)
{
    return tvb_get_letohl(lp->tvb, (int)lpdata_block_id_at(block, i));
}
