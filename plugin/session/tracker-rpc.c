/* tracker-rpc.c
 * Tracks attempts by DCE/RPC: binds, calls, the endpoint mapper
 *
 * [C706] 12.6, [MS-RPCE] 2.2.2; [MS-DCOM] 3.1.2.5.2.3 for objects.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"
#include "session/tracker-parts.h"

/* UUIDs of IRemoteSCMActivator and IActivation, the interfaces for activating objects. */
static const e_guid_t activator_uuid = { 0x000001a0, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
static const e_guid_t activation_uuid = { 0x4d9f4ab8, 0x7d1c, 0x11cf,
    { 0x86, 0x1e, 0x00, 0x20, 0xaf, 0x6e, 0x7c, 0x57 } };

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

static const char *
level_name(uint8_t level)
{
    /* Names of authentication levels, [MS-RPCE] 2.2.1.1.8. */
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

/* Sets an attempt's authentication. Without a token of the PDUs' own, the account is that of SMB's logon. */
static void
set_authentication(struct attempt *attempt, const struct association *association)
{
    const struct login *login = association->login;

    attempt->authentication = association->authentication;
    if (association->auth_type != 0) {
        /* Kerberos names no user in clear, but is another logon than one that does. */
        attempt->account = association->user != NULL ? association->user
            : login != NULL && login->has_kerberos   ? "Kerberos"
                                                     : NULL;
    }
}

static void
show_authentication(struct tracker *tracker, struct association *association)
{
    const struct login *login = association->login;
    const char *user = association->user;
    const char *service =
        rpc_auth_name(association->auth_type, login != NULL && login->has_ntlm, login != NULL && login->has_kerberos);

    if (association->auth_type != 0) {
        association->authentication =
            wmem_strdup_printf(tracker->scope, "%s, %s%s%s", service == NULL ? "unknown service" : service,
                level_name(association->auth_level), user == NULL ? "" : ", user ", user == NULL ? "" : user);
    }
    if (association->attempt != NULL) {
        set_authentication(association->attempt, association);
        attempts_changed(association->attempt);
    }
}

/* Sets the association's authentication from a PDU of the bind sequence; "none" if a bind has no token. */
static void
learn_authentication(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    const struct rpc_pdu *pdu = &record->pdu;

    if (pdu->has_trailer) {
        association->user = record->login == association->login ? association->user : NULL;
        association->login = record->login;
        association->auth_type = pdu->auth_type;
        association->auth_level = pdu->auth_level;
    } else if (association->authentication == NULL && pdu->type == PDU_BIND) {
        const char *user = tracker_smb_user(association->connection, association->connection->session);

        /* Without a token, SMB's logon protects the pipe. */
        association->authentication = record->transport == SESSION_TCP || user == NULL
            ? "none"
            : wmem_strdup_printf(tracker->scope, "none; SMB's user %s", user);
    }
    show_authentication(tracker, association);
}

void
tracker_user(struct tracker *tracker, const char *domain, const char *user)
{
    const char *text = wmem_strdup_printf(tracker->scope, "%s%s%s",
        line_text_max(tracker->pinfo->pool, domain, NAME_TEXT_MAX), domain[0] == '\0' ? "" : "\\",
        user[0] == '\0' ? "anonymous" : line_text_max(tracker->pinfo->pool, user, NAME_TEXT_MAX));
    struct tcp_connection *connection;

    if (tracker->association != NULL) {
        tracker->association->user = text;
        show_authentication(tracker, tracker->association);
    } else if ((connection = tracker_connection(tracker, true)) != NULL) {
        wmem_map_insert(connection->users, wmem_memdup(tracker->scope, &connection->session, sizeof(uint64_t)),
            (void *)text);
    }
}

/* Gives the association an attempt, if it has none, and adds these WANTS_ bits to it. */
static void
begin_attempt(struct tracker *tracker, struct association *association, unsigned wants)
{
    struct tcp_connection *connection = association->connection;

    if (association->attempt == NULL && association->pipe == NULL && connection->opening != NULL) {
        /* The answer to the pipe's Create was not captured: go on with the attempt that sent the Create. */
        association->attempt = connection->opening;
        association->pipe = association->attempt->pipe;
        association->attempt->awaits = STEP_NONE;
        connection->opening = NULL;
    }
    if (association->attempt == NULL) {
        association->attempt = tracker_new_attempt(tracker, connection, association->pipe, wants, tracker->pinfo->num);
    }
    set_authentication(association->attempt, association);
    association->attempt->wants |= wants;
}

static void
client_binds(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    struct rpc_contexts walk = rpc_contexts_begin(record->tvb, &record->pdu);
    struct rpc_context context;
    unsigned wants = 0;

    association->num_offered = 0;
    association->offered =
        (unsigned *)wmem_realloc(tracker->scope, association->offered, (walk.left + 1) * sizeof *association->offered);
    while (rpc_contexts_next(&walk, &context)) {
        association->offered[association->num_offered] = wants_of(&context.uuid);
        wants |= association->offered[association->num_offered++];
    }
    association->wants = wants;
    if (wants & WANTS_INTERFACE) {
        if (association->attempt != NULL && association->attempt->stopped.count != 0) {
            /* A second bind starts a new attempt. */
            association->attempt = NULL;
        }
        begin_attempt(tracker, association, wants & WANTS_INTERFACE);
        if (!association->attempt->is_bound) {
            attempts_reached(association->attempt, STEP_BIND, false);
        }
        association->is_altering = association->attempt->is_bound;
        association->altered_at = tracker->attempts->now;
    } else if (wants != 0) {
        /* A bind to the endpoint mapper or for DCOM activation: only calls will show the interface wanted. */
        tracker_gate_closes(tracker, association->connection, STEP_BIND);
    }
    learn_authentication(tracker, association, record);
}

/* Records that the server rejected a bind, or all its contexts with these WANTS_ bits. */
static void
refuse_bind(struct tracker *tracker, struct association *association, unsigned wants, const struct outcome *what)
{
    if (association->attempt == NULL) {
        begin_attempt(tracker, association, wants);
    }
    attempts_stopped(association->attempt, what);
}

static void
server_binds(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    struct rpc_contexts walk = rpc_results_begin(record->tvb, &record->pdu);
    struct rpc_result result, rejected = { 0 };
    struct outcome why = { .code = OUTCOME_CONTEXT_REJECTED, .step = STEP_BIND };
    unsigned accepted = 0, refused = 0;

    learn_authentication(tracker, association, record);
    tracker_gate_opens(tracker, association->connection, true);
    if (association->is_altering) {
        attempts_step_took(association->attempt, STEP_ALTER, &association->altered_at);
        association->is_altering = false;
    }
    for (unsigned i = 0; i < association->num_offered && rpc_results_next(&walk, &result); i++) {
        const unsigned wants = association->offered[i];

        if (result.result == RPC_RESULT_ACCEPTANCE) {
            accepted |= wants;
        } else if (result.result != RPC_RESULT_NEGOTIATE_ACK && wants != 0) {
            /* The first rejection counts: later ones may be for other transfer syntaxes, which is normal. */
            rejected = refused == 0 ? result : rejected;
            refused |= wants;
        }
    }
    if (association->attempt != NULL && (accepted & WANTS_INTERFACE) != 0) {
        association->attempt->is_bound = true;
        attempts_reached(association->attempt, STEP_BIND, true);
    }
    if ((refused & ~accepted) == 0) {
        return;
    }
    why.status = (uint32_t)rejected.result << 16 | rejected.reason;
    if (association->attempt != NULL && association->attempt->is_bound) {
        /* An earlier context is still bound, so the attempt goes on. */
        attempts_refused_aside(association->attempt, &why);
    } else {
        refuse_bind(tracker, association, refused & ~accepted, &why);
    }
}

static void
server_rejects(struct tracker *tracker, struct association *association, const struct rpc_pdu *pdu)
{
    const struct outcome nak = { .code = OUTCOME_BIND_NAK, .step = STEP_BIND, .status = pdu->reject_reason };

    tracker_gate_opens(tracker, association->connection, true);
    if (association->wants != 0) {
        refuse_bind(tracker, association, association->wants, &nak);
    }
}

static const char *
association_operation_name(struct tracker *tracker, const struct binding *binding, uint16_t opnum)
{
    const char *name = rpc_operation_name(&binding->uuid, binding->version, opnum);

    return name != NULL ? name : wmem_strdup_printf(tracker->scope, "operation %u", opnum);
}

/* Starts an attempt for a request to the endpoint mapper or for an object; each request is a separate attempt. */
static void
begin_location(struct tracker *tracker, struct association *association, struct pending_request *request,
    unsigned wants)
{
    request->attempt = tracker_new_attempt(tracker, association->connection, association->pipe, wants, request->frame);
    set_authentication(request->attempt, association);
}

/* Processes a request to the endpoint mapper. */
static void
client_maps(struct tracker *tracker, struct association *association, struct pending_request *request,
    const struct session_tap *record)
{
    struct endpoint_tower tower;
    unsigned wants, length;
    const uint8_t *stub = rpc_pdu_clear_stub(record->tvb, &record->pdu, &length);

    if (stub == NULL || request->opnum != ENDPOINT_MAP_OPNUM ||
        !endpoint_map_read_request(stub, length, record->pdu.is_little_endian, &tower)) {
        return;
    }
    wants = wants_of(&tower.uuid) & WANTS_INTERFACE;
    if (wants != 0) {
        begin_location(tracker, association, request, wants | WANTS_ENDPOINT);
        attempts_reached(request->attempt, STEP_MAP, true);
    }
}

/* Records which interfaces (WANTS_ bits) a server has at a TCP port. */
static void
expect_at(struct tracker *tracker, const char *server, unsigned port, unsigned wants)
{
    wmem_map_insert(tracker->endpoints, wmem_strdup_printf(tracker->scope, "%s %u", server, port),
        GUINT_TO_POINTER(wants));
}

static void
server_maps(struct tracker *tracker, struct association *association, const struct pending_request *request,
    const struct session_tap *record)
{
    struct attempt *attempt = request->attempt;
    struct endpoint_tower tower;
    uint32_t status;
    unsigned length;
    const uint8_t *stub = rpc_pdu_clear_stub(record->tvb, &record->pdu, &length);

    if (stub == NULL || !endpoint_map_read_response(stub, length, record->pdu.is_little_endian, &tower, &status)) {
        attempt->found.code = OUTCOME_FOUND_UNREAD;
    } else if (status != 0) {
        attempt->may_start = true;
        attempt->answers = 0;
        attempts_stopped(attempt, &(struct outcome){ .code = OUTCOME_NO_ENDPOINT, .step = STEP_MAP, .status = status });
    } else if (tower.port == 0) {
        attempt->found.code = OUTCOME_FOUND_ELSEWHERE;
    } else {
        attempt->found = (struct outcome){ .code = OUTCOME_FOUND_PORT, .step = STEP_MAP, .status = tower.port };
        expect_at(tracker, association->connection->server, tower.port, attempt->wants & WANTS_INTERFACE);
    }
    attempts_ended(attempt, ENDING_NONE);
}

static void
count_bytes(const struct pending_request *request, const struct rpc_pdu *pdu)
{
    if (request->attempt != NULL) {
        struct attempt *attempt = attempts_shown(request->attempt);

        attempt->bytes += rpc_pdu_stub_size(pdu);
        attempts_changed(attempt);
    }
}

/* Returns true if the call may be of interest, by the pipe's name or the port alone. */
static bool
may_be_ours(const struct association *association)
{
    if (association->connection->carrier != SESSION_TCP) {
        return association->pipe == NULL || rpc_pipe_is_registry(association->pipe);
    }
    return association->connection->port != PORT_MAPPER;
}

/* Records a request on a context without a bind. A dissector may still recognise its interface. */
static void
note_unbound(struct tracker *tracker, struct association *association, struct pending_request *request,
    const struct rpc_pdu *pdu)
{
    struct attempt *attempt;

    if (association->attempt == NULL) {
        begin_attempt(tracker, association, 0);
    }
    if (association->auth_type == 0 && pdu->has_trailer) {
        association->auth_type = pdu->auth_type;
        association->auth_level = pdu->auth_level;
        show_authentication(tracker, association);
    }
    attempt = attempts_shown(association->attempt);
    attempt->stage = STAGE_CALL;
    attempt->unbound++;
    attempt->locked += pdu->auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
    request->is_unbound = true;
    attempts_changed(attempt);
}

static struct pending_request *
begin_call(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    const struct rpc_pdu *pdu = &record->pdu;
    struct pending_request *request = wmem_new0(tracker->scope, struct pending_request);
    const struct binding *binding = record->binding;

    request->wants = binding == NULL ? 0 : wants_of(&binding->uuid);
    if (binding != NULL && binding->recognition != NULL && (request->wants & WANTS_INTERFACE)) {
        begin_attempt(tracker, association, request->wants & WANTS_INTERFACE);
        association->attempt->is_bound = true;
    }
    request->opnum = pdu->opnum;
    request->frame = tracker->pinfo->num;
    request->time = tracker->attempts->now;
    request->operation = binding == NULL ? "a call" : association_operation_name(tracker, binding, pdu->opnum);
    if (request->wants & WANTS_INTERFACE) {
        request->attempt = association->attempt;
    } else if (request->wants & WANTS_ENDPOINT) {
        client_maps(tracker, association, request, record);
    } else if (binding == NULL && may_be_ours(association)) {
        note_unbound(tracker, association, request, pdu);
    }
    if (binding != NULL && request->attempt != association->attempt && association->attempt != NULL) {
        request->is_others = true;
        attempts_shown(association->attempt)->others++;
        attempts_changed(association->attempt);
    }
    if (request->attempt != NULL) {
        attempts_request(request);
    }
    wmem_map_insert(association->calls, GUINT_TO_POINTER(pdu->call_id), request);
    return request;
}

static void
client_calls(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    tracker->request = record->pdu.flags & PDU_FLAG_FIRST_FRAG
        ? begin_call(tracker, association, record)
        : (struct pending_request *)wmem_map_lookup(association->calls, GUINT_TO_POINTER(record->pdu.call_id));
    if (tracker->request != NULL) {
        count_bytes(tracker->request, &record->pdu);
    }
}

/*
 * Returns a new request for an answer or a fault whose request was not captured. Returns NULL if the request is known,
 * or the call is not of interest.
 */
static struct pending_request *
lost_request(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    const unsigned wants = record->binding == NULL ? 0 : wants_of(&record->binding->uuid);
    struct pending_request *request;

    if (!(record->pdu.flags & PDU_FLAG_LAST_FRAG) || !association->connection->losses.lacks[CLIENT] ||
        (wants & WANTS_INTERFACE) == 0 || association->attempt == NULL) {
        return NULL;
    }
    request = wmem_new0(tracker->scope, struct pending_request);
    request->wants = wants;
    request->operation = "a call";
    request->attempt = association->attempt;
    attempts_request(request);
    return request;
}

/* Returns the request that the PDU answers, and sets tracker->request to it; NULL if it is not of interest. */
static struct pending_request *
answered_request(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    struct pending_request *request =
        (struct pending_request *)wmem_map_lookup(association->calls, GUINT_TO_POINTER(record->pdu.call_id));

    tracker->request = request != NULL ? request : lost_request(tracker, association, record);
    return tracker->request;
}

/*
 * Gives a request without a captured bind the interface that its answer revealed. If that is none of the plugin's, the
 * request is no longer counted in .unbound.
 */
static void
answer_explains(struct tracker *tracker, struct association *association, struct pending_request *request,
    const struct binding *binding)
{
    request->wants = wants_of(&binding->uuid);
    if (request->wants & WANTS_INTERFACE) {
        request->operation = association_operation_name(tracker, binding, request->opnum);
        association->attempt->is_bound = true;
        tracker_call(tracker, request->wants & WANTS_INTERFACE);
    } else {
        struct attempt *attempt = attempts_shown(association->attempt);

        request->is_unbound = false;
        attempt->unbound--;
        attempts_changed(attempt);
        if (attempt->unbound == 0 && attempt->wants == 0) {
            attempts_withdraw(association->attempt);
            association->attempt = NULL;
        }
    }
}

static void
server_answers(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    const struct rpc_pdu *pdu = &record->pdu;
    struct pending_request *request = answered_request(tracker, association, record);

    if (request == NULL) {
        return;
    }
    if (request->is_unbound && record->binding != NULL) {
        answer_explains(tracker, association, request, record->binding);
    }
    count_bytes(request, pdu);
    if (!(pdu->flags & PDU_FLAG_LAST_FRAG)) {
        return;
    }
    wmem_map_remove(association->calls, GUINT_TO_POINTER(pdu->call_id));
    request->is_answered = true;
    if (request->attempt != NULL) {
        attempts_answered(request);
        if ((pdu->flags & PDU_FLAG_FIRST_FRAG) == 0 && !session_reassembles()) {
            attempts_shown(request->attempt)->fragmented++;
            wmem_map_insert(tracker->attempts->unread, GUINT_TO_POINTER(request->frame),
                GUINT_TO_POINTER(OUTCOME_FRAGMENTED));
        }
        if (request->wants & WANTS_ENDPOINT) {
            server_maps(tracker, association, request, record);
        }
    }
}

static void
server_faults(struct tracker *tracker, struct association *association, const struct session_tap *record)
{
    const struct rpc_pdu *pdu = &record->pdu;
    struct pending_request *request = answered_request(tracker, association, record);

    if (request == NULL) {
        return;
    }
    wmem_map_remove(association->calls, GUINT_TO_POINTER(pdu->call_id));
    if (request->attempt == NULL && (request->wants & WANTS_OBJECT)) {
        /* A fault to an activation request whose COM class is unknown still counts as an attempt to reach an object. */
        begin_location(tracker, association, request, WANTS_OBJECT);
        attempts_request(request);
    }
    if (request->attempt == NULL) {
        return;
    }
    count_bytes(request, pdu);
    attempts_fault(request, pdu->has_status, pdu->status);
    if (request->wants & (WANTS_ENDPOINT | WANTS_OBJECT)) {
        attempts_ended(request->attempt, ENDING_NONE);
    }
}

/* Ends the calls whose answer the client no longer wants. Their missing answer is not the server's fault. */
static void
client_gives_up(struct association *association, const struct rpc_pdu *pdu)
{
    struct pending_request *request =
        (struct pending_request *)wmem_map_remove(association->calls, GUINT_TO_POINTER(pdu->call_id));

    if (request != NULL && request->attempt != NULL) {
        attempts_given_up(request, (struct outcome){ .code = OUTCOME_GIVEN_UP, .step = STEP_CALL });
    }
}

static void
end_call(void *key _U_, void *value, void *data)
{
    struct pending_request *request = (struct pending_request *)value;

    if (request->link != NULL) {
        attempts_given_up(request, *(const struct outcome *)data);
    }
}

void
tracker_pipe_ends(struct tracker *tracker, struct association *association, struct outcome what)
{
    if (association->attempt != NULL && association->attempt->awaits != STEP_NONE) {
        what.operation = steps[association->attempt->awaits].text;
        attempts_stopped(association->attempt, &what);
    }
    if (wmem_map_size(association->calls) != 0) {
        wmem_map_foreach(association->calls, end_call, &what);
        association->calls = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    }
}

void
tracker_pdu(struct tracker *tracker, const void *tapped)
{
    const struct session_tap *record = (const struct session_tap *)tapped;
    const struct rpc_pdu *pdu = &record->pdu;
    struct association *association = tracker_association(tracker, record);

    if (association == NULL) {
        return;
    }
    tracker->association = association;
    tracker->request = NULL;
    switch (pdu->type) {
    case PDU_BIND:
    case PDU_ALTER: client_binds(tracker, association, record); break;
    case PDU_BIND_ACK:
    case PDU_ALTER_ACK: server_binds(tracker, association, record); break;
    case PDU_BIND_NAK: server_rejects(tracker, association, pdu); break;
    case PDU_AUTH3: learn_authentication(tracker, association, record); break;
    case PDU_REQ:
        if (association->connection->gate.awaits == STEP_BIND) {
            tracker_gate_opens(tracker, association->connection, false);
        }
        client_calls(tracker, association, record);
        break;
    case PDU_RESP: server_answers(tracker, association, record); break;
    case PDU_FAULT: server_faults(tracker, association, record); break;
    case PDU_ORPHANED: client_gives_up(association, pdu); break;
    default: break;
    }
}

struct attempt *
tracker_call(struct tracker *tracker, unsigned wants)
{
    struct association *association = tracker->association;

    if (association == NULL) {
        return NULL;
    }
    if (association->attempt == NULL) {
        begin_attempt(tracker, association, wants);
        association->attempt->is_bound = true;
        association->attempt->stage = STAGE_CALL;
        if (tracker->request == NULL) {
            association->attempt->answers++;
        }
    }
    association->attempt->wants |= wants;
    if (tracker->request != NULL && tracker->request->is_unbound) {
        /* The caller knows the interface, so the request no longer counts as one without a bind. */
        tracker->request->is_unbound = false;
        attempts_shown(association->attempt)->unbound--;
    }
    if (tracker->request != NULL && tracker->request->is_others) {
        tracker->request->is_others = false;
        attempts_shown(association->attempt)->others--;
    }
    if (tracker->request != NULL && tracker->request->attempt == NULL) {
        tracker->request->attempt = association->attempt;
        attempts_request(tracker->request);
        if (tracker->request->is_answered) {
            attempts_answered(tracker->request);
        }
    }
    attempts_changed(association->attempt);
    return attempts_shown(association->attempt);
}

void
tracker_object(struct tracker *tracker, const char *class_name)
{
    struct association *association = tracker->association;
    struct pending_request *request = tracker->request;

    if (association == NULL || request == NULL || request->attempt != NULL) {
        return;
    }
    begin_location(tracker, association, request, WANTS_PLA | WANTS_OBJECT);
    request->attempt->class_name = class_name;
    request->attempt->is_bound = true;
    attempts_request(request);
}

/* Returns the attempt of the request for an object that the frame's latest PDU belongs to; NULL if not tracked. */
static struct attempt *
location_attempt(const struct tracker *tracker)
{
    return tracker->association != NULL && tracker->request != NULL ? tracker->request->attempt : NULL;
}

static const char *
object_key(wmem_allocator_t *scope, const char *client, const char *server, unsigned port)
{
    return wmem_strdup_printf(scope, "%s %s %u", client, server, port);
}

void
tracker_object_at(struct tracker *tracker, const char *server, uint16_t port)
{
    struct attempt *attempt = location_attempt(tracker);

    if (attempt != NULL) {
        server = server != NULL ? server : attempt->server;
        expect_at(tracker, server, port, WANTS_PLA);
        wmem_map_insert(tracker->objects, object_key(tracker->scope, attempt->client, server, port), attempt);
    }
}

struct attempt *
tracker_activation(const struct tracker *tracker, const char *client, const char *server, unsigned port)
{
    return (struct attempt *)wmem_map_lookup(tracker->objects, object_key(tracker->pinfo->pool, client, server, port));
}

void
tracker_object_answer(struct tracker *tracker, const struct outcome *why)
{
    struct attempt *attempt = location_attempt(tracker);

    if (attempt == NULL) {
        return;
    }
    if (why != NULL) {
        attempts_refused(attempt, why);
    } else {
        attempt->found = (struct outcome){ .code = OUTCOME_FOUND_OBJECT, .step = STEP_ACTIVATE };
    }
    attempts_ended(attempt, ENDING_NONE);
}

struct tracker *
tracker_new(attempt_show show, void *data)
{
    struct tracker *tracker = g_new0(struct tracker, 1);

    tracker->attempts = attempts_new(show, data);
    tracker_clear(tracker);
    return tracker;
}

void
tracker_clear(struct tracker *tracker)
{
    struct attempts *attempts = tracker->attempts;

    attempts_clear(attempts);
    *tracker = (struct tracker){ .attempts = attempts };
    tracker->scope = tracker->attempts->scope;
    tracker->connections = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    tracker->endpoints = wmem_map_new(tracker->scope, wmem_str_hash, g_str_equal);
    tracker->objects = wmem_map_new(tracker->scope, wmem_str_hash, g_str_equal);
    tracker->begun = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    tracker->cut_streams = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    tracker->gates = wmem_list_new(tracker->scope);
    tracker->reached = wmem_map_new(tracker->scope, wmem_str_hash, g_str_equal);
}
