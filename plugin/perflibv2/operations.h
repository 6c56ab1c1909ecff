/* operations.h
 * The eight operations of PerflibV2 and all that is known of each: [MS-PCQ] 3.1.4.1 and 6
 *
 * One table, so that who asks which operation this is finds the answer beside the others. It stands in
 * packet-perflibv2.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_OPERATIONS_H
#define PERFLIB_PERFLIBV2_OPERATIONS_H

#include "compat.h"

struct call;
struct lpdata;
struct lpdata_view;
struct pdu;
struct pdu_stub;
struct rules_report;

/* Opnums */
enum {
    OP_ENUMERATE_COUNTER_SET,
    OP_QUERY_REGISTRATION_INFO,
    OP_ENUMERATE_INSTANCES,
    OP_OPEN_QUERY_HANDLE,
    OP_CLOSE_QUERY_HANDLE,
    OP_QUERY_COUNTER_INFO,
    OP_QUERY_COUNTER_DATA,
    OP_VALIDATE_COUNTERS,
    NUM_OPS
};

/* Parameters, in the order they stand in a stub. */
enum {
    P_MACHINE = 0x001,      /* [in, string] wchar_t *szMachine */
    P_COUNTERSET = 0x002,   /* [in] GUID *CounterSetGuid */
    P_REQUEST_CODE = 0x004, /* [in] DWORD RequestCode, RequestLCID */
    P_HANDLE = 0x008,       /* RPC_HQUERY */
    P_IN_SIZE = 0x010,      /* [in] DWORD dwInSize */
    P_OUT_SIZES = 0x020,    /* [out] DWORD *pdwOutSize, *pdwRtnSize */
    P_VARYING = 0x040,      /* [out, size_is(dwInSize), length_is(*pdwOutSize)] lpData */
    P_CONFORMANT = 0x080,   /* [in, out, size_is(dwInSize)] lpData */
    P_ADD = 0x100,          /* [in] DWORD dwAdd */
};

/* What becomes of the query. */
enum operation_effect { NO_EFFECT, OPENS_QUERY, CLOSES_QUERY, CHANGES_QUERY };

#define OPERATION_MAX_CODES 5

/* NULL: nothing to do. */
struct operation {
    const char *name;
    unsigned request, response; /* P_* */
    unsigned element;           /* bytes of an element of lpData: sizes of opnum 0 count GUIDs */
    enum operation_effect effect;
    uint32_t max_in_size;                /* range() of dwInSize */
    uint32_t codes[OPERATION_MAX_CODES]; /* return values listed, up to the first 0, beside those of every method */
    /* lpData, as it was sent or returned: from bytes to structures, */
    void (*parse)(struct lpdata *lp);
    /* what an answer that did not fail teaches, on the first pass, */
    void (*learn)(const struct pdu *pdu);
    /* the rules it is judged by, */
    void (*judge)(const struct pdu *pdu);
    /* its tree, and a few words for the Info column. */
    void (*show)(struct lpdata_view *view, proto_tree *tree);
    void (*say)(struct pdu *pdu);
    /* The rules of this method alone about parameters and return code. */
    void (*judge_stub)(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
};

#endif /* PERFLIB_PERFLIBV2_OPERATIONS_H */
