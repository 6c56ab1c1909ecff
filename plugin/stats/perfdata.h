/* perfdata.h
 * The older API's own statistics: what was asked
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PERFDATA_H
#define PERFLIB_STATS_PERFDATA_H

/*
 * Makes "-z perfdata,queries[,filter]" known, over the tap "perfdata" (perfdata/record.h), and its entry in
 * Wireshark's Statistics menu. Called once, after register_tap().
 */
void stats_perfdata_register(void);

#endif /* PERFLIB_STATS_PERFDATA_H */
