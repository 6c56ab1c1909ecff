/* check.h
 * A check that counts and goes on, for unit tests in plain C
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB____TESTS_UNIT_CHECK_H
#define PERFLIB____TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static unsigned checks_made;
static unsigned checks_failed;

/*
 * Counts a check. One that fails prints the place, the name of the test, which says what must hold, what `print` prints,
 * and the formatted words, which say of what.
 */
#define CHECK_OR_PRINT(holds, print, ...) \
    do { \
        checks_made++; \
        if (!(holds)) { \
            checks_failed++; \
            fprintf(stderr, "%s:%d: %s(): ", __FILE__, __LINE__, __func__); \
            print; \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
        } \
    } while (0)

/* CHECK(condition, format, ...): prints the condition that was expected. */
#define CHECK(condition, ...) CHECK_OR_PRINT(condition, fprintf(stderr, "expected %s: ", #condition), __VA_ARGS__)

/* CHECK_EQUAL(got, expected, format, ...): the same of whole numbers, both of which are printed. Of others it does not compile. */
#define CHECK_EQUAL(got, expected, ...) \
    do { \
        const int64_t check_got = (int64_t)(0 | (got)), check_expected = (int64_t)(0 | (expected)); \
        CHECK_OR_PRINT(check_got == check_expected, \
            fprintf(stderr, "%s is %" PRId64 " (0x%" PRIx64 "), expected %" PRId64 " (0x%" PRIx64 "): ", #got, \
                check_got, (uint64_t)check_got, check_expected, (uint64_t)check_expected), \
            __VA_ARGS__); \
    } while (0)

/* CHECK_STRING(got, expected, format, ...): the same of strings, of which the first may be NULL. */
#define CHECK_STRING(got, expected, ...) \
    do { \
        const char *const check_got = (got), *const check_expected = (expected); \
        CHECK_OR_PRINT(check_got != NULL && strcmp(check_got, check_expected) == 0, \
            fprintf(stderr, "%s is \"%s\", expected \"%s\": ", #got, check_got != NULL ? check_got : "(NULL)", \
                check_expected), \
            __VA_ARGS__); \
    } while (0)

/* What main() returns: 0 where checks were made and all held. */
static inline int
check_result(void)
{
    printf("%u checks, %u failed\n", checks_made, checks_failed);
    return checks_made == 0 || checks_failed != 0;
}

#endif /* PERFLIB____TESTS_UNIT_CHECK_H */
