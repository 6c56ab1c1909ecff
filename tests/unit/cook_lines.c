/* cook_lines.c
 * Cooks what standard input says, line by line, for cooking_fractions.py
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>

#include "cook/cooking.h"

/* width present have_previous now before */
static int
read_value(struct cook_value *v)
{
    unsigned width, present, have_previous;
    int fields = scanf("%u %u %u %" SCNu64 " %" SCNu64, &width, &present, &have_previous, &v->now, &v->before);

    v->width = (uint8_t)width;
    v->present = present != 0;
    v->have_previous = have_previous != 0;
    return fields == 5;
}

static int
read_clocks(struct cook_clocks *c)
{
    return scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &c->perf_time, &c->time_100ns, &c->perf_freq) == 3;
}

int
main(void)
{
    struct cook_input in = { 0 };
    unsigned type_known, polled_before, has_base_id, as_hex;

    while (scanf("%" SCNx32 " %u %u %u %u", &in.type, &type_known, &polled_before, &has_base_id, &as_hex) == 5) {
        struct cook_result result;

        in.type_known = type_known != 0;
        in.polled_before = polled_before != 0;
        in.has_base_id = has_base_id != 0;
        in.as_hex = as_hex != 0;
        if (!read_value(&in.value) || !read_clocks(&in.before) || !read_clocks(&in.now) || !read_value(&in.base) ||
            !read_value(&in.time) || !read_value(&in.freq) || !read_value(&in.multi)) {
            fputs("a line is too short\n", stderr);
            return 1;
        }
        result = cook(&in);
        printf("%.17g\t%s%" PRIu64 "\t%d\t%d\t%s\t%s\t%s\t%u\n", result.value, result.value < 0 ? "-" : "",
            result.whole, result.is_whole, result.is_hex, cook_unit_text(result.unit), cook_reason_text(result.reason),
            result.formula ? result.formula : "", cook_needs(in.type));
    }
    return 0;
}
