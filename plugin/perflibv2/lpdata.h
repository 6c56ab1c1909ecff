/* lpdata.h
 * Parses the lpData buffers of PerflibV2 into structures
 *
 * [MS-PCQ] 2.2.4 and 3.1.4.1. The parsers know the eleven structures, but not RPC, handles or trees. Results are
 * plain structures in packet scope. Violations go to a report. Parsers never throw: from a buffer that ends early
 * they return what is there; is_cut is set if the snap length is the reason, not the sender. All integers are
 * little-endian (2.2.4).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_LPDATA_H
#define PERFLIB_PERFLIBV2_LPDATA_H

#include "compat.h"
#include "base/members.h"
#include "base/text.h"
#include "cook/counter-types.h"

#define PERF_WILDCARD_COUNTER PERF_ID_NONE

/* dwType of _PERF_COUNTER_HEADER (2.2.4.8), with the names of perflib.h. PERF_COUNTERSET combines the bits 2 and 4. */
enum {
    PERF_ERROR_RETURN = 0,
    PERF_SINGLE_COUNTER = 1,
    PERF_MULTIPLE_COUNTERS = 2,
    PERF_MULTIPLE_INSTANCES = 4,
    PERF_COUNTERSET = 6,
};

/* RequestCode of PerflibV2QueryCounterSetRegistrationInfo (3.1.4.1.2), with the names of perflib.h */
/* clang-format off */
#define PERF_REG_CODES(X) \
    X(PERF_REG_COUNTERSET_STRUCT, 1, "counterset and counters") \
    X(PERF_REG_COUNTER_STRUCT, 2, "counter") \
    X(PERF_REG_COUNTERSET_NAME_STRING, 3, "counterset name") \
    X(PERF_REG_COUNTERSET_HELP_STRING, 4, "counterset description") \
    X(PERF_REG_COUNTER_NAME_STRINGS, 5, "counter names") \
    X(PERF_REG_COUNTER_HELP_STRINGS, 6, "counter descriptions") \
    X(PERF_REG_PROVIDER_NAME, 7, "provider name") \
    X(PERF_REG_PROVIDER_GUID, 8, "provider GUID") \
    X(PERF_REG_COUNTERSET_ENGLISH_NAME, 9, "counterset English name") \
    X(PERF_REG_COUNTER_ENGLISH_NAMES, 10, "counter English names")
/* clang-format on */

#define PERF_REG_NUMBER(name, number, text) name = (number),
enum { PERF_REG_CODES(PERF_REG_NUMBER) };
#undef PERF_REG_NUMBER

#define LP_GUID_SIZE 16u

/*
 * Members of the structures: X(structure, type, name, offset), by section of [MS-PCQ]. The tables generate the
 * structures below, their sizes and readers (walk.h), and the offsets and sizes of members (base/members.h).
 */
/* clang-format off */
#define LP_COUNTERSET_REG_MEMBERS(X) /* _PERF_COUNTERSET_REG_INFO, 2.2.4.1 */ \
    X(counterset_reg, e_guid_t, guid, 0) \
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
#define LP_INSTANCE_MEMBERS(X) /* _PERF_INSTANCE_HEADER, 2.2.4.5; followed by a name */ \
    X(instance, uint32_t, size, 0) \
    X(instance, uint32_t, id, 4)
#define LP_IDENTIFIER_MEMBERS(X) /* _PERF_COUNTER_IDENTIFIER, 2.2.4.6; followed by a name */ \
    X(identifier, e_guid_t, guid, 0) \
    X(identifier, uint32_t, status, 16) \
    X(identifier, uint32_t, size, 20) \
    X(identifier, uint32_t, counter_id, 24) \
    X(identifier, uint32_t, instance_id, 28) \
    X(identifier, uint32_t, index, 32) \
    X(identifier, uint32_t, reserved, 36)
#define LP_DATA_HEADER_MEMBERS(X) /* _PERF_DATA_HEADER, 2.2.4.7 */ \
    X(data_header, uint32_t, total_size, 0) \
    X(data_header, uint32_t, num_counters, 4) \
    X(data_header, uint64_t, perf_time_stamp, 8) \
    X(data_header, uint64_t, perf_time_100ns, 16) \
    X(data_header, uint64_t, perf_freq, 24) \
    X(data_header, systemtime, system_time, 32)
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
enum { LP_STRUCTURES(MEMBER_PLACE) };

/* Sizes of the structures in bytes */
enum {
    LP_COUNTERSET_REG_SIZE = 0 LP_COUNTERSET_REG_MEMBERS(MEMBER_ADD_SIZE),
    LP_COUNTER_REG_SIZE = 0 LP_COUNTER_REG_MEMBERS(MEMBER_ADD_SIZE),
    LP_STRING_BUFFER_SIZE = 0 LP_STRINGS_HEADER_MEMBERS(MEMBER_ADD_SIZE),
    LP_STRING_COUNTER_SIZE = 0 LP_COUNTER_STRING_MEMBERS(MEMBER_ADD_SIZE),
    LP_INSTANCE_HEADER_SIZE = 0 LP_INSTANCE_MEMBERS(MEMBER_ADD_SIZE),
    LP_IDENTIFIER_SIZE = 0 LP_IDENTIFIER_MEMBERS(MEMBER_ADD_SIZE),
    LP_DATA_HEADER_SIZE = 0 LP_DATA_HEADER_MEMBERS(MEMBER_ADD_SIZE),
    LP_COUNTER_HEADER_SIZE = 0 LP_BLOCK_MEMBERS(MEMBER_ADD_SIZE),
    LP_COUNTER_DATA_SIZE = 0 LP_COUNTER_DATA_MEMBERS(MEMBER_ADD_SIZE),
    LP_MULTI_INSTANCES_SIZE = 0 LP_MULTI_INSTANCES_MEMBERS(MEMBER_ADD_SIZE),
    LP_MULTI_COUNTERS_SIZE = 0 LP_MULTI_COUNTERS_MEMBERS(MEMBER_ADD_SIZE),
};
/* clang-format on */

/* Parsed structures. Their .offset counts from the start of lpData. */

struct lp_counterset_reg {
    unsigned offset;
    LP_COUNTERSET_REG_MEMBERS(MEMBER_DECLARE)
};

struct lp_counter_reg {
    unsigned offset;
    LP_COUNTER_REG_MEMBERS(MEMBER_DECLARE)
};

struct lp_strings_header {
    LP_STRINGS_HEADER_MEMBERS(MEMBER_DECLARE)
};

/* The header of a counter's string, and the string. .string_offset is as sent. */
struct lp_counter_string {
    unsigned offset; /* offset of the string's header in lpData */
    LP_COUNTER_STRING_MEMBERS(MEMBER_DECLARE)
    bool present; /* false: string_offset is 0xFFFFFFFF, or no string begins there */
    unsigned text_offset;
    struct utf16_text text;
};

struct lp_instance {
    unsigned offset;
    LP_INSTANCE_MEMBERS(MEMBER_DECLARE)
    unsigned name_offset;
    struct utf16_text name;
    unsigned end;         /* offset of the next structure */
    unsigned first_value; /* in a data block: index of the instance's first value */
    unsigned num_values;
};

struct lp_identifier {
    unsigned offset;
    LP_IDENTIFIER_MEMBERS(MEMBER_DECLARE)
    unsigned name_offset;
    struct utf16_text name;
    unsigned end;
};

struct lp_data_header {
    LP_DATA_HEADER_MEMBERS(MEMBER_DECLARE)
};

/* Position and size of a value. dwDataSize and dwSize as sent are read from the buffer again when they are shown. */
struct lp_value {
    unsigned offset;    /* offset of _PERF_COUNTER_DATA; the data is 8 bytes later */
    uint32_t data_size; /* bytes of data: dwDataSize, or fewer if that exceeds the buffer */
};
struct lp_counter_data {
    LP_COUNTER_DATA_MEMBERS(MEMBER_DECLARE)
};
struct lp_multi_instances {
    LP_MULTI_INSTANCES_MEMBERS(MEMBER_DECLARE)
};
struct lp_multi_counters {
    LP_MULTI_COUNTERS_MEMBERS(MEMBER_DECLARE)
};

/* _PERF_COUNTER_HEADER and its block */
struct lp_block {
    unsigned offset;
    LP_BLOCK_MEMBERS(MEMBER_DECLARE)
    unsigned end;              /* end of the block */
    unsigned parsed;           /* end of the part that was understood */
    bool is_complete;          /* all values that the block's counts announce are present */
    bool is_mistrusted;        /* the structure of the block is inconsistent, so no other rule is checked in it */
    unsigned counters_offset;  /* offset of _PERF_MULTI_COUNTERS; 0: none */
    uint32_t num_ids;          /* number of counter ids that are present */
    unsigned instances_offset; /* offset of _PERF_MULTI_INSTANCES; 0: none */
    unsigned first_instance, num_instances;
    unsigned first_value, num_values;
};

struct rules_report;
struct lpdata_known;

/* A parsed buffer. Each parser (lpdata_parse_...()) fills the members of its structures. */
struct lpdata {
    tvbuff_t *tvb;
    uint32_t request_code;       /* RequestCode for opnum 1; 0: unknown */
    bool is_cut;                 /* the snap length cut the buffer, so missing data is not the sender's fault */
    unsigned parsed;             /* number of bytes understood, from the start */
    struct rules_report *report; /* results of checks; NULL: not needed */
    bool is_mistrusted;          /* the structure is inconsistent, so no further rule is checked */

    bool has_counterset;
    struct lp_counterset_reg counterset;
    wmem_array_t *counters; /* elements: struct lp_counter_reg. Empty arrays are NULL. */

    struct lp_strings_header strings_header;
    /* dwOffset counts from the end of the headers (2.2.4.4); false: from the start of the buffer */
    bool offset_from_headers;
    bool offset_base_is_known; /* the offsets show whether offset_from_headers is true */
    wmem_array_t *strings;     /* elements: struct lp_counter_string */

    struct utf16_text string; /* text in an answer to request codes 3, 4, 7 and 9 */
    bool has_provider;
    e_guid_t provider; /* GUID in an answer to request code 8 */

    struct lp_instance *instances;
    unsigned num_instances, room_for_instances;
    wmem_array_t *identifiers; /* elements: struct lp_identifier */

    bool has_data_header;
    struct lp_data_header header;
    wmem_array_t *blocks;    /* elements: struct lp_block */
    struct lp_value *values; /* values of all blocks, in order */
    uint64_t *numbers;       /* each value as a number; 0 if the value is not numeric */
    uint8_t *widths;         /* size of each value in bytes: 4, 8, or 0 if the value is not numeric */
    unsigned num_values, room_for_values;
    wmem_allocator_t *scope;
    /*
     * opnum 6: before parsing, a known layout to compare with; afterwards, that layout if the poll has the same one,
     * and thus shares its arrays. NULL: none
     */
    const struct lpdata_known *known;
};

/* Initialises an empty buffer. report receives the results of checks; NULL if not needed. */
void lpdata_init(struct lpdata *lp, tvbuff_t *tvb, wmem_allocator_t *scope, struct rules_report *report);

/* Parses a list of GUIDs: opnum 0. */
void lpdata_parse_guids(struct lpdata *lp);
/*
 * Parses the answer to opnum 1 by request code (3.1.4.1.2): counterset and counters (figure 1), one counter, a string,
 * the counters' strings (figure 2), or a GUID. Parses nothing if the code is unknown.
 */
void lpdata_parse_registration(struct lpdata *lp);

/* ---- lpdata-values.c ---- */

/* Parses instances: opnum 2 (figure 3). */
void lpdata_parse_instances(struct lpdata *lp);

/* ---- lpdata.c ---- */

/* Parses identifiers: opnums 5 and 7 (figure 4). */
void lpdata_parse_identifiers(struct lpdata *lp);

/* ---- lpdata-values.c ---- */

/* Parses counter values: opnum 6 (figures 5 to 9). */
void lpdata_parse_data(struct lpdata *lp);

/*
 * Returns the layout of a poll, for lpdata.known: later polls that differ only in times and values are compared with
 * that layout instead of parsed. Returns NULL if the poll breaks a rule or has unusual values.
 */
struct lpdata_known *lpdata_known_new(tvbuff_t *tvb);
/* Frees a layout; known may be NULL. */
void lpdata_known_free(struct lpdata_known *known);

/* Returns the number of elements; array may be NULL. */
static inline unsigned
lpdata_count(wmem_array_t *array)
{
    return array == NULL ? 0 : wmem_array_get_count(array);
}
/* Return the element with index i, which must be below the number of elements. */
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

/* ---- lpdata.c ---- */

/* Returns value i as text (PERF_COUNTER_TEXT), UTF-8 in scope. */
const char *lpdata_value_text(const struct lpdata *lp, unsigned i, wmem_allocator_t *scope);
/* Returns the offset of counter id i of a block that has ids. */
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
/* Returns whether blocks of this type begin with counter ids. */
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
