/* cooking.h
 * From raw counter values to the number Performance Monitor shows
 *
 * Plain C: nothing of Wireshark is needed here, so the arithmetic is tested alone.
 * Formulas: [MS-PCQ] 2.2.4.2 and "Calculating Counter Values" (Microsoft Learn); where
 * the two disagree cooking.c says which is used, and so does the formula's text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_COOKING_H
#define PERFLIB_COOK_COOKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A raw value in this poll and, where have_previous is set, in the previous one. Those of 8 bytes are signed, as PDH
 * keeps them (LONGLONG); here stand their bits.
 */
struct cook_value {
    uint64_t now;
    uint64_t before;
    uint8_t width; /* bytes on the wire, 4 or 8: a 4-byte value wraps at 2^32; of an object's clock nobody asks */
    bool present;  /* false: this counter is not in the poll */
    bool have_previous;
};

/* The clocks of one poll: PERF_DATA_HEADER (2.2.4.7), or the data block of the older API. */
struct cook_clocks {
    uint64_t perf_time;  /* PerfTimeStamp, ticks of perf_freq */
    uint64_t time_100ns; /* PerfTime100NSec, 100 ns units */
    uint64_t perf_freq;  /* ticks a second */
};

/* Why there is no cooked value. The order is that of the checks. */
enum cook_reason {
    COOK_OK,
    COOK_TYPE_UNKNOWN,     /* the type was not learned, or its number has no name */
    COOK_NOT_DISPLAYED,    /* a base, timestamp or no-data type */
    COOK_TEXT,             /* a text, not a number */
    COOK_NO_FORMULA,       /* a type nobody computes: histogram */
    COOK_WRONG_SIZE,       /* the value is neither 4 nor 8 bytes long */
    COOK_FIRST_SAMPLE,     /* no earlier poll of the handle */
    COOK_INSTANCE_NEW,     /* an earlier poll, but without this counter and instance */
    COOK_OTHER_PROCESS,    /* the earlier value is of another process of the same name */
    COOK_NO_BASE,          /* the base counter is not in the poll */
    COOK_NO_TIME,          /* the time counter is not in the poll */
    COOK_NO_FREQ,          /* the frequency counter is not in the poll */
    COOK_NO_MULTI,         /* the multi counter is not in the poll */
    COOK_NO_PREVIOUS_BASE, /* the base counter is not in the previous poll */
    COOK_NO_PREVIOUS_TIME, /* the time counter is not in the previous poll */
    COOK_FREQ_CHANGED,     /* PerfFreq: the ticks of the two polls are of different length */
    COOK_TIME_WENT_BACK,   /* also: an elapsed time's start lies after its clock */
    COOK_COUNTER_DECREASED,
    COOK_BASE_DECREASED,
    COOK_NEGATIVE_BASE,        /* the base or the multi counter is below zero */
    COOK_ZERO_INTERVAL,        /* no time passed */
    COOK_ZERO_BASE,            /* the base, its difference or the multi counter is zero */
    COOK_ZERO_FREQ,            /* the frequency is zero */
    COOK_NO_CLOCK,             /* the object has no clock: its time and frequency are zero */
    COOK_COUNTER_NOT_CAPTURED, /* the same, as what tells it is not in the capture */
    COOK_COUNTER_UNKNOWN,      /* never a result of cook(): it is not known which counter the value is of */
    COOK_NUM_REASONS
};

enum cook_unit { COOK_UNIT_NONE, COOK_UNIT_PERCENT, COOK_UNIT_PER_SECOND, COOK_UNIT_SECONDS };

/*
 * What the arithmetic starts from. Only what cook_needs() names has to be filled in, the rest
 * may be zero. Types that use PerfTimeId and PerfFreqId take the object's own clock in the
 * older API: PERF_OBJECT_TYPE's PerfTime and PerfFreq then stand in time and freq.
 */
struct cook_input {
    uint32_t type; /* counter type */
    bool type_known;
    bool polled_before;    /* the handle was polled before, whether or not this value was in it */
    bool has_base_id;      /* BaseCounterId names a counter, be it in the poll or not */
    bool as_hex;           /* Attrib: shown in hexadecimal, so its bits are no sign */
    bool as_real;          /* Attrib: shown as a real number */
    bool is_other_process; /* the previous value is of another process of the same name */
    struct cook_value value;
    struct cook_clocks now, before;
    struct cook_value base;  /* by BaseCounterId */
    struct cook_value time;  /* by PerfTimeId */
    struct cook_value freq;  /* by PerfFreqId */
    struct cook_value multi; /* by MultiId */
};

struct cook_result {
    double value;   /* meaningful only where reason is COOK_OK; always finite */
    uint64_t whole; /* where is_whole: its magnitude, not rounded through a double; value has the sign */
    bool is_whole;
    bool is_hex;         /* a HEX type, or as_hex: shown in hexadecimal */
    bool is_real;        /* as_real: shown as a real number even where is_whole */
    enum cook_unit unit; /* of the type, also where there is no value */
    enum cook_reason reason;
    /* Constant text, e.g. "100*(N1-N0)/(T1-T0)", which says where a wrap was assumed; NULL where the type has none. */
    const char *formula;
};

/*
 * What a formula needs besides the value itself, so that the caller looks up no more
 * than that. Bits of COOK_NEEDS_*; 0 for an unknown type. Where both BASE and TIME are set
 * (PERF_PRECISION_OBJECT_TIMER) the base is used when has_base_id is set or a base is
 * present, else the time.
 */
#define COOK_NEEDS_PREVIOUS 0x01u
#define COOK_NEEDS_BASE     0x02u
#define COOK_NEEDS_TIME     0x04u
#define COOK_NEEDS_FREQ     0x08u
#define COOK_NEEDS_MULTI    0x10u
unsigned cook_needs(uint32_t type);

/*
 * Cook one value. Never fails: an input that allows no value gives a reason instead
 * (layout-independent, every 64-bit pattern is allowed everywhere). A percentage may
 * exceed 100, and that of an inverse type may be negative: shown as it is.
 */
struct cook_result cook(const struct cook_input *in);

/* "%", "/s", "s" or "". */
const char *cook_unit_text(enum cook_unit unit);
/*
 * A reason in words, e.g. "first sample"; "" for COOK_OK. Kindred reasons begin alike and end in what
 * sets them apart: "base not in query", "base not in query (previous poll)".
 */
const char *cook_reason_text(enum cook_reason reason);
/* What a reason is called in files, "first_sample": a promise to programs. */
const char *cook_reason_name(enum cook_reason reason);

/*
 * A formula with its numbers, so that nobody has to collect them from two polls
 *
 * Plain C: nothing of Wireshark is needed here.
 */

/* Room for the numbers of any formula. */
#define COOK_NUMBERS_MAX 256

/* ---- formula.c ---- */

/*
 * Writes a formula of cook() with the numbers it was computed from, "100*(1-(8655835863-8655735863)/(1000-900))",
 * without the legend behind the semicolon, to numbers, which has size bytes. "" where there is nothing to compute (N1),
 * or no room.
 */
void cook_formula_numbers(const struct cook_input *in, const char *formula, char *numbers, size_t size);

/* The digits of a cooked value, as trees and tables show them */

/* Room for any of them, and the end of the text. */
#define COOK_DIGITS_SIZE 32

/* ---- cooked-digits.c ---- */

/*
 * The digits of a value whose reason is COOK_OK, without its unit: whole numbers and hexadecimal ones exactly, others
 * with three decimals, very small and very large ones with six digits and an exponent. Whatever the locale.
 */
void cook_digits(const struct cook_result *cooked, char digits[COOK_DIGITS_SIZE]);

/*
 * The codes in which PDH, which Windows' own tools are built on, says what is said here in words
 *
 * Plain C: nothing of Wireshark is needed here.
 * Names, numbers and meanings: pdhmsg.h; "Performance Data Helper Error Codes" and "Checking Counter Data Status
 * Codes" (Microsoft Learn).
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

/* What PDH says of a value; 0: a value, or nothing that is known for sure. Percentages below zero it refuses. */
uint32_t pdh_of_value(const struct cook_result *cooked);
/* What PDH says of what a server refused with a Win32 error; 0: nothing that is known for sure. */
uint32_t pdh_of_error(uint32_t error);
/* The name of a code, "PDH_CSTATUS_NO_OBJECT"; "" for any other number. */
const char *pdh_name(uint32_t code);

/*
 * Numbers in decimal digits, for what is written by the million: printf() reads its format anew each time, and asks
 * for the locale
 *
 * Plain C: nothing of Wireshark is needed here.
 */

/* Room for each, terminator included. */
#define DIGITS_MAX 24

/* ---- digits.c ---- */

/* Writes "18446744073709551615", as "%" PRIu64 does. Returns its length. */
size_t digits_whole(char out[DIGITS_MAX], uint64_t number);

/* The same of a number with a sign, of which magnitude is the rest. */
size_t digits_signed(char out[DIGITS_MAX], uint64_t magnitude, bool is_negative);

/*
 * Writes "-12.346", as "%.3f" does: the double's exact value, rounded to the nearest, ties to even. Its magnitude is
 * below 1e15. Returns its length.
 */
size_t digits_thousandths(char out[DIGITS_MAX], double number);

/*
 * Writes "-0.0125", as "%.15g" does, where that needs no exponent and reads back as the same double. Returns its
 * length, or 0 where it would not.
 */
size_t digits_exact(char out[DIGITS_MAX], double number);

#endif /* PERFLIB_COOK_COOKING_H */
