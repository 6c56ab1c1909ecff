/* walk.h
 * The walkers of lpData by number: what the fuzz target and the unit test share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_WALK_H
#define PERFLIB_TESTS_WALK_H

#include <stdio.h>

#include "perflibv2/lpdata.h"

/* How often each check failed, and what was said last. */
struct walk_findings {
    unsigned broken[LP_NUM_CHECKS];
    char text[256];
};

static inline void
walk_held(void *data G_GNUC_UNUSED, enum lp_check check G_GNUC_UNUSED, uint32_t n G_GNUC_UNUSED)
{
}

static inline void G_GNUC_PRINTF(5, 0) walk_broken(void *data, enum lp_check check, unsigned offset G_GNUC_UNUSED,
    unsigned length G_GNUC_UNUSED, const char *format, va_list args)
{
    struct walk_findings *findings = (struct walk_findings *)data;

    findings->broken[check]++;
    vsnprintf(findings->text, sizeof findings->text, format, args);
}

/* 0 to 10: opnum 1, by request code. tests/fuzz/seeds.py knows these numbers, too. */
enum { WALK_INSTANCES = 11, WALK_IDENTIFIERS, WALK_DATA, NUM_WALKS };

static inline void
walk(struct lpdata *lp, unsigned which)
{
    switch (which) {
    case WALK_INSTANCES: lpdata_parse_instances(lp); break;
    case WALK_IDENTIFIERS: lpdata_parse_identifiers(lp); break;
    case WALK_DATA: lpdata_parse_data(lp); break;
    default: lpdata_parse_registration(lp, which); break;
    }
}

#endif /* PERFLIB_TESTS_WALK_H */
