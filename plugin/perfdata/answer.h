/* answer.h
 * The calls and keys of the registry that have to do with performance data, and what the answer to a call brings
 *
 * What is kept of calls and keys is learned on the first pass only, from whatever was captured; later passes read it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_ANSWER_H
#define PERFLIB_PERFDATA_ANSWER_H

#include "compat.h"

#include <epan/prefs.h>

#include "base/asking.h"
#include "base/rpc-call.h"
#include "counters/catalog.h"
#include "counters/record.h"
#include "perfdata/names.h"
#include "perfdata/polls.h"
#include "perfdata/record.h"
#include "perfdata/winreg.h"

/* A handle of one of the keys with performance data or its names, from its opening to its closing. File scope. */
struct perfdata_key {
    uint8_t handle[POLICY_HANDLE_SIZE];
    struct server *server;     /* the first that a block read with it was of, else whoever answers there */
    unsigned unnamed_language; /* of "Counter" and "Help" without a language */
    bool names_only;           /* a plain key of the registry: its other values are none of ours */
    uint32_t opened_in;        /* frame; 0: not in the capture, recognised by what was read with it */
    uint32_t closed_in;        /* 0: not closed */
};

/* What is kept of a call, from its request to its answer and for later passes. File scope. */
struct perfdata_call {
    struct perfdata_key *key;    /* NULL: not known to be performance data */
    const struct server *server; /* that a block is of, by its own words; NULL: there is none */
    bool key_is_other;           /* the handle was seen to be opened, and it is none of performance data */
    const char *value_name;      /* QueryValue: as in a line; NULL: unknown */
    bool has_handle;             /* that of the request was captured */
    uint8_t handle[POLICY_HANDLE_SIZE];
    const char *path;  /* OpenKey, CreateKey: of the key that is opened; NULL: unknown, or of no interest */
    bool by_signature; /* recognised by the value alone */
    const struct asking_finding *asking;   /* of QueryValue: what is to be said of how it was made; NULL: nothing */
    uint32_t request_frame, request_bytes; /* ... 0: not in the capture */
    struct answer_place place;
    bool answered; /* the answer was seen: what follows is known */
    const struct series_poll *sample;
    struct perfdata_call *parts; /* QueryMultipleValues: one a value */
    unsigned num_parts;
};

/* ---- call.c ---- */

/* NULL: nothing is kept of the call. */
struct perfdata_call *perfdata_call_find(const dcerpc_info *di);
/* Made on first use. */
struct perfdata_call *perfdata_call_get(const dcerpc_info *di);
/* The parts of a call that asks for several values; those it has stay as they are. */
void perfdata_call_make_parts(struct perfdata_call *call, unsigned count);

/* The following on the first pass only. The server that a list of names is of, whose call's answer this is. */
struct server *perfdata_call_names(const struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di);
/* A block says that it is of this machine; NULL: it does not say. foreign: the server passes it on. */
void perfdata_call_says(struct perfdata_call *call, const char *machine, bool foreign, const packet_info *pinfo,
    const dcerpc_info *di);

/* What requests teach, on the first pass only. */

/* The key's handle at the start of a request, as far as it was captured. */
void perfdata_call_note_key(struct perfdata_call *call, const struct ndr *stub);
/* QueryValue: key and value name. */
void perfdata_call_note_value(struct perfdata_call *call, const struct ndr *stub);
/* QueryMultipleValues: the key. */
void perfdata_call_note_values(struct perfdata_call *call, const struct ndr *stub);
/* OpenKey and CreateKey: the key that is opened. */
void perfdata_call_note_path(struct perfdata_call *call, const struct ndr *stub);

/* What answers teach, on the first pass only. */

/* The answer to whatever opens a root of performance data: a handle and a return code. */
void perfdata_call_opened(const struct ndr *stub, unsigned language);
/* The answer to whatever opens another root, or a key below one. call: of the request, NULL for a root. */
void perfdata_call_opened_key(const struct perfdata_call *call, const struct ndr *stub);
/* The answer to CloseKey. */
void perfdata_call_closed(struct perfdata_call *call, const struct ndr *stub);
/* The answer to a call whose handle's opening is not in the capture shows that it is performance data. */
void perfdata_call_recognised(struct perfdata_call *call, packet_info *pinfo, const dcerpc_info *di);

/*
 * What the answer to a call brings for one value: a block, a list of names, or neither
 *
 * First all that is learned, remembered, counted and told to statistics, then what a person sees: Wireshark ends a
 * packet whose tree gets too large.
 */

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

/* ---- answer.c ---- */

/* Registers the taps of proto; called once, at registration. */
void perfdata_answer_init(int proto);

/* What the answer to a call brings: to what is known, to the taps and to the Info column. */
void perfdata_answer_read(packet_info *pinfo, const dcerpc_info *di, struct perfdata_call *call,
    struct perfdata_answer *answer);
/* Adds to what the Info column says of an answer. */
void perfdata_answer_say(packet_info *pinfo, struct perfdata_answer *answer, const char *text);
/* The name of the machine that a block is of, by its own words; NULL: it has none. Packet scope. */
const char *perfdata_answer_machine(packet_info *pinfo, const struct perfdata_block *block);
/* The same for a block (answer->poll), and for a list of names, which is taught to learn, a server or NULL. */
void perfdata_answer_say_block(packet_info *pinfo, struct perfdata_answer *answer);
void perfdata_answer_say_names(packet_info *pinfo, struct perfdata_answer *answer, struct server *learn,
    unsigned language);
/* What a person sees of it, below tree. */
void perfdata_answer_show(packet_info *pinfo, proto_tree *tree, const struct perfdata_answer *answer);

/* Tells statistics that a key was closed. */
void perfdata_answer_closed(packet_info *pinfo, const struct perfdata_key *key);

/* Tells statistics of a fault that answered a call, and of a PDU of the registry that could not be read. */
void perfdata_answer_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault,
    const char *operation);
void perfdata_answer_unread(packet_info *pinfo, const struct rpc_unread *unread, const char *operation);

/* Whether a value, or the name it was asked for under, shows that it is performance data. data may be NULL. */
bool perfdata_answer_is_recognisable(tvbuff_t *data, const char *value_name);

/* ---- lone-block.c ---- */

/* Registers the dissector of a value that is there without its call, by name. */
void perfdata_lone_block_register(int proto);

/* ---- shared-fields.c ---- */

/* Fields and subtrees that counters/ and base/ add to our trees, under our names. Set by the function below. */
extern struct poll_fields perfdata_poll_fields;
extern struct counter_type_fields perfdata_type_fields;
extern struct systemtime_fields perfdata_time_fields;
void perfdata_shared_fields_register(int proto);

/* ---- tree-members.c ---- */

enum perfdata_structure { PERFDATA_BLOCK, PERFDATA_OBJECT, PERFDATA_COUNTER, PERFDATA_INSTANCE };

/* Members that a filter finds beyond what is shown. */
#define PERFDATA_ASKED_MEMBERS 3

/* Registers the members' fields, and sets asked to those that a filter finds beyond what is shown. */
void perfdata_members_register(int proto, int *asked[PERFDATA_ASKED_MEMBERS]);
/* Adds the plain members of a structure at offset that begin at its bytes from to to - 1. */
void perfdata_members_add(proto_tree *tree, tvbuff_t *tvb, unsigned encoding, enum perfdata_structure structure,
    unsigned offset, unsigned from, unsigned to);

/* What a person sees of HKEY_PERFORMANCE_DATA: the trees of blocks and of name lists */

/* ---- tree.c ---- */

/* Registers fields, subtrees, expert items and preferences. */
void perfdata_tree_register(int proto, module_t *module);

/* The tree of a block, below tree. Shows nothing a NULL tree would lose but the expert items. */
void perfdata_tree_block(packet_info *pinfo, proto_tree *tree, struct perfdata_poll *poll);

/* The tree of a list of names. */
void perfdata_tree_names(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, enum perfdata_asked asked);

/* Objects asked for that the block has not, in words; NULL: none. */
void perfdata_tree_not_answered(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *objects);
/* The words of a value name, with the names of title indexes. server: whose they are, or NULL. */
void perfdata_tree_requested(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const struct server *server,
    const char *value_name);

/* Bytes that are neither: what a failed answer carries, a value of another kind. */
void perfdata_tree_bytes(proto_tree *tree, tvbuff_t *tvb, const char *what);

/* What a value name asked for and no answer held */

/* ---- missing.c ---- */

/* Registers the tap; called once, at registration. */
void perfdata_missing_init(void);
/* A value was asked for. */
void perfdata_missing_request(packet_info *pinfo, const struct perfdata_call *call);
/* Its answer. values: those of the sample, NULL: it is none. */
void perfdata_missing_answer(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer,
    const struct perf_tap_poll *values);
/* A fault in its place. */
void perfdata_missing_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault);
/* A PDU that could not be read for want of a key. */
void perfdata_missing_needed(packet_info *pinfo, const struct key_needed *needed);
/* Whether somebody listens. */
bool perfdata_missing_is_wanted(void);

/* The objects that the value name asks for and a whole block has not, in words; packet scope. NULL: none. */
const char *perfdata_missing_objects(packet_info *pinfo, const struct perfdata_call *call,
    const struct perfdata_answer *answer);

/* What a client could do with less: buffers that grow, polls that overlap or come late, values polled twice */

/* ---- efficiency.c ---- */

/* First pass only; of QueryValue calls whose key is known. bytes: of the stub. What is to be said goes to the call. */
void perfdata_efficiency_request(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    uint32_t bytes);
/* The same when all that the answer brings was read. */
void perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer);

#endif /* PERFLIB_PERFDATA_ANSWER_H */
