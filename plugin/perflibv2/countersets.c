/* countersets.c
 * What _PERF_COUNTERSET_REG_INFO says of a counterset beside names and types
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/countersets.h"

#include "base/guid-map.h"
#include "base/hash.h"

struct counterset_key {
    const struct server *server;
    e_guid_t guid;
};

/* What was asked and told of a counterset's counters. */
struct listing {
    unsigned asked, answered;
    uint32_t listed_in; /* frame, the first; 0: none */
    uint32_t lacked_in; /* frame, the latest answer that there is no such counterset; 0: none, or it was listed later */
};

static wmem_map_t *countersets; /* struct counterset_key -> struct counterset; file scope */
static wmem_map_t *listings;    /* struct counterset_key -> struct listing; file scope */
static wmem_map_t *from_start;  /* server whose offsets count from the buffer's start -> itself; file scope */

static guint
counterset_key_hash(const void *key)
{
    const struct counterset_key *k = (const struct counterset_key *)key;

    return hash_join(guid_map_hash(&k->guid), g_direct_hash(k->server));
}

static gboolean
counterset_key_equal(const void *a, const void *b)
{
    const struct counterset_key *x = (const struct counterset_key *)a;
    const struct counterset_key *y = (const struct counterset_key *)b;

    return x->server == y->server && guid_map_equal(&x->guid, &y->guid);
}

void
countersets_init(void)
{
    countersets =
        wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), counterset_key_hash, counterset_key_equal);
    listings = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), counterset_key_hash, counterset_key_equal);
    from_start = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

static struct listing *
listing_of(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_key key = { server, *guid };
    struct listing *listing = (struct listing *)wmem_map_lookup(listings, &key);

    if (listing == NULL) {
        listing = wmem_new0(wmem_file_scope(), struct listing);
        wmem_map_insert(listings, wmem_memdup(wmem_file_scope(), &key, sizeof key), listing);
    }
    return listing;
}

void
countersets_asked(const struct server *server, const e_guid_t *guid)
{
    listing_of(server, guid)->asked++;
}

void
countersets_answered(const struct server *server, const e_guid_t *guid)
{
    listing_of(server, guid)->answered++;
}

void
countersets_listed(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    struct listing *listing = listing_of(server, guid);

    listing->listed_in = listing->listed_in != 0 ? listing->listed_in : frame;
    listing->lacked_in = 0;
}

void
countersets_not_found(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    listing_of(server, guid)->lacked_in = frame;
}

uint32_t
countersets_lacked(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_key key = { server, *guid };
    const struct listing *listing = (const struct listing *)wmem_map_lookup(listings, &key);

    return listing != NULL && listing->lacked_in < frame && listing->asked == listing->answered ? listing->lacked_in
                                                                                                : 0;
}

bool
countersets_is_settled(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    const struct counterset_key key = { server, *guid };
    const struct listing *listing = (const struct listing *)wmem_map_lookup(listings, &key);

    return listing != NULL && listing->listed_in != 0 && listing->listed_in < frame &&
        listing->asked == listing->answered;
}

void
countersets_learn(const struct server *server, const e_guid_t *guid, const struct counterset *counterset)
{
    const struct counterset_key key = { server, *guid };
    struct counterset *known = (struct counterset *)wmem_map_lookup(countersets, &key);

    if (known == NULL) {
        known = (struct counterset *)wmem_memdup(wmem_file_scope(), counterset, sizeof *counterset);
        wmem_map_insert(countersets, wmem_memdup(wmem_file_scope(), &key, sizeof key), known);
    }
    known->has_changed = known->has_changed || known->instance_type != counterset->instance_type ||
        known->num_counters != counterset->num_counters;
}

bool
countersets_first_from_start(const struct server *server)
{
    return wmem_map_insert(from_start, server, (void *)server) == NULL;
}

const struct counterset *
countersets_find(const struct server *server, const e_guid_t *guid)
{
    const struct counterset_key key = { server, *guid };
    const struct counterset *known = (const struct counterset *)wmem_map_lookup(countersets, &key);

    return known == NULL || known->has_changed ? NULL : known;
}

bool
countersets_has_instances(const struct server *server, const e_guid_t *guid)
{
    const struct counterset *facts = countersets_find(server, guid);

    return facts != NULL && (facts->instance_type == MULTIPLE_INSTANCES || facts->instance_type == MULTIPLE_AGGREGATE);
}
