/* check.h
 * A check that counts and goes on, for unit tests in plain C
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB____TESTS_UNIT_CHECK_H
#define PERFLIB____TESTS_UNIT_CHECK_H

#include <stdio.h>

static unsigned checks_made;
static unsigned checks_failed;

/*
 * CHECK(condition, format, ...): where the condition does not hold, prints the place, the name of the test, which says what
 * must hold, the condition that was expected and the formatted words, which say of what.
 */
#define CHECK(condition, ...) \
    do { \
        checks_made++; \
        if (!(condition)) { \
            checks_failed++; \
            fprintf(stderr, "%s:%d: %s(): expected %s: ", __FILE__, __LINE__, __func__, #condition); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
        } \
    } while (0)

/* What main() returns: 0 where checks were made and all held. */
static inline int
check_result(void)
{
    printf("%u checks, %u failed\n", checks_made, checks_failed);
    return checks_made == 0 || checks_failed != 0;
}

#endif /* PERFLIB____TESTS_UNIT_CHECK_H */
