/* attempts.c
 * Attempts of clients to reach performance data: how far each got, what stopped it, and whether a later one worked
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/attempts.h"

/* Maximum number of failed attempts kept per client and server, to record in them that a later attempt worked. */
#define MOST_STOPPED  64u
/* Maximum number of different statuses kept in a struct occurrence, besides its first. */
#define MOST_STATUSES 8u
/* Seconds by which time may go back from frame to frame, because a capture tool reordered them. */
#define REORDERED     1.0

static void
add_losses(struct attempt_losses *to, bool has_gaps, uint32_t first_cut)
{
    to->has_gaps = to->has_gaps || has_gaps;
    to->first_cut = first_cut != 0 && (to->first_cut == 0 || first_cut < to->first_cut) ? first_cut : to->first_cut;
}

void
attempt_add_losses(const struct attempt *attempt, struct attempt_losses *to)
{
    const struct losses *losses = attempt->latest->losses;

    add_losses(to, attempt->earlier_losses.has_gaps, attempt->earlier_losses.first_cut);
    for (unsigned end = 0; end < NUM_ENDS; end++) {
        add_losses(to, losses->lacks[end] || losses->unread[end] != 0, losses->first_cut[end]);
    }
}

bool
attempt_is_in_part(const struct attempt *attempt)
{
    struct attempt_losses all = { .has_gaps = false };

    attempt_add_losses(attempt, &all);
    return all.first_cut != 0;
}

bool
capture_has_requests_only(const struct capture_cuts *cuts)
{
    return cuts->unanswered != 0 && !cuts->has_answers;
}

bool
attempt_lacks_bind(const struct attempt *attempt)
{
    /* If the pipe's name is known, its Create request was captured, so the capture began before the bind. */
    return attempt->unbound != 0 && (attempt->is_bound || attempt->pipe != NULL || attempt->losses->has_begin);
}

enum attempt_state
attempt_state(const struct attempt *attempt)
{
    const unsigned refusals = attempt->refusals.count;

    if (attempt->stopped.count != 0 || attempt->is_overdue) {
        return ATTEMPT_STOPPED;
    }
    if (attempt->found.code != OUTCOME_NONE) {
        return ATTEMPT_FOUND;
    }
    if (attempt->answers > refusals - attempt->refused_aside) {
        return attempt->values != 0                                           ? ATTEMPT_WORKS
            : attempt->needed != NULL                                         ? ATTEMPT_SEALED
            : (attempt->wants & WANTS_PLA) != 0                               ? ATTEMPT_WORKS
            : attempt->asked_values == 0 && attempt->failed_values.count == 0 ? ATTEMPT_REACHED
            : attempt->fragmented == 0 && !attempt_is_in_part(attempt)        ? ATTEMPT_NO_VALUE
                                                                              : ATTEMPT_REACHED;
    }
    return attempt->faults.count != 0 || refusals != 0 || attempt->given_up.count != 0 ? ATTEMPT_STOPPED
                                                                                       : ATTEMPT_UNDECIDED;
}

bool
attempt_is_answered(const struct attempt *attempt)
{
    return attempt_state(attempt) >= ATTEMPT_FOUND;
}

/* Returns the attempt whose row counts and shows this attempt. */
struct attempt *
attempts_shown(struct attempt *attempt)
{
    return attempt->shown_as != NULL ? attempt->shown_as : attempt;
}

void
attempts_clear(struct attempts *attempts)
{
    wmem_free_all(attempts->scope);
    attempts->latest = wmem_map_new(attempts->scope, wmem_str_hash, g_str_equal);
    attempts->stopped = wmem_map_new(attempts->scope, wmem_str_hash, g_str_equal);
    attempts->dirty = NULL;
    attempts->dirty_end = &attempts->dirty;
    attempts->unread = wmem_map_new(attempts->scope, g_direct_hash, g_direct_equal);
    nstime_set_zero(&attempts->now);
    nstime_set_zero(&attempts->set_back);
    attempts->set_back_in = 0;
}

/* In joined captures, or after a clock was set back, patience must not begin anew with each frame of the past. */
void
attempts_frame_begins(struct attempts *attempts, const packet_info *pinfo)
{
    nstime_t now = pinfo->abs_ts;

    if (attempts->set_back_in != 0) {
        nstime_add(&now, &attempts->set_back);
    }
    if (nstime_cmp(&now, &attempts->now) < 0 && attempt_seconds(&now, &attempts->now) >= REORDERED) {
        nstime_t back;

        nstime_delta(&back, &attempts->now, &now);
        nstime_add(&attempts->set_back, &back);
        now = attempts->now;
        attempts->set_back_in = pinfo->num;
    }
    attempts->frame = pinfo->num;
    attempts->now = now;
}

struct attempts *
attempts_new(attempt_show show, void *data)
{
    struct attempts *attempts = g_new0(struct attempts, 1);

    attempts->show = show;
    attempts->data = data;
    attempts->scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    return attempts;
}

struct attempt *
attempts_add(struct attempts *attempts, const struct attempt *begin_with)
{
    struct attempt *attempt = (struct attempt *)wmem_memdup(attempts->scope, begin_with, sizeof *begin_with);
    const char *key = wmem_strdup_printf(attempts->scope, "%s %s %u %u %s", attempt->client, attempt->server,
        (unsigned)attempt->carrier, attempt->port, attempt->pipe == NULL ? "" : attempt->pipe);

    attempt->times = 1;
    attempt->attempts = attempts;
    attempt->latest = attempt;
    attempt->pending = wmem_list_new(attempts->scope);
    attempt->earlier = (struct attempt *)wmem_map_lookup(attempts->latest, key);
    while (attempt->earlier != NULL && attempt->earlier->is_withdrawn) {
        attempt->earlier = attempt->earlier->earlier;
    }
    wmem_map_insert(attempts->latest, key, attempt);
    attempts_changed(attempt);
    return attempt;
}

void
attempts_changed(struct attempt *attempt)
{
    struct attempts *attempts = attempt->attempts;

    if (!attempt->is_dirty) {
        attempt->is_dirty = true;
        *attempts->dirty_end = attempt;
        attempts->dirty_end = &attempt->next_dirty;
    }
}

/* Adds an outcome to occurrence->further, unless an outcome with the same status is known or the list is full. */
static void
attempt_name(const struct attempt *attempt, struct occurrence *occurrence, const struct outcome *what, uint32_t frame)
{
    struct further_outcome **link = &occurrence->further;
    unsigned count = 0;

    for (; *link != NULL && (*link)->what.status != what->status; link = &(*link)->next) {
        count++;
    }
    if (*link == NULL && what->status != occurrence->what.status && count < MOST_STATUSES) {
        *link = wmem_new(attempt->attempts->scope, struct further_outcome);
        **link = (struct further_outcome){ *what, frame, NULL };
    }
}

void
attempts_count(const struct attempts *attempts, struct occurrence *occurrence, const struct outcome *what)
{
    if (occurrence->count++ == 0) {
        occurrence->what = *what;
        occurrence->first_frame = attempts->frame;
    }
    occurrence->last_frame = attempts->frame;
    occurrence->last_time = attempts->now;
}

void
attempts_step_took(struct attempt *attempt, enum step step, const nstime_t *since)
{
    const struct outcome slow = { .code = OUTCOME_SLOW,
        .step = step,
        .seconds = attempt_seconds(since, &attempt->attempts->now) };

    if (slow.seconds >= SLOW_STEP) {
        attempts_count(attempt->attempts, &attempts_shown(attempt)->slow, &slow);
        attempts_changed(attempts_shown(attempt));
    }
}

void
attempts_reached(struct attempt *attempt, enum step step, bool is_answered)
{
    if (is_answered && attempt->awaits == step) {
        attempts_step_took(attempt, step, &attempt->awaits_time);
    }
    attempt->stage = MAX(attempt->stage, steps[step].stage);
    attempt->awaits = is_answered ? STEP_NONE : step;
    attempt->awaits_since = attempt->attempts->frame;
    attempt->awaits_time = attempt->attempts->now;
    attempts_changed(attempt);
}

void
attempts_stopped(struct attempt *attempt, const struct outcome *what)
{
    if (attempt->awaits == what->step && what->code != OUTCOME_LEFT) {
        attempts_step_took(attempt, what->step, &attempt->awaits_time);
    }
    attempt->awaits = STEP_NONE;
    attempt->is_overdue = false;
    attempt->account = what->user != NULL ? what->user : attempt->account;
    if (attempt_is_answered(attempts_shown(attempt))) {
        /* An attempt with successful answers is not stopped: only a further request was refused. */
        attempts_refused_aside(attempt, what);
        return;
    }
    attempt->stage = MAX(attempt->stage, steps[what->step].stage);
    if (attempt->stopped.count == 0) {
        attempts_count(attempt->attempts, &attempt->stopped, what);
    }
    attempts_changed(attempt);
}

void
attempts_ended(struct attempt *attempt, enum ending ending)
{
    const struct outcome left = { .code = OUTCOME_LEFT,
        .step = attempt->awaits,
        .ending = ending,
        .doubt = attempt_doubt(attempt->losses, SERVER, attempt->awaits_since) };

    if (attempt->awaits != STEP_NONE && left.doubt != DOUBT_CUT) {
        attempts_stopped(attempt, &left);
    }
    attempt->is_over = true;
    attempt->ending = ending;
    attempt->ended_at = attempt->attempts->now;
    attempts_changed(attempt);
    attempts_changed(attempts_shown(attempt));
}

void
attempts_withdraw(struct attempt *attempt)
{
    struct attempt *shown = attempts_shown(attempt);

    if (attempt->is_withdrawn) {
        return;
    }
    attempt->awaits = STEP_NONE;
    attempt->is_overdue = false;
    attempt->is_withdrawn = true;
    shown->times -= shown != attempt;
    attempts_changed(attempt);
}

static void
wait_for(struct attempt *attempt, struct pending_request *request)
{
    wmem_list_append(attempt->pending, request);
    request->link = wmem_list_tail(attempt->pending);
}

void
attempts_request(struct pending_request *request)
{
    struct attempt *attempt = attempts_shown(request->attempt);

    /* A client that sends calls has received the previous answers, even if they were not captured. */
    request->attempt->awaits = STEP_NONE;
    request->attempt->is_overdue = false;
    request->attempt->stage = MAX(request->attempt->stage, STAGE_CALL);
    attempt->stage = MAX(attempt->stage, STAGE_CALL);
    attempts_changed(attempt);
    if (request->frame != 0) {
        attempt->calls++;
        wait_for(attempt, request);
    }
    if (request->wants == WANTS_PERFLIBV2 && request->opnum == QUERY_COUNTER_DATA) {
        attempts_asks_values(request);
    }
}

void
attempts_asks_values(struct pending_request *request)
{
    request->asks_values = true;
    attempts_shown(request->attempt)->asks_values = true;
}

static void
no_longer_waits(struct pending_request *request)
{
    if (request->link != NULL) {
        wmem_list_remove_frame(attempts_shown(request->attempt)->pending, request->link);
        request->link = NULL;
    }
}

static void
note_slow(const struct pending_request *request)
{
    const struct outcome slow = { .code = OUTCOME_SLOW,
        .step = STEP_CALL,
        .operation = request->operation,
        .seconds = request->frame == 0 ? 0 : attempt_seconds(&request->time, &request->attempt->attempts->now) };

    if (slow.seconds >= SLOW_CALL) {
        attempts_count(request->attempt->attempts, &attempts_shown(request->attempt)->slow, &slow);
    }
}

void
attempts_answered(struct pending_request *request)
{
    struct attempt *attempt = attempts_shown(request->attempt);
    const struct attempts *attempts = attempt->attempts;
    nstime_t delta;
    double response;

    no_longer_waits(request);
    attempt->answers++;
    attempt->answered_in = attempts->frame;
    attempt->answered_at = attempts->now;
    note_slow(request);
    attempts_changed(attempt);
    /* A response time is not counted if frames were reordered, or time went back in between. */
    if (request->frame <= attempts->set_back_in || nstime_cmp(&attempts->now, &request->time) < 0) {
        return;
    }
    nstime_delta(&delta, &attempts->now, &request->time);
    response = nstime_to_msec(&delta);
    attempt->responses++;
    attempt->response_sum += response;
    attempt->response_max = MAX(attempt->response_max, response);
}

static void
count_failed(struct pending_request *request, struct occurrence *occurrence, const struct outcome *what)
{
    attempts_count(request->attempt->attempts, occurrence, what);
    /* An answer that the client did not read to its end may hold values. */
    if (request->asks_values && what->code != OUTCOME_REST_NOT_READ) {
        attempts_count(request->attempt->attempts, &attempts_shown(request->attempt)->failed_values, what);
    }
}

void
attempts_fault(struct pending_request *request, bool has_status, uint32_t status)
{
    struct attempt *attempt = attempts_shown(request->attempt);
    struct occurrence *faults = &attempt->faults;
    const struct outcome fault = { .code = has_status ? OUTCOME_FAULT : OUTCOME_FAULT_NOT_CAPTURED,
        .step = STEP_CALL,
        .status = status,
        .operation = request->operation };

    no_longer_waits(request);
    if (faults->count != 0) {
        attempt_name(attempt, faults, &fault, attempt->attempts->frame);
    }
    count_failed(request, faults, &fault);
    note_slow(request);
    attempts_changed(attempt);
}

void
attempts_given_up(struct pending_request *request, struct outcome what)
{
    struct attempt *attempt = attempts_shown(request->attempt);

    what.operation = request->operation;
    no_longer_waits(request);
    count_failed(request, &attempt->given_up, &what);
    if (what.code == OUTCOME_REST_NOT_READ) {
        wmem_map_insert(attempt->attempts->unread, GUINT_TO_POINTER(request->frame), GUINT_TO_POINTER(what.code));
    }
    attempts_changed(attempt);
}

void
attempts_refused(struct attempt *attempt, const struct outcome *what)
{
    attempts_count(attempt->attempts, &attempts_shown(attempt)->refusals, what);
    attempts_changed(attempts_shown(attempt));
}

void
attempts_refused_aside(struct attempt *attempt, const struct outcome *what)
{
    attempts_shown(attempt)->refused_aside++;
    attempts_refused(attempt, what);
}

void
attempts_values(struct attempt *attempt, unsigned values, const struct outcome *what)
{
    struct attempt *shown = attempts_shown(attempt);

    shown->asked_values++;
    shown->values += values != 0;
    if (what != NULL) {
        attempts_count(attempt->attempts, &shown->no_value, what);
    }
    attempts_changed(shown);
}

void
attempts_sealed(struct attempt *attempt, const struct key_needed *needed)
{
    attempts_shown(attempt)->needed = needed;
    attempts_changed(attempts_shown(attempt));
}

/* Compares purposes except WANTS_PERFDATA: a client of the registry may still read performance data. */
static bool
wants_the_same(const struct attempt *a, const struct attempt *b)
{
    return ((a->wants ^ b->wants) & ~WANTS_PERFDATA) == 0;
}

/* Returns true if both accounts are known, and differ. Windows ignores the case of their letters. */
static bool
has_other_account(const struct attempt *a, const struct attempt *b)
{
    return a->account != NULL && b->account != NULL && g_ascii_strcasecmp(a->account, b->account) != 0;
}

static bool
occurrences_alike(const struct occurrence *a, const struct occurrence *b)
{
    return (a->count == 0) == (b->count == 0) && outcome_equal(&a->what, &b->what);
}

/* Returns true if two attempts have equal purposes, stages and failures, so that one row can count both. */
static bool
is_alike(const struct attempt *a, const struct attempt *b)
{
    return attempt_state(a) == attempt_state(b) && a->stage == b->stage && a->awaits == b->awaits &&
        wants_the_same(a, b) && (a->unbound != 0) == (b->unbound != 0) &&
        attempt_lacks_bind(a) == attempt_lacks_bind(b) && g_strcmp0(a->class_name, b->class_name) == 0 &&
        g_strcmp0(a->authentication, b->authentication) == 0 && !has_other_account(a, b) &&
        outcome_equal(&a->found, &b->found) && occurrences_alike(&a->stopped, &b->stopped) &&
        occurrences_alike(&a->faults, &b->faults) && occurrences_alike(&a->refusals, &b->refusals) &&
        occurrences_alike(&a->given_up, &b->given_up);
}

static void
add_occurrences(const struct attempt *attempt, struct occurrence *to, const struct occurrence *from)
{
    if (from->count == 0) {
        return;
    }
    if (to->count == 0) {
        *to = *from;
        return;
    }
    attempt_name(attempt, to, &from->what, from->first_frame);
    for (const struct further_outcome *further = from->further; further != NULL; further = further->next) {
        attempt_name(attempt, to, &further->what, further->frame);
    }
    to->count += from->count;
    to->last_frame = from->last_frame;
    to->last_time = from->last_time;
}

static void
attempt_merge(struct attempt *into, struct attempt *attempt)
{
    into->times += attempt->times;
    into->wants |= attempt->wants;
    into->calls += attempt->calls;
    into->answers += attempt->answers;
    into->unbound += attempt->unbound;
    into->others += attempt->others;
    into->locked += attempt->locked;
    into->bytes += attempt->bytes;
    into->responses += attempt->responses;
    into->response_sum += attempt->response_sum;
    into->response_max = MAX(into->response_max, attempt->response_max);
    into->answered_in = attempt->answered_in;
    into->answered_at = attempt->answered_at;
    into->needed = into->needed != NULL ? into->needed : attempt->needed;
    attempt_add_losses(into, &into->earlier_losses);
    into->latest = attempt;
    into->fragmented += attempt->fragmented;
    into->refused_aside += attempt->refused_aside;
    into->refused_on_sets += attempt->refused_on_sets;
    into->values += attempt->values;
    into->opens_other_key = into->opens_other_key || attempt->opens_other_key;
    into->asked_values += attempt->asked_values;
    into->asks_values = into->asks_values || attempt->asks_values;
    add_occurrences(into, &into->stopped, &attempt->stopped);
    add_occurrences(into, &into->faults, &attempt->faults);
    add_occurrences(into, &into->refusals, &attempt->refusals);
    add_occurrences(into, &into->given_up, &attempt->given_up);
    add_occurrences(into, &into->no_value, &attempt->no_value);
    add_occurrences(into, &into->failed_values, &attempt->failed_values);
    add_occurrences(into, &into->slow, &attempt->slow);
    for (wmem_list_frame_t *link = wmem_list_head(attempt->pending); link != NULL; link = wmem_list_frame_next(link)) {
        wait_for(into, (struct pending_request *)wmem_list_frame_data(link));
    }
    attempt->shown_as = into;
    attempts_changed(into);
}

/* Sets attempt->shown_as to the attempt whose row counts this one. Returns false if later frames must decide. */
static bool
decide(struct attempt *attempt)
{
    struct attempt *earlier = attempt->earlier == NULL ? NULL : attempt->earlier->shown_as;
    /*
     * True if the earlier attempt's row may count this one: the earlier attempt ended or was stopped, none has worked
     * since, and both may have the same purpose.
     */
    const bool may_be_same = earlier != NULL && earlier->shown_as == earlier && earlier->worked_in == 0 &&
        (earlier->latest->is_over || earlier->stopped.count != 0) &&
        (attempt->wants == 0 || earlier->wants == 0 || wants_the_same(earlier, attempt));
    const enum attempt_state state = attempt_state(attempt);

    if (attempt->is_withdrawn && attempt->shown_as == NULL) {
        attempt->shown_as = attempt;
    }
    /* Waits while the attempt may still end unlike the earlier one: after failed calls, the next one may succeed. */
    if (attempt->shown_as == NULL && may_be_same &&
        (state == ATTEMPT_UNDECIDED ||
            (state == ATTEMPT_STOPPED && attempt->stopped.count == 0 && !attempt->is_over &&
                is_alike(earlier, attempt)))) {
        if (attempt->is_over && attempt->unbound != 0 && is_alike(earlier, attempt)) {
            attempt_merge(earlier, attempt);
        } else if (attempt->is_over) {
            attempt->shown_as = attempt;
        } else if (earlier->again != attempt) {
            earlier->again = attempt;
            attempts_changed(earlier);
        }
    } else if (attempt->shown_as == NULL && may_be_same && is_alike(earlier, attempt)) {
        attempt_merge(earlier, attempt);
    } else if (attempt->shown_as == NULL) {
        attempt->shown_as = attempt;
    }
    if (attempt->shown_as != NULL && earlier != NULL && earlier->again == attempt) {
        earlier->again = NULL;
        attempts_changed(earlier);
    }
    return attempt->shown_as != NULL;
}

bool
attempt_is_smb(const struct attempt *attempt)
{
    return attempt->carrier != SESSION_TCP || attempt->port == 445 || attempt->port == 139;
}

/* Returns true if the server answered with a status that it may give to one account, but not to another. */
static bool
may_refuse_account(const struct attempt *attempt)
{
    const enum outcome_code code = attempt_what_stopped(attempt)->what.code;

    return !attempt->may_start &&
        (code == OUTCOME_SMB_STATUS || code == OUTCOME_FAULT || code == OUTCOME_WIN32 || code == OUTCOME_HRESULT);
}

/*
 * Returns true if `works` reached what `stopped` failed to reach: the same interface, pipe or port. Another account's
 * success is no answer to a refusal.
 */
static bool
is_answer_to(const struct attempt *works, const struct attempt *stopped)
{
    const unsigned asks = WANTS_ENDPOINT | WANTS_OBJECT;

    if (attempt_is_smb(works) != attempt_is_smb(stopped) ||
        (has_other_account(works, stopped) && may_refuse_account(stopped))) {
        return false;
    }
    if (((works->wants & asks) & ~stopped->wants) != 0 && (stopped->wants != 0 || stopped->port != works->port)) {
        return false;
    }
    if ((works->wants & WANTS_INTERFACE) != 0 && (stopped->wants & WANTS_INTERFACE) != 0) {
        return (works->wants & stopped->wants & WANTS_INTERFACE) != 0;
    }
    if (works->pipe != NULL && stopped->pipe != NULL) {
        return strcmp(works->pipe, stopped->pipe) == 0;
    }
    return attempt_is_smb(works) || works->port == stopped->port;
}

const struct occurrence *
attempt_what_stopped(const struct attempt *attempt)
{
    return attempt->stopped.count != 0 ? &attempt->stopped
        : attempt->faults.count != 0   ? &attempt->faults
        : attempt->refusals.count != 0 ? &attempt->refusals
                                       : &attempt->given_up;
}

static wmem_list_t *
stopped_between(const struct attempt *attempt)
{
    struct attempts *attempts = attempt->attempts;
    const char *key = wmem_strdup_printf(attempts->scope, "%s %s", attempt->client, attempt->server);
    wmem_list_t *list = (wmem_list_t *)wmem_map_lookup(attempts->stopped, key);

    if (list == NULL) {
        list = wmem_list_new(attempts->scope);
        wmem_map_insert(attempts->stopped, key, list);
    } else {
        wmem_free(attempts->scope, (char *)key);
    }
    return list;
}

/* Records this working attempt in the failed attempts of its client and server for which is_answer_to() is true. */
static void
note_works(const struct attempt *attempt)
{
    const struct attempts *attempts = attempt->attempts;
    wmem_list_t *list = stopped_between(attempt);
    wmem_list_frame_t *next;

    for (wmem_list_frame_t *link = wmem_list_head(list); link != NULL; link = next) {
        struct attempt *other = (struct attempt *)wmem_list_frame_data(link);
        nstime_t delta;

        next = wmem_list_frame_next(link);
        if (other == attempt) {
            wmem_list_remove_frame(list, link);
        } else if (is_answer_to(attempt, other)) {
            nstime_delta(&delta, &attempts->now,
                other->is_overdue ? &other->awaits_time : &attempt_what_stopped(other)->last_time);
            other->worked_after = (int64_t)MAX(nstime_to_msec(&delta), 0);
            other->worked_in = attempts->frame;
            attempts_changed(other);
            wmem_list_remove_frame(list, link);
        }
    }
}

void
attempts_frame(struct attempts *attempts, wmem_allocator_t *scope)
{
    struct attempt *attempt;

    /* Read the list anew each time: showing an attempt may add another one to it. */
    while ((attempt = attempts->dirty) != NULL) {
        const bool was_decided = attempt->shown_as != NULL;
        wmem_list_t *list;
        enum attempt_state state;

        attempts->dirty = attempt->next_dirty;
        attempts->dirty_end = attempts->dirty == NULL ? &attempts->dirty : attempts->dirty_end;
        attempt->next_dirty = NULL;
        attempt->is_dirty = false;
        if (!decide(attempt)) {
            continue;
        }
        state = attempt_state(attempt);
        if (state >= ATTEMPT_FOUND && !attempt->has_worked) {
            attempt->has_worked = true;
            note_works(attempt);
        } else if (state == ATTEMPT_STOPPED && attempt->shown_as == attempt && !attempt->was_stopped) {
            attempt->was_stopped = true;
            list = stopped_between(attempt);
            if (wmem_list_count(list) == MOST_STOPPED) {
                wmem_list_remove_frame(list, wmem_list_head(list));
            }
            wmem_list_append(list, attempt);
        }
        if (attempt->shown_as == attempt) {
            attempts->show(attempt, scope, attempts->data);
        } else if (!was_decided) {
            /* attempt->shown_as counts this attempt from now on, so its row changes. */
            attempts_changed(attempt->shown_as);
        }
    }
}
