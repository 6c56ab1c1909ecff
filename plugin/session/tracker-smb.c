/* tracker-smb.c
 * Tracks attempts by SMB until a pipe is open, or the reason why none is
 *
 * [MS-SMB2] 2.2, [MS-CIFS] 2.2.4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/tracker-parts.h"

#include <epan/dissectors/packet-smb.h>
#include <epan/dissectors/packet-smb2.h>

/* NTSTATUS values, [MS-ERREF] 2.3.1 */
#define STATUS_ERROR                    0xc0000000u /* mask of the severity "error" in an NTSTATUS */
#define STATUS_SUCCESS                  0x00000000u
#define STATUS_PENDING                  0x00000103u
#define STATUS_BUFFER_OVERFLOW          0x80000005u
#define STATUS_MORE_PROCESSING_REQUIRED 0xc0000016u
#define STATUS_OBJECT_NAME_NOT_FOUND    0xc0000034u
#define STATUS_PIPE_NOT_AVAILABLE       0xc00000acu
#define STATUS_NETWORK_NAME_DELETED     0xc00000c9u
#define STATUS_CANCELLED                0xc0000120u
#define STATUS_FILE_CLOSED              0xc0000128u
#define STATUS_USER_SESSION_DELETED     0xc0000203u

/* SMB request, kept until its answer is seen. */
struct smb_request {
    const char *name; /* name of the share or the file; NULL if unknown */
    uint32_t frame;
    uint64_t session;        /* as in struct smb_message */
    struct attempt *attempt; /* attempt whose pipe this request opens; NULL if it opens no pipe of interest */
};

static const void *
message_key(uint64_t number)
{
    /* The lower half of a 64-bit MessageId is enough: a connection's MessageIds never differ in the upper half only. */
    return GUINT_TO_POINTER((unsigned)number);
}

const char *
tracker_smb_user(const struct tcp_connection *connection, uint64_t session)
{
    return (const char *)wmem_map_lookup(connection->users, &session);
}

/* Records the frame of an SMB answer that was sent in part, so the client must read the rest. frame: 0 once it does. */
static void
note_rest(struct association *association, uint32_t frame)
{
    if (association->attempt != NULL && association->attempt->rest_in != frame) {
        association->attempt->rest_in = frame;
        attempts_changed(association->attempt);
    }
}

/* Versions of SMB. Messages of both are converted to struct smb_message. */
enum { SMB1, SMB2, NUM_SMB_VERSIONS };

/* SMB command for reaching or using a pipe, with its codes in SMB 1 and 2 */
struct smb_command {
    unsigned code[NUM_SMB_VERSIONS];
    enum step step;
    enum { SMB_GATE, SMB_TREE, SMB_OPEN, SMB_CLOSE, SMB_LEAVE, SMB_PIPE, SMB_OTHER } kind;
    bool is_logon;
};

static const struct smb_command *
find_command(unsigned version, unsigned code)
{
    static const struct smb_command commands[] = {
        { { SMB_COM_NEGOTIATE, SMB2_COM_NEGOTIATE_PROTOCOL }, STEP_NEGOTIATE, SMB_GATE, false },
        { { SMB_COM_SESSION_SETUP_ANDX, SMB2_COM_SESSION_SETUP }, STEP_LOGON, SMB_GATE, true },
        { { SMB_COM_TREE_CONNECT_ANDX, SMB2_COM_TREE_CONNECT }, STEP_TREE_CONNECT, SMB_TREE, false },
        { { SMB_COM_NT_CREATE_ANDX, SMB2_COM_CREATE }, STEP_CREATE, SMB_OPEN, false },
        { { SMB_COM_CLOSE, SMB2_COM_CLOSE }, STEP_NONE, SMB_CLOSE, false },
        { { SMB_COM_TREE_DISCONNECT, SMB2_COM_TREE_DISCONNECT }, STEP_NONE, SMB_LEAVE, false },
        { { SMB_COM_LOGOFF_ANDX, SMB2_COM_SESSION_LOGOFF }, STEP_NONE, SMB_LEAVE, false },
        { { SMB_COM_READ_ANDX, SMB2_COM_READ }, STEP_READ, SMB_PIPE, false },
        { { SMB_COM_WRITE_ANDX, SMB2_COM_WRITE }, STEP_WRITE, SMB_PIPE, false },
        { { SMB_COM_TRANSACTION, SMB2_COM_IOCTL }, STEP_TRANSCEIVE, SMB_PIPE, false },
    };
    static const struct smb_command other = { .kind = SMB_OTHER };

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
    uint64_t session; /* SessionId or UID */
    const void *id;   /* MessageId or MID of the request, also in the answer */
    const char *name; /* name of the share or the file; NULL if unknown, or the command has none */
    const void *file; /* file of the command; NULL if unknown or none */
};

static struct outcome
smb_status(const struct smb_message *message, const char *user)
{
    return (struct outcome){ .code = OUTCOME_SMB_STATUS,
        .step = message->command->step,
        .status = message->status,
        .user = user };
}

static bool
is_ipc(const char *share)
{
    static const char ipc[] = "IPC$";
    const size_t length = share == NULL ? 0 : strlen(share);

    /* A share whose name is unknown may be IPC$, so it counts as IPC$. */
    return share == NULL ||
        (length >= sizeof ipc - 1 && g_ascii_strcasecmp(share + length - (sizeof ipc - 1), ipc) == 0);
}

static void
pipe_is_opened(struct tracker *tracker, struct tcp_connection *connection, const struct smb_message *message,
    struct smb_request *request)
{
    struct association *association;

    if (request->attempt == NULL && rpc_pipe_is_registry(message->name)) {
        request->attempt = tracker_new_attempt(tracker, connection, "winreg", 0, request->frame);
    }
    if (request->attempt != NULL) {
        association = tracker_new_association(tracker, connection, "winreg");
        association->attempt = request->attempt;
        wmem_map_insert(connection->associations, message->file, association);
        attempts_reached(request->attempt, STEP_CREATE, true);
    }
}

/* Returns the pipe that is the message's file, or NULL if the file is not a pipe of interest. */
static struct association *
pipe_of(const struct tcp_connection *connection, const struct smb_message *message)
{
    return message->file == NULL ? NULL
                                 : (struct association *)wmem_map_lookup(connection->associations, message->file);
}

static void
smb_request(struct tracker *tracker, struct tcp_connection *connection, const struct smb_message *message)
{
    const struct smb_command *command = message->command;
    struct association *association = pipe_of(connection, message);
    struct smb_request *request;

    connection->is_leaving = command->kind == SMB_LEAVE;
    if (association != NULL) {
        association->is_closed = command->kind == SMB_CLOSE;
    }
    if (command->kind == SMB_GATE || (command->kind == SMB_TREE && is_ipc(message->name))) {
        tracker_gate_closes(tracker, connection, command->step);
    } else if (command->kind == SMB_CLOSE && association != NULL) {
        tracker_leave_rest(tracker, association);
        if (association->attempt != NULL) {
            attempts_ended(association->attempt, ENDING_PIPE_CLOSED);
        }
    } else if (command->kind == SMB_PIPE && association != NULL && command->step == STEP_READ) {
        note_rest(association, 0);
    } else if (command->kind == SMB_PIPE && association != NULL) {
        tracker_leave_rest(tracker, association);
    }
    if (command->kind != SMB_GATE && command->kind != SMB_TREE && command->kind != SMB_OPEN) {
        return;
    }
    if (command->kind == SMB_OPEN || (command->kind == SMB_TREE && !is_ipc(message->name))) {
        /* The previous steps must have succeeded, even if their answers were not captured. */
        tracker_gate_opens(tracker, connection, false);
    }
    if (command->is_logon) {
        /* Its token, if it names a user, has a tap record of its own, which follows. */
        wmem_map_remove(connection->users, &message->session);
    }
    request = wmem_new0(tracker->scope, struct smb_request);
    request->session = message->session;
    request->frame = tracker->pinfo->num;
    request->name = message->name == NULL ? NULL : wmem_strdup(tracker->scope, message->name);
    wmem_map_insert(connection->requests, message->id, request);
    if (command->kind == SMB_OPEN && rpc_pipe_is_registry(message->name)) {
        request->attempt = tracker_new_attempt(tracker, connection, "winreg", 0, tracker->pinfo->num);
        attempts_reached(request->attempt, command->step, false);
        connection->opening = request->attempt;
    }
}

/* Processes the answer to an SMB Negotiate, Session Setup or Tree Connect. Errors count if the request was captured. */
static void
gate_answered(struct tracker *tracker, struct tcp_connection *connection, const struct smb_message *message,
    const struct smb_request *request)
{
    const struct smb_command *command = message->command;
    const bool failed = (message->status & STATUS_ERROR) == STATUS_ERROR;

    if (failed && message->status != STATUS_MORE_PROCESSING_REQUIRED && request != NULL &&
        (command->kind == SMB_GATE || is_ipc(request->name))) {
        const struct outcome refused =
            smb_status(message, command->is_logon ? tracker_smb_user(connection, request->session) : NULL);

        /* Another user's logon may have been sent since. */
        connection->gate.frame = request->frame;
        tracker_gate_stops(tracker, connection, &refused, true);
    }
    if (command->is_logon && (request == NULL || request->session != message->session)) {
        /* A new session, whose number may have been that of an earlier one. */
        wmem_map_remove(connection->users, &message->session);
    }
    tracker_gate_opens(tracker, connection, true);
    connection->is_logged_on = command->is_logon && message->status == STATUS_SUCCESS;
    connection->silent = 0;
}

/*
 * Returns true if the server ended a waiting request with this status because the client cancelled it ([MS-SMB2]
 * 3.3.5.16), closed the pipe, or left the share or session.
 */
static bool
client_left(const struct association *association, uint32_t status)
{
    return status == STATUS_CANCELLED || association->is_closed ||
        (association->connection->is_leaving &&
            (status == STATUS_NETWORK_NAME_DELETED || status == STATUS_USER_SESSION_DELETED ||
                status == STATUS_FILE_CLOSED));
}

/* Processes SMB's own answer to a message on a pipe. */
static void
pipe_answered(struct tracker *tracker, struct association *association, const struct smb_message *message)
{
    note_rest(association, message->status == STATUS_BUFFER_OVERFLOW ? tracker->pinfo->num : 0);
    if ((message->status & STATUS_ERROR) == STATUS_ERROR) {
        struct outcome what = smb_status(message, NULL);

        what.code = OUTCOME_PIPE_STATUS;
        if (client_left(association, message->status)) {
            what = (struct outcome){ .code = OUTCOME_GIVEN_UP, .step = what.step };
        }
        tracker_pipe_ends(tracker, association, what);
    }
}

static void
smb_response(struct tracker *tracker, struct tcp_connection *connection, const struct smb_message *message)
{
    const struct smb_command *command = message->command;
    struct smb_request *request = (struct smb_request *)wmem_map_remove(connection->requests, message->id);
    struct association *association = pipe_of(connection, message);
    struct smb_request unknown = { .frame = tracker->pinfo->num };

    if (request != NULL && request->attempt == connection->opening) {
        connection->opening = NULL;
    }
    if (command->kind == SMB_GATE || command->kind == SMB_TREE) {
        gate_answered(tracker, connection, message, request);
    } else if (command->kind == SMB_OPEN && (message->status & STATUS_ERROR) != STATUS_ERROR) {
        pipe_is_opened(tracker, connection, message, request == NULL ? &unknown : request);
    } else if (command->kind == SMB_OPEN && request != NULL && request->attempt != NULL) {
        const struct outcome refused = smb_status(message, NULL);

        request->attempt->may_start =
            message->status == STATUS_OBJECT_NAME_NOT_FOUND || message->status == STATUS_PIPE_NOT_AVAILABLE;
        attempts_stopped(request->attempt, &refused);
    } else if (command->kind == SMB_PIPE && association != NULL) {
        pipe_answered(tracker, association, message);
    }
    if (request != NULL) {
        /* Freed at once, since file servers have millions of requests. */
        wmem_free(tracker->scope, (char *)request->name);
        wmem_free(tracker->scope, request);
    }
}

static void
smb_message(struct tracker *tracker, enum session_transport carrier, const struct smb_message *message)
{
    struct tcp_connection *connection = tracker_connection(tracker, !message->is_response);

    if (connection == NULL || (message->is_response && message->status == STATUS_PENDING)) {
        return;
    }
    connection->carrier = carrier;
    if (message->session != UINT64_MAX) {
        /* UINT64_MAX: the session of the message before, [MS-SMB2] 3.2.4.1.4. */
        connection->session = message->session;
    }
    connection->is_logged_on = false;
    tracker->association = NULL;
    if (connection->unread != NULL) {
        attempts_withdraw(connection->unread);
        connection->unread = NULL;
    }
    if (message->is_response) {
        smb_response(tracker, connection, message);
    } else {
        smb_request(tracker, connection, message);
    }
}

void
tracker_smb2(struct tracker *tracker, const void *tapped)
{
    const smb2_info_t *info = (const smb2_info_t *)tapped;
    const smb2_saved_info_t *saved = info->saved;
    const struct smb_command *command = find_command(SMB2, info->opcode);
    const bool has_name =
        saved != NULL && (saved->extra_info_type == SMB2_EI_TREENAME || saved->extra_info_type == SMB2_EI_FILENAME);
    const smb2_fid_info_t *file = command->kind != SMB_PIPE ? info->file : saved != NULL ? saved->file : NULL;
    const struct smb_message message = {
        .command = command,
        .is_response = info->flags & SMB2_FLAGS_RESPONSE,
        .status = info->status,
        .session = info->sesid,
        .id = message_key(info->msg_id),
        .name = has_name   ? (const char *)saved->extra_info
            : file != NULL ? file->name
                           : NULL,
        .file = file,
    };

    smb_message(tracker, SESSION_SMB2, &message);
}

void
tracker_smb(struct tracker *tracker, const void *tapped)
{
    const smb_info_t *info = (const smb_info_t *)tapped;
    const smb_saved_info_t *saved = info->sip;
    const void *extra = saved == NULL ? NULL : saved->extra_info;
    const struct smb_message message = {
        .command = find_command(SMB1, info->cmd),
        .is_response = !info->request,
        .status = info->nt_status,
        .session = (unsigned)info->uid,
        .id = message_key((unsigned)info->mid),
        .name = extra == NULL                           ? NULL
            : saved->extra_info_type == SMB_EI_TIDNAME  ? (const char *)extra
            : saved->extra_info_type == SMB_EI_FILEDATA ? ((const smb_fid_saved_info_t *)extra)->filename
                                                        : NULL,
        .file = saved == NULL ? NULL : GUINT_TO_POINTER(saved->fid + 1u),
    };

    smb_message(tracker, SESSION_SMB, &message);
}
