/* oaut-variant.c
 * VARIANT, [MS-OAUT] 2.2.29, and the types it can contain
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/oaut.h"

#include <epan/to_str.h>

#include "base/fields.h"

/* Maximum nesting of VARIANTs and SAFEARRAYs. Those of [MS-PLA] have a depth of 1. */
#define MAX_DEPTH 8

static int hf_pla_variant_referent = -1;

/* Fields of Wireshark's DCOM dissector */
static int hf_ws_dcom_variant_size = -1;
static int hf_ws_dcom_variant_rpc_res = -1;
static int hf_ws_dcom_variant_type = -1;
static int hf_ws_dcom_variant_wres = -1;
static int hf_ws_dcom_variant_type32 = -1;

static const struct foreign_field foreign_fields[] = {
    { &hf_ws_dcom_variant_size, "dcom.variant_size", FT_UINT32 },
    { &hf_ws_dcom_variant_rpc_res, "dcom.variant_rpc_res", FT_UINT32 },
    { &hf_ws_dcom_variant_type, "dcom.variant_type", FT_UINT16 },
    { &hf_ws_dcom_variant_wres, "dcom.variant_wres", FT_UINT16 },
    { &hf_ws_dcom_variant_type32, "dcom.variant_type32", FT_UINT32 },
};

/*
 * Returns the description of a VARIANT's type. Returns NULL if the type is unknown, or has flags other than VT_ARRAY
 * and VT_BYREF.
 */
static const struct vartype *
variant_type(uint16_t vt)
{
    return (vt & ~(OAUT_VT_TYPEMASK | OAUT_VT_ARRAY | OAUT_VT_BYREF)) == 0 ? oaut_find_vartype(vt & OAUT_VT_TYPEMASK)
                                                                           : NULL;
}

/*
 * Returns a DECIMAL, [MS-OAUT] 2.2.26, as text, or as bytes if the number needs more than 64 bits. Its members: 2 bytes
 * reserved, 1 byte scale, 1 byte sign, upper 32 bits of the number, lower 64 bits.
 */
static const char *
decimal_text(wmem_allocator_t *scope, tvbuff_t *tvb, int offset)
{
    const uint8_t *const bytes = tvb_get_ptr(tvb, offset, 16);
    const unsigned scale = bytes[2];
    const char *digits;
    size_t length;

    if (tvb_get_letohl(tvb, offset + 4) != 0 || scale > 28) {
        return tvb_bytes_to_str(scope, tvb, offset, 16);
    }
    /* The padding gives at least one digit before the decimal point. */
    digits = wmem_strdup_printf(scope, "%0*" PRIu64, (int)scale + 1, tvb_get_letoh64(tvb, offset + 8));
    length = strlen(digits) - scale;
    return wmem_strdup_printf(scope, "%s%.*s%s%s", bytes[3] != 0 ? "-" : "", (int)length, digits, scale > 0 ? "." : "",
        digits + length);
}

/* Returns a CURRENCY, [MS-OAUT] 2.2.24, as text: "1.5000" for 15000, since it counts ten-thousandths. */
static const char *
currency_text(wmem_allocator_t *scope, int64_t currency)
{
    const uint64_t magnitude = currency < 0 ? 0 - (uint64_t)currency : (uint64_t)currency;

    return wmem_strdup_printf(scope, "%s%" PRIu64 ".%04u", currency < 0 ? "-" : "", magnitude / 10000,
        (unsigned)(magnitude % 10000));
}

/* Reads an integer. Returns false if the type is not an integer. VT_UI8 of more than 63 bits becomes negative. */
static bool
integer_value(uint16_t vt, tvbuff_t *tvb, int offset, int64_t *value)
{
    switch (vt) {
    case OAUT_VT_I1: *value = (int8_t)*tvb_get_ptr(tvb, offset, 1); return true;
    case OAUT_VT_UI1: *value = *tvb_get_ptr(tvb, offset, 1); return true;
    case OAUT_VT_I2: *value = (int16_t)tvb_get_letohs(tvb, offset); return true;
    case OAUT_VT_UI2:
    case OAUT_VT_BOOL: *value = tvb_get_letohs(tvb, offset); return true;
    case OAUT_VT_I4:
    case OAUT_VT_INT: *value = (int32_t)tvb_get_letohl(tvb, offset); return true;
    case OAUT_VT_UI4:
    case OAUT_VT_UINT:
    case OAUT_VT_ERROR: *value = tvb_get_letohl(tvb, offset); return true;
    case OAUT_VT_I8:
    case OAUT_VT_UI8: *value = (int64_t)tvb_get_letoh64(tvb, offset); return true;
    default: return false;
    }
}

static const char *
integer_text(wmem_allocator_t *scope, uint16_t vt, int64_t value)
{
    switch (vt) {
    case OAUT_VT_BOOL: return value != 0 ? "true" : "false";
    case OAUT_VT_ERROR: return wmem_strdup_printf(scope, "0x%08x", (uint32_t)value);
    case OAUT_VT_UI8: return wmem_strdup_printf(scope, "%" PRIu64, (uint64_t)value);
    default: return wmem_strdup_printf(scope, "%" PRId64, value);
    }
}

void
oaut_scalar(struct orpc *o, const struct vartype *type, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    tvbuff_t *const tvb = n->tvb;
    const int offset = n->offset;
    wmem_allocator_t *const scope = n->pinfo->pool;
    const bool is_float = type->field_type == FT_DOUBLE || type->field_type == FT_FLOAT;
    double number = 0;
    proto_item *item = NULL;

    if (!is_float || (type->hf != -1 && double_field_fits(n->pinfo, n->tree, type->hf))) {
        item = orpc_item(o, type->hf, (unsigned)offset, type->size);
    }
    if (is_float) {
        number = type->size == 4 ? (double)tvb_get_letohieee_float(tvb, offset) : tvb_get_letohieee_double(tvb, offset);
    }
    if (item != NULL && is_float) {
        /* Wireshark's own label uses the decimal separator of the user's locale. */
        proto_item_set_text(item, "%s: %s", type->name, number_text(scope, type->size == 4 ? "%.6g" : "%.15g", number));
    }
    v->is_integer = integer_value(type->vt, tvb, offset, &v->integer);
    if (v->is_integer) {
        v->text = integer_text(scope, type->vt, v->integer);
    } else if (type->vt == OAUT_VT_R4) {
        v->text = number_text(scope, "%.9g", number);
    } else if (type->vt == OAUT_VT_R8) {
        v->text = number_text(scope, "%.17g", number);
    } else if (type->vt == OAUT_VT_DATE) {
        v->is_date = true;
        v->date = number;
        v->text = oaut_date_text(scope, v->date, true, true);
        proto_item_append_text(item, " (%s)", v->text);
    } else if (type->vt == OAUT_VT_CY) {
        v->text = currency_text(scope, (int64_t)tvb_get_letoh64(tvb, offset));
    } else {
        v->text = decimal_text(scope, tvb, offset);
    }
    n->offset += type->size;
}

static void
bstr_value(struct orpc *o, int hf, struct oaut_variant *v)
{
    const struct oaut_bstr bstr = oaut_bstr(o);

    if (o->failed) {
        v->text = bstr.text;
        return;
    }
    oaut_add_bstr(o, hf, &bstr);
    v->is_text = bstr.nothing == OAUT_TEXT || bstr.nothing == OAUT_EMPTY_STRING;
    v->is_null_text = !v->is_text;
    v->text = v->is_text ? bstr.text : "NULL";
}

static void
object_value(struct orpc *o, struct oaut_variant *v)
{
    orpc_interface_pointer(o, &v->object);
    if (!o->failed) {
        v->is_object = true;
        v->text = v->object.standard ? guid_to_str(o->ndr.pinfo->pool, &v->object.ipid)
            : v->object.null         ? "NULL"
                                     : "OBJREF";
        orpc_show_objref(o, &v->object);
    }
}

/* Reads the referent ID of a reference. Returns false if it is null. */
static bool
value_referent(struct orpc *o, const char *what, struct oaut_variant *v)
{
    const bool is_null = orpc_referent(o, what) == 0;

    if (is_null && !o->failed) {
        v->text = "NULL";
    }
    return !is_null;
}

static void variant_body(struct orpc *o, struct oaut_variant *v);

/* Reads the value of a VARIANT of type vt, starting at the arm of the union. type_at: offset of the type. */
static void
variant_value(struct orpc *o, uint16_t vt, unsigned type_at, struct oaut_variant *v)
{
    const struct vartype *const type = variant_type(vt);
    struct oaut_array array = { .hf_string = -1, .hf_bytes = -1 };

    if (type == NULL || type->vt == OAUT_VT_RECORD ||
        (type->vt == OAUT_VT_VARIANT && (vt & (OAUT_VT_ARRAY | OAUT_VT_BYREF)) == 0)) {
        orpc_malformed(o, type_at, 2, "VARIANT of a type that cannot be read");
        return;
    }
    if ((vt & OAUT_VT_BYREF) != 0 && !value_referent(o, "VARIANT by reference", v)) {
        return;
    }
    if ((vt & OAUT_VT_ARRAY) != 0) {
        oaut_safearray(o, &array);
        v->text = array.null ? "NULL"
                             : wmem_strdup_printf(o->ndr.pinfo->pool, "%u elements%s%s", array.count,
                                   array.first[0] != '\0' ? ": " : "", array.first);
        return;
    }
    switch (type->vt) {
    case OAUT_VT_EMPTY:
    case OAUT_VT_NULL: v->text = type->name; break;
    case OAUT_VT_BSTR: bstr_value(o, type->hf, v); break;
    case OAUT_VT_DISPATCH:
    case OAUT_VT_UNKNOWN: object_value(o, v); break;
    case OAUT_VT_VARIANT:
        if (value_referent(o, "VARIANT referent", v)) {
            variant_body(o, v);
        }
        break;
    default:
        ndr_align(&o->ndr, MIN(type->size, 8));
        if (orpc_room(o, type->size, "VARIANT value")) {
            oaut_scalar(o, type, v);
        }
    }
}

/* Returns true if the union discriminant fits the VARIANT's type, [MS-OAUT] 2.2.29.1. */
static bool
discriminant_fits(uint16_t vt, uint32_t discriminant)
{
    return discriminant == vt ||
        ((vt & OAUT_VT_ARRAY) != 0 && discriminant == (vt & (uint32_t)(OAUT_VT_ARRAY | OAUT_VT_BYREF)));
}

/* Reads a wireVARIANT, [MS-OAUT] 2.2.29.1, from its clSize on. */
static void
variant_body(struct orpc *o, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    proto_item *item;
    uint32_t discriminant;
    unsigned offset;

    memset(v, 0, sizeof *v);
    v->text = "";
    ndr_align(n, 8);
    if (!orpc_room(o, 20, "VARIANT header")) {
        return;
    }
    offset = (unsigned)n->offset;
    if (o->depth >= MAX_DEPTH) {
        orpc_malformed(o, offset, 20, "VARIANTs nested too deeply to be read");
        return;
    }
    orpc_item(o, hf_ws_dcom_variant_size, offset, 4);
    orpc_detail(o, hf_ws_dcom_variant_rpc_res, offset + 4, 4);
    v->vt = tvb_get_letohs(n->tvb, n->offset + 8);
    item = orpc_item(o, hf_ws_dcom_variant_type, offset + 8, 2);
    if (item != NULL) {
        proto_item_set_text(item, "VarType: %s (0x%04x)", oaut_vartype_name(n->pinfo->pool, v->vt), v->vt);
    }
    for (unsigned i = 0; i < 3; i++) {
        orpc_detail(o, hf_ws_dcom_variant_wres, offset + 10 + 2 * i, 2);
    }
    orpc_detail(o, hf_ws_dcom_variant_type32, offset + 16, 4);
    discriminant = tvb_get_letohl(n->tvb, n->offset + 16);
    if (!discriminant_fits(v->vt, discriminant)) {
        orpc_odd_format(o, offset + 16, 4, "VARIANT's union discriminant 0x%x does not match its type 0x%x",
            discriminant, v->vt);
    }
    n->offset += 20;
    o->depth++;
    variant_value(o, v->vt, offset + 8, v);
    o->depth--;
}

/* Returns true if a VARIANT may begin at `offset`: its type is known and its discriminant fits. */
static bool
plausible_variant(struct orpc *o, unsigned offset)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    const bool is_there = tvb_bytes_exist(tvb, (int)offset, 20);
    const uint16_t vt = is_there ? tvb_get_letohs(tvb, (int)offset + 8) : UINT16_MAX;
    const struct vartype *type = variant_type(vt);
    unsigned end = offset + 20;

    if (type == NULL) {
        return false;
    }
    if ((vt & (OAUT_VT_ARRAY | OAUT_VT_BYREF)) != 0 || (type->size == 0 && vt > OAUT_VT_NULL)) {
        end += 4;
    } else if (type->size > 0) {
        end = (end + MIN(type->size, 8) - 1) / MIN(type->size, 8) * MIN(type->size, 8) + type->size;
    }
    return end <= tvb_reported_length(tvb) && discriminant_fits(vt, tvb_get_letohl(tvb, (int)offset + 16));
}

void
oaut_variant_param(struct orpc *o, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    unsigned start, with, without;
    uint32_t referent;
    bool sent;

    memset(v, 0, sizeof *v);
    v->text = "";
    ndr_align(n, 4);
    start = (unsigned)n->offset;
    referent = orpc_referent(o, "VARIANT referent");
    if (o->failed) {
        return;
    }
    with = (start + 4 + 7) & ~7u;
    without = (start + 7) & ~7u;
    sent = referent != 0 && (with == without || plausible_variant(o, with) || !plausible_variant(o, without));
    if (!sent) {
        if (!plausible_variant(o, without)) {
            v->null = true;
            return;
        }
        n->offset = (int)without;
    }
    proto_item_set_generated(
        proto_tree_add_boolean(n->tree, hf_pla_variant_referent, n->tvb, (int)start, sent ? 4 : 0, sent));
    variant_body(o, v);
}

void
oaut_variant_elements(struct orpc *o, uint32_t count, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const int referents = n->offset;

    n->offset += (int)(count * 4);
    for (uint32_t i = 0; !o->failed && i < count; i++) {
        const struct orpc_part part = orpc_enter_element(o, "VARIANT");
        struct oaut_variant element = { .text = "NULL" };

        if (tvb_get_letohl(n->tvb, referents + (int)(i * 4)) != 0) {
            variant_body(o, &element);
            proto_item_set_text(part.item, "[%u] %s: %s", i, oaut_vartype_name(n->pinfo->pool, element.vt),
                part.item != NULL ? line_text_copy(n->pinfo->pool, element.text, OAUT_LABEL_TEXT) : "");
        } else {
            proto_item_set_text(part.item, "[%u] NULL", i);
        }
        orpc_leave(o, part);
        if (element.is_object && array->object_shown != NULL) {
            array->object_shown(o, part.item, &element.object, i);
        }
        if (i == 0) {
            array->first = element.text;
        }
        if (i < array->room) {
            array->variants[i] = element;
        }
    }
}

void
oaut_variants(struct orpc *o, const char *label, bool is_varying, struct oaut_array *array)
{
    struct orpc_part part;
    uint32_t count;

    ndr_align(&o->ndr, 4);
    part = orpc_enter(o, label);
    if (is_varying) {
        orpc_uint32(o, -1, label);
        orpc_uint32(o, -1, label);
    }
    count = orpc_uint32(o, -1, label);
    if (orpc_room(o, (uint64_t)count * 4, label)) {
        proto_item_append_text(part.item, ": %u", count);
        array->count = count;
        oaut_variant_elements(o, count, array);
    }
    orpc_leave(o, part);
}

void
oaut_variant_init(void)
{
    foreign_fields_find(foreign_fields, array_length(foreign_fields));
}

void
oaut_variant_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_variant_referent,
            { "Leading referent", "pla.variant.referent", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "True if the VARIANT was sent as a pointer, as Windows does", HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
}
