/* pdu.h
 * Operations of PerflibV2, their calls, and a request or answer during its dissection: the state shared by parsing,
 * learning, judging and showing
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_PDU_H
#define PERFLIB_PERFLIBV2_PDU_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/prefs.h>

#include "base/request-state.h"
#include "base/fields.h"
#include "base/rpc-call.h"
#include "base/stub-check.h"
#include "base/win32-names.h"
#include "perflibv2/queries.h"
#include "perflibv2/rules-report.h"
#include "perflibv2/values.h"

struct perflibv2_call;
struct lpdata_view;
struct pdu;
struct pdu_stub;

/* Opnums of the eight operations, [MS-PCQ] 3.1.4.1 and 6 */
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

/* Parameters, in the order of the stub */
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
    P_RETURN_CODE = 0x200,  /* error_status_t, after the parameters of every answer */
};

/* Effect of an operation on a query */
enum operation_effect { NO_EFFECT, OPENS_QUERY, CLOSES_QUERY, CHANGES_QUERY };

#define OPERATION_MAX_CODES 5

/* One operation. Functions may be NULL. parse(), judge(), show() and say() are for operations with lpData. */
struct operation {
    const char *name;
    unsigned request, response; /* P_* */
    unsigned element; /* bytes per unit of dwInSize and of the returned sizes: a GUID's 16 for opnum 0, else 1 */
    enum operation_effect effect;
    uint32_t max_in_size; /* range() of dwInSize */
    /* return values that [MS-PCQ] lists for this method only, up to the first 0 */
    uint32_t codes[OPERATION_MAX_CODES];
    void (*parse)(struct lpdata *lp);
    /* Learns from an answer that did not fail, in the first pass. */
    void (*learn)(const struct pdu *pdu);
    /* Checks lpData against the rules. */
    void (*judge)(const struct pdu *pdu);
    /* Show the tree of lpData, and add a summary to the Info column. */
    void (*show)(struct lpdata_view *view, proto_tree *tree);
    void (*say)(struct pdu *pdu);
    /* Checks parameters and return code against the rules that only this method has. */
    void (*judge_stub)(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub);
};

/* ---- packet-perflibv2.c ---- */

extern const struct operation perflibv2_operations[NUM_OPS];

/* Returns whether findings about a PDU are needed: for a tree, the table of rules or Expert Information. */
bool perflibv2_wants_findings(const struct pdu *pdu);

/* ---- stub.c ---- */

/* Sizes in bytes, and the number of counts before the elements of an array */
#define STUB_HANDLE_SIZE       20 /* attributes and GUID: 2.2.1 */
#define STUB_REQUEST_CODE_SIZE 8
#define STUB_OUT_SIZES_SIZE    8
#define STUB_VARYING_COUNTS    3 /* maximum, offset and actual count */
#define STUB_CONFORMANT_COUNTS 1

/* Numbers of a parameter in a stub: .counts of an array, or .numbers of any other parameter */
struct stub_numbers {
    uint64_t counts[STUB_VARYING_COUNTS];
    uint32_t numbers[STUB_HANDLE_SIZE / 4];
};

struct weighing;

/* A kind of parameter and its layout: counts of 4 bytes (NDR64: 8) or numbers of 4 bytes, each aligned to its size */
struct parameter {
    unsigned bit;    /* P_* */
    unsigned counts; /* number of counts before an array, the last being the number of elements; 0: no array */
    unsigned size;   /* size of a parameter that is no array */
    /* Reads the parameter, adds its items, and stores its value. */
    void (*dissect)(struct pdu *pdu);
    /*
     * Rates the parameter as evidence for the interface: returns the number of bits that have the only possible value,
     * or STUB_NONSENSE (base/stub-check.h). read: its numbers; r: reader after them. NULL: the parameter is no
     * evidence.
     */
    int (*sense)(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
};
/* All parameters, in the order of a stub */
#define STUB_NUM_PARAMETERS 9
extern const struct parameter stub_parameters[STUB_NUM_PARAMETERS];

void stub_register(int proto, expert_module_t *expert);
/* Dissects the parameters of a request or an answer. */
void stub_dissect(struct pdu *pdu);
/* Dissects the return code, which follows the parameters of an answer. */
void stub_dissect_return_code(struct pdu *pdu);
/*
 * Returns the outcome of a call before its answer is dissected, from the return code after the handle or lpData.
 * CALL_OUTCOME_UNKNOWN: the return code was cut off.
 */
enum call_outcome stub_outcome(struct pdu *pdu);
/* Shows the query of an answer. Answers do not contain the query's handle, so it is taken from the request. */
void stub_show_query(const struct pdu *pdu);
/* Returns whether dwInSize is 0, so that the client learns the required size. */
bool stub_is_size_probe(const struct pdu *pdu);

/* ---- sense.c ---- */

/* Return how strongly a parameter indicates the interface, see .sense of struct parameter. */
int sense_machine(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
int sense_request_code(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
int sense_handle(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
int sense_in_size(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
int sense_out_sizes(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
int sense_varying(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
int sense_conformant(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w);
/* Returns how strongly decrypted bytes look like a stub of the operation, see stub_check (base/stub-check.h). */
int perflibv2_sense(const struct stub_sample *sample, const struct operation *op);
/* Returns whether a stub without a bind can only be of that operation, see stub_recogniser (base/stub-check.h). */
bool perflibv2_proves(const struct stub_sample *sample, const struct operation *op);

/*
 * Returns whether an answer can be the operation's by length, return code and structure. sample->head must hold all
 * captured bytes.
 */
bool perflibv2_fits(const struct stub_sample *sample, const struct operation *op);

/* ---- buffer.c ---- */

/* Registers fields, subtrees, expert items, and the export of lpData. */
void buffer_register(int proto, expert_module_t *expert);
/* Dissects lpData and its counts. */
void buffer_dissect(struct pdu *pdu);
/* Skips lpData and the `counts` NDR counts before lpData. Returns false if the counts were not captured. */
bool buffer_skip(struct pdu *pdu, struct ndr *n, unsigned counts);

/* Adds the tree of parsed lpData below tree. */
void buffer_show(struct pdu *pdu, proto_tree *tree);

/* ---- lone-buffer.c ---- */

/* Registers named dissectors for lpData without its call. */
void lone_buffer_register(int proto);

/* ---- info.c ---- */

/* Appends text, which starts with its own comma, to the Info column and to the protocol's item. */
void info_text(const struct pdu *pdu, const char *text);
/* Appends ", " and formatted text to the Info column. */
void info_add(const struct pdu *pdu, const char *format, ...) G_GNUC_PRINTF(2, 3);
void info_query(const struct pdu *pdu, const struct query *query);
/* Appends the name of the requested counterset to the Info column, if the name is certain. */
void info_counterset(const struct pdu *pdu, const e_guid_t *guid);
/* Appends the kind of requested registration information to the Info column. */
void info_request_code(const struct pdu *pdu, uint32_t code, uint32_t lcid);
/* Append a summary of lpData to the Info column, one function per operation. */
void info_poll(struct pdu *pdu);
void info_elements(struct pdu *pdu);
void info_registration(struct pdu *pdu);
void info_change(struct pdu *pdu);
/* Returns a summary for lpData's line in the tree, for example ", 11 blocks"; "" if nothing is countable. */
const char *info_lpdata(const struct pdu *pdu);

/*
 * A call: its kept state, outcome, and what is learned from it
 *
 * The plugin learns from calls in Wireshark's first pass only, in the order of the capture. All passes use the results.
 */

/* Outcome by the return code, which is at the stub's end and may have been cut off by the snap length */
enum call_outcome {
    CALL_OUTCOME_UNKNOWN,
    CALL_SUCCEEDED,
    CALL_FAILED,
};

/* State of a call. A capture may have a million calls, so members are ordered without gaps. */
struct perflibv2_call {
    e_guid_t counterset;
    struct server *server; /* server of the call, known from its answer or from earlier PDUs; see call_begin() */
    /*
     * request for a list of counters: server that counted it, and counts its answer (catalog_learn_asked()); else NULL
     */
    struct server *asked_of;
    char *machine;       /* szMachine, until the call is answered; else NULL */
    struct query *query; /* query of the handle; NULL: the operation has none */
    const struct query_poll *poll;
    const char *opened_on; /* name of another server that opened the handle; NULL: none */
    uint32_t *identifiers; /* ValidateCounters: hash of each identifier sent, to compare with the answer; else NULL */
    unsigned num_identifiers;
    /* number of identifiers in the query when QueryCounterInfo or QueryCounterData was called; -1: unknown */
    int expected_identifiers;
    struct connection_view views[2];    /* protection and transport of the connection, by request and answer */
    struct connection_state connection; /* the connection when the request was sent */
    struct request_finding *finding;    /* findings about the client's requests; NULL: none */
    uint32_t request_bytes;             /* size of the request's stub */
    uint32_t closed_in;                 /* frame of the call that had closed the handle before this request; 0: none */
    uint32_t opened_in; /* OpenQueryHandle: earlier frame that opened the same handle, if still open; 0: none */
    /* frame in which the server gave another client the handle that this call uses, and that is still open; 0: none */
    uint32_t given_again_in;
    uint32_t request_code, request_lcid;
    uint32_t in_size;
    uint32_t request_frame;
    /*
     * queries_moment() at the request, which shows whether the query changed before the answer; OpenQueryHandle:
     * queries_count
     */
    uint32_t moment;
    struct first_answer first_answer;
    bool asked, answered; /* the request (the answer) was dissected in the first pass, even if the snap length cut it */
    bool has_request;     /* the request was dissected to its end, so its members are valid */
    bool add;
    bool is_wrong;         /* the request violates a rule */
    bool add_is_undefined; /* dwAdd is neither TRUE nor FALSE, so the server's reaction is undefined */
    /* the answer holds the server's first strings with offsets that count from the start of the buffer */
    bool is_first_from_start;
    /* ValidateCounters: the query's identifiers before this call are known, so .odd_identifier is valid */
    bool added_is_known;
    /* index (from 1) of the first identifier accepted twice, or returned or removed without being added; 0: none */
    unsigned odd_identifier;
    unsigned short_identifier; /* index (from 1) of the last sent identifier whose Size is too small; 0: none */
};

/* ---- call.c ---- */

/* Returns the state of a call, created with the first of its PDUs. File scope. */
struct perflibv2_call *call_of(const dcerpc_info *di);

/* Returns a hash of the parts of an identifier that an answer must not change: all except Status and Index. */
uint32_t call_identifier_hash(const struct lpdata *lp, const struct lp_identifier *id);

/* Determines the server of a call when a PDU begins, in any pass. */
void call_begin(const struct pdu *pdu);

/* Learning, in the first pass only */

/* Notes the state of the connection and the server when a PDU begins. */
void call_learn_begin(const struct pdu *pdu);
/*
 * Notes szMachine of a request. If it is another server's name, returns a text that explains why, in file scope; else
 * NULL.
 */
const char *call_learn_machine(const struct pdu *pdu, const char *machine);
/* Notes the query that a request uses. handle must not be NULL (2.2.1). */
void call_learn_handle(const struct pdu *pdu, const e_guid_t *handle);
/* Notes a handle opened by OpenQueryHandle, unless the call failed. */
void call_learn_opened(const struct pdu *pdu, const e_guid_t *handle);
/* Notes the identifiers of a ValidateCounters request. */
void call_learn_sent(const struct pdu *pdu);
/*
 * Learn from lpData of an answer that did not fail, one function per operation. Cut or malformed buffers are learned
 * from as far as they were parsed.
 */
void call_learn_registration(const struct pdu *pdu);
void call_learn_instances(const struct pdu *pdu);
void call_learn_map(const struct pdu *pdu);
void call_learn_poll(const struct pdu *pdu);
void call_learn_change(const struct pdu *pdu);
/* Learns from an answer once its return code was read. */
void call_learn_result(const struct pdu *pdu);
/* Notes a request that was not read up to its query handle: the call may change any query. */
void call_learn_unread(const struct pdu *pdu);
/* Completes learning at the end of a PDU. */
void call_learn_end(const struct pdu *pdu);
/* Notes a fault: the call changed no identifiers and opened no handle. CloseQueryHandle may have closed its handle. */
void call_learn_fault(const struct pdu *pdu, const struct rpc_fault *fault);

/* A value of a stub and its offset */
struct stub_value {
    uint32_t value;
    unsigned offset;
};

/* Values of one stub, for rules. In a response, in_size, request_code and lcid are the request's. */
struct pdu_stub {
    const struct operation *op;
    bool is_response;
    bool has_request;                     /* for a response: the request was captured */
    unsigned have;                        /* P_* that are present; a cut stub has only some */
    struct ndr_counts machine;            /* counts of szMachine, in characters */
    bool machine_terminated;              /* the only NUL of szMachine is its last character */
    unsigned machine_at, machine_text_at; /* offsets of szMachine's counts and of its characters */
    struct stub_value request_code, request_lcid, in_size, add, out_size, return_size, return_code;
    bool handle_is_null;
    unsigned handle_at;
    struct ndr_counts array;            /* counts of a conformant varying lpData, in elements */
    unsigned array_at, array_offset_at; /* offsets of the maximum count of lpData, and of its NDR offset */
    bool is_refused;                    /* the answer is a fault that denies access */
};

/* Size of lpData by its NDR count, and by the parameter that should agree (such as *pdwOutSize) */
struct array_size {
    struct ndr_counts counts;
    uint64_t counted, stated; /* size in bytes: by the NDR count, and by the parameter .stated_name */
    const char *stated_name;
    bool is_possible; /* the size does not exceed the client's buffer */
};

/* Bounds of lpData in its stub */
struct lpdata_bounds {
    unsigned offset;  /* offset in the stub; 0: not found so far */
    unsigned size;    /* bytes in the stub */
    unsigned sent;    /* bytes on the wire; more than .size if a fragment is missing */
    unsigned trusted; /* bytes that are certainly before the missing fragment; .size if none is missing */
    bool lacks_fragment;
};

/* A request or answer during its dissection; packet scope */
struct pdu {
    struct ndr n;
    const struct session_pdu *session; /* record of the PDU in session/; NULL: none */
    const struct operation *op;
    bool is_response;
    bool is_extra; /* a second answer to a call */
    /* interface recognised without a bind, and not yet confirmed: the PDU is shown, but not counted or checked */
    bool is_assumed;
    bool first_pass; /* true if the plugin learns from this PDU: in Wireshark's first pass */
    enum call_outcome outcome;
    struct perflibv2_call *call;
    const char *other_machine;        /* why szMachine names another server; NULL: it does not */
    struct pdu_stub said;             /* values of the stub, for rules */
    struct rules_report *stub_report; /* findings about the stub; offsets count from its start */
    struct rules_report *report;      /* findings about lpData; offsets count from its start */
    struct rules_report reports[2];   /* memory for .stub_report and .report */
    struct array_size size;           /* size of lpData by its counts */
    struct lpdata_bounds bounds;      /* bounds of lpData */
    struct lpdata lp;
    bool has_lpdata;
    const struct query_poll *poll; /* data kept about this poll; NULL: none */
    struct values *values;         /* values of a poll; NULL: not a poll */
    unsigned refused;              /* number of identifiers with an error status */
    const char *tree_ended;        /* Wireshark's message about a tree that grew too large; NULL: it did not */
};

static inline bool
pdu_has_return_code(const struct pdu *pdu)
{
    return (pdu->said.have & P_RETURN_CODE) != 0;
}

/* Returns whether an answer reports that the client's buffer was too small. */
static inline bool
pdu_is_too_small(const struct pdu *pdu)
{
    return pdu_has_return_code(pdu) && pdu->said.return_code.value == WIN32_NOT_ENOUGH_MEMORY &&
        (pdu->op->response & P_OUT_SIZES);
}

/* Returns the size in bytes of a request's stub, or of both stubs of an answered call. */
static inline uint32_t
pdu_bytes(const struct pdu *pdu)
{
    return tvb_reported_length(pdu->n.tvb) + (pdu->is_response ? pdu->call->request_bytes : 0);
}

/* Returns the parameters (P_*) of the PDU's stub. */
static inline unsigned
pdu_parameters(const struct pdu *pdu)
{
    return pdu->is_response ? pdu->op->response : pdu->op->request;
}

/* Returns the requested counterset, or NULL if there is none or the request is missing. */
static inline const e_guid_t *
pdu_counterset(const struct pdu *pdu)
{
    return pdu->call->has_request && (pdu->op->request & P_COUNTERSET) ? &pdu->call->counterset : NULL;
}

/* Wasteful clients: buffers that grow step by step, overlapping or late polls, counters polled twice */

/* ---- efficiency.c ---- */

/* Learn from a completely read request or answer, in the first pass only. Findings are stored in the call. */
void efficiency_learn_request(const struct pdu *pdu);
void efficiency_learn_answer(const struct pdu *pdu);

/* Counters that a call requested but did not receive, for statistics */

/* ---- missing.c ---- */

/* Tap "perflibv2_missing" */
extern int tap_perflibv2_missing;
/*
 * Queues records about the PDU of a call, and about the counters in it, to the tap "perflibv2_missing". Call it after
 * learning. why: outcome of the call, for an answer.
 */
void missing_tell_pdu(const struct pdu *pdu, struct perf_tap_why why);

/* ---- shared-fields.c ---- */

/*
 * Fields and subtrees of perflibv2 that functions of counters/ and base/ use when they add items for PerflibV2. Set by
 * perflibv2_shared_fields_register().
 */
extern struct poll_fields perflibv2_poll_fields;
extern struct counter_type_fields perflibv2_type_fields;
extern struct systemtime_fields perflibv2_time_fields;
void perflibv2_shared_fields_register(int proto);

/* Trees of lpData, with names, times and values */

/* State while the tree of a buffer is built */
struct lpdata_view {
    packet_info *pinfo;
    const struct lpdata *lp;
    const struct server *server;   /* server whose names are shown; NULL: use only the tables of known counters */
    const e_guid_t *counterset;    /* counterset of the buffer, from the request; NULL: unknown */
    const struct query_poll *poll; /* data kept about the poll; NULL: none */
    struct values *values;         /* values of a poll; NULL: not a poll */
    unsigned guid_encoding;        /* encoding of opnum 0's GUIDs, which are NDR and not always little-endian */
    bool is_request;               /* a ValidateCounters request, in which Status has no meaning yet */
    /* Parts of the poll that Wireshark needs, for the tree, a filter or a column */
    struct poll_view seen;
    bool raw_wanted, sizes_wanted;
    bool values_wanted;    /* Wireshark needs items of values */
    bool findings_wanted;  /* Wireshark needs expert items, perhaps without a tree */
    unsigned next_finding; /* number of findings of lp->report already shown */
    struct item_rest rest; /* values and structures left out of the tree */
};

/* ---- tree.c ---- */

void lpdata_tree_register(int proto, expert_module_t *expert, module_t *module);

/*
 * Add a counterset's GUID or a counter's id at offset in tvb, and its learned name. length 0: the packet does not
 * contain the GUID or id, so the item is generated.
 */
void lpdata_tree_counterset(proto_tree *tree, tvbuff_t *tvb, unsigned offset, int length, const e_guid_t *guid,
    const struct server *server, uint32_t frame);
void lpdata_tree_counter_id(proto_tree *tree, tvbuff_t *tvb, unsigned offset, int length, uint32_t id,
    const e_guid_t *counterset, const struct server *server, uint32_t frame);

/* Add the trees of lpData, one function per parser of lpdata.h, with findings at their positions. */
void lpdata_tree_guids(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_registration(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_instances(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_identifiers(struct lpdata_view *view, proto_tree *tree);

/* ---- tree-data.c ---- */

void lpdata_tree_data(struct lpdata_view *view, proto_tree *tree);

/* ---- tree.c ---- */

/* Adds bytes that were not understood, the remaining findings, and the number of values left out. */
void lpdata_tree_rest(struct lpdata_view *view, proto_tree *tree);

/* Names of request codes as in perflib.h, and for the Info column, for example "counter names" */
extern const value_string lpdata_request_code_vals[], lpdata_request_code_texts[];

/* ---- tree-counters.c ---- */

/* Names of InstanceType, 2.2.4.1 */
extern const value_string lpdata_instance_type_vals[];

#endif /* PERFLIB_PERFLIBV2_PDU_H */
