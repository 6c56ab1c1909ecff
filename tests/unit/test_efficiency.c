/* test_efficiency.c
 * How clients of PerflibV2 ask: with buffers that grow, for what, and for the same by two queries
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <string.h>

#include "check.h"
#include "file-scope.h"

enum { STUB_SIZE = 100 };

static const uint8_t stub[STUB_SIZE];
static int conversations[3], servers[2];
#define CONVERSATION(n) ((conversation_t *)(void *)&conversations[n])

/* In place of inference.c: what its hash tells apart is given by the test, so that all else is not. */
static guint hash_of_names;

static struct query_identifier hashed; /* the latest */
static unsigned name_was_at;

guint
query_identifier_hash(const void *identifier)
{
    hashed = *(const struct query_identifier *)identifier;
    return hash_of_names;
}

struct series_row
inference_row(tvbuff_t *tvb _U_, uint32_t id, unsigned name_offset, struct utf16_text name)
{
    name_was_at = name_offset;
    return (struct series_row){ .id = id, .name_size = name.size };
}

static const struct operation sized = { .response = P_OUT_SIZES }, unsized = { .response = P_HANDLE },
                              changes = { .effect = CHANGES_QUERY };

/* The PDU of a call, and all it stands in. */
static struct call call;
static packet_info pinfo;
static dcerpc_call_value value;
static dcerpc_info di;
static struct pdu pdu;

/* A PDU of a query's poll, in that frame at that second. */
static void
begin(struct query *query, bool is_response, uint32_t frame, int seconds)
{
    pinfo = (packet_info){ .num = frame, .abs_ts = { 1000 + seconds, 0 }, .pool = wmem_epan_scope() };
    set_address(&pinfo.dst, AT_STRINGZ, 3, "me");
    value = (dcerpc_call_value){ .opnum = OP_QUERY_COUNTER_DATA, .req_time = { 1000 + seconds - is_response, 0 } };
    di = (dcerpc_info){ .call_data = &value, .conv = CONVERSATION(0), .call_id = frame };
    call = (struct call){ .query = query, .request_frame = frame - is_response, .request_bytes = 20 };
    pdu = (struct pdu){ .n = { .tvb = tvb_new_real_data(stub, STUB_SIZE, STUB_SIZE), .pinfo = &pinfo, .di = &di },
        .op = &sized,
        .is_response = is_response,
        .call = &call };
}

/* Its answer came; ERROR_NOT_ENOUGH_MEMORY is 8. */
static void
answered(uint32_t code)
{
    pdu.said.have = STUB_RETURN_CODE;
    pdu.said.return_code.value = code;
    pdu.outcome = code == 0 ? CALL_SUCCEEDED : CALL_FAILED;
    efficiency_learn_answer(&pdu);
}

static struct query *
new_query(uint32_t number)
{
    struct query *query = wmem_new0(wmem_epan_scope(), struct query);

    query->number = number;
    query->server = (struct server *)(void *)&servers[0];
    return query;
}

static void
test_other_server(void)
{
    begin(NULL, false, 10, 0);
    efficiency_learn_request(&pdu);
    CHECK(call.asking == NULL, "nothing is said");
    pdu.other_machine = "another";
    efficiency_learn_request(&pdu);
    CHECK(call.asking != NULL && strcmp(call.asking->other_server, "another") == 0, "it names another server");
}

/* Five intervals of two seconds, then a request after eight: of a query, on one connection. */
static void
test_intervals(void)
{
    static const struct {
        unsigned opnum;
        bool has_query, is_late;
        int last_on;
    } cases[] = {
        { OP_QUERY_COUNTER_DATA, true, true, 0 },
        { OP_QUERY_COUNTER_DATA, true, false, 1 },
        { OP_QUERY_COUNTER_DATA, false, false, 0 },
        { OP_QUERY_COUNTER_INFO, true, false, 0 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query *query = cases[i].has_query ? new_query(1) : NULL;

        for (uint32_t n = 0; n < 7; n++) {
            begin(query, false, 10 + 2 * n, n < 6 ? 2 * (int)n : 18);
            value.opnum = (uint16_t)cases[i].opnum;
            di.call_id = 1 + n;
            di.conv = CONVERSATION(n < 6 ? 0 : cases[i].last_on);
            efficiency_learn_request(&pdu);
            CHECK((call.asking != NULL) == (n == 6 && cases[i].is_late), "%zu: request %u", i, n);
            if (call.asking != NULL) {
                CHECK(call.asking->late_in == 22 && call.asking->usual == 2, "%u", call.asking->late_in);
            }
            begin(query, true, 11 + 2 * n, n < 6 ? 2 * (int)n + 1 : 19);
            value.opnum = (uint16_t)cases[i].opnum;
            di.conv = CONVERSATION(n < 6 ? 0 : cases[i].last_on);
            answered(0);
            CHECK(call.asking == NULL, "%zu: answer %u", i, n);
        }
    }
}

/* Two polls under way: the first was not waited for. */
static void
test_overlap(void)
{
    struct query *query = new_query(1);

    begin(query, false, 10, 0);
    efficiency_learn_request(&pdu);
    begin(query, false, 11, 1);
    efficiency_learn_request(&pdu);
    begin(query, true, 12, 2);
    call.request_frame = 10;
    answered(87);
    CHECK(call.asking != NULL && call.asking->asked_again_in == 11, "asked again");
    begin(query, true, 13, 3);
    call.request_frame = 11;
    answered(0);
    CHECK(call.asking == NULL, "the last one");
}

/* What is asked for with a buffer. */
struct asked {
    unsigned opnum, conversation;
    uint32_t set, code, lcid;
    bool is_of_query;
};

/* The next answer, a second after its request and after the answer before. */
static void
begin_asked(const struct asked *asked, struct query *query)
{
    static int seconds;

    begin(asked->is_of_query ? query : NULL, true, (uint32_t)(100 + 2 * seconds), seconds);
    seconds++;
    value.opnum = (uint16_t)asked->opnum;
    di.conv = CONVERSATION(asked->conversation);
    call.counterset.data1 = asked->set;
    call.request_code = asked->code;
    call.request_lcid = asked->lcid;
}

/* Buffers of the same call that grow; what differs in anything that is asked for is another call, which comes between. */
static void
test_growing(void)
{
    static const struct asked same = { 1, 0, 1, 5, 9, false }, poll = { OP_QUERY_COUNTER_DATA, 0, 0, 0, 0, true };
    static const struct {
        const char *what;
        const struct asked *asked;
        struct asked between;
    } cases[] = {
        { "another counterset", &same, { 1, 0, 2, 5, 9, false } },
        { "another code", &same, { 1, 0, 1, 6, 9, false } },
        { "another language", &same, { 1, 0, 1, 5, 7, false } },
        { "another method", &same, { 2, 0, 1, 5, 9, false } },
        { "another connection", &same, { 1, 1, 1, 5, 9, false } },
        { "a query's", &same, { 1, 0, 1, 5, 9, true } },
        { "a poll", &same, { OP_QUERY_COUNTER_DATA, 0, 1, 5, 9, true } },
        { "no poll", &poll, { 1, 0, 0, 0, 0, true } },
    };
    struct query *query = new_query(1);

    for (size_t i = 0; i < array_length(cases); i++) {
        for (unsigned n = 0; n < 2; n++) {
            begin_asked(cases[i].asked, query);
            answered(8);
            CHECK(call.asking == NULL, "%s: too small", cases[i].what);
        }
        begin_asked(&cases[i].between, query);
        answered(0);
        CHECK(call.asking == NULL, "%s", cases[i].what);
        /* What failed, or says nothing of sizes, fits not. */
        begin_asked(cases[i].asked, query);
        answered(87);
        CHECK(call.asking == NULL, "%s: failed", cases[i].what);
        pdu.op = &unsized;
        answered(0);
        CHECK(call.asking == NULL, "%s: without sizes", cases[i].what);
        pdu.op = &sized;
        answered(0);
        /* Of three times 120 bytes, from the first request to the last answer, the fourth. */
        CHECK(call.asking != NULL && call.asking->trips == 3 && call.asking->wasted_percent == 67 &&
                call.asking->seconds == 4,
            "%s: the same", cases[i].what);
    }
}

/* Changes a query by an identifier. */
static void
change_by(struct query *query, bool add, const struct lp_identifier *id)
{
    begin(query, true, 5, 0);
    value.opnum = OP_VALIDATE_COUNTERS;
    pdu.op = &changes;
    pdu.has_lpdata = true;
    call.add = add;
    pdu.lp.identifiers = wmem_array_new(wmem_epan_scope(), sizeof *id);
    wmem_array_append(pdu.lp.identifiers, id, 1);
}

static uint32_t capture; /* so that nothing is known of what is added in one */

static void
change(struct query *query, bool add, uint32_t counter)
{
    const struct lp_identifier id = { .guid = { .data1 = capture }, .counter_id = counter };

    change_by(query, add, &id);
    answered(0);
}

/* Polls a query in a frame; "" where nothing is said of another. */
static const char *
poll(struct query *query, uint32_t frame)
{
    /* At no interval. */
    begin(query, false, frame - 1, (int)(frame * frame % 1009));
    efficiency_learn_request(&pdu);
    begin(query, true, frame, (int)(frame * frame % 1009) + 1);
    answered(0);
    CHECK((call.asking != NULL) == (call.asking != NULL && call.asking->num_twice != 0), "something else is said");
    return call.asking == NULL ? "" : call.asking->twice;
}

#define SHARED(count, number, frame) \
    "The client polls " count " of these counters with query " number ", too, last in frame " frame

static void
check_poll(struct query *query, uint32_t frame, const char *expected, const char *what)
{
    const char *found = poll(query, frame);

    CHECK(strcmp(found, expected) == 0, "%s: %s, not %s", what, found, expected);
}

static struct query *all[4]; /* 1 to 3 */

static void
anew(void)
{
    capture++;
    for (uint32_t i = 1; i < 4; i++) {
        all[i] = new_query(i);
    }
}

static void
test_twice(void)
{
    anew();
    change(all[1], true, 7);
    change(all[1], true, 8);
    change(all[2], true, 7);
    change(all[2], true, 8);
    change(all[2], true, 9);
    check_poll(all[1], 10, "", "the first of all");
    check_poll(all[2], 20, "", "its first");
    check_poll(all[2], 30, "", "the other was not polled since");
    check_poll(all[1], 40, "", "who asked first is not told");
    check_poll(all[2], 50, SHARED("2", "1", "40"), "both are polled");
    check_poll(all[1], 60, "", "who asked first");
    check_poll(all[2], 70, "", "told once");

    anew();
    change(all[1], true, 7);
    change(all[2], true, 7);
    check_poll(all[2], 20, "", "its first");
    check_poll(all[1], 20, "", "in the same frame");
    check_poll(all[2], 30, SHARED("1", "1", "20"), "in the same frame as the one before");

    anew();
    change(all[1], true, 7);
    change(all[2], true, 8);
    change(all[3], true, 7);
    change(all[3], true, 8);
    check_poll(all[3], 10, "", "its first");
    check_poll(all[1], 20, "", "one of two");
    check_poll(all[2], 30, "", "the other");
    check_poll(all[3], 40, SHARED("1", "2", "30"), "with the latest");

    /* What a query has, asked for, adds nothing to it. */
    anew();
    change(all[1], true, 7);
    change_by(all[2], true, &(struct lp_identifier){ .guid = { .data1 = capture }, .counter_id = 7 });
    pdu.op = &unsized;
    answered(0);
    check_poll(all[1], 10, "", "the first of all");
    check_poll(all[2], 20, "", "its first");
    check_poll(all[1], 30, "", "the one that has it");
    check_poll(all[2], 40, "", "what it only asked for");

    /* A poll that failed is none. */
    anew();
    change(all[1], true, 7);
    change(all[2], true, 7);
    check_poll(all[2], 10, "", "its first");
    begin(all[1], true, 20, 0);
    answered(87);
    check_poll(all[2], 30, "", "the other failed");
    check_poll(all[1], 40, "", "the other");
    begin(all[2], true, 50, 0);
    answered(87);
    CHECK(call.asking == NULL, "it failed itself");
    check_poll(all[2], 60, SHARED("1", "1", "40"), "both");
}

static void
test_removed(void)
{
    static const struct {
        const char *what;
        unsigned by;      /* who removes, of 1 and 2 */
        uint32_t counter; /* which; 0: none */
        bool is_before;   /* the second adds its own */
        const char *expected;
    } cases[] = {
        { "none", 1, 0, false, SHARED("1", "1", "20") },
        { "the first's", 1, 7, true, "" },
        { "another of the first's", 1, 8, true, SHARED("1", "1", "20") },
        { "one of the first's since", 1, 8, false, "" },
        { "one of its own", 2, 7, false, "" },
        { "what it has not", 2, 7, true, "" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        anew();
        change(all[1], true, 7);
        change(all[1], true, 8);
        for (unsigned step = 0; step < 3; step++) {
            if (step == 1) {
                change(all[2], true, 7);
            } else if ((step == 0) == cases[i].is_before && cases[i].counter != 0) {
                change(all[cases[i].by], false, cases[i].counter);
            }
        }
        check_poll(all[2], 10, "", "its first");
        check_poll(all[1], 20, "", "the other");
        check_poll(all[2], 30, cases[i].expected, cases[i].what);
    }

    /* What one removes that it has not is still the other's. */
    anew();
    change(all[1], true, 7);
    change(all[2], false, 7);
    change(all[3], true, 7);
    check_poll(all[3], 10, "", "its first");
    check_poll(all[1], 20, "", "the other");
    check_poll(all[3], 30, SHARED("1", "1", "20"), "still the first's");

    anew();
    change(all[1], true, 7);
    all[1]->closed_in = 9;
    change(all[2], true, 7);
    check_poll(all[2], 10, "", "its first");
    check_poll(all[1], 20, "", "the other");
    check_poll(all[2], 30, "", "the other was closed");

    /* Added twice to one query. */
    anew();
    change(all[1], true, 7);
    change(all[1], true, 7);
    check_poll(all[1], 10, "", "its first");
    check_poll(all[1], 20, "", "itself");
}

/* The same identifier by all but one thing, and what was not added. */
static void
test_other_identifiers(void)
{
    static const struct {
        const char *what;
        struct lp_identifier id;
        const char *client;
        unsigned server, hash;
        bool is_same, has_failed, lacks_lpdata;
    } cases[] = {
        { "the same", { .counter_id = 7, .instance_id = 5, .name = { 2, true } }, "me", 0, 1, true, false, false },
        { "counter", { .counter_id = 8, .instance_id = 5, .name = { 2, true } }, "me", 0, 1, false, false, false },
        { "instance", { .counter_id = 7, .instance_id = 6, .name = { 2, true } }, "me", 0, 1, false, false, false },
        { "swapped", { .counter_id = 5, .instance_id = 7, .name = { 2, true } }, "me", 0, 1, false, false, false },
        { "name", { .counter_id = 7, .instance_id = 5, .name = { 4, true } }, "me", 0, 1, false, false, false },
        { "words", { .counter_id = 7, .instance_id = 5, .name = { 2, true } }, "me", 0, 2, false, false, false },
        { "client", { .counter_id = 7, .instance_id = 5, .name = { 2, true } }, "us", 0, 1, false, false, false },
        { "server", { .counter_id = 7, .instance_id = 5, .name = { 2, true } }, "me", 1, 1, false, false, false },
        { "refused", { .counter_id = 7, .instance_id = 5, .name = { 2, true }, .status = 1 }, "me", 0, 1, false, false,
            false },
        { "failed", { .counter_id = 7, .instance_id = 5, .name = { 2, true } }, "me", 0, 1, false, true, false },
        { "no lpData", { .counter_id = 7, .instance_id = 5, .name = { 2, true } }, "me", 0, 1, false, false, true },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        anew();
        for (unsigned n = 1; n <= 2; n++) {
            struct lp_identifier id = cases[n == 1 ? 0 : i].id;

            id.guid.data1 = capture;
            hash_of_names = cases[n == 1 ? 0 : i].hash;
            all[n]->server = (struct server *)(void *)&servers[n == 1 ? 0 : cases[i].server];
            change_by(all[n], true, &id);
            set_address(&pinfo.dst, AT_STRINGZ, 3, n == 1 ? "me" : cases[i].client);
            pdu.has_lpdata = n == 1 || !cases[i].lacks_lpdata;
            answered(n == 2 && cases[i].has_failed ? 87 : 0);
        }
        check_poll(all[2], 10, "", "its first");
        check_poll(all[1], 20, "", "the other");
        check_poll(all[2], 30, cases[i].is_same ? SHARED("1", "1", "20") : "", cases[i].what);
    }
    hash_of_names = 0;
    change_by(all[1], true,
        &(struct lp_identifier){ .guid = { .data1 = 1 }, .counter_id = 2, .instance_id = 3, .name_offset = 4 });
    answered(0);
    CHECK(hashed.set.data1 == 1 && hashed.counter_id == 2 && hashed.instance.id == 3 && name_was_at == 4,
        "what is hashed");
    /* A query that nobody knows has no counters. */
    change_by(NULL, true, &cases[0].id);
    answered(0);
    CHECK(call.asking == NULL, "of no query");
}

/*
 * So many that 32 bits of each would not do: of 4e10 pairs some ten would be taken for the same. Numbers far apart, as
 * the hash gives neighbours none, or hundreds.
 */
static void
test_many(void)
{
    enum { MANY = 200000 };

    anew();
    for (uint32_t n = 1; n <= 2; n++) {
        const struct lp_identifier first = { .guid = { .data1 = capture }, .counter_id = n };

        change_by(all[n], true, &first);
        for (uint32_t i = 1; i < MANY; i++) {
            const struct lp_identifier id = { .guid = first.guid, .counter_id = n, .instance_id = i * 2654435761u };

            wmem_array_append(pdu.lp.identifiers, &id, 1);
        }
        answered(0);
    }
    check_poll(all[2], 10, "", "its first");
    check_poll(all[1], 20, "", "the other");
    check_poll(all[2], 30, "", "none of them is the other's");
}

int
main(void)
{
    wmem_init_scopes();
    test_many();
    test_other_server();
    test_intervals();
    test_overlap();
    test_growing();
    test_twice();
    test_removed();
    test_other_identifiers();
    return check_result();
}
