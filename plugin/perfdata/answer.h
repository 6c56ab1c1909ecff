/* answer.h
 * What the answer to a call brings for one value: a block, a list of names, or neither
 *
 * First all that is learned, remembered, counted and told to statistics, then what a person sees: Wireshark ends a
 * packet whose tree gets too large.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_ANSWER_H
#define PERFLIB_PERFDATA_ANSWER_H

#include "base/rpc-call.h"
#include "perfdata/call.h"
#include "perfdata/names.h"

struct perfdata_poll;

/* The first six are the caller's. */
struct perfdata_answer {
    bool is_own;    /* the call's own: any other is shown, and is otherwise nobody's */
    tvbuff_t *data; /* NULL: none */
    uint32_t error;
    bool has_error;             /* false: the capture, or the stub, ends before it */
    bool is_broken;             /* the stub ends before its last parameter */
    uint32_t bytes;             /* of QueryValue: of the stub */
    bool failed;                /* decided once: nothing of it is learned or sampled */
    struct perfdata_poll *poll; /* the data are a block */
    const char *said;           /* of it in the Info column; NULL: nothing */
    const char *not_answered;   /* objects asked for that a whole block has not; NULL: none */
    bool is_names;              /* the data are a list of names or help texts: */
    enum perfdata_asked asked;  /* which */
};

/* Registers the taps of proto; called once, at registration. */
void perfdata_answer_init(int proto);

/* What the answer to a call brings: to what is known, to the taps and to the Info column. */
void perfdata_answer_read(packet_info *pinfo, const dcerpc_info *di, struct perfdata_call *call,
    struct perfdata_answer *answer);
/* Adds to what the Info column says of an answer. */
void perfdata_answer_say(packet_info *pinfo, struct perfdata_answer *answer, const char *text);
/* What a person sees of it, below tree. */
void perfdata_answer_show(packet_info *pinfo, proto_tree *tree, const struct perfdata_answer *answer);

/* Tells statistics that a key was closed. */
void perfdata_answer_closed(packet_info *pinfo, const struct perfdata_key *key);

/* Tells statistics of a fault that answered a call, and of a PDU of the registry that could not be read. */
void perfdata_answer_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault,
    const char *operation, const char *text);
void perfdata_answer_unread(packet_info *pinfo, const struct rpc_unread *unread, const char *operation);

/* Whether a value, or the name it was asked for under, shows that it is performance data. data may be NULL. */
bool perfdata_answer_is_recognisable(tvbuff_t *data, const char *value_name);

#endif /* PERFLIB_PERFDATA_ANSWER_H */
