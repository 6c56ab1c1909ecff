/* attempts.h
 * Attempts of clients to reach performance data: how far each got, what stopped it, and whether a later one worked
 *
 * Consecutive attempts with the same outcome are shown as one attempt, with their number.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_ATTEMPTS_H
#define PERFLIB_SESSION_ATTEMPTS_H

#include "session/outcomes.h"
#include "session/session-pdu.h"

/* Seconds after which an answer counts as slow, and an absent answer as missing. */
#define SLOW_STEP 5.0
#define SLOW_CALL 10.0

/* Purposes of an attempt, as bits. */
enum {
    WANTS_PERFLIBV2 = 0x01,
    WANTS_WINREG = 0x02,   /* binds the remote registry */
    WANTS_PERFDATA = 0x04, /* reads performance data from the remote registry */
    WANTS_PLA = 0x08,
    WANTS_INTERFACE = 0x0f, /* mask: any interface of the plugin */
    WANTS_ENDPOINT = 0x10,  /* asks the endpoint mapper for a port */
    WANTS_OBJECT = 0x20,    /* asks for an object of a class (DCOM activation) */
};

/* Operations that ask for values: of PerflibV2, and of the remote registry, where it reads other values, too. */
enum { QUERY_COUNTER_DATA = 6, QUERY_VALUE = 17 };

/* Ends of a connection. */
enum end { CLIENT, SERVER, NUM_ENDS };

/* Parts of the capture that are missing. */
struct capture_cuts {
    unsigned frames;       /* number of truncated frames */
    uint32_t first, last;  /* first and last truncated frame; 0 if none */
    unsigned answers_only; /* number of connections with captured answers but no captured request */
    bool has_answers;      /* true if any segment of a server was captured */
    unsigned unanswered;   /* number of connections whose client acknowledged data that was not captured */
};

/* Segments of a connection that are missing or truncated, by sender. */
struct losses {
    const struct capture_cuts *cuts;                  /* missing parts of the whole capture */
    bool has_begin;                                   /* true if the capture contains the beginning of the connection */
    bool lacks[NUM_ENDS];                             /* true if segments of that sender are missing */
    uint32_t first_cut[NUM_ENDS], last_cut[NUM_ENDS]; /* first and last truncated frame; 0 if none */
    /* latest frame with data captured after later data of the same end: Wireshark may have skipped it; 0 if none */
    uint32_t unread[NUM_ENDS];
};

/* Missing and truncated segments of several connections. */
struct attempt_losses {
    bool has_gaps;      /* true if segments are missing, or may not have been read */
    uint32_t first_cut; /* first truncated frame; 0 if none */
};

/* Request of a call, kept until the last fragment of its answer. */
struct pending_request {
    struct attempt *attempt; /* attempt that sent this call; NULL if the call is of no interest */
    wmem_list_frame_t *link; /* node in .pending of the attempt that counts this call; NULL if not waiting */
    const char *operation;
    unsigned wants; /* WANTS_ bits of its interface; 0 if unknown or none of interest */
    uint16_t opnum;
    bool is_answered;
    bool asks_values; /* true if known to be a request for values */
    bool is_unbound;  /* true if counted in attempt.unbound: the bind of its context was not captured */
    bool is_others;   /* true if counted in attempt.others, as a call to another interface */
    uint32_t frame;   /* frame of the request; 0 if it was not captured */
    nstime_t time;
};

/* Outcome of a later event in a struct occurrence, with a status that no earlier event had. */
struct further_outcome {
    struct outcome what;
    uint32_t frame;
    struct further_outcome *next;
};

/* Count, frames and outcomes of events of one kind. */
struct occurrence {
    unsigned count;
    struct outcome what; /* outcome of the first event */
    uint32_t first_frame, last_frame;
    nstime_t last_time;
    struct further_outcome *further; /* other outcomes, each once, in order; their number is limited */
};

/* Attempt of a client to reach a server's performance data. Its members last until attempts_clear(). */
struct attempt {
    struct attempts *attempts;
    const char *client, *server;
    enum session_transport carrier;
    uint16_t port;              /* TCP port of the server */
    const char *pipe;           /* NULL if not over a pipe, or before a pipe is named */
    unsigned wants;             /* WANTS_ bits; 0 while the purpose is unknown */
    const char *class_name;     /* class of the object asked for, or NULL */
    uint32_t frame;             /* first frame of the attempt */
    enum stage stage;           /* furthest stage reached */
    const char *authentication; /* text; NULL if no authentication was seen */
    const char *account;        /* user, or "Kerberos", which names none in clear; NULL if unknown */
    struct outcome found;       /* answer of the endpoint mapper or an activation; OUTCOME_NONE: none */
    enum step awaits;           /* step whose answer is awaited; STEP_NONE if none */
    uint32_t awaits_since;      /* frame of the request whose answer is awaited */
    nstime_t awaits_time;       /* time of the request whose answer is awaited */
    bool is_overdue;            /* true if the awaited answer is so late that the attempt counts as stopped */
    struct occurrence stopped;  /* events that stopped the attempt */
    struct occurrence faults, refusals;
    struct occurrence given_up;      /* calls whose answer the client did not want, or SMB did not carry */
    struct occurrence no_value;      /* answers without a value, except refusals, to requests for values */
    struct occurrence failed_values; /* those of .faults and .given_up that asked for values, if not answered */
    struct occurrence slow;          /* answers that took SLOW_STEP (for calls SLOW_CALL) seconds or more */
    unsigned refused_aside;          /* number of .refusals of binds and other steps, not of calls */
    unsigned refused_on_sets;        /* number of refused calls on data collector sets */
    unsigned values;                 /* number of answers with values */
    unsigned asked_values;           /* number of answers to requests for values */
    bool asks_values;                /* true if a request for values was sent, even if nothing is known of its answer */
    unsigned fragmented;             /* number of answers in several fragments that Wireshark does not reassemble */
    bool may_start;        /* true if stopped at a port, pipe or endpoint that exists only while a service runs */
    const char *object_at; /* for an activation: address of its object that accepted a connection; else NULL */
    /* for an activation: latest attempt at another address of its object. For such an attempt: the one before */
    struct attempt *unreached;
    bool is_bound;
    bool opens_other_key; /* true if a sealed call opened a registry root key other than for performance data */
    /* key needed for the calls that were not decrypted; NULL if there are none */
    const struct key_needed *needed;
    bool is_over;       /* true if the connection or pipe is closed */
    enum ending ending; /* reason for the end of the connection or pipe; its time is .ended_at */
    nstime_t ended_at;
    /* frame of a STATUS_BUFFER_OVERFLOW after which the client has not yet read the rest of the answer; else 0 */
    uint32_t rest_in;
    const struct losses *losses;          /* losses of the attempt's connection */
    struct attempt_losses earlier_losses; /* of the attempts in this row before .latest */
    int64_t worked_after;                 /* for a stopped attempt: milliseconds until a later attempt worked */
    uint32_t worked_in;                   /* frame in which a later attempt worked; 0 if none did */
    unsigned times;                       /* number of equal attempts in this row, with this one */
    unsigned calls, answers;              /* number of requests, and of requests answered without a fault */
    unsigned unbound; /* number of requests on contexts without a bind whose interface was not recognised */
    unsigned locked;  /* number of requests counted in .unbound that are sealed and whose logon was not captured */
    unsigned others;  /* number of requests on the connection or pipe that are not for this attempt's interface */
    uint64_t bytes;   /* bytes of all request and answer stubs, without padding */
    double response_sum, response_max; /* response times in milliseconds */
    unsigned responses;
    uint32_t answered_in; /* frame of the latest answer to a call; its time is .answered_at */
    nstime_t answered_at;
    wmem_list_t *pending; /* struct pending_request of the unanswered calls, in order of time */

    struct attempt *shown_as; /* attempt whose row counts this one; NULL if undecided */
    struct attempt *latest;   /* latest attempt that this one's row counts */
    struct attempt *earlier;  /* previous attempt of the client on the same server, port and pipe */
    struct attempt *again;    /* later attempt that will be counted in this one's row if both end alike; NULL if none */
    bool was_stopped, has_worked; /* true once attempts_frame() handled the attempt as stopped, as working */
    bool is_withdrawn;            /* true if withdrawn: its missing answer was received late */
    bool is_dirty;                /* true if in the list attempts->dirty */
    struct attempt *next_dirty;
    bool has_row;
    unsigned row;
    uint32_t marked; /* frame with this attempt's perflib_session.stopped; 0 if none */
    unsigned aside;  /* number of equal attempts (.times) that the sessions table counted without a row; 0: none */
};

/* Callback that shows an attempt: either a new one (has_row is false) or one that changed. scope: packet scope. */
typedef void (*attempt_show)(struct attempt *attempt, wmem_allocator_t *scope, void *data);

/* All attempts of a capture. */
struct attempts {
    attempt_show show;
    void *data;
    wmem_allocator_t *scope; /* allocator of all attempts. Its memory lasts until attempts_clear(). */
    wmem_map_t *latest;      /* "client server carrier port pipe" to the latest struct attempt */
    wmem_map_t *stopped; /* "client server" to wmem_list_t of failed attempts that no working attempt has followed */
    struct attempt *dirty, **dirty_end; /* list of changed attempts, and the NULL pointer at its end */
    /*
     * Maps the frame of a request whose answer was not read completely to OUTCOME_REST_NOT_READ (the client did not
     * read the rest) or OUTCOME_FRAGMENTED (Wireshark did not reassemble the fragments).
     */
    wmem_map_t *unread;
    uint32_t frame; /* frame being processed, else the latest one */
    /* time of .frame; where the capture's time goes back, .set_back is added, so that time goes on from there */
    nstime_t now;
    nstime_t set_back;    /* sum of all times by which the capture's time went back */
    uint32_t set_back_in; /* latest frame in which it did; 0 if it never did */
};

/* Returns a new structure without attempts. Call attempts_clear() before the first use. */
struct attempts *attempts_new(attempt_show show, void *data);
/* Forgets all attempts and frees everything allocated in their scope. */
void attempts_clear(struct attempts *attempts);

/* Begins to process a frame. */
void attempts_frame_begins(struct attempts *attempts, const packet_info *pinfo);
/* Adds a new attempt and returns it. `begin` is copied. */
struct attempt *attempts_add(struct attempts *attempts, const struct attempt *begin);
/* Returns the attempt whose row counts this one. */
struct attempt *attempts_shown(struct attempt *attempt);
/* Counts an event of the frame being processed. */
void attempts_count(const struct attempts *attempts, struct occurrence *occurrence, const struct outcome *what);
/* Marks an attempt as changed, so that attempts_frame() shows it. */
void attempts_changed(struct attempt *attempt);
/* Records that an attempt sent the request of a step, or (is_answered) received its answer. */
void attempts_reached(struct attempt *attempt, enum step step, bool is_answered);
/* Counts the answer to a step, requested at `since`, in .slow if it took SLOW_STEP seconds or more. */
void attempts_step_took(struct attempt *attempt, enum step step, const nstime_t *since);
/*
 * Records that an attempt was stopped at the step what->step. If that step was answered before, the outcome counts
 * as the refusal of a further request.
 */
void attempts_stopped(struct attempt *attempt, const struct outcome *what);
/* Records that an attempt ended, with its connection or pipe, or (ENDING_NONE) with the answer to its only request. */
void attempts_ended(struct attempt *attempt, enum ending ending);
/*
 * Withdraws an attempt that was added because an answer seemed to be missing, when the answer is received late. The
 * attempt is no longer shown.
 */
void attempts_withdraw(struct attempt *attempt);

/*
 * Records that a call was sent. The call is kept until it is answered. A call whose request was not captured is
 * recorded when its answer is seen, and is not counted as sent.
 */
void attempts_request(struct pending_request *request);
/* Records that a call, which was recorded as sent, asks for values. */
void attempts_asks_values(struct pending_request *request);
/* Records that a call was answered. `request` no longer waits. */
void attempts_answered(struct pending_request *request);
/* Records that a call was answered by a fault. has_status: false if its status was not captured. */
void attempts_fault(struct pending_request *request, bool has_status, uint32_t status);
/*
 * Records that a call ended without an answer or a fault: the client gave it up (orphaned PDU), or SMB refused to
 * carry the answer. `request` no longer waits. The function fills in what.operation.
 */
void attempts_given_up(struct pending_request *request, struct outcome what);
/* Records that an answer contains a refusal. */
void attempts_refused(struct attempt *attempt, const struct outcome *what);
/* Records the refusal of a bind or another step (not of a call), which does not stop the attempt. */
void attempts_refused_aside(struct attempt *attempt, const struct outcome *what);
/* Counts an answer to a request for values, with this number of values. what: reason if there are none, or NULL. */
void attempts_values(struct attempt *attempt, unsigned values, const struct outcome *what);

/* Records a call that cannot be decrypted. needed: the missing key, not copied. */
void attempts_sealed(struct attempt *attempt, const struct key_needed *needed);

/* Shows the attempts that changed in this frame. Called after each frame. scope: packet scope. */
void attempts_frame(struct attempts *attempts, wmem_allocator_t *scope);

/* States of an attempt, in the order of a client's progress. */
enum attempt_state {
    ATTEMPT_UNDECIDED,
    ATTEMPT_STOPPED,
    ATTEMPT_FOUND,    /* the client only asked for a port or an object, and the server named it */
    ATTEMPT_REACHED,  /* calls were answered; no values were requested, or what came of it is unknown */
    ATTEMPT_NO_VALUE, /* values were requested; none was received */
    ATTEMPT_SEALED,   /* calls were answered, but cannot be decrypted */
    ATTEMPT_WORKS,    /* a value was received; [MS-PLA]: a method succeeded */
};
enum attempt_state attempt_state(const struct attempt *attempt);
/* Adds what the capture lacks of the connections of all attempts that the attempt's row counts. */
void attempt_add_losses(const struct attempt *attempt, struct attempt_losses *to);
/* Returns true if an answer may be in a truncated frame of a connection of the attempt's row. */
bool attempt_is_in_part(const struct attempt *attempt);
/* Returns true if the capture shows only what clients sent, although servers answered. */
bool capture_has_requests_only(const struct capture_cuts *cuts);
/* Returns true if a bind of the attempt was sent while the capture ran, but is not in it. */
bool attempt_lacks_bind(const struct attempt *attempt);
/* Returns true if the attempt is not stopped, and a request was answered without a refusal. */
bool attempt_is_answered(const struct attempt *attempt);
const struct occurrence *attempt_what_stopped(const struct attempt *attempt);
/* Returns true if the attempt uses SMB, or a TCP port of SMB. */
bool attempt_is_smb(const struct attempt *attempt);

/* ---- attempts-shown.c ---- */

/* Returns the seconds from one time to another, negative if time went back. */
double attempt_seconds(const nstime_t *from, const nstime_t *to);

/*
 * Adds to `frames` (frame number to enum outcome_code): requests whose answer may still arrive, or was not read to its
 * end, unless the capture lacks segments; and the latest answer, if the client may still react to it.
 */
void attempt_add_awaited(const struct attempt *attempt, GHashTable *frames);
/*
 * Returns the number of unanswered calls. Not counted: calls that the client gave up, calls that may still be answered,
 * and calls whose answer may be in a truncated frame. *first and *frame receive the outcome and the frame of the first
 * call without an answer in time (OUTCOME_NO_ANSWER), else of the first unanswered call; the outcome's .doubt shows
 * whether the answer may be missing from the capture. Both may be NULL.
 */
unsigned attempt_unanswered(const struct attempt *attempt, struct outcome *first, uint32_t *frame);
/* Returns the first of the waiting calls that got no answer in time, else the first of them; NULL if none waits. */
const struct pending_request *attempt_waiting(const struct attempt *attempt);
/* Returns true if the answer to the first unanswered call may be missing from the capture. */
bool attempt_lacks_answer(const struct attempt *attempt);
/*
 * Returns the one outcome to show: of the event that stopped the attempt, else of its failed calls, else its final
 * state.
 */
struct outcome attempt_reason(const struct attempt *attempt);

/*
 * Returns the gap in the capture that may explain why `end` sent nothing after frame `since`; DOUBT_NONE if there is
 * none.
 */
enum doubt attempt_doubt(const struct losses *losses, enum end end, uint32_t since);

/* Return the texts of the columns Over, For and Outcome of the sessions table. Allocated in `scope`, or constant. */
const char *attempt_over(const struct attempt *attempt, wmem_allocator_t *scope);
const char *attempt_wants(const struct attempt *attempt, wmem_allocator_t *scope);
const char *attempt_outcome(const struct attempt *attempt, wmem_allocator_t *scope);

#endif /* PERFLIB_SESSION_ATTEMPTS_H */
