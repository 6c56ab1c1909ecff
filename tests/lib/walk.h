/* walk.h
 * The walkers of lpData by number: what the fuzz target and the unit test share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB____TESTS_LIB_WALK_H
#define PERFLIB____TESTS_LIB_WALK_H

#include "perflibv2/lpdata.h"

/* 0 to 10: opnum 1, by request code. tests/fuzz/seeds.py knows these numbers, too. */
enum { WALK_INSTANCES = 11, WALK_IDENTIFIERS, WALK_DATA, NUM_WALKS };

static inline void
walk(struct lpdata *lp, unsigned which)
{
    switch (which) {
    case WALK_INSTANCES:
        lpdata_parse_instances(lp);
        break;
    case WALK_IDENTIFIERS:
        lpdata_parse_identifiers(lp);
        break;
    case WALK_DATA:
        lpdata_parse_data(lp);
        break;
    default:
        lpdata_parse_registration(lp, which);
        break;
    }
}

#endif /* PERFLIB____TESTS_LIB_WALK_H */
