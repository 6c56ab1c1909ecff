/* curves.c
 * Curves of counter values over time
 *
 * Memory and page size are limited: if there are too many points, four in a row are reduced to two, the minimum and
 * the maximum. A counter that never changes keeps its first and last point.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/report.h"

#include <math.h>
#include <string.h>

#include <epan/to_str.h>

#include "cook/cooking.h"
#include "stats/report/html.h"
#include "stats/tables.h"

/* Maximum number of points kept: of all counters, of one counter at first, and of one counter at least. */
#define MOST_POINTS    (1u << 19)
#define MOST_OF_CURVE  512u
#define LEAST_OF_CURVE 32u

/* Maximum numbers on a page: points, curves, and curves of a block. */
#define PAGE_POINTS  60000u
#define PAGE_CURVES  400u
#define BLOCK_CURVES 200u
/* Number of a block's curves that are visible at first. */
#define BLOCK_SEEN   12u

/* Size of a curve's drawing, in SVG units. */
#define DRAWN_WIDTH  300
#define DRAWN_HEIGHT 64
#define DRAWN_MARGIN 3

enum point_kind { POINT_REAL, POINT_WHOLE, POINT_NEGATIVE };

struct point {
    double time; /* time of the value in seconds since 1970 */
    union {
        double real;
        uint64_t whole; /* absolute value of a whole number */
    } value;
    uint8_t kind; /* a value of enum point_kind */
    bool is_hex;
    bool is_after_gap; /* true if the previous polls had no value */
};

/* Polls of one query, to find missing ones. */
struct curve_query {
    unsigned polls;
};

/* Curve of a counter. */
struct curve {
    unsigned group;
    const char *path; /* latest path of the counter; file scope */
    char *label;      /* path without machine and counterset */
    bool is_watched;
    struct point *points;
    unsigned count, room;
    unsigned step; /* number of values that are reduced to two points; 0: each value is a point */
    unsigned gathered;
    struct point least, most; /* minimum and maximum of the values being reduced */
    bool is_most_later;       /* true if the maximum is the later one: their times may be equal or go backwards */
    unsigned values, gaps;
    bool is_thinned;
    bool has_gap; /* true if a poll had no value since the latest one */
    double min, max;
    const struct curve_query *query; /* query of its latest poll */
    unsigned poll;                   /* number of its latest poll in that query */
};

struct curves {
    struct stat_rows *counters;
    GArray *list;            /* struct curve, by row number of the table */
    GPtrArray *groups;       /* headings "counterset on machine" */
    GHashTable *group_of;    /* maps a heading to its index in `groups` plus 1 */
    GHashTable *queries;     /* "server client query" to struct curve_query */
    struct curve_query *now; /* query of the poll being counted */
    const struct perf_tap_poll *poll;
    double time, last; /* time of the poll being counted, and of the latest poll */
    unsigned points;   /* number of points kept */
    unsigned most;     /* maximum number of points of a curve */
};

static void
curve_free(void *data)
{
    struct curve *curve = (struct curve *)data;

    g_free(curve->label);
    g_free(curve->points);
}

static double
point_value(const struct point *point)
{
    return point->kind == POINT_REAL ? point->value.real
        : point->kind == POINT_WHOLE ? (double)point->value.whole
                                     : -(double)point->value.whole;
}

/* Halves the points: of each four, the minimum and the maximum stay, in order, with the gaps before them. */
static unsigned
points_thin(struct point *points, unsigned count)
{
    unsigned kept = 0;
    bool has_gap = false;

    for (unsigned begin = 0; begin < count; begin += 4) {
        const unsigned end = MIN(begin + 4, count);
        unsigned least = begin, most = begin, first, second;

        for (unsigned i = begin + 1; i < end; i++) {
            least = point_value(&points[i]) < point_value(&points[least]) ? i : least;
            most = point_value(&points[i]) >= point_value(&points[most]) ? i : most;
        }
        first = MIN(least, most);
        second = MAX(least, most);
        for (unsigned i = begin; i < end; i++) {
            has_gap = has_gap || points[i].is_after_gap;
            if (i == first || i == second) {
                points[kept] = points[i];
                points[kept].is_after_gap = has_gap;
                has_gap = false;
                kept++;
            }
        }
    }
    return kept;
}

static void
curve_thin(struct curves *curves, struct curve *curve)
{
    const unsigned before = curve->count;

    curve->count = points_thin(curve->points, curve->count);
    curve->step = curve->step == 0 ? 4 : curve->step * 2;
    curve->is_thinned = true;
    curves->points -= before - curve->count;
}

/* Frees points: constant curves are reduced to two points; if that is not enough, all curves are halved. */
static void
curves_make_room(struct curves *curves)
{
    for (unsigned i = 0; i < curves->list->len; i++) {
        struct curve *curve = &g_array_index(curves->list, struct curve, i);

        if (curve->count > 2 && curve->min == curve->max && curve->gaps == 0) {
            curve->points[1] = curve->points[curve->count - 1];
            curves->points -= curve->count - 2;
            curve->count = 2;
            curve->is_thinned = true;
        }
    }
    while (curves->points > MOST_POINTS / 4 * 3 && curves->most > LEAST_OF_CURVE) {
        curves->most /= 2;
        for (unsigned i = 0; i < curves->list->len; i++) {
            struct curve *curve = &g_array_index(curves->list, struct curve, i);

            while (curve->count > curves->most) {
                curve_thin(curves, curve);
            }
        }
    }
}

static void
curve_append(struct curves *curves, struct curve *curve, const struct point *point)
{
    if (curve->count >= curves->most) {
        curve_thin(curves, curve);
    }
    if (curves->points >= MOST_POINTS && curves->most > LEAST_OF_CURVE) {
        curves_make_room(curves);
    }
    if (curves->points >= MOST_POINTS) {
        return;
    }
    if (curve->count == curve->room) {
        curve->room = MAX(curve->room * 2, 4);
        curve->points = g_renew(struct point, curve->points, curve->room);
    }
    curve->points[curve->count++] = *point;
    curves->points++;
}

/* Gets the points of the values being reduced, in order. Returns their number. */
static unsigned
curve_gathered(const struct curve *curve, struct point points[2])
{
    const bool is_least_first = curve->is_most_later;

    if (curve->gathered == 0) {
        return 0;
    }
    points[0] = is_least_first ? curve->least : curve->most;
    points[1] = is_least_first ? curve->most : curve->least;
    points[0].is_after_gap = curve->least.is_after_gap || curve->most.is_after_gap;
    points[1].is_after_gap = false;
    return curve->gathered == 1 ? 1 : 2;
}

static void
curve_add_point(struct curves *curves, struct curve *curve, const struct point *point)
{
    struct point points[2];
    bool has_gap;

    if (curve->step == 0) {
        curve_append(curves, curve, point);
        return;
    }
    has_gap = point->is_after_gap || (curve->gathered > 0 && curve->least.is_after_gap);
    if (curve->gathered == 0 || point_value(point) < point_value(&curve->least)) {
        curve->least = *point;
        curve->is_most_later = false;
    }
    if (curve->gathered == 0 || point_value(point) >= point_value(&curve->most)) {
        curve->most = *point;
        curve->is_most_later = true;
    }
    curve->least.is_after_gap = has_gap;
    if (++curve->gathered == curve->step) {
        const unsigned count = curve_gathered(curve, points);

        curve->gathered = 0;
        for (unsigned i = 0; i < count; i++) {
            curve_append(curves, curve, &points[i]);
        }
    }
}

static void
curves_begin(void *data)
{
    struct curves *curves = (struct curves *)data;

    g_array_set_size(curves->list, 0);
    g_ptr_array_set_size(curves->groups, 0);
    g_hash_table_remove_all(curves->group_of);
    g_hash_table_remove_all(curves->queries);
    curves->points = 0;
    curves->most = MOST_OF_CURVE;
    curves->last = 0;
}

/* Begins to count a poll, before its values. */
static void
curves_poll(void *data, const packet_info *pinfo, const struct perf_tap_poll *poll)
{
    struct curves *curves = (struct curves *)data;
    /* The host pointer is the same for all polls of a machine. */
    const char *key = wmem_strdup_printf(pinfo->pool, "%p %s %u %s", (const void *)poll->host,
        address_to_str(pinfo->pool, &pinfo->dst), pinfo->destport, poll->query);

    curves->time = nstime_to_sec(&pinfo->abs_ts);
    curves->last = MAX(curves->last, curves->time);
    curves->poll = poll;
    curves->now = (struct curve_query *)g_hash_table_lookup(curves->queries, key);
    if (curves->now == NULL) {
        curves->now = g_new0(struct curve_query, 1);
        g_hash_table_insert(curves->queries, g_strdup(key), curves->now);
    }
    curves->now->polls++;
}

/* Sets a curve's group and label from its new path. */
static void
curve_name(struct curves *curves, struct curve *curve, const struct perf_tap_sample *sample)
{
    struct perf_tap_origin origin;
    char *group;
    unsigned number;

    curves->poll->tell(curves->poll, sample, &origin);
    group = g_strdup_printf("%s on %s", origin.set, curves->poll->host);
    number = GPOINTER_TO_UINT(g_hash_table_lookup(curves->group_of, group));
    if (number == 0) {
        g_ptr_array_add(curves->groups, group);
        number = curves->groups->len;
        g_hash_table_insert(curves->group_of, group, GUINT_TO_POINTER(number));
    } else {
        g_free(group);
    }
    curve->group = number - 1;
    curve->path = sample->path;
    g_free(curve->label);
    curve->label = origin.instance == NULL ? g_strdup(origin.counter)
        : sample->num_aggregated > 0       ? g_strdup_printf("%s, all instances", origin.counter)
                                           : g_strdup_printf("%s, %s", origin.instance, origin.counter);
    curve->is_watched = false;
    for (unsigned i = 0; i < perf_watch_count() && !curve->is_watched; i++) {
        curve->is_watched = perf_watch_matches(i, sample->path);
    }
}

static void
curves_sample(void *data, unsigned row, const struct perf_tap_sample *sample)
{
    struct curves *curves = (struct curves *)data;
    const struct cook_result *cooked = &sample->cooked;
    struct curve *curve;
    struct point point;

    if (row >= curves->list->len) {
        g_array_set_size(curves->list, row + 1);
    }
    curve = &g_array_index(curves->list, struct curve, row);
    if (curve->path != sample->path) {
        curve_name(curves, curve, sample);
    }
    curve->has_gap = curve->has_gap || (curve->query == curves->now && curve->poll + 1 < curves->now->polls);
    curve->query = curves->now;
    curve->poll = curves->now->polls;
    if (cooked->reason != COOK_OK) {
        curve->has_gap = true;
        return;
    }
    point = (struct point){ curves->time, { .real = cooked->value }, POINT_REAL, cooked->is_hex,
        curve->has_gap && curve->values > 0 };
    if (cooked->is_whole && !cooked->is_real) {
        point.kind = cooked->value < 0 ? POINT_NEGATIVE : POINT_WHOLE;
        point.value.whole = cooked->whole;
    }
    curve->gaps += point.is_after_gap;
    curve->has_gap = false;
    curve->min = curve->values == 0 ? cooked->value : MIN(curve->min, cooked->value);
    curve->max = curve->values == 0 ? cooked->value : MAX(curve->max, cooked->value);
    curve->values++;
    curve_add_point(curves, curve, &point);
}

struct curves *
curves_of(struct stat_rows *counters)
{
    struct curves *curves = g_new0(struct curves, 1);
    const struct counters_observer observer = { curves_begin, curves_poll, curves_sample, curves };

    curves->counters = counters;
    curves->list = g_array_new(FALSE, TRUE, sizeof(struct curve));
    g_array_set_clear_func(curves->list, curve_free);
    curves->groups = g_ptr_array_new();
    curves->group_of = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, NULL);
    curves->queries = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, g_free);
    counters_table_observe(counters, &observer);
    return curves;
}

double
curves_last(const struct curves *curves)
{
    return curves->last;
}

/* Returns a sort key for how interesting a curve is: watch list entries first, then curves that vary or have gaps. */
static double
curve_tells(const struct curve *curve)
{
    const double scale = MAX(fabs(curve->min), fabs(curve->max));
    const double variation = scale > 0 && isfinite(scale) ? (curve->max - curve->min) / scale : 0;

    return (curve->is_watched ? 10 : 0) + MIN(variation, 2) + (curve->gaps > 0 ? 0.5 : 0);
}

/* Curve with its sort key. */
struct telling {
    double tells, block_tells;
    unsigned group, row;
};

static int
compare_telling(const void *a, const void *b)
{
    const struct telling *one = (const struct telling *)a, *other = (const struct telling *)b;

    if (one->group != other->group) {
        return one->block_tells != other->block_tells ? (one->block_tells > other->block_tells ? -1 : 1)
                                                      : (one->group < other->group ? -1 : 1);
    }
    return one->tells != other->tells ? (one->tells > other->tells ? -1 : 1) : (one->row < other->row ? -1 : 1);
}

static void
append_decimal(GString *page, double number, const char *format)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append(page, g_ascii_formatd(digits, sizeof digits, format, number));
}

/* Appends the value's digits as in the counters table, without trailing zeros. */
static void
append_digits(GString *page, const struct point *point)
{
    const struct cook_result result = {
        .value = point_value(point),
        .whole = point->kind == POINT_REAL ? 0 : point->value.whole,
        .is_whole = point->kind != POINT_REAL,
        .is_hex = point->is_hex,
    };
    char digits[COOK_DIGITS_SIZE];

    cook_digits(&result, digits);
    g_string_append(page, digits);
}

/* State of drawing all curves of a page. */
struct drawing {
    wmem_allocator_t *scope;
    GString *page;
    GString *times; /* times of the previous curve, which are often the same for the next one */
    double begin, end;
    unsigned most; /* maximum number of points of a curve */
    struct curves_drawn *sum;
};

/* Appends a curve's lines, interrupted at gaps, and dots for single values. */
static void
append_lines(const struct drawing *drawing, const struct point *points, unsigned count, double low, double high,
    GString *dots)
{
    const double width = DRAWN_WIDTH - 2 * DRAWN_MARGIN, height = DRAWN_HEIGHT - 2 * DRAWN_MARGIN;

    GString *page = drawing->page;
    gsize before;

    for (unsigned i = 0; i < count; i++) {
        const double x = drawing->end > 0 ? (points[i].time - drawing->begin) / drawing->end * width : 0;
        const double y = high > low ? (high - point_value(&points[i])) / (high - low) * height : height / 2;
        const bool begins = i == 0 || points[i].is_after_gap;

        before = page->len;
        g_string_append(page, begins ? "M" : "L");
        append_decimal(page, x + DRAWN_MARGIN, "%.1f");
        g_string_append_c(page, ' ');
        append_decimal(page, y + DRAWN_MARGIN, "%.1f");
        if (begins && (i + 1 == count || points[i + 1].is_after_gap)) {
            g_string_append_printf(dots, "%sh0", page->str + before);
        }
    }
}

/* Returns a number from the counters table. */
static const char *
curve_cell(const struct drawing *drawing, const struct stat_rows *rows, unsigned row, const char *column)
{
    return model_grouped(drawing->scope, model_cell(drawing->scope, rows, row, column));
}

/* Appends a curve and its text. */
static void
curve_draw(const struct curves *curves, const struct curve *curve, unsigned row, struct drawing *drawing)
{
    GString *page = drawing->page;
    struct curves_drawn *sum = drawing->sum;
    const struct stat_rows *rows = curves->counters;
    const char *unit = model_cell(drawing->scope, rows, row, "unit");
    const char *least = curve_cell(drawing, rows, row, "min"), *most = curve_cell(drawing, rows, row, "max");
    const char *last = curve_cell(drawing, rows, row, "last"), *mean = curve_cell(drawing, rows, row, "mean");
    struct point *points = g_new(struct point, curve->count + 2);
    unsigned count = curve->count;
    bool is_thinned = curve->is_thinned;
    const double spread = curve->max - curve->min;
    const double low = curve->min > 0 && spread > 0.2 * curve->max ? 0 : curve->min;
    GString *times = g_string_new(NULL), *dots = g_string_new(NULL);

    memcpy(points, curve->points, count * sizeof *points);
    count += curve_gathered(curve, &points[count]);
    for (; count > drawing->most; is_thinned = true) {
        count = points_thin(points, count);
    }
    unit = unit[0] == '\0' ? "" : wmem_strdup_printf(drawing->scope, " %s", unit);
    html_printf(page, "<figure><figcaption><b>%s</b> <output>%s%s</output></figcaption>", curve->label, last, unit);
    html_printf(page,
        "<svg viewBox=\"0 0 300 64\" preserveAspectRatio=\"none\" role=\"img\" tabindex=\"0\" "
        "aria-label=\"%s: %u values from %s to %s%s, the last %s%s\" data-u=\"%s\" data-v=\"",
        curve->label, curve->values, least, most, unit, last, unit, unit);
    for (unsigned i = 0; i < count; i++) {
        g_string_append(page, i == 0 ? "" : " ");
        append_digits(page, &points[i]);
        if (i > 0) {
            g_string_append_c(times, ' ');
        }
        append_decimal(times, points[i].time - drawing->begin, "%.3f");
    }
    g_string_append(page, "\"");
    if (strcmp(times->str, drawing->times->str) != 0) {
        g_string_append_printf(page, " data-t=\"%s\"", times->str);
        g_string_assign(drawing->times, times->str);
    }
    g_string_append(page, "><path d=\"");
    append_lines(drawing, points, count, low, curve->max, dots);
    if (dots->len > 0) {
        g_string_append_printf(page, "\"/><path class=\"dot\" d=\"%s", dots->str);
    }
    g_string_free(dots, TRUE);
    html_printf(page, "\"/></svg><p class=\"minor\">%s to %s%s%s%s</p></figure>\n", least, most, unit,
        mean[0] == '\0' ? "" : ", mean ", mean);
    sum->drawn++;
    sum->thinned += is_thinned;
    sum->points += count;
    g_string_free(times, TRUE);
    g_free(points);
}

/* Returns all curves with values, the most interesting blocks and curves first. */
static GArray *
curves_order(const struct curves *curves, unsigned *left_out)
{
    GArray *order = g_array_new(FALSE, FALSE, sizeof(struct telling));
    double *blocks = g_new0(double, curves->groups->len + 1);

    for (unsigned row = 0; row < curves->list->len; row++) {
        const struct curve *curve = &g_array_index(curves->list, struct curve, row);

        if (curve->count > 0) {
            const struct telling telling = { curve_tells(curve), 0, curve->group, row };

            g_array_append_val(order, telling);
            blocks[curve->group] = MAX(blocks[curve->group], telling.tells);
        } else if (curve->values > 0) {
            (*left_out)++;
        }
    }
    for (unsigned i = 0; i < order->len; i++) {
        struct telling *telling = &g_array_index(order, struct telling, i);

        telling->block_tells = blocks[telling->group];
    }
    g_array_sort(order, compare_telling);
    g_free(blocks);
    return order;
}

/* Appends a block: heading, visible curves, and hidden ones. Returns the number of curves in the block. */
static unsigned
block_draw(const struct curves *curves, const GArray *order, unsigned begin, struct drawing *drawing)
{
    GString *page = drawing->page;
    struct curves_drawn *sum = drawing->sum;
    const unsigned group = g_array_index(order, struct telling, begin).group;
    const char *const name = (const char *)g_ptr_array_index(curves->groups, group);
    const char *const end = "</div>\n", *further = "";
    unsigned count = 0;
    bool is_open = false;

    for (; begin + count < order->len; count++) {
        const unsigned row = g_array_index(order, struct telling, begin + count).row;

        if (g_array_index(order, struct telling, begin + count).group != group) {
            break;
        }
        if (count >= BLOCK_CURVES || sum->drawn >= PAGE_CURVES) {
            sum->left_out++;
            continue;
        }
        if (count == 0) {
            html_printf(page, "<h3>%s</h3>\n<div class=\"curves\">\n", name);
        } else if (count == BLOCK_SEEN) {
            html_printf(page, "</div>\n<details><summary>More of %s</summary><div class=\"curves\">\n", name);
            further = "</details>\n";
        }
        curve_draw(curves, &g_array_index(curves->list, struct curve, row), row, drawing);
        is_open = true;
    }
    g_string_append(page, is_open ? end : "");
    g_string_append(page, further);
    return count;
}

void
curves_draw(const struct curves *curves, const nstime_t *begin, double end, wmem_allocator_t *scope, GString *page,
    struct curves_drawn *sum)
{
    GArray *order = curves_order(curves, &sum->left_out);
    struct drawing drawing = { scope, page, g_string_new(NULL), nstime_to_sec(begin), end,
        MAX(PAGE_POINTS / MAX(MIN(order->len, PAGE_CURVES), 1), LEAST_OF_CURVE), sum };

    for (unsigned i = 0; i < order->len;) {
        i += block_draw(curves, order, i, &drawing);
    }
    g_string_free(drawing.times, TRUE);
    g_array_free(order, TRUE);
}
