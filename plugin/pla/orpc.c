/* orpc.c
 * Object RPC, [MS-DCOM] 2.2: ORPCTHIS, ORPCTHAT, OBJREF
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/to_str.h>

#include "base/fields.h"
#include "base/text.h"
#include "pla/orpc.h"

#include <epan/dissectors/packet-dcom.h> /* needs those of packet-dcerpc.h */

#define OBJREF_SIGNATURE   0x574f454d /* "MEOW" */
#define OBJREF_STANDARD    1
#define OBJREF_HANDLER     2
#define OBJREF_CUSTOM      4
#define OBJREF_EXTENDED    8
#define OBJREF_HEADER_SIZE 24
#define STDOBJREF_SIZE     40

/* [MS-DCOM] 2.2.21.2: dwVersion, dwHelpContext, iid; then strings, each after a signature. */
#define EXTENDED_ERROR_HEADER_SIZE 24
#define EXTENDED_ERROR_STRING_SENT UINT32_C(0xffffffff)
#define MAX_LABEL_TEXT             120

/* Items an element makes times this stay far below the million a packet's tree may hold. */
#define MAX_ELEMENTS_SHOWN 20000
#define MAX_EXTENTS_SHOWN  64
#define MAX_BINDINGS_SHOWN 64

/* X(variable, title, filter, type, base, strings, mask, what it is) */
/* clang-format off */
#define ORPC_FIELDS(X) \
    X(error_iid, "Interface that failed", "pla.error_info.iid", FT_GUID, BASE_NONE, NULL, 0, NULL) \
    X(error_help_context, "dwHelpContext", "pla.error_info.help_context", FT_UINT32, BASE_DEC, NULL, 0, NULL) \
    X(error_source, "Source", "pla.error_info.source", FT_STRING, BASE_NONE, NULL, 0, NULL) \
    X(error_description, "Description", "pla.error_info.description", FT_STRING, BASE_NONE, NULL, 0, \
      "What the object says of why the call failed") \
    X(error_help_file, "HelpFile", "pla.error_info.help_file", FT_STRING, BASE_NONE, NULL, 0, NULL)
/* clang-format on */
ORPC_FIELDS(FIELD_VARIABLE)

static int ett_orpc = -1;

/* X(variable, filter, group, severity, what it says) */
/* clang-format off */
#define ORPC_EXPERTS(X) \
    X(overrun, "pla.malformed.overrun", PI_MALFORMED, PI_ERROR, "Length reaches beyond the stub") \
    X(structure, "pla.malformed.structure", PI_MALFORMED, PI_ERROR, "Structure makes no sense") \
    X(odd, "pla.odd", PI_PROTOCOL, PI_WARN, "Value breaks its rule") \
    X(not_shown, "pla.not_shown", PI_UNDECODED, PI_NOTE, "Array elements left out")
ORPC_EXPERTS(EXPERT_VARIABLE)

/* Wireshark's own: X(variable, name, type) */
#define ORPC_FOREIGN(X) \
    X(version_major, "dcom.version_major", FT_UINT16) \
    X(version_minor, "dcom.version_minor", FT_UINT16) \
    X(this_flags, "dcom.this.flags", FT_UINT32) \
    X(this_reserved, "dcom.this.res", FT_UINT32) \
    X(this_cid, "dcom.this.uuid", FT_GUID) \
    X(that_flags, "dcom.that.flags", FT_UINT32) \
    X(extent_count, "dcom.extent.array_count", FT_UINT32) \
    X(extent_reserved, "dcom.extent.array_res", FT_UINT32) \
    X(extent_id, "dcom.extent.id", FT_GUID) \
    X(extent_size, "dcom.extent.size", FT_UINT32) \
    X(extent_data, "dcom.nospec", FT_BYTES) \
    X(referent, "dcom.pointer_val", FT_UINT32) \
    X(array_size, "dcom.array_size", FT_UINT32) \
    X(ip_size, "dcom.ip_cnt_data", FT_UINT32) \
    X(objref_signature, "dcom.objref.signature", FT_UINT32) \
    X(objref_flags, "dcom.objref.flags", FT_UINT32) \
    X(iid, "dcom.iid", FT_GUID) \
    X(clsid, "dcom.clsid", FT_GUID) \
    X(std_flags, "dcom.stdobjref.flags", FT_UINT32) \
    X(std_refs, "dcom.stdobjref.public_refs", FT_UINT32) \
    X(oxid, "dcom.oxid", FT_UINT64) \
    X(oid, "dcom.oid", FT_UINT64) \
    X(ipid, "dcom.ipid", FT_GUID) \
    X(dsa_entries, "dcom.dualstringarray.num_entries", FT_UINT16) \
    X(dsa_security_offset, "dcom.dualstringarray.security_offset", FT_UINT16) \
    X(dsa_tower_id, "dcom.dualstringarray.tower_id", FT_UINT16) \
    X(dsa_address, "dcom.dualstringarray.network_addr", FT_STRING) \
    X(dsa_authn, "dcom.dualstringarray.security_authn_svc", FT_UINT16) \
    X(dsa_authz, "dcom.dualstringarray.security_authz_svc", FT_UINT16) \
    X(dsa_principal, "dcom.dualstringarray.security_princ_name", FT_STRING)
/* clang-format on */
ORPC_FOREIGN(FIELD_VARIABLE)

void
orpc_init(void)
{
    static const struct foreign_field fields[] = { ORPC_FOREIGN(FOREIGN_FIELD) };

    foreign_fields_find(fields, array_length(fields));
}

proto_item *
orpc_item(const struct orpc *o, proto_tree *tree, int hf, unsigned offset, unsigned size)
{
    return hf == -1 ? NULL : proto_tree_add_item(tree, hf, o->ndr.tvb, (int)offset, (int)size, ENC_LITTLE_ENDIAN);
}

proto_tree *
orpc_details(proto_tree *tree)
{
    return dcom_prefs_display_unmarshalling_details ? tree : NULL;
}

proto_tree *
orpc_subtree(struct orpc *o, proto_tree *tree, unsigned offset, proto_item **item, const char *label)
{
    *item = NULL;
    return tree == NULL ? NULL : proto_tree_add_subtree(tree, o->ndr.tvb, (int)offset, 0, ett_orpc, item, label);
}

proto_tree *
orpc_item_tree(proto_item *item)
{
    return item != NULL ? proto_item_add_subtree(item, ett_orpc) : NULL;
}

/* The place we are at, or the stub's end where aligning led beyond it. */
static int
within(const struct orpc *o)
{
    return MIN(o->ndr.offset, (int)tvb_reported_length(o->ndr.tvb));
}

void
orpc_set_end(const struct orpc *o, proto_item *item)
{
    proto_item_set_end(item, o->ndr.tvb, within(o));
}

void
orpc_expert(const struct orpc *o, proto_item *item, expert_field *ei, const char *text)
{
    if (o->quiet) {
        return;
    }
    if (text != NULL) {
        expert_add_info_format(o->ndr.pinfo, item, ei, "%s", text);
    } else {
        expert_add_info(o->ndr.pinfo, item, ei);
    }
}

void
orpc_expert_at(const struct orpc *o, expert_field *ei, unsigned offset, unsigned size, const char *text)
{
    if (o->quiet) {
        return;
    }
    if (text != NULL) {
        proto_tree_add_expert_format(o->ndr.tree, o->ndr.pinfo, ei, o->ndr.tvb, (int)offset, (int)size, "%s", text);
    } else {
        proto_tree_add_expert(o->ndr.tree, o->ndr.pinfo, ei, o->ndr.tvb, (int)offset, (int)size);
    }
}

bool
orpc_room(struct orpc *o, uint64_t size, const char *what)
{
    const unsigned left = ndr_remaining(&o->ndr);

    if (size <= left) {
        return true;
    }
    orpc_expert_at(o, &ei_overrun, (unsigned)within(o), 0,
        wmem_strdup_printf(o->ndr.pinfo->pool, "%s needs %" PRIu64 " bytes; the stub has %u left", what, size, left));
    return false;
}

bool
orpc_malformed(struct orpc *o, unsigned size, const char *what)
{
    orpc_expert_at(o, &ei_structure, (unsigned)within(o), size, what);
    return false;
}

void
orpc_odd(struct orpc *o, proto_item *item, const char *what)
{
    orpc_expert(o, item, &ei_odd, what);
}

void
orpc_odd_format(struct orpc *o, unsigned offset, unsigned size, const char *format, ...)
{
    va_list arguments;
    const char *text;

    va_start(arguments, format);
    text = wmem_strdup_vprintf(o->ndr.pinfo->pool, format, arguments);
    va_end(arguments);
    orpc_expert_at(o, &ei_odd, offset, size, text);
}

bool
orpc_may_show(struct orpc *o)
{
    if (o->elements < MAX_ELEMENTS_SHOWN) {
        o->elements++;
        return true;
    }
    if (o->elements == MAX_ELEMENTS_SHOWN) {
        o->elements++;
        orpc_expert_at(o, &ei_not_shown, (unsigned)within(o), 0,
            wmem_strdup_printf(o->ndr.pinfo->pool, "Only the first %d array elements of this call are shown",
                MAX_ELEMENTS_SHOWN));
    }
    return false;
}

bool
orpc_uint16(struct orpc *o, int hf, const char *what, uint16_t *value)
{
    struct ndr *const n = &o->ndr;

    *value = 0;
    ndr_align(n, 2);
    if (!orpc_room(o, 2, what)) {
        return false;
    }
    n->offset = dissect_ndr_uint16(n->tvb, n->offset, n->pinfo, n->tree, n->di, n->drep, hf, value);
    return true;
}

bool
orpc_uint32(struct orpc *o, int hf, const char *what, uint32_t *value)
{
    *value = 0;
    ndr_align(&o->ndr, 4);
    if (!orpc_room(o, 4, what)) {
        return false;
    }
    *value = ndr_uint32(&o->ndr, hf);
    return true;
}

/* A number among the details. */
static bool
read_detail(struct orpc *o, proto_tree *tree, int hf, const char *what, uint32_t *value)
{
    proto_tree *const parent = o->ndr.tree;
    bool ok;

    ndr_align(&o->ndr, 4);
    ok = orpc_room(o, 4, what);
    *value = 0;
    if (ok) {
        o->ndr.tree = orpc_details(tree);
        *value = ndr_uint32(&o->ndr, hf);
        o->ndr.tree = parent;
    }
    return ok;
}

bool
orpc_referent(struct orpc *o, proto_tree *tree, const char *what, uint32_t *referent)
{
    return read_detail(o, tree, hf_referent, what, referent);
}

static bool
array_size(struct orpc *o, const char *what, uint32_t *count)
{
    return read_detail(o, o->ndr.tree, hf_array_size, what, count);
}

/*
 * ErrorInfoString, [MS-DCOM] 2.2.21.3, after the signature that says whether there is one; false where there is no
 * room. The specification leaves open whether what follows is aligned: a signature has two values, which tells.
 */
static bool
error_string(struct orpc *o, proto_tree *tree, int hf, unsigned *offset, unsigned end, const char **text)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    const unsigned aligned = (*offset + 3) & ~3u;
    struct utf16_text measured;
    uint32_t signature, count;

    if (end < *offset + 4) {
        return false;
    }
    signature = tvb_get_letohl(tvb, (int)*offset);
    if (signature != 0 && signature != EXTENDED_ERROR_STRING_SENT && end >= aligned + 4) {
        *offset = aligned;
        signature = tvb_get_letohl(tvb, (int)aligned);
    }
    *offset += 4;
    if (signature != EXTENDED_ERROR_STRING_SENT) {
        return signature == 0;
    }
    if (end < *offset + 12) {
        return false;
    }
    count = tvb_get_letohl(tvb, (int)*offset + 8);
    *offset += 12;
    if (count > (end - *offset) / 2) {
        return false;
    }
    measured = utf16_measure(tvb, *offset, count * 2);
    *text = utf16_get(o->ndr.pinfo->pool, tvb, *offset, measured, ENC_LITTLE_ENDIAN);
    proto_tree_add_string(tree, hf, tvb, (int)*offset, (int)(count * 2), *text);
    *offset += count * 2;
    return true;
}

/* Error information, an OBJREF_CUSTOM with what IErrorInfo says, [MS-DCOM] 2.2.21.1 and 2.2.21.2. False: it is none. */
static bool
error_info(struct orpc *o, proto_item *item, unsigned offset, unsigned size)
{
    static const e_guid_t error_object = { 0x0000031b, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
    const int fields[] = { hf_error_source, hf_error_description, hf_error_help_file };
    tvbuff_t *const tvb = o->ndr.tvb;
    const unsigned end = offset + size;
    const char *texts[array_length(fields)] = { NULL };
    proto_tree *tree;
    e_guid_t clsid;

    if (size < OBJREF_HEADER_SIZE + 24 + EXTENDED_ERROR_HEADER_SIZE ||
        tvb_get_letohl(tvb, (int)offset) != OBJREF_SIGNATURE || tvb_get_letohl(tvb, (int)offset + 4) != OBJREF_CUSTOM) {
        return false;
    }
    tvb_get_letohguid(tvb, (int)offset + OBJREF_HEADER_SIZE, &clsid);
    if (guid_cmp(&clsid, &error_object) != 0) {
        return false;
    }
    tree = orpc_item_tree(item);
    orpc_item(o, tree, hf_objref_signature, offset, 4);
    orpc_item(o, tree, hf_objref_flags, offset + 4, 4);
    orpc_item(o, tree, hf_iid, offset + 8, 16);
    orpc_item(o, tree, hf_clsid, offset + OBJREF_HEADER_SIZE, 16);
    offset += OBJREF_HEADER_SIZE + 24;
    orpc_item(o, tree, hf_error_help_context, offset + 4, 4);
    orpc_item(o, tree, hf_error_iid, offset + 8, 16);
    offset += EXTENDED_ERROR_HEADER_SIZE;
    for (size_t i = 0; i < array_length(fields); i++) {
        if (!error_string(o, tree, fields[i], &offset, end, &texts[i])) {
            orpc_expert(o, item, &ei_structure, "Error information ends within its strings");
            break;
        }
    }
    if (texts[1] != NULL) {
        proto_item_append_text(item, ": %s", line_text_copy(o->ndr.pinfo->pool, texts[1], MAX_LABEL_TEXT));
        o->error_text = texts[1];
    }
    return true;
}

/* Shows what an extent says, if it is one that is known. */
static void
known_extent(struct orpc *o, proto_item *item, const e_guid_t *id, unsigned offset, unsigned size)
{
    static const e_guid_t error_extension = { 0x0000031c, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };

    if (guid_cmp(id, &error_extension) != 0) {
        return;
    }
    /* The OBJREF alone, or as an MInterfacePointer with one or both of its sizes before it. */
    for (unsigned lead = 0; lead <= 8 && lead < size; lead += 4) {
        if (error_info(o, item, offset + lead, size - lead)) {
            return;
        }
    }
}

/* ORPC_EXTENT, [MS-DCOM] 2.2.13.2; its conformance comes first. */
static bool
orpc_extent(struct orpc *o)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    proto_item *item, *data;
    uint32_t room, size = 0;
    bool ok;

    ndr_align(n, 4);
    n->tree = orpc_subtree(o, parent, (unsigned)n->offset, &item, "ORPC_EXTENT");
    ok = array_size(o, "ORPC_EXTENT max count", &room) && orpc_room(o, 16, "ORPC_EXTENT id");
    if (ok) {
        const e_guid_t id = ndr_guid(n, hf_extent_id, NULL);

        ok = orpc_uint32(o, hf_extent_size, "ORPC_EXTENT size", &size) && orpc_room(o, room, "ORPC_EXTENT data");
        if (ok) {
            proto_item_append_text(item, ": %s, %u bytes", guid_to_str(n->pinfo->pool, &id), size);
            if (size > room) {
                orpc_odd(o, item, "ORPC_EXTENT size is above the room it was sent in");
            }
            if (MIN(size, room) > 0) {
                data = orpc_item(o, n->tree, hf_extent_data, (unsigned)n->offset, MIN(size, room));
                known_extent(o, data, &id, (unsigned)n->offset, MIN(size, room));
            }
            n->offset += (int)room;
        }
    }
    orpc_set_end(o, item);
    n->tree = parent;
    return ok;
}

/* The extensions pointer that ends ORPCTHIS and ORPCTHAT, [MS-DCOM] 2.2.13.1. */
static bool
extensions(struct orpc *o)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    uint32_t referent, count, room;
    unsigned array, sent = 0;

    if (!orpc_referent(o, parent, "ORPC extensions", &referent)) {
        return false;
    }
    if (referent == 0) {
        return true;
    }
    if (!orpc_uint32(o, hf_extent_count, "ORPC_EXTENT_ARRAY size", &count) ||
        !orpc_uint32(o, hf_extent_reserved, "ORPC_EXTENT_ARRAY reserved", &room) ||
        !orpc_referent(o, parent, "ORPC_EXTENT_ARRAY extent", &referent)) {
        return false;
    }
    if (referent == 0) {
        return true;
    }
    if (!array_size(o, "ORPC_EXTENT_ARRAY max count", &room) ||
        !orpc_room(o, (uint64_t)room * 4, "ORPC_EXTENT_ARRAY pointers")) {
        return false;
    }
    array = (unsigned)n->offset;
    n->offset += (int)(room * 4);
    for (unsigned i = 0; i < room; i++) {
        if (tvb_get_letohl(n->tvb, (int)(array + i * 4)) == 0) {
            continue;
        }
        n->tree = sent++ < MAX_EXTENTS_SHOWN ? parent : NULL;
        if (!orpc_extent(o)) {
            n->tree = parent;
            return false;
        }
    }
    n->tree = parent;
    return true;
}

bool
orpc_this(struct orpc *o)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    proto_item *item;
    uint16_t major, minor;
    uint32_t unused;
    bool ok;

    n->tree = orpc_subtree(o, parent, (unsigned)n->offset, &item, "ORPCTHIS");
    ok = orpc_uint16(o, hf_version_major, "ORPCTHIS version", &major) &&
        orpc_uint16(o, hf_version_minor, "ORPCTHIS version", &minor) &&
        orpc_uint32(o, hf_this_flags, "ORPCTHIS flags", &unused) &&
        orpc_uint32(o, hf_this_reserved, "ORPCTHIS reserved1", &unused) && orpc_room(o, 16, "ORPCTHIS cid");
    if (ok) {
        const e_guid_t cid = ndr_guid(n, hf_this_cid, NULL);

        proto_item_append_text(item, " %u.%u, causality id %s", major, minor, guid_to_str(n->pinfo->pool, &cid));
        ok = extensions(o);
    }
    orpc_set_end(o, item);
    n->tree = parent;
    return ok;
}

bool
orpc_that(struct orpc *o)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    proto_item *item;
    uint32_t flags;
    bool ok;

    n->tree = orpc_subtree(o, parent, (unsigned)n->offset, &item, "ORPCTHAT");
    ok = orpc_uint32(o, hf_that_flags, "ORPCTHAT flags", &flags) && extensions(o);
    orpc_set_end(o, item);
    n->tree = parent;
    return ok;
}

bool
orpc_minterface_pointer(struct orpc *o, proto_tree *tree, struct orpc_objref *ref)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    uint32_t room, size;

    memset(ref, 0, sizeof *ref);
    ndr_align(n, 4);
    if (!orpc_room(o, 8, "MInterfacePointer")) {
        return false;
    }
    n->tree = orpc_details(tree);
    room = ndr_uint32(n, hf_array_size);
    size = ndr_uint32(n, hf_ip_size);
    n->tree = parent;
    if (!orpc_room(o, room, "MInterfacePointer abData")) {
        return false;
    }
    ref->offset = (unsigned)n->offset;
    ref->size = MIN(size, room);
    if (size != room) {
        orpc_odd_format(o, ref->offset - 8, 8, "MInterfacePointer ulCntData %u differs from its max count %u", size,
            room);
    }
    if (ref->size < OBJREF_HEADER_SIZE || tvb_get_letohl(n->tvb, n->offset) != OBJREF_SIGNATURE) {
        orpc_malformed(o, ref->size, "OBJREF without its signature MEOW");
        n->offset += (int)room;
        return true;
    }
    ref->flags = tvb_get_letohl(n->tvb, n->offset + 4);
    tvb_get_letohguid(n->tvb, n->offset + 8, &ref->iid);
    if ((ref->flags & (OBJREF_STANDARD | OBJREF_HANDLER | OBJREF_EXTENDED)) != 0) {
        if (ref->size >= OBJREF_HEADER_SIZE + STDOBJREF_SIZE) {
            ref->standard = true;
            ref->oid = tvb_get_letoh64(n->tvb, n->offset + 40);
            tvb_get_letohguid(n->tvb, n->offset + 48, &ref->ipid);
        } else {
            orpc_malformed(o, ref->size, "OBJREF ends within its STDOBJREF");
        }
    }
    n->offset += (int)room;
    return true;
}

bool
orpc_interface_pointer(struct orpc *o, proto_tree *tree, struct orpc_objref *ref)
{
    uint32_t referent;

    memset(ref, 0, sizeof *ref);
    ref->null = true;
    if (!orpc_referent(o, tree, "Interface pointer", &referent)) {
        return false;
    }
    return referent == 0 || orpc_minterface_pointer(o, tree, ref);
}

/* One binding's zero-ended string, and with it the binding's end; returns the offset after it. */
static unsigned
binding_string(struct orpc *o, proto_tree *tree, proto_item *binding, int hf, unsigned offset, unsigned end)
{
    unsigned stop = offset;

    while (stop + 2 <= end && tvb_get_letohs(o->ndr.tvb, (int)stop) != 0) {
        stop += 2;
    }
    if (hf != -1) {
        const uint8_t *text = NULL;

        proto_tree_add_item_ret_string(tree, hf, o->ndr.tvb, (int)offset, (int)(stop - offset),
            ENC_UTF_16 | ENC_LITTLE_ENDIAN, o->ndr.pinfo->pool, &text);
        proto_item_append_text(binding, ": %s", line_text_copy(o->ndr.pinfo->pool, (const char *)text, MAX_LABEL_TEXT));
    }
    stop = MIN(stop + 2, end);
    proto_item_set_end(binding, o->ndr.tvb, (int)stop);
    return stop;
}

/* DUALSTRINGARRAY, [MS-DCOM] 2.2.19: string bindings, 0, security bindings, 0; counted in 16-bit units. */
static void
show_dual_string_array(struct orpc *o, proto_tree *parent, unsigned offset, unsigned end)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    proto_item *item, *binding;
    proto_tree *tree, *binding_tree;
    unsigned security, shown = 0;

    if (end < offset + 4) {
        return;
    }
    tree = orpc_subtree(o, parent, offset, &item, "DUALSTRINGARRAY");
    orpc_item(o, tree, hf_dsa_entries, offset, 2);
    orpc_item(o, tree, hf_dsa_security_offset, offset + 2, 2);
    security = MIN(offset + 4 + tvb_get_letohs(tvb, (int)offset + 2) * 2u, end);
    end = MIN(offset + 4 + tvb_get_letohs(tvb, (int)offset) * 2u, end);
    proto_item_set_end(item, tvb, (int)end);
    offset += 4;
    while (offset + 4 <= MIN(security, end) && tvb_get_letohs(tvb, (int)offset) != 0 && shown++ < MAX_BINDINGS_SHOWN) {
        binding_tree = orpc_subtree(o, tree, offset, &binding, "STRINGBINDING");
        orpc_item(o, binding_tree, hf_dsa_tower_id, offset, 2);
        offset = binding_string(o, binding_tree, binding, hf_dsa_address, offset + 2, end);
    }
    offset = security;
    while (offset + 4 <= end && tvb_get_letohs(tvb, (int)offset) != 0 && shown++ < MAX_BINDINGS_SHOWN) {
        binding_tree = orpc_subtree(o, tree, offset, &binding, "SECURITYBINDING");
        orpc_item(o, binding_tree, hf_dsa_authn, offset, 2);
        orpc_item(o, binding_tree, hf_dsa_authz, offset + 2, 2);
        offset = binding_string(o, binding_tree, binding, hf_dsa_principal, offset + 4, end);
    }
}

void
orpc_show_objref(struct orpc *o, proto_tree *tree, const struct orpc_objref *ref)
{
    const unsigned end = ref->offset + ref->size;
    unsigned offset = ref->offset + OBJREF_HEADER_SIZE;

    if (tree == NULL || ref->null || ref->size < OBJREF_HEADER_SIZE) {
        return;
    }
    orpc_item(o, tree, hf_objref_signature, ref->offset, 4);
    orpc_item(o, tree, hf_objref_flags, ref->offset + 4, 4);
    orpc_item(o, tree, hf_iid, ref->offset + 8, 16);
    if (ref->standard) {
        orpc_item(o, tree, hf_std_flags, offset, 4);
        orpc_item(o, tree, hf_std_refs, offset + 4, 4);
        orpc_item(o, tree, hf_oxid, offset + 8, 8);
        orpc_item(o, tree, hf_oid, offset + 16, 8);
        orpc_item(o, tree, hf_ipid, offset + 24, 16);
        offset += STDOBJREF_SIZE;
    }
    if ((ref->flags & (OBJREF_HANDLER | OBJREF_CUSTOM)) != 0 && end - offset >= 16) {
        orpc_item(o, tree, hf_clsid, offset, 16);
        offset += 16;
    }
    if (ref->standard && (ref->flags & (OBJREF_STANDARD | OBJREF_HANDLER)) != 0) {
        show_dual_string_array(o, tree, offset, end);
    } else if (offset < end) {
        orpc_item(o, tree, hf_extent_data, offset, end - offset);
    }
}

void
orpc_register(int proto)
{
    static hf_register_info hf[] = { ORPC_FIELDS(FIELD_REGISTERED) };
    static int *ett[] = { &ett_orpc };
    static ei_register_info ei[] = { ORPC_EXPERTS(EXPERT_REGISTERED) };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
