/* curves.c
 * Curves of counter values over time, bounded in memory
 *
 * A curve is a list of spans, each with the minimum and the maximum of neighbouring values. At first a span has one
 * value. A curve that gets too long merges its spans in pairs; its spans then have twice as many values.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "report/page.h"

#include <math.h>
#include <string.h>

#include <epan/to_str.h>
#include <wsutil/str_util.h>

#include "stats/tables.h"

#define MOST_SPANS     (1u << 18) /* maximum number of spans (ranges of neighbouring values) of all curves together */
#define MOST_OF_CURVE  256u       /* maximum number of spans of a curve; halved when all curves have too many */
#define LEAST_OF_CURVE 16u        /* halving ends at this maximum number of spans */

#define PAGE_SPANS    20000u  /* number of spans that all curves on a page share equally */
#define LEAST_OF_PAGE 8u      /* minimum of a curve's share of PAGE_SPANS */
#define PAGE_BYTES    700000u /* once the curves of a table exceed this size, a page omits the others */

/* Range of neighbouring values of a curve */
struct span {
    double low, high;           /* minimum and maximum */
    double low_time, high_time; /* times of minimum and maximum, in seconds since 1970 */
    unsigned count;             /* number of values */
    bool is_high_later;         /* true if the maximum followed the minimum: their times may be equal or go backwards */
    bool is_after_gap;          /* true if polls between the previous span and this one had no value */
};

/*
 * Curve of a counter. A poll may update thousands of curves, so all members that a new value needs are close together.
 */
struct curve {
    struct span last; /* latest span, to which values are added; .count is 0 before the first value */
    struct span *spans;
    unsigned count, room;  /* number of elements of .spans (all but .last), and number allocated */
    unsigned step;         /* a new span begins when the latest one has more values than this */
    unsigned poll;         /* number, from 1, of the query's latest poll with a value of the curve */
    const unsigned *polls; /* number of polls of the curve's query so far */
    double clock;          /* seconds that the server's clock is ahead of the capture's, at the latest value */
    bool has_gap;          /* true if a poll after the curve's latest value had no value */
    bool has_gaps;         /* true if there is a gap between values of the curve */
    bool varies;           /* true if not all values are equal */
};

struct curves {
    GArray *list;        /* struct curve, by row number of the counters table */
    GHashTable *queries; /* maps a query (text of server, client, port and query) to the number of its polls */
    unsigned *polls;     /* number of polls of the current poll's query */
    double time, clock;  /* capture time of the poll, and seconds that the server's clock is ahead */
    unsigned spans;      /* number of spans of all curves, except those in .last */
    unsigned most;       /* current maximum number of spans of a curve */
};

static void
curve_free(void *data)
{
    g_free(((struct curve *)data)->spans);
}

/* Adds later values to a span. */
static void
span_merge(struct span *span, const struct span *later)
{
    const bool is_low_later = later->low < span->low, is_high_later = later->high >= span->high;

    if (is_low_later) {
        span->low = later->low;
        span->low_time = later->low_time;
    }
    if (is_high_later) {
        span->high = later->high;
        span->high_time = later->high_time;
    }
    span->is_high_later = is_low_later && is_high_later ? later->is_high_later
        : is_low_later || is_high_later                 ? is_high_later
                                                        : span->is_high_later;
    span->is_after_gap = span->is_after_gap || later->is_after_gap;
    span->count += later->count;
}

/* Merges spans in pairs. Returns the number of spans left. */
static unsigned
spans_halve(struct span *spans, unsigned count)
{
    for (unsigned i = 0; i < count; i += 2) {
        spans[i / 2] = spans[i];
        if (i + 1 < count) {
            span_merge(&spans[i / 2], &spans[i + 1]);
        }
    }
    return (count + 1) / 2;
}

static void
curve_halve(struct curves *curves, struct curve *curve)
{
    const unsigned count = spans_halve(curve->spans, curve->count);

    curves->spans -= curve->count - count;
    curve->count = count;
    curve->step = 2 * curve->step + 1;
}

/* Frees spans: merges all spans of a constant curve; if that is not enough, merges spans of long curves in pairs. */
static void
curves_make_room(struct curves *curves)
{
    for (unsigned i = 0; i < curves->list->len; i++) {
        struct curve *curve = &g_array_index(curves->list, struct curve, i);

        while (curve->count > 1 && !curve->varies && !curve->has_gaps) {
            curve_halve(curves, curve);
            curve->step = 0;
        }
    }
    while (curves->spans > MOST_SPANS / 4 * 3 && curves->most > LEAST_OF_CURVE) {
        curves->most /= 2;
        for (unsigned i = 0; i < curves->list->len; i++) {
            struct curve *curve = &g_array_index(curves->list, struct curve, i);

            while (curve->count > curves->most) {
                curve_halve(curves, curve);
            }
        }
    }
}

static void
curve_add(struct curves *curves, struct curve *curve, const struct span *value)
{
    struct span *last = &curve->last;

    if (last->count > curve->step && curves->spans >= MOST_SPANS && curves->most > LEAST_OF_CURVE) {
        curves_make_room(curves);
    }
    if (last->count == 0) {
        *last = *value;
    } else if (last->count <= curve->step || curves->spans >= MOST_SPANS) {
        span_merge(last, value);
    } else {
        if (curve->count == curve->room) {
            curve->room = MAX(LEAST_OF_CURVE, 2 * curve->room);
            curve->spans = g_renew(struct span, curve->spans, curve->room);
        }
        curve->spans[curve->count++] = *last;
        *last = *value;
        curves->spans++;
        if (curve->count > curves->most) {
            curve_halve(curves, curve);
        }
    }
}

static void
curves_begin(void *data)
{
    struct curves *curves = (struct curves *)data;

    g_array_set_size(curves->list, 0);
    g_hash_table_remove_all(curves->queries);
    curves->spans = 0;
    curves->most = MOST_OF_CURVE;
}

/* Prepares the curves for the values of a poll. */
static void
curves_poll(void *data, const packet_info *pinfo, const struct perf_tap_poll *poll)
{
    struct curves *curves = (struct curves *)data;
    /* The key has the host text's address, which is short: all polls of a machine share one text. */
    char host[DIGITS_MAX], port[DIGITS_MAX];
    const char *key;

    digits_whole(host, (uintptr_t)poll->host);
    digits_whole(port, pinfo->destport);
    key = wmem_strconcat(pinfo->pool, host, " ", address_to_str(pinfo->pool, &pinfo->dst), " ", port, " ", poll->query,
        NULL);
    curves->time = nstime_to_sec(&pinfo->abs_ts);
    curves->clock = nstime_to_sec(&poll->time) - curves->time;
    curves->polls = (unsigned *)g_hash_table_lookup(curves->queries, key);
    if (curves->polls == NULL) {
        curves->polls = g_new0(unsigned, 1);
        g_hash_table_insert(curves->queries, g_strdup(key), curves->polls);
    }
    (*curves->polls)++;
}

static void
curves_value(void *data, unsigned row, const struct perf_tap_value *value)
{
    struct curves *curves = (struct curves *)data;
    const double cooked = value->cooked.value;
    struct curve *curve;
    struct span span = { cooked, cooked, curves->time, curves->time, 1, false, false };

    if (row >= curves->list->len) {
        g_array_set_size(curves->list, row + 1);
    }
    curve = &g_array_index(curves->list, struct curve, row);
    curve->has_gap = curve->has_gap || (curve->polls == curves->polls && curve->poll + 1 < *curves->polls);
    curve->polls = curves->polls;
    curve->poll = *curves->polls;
    if (value->cooked.reason != COOK_OK || !isfinite(cooked)) {
        curve->has_gap = true;
        return;
    }
    span.is_after_gap = curve->has_gap && curve->last.count > 0;
    curve->has_gaps = curve->has_gaps || span.is_after_gap;
    curve->varies = curve->varies || (curve->last.count > 0 && cooked != curve->last.low);
    curve->has_gap = false;
    curve->clock = curves->clock;
    curve_add(curves, curve, &span);
}

struct curves *
curves_of(struct stat_rows *counters)
{
    struct curves *curves = g_new0(struct curves, 1);
    const struct counters_observer observer = { curves_begin, curves_poll, curves_value, curves };

    curves->list = g_array_new(FALSE, TRUE, sizeof(struct curve));
    g_array_set_clear_func(curves->list, curve_free);
    curves->queries = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, g_free);
    counters_table_observe(counters, &observer);
    return curves;
}

/* Appends a value with 9 digits: a chart shows no more. */
static void
append_value(GString *out, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    const double magnitude = fabs(value);

    if (magnitude >= 1 && magnitude < 1e9 && magnitude == floor(magnitude)) {
        csv_append_whole(out, (uint64_t)magnitude, value < 0);
    } else {
        g_string_append(out, g_ascii_formatd(digits, sizeof digits, "%.9g", value));
    }
}

/*
 * Appends the members "t" (unless equal to that of the previous curve), "v" and "gaps" (indexes of points after a gap).
 * times: the previous curve's "t", uint64_t.
 */
static void
append_points(const struct span *spans, unsigned count, double begin, GArray *times, GString *out)
{
    GString *values = g_string_new(NULL), *gaps = g_string_new(NULL);
    unsigned points = 0;
    bool is_new = false;

    for (unsigned i = 0; i < count; i++) {
        const struct span *span = &spans[i];

        if (span->is_after_gap) {
            g_string_append_printf(gaps, gaps->len == 0 ? "%u" : ",%u", points);
        }
        for (unsigned p = 0; p < MIN(span->count, 2); p++, points++) {
            const bool is_high = (p == 1) == span->is_high_later;
            const uint64_t time = (uint64_t)rint(1000 * ((is_high ? span->high_time : span->low_time) - begin));

            g_string_append(values, points > 0 ? "," : "");
            append_value(values, is_high ? span->high : span->low);
            if (points >= times->len || g_array_index(times, uint64_t, points) != time) {
                g_array_set_size(times, points);
                g_array_append_val(times, time);
                is_new = true;
            }
        }
    }
    is_new = is_new || points < times->len;
    g_array_set_size(times, points);
    for (unsigned i = 0; is_new && i < points; i++) {
        g_string_append(out, i > 0 ? "," : ",\"t\":[");
        csv_append_whole(out, g_array_index(times, uint64_t, i), false);
    }
    g_string_append_printf(out, "%s,\"v\":[%s]", is_new ? "]" : "", values->str);
    g_string_append_printf(out, gaps->len > 0 ? ",\"gaps\":[%s]" : "%s", gaps->str);
    g_string_free(values, TRUE);
    g_string_free(gaps, TRUE);
}

void
curves_append_json(const struct curves *curves, const char *counters, unsigned rows, const nstime_t *begin,
    GString *out)
{
    const size_t start = out->len;
    const unsigned num_rows = MIN(rows, curves->list->len);
    const unsigned most = MAX(PAGE_SPANS / MAX(num_rows, 1), LEAST_OF_PAGE);
    GArray *times = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    unsigned left_out = 0;

    for (unsigned row = 0; row < num_rows; row++) {
        const struct curve *curve = &g_array_index(curves->list, struct curve, row);
        unsigned count = curve->count;
        struct span *spans;

        left_out += curve->varies && out->len - start > PAGE_BYTES;
        if (!curve->varies || out->len - start > PAGE_BYTES) {
            continue;
        }
        spans = g_new(struct span, count + 1);
        if (count > 0) {
            memcpy(spans, curve->spans, count * sizeof *spans);
        }
        spans[count++] = curve->last;
        while (count > most) {
            count = spans_halve(spans, count);
        }
        g_string_append_printf(out, "{\"table\":\"curves\",\"of\":\"%s\",\"row\":%u,\"clock\":", counters, row);
        csv_append_real(out, curve->clock);
        append_points(spans, count, nstime_to_sec(begin), times, out);
        g_string_append(out, "}\n");
        g_free(spans);
    }
    g_array_free(times, TRUE);
    if (left_out > 0) {
        g_string_append_printf(out, "{\"table\":\"left_out\",\"of\":\"curves\",\"rows\":%u}\n", left_out);
    }
}
