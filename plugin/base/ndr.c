/* ndr.c
 * The parts of NDR and NDR64 that Wireshark does not export to plugins
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/ndr.h"

#include "base/fields.h"

/* Wireshark's own fields */
static int hf_ws_dcerpc_array_max_count = -1;
static int hf_ws_dcerpc_array_offset = -1;
static int hf_ws_dcerpc_array_actual_count = -1;

static const struct foreign_field foreign_fields[] = {
    { &hf_ws_dcerpc_array_max_count, "dcerpc.array.max_count", FT_UINT32 },
    { &hf_ws_dcerpc_array_offset, "dcerpc.array.offset", FT_UINT32 },
    { &hf_ws_dcerpc_array_actual_count, "dcerpc.array.actual_count", FT_UINT32 },
};

void
ndr_init(void)
{
    foreign_fields_find(foreign_fields, array_length(foreign_fields));
}

bool
ndr_is_64(const struct ndr *n)
{
    return (n->di->call_data->flags & DCERPC_IS_NDR64) != 0;
}

unsigned
ndr_encoding(const struct ndr *n)
{
    return DREP_ENC_INTEGER(n->drep);
}

void
ndr_align(struct ndr *n, int alignment)
{
    n->offset = (n->offset + alignment - 1) & ~(alignment - 1);
}

unsigned
ndr_remaining(const struct ndr *n)
{
    const int left = (int)tvb_reported_length(n->tvb) - n->offset;

    return left > 0 ? (unsigned)left : 0;
}

uint32_t
ndr_uint32(struct ndr *n, int hf)
{
    const unsigned encoding = ndr_encoding(n);
    uint32_t value;

    ndr_align(n, 4);
    value = perflib_tvb_get_uint32(n->tvb, n->offset, encoding);
    /* Without a tree, adding an item would cost more than reading the number. */
    if (n->tree != NULL && hf != -1) {
        proto_tree_add_item(n->tree, hf, n->tvb, n->offset, 4, encoding);
    }
    n->offset += 4;
    return value;
}

uint64_t
ndr_uint3264(struct ndr *n, int hf)
{
    uint64_t value;

    if (!ndr_is_64(n)) {
        return ndr_uint32(n, hf);
    }
    ndr_align(n, 8);
    value = perflib_tvb_get_uint64(n->tvb, n->offset, ndr_encoding(n));
    if (n->tree != NULL && hf != -1) {
        proto_tree_add_uint_format_value(n->tree, hf, n->tvb, n->offset, 8, (uint32_t)value, "%" PRIu64, value);
    }
    n->offset += 8;
    return value;
}

e_guid_t
ndr_guid(struct ndr *n, int hf, proto_item **item)
{
    e_guid_t guid;
    proto_item *added;

    ndr_align(n, 4);
    tvb_get_guid(n->tvb, n->offset, &guid, ndr_encoding(n));
    added = n->tree != NULL ? proto_tree_add_guid(n->tree, hf, n->tvb, n->offset, 16, &guid) : NULL;
    if (item != NULL) {
        *item = added;
    }
    n->offset += 16;
    return guid;
}

struct ndr_counts
ndr_conformant(struct ndr *n)
{
    const uint64_t max = ndr_uint3264(n, hf_ws_dcerpc_array_max_count);

    return (struct ndr_counts){ .max = max, .actual = max };
}

struct ndr_counts
ndr_conformant_varying(struct ndr *n)
{
    struct ndr_counts counts;

    counts.max = ndr_uint3264(n, hf_ws_dcerpc_array_max_count);
    counts.offset = ndr_uint3264(n, hf_ws_dcerpc_array_offset);
    counts.actual = ndr_uint3264(n, hf_ws_dcerpc_array_actual_count);
    return counts;
}

const char *
ndr_wstring(struct ndr *n, int hf, struct ndr_wstring *string)
{
    unsigned left, size;
    const char *text;

    string->counts = ndr_conformant_varying(n);
    left = ndr_remaining(n) & ~1u;
    string->overrun = string->counts.actual > left / 2;
    size = string->overrun ? left : (unsigned)string->counts.actual * 2;
    string->text = utf16_measure(n->tvb, (unsigned)n->offset, size);
    text = utf16_get(n->pinfo->pool, n->tvb, (unsigned)n->offset, string->text, ndr_encoding(n));
    /* Not called without a tree, as proto_tree_add_string() does part of its work even then. */
    if (n->tree != NULL) {
        proto_tree_add_string(n->tree, hf, n->tvb, n->offset, (int)size, text);
    }
    n->offset += (int)size;
    return text;
}
