/* pdu.h
 * The operations of PerflibV2, their calls, and a request or an answer while it is dissected: all that is read of it,
 * for who learns of it, judges it and shows it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_PDU_H
#define PERFLIB_PERFLIBV2_PDU_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/prefs.h>

#include "base/asking.h"
#include "base/fields.h"
#include "base/ndr.h"
#include "base/rpc-call.h"
#include "base/stub-check.h"
#include "base/win32-names.h"
#include "counters/catalog.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/queries.h"
#include "perflibv2/rules-report.h"
#include "perflibv2/values.h"

struct call;
struct lpdata_view;
struct pdu;
struct pdu_stub;

/* The eight operations and all that is known of each, [MS-PCQ] 3.1.4.1 and 6. */

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

/* ---- packet-perflibv2.c ---- */

extern const struct operation perflibv2_operations[NUM_OPS];

/* Whether anybody sees what is wrong with a PDU: a tree, the table of verdicts, or the expert information. */
bool perflibv2_wants_findings(const struct pdu *pdu);

/* ---- stub.c ---- */

struct weighing;

/* A kind of parameter. */
struct parameter {
    unsigned bit; /* P_* */
    /* Shows it, and keeps what it says. */
    void (*dissect)(struct pdu *pdu);
    /*
     * Steps over it in an answer; false: the capture ends before. *out_size is pdwOutSize, once that was read. NULL: no
     * answer has it.
     */
    bool (*skip)(const struct pdu *pdu, struct ndr *n, uint32_t *out_size);
    /* Returns how far from chance it is, as a stub_check does (base/stub-check.h), and steps over it. */
    int (*sense)(struct stub_reader *r, struct weighing *w);
};
/* In the order of a stub. */
#define STUB_NUM_PARAMETERS 9
extern const struct parameter stub_parameters[STUB_NUM_PARAMETERS];

/* Attributes and GUID of a handle, 2.2.1 */
#define STUB_HANDLE_SIZE 20

/* Registers fields, subtrees and expert items. */
void stub_register(int proto, expert_module_t *expert);
/* Dissects the parameters of a request or an answer. */
void stub_dissect(struct pdu *pdu);
/* Dissects the return code, which stands behind the parameters of an answer. */
void stub_dissect_return_code(struct pdu *pdu);
/*
 * Whether an answer says that the call succeeded. That is decided before the answer is read: the return code stands
 * behind the handle, or lpData. An answer that lost it to a snap length is taken for good.
 */
enum call_outcome stub_outcome(const struct pdu *pdu);
/* Shows which query an answer is of. It does not say so itself; its request did. */
void stub_show_query(const struct pdu *pdu);
/* Whether the client offered no room at all, to learn the size. */
bool stub_is_size_probe(const struct pdu *pdu);

/* ---- sense.c ---- */

/* The weights of the parameters. See struct parameter. */
int sense_machine(struct stub_reader *r, struct weighing *w);
int sense_counterset(struct stub_reader *r, struct weighing *w);
int sense_request_code(struct stub_reader *r, struct weighing *w);
int sense_handle(struct stub_reader *r, struct weighing *w);
int sense_in_size(struct stub_reader *r, struct weighing *w);
int sense_out_sizes(struct stub_reader *r, struct weighing *w);
int sense_varying(struct stub_reader *r, struct weighing *w);
int sense_conformant(struct stub_reader *r, struct weighing *w);
int sense_add(struct stub_reader *r, struct weighing *w);
/* Whether decrypted bytes can be a stub of that operation. See stub_check (base/stub-check.h). */
int perflibv2_sense(const struct stub_sample *sample, const struct operation *op);
/* Whether a stub without a bind can only be that operation's. See stub_recogniser (base/stub-check.h). */
bool perflibv2_proves(const struct stub_sample *sample, const struct operation *op);

/*
 * Whether an answer can be that operation's by length, return code and structure. All that was captured is in the
 * sample's head.
 */
bool perflibv2_fits(const struct stub_sample *sample, const struct operation *op);

/* ---- buffer.c ---- */

/* Registers fields, subtrees, expert items, and the tap of what can be saved. */
void buffer_register(int proto, expert_module_t *expert);
/* Dissects lpData with its counts. */
void buffer_dissect(struct pdu *pdu);
/* Steps over it. See struct parameter. */
bool buffer_skip(const struct pdu *pdu, struct ndr *n, uint32_t *out_size);

/* Shows what was parsed of lpData, below tree. */
void buffer_show(struct pdu *pdu, proto_tree *tree);

/* ---- lone-buffer.c ---- */

/* Registers the dissectors of buffers that are there without their calls, by name. */
void lone_buffer_register(int proto);

/* ---- info.c ---- */

/* Appends a text, which begins with its comma, to the Info column and to the protocol's line. */
void info_text(const struct pdu *pdu, const char *text);
/* The same behind a comma. */
void info_add(const struct pdu *pdu, const char *format, ...) G_GNUC_PRINTF(2, 3);
void info_query(const struct pdu *pdu, const struct query *query);
/* Names the counterset that is asked for, if its name is known for sure. */
void info_counterset(const struct pdu *pdu, const e_guid_t *guid);
/* Says what a request for registration information asks for, and of what. */
void info_request_code(const struct pdu *pdu, uint32_t code, uint32_t lcid);
/* Summaries of lpData by operation. */
void info_poll(struct pdu *pdu);
void info_countersets(struct pdu *pdu);
void info_registration(struct pdu *pdu);
void info_instances(struct pdu *pdu);
void info_identifiers(struct pdu *pdu);
void info_change(struct pdu *pdu);
/* Summary for lpData's own line, for example ", 11 blocks"; "" if nothing is countable. */
const char *info_lpdata(const struct pdu *pdu);

/*
 * A call: what is kept of it, whether it succeeded, and what it teaches
 *
 * The first pass learns, in the order of the capture; all passes read.
 */

/* What the return code says. It stands at the stub's end, so a snap length may have cut it off. */
enum call_outcome {
    CALL_OUTCOME_UNKNOWN,
    CALL_SUCCEEDED,
    CALL_FAILED,
};

/* Captures hold many: the order of members leaves no gaps. */
struct call {
    e_guid_t counterset;
    struct server *server;   /* that it goes to: by its answer, before that by what was known; see call_begin() */
    struct server *asked_of; /* ... which a client asked for a counterset's counters */
    char *machine;           /* szMachine until the call is answered; else NULL */
    struct query *query;     /* the handle's, NULL for operations without one */
    const struct query_poll *poll;
    const char *opened_on; /* the server that opened a handle this server did not; else NULL */
    uint32_t *identifiers; /* of ValidateCounters: a hash of each sent, which the answer must keep; else NULL */
    unsigned num_identifiers;
    int expected_identifiers; /* the query had when QueryCounterInfo or QueryCounterData was called; -1: not known */
    struct connection_view views[2];     /* of the connection, by request and answer */
    struct connection_state connection;  /* when the request was sent */
    const struct asking_finding *asking; /* what is to be said of how it was made; NULL: nothing */
    uint32_t request_bytes;              /* of its stub */
    uint32_t closed_in;                  /* frame of the call that had closed the handle used; 0: none */
    uint32_t opened_in;      /* frame in which a handle just opened was opened, and is still open; 0: none */
    uint32_t given_again_in; /* frame that gave the handle used to another client, yet it is still open; 0: none */
    uint32_t request_code, request_lcid;
    uint32_t in_size;
    uint32_t request_frame;
    uint32_t moment; /* of the request, as queries.h counts; of one that opens a query: how many there were */
    struct answer_place place;
    bool asked, answered; /* request, answer have taught what they can, even if a snap length cut them short */
    bool has_request;     /* the request was dissected to its end, so what follows is known */
    bool add;
    bool add_is_undefined;     /* dwAdd is neither TRUE nor FALSE: what the server makes of it can't be known */
    bool is_first_from_start;  /* its strings are the first of the server whose offsets count from the start */
    bool added_is_known;       /* of an answer to ValidateCounters: what had been added before is known; */
    unsigned added_twice;      /* index of the first identifier that was accepted again, from 1; 0: none was */
    unsigned never_added;      /* index of the first returned or removed that was never added, from 1; 0: none */
    unsigned short_identifier; /* index of the identifier sent that is shorter than the structure, from 1; 0: none */
};

/* ---- call.c ---- */

/* The state of a call; made by whichever of its PDUs comes first. File scope. */
struct call *call_of(const dcerpc_info *di);

/* What an answer must not change of an identifier: all that is named, but neither Status nor Index. */
uint32_t call_identifier_hash(const struct lpdata *lp, const struct lp_identifier *id);

/* A PDU begins, in any pass: whose call it is is known from here on. */
void call_begin(const struct pdu *pdu);

/* The following on the first pass only. */

/* What is known of the connection when a PDU begins, and of who answers. */
void call_learn_begin(const struct pdu *pdu);
/* The szMachine of a request. Why that names another server, in file scope; NULL: nothing shows that. */
const char *call_learn_machine(const struct pdu *pdu, const char *machine);
/* What a request teaches of the query it uses. handle is not NULL (2.2.1). */
void call_learn_handle(const struct pdu *pdu, const e_guid_t *handle);
/* What an answer to OpenQueryHandle teaches, unless it failed. */
void call_learn_opened(const struct pdu *pdu, const e_guid_t *handle);
/* What the identifiers of a ValidateCounters request teach. */
void call_learn_sent(const struct pdu *pdu);
/*
 * What lpData of an answer that did not fail teaches, by operation: what a cut or malformed buffer lacks is not taught;
 * what it has is.
 */
void call_learn_registration(const struct pdu *pdu);
void call_learn_instances(const struct pdu *pdu);
void call_learn_map(const struct pdu *pdu);
void call_learn_poll(const struct pdu *pdu);
void call_learn_change(const struct pdu *pdu);
/* What is known when the return code of an answer was read. */
void call_learn_result(const struct pdu *pdu);
/* A request that was not read so far that it says which query it is of: it may have been any. */
void call_learn_unread(const struct pdu *pdu);
/* What is known at the end of a PDU, read as far as it was captured. */
void call_learn_end(const struct pdu *pdu);
/* A fault answered the call: nothing was changed or opened. Whether the handle is still open nobody knows. */
void call_learn_fault(const struct pdu *pdu, const struct rpc_fault *fault);

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
    bool has_request;                                     /* for a response: its request is in the capture */
    unsigned have;                                        /* STUB_*, of this stub */
    uint64_t machine_max, machine_offset, machine_actual; /* counts of szMachine, in characters */
    bool machine_terminated;                              /* its last character is NUL, and no other is */
    unsigned machine_at, machine_text_at;                 /* its counts, its characters */
    struct stub_value request_code, request_lcid, in_size, add, out_size, return_size, return_code;
    bool handle_is_null;
    unsigned handle_at;
    uint64_t array_max, array_offset;   /* of a conformant varying lpData, in elements */
    unsigned array_at, array_offset_at; /* its counts, the second of them */
    bool is_refused;                    /* a fault stands in place of the answer, and says so */
};

/* Packet scope. */
struct pdu {
    struct ndr n;
    const struct operation *op;
    bool is_response;
    bool is_extra;   /* an answer to a call that has another one */
    bool is_assumed; /* its interface is recognised, and no answer has fitted: it is shown, not counted and judged */
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

/* The parameters of a request, or of an answer: P_*. */
static inline unsigned
pdu_parameters(const struct pdu *pdu)
{
    return pdu->is_response ? pdu->op->response : pdu->op->request;
}

/* The counterset that is asked for; NULL: none, or the request is missing. */
static inline const e_guid_t *
pdu_counterset(const struct pdu *pdu)
{
    return pdu->call->has_request && (pdu->op->request & P_COUNTERSET) ? &pdu->call->counterset : NULL;
}

/* What a client could do with less: buffers that grow, polls that overlap or come late, counters polled twice */

/* ---- efficiency.c ---- */

/* A request or an answer, read to its end; first pass only. What is to be said of it goes to the call. */
void efficiency_learn_request(const struct pdu *pdu);
void efficiency_learn_answer(const struct pdu *pdu);

/* What a call asked for and did not get, for statistics */

/* ---- missing.c ---- */

/* Registers the tap; called once, at registration. */
void missing_init(void);
/* A PDU of a call that is the call's own, with what came of it; to be called where everything is learned. */
void missing_tell_pdu(const struct pdu *pdu, struct perf_tap_why why);
/* A PDU that could not be read for want of a key, which needed says; NULL: it is for another reason. */
void missing_needed(packet_info *pinfo, const struct key_needed *needed);

/* ---- shared-fields.c ---- */

/* Fields and subtrees that counters/ and base/ add to our trees, under our names. Set by the function below. */
extern struct poll_fields perflibv2_poll_fields;
extern struct counter_type_fields perflibv2_type_fields;
extern struct systemtime_fields perflibv2_time_fields;
void perflibv2_shared_fields_register(int proto);

/* What a person sees of an lpData buffer: trees with names, times and values */

/* How a buffer is shown. */
struct lpdata_view {
    packet_info *pinfo;
    const struct lpdata *lp;
    const struct server *server;   /* whose names; NULL: only the tables' */
    const e_guid_t *counterset;    /* that the buffer is about, from the request; NULL: not known */
    const struct query_poll *poll; /* what the capture taught of the poll; NULL: nothing */
    struct values *values;         /* of a poll */
    unsigned guid_encoding;        /* of the GUIDs of opnum 0, which are NDR and not lpData's little-endian */
    bool is_request;               /* of ValidateCounters: a Status says nothing yet */
    /* Set while a poll is shown: what somebody looks at of its values. */
    struct poll_view seen;
    bool raw_wanted, sizes_wanted;
    bool values_wanted;    /* any of these */
    bool findings_wanted;  /* somebody looks at expert items, whether or not there is a tree */
    unsigned next_finding; /* findings of lp->report shown so far */
    struct item_rest rest; /* values and structures there is no room for */
};

/* ---- tree.c ---- */

/* Registers fields, subtrees and preferences. */
void lpdata_tree_register(int proto, expert_module_t *expert, module_t *module);

/* PDH's code for a Win32 error of the server, where it has one. */
void lpdata_tree_pdh(proto_tree *tree, tvbuff_t *tvb, uint32_t error);
/*
 * A counterset's GUID or a counter's id, and the name learned for it, at offset in tvb. The same fields in stubs
 * and buffers. encoding: of the GUID or id. Wildcard ids are named so.
 */
void lpdata_tree_counterset(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const e_guid_t *guid,
    const struct server *server, uint32_t frame);
void lpdata_tree_counter_id(proto_tree *tree, tvbuff_t *tvb, unsigned offset, uint32_t id, const e_guid_t *counterset,
    const struct server *server, uint32_t frame);

/* The trees, one for each walker of lpdata.h; findings are shown where they belong. */
void lpdata_tree_guids(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_registration(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_instances(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_identifiers(struct lpdata_view *view, proto_tree *tree);

/* ---- tree-data.c ---- */

void lpdata_tree_data(struct lpdata_view *view, proto_tree *tree);

/* ---- tree.c ---- */

/* What was not understood, as bytes, the findings not shown yet, and how many values were left out. */
void lpdata_tree_rest(struct lpdata_view *view, proto_tree *tree);

/* The name of a request code for the Info column ("counter names"); NULL for an unknown one. */
const char *lpdata_request_code_text(uint32_t request_code);
extern const value_string lpdata_request_code_vals[];

#endif /* PERFLIB_PERFLIBV2_PDU_H */
