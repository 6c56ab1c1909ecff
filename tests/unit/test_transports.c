/* test_transports.c
 * Attempts as TCP and SMB show them: who does not answer, refuses or ends, both versions of SMB, and what was not captured
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include <epan/dissectors/packet-smb.h>
#include <epan/dissectors/packet-smb2.h>
#include <epan/dissectors/packet-tcp.h>

#include "base/fields.h"
#include "check.h"
#include "fake-address.h"
#include "stats/sessions/wire-parts.h"

static struct wire wire;
static packet_info pinfo;
static wmem_allocator_t *pool;

/* In place of what lies around. */
const char *
foreign_field_value_name(const char *name, uint32_t value)
{
    return strcmp(name, "smb2.nt_status") == 0 && value == 0xc0000034 ? "NOT_FOUND" : NULL;
}

static const char *pipe_refusal;
static const struct association *refused_association;

void
wire_pipe_refused(struct wire *w, struct association *association, const char *text, const packet_info *p)
{
    CHECK(w == &wire && p == &pinfo, "another wire");
    pipe_refusal = text;
    refused_association = association;
}

static struct attempt *rows[10];
static unsigned num_rows;

static void
show(struct attempt *attempt, wmem_allocator_t *scope, void *data)
{
    CHECK(scope == pool && data == rows, "another table");
    if (!attempt->has_row) {
        attempt->has_row = true;
        rows[num_rows++ % array_length(rows)] = attempt;
    }
}

static uint16_t port;
static uint32_t stream, next[NUM_ENDS];
static unsigned smb_version; /* 1 or 2 */

static void
begin(uint16_t at)
{
    if (wire.attempts == NULL) {
        wire.attempts = attempts_new(show, rows);
    }
    attempts_clear(wire.attempts);
    wire = (struct wire){ .attempts = wire.attempts };
    wire_transports_begin(&wire);
    pinfo = (packet_info){ .pool = pool, .abs_ts = { 1000, 0 } };
    port = at;
    stream = num_rows = 0;
    next[CLIENT] = 5000;
    next[SERVER] = 900;
    pipe_refusal = NULL;
}

/* The frame is over; the next one comes that much later. */
static void
later(int milliseconds)
{
    wire_frame(&wire, &pinfo);
    pinfo.num++;
    pinfo.abs_ts.nsecs += milliseconds % 1000 * 1000000;
    pinfo.abs_ts.secs += milliseconds / 1000 + pinfo.abs_ts.nsecs / 1000000000;
    pinfo.abs_ts.nsecs %= 1000000000;
}

static tcp_info_t segment;

/* A segment that follows the one before. */
static void
tcp(enum end from, unsigned flags, uint32_t length)
{
    static const uint8_t addresses[NUM_ENDS][4] = { { 192, 0, 2, 1 }, { 192, 0, 2, 2 } };
    const enum end to = from == CLIENT ? SERVER : CLIENT;

    later(10);
    segment = (tcp_info_t){ .th_have_seglen = true,
        .th_rawseq = next[from],
        .th_seglen = length,
        .th_rawack = next[to],
        .th_flags = (uint16_t)flags,
        .th_stream = stream,
        .th_sport = from == CLIENT ? 50000 : port,
        .th_dport = from == CLIENT ? port : 50000 };
    set_address(&segment.ip_src, AT_IPv4, 4, addresses[from]);
    set_address(&segment.ip_dst, AT_IPv4, 4, addresses[to]);
    next[from] += length + ((flags & (TH_SYN | TH_FIN)) != 0);
    wire_segment(&wire, &pinfo, &segment);
}

static void
open_connection(void)
{
    tcp(CLIENT, TH_SYN, 0);
    tcp(SERVER, TH_SYN | TH_ACK, 0);
    tcp(CLIENT, TH_ACK, 0);
}

enum command { NEGOTIATE, SETUP, TREE, CREATE, CLOSE, READ, WRITE, TRANSCEIVE, ECHO };

struct message {
    enum command command;
    const char *name; /* of a share or file; NULL: not known */
    unsigned file;    /* 0: none */
    uint32_t status;
    unsigned id;
};

static smb2_fid_info_t smb2_files[3];

/* A message of the version that is tested, in a segment of its own. */
static void
send_smb(enum end from, struct message message)
{
    static const uint8_t codes[][2] = {
        [NEGOTIATE] = { SMB_COM_NEGOTIATE, SMB2_COM_NEGOTIATE_PROTOCOL },
        [SETUP] = { SMB_COM_SESSION_SETUP_ANDX, SMB2_COM_SESSION_SETUP },
        [TREE] = { SMB_COM_TREE_CONNECT_ANDX, SMB2_COM_TREE_CONNECT },
        [CREATE] = { SMB_COM_NT_CREATE_ANDX, SMB2_COM_CREATE },
        [CLOSE] = { SMB_COM_CLOSE, SMB2_COM_CLOSE },
        [READ] = { SMB_COM_READ_ANDX, SMB2_COM_READ },
        [WRITE] = { SMB_COM_WRITE_ANDX, SMB2_COM_WRITE },
        [TRANSCEIVE] = { SMB_COM_TRANSACTION, SMB2_COM_IOCTL },
        [ECHO] = { SMB_COM_ECHO, SMB2_COM_KEEPALIVE },
    };
    const bool is_known = message.name != NULL || message.file != 0;

    tcp(from, TH_ACK, 100);
    if (smb_version == 2) {
        smb2_fid_info_t *file = message.file == 0 ? NULL : &smb2_files[message.file];
        smb2_saved_info_t saved = { .extra_info_type = message.name == NULL ? SMB2_EI_NONE
                : message.command == TREE                                   ? SMB2_EI_TREENAME
                                                                            : SMB2_EI_FILENAME,
            .extra_info = (void *)message.name,
            .file = file };
        const smb2_info_t info = { .opcode = codes[message.command][1],
            .status = message.status,
            .msg_id = message.id,
            .flags = from == SERVER ? SMB2_FLAGS_RESPONSE : 0,
            .saved = is_known ? &saved : NULL,
            .file = file };

        wire_smb2(&wire, &pinfo, &info);
    } else {
        smb_fid_saved_info_t opened = { .filename = (char *)message.name };
        smb_saved_info_t saved = { .extra_info_type = message.name == NULL ? SMB_EI_NONE
                : message.command == TREE                                  ? SMB_EI_TIDNAME
                                                                           : SMB_EI_FILEDATA,
            .extra_info = message.command == TREE ? (void *)message.name : (void *)&opened,
            .fid = (uint16_t)message.file };
        const smb_info_t info = { .cmd = codes[message.command][0],
            .nt_status = message.status,
            .mid = (int)message.id,
            .request = from == CLIENT,
            .sip = is_known ? &saved : NULL };

        wire_smb(&wire, &pinfo, &info);
    }
}
#define ASK(...)    send_smb(CLIENT, (struct message){ .command = __VA_ARGS__ })
#define ANSWER(...) send_smb(SERVER, (struct message){ .command = __VA_ARGS__ })

/* The attempts that are shown, a line each: "from frame 1, tree: what became of it" */
static const char *
attempts_text(void)
{
    wmem_strbuf_t *text = wmem_strbuf_new(pool, "");

    wire_frame(&wire, &pinfo);
    for (unsigned i = 0; i < num_rows && i < array_length(rows); i++) {
        wmem_strbuf_append_printf(text, "%sfrom frame %u, %s: %s", i == 0 ? "" : "\n", rows[i]->frame,
            attempt_stage(rows[i]), attempt_outcome(rows[i], pool));
    }
    return wmem_strbuf_get_str(text);
}
#define SAYS(text) CHECK(strcmp(attempts_text(), text) == 0, "SMB%u: %s", smb_version, attempts_text())

static struct tcp_connection *
the_connection(void)
{
    return (struct tcp_connection *)wmem_map_lookup(wire.connections, GUINT_TO_POINTER(stream));
}

static void
test_unanswered(void)
{
    static const struct {
        uint16_t port;
        unsigned wants; /* of what is known to be there */
        const char *text;
    } cases[] = {
        { 445, 0, "from frame 1, TCP: no answer to SYN in frame 2" },
        { 139, 0, "from frame 1, TCP: no answer to SYN in frame 2" },
        { 135, 0, "from frame 1, TCP: no answer to SYN in frame 2" },
        { 80, 0, "" },
        { 80, WANTS_PERFLIBV2, "from frame 1, TCP: no answer to SYN in frame 2" },
        { 80, WANTS_PLA, "from frame 1, TCP: no answer to SYN to the object's port in frame 2" },
    };

    for (size_t i = 0; i < 2 * array_length(cases); i++) {
        begin(cases[i / 2].port);
        if (cases[i / 2].wants != 0) {
            wmem_map_insert(wire.endpoints, "192.0.2.2 80", GUINT_TO_POINTER(cases[i / 2].wants));
        }
        /* It is sent again, or the capture goes on. */
        tcp(CLIENT, TH_SYN, 0);
        if (i % 2 == 0) {
            later(200 - 10);
            pinfo.num--;
            next[CLIENT]--;
            tcp(CLIENT, TH_SYN, 0);
        } else {
            later(5000);
        }
        SAYS(cases[i / 2].text);
        CHECK(num_rows == 0 || rows[0]->may_start == (cases[i / 2].wants != 0), "%u", num_rows);
        CHECK(num_rows == 0 ||
                (rows[0]->wants == cases[i / 2].wants && strcmp(rows[0]->client, "192.0.2.1") == 0 &&
                    strcmp(rows[0]->server, "192.0.2.2") == 0 && rows[0]->port == cases[i / 2].port),
            "%zu", i);
    }
    /* One that was captured twice; and one that is answered late. */
    begin(445);
    tcp(CLIENT, TH_SYN, 0);
    next[CLIENT]--;
    later(179);
    tcp(CLIENT, TH_SYN, 0);
    later(4800);
    SAYS("");
    later(11);
    SAYS("from frame 1, TCP: no answer to SYN in frame 5");
    begin(445);
    open_connection();
    later(9000);
    SAYS("");
    begin(445);
    tcp(CLIENT, TH_SYN, 0);
    tcp(SERVER, TH_SYN | TH_ACK, 0);
    later(9000);
    SAYS("");
    /* That it was accepted, an acknowledgement says as well. */
    begin(445);
    tcp(CLIENT, TH_SYN, 0);
    tcp(CLIENT, TH_ACK, 0);
    later(9000);
    SAYS("");
}

static void
test_refused(void)
{
    begin(445);
    tcp(CLIENT, TH_SYN, 0);
    tcp(SERVER, TH_RST | TH_ACK, 0);
    SAYS("from frame 1, TCP: connection refused in frame 2");
    /* Windows tries again, at once; it is told of once. */
    later(1000);
    next[CLIENT]--;
    tcp(CLIENT, TH_SYN, 0);
    tcp(SERVER, TH_RST | TH_ACK, 0);
    SAYS("from frame 1, TCP: connection refused in frame 2");
    CHECK(rows[0]->times == 1, "%u", rows[0]->times);
    begin(445);
    tcp(CLIENT, TH_SYN, 0);
    tcp(CLIENT, TH_RST, 0);
    SAYS("");
}

/* How a connection ended before an answer, by its flags, and by whom. */
static void
test_ended(void)
{
    static const struct {
        enum end from;
        unsigned flags;
        bool is_lossy; /* of what the other end sent not all is there */
        const char *how;
    } cases[] = {
        { CLIENT, TH_FIN, false, "the client closed the connection" },
        { SERVER, TH_FIN, false, "the server closed the connection" },
        { CLIENT, TH_RST, false, "the client reset the connection" },
        { SERVER, TH_RST, false, "the server reset the connection" },
        { SERVER, TH_FIN, true, "the connection was closed" },
        { CLIENT, TH_FIN, true, "the connection was closed" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin(445);
        open_connection();
        ASK(NEGOTIATE);
        if (cases[i].is_lossy) {
            next[cases[i].from == CLIENT ? SERVER : CLIENT] += 50;
        }
        tcp(cases[i].from, TH_ACK | cases[i].flags, 0);
        /* Then the other end does, too. */
        tcp(cases[i].from == CLIENT ? SERVER : CLIENT, TH_ACK | TH_RST, 0);
        SAYS(wmem_strdup_printf(pool, "from frame 4, SMB session: %s before an answer to Negotiate%s in frame 5",
            cases[i].how,
            cases[i].is_lossy && cases[i].from == CLIENT ? ", or none captured: the server's segments are not all there"
                                                         : ""));
    }
}

/* Up to an answer to the logon. */
static void
log_on(uint32_t status)
{
    open_connection();
    ASK(NEGOTIATE);
    ANSWER(NEGOTIATE);
    ASK(SETUP);
    the_connection()->user = "joe";
    ANSWER(SETUP, .status = status);
}

static void
test_gates(void)
{
    static const struct {
        enum command command;
        const char *share;
        uint32_t status;
        const char *text;
    } cases[] = {
        { NEGOTIATE, NULL, 0xc0000022, "SMB session: Negotiate: error (0xc0000022) in frame 9" },
        { SETUP, NULL, 0xc0000022, "SMB session: Session Setup: error (0xc0000022), user joe in frame 9" },
        { SETUP, NULL, 0xc0000016, NULL }, /* more is to come */
        { SETUP, NULL, 0x80000005, NULL }, /* a warning */
        { TREE, "\\\\s\\IPC$", 0xc0000022, "tree: Tree Connect: error (0xc0000022) in frame 9" },
        { TREE, "ipc$", 0xc0000022, "tree: Tree Connect: error (0xc0000022) in frame 9" },
        { TREE, NULL, 0xc0000022, "tree: Tree Connect: error (0xc0000022) in frame 9" },
        { TREE, "IPC", 0xc0000022, NULL },
        { TREE, "winreg", 0xc0000022, NULL },
        { TREE, "\\\\s\\IPC$x", 0xc0000022, NULL },
        { TREE, "\\\\s\\C$", 0xc0000022, NULL },
        { TREE, "IPC$", 0xc0000016, NULL },
        { TREE, "IPC$", 0, NULL },
        { ECHO, NULL, 0xc0000022, NULL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const bool is_gate = cases[i].command != ECHO &&
            (cases[i].command != TREE || cases[i].share == NULL || g_ascii_strcasecmp(cases[i].share, "IPC$") == 0 ||
                strcmp(cases[i].share, "\\\\s\\IPC$") == 0);

        begin(445);
        log_on(0xc0000016);
        ASK(cases[i].command, .name = cases[i].share, .id = 7);
        ANSWER(cases[i].command, .status = cases[i].status, .id = 7);
        later(9000);
        SAYS(cases[i].text == NULL ? "" : wmem_strdup_printf(pool, "from frame 8, %s", cases[i].text));
        /* It is not answered; nor is that it is on its way an answer. */
        begin(445);
        log_on(0xc0000016);
        ASK(cases[i].command, .name = cases[i].share, .id = 7);
        ANSWER(cases[i].command, .status = 0x103, .id = 7);
        later(4989);
        SAYS("");
        later(1);
        SAYS(!is_gate ? ""
                      : wmem_strdup_printf(pool, "from frame 8, %s: no answer to %s in frame 11",
                            cases[i].command == TREE ? "tree" : "SMB session",
                            cases[i].command == TREE        ? "Tree Connect"
                                : cases[i].command == SETUP ? "Session Setup"
                                                            : "Negotiate"));
        /* Who asks for a file, or for another share, was let in. */
        for (unsigned j = 0; j < 2; j++) {
            begin(445);
            log_on(0xc0000016);
            ASK(cases[i].command, .name = cases[i].share);
            ASK(j == 0 ? CREATE : TREE, .name = "\\\\s\\other");
            later(9000);
            SAYS("");
        }
    }
    /* The one that waits is the latest. */
    begin(445);
    open_connection();
    ASK(NEGOTIATE);
    later(3000);
    ASK(NEGOTIATE);
    later(4980);
    SAYS("");
    later(20);
    SAYS("from frame 6, SMB session: no answer to Negotiate in frame 8");
}

static void
test_pipes(void)
{
    static const uint32_t statuses[] = { 0xc0000034, 0xc00000ac, 0xc0000022 };

    /* Opened, used and closed. */
    begin(445);
    log_on(0);
    ASK(TREE, .name = "IPC$");
    ANSWER(TREE);
    ASK(CREATE, .name = "winreg", .id = 8);
    SAYS("from frame 10, pipe: no answer to Create of frame 10");
    CHECK(the_connection()->opening == rows[0], "what is being opened");
    ANSWER(CREATE, .file = 1, .id = 8);
    SAYS("from frame 10, pipe: opened, but nothing followed");
    CHECK(the_connection()->opening == NULL && !rows[0]->is_over && strcmp(rows[0]->pipe, "winreg") == 0 &&
            rows[0]->carrier == (smb_version == 2 ? CARRIED_BY_SMB2 : CARRIED_BY_SMB),
        "opened");
    for (enum command command = READ; command <= ECHO; command++) {
        static const char *const names[] = { "Read", "Write", "Transceive" };

        for (unsigned file = 0; file < 3; file++) {
            const bool is_refused = command < ECHO && file == 1;

            pipe_refusal = NULL;
            ANSWER(command, .file = file);
            CHECK(pipe_refusal == NULL, "no error: %s", pipe_refusal);
            ANSWER(command, .file = file, .status = 0xc00000b0);
            CHECK(is_refused ? pipe_refusal != NULL && refused_association->attempt == rows[0] &&
                        strcmp(pipe_refusal,
                            wmem_strdup_printf(pool, "%s: error (0xc00000b0)", names[command - READ])) == 0
                             : pipe_refusal == NULL,
                "%u: %s", command, pipe_refusal);
        }
    }
    ASK(CLOSE, .file = 2);
    ASK(CLOSE);
    CHECK(!rows[0]->is_over, "another is closed");
    ASK(CLOSE, .file = 1);
    CHECK(rows[0]->is_over && num_rows == 1, "closed");

    /* Refused. */
    for (size_t i = 0; i < array_length(statuses); i++) {
        const bool has_name = statuses[i] == 0xc0000034 && smb_version == 2;

        begin(445);
        log_on(0);
        ASK(CREATE, .name = "\\PIPE\\WinReg", .id = 8);
        ASK(CREATE, .name = "winreg2", .id = 9);
        ANSWER(CREATE, .status = statuses[i], .id = 9);
        ANSWER(CREATE, .status = statuses[i], .id = 8);
        SAYS(wmem_strdup_printf(pool, "from frame 8, pipe: Create: %s (0x%08x) in frame 11",
            has_name ? "NOT_FOUND" : "error", statuses[i]));
        CHECK(rows[0]->may_start == (i < 2), "%zu", i);
    }
    /* The request is not in the capture. */
    begin(445);
    log_on(0);
    ANSWER(CREATE, .name = "winreg", .file = 1, .id = 8);
    SAYS("from frame 8, pipe: opened, but nothing followed");
    CHECK(rows[0]->wants == 0 && rows[0]->pipe != NULL && strcmp(rows[0]->pipe, "winreg") == 0, "%x", rows[0]->wants);
    ANSWER(CREATE, .name = "other", .file = 2, .id = 9);
    ANSWER(CREATE, .status = 0xc0000034, .id = 10);
    CHECK(num_rows == 1, "%u", num_rows);
    /* The connection ends with all of its pipes. */
    ASK(CREATE, .name = "winreg", .id = 11);
    ANSWER(CREATE, .file = 2, .id = 11);
    wire_frame(&wire, &pinfo);
    CHECK(num_rows == 2 && !rows[0]->is_over, "%u", num_rows);
    tcp(CLIENT, TH_FIN | TH_ACK, 0);
    CHECK(rows[0]->is_over && rows[1]->is_over && strcmp(rows[1]->how_over, "the client closed the connection") == 0,
        "its pipes");
}

/* Four turns after a logon, of nothing that can be read. */
static void
test_encrypted(void)
{
    begin(445);
    log_on(0);
    tcp(CLIENT, TH_ACK, 10);
    tcp(CLIENT, TH_ACK, 10);
    tcp(SERVER, TH_ACK, 0);
    tcp(SERVER, TH_ACK, 10);
    tcp(CLIENT, TH_ACK, 10);
    SAYS("");
    tcp(SERVER, TH_ACK, 10);
    SAYS("from frame 13, SMB session: what follows the logon is encrypted by SMB 3, or not SMB: pipes and calls cannot "
         "be seen in frame 13");
    for (unsigned i = 0; i < 4; i++) {
        tcp(i % 2 == 0 ? CLIENT : SERVER, TH_ACK, 10);
    }
    CHECK(num_rows == 1 && rows[0]->times == 1, "told again");
    /* Whoever begins. */
    begin(445);
    log_on(0);
    for (unsigned i = 0; i < 4; i++) {
        SAYS("");
        tcp(i % 2 == 0 ? SERVER : CLIENT, TH_ACK, 10);
    }
    CHECK(attempts_text() && num_rows == 1, "not told");
    /* Who is not logged on, or sends SMB, does not hide. */
    for (unsigned is_logged_on = 0; is_logged_on < 2; is_logged_on++) {
        begin(445);
        log_on(is_logged_on ? 0 : 0xc0000016);
        for (unsigned i = 0; i < 8; i++) {
            tcp(i % 2 == 0 ? CLIENT : SERVER, TH_ACK, 10);
            if (is_logged_on && i == 1) {
                ASK(ECHO);
            }
        }
        SAYS("");
    }
}

/* What an end sent, and the capture does not hold. */
static void
test_losses(void)
{
    struct step {
        enum end from;
        uint32_t sequence, length, acknowledges; /* from 0 on; 0: none */
    };
    static const struct {
        const char *what;
        struct step steps[5];
        bool lacks[NUM_ENDS]; /* of the client's, of the server's */
    } cases[] = {
        { "all", { { CLIENT, 0, 10, 0 }, { CLIENT, 10, 10, 0 }, { SERVER, 0, 5, 20 } }, { false, false } },
        { "a hole", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 } }, { true, false } },
        { "a hole that is filled", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 10, 10, 0 } },
            { false, false } },
        { "... by more than that", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 5, 20, 0 } },
            { false, false } },
        { "... its first part", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 10, 9, 0 } },
            { true, false } },
        { "... its last part", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 11, 9, 0 } }, { true, false } },
        { "... both parts", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 15, 5, 0 }, { CLIENT, 10, 5, 0 } },
            { false, false } },
        { "... the middle", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 12, 4, 0 } }, { true, false } },
        { "... what stands before it", { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 0, 10, 0 } },
            { true, false } },
        { "... what stands behind it, before it is filled",
            { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 20, 0 }, { CLIENT, 30, 10, 0 }, { CLIENT, 10, 10, 0 } },
            { false, false } },
        { "two holes, the second filled",
            { { CLIENT, 0, 10, 0 }, { CLIENT, 20, 10, 0 }, { CLIENT, 40, 10, 0 }, { CLIENT, 30, 10, 0 } },
            { true, false } },
        { "acknowledged", { { SERVER, 0, 10, 0 }, { CLIENT, 0, 10, 10 }, { CLIENT, 10, 10, 30 } }, { false, true } },
        { "acknowledged first", { { SERVER, 0, 10, 0 }, { CLIENT, 0, 10, 30 }, { SERVER, 10, 20, 0 } },
            { false, false } },
        { "sent again", { { CLIENT, 0, 10, 0 }, { CLIENT, 10, 10, 0 }, { CLIENT, 0, 20, 0 } }, { false, false } },
    };

    /* Also where numbers begin anew. */
    for (size_t i = 0; i < 2 * array_length(cases); i++) {
        const struct step *step = cases[i / 2].steps;
        const uint32_t from[NUM_ENDS] = { i % 2 == 0 ? 7000 : UINT32_MAX - 14, i % 2 == 0 ? 100 : UINT32_MAX - 3 };

        begin(445);
        open_connection();
        the_connection()->sent[CLIENT].is_known = the_connection()->sent[SERVER].is_known = false;
        for (; step->length != 0; step++) {
            tcp_info_t said = segment;

            later(10);
            said.th_rawseq = from[step->from] + step->sequence;
            said.th_seglen = step->length;
            said.th_rawack = from[step->from == CLIENT ? SERVER : CLIENT] + step->acknowledges;
            said.th_flags = step->acknowledges == 0 ? 0 : TH_ACK;
            said.th_sport = step->from == CLIENT ? 50000 : port;
            said.th_dport = step->from == CLIENT ? port : 50000;
            wire_segment(&wire, &pinfo, &said);
        }
        CHECK(memcmp(the_connection()->lacks, cases[i / 2].lacks, sizeof cases[0].lacks) == 0, "%s: %d, %d",
            cases[i / 2].what, the_connection()->lacks[CLIENT], the_connection()->lacks[SERVER]);
    }
    /* Who opens, and has opened, is shown anew where something is lost. */
    begin(445);
    log_on(0);
    ASK(CREATE, .name = "winreg", .id = 8);
    ANSWER(CREATE, .file = 1, .id = 8);
    ASK(CREATE, .name = "winreg", .id = 9);
    wire_frame(&wire, &pinfo);
    CHECK(num_rows == 2, "%u", num_rows);
    rows[0]->is_dirty = rows[1]->is_dirty = false;
    next[SERVER] += 10;
    tcp(SERVER, TH_ACK, 10);
    CHECK(rows[0]->is_dirty && rows[1]->is_dirty, "not told");
    /* A SYN takes a number; the next byte follows it. */
    begin(445);
    open_connection();
    tcp(CLIENT, TH_ACK, 10);
    CHECK(!the_connection()->lacks[CLIENT], "nothing is lost");
    next[CLIENT]++;
    tcp(CLIENT, TH_ACK, 10);
    CHECK(the_connection()->lacks[CLIENT], "a byte is lost");
    next[SERVER]++;
    tcp(SERVER, TH_ACK, 10);
    CHECK(the_connection()->lacks[SERVER], "a byte is lost");
    /* A length that is not known tells nothing, and an end of it neither. */
    begin(445);
    open_connection();
    segment.th_have_seglen = false;
    segment.th_rawseq += 500;
    later(10);
    wire_segment(&wire, &pinfo, &segment);
    next[CLIENT] += 900;
    tcp(CLIENT, TH_ACK, 10);
    CHECK(!the_connection()->lacks[CLIENT], "not known");
}

/* Connections of a port scan are not followed any more, as far as nobody accepts them. */
static void
test_half_open(void)
{
    begin(445);
    for (unsigned i = 0; i < 4097; i++) {
        stream = i;
        tcp(CLIENT, TH_SYN, 0);
        CHECK(wire_unfollowed(&wire) == (i == 4096), "%u", i);
    }
    /* One that is accepted, said twice, makes room for one. */
    stream = 0;
    tcp(SERVER, TH_SYN | TH_ACK, 0);
    tcp(SERVER, TH_SYN | TH_ACK, 0);
    tcp(CLIENT, TH_ACK, 0);
    for (stream = 5000; stream < 5002; stream++) {
        tcp(CLIENT, TH_SYN, 0);
    }
    CHECK(wire_unfollowed(&wire) == 2, "%u", wire_unfollowed(&wire));
    /* Those that are known to be ours always are. */
    wmem_map_insert(wire.endpoints, "192.0.2.2 445", GUINT_TO_POINTER(WANTS_PLA));
    tcp(CLIENT, TH_SYN, 0);
    CHECK(wire_unfollowed(&wire) == 2 && the_connection() != NULL && the_connection()->wants == WANTS_PLA, "%u",
        wire_unfollowed(&wire));
}

/* What carries a PDU: a file of SMB2, a FID of SMB1, or the connection. */
static void
test_associations(void)
{
    static const struct {
        enum session_way way;
        const char *name, *pipe;
        enum carrier carrier;
    } cases[] = {
        { SESSION_SMB2, "\\PIPE\\WINREG", "winreg", CARRIED_BY_SMB2 },
        { SESSION_SMB2, "\\\\x\ty", "x\\ty", CARRIED_BY_SMB2 },
        { SESSION_SMB2, "[unknown]", NULL, CARRIED_BY_SMB2 },
        { SESSION_SMB, "winreg", "winreg", CARRIED_BY_SMB },
        { SESSION_SMB, NULL, NULL, CARRIED_BY_SMB },
        { SESSION_TCP, NULL, NULL, CARRIED_BY_TCP },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const int files[2];
        struct session_tap told = { .way = cases[i].way, .pipe_name = cases[i].name, .file = &files[0] };
        struct association *first, *second;

        begin(445);
        later(0);
        CHECK(wire_association(&wire, &pinfo, &told) == NULL, "without a segment");
        tcp(CLIENT, TH_ACK, 10);
        first = wire_association(&wire, &pinfo, &told);
        CHECK(first != NULL && first->connection == the_connection() && the_connection()->is_open &&
                the_connection()->carrier == cases[i].carrier && g_strcmp0(first->pipe, cases[i].pipe) == 0,
            "%zu: %s", i, first == NULL ? "none" : first->pipe);
        told.pipe_name = "another";
        CHECK(wire_association(&wire, &pinfo, &told) == first, "the same");
        told.file = &files[1];
        told.fid = 1;
        second = wire_association(&wire, &pinfo, &told);
        CHECK((second == first) == (cases[i].way == SESSION_TCP), "%zu: another", i);
    }
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_epan_scope();
    smb2_files[1].name = smb2_files[2].name = NULL;
    for (smb_version = 1; smb_version <= 2; smb_version++) {
        test_ended();
        test_gates();
        test_pipes();
        test_encrypted();
    }
    test_unanswered();
    test_refused();
    test_losses();
    test_half_open();
    test_associations();
    return check_result();
}
