/* test_winreg_string.c
 * RRP_UNICODE_STRING, [MS-RRP] 2.2.4, as the state of a call reads it: in NDR and NDR64, at any place, cut anywhere
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/winreg.h"

#include "base/ndr.h"
#include "check.h"

static packet_info pinfo;
static dcerpc_call_value call;
static dcerpc_info di = { .call_data = &call };
static uint8_t bytes[96];
static unsigned size;
static bool is_big, is_64;

static void
put(uint32_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        const unsigned shift = 8 * (is_big ? width - 1 - i : i);

        bytes[size++] = (uint8_t)(shift < 32 ? value >> shift : 0);
    }
}

/* Both sizes in bytes, the pointer, maximum count, offset and count in characters, then two letters and their terminator. */
static void
make(unsigned before, uint32_t referent, uint32_t count)
{
    const unsigned width = is_64 ? 8 : 4;

    memset(bytes, 0, sizeof bytes);
    size = (before + width - 1) / width * width;
    put(6, 2);
    put(8, 2);
    size += width - 4;
    put(referent, width);
    put(4, width);
    put(0, width);
    put(count, width);
    put('a', 2);
    put(0x3c0, 2); /* the letter pi */
    put(0, 2);
    put('x', 2);
}

static const char *
read_from(unsigned before, unsigned captured)
{
    uint8_t drep[4] = { is_big ? 0 : 0x10 };
    struct ndr n = { tvb_new_real_data(bytes, captured, (int)size), (int)before, &pinfo, NULL, &di, drep };
    const char *text;

    call.flags = is_64 ? DCERPC_IS_NDR64 : 0;
    text = winreg_read_string(&n);
    tvb_free(n.tvb);
    return text;
}

static void
test_string_is_read_at_its_place(void)
{
    for (unsigned before = 0; before <= 17; before++) {
        make(before, 0x20000, 3);
        CHECK_STRING(read_from(before, size), "a\xcf\x80", "behind %u bytes", before);
        make(before, 0, 3);
        CHECK(read_from(before, size) == NULL, "no pointer, behind %u bytes", before);
    }
}

static void
test_string_is_cut_where_the_capture_is(void)
{
    const unsigned text = 5 * (is_64 ? 8u : 4u);

    make(0, 0x20000, 3);
    for (unsigned captured = 0; captured < size; captured++) {
        const char *const shown = read_from(0, captured);

        if (captured < text) {
            CHECK(shown == NULL, "%u bytes", captured);
        } else {
            CHECK_STRING(shown,
                captured < text + 2       ? ""
                    : captured < text + 4 ? "a"
                                          : "a\xcf\x80",
                "%u bytes", captured);
        }
    }
}

/* Without a terminator the count tells where it ends. */
static void
test_string_without_terminator_ends_at_its_count(void)
{
    static const char *const texts[] = { "", "a", "a\xcf\x80", "a\xcf\x80z", "a\xcf\x80zx" };

    for (uint32_t count = 0; count < array_length(texts); count++) {
        make(0, 0x20000, count);
        bytes[size - 4 + is_big] = 'z';
        CHECK_STRING(read_from(0, size), texts[count], "%u", count);
    }
}

/* A count of characters is no more than the sizes of 16 bits allow. */
static void
test_count_of_characters_has_its_limits(void)
{
    static const struct {
        uint32_t count;
        const char *text;
    } cases[] = { { 0, "" }, { 1, "a" }, { 2, "a\xcf\x80" }, { 3, "a\xcf\x80" }, { 4, "a\xcf\x80" },
        { 0xffff, "a\xcf\x80" }, { 0x10000, NULL }, { 0x80000001, NULL } };

    for (size_t i = 0; i < array_length(cases); i++) {
        const char *shown;

        make(0, 0x20000, cases[i].count);
        shown = read_from(0, size);
        CHECK_STRING(shown == NULL ? "none" : shown, cases[i].text == NULL ? "none" : cases[i].text, "%u",
            cases[i].count);
    }
}

int
main(void)
{
    wmem_init_scopes();
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    for (unsigned i = 0; i < 4; i++) {
        is_big = i % 2 != 0;
        is_64 = i / 2 != 0;
        test_string_is_read_at_its_place();
        test_string_is_cut_where_the_capture_is();
        test_string_without_terminator_ends_at_its_count();
        test_count_of_characters_has_its_limits();
    }
    wmem_destroy_allocator(pinfo.pool);
    return check_result();
}
