/* request-cells.c
 * Cells of the tables perflibv2,queries and perfdata,queries: bytes and time that a client's calls take and waste
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/request-cells.h"

static void
request_cells_add(stat_tap_table_item_type *counts, struct stat_requests *sum, unsigned what, unsigned count,
    uint32_t frame)
{
    counts[what].value.uint_value += count;
    if (sum->first_in[what] == 0 && counts[what].value.uint_value > (what == REQUESTS_TOO_SMALL)) {
        sum->first_in[what] = frame;
    }
}

void
request_cells_count(wmem_allocator_t *scope, stat_tap_table_item_type *bytes, stat_tap_table_item_type *counts,
    stat_tap_table_item_type *reals, struct stat_requests *sum, const struct call_cost *cost)
{
    sum->bytes += cost->bytes;
    sum->wasted += cost->too_small ? cost->bytes : 0;
    stat_cell_set_real(bytes, (double)sum->bytes);
    counts[REQUESTS_WASTED].value.uint_value = request_state_percent(sum->wasted, sum->bytes);
    request_cells_add(counts, sum, REQUESTS_TOO_SMALL, cost->too_small && !cost->is_probe, cost->frame);
    if (cost->finding != NULL) {
        request_cells_add(counts, sum, REQUESTS_TWICE, cost->finding->num_twice, cost->frame);
        request_cells_add(counts, sum, REQUESTS_LATE, cost->finding->usual > 0, cost->finding->late_in);
        request_cells_add(counts, sum, REQUESTS_OVERLAP, cost->finding->asked_again_in != 0, cost->frame);
    }
    if (cost->response_time != NULL && !nstime_is_zero(cost->response_time)) {
        stat_cell_add_to_mean(&reals[REQUESTS_RESPONSE], &sum->response, nstime_to_msec(cost->response_time));
    }
    if (cost->has_interval && cost->response_time != NULL && !nstime_is_zero(cost->response_time)) {
        const double seconds = nstime_to_sec(cost->response_time);

        sum->quickest = sum->quickest > 0 ? MIN(sum->quickest, seconds) : seconds;
        if (seconds > sum->slowest) {
            sum->slowest = seconds;
            sum->slowest_in = cost->frame;
        }
    }
    if (cost->has_interval) {
        sum->longest = MAX(sum->longest, cost->interval);
        sum->median = median_add(scope, &sum->intervals, cost->interval);
        stat_cell_set_real(&reals[REQUESTS_MEDIAN], sum->median);
        stat_cell_set_real(&reals[REQUESTS_LONGEST], sum->longest);
    }
}
