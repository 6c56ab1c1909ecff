/* faults.c
 * Calls to objects of [MS-PLA] that were answered by a fault, and PDUs that were not decrypted
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <epan/tap.h>

static int hf_pla_fault = -1;
static int hf_pla_fault_request_in = -1;
static int hf_pla_response_ms = -1;

static expert_field ei_pla_faulted = EI_INIT;

static const struct rpc_fault_items fault_items = { &hf_pla_fault, &hf_pla_fault_request_in, &hf_pla_response_ms,
    &ei_pla_faulted };

static int tap_pla = -1;

/* Interface and operation of a call */
struct pla_operation {
    const struct pla_interface *iface;
    const char *name; /* NULL if unknown */
};

/* Finds the called operation. Returns false if it is unknown, or not one of [MS-PLA]. */
static bool
find_operation(const struct rpc_call *rpc, const struct pla_call *call, struct pla_operation *operation)
{
    const struct pla_method *method;

    operation->iface = call != NULL ? call->iface : pla_find_interface(&rpc->uuid);
    if (operation->iface == NULL) {
        return false;
    }
    /* Ignores a PDU of an enumerator whose collection is unknown: the enumerator may be another protocol's. */
    if (operation->iface->kind == PLA_KIND_ENUMERATOR &&
        (call == NULL || call->object == NULL || call->object->parent == NULL)) {
        return false;
    }
    method = rpc->has_opnum ? pla_find_method(operation->iface, rpc->opnum) : NULL;
    operation->name = call != NULL && call->activation != NULL ? call->activation
        : method != NULL                                       ? method->name
                                                               : NULL;
    return true;
}

void
pla_show_response_time(const struct ndr *n)
{
    rpc_response_show(rpc_response_time(n->di->call_data->req_frame, &n->di->call_data->req_time, n->pinfo),
        hf_pla_response_ms, n->pinfo, n->tree, n->tvb);
}

static void
pla_show_fault(const struct rpc_fault *fault, const struct pla_operation *operation, const char *text, tvbuff_t *tvb,
    packet_info *pinfo, proto_tree *root)
{
    const struct rpc_call *rpc = fault->call;
    const struct pla_call *call = (const struct pla_call *)rpc->state;
    proto_tree *tree;

    tree = pla_add_tree(tvb, root, operation->iface, rpc->has_opnum ? rpc->opnum : -1,
        wmem_strdup_printf(pinfo->pool, "%s, %s, fault %s", operation->iface->name, operation->name, text));
    if (call != NULL) {
        pla_show_object(tree, tvb, pinfo, operation->iface, NULL, call->object);
    }
    rpc_fault_show(fault, &fault_items, operation->name, pinfo, tree, tvb);
}

/* Queues a tap record, filled as for an answer with an error. */
static void
tap_fault(const struct rpc_fault *fault, const struct pla_operation *operation, const char *text, packet_info *pinfo)
{
    struct pla_call *call = (struct pla_call *)fault->call->state;
    struct pla_tap *record = wmem_new0(pinfo->pool, struct pla_tap);

    if (call != NULL) {
        pla_call_record_fault(call, pinfo->num, record);
    }
    record->interface_name = operation->iface->name;
    record->method_name = operation->name;
    record->is_response = true;
    record->is_fault = true;
    record->fault_text = text;
    tap_queue_packet(tap_pla, pinfo, record);
}

/* Shows a fault. The call changed nothing and returned nothing. */
static void
pla_dissect_fault(const struct rpc_fault *fault, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    struct pla_call *call = (struct pla_call *)fault->call->state;
    const char *text = rpc_fault_text_of(pinfo->pool, fault);
    struct pla_operation operation;

    if (!pla_is_enabled() || !find_operation(fault->call, call, &operation)) {
        return;
    }
    if (operation.name == NULL) {
        operation.name = fault->call->has_opnum ? wmem_strdup_printf(pinfo->pool, "Operation %u", fault->call->opnum)
                                                : "unknown operation";
    }
    col_set_str(pinfo->cinfo, COL_PROTOCOL, operation.iface->short_name);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s response", operation.name);
    if (call != NULL) {
        pla_say_object(pinfo, call->object);
        call->answered = true;
    }
    col_append_fstr(pinfo->cinfo, COL_INFO, " -> fault %s", text);
    pla_show_fault(fault, &operation, text, tvb, pinfo, tree);
    if (have_tap_listener(tap_pla)) {
        tap_fault(fault, &operation, text, pinfo);
    }
}

static void
pla_tap_unread(const struct rpc_unread *unread, packet_info *pinfo)
{
    struct pla_operation operation;
    struct pla_tap *record;

    if (!pla_is_enabled() || !find_operation(unread->call, NULL, &operation) || !have_tap_listener(tap_pla)) {
        return;
    }
    record = wmem_new0(pinfo->pool, struct pla_tap);
    record->interface_name = operation.iface->name;
    record->method_name = operation.name != NULL ? operation.name : "unknown operation";
    record->is_response = unread->is_response;
    record->is_unread = true;
    record->is_last = unread->is_last;
    record->needed = unread->needed;
    tap_queue_packet(tap_pla, pinfo, record);
}

const struct rpc_listener pla_listener = { .fault = pla_dissect_fault, .unread = pla_tap_unread };

void
pla_faults_register(int proto, int tap)
{
    static hf_register_info hf[] = {
        { &hf_pla_fault,
            { "Fault", "pla.fault", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &rpc_fault_vals_ext, 0,
                "Status of the fault that the server sent as the answer", HFILL } },
        { &hf_pla_fault_request_in,
            { "Request in frame", "pla.fault.request_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
                "Request that was answered with this fault", HFILL } },
        { &hf_pla_response_ms,
            { "Response time in ms", "pla.response_ms", FT_DOUBLE, BASE_CUSTOM, CF_FUNC(rpc_response_digits), 0,
                "Milliseconds from the request to this answer", HFILL } },
    };
    static ei_register_info ei[] = {
        { &ei_pla_faulted, { "pla.faulted", PI_RESPONSE_CODE, PI_NOTE, "The server answered with a fault", EXPFILL } },
    };

    tap_pla = tap;
    proto_register_field_array(proto, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
