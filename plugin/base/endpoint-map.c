/* endpoint-map.c
 * Stubs of the endpoint mapper's ept_map, which looks up the port of an interface
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-pdu.h"

#include "base/bytes.h"
#include "base/stub-check.h"

const e_guid_t endpoint_map_uuid = { 0xe1af8308, 0x5d1f, 0x11c9, { 0x91, 0xa4, 0x08, 0x00, 0x2b, 0x14, 0xa0, 0xfa } };

#define GUID_SIZE         16u
#define ENTRY_HANDLE_SIZE 20u

/* Protocol identifiers of floors, [C706] appendix I */
enum { FLOOR_TCP = 0x07, FLOOR_UUID = 0x0d };

/* Returns these bytes as a complete stub, for struct stub_reader. */
static struct stub_sample
stub_sample_of(const uint8_t *bytes, unsigned length, bool is_little_endian)
{
    return (struct stub_sample){
        .head = bytes,
        .head_length = length,
        .length = length,
        .is_little_endian = is_little_endian,
        .is_last = true,
    };
}

static void
read_floor(struct stub_reader *r, bool is_first, struct endpoint_tower *tower)
{
    const unsigned left_length = stub_read_octets_uint16(r), left_at = r->offset;
    const uint8_t *left;
    unsigned right_length;

    stub_skip(r, left_length);
    right_length = stub_read_octets_uint16(r);
    stub_skip(r, right_length);
    if (r->overrun || left_length == 0) {
        return;
    }
    left = r->sample->head + left_at;
    if (is_first && left[0] == FLOOR_UUID && left_length >= 1 + GUID_SIZE + 2) {
        tower->uuid = bytes_guid(left + 1, false);
        tower->version = bytes_uint16(left + 17, false);
    } else if (left[0] == FLOOR_TCP && right_length >= 2) {
        tower->port = bytes_uint16(r->sample->head + r->offset - right_length, true);
    }
}

/* Reads the twr_t at the reader's position into *tower, and moves the reader to its end. */
static void
read_tower(struct stub_reader *r, struct endpoint_tower *tower)
{
    struct stub_sample octets;
    struct stub_reader inside;
    unsigned length, floors;

    stub_read_uint32(r);
    length = stub_read_uint32(r);
    stub_skip(r, length);
    if (r->overrun) {
        return;
    }
    octets = stub_sample_of(r->sample->head + r->offset - length, length, true);
    inside = (struct stub_reader){ .sample = &octets };
    /* Lengths within towers are little-endian, whatever the byte order of the stub. */
    floors = stub_read_octets_uint16(&inside);
    for (unsigned i = 0; i < floors && !inside.overrun; i++) {
        read_floor(&inside, i == 0, tower);
    }
}

bool
endpoint_map_read_request(const uint8_t *stub, unsigned length, bool is_little_endian, struct endpoint_tower *tower)
{
    const struct stub_sample sample = stub_sample_of(stub, length, is_little_endian);
    struct stub_reader r = { .sample = &sample };

    *tower = (struct endpoint_tower){ 0 };
    if (stub_read_uint32(&r) != 0) {
        stub_skip(&r, GUID_SIZE);
    }
    if (stub_read_uint32(&r) == 0) {
        return false;
    }
    read_tower(&r, tower);
    return !r.overrun;
}

bool
endpoint_map_read_response(const uint8_t *stub, unsigned length, bool is_little_endian, struct endpoint_tower *tower,
    uint32_t *status)
{
    const struct stub_sample sample = stub_sample_of(stub, length, is_little_endian);
    struct stub_reader r = { .sample = &sample };
    unsigned count;

    *tower = (struct endpoint_tower){ 0 };
    stub_skip(&r, ENTRY_HANDLE_SIZE);
    stub_read_uint32(&r); /* num_towers */
    stub_read_uint32(&r); /* the array's bound, offset and count */
    stub_read_uint32(&r);
    count = stub_read_uint32(&r);
    if (r.overrun || count > length / 4) {
        return false;
    }
    stub_skip(&r, 4 * count);
    for (unsigned i = 0; i < count && !r.overrun; i++) {
        struct endpoint_tower read = { 0 };

        read_tower(&r, &read);
        if (tower->port == 0) {
            *tower = read;
        }
    }
    *status = stub_read_uint32(&r);
    return !r.overrun;
}
