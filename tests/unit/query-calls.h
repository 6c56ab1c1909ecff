/* query-calls.h
 * Calls of a query as call.c hands them on, and what stands around: servers and connections
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_QUERY_CALLS_H
#define PERFLIB_TESTS_UNIT_QUERY_CALLS_H

#include <stdio.h>
#include <string.h>

#include "build.h"
#include "check.h"
#include "fake-catalog.h"
#include "fake-file.h"
#include "fake-server.h"
#include "perflibv2/queries.h"

/* Of servers the first is whoever else answers. Connections: the first two are of one client, the third of another. */
static int servers[3], connections[3];
#define SERVER(n)     ((struct server *)(void *)&servers[n])
#define CONNECTION(n) ((struct connection *)(void *)&connections[n])

/* What is known of each connection by now. */
static struct connection_state states[3];

struct connection_state
connections_now(struct connection *connection)
{
    return states[(int *)(void *)connection - connections];
}

bool
connections_share_client(const struct connection *a, const struct connection *b)
{
    return (a == CONNECTION(2)) == (b == CONNECTION(2));
}

bool
server_is_named(const struct server *server)
{
    return server != SERVER(0);
}

const struct server *
server_unnamed(const struct server *server)
{
    (void)server;
    return SERVER(0);
}

/* What is called where a file begins and ends. */
static void (*beginnings[4])(void), (*ends[4])(void);
static unsigned num_beginnings, num_ends;

void
register_init_routine(void (*func)(void))
{
    beginnings[num_beginnings++] = func;
}

void
register_cleanup_routine(void (*func)(void))
{
    ends[num_ends++] = func;
}

static inline void
end_file(void)
{
    for (unsigned i = 0; i < num_ends; i++) {
        ends[i]();
    }
}

/* Another capture. */
static inline void
new_capture(void)
{
    end_file();
    wmem_free_all(scope);
    for (unsigned i = 0; i < num_beginnings; i++) {
        beginnings[i]();
    }
    for (unsigned i = 0; i < 3; i++) {
        states[i] = (struct connection_state){ .connection = CONNECTION(i), .is_whole = true, .is_only = true };
    }
    num_taught = 0;
    complete_sets = several_set = 0;
    lessons++;
}

/* The buffer that was made, parsed; it lasts as long as the test. */
static inline struct lpdata
parsed(void (*parse)(struct lpdata *lp))
{
    const uint8_t *bytes = (const uint8_t *)wmem_memdup(scope, out.bytes, out.size);
    struct lpdata data;

    lpdata_init(&data, tvb_new_real_data(bytes, out.size, (int)out.size), scope, NULL);
    parse(&data);
    CHECK(!data.is_cut && data.parsed == out.size, "%u of %u bytes", data.parsed, out.size);
    return data;
}

/* Handles are numbered; so are frames. */
static inline struct query *
open_query(uint32_t handle, uint32_t frame)
{
    const e_guid_t guid = { .data1 = handle };

    return queries_open(SERVER(1), &guid, &states[0], queries_begun(), frame);
}

/* A ValidateCounters call of the identifiers made since begin(), and its answer. */
static inline void
change_query(struct query *query, bool add)
{
    const struct lpdata data = parsed(lpdata_parse_identifiers);

    queries_change_sent(query, &states[0]);
    queries_changed(query, &data, add);
}

static inline void
map_query(struct query *query, uint32_t frame)
{
    const struct lpdata data = parsed(lpdata_parse_identifiers);

    queries_mapped(query, &data, queries_moment(query), &states[0], frame, scope);
}

#endif /* PERFLIB_TESTS_UNIT_QUERY_CALLS_H */
