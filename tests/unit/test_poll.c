/* test_poll.c
 * A poll: what nobody asks for is not cooked, and what is asked for twice is cooked once
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "check.h"
#include "counters/poll.h"
#include "counters/watch.h"

enum { ROWS = 3, COLUMNS = 2 };

static unsigned num_cooked, num_added;
static unsigned watched;                                 /* the value that an entry of the watch list matches */
static struct identity_label labels[ROWS * COLUMNS + 1]; /* of the values, and of none */

bool
watch_matches(struct identity_label *label)
{
    return label == &labels[watched];
}

void
watch_add(packet_info *pinfo _U_, proto_tree *tree _U_, tvbuff_t *tvb _U_, int offset, int length _U_,
    struct identity_label *label, double value)
{
    CHECK(label == &labels[watched] && value == watched && offset == (int)watched, "%f at %d", value, offset);
    num_added++;
}

/* What makes items is not asked for here. */
void
value_tree_add_cooked_text(struct line *line _U_, const struct cook_result *cooked _U_)
{
}

void
value_tree_make_line(struct line *line _U_, const char *path _U_, const struct cook_result *cooked _U_,
    const char *text _U_, const uint64_t *raw _U_)
{
}

proto_tree *
value_tree_add_path(const struct value_tree_fields *fields _U_, proto_tree *tree, tvbuff_t *tvb _U_, int offset _U_,
    int length _U_, const char *path _U_, const char *line _U_)
{
    return tree;
}

void
value_tree_add_cooked(const struct value_tree_fields *fields _U_, packet_info *pinfo _U_, proto_tree *tree _U_,
    tvbuff_t *tvb _U_, const struct value_tree_wants *wants _U_, const struct cook_result *cooked _U_,
    const struct value_tree_texts *texts _U_, const struct series_poll *poll _U_, const struct series_poll *before _U_)
{
}

double
series_seconds(const struct series_poll *poll _U_, const struct series_poll *before _U_)
{
    return 1;
}

static struct poll_shape
shape(const struct poll *poll _U_, unsigned block)
{
    return (struct poll_shape){ .num_rows = ROWS, .num_columns = COLUMNS, .is_named = block == 0 };
}

static struct identity_label *
label_at(const struct poll *poll _U_, unsigned block _U_, unsigned at)
{
    return &labels[at];
}

static struct poll_bytes
bytes_at(const struct poll *poll _U_, unsigned block _U_, unsigned at)
{
    return (struct poll_bytes){ .offset = at, .length = 8 };
}

/* The last value has nothing to be compared with. */
static bool
cook_at(const struct poll *poll _U_, unsigned block _U_, unsigned at, struct poll_meaning *meaning)
{
    num_cooked++;
    meaning->cooked = (struct cook_result){ .reason = COOK_OK, .value = at };
    return at < ROWS * COLUMNS - 1;
}

static const struct poll_api api = { .shape = shape, .label = label_at, .bytes = bytes_at, .cook = cook_at };

static void
check_watched(struct poll *poll, unsigned at, unsigned cooked, unsigned added)
{
    watched = at;
    num_cooked = num_added = 0;
    poll_add_watched(poll, NULL, NULL);
    CHECK(num_cooked == cooked && num_added == added, "%u: %u cooked, %u added", at, num_cooked, num_added);
}

int
main(void)
{
    struct poll poll = { .api = &api, .num_blocks = 2 };

    wmem_init();
    poll.scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_watched(&poll, ROWS * COLUMNS, 0, 0);
    check_watched(&poll, 3, 1, 1);
    check_watched(&poll, 3, 0, 1);
    check_watched(&poll, ROWS * COLUMNS - 1, 1, 0);
    CHECK(poll_meaning(&poll, 0, 3)->cooked.value == 3 && num_cooked == 1, "cooked once");
    wmem_destroy_allocator(poll.scope);
    return check_result();
}
