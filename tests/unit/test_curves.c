/* test_curves.c
 * Curves of a report: which points are kept and drawn where there are too many, gaps, blocks, names and machines
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "stats/report/report.h"
#include "stats/tables.h"

static wmem_allocator_t *pool;

/* In place of the table of counters: who is told of its values, and its cells. */
static struct counters_observer observer;

void
counters_table_observe(struct stat_rows *counters, const struct counters_observer *told)
{
    CHECK(counters == NULL, "another table");
    observer = *told;
}

const char *
model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column)
{
    (void)rows;
    return strcmp(column, "Unit") == 0       ? (row == 0 ? "%" : "")
        : strcmp(column, "Mean") == 0 && row ? ""
                                             : wmem_strdup_printf(scope, "%s%u", column, row);
}

const char *
model_grouped(wmem_allocator_t *scope, const char *digits)
{
    return digits[0] == '\0' ? "" : wmem_strdup_printf(scope, "~%s", digits);
}

/* One entry, of paths that end in "watched". */
unsigned
perf_watch_count(void)
{
    return 1;
}

bool
perf_watch_matches(unsigned index, const char *path)
{
    return index == 0 && g_str_has_suffix(path, "watched");
}

char *
address_to_str(wmem_allocator_t *scope, const address *addr)
{
    return wmem_strdup(scope, (const char *)addr->data);
}

/* A path is "SET|INSTANCE|COUNTER". */
static void
tell_of(const struct perf_tap_poll *poll, const struct perf_tap_sample *sample, struct perf_tap_origin *origin)
{
    char **parts = g_strsplit(sample->path, "|", 3);

    (void)poll;
    *origin = (struct perf_tap_origin){ .set = wmem_strdup(pool, parts[0]),
        .instance = parts[1][0] == '\0' ? NULL : wmem_strdup(pool, parts[1]),
        .counter = wmem_strdup(pool, parts[2]) };
    g_strfreev(parts);
}

static struct curves *curves;

/* A poll at that second, which the server at an address sent. */
static void
poll_of(double second, const char *host, const char *address, const char *query)
{
    static struct perf_tap_poll record;
    packet_info pinfo = { .pool = pool, .destport = 5, .abs_ts = { (time_t)second, 0 } };

    pinfo.abs_ts.nsecs = (int)((second - (double)pinfo.abs_ts.secs) * 1e9 + 0.5);
    record = (struct perf_tap_poll){ .host = host, .query = query, .tell = tell_of };
    set_address(&pinfo.src, AT_STRINGZ, (int)strlen(address) + 1, address);
    set_address(&pinfo.dst, AT_STRINGZ, 3, "me");
    observer.poll(observer.data, &pinfo, &record);
}

static void
poll(double second)
{
    poll_of(second, "PC", "10.0.0.1", "1");
}

static void
sample(unsigned row, const char *path, struct cook_result cooked)
{
    const struct perf_tap_sample one = { .path = path, .cooked = cooked };

    observer.sample(observer.data, row, &one);
}

static void
value(unsigned row, const char *path, double number)
{
    sample(row, path,
        (struct cook_result){ .value = number, .whole = (uint64_t)fabs(number), .is_whole = number == floor(number) });
}

static GString *page;
static struct curves_drawn sum;

/* The page of all, from second 100 on. */
static const char *
draw(double end)
{
    const nstime_t begin = { 100, 0 };

    sum = (struct curves_drawn){ 0 };
    g_string_truncate(page, 0);
    curves_draw(curves, &begin, end, pool, page, &sum);
    return page->str;
}

/* What stands behind the n-th of a text on the page, up to a quotation mark or a tag. */
static const char *
behind(const char *text, unsigned n)
{
    const char *at = page->str;

    for (unsigned i = 0; at != NULL && i <= n; i++) {
        at = strstr(at, text);
        at = at == NULL ? NULL : at + strlen(text);
    }
    return at == NULL ? "none" : wmem_strndup(pool, at, strcspn(at, "\"<"));
}

#define HAS(text, n, expected) CHECK(strcmp(behind(text, n), expected) == 0, "%s", behind(text, n))

static void
begin(void)
{
    observer.begin(observer.data);
}

static void
test_drawing(void)
{
    static const char one[] = "Set|=i|One", other[] = "Set||Other";

    /* Ten seconds are 294 wide, and 0 to 20 are 58 high, with a margin of 3. */
    begin();
    CHECK(curves_last(curves) == 0 && strcmp(draw(0), "") == 0 && sum.drawn == 0, "%s", page->str);
    poll(100);
    value(0, one, 0);
    value(1, other, 7);
    poll(105);
    value(0, one, 20);
    value(1, other, 7);
    poll(110);
    value(0, one, 10);
    value(1, other, 7);
    CHECK(curves_last(curves) == 110, "%f", curves_last(curves));
    draw(10);
    CHECK(sum.drawn == 2 && sum.points == 6 && sum.left_out == 0 && sum.thinned == 0, "%u, %u", sum.drawn, sum.points);
    HAS("<h3>", 0, "Set on PC");
    HAS("<b>", 0, "=i, One");
    HAS("<output>", 0, "~Last0 %");
    HAS("aria-label=\"", 0, "=i, One: 3 values from ~Min0 to ~Max0 %, the last ~Last0 %");
    HAS("data-u=\"", 0, " %");
    HAS("data-v=\"", 0, "0 20 10");
    HAS("data-t=\"", 0, "0.000 5.000 10.000");
    HAS("<path d=\"", 0, "M3.0 61.0L150.0 3.0L297.0 32.0");
    HAS("</svg><p class=\"minor\">", 0, "~Min0 to ~Max0 %, mean ~Mean0");
    /* The one that tells less, whose times are those of the first; it never changes, and so stands in the middle. */
    HAS("<b>", 1, "Other");
    HAS("data-u=\"", 1, "");
    HAS("data-t=\"", 1, "none");
    HAS("<path d=\"", 1, "M3.0 32.0L150.0 32.0L297.0 32.0");
    HAS("</svg><p class=\"minor\">", 1, "~Min1 to ~Max1");
    CHECK(strstr(page->str, "class=\"dot\"") == NULL && g_str_has_suffix(page->str, "</figure>\n</div>\n"), "%s",
        page->str);
    /* What lasts no time. */
    draw(0);
    HAS("<path d=\"", 0, "M3.0 61.0L3.0 3.0L3.0 32.0");
}

/* From where a curve is drawn: 0, unless its values are close together, or below it. */
static void
test_lowest(void)
{
    static const struct {
        double values[2];
        const char *path;
    } cases[] = {
        { { 79, 100 }, "M3.0 15.2L297.0 3.0" }, /* 21 of 100 */
        { { 80, 100 }, "M3.0 61.0L297.0 3.0" },
        { { -10, 10 }, "M3.0 61.0L297.0 3.0" },
        { { 0, 10 }, "M3.0 61.0L297.0 3.0" },
        { { -10, -9 }, "M3.0 61.0L297.0 3.0" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin();
        poll(100);
        value(0, "S||C", cases[i].values[0]);
        poll(101);
        value(0, "S||C", cases[i].values[1]);
        draw(1);
        HAS("<path d=\"", 0, cases[i].path);
    }
}

/* All digits of whole numbers, and numbers below zero. */
static void
test_digits(void)
{
    static const struct cook_result cases[] = {
        { .value = 18446744073709551615., .whole = UINT64_MAX, .is_whole = true },
        { .value = -5, .whole = 5, .is_whole = true },
        { .value = 2.5 },
        { .value = 3, .whole = 3, .is_whole = true, .is_real = true },
    };

    begin();
    for (unsigned i = 0; i < array_length(cases); i++) {
        poll(100 + i);
        sample(0, "S||C", cases[i]);
    }
    draw(3);
    HAS("data-v=\"", 0, "18446744073709551615 -5 2.500 3.000");
    begin();
    poll(100);
    sample(0, "S||C", (struct cook_result){ .value = 255, .whole = 255, .is_whole = true, .is_hex = true });
    draw(3);
    HAS("data-v=\"", 0, "0xff");
}

/* Polls without a value break the curve, also those that did not come to the row; what stands alone is a dot. */
static void
test_gaps(void)
{
    begin();
    for (unsigned i = 0; i < 9; i++) {
        poll(100 + i);
        if (i == 0) {
            sample(0, "S||C", (struct cook_result){ .reason = COOK_FIRST_SAMPLE });
        } else if (i == 3) {
            sample(0, "S||C", (struct cook_result){ .reason = COOK_ZERO_BASE });
        } else if (i != 5) {
            value(0, "S||C", i % 2);
        }
        /* Another handle's polls make no gap. */
        poll_of(100.5 + i, "PC", "10.0.0.1", "2");
        value(1, "S||D", 1);
    }
    draw(8);
    HAS("data-v=\"", 0, "1 0 0 0 1 0");
    HAS("<path d=\"", 0, "M39.8 3.0L76.5 61.0M150.0 61.0M223.5 61.0L260.2 3.0L297.0 61.0");
    HAS("class=\"dot\" d=\"", 0, "M150.0 61.0h0");
    HAS("class=\"dot\" d=\"", 1, "none");
    /* Nor does it that another handle polls the counter from now on. */
    begin();
    poll(100);
    value(0, "S||C", 0);
    for (unsigned i = 0; i < 4; i++) {
        poll_of(101 + i, "PC", "10.0.0.1", "2");
    }
    value(0, "S||C", 1);
    draw(4);
    HAS("<path d=\"", 0, "M3.0 61.0L297.0 3.0");
    /* At its end, too. */
    begin();
    for (unsigned i = 0; i < 3; i++) {
        poll(100 + i);
        sample(0, "S||C", (struct cook_result){ .value = i, .reason = i == 1 ? COOK_ZERO_BASE : COOK_OK });
    }
    draw(2);
    HAS("<path d=\"", 0, "M3.0 61.0M297.0 3.0");
    HAS("class=\"dot\" d=\"", 0, "M3.0 61.0h0M297.0 3.0h0");
}

/* Of what is drawn of a counter: its numbers, and at which seconds. */
static void
check_points(const char *values, const char *times)
{
    HAS("data-v=\"", 0, values);
    HAS("data-t=\"", 0, times);
}

/* More than 512 points: of four in a row the smallest and the largest stay, in their order. */
static void
test_thinned(void)
{
    GString *values = g_string_new(NULL), *times = g_string_new(NULL);

    begin();
    for (unsigned i = 0; i < 514; i++) {
        /* 1 3 0 2, and the same the other way round */
        static const double up_and_down[] = { 1, 3, 0, 2, 2, 0, 3, 1 };

        poll(100 + i);
        if (i == 400 || i == 403) {
            /* A gap before what is left out is one before what follows. */
            sample(0, "S||C", (struct cook_result){ .reason = COOK_ZERO_BASE });
        }
        if (i == 512) {
            draw(588);
            CHECK(sum.points == 512 && sum.thinned == 0, "%u points", sum.points);
        }
        value(0, "S||C", i < 512 ? up_and_down[i % 8] : 9);
    }
    for (unsigned i = 0; i < 512; i += 4) {
        /* The first four begin with the largest, the second with the smallest; both are the middle two. */
        g_string_append_printf(values, "%s", i == 0 ? "3 0" : i % 8 == 0 ? " 3 0" : " 0 3");
        g_string_append_printf(times, "%s%u.000 %u.000", i == 0 ? "" : " ", i + 1, i + 2);
    }
    /* Those gathered since are on the page, too. */
    g_string_append(values, " 9 9");
    g_string_append(times, " 512.000 513.000");
    draw(588);
    CHECK(sum.points == 258 && sum.thinned == 1, "%u points", sum.points);
    check_points(values->str, times->str);
    CHECK(strstr(page->str, "514 values from") != NULL, "%s", page->str);
    CHECK(strstr(page->str, "M203.5 ") != NULL && strstr(page->str, "M205.5 ") != NULL, "gaps");
    g_string_free(values, TRUE);
    g_string_free(times, TRUE);
}

/* Once thinned, four values become two points: gathered, until there are four. */
static void
test_gathered(void)
{
    static const struct {
        double values[5];
        unsigned count;
        int gap_before; /* which of them; -1: none */
        const char *points, *path;
    } cases[] = {
        { { 5 }, 1, -1, "5", "L" },
        { { 5, 6 }, 2, -1, "5 6", "LL" },
        { { 6, 5 }, 2, -1, "6 5", "LL" },
        { { 6, 5, 7 }, 3, -1, "5 7", "LL" },
        { { 6, 7, 5 }, 3, -1, "7 5", "LL" },
        { { 6, 7, 5, 6 }, 4, -1, "7 5", "LL" },
        { { 6, 6, 6, 6 }, 4, -1, "6 6", "LL" },
        { { 5 }, 1, 0, "5", "M" },
        { { 6, 7, 5, 6 }, 4, 0, "7 5", "ML" },
        { { 6, 7, 5, 6 }, 4, 3, "7 5", "ML" },
        { { 6, 5, 7 }, 3, 1, "5 7", "ML" },
        /* The next four are another matter. */
        { { 6, 7, 5, 6, 8 }, 5, 0, "7 5 8", "MLL" },
    };

    for (size_t c = 0; c < array_length(cases); c++) {
        const char *values, *path;
        char signs[4] = "";
        unsigned found = 0;

        begin();
        for (unsigned i = 0; i < 517; i++) {
            poll(100 + i);
            value(0, "S||C", i % 2);
        }
        /* Of 512 points 256 stay, the one that was too many, and two of the four after that. */
        for (unsigned i = 0; i < cases[c].count; i++) {
            poll(700 + i);
            if ((int)i == cases[c].gap_before) {
                sample(0, "S||C", (struct cook_result){ .reason = COOK_ZERO_BASE });
            }
            value(0, "S||C", cases[c].values[i]);
        }
        draw(1000);
        values = behind("data-v=\"", 0);
        CHECK(strlen(values) > strlen(cases[c].points) && g_str_has_suffix(values, cases[c].points) &&
                strlen(values) == 259 * 2 + strlen(cases[c].points),
            "%zu: %s", c, values + MIN(strlen(values), 500));
        path = behind("<path d=\"", 0);
        for (const char *at = path + strlen(path); at > path && found < strlen(cases[c].path); at--) {
            if (at[-1] == 'M' || at[-1] == 'L') {
                found++;
                signs[strlen(cases[c].path) - found] = at[-1];
            }
        }
        CHECK(strcmp(signs, cases[c].path) == 0, "%zu: %s", c, signs);
    }
}

/* Polls of that many counters, of which the first have blocks of their own, that are drawn first. */
static void
fill(unsigned counters, unsigned polls, bool are_constant)
{
    static const char *const paths[] = { "A||watched", "B||watched", "C||watched" };

    begin();
    for (unsigned i = 0; i < polls; i++) {
        poll(100 + i);
        if (i == 1) {
            sample(1, paths[1], (struct cook_result){ .reason = COOK_ZERO_BASE });
        }
        for (unsigned row = 0; row < counters; row++) {
            value(row, row < 3 ? paths[row] : "S||C", are_constant && row != 2 ? 4 : i % 2);
        }
    }
}

/* How many points of the n-th drawing there are. */
static unsigned
count_points(unsigned n)
{
    unsigned count = 1;

    for (const char *at = behind("data-v=\"", n); *at != '\0'; at++) {
        count += *at == ' ';
    }
    return count;
}

/* There is room for 2^19 points. */
static void
test_room(void)
{
    /* First, what never changes and has no gap keeps its first and its last. */
    fill(2048, 256, true);
    poll(356);
    value(0, "A||watched", 4);
    draw(256);
    HAS("<h3>", 2, "A on PC");
    HAS("data-v=\"", 2, "4 4 4");
    HAS("data-t=\"", 1, "0.000 255.000 256.000");
    CHECK(count_points(0) == 128 && count_points(1) == 128, "%u, %u", count_points(0), count_points(1));
    /* Of two values nothing is left out, of three the second one is. */
    fill(2046, 256, true);
    for (unsigned i = 0; i < 3; i++) {
        poll_of(356 + i, "PC", "10.0.0.1", "2");
        if (i < 2) {
            value(2046, "D||watched", 4);
        }
        value(2047, "E||watched", 4);
    }
    poll(359);
    for (unsigned i = 0; i < 508; i++) {
        value(3 + i, "S||C", 4);
    }
    draw(259);
    CHECK(sum.drawn == 205 && sum.thinned == 204, "%u of %u", sum.thinned, sum.drawn);
    HAS("data-t=\"", 1, "0.000 255.000");
    HAS("data-t=\"", 2, "256.000 257.000");
    HAS("data-t=\"", 3, "256.000 258.000");
    HAS("data-t=\"", 4, "0.000 259.000");
    /* If that is not enough all keep fewer, until a quarter is free: 128. */
    fill(2048, 256, false);
    poll(356);
    value(0, "A||watched", 0);
    draw(256);
    CHECK(count_points(0) == 128 && count_points(1) == 129 && count_points(2) == 128 && sum.thinned == sum.drawn,
        "%u, %u, %u", count_points(0), count_points(1), count_points(2));
    /* But no fewer than 32: then there is no room for what is new, until others get more. */
    fill(16384, 32, false);
    CHECK(draw(32) && sum.drawn == 203 && sum.left_out == 16384 - 203 && sum.thinned == 0, "%u, %u", sum.drawn,
        sum.left_out);
    value(16384, "N||watched", 1);
    CHECK(draw(32) && sum.drawn == 203 && sum.left_out == 16385 - 203 && sum.thinned == 0, "%u, %u", sum.drawn,
        sum.left_out);
    poll(132);
    value(0, "A||watched", 0);
    value(16384, "N||watched", 2);
    CHECK(draw(32) && sum.drawn == 204 && sum.left_out == 16385 - 204 && sum.thinned == 1, "%u, %u", sum.drawn,
        sum.left_out);
}

/*
 * What never changes makes room first. Nothing else does if just a quarter is free then: 1532 * 256 points and 512 * 2
 * are three quarters.
 */
static void
test_quarter(void)
{
    static const char watched[] = "A||watched", other[] = "S||C";

    for (unsigned more = 0; more < 2; more++) {
        begin();
        for (unsigned i = 0; i < 261; i++) {
            poll(100 + i);
            for (unsigned row = 0; i < 256 && row < 1532; row++) {
                value(row, row == 0 ? watched : other, i % 2);
            }
            for (unsigned row = 1532; i >= 3 && row < 2044; row++) {
                if (i > 3 || row != 1532 || more == 0) {
                    value(row, other, 4);
                }
            }
        }
        if (more > 0) {
            value(2044, other, 4);
        }
        for (unsigned i = 0; i < 4; i++) {
            poll(361 + i);
            value(0, watched, 0);
        }
        /* Two points of each four values; or they begin anew behind the first that found no room. */
        draw(264);
        CHECK(count_points(0) == 65 * 2 + more, "%u points", count_points(0));
    }
}

/* How much it changes for its size, however small that is; what stays 0 tells nothing, unless there is a gap. */
static void
test_tells(void)
{
    static const char *const paths[] = { "B||zero", "B||fraction", "B||gap", "B||little" };

    begin();
    for (unsigned i = 0; i < 3; i++) {
        poll(100 + i);
        for (unsigned row = 0; row < array_length(paths); row++) {
            const double values[] = { 0, 0.25 * i, 0, 5 + 0.1 * i };

            sample(row, paths[row],
                (struct cook_result){ .value = values[row], .reason = row == 2 && i == 1 ? COOK_ZERO_BASE : COOK_OK });
        }
    }
    draw(1);
    HAS("<b>", 0, "fraction");
    HAS("<b>", 1, "gap");
    HAS("<b>", 2, "little");
    HAS("<b>", 3, "zero");
}

static void
test_order(void)
{
    static const char *const paths[] = { "B||constant", "B||varied", "B||little", "B||gap", "A||watched",
        "C||constant" };

    begin();
    for (unsigned i = 0; i < 3; i++) {
        poll(100 + i);
        for (unsigned row = 0; row < array_length(paths); row++) {
            const double values[] = { 5, 5 * i, 5 + 0.1 * i, 5, 5, 5 };

            sample(row, paths[row],
                (struct cook_result){ .value = values[row], .reason = row == 3 && i == 1 ? COOK_ZERO_BASE : COOK_OK });
        }
    }
    draw(2);
    HAS("<h3>", 0, "A on PC");
    HAS("<h3>", 1, "B on PC");
    HAS("<h3>", 2, "C on PC");
    HAS("<b>", 0, "watched");
    HAS("<b>", 1, "varied");
    HAS("<b>", 2, "gap");
    HAS("<b>", 3, "little");
    HAS("<b>", 4, "constant");

    /* It is renamed, and so stands in another block; what is aggregated says so. */
    poll(103);
    value(0, "D|i|renamed", 5);
    observer.sample(observer.data, 1,
        &(struct perf_tap_sample){ .path = "B|x|varied", .num_aggregated = 3, .cooked = { .value = 1 } });
    draw(3);
    HAS("<h3>", 3, "D on PC");
    HAS("<b>", 1, "varied, all instances");
    CHECK(strstr(page->str, "<b>i, renamed") != NULL, "%s", page->str);
}

/* Of a block 12 are seen, further ones can be opened, 200 are there; 400 of all. */
static void
test_many(void)
{
    static const struct {
        unsigned counts[3], drawn, left_out, more;
    } cases[] = {
        { { 12 }, 12, 0, 0 },
        { { 13 }, 13, 0, 1 },
        { { 200 }, 200, 0, 1 },
        { { 201 }, 200, 1, 1 },
        { { 200, 200 }, 400, 0, 2 },
        { { 200, 199, 2 }, 400, 1, 2 },
        { { 200, 200, 1 }, 400, 1, 2 },
    };
    static const char *const paths[] = { "A||C", "B||C", "C||C" };

    for (size_t i = 0; i < array_length(cases); i++) {
        unsigned row = 0, more = 0, open = 0;

        begin();
        poll(100);
        for (unsigned block = 0; block < 3; block++) {
            for (unsigned n = 0; n < cases[i].counts[block]; n++) {
                value(row++, paths[block], 1);
            }
        }
        /* A counter without any value is none that is left out. */
        sample(row, "A||C", (struct cook_result){ .reason = COOK_FIRST_SAMPLE });
        draw(1);
        while (strcmp(behind("<summary>More of ", more), "none") != 0) {
            more++;
        }
        for (const char *at = page->str; (at = strstr(at, "</div>\n")) != NULL; at++) {
            open++;
        }
        CHECK(sum.drawn == cases[i].drawn && sum.left_out == cases[i].left_out && sum.points == cases[i].drawn &&
                more == cases[i].more && sum.thinned == 0,
            "%zu: %u drawn, %u not, %u more", i, sum.drawn, sum.left_out, more);
        CHECK(g_str_has_suffix(page->str, more == 0 || i == 5 ? "</figure>\n</div>\n" : "</div>\n</details>\n"), "%zu",
            i);
        CHECK(open == more + (cases[i].counts[1] != 0) + (cases[i].counts[2] > 1) + 1, "%zu: %u", i, open);
    }
}

static void
test_hosts(void)
{
    static const struct {
        const char *polls[2], *host;
    } cases[] = {
        { { "PC", "PC" }, "PC" },
        { { "10.0.0.1", "PC" }, "PC" },
        { { "PC", "10.0.0.1" }, "PC" },
        { { "PC", "OTHER" }, "" },
        { { "10.0.0.1", "10.0.0.1" }, "10.0.0.1" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin();
        CHECK(curves_host(curves, "10.0.0.1") == NULL, "of the capture before");
        poll_of(1, cases[i].polls[0], "10.0.0.1", "1");
        poll_of(2, cases[i].polls[1], "10.0.0.1", "2");
        CHECK(strcmp(curves_host(curves, "10.0.0.1"), cases[i].host) == 0 && curves_host(curves, "10.0.0.2") == NULL,
            "%zu: %s", i, curves_host(curves, "10.0.0.1"));
    }
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_epan_scope();
    page = g_string_new(NULL);
    curves = curves_of(NULL);
    test_drawing();
    test_lowest();
    test_digits();
    test_gaps();
    test_thinned();
    test_gathered();
    test_room();
    test_quarter();
    test_tells();
    test_order();
    test_many();
    test_hosts();
    return check_result();
}
