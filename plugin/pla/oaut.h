/* oaut.h
 * OLE Automation types inside DCOM stubs, [MS-OAUT] 2.2.23 to 2.2.30: BSTR, VARIANT,
 * SAFEARRAY, VARIANT_BOOL and DATE. They are little-endian whatever the call's data
 * representation says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_OAUT_H
#define PERFLIB_PLA_OAUT_H

#include "pla/orpc.h"

/* Kind of a BSTR: text, or one of the three ways to send none. */
enum oaut_nothing {
    OAUT_TEXT,         /* text of at least one character */
    OAUT_NULL_POINTER, /* null pointer: referent ID 0 */
    OAUT_NULL_BSTR,    /* null BSTR: cBytes 0xFFFFFFFF, which Windows sends */
    OAUT_EMPTY_STRING, /* empty BSTR: cBytes 0 */
};

struct oaut_bstr {
    enum oaut_nothing nothing;
    const char *text; /* UTF-8, packet scope; "" if there is no text */
    unsigned chars;   /* length in 16-bit units */
    unsigned start;   /* offset of the referent ID, or else of the maximum count, in the stub */
    unsigned end;
};

/* Value of a VARIANT. */
struct oaut_variant {
    bool null; /* true if the referent ID was 0: no VARIANT was sent */
    uint16_t vt;
    const char *text;  /* value as shown, packet scope, never NULL; "NULL" for a null BSTR */
    bool is_text;      /* true for a BSTR that is not null: `text` is its content */
    bool is_null_text; /* true for a null BSTR */
    bool is_integer;   /* true if `integer` is valid: I1..UI8, INT, UINT, ERROR, BOOL */
    int64_t integer;
    bool is_date; /* true if `date` is valid: days since 1899-12-30 */
    double date;
    bool is_object; /* true if `object` is valid: VT_DISPATCH, VT_UNKNOWN */
    struct orpc_objref object;
};

/* Returns the name of a VARIANT type, with VT_ARRAY and VT_BYREF spelled out; allocated in `scope`. */
const char *oaut_vartype_name(wmem_allocator_t *scope, uint16_t vt);

/*
 * Returns a DATE ([MS-OAUT] 2.2.25) as "2025-01-01 06:00:00", or only its date or time. A DATE has no time zone.
 * Returns "out of range" for years other than 100 to 9999. Allocated in `scope`.
 */
const char *oaut_date_text(wmem_allocator_t *scope, double date, bool want_date, bool want_time);

/* Registers fields, expert items and subtrees of [MS-OAUT] for the protocol. Called once. */
void oaut_register(int proto);
/* Looks up Wireshark's fields. Called once, at handoff. */
void oaut_init(void);

/* Reads a VARIANT_BOOL ([MS-OAUT] 2.2.27) as hf, an FT_BOOLEAN. Values other than 0 and 0xFFFF get an expert item. */
bool oaut_variant_bool(struct orpc *o, int hf);

/* Reads a BSTR with its referent ID. Adds no item for the text; those for the ID and the counts by orpc_detail(). */
struct oaut_bstr oaut_bstr(struct orpc *o);
/* Reads a BSTR without a referent ID: in arrays all referent IDs precede the elements. */
struct oaut_bstr oaut_bstr_blob(struct orpc *o);
/* Adds a BSTR under hf, an FT_STRING; the label shows which kind of null or empty text was sent. Returns the item. */
proto_item *oaut_add_bstr(struct orpc *o, int hf, const struct oaut_bstr *bstr);

/* ---- oaut-variant.c ---- */

/*
 * Reads a VARIANT parameter. Some RPC implementations omit its referent ID: the function tries both forms and shows the
 * valid one.
 */
void oaut_variant_param(struct orpc *o, struct oaut_variant *variant);

/* Options for showing the elements of a SAFEARRAY, and results of reading the array. */
struct oaut_array {
    uint32_t expected; /* sfType in the IDL: OAUT_SF_BSTR, OAUT_SF_I1, or 0 for any */
    int hf_string;     /* FT_STRING for each BSTR, or -1 for dcom.vt.bstr */
    int hf_bytes;      /* FT_BYTES for an array of bytes, or -1 */
    /* Callback for each BSTR, or NULL; item may be NULL. */
    void (*string_shown)(struct orpc *o, proto_item *item, const char *text);
    /*
     * Called for each VARIANT that contains an object, with its index in the array. The callback and item may be NULL.
     */
    void (*object_shown)(struct orpc *o, proto_item *item, const struct orpc_objref *ref, unsigned number);

    /* Results, set by reading the array: */
    bool null;
    uint32_t count;                /* number of elements */
    const char *first;             /* text of the first element, packet scope; "" if there is none */
    struct oaut_variant *variants; /* caller's buffer for the first VARIANTs, or NULL */
    unsigned room;
};

#define OAUT_SF_I1   0x10
#define OAUT_SF_BSTR 8

/* Maximum length in bytes of received text in a label. The item's field has the whole text. */
#define OAUT_LABEL_TEXT 120

/* ---- oaut-safearray.c ---- */

/* Reads a SAFEARRAY parameter with one or two referent IDs: tries both forms and shows the valid one. */
void oaut_safearray(struct orpc *o, struct oaut_array *array);

/* ---- oaut-variant.c ---- */

/*
 * Reads a conformant array of VARIANTs (IDispatch::Invoke): maximum count, referent IDs, VARIANTs. is_varying: a
 * conformant and varying array (IEnumVARIANT::Next), with offset and actual count after the maximum count.
 */
void oaut_variants(struct orpc *o, const char *label, bool is_varying, struct oaut_array *array);

/* Parameters of IDispatch ([MS-OAUT] 3.1.4), which scripts use to call methods by name */

/* Maximum number of names and arguments kept per call. No method of [MS-PLA] has more. */
#define DISPATCH_MAX_NAMES 8

/* Arguments of Invoke in wire order: first the named ones, then the positional ones from last to first. */
struct dispatch_arguments {
    uint32_t count, num_named; /* counts as sent; the arrays below have at most DISPATCH_MAX_NAMES elements */
    struct oaut_variant values[DISPATCH_MAX_NAMES];
    uint32_t named[DISPATCH_MAX_NAMES];      /* DISPIDs of the named arguments */
    uint32_t references[DISPATCH_MAX_NAMES]; /* indices of the arguments passed by reference */
};

/* ---- oaut-dispatch.c ---- */

/*
 * Reads the name array of GetIDsOfNames, with one item per name under hf (FT_STRING): first the member, then its
 * arguments. Returns the count. Stores at most DISPATCH_MAX_NAMES names, in packet scope, "" for a null pointer.
 */
uint32_t dispatch_names(struct orpc *o, int hf, const char **names);
/*
 * Reads a conformant array of 32-bit numbers, with one item per number under hf. Returns the count; stores at most
 * DISPATCH_MAX_NAMES numbers.
 */
uint32_t dispatch_numbers(struct orpc *o, int hf, bool is_signed, uint32_t *numbers);
/* Reads DISPPARAMS under hf (FT_NONE). hide: do not show the arguments, since they contain a password. */
void dispatch_params(struct orpc *o, int hf, bool hide, struct dispatch_arguments *arguments);
/* Reads EXCEPINFO under hf (FT_NONE). */
void dispatch_excepinfo(struct orpc *o, int hf);

/* Registers the fields of IDispatch for the protocol. Called once. */
void dispatch_register(int proto);

/* Functions shared by the readers of VARIANTs and SAFEARRAYs, which can contain each other */

/*
 * X(type, number, size, field, field's type), as in struct vartype: types of a VARIANT (VARTYPE, [MS-OAUT] 2.2.7)
 */
/* clang-format off */
#define OAUT_VARTYPES(X) \
    X(OAUT_VT_EMPTY, 0, 0, NULL, FT_NONE) \
    X(OAUT_VT_NULL, 1, 0, NULL, FT_NONE) \
    X(OAUT_VT_I2, 2, 2, "dcom.vt.i2", FT_INT16) \
    X(OAUT_VT_I4, 3, 4, "dcom.vt.i4", FT_INT32) \
    X(OAUT_VT_R4, 4, 4, "dcom.vt.r4", FT_FLOAT) \
    X(OAUT_VT_R8, 5, 8, "dcom.vt.r8", FT_DOUBLE) \
    X(OAUT_VT_CY, 6, 8, "dcom.vt.cy", FT_INT64) \
    X(OAUT_VT_DATE, 7, 8, "dcom.vt.date", FT_DOUBLE) \
    X(OAUT_VT_BSTR, 8, 0, "dcom.vt.bstr", FT_STRING) \
    X(OAUT_VT_DISPATCH, 9, 0, NULL, FT_NONE) \
    X(OAUT_VT_ERROR, 0xa, 4, "dcom.hresult", FT_UINT32) \
    X(OAUT_VT_BOOL, 0xb, 2, "dcom.vt.bool", FT_UINT16) \
    X(OAUT_VT_VARIANT, 0xc, 0, NULL, FT_NONE) \
    X(OAUT_VT_UNKNOWN, 0xd, 0, NULL, FT_NONE) \
    X(OAUT_VT_DECIMAL, 0xe, 16, "dcom.nospec", FT_BYTES) \
    X(OAUT_VT_I1, 0x10, 1, "dcom.vt.i1", FT_INT8) \
    X(OAUT_VT_UI1, 0x11, 1, "dcom.vt.ui1", FT_UINT8) \
    X(OAUT_VT_UI2, 0x12, 2, "dcom.vt.ui2", FT_UINT16) \
    X(OAUT_VT_UI4, 0x13, 4, "dcom.vt.ui4", FT_UINT32) \
    X(OAUT_VT_I8, 0x14, 8, "dcom.vt.i8", FT_INT64) \
    X(OAUT_VT_UI8, 0x15, 8, "dcom.vt.ui8", FT_UINT64) \
    X(OAUT_VT_INT, 0x16, 4, "dcom.vt.i4", FT_INT32) \
    X(OAUT_VT_UINT, 0x17, 4, "dcom.vt.ui4", FT_UINT32) \
    X(OAUT_VT_RECORD, 0x24, 0, NULL, FT_NONE)
/* clang-format on */

#define OAUT_VARTYPE(type, number, ...) type = (number),
enum { OAUT_VARTYPES(OAUT_VARTYPE) OAUT_VT_ARRAY = 0x2000, OAUT_VT_BYREF = 0x4000, OAUT_VT_TYPEMASK = 0xfff };
#undef OAUT_VARTYPE

/* Size and alignment of a VARIANT type, and Wireshark's field for it. */
struct vartype {
    uint16_t vt;
    uint8_t size; /* size in bytes; 0 if the type has no value, or no fixed size */
    const char *name;
    const char *field;
    enum ftenum field_type;
    int hf;
};

/* ---- oaut.c ---- */

/* Returns the description of a type, or NULL if it is unknown. vt: the type without flags. */
const struct vartype *oaut_find_vartype(uint16_t vt);

/* ---- oaut-variant.c ---- */

/* Reads a value of fixed size. The caller has aligned the offset and checked that the bytes are there. */
void oaut_scalar(struct orpc *o, const struct vartype *type, struct oaut_variant *variant);
/* Reads an array of `count` referent IDs and then the VARIANT of each ID that is not zero. */
void oaut_variant_elements(struct orpc *o, uint32_t count, struct oaut_array *array);

/* Register and look up the fields of VARIANTs. Called by oaut_register() and oaut_init() only. */
void oaut_variant_register(int proto);
void oaut_variant_init(void);

/* ---- oaut-safearray.c ---- */

void oaut_safearray_register(int proto);
void oaut_safearray_init(void);

#endif /* PERFLIB_PLA_OAUT_H */
