/* pdu-outcome.c
 * Shows how a PDU was processed, and informs dissectors of faults and sealed PDUs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/pdu-ctx.h"

#include <epan/tap.h>
#include <wsutil/str_util.h>

static int hf_perflib_session_sealed = -1;
static int hf_perflib_session_response_ms = -1;

static int tap_key = -1;

static expert_field ei_perflib_session_lost_step = EI_INIT;
static expert_field ei_perflib_session_set_right = EI_INIT;
static expert_field ei_perflib_session_cut = EI_INIT;
static expert_field ei_perflib_session_no_key = EI_INIT;
static expert_field ei_perflib_session_no_request = EI_INIT;
static expert_field ei_perflib_session_refused = EI_INIT;
static expert_field ei_perflib_session_copy = EI_INIT;
static expert_field ei_perflib_session_recognised = EI_INIT;

/* Returns why a PDU that was passed to Wireshark was not decrypted, or NULL if it was or if only the key is missing. */
static const char *
reason_of(const struct pdu_ctx *p)
{
    static const char *const reasons[] = {
        [STREAM_LOST] = "earlier PDUs are missing",
        [STREAM_LATE] = "it arrived after later PDUs",
        [STREAM_NONSENSE] = "its content makes no sense",
        [STREAM_CUT] = "it was not captured completely",
    };

    return p->seen == NULL || p->seen->sealed == NULL ? NULL : reasons[p->seen->sealed->state];
}

static bool
is_whole_fault(const struct pdu_ctx *p)
{
    return p->pdu.type == PDU_FAULT && (p->pdu.flags & PDU_FLAG_LAST_FRAG);
}

static bool
has_sealed_stub(const struct pdu_ctx *p)
{
    return pdu_has_stub(&p->pdu) && p->pdu.stub_length != 0 && p->pdu.auth_level == DCE_C_AUTHN_LEVEL_PKT_PRIVACY;
}

/* Returns true if Wireshark did not decrypt the stub: packet-dcerpc adds a data source for each decrypted stub. */
static bool
pdu_is_closed(const struct pdu_ctx *p)
{
    return has_sealed_stub(p) && perflib_num_sources(p->pinfo) == p->num_sources;
}

/*
 * Returns true if a sealed PDU may contain performance data: its context is bound to an interface of the plugin, or
 * no bind was captured and the pipe is the remote registry's.
 */
static bool
pdu_may_be_ours(const struct pdu_ctx *p)
{
    const struct binding *binding = calls_binding_of(&p->pipe->calls, p->pdu.context);

    return binding != NULL ? binding->kind != NULL && binding->kind->listener != NULL
                           : pipes_is_registry(p->transport, p->data);
}

void
pdu_outcome_learn(struct pdu_ctx *p)
{
    const bool is_fault = is_whole_fault(p), is_unread = pdu_is_closed(p) || reason_of(p) != NULL;
    struct pipe_call *call = p->call;
    struct login *login;

    if (has_sealed_stub(p) &&
        (!pdu_is_closed(p) ||
            (p->seen != NULL && p->seen->sealed != NULL && p->seen->sealed->state == STREAM_OPENED))) {
        decryption_context(p->pipe, &p->pdu)->login->has_opened = true;
    }
    if (!is_fault && !is_unread) {
        return;
    }
    if (is_unread && pdu_may_be_ours(p)) {
        p->seen = seen_find(p->tvb, &p->pdu, p->pinfo, true);
        p->seen->pdu_may_be_ours = true;
    }
    if (call == NULL) {
        call = calls_find_or_guess(&p->pipe->calls, &p->pdu);
    }
    if (call->rpc.listener == NULL) {
        return;
    }
    if (p->seen == NULL) {
        p->seen = seen_find(p->tvb, &p->pdu, p->pinfo, true);
    }
    p->seen->of = call;
    p->seen->is_unread = is_unread;
    if (!is_unread || reason_of(p) != NULL) {
        return;
    }
    /* The user is not asked for a key if it would not help (the request is missing) or if Wireshark has it. */
    if (p->call == NULL) {
        p->seen->closed = p->pdu.type == PDU_REQ ? "the beginning of its request is missing" : "its request is missing";
        return;
    }
    login = decryption_context(p->pipe, &p->pdu)->login;
    p->seen->closed = login->has_opened ? "Wireshark could not decrypt it" : NULL;
    if (p->seen->closed == NULL) {
        p->seen->needed = login_needed(login);
        p->seen->warns = wmem_map_insert(p->pipe->warned, call->rpc.listener, call) == NULL;
    }
}

/* Informs the listener of the call's interface about a fault. */
static void
tell_fault(const struct pdu_ctx *p)
{
    const struct binding *binding = p->seen->of->binding;
    const struct recognition *recognition = binding == NULL ? NULL : binding->recognition;
    const struct rpc_fault fault = {
        .call = &p->seen->of->rpc,
        .has_status = p->pdu.has_status,
        .status = p->pdu.status,
        .not_executed = p->pdu.flags & PDU_FLAG_DID_NOT_EXECUTE,
        .is_assumed = recognition != NULL && !recognition->is_confirmed,
    };

    if (recognition == NULL || !recognition->is_withdrawn) {
        p->seen->of->rpc.listener->fault(&fault, p->tvb, p->pinfo, p->tree);
    }
}

/* Adds an expert item for a sealed PDU that was not decrypted, and informs the listener of its interface, if known. */
static void
show_unread(const struct pdu_ctx *p, const char *reason)
{
    const int length = (int)rpc_pdu_captured(p->tvb, &p->pdu);
    const struct session_seen *seen = p->seen;
    const struct rpc_call *call = seen->of == NULL ? NULL : &seen->of->rpc;
    const struct rpc_unread unread = {
        .call = call,
        .is_response = p->pdu.type != PDU_REQ,
        .is_last = p->pdu.flags & PDU_FLAG_LAST_FRAG,
        .size = rpc_pdu_stub_size(&p->pdu),
        .reason = reason != NULL   ? reason
            : seen->closed != NULL ? seen->closed
                                   : "there is no key",
        .needed = seen->needed,
    };

    if (reason != NULL) {
        proto_tree_add_expert_format(p->tree, p->pinfo,
            seen->sealed->state == STREAM_CUT ? &ei_perflib_session_cut : &ei_perflib_session_lost_step, p->tvb, 0,
            length, "This sealed PDU was not decrypted: %s (last decrypted: frame %u)", reason,
            seen->sealed->last_frame);
    } else if (seen->closed != NULL) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_no_request, p->tvb, 0, length,
            "This sealed PDU was not decrypted: %s", seen->closed);
    } else if (seen->warns) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_no_key, p->tvb, 0, length, "%s",
            seen->needed->text);
        tap_queue_packet(tap_key, p->pinfo, seen->needed);
    }
    if (seen->is_unread) {
        if (unread.is_response && unread.is_last) {
            rpc_response_show(rpc_response_time(call->request_frame, &call->request_time, p->pinfo),
                hf_perflib_session_response_ms, p->pinfo, p->tree, p->tvb);
        }
        call->listener->unread(&unread, p->pinfo);
    }
}

void
pdu_outcome_show(const struct pdu_ctx *p)
{
    const struct stream_pdu *sealed;

    if (p->seen == NULL) {
        return;
    }
    if (p->seen->pdu_may_be_ours && (pdu_is_closed(p) || reason_of(p) != NULL)) {
        proto_item_set_generated(proto_tree_add_boolean(p->tree, hf_perflib_session_sealed, p->tvb, 0,
            (int)rpc_pdu_captured(p->tvb, &p->pdu), true));
        col_append_str(p->pinfo->cinfo, COL_INFO, ", sealed");
    }
    sealed = p->seen->sealed;
    if (reason_of(p) != NULL || p->seen->is_unread) {
        show_unread(p, reason_of(p));
    } else if (sealed != NULL && sealed->state == STREAM_OPENED && sealed->skipped != 0) {
        proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_set_right, p->tvb, 0,
            (int)rpc_pdu_captured(p->tvb, &p->pdu),
            "Decryption resynchronized: after frame %u, %u sealed PDU%s missing, %u bytes of key stream skipped",
            sealed->last_frame, sealed->missing, plurality(sealed->missing, " is", "s are"), sealed->skipped);
    }
    if (is_whole_fault(p) && p->seen->of != NULL) {
        tell_fault(p);
    }
}

void
pdu_outcome_show_recognised(const struct pipe *pipe, tvbuff_t *tvb, const struct rpc_pdu *pdu, packet_info *pinfo,
    proto_tree *tree)
{
    const struct binding *binding = pdu_has_stub(pdu) ? calls_binding_of(&pipe->calls, pdu->context) : NULL;

    if (binding != NULL && binding->by != NULL) {
        proto_tree_add_expert_format(tree, pinfo, &ei_perflib_session_recognised, tvb, (int)pdu->at,
            (int)rpc_pdu_captured(tvb, pdu),
            "The bind is not in the capture. Recognised as %s by the %s in frame %u (%s)", binding->name,
            binding->by_response ? "response" : "request", binding->by_frame, binding->by);
    }
}

void
pdu_outcome_show_refused(const struct pdu_ctx *p, const char *reason)
{
    proto_tree_add_expert_format(p->tree, p->pinfo, &ei_perflib_session_refused, p->tvb, 0,
        (int)rpc_pdu_captured(p->tvb, &p->pdu), "This PDU was not decoded: %s", reason);
    col_set_str(p->pinfo->cinfo, COL_PROTOCOL, "DCERPC");
    col_append_sep_fstr(p->pinfo->cinfo, COL_INFO, NULL, "[not read: %s]", reason);
}

void
pdu_outcome_show_copy(tvbuff_t *tvb, unsigned at, unsigned length, uint32_t frame, packet_info *pinfo, proto_tree *tree)
{
    proto_tree_add_expert_format(tree, pinfo, &ei_perflib_session_copy, tvb, (int)at, (int)length,
        "This PDU was captured twice. It is decoded in frame %u", frame);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "DCERPC");
    col_append_sep_fstr(pinfo->cinfo, COL_INFO, NULL, "[captured twice: see frame %u]", frame);
}

expert_field *
pdu_outcome_no_key(void)
{
    return &ei_perflib_session_no_key;
}

void
pdu_outcome_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_perflib_session_sealed,
            { "Sealed, not decrypted", "perflib_session.sealed", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "This request or response is encrypted and was not decrypted", HFILL } },
        { &hf_perflib_session_response_ms,
            { "Response time in ms", "perflib_session.response_ms", FT_DOUBLE, BASE_CUSTOM,
                CF_FUNC(rpc_response_digits), 0, "Milliseconds from the request to this answer", HFILL } },
    };
    static ei_register_info ei[] = {
        { &ei_perflib_session_lost_step,
            { "perflib_session.lost_step", PI_DECRYPTION, PI_WARN,
                "Frames are missing: this sealed PDU cannot be decrypted", EXPFILL } },
        { &ei_perflib_session_set_right,
            { "perflib_session.set_right", PI_DECRYPTION, PI_NOTE, "Decryption resynchronized after missing frames",
                EXPFILL } },
        { &ei_perflib_session_cut,
            { "perflib_session.cut", PI_DECRYPTION, PI_NOTE, "This sealed PDU was truncated and cannot be decrypted",
                EXPFILL } },
        { &ei_perflib_session_no_key,
            { "perflib_session.no_key", PI_DECRYPTION, PI_NOTE,
                "The calls of this connection are encrypted, and there is no key", EXPFILL } },
        { &ei_perflib_session_no_request,
            { "perflib_session.no_request", PI_SEQUENCE, PI_NOTE,
                "This sealed PDU cannot be decoded: its request is missing", EXPFILL } },
        { &ei_perflib_session_refused,
            { "perflib_session.refused", PI_SEQUENCE, PI_WARN,
                "This PDU is not decoded: it is assembled from parts of different answers", EXPFILL } },
        { &ei_perflib_session_copy,
            { "perflib_session.copy", PI_SEQUENCE, PI_NOTE, "This PDU was captured twice", EXPFILL } },
        { &ei_perflib_session_recognised,
            { "perflib_session.recognised", PI_ASSUMPTION, PI_CHAT,
                "The bind is not in the capture. Recognised by its content", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    tap_key = register_tap("perflib_session_key");
}
