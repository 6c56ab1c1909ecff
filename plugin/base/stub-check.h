/* stub-check.h
 * Whether decrypted bytes can be the stub of their operation: asked of the protocol that knows, before anybody reads
 * them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_STUB_CHECK_H
#define PERFLIB_BASE_STUB_CHECK_H

#include "compat.h"

struct rpc_listener;

/* As many bytes of a stub's beginning and end are handed to a check. */
#define STUB_CHECK_HEAD 96u
#define STUB_CHECK_TAIL 16u

/* What was decrypted of one PDU. Nothing of it may be believed. */
struct stub_sample {
    unsigned opnum;
    bool is_response;
    bool is_first, is_last; /* fragment; a stub in one PDU is both */
    bool is_little_endian, is_ndr64;
    unsigned length;     /* of this fragment's stub, without its padding */
    const uint8_t *head; /* the first head_length bytes, at most STUB_CHECK_HEAD */
    unsigned head_length;
    const uint8_t *tail; /* the last tail_length bytes, at most STUB_CHECK_TAIL */
    unsigned tail_length;
    /* For a recogniser alone: */
    bool is_registry_pipe;  /* it came over the pipe of the remote registry, where few interfaces are found */
    const e_guid_t *object; /* the request is made to it; NULL: to none */
};

/*
 * Returns how many bits of the stub are as its operation demands (fixed values, counts that agree, high bits of numbers
 * that are small), which is how far from chance the stub is; 0 if it can't be told; STUB_NONSENSE if the stub cannot be
 * what its operation demands. Is called thousands of times for one PDU: it must be quick and keep nothing.
 */
#define STUB_NONSENSE (-1)
typedef int (*stub_check)(const struct stub_sample *sample);

/* What the answer to a call says of an interface that was recognised without a bind. */
enum stub_fit {
    STUB_MISFIT, /* it can't be that interface's */
    STUB_FITS,
    STUB_PROVES, /* no other interface has such an answer */
};
/*
 * As stub_check, but of an answer of which all that was captured is in the sample's head. It may look things up. Is
 * called once for an answer, on the first pass.
 */
typedef enum stub_fit (*stub_fit_check)(const struct stub_sample *sample, packet_info *pinfo);

/* What is known of an interface. */
struct stub_kind {
    const e_guid_t *uuid;
    stub_check check;
    stub_fit_check fit;                  /* NULL: check is enough */
    const struct rpc_listener *listener; /* NULL: nobody wants to know of faults and unread PDUs */
    const char *protocol;                /* whose interface it is, by filter name; NULL: it is everybody's */
};

/* Registers the check of an interface, its listener (base/rpc-call.h) and protocol; all must last. At start only. */
void stub_check_register(const e_guid_t *uuid, stub_check check, const struct rpc_listener *listener,
    const char *protocol);
/* Adds a check of answers to an interface that was registered. At start only. */
void stub_fit_register(const e_guid_t *uuid, stub_fit_check fit);
/* What an answer says of its interface, which was recognised. kind: of that interface. */
enum stub_fit stub_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo);
/* NULL if nobody registered the interface. */
const struct stub_kind *stub_kind_find(const e_guid_t *uuid);
/* Calls take with the GUID of each, its kind, and data. */
void stub_kinds_foreach(GHFunc take, void *data);

/* What a stub without a bind was recognised as. */
struct stub_recognised {
    e_guid_t uuid; /* of the interface */
    uint16_t version;
    const char *by; /* what tells: "the identifiers of a ValidateCounters"; constant */
};
/*
 * Whether a stub, none of which may be believed, can only be one of an interface that the recogniser knows. Here the
 * sample's head is all that was captured of the fragment. Is called once for a PDU, on the first pass.
 */
typedef bool (*stub_recogniser)(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);
/* At start only. */
void stub_recogniser_register(stub_recogniser recogniser);
/* Asks them all; false: nobody knows. */
bool stub_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);

/*
 * Reads a stub's beginning by NDR's alignment. What lies behind the sample reads as all ones; behind the stub's end
 * that is an overrun.
 */
struct stub_reader {
    const struct stub_sample *sample;
    unsigned offset;
    bool overrun;
};
struct stub_reader stub_read(const struct stub_sample *sample);
uint32_t stub_read_uint32(struct stub_reader *reader);
/* A count of an array: 4 bytes, in NDR64 8. */
uint64_t stub_read_count(struct stub_reader *reader);
/* 4 bytes that are little-endian in any stub. */
uint32_t stub_read_lpdata_uint32(struct stub_reader *reader);
/* ... and 2, wherever they stand. */
uint16_t stub_read_octets_uint16(struct stub_reader *reader);
/* A context handle, of 20 bytes: its attributes; *is_null tells whether its UUID is all zero ([C706] 14.2.16.6). */
uint32_t stub_read_handle(struct stub_reader *reader, bool *is_null);
void stub_skip(struct stub_reader *reader, unsigned size);
/*
 * The count of a conformant and varying string of wide characters that is as such strings are: nothing before it, a
 * terminator, no control characters before that. 0: it is not, or not all of it is there.
 */
unsigned stub_read_string(struct stub_reader *reader);
/* Whether what was read is all of the stub, but for what some stacks pad it with. */
bool stub_is_read(const struct stub_reader *reader);
/* Bytes that are left of the sample's head. */
unsigned stub_left(const struct stub_reader *reader);
/* The last 4 bytes of the fragment, which must have as many: a return code. */
uint32_t stub_last_uint32(const struct stub_sample *sample);

#endif /* PERFLIB_BASE_STUB_CHECK_H */
