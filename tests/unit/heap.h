/* heap.h
 * What is repeated takes no more memory each time: of the GNU C library, others do not tell
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_HEAP_H
#define PERFLIB_TESTS_UNIT_HEAP_H

#include <glib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "check.h"

#define HEAP_ROUNDS 200u

/* Returns the bytes that are allocated; 0 if nobody tells, as with sanitizers. */
static inline size_t
heap_used(void)
{
#ifdef __GLIBC__
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/*
 * CHECK_HEAP(statement, format, ...): the statement keeps nothing: in the mean less than the smallest block, 16 bytes. It has
 * run as often before, since the C library keeps some blocks of each size for the next who want them.
 */
#define CHECK_HEAP(statement, ...) \
    do { \
        size_t heap_before = 0; \
        for (unsigned heap_round = 0; heap_round < 2 * HEAP_ROUNDS; heap_round++) { \
            heap_before = heap_round == HEAP_ROUNDS ? heap_used() : heap_before; \
            statement; \
        } \
        CHECK(heap_used() < heap_before + HEAP_ROUNDS * 16, __VA_ARGS__); \
    } while (0)

#endif /* PERFLIB_TESTS_UNIT_HEAP_H */
