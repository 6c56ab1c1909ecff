/* asking-cells.c
 * The cells in which tables of queries tell how a client asks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/asking-cells.h"

void
asking_cells_count(const struct asking_cells *cells, struct stat_asking *sum, uint32_t bytes, bool too_small,
    const struct asking_finding *finding)
{
    sum->bytes += bytes;
    sum->wasted += too_small ? bytes : 0;
    cells->wasted->value.uint_value = asking_percent(sum->wasted, sum->bytes);
    if (finding != NULL) {
        cells->late->value.uint_value += finding->usual > 0;
        cells->overlap->value.uint_value += finding->asked_again_in != 0;
    }
}
