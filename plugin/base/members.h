/* members.h
 * Structures made of a table of their members: X(structure, type, name, offset), with one macro for each use of a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_MEMBERS_H
#define PERFLIB_BASE_MEMBERS_H

#include "compat.h"

#include "base/bytes.h"

/* clang-format off */
/* Declares a member of a structure. */
#define MEMBER_DECLARE(structure, type, name, at) type name;
/* Defines the offset of a member in its structure, AT_structure_name, in an enumeration. */
#define MEMBER_AT(structure, type, name, at) AT_##structure##_##name = (at),
#define MEMBER_READ(structure, type, name, at) \
    to->name = (type)(sizeof(type) == 8 ? bytes_uint64(bytes + (at), is_big_endian) \
                                        : bytes_uint32(bytes + (at), is_big_endian));
/* Defines a function that reads the members of a structure from its first byte on. */
#define MEMBERS_READER(function, structure, members) \
    static inline void \
    function(const uint8_t *bytes, bool is_big_endian, struct structure *to) \
    { \
        members(MEMBER_READ) \
    }
/* clang-format on */

#endif /* PERFLIB_BASE_MEMBERS_H */
