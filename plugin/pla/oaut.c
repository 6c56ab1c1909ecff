/* oaut.c
 * OLE Automation types inside DCOM stubs: BSTR, VARIANT_BOOL and DATE, [MS-OAUT] 2.2.23, 2.2.25, 2.2.27
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"
#include "pla/oaut.h"

#define BSTR_NULL UINT32_C(0xffffffff)

/* "OAUT_VT_..." without its first five characters is the specification's name. */
/* clang-format off */
#define VARTYPE_ROW(type, number, size, field, field_type) { number, size, &#type[5], field, field_type, -1 },
/* clang-format on */
static struct vartype vartypes[] = { OAUT_VARTYPES(VARTYPE_ROW){ 0, 0, NULL, NULL, FT_NONE, -1 } };

static const value_string nothing_vals[] = {
    { OAUT_NULL_POINTER, "NULL pointer" },
    { OAUT_NULL_BSTR, "null BSTR" },
    { OAUT_EMPTY_STRING, "empty string" },
    { 0, NULL },
};

static int hf_pla_bstr_nothing = -1;

/* Fields of Wireshark's DCOM dissector */
static int hf_ws_dcom_array_size = -1;
static int hf_ws_dcom_byte_length = -1;

static const struct foreign_field foreign_fields[] = {
    { &hf_ws_dcom_array_size, "dcom.array_size", FT_UINT32 },
    { &hf_ws_dcom_byte_length, "dcom.byte_length", FT_UINT32 },
};

const struct vartype *
oaut_find_vartype(uint16_t vt)
{
    for (const struct vartype *type = vartypes; type->name != NULL; type++) {
        if (type->vt == vt) {
            return type;
        }
    }
    return NULL;
}

const char *
oaut_vartype_name(wmem_allocator_t *scope, uint16_t vt)
{
    const struct vartype *const type = oaut_find_vartype(vt & OAUT_VT_TYPEMASK);
    const char *const base = type != NULL ? type->name : wmem_strdup_printf(scope, "0x%x", vt & OAUT_VT_TYPEMASK);

    return wmem_strdup_printf(scope, "%s%s%s", (vt & OAUT_VT_BYREF) != 0 ? "VT_BYREF|" : "",
        (vt & OAUT_VT_ARRAY) != 0 ? "VT_ARRAY|" : "", base);
}

const char *
oaut_date_text(wmem_allocator_t *scope, double date, bool want_date, bool want_time)
{
    const int32_t day_1899_12_30 = 693594;                 /* number of the day 1899-12-30 if 0001-01-01 is day 1 */
    const double year_100 = -657434, year_10000 = 2958466; /* limits of a DATE, [MS-OAUT] 2.2.25 */
    int32_t day;
    unsigned second;
    double fraction;
    const char *days, *time;
    GDate civil;

    if (!(date >= year_100 && date < year_10000)) {
        return wmem_strdup_printf(scope, "%s (out of range)", number_text(scope, "%g", date));
    }
    /* The fraction counts forward from midnight, even for negative days (before 1899). */
    day = (int32_t)date;
    fraction = date - day;
    second = (unsigned)((fraction < 0 ? -fraction : fraction) * 86400 + 0.5);
    day += day_1899_12_30;
    if (second == 86400) {
        second = 0;
        day++;
    }
    g_date_clear(&civil, 1);
    g_date_set_julian(&civil, (uint32_t)day);
    days = wmem_strdup_printf(scope, "%04d-%02d-%02d", g_date_get_year(&civil), g_date_get_month(&civil),
        g_date_get_day(&civil));
    time = wmem_strdup_printf(scope, "%02u:%02u:%02u", second / 3600, second / 60 % 60, second % 60);
    return !want_time ? days : !want_date ? time : wmem_strdup_printf(scope, "%s %s", days, time);
}

bool
oaut_variant_bool(struct orpc *o, int hf)
{
    struct ndr *const n = &o->ndr;
    const uint16_t value = orpc_uint16(o, -1, "VARIANT_BOOL");

    if (!o->failed) {
        proto_item *const item = proto_tree_add_boolean(n->tree, hf, n->tvb, n->offset - 2, 2, value != 0);

        if (value != 0 && value != 0xffff) {
            orpc_odd(o, item, "VARIANT_BOOL is neither 0x0000 nor 0xFFFF");
        }
    }
    return value != 0;
}

/*
 * Returns a BSTR as UTF-8. NUL characters do not end the text; they are shown as the symbol for null, except at the
 * end.
 */
static const char *
bstr_text(struct orpc *o, unsigned offset, unsigned size)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    wmem_allocator_t *const scope = o->ndr.pinfo->pool;
    struct utf16_text part = utf16_measure(tvb, offset, size);
    wmem_strbuf_t *text = wmem_strbuf_new(scope, utf16_get(scope, tvb, offset, part, ENC_LITTLE_ENDIAN));
    unsigned zeros = 0;

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

/* Reads a FLAGGED_WORD_BLOB, [MS-OAUT] 2.2.23.1, from its maximum count on. */
static void
word_blob(struct orpc *o, struct oaut_bstr *bstr)
{
    struct ndr *const n = &o->ndr;
    uint32_t room, bytes, chars;

    if (!orpc_room(o, 12, "BSTR header")) {
        return;
    }
    orpc_detail(o, hf_ws_dcom_array_size, (unsigned)n->offset, 4);
    orpc_detail(o, hf_ws_dcom_byte_length, (unsigned)n->offset + 4, 4);
    room = tvb_get_letohl(n->tvb, n->offset);
    bytes = tvb_get_letohl(n->tvb, n->offset + 4);
    chars = tvb_get_letohl(n->tvb, n->offset + 8);
    n->offset += 12;
    if (!orpc_room(o, (uint64_t)room * 2, "BSTR text")) {
        /* Show the rest of the stub as text. Parameters after it cannot be found. */
        room = ndr_remaining(n) / 2;
        bstr->nothing = OAUT_TEXT;
        bstr->chars = room;
        bstr->text = bstr_text(o, (unsigned)n->offset, room * 2);
        bstr->end = (unsigned)n->offset + room * 2;
        return;
    }
    if (room != chars || (bytes == BSTR_NULL ? chars != 0 : ((uint64_t)bytes + 1) / 2 != chars)) {
        orpc_odd_format(o, (unsigned)n->offset - 12, 12, "BSTR counts disagree: max count %u, cBytes %u, clSize %u",
            room, bytes, chars);
    }
    bstr->nothing = bytes == BSTR_NULL && room == 0 ? OAUT_NULL_BSTR : room == 0 ? OAUT_EMPTY_STRING : OAUT_TEXT;
    bstr->chars = bytes == BSTR_NULL ? room : MIN((bytes + 1) / 2, room);
    bstr->text = bstr_text(o, (unsigned)n->offset, MIN(bytes, room * 2));
    n->offset += (int)(room * 2);
    bstr->end = (unsigned)n->offset;
}

/* Returns an empty struct oaut_bstr that starts at the current offset. */
static struct oaut_bstr
begin_bstr(struct orpc *o, enum oaut_nothing nothing)
{
    ndr_align(&o->ndr, 4);
    return (struct oaut_bstr){ nothing, "", 0, (unsigned)o->ndr.offset, (unsigned)o->ndr.offset };
}

struct oaut_bstr
oaut_bstr_blob(struct orpc *o)
{
    struct oaut_bstr bstr = begin_bstr(o, OAUT_EMPTY_STRING);

    word_blob(o, &bstr);
    return bstr;
}

struct oaut_bstr
oaut_bstr(struct orpc *o)
{
    struct oaut_bstr bstr = begin_bstr(o, OAUT_NULL_POINTER);
    const uint32_t referent = orpc_referent(o, "BSTR referent");

    bstr.end = (unsigned)o->ndr.offset;
    if (referent != 0) {
        word_blob(o, &bstr);
    }
    return bstr;
}

proto_item *
oaut_add_bstr(struct orpc *o, int hf, const struct oaut_bstr *bstr)
{
    const int start = (int)bstr->start, size = (int)(bstr->end - bstr->start);
    struct ndr *const n = &o->ndr;
    proto_item *item;

    if (hf == -1) {
        return NULL;
    }
    item = proto_tree_add_string(n->tree, hf, n->tvb, start, size, bstr->text);
    if (bstr->nothing != OAUT_TEXT) {
        const struct orpc_part part = orpc_enter_item(o, item);

        proto_item_append_text(item, "(%s)", try_val_to_str(bstr->nothing, nothing_vals));
        proto_item_set_generated(proto_tree_add_uint(n->tree, hf_pla_bstr_nothing, n->tvb, start, size, bstr->nothing));
        n->tree = part.parent;
    }
    return item;
}

void
oaut_init(void)
{
    foreign_fields_find(foreign_fields, array_length(foreign_fields));
    for (struct vartype *type = vartypes; type->name != NULL; type++) {
        if (type->field != NULL) {
            type->hf = foreign_field_find(type->field, type->field_type);
        }
    }
    oaut_variant_init();
    oaut_safearray_init();
}

void
oaut_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_bstr_nothing,
            { "Sent as", "pla.bstr.nothing", FT_UINT8, BASE_DEC, VALS(nothing_vals), 0,
                "How the absent text is encoded (there are three ways)", HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    oaut_variant_register(proto);
    oaut_safearray_register(proto);
}
