/* pdh-csv.h
 * Time series of a capture's polls in PDH-CSV 4.0, the text log of perfmon, relog and typeperf
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PDH_CSV_H
#define PERFLIB_STATS_PDH_CSV_H

/*
 * Makes "-z PROTOCOL,pdh-csv,FILE[,filter]" known. tap_name is a tap of struct perf_tap_poll (counters/record.h).
 * To be called while protocols are registered; the names are copied.
 *
 * The file: one column for each counter path in the order in which the capture brings them, one row for
 * each time at which a poll was taken (PerfTime100NSec, UTC), ordered by time, with all that was polled at that
 * time by whatever handle. Where two polls of one time give the same counter a value, the first stands. A cell without a value is a blank
 * in quotes. Whole numbers have all their digits, others as many as it takes to read the same double back;
 * HEX counters are written in decimal, texts as they are. Counters that are never displayed (bases) have no column.
 */
void pdh_csv_register(const char *protocol, const char *tap_name);

#endif /* PERFLIB_STATS_PDH_CSV_H */
