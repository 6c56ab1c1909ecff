/* cooking.h
 * Computes the number that Performance Monitor shows (cooked) from raw counter values
 *
 * Plain C without Wireshark, so the arithmetic is tested alone. Formulas: [MS-PCQ] 2.2.4.2 and "Calculating Counter
 * Values" (Microsoft Learn). Where they disagree, cooking.c and the text of the formula say which is used.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_COOKING_H
#define PERFLIB_COOK_COOKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A raw value in this poll and, if have_previous, in the previous one. Values of 8 bytes are signed, as in PDH
 * (LONGLONG), and stored as unsigned bits.
 */
struct cook_value {
    uint64_t now;
    uint64_t before;
    uint8_t width; /* bytes on the wire, 4 or 8: a 4-byte value wraps at 2^32. Unused for an object's clock. */
    bool present;  /* false: the poll does not contain the counter */
    bool have_previous;
};

/* Clocks of one poll: PERF_DATA_HEADER ([MS-PCQ] 2.2.4.7), or the data block of the older API */
struct cook_clocks {
    uint64_t perf_time;  /* PerfTimeStamp, ticks of perf_freq */
    uint64_t time_100ns; /* PerfTime100NSec, 100 ns units */
    uint64_t perf_freq;  /* frequency of perf_time in ticks per second */
};

/* X(reason, name in files, text): why there is no cooked value, in the order of the checks */
/* clang-format off */
#define COOK_REASONS(X) \
    X(COOK_OK, "", "") \
    X(COOK_TYPE_UNKNOWN, "type_unknown", "type unknown") /* the type was not learned, or its number has no name */ \
    X(COOK_NOT_DISPLAYED, "not_displayed", "not displayed") /* a base, timestamp or no-data type */ \
    X(COOK_TEXT, "text", "text") /* a text, not a number */ \
    X(COOK_NO_FORMULA, "no_formula", "type unknown (no formula)") /* PERF_COUNTER_HISTOGRAM_TYPE */ \
    X(COOK_WRONG_SIZE, "wrong_size", "value neither 4 nor 8 bytes") \
    X(COOK_FIRST_SAMPLE, "first_sample", "first sample") /* no earlier poll of the handle */ \
    X(COOK_INSTANCE_NEW, "instance_new", "instance new") /* the previous poll lacks this counter and instance */ \
    X(COOK_OTHER_PROCESS, "other_process", "other process") /* the previous value is another process's */ \
    X(COOK_NO_BASE, "no_base", "base not in query") /* the base counter is not in the poll */ \
    X(COOK_NO_TIME, "no_time", "base not in query (time counter)") /* the time counter is not in the poll */ \
    X(COOK_NO_FREQ, "no_freq", "base not in query (frequency counter)") /* the frequency counter is not in the poll */ \
    X(COOK_NO_MULTI, "no_multi", "base not in query (multi counter)") /* the multi counter is not in the poll */ \
    X(COOK_BASE_UNKNOWN, "base_unknown", "base unknown") /* the base is absent, but may have been requested */ \
    X(COOK_NO_PREVIOUS_BASE, "no_previous_base", "base unknown (previous poll)") \
    X(COOK_NO_PREVIOUS_TIME, "no_previous_time", "base unknown (time counter, previous poll)") \
    X(COOK_FREQ_CHANGED, "freq_changed", "frequency changed") /* PerfFreq differs between the two polls */ \
    X(COOK_TIME_WENT_BACK, "time_went_back", "time went back") /* or the start time is after the object time */ \
    X(COOK_COUNTER_DECREASED, "counter_decreased", "counter decreased") \
    X(COOK_BASE_DECREASED, "base_decreased", "counter decreased (base)") \
    X(COOK_NEGATIVE_BASE, "negative_base", "negative base") /* the base or the multi counter is below zero */ \
    X(COOK_ZERO_INTERVAL, "zero_interval", "zero base (no time passed)") \
    X(COOK_ZERO_BASE, "zero_base", "zero base") /* the base, its difference or the multi counter is zero */ \
    X(COOK_ZERO_FREQ, "zero_freq", "zero base (frequency)") \
    X(COOK_NO_CLOCK, "no_clock", "no clock") /* the object's clock is missing: its time and frequency are zero */ \
    X(COOK_COUNTER_NOT_CAPTURED, "counter_not_captured", "counter not captured") \
    X(COOK_COUNTER_UNKNOWN, "counter_unknown", "counter unknown") /* set by callers only, never by cook() */
/* clang-format on */

#define COOK_REASON(reason, ...) reason,
enum cook_reason { COOK_REASONS(COOK_REASON) COOK_NUM_REASONS };
#undef COOK_REASON

enum cook_unit { COOK_UNIT_NONE, COOK_UNIT_PERCENT, COOK_UNIT_PER_SECOND, COOK_UNIT_SECONDS };

/* How values of a type are cooked; constant */
struct cook_method;

/*
 * Input of the arithmetic. Members that cook_needs() does not name may be zero. For types that use PerfTimeId and
 * PerfFreqId the older API has the object's clock (PerfTime and PerfFreq of PERF_OBJECT_TYPE): put that into time and
 * freq.
 */
struct cook_input {
    uint32_t type; /* counter type (PERF_*) */
    bool type_known;
    /* cook_method() of the type, if the caller looked it up (once for many values); else NULL */
    const struct cook_method *method;
    bool polled_before;    /* true if the handle was polled before, with or without this value */
    bool has_base_id;      /* true if BaseCounterId names a counter, even if the poll does not contain that one */
    bool as_hex;           /* true if Attrib asks for hexadecimal digits: no bit is a sign */
    bool as_real;          /* true if Attrib asks for a real number */
    bool is_other_process; /* true if the previous value belongs to another process of the same name */
    unsigned unknown; /* COOK_NEEDS_* of operands that the client may have requested although the poll lacks them */
    struct cook_value value;
    struct cook_clocks now, before;
    struct cook_value base;  /* value of the counter that BaseCounterId names */
    struct cook_value time;  /* value of the counter that PerfTimeId names */
    struct cook_value freq;  /* value of the counter that PerfFreqId names */
    struct cook_value multi; /* value of the counter that MultiId names */
};

struct cook_result {
    double value;   /* valid if reason is COOK_OK; always finite */
    uint64_t whole; /* if is_whole: the exact magnitude; .value has the sign */
    bool is_whole;
    bool is_hex;         /* true if shown in hexadecimal: a HEX type, or as_hex */
    bool is_real;        /* true if Attrib asks for a real number, even if is_whole */
    enum cook_unit unit; /* unit of the type, even if there is no value */
    enum cook_reason reason;
    /*
     * Constant text such as "100*(N1-N0)/(T1-T0)", with a note if a wrap was assumed; NULL if the type has no formula
     */
    const char *formula;
};

/*
 * cook_needs() returns the operands of a type's formula besides the value, as bits; 0 for an unknown type. With both
 * BASE and TIME (PERF_PRECISION_OBJECT_TIMER) only one is needed: the base if has_base_id is set or a base is present,
 * else the time.
 */
#define COOK_NEEDS_PREVIOUS 0x01u
#define COOK_NEEDS_BASE     0x02u
#define COOK_NEEDS_TIME     0x04u
#define COOK_NEEDS_FREQ     0x08u
#define COOK_NEEDS_MULTI    0x10u
unsigned cook_needs(uint32_t type);

/* Returns the method of a type, or NULL if its values are not cooked. */
const struct cook_method *cook_method(uint32_t type);

/*
 * Cooks one value. Any input is allowed; an input without a value gives a reason. A percentage may exceed 100, and that
 * of an inverse type may be negative.
 */
struct cook_result cook(const struct cook_input *in);

/* Returns "%", "/s", "s" or "". */
const char *cook_unit_text(enum cook_unit unit);
/*
 * Returns a reason as text, for example "first sample"; "" for COOK_OK. Similar reasons have the same beginning: "base
 * not in query", "base not in query (previous poll)".
 */
const char *cook_reason_text(enum cook_reason reason);
/* Returns a reason's name in files, for example "first_sample". Programs rely on it. */
const char *cook_reason_name(enum cook_reason reason);

/*
 * Formulas with their numbers filled in
 *
 * Plain C without Wireshark
 */

/* Size of a buffer for any formula with its numbers filled in */
#define COOK_NUMBERS_MAX 256

/* ---- formula.c ---- */

/*
 * Writes the formula of a result with its numbers filled in, "100*(1-(8655835863-8655735863)/(1000-900))", without the
 * legend after the semicolon. Writes "" if the formula is just N1, or the buffer is too small.
 */
void cook_formula_numbers(const struct cook_input *in, const char *formula, char *numbers, size_t size);

/* Digits of a cooked value, as trees and tables show them */

/* Size of a buffer for the digits of any value, with terminator */
#define COOK_DIGITS_SIZE 32

/* ---- cooked-digits.c ---- */

/*
 * Writes the digits of a value whose reason is COOK_OK, without its unit: whole and hexadecimal numbers exactly, others
 * with three decimals, very small and very large ones with six digits and an exponent. Independent of the locale.
 */
void cook_digits(const struct cook_result *cooked, char digits[COOK_DIGITS_SIZE]);

/*
 * PDH's codes: the library under Windows' own tools reports errors by them
 *
 * Plain C without Wireshark. Names, numbers and meanings: pdhmsg.h; "Performance Data Helper Error Codes" and "Checking
 * Counter Data Status Codes" (Microsoft Learn).
 */

/* X(name, value); ordered by value */
/* clang-format off */
#define PDH_CODES(X) \
    X(PDH_CSTATUS_NO_MACHINE,        0x800007D0u) \
    X(PDH_CSTATUS_NO_INSTANCE,       0x800007D1u) \
    X(PDH_CALC_NEGATIVE_DENOMINATOR, 0x800007D6u) \
    X(PDH_CALC_NEGATIVE_TIMEBASE,    0x800007D7u) \
    X(PDH_CALC_NEGATIVE_VALUE,       0x800007D8u) \
    X(PDH_CSTATUS_NO_OBJECT,         0xC0000BB8u) \
    X(PDH_CSTATUS_NO_COUNTER,        0xC0000BB9u) \
    X(PDH_CSTATUS_INVALID_DATA,      0xC0000BBAu) \
    X(PDH_ACCESS_DENIED,             0xC0000BDBu)
/* clang-format on */

/* ---- pdh.c ---- */

/*
 * Returns PDH's code for a result; 0 if PDH has a value, too, or its code is uncertain. A negative percentage, which
 * cook() returns, is an error for PDH.
 */
uint32_t pdh_of_value(const struct cook_result *cooked);
/* Returns PDH's code for a Win32 error of a server; 0 if PDH's code is uncertain. */
uint32_t pdh_of_error(uint32_t error);
/* Returns the name of a PDH code, for example "PDH_CSTATUS_NO_OBJECT"; "" if it has none. */
const char *pdh_name(uint32_t code);

/*
 * Decimal digits of numbers, for output by the million: printf() parses its format each time and looks up the locale
 *
 * Plain C without Wireshark
 */

/* Size of a buffer for the digits of any number, with terminator */
#define DIGITS_MAX 24

/* ---- digits.c ---- */

/* Writes a number as "%" PRIu64 does, for example "18446744073709551615". Returns its length. */
size_t digits_whole(char out[DIGITS_MAX], uint64_t number);

/* Writes a signed number given as magnitude and sign. Returns its length. */
size_t digits_signed(char out[DIGITS_MAX], uint64_t magnitude, bool is_negative);

/*
 * Writes a number as "%.3f" does, for example "-12.346": the exact value, rounded to nearest, ties to even. The
 * magnitude must be below 1e15. Returns its length.
 */
size_t digits_thousandths(char out[DIGITS_MAX], double number);

/*
 * Writes a number as "%.15g" does, for example "-0.0125". Returns its length, or 0 if that would need an exponent or
 * would not read back as the same double.
 */
size_t digits_exact(char out[DIGITS_MAX], double number);

#endif /* PERFLIB_COOK_COOKING_H */
