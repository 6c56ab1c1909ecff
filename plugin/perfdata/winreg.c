/* winreg.c
 * Wireshark's dissector of the remote registry (winreg): hooks into its operation table, and parameters shown as it
 * shows them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/winreg.h"

#include <wsutil/wslog.h>

#include "base/fields.h"
#include "perfdata/record.h"

const e_guid_t winreg_uuid = { 0x338cd001, 0x2244, 0x31f1, { 0xaa, 0xaa, 0x90, 0x00, 0x38, 0x00, 0x10, 0x03 } };

static int hf_perfdata_value_type = -1;

static int ett_perfdata_pointer = -1;
static int ett_perfdata_handle = -1;
static int ett_perfdata_name = -1;

static expert_field ei_perfdata_array_count = EI_INIT;

struct winreg_own_fields winreg;

static const struct foreign_field winreg_fields[] = {
    { &winreg.referent_id, "dcerpc.referent_id", FT_UINT32 },
    { &winreg.referent_id64, "dcerpc.referent_id64", FT_UINT64 },
    { &winreg.null_pointer, "dcerpc.null_pointer", FT_BYTES },
    { &winreg.handle, "winreg.handle", FT_BYTES },
    { &winreg.name_len, "winreg.winreg_String.name_len", FT_UINT16 },
    { &winreg.name_size, "winreg.winreg_String.name_size", FT_UINT16 },
    { &winreg.value_name, "winreg.winreg_QueryValue.value_name", FT_STRING },
    { &winreg.type, "winreg.winreg_QueryValue.type", FT_NONE },
    { &winreg.data_size, "winreg.winreg_QueryValue.data_size", FT_UINT32 },
    { &winreg.data_length, "winreg.winreg_QueryValue.data_length", FT_UINT32 },
    { &winreg.error, "winreg.werror", FT_UINT32 },
    { &winreg.value_length, "winreg.QueryMultipleValue.ve_valuelen", FT_UINT32 },
    { &winreg.value_offset, "winreg.QueryMultipleValue.ve_valueptr", FT_UINT32 },
    { &winreg.buffer_size, "winreg.winreg_QueryMultipleValues.buffer_size", FT_UINT32 },
    { &winreg.needed, "winreg.winreg_QueryMultipleValues2.needed", FT_UINT32 },
};

/* The types of registry values, [MS-RRP] 2.2.9 */
static const value_string value_type_vals[] = {
    { 0, "REG_NONE" },
    { 1, "REG_SZ" },
    { 2, "REG_EXPAND_SZ" },
    { 3, "REG_BINARY" },
    { 4, "REG_DWORD" },
    { 5, "REG_DWORD_BIG_ENDIAN" },
    { 6, "REG_LINK" },
    { 7, "REG_MULTI_SZ" },
    { 11, "REG_QWORD" },
    { 0, NULL },
};

void
winreg_handle(struct ndr *n)
{
    proto_tree *sub = proto_tree_add_subtree(n->tree, n->tvb, n->offset, POLICY_HANDLE_SIZE, ett_perfdata_handle, NULL,
        "Pointer to Handle (policy_handle)");

    proto_tree_add_item(sub, winreg.handle, n->tvb, n->offset, POLICY_HANDLE_SIZE, ENC_NA);
    n->offset += POLICY_HANDLE_SIZE;
}

void
winreg_value_name(struct ndr *n)
{
    proto_tree *outer = n->tree, *sub;
    proto_item *item;
    const int start = n->offset;

    n->tree = proto_tree_add_subtree(outer, n->tvb, start, -1, ett_perfdata_name, &item, "Value Name: ");
    ndr_align(n, ndr_is_64(n) ? 8 : 4);
    proto_tree_add_item(n->tree, winreg.name_len, n->tvb, n->offset, 2, ndr_encoding(n));
    proto_tree_add_item(n->tree, winreg.name_size, n->tvb, n->offset + 2, 2, ndr_encoding(n));
    n->offset += 4;
    if (winreg_pointer(n, "Value Name", &sub)) {
        const int counts = n->offset;
        struct ndr_wstring name;
        const char *text;

        n->tree = sub;
        text = ndr_wstring(n, winreg.value_name, &name);
        proto_item_append_text(item, "%s", line_text(n->pinfo->pool, text));
        if (name.overrun) {
            winreg_tell_overrun(n, sub, counts, n->offset - counts, "The value name is longer than the stub");
        }
    }
    proto_item_set_len(item, n->offset - start);
    n->tree = outer;
}

/* Adds the same items as Wireshark's winreg dissector: a subtree for the pointer, or an item for a NULL pointer. */
bool
winreg_pointer(struct ndr *n, const char *label, proto_tree **sub)
{
    const int size = ndr_is_64(n) ? 8 : 4;
    uint64_t referent;

    referent = ndr_uint3264(n, -1);
    *sub = NULL;
    if (referent == 0) {
        proto_tree_add_bytes_format(n->tree, winreg.null_pointer, n->tvb, n->offset - size, size, NULL,
            "NULL Pointer: %s", label);
        return false;
    }
    *sub = proto_tree_add_subtree(n->tree, n->tvb, n->offset - size, size, ett_perfdata_pointer, NULL, label);
    if (size == 8) {
        proto_tree_add_uint64(*sub, winreg.referent_id64, n->tvb, n->offset - size, size, referent);
    } else {
        proto_tree_add_uint(*sub, winreg.referent_id, n->tvb, n->offset - size, size, (uint32_t)referent);
    }
    return true;
}

/* Reads a unique uint32 parameter; 0 if the pointer is NULL. */
static uint32_t
pointed_uint32(struct ndr *n, const char *label, int hf)
{
    proto_tree *outer = n->tree, *sub;
    uint32_t value = 0;

    if (winreg_pointer(n, label, &sub)) {
        n->tree = sub;
        value = ndr_uint32(n, hf);
        n->tree = outer;
    }
    return value;
}

void
winreg_type(struct ndr *n)
{
    proto_tree *sub;

    if (winreg_pointer(n, "Pointer to Type (winreg_Type)", &sub)) {
        const uint32_t type = ndr_uint32(n, -1);
        proto_item *item = proto_tree_add_none_format(sub, winreg.type, n->tvb, n->offset - 4, 4, "Type: %s (%u)",
            val_to_str_const(type, value_type_vals, "unknown"), type);

        sub = proto_item_add_subtree(item, ett_perfdata_pointer);
        proto_item_set_hidden(proto_tree_add_uint(sub, hf_perfdata_value_type, n->tvb, n->offset - 4, 4, type));
    }
}

void
winreg_plain_type(struct ndr *n)
{
    ndr_uint32(n, hf_perfdata_value_type);
}

uint32_t
winreg_data_size(struct ndr *n)
{
    return pointed_uint32(n, "Pointer to Data Size (uint32)", winreg.data_size);
}

uint32_t
winreg_data_length(struct ndr *n)
{
    return pointed_uint32(n, "Pointer to Data Length (uint32)", winreg.data_length);
}

uint32_t
winreg_buffer_size(struct ndr *n)
{
    return ndr_uint32(n, n->di->call_data->opnum == WINREG_QUERY_MULTIPLE_VALUES ? winreg.buffer_size : winreg.needed);
}

tvbuff_t *
winreg_data(struct ndr *n, unsigned tail, proto_tree **sub)
{
    proto_tree *outer = n->tree, *below;
    struct ndr_counts counts;
    unsigned left, size;
    tvbuff_t *data;

    if (sub == NULL) {
        n->tree = NULL;
    }
    if (!winreg_pointer(n, "Pointer to Data (uint8)", &below)) {
        n->tree = outer;
        return NULL;
    }
    n->tree = below;
    counts = ndr_conformant_varying(n);
    n->tree = outer;
    left = ndr_remaining(n);
    size = (unsigned)MIN(counts.actual, left);
    if (counts.actual > left) {
        /* Counts have this size (NDR, NDR64), and the data end at a multiple of it. */
        const unsigned alignment = ndr_is_64(n) ? 8 : 4;

        size = left > tail ? (left - tail) / alignment * alignment : left;
        if (sub != NULL) {
            winreg_tell_overrun(n, below, n->offset - (int)alignment, (int)alignment,
                wmem_strdup_printf(n->pinfo->pool,
                    "The array should have %" PRIu64 " bytes, but only %u are left in the stub: %u are read",
                    counts.actual, left, size));
        }
    }
    if (sub != NULL) {
        *sub = below;
    }
    data = tvb_new_subset_length(n->tvb, n->offset, (int)size);
    n->offset += (int)size;
    return data;
}

void
winreg_tell_overrun(const struct ndr *n, proto_tree *tree, int offset, int size, const char *text)
{
    proto_tree_add_expert_format(tree, n->pinfo, &ei_perfdata_array_count, n->tvb, offset, size, "%s", text);
}

const char *
winreg_read_string(struct ndr *n)
{
    const int alignment = ndr_is_64(n) ? 8 : 4;
    unsigned size;
    uint64_t count;

    ndr_align(n, alignment);
    /* Five parts of this size: both lengths (with padding), the pointer, and the array's three counts */
    if (tvb_captured_length_remaining(n->tvb, n->offset) < 5 * alignment) {
        return NULL;
    }
    n->offset += 4;
    if (ndr_uint3264(n, -1) == 0) {
        return NULL;
    }
    ndr_uint3264(n, -1);
    ndr_uint3264(n, -1);
    count = ndr_uint3264(n, -1);
    if (count > UINT16_MAX) {
        return NULL;
    }
    size = MIN((unsigned)count * 2, (unsigned)tvb_captured_length_remaining(n->tvb, n->offset));
    return utf16_get(n->pinfo->pool, n->tvb, (unsigned)n->offset, utf16_measure(n->tvb, (unsigned)n->offset, size),
        ndr_encoding(n));
}

void
winreg_hook(const struct rpc_hook *operations, size_t count)
{
    const char *missing = foreign_fields_find(winreg_fields, array_length(winreg_fields));

    if (missing != NULL) {
        ws_warning("perfdata: this Wireshark has no field %s, so performance data is not decoded", missing);
    } else {
        rpc_hook(operations, count);
    }
}

void
winreg_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_perfdata_value_type,
            { "Type", "perfdata.value_type", FT_UINT32, BASE_DEC, VALS(value_type_vals), 0,
                "Type of the registry value", HFILL } },
    };
    static int *ett[] = { &ett_perfdata_pointer, &ett_perfdata_handle, &ett_perfdata_name };
    static ei_register_info ei[] = {
        { &ei_perfdata_array_count,
            { "perfdata.array_count", PI_MALFORMED, PI_ERROR, "Array is longer than the stub", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
