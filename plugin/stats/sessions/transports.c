/* transports.c
 * Attempts as TCP and SMB show them: until a pipe is open, or why there is none
 *
 * [MS-SMB2] 2.2, [MS-CIFS] 2.2.4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/sessions/wire-parts.h"

#include <epan/dissectors/packet-smb.h>
#include <epan/dissectors/packet-smb2.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/to_str.h>

#include "base/fields.h"
#include "base/rpc-pdu.h"
#include "base/text.h"

/* [MS-ERREF] 2.3.1 */
#define STATUS_ERROR                    0xc0000000u /* severity */
#define STATUS_SUCCESS                  0x00000000u
#define STATUS_PENDING                  0x00000103u
#define STATUS_MORE_PROCESSING_REQUIRED 0xc0000016u
#define STATUS_OBJECT_NAME_NOT_FOUND    0xc0000034u
#define STATUS_PIPE_NOT_AVAILABLE       0xc00000acu

#define MOST_HALF_OPEN 4096u /* connections are followed before anybody accepts them */

#define SILENT_TURNS 4u  /* that tell that a connection's messages cannot be read */
#define AGAIN        0.2 /* seconds: what comes sooner is no SYN sent again, but one captured twice */
#define PATIENCE     5.0 /* seconds without an answer that are told before the connection ends */

/* An entry of the list of gates: while the gate has still this number nobody answered. */
struct waiting {
    struct tcp_connection *connection;
    unsigned number;
};

/* A request of SMB that is looked at again when it is answered. */
struct smb_request {
    const char *name; /* of a share or a file; NULL: not known */
    uint32_t frame;
    struct attempt *attempt; /* that it opens a pipe for, or NULL */
};

/* Connections. */

static const char *
address_text(const struct wire *wire, const address *at)
{
    return address_to_str(wire->scope, at);
}

static const void *
message_key(uint64_t number)
{
    /* Of a 64-bit MessageId all that ever differs. */
    return GUINT_TO_POINTER((unsigned)number);
}

static struct tcp_connection *
new_connection(struct wire *wire, bool is_clients)
{
    const tcp_info_t *segment = wire->segment;
    struct tcp_connection *connection = wmem_new0(wire->scope, struct tcp_connection);

    connection->client = address_text(wire, is_clients ? &segment->ip_src : &segment->ip_dst);
    connection->server = address_text(wire, is_clients ? &segment->ip_dst : &segment->ip_src);
    connection->port = is_clients ? segment->th_dport : segment->th_sport;
    connection->requests = wmem_map_new(wire->scope, g_direct_hash, g_direct_equal);
    connection->associations = wmem_map_new(wire->scope, g_direct_hash, g_direct_equal);
    connection->opened = wmem_list_new(wire->scope);
    wmem_map_insert(wire->connections, GUINT_TO_POINTER(segment->th_stream), connection);
    return connection;
}

/* What is said of a connection depends on what the capture lacks of it. */
static void
tell_losses(struct wire *wire, struct tcp_connection *connection, enum end end)
{
    const struct sent *sent = &connection->sent[end];

    if (connection->lacks[end] == (sent->is_lossy || sent->has_hole)) {
        return;
    }
    connection->lacks[end] = !connection->lacks[end];
    if (connection->opening != NULL) {
        attempts_changed(wire->attempts, connection->opening);
    }
    for (wmem_list_frame_t *link = wmem_list_head(connection->opened); link != NULL;
         link = wmem_list_frame_next(link)) {
        const struct association *association = (const struct association *)wmem_list_frame_data(link);

        if (association->attempt != NULL) {
            attempts_changed(wire->attempts, association->attempt);
        }
        if (association->asks != NULL) {
            attempts_changed(wire->attempts, association->asks);
        }
    }
}

static bool
is_after(uint32_t sequence, uint32_t other)
{
    return (int32_t)(sequence - other) > 0;
}

/* A segment that begins behind what was captured leaves a hole; one that comes late fills it. */
static void
look_for_hole(struct sent *sent, uint32_t begin, uint32_t end)
{
    if (is_after(begin, sent->next)) {
        sent->is_lossy = sent->is_lossy || sent->has_hole;
        sent->has_hole = true;
        sent->hole = sent->next;
        sent->hole_end = begin;
        return;
    }
    if (!is_after(begin, sent->hole)) {
        sent->hole = is_after(end, sent->hole) ? end : sent->hole;
    } else if (!is_after(sent->hole_end, end) && is_after(sent->hole_end, begin)) {
        sent->hole_end = begin;
    }
    sent->has_hole = sent->has_hole && is_after(sent->hole_end, sent->hole);
}

/* What an end acknowledges, or sent before its latest segment, and the capture does not hold. */
static void
look_for_losses(struct wire *wire, struct tcp_connection *connection, enum end end, const tcp_info_t *segment)
{
    const enum end peer = end == CLIENT ? SERVER : CLIENT;
    struct sent *own = &connection->sent[end], *others = &connection->sent[peer];
    const uint32_t next = segment->th_rawseq + segment->th_seglen + ((segment->th_flags & (TH_SYN | TH_FIN)) ? 1 : 0);

    if (!segment->th_have_seglen) {
        own->is_known = false;
    } else {
        if (own->is_known) {
            look_for_hole(own, segment->th_rawseq, next);
        }
        if ((segment->th_flags & TH_RST) == 0 && (!own->is_known || is_after(next, own->next))) {
            own->is_known = true;
            own->next = next;
        }
    }
    if ((segment->th_flags & TH_ACK) && (!others->is_known || is_after(segment->th_rawack, others->next))) {
        if (others->is_known) {
            look_for_hole(others, segment->th_rawack, segment->th_rawack);
        }
        others->is_known = true;
        others->next = segment->th_rawack;
    }
    tell_losses(wire, connection, end);
    tell_losses(wire, connection, peer);
}

struct tcp_connection *
wire_connection(struct wire *wire, const packet_info *pinfo, bool is_clients)
{
    struct tcp_connection *connection;

    if (wire->segment_frame != pinfo->num) {
        return NULL;
    }
    connection =
        (struct tcp_connection *)wmem_map_lookup(wire->connections, GUINT_TO_POINTER(wire->segment->th_stream));
    if (connection == NULL) {
        connection = new_connection(wire, is_clients);
        connection->is_open = true;
        look_for_losses(wire, connection, is_clients ? CLIENT : SERVER, wire->segment);
    }
    return connection;
}

/* The pipe as it is shown, of a name that stands there for it: without backslashes before it. In wire->scope. */
static const char *
pipe_name(const struct wire *wire, const char *name)
{
    return rpc_pipe_is_registry(name) ? "winreg" : line_text_copy(wire->scope, rpc_pipe_base_name(name), NAME_TEXT_MAX);
}

/* An association as it begins. */
static struct association *
new_association(struct wire *wire, struct tcp_connection *connection, const char *pipe)
{
    struct association *association = wmem_new0(wire->scope, struct association);

    association->connection = connection;
    association->pipe = pipe;
    association->bindings = wmem_map_new(wire->scope, g_direct_hash, g_direct_equal);
    association->calls = wmem_map_new(wire->scope, g_direct_hash, g_direct_equal);
    wmem_list_append(connection->opened, association);
    return association;
}

struct association *
wire_association(struct wire *wire, const packet_info *pinfo, const struct session_tap *told)
{
    struct tcp_connection *connection = wire_connection(wire, pinfo, rpc_pdu_is_clients(&told->pdu));
    const void *key = told->way == SESSION_SMB2 ? told->file
        : told->way == SESSION_SMB              ? GUINT_TO_POINTER(told->fid + 1u)
                                                : NULL;
    struct association *association;

    if (connection == NULL) {
        return NULL;
    }
    connection->carrier = told->way == SESSION_SMB2 ? CARRIED_BY_SMB2
        : told->way == SESSION_SMB                  ? CARRIED_BY_SMB
                                                    : CARRIED_BY_TCP;
    association = (struct association *)wmem_map_lookup(connection->associations, key);
    if (association == NULL) {
        /* packet-smb2's name of a file whose Create request it has not seen is none. */
        const bool has_name = told->pipe_name != NULL && told->pipe_name[0] != '[';

        association = new_association(wire, connection, has_name ? pipe_name(wire, told->pipe_name) : NULL);
        wmem_map_insert(connection->associations, key, association);
    }
    return association;
}

struct attempt *
wire_new_attempt(struct wire *wire, struct tcp_connection *connection, const char *pipe, unsigned wants, uint32_t frame)
{
    const struct attempt begin = {
        .client = connection->client,
        .server = connection->server,
        .carrier = connection->carrier,
        .port = connection->port,
        .pipe = pipe,
        .wants = wants,
        .frame = frame,
        .lacks = connection->lacks,
    };

    return attempts_add(wire->attempts, &begin);
}

static double
seconds_since(const nstime_t *time, const packet_info *pinfo)
{
    nstime_t delta;

    nstime_delta(&delta, &pinfo->abs_ts, time);
    return nstime_to_sec(&delta);
}

/* What is asked before anything is named. */

void
wire_gate_closes(struct wire *wire, struct tcp_connection *connection, enum stage stage, const char *awaits,
    const packet_info *pinfo)
{
    struct waiting *waiting = wmem_new(wire->scope, struct waiting);

    connection->gate = (struct gate){ awaits, stage, pinfo->num, pinfo->abs_ts, connection->gate.number + 1 };
    *waiting = (struct waiting){ connection, connection->gate.number };
    wmem_list_append(wire->gates, waiting);
}

/* What was asked for was not given (text is kept as it is). */
static void
gate_stops(struct wire *wire, struct tcp_connection *connection, enum stage stage, const char *text,
    const packet_info *pinfo)
{
    struct attempt *unnamed = wire_new_attempt(wire, connection, NULL, connection->wants, connection->gate.frame);

    connection->gate.awaits = NULL;
    unnamed->may_start = stage == STAGE_TCP && connection->wants != 0;
    attempts_stopped(wire->attempts, unnamed, stage, text, pinfo);
}

/* Tells of those who waited for long. */
static void
lose_patience(struct wire *wire, const packet_info *pinfo)
{
    for (wmem_list_frame_t *link = wmem_list_head(wire->gates); link != NULL; link = wmem_list_head(wire->gates)) {
        struct waiting *waiting = (struct waiting *)wmem_list_frame_data(link);
        struct tcp_connection *connection = waiting->connection;

        if (connection->gate.awaits != NULL && connection->gate.number == waiting->number) {
            if (seconds_since(&connection->gate.time, pinfo) < PATIENCE) {
                return;
            }
            gate_stops(wire, connection, connection->gate.stage,
                wmem_strdup_printf(wire->scope, "no answer to %s%s", connection->gate.awaits,
                    attempt_doubt(connection->lacks, SERVER)),
                pinfo);
        }
        wmem_list_remove_frame(wire->gates, link);
        wmem_free(wire->scope, waiting);
    }
}

/* TCP */

static void
transport_connection_ended(struct wire *wire, struct tcp_connection *connection, bool is_reset, bool by_client,
    const packet_info *pinfo)
{
    const char *how = is_reset ? by_client ? "the client reset the connection" : "the server reset the connection"
        : connection->lacks[by_client ? SERVER : CLIENT] ? "the connection was closed"
        : by_client                                      ? "the client closed the connection"
                                                         : "the server closed the connection";

    if (connection->is_over) {
        return;
    }
    connection->is_over = true;
    if (!connection->is_open && connection->syns != 0) {
        if (is_reset && !by_client && !connection->is_refused) {
            connection->is_refused = true;
            gate_stops(wire, connection, STAGE_TCP, "connection refused", pinfo);
        }
        return;
    }
    if (connection->gate.awaits != NULL) {
        gate_stops(wire, connection, connection->gate.stage,
            wmem_strdup_printf(wire->scope, "%s before an answer to %s%s", how, connection->gate.awaits,
                attempt_doubt(connection->lacks, SERVER)),
            pinfo);
    }
    for (wmem_list_frame_t *link = wmem_list_head(connection->opened); link != NULL;
         link = wmem_list_frame_next(link)) {
        const struct association *association = (const struct association *)wmem_list_frame_data(link);

        if (association->attempt != NULL && !association->attempt->is_over) {
            attempts_ended(wire->attempts, association->attempt, how, pinfo);
        }
    }
}

/* What is known to be at that port of the server; 0: nothing. */
static unsigned
expected_at(const struct wire *wire, const packet_info *pinfo, const tcp_info_t *segment)
{
    if (wmem_map_size(wire->endpoints) == 0) {
        return 0;
    }
    return GPOINTER_TO_UINT(wmem_map_lookup(wire->endpoints,
        wmem_strdup_printf(pinfo->pool, "%s %u", address_to_str(pinfo->pool, &segment->ip_dst), segment->th_dport)));
}

static void
client_connects(struct wire *wire, struct tcp_connection *connection, const packet_info *pinfo,
    const tcp_info_t *segment)
{
    const unsigned wants = expected_at(wire, pinfo, segment);

    if (connection == NULL) {
        if (wants == 0 && segment->th_dport != PORT_SMB && segment->th_dport != PORT_NETBIOS &&
            segment->th_dport != PORT_MAPPER) {
            return;
        }
        if (wants == 0 && wire->half_open >= MOST_HALF_OPEN) {
            wire->unfollowed++;
            return;
        }
        connection = new_connection(wire, true);
        wire->half_open++;
        connection->wants = wants;
        wire_gate_closes(wire, connection, STAGE_TCP, (wants & WANTS_PLA) != 0 ? "SYN to the object's port" : "SYN",
            pinfo);
    } else if (connection->gate.awaits != NULL && seconds_since(&connection->gate.time, pinfo) < AGAIN) {
        return;
    }
    /* Windows tries again where it was refused. */
    connection->is_over = connection->is_over && connection->is_open;
    connection->syns++;
    if (connection->syns == 2 && connection->gate.awaits != NULL) {
        /* Sent again: it did not come at once, and maybe never. */
        gate_stops(wire, connection, STAGE_TCP,
            (wants & WANTS_PLA) != 0 ? "no answer to SYN to the object's port" : "no answer to SYN", pinfo);
    }
}

/* SMB 3 may encrypt all that follows a logon. */
static void
nothing_read(struct wire *wire, struct tcp_connection *connection, bool is_clients, const packet_info *pinfo)
{
    if (connection->silent != 0 && connection->is_silent_client == is_clients) {
        /* It may be one long message. */
        return;
    }
    connection->is_silent_client = is_clients;
    connection->silent++;
    if (connection->silent == SILENT_TURNS) {
        connection->gate.frame = pinfo->num;
        gate_stops(wire, connection, STAGE_SESSION,
            "what follows the logon is encrypted by SMB 3, or not SMB: pipes and calls cannot be seen", pinfo);
    }
}

/* Whatever waited for that waits no longer. */
static void
is_accepted(struct wire *wire, struct tcp_connection *connection)
{
    if (!connection->is_open && connection->syns != 0) {
        wire->half_open--;
    }
    connection->is_open = true;
    connection->gate.awaits = NULL;
}

unsigned
wire_unfollowed(const struct wire *wire)
{
    return wire->unfollowed;
}

/* What the latest segment tells of a connection that is known. */
static void
known_connection(struct wire *wire, struct tcp_connection *connection, const packet_info *pinfo,
    const tcp_info_t *segment)
{
    const bool is_clients = segment->th_dport == connection->port;

    look_for_losses(wire, connection, is_clients ? CLIENT : SERVER, segment);
    if (!connection->is_open && (segment->th_flags & (TH_SYN | TH_RST | TH_ACK)) == TH_ACK) {
        /* It must have been accepted. */
        is_accepted(wire, connection);
    }
    if (connection->is_logged_on && segment->th_have_seglen && segment->th_seglen != 0) {
        nothing_read(wire, connection, is_clients, pinfo);
    }
}

void
wire_segment(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const tcp_info_t *segment = (const tcp_info_t *)tapped;
    struct tcp_connection *connection;

    wire->segment = segment;
    wire->segment_frame = pinfo->num;
    connection = (struct tcp_connection *)wmem_map_lookup(wire->connections, GUINT_TO_POINTER(segment->th_stream));
    if (connection != NULL) {
        known_connection(wire, connection, pinfo, segment);
    }
    if ((segment->th_flags & (TH_SYN | TH_FIN | TH_RST)) == 0) {
        return;
    }
    if ((segment->th_flags & (TH_SYN | TH_ACK | TH_RST)) == TH_SYN) {
        client_connects(wire, connection, pinfo, segment);
    } else if (connection != NULL && (segment->th_flags & TH_SYN)) {
        is_accepted(wire, connection);
    } else if (connection != NULL) {
        transport_connection_ended(wire, connection, segment->th_flags & TH_RST, segment->th_dport == connection->port,
            pinfo);
    }
}

/* SMB: both versions come to the same. */

enum { SMB1, SMB2, NUM_SMB_VERSIONS };

/* The commands on the way to a pipe. */
struct smb_command {
    unsigned code[NUM_SMB_VERSIONS];
    const char *name; /* as it is shown */
    enum { SMB_GATE, SMB_TREE, SMB_OPEN, SMB_CLOSE, SMB_PIPE, SMB_OTHER } kind;
    bool is_logon;
};

static const struct smb_command *
find_command(unsigned version, unsigned code)
{
    static const struct smb_command commands[] = {
        { { SMB_COM_NEGOTIATE, SMB2_COM_NEGOTIATE_PROTOCOL }, "Negotiate", SMB_GATE, false },
        { { SMB_COM_SESSION_SETUP_ANDX, SMB2_COM_SESSION_SETUP }, "Session Setup", SMB_GATE, true },
        { { SMB_COM_TREE_CONNECT_ANDX, SMB2_COM_TREE_CONNECT }, "Tree Connect", SMB_TREE, false },
        { { SMB_COM_NT_CREATE_ANDX, SMB2_COM_CREATE }, "Create", SMB_OPEN, false },
        { { SMB_COM_CLOSE, SMB2_COM_CLOSE }, "Close", SMB_CLOSE, false },
        { { SMB_COM_READ_ANDX, SMB2_COM_READ }, "Read", SMB_PIPE, false },
        { { SMB_COM_WRITE_ANDX, SMB2_COM_WRITE }, "Write", SMB_PIPE, false },
        { { SMB_COM_TRANSACTION, SMB2_COM_IOCTL }, "Transceive", SMB_PIPE, false },
    };
    static const struct smb_command other = { .name = "", .kind = SMB_OTHER };

    for (size_t i = 0; i < array_length(commands); i++) {
        if (commands[i].code[version] == code) {
            return &commands[i];
        }
    }
    return &other;
}

struct smb_message {
    const struct smb_command *command;
    bool is_response;
    uint32_t status;
    const char *status_field; /* that has the names of it */
    const void *id;           /* of the request it is, or answers */
    const char *name;         /* of a share or a file; NULL: not known */
    const void *file;         /* opened or closed; NULL: not known */
};

static const char *
status_text(const struct wire *wire, const struct smb_message *message, const char *user)
{
    const char *name = foreign_field_value_name(message->status_field, message->status);

    return wmem_strdup_printf(wire->scope, "%s: %s (0x%08x)%s%s", message->command->name, name != NULL ? name : "error",
        message->status, user == NULL ? "" : ", user ", user == NULL ? "" : user);
}

static bool
is_ipc(const char *share)
{
    static const char ipc[] = "IPC$";
    const size_t length = share == NULL ? 0 : strlen(share);

    /* The pipes' share; of one whose name is not known it is not said that it is another. */
    return share == NULL ||
        (length >= sizeof ipc - 1 && g_ascii_strcasecmp(share + length - (sizeof ipc - 1), ipc) == 0);
}

static void
pipe_is_opened(struct wire *wire, struct tcp_connection *connection, const struct smb_message *message,
    struct smb_request *request, const packet_info *pinfo)
{
    struct association *association;

    if (request->attempt == NULL && rpc_pipe_is_registry(message->name)) {
        request->attempt = wire_new_attempt(wire, connection, "winreg", 0, request->frame);
    }
    if (request->attempt != NULL) {
        association = new_association(wire, connection, "winreg");
        association->attempt = request->attempt;
        wmem_map_insert(connection->associations, message->file, association);
        attempts_reached(wire->attempts, request->attempt, STAGE_PIPE, NULL, pinfo);
    }
}

static void
pipe_is_closed(struct wire *wire, struct tcp_connection *connection, const struct smb_message *message,
    const packet_info *pinfo)
{
    const struct association *association =
        message->file == NULL ? NULL : (struct association *)wmem_map_lookup(connection->associations, message->file);

    if (association != NULL && association->attempt != NULL) {
        attempts_ended(wire->attempts, association->attempt, "the client closed the pipe", pinfo);
    }
}

static void
smb_request(struct wire *wire, struct tcp_connection *connection, const struct smb_message *message,
    const packet_info *pinfo)
{
    const struct smb_command *command = message->command;
    struct smb_request *request;

    if (command->kind == SMB_GATE || (command->kind == SMB_TREE && is_ipc(message->name))) {
        wire_gate_closes(wire, connection, command->kind == SMB_GATE ? STAGE_SESSION : STAGE_TREE, command->name,
            pinfo);
    } else if (command->kind == SMB_CLOSE) {
        pipe_is_closed(wire, connection, message, pinfo);
    }
    if (command->kind != SMB_TREE && command->kind != SMB_OPEN) {
        return;
    }
    if (command->kind == SMB_OPEN || !is_ipc(message->name)) {
        /* What comes before was granted, whether the capture has it or not. */
        connection->gate.awaits = NULL;
    }
    request = wmem_new0(wire->scope, struct smb_request);
    request->frame = pinfo->num;
    request->name = message->name == NULL ? NULL : wmem_strdup(wire->scope, message->name);
    wmem_map_insert(connection->requests, message->id, request);
    if (command->kind == SMB_OPEN && rpc_pipe_is_registry(message->name)) {
        request->attempt = wire_new_attempt(wire, connection, "winreg", 0, pinfo->num);
        attempts_reached(wire->attempts, request->attempt, STAGE_PIPE, command->name, pinfo);
        connection->opening = request->attempt;
    }
}

static void
smb_response(struct wire *wire, struct tcp_connection *connection, const struct smb_message *message,
    const packet_info *pinfo)
{
    const struct smb_command *command = message->command;
    const bool failed = (message->status & STATUS_ERROR) == STATUS_ERROR;
    struct smb_request *request = (struct smb_request *)wmem_map_remove(connection->requests, message->id);
    struct smb_request unknown = { .frame = pinfo->num };

    if (request != NULL && request->attempt == connection->opening) {
        connection->opening = NULL;
    }
    if (command->kind == SMB_GATE || command->kind == SMB_TREE) {
        if (failed && message->status != STATUS_MORE_PROCESSING_REQUIRED &&
            (command->kind == SMB_GATE || is_ipc(request == NULL ? NULL : request->name))) {
            gate_stops(wire, connection, command->kind == SMB_GATE ? STAGE_SESSION : STAGE_TREE,
                status_text(wire, message, command->is_logon ? connection->user : NULL), pinfo);
        }
        connection->gate.awaits = NULL;
        connection->is_logged_on = command->is_logon && message->status == STATUS_SUCCESS;
        connection->silent = 0;
    } else if (command->kind == SMB_OPEN && !failed) {
        pipe_is_opened(wire, connection, message, request == NULL ? &unknown : request, pinfo);
    } else if (command->kind == SMB_OPEN && request != NULL && request->attempt != NULL) {
        request->attempt->may_start =
            message->status == STATUS_OBJECT_NAME_NOT_FOUND || message->status == STATUS_PIPE_NOT_AVAILABLE;
        attempts_stopped(wire->attempts, request->attempt, STAGE_PIPE, status_text(wire, message, NULL), pinfo);
    } else if (command->kind == SMB_PIPE && failed && message->file != NULL) {
        struct association *association =
            (struct association *)wmem_map_lookup(connection->associations, message->file);

        if (association != NULL) {
            wire_pipe_refused(wire, association, status_text(wire, message, NULL), pinfo);
        }
    }
    if (request != NULL) {
        /* A server of files has millions. */
        wmem_free(wire->scope, (char *)request->name);
        wmem_free(wire->scope, request);
    }
}

static void
smb_message(struct wire *wire, enum carrier carrier, const struct smb_message *message, const packet_info *pinfo)
{
    struct tcp_connection *connection = wire_connection(wire, pinfo, !message->is_response);

    if (connection == NULL || (message->is_response && message->status == STATUS_PENDING)) {
        return;
    }
    connection->carrier = carrier;
    connection->is_logged_on = false;
    if (message->is_response) {
        smb_response(wire, connection, message, pinfo);
    } else {
        smb_request(wire, connection, message, pinfo);
    }
}

void
wire_smb2(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const smb2_info_t *info = (const smb2_info_t *)tapped;
    const smb2_saved_info_t *saved = info->saved;
    struct smb_message message = {
        .command = find_command(SMB2, info->opcode),
        .is_response = info->flags & SMB2_FLAGS_RESPONSE,
        .status = info->status,
        .status_field = "smb2.nt_status",
        .id = message_key(info->msg_id),
    };

    switch (message.command->kind) {
    case SMB_TREE:
        if (saved != NULL && saved->extra_info_type == SMB2_EI_TREENAME) {
            message.name = (const char *)saved->extra_info;
        }
        break;
    case SMB_OPEN:
        message.file = info->file;
        if (saved != NULL && saved->extra_info_type == SMB2_EI_FILENAME) {
            message.name = (const char *)saved->extra_info;
        } else if (info->file != NULL) {
            message.name = info->file->name;
        }
        break;
    case SMB_CLOSE: message.file = info->file; break;
    case SMB_PIPE: message.file = saved == NULL ? NULL : saved->file; break;
    default: break;
    }
    smb_message(wire, CARRIED_BY_SMB2, &message, pinfo);
}

void
wire_smb(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const smb_info_t *info = (const smb_info_t *)tapped;
    const smb_saved_info_t *saved = info->sip;
    struct smb_message message = {
        .command = find_command(SMB1, info->cmd),
        .is_response = !info->request,
        .status = info->nt_status,
        .status_field = "smb.nt_status",
        .id = message_key((unsigned)info->mid),
    };

    switch (message.command->kind) {
    case SMB_TREE:
        if (saved != NULL && saved->extra_info_type == SMB_EI_TIDNAME) {
            message.name = (const char *)saved->extra_info;
        }
        break;
    case SMB_OPEN:
        if (saved != NULL && saved->extra_info_type == SMB_EI_FILEDATA && saved->extra_info != NULL) {
            message.name = ((const smb_fid_saved_info_t *)saved->extra_info)->filename;
        }
        if (saved != NULL) {
            message.file = GUINT_TO_POINTER(saved->fid + 1u);
        }
        break;
    case SMB_CLOSE:
    case SMB_PIPE:
        if (saved != NULL) {
            message.file = GUINT_TO_POINTER(saved->fid + 1u);
        }
        break;
    default: break;
    }
    smb_message(wire, CARRIED_BY_SMB, &message, pinfo);
}

void
wire_transports_begin(struct wire *wire)
{
    wire->scope = attempts_scope(wire->attempts);
    wire->connections = wmem_map_new(wire->scope, g_direct_hash, g_direct_equal);
    wire->endpoints = wmem_map_new(wire->scope, wmem_str_hash, g_str_equal);
    wire->gates = wmem_list_new(wire->scope);
}

void
wire_frame(struct wire *wire, const packet_info *pinfo)
{
    lose_patience(wire, pinfo);
    attempts_frame(wire->attempts, pinfo);
}
