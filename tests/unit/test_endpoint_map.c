/* test_endpoint_map.c
 * ept_map: which interface is sought, and where it is; whole, cut at every byte, in both byte orders
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-pdu.h"

#include <string.h>

#include "check.h"

/* [C706] appendix I: floors of an interface, of NDR, of DCE/RPC, and of what carries it. Numbers are little-endian, ports are not. */
#define INTERFACE 19, 0, 0x0d, 0x78, 0x56, 0x34, 0x12, 0xbc, 0x9a, 0xf0, 0xde, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 2, 0, 0, 0
#define NDR \
    19, 0, 0x0d, 4, 0x5d, 0x88, 0x8a, 0xeb, 0x1c, 0xc9, 0x11, 0x9f, 0xe8, 8, 0, 0x2b, 0x10, 0x48, 0x60, 2, 0, 2, 0, 0, 0
#define DCERPC         1, 0, 0x0b, 2, 0, 0, 0
#define TCP(high, low) 1, 0, 0x07, 2, 0, high, low
#define IP             1, 0, 0x09, 4, 0, 192, 0, 2, 1
#define NAMED_PIPE     1, 0, 0x0f, 5, 0, 'p', 'i', 'p', 'e', 0

static const uint8_t over_tcp[] = { 5, 0, INTERFACE, NDR, DCERPC, TCP(0xc0, 0x01), IP };
static const uint8_t over_pipe[] = { 4, 0, INTERFACE, NDR, DCERPC, NAMED_PIPE };
static const uint8_t over_other_tcp[] = { 5, 0, INTERFACE, NDR, DCERPC, TCP(0x12, 0x34), IP };
static const uint8_t empty_floor[] = { 3, 0, 0, 0, 0, 0, TCP(0xc0, 0x01), 0, 0, 7, 0, 1, 2, 3, 4, 5, 6, 7 };
static const uint8_t short_port[] = { 2, 0, INTERFACE, 1, 0, 0x07, 1, 0, 0xc0, 9 };
/* First floors that are too short for a version, just long enough, and of another kind. */
static const uint8_t no_version[] = { 1, 0, 18, 0, 0x0d, 0x78, 0x56, 0x34, 0x12, 0xbc, 0x9a, 0xf0, 0xde, 1, 2, 3, 4, 5,
    6, 7, 8, 2, 0, 0 };
static const uint8_t just_a_version[] = { 1, 0, 19, 0, 0x0d, 0x78, 0x56, 0x34, 0x12, 0xbc, 0x9a, 0xf0, 0xde, 1, 2, 3, 4,
    5, 6, 7, 8, 2, 1, 0, 0 };
/* More octets than its floors have. */
static const uint8_t three_floors[] = { 3, 0, INTERFACE, NDR, DCERPC, TCP(0xc0, 0x01), IP };
static const uint8_t no_uuid[] = { 1, 0, 19, 0, 0x0c, 0x78, 0x56, 0x34, 0x12, 0xbc, 0x9a, 0xf0, 0xde, 1, 2, 3, 4, 5, 6,
    7, 8, 2, 1, 0, 0 };
static const e_guid_t uuid = { 0x12345678, 0x9abc, 0xdef0, { 1, 2, 3, 4, 5, 6, 7, 8 } };

static uint8_t stub[512];
static unsigned length;
static bool is_little_endian;

static void
put(uint32_t value)
{
    length = (length + 3) & ~3u;
    for (unsigned i = 0; i < 4; i++) {
        stub[length + (is_little_endian ? i : 3 - i)] = (uint8_t)(value >> 8 * i);
    }
    length += 4;
}

static void
put_tower(const uint8_t *tower, unsigned size)
{
    put(size);
    put(size);
    memcpy(stub + length, tower, size);
    length += size;
}
#define PUT_TOWER(tower) put_tower(tower, sizeof tower)

static void
begin(void)
{
    memset(stub, 0xee, sizeof stub);
    length = 0;
}

static void
put_request(bool has_object, bool has_tower)
{
    begin();
    put(has_object);
    if (has_object) {
        length += 16;
    }
    put(has_tower);
    if (has_tower) {
        PUT_TOWER(over_tcp);
    }
}

static void
check_tower_names_the_interface(void)
{
    struct endpoint_tower tower;

    for (unsigned has_object = 0; has_object < 2; has_object++) {
        unsigned whole;

        put_request(has_object, true);
        whole = length;
        put(0); /* entry_handle and max_towers, which nobody looks at */
        CHECK(endpoint_map_read_request(stub, length, is_little_endian, &tower), "object %u", has_object);
        CHECK(guid_cmp(&tower.uuid, &uuid) == 0 && tower.version == 0x0102 && tower.port == 0xc001,
            "version %u, port %u", tower.version, tower.port);
        CHECK(endpoint_map_read_request(stub, whole, is_little_endian, &tower), "to the tower's end");
        for (unsigned cut = 0; cut < whole; cut++) {
            CHECK(!endpoint_map_read_request(stub, cut, is_little_endian, &tower) && tower.port == 0, "cut at %u", cut);
        }
        put_request(has_object, false);
        CHECK(!endpoint_map_read_request(stub, length, is_little_endian, &tower), "no tower");
        /* What follows would be one. */
        PUT_TOWER(over_tcp);
        CHECK(!endpoint_map_read_request(stub, length, is_little_endian, &tower), "still no tower");
    }
}

/* entry_handle, num_towers, then the array's bound, offset and count, and its pointers. */
static void
put_answer(unsigned count)
{
    begin();
    length = 20;
    put(count);
    put(4);
    put(0);
    put(count);
    for (unsigned i = 0; i < count; i++) {
        put(i + 1);
    }
}

static void
check_towers_name_the_ports(void)
{
    struct endpoint_tower tower;
    uint32_t status;
    unsigned whole;

    put_answer(3);
    PUT_TOWER(over_pipe);
    PUT_TOWER(over_tcp);
    PUT_TOWER(over_other_tcp);
    put(0x12345678);
    whole = length;
    CHECK(endpoint_map_read_response(stub, whole, is_little_endian, &tower, &status), "an answer");
    CHECK(tower.port == 0xc001 && guid_cmp(&tower.uuid, &uuid) == 0 && status == 0x12345678, "port %u, status %08x",
        tower.port, status);
    for (unsigned cut = 0; cut < whole; cut++) {
        CHECK(!endpoint_map_read_response(stub, cut, is_little_endian, &tower, &status), "cut at %u", cut);
    }

    put_answer(1);
    PUT_TOWER(over_pipe);
    put(0);
    CHECK(endpoint_map_read_response(stub, length, is_little_endian, &tower, &status) && tower.port == 0 &&
            status == 0 && guid_cmp(&tower.uuid, &uuid) == 0,
        "a pipe has no port: %u", tower.port);

    put_answer(0);
    put(0x16c9a0d6);
    CHECK(endpoint_map_read_response(stub, length, is_little_endian, &tower, &status) && tower.port == 0 &&
            status == 0x16c9a0d6,
        "none: %08x", status);

    put_answer(2);
    PUT_TOWER(short_port);
    PUT_TOWER(empty_floor);
    put(0);
    CHECK(endpoint_map_read_response(stub, length, is_little_endian, &tower, &status) && tower.port == 0xc001,
        "port %u", tower.port);
    CHECK_EQUAL(tower.version, 0, "a first floor of nothing names no interface");

    /* More towers than there are bytes for. */
    put_answer(2);
    length -= 12;
    put(0x40000001);
    PUT_TOWER(over_tcp);
    put(0);
    CHECK(!endpoint_map_read_response(stub, length, is_little_endian, &tower, &status), "too many");
    /* A tower that is longer than all. */
    put_answer(1);
    put(8);
    put(0xffffffff);
    put(0);
    CHECK(!endpoint_map_read_response(stub, length, is_little_endian, &tower, &status), "too long");
    put_answer(1);
    PUT_TOWER(three_floors);
    put(0);
    CHECK(endpoint_map_read_response(stub, length, is_little_endian, &tower, &status) && tower.port == 0,
        "port %u is of no floor", tower.port);
    /* Floors that go on beyond their tower. */
    put_answer(1);
    put_tower(over_tcp, sizeof over_tcp - 11);
    put(7);
    CHECK(endpoint_map_read_response(stub, length, is_little_endian, &tower, &status) && tower.port == 0 && status == 7,
        "port %u", tower.port);
}

/* What a tower of one floor names. */
static void
check_floor(const uint8_t *floor, unsigned size, bool is_interface)
{
    static const e_guid_t none;
    struct endpoint_tower tower;
    uint32_t status;

    put_answer(1);
    put_tower(floor, size);
    put(0);
    CHECK(endpoint_map_read_response(stub, length, is_little_endian, &tower, &status) && tower.port == 0 &&
            guid_cmp(&tower.uuid, is_interface ? &uuid : &none) == 0 && tower.version == (is_interface ? 0x0102 : 0),
        "%u octets: version %u", floor[2], tower.version);
}

int
main(void)
{
    for (unsigned i = 0; i < 2; i++) {
        is_little_endian = i == 1;
        check_tower_names_the_interface();
        check_towers_name_the_ports();
        check_floor(no_version, sizeof no_version, false);
        check_floor(just_a_version, sizeof just_a_version, true);
        check_floor(no_uuid, sizeof no_uuid, false);
    }
    return check_result();
}
