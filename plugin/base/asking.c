/* asking.c
 * Wasteful or irregular requests of one client: buffers that grow, requests repeated before the answer, late polls
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/asking.h"

#include <math.h>

#include <wsutil/nstime.h>
#include <wsutil/str_util.h>

#include "base/text.h"

#define USUAL_TRIPS      2    /* round trips needed: one to learn the size, one that fits */
#define STEADY_INTERVALS 4    /* number of equal intervals that establish the client's own */
#define STEADY_PART      0.15 /* intervals are equal if they differ by at most this part */
#define LEAST_INTERVAL   0.1  /* seconds; clients with shorter intervals poll without a fixed interval */
#define LATE_PART        0.5  /* a poll is late if it exceeds the interval by this part */
#define GIVEN_UP_SECONDS 5.0  /* seconds; a client that waits longer before it tries a larger buffer had given up */

static double
seconds_between(const nstime_t *later, const nstime_t *earlier)
{
    nstime_t difference;

    nstime_delta(&difference, later, earlier);
    return nstime_to_sec(&difference);
}

unsigned
asking_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (unsigned)((double)part / (double)whole * 100 + 0.5);
}

bool
asking_request(struct asking *asking, const packet_info *pinfo, uint32_t call_id, struct asking_finding *finding)
{
    const bool is_first = asking->frame == 0;
    const double interval = seconds_between(&pinfo->abs_ts, &asking->sent);
    const uint32_t calls = call_id - asking->call_id;
    const bool is_like_before = asking->steady > 0 && calls == asking->calls;
    bool is_late = false;

    asking->frame = pinfo->num;
    asking->call_id = call_id;
    asking->sent = pinfo->abs_ts;
    if (is_first) {
        return false;
    }
    /* Without different call ids it is unknown whether calls are missing. */
    if (calls == 0) {
        asking->steady = 0;
    } else if (is_like_before && fabs(interval - asking->usual) <= STEADY_PART * asking->usual) {
        asking->usual = (asking->usual * asking->steady + interval) / (asking->steady + 1);
        asking->steady++;
    } else {
        is_late = is_like_before && asking->steady >= STEADY_INTERVALS && asking->usual >= LEAST_INTERVAL &&
            interval > (1 + LATE_PART) * asking->usual;
        if (is_late) {
            finding->interval = interval;
            finding->usual = asking->usual;
            finding->late_in = pinfo->num;
        }
        /* The interval may have changed: no further finding until a new one is established. */
        asking->steady = is_late ? 0 : 1;
        asking->calls = calls;
        asking->usual = interval;
    }
    return is_late;
}

bool
asking_answer(const struct asking *asking, uint32_t request_frame, struct asking_finding *finding)
{
    if (request_frame == 0 || asking->frame <= request_frame) {
        return false;
    }
    finding->asked_again_in = asking->frame;
    return true;
}

void
asking_too_small(struct asking *asking, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes)
{
    if (asking->too_small == 0 || seconds_between(sent, &asking->answered) > GIVEN_UP_SECONDS) {
        asking->too_small = 0;
        asking->wasted = 0;
        asking->begun = *sent;
    }
    asking->too_small++;
    asking->wasted += bytes;
    asking->answered = pinfo->abs_ts;
}

bool
asking_fitted(struct asking *asking, const packet_info *pinfo, const nstime_t *sent, uint64_t bytes,
    struct asking_finding *finding)
{
    const unsigned trips = asking->too_small + 1;
    const uint64_t all = asking->wasted + bytes;

    asking->too_small = 0;
    if (trips == 1 || all == 0 || seconds_between(sent, &asking->answered) > GIVEN_UP_SECONDS) {
        return false;
    }
    finding->wasted = (uint32_t)MIN(asking->wasted, UINT32_MAX);
    if (trips <= USUAL_TRIPS) {
        return true;
    }
    finding->trips = trips;
    finding->seconds = seconds_between(&pinfo->abs_ts, &asking->begun);
    finding->wasted_percent = asking_percent(asking->wasted, all);
    return true;
}

struct asking_finding
asking_found(const struct asking_finding *kept)
{
    return kept != NULL ? *kept : (struct asking_finding){ .trips = 0 };
}

const struct asking_finding *
asking_keep(const struct asking_finding *finding)
{
    return (const struct asking_finding *)wmem_memdup(wmem_file_scope(), finding, sizeof *finding);
}

void
asking_show(const struct asking_finding *finding, bool is_answer, const struct asking_items *items, packet_info *pinfo,
    proto_tree *tree, tvbuff_t *tvb)
{
    if (finding == NULL) {
        return;
    }
    if (is_answer && finding->trips != 0) {
        proto_tree_add_expert_format(tree, pinfo, items->growing, tvb, 0, 0,
            "%u round trips, %s s, %u %% of the bytes wasted before the answer fitted", finding->trips,
            number_text(pinfo->pool, "%.3f", finding->seconds), finding->wasted_percent);
    }
    if (is_answer && finding->asked_again_in != 0) {
        proto_tree_add_expert_format(tree, pinfo, items->overlap, tvb, 0, 0,
            "The client had asked again, in frame %u, before this answer came", finding->asked_again_in);
    }
    if (!is_answer && finding->usual > 0) {
        proto_tree_add_expert_format(tree, pinfo, items->late, tvb, 0, 0,
            "%s s after the one before: the client's own interval is %s s",
            number_text(pinfo->pool, "%.3f", finding->interval), number_text(pinfo->pool, "%.3f", finding->usual));
    }
    if (is_answer && finding->twice != NULL) {
        proto_tree_add_expert_format(tree, pinfo, items->twice, tvb, 0, 0, "%s", finding->twice);
    }
}
