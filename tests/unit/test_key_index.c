/* test_key_index.c
 * Numbers of counters: in the order in which they are met, whatever comes between, with the latest label of each
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/key-index.h"

#include <stdio.h>
#include <string.h>

#include <epan/wmem_scopes.h>

#include "check.h"
#include "heap.h"

#define MANY 1000u

static struct key_index *index_of;
static char identities[MANY];

static void
check_add(unsigned identity, const char *path, unsigned number, unsigned size)
{
    const unsigned got = key_index_add(index_of, &identities[identity]);
    const char *text;

    key_index_set_text(index_of, got, path);
    text = key_index_text(index_of, got);
    CHECK(got == number && key_index_size(index_of) == size, "%u: %u of %u", identity, got, key_index_size(index_of));
    CHECK(path == NULL ? text == NULL : text != NULL && text != path && strcmp(text, path) == 0, "%u: %s", identity,
        text);
}

static void
test_identity_is_indexed_by_its_caller(void)
{
    char label[20] = "first";

    CHECK(key_index_size(index_of) == 0, "%u", key_index_size(index_of));
    check_add(5, label, 0, 1);
    strcpy(label, "second");
    CHECK_STRING(key_index_text(index_of, 0), "first", "is the caller's");
    check_add(3, label, 1, 2);
    check_add(7, "second", 2, 3);                  /* a label is no identity */
    for (unsigned round = 0; round < 2; round++) { /* in the order of the last time */
        check_add(5, "first", 0, 3);
        check_add(3, "second", 1, 3);
        check_add(7, "third", 2, 3);
    }
    check_add(7, "third", 2, 3); /* in any other */
    check_add(3, "renamed", 1, 3);
    check_add(5, NULL, 0, 3);
    check_add(5, "first", 0, 3);
    check_add(8, "between", 3, 4);
    check_add(3, "renamed", 1, 4);
    check_add(8, "between", 3, 4);
    check_add(9, NULL, 4, 5);
    CHECK_STRING(key_index_text(index_of, 1), "renamed", "labels of others");
    CHECK_STRING(key_index_text(index_of, 2), "third", "labels of others");
    for (unsigned i = 0; i < MANY; i++) {
        key_index_set_text(index_of, key_index_add(index_of, &identities[i]), i % 3 == 0 ? NULL : "any");
    }
    CHECK(key_index_size(index_of) == MANY && key_index_add(index_of, &identities[5]) == 0, "%u",
        key_index_size(index_of));
}

static void
test_texts_are_indexed_once(void)
{
    char text[20];

    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 30; i++) {
            snprintf(text, sizeof text, "text %u", i);
            CHECK(key_index_add_text(index_of, text) == i && key_index_size(index_of) == (round == 0 ? i + 1 : 30),
                "%s", text);
            CHECK(strcmp(key_index_text(index_of, i), text) == 0, "%s", key_index_text(index_of, i));
        }
    }
}

/* Each entry has its data, zeroed when they are made, wherever the entries move. */
static void
test_data_stay_with_their_text(void)
{
    unsigned *data[40];
    char text[20];

    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < array_length(data); i++) {
            unsigned *got;

            snprintf(text, sizeof text, "text %u", i);
            got = (unsigned *)key_index_gather(index_of, text, sizeof **data);
            CHECK_EQUAL(*got, round == 0 ? 0 : 100 * round + i, "%s", text);
            CHECK(round == 0 || got == data[i], "%s", text);
            CHECK(key_index_data(index_of, i) == got, "%s", text);
            CHECK_STRING(key_index_text(index_of, i), text, "entry %u", i);
            *got = 100 * (round + 1) + i;
            data[i] = got;
        }
    }
    CHECK_EQUAL(key_index_size(index_of), array_length(data), "entries");
}

static void
label_twice(void)
{
    key_index_set_text(index_of, 0, "a label of more than a few letters, in a block of its own");
    key_index_set_text(index_of, 0, "another label of more than a few letters, in a block of its own");
}

static void
test_former_labels_take_no_memory(void)
{
    key_index_add(index_of, identities);
    CHECK_HEAP(label_twice(), "labelled");
}

int
main(void)
{
    wmem_allocator_t *scope;

    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    for (unsigned i = 0; i < 2; i++) {
        index_of = key_index_new(scope);
        test_identity_is_indexed_by_its_caller();
        index_of = key_index_new(scope);
        test_texts_are_indexed_once();
        index_of = key_index_new(scope);
        test_data_stay_with_their_text();
        index_of = key_index_new(scope);
        test_former_labels_take_no_memory();
        wmem_free_all(scope);
        index_of = key_index_new(scope);
        CHECK_EQUAL(key_index_add_text(index_of, "text 7"), 0, "known before");
        CHECK_EQUAL(key_index_size(index_of), 1, "known before");
    }
    wmem_destroy_allocator(scope);
    return check_result();
}
