/* tap-perfdata.h
 * The older API's own statistics: what was asked
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TAP_PERFDATA_H
#define PERFLIB_TAP_PERFDATA_H

/*
 * Makes "-z perfdata,queries[,filter]" known, over the tap "perfdata" (perfdata-tap.h), and its entry in
 * Wireshark's Statistics menu. Called once, after register_tap().
 */
void tap_perfdata_register(void);

#endif /* PERFLIB_TAP_PERFDATA_H */
