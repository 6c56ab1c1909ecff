/* test_perfdata_efficiency.c
 * How clients of the older API ask: by handle and value, and whether another handle of theirs asks for the same
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <string.h>

#include <epan/to_str.h>

#include "base/win32-names.h"
#include "check.h"
#include "file-scope.h"
#include "perfdata/polls.h"

static struct perfdata_key *keys;
static struct perfdata_poll a_poll;
static packet_info pinfo;
static uint32_t call_id;

/* In place of Wireshark's, which wants all of it to be started. */
char *
address_to_str(wmem_allocator_t *scope, const address *addr)
{
    return wmem_strdup(scope, (const char *)addr->data);
}

static packet_info
packet(uint32_t number, int seconds)
{
    return (packet_info){ .num = number, .abs_ts = { 1000 + seconds, 0 }, .pool = wmem_epan_scope() };
}

/* Other handles, of other servers than before; the last is of another one. */
static void
anew(void)
{
    int *servers = wmem_alloc_array(wmem_epan_scope(), int, 2);

    keys = wmem_alloc0_array(wmem_epan_scope(), struct perfdata_key, 4);
    for (unsigned i = 0; i < 4; i++) {
        keys[i].server = (struct server *)&servers[i == 3];
    }
}

static struct perfdata_call
request(unsigned key, const char *value_name, uint32_t number, int seconds)
{
    const dcerpc_info di = { .call_id = ++call_id };
    struct perfdata_call call = { .key = &keys[key], .value_name = value_name };

    pinfo = packet(number, seconds);
    perfdata_efficiency_request(&call, &pinfo, &di, 10);
    CHECK(call.request_frame == number && call.request_bytes == 10, "%u, %u bytes", call.request_frame,
        call.request_bytes);
    return call;
}

/* Its answer, to that client, a second after the request. */
static void
answer(struct perfdata_call *call, uint32_t number, int seconds, const char *client, struct perfdata_answer said)
{
    dcerpc_call_value sent = { .req_time = { 1000 + seconds - 1, 0 } };
    const dcerpc_info di = { .call_data = &sent };

    pinfo = packet(number, seconds);
    set_address(&pinfo.dst, AT_STRINGZ, (int)strlen(client) + 1, client);
    perfdata_efficiency_answer(call, &pinfo, &di, &said);
}

/* A sample of a handle in that frame; what the other handle's last was, 0: nothing was said of any. */
static unsigned
sample(unsigned key, const char *value_name, uint32_t number, const char *client)
{
    /* Frames of one handle are seconds apart that are nobody's interval. */
    struct perfdata_call call = request(key, value_name, number, (int)(number * number % 1009));
    unsigned frame = 0;

    answer(&call, number + 1, (int)(number * number % 1009) + 1, client,
        (struct perfdata_answer){ .has_error = true, .poll = &a_poll, .bytes = 100 });
    if (call.finding != NULL && call.finding->num_twice != 0) {
        CHECK(call.finding->num_twice == 1 &&
                sscanf(call.finding->twice, "The client also polls this value with another handle, last in frame %u",
                    &frame) == 1,
            "%s", call.finding->twice);
    }
    return frame;
}

static void
test_same_poll_by_two_handles_is_told(void)
{
    const struct series_poll *remembered = (const struct series_poll *)&keys;

    a_poll = (struct perfdata_poll){ .base = { .sample = remembered } };
    anew();
    CHECK_EQUAL(sample(0, "238", 10, "me"), 0, "one handle");
    CHECK_EQUAL(sample(0, "238", 20, "me"), 0, "one handle");
    CHECK_EQUAL(sample(1, "238", 30, "me"), 0, "another handle, whose first it is");
    CHECK_EQUAL(sample(0, "238", 40, "me"), 31, "the same of another handle");
    CHECK_EQUAL(sample(0, "238", 50, "me"), 0, "nothing came between");
    CHECK_EQUAL(sample(1, "238", 60, "me"), 51, "told of the other, too");
    CHECK_EQUAL(sample(0, "238", 70, "me"), 0, "told once");
    CHECK_EQUAL(sample(1, "238", 80, "me"), 0, "told once");
    CHECK_EQUAL(sample(2, "238", 90, "me"), 0, "a third, with nothing between");
    CHECK_EQUAL(sample(2, "238", 100, "me"), 0, "a third, with nothing between");

    /* Another value, another client, another server: none is the same. */
    anew();
    sample(0, "238", 10, "me");
    sample(1, "4", 20, "me");
    sample(2, "238", 30, "you");
    sample(3, "238", 40, "me");
    CHECK_EQUAL(sample(0, "238", 50, "me"), 0, "not the same");
    CHECK_EQUAL(sample(1, "4", 60, "me"), 0, "not the same");
    CHECK_EQUAL(sample(2, "238", 70, "you"), 0, "not the same");
    CHECK_EQUAL(sample(3, "238", 80, "me"), 0, "not the same");

    /* What is no sample is no poll. */
    anew();
    sample(0, "238", 10, "me");
    a_poll.base.sample = NULL;
    sample(1, "238", 20, "me");
    a_poll.base.sample = remembered;
    CHECK_EQUAL(sample(0, "238", 30, "me"), 0, "the other took no sample");
}

static void
test_buffer_that_grows_is_told(void)
{
    const struct perfdata_answer too_small = { .has_error = true,
        .error = WIN32_MORE_DATA,
        .failed = true,
        .bytes = 90 };
    const struct perfdata_answer fitted = { .has_error = true, .bytes = 190 },
                                 denied = { .has_error = true, .error = 5, .failed = true };
    struct perfdata_call call;

    /* 2 buffers too small, of 100 bytes each with their requests, then 200 that fitted. */
    anew();
    for (uint32_t frame = 10; frame < 30; frame += 10) {
        call = request(0, "238", frame, 8 + (int)frame / 5);
        answer(&call, frame + 1, 9 + (int)frame / 5, "me", too_small);
        CHECK(call.finding == NULL, "something is said of a buffer that was too small");
    }
    call = request(0, "4", 25, 13);
    answer(&call, 26, 14, "me", fitted);
    CHECK(call.finding == NULL, "another value");
    call = request(1, "238", 27, 13);
    answer(&call, 28, 14, "me", fitted);
    CHECK(call.finding == NULL, "another handle");
    call = request(0, "238", 30, 14);
    answer(&call, 31, 15, "me", denied);
    CHECK(call.finding == NULL, "an answer that failed fitted not");
    call = request(0, "238", 32, 16);
    answer(&call, 33, 17, "me", fitted);
    CHECK(call.finding != NULL, "the buffer grew");
    if (call.finding != NULL) {
        CHECK_EQUAL(call.finding->trips, 3, "the buffer grew");
        CHECK_EQUAL(call.finding->wasted_percent, 50, "the buffer grew");
        CHECK(call.finding->seconds == 7, "the buffer grew");
        CHECK_EQUAL(call.finding->num_twice, 0, "the buffer grew");
    }

    /* Of a request that is not in the capture nobody knows what it took. */
    anew();
    for (uint32_t frame = 41; frame < 43; frame++) {
        call = (struct perfdata_call){ .key = &keys[0], .value_name = "238" };
        answer(&call, frame, (int)frame - 20, "me", too_small);
    }
    call = request(0, "238", 43, 23);
    answer(&call, 44, 24, "me", fitted);
    CHECK(call.finding == NULL, "an answer whose request is not there");

    /* Nor is anybody told of who asks for what was not captured. */
    anew();
    for (uint32_t frame = 50; frame < 80; frame += 10) {
        call = request(0, NULL, frame, (int)frame / 5);
        answer(&call, frame + 1, (int)frame / 5 + 1, "me", frame < 70 ? too_small : fitted);
        CHECK(call.finding == NULL, "frame %u", frame);
    }
}

static void
test_late_polls_are_told(void)
{
    const struct perfdata_answer good = { .has_error = true, .bytes = 190 };
    struct perfdata_call call, other;

    /* Late after 5 intervals of 2 seconds. */
    anew();
    for (int i = 0; i < 6; i++) {
        call = request(0, "238", 10 + 2 * (uint32_t)i, 2 * i);
        answer(&call, 11 + 2 * (uint32_t)i, 2 * i + 1, "me", good);
        CHECK(call.finding == NULL, "in time");
    }
    call = request(0, "238", 50, 18);
    CHECK(call.finding != NULL, "it is late");
    if (call.finding != NULL) {
        CHECK_EQUAL(call.finding->late_in, 50, "it is late");
        CHECK(call.finding->interval == 8, "it is late");
        CHECK(call.finding->usual == 2, "it is late");
    }
    other = request(0, "238", 51, 20);
    answer(&call, 52, 21, "me", good);
    CHECK_EQUAL(call.finding->late_in, 50, "it is late, and was not waited for");
    CHECK_EQUAL(call.finding->asked_again_in, 51, "it is late, and was not waited for");
    answer(&other, 53, 22, "me", good);
    CHECK(other.finding == NULL, "the last one was waited for");

    /* Nothing is said of what was not seen. */
    call = request(0, "238", 60, 30);
    other = request(0, "238", 61, 31);
    call.request_frame = 0;
    answer(&call, 62, 32, "me", good);
    CHECK(call.finding == NULL, "a request that was not captured");
    call.request_frame = 60;
    answer(&call, 62, 32, "me", (struct perfdata_answer){ .has_error = false });
    CHECK(call.finding == NULL, "a return code that was not captured");
    call.value_name = NULL;
    answer(&call, 62, 32, "me", good);
    CHECK(call.finding == NULL, "a value that was not captured");
    call = request(0, NULL, 70, 40);
    CHECK(call.finding == NULL, "asked for what was not captured");
}

/* So many that they meet in any map: each stays its own. */
static void
test_many_handles_stay_apart(void)
{
    enum { MANY = 300 };
    static struct perfdata_key handles[MANY];
    static struct perfdata_call calls[MANY];
    static char machines[MANY], clients[MANY][8], values[MANY][8];
    const struct perfdata_answer good = { .has_error = true, .bytes = 190, .poll = &a_poll };

    for (unsigned by = 0; by < 3; by++) { /* servers, clients, values */
        anew();
        for (unsigned i = 0; i < MANY; i++) {
            handles[i].server = (struct server *)(void *)&machines[by == 0 ? i : 0];
            snprintf(clients[i], sizeof clients[i], "%u", by == 1 ? i : 0);
            snprintf(values[i], sizeof values[i], "%u", by == 2 ? i : 0);
        }
        for (uint32_t round = 0; round < 3; round++) {
            for (uint32_t i = 0; i < MANY; i++) {
                const dcerpc_info di = { .call_id = ++call_id };

                calls[i] = (struct perfdata_call){ .key = &handles[by == 2 ? 0 : i], .value_name = values[i] };
                pinfo = packet(1 + 2 * MANY * round + i, (int)(round * round));
                perfdata_efficiency_request(&calls[i], &pinfo, &di, 10);
            }
            for (uint32_t i = 0; i < MANY; i++) {
                answer(&calls[i], 1 + MANY + 2 * MANY * round + i, (int)(round * round), clients[i], good);
                CHECK(calls[i].finding == NULL, "%u: another's", i);
            }
        }
    }
}

int
main(void)
{
    wmem_init_scopes();
    test_same_poll_by_two_handles_is_told();
    test_buffer_that_grows_is_told();
    test_late_polls_are_told();
    test_many_handles_stay_apart();
    return check_result();
}
