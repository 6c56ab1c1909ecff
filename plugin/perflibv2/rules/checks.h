/* checks.h
 * The rules of [MS-PCQ] that what was parsed can be judged by: stubs, lpData and sessions
 *
 * What a walker needs to find its way (sizes, counts, terminators) it checks itself (lpdata.c). What a buffer says is
 * judged here, by what it, its request and the capture so far tell.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_CHECKS_H
#define PERFLIB_PERFLIBV2_RULES_CHECKS_H

#include "counters/catalog.h"
#include "perflibv2/call.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/queries.h"
#include "perflibv2/rules/rules.h"

/* Bits of rules_stub.have: a stub that was cut off tells only part. */
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
struct rules_u32 {
    uint32_t value;
    unsigned offset;
};

/* What one stub says; in a response in_size, request_code and lcid are the request's. */
struct rules_stub {
    const struct operation *op;
    bool is_response;
    bool has_request;                                     /* of a response: its request is in the capture */
    unsigned have;                                        /* STUB_*, of this stub */
    uint64_t machine_max, machine_offset, machine_actual; /* counts of szMachine, in characters */
    bool machine_terminated;                              /* its last character is NUL, and no other is */
    unsigned machine_at;
    struct rules_u32 request_code, request_lcid, in_size, add, out_size, return_size, return_code;
    bool handle_is_null;
    unsigned handle_at;
    uint64_t array_max, array_offset; /* of a conformant varying lpData, in elements */
    unsigned array_at;
    bool is_refused; /* a fault stands in place of the answer, and says so */
};

/* The session a PDU belongs to, where it is the first that shows it: 2.1, 2.2. */
void rules_check_session(struct rules_report *report, const struct call *call, const struct rules_stub *stub);

/* Parameters and return code: 3.1.4.1. */
void rules_check_stub(struct rules_report *report, const struct call *call, const struct rules_stub *stub);

/* call.c: those of one method each. */
void rules_check_enumeration(struct rules_report *report, const struct call *call, const struct rules_stub *stub);
void rules_check_registration_call(struct rules_report *report, const struct call *call, const struct rules_stub *stub);
void rules_check_poll(struct rules_report *report, const struct call *call, const struct rules_stub *stub);
void rules_check_no_instances(struct rules_report *report, const struct call *call, const struct rules_stub *stub);
void rules_check_opened(struct rules_report *report, const struct call *call, const struct rules_stub *stub);
void rules_check_closed(struct rules_report *report, const struct call *call, const struct rules_stub *stub);
void rules_check_validation(struct rules_report *report, const struct call *call, const struct rules_stub *stub);

/* What a buffer is judged by. */
struct rules_buffer {
    const struct rules_stub *stub;
    const struct call *call;
    const struct lpdata *lp;
    const struct server *server;
    const e_guid_t *counterset;    /* asked for; NULL: none, or the request is missing */
    const struct query_poll *poll; /* NULL: none */
};

/*
 * lpData of any operation, once it has been parsed and has taught what it can; findings go to lp->report, which is put
 * in order. Not judged is what a snap length has cut: what is left says little of what was sent.
 */
void rules_check_buffer(const struct rules_buffer *buffer, wmem_allocator_t *scratch);

/* registration.c: opnums 0 to 2. */
void rules_check_guids(const struct rules_buffer *buffer, wmem_allocator_t *scratch);
void rules_check_registration(const struct rules_buffer *buffer, wmem_allocator_t *scratch);
void rules_check_instances(const struct rules_buffer *buffer, wmem_allocator_t *scratch);
/* That no two of count instances, from the first-th of the buffer on, have the same name and id (2.2.4.5). */
void rules_check_unique_instances(const struct lpdata *lp, unsigned first, unsigned count, wmem_allocator_t *scratch);

/* query.c: opnums 5 to 7. */
void rules_check_identifiers_sent(const struct rules_buffer *buffer);
void rules_check_identifiers_returned(const struct rules_buffer *buffer, wmem_allocator_t *scratch);
void rules_check_index_map(const struct rules_buffer *buffer, wmem_allocator_t *scratch);
void rules_check_data(const struct rules_buffer *buffer, wmem_allocator_t *scratch);

#endif /* PERFLIB_PERFLIBV2_RULES_CHECKS_H */
