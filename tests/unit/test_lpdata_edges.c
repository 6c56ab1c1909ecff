/* test_lpdata_edges.c
 * lpData one step beyond what [MS-PCQ] 2.2.4 allows: which rule is broken, at which bytes, in which words, and what is
 * read all the same
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "build.h"
#include "check.h"
#include "walk.h"

static wmem_allocator_t *scope;

struct expected_finding {
    enum perflibv2_rule rule;
    unsigned offset, length;
    const char *text;
};

/* A buffer of 32-bit words, which may lack its last bytes. */
struct edge {
    unsigned which;    /* walker */
    unsigned parsed;   /* bytes that are understood */
    unsigned elements; /* counters, strings, instances, identifiers or values that are read */
    unsigned last;     /* offset of the last of them */
    uint32_t words[44];
    unsigned count; /* of words */
    unsigned less;  /* bytes that lack of them */
    struct expected_finding findings[3];
};

#define WORDS(...) .words = { __VA_ARGS__ }, .count = sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

#define FINDS(rule, offset, length, text) .findings = { { RULE_##rule, offset, length, text } }

/* A GUID; a counter's 48 bytes; _PERF_DATA_HEADER with so many bytes and blocks. */
#define GUID                 0x4d1ea1c2, 0x4c557b3f, 0x1b0a0a9e, 0x5f4e3d2c
#define COUNTER(id)          id, 0x10410400, 0, 0, 100, 0, NONE, NONE, NONE, NONE, 0, 0
#define DATA(total, blocks)  total, blocks, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define BLOCK(type, size)    0, type, size, 0
#define IDENTIFIER(size, id) GUID, 0, size, id, 0, 0, 0
#define NONE                 0xffffffff
#define TWO(a, b)            ((uint32_t)(a) | (uint32_t)(b) << 16)

static const struct edge edges[] = {
    /* 2.2.4.1, 2.2.4.2 */
    { PERF_REG_COUNTERSET_STRUCT, WORDS(GUID, 0, 100, 0, 2), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 31, "_PERF_COUNTERSET_REG_INFO at offset 0 needs 32 bytes, but only 31 are left") },
    { PERF_REG_COUNTERSET_STRUCT, 32, 0, 0, WORDS(GUID, 0, 100, 0, 2) },
    { PERF_REG_COUNTERSET_STRUCT, 80, 1, 32, WORDS(GUID, 0, 100, 3, 2, COUNTER(7)),
        FINDS(REG_NUM_COUNTERS, 24, 4, "NumCounters is 3, but 1 _PERF_COUNTER_REG_INFO structures follow") },
    { PERF_REG_COUNTERSET_STRUCT, 80, 1, 32, WORDS(GUID, 0, 100, 1, 2, COUNTER(7), 9),
        FINDS(TRAILING_BYTES, 80, 4, "4 bytes follow the last structure, which ends at offset 80") },
    { PERF_REG_COUNTER_STRUCT, WORDS(COUNTER(7)), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 47, "_PERF_COUNTER_REG_INFO at offset 0 needs 48 bytes, but only 47 are left") },
    { PERF_REG_COUNTER_STRUCT, 48, 1, 0, WORDS(COUNTER(7), 9), .less = 3,
        FINDS(TRAILING_BYTES, 48, 1, "1 bytes follow the last structure, which ends at offset 48") },

    /* Strings of their own: request codes 3, 4, 7 and 9 */
    { PERF_REG_COUNTERSET_NAME_STRING, 4, 0, 0, WORDS(TWO('a', 'b')),
        FINDS(STRING_TERMINATED, 0, 4, "The string of 4 bytes has no terminator") },
    { PERF_REG_COUNTERSET_HELP_STRING, 6, 0, 0, WORDS(TWO('a', 'b'), 0), .less = 2 },
    { PERF_REG_PROVIDER_NAME, 4, 0, 0, WORDS(TWO('a', 0), TWO('b', 0)),
        FINDS(TRAILING_BYTES, 4, 4, "4 bytes follow the last structure, which ends at offset 4") },
    { PERF_REG_COUNTERSET_ENGLISH_NAME, 8, 0, 0, WORDS(TWO('a', 'b'), 0) },

    /* 2.2.4.3, 2.2.4.4: request codes 5, 6 and 10 */
    { PERF_REG_COUNTER_NAME_STRINGS, WORDS(8, 0), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 7, "_STRING_BUFFER_HEADER at offset 0 needs 8 bytes, but only 7 are left") },
    { PERF_REG_COUNTER_HELP_STRINGS, 8, 0, 0, WORDS(9, 0),
        FINDS(STRINGS_SIZE, 0, 4, "dwSize is 9, but the buffer holds 8 bytes") },
    { PERF_REG_COUNTER_ENGLISH_NAMES, 16, 1, 8, WORDS(16, 2, 1, NONE),
        FINDS(STRUCTURE_FITS, 4, 4, "dwCounters is 2, but only 1 _STRING_COUNTER_HEADER structures fit") },
    { PERF_REG_COUNTER_ENGLISH_NAMES, 20, 1, 8, WORDS(20, 1, 1, 16, TWO('a', 0)) },
    /* Less than 8 bytes at the end may be padding. */
    { PERF_REG_COUNTER_NAME_STRINGS, 20, 1, 8, WORDS(20, 1, 1, 4, TWO('a', 0)),
        FINDS(STRINGS_OFFSET, 12, 4, "dwOffset 4 leads to byte 4, but the strings are from 16 to 20") },
    { PERF_REG_COUNTER_NAME_STRINGS, 20, 1, 8, WORDS(20, 1, 1, 20, TWO('a', 0)),
        FINDS(STRINGS_OFFSET, 12, 4, "dwOffset 20 leads to byte 20, but the strings are from 16 to 20") },
    { PERF_REG_COUNTER_NAME_STRINGS, 16, 1, 8, WORDS(24, 1, 1, 18, TWO('a', 'b'), 0),
        FINDS(STRINGS_OFFSET, 12, 4,
            "dwOffset 18 leads to byte 18, where no string begins: it is not after the end of another string") },
    { PERF_REG_COUNTER_NAME_STRINGS, 16, 1, 8, WORDS(24, 1, 1, 17, TWO('a', 'b'), 0),
        FINDS(STRINGS_OFFSET, 12, 4,
            "dwOffset 17 leads to byte 17, where no string begins: it is in the middle of a character") },
    { PERF_REG_COUNTER_NAME_STRINGS, 20, 1, 8, WORDS(20, 1, 1, 16, TWO('a', 'b')),
        FINDS(STRING_TERMINATED, 16, 4, "The string of counter 1 at offset 16 has no terminator") },
    /* An empty string that ends the buffer tells from where offsets count, too: here from the end of the headers. */
    { PERF_REG_COUNTER_NAME_STRINGS, 18, 1, 8, WORDS(20, 1, 1, 0, 0), .less = 2,
        FINDS(STRINGS_SIZE, 0, 4, "dwSize is 20, but the buffer holds 18 bytes") },
    /* Padding of 7 bytes at most is the buffer's. */
    { PERF_REG_COUNTER_NAME_STRINGS, 24, 1, 8, WORDS(24, 1, 1, 16, TWO('a', 0), 0) },
    { PERF_REG_COUNTER_NAME_STRINGS, 20, 1, 8, WORDS(28, 1, 1, 16, TWO('a', 0), 0, 0) },

    /* Request code 8, and those that are none */
    { PERF_REG_PROVIDER_GUID, WORDS(GUID), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 15, "The provider's GUID at offset 0 needs 16 bytes, but only 15 are left") },
    { PERF_REG_PROVIDER_GUID, 16, 0, 0, WORDS(GUID, 0), .less = 3,
        FINDS(TRAILING_BYTES, 16, 1, "1 bytes follow the last structure, which ends at offset 16") },
    { 0, WORDS(GUID) },

    /* 2.2.4.5 */
    { WALK_INSTANCES, WORDS(16, 0), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 7, "_PERF_INSTANCE_HEADER at offset 0 needs 8 bytes, but only 7 are left") },
    { WALK_INSTANCES, 16, 1, 0, WORDS(4, 5, 'a', 0),
        FINDS(INSTANCE_SIZE, 0, 4, "Size of _PERF_INSTANCE_HEADER is 4, less than the 8 bytes of the header") },
    { WALK_INSTANCES, 32, 2, 16, WORDS(400, 5, 'a', 0, 16, 6, 'b', 0),
        FINDS(STRUCTURE_FITS, 0, 32, "Size of _PERF_INSTANCE_HEADER is 400, but only 32 bytes are left at offset 0") },
    { WALK_INSTANCES, 32, 2, 16, WORDS(8, 5, 'a', 0, 16, 6, 'b', 0),
        FINDS(INSTANCE_SIZE, 0, 4, "Size of _PERF_INSTANCE_HEADER is 8, but header and name take 12 bytes") },
    { WALK_INSTANCES, 32, 2, 16, WORDS(24, 5, 'a', 0, 16, 6, 'b', 0),
        FINDS(INSTANCE_SIZE, 0, 4, "Size of _PERF_INSTANCE_HEADER is 24, but header and name take 12 bytes") },
    { WALK_INSTANCES, 28, 2, 12, WORDS(12, 5, 'a', 16, 6, 'b', 0),
        .findings = { { RULE_INSTANCE_SIZE, 0, 4, "Size of _PERF_INSTANCE_HEADER is 12, not a multiple of 8" },
            { RULE_ALIGNMENT, 12, 8, "A structure begins at offset 12, which is not a multiple of 8" } } },
    { WALK_INSTANCES, 16, 1, 0, WORDS(16, 5, TWO('a', 'b'), TWO('c', 'd')),
        FINDS(INSTANCE_TERMINATED, 8, 8, "The instance name of 8 bytes has no terminator within Size 16") },
    /* A second finding is judged again where a place can be trusted. */
    { WALK_INSTANCES, 32, 2, 16, WORDS(24, 5, 'a', 0, 16, 6, TWO('b', 'c'), TWO('d', 'e')),
        .findings = { { RULE_INSTANCE_SIZE, 0, 4,
                          "Size of _PERF_INSTANCE_HEADER is 24, but header and name take 12 bytes" },
            { RULE_INSTANCE_TERMINATED, 24, 8, "The instance name of 8 bytes has no terminator within Size 16" } } },

    /* 2.2.4.6 */
    { WALK_IDENTIFIERS, WORDS(IDENTIFIER(40, 1)), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 39, "_PERF_COUNTER_IDENTIFIER at offset 0 needs 40 bytes, but only 39 are left") },
    { WALK_IDENTIFIERS, 40, 1, 0, WORDS(IDENTIFIER(39, 1), IDENTIFIER(40, 2)),
        FINDS(IDENTIFIER_SIZE, 20, 4,
            "Size of _PERF_COUNTER_IDENTIFIER is 39, less than the 40 bytes of the structure") },
    { WALK_IDENTIFIERS, 40, 1, 0, WORDS(IDENTIFIER(400, 1)),
        FINDS(STRUCTURE_FITS, 0, 40,
            "Size of _PERF_COUNTER_IDENTIFIER is 400, but only 40 bytes are left at offset 0") },
    { WALK_IDENTIFIERS, 88, 2, 48, WORDS(IDENTIFIER(42, 1), 'a', 0, IDENTIFIER(40, 2)),
        FINDS(IDENTIFIER_SIZE, 20, 4, "Size of _PERF_COUNTER_IDENTIFIER is 42, but structure and name take 44 bytes") },
    { WALK_IDENTIFIERS, 88, 2, 48, WORDS(IDENTIFIER(56, 1), 'a', 0, IDENTIFIER(40, 2)),
        FINDS(IDENTIFIER_SIZE, 20, 4, "Size of _PERF_COUNTER_IDENTIFIER is 56, but structure and name take 44 bytes") },
    { WALK_IDENTIFIERS, 44, 1, 0, WORDS(IDENTIFIER(44, 1), TWO('a', 'b')),
        FINDS(IDENTIFIER_TERMINATED, 40, 4, "The instance name of 4 bytes has no terminator") },

    /* 2.2.4.7 */
    { WALK_DATA, WORDS(DATA(48, 0)), .less = 1,
        FINDS(STRUCTURE_FITS, 0, 47, "_PERF_DATA_HEADER at offset 0 needs 48 bytes, but only 47 are left") },
    { WALK_DATA, 48, 0, 0, WORDS(DATA(47, 1)),
        .findings = { { RULE_DATA_TOTAL_SIZE, 0, 4, "dwTotalSize is 47, but the buffer holds 48 bytes" },
            { RULE_DATA_NUM_COUNTERS, 4, 4, "dwNumCounter is 1, but the buffer holds 0 blocks" } } },
    { WALK_DATA, 48, 0, 0, WORDS(DATA(52, 0), 9),
        FINDS(TRAILING_BYTES, 48, 4, "4 bytes follow the last structure, which ends at offset 48") },
    /* 2.2.4.8 */
    { WALK_DATA, 48, 0, 0, WORDS(DATA(63, 1), BLOCK(0, 16)), .less = 1,
        FINDS(STRUCTURE_FITS, 48, 15, "_PERF_COUNTER_HEADER at offset 48 needs 16 bytes, but only 15 are left") },
    { WALK_DATA, 64, 0, 0, WORDS(DATA(64, 1), BLOCK(3, 16)),
        FINDS(BLOCK_TYPE, 52, 4, "dwType of _PERF_COUNTER_HEADER is 3, expected 0, 1, 2, 4 or 6") },
    { WALK_DATA, 64, 0, 0, WORDS(DATA(64, 1), BLOCK(5, 16)),
        FINDS(BLOCK_TYPE, 52, 4, "dwType of _PERF_COUNTER_HEADER is 5, expected 0, 1, 2, 4 or 6") },
    { WALK_DATA, 64, 0, 0, WORDS(DATA(64, 1), BLOCK(7, 16)),
        FINDS(BLOCK_TYPE, 52, 4, "dwType of _PERF_COUNTER_HEADER is 7, expected 0, 1, 2, 4 or 6") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(80, 1), BLOCK(1, 8), 4, 16, 5, 0),
        FINDS(BLOCK_SIZE, 56, 4, "dwSize of _PERF_COUNTER_HEADER is 8, less than the 16 bytes of the header") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(80, 1), BLOCK(1, 400), 4, 16, 5, 0),
        FINDS(STRUCTURE_FITS, 48, 32,
            "dwSize of _PERF_COUNTER_HEADER is 400, but only 32 bytes are left at offset 48") },
    { WALK_DATA, 72, 0, 0, WORDS(DATA(72, 1), BLOCK(0, 24), 0, 0),
        FINDS(BLOCK_ERROR_ALONE, 56, 4, "dwSize of a PERF_ERROR_RETURN block is 24 instead of 16") },
    { WALK_DATA, 84, 1, 64, WORDS(DATA(84, 1), BLOCK(1, 36), 4, 16, 5, 0, 0),
        FINDS(BLOCK_SIZE, 56, 4, "dwSize of _PERF_COUNTER_HEADER is 36, not a multiple of 8") },
    { WALK_DATA, 112, 2, 96, WORDS(DATA(112, 2), BLOCK(1, 48), 4, 16, 5, 0, BLOCK(1, 32), 4, 16, 6, 0),
        FINDS(BLOCK_SIZE, 56, 4, "dwSize of _PERF_COUNTER_HEADER is 48, but the block takes 32 bytes") },
    /* The bytes behind the content are no block, as there is no type 7: they are spare room. */
    { WALK_DATA, 128, 2, 112, WORDS(DATA(128, 2), BLOCK(1, 48), 4, 16, 5, 0, BLOCK(7, 16), BLOCK(1, 8), 4, 16, 6, 0),
        FINDS(BLOCK_SIZE, 104, 4, "dwSize of _PERF_COUNTER_HEADER is 8, less than the 16 bytes of the header") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(96, 1), BLOCK(1, 24), 4, 16, 5, 0, 9, 9, 9, 9),
        FINDS(BLOCK_SIZE, 56, 4,
            "dwSize of _PERF_COUNTER_HEADER is 24, but neither a block nor the buffer ends there") },
    /* 2.2.4.9 */
    { WALK_DATA, 68, 0, 0, WORDS(DATA(68, 1), BLOCK(1, 20), 4),
        FINDS(STRUCTURE_FITS, 64, 4, "_PERF_COUNTER_DATA at offset 64 needs 8 bytes, but only 4 are left") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(80, 1), BLOCK(1, 32), 4, 400, 5, 0),
        FINDS(STRUCTURE_FITS, 68, 4, "dwSize of _PERF_COUNTER_DATA is 400, but only 16 bytes are left") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(80, 1), BLOCK(1, 32), 400, 16, 5, 0),
        FINDS(STRUCTURE_FITS, 64, 4, "dwDataSize of _PERF_COUNTER_DATA is 400, but only 8 bytes are left") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(80, 1), BLOCK(1, 32), 8, 12, 5, 6),
        FINDS(VALUE_SIZE, 68, 4,
            "dwSize of _PERF_COUNTER_DATA is 12, less than the 8 bytes of its header and dwDataSize 8") },
    { WALK_DATA, 80, 1, 64, WORDS(DATA(80, 1), BLOCK(1, 32), 0, 7, 5, 6),
        FINDS(VALUE_SIZE, 68, 4,
            "dwSize of _PERF_COUNTER_DATA is 7, less than the 8 bytes of its header and dwDataSize 0") },
    { WALK_DATA, 76, 1, 64, WORDS(DATA(76, 1), BLOCK(1, 28), 4, 12, 5),
        .findings = { { RULE_VALUE_SIZE, 68, 4, "dwSize of _PERF_COUNTER_DATA is 12, not a multiple of 8" },
            { RULE_BLOCK_SIZE, 56, 4, "dwSize of _PERF_COUNTER_HEADER is 28, not a multiple of 8" } } },
    { WALK_DATA, 112, 2, 96, WORDS(DATA(112, 1), BLOCK(2, 64), 16, 2, 1, 2, 4, 24, 5, 0, 4, 16, 6, 0),
        FINDS(VALUE_SIZE, 84, 4, "dwSize of _PERF_COUNTER_DATA is 24, but header and data take 12 bytes") },
    /* 2.2.4.11 */
    { WALK_DATA, 68, 0, 0, WORDS(DATA(68, 1), BLOCK(2, 20), 8),
        FINDS(STRUCTURE_FITS, 64, 4, "_PERF_MULTI_COUNTERS at offset 64 needs 8 bytes, but only 4 are left") },
    { WALK_DATA, 88, 0, 0, WORDS(DATA(88, 1), BLOCK(2, 40), 16, 9, 1, 2, 3, 4),
        FINDS(STRUCTURE_FITS, 68, 4, "dwCounters of _PERF_MULTI_COUNTERS is 9, but only 4 ids fit into the block") },
    { WALK_DATA, 80, 0, 0, WORDS(DATA(80, 1), BLOCK(2, 32), 16, 2, 1, 2),
        FINDS(STRUCTURE_FITS, 80, 0, "_PERF_COUNTER_DATA at offset 80 needs 8 bytes, but only 0 are left") },
    { WALK_DATA, 112, 2, 96, WORDS(DATA(112, 1), BLOCK(2, 64), 400, 2, 1, 2, 4, 16, 5, 0, 4, 16, 6, 0),
        FINDS(MULTI_COUNTERS_SIZE, 64, 4,
            "dwSize of _PERF_MULTI_COUNTERS is 400, but header and 2 ids take 16 bytes") },
    { WALK_DATA, 112, 2, 96, WORDS(DATA(112, 1), BLOCK(2, 64), 15, 2, 1, 2, 4, 16, 5, 0, 4, 16, 6, 0),
        FINDS(MULTI_COUNTERS_SIZE, 64, 4, "dwSize of _PERF_MULTI_COUNTERS is 15, but header and 2 ids take 16 bytes") },
    /* Its size is one, but the values begin before it ends. */
    { WALK_DATA, 112, 2, 96, WORDS(DATA(112, 1), BLOCK(2, 64), 24, 2, 1, 2, 4, 16, 5, 0, 4, 16, 6, 0),
        FINDS(MULTI_COUNTERS_SIZE, 64, 4, "dwSize of _PERF_MULTI_COUNTERS is 24, but header and 2 ids take 16 bytes") },
    { WALK_DATA, 72, 0, 0, WORDS(DATA(72, 1), BLOCK(2, 24), 8, 0) },
    /* 2.2.4.10 */
    { WALK_DATA, 68, 0, 0, WORDS(DATA(68, 1), BLOCK(4, 20), 8),
        FINDS(STRUCTURE_FITS, 64, 4, "_PERF_MULTI_INSTANCES at offset 64 needs 8 bytes, but only 4 are left") },
    { WALK_DATA, 104, 1, 88, WORDS(DATA(104, 1), BLOCK(4, 56), 48, 1, 16, 0, 'a', 0, 4, 16, 5, 0),
        FINDS(MULTI_INSTANCES_SIZE, 64, 4,
            "dwTotalSize of _PERF_MULTI_INSTANCES is 48, but header and 1 instances take 40 bytes") },
    { WALK_DATA, 104, 1, 88, WORDS(DATA(104, 1), BLOCK(4, 56), 40, 2, 16, 0, 'a', 0, 4, 16, 5, 0),
        FINDS(STRUCTURE_FITS, 104, 0, "_PERF_INSTANCE_HEADER at offset 104 needs 8 bytes, but only 0 are left") },
    { WALK_DATA, 72, 0, 0, WORDS(DATA(72, 1), BLOCK(4, 24), 8, 0) },
    /* Behind a size that counts no padding the instances begin at once, if what stands there can be their header. */
    { WALK_DATA, 84, 0, 0, WORDS(DATA(84, 1), BLOCK(6, 36), 12, 1, 7, 8, 0),
        .findings = { { RULE_ALIGNMENT, 76, 8, "A structure begins at offset 76, which is not a multiple of 8" },
            { RULE_BLOCK_SIZE, 56, 4, "dwSize of _PERF_COUNTER_HEADER is 36, not a multiple of 8" } } },
    /* It cannot where it were larger than the block, or had more instances than it has room for. */
    { WALK_DATA, 120, 1, 104, WORDS(DATA(120, 1), BLOCK(6, 72), 12, 1, 7, 400, 7, 1, 16, 0, 'a', 0, 4, 16, 5, 0),
        FINDS(MULTI_INSTANCES_SIZE, 80, 4,
            "dwTotalSize of _PERF_MULTI_INSTANCES is 7, but header and 1 instances take 40 bytes") },
    { WALK_DATA, 120, 1, 104, WORDS(DATA(120, 1), BLOCK(6, 72), 12, 1, 7, 16, 400, 1, 16, 0, 'a', 0, 4, 16, 5, 0),
        FINDS(MULTI_INSTANCES_SIZE, 80, 4,
            "dwTotalSize of _PERF_MULTI_INSTANCES is 400, but header and 1 instances take 40 bytes") },
    /* A counterset without counters has instances without values. */
    { WALK_DATA, 112, 0, 0, WORDS(DATA(112, 1), BLOCK(6, 64), 8, 0, 40, 2, 16, 0, 'a', 0, 16, 1, 'b', 0) },
    /* An instance as they nearly always are, but that the next block would be its name's end. */
    { WALK_DATA, 128, 1, 112,
        WORDS(DATA(128, 2), BLOCK(6, 48), 8, 0, 24, 1, 24, 0, TWO('a', 'b'), TWO('c', 'd'), BLOCK(1, 32), 4, 16, 5, 0),
        FINDS(STRUCTURE_FITS, 80, 16, "Size of _PERF_INSTANCE_HEADER is 24, but only 16 bytes are left at offset 80") },
};

/* Reads a buffer of which at most this number of bytes was captured. */
static struct lpdata
read_cut(const struct edge *edge, unsigned captured, struct rules_report *report)
{
    struct lpdata lp;

    begin();
    add_u32s(edge->words, edge->count);
    out.size -= edge->less;
    lpdata_init(&lp, tvb_new_real_data(out.bytes, MIN(captured, out.size), (int)out.size), scope, report);
    walk(&lp, edge->which);
    return lp;
}

static struct lpdata
read_edge(const struct edge *edge, struct rules_report *report)
{
    return read_cut(edge, UINT_MAX, report);
}

static void
check_elements(unsigned i, const struct lpdata *lp)
{
    const struct edge *edge = &edges[i];
    unsigned count = 0, last = 0;

    if (edge->which == WALK_DATA) {
        count = lp->num_values;
        last = count == 0 ? 0 : lp->values[count - 1].offset;
    } else if (edge->which == WALK_IDENTIFIERS) {
        count = lpdata_count(lp->identifiers);
        last = count == 0 ? 0 : lpdata_identifier(lp, count - 1)->offset;
    } else if (edge->which == WALK_INSTANCES) {
        count = lp->num_instances;
        last = count == 0 ? 0 : lp->instances[count - 1].offset;
    } else if (lp->strings != NULL) {
        count = lpdata_count(lp->strings);
        last = lpdata_counter_string(lp, count - 1)->offset;
    } else if (lp->counters != NULL) {
        count = lpdata_count(lp->counters);
        last = lpdata_counter(lp, count - 1)->offset;
    }
    CHECK(count == edge->elements && last == edge->last, "%u: %u are read, the last at %u", i, count, last);
    CHECK(lp->parsed == edge->parsed, "%u: %u bytes are understood", i, lp->parsed);
}

static void
check_each_structure_is_read_at_its_edges(void)
{
    for (unsigned i = 0; i < array_length(edges); i++) {
        const struct edge *edge = &edges[i];
        struct rules_report *report = rules_report_new(scope, true, true);
        struct lpdata lp = read_edge(edge, report);
        const unsigned found = report->findings == NULL ? 0 : wmem_array_get_count(report->findings);
        unsigned expected = 0;

        check_elements(i, &lp);
        for (; expected < array_length(edge->findings) && edge->findings[expected].text != NULL; expected++) {
            const struct expected_finding *e = &edge->findings[expected];
            const struct finding *f =
                expected < found ? (const struct finding *)wmem_array_index(report->findings, expected) : NULL;

            CHECK(f != NULL && f->rule == e->rule && f->offset == e->offset && f->length == e->length &&
                    strcmp(f->text, e->text) == 0 && report->broken[e->rule] == 1,
                "%u: %s at %u, %u bytes", i, f == NULL ? "nothing" : f->text, f == NULL ? 0 : f->offset,
                f == NULL ? 0 : f->length);
        }
        CHECK(found == expected, "%u: %u findings, the last: %s", i, found,
            found == 0 ? "" : ((const struct finding *)wmem_array_index(report->findings, found - 1))->text);
        /* Where nobody wants to know of rules the same is read. */
        lp = read_edge(edge, NULL);
        check_elements(i, &lp);
    }
}

/* What is not captured is not looked at: of what could be the instances' header, without padding, half is there. */
static void
check_header_cut_by_the_capture_is_not_looked_at(void)
{
    const struct edge edge = { WALK_DATA, WORDS(DATA(88, 1), BLOCK(6, 40), 12, 1, 7, 8, 0, 0) };
    struct rules_report *report = rules_report_new(scope, true, true);
    const struct lpdata lp = read_cut(&edge, 80, report);

    CHECK(lp.is_cut && report->findings == NULL && report->broken[RULE_ALIGNMENT] == 0, "%u",
        report->broken[RULE_ALIGNMENT]);
}

/* A string that ends before the capture does is whole: what follows it is too much, wherever that was cut off. */
static void
check_string_before_the_cut_is_whole(void)
{
    const struct edge words = { PERF_REG_PROVIDER_NAME, WORDS(TWO('a', 0), TWO('b', 0)) };
    const struct edge guid = { PERF_REG_PROVIDER_GUID, WORDS(GUID) };
    const struct edge padded = { PERF_REG_COUNTER_NAME_STRINGS, WORDS(24, 1, 1, 16, TWO('a', 0), 0) };
    struct rules_report *report = rules_report_new(scope, true, true);
    struct lpdata lp = read_cut(&words, 4, report);

    CHECK(!lp.is_cut && report->broken[RULE_TRAILING_BYTES] == 1, "%u", report->broken[RULE_TRAILING_BYTES]);

    /* What is there, but for the capture, is nobody's fault. */
    report = rules_report_new(scope, true, true);
    lp = read_cut(&guid, 10, report);
    CHECK(lp.is_cut, "half a GUID");
    CHECK(!lp.has_provider, "half a GUID");
    CHECK(report->findings == NULL, "half a GUID");

    /* Of several the padding is the buffer's, cut off or not. */
    lp = read_cut(&padded, 20, NULL);
    CHECK(lp.parsed == 24, "%u bytes are understood", lp.parsed);
}

/* Which blocks are not to be judged, as something is wrong with where they stand; the next one is, where that is known. */
static void
check_blocks_at_doubtful_places_are_not_judged(void)
{
#define VALUE(value) 4, 16, value, 0
#define GOOD         BLOCK(1, 32), VALUE(5)
    static const struct {
        struct edge edge;
        bool blocks[3], at_end;
    } cases[] = {
        { { WALK_DATA, WORDS(DATA(144, 3), GOOD, GOOD, GOOD) }, { false, false, false }, false },
        { { WALK_DATA, WORDS(DATA(144, 3), GOOD, BLOCK(3, 32), VALUE(6), GOOD) }, { false, true, false }, false },
        { { WALK_DATA, WORDS(DATA(144, 3), GOOD, BLOCK(1, 48), VALUE(6), GOOD) }, { false, true, false }, false },
        { { WALK_DATA, WORDS(DATA(144, 3), GOOD, BLOCK(1, 8), VALUE(6), GOOD) }, { false, true, false }, false },
        { { WALK_DATA, WORDS(DATA(144, 3), GOOD, GOOD, BLOCK(1, 400), VALUE(7)) }, { false, false, true }, false },
        { { WALK_DATA, WORDS(DATA(112, 2), GOOD, BLOCK(1, 24), 4, 16, 5, 0) }, { false, true }, false },
        { { WALK_DATA, WORDS(DATA(128, 2), GOOD, BLOCK(1, 24), VALUE(5), 9, 9, 9, 9) }, { false, true }, true },
    };
#undef VALUE
#undef GOOD

    for (unsigned i = 0; i < 2 * array_length(cases); i++) {
        const unsigned c = i / 2;
        struct rules_report *report = i % 2 == 0 ? NULL : rules_report_new(scope, true, true);
        const struct lpdata lp = read_edge(&cases[c].edge, report);

        for (unsigned b = 0; b < lpdata_count(lp.blocks); b++) {
            CHECK(lpdata_block(&lp, b)->is_mistrusted == cases[c].blocks[b], "%u: block %u", c, b);
        }
        CHECK(lpdata_count(lp.blocks) == cases[c].edge.words[1], "%u: %u blocks", c, lpdata_count(lp.blocks));
        CHECK(lp.is_mistrusted == cases[c].at_end, "%u: at its end", c);
    }
}

/* Which request code has what, 3.1.4.1.2. */
static void
check_each_request_code_has_its_structure(void)
{
    for (unsigned code = 0; code <= 11; code++) {
        const bool is_text = code == 3 || code == 4 || code == 7 || code == 9;
        const bool is_list = code == 5 || code == 6 || code == 10;
        struct lpdata lp;
        const struct edge edge = { code, WORDS(TWO('a', 'b'), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) };

        lp = read_edge(&edge, NULL);
        CHECK(lp.has_counterset == (code == 1) && lpdata_count(lp.counters) == (code == 2) &&
                lp.string.terminated == is_text && lp.string.size == (is_text ? 4 : 0) &&
                (lp.strings_header.size == TWO('a', 'b')) == is_list && lp.has_provider == (code == 8),
            "code %u", code);
    }
}

/* How often a rule was checked is what the table of rules counts. */
static void
check_every_check_of_a_rule_is_counted(void)
{
    static const struct {
        struct edge edge;
        struct {
            enum perflibv2_rule rule;
            unsigned times;
        } checked[9];
    } counts[] = {
        /* Headers and Sizes of two; where the structures behind them begin. */
        { { WALK_INSTANCES, WORDS(16, 5, 'a', 0, 16, 6, 'b', 0) },
            { { RULE_STRUCTURE_FITS, 4 }, { RULE_INSTANCE_SIZE, 2 }, { RULE_INSTANCE_TERMINATED, 2 },
                { RULE_ALIGNMENT, 2 } } },
        { { WALK_IDENTIFIERS, WORDS(IDENTIFIER(40, 1), IDENTIFIER(48, 2), 'a', 0) },
            { { RULE_STRUCTURE_FITS, 4 }, { RULE_IDENTIFIER_SIZE, 2 }, { RULE_IDENTIFIER_TERMINATED, 1 },
                { RULE_ALIGNMENT, 2 } } },
        /* Both headers, dwSize of the block, header and dwSize of the value. */
        { { WALK_DATA, WORDS(DATA(80, 1), BLOCK(1, 32), 4, 16, 5, 0) },
            { { RULE_STRUCTURE_FITS, 5 }, { RULE_DATA_TOTAL_SIZE, 1 }, { RULE_BLOCK_TYPE, 1 }, { RULE_BLOCK_SIZE, 1 },
                { RULE_VALUE_SIZE, 1 }, { RULE_ALIGNMENT, 1 }, { RULE_DATA_NUM_COUNTERS, 1 },
                { RULE_TRAILING_BYTES, 1 } } },
        { { PERF_REG_COUNTERSET_STRUCT, WORDS(GUID, 0, 100, 1, 2, COUNTER(7)) },
            { { RULE_STRUCTURE_FITS, 2 }, { RULE_REG_NUM_COUNTERS, 1 }, { RULE_TRAILING_BYTES, 1 } } },
        { { PERF_REG_COUNTER_NAME_STRINGS, WORDS(28, 2, 1, 24, 2, NONE, TWO('a', 0)) },
            { { RULE_STRUCTURE_FITS, 1 }, { RULE_STRINGS_SIZE, 1 }, { RULE_STRINGS_OFFSET, 1 },
                { RULE_STRING_TERMINATED, 1 } } },
    };

    for (size_t i = 0; i < array_length(counts); i++) {
        struct rules_report *report = rules_report_new(scope, true, true);
        unsigned expected[NUM_RULES] = { 0 };

        read_edge(&counts[i].edge, report);
        for (size_t j = 0; j < array_length(counts[i].checked); j++) {
            expected[counts[i].checked[j].rule] += counts[i].checked[j].times;
        }
        for (unsigned rule = 0; rule < NUM_RULES; rule++) {
            CHECK(report->checked[rule] == expected[rule] && report->broken[rule] == 0,
                "%u: rule %u was checked %u times, not %u", (unsigned)i, rule, report->checked[rule], expected[rule]);
        }
    }
}

/* Checks that the members of a structure are what these words of the buffer say, one after the other. */
static void
check_members(const char *structure, const uint32_t *words, const uint32_t *members, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQUAL(members[i], words[i], "%s, word %u of %u", structure, i, count);
    }
}
#define CHECK_MEMBERS(structure, words, ...) \
    check_members(structure, words, (const uint32_t[]){ __VA_ARGS__ }, \
        sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* Every member at its place: 2.2.4.1, 2.2.4.2, 2.2.4.5 to 2.2.4.8. */
static void
check_every_member_is_read_from_its_place(void)
{
    static const uint8_t guid_end[8] = { 0x9e, 0x0a, 0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f };
    const struct edge registration = { PERF_REG_COUNTERSET_STRUCT,
        WORDS(1, 2, 3, 4, 5, 6, 1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20) };
    const struct edge identifiers = { WALK_IDENTIFIERS,
        WORDS(0x4d1ea1c2, 0x4c557b3f, 0x1b0a0a9e, 0x5f4e3d2c, 5, 40, 7, 8, 9, 10) };
    const struct edge data = { WALK_DATA,
        WORDS(64, 1, 3, 4, 5, 6, 7, 8, TWO(9, 10), TWO(11, 12), TWO(13, 14), TWO(15, 16), 17, 0, 16, 20) };
    struct lpdata lp = read_edge(&registration, NULL);
    const struct lp_counterset_reg *set = &lp.counterset;
    const struct lp_counter_reg *counter = lpdata_counter(&lp, 0);
    const struct lp_identifier *identifier;
    const struct lp_block *block;

    CHECK_MEMBERS("_PERF_COUNTERSET_REG_INFO", registration.words, set->guid.data1);
    CHECK_MEMBERS("_PERF_COUNTERSET_REG_INFO", &registration.words[4], set->type, set->detail_level, set->num_counters,
        set->instance_type);
    CHECK_MEMBERS("_PERF_COUNTER_REG_INFO", &registration.words[8], counter->id, counter->type,
        (uint32_t)counter->attrib, (uint32_t)(counter->attrib >> 32), counter->detail_level,
        (uint32_t)counter->default_scale, counter->base_id, counter->perf_time_id, counter->perf_freq_id,
        counter->multi_id, counter->aggregate, counter->reserved);
    lp = read_edge(&identifiers, NULL);
    identifier = lpdata_identifier(&lp, 0);
    CHECK_EQUAL(identifier->guid.data1, 0x4d1ea1c2, "GUID");
    CHECK_EQUAL(identifier->guid.data2, 0x7b3f, "GUID");
    CHECK_EQUAL(identifier->guid.data3, 0x4c55, "GUID");
    CHECK_EQUAL(memcmp(identifier->guid.data4, guid_end, 8), 0, "GUID");
    CHECK_MEMBERS("_PERF_COUNTER_IDENTIFIER", &identifiers.words[4], identifier->status, identifier->size,
        identifier->counter_id, identifier->instance_id, identifier->index, identifier->reserved);
    lp = read_edge(&data, NULL);
    CHECK_MEMBERS("_PERF_DATA_HEADER", data.words, lp.header.total_size, lp.header.num_counters,
        (uint32_t)lp.header.perf_time_stamp, (uint32_t)(lp.header.perf_time_stamp >> 32),
        (uint32_t)lp.header.perf_time_100ns, (uint32_t)(lp.header.perf_time_100ns >> 32), (uint32_t)lp.header.perf_freq,
        (uint32_t)(lp.header.perf_freq >> 32));
    for (unsigned i = 0; i < 8; i++) {
        CHECK_EQUAL(lp.header.system_time[i], 9 + i, "SYSTEMTIME");
    }
    block = lpdata_block(&lp, 0);
    CHECK_EQUAL(block->offset, 48, "_PERF_COUNTER_HEADER");
    CHECK_MEMBERS("_PERF_COUNTER_HEADER", &data.words[12], block->status, block->type, block->size, block->reserved);
    CHECK_EQUAL(block->end, 64, "_PERF_COUNTER_HEADER");
}

/* What is read again where it is shown. */
static void
check_values_are_read_again_where_shown(void)
{
    const struct edge edge = { WALK_DATA,
        WORDS(DATA(120, 1), BLOCK(2, 72), 16, 2, 7, 8, 6, 16, TWO('h', 'i'), 0, 16, 24, TWO('w', 'o'), TWO('r', 'l'),
            TWO('d', 's'), TWO('!', '?')) };
    const struct lpdata lp = read_edge(&edge, NULL);

    CHECK(lp.num_values == 2 && strcmp(lpdata_value_text(&lp, 0, scope), "hi") == 0 &&
            strcmp(lpdata_value_text(&lp, 1, scope), "worlds!?") == 0,
        "%u values", lp.num_values);
    CHECK_EQUAL(lpdata_block_id(&lp, lpdata_block(&lp, 0), 0), 7, "ids");
    CHECK_EQUAL(lpdata_block_id(&lp, lpdata_block(&lp, 0), 1), 8, "ids");
}

/* dwDataSize of a value; dwSize is 16 and, of a text of 16 bytes, 24. */
enum { FOUR = 4, EIGHT = 8, TEXT = 16 };

/* Values of two instances: all are of usual bytes but the odd-th of each. */
static void
check_values(unsigned count, unsigned usual, unsigned odd, unsigned odd_size)
{
    struct edge edge = { WALK_DATA, WORDS(DATA(0, 1), BLOCK(6, 0), 8, count) };
    uint32_t words[256];
    unsigned n = edge.count, instances_at, offsets[20], num_texts = 0;
    struct rules_report *report = rules_report_new(scope, true, true);
    struct lpdata lp;

    memcpy(words, edge.words, sizeof edge.words);
    for (unsigned c = 0; c < count + count % 2; c++) {
        words[n++] = c;
    }
    words[16] = (n - 16) * 4;
    instances_at = n;
    n += 2;
    words[instances_at + 1] = 2;
    for (unsigned i = 0; i < 2 * count; i++) {
        const unsigned size = i % count == odd ? odd_size : usual;

        if (i % count == 0) {
            memcpy(&words[n], (const uint32_t[]){ 16, i, 'a', 0 }, 16);
            n += 4;
        }
        offsets[i] = n * 4;
        words[n++] = size;
        words[n++] = size == TEXT ? 24 : 16;
        for (unsigned w = 0; w < (size == TEXT ? 4 : 2); w++) {
            words[n++] = 100 * (w + 1) + i;
        }
        num_texts += size == TEXT && i % count + 1 < count;
    }
    words[instances_at] = (n - instances_at) * 4;
    words[14] = (n - 12) * 4;
    words[0] = n * 4;
    lpdata_init(&lp, tvb_new_real_data((const uint8_t *)wmem_memdup(scope, words, n * 4), n * 4, (int)(n * 4)), scope,
        report);
    lpdata_parse_data(&lp);
    CHECK(lp.num_values == 2 * count && lp.parsed == n * 4 && lp.num_instances == 2, "%u values, %u bytes",
        lp.num_values, lp.parsed);
    for (unsigned i = 0; i < lp.num_values; i++) {
        const unsigned size = i % count == odd ? odd_size : usual;
        const uint64_t number = size == TEXT ? 0 : 100 + i + (size == EIGHT ? (uint64_t)(200 + i) << 32 : 0);

        CHECK(lp.values[i].offset == offsets[i] && lp.values[i].data_size == size &&
                lp.widths[i] == (size == TEXT ? 0 : size) && lp.numbers[i] == number,
            "%u of %u, %u bytes, but %u of the %u-th: %u bytes, at %u", i, count, usual, odd_size, odd,
            lp.values[i].data_size, lp.values[i].offset);
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct lp_instance *instance = &lp.instances[i];

        CHECK(instance->offset == offsets[i * count] - 16 && instance->first_value == i * count &&
                instance->num_values == count && instance->name.size == 2 && instance->id == i * count &&
                instance->end == (i == 0 ? lp.instances[1].offset : n * 4),
            "instance %u of %u values", i, count);
    }
    /* Headers of buffer and block, its dwSize, header and ids, header; of an instance and of a value header and size. */
    CHECK(report->checked[RULE_STRUCTURE_FITS] == 6 + 2 * 2 + 2 * 2 * count, "%u fit",
        report->checked[RULE_STRUCTURE_FITS]);
    CHECK(report->checked[RULE_VALUE_SIZE] == 2 * count && report->checked[RULE_INSTANCE_SIZE] == 2 &&
            report->checked[RULE_INSTANCE_TERMINATED] == 2,
        "%u, %u and %u sizes", report->checked[RULE_VALUE_SIZE], report->checked[RULE_INSTANCE_SIZE],
        report->checked[RULE_INSTANCE_TERMINATED]);
    /* Behind ids and block; behind the name and the values of an instance, and behind a text where a value follows. */
    CHECK(report->checked[RULE_ALIGNMENT] == 2 + 2 * 2 + num_texts, "%u are aligned", report->checked[RULE_ALIGNMENT]);
    CHECK(report->findings == NULL, "something is wrong");
}

/* Values are read several at once where they are laid out alike. */
static void
check_values_laid_out_alike_are_read_together(void)
{
    for (unsigned count = 1; count <= 10; count++) {
        for (unsigned odd = 0; odd <= count; odd++) {
            check_values(count, EIGHT, odd, FOUR);
            check_values(count, EIGHT, odd, TEXT);
            check_values(count, FOUR, odd, EIGHT);
            check_values(count, TEXT, odd, EIGHT);
        }
    }
}

/* Of four values, which are read at once where they are alike, one says more bytes than it has. */
static void
check_one_of_four(void)
{
    static const uint32_t words[] = { DATA(152, 1), BLOCK(2, 104), 24, 4, 1, 2, 3, 4, 8, 16, 5, 0, 8, 16, 6, 0, 8, 16,
        7, 0, 8, 16, 8, 0 };
    enum { VALUES_AT = 88 };

    for (unsigned odd = 0; odd < 4; odd++) {
        struct rules_report *report = rules_report_new(scope, true, true);
        const struct finding *found;
        struct lpdata lp;

        begin();
        add_u32s(words, array_length(words));
        out.bytes[VALUES_AT + 16 * odd] = 9;
        lpdata_init(&lp, tvb_new_real_data(out.bytes, out.size, (int)out.size), scope, report);
        walk(&lp, WALK_DATA);
        CHECK(report->findings != NULL && wmem_array_get_count(report->findings) == 1, "value %u", odd);
        found = (const struct finding *)wmem_array_index(report->findings, 0);
        /* Behind the last there is nothing that its ninth byte could be. */
        CHECK(found->rule == (odd < 3 ? RULE_VALUE_SIZE : RULE_STRUCTURE_FITS) &&
                found->offset == VALUES_AT + 16 * odd + (odd < 3 ? 4 : 0),
            "value %u: %s", odd, found->text);
    }
}

int
main(void)
{
    wmem_init();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_each_structure_is_read_at_its_edges();
    check_header_cut_by_the_capture_is_not_looked_at();
    check_string_before_the_cut_is_whole();
    check_blocks_at_doubtful_places_are_not_judged();
    check_each_request_code_has_its_structure();
    check_every_check_of_a_rule_is_counted();
    check_every_member_is_read_from_its_place();
    check_values_are_read_again_where_shown();
    check_values_laid_out_alike_are_read_together();
    check_one_of_four();
    wmem_destroy_allocator(scope);
    wmem_cleanup();
    return check_result();
}
