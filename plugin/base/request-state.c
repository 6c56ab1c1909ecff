/* request-state.c
 * Wasteful or irregular requests of one client: buffers that grow, requests repeated before the answer, late polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/request-state.h"

#include <math.h>

#include <wsutil/nstime.h>

#include "base/text.h"

#define USUAL_TRIPS      2    /* round trips needed: one to learn the size, one that fits */
#define STEADY_INTERVALS 4    /* number of equal intervals needed to establish the client's usual interval */
#define STEADY_PART      0.15 /* an interval is equal if it differs from the usual one by at most this part */
#define LEAST_INTERVAL   0.1  /* seconds; clients with shorter intervals poll without a fixed interval */
#define LATE_PART        0.5  /* a poll is late if its interval exceeds the usual one by this part */
#define GIVEN_UP_SECONDS 5.0  /* seconds; a client that waits longer before it tries a larger buffer has given up */

static double
seconds_between(const nstime_t *later, const nstime_t *earlier)
{
    nstime_t difference;

    nstime_delta(&difference, later, earlier);
    return nstime_to_sec(&difference);
}

unsigned
request_state_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (unsigned)((double)part / (double)whole * 100 + 0.5);
}

struct request_finding *
request_state_finding(struct request_finding **finding)
{
    if (*finding == NULL) {
        *finding = wmem_new0(wmem_file_scope(), struct request_finding);
    }
    return *finding;
}

bool
request_state_sent(struct request_state *state, const packet_info *pinfo, uint32_t call_id,
    struct request_finding **finding)
{
    const bool is_first = state->frame == 0;
    const double interval = seconds_between(&pinfo->abs_ts, &state->sent);
    const uint32_t calls = call_id - state->call_id;
    const bool is_like_before = state->steady > 0 && calls == state->calls;
    bool is_late = false;

    state->frame = pinfo->num;
    state->call_id = call_id;
    state->sent = pinfo->abs_ts;
    if (is_first) {
        return false;
    }
    /* The client did not increment the call_id: calls may be missing unnoticed, so intervals are not compared. */
    if (calls == 0) {
        state->steady = 0;
    } else if (is_like_before && fabs(interval - state->usual) <= STEADY_PART * state->usual) {
        state->usual = (state->usual * state->steady + interval) / (state->steady + 1);
        state->steady++;
    } else {
        is_late = is_like_before && state->steady >= STEADY_INTERVALS && state->usual >= LEAST_INTERVAL &&
            interval > (1 + LATE_PART) * state->usual;
        if (is_late) {
            struct request_finding *found = request_state_finding(finding);

            found->interval = interval;
            found->usual = state->usual;
            found->late_in = pinfo->num;
        }
        /* The client may have changed its interval: no poll is reported until a new interval is established. */
        state->steady = is_late ? 0 : 1;
        state->calls = calls;
        state->usual = interval;
    }
    return is_late;
}

bool
request_state_answered(const struct request_state *state, uint32_t request_frame, struct request_finding **finding)
{
    if (request_frame == 0 || state->frame <= request_frame) {
        return false;
    }
    request_state_finding(finding)->asked_again_in = state->frame;
    return true;
}

void
request_state_too_small(struct request_state *state, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes)
{
    if (state->too_small == 0 || seconds_between(sent, &state->answered) > GIVEN_UP_SECONDS) {
        state->too_small = 0;
        state->wasted = 0;
        state->begun = *sent;
    }
    state->too_small++;
    state->wasted += bytes;
    state->answered = pinfo->abs_ts;
}

bool
request_state_fitted(struct request_state *state, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes,
    struct request_finding **finding)
{
    const unsigned trips = state->too_small + 1;
    const uint64_t all = state->wasted + bytes;
    struct request_finding *found;

    state->too_small = 0;
    if (trips == 1 || all == 0 || seconds_between(sent, &state->answered) > GIVEN_UP_SECONDS) {
        return false;
    }
    found = request_state_finding(finding);
    found->wasted = (uint32_t)MIN(state->wasted, UINT32_MAX);
    if (trips <= USUAL_TRIPS) {
        return true;
    }
    found->trips = trips;
    found->seconds = seconds_between(&pinfo->abs_ts, &state->begun);
    found->wasted_percent = request_state_percent(state->wasted, all);
    return true;
}

void
request_state_show(const struct request_finding *finding, bool is_answer, const struct request_items *items,
    packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb)
{
    if (finding == NULL) {
        return;
    }
    if (is_answer && finding->trips != 0) {
        proto_tree_add_expert_format(tree, pinfo, items->growing, tvb, 0, 0,
            "The client needed %u round trips and %s s to find the buffer size; %u %% of the bytes were wasted",
            finding->trips, number_text(pinfo->pool, "%.3f", finding->seconds), finding->wasted_percent);
    }
    if (is_answer && finding->asked_again_in != 0) {
        proto_tree_add_expert_format(tree, pinfo, items->overlap, tvb, 0, 0,
            "The client polled again in frame %u, before this answer", finding->asked_again_in);
    }
    if (!is_answer && finding->usual > 0) {
        proto_tree_add_expert_format(tree, pinfo, items->late, tvb, 0, 0,
            "The poll is late: %s s after the previous one. The client's usual interval is %s s",
            number_text(pinfo->pool, "%.3f", finding->interval), number_text(pinfo->pool, "%.3f", finding->usual));
    }
    if (is_answer && finding->twice != NULL) {
        proto_tree_add_expert_format(tree, pinfo, items->twice, tvb, 0, 0, "%s", finding->twice);
    }
}
