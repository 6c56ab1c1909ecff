/* test_associations.c
 * Attempts as DCE/RPC shows them: binds and what answers them, logons, calls, the endpoint mapper, objects
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include <string.h>

#include "base/rpc-pdu.h"
#include "base/fields.h"
#include "base/rpc-call.h"
#include "base/stub-check.h"
#include "check.h"
#include "stats/sessions/wire-parts.h"

static const e_guid_t ours = { 0xda5a86c5, 0, 0, { 1 } };
static const e_guid_t winreg = { 0x338cd001, 0, 0, { 2 } };
static const e_guid_t pla = { 0x03837510, 0, 0, { 3 } };
static const e_guid_t known_to_nobody = { 0x12345678, 0, 0, { 4 } };
static const e_guid_t of_everybody = { 0x99999999, 0, 0, { 5 } };
static const e_guid_t of_another = { 0x99999999, 0, 0, { 6 } };
/* [MS-DCOM] 1.9: IRemoteSCMActivator and IActivation. */
static const e_guid_t activator = { 0x000001a0, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
static const e_guid_t activation = { 0x4d9f4ab8, 0x7d1c, 0x11cf, { 0x86, 0x1e, 0x00, 0x20, 0xaf, 0x6e, 0x7c, 0x57 } };

/* In place of what lies around: */

const struct stub_kind *
stub_kind_find(const e_guid_t *uuid)
{
    static const struct stub_kind kinds[] = {
        { .uuid = &ours, .protocol = "perflibv2" },
        { .uuid = &winreg, .protocol = "winreg" },
        { .uuid = &pla, .protocol = "pla" },
        { .uuid = &of_everybody, .protocol = NULL },
        { .uuid = &of_another, .protocol = "another" },
    };

    for (size_t i = 0; i < array_length(kinds); i++) {
        if (guid_cmp(uuid, kinds[i].uuid) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

const char *
foreign_field_value_name(const char *name, uint32_t value)
{
    if (strcmp(name, "dcerpc.cn_ack_result") == 0) {
        return value == 2 ? "Provider rejection" : NULL;
    }
    if (strcmp(name, "dcerpc.cn_ack_reason") == 0) {
        return value == 1 ? "Abstract syntax not supported" : NULL;
    }
    return strcmp(name, "dcerpc.cn_reject_reason") == 0 && value == 8 ? "Authentication type not recognized" : NULL;
}

const char *
rpc_fault_text(wmem_allocator_t *scope, uint32_t status)
{
    return wmem_strdup_printf(scope, "fault%u", status);
}

const char *
rpc_operation_name(const e_guid_t *uuid, uint16_t version, unsigned opnum)
{
    /* As Wireshark knows it: this version, and no other. */
    return guid_cmp(uuid, &known_to_nobody) == 0 || version != 1 ? NULL
        : opnum == 0                                             ? "Zero"
        : opnum == 5                                             ? "Five"
                                                                 : NULL;
}

static struct endpoint_tower tower;
static uint32_t mapper_status;
static bool is_mapped; /* the stub can be read */

bool
endpoint_map_read_request(const uint8_t *stub, unsigned length, bool is_little_endian, struct endpoint_tower *read)
{
    CHECK(stub != NULL && length == 100 && is_little_endian, "another stub");
    *read = tower;
    return is_mapped;
}

bool
endpoint_map_read_response(const uint8_t *stub, unsigned length, bool is_little_endian, struct endpoint_tower *read,
    uint32_t *status)
{
    CHECK(stub != NULL && length == 100 && is_little_endian, "another stub");
    *read = tower;
    *status = mapper_status;
    return is_mapped;
}

const e_guid_t endpoint_map_uuid = { 0xe1af8308, 0x5d1f, 0x11c9, { 0x91, 0xa4, 0x08, 0x00, 0x2b, 0x14, 0xa0, 0xfa } };

static struct wire *wire;
static wmem_allocator_t *pool;
static packet_info pinfo;
static struct tcp_connection connection;
static struct association *association;
static unsigned num_rows;

struct association *
wire_association(struct wire *w, const packet_info *p, const struct session_tap *pdu)
{
    (void)p;
    (void)pdu;
    CHECK(w == wire, "another wire");
    return association;
}

struct tcp_connection *
wire_connection(struct wire *w, const packet_info *p, bool is_clients)
{
    (void)w;
    (void)p;
    CHECK(is_clients, "the client logs on");
    return association == NULL ? NULL : &connection;
}

struct attempt *
wire_new_attempt(struct wire *w, struct tcp_connection *c, const char *pipe, unsigned wants, uint32_t frame)
{
    const struct attempt begin = { .client = c->client,
        .server = c->server,
        .carrier = c->carrier,
        .port = c->port,
        .pipe = pipe,
        .wants = wants,
        .frame = frame,
        .lacks = c->lacks };

    return attempts_add(w->attempts, &begin);
}

void
wire_gate_closes(struct wire *w, struct tcp_connection *c, enum stage stage, const char *awaits, const packet_info *p)
{
    (void)w;
    c->gate.awaits = awaits;
    c->gate.stage = stage;
    c->gate.frame = p->num;
}

void
wire_transports_begin(struct wire *w)
{
    wmem_allocator_t *scope = attempts_scope(w->attempts);

    w->endpoints = wmem_map_new(scope, g_str_hash, g_str_equal);
}

static void
show(struct attempt *attempt, wmem_allocator_t *scope, void *data)
{
    (void)scope;
    (void)data;
    if (!attempt->has_row) {
        attempt->has_row = true;
        attempt->row = num_rows++;
    }
}

/* A new connection, whose carrier has no name for its pipe unless one is given. */
static void
anew(enum carrier carrier, const char *pipe)
{
    static struct association first;

    wire_clear(wire);
    num_rows = 0;
    pinfo = (packet_info){ .num = 100, .pool = pool, .abs_ts = { 1000, 0 } };
    connection = (struct tcp_connection){ .client = "C", .server = "S", .port = 49664, .carrier = carrier };
    first = (struct association){ .connection = &connection, .pipe = pipe };
    first.bindings = wmem_map_new(attempts_scope(wire->attempts), g_direct_hash, g_direct_equal);
    first.calls = wmem_map_new(attempts_scope(wire->attempts), g_direct_hash, g_direct_equal);
    association = &first;
    is_mapped = true;
    mapper_status = 0;
}

/* The frame has been seen; the next one comes 10 ms later. */
static void
next(void)
{
    attempts_frame(wire->attempts, &pinfo);
    pinfo.num++;
    pinfo.abs_ts.nsecs += 10000000;
}

static enum session_way
way(void)
{
    return connection.carrier == CARRIED_BY_TCP ? SESSION_TCP
        : connection.carrier == CARRIED_BY_SMB2 ? SESSION_SMB2
                                                : SESSION_SMB;
}

/* A context that is offered, or what is said of it. */
struct said_context {
    uint16_t id;
    e_guid_t uuid;
    uint16_t version, result, reason;
};

/* A PDU, in words: what is not said of it is 0. */
struct said {
    const e_guid_t *recognised;
    uint8_t type;
    bool is_first, is_last;
    uint32_t size, call_id;
    uint16_t context, opnum;
    bool has_auth;
    uint8_t auth_type, auth_level;
    bool has_ntlm, has_kerberos;
    const struct said_context *contexts;
    unsigned num_contexts;
    uint16_t reject_reason;
    uint32_t status;
};

#define TOKEN_AT 200u

/* The bytes of a PDU of which something is read: contexts and results, [C706] 12.6.4.3 and 12.6.4.4; tokens. */
static void
write_said(const struct said *said, uint8_t *bytes)
{
    static const uint8_t ap_req[] = { 0xa0, 0x03, 0x02, 0x01, 0x05, 0xa1, 0x03, 0x02, 0x01, 0x0e };
    const bool is_offer = said->type == PDU_BIND || said->type == PDU_ALTER;
    uint8_t *at = bytes + 28;

    bytes[is_offer ? 24 : 28] = (uint8_t)said->num_contexts;
    at += is_offer ? 0 : 4;
    for (unsigned i = 0; i < said->num_contexts; i++, at += 24) {
        const struct said_context *context = &said->contexts[i];

        if (is_offer) {
            memcpy(at, &context->id, 2);
            memcpy(at + 4, &context->uuid, sizeof context->uuid);
            memcpy(at + 20, &context->version, 2);
        } else {
            memcpy(at, &context->result, 2);
            memcpy(at + 2, &context->reason, 2);
        }
    }
    if (said->has_ntlm) {
        memcpy(bytes + TOKEN_AT, "NTLMSSP", sizeof "NTLMSSP");
    } else if (said->has_kerberos) {
        memcpy(bytes + TOKEN_AT, ap_req, sizeof ap_req);
    }
}

static void
comes(struct said said)
{
    uint8_t bytes[240] = { 0 };
    struct session_tap told = { .way = way(),
        .recognised = said.recognised,
        .recognised_version = said.recognised != NULL };

    write_said(&said, bytes);
    told.tvb = tvb_new_real_data(bytes, sizeof bytes, sizeof bytes);
    told.pdu = (struct rpc_pdu){
        .type = said.type,
        .flags = (uint8_t)((said.is_first ? PDU_FLAG_FIRST_FRAG : 0) | (said.is_last ? PDU_FLAG_LAST_FRAG : 0)),
        .is_little_endian = true,
        .is_whole = true,
        .has_trailer = said.has_auth,
        .length = sizeof bytes,
        .auth_length = said.has_auth ? 20 : 0,
        .call_id = said.call_id,
        .context = said.context,
        .opnum = said.opnum,
        .has_status = true,
        .status = said.status,
        .reject_reason = said.reject_reason,
        .stub_at = 24,
        .stub_length = said.size == 0 ? 100 : said.size,
        .auth_type = said.auth_type,
        .auth_level = said.auth_level,
        .auth_at = TOKEN_AT,
    };
    wire_pdu(wire, &pinfo, &told);
    tvb_free(told.tvb);
}

/* Binds one interface, or what is said of its context. */
static void
binds(uint16_t id, const e_guid_t *uuid)
{
    const struct said_context context = { .id = id, .uuid = *uuid, .version = 1 };

    comes((struct said){ .type = PDU_BIND, .contexts = &context, .num_contexts = 1 });
    next();
}

static void
acknowledges(uint16_t result, uint16_t reason)
{
    const struct said_context context = { .result = result, .reason = reason };

    comes((struct said){ .type = PDU_BIND_ACK, .contexts = &context, .num_contexts = 1 });
    next();
}

static void
calls(uint32_t id, uint16_t context, uint16_t opnum)
{
    comes((struct said){ .type = PDU_REQ,
        .is_first = true,
        .is_last = true,
        .call_id = id,
        .context = context,
        .opnum = opnum });
    next();
}

static void
answers(uint8_t type, uint32_t id, uint32_t status)
{
    comes((struct said){ .type = type, .is_first = true, .is_last = true, .call_id = id, .status = status });
    next();
}

static struct attempt *
attempt(void)
{
    CHECK(association->attempt != NULL, "no attempt");
    return association->attempt;
}

#define SAYS(one, text) \
    do { \
        struct attempt *one_ = (one); \
        attempts_frame(wire->attempts, &pinfo); \
        if (one_ == NULL) { \
            CHECK(one_ != NULL, "no attempt: %s", text); \
        } else { \
            CHECK(strcmp(attempt_outcome(one_, pool), text) == 0, "%s, not %s", attempt_outcome(one_, pool), text); \
        } \
    } while (0)

static void
check_binds(void)
{
    const struct said_context both[] = {
        { .id = 0, .uuid = ours, .version = 1 },
        { .id = 1, .uuid = ours, .version = 1 },
    };
    const struct said_context different[] = {
        { .id = 0, .uuid = ours, .version = 1 },
        { .id = 1, .uuid = winreg, .version = 1 },
    };
    static const struct {
        uint16_t results[2];
        bool is_different;
        const char *says;
    } cases[] = {
        { { 0, 2 }, false, "bound, but no call followed" },
        { { 2, 0 }, false, "bound, but no call followed" },
        { { 0, 3 }, false, "bound, but no call followed" },
        { { 3, 3 }, false, "no answer to bind of frame 100" },
        { { 2, 2 }, false, "context rejected: Provider rejection, Abstract syntax not supported in frame 101" },
        { { 1, 2 }, false, "context rejected: unknown result, unknown reason in frame 101" },
        /* Of one interface, beside another that is there. */
        { { 0, 2 }, true, "context rejected: Provider rejection, unknown reason in frame 101" },
        { { 2, 0 }, true, "context rejected: Provider rejection, Abstract syntax not supported in frame 101" },
    };

    anew(CARRIED_BY_SMB2, "winreg");
    binds(0, &ours);
    SAYS(attempt(), "no answer to bind of frame 100");
    CHECK(attempt()->stage == STAGE_BIND && attempt()->wants == WANTS_PERFLIBV2 && attempt()->frame == 100 &&
            attempt()->pipe == association->pipe && attempt()->port == 49664,
        "stage %u, wants %x", attempt()->stage, attempt()->wants);
    acknowledges(0, 0);
    SAYS(attempt(), "bound, but no call followed");

    for (size_t i = 0; i < array_length(cases); i++) {
        struct said_context said[2] = { { .result = cases[i].results[0], .reason = 1 },
            { .result = cases[i].results[1] } };

        /* The reasons differ: the first context that is refused says why. */
        if (cases[i].results[0] == 1) {
            said[0].reason = 7;
        }
        anew(CARRIED_BY_TCP, NULL);
        comes(
            (struct said){ .type = PDU_BIND, .contexts = cases[i].is_different ? different : both, .num_contexts = 2 });
        next();
        comes((struct said){ .type = PDU_BIND_ACK, .contexts = said, .num_contexts = 2 });
        SAYS(attempt(), cases[i].says);
        CHECK(attempt()->stopped.count == (strstr(cases[i].says, "rejected") != NULL && !cases[i].is_different),
            "%u: stopped %u times", (unsigned)i, attempt()->stopped.count);
        CHECK(attempt()->wants == (cases[i].is_different ? WANTS_PERFLIBV2 | WANTS_WINREG : WANTS_PERFLIBV2), "%x",
            attempt()->wants);
        CHECK(attempt()->refused_aside == (cases[i].is_different ? 1 : 0), "%u aside", attempt()->refused_aside);
        CHECK(attempt()->is_bound == (cases[i].results[0] == 0 || cases[i].results[1] == 0), "bound");
    }

    /* More are answered than were offered, or fewer. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &ours);
    comes((struct said){ .type = PDU_BIND_ACK, .contexts = both, .num_contexts = 2 });
    SAYS(attempt(), "bound, but no call followed");
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &ours);
    comes((struct said){ .type = PDU_BIND_ACK });
    SAYS(attempt(), "no answer to bind of frame 100");

    /* A bind_nak; and who then binds again tries again. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &pla);
    comes((struct said){ .type = PDU_BIND_NAK, .reject_reason = 8 });
    SAYS(attempt(), "bind_nak: Authentication type not recognized (8) in frame 101");
    CHECK(attempt()->wants == WANTS_PLA && attempt()->stage == STAGE_BIND, "PLA's");
    next();
    {
        struct attempt *before = attempt();

        binds(0, &pla);
        CHECK(attempt() != before, "another attempt");
        comes((struct said){ .type = PDU_BIND_NAK, .reject_reason = 77 });
        SAYS(attempt(), "bind_nak: unknown reason (77) in frame 103");
        CHECK(before->times == 1 && attempt()->times == 1, "ended differently");
    }
    /* Who binds again though nothing was refused goes on. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &ours);
    {
        struct attempt *before = attempt();

        acknowledges(0, 0);
        binds(1, &winreg);
        CHECK(attempt() == before && before->wants == (WANTS_PERFLIBV2 | WANTS_WINREG), "the same");
        SAYS(before, "bound, but no call followed");
    }

    /* The same by alter_context. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &ours);
    acknowledges(0, 0);
    comes((struct said){ .type = PDU_ALTER, .contexts = &different[1], .num_contexts = 1 });
    next();
    CHECK(attempt()->wants == (WANTS_PERFLIBV2 | WANTS_WINREG), "wants %x", attempt()->wants);
    comes((struct said){ .type = PDU_ALTER_ACK,
        .contexts = &(const struct said_context){ .result = 2, .reason = 1 },
        .num_contexts = 1 });
    SAYS(attempt(), "context rejected: Provider rejection, Abstract syntax not supported in frame 103");

    /* What is of no interest is none of ours: nobody's interface, one that all share, another protocol's. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &known_to_nobody);
    CHECK(association->attempt == NULL && connection.gate.awaits == NULL, "nobody's");
    comes((struct said){ .type = PDU_BIND_NAK, .reject_reason = 8 });
    binds(0, &of_everybody);
    acknowledges(2, 1);
    CHECK(association->attempt == NULL && connection.gate.awaits == NULL, "everybody's");
    binds(0, &of_another);
    acknowledges(2, 1);
    CHECK(association->attempt == NULL && connection.gate.awaits == NULL, "another's");
}

/* Who binds the endpoint mapper or the activator says what for with the calls: until then a gate waits. */
static void
check_gates(void)
{
    const e_guid_t *const gates[] = { &endpoint_map_uuid, &activator, &activation };
    static const char *const waits = "bind";

    for (size_t i = 0; i < array_length(gates); i++) {
        anew(CARRIED_BY_TCP, NULL);
        binds(0, gates[i]);
        CHECK(association->attempt == NULL, "it is not known what for");
        CHECK(connection.gate.awaits != NULL && strcmp(connection.gate.awaits, waits) == 0 &&
                connection.gate.stage == STAGE_BIND && connection.gate.frame == 100,
            "no gate");
        acknowledges(0, 0);
        CHECK(connection.gate.awaits == NULL, "still waits");

        anew(CARRIED_BY_TCP, NULL);
        binds(0, gates[i]);
        comes((struct said){ .type = PDU_BIND_NAK, .reject_reason = 8 });
        CHECK(connection.gate.awaits == NULL, "still waits");
        SAYS(attempt(), "bind_nak: Authentication type not recognized (8) in frame 101");
        CHECK(attempt()->wants == (i == 0 ? WANTS_ENDPOINT : WANTS_OBJECT), "wants %x", attempt()->wants);

        /* The answer was not captured, but calls follow; another gate stays. */
        anew(CARRIED_BY_TCP, NULL);
        binds(0, gates[i]);
        calls(1, 0, 99);
        CHECK(connection.gate.awaits == NULL, "still waits");
        connection.gate.awaits = "something";
        connection.gate.stage = STAGE_TREE;
        calls(2, 0, 99);
        CHECK(connection.gate.awaits != NULL, "another's");
    }
    /* The capture lacks that the pipe was opened: it is that which was asked for. */
    anew(CARRIED_BY_SMB2, NULL);
    connection.opening = wire_new_attempt(wire, &connection, "winreg", 0, 90);
    connection.opening->awaits = "Create";
    binds(0, &ours);
    CHECK(attempt()->frame == 90 && strcmp(association->pipe, "winreg") == 0 && connection.opening == NULL &&
            attempt()->wants == WANTS_PERFLIBV2,
        "of frame %u", attempt()->frame);
    SAYS(attempt(), "no answer to bind of frame 100");
}

static void
check_authentication(void)
{
    /* [MS-RPCE] 2.2.1.1.7 and 2.2.1.1.8 */
    static const struct {
        uint8_t type, level;
        bool has_ntlm, has_kerberos;
        const char *text;
    } logons[] = {
        { 9, 0, false, false, "SPNEGO, default level" },
        { 9, 1, true, false, "SPNEGO with NTLM, not protected" },
        { 9, 2, false, true, "SPNEGO with Kerberos, connect" },
        { 10, 3, true, false, "NTLM, call" },
        { 14, 4, false, false, "SChannel, packet" },
        { 16, 5, false, true, "Kerberos, integrity" },
        { 68, 6, false, false, "Netlogon, privacy" },
        { 99, 7, false, false, "unknown service, unknown level" },
    };
    const struct said_context context = { .id = 0, .uuid = ours, .version = 1 };

    for (size_t i = 0; i < array_length(logons); i++) {
        anew(CARRIED_BY_TCP, NULL);
        comes((struct said){ .type = PDU_BIND,
            .contexts = &context,
            .num_contexts = 1,
            .has_auth = true,
            .auth_type = logons[i].type,
            .auth_level = logons[i].level,
            .has_ntlm = logons[i].has_ntlm,
            .has_kerberos = logons[i].has_kerberos });
        CHECK(attempt()->authentication != NULL && strcmp(attempt()->authentication, logons[i].text) == 0, "%s, not %s",
            attempt()->authentication, logons[i].text);
    }

    /* Once a ticket was seen, a token without one changes nothing. */
    anew(CARRIED_BY_TCP, NULL);
    for (int has_ticket = 1; has_ticket >= 0; has_ticket--) {
        comes((struct said){ .type = has_ticket ? PDU_BIND : PDU_ALTER,
            .contexts = &context,
            .num_contexts = 1,
            .has_auth = true,
            .auth_type = 9,
            .auth_level = 6,
            .has_kerberos = has_ticket });
        CHECK(strcmp(attempt()->authentication, "SPNEGO with Kerberos, privacy") == 0, "%s", attempt()->authentication);
        next();
    }

    /* What the token holds may come later, and who it is, in the same frame. */
    anew(CARRIED_BY_TCP, NULL);
    comes((struct said){ .type = PDU_BIND,
        .contexts = &context,
        .num_contexts = 1,
        .has_auth = true,
        .auth_type = 9,
        .auth_level = 6 });
    CHECK(strcmp(attempt()->authentication, "SPNEGO, privacy") == 0, "%s", attempt()->authentication);
    next();
    comes((struct said){ .type = PDU_BIND_ACK, .has_auth = true, .auth_type = 9, .auth_level = 6, .has_ntlm = true });
    CHECK(strcmp(attempt()->authentication, "SPNEGO with NTLM, privacy") == 0, "%s", attempt()->authentication);
    next();
    comes((struct said){ .type = PDU_AUTH3, .has_auth = true, .auth_type = 9, .auth_level = 5 });
    CHECK(strcmp(attempt()->authentication, "SPNEGO with NTLM, integrity") == 0, "%s", attempt()->authentication);
    comes((struct said){ .type = PDU_AUTH3, .has_auth = true, .auth_type = 9, .auth_level = 6 });
    wire_user(wire, &pinfo, "DOM", "ann");
    CHECK(strcmp(attempt()->authentication, "SPNEGO with NTLM, privacy, user DOM\\ann") == 0, "%s",
        attempt()->authentication);
    wire_user(wire, &pinfo, "", "");
    CHECK(strcmp(attempt()->authentication, "SPNEGO with NTLM, privacy, user anonymous") == 0, "%s",
        attempt()->authentication);
    wire_user(wire, &pinfo, "", "a\nb");
    CHECK(strcmp(attempt()->authentication, "SPNEGO with NTLM, privacy, user a\\nb") == 0, "%s",
        attempt()->authentication);
    next();
    /* In another frame it is SMB's. */
    wire_user(wire, &pinfo, "DOM", "bob");
    CHECK(strcmp(attempt()->authentication, "SPNEGO with NTLM, privacy, user a\\nb") == 0, "%s",
        attempt()->authentication);
    CHECK(connection.user != NULL && strcmp(connection.user, "DOM\\bob") == 0, "%s", connection.user);

    /* Without a token it is SMB that protects the pipe. */
    anew(CARRIED_BY_SMB2, "winreg");
    connection.user = "DOM\\bob";
    binds(0, &ours);
    CHECK(strcmp(attempt()->authentication, "none; SMB's user DOM\\bob") == 0, "%s", attempt()->authentication);
    anew(CARRIED_BY_SMB2, "winreg");
    binds(0, &ours);
    CHECK(strcmp(attempt()->authentication, "none") == 0, "%s", attempt()->authentication);
    anew(CARRIED_BY_TCP, NULL);
    connection.user = "DOM\\bob";
    binds(0, &ours);
    CHECK(strcmp(attempt()->authentication, "none") == 0, "%s", attempt()->authentication);
    /* An answer without one says nothing. */
    acknowledges(0, 0);
    CHECK(strcmp(attempt()->authentication, "none") == 0, "%s", attempt()->authentication);
}

static void
check_calls(void)
{
    struct attempt *one;

    anew(CARRIED_BY_TCP, NULL);
    binds(7, &ours);
    acknowledges(0, 0);
    one = attempt();
    calls(1, 7, 5);
    SAYS(one, "no answer to Five of frame 102");
    calls(2, 7, 9);
    SAYS(one, "no answer to 2 calls, the first: Five of frame 102");
    /* An answer in two fragments counts once it is whole; the bytes of all count. */
    comes((struct said){ .type = PDU_RESP, .is_first = true, .call_id = 1, .size = 1000 });
    next();
    SAYS(one, "no answer to 2 calls, the first: Five of frame 102");
    comes((struct said){ .type = PDU_RESP, .is_last = true, .call_id = 1, .size = 30 });
    next();
    SAYS(one, "works; no answer to operation 9 of frame 103");
    CHECK(one->calls == 2 && one->answers == 1 && one->bytes == 100 + 100 + 1000 + 30, "%u, %u, %u bytes", one->calls,
        one->answers, (unsigned)one->bytes);
    CHECK(one->responses == 1 && fabs(one->response_sum - 30) < 0.01, "%f ms", one->response_sum);
    /* Once more: it waits no longer, and nobody is answered. */
    answers(PDU_RESP, 1, 0);
    answers(PDU_RESP, 77, 0);
    CHECK(one->answers == 1 && one->bytes == 1230, "%u, %u bytes", one->answers, (unsigned)one->bytes);
    answers(PDU_FAULT, 2, 5);
    SAYS(one, "works; operation 9: fault fault5 (0x00000005) in frame 108");
    CHECK(one->faults.status == 5 && one->bytes == 1330, "status %u", one->faults.status);

    /* A request in fragments is one call. */
    comes((struct said){ .type = PDU_REQ, .is_first = true, .call_id = 3, .context = 7 });
    next();
    comes((struct said){ .type = PDU_REQ, .is_last = true, .call_id = 3, .context = 7 });
    next();
    CHECK(one->calls == 3 && one->bytes == 1530, "%u, %u bytes", one->calls, (unsigned)one->bytes);
    /* The last of a call whose first was not captured. */
    comes((struct said){ .type = PDU_REQ, .is_last = true, .call_id = 4, .context = 7 });
    CHECK(one->calls == 3 && one->bytes == 1530, "%u, %u bytes", one->calls, (unsigned)one->bytes);
    next();
    comes((struct said){ .type = PDU_ORPHANED, .call_id = 3 });
    next();
    SAYS(one, "works; operation 9: fault fault5 (0x00000005) in frame 108; Zero: given up by the client in frame 112");
    answers(PDU_ORPHANED, 3, 0);
    CHECK(one->given_up.count == 1, "given up %u times", one->given_up.count);

    /* Of nobody's interface. */
    binds(8, &known_to_nobody);
    calls(5, 8, 1);
    answers(PDU_RESP, 5, 0);
    calls(6, 8, 1);
    answers(PDU_FAULT, 6, 5);
    calls(7, 8, 1);
    answers(PDU_ORPHANED, 7, 0);
    CHECK(one->calls == 3 && one->bytes == 1530 && one->faults.count == 1 && one->given_up.count == 1, "another's");
    /* A call ends once: a second fault is nobody's. */
    calls(8, 7, 9);
    answers(PDU_FAULT, 8, 5);
    answers(PDU_FAULT, 8, 5);
    CHECK(one->calls == 4 && one->bytes == 1730 && one->faults.count == 2, "%u faults", one->faults.count);
}

/* Answers whose requests were not captured: they count where the capture lacks something of the client's. */
static void
check_lost_requests(void)
{
    for (unsigned lacks = 0; lacks < 2; lacks++) {
        struct attempt *one;

        anew(CARRIED_BY_TCP, NULL);
        binds(7, &ours);
        acknowledges(0, 0);
        binds(8, &known_to_nobody);
        one = attempt();
        connection.lacks[CLIENT] = lacks != 0;
        comes((struct said){ .type = PDU_RESP, .is_last = true, .call_id = 1, .context = 7 });
        next();
        CHECK(one->calls == 0 && one->answers == lacks && one->bytes == 100 * lacks && one->responses == 0,
            "%u answers", one->answers);
        comes((struct said){ .type = PDU_RESP, .is_last = true, .call_id = 2, .context = 8 });
        comes((struct said){ .type = PDU_RESP, .is_last = true, .call_id = 3, .context = 9 });
        comes((struct said){ .type = PDU_RESP, .is_first = true, .call_id = 4, .context = 7 });
        CHECK(one->answers == lacks && one->bytes == 100 * lacks, "%u answers", one->answers);
        comes((struct said){ .type = PDU_FAULT, .is_last = true, .call_id = 5, .context = 7, .status = 5 });
        CHECK(one->faults.count == lacks, "%u faults", one->faults.count);
        if (lacks) {
            SAYS(one, "works; a call: fault fault5 (0x00000005) in frame 104");
            CHECK(one->stage == STAGE_CALL, "stage %u", one->stage);
        }
        connection.lacks[CLIENT] = false;
    }
}

/* Requests on contexts that no bind explains. */
static void
check_unbound(void)
{
    static const struct {
        const char *what;
        enum carrier carrier;
        const char *pipe;
        uint16_t port;
        bool may_be;
    } places[] = {
        { "the registry's pipe", CARRIED_BY_SMB2, "winreg", 445, true },
        { "a pipe without a name", CARRIED_BY_SMB, NULL, 445, true },
        { "another pipe", CARRIED_BY_SMB2, "srvsvc", 445, false },
        { "a port", CARRIED_BY_TCP, NULL, 50000, true },
        { "the mapper's port", CARRIED_BY_TCP, NULL, 135, false },
    };

    for (size_t i = 0; i < array_length(places); i++) {
        anew(places[i].carrier, places[i].pipe);
        connection.port = places[i].port;
        comes((struct said){ .type = PDU_REQ,
            .is_first = true,
            .is_last = true,
            .call_id = 1,
            .opnum = 5,
            .has_auth = true,
            .auth_type = 10,
            .auth_level = 6 });
        if (!places[i].may_be) {
            CHECK(association->attempt == NULL, "%s", places[i].what);
            continue;
        }
        CHECK(attempt()->stage == STAGE_CALL && attempt()->unbound == 1 && attempt()->locked == 1 &&
                attempt()->calls == 0 && attempt()->wants == 0,
            "%s: %u unbound, %u locked", places[i].what, attempt()->unbound, attempt()->locked);
        CHECK(strcmp(attempt()->authentication, "NTLM, privacy") == 0, "%s", attempt()->authentication);
        next();
        /* A second one, that is only signed. */
        comes((struct said){ .type = PDU_REQ,
            .is_first = true,
            .is_last = true,
            .call_id = 2,
            .opnum = 5,
            .has_auth = true,
            .auth_type = 16,
            .auth_level = 5 });
        CHECK(attempt()->unbound == 2 && attempt()->locked == 1, "%u unbound, %u locked", attempt()->unbound,
            attempt()->locked);
        CHECK(strcmp(attempt()->authentication, "NTLM, privacy") == 0, "%s", attempt()->authentication);
        /* A dissector tells that it is one of its calls. */
        wire_call(wire, &pinfo, WANTS_WINREG);
        CHECK(attempt()->unbound == 1 && attempt()->wants == WANTS_WINREG && attempt()->calls == 1, "recognised");
        next();
        /* Of the first its answer tells it. */
        comes((struct said){ .type = PDU_RESP, .is_first = true, .is_last = true, .call_id = 1 });
        CHECK(attempt()->answers == 0, "%u answers", attempt()->answers);
        wire_call(wire, &pinfo, WANTS_WINREG);
        CHECK(attempt()->unbound == 0 && attempt()->calls == 2 && attempt()->answers == 1 && attempt()->responses == 1,
            "%u calls, %u answers", attempt()->calls, attempt()->answers);
        next();
    }
    /* Sealed on a context that was not offered, though others were: what offers it lacks. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &ours);
    acknowledges(0, 0);
    comes((struct said){ .type = PDU_REQ,
        .is_first = true,
        .is_last = true,
        .call_id = 1,
        .context = 4,
        .has_auth = true,
        .auth_type = 10,
        .auth_level = 6 });
    CHECK(attempt()->unbound == 1 && attempt()->locked == 1, "%u locked", attempt()->locked);

    /* The request itself tells its interface: as if it were bound. */
    anew(CARRIED_BY_TCP, NULL);
    comes((struct said){ .type = PDU_REQ,
        .is_first = true,
        .is_last = true,
        .call_id = 1,
        .context = 2,
        .opnum = 5,
        .recognised = &ours });
    next();
    CHECK(attempt()->is_bound && attempt()->unbound == 0 && attempt()->calls == 1 &&
            attempt()->wants == WANTS_PERFLIBV2,
        "%u unbound, %u calls", attempt()->unbound, attempt()->calls);
    SAYS(attempt(), "no answer to Five of frame 100");
    answers(PDU_RESP, 1, 0);
    calls(2, 2, 0);
    SAYS(attempt(), "works; no answer to Zero of frame 102");
    /* What was bound is believed more. */
    binds(3, &pla);
    comes((struct said){ .type = PDU_REQ,
        .is_first = true,
        .is_last = true,
        .call_id = 3,
        .context = 3,
        .recognised = &winreg });
    CHECK(attempt()->wants == (WANTS_PERFLIBV2 | WANTS_PLA), "wants %x", attempt()->wants);
}

/* Dissectors tell of the PDU of the frame, and of no other. */
static void
check_told(void)
{
    struct attempt *one;

    anew(CARRIED_BY_TCP, NULL);
    association->connection = &connection;
    wire_call(wire, &pinfo, WANTS_WINREG);
    wire_sealed(wire, &pinfo, "a key");
    wire_refused(wire, &pinfo, "NO");
    CHECK(association->attempt == NULL, "no PDU was there");

    /* An answer comes first: the capture began late. */
    answers(PDU_RESP, 1, 0);
    wire_call(wire, &pinfo, WANTS_WINREG);
    CHECK(association->attempt == NULL, "another frame's");
    comes((struct said){ .type = PDU_RESP, .is_first = true, .is_last = true, .call_id = 1 });
    wire_refused(wire, &pinfo, "NO");
    CHECK(association->attempt == NULL, "it has none yet");
    wire_call(wire, &pinfo, WANTS_WINREG);
    one = attempt();
    CHECK(one->is_bound && one->stage == STAGE_CALL && one->answers == 1 && one->calls == 0 &&
            one->wants == WANTS_WINREG,
        "%u answers", one->answers);
    SAYS(one, "works");
    wire_call(wire, &pinfo, WANTS_WINREG | WANTS_PERFDATA);
    CHECK(one->wants == (WANTS_WINREG | WANTS_PERFDATA) && one->answers == 1, "wants %x", one->wants);
    wire_refused(wire, &pinfo, "NO");
    SAYS(one, "NO in frame 101");
    wire_sealed(wire, &pinfo, "a key");
    CHECK(one->needed != NULL && strcmp(one->needed, "a key") == 0, "its key");
    next();
    wire_sealed(wire, &pinfo, "another key");
    wire_refused(wire, &pinfo, "NO");
    CHECK(strcmp(one->needed, "a key") == 0 && one->refusals.count == 1, "another frame's");

    /* No association: nothing is told, and the frame before does not answer for it. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &ours);
    one = attempt();
    association = NULL;
    comes((struct said){ .type = PDU_REQ, .is_first = true });
    wire_call(wire, &pinfo, WANTS_WINREG);
    CHECK(one->wants == WANTS_PERFLIBV2, "wants %x", one->wants);
}

static void
check_mapper(void)
{
    static const struct {
        bool is_read;
        uint32_t status;
        uint16_t port;
        const char *says;
    } mapped[] = {
        { true, 0, 49700, "found at TCP port 49700" },
        { true, 0, 0, "found, but not on TCP" },
        { false, 0, 49700, "answered" },
        /* [C706] appendix E */
        { true, 0x16c9a0d6, 0, "no endpoint for the interface: EPT_S_NOT_REGISTERED (0x16c9a0d6) in frame 103" },
        { true, 5, 0, "no endpoint for the interface: error (0x00000005) in frame 103" },
    };

    for (size_t i = 0; i < array_length(mapped); i++) {
        struct attempt *one;

        anew(CARRIED_BY_TCP, NULL);
        connection.port = 135;
        binds(3, &endpoint_map_uuid);
        acknowledges(0, 0);
        tower = (struct endpoint_tower){ .uuid = ours, .version = 1 };
        calls(1, 3, 3);
        one = association->asks;
        CHECK(association->attempt == NULL && one != NULL, "its own attempt");
        if (one == NULL) {
            continue;
        }
        CHECK(one->wants == (WANTS_PERFLIBV2 | WANTS_ENDPOINT) && one->stage == STAGE_MAPPER && one->frame == 102 &&
                one->authentication != NULL,
            "wants %x, stage %u", one->wants, one->stage);
        SAYS(one, "no answer to operation 3 of frame 102");
        tower.port = mapped[i].port;
        is_mapped = mapped[i].is_read;
        mapper_status = mapped[i].status;
        answers(PDU_RESP, 1, 0);
        SAYS(one, mapped[i].says);
        CHECK(one->is_over && one->may_start == (mapped[i].status != 0) && one->answers == (mapped[i].status == 0),
            "%u answers", one->answers);
        CHECK(wmem_map_size(wire->endpoints) == (mapped[i].port != 0 && mapped[i].is_read) &&
                GPOINTER_TO_UINT(wmem_map_lookup(wire->endpoints, "S 49700")) ==
                    (i == 0 ? (unsigned)WANTS_PERFLIBV2 : 0),
            "what stands at the port");
    }
    /* Another operation, an interface of no interest, a stub that cannot be read: nobody's attempt. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &endpoint_map_uuid);
    tower = (struct endpoint_tower){ .uuid = ours };
    calls(1, 0, 2);
    is_mapped = false;
    calls(2, 0, 3);
    is_mapped = true;
    tower.uuid = known_to_nobody;
    calls(3, 0, 3);
    CHECK(association->asks == NULL && num_rows == 0, "an attempt");
    /* Two questions are two attempts; a fault ends one. */
    tower.uuid = pla;
    calls(4, 0, 3);
    {
        struct attempt *one = association->asks;

        calls(5, 0, 3);
        CHECK(association->asks != one && association->asks != NULL && one != NULL, "the same attempt");
        answers(PDU_FAULT, 5, 5);
        SAYS(association->asks, "operation 3: fault fault5 (0x00000005) in frame 106");
        CHECK(association->asks->is_over && !one->is_over, "over");
    }
    /* Another interface's operation of that number asks for none. */
    anew(CARRIED_BY_TCP, NULL);
    binds(0, &activator);
    tower.uuid = ours;
    calls(1, 0, 3);
    CHECK(association->asks == NULL && num_rows == 0, "an attempt");
}

static void
check_objects(void)
{
    struct attempt *one;

    anew(CARRIED_BY_TCP, NULL);
    connection.port = 135;
    binds(0, &activator);
    acknowledges(0, 0);
    comes((struct said){ .type = PDU_REQ, .is_first = true, .is_last = true, .call_id = 1, .opnum = 5 });
    wire_object(wire, &pinfo, "DataCollectorSet");
    one = association->asks;
    CHECK(one != NULL && one->wants == (WANTS_PLA | WANTS_OBJECT) && one->is_bound && one->calls == 1 &&
            strcmp(one->class_name, "DataCollectorSet") == 0,
        "no attempt");
    wire_object(wire, &pinfo, "Other");
    CHECK(association->asks == one && strcmp(one->class_name, "DataCollectorSet") == 0, "told twice");
    next();
    wire_object(wire, &pinfo, "Other");
    wire_object_answer(wire, &pinfo, NULL, 49664);
    SAYS(one, "no answer to Five of frame 102");
    comes((struct said){ .type = PDU_RESP, .is_first = true, .is_last = true, .call_id = 1 });
    wire_object_answer(wire, &pinfo, NULL, 49664);
    SAYS(one, "object given");
    CHECK(one->is_over, "over");
    next();

    comes((struct said){ .type = PDU_REQ, .is_first = true, .is_last = true, .call_id = 2, .opnum = 5 });
    wire_object(wire, &pinfo, "DataCollectorSet");
    one = association->asks;
    next();
    comes((struct said){ .type = PDU_RESP, .is_first = true, .is_last = true, .call_id = 2 });
    wire_object_answer(wire, &pinfo, "E_ACCESSDENIED", 0);
    SAYS(one, "E_ACCESSDENIED in frame 105");
    next();

    /* Refused before, or without, its class could be read. */
    calls(3, 0, 5);
    answers(PDU_FAULT, 3, 5);
    CHECK(association->asks != one && association->asks->wants == WANTS_OBJECT && association->asks->calls == 1,
        "no attempt of its own");
    SAYS(association->asks, "Five: fault fault5 (0x00000005) in frame 107");
    CHECK(association->asks->is_over, "over");
    /* Refused when its class was read: that attempt is. */
    comes((struct said){ .type = PDU_REQ, .is_first = true, .is_last = true, .call_id = 4, .opnum = 5 });
    wire_object(wire, &pinfo, "DataCollectorSet");
    one = association->asks;
    next();
    answers(PDU_FAULT, 4, 5);
    CHECK(association->asks == one && one->calls == 1 && one->faults.count == 1, "another attempt");
}

/* Results are those of the contexts that were offered last, [C706] 12.6.4.4. */
static void
check_latest_offer(void)
{
    anew(CARRIED_BY_TCP, NULL);
    binds(7, &ours);
    binds(8, &known_to_nobody);
    acknowledges(0, 0);
    CHECK(!attempt()->is_bound, "what nobody knows was accepted");
    binds(7, &ours);
    acknowledges(0, 0);
    CHECK(attempt()->is_bound, "ours was");
}

/* SMB answers with an error instead of the pipe. */
static void
check_pipe_refused(void)
{
    struct attempt *one;

    anew(CARRIED_BY_SMB2, "winreg");
    wire_pipe_refused(wire, association, "STATUS_PIPE_DISCONNECTED", &pinfo);
    CHECK(association->attempt == NULL && num_rows == 0, "nothing was tried");
    binds(0, &ours);
    one = attempt();
    pinfo.num = 101;
    wire_pipe_refused(wire, association, "STATUS_PIPE_DISCONNECTED", &pinfo);
    SAYS(one, "bind: STATUS_PIPE_DISCONNECTED in frame 101");
    CHECK(one->stage == STAGE_BIND, "at the bind");

    anew(CARRIED_BY_SMB2, "winreg");
    binds(0, &ours);
    acknowledges(0, 0);
    one = attempt();
    calls(1, 0, 5);
    answers(PDU_RESP, 1, 0);
    calls(2, 0, 0);
    wire_pipe_refused(wire, association, "STATUS_PIPE_BROKEN", &pinfo);
    SAYS(one, "works; Zero: STATUS_PIPE_BROKEN in frame 105");
    CHECK(one->given_up.count == 1 && one->stopped.count == 0 && wmem_map_size(association->calls) == 0, "%u",
        one->given_up.count);
    next();
    /* The call waits no longer: a late answer is nobody's. */
    answers(PDU_RESP, 2, 0);
    CHECK(one->answers == 1, "%u answers", one->answers);
    calls(3, 0, 5);
    answers(PDU_RESP, 3, 0);
    CHECK(one->answers == 2, "it goes on");
    wire_pipe_refused(wire, association, "STATUS_PIPE_BROKEN", &pinfo);
    CHECK(one->given_up.count == 1, "nothing waited");
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    wire = wire_new(show, NULL);
    check_latest_offer();
    check_binds();
    check_gates();
    check_authentication();
    check_calls();
    check_lost_requests();
    check_unbound();
    check_told();
    check_mapper();
    check_objects();
    check_pipe_refused();
    wmem_destroy_allocator(pool);
    return check_result();
}
