/* test_call.c
 * What a PerflibV2 call teaches: whom it is told to, in which words, and what is not told
 *
 * [MS-PCQ] 3.1.4.1
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <stdarg.h>
#include <string.h>

#include "base/rpc-call.h"
#include "check.h"
#include "fake-file.h"

static int servers[4], connections[2];
#define SERVER(n)     ((struct server *)(void *)&servers[n])
#define CONNECTION(n) ((struct connection *)(void *)&connections[n])

/* What was told, a word each, and what those answer who were told. */
static wmem_strbuf_t *said;
static struct query query, elsewhere;
static struct query *found;
static struct query_poll a_poll;
static struct connection_state now, sent;
static bool is_elsewhere, may_be_one, shares_client, is_in_order, is_only_change, is_from_start;
static int num_identifiers;

static void
hear(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    wmem_strbuf_append(said, wmem_strbuf_get_len(said) == 0 ? "" : "; ");
    wmem_strbuf_append_vprintf(said, format, arguments);
    va_end(arguments);
}

static unsigned
server_no(const struct server *server)
{
    return (unsigned)((const int *)(const void *)server - servers);
}

/* In place of counters/catalog.c. */
static const char *const
    kinds[] = { [CATALOG_NAME] = "name", [CATALOG_DESCRIPTION] = "description", [CATALOG_ENGLISH_NAME] = "English" };

void
catalog_learn_asked(struct server *server, const e_guid_t *guid, bool is_answer)
{
    hear("counters of %u:%x %s", server_no(server), guid->data1, is_answer ? "answered" : "asked");
}

void
catalog_learn_listed(struct server *server, const e_guid_t *guid, uint32_t frame)
{
    hear("%u:%x listed in %u", server_no(server), guid->data1, frame);
}

void
catalog_learn_lacking(struct server *server, const e_guid_t *guid, uint32_t frame)
{
    hear("%u lacks %x in %u", server_no(server), guid->data1, frame);
}

void
catalog_learn_counterset(struct server *server, const e_guid_t *guid, const struct counterset *counterset)
{
    hear("%u:%x type %u of %u", server_no(server), guid->data1, counterset->instance_type, counterset->num_counters);
}

void
catalog_learn_counterset_text(struct server *server, const e_guid_t *guid, enum catalog_text_kind kind, uint32_t lcid,
    const char *text, uint32_t frame)
{
    hear("%u:%x %s in %u: %s in %u", server_no(server), guid->data1, kinds[kind], lcid, text, frame);
}

void
catalog_learn_provider(struct server *server, const e_guid_t *guid, const char *name, const e_guid_t *provider,
    uint32_t frame)
{
    hear("%u:%x provider %s/%x in %u", server_no(server), guid->data1, name == NULL ? "" : name,
        provider == NULL ? 0 : provider->data1, frame);
}

void
catalog_learn_counter(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    const struct catalog_counter *info, uint32_t frame)
{
    hear("%u:%x counter %u.%u type %x base %u time %u freq %u multi %u aggregate %u attrib %u in %u", server_no(server),
        guid->data1, id, twin, info->type, info->base_id, info->perf_time_id, info->perf_freq_id, info->multi_id,
        info->aggregate, (unsigned)info->attrib, frame);
}

void
catalog_learn_counter_text(struct server *server, const e_guid_t *guid, uint32_t id, unsigned twin,
    enum catalog_text_kind kind, uint32_t lcid, const char *text, uint32_t frame)
{
    hear("%u:%x counter %u.%u %s in %u: %s in %u", server_no(server), guid->data1, id, twin, kinds[kind], lcid, text,
        frame);
}

void
catalog_learn_instance(struct server *server, const e_guid_t *guid, uint32_t id, const char *name, uint32_t frame)
{
    hear("%u:%x instance %u: %s in %u", server_no(server), guid->data1, id, name, frame);
}

bool
catalog_learn_from_start(struct server *server)
{
    hear("%u counts from the start", server_no(server));
    return is_from_start;
}

/* In place of counters/server.c. */
struct server_place
server_place_of(const packet_info *pinfo, bool is_response)
{
    return (struct server_place){ is_response ? &pinfo->src : &pinfo->dst, is_response };
}

struct server *
server_asked(struct server_link *link, const struct server_place *place, const char *machine)
{
    CHECK(link == (struct server_link *)CONNECTION(0), "another connection's");
    hear("%s of %s", place->port ? "answer" : "request", machine == NULL ? "nobody" : machine);
    return SERVER(1);
}

struct server *
server_answered(struct server_link *link, const struct server_place *place, const char *machine, uint32_t frame)
{
    CHECK(link == (struct server_link *)CONNECTION(0) && place->port == 1, "another place");
    hear("%s answered what %u asked", machine, frame);
    return SERVER(2);
}

const char *
server_complaint(const address *addr, const char *machine, wmem_allocator_t *scratch)
{
    CHECK(scratch == scope, "another scope");
    return wmem_strdup_printf(scope, "%s is not %s", machine, (const char *)addr->data);
}

const char *
server_host(const struct server *server)
{
    return server == SERVER(3) ? "ELSEWHERE" : "HOST";
}

bool
server_may_be(const struct server *server, const struct server *other)
{
    CHECK(server == SERVER(3) && other == query.server, "others");
    return may_be_one;
}

/* In place of connections.c. */
struct connection *
connections_of(const dcerpc_info *di _U_)
{
    hear("connection");
    return CONNECTION(0);
}

struct server_link *
connections_link(struct connection *connection)
{
    return (struct server_link *)connection;
}

struct connection_state
connections_request(struct connection *connection, const dcerpc_info *di _U_, const packet_info *pinfo _U_)
{
    CHECK(connection == CONNECTION(0), "another");
    hear("sent");
    return sent;
}

struct connection_state
connections_now(struct connection *connection)
{
    CHECK(connection == CONNECTION(0), "another");
    return now;
}

void
connections_answered(struct connection *connection)
{
    CHECK(connection == CONNECTION(0), "another");
    hear("answered");
}

bool
connections_share_client(const struct connection *a, const struct connection *b)
{
    CHECK(a == CONNECTION(1) && b == CONNECTION(0), "others");
    return shares_client;
}

void
connections_opens(struct connection *connection, int opens)
{
    CHECK(connection == CONNECTION(0), "another");
    hear("opens %d", opens);
}

static struct call call;

void
connections_lack_request(struct connection *connection, const struct rpc_lack *lack, const packet_info *pinfo)
{
    CHECK(connection == CONNECTION(0) && lack->call_id == 77 && !lack->is_response && pinfo->num == 50, "another");
    hear("unread");
}

void
connections_look(struct connection_view *view, struct connection *connection, const dcerpc_info *di _U_,
    const packet_info *pinfo _U_, bool is_response)
{
    CHECK(view == &call.views[is_response] && connection == CONNECTION(0), "another");
    hear("look");
}

void
connections_look_at_refused(struct connection_view *view, struct connection *connection,
    const struct rpc_call *refused _U_)
{
    CHECK(view == &call.views[1] && connection == CONNECTION(0), "another");
    hear("refused");
}

bool
rpc_fault_is_refusal(uint32_t status)
{
    return status == 5;
}

/* In place of queries.c. */
struct query *
queries_use(struct server *server, const e_guid_t *handle, const struct connection_state *state)
{
    CHECK(server == SERVER(1) && state == &call.connection, "another");
    hear("use %x", handle->data1);
    return &query;
}

struct query *
queries_find(struct server *server, const e_guid_t *handle)
{
    CHECK(server == SERVER(1) && handle->data1 == 0xab, "%x", handle->data1);
    return found;
}

const struct query *
queries_opened_elsewhere(const struct query *of)
{
    CHECK(of == &query, "another");
    return is_elsewhere ? &elsewhere : NULL;
}

uint32_t
queries_begun(void)
{
    return 12;
}

struct query *
queries_open(struct server *server, const e_guid_t *handle, const struct connection_state *state, uint32_t begun,
    uint32_t frame)
{
    CHECK(server == SERVER(1) && handle->data1 == 0xab && state->all_gaps == now.all_gaps, "another");
    hear("open after %d in %u", (int)begun, frame);
    return &query;
}

void
queries_close(struct query *of, const struct connection_state *state, uint32_t frame)
{
    CHECK(of == &query && state == &call.connection, "another");
    hear("close in %u", frame);
}

void
queries_called(struct query *of, bool is_open, struct connection *connection)
{
    CHECK(of == &query && connection == CONNECTION(0), "another");
    hear(is_open ? "called to open" : "called");
}

uint32_t
queries_moment(const struct query *of)
{
    CHECK(of == &query, "another");
    return 7;
}

void
queries_change_sent(struct query *of, const struct connection_state *state)
{
    CHECK(of == &query && state == &call.connection, "another");
    hear("change sent");
}

void
queries_changed(struct query *of, const struct lpdata *identifiers _U_, bool add)
{
    CHECK(of == &query, "another");
    hear(add ? "added" : "removed");
}

void
queries_unchanged(struct query *of)
{
    CHECK(of == &query, "another");
    hear("unchanged");
}

bool
queries_is_in_order(const struct query *of _U_)
{
    return is_in_order;
}

bool
queries_is_only_change(const struct query *of, uint32_t moment, const struct connection_state *state)
{
    CHECK(of == &query && moment == call.moment && state == &call.connection, "another");
    return is_only_change;
}

unsigned
queries_first_added(const struct query *of _U_, const struct lpdata *identifiers _U_)
{
    return 31;
}

unsigned
queries_first_not_added(struct query *of _U_, const struct lpdata *identifiers _U_, bool accepted_only,
    wmem_allocator_t *scratch _U_)
{
    return accepted_only ? 41 : 42;
}

int
queries_num_identifiers(const struct query *of, uint32_t moment, const struct connection_state *state)
{
    CHECK(of == &query && moment == call.moment && state == &call.connection, "another");
    return num_identifiers;
}

void
queries_mapped(struct query *of, const struct lpdata *identifiers _U_, uint32_t moment,
    const struct connection_state *state, uint32_t frame, wmem_allocator_t *scratch _U_)
{
    CHECK(of == &query && moment == call.moment && state == &call.connection, "another");
    hear("mapped in %u", frame);
}

struct query_poll *
queries_polled(struct query *of, const struct lpdata *data _U_, uint32_t moment, const struct connection_state *state,
    uint32_t frame, wmem_allocator_t *scratch _U_)
{
    CHECK(of == &query && moment == call.moment && state == &call.connection, "another");
    hear("polled in %u", frame);
    return &a_poll;
}

static packet_info pinfo = { .num = 50 };
static dcerpc_info di = { .call_id = 77 };
static const struct operation plain = { .request = P_HANDLE }, opens = { .effect = OPENS_QUERY },
                              closes = { .request = P_HANDLE, .effect = CLOSES_QUERY },
                              changes = { .request = P_HANDLE, .effect = CHANGES_QUERY },
                              registers = { .learn = call_learn_registration };

/* A PDU of a new call of counterset 1 to server 1, whose request was seen. */
static struct pdu
begin(const struct operation *op, bool is_response)
{
    said = wmem_strbuf_new(scope, "");
    query = (struct query){ .server = SERVER(1), .opened_in = 5, .connection = CONNECTION(0) };
    call = (struct call){
        .server = SERVER(1),
        .asked_of = SERVER(2),
        .counterset = { .data1 = 1 },
        .connection = { .connection = CONNECTION(0) },
        .has_request = true,
        .asked = true,
        .request_frame = 40,
        .moment = 6,
        .query = &query,
    };
    return (struct pdu){ .n = { .pinfo = &pinfo, .di = &di },
        .op = op,
        .is_response = is_response,
        .call = &call,
        .lp = { .scope = scope } };
}

static void
check_said(const char *expected, const char *what)
{
    CHECK(strcmp(wmem_strbuf_get_str(said), expected) == 0, "%s: %s, not %s", what, wmem_strbuf_get_str(said),
        expected);
    said = wmem_strbuf_new(scope, "");
}

#define ARRAY(name, array) \
    do { \
        pdu.lp.name = wmem_array_new(scope, sizeof array[0]); \
        wmem_array_append(pdu.lp.name, array, array_length(array)); \
    } while (0)

/* "Ab" twice, each with its end. */
static const uint8_t text[] = { 'A', 0, 'b', 0, 0, 0, 'C', 0, 'd', 0, 0, 0 };
#define AB \
    { \
        4, true \
    }

static void
check_registration(void)
{
    static const struct lp_counter_reg counters[] = {
        { .id = 5, .type = 0x10, .base_id = 6, .perf_time_id = 7, .perf_freq_id = 8, .multi_id = 9, .aggregate = 1 },
        { .id = 6, .type = 0x20, .attrib = 2 },
        { .id = 5, .type = 0x30 },
    };
    static const struct lp_counter_string strings[] = {
        { .id = 5, .present = true, .text_offset = 0, .text = AB },
        { .id = 6, .present = false, .text = AB },
        { .id = 5, .present = true, .text_offset = 6, .text = AB },
        { .id = 7, .present = true, .text = { 4, false } },
    };
#define COUNTERS \
    "1:1 counter 5.0 type 10 base 6 time 7 freq 8 multi 9 aggregate 1 attrib 0 in 50; " \
    "1:1 counter 6.0 type 20 base 0 time 0 freq 0 multi 0 aggregate 0 attrib 2 in 50; " \
    "1:1 counter 5.1 type 30 base 0 time 0 freq 0 multi 0 aggregate 0 attrib 0 in 50"
#define STRINGS(kind) "1:1 counter 5.0 " kind " in 7: Ab in 50; 1:1 counter 5.1 " kind " in 7: Cd in 50"
    static const struct {
        uint32_t code;
        const char *expected, *of_cut;
    } cases[] = {
        { 0, "", "" },
        { 1, "1:1 type 2 of 3; " COUNTERS "; 1:1 listed in 50", "1:1 type 2 of 3; " COUNTERS "; 1:1 listed in 50" },
        { 2, COUNTERS, COUNTERS },
        { 3, "1:1 name in 7: Ab in 50", "" },
        { 4, "1:1 description in 7: Ab in 50", "" },
        { 5, STRINGS("name"), STRINGS("name") },
        { 6, STRINGS("description"), STRINGS("description") },
        { 7, "1:1 provider Ab/0 in 50", "" },
        { 8, "1:1 provider /abc in 50", "1:1 provider /abc in 50" },
        { 9, "1:1 English in 7: Ab in 50", "" },
        { 10, STRINGS("English"), STRINGS("English") },
        { 11, "", "" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu pdu = begin(&registers, true);

        call.request_code = cases[i].code;
        call.request_lcid = 7;
        pdu.lp.tvb = tvb_new_real_data(text, sizeof text, sizeof text);
        pdu.lp.string = (struct utf16_text)AB;
        pdu.lp.has_counterset = true;
        pdu.lp.counterset = (struct lp_counterset_reg){ .instance_type = 2, .num_counters = 3 };
        pdu.lp.has_provider = true;
        pdu.lp.provider.data1 = 0xabc;
        ARRAY(counters, counters);
        ARRAY(strings, strings);
        call_learn_registration(&pdu);
        check_said(cases[i].expected, "registration");
        pdu.lp.is_cut = true;
        call_learn_registration(&pdu);
        check_said(cases[i].of_cut, "what is cut");
        if (cases[i].code == 1) {
            pdu.lp.counterset.num_counters = 4;
            call_learn_registration(&pdu);
            check_said("1:1 type 2 of 4; " COUNTERS, "one is lacking");
            pdu.lp.has_counterset = false;
            pdu.lp.counterset.num_counters = 3;
            call_learn_registration(&pdu);
            check_said(COUNTERS, "how many there are is not said");
        } else if (cases[i].of_cut[0] == '\0' || cases[i].code == 8) {
            pdu.lp.is_cut = pdu.lp.has_provider = false;
            pdu.lp.string.size = 0;
            call_learn_registration(&pdu);
            check_said("", "nothing is there");
        }
        call.has_request = false;
        call_learn_registration(&pdu);
        check_said("", "what was asked for is not known");
    }
    /* Where offsets count from, and whether that is known. */
    for (unsigned i = 0; i < 8; i++) {
        struct pdu pdu = begin(&registers, true);
        const bool is_asked = (i & 3) == 1;

        call.request_code = PERF_REG_COUNTER_NAME_STRINGS;
        pdu.lp.offset_base_is_known = i & 1;
        pdu.lp.offset_from_headers = i & 2;
        is_from_start = i & 4;
        call_learn_registration(&pdu);
        check_said(is_asked ? "1 counts from the start" : "", "offsets");
        CHECK(call.is_first_from_start == (is_asked && is_from_start), "%u", i);
    }
}

static void
check_instances(void)
{
    struct lp_instance instances[] = {
        { .id = 1, .name_offset = 0, .name = AB },
        { .id = 2, .name_offset = 6, .name = { 0, true } },
        { .id = 3, .name_offset = 6, .name = { 4, false } },
        { .id = 4, .name_offset = 6, .name = AB },
    };
    static const struct lp_identifier identifiers[] = {
        { .guid = { .data1 = 9 }, .instance_id = 1, .name_offset = 0, .name = AB },
        { .guid = { .data1 = 9 }, .instance_id = 2, .name_offset = 6, .name = { 0, true } },
        { .guid = { .data1 = 9 }, .instance_id = 3, .name_offset = 6, .name = { 4, false } },
        { .guid = { .data1 = 9 }, .instance_id = PERF_ID_NONE, .name_offset = 0, .name = AB },
        { .guid = { .data1 = 9 }, .instance_id = 4, .name_offset = 12, .name = AB },
        { .guid = { .data1 = 9 }, .instance_id = 5, .name_offset = 14, .name = { 2, true } },
        { .guid = { .data1 = 8 }, .instance_id = 6, .name_offset = 6, .name = AB },
    };
    static const uint8_t patterns[] = { 'A', 0, 'b', 0, 0, 0, 'C', 0, 'd', 0, 0, 0, 'e', 0, '*', 0, 0, 0, '?', 0, 0,
        0 };
    struct pdu pdu = begin(&plain, true);

    pdu.lp.tvb = tvb_new_real_data(patterns, sizeof patterns, sizeof patterns);
    pdu.lp.instances = instances;
    pdu.lp.num_instances = array_length(instances);
    call_learn_instances(&pdu);
    check_said("1:1 instance 1: Ab in 50; 1:1 instance 4: Cd in 50", "instances");
    call.has_request = false;
    call_learn_instances(&pdu);
    check_said("", "of which counterset is not known");

    ARRAY(identifiers, identifiers);
    call.query = NULL;
    call_learn_map(&pdu);
    check_said("1:9 instance 1: Ab in 50; 1:8 instance 6: Cd in 50", "identifiers");
}

static void
check_hash(void)
{
    static const struct lp_identifier others[] = {
        { .size = 48, .counter_id = 5, .instance_id = 6, .name_offset = 0, .name = AB, .guid = { .data1 = 2 } },
        { .size = 56, .counter_id = 5, .instance_id = 6, .name_offset = 0, .name = AB, .guid = { .data1 = 1 } },
        { .size = 48, .counter_id = 6, .instance_id = 6, .name_offset = 0, .name = AB, .guid = { .data1 = 1 } },
        { .size = 48, .counter_id = 5, .instance_id = 5, .name_offset = 0, .name = AB, .guid = { .data1 = 1 } },
        { .size = 48, .counter_id = 5, .instance_id = 6, .name_offset = 6, .name = AB, .guid = { .data1 = 1 } },
        { .size = 48,
            .counter_id = 5,
            .instance_id = 6,
            .name_offset = 0,
            .name = { 2, true },
            .guid = { .data1 = 1 } },
        { .size = 48,
            .counter_id = 5,
            .instance_id = 6,
            .name_offset = 0,
            .name = { 0, true },
            .guid = { .data1 = 1 } },
    };
    struct lp_identifier one = { .size = 48, .counter_id = 5, .instance_id = 6, .name = AB, .guid = { .data1 = 1 } };
    const struct lpdata lp = { .tvb = tvb_new_real_data(text, sizeof text, sizeof text) };
    const uint32_t hash = call_identifier_hash(&lp, &one);

    for (size_t i = 0; i < array_length(others); i++) {
        CHECK(call_identifier_hash(&lp, &others[i]) != hash, "%zu", i);
    }
    one.status = 183;
    one.index = 4;
    one.reserved = 1;
    one.offset = 100;
    CHECK(call_identifier_hash(&lp, &one) == hash, "what the server fills in");
}

static void
check_begin(void)
{
    dcerpc_call_value value = { .se_data = NULL };
    dcerpc_info new_info = { .call_data = &value };
    struct pdu pdu = begin(&plain, false);
    struct call *made = call_of(&new_info);

    CHECK(value.se_data == made && call_of(&new_info) == made, "one of a call");
    CHECK(made->expected_identifiers == -1 && made->query == NULL && made->server == NULL && !made->asked, "new");

    call_begin(&pdu);
    check_said("", "all is known");
    call.server = NULL;
    call.connection.connection = NULL;
    call_begin(&pdu);
    check_said("connection; request of nobody", "a request");
    CHECK(call.server == SERVER(1) && call.connection.connection == CONNECTION(0), "what it belongs to");
    call.server = NULL;
    pdu.is_response = true;
    call_begin(&pdu);
    check_said("answer of nobody", "an answer");
}

static void
check_machine(void)
{
    static const struct {
        bool is_response;
        enum call_outcome outcome;
        const char *expected;
    } cases[] = {
        { true, CALL_SUCCEEDED, "ME answered what 40 asked; answered" },
        { true, CALL_OUTCOME_UNKNOWN, "ME answered what 40 asked; answered" },
        { true, CALL_FAILED, "answered" },
        { false, CALL_OUTCOME_UNKNOWN, "sent" },
    };
    struct pdu pdu;

    pinfo.pool = scope;
    set_address(&pinfo.dst, AT_STRINGZ, 6, "there");
    for (size_t i = 0; i < array_length(cases); i++) {
        const char *complaint;
        bool is_named;

        pdu = begin(&plain, false);
        call.server = NULL;
        complaint = call_learn_machine(&pdu, "ME");
        CHECK(strcmp(complaint, "ME is not there") == 0, "%s", complaint);
        CHECK(call.server == SERVER(1) && strcmp(call.machine, "ME") == 0, "%s", call.machine);
        check_said("request of ME", "it names a machine");
        pdu.is_response = cases[i].is_response;
        pdu.outcome = cases[i].outcome;
        call_learn_begin(&pdu);
        check_said(cases[i].expected, "its answer");
        is_named = strchr(cases[i].expected, 'M') != NULL;
        CHECK(call.server == SERVER(is_named ? 2 : 1) && (call.machine == NULL) == is_named, "%zu", i);
    }
    /* Longer ones than the DNS has are not kept whole. */
    pdu = begin(&plain, false);
    call_learn_machine(&pdu, wmem_strdup_printf(scope, "%0300d", 0));
    CHECK(strlen(call.machine) == 256, "%zu", strlen(call.machine));

    /* What was known of the connection when the request was sent, or else when it was answered. */
    sent = (struct connection_state){ .connection = CONNECTION(0), .gaps = 3 };
    now = (struct connection_state){ .connection = CONNECTION(0), .gaps = 4 };
    pdu = begin(&plain, false);
    call_learn_begin(&pdu);
    CHECK(call.connection.gaps == 3, "%u", call.connection.gaps);
    pdu = begin(&plain, true);
    call.asked = false;
    call_learn_begin(&pdu);
    check_said("", "no request was seen");
    CHECK(call.connection.gaps == 4, "%u", call.connection.gaps);
}

static void
check_handle(void)
{
    static const e_guid_t handle = { .data1 = 0xab };
    struct pdu pdu;

    elsewhere.server = SERVER(3);
    for (unsigned i = 0; i < 32; i++) {
        pdu = begin(&plain, false);
        query.opened_in = i & 1 ? 5 : 0;
        call.connection.is_whole = i & 2;
        call.connection.is_only = i & 4;
        is_elsewhere = i & 8;
        may_be_one = i & 16;
        query.server = SERVER(2);
        query.closed_in = 33;
        call.query = NULL;
        call_learn_handle(&pdu, &handle);
        check_said("use ab", "a handle");
        CHECK(call.query == &query && call.moment == 7 && call.closed_in == 33 && call.server == SERVER(2), "%u", i);
        /* Nothing but another server that opened it. */
        CHECK(i == 14 ? call.opened_on != NULL && strcmp(call.opened_on, "ELSEWHERE") == 0 : call.opened_on == NULL,
            "%u", i);
        CHECK(!query.may_be_closed, "%u", i);
    }
    pdu = begin(&changes, false);
    call_learn_handle(&pdu, &handle);
    check_said("use ab; change sent", "a change");
    CHECK(!query.may_be_closed, "a change");
    pdu = begin(&closes, false);
    call_learn_handle(&pdu, &handle);
    check_said("use ab", "a close");
    CHECK(query.may_be_closed, "a close");
}

/* A handle that is given out while it is open, as far as the capture tells: to the same client, or to another. */
static void
check_opened(void)
{
    static const e_guid_t handle = { .data1 = 0xab };
    static const struct {
        const char *what;
        struct query before;
        bool lacks_request, shares_client, is_unnumbered, is_shuffled;
        uint32_t opened_in, given_again_in;
    } cases[] = {
        { .what = "open", .before = { .opened_in = 5 }, .opened_in = 5 },
        { .what = "never opened", .before = { .opened_in = 0 } },
        { .what = "closed", .before = { .opened_in = 5, .closed_in = 6 } },
        { .what = "perhaps closed", .before = { .opened_in = 5, .may_be_closed = true } },
        { .what = "without a request", .before = { .opened_in = 5 }, .lacks_request = true },
        { .what = "calls are missing since", .before = { .opened_in = 5, .all_gaps_opened = 1 } },
        { .what = "unnumbered", .before = { .opened_in = 5 }, .is_unnumbered = true },
        { .what = "not in order", .before = { .opened_in = 5 }, .is_shuffled = true },
        { .what = "to another", .before = { .opened_in = 5, .connection = CONNECTION(1) }, .given_again_in = 50 },
        { .what = "never opened, by another", .before = { .connection = CONNECTION(1) } },
        { .what = "closed, by another", .before = { .opened_in = 5, .closed_in = 1, .connection = CONNECTION(1) } },
        { .what = "to itself", .before = { .opened_in = 5, .connection = CONNECTION(1) }, .shares_client = true },
        { .what = "twice",
            .before = { .opened_in = 5, .connection = CONNECTION(1), .given_again_in = 9 },
            .given_again_in = 9 },
    };
    struct pdu pdu;

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query before = cases[i].before;

        pdu = begin(&opens, true);
        before.connection = before.connection == NULL ? CONNECTION(0) : before.connection;
        found = &before;
        call.query = NULL;
        call.has_request = !cases[i].lacks_request;
        shares_client = cases[i].shares_client;
        is_in_order = !cases[i].is_shuffled;
        now = (struct connection_state){ .connection = CONNECTION(0), .is_unnumbered = cases[i].is_unnumbered };
        call_learn_opened(&pdu, &handle);
        check_said(cases[i].lacks_request ? "open after -1 in 50" : "open after 6 in 50", cases[i].what);
        CHECK(call.query == &query && call.opened_in == cases[i].opened_in, "%s: %u", cases[i].what, call.opened_in);
        CHECK(before.given_again_in == cases[i].given_again_in, "%s: %u", cases[i].what, before.given_again_in);
    }
    pdu = begin(&opens, true);
    found = NULL;
    call_learn_opened(&pdu, &handle);
    check_said("open after 6 in 50", "a new one");
    CHECK(call.opened_in == 0, "%u", call.opened_in);
}

static void
check_identifiers(void)
{
    static const struct lp_identifier identifiers[] = { { .size = 40, .counter_id = 1 },
        { .size = 39, .counter_id = 2 }, { .size = 48, .counter_id = 3 } };
    struct pdu pdu = begin(&changes, false);

    pdu.lp.tvb = tvb_new_real_data(text, sizeof text, sizeof text);
    ARRAY(identifiers, identifiers);
    pdu.lp.is_cut = true;
    call_learn_sent(&pdu);
    CHECK(call.identifiers == NULL && call.num_identifiers == 0, "cut");
    pdu.lp.is_cut = false;
    call_learn_sent(&pdu);
    CHECK(call.num_identifiers == 3 && call.short_identifier == 2, "%u", call.short_identifier);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(call.identifiers[i] == call_identifier_hash(&pdu.lp, &identifiers[i]), "%u", i);
    }
    pdu.lp.identifiers = NULL;
    call_learn_sent(&pdu);
    CHECK(call.identifiers != NULL && call.num_identifiers == 0, "none were sent");

    /* An index map of the identifiers that the query has, or of another number. */
    for (int expected = 2; expected <= 4; expected++) {
        pdu = begin(&plain, true);
        ARRAY(identifiers, identifiers);
        pdu.lp.tvb = tvb_new_real_data(text, sizeof text, sizeof text);
        num_identifiers = expected;
        call_learn_map(&pdu);
        check_said("mapped in 50", "a map");
        CHECK(call.expected_identifiers == expected && call.never_added == (expected == 3 ? 42 : 0), "%u",
            call.never_added);
    }
    pdu.lp.is_cut = true;
    num_identifiers = 3;
    call.never_added = 0;
    call_learn_map(&pdu);
    check_said("", "a map that is cut");
    CHECK(call.expected_identifiers == 3 && call.never_added == 0, "%u", call.never_added);

    /* A poll. */
    pdu = begin(&plain, true);
    num_identifiers = 4;
    call_learn_poll(&pdu);
    check_said("", "without a header");
    pdu.lp.has_data_header = true;
    call_learn_poll(&pdu);
    check_said("polled in 50", "a poll");
    CHECK(call.poll == &a_poll && call.expected_identifiers == 4, "%d", call.expected_identifiers);
    call.query = NULL;
    call_learn_poll(&pdu);
    check_said("", "of no query");
}

static void
check_changes(void)
{
    static const struct {
        bool has_query, has_request, is_cut, is_only, add;
        const char *expected;
        unsigned added_twice, never_added;
    } cases[] = {
        { true, true, false, true, true, "added", 31, 0 },
        { true, true, false, true, false, "removed", 0, 41 },
        { true, true, true, true, true, "added", 0, 0 },
        { true, true, false, false, true, "added", 0, 0 },
        { false, true, false, true, true, "", 0, 0 },
        { true, false, false, true, true, "", 0, 0 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu pdu = begin(&changes, true);

        call.query = cases[i].has_query ? &query : NULL;
        call.has_request = cases[i].has_request;
        call.add = cases[i].add;
        pdu.lp.is_cut = cases[i].is_cut;
        is_only_change = cases[i].is_only;
        call_learn_change(&pdu);
        check_said(cases[i].expected, "a change");
        CHECK(call.added_twice == cases[i].added_twice && call.never_added == cases[i].never_added, "%zu", i);
        CHECK(call.added_is_known == (cases[i].added_twice + cases[i].never_added != 0), "%zu", i);
    }
}

static void
check_results(void)
{
    static const struct {
        const struct operation *op;
        enum call_outcome outcome;
        bool has_lpdata;
        const char *expected;
        bool may_be_closed;
    } cases[] = {
        { &closes, CALL_SUCCEEDED, false, "close in 40", true },
        { &closes, CALL_FAILED, false, "", false },
        { &closes, CALL_OUTCOME_UNKNOWN, false, "", true },
        { &changes, CALL_FAILED, true, "unchanged", true },
        { &changes, CALL_SUCCEEDED, false, "unchanged", true },
        { &changes, CALL_SUCCEEDED, true, "", true },
        { &plain, CALL_SUCCEEDED, false, "", true },
        { &plain, CALL_FAILED, false, "", true },
    };
    static const struct {
        const char *what;
        const struct operation *op;
        enum call_outcome outcome;
        struct query query;
        bool lacks_request, is_told;
    } given[] = {
        { "used", &plain, CALL_SUCCEEDED, { .given_again_in = 9 }, false, true },
        { "refused", &plain, CALL_FAILED, { .given_again_in = 9 }, false, false },
        { "closed", &closes, CALL_SUCCEEDED, { .given_again_in = 9 }, false, false },
        { "without a request", &plain, CALL_SUCCEEDED, { .given_again_in = 9 }, true, false },
        { "perhaps closed", &plain, CALL_SUCCEEDED, { .given_again_in = 9, .may_be_closed = true }, false, false },
        { "calls missing", &plain, CALL_SUCCEEDED, { .given_again_in = 9, .all_gaps_opened = 1 }, false, false },
        { "unnumbered", &plain, CALL_SUCCEEDED, { .given_again_in = 9, .is_unnumbered = true }, false, false },
        { "not given", &plain, CALL_SUCCEEDED, { .given_again_in = 0 }, false, false },
    };
    struct pdu pdu;

    for (size_t i = 0; i < array_length(cases); i++) {
        pdu = begin(cases[i].op, true);
        pdu.outcome = cases[i].outcome;
        pdu.has_lpdata = cases[i].has_lpdata;
        query.may_be_closed = true;
        call_learn_result(&pdu);
        check_said(cases[i].expected, "a result");
        CHECK(query.may_be_closed == cases[i].may_be_closed, "%zu", i);
        call.query = NULL;
        call_learn_result(&pdu);
        check_said("", "of no query");
    }
    for (size_t i = 0; i < array_length(given); i++) {
        pdu = begin(given[i].op, true);
        query = given[i].query;
        query.connection = CONNECTION(0);
        now = (struct connection_state){ .all_gaps = 2 };
        query.all_gaps_opened += 2;
        pdu.outcome = given[i].outcome;
        call.has_request = !given[i].lacks_request;
        call_learn_result(&pdu);
        CHECK(call.given_again_in == (given[i].is_told ? 9 : 0), "%s", given[i].what);
        CHECK(query.given_again_in == (given[i].is_told ? 0 : given[i].query.given_again_in), "%s", given[i].what);
        call_learn_result(&pdu);
        CHECK(call.given_again_in == (given[i].is_told ? 9 : 0), "%s, answered once more", given[i].what);
    }
    now.any_lacks_open = true;
    pdu = begin(&plain, true);
    query.given_again_in = 9;
    query.all_gaps_opened = 2;
    pdu.outcome = CALL_SUCCEEDED;
    call_learn_result(&pdu);
    CHECK(call.given_again_in == 0, "an opening elsewhere lacks its answer");
    now = (struct connection_state){ 0 };
}

static void
check_counterset_asked(void)
{
    struct pdu pdu = begin(&registers, false);

    call.query = NULL;
    call.request_code = PERF_REG_COUNTERSET_STRUCT;
    call_learn_end(&pdu);
    check_said("counters of 1:1 asked; look", "a request");
    CHECK(call.asked_of == SERVER(1), "whom it asked");
    call.asked_of = SERVER(2);
    pdu.is_response = true;
    call_learn_result(&pdu);
    check_said("counters of 2:1 answered", "an answer");
    /* ERROR_WMI_GUID_NOT_FOUND */
    pdu.said.return_code.value = 4200;
    call_learn_result(&pdu);
    check_said("counters of 2:1 answered; 2 lacks 1 in 50", "there is none");
    call_learn_end(&pdu);
    check_said("", "it was asked for once");
    call_learn_fault(&pdu, &(struct rpc_fault){ .has_status = false });
    check_said("counters of 2:1 answered; answered", "a fault");
    call.request_code = PERF_REG_COUNTER_STRUCT;
    call_learn_result(&pdu);
    check_said("", "one counter");
    call.request_code = PERF_REG_COUNTERSET_STRUCT;
    pdu.op = &plain;
    call_learn_result(&pdu);
    check_said("", "another call");
    pdu.op = &registers;
    call.has_request = false;
    call_learn_result(&pdu);
    check_said("", "no request was seen");
}

static void
check_end(void)
{
    static const struct {
        const struct operation *op;
        bool is_response, has_code;
        uint32_t code;
        enum call_outcome outcome;
        bool has_query;
        const char *expected;
    } cases[] = {
        { &plain, false, false, 0, CALL_OUTCOME_UNKNOWN, true, "look; called" },
        { &plain, false, false, 0, CALL_OUTCOME_UNKNOWN, false, "look" },
        /* Of a request that ends in its handle nobody knows what it closes or changes. */
        { &closes, false, false, 0, CALL_OUTCOME_UNKNOWN, false, "unread; look" },
        { &changes, false, false, 0, CALL_OUTCOME_UNKNOWN, false, "unread; look" },
        { &changes, false, false, 0, CALL_OUTCOME_UNKNOWN, true, "look; called" },
        { &closes, true, true, 0, CALL_SUCCEEDED, true, "look; called" },
        { &plain, true, true, 0, CALL_SUCCEEDED, true, "look; called" },
        { &plain, true, true, 5, CALL_FAILED, true, "look; called" },
        { &plain, true, true, 87, CALL_FAILED, true, "called" },
        { &plain, true, false, 0, CALL_OUTCOME_UNKNOWN, true, "called" },
        { &opens, false, false, 0, CALL_OUTCOME_UNKNOWN, false, "opens 1; look" },
        { &opens, true, true, 0, CALL_SUCCEEDED, true, "opens -1; look; called to open" },
        { &opens, true, true, 87, CALL_FAILED, false, "opens -1" },
        { &opens, true, false, 0, CALL_OUTCOME_UNKNOWN, false, "" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu pdu = begin(cases[i].op, cases[i].is_response);

        pdu.said.have = (cases[i].has_code ? STUB_RETURN_CODE : 0) | (cases[i].has_query ? STUB_HANDLE : 0);
        pdu.said.return_code.value = cases[i].code;
        pdu.outcome = cases[i].outcome;
        call.query = cases[i].has_query ? &query : NULL;
        call_learn_end(&pdu);
        check_said(cases[i].expected, wmem_strdup_printf(scope, "end %zu", i));
        CHECK(call.moment == (strncmp(cases[i].expected, "opens", 5) == 0 ? 12 : 6), "%zu: %u", i, call.moment);
    }
    /* An answer to what nobody has seen opening. */
    for (unsigned asked = 0; asked < 2; asked++) {
        struct pdu pdu = begin(&opens, true);

        call.asked = asked;
        call_learn_end(&pdu);
        check_said(asked ? "opens -1; called to open" : "called to open", "an answer");
    }
}

static void
check_faults(void)
{
    static const struct {
        const struct operation *op;
        bool has_query, asked;
        struct rpc_fault fault;
        const char *expected;
    } cases[] = {
        { &plain, true, true, { .has_status = true, .status = 87 }, "answered" },
        { &plain, true, true, { .has_status = true, .status = 5 }, "answered; refused" },
        { &plain, true, true, { .has_status = false, .status = 5 }, "answered" },
        { &plain, true, false, { .has_status = true, .status = 5 }, "" },
        { &changes, true, true, { .has_status = true }, "unchanged; answered" },
        { &changes, false, true, { .has_status = true }, "answered" },
        { &changes, true, false, { .has_status = true }, "unchanged" },
        { &opens, false, true, { .has_status = true }, "answered; opens -1" },
        { &opens, false, false, { .has_status = true }, "" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu pdu = begin(cases[i].op, true);

        call.query = cases[i].has_query ? &query : NULL;
        call.asked = cases[i].asked;
        call_learn_fault(&pdu, &cases[i].fault);
        check_said(cases[i].expected, wmem_strdup_printf(scope, "fault %zu", i));
        CHECK(call.answered, "%zu", i);
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    check_registration();
    check_instances();
    check_hash();
    check_begin();
    check_machine();
    check_handle();
    check_opened();
    check_identifiers();
    check_changes();
    check_results();
    check_counterset_asked();
    check_end();
    check_faults();
    wmem_destroy_allocator(scope);
    return check_result();
}
