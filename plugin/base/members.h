/* members.h
 * Structures that are defined by a table of their members, X(structure, type, name, offset), and macros to use as X
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_MEMBERS_H
#define PERFLIB_BASE_MEMBERS_H

#include "compat.h"

#include "base/bytes.h"

/* The eight numbers of a SYSTEMTIME, as a member's type */
typedef uint16_t systemtime[8];

static inline void
member_read_uint32_t(const uint8_t *bytes, bool is_big_endian, uint32_t *to)
{
    *to = bytes_uint32(bytes, is_big_endian);
}

static inline void
member_read_int32_t(const uint8_t *bytes, bool is_big_endian, int32_t *to)
{
    *to = (int32_t)bytes_uint32(bytes, is_big_endian);
}

static inline void
member_read_uint64_t(const uint8_t *bytes, bool is_big_endian, uint64_t *to)
{
    *to = bytes_uint64(bytes, is_big_endian);
}

static inline void
member_read_e_guid_t(const uint8_t *bytes, bool is_big_endian, e_guid_t *to)
{
    *to = bytes_guid(bytes, is_big_endian);
}

static inline void
member_read_systemtime(const uint8_t *bytes, bool is_big_endian, systemtime *to)
{
    for (unsigned i = 0; i < array_length(*to); i++) {
        (*to)[i] = bytes_uint16(bytes + i * sizeof(*to)[0], is_big_endian);
    }
}

/* clang-format off */
/* Declares a member of a structure. */
#define MEMBER_DECLARE(structure, type, name, at) type name;
/* Defines the offset and the size of a member, AT_structure_name and SIZE_structure_name, in an enumeration. */
#define MEMBER_PLACE(structure, type, name, at) \
    AT_##structure##_##name = (at), SIZE_##structure##_##name = sizeof(type),
/* For a function's arguments: a member's offset in its structure, and its size */
#define MEMBER(structure, name) AT_##structure##_##name, SIZE_##structure##_##name
/* For the size of a structure without gaps: "= 0 MEMBERS(MEMBER_ADD_SIZE)". */
#define MEMBER_ADD_SIZE(structure, type, name, at) + (int)sizeof(type)
#define MEMBER_READ(structure, type, name, at) member_read_##type(bytes + (at), is_big_endian, &to->name);
/* Defines a function that reads a structure's members; bytes: first byte of the structure. */
#define MEMBERS_READER(function, structure, members) \
    static inline void \
    function(const uint8_t *bytes, bool is_big_endian, struct structure *to) \
    { \
        members(MEMBER_READ) \
    }
/* clang-format on */

#endif /* PERFLIB_BASE_MEMBERS_H */
