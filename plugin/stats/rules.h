/* rules.h
 * The verdict on a capture, rule by rule of [MS-PCQ]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_RULES_H
#define PERFLIB_STATS_RULES_H

/*
 * Makes known, over the tap "perflibv2" (perflibv2/record.h), "-z perflibv2,rules[,filter]" and the same table in Wireshark's
 * Statistics menu, which tshark knows as "-z perflibv2,verdicts[,filter]". Called once, after register_tap().
 */
void stats_rules_register(void);

#endif /* PERFLIB_STATS_RULES_H */
