/* counters.h
 * The statistics that both performance APIs share, over struct perf_tap_poll
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_COUNTERS_H
#define PERFLIB_STATS_COUNTERS_H

/*
 * Makes "-z PROTOCOL,counters[,filter]" and "-z PROTOCOL,pdh-csv,FILE[,filter]" known, and an entry
 * "TITLE Counters" in Wireshark's Statistics menu. protocol: filter name, e.g. "perflibv2"; tap_name: a
 * tap of struct perf_tap_poll (counters/record.h), registered with register_tap(); title: e.g. "PerflibV2".
 * To be called once for each protocol while protocols are registered; the names are copied.
 */
void stats_counters_register(const char *protocol, const char *tap_name, const char *title);

#endif /* PERFLIB_STATS_COUNTERS_H */
