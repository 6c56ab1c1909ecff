/* methods.h
 * Tables of [MS-PLA]: interfaces, methods, parameters, enumerations
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_METHODS_H
#define PERFLIB_PLA_METHODS_H

#include "compat.h"

/* Marshalled types of parameters. */
enum pla_type {
    PLA_NONE, /* end of a method's parameter list */
    PLA_U32,  /* IDL type unsigned long */
    PLA_I32,  /* IDL type long */
    PLA_U64,  /* IDL type ULONG64 */
    PLA_BOOL, /* IDL type VARIANT_BOOL */
    PLA_ENUM, /* enumeration of 16 or 32 bits */
    PLA_GUID,
    PLA_BSTR,
    PLA_STRINGS, /* IDL type SAFEARRAY(BSTR) */
    PLA_BYTES,   /* IDL type SAFEARRAY(BYTE) */
    PLA_VARIANT,
    PLA_OBJECT, /* pointer to an interface */
    /* Parameters of IDispatch, [MS-OAUT] 3.1.4; each has its own reader. */
    PLA_DISPID,
    PLA_NAMES,
    PLA_DISPIDS,
    PLA_DISPPARAMS,
    PLA_VARREF_INDICES,
    PLA_VARREFS,
    PLA_EXCEPINFO,
    PLA_ELEMENTS, /* elements returned by an enumerator, [MS-OAUT] 3.3.4.1 */
};

/* Meanings of a parameter's text or number, beyond its type. */
enum pla_meaning {
    PLA_PLAIN,
    PLA_XML,         /* XML, passed to Wireshark's XML dissector */
    PLA_PATHS,       /* counter paths, [MS-PLA] 2.2.10 */
    PLA_THRESHOLDS,  /* alert thresholds, [MS-PLA] 2.2.10 */
    PLA_PATTERN,     /* file-name pattern, [MS-PLA] 2.2.3.1 */
    PLA_SECRET,      /* password, shown only if the user's preference allows it */
    PLA_DATE,        /* VT_DATE whose time part is ignored, [MS-PLA] 3.2.4.12 */
    PLA_TIME,        /* VT_DATE whose date part is ignored, [MS-PLA] 3.2.4.12 */
    PLA_ACCESS,      /* SDDL or credentials: a change of access rights */
    PLA_VALUE,       /* value of a value map or of an item of one, [MS-PLA] 2.2.2.11 */
    PLA_LABEL,       /* name that the called object has or gets */
    PLA_SERVER_FILE, /* path of a file that the server reads or writes for the client */
    PLA_INDEX,       /* index of an object in its collection */
    PLA_INTERVAL,    /* sample interval; 0xffffffff means one sample only */
    PLA_STATUS,      /* status of a data collector set */
    PLA_WAITS,       /* flag "synchronous"; if false, the call returns before its work is done */
    PLA_KEYWORDS,    /* value map of keywords, which are 64-bit masks, [MS-PLA] 3.2.4.11.6 */
    PLA_VALIDATION,  /* value map of HRESULTs, [MS-PLA] 2.2.2.11 */
    PLA_COMMIT_MODE, /* CommitMode, which decides whether the object gets its new name */
    PLA_TYPE,        /* type of the data collector that the call creates */
    PLA_MOVES,       /* number of elements by which an enumerator advances */
};

/* Enumeration of [MS-PLA] 2.2.2, or ExtendedModes ([MS-PLA] 2.2.9). */
struct pla_enum {
    const char *name;           /* name in the IDL */
    const value_string *values; /* names of the values; for flags, also of combinations that have a name */
    int *const *bits;           /* for flags: one field per bit, NULL at the end; else NULL */
};

extern const struct pla_enum pla_auto_path_format, pla_clock_type, pla_commit_mode, pla_data_manager_steps,
    pla_file_format, pla_folder_action_steps, pla_resource_policy, pla_stream_mode, pla_value_map_type, pla_week_days,
    pla_extended_modes, pla_security_info, pla_invoke_flags;
/* DataCollectorType, [MS-PLA] 2.2.2.5: type of a data collector that a call creates. */
extern const struct pla_enum pla_data_collector_type;
/* DataCollectorSetStatus, [MS-PLA] 2.2.2.4. */
extern const struct pla_enum pla_data_collector_set_status;
/* Value of CommitMode, [MS-PLA] 2.2.2.2: validates the set without saving it. */
#define PLA_VALIDATE_ONLY 0x1000u

/* Field of a parameter, and the meaning of its values. Parameters of the same name share a field. */
struct pla_field {
    const int *hf;
    const struct pla_enum *enumeration;
    const char *unit; /* unit of a number, or NULL */
    const char *zero; /* meaning of the value 0, or NULL */
    enum pla_meaning meaning;
    const char *name; /* title of the field: the parameter's name in the IDL. NULL in tables; pla_field_of() sets it */
};

struct pla_param {
    bool out;     /* true for parameters of the response */
    uint8_t type; /* a value of enum pla_type */
    const int *hf;
};

/* Returns name, unit and meaning of a parameter's field. */
struct pla_field pla_field_of(const int *hf);

struct pla_method {
    uint16_t opnum;
    const char *name;               /* method name, for example "Duration (Get)" */
    const char *local;              /* for opnums not used on the wire: name of the local method */
    const struct pla_param *params; /* array of parameters that ends with PLA_NONE */
};

/* Methods with consecutive opnums. */
struct pla_methods {
    const struct pla_method *methods;
    unsigned count;
};

enum pla_kind {
    PLA_KIND_OTHER,
    PLA_KIND_SET,        /* IDataCollectorSet; its method SetCredentials has a password */
    PLA_KIND_COLLECTOR,  /* derived from IDataCollector, whose methods it inherits */
    PLA_KIND_COLLECTION, /* collection of objects, with the members Count and Item */
    PLA_KIND_ENUMERATOR, /* IEnumVARIANT, which objects outside [MS-PLA] have, too */
};

struct pla_interface {
    const char *name;
    const char *short_name; /* short name for the Protocol column, which is narrow */
    e_guid_t iid;
    enum pla_kind kind;
    struct pla_methods own;
};

/* IIDs of DCOM, [MS-DCOM] 1.9, and of IDispatch, which scripts use to call methods by name. */
/* clang-format off */
#define DCOM_IID(first) { first, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } }
/* clang-format on */
/* IIDs of [MS-PLA] 1.9: all are equal after their first group. */
/* clang-format off */
#define PLA_GUID_OF(first) { first, 0x098b, 0x11d8, { 0x94, 0x14, 0x50, 0x50, 0x54, 0x50, 0x30, 0x30 } }
/* clang-format on */
extern const e_guid_t idispatch_iid, iremunknown_iid, iremunknown2_iid, iremotescmactivator_iid, iactivation_iid,
    iobjectexporter_iid;

/* Interfaces of [MS-PLA], and IEnumVARIANT, which iterates over its collections. */
#define PLA_NUM_INTERFACES 19
extern const struct pla_interface pla_interfaces[PLA_NUM_INTERFACES];

/* Interface of objects that scripts call by name before any interface of [MS-PLA] is known. */
extern const struct pla_interface pla_dispatch_interface;

/* ---- interfaces.c ---- */

/* Returns the interface with this IID, or NULL if it is not one of [MS-PLA] or IEnumVARIANT. */
const struct pla_interface *pla_find_interface(const e_guid_t *iid);
/* Returns the interface with this name, or NULL if it is not one of [MS-PLA] or IEnumVARIANT. */
const struct pla_interface *pla_interface_named(const char *name);
/*
 * Returns the interface of the object that a member ("Item", "DataCollectors") of iface returns, or NULL if the
 * member returns no object. Sets *is_keywords to true if the object is a value map of keywords.
 */
const struct pla_interface *pla_interface_returned(const struct pla_interface *iface, const char *member,
    bool *is_keywords);
/* Returns the own or inherited method with this opnum, or NULL if the interface has none. */
const struct pla_method *pla_find_method(const struct pla_interface *iface, uint16_t opnum);
/* Returns the index from 0 of the parameter with this name in the request of a member, or -1 if there is none. */
int pla_parameter_index(const struct pla_interface *iface, const char *member, const char *name);
/* Returns the highest opnum of the interface plus 1. */
unsigned pla_num_opnums(const struct pla_interface *iface);

/* ---- enums.c ---- */

/*
 * Returns the name of a value, or NULL if it has none. For flags: the names of the bits joined by '|', with unnamed
 * bits in hexadecimal. prefix: keep the prefix "pla" that names have in the IDL. Allocated in `scope`.
 */
const char *pla_enum_text(wmem_allocator_t *scope, const struct pla_enum *enumeration, uint32_t value, bool prefix);

/* Classes that a client may create, [MS-PLA] 3.2.1 and Windows SDK. */
struct pla_class {
    e_guid_t clsid;
    const char *name;
    const char *iface; /* default interface of the class */
};
extern const struct pla_class pla_classes[];
extern const unsigned pla_num_classes;

/* ---- methods.c ---- */

/* Registers the fields of all parameters and of flags for the protocol. */
void pla_methods_register(int proto);

/* ---- enums.c ---- */

/* Registers the fields of flags. Called by pla_methods_register(). */
void pla_enums_register(int proto);

#endif /* PERFLIB_PLA_METHODS_H */
