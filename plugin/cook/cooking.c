/* cooking.c
 * Computes cooked values
 *
 * [MS-PCQ] 2.2.4.2, "Calculating Counter Values" (Microsoft Learn), the Windows NT Resource Kit's table of counter
 * types, winperf.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cook/cooking.h"

#include "cook/counter-types.h"

enum numerator {
    VALUE,    /* N1, the value in this poll */
    INCREASE, /* N1-N0, where N0 is the value in the previous poll */
    AGE       /* O1-N1: the time of the object (PerfTimeId) minus the start time */
};

enum denominator {
    NOTHING,
    TICKS,           /* T1-T0; T PerfTimeStamp */
    SECONDS,         /* (T1-T0)/F; T PerfTimeStamp, F PerfFreq */
    UNITS_100NS,     /* X1-X0; X PerfTime100NSec */
    OBJECT_TIME,     /* O1-O0; O object time (PerfTimeId) */
    OBJECT_FREQ,     /* FO1, the frequency of object time (PerfFreqId) */
    BASE,            /* B1, the value of the base counter */
    BASE_INCREASE,   /* B1-B0; B value of the base counter */
    BASE_INCREASE_F, /* (B1-B0)*F; B value of the base counter, F PerfFreq */
    BASE_INCREASE_OR_OBJECT_TIME
};

/* Index of a method's formula: bits for a value that wrapped, and for a base that wrapped */
#define WRAPPED_VALUE 1u
#define WRAPPED_BASE  2u
/* clang-format off */
#define FORMULA_ALONE(text) { text, text, text, text }
#define FORMULA(text) { \
    text, \
    text "; N wrapped once at 2^32", \
    text "; B wrapped once at 2^32", \
    text "; N and B wrapped once at 2^32" }
/* clang-format on */

/*
 * How to cook a type. With the ratio R = numerator/denominator and the multi counter M the result is R, 1-R, R/M or
 * M-R, by the type's inverse and multi bits; times 100 if the unit is percent.
 */
struct cook_method {
    uint32_t type;
    enum numerator numerator;
    enum denominator denominator;
    enum cook_unit unit;
    const char *formula[4];
};

/*
 * Ordered by type, for the binary search in cook_method(). Choices where Microsoft's texts disagree:
 * - Rates: [MS-PCQ] measures PERF_COUNTER_COUNTER's time by the system time. The type's timer bits say performance
 *   counter, as Learn does. PERF_SAMPLE_COUNTER is such a rate in [MS-PCQ], which lists no base for it; the NT Resource
 *   Kit divides by a base.
 * - PERF_ELAPSED_TIME: [MS-PCQ] subtracts the object's time from the counter. All other sources subtract the counter, a
 *   start time, from the time: otherwise the result would be negative.
 * - PERF_OBJ_TIME_TIMER and PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE: [MS-PCQ] divides the time by its frequency, so the
 *   result would be too large by that factor. Learn does not divide.
 * - PERF_PRECISION_OBJECT_TIMER: [MS-PCQ] divides by the time of PerfTimeId, Learn and .NET by the base counter. The
 *   base is used if BaseCounterId names one.
 * - PERF_COUNTER_MULTI_TIMER: Learn divides the time by its frequency. PDH and the NT Resource Kit do not; only without
 *   the division is the result a percentage.
 * - Inverse multi timers: M1-(N1-N0)/time by [MS-PCQ] and Learn, 1-(N1-N0)/time/M1 in the NT Resource Kit; M1 is the
 *   value of the multi counter.
 * - Queue lengths: (N1-N0) over the time in its own units by [MS-PCQ] and Learn. The NT Resource Kit has another
 *   formula for a queue length type that it calls unused.
 * - PERF_AVERAGE_BULK: not multiplied by 100, although some providers use this type for percentages.
 */
static const struct cook_method methods[] = {
    { PERF_COUNTER_RAWCOUNT_HEX, VALUE, NOTHING, COOK_UNIT_NONE, FORMULA_ALONE("N1") },
    { PERF_COUNTER_LARGE_RAWCOUNT_HEX, VALUE, NOTHING, COOK_UNIT_NONE, FORMULA_ALONE("N1") },
    { PERF_COUNTER_RAWCOUNT, VALUE, NOTHING, COOK_UNIT_NONE, FORMULA_ALONE("N1") },
    { PERF_COUNTER_LARGE_RAWCOUNT, VALUE, NOTHING, COOK_UNIT_NONE, FORMULA_ALONE("N1") },
    { PERF_COUNTER_DELTA, INCREASE, NOTHING, COOK_UNIT_NONE, FORMULA("N1-N0") },
    { PERF_COUNTER_LARGE_DELTA, INCREASE, NOTHING, COOK_UNIT_NONE, FORMULA("N1-N0") },
    { PERF_SAMPLE_COUNTER, INCREASE, SECONDS, COOK_UNIT_NONE,
        FORMULA("(N1-N0)/((T1-T0)/F); T PerfTimeStamp, F PerfFreq, no base") },
    { PERF_COUNTER_QUEUELEN_TYPE, INCREASE, TICKS, COOK_UNIT_NONE,
        FORMULA("(N1-N0)/(T1-T0); T PerfTimeStamp, without its frequency") },
    { PERF_COUNTER_LARGE_QUEUELEN_TYPE, INCREASE, TICKS, COOK_UNIT_NONE,
        FORMULA("(N1-N0)/(T1-T0); T PerfTimeStamp, without its frequency") },
    { PERF_COUNTER_100NS_QUEUELEN_TYPE, INCREASE, UNITS_100NS, COOK_UNIT_NONE,
        FORMULA("(N1-N0)/(X1-X0); X PerfTime100NSec") },
    { PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, INCREASE, OBJECT_TIME, COOK_UNIT_NONE,
        FORMULA("(N1-N0)/(O1-O0); O object time (PerfTimeId), without its frequency") },
    { PERF_COUNTER_COUNTER, INCREASE, SECONDS, COOK_UNIT_PER_SECOND,
        FORMULA("(N1-N0)/((T1-T0)/F); T PerfTimeStamp, F PerfFreq") },
    { PERF_COUNTER_BULK_COUNT, INCREASE, SECONDS, COOK_UNIT_PER_SECOND,
        FORMULA("(N1-N0)/((T1-T0)/F); T PerfTimeStamp, F PerfFreq") },
    { PERF_RAW_FRACTION, VALUE, BASE, COOK_UNIT_PERCENT, FORMULA_ALONE("100*N1/B1") },
    { PERF_LARGE_RAW_FRACTION, VALUE, BASE, COOK_UNIT_PERCENT, FORMULA_ALONE("100*N1/B1") },
    { PERF_COUNTER_TIMER, INCREASE, TICKS, COOK_UNIT_PERCENT, FORMULA("100*(N1-N0)/(T1-T0); T PerfTimeStamp") },
    { PERF_PRECISION_SYSTEM_TIMER, INCREASE, BASE_INCREASE, COOK_UNIT_PERCENT, FORMULA("100*(N1-N0)/(B1-B0)") },
    { PERF_100NSEC_TIMER, INCREASE, UNITS_100NS, COOK_UNIT_PERCENT, FORMULA("100*(N1-N0)/(X1-X0); X PerfTime100NSec") },
    { PERF_PRECISION_100NS_TIMER, INCREASE, BASE_INCREASE, COOK_UNIT_PERCENT, FORMULA("100*(N1-N0)/(B1-B0)") },
    { PERF_OBJ_TIME_TIMER, INCREASE, OBJECT_TIME, COOK_UNIT_PERCENT,
        FORMULA("100*(N1-N0)/(O1-O0); O object time (PerfTimeId), without its frequency") },
    { PERF_PRECISION_OBJECT_TIMER, INCREASE, BASE_INCREASE_OR_OBJECT_TIME, COOK_UNIT_PERCENT,
        FORMULA("100*(N1-N0)/(B1-B0); the base rather than object time") },
    { PERF_SAMPLE_FRACTION, INCREASE, BASE_INCREASE, COOK_UNIT_PERCENT, FORMULA("100*(N1-N0)/(B1-B0)") },
    { PERF_COUNTER_TIMER_INV, INCREASE, TICKS, COOK_UNIT_PERCENT, FORMULA("100*(1-(N1-N0)/(T1-T0)); T PerfTimeStamp") },
    { PERF_100NSEC_TIMER_INV, INCREASE, UNITS_100NS, COOK_UNIT_PERCENT,
        FORMULA("100*(1-(N1-N0)/(X1-X0)); X PerfTime100NSec") },
    { PERF_COUNTER_MULTI_TIMER, INCREASE, TICKS, COOK_UNIT_PERCENT,
        FORMULA("100*((N1-N0)/(T1-T0))/M1; T PerfTimeStamp, without its frequency") },
    { PERF_100NSEC_MULTI_TIMER, INCREASE, UNITS_100NS, COOK_UNIT_PERCENT,
        FORMULA("100*((N1-N0)/(X1-X0))/M1; X PerfTime100NSec") },
    { PERF_COUNTER_MULTI_TIMER_INV, INCREASE, TICKS, COOK_UNIT_PERCENT,
        FORMULA("100*(M1-(N1-N0)/(T1-T0)); T PerfTimeStamp, not divided by M1") },
    { PERF_100NSEC_MULTI_TIMER_INV, INCREASE, UNITS_100NS, COOK_UNIT_PERCENT,
        FORMULA("100*(M1-(N1-N0)/(X1-X0)); X PerfTime100NSec, not divided by M1") },
    { PERF_AVERAGE_TIMER, INCREASE, BASE_INCREASE_F, COOK_UNIT_SECONDS, FORMULA("((N1-N0)/F)/(B1-B0); F PerfFreq") },
    { PERF_ELAPSED_TIME, AGE, OBJECT_FREQ, COOK_UNIT_SECONDS,
        FORMULA_ALONE("(O1-N1)/FO1; O object time (PerfTimeId), FO its frequency (PerfFreqId)") },
    { PERF_AVERAGE_BULK, INCREASE, BASE_INCREASE, COOK_UNIT_NONE, FORMULA("(N1-N0)/(B1-B0)") },
};

/* Formula of PERF_PRECISION_OBJECT_TIMER for counters without a base */
static const char *const precision_object_time_formula[] =
    FORMULA("100*(N1-N0)/(O1-O0); O object time (PerfTimeId), without its frequency, no base");

/* Two readings of a clock */
struct interval {
    uint64_t start;
    uint64_t end;
};

const struct cook_method *
cook_method(uint32_t type)
{
    size_t low = 0;
    size_t high = sizeof methods / sizeof methods[0];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (methods[middle].type == type) {
            return &methods[middle];
        }
        if (methods[middle].type < type) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static enum cook_reason
reason_without_method(uint32_t type)
{
    if (perf_counter_type_is_base(type)) {
        return COOK_NOT_DISPLAYED;
    }
    if (type == PERF_COUNTER_TEXT) {
        return COOK_TEXT;
    }
    return perf_counter_type_name(type) ? COOK_NO_FORMULA : COOK_TYPE_UNKNOWN;
}

static unsigned
method_needs(const struct cook_method *m)
{
    static const unsigned numerators[] = { [INCREASE] = COOK_NEEDS_PREVIOUS, [AGE] = COOK_NEEDS_TIME };
    static const unsigned denominators[] = {
        [OBJECT_TIME] = COOK_NEEDS_TIME,
        [OBJECT_FREQ] = COOK_NEEDS_FREQ,
        [BASE] = COOK_NEEDS_BASE,
        [BASE_INCREASE] = COOK_NEEDS_BASE,
        [BASE_INCREASE_F] = COOK_NEEDS_BASE,
        [BASE_INCREASE_OR_OBJECT_TIME] = COOK_NEEDS_BASE | COOK_NEEDS_TIME,
    };

    return numerators[m->numerator] | denominators[m->denominator] |
        (m->type & PERF_TYPE_MULTI_COUNTER ? COOK_NEEDS_MULTI : 0);
}

/* Returns the reason for the first missing operand, or COOK_OK. needs: COOK_NEEDS_*. */
static enum cook_reason
find_missing(const struct cook_input *in, unsigned needs)
{
    bool previous = (needs & COOK_NEEDS_PREVIOUS) != 0;

    if (!in->value.present || (in->value.width != 4 && in->value.width != 8)) {
        return COOK_WRONG_SIZE;
    }
    if (previous && !in->value.have_previous) {
        return in->polled_before ? COOK_INSTANCE_NEW : COOK_FIRST_SAMPLE;
    }
    if (previous && in->is_other_process) {
        return COOK_OTHER_PROCESS;
    }
    if ((needs & COOK_NEEDS_BASE) && !in->base.present) {
        return in->unknown & COOK_NEEDS_BASE ? COOK_BASE_UNKNOWN : COOK_NO_BASE;
    }
    if ((needs & COOK_NEEDS_TIME) && !in->time.present) {
        return in->unknown & COOK_NEEDS_TIME ? COOK_BASE_UNKNOWN : COOK_NO_TIME;
    }
    if ((needs & COOK_NEEDS_FREQ) && !in->freq.present) {
        return in->unknown & COOK_NEEDS_FREQ ? COOK_BASE_UNKNOWN : COOK_NO_FREQ;
    }
    if ((needs & COOK_NEEDS_MULTI) && !in->multi.present) {
        return in->unknown & COOK_NEEDS_MULTI ? COOK_BASE_UNKNOWN : COOK_NO_MULTI;
    }
    if (previous && (needs & COOK_NEEDS_BASE) && !in->base.have_previous) {
        return COOK_NO_PREVIOUS_BASE;
    }
    if (previous && (needs & COOK_NEEDS_TIME) && !in->time.have_previous) {
        return COOK_NO_PREVIOUS_TIME;
    }
    return COOK_OK;
}

static bool
is_negative(const struct cook_value *v)
{
    return v->width == 8 && v->now > INT64_MAX;
}

/*
 * Computes the increase of a counter between two polls. A 4-byte counter that decreased is assumed to have wrapped once
 * if the increase is then below 2^31. 8-byte differences are signed. Returns false if the increase is negative.
 */
static bool
increase(const struct cook_value *v, uint64_t *difference, bool *wrapped)
{
    *wrapped = v->width == 4 && v->now < v->before && v->before <= UINT32_MAX;
    *difference = v->now - v->before;
    if (*wrapped) {
        *difference &= UINT32_MAX;
        return *difference < (UINT64_C(1) << 31);
    }
    return *difference <= INT64_MAX;
}

/*
 * Returns 100 * (multi - numerator/denominator). Subtracts the whole part of the quotient as an integer: nearly equal
 * doubles would cancel out, and the sign could be wrong. Divides last, since a quotient is often no exact double.
 */
static double
inverse_percent(uint64_t multi, uint64_t numerator, uint64_t denominator)
{
    uint64_t quotient = numerator / denominator;
    uint64_t remainder = numerator % denominator;
    double divisor = (double)denominator;

    if (multi > quotient) {
        return 100 * ((double)(multi - quotient - 1) * divisor + (double)(denominator - remainder)) / divisor;
    }
    return 0 - 100 * ((double)(quotient - multi) * divisor + (double)remainder) / divisor; /* never -0 */
}

/* How a value is cooked: the method of its type, with the denominator and formula chosen for this value */
struct recipe {
    const struct cook_method *method;
    enum denominator denominator;
    const char *const *formula; /* indexed by WRAPPED_* */
    unsigned needs;             /* COOK_NEEDS_* */
};

static struct recipe
choose_recipe(const struct cook_method *m, const struct cook_input *in)
{
    struct recipe recipe = { m, m->denominator, m->formula, method_needs(m) };

    if (m->denominator == BASE_INCREASE_OR_OBJECT_TIME) {
        if (in->has_base_id || in->base.present) {
            recipe.denominator = BASE_INCREASE;
            recipe.needs &= ~COOK_NEEDS_TIME;
        } else {
            recipe.denominator = OBJECT_TIME;
            recipe.needs &= ~COOK_NEEDS_BASE;
            recipe.formula = precision_object_time_formula;
        }
    }
    return recipe;
}

/* Returns two readings of the denominator's clock, earlier one first; {0, 0} if the denominator has no clock. */
static struct interval
clock_of(enum denominator denominator, const struct cook_input *in)
{
    switch (denominator) {
    case TICKS:
    case SECONDS: return (struct interval){ in->before.perf_time, in->now.perf_time };
    case UNITS_100NS: return (struct interval){ in->before.time_100ns, in->now.time_100ns };
    case OBJECT_TIME: return (struct interval){ in->time.before, in->time.now };
    case OBJECT_FREQ: return (struct interval){ in->value.now, in->time.now };
    default: return (struct interval){ 0, 0 };
    }
}

/* Numerator and denominator as integers: timestamps have more bits than a double */
struct fraction {
    uint64_t numerator, denominator;
    bool is_negative; /* true if the numerator is negative; .numerator is its magnitude */
    unsigned wraps;   /* WRAPPED_* */
};

static bool
is_hexadecimal(const struct cook_input *in)
{
    return in->as_hex || in->type == PERF_COUNTER_RAWCOUNT_HEX || in->type == PERF_COUNTER_LARGE_RAWCOUNT_HEX;
}

static enum cook_reason
take_numerator(const struct recipe *recipe, const struct cook_input *in, const struct interval *clock,
    struct fraction *out)
{
    bool wrapped = false;

    switch (recipe->method->numerator) {
    case VALUE:
        out->is_negative = is_negative(&in->value) && !(recipe->denominator == NOTHING && is_hexadecimal(in));
        out->numerator = out->is_negative ? 0 - in->value.now : in->value.now;
        break;
    case INCREASE:
        if (!increase(&in->value, &out->numerator, &wrapped)) {
            return COOK_COUNTER_DECREASED;
        }
        break;
    case AGE: out->numerator = clock->end - clock->start; break;
    }
    out->wraps |= wrapped ? WRAPPED_VALUE : 0;
    return COOK_OK;
}

static enum cook_reason
take_denominator(enum denominator kind, const struct cook_input *in, const struct interval *clock, struct fraction *out)
{
    enum cook_reason zero = COOK_ZERO_BASE;
    bool wrapped = false;

    switch (kind) {
    case NOTHING: out->denominator = 1; break;
    case TICKS:
    case SECONDS:
    case UNITS_100NS:
    case OBJECT_TIME:
        out->denominator = clock->end - clock->start;
        zero = COOK_ZERO_INTERVAL;
        break;
    case OBJECT_FREQ:
        out->denominator = in->freq.now;
        zero = COOK_ZERO_FREQ;
        break;
    case BASE:
        if (is_negative(&in->base)) {
            return COOK_NEGATIVE_BASE;
        }
        out->denominator = in->base.now;
        break;
    case BASE_INCREASE:
    case BASE_INCREASE_F:
    case BASE_INCREASE_OR_OBJECT_TIME: /* not reached: choose_recipe() replaced it */
        if (!increase(&in->base, &out->denominator, &wrapped)) {
            return COOK_BASE_DECREASED;
        }
        break;
    }
    out->wraps |= wrapped ? WRAPPED_BASE : 0;
    return out->denominator == 0 ? zero : COOK_OK;
}

/* Checks the divisors besides the denominator: the value of the counter that MultiId names, and PerfFreq. */
static enum cook_reason
check_divisors(const struct recipe *recipe, const struct cook_input *in)
{
    const bool is_inverse = (recipe->method->type & PERF_TYPE_INVERSE_COUNTER) != 0;

    if ((recipe->needs & COOK_NEEDS_MULTI) && is_negative(&in->multi)) {
        return COOK_NEGATIVE_BASE;
    }
    if ((recipe->needs & COOK_NEEDS_MULTI) && !is_inverse && in->multi.now == 0) {
        return COOK_ZERO_BASE;
    }
    if ((recipe->denominator == SECONDS || recipe->denominator == BASE_INCREASE_F) && in->now.perf_freq == 0) {
        return COOK_ZERO_FREQ;
    }
    return COOK_OK;
}

static double
divide(const struct recipe *recipe, const struct cook_input *in, const struct fraction *fraction)
{
    const bool is_multi = (recipe->needs & COOK_NEEDS_MULTI) != 0;
    double dividend = fraction->is_negative ? -(double)fraction->numerator : (double)fraction->numerator;
    double divisor = (double)fraction->denominator;

    if (recipe->method->type & PERF_TYPE_INVERSE_COUNTER) {
        return inverse_percent(is_multi ? in->multi.now : 1, fraction->numerator, fraction->denominator);
    }
    if (recipe->method->unit == COOK_UNIT_PERCENT) {
        dividend *= 100;
    }
    if (recipe->denominator == SECONDS) {
        dividend *= (double)in->now.perf_freq;
    } else if (recipe->denominator == BASE_INCREASE_F) {
        divisor *= (double)in->now.perf_freq;
    }
    if (is_multi) {
        divisor *= (double)in->multi.now;
    }
    return dividend / divisor;
}

/* Computes the fraction of a recipe whose operands are all present. */
static enum cook_reason
take_fraction(const struct recipe *recipe, const struct cook_input *in, struct fraction *out)
{
    const struct interval clock = clock_of(recipe->denominator, in);
    const bool is_in_ticks =
        recipe->denominator == TICKS || recipe->denominator == SECONDS || recipe->denominator == BASE_INCREASE_F;
    enum cook_reason reason;

    if (is_in_ticks && in->before.perf_freq != in->now.perf_freq && in->before.perf_freq != 0 &&
        in->now.perf_freq != 0) {
        return COOK_FREQ_CHANGED;
    }
    if (recipe->denominator == OBJECT_FREQ && in->freq.now == 0 && in->time.now == 0) {
        return COOK_NO_CLOCK;
    }
    /* Check the clock before the counter: if time went back, a decreased counter means nothing. */
    if (clock.end < clock.start) {
        return COOK_TIME_WENT_BACK;
    }
    reason = take_numerator(recipe, in, &clock, out);
    if (reason == COOK_OK) {
        reason = take_denominator(recipe->denominator, in, &clock, out);
    }
    return reason == COOK_OK ? check_divisors(recipe, in) : reason;
}

struct cook_result
cook(const struct cook_input *in)
{
    const struct cook_method *m = !in->type_known ? NULL : in->method != NULL ? in->method : cook_method(in->type);
    struct cook_result result = { .reason = COOK_TYPE_UNKNOWN };
    struct fraction fraction = { .denominator = 1 };
    struct recipe recipe;

    if (m == NULL) {
        result.reason = in->type_known ? reason_without_method(in->type) : COOK_TYPE_UNKNOWN;
        return result;
    }
    recipe = choose_recipe(m, in);
    result.unit = m->unit;
    result.formula = recipe.formula[0];
    result.reason = find_missing(in, recipe.needs);
    if (result.reason == COOK_OK) {
        result.reason = take_fraction(&recipe, in, &fraction);
    }
    if (result.reason != COOK_OK) {
        return result;
    }
    result.value = divide(&recipe, in, &fraction);
    if (recipe.denominator == NOTHING) {
        result.is_whole = true;
        result.whole = fraction.numerator;
    }
    result.is_hex = is_hexadecimal(in);
    result.is_real = in->as_real;
    result.formula = recipe.formula[fraction.wraps];
    return result;
}

unsigned
cook_needs(uint32_t type)
{
    const struct cook_method *m = cook_method(type);

    return m ? method_needs(m) : 0;
}

const char *
cook_unit_text(enum cook_unit unit)
{
    static const char *const texts[] = { "", "%", "/s", "s" };

    return unit <= COOK_UNIT_SECONDS ? texts[unit] : "";
}

/* clang-format off */
#define REASON_ROW(reason, ...) [reason] = { __VA_ARGS__ },
/* clang-format on */
static const struct {
    const char *name, *text;
} reasons[COOK_NUM_REASONS] = { COOK_REASONS(REASON_ROW) };

const char *
cook_reason_text(enum cook_reason reason)
{
    return (unsigned)reason < COOK_NUM_REASONS ? reasons[reason].text : "";
}

const char *
cook_reason_name(enum cook_reason reason)
{
    return (unsigned)reason < COOK_NUM_REASONS ? reasons[reason].name : "";
}
