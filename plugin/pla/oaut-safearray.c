/* oaut-safearray.c
 * SAFEARRAY, [MS-OAUT] 2.2.30
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/oaut.h"

#include <epan/to_str.h>

#include "base/fields.h"

#define MAX_BOUNDS_SHOWN 16

/* Element types of a SAFEARRAY (SF_TYPE, [MS-OAUT] 2.2.8) that have their own reader. */
enum {
    OAUT_SF_ERROR = 0xa,
    OAUT_SF_RECORD = 0x24,
    OAUT_SF_HAVEIID = 0x800d,
};

/* Element type of a SAFEARRAY on the wire, and the VARTYPE of its elements if cLocks contains none. */
static const struct sf_type {
    uint32_t sf;
    uint8_t size; /* size of an element; 4 (a referent ID) if by_reference */
    bool by_reference;
    uint16_t vt;
    const char *name;
} sf_types[] = {
    { 2, 2, false, OAUT_VT_I2, "SF_I2" },
    { 3, 4, false, OAUT_VT_I4, "SF_I4" },
    { OAUT_SF_BSTR, 4, true, OAUT_VT_BSTR, "SF_BSTR" },
    { 9, 4, true, OAUT_VT_DISPATCH, "SF_DISPATCH" },
    { 0xc, 4, true, OAUT_VT_VARIANT, "SF_VARIANT" },
    { 0xd, 4, true, OAUT_VT_UNKNOWN, "SF_UNKNOWN" },
    { OAUT_SF_I1, 1, false, OAUT_VT_UI1, "SF_I1" },
    { 0x14, 8, false, OAUT_VT_I8, "SF_I8" },
    { OAUT_SF_HAVEIID, 4, true, OAUT_VT_UNKNOWN, "SF_HAVEIID" },
};

static int hf_pla_safearray_pointers = -1;
static int hf_pla_safearray_iid = -1;

/* Fields of Wireshark's DCOM dissector */
static int hf_ws_dcom_array_size = -1;
static int hf_ws_dcom_sa_dims16 = -1;
static int hf_ws_dcom_sa_features = -1;
static int hf_ws_dcom_sa_element_size = -1;
static int hf_ws_dcom_sa_locks = -1;
static int hf_ws_dcom_sa_vartype = -1;
static int hf_ws_dcom_sa_elements = -1;
static int hf_ws_dcom_sa_bound_elements = -1;
static int hf_ws_dcom_sa_low_bound = -1;
static int hf_ws_dcom_nospec = -1;
static int hf_ws_dcom_sa_feature[11];

static const struct foreign_field foreign_fields[] = {
    { &hf_ws_dcom_array_size, "dcom.array_size", FT_UINT32 },
    { &hf_ws_dcom_sa_dims16, "dcom.sa.dims16", FT_UINT16 },
    { &hf_ws_dcom_sa_features, "dcom.sa.features", FT_UINT16 },
    { &hf_ws_dcom_sa_element_size, "dcom.sa.element_size", FT_UINT32 },
    { &hf_ws_dcom_sa_locks, "dcom.sa.locks", FT_UINT16 },
    { &hf_ws_dcom_sa_vartype, "dcom.sa.vartype", FT_UINT32 },
    { &hf_ws_dcom_sa_elements, "dcom.sa.elements", FT_UINT32 },
    { &hf_ws_dcom_sa_bound_elements, "dcom.sa.bound_elements", FT_UINT32 },
    { &hf_ws_dcom_sa_low_bound, "dcom.sa.low_bound", FT_UINT32 },
    { &hf_ws_dcom_nospec, "dcom.nospec", FT_BYTES },
    { &hf_ws_dcom_sa_feature[0], "dcom.sa.features_auto", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[1], "dcom.sa.features_static", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[2], "dcom.sa.features_embedded", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[3], "dcom.sa.features_fixedsize", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[4], "dcom.sa.features_record", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[5], "dcom.sa.features_have_iid", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[6], "dcom.sa.features_have_vartype", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[7], "dcom.sa.features_bstr", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[8], "dcom.sa.features_unknown", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[9], "dcom.sa.features_dispatch", FT_BOOLEAN },
    { &hf_ws_dcom_sa_feature[10], "dcom.sa.features_variant", FT_BOOLEAN },
};

static expert_field ei_pla_safearray_type = EI_INIT;

static void
bstr_elements(struct orpc *o, uint32_t count, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    const int referents = n->offset;
    const int hf = array->hf_string != -1 ? array->hf_string : oaut_find_vartype(OAUT_VT_BSTR)->hf;

    n->offset += (int)(count * 4);
    for (uint32_t i = 0; !o->failed && i < count; i++) {
        const unsigned referent = (unsigned)referents + i * 4;
        struct oaut_bstr bstr = { OAUT_NULL_POINTER, "", 0, referent, referent + 4 };
        const bool may_show = orpc_may_show(o);

        n->tree = may_show ? parent : NULL;
        if (tvb_get_letohl(n->tvb, (int)referent) != 0) {
            bstr = oaut_bstr_blob(o);
        }
        if (may_show && bstr.end > bstr.start) {
            proto_item *const item = oaut_add_bstr(o, hf, &bstr);

            if (array->string_shown != NULL) {
                array->string_shown(o, item, bstr.text);
            }
        }
        if (i == 0) {
            array->first = bstr.text;
        }
    }
    n->tree = parent;
}

static void
object_elements(struct orpc *o, uint32_t count)
{
    struct ndr *const n = &o->ndr;
    const int referents = n->offset;

    n->offset += (int)(count * 4);
    for (uint32_t i = 0; !o->failed && i < count; i++) {
        if (tvb_get_letohl(n->tvb, referents + (int)(i * 4)) != 0) {
            const struct orpc_part part = orpc_enter_element(o, "Interface pointer");
            struct orpc_objref ref;

            orpc_minterface_pointer(o, &ref);
            orpc_show_objref(o, &ref);
            orpc_leave(o, part);
        }
    }
}

/* Reads elements of a fixed size. vt: VARTYPE from cLocks, or 0. */
static void
scalar_elements(struct orpc *o, uint32_t count, uint8_t size, uint16_t default_vt, uint16_t vt,
    struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const struct vartype *type = vt != 0 ? oaut_find_vartype(vt) : NULL;

    ndr_align(n, size);
    if (!orpc_room(o, (uint64_t)count * size, "SAFEARRAY elements")) {
        return;
    }
    if (size == 1) {
        orpc_item(o, array->hf_bytes != -1 ? array->hf_bytes : hf_ws_dcom_nospec, (unsigned)n->offset, count);
        array->first = count > 0 ? tvb_bytes_to_str(n->pinfo->pool, n->tvb, n->offset, (int)MIN(count, 16)) : "";
        n->offset += (int)count;
        return;
    }
    if (type == NULL || type->size != size) {
        type = oaut_find_vartype(default_vt);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct oaut_variant element = { .text = NULL };

        if (i > 0 && (n->tree == NULL || !orpc_may_show(o))) {
            n->offset += (int)((count - i) * size);
            break;
        }
        oaut_scalar(o, type, &element);
        if (i == 0) {
            array->first = element.text;
        }
    }
}

/* Returns the description of an element type, or NULL if it is unknown or cannot be read. */
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

/* Header of a SAFEARRAY as sent, from the conformance of its dimensions on, [MS-OAUT] 2.2.30.10. */
struct safearray_header {
    unsigned offset;
    uint32_t bounds; /* conformance of rgsabound: number of bounds */
    uint16_t vt;     /* VARTYPE in cLocks, if fFeatures has HAS_VARTYPE; else 0 */
    uint32_t sf_type;
    uint32_t size;     /* number of elements of all dimensions together */
    uint32_t referent; /* referent ID of the elements; 0 if none were sent */
};

#define HEADER_SIZE 28
#define IID_SIZE    16
#define BOUND_SIZE  8
#define HAS_VARTYPE 0x80 /* flag of fFeatures: cLocks contains a VARTYPE */

static struct safearray_header
safearray_read_header(tvbuff_t *tvb, int offset)
{
    const uint16_t features = tvb_get_letohs(tvb, offset + 6);

    return (struct safearray_header){
        .offset = (unsigned)offset,
        .bounds = tvb_get_letohl(tvb, offset),
        .vt = (features & HAS_VARTYPE) != 0 ? tvb_get_letohs(tvb, offset + 14) : 0,
        .sf_type = tvb_get_letohl(tvb, offset + 16),
        .size = tvb_get_letohl(tvb, offset + 20),
        .referent = tvb_get_letohl(tvb, offset + 24),
    };
}

/* Returns the number of elements: the product of the bounds at `offset`. Stops once the product exceeds 32 bits. */
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
 * Rates the bytes at `offset` as a SAFEARRAY's header. 0: not a header. 1: dimensions and type are valid. 2: the type
 * is also the expected one. 3: size, bounds and the elements' maximum count also agree, as far as captured.
 */
static unsigned
header_plausibility(const struct orpc *o, int offset, uint32_t expected)
{
    tvbuff_t *const tvb = o->ndr.tvb;
    const unsigned length = tvb_reported_length(tvb);
    struct safearray_header header;
    const struct sf_type *type;
    unsigned bounds, elements;
    uint32_t sf;

    /* Dimensions and type are in the first 20 bytes. Later members are checked below if they were captured. */
    if (!tvb_bytes_exist(tvb, offset, 20)) {
        return 0;
    }
    sf = tvb_get_letohl(tvb, offset + 16);
    type = find_sf_type(sf);
    if (tvb_get_letohl(tvb, offset) != tvb_get_letohs(tvb, offset + 4) ||
        (type == NULL && sf != OAUT_SF_ERROR && sf != OAUT_SF_RECORD)) {
        return 0;
    }
    if (expected != 0 && sf != expected) {
        return 1;
    }
    if (type == NULL || !tvb_bytes_exist(tvb, offset, HEADER_SIZE)) {
        return 2;
    }
    header = safearray_read_header(tvb, offset);
    bounds = (unsigned)offset + HEADER_SIZE + (sf == OAUT_SF_HAVEIID ? IID_SIZE : 0);
    elements = bounds + header.bounds * BOUND_SIZE;
    if (!tvb_bytes_exist(tvb, (int)bounds, (int)(elements + 4 - bounds)) ||
        bounds_product(tvb, (int)bounds, header.bounds) != header.size ||
        tvb_get_letohl(tvb, (int)elements) != header.size ||
        (uint64_t)header.size * type->size > length - elements - 4) {
        return 2;
    }
    return 3;
}

/* Shows the members of the header at the current offset. */
static void
safearray_show_header(struct orpc *o, const struct safearray_header *header)
{
    const unsigned offset = (unsigned)o->ndr.offset;
    struct orpc_part features;

    orpc_detail(o, hf_ws_dcom_array_size, offset, 4);
    orpc_item(o, hf_ws_dcom_sa_dims16, offset + 4, 2);
    features = orpc_enter_item(o, orpc_item(o, hf_ws_dcom_sa_features, offset + 6, 2));
    for (size_t i = 0; i < array_length(hf_ws_dcom_sa_feature); i++) {
        orpc_detail(o, hf_ws_dcom_sa_feature[i], offset + 6, 2);
    }
    o->ndr.tree = features.parent;
    orpc_item(o, hf_ws_dcom_sa_element_size, offset + 8, 4);
    orpc_detail(o, hf_ws_dcom_sa_locks, offset + 12, 2);
    if (hf_ws_dcom_sa_vartype != -1) {
        proto_tree_add_uint_format_value(o->ndr.tree, hf_ws_dcom_sa_vartype, o->ndr.tvb, (int)offset + 16, 4,
            header->sf_type, "%s (%u)%s%s", sf_name(o, header->sf_type), header->sf_type,
            header->vt != 0 ? ", elements " : "",
            header->vt != 0 ? oaut_vartype_name(o->ndr.pinfo->pool, header->vt) : "");
    }
    orpc_item(o, hf_ws_dcom_sa_elements, offset + 20, 4);
}

/* Reads the header, the IID and the bounds. */
static void
safearray_header(struct orpc *o, uint32_t expected, struct safearray_header *header)
{
    struct ndr *const n = &o->ndr;
    const unsigned start = (unsigned)n->offset;
    uint64_t product;

    if (!orpc_room(o, HEADER_SIZE, "SAFEARRAY header")) {
        return;
    }
    *header = safearray_read_header(n->tvb, n->offset);
    safearray_show_header(o, header);
    n->offset += HEADER_SIZE;
    if (expected != 0 && header->sf_type != expected) {
        orpc_expert_at(o, &ei_pla_safearray_type, start + 16, 4,
            wmem_strdup_printf(n->pinfo->pool, "SAFEARRAY of %s where the IDL says %s", sf_name(o, header->sf_type),
                sf_name(o, expected)));
    }
    if (header->sf_type == OAUT_SF_HAVEIID) {
        if (!orpc_room(o, IID_SIZE, "SAFEARRAY IID")) {
            return;
        }
        orpc_item(o, hf_pla_safearray_iid, (unsigned)n->offset, IID_SIZE);
        n->offset += IID_SIZE;
    }
    if (!orpc_room(o, (uint64_t)header->bounds * BOUND_SIZE, "SAFEARRAY bounds")) {
        return;
    }
    for (uint32_t i = 0; i < MIN(header->bounds, MAX_BOUNDS_SHOWN); i++) {
        orpc_item(o, hf_ws_dcom_sa_bound_elements, (unsigned)n->offset + i * BOUND_SIZE, 4);
        orpc_item(o, hf_ws_dcom_sa_low_bound, (unsigned)n->offset + i * BOUND_SIZE + 4, 4);
    }
    product = bounds_product(n->tvb, n->offset, header->bounds);
    n->offset += (int)(header->bounds * BOUND_SIZE);
    if (product != header->size) {
        orpc_odd_format(o, start + 20, 4, "SAFEARRAY Size %u differs from its bounds' %" PRIu64 " elements",
            header->size, product);
    }
}

/* Reads the elements, from their maximum count on. */
static void
safearray_elements(struct orpc *o, const struct safearray_header *header, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    const struct sf_type *const type = find_sf_type(header->sf_type);
    uint32_t count;

    ndr_align(n, 4);
    if (!orpc_room(o, 4, "SAFEARRAY elements' max count")) {
        return;
    }
    orpc_detail(o, hf_ws_dcom_array_size, (unsigned)n->offset, 4);
    count = tvb_get_letohl(n->tvb, n->offset);
    n->offset += 4;
    if (count != header->size) {
        orpc_odd_format(o, (unsigned)n->offset - 4, 4, "SAFEARRAY has %u elements, Size says %u", count, header->size);
    }
    array->count = count;
    if (type == NULL) {
        orpc_malformed(o, header->offset + 16, 4,
            header->sf_type == OAUT_SF_ERROR ? "SAFEARRAY whose marshalling failed (SF_ERROR)"
                                             : "SAFEARRAY of a type that cannot be read");
    } else if (!type->by_reference) {
        scalar_elements(o, count, type->size, type->vt, header->vt, array);
    } else if (orpc_room(o, (uint64_t)count * 4, "SAFEARRAY elements")) {
        if (type->vt == OAUT_VT_BSTR) {
            bstr_elements(o, count, array);
        } else if (type->vt == OAUT_VT_VARIANT) {
            oaut_variant_elements(o, count, array);
        } else {
            object_elements(o, count);
        }
    }
}

/* Reads a SAFEARRAY, [MS-OAUT] 2.2.30.10, after the outer referent ID. */
static void
safearray_body(struct orpc *o, struct oaut_array *array)
{
    struct ndr *const n = &o->ndr;
    struct safearray_header header = { 0 };
    unsigned one, two;

    if (!orpc_room(o, 4, "SAFEARRAY")) {
        return;
    }
    if (tvb_get_letohl(n->tvb, n->offset) == 0) {
        n->offset += 4;
        array->null = true;
        return;
    }
    /*
     * Implementations that marshal by type library send two pointers (LPSAFEARRAY), others one (SAFEARRAY, as in the
     * IDL). Decide by what follows.
     */
    two = header_plausibility(o, n->offset + 4, array->expected);
    one = header_plausibility(o, n->offset, array->expected);
    if (two == 0 && one == 0) {
        if (orpc_room(o, HEADER_SIZE, "SAFEARRAY header")) {
            /* Throws if the header was not captured: a truncated header must not be reported as malformed. */
            tvb_ensure_bytes_exist(n->tvb, n->offset, HEADER_SIZE);
            orpc_malformed(o, (unsigned)n->offset, HEADER_SIZE, "SAFEARRAY is not valid with one pointer or with two");
        }
        return;
    }
    proto_item_set_generated(
        proto_tree_add_uint(n->tree, hf_pla_safearray_pointers, n->tvb, n->offset, 0, two >= one ? 2 : 1));
    if (two >= one) {
        orpc_referent(o, "SAFEARRAY inner referent");
    }
    safearray_header(o, array->expected, &header);
    if (header.referent != 0) {
        safearray_elements(o, &header, array);
    }
}

void
oaut_safearray(struct orpc *o, struct oaut_array *array)
{
    const uint32_t referent = orpc_referent(o, "SAFEARRAY referent");

    array->first = "";
    array->null = referent == 0 && !o->failed;
    if (referent != 0) {
        safearray_body(o, array);
    }
}

void
oaut_safearray_init(void)
{
    foreign_fields_find(foreign_fields, array_length(foreign_fields));
}

void
oaut_safearray_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_safearray_pointers,
            { "Pointers", "pla.safearray.pointers", FT_UINT8, BASE_DEC, NULL, 0,
                "Number of pointers before the SAFEARRAY: two from type-library marshallers, one by the IDL", HFILL } },
        { &hf_pla_safearray_iid,
            { "IID of the elements", "pla.safearray.iid", FT_GUID, BASE_NONE, NULL, 0,
                "Interface of the objects in the array", HFILL } },
    };
    static ei_register_info ei[] = {
        { &ei_pla_safearray_type,
            { "pla.safearray.type", PI_PROTOCOL, PI_NOTE, "SAFEARRAY's type differs from the IDL", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
