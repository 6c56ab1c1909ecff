/* asking-cells.c
 * The cells in which both tables of queries tell how a client asks, and what that costs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/asking-cells.h"

void
asking_cells_count(stat_tap_table_item_type *cells, const struct asking_columns *columns, struct stat_asking *sum,
    const struct asking_call *call)
{
    sum->bytes += call->bytes;
    sum->wasted += call->too_small ? call->bytes : 0;
    cells[columns->bytes].value.uint_value = (unsigned)MIN(sum->bytes, UINT32_MAX);
    cells[columns->wasted].value.uint_value = asking_percent(sum->wasted, sum->bytes);
    if (call->finding != NULL) {
        cells[columns->late].value.uint_value += call->finding->usual > 0;
        cells[columns->overlap].value.uint_value += call->finding->asked_again_in != 0;
    }
    if (!nstime_is_zero(call->response_time)) {
        stat_cell_add_to_mean(&cells[columns->response], &sum->response, nstime_to_msec(call->response_time));
    }
    if (call->has_interval) {
        sum->longest = MAX(sum->longest, call->interval);
        stat_cell_set_real(&cells[columns->median], median_add(&sum->interval, call->interval));
        stat_cell_set_real(&cells[columns->longest], sum->longest);
    }
}

void
asking_free_state(void *asking)
{
    median_free(&((struct stat_asking *)asking)->interval);
}
