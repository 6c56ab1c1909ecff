/* checks.h
 * The rules of [MS-PCQ] that what was parsed can be judged by: stubs, lpData and sessions
 *
 * What a walker needs to find its way (sizes, counts, terminators) it checks itself (lpdata.c). What a buffer says is judged here, by
 * what it, its request and the capture so far tell.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_CHECKS_H
#define PERFLIB_PERFLIBV2_RULES_CHECKS_H

#include <epan/dissectors/packet-dcerpc.h>

#include "counters/catalog.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/queries.h"
#include "perflibv2/rules/rules.h"

/* Bits of rules_stub.have: a stub that was cut off tells only part. */
enum {
    STUB_MACHINE      = 0x01,
    STUB_REQUEST_CODE = 0x02,
    STUB_IN_SIZE      = 0x04,
    STUB_ADD          = 0x08,
    STUB_HANDLE       = 0x10,
    STUB_OUT_SIZES    = 0x20,
    STUB_ARRAY        = 0x40,
    STUB_RETURN_CODE  = 0x80,
};

/* A value of a stub, and where it stands. */
struct rules_u32 {
    uint32_t value;
    unsigned offset;
};

/* What one stub says; in a response in_size, request_code and lcid are the request's. */
struct rules_stub {
    unsigned opnum;
    bool is_response;
    bool has_request;           /* of a response: its request is in the capture */
    unsigned have;              /* STUB_*, of this stub */
    uint64_t machine_max, machine_offset, machine_actual;   /* counts of szMachine, in characters */
    bool machine_terminated;    /* its last character is NUL, and no other is */
    unsigned machine_at;
    struct rules_u32 request_code, request_lcid, in_size, add, out_size, return_size, return_code;
    bool handle_is_null;
    unsigned handle_at;
    uint64_t array_max, array_offset;   /* of a conformant varying lpData, in elements */
    unsigned array_at;
};

/* What the first pass finds out and all passes report: kept with the call, file scope, zeroed. */
struct rules_call {
    bool session_request;       /* this call's request, or answer, is the first of its session that can be judged */
    bool session_response;
    uint8_t auth_type, auth_level;
    bool is_named_pipe;
    bool is_ndr64;
    uint32_t closed_in;         /* frame of the call that closed the handle used; 0: none */
    uint32_t opened_in;         /* frame in which a handle just opened had been opened before, and not closed; 0: none */
    const char *opened_on;      /* the server that opened a handle this server did not; else NULL */
    unsigned gaps;              /* how often calls before this one, on its connection, were missing or of another interface */
    bool identifiers_known;     /* expected_identifiers is */
    unsigned expected_identifiers;      /* the query had when QueryCounterInfo was called */
    unsigned num_identifiers;   /* of a ValidateCounters request */
    uint32_t *identifiers;      /* a hash of each: what the answer must not change */
};

/* Makes the memory of each newly opened file; called once, at registration. */
void rules_checks_init(void);

/*
 * The session a PDU belongs to: 2.1, 2.2. is_first_pass: what is found is kept in call. succeeded: of a response, that the
 * return code is 0. Judges each connection once, by its first call that can be judged.
 */
void rules_check_session(struct rules_report *report, struct rules_call *call, const dcerpc_info *di, packet_info *pinfo,
                         const struct rules_stub *stub, bool is_first_pass);

/* What is kept of a handle: of a request's on use, of an answer's before the query is told. First pass only. */
void rules_note_handle_used(struct rules_call *call, const struct query *query);
void rules_note_handle_opened(struct rules_call *call, struct catalog_server *server, const e_guid_t *handle);

/* Parameters and return code: 3.1.4.1. */
void rules_check_stub(struct rules_report *report, const struct rules_call *call, const struct rules_stub *stub);

/* What a buffer is judged by. */
struct rules_buffer {
    const struct rules_stub *stub;
    struct rules_call *call;
    const struct lpdata *lp;
    struct catalog_server *server;
    const e_guid_t *counterset;         /* asked for; NULL: none, or the request is missing */
    const struct query *query;          /* NULL: none */
    const struct query_poll *poll;      /* NULL: none */
    uint32_t moment;                    /* of the request, as queries.h counts */
    bool is_first_pass;
};

/*
 * lpData of any operation, once it has been parsed and has taught what it can; findings go to lp->report, which is put in order.
 * Not judged is what a snap length has cut: what is left says little of what was sent.
 */
void rules_check_buffer(const struct rules_buffer *buffer, wmem_allocator_t *scratch);

/* registration.c: opnums 0 to 2. */
void rules_registration_init(void);
void rules_check_guids(const struct rules_buffer *buffer);
void rules_check_registration(const struct rules_buffer *buffer);
void rules_check_instances(const struct rules_buffer *buffer);
/* Whether a counterset is known to have several named instances (2 or 6 of 2.2.4.1). */
bool rules_counterset_has_instances(const struct catalog_server *server, const e_guid_t *guid);

/* query.c: opnums 5 to 7. */
void rules_check_identifiers_sent(const struct rules_buffer *buffer);
void rules_check_identifiers_returned(const struct rules_buffer *buffer);
void rules_check_index_map(const struct rules_buffer *buffer);
void rules_check_data(const struct rules_buffer *buffer, wmem_allocator_t *scratch);

/* Whether length bytes at offset, as far as they were captured, are all 0. */
bool rules_is_zero(tvbuff_t *tvb, unsigned offset, unsigned length);

#endif /* PERFLIB_PERFLIBV2_RULES_CHECKS_H */
