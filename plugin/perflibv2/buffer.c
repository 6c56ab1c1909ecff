/* buffer.c
 * lpData in its stub: finding its bounds, learning, judging and showing
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <epan/exceptions.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "base/menus.h"
#include "perflibv2/rules/checks.h"

static int tap_export = -1;

static int hf_perflibv2_lpdata = -1;

static int ett_perflibv2_lpdata = -1;

static expert_field ei_perflibv2_fragment_missing = EI_INIT;

/* Returns the bytes available for lpData at offset: the return code or dwAdd, 4 aligned bytes, follows it. */
static unsigned
lpdata_room(const struct pdu *pdu, unsigned offset)
{
    const unsigned total = tvb_reported_length(pdu->n.tvb);
    const unsigned last = total >= 4 ? (total - 4) & ~3u : 0;

    return last > offset ? last - offset : 0;
}

/* Lower limit for the size of a fragment except the last. All implementations accept 1432 bytes ([C706] 12.6.3.1). */
#define LEAST_FRAGMENT 1024

/*
 * Returns the smallest size that the first fragment of a stub with missing fragments can have; 0: none is possible. All
 * fragments but the last have one size, which divides both the bytes `there` without the last fragment (`last` bytes)
 * and those `missing`.
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
 * Returns whether fragments of the stub are missing: Wireshark hands over an incomplete stub as complete. sent: size of
 * the whole stub by its counts, which is more than the stub has. *trusted receives the number of bytes that certainly
 * precede the missing fragments.
 */
static bool
lacks_fragment(const struct pdu *pdu, uint64_t sent, unsigned *trusted)
{
    const unsigned there = tvb_reported_length(pdu->n.tvb);
    const struct session_pdu *last = pdu->session;
    unsigned size;

    /* A stub at offset 0 of its data source was reassembled; others are in the packet as received. */
    if (tvb_raw_offset(pdu->n.tvb) != 0 || sent > INT32_MAX) {
        return false;
    }
    *trusted = 0;
    if (session_pdu_is_alone(last)) {
        return false;
    }
    if (last != NULL) {
        size = rpc_pdu_stub_size(&last->header);
        *trusted = last->header.flags & PDU_FLAG_LAST_FRAG ? least_first_fragment(there, sent - there, size) : size;
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
 * Returns the bounds of lpData at offset. Its size is the NDR count or, if only dwInSize or pdwOutSize (size->stated)
 * fits the stub, that. lpData never includes the parameters at the stub's end, whose sizes are known.
 */
static struct lpdata_bounds
bounds_of(const struct pdu *pdu, unsigned offset, const struct array_size *size)
{
    const unsigned room = lpdata_room(pdu, offset);
    struct lpdata_bounds bounds = { .offset = offset, .size = (unsigned)MIN(size->counted, room) };
    unsigned trusted;

    if (size->counted != size->stated) {
        if (!ends_the_stub(pdu, offset, size->counted) && ends_the_stub(pdu, offset, size->stated)) {
            bounds.size = (unsigned)size->stated;
        }
    } else if (size->counted > room && size->is_possible &&
        lacks_fragment(pdu, ((offset + size->counted + 3) & ~UINT64_C(3)) + 4, &trusted)) {
        bounds.size = room;
        bounds.sent = (unsigned)size->counted;
        bounds.trusted = MIN(room, trusted - MIN(trusted, offset));
        bounds.lacks_fragment = true;
        return bounds;
    }
    bounds.sent = bounds.trusted = bounds.size;
    return bounds;
}

/* Reads the counts of lpData. */
static struct array_size
read_array_size(const struct pdu *pdu, struct ndr *n)
{
    const bool in_size_known = !pdu->is_response || pdu->call->has_request;
    struct ndr_counts counts;

    if (pdu_parameters(pdu) & P_VARYING) {
        const uint64_t element = pdu->op->element;
        uint64_t room;

        counts = ndr_conformant_varying(n);
        room = in_size_known ? pdu->call->in_size : counts.max;
        /* Counts may be up to 2^60, so the product could overflow without MIN(). */
        return (struct array_size){
            counts,
            MIN(counts.actual, UINT64_C(1) << 40) * element,
            pdu->said.out_size.value * element,
            "pdwOutSize",
            counts.offset == 0 && counts.max == room && counts.actual <= room,
        };
    }
    /* An answer does not contain dwInSize. It is taken from the request, which may be missing. */
    counts = ndr_conformant(n);
    return (struct array_size){ counts, counts.max, in_size_known ? pdu->said.in_size.value : counts.max, "dwInSize",
        true };
}

/* Reads the counts of lpData at n, and finds its bounds. */
static void
find_lpdata(struct pdu *pdu, struct ndr *n)
{
    pdu->size = read_array_size(pdu, n);
    pdu->bounds = bounds_of(pdu, (unsigned)n->offset, &pdu->size);
}

/* Returns whether lpData is checked against rules: after a failed call the buffer has no meaning. */
static bool
is_judged(const struct pdu *pdu, const tvbuff_t *tvb)
{
    if (pdu->outcome == CALL_FAILED || pdu->is_assumed) {
        return false;
    }
    /* ValidateCounters: other rules cover buffers below 40 bytes, and answers that must equal the request. */
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
    lp->known = pdu->call->query == NULL ? NULL : pdu->call->query->known;
    pdu->op->parse(lp);
    lp->report = pdu->report;
}

void
buffer_show(struct pdu *pdu, proto_tree *tree)
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

    pdu->op->show(&view, tree);
    lpdata_tree_rest(&view, tree);
}

/* Returns the data kept about a poll, or NULL if this is not the answer that was learned from. */
static const struct query_poll *
poll_of(const struct pdu *pdu)
{
    const struct query_poll *poll = pdu->call->poll;

    return !pdu->is_extra && poll != NULL && poll->num_blocks == lpdata_count(pdu->lp.blocks) &&
            poll->num_values == pdu->lp.num_values
        ? poll
        : NULL;
}

/* Adds the item of lpData. Returns its subtree. */
static proto_tree *
add_lpdata(const struct pdu *pdu)
{
    packet_info *pinfo = pdu->n.pinfo;
    const struct lpdata_bounds *bounds = &pdu->bounds;
    const unsigned offset = bounds->offset;
    const unsigned captured = tvb_captured_length(pdu->n.tvb);
    const unsigned there = captured > offset ? MIN(bounds->size, captured - offset) : 0;
    proto_item *item = NULL;

    if (pdu->n.tree != NULL) {
        item =
            proto_tree_add_bytes_format_value(pdu->n.tree, hf_perflibv2_lpdata, pdu->n.tvb, (int)MIN(offset, captured),
                (int)there, NULL, "%s%s", bounds->sent == 0 ? "empty" : count_text(pinfo->pool, bounds->sent, "byte"),
                perflib_tree_is_seen(pdu->n.tree) ? info_lpdata(pdu) : "");
    }
    if (bounds->lacks_fragment) {
        expert_add_info_format(pinfo, item, &ei_perflibv2_fragment_missing,
            "A fragment is missing: lpData has %u bytes, %u were captured, and those from byte %u on may come after "
            "the gap",
            bounds->sent, bounds->size, bounds->trusted);
    }
    return item == NULL || bounds->sent == 0 ? NULL : proto_item_add_subtree(item, ett_perflibv2_lpdata);
}

/* Learns from lpData, checks it against the rules, and adds its summary to the Info column. */
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
        if (perflibv2_wants_findings(pdu)) {
            rules_check_buffer(pdu);
        }
        pdu->op->say(pdu);
    }
}

/*
 * Offers lpData for export under a name such as "QueryCounterData-response-query-1". captures/buffer reads from the
 * name what the buffer itself does not contain.
 */
static void
export_lpdata(const struct pdu *pdu)
{
    wmem_allocator_t *pool = pdu->n.pinfo->pool;
    const struct perflibv2_call *call = pdu->call;
    const bool has_request = call->has_request || !pdu->is_response;
    const char *what;

    if (!have_tap_listener(tap_export)) {
        return;
    }
    what = wmem_strdup_printf(pool, "%s %s", pdu->op->name, pdu->is_response ? "response" : "request");
    if (call->query != NULL) {
        what = wmem_strdup_printf(pool, "%s, query %u%s", what, call->query->number,
            pdu->op->effect == CHANGES_QUERY && has_request && !call->add ? ", remove" : "");
    } else if ((pdu->op->request & P_COUNTERSET) && has_request) {
        what = wmem_strdup_printf(pool, "%s, %s", what, guid_to_str(pool, &call->counterset));
    }
    if ((pdu->op->request & P_REQUEST_CODE) && has_request) {
        what = wmem_strdup_printf(pool, "%s, code %u, %s %u", what, call->request_code,
            call->request_code == PERF_REG_COUNTER_STRUCT ? "counter" : "LCID", call->request_lcid);
    }
    export_object_add(tap_export, pdu->n.pinfo, pdu->lp.tvb, server_host(call->server), what, what,
        pdu->outcome == CALL_FAILED ? ".failed" : ".lpdata");
}

static void
dissect_lpdata(struct pdu *pdu)
{
    const struct lpdata_bounds *bounds = &pdu->bounds;
    const unsigned offset = bounds->offset;
    const unsigned captured = tvb_captured_length(pdu->n.tvb);
    const unsigned there = captured > offset ? MIN(bounds->trusted, captured - offset) : 0;

    pdu->n.offset = (int)(offset + bounds->size);
    if (bounds->sent == 0) {
        add_lpdata(pdu);
        return;
    }
    if (!bounds->lacks_fragment) {
        /* Throws if nothing of lpData was captured. */
        tvb_ensure_bytes_exist(pdu->n.tvb, (int)offset, 1);
    }
    parse_lpdata(pdu, tvb_new_subset_length_caplen(pdu->n.tvb, (int)offset, (int)there, (int)bounds->sent));
    pdu->lp.is_cut = pdu->lp.is_cut || bounds->lacks_fragment;
    take_lpdata(pdu);
    export_lpdata(pdu);
    if (bounds->lacks_fragment) {
        info_add(pdu, "fragment missing");
    }
    if (!pdu->report->is_shown) {
        return;
    }
    /* Parameters after lpData are read even if its tree grows beyond Wireshark's limit. */
    TRY
    {
        buffer_show(pdu, add_lpdata(pdu));
    }
    CATCH(DissectorError)
    {
        pdu->tree_ended = wmem_strdup(pdu->n.pinfo->pool, GET_MESSAGE == NULL ? "" : GET_MESSAGE);
    }
    ENDTRY;
}

void
buffer_dissect(struct pdu *pdu)
{
    const unsigned width = ndr_is_64(&pdu->n) ? 8 : 4;
    const struct array_size *size = &pdu->size;
    struct ndr after = pdu->n;
    unsigned offset, room;

    /* An answer's counts were already read to find the return code. Read them again only to show them. */
    if (pdu->bounds.offset == 0 || pdu->n.tree != NULL) {
        find_lpdata(pdu, &pdu->n);
    }
    offset = pdu->bounds.offset;
    room = lpdata_room(pdu, offset);
    if (pdu_parameters(pdu) & P_VARYING) {
        pdu->said.array_at = offset - STUB_VARYING_COUNTS * width;
        pdu->said.array_offset_at = offset - (STUB_VARYING_COUNTS - 1) * width;
        pdu->said.array = size->counts;
        pdu->said.have |= P_VARYING;
    }
    if (!pdu->bounds.lacks_fragment) {
        rules_check(pdu->stub_report, RULE_LPDATA_COUNT, size->counted == size->stated && size->counted <= room,
            offset - width, width,
            "The count of lpData is %" PRIu64 " bytes, %s says %" PRIu64 ", and the stub has room for %u",
            size->counted, size->stated_name, size->stated, room);
    }
    /* dwAdd determines the meaning of the buffer, so it is read first. */
    after.tree = NULL;
    after.offset = (int)(offset + pdu->bounds.size);
    ndr_align(&after, 4);
    if (!pdu->is_response && pdu->first_pass && tvb_bytes_exist(after.tvb, after.offset, 4)) {
        const uint32_t add = ndr_uint32(&after, -1);

        pdu->call->add = add != 0;
        pdu->call->add_is_undefined = add > 1;
    }
    dissect_lpdata(pdu);
}

bool
buffer_skip(struct pdu *pdu, struct ndr *n, unsigned counts)
{
    if (!tvb_bytes_exist(n->tvb, n->offset, (ndr_is_64(n) ? 8 : 4) * (int)counts)) {
        return false;
    }
    find_lpdata(pdu, n);
    n->offset += (int)pdu->bounds.size;
    return true;
}

void
buffer_register(int proto, expert_module_t *expert)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_lpdata, { "lpData", "perflibv2.lpdata", FT_BYTES, BASE_NONE, NULL, 0, "The buffer", HFILL } },
    };
    static int *ett[] = { &ett_perflibv2_lpdata };
    static ei_register_info ei[] = {
        { &ei_perflibv2_fragment_missing,
            { "perflibv2.fragment_missing", PI_REASSEMBLE, PI_NOTE,
                "A fragment is missing: data after the gap is not decoded", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
    tap_export = export_object_register(proto);
}
