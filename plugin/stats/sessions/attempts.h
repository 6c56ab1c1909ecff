/* attempts.h
 * Attempts of clients to reach performance data: how far each came, what stopped it, and whether a later one worked
 *
 * Attempts that ended alike, one after the other, count as one that was made several times.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_SESSIONS_ATTEMPTS_H
#define PERFLIB_STATS_SESSIONS_ATTEMPTS_H

#include "compat.h"

#include "base/key-needed.h"

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

enum stage { STAGE_TCP, STAGE_SESSION, STAGE_TREE, STAGE_PIPE, STAGE_BIND, STAGE_CALL, STAGE_MAPPER };

/* Of a connection */
enum end { CLIENT, SERVER, NUM_ENDS };

/* A call that waits for its answer. */
struct pending_call {
    struct attempt *attempt; /* NULL: of no interest */
    wmem_list_frame_t *link; /* in the attempt's list, or NULL */
    const char *operation;
    uint32_t context; /* p_cont_id and opnum */
    uint16_t opnum;
    uint32_t status; /* of the fault that answered it */
    bool is_answered;
    bool is_unbound; /* it is one of the attempt's that no bind explains; its attempt is not set */
    uint32_t frame;  /* 0: its request was not captured */
    nstime_t time;
};

/* A status that was met, beside the first one. */
struct further_status {
    uint32_t status;
    const char *text;
    uint32_t frame;
    struct further_status *next;
};

/* How often, and when. */
struct occurrence {
    const char *text; /* NULL: never */
    unsigned count;
    uint32_t first_frame, last_frame;
    nstime_t last_time;
    uint32_t status;                /* of the first one; 0: it has none */
    struct further_status *further; /* each once, in order; a few */
};

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
    const char *found;          /* what it was told, or NULL */
    const char *awaits;         /* what has no answer yet, and since which frame; NULL: nothing */
    uint32_t awaits_since;
    struct occurrence stopped, faults, refusals;
    struct occurrence given_up; /* calls that ended otherwise: the client did not wait, SMB refused the answer */
    unsigned refused_aside;     /* so many of the refusals were no answers of its calls */
    bool may_start;             /* what stopped it is gone when a service has started */
    bool is_bound;
    const struct key_needed
        *needed;             /* of sealed calls without a key: a sentence that says which. NULL: none was seen */
    bool is_over;            /* its connection or pipe is closed */
    const char *how_over;    /* ... in words, where calls were not answered */
    const bool *lacks;       /* of each enum end: whether the capture lacks segments that it sent */
    int64_t worked_after;    /* of one that was stopped: milliseconds until a later one worked, */
    uint32_t worked_in;      /* ... in this frame; 0: none did */
    unsigned times;          /* it was made */
    unsigned calls, answers; /* requests sent, and answered without a fault */
    unsigned unbound;        /* requests on contexts that no bind explains, and that nobody recognised, */
    unsigned locked;         /* ... so many of them sealed, by a logon that was not captured */
    uint64_t bytes;          /* of their stubs and those of the answers, without padding */
    double response_sum, response_max; /* milliseconds */
    unsigned responses;
    wmem_list_t *pending; /* struct pending_call, in order; made on first use */

    struct attempt *shown_as;     /* the one that shows it; NULL: not decided yet */
    struct attempt *earlier;      /* the last one of its kind before it */
    struct attempt *again;        /* a later one of its kind of which is not known yet how it ends */
    bool was_stopped, has_worked; /* others were told */
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
/* It reached a stage, and waits there for the answer to something (NULL: for nothing). */
void attempts_reached(struct attempts *attempts, struct attempt *attempt, enum stage stage, const char *awaits,
    const packet_info *pinfo);
/* It was stopped; text (kept as it is) says by what. One that works already was refused something further. */
void attempts_stopped(struct attempts *attempts, struct attempt *attempt, enum stage stage, const char *text,
    const packet_info *pinfo);
/* Its connection or pipe ended. how: in words, for what is not answered yet. */
void attempts_ended(struct attempts *attempts, struct attempt *attempt, const char *how, const packet_info *pinfo);

/* A call was sent; it is kept until it is answered. */
void attempts_call(struct attempts *attempts, struct pending_call *call);
/* The same of one whose request was not captured, as it is answered: it is not counted. */
void attempts_lost_call(struct attempts *attempts, struct pending_call *call);
/* A call was answered: call is no longer waiting. */
void attempts_answered(struct attempts *attempts, struct pending_call *call, const packet_info *pinfo);
/* ... by a fault */
void attempts_fault(struct attempts *attempts, struct pending_call *call, const char *text, const packet_info *pinfo);
/*
 * A call ended without an answer or a fault: its client gave it up (an orphaned PDU), or SMB says that there is none.
 * It is no longer waiting.
 */
void attempts_given_up(struct attempts *attempts, struct pending_call *call, const char *text,
    const packet_info *pinfo);
/* An answer holds a refusal. */
void attempts_refused(struct attempts *attempts, struct attempt *attempt, const char *text, const packet_info *pinfo);

/* Something beside its calls was refused, which does not stop it. */
void attempts_refused_aside(struct attempts *attempts, struct attempt *attempt, const char *text,
    const packet_info *pinfo);

/* A call is sealed, and there is no key (needed: which one; kept as it is). */
void attempts_sealed(struct attempts *attempts, struct attempt *attempt, const struct key_needed *needed);

/* The frame has been seen: shows what changed. */
void attempts_frame(struct attempts *attempts, const packet_info *pinfo);

enum attempt_state { ATTEMPT_UNDECIDED, ATTEMPT_STOPPED, ATTEMPT_WORKS };
enum attempt_state attempt_state(const struct attempt *attempt);
/* Of one that is stopped: by what. */
const struct occurrence *attempt_what_stopped(const struct attempt *attempt);

/* Whether it is made over SMB, or to a port of SMB. */
bool attempt_is_smb(const struct attempt *attempt);

/* What is to be said where an end sent nothing, by struct attempt's lacks: "", or that the capture may not hold it. */
const char *attempt_doubt(const bool *lacks, enum end end);

/* What is shown of it; in scope, or constant. */
const char *attempt_over(const struct attempt *attempt, wmem_allocator_t *scope);
const char *attempt_wants(const struct attempt *attempt, wmem_allocator_t *scope);
const char *attempt_stage(const struct attempt *attempt);
const char *attempt_outcome(const struct attempt *attempt, wmem_allocator_t *scope);

#endif /* PERFLIB_STATS_SESSIONS_ATTEMPTS_H */
