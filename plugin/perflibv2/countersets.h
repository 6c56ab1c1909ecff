/* countersets.h
 * What _PERF_COUNTERSET_REG_INFO says of a counterset beside names and types, which the catalog has ([MS-PCQ] 2.2.4.1)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_COUNTERSETS_H
#define PERFLIB_PERFLIBV2_COUNTERSETS_H

#include "counters/catalog.h"

/* InstanceType */
enum {
    SINGLE_INSTANCE = 0x00,
    MULTIPLE_INSTANCES = 0x02,
    GLOBAL_AGGREGATE = 0x04,
    MULTIPLE_AGGREGATE = 0x06,
    GLOBAL_AGGREGATE_HISTORY = 0x0C,
    INSTANCE_AGGREGATE = 0x16,
};

struct counterset {
    uint32_t instance_type;
    uint32_t num_counters;
    bool has_changed;
};

/* The following on the first pass only. A client asked for a counterset's counters; it was answered, anyhow. */
void countersets_asked(const struct server *server, const e_guid_t *guid);
void countersets_answered(const struct server *server, const e_guid_t *guid);
/* The answer in frame listed all its counters. */
void countersets_listed(const struct server *server, const e_guid_t *guid, uint32_t frame);
/*
 * Whether the counters that a counterset had in a frame are known: they were listed before, and no answer is missing
 * that may have said that there are others now.
 */
bool countersets_is_settled(const struct server *server, const e_guid_t *guid, uint32_t frame);

/* Makes the memory of each newly opened file; called once, at registration. */
void countersets_init(void);
/* Keeps what the server says of a counterset; first pass only. */
void countersets_learn(const struct server *server, const e_guid_t *guid, const struct counterset *counterset);
/* Whether a counterset is known to have several named instances (2 or 6 of 2.2.4.1). */
bool countersets_has_instances(const struct server *server, const e_guid_t *guid);
/* The server said that there is no such counterset, in frame; first pass only. */
void countersets_not_found(const struct server *server, const e_guid_t *guid, uint32_t frame);
/* The frame in which it last said so, before another; 0: it did not, or may have had one since. */
uint32_t countersets_lacked(const struct server *server, const e_guid_t *guid, uint32_t frame);
/* Whether this is the server's first buffer of strings with offsets from its start; first pass only. */
bool countersets_first_from_start(const struct server *server);
/* NULL where no answer taught it, or answers differ: what held at the time can't be told then. */
const struct counterset *countersets_find(const struct server *server, const e_guid_t *guid);

#endif /* PERFLIB_PERFLIBV2_COUNTERSETS_H */
