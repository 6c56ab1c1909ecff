/* packet-pla.c
 * Performance Logs and Alerts Protocol [MS-PLA]: 18 DCOM interfaces, 300 methods
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <epan/exceptions.h>
#include <epan/tap.h>

#include "plugin.h"
#include "session/session-pdu.h"

static int proto_pla = -1;
static int proto_iface[PLA_NUM_INTERFACES];

static int hf_pla_opnum[PLA_NUM_INTERFACES];
static int hf_pla_stub = -1;

static int ett_pla = -1;

static expert_field ei_pla_not_on_wire = EI_INIT;
static expert_field ei_pla_ndr64 = EI_INIT;
static expert_field ei_pla_no_request = EI_INIT;

static int tap_pla = -1;

bool
pla_is_enabled(void)
{
    return proto_is_protocol_enabled(find_protocol_by_id(proto_pla));
}

/*
 * Reads the HRESULT at the end of the stub. If a parameter before it could not be read, takes the stub's last four
 * bytes.
 */
static void
read_hresult(struct pla_pdu *pdu)
{
    struct ndr *const n = &pdu->o.ndr;
    const bool in_place = !pdu->o.failed;

    if (in_place) {
        ndr_align(n, 4);
        if (!orpc_room(&pdu->o, 4, "HRESULT")) {
            return;
        }
    } else {
        n->offset = ((int)tvb_reported_length(n->tvb) & ~3) - 4;
        if (n->offset < 8) {
            return;
        }
    }
    pdu->record.hresult = ndr_uint32(n, -1);
    pdu->record.has_hresult = true;
    pla_show_hresult(pdu, n->offset - 4, !in_place);
}

/*
 * Returns true if only an HRESULT of failure is left although parameters are expected: a server that fails early sends
 * no parameters.
 */
static bool
is_hresult_alone(const struct pla_pdu *pdu)
{
    struct ndr n = pdu->o.ndr;

    if (!pdu->response || ndr_remaining(&n) != 4) {
        return false;
    }
    return (ndr_uint32(&n, -1) & 0x80000000) != 0;
}

static void
read_unused_opnum(struct pla_pdu *pdu)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_item *const item =
        proto_tree_add_item(n->tree, hf_pla_stub, n->tvb, n->offset, (int)ndr_remaining(n), ENC_NA);

    orpc_expert(&pdu->o, item, &ei_pla_not_on_wire,
        wmem_strdup_printf(n->pinfo->pool, "Opnum %u is not used on the wire (locally %s)", pdu->method->opnum,
            pdu->method->local));
    n->offset = (int)tvb_reported_length(n->tvb);
}

static void
pla_read_stub(struct pla_pdu *pdu)
{
    struct orpc *const o = &pdu->o;

    if (ndr_is_64(&o->ndr)) {
        orpc_expert_at(o, &ei_pla_ndr64, 0, tvb_reported_length(o->ndr.tvb), NULL);
        o->failed = true;
    } else if (pdu->response) {
        orpc_that(o);
    } else {
        orpc_this(o);
    }
    if (!o->failed && pdu->method->local != NULL) {
        read_unused_opnum(pdu);
        return;
    }
    if (!is_hresult_alone(pdu)) {
        for (const struct pla_param *param = pdu->method->params; !o->failed && param->type != PLA_NONE; param++) {
            if (param->out == pdu->response) {
                pla_read_param(pdu, param);
            }
        }
    }
    if (pdu->response) {
        read_hresult(pdu);
    }
    if (o->failed) {
        /* The malformed parameter was already reported: skips the rest, which would be reported as unread bytes. */
        o->ndr.offset = (int)tvb_reported_length(o->ndr.tvb);
    }
}

/*
 * Called after the first of two readings of a PDU, even if an exception ended the reading. Uses the parts that were
 * read: stores what they show, writes the Info column, and queues the tap record.
 */
static void
finish_reading(struct pla_pdu *pdu)
{
    const struct pla_object *const object = pdu->call->object;

    if (pdu->learning) {
        pla_call_learn(pdu);
    }
    pla_finish_info(pdu);
    pla_call_record(pdu);
    if (pdu->iface->kind != PLA_KIND_ENUMERATOR || (object != NULL && object->parent != NULL)) {
        /* Statistics get calls of an enumerator only if its collection is known: else it may be another protocol's. */
        tap_queue_packet(tap_pla, pdu->o.ndr.pinfo, &pdu->record);
    }
}

static struct pla_pdu *
new_pdu(const struct ndr *stub, const struct pla_interface *iface, struct pla_call *call, bool response, bool first)
{
    struct pla_pdu *const pdu = wmem_new0(stub->pinfo->pool, struct pla_pdu);

    pdu->o.ndr = *stub;
    pdu->o.top = stub->tree;
    pdu->iface = iface;
    /* The method exists, since packet-dcerpc calls this function only for opnums in the table of sub_dissectors(). */
    pdu->method = pla_find_method(iface, stub->di->call_data->opnum);
    pdu->call = call;
    pdu->response = response;
    pdu->learning = first;
    return pdu;
}

/* Reads the stub a first time, without a tree and expert items. Later pla_dissect() reads it again and adds both. */
static void
read_pdu(struct pla_pdu *pdu)
{
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;

    pdu->o.ndr.tree = NULL;
    pdu->o.quiet = true;
    pdu->info = wmem_strbuf_new(scope, NULL);
    pdu->found = wmem_array_new(scope, sizeof(struct pla_found));
    TRY
    {
        pla_read_stub(pdu);
    }
    CATCH_NONFATAL_ERRORS
    {
        /* pla_dissect() reads the stub again, with a tree; then packet-dcerpc gets the exception. */
    }
    ENDTRY;
    finish_reading(pdu);
}

int
pla_dissect(const struct ndr *stub, const struct pla_interface *iface, struct pla_call *call, bool response, bool first)
{
    struct pla_pdu *pdu;
    int offset, left;

    if (!response) {
        call->iface = iface;
        session_pdu_note(session_pdu_of(stub->pinfo), stub->pinfo, stub->di, &pla_listener, call);
    }
    read_pdu(new_pdu(stub, iface, call, response, first));
    pdu = new_pdu(stub, iface, call, response, false);
    pla_show_object(stub->tree, stub->tvb, stub->pinfo, iface, &stub->di->call_data->object_uuid, call->object);
    if (response) {
        pla_show_response_time(stub);
    }
    pla_read_stub(pdu);
    pla_show_xml(pdu);
    offset = pdu->o.ndr.offset;
    left = (int)tvb_reported_length(stub->tvb) - offset;
    /* Some RPC implementations pad the stub; up to 7 bytes left over are no error. */
    return left < 8 ? offset + left : offset;
}

proto_tree *
pla_add_tree(tvbuff_t *tvb, proto_tree *tree, const struct pla_interface *iface, int opnum, const char *label)
{
    const size_t number = iface == &pla_dispatch_interface ? 0 : (size_t)(iface - pla_interfaces);
    proto_item *item;
    proto_tree *added;

    if (tree == NULL) {
        return NULL;
    }
    item = proto_tree_add_protocol_format(proto_tree_get_root(tree), proto_pla, tvb, 0, -1, "%s", label);
    added = proto_item_add_subtree(item, ett_pla);
    if (opnum >= 0) {
        proto_item_set_generated(proto_tree_add_uint(added, hf_pla_opnum[number], tvb, 0, 0, (uint32_t)opnum));
    }
    return added;
}

static int
pla_dissect_stub(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    dcerpc_call_value *const value = di->call_data;
    const struct ndr stub = { tvb, offset, pinfo, tree, di, drep };
    const bool response = di->ptype == PDU_RESP;
    const struct pla_interface *const iface = pla_find_interface(&value->uuid);
    static const e_guid_t null_guid;
    struct pla_call *call = value->se_data;
    const bool first = call == NULL || (response && !call->answered);

    if (call == NULL) {
        if (response) {
            proto_tree_add_expert(tree, pinfo, &ei_pla_no_request, tvb, offset, 0);
        }
        call = pla_call_new(!response && guid_cmp(&value->object_uuid, &null_guid) != 0
                ? pla_object_called(pinfo, &value->object_uuid, iface)
                : NULL);
        value->se_data = call;
    }
    return pla_dissect(&stub, iface, call, response, first);
}

/*
 * Registers the interfaces with packet-dcerpc: each has its own name in the Protocol column, and all have the same
 * filter name.
 */
static void
register_interfaces(void)
{
    static hf_register_info opnum[PLA_NUM_INTERFACES];

    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        const char *const name = pla_interfaces[i].name;
        /* Other servers have enumerators, too, so IEnumVARIANT has its own filter name. */
        const char *const filter = pla_interfaces[i].kind == PLA_KIND_ENUMERATOR ? "pla.enumerator" : "pla";

        proto_iface[i] =
            proto_register_protocol_in_name_only(name, pla_interfaces[i].short_name, filter, proto_pla, FT_PROTOCOL);
        hf_pla_opnum[i] = -1;
        /* One field per interface, since packet-dcerpc sets the field's strings to the interface's method names. */
        opnum[i] = (hf_register_info){ &hf_pla_opnum[i],
            { "Operation", "pla.opnum", FT_UINT16, BASE_DEC, NULL, 0,
                "Operation number (opnum): which method is called", HFILL } };
    }
    proto_register_field_array(proto_pla, opnum, array_length(opnum));
}

void
proto_register_pla(void)
{
    static hf_register_info hf[] = {
        { &hf_pla_stub,
            { "Stub data", "pla.stub", FT_BYTES, BASE_NONE, NULL, 0, "Parameters of a call that could not be decoded",
                HFILL } },
    };
    static int *ett[] = { &ett_pla };
    static ei_register_info ei[] = {
        { &ei_pla_not_on_wire,
            { "pla.not_on_wire", PI_PROTOCOL, PI_WARN, "This operation number is not used on the network", EXPFILL } },
        { &ei_pla_ndr64, { "pla.ndr64", PI_UNDECODED, PI_WARN, "Parameters in NDR64 are not decoded", EXPFILL } },
        { &ei_pla_no_request,
            { "pla.no_request", PI_SEQUENCE, PI_NOTE, "The request is not in the capture", EXPFILL } },
    };

    proto_pla = proto_register_protocol("Performance Logs and Alerts", "PLA", "pla");
    proto_register_field_array(proto_pla, hf, array_length(hf));
    register_interfaces();
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto_pla), ei, array_length(ei));
    pla_methods_register(proto_pla);
    orpc_register(proto_pla);
    oaut_register(proto_pla);
    dispatch_register(proto_pla);
    pla_tree_register(proto_pla, prefs_register_protocol(proto_pla, NULL));
    pla_hooks_register();
    tap_pla = register_tap("pla");
    pla_faults_register(proto_pla, tap_pla);
}

/* Returns packet-dcerpc's table of the methods of an interface, with the inherited ones. */
static dcerpc_sub_dissector *
sub_dissectors(const struct pla_interface *iface)
{
    const unsigned num = pla_num_opnums(iface);
    dcerpc_sub_dissector *const procs = wmem_alloc0_array(wmem_epan_scope(), dcerpc_sub_dissector, num + 1);
    unsigned count = 0;

    for (unsigned i = 0; i < num; i++) {
        const struct pla_method *const method = pla_find_method(iface, (uint16_t)i);

        if (method != NULL) {
            procs[count++] = (dcerpc_sub_dissector){ (uint16_t)i, method->name, pla_dissect_stub, pla_dissect_stub };
        }
    }
    return procs;
}

void
proto_reg_handoff_pla(void)
{
    orpc_init();
    oaut_init();
    pla_tree_init();
    pla_hooks_init();
    pla_sense_register(&pla_listener);
    stub_recogniser_register(pla_recognise);
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        e_guid_t iid = pla_interfaces[i].iid;
        const char *const taken = dcerpc_get_proto_name(&iid, 0);

        if (taken != NULL) {
            ws_message("PLA: this Wireshark already decodes %s (as %s), so the perflib plugin does not",
                pla_interfaces[i].name, taken);
            continue;
        }
        dcerpc_init_uuid(proto_iface[i], ett_pla, &iid, 0, sub_dissectors(&pla_interfaces[i]), hf_pla_opnum[i]);
        /* Gives the interface's IID a name wherever Wireshark shows GUIDs. */
        guids_add_guid(&iid, pla_interfaces[i].name);
    }
    for (unsigned i = 0; i < pla_num_classes; i++) {
        guids_add_guid(&pla_classes[i].clsid, pla_classes[i].name);
    }
}
