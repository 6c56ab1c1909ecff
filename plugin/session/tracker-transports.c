/* tracker-transports.c
 * Tracks attempts by TCP: connections, missing segments, and answers that do not come
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/tracker-parts.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/to_str.h>

#define MOST_HALF_OPEN 4096u /* maximum number of tracked connections that are not accepted yet */

#define SILENT_TURNS 4u  /* value of .silent at which a connection counts as unreadable */
#define AGAIN        0.2 /* seconds; a SYN repeated sooner is a duplicate in the capture, not a retransmission */
#define PATIENCE     5.0 /* seconds after which a missing answer is shown although the connection is still open */

/* Request stored in connection->gate. If connection->gate.number differs now, its answer is no longer awaited. */
struct gate_entry {
    struct tcp_connection *connection;
    unsigned number;
};

static char *
pair_key(wmem_allocator_t *scope, const char *client, const char *server)
{
    return wmem_strdup_printf(scope, "%s %s", client, server);
}

bool
tracker_has_reached(const struct tracker *tracker, const char *client, const char *server)
{
    char *key = pair_key(NULL, client, server);
    const bool has = wmem_map_contains(tracker->reached, key);

    wmem_free(NULL, key);
    return has;
}

static void
note_reached(struct tracker *tracker, const struct tcp_connection *connection)
{
    if (!tracker_has_reached(tracker, connection->client, connection->server)) {
        char *key = pair_key(tracker->scope, connection->client, connection->server);

        wmem_map_insert(tracker->reached, key, key);
    }
}

static struct tcp_connection *
new_connection(struct tracker *tracker, bool is_clients)
{
    const tcp_info_t *segment = tracker->segment;
    struct tcp_connection *connection = wmem_new0(tracker->scope, struct tcp_connection);

    connection->client = address_to_str(tracker->scope, is_clients ? &segment->ip_src : &segment->ip_dst);
    connection->server = address_to_str(tracker->scope, is_clients ? &segment->ip_dst : &segment->ip_src);
    connection->port = is_clients ? segment->th_dport : segment->th_sport;
    connection->requests = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    connection->associations = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    connection->users = wmem_map_new(tracker->scope, g_int64_hash, g_int64_equal);
    connection->opened = wmem_list_new(tracker->scope);
    wmem_map_insert(tracker->connections, GUINT_TO_POINTER(segment->th_stream), connection);
    connection->losses.cuts = &tracker->cuts;
    connection->losses.has_begin = wmem_map_contains(tracker->begun, GUINT_TO_POINTER(segment->th_stream));
    for (unsigned end = 0; end < NUM_ENDS; end++) {
        /* It is not known yet which end sent the truncated frame, so it counts for both. */
        connection->losses.first_cut[end] = connection->losses.last_cut[end] =
            GPOINTER_TO_UINT(wmem_map_lookup(tracker->cut_streams, GUINT_TO_POINTER(segment->th_stream)));
    }
    return connection;
}

static bool
is_after(uint32_t sequence, uint32_t other)
{
    return (int32_t)(sequence - other) > 0;
}

static bool
is_cut(const packet_info *pinfo)
{
    return pinfo->fd->cap_len < pinfo->fd->pkt_len;
}

/* Updates the gaps of the sender's data: a segment after the expected one leaves a gap, and a late segment fills it. */
static void
look_for_hole(struct sent_data *sent, uint32_t begin, uint32_t end)
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

/*
 * Records a loss if the segment, sent by `end`, acknowledges data of its peer that were not captured, or if data of
 * `end` before the segment were not captured.
 */
static void
look_for_losses(struct tcp_connection *connection, enum end end, const tcp_info_t *segment, uint32_t frame)
{
    const enum end peer = end == CLIENT ? SERVER : CLIENT;
    struct sent_data *own = &connection->sent[end], *others = &connection->sent[peer];
    const uint32_t next = segment->th_rawseq + segment->th_seglen + ((segment->th_flags & (TH_SYN | TH_FIN)) ? 1 : 0);

    if (!segment->th_have_seglen) {
        own->is_known = false;
    } else {
        if (own->is_known) {
            if (own->has_hole && segment->th_seglen != 0 && is_after(own->next, segment->th_rawseq)) {
                /* Wireshark may take this late segment for a retransmission, so its messages may be unread. */
                connection->losses.unread[end] = frame;
            }
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
    connection->losses.lacks[end] = own->is_lossy || own->has_hole;
    connection->losses.lacks[peer] = others->is_lossy || others->has_hole;
}

struct tcp_connection *
tracker_connection(struct tracker *tracker, bool is_clients)
{
    struct tcp_connection *connection;

    if (tracker->segment == NULL) {
        return NULL;
    }
    connection =
        (struct tcp_connection *)wmem_map_lookup(tracker->connections, GUINT_TO_POINTER(tracker->segment->th_stream));
    if (connection == NULL) {
        connection = new_connection(tracker, is_clients);
        connection->is_open = true;
        note_reached(tracker, connection);
        look_for_losses(connection, is_clients ? CLIENT : SERVER, tracker->segment, tracker->pinfo->num);
    }
    tracker->cuts.answers_only -= connection->has_only_answered;
    tracker->cuts.has_answers = tracker->cuts.has_answers || !is_clients;
    connection->has_asked = connection->has_asked || is_clients;
    connection->has_only_answered = !connection->has_asked;
    tracker->cuts.answers_only += connection->has_only_answered;
    return connection;
}

struct association *
tracker_new_association(struct tracker *tracker, struct tcp_connection *connection, const char *pipe)
{
    struct association *association = wmem_new0(tracker->scope, struct association);

    association->connection = connection;
    association->pipe = pipe;
    association->calls = wmem_map_new(tracker->scope, g_direct_hash, g_direct_equal);
    wmem_list_append(connection->opened, association);
    return association;
}

struct association *
tracker_association(struct tracker *tracker, const struct session_tap *record)
{
    struct tcp_connection *connection = tracker_connection(tracker, rpc_pdu_is_clients(&record->pdu));
    const void *key = record->transport == SESSION_SMB2 ? record->file
        : record->transport == SESSION_SMB              ? GUINT_TO_POINTER(record->fid + 1u)
                                                        : NULL;
    struct association *association;

    if (connection == NULL) {
        return NULL;
    }
    connection->carrier = record->transport;
    association = (struct association *)wmem_map_lookup(connection->associations, key);
    if (association == NULL) {
        const char *name = record->pipe_name;

        /* If the Create request was not captured, packet-smb2 gives the file a made-up name in brackets. */
        association = tracker_new_association(tracker, connection,
            name == NULL || name[0] == '['   ? NULL
                : rpc_pipe_is_registry(name) ? "winreg"
                                             : line_text_copy(tracker->scope, rpc_pipe_base_name(name), NAME_TEXT_MAX));
        wmem_map_insert(connection->associations, key, association);
    }
    return association;
}

struct attempt *
tracker_new_attempt(struct tracker *tracker, struct tcp_connection *connection, const char *pipe, unsigned wants,
    uint32_t frame)
{
    const struct attempt begin = {
        .client = connection->client,
        .server = connection->server,
        .carrier = connection->carrier,
        .port = connection->port,
        .pipe = pipe,
        .wants = wants,
        .account = tracker_smb_user(connection, connection->session),
        .frame = connection->slow.count != 0 ? connection->slow_since : frame,
        .slow = connection->slow,
        .losses = &connection->losses,
    };

    connection->slow.count = 0;
    return attempts_add(tracker->attempts, &begin);
}

void
tracker_gate_closes(struct tracker *tracker, struct tcp_connection *connection, enum step step)
{
    struct gate_entry *waiting = wmem_new(tracker->scope, struct gate_entry);

    tracker_gate_opens(tracker, connection, false);
    connection->gate =
        (struct gate){ step, tracker->pinfo->num, tracker->attempts->now, connection->gate.number + 1, NULL };
    *waiting = (struct gate_entry){ connection, connection->gate.number };
    wmem_list_append(tracker->gates, waiting);
}

void
tracker_gate_opens(struct tracker *tracker, struct tcp_connection *connection, bool is_answer)
{
    struct gate *gate = &connection->gate;
    const double seconds = attempt_seconds(&gate->time, &tracker->attempts->now);

    if (gate->awaits == STEP_NONE) {
        return;
    }
    if (gate->overdue != NULL) {
        attempts_withdraw(gate->overdue);
        gate->overdue = NULL;
    }
    if (is_answer && seconds >= PATIENCE) {
        const struct outcome slow = { .code = OUTCOME_SLOW, .step = gate->awaits, .seconds = seconds };

        connection->slow_since = connection->slow.count == 0 ? gate->frame : connection->slow_since;
        attempts_count(tracker->attempts, &connection->slow, &slow);
    }
    gate->awaits = STEP_NONE;
}

/*
 * An object may have several addresses, of which its client tries one after the other: [MS-DCOM] 2.2.19. Those that do
 * not answer are no failure once another one does.
 */
static void
object_unreached(struct attempt *activation, struct attempt *attempt)
{
    if (activation->object_at != NULL && strcmp(activation->object_at, attempt->server) != 0) {
        attempts_withdraw(attempt);
    } else {
        attempt->unreached = activation->unreached;
        activation->unreached = attempt;
    }
}

static void
object_reached(struct attempt *activation, const char *server)
{
    activation->object_at = server;
    for (struct attempt *other = activation->unreached; other != NULL; other = other->unreached) {
        if (strcmp(other->server, server) != 0) {
            attempts_withdraw(other);
        }
    }
    activation->unreached = NULL;
}

static struct attempt *
unnamed_attempt(struct tracker *tracker, struct tcp_connection *connection, enum step step)
{
    struct attempt *unnamed = tracker_new_attempt(tracker, connection, NULL, connection->wants, connection->gate.frame);

    unnamed->may_start = steps[step].stage == STAGE_TCP && connection->wants != 0;
    if (steps[step].stage == STAGE_TCP && connection->activation != NULL) {
        object_unreached(connection->activation, unnamed);
    }
    return unnamed;
}

struct attempt *
tracker_gate_stops(struct tracker *tracker, struct tcp_connection *connection, const struct outcome *what,
    bool is_answer)
{
    struct attempt *attempt;

    tracker_gate_opens(tracker, connection, is_answer);
    attempt = unnamed_attempt(tracker, connection, what->step);
    attempts_stopped(attempt, what);
    return attempt;
}

/* Adds an attempt for the unanswered connection->gate, unless the answer may be in a truncated frame. */
static void
gate_is_overdue(struct tracker *tracker, struct tcp_connection *connection)
{
    struct gate *gate = &connection->gate;

    if (gate->overdue == NULL && attempt_doubt(&connection->losses, SERVER, gate->frame) != DOUBT_CUT) {
        gate->overdue = unnamed_attempt(tracker, connection, gate->awaits);
        attempts_reached(gate->overdue, gate->awaits, false);
        gate->overdue->is_overdue = true;
        gate->overdue->awaits_since = gate->frame;
        gate->overdue->awaits_time = gate->time;
    }
}

/* Adds an attempt for each connection->gate that has been unanswered for PATIENCE seconds. */
static void
lose_patience(struct tracker *tracker)
{
    for (wmem_list_frame_t *link = wmem_list_head(tracker->gates); link != NULL;
         link = wmem_list_head(tracker->gates)) {
        struct gate_entry *waiting = (struct gate_entry *)wmem_list_frame_data(link);
        struct tcp_connection *connection = waiting->connection;

        if (connection->gate.awaits != STEP_NONE && connection->gate.number == waiting->number) {
            if (attempt_seconds(&connection->gate.time, &tracker->attempts->now) < PATIENCE) {
                return;
            }
            gate_is_overdue(tracker, connection);
        }
        wmem_list_remove_frame(tracker->gates, link);
        wmem_free(tracker->scope, waiting);
    }
}

void
tracker_leave_rest(struct tracker *tracker, struct association *association)
{
    struct attempt *attempt = association->attempt;

    if (attempt == NULL || attempt->rest_in == 0) {
        return;
    }
    if (attempt_doubt(attempt->losses, CLIENT, attempt->rest_in) == DOUBT_NONE) {
        tracker_pipe_ends(tracker, association, (struct outcome){ .code = OUTCOME_REST_NOT_READ, .step = STEP_READ });
    }
    attempt->rest_in = 0;
}

static void
transport_connection_ended(struct tracker *tracker, struct tcp_connection *connection, bool is_reset, bool by_client)
{
    const enum ending ending = is_reset                         ? by_client ? ENDING_CLIENT_RESET : ENDING_SERVER_RESET
        : connection->losses.lacks[by_client ? SERVER : CLIENT] ? ENDING_CLOSED
        : by_client                                             ? ENDING_CLIENT_CLOSED
                                                                : ENDING_SERVER_CLOSED;
    const struct outcome left = { .code = OUTCOME_LEFT,
        .step = connection->gate.awaits,
        .ending = ending,
        .doubt = attempt_doubt(&connection->losses, SERVER, connection->gate.frame) };

    if (connection->is_over) {
        return;
    }
    connection->is_over = true;
    if (!connection->is_open && connection->syns != 0) {
        if (is_reset && !by_client && !connection->is_refused) {
            connection->is_refused = true;
            tracker_gate_stops(tracker, connection, &(struct outcome){ .code = OUTCOME_REFUSED, .step = STEP_SYN },
                false);
        }
        return;
    }
    if (connection->gate.awaits != STEP_NONE && left.doubt != DOUBT_CUT) {
        tracker_gate_stops(tracker, connection, &left, false);
    }
    for (wmem_list_frame_t *link = wmem_list_head(connection->opened); link != NULL;
         link = wmem_list_frame_next(link)) {
        struct association *association = (struct association *)wmem_list_frame_data(link);

        tracker_leave_rest(tracker, association);
        if (association->attempt != NULL && !association->attempt->is_over) {
            attempts_ended(association->attempt, ending);
        }
    }
}

static void
client_connects(struct tracker *tracker, struct tcp_connection *connection, const tcp_info_t *segment)
{
    /* WANTS_ bits known for the port of the server, or 0 */
    const unsigned wants = wmem_map_size(tracker->endpoints) == 0
        ? 0
        : GPOINTER_TO_UINT(wmem_map_lookup(tracker->endpoints,
              wmem_strdup_printf(tracker->pinfo->pool, "%s %u", address_to_str(tracker->pinfo->pool, &segment->ip_dst),
                  segment->th_dport)));

    if (connection == NULL) {
        if (wants == 0 && segment->th_dport != PORT_SMB && segment->th_dport != PORT_NETBIOS &&
            segment->th_dport != PORT_MAPPER) {
            return;
        }
        if (wants == 0 && tracker->half_open >= MOST_HALF_OPEN) {
            tracker->unfollowed++;
            return;
        }
        connection = new_connection(tracker, true);
        tracker->half_open++;
        connection->wants = wants;
        connection->activation =
            wants == 0 ? NULL : tracker_activation(tracker, connection->client, connection->server, connection->port);
        /* If another address answered the activation, nothing is known about port 135 of this one. */
        tracker_gate_closes(tracker, connection,
            connection->activation != NULL && strcmp(connection->activation->server, connection->server) == 0
                ? STEP_OBJECT_SYN
                : STEP_SYN);
    } else if (connection->gate.awaits != STEP_NONE &&
        attempt_seconds(&connection->gate.time, &tracker->attempts->now) < AGAIN) {
        return;
    }
    /* After a refusal Windows sends the SYN again, so a connection that was never open is not over. */
    connection->is_over = connection->is_over && connection->is_open;
    connection->syns++;
    if (connection->syns == 2 && connection->gate.awaits != STEP_NONE) {
        /* The SYN was retransmitted, so its answer is late or missing. */
        gate_is_overdue(tracker, connection);
    }
}

/*
 * Counts messages after the logon that cannot be read. Adds an attempt if they are encrypted, or if the capture lacks
 * segments; else the reason is unknown.
 */
static void
nothing_read(struct tracker *tracker, struct tcp_connection *connection, bool is_clients)
{
    if (connection->silent != 0 && connection->is_silent_client == is_clients) {
        /* Several segments in the same direction may be a single long message. */
        return;
    }
    connection->is_silent_client = is_clients;
    connection->silent++;
    if (connection->silent != SILENT_TURNS) {
        return;
    }
    if (connection->is_encrypted) {
        connection->gate.frame = tracker->pinfo->num;
        tracker_gate_stops(tracker, connection, &(struct outcome){ .code = OUTCOME_ENCRYPTED, .step = STEP_LOGON },
            false);
    } else if (attempt_doubt(&connection->losses, CLIENT, connection->gate.frame) != DOUBT_NONE) {
        connection->gate.frame = tracker->pinfo->num;
        connection->unread = tracker_gate_stops(tracker, connection,
            &(struct outcome){ .code = OUTCOME_NOTHING_FOLLOWED, .step = STEP_LOGON, .doubt = DOUBT_UNREADABLE },
            false);
    }
}

/* Records that the server accepted a connection. */
static void
is_accepted(struct tracker *tracker, struct tcp_connection *connection, bool is_answer)
{
    if (!connection->is_open && connection->syns != 0) {
        tracker->half_open--;
    }
    connection->is_open = true;
    note_reached(tracker, connection);
    if (connection->activation != NULL) {
        object_reached(connection->activation, connection->server);
    }
    tracker_gate_opens(tracker, connection, is_answer);
}

/* Processes the latest segment of a known connection. */
static void
known_connection(struct tracker *tracker, struct tcp_connection *connection, const tcp_info_t *segment)
{
    const bool is_clients = segment->th_dport == connection->port;
    const enum end end = is_clients ? CLIENT : SERVER;
    const struct sent_data before = connection->sent[end];
    struct losses *losses = &connection->losses;
    const bool had_gap = losses->lacks[SERVER];

    tracker->cuts.has_answers = tracker->cuts.has_answers || !is_clients;
    if (is_cut(tracker->pinfo)) {
        losses->first_cut[end] = losses->first_cut[end] == 0 ? tracker->pinfo->num : losses->first_cut[end];
        losses->last_cut[end] = tracker->pinfo->num;
    }
    look_for_losses(connection, end, segment, tracker->pinfo->num);
    tracker->cuts.unanswered += is_clients && losses->lacks[SERVER] && !had_gap;
    if (!connection->is_open && (segment->th_flags & (TH_SYN | TH_RST | TH_ACK)) == TH_ACK) {
        /* Data without a captured SYN-ACK: the server must have accepted. */
        is_accepted(tracker, connection, false);
    }
    if (connection->is_logged_on && losses->first_cut[SERVER] == 0 && losses->first_cut[CLIENT] == 0 &&
        segment->th_have_seglen && segment->th_seglen != 0 &&
        (!before.is_known || is_after(segment->th_rawseq + segment->th_seglen, before.next))) {
        nothing_read(tracker, connection, is_clients);
    }
}

void
tracker_segment(struct tracker *tracker, const void *tapped)
{
    const tcp_info_t *segment = (const tcp_info_t *)tapped;
    struct tcp_connection *connection;

    tracker->segment = segment;
    connection = (struct tcp_connection *)wmem_map_lookup(tracker->connections, GUINT_TO_POINTER(segment->th_stream));
    if (connection != NULL) {
        known_connection(tracker, connection, segment);
    } else if (is_cut(tracker->pinfo)) {
        wmem_map_insert(tracker->cut_streams, GUINT_TO_POINTER(segment->th_stream),
            GUINT_TO_POINTER(tracker->pinfo->num));
    }
    if ((segment->th_flags & (TH_SYN | TH_FIN | TH_RST)) == 0) {
        return;
    }
    if (segment->th_flags & TH_SYN) {
        wmem_map_insert(tracker->begun, GUINT_TO_POINTER(segment->th_stream), connection);
    }
    if ((segment->th_flags & (TH_SYN | TH_ACK | TH_RST)) == TH_SYN) {
        client_connects(tracker, connection, segment);
    } else if (connection != NULL && (segment->th_flags & TH_SYN)) {
        is_accepted(tracker, connection, true);
    } else if (connection != NULL) {
        transport_connection_ended(tracker, connection, segment->th_flags & TH_RST,
            segment->th_dport == connection->port);
    }
}

void
tracker_encrypted(struct tracker *tracker, const void *tapped _U_)
{
    struct tcp_connection *connection = tracker->segment == NULL
        ? NULL
        : (struct tcp_connection *)wmem_map_lookup(tracker->connections, GUINT_TO_POINTER(tracker->segment->th_stream));

    if (connection != NULL) {
        connection->is_encrypted = true;
    }
}

void
tracker_frame_begins(struct tracker *tracker, const packet_info *pinfo)
{
    tracker->pinfo = pinfo;
    tracker->segment = NULL;
    tracker->association = NULL;
    attempts_frame_begins(tracker->attempts, pinfo);
}

void
tracker_frame_ends(struct tracker *tracker)
{
    if (is_cut(tracker->pinfo)) {
        tracker->cuts.first = tracker->cuts.frames++ == 0 ? tracker->pinfo->num : tracker->cuts.first;
        tracker->cuts.last = tracker->pinfo->num;
    }
    lose_patience(tracker);
    attempts_frame(tracker->attempts, tracker->pinfo->pool);
}
