/* blocks.h
 * Parses PERF_DATA_BLOCK, the answer to a query of HKEY_PERFORMANCE_DATA
 *
 * winperf.h; "Performance Data Format" (Microsoft Learn). The parser makes structures from bytes and notes problems;
 * it adds no items and does not know packets. All offsets count from the start of the block.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_BLOCKS_H
#define PERFLIB_PERFDATA_BLOCKS_H

#include "compat.h"

#include <stddef.h>

#include "base/members.h"

/* Offset and size of the second number of a PERF_MULTI_COUNTER type; the first number has 8 bytes */
#define PERF_SECOND_NUMBER_AT   8u
#define PERF_SECOND_NUMBER_SIZE 4u

/* Special values of PERF_OBJECT_TYPE.NumInstances */
#define PERF_NO_INSTANCES                (-1)
#define PERF_METADATA_MULTIPLE_INSTANCES (-2)
#define PERF_METADATA_NO_INSTANCES       (-3)

/* PERF_INSTANCE_DEFINITION.UniqueID of instances that are told apart by name */
#define PERF_NO_UNIQUE_ID (-1)

/*
 * Members of the structures, except the block's signature: X(structure, type, name, offset). The tables generate the
 * structures below, their reader in blocks.c, and the places of items and problems.
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
    X(block, systemtime, system_time, 36) \
    X(block, uint64_t, perf_time, 56) \
    X(block, uint64_t, perf_freq, 64) \
    X(block, uint64_t, perf_time_100ns, 72) \
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
    X(counter, uint32_t, counter_type, 28) \
    X(counter, uint32_t, counter_size, 32) \
    X(counter, uint32_t, counter_offset, 36)
#define PERF_INSTANCE_DEFINITION_MEMBERS(X) \
    X(instance, uint32_t, byte_length, 0) \
    X(instance, uint32_t, parent_object, 4) \
    X(instance, uint32_t, parent_instance, 8) \
    X(instance, int32_t, unique_id, 12) \
    X(instance, uint32_t, name_offset, 16) \
    X(instance, uint32_t, name_length, 20)
enum {
    PERF_DATA_BLOCK_MEMBERS(MEMBER_PLACE)
    PERF_OBJECT_TYPE_MEMBERS(MEMBER_PLACE)
    PERF_COUNTER_DEFINITION_MEMBERS(MEMBER_PLACE)
    PERF_INSTANCE_DEFINITION_MEMBERS(MEMBER_PLACE)
};

/* Sizes of the structures' fixed parts. A reader must advance by the lengths in them. */
enum {
    PERF_DATA_BLOCK_SIZE = AT_block_system_name_offset + SIZE_block_system_name_offset,
    PERF_OBJECT_TYPE_SIZE = 0 PERF_OBJECT_TYPE_MEMBERS(MEMBER_ADD_SIZE),
    PERF_COUNTER_DEFINITION_SIZE = 0 PERF_COUNTER_DEFINITION_MEMBERS(MEMBER_ADD_SIZE),
    PERF_INSTANCE_DEFINITION_SIZE = 0 PERF_INSTANCE_DEFINITION_MEMBERS(MEMBER_ADD_SIZE),
    PERF_COUNTER_BLOCK_SIZE = 4,
};
/* clang-format on */

enum perfdata_problem_kind {
    PERFDATA_BAD_LENGTH,         /* an impossible length, offset or count */
    PERFDATA_SHORT_BLOCK,        /* the block announces more bytes than the value has: the server cut it */
    PERFDATA_TRAILING_BYTES,     /* bytes after the last structure */
    PERFDATA_HEADER_LEFT_OUT,    /* TotalByteLength excludes the header, as in Samba */
    PERFDATA_BIG_ENDIAN,         /* the signature is big-endian, so the block is read as such */
    PERFDATA_BYTE_ORDER,         /* LittleEndian contradicts the signature */
    PERFDATA_VERSION,            /* not version 1, revision 1 */
    PERFDATA_WIDE_DWORD,         /* a DWORD type with CounterSize 8 */
    PERFDATA_SHORT_COUNTER_BLOCK /* values after the counter block's ByteLength, but within the object */
};

/* A problem of a structure */
struct perfdata_problem {
    struct perfdata_problem *next;
    enum perfdata_problem_kind kind;
    unsigned offset, size; /* affected bytes, not necessarily captured */
    const char *text;      /* expert text, for example "PERF_COUNTER_DEFINITION.ByteLength is 8: outside 40..96" */
};

/* How a counter's bytes are read */
enum perfdata_form {
    PERFDATA_NUMBER,  /* number of `width` bytes */
    PERFDATA_TEXT,    /* text of counter_size bytes */
    PERFDATA_NOTHING, /* no data: a zero-length type */
    PERFDATA_BYTES    /* any other size: bytes, no number */
};

struct perfdata_counter {
    PERF_COUNTER_DEFINITION_MEMBERS(MEMBER_DECLARE)
    unsigned offset;
    enum perfdata_form form;
    uint8_t width; /* size of a number: 4 or 8 */
    struct perfdata_problem *problems;
};

/*
 * An instance with its counter block, or the only counter block of an object without instances. parent_object 0: no
 * parent.
 */
struct perfdata_instance {
    PERF_INSTANCE_DEFINITION_MEMBERS(MEMBER_DECLARE)
    unsigned offset;     /* offset of PERF_INSTANCE_DEFINITION, or of the counter block if there is none */
    unsigned name_start; /* offset of the name; a name never exceeds the block */
    unsigned name_size;  /* size in bytes without terminator */
    bool has_block;      /* a counter block follows */
    unsigned block_offset;
    uint32_t block_length; /* PERF_COUNTER_BLOCK.ByteLength as sent */
    unsigned block_size;   /* bytes of the counter block that are present */
    struct perfdata_problem *problems;
};

/* An object. code_page 0: instance names are UTF-16. */
struct perfdata_object {
    PERF_OBJECT_TYPE_MEMBERS(MEMBER_DECLARE)
    unsigned offset;
    unsigned size; /* bytes of the object that are present, at most total_byte_length */
    struct perfdata_counter *counters;
    unsigned counters_read;
    struct perfdata_instance *instances;
    unsigned instances_read; /* 1 for the only block of an object without instances */
    struct perfdata_problem *problems;
};

struct perfdata_block {
    PERF_DATA_BLOCK_MEMBERS(MEMBER_DECLARE)
    const uint8_t *data;
    unsigned captured; /* number of bytes of the value that were captured */
    unsigned size;     /* size of the value; larger than captured if the snap length cut it */
    bool big_endian;
    bool incomplete;     /* announced objects are missing: not a sample */
    bool cut_by_capture; /* reading stopped at the snap length; nothing is wrong with the block */
    bool header_only;    /* only a header, as Windows sends if the client's buffer is too small: not a sample */
    unsigned name_start; /* offset of the system name; a name never exceeds the block */
    unsigned name_size;  /* size in bytes without terminator */
    struct perfdata_object *objects;
    unsigned objects_read;
    wmem_map_t *by_index; /* title index -> first object with it that has instances */
    unsigned end;         /* end of the last structure */
    struct perfdata_problem *problems;
};

/* Returns whether the data begin with "PERF" in UTF-16, in either byte order. */
bool perfdata_has_signature(const uint8_t *data, size_t size);
/*
 * Returns whether a value of size bytes begins with a complete and plausible header: version, byte order, lengths, time
 * and frequency. Text that begins with "PERF" does not. captured: number of bytes at data.
 */
bool perfdata_has_header(const uint8_t *data, unsigned captured, unsigned size);

/*
 * Reads a block of size bytes, of which captured are at data. data must live as long as the result, which is in scope.
 * Returns NULL only if the signature is missing. Time and memory are linear in captured. Inconsistent parts are noted
 * in problems and read as far as possible.
 */
struct perfdata_block *perfdata_block_read(wmem_allocator_t *scope, const uint8_t *data, unsigned captured,
    unsigned size);

/*
 * Reads a counter's number from an instance's counter block. Returns false if the block does not contain it or the
 * counter is no number. Counter and instance must belong to the same object.
 */
bool perfdata_block_number(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_counter *counter, uint64_t *value);

/*
 * Locates a counter's bytes. Returns false if the counter block does not contain all of them; *offset and *size are
 * then the part that is present (size may be 0).
 */
bool perfdata_block_bytes(const struct perfdata_instance *instance, const struct perfdata_counter *counter,
    unsigned *offset, unsigned *size);

/* Returns the number of captured bytes at offset, at most room, before the first NUL character of width bytes. */
unsigned perfdata_block_text_size(const struct perfdata_block *block, unsigned offset, unsigned room, unsigned width);

/* Reads the second number of a PERF_MULTI_COUNTER type: a DWORD after the counter's 8 bytes. */
bool perfdata_block_multi(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_counter *counter, uint64_t *value);

/* Returns the index of the base of counter i: the next counter, if that has a base type; -1: none. */
int perfdata_object_base(const struct perfdata_object *object, unsigned i);

/* Returns the parent of an instance, at any position in the block, or NULL. *object receives the parent's object. */
const struct perfdata_instance *perfdata_block_parent(const struct perfdata_block *block,
    const struct perfdata_instance *instance, const struct perfdata_object **object);

unsigned perfdata_block_values(const struct perfdata_block *block);

#endif /* PERFLIB_PERFDATA_BLOCKS_H */
