/* associations.c
 * Attempts as DCE/RPC shows them: binds, calls, the endpoint mapper
 *
 * [C706] 12.6, [MS-RPCE] 2.2.2; [MS-DCOM] 3.1.2.5.2.3 for objects.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/sessions/wire-parts.h"

#include <string.h>

#include <epan/dissectors/packet-dcerpc.h>

#include "base/rpc-pdu.h"
#include "base/fields.h"
#include "base/rpc-call.h"
#include "base/stub-check.h"
#include "base/text.h"

/* IRemoteSCMActivator and IActivation, by which clients ask for objects */
static const e_guid_t activator_uuid = { 0x000001a0, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
static const e_guid_t activation_uuid = { 0x4d9f4ab8, 0x7d1c, 0x11cf,
    { 0x86, 0x1e, 0x00, 0x20, 0xaf, 0x6e, 0x7c, 0x57 } };

#define EPT_S_NOT_REGISTERED 0x16c9a0d6u /* [C706] appendix E */

/* A presentation context. */
struct association_binding {
    e_guid_t uuid;
    uint16_t version;
    unsigned wants;
};

static unsigned
wants_of(const e_guid_t *uuid)
{
    static const struct {
        const char *protocol;
        unsigned wants;
    } ours[] = {
        { "perflibv2", WANTS_PERFLIBV2 },
        { "winreg", WANTS_WINREG },
        { "pla", WANTS_PLA },
    };
    const struct stub_kind *kind = stub_kind_find(uuid);

    for (size_t i = 0; kind != NULL && kind->protocol != NULL && i < array_length(ours); i++) {
        if (strcmp(kind->protocol, ours[i].protocol) == 0) {
            return ours[i].wants;
        }
    }
    if (guid_cmp(uuid, &endpoint_map_uuid) == 0) {
        return WANTS_ENDPOINT;
    }
    return guid_cmp(uuid, &activator_uuid) == 0 || guid_cmp(uuid, &activation_uuid) == 0 ? WANTS_OBJECT : 0;
}

/* Authentication */

static const char *
level_name(uint8_t level)
{
    /* [MS-RPCE] 2.2.1.1.8 */
    static const char *const names[] = {
        "default level",
        "not protected",
        "connect",
        "call",
        "packet",
        "integrity",
        "privacy",
    };

    return level < array_length(names) ? names[level] : "unknown level";
}

static void
show_authentication(struct wire *wire, struct association *association)
{
    const char *user = association->user;
    const char *service = rpc_auth_name(association->auth_type, association->has_ntlm, association->has_kerberos);

    if (association->auth_type != 0) {
        association->authentication =
            wmem_strdup_printf(wire->scope, "%s, %s%s%s", service == NULL ? "unknown service" : service,
                level_name(association->auth_level), user == NULL ? "" : ", user ", user == NULL ? "" : user);
    }
    if (association->attempt != NULL) {
        association->attempt->authentication = association->authentication;
        attempts_changed(wire->attempts, association->attempt);
    }
}

/* A token lists what the client could do; the message in it tells what it does. */
static void
association_learn_token(struct association *association, const uint8_t *token, unsigned size)
{
    /* pvno and msg-type of KRB_AP_REQ and KRB_AP_REP in DER: [RFC4120] 5.5.1, 5.5.2 */
    static const uint8_t ap_req[] = { 0xa0, 0x03, 0x02, 0x01, 0x05, 0xa1, 0x03, 0x02, 0x01, 0x0e };
    static const uint8_t ap_rep[] = { 0xa0, 0x03, 0x02, 0x01, 0x05, 0xa1, 0x03, 0x02, 0x01, 0x0f };
    unsigned left;

    association->has_ntlm = association->has_ntlm || rpc_token_ntlm(token, size, &left) != NULL;
    association->has_kerberos = association->has_kerberos || ws_memmem(token, size, ap_req, sizeof ap_req) != NULL ||
        ws_memmem(token, size, ap_rep, sizeof ap_rep) != NULL;
}

/* What the PDUs that bind tell of it; where they have no token, of what is not authenticated by RPC itself. */
static void
learn_authentication(struct wire *wire, struct association *association, const struct session_tap *told)
{
    const struct rpc_pdu *pdu = &told->pdu;

    if (pdu->has_trailer) {
        association_learn_token(association, tvb_get_ptr(told->tvb, (int)pdu->auth_at, (int)pdu->auth_length),
            pdu->auth_length);
        association->auth_type = pdu->auth_type;
        association->auth_level = pdu->auth_level;
    } else if (association->authentication == NULL && pdu->type == PDU_BIND) {
        const char *user = association->connection->user;

        /* What protects a pipe then is SMB's. */
        association->authentication = told->way == SESSION_TCP || user == NULL
            ? "none"
            : wmem_strdup_printf(wire->scope, "none; SMB's user %s", user);
    }
    show_authentication(wire, association);
}

void
wire_user(struct wire *wire, const packet_info *pinfo, const char *domain, const char *user)
{
    const char *text = wmem_strdup_printf(wire->scope, "%s%s%s", name_text(pinfo->pool, domain),
        domain[0] == '\0' ? "" : "\\", user[0] == '\0' ? "anonymous" : name_text(pinfo->pool, user));
    struct tcp_connection *connection;

    if (wire->pdu_frame == pinfo->num && wire->association != NULL) {
        wire->association->user = text;
        show_authentication(wire, wire->association);
    } else if ((connection = wire_connection(wire, pinfo, true)) != NULL) {
        connection->user = text;
    }
}

/* Binding */

static void
begin_attempt(struct wire *wire, struct association *association, unsigned wants, const packet_info *pinfo)
{
    struct tcp_connection *connection = association->connection;

    if (association->attempt == NULL && association->pipe == NULL && connection->opening != NULL) {
        /* That its pipe was opened the capture lacks. */
        association->attempt = connection->opening;
        association->pipe = association->attempt->pipe;
        association->attempt->awaits = NULL;
        connection->opening = NULL;
    }
    if (association->attempt == NULL) {
        association->attempt = wire_new_attempt(wire, connection, association->pipe, wants, pinfo->num);
    }
    association->attempt->authentication = association->authentication;
    association->attempt->wants |= wants;
}

static unsigned
all_wants(const struct association *association)
{
    unsigned wants = 0;

    for (unsigned i = 0; i < association->num_offered; i++) {
        wants |= association->offered[i];
    }
    return wants;
}

static const struct association_binding *
association_bind(struct wire *wire, struct association *association, uint16_t id, const e_guid_t *uuid,
    uint16_t version)
{
    struct association_binding *binding = wmem_new(wire->scope, struct association_binding);

    *binding = (struct association_binding){ *uuid, version, wants_of(uuid) };
    wmem_map_insert(association->bindings, GUINT_TO_POINTER((unsigned)id), binding);
    return binding;
}

static void
client_binds(struct wire *wire, struct association *association, const struct session_tap *told,
    const packet_info *pinfo)
{
    struct rpc_contexts walk = rpc_contexts_begin(told->tvb, &told->pdu);
    struct rpc_context context;
    unsigned wants;

    association->num_offered = 0;
    association->offered =
        (unsigned *)wmem_realloc(wire->scope, association->offered, (walk.left + 1) * sizeof *association->offered);
    while (rpc_contexts_next(&walk, &context)) {
        const struct association_binding *binding =
            association_bind(wire, association, context.id, &context.uuid, context.version);

        association->offered[association->num_offered++] = binding->wants;
    }
    wants = all_wants(association);
    if (wants & WANTS_INTERFACE) {
        if (association->attempt != NULL && association->attempt->stopped.text != NULL) {
            /* Who binds again tries again. */
            association->attempt = NULL;
        }
        begin_attempt(wire, association, wants & WANTS_INTERFACE, pinfo);
        if (!association->attempt->is_bound) {
            attempts_reached(wire->attempts, association->attempt, STAGE_BIND, "bind", pinfo);
        }
    } else if (wants != 0) {
        /* What for will be seen by the calls. */
        wire_gate_closes(wire, association->connection, STAGE_BIND, "bind", pinfo);
    }
    learn_authentication(wire, association, told);
}

/* The server refuses a bind, or all contexts of one kind. */
static void
refuse_bind(struct wire *wire, struct association *association, unsigned wants, const char *text,
    const packet_info *pinfo)
{
    if (association->attempt == NULL) {
        begin_attempt(wire, association, wants, pinfo);
    }
    attempts_stopped(wire->attempts, association->attempt, STAGE_BIND, text, pinfo);
}

static const char *
name_or(const char *field, uint32_t value, const char *otherwise)
{
    const char *name = foreign_field_value_name(field, value);

    return name != NULL ? name : otherwise;
}

static void
server_binds(struct wire *wire, struct association *association, const struct session_tap *told,
    const packet_info *pinfo)
{
    struct rpc_contexts walk = rpc_results_begin(told->tvb, &told->pdu);
    struct rpc_result result, rejected = { 0 };
    unsigned accepted = 0, refused = 0;
    const char *why;

    learn_authentication(wire, association, told);
    association->connection->gate.awaits = NULL;
    for (unsigned i = 0; i < association->num_offered && rpc_results_next(&walk, &result); i++) {
        const unsigned wants = association->offered[i];

        if (result.result == RPC_RESULT_ACCEPTANCE) {
            accepted |= wants;
        } else if (result.result != RPC_RESULT_NEGOTIATE_ACK && wants != 0) {
            /* The first says why; others may have been offered in another syntax, which is no error. */
            rejected = refused == 0 ? result : rejected;
            refused |= wants;
        }
    }
    if (association->attempt != NULL && (accepted & WANTS_INTERFACE) != 0) {
        association->attempt->is_bound = true;
        attempts_reached(wire->attempts, association->attempt, STAGE_BIND, NULL, pinfo);
    }
    if ((refused & ~accepted) == 0) {
        return;
    }
    why = wmem_strdup_printf(wire->scope, "context rejected: %s, %s",
        name_or("dcerpc.cn_ack_result", rejected.result, "unknown result"),
        name_or("dcerpc.cn_ack_reason", rejected.reason, "unknown reason"));
    if (association->attempt != NULL && association->attempt->is_bound) {
        /* By another context, that this does not stop. */
        attempts_refused_aside(wire->attempts, association->attempt, why, pinfo);
    } else {
        refuse_bind(wire, association, refused & ~accepted, why, pinfo);
    }
}

static void
server_rejects(struct wire *wire, struct association *association, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    const unsigned wants = all_wants(association);

    association->connection->gate.awaits = NULL;
    if (wants != 0) {
        refuse_bind(wire, association, wants,
            wmem_strdup_printf(wire->scope, "bind_nak: %s (%u)",
                name_or("dcerpc.cn_reject_reason", pdu->reject_reason, "unknown reason"), pdu->reject_reason),
            pinfo);
    }
}

/* Calls */

static const char *
association_operation_name(struct wire *wire, const struct association_binding *binding, uint16_t opnum)
{
    const char *name = rpc_operation_name(&binding->uuid, binding->version, opnum);

    return name != NULL ? name : wmem_strdup_printf(wire->scope, "operation %u", opnum);
}

static const struct association_binding *
association_binding_of(const struct association *association, uint16_t context)
{
    return (
        const struct association_binding *)wmem_map_lookup(association->bindings, GUINT_TO_POINTER((unsigned)context));
}

/* Who asks for an endpoint or an object makes an attempt of its own each time. */
static void
begin_asking(struct wire *wire, struct association *association, struct pending_call *call, unsigned wants)
{
    call->attempt = wire_new_attempt(wire, association->connection, association->pipe, wants, call->frame);
    call->attempt->authentication = association->authentication;
    association->asks = call->attempt;
}

/* The endpoint mapper is asked. */
static void
client_maps(struct wire *wire, struct association *association, struct pending_call *call,
    const struct session_tap *told, const packet_info *pinfo)
{
    struct endpoint_tower tower;
    unsigned wants, length;
    const uint8_t *stub = rpc_pdu_clear_stub(told->tvb, &told->pdu, &length);

    if (stub == NULL || call->opnum != ENDPOINT_MAP_OPNUM ||
        !endpoint_map_read_request(stub, length, told->pdu.is_little_endian, &tower)) {
        return;
    }
    wants = wants_of(&tower.uuid) & WANTS_INTERFACE;
    if (wants != 0) {
        begin_asking(wire, association, call, wants | WANTS_ENDPOINT);
        attempts_reached(wire->attempts, call->attempt, STAGE_MAPPER, NULL, pinfo);
    }
}

static const char *
status_name(uint32_t status)
{
    return status == EPT_S_NOT_REGISTERED ? "EPT_S_NOT_REGISTERED" : "error";
}

/* What is at that port of a server. */
static void
expect_at(struct wire *wire, const char *server, unsigned port, unsigned wants)
{
    wmem_map_insert(wire->endpoints, wmem_strdup_printf(wire->scope, "%s %u", server, port), GUINT_TO_POINTER(wants));
}

static void
server_maps(struct wire *wire, struct association *association, const struct pending_call *call,
    const struct session_tap *told, const packet_info *pinfo)
{
    struct attempt *attempt = call->attempt;
    struct endpoint_tower tower;
    uint32_t status;
    unsigned length;
    const uint8_t *stub = rpc_pdu_clear_stub(told->tvb, &told->pdu, &length);

    if (stub == NULL || !endpoint_map_read_response(stub, length, told->pdu.is_little_endian, &tower, &status)) {
        attempt->found = "answered";
    } else if (status != 0) {
        attempt->may_start = true;
        attempt->answers = 0;
        attempts_stopped(wire->attempts, attempt, STAGE_MAPPER,
            wmem_strdup_printf(wire->scope, "no endpoint for the interface: %s (0x%08x)", status_name(status), status),
            pinfo);
    } else if (tower.port == 0) {
        attempt->found = "found, but not on TCP";
    } else {
        attempt->found = wmem_strdup_printf(wire->scope, "found at TCP port %u", tower.port);
        expect_at(wire, association->connection->server, tower.port, attempt->wants & WANTS_INTERFACE);
    }
    attempts_ended(wire->attempts, attempt, "", pinfo);
}

static void
count_bytes(struct wire *wire, const struct pending_call *call, const struct rpc_pdu *pdu)
{
    if (call->attempt != NULL) {
        struct attempt *attempt = call->attempt->shown_as != NULL ? call->attempt->shown_as : call->attempt;

        attempt->bytes += rpc_pdu_stub_size(pdu);
        attempts_changed(wire->attempts, attempt);
    }
}

/* Whether it may be one of interest, for all that is known of the pipe or the port. */
static bool
may_be_ours(const struct association *association)
{
    if (association->connection->carrier != CARRIED_BY_TCP) {
        return association->pipe == NULL || rpc_pipe_is_registry(association->pipe);
    }
    return association->connection->port != PORT_MAPPER;
}

/* A request on a context that no bind explains: somebody may still tell what it is. */
static void
note_unbound(struct wire *wire, struct association *association, struct pending_call *call, const struct rpc_pdu *pdu,
    const packet_info *pinfo)
{
    struct attempt *attempt;

    if (association->attempt == NULL) {
        begin_attempt(wire, association, 0, pinfo);
    }
    if (association->auth_type == 0 && pdu->has_trailer) {
        association->auth_type = pdu->auth_type;
        association->auth_level = pdu->auth_level;
        show_authentication(wire, association);
    }
    attempt = attempts_shown(association->attempt);
    attempt->stage = STAGE_CALL;
    attempt->unbound++;
    attempt->locked += pdu->auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
    call->is_unbound = true;
    attempts_changed(wire->attempts, attempt);
}

/* A request that was recognised: its context is bound, as if the bind were there. */
static void
bind_recognised(struct wire *wire, struct association *association, const struct session_tap *told,
    const packet_info *pinfo)
{
    const struct association_binding *binding =
        association_bind(wire, association, told->pdu.context, told->recognised, told->recognised_version);

    if (binding->wants & WANTS_INTERFACE) {
        begin_attempt(wire, association, binding->wants & WANTS_INTERFACE, pinfo);
        association->attempt->is_bound = true;
    }
}

static struct pending_call *
begin_call(struct wire *wire, struct association *association, const struct session_tap *told, const packet_info *pinfo)
{
    const struct rpc_pdu *pdu = &told->pdu;
    struct pending_call *call = wmem_new0(wire->scope, struct pending_call);
    const struct association_binding *binding;

    if (told->recognised != NULL && association_binding_of(association, pdu->context) == NULL) {
        bind_recognised(wire, association, told, pinfo);
    }
    binding = association_binding_of(association, pdu->context);
    call->opnum = pdu->opnum;
    call->context = pdu->context;
    call->frame = pinfo->num;
    call->time = pinfo->abs_ts;
    call->operation = binding == NULL ? "a call" : association_operation_name(wire, binding, pdu->opnum);
    if (binding != NULL && (binding->wants & WANTS_INTERFACE)) {
        call->attempt = association->attempt;
    } else if (binding != NULL && (binding->wants & WANTS_ENDPOINT)) {
        client_maps(wire, association, call, told, pinfo);
    } else if (binding == NULL && may_be_ours(association)) {
        note_unbound(wire, association, call, pdu, pinfo);
    }
    if (call->attempt != NULL) {
        attempts_call(wire->attempts, call);
    }
    wmem_map_insert(association->calls, GUINT_TO_POINTER(pdu->call_id), call);
    return call;
}

static void
client_calls(struct wire *wire, struct association *association, const struct session_tap *told,
    const packet_info *pinfo)
{
    const void *id = GUINT_TO_POINTER(told->pdu.call_id);

    wire->call = told->pdu.flags & PDU_FLAG_FIRST_FRAG ? begin_call(wire, association, told, pinfo)
                                                       : (struct pending_call *)wmem_map_lookup(association->calls, id);
    if (wire->call != NULL) {
        count_bytes(wire, wire->call, &told->pdu);
    }
}

/* What is answered or faulted though its request was not captured. NULL: nothing of interest, or nothing is missing. */
static struct pending_call *
lost_call(struct wire *wire, struct association *association, const struct rpc_pdu *pdu)
{
    const struct association_binding *binding = association_binding_of(association, pdu->context);
    struct pending_call *call;

    if (!(pdu->flags & PDU_FLAG_LAST_FRAG) || !association->connection->lacks[CLIENT] || binding == NULL ||
        (binding->wants & WANTS_INTERFACE) == 0) {
        return NULL;
    }
    call = wmem_new0(wire->scope, struct pending_call);
    call->context = pdu->context;
    call->operation = "a call";
    call->attempt = association->attempt;
    attempts_lost_call(wire->attempts, call);
    return call;
}

/* The call that is answered or faulted, which is then the PDU's; NULL: none of interest. *wants: its interface's. */
static struct pending_call *
answered_call(struct wire *wire, struct association *association, const struct rpc_pdu *pdu, unsigned *wants)
{
    struct pending_call *call =
        (struct pending_call *)wmem_map_lookup(association->calls, GUINT_TO_POINTER(pdu->call_id));
    const struct association_binding *binding;

    wire->call = call != NULL ? call : lost_call(wire, association, pdu);
    binding = wire->call == NULL ? NULL : association_binding_of(association, (uint16_t)wire->call->context);
    *wants = binding == NULL ? 0 : binding->wants;
    return wire->call;
}

static void
server_answers(struct wire *wire, struct association *association, const struct session_tap *told,
    const packet_info *pinfo)
{
    const struct rpc_pdu *pdu = &told->pdu;
    unsigned wants;
    struct pending_call *call = answered_call(wire, association, pdu, &wants);

    if (call == NULL) {
        return;
    }
    count_bytes(wire, call, pdu);
    if (!(pdu->flags & PDU_FLAG_LAST_FRAG)) {
        return;
    }
    wmem_map_remove(association->calls, GUINT_TO_POINTER(pdu->call_id));
    call->is_answered = true;
    if (call->attempt != NULL) {
        attempts_answered(wire->attempts, call, pinfo);
        if (wants & WANTS_ENDPOINT) {
            server_maps(wire, association, call, told, pinfo);
        }
    }
}

static void
server_faults(struct wire *wire, struct association *association, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    unsigned wants;
    struct pending_call *call = answered_call(wire, association, pdu, &wants);

    if (call == NULL) {
        return;
    }
    wmem_map_remove(association->calls, GUINT_TO_POINTER(pdu->call_id));
    if (call->attempt == NULL && (wants & WANTS_OBJECT)) {
        /* Refused before, or without, its class could be read. */
        begin_asking(wire, association, call, WANTS_OBJECT);
        attempts_call(wire->attempts, call);
    }
    if (call->attempt == NULL) {
        return;
    }
    count_bytes(wire, call, pdu);
    call->status = pdu->status;
    attempts_fault(wire->attempts, call,
        wmem_strdup_printf(wire->scope, "%s: fault %s (0x%08x)", call->operation,
            rpc_fault_text(pinfo->pool, pdu->status), pdu->status),
        pinfo);
    if (wants & (WANTS_ENDPOINT | WANTS_OBJECT)) {
        attempts_ended(wire->attempts, call->attempt, "", pinfo);
    }
}

/* The client has no more interest in an answer: that the server sent none is then not said. */
static void
client_gives_up(struct wire *wire, struct association *association, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    struct pending_call *call =
        (struct pending_call *)wmem_map_remove(association->calls, GUINT_TO_POINTER(pdu->call_id));

    if (call != NULL && call->attempt != NULL) {
        attempts_given_up(wire->attempts, call,
            wmem_strdup_printf(wire->scope, "%s: given up by the client", call->operation), pinfo);
    }
}

/* What ends the calls of a pipe that wait. */
struct pipe_end {
    struct wire *wire;
    const packet_info *pinfo;
    const char *text;
};

static void
end_call(void *key _U_, void *value, void *data)
{
    const struct pipe_end *end = (const struct pipe_end *)data;
    struct pending_call *call = (struct pending_call *)value;

    if (call->link != NULL) {
        attempts_given_up(end->wire->attempts, call,
            wmem_strdup_printf(end->wire->scope, "%s: %s", call->operation, end->text), end->pinfo);
    }
}

void
wire_pipe_refused(struct wire *wire, struct association *association, const char *text, const packet_info *pinfo)
{
    struct pipe_end end = { wire, pinfo, text };

    if (association->attempt != NULL && association->attempt->awaits != NULL) {
        attempts_stopped(wire->attempts, association->attempt, association->attempt->stage,
            wmem_strdup_printf(wire->scope, "%s: %s", association->attempt->awaits, text), pinfo);
    }
    if (wmem_map_size(association->calls) != 0) {
        wmem_map_foreach(association->calls, end_call, &end);
        association->calls = wmem_map_new(wire->scope, g_direct_hash, g_direct_equal);
    }
}

void
wire_pdu(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const struct session_tap *told = (const struct session_tap *)tapped;
    const struct rpc_pdu *pdu = &told->pdu;
    struct association *association = wire_association(wire, pinfo, told);

    if (association == NULL) {
        return;
    }
    wire->pdu_frame = pinfo->num;
    wire->association = association;
    wire->call = NULL;
    switch (pdu->type) {
    case PDU_BIND:
    case PDU_ALTER: client_binds(wire, association, told, pinfo); break;
    case PDU_BIND_ACK:
    case PDU_ALTER_ACK: server_binds(wire, association, told, pinfo); break;
    case PDU_BIND_NAK: server_rejects(wire, association, pdu, pinfo); break;
    case PDU_AUTH3: learn_authentication(wire, association, told); break;
    case PDU_REQ:
        if (association->connection->gate.stage == STAGE_BIND) {
            association->connection->gate.awaits = NULL;
        }
        client_calls(wire, association, told, pinfo);
        break;
    case PDU_RESP: server_answers(wire, association, told, pinfo); break;
    case PDU_FAULT: server_faults(wire, association, pdu, pinfo); break;
    case PDU_ORPHANED: client_gives_up(wire, association, pdu, pinfo); break;
    default: break;
    }
}

/* What dissectors tell of the PDU. */

static bool
is_told_of_pdu(const struct wire *wire, const packet_info *pinfo)
{
    return wire->pdu_frame == pinfo->num && wire->association != NULL;
}

void
wire_call(struct wire *wire, const packet_info *pinfo, unsigned wants)
{
    struct association *association = wire->association;

    if (!is_told_of_pdu(wire, pinfo)) {
        return;
    }
    if (association->attempt == NULL) {
        begin_attempt(wire, association, wants, pinfo);
        association->attempt->is_bound = true;
        association->attempt->stage = STAGE_CALL;
        if (wire->call == NULL) {
            association->attempt->answers++;
        }
    }
    association->attempt->wants |= wants;
    if (wire->call != NULL && wire->call->is_unbound) {
        /* It was recognised. */
        wire->call->is_unbound = false;
        attempts_shown(association->attempt)->unbound--;
    }
    if (wire->call != NULL && wire->call->attempt == NULL) {
        wire->call->attempt = association->attempt;
        attempts_call(wire->attempts, wire->call);
        if (wire->call->is_answered) {
            attempts_answered(wire->attempts, wire->call, pinfo);
        }
    }
    attempts_changed(wire->attempts, association->attempt);
}

void
wire_sealed(struct wire *wire, const packet_info *pinfo, const struct key_needed *needed)
{
    if (is_told_of_pdu(wire, pinfo) && wire->association->attempt != NULL) {
        attempts_sealed(wire->attempts, wire->association->attempt, needed);
    }
}

void
wire_refused(struct wire *wire, const packet_info *pinfo, const char *text)
{
    if (is_told_of_pdu(wire, pinfo) && wire->association->attempt != NULL) {
        attempts_refused(wire->attempts, wire->association->attempt, wmem_strdup(wire->scope, text), pinfo);
    }
}

void
wire_object(struct wire *wire, const packet_info *pinfo, const char *class_name)
{
    struct association *association = wire->association;
    struct pending_call *call = wire->call;

    if (!is_told_of_pdu(wire, pinfo) || call == NULL || call->attempt != NULL) {
        return;
    }
    begin_asking(wire, association, call, WANTS_PLA | WANTS_OBJECT);
    call->attempt->class_name = class_name;
    call->attempt->is_bound = true;
    attempts_call(wire->attempts, call);
}

void
wire_object_answer(struct wire *wire, const packet_info *pinfo, const char *why, unsigned port)
{
    struct attempt *attempt = is_told_of_pdu(wire, pinfo) && wire->call != NULL ? wire->call->attempt : NULL;

    if (attempt == NULL) {
        return;
    }
    if (why != NULL) {
        attempts_refused(wire->attempts, attempt, wmem_strdup(wire->scope, why), pinfo);
    } else {
        attempt->found = "object given";
        if (port != 0) {
            expect_at(wire, attempt->server, port, WANTS_PLA);
        }
    }
    attempts_ended(wire->attempts, attempt, "", pinfo);
}

struct wire *
wire_new(attempt_show show, void *data)
{
    struct wire *wire = g_new0(struct wire, 1);

    wire->attempts = attempts_new(show, data);
    wire_transports_begin(wire);
    return wire;
}

void
wire_clear(struct wire *wire)
{
    struct attempts *attempts = wire->attempts;

    attempts_clear(attempts);
    *wire = (struct wire){ .attempts = attempts };
    wire_transports_begin(wire);
}
