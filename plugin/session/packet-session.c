/* packet-session.c
 * Processes each DCE/RPC PDU before packet-dcerpc: passes PDUs to Wireshark one by one, so that they can be decrypted,
 * learned from and shown (see the files of pdu-ctx.h)
 *
 * In later passes, buffers whose PDUs have no authentication and no fault are passed on unchanged.
 *
 * Why packet-dcerpc's heuristic dissectors are called from here: Wireshark passes them several PDUs in one buffer, but
 * each PDU must be learned from and prepared for decryption just before its dissection.
 *
 * What would break this: heuristic dissectors under other names. Those that are not found are left to Wireshark.
 *
 * Tried: Wireshark 4.0.17, 4.4.19, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/pdu-ctx.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/prefs.h>
#include <epan/tap.h>

#include "plugin.h"
#include "session/tracker.h"

static int proto_session = -1;

static int tap_session = -1;

/* Learns from the PDU about the connection, on the first pass, before the PDU is passed to Wireshark. */
static void
learn_pdu(struct pdu_ctx *p)
{
    if (p->pdu.type == PDU_REQ || p->pdu.type == PDU_BIND || p->pdu.type == PDU_ALTER) {
        calls_note_number(&p->pipe->calls, &p->pdu);
    }
    if (p->pdu.type == PDU_RESP || p->pdu.type == PDU_FAULT) {
        calls_tell_lack(&p->pipe->calls, &p->pdu, p->pinfo);
    }
    p->call = p->pdu.type == PDU_REQ  ? calls_request(&p->pipe->calls, &p->pdu, p->pinfo)
        : rpc_pdu_is_binding(&p->pdu) ? NULL
                                      : calls_find(&p->pipe->calls, &p->pdu);
}

/* Passes the PDU to packet-dcerpc, or only shows an expert item if seen_refuse() was called for the PDU. */
static void
hand_on(struct pdu_ctx *p)
{
    const bool is_first_pass = !p->pinfo->fd->visited;
    struct session_packet *packet;
    const struct session_pdu *before;
    const char *reason;
    bool is_decrypted, is_hidden;

    reason = seen_refusal(p->tvb, &p->pdu, p->pinfo);
    if (is_first_pass && reason == NULL) {
        learn_pdu(p);
        if (calls_is_anothers(p->call, &p->pdu)) {
            reason = seen_refuse(p->tvb, &p->pdu, p->pinfo, "it is not protected in the same way as its request");
        }
    }
    if (reason != NULL) {
        pdu_outcome_show_refused(p, reason);
        p->accepted = true;
        return;
    }
    is_decrypted = decryption_concerns(p);
    is_hidden = !is_decrypted && decryption_hides_pdu(p);
    if (is_decrypted || (!is_first_pass && !rpc_pdu_is_binding(&p->pdu))) {
        p->seen = seen_find(p->tvb, &p->pdu, p->pinfo, true);
    }
    if (is_decrypted || is_hidden) {
        p->others_context = ntlm_context(p->conversation);
        p->others_frame = ntlm_take_frame(p->pinfo);
    }
    if (is_hidden) {
        ntlm_set_context(p->conversation, NULL);
    }
    packet = session_packet_of(p->pinfo);
    before = packet->pdu;
    packet->pdu = seen_new_record(p);
    TRY
    {
        if (is_decrypted) {
            decryption_begin(p);
        }
        p->num_sources = perflib_num_sources(p->pinfo);
        p->accepted = p->transport->inner->dissector(p->tvb, p->pinfo, p->tree, p->data);
    }
    FINALLY
    {
        packet->pdu = before;
        /* NTLMSSP's data must be restored after an exception, too: packet-dcerpc throws one for a truncated PDU. */
        if (is_decrypted) {
            decryption_end(p);
        } else if (is_hidden) {
            ntlm_take_frame(p->pinfo);
            ntlm_set_context(p->conversation, p->others_context);
            ntlm_put_frame(p->pinfo, p->others_frame);
        }
        if (is_first_pass) {
            if (p->pdu.type == PDU_REQ) {
                calls_tell_lack(&p->pipe->calls, &p->pdu, p->pinfo);
            }
            pdu_outcome_learn(p);
        }
        pdu_outcome_show(p);
        if (p->pipe->calls.is_recognised) {
            pdu_outcome_show_recognised(p->pipe, p->tvb, &p->pdu, p->pinfo, p->tree);
        }
    }
    ENDTRY;
}

/* Returns true if the PDU is incomplete and will be dissected again with the next segment. */
static bool
is_unfinished(const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    return !pdu->is_whole && pinfo->can_desegment != 0;
}

/* Result of scanning a buffer for PDUs. The scan must be fast, since every PDU of every capture passes through. */
struct pdu_scan {
    bool is_special; /* true if a PDU is a fault or alter_context, or has authentication: dissect PDUs one by one */
    bool has_copy;   /* true if a PDU is a duplicate of one in another frame */
};

/*
 * Sets *begin to the position of a buffer of PDUs in its stream, for finding duplicates. Returns false if the position
 * is unknown, as over SMB1, or not needed in this pass.
 */
static bool
start_of(const struct transport *transport, const conversation_t *conversation, const packet_info *pinfo,
    const void *data, struct pdu_start *begin)
{
    memset(begin, 0, sizeof *begin);
    if (data == NULL || conversation == NULL) {
        return false;
    }
    if (transport->kind == SESSION_SMB2) {
        const smb2_info_t *smb2 = (const smb2_info_t *)data;

        begin->connection = smb2->conv;
        begin->is_message = true;
        begin->number = smb2->msg_id;
        begin->sender = smb2->flags & SMB2_FLAGS_RESPONSE;
    } else if (transport->kind == SESSION_TCP) {
        begin->connection = conversation;
        begin->number = ((const struct tcpinfo *)data)->seq;
        begin->sender = pinfo->srcport;
    }
    return begin->connection != NULL;
}

/*
 * Returns the frame with the first copy of the PDU if it is a duplicate, else 0. begin: position of tvb in its stream,
 * see start_of(); NULL if unknown.
 */
static uint32_t
frame_of_copy(const struct pdu_start *begin, tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    struct pdu_start start;

    if (begin == NULL || is_unfinished(pdu, pinfo)) {
        return 0;
    }
    start = *begin;
    if (start.is_message) {
        start.offset = pdu->at;
    } else {
        start.number = (uint32_t)(start.number + pdu->at);
    }
    return copies_note(&start, tvb, pdu->at, pdu->length, pinfo);
}

static struct pdu_scan
scan_pdus(tvbuff_t *tvb, const struct rpc_pdus *all, const packet_info *pinfo, const struct pdu_start *begin)
{
    struct pdu_scan seen = { false, false };

    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];

        seen.has_copy = frame_of_copy(begin, tvb, pdu, pinfo) != 0 || seen.has_copy;
        seen.is_special = seen.is_special || pdu->auth_length != 0 || pdu->type == PDU_ALTER || pdu->type == PDU_FAULT;
    }
    return seen;
}

/*
 * Returns the number of bytes to pass to Wireshark together: PDU i, and with the last PDU also the bytes after it,
 * which Wireshark must handle.
 */
static unsigned
piece_length(tvbuff_t *tvb, const packet_info *pinfo, const struct rpc_pdus *all, unsigned i)
{
    const bool is_last = i + 1 == all->count || (i + 2 == all->count && is_unfinished(&all->pdus[i + 1], pinfo));

    return is_last ? tvb_reported_length(tvb) - all->pdus[i].at : all->pdus[i].length;
}

/* Dissects PDUs one by one. */
static int
hand_on_all(const struct transport *transport, struct pipe *pipe, conversation_t *conversation, tvbuff_t *tvb,
    const struct rpc_pdus *all, packet_info *pinfo, proto_tree *tree, void *data)
{
    const bool is_kept_in_step = decryption_keeps_in_step(pinfo, conversation, tvb);
    unsigned count = 0;
    int accepted = 0;

    for (unsigned i = 0; i < all->count; i++) {
        const unsigned at = all->pdus[i].at, length = piece_length(tvb, pinfo, all, i);
        struct pdu_ctx p = {
            .transport = transport,
            .pipe = pipe,
            .conversation = conversation,
            .pinfo = pinfo,
            .tree = tree,
            .data = data,
            .pdu = all->pdus[i],
            .is_managed = is_kept_in_step,
        };

        p.pdu.at = 0;
        p.tvb = length == tvb_reported_length(tvb)
            ? tvb
            : tvb_new_subset_length_caplen(tvb, (int)at, (int)MIN(length, tvb_captured_length(tvb) - at), (int)length);
        if (is_unfinished(&p.pdu, pinfo)) {
            /* The rest of the PDU is in later segments: Wireshark asks for it. */
            p.accepted = transport->inner->dissector(p.tvb, pinfo, tree, data);
        } else {
            hand_on(&p);
        }
        if (!p.accepted) {
            break;
        }
        accepted = 1;
        count++;
        if (pinfo->desegment_len != 0) {
            pinfo->desegment_offset += (int)at;
            break;
        }
        if (at + length >= tvb_captured_length(tvb)) {
            break;
        }
    }
    if (transport->kind != SESSION_TCP && count > 1 &&
        g_strcmp0(col_get_text(pinfo->cinfo, COL_PROTOCOL), "DCERPC") == 0) {
        /*
         * packet-dcerpc, too, sets this name for several PDUs in a buffer, unless the dissector of a call has set its
         * own.
         */
        col_add_fstr(pinfo->cinfo, COL_PROTOCOL, "%u*DCERPC", count);
    }
    return accepted;
}

/*
 * Corrects packet-dcerpc after a bind_ack or alter_context_resp, on the first pass: packet-dcerpc assumes the last
 * transfer syntax of an offer, and that every offered context was accepted.
 */
static void
learn_results(const struct transport *transport, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu,
    packet_info *pinfo, void *data)
{
    struct rpc_contexts walk = rpc_results_begin(tvb, pdu);
    struct rpc_result result;

    for (unsigned nth = 0; pdu->call_id == pipe->calls.offered_in && rpc_results_next(&walk, &result); nth++) {
        uint16_t id;
        const struct binding *bound = calls_learn_result(&pipe->calls, &result, nth, pinfo->num, &id);

        if (bound != NULL) {
            synthetic_bind_hand_on(transport->inner, synthetic_bind_make(tvb, pdu, pinfo, id, bound), pinfo, data);
        }
    }
    pipe->calls.num_offers = 0;
}

/* Returns true for a request or response without a captured bind: its interface must be recognised by the stub. */
static bool
lacks_bind(const struct pipe_calls *calls, const struct rpc_pdu *pdu)
{
    const struct binding *binding = pdu_has_stub(pdu) ? calls_binding_of(calls, pdu->context) : NULL;

    return pdu_has_stub(pdu) && (binding == NULL || binding->recognition != NULL);
}

/*
 * Learns bindings from binds or calls, and marks the stubs whose beginning was not captured, before any PDU is passed
 * on. First pass only.
 */
static void
learn_contexts(const struct transport *transport, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, void *data)
{
    for (unsigned i = 0; i < all->count && !is_unfinished(&all->pdus[i], pinfo); i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        tvbuff_t *rest, *bind;

        rest = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at);
        if (rpc_pdu_is_binding(pdu) && pdu->has_trailer && seen_refusal(tvb, pdu, pinfo) == NULL) {
            decryption_learn_login(pipe, rest, pdu, pinfo->num);
        }
        if (pdu->type == PDU_BIND || pdu->type == PDU_ALTER) {
            calls_learn_bindings(&pipe->calls, rest, pdu, pinfo->num);
        } else if (pdu->type == PDU_BIND_ACK || pdu->type == PDU_ALTER_ACK) {
            learn_results(transport, pipe, rest, pdu, pinfo, data);
        }
        bind = NULL;
        if (lacks_bind(&pipe->calls, pdu) && seen_refusal(tvb, pdu, pinfo) == NULL) {
            bind = recognise_judge(&pipe->calls, tvb, pdu, pinfo);
            bind = bind != NULL ? bind
                                : recognise_context(&pipe->calls, tvb, pdu, pinfo, pipes_is_registry(transport, data));
        }
        if (bind != NULL) {
            pipes_keep();
            synthetic_bind_hand_on(transport->inner, bind, pinfo, data);
        }
        if (calls_lacks_beginning(&pipe->calls, pdu)) {
            seen_keep(tvb, pdu, pinfo)->lacks_beginning = true;
        }
    }
}

/* Queues a record of tap_session for each PDU, except refused ones and one that continues in the next segment. */
static void
tap_pdus(const struct transport *transport, const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, void *data)
{
    struct session_tap carrier = { .transport = transport->kind };

    if (all->count == 0 || is_unfinished(&all->pdus[0], pinfo)) {
        return;
    }
    if (transport->kind == SESSION_SMB2 && data != NULL) {
        const smb2_saved_info_t *first;
        const smb2_fid_info_t *file = pipes_file_of((const smb2_info_t *)data, &first);

        carrier.file = file;
        carrier.pipe_name = file == NULL ? NULL : file->name;
    } else if (transport->kind == SESSION_SMB) {
        carrier.fid = (uint16_t)pipes_salt(transport, tvb, pinfo, data);
    }
    for (unsigned i = 0; i < all->count && !is_unfinished(&all->pdus[i], pinfo); i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        struct session_tap *record;

        if (seen_refusal(tvb, pdu, pinfo) != NULL) {
            continue;
        }
        record = (struct session_tap *)wmem_memdup(pinfo->pool, &carrier, sizeof carrier);
        if (pipe != NULL) {
            record->binding = calls_binding_at(&pipe->calls, pdu->context, pinfo);
            record->login = decryption_login_at(pipe, pdu, pinfo->num);
        }
        record->tvb = pdu->at == 0 ? tvb : tvb_new_subset_remaining(tvb, (int)pdu->at);
        record->pdu = *pdu;
        record->pdu.at = 0;
        tap_queue_packet(tap_session, pinfo, record);
    }
}

/* Returns true if the stub of an unencrypted PDU cannot belong to its operation. */
static bool
is_nonsense(const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu)
{
    /* The call of a request is not recorded yet, and an older call may have the same call_id. */
    const struct pipe_call asked = { .rpc.opnum = pdu->opnum, .binding = calls_binding_of(&pipe->calls, pdu->context) };
    const struct pipe_call *call = pdu->type == PDU_REQ ? &asked : calls_find(&pipe->calls, pdu);
    const stub_check check = calls_stub_check(pdu, call);
    struct stub_sample sample = calls_clear_sample(tvb, pdu, call);

    if (check == NULL || sample.head_length == 0) {
        return false;
    }
    sample.head_length = MIN(sample.head_length, STUB_CHECK_HEAD);
    return check(&sample) == STUB_NONSENSE;
}

/* Refuses a PDU that Wireshark joined from pieces that do not belong together. For pipes, on the first pass only. */
static void
judge_pieces(const struct transport *transport, struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdus *all,
    const packet_info *pinfo, const void *data)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const unsigned side = pdu_side(pdu);
        const enum pieces_outcome outcome = pieces_take(&pipe->pieces[side], &pipe->pieces[NUM_SIDES - 1 - side], tvb,
            pdu->at, pdu, pinfo->can_desegment != 0);

        if (outcome == PIECES_WAITING && transport->kind == SESSION_SMB2 && data != NULL) {
            pipe->begun_in[side] = ((const smb2_info_t *)data)->msg_id;
        }
        if (outcome == PIECES_TORN ||
            (outcome == PIECES_TOGETHER &&
                (pipes_lacks_message(transport, data, pipe->begun_in[side]) || is_nonsense(pipe, tvb, pdu)))) {
            seen_refuse(tvb, pdu, pinfo, "a part of it is not in the capture");
        }
    }
}

/* Dissects PDUs of which none is a duplicate. conversation: NULL unless pipes_needs_conversation() is true. */
static int
dissect_new(const struct transport *transport, conversation_t *conversation, tvbuff_t *tvb, const struct rpc_pdus *all,
    packet_info *pinfo, proto_tree *tree, void *data, const struct pdu_scan *seen)
{
    const bool is_first_pass = !pinfo->fd->visited, is_tapped = have_tap_listener(tap_session);
    struct pipe *pipe = NULL;

    if (is_first_pass || is_tapped || pipes_are_kept()) {
        conversation = conversation != NULL ? conversation : pipes_conversation(pinfo);
        pipe = pipes_get(transport, conversation, tvb, pinfo, data);
    }
    if (is_first_pass && transport->kind != SESSION_TCP) {
        judge_pieces(transport, pipe, tvb, all, pinfo, data);
    }
    if (is_first_pass) {
        learn_contexts(transport, pipe, tvb, all, pinfo, data);
    }
    if (is_tapped) {
        tap_pdus(transport, pipe, tvb, all, pinfo, data);
    }
    if (is_first_pass || seen->is_special || seen_any_of(tvb, all, pinfo) ||
        (pipe != NULL && pipe->calls.is_recognised)) {
        conversation = conversation != NULL ? conversation : pipes_conversation(pinfo);
        pipe = pipe != NULL ? pipe : pipes_get(transport, conversation, tvb, pinfo, data);
        return hand_on_all(transport, pipe, conversation, tvb, all, pinfo, tree, data);
    }
    return transport->inner->dissector(tvb, pinfo, tree, data);
}

/* Dissects PDUs of which some are duplicates, and skips the duplicates. */
static int
dissect_among_copies(const struct transport *transport, conversation_t *conversation, tvbuff_t *tvb,
    const struct rpc_pdus *all, packet_info *pinfo, proto_tree *tree, void *data, const struct pdu_start *begin)
{
    for (unsigned i = 0; i < all->count && pinfo->desegment_len == 0; i++) {
        const struct rpc_pdu *pdu = &all->pdus[i];
        const uint32_t frame = frame_of_copy(begin, tvb, pdu, pinfo);
        const unsigned length = rpc_pdu_captured(tvb, pdu);

        if (frame != 0) {
            pdu_outcome_show_copy(tvb, pdu->at, length, frame, pinfo, tree);
        } else {
            /* The last PDU is passed together with the bytes after it. */
            tvbuff_t *piece = i + 1 < all->count
                ? tvb_new_subset_length_caplen(tvb, (int)pdu->at, (int)length, (int)pdu->length)
                : tvb_new_subset_remaining(tvb, (int)pdu->at);
            struct rpc_pdu alone = *pdu;
            const struct rpc_pdus one = { .count = 1, .pdus = &alone };
            struct pdu_scan seen;

            alone.at = 0;
            seen = scan_pdus(piece, &one, pinfo, NULL);
            dissect_new(transport, conversation, piece, &one, pinfo, tree, data, &seen);
            if (pinfo->desegment_len != 0) {
                pinfo->desegment_offset += (int)pdu->at;
            }
        }
    }
    return (int)tvb_captured_length(tvb);
}

/*
 * Requests the next segment, and returns true, if the buffer may be the start of a PDU but is shorter than a header.
 */
static bool
ask_for_header(tvbuff_t *tvb, packet_info *pinfo)
{
    if (pinfo->can_desegment == 0 || tvb_reported_length(tvb) >= RPC_HEADER_SIZE ||
        tvb_captured_length(tvb) < tvb_reported_length(tvb) || perflib_tvb_get_uint8(tvb, 0) != RPC_VERSION) {
        return false;
    }
    pinfo->desegment_offset = 0;
    pinfo->desegment_len = DESEGMENT_ONE_MORE_SEGMENT;
    return true;
}

/*
 * Returns true for a buffer shorter than a header on a TCP connection on which PDUs were seen. A single byte may be a
 * window probe: returns false. Longer buffers, which nearly all protocols have, need no look-up of the connection.
 */
static bool
goes_on(tvbuff_t *tvb, packet_info *pinfo)
{
    const unsigned length = tvb_reported_length(tvb);

    return length >= 2 && length < RPC_HEADER_SIZE && pipes_has_connection(find_conversation_pinfo(pinfo, 0));
}

/*
 * Accepts all that packet-dcerpc's heuristic dissector accepts, even if there is nothing to do. Wireshark moves the
 * dissector that accepts a packet to the front of the list: packet-dcerpc's would then bypass the plugin.
 */
static int
dissect_transport(const struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rpc_pdus all;
    conversation_t *conversation;
    struct pdu_start begin;
    struct pdu_scan seen;

    rpc_pdus_read(pinfo->pool, tvb, &all);
    if (!session_is_enabled()) {
        if (have_tap_listener(tap_session)) {
            tap_pdus(transport, NULL, tvb, &all, pinfo, data);
        }
        return transport->inner->dissector(tvb, pinfo, tree, data);
    }
    if (all.count == 0 && transport->kind == SESSION_TCP && goes_on(tvb, pinfo) && ask_for_header(tvb, pinfo)) {
        /*
         * These bytes are the start of a PDU's header. Once accepted, they are passed again with the next segment. If
         * rejected, they would be skipped, and the PDU with them.
         */
        return (int)tvb_captured_length(tvb);
    }
    /* Without a complete PDU Wireshark will ask for the rest, and no items are added. */
    if (all.count == 0 || (transport->kind == SESSION_TCP && !pipes_are_kept() && is_unfinished(&all.pdus[0], pinfo))) {
        return transport->inner->dissector(tvb, pinfo, tree, data);
    }
    conversation = pipes_needs_conversation(pinfo) ? pipes_conversation(pinfo) : NULL;
    seen = scan_pdus(tvb, &all, pinfo, start_of(transport, conversation, pinfo, data, &begin) ? &begin : NULL);
    return seen.has_copy ? dissect_among_copies(transport, conversation, tvb, &all, pinfo, tree, data, &begin)
                         : dissect_new(transport, conversation, tvb, &all, pinfo, tree, data, &seen);
}

static struct transport transports[] = {
    [SESSION_TCP] = { "tcp", "dcerpc_tcp", "perflib_dcerpc_tcp", "DCE/RPC over TCP, decrypted PDU by PDU", SESSION_TCP,
        NULL },
    [SESSION_SMB2] = { "smb2_pipe_subdissectors", "dcerpc_smb2", "perflib_dcerpc_smb2",
        "DCE/RPC over SMB2, decrypted PDU by PDU", SESSION_SMB2, NULL },
    [SESSION_SMB] = { "smb_transact", "dcerpc_smb_transact", "perflib_dcerpc_smb",
        "DCE/RPC over SMB, decrypted PDU by PDU", SESSION_SMB, NULL },
};

static bool
dissect_if_enabled(struct transport *transport, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return transport->inner->enabled && dissect_transport(transport, tvb, pinfo, tree, data) != 0;
}

static perflib_bool
dissect_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_if_enabled(&transports[SESSION_TCP], tvb, pinfo, tree, data);
}

static perflib_bool
dissect_smb2(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_if_enabled(&transports[SESSION_SMB2], tvb, pinfo, tree, data);
}

static perflib_bool
dissect_smb(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return dissect_if_enabled(&transports[SESSION_SMB], tvb, pinfo, tree, data);
}

static int
dissect_decode_as(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rpc_pdu pdu;

    if (ask_for_header(tvb, pinfo)) {
        return (int)tvb_captured_length(tvb);
    }
    if (rpc_pdu_read(tvb, 0, &pdu) && dissect_transport(&transports[SESSION_TCP], tvb, pinfo, tree, data) != 0) {
        return (int)tvb_captured_length(tvb);
    }
    return decode_as_call_inner(tvb, pinfo, tree, data);
}

static void
session_begin_file(void)
{
    if (transports[SESSION_TCP].inner != NULL) {
        decode_as_take();
    }
    pipes_reset();
    seen_reset();
    decryption_reset();
    stream_reset_budget();
    copies_reset();
}

void
proto_register_session(void)
{
    proto_session = proto_register_protocol("Sessions of DCE/RPC (perflib)", "RPC sessions", "perflib_session");
    pdu_outcome_register(proto_session);
    decryption_register(prefs_register_protocol(proto_session, NULL));
    register_init_routine(session_begin_file);
    session_pdu_init(proto_session);
    stopped_register(proto_session);
    tap_session = register_tap("perflib_session");
}

void
proto_reg_handoff_session(void)
{
    static const heur_dissector_t dissectors[] = { dissect_tcp, dissect_smb2, dissect_smb };
    const int proto_dcerpc = proto_get_id_by_filter_name("dcerpc");

    decode_as_init(dissect_decode_as, proto_dcerpc);
    ntlm_init();
    smb3_handoff(pdu_outcome_no_key());
    for (unsigned i = 0; i < array_length(transports); i++) {
        transports[i].inner = find_heur_dissector_by_unique_short_name(transports[i].inner_name);
        if (transports[i].inner != NULL) {
            /* Registered for the protocol DCE/RPC, so that frame.protocols is the same with and without the plugin. */
            heur_dissector_add(transports[i].list, dissectors[i], transports[i].title, transports[i].name, proto_dcerpc,
                HEURISTIC_ENABLE);
        }
    }
}
