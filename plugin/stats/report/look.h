/* look.h
 * How the page looks, and what it does under a pointer: its style and script
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_REPORT_LOOK_H
#define PERFLIB_STATS_REPORT_LOOK_H

#include <glib.h>

/*
 * The head of the page, up to where its body begins, which allows its own style and script by their hashes and nothing
 * else. title: any text.
 */
void look_begin(GString *page, const char *title);
/* Its end, with the script. */
void look_end(GString *page);

#endif /* PERFLIB_STATS_REPORT_LOOK_H */
