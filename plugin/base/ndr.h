/* ndr.h
 * The parts of NDR and NDR64 that Wireshark does not export to plugins: alignment, strings, context handles,
 * conformant and varying arrays
 *
 * [C706] chapter 14, [MS-RPCE] 2.2.5. Reading past the end of the stub throws, and Wireshark shows the exception.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_NDR_H
#define PERFLIB_BASE_NDR_H

#include "compat.h"

#include <epan/dissectors/packet-dcerpc.h>

#include "base/text.h"

/* Reading position in a stub. Offset 0 of tvb is the start of the stub, from which alignment counts. */
struct ndr {
    tvbuff_t *tvb;
    int offset;
    packet_info *pinfo;
    proto_tree *tree; /* parent of new items; may be NULL */
    dcerpc_info *di;
    uint8_t *drep;
};

/* The counts of a conformant-varying array, in elements. A conformant array has max only. */
struct ndr_counts {
    uint64_t max;    /* size of the array: size_is() */
    uint64_t offset; /* index of the first element sent */
    uint64_t actual; /* number of elements sent: length_is() */
};

/* Looks up Wireshark's own fields for array counts. Call it once, at handoff. */
void ndr_init(void);

/* Returns whether the call uses the NDR64 transfer syntax. */
bool ndr_is_64(const struct ndr *n);
/* Returns ENC_LITTLE_ENDIAN or ENC_BIG_ENDIAN. */
unsigned ndr_encoding(const struct ndr *n);
/* Advances to a multiple of alignment (2, 4 or 8) from the start of the stub. */
void ndr_align(struct ndr *n, int alignment);
/* Returns the number of bytes left in the stub as sent. Fewer may have been captured. */
unsigned ndr_remaining(const struct ndr *n);

/* Reads a number, adds an item unless hf is -1, and advances. */
uint32_t ndr_uint32(struct ndr *n, int hf);
/* Reads a count or referent: 4 bytes in NDR, 8 in NDR64. hf: an FT_UINT32 field, or -1. */
uint64_t ndr_uint3264(struct ndr *n, int hf);
/* Reads a GUID, aligned to four bytes in both syntaxes. *item receives the item; item may be NULL. */
e_guid_t ndr_guid(struct ndr *n, int hf, proto_item **item);

/* Read the header of an array and add its counts as items. */
struct ndr_counts ndr_conformant(struct ndr *n);
struct ndr_counts ndr_conformant_varying(struct ndr *n);

/* A [string] wchar_t array as sent */
struct ndr_wstring {
    struct ndr_counts counts; /* in characters */
    struct utf16_text text;   /* text up to the first NUL */
    bool overrun;             /* true if the actual count exceeds the stub */
};

/*
 * Reads a conformant-varying UTF-16 string in the sender's byte order, with or without terminator. Returns the text as
 * UTF-8 in packet scope; *string receives its size as sent. A count beyond the stub is cut to the stub.
 */
const char *ndr_wstring(struct ndr *n, int hf, struct ndr_wstring *string);

#endif /* PERFLIB_BASE_NDR_H */
