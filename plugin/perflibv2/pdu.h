/* pdu.h
 * A request or an answer while it is dissected: all that is read of it, for who learns of it, judges it and shows it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_PDU_H
#define PERFLIB_PERFLIBV2_PDU_H

#include "base/ndr.h"
#include "base/win32-names.h"
#include "perflibv2/call.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/operations.h"
#include "perflibv2/rules-report.h"
#include "perflibv2/values.h"

/* Bits of pdu_stub.have: a stub that was cut off tells only part. */
enum {
    STUB_MACHINE = 0x01,
    STUB_REQUEST_CODE = 0x02,
    STUB_IN_SIZE = 0x04,
    STUB_ADD = 0x08,
    STUB_HANDLE = 0x10,
    STUB_OUT_SIZES = 0x20,
    STUB_ARRAY = 0x40,
    STUB_RETURN_CODE = 0x80,
};

/* A value of a stub, and where it stands. */
struct stub_value {
    uint32_t value;
    unsigned offset;
};

/* What one stub says; in a response in_size, request_code and lcid are the request's. */
struct pdu_stub {
    const struct operation *op;
    bool is_response;
    bool has_request;                                     /* of a response: its request is in the capture */
    unsigned have;                                        /* STUB_*, of this stub */
    uint64_t machine_max, machine_offset, machine_actual; /* counts of szMachine, in characters */
    bool machine_terminated;                              /* its last character is NUL, and no other is */
    unsigned machine_at;
    struct stub_value request_code, request_lcid, in_size, add, out_size, return_size, return_code;
    bool handle_is_null;
    unsigned handle_at;
    uint64_t array_max, array_offset; /* of a conformant varying lpData, in elements */
    unsigned array_at;
    bool is_refused; /* a fault stands in place of the answer, and says so */
};

/* Packet scope. */
struct pdu {
    struct ndr n;
    const struct operation *op;
    bool is_response;
    bool is_extra;   /* an answer to a call that has another one */
    bool first_pass; /* this PDU teaches */
    enum call_outcome outcome;
    struct call *call;
    const char *other_machine;        /* why szMachine names another server; NULL: it does not */
    struct pdu_stub said;             /* what rules judge of the stub */
    struct rules_report *stub_report; /* offsets are the stub's */
    struct rules_report *report;      /* offsets are lpData's */
    struct lpdata lp;
    bool has_lpdata;
    const struct query_poll *poll; /* what the capture taught of this answer; NULL: nothing */
    struct values *values;         /* of a poll */
    unsigned refused;              /* identifiers with an error status */
    const char *tree_ended;        /* what Wireshark says of a tree that grew too large; NULL: it did not */
};

static inline bool
pdu_has_return_code(const struct pdu *pdu)
{
    return (pdu->said.have & STUB_RETURN_CODE) != 0;
}

/* Whether an answer says that the client's buffer was too small. */
static inline bool
pdu_is_too_small(const struct pdu *pdu)
{
    return pdu_has_return_code(pdu) && pdu->said.return_code.value == WIN32_NOT_ENOUGH_MEMORY &&
        (pdu->op->response & P_OUT_SIZES);
}

/* Bytes of the stubs up to this PDU. */
static inline uint32_t
pdu_bytes(const struct pdu *pdu)
{
    return tvb_reported_length(pdu->n.tvb) + (pdu->is_response ? pdu->call->request_bytes : 0);
}

/* The counterset that is asked for; NULL: none, or the request is missing. */
static inline const e_guid_t *
pdu_counterset(const struct pdu *pdu)
{
    return pdu->call->has_request && (pdu->op->request & P_COUNTERSET) ? &pdu->call->counterset : NULL;
}

#endif /* PERFLIB_PERFLIBV2_PDU_H */
