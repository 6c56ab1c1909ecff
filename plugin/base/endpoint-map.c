/* endpoint-map.c
 * Stubs of the endpoint mapper's ept_map: which interface is sought, and where it is
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/endpoint-map.h"

#include "base/bytes.h"

const e_guid_t endpoint_map_uuid = { 0xe1af8308, 0x5d1f, 0x11c9, { 0x91, 0xa4, 0x08, 0x00, 0x2b, 0x14, 0xa0, 0xfa } };

#define GUID_SIZE         16u
#define ENTRY_HANDLE_SIZE 20u

/* Protocol identifiers of floors, [C706] appendix I */
enum { FLOOR_TCP = 0x07, FLOOR_UUID = 0x0d };

/* Bytes being read; nothing is read beyond their end. */
struct endpoint_reader {
    const uint8_t *bytes;
    unsigned length, at;
    bool is_big_endian;
    bool is_short; /* something was not there */
};

static bool
endpoint_has(struct endpoint_reader *r, unsigned size)
{
    r->is_short = r->is_short || r->at > r->length || size > r->length - r->at;
    return !r->is_short;
}

static void
skip(struct endpoint_reader *r, unsigned size)
{
    if (endpoint_has(r, size)) {
        r->at += size;
    }
}

static uint32_t
endpoint_read_uint32(struct endpoint_reader *r)
{
    uint32_t value = 0;

    r->at = (r->at + 3) & ~3u;
    if (endpoint_has(r, 4)) {
        value = bytes_uint32(r->bytes + r->at, r->is_big_endian);
        r->at += 4;
    }
    return value;
}

/* Lengths within towers are little-endian whatever the stub. */
static unsigned
read_tower_uint16(struct endpoint_reader *r)
{
    unsigned value = 0;

    if (endpoint_has(r, 2)) {
        value = bytes_uint16(r->bytes + r->at, false);
        r->at += 2;
    }
    return value;
}

static void
read_floor(struct endpoint_reader *r, bool is_first, struct endpoint_tower *tower)
{
    const unsigned left_length = read_tower_uint16(r);
    const uint8_t *left = r->bytes + r->at;
    const uint8_t *right;
    unsigned right_length;

    skip(r, left_length);
    right_length = read_tower_uint16(r);
    right = r->bytes + r->at;
    skip(r, right_length);
    if (r->is_short || left_length == 0) {
        return;
    }
    if (is_first && left[0] == FLOOR_UUID && left_length >= 1 + GUID_SIZE + 2) {
        tower->uuid.data1 = bytes_uint32(left + 1, false);
        tower->uuid.data2 = bytes_uint16(left + 5, false);
        tower->uuid.data3 = bytes_uint16(left + 7, false);
        memcpy(tower->uuid.data4, left + 9, sizeof tower->uuid.data4);
        tower->version = bytes_uint16(left + 17, false);
    } else if (left[0] == FLOOR_TCP && right_length >= 2) {
        tower->port = bytes_uint16(right, true);
    }
}

/* A twr_t: its bound, its length, its octets. */
static void
read_tower(struct endpoint_reader *r, struct endpoint_tower *tower)
{
    struct endpoint_reader octets = *r;
    unsigned length, floors;

    endpoint_read_uint32(r);
    length = endpoint_read_uint32(r);
    octets.at = r->at;
    skip(r, length);
    if (r->is_short) {
        return;
    }
    octets.length = r->at;
    floors = read_tower_uint16(&octets);
    for (unsigned i = 0; i < floors && !octets.is_short; i++) {
        read_floor(&octets, i == 0, tower);
    }
}

bool
endpoint_map_read_request(const uint8_t *stub, unsigned length, bool is_little_endian, struct endpoint_tower *tower)
{
    struct endpoint_reader r = { .bytes = stub, .length = length, .is_big_endian = !is_little_endian };

    *tower = (struct endpoint_tower){ 0 };
    if (endpoint_read_uint32(&r) != 0) {
        skip(&r, GUID_SIZE);
    }
    if (endpoint_read_uint32(&r) == 0) {
        return false;
    }
    read_tower(&r, tower);
    return !r.is_short;
}

bool
endpoint_map_read_response(const uint8_t *stub, unsigned length, bool is_little_endian, struct endpoint_tower *tower,
    uint32_t *status)
{
    struct endpoint_reader r = { .bytes = stub, .length = length, .is_big_endian = !is_little_endian };
    unsigned count;

    *tower = (struct endpoint_tower){ 0 };
    skip(&r, ENTRY_HANDLE_SIZE);
    endpoint_read_uint32(&r); /* num_towers */
    endpoint_read_uint32(&r); /* the array's bound, offset and count */
    endpoint_read_uint32(&r);
    count = endpoint_read_uint32(&r);
    if (r.is_short || count > r.length / 4) {
        return false;
    }
    skip(&r, 4 * count);
    for (unsigned i = 0; i < count && !r.is_short; i++) {
        struct endpoint_tower read = { 0 };

        read_tower(&r, &read);
        if (tower->port == 0) {
            *tower = read;
        }
    }
    *status = endpoint_read_uint32(&r);
    return !r.is_short;
}
