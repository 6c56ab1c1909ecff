/* oaut.c
 * OLE Automation types inside DCOM stubs, [MS-OAUT] 2.2.23 to 2.2.30
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/to_str.h>

#include "base/foreign-field.h"
#include "base/text.h"
#include "base/win32-names.h"
#include "pla/oaut.h"
#include "pla/text.h"

#define BSTR_NULL           UINT32_C(0xffffffff)
#define MAX_DEPTH           8       /* VARIANTs in SAFEARRAYs in VARIANTs ...; real ones hold no more than one */
#define MAX_BOUNDS_SHOWN    16

/* VARTYPE, [MS-OAUT] 2.2.7. */
enum {
    OAUT_VT_EMPTY = 0, OAUT_VT_NULL = 1, OAUT_VT_I2 = 2, OAUT_VT_I4 = 3, OAUT_VT_R4 = 4, OAUT_VT_R8 = 5, OAUT_VT_CY = 6,
    OAUT_VT_DATE = 7, OAUT_VT_BSTR = 8, OAUT_VT_DISPATCH = 9, OAUT_VT_ERROR = 0xa, OAUT_VT_BOOL = 0xb,
    OAUT_VT_VARIANT = 0xc, OAUT_VT_UNKNOWN = 0xd, OAUT_VT_DECIMAL = 0xe, OAUT_VT_I1 = 0x10, OAUT_VT_UI1 = 0x11,
    OAUT_VT_UI2 = 0x12, OAUT_VT_UI4 = 0x13, OAUT_VT_I8 = 0x14, OAUT_VT_UI8 = 0x15, OAUT_VT_INT = 0x16,
    OAUT_VT_UINT = 0x17, OAUT_VT_RECORD = 0x24, OAUT_VT_ARRAY = 0x2000, OAUT_VT_BYREF = 0x4000,
    OAUT_VT_TYPEMASK = 0xfff,
};

/* SF_TYPE, [MS-OAUT] 2.2.8. */
enum {
    OAUT_SF_I2 = 2, OAUT_SF_I4 = 3, OAUT_SF_DISPATCH = 9, OAUT_SF_ERROR = 0xa, OAUT_SF_VARIANT = 0xc,
    OAUT_SF_UNKNOWN = 0xd, OAUT_SF_I8 = 0x14, OAUT_SF_RECORD = 0x24, OAUT_SF_HAVEIID = 0x800d,
};

/* A type's size, alignment, and Wireshark's field for it. */
struct vartype {
    uint16_t vt;
    uint8_t size;               /* 0: no value, or one of its own structure */
    const char *name;
    const char *field;
    enum ftenum field_type;
    int hf;
};

static struct vartype vartypes[] = {
    { OAUT_VT_EMPTY, 0, "VT_EMPTY", NULL, FT_NONE, -1 },
    { OAUT_VT_NULL, 0, "VT_NULL", NULL, FT_NONE, -1 },
    { OAUT_VT_I2, 2, "VT_I2", "dcom.vt.i2", FT_INT16, -1 },
    { OAUT_VT_I4, 4, "VT_I4", "dcom.vt.i4", FT_INT32, -1 },
    { OAUT_VT_R4, 4, "VT_R4", "dcom.vt.r4", FT_FLOAT, -1 },
    { OAUT_VT_R8, 8, "VT_R8", "dcom.vt.r8", FT_DOUBLE, -1 },
    { OAUT_VT_CY, 8, "VT_CY", "dcom.vt.cy", FT_INT64, -1 },
    { OAUT_VT_DATE, 8, "VT_DATE", "dcom.vt.date", FT_DOUBLE, -1 },
    { OAUT_VT_BSTR, 0, "VT_BSTR", "dcom.vt.bstr", FT_STRING, -1 },
    { OAUT_VT_DISPATCH, 0, "VT_DISPATCH", NULL, FT_NONE, -1 },
    { OAUT_VT_ERROR, 4, "VT_ERROR", "dcom.hresult", FT_UINT32, -1 },
    { OAUT_VT_BOOL, 2, "VT_BOOL", "dcom.vt.bool", FT_UINT16, -1 },
    { OAUT_VT_VARIANT, 0, "VT_VARIANT", NULL, FT_NONE, -1 },
    { OAUT_VT_UNKNOWN, 0, "VT_UNKNOWN", NULL, FT_NONE, -1 },
    { OAUT_VT_DECIMAL, 16, "VT_DECIMAL", "dcom.nospec", FT_BYTES, -1 },
    { OAUT_VT_I1, 1, "VT_I1", "dcom.vt.i1", FT_INT8, -1 },
    { OAUT_VT_UI1, 1, "VT_UI1", "dcom.vt.ui1", FT_UINT8, -1 },
    { OAUT_VT_UI2, 2, "VT_UI2", "dcom.vt.ui2", FT_UINT16, -1 },
    { OAUT_VT_UI4, 4, "VT_UI4", "dcom.vt.ui4", FT_UINT32, -1 },
    { OAUT_VT_I8, 8, "VT_I8", "dcom.vt.i8", FT_INT64, -1 },
    { OAUT_VT_UI8, 8, "VT_UI8", "dcom.vt.ui8", FT_UINT64, -1 },
    { OAUT_VT_INT, 4, "VT_INT", "dcom.vt.i4", FT_INT32, -1 },
    { OAUT_VT_UINT, 4, "VT_UINT", "dcom.vt.ui4", FT_UINT32, -1 },
    { OAUT_VT_RECORD, 0, "VT_RECORD", NULL, FT_NONE, -1 },
};

/* A SAFEARRAY's element type on the wire, and the VARTYPE its elements are shown as where cLocks names none. */
static const struct sf_type {
    uint32_t sf;
    uint8_t size;               /* of an element; 4 and referents where by_reference */
    bool by_reference;
    uint16_t vt;
    const char *name;
} sf_types[] = {
    { OAUT_SF_I2, 2, false, OAUT_VT_I2, "SF_I2" },
    { OAUT_SF_I4, 4, false, OAUT_VT_I4, "SF_I4" },
    { OAUT_SF_BSTR, 4, true, OAUT_VT_BSTR, "SF_BSTR" },
    { OAUT_SF_DISPATCH, 4, true, OAUT_VT_DISPATCH, "SF_DISPATCH" },
    { OAUT_SF_VARIANT, 4, true, OAUT_VT_VARIANT, "SF_VARIANT" },
    { OAUT_SF_UNKNOWN, 4, true, OAUT_VT_UNKNOWN, "SF_UNKNOWN" },
    { OAUT_SF_I1, 1, false, OAUT_VT_UI1, "SF_I1" },
    { OAUT_SF_I8, 8, false, OAUT_VT_I8, "SF_I8" },
    { OAUT_SF_HAVEIID, 4, true, OAUT_VT_UNKNOWN, "SF_HAVEIID" },
};

static const value_string nothing_vals[] = {
    { OAUT_NULL_POINTER, "NULL pointer" },
    { OAUT_NULL_BSTR, "null BSTR" },
    { OAUT_EMPTY_STRING, "empty string" },
    { 0, NULL }
};

static int hf_bstr_nothing = -1;
static int hf_variant_referent = -1;
static int hf_safearray_referents = -1;
static int hf_safearray_iid = -1;

static int ett_oaut = -1;
static int ett_features = -1;

static expert_field ei_sf_type = EI_INIT;

static int hf_array_size = -1;
static int hf_bstr_size = -1;
static int hf_variant_size = -1;
static int hf_variant_rpc_reserved = -1;
static int hf_variant_type = -1;
static int hf_variant_reserved = -1;
static int hf_variant_type32 = -1;
static int hf_sa_dims = -1;
static int hf_sa_features = -1;
static int hf_sa_element_size = -1;
static int hf_sa_locks = -1;
static int hf_sa_type = -1;
static int hf_sa_elements = -1;
static int hf_sa_bound_elements = -1;
static int hf_sa_low_bound = -1;

static int hf_nospec = -1;
static int hf_feature[11];

static bool variant_body(struct orpc *o, proto_tree *tree, struct oaut_variant *variant);
static bool safearray_body(struct orpc *o, proto_tree *tree, struct oaut_array *array);

static const struct vartype *
find_vartype(uint16_t vt)
{
    for (size_t i = 0; i < array_length(vartypes); i++) {
        if (vartypes[i].vt == vt) {
            return &vartypes[i];
        }
    }
    return NULL;
}

/* NULL for what no VARIANT can hold: a type that is unknown, or with other flags than these two. */
static const struct vartype *
variant_type(uint16_t vt)
{
    return (vt & ~(OAUT_VT_TYPEMASK | OAUT_VT_ARRAY | OAUT_VT_BYREF)) == 0 ? find_vartype(vt & OAUT_VT_TYPEMASK) : NULL;
}

const char *
oaut_vartype_name(wmem_allocator_t *scope, uint16_t vt)
{
    const struct vartype *const type = find_vartype(vt & OAUT_VT_TYPEMASK);
    const char *const base = type != NULL ? type->name : wmem_strdup_printf(scope, "0x%x", vt & OAUT_VT_TYPEMASK);

    return wmem_strdup_printf(scope, "%s%s%s", (vt & OAUT_VT_BYREF) != 0 ? "VT_BYREF|" : "",
                              (vt & OAUT_VT_ARRAY) != 0 ? "VT_ARRAY|" : "", base);
}

/* Days since 1970-01-01 to a civil date (proleptic Gregorian, eras of 400 years) from the year 0 on. */
static void
civil_date(int64_t days, int *year, unsigned *month, unsigned *day)
{
    const int64_t shifted = days + 719468;
    const int64_t era = shifted / 146097;
    const unsigned day_of_era = (unsigned)(shifted - era * 146097);
    const unsigned year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted_month = (5 * day_of_year + 2) / 153;

    *day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    *month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    *year = (int)(era * 400 + year_of_era) + (*month <= 2);
}

const char *
oaut_date_text(wmem_allocator_t *scope, double date, bool want_date, bool want_time)
{
    const int64_t day_1899_12_30 = -25569;          /* from 1970-01-01 */
    const double year_100 = -657434, year_10000 = 2958466;  /* [MS-OAUT] 2.2.25 */
    int64_t day;
    unsigned second;
    double fraction;
    int year;
    unsigned month, mday;

    if (!(date >= year_100 && date < year_10000)) {
        return wmem_strdup_printf(scope, "%s (out of range)", number_text(scope, "%g", date));
    }
    /* The fraction counts forward from the day's start, also before 1899. */
    day = (int64_t)date;
    fraction = date - (double)day;
    second = (unsigned)((fraction < 0 ? -fraction : fraction) * 86400 + 0.5);
    day += day_1899_12_30;
    if (second == 86400) {
        second = 0;
        day++;
    }
    civil_date(day, &year, &month, &mday);
    if (!want_time) {
        return wmem_strdup_printf(scope, "%04d-%02u-%02u", year, month, mday);
    }
    if (!want_date) {
        return wmem_strdup_printf(scope, "%02u:%02u:%02u", second / 3600, second / 60 % 60, second % 60);
    }
    return wmem_strdup_printf(scope, "%04d-%02u-%02u %02u:%02u:%02u", year, month, mday, second / 3600,
                              second / 60 % 60, second % 60);
}

bool
oaut_variant_bool(struct orpc *o, int hf, bool *value)
{
    struct ndr *const n = &o->ndr;
    proto_item *item;
    uint16_t raw;

    *value = false;
    if (!orpc_uint16(o, -1, "VARIANT_BOOL", &raw)) {
        return false;
    }
    *value = raw != 0;
    item = proto_tree_add_boolean(n->tree, hf, n->tvb, n->offset - 2, 2, *value);
    if (raw != 0 && raw != 0xffff) {
        orpc_odd(o, item, "VARIANT_BOOL is neither 0x0000 nor 0xFFFF");
    }
    return true;
}

const char *
oaut_nothing_name(enum oaut_nothing nothing)
{
    return try_val_to_str(nothing, nothing_vals);
}

/* A zero inside a BSTR does not end it; shown as the symbol for null, except at the end. */
static const char *
bstr_text(struct orpc *o, unsigned offset, unsigned size)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    wmem_allocator_t *const scope = o->ndr.pinfo->pool;
    struct utf16_text part = utf16_measure(tvb, offset, size);
    const char *const first = utf16_get(scope, tvb, offset, part, ENC_LITTLE_ENDIAN);
    wmem_strbuf_t *text;
    unsigned zeros = 0;

    if (!part.terminated) {
        return first;
    }
    text = wmem_strbuf_new(scope, first);
    while (part.terminated) {
        offset += part.size + 2;
        size = (size & ~1u) - part.size - 2;
        zeros++;
        part = utf16_measure(tvb, offset, size);
        if (part.size > 0) {
            for (; zeros > 0; zeros--) {
                wmem_strbuf_append(text, "\xe2\x90\x80");
            }
            wmem_strbuf_append(text, utf16_get(scope, tvb, offset, part, ENC_LITTLE_ENDIAN));
        }
    }
    return wmem_strbuf_get_str(text);
}

/* FLAGGED_WORD_BLOB, [MS-OAUT] 2.2.23.1, from its max count. */
static bool
word_blob(struct orpc *o, proto_tree *tree, struct oaut_bstr *bstr)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const details = orpc_details(tree);
    uint32_t room, bytes, chars;

    ndr_align(n, 4);
    if (!orpc_room(o, 12, "BSTR header")) {
        return false;
    }
    orpc_item(o, details, hf_array_size, (unsigned)n->offset, 4);
    orpc_item(o, details, hf_bstr_size, (unsigned)n->offset + 4, 4);
    room = tvb_get_letohl(n->tvb, n->offset);
    bytes = tvb_get_letohl(n->tvb, n->offset + 4);
    chars = tvb_get_letohl(n->tvb, n->offset + 8);
    n->offset += 12;
    if (!orpc_room(o, (uint64_t)room * 2, "BSTR text")) {
        /* What is left may be worth reading, but nothing after it can be found. */
        room = ndr_remaining(n) / 2;
        bstr->nothing = OAUT_TEXT;
        bstr->chars = room;
        bstr->text = room > 0 ? bstr_text(o, (unsigned)n->offset, room * 2) : "";
        bstr->end = (unsigned)n->offset + room * 2;
        return false;
    }
    if (room != chars || (bytes == BSTR_NULL ? chars != 0 : ((uint64_t)bytes + 1) / 2 != chars)) {
        orpc_odd_format(o, (unsigned)n->offset - 12, 12, "BSTR counts disagree: max count %u, cBytes %u, clSize %u",
                        room, bytes, chars);
    }
    bstr->nothing = bytes == BSTR_NULL && room == 0 ? OAUT_NULL_BSTR : room == 0 ? OAUT_EMPTY_STRING : OAUT_TEXT;
    bstr->chars = bytes == BSTR_NULL ? room : MIN((bytes + 1) / 2, room);
    bstr->text = bstr->chars > 0 ? bstr_text(o, (unsigned)n->offset, MIN(bytes, room * 2)) : "";
    n->offset += (int)(room * 2);
    bstr->end = (unsigned)n->offset;
    return true;
}

bool
oaut_bstr_blob(struct orpc *o, proto_tree *tree, struct oaut_bstr *bstr)
{
    ndr_align(&o->ndr, 4);
    *bstr = (struct oaut_bstr){ OAUT_EMPTY_STRING, "", 0, (unsigned)o->ndr.offset, (unsigned)o->ndr.offset };
    return word_blob(o, tree, bstr);
}

bool
oaut_bstr(struct orpc *o, proto_tree *tree, struct oaut_bstr *bstr)
{
    uint32_t referent;

    ndr_align(&o->ndr, 4);
    *bstr = (struct oaut_bstr){ OAUT_NULL_POINTER, "", 0, (unsigned)o->ndr.offset, (unsigned)o->ndr.offset };
    if (!orpc_referent(o, tree, "BSTR referent", &referent)) {
        return false;
    }
    bstr->end = (unsigned)o->ndr.offset;
    return referent == 0 || word_blob(o, tree, bstr);
}

proto_item *
oaut_add_bstr(struct orpc *o, proto_tree *tree, int hf, const struct oaut_bstr *bstr)
{
    struct ndr *const n = &o->ndr;
    proto_item *item, *nothing;

    if (hf == -1) {
        return NULL;
    }
    item = proto_tree_add_string(tree, hf, n->tvb, (int)bstr->start, (int)(bstr->end - bstr->start), bstr->text);
    if (bstr->nothing != OAUT_TEXT) {
        proto_item_append_text(item, "(%s)", oaut_nothing_name(bstr->nothing));
        nothing = proto_tree_add_uint(proto_item_add_subtree(item, ett_oaut), hf_bstr_nothing, n->tvb,
                                      (int)bstr->start, (int)(bstr->end - bstr->start), bstr->nothing);
        proto_item_set_generated(nothing);
    }
    return item;
}

/*
 * DECIMAL, [MS-OAUT] 2.2.26: reserved, scale, sign, the upper 32 of 96 bits, the lower 64. What does not
 * fit into 64 bits is shown as bytes.
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
    /* At least one digit before the point. */
    digits = wmem_strdup_printf(scope, "%0*" PRIu64, (int)scale + 1, tvb_get_letoh64(tvb, offset + 8));
    length = strlen(digits) - scale;
    return wmem_strdup_printf(scope, "%s%.*s%s%s", bytes[3] != 0 ? "-" : "", (int)length, digits, scale > 0 ? "." : "",
                              digits + length);
}

/* A value of fixed size at the current offset, which is aligned and has room. */
static void
scalar(struct orpc *o, proto_tree *tree, const struct vartype *type, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    tvbuff_t *const tvb = n->tvb;
    const int offset = n->offset;
    wmem_allocator_t *const scope = n->pinfo->pool;
    proto_item *const item = orpc_item(o, tree, type->hf, (unsigned)offset, type->size);

    v->is_integer = true;
    switch (type->vt) {
    case OAUT_VT_I1:
        v->integer = (int8_t)*tvb_get_ptr(tvb, offset, 1);
        break;
    case OAUT_VT_UI1:
        v->integer = *tvb_get_ptr(tvb, offset, 1);
        break;
    case OAUT_VT_I2:
        v->integer = (int16_t)tvb_get_letohs(tvb, offset);
        break;
    case OAUT_VT_UI2:
        v->integer = tvb_get_letohs(tvb, offset);
        break;
    case OAUT_VT_BOOL:
        v->integer = tvb_get_letohs(tvb, offset);
        v->text = v->integer != 0 ? "true" : "false";
        break;
    case OAUT_VT_I4:
    case OAUT_VT_INT:
        v->integer = (int32_t)tvb_get_letohl(tvb, offset);
        break;
    case OAUT_VT_UI4:
    case OAUT_VT_UINT:
        v->integer = tvb_get_letohl(tvb, offset);
        break;
    case OAUT_VT_ERROR:
        v->integer = tvb_get_letohl(tvb, offset);
        v->text = wmem_strdup_printf(scope, "0x%08x", (uint32_t)v->integer);
        break;
    case OAUT_VT_I8:
        v->integer = (int64_t)tvb_get_letoh64(tvb, offset);
        break;
    case OAUT_VT_UI8:
        v->integer = (int64_t)tvb_get_letoh64(tvb, offset);
        v->text = wmem_strdup_printf(scope, "%" PRIu64, (uint64_t)v->integer);
        break;
    default:
        v->is_integer = false;
        break;
    }
    if (v->is_integer) {
        if (v->text == NULL) {
            v->text = wmem_strdup_printf(scope, "%" PRId64, v->integer);
        }
    } else if (type->vt == OAUT_VT_R4) {
        v->text = number_text(scope, "%.9g", (double)tvb_get_letohieee_float(tvb, offset));
    } else if (type->vt == OAUT_VT_R8) {
        v->text = number_text(scope, "%.17g", tvb_get_letohieee_double(tvb, offset));
    } else if (type->vt == OAUT_VT_DATE) {
        v->is_date = true;
        v->date = tvb_get_letohieee_double(tvb, offset);
        v->text = oaut_date_text(scope, v->date, true, true);
        proto_item_append_text(item, " (%s)", v->text);
    } else if (type->vt == OAUT_VT_CY) {
        const int64_t cy = (int64_t)tvb_get_letoh64(tvb, offset);
        const uint64_t magnitude = cy < 0 ? 0 - (uint64_t)cy : (uint64_t)cy;

        /* CURRENCY counts ten-thousandths, [MS-OAUT] 2.2.24. */
        v->text = wmem_strdup_printf(scope, "%s%" PRIu64 ".%04u", cy < 0 ? "-" : "", magnitude / 10000,
                                     (unsigned)(magnitude % 10000));
    } else {
        v->text = decimal_text(scope, tvb, offset);
    }
    n->offset += type->size;
}

/* The value of a VARIANT of type vt, from where its union's arm starts. */
static bool
variant_value(struct orpc *o, proto_tree *tree, uint16_t vt, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    const struct vartype *const type = variant_type(vt);
    struct oaut_bstr bstr;
    uint32_t referent;

    if (type == NULL || type->vt == OAUT_VT_RECORD ||
        (type->vt == OAUT_VT_VARIANT && (vt & (OAUT_VT_ARRAY | OAUT_VT_BYREF)) == 0)) {
        return orpc_malformed(o, 0, "VARIANT of a type that cannot be read");
    }
    if ((vt & OAUT_VT_BYREF) != 0) {
        if (!orpc_referent(o, tree, "VARIANT by reference", &referent)) {
            return false;
        }
        if (referent == 0) {
            v->text = "NULL";
            return true;
        }
    }
    if ((vt & OAUT_VT_ARRAY) != 0) {
        struct oaut_array array = { .hf_string = -1, .hf_bytes = -1 };
        bool ok;

        if (!orpc_referent(o, tree, "SAFEARRAY referent", &referent)) {
            return false;
        }
        array.null = referent == 0;
        ok = array.null || safearray_body(o, tree, &array);
        v->text = array.null ? "NULL" : wmem_strdup_printf(n->pinfo->pool, "%u elements%s%s", array.count,
                                                           array.count > 0 ? ": " : "", array.first);
        return ok;
    }
    switch (type->vt) {
    case OAUT_VT_EMPTY:
    case OAUT_VT_NULL:
        v->text = type->name;
        return true;
    case OAUT_VT_BSTR:
        if (!oaut_bstr(o, tree, &bstr)) {
            v->text = bstr.text;
            return false;
        }
        oaut_add_bstr(o, tree, type->hf, &bstr);
        v->is_text = bstr.nothing == OAUT_TEXT || bstr.nothing == OAUT_EMPTY_STRING;
        v->is_null_text = !v->is_text;
        v->text = v->is_text ? bstr.text : "NULL";
        return true;
    case OAUT_VT_DISPATCH:
    case OAUT_VT_UNKNOWN:
        if (!orpc_interface_pointer(o, tree, &v->object)) {
            return false;
        }
        v->is_object = true;
        v->text = v->object.standard ? guid_to_str(n->pinfo->pool, &v->object.ipid) :
                  v->object.null ? "NULL" : "OBJREF";
        orpc_show_objref(o, tree, &v->object);
        return true;
    case OAUT_VT_VARIANT:
        if (!orpc_referent(o, tree, "VARIANT referent", &referent)) {
            return false;
        }
        if (referent == 0) {
            v->text = "NULL";
            return true;
        }
        return variant_body(o, tree, v);
    default:
        ndr_align(n, MIN(type->size, 8));
        if (!orpc_room(o, type->size, "VARIANT value")) {
            return false;
        }
        scalar(o, tree, type, v);
        return true;
    }
}

/* Whether a VARIANT's union discriminant goes with its type, [MS-OAUT] 2.2.29.1. */
static bool
discriminant_fits(uint16_t vt, uint32_t discriminant)
{
    return discriminant == vt ||
           ((vt & OAUT_VT_ARRAY) != 0 && discriminant == (vt & (uint32_t)(OAUT_VT_ARRAY | OAUT_VT_BYREF)));
}

/* wireVARIANT, [MS-OAUT] 2.2.29.1, from its clSize. */
static bool
variant_body(struct orpc *o, proto_tree *tree, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    proto_item *item;
    uint32_t discriminant;
    unsigned offset;
    bool ok;

    memset(v, 0, sizeof *v);
    v->text = "";
    ndr_align(n, 8);
    if (o->depth >= MAX_DEPTH) {
        return orpc_malformed(o, 0, "VARIANTs nested too deeply to be read");
    }
    if (!orpc_room(o, 20, "VARIANT header")) {
        return false;
    }
    offset = (unsigned)n->offset;
    orpc_item(o, tree, hf_variant_size, offset, 4);
    orpc_item(o, orpc_details(tree), hf_variant_rpc_reserved, offset + 4, 4);
    v->vt = tvb_get_letohs(n->tvb, n->offset + 8);
    item = orpc_item(o, tree, hf_variant_type, offset + 8, 2);
    if (item != NULL) {
        proto_item_set_text(item, "VarType: %s (0x%04x)", oaut_vartype_name(n->pinfo->pool, v->vt), v->vt);
    }
    for (unsigned i = 0; i < 3; i++) {
        orpc_item(o, orpc_details(tree), hf_variant_reserved, offset + 10 + 2 * i, 2);
    }
    orpc_item(o, orpc_details(tree), hf_variant_type32, offset + 16, 4);
    discriminant = tvb_get_letohl(n->tvb, n->offset + 16);
    if (!discriminant_fits(v->vt, discriminant)) {
        orpc_odd_format(o, offset + 16, 4, "VARIANT's union discriminant 0x%x does not go with its type 0x%x",
                        discriminant, v->vt);
    }
    n->offset += 20;
    o->depth++;
    n->tree = tree != NULL ? tree : parent;
    v->text = NULL;
    ok = variant_value(o, tree, v->vt, v);
    n->tree = parent;
    o->depth--;
    if (v->text == NULL) {
        v->text = "";
    }
    return ok;
}

/* Whether a VARIANT may start at offset: a known type, and a discriminant that goes with it. */
static bool
plausible_variant(struct orpc *o, unsigned offset)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    const struct vartype *type;
    uint32_t discriminant;
    uint16_t vt;
    unsigned value;

    if (!tvb_bytes_exist(tvb, (int)offset, 20)) {
        return false;
    }
    vt = tvb_get_letohs(tvb, (int)offset + 8);
    discriminant = tvb_get_letohl(tvb, (int)offset + 16);
    type = variant_type(vt);
    if (type == NULL) {
        return false;
    }
    if ((vt & (OAUT_VT_ARRAY | OAUT_VT_BYREF)) != 0 || (type->size == 0 && vt > OAUT_VT_NULL)) {
        value = offset + 24;
    } else if (type->size > 0) {
        value = (offset + 20 + MIN(type->size, 8) - 1) / MIN(type->size, 8) * MIN(type->size, 8) + type->size;
    } else {
        value = offset + 20;
    }
    return value <= tvb_reported_length(tvb) && discriminant_fits(vt, discriminant);
}

bool
oaut_variant_param(struct orpc *o, proto_tree *tree, struct oaut_variant *v)
{
    struct ndr *const n = &o->ndr;
    unsigned start, with, without;
    uint32_t referent;
    bool sent;

    memset(v, 0, sizeof *v);
    v->text = "";
    ndr_align(n, 4);
    start = (unsigned)n->offset;
    if (!orpc_referent(o, tree, "VARIANT referent", &referent)) {
        return false;
    }
    with = (start + 4 + 7) & ~7u;
    without = (start + 7) & ~7u;
    sent = referent != 0 && (with == without || plausible_variant(o, with) || !plausible_variant(o, without));
    if (!sent) {
        if (!plausible_variant(o, without)) {
            v->null = true;
            return true;
        }
        n->offset = (int)without;
    }
    proto_item_set_generated(proto_tree_add_boolean(tree, hf_variant_referent, n->tvb, (int)start, sent ? 4 : 0, sent));
    return variant_body(o, tree, v);
}

/* An array of count referents, each non-zero one followed later by its VARIANT, from its first referent. */
static bool
variant_elements(struct orpc *o, proto_tree *tree, uint32_t count, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const int referents = n->offset;
    struct oaut_variant element;
    proto_item *item;
    bool ok = true;

    n->offset += (int)(count * 4);
    for (uint32_t i = 0; ok && i < count; i++) {
        proto_tree *subtree;

        memset(&element, 0, sizeof element);
        element.text = "NULL";
        subtree = orpc_subtree(o, orpc_may_show(o) ? tree : NULL, (unsigned)n->offset, &item, "VARIANT");
        if (tvb_get_letohl(n->tvb, referents + (int)(i * 4)) != 0) {
            ok = variant_body(o, subtree, &element);
            proto_item_set_text(item, "[%u] %s: %s", i, oaut_vartype_name(n->pinfo->pool, element.vt),
                                item != NULL ? pla_line_text(n->pinfo->pool, element.text, OAUT_LABEL_TEXT) : "");
            orpc_set_end(o, item);
            if (element.is_object && array->object_shown != NULL) {
                array->object_shown(o, item, &element.object);
            }
        } else {
            proto_item_set_text(item, "[%u] NULL", i);
        }
        if (i == 0) {
            array->first = element.text;
        }
        if (ok && i == count - 1) {
            array->last = element;
        }
    }
    return ok;
}

/* From where the count stands that says how many elements follow. */
static bool
counted_variants(struct orpc *o, proto_tree *tree, proto_item *item, const char *label, struct oaut_array *array)
{
    uint32_t count;
    bool ok = orpc_uint32(o, -1, label, &count) && orpc_room(o, (uint64_t)count * 4, label);

    if (ok) {
        proto_item_append_text(item, ": %u", count);
        ok = variant_elements(o, tree, count, array);
    }
    orpc_set_end(o, item);
    return ok;
}

bool
oaut_variant_array(struct orpc *o, proto_tree *tree, const char *label, struct oaut_variant *last)
{
    struct oaut_array array = { .first = "", .last = { .text = "" } };
    proto_item *item;
    proto_tree *subtree;
    bool ok;

    ndr_align(&o->ndr, 4);
    subtree = orpc_subtree(o, tree, (unsigned)o->ndr.offset, &item, label);
    ok = counted_variants(o, subtree, item, label, &array);
    if (last != NULL) {
        *last = array.last;
    }
    return ok;
}

bool
oaut_varying_variants(struct orpc *o, proto_tree *tree, const char *label,
                      void (*object_shown)(struct orpc *o, proto_item *item, const struct orpc_objref *ref))
{
    struct oaut_array array = { .first = "", .object_shown = object_shown };
    proto_item *item;
    proto_tree *subtree;
    uint32_t room, first;

    ndr_align(&o->ndr, 4);
    subtree = orpc_subtree(o, tree, (unsigned)o->ndr.offset, &item, label);
    return orpc_uint32(o, -1, label, &room) && orpc_uint32(o, -1, label, &first) &&
           counted_variants(o, subtree, item, label, &array);
}

static bool
bstr_elements(struct orpc *o, proto_tree *tree, uint32_t count, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const int referents = n->offset;
    const int hf = array->hf_string != -1 ? array->hf_string : find_vartype(OAUT_VT_BSTR)->hf;
    bool ok = true;

    n->offset += (int)(count * 4);
    for (uint32_t i = 0; ok && i < count; i++) {
        const unsigned referent = (unsigned)referents + i * 4;
        proto_tree *const shown = orpc_may_show(o) ? tree : NULL;
        struct oaut_bstr bstr = { OAUT_NULL_POINTER, "", 0, referent, referent + 4 };

        if (tvb_get_letohl(n->tvb, (int)referent) != 0) {
            ok = oaut_bstr_blob(o, shown, &bstr);
        }
        if (shown != NULL && bstr.end > bstr.start) {
            proto_item *const item = oaut_add_bstr(o, shown, hf, &bstr);

            if (array->string_shown != NULL) {
                array->string_shown(o, item, &bstr);
            }
        }
        if (i == 0) {
            array->first = bstr.text;
        }
    }
    return ok;
}

static bool
object_elements(struct orpc *o, proto_tree *tree, uint32_t count)
{
    struct ndr *const n = &o->ndr;
    const int referents = n->offset;
    bool ok = true;

    n->offset += (int)(count * 4);
    for (uint32_t i = 0; ok && i < count; i++) {
        struct orpc_objref ref;
        proto_item *item;
        proto_tree *subtree;

        if (tvb_get_letohl(n->tvb, referents + (int)(i * 4)) == 0) {
            continue;
        }
        subtree = orpc_subtree(o, orpc_may_show(o) ? tree : NULL, (unsigned)n->offset, &item, "Interface pointer");
        ok = orpc_minterface_pointer(o, subtree, &ref);
        orpc_show_objref(o, subtree, &ref);
        orpc_set_end(o, item);
    }
    return ok;
}

/* Elements of a fixed size; vt as cLocks told it, or 0. */
static bool
scalar_elements(struct orpc *o, proto_tree *tree, uint32_t count, uint8_t size, uint16_t default_vt, uint16_t vt,
                struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const struct vartype *type = vt != 0 ? find_vartype(vt) : NULL;

    ndr_align(n, size);
    if (!orpc_room(o, (uint64_t)count * size, "SAFEARRAY elements")) {
        return false;
    }
    if (size == 1) {
        const int hf = array->hf_bytes != -1 ? array->hf_bytes : hf_nospec;

        if (hf != -1) {
            proto_tree_add_item(tree, hf, n->tvb, n->offset, (int)count, ENC_NA);
        }
        array->first = count > 0 ? tvb_bytes_to_str(n->pinfo->pool, n->tvb, n->offset, (int)MIN(count, 16)) : "";
        n->offset += (int)count;
        return true;
    }
    if (type == NULL || type->size != size) {
        type = find_vartype(default_vt);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct oaut_variant element = { .text = NULL };

        if (i > 0 && (tree == NULL || !orpc_may_show(o))) {
            n->offset += (int)((count - i) * size);
            break;
        }
        scalar(o, tree, type, &element);
        if (i == 0) {
            array->first = element.text;
        }
    }
    return true;
}

/* NULL for a type that is unknown or cannot be read. */
static const struct sf_type *
find_sf_type(uint32_t sf)
{
    for (size_t i = 0; i < array_length(sf_types); i++) {
        if (sf_types[i].sf == sf) {
            return &sf_types[i];
        }
    }
    return NULL;
}

static const char *
sf_name(struct orpc *o, uint32_t sf)
{
    const struct sf_type *const type = find_sf_type(sf);

    return type != NULL ? type->name : wmem_strdup_printf(o->ndr.pinfo->pool, "0x%x", sf);
}

/* A SAFEARRAY's header as sent, from its dimensions' conformance on, [MS-OAUT] 2.2.30.10. */
struct safearray_header {
    uint32_t bounds;            /* conformance of rgsabound: how many follow */
    uint16_t dimensions;
    uint16_t vt;                /* where fFeatures says that cLocks holds it, else 0 */
    uint32_t sf_type;
    uint32_t size;              /* all elements */
    uint32_t referent;          /* of the elements; 0: none were sent */
};

#define HEADER_SIZE     28
#define IID_SIZE        16
#define BOUND_SIZE      8
#define HAS_VARTYPE     0x80    /* in fFeatures */

static struct safearray_header
read_header(tvbuff_t *tvb, int offset)
{
    const uint16_t features = tvb_get_letohs(tvb, offset + 6);

    return (struct safearray_header){
        .bounds = tvb_get_letohl(tvb, offset),
        .dimensions = tvb_get_letohs(tvb, offset + 4),
        .vt = (features & HAS_VARTYPE) != 0 ? tvb_get_letohs(tvb, offset + 14) : 0,
        .sf_type = tvb_get_letohl(tvb, offset + 16),
        .size = tvb_get_letohl(tvb, offset + 20),
        .referent = tvb_get_letohl(tvb, offset + 24),
    };
}

/* How many elements count bounds at offset make; beyond 32 bits the product is not multiplied further. */
static uint64_t
bounds_product(tvbuff_t *tvb, int offset, uint32_t count)
{
    uint64_t product = 1;

    for (uint32_t i = 0; i < count; i++, offset += BOUND_SIZE) {
        const uint32_t elements = tvb_get_letohl(tvb, offset);

        product = elements == 0 ? 0 : product > UINT32_MAX ? product : product * elements;
    }
    return product;
}

/*
 * Whether a SAFEARRAY's header may stand at offset: 0 no; 1 its dimensions and its type make sense; 2 and the type is
 * the expected one; 3 and Size, bounds and the elements' max count agree, in the bytes there are.
 */
static unsigned
header_plausibility(const struct orpc *o, int offset, uint32_t expected)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    const unsigned length = tvb_reported_length(tvb);
    struct safearray_header header;
    const struct sf_type *type;
    unsigned bounds, elements;

    if (!tvb_bytes_exist(tvb, offset, HEADER_SIZE)) {
        /* As much as tells the form, where a stub or a snap length ends the header. */
        uint32_t sf;

        if (!tvb_bytes_exist(tvb, offset, 20) || tvb_get_letohl(tvb, offset) != tvb_get_letohs(tvb, offset + 4)) {
            return 0;
        }
        sf = tvb_get_letohl(tvb, offset + 16);
        return sf == expected ? 2 : find_sf_type(sf) != NULL;
    }
    header = read_header(tvb, offset);
    type = find_sf_type(header.sf_type);
    if (header.bounds != header.dimensions ||
        (type == NULL && header.sf_type != OAUT_SF_ERROR && header.sf_type != OAUT_SF_RECORD)) {
        return 0;
    }
    if (expected != 0 && header.sf_type != expected) {
        return 1;
    }
    bounds = (unsigned)offset + HEADER_SIZE + (header.sf_type == OAUT_SF_HAVEIID ? IID_SIZE : 0);
    elements = bounds + header.bounds * BOUND_SIZE;
    if (type == NULL || elements + 4 > length || !tvb_bytes_exist(tvb, (int)bounds, (int)(elements + 4 - bounds)) ||
        bounds_product(tvb, (int)bounds, header.bounds) != header.size ||
        tvb_get_letohl(tvb, (int)elements) != header.size ||
        (uint64_t)header.size * type->size > length - elements - 4) {
        return 2;
    }
    return 3;
}

/*
 * Two pointers (LPSAFEARRAY, as type-library marshallers send it) or one (SAFEARRAY as the IDL has it)? p is after the
 * outer referent: the header begins 4 bytes on in the first form, there in the second. Returns 2, 1, or 0 where neither
 * makes sense.
 */
static unsigned
safearray_referents(const struct orpc *o, int p, uint32_t expected)
{
    const unsigned two = header_plausibility(o, p + 4, expected);
    const unsigned one = header_plausibility(o, p, expected);

    return two == 0 && one == 0 ? 0 : two >= one ? 2 : 1;
}

/* The header's items, at the current offset. */
static void
show_header(struct orpc *o, proto_tree *tree, const struct safearray_header *header)
{
    const unsigned offset = (unsigned)o->ndr.offset;

    orpc_item(o, orpc_details(tree), hf_array_size, offset, 4);
    orpc_item(o, tree, hf_sa_dims, offset + 4, 2);
    if (tree != NULL && hf_sa_features != -1) {
        proto_item *const features = orpc_item(o, tree, hf_sa_features, offset + 6, 2);
        proto_tree *const bits = proto_item_add_subtree(features, ett_features);

        for (size_t i = 0; i < array_length(hf_feature); i++) {
            orpc_item(o, orpc_details(bits), hf_feature[i], offset + 6, 2);
        }
    }
    orpc_item(o, tree, hf_sa_element_size, offset + 8, 4);
    orpc_item(o, orpc_details(tree), hf_sa_locks, offset + 12, 2);
    if (tree != NULL && hf_sa_type != -1) {
        proto_tree_add_uint_format_value(tree, hf_sa_type, o->ndr.tvb, (int)offset + 16, 4, header->sf_type,
                                         "%s (%u)%s%s", sf_name(o, header->sf_type), header->sf_type,
                                         header->vt != 0 ? ", elements " : "",
                                         header->vt != 0 ? oaut_vartype_name(o->ndr.pinfo->pool, header->vt) : "");
    }
    orpc_item(o, tree, hf_sa_elements, offset + 20, 4);
}

/* Header, IID and bounds; false where the stub ends in them. */
static bool
safearray_header(struct orpc *o, proto_tree *tree, uint32_t expected, struct safearray_header *header)
{
    struct ndr *const n = &o->ndr;
    unsigned start;
    uint64_t product;

    if (!orpc_room(o, HEADER_SIZE, "SAFEARRAY header")) {
        return false;
    }
    start = (unsigned)n->offset;
    *header = read_header(n->tvb, n->offset);
    show_header(o, tree, header);
    n->offset += HEADER_SIZE;
    if (expected != 0 && header->sf_type != expected) {
        orpc_expert_at(o, &ei_sf_type, start + 16, 4,
                       wmem_strdup_printf(n->pinfo->pool, "SAFEARRAY of %s where the IDL says %s",
                                          sf_name(o, header->sf_type), sf_name(o, expected)));
    }
    if (header->sf_type == OAUT_SF_HAVEIID) {
        if (!orpc_room(o, IID_SIZE, "SAFEARRAY IID")) {
            return false;
        }
        proto_tree_add_item(tree, hf_safearray_iid, n->tvb, n->offset, IID_SIZE, ENC_LITTLE_ENDIAN);
        n->offset += IID_SIZE;
    }
    if (!orpc_room(o, (uint64_t)header->bounds * BOUND_SIZE, "SAFEARRAY bounds")) {
        return false;
    }
    for (uint32_t i = 0; i < MIN(header->bounds, MAX_BOUNDS_SHOWN); i++) {
        orpc_item(o, tree, hf_sa_bound_elements, (unsigned)n->offset + i * BOUND_SIZE, 4);
        orpc_item(o, tree, hf_sa_low_bound, (unsigned)n->offset + i * BOUND_SIZE + 4, 4);
    }
    product = bounds_product(n->tvb, n->offset, header->bounds);
    n->offset += (int)(header->bounds * BOUND_SIZE);
    if (product != header->size) {
        orpc_odd_format(o, start + 20, 4, "SAFEARRAY Size %u differs from its bounds' %" PRIu64 " elements",
                        header->size, product);
    }
    return true;
}

/* The elements, from their max count on. */
static bool
safearray_elements(struct orpc *o, proto_tree *tree, const struct safearray_header *header, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const struct sf_type *const type = find_sf_type(header->sf_type);
    uint32_t count;
    bool ok;

    ndr_align(n, 4);
    if (!orpc_room(o, 4, "SAFEARRAY elements' max count")) {
        return false;
    }
    orpc_item(o, orpc_details(tree), hf_array_size, (unsigned)n->offset, 4);
    count = tvb_get_letohl(n->tvb, n->offset);
    n->offset += 4;
    if (count != header->size) {
        orpc_odd_format(o, (unsigned)n->offset - 4, 4, "SAFEARRAY has %u elements, Size says %u", count, header->size);
    }
    array->count = count;
    if (type == NULL) {
        return orpc_malformed(o, 0, header->sf_type == OAUT_SF_ERROR ? "SAFEARRAY whose marshalling failed (SF_ERROR)" :
                                    "SAFEARRAY of a type that cannot be read");
    }
    if (!type->by_reference) {
        return scalar_elements(o, tree, count, type->size, type->vt, header->vt, array);
    }
    if (!orpc_room(o, (uint64_t)count * 4, "SAFEARRAY elements")) {
        return false;
    }
    o->depth++;
    if (type->vt == OAUT_VT_BSTR) {
        ok = bstr_elements(o, tree, count, array);
    } else if (type->vt == OAUT_VT_VARIANT) {
        ok = variant_elements(o, tree, count, array);
    } else {
        ok = object_elements(o, tree, count);
    }
    o->depth--;
    return ok;
}

/* [MS-OAUT] 2.2.30.10, after the outer referent. */
static bool
safearray_body(struct orpc *o, proto_tree *tree, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    struct safearray_header header;
    uint32_t referent;
    unsigned form;

    array->first = "";
    if (o->depth >= MAX_DEPTH) {
        return orpc_malformed(o, 0, "SAFEARRAYs nested too deeply to be read");
    }
    if (!orpc_room(o, 4, "SAFEARRAY")) {
        return false;
    }
    if (tvb_get_letohl(n->tvb, n->offset) == 0) {
        n->offset += 4;
        array->null = true;
        return true;
    }
    form = safearray_referents(o, n->offset, array->expected);
    if (form == 0) {
        if (orpc_room(o, HEADER_SIZE, "SAFEARRAY header")) {
            orpc_malformed(o, HEADER_SIZE, "SAFEARRAY with neither one nor two pointers makes sense");
        }
        return false;
    }
    proto_item_set_generated(proto_tree_add_uint(tree, hf_safearray_referents, n->tvb, n->offset, 0, form));
    if (form == 2) {
        /* There, as the header was seen behind it. */
        orpc_referent(o, tree, "SAFEARRAY inner referent", &referent);
    }
    if (!safearray_header(o, tree, array->expected, &header)) {
        return false;
    }
    array->sf_type = header.sf_type;
    return header.referent == 0 || safearray_elements(o, tree, &header, array);
}

bool
oaut_safearray(struct orpc *o, proto_tree *tree, struct oaut_array *array)
{
    uint32_t referent;

    array->null = false;
    array->sf_type = 0;
    array->count = 0;
    array->first = "";
    if (!orpc_referent(o, tree, "SAFEARRAY referent", &referent)) {
        return false;
    }
    array->null = referent == 0;
    return array->null || safearray_body(o, tree, array);
}

void
oaut_init(void)
{
    static const struct foreign_field fields[] = {
        { &hf_array_size, "dcom.array_size", FT_UINT32 },
        { &hf_bstr_size, "dcom.byte_length", FT_UINT32 },
        { &hf_variant_size, "dcom.variant_size", FT_UINT32 },
        { &hf_variant_rpc_reserved, "dcom.variant_rpc_res", FT_UINT32 },
        { &hf_variant_type, "dcom.variant_type", FT_UINT16 },
        { &hf_variant_reserved, "dcom.variant_wres", FT_UINT16 },
        { &hf_variant_type32, "dcom.variant_type32", FT_UINT32 },
        { &hf_sa_dims, "dcom.sa.dims16", FT_UINT16 },
        { &hf_sa_features, "dcom.sa.features", FT_UINT16 },
        { &hf_sa_element_size, "dcom.sa.element_size", FT_UINT32 },
        { &hf_sa_locks, "dcom.sa.locks", FT_UINT16 },
        { &hf_sa_type, "dcom.sa.vartype", FT_UINT32 },
        { &hf_sa_elements, "dcom.sa.elements", FT_UINT32 },
        { &hf_sa_bound_elements, "dcom.sa.bound_elements", FT_UINT32 },
        { &hf_sa_low_bound, "dcom.sa.low_bound", FT_UINT32 },
        { &hf_nospec, "dcom.nospec", FT_BYTES },
    };
    static const char *const features[] = {
        "auto", "static", "embedded", "fixedsize", "record", "have_iid", "have_vartype", "bstr", "unknown", "dispatch",
        "variant",
    };

    foreign_fields_find(fields, array_length(fields));
    for (size_t i = 0; i < array_length(vartypes); i++) {
        if (vartypes[i].field != NULL) {
            vartypes[i].hf = foreign_field_find(vartypes[i].field, vartypes[i].field_type);
        }
    }
    for (size_t i = 0; i < array_length(features); i++) {
        char *const name = ws_strdup_printf("dcom.sa.features_%s", features[i]);

        hf_feature[i] = foreign_field_find(name, FT_BOOLEAN);
        g_free(name);
    }
}

void
oaut_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_bstr_nothing,
          { "Sent as", "pla.bstr.nothing", FT_UINT8, BASE_DEC, VALS(nothing_vals), 0,
            "Which of the three ways to send no text was used", HFILL } },
        { &hf_variant_referent,
          { "Leading referent", "pla.variant.referent", FT_BOOLEAN, BASE_NONE, NULL, 0,
            "Whether the VARIANT was sent as a pointer, as Windows does, or in place", HFILL } },
        { &hf_safearray_referents,
          { "Pointers", "pla.safearray.pointers", FT_UINT8, BASE_DEC, NULL, 0,
            "Referents before the SAFEARRAY: two as type-library marshallers send it, one as the IDL has it", HFILL } },
        { &hf_safearray_iid,
          { "IID of the elements", "pla.safearray.iid", FT_GUID, BASE_NONE, NULL, 0, NULL, HFILL } },
    };
    static int *ett[] = { &ett_oaut, &ett_features };
    static ei_register_info ei[] = {
        { &ei_sf_type,
          { "pla.safearray.type", PI_PROTOCOL, PI_NOTE, "SAFEARRAY is not of the type the IDL says", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
