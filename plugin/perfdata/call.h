/* call.h
 * The state of the registry calls and keys that have to do with performance data
 *
 * Learned on the first pass only, from whatever was captured; later passes read it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_CALL_H
#define PERFLIB_PERFDATA_CALL_H

#include "base/answer-place.h"
#include "base/asking.h"
#include "counters/catalog.h"
#include "perfdata/record.h"
#include "perfdata/winreg.h"

struct series_poll;

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

#endif /* PERFLIB_PERFDATA_CALL_H */
