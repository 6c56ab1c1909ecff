/* tools-menu.h
 * What the plugin adds to Wireshark's Tools menu
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_TOOLS_MENU_H
#define PERFLIB_STATS_TOOLS_MENU_H

#include "compat.h"

#include <epan/funnel.h>

/* Adds "Performance Counters, NAME", before windows are made. What is chosen may ask the user by ops->new_dialog(). */
void tools_menu_add(const char *name, void (*chosen)(const funnel_ops_t *ops));

/* The name of the capture that Wireshark shows; NULL: there is none. */
const char *tools_menu_capture(void);

#endif /* PERFLIB_STATS_TOOLS_MENU_H */
