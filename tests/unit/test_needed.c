/* test_needed.c
 * The sentences that say which key is missing: each once, no more than a table has room for, told the user once
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/needed.h"

#include <string.h>

#include "check.h"
#include "fake-told.h"
#include "heap.h"

static void
test_what_a_table_needs_is_said_once(void)
{
    struct needed needed = { .count = 0 };
    char text[] = "0 needs a key";

    needed_report(&needed, "perflibv2,samples");
    CHECK_EQUAL(times_told, 0, "nothing is needed");
    CHECK(!needed.is_said, "nothing is needed");
    for (unsigned i = 0; i < NEEDED_MAX; i++) {
        text[0] = (char)('0' + i);
        CHECK(needed_add(&needed, &(struct key_needed){ KEY_KEYTAB, text }) && needed.count == i + 1, "sentence %u", i);
        for (unsigned j = 0; j <= i; j++) {
            text[0] = (char)('0' + j);
            CHECK(!needed_add(&needed, &(struct key_needed){ KEY_KEYTAB, text }) && needed.count == i + 1 &&
                    !needed.has_more,
                "%u again", j);
            CHECK_STRING(needed.items[j].text, text, "it is not the table's own");
            CHECK(needed.items[j].text != text, "it is not the table's own");
        }
    }
    CHECK(!needed_add(&needed, &(struct key_needed){ KEY_KEYTAB, "another" }), "no room");
    CHECK_EQUAL(needed.count, NEEDED_MAX, "no room");
    CHECK(needed.has_more, "no room");

    needed_report(&needed, "perflibv2,samples");
    CHECK(times_told == 1 &&
            strcmp(told,
                "-z perflibv2,samples: found nothing, and some calls could not be read\n"
                "0 needs a key\n1 needs a key\n2 needs a key\n"
                "3 needs a key\n4 needs a key\n5 needs a key\n6 needs a key\n7 needs a key") == 0,
        "%s", told);
    needed_report(&needed, "perflibv2,samples");
    CHECK_EQUAL(times_told, 1, "told again");

    needed_clear(&needed);
    CHECK_EQUAL(needed.count, 0, "cleared");
    CHECK(!needed.has_more, "cleared");
    CHECK(!needed.is_said, "cleared");
    CHECK(needed.items[0].text == NULL, "cleared");
    needed_report(&needed, "perflibv2,samples");
    CHECK_EQUAL(times_told, 1, "told of another capture");
    CHECK(needed_add(&needed, &(struct key_needed){ KEY_KEYTAB, "one" }), "what was said of another capture is new");
    needed_report(&needed, "pla,sets");
    CHECK(times_told == 2 && strcmp(told, "-z pla,sets: found nothing, and some calls could not be read\none") == 0,
        "%s", told);
    needed_clear(&needed);
}

/* A sentence and a report of it, and no more of them. */
static void
need_and_clear(void)
{
    struct needed needed = { .count = 0 };

    needed_add(&needed,
        &(struct key_needed){ KEY_KEYTAB, "a sentence of more than a few letters, in a block of its own" });
    needed_report(&needed, "pla,sets");
    needed_clear(&needed);
}

static void
test_what_is_cleared_takes_no_memory(void)
{
    CHECK_HEAP(need_and_clear(), "cleared");
}

int
main(void)
{
    test_what_a_table_needs_is_said_once();
    test_what_is_cleared_takes_no_memory();
    return check_result();
}
