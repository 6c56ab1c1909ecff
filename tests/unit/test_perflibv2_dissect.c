/* test_perflibv2_dissect.c
 * Calls of [MS-PCQ], from stub to items, Info column and records: parameters, handles, outcomes, what is lost
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2-calls.h"

#define NONE PERF_ID_NONE

/* lpData has a test of its own. */
static const char *const hidden[] = { "dcerpc.", "Counter", "Data header", "Identifier", "Instance", "perflibv2.block",
    "perflibv2.strings.", "perflibv2.unknown" };

static void
test_registered(void)
{
    static const char *const names[] = { "EnumerateCounterSet", "QueryCounterSetRegistrationInfo",
        "EnumerateCounterSetInstances", "OpenQueryHandle", "CloseQueryHandle", "QueryCounterInfo", "QueryCounterData",
        "ValidateCounters" };
    const value_string *values =
        (const value_string *)proto_registrar_get_nth((unsigned)fake_field("perflibv2.opnum"))->strings;
    struct stub_recognised found = { .version = 0 };

    for (unsigned i = 0; i < array_length(names); i++) {
        CHECK(strcmp(procs[i].name, names[i]) == 0 && procs[i].num == i, "%u: %s", i, procs[i].name);
        CHECK(values[i].value == i && g_str_has_prefix(values[i].strptr, "PerflibV2") &&
                strcmp(values[i].strptr + strlen("PerflibV2"), names[i]) == 0,
            "%u: %s", i, values[i].strptr);
    }
    CHECK(procs[8].name == NULL && values[8].strptr == NULL, "the end");
    CHECK(!recognise(&(const struct stub_sample){ .length = 98, .opnum = 4 }, &pinfo, &found) && found.version == 0,
        "what proves nothing");
    CHECK(!recognise(&(const struct stub_sample){ .length = 99, .opnum = 8 }, &pinfo, &found), "no operation");
    CHECK(recognise(&(const struct stub_sample){ .length = 99, .opnum = 4 }, &pinfo, &found) && found.version == 1 &&
            guid_cmp(&found.uuid, &perflibv2_uuid) == 0 && strcmp(found.by, "CloseQueryHandle") == 0,
        "recognised");
}

/* Parameters of requests: 3.1.4.1. */
static void
test_requests(void)
{
    static const struct {
        uint32_t code, lcid;
        const char *info;
    } codes[] = {
        { PERF_REG_COUNTERSET_STRUCT, 0, "=, counterset and counters, " },
        { PERF_REG_COUNTER_STRUCT, 6, "=, counter 6, " },
        { PERF_REG_COUNTERSET_HELP_STRING, 0, "=, counterset description, " },
        { PERF_REG_COUNTER_HELP_STRINGS, 0x7777, "=, counter descriptions in language 0x7777, " },
        { PERF_REG_PROVIDER_NAME, 0, "=, provider name, " },
        { PERF_REG_PROVIDER_GUID, 0, "=, provider GUID, " },
        { PERF_REG_COUNTERSET_ENGLISH_NAME, 0, "=, counterset English name, " },
        { PERF_REG_COUNTER_ENGLISH_NAMES, 0, "=, counter English names, " },
        { 11, 0, "=, request code 11, " },
    };
    static const char guid[] = "{00000002-0000-0000-0000-000000000000}";
    const char *german = try_val_to_str_ext(0x407, &language_vals_ext);

    ask_machine(OP_ENUMERATE_COUNTER_SET, 3);
    CHECK_TREE("enumerate", "perflibv2.machine 12+10: \\\\PC", "perflibv2.in_size 24+4: 3", "expert 0+0",
        "  ! perflibv2.rule.auth_level: The authentication level is none (1), expected packet privacy "
        "(6); said once a connection");
    CHECK_INFO(", \\\\PC");
    for (size_t i = 0; i < array_length(codes); i++) {
        ask_registration(2, codes[i].code, codes[i].lcid);
        CHECK(g_str_has_prefix(fake_columns[COL_INFO]->str, codes[i].info) &&
                strcmp(fake_columns[COL_INFO]->str + strlen(codes[i].info), guid) == 0,
            "%zu: %s", i, fake_columns[COL_INFO]->str);
    }
    ask_registration(2, PERF_REG_COUNTER_NAME_STRINGS, 0x407);
    CHECK(strcmp(fake_columns[COL_INFO]->str,
              wmem_strdup_printf(pinfo.pool, "=, counter names in %s, %s", german, guid)) == 0,
        "%s", fake_columns[COL_INFO]->str);
    ask_registration(2, PERF_REG_COUNTER_STRUCT, NONE);
    CHECK_TREE("one counter", "perflibv2.machine 12+10: \\\\PC", "perflibv2.counterset.guid 24+16: 2",
        "perflibv2.request_code 40+4: 2", "perflibv2.counter.id 44+4: 4294967295 = PERF_WILDCARD_COUNTER (0xffffffff)",
        "perflibv2.in_size 48+4: 4096");
    CHECK_INFO(", counter 4294967295, {00000002-0000-0000-0000-000000000000}");
    begin();
    add_text("Set", 2);
    answer(ask_registration(2, PERF_REG_COUNTERSET_NAME_STRING, 0), 0);
    ask_registration(2, PERF_REG_COUNTERSET_NAME_STRING, 0);
    CHECK_TREE("name", "perflibv2.machine 12+10: \\\\PC", "perflibv2.counterset.guid 24+16: 2",
        "[perflibv2.counterset.name 0+0: Set]", "  [perflibv2.learned_in 0+0: 14]", "perflibv2.request_code 40+4: 3",
        "perflibv2.request_lcid 44+4: 0", "perflibv2.in_size 48+4: 4096");
    CHECK_INFO(", counterset name, Set {00000002-0000-0000-0000-000000000000}");
    ask_instances(2);
    CHECK_TREE("instances", "perflibv2.machine 12+10: \\\\PC", "perflibv2.counterset.guid 24+16: 2",
        "[perflibv2.counterset.name 0+0: Set]", "  [perflibv2.learned_in 0+0: 14]", "perflibv2.in_size 40+4: 4096");
    CHECK_INFO(", Set {00000002-0000-0000-0000-000000000000}");
    /* Cut behind the counterset: then that is all there is to say. */
    snapped = 4;
    ask_registration(2, PERF_REG_COUNTERSET_NAME_STRING, 0);
    CHECK(thrown != 0, "cut");
    CHECK_INFO(", counterset name, Set {00000002-0000-0000-0000-000000000000}");
    snapped = 5;
    ask_registration(2, PERF_REG_COUNTERSET_NAME_STRING, 0);
    CHECK_INFO(", Set {00000002-0000-0000-0000-000000000000}");
    snapped = 0;
}

static void
test_handles(void)
{
    struct made *call = open_handle(0x11);
    struct made *opening = call;
    const uint32_t opened_in = pinfo.num;

    CHECK_TREE("opened", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 11",
        "  [perflibv2.query 0+0: 1]", "  [perflibv2.handle.opened_in 0+0: 20]", "perflibv2.return_code 20+4: 0");
    CHECK_INFO(", query 1");
    give_again(opening, true);
    CHECK_TREE("never closed, yet", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 11",
        "  [perflibv2.query 0+0: 1]", "  [perflibv2.handle.opened_in 0+0: 20]", "  ! perflibv2.handle.not_closed",
        "perflibv2.return_code 20+4: 0");
    CHECK_INFO(", query 1");
    CHECK(g_strcmp0(filtered, "1") == 0, "query %s", filtered);
    call = ask_query(OP_QUERY_COUNTER_INFO, 0x11, 0);
    CHECK_TREE("info", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 11", "  [perflibv2.query 0+0: 1]",
        "  [perflibv2.handle.opened_in 0+0: 20]", "perflibv2.in_size 20+4: 0");
    CHECK_INFO(", query 1");
    call = new_call(OP_CLOSE_QUERY_HANDLE);
    put_handle(0x11);
    give(call, false);
    begin_stub();
    PUT(0, 0, 0, 0, 0, 0);
    give(call, true);
    CHECK_TREE("closed", "[perflibv2.handle 0+0: 11]", "  [perflibv2.query 0+0: 1]",
        "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 0 (NULL)", "perflibv2.return_code 20+4: 0");
    CHECK_INFO(", query 1");
    CHECK(recorded()->query.opened_in == opened_in && recorded()->query.closed_in == pinfo.num - 1 &&
            recorded()->query.handle.data1 == 0x11 && strcmp(recorded()->query.host, "PC") == 0,
        "record");
    begin_stub();
    put_handle(0x11);
    PUT(0);
    pinfo.num = opened_in + 1;
    give_again(opening, true);
    CHECK_TREE("closed in", "expert 0+0", "  ! perflibv2.second_answer: The call was answered in frame 20 already",
        "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 11", "  [perflibv2.query 0+0: 1]",
        "  [perflibv2.handle.opened_in 0+0: 20]", "  [perflibv2.handle.closed_in 0+0: 22]",
        "perflibv2.return_code 20+4: 0");
    CHECK_INFO(", query 1");
    pinfo.num += 10;
    call = new_call(OP_CLOSE_QUERY_HANDLE);
    put_handle(0x12);
    give(call, false);
    CHECK_TREE("not opened", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 12",
        "  [perflibv2.query 0+0: 2]", "  ! perflibv2.handle.not_opened");
    CHECK_INFO(", query 2");
    /* Attributes are part of it: [C706] 14.2.16.6. */
    call = new_call(OP_CLOSE_QUERY_HANDLE);
    PUT(1, 0, 0, 0, 0);
    give(call, false);
    CHECK(strstr(fake_tree_text(), "(NULL)") == NULL, "%s", fake_tree_text());
    /* An opening that failed gives none out. */
    call = new_call(OP_OPEN_QUERY_HANDLE);
    put_machine("\\\\PC");
    give(call, false);
    CHECK_TREE("asked to open", "perflibv2.machine 12+10: \\\\PC");
    CHECK_INFO(", \\\\PC");
    CHECK(recorded()->is_open && !recorded()->is_response && recorded()->query.id == NULL, "record");
    begin_stub();
    put_handle(0x13);
    PUT(1450);
    give(call, true);
    CHECK_TREE("not given out", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 13",
        "perflibv2.return_code 20+4: 1450", "  ! perflibv2.failed: ERROR_NO_SYSTEM_RESOURCES");
    CHECK_INFO(", ERROR_NO_SYSTEM_RESOURCES");
}

/* Return codes, and what the client had room for. */
static void
test_outcomes(void)
{
    const struct perf_tap_missing *missing;
    struct made *call;

    open_handle(0x21);
    begin();
    call = ask_query(OP_QUERY_COUNTER_DATA, 0x21, 0);
    begin_stub();
    PUT(0, 136, 0, 0, 0, WIN32_NOT_ENOUGH_MEMORY);
    give(call, true);
    CHECK_TREE("size probe", "[perflibv2.handle 0+0: 21]", "  [perflibv2.query 0+0: 4]", "perflibv2.out_size 0+4: 0",
        "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+0: empty", "perflibv2.return_code 20+4: 8",
        "  ! perflibv2.too_small: size probe: 136 bytes needed");
    CHECK_INFO(", query 4, size probe, 136 bytes needed, ERROR_NOT_ENOUGH_MEMORY");
    CHECK(recorded()->is_size_probe && recorded()->too_small && recorded()->has_return_code &&
            recorded()->return_code == WIN32_NOT_ENOUGH_MEMORY && !recorded()->is_poll && recorded()->is_response &&
            recorded()->size == 0,
        "record");
    CHECK(recorded()->bytes == 24 + 24, "%u bytes", recorded()->bytes);
    CHECK(recorded()->response_time.secs == 0 && recorded()->response_time.nsecs == 500000000, "response time");
    call = ask_machine(OP_ENUMERATE_COUNTER_SET, 1);
    begin_stub();
    PUT(0, 2, 1, 0, 0, WIN32_NOT_ENOUGH_MEMORY);
    give(call, true);
    CHECK_TREE("too small", "perflibv2.out_size 0+4: 0", "perflibv2.return_size 4+4: 2", "perflibv2.lpdata 20+0: empty",
        "perflibv2.return_code 20+4: 8", "  ! perflibv2.too_small: buffer too small: 2 GUIDs needed");
    CHECK_INFO(", buffer too small, 2 GUIDs needed, ERROR_NOT_ENOUGH_MEMORY");
    CHECK(!recorded()->is_size_probe && recorded()->too_small &&
            strcmp(recorded()->operation, "EnumerateCounterSet") == 0,
        "record");
    begin();
    ADD(1, 2);
    call = ask_instances(2);
    answer(call, WIN32_WMI_GUID_NOT_FOUND);
    CHECK_TREE("failed", "perflibv2.out_size 0+4: 8", "perflibv2.return_size 4+4: 8",
        "perflibv2.lpdata 20+8: 8 bytes, 1 instance", "perflibv2.return_code 28+4: 4200",
        "  ! perflibv2.failed: ERROR_WMI_GUID_NOT_FOUND", "[perflibv2.cooked.pdh 0+0: 3221228472]");
    CHECK_INFO(", ERROR_WMI_GUID_NOT_FOUND");
    missing = (const struct perf_tap_missing *)told_of("perflibv2_missing");
    CHECK(missing != NULL && missing->num_items == 1 &&
            strcmp(missing->items[0].why, "ERROR_WMI_GUID_NOT_FOUND") == 0 && missing->items[0].pdh == 0xc0000bb8,
        "why it is missing");
    CHECK(!recorded()->too_small && recorded()->size == 8 && recorded()->return_code == WIN32_WMI_GUID_NOT_FOUND,
        "record");
    CHECK(strcmp(exported, "EnumerateCounterSetInstances response, 00000002-0000-0000-0000-000000000000.lpdata") == 0,
        "%s", exported);
    /* What came of a change. */
    begin();
    add_counter_identifier(2, 1, 0, "", 0, 0);
    add_counter_identifier(2, 2, 0, "", 0, 0);
    call = validate(0x21, true);
    CHECK(recorded()->is_change && recorded()->add && recorded()->identifiers == 2 && recorded()->refused == 0,
        "record");
    out.bytes[16] = 87;
    validated(call, 0);
    CHECK_INFO(", query 4, added 1, refused 1");
    CHECK(recorded()->is_change && recorded()->add && recorded()->identifiers == 2 && recorded()->refused == 1 &&
            strcmp(exported, "ValidateCounters response, query 4.lpdata") == 0,
        "record");
    validated(validate(0x21, false), 0);
    CHECK_INFO(", query 4, removed 1, refused 1");
    CHECK(!recorded()->add, "record");
    validated(validate(0x21, false), 87);
    CHECK(recorded()->identifiers == 0 && recorded()->refused == 0, "a change that failed: %u", recorded()->refused);
    CHECK_INFO(", query 4, ERROR_INVALID_PARAMETER");
    begin();
    add_counter_identifier(2, 1, 0, "", 0, 0);
    validate(0x21, false);
    CHECK_INFO(", query 4, remove 1 identifier");
    /* Without its request nobody knows which. */
    validated(new_call(OP_VALIDATE_COUNTERS), 0);
    CHECK_TREE("no request", "expert 0+0", "  ! perflibv2.no_request", "perflibv2.lpdata 4+40: 40 bytes, 1 identifier",
        "perflibv2.return_code 44+4: 0");
    CHECK_INFO(", accepted 1, refused 0");
    answer(new_call(OP_QUERY_REGISTRATION_INFO), 0);
    CHECK_INFO(", 40 bytes");
    CHECK(strcmp(exported, "QueryCounterSetRegistrationInfo response.lpdata") == 0, "%s", exported);
    begin();
    ADD(0, 0, 0, 0);
    answer(ask_registration(2, PERF_REG_PROVIDER_GUID, 0), 0);
    CHECK(strcmp(exported,
              "QueryCounterSetRegistrationInfo response, 00000002-0000-0000-0000-000000000000, code 8.lpdata") == 0,
        "%s", exported);
}

static void
build_poll(uint64_t seconds)
{
    begin_data(1, seconds * 10000000, UINT64_C(130000000000000000) + seconds * 10000000);
    add_block(0, NULL, 0, NULL, (const uint64_t[]){ 42 }, 8);
    end_data();
}

static void
test_polls(void)
{
    const struct perf_tap_poll *values;
    struct made *call;
    const char *text;

    open_handle(0x31);
    begin();
    add_counter_identifier(2, 1, 0, "", 0, 0);
    validated(validate(0x31, true), 0);
    answer(ask_query(OP_QUERY_COUNTER_INFO, 0x31, 4096), 0);
    for (unsigned i = 0; i < 3; i++) {
        call = ask_query(OP_QUERY_COUNTER_DATA, 0x31, 4096);
        build_poll(i == 2 ? 0 : i);
        CHECK(answer(call, 0) == 20 + 80 + 4, "end");
        CHECK(recorded()->is_poll && recorded()->has_interval == (i == 1) &&
                recorded()->interval ==
                    (i == 1          ? 1
                            : i == 2 ? -1
                                     : 0) &&
                recorded()->size == 80 && recorded()->bytes == 24 + 104,
            "%u: %g, %u bytes", i, recorded()->interval, recorded()->bytes);
        values = (const struct perf_tap_poll *)told_of("perflibv2_poll");
        CHECK(values != NULL && values->bytes == 24 + 104 && values->seconds == 0.5 && values->num_samples == 1,
            "%u: values", i);
    }
    CHECK_INFO(", query 5, 1 block, 80 bytes, Set, interval -1.000 s");
    CHECK_TREE("poll", "[perflibv2.handle 0+0: 31]", "  [perflibv2.query 0+0: 5]", "perflibv2.out_size 0+4: 80",
        "perflibv2.return_size 4+4: 80", "perflibv2.lpdata 20+80: 80 bytes, 1 block",
        "  [perflibv2.poll.previous_frame 0+0: 64]", "  [perflibv2.poll.interval 0+0: -1]",
        "perflibv2.return_code 100+4: 0");
    CHECK_INFO(", query 5, 1 block, 80 bytes, Set, interval -1.000 s");
    /* The same packet again; another answer to the same call. */
    text = fake_tree_text();
    give_again(call, true);
    CHECK(strcmp(fake_tree_text(), text) == 0, "%s", fake_tree_text());
    give(call, true);
    CHECK_TREE("second answer", "expert 0+0", "  ! perflibv2.second_answer: The call was answered in frame 66 already",
        "[perflibv2.handle 0+0: 31]", "  [perflibv2.query 0+0: 5]", "perflibv2.out_size 0+4: 80",
        "perflibv2.return_size 4+4: 80", "perflibv2.lpdata 20+80: 80 bytes, 1 block", "perflibv2.return_code 100+4: 0");
    CHECK_INFO(", query 5, 1 block, 80 bytes");
    CHECK(!recorded()->is_poll && recorded()->identifiers == 0 && told_of("perflibv2_poll") == NULL, "record");
    CHECK(told_of("perflibv2_missing") == NULL, "record");
    /* Nobody listens. */
    is_listening = false;
    call = ask_query(OP_QUERY_COUNTER_DATA, 0x31, 4096);
    build_poll(5);
    answer(call, 0);
    CHECK(recorded() == NULL && told_of("perflibv2_poll") == NULL && exported == NULL, "nobody listens");
    is_listening = true;
    /* Nobody looks: what is wrong with it is found for who listens. */
    is_seen = false;
    call = ask_query(OP_QUERY_COUNTER_DATA, 0x31, 4096);
    build_poll(6);
    answer(call, 0);
    CHECK(recorded()->is_poll && recorded()->rules[1].checked != NULL && filtered == NULL, "nobody looks");
    is_seen = true;
}

/* Counts that disagree: what must follow lpData tells which is right. */
static void
test_counts(void)
{
    static const struct {
        uint32_t counted, stated;
        unsigned shown;
        const char *finding;
    } cases[] = {
        { 16, 16, 16, NULL },
        { 8, 16, 16, "lpData counts 8 bytes, pdwOutSize says 16, and the stub has room for 16" },
        { 13, 8, 13, "lpData counts 13 bytes, pdwOutSize says 8, and the stub has room for 16" },
        { 8, 13, 13, "lpData counts 8 bytes, pdwOutSize says 13, and the stub has room for 16" },
        { 12, 4, 12, "lpData counts 12 bytes, pdwOutSize says 4, and the stub has room for 16" },
        { 17, 16, 16, "lpData counts 17 bytes, pdwOutSize says 16, and the stub has room for 16" },
        { 17, 17, 16, "lpData counts 17 bytes, pdwOutSize says 17, and the stub has room for 16" },
        { 4294967295, 17, 16, "lpData counts 4294967295 bytes, pdwOutSize says 17, and the stub has room for 16" },
        { 0, 0, 0, NULL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct made *call = ask_registration(2, PERF_REG_PROVIDER_GUID, 0);
        const char *text;

        begin_stub();
        PUT(cases[i].stated, 16, 4096, 0, cases[i].counted, 1, 2, 3, 4, 0);
        CHECK(give(call, true) == (int)(20 + ((cases[i].shown + 3) & ~3u) + 4), "%zu", i);
        text = fake_tree_text();
        CHECK(strstr(text,
                  cases[i].shown == 0 ? "\nperflibv2.lpdata 20+0: empty\n"
                                      : wmem_strdup_printf(pinfo.pool, "\nperflibv2.lpdata 20+%u: %u bytes\n",
                                            cases[i].shown, cases[i].shown)) != NULL,
            "%zu: %s", i, text);
        CHECK((strstr(text, "! perflibv2.rule.lpdata_count: ") != NULL) == (cases[i].finding != NULL) &&
                (cases[i].finding == NULL || strstr(text, cases[i].finding) != NULL),
            "%zu: %s", i, text);
    }
}

/* Fragments that Wireshark has not: both counts agree on more than there is. */
static void
test_fragments(void)
{
    struct made *call;

    /* Of a stub of so many bytes so many are missing, and the last fragment has so many. */
    static const struct {
        unsigned whole, missing, last;
        uint8_t flags;
        unsigned trusted; /* bytes of lpData, before which 20 stand */
    } cases[] = {
        /* Four of 2048 and 500 more: they may be eight of 1024. */
        { 8692, 2048, 500, PDU_FLAG_LAST_FRAG, 1004 },
        /* Three of 3000, or six of 1500. */
        { 9200, 3000, 200, PDU_FLAG_LAST_FRAG, 1480 },
        /* No fragment but the last is shorter than that. */
        { 11000, 3000, 2000, PDU_FLAG_LAST_FRAG, 2980 },
        /* Of 1500 and 1000 bytes the largest size would be 500: nobody has such fragments. */
        { 3000, 1000, 500, PDU_FLAG_LAST_FRAG, 0 },
        /* The first fragment alone is there. */
        { 5000, 3000, 2000, PDU_FLAG_FIRST_FRAG, 1976 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const unsigned there = cases[i].whole - cases[i].missing, size = cases[i].whole - 24;
        const char *text;

        call = new_call(OP_QUERY_REGISTRATION_INFO);
        put_machine("\\\\PC");
        put_set(2);
        PUT(PERF_REG_PROVIDER_NAME, 0, 20000);
        give(call, false);
        begin_stub();
        PUT(size, size, 20000, 0, size);
        memset(stub.bytes + stub.size, 'a', there - stub.size);
        memset(stub.bytes + there - 4, 0, 4); /* the return code */
        stub.size = there;
        last_fragment = cases[i].last;
        pdu_flags = cases[i].flags;
        CHECK(give(call, true) == (int)there, "%zu", i);
        last_fragment = 0;
        pdu_flags = PDU_FLAG_FIRST_FRAG | PDU_FLAG_LAST_FRAG;
        text = fake_tree_text();
        CHECK_SHOWS(wmem_strdup_printf(pinfo.pool,
            "perflibv2.lpdata 20+%u: %u bytes\n"
            "  ! perflibv2.fragment_missing: A fragment is missing: of %u bytes of lpData %u are there, and those from "
            "byte %u on may stand behind the gap",
            there - 24, size, size, there - 24, cases[i].trusted));
        CHECK(cases[i].trusted == 0 ||
                strstr(text, wmem_strdup_printf(pinfo.pool, "\n  perflibv2.provider.name 0+%u: ", cases[i].trusted)) !=
                    NULL,
            "%zu: %s", i, text);
        CHECK(g_str_has_suffix(fake_columns[COL_INFO]->str, ", fragment missing"), "%s", fake_columns[COL_INFO]->str);
        CHECK(strstr(text, "perflibv2.rule.lpdata_count") == NULL, "%s", text);
        CHECK(recorded()->size == size, "%u bytes", recorded()->size);
    }
    /* Nothing is missing of a stub that was put together of all its fragments, whose last is shorter. */
    call = ask_registration(0x99, PERF_REG_PROVIDER_NAME, 0);
    begin_stub();
    PUT(16, 16, 4096, 0, 16, 0x610061, 0x610061, 0x610061, 0x61, 0);
    pdu_flags = PDU_FLAG_LAST_FRAG;
    last_fragment = stub.size - 8;
    give(call, true);
    last_fragment = 0;
    CHECK_SHOWS("perflibv2.lpdata 20+16: 16 bytes");
    CHECK(strstr(fake_tree_text(), "fragment_missing") == NULL, "%s", fake_tree_text());
    /* What lies in the packet as it came was not put together. */
    call = ask_registration(0x99, PERF_REG_PROVIDER_NAME, 0);
    begin_stub();
    PUT(17, 17, 4096, 0, 17, 0x610061, 0x610061, 0x610061, 0x61, 0);
    pdu_flags = PDU_FLAG_FIRST_FRAG;
    give(call, true);
    CHECK_SHOWS("perflibv2.lpdata 20+16: 16 bytes");
    CHECK(strstr(fake_tree_text(), "fragment_missing") == NULL, "%s", fake_tree_text());
    pdu_flags = PDU_FLAG_FIRST_FRAG | PDU_FLAG_LAST_FRAG;
}

/* What is left of a stub whose first fragment was not captured: nothing of it is believed. */
static void
test_beginning(void)
{
    struct made *call = ask_registration(2, PERF_REG_PROVIDER_NAME, 0);

    rpc_stub_begin(true);
    begin_stub();
    PUT(8, 8, 20000, 0, 8, 1, 2, 0);
    CHECK(give(call, true) == 32, "all of it");
    CHECK_TREE("lost", "expert 0+32", "  ! perflibv2.no_beginning");
    CHECK_INFO(", beginning not captured");
    call = new_call(OP_QUERY_REGISTRATION_INFO);
    PUT(1, 2, 3);
    CHECK(give(call, false) == 12, "all of it");
    CHECK_TREE("no beginning", "expert 0+12", "  ! perflibv2.no_beginning");
    CHECK_INFO(", beginning not captured");
    CHECK(rpc_notes_get(0)->listener == listener && rpc_notes_get(0)->call_id == call->id, "who is told of its fault");
    rpc_stub_begin(false);
}

/* While a handle is being opened another is closed, perhaps: of what was its request the beginning is missing. */
static void
test_close_without_a_beginning(void)
{
    for (uint16_t opnum = OP_CLOSE_QUERY_HANDLE; opnum <= OP_QUERY_COUNTER_INFO; opnum++) {
        const uint32_t handle = 0x51u + opnum;
        struct made *opening, *call;

        open_handle(handle);
        opening = new_call(OP_OPEN_QUERY_HANDLE);
        put_machine("\\\\PC");
        give(opening, false);
        call = new_call(opnum);
        put_handle(0x77);
        rpc_stub_begin(true);
        give(call, false);
        rpc_stub_begin(false);
        begin_stub();
        put_handle(handle);
        PUT(0);
        give(opening, true);
        CHECK((strstr(fake_tree_text(), "handle_unique") != NULL) == (opnum == OP_QUERY_COUNTER_INFO), "%u: %s", opnum,
            fake_tree_text());
    }
}

/* The snap length cuts at each byte: what stands before it is shown, and nothing else. */
static void
test_cut(void)
{
    const char *whole;

    begin();
    add_counter_identifier(2, 1, 0, "", 0, 0);
    validate(0x31, true);
    whole = fake_tree_text();
    for (snapped = 1; snapped <= stub.size; snapped++) {
        validate(0x31, true);
        CHECK(thrown != 0, "%u bytes less", snapped);
        CHECK(count_of(fake_tree_text(), "\n") < count_of(whole, "\n") &&
                (strstr(fake_tree_text(), "perflibv2.add ") == NULL),
            "%u bytes less:\n%s", snapped, fake_tree_text());
        CHECK((strstr(fake_tree_text(), "perflibv2.in_size 20+4: 40") != NULL) == (snapped <= stub.size - 24),
            "%u bytes less:\n%s", snapped, fake_tree_text());
    }
    snapped = 0;
    validated(validate(0x31, true), 0);
    for (unsigned less = 1; less <= 48; less++) {
        struct made *call = validate(0x31, true);

        snapped = less;
        validated(call, 0);
        snapped = 0;
        CHECK(thrown != 0 && !recorded()->has_return_code, "%u bytes less", less);
    }
}

/* Another server is called so: 192.0.2.10 is OTHER, 192.0.2.9 is PC, and both are called nothing else. */
static void
test_other_machine(void)
{
    struct made *call;

    fake_server = 10;
    di.conv = (conversation_t *)(void *)&fake_server;
    call = new_call(OP_ENUMERATE_COUNTER_SET);
    put_machine("\\\\OTHER");
    PUT(3);
    give(call, false);
    begin();
    answer_of(call, 3, 16, 0);
    fake_server = 9;
    di.conv = NULL;
    call = new_call(OP_ENUMERATE_COUNTER_SET);
    put_machine("\\\\OTHER");
    PUT(3);
    give(call, false);
    CHECK_TREE("other machine", "perflibv2.machine 12+16: \\\\OTHER", "perflibv2.in_size 28+4: 3", "expert 12+16",
        "  ! perflibv2.machine.other: szMachine names another server: 192.0.2.10 was called other in "
        "frame 278, this one, 192.0.2.9, was called pc in frame 13");
    CHECK_INFO(", \\\\OTHER");
}

static void
test_faults(void)
{
    struct rpc_call told_call = { .uuid = perflibv2_uuid, .has_opnum = true, .request_frame = 3 };
    struct rpc_fault fault = { .call = &told_call, .has_status = true, .status = 5 };
    struct made *call = ask_query(OP_QUERY_COUNTER_DATA, 0x31, 4096);
    uint8_t bytes[32] = { 0 };
    tvbuff_t *tvb = tvb_new_real_data(bytes, sizeof bytes, sizeof bytes);

    told_call.opnum = OP_QUERY_COUNTER_DATA;
    told_call.state = rpc_notes_get(0)->state;
    CHECK(told_call.state == call->value.se_data, "what is kept");
    fake_packet_begin(&call->value, true);
    fake_tree_begin();
    listener->fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK_TREE("fault",
        "Performance Counter Query Protocol, QueryCounterData, query 5, fault nca_s_fault_access_denied 0+32",
        "  [perflibv2.opnum 0+0: 6]", "  [perflibv2.fault 24+4: 5 = nca_s_fault_access_denied (0x00000005)]",
        "    ! perflibv2.faulted: QueryCounterData was answered with a fault: nca_s_fault_access_denied",
        "  [perflibv2.fault.request_in 0+0: 3]", "  [perflibv2.handle 0+0: 31]", "    [perflibv2.query 0+0: 5]");
    CHECK(strcmp(fake_columns[COL_INFO]->str, "QueryCounterData response, query 5, fault nca_s_fault_access_denied") ==
            0,
        "%s", fake_columns[COL_INFO]->str);
    CHECK(strcmp(fake_columns[COL_PROTOCOL]->str, "PerflibV2") == 0, "%s", fake_columns[COL_PROTOCOL]->str);
    CHECK(recorded()->is_fault && recorded()->fault == 5 && recorded()->is_response && recorded()->bytes == 24 &&
            recorded()->query.handle.data1 == 0x31 && strcmp(recorded()->operation, "QueryCounterData") == 0 &&
            told_of("perflibv2_missing") != NULL,
        "record");
    /* The call was answered: what comes behind it is not its answer. */
    build_poll(9);
    answer(call, 0);
    CHECK(!recorded()->is_poll, "an answer after the fault");
    /* Of an operation nobody knows, and of a call whose beginning was not seen. */
    told_call.opnum = 77;
    told_call.state = NULL;
    fake_packet_begin(&call->value, true);
    fake_tree_begin();
    listener->fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK_TREE("operation 77", "Performance Counter Query Protocol, Operation 77, fault nca_s_fault_access_denied 0+32",
        "  [perflibv2.opnum 0+0: 77]", "  [perflibv2.fault 24+4: 5 = nca_s_fault_access_denied (0x00000005)]",
        "    ! perflibv2.faulted: Operation 77 was answered with a fault: nca_s_fault_access_denied",
        "  [perflibv2.fault.request_in 0+0: 3]");
    CHECK(strcmp(fake_columns[COL_INFO]->str, "Operation 77 response, fault nca_s_fault_access_denied") == 0, "%s",
        fake_columns[COL_INFO]->str);
    CHECK(recorded()->bytes == 0 && recorded()->query.id == NULL, "record");
    told_call.has_opnum = false;
    told_call.opnum = OP_OPEN_QUERY_HANDLE;
    fault.has_status = false;
    fake_packet_begin(&call->value, true);
    fake_tree_begin();
    listener->fault(&fault, tvb, &pinfo, NULL);
    CHECK(strcmp(fake_tree_text(), "") == 0, "%s", fake_tree_text());
    CHECK(strcmp(fake_columns[COL_INFO]->str, "operation not known response, fault not captured") == 0, "%s",
        fake_columns[COL_INFO]->str);
    CHECK(!recorded()->is_open, "an opening");
    is_listening = false;
    fake_packet_begin(&call->value, true);
    listener->fault(&fault, tvb, &pinfo, NULL);
    CHECK(recorded() == NULL, "nobody listens");
    is_listening = true;
}

static void
test_unread(void)
{
    struct rpc_call told_call = { .uuid = perflibv2_uuid, .has_opnum = true, .opnum = OP_QUERY_COUNTER_DATA };
    struct rpc_unread unread = { .call = &told_call, .is_last = true, .size = 99, .reason = "why", .needed = "key" };
    dcerpc_call_value value = { .opnum = 0 };
    const struct perf_tap_poll *values;

    for (unsigned i = 0; i < 3; i++) {
        unread.is_response = i != 0;
        unread.needed = i == 2 ? NULL : "key";
        fake_packet_begin(&value, unread.is_response);
        told_call.request_frame = pinfo.num - 1;
        told_call.request_time = (nstime_t){ pinfo.abs_ts.secs - 2, 0 };
        listener->unread(&unread, &pinfo);
        CHECK(strcmp(recorded()->operation, "QueryCounterData") == 0 && recorded()->is_response == (i != 0) &&
                recorded()->is_last && recorded()->size == 99 && strcmp(recorded()->unread, "why") == 0 &&
                recorded()->is_poll == (i != 0) && recorded()->needed == unread.needed &&
                strcmp(recorded()->query.host, "PC") == 0 && recorded()->response_time.secs == 2,
            "%u: record, %s", i, recorded()->query.host);
        values = (const struct perf_tap_poll *)told_of("perflibv2_poll");
        CHECK(i == 2 ? values == NULL : values != NULL && values->needed == unread.needed, "%u: values", i);
        CHECK((told_of("perflibv2_missing") != NULL) == (i != 2), "%u: what is missing", i);
    }
    listener->lacks_request(NULL, &(struct rpc_lack){ .call_id = 7 }, &pinfo);
    told_call.has_opnum = false;
    listener->unread(&unread, &pinfo);
    CHECK(strcmp(recorded()->operation, "operation not known") == 0 && !recorded()->is_poll, "%s",
        recorded()->operation);
    told_call.has_opnum = true;
    told_call.opnum = 77;
    listener->unread(&unread, &pinfo);
    CHECK(strcmp(recorded()->operation, "Operation 77") == 0 && !recorded()->is_poll, "%s", recorded()->operation);
    is_listening = false;
    fake_packet_begin(&value, true);
    listener->unread(&unread, &pinfo);
    CHECK(recorded() == NULL && told_of("perflibv2_poll") == NULL, "nobody listens");
    is_listening = true;
}

/* [C706] 14.1: the sender's byte order is NDR's, and never lpData's. NDR64 has counts of 8 bytes. */
static void
test_encodings(void)
{
    static const struct {
        unsigned max, offset, actual;
        const char *shown;
    } wide[] = {
        { 1, 0, 0, "expert 8+8\n  ! perflibv2.rule.max_count: " },
        { 0, 1, 0, "expert 16+8\n  ! perflibv2.rule.array_offset: " },
        { 0, 0, 1, "expert 24+8\n  ! perflibv2.rule.lpdata_count: " },
    };
    struct made *call;

    drep[0] = 0;
    call = ask_registration(2, PERF_REG_PROVIDER_GUID, 0);
    CHECK_TREE("big-endian", "perflibv2.machine 12+10: \\\\PC", "perflibv2.counterset.guid 24+16: 2",
        "[perflibv2.counterset.name 0+0: Set]", "  [perflibv2.learned_in 0+0: 14]", "perflibv2.request_code 40+4: 8",
        "perflibv2.request_lcid 44+4: 0", "perflibv2.in_size 48+4: 4096");
    CHECK_INFO(", provider GUID, Set {00000002-0000-0000-0000-000000000000}");
    begin();
    ADD(0x77, 0, 0, 0);
    answer(call, 0);
    CHECK_TREE("big-endian answer", "perflibv2.out_size 0+4: 16", "perflibv2.return_size 4+4: 16",
        "perflibv2.lpdata 20+16: 16 bytes", "  perflibv2.provider.guid 0+16: 77", "perflibv2.return_code 36+4: 0");
    CHECK_INFO(", provider GUID {00000077-0000-0000-0000-000000000000}, Set");
    drep[0] = 0x10;
    call = new_call(OP_ENUMERATE_INSTANCES);
    call->value.flags = DCERPC_IS_NDR64;
    put_number(3, 8);
    put_number(0, 8);
    put_number(3, 8);
    put_number('P', 2);
    put_number('C', 2);
    put_number(0, 2);
    put_set(2);
    PUT(4096);
    give(call, false);
    CHECK_TREE("NDR64", "perflibv2.machine 24+6: PC", "perflibv2.counterset.guid 32+16: 2",
        "[perflibv2.counterset.name 0+0: Set]", "  [perflibv2.learned_in 0+0: 14]", "perflibv2.in_size 48+4: 4096");
    CHECK_INFO(", Set {00000002-0000-0000-0000-000000000000}");
    begin();
    add_instance("abc", 7);
    begin_stub();
    PUT(16, 16);
    put_number(4096, 8);
    put_number(0, 8);
    put_number(16, 8);
    put_bytes();
    PUT(0);
    give(call, true);
    CHECK_TREE("NDR64 answer", "perflibv2.out_size 0+4: 16", "perflibv2.return_size 4+4: 16",
        "perflibv2.lpdata 32+16: 16 bytes, 1 instance", "perflibv2.return_code 48+4: 0");
    CHECK_INFO(", 1 instance");
    /* Findings of counts and of text, which both stand elsewhere than in NDR. */
    for (unsigned i = 0; i < array_length(wide); i++) {
        begin_stub();
        PUT(16, 16);
        put_number(4096 + wide[i].max, 8);
        put_number(wide[i].offset, 8);
        put_number(16 + wide[i].actual, 8);
        put_bytes();
        PUT(0);
        give(call, true);
        CHECK(count_of(fake_tree_text(), "! perflibv2.rule.") == 1 && strstr(fake_tree_text(), wide[i].shown) != NULL,
            "%s", fake_tree_text());
    }
    for (unsigned i = 0; i < 2; i++) {
        call = new_call(OP_OPEN_QUERY_HANDLE);
        call->value.flags = DCERPC_IS_NDR64;
        put_number(2, 8);
        put_number(i, 8);
        put_number(2, 8);
        put_number('P', 2);
        put_number('C', 2);
        give(call, false);
        CHECK(strstr(fake_tree_text(),
                  i == 0 ? "expert 24+4\n  ! perflibv2.rule.machine_string: The terminator of szMachine"
                         : "expert 0+24\n  ! perflibv2.rule.machine_string: szMachine has maximum count 2, offset 1") !=
                NULL,
            "%s", fake_tree_text());
    }
    /* The counts of a name that begins at its second character. */
    call = new_call(OP_OPEN_QUERY_HANDLE);
    PUT(3, 1, 2);
    put_number('C', 2);
    put_number(0, 2);
    give(call, false);
    CHECK(strstr(fake_tree_text(), ": szMachine has maximum count 3, offset 1 and actual count 2: ") != NULL, "%s",
        fake_tree_text());
}

/* Requests that are missing, unless they change nothing, as 3.1.4.1.1 to 3.1.4.1.3, or are no operation. */
static void
test_lacking(void)
{
    static const struct {
        struct rpc_lack lack;
        unsigned gaps;
    } lacks[] = {
        { { .call_id = 7, .is_response = true }, 1 },
        { { .call_id = 7, .is_response = true, .has_opnum = true, .opnum = OP_ENUMERATE_COUNTER_SET }, 0 },
        { { .call_id = 7, .is_response = true, .has_opnum = true, .opnum = OP_ENUMERATE_INSTANCES }, 0 },
        { { .call_id = 7, .is_response = true, .has_opnum = true, .opnum = OP_OPEN_QUERY_HANDLE }, 1 },
        { { .call_id = 7, .is_response = true, .has_opnum = true, .opnum = OP_VALIDATE_COUNTERS }, 1 },
        { { .call_id = 7, .is_response = true, .has_opnum = true, .opnum = NUM_OPS }, 0 },
    };

    for (size_t i = 0; i < array_length(lacks); i++) {
        const unsigned gaps = connections_now(connections_of(&di)).all_gaps;

        listener->lacks_request(NULL, &lacks[i].lack, &pinfo);
        CHECK(connections_now(connections_of(&di)).all_gaps == gaps + lacks[i].gaps, "%zu: %u gaps", i,
            connections_now(connections_of(&di)).all_gaps);
    }
}

int
main(void)
{
    taken_by = "theirs";
    wmem_init_scopes();
    proto_register_perflibv2();
    proto_reg_handoff_perflibv2();
    CHECK(procs == NULL && recognise == NULL && listener == NULL, "Wireshark has it");
    taken_by = NULL;
    proto_reg_handoff_perflibv2();
    memcpy(fake_hidden, hidden, sizeof hidden);
    test_registered();
    test_requests();
    test_handles();
    test_outcomes();
    test_polls();
    test_counts();
    test_fragments();
    test_beginning();
    test_cut();
    test_other_machine();
    test_faults();
    test_unread();
    test_encodings();
    test_close_without_a_beginning();
    test_lacking();
    return check_result();
}
