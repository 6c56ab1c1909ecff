/* test_formula.c
 * Formulas with their numbers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include <stdint.h>
#include <string.h>

#include "check.h"

static const struct cook_input input = {
    .value = { .now = 101, .before = 100 },
    .base = { .now = 201, .before = 200 },
    .now = { .perf_time = 301, .time_100ns = 401, .perf_freq = 10 },
    .before = { .perf_time = 300, .time_100ns = 400, .perf_freq = 11 },
    .time = { .now = 501, .before = 500 },
    .freq = { .now = 20 },
    .multi = { .now = 4 },
};

static void
check_numbers(const char *formula, const char *expected)
{
    char numbers[COOK_NUMBERS_MAX];

    /* What stood there before is gone. */
    memset(numbers, '?', sizeof numbers);
    numbers[sizeof numbers - 1] = '\0';
    cook_formula_numbers(&input, formula, numbers, sizeof numbers);
    CHECK(strcmp(numbers, expected) == 0, "%s: %s", formula, numbers);
}

int
main(void)
{
    const struct cook_input largest = {
        .value = { .now = UINT64_MAX, .before = UINT64_MAX },
        .base = { .now = UINT64_MAX, .before = UINT64_MAX },
        .now = { .perf_time = UINT64_MAX, .perf_freq = UINT64_MAX },
        .before = { .perf_time = UINT64_MAX },
        .multi = { .now = UINT64_MAX },
    };
    /* 8 bytes: 3 - (-1), and over 2^63, where the numbers as sent come to the difference */
    const struct cook_input negative = {
        .value = { .now = 3, .before = UINT64_MAX, .width = 8 },
        .base = { .now = UINT64_C(1) << 63, .before = INT64_MAX, .width = 8 },
    };
    const struct cook_input alone = {
        .value = { .now = UINT64_MAX, .before = 1, .width = 8 },
        .base = { .now = 7, .width = 8 },
    };
    static const struct {
        struct cook_value value;
        const char *difference, *alone;
    } signs[] = {
        { { .now = INT64_MAX, .before = INT64_MAX, .width = 8 }, "9223372036854775807-9223372036854775807",
            "9223372036854775807/1" },
        { { .now = UINT64_C(1) << 63, .before = UINT64_C(1) << 63, .width = 8 },
            "9223372036854775808-9223372036854775808", "(-9223372036854775808)/1" },
        { { .now = UINT64_MAX - 4, .before = UINT64_MAX, .width = 8 }, "(-5)-(-1)", "(-5)/1" },
        { { .now = UINT64_MAX, .before = UINT64_MAX - 4, .width = 8 }, "18446744073709551615-18446744073709551611",
            "(-1)/1" },
        { { .now = UINT32_MAX, .before = UINT32_MAX, .width = 4 }, "4294967295-4294967295", "4294967295/1" },
    };
    char numbers[COOK_NUMBERS_MAX], small[10], middle[40], guarded[60];

    check_numbers("N1", "");
    check_numbers("N1; without any", "");
    check_numbers("N1-N0", "101-100");
    check_numbers("100*N1/B1", "100*101/201");
    check_numbers("(N1-N0)/((T1-T0)/F); T PerfTimeStamp, F PerfFreq", "(101-100)/((301-300)/10)");
    check_numbers("100*(1-(N1-N0)/(X1-X0)); X PerfTime100NSec", "100*(1-(101-100)/(401-400))");
    check_numbers("100*(M1-(N1-N0)/(T1-T0))", "100*(4-(101-100)/(301-300))");
    check_numbers("(O1-N1)/FO1; O object time", "(501-101)/20");
    check_numbers("(N1-N0)/(O1-O0)", "(101-100)/(501-500)");
    check_numbers("((N1-N0)/F)/(B1-B0); F PerfFreq", "((101-100)/10)/(201-200)");
    cook_formula_numbers(&largest, "100*((N1-N0)/(T1-T0))/M1; T PerfTimeStamp", numbers, sizeof numbers);
    CHECK(strcmp(numbers,
              "100*((18446744073709551615-18446744073709551615)/"
              "(18446744073709551615-18446744073709551615))/18446744073709551615") == 0,
        "%s", numbers);
    cook_formula_numbers(&negative, "(N1-N0)/(B1-B0)", numbers, sizeof numbers);
    CHECK(strcmp(numbers, "(3-(-1))/(9223372036854775808-9223372036854775807)") == 0, "%s", numbers);
    cook_formula_numbers(&alone, "100*N1/B1", numbers, sizeof numbers);
    CHECK(strcmp(numbers, "100*(-1)/7") == 0, "%s", numbers);
    /* What the sign bit says, and when: 8 bytes, and where the older one is larger. */
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const struct cook_input in = { .value = signs[i].value };

        cook_formula_numbers(&in, "N1-N0", numbers, sizeof numbers);
        CHECK(strcmp(numbers, signs[i].difference) == 0, "%zu: %s, not %s", i, numbers, signs[i].difference);
        cook_formula_numbers(&in, "N1/1", numbers, sizeof numbers);
        CHECK(strcmp(numbers, signs[i].alone) == 0, "%zu: %s, not %s", i, numbers, signs[i].alone);
    }
    /* 3 digits, of 24 at most each, and an operator: a byte less than 24 behind it all is too little. */
    cook_formula_numbers(&input, "N1-N0", numbers, 7 + 24);
    CHECK(numbers[0] == '\0', "%s", numbers);
    cook_formula_numbers(&input, "N1-N0", numbers, 7 + 24 + 1);
    CHECK(strcmp(numbers, "101-100") == 0, "%s", numbers);
    /* Nothing is written where there is no room. */
    memset(numbers, '?', sizeof numbers);
    cook_formula_numbers(&input, "N1-N0", numbers, 1);
    CHECK(numbers[0] == '\0' && numbers[1] == '?', "%s", numbers);
    /* What does not fit is not cut: half a number is a wrong one. */
    cook_formula_numbers(&largest, "N1-N0", small, sizeof small);
    CHECK(small[0] == '\0', "%s", small);
    cook_formula_numbers(&largest, "N1-N0", middle, sizeof middle);
    CHECK(middle[0] == '\0', "%s", middle);
    memset(guarded, '#', sizeof guarded);
    cook_formula_numbers(&largest, "N1-N0", guarded, 10);
    CHECK_EQUAL(guarded[0], '\0', "more is written than fits");
    CHECK_EQUAL(guarded[10], '#', "more is written than fits");
    CHECK_EQUAL(memcmp(&guarded[10], &guarded[11], sizeof guarded - 11), 0, "more is written than fits");
    cook_formula_numbers(&input, "(((((N1)))))", small, sizeof small);
    CHECK(small[0] == '\0', "%s", small);
    return check_result();
}
