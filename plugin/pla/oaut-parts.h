/* oaut-parts.h
 * What the readers of VARIANTs and of SAFEARRAYs, which hold each other, know of one another
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_OAUT_PARTS_H
#define PERFLIB_PLA_OAUT_PARTS_H

#include "pla/oaut.h"

/* VARIANTs in SAFEARRAYs in VARIANTs ...; real ones hold no more than one. */
#define OAUT_MAX_DEPTH 8

/* VARTYPE, [MS-OAUT] 2.2.7. */
enum {
    OAUT_VT_EMPTY = 0,
    OAUT_VT_NULL = 1,
    OAUT_VT_I2 = 2,
    OAUT_VT_I4 = 3,
    OAUT_VT_R4 = 4,
    OAUT_VT_R8 = 5,
    OAUT_VT_CY = 6,
    OAUT_VT_DATE = 7,
    OAUT_VT_BSTR = 8,
    OAUT_VT_DISPATCH = 9,
    OAUT_VT_ERROR = 0xa,
    OAUT_VT_BOOL = 0xb,
    OAUT_VT_VARIANT = 0xc,
    OAUT_VT_UNKNOWN = 0xd,
    OAUT_VT_DECIMAL = 0xe,
    OAUT_VT_I1 = 0x10,
    OAUT_VT_UI1 = 0x11,
    OAUT_VT_UI2 = 0x12,
    OAUT_VT_UI4 = 0x13,
    OAUT_VT_I8 = 0x14,
    OAUT_VT_UI8 = 0x15,
    OAUT_VT_INT = 0x16,
    OAUT_VT_UINT = 0x17,
    OAUT_VT_RECORD = 0x24,
    OAUT_VT_ARRAY = 0x2000,
    OAUT_VT_BYREF = 0x4000,
    OAUT_VT_TYPEMASK = 0xfff,
};

/* A type's size, alignment, and Wireshark's field for it. */
struct vartype {
    uint16_t vt;
    uint8_t size; /* 0: no value, or one of its own structure */
    const char *name;
    const char *field;
    enum ftenum field_type;
    int hf;
};

/* NULL for a type that is unknown; vt without flags. */
const struct vartype *oaut_find_vartype(uint16_t vt);

/* A value of fixed size at the current offset, which is aligned and has room. */
void oaut_scalar(struct orpc *o, proto_tree *tree, const struct vartype *type, struct oaut_variant *variant);
/* An array of count referents, each non-zero one followed later by its VARIANT, from its first referent. */
bool oaut_variant_elements(struct orpc *o, proto_tree *tree, uint32_t count, struct oaut_array *array);

/* The same as oaut_register() and oaut_init(), which call them. */
void oaut_variant_register(int proto);
void oaut_variant_init(void);
void oaut_safearray_register(int proto);
void oaut_safearray_init(void);

#endif /* PERFLIB_PLA_OAUT_PARTS_H */
