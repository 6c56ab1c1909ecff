/* oaut.h
 * OLE Automation types inside DCOM stubs, [MS-OAUT] 2.2.23 to 2.2.30: BSTR, VARIANT,
 * SAFEARRAY, VARIANT_BOOL and DATE. They are little-endian whatever the call's data
 * representation says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_OAUT_H
#define PERFLIB_PLA_OAUT_H

#include "compat.h"

#include "pla/orpc.h"

/* There are three ways to send no text. */
enum oaut_nothing {
    OAUT_TEXT,         /* there is some */
    OAUT_NULL_POINTER, /* referent 0 */
    OAUT_NULL_BSTR,    /* cBytes 0xFFFFFFFF, what Windows sends for NULL */
    OAUT_EMPTY_STRING, /* cBytes 0 */
};

struct oaut_bstr {
    enum oaut_nothing nothing;
    const char *text; /* UTF-8, packet scope; "" where there is none */
    unsigned chars;   /* 16-bit units */
    unsigned start;   /* of referent or max count in the stub */
    unsigned end;
};

/* What a VARIANT holds; text is what a person reads. */
struct oaut_variant {
    bool null; /* referent 0: no VARIANT was sent */
    uint16_t vt;
    const char *text;  /* packet scope, never NULL; "NULL" for a null BSTR, too */
    bool is_text;      /* a BSTR that is not null: text is what the peer wrote */
    bool is_null_text; /* a null BSTR */
    bool is_integer;   /* I1..UI8, INT, UINT, ERROR, BOOL: integer is set */
    int64_t integer;
    bool is_date; /* date is set: days since 1899-12-30 */
    double date;
    bool is_object; /* VT_DISPATCH, VT_UNKNOWN: object is set */
    struct orpc_objref object;
};

/* Names of VARIANT types, VT_ARRAY and VT_BYREF spelled out; packet scope. */
const char *oaut_vartype_name(wmem_allocator_t *scope, uint16_t vt);

/*
 * A DATE as "2025-01-01 06:00:00" (no time zone: DATE has none), packet scope. Parts that are
 * not wanted are left out. Beyond the years 100 to 9999 "out of range". [MS-OAUT] 2.2.25.
 */
const char *oaut_date_text(wmem_allocator_t *scope, double date, bool want_date, bool want_time);

/* Fields, expert items and subtrees; called once, with the protocol that owns them. */
void oaut_register(int proto);
/* Finds Wireshark's fields; called once, at handoff. */
void oaut_init(void);

/* VARIANT_BOOL, [MS-OAUT] 2.2.27: any value but 0 and 0xFFFF is odd. hf: FT_BOOLEAN. */
bool oaut_variant_bool(struct orpc *o, int hf);

/* Reads a BSTR with its referent; no item but those of referent and counts, see orpc_detail(). */
struct oaut_bstr oaut_bstr(struct orpc *o);
/* The same without referent, as array elements follow theirs. */
struct oaut_bstr oaut_bstr_blob(struct orpc *o);
/* Adds it under hf (FT_STRING), the kind of nothing named. Returns the item. */
proto_item *oaut_add_bstr(struct orpc *o, int hf, const struct oaut_bstr *bstr);

/* ---- oaut-variant.c ---- */

/* A VARIANT parameter, with leading referent or, as some stacks send it, without: whichever makes sense, is shown. */
void oaut_variant_param(struct orpc *o, struct oaut_variant *variant);

/* How a SAFEARRAY's elements are to be shown. */
struct oaut_array {
    uint32_t expected; /* sfType the IDL promises: OAUT_SF_BSTR, OAUT_SF_I1, or 0 */
    int hf_string;     /* FT_STRING for each BSTR, or -1: dcom.vt.bstr */
    int hf_bytes;      /* FT_BYTES for an array of bytes, or -1 */
    /* Called for each BSTR; item may be NULL. NULL: nothing to add. */
    void (*string_shown)(struct orpc *o, proto_item *item, const char *text);
    /* The same for each VARIANT that holds an object, with its place in the array. */
    void (*object_shown)(struct orpc *o, proto_item *item, const struct orpc_objref *ref, unsigned number);

    /* What was found. */
    bool null;
    uint32_t count;                /* elements */
    const char *first;             /* text of the first element, packet scope; "" where there is none */
    struct oaut_variant *variants; /* room for the first VARIANTs, or NULL */
    unsigned room;
};

#define OAUT_SF_I1   0x10
#define OAUT_SF_BSTR 8

/* Bytes of a text from the wire that labels show; the field below holds the whole. */
#define OAUT_LABEL_TEXT 120

/* ---- oaut-safearray.c ---- */

/* A SAFEARRAY parameter: one or two referents, whichever makes sense, which is shown. */
void oaut_safearray(struct orpc *o, struct oaut_array *array);

/* ---- oaut-variant.c ---- */

/*
 * A conformant array of VARIANTs (IDispatch::Invoke): max count, referents, VARIANTs; or conformant and varying
 * (IEnumVARIANT::Next): max count, offset, actual count first.
 */
void oaut_variants(struct orpc *o, const char *label, bool is_varying, struct oaut_array *array);

/* The parameters of IDispatch, [MS-OAUT] 3.1.4, which scripts use to call by name */

/* The most names and arguments of one member that are kept; no method of [MS-PLA] has as many. */
#define DISPATCH_MAX_NAMES 8

/* The arguments of Invoke, as they are sent: those with a name first, then the others, the last one first. */
struct dispatch_arguments {
    uint32_t count, num_named; /* as sent; the arrays hold the first */
    struct oaut_variant values[DISPATCH_MAX_NAMES];
    uint32_t named[DISPATCH_MAX_NAMES];      /* DISPIDs of the first arguments */
    uint32_t references[DISPATCH_MAX_NAMES]; /* indices of those by reference */
};

/* ---- oaut-dispatch.c ---- */

/*
 * GetIDsOfNames: array of pointers to names, an item each under hf (FT_STRING): the member's, then those of its
 * arguments. Returns their count; the first DISPATCH_MAX_NAMES are kept in packet scope, "" where one was not sent.
 */
uint32_t dispatch_names(struct orpc *o, int hf, const char **names);
/* Conformant array of 32-bit numbers, an item each under hf. Returns their count; keeps at most DISPATCH_MAX_NAMES. */
uint32_t dispatch_numbers(struct orpc *o, int hf, bool is_signed, uint32_t *numbers);
/* DISPPARAMS under hf (FT_NONE). hide: the arguments are not to be shown. */
void dispatch_params(struct orpc *o, int hf, bool hide, struct dispatch_arguments *arguments);
/* EXCEPINFO under hf (FT_NONE). */
void dispatch_excepinfo(struct orpc *o, int hf);

/* Fields; called once, with the protocol that owns them. */
void dispatch_register(int proto);

/* What the readers of VARIANTs and of SAFEARRAYs, which hold each other, know of one another */

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

/* ---- oaut.c ---- */

/* NULL for a type that is unknown; vt without flags. */
const struct vartype *oaut_find_vartype(uint16_t vt);

/* ---- oaut-variant.c ---- */

/* A value of fixed size at the current offset, which is aligned and has room. */
void oaut_scalar(struct orpc *o, const struct vartype *type, struct oaut_variant *variant);
/* An array of count referents, each non-zero one followed later by its VARIANT, from its first referent. */
void oaut_variant_elements(struct orpc *o, uint32_t count, struct oaut_array *array);

/* The same as oaut_register() and oaut_init(), which call them. */
void oaut_variant_register(int proto);
void oaut_variant_init(void);

/* ---- oaut-safearray.c ---- */

void oaut_safearray_register(int proto);
void oaut_safearray_init(void);

#endif /* PERFLIB_PLA_OAUT_H */
