/* test_missing_calls.c
 * What a PerflibV2 call asked for and did not get: in which words, and why
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <string.h>

#include <epan/tap.h>

#include "check.h"
#include "counters/missing.h"

static wmem_allocator_t *scope;
static packet_info pinfo = { .num = 50 };
static int a_server, a_missing;
static wmem_strbuf_t *said;
static bool is_heard = true;
static const struct perf_tap_poll *values_said;

/* In place of counters/missing.c: what is told, a line each. */
struct missing *
missing_new(int tap, packet_info *packet)
{
    CHECK(tap == 9 && packet == &pinfo, "%d", tap);
    return is_heard ? (struct missing *)&a_missing : NULL;
}

void
missing_asked(struct missing *missing _U_, const char *what)
{
    wmem_strbuf_append_printf(said, "asked %s\n", what);
}

void
missing_accepted(struct missing *missing _U_, const char *what)
{
    wmem_strbuf_append_printf(said, "accepted %s\n", what);
}

void
missing_answered(struct missing *missing _U_, const char *what, const char *why, uint32_t pdh)
{
    wmem_strbuf_append_printf(said, "answered %s: %s, %x\n", what, why == NULL ? "well" : why, pdh);
}

void
missing_tell(struct missing *missing, const char *host, const struct perf_tap_poll *values)
{
    values_said = values;
    CHECK(missing == (struct missing *)&a_missing, "another");
    wmem_strbuf_append_printf(said, "of %s", host);
}

void
missing_tell_needed(int tap, packet_info *packet, const char *needed)
{
    CHECK(tap == 9 && packet == &pinfo && strcmp(needed, "a key") == 0, "%s", needed);
    wmem_strbuf_append(said, "needed");
}

/* In place of what a capture taught: counterset 1 has a name, and its counter 5. */
struct catalog_text
catalog_counterset_name(const struct server *server, const e_guid_t *guid, uint32_t frame)
{
    CHECK(server == (struct server *)&a_server && frame == 50, "%u", frame);
    return (struct catalog_text){ guid->data1 == 1 ? "Set" : NULL, 0 };
}

const char *
catalog_counter_text(wmem_allocator_t *into, const struct server *server, const e_guid_t *guid, uint32_t id,
    uint32_t frame)
{
    CHECK(server == (struct server *)&a_server && frame == 50, "%u", frame);
    return guid->data1 == 1 && id == 5 ? "Five" : wmem_strdup_printf(into, "counter %u", id);
}

const char *
server_host(const struct server *server)
{
    CHECK(server == (struct server *)&a_server, "another");
    return "HOST";
}

static struct query_link links[4];

struct query_link
queries_link(const struct query_poll *poll _U_, unsigned block)
{
    return links[block];
}

char *
queries_instance_text(wmem_allocator_t *into, const struct series_row *row)
{
    return wmem_strdup_printf(into, "row %u", row->id);
}

static struct perf_tap_poll the_values;

struct perf_tap_poll *
values_record(struct values *values _U_)
{
    return &the_values;
}

int
register_tap(const char *name)
{
    CHECK(strcmp(name, "perflibv2_missing") == 0, "%s", name);
    return 9;
}

static const struct operation plain = { .name = "Plain" }, opens = { .name = "Opens", .effect = OPENS_QUERY },
                              changes = { .name = "Changes", .effect = CHANGES_QUERY };
static struct query query = { .number = 3 };
static struct query_poll poll = { .query = &query };
static struct call call;

static void
check_said(struct pdu *pdu, const char *error, uint32_t code, const char *expected, const char *what)
{
    const char *found;

    said = wmem_strbuf_new(scope, "");
    values_said = NULL;
    pdu->n.pinfo = &pinfo;
    pdu->call = &call;
    missing_tell_pdu(pdu, error, code);
    found = wmem_strbuf_get_str(said);
    CHECK(strcmp(found, expected) == 0, "%s:\n%s\nnot\n%s", what, found, expected);
}

static void
check_calls(void)
{
    struct pdu request = { .op = &plain }, answer = { .op = &plain, .is_response = true };

    call = (struct call){ .server = (struct server *)&a_server };
    check_said(&request, NULL, 0, "asked Plain\nof HOST", "a request");
    check_said(&answer, NULL, 0, "answered Plain: well, 0\nof HOST", "an answer");
    /* PDH_ACCESS_DENIED of ERROR_ACCESS_DENIED */
    check_said(&answer, "ERROR_ACCESS_DENIED", 5, "answered Plain: ERROR_ACCESS_DENIED, c0000bdb\nof HOST", "refused");
    CHECK(values_said == NULL, "it brought none");
    call.counterset.data1 = 0xabcd;
    check_said(&request, NULL, 0, "asked Plain, {0000abcd-0000-0000-0000-000000000000}\nof HOST", "of a counterset");
    call.request_code = 2;
    call.request_lcid = 5;
    check_said(&request, NULL, 0, "asked Plain, {0000abcd-0000-0000-0000-000000000000}, code 2 (5)\nof HOST", "a code");
    call.query = &query;
    check_said(&request, NULL, 0, "asked Plain, query 3\nof HOST", "of a query");
    request.op = &opens;
    call.counterset.data1 = 0;
    check_said(&request, NULL, 0, "asked Opens\nof HOST", "what opens is asked for before there is a query");
    is_heard = false;
    check_said(&request, NULL, 0, "", "nobody listens");
    is_heard = true;
    call.server = NULL;
    check_said(&request, NULL, 0, "", "nobody knows whom");
    said = wmem_strbuf_new(scope, "");
    missing_needed(&pinfo, "a key");
    CHECK(strcmp(wmem_strbuf_get_str(said), "needed") == 0, "%s", wmem_strbuf_get_str(said));
}

static void
check_identifiers(void)
{
    static const uint8_t name[] = { 'i', 0, 'd', 0 };
    static const struct {
        uint32_t status, counter;
        bool has_name;
        uint32_t set;
    } identifiers[] = {
        { 0, 5, true, 1 },
        { 183, 6, false, 1 },
        { 4200, 5, true, 0xabcd },
        { 0, 0xFFFFFFFF, false, 1 },
    };
    struct pdu pdu = { .op = &changes, .has_lpdata = true };

    call = (struct call){ .server = (struct server *)&a_server, .query = &query, .add = true };
    pdu.lp.tvb = tvb_new_real_data(name, sizeof name, sizeof name);
    pdu.lp.identifiers = wmem_array_new(scope, sizeof(struct lp_identifier));
    for (size_t i = 0; i < array_length(identifiers); i++) {
        const struct lp_identifier id = { .status = identifiers[i].status,
            .counter_id = identifiers[i].counter,
            .guid = { .data1 = identifiers[i].set },
            .name = { .size = identifiers[i].has_name ? 4 : 0 } };

        wmem_array_append_one(pdu.lp.identifiers, id);
    }
    check_said(&pdu, NULL, 0,
        "asked Changes, query 3\n"
        "asked \\\\HOST\\Set(id)\\Five\n"
        "asked \\\\HOST\\Set\\counter 6\n"
        "asked \\\\HOST\\{0000abcd-0000-0000-0000-000000000000}(id)\\counter 5\n"
        "asked \\\\HOST\\Set\\*\n"
        "of HOST",
        "a request");
    pdu.is_response = true;
    /* What the query has already is to come; PDH_CSTATUS_NO_OBJECT of ERROR_WMI_GUID_NOT_FOUND. */
    check_said(&pdu, NULL, 0,
        "answered Changes, query 3: well, 0\n"
        "accepted \\\\HOST\\Set(id)\\Five\n"
        "accepted \\\\HOST\\Set\\counter 6\n"
        "answered \\\\HOST\\{0000abcd-0000-0000-0000-000000000000}(id)\\counter 5: ERROR_WMI_GUID_NOT_FOUND, c0000bb8\n"
        "accepted \\\\HOST\\Set\\*\n"
        "of HOST",
        "an answer");
    check_said(&pdu, "ERROR_X", 8, "answered Changes, query 3: ERROR_X, 0\nof HOST", "one that failed");
    call.add = false;
    check_said(&pdu, NULL, 0, "answered Changes, query 3: well, 0\nof HOST", "what was removed is not missing");
    call.add = true;
    pdu.has_lpdata = false;
    check_said(&pdu, NULL, 0, "answered Changes, query 3: well, 0\nof HOST", "they were not read");
    pdu.has_lpdata = true;
    pdu.op = &plain;
    check_said(&pdu, NULL, 0, "answered Plain, query 3: well, 0\nof HOST", "another call");
}

static void
check_blocks(void)
{
    static const uint32_t types[] = { PERF_ERROR_RETURN, PERF_SINGLE_COUNTER, PERF_ERROR_RETURN, PERF_ERROR_RETURN };
    static const struct {
        unsigned there, announced;
        int expected;
        const char *said;
    } cases[] = {
        { 4, 4, 4, "" },
        { 4, 4, -1, "" },
        { 4, 4, 0, "" },
        { 4, 4, 3, "" },
        { 4, 4, 5, "answered blocks of query 3: 4 blocks for 5 identifiers, 0\n" },
        { 0, 0, 1, "answered blocks of query 3: 0 blocks for 1 identifiers, 0\n" },
        { 1, 1, 2, "answered blocks of query 3: 1 block for 2 identifiers, 0\n" },
        { 4, 5, 5, "answered blocks of query 3: not captured: 1 of 5, 0\n" },
        { 4, 6, 9, "answered blocks of query 3: not captured: 2 of 6, 0\n" },
    };
    struct pdu pdu = { .op = &plain, .is_response = true, .poll = &poll };

    call = (struct call){ .server = (struct server *)&a_server, .query = &query };
    links[0] = (struct query_link){ .kind = LINK_NONE };
    links[2] = (struct query_link){ .kind = LINK_MAPPED,
        .set = { .data1 = 1 },
        .counter_known = true,
        .counter_id = 5,
        .instance_known = true,
        .instance = { .id = 7 } };
    links[3] = (struct query_link){ .kind = LINK_INFERRED, .set = { .data1 = 1 }, .counter_id = 5 };
    for (size_t i = 0; i < array_length(cases); i++) {
        poll.num_announced = cases[i].announced;
        poll.num_blocks = cases[i].there;
        call.expected_identifiers = cases[i].expected;
        pdu.lp.blocks = NULL;
        check_said(&pdu, NULL, 0,
            wmem_strdup_printf(scope, "answered Plain, query 3: well, 0\n%sof HOST", cases[i].said), "how many");
        CHECK(values_said == &the_values, "and its values");
    }
    pdu.lp.blocks = wmem_array_new(scope, sizeof(struct lp_block));
    for (size_t i = 0; i < array_length(types); i++) {
        const struct lp_block block = { .type = types[i], .status = 4201 };

        wmem_array_append_one(pdu.lp.blocks, block);
    }
    poll.num_announced = poll.num_blocks = 4;
    call.expected_identifiers = 4;
    /* PDH_CSTATUS_NO_INSTANCE of ERROR_WMI_INSTANCE_NOT_FOUND */
    check_said(&pdu, NULL, 0,
        "answered Plain, query 3: well, 0\n"
        "answered block 0 of query 3: block without values: ERROR_WMI_INSTANCE_NOT_FOUND, 800007d1\n"
        "answered \\\\HOST\\Set(row 7)\\Five: block without values: ERROR_WMI_INSTANCE_NOT_FOUND, 800007d1\n"
        "answered \\\\HOST\\Set\\*: block without values: ERROR_WMI_INSTANCE_NOT_FOUND, 800007d1\n"
        "of HOST",
        "blocks");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    pinfo.pool = scope;
    win32_names_init();
    missing_init();
    check_calls();
    check_identifiers();
    check_blocks();
    wmem_destroy_allocator(scope);
    return check_result();
}
