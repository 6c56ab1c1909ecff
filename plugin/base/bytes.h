/* bytes.h
 * Numbers and GUIDs from bytes, in the sender's byte order, and numbers to bytes
 *
 * The caller has checked that the bytes exist. For a tvb use perflib_tvb_get_uint32() and others (compat.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_BYTES_H
#define PERFLIB_BASE_BYTES_H

#include "compat.h"

#include <string.h>

#include <glib.h>

#include <epan/guid-utils.h>

static inline uint16_t
bytes_uint16(const uint8_t *bytes, bool big_endian)
{
    uint16_t value;

    memcpy(&value, bytes, sizeof value);
    return big_endian ? GUINT16_FROM_BE(value) : GUINT16_FROM_LE(value);
}

static inline uint32_t
bytes_uint32(const uint8_t *bytes, bool big_endian)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return big_endian ? GUINT32_FROM_BE(value) : GUINT32_FROM_LE(value);
}

static inline uint64_t
bytes_uint64(const uint8_t *bytes, bool big_endian)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return big_endian ? GUINT64_FROM_BE(value) : GUINT64_FROM_LE(value);
}

static inline e_guid_t
bytes_guid(const uint8_t *bytes, bool big_endian)
{
    e_guid_t guid = { bytes_uint32(bytes, big_endian), bytes_uint16(bytes + 4, big_endian),
        bytes_uint16(bytes + 6, big_endian), { 0 } };

    memcpy(guid.data4, bytes + 8, sizeof guid.data4);
    return guid;
}

/* Writes the lowest `size` bytes of a number, in little-endian. */
static inline void
bytes_put(uint8_t *bytes, uint32_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

#endif /* PERFLIB_BASE_BYTES_H */
