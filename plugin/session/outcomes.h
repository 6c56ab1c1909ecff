/* outcomes.h
 * Outcomes of attempts and calls: codes, and the one table of their texts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_SESSION_OUTCOMES_H
#define PERFLIB_SESSION_OUTCOMES_H

#include "compat.h"

/* Stages of an attempt, in order. In a request to the endpoint mapper, STAGE_MAPPER replaces STAGE_CALL. */
enum stage { STAGE_TCP, STAGE_SESSION, STAGE_TREE, STAGE_PIPE, STAGE_BIND, STAGE_CALL, STAGE_MAPPER };

/* Requests of a client to a server. */
enum step {
    STEP_NONE,
    STEP_SYN,        /* TCP connection */
    STEP_OBJECT_SYN, /* TCP connection to the port of an activated object */
    STEP_NEGOTIATE,
    STEP_LOGON, /* SMB Session Setup request */
    STEP_TREE_CONNECT,
    STEP_CREATE, /* SMB Create request for the pipe */
    STEP_READ,
    STEP_WRITE,
    STEP_TRANSCEIVE,
    STEP_BIND,
    STEP_ALTER, /* alter_context */
    STEP_CALL,
    STEP_MAP,      /* request to the endpoint mapper */
    STEP_ACTIVATE, /* activation of an object */
};

/* Reason for the end of a connection or pipe. */
enum ending {
    ENDING_NONE,
    ENDING_CLIENT_CLOSED,
    ENDING_SERVER_CLOSED,
    ENDING_CLOSED, /* closed; the capture does not show which end closed first */
    ENDING_CLIENT_RESET,
    ENDING_SERVER_RESET,
    ENDING_PIPE_CLOSED, /* the client closed the pipe */
};

/* Gap in the capture that makes it uncertain whether a message was never sent. */
enum doubt {
    DOUBT_NONE,
    DOUBT_SERVER,     /* missing segments of the server */
    DOUBT_CLIENT,     /* missing segments of the client */
    DOUBT_UNREADABLE, /* missing segments of the client that are needed to read SMB answers */
    DOUBT_CUT,        /* truncated frames */
};

/*
 * Codes of outcomes. outcome_text() returns the text. "uses" lists the members of struct outcome that a code uses in
 * addition to .step.
 */
enum outcome_code {
    OUTCOME_NONE,
    /* Codes that stop an attempt (except OUTCOME_CUT): */
    OUTCOME_REFUSED,          /* the server reset the connection before it was open */
    OUTCOME_NO_ANSWER,        /* no answer; uses .doubt */
    OUTCOME_LEFT,             /* the connection or pipe ended before the answer; uses .ending and .doubt */
    OUTCOME_CUT,              /* the answer may be in a truncated frame, so the attempt goes on */
    OUTCOME_SMB_STATUS,       /* SMB answered with an error; uses .status (NTSTATUS) and .user */
    OUTCOME_ENCRYPTED,        /* the traffic after the logon is encrypted */
    OUTCOME_CONTEXT_REJECTED, /* context rejected; uses .status (result << 16 | reason, [C706] 12.6.3.1) */
    OUTCOME_BIND_NAK,         /* bind rejected; uses .status (reason, [C706] 12.6.4.5) */
    OUTCOME_NO_ENDPOINT,      /* endpoint not registered; uses .status (of ept_map) */
    /* Codes for calls, some also for other steps. For calls they also use .operation: */
    OUTCOME_FAULT,              /* fault PDU; uses .status */
    OUTCOME_FAULT_NOT_CAPTURED, /* fault PDU whose status was truncated */
    OUTCOME_WIN32,              /* error returned; uses .status (Win32) */
    OUTCOME_HRESULT,            /* error returned; uses .status (HRESULT) */
    OUTCOME_GIVEN_UP,           /* the client no longer wanted the answer */
    OUTCOME_PIPE_STATUS,        /* SMB refused to carry the answer; uses .status (NTSTATUS) */
    OUTCOME_REST_NOT_READ,      /* the client did not read the rest after STATUS_BUFFER_OVERFLOW */
    OUTCOME_SLOW,               /* the answer took SLOW_STEP (to a call SLOW_CALL) seconds or more; uses .seconds */
    OUTCOME_OPEN,               /* no answer yet, and the capture goes on */
    /* Codes for attempts that were not stopped, by their final state: */
    OUTCOME_NOT_BOUND,        /* calls on contexts whose bind was not captured */
    OUTCOME_NOTHING_FOLLOWED, /* nothing readable followed the answer to the last step; uses .doubt */
    OUTCOME_CAPTURE_ENDED,    /* the capture ends before the client went on or gave up */
    OUTCOME_OTHERS_CALLED,    /* only other interfaces were called */
    OUTCOME_FOUND_PORT,       /* the endpoint mapper returned a port; uses .status (the port) */
    OUTCOME_FOUND_ELSEWHERE,  /* the endpoint mapper returned no TCP endpoint */
    OUTCOME_FOUND_UNREAD,     /* the endpoint mapper's answer was truncated */
    OUTCOME_FOUND_OBJECT,     /* the object was activated */
    OUTCOME_SEALED,           /* calls were answered, but cannot be decrypted */
    OUTCOME_FRAGMENTED,       /* answers that may contain values are in fragments that Wireshark does not reassemble */
    OUTCOME_IN_PART,          /* calls were answered; answers that may contain values were truncated */
    OUTCOME_REACHED,          /* calls were answered; no values were requested */
    OUTCOME_NO_VALUE,         /* values were requested; none was received */
    OUTCOME_WORKS,            /* a value was received; [MS-PLA]: a method succeeded */
    NUM_OUTCOMES
};

/* Outcome of an attempt or a call. Its strings must live as long as the structure. */
struct outcome {
    enum outcome_code code;
    enum step step;
    enum ending ending;
    enum doubt doubt;
    uint32_t status;
    double seconds;
    const char *operation; /* name of the called operation, "QueryValue"; NULL if unknown */
    const char *user;      /* user who logged on; NULL if unknown */
};

/* Steps by enum step: name ("Session Setup"), and stage that the step belongs to */
extern const struct step_text {
    const char *text;
    enum stage stage;
} steps[];
/* Names of stages ("SMB session"), and reasons for ends of a connection ("the client closed the connection") */
extern const char *const stage_texts[], *const ending_texts[];
/* Reasons for doubts, as clauses that start with a comma; "" for DOUBT_NONE */
extern const char *const doubt_texts[];
/*
 * Outcomes by code: name in CSV and JSON files ("no_answer"), and text, in which outcome_text() replaces the words in
 * braces. Programs rely on the names: do not change them.
 */
extern const struct outcome_text {
    const char *name, *text;
} outcomes[NUM_OUTCOMES];

/* Returns true if the server closed or reset the connection. */
bool outcome_by_server(enum ending ending);
/* Returns the text of an outcome, without a frame number; allocated in `scope`. */
const char *outcome_text(const struct outcome *outcome, wmem_allocator_t *scope);
/* Returns true if both outcomes are equal except for .seconds. */
bool outcome_equal(const struct outcome *a, const struct outcome *b);

#endif /* PERFLIB_SESSION_OUTCOMES_H */
