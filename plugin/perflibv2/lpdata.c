/* lpdata.c
 * Parses lpData buffers with registration information and identifiers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/walk.h"

void
lpdata_init(struct lpdata *lp, tvbuff_t *tvb, wmem_allocator_t *scope, struct rules_report *report)
{
    *lp = (struct lpdata){ .tvb = tvb, .report = report, .scope = scope };
}

static void
read_counter_reg(struct walk *w, unsigned offset)
{
    struct lp_counter_reg counter = { .offset = offset };

    lp_read_counter_reg(w->bytes + offset, false, &counter);
    walk_append(w->lp, &w->lp->counters, &counter, sizeof counter);
}

static void
parse_counterset_reg(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    struct lp_counterset_reg *set = &lp->counterset;
    unsigned offset = LP_COUNTERSET_REG_SIZE;
    unsigned count;

    if (!walk_fits(&w, 0, "_PERF_COUNTERSET_REG_INFO", LP_COUNTERSET_REG_SIZE, w.size)) {
        return;
    }
    lp_read_counterset_reg(w.bytes, false, set);
    lp->has_counterset = true;

    /* Read as many counters as the bytes hold; NumCounters is only compared with that number. */
    count = (w.size - offset) / LP_COUNTER_REG_SIZE;
    rules_check(walk_report(lp), RULE_REG_NUM_COUNTERS, set->num_counters == count,
        MEMBER(counterset_reg, num_counters), "NumCounters is %u, but %u _PERF_COUNTER_REG_INFO structures follow",
        set->num_counters, count);
    for (; count > 0 && walk_fits(&w, offset, "_PERF_COUNTER_REG_INFO", LP_COUNTER_REG_SIZE, w.size); count--) {
        read_counter_reg(&w, offset);
        offset += LP_COUNTER_REG_SIZE;
    }
    if (set->num_counters > lpdata_count(lp->counters)) {
        /* Some counters are missing, so the bytes left may belong to one: do not report them as trailing bytes. */
        lp->parsed = offset;
    } else {
        walk_check_trailing(&w, offset);
    }
}

static void
parse_counter_reg(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);

    if (walk_fits(&w, 0, "_PERF_COUNTER_REG_INFO", LP_COUNTER_REG_SIZE, w.size)) {
        read_counter_reg(&w, 0);
        walk_check_trailing(&w, LP_COUNTER_REG_SIZE);
    }
}

/*
 * Returns the offset where a string ends, including zero padding to a multiple of 4 or 8, which 2.2.4 does not mention.
 */
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

    lp->string = walk_measure(&w, 0, w.size);
    if (lp->is_cut) {
        lp->parsed = lp->string.size;
        return;
    }
    rules_check(walk_report(lp), RULE_STRING_TERMINATED, lp->string.terminated, 0, w.size,
        "The string of %u bytes has no terminator", w.size);
    walk_check_trailing(&w, lp->string.terminated ? end_of_padding(&w, lp->string.size + 2) : w.size);
}

/* Returns whether a string can begin at an offset: directly after the headers or after a terminator. */
static bool
begins_string(const struct walk *w, unsigned headers_end, uint64_t at)
{
    return at == headers_end ||
        (at >= headers_end + 2 && at <= w->captured && (at - headers_end) % 2 == 0 && le16(w->bytes + at - 2) == 0);
}

/*
 * Determines whether dwOffset counts from the end of the headers ([MS-PCQ] 2.2.4.4) or from the start of the buffer
 * (Windows): whichever makes more of the offsets lead to the beginning of a string. If equal, the latter.
 */
static void
find_base_of_offsets(const struct walk *w, unsigned headers_end, unsigned end)
{
    unsigned votes_start = 0, votes_headers = 0;

    for (unsigned header = LP_STRING_BUFFER_SIZE; header < headers_end; header += LP_STRING_COUNTER_SIZE) {
        const uint32_t dw_offset = le32(w->bytes + header + AT_counter_string_string_offset);

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
    /* All headers may point to one long string: limit the time to a multiple of the size of the buffer. */
    uint64_t budget = (uint64_t)w->size * 4;

    for (unsigned header = LP_STRING_BUFFER_SIZE; header < headers_end; header += LP_STRING_COUNTER_SIZE) {
        const unsigned offset_at = header + AT_counter_string_string_offset;
        struct lp_counter_string string = { .offset = header };
        uint64_t at;

        lp_read_counter_string(w->bytes + header, false, &string);
        at = (uint64_t)string.string_offset + base;
        if (string.string_offset != PERF_ID_NONE) {
            const bool inside = at >= headers_end && at < end;
            /* Bytes that were not captured cannot be checked. */
            const bool begins = inside && (at > w->captured || begins_string(w, headers_end, at));

            if (!inside) {
                rules_broken(walk_report(lp), RULE_STRINGS_OFFSET, offset_at, SIZE_counter_string_string_offset,
                    "dwOffset %u leads to byte %" PRIu64 ", but the strings are from %u to %u", string.string_offset,
                    at, headers_end, end);
            } else {
                rules_check(walk_report(lp), RULE_STRINGS_OFFSET, begins, offset_at, SIZE_counter_string_string_offset,
                    "dwOffset %u leads to byte %" PRIu64 ", where no string begins: it is %s", string.string_offset, at,
                    (at - headers_end) % 2 != 0 ? "in the middle of a character"
                                                : "not after the end of another string");
            }
            if (begins && budget > 0) {
                string.present = true;
                string.text_offset = (unsigned)at;
                string.text = walk_measure(w, (unsigned)at, (unsigned)MIN(end - at, budget));
                budget -= MIN(budget, string.text.size + 2u);
                if (!lp->is_cut && (string.text.terminated || lp->strings_header.size <= end)) {
                    rules_check(walk_report(lp), RULE_STRING_TERMINATED, string.text.terminated, (unsigned)at,
                        string.text.size, "The string of counter %u at offset %u has no terminator", string.id,
                        (unsigned)at);
                }
                lp->parsed = MAX(lp->parsed, (unsigned)at + string.text.size + (string.text.terminated ? 2 : 0));
            }
        }
        walk_append(lp, &lp->strings, &string, sizeof string);
    }
}

static void
parse_strings(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    struct lp_strings_header *header = &lp->strings_header;
    unsigned count, headers_end;

    if (!walk_fits(&w, 0, "_STRING_BUFFER_HEADER", LP_STRING_BUFFER_SIZE, w.size)) {
        return;
    }
    lp_read_strings_header(w.bytes, false, header);
    rules_check(walk_report(lp), RULE_STRINGS_SIZE, header->size == w.size, MEMBER(strings_header, size),
        "dwSize is %u, but the buffer holds %u bytes", header->size, w.size);

    count = (w.size - LP_STRING_BUFFER_SIZE) / LP_STRING_COUNTER_SIZE;
    if (header->counters > count) {
        walk_blame_once(lp, RULE_STRUCTURE_FITS, MEMBER(strings_header, counters),
            "dwCounters is %u, but only %u _STRING_COUNTER_HEADER structures fit", header->counters, count);
    }
    count = MIN(count, header->counters);
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
        /* Padding to a multiple of 8 is part of the buffer. */
        lp->parsed = w.size;
    }
}

static void
parse_provider_guid(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);

    if (walk_fits(&w, 0, "The provider's GUID", LP_GUID_SIZE, w.size)) {
        lp->provider = bytes_guid(w.bytes, false);
        lp->has_provider = true;
        walk_check_trailing(&w, LP_GUID_SIZE);
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

static bool
plausible_identifier(const struct walk *w, unsigned offset, unsigned end)
{
    struct lp_identifier identifier;

    if (offset + LP_IDENTIFIER_SIZE > MIN(end, w->captured)) {
        return false;
    }
    lp_read_identifier(w->bytes + offset, false, &identifier);
    return identifier.size >= LP_IDENTIFIER_SIZE && identifier.size <= end - offset;
}

void
lpdata_parse_identifiers(struct lpdata *lp)
{
    struct walk w = walk_begin(lp);
    unsigned offset = 0;

    while (offset < w.size && walk_fits(&w, offset, "_PERF_COUNTER_IDENTIFIER", LP_IDENTIFIER_SIZE, w.size)) {
        struct lp_identifier identifier = {
            .offset = offset,
            .name_offset = offset + LP_IDENTIFIER_SIZE,
        };
        const unsigned size_at = offset + AT_identifier_size;
        unsigned least;

        lp_read_identifier(w.bytes + offset, false, &identifier);
        if (identifier.size < LP_IDENTIFIER_SIZE) {
            /* The size is too small to locate the next identifier. */
            rules_broken(walk_report(lp), RULE_IDENTIFIER_SIZE, size_at, SIZE_identifier_size,
                "Size of _PERF_COUNTER_IDENTIFIER is %u, less than the 40 bytes of the structure", identifier.size);
            identifier.end = offset + LP_IDENTIFIER_SIZE;
            walk_append(lp, &lp->identifiers, &identifier, sizeof identifier);
            lp->parsed = identifier.end;
            break;
        }
        identifier.end = walk_clamp_end(&w, offset, identifier.size, w.size, "Size of _PERF_COUNTER_IDENTIFIER");
        if (identifier.end > identifier.name_offset) {
            identifier.name =
                walk_measure_name(&w, identifier.name_offset, identifier.end, w.size, plausible_identifier);
        }
        least = identifier.name_offset + identifier.name.size + (identifier.name.terminated ? 2 : 0);
        if (least > identifier.end || walk_is_wrong_size(&w, identifier.end, least, w.size, plausible_identifier)) {
            walk_blame_once(lp, RULE_IDENTIFIER_SIZE, size_at, SIZE_identifier_size,
                "Size of _PERF_COUNTER_IDENTIFIER is %u, but structure and name take %u bytes", identifier.size,
                least - offset);
            identifier.end = least;
        } else if (identifier.end > identifier.name_offset && !lp->is_cut) {
            rules_check(walk_report(lp), RULE_IDENTIFIER_TERMINATED, identifier.name.terminated, identifier.name_offset,
                identifier.name.size, "The instance name of %u bytes has no terminator", identifier.name.size);
        }
        rules_held(walk_report(lp), RULE_IDENTIFIER_SIZE, 1);
        lp->is_mistrusted = lp->is_mistrusted && !walk_is_boundary(&w, identifier.end, w.size, plausible_identifier);
        identifier.end = walk_next(&w, offset, identifier.end, w.size, plausible_identifier);
        walk_append(lp, &lp->identifiers, &identifier, sizeof identifier);
        offset = identifier.end;
        lp->parsed = offset;
        if (lp->is_cut) {
            break;
        }
    }
}

const char *
lpdata_value_text(const struct lpdata *lp, unsigned i, wmem_allocator_t *scope)
{
    const struct lp_value *value = &lp->values[i];
    const unsigned data = value->offset + LP_COUNTER_DATA_SIZE;

    return utf16_get(scope, lp->tvb, data, utf16_measure(lp->tvb, data, value->data_size), ENC_LITTLE_ENDIAN);
}

uint32_t
lpdata_block_id(const struct lpdata *lp, const struct lp_block *block, unsigned i)
{
    return tvb_get_letohl(lp->tvb, (int)lpdata_block_id_at(block, i));
}
