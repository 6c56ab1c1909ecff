/* test_answer_place.c
 * Which of several answers is the call's own, however often and in whatever order packets are dissected
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include "check.h"

static wmem_allocator_t *pool;

/* One dissection of a packet. */
static packet_info
dissection(uint32_t frame)
{
    return (packet_info){ .num = frame, .pool = pool };
}

/* Dissects a packet with three answers to a call: which of them is its own; 3: none, 4: several. */
static unsigned
own_of(struct answer_place *answer, uint32_t frame)
{
    packet_info pinfo = dissection(frame);
    unsigned own = 3;

    for (unsigned i = 0; i < 3; i++) {
        if (answer_place_is_own(answer, &pinfo, 1)) {
            own = own == 3 ? i : 4;
        }
    }
    return own;
}

int
main(void)
{
    struct answer_place first = { 0 }, second = { 0 }, third = { 0 };
    packet_info pinfo;

    wmem_init();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);

    CHECK(own_of(&first, 7) == 0, "the first that is seen");
    CHECK(own_of(&first, 7) == 0 && own_of(&first, 7) == 0, "and whenever it is dissected again");
    CHECK(own_of(&first, 9) == 3 && own_of(&first, 5) == 3, "of no other packet");
    CHECK(own_of(&first, 7) == 0, "after others");

    /* Two calls are answered in one packet: each has its own. */
    pinfo = dissection(8);
    CHECK(answer_place_is_own(&second, &pinfo, 1) && answer_place_is_own(&third, &pinfo, 1),
        "each the first of a call");
    CHECK(!answer_place_is_own(&third, &pinfo, 1) && !answer_place_is_own(&second, &pinfo, 1), "each the second");
    pinfo = dissection(8);
    CHECK(answer_place_is_own(&third, &pinfo, 1) && !answer_place_is_own(&third, &pinfo, 1), "once more");
    wmem_destroy_allocator(pool);
    wmem_cleanup();
    return check_result();
}
