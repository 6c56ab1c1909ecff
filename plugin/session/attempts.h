/* attempts.h
 * Attempts of clients to reach performance data: how far each came, what stopped it, and whether a later one worked
 *
 * Attempts that ended alike, one after the other, count as one that was made several times.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_ATTEMPTS_H
#define PERFLIB_SESSION_ATTEMPTS_H

#include "compat.h"

#include "base/key-needed.h"
#include "session/outcomes.h"

/* Seconds after which an answer is slow, and one that has not come is missed. */
#define SLOW_STEP 5.0
#define SLOW_CALL 10.0

/* What an attempt is for; bits. */
enum {
    WANTS_PERFLIBV2 = 0x01,
    WANTS_WINREG = 0x02,   /* the remote registry, */
    WANTS_PERFDATA = 0x04, /* ... and performance data in it */
    WANTS_PLA = 0x08,
    WANTS_INTERFACE = 0x0f, /* any of these */
    WANTS_ENDPOINT = 0x10,  /* asks the endpoint mapper where it is */
    WANTS_OBJECT = 0x20,    /* asks for an object of a class */
};

/* What carries it. */
enum carrier { CARRIED_BY_TCP, CARRIED_BY_SMB, CARRIED_BY_SMB2 };

/* Of a connection */
enum end { CLIENT, SERVER, NUM_ENDS };

/* What the capture lacks of a connection, by end. */
struct losses {
    bool lacks[NUM_ENDS];                             /* segments that the end sent */
    uint32_t first_cut[NUM_ENDS], last_cut[NUM_ENDS]; /* frames captured only in part; 0: none */
};

/* A call that waits for its answer. */
struct pending_call {
    struct attempt *attempt; /* NULL: of no interest */
    wmem_list_frame_t *link; /* in the attempt's list, or NULL */
    const char *operation;
    uint32_t context; /* p_cont_id and opnum */
    uint16_t opnum;
    bool is_answered;
    bool is_unbound; /* it is one of the attempt's that no bind explains; its attempt is not set */
    bool is_others;  /* it counts as one to another interface; its attempt is not set */
    uint32_t frame;  /* 0: its request was not captured */
    nstime_t time;
};

/* An outcome that was met, beside the first one. */
struct further_outcome {
    struct outcome what;
    uint32_t frame;
    struct further_outcome *next;
};

/* How often something happened, and when. */
struct occurrence {
    unsigned count;
    struct outcome what; /* the first */
    uint32_t first_frame, last_frame;
    nstime_t last_time;
    struct further_outcome *further; /* each once, in order; a few */
};

/* An attempt. All it holds lasts until attempts_clear(). */
struct attempt {
    const char *client, *server;
    enum carrier carrier;
    uint16_t port;              /* of the server */
    const char *pipe;           /* NULL: none, or none was named yet */
    unsigned wants;             /* 0: it did not come to say so */
    const char *class_name;     /* of an object, or NULL */
    uint32_t frame;             /* in which it began */
    enum stage stage;           /* the furthest it reached */
    const char *authentication; /* NULL: none was seen */
    struct outcome found;       /* what it was told of a port or an object; OUTCOME_NONE: nothing */
    enum step awaits;           /* what has no answer yet; STEP_NONE: nothing. It was asked */
    uint32_t awaits_since;      /* ... in this frame, */
    nstime_t awaits_time;       /* ... at this time */
    bool is_overdue;            /* ... and has had no answer for so long that it counts as stopped */
    struct occurrence stopped;  /* what stopped it; count 0: nothing did */
    struct occurrence faults, refusals;
    struct occurrence given_up; /* calls that ended otherwise: the client did not wait, SMB refused the answer */
    struct occurrence no_value; /* answers without a value to requests for some, refusals left out */
    struct occurrence slow;     /* OUTCOME_SLOW */
    unsigned refused_aside;     /* so many of the refusals were no answers of its calls */
    unsigned values;            /* answers that held values */
    bool asks_values;           /* values were asked for, and it was answered */
    bool may_start;             /* what stopped it is gone when a service has started */
    bool is_bound;
    const struct key_needed
        *needed;                 /* of sealed calls without a key: a sentence that says which. NULL: none was seen */
    bool is_over;                /* its connection or pipe is closed */
    enum ending ending;          /* ... and how */
    const struct losses *losses; /* of its connection */
    const nstime_t *now;         /* the time of the latest frame */
    int64_t worked_after;        /* of one that was stopped: milliseconds until a later one worked, */
    uint32_t worked_in;          /* ... in this frame; 0: none did */
    unsigned times;              /* it was made */
    unsigned calls, answers;     /* requests sent, and answered without a fault */
    unsigned unbound;            /* requests on contexts that no bind explains, and that nobody recognised, */
    unsigned locked;             /* ... so many of them sealed, by a logon that was not captured */
    unsigned others;             /* requests to other interfaces on its connection or pipe */
    uint64_t bytes;              /* of their stubs and those of the answers, without padding */
    double response_sum, response_max; /* milliseconds */
    unsigned responses;
    wmem_list_t *pending; /* struct pending_call, in order; made on first use */

    struct attempt *shown_as;     /* the one that shows it; NULL: not decided yet */
    struct attempt *earlier;      /* the last one of its kind before it */
    struct attempt *again;        /* a later one of its kind of which is not known yet how it ends */
    bool was_stopped, has_worked; /* others were told */
    bool is_withdrawn;            /* it was none: the answer it waited for came */
    bool is_dirty;
    bool has_row;
    unsigned row;
    unsigned aside; /* so many of its times are counted among those without a row */
};

struct attempts;

/*
 * Is told of an attempt to be shown: for the first time (has_row is not set yet), or because something changed. scope:
 * the packet's.
 */
typedef void (*attempt_show)(struct attempt *attempt, wmem_allocator_t *scope, void *data);

struct attempts *attempts_new(attempt_show show, void *data);
/* Forgets all, and what was kept in attempts_scope(). */
void attempts_clear(struct attempts *attempts);
/* Lasts until then. */
wmem_allocator_t *attempts_scope(const struct attempts *attempts);

/* An attempt begins; what it says of itself (client to port, frame) is taken over. */
struct attempt *attempts_add(struct attempts *attempts, const struct attempt *begin);
/* The attempt that counts and shows it. */
struct attempt *attempts_shown(struct attempt *attempt);
/* Something changed that is to be shown at the end of the frame. */
void attempts_changed(struct attempts *attempts, struct attempt *attempt);
/* It reached the stage of a step, and waits there for the answer (is_answered: it has come). */
void attempts_reached(struct attempts *attempts, struct attempt *attempt, enum step step, bool is_answered,
    const packet_info *pinfo);
/* It was stopped at the stage of what.step. One that was answered already was refused something further. */
void attempts_stopped(struct attempts *attempts, struct attempt *attempt, const struct outcome *what,
    const packet_info *pinfo);
/* Its connection or pipe ended; ENDING_NONE: it has nothing more to ask. */
void attempts_ended(struct attempts *attempts, struct attempt *attempt, enum ending ending, const packet_info *pinfo);
/* It was made of a silence that was none, as the answer came late. It is shown no longer. */
void attempts_withdraw(struct attempts *attempts, struct attempt *attempt);

/* A call was sent; it is kept until it is answered. */
void attempts_call(struct attempts *attempts, struct pending_call *call);
/* The same of one whose request was not captured, as it is answered: it is not counted. */
void attempts_lost_call(struct attempts *attempts, struct pending_call *call);
/* A call was answered: call is no longer waiting. */
void attempts_answered(struct attempts *attempts, struct pending_call *call, const packet_info *pinfo);
/* ... by a fault of that status */
void attempts_fault(struct attempts *attempts, struct pending_call *call, uint32_t status, const packet_info *pinfo);
/*
 * A call ended without an answer or a fault: its client gave it up (an orphaned PDU), or SMB says that there is none.
 * It is no longer waiting. The operation is filled in.
 */
void attempts_given_up(struct attempts *attempts, struct pending_call *call, struct outcome what,
    const packet_info *pinfo);
/* An answer holds a refusal. */
void attempts_refused(struct attempts *attempts, struct attempt *attempt, const struct outcome *what,
    const packet_info *pinfo);
/* Something beside its calls was refused, which does not stop it. */
void attempts_refused_aside(struct attempts *attempts, struct attempt *attempt, const struct outcome *what,
    const packet_info *pinfo);
/* An answer to a request for values holds so many; what: why it holds none, or NULL. */
void attempts_values(struct attempts *attempts, struct attempt *attempt, unsigned values, const struct outcome *what,
    const packet_info *pinfo);

/* A call is sealed, and there is no key (needed: which one; kept as it is). */
void attempts_sealed(struct attempts *attempts, struct attempt *attempt, const struct key_needed *needed);

/* The frame has been seen: shows what changed. */
void attempts_frame(struct attempts *attempts, const packet_info *pinfo);

/* In the order in which a client gets on. */
enum attempt_state {
    ATTEMPT_UNDECIDED,
    ATTEMPT_STOPPED,
    ATTEMPT_FOUND,    /* only a port or an object was asked for, and named */
    ATTEMPT_REACHED,  /* calls were answered; no values were asked for */
    ATTEMPT_NO_VALUE, /* values were asked for; none came */
    ATTEMPT_SEALED,   /* calls were answered; what is said cannot be read */
    ATTEMPT_WORKS,    /* a value came; of [MS-PLA]: a method was carried out */
};
enum attempt_state attempt_state(const struct attempt *attempt);
/* Whether an answer may be in a frame of its connection that was captured only in part. */
bool attempt_is_in_part(const struct attempt *attempt);
/* Whether something it asked for was answered. */
bool attempt_is_answered(const struct attempt *attempt);
/* Of one that is stopped: by what. */
const struct occurrence *attempt_what_stopped(const struct attempt *attempt);
/* Whether it is made over SMB, or to a port of SMB. */
bool attempt_is_smb(const struct attempt *attempt);

/* ---- attempts-shown.c ---- */

/* Its calls that were not answered, though that was waited for and would be in the capture. */
unsigned attempt_unanswered(const struct attempt *attempt);
/* What it comes to in one outcome: what stopped it, else what failed of its calls, else where it ends. */
struct outcome attempt_reason(const struct attempt *attempt);

/* Why that an end sent nothing after a frame cannot be said. */
enum doubt attempt_doubt(const struct losses *losses, enum end end, uint32_t since);

/* What is shown of it; in scope, or constant. */
const char *attempt_over(const struct attempt *attempt, wmem_allocator_t *scope);
const char *attempt_wants(const struct attempt *attempt, wmem_allocator_t *scope);
const char *attempt_stage(const struct attempt *attempt);
const char *attempt_outcome(const struct attempt *attempt, wmem_allocator_t *scope);

#endif /* PERFLIB_SESSION_ATTEMPTS_H */
