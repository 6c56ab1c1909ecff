/* methods.h
 * What the interfaces of [MS-PLA] have: interfaces, methods, parameters, enumerations
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_METHODS_H
#define PERFLIB_PLA_METHODS_H

#include "compat.h"

/* How a parameter is marshalled. */
enum pla_type {
    PLA_NONE, /* ends a method's parameters */
    PLA_U32,  /* unsigned long */
    PLA_I32,  /* long */
    PLA_U64,  /* ULONG64 */
    PLA_BOOL, /* VARIANT_BOOL */
    PLA_ENUM, /* 16 or 32 bits */
    PLA_GUID,
    PLA_BSTR,
    PLA_STRINGS, /* SAFEARRAY(BSTR) */
    PLA_BYTES,   /* SAFEARRAY(BYTE) */
    PLA_VARIANT,
    PLA_OBJECT, /* interface pointer */
    /* Parameters of IDispatch, [MS-OAUT] 3.1.4: each has a reader of its own. */
    PLA_DISPID,
    PLA_NAMES,
    PLA_DISPIDS,
    PLA_DISPPARAMS,
    PLA_VARREF_INDICES,
    PLA_VARREFS,
    PLA_EXCEPINFO,
    PLA_ELEMENTS, /* what an enumerator returns, [MS-OAUT] 3.3.4.1 */
};

/* What the text or number of a field means, beyond its type. */
enum pla_meaning {
    PLA_PLAIN,
    PLA_XML,         /* handed to Wireshark's XML dissector */
    PLA_PATHS,       /* counter paths, 2.2.10 */
    PLA_THRESHOLDS,  /* alert thresholds, 2.2.10 */
    PLA_PATTERN,     /* file-name pattern, 2.2.3.1 */
    PLA_SECRET,      /* shown only if the user asks */
    PLA_DATE,        /* VT_DATE whose time part is ignored, 3.2.4.12 */
    PLA_TIME,        /* VT_DATE whose date part is ignored */
    PLA_ACCESS,      /* changes who may do what: SDDL, credentials */
    PLA_VALUE,       /* value of a value map or of its items, 2.2.2.11 */
    PLA_LABEL,       /* names the object it is sent to or read from */
    PLA_SERVER_FILE, /* path at which the server reads or writes for the client */
    PLA_INDEX,       /* of an object within its collection */
    PLA_INTERVAL,    /* of samples; an alert's may say never again */
    PLA_STATUS,      /* of a data collector set */
    PLA_WAITS,       /* false: the call returns before its work is done */
    PLA_VALIDATION,  /* a value map of HRESULTs, 2.2.2.11 */
    PLA_COMMIT_MODE, /* whether the object gets the name it is committed by */
    PLA_TYPE,        /* of the data collector that the call makes */
    PLA_MOVES,       /* elements by which an enumerator moves on */
};

/* An enumeration of [MS-PLA] 2.2.2, or ExtendedModes (2.2.9). */
struct pla_enum {
    const char *name;           /* as in the IDL */
    const value_string *values; /* by name; where flags, also the combinations that have one */
    int *const *bits;           /* flags: a field a bit, NULL at the end; else NULL */
};

extern const struct pla_enum pla_auto_path_format, pla_clock_type, pla_commit_mode, pla_data_manager_steps,
    pla_file_format, pla_folder_action_steps, pla_resource_policy, pla_stream_mode, pla_value_map_type, pla_week_days,
    pla_extended_modes, pla_security_info, pla_invoke_flags;
/* DataCollectorType, 2.2.2.5: what a collector that a call makes is. */
extern const struct pla_enum pla_data_collector_type;
/* DataCollectorSetStatus, 2.2.2.4. */
extern const struct pla_enum pla_data_collector_set_status;
/* CommitMode, 2.2.2.2: only what the set would come to is asked for. */
#define PLA_VALIDATE_ONLY 0x1000u

/* A field and what its values mean. All parameters of its name share it. */
struct pla_field {
    int hf;
    const char *name; /* the field's title: the parameter's name in the IDL */
    const struct pla_enum *enumeration;
    const char *unit; /* of a number, or NULL */
    const char *zero; /* what 0 means, or NULL */
    enum pla_meaning meaning;
};

struct pla_param {
    bool out;     /* in the response */
    uint8_t type; /* enum pla_type */
    const int *hf;
};

/* What is to be known of the field of a parameter. */
struct pla_field pla_field_of(const int *hf);

struct pla_method {
    uint16_t opnum;
    const char *name;               /* "Duration (Get)" */
    const char *local;              /* not used on the wire: what the opnum is locally */
    const struct pla_param *params; /* ended by PLA_NONE */
};

/* Methods of consecutive opnums. */
struct pla_methods {
    const struct pla_method *methods;
    unsigned count;
};

struct pla_interface {
    const char *name;
    const char *short_name; /* for the Protocol column, which is narrow */
    e_guid_t iid;
    bool is_collector; /* derived from IDataCollector: inherits its methods */
    struct pla_methods own;
};

/* Interfaces of DCOM itself, [MS-DCOM] 1.9, and IDispatch, by which scripts call. */
/* clang-format off */
#define DCOM_IID(first) { first, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } }
/* clang-format on */
/* All IIDs of [MS-PLA] share what follows their first group, 1.9. */
/* clang-format off */
#define PLA_GUID_OF(first) { first, 0x098b, 0x11d8, { 0x94, 0x14, 0x50, 0x50, 0x54, 0x50, 0x30, 0x30 } }
/* clang-format on */
extern const e_guid_t idispatch_iid, iremunknown_iid, iremunknown2_iid, iremotescmactivator_iid, iactivation_iid;

/* Those of [MS-PLA], and IEnumVARIANT, by which clients walk through its collections. */
#define PLA_NUM_INTERFACES 19
extern const struct pla_interface pla_interfaces[PLA_NUM_INTERFACES];

/* What is known of an object that scripts call by name, before any interface of it that is [MS-PLA]'s. */
extern const struct pla_interface pla_dispatch_interface;

/* ---- interfaces.c ---- */

/* NULL for an IID that is none of these. */
const struct pla_interface *pla_find_interface(const e_guid_t *iid);
/* The same by name. */
const struct pla_interface *pla_interface_named(const char *name);
/* The interface that a member of iface ("Item", "DataCollectors") returns; NULL where it returns none. */
const struct pla_interface *pla_interface_returned(const struct pla_interface *iface, const char *member);
/* IEnumVARIANT, which is not [MS-PLA]'s alone. */
bool pla_is_enumerator(const struct pla_interface *iface);
/* IDataCollectorSet, whose objects are the sets, and the one whose method takes a password. iface may be NULL. */
bool pla_is_collector_set(const struct pla_interface *iface);
/* Own or inherited method; NULL for an opnum the interface does not have. */
const struct pla_method *pla_find_method(const struct pla_interface *iface, uint16_t opnum);
/* The place, from 0, of a parameter among those a member's request has; -1: it has none of that name. */
int pla_parameter_place(const struct pla_interface *iface, const char *member, const char *name);
/* The highest opnum plus 1. */
unsigned pla_num_opnums(const struct pla_interface *iface);

/* ---- enums.c ---- */

/*
 * The value's name, flags joined by '|', bits without name in hexadecimal; packet scope. NULL for a
 * plain value that has none. prefix: with the IDL's "pla" before each name, or without.
 */
const char *pla_enum_text(wmem_allocator_t *scope, const struct pla_enum *enumeration, uint32_t value, bool prefix);

/* Names of the classes a client may create, [MS-PLA] 3.2.1 and Windows SDK. */
struct pla_class {
    e_guid_t clsid;
    const char *name;
    const char *iface; /* its default interface */
};
extern const struct pla_class pla_classes[];
extern const unsigned pla_num_classes;

/* ---- methods.c ---- */

/* Registers the fields of all parameters under the protocol, and those of flags. */
void pla_methods_register(int proto);

/* ---- enums.c ---- */

/* Registers the fields of the flags alone. */
void pla_enums_register(int proto);

#endif /* PERFLIB_PLA_METHODS_H */
