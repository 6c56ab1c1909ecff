/* sessions.c
 * -z perflibv2,sessions, perfdata,sessions and pla,sessions: how far each attempt of a client came, and what stopped it
 *
 * What happens around calls is told by many: TCP, SMB, the PDUs of DCE/RPC, the dissectors of our protocols. Their taps
 * are listened to without a filter; what they told of a frame counts once the table's own tap, which has the user's
 * filter and comes last in each frame, brings it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <string.h>

#include <epan/dissectors/packet-ntlmssp.h>
#include <epan/tap.h>
#include <wsutil/str_util.h>

#include "base/win32-names.h"
#include "perfdata/record.h"
#include "perflibv2/record.h"
#include "pla/record.h"
#include "stats/helper-listener.h"
#include "stats/rows.h"
#include "stats/sessions/wire.h"

/* Where there is no mean tshark ends the line: so these are the last. The first is a text: stat_rows_end_with(). */
enum sessions_column {
    COLUMN_CLIENT,
    COLUMN_SERVER,
    COLUMN_OVER,
    COLUMN_WANTS,
    COLUMN_FRAME,
    COLUMN_TIMES,
    COLUMN_STAGE,
    COLUMN_OUTCOME,
    COLUMN_AUTHENTICATION,
    COLUMN_CALLS,
    COLUMN_FAULTS,
    COLUMN_BYTES,
    COLUMN_RESPONSE,
    COLUMN_SLOWEST,
    NUM_COLUMNS
};

static const struct stat_column sessions_columns[NUM_COLUMNS] = {
    [COLUMN_CLIENT] = STAT_TEXT("client", "Client"),
    [COLUMN_SERVER] = STAT_TEXT("server", "Server"),
    [COLUMN_OVER] = STAT_TEXT("over", "Over"),
    [COLUMN_WANTS] = STAT_TEXT("wants", "For"),
    [COLUMN_FRAME] = STAT_COUNT("first_frame", "First frame"),
    [COLUMN_TIMES] = STAT_COUNT("times", "Times"),
    [COLUMN_STAGE] = STAT_TEXT("stage", "Reached"),
    [COLUMN_OUTCOME] = STAT_TEXT("outcome", "Outcome"),
    [COLUMN_AUTHENTICATION] = STAT_TEXT("authentication", "Authentication"),
    [COLUMN_CALLS] = STAT_COUNT("calls", "Calls"),
    [COLUMN_FAULTS] = STAT_COUNT("faults", "Faults"),
    [COLUMN_BYTES] = STAT_COUNT("bytes", "Bytes"),
    [COLUMN_RESPONSE] = STAT_REAL("response_ms", "Response ms", 3),
    [COLUMN_SLOWEST] = STAT_REAL("slowest_ms", "Slowest ms", 3),
};

#define E_ACCESSDENIED_CODE 0x80070005u

#define WANTS_ANYTHING ~0u

struct sessions;

/* A tap that is listened to. */
struct sessions_source {
    const char *tap;
    /* NULL: a sentence the table is to end with. */
    void (*tell)(struct wire *wire, const packet_info *pinfo, const void *tapped);
};

/* What a tap brought in the frame that is being told. */
struct event {
    const struct sessions_source *source;
    const void *tapped;
};

/* A listener's own data: which source, of which table. */
struct listening {
    struct sessions *sessions;
    const struct sessions_source *source;
};

/* A client and a server. */
struct sessions_pair {
    bool is_about;   /* performance data, as far as any attempt between them said */
    GPtrArray *kept; /* struct attempt: without a row until then */
};

/* So many attempts without a row are kept, to get one later. */
#define MOST_KEPT 4096u

/* A table. */
struct sessions {
    struct stat_rows rows; /* first */
    unsigned wants;        /* attempts for something else have no row */
    struct wire *wire;
    GPtrArray *shown; /* struct attempt, with a row */
    GArray *events;   /* struct event, of this frame: */
    uint32_t frame;
    GHashTable *pairs;                 /* "client server" to struct sessions_pair */
    unsigned kept;                     /* attempts in all of them */
    unsigned aside;                    /* attempts that said nothing of performance data, and have no row: the table */
    const struct attempt *first_aside; /* ... ends with their number, and the first; NULL: it has got a row */
    bool has_sentence;                 /* ... that says so */
    unsigned unfollowed;               /* half-open connections that it tells, too */
};

/* What each tap tells. */

static void
tell_user(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const ntlmssp_header_t *message = (const ntlmssp_header_t *)tapped;

    if (message->type == NTLMSSP_AUTH && message->acct_name != NULL) {
        wire_user(wire, pinfo, message->domain_name == NULL ? "" : (const char *)message->domain_name,
            (const char *)message->acct_name);
    }
}

static void
refuse_win32(struct wire *wire, const packet_info *pinfo, const char *operation, uint32_t error)
{
    const char *name = try_val_to_str_ext(error, &win32_error_vals_ext);

    wire_refused(wire, pinfo,
        wmem_strdup_printf(pinfo->pool, "%s: %s (0x%08x)", operation, name != NULL ? name : "error", error));
}

/* Without a handle there is nothing to ask; else an error may be a question of its own. */
static bool
is_refusal(uint32_t error, bool is_open)
{
    return error == WIN32_ACCESS_DENIED || (is_open && error != WIN32_SUCCESS);
}

static void
tell_perflibv2(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const struct perflibv2_tap *call = (const struct perflibv2_tap *)tapped;

    wire_call(wire, pinfo, WANTS_PERFLIBV2);
    if (call->needed != NULL) {
        wire_sealed(wire, pinfo, call->needed);
    } else if (call->is_response && call->unread == NULL && call->has_return_code &&
        is_refusal(call->return_code, call->is_open)) {
        refuse_win32(wire, pinfo, call->operation, call->return_code);
    }
}

/* Sealed calls of the registry may be about performance data, or not. */
static void
tell_registry(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const struct perfdata_tap *call = (const struct perfdata_tap *)tapped;

    if (call->needed != NULL) {
        wire_call(wire, pinfo, WANTS_WINREG);
        wire_sealed(wire, pinfo, call->needed);
    }
}

static void
tell_perfdata(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const struct perfdata_return *answer = (const struct perfdata_return *)tapped;

    wire_call(wire, pinfo, WANTS_WINREG | WANTS_PERFDATA);
    if (is_refusal(answer->error, answer->is_open)) {
        refuse_win32(wire, pinfo, answer->operation, answer->error);
    }
}

static const char *
hresult_text(const packet_info *pinfo, const char *what, uint32_t hresult)
{
    const char *name = hresult_name(pinfo->pool, hresult);

    return wmem_strdup_printf(pinfo->pool, "%s: %s (0x%08x)", what, name != NULL ? name : "error", hresult);
}

static void
tell_pla(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const struct pla_tap *call = (const struct pla_tap *)tapped;

    wire_call(wire, pinfo, WANTS_PLA);
    if (call->needed != NULL) {
        wire_sealed(wire, pinfo, call->needed);
    } else if (call->is_response && !call->is_fault && call->has_hresult && call->hresult == E_ACCESSDENIED_CODE) {
        wire_refused(wire, pinfo, hresult_text(pinfo, call->method_name, call->hresult));
    }
}

static void
tell_activation(struct wire *wire, const packet_info *pinfo, const void *tapped)
{
    const struct pla_activation *activation = (const struct pla_activation *)tapped;

    if (!activation->is_response) {
        wire_object(wire, pinfo, activation->class_name);
    } else {
        wire_object_answer(wire, pinfo,
            activation->has_hresult && (activation->hresult & 0x80000000) != 0
                ? hresult_text(pinfo, "activation", activation->hresult)
                : NULL,
            activation->port);
    }
}

static const struct sessions_source sources[] = {
    { "tcp", wire_segment },
    { "smb2", wire_smb2 },
    { "smb", wire_smb },
    { "ntlmssp", tell_user },
    { "perflib_session", wire_pdu },
    { "perflibv2", tell_perflibv2 },
    { "perfdata", tell_registry },
    { "perfdata_return", tell_perfdata },
    { "pla", tell_pla },
    { "pla_activation", tell_activation },
    { "perflib_session_key", NULL },
};

/* Keeps it until the frame is to be counted. */
static tap_packet_status
listen(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct listening *listening = (const struct listening *)data;
    struct sessions *sessions = listening->sessions;
    const struct event event = { listening->source, tapped };

    if (sessions->frame != pinfo->num) {
        g_array_set_size(sessions->events, 0);
        sessions->frame = pinfo->num;
    }
    g_array_append_val(sessions->events, event);
    return TAP_PACKET_DONT_REDRAW;
}

/*
 * Whether an attempt has a row. In the table of one protocol those have that want it; those that did not come to say
 * what they want, once that is certain, if it may have been that: objects of [MS-PLA] are not reached over SMB.
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
    return attempt->stopped.text != NULL && attempt_is_smb(attempt) == ((sessions->wants & WANTS_WINREG) != 0);
}

/*
 * Whether an attempt says nothing of performance data: a port that is tried, a bind of other interfaces, an object of
 * another class. Who is refused by SMB may have been about to.
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
    struct sessions_pair *pair = (struct sessions_pair *)g_hash_table_lookup(sessions->pairs, key);

    if (pair == NULL) {
        pair = g_new(struct sessions_pair, 1);
        *pair = (struct sessions_pair){ false, g_ptr_array_new() };
        g_hash_table_insert(sessions->pairs, g_strdup(key), pair);
    }
    g_free(key);
    return pair;
}

static void
free_pair(void *data)
{
    g_ptr_array_free(((struct sessions_pair *)data)->kept, TRUE);
    g_free(data);
}

/* The table's last row says how many attempts have none. */
static void
show_aside(struct sessions *sessions, wmem_allocator_t *scope)
{
    const unsigned count = sessions->aside + sessions->unfollowed;
    const struct attempt *first = sessions->first_aside;
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    if (!sessions->has_sentence) {
        sessions->has_sentence = true;
        stat_rows_add_sentence(&sessions->rows);
    }
    if (count != 0) {
        wmem_strbuf_append_printf(text, "%u attempt%s without a row said nothing of performance data", count,
            plurality(count, "", "s"));
    }
    if (first != NULL) {
        wmem_strbuf_append_printf(text, "; the first: %s at %s, %s: %s", first->client, first->server,
            attempt_over(first, scope), attempt_outcome(first, scope));
    }
    stat_rows_set_sentence(&sessions->rows, 0, wmem_strbuf_get_str(text));
}

/* An attempt gets no row so far. */
static void
set_aside(struct sessions *sessions, struct sessions_pair *pair, struct attempt *attempt, wmem_allocator_t *scope)
{
    if (attempt->aside == 0 && sessions->kept < MOST_KEPT) {
        g_ptr_array_add(pair->kept, attempt);
        sessions->kept++;
    }
    sessions->first_aside = sessions->first_aside == NULL ? attempt : sessions->first_aside;
    sessions->aside += attempt->times - attempt->aside;
    attempt->aside = attempt->times;
    show_aside(sessions, scope);
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
    if (attempt->aside != 0) {
        sessions->aside -= attempt->aside;
        sessions->first_aside = sessions->first_aside == attempt ? NULL : sessions->first_aside;
        show_aside(sessions, scope);
    }
}

static void show_row(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope);

/* A client is about performance data at a server: so may have been what it tried there before. */
static void
show_kept(struct sessions *sessions, struct sessions_pair *pair, wmem_allocator_t *scope)
{
    pair->is_about = true;
    for (unsigned i = 0; i < pair->kept->len; i++) {
        struct attempt *attempt = (struct attempt *)g_ptr_array_index(pair->kept, i);

        if (!attempt->has_row) {
            add_row(sessions, attempt, scope);
            show_row(sessions, attempt, scope);
        }
    }
    sessions->kept -= pair->kept->len;
    g_ptr_array_set_size(pair->kept, 0);
}

static void
show(struct attempt *attempt, wmem_allocator_t *scope, void *data)
{
    struct sessions *sessions = (struct sessions *)data;

    if (!attempt->has_row) {
        struct sessions_pair *pair;

        if (!is_of_table(sessions, attempt)) {
            return;
        }
        pair = pair_of(sessions, attempt);
        if (is_silent(attempt) && !pair->is_about) {
            set_aside(sessions, pair, attempt, scope);
            return;
        }
        if (!is_silent(attempt)) {
            show_kept(sessions, pair, scope);
        }
        if (!attempt->has_row) {
            add_row(sessions, attempt, scope);
        }
    }
    /* Who asks at the end, by sessions_attempts(), needs no text before. */
    if (!stat_rows_is_opened(&sessions->rows)) {
        show_row(sessions, attempt, scope);
    }
}

static void
show_row(struct sessions *sessions, struct attempt *attempt, wmem_allocator_t *scope)
{
    struct stat_rows *rows = &sessions->rows;
    stat_tap_table_item_type *cells;

    stat_rows_end_with(rows, attempt->needed);
    cells = stat_rows_cells(rows, attempt->row);
    stat_cell_set_text(&cells[COLUMN_WANTS], attempt_wants(attempt, scope));
    stat_cell_set_text(&cells[COLUMN_STAGE], attempt_stage(attempt));
    stat_cell_set_text(&cells[COLUMN_OUTCOME], attempt_outcome(attempt, scope));
    stat_cell_set_text(&cells[COLUMN_AUTHENTICATION], attempt->authentication != NULL ? attempt->authentication : "");
    cells[COLUMN_TIMES].value.uint_value = attempt->times;
    cells[COLUMN_CALLS].value.uint_value = attempt->calls + attempt->unbound;
    cells[COLUMN_FAULTS].value.uint_value = attempt->faults.count;
    cells[COLUMN_BYTES].value.uint_value = (unsigned)MIN(attempt->bytes, UINT32_MAX);
    if (attempt->responses != 0) {
        stat_cell_set_real(&cells[COLUMN_RESPONSE], attempt->response_sum / attempt->responses);
        stat_cell_set_real(&cells[COLUMN_SLOWEST], attempt->response_max);
    }
}

static bool
sessions_count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped _U_)
{
    struct sessions *sessions = (struct sessions *)rows;

    if (sessions->frame == pinfo->num) {
        for (unsigned i = 0; i < sessions->events->len; i++) {
            const struct event *event = &g_array_index(sessions->events, struct event, i);

            if (event->source->tell != NULL) {
                event->source->tell(sessions->wire, pinfo, event->tapped);
            } else {
                stat_rows_end_with(rows, (const struct key_needed *)event->tapped);
            }
        }
    }
    wire_frame(sessions->wire, pinfo);
    if (sessions->unfollowed != wire_unfollowed(sessions->wire)) {
        sessions->unfollowed = wire_unfollowed(sessions->wire);
        show_aside(sessions, pinfo->pool);
    }
    return true;
}

/* Only who looks at the table listens. */
static void
sessions_begin(struct stat_rows *rows)
{
    struct sessions *sessions = (struct sessions *)rows;
    const char *name = rows->ui.cli_string;

    sessions->wants = g_str_has_prefix(name, "perfdata,") ? WANTS_WINREG | WANTS_PERFDATA
        : g_str_has_prefix(name, "pla,")                  ? WANTS_PLA | WANTS_OBJECT
                                                          : WANTS_ANYTHING;
    sessions->frame = 0;
    sessions->kept = sessions->aside = sessions->unfollowed = 0;
    sessions->first_aside = NULL;
    sessions->has_sentence = false;
    if (sessions->wire != NULL) {
        wire_clear(sessions->wire);
        g_hash_table_remove_all(sessions->pairs);
        g_ptr_array_set_size(sessions->shown, 0);
        return;
    }
    sessions->wire = wire_new(show, sessions);
    sessions->pairs = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, free_pair);
    sessions->shown = g_ptr_array_new();
    sessions->events = g_array_new(FALSE, FALSE, sizeof(struct event));
    for (size_t i = 0; i < array_length(sources); i++) {
        struct listening *listening = g_new(struct listening, 1);

        *listening = (struct listening){ sessions, &sources[i] };
        helper_listen(sources[i].tap, listening, listen, NULL);
    }
}

static const struct stat_view sessions_view = {
    .columns = ~(STAT_BIT(COLUMN_OUTCOME) | STAT_BIT(COLUMN_AUTHENTICATION)),
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
    .views = &sessions_view,
    .num_views = 1,
    .frames = STAT_BIT(COLUMN_FRAME),
    .size = sizeof(struct sessions),
};

const GPtrArray *
sessions_attempts(struct stat_rows *rows, wmem_allocator_t *scope)
{
    struct sessions *sessions = (struct sessions *)rows;

    for (unsigned i = 0; i < sessions->shown->len; i++) {
        show_row(sessions, (struct attempt *)g_ptr_array_index(sessions->shown, i), scope);
    }
    return sessions->shown;
}
