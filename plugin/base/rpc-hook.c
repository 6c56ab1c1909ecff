/* rpc-hook.c
 * Replaces functions in the operation tables of interfaces that Wireshark dissects itself
 *
 * Why: the DCOM calls that create, query and release objects belong to interfaces that Wireshark dissects, and an
 * interface can have one dissector only.
 *
 * What would break this: a packet-dcerpc that copies the operation tables, or that keeps them by another key than UUID
 * and version. Then no operation is hooked, and Wireshark's own functions are called as without the plugin.
 *
 * Tried: Wireshark 4.0.17, 4.4.19, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"
#include "base/rpc-call.h"

/* A hooked operation and Wireshark's own functions for it */
struct hooked_operation {
    const struct rpc_hook *hook;
    dcerpc_dissect_fnct_t *request, *response;
};

static wmem_array_t *all_hooked; /* elements: struct hooked_operation */

/* Returns packet-dcerpc's entry for an interface, or NULL if no dissector is registered for it. */
static dcerpc_uuid_value *
find_interface(const e_guid_t *uuid, uint16_t version)
{
    guid_key key = { *uuid, version };

    return (dcerpc_uuid_value *)g_hash_table_lookup(dcerpc_uuids, &key);
}

static const struct hooked_operation *
find_hooked(const dcerpc_info *di)
{
    const dcerpc_call_value *call = di->call_data;

    for (unsigned i = 0; i < wmem_array_get_count(all_hooked); i++) {
        const struct hooked_operation *hooked = (const struct hooked_operation *)wmem_array_index(all_hooked, i);

        if (hooked->hook->opnum == call->opnum && guid_cmp(hooked->hook->uuid, &call->uuid) == 0) {
            return hooked;
        }
    }
    return NULL;
}

static int
dissect_hooked_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    return find_hooked(di)->hook->request(&(struct ndr){ tvb, offset, pinfo, tree, di, drep });
}

static int
dissect_hooked_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    return find_hooked(di)->hook->response(&(struct ndr){ tvb, offset, pinfo, tree, di, drep });
}

static void
hook_operation(dcerpc_sub_dissector *operation, const struct rpc_hook *hook)
{
    const struct hooked_operation hooked = { hook, operation->dissect_rqst, operation->dissect_resp };

    if ((hooked.request == NULL) != (hooked.response == NULL)) {
        return;
    }
    wmem_array_append(all_hooked, &hooked, 1);
    if (hook->request != NULL) {
        operation->dissect_rqst = dissect_hooked_request;
    }
    if (hook->response != NULL) {
        operation->dissect_resp = dissect_hooked_response;
    }
}

void
rpc_hook(const struct rpc_hook *hooks, size_t count)
{
    dcerpc_sub_dissector *table = NULL;
    size_t operations = 0;

    if (all_hooked == NULL) {
        all_hooked = wmem_array_new(wmem_epan_scope(), sizeof(struct hooked_operation));
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || guid_cmp(hooks[i].uuid, hooks[i - 1].uuid) != 0) {
            dcerpc_uuid_value *found = find_interface(hooks[i].uuid, hooks[i].version);

            operations = 0;
            while (found != NULL && found->procs[operations].name != NULL) {
                operations++;
            }
            if (found != NULL) {
                table = (dcerpc_sub_dissector *)wmem_memdup(wmem_epan_scope(), found->procs,
                    (operations + 1) * sizeof *table);
                found->procs = table;
            }
        }
        for (size_t j = 0; j < operations; j++) {
            if (table[j].num == hooks[i].opnum) {
                hook_operation(&table[j], &hooks[i]);
            }
        }
    }
}

int
rpc_hook_ask_wireshark(const struct ndr *stub, bool is_response)
{
    const struct hooked_operation *hooked = find_hooked(stub->di);
    dcerpc_dissect_fnct_t *theirs = is_response ? hooked->response : hooked->request;
    const int hf = theirs == NULL ? foreign_field_find("dcerpc.stub_data", FT_BYTES) : -1;

    if (theirs != NULL) {
        return theirs(stub->tvb, stub->offset, stub->pinfo, stub->tree, stub->di, stub->drep);
    }
    if (hf != -1) {
        proto_tree_add_item(stub->tree, hf, stub->tvb, stub->offset, -1, ENC_NA);
    }
    return (int)tvb_reported_length(stub->tvb);
}

const char *
rpc_operation_name(const e_guid_t *uuid, uint16_t version, unsigned opnum)
{
    const dcerpc_uuid_value *found = find_interface(uuid, version);

    for (size_t i = 0; found != NULL && found->procs[i].name != NULL; i++) {
        if (found->procs[i].num == opnum) {
            return found->procs[i].name;
        }
    }
    return NULL;
}
