/* blocks.h
 * PERF_DATA_BLOCK and what it is made of: the answer to a query of HKEY_PERFORMANCE_DATA
 *
 * winperf.h; "Performance Data Format" (Microsoft Learn). Reading a block makes no items and
 * knows nothing of packets: it turns bytes into the structures below and notes what is wrong
 * with them. Every offset counts from the start of the block.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_BLOCKS_H
#define PERFLIB_PERFDATA_BLOCKS_H

#include "compat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>
#include <wsutil/wmem/wmem.h>

/* Fixed parts of the structures; the lengths in them are what is stepped by. */
#define PERF_DATA_BLOCK_SIZE          88u
#define PERF_OBJECT_TYPE_SIZE         64u
#define PERF_COUNTER_DEFINITION_SIZE  40u
#define PERF_INSTANCE_DEFINITION_SIZE 24u
#define PERF_COUNTER_BLOCK_SIZE       4u

/* Members that are no plain numbers: SystemTime, PerfTime100nSec and CounterType. */
#define SYSTEM_TIME_AT     36u
#define PERF_TIME_100NS_AT 72u
#define COUNTER_TYPE_AT    28u

/* PERF_OBJECT_TYPE.NumInstances where it is no number of instances */
#define PERF_NO_INSTANCES                (-1)
#define PERF_METADATA_MULTIPLE_INSTANCES (-2)
#define PERF_METADATA_NO_INSTANCES       (-3)

/* PERF_INSTANCE_DEFINITION.UniqueID: the name tells the instances apart */
#define PERF_NO_UNIQUE_ID (-1)

/*
 * The members of the structures that are plain numbers: X(structure, type, name, offset). These tables make the
 * structures below, their reader in blocks.c, and the places of the items in tree.c.
 */
/* clang-format off */
#define PERF_DATA_BLOCK_MEMBERS(X) \
    X(block, uint32_t, little_endian, 8) \
    X(block, uint32_t, version, 12) \
    X(block, uint32_t, revision, 16) \
    X(block, uint32_t, total_byte_length, 20) \
    X(block, uint32_t, header_length, 24) \
    X(block, uint32_t, num_object_types, 28) \
    X(block, int32_t, default_object, 32) \
    X(block, uint64_t, perf_time, 56) \
    X(block, uint64_t, perf_freq, 64) \
    X(block, uint32_t, system_name_length, 80) \
    X(block, uint32_t, system_name_offset, 84)
#define PERF_OBJECT_TYPE_MEMBERS(X) \
    X(object, uint32_t, total_byte_length, 0) \
    X(object, uint32_t, definition_length, 4) \
    X(object, uint32_t, header_length, 8) \
    X(object, uint32_t, name_index, 12) \
    X(object, uint32_t, name_title, 16) \
    X(object, uint32_t, help_index, 20) \
    X(object, uint32_t, help_title, 24) \
    X(object, uint32_t, detail_level, 28) \
    X(object, uint32_t, num_counters, 32) \
    X(object, int32_t, default_counter, 36) \
    X(object, int32_t, num_instances, 40) \
    X(object, uint32_t, code_page, 44) \
    X(object, uint64_t, perf_time, 48) \
    X(object, uint64_t, perf_freq, 56)
#define PERF_COUNTER_DEFINITION_MEMBERS(X) \
    X(counter, uint32_t, byte_length, 0) \
    X(counter, uint32_t, name_index, 4) \
    X(counter, uint32_t, name_title, 8) \
    X(counter, uint32_t, help_index, 12) \
    X(counter, uint32_t, help_title, 16) \
    X(counter, int32_t, default_scale, 20) \
    X(counter, uint32_t, detail_level, 24) \
    X(counter, uint32_t, counter_size, 32) \
    X(counter, uint32_t, counter_offset, 36)
#define PERF_INSTANCE_DEFINITION_MEMBERS(X) \
    X(instance, uint32_t, byte_length, 0) \
    X(instance, uint32_t, parent_object, 4) \
    X(instance, uint32_t, parent_instance, 8) \
    X(instance, int32_t, unique_id, 12) \
    X(instance, uint32_t, name_offset, 16) \
    X(instance, uint32_t, name_length, 20)
#define PERFDATA_MEMBER(structure, type, name, ...) type name;
#define PERFDATA_MEMBER_AT(structure, type, name, at, ...) AT_##structure##_##name = (at),
/* clang-format on */

/* Where they stand in their structures. */
enum perfdata_member_at {
    PERF_DATA_BLOCK_MEMBERS(PERFDATA_MEMBER_AT) PERF_OBJECT_TYPE_MEMBERS(PERFDATA_MEMBER_AT)
        PERF_COUNTER_DEFINITION_MEMBERS(PERFDATA_MEMBER_AT) PERF_INSTANCE_DEFINITION_MEMBERS(PERFDATA_MEMBER_AT)
};

enum perfdata_problem_kind {
    PERFDATA_BAD_LENGTH,         /* a length, offset or count that can't be true */
    PERFDATA_SHORT_BLOCK,        /* the block claims more bytes than the value has: the server cut it */
    PERFDATA_TRAILING_BYTES,     /* bytes behind the last structure */
    PERFDATA_HEADER_LEFT_OUT,    /* TotalByteLength without the header, as Samba counts it */
    PERFDATA_BIG_ENDIAN,         /* the signature is, so the block is taken to be */
    PERFDATA_BYTE_ORDER,         /* LittleEndian says something else than the signature */
    PERFDATA_VERSION,            /* not version 1, revision 1 */
    PERFDATA_WIDE_DWORD,         /* a DWORD type with a CounterSize of 8 */
    PERFDATA_SHORT_COUNTER_BLOCK /* values behind the counter block's ByteLength, within the object */
};

/* Something to tell about a structure. */
struct perfdata_problem {
    struct perfdata_problem *next;
    enum perfdata_problem_kind kind;
    unsigned offset, size; /* the bytes that it is about, which need not be captured */
    const char *text;      /* names structure and member, with both values */
};

/* How the bytes of a counter are read. */
enum perfdata_form {
    PERFDATA_NUMBER,  /* width bytes */
    PERFDATA_TEXT,    /* counter_size bytes of text */
    PERFDATA_NOTHING, /* a zero-length type */
    PERFDATA_BYTES    /* any other size: no number */
};

struct perfdata_counter {
    PERF_COUNTER_DEFINITION_MEMBERS(PERFDATA_MEMBER)
    unsigned offset;
    uint32_t counter_type;
    enum perfdata_form form;
    uint8_t width; /* of a number: 4 or 8 */
    struct perfdata_problem *problems;
};

/*
 * An instance with its counter block, or the only counter block of an object without instances. parent_object 0: it has
 * no parent.
 */
struct perfdata_instance {
    PERF_INSTANCE_DEFINITION_MEMBERS(PERFDATA_MEMBER)
    unsigned offset;     /* of PERF_INSTANCE_DEFINITION; of the counter block where there is none */
    unsigned name_start; /* the name within the block, made to fit; */
    unsigned name_size;  /* bytes without terminator */
    bool has_block;      /* a counter block follows */
    unsigned block_offset;
    uint32_t block_length; /* PERF_COUNTER_BLOCK.ByteLength as sent */
    unsigned block_size;   /* bytes of it that are really there */
    struct perfdata_problem *problems;
};

/* code_page 0: instance names are in UTF-16. */
struct perfdata_object {
    PERF_OBJECT_TYPE_MEMBERS(PERFDATA_MEMBER)
    unsigned offset;
    unsigned size; /* bytes of the object that are there, at most total_byte_length */
    struct perfdata_counter *counters;
    unsigned counters_read;
    struct perfdata_instance *instances;
    unsigned instances_read; /* 1 for the only block of an object without instances */
    struct perfdata_problem *problems;
};

struct perfdata_block {
    PERF_DATA_BLOCK_MEMBERS(PERFDATA_MEMBER)
    const uint8_t *data;
    unsigned captured; /* bytes we have */
    unsigned size;     /* bytes the value had; more than captured where the snap length cut it */
    bool big_endian;
    bool incomplete;     /* not all the objects it announces are in it: no sample */
    bool cut_by_capture; /* reading stopped at the snap length; nothing is wrong with the block */
    bool header_only;    /* what Windows sends where the client's buffer is too small: no sample */
    uint16_t system_time[8];
    uint64_t perf_time_100ns;
    unsigned name_start; /* system name, made to fit */
    unsigned name_size;  /* bytes without terminator */
    struct perfdata_object *objects;
    unsigned objects_read;
    wmem_map_t *by_index; /* title index -> the first object of it that has instances */
    unsigned end;         /* behind the last structure */
    struct perfdata_problem *problems;
};

/* Whether size bytes begin with "PERF" in UTF-16, in either byte order. */
bool perfdata_has_signature(const uint8_t *data, size_t size);
/*
 * Whether a value of size bytes, of which captured are at data, begins with a whole header that makes sense: version,
 * byte order, lengths, time and frequency. Text that begins with "PERF" does not.
 */
bool perfdata_has_header(const uint8_t *data, unsigned captured, unsigned size);

/*
 * Reads a block of size bytes of which captured (at most size) are at data; data has to live as
 * long as the result, which is made in scope. Returns NULL only where the signature is missing.
 * Time and memory are linear in captured; what is inconsistent is noted in problems and
 * read as far as it can be.
 */
struct perfdata_block *perfdata_block_read(wmem_allocator_t *scope, const uint8_t *data, unsigned captured,
    unsigned size);

/*
 * A counter's number in an instance's counter block. False where the block does not hold it or
 * the counter is no number. counter and instance are of the same object of block.
 */
bool perfdata_block_number(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_counter *counter, uint64_t *value);

/*
 * Where a counter's bytes are. False where the counter block does not hold them all;
 * *offset and *size then are what there is (size may be 0).
 */
bool perfdata_block_place(const struct perfdata_instance *instance, const struct perfdata_counter *counter,
    unsigned *offset, unsigned *size);

/* Captured bytes of at most room at offset before the first NUL character of width bytes. */
unsigned perfdata_block_text_size(const struct perfdata_block *block, unsigned offset, unsigned room, unsigned width);

/* The second number of a PERF_MULTI_COUNTER type: a DWORD right behind the counter's 8 bytes. */
bool perfdata_block_multi(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_counter *counter, uint64_t *value);

/* The position of the base of counter i: the next counter, where its type is a base. -1: none. */
int perfdata_object_base(const struct perfdata_object *object, unsigned i);

/* The parent of an instance, which may stand before or behind it; NULL where there is none. */
const struct perfdata_instance *perfdata_block_parent(const struct perfdata_block *block,
    const struct perfdata_instance *instance, const struct perfdata_object **object);

/* How many values a block holds. */
unsigned perfdata_block_values(const struct perfdata_block *block);

#endif /* PERFLIB_PERFDATA_BLOCKS_H */
