/* outcomes.h
 * What became of an attempt or of one of its calls: codes, and the one table of their texts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_OUTCOMES_H
#define PERFLIB_SESSION_OUTCOMES_H

#include "compat.h"

/* How far an attempt came. */
enum stage { STAGE_TCP, STAGE_SESSION, STAGE_TREE, STAGE_PIPE, STAGE_BIND, STAGE_CALL, STAGE_MAPPER };

/* Something that a client asks of a server. */
enum step {
    STEP_NONE,
    STEP_SYN,        /* a connection, */
    STEP_OBJECT_SYN, /* and one to the port of an object that an activation named */
    STEP_NEGOTIATE,
    STEP_LOGON, /* Session Setup */
    STEP_TREE_CONNECT,
    STEP_CREATE, /* opens the pipe */
    STEP_READ,
    STEP_WRITE,
    STEP_TRANSCEIVE,
    STEP_BIND,
    STEP_CALL,
    STEP_MAP,      /* asks the endpoint mapper */
    STEP_ACTIVATE, /* asks for an object */
};

/* Who ended a connection or pipe, and how. */
enum ending {
    ENDING_NONE,
    ENDING_CLIENT_CLOSED,
    ENDING_SERVER_CLOSED,
    ENDING_CLOSED, /* the capture does not show who was first */
    ENDING_CLIENT_RESET,
    ENDING_SERVER_RESET,
    ENDING_PIPE_CLOSED, /* by the client */
};

/* What the capture lacks, so that something absent from it may have been sent. */
enum doubt {
    DOUBT_NONE,
    DOUBT_SERVER,     /* segments of the server, */
    DOUBT_CLIENT,     /* or of the client */
    DOUBT_UNREADABLE, /* segments of the client, without which an answer over SMB cannot be read */
    DOUBT_CUT,        /* frames were captured only in part */
};

/* outcome_text() says what each is. Members of struct outcome that count beside .step stand in brackets. */
enum outcome_code {
    OUTCOME_NONE,
    /* What stops an attempt: */
    OUTCOME_REFUSED,          /* the server reset the connection before it was open */
    OUTCOME_NO_ANSWER,        /* [doubt] */
    OUTCOME_LEFT,             /* the connection or pipe ended before an answer [ending, doubt] */
    OUTCOME_CUT,              /* the answer may be in a frame that was captured only in part; this stops nothing */
    OUTCOME_SMB_STATUS,       /* SMB answered with an error [status: NTSTATUS; user] */
    OUTCOME_ENCRYPTED,        /* nothing after the logon can be read */
    OUTCOME_CONTEXT_REJECTED, /* [status: result << 16 | reason, [C706] 12.6.3.1] */
    OUTCOME_BIND_NAK,         /* [status: reason, [C706] 12.6.4.5] */
    OUTCOME_NO_ENDPOINT,      /* [status: of ept_map] */
    /* What became of calls [operation]: */
    OUTCOME_FAULT,         /* [status] */
    OUTCOME_WIN32,         /* an error was returned [status: Win32] */
    OUTCOME_HRESULT,       /* an error was returned [status: HRESULT] */
    OUTCOME_GIVEN_UP,      /* the client no longer wanted the answer */
    OUTCOME_PIPE_STATUS,   /* SMB refused to carry the answer [status: NTSTATUS] */
    OUTCOME_REST_NOT_READ, /* the client did not read on after STATUS_BUFFER_OVERFLOW */
    OUTCOME_SLOW,          /* the answer came after five seconds or more [seconds] */
    OUTCOME_OPEN,          /* no answer yet, while the capture goes on */
    /* Where an attempt ends that nothing stopped: */
    OUTCOME_NOT_BOUND,        /* calls on contexts whose bind is not in the capture */
    OUTCOME_NOTHING_FOLLOWED, /* after the step [doubt] */
    OUTCOME_OTHERS_CALLED,    /* only other interfaces were called */
    OUTCOME_FOUND_PORT,       /* the endpoint mapper named a port [status: the port] */
    OUTCOME_FOUND_ELSEWHERE,  /* the endpoint mapper named none of TCP */
    OUTCOME_FOUND_UNREAD,     /* the endpoint mapper's answer was not captured whole */
    OUTCOME_FOUND_OBJECT,     /* an object was given */
    OUTCOME_SEALED,           /* calls were answered; what is said cannot be read */
    OUTCOME_IN_PART,          /* calls were answered; what may hold a value was captured only in part */
    OUTCOME_REACHED,          /* calls were answered; no values were asked for */
    OUTCOME_NO_VALUE,         /* values were asked for; none came */
    OUTCOME_WORKS,            /* a value came; of [MS-PLA]: a method was carried out */
    NUM_OUTCOMES
};

/* Texts last as long as whoever keeps it. */
struct outcome {
    enum outcome_code code;
    enum step step;
    enum ending ending;
    enum doubt doubt;
    uint32_t status;
    double seconds;
    const char *operation; /* of a call: "QueryValue"; NULL: not known */
    const char *user;      /* who logged on; NULL: not known */
};

/* The stage that a step belongs to. */
enum stage step_stage(enum step step);
/* What a step is called, "Session Setup"; constant. */
const char *step_text(enum step step);
/* What a stage is called, "SMB session"; constant. */
const char *stage_text(enum stage stage);
/* How a connection ended, "the client closed the connection"; constant. */
const char *ending_text(enum ending ending);
/* Beginning with a comma: why what is absent may have been sent; "" for none. Constant. */
const char *doubt_text(enum doubt doubt);
/* What the outcome is, in words, without the frame; in scope. */
const char *outcome_text(const struct outcome *outcome, wmem_allocator_t *scope);
/* What a code is called in files, "no_answer": a promise to programs. Constant. */
const char *outcome_name(enum outcome_code code);
/* Whether both are the same in all but the seconds. */
bool outcome_equal(const struct outcome *a, const struct outcome *b);

#endif /* PERFLIB_SESSION_OUTCOMES_H */
