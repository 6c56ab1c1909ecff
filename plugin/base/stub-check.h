/* stub-check.h
 * Plausibility of decrypted bytes: before they are dissected, the protocol checks whether they can be the operation's
 * stub
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_STUB_CHECK_H
#define PERFLIB_BASE_STUB_CHECK_H

#include "compat.h"

struct rpc_listener;

/* Number of bytes at a stub's beginning and end that a check gets */
#define STUB_CHECK_HEAD 96u
#define STUB_CHECK_TAIL 16u

/* Decrypted bytes of one PDU. They are untrusted. */
struct stub_sample {
    unsigned opnum;
    bool is_response;
    bool is_first, is_last; /* first and last fragment; both are true for a stub in one PDU */
    bool is_little_endian, is_ndr64;
    unsigned length;     /* size of this fragment's stub without padding, in bytes */
    const uint8_t *head; /* first head_length bytes, at most STUB_CHECK_HEAD */
    unsigned head_length;
    const uint8_t *tail;  /* last tail_length bytes of this fragment's stub, at most STUB_CHECK_TAIL */
    unsigned tail_length; /* 0 if the end was not captured */
    /* The following members are set for recognisers only. */
    bool is_registry_pipe;  /* true if sent over the remote registry's pipe, which few interfaces use */
    const e_guid_t *object; /* object UUID of the request; NULL: none */
};

/*
 * Checks whether a stub can belong to the operation. Returns the number of bits that have the only possible value
 * (fixed values, matching counts, high bits of small numbers): the more, the less likely the stub is random. 0:
 * unknown. STUB_NONSENSE: impossible. Called thousands of times per PDU, so the function must be fast and keep no
 * state.
 */
#define STUB_NONSENSE (-1)
typedef int (*stub_check)(const struct stub_sample *sample);

/* Result of checking an answer whose interface was recognised without a bind */
enum stub_fit {
    STUB_MISFIT, /* cannot be an answer of that interface */
    STUB_FITS,
    STUB_PROVES, /* can only be an answer of that interface */
};
struct stub_kind;
/*
 * Checks an answer whose interface, `kind`, was recognised without a bind. Unlike in a stub_check, the sample's head
 * holds all captured bytes, and the function may look up state. Called once per answer, in the first pass.
 */
typedef enum stub_fit (
    *stub_fit_check)(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo);

/* A registered interface */
struct stub_kind {
    const e_guid_t *uuid;
    stub_check check;
    stub_fit_check fit;                  /* additional check of answers; NULL: none */
    const struct rpc_listener *listener; /* receives faults and unread PDUs; NULL: none */
    const char *protocol;                /* filter name of the protocol; NULL: no protocol of this plugin */
};

/*
 * Registers the check, listener (base/rpc-call.h) and protocol of an interface. Call it at start. All arguments must be
 * static.
 */
void stub_check_register(const e_guid_t *uuid, stub_check check, const struct rpc_listener *listener,
    const char *protocol);
/* Adds a check of answers to a registered interface. Call it at start. */
void stub_fit_register(const e_guid_t *uuid, stub_fit_check fit);
/* Checks an answer whose interface, `kind`, was recognised without a bind: by kind->check, then kind->fit. */
enum stub_fit stub_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo);
/* Returns a registered interface, or NULL. */
const struct stub_kind *stub_kind_find(const e_guid_t *uuid);
/* Calls take(GUID, struct stub_kind, data) for each registered interface. */
void stub_kinds_foreach(GHFunc take, void *data);

/* Interface recognised from a stub without a bind */
struct stub_recognised {
    e_guid_t uuid; /* UUID of the interface */
    uint16_t version;
    const char *by; /* evidence, for example "the identifiers of a ValidateCounters"; constant */
};
/*
 * Returns whether a stub whose bind was not captured proves its interface, and sets *found to that interface. The
 * sample's head holds all captured bytes of the fragment. Called once per PDU, in the first pass.
 */
typedef bool (*stub_recogniser)(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);
/* Registers a recogniser. Call it at start. */
void stub_recogniser_register(stub_recogniser recogniser);
/* Asks all recognisers. Returns false if none recognises the stub. */
bool stub_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);

/* Reader of the beginning of a stub, with NDR's alignment. Bytes after the sample read as 0xff. */
struct stub_reader {
    const struct stub_sample *sample;
    unsigned offset;
    bool lacks;   /* true once a number was read that the sample does not contain */
    bool overrun; /* true once the reader went past the end of the stub */
};
uint32_t stub_read_uint32(struct stub_reader *reader);
/* Reads an array count: 4 bytes in NDR, 8 in NDR64. */
uint64_t stub_read_count(struct stub_reader *reader);
/* Reads 4 bytes of lpData, which are little-endian in any stub. */
uint32_t stub_read_lpdata_uint32(struct stub_reader *reader);
/* Reads 2 little-endian bytes without alignment. */
uint16_t stub_read_octets_uint16(struct stub_reader *reader);
/* Reads a context handle of 20 bytes. Returns its attributes. *is_null: true if its UUID is zero ([C706] 14.2.16.6). */
uint32_t stub_read_handle(struct stub_reader *reader, bool *is_null);
void stub_skip(struct stub_reader *reader, unsigned size);
/*
 * Reads a conformant and varying string of wide characters. Returns its count, or 0 if the string is incomplete or
 * implausible: an offset other than 0, no terminator, or control characters.
 */
unsigned stub_read_string(struct stub_reader *reader);
/*
 * Reads the characters of a string whose counts (maximum, offset, actual) were already read. Returns the same as
 * stub_read_string().
 */
unsigned stub_read_text(struct stub_reader *reader, uint64_t max, uint64_t offset, uint64_t actual);
/* Returns whether the stub was read to its end. Up to 7 bytes may be left: some RPC implementations pad the stub. */
bool stub_is_read(const struct stub_reader *reader);
/* Returns the number of bytes left in the sample's head. */
unsigned stub_left(const struct stub_reader *reader);
/* Gets the return code: the last 4 bytes of an answer. Returns false for a request, or if the sample lacks the end. */
bool stub_return_code(const struct stub_sample *sample, uint32_t *code);

#endif /* PERFLIB_BASE_STUB_CHECK_H */
