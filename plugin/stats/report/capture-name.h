/* capture-name.h
 * The name of the capture that is read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_CAPTURE_NAME_H
#define PERFLIB_STATS_REPORT_CAPTURE_NAME_H

/* Without its folder; NULL: not known. To be freed with g_free(). */
char *capture_name(void);

#endif /* PERFLIB_STATS_REPORT_CAPTURE_NAME_H */
