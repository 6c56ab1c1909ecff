/* answer.h
 * Registry calls and keys for performance data, and the contents of an answer
 *
 * Calls and keys are learned in the first pass only, from whatever was captured; later passes read them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_ANSWER_H
#define PERFLIB_PERFDATA_ANSWER_H

#include "compat.h"

#include "perfdata/polls.h"
#include "perfdata/record.h"
#include "perfdata/winreg.h"

/* A handle of a key with performance data or its names, from opening to closing. File scope. */
struct perfdata_key {
    uint8_t handle[POLICY_HANDLE_SIZE];
    /* machine named in the first block read with the handle; before that, server of the connection */
    struct server *server;
    unsigned unnamed_language; /* language of the values "Counter" and "Help", whose names contain none */
    bool names_only;           /* a plain registry key: only lists of names are read, other values are ignored */
    uint32_t opened_in; /* frame in which the handle was opened; 0: opening not captured, recognised by its data */
    uint32_t closed_in; /* frame in which the handle was closed; 0: not closed */
};

/* State of a call, from its first PDU on and for later passes. File scope. */
struct perfdata_call {
    struct perfdata_key *key;    /* NULL: not known to be performance data */
    const struct server *server; /* machine that a block names; NULL: no block */
    bool key_is_other;           /* the handle was opened for a key without performance data */
    const char *value_name;      /* QueryValue: printable; NULL: unknown */
    bool has_handle;             /* the request's handle was captured */
    uint8_t handle[POLICY_HANDLE_SIZE];
    const char *path; /* OpenKey, CreateKey: path of the opened key; NULL: unknown or irrelevant */
    /* the handle's opening was not captured: the value's data or name proved that its key has performance data */
    bool by_signature;
    struct request_finding *finding;       /* QueryValue: findings about the client's requests; NULL: none */
    uint32_t request_frame, request_bytes; /* QueryValue: frame and stub size of the request; 0: not captured */
    struct rpc_position position;          /* QueryValue: position of the request */
    struct first_answer first_answer;
    bool answered; /* the answer was seen, so the members below are valid */
    const struct series_poll *sample;
    struct perfdata_call *parts; /* QueryMultipleValues: one per value */
    unsigned num_parts;
};

/* ---- call.c ---- */

/* Returns the state of a call, or NULL if there is none. */
struct perfdata_call *perfdata_call_find(const dcerpc_info *di);
/* Returns the state of a call, created on first use. */
struct perfdata_call *perfdata_call_get(const dcerpc_info *di);

/* Returns the server of a list of names in the answer to a call. First pass only, like the functions below. */
struct server *perfdata_call_names(const struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di);
/*
 * Notes the machine that a block in the answer names; NULL: none. foreign: the server passes on another machine's data.
 */
void perfdata_call_says(struct perfdata_call *call, const char *machine, bool foreign, const packet_info *pinfo,
    const dcerpc_info *di);

/* Learning from requests, in the first pass only */

/* Notes the key's handle at the start of a request. */
void perfdata_call_note_key(struct perfdata_call *call, const struct ndr *stub);
/* Notes key and value name of a QueryValue. */
void perfdata_call_note_value(struct perfdata_call *call, const struct ndr *stub);
/* Notes the path of the key that OpenKey or CreateKey opens. */
void perfdata_call_note_path(struct perfdata_call *call, const struct ndr *stub);

/* Learning from answers, in the first pass only */

/* Notes the answer to a call that opens a root key with performance data or its names: a handle and a return code. */
void perfdata_call_opened(const struct ndr *stub, unsigned language);
/*
 * Notes the answer to OpenKey or CreateKey, or to a call that opens a root key without performance data, such as
 * HKEY_LOCAL_MACHINE. call: state from the request; NULL for a root key.
 */
void perfdata_call_opened_key(const struct perfdata_call *call, const struct ndr *stub);
/* Notes the answer to CloseKey. */
void perfdata_call_closed(struct perfdata_call *call, const struct ndr *stub);
/* Notes that an answer contains performance data although the opening of its handle was not captured. */
void perfdata_call_recognised(struct perfdata_call *call, packet_info *pinfo, const dcerpc_info *di);

/*
 * Contents of an answer for one value: a block, a list of names, or neither
 *
 * Learning, counting and statistics come first, items last: Wireshark stops dissecting a packet whose tree gets too
 * large.
 */

/* Contents of an answer. The caller sets the first six members. */
struct perfdata_answer {
    bool is_own;    /* the call's first answer; a repeated one is shown, but not learned from */
    tvbuff_t *data; /* data of the value; NULL: none */
    uint32_t error;
    bool has_error;             /* false: the capture or the stub ends before the return code */
    bool is_broken;             /* the stub ends before its last parameter */
    uint32_t bytes;             /* QueryValue: size of the stub */
    bool failed;                /* the call failed: nothing is learned or sampled */
    struct perfdata_poll *poll; /* poll of the data, if they are a block */
    const char *said;           /* text added to the Info column; NULL: none */
    const char *not_answered;   /* requested objects that a complete block does not contain; NULL: none */
    bool is_names;              /* the data are a list of names or help texts */
    enum perfdata_asked asked;  /* kind of list in the data */
    bool is_damaged;            /* the list breaks off, though it was captured whole */
};

/* ---- answer.c ---- */

/* Registers the taps of proto. Call it once, at start. */
void perfdata_answer_init(int proto);

/* Learns from an answer, queues its records to the taps, and adds its summary to the Info column. */
void perfdata_answer_read(packet_info *pinfo, const dcerpc_info *di, struct perfdata_call *call,
    struct perfdata_answer *answer);
/* Adds text to the summary of an answer in the Info column. */
void perfdata_answer_say(packet_info *pinfo, struct perfdata_answer *answer, const char *text);
/* Returns the name of the machine in a block, or NULL. Packet scope. */
const char *perfdata_answer_machine(packet_info *pinfo, const struct perfdata_block *block);
/*
 * Add the summary of a block (answer->poll), or of a list of names, to the Info column. perfdata_answer_say_names()
 * also learns the names for the server `learn`, unless that is NULL.
 */
void perfdata_answer_say_block(packet_info *pinfo, struct perfdata_answer *answer);
void perfdata_answer_say_names(packet_info *pinfo, struct perfdata_answer *answer, struct server *learn,
    unsigned language);
/* Adds the items of an answer to tree. */
void perfdata_answer_show(packet_info *pinfo, proto_tree *tree, const struct perfdata_answer *answer);

/* Queues a record: a key was closed. */
void perfdata_answer_closed(packet_info *pinfo, const struct perfdata_key *key);

/* Queue a record about a fault that answered a call, or about a registry PDU that could not be read. */
void perfdata_answer_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault,
    const char *operation);
void perfdata_answer_unread(packet_info *pinfo, const struct rpc_unread *unread, const char *operation,
    enum perfdata_operation kind);

/* Returns whether the data or the name of a value proves performance data. Both may be NULL. */
bool perfdata_answer_is_recognisable(tvbuff_t *data, const char *value_name);

/* ---- lone-block.c ---- */

/* Registers the dissector "perfdata.block", which users can call for the bytes of a value, for example by DLT_USER. */
void perfdata_lone_block_register(int proto);

/* ---- shared-fields.c ---- */

/*
 * Fields and subtrees of perfdata that counters/ and base/ use to add items for it. Set by
 * perfdata_shared_fields_register().
 */
extern struct poll_fields perfdata_poll_fields;
extern struct counter_type_fields perfdata_type_fields;
extern struct systemtime_fields perfdata_time_fields;
void perfdata_shared_fields_register(int proto);

/* ---- tree-members.c ---- */

/* A member of an object, counter or instance definition, at a fixed offset. Tables end with an empty element. */
struct perfdata_member {
    const int *hf;
    unsigned offset;
    int size;
};
/* Members of objects, counters and instances */
extern const struct perfdata_member perfdata_object_members[], perfdata_counter_members[], perfdata_instance_members[];

/* Number of fields of members that are added for a filter even if their structures do not fit into the tree */
#define PERFDATA_ASKED_MEMBERS 3

/*
 * Registers the members' fields. asked: receives the fields that are added for a filter even if their structures do not
 * fit into the tree.
 */
void perfdata_members_register(int proto, expert_module_t *expert, int *asked[PERFDATA_ASKED_MEMBERS]);
/* Adds those members of a structure at `offset` whose own offsets are in `from` to `to` - 1. */
void perfdata_members_add(proto_tree *tree, tvbuff_t *tvb, unsigned encoding, const struct perfdata_member *members,
    unsigned offset, unsigned from, unsigned to);
/* Adds the tree of a block's header. */
void perfdata_tree_header(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, unsigned encoding,
    const struct perfdata_block *block);

/* Trees of blocks and name lists */

/* ---- tree.c ---- */

/* Returns the number of captured bytes from offset to end. */
int perfdata_captured_length(tvbuff_t *tvb, unsigned offset, unsigned end);
/* Adds an item for the captured bytes from offset to end, if there are any. */
void perfdata_tree_add_padding(proto_tree *tree, tvbuff_t *tvb, unsigned offset, unsigned end);

void perfdata_tree_register(int proto, module_t *module);

/* Adds the tree of a block. With tree NULL it only adds expert items. */
void perfdata_tree_block(packet_info *pinfo, proto_tree *tree, struct perfdata_poll *poll);

/* Adds the tree of a list of names. */
void perfdata_tree_names(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, enum perfdata_asked asked);

/* Adds the text about requested objects that the block does not contain; NULL: none. */
void perfdata_tree_not_answered(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *objects);
/* Adds the words of a value name, with the names of title indexes. server: source of the names, or NULL. */
void perfdata_tree_requested(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const struct server *server,
    const char *value_name);

/* Adds bytes that are not parsed (data of a failed call, truncated, no performance data, or left over). what: label. */
void perfdata_tree_bytes(proto_tree *tree, tvbuff_t *tvb, const char *what);

/* Requested values that no answer contained */

/* Tap "perfdata_missing" */
extern int tap_perfdata_missing;

/* ---- missing.c ---- */

/* Notes a request for a value. */
void perfdata_missing_request(packet_info *pinfo, const struct perfdata_call *call);
/* Notes an answer. values: record of its sample, or NULL. */
void perfdata_missing_answer(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer,
    const struct perf_tap_poll *values);
/* Notes a fault. */
void perfdata_missing_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault);

/* Returns the requested objects that a complete block does not contain, as text in packet scope, or NULL. */
const char *perfdata_missing_objects(packet_info *pinfo, const struct perfdata_call *call,
    const struct perfdata_answer *answer);

/* Wasteful clients: buffers that grow step by step, overlapping or late polls, values polled twice */

/* ---- efficiency.c ---- */

/*
 * Learns from a QueryValue request with a known key, in the first pass only. bytes: size of the stub. Findings are
 * stored in the call.
 */
void perfdata_efficiency_request(struct perfdata_call *call, packet_info *pinfo, const dcerpc_info *di, uint32_t bytes);
/*
 * Learns from the answer to a QueryValue request with a known key, after the answer was read, in the first pass only.
 */
void perfdata_efficiency_answer(struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di,
    const struct perfdata_answer *answer);

#endif /* PERFLIB_PERFDATA_ANSWER_H */
