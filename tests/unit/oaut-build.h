/* oaut-build.h
 * Makes VARIANTs and SAFEARRAYs, and checks how they are read, for unit tests
 *
 * [MS-OAUT] 2.2.7 to 2.2.30
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_OAUT_BUILD_H
#define PERFLIB_TESTS_UNIT_OAUT_BUILD_H

#include <epan/exceptions.h>

#include "build.h"
#include "fake-items.h"
#include "pla/oaut.h"

#include <epan/dissectors/packet-dcom.h> /* needs those of packet-dcerpc.h */

static packet_info pinfo;
static uint8_t drep[4] = { 0x10 };
static struct orpc orpc;

static inline void
align(unsigned boundary)
{
    while (out.size % boundary != 0) {
        add(0, 1);
    }
}

static inline void
read_from(unsigned offset, unsigned size)
{
    items_clear();
    orpc = (struct orpc){ .ndr = { .pinfo = &pinfo, .drep = drep, .tree = ITEMS_TREE }, .top = ITEMS_TREE };
    orpc.ndr.tvb = tvb_new_real_data(out.bytes, size, (int)size);
    orpc.ndr.offset = (int)offset;
}

static inline bool
reads(unsigned offset, unsigned size, struct oaut_variant *v)
{
    read_from(offset, size);
    oaut_variant_param(&orpc, v);
    return !orpc.failed;
}

#define CHECK_READ(from, v, expected, what) \
    do { \
        CHECK(reads(from, out.size, v), "%s: cannot be read: %s", what, num_experts != 0 ? experts[0].text : ""); \
        CHECK(strcmp((v)->text, expected) == 0, "%s: %s, not %s", what, (v)->text, expected); \
        CHECK(num_experts == 0, "%s: %s", what, experts[0].text); \
        CHECK((unsigned)orpc.ndr.offset == out.size, "%s: ends at %d of %u", what, orpc.ndr.offset, out.size); \
        CHECK(orpc.depth == 0 && orpc.ndr.tree == ITEMS_TREE, "%s: is not left as it was entered", what); \
    } while (0)

/* Cut anywhere it cannot be read, which is said once. */
static inline void
check_cuts(unsigned offset, const char *what)
{
    for (unsigned size = offset; size < out.size; size++) {
        struct oaut_variant v;

        CHECK(!reads(offset, size, &v), "%s: read of %u bytes of %u", what, size, out.size);
        CHECK(num_experts == 1, "%s, %u bytes: %u are said", what, size, num_experts);
        CHECK(v.text != NULL, "%s, %u bytes: no text", what, size);
    }
}

/* A type that has values of a fixed size, and one of them. */
static const struct value {
    const char *name, *field;
    uint16_t vt;
    unsigned size;
    uint64_t bits;
    const char *text;
    uint32_t sf; /* of an array of them, [MS-OAUT] 2.2.8; 0: there is none */
    bool is_integer;
    int64_t integer;
} values[] = {
    { "VT_I1", "dcom.vt.i1", 0x10, 1, 0x80, "-128", 0x10, true, -128 },
    { "VT_UI1", "dcom.vt.ui1", 0x11, 1, 0xff, "255", 0x10, true, 255 },
    { "VT_I2", "dcom.vt.i2", 2, 2, 0x8001, "-32767", 2, true, -32767 },
    { "VT_UI2", "dcom.vt.ui2", 0x12, 2, 0xfffe, "65534", 2, true, 65534 },
    { "VT_BOOL", "dcom.vt.bool", 0xb, 2, 0xffff, "true", 2, true, 65535 },
    { "VT_BOOL, 0", "dcom.vt.bool", 0xb, 2, 0, "false", 2, true, 0 },
    { "VT_BOOL, 1", "dcom.vt.bool", 0xb, 2, 1, "true", 2, true, 1 },
    { "VT_I4", "dcom.vt.i4", 3, 4, 0x80000001, "-2147483647", 3, true, -2147483647 },
    { "VT_INT", "dcom.vt.i4", 0x16, 4, 0xfffffffe, "-2", 3, true, -2 },
    { "VT_UI4", "dcom.vt.ui4", 0x13, 4, 0xfffffffd, "4294967293", 3, true, 4294967293 },
    { "VT_UINT", "dcom.vt.ui4", 0x17, 4, 0x80000000, "2147483648", 3, true, 2147483648 },
    { "VT_ERROR", "dcom.hresult", 0xa, 4, 0x80070005, "0x80070005", 3, true, 0x80070005 },
    { "VT_I8", "dcom.vt.i8", 0x14, 8, UINT64_C(0x8000000000000001), "-9223372036854775807", 0x14, true,
        -INT64_C(9223372036854775807) },
    { "VT_UI8", "dcom.vt.ui8", 0x15, 8, UINT64_C(0xfffffffffffffffe), "18446744073709551614", 0x14, true, -2 },
    /* 1.5 and 0.1 as [IEEE754] has them; nine digits tell a float from all others. */
    { "VT_R4", "dcom.vt.r4", 4, 4, 0x3fc00000, "1.5", 3, false, 0 },
    { "VT_R4, 0.1", "dcom.vt.r4", 4, 4, 0x3dcccccd, "0.100000001", 3, false, 0 },
    { "VT_R8", "dcom.vt.r8", 5, 8, UINT64_C(0xc004000000000000), "-2.5", 0x14, false, 0 },
    { "VT_R8, 0.1", "dcom.vt.r8", 5, 8, UINT64_C(0x3fb999999999999a), "0.10000000000000001", 0x14, false, 0 },
    { "VT_CY", "dcom.vt.cy", 6, 8, 12345, "1.2345", 0x14, false, 0 },
    { "VT_CY, -1", "dcom.vt.cy", 6, 8, UINT64_MAX, "-0.0001", 0x14, false, 0 },
    { "VT_CY, least", "dcom.vt.cy", 6, 8, UINT64_C(1) << 63, "-922337203685477.5808", 0x14, false, 0 },
    { "VT_CY, 0", "dcom.vt.cy", 6, 8, 0, "0.0000", 0x14, false, 0 },
    { "VT_CY, 10000", "dcom.vt.cy", 6, 8, 10000, "1.0000", 0x14, false, 0 },
    { "VT_DATE", "dcom.vt.date", 7, 8, 0, "1899-12-30 00:00:00", 0x14, false, 0 },
    /* -1.25: the day before, a quarter of it on. */
    { "VT_DATE, -1.25", "dcom.vt.date", 7, 8, UINT64_C(0xbff4000000000000), "1899-12-29 06:00:00", 0x14, false, 0 },
    { "VT_DECIMAL", "dcom.nospec", 0xe, 16, 12, "12", 0, false, 0 },
};

/* 2.2.26: DECIMAL has its upper part first; other values are padded to nothing. */
static inline void
add_bits(const struct value *value)
{
    align(value->size < 8 ? value->size : 8);
    if (value->size == 16) {
        ADD(0, 0);
        add(value->bits, 8);
    } else {
        add(value->bits, value->size);
    }
}

/* 2.2.29.1 after its referent; the number of the stub's first bytes decides where it stands. */
static inline void
begin_variant(uint16_t vt, uint32_t discriminant)
{
    align(8);
    ADD(5, 0);
    add(vt, 2);
    add(0, 6);
    ADD(discriminant);
}

static inline void
begin_param_as(uint16_t vt, uint32_t discriminant)
{
    begin();
    ADD(0x11111111, 0x20000); /* what stands before it, its referent */
    begin_variant(vt, discriminant);
}

static inline void
begin_param(uint16_t vt)
{
    begin_param_as(vt, vt & 0x2000 ? vt & 0x6000u : vt);
}

/* Begins a parameter that is a chain of `count` pointers to the value, each with its referent. */
static inline void
begin_pointers(uint16_t vt, unsigned count)
{
    begin_param(vt);
    for (unsigned i = 0; i < count; i++) {
        ADD(0x20004);
    }
}

#define PARAM_AT 4u

/* 2.2.30.10: after its outer referent. referents: how many there are with that. vt: what cLocks tells of its elements, 0: nothing. */
static inline void
begin_array(unsigned referents, uint32_t sf, uint16_t vt, uint32_t count)
{
    for (unsigned i = 1; i < referents; i++) {
        ADD(0x30000 + i);
    }
    ADD(1);
    add(1, 2);
    add(vt != 0 ? 0x80 : 0, 2);
    ADD(4, (uint32_t)vt << 16, sf, count, 0x40000, count, 0, count);
}

/* A BSTR after its referent: 2.2.23.1. */
static inline void
add_bstr(const char *text)
{
    const uint32_t length = (uint32_t)strlen(text);

    align(4);
    ADD(length, length * 2, length);
    for (uint32_t i = 0; i < length; i++) {
        add((uint8_t)text[i], 2);
    }
}

/* A BSTR of three characters with these counts. */
static inline void
begin_abc(uint32_t max_count, uint32_t bytes, uint32_t size)
{
    begin_param(8);
    ADD(0x20004, max_count, bytes, size);
    add('a', 2);
    add('b', 2);
    add('c', 2);
}

/* MInterfacePointer with a STDOBJREF, [MS-DCOM] 2.2.14, 2.2.18; without: a custom one. */
static inline void
add_object(bool is_standard)
{
    align(4);
    ADD(68, 68);
    ADD(0x574f454d, is_standard ? 1 : 4);
    for (unsigned i = 0; i < 16; i++) {
        add(0xa0 + i, 1);
    }
    ADD(0, 5, 0x11, 0, 0x22, 0);
    for (unsigned i = 0; i < 16; i++) {
        add(0xb0 + i, 1);
    }
    ADD(0);
}

#endif /* PERFLIB_TESTS_UNIT_OAUT_BUILD_H */
