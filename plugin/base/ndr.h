/* ndr.h
 * The parts of NDR and NDR64 that Wireshark does not export to plugins: alignment,
 * strings, context handles, conformant and varying arrays
 *
 * [C706] chapter 14, [MS-RPCE] 2.2.5. Past the stub's end the readers throw, and Wireshark shows the
 * exception.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_NDR_H
#define PERFLIB_BASE_NDR_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

#include "base/text.h"

/* Where we are in a stub. Offset 0 of tvb is the stub's start, which alignment counts from. */
struct ndr {
    tvbuff_t *tvb;
    int offset;
    packet_info *pinfo;
    proto_tree *tree; /* where items go; may be NULL */
    dcerpc_info *di;
    uint8_t *drep;
};

/* The counts of a conformant-varying array, in elements. A conformant array has max only. */
struct ndr_counts {
    uint64_t max;    /* room: size_is() */
    uint64_t offset; /* first element sent */
    uint64_t actual; /* elements sent: length_is() */
};

/* Finds Wireshark's own fields for array counts; called once, at handoff. */
void ndr_init(void);

/* True where the call was made with the NDR64 transfer syntax. */
bool ndr_is_64(const struct ndr *n);
/* ENC_LITTLE_ENDIAN or ENC_BIG_ENDIAN. */
unsigned ndr_encoding(const struct ndr *n);
/* Advances to a multiple of alignment (2, 4 or 8) from the stub's start. */
void ndr_align(struct ndr *n, int alignment);
/* Bytes from here to the stub's end, by what was sent: a snap length may have left fewer. */
unsigned ndr_remaining(const struct ndr *n);

/* Read, add under hf (-1: no item), advance. */
uint32_t ndr_uint32(struct ndr *n, int hf);
/* A count or referent: 4 bytes in NDR, 8 in NDR64. hf: FT_UINT32, or -1. */
uint64_t ndr_uint3264(struct ndr *n, int hf);
/* Four-byte aligned in both syntaxes. *item (unless NULL) receives the item. */
e_guid_t ndr_guid(struct ndr *n, int hf, proto_item **item);

/* Array headers; the counts become items. */
struct ndr_counts ndr_conformant(struct ndr *n);
struct ndr_counts ndr_conformant_varying(struct ndr *n);

/* A [string] wchar_t array as sent. */
struct ndr_wstring {
    struct ndr_counts counts; /* in characters */
    struct utf16_text text;   /* up to the first NUL */
    bool overrun;             /* the actual count reaches beyond the stub */
};

/*
 * Conformant-varying, UTF-16 in the sender's byte order, with or without terminator. Returns the text as UTF-8 in
 * packet scope and leaves in *string what was sent. A count that reaches beyond the stub is cut to what is there.
 */
const char *ndr_wstring(struct ndr *n, int hf, struct ndr_wstring *string);

#endif /* PERFLIB_BASE_NDR_H */
