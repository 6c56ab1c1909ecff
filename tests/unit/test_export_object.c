/* test_export_object.c
 * Bytes that people save as files: under which name, and all of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/menus.h"

#include <string.h>

#include <epan/export_object.h>
#include <epan/tap.h>

#include "check.h"

#define TAP 5

static bool is_heard;
static tap_packet_cb export_packet;
static const void *tapped;
static export_object_entry_t *added;
static int list_data;

/* In place of Wireshark's. */
int
register_export_object(const int proto_id, tap_packet_cb export_packet_func, export_object_gui_reset_cb reset_cb)
{
    CHECK(proto_id == 3 && reset_cb == NULL, "%d", proto_id);
    export_packet = export_packet_func;
    return TAP;
}

perflib_bool
have_tap_listener(int tap_id)
{
    return tap_id == TAP && is_heard;
}

void
tap_queue_packet(int tap_id, packet_info *pinfo _U_, const void *tap_specific_data)
{
    CHECK(tap_id == TAP, "%d", tap_id);
    tapped = tap_specific_data;
}

static void
add_entry(void *gui_data, export_object_entry_t *entry)
{
    CHECK(gui_data == &list_data, "another list");
    added = entry;
}

/* What is exported of these bytes; NULL: nothing. */
static const export_object_entry_t *
exported(packet_info *pinfo, const char *bytes, size_t length, const char *name)
{
    tvbuff_t *tvb = tvb_new_real_data((const uint8_t *)bytes, (guint)length, (int)length + 100);
    export_object_list_t list = { .add_entry = add_entry, .gui_data = &list_data };

    tapped = NULL;
    added = NULL;
    export_object_add(TAP, pinfo, tvb, "HOST", "Some values", name, ".bin");
    if (tapped != NULL) {
        CHECK_EQUAL(export_packet(&list, pinfo, NULL, tapped, (tap_flags_t)0), TAP_PACKET_REDRAW, "a row more");
    }
    tvb_free(tvb);
    return added;
}

static void
check_names_of_files_are_plain_and_short(packet_info *pinfo)
{
    char longest[121 + 4 + 1], dashes[256] = "";

    /* 120 characters of "000012-" and the name, then what it ends in. */
    memset(longest, 'x', 120);
    memcpy(longest, "000012-", 7);
    strcpy(longest + 120, ".bin");
    memset(dashes, 'x', 255);

    const struct {
        const char *name, *expected;
    } cases[] = {
        { "Memory", "000012-Memory.bin" },
        { "Processor Information", "000012-Processor-Information.bin" },
        { "a-b", "000012-a-b.bin" },
        /* Nothing that a file system reads: one dash for all that stands together. */
        { "../..\\C:\\x y\n", "000012--C-x-y-.bin" },
        { "\xc3\xa4\x7f"
          "9Z",
            "000012--9Z.bin" },
        { "", "000012-.bin" },
        { dashes, longest },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const export_object_entry_t *entry = exported(pinfo, "x", 1, cases[i].name);
        const char *expected = cases[i].expected;

        CHECK(entry != NULL && strcmp(entry->filename, expected) == 0, "%s, not %s", entry->filename, expected);
    }
}

int
main(void)
{
    packet_info pinfo = { .num = 12 };
    const export_object_entry_t *entry;

    wmem_init();
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    CHECK_EQUAL(export_object_register(3), TAP, "what it is called by");
    CHECK(exported(&pinfo, "abc", 3, "x") == NULL, "nobody exports");
    is_heard = true;
    CHECK(exported(&pinfo, "", 0, "x") == NULL, "nothing was captured");
    entry = exported(&pinfo, "a\0c", 3, "x");
    CHECK(entry != NULL, "of whom and what");
    if (entry != NULL) {
        CHECK_EQUAL(entry->pkt_num, 12, "of whom and what");
        CHECK_STRING(entry->hostname, "HOST", "of whom and what");
        CHECK_STRING(entry->content_type, "Some values", "of whom and what");
    }
    CHECK_EQUAL(entry->payload_len, 3, "what was captured");
    CHECK_EQUAL(memcmp(entry->payload_data, "a\0c", 3), 0, "what was captured");
    check_names_of_files_are_plain_and_short(&pinfo);
    wmem_destroy_allocator(pinfo.pool);
    wmem_cleanup();
    return check_result();
}
