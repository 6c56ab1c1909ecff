/* fake-catalog.h
 * In place of the catalog: what a test teaches of counters
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_CATALOG_H
#define PERFLIB_TESTS_UNIT_FAKE_CATALOG_H

#include "counters/catalog.h"

/* What the capture taught: counters, several of one id one after another. */
static struct taught {
    uint32_t set, id;
    const char *name;
    uint32_t type; /* 0: not known */
    uint32_t base, time, freq, multi;
    uint64_t attrib;
    uint32_t frame;
    bool is_built_in;
} taught[20];
static unsigned num_taught, lessons;
static unsigned asked_complete; /* so often it was asked whether all counters of a set are known */
static uint32_t complete_sets;  /* a bit each: all of its counters were taught */
static uint32_t several_set;    /* it has several instances */
/* What is known of each; NULL: nothing. */
static const struct counterset *facts_of[10];

static inline void
teach(struct taught counter)
{
    taught[num_taught++] = counter;
    lessons++;
}

unsigned
catalog_version(void)
{
    return lessons;
}

const struct counterset *
catalog_counterset(const struct server *server, const e_guid_t *guid)
{
    (void)server;
    return guid->data1 < array_length(facts_of) ? facts_of[guid->data1] : NULL;
}

bool
catalog_counterset_is_complete(const struct server *server, const e_guid_t *guid)
{
    (void)server;
    asked_complete++;
    return (complete_sets >> guid->data1 & 1) != 0;
}

bool
catalog_counterset_has_instances(const struct server *server, const e_guid_t *guid)
{
    (void)server;
    return guid->data1 == several_set;
}

unsigned
catalog_counter_twins(const struct server *server, const e_guid_t *guid, uint32_t id)
{
    unsigned count = 0;

    (void)server;
    for (unsigned i = 0; i < num_taught; i++) {
        count += taught[i].set == guid->data1 && taught[i].id == id;
    }
    return count;
}

bool
catalog_counter_twin(const struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin, uint32_t frame,
    struct catalog_counter *found)
{
    (void)frame;
    *found = (struct catalog_counter){ .base_id = PERF_ID_NONE,
        .perf_time_id = PERF_ID_NONE,
        .perf_freq_id = PERF_ID_NONE,
        .multi_id = PERF_ID_NONE };
    for (unsigned i = 0; i < num_taught; i++) {
        if (taught[i].set == guid->data1 && taught[i].id == id && twin-- == 0) {
            *found = (struct catalog_counter){ .name = { taught[i].name, taught[i].frame },
                .has_twin = catalog_counter_twins(server, guid, id) > 1,
                .is_built_in = taught[i].is_built_in,
                .type_known = taught[i].type != 0,
                .type = taught[i].type,
                .base_id = taught[i].base,
                .perf_time_id = taught[i].time,
                .perf_freq_id = taught[i].freq,
                .multi_id = taught[i].multi,
                .attrib = taught[i].attrib };
            return true;
        }
    }
    return false;
}

bool
catalog_counter(const struct server *server, const e_guid_t *guid, uint32_t id, uint32_t frame,
    struct catalog_counter *found)
{
    return catalog_counter_twin(server, guid, id, 0, frame, found);
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_CATALOG_H */
