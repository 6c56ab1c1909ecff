/* lpdata.h
 * The lpData buffers of PerflibV2, from bytes to structures
 *
 * [MS-PCQ] 2.2.4 and 3.1.4.1. The walkers know the eleven structures and nothing of RPC, handles
 * or trees. What they find goes into plain structures in packet scope; what is wrong goes into a
 * report. They never throw: a buffer that ends early gives what stands before its end, and
 * is_cut tells a capture's snap length from a sender's lie. All integers are little-endian (2.2.4).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_LPDATA_H
#define PERFLIB_PERFLIBV2_LPDATA_H

#include "compat.h"
#include "base/text.h"
#include "cook/counter-types.h"

#define PERF_WILDCARD_COUNTER PERF_ID_NONE

/* dwType of _PERF_COUNTER_HEADER (2.2.4.8), by the names of perflib.h; 2 and 4 act as bits. */
enum {
    PERF_ERROR_RETURN = 0,
    PERF_SINGLE_COUNTER = 1,
    PERF_MULTIPLE_COUNTERS = 2,
    PERF_MULTIPLE_INSTANCES = 4,
    PERF_COUNTERSET = 6,
};

/* RequestCode of PerflibV2QueryCounterSetRegistrationInfo (3.1.4.1.2), by the names of perflib.h. */
enum {
    PERF_REG_COUNTERSET_STRUCT = 1,
    PERF_REG_COUNTER_STRUCT = 2,
    PERF_REG_COUNTERSET_NAME_STRING = 3,
    PERF_REG_COUNTERSET_HELP_STRING = 4,
    PERF_REG_COUNTER_NAME_STRINGS = 5,
    PERF_REG_COUNTER_HELP_STRINGS = 6,
    PERF_REG_PROVIDER_NAME = 7,
    PERF_REG_PROVIDER_GUID = 8,
    PERF_REG_COUNTERSET_ENGLISH_NAME = 9,
    PERF_REG_COUNTER_ENGLISH_NAMES = 10,
};

/* Sizes of the structures, bytes */
#define LP_GUID_SIZE            16u
#define LP_COUNTERSET_REG_SIZE  32u
#define LP_COUNTER_REG_SIZE     48u
#define LP_STRING_BUFFER_SIZE   8u
#define LP_STRING_COUNTER_SIZE  8u
#define LP_INSTANCE_HEADER_SIZE 8u
#define LP_IDENTIFIER_SIZE      40u
#define LP_DATA_HEADER_SIZE     48u
#define LP_COUNTER_HEADER_SIZE  16u
#define LP_COUNTER_DATA_SIZE    8u
#define LP_MULTI_COUNTERS_SIZE  8u
#define LP_MULTI_INSTANCES_SIZE 8u

/*
 * The members of the structures that are plain numbers: X(structure, type, name, offset), by section of [MS-PCQ]. They
 * make the structures below, their readers (lpdata-walk.h), and the offsets that trees and rules use
 * (LP_AT_structure_name).
 */
/* clang-format off */
#define LP_COUNTERSET_REG_MEMBERS(X) /* _PERF_COUNTERSET_REG_INFO, 2.2.4.1; a GUID stands before */ \
    X(counterset_reg, uint32_t, type, 16) \
    X(counterset_reg, uint32_t, detail_level, 20) \
    X(counterset_reg, uint32_t, num_counters, 24) \
    X(counterset_reg, uint32_t, instance_type, 28)
#define LP_COUNTER_REG_MEMBERS(X) /* _PERF_COUNTER_REG_INFO, 2.2.4.2 */ \
    X(counter_reg, uint32_t, id, 0) \
    X(counter_reg, uint32_t, type, 4) \
    X(counter_reg, uint64_t, attrib, 8) \
    X(counter_reg, uint32_t, detail_level, 16) \
    X(counter_reg, int32_t, default_scale, 20) \
    X(counter_reg, uint32_t, base_id, 24) \
    X(counter_reg, uint32_t, perf_time_id, 28) \
    X(counter_reg, uint32_t, perf_freq_id, 32) \
    X(counter_reg, uint32_t, multi_id, 36) \
    X(counter_reg, uint32_t, aggregate, 40) \
    X(counter_reg, uint32_t, reserved, 44)
#define LP_STRINGS_HEADER_MEMBERS(X) /* _STRING_BUFFER_HEADER, 2.2.4.3 */ \
    X(strings_header, uint32_t, size, 0) \
    X(strings_header, uint32_t, counters, 4)
#define LP_COUNTER_STRING_MEMBERS(X) /* _STRING_COUNTER_HEADER, 2.2.4.4 */ \
    X(counter_string, uint32_t, id, 0) \
    X(counter_string, uint32_t, string_offset, 4)
#define LP_INSTANCE_MEMBERS(X) /* _PERF_INSTANCE_HEADER, 2.2.4.5; a name stands behind */ \
    X(instance, uint32_t, size, 0) \
    X(instance, uint32_t, id, 4)
#define LP_IDENTIFIER_MEMBERS(X) /* _PERF_COUNTER_IDENTIFIER, 2.2.4.6; a GUID stands before, a name behind */ \
    X(identifier, uint32_t, status, 16) \
    X(identifier, uint32_t, size, 20) \
    X(identifier, uint32_t, counter_id, 24) \
    X(identifier, uint32_t, instance_id, 28) \
    X(identifier, uint32_t, index, 32) \
    X(identifier, uint32_t, reserved, 36)
#define LP_DATA_HEADER_MEMBERS(X) /* _PERF_DATA_HEADER, 2.2.4.7; a SYSTEMTIME stands behind */ \
    X(data_header, uint32_t, total_size, 0) \
    X(data_header, uint32_t, num_counters, 4) \
    X(data_header, uint64_t, perf_time_stamp, 8) \
    X(data_header, uint64_t, perf_time_100ns, 16) \
    X(data_header, uint64_t, perf_freq, 24)
#define LP_BLOCK_MEMBERS(X) /* _PERF_COUNTER_HEADER, 2.2.4.8 */ \
    X(block, uint32_t, status, 0) \
    X(block, uint32_t, type, 4) \
    X(block, uint32_t, size, 8) \
    X(block, uint32_t, reserved, 12)
#define LP_COUNTER_DATA_MEMBERS(X) /* _PERF_COUNTER_DATA, 2.2.4.9 */ \
    X(counter_data, uint32_t, data_size, 0) \
    X(counter_data, uint32_t, size, 4)
#define LP_MULTI_INSTANCES_MEMBERS(X) /* _PERF_MULTI_INSTANCES, 2.2.4.10 */ \
    X(multi_instances, uint32_t, total_size, 0) \
    X(multi_instances, uint32_t, instances, 4)
#define LP_MULTI_COUNTERS_MEMBERS(X) /* _PERF_MULTI_COUNTERS, 2.2.4.11 */ \
    X(multi_counters, uint32_t, size, 0) \
    X(multi_counters, uint32_t, counters, 4)
#define LP_STRUCTURES(X) \
    LP_COUNTERSET_REG_MEMBERS(X) LP_COUNTER_REG_MEMBERS(X) LP_STRINGS_HEADER_MEMBERS(X) LP_COUNTER_STRING_MEMBERS(X) \
    LP_INSTANCE_MEMBERS(X) LP_IDENTIFIER_MEMBERS(X) LP_DATA_HEADER_MEMBERS(X) LP_BLOCK_MEMBERS(X) \
    LP_COUNTER_DATA_MEMBERS(X) LP_MULTI_INSTANCES_MEMBERS(X) LP_MULTI_COUNTERS_MEMBERS(X)
#define LP_MEMBER(structure, type, name, at) type name;
#define LP_MEMBER_AT(structure, type, name, at) LP_AT_##structure##_##name = (at),
/* clang-format on */
enum lp_member_at { LP_STRUCTURES(LP_MEMBER_AT) };
#define LP_AT_data_header_system_time 32

/* In all structures offset counts from the start of lpData. */

struct lp_counterset_reg {
    unsigned offset;
    e_guid_t guid;
    LP_COUNTERSET_REG_MEMBERS(LP_MEMBER)
};

struct lp_counter_reg {
    unsigned offset;
    LP_COUNTER_REG_MEMBERS(LP_MEMBER)
};

struct lp_strings_header {
    LP_STRINGS_HEADER_MEMBERS(LP_MEMBER)
};

/* The header of a counter's string, and the string it points to. string_offset is as sent. */
struct lp_counter_string {
    unsigned offset; /* of the header */
    LP_COUNTER_STRING_MEMBERS(LP_MEMBER)
    bool present; /* false: string_offset is 0xFFFFFFFF, or points nowhere */
    unsigned text_offset;
    struct utf16_text text;
};

struct lp_instance {
    unsigned offset;
    LP_INSTANCE_MEMBERS(LP_MEMBER)
    unsigned name_offset;
    struct utf16_text name;
    unsigned end;         /* where the next structure begins */
    unsigned first_value; /* in a data block: index of the instance's first value */
    unsigned num_values;
};

struct lp_identifier {
    unsigned offset;
    e_guid_t guid;
    LP_IDENTIFIER_MEMBERS(LP_MEMBER)
    unsigned name_offset;
    struct utf16_text name;
    unsigned end;
};

struct lp_data_header {
    LP_DATA_HEADER_MEMBERS(LP_MEMBER)
    uint16_t system_time[8];
};

/* Place and size of a value. Its sizes as sent are read again where they are shown. */
struct lp_value {
    unsigned offset;    /* of _PERF_COUNTER_DATA; the data is 8 bytes on */
    uint32_t data_size; /* bytes of data that are there: dwDataSize, or fewer where that lies */
};
struct lp_counter_data {
    LP_COUNTER_DATA_MEMBERS(LP_MEMBER)
};
struct lp_multi_instances {
    LP_MULTI_INSTANCES_MEMBERS(LP_MEMBER)
};
struct lp_multi_counters {
    LP_MULTI_COUNTERS_MEMBERS(LP_MEMBER)
};

/* _PERF_COUNTER_HEADER, and its block */
struct lp_block {
    unsigned offset;
    LP_BLOCK_MEMBERS(LP_MEMBER)
    unsigned end;              /* of what belongs to the block */
    unsigned parsed;           /* up to here its content was understood */
    bool is_complete;          /* every value its counts announce was there */
    bool is_mistrusted;        /* something is wrong where its structures stand: nothing more is judged of it */
    unsigned counters_offset;  /* of _PERF_MULTI_COUNTERS; 0: the block has none */
    uint32_t num_ids;          /* ids that are there */
    unsigned instances_offset; /* of _PERF_MULTI_INSTANCES; 0: the block has none */
    unsigned first_instance, num_instances;
    unsigned first_value, num_values;
};

struct rules_report;

/* One parsed buffer; which arrays are filled depends on the walker. */
struct lpdata {
    tvbuff_t *tvb;
    uint32_t request_code;       /* of opnum 1; 0: not known */
    bool is_cut;                 /* the capture ends before the buffer does: nothing is blamed on the sender for that */
    unsigned parsed;             /* bytes understood from the start on */
    struct rules_report *report; /* how checks went; NULL: nobody wants to know */
    bool is_mistrusted;          /* something is wrong where structures stand, so that nothing more is judged */

    bool has_counterset;
    struct lp_counterset_reg counterset;
    wmem_array_t *counters; /* struct lp_counter_reg; arrays are NULL where they are empty */

    struct lp_strings_header strings_header;
    bool offset_from_headers;  /* dwOffset counts from the end of the headers, as the text says, not from the start */
    bool offset_base_is_known; /* the offsets tell which of the two it is */
    wmem_array_t *strings;     /* struct lp_counter_string */

    struct utf16_text string; /* request codes 3, 4, 7, 9 */
    bool has_provider;
    e_guid_t provider; /* request code 8 */

    struct lp_instance *instances;
    unsigned num_instances, room_for_instances;
    wmem_array_t *identifiers; /* struct lp_identifier */

    bool has_data_header;
    struct lp_data_header header;
    wmem_array_t *blocks;    /* struct lp_block */
    struct lp_value *values; /* all blocks' in order; */
    uint64_t *numbers;       /* of each the number, 0 where it is none, */
    uint8_t *widths;         /* and its bytes: 4, 8, or 0 for what is no number */
    unsigned num_values, room_for_values;
    wmem_allocator_t *scope;
};

/* Begins a buffer: everything empty. What walkers check on their way goes to report; NULL: nobody wants to know. */
void lpdata_init(struct lpdata *lp, tvbuff_t *tvb, wmem_allocator_t *scope, struct rules_report *report);

/* GUIDs: opnum 0. */
void lpdata_parse_guids(struct lpdata *lp);
/*
 * Opnum 1, by request code (3.1.4.1.2): counterset and counters (figure 1), one counter, a string, the strings of
 * counters (figure 2), a GUID. Of an unknown code nothing is parsed.
 */
void lpdata_parse_registration(struct lpdata *lp);

/* ---- lpdata-values.c ---- */

/* Instances: opnum 2 (figure 3). */
void lpdata_parse_instances(struct lpdata *lp);

/* ---- lpdata.c ---- */

/* Identifiers: opnums 5 and 7 (figure 4). */
void lpdata_parse_identifiers(struct lpdata *lp);

/* ---- lpdata-values.c ---- */

/* Counter values: opnum 6 (figures 5 to 9). */
void lpdata_parse_data(struct lpdata *lp);

/* How many there are in one of the arrays. */
static inline unsigned
lpdata_count(wmem_array_t *array)
{
    return array == NULL ? 0 : wmem_array_get_count(array);
}
/* The i-th of each kind; i must be below the array's count. */
/* clang-format off */
#define LPDATA_ELEMENT(name, type, array) \
    static inline const struct type * \
    lpdata_##name(const struct lpdata *lp, unsigned i) \
    { \
        return (const struct type *)wmem_array_index(lp->array, i); \
    }
/* clang-format on */
LPDATA_ELEMENT(counter, lp_counter_reg, counters)
LPDATA_ELEMENT(counter_string, lp_counter_string, strings)
LPDATA_ELEMENT(identifier, lp_identifier, identifiers)
LPDATA_ELEMENT(block, lp_block, blocks)
static inline const struct lp_instance *
lpdata_instance(const struct lpdata *lp, unsigned i)
{
    return &lp->instances[i];
}
static inline const struct lp_value *
lpdata_value(const struct lpdata *lp, unsigned i)
{
    return &lp->values[i];
}

/* ---- lpdata.c ---- */

/* The i-th value as a text (PERF_COUNTER_TEXT), UTF-8 in scope. */
const char *lpdata_value_text(const struct lpdata *lp, unsigned i, wmem_allocator_t *scope);
/* The i-th counter id of a block that has ids, and where it stands. */
static inline unsigned
lpdata_block_id_at(const struct lp_block *block, unsigned i)
{
    return block->counters_offset + LP_MULTI_COUNTERS_SIZE + 4 * i;
}
uint32_t lpdata_block_id(const struct lpdata *lp, const struct lp_block *block, unsigned i);

static inline bool
lpdata_type_is_known(uint32_t type)
{
    return type <= PERF_MULTIPLE_COUNTERS || type == PERF_MULTIPLE_INSTANCES || type == PERF_COUNTERSET;
}
/* Whether a block of this type begins with counter ids, or repeats its values for instances. */
static inline bool
lpdata_type_has_ids(uint32_t type)
{
    return type == PERF_MULTIPLE_COUNTERS || type == PERF_COUNTERSET;
}
static inline bool
lpdata_type_has_instances(uint32_t type)
{
    return type == PERF_MULTIPLE_INSTANCES || type == PERF_COUNTERSET;
}

#endif /* PERFLIB_PERFLIBV2_LPDATA_H */
