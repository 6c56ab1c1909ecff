/* request-state.h
 * Wasteful or irregular requests of one client: buffers that grow step by step, requests repeated before the answer,
 * late polls
 *
 * Nothing is reported where calls may be missing from the capture. First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_REQUEST_STATE_H
#define PERFLIB_BASE_REQUEST_STATE_H

#include "compat.h"

#include <epan/expert.h>

/* Request history of one client for one query on one connection. Zero-initialised. */
struct request_state {
    /* Current number of consecutive answers "buffer too small" */
    unsigned too_small;
    nstime_t begun;    /* time of the request of the first answer "buffer too small" */
    nstime_t answered; /* time of the latest answer "buffer too small" */
    uint64_t wasted;   /* bytes of the answers "buffer too small" and of their requests */
    uint32_t frame;    /* frame of the latest request of a poll; 0: none yet */
    uint32_t call_id;
    nstime_t sent; /* time of the latest request of a poll */
    /* Number of poll intervals, up to the latest, that are equally long and contain the same number of calls */
    unsigned steady;
    uint32_t calls; /* number of calls in each of these intervals, by the call_ids */
    double usual;   /* mean length of the poll intervals that .steady counts, in seconds */
};

/* Findings about one call. A member that is zero reports nothing. */
struct request_finding {
    /* Number of round trips until an answer fitted the buffer; 0: not more than 2, which are normal */
    unsigned trips;
    unsigned wasted_percent; /* share of .wasted in all bytes up to the answer that fitted */
    double seconds;          /* seconds from the first request to the answer that fitted */
    uint32_t wasted;         /* bytes of requests and answers before the one that fitted */
    uint32_t asked_again_in; /* frame of the client's next request, if sent before this answer; else 0 */
    /* For a late request: seconds since the previous request, and the client's usual interval */
    double interval, usual;
    uint32_t late_in;         /* frame of the late request */
    unsigned num_twice;       /* number of counters or values that the client polls with another query or handle, too */
    const char *twice;        /* expert text about .num_twice; file scope */
    const char *other_server; /* why the request names another server than its destination; file scope */
};

/* Returns a percentage, rounded to the nearest integer; 0 if whole is 0. */
unsigned request_state_percent(uint64_t part, uint64_t whole);

/* Returns the findings about a call, created in file scope on first use. The caller may set members. */
struct request_finding *request_state_finding(struct request_finding **finding);

/* Records the request of a poll. Returns true if the request is late, with the details in *finding. */
bool request_state_sent(struct request_state *state, const packet_info *pinfo, uint32_t call_id,
    struct request_finding **finding);
/* Records the answer to the request in request_frame. Returns true if the client had already sent its next request. */
bool request_state_answered(const struct request_state *state, uint32_t request_frame,
    struct request_finding **finding);
/* Records an answer "buffer too small". sent: time of its request. bytes: size of the request's and answer's stubs. */
void request_state_too_small(struct request_state *state, const packet_info *pinfo, const nstime_t *sent,
    uint64_t bytes);
/*
 * Records an answer that fitted the buffer. Returns true if earlier requests wasted bytes. sent, bytes: see
 * request_state_too_small().
 */
bool request_state_fitted(struct request_state *state, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes,
    struct request_finding **finding);

/* Expert items that a protocol registers for the findings of struct request_finding */
struct request_items {
    expert_field *growing, *overlap, *late, *twice;
};
/* Adds expert items for the findings about a request or an answer; finding may be NULL. */
void request_state_show(const struct request_finding *finding, bool is_answer, const struct request_items *items,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

#endif /* PERFLIB_BASE_REQUEST_STATE_H */
