/* sections.h
 * The page of a report, from its headline to how it was made
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_SECTIONS_H
#define PERFLIB_STATS_REPORT_SECTIONS_H

#include "stats/report/model.h"

/* The whole page. */
void sections_write(struct model *model, GString *page);

#endif /* PERFLIB_STATS_REPORT_SECTIONS_H */
