/* test_rules.c
 * Rules about parameters, return codes, handles and sessions: at each limit, what is checked, what is broken, and where
 *
 * [MS-PCQ] 2.1, 2.2, 3.1.4.1
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "fake-expert.h"
#include "verdict.h"

/* Where the parameters of the stubs here stand. */
enum {
    MACHINE_AT = 4,
    HANDLE_AT = 8,
    CODE_AT = 40,
    LCID_AT = 44,
    IN_AT = 48,
    ADD_AT = 52,
    OUT_AT = 56,
    RETURN_SIZE_AT = 60,
    ARRAY_AT = 64,
    RETURN_AT = 72
};

/* In place of counters/server.c. */
const char *
server_host(const struct server *server _U_)
{
    return "SERVER";
}

/* Expert items that were shown. */
static struct {
    bool has_tree;
    int start, length;
    char text[120];
    const char *broken_rule;
} shown[20];
static unsigned num_shown;

static void
note(bool has_tree, int start, int length, const char *format, va_list arguments)
{
    shown[num_shown].has_tree = has_tree;
    shown[num_shown].start = start;
    shown[num_shown].length = length;
    shown[num_shown].broken_rule = NULL;
    vsnprintf(shown[num_shown++].text, sizeof shown[0].text, format, arguments);
}

static void
take_expert(const char *format, va_list arguments)
{
    note(false, 0, 0, format, arguments);
}

proto_item *
proto_tree_add_expert_format(proto_tree *tree _U_, packet_info *pinfo _U_, expert_field *ei _U_, tvbuff_t *tvb _U_,
    int start, int length, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    note(true, start, length, format, arguments);
    va_end(arguments);
    return NULL;
}

proto_item *
proto_tree_add_string(proto_tree *tree _U_, int hf _U_, tvbuff_t *tvb _U_, int start, int length, const char *value)
{
    CHECK(start == shown[num_shown - 1].start && length == shown[num_shown - 1].length, "%s: %d", value, start);
    shown[num_shown - 1].broken_rule = value;
    return NULL;
}

static const hf_register_info *field;

void
proto_register_field_array(const int parent, hf_register_info *hf, const int num)
{
    CHECK(parent == 7 && num == 1, "%d, %d", parent, num);
    field = hf;
}

static const ei_register_info *registered;

void
expert_register_field_array(expert_module_t *module _U_, ei_register_info *ei, const int num)
{
    CHECK(num == NUM_RULES, "%d", num);
    registered = ei;
}

/* A stub whose parameters stand where they do here. */
static struct pdu_stub
make(const struct operation *op, bool is_response, unsigned have)
{
    return (struct pdu_stub){
        .op = op,
        .is_response = is_response,
        .has_request = true,
        .have = have,
        .machine_terminated = true,
        .machine_at = MACHINE_AT,
        .machine_text_at = MACHINE_AT + 12,
        .handle_at = HANDLE_AT,
        .request_code.offset = CODE_AT,
        .request_lcid.offset = LCID_AT,
        .in_size.offset = IN_AT,
        .add.offset = ADD_AT,
        .out_size.offset = OUT_AT,
        .return_size.offset = RETURN_SIZE_AT,
        .array_at = ARRAY_AT,
        .array_offset_at = ARRAY_AT + 4,
        .return_code.offset = RETURN_AT,
    };
}

static void
judge(const struct call *call, const struct pdu_stub *stub, const char *expected, const char *what)
{
    struct rules_report *report = rules_report_new(scope, true);

    rules_check_stub(report, call, stub);
    check_verdict(report, expected, what);
}

static const struct operation plain = { .element = 1, .max_in_size = 1000, .codes = { 87, 8 } },
                              full = { .element = 1, .max_in_size = 1000, .codes = { 1, 2, 3, 4, 5000 } },
                              guids = { .element = 16, .max_in_size = 1000, .judge_stub = rules_check_enumeration },
                              registration = { .element = 1,
                                  .judge_stub = rules_check_registration_call,
                                  .codes = { 87 } },
                              poll = { .element = 1, .judge_stub = rules_check_poll },
                              instances = { .element = 1, .judge_stub = rules_check_no_instances },
                              opens = { .judge_stub = rules_check_opened },
                              closes = { .judge_stub = rules_check_closed },
                              validates = { .max_in_size = 1000,
                                  .judge_stub = rules_check_validation,
                                  .codes = { 87 } };
static const struct call nothing;

static void
check_machines(void)
{
    static const struct {
        uint64_t max, offset, actual;
        bool terminated;
        const char *expected;
    } cases[] = {
        { 5, 0, 5, true, "+machine_string" },
        { 6, 0, 5, true, "+machine_string" },
        { 4, 0, 5, true, "-machine_string@4,12" },
        { 5, 1, 4, true, "-machine_string@4,12" },
        { 5, 0, 5, false, "-machine_string@16,10" },
        { 4, 1, 5, false, "-machine_string@4,12" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct pdu_stub stub = make(&plain, false, STUB_MACHINE);

        stub.machine_max = cases[i].max;
        stub.machine_offset = cases[i].offset;
        stub.machine_actual = cases[i].actual;
        stub.machine_terminated = cases[i].terminated;
        judge(&nothing, &stub, cases[i].expected, "szMachine");
    }
}

static void
check_requests(void)
{
    /* Request codes 1 to 10; an LCID means something from 2 to 6 only. */
    for (uint32_t code = 0; code <= 12; code++) {
        for (uint32_t lcid = 0; lcid < 2; lcid++) {
            struct pdu_stub stub = make(&plain, false, STUB_REQUEST_CODE);
            const bool is_listed = code >= 1 && code <= 10, uses_lcid = code >= 2 && code <= 6;

            stub.request_code.value = code;
            stub.request_lcid.value = lcid;
            judge(&nothing, &stub,
                !is_listed      ? "-request_code@40,4"
                    : uses_lcid ? "+request_code"
                    : lcid == 0 ? "+request_code +request_lcid"
                                : "+request_code -request_lcid@44,4",
                "RequestCode");
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        struct pdu_stub stub = make(&plain, false, STUB_IN_SIZE);

        stub.in_size.value = 999 + i;
        judge(&nothing, &stub, i < 2 ? "+in_size_range" : "-in_size_range@48,4", "dwInSize");
        stub = make(&plain, false, STUB_ADD);
        stub.add.value = i;
        judge(&nothing, &stub, i < 2 ? "+add_value" : "-add_value@52,4", "dwAdd");
    }
    judge(&nothing, &(struct pdu_stub){ .op = &plain }, "", "a request that was cut off");
}

static void
check_handles(void)
{
    struct pdu_stub stub = make(&plain, false, STUB_HANDLE);
    struct call closed = { .closed_in = 7 }, elsewhere = { .opened_on = "OTHER" };

    judge(&nothing, &stub, "+handle_null +handle_server +handle_after_close", "used");
    judge(&closed, &stub, "+handle_null +handle_server -handle_after_close@8,20", "closed");
    judge(&elsewhere, &stub, "+handle_null -handle_server@8,20 +handle_after_close", "of another server");
    stub.handle_is_null = true;
    judge(&nothing, &stub, "-handle_null@8,20 +handle_server +handle_after_close", "NULL");
}

/* A response of a success to a request, with these sizes. */
static struct pdu_stub
sized(const struct operation *op, uint32_t in, uint32_t out, uint32_t needed, uint32_t code)
{
    struct pdu_stub stub = make(op, true, STUB_OUT_SIZES | STUB_RETURN_CODE);

    stub.in_size.value = in;
    stub.out_size.value = out;
    stub.return_size.value = needed;
    stub.return_code.value = code;
    return stub;
}

#define LISTED " +return_code +return_code_listed"

static void
check_sizes(void)
{
    static const struct {
        uint32_t in, out, needed, code;
        const char *expected;
    } cases[] = {
        { 10, 10, 10, 0, "+out_size_room +out_size_needed +out_size_all +too_small" LISTED },
        { 11, 10, 10, 0, "+out_size_room +out_size_needed +out_size_all +too_small" LISTED },
        { 10, 9, 10, 0, "+out_size_room +out_size_needed -out_size_all@56,8 +too_small" LISTED },
        { 11, 11, 10, 0, "+out_size_room -out_size_needed@56,8 +out_size_all +too_small" LISTED },
        { 9, 10, 10, 0, "-out_size_room@56,4 +out_size_needed -too_small@72,4" LISTED },
        { 9, 9, 10, 0, "+out_size_room +out_size_needed -too_small@72,4" LISTED },
        /* ERROR_NOT_ENOUGH_MEMORY, with what is needed or without */
        { 9, 0, 10, 8, "+out_size_room +too_small" LISTED },
        { 10, 0, 10, 8, "+out_size_room -too_small@72,4" LISTED },
        { 10, 0, 0, 8, "+out_size_room +too_small" LISTED },
        { 10, 0, 1, 8, "+out_size_room -too_small@72,4" LISTED },
        /* ERROR_MORE_DATA in its place is broken once; where nothing is lacking it is another value that is not listed. */
        { 9, 0, 10, 234, "+out_size_room -too_small@72,4 +return_code" },
        { 10, 0, 10, 234, "+out_size_room +return_code -return_code_listed@72,4" },
        /* Another error says nothing of sizes. */
        { 9, 0, 10, 87, "+out_size_room" LISTED },
        { 9, 10, 11, 87, "-out_size_room@56,4" LISTED },
    };
    struct pdu_stub stub;

    for (size_t i = 0; i < array_length(cases); i++) {
        stub = sized(&plain, cases[i].in, cases[i].out, cases[i].needed, cases[i].code);
        judge(&nothing, &stub, cases[i].expected, wmem_strdup_printf(scope, "sizes %zu", i));
    }
    /* Without the request nobody knows dwInSize. */
    stub = sized(&plain, 0, 9, 10, 0);
    stub.has_request = false;
    judge(&nothing, &stub, "+out_size_needed -out_size_all@56,8" LISTED, "no request");
    stub = sized(&plain, 0, 0, 10, 234);
    stub.has_request = false;
    judge(&nothing, &stub, "+return_code -return_code_listed@72,4", "no request, ERROR_MORE_DATA");
    stub = sized(&plain, 9, 9, 10, 0);
    stub.have = STUB_OUT_SIZES;
    judge(&nothing, &stub, "+out_size_room", "no return code");
    stub.have = STUB_RETURN_CODE;
    judge(&nothing, &stub, "+return_code +return_code_listed", "no sizes");
    stub = sized(&plain, 9, 0, 10, 234);
    stub.have = STUB_RETURN_CODE;
    judge(&nothing, &stub, "+return_code -return_code_listed@72,4", "no sizes, ERROR_MORE_DATA");
}

static void
check_arrays(void)
{
    struct pdu_stub stub = make(&plain, true, STUB_ARRAY);

    stub.in_size.value = stub.array_max = 100;
    judge(&nothing, &stub, "+max_count +array_offset", "as asked for");
    stub.array_max = 101;
    judge(&nothing, &stub, "-max_count@64,4 +array_offset", "more");
    stub.has_request = false;
    judge(&nothing, &stub, "+array_offset", "no request");
    stub.array_offset = 1;
    judge(&nothing, &stub, "-array_offset@68,4", "not from its first");
}

static void
check_return_codes(void)
{
    static const struct {
        const struct operation *op;
        uint32_t code;
        bool is_short, is_listed;
    } cases[] = {
        { &plain, 0, true, true },
        { &plain, 5, true, true },
        { &plain, 87, true, true },
        { &plain, 8, true, true },
        { &plain, 1, true, false },
        { &plain, 0xFFFF, true, false },
        { &plain, 0x10000, false, false },
        { &plain, 0x80070005, false, false },
        { &full, 1, true, true },
        { &full, 5000, true, true },
        { &full, 87, true, false },
    };
    struct pdu_stub stub;
    struct call given = { .given_again_in = 6 }, closed = { .closed_in = 7 };

    for (size_t i = 0; i < array_length(cases); i++) {
        stub = make(cases[i].op, true, STUB_RETURN_CODE);
        stub.return_code.value = cases[i].code;
        judge(&nothing, &stub,
            !cases[i].is_short       ? "-return_code@72,4"
                : cases[i].is_listed ? "+return_code +return_code_listed"
                                     : "+return_code -return_code_listed@72,4",
            wmem_strdup_printf(scope, "0x%x", cases[i].code));
    }
    stub = make(&plain, true, STUB_RETURN_CODE);
    judge(&given, &stub, "+return_code +return_code_listed -handle_unique@72,4", "given to another client");
    judge(&closed, &stub, "+return_code +return_code_listed -handle_refused@72,4", "closed");
    stub.return_code.value = 87;
    judge(&closed, &stub, "+return_code +return_code_listed +handle_refused", "closed, and refused");
    stub.has_request = false;
    judge(&given, &stub, "+return_code +return_code_listed", "no request");
    judge(&closed, &stub, "+return_code +return_code_listed", "no request");
}

/* What rules of one method add to the others. */
static void
judge_own(const struct pdu_stub *stub, const char *expected, const char *what)
{
    struct rules_report *report = rules_report_new(scope, true);

    stub->op->judge_stub(report, &nothing, stub);
    check_verdict(report, expected, what);
}

static void
check_enumerations(void)
{
    static const struct {
        uint32_t in, out, needed, code;
        const char *expected;
    } cases[] = {
        { 10, 10, 10, 0, "+guid_count +guid_limit" },
        { 10, 9, 10, 0, "-guid_count@56,8 +guid_limit" },
        { 12, 11, 10, 0, "+guid_limit" },
        { 10, 9, 10, 87, "+guid_limit" },
        { 9, 0, 10, 8, "+out_size_zero +guid_limit" },
        { 9, 1, 10, 8, "-out_size_zero@56,4 +guid_limit" },
        { 2000, 1000, 1000, 0, "+guid_count +guid_limit" },
        { 2000, 1001, 1001, 0, "+guid_count -guid_limit@60,4" },
    };
    struct pdu_stub stub;

    for (size_t i = 0; i < array_length(cases); i++) {
        stub = sized(&guids, cases[i].in, cases[i].out, cases[i].needed, cases[i].code);
        judge_own(&stub, cases[i].expected, wmem_strdup_printf(scope, "GUIDs %zu", i));
    }
    stub = sized(&guids, 0, 1, 1001, 0);
    stub.has_request = false;
    judge_own(&stub, "-guid_limit@60,4", "no request");
    stub.have = STUB_RETURN_CODE;
    judge_own(&stub, "", "no sizes");
    /* Sizes that count GUIDs are not judged twice. */
    stub = sized(&guids, 10, 9, 10, 0);
    judge(&nothing, &stub, "+out_size_room +out_size_needed +too_small" LISTED " -guid_count@56,8 +guid_limit",
        "all rules");
}

static void
check_empty(void)
{
    struct pdu_stub stub;

    for (uint32_t out = 0; out < 2; out++) {
        stub = sized(&poll, 10, out, out, 0);
        judge_own(&stub, out > 0 ? "+poll_empty" : "-poll_empty@72,4", "a poll");
        stub.return_code.value = 8;
        judge_own(&stub, "", "a poll that failed");
        stub = sized(&instances, 10, out, out, 0);
        judge_own(&stub, out > 0 ? "+instances_none" : "-instances_none@72,4", "instances");
        stub.have = STUB_RETURN_CODE;
        judge_own(&stub, "", "instances, no sizes");
    }
    /* Descriptions (4 and 6) may be missing. */
    for (uint32_t code = 0; code <= 11; code++) {
        const bool is_listed = code >= 1 && code <= 10, is_help = code == 4 || code == 6;

        stub = sized(&registration, 10, 0, 0, 0);
        stub.request_code.value = code;
        judge_own(&stub,
            !is_listed    ? "-request_code_refused@72,4"
                : is_help ? ""
                          : "-registration_empty@72,4",
            wmem_strdup_printf(scope, "code %u, empty", code));
        stub.out_size.value = 1;
        judge_own(&stub,
            !is_listed    ? "-request_code_refused@72,4"
                : is_help ? ""
                          : "+registration_empty",
            wmem_strdup_printf(scope, "code %u, not empty", code));
        for (unsigned error = 0; error < 2; error++) {
            stub.return_code.value = error == 0 ? 87 : 5;
            judge_own(&stub, is_listed ? "" : "+request_code_refused",
                wmem_strdup_printf(scope, "code %u, refused", code));
        }
        stub.return_code.value = 8;
        judge_own(&stub, is_listed ? "" : "-request_code_refused@72,4", wmem_strdup_printf(scope, "code %u, 8", code));
        stub.have &= ~(unsigned)STUB_RETURN_CODE;
        judge_own(&stub, "", wmem_strdup_printf(scope, "code %u, no return code", code));
        stub.have |= STUB_RETURN_CODE;
        stub.has_request = false;
        judge_own(&stub, "", "no request");
    }
}

static void
check_validations(void)
{
    for (uint32_t size = 39; size <= 40; size++) {
        struct pdu_stub stub = make(&validates, false, STUB_IN_SIZE);

        stub.in_size.value = size;
        judge_own(&stub, size < 40 ? "-validate_room@48,4" : "+validate_room", "a request");
        stub = make(&validates, true, STUB_RETURN_CODE);
        stub.in_size.value = size;
        judge_own(&stub, size < 40 ? "-validate_refused@72,4" : "", "a success");
        stub.return_code.value = 87;
        judge_own(&stub, size < 40 ? "+validate_refused" : "", "an error");
        stub.has_request = false;
        judge_own(&stub, "", "no request");
    }
}

static void
check_opened_and_closed(void)
{
    static const struct call given = { .opened_in = 9 };
    struct pdu_stub stub = make(&opens, true, STUB_HANDLE | STUB_RETURN_CODE);
    struct rules_report *report = rules_report_new(scope, true);

    judge_own(&stub, "+handle_opened +handle_unique", "opened");
    rules_check_opened(report, &given, &stub);
    CHECK(strcmp(verdict(report), "+handle_opened -handle_unique@8,20") == 0, "%s", verdict(report));
    stub.handle_is_null = true;
    judge_own(&stub, "-handle_opened@8,20 +handle_unique", "opened, but NULL");
    stub.return_code.value = 8;
    judge_own(&stub, "", "not opened");
    stub = make(&closes, true, STUB_HANDLE | STUB_RETURN_CODE);
    judge_own(&stub, "-handle_closed@8,20", "closed, but not NULL");
    stub.handle_is_null = true;
    judge_own(&stub, "+handle_closed", "closed");
    stub.return_code.value = 6;
    judge_own(&stub, "", "not closed");
    stub = make(&closes, true, STUB_HANDLE);
    judge_own(&stub, "", "no return code");
    stub = make(&closes, false, STUB_HANDLE | STUB_RETURN_CODE);
    judge_own(&stub, "", "a request");
    stub = make(&opens, false, STUB_HANDLE | STUB_RETURN_CODE);
    judge_own(&stub, "", "a request");
}

static void
judge_session(const struct call *call, const struct pdu_stub *stub, const char *expected, const char *what)
{
    struct rules_report *report = rules_report_new(scope, true);

    rules_check_session(report, call, stub);
    check_verdict(report, expected, what);
}

static void
check_sessions(void)
{
    /* [MS-RPCE] 2.2.1.1.7: none, SPNEGO, NTLM, Schannel, Kerberos, Netlogon */
    static const struct {
        uint8_t type;
        const char *expected;
    } services[] = { { 0, "" }, { 9, " +auth_service" }, { 10, " +auth_service" }, { 14, " -auth_service@0,0" },
        { 16, " -auth_service@0,0" }, { 68, " -auth_service@0,0" } };
    struct pdu_stub request = make(&plain, false, 0), answer = make(&plain, true, STUB_RETURN_CODE);

    for (uint8_t level = 1; level <= 7; level++) {
        for (size_t i = 0; i < array_length(services); i++) {
            const struct call call = { .views = { { .is_first = true,
                                                      .is_named_pipe = true,
                                                      .auth_type = services[i].type,
                                                      .auth_level = level },
                                           { .is_first = true, .auth_level = level } } };

            judge_session(&call, &request,
                wmem_strdup_printf(scope, "%s%s +transport +transfer_syntax",
                    level >= 6 ? "+auth_level" : "-auth_level@0,0", services[i].expected),
                wmem_strdup_printf(scope, "level %u", level));
            answer.return_code.value = 0;
            judge_session(&call, &answer, level >= 6 ? "+privacy_required" : "-privacy_required@0,0", "success");
            answer.return_code.value = 5;
            judge_session(&call, &answer, "+privacy_required", "ERROR_ACCESS_DENIED");
        }
    }
    {
        const struct call tcp = { .views = { { .is_first = true, .auth_type = 10, .auth_level = 6 } } },
                          ndr64 = { .views = { { .is_first = true,
                                        .is_named_pipe = true,
                                        .is_ndr64 = true,
                                        .auth_type = 10,
                                        .auth_level = 6 } } },
                          unprotected = { .views = { { .is_first = false }, { .is_first = true, .auth_level = 1 } } };

        judge_session(&tcp, &request, "+auth_level +auth_service -transport@0,0 +transfer_syntax", "TCP");
        judge_session(&ndr64, &request, "+auth_level +auth_service +transport -transfer_syntax@0,0", "NDR64");
        judge_session(&unprotected, &request, "", "said before");
        answer.return_code.value = 5;
        answer.have = 0;
        judge_session(&unprotected, &answer, "-privacy_required@0,0", "what was cut off does not refuse");
        answer.is_refused = true;
        judge_session(&unprotected, &answer, "+privacy_required", "a fault refuses");
    }
}

/* Findings are shown in the order of their places, and of one place as they were found, as far as an item reaches, within what was captured. */
static void
check_shown(void)
{
    static const uint8_t bytes[20];
    static int tree;
    tvbuff_t *tvb = tvb_new_real_data(bytes, sizeof bytes, 100);
    packet_info pinfo = { .pool = scope };
    struct rules_report *report = rules_report_new(scope, false);
    unsigned next = 0;

    rules_order(report);
    rules_show(report, &next, 100, &pinfo, (proto_tree *)&tree, tvb);
    CHECK(next == 0 && num_shown == 0, "nothing is broken");
    rules_held(report, RULE_TRANSPORT, 1);
    rules_broken(report, RULE_BLOCK_SIZE, 30, 4, "h");
    rules_broken(report, RULE_BLOCK_SIZE, 20, 4, "g");
    rules_broken(report, RULE_BLOCK_SIZE, 19, 4, "f");
    rules_broken(report, RULE_BLOCK_SIZE, 16, 4, "e %u", 5u);
    rules_broken(report, RULE_BLOCK_SIZE, 8, 4, "b");
    rules_broken(report, RULE_AUTH_LEVEL, 8, 4, "c");
    rules_broken(report, RULE_LPDATA_COUNT, 8, 2, "d");
    rules_broken(report, RULE_BLOCK_TYPE, 0, 0, "a");
    rules_order(report);
    /* The second, third and fourth of them from 4 on: none but these numbers say so to each qsort(). */
    for (unsigned i = 1; i < 4; i++) {
        CHECK(((const struct finding *)wmem_array_index(report->findings, i))->number == 3 + i, "finding %u", i);
    }
    rules_show(report, &next, 8, &pinfo, (proto_tree *)&tree, tvb);
    CHECK(next == 1 && num_shown == 1 && strcmp(shown[0].text, "a") == 0, "before 8: %u", next);
    rules_show(report, &next, 9, &pinfo, (proto_tree *)&tree, tvb);
    CHECK(next == 4, "before 9: %u", next);
    rules_show(report, &next, 100, &pinfo, (proto_tree *)&tree, tvb);
    CHECK(next == 8 && num_shown == 8, "all: %u", next);
    for (unsigned i = 1; i < num_shown; i++) {
        static const struct {
            int start, length;
            const char *text, *broken_rule;
        } expected[] = { { 0, 0, "a", "block_type" }, { 8, 4, "b", "block_size" }, { 8, 4, "c", NULL },
            { 8, 2, "d", "lpdata_count" }, { 16, 4, "e 5", "block_size" }, { 19, 1, "f", "block_size" },
            { 20, 0, "g", "block_size" }, { 20, 0, "h", "block_size" } };

        CHECK(shown[i].has_tree && shown[i].start == expected[i].start && shown[i].length == expected[i].length &&
                strcmp(shown[i].text, expected[i].text) == 0,
            "%u: %s at %d, %d bytes", i, shown[i].text, shown[i].start, shown[i].length);
        CHECK(g_strcmp0(shown[i].broken_rule, expected[i].broken_rule) == 0, "%u: a note breaks nothing", i);
    }
    next = 7;
    num_shown = 0;
    rules_show(report, &next, 100, &pinfo, NULL, tvb);
    CHECK(num_shown == 1 && !shown[0].has_tree && strcmp(shown[0].text, "h") == 0, "without a tree");
    tvb_free(tvb);
}

static void
check_reports(void)
{
    struct rules_report *counted = rules_report_new(scope, true), *uncounted = rules_report_new(scope, false);

    CHECK(uncounted->scope == scope && uncounted->checked == NULL && uncounted->broken == NULL, "it costs nothing");
    rules_held(counted, RULE_BLOCK_SIZE, 3);
    for (unsigned i = 0; i < 12; i++) {
        rules_broken(counted, RULE_BLOCK_SIZE, i, 1, "%u", i);
        rules_broken(uncounted, RULE_BLOCK_SIZE, i, 1, "%u", i);
    }
    rules_broken(uncounted, RULE_BLOCK_TYPE, 5, 1, "another");
    CHECK(counted->checked[RULE_BLOCK_SIZE] == 15 && counted->broken[RULE_BLOCK_SIZE] == 12, "%u of %u",
        counted->broken[RULE_BLOCK_SIZE], counted->checked[RULE_BLOCK_SIZE]);
    CHECK(wmem_array_get_count(counted->findings) == 10 && uncounted->checked == NULL, "ten of a rule");
    CHECK(wmem_array_get_count(uncounted->findings) == 11, "and another's: %u",
        wmem_array_get_count(uncounted->findings));
}

/* As expert items the rules are grouped by what they say: three of what can't be read, all others of what is said. */
static void
check_registered(void)
{
    rules_register(7, NULL);
    CHECK(strcmp(field->hfinfo.abbrev, "perflibv2.broken_rule") == 0, "%s", field->hfinfo.abbrev);
    for (unsigned i = 0; i < NUM_RULES; i++) {
        const struct rule *rule = &perflibv2_rules[i];
        const expert_field_info *item = &registered[i].eiinfo;
        const char *departure = rule->severity == PI_NOTE ? "Departure: " : "Broken: ";
        const bool is_malformed = strcmp(rule->filter, "perflibv2.rule.lpdata_count") == 0 ||
            strcmp(rule->filter, "perflibv2.rule.structure_fits") == 0 ||
            strcmp(rule->filter, "perflibv2.rule.strings_offset") == 0;

        CHECK(strcmp(item->name, rule->filter) == 0 && item->severity == rule->severity, "%s", item->name);
        CHECK(item->group == (is_malformed ? PI_MALFORMED : PI_PROTOCOL), "%s: %d", item->name, item->group);
        CHECK(g_str_has_prefix(item->summary, departure) && strstr(item->summary, rule->summary) != NULL &&
                strstr(item->summary, rule->section) != NULL,
            "%s", item->summary);
        CHECK(i == 0 || registered[i].ids != registered[i - 1].ids, "%s has another's", item->name);
    }
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    win32_names_init();
    check_machines();
    check_requests();
    check_handles();
    check_sizes();
    check_arrays();
    check_return_codes();
    check_enumerations();
    check_empty();
    check_validations();
    check_opened_and_closed();
    check_sessions();
    check_shown();
    check_reports();
    check_registered();
    return check_result();
}
