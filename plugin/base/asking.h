/* asking.h
 * How a client asks for the same thing again and again: with buffers that grow, before it was answered, late
 *
 * Only what the capture shows for sure: where calls may be missing nobody is blamed. First pass only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_ASKING_H
#define PERFLIB_BASE_ASKING_H

#include "compat.h"

#include <epan/expert.h>

/* What is known of one client that asks for one thing on one connection. All zero at first. */
struct asking {
    /* Buffers that were too small since the last that was not: */
    unsigned too_small;
    nstime_t begun;    /* when the first was sent, */
    nstime_t answered; /* and the last answered */
    uint64_t wasted;   /* bytes of requests and answers */
    /* Requests, as polls go: */
    uint32_t frame; /* the latest's; 0: none */
    uint32_t call_id;
    nstime_t sent;
    /* So many of the latest in a row came after the same time, and after as many calls of the client. */
    unsigned steady;
    uint32_t calls;
    double usual; /* seconds */
};

/* What is to be said of a call; each part is zero where it says nothing. */
struct asking_finding {
    /* An answer that fitted, but not before so many round trips, more than a client that asks for the size takes: */
    unsigned trips;
    unsigned wasted_percent; /* of the bytes */
    double seconds;          /* from the first request to the answer */
    /* An answer that fitted, after any number of trips: */
    uint32_t wasted; /* bytes of those before */
    /* An answer that the client did not wait for: */
    uint32_t asked_again_in; /* frame of the next request, sent before */
    /* A request that came later than those before, though nothing is missing: */
    double interval, usual; /* seconds since the one before, and what the client's own was up to then; */
    uint32_t late_in;       /* ... its frame */
    /* A poll of what the client polls in another way, too: */
    unsigned num_twice;       /* so many things, */
    const char *twice;        /* and in words; file scope */
    const char *other_server; /* why a request names another server than the one it goes to; file scope */
};

/* Hundredths of the whole, to the nearest; 0 of nothing. */
unsigned asking_percent(uint64_t part, uint64_t whole);

/* A request of a poll: how it comes after the one before. Returns whether there is something to say. */
bool asking_request(struct asking *asking, const packet_info *pinfo, uint32_t call_id, struct asking_finding *finding);
/* Its answer, whatever it was. request_frame: of the request. Returns as above. */
bool asking_answer(const struct asking *asking, uint32_t request_frame, struct asking_finding *finding);
/* An answer that said that the client's buffer was too small. bytes: of both stubs. */
void asking_too_small(struct asking *asking, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes);
/* An answer that fitted. Returns as above. */
bool asking_fitted(struct asking *asking, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes,
    struct asking_finding *finding);

/* What was found of a call so far, to begin with; kept NULL: nothing was. */
struct asking_finding asking_found(const struct asking_finding *kept);
/* What is to be kept of a call: a copy in file scope. */
const struct asking_finding *asking_keep(const struct asking_finding *finding);

/* The expert items of a protocol. */
struct asking_items {
    expert_field *growing, *overlap, *late, *twice;
};
/* Items of what is to be said of a request or an answer; finding NULL: nothing. */
void asking_show(const struct asking_finding *finding, bool is_answer, const struct asking_items *items,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb);

#endif /* PERFLIB_BASE_ASKING_H */
