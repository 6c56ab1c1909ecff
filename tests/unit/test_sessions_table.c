/* test_sessions_table.c
 * The table of sessions: what each tap tells, in its frame alone; which attempts have a row, and what is said of others
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include <epan/dissectors/packet-ntlmssp.h>

#include "base/win32-names.h"
#include "perfdata/record.h"
#include "perflibv2/record.h"
#include "pla/record.h"
#include "stats/sessions/wire.h"
#include "stats/tables.h"

enum {
    CLIENT_CELL,
    SERVER_CELL,
    OVER,
    WANTS,
    FRAME,
    TIMES,
    STAGE,
    OUTCOME,
    AUTH,
    CALLS,
    FAULTS,
    BYTES,
    RESPONSE,
    SLOWEST
};

/* In place of Wireshark's taps: whoever listens, by the tap. */
static struct {
    const char *tap;
    void *data;
    tap_packet_cb packet;
} listeners[50];
static unsigned num_listeners;

GString *
register_tap_listener(const char *name, void *data, const char *filter, unsigned flags, tap_reset_cb reset,
    tap_packet_cb packet, tap_draw_cb draw, tap_finish_cb finish)
{
    CHECK(filter == NULL && reset == NULL && draw == NULL && finish == NULL, "%s", name);
    CHECK(strcmp(name, "frame") == 0 || (flags & TL_IS_DISSECTOR_HELPER) != 0, "%s: %x", name, flags);
    if (strcmp(name, "perflib_session_encrypted") != 0 && num_listeners < array_length(listeners)) {
        listeners[num_listeners].tap = name;
        listeners[num_listeners].data = data;
        listeners[num_listeners++].packet = packet;
    }
    return NULL;
}

/* In place of the wire: what it is told, and who is told of attempts. */
static GString *told;
static attempt_show shows;
static void *table;
static unsigned unfollowed, times_cleared;

struct wire *
wire_new(attempt_show show, void *data)
{
    shows = show;
    table = data;
    return (struct wire *)&told;
}

void
wire_clear(struct wire *wire)
{
    CHECK(wire == (struct wire *)&told, "another wire");
    times_cleared++;
}

static void
tell_of(const char *what, const void *tapped)
{
    g_string_append_printf(told, "%s%s", what, tapped == NULL ? "" : (const char *)tapped);
}

#define TOLD(function, what) \
    void function(struct wire *wire, const packet_info *pinfo, const void *tapped) \
    { \
        CHECK(wire == (struct wire *)&told && pinfo == &window_packet, what); \
        tell_of(what, tapped); \
    }

TOLD(wire_segment, "segment ")
TOLD(wire_smb2, "smb2 ")
TOLD(wire_smb, "smb ")
TOLD(wire_pdu, "pdu ")

void
wire_call(struct wire *wire, const packet_info *pinfo, unsigned wants)
{
    (void)wire;
    (void)pinfo;
    g_string_append_printf(told, "call %x", wants);
}

void
wire_sealed(struct wire *wire, const packet_info *pinfo, const char *needed)
{
    (void)wire;
    (void)pinfo;
    tell_of(", sealed ", needed);
}

void
wire_refused(struct wire *wire, const packet_info *pinfo, const char *text)
{
    (void)wire;
    (void)pinfo;
    tell_of(", refused ", text);
}

void
wire_user(struct wire *wire, const packet_info *pinfo, const char *domain, const char *user)
{
    (void)wire;
    (void)pinfo;
    g_string_append_printf(told, "user %s\\%s", domain, user);
}

void
wire_object(struct wire *wire, const packet_info *pinfo, const char *class_name)
{
    (void)wire;
    (void)pinfo;
    tell_of("object ", class_name);
}

void
wire_object_answer(struct wire *wire, const packet_info *pinfo, const char *why, unsigned port)
{
    (void)wire;
    (void)pinfo;
    g_string_append_printf(told, "object at %u, %s", port, why == NULL ? "given" : why);
}

unsigned
wire_unfollowed(const struct wire *wire)
{
    (void)wire;
    return unfollowed;
}

void
wire_frame(struct wire *wire, const packet_info *pinfo)
{
    (void)wire;
    (void)pinfo;
    g_string_append(told, ".");
}

const char *
rpc_fault_text(wmem_allocator_t *scope, uint32_t status)
{
    return wmem_strdup_printf(scope, "<%u>", status);
}

/* A tap brings something to the table, in the frame of that number. */
static void
tap(const char *name, uint32_t frame, const void *record)
{
    const packet_info pinfo = { .num = frame };

    for (unsigned i = 0; i < num_listeners; i++) {
        if (strcmp(listeners[i].tap, name) == 0) {
            packet_info copy = pinfo;

            CHECK(listeners[i].packet(listeners[i].data, &copy, NULL, record, 0) == TAP_PACKET_DONT_REDRAW, "drawn");
        }
    }
}

/* The frame passed the filter of the table. */
static void
frame(uint32_t number)
{
    CHECK(window_bring(number, "s", "me", ""), "not drawn");
}

#define CALL(...) \
    &(const struct perflibv2_tap) \
    { \
        .operation = "Op", __VA_ARGS__ \
    }
#define REGISTRY(...) \
    &(const struct perfdata_tap) \
    { \
        __VA_ARGS__ \
    }
#define RETURN(...) \
    &(const struct perfdata_return) \
    { \
        .operation = "Op", __VA_ARGS__ \
    }
#define OBJECT(...) \
    &(const struct pla_tap) \
    { \
        .method_name = "Start", __VA_ARGS__ \
    }
#define ACTIVATE(...) \
    &(const struct pla_activation) \
    { \
        .class_name = "Class", __VA_ARGS__ \
    }
#define NTLM(...) \
    &(const ntlmssp_header_t) \
    { \
        __VA_ARGS__ \
    }

static void
test_taps(void)
{
    const struct {
        const char *tap;
        const void *record;
        const char *told;
    } cases[] = {
        { "tcp", "x", "segment x" },
        { "smb2", "x", "smb2 x" },
        { "smb", "x", "smb x" },
        { "perflib_session", "x", "pdu x" },
        { "ntlmssp",
            NTLM(.type = NTLMSSP_AUTH, .domain_name = (const uint8_t *)"D", .acct_name = (const uint8_t *)"joe"),
            "user D\\joe" },
        { "ntlmssp", NTLM(.type = NTLMSSP_AUTH, .acct_name = (const uint8_t *)"joe"), "user \\joe" },
        { "ntlmssp", NTLM(.type = NTLMSSP_AUTH, .domain_name = (const uint8_t *)"D"), "" },
        { "ntlmssp", NTLM(.type = NTLMSSP_CHALLENGE, .acct_name = (const uint8_t *)"joe"), "" },
        /* An error is a refusal where access is denied, or what opens fails. */
        { "perflibv2", CALL(.is_open = true), "call 1" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true), "call 1" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .return_code = 5),
            "call 1, refused Op: ERROR_ACCESS_DENIED (0x00000005)" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .return_code = 2), "call 1" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .return_code = 2, .is_open = true),
            "call 1, refused Op: ERROR_FILE_NOT_FOUND (0x00000002)" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .is_open = true), "call 1" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .return_code = 0xabcdef01, .is_open = true),
            "call 1, refused Op: error (0xabcdef01)" },
        { "perflibv2", CALL(.is_response = true, .return_code = 5), "call 1" },
        { "perflibv2", CALL(.has_return_code = true, .return_code = 5), "call 1" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .return_code = 5, .unread = "sealed"),
            "call 1" },
        { "perflibv2", CALL(.is_response = true, .has_return_code = true, .return_code = 5, .needed = "a key"),
            "call 1, sealed a key" },
        { "perfdata", REGISTRY(.needed = "a key"), "call 2, sealed a key" },
        { "perfdata", REGISTRY(.unread = "sealed"), "" },
        { "perfdata_return", RETURN(.error = 0, .is_open = true), "call 6" },
        { "perfdata_return", RETURN(.error = 2, .is_open = false), "call 6" },
        { "perfdata_return", RETURN(.error = 2, .is_open = true),
            "call 6, refused Op: ERROR_FILE_NOT_FOUND (0x00000002)" },
        { "perfdata_return", RETURN(.error = 5), "call 6, refused Op: ERROR_ACCESS_DENIED (0x00000005)" },
        { "pla", OBJECT(.needed = "a key", .has_hresult = true, .hresult = 0x80070005, .is_response = true),
            "call 8, sealed a key" },
        { "pla", OBJECT(.is_response = true, .has_hresult = true, .hresult = 0x80070005),
            "call 8, refused Start: E_ACCESSDENIED (0x80070005)" },
        { "pla", OBJECT(.is_response = true, .has_hresult = true, .hresult = 0x80070006), "call 8" },
        { "pla", OBJECT(.has_hresult = true, .hresult = 0x80070005), "call 8" },
        { "pla", OBJECT(.is_response = true, .hresult = 0x80070005), "call 8" },
        { "pla", OBJECT(.is_response = true, .is_fault = true, .has_hresult = true, .hresult = 0x80070005), "call 8" },
        { "pla_activation", ACTIVATE(.port = 7), "object Class" },
        { "pla_activation", ACTIVATE(.is_response = true, .has_hresult = true, .port = 7), "object at 7, given" },
        { "pla_activation", ACTIVATE(.is_response = true, .has_hresult = true, .hresult = 1, .port = 7),
            "object at 7, given" },
        { "pla_activation", ACTIVATE(.is_response = true, .hresult = 0x80070005, .port = 7), "object at 7, given" },
        { "pla_activation", ACTIVATE(.is_response = true, .has_hresult = true, .hresult = 0x80070005),
            "object at 0, activation: E_ACCESSDENIED (0x80070005)" },
        { "pla_activation", ACTIVATE(.is_response = true, .has_hresult = true, .hresult = 0xabcdef01),
            "object at 0, activation: error (0xabcdef01)" },
    };

    for (uint32_t i = 0; i < array_length(cases); i++) {
        char *expected = g_strdup_printf("%s.", cases[i].told);

        g_string_truncate(told, 0);
        tap(cases[i].tap, 10 + i, cases[i].record);
        CHECK(told->len == 0, "before the frame: %s", told->str);
        frame(10 + i);
        CHECK(strcmp(told->str, expected) == 0, "%u: %s", i, told->str);
        g_free(expected);
    }
    CHECK_ROWS(0);
    /* In their order; of a frame that did not pass the filter, nothing. */
    g_string_truncate(told, 0);
    tap("smb", 100, "lost");
    tap("smb", 101, "a");
    tap("tcp", 101, "b");
    frame(101);
    tap("smb", 102, "lost");
    frame(103);
    frame(103);
    CHECK(strcmp(told->str, "smb asegment b...") == 0, "%s", told->str);
    tap("perflib_session_key", 104, "a key");
    frame(104);
    CHECK_SENTENCE("a key");
    /* Nothing of the capture before. */
    tap("smb", 1000, "lost");
    window_open("perflibv2", &sessions_table);
    g_string_truncate(told, 0);
    frame(1);
    CHECK(strcmp(told->str, ".") == 0, "%s", told->str);
}

static wmem_allocator_t *pool;
static const bool lacks[NUM_ENDS];

/* An attempt of me at a server, made once, over TCP to port 50000. */
#define ATTEMPT(...) ATTEMPT_AT("s", __VA_ARGS__)
#define ATTEMPT_AT(at, ...) \
    { \
        .client = "me", .server = at, .port = 50000, .frame = 7, .times = 1, .lacks = lacks, __VA_ARGS__ \
    }
#define STOPPED .stopped = { .text = "refused", .count = 1, .first_frame = 8, .last_frame = 8 }

static void
show(struct attempt *attempt)
{
    shows(attempt, pool, table);
}

/* What the table says of attempts without a row. */
static const char *
aside(void)
{
    const struct stat_rows *rows = (struct stat_rows *)window;

    return rows->sentences->len == 0 ? "nothing" : stat_rows_sentence(rows, 0);
}
#define ASIDE(text) CHECK(strcmp(aside(), text) == 0, "%s", aside())
#define ONE_ASIDE \
    "1 attempt without a row said nothing of performance data; the first: me at s, TCP 50000: refused in frame 8"

static void
test_cells(void)
{
    struct attempt attempt = ATTEMPT(.wants = WANTS_PERFLIBV2, .stage = STAGE_CALL, .answers = 1, .calls = 3,
        .unbound = 1, .bytes = UINT32_MAX + UINT64_C(5), .response_sum = 30, .response_max = 20, .responses = 2,
        .authentication = "NTLM", .needed = "a key", .faults = { .count = 2, .text = "fault" });

    window_open("perflibv2", &sessions_table);
    show(&attempt);
    CHECK_ROWS(1);
    CHECK_TEXT(0, CLIENT_CELL, "me");
    CHECK_TEXT(0, SERVER_CELL, "s");
    CHECK_TEXT(0, OVER, "TCP 50000");
    CHECK_TEXT(0, WANTS, "PerflibV2");
    CHECK_NUMBER(0, FRAME, 7);
    CHECK_NUMBER(0, TIMES, 1);
    CHECK_TEXT(0, STAGE, "call");
    CHECK_TEXT(0, AUTH, "NTLM");
    CHECK_NUMBER(0, CALLS, 4);
    CHECK_NUMBER(0, FAULTS, 2);
    CHECK_NUMBER(0, BYTES, UINT32_MAX);
    CHECK_REAL(0, RESPONSE, 15);
    CHECK_REAL(0, SLOWEST, 20);
    CHECK_SENTENCE("a key");
    CHECK(g_str_has_prefix(window_cell(0, OUTCOME)->value.string_value, "answered; what is said is sealed"), "outcome");
    attempt.times = 5;
    attempt.bytes = 17;
    attempt.authentication = NULL;
    show(&attempt);
    CHECK_ROWS(1);
    CHECK_NUMBER(0, TIMES, 5);
    CHECK_NUMBER(0, BYTES, 17);
    CHECK_TEXT(0, AUTH, "");
    attempt = (struct attempt)ATTEMPT(.wants = WANTS_PERFLIBV2);
    show(&attempt);
    CHECK_NONE(1, RESPONSE);
    CHECK_NONE(1, SLOWEST);
}

/* Which attempts have a row in which table. */
static void
test_tables(void)
{
    static const struct {
        struct attempt attempt;
        bool of_all, of_registry, of_pla;
        const char *what;
    } cases[] = {
        { ATTEMPT(.wants = WANTS_PERFLIBV2), true, false, false, "PerflibV2" },
        { ATTEMPT(.wants = WANTS_WINREG), true, true, false, "the registry" },
        { ATTEMPT(.wants = WANTS_PERFDATA), true, true, false, "performance data" },
        { ATTEMPT(.wants = WANTS_PLA), true, false, true, "PLA" },
        { ATTEMPT(.wants = WANTS_OBJECT, .stage = STAGE_CALL), false, false, false, "an object" },
        { ATTEMPT(.wants = WANTS_OBJECT, .unbound = 1), true, false, true, "an object, and calls" },
        { ATTEMPT(.wants = WANTS_ENDPOINT), false, false, false, "an endpoint" },
        /* Those that did not come to say so. */
        { ATTEMPT(.carrier = CARRIED_BY_SMB2, .stage = STAGE_PIPE), true, false, false, "SMB" },
        { ATTEMPT(.carrier = CARRIED_BY_SMB2, .stage = STAGE_PIPE, STOPPED), true, true, false, "SMB, refused" },
        { ATTEMPT(.carrier = CARRIED_BY_SMB2, .stage = STAGE_BIND, .pipe = "winreg", STOPPED), true, true, false,
            "a pipe" },
        { ATTEMPT(.stage = STAGE_MAPPER, STOPPED), true, false, true, "the mapper, refused" },
        { ATTEMPT(.stage = STAGE_TCP, STOPPED), false, false, false, "a port" },
        { ATTEMPT(.stage = STAGE_BIND, STOPPED), false, false, false, "a bind" },
        { ATTEMPT(.stage = STAGE_BIND, .unbound = 1, STOPPED), true, false, true, "a bind, and calls" },
    };
    static const char *const protocols[] = { "perflibv2", "perfdata", "pla" };

    for (size_t protocol = 0; protocol < array_length(protocols); protocol++) {
        for (size_t i = 0; i < array_length(cases); i++) {
            const bool is_there[] = { cases[i].of_all, cases[i].of_registry, cases[i].of_pla };
            struct attempt attempt = cases[i].attempt;

            window_open(protocols[protocol], &sessions_table);
            table = window;
            show(&attempt);
            CHECK(window_rows() == is_there[protocol] && attempt.has_row == is_there[protocol], "%s of %s",
                cases[i].what, protocols[protocol]);
        }
    }
    window_open("perflibv2", &sessions_table);
    table = window;
}

static void
test_aside(void)
{
    struct attempt silent = ATTEMPT(STOPPED), other = ATTEMPT(STOPPED), elsewhere = ATTEMPT_AT("t", STOPPED),
                   about = ATTEMPT(.wants = WANTS_PERFLIBV2), later = ATTEMPT(STOPPED), of_another = ATTEMPT(STOPPED);

    window_open("perflibv2", &sessions_table);
    ASIDE("nothing");
    show(&silent);
    CHECK_ROWS(0);
    ASIDE(ONE_ASIDE);
    silent.times = 3;
    show(&silent);
    show(&other);
    show(&elsewhere);
    ASIDE("5 attempts without a row said nothing of performance data; the first: me at s, TCP 50000: refused in frame "
          "8");
    /* Who is about performance data may have been before, at that server. */
    show(&about);
    CHECK_ROWS(3);
    CHECK_NUMBER(0, TIMES, 3);
    CHECK_NUMBER(1, TIMES, 1);
    CHECK_TEXT(2, WANTS, "PerflibV2");
    ASIDE("1 attempt without a row said nothing of performance data");
    show(&later);
    CHECK_ROWS(4);
    ASIDE("1 attempt without a row said nothing of performance data");
    /* One that comes to say so by itself. */
    elsewhere.wants = WANTS_PLA;
    show(&elsewhere);
    CHECK_ROWS(5);
    ASIDE("");
    silent = (struct attempt)ATTEMPT_AT("u", STOPPED);
    show(&silent);
    CHECK(g_str_has_prefix(aside(), "1 attempt without a row said nothing of performance data; the first: me at u"),
        "%s", aside());
    /* Another client at that server may have come for something else. */
    of_another.client = "you";
    show(&of_another);
    CHECK_ROWS(5);
    CHECK(g_str_has_prefix(aside(), "2 attempts without a row said nothing of performance data; the first: me at u"),
        "%s", aside());

    /* Connections that were not followed count, too. */
    window_open("perflibv2", &sessions_table);
    unfollowed = 2;
    frame(1);
    ASIDE("2 attempts without a row said nothing of performance data");
    silent = (struct attempt)ATTEMPT(STOPPED);
    show(&silent);
    ASIDE("3 attempts without a row said nothing of performance data; the first: me at s, TCP 50000: refused in frame "
          "8");
    unfollowed = 0;
    frame(2);
    ASIDE(ONE_ASIDE);
}

/* So many are kept to get a row later: then there is room again. */
static void
test_most(void)
{
    static struct attempt silent[4100];
    struct attempt about = ATTEMPT(.wants = WANTS_PERFLIBV2), again = ATTEMPT_AT("t", .wants = WANTS_PERFLIBV2),
                   one = ATTEMPT_AT("t", STOPPED);

    window_open("perflibv2", &sessions_table);
    for (size_t i = 0; i < array_length(silent); i++) {
        silent[i] = (struct attempt)ATTEMPT(STOPPED);
        show(&silent[i]);
        show(&silent[i]);
    }
    show(&about);
    CHECK_ROWS(4096 + 1);
    CHECK(silent[4095].has_row && !silent[4096].has_row, "the first");
    ASIDE("4 attempts without a row said nothing of performance data");
    show(&one);
    show(&again);
    CHECK_ROWS(4096 + 3);
}

/* Who asks at the end gets rows that are filled in only then. */
static void
test_opened(void)
{
    struct stat_rows *rows = stat_rows_new(&sessions_table, "perflibv2", "frame", "Test");
    struct attempt attempt = ATTEMPT(.wants = WANTS_PERFLIBV2);
    const GPtrArray *attempts;

    CHECK(stat_rows_open(rows, NULL) == NULL, "not opened");
    shows(&attempt, pool, rows);
    CHECK(stat_rows_count(rows) == 1 && stat_rows_cells(rows, 0)[TIMES].value.uint_value == 0 &&
            strcmp(stat_rows_cells(rows, 0)[CLIENT_CELL].value.string_value, "me") == 0,
        "filled in");
    attempts = sessions_attempts(rows, pool);
    CHECK(attempts->len == 1 && g_ptr_array_index(attempts, 0) == &attempt &&
            stat_rows_cells(rows, 0)[TIMES].value.uint_value == 1,
        "%u", attempts->len);
    stat_rows_clear(rows);
    CHECK(sessions_attempts(rows, pool)->len == 0, "of the capture before");
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_epan_scope();
    win32_names_init();
    told = g_string_new(NULL);
    for (unsigned round = 0; round < 2; round++) {
        window_open("perflibv2", &sessions_table);
        CHECK(num_listeners == 11, "%u listen", num_listeners);
        test_taps();
    }
    CHECK(times_cleared == 3, "%u", times_cleared);
    test_cells();
    test_tables();
    test_aside();
    test_most();
    test_opened();
    return check_result();
}
