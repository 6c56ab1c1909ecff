/* packet-perflibv2.c
 * PerflibV2, the Performance Counter Query Protocol [MS-PCQ]: its eight operations
 *
 * What lpData holds is parsed in lpdata.c and shown by tree.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <epan/conversation_filter.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/tap.h>
#include <epan/tfs.h>
#include <epan/to_str.h>
#include <wsutil/nstime.h>
#include <wsutil/str_util.h>
#include <wsutil/wslog.h>

#include "base/bytes.h"
#include "base/fields.h"
#include "base/menus.h"
#include "base/rpc-call.h"
#include "base/win32-names.h"
#include "base/text.h"
#include "base/ndr.h"
#include "base/rpc-pdu.h"
#include "cook/cooking.h"
#include "counters/catalog.h"
#include "counters/record.h"
#include "counters/poll.h"
#include "perflibv2/pdu.h"
#include "perflibv2/record.h"
#include "perflibv2/rules/checks.h"
#include "plugin.h"

static int proto_perflibv2 = -1;
static int tap_perflibv2 = -1;
static int tap_poll = -1;
static int tap_expert = -1;
static int tap_export = -1;

static int hf_perflibv2_opnum = -1;
static int hf_perflibv2_machine = -1;
static int hf_perflibv2_handle = -1;
static int hf_perflibv2_handle_attributes = -1;
static int hf_perflibv2_handle_opened_in = -1;
static int hf_perflibv2_handle_closed_in = -1;
static int hf_perflibv2_query = -1;
static int hf_perflibv2_in_size = -1;
static int hf_perflibv2_out_size = -1;
static int hf_perflibv2_return_size = -1;
static int hf_perflibv2_request_code = -1;
static int hf_perflibv2_request_lcid = -1;
static int hf_perflibv2_add = -1;
static int hf_perflibv2_return_code = -1;
static int hf_perflibv2_lpdata = -1;
static int hf_perflibv2_fault = -1;
static int hf_perflibv2_fault_request_in = -1;

static int ett_perflibv2 = -1;
static int ett_perflibv2_lpdata = -1;
static int ett_perflibv2_handle = -1;

static expert_field ei_perflibv2_machine_other = EI_INIT;
static expert_field ei_perflibv2_no_request = EI_INIT;
static expert_field ei_perflibv2_no_beginning = EI_INIT;
static expert_field ei_perflibv2_fragment_missing = EI_INIT;
static expert_field ei_perflibv2_second_answer = EI_INIT;
static expert_field ei_perflibv2_failed = EI_INIT;
static expert_field ei_perflibv2_handle_not_opened = EI_INIT;
static expert_field ei_perflibv2_handle_not_closed = EI_INIT;
static expert_field ei_perflibv2_too_small = EI_INIT;

static expert_field ei_perflibv2_faulted = EI_INIT;
static expert_field ei_perflibv2_growing_buffer = EI_INIT;
static expert_field ei_perflibv2_poll_overlap = EI_INIT;
static expert_field ei_perflibv2_poll_late = EI_INIT;
static expert_field ei_perflibv2_poll_twice = EI_INIT;

static const struct rpc_fault_items fault_items = { &hf_perflibv2_fault, &hf_perflibv2_fault_request_in,
    &ei_perflibv2_faulted };
static const struct asking_items asking_items = { &ei_perflibv2_growing_buffer, &ei_perflibv2_poll_overlap,
    &ei_perflibv2_poll_late, &ei_perflibv2_poll_twice };

/* [MS-PCQ] 1.9 */
static e_guid_t uuid_perflibv2 = { 0xda5a86c5, 0x12c2, 0x4943, { 0xab, 0x30, 0x7f, 0x74, 0xa8, 0x13, 0xd8, 0x53 } };
static const uint16_t ver_perflibv2 = 1;

#define HANDLE_SIZE 20 /* attributes and GUID, 2.2.1 */

static const struct operation operations[NUM_OPS];
static const struct rpc_listener listener;

static const true_false_string tfs_add = { "TRUE (add)", "FALSE (remove)" };

/* What the Info column says of a PDU stands in the protocol's line, too. The text begins with its comma. */
static void
info_text(const struct pdu *pdu, const char *text)
{
    proto_item *item = pdu->n.tree == NULL ? NULL : proto_tree_get_parent(pdu->n.tree);

    col_append_str(pdu->n.pinfo->cinfo, COL_INFO, text);
    if (perflib_tree_is_seen(pdu->n.tree)) {
        item_label_append(pdu->n.pinfo->pool, item, text);
    }
}

/* The same of a text that is made here, behind a comma. */
static void info(const struct pdu *pdu, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void
info(const struct pdu *pdu, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    info_text(pdu, wmem_strconcat(pdu->n.pinfo->pool, ", ", wmem_strdup_vprintf(pdu->n.pinfo->pool, format, ap), NULL));
    va_end(ap);
}

/* What every poll has is said without formats: reading those is most of what many small ones cost. */
static void
add_whole(struct line *line, uint64_t number)
{
    char digits[DIGITS_MAX];

    digits_whole(digits, number);
    line_add(line, digits);
}

static void
info_query(const struct pdu *pdu, const struct query *query)
{
    struct line line;

    line_begin(&line);
    line_add(&line, ", query ");
    add_whole(&line, query->number);
    info_text(pdu, line.text);
}

static void
info_count(const struct pdu *pdu, unsigned count, const char *noun)
{
    info(pdu, "%s", count_text(pdu->n.pinfo->pool, count, noun));
}

/* A value of the stub, and where it stood. */
static struct stub_value
read_said(struct pdu *pdu, int hf)
{
    const uint32_t value = ndr_uint32(&pdu->n, hf);

    return (struct stub_value){ value, (unsigned)pdu->n.offset - 4 };
}

/* The counts of szMachine, for the rules. */
static void
note_machine(struct pdu *pdu, unsigned offset, const struct ndr_wstring *string)
{
    if (string->overrun) {
        return;
    }
    pdu->said.have |= STUB_MACHINE;
    pdu->said.machine_at = offset;
    pdu->said.machine_text_at = (unsigned)pdu->n.offset - 2 * (unsigned)string->counts.actual;
    pdu->said.machine_max = string->counts.max;
    pdu->said.machine_offset = string->counts.offset;
    pdu->said.machine_actual = string->counts.actual;
    pdu->said.machine_terminated = string->text.terminated && string->text.size == (string->counts.actual - 1) * 2;
}

static void
dissect_machine(struct pdu *pdu)
{
    const unsigned offset = (unsigned)pdu->n.offset;
    struct ndr_wstring string;
    const char *machine = ndr_wstring(&pdu->n, hf_perflibv2_machine, &string);

    note_machine(pdu, offset, &string);
    rules_check(pdu->stub_report, RULE_STRUCTURE_FITS, !string.overrun, offset, (unsigned)pdu->n.offset - offset,
        "szMachine is longer than the stub");
    if (pdu->first_pass) {
        pdu->other_machine = call_learn_machine(pdu, machine);
    }
    /* Else a counterset tells what is asked for. */
    if (!(pdu->op->request & P_COUNTERSET)) {
        info(pdu, "%s", line_text(pdu->n.pinfo->pool, machine));
    }
}

/* The counterset that is asked for: by its name, if that is known, and for sure. */
static void
say_counterset(struct pdu *pdu, const e_guid_t *guid)
{
    const struct catalog_text name = catalog_counterset_name(pdu->call->server, guid, pdu->n.pinfo->num);
    const char *text = guid_to_str(pdu->n.pinfo->pool, guid);

    if (name.text != NULL) {
        info(pdu, "%s {%s}", name.text, text);
    } else {
        info(pdu, "{%s}", text);
    }
}

static void
dissect_counterset(struct pdu *pdu)
{
    e_guid_t guid;

    ndr_align(&pdu->n, 4);
    tvb_get_guid(pdu->n.tvb, pdu->n.offset, &guid, ndr_encoding(&pdu->n));
    lpdata_tree_counterset(pdu->n.tree, pdu->n.tvb, (unsigned)pdu->n.offset, &guid, pdu->call->server,
        pdu->n.pinfo->num);
    pdu->n.offset += LP_GUID_SIZE;
    if (pdu->first_pass) {
        pdu->call->counterset = guid;
    }
    /* A GUID is long: what is asked of the counterset stands before it, unless the capture ends here. */
    if (!(pdu->op->request & P_REQUEST_CODE) || !tvb_bytes_exist(pdu->n.tvb, pdu->n.offset, 8)) {
        say_counterset(pdu, &guid);
    }
}

/* What a request for registration information asks for, and of what. */
static void
say_request_code(struct pdu *pdu, uint32_t code, uint32_t lcid)
{
    const char *text = lpdata_request_code_text(code);
    const char *language = try_val_to_str_ext(lcid, &language_vals_ext);

    if (text == NULL) {
        info(pdu, "request code %u", code);
    } else if (code == PERF_REG_COUNTER_STRUCT) {
        info(pdu, "%s %u", text, lcid);
    } else if (lcid == 0) {
        info(pdu, "%s", text);
    } else if (language != NULL) {
        info(pdu, "%s in %s", text, language);
    } else {
        info(pdu, "%s in language 0x%04x", text, lcid);
    }
    say_counterset(pdu, &pdu->call->counterset);
}

static void
dissect_request_code(struct pdu *pdu)
{
    uint32_t code, lcid;

    pdu->said.request_code = read_said(pdu, hf_perflibv2_request_code);
    code = pdu->said.request_code.value;
    /* For this code RequestLCID is a counter id. */
    pdu->said.request_lcid = read_said(pdu, code == PERF_REG_COUNTER_STRUCT ? -1 : hf_perflibv2_request_lcid);
    lcid = pdu->said.request_lcid.value;
    if (code == PERF_REG_COUNTER_STRUCT) {
        lpdata_tree_counter_id(pdu->n.tree, pdu->n.tvb, pdu->said.request_lcid.offset, lcid, &pdu->call->counterset,
            pdu->call->server, pdu->n.pinfo->num);
    }
    pdu->said.have |= STUB_REQUEST_CODE;
    if (pdu->first_pass) {
        pdu->call->request_code = code;
        pdu->call->request_lcid = lcid;
    }
    say_request_code(pdu, code, lcid);
}

PERFLIB_CONVERSATION_FILTER(perflibv2_query, proto_perflibv2, "perflibv2.query", query_filter_of_numbers)

/* The number of the handle's life, below the handle's item. Returns the tree below it. */
static proto_tree *
show_query_number(const struct pdu *pdu, proto_item *item)
{
    proto_tree *tree = proto_item_add_subtree(item, ett_perflibv2_handle);

    proto_item_set_generated(proto_tree_add_uint(tree, hf_perflibv2_query, pdu->n.tvb, 0, 0, pdu->call->query->number));
    if (pdu->n.tree != NULL) {
        query_filter_add(pdu->n.pinfo, proto_perflibv2,
            wmem_strdup_printf(pdu->n.pinfo->pool, "%u", pdu->call->query->number));
    }
    return tree;
}

/* The life of the handle, below its item. */
static void
show_query(const struct pdu *pdu, proto_item *item)
{
    const struct query *query = pdu->call->query;
    proto_tree *tree;

    if (item == NULL) {
        return;
    }
    tree = show_query_number(pdu, item);
    if (query->opened_in != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_perflibv2_handle_opened_in, pdu->n.tvb, 0, 0, query->opened_in));
    } else {
        expert_add_info(pdu->n.pinfo, item, &ei_perflibv2_handle_not_opened);
    }
    if (query->closed_in != 0) {
        proto_item_set_generated(
            proto_tree_add_uint(tree, hf_perflibv2_handle_closed_in, pdu->n.tvb, 0, 0, query->closed_in));
    } else if (pdu->op->effect == OPENS_QUERY && pdu->n.pinfo->fd->visited) {
        /* Only when the whole capture has been read can that be known. */
        expert_add_info(pdu->n.pinfo, item, &ei_perflibv2_handle_not_closed);
    }
}

static void
dissect_handle(struct pdu *pdu)
{
    struct call *call = pdu->call;
    const uint32_t attributes = ndr_uint32(&pdu->n, hf_perflibv2_handle_attributes);
    proto_item *item;
    const e_guid_t handle = ndr_guid(&pdu->n, hf_perflibv2_handle, &item);
    const e_guid_t null_guid = { 0, 0, 0, { 0 } };
    const bool is_null = attributes == 0 && guid_cmp(&handle, &null_guid) == 0;

    pdu->said.have |= STUB_HANDLE;
    pdu->said.handle_is_null = is_null;
    pdu->said.handle_at = (unsigned)pdu->n.offset - 20;
    if (is_null) {
        proto_item_append_text(item, " (NULL)");
    }
    if (pdu->first_pass && !is_null) {
        if (!pdu->is_response) {
            call_learn_handle(pdu, &handle);
        } else if (pdu->op->effect == OPENS_QUERY && pdu->outcome != CALL_FAILED) {
            call_learn_opened(pdu, &handle);
        }
    }
    /* A second request, or answer, may have another handle. */
    if (call->query != NULL && guid_cmp(&call->query->handle, &handle) == 0) {
        info_query(pdu, call->query);
        show_query(pdu, item);
    }
}

/* An answer does not say of which query it is; its request did. */
static void
show_query_of_request(const struct pdu *pdu)
{
    const struct query *query = pdu->call->query;
    proto_item *item;

    if (pdu->n.tree != NULL) {
        item = proto_tree_add_guid(pdu->n.tree, hf_perflibv2_handle, pdu->n.tvb, 0, 0, &query->handle);
        proto_item_set_generated(item);
        show_query_number(pdu, item);
    }
    info_query(pdu, query);
}

/* What an array's own count says of its bytes, and what the parameter says that should equal it. */
struct array_size {
    struct ndr_counts counts;
    uint64_t counted, stated; /* in bytes */
    const char *stated_name;
    bool is_possible; /* no more than the client has room for */
};

/* The bytes there are for lpData at offset: behind it stands the return code or dwAdd, 4 bytes, aligned. */
static unsigned
lpdata_room(const struct pdu *pdu, unsigned offset)
{
    const unsigned total = tvb_reported_length(pdu->n.tvb);
    const unsigned last = total >= 4 ? (total - 4) & ~3u : 0;

    return last > offset ? last - offset : 0;
}

/* Where lpData stands. */
struct perflibv2_place {
    unsigned size;    /* its bytes in the stub */
    unsigned sent;    /* its bytes on the wire: more where a fragment is missing, */
    unsigned trusted; /* and so many of the first stand before the gap */
    bool lacks_fragment;
};

/* No fragment but the last is shorter: every implementation receives more ([C706] 12.6.3.1). */
#define LEAST_FRAGMENT 1024

/*
 * How much of a stub of which whole fragments are missing stands before the first gap, as far as can be known: the
 * first fragment, which was seen. All but the last are of one size, which therefore divides what is there of them and
 * what is missing; the smallest such size is safe.
 */
static unsigned
least_first_fragment(unsigned there, uint64_t missing, unsigned last)
{
    const unsigned least = MAX(last, LEAST_FRAGMENT);
    uint64_t divisor = there - MIN(there, last), rest = missing;

    while (rest != 0) {
        const uint64_t next = divisor % rest;

        divisor = rest;
        rest = next;
    }
    for (uint64_t parts = divisor / least; parts > 0; parts--) {
        if (divisor % parts == 0) {
            return (unsigned)(divisor / parts);
        }
    }
    return 0;
}

/*
 * Whether fragments of the stub are missing: both counts agree, on more than there is. Wireshark hands over what it has
 * as whole. sent: the stub's bytes on the wire. *trusted receives how many of the first stand before the gap.
 */
static bool
lacks_fragment(const struct pdu *pdu, uint64_t sent, unsigned *trusted)
{
    const unsigned there = tvb_reported_length(pdu->n.tvb);
    struct rpc_pdu header;
    unsigned size;

    /* A stub that lies in the packet as it came was not put together of fragments. */
    if (tvb_raw_offset(pdu->n.tvb) != 0 || sent > INT32_MAX) {
        return false;
    }
    *trusted = 0;
    if (rpc_pdu_find(pdu->n.pinfo, pdu->n.di, &header)) {
        if ((header.flags & PDU_FLAG_FIRST_FRAG) && (header.flags & PDU_FLAG_LAST_FRAG)) {
            return false;
        }
        size = rpc_pdu_stub_size(&header);
        *trusted = header.flags & PDU_FLAG_LAST_FRAG ? least_first_fragment(there, sent - there, size) : size;
    }
    return true;
}

static bool
ends_the_stub(const struct pdu *pdu, unsigned offset, uint64_t size)
{
    const unsigned room = lpdata_room(pdu, offset);

    return size <= room && ((offset + (unsigned)size + 3) & ~3u) == offset + room;
}

/*
 * Where lpData at offset ends. Either count may lie; what must follow lpData is looked for at the stub's end where they
 * can't be true.
 */
static struct perflibv2_place
lpdata_place(const struct pdu *pdu, unsigned offset, const struct array_size *size)
{
    const unsigned room = lpdata_room(pdu, offset);
    struct perflibv2_place place = { .size = (unsigned)MIN(size->counted, room) };
    unsigned trusted;

    if (size->counted != size->stated) {
        if (!ends_the_stub(pdu, offset, size->counted) && ends_the_stub(pdu, offset, size->stated)) {
            place.size = (unsigned)size->stated;
        }
    } else if (size->counted > room && size->is_possible &&
        lacks_fragment(pdu, ((offset + size->counted + 3) & ~UINT64_C(3)) + 4, &trusted)) {
        place.size = room;
        place.sent = (unsigned)size->counted;
        place.trusted = MIN(room, trusted - MIN(trusted, offset));
        place.lacks_fragment = true;
        return place;
    }
    place.sent = place.trusted = place.size;
    return place;
}

/* Reads the counts of lpData. parameters: of the stub; out_size: of an answer, if it says so. */
static struct array_size
read_array_size(const struct pdu *pdu, struct ndr *n, unsigned parameters, uint32_t out_size)
{
    const bool in_size_known = !pdu->is_response || pdu->call->has_request;
    struct ndr_counts counts;

    if (parameters & P_VARYING) {
        const uint64_t element = pdu->op->element;
        uint64_t room;

        counts = ndr_conformant_varying(n);
        room = in_size_known ? pdu->call->in_size : counts.max;
        /* No count of a stub reaches 2^60, so the product can't overflow once it is cut. */
        return (struct array_size){
            counts,
            MIN(counts.actual, UINT64_C(1) << 40) * element,
            out_size * element,
            "pdwOutSize",
            counts.offset == 0 && counts.max == room && counts.actual <= room,
        };
    }
    /* In an answer dwInSize is the request's, which may be missing. */
    counts = ndr_conformant(n);
    return (struct array_size){ counts, counts.max, in_size_known ? pdu->said.in_size.value : counts.max, "dwInSize",
        true };
}

/*
 * Whether the call succeeded is decided once, before the answer is read: its return code stands behind the handle, or
 * lpData. An answer that lost it to a snap length is taken for good.
 */
static enum call_outcome
find_outcome(const struct pdu *pdu)
{
    const unsigned parameters = pdu->op->response;
    struct ndr n = pdu->n;

    n.tree = NULL;
    if (parameters & P_HANDLE) {
        n.offset += HANDLE_SIZE;
    } else {
        const int sizes = parameters & P_OUT_SIZES ? 2 : 0, counts = parameters & P_VARYING ? 3 : 1;
        struct array_size size;
        uint32_t out_size = 0;

        if (!tvb_bytes_exist(n.tvb, n.offset, 4 * sizes + (ndr_is_64(&n) ? 8 : 4) * counts)) {
            return CALL_OUTCOME_UNKNOWN;
        }
        if (parameters & P_OUT_SIZES) {
            out_size = ndr_uint32(&n, -1);
            ndr_uint32(&n, -1);
        }
        size = read_array_size(pdu, &n, parameters, out_size);
        n.offset += (int)lpdata_place(pdu, (unsigned)n.offset, &size).size;
    }
    ndr_align(&n, 4);
    if (!tvb_bytes_exist(n.tvb, n.offset, 4)) {
        return CALL_OUTCOME_UNKNOWN;
    }
    return ndr_uint32(&n, -1) == 0 ? CALL_SUCCEEDED : CALL_FAILED;
}

/* Whether the structures of lpData are judged: what a failed call left in its buffer is nobody's. */
static bool
is_judged(const struct pdu *pdu, const tvbuff_t *tvb)
{
    if (pdu->outcome == CALL_FAILED) {
        return false;
    }
    /* A rule of its own tells of a buffer too small for an identifier, and another of an answer that is not what was
     * sent. */
    return pdu->op->effect != CHANGES_QUERY ||
        (tvb_reported_length(tvb) >= LP_IDENTIFIER_SIZE && !(pdu->is_response && pdu->call->identifiers != NULL));
}

static void
parse_lpdata(struct pdu *pdu, tvbuff_t *tvb)
{
    struct lpdata *lp = &pdu->lp;
    wmem_allocator_t *pool = pdu->n.pinfo->pool;

    lpdata_init(lp, tvb, pool, is_judged(pdu, tvb) ? pdu->report : NULL);
    pdu->has_lpdata = true;
    lp->request_code = pdu->call->has_request ? pdu->call->request_code : 0;
    if (pdu->op->parse != NULL) {
        pdu->op->parse(lp);
    }
    lp->report = pdu->report;
}

/* Whether anybody sees what is wrong with a poll: a tree, the table of verdicts, or the expert information. */
static bool
findings_are_wanted(const struct pdu *pdu)
{
    return pdu->n.tree != NULL || have_tap_listener(tap_perflibv2) || have_tap_listener(tap_expert);
}

static void
show_lpdata(struct pdu *pdu, proto_tree *tree)
{
    struct lpdata_view view = {
        .pinfo = pdu->n.pinfo,
        .lp = &pdu->lp,
        .server = pdu->call->server,
        .poll = pdu->poll,
        .values = pdu->values,
        .counterset = pdu_counterset(pdu),
        .is_request = !pdu->is_response,
        .guid_encoding = ndr_encoding(&pdu->n),
    };

    if (pdu->op->show != NULL) {
        pdu->op->show(&view, tree);
    }
    lpdata_tree_rest(&view, tree);
}

/* The countersets a poll is of, in a few words; NULL where none is known. Beyond 16 they are no longer counted. */
static const char *
poll_countersets(const struct pdu *pdu)
{
    const struct query_poll *poll = pdu->poll;
    const char *names[16];
    unsigned num_names = 0;

    for (unsigned b = 0; poll != NULL && b < poll->num_blocks && num_names < array_length(names); b++) {
        const struct query_link *link = &values_block(pdu->values, b)->link;
        const char *name = link->kind == LINK_NONE
            ? NULL
            : catalog_counterset_name(pdu->call->server, &link->set, pdu->n.pinfo->num).text;
        unsigned n = 0;

        while (n < num_names && name != NULL && strcmp(names[n], name) != 0) {
            n++;
        }
        if (n == num_names && name != NULL) {
            names[num_names++] = name;
        }
    }
    if (num_names < 2) {
        return num_names == 0 ? NULL : names[0];
    }
    return wmem_strdup_printf(pdu->n.pinfo->pool, "%s and %u%s more", names[0], num_names - 1,
        num_names < array_length(names) ? "" : "+");
}

static void
say_poll(struct pdu *pdu)
{
    const struct query_poll *poll = pdu->poll;
    const unsigned blocks = lpdata_count(pdu->lp.blocks);
    const char *set = poll_countersets(pdu);
    char digits[DIGITS_MAX];
    struct line line;

    line_begin(&line);
    line_add(&line, ", ");
    add_whole(&line, blocks);
    line_add(&line, blocks == 1 ? " block, " : " blocks, ");
    add_whole(&line, tvb_reported_length(pdu->lp.tvb));
    line_add(&line, " bytes");
    if (set != NULL) {
        line_add(&line, ", ");
        line_add(&line, set);
    }
    if (poll != NULL && poll->values->previous != NULL) {
        line_add(&line, ", interval ");
        digits_thousandths(digits, series_interval(poll->values));
        line_add(&line, digits);
        line_add(&line, " s");
    }
    info_text(pdu, line.text);
}

static void
say_countersets(struct pdu *pdu)
{
    info_count(pdu, tvb_reported_length(pdu->lp.tvb) / LP_GUID_SIZE, "counterset");
}

/* So much of a text that is the answer stands in the Info column. */
#define INFO_TEXT_MAX 80

/* What an answer to a request for registration information holds, in the words that tell most. */
static void
say_registration(struct pdu *pdu)
{
    const struct call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;
    wmem_allocator_t *pool = pdu->n.pinfo->pool;
    const char *what = call->has_request ? lpdata_request_code_text(call->request_code) : NULL;
    const char *set =
        what == NULL ? NULL : catalog_counterset_name(call->server, &call->counterset, pdu->n.pinfo->num).text;
    const char *counter;

    if (what == NULL) {
        info_count(pdu, tvb_reported_length(lp->tvb), "byte");
        return;
    }
    switch (call->request_code) {
    case PERF_REG_COUNTERSET_STRUCT: info_count(pdu, lpdata_count(lp->counters), "counter"); break;
    case PERF_REG_COUNTER_STRUCT:
        info(pdu, "%s %u", what, call->request_lcid);
        counter = catalog_counter_name(call->server, &call->counterset, call->request_lcid, pdu->n.pinfo->num).text;
        if (counter != NULL) {
            info(pdu, "%s", counter);
        }
        break;
    case PERF_REG_COUNTER_NAME_STRINGS:
    case PERF_REG_COUNTER_HELP_STRINGS:
    case PERF_REG_COUNTER_ENGLISH_NAMES: info(pdu, "%u %s", lpdata_count(lp->strings), what); break;
    case PERF_REG_PROVIDER_GUID:
        if (lp->has_provider) {
            info(pdu, "%s {%s}", what, guid_to_str(pool, &lp->provider));
        }
        break;
    default:
        info(pdu, "%s \"%s\"", what,
            line_text_max(pool, utf16_line(pool, lp->tvb, 0, lp->string, ENC_LITTLE_ENDIAN), INFO_TEXT_MAX));
        /* The answer is the name. */
        if (call->request_code != PERF_REG_COUNTERSET_HELP_STRING && call->request_code != PERF_REG_PROVIDER_NAME) {
            set = NULL;
        }
        break;
    }
    if (set != NULL) {
        info(pdu, "%s", set);
    }
}

static void
say_instances(struct pdu *pdu)
{
    info_count(pdu, pdu->lp.num_instances, "instance");
}

static void
say_identifiers(struct pdu *pdu)
{
    info_count(pdu, lpdata_count(pdu->lp.identifiers), "identifier");
}

/* Of a ValidateCounters request, or of what came of it. */
static void
say_change(struct pdu *pdu)
{
    const struct call *call = pdu->call;
    const unsigned identifiers = lpdata_count(pdu->lp.identifiers);

    if (!pdu->is_response) {
        info(pdu, "%s %u identifier%s", call->add ? "add" : "remove", identifiers, plurality(identifiers, "", "s"));
        return;
    }
    for (unsigned i = 0; i < identifiers; i++) {
        pdu->refused += lpdata_identifier(&pdu->lp, i)->status != 0;
    }
    info(pdu, "%s %u, refused %u",
        !call->has_request ? "accepted"
            : call->add    ? "added"
                           : "removed",
        identifiers - pdu->refused, pdu->refused);
}

/* What the values of this answer come to. A poll is of the answer that taught it, and of no other. */
static const struct query_poll *
poll_of(const struct pdu *pdu)
{
    const struct query_poll *poll = pdu->call->poll;

    if (pdu->is_extra || poll == NULL || poll->num_blocks != lpdata_count(pdu->lp.blocks) ||
        poll->num_values != pdu->lp.num_values) {
        return NULL;
    }
    return poll;
}

/* What lpData holds, for its line: ", 11 blocks"; "": nothing that is counted. */
static const char *
lpdata_content(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const struct {
        unsigned count;
        const char *noun;
    } all[] = {
        { lpdata_count(lp->blocks), "block" },
        { lpdata_count(lp->identifiers), "identifier" },
        { lp->num_instances, "instance" },
        { lpdata_count(lp->counters), "counter" },
        { lpdata_count(lp->strings), "string" },
    };

    for (size_t i = 0; pdu->has_lpdata && i < array_length(all); i++) {
        if (all[i].count > 0) {
            return wmem_strdup_printf(pdu->n.pinfo->pool, ", %s",
                count_text(pdu->n.pinfo->pool, all[i].count, all[i].noun));
        }
    }
    return "";
}

/* The item of lpData; returns the tree below it. */
static proto_tree *
add_lpdata(const struct pdu *pdu, unsigned offset, const struct perflibv2_place *place)
{
    packet_info *pinfo = pdu->n.pinfo;
    const unsigned captured = tvb_captured_length(pdu->n.tvb);
    const unsigned there = captured > offset ? MIN(place->size, captured - offset) : 0;
    proto_item *item = NULL;

    if (pdu->n.tree != NULL) {
        item =
            proto_tree_add_bytes_format_value(pdu->n.tree, hf_perflibv2_lpdata, pdu->n.tvb, (int)MIN(offset, captured),
                (int)there, NULL, "%s%s", place->sent == 0 ? "empty" : count_text(pinfo->pool, place->sent, "byte"),
                perflib_tree_is_seen(pdu->n.tree) ? lpdata_content(pdu) : "");
    }
    if (place->lacks_fragment) {
        expert_add_info_format(pinfo, item, &ei_perflibv2_fragment_missing,
            "A fragment is missing: of %u bytes of lpData %u are there, and those from byte %u on "
            "may stand behind the gap",
            place->sent, place->size, place->trusted);
    }
    return item == NULL || place->sent == 0 ? NULL : proto_item_add_subtree(item, ett_perflibv2_lpdata);
}

/* What is learned of lpData, judged and said in the Info column. */
static void
take_lpdata(struct pdu *pdu)
{
    const bool is_taken = pdu->outcome != CALL_FAILED;

    if (pdu->is_response && is_taken) {
        if (pdu->first_pass && pdu->op->learn != NULL) {
            pdu->op->learn(pdu);
        }
        pdu->poll = poll_of(pdu);
    } else if (!pdu->is_response && pdu->first_pass) {
        call_learn_sent(pdu);
    }
    pdu->values = values_new(&pdu->lp, pdu->poll, pdu->n.pinfo->pool);
    if (pdu->first_pass) {
        values_claim_names(pdu->values);
    }
    if (is_taken) {
        if (findings_are_wanted(pdu)) {
            rules_check_buffer(pdu);
        }
        if (pdu->op->say != NULL) {
            pdu->op->say(pdu);
        }
    }
}

/* What a file of lpData is called: "QueryCounterData-response-query-1". */
static void
export_lpdata(const struct pdu *pdu)
{
    wmem_allocator_t *pool = pdu->n.pinfo->pool;
    const struct query *query = pdu->call->query;
    const char *what;

    if (!have_tap_listener(tap_export)) {
        return;
    }
    what = wmem_strdup_printf(pool, "%s %s", pdu->op->name, pdu->is_response ? "response" : "request");
    if (query != NULL) {
        what = wmem_strdup_printf(pool, "%s, query %u", what, query->number);
    } else if ((pdu->op->request & P_COUNTERSET) && pdu->call->has_request) {
        what = wmem_strdup_printf(pool, "%s, %s", what, guid_to_str(pool, &pdu->call->counterset));
    }
    if (pdu->op->request & P_REQUEST_CODE && pdu->call->has_request) {
        what = wmem_strdup_printf(pool, "%s, code %u", what, pdu->call->request_code);
    }
    export_object_add(tap_export, pdu->n.pinfo, pdu->lp.tvb, server_host(pdu->call->server), what, what, ".lpdata");
}

static void
dissect_lpdata(struct pdu *pdu, const struct perflibv2_place *place)
{
    const unsigned offset = (unsigned)pdu->n.offset;
    const unsigned captured = tvb_captured_length(pdu->n.tvb);
    const unsigned there = captured > offset ? MIN(place->trusted, captured - offset) : 0;

    pdu->n.offset += (int)place->size;
    if (place->sent == 0) {
        add_lpdata(pdu, offset, place);
        return;
    }
    if (!place->lacks_fragment) {
        /* Throws where nothing of it was captured. */
        tvb_ensure_bytes_exist(pdu->n.tvb, (int)offset, 1);
    }
    parse_lpdata(pdu, tvb_new_subset_length_caplen(pdu->n.tvb, (int)offset, (int)there, (int)place->sent));
    pdu->lp.is_cut = pdu->lp.is_cut || place->lacks_fragment;
    take_lpdata(pdu);
    export_lpdata(pdu);
    if (place->lacks_fragment) {
        info(pdu, "fragment missing");
    }
    /* What follows lpData is read all the same where its tree grows beyond what Wireshark allows. */
    TRY
    {
        show_lpdata(pdu, add_lpdata(pdu, offset, place));
    }
    CATCH(DissectorError)
    {
        pdu->tree_ended = wmem_strdup(pdu->n.pinfo->pool, GET_MESSAGE == NULL ? "" : GET_MESSAGE);
    }
    ENDTRY;
}

/* lpData and its counts, as the parameters of the stub have it. */
static void
dissect_array(struct pdu *pdu, unsigned parameters)
{
    const struct array_size size = read_array_size(pdu, &pdu->n, parameters, pdu->said.out_size.value);
    const unsigned offset = (unsigned)pdu->n.offset, room = lpdata_room(pdu, offset);
    const unsigned width = ndr_is_64(&pdu->n) ? 8 : 4;
    const struct perflibv2_place place = lpdata_place(pdu, offset, &size);
    struct ndr after = pdu->n;

    if (parameters & P_VARYING) {
        pdu->said.array_at = offset - 3 * width;
        pdu->said.array_offset_at = offset - 2 * width;
        pdu->said.array_max = size.counts.max;
        pdu->said.array_offset = size.counts.offset;
        pdu->said.have |= STUB_ARRAY;
    }
    if (!place.lacks_fragment) {
        rules_check(pdu->stub_report, RULE_LPDATA_COUNT, size.counted == size.stated && size.counted <= room,
            offset - width, width, "lpData counts %" PRIu64 " bytes, %s says %" PRIu64 ", and the stub has room for %u",
            size.counted, size.stated_name, size.stated, room);
    }
    /* dwAdd says what the buffer is for, so it is read first. */
    after.tree = NULL;
    after.offset += (int)place.size;
    ndr_align(&after, 4);
    if (!pdu->is_response && pdu->first_pass && tvb_bytes_exist(after.tvb, after.offset, 4)) {
        pdu->call->add = ndr_uint32(&after, -1) != 0;
    }
    dissect_lpdata(pdu, &place);
}

/* Whether the client offered no room at all, to learn the size. */
static bool
is_size_probe(const struct pdu *pdu)
{
    return pdu->call->has_request && pdu->call->in_size == 0 && (pdu->op->response & P_OUT_SIZES);
}

static void
dissect_return_code(struct pdu *pdu)
{
    wmem_allocator_t *pool = pdu->n.pinfo->pool;
    const struct stub_value read = read_said(pdu, -1);
    const uint32_t code = read.value;
    proto_item *item =
        proto_tree_add_uint(pdu->n.tree, hf_perflibv2_return_code, pdu->n.tvb, (int)read.offset, 4, code);
    const char *name;

    pdu->said.return_code = read;
    pdu->said.have |= STUB_RETURN_CODE;
    if (pdu->first_pass) {
        call_learn_result(pdu);
    }
    if (code == 0) {
        return;
    }
    lpdata_tree_pdh(pdu->n.tree, pdu->n.tvb, code);
    name = win32_error_name(pool, code);
    if (pdu_is_too_small(pdu)) {
        const char *what = is_size_probe(pdu) ? "size probe" : "buffer too small";
        const char *needed = wmem_strdup_printf(pool, "%s needed",
            count_text(pool, pdu->said.return_size.value, pdu->op->element == 1 ? "byte" : "GUID"));

        expert_add_info_format(pdu->n.pinfo, item, &ei_perflibv2_too_small, "%s: %s", what, needed);
        info(pdu, "%s", what);
        info(pdu, "%s", needed);
    } else {
        expert_add_info_format(pdu->n.pinfo, item, &ei_perflibv2_failed, "%s", name);
    }
    info(pdu, "%s", name);
}

static struct pdu *
pdu_begin(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep,
    bool is_response)
{
    struct pdu *pdu = wmem_new0(pinfo->pool, struct pdu);
    struct call *call = call_of(di);

    fragment_text_drop(tvb, pinfo, di, "PerflibV2");
    pdu->n = (struct ndr){ .tvb = tvb, .offset = offset, .pinfo = pinfo, .tree = tree, .di = di, .drep = drep };
    pdu->op = &operations[di->call_data->opnum];
    pdu->is_response = is_response;
    pdu->call = call;
    pdu->is_extra = is_response && !answer_place_is_own(&call->place, pinfo, proto_perflibv2);
    pdu->first_pass = is_response ? !pdu->is_extra && !call->answered : !call->asked;
    pdu->stub_report = rules_report_new(pinfo->pool, have_tap_listener(tap_perflibv2));
    pdu->report = rules_report_new(pinfo->pool, have_tap_listener(tap_perflibv2));
    pdu->said = (struct pdu_stub){
        .op = pdu->op,
        .is_response = is_response,
        .has_request = call->has_request,
        .in_size.value = call->in_size,
        .request_code.value = call->request_code,
        .request_lcid.value = call->request_lcid,
    };
    if (is_response) {
        pdu->outcome = find_outcome(pdu);
    }
    call_begin(pdu);
    if (!is_response && pdu->first_pass) {
        call->request_frame = pinfo->num;
    }
    return pdu;
}

static void
request_parameters(struct pdu *pdu)
{
    const unsigned parameters = pdu->op->request;

    if (parameters & P_MACHINE) {
        dissect_machine(pdu);
    }
    if (parameters & P_COUNTERSET) {
        dissect_counterset(pdu);
    }
    if (parameters & P_REQUEST_CODE) {
        dissect_request_code(pdu);
    }
    if (parameters & P_HANDLE) {
        dissect_handle(pdu);
    }
    if (parameters & P_IN_SIZE) {
        pdu->said.in_size = read_said(pdu, hf_perflibv2_in_size);
        pdu->said.have |= STUB_IN_SIZE;
        if (pdu->first_pass) {
            pdu->call->in_size = pdu->said.in_size.value;
        }
    }
    if (parameters & P_CONFORMANT) {
        dissect_array(pdu, parameters);
    }
    if (parameters & P_ADD) {
        pdu->said.add = read_said(pdu, -1);
        pdu->said.have |= STUB_ADD;
        proto_tree_add_boolean(pdu->n.tree, hf_perflibv2_add, pdu->n.tvb, (int)pdu->said.add.offset, 4,
            pdu->said.add.value);
    }
}

static void
response_parameters(struct pdu *pdu)
{
    const unsigned parameters = pdu->op->response;

    if (pdu->call->query != NULL && pdu->op->effect != OPENS_QUERY) {
        show_query_of_request(pdu);
    }
    if (parameters & P_HANDLE) {
        dissect_handle(pdu);
    }
    if (parameters & P_OUT_SIZES) {
        pdu->said.out_size = read_said(pdu, hf_perflibv2_out_size);
        pdu->said.return_size = read_said(pdu, hf_perflibv2_return_size);
        pdu->said.have |= STUB_OUT_SIZES;
    }
    if (parameters & (P_VARYING | P_CONFORMANT)) {
        dissect_array(pdu, parameters);
    }
}

static const char *
operation_text(wmem_allocator_t *scope, const struct rpc_call *call)
{
    if (!call->has_opnum) {
        return "operation not known";
    }
    return call->opnum < NUM_OPS ? operations[call->opnum].name
                                 : wmem_strdup_printf(scope, "Operation %u", call->opnum);
}

/* The record of a PDU of a call, as far as its query and operation go. op NULL: unknown. */
static struct perflibv2_tap *
perflibv2_new_tapped(packet_info *pinfo, const struct operation *op, const struct call *call, bool is_response)
{
    const struct query *query = call == NULL ? NULL : call->query;
    struct perflibv2_tap *tapped = wmem_new0(pinfo->pool, struct perflibv2_tap);

    if (op != NULL) {
        tapped->operation = op->name;
        tapped->is_open = op->effect == OPENS_QUERY;
        tapped->is_change = op->effect == CHANGES_QUERY;
    }
    tapped->is_response = is_response;
    tapped->add = call != NULL && call->add;
    if (query != NULL) {
        tapped->query = (struct perflibv2_tap_query){
            query,
            query->handle,
            server_host(query->server),
            query->opened_in,
            query->closed_in,
        };
    }
    return tapped;
}

static void
tap_call(const struct pdu *pdu)
{
    const packet_info *pinfo = pdu->n.pinfo;
    struct perflibv2_tap *tapped;

    if (!have_tap_listener(tap_perflibv2)) {
        return;
    }
    tapped = perflibv2_new_tapped(pdu->n.pinfo, pdu->op, pdu->call, pdu->is_response);
    tapped->rules[0] = (struct perflibv2_tap_rules){ pdu->stub_report->checked, pdu->stub_report->broken };
    tapped->rules[1] = (struct perflibv2_tap_rules){ pdu->report->checked, pdu->report->broken };
    tapped->bytes = pdu_bytes(pdu);
    tapped->too_small = pdu_is_too_small(pdu) && !pdu->is_extra;
    tapped->asking = pdu->is_extra ? NULL : pdu->call->asking;
    tapped->has_return_code = pdu_has_return_code(pdu);
    tapped->return_code = pdu->said.return_code.value;
    tapped->is_size_probe = !pdu->is_extra && is_size_probe(pdu);
    if (pdu->has_lpdata) {
        tapped->size = tvb_reported_length(pdu->lp.tvb);
    }
    /* Of a call that failed, or was answered before, nothing counts but its return code. */
    if (pdu->has_lpdata && pdu->outcome != CALL_FAILED && !pdu->is_extra) {
        tapped->identifiers = lpdata_count(pdu->lp.identifiers);
        tapped->refused = pdu->refused;
    }
    if (pdu->is_response) {
        tapped->asks_values = pdu->n.di->call_data->opnum == OP_QUERY_COUNTER_DATA;
        tapped->num_values = pdu->has_lpdata && pdu->outcome != CALL_FAILED ? pdu->lp.num_values : 0;
        tapped->is_poll = pdu->poll != NULL;
        if (pdu->poll != NULL && pdu->poll->values->previous != NULL) {
            tapped->interval = series_interval(pdu->poll->values);
            tapped->has_interval = tapped->interval >= 0;
        }
        tapped->response_time =
            rpc_response_time(pdu->n.di->call_data->req_frame, &pdu->n.di->call_data->req_time, pinfo);
    }
    tap_queue_packet(tap_perflibv2, pdu->n.pinfo, tapped);
}

/* A PDU that is not dissected, as it was sealed and could not be opened. */
static void
perflibv2_tap_unread(const struct rpc_unread *unread, packet_info *pinfo)
{
    const struct rpc_call *call = unread->call;

    if (have_tap_listener(tap_perflibv2)) {
        struct perflibv2_tap *tapped = perflibv2_new_tapped(pinfo, NULL, NULL, unread->is_response);

        tapped->operation = operation_text(pinfo->pool, call);
        tapped->is_last = unread->is_last;
        tapped->unread = unread->reason;
        tapped->needed = unread->needed;
        tapped->size = unread->size;
        tapped->is_poll = unread->is_response && call->has_opnum && call->opnum == OP_QUERY_COUNTER_DATA;
        tapped->query.host = server_host(server_of(pinfo, unread->is_response));
        tapped->response_time = rpc_response_time(call->request_frame, &call->request_time, pinfo);
        tap_queue_packet(tap_perflibv2, pinfo, tapped);
    }
    missing_needed(pinfo, unread->needed);
    if (unread->needed != NULL && have_tap_listener(tap_poll)) {
        struct perf_tap_poll *tapped = wmem_new0(pinfo->pool, struct perf_tap_poll);

        tapped->needed = unread->needed;
        tap_queue_packet(tap_poll, pinfo, tapped);
    }
}

/* Every value of the poll, for the tables of values. */
static void
perflibv2_tap_values(const struct pdu *pdu)
{
    struct perf_tap_poll *record;
    nstime_t response_time;

    if (pdu->poll != NULL && have_tap_listener(tap_poll)) {
        record = values_record(pdu->values);
        record->bytes = pdu_bytes(pdu);
        if (pdu->call->has_request) {
            response_time =
                rpc_response_time(pdu->n.di->call_data->req_frame, &pdu->n.di->call_data->req_time, pdu->n.pinfo);
            record->seconds = nstime_to_sec(&response_time);
        }
        tap_queue_packet(tap_poll, pdu->n.pinfo, record);
    }
}

/* What was asked for, and what became of it. */
static void
perflibv2_tap_missing(const struct pdu *pdu)
{
    const uint32_t code = pdu->said.return_code.value;

    if (!pdu->is_extra) {
        missing_tell_pdu(pdu,
            (struct perf_tap_why){ pdu->is_response && !pdu_has_return_code(pdu) ? WHY_RETURN_CODE_NOT_CAPTURED
                    : code != 0                                                  ? WHY_ERROR
                                                                                 : WHY_RECEIVED,
                .status = code });
    }
}

/* What can only be said at the end. */
static void
pdu_end(struct pdu *pdu)
{
    unsigned next = 0;

    if (pdu->first_pass) {
        call_learn_end(pdu);
        if (!pdu->is_response) {
            pdu->call->request_bytes = pdu_bytes(pdu);
            efficiency_learn_request(pdu);
        } else if (pdu->call->has_request) {
            efficiency_learn_answer(pdu);
        }
    }
    if (findings_are_wanted(pdu)) {
        rules_check_session(pdu->stub_report, pdu->call, &pdu->said);
        rules_check_stub(pdu->stub_report, pdu->call, &pdu->said);
        rules_order(pdu->stub_report);
    }
    tap_call(pdu);
    perflibv2_tap_values(pdu);
    perflibv2_tap_missing(pdu);
    rules_show(pdu->stub_report, &next, UINT32_MAX, pdu->n.pinfo, pdu->n.tree, pdu->n.tvb);
    if (!pdu->is_extra) {
        asking_show(pdu->call->asking, pdu->is_response, &asking_items, pdu->n.pinfo, pdu->n.tree, pdu->n.tvb);
    }
    if (!pdu->is_response && pdu->call->asking != NULL && pdu->call->asking->other_server != NULL) {
        proto_tree_add_expert_format(pdu->n.tree, pdu->n.pinfo, &ei_perflibv2_machine_other, pdu->n.tvb,
            (int)pdu->said.machine_text_at, 2 * (int)pdu->said.machine_actual, "%s", pdu->call->asking->other_server);
    }
}

/*
 * A capture's snap length throws in the middle of a stub. What was found up to there is shown all the same; the
 * exception then goes on to packet-dcerpc, which says what happened.
 */
static int
dissect_pdu(struct pdu *pdu, void (*parameters)(struct pdu *pdu))
{
    if (pdu->first_pass) {
        call_learn_begin(pdu);
    }
    TRY
    {
        parameters(pdu);
        if (pdu->has_lpdata && pdu->lp.is_cut) {
            tvb_ensure_bytes_exist(pdu->n.tvb, 0, (int)tvb_reported_length(pdu->n.tvb));
        }
        if (pdu->is_response) {
            dissect_return_code(pdu);
        } else {
            pdu->call->has_request = true;
        }
        if (pdu->tree_ended != NULL) {
            THROW_MESSAGE(DissectorError, pdu->tree_ended);
        }
    }
    FINALLY
    {
        pdu_end(pdu);
        if (!pdu->is_extra) {
            *(pdu->is_response ? &pdu->call->answered : &pdu->call->asked) = true;
        }
    }
    ENDTRY;
    return pdu->n.offset;
}

static int
skip_pdu(struct pdu *pdu)
{
    proto_tree_add_expert(pdu->n.tree, pdu->n.pinfo, &ei_perflibv2_no_beginning, pdu->n.tvb, 0,
        (int)tvb_captured_length(pdu->n.tvb));
    if (!pdu->is_response && pdu->first_pass) {
        call_learn_unread(pdu);
    }
    info(pdu, "beginning not captured");
    return (int)tvb_reported_length(pdu->n.tvb);
}

static int
perflibv2_dissect_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di,
    uint8_t *drep)
{
    struct pdu *pdu = pdu_begin(tvb, offset, pinfo, tree, di, drep, false);

    rpc_call_note(di, &listener, pdu->call);
    if (rpc_stub_lacks_beginning()) {
        return skip_pdu(pdu);
    }
    return dissect_pdu(pdu, request_parameters);
}

static int
perflibv2_dissect_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di,
    uint8_t *drep)
{
    struct pdu *pdu = pdu_begin(tvb, offset, pinfo, tree, di, drep, true);

    if (rpc_stub_lacks_beginning()) {
        return skip_pdu(pdu);
    }
    if (!pdu->call->has_request) {
        proto_tree_add_expert(tree, pinfo, &ei_perflibv2_no_request, tvb, offset, 0);
    }
    if (pdu->is_extra) {
        proto_tree_add_expert_format(tree, pinfo, &ei_perflibv2_second_answer, tvb, offset, 0,
            "The call was answered in frame %u already", pdu->call->place.frame);
    }
    return dissect_pdu(pdu, response_parameters);
}

static proto_tree *
perflibv2_show_fault(const struct rpc_fault *fault, const char *operation, tvbuff_t *tvb, packet_info *pinfo,
    proto_tree *root)
{
    const struct rpc_call *call = fault->call;
    proto_item *item;
    proto_tree *tree;

    if (root == NULL) {
        return NULL;
    }
    item = proto_tree_add_protocol_format(proto_tree_get_root(root), proto_perflibv2, tvb, 0,
        (int)tvb_captured_length(tvb), "Performance Counter Query Protocol, %s", operation);
    tree = proto_item_add_subtree(item, ett_perflibv2);
    if (call->has_opnum) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf_perflibv2_opnum, tvb, 0, 0, call->opnum));
    }
    rpc_fault_show(fault, &fault_items, operation, pinfo, tree, tvb);
    return tree;
}

/* A fault in place of an answer: nothing was changed, and nothing is returned. */
static void
perflibv2_dissect_fault(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    const struct rpc_call *told = fault->call;
    const char *operation = operation_text(pinfo->pool, told);
    const char *text = rpc_fault_text_of(pinfo->pool, fault);
    struct perflibv2_tap *tapped;
    struct pdu pdu = {
        .n = { .tvb = tvb, .pinfo = pinfo },
        .op = told->has_opnum && told->opnum < NUM_OPS ? &operations[told->opnum] : NULL,
        .is_response = true,
        .call = (struct call *)told->state,
        .outcome = CALL_FAILED,
        .said = { .is_response = true, .is_refused = fault->has_status && rpc_fault_is_refusal(fault->status) },
        .stub_report = rules_report_new(pinfo->pool, have_tap_listener(tap_perflibv2)),
    };

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "PerflibV2");
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s response", operation);
    pdu.n.tree = perflibv2_show_fault(fault, operation, tvb, pinfo, tree);
    if (pdu.op != NULL && pdu.call != NULL) {
        pdu.is_extra = !answer_place_is_own(&pdu.call->place, pinfo, proto_perflibv2);
        if (!pdu.is_extra && !pdu.call->answered) {
            call_learn_fault(&pdu, fault);
        }
        if (pdu.call->query != NULL) {
            show_query_of_request(&pdu);
        }
        rules_check_session(pdu.stub_report, pdu.call, &pdu.said);
    }
    info(&pdu, "fault %s", text);
    if (pdu.op != NULL && pdu.call != NULL && !pdu.is_extra) {
        missing_tell_pdu(&pdu,
            (struct perf_tap_why){ fault->has_status ? WHY_FAULT : WHY_FAULT_NOT_CAPTURED, .status = fault->status });
    }
    if (have_tap_listener(tap_perflibv2)) {
        tapped = perflibv2_new_tapped(pinfo, pdu.op, pdu.call, true);
        tapped->operation = operation;
        tapped->is_fault = true;
        tapped->fault = fault->status;
        tapped->bytes = pdu.call != NULL ? pdu.call->request_bytes : 0;
        tapped->rules[0] = (struct perflibv2_tap_rules){ pdu.stub_report->checked, pdu.stub_report->broken };
        tap_queue_packet(tap_perflibv2, pinfo, tapped);
    }
}

static void
lacks_request(void *state, const struct rpc_lack *lack, const packet_info *pinfo)
{
    const struct call *call = (const struct call *)state;

    if (!lack->has_opnum || (lack->opnum < NUM_OPS && operations[lack->opnum].effect != NO_EFFECT)) {
        connections_lack_request(call == NULL ? NULL : call->connection.connection, lack, pinfo);
    }
}

static const struct rpc_listener listener = { perflibv2_dissect_fault, perflibv2_tap_unread, lacks_request };

/* Names without the prefix every one of them has: they stand in the Info column. */
static const struct operation operations[NUM_OPS] = {
    [OP_ENUMERATE_COUNTER_SET] = {
        .name = "EnumerateCounterSet",
        .request = P_MACHINE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = LP_GUID_SIZE,
        .max_in_size = 256,
        .codes = { WIN32_NOT_ENOUGH_MEMORY, WIN32_OUTOFMEMORY },
        .parse = lpdata_parse_guids,
        .judge = rules_check_guids,
        .show = lpdata_tree_guids,
        .say = say_countersets,
        .judge_stub = rules_check_enumeration,
    },
    [OP_QUERY_REGISTRATION_INFO] = {
        .name = "QueryCounterSetRegistrationInfo",
        .request = P_MACHINE | P_COUNTERSET | P_REQUEST_CODE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 134217728,
        .codes = { WIN32_INVALID_PARAMETER, WIN32_WMI_GUID_NOT_FOUND, WIN32_NOT_ENOUGH_MEMORY,
                   WIN32_WMI_ITEMID_NOT_FOUND },
        .parse = lpdata_parse_registration,
        .learn = call_learn_registration,
        .judge = rules_check_registration,
        .show = lpdata_tree_registration,
        .say = say_registration,
        .judge_stub = rules_check_registration_call,
    },
    [OP_ENUMERATE_INSTANCES] = {
        .name = "EnumerateCounterSetInstances",
        .request = P_MACHINE | P_COUNTERSET | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 67108864,
        .codes = { WIN32_WMI_GUID_NOT_FOUND, WIN32_NOT_ENOUGH_MEMORY, WIN32_WMI_INSTANCE_NOT_FOUND,
                   WIN32_WMI_INVALID_REGINFO, WIN32_OUTOFMEMORY },
        .parse = lpdata_parse_instances,
        .learn = call_learn_instances,
        .judge = rules_check_instances,
        .show = lpdata_tree_instances,
        .say = say_instances,
        .judge_stub = rules_check_no_instances,
    },
    [OP_OPEN_QUERY_HANDLE] = {
        .name = "OpenQueryHandle",
        .request = P_MACHINE,
        .response = P_HANDLE,
        .effect = OPENS_QUERY,
        .codes = { WIN32_OUTOFMEMORY, WIN32_NO_SYSTEM_RESOURCES },
        .judge_stub = rules_check_opened,
    },
    [OP_CLOSE_QUERY_HANDLE] = {
        .name = "CloseQueryHandle",
        .request = P_HANDLE,
        .response = P_HANDLE,
        .effect = CLOSES_QUERY,
        .judge_stub = rules_check_closed,
    },
    [OP_QUERY_COUNTER_INFO] = {
        .name = "QueryCounterInfo",
        .request = P_HANDLE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 67108864,
        .codes = { WIN32_NOT_ENOUGH_MEMORY },
        .parse = lpdata_parse_identifiers,
        .learn = call_learn_map,
        .judge = rules_check_index_map,
        .show = lpdata_tree_identifiers,
        .say = say_identifiers,
    },
    [OP_QUERY_COUNTER_DATA] = {
        .name = "QueryCounterData",
        .request = P_HANDLE | P_IN_SIZE,
        .response = P_OUT_SIZES | P_VARYING,
        .element = 1,
        .max_in_size = 1073741824,
        .codes = { WIN32_NOT_ENOUGH_MEMORY },
        .parse = lpdata_parse_data,
        .learn = call_learn_poll,
        .judge = rules_check_data,
        .show = lpdata_tree_data,
        .say = say_poll,
        .judge_stub = rules_check_poll,
    },
    [OP_VALIDATE_COUNTERS] = {
        .name = "ValidateCounters",
        .request = P_HANDLE | P_IN_SIZE | P_CONFORMANT | P_ADD,
        .response = P_CONFORMANT,
        .element = 1,
        .effect = CHANGES_QUERY,
        .max_in_size = 67108864,
        .codes = { WIN32_INVALID_PARAMETER, WIN32_OUTOFMEMORY },
        .parse = lpdata_parse_identifiers,
        .learn = call_learn_change,
        .judge = rules_check_identifiers,
        .show = lpdata_tree_identifiers,
        .say = say_change,
        .judge_stub = rules_check_validation,
    },
};

/* What Wireshark asks of the table: made of it at registration. */
static value_string opnum_vals[NUM_OPS + 1];
static dcerpc_sub_dissector perflibv2_dissectors[NUM_OPS + 1];

static void
list_operations(void)
{
    for (unsigned i = 0; i < NUM_OPS; i++) {
        opnum_vals[i] = (value_string){ i, wmem_strdup_printf(wmem_epan_scope(), "PerflibV2%s", operations[i].name) };
        perflibv2_dissectors[i] = (dcerpc_sub_dissector){
            (uint16_t)i,
            operations[i].name,
            perflibv2_dissect_request,
            perflibv2_dissect_response,
        };
    }
}

/* Expert information has its tap from the first file on. */
static void
perflibv2_begin_file(void)
{
    tap_expert = find_tap_id("expert");
}

void
proto_register_perflibv2(void)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_opnum,
            { "Operation", "perflibv2.opnum", FT_UINT16, BASE_DEC, VALS(opnum_vals), 0,
                "Position of the method in the interface, from 0", HFILL } },
        { &hf_perflibv2_machine,
            { "Machine", "perflibv2.machine", FT_STRING, BASE_NONE, NULL, 0, "szMachine", HFILL } },
        { &hf_perflibv2_handle,
            { "Query handle", "perflibv2.handle", FT_GUID, BASE_NONE, NULL, 0, "RPC_HQUERY", HFILL } },
        { &hf_perflibv2_handle_attributes,
            { "Handle attributes", "perflibv2.handle.attributes", FT_UINT32, BASE_HEX, NULL, 0,
                "Attributes of the context handle, [C706]", HFILL } },
        { &hf_perflibv2_handle_opened_in,
            { "Opened in frame", "perflibv2.handle.opened_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "The answer that gave out the handle", HFILL } },
        { &hf_perflibv2_handle_closed_in,
            { "Closed in frame", "perflibv2.handle.closed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "The request that closed the handle", HFILL } },
        { &hf_perflibv2_query,
            { "Query", "perflibv2.query", FT_UINT32, BASE_DEC, NULL, 0,
                "A handle from its opening to its closing, numbered in the order of the capture", HFILL } },
        { &hf_perflibv2_in_size,
            { "Input size", "perflibv2.in_size", FT_UINT32, BASE_DEC, NULL, 0,
                "dwInSize: room the client offers; GUIDs for EnumerateCounterSet, else bytes", HFILL } },
        { &hf_perflibv2_out_size,
            { "Output size", "perflibv2.out_size", FT_UINT32, BASE_DEC, NULL, 0,
                "pdwOutSize: what is returned; GUIDs for EnumerateCounterSet, else bytes", HFILL } },
        { &hf_perflibv2_return_size,
            { "Return size", "perflibv2.return_size", FT_UINT32, BASE_DEC, NULL, 0,
                "pdwRtnSize: room needed; GUIDs for EnumerateCounterSet, else bytes", HFILL } },
        { &hf_perflibv2_request_code,
            { "Request code", "perflibv2.request_code", FT_UINT32, BASE_DEC, VALS(lpdata_request_code_vals), 0,
                "RequestCode", HFILL } },
        { &hf_perflibv2_request_lcid,
            { "Request LCID", "perflibv2.request_lcid", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &language_vals_ext, 0,
                "RequestLCID: language of the texts, 0 for the server's default", HFILL } },
        { &hf_perflibv2_add, { "Add", "perflibv2.add", FT_BOOLEAN, BASE_NONE, TFS(&tfs_add), 0, "dwAdd", HFILL } },
        { &hf_perflibv2_return_code,
            { "Return code", "perflibv2.return_code", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &win32_error_vals_ext, 0,
                "error_status_t: a Win32 error code", HFILL } },
        { &hf_perflibv2_lpdata, { "lpData", "perflibv2.lpdata", FT_BYTES, BASE_NONE, NULL, 0, "The buffer", HFILL } },
        { &hf_perflibv2_fault,
            { "Fault", "perflibv2.fault", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &rpc_fault_vals_ext, 0,
                "Status of the fault that answered the call", HFILL } },
        { &hf_perflibv2_fault_request_in,
            { "Request in frame", "perflibv2.fault.request_in", FT_FRAMENUM, BASE_NONE,
                FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0, "The request that the fault answers", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2, &ett_perflibv2_lpdata, &ett_perflibv2_handle };
    static ei_register_info ei[] = {
        { &ei_perflibv2_machine_other,
            { "perflibv2.machine.other", PI_SEQUENCE, PI_NOTE, "szMachine names another server than the one it goes to",
                EXPFILL } },
        { &ei_perflibv2_no_request,
            { "perflibv2.no_request", PI_SEQUENCE, PI_NOTE,
                "The request is not in the capture: what depends on it is not decoded", EXPFILL } },
        { &ei_perflibv2_no_beginning,
            { "perflibv2.no_beginning", PI_UNDECODED, PI_NOTE,
                "The first fragments of this PDU were not captured whole: what is left of it is not decoded",
                EXPFILL } },
        { &ei_perflibv2_fragment_missing,
            { "perflibv2.fragment_missing", PI_REASSEMBLE, PI_NOTE,
                "A fragment is missing: what may stand behind it is not decoded", EXPFILL } },
        { &ei_perflibv2_second_answer,
            { "perflibv2.second_answer", PI_SEQUENCE, PI_WARN,
                "The call was answered already: this answer is shown, and counts for nothing", EXPFILL } },
        { &ei_perflibv2_failed, { "perflibv2.failed", PI_RESPONSE_CODE, PI_NOTE, "The call failed", EXPFILL } },
        { &ei_perflibv2_handle_not_opened,
            { "perflibv2.handle.not_opened", PI_SEQUENCE, PI_NOTE, "The handle was not opened in this capture",
                EXPFILL } },
        { &ei_perflibv2_handle_not_closed,
            { "perflibv2.handle.not_closed", PI_SEQUENCE, PI_CHAT, "The handle is not closed in this capture",
                EXPFILL } },
        { &ei_perflibv2_too_small,
            { "perflibv2.too_small", PI_RESPONSE_CODE, PI_CHAT, "The client's buffer was too small", EXPFILL } },
        { &ei_perflibv2_faulted,
            { "perflibv2.faulted", PI_RESPONSE_CODE, PI_NOTE, "The call was answered with a fault", EXPFILL } },
        { &ei_perflibv2_growing_buffer,
            { "perflibv2.growing_buffer", PI_SEQUENCE, PI_NOTE,
                "The client's buffer grew step by step before the answer fitted", EXPFILL } },
        { &ei_perflibv2_poll_overlap,
            { "perflibv2.poll.overlap", PI_SEQUENCE, PI_NOTE, "The client asked again before it was answered",
                EXPFILL } },
        { &ei_perflibv2_poll_late,
            { "perflibv2.poll.late", PI_SEQUENCE, PI_NOTE, "The poll comes later than the client's own interval",
                EXPFILL } },
        { &ei_perflibv2_poll_twice,
            { "perflibv2.poll.twice", PI_SEQUENCE, PI_NOTE,
                "The client polls the same counters with another query, too", EXPFILL } },
    };
    expert_module_t *expert;
    module_t *module;

    list_operations();
    proto_perflibv2 = proto_register_protocol("Performance Counter Query Protocol", "PerflibV2", "perflibv2");
    win32_names_init();
    rpc_fault_init();
    proto_register_field_array(proto_perflibv2, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert = expert_register_protocol(proto_perflibv2);
    expert_register_field_array(expert, ei, array_length(ei));
    module = prefs_register_protocol(proto_perflibv2, NULL);
    rules_register(proto_perflibv2, expert);
    lpdata_tree_register(proto_perflibv2, expert, module);
    catalog_table_register(module);
    catalog_register(module);
    watch_register(proto_perflibv2, expert, module);
    values_register(module);
    server_init();
    queries_init();
    identity_init();
    register_init_routine(perflibv2_begin_file);
    tap_perflibv2 = register_tap("perflibv2");
    tap_poll = register_tap("perflibv2_poll");
    missing_init();
    tap_export = export_object_register(proto_perflibv2);
    PERFLIB_REGISTER_CONVERSATION_FILTER("perflibv2", "PerflibV2 Query", perflibv2_query);
}

static int
check_stub(const struct stub_sample *sample)
{
    return sample->opnum < NUM_OPS ? perflibv2_sense(sample, &operations[sample->opnum]) : 0;
}

/* Whether a request begins with a handle that some server gave out: no other interface has it. */
static bool
has_opened_handle(const struct stub_sample *sample)
{
    const uint8_t *head = sample->head;
    const bool big_endian = !sample->is_little_endian;
    e_guid_t handle;

    if (sample->is_response || !(operations[sample->opnum].request & P_HANDLE) || sample->head_length < 20 ||
        check_stub(sample) <= 0 || bytes_uint32(head, big_endian) != 0) {
        return false;
    }
    handle = bytes_guid(head + 4, big_endian);
    return queries_is_opened(&handle);
}

static bool
perflibv2_recognise(const struct stub_sample *sample, packet_info *pinfo _U_, struct stub_recognised *found)
{
    if (sample->opnum >= NUM_OPS ||
        (!perflibv2_proves(sample, &operations[sample->opnum]) && !has_opened_handle(sample))) {
        return false;
    }
    *found = (struct stub_recognised){ uuid_perflibv2, ver_perflibv2, operations[sample->opnum].name };
    return true;
}

void
proto_reg_handoff_perflibv2(void)
{
    const char *taken = dcerpc_get_proto_name(&uuid_perflibv2, ver_perflibv2);

    ndr_init();
    if (taken != NULL) {
        ws_message(
            "PerflibV2: this Wireshark decodes the interface already (as %s), so the perflib plugin leaves it alone",
            taken);
        return;
    }
    stub_check_register(&uuid_perflibv2, check_stub, &listener, "perflibv2");
    stub_recogniser_register(perflibv2_recognise);
    dcerpc_init_uuid(proto_perflibv2, ett_perflibv2, &uuid_perflibv2, ver_perflibv2, perflibv2_dissectors,
        hf_perflibv2_opnum);
}
