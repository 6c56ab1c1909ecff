/* orpc.c
 * Object RPC, [MS-DCOM] 2.2: ORPCTHIS, ORPCTHAT, OBJREF
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/orpc.h"

#include <epan/to_str.h>

#include <wsutil/inet_addr.h>

#include "base/bytes.h"
#include "base/fields.h"

#include <epan/dissectors/packet-dcom.h> /* must follow packet-dcerpc.h */

#define OBJREF_SIGNATURE   0x574f454d /* signature "MEOW" of an OBJREF, little-endian */
#define OBJREF_STANDARD    1
#define OBJREF_HANDLER     2
#define OBJREF_CUSTOM      4
#define OBJREF_EXTENDED    8
#define OBJREF_HEADER_SIZE 24
#define STDOBJREF_SIZE     40
#define CLSID_SIZE         16u
#define HAS_STDOBJREF      (OBJREF_STANDARD | OBJREF_HANDLER | OBJREF_EXTENDED)

/* Tower ID of ncacn_ip_tcp in string bindings, [MS-DCOM] 2.2.19.3, and the port of activations, [MS-DCOM] 1.9. */
#define TOWER_TCP        7
#define ACTIVATION_PORT  135
#define MAX_BINDING_TEXT 64

/*
 * Size of the fixed part of error information, [MS-DCOM] 2.2.21.2: dwVersion, dwHelpContext, iid. Strings follow,
 * each after a signature.
 */
#define EXTENDED_ERROR_HEADER_SIZE 24
#define EXTENDED_ERROR_STRING_SENT UINT32_C(0xffffffff)
#define MAX_LABEL_TEXT             120

/*
 * Maximum number of array elements shown. With several items per element this stays far below Wireshark's limit of a
 * million items per packet.
 */
#define MAX_ELEMENTS_SHOWN 20000
#define MAX_EXTENTS_SHOWN  64
#define MAX_BINDINGS_SHOWN 64

static int hf_pla_error_info_iid = -1;
static int hf_pla_error_info_help_context = -1;
static int hf_pla_error_info_source = -1;
static int hf_pla_error_info_description = -1;
static int hf_pla_error_info_help_file = -1;

static int ett_pla_orpc = -1;

static expert_field ei_pla_malformed_overrun = EI_INIT;
static expert_field ei_pla_malformed_structure = EI_INIT;
static expert_field ei_pla_odd = EI_INIT;
static expert_field ei_pla_not_shown = EI_INIT;

/* Fields of Wireshark's DCOM dissector */
static int hf_ws_dcom_version_major = -1;
static int hf_ws_dcom_version_minor = -1;
static int hf_ws_dcom_this_flags = -1;
static int hf_ws_dcom_this_res = -1;
static int hf_ws_dcom_this_uuid = -1;
static int hf_ws_dcom_that_flags = -1;
static int hf_ws_dcom_extent_array_count = -1;
static int hf_ws_dcom_extent_array_res = -1;
static int hf_ws_dcom_extent_id = -1;
static int hf_ws_dcom_extent_size = -1;
static int hf_ws_dcom_nospec = -1;
static int hf_ws_dcom_pointer_val = -1;
static int hf_ws_dcom_array_size = -1;
static int hf_ws_dcom_ip_cnt_data = -1;
static int hf_ws_dcom_objref_signature = -1;
static int hf_ws_dcom_objref_flags = -1;
static int hf_ws_dcom_iid = -1;
static int hf_ws_dcom_clsid = -1;
static int hf_ws_dcom_stdobjref_flags = -1;
static int hf_ws_dcom_stdobjref_public_refs = -1;
static int hf_ws_dcom_oxid = -1;
static int hf_ws_dcom_oid = -1;
static int hf_ws_dcom_ipid = -1;
static int hf_ws_dcom_dualstringarray_num_entries = -1;
static int hf_ws_dcom_dualstringarray_security_offset = -1;
static int hf_ws_dcom_dualstringarray_tower_id = -1;
static int hf_ws_dcom_dualstringarray_network_addr = -1;
static int hf_ws_dcom_dualstringarray_security_authn_svc = -1;
static int hf_ws_dcom_dualstringarray_security_authz_svc = -1;
static int hf_ws_dcom_dualstringarray_security_princ_name = -1;

static const struct foreign_field foreign_fields[] = {
    { &hf_ws_dcom_version_major, "dcom.version_major", FT_UINT16 },
    { &hf_ws_dcom_version_minor, "dcom.version_minor", FT_UINT16 },
    { &hf_ws_dcom_this_flags, "dcom.this.flags", FT_UINT32 },
    { &hf_ws_dcom_this_res, "dcom.this.res", FT_UINT32 },
    { &hf_ws_dcom_this_uuid, "dcom.this.uuid", FT_GUID },
    { &hf_ws_dcom_that_flags, "dcom.that.flags", FT_UINT32 },
    { &hf_ws_dcom_extent_array_count, "dcom.extent.array_count", FT_UINT32 },
    { &hf_ws_dcom_extent_array_res, "dcom.extent.array_res", FT_UINT32 },
    { &hf_ws_dcom_extent_id, "dcom.extent.id", FT_GUID },
    { &hf_ws_dcom_extent_size, "dcom.extent.size", FT_UINT32 },
    { &hf_ws_dcom_nospec, "dcom.nospec", FT_BYTES },
    { &hf_ws_dcom_pointer_val, "dcom.pointer_val", FT_UINT32 },
    { &hf_ws_dcom_array_size, "dcom.array_size", FT_UINT32 },
    { &hf_ws_dcom_ip_cnt_data, "dcom.ip_cnt_data", FT_UINT32 },
    { &hf_ws_dcom_objref_signature, "dcom.objref.signature", FT_UINT32 },
    { &hf_ws_dcom_objref_flags, "dcom.objref.flags", FT_UINT32 },
    { &hf_ws_dcom_iid, "dcom.iid", FT_GUID },
    { &hf_ws_dcom_clsid, "dcom.clsid", FT_GUID },
    { &hf_ws_dcom_stdobjref_flags, "dcom.stdobjref.flags", FT_UINT32 },
    { &hf_ws_dcom_stdobjref_public_refs, "dcom.stdobjref.public_refs", FT_UINT32 },
    { &hf_ws_dcom_oxid, "dcom.oxid", FT_UINT64 },
    { &hf_ws_dcom_oid, "dcom.oid", FT_UINT64 },
    { &hf_ws_dcom_ipid, "dcom.ipid", FT_GUID },
    { &hf_ws_dcom_dualstringarray_num_entries, "dcom.dualstringarray.num_entries", FT_UINT16 },
    { &hf_ws_dcom_dualstringarray_security_offset, "dcom.dualstringarray.security_offset", FT_UINT16 },
    { &hf_ws_dcom_dualstringarray_tower_id, "dcom.dualstringarray.tower_id", FT_UINT16 },
    { &hf_ws_dcom_dualstringarray_network_addr, "dcom.dualstringarray.network_addr", FT_STRING },
    { &hf_ws_dcom_dualstringarray_security_authn_svc, "dcom.dualstringarray.security_authn_svc", FT_UINT16 },
    { &hf_ws_dcom_dualstringarray_security_authz_svc, "dcom.dualstringarray.security_authz_svc", FT_UINT16 },
    { &hf_ws_dcom_dualstringarray_security_princ_name, "dcom.dualstringarray.security_princ_name", FT_STRING },
};

void
orpc_init(void)
{
    foreign_fields_find(foreign_fields, array_length(foreign_fields));
}

proto_item *
orpc_item(const struct orpc *o, int hf, unsigned offset, unsigned size)
{
    return hf == -1 ? NULL
                    : proto_tree_add_item(o->ndr.tree, hf, o->ndr.tvb, (int)offset, (int)size, ENC_LITTLE_ENDIAN);
}

/* Returns the tree if the user's preference shows referent IDs and counts, else NULL. */
static proto_tree *
details(const struct orpc *o)
{
    return dcom_prefs_display_unmarshalling_details ? o->ndr.tree : NULL;
}

void
orpc_detail(const struct orpc *o, int hf, unsigned offset, unsigned size)
{
    if (details(o) != NULL) {
        orpc_item(o, hf, offset, size);
    }
}

/* Returns the current offset, or the stub's end if alignment moved past it. */
static int
within(const struct orpc *o)
{
    return MIN(o->ndr.offset, (int)tvb_reported_length(o->ndr.tvb));
}

struct orpc_part
orpc_enter_item(struct orpc *o, proto_item *item)
{
    const struct orpc_part part = { item, o->ndr.tree };

    o->ndr.tree = item != NULL ? proto_item_add_subtree(item, ett_pla_orpc) : NULL;
    return part;
}

struct orpc_part
orpc_enter(struct orpc *o, const char *label)
{
    struct orpc_part part = { NULL, o->ndr.tree };

    if (o->ndr.tree != NULL) {
        o->ndr.tree =
            proto_tree_add_subtree(o->ndr.tree, o->ndr.tvb, o->ndr.offset, 0, ett_pla_orpc, &part.item, label);
    }
    return part;
}

struct orpc_part
orpc_enter_element(struct orpc *o, const char *label)
{
    return orpc_may_show(o) ? orpc_enter(o, label) : orpc_enter_item(o, NULL);
}

void
orpc_leave(struct orpc *o, struct orpc_part part)
{
    proto_item_set_end(part.item, o->ndr.tvb, within(o));
    o->ndr.tree = part.parent;
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
    proto_tree *const tree = o->ndr.tree != NULL ? o->ndr.tree : o->top;

    if (o->quiet) {
        return;
    }
    limit_to_captured(o->ndr.tvb, &offset, &size);
    if (text != NULL) {
        proto_tree_add_expert_format(tree, o->ndr.pinfo, ei, o->ndr.tvb, (int)offset, (int)size, "%s", text);
    } else {
        proto_tree_add_expert(tree, o->ndr.pinfo, ei, o->ndr.tvb, (int)offset, (int)size);
    }
}

bool
orpc_room(struct orpc *o, uint64_t size, const char *what)
{
    const unsigned left = ndr_remaining(&o->ndr);

    if (!o->failed && size > left) {
        o->failed = true;
        orpc_expert_at(o, &ei_pla_malformed_overrun, (unsigned)within(o), 0,
            wmem_strdup_printf(o->ndr.pinfo->pool, "%s needs %" PRIu64 " bytes; the stub has %u left", what, size,
                left));
    }
    return !o->failed;
}

void
orpc_malformed(struct orpc *o, unsigned offset, unsigned size, const char *what)
{
    if (!o->failed) {
        orpc_expert_at(o, &ei_pla_malformed_structure, offset, size, what);
        o->failed = true;
    }
}

void
orpc_odd(struct orpc *o, proto_item *item, const char *what)
{
    orpc_expert(o, item, &ei_pla_odd, what);
}

void
orpc_odd_format(struct orpc *o, unsigned offset, unsigned size, const char *format, ...)
{
    va_list arguments;
    const char *text;

    va_start(arguments, format);
    text = wmem_strdup_vprintf(o->ndr.pinfo->pool, format, arguments);
    va_end(arguments);
    orpc_expert_at(o, &ei_pla_odd, offset, size, text);
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
        orpc_expert_at(o, &ei_pla_not_shown, (unsigned)within(o), 0,
            wmem_strdup_printf(o->ndr.pinfo->pool, "Only the first %d array elements of this call are shown",
                MAX_ELEMENTS_SHOWN));
    }
    return false;
}

/* Aligns the offset for `size` bytes. Returns false if the stub ends before them. */
static bool
aligned_room(struct orpc *o, int alignment, unsigned size, const char *what)
{
    if (!o->failed) {
        ndr_align(&o->ndr, alignment);
    }
    return orpc_room(o, size, what);
}

uint16_t
orpc_uint16(struct orpc *o, int hf, const char *what)
{
    struct ndr *const n = &o->ndr;
    uint16_t value = 0;

    if (aligned_room(o, 2, 2, what)) {
        n->offset = dissect_ndr_uint16(n->tvb, n->offset, n->pinfo, n->tree, n->di, n->drep, hf, &value);
    }
    return value;
}

uint32_t
orpc_uint32(struct orpc *o, int hf, const char *what)
{
    return aligned_room(o, 4, 4, what) ? ndr_uint32(&o->ndr, hf) : 0;
}

e_guid_t
orpc_guid(struct orpc *o, int hf, const char *what)
{
    return aligned_room(o, 4, 16, what) ? ndr_guid(&o->ndr, hf, NULL) : (e_guid_t){ 0 };
}

/* Reads a referent ID or count, which is shown only if the user's preference asks for these. */
static uint32_t
read_detail(struct orpc *o, int hf, const char *what)
{
    return orpc_uint32(o, details(o) != NULL ? hf : -1, what);
}

uint32_t
orpc_referent(struct orpc *o, const char *what)
{
    return read_detail(o, hf_ws_dcom_pointer_val, what);
}

/* Adds an item for the next `size` bytes and skips them. */
static void
next_item(struct orpc *o, int hf, unsigned size)
{
    orpc_item(o, hf, (unsigned)o->ndr.offset, size);
    o->ndr.offset += (int)size;
}

/* Shows the common start of all OBJREFs, [MS-DCOM] 2.2.18. */
static void
objref_header(struct orpc *o)
{
    next_item(o, hf_ws_dcom_objref_signature, 4);
    next_item(o, hf_ws_dcom_objref_flags, 4);
    next_item(o, hf_ws_dcom_iid, 16);
}

/*
 * Reads the signature that shows whether an ErrorInfoString, [MS-DCOM] 2.2.21.3, follows, and the string. Returns false
 * if bytes are missing. The specification does not define whether the next member is aligned: the function looks where
 * a valid signature is.
 */
static bool
error_string(struct orpc *o, int hf, unsigned end, const char **text)
{
    struct ndr *const n = &o->ndr;
    const unsigned offset = (unsigned)n->offset, aligned = (offset + 3) & ~3u;
    struct utf16_text measured;
    uint32_t signature, count;

    if (end < offset + 4) {
        return false;
    }
    signature = tvb_get_letohl(n->tvb, n->offset);
    if (signature != 0 && signature != EXTENDED_ERROR_STRING_SENT && end >= aligned + 4) {
        n->offset = (int)aligned;
        signature = tvb_get_letohl(n->tvb, n->offset);
    }
    n->offset += 4;
    if (signature != EXTENDED_ERROR_STRING_SENT) {
        return signature == 0;
    }
    if (end < (unsigned)n->offset + 12) {
        return false;
    }
    count = tvb_get_letohl(n->tvb, n->offset + 8);
    n->offset += 12;
    if (count > (end - (unsigned)n->offset) / 2) {
        return false;
    }
    measured = utf16_measure(n->tvb, (unsigned)n->offset, count * 2);
    *text = utf16_get(n->pinfo->pool, n->tvb, (unsigned)n->offset, measured, ENC_LITTLE_ENDIAN);
    proto_tree_add_string(n->tree, hf, n->tvb, n->offset, (int)(count * 2), *text);
    n->offset += (int)(count * 2);
    return true;
}

/*
 * Reads error information: an OBJREF_CUSTOM with the data of IErrorInfo, [MS-DCOM] 2.2.21.1 and 2.2.21.2. Returns
 * false if it is something else.
 */
static bool
error_info(struct orpc *o, proto_item *item, unsigned offset, unsigned size)
{
    static const e_guid_t error_object = { 0x0000031b, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
    const int fields[] = { hf_pla_error_info_source, hf_pla_error_info_description, hf_pla_error_info_help_file };
    const char *texts[array_length(fields)] = { NULL };
    struct orpc inside = *o;
    struct ndr *const n = &inside.ndr;
    e_guid_t clsid;

    if (size < OBJREF_HEADER_SIZE + 24 + EXTENDED_ERROR_HEADER_SIZE ||
        tvb_get_letohl(n->tvb, (int)offset) != OBJREF_SIGNATURE ||
        tvb_get_letohl(n->tvb, (int)offset + 4) != OBJREF_CUSTOM) {
        return false;
    }
    tvb_get_letohguid(n->tvb, (int)offset + OBJREF_HEADER_SIZE, &clsid);
    if (guid_cmp(&clsid, &error_object) != 0) {
        return false;
    }
    orpc_enter_item(&inside, item);
    n->offset = (int)offset;
    objref_header(&inside);
    next_item(&inside, hf_ws_dcom_clsid, 16);
    n->offset += 12; /* skip cbExtension and reserved of OBJREF_CUSTOM, and dwVersion */
    next_item(&inside, hf_pla_error_info_help_context, 4);
    next_item(&inside, hf_pla_error_info_iid, 16);
    for (size_t i = 0; i < array_length(fields); i++) {
        if (!error_string(&inside, fields[i], offset + size, &texts[i])) {
            orpc_expert(o, item, &ei_pla_malformed_structure, "Error information is truncated within its strings");
            break;
        }
    }
    if (texts[1] != NULL && *texts[1] != '\0') {
        proto_item_append_text(item, ": %s", line_text_copy(n->pinfo->pool, texts[1], MAX_LABEL_TEXT));
        o->error_text = texts[1];
    }
    return true;
}

/* Reads an ORPC_EXTENT, [MS-DCOM] 2.2.13.2, from its conformance on. */
static void
orpc_extent(struct orpc *o)
{
    static const e_guid_t error_extension = { 0x0000031c, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
    struct ndr *const n = &o->ndr;
    struct orpc_part part;
    uint32_t room, size;
    e_guid_t id;

    ndr_align(n, 4);
    part = orpc_enter(o, "ORPC_EXTENT");
    room = read_detail(o, hf_ws_dcom_array_size, "ORPC_EXTENT max count");
    id = orpc_guid(o, hf_ws_dcom_extent_id, "ORPC_EXTENT id");
    size = orpc_uint32(o, hf_ws_dcom_extent_size, "ORPC_EXTENT size");
    if (orpc_room(o, room, "ORPC_EXTENT data")) {
        proto_item_append_text(part.item, ": %s, %u bytes", guid_to_str(n->pinfo->pool, &id), size);
        if (size > room) {
            orpc_odd_format(o, (unsigned)n->offset - 4, 4, "ORPC_EXTENT size is larger than the space it was sent in");
        }
        if (size > 0 && room > 0) {
            proto_item *const data = orpc_item(o, hf_ws_dcom_nospec, (unsigned)n->offset, MIN(size, room));
            /*
             * The OBJREF of an error begins at offset 0, 4 or 8, since RPC implementations send no, one or two sizes
             * before it. Other extents have no OBJREF: starting at their end skips the search.
             */
            unsigned lead = guid_cmp(&id, &error_extension) == 0 ? 0 : room;

            while (lead <= 8 && lead < MIN(size, room) &&
                !error_info(o, data, (unsigned)n->offset + lead, MIN(size, room) - lead)) {
                lead += 4;
            }
        }
        n->offset += (int)room;
    }
    orpc_leave(o, part);
}

/* Reads the extensions pointer at the end of ORPCTHIS and ORPCTHAT, [MS-DCOM] 2.2.13.1. */
static void
extensions(struct orpc *o)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    uint32_t room;
    unsigned array, sent = 0;

    if (orpc_referent(o, "ORPC extensions") == 0) {
        return;
    }
    orpc_uint32(o, hf_ws_dcom_extent_array_count, "ORPC_EXTENT_ARRAY size");
    orpc_uint32(o, hf_ws_dcom_extent_array_res, "ORPC_EXTENT_ARRAY reserved");
    if (orpc_referent(o, "ORPC_EXTENT_ARRAY extent") == 0) {
        return;
    }
    room = read_detail(o, hf_ws_dcom_array_size, "ORPC_EXTENT_ARRAY max count");
    if (!orpc_room(o, (uint64_t)room * 4, "ORPC_EXTENT_ARRAY pointers")) {
        return;
    }
    array = (unsigned)n->offset;
    n->offset += (int)(room * 4);
    for (unsigned i = 0; !o->failed && i < room; i++) {
        if (tvb_get_letohl(n->tvb, (int)(array + i * 4)) != 0) {
            n->tree = sent++ < MAX_EXTENTS_SHOWN ? parent : NULL;
            orpc_extent(o);
        }
    }
    n->tree = parent;
}

void
orpc_this(struct orpc *o)
{
    const struct orpc_part part = orpc_enter(o, "ORPCTHIS");
    uint16_t major, minor;
    e_guid_t cid;

    major = orpc_uint16(o, hf_ws_dcom_version_major, "ORPCTHIS version");
    minor = orpc_uint16(o, hf_ws_dcom_version_minor, "ORPCTHIS version");
    orpc_uint32(o, hf_ws_dcom_this_flags, "ORPCTHIS flags");
    orpc_uint32(o, hf_ws_dcom_this_res, "ORPCTHIS reserved1");
    cid = orpc_guid(o, hf_ws_dcom_this_uuid, "ORPCTHIS cid");
    if (!o->failed) {
        proto_item_append_text(part.item, " %u.%u, causality id %s", major, minor,
            guid_to_str(o->ndr.pinfo->pool, &cid));
    }
    extensions(o);
    orpc_leave(o, part);
}

void
orpc_that(struct orpc *o)
{
    const struct orpc_part part = orpc_enter(o, "ORPCTHAT");

    orpc_uint32(o, hf_ws_dcom_that_flags, "ORPCTHAT flags");
    extensions(o);
    orpc_leave(o, part);
}

/* Parses "10.0.0.9[49664]", "SERVER[49664]" or an address without a port. Returns false for anything else. */
static bool
read_binding(const char *text, struct orpc_binding *binding)
{
    const size_t length = strcspn(text, "[");
    char server[MAX_BINDING_TEXT];
    ws_in4_addr four;
    ws_in6_addr six;

    *binding = (struct orpc_binding){ .size = 0 };
    g_strlcpy(server, text, MIN(length + 1, sizeof server));
    if (text[length] != '\0') {
        char *end = NULL;
        const uint64_t port = g_ascii_strtoull(text + length + 1, &end, 10);

        binding->port = *end == ']' && port <= UINT16_MAX && port != ACTIVATION_PORT ? (uint16_t)port : 0;
    }
    if (ws_inet_pton4(server, &four)) {
        binding->size = sizeof four;
        memcpy(binding->address, &four, sizeof four);
    } else if (ws_inet_pton6(server, &six)) {
        binding->size = sizeof six;
        memcpy(binding->address, &six, sizeof six);
    }
    return binding->size != 0 || binding->port != 0;
}

/* Returns the character of a string binding at `unit`, or 0 if it cannot be one. */
static char
binding_char(const uint8_t *unit)
{
    const uint16_t value = bytes_uint16(unit, false);

    return value > ' ' && value < 0x7f ? (char)value : '\0';
}

/* Reads the string bindings of a DUALSTRINGARRAY without showing them. */
static void
read_bindings(tvbuff_t *tvb, unsigned offset, unsigned end, struct orpc_objref *ref)
{
    char text[MAX_BINDING_TEXT];

    end = MIN(end, tvb_captured_length(tvb));
    if (end < offset + 4) {
        return;
    }
    end = MIN(end, offset + 4 + tvb_get_letohs(tvb, (int)offset + 2) * 2u);
    offset += 4;
    while (offset + 4 <= end && tvb_get_letohs(tvb, (int)offset) != 0 && ref->num_bindings < ORPC_MAX_BINDINGS) {
        const uint16_t tower = tvb_get_letohs(tvb, (int)offset);
        unsigned length = 0;

        for (offset += 2; offset + 2 <= end && tvb_get_letohs(tvb, (int)offset) != 0; offset += 2) {
            if (length + 1 < sizeof text) {
                text[length++] = binding_char(tvb_get_ptr(tvb, (int)offset, 2));
            }
        }
        offset += 2;
        text[length] = '\0';
        if (tower == TOWER_TCP && read_binding(text, &ref->bindings[ref->num_bindings])) {
            ref->num_bindings++;
        }
    }
}

unsigned
orpc_find_bindings(tvbuff_t *tvb, struct orpc_binding *bindings)
{
    const unsigned length = tvb_captured_length(tvb);
    const uint8_t *const bytes = tvb_get_ptr(tvb, 0, (int)length);
    unsigned count = 0, begin = 0;

    /*
     * Each binding ends in "]" and a NUL character. The tower ID, or NUL, before a binding is not text. Big-endian text
     * looks like little-endian text that begins one byte later.
     */
    for (unsigned i = 0; i + 4 <= length && count < ORPC_MAX_BINDINGS; i++) {
        char text[MAX_BINDING_TEXT];
        unsigned at;

        if (binding_char(bytes + i) != ']' || bytes_uint16(bytes + i + 2, false) != 0) {
            continue;
        }
        text[sizeof text - 1] = '\0';
        at = sizeof text - 1;
        for (unsigned from = i + 2; at > 0 && from >= begin + 2 && binding_char(bytes + from - 2) != '\0'; from -= 2) {
            text[--at] = binding_char(bytes + from - 2);
        }
        begin = i + 4;
        if (read_binding(text + at, &bindings[count]) && bindings[count].port != 0) {
            count++;
        }
    }
    return count;
}

bool
orpc_read_objref(tvbuff_t *tvb, unsigned offset, unsigned size, struct orpc_objref *ref)
{
    unsigned bindings = offset + OBJREF_HEADER_SIZE + STDOBJREF_SIZE;

    if (size < OBJREF_HEADER_SIZE || tvb_get_letohl(tvb, (int)offset) != OBJREF_SIGNATURE) {
        return false;
    }
    ref->flags = tvb_get_letohl(tvb, (int)offset + 4);
    tvb_get_letohguid(tvb, (int)offset + 8, &ref->iid);
    if ((ref->flags & HAS_STDOBJREF) == 0 || size < OBJREF_HEADER_SIZE + STDOBJREF_SIZE) {
        return true;
    }
    ref->standard = true;
    ref->public_refs = tvb_get_letohl(tvb, (int)offset + 28);
    ref->oxid = tvb_get_letoh64(tvb, (int)offset + 32);
    ref->oid = tvb_get_letoh64(tvb, (int)offset + 40);
    tvb_get_letohguid(tvb, (int)offset + 48, &ref->ipid);
    if ((ref->flags & OBJREF_EXTENDED) == 0) {
        bindings += (ref->flags & OBJREF_HANDLER) != 0 ? CLSID_SIZE : 0;
        read_bindings(tvb, bindings, offset + size, ref);
    }
    return true;
}

void
orpc_minterface_pointer(struct orpc *o, struct orpc_objref *ref)
{
    struct ndr *const n = &o->ndr;
    uint32_t room, size;

    memset(ref, 0, sizeof *ref);
    if (!aligned_room(o, 4, 8, "MInterfacePointer")) {
        return;
    }
    room = read_detail(o, hf_ws_dcom_array_size, "MInterfacePointer");
    size = read_detail(o, hf_ws_dcom_ip_cnt_data, "MInterfacePointer");
    if (!orpc_room(o, room, "MInterfacePointer abData")) {
        return;
    }
    ref->offset = (unsigned)n->offset;
    ref->size = MIN(size, room);
    if (size != room) {
        orpc_odd_format(o, ref->offset - 8, 8, "MInterfacePointer ulCntData %u differs from its max count %u", size,
            room);
    }
    if (!orpc_read_objref(n->tvb, ref->offset, ref->size, ref)) {
        orpc_expert_at(o, &ei_pla_malformed_structure, ref->offset, ref->size, "OBJREF without its signature MEOW");
    } else if (!ref->standard && (ref->flags & HAS_STDOBJREF) != 0) {
        orpc_expert_at(o, &ei_pla_malformed_structure, ref->offset, ref->size,
            "OBJREF is truncated within its STDOBJREF");
    }
    n->offset += (int)room;
}

void
orpc_interface_pointer(struct orpc *o, struct orpc_objref *ref)
{
    *ref = (struct orpc_objref){ .null = true };
    if (orpc_referent(o, "Interface pointer") != 0) {
        orpc_minterface_pointer(o, ref);
    }
}

/* Shows a binding: its fixed fields and its zero-terminated string. */
static void
dual_string_binding(struct orpc *o, const char *label, const int *fields, size_t count, int hf, unsigned end)
{
    struct ndr *const n = &o->ndr;
    const struct orpc_part part = orpc_enter(o, label);
    unsigned start, stop;

    for (size_t i = 0; i < count; i++) {
        next_item(o, fields[i], 2);
    }
    start = stop = (unsigned)n->offset;
    while (stop + 2 <= end && tvb_get_letohs(n->tvb, (int)stop) != 0) {
        stop += 2;
    }
    if (hf != -1) {
        const uint8_t *text = NULL;

        proto_tree_add_item_ret_string(n->tree, hf, n->tvb, (int)start, (int)(stop - start),
            ENC_UTF_16 | ENC_LITTLE_ENDIAN, n->pinfo->pool, &text);
        proto_item_append_text(part.item, ": %s", line_text_copy(n->pinfo->pool, (const char *)text, MAX_LABEL_TEXT));
    }
    n->offset = (int)MIN(stop + 2, end);
    orpc_leave(o, part);
}

/* Shows a DUALSTRINGARRAY, [MS-DCOM] 2.2.19: string bindings, 0, security bindings, 0, counted in 16-bit units. */
static void
dual_string_array(struct orpc *o, unsigned end)
{
    const int tower[] = { hf_ws_dcom_dualstringarray_tower_id },
              services[] = { hf_ws_dcom_dualstringarray_security_authn_svc,
                  hf_ws_dcom_dualstringarray_security_authz_svc };
    struct ndr *const n = &o->ndr;
    struct orpc_part part;
    unsigned entries, security, shown = 0;

    if (end < (unsigned)n->offset + 4) {
        return;
    }
    part = orpc_enter(o, "DUALSTRINGARRAY");
    entries = tvb_get_letohs(n->tvb, n->offset);
    security = tvb_get_letohs(n->tvb, n->offset + 2);
    next_item(o, hf_ws_dcom_dualstringarray_num_entries, 2);
    next_item(o, hf_ws_dcom_dualstringarray_security_offset, 2);
    security = MIN((unsigned)n->offset + security * 2, end);
    end = MIN((unsigned)n->offset + entries * 2, end);
    while ((unsigned)n->offset + 4 <= MIN(security, end) && tvb_get_letohs(n->tvb, n->offset) != 0 &&
        shown++ < MAX_BINDINGS_SHOWN) {
        dual_string_binding(o, "STRINGBINDING", tower, array_length(tower), hf_ws_dcom_dualstringarray_network_addr,
            end);
    }
    n->offset = (int)security;
    while ((unsigned)n->offset + 4 <= end && tvb_get_letohs(n->tvb, n->offset) != 0 && shown++ < MAX_BINDINGS_SHOWN) {
        dual_string_binding(o, "SECURITYBINDING", services, array_length(services),
            hf_ws_dcom_dualstringarray_security_princ_name, end);
    }
    n->offset = (int)end;
    orpc_leave(o, part);
}

void
orpc_show_objref(const struct orpc *o, const struct orpc_objref *ref)
{
    const unsigned end = ref->offset + ref->size;
    struct orpc inside = *o;
    struct ndr *const n = &inside.ndr;

    if (n->tree == NULL || ref->size < OBJREF_HEADER_SIZE) {
        return;
    }
    n->offset = (int)ref->offset;
    objref_header(&inside);
    if (ref->standard) {
        next_item(&inside, hf_ws_dcom_stdobjref_flags, 4);
        next_item(&inside, hf_ws_dcom_stdobjref_public_refs, 4);
        next_item(&inside, hf_ws_dcom_oxid, 8);
        next_item(&inside, hf_ws_dcom_oid, 8);
        next_item(&inside, hf_ws_dcom_ipid, 16);
    }
    if ((ref->flags & (OBJREF_HANDLER | OBJREF_CUSTOM)) != 0 && end - (unsigned)n->offset >= 16) {
        next_item(&inside, hf_ws_dcom_clsid, 16);
    }
    if (ref->standard && (ref->flags & (OBJREF_STANDARD | OBJREF_HANDLER)) != 0) {
        dual_string_array(&inside, end);
    } else if ((unsigned)n->offset < end) {
        next_item(&inside, hf_ws_dcom_nospec, end - (unsigned)n->offset);
    }
}

void
orpc_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_error_info_iid,
            { "Interface that failed", "pla.error_info.iid", FT_GUID, BASE_NONE, NULL, 0,
                "Interface whose method returned the error", HFILL } },
        { &hf_pla_error_info_help_context,
            { "dwHelpContext", "pla.error_info.help_context", FT_UINT32, BASE_DEC, NULL, 0, "Topic in the help file",
                HFILL } },
        { &hf_pla_error_info_source,
            { "Source", "pla.error_info.source", FT_STRING, BASE_NONE, NULL, 0,
                "Class or program that returned the error", HFILL } },
        { &hf_pla_error_info_description,
            { "Description", "pla.error_info.description", FT_STRING, BASE_NONE, NULL, 0,
                "The object's explanation of why the call failed", HFILL } },
        { &hf_pla_error_info_help_file,
            { "HelpFile", "pla.error_info.help_file", FT_STRING, BASE_NONE, NULL, 0,
                "Help file that explains the error", HFILL } },
    };
    static int *ett[] = { &ett_pla_orpc };
    static ei_register_info ei[] = {
        { &ei_pla_malformed_overrun,
            { "pla.malformed.overrun", PI_MALFORMED, PI_ERROR, "Length exceeds the stub", EXPFILL } },
        { &ei_pla_malformed_structure,
            { "pla.malformed.structure", PI_MALFORMED, PI_ERROR, "Structure is not valid", EXPFILL } },
        { &ei_pla_odd, { "pla.odd", PI_PROTOCOL, PI_WARN, "Value is not allowed", EXPFILL } },
        { &ei_pla_not_shown, { "pla.not_shown", PI_UNDECODED, PI_NOTE, "Array elements left out", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
