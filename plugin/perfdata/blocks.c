/* blocks.c
 * Parses PERF_DATA_BLOCK, the answer to a query of HKEY_PERFORMANCE_DATA
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/blocks.h"

#include <stdarg.h>

#include "cook/counter-types.h"

#define TYPE_SIZE_DWORD   0x00000000u
#define TYPE_SIZE_LARGE   0x00000100u
#define TYPE_SIZE_ZERO    0x00000200u
#define TYPE_KIND_COUNTER 0x00000400u
#define TYPE_SUBTYPE_BASE 0x00030000u

static const uint8_t signature_le[8] = { 'P', 0, 'E', 0, 'R', 0, 'F', 0 };
static const uint8_t signature_be[8] = { 0, 'P', 0, 'E', 0, 'R', 0, 'F' };

struct perfdata_block_reader {
    wmem_allocator_t *scope;
    struct perfdata_block *block;
    /* maximum number of values still to read, so that time and memory are linear in the size of the block */
    unsigned values_left;
};

static uint32_t
get32(const struct perfdata_block *block, unsigned offset)
{
    return bytes_uint32(block->data + offset, block->big_endian);
}

static uint64_t
get64(const struct perfdata_block *block, unsigned offset)
{
    return bytes_uint64(block->data + offset, block->big_endian);
}

MEMBERS_READER(read_block_members, perfdata_block, PERF_DATA_BLOCK_MEMBERS)
MEMBERS_READER(read_object_members, perfdata_object, PERF_OBJECT_TYPE_MEMBERS)
MEMBERS_READER(read_counter_members, perfdata_counter, PERF_COUNTER_DEFINITION_MEMBERS)
MEMBERS_READER(read_instance_members, perfdata_instance, PERF_INSTANCE_DEFINITION_MEMBERS)

static void G_GNUC_PRINTF(6, 7) problem(struct perfdata_block_reader *r, struct perfdata_problem **list,
    enum perfdata_problem_kind kind, unsigned offset, unsigned size, const char *format, ...)
{
    struct perfdata_problem *p = wmem_new(r->scope, struct perfdata_problem);
    va_list ap;

    va_start(ap, format);
    p->text = wmem_strdup_vprintf(r->scope, format, ap);
    va_end(ap);
    p->kind = kind;
    p->offset = offset;
    p->size = size;
    p->next = NULL;
    while (*list != NULL) {
        list = &(*list)->next;
    }
    *list = p;
}

/*
 * Returns whether need bytes at offset lie before limit and were captured. If they were only not captured, sets
 * cut_by_capture: that is not the sender's fault.
 */
static bool
perfdata_block_has(struct perfdata_block_reader *r, unsigned offset, unsigned need, unsigned limit)
{
    if (offset > limit || limit - offset < need) {
        return false;
    }
    if (offset + need > r->block->captured) {
        r->block->cut_by_capture = true;
        return false;
    }
    return true;
}

unsigned
perfdata_block_text_size(const struct perfdata_block *block, unsigned offset, unsigned room, unsigned width)
{
    room = MIN(room, block->captured > offset ? block->captured - offset : 0);
    for (unsigned i = 0; i + width <= room; i += width) {
        if (block->data[offset + i] == 0 && (width == 1 || block->data[offset + i + 1] == 0)) {
            return i;
        }
    }
    return room / width * width;
}

bool
perfdata_has_signature(const uint8_t *data, size_t size)
{
    return size >= sizeof signature_le &&
        (memcmp(data, signature_le, sizeof signature_le) == 0 || memcmp(data, signature_be, sizeof signature_be) == 0);
}

static bool
is_base(const struct perfdata_counter *counter)
{
    return (counter->counter_type & PERF_TYPE_KIND_MASK) == TYPE_KIND_COUNTER &&
        (counter->counter_type & PERF_TYPE_SUBTYPE_MASK) == TYPE_SUBTYPE_BASE;
}

static void
choose_form(struct perfdata_block_reader *r, struct perfdata_counter *c)
{
    const uint32_t type_size = c->counter_type & PERF_TYPE_SIZE_MASK;

    if (type_size == TYPE_SIZE_ZERO) {
        c->form = PERFDATA_NOTHING;
    } else if ((c->counter_type & PERF_TYPE_KIND_MASK) == PERF_TYPE_KIND_TEXT) {
        c->form = PERFDATA_TEXT;
    } else if (type_size == TYPE_SIZE_DWORD && c->counter_size == 8) {
        /* 64-bit Samba sends 8 bytes for a DWORD type; the value is in the low half. */
        c->form = PERFDATA_NUMBER;
        c->width = 4;
        problem(r, &c->problems, PERFDATA_WIDE_DWORD, c->offset + MEMBER(counter, counter_size),
            "CounterSize is 8, but type 0x%08x is a DWORD: only the low 4 bytes are used", c->counter_type);
    } else if (c->counter_size == 4 || c->counter_size == 8) {
        c->form = PERFDATA_NUMBER;
        c->width = (uint8_t)c->counter_size;
    } else if ((c->counter_type & PERF_TYPE_MULTI_COUNTER) != 0 && type_size == TYPE_SIZE_LARGE &&
        c->counter_size == 12) {
        c->form = PERFDATA_NUMBER;
        c->width = 8;
    } else {
        c->form = PERFDATA_BYTES;
    }
}

static void
read_counters(struct perfdata_block_reader *r, struct perfdata_object *o)
{
    const struct perfdata_block *b = r->block;
    const unsigned limit = o->offset + o->size;
    unsigned offset = o->header_length;

    if (o->header_length < PERF_OBJECT_TYPE_SIZE || o->header_length > o->size) {
        problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, header_length),
            "PERF_OBJECT_TYPE.HeaderLength is %u, outside 64..%u: 64 is used instead", o->header_length, o->size);
        offset = PERF_OBJECT_TYPE_SIZE;
    }
    offset += o->offset;
    /* Limit by the available bytes: NumCounters may be wrong. */
    o->counters = wmem_alloc0_array(r->scope, struct perfdata_counter,
        MIN(o->num_counters, (limit - o->offset) / PERF_COUNTER_DEFINITION_SIZE + 1));
    while (o->counters_read < o->num_counters) {
        struct perfdata_counter *c = &o->counters[o->counters_read];

        if (!perfdata_block_has(r, offset, PERF_COUNTER_DEFINITION_SIZE, limit)) {
            if (!b->cut_by_capture) {
                problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, num_counters),
                    "PERF_OBJECT_TYPE.NumCounters is %u, but the object has only %u definitions", o->num_counters,
                    o->counters_read);
            }
            return;
        }
        c->offset = offset;
        read_counter_members(b->data + offset, b->big_endian, c);
        choose_form(r, c);
        if (c->counter_offset < PERF_COUNTER_BLOCK_SIZE && c->form != PERFDATA_NOTHING) {
            problem(r, &c->problems, PERFDATA_BAD_LENGTH, offset + MEMBER(counter, counter_offset),
                "PERF_COUNTER_DEFINITION.CounterOffset is %u, which is where the block's ByteLength is",
                c->counter_offset);
        }
        o->counters_read++;
        if (c->byte_length < PERF_COUNTER_DEFINITION_SIZE || c->byte_length > limit - offset) {
            problem(r, &c->problems, PERFDATA_BAD_LENGTH, offset + MEMBER(counter, byte_length),
                "PERF_COUNTER_DEFINITION.ByteLength is %u: outside 40..%u%s", c->byte_length, limit - offset,
                o->counters_read < o->num_counters ? "; later definitions cannot be found" : "");
            return;
        }
        offset += c->byte_length;
    }
    if (offset - o->offset > o->definition_length) {
        problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, definition_length),
            "PERF_OBJECT_TYPE.DefinitionLength is %u, but the counter definitions end at %u", o->definition_length,
            offset - o->offset);
    }
}

/* Returns the largest end offset of a counter that fits into a counter block of this size. */
static unsigned
end_of_values(const struct perfdata_object *o, unsigned room)
{
    unsigned end = 0;

    for (unsigned i = 0; i < o->counters_read; i++) {
        const struct perfdata_counter *c = &o->counters[i];
        const bool is_multi = (c->counter_type & PERF_TYPE_MULTI_COUNTER) != 0 && !is_base(c) && c->width == 8;
        /* A second number follows the first, unless the next counter is the base of this one. */
        const bool has_second = is_multi && perfdata_object_base(o, i) < 0;
        const uint64_t ends[] = { (uint64_t)c->counter_offset + c->counter_size,
            has_second ? (uint64_t)c->counter_offset + PERF_SECOND_NUMBER_AT + PERF_SECOND_NUMBER_SIZE : 0 };

        for (unsigned e = 0; e < 2 && c->form != PERFDATA_NOTHING; e++) {
            if (ends[e] > end && ends[e] <= room) {
                end = (unsigned)ends[e];
            }
        }
    }
    return end;
}

/*
 * Extends the last counter block of an object. Some Windows versions send too small a ByteLength, although the values
 * after it, up to the object's end, are valid.
 */
static void
stretch_last_block(struct perfdata_block_reader *r, const struct perfdata_object *o, struct perfdata_instance *in,
    unsigned limit)
{
    const unsigned end = end_of_values(o, limit - in->block_offset);

    if (end > in->block_size) {
        problem(r, &in->problems, PERFDATA_SHORT_COUNTER_BLOCK, in->block_offset, PERF_COUNTER_BLOCK_SIZE,
            "PERF_COUNTER_BLOCK.ByteLength is %u, but the values end at %u, within the object: the values are used",
            in->block_length, end);
        in->block_size = end;
    }
}

/* Reads a counter block. is_last: no other instance follows. Returns its end; 0 if unknown. */
static unsigned
read_counter_block(struct perfdata_block_reader *r, const struct perfdata_object *o, struct perfdata_instance *in,
    unsigned offset, bool is_last)
{
    const unsigned limit = o->offset + o->size;
    unsigned end = 0;

    if (!perfdata_block_has(r, offset, PERF_COUNTER_BLOCK_SIZE, limit)) {
        if (!r->block->cut_by_capture) {
            problem(r, &in->problems, PERFDATA_BAD_LENGTH, offset, limit - offset,
                "no room for PERF_COUNTER_BLOCK at offset %u", offset);
        }
        return 0;
    }
    in->has_block = true;
    in->block_offset = offset;
    in->block_length = get32(r->block, offset);
    in->block_size = MIN(in->block_length, limit - offset);
    if (in->block_length < PERF_COUNTER_BLOCK_SIZE || in->block_length > limit - offset) {
        problem(r, &in->problems, PERFDATA_BAD_LENGTH, offset, PERF_COUNTER_BLOCK_SIZE,
            "PERF_COUNTER_BLOCK.ByteLength is %u: outside 4..%u", in->block_length, limit - offset);
        in->block_size = MAX(in->block_size, PERF_COUNTER_BLOCK_SIZE);
    } else {
        end = offset + in->block_length;
        if (is_last) {
            stretch_last_block(r, o, in, limit);
        }
    }
    if (offset + in->block_size > r->block->captured) {
        r->block->cut_by_capture = true;
    }
    return end;
}

static void
read_name(struct perfdata_block_reader *r, const struct perfdata_object *o, struct perfdata_instance *in, unsigned room)
{
    unsigned size = in->name_length;

    if (in->name_length == 0) {
        return;
    }
    if (in->name_offset < PERF_INSTANCE_DEFINITION_SIZE || in->name_offset > room) {
        problem(r, &in->problems, PERFDATA_BAD_LENGTH, in->offset + MEMBER(instance, name_offset),
            "PERF_INSTANCE_DEFINITION.NameOffset is %u: outside 24..%u", in->name_offset, room);
        return;
    }
    if (in->name_length > room - in->name_offset) {
        size = room - in->name_offset;
        problem(r, &in->problems, PERFDATA_BAD_LENGTH, in->offset + MEMBER(instance, name_length),
            "PERF_INSTANCE_DEFINITION.NameLength is %u: only %u bytes are left in it", in->name_length, size);
    }
    in->name_start = in->offset + in->name_offset;
    in->name_size = perfdata_block_text_size(r->block, in->name_start, size, o->code_page == 0 ? 2 : 1);
}

/* Reads an instance. Returns the start of the next one; 0 if unknown. */
static unsigned
perfdata_block_read_instance(struct perfdata_block_reader *r, struct perfdata_object *o, struct perfdata_instance *in,
    unsigned offset, bool is_last)
{
    const struct perfdata_block *b = r->block;
    const unsigned limit = o->offset + o->size;
    unsigned room;

    in->offset = offset;
    read_instance_members(b->data + offset, b->big_endian, in);
    room = MIN(in->byte_length, limit - offset);
    read_name(r, o, in, MAX(room, PERF_INSTANCE_DEFINITION_SIZE));
    if (in->byte_length < PERF_INSTANCE_DEFINITION_SIZE || in->byte_length > limit - offset) {
        problem(r, &in->problems, PERFDATA_BAD_LENGTH, offset + MEMBER(instance, byte_length),
            "PERF_INSTANCE_DEFINITION.ByteLength is %u: outside 24..%u", in->byte_length, limit - offset);
        return 0;
    }
    return read_counter_block(r, o, in, offset + in->byte_length, is_last);
}

static bool
take_values(struct perfdata_block_reader *r, struct perfdata_object *o)
{
    if (o->counters_read > r->values_left) {
        problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, num_instances),
            "The block has no room for all counters of all instances: instance %u and later ones are left out",
            o->instances_read);
        return false;
    }
    r->values_left -= o->counters_read;
    return true;
}

static void
read_instances(struct perfdata_block_reader *r, struct perfdata_object *o)
{
    const unsigned limit = o->offset + o->size;
    unsigned offset = o->offset + o->definition_length;
    unsigned most;

    if (o->num_instances < PERF_METADATA_NO_INSTANCES) {
        problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, num_instances),
            "PERF_OBJECT_TYPE.NumInstances is %d", o->num_instances);
    }
    if (o->definition_length < PERF_OBJECT_TYPE_SIZE || o->definition_length > o->size) {
        if (!r->block->cut_by_capture) {
            problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, definition_length),
                "PERF_OBJECT_TYPE.DefinitionLength is %u, outside 64..%u: the rest cannot be found",
                o->definition_length, o->size);
        }
        return;
    }
    if (o->num_instances == PERF_NO_INSTANCES ||
        (o->num_instances == PERF_METADATA_NO_INSTANCES && limit - offset >= PERF_COUNTER_BLOCK_SIZE)) {
        if (take_values(r, o)) {
            o->instances = wmem_new0(r->scope, struct perfdata_instance);
            o->instances[0].offset = offset;
            o->instances[0].unique_id = PERF_NO_UNIQUE_ID;
            o->instances_read = 1;
            read_counter_block(r, o, &o->instances[0], offset, true);
        }
        return;
    }
    if (o->num_instances <= 0) {
        return;
    }
    /* An instance needs at least its fixed part and the length of a counter block. */
    most = (limit - offset) / (PERF_INSTANCE_DEFINITION_SIZE + PERF_COUNTER_BLOCK_SIZE) + 1;
    most = MIN(most, (unsigned)o->num_instances);
    o->instances = wmem_alloc0_array(r->scope, struct perfdata_instance, most);
    while (o->instances_read < (unsigned)o->num_instances) {
        if (!perfdata_block_has(r, offset, PERF_INSTANCE_DEFINITION_SIZE, limit)) {
            if (!r->block->cut_by_capture) {
                problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, num_instances),
                    "PERF_OBJECT_TYPE.NumInstances is %d, but the object has only %u", o->num_instances,
                    o->instances_read);
            }
            return;
        }
        if (!take_values(r, o)) {
            return;
        }
        offset = perfdata_block_read_instance(r, o, &o->instances[o->instances_read], offset,
            o->instances_read + 1 == (unsigned)o->num_instances);
        o->instances_read++;
        if (offset == 0) {
            if (o->instances_read < (unsigned)o->num_instances && !r->block->cut_by_capture) {
                problem(r, &o->problems, PERFDATA_BAD_LENGTH, o->offset + MEMBER(object, num_instances),
                    "only %u of %d instances can be found", o->instances_read, o->num_instances);
            }
            return;
        }
    }
}

/* Reads an object. Returns the start of the next one; 0 if unknown. */
static unsigned
perfdata_block_read_object(struct perfdata_block_reader *r, struct perfdata_object *o, unsigned offset)
{
    struct perfdata_block *b = r->block;
    const unsigned left = b->size - offset;

    o->offset = offset;
    read_object_members(b->data + offset, b->big_endian, o);
    o->size = MIN(o->total_byte_length, left);

    if (o->total_byte_length > left) {
        problem(r, &o->problems, PERFDATA_SHORT_BLOCK, offset + MEMBER(object, total_byte_length),
            "PERF_OBJECT_TYPE.TotalByteLength is %u, but the value ends after %u bytes", o->total_byte_length, left);
        b->incomplete = true;
    } else if (o->total_byte_length < PERF_OBJECT_TYPE_SIZE) {
        problem(r, &o->problems, PERFDATA_BAD_LENGTH, offset + MEMBER(object, total_byte_length),
            "PERF_OBJECT_TYPE.TotalByteLength is %u: less than its 64 bytes", o->total_byte_length);
        b->incomplete = true;
        o->size = left;
    }
    read_counters(r, o);
    read_instances(r, o);
    return o->total_byte_length < PERF_OBJECT_TYPE_SIZE || o->total_byte_length > left ? 0
                                                                                       : offset + o->total_byte_length;
}

static void
read_objects(struct perfdata_block_reader *r)
{
    struct perfdata_block *b = r->block;
    struct perfdata_object *o;
    unsigned offset = b->header_length;

    b->objects = wmem_alloc0_array(r->scope, struct perfdata_object,
        MIN(b->num_object_types, b->size / PERF_OBJECT_TYPE_SIZE + 1));
    b->by_index = wmem_map_new(r->scope, g_direct_hash, g_direct_equal);
    b->end = offset;
    while (b->objects_read < b->num_object_types) {
        if (!perfdata_block_has(r, offset, PERF_OBJECT_TYPE_SIZE, b->size)) {
            if (!b->cut_by_capture) {
                problem(r, &b->problems, PERFDATA_SHORT_BLOCK, MEMBER(block, num_object_types),
                    "PERF_DATA_BLOCK.NumObjectTypes is %u, but the block has only %u objects", b->num_object_types,
                    b->objects_read);
            }
            b->incomplete = true;
            return;
        }
        if (b->incomplete && get32(b, offset) == 0) {
            /* No further object: a server that cuts a block may fill the rest with zeros. */
            b->end = offset;
            return;
        }
        o = &b->objects[b->objects_read];
        offset = perfdata_block_read_object(r, o, offset);
        b->objects_read++;
        if (o->num_instances > 0 && !wmem_map_contains(b->by_index, GUINT_TO_POINTER(o->name_index))) {
            wmem_map_insert(b->by_index, GUINT_TO_POINTER(o->name_index), o);
        }
        if (offset == 0) {
            b->end = b->size;
            if (b->objects_read < b->num_object_types) {
                problem(r, &b->problems, PERFDATA_BAD_LENGTH, MEMBER(block, num_object_types),
                    "only %u of %u objects can be found", b->objects_read, b->num_object_types);
            }
            return;
        }
        b->end = offset;
    }
}

/* Compares the header's TotalByteLength with the size of the value, before the objects are read. */
static void
check_total(struct perfdata_block_reader *r)
{
    struct perfdata_block *b = r->block;

    if (b->header_only) {
        return;
    }
    if (b->total_byte_length != b->size && b->size - b->header_length == b->total_byte_length) {
        problem(r, &b->problems, PERFDATA_HEADER_LEFT_OUT, MEMBER(block, total_byte_length),
            "PERF_DATA_BLOCK.TotalByteLength is %u, but the value has %u bytes: the header is not counted, as in Samba",
            b->total_byte_length, b->size);
    } else if (b->total_byte_length > b->size) {
        problem(r, &b->problems, PERFDATA_SHORT_BLOCK, MEMBER(block, total_byte_length),
            "PERF_DATA_BLOCK.TotalByteLength is %u, but the value has %u bytes: the server truncated it",
            b->total_byte_length, b->size);
        b->incomplete = true;
    }
}

/* Compares the end of the objects with the header's TotalByteLength and the size of the value. */
static void
check_end(struct perfdata_block_reader *r)
{
    struct perfdata_block *b = r->block;

    if (b->incomplete || b->cut_by_capture || b->header_only) {
        return;
    }
    if (b->total_byte_length < b->end - b->header_length || (b->total_byte_length < b->end && b->end != b->size)) {
        problem(r, &b->problems, PERFDATA_BAD_LENGTH, MEMBER(block, total_byte_length),
            "PERF_DATA_BLOCK.TotalByteLength is %u, but its objects end at %u", b->total_byte_length, b->end);
    }
    if (b->end < b->size) {
        problem(r, &b->problems, PERFDATA_TRAILING_BYTES, b->end, b->size - b->end, "%u bytes follow the last object",
            b->size - b->end);
    }
}

bool
perfdata_has_header(const uint8_t *data, unsigned captured, unsigned size)
{
    struct perfdata_block b;
    bool is_big_endian;

    if (captured < PERF_DATA_BLOCK_SIZE || !perfdata_has_signature(data, captured)) {
        return false;
    }
    is_big_endian = data[0] == 0;
    read_block_members(data, is_big_endian, &b);
    return (b.little_endian == 0) == is_big_endian && b.version == 1 && b.revision == 1 &&
        b.header_length >= PERF_DATA_BLOCK_SIZE && b.header_length <= size &&
        (b.system_name_length == 0 ||
            (b.system_name_offset >= PERF_DATA_BLOCK_SIZE && b.system_name_offset <= b.header_length &&
                b.system_name_length <= b.header_length - b.system_name_offset)) &&
        b.system_time[1] - 1u < 12 && b.system_time[3] - 1u < 31 && b.system_time[4] < 24 && b.perf_freq != 0;
}

static void
perfdata_block_read_header(struct perfdata_block_reader *r)
{
    struct perfdata_block *b = r->block;

    read_block_members(b->data, b->big_endian, b);
    b->header_only = b->total_byte_length == 0 && b->num_object_types == 0;

    if (b->big_endian) {
        problem(r, &b->problems, PERFDATA_BIG_ENDIAN, 0, sizeof signature_be,
            "The signature is big-endian, so all numbers are read as big-endian");
    }
    if ((b->little_endian != 0) == b->big_endian) {
        problem(r, &b->problems, PERFDATA_BYTE_ORDER, MEMBER(block, little_endian),
            "PERF_DATA_BLOCK.LittleEndian is %u, but the signature is in %s-endian order", b->little_endian,
            b->big_endian ? "big" : "little");
    }
    if (b->version != 1 || b->revision != 1) {
        problem(r, &b->problems, PERFDATA_VERSION, AT_block_version, SIZE_block_version + SIZE_block_revision,
            "Version %u, Revision %u: only 1 and 1 are known", b->version, b->revision);
    }
    if (b->system_name_length != 0) {
        const unsigned room = b->system_name_offset > b->size ? 0 : b->size - b->system_name_offset;

        if (b->system_name_offset < PERF_DATA_BLOCK_SIZE || b->system_name_length > room) {
            problem(r, &b->problems, PERFDATA_BAD_LENGTH, AT_block_system_name_length,
                SIZE_block_system_name_length + SIZE_block_system_name_offset,
                "PERF_DATA_BLOCK.SystemNameOffset %u and SystemNameLength %u are outside the value's %u bytes",
                b->system_name_offset, b->system_name_length, b->size);
        }
        if (b->system_name_offset >= PERF_DATA_BLOCK_SIZE && room > 0) {
            b->name_start = b->system_name_offset;
            b->name_size = perfdata_block_text_size(b, b->name_start, MIN(b->system_name_length, room), 2);
        }
    }
}

struct perfdata_block *
perfdata_block_read(wmem_allocator_t *scope, const uint8_t *data, unsigned captured, unsigned size)
{
    struct perfdata_block *b;
    /* Read at most size / 2 values: a value has at least 4 bytes, and two values may share each of them. */
    struct perfdata_block_reader r = { scope, NULL, size / 2 };

    if (!perfdata_has_signature(data, captured)) {
        return NULL;
    }
    b = wmem_new0(scope, struct perfdata_block);
    b->data = data;
    b->captured = MIN(captured, size);
    b->size = size;
    b->big_endian = data[0] == 0;
    b->end = size;
    r.block = b;
    if (!perfdata_block_has(&r, 0, PERF_DATA_BLOCK_SIZE, size)) {
        b->incomplete = true;
        if (!b->cut_by_capture) {
            problem(&r, &b->problems, PERFDATA_SHORT_BLOCK, 0, size,
                "The value has %u bytes, less than the 88 of PERF_DATA_BLOCK: the server truncated it", size);
        }
        return b;
    }
    perfdata_block_read_header(&r);
    if (b->header_length < PERF_DATA_BLOCK_SIZE || b->header_length > size) {
        problem(&r, &b->problems, b->header_length > size ? PERFDATA_SHORT_BLOCK : PERFDATA_BAD_LENGTH,
            MEMBER(block, header_length), "PERF_DATA_BLOCK.HeaderLength is %u, outside 88..%u: objects cannot be found",
            b->header_length, size);
        b->incomplete = true;
        return b;
    }
    check_total(&r);
    read_objects(&r);
    check_end(&r);
    return b;
}

bool
perfdata_block_bytes(const struct perfdata_instance *instance, const struct perfdata_counter *counter, unsigned *offset,
    unsigned *size)
{
    const unsigned room =
        counter->counter_offset < instance->block_size ? instance->block_size - counter->counter_offset : 0;

    *offset = instance->block_offset + MIN(counter->counter_offset, instance->block_size);
    *size = MIN(counter->counter_size, room);
    return instance->has_block && counter->counter_offset >= PERF_COUNTER_BLOCK_SIZE && *size == counter->counter_size;
}

bool
perfdata_block_number(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_counter *counter, uint64_t *value)
{
    unsigned offset, size;

    if (counter->form != PERFDATA_NUMBER || !perfdata_block_bytes(instance, counter, &offset, &size) ||
        offset + size > block->captured) {
        return false;
    }
    if (counter->width == 8) {
        *value = get64(block, offset);
    } else if (size == 8) {
        *value = (uint32_t)get64(block, offset);
    } else {
        *value = get32(block, offset);
    }
    return true;
}

bool
perfdata_block_multi(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_counter *counter, uint64_t *value)
{
    const unsigned start = counter->counter_offset + PERF_SECOND_NUMBER_AT;

    if ((counter->counter_type & PERF_TYPE_MULTI_COUNTER) == 0 || is_base(counter) || counter->width != 8 ||
        !instance->has_block || counter->counter_offset > instance->block_size ||
        start + PERF_SECOND_NUMBER_SIZE > instance->block_size ||
        instance->block_offset + start + PERF_SECOND_NUMBER_SIZE > block->captured) {
        return false;
    }
    *value = get32(block, instance->block_offset + start);
    return true;
}

int
perfdata_object_base(const struct perfdata_object *object, unsigned i)
{
    return i + 1 < object->counters_read && is_base(&object->counters[i + 1]) ? (int)i + 1 : -1;
}

const struct perfdata_instance *
perfdata_block_parent(const struct perfdata_block *block, const struct perfdata_instance *instance,
    const struct perfdata_object **object)
{
    if (instance->parent_object == 0) {
        return NULL;
    }
    *object =
        (const struct perfdata_object *)wmem_map_lookup(block->by_index, GUINT_TO_POINTER(instance->parent_object));
    return *object != NULL && instance->parent_instance < (*object)->instances_read
        ? &(*object)->instances[instance->parent_instance]
        : NULL;
}

unsigned
perfdata_block_values(const struct perfdata_block *block)
{
    unsigned values = 0;

    for (unsigned o = 0; o < block->objects_read; o++) {
        values += block->objects[o].counters_read * block->objects[o].instances_read;
    }
    return values;
}
