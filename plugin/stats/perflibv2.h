/* perflibv2.h
 * PerflibV2's own statistics: calls, query handles, catalog
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PERFLIBV2_H
#define PERFLIB_STATS_PERFLIBV2_H

/*
 * Makes known, over the tap "perflibv2" (perflibv2/record.h): "-z perflibv2,tree[,filter]" and
 * "-z perflibv2,queries[,filter]" with their entries in Wireshark's Statistics menu, and
 * "-z perflibv2,catalog,FILE[,filter]". Called once, after register_tap().
 */
void stats_perflibv2_register(void);

#endif /* PERFLIB_STATS_PERFLIBV2_H */
