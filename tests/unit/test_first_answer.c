/* test_first_answer.c
 * Which of several answers is the call's own, however often and in whatever order packets are dissected
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include "check.h"

/* Dissects a packet with three answers to a call: which of them is its own; 3: none, 4: several. */
static unsigned
own_of(struct first_answer *answer, uint32_t frame)
{
    static unsigned dissections;
    const packet_info pinfo = { .num = frame };
    const unsigned dissection = ++dissections;
    unsigned own = 3;

    for (unsigned i = 0; i < 3; i++) {
        if (first_answer_is_this(answer, &pinfo, dissection)) {
            own = own == 3 ? i : 4;
        }
    }
    return own;
}

int
main(void)
{
    struct first_answer first = { 0 }, second = { 0 }, third = { 0 };
    const packet_info pinfo = { .num = 8 };

    CHECK_EQUAL(own_of(&first, 7), 0, "the first that is seen");
    CHECK_EQUAL(own_of(&first, 7), 0, "and whenever it is dissected again");
    CHECK_EQUAL(own_of(&first, 7), 0, "and whenever it is dissected again");
    CHECK_EQUAL(own_of(&first, 9), 3, "of no other packet");
    CHECK_EQUAL(own_of(&first, 5), 3, "of no other packet");
    CHECK_EQUAL(own_of(&first, 7), 0, "after others");

    /* Two calls are answered in one packet: each has its own. */
    CHECK(first_answer_is_this(&second, &pinfo, 1), "each the first of a call");
    CHECK(first_answer_is_this(&third, &pinfo, 1), "each the first of a call");
    CHECK(!first_answer_is_this(&third, &pinfo, 1), "each the second");
    CHECK(!first_answer_is_this(&second, &pinfo, 1), "each the second");
    CHECK(first_answer_is_this(&third, &pinfo, 2), "once more");
    CHECK(!first_answer_is_this(&third, &pinfo, 2), "once more");
    return check_result();
}
