/* sessions.c
 * -z perflibv2,sessions, perfdata,sessions and pla,sessions: how far each attempt of a client got, and what stopped it
 *
 * Attempts are tracked by records of many taps (TCP, SMB, DCE/RPC, and the plugin's dissectors), without a filter. The
 * records are counted when the table's own tap gets the frame: it has the user's filter, and is the last tap of each
 * frame.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <epan/dissectors/packet-ntlmssp.h>
#include <wsutil/str_util.h>

#include "base/win32-names.h"
#include "perfdata/record.h"
#include "perflibv2/record.h"
#include "pla/record.h"
#include "session/session-pdu.h"
#include "session/tracker.h"
#include "stats/key-index.h"

/* Columns. Means are last, since they may be empty: windows allow empty cells only in the last columns. */
/* clang-format off */
#define SESSIONS_COLUMNS(X) \
    X(COLUMN_CLIENT, STAT_TEXT("client", "Client")) \
    X(COLUMN_SERVER, STAT_TEXT("server", "Server")) \
    X(COLUMN_OVER, STAT_TEXT("over", "Over")) \
    X(COLUMN_WANTS, STAT_TEXT("wants", "For")) \
    X(COLUMN_FRAME, STAT_COUNT("first_frame", "First frame")) \
    X(COLUMN_TIMES, STAT_COUNT("times", "Times")) \
    X(COLUMN_STAGE, STAT_TEXT("stage", "Reached")) \
    X(COLUMN_OUTCOME, STAT_TEXT("outcome", "Outcome")) \
    X(COLUMN_AUTHENTICATION, STAT_TEXT("authentication", "Authentication")) \
    X(COLUMN_CALLS, STAT_COUNT("calls", "Calls")) \
    X(COLUMN_FAULTS, STAT_COUNT("faults", "Faults")) \
    X(COLUMN_BYTES, STAT_BYTES("bytes", "Bytes")) \
    X(COLUMN_RESPONSE, STAT_REAL("response_ms", "Response ms", 3)) \
    X(COLUMN_SLOWEST, STAT_REAL("slowest_ms", "Slowest ms", 3)) \
    X(COLUMN_PROTOCOL, STAT_DATA_TEXT("protocol")) /* first of the columns that only files have */ \
    X(COLUMN_STATE, STAT_DATA_TEXT("state")) \
    X(COLUMN_CODE, STAT_DATA_TEXT("outcome_code")) \
    X(COLUMN_STATUS, STAT_DATA_COUNT("status"))
/* clang-format on */

enum { SESSIONS_COLUMNS(STAT_COLUMN_NUMBER) NUM_COLUMNS };
static const struct stat_column sessions_columns[NUM_COLUMNS] = { SESSIONS_COLUMNS(STAT_COLUMN) };

#define E_ACCESSDENIED_CODE 0x80070005u

#define WANTS_ANYTHING ~0u

struct sessions;

/* Tap that the table listens to. */
struct sessions_source {
    const char *tap;
    /*
     * Passes a record to the tracker. NULL: the record is a struct key_needed, about which the table gets a sentence.
     */
    void (*tell)(struct tracker *tracker, const void *tapped);
};

/* Tap record of the current frame. */
struct event {
    const struct sessions_source *source;
    const void *tapped;
};

/* Client and server, with their attempts. */
struct sessions_pair {
    bool is_about;     /* true once is_silent() is false for an attempt of the client at the server */
    wmem_list_t *kept; /* struct attempt without a row; shown once is_about is true, or by show_closed() */
};

/* Maximum number of attempts kept without a row, in case they get one later. */
#define MOST_KEPT    4096u
/* Maximum number of unreached servers with a row; port scans try more. */
#define MOST_CLOSED  16u
/* Seconds of a live capture between checks for overdue answers. */
#define REFRESH_STEP 1.0

/* Sentences below the table's rows, in the order shown. */
enum { SENTENCE_ASIDE, SENTENCE_CUTS, SENTENCE_DISABLED, NUM_SENTENCES };

/* Sessions table. */
struct sessions {
    struct stat_rows rows; /* must be the first member */
    unsigned wants;        /* WANTS_ bits: only attempts with one of them have a row */
    struct tracker *tracker;
    GPtrArray *shown;        /* array of the struct attempt of each row */
    struct key_index *pairs; /* struct sessions_pair by "client server" */
    unsigned closed;         /* number of unreached servers with a row */
    unsigned kept;           /* number of attempts in sessions_pair.kept of all pairs */
    unsigned aside;          /* number of attempts without a row, as is_silent() is true for them */
    /* first attempt counted in .aside; NULL if none, or if it got a row later */
    const struct attempt *first_aside;
    /* number of connections that the tracker ignored, as too many were half-open; as last shown in SENTENCE_ASIDE */
    unsigned unfollowed;
    bool notes_stops;    /* true if note_stop() sets the field perflib_session.stopped from this table */
    unsigned cut_frames; /* number of truncated frames, as last shown in SENTENCE_CUTS */
    nstime_t refreshed;
};

static void
tell_user(struct tracker *tracker, const void *tapped)
{
    const ntlmssp_header_t *message = (const ntlmssp_header_t *)tapped;

    if (message->type == NTLMSSP_AUTH && message->acct_name != NULL) {
        tracker_user(tracker, message->domain_name == NULL ? "" : (const char *)message->domain_name,
            (const char *)message->acct_name);
    }
}

/* Counts a return code as a refusal if it is a denial, or an error of an open call. */
static void
tell_return(struct attempt *attempt, const struct perfdata_return *answer)
{
    const struct outcome error = {
        .code = OUTCOME_WIN32,
        .step = STEP_CALL,
        .status = answer->error,
        .operation = answer->operation,
    };
    const bool is_denied = answer->error == WIN32_ACCESS_DENIED, is_error = answer->error != WIN32_SUCCESS;

    /* After a failed open call, no values can be requested. Errors of other calls may be normal, except denials. */
    if (is_denied || (answer->is_open && is_error)) {
        attempts_refused(attempt, &error);
    }
    if (answer->asks_values) {
        attempts_values(attempt, answer->num_values, is_error && !is_denied ? &error : NULL);
    }
}

static void
tell_perflibv2(struct tracker *tracker, const void *tapped)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;
    struct attempt *attempt = tracker_call(tracker, WANTS_PERFLIBV2);

    if (attempt != NULL && call->needed != NULL) {
        attempts_sealed(attempt, call->needed);
    } else if (attempt != NULL && call->has_return_code) {
        tell_return(attempt,
            &(struct perfdata_return){ call->operation, call->is_open, call->return_code, call->asks_values,
                call->num_values });
    }
}

/*
 * Processes a sealed call of the registry. If it opens a root key, its opnum, which is not encrypted, shows whether the
 * attempt may read performance data.
 */
static void
tell_registry(struct tracker *tracker, const void *tapped)
{
    const struct perfdata_tap *call = (const struct perfdata_tap *)tapped;

    if (call->needed != NULL) {
        struct attempt *attempt =
            tracker_call(tracker, WANTS_WINREG | (call->kind == PERFDATA_OPENS_DATA ? WANTS_PERFDATA : 0));

        if (attempt != NULL) {
            attempt->opens_other_key = attempt->opens_other_key || call->kind == PERFDATA_OPENS_OTHER_ROOT;
            attempts_sealed(attempt, call->needed);
        }
    }
}

static void
tell_perfdata(struct tracker *tracker, const void *tapped)
{
    const struct perfdata_return *call = (const struct perfdata_return *)tapped;
    struct attempt *attempt = tracker_call(tracker, WANTS_WINREG | WANTS_PERFDATA);

    if (attempt != NULL && call->operation != NULL) {
        tell_return(attempt, call);
    } else if (attempt != NULL && tracker->request != NULL) {
        attempts_asks_values(tracker->request);
    }
}

static struct outcome
hresult(enum step step, const char *method, uint32_t code)
{
    return (struct outcome){ .code = OUTCOME_HRESULT, .step = step, .status = code, .operation = method };
}

static void
tell_pla(struct tracker *tracker, const void *tapped)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;
    struct attempt *attempt = tracker_call(tracker, WANTS_PLA);

    if (attempt == NULL) {
        return;
    }
    if (call->needed != NULL) {
        attempts_sealed(attempt, call->needed);
    } else if (call->is_response && !call->is_fault && call->has_hresult && call->hresult == E_ACCESSDENIED_CODE) {
        const struct outcome refused = hresult(STEP_CALL, call->method_name, call->hresult);

        attempt->refused_on_sets += call->set != NULL;
        attempts_refused(attempt, &refused);
    }
}

static void
tell_activation(struct tracker *tracker, const void *tapped)
{
    const struct pla_activation *activation = (const struct pla_activation *)tapped;

    const bool has_failed = activation->has_hresult && (activation->hresult & 0x80000000) != 0;
    const struct outcome why = hresult(STEP_ACTIVATE, NULL, activation->hresult);

    if (!activation->is_response) {
        tracker_object(tracker, activation->class_name);
        return;
    }
    for (unsigned i = 0; !has_failed && i < activation->num_addresses; i++) {
        /* NULL: the address that the client called. With address translation the object is there. */
        tracker_object_at(tracker, NULL, activation->addresses[i].port);
        tracker_object_at(tracker, activation->addresses[i].server, activation->addresses[i].port);
    }
    tracker_object_answer(tracker, has_failed ? &why : NULL);
}

static const struct sessions_source sources[] = {
    { "tcp", tracker_segment },
    { "smb2", tracker_smb2 },
    { "smb", tracker_smb },
    { NEEDED_TAP, tracker_encrypted },
    { "ntlmssp", tell_user },
    { "perflib_session", tracker_pdu },
    { "perflibv2", tell_perflibv2 },
    { "perfdata", tell_registry },
    { "perfdata_return", tell_perfdata },
    { "pla", tell_pla },
    { "pla_activation", tell_activation },
    { "perflib_session_key", NULL },
};

/* Tap records of the current frame. All tables share them, since each listener costs time in every frame. */
static GArray *events; /* struct event; NULL: no table was used so far */
static uint32_t events_frame;

/* Keeps the record until the frame is counted. */
static tap_packet_status
listen(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct event event = { (const struct sessions_source *)data, tapped };

    if (events_frame != pinfo->num) {
        g_array_set_size(events, 0);
        events_frame = pinfo->num;
    }
    g_array_append_val(events, event);
    return TAP_PACKET_DONT_REDRAW;
}

/*
 * Returns true if an attempt belongs in this table. One that stopped before its purpose was known belongs in the table
 * of PerfData if it used SMB, else in that of PLA. The table of all protocols has every attempt.
 */
static bool
is_of_table(const struct sessions *sessions, const struct attempt *attempt)
{
    if (sessions->wants == WANTS_ANYTHING) {
        return true;
    }
    if (attempt->wants != 0) {
        return (attempt->wants & sessions->wants) != 0;
    }
    return attempt_state(attempt) == ATTEMPT_STOPPED &&
        attempt_is_smb(attempt) == ((sessions->wants & WANTS_WINREG) != 0);
}

/*
 * Returns true if an attempt shows no relation to performance data: it tried a port, bound other interfaces, or
 * asked for another class. If SMB refused the client, the purpose stays open: returns false.
 */
static bool
is_silent(const struct attempt *attempt)
{
    return (attempt->wants & (WANTS_INTERFACE)) == 0 && attempt->pipe == NULL && attempt->unbound == 0 &&
        (attempt->wants != 0 || attempt->stage == STAGE_TCP || attempt->stage == STAGE_BIND);
}

static struct sessions_pair *
pair_of(struct sessions *sessions, const struct attempt *attempt)
{
    char *key = g_strdup_printf("%s %s", attempt->client, attempt->server);
    struct sessions_pair *pair = (struct sessions_pair *)key_index_gather(sessions->pairs, key, sizeof *pair);

    if (pair->kept == NULL) {
        pair->kept = wmem_list_new(sessions->rows.scope);
    }
    g_free(key);
    return pair;
}

/* Sets the sentence with the number of attempts without a row. */
static void
show_aside(struct sessions *sessions, wmem_allocator_t *scope)
{
    const unsigned count = sessions->aside + sessions->unfollowed;
    const struct attempt *first = sessions->first_aside;
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    if (count != 0) {
        wmem_strbuf_append_printf(text, "%u other attempt%s had nothing to do with performance data", count,
            plurality(count, "", "s"));
    }
    if (first != NULL) {
        wmem_strbuf_append_printf(text, "; the first: %s at %s, %s: %s", first->client, first->server,
            attempt_over(first, scope), attempt_outcome(first, scope));
    }
    stat_rows_set_sentence(&sessions->rows, SENTENCE_ASIDE, wmem_strbuf_get_str(text));
}

static void
show_cuts(struct sessions *sessions, wmem_allocator_t *scope)
{
    const struct capture_cuts *cuts = &sessions->tracker->cuts;

    if (sessions->cut_frames != cuts->frames) {
        sessions->cut_frames = cuts->frames;
        stat_rows_set_sentence(&sessions->rows, SENTENCE_CUTS,
            wmem_strdup_printf(scope,
                "%u frame%s captured only in part (the first: frame %u). Capture whole packets (-s 0, pktmon "
                "--pkt-size 0).",
                cuts->frames, plurality(cuts->frames, " was", "s were"), cuts->first));
    }
}

/* Keeps an attempt without a row, in case it gets one later. */
static void
set_aside(struct sessions *sessions, struct sessions_pair *pair, struct attempt *attempt, wmem_allocator_t *scope)
{
    if (attempt->aside == 0 && sessions->kept < MOST_KEPT) {
        wmem_list_append(pair->kept, attempt);
        sessions->kept++;
    }
    sessions->first_aside = sessions->first_aside == NULL ? attempt : sessions->first_aside;
    sessions->aside += attempt->times - attempt->aside;
    attempt->aside = attempt->times;
    show_aside(sessions, scope);
}

static void
no_longer_aside(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope)
{
    if (attempt->aside != 0) {
        sessions->aside -= attempt->aside;
        attempt->aside = 0;
        sessions->first_aside = sessions->first_aside == attempt ? NULL : sessions->first_aside;
        show_aside(sessions, scope);
    }
}

static void
add_row(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope)
{
    struct stat_rows *rows = &sessions->rows;
    stat_tap_table_item_type *begin;

    attempt->row = stat_rows_add(rows, NULL, NULL);
    begin = stat_rows_cells(rows, attempt->row);
    stat_cell_set_text(&begin[COLUMN_CLIENT], attempt->client);
    stat_cell_set_text(&begin[COLUMN_SERVER], attempt->server);
    stat_cell_set_text(&begin[COLUMN_OVER], attempt_over(attempt, scope));
    begin[COLUMN_FRAME].value.uint_value = attempt->frame;
    attempt->has_row = true;
    g_ptr_array_add(sessions->shown, attempt);
    no_longer_aside(sessions, attempt, scope);
}

static void show_row(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope);

/* Adds rows for the attempts of a pair that have none. */
static void
show_kept(struct sessions *sessions, struct sessions_pair *pair, wmem_allocator_t *scope)
{
    wmem_list_frame_t *link;

    while ((link = wmem_list_head(pair->kept)) != NULL) {
        struct attempt *attempt = (struct attempt *)wmem_list_frame_data(link);

        wmem_list_remove_frame(pair->kept, link);
        sessions->kept--;
        if (!attempt->has_row) {
            add_row(sessions, attempt, scope);
            show_row(sessions, attempt, scope);
        }
    }
}

/* Removes the row of an attempt that the tracker withdrew, because its missing answer was received late. */
static void
withdraw(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope)
{
    if (attempt->has_row) {
        struct attempt *last = (struct attempt *)g_ptr_array_index(sessions->shown, sessions->shown->len - 1);

        /* The last row gets the number of the removed row, in the table and in .shown. */
        stat_rows_remove(&sessions->rows, attempt->row);
        g_ptr_array_remove_index_fast(sessions->shown, attempt->row);
        last->row = attempt->row;
        attempt->has_row = false;
    }
    if (attempt->aside != 0) {
        wmem_list_remove(pair_of(sessions, attempt)->kept, attempt);
        no_longer_aside(sessions, attempt, scope);
    }
}

/*
 * Sets the field perflib_session.stopped in the frame in which an attempt stopped, or the latest of equal attempts, and
 * removes an outdated one. has_row: if false, only removes it.
 */
static void
note_stop(const struct sessions *sessions, struct attempt *attempt, bool has_row)
{
    const enum outcome_code code = attempt_reason(attempt).code;
    const struct occurrence *what = attempt_what_stopped(attempt);
    uint32_t frame = 0;

    if (!sessions->notes_stops) {
        return;
    }
    if (has_row && attempt_state(attempt) == ATTEMPT_STOPPED && code != OUTCOME_ENCRYPTED) {
        frame = what->count == 0 ? attempt->awaits_since : attempt->times == 1 ? what->first_frame : what->last_frame;
    }
    if (attempt->marked != frame && (frame == 0 || attempt->times == 1)) {
        stopped_note(attempt->marked, NULL);
    }
    if (frame != 0) {
        stopped_note(frame, outcomes[code].name);
    }
    attempt->marked = frame;
}

/* Returns true if the attempt and all others of the client at the server failed to open a TCP connection. */
static bool
is_closed(const struct sessions *sessions, const struct attempt *attempt)
{
    /* The port of NetBIOS does not count: clients try it in parallel with that of SMB. */
    return attempt->stage == STAGE_TCP && attempt->port != PORT_NETBIOS &&
        !tracker_has_reached(sessions->tracker, attempt->client, attempt->server);
}

static void
show(struct attempt *attempt, wmem_allocator_t *scope, void *data)
{
    struct sessions *sessions = (struct sessions *)data;

    if (attempt->is_withdrawn) {
        note_stop(sessions, attempt, false);
        withdraw(sessions, attempt, scope);
        return;
    }
    if (!attempt->has_row) {
        struct sessions_pair *pair;

        if (!is_of_table(sessions, attempt)) {
            return;
        }
        pair = pair_of(sessions, attempt);
        if (is_silent(attempt) && !pair->is_about) {
            set_aside(sessions, pair, attempt, scope);
            note_stop(sessions, attempt, is_closed(sessions, attempt));
            return;
        }
        if (!is_silent(attempt)) {
            /*
             * The client reads performance data of the server, so its earlier attempts probably had the same
             * purpose.
             */
            pair->is_about = true;
            show_kept(sessions, pair, scope);
        }
        if (!attempt->has_row) {
            add_row(sessions, attempt, scope);
        }
    }
    note_stop(sessions, attempt, true);
    /* Tables of terminals and models are updated at the end, by sessions_refresh(). */
    if (stat_rows_is_live(&sessions->rows)) {
        show_row(sessions, attempt, scope);
    }
}

/* Adds rows for servers where the client only tried the SMB or endpoint mapper port, which was never open. */
static void
show_closed(struct sessions *sessions, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < key_index_size(sessions->pairs) && sessions->closed < MOST_CLOSED; i++) {
        struct sessions_pair *pair = (struct sessions_pair *)key_index_data(sessions->pairs, i);
        wmem_list_frame_t *first = wmem_list_head(pair->kept);

        if (first != NULL && is_closed(sessions, (const struct attempt *)wmem_list_frame_data(first))) {
            sessions->closed++;
            show_kept(sessions, pair, scope);
        }
    }
}

/* Updates all rows of the table. */
static void
sessions_refresh(struct sessions *sessions, wmem_allocator_t *scope)
{
    show_closed(sessions, scope);
    for (unsigned i = 0; i < sessions->shown->len; i++) {
        show_row(sessions, (struct attempt *)g_ptr_array_index(sessions->shown, i), scope);
    }
}

/* Sets the cells that only files have: protocol, state, code and status of the outcome. */
static void
show_codes(stat_tap_table_item_type *cells, const struct attempt *attempt)
{
    static const char *const states[] = {
        [ATTEMPT_UNDECIDED] = "undecided",
        [ATTEMPT_STOPPED] = "stopped",
        [ATTEMPT_FOUND] = "found",
        [ATTEMPT_REACHED] = "reached",
        [ATTEMPT_NO_VALUE] = "no_value",
        [ATTEMPT_SEALED] = "sealed",
        [ATTEMPT_WORKS] = "works",
    };
    const struct outcome reason = attempt_reason(attempt);

    stat_cell_set_text(&cells[COLUMN_PROTOCOL],
        attempt->wants & WANTS_PERFLIBV2                       ? "perflibv2"
            : attempt->wants & (WANTS_PERFDATA | WANTS_WINREG) ? "perfdata"
            : attempt->wants & (WANTS_PLA | WANTS_OBJECT)      ? "pla"
                                                               : "");
    stat_cell_set_text(&cells[COLUMN_STATE], states[attempt_state(attempt)]);
    stat_cell_set_text(&cells[COLUMN_CODE], outcomes[reason.code].name);
    cells[COLUMN_STATUS].value.uint_value = reason.status;
}

static void
show_row(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope)
{
    struct stat_rows *rows = &sessions->rows;
    stat_tap_table_item_type *cells;

    stat_rows_end_with(rows, attempt->needed);
    cells = stat_rows_cells(rows, attempt->row);
    stat_cell_set_text(&cells[COLUMN_WANTS], attempt_wants(attempt, scope));
    stat_cell_set_text(&cells[COLUMN_STAGE], stage_texts[attempt->stage]);
    stat_cell_set_text(&cells[COLUMN_OUTCOME], attempt_outcome(attempt, scope));
    stat_cell_set_text(&cells[COLUMN_AUTHENTICATION], attempt->authentication);
    if (!rows->is_text) {
        show_codes(cells, attempt);
    }
    cells[COLUMN_TIMES].value.uint_value = attempt->times;
    cells[COLUMN_CALLS].value.uint_value = attempt->calls + attempt->unbound;
    cells[COLUMN_FAULTS].value.uint_value = attempt->faults.count;
    stat_cell_set_real(&cells[COLUMN_BYTES], (double)attempt->bytes);
    if (attempt->responses != 0) {
        stat_cell_set_real(&cells[COLUMN_RESPONSE], attempt->response_sum / attempt->responses);
        stat_cell_set_real(&cells[COLUMN_SLOWEST], attempt->response_max);
    }
}

static bool
sessions_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped _U_)
{
    struct sessions *sessions = (struct sessions *)rows;

    tracker_frame_begins(sessions->tracker, pinfo);
    for (unsigned i = 0; events_frame == pinfo->num && i < events->len; i++) {
        const struct event *event = &g_array_index(events, struct event, i);

        if (event->source->tell != NULL) {
            event->source->tell(sessions->tracker, event->tapped);
        } else {
            stat_rows_end_with(rows, (const struct key_needed *)event->tapped);
        }
    }
    tracker_frame_ends(sessions->tracker);
    if (sessions->unfollowed != sessions->tracker->unfollowed) {
        sessions->unfollowed = sessions->tracker->unfollowed;
        show_aside(sessions, pinfo->pool);
    }
    show_cuts(sessions, pinfo->pool);
    if (stat_rows_is_live(rows) &&
        nstime_to_sec(&pinfo->abs_ts) - nstime_to_sec(&sessions->refreshed) >= REFRESH_STEP) {
        sessions->refreshed = pinfo->abs_ts;
        sessions_refresh(sessions, pinfo->pool);
    }
    return true;
}

static void
sessions_fill(struct stat_rows *rows)
{
    if (!stat_rows_is_live(rows)) {
        wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);

        sessions_refresh((struct sessions *)rows, scope);
        wmem_destroy_allocator(scope);
    }
}

/* Prepares the emptied table. The first table used adds the tap listeners for all. */
static void
sessions_begin(struct stat_rows *rows)
{
    struct sessions *sessions = (struct sessions *)rows;
    const char *name = rows->ui.cli_string;

    sessions->wants = g_str_has_prefix(name, "perfdata,") ? WANTS_WINREG | WANTS_PERFDATA
        : g_str_has_prefix(name, "pla,")                  ? WANTS_PLA | WANTS_OBJECT
                                                          : WANTS_ANYTHING;
    events_frame = 0;
    sessions->kept = sessions->aside = sessions->unfollowed = sessions->closed = sessions->cut_frames = 0;
    sessions->first_aside = NULL;
    sessions->refreshed = (nstime_t)NSTIME_INIT_ZERO;
    for (unsigned i = 0; i < NUM_SENTENCES; i++) {
        stat_rows_add_sentence(rows);
    }
    if (!session_is_enabled()) {
        stat_rows_set_sentence(rows, SENTENCE_DISABLED,
            "The protocol perflib_session is disabled, so this table lacks binds and may be wrong.");
    }
    sessions->pairs = key_index_new(rows->scope);
    if (sessions->tracker != NULL) {
        tracker_clear(sessions->tracker);
        g_ptr_array_set_size(sessions->shown, 0);
        return;
    }
    sessions->tracker = tracker_new(show, sessions);
    sessions->shown = g_ptr_array_new();
    for (size_t i = 0; events == NULL && i < array_length(sources); i++) {
        helper_listen(sources[i].tap, (void *)&sources[i], NULL, listen, NULL);
    }
    events = events == NULL ? g_array_new(FALSE, FALSE, sizeof(struct event)) : events;
}

static const struct stat_view sessions_view = {
    .columns = STAT_BITS(COLUMN_CLIENT, COLUMN_SLOWEST) & ~STAT_BITS(COLUMN_OUTCOME, COLUMN_AUTHENTICATION),
    .below = STAT_BIT(COLUMN_OUTCOME) | STAT_BIT(COLUMN_AUTHENTICATION),
    .optional = STAT_BIT(COLUMN_SLOWEST),
};

const struct stat_kind sessions_table = {
    .name = "sessions",
    .title = "Sessions",
    .columns = sessions_columns,
    .num_columns = NUM_COLUMNS,
    .count = sessions_count,
    .begin = sessions_begin,
    .fill = sessions_fill,
    .views = &sessions_view,
    .num_views = 1,
    .frames = STAT_BIT(COLUMN_FRAME),
    .size = sizeof(struct sessions),
};

const GPtrArray *
sessions_attempts(struct stat_rows *rows, wmem_allocator_t *scope)
{
    struct sessions *sessions = (struct sessions *)rows;

    sessions_refresh(sessions, scope);
    return sessions->shown;
}

const struct attempt *
sessions_first_aside(const struct stat_rows *rows)
{
    return ((const struct sessions *)rows)->first_aside;
}

const struct capture_cuts *
sessions_cuts(const struct stat_rows *rows)
{
    return &((const struct sessions *)rows)->tracker->cuts;
}

/*
 * Hidden sessions table of all frames; NULL until unread_follow(). The missing tables ask it which answers are
 * incomplete or awaited, which only its SMB taps show.
 */
static struct sessions *unread;

static void
unread_reset(void *data _U_)
{
    stat_rows_use(&unread->rows);
}

static tap_packet_status
unread_frame(void *data _U_, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    sessions_count(&unread->rows, pinfo, tapped);
    return TAP_PACKET_DONT_REDRAW;
}

void
unread_follow(void)
{
    if (unread != NULL) {
        return;
    }
    unread = (struct sessions *)stat_rows_new(&sessions_table, "perflibv2", NULL, "Unread");
    unread->notes_stops = true;
    stat_rows_use(&unread->rows);
    helper_listen("frame", &unread, unread_reset, unread_frame, NULL);
}

struct stat_rows *
sessions_of_all_frames(void)
{
    unread_follow();
    return &unread->rows;
}

enum outcome_code
unread_why(uint32_t frame)
{
    return unread == NULL ? OUTCOME_NONE
                          : (enum outcome_code)GPOINTER_TO_UINT(
                                wmem_map_lookup(unread->tracker->attempts->unread, GUINT_TO_POINTER(frame)));
}

GHashTable *
unread_awaited(void)
{
    GHashTable *frames = g_hash_table_new(g_direct_hash, g_direct_equal);

    for (unsigned i = 0; unread != NULL && i < unread->shown->len; i++) {
        attempt_add_awaited((const struct attempt *)g_ptr_array_index(unread->shown, i), frames);
    }
    return frames;
}
