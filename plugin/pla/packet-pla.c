/* packet-pla.c
 * Performance Logs and Alerts Protocol [MS-PLA]: 18 DCOM interfaces, 300 methods
 *
 * No method has code of its own: methods.c says what each is made of, the readers
 * below know one type of parameter each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/show_exception.h>
#include <epan/strutil.h>
#include <epan/tap.h>
#include <epan/to_str.h>

#include "compat.h"
#include "base/double-field.h"
#include "base/foreign-field.h"
#include "base/win32-names.h"
#include "counters/path.h"
#include "pla/methods.h"
#include "pla/oaut-dispatch.h"
#include "pla/oaut.h"
#include "pla/objects.h"
#include "pla/orpc.h"
#include "pla/record.h"
#include "pla/text.h"
#include "plugin.h"

#include <epan/dissectors/packet-dcom.h>   /* needs those of packet-dcerpc.h */

#define MAX_INFO_TEXT       60      /* bytes of a string in the Info column */
#define MAX_PATTERN         256     /* a longer file-name pattern is not explained */
#define MAX_XML_MARKUP      50000   /* tags and attributes: XML makes a few items each, a packet may have a million */

static int proto_pla = -1;
static int tap_pla = -1;
static int proto_interface[PLA_NUM_INTERFACES];

static int hf_opnum[PLA_NUM_INTERFACES];
static int hf_interface = -1;
static int hf_object = -1;
static int hf_object_frame = -1;
static int hf_reference = -1;
static int hf_hresult = -1;
static int hf_enum_width = -1;
static int hf_member = -1;
static int hf_path_computer = -1;
static int hf_path_object = -1;
static int hf_path_parent = -1;
static int hf_path_instance = -1;
static int hf_path_index = -1;
static int hf_path_counter = -1;
static int hf_threshold_path = -1;
static int hf_threshold_operator = -1;
static int hf_threshold_value = -1;
static int hf_pattern = -1;
static int hf_validation_hresult = -1;
static int hf_stub = -1;
static int hf_ipid = -1;

static int ett_pla = -1;
static int ett_param = -1;

static expert_field ei_failed = EI_INIT;
static expert_field ei_hresult_found = EI_INIT;
static expert_field ei_not_on_wire = EI_INIT;
static expert_field ei_ndr64 = EI_INIT;
static expert_field ei_no_request = EI_INIT;
static expert_field ei_credentials = EI_INIT;
static expert_field ei_access = EI_INIT;
static expert_field ei_server_file = EI_INIT;
static expert_field ei_text_syntax = EI_INIT;
static expert_field ei_validation = EI_INIT;
static expert_field ei_xml_too_large = EI_INIT;

static dissector_handle_t xml_handle;
static perflib_bool show_passwords = false;

/* [MS-PLA] 2.2.1 and 2.2.2.11: what the codes mean to someone who reads a validation. */
static const value_string hresult_meanings[] = {
    { 0x00300100, "the property's value is ignored" },
    { 0x80300002, "no such data collector set" },
    { 0x80300045, "too many folders" },
    { 0x80300070, "not enough free disk space" },
    { 0x803000aa, "the data collector set is running" },
    { 0x803000b7, "a data collector set of that name exists" },
    { 0x80300101, "properties contradict each other" },
    { 0x80300102, "exactly one data collector is required" },
    { 0x80300103, "a user account is required" },
    { 0x80300104, "the data collector set is not running" },
    { 0x80300105, "an API is both included and excluded" },
    { 0x80300106, "the executable is on a network share" },
    { 0x80300107, "the executable is already configured for API tracing" },
    { 0x80300108, "the executable does not exist" },
    { 0x80300109, "a data collector of that name exists" },
    { 0x8030010a, "starting the data collector set took too long" },
    { 0x8030010b, "starting the data collector took too long" },
    { 0x8030010c, "making the report took too long" },
    { 0x8030010d, "duplicates are not allowed" },
    { 0x8030010e, "the executable needs a full path" },
    { 0x8030010f, "the session name is not valid" },
    { 0x80300110, "the event channel of PLA must be enabled" },
    { 0x80300111, "the event channel of the Task Scheduler must be enabled" },
    { 0x80300112, "the rules manager failed" },
    { 0x80300113, "the cabinet could not be made" },
    { 0, NULL }
};

/* What a request or response says about objects, as of the first pass. */
struct seen {
    const char *label;              /* of the object the call is made to, before this taught its name; NULL without IPID */
    const char *label_after;        /* the same after it */
    wmem_array_t *objects;          /* the same (char *) of those that interface pointers refer to, in order; or NULL */
};

/* What a call taught, for its response and for later passes. File scope. */
struct pla_call {
    struct pla_object *object;      /* the call is made to; NULL without IPID */
    struct seen request, response;
    const char *set_name;           /* of the data collector set, when it was answered */
    const char *name;               /* the request gave the object, if the call succeeds */
    const char *role;               /* of what Item (Get) returns: "[2]" */
    const char *member;             /* Invoke: name of the DISPID; GetIDsOfNames: the first name */
    bool asynchronous;              /* Start or Stop that does not wait */
    bool answered;
};

/* A request or response being read. Packet scope. */
struct pdu {
    struct orpc o;                  /* first, so that what is called back with it knows the rest */
    const struct pla_interface *interface;
    const struct pla_method *method;
    struct pla_call *call;
    bool response;
    bool learning;                  /* first pass: what is read here teaches */
    struct seen *seen;              /* the call's request or response */
    unsigned num_objects;           /* interface pointers read */
    wmem_strbuf_t *info;
    struct pla_tap tap;
    const char *named;              /* name the object was found to have */
    bool has_text;                  /* some string parameter so far is not empty */
    tvbuff_t *xml;                  /* text in UTF-8, dissected at the end */
    proto_tree *xml_tree;
};

/* What the Info column says of the parameters is a list. */
static void
next_info(struct pdu *pdu)
{
    if (wmem_strbuf_get_len(pdu->info) > 0) {
        wmem_strbuf_append_c(pdu->info, ' ');
    }
}

/* Text for the Info column. */
static const char *
brief(struct pdu *pdu, const char *text)
{
    return pla_line_text(pdu->o.ndr.pinfo->pool, text, MAX_INFO_TEXT);
}

static void
info(struct pdu *pdu, const char *name, const char *value)
{
    next_info(pdu);
    wmem_strbuf_append_printf(pdu->info, "%s=%s", name, value);
}

static void
info_text(struct pdu *pdu, const char *name, const char *text)
{
    next_info(pdu);
    wmem_strbuf_append_printf(pdu->info, "%s=\"%s\"", name, brief(pdu, text));
}

static proto_item *
add_generated_text(struct pdu *pdu, proto_item *item, int hf, const char *text)
{
    proto_item *added;

    if (item == NULL) {
        return NULL;
    }
    added = proto_tree_add_string(proto_item_add_subtree(item, ett_param), hf, pdu->o.ndr.tvb, 0, 0, text);
    proto_item_set_generated(added);
    return added;
}

/* The field's own type decides: some hold a long here and an unsigned long there. */
static proto_item *
add_number(struct pdu *pdu, proto_tree *tree, const struct pla_field *field, int offset, int size, int64_t value)
{
    tvbuff_t *const tvb = pdu->o.ndr.tvb;

    switch (proto_registrar_get_ftype(field->hf)) {
    case FT_INT64:
        return proto_tree_add_int64(tree, field->hf, tvb, offset, size, value);
    case FT_UINT64:
        return proto_tree_add_uint64(tree, field->hf, tvb, offset, size, (uint64_t)value);
    case FT_INT32:
        return proto_tree_add_int(tree, field->hf, tvb, offset, size, (int32_t)value);
    default:
        return proto_tree_add_uint(tree, field->hf, tvb, offset, size, (uint32_t)value);
    }
}

static void
show_number(struct pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_item *const item = add_number(pdu, n->tree, field, offset, size, value);
    const struct pla_enum *const enumeration = field->enumeration;
    const char *text;

    if (enumeration == NULL) {
        text = wmem_strdup_printf(n->pinfo->pool, "%" PRId64, value);
        if (value == 0 && field->zero != NULL) {
            proto_item_append_text(item, " (%s)", field->zero);
            text = wmem_strdup_printf(n->pinfo->pool, "0 (%s)", field->zero);
        } else if (value == UINT32_MAX && field->meaning == PLA_INTERVAL) {
            text = "one sample only";
            proto_item_append_text(item, " (%s)", text);
        } else if (field->unit != NULL) {
            proto_item_append_text(item, " %s", field->unit);
            text = wmem_strdup_printf(n->pinfo->pool, "%s %s", text, field->unit);
        }
        info(pdu, field->name, text);
        return;
    }
    text = pla_enum_text(n->pinfo->pool, enumeration, (uint32_t)value, true);
    if (text == NULL) {
        proto_item_append_text(item, " (none of %s)", enumeration->name);
        orpc_odd(&pdu->o, item, "Value is none of its enumeration's");
        text = wmem_strdup_printf(n->pinfo->pool, "%" PRId64, value);
    } else {
        proto_item_append_text(item, " (%s)", text);
        text = pla_enum_text(n->pinfo->pool, enumeration, (uint32_t)value, false);
    }
    info(pdu, field->name, text);
    if (item != NULL && enumeration->bits != NULL) {
        proto_tree *const bits = proto_item_add_subtree(item, ett_param);

        for (int *const *bit = enumeration->bits; *bit != NULL; bit++) {
            proto_tree_add_boolean(bits, **bit, n->tvb, offset, size, (uint32_t)value);
        }
    }
}

/*
 * The IDL's enumerations are 16 bits by the rules of NDR; stacks that marshal by type library send
 * 32. All values fit into 16, so the width matters only for where the next parameter
 * starts; that is a multiple of 4 in both forms but at the end of a request.
 */
static bool
read_enum(struct pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    const int narrow = (n->offset + 1) & ~1;
    const int wide = (n->offset + 3) & ~3;
    const int end = (int)tvb_reported_length(n->tvb);
    const bool little = ndr_encoding(n) == ENC_LITTLE_ENDIAN;
    uint32_t value;
    unsigned width = 0;
    int offset;

    if (end - wide >= 4) {
        value = little ? tvb_get_letohl(n->tvb, wide) : tvb_get_ntohl(n->tvb, wide);
        offset = wide;
        if (value > 0xffff) {
            /* The other half is padding that nobody set to zero. */
            value = little ? value & 0xffff : value >> 16;
            width = 16;
        } else if (!pdu->response && end - wide == 4) {
            width = 32;
        }
        n->offset = wide + 4;
    } else if (end - narrow >= 2) {
        value = little ? tvb_get_letohs(n->tvb, narrow) : tvb_get_ntohs(n->tvb, narrow);
        offset = narrow;
        width = 16;
        n->offset = narrow + 2;
    } else {
        return orpc_room(&pdu->o, 4, field->name);
    }
    show_number(pdu, field, offset, width == 16 ? 2 : 4, value);
    if (width != 0) {
        proto_item_set_generated(proto_tree_add_uint(n->tree, hf_enum_width, n->tvb, offset, (int)width / 8, width));
    }
    if (field->meaning == PLA_STATUS) {
        pdu->tap.status = pla_enum_text(n->pinfo->pool, field->enumeration, value, false);
    }
    return true;
}

static bool
read_number(struct pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    uint32_t value;

    if (param->type == PLA_U64) {
        uint64_t wide;

        ndr_align(n, 8);
        if (!orpc_room(&pdu->o, 8, field->name)) {
            return false;
        }
        wide = perflib_tvb_get_uint64(n->tvb, n->offset, ndr_encoding(n));
        show_number(pdu, field, n->offset, 8, (int64_t)wide);
        n->offset += 8;
        return true;
    }
    if (!orpc_uint32(&pdu->o, -1, field->name, &value)) {
        return false;
    }
    show_number(pdu, field, n->offset - 4, 4, param->type == PLA_I32 ? (int64_t)(int32_t)value : value);
    return true;
}

static bool
read_bool(struct pdu *pdu, const struct pla_field *field)
{
    bool value;

    if (!oaut_variant_bool(&pdu->o, field->hf, &value)) {
        return false;
    }
    info(pdu, field->name, value ? "true" : "false");
    if (pdu->learning && field->meaning == PLA_WAITS) {
        pdu->call->asynchronous = !value;
    }
    return true;
}

static bool
read_guid(struct pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    e_guid_t guid;

    ndr_align(n, 4);
    if (!orpc_room(&pdu->o, 16, field->name)) {
        return false;
    }
    guid = ndr_guid(n, field->hf, NULL);
    info(pdu, field->name, guid_to_str(n->pinfo->pool, &guid));
    return true;
}

/* The parts of a counter path, as generated items below it. */
static void
show_path(struct orpc *o, proto_item *item, const char *text)
{
    struct ndr *const n = &o->ndr;
    struct counter_path path;
    proto_tree *tree;

    if (!counter_path_split(n->pinfo->pool, text, &path)) {
        expert_add_info(n->pinfo, item, &ei_text_syntax);
        return;
    }
    tree = proto_item_add_subtree(item, ett_param);
    const struct {
        int hf;
        const char *text;
    } parts[] = {
        { hf_path_computer, path.computer }, { hf_path_object, path.object }, { hf_path_parent, path.parent },
        { hf_path_instance, path.instance }, { hf_path_index, path.index },   { hf_path_counter, path.counter },
    };

    for (size_t i = 0; i < array_length(parts); i++) {
        if (parts[i].text != NULL) {
            proto_item_set_generated(proto_tree_add_string(tree, parts[i].hf, n->tvb, 0, 0, parts[i].text));
        }
    }
}

static void
path_shown(struct orpc *o, proto_item *item, const struct oaut_bstr *bstr)
{
    show_path(o, item, bstr->text);
}

static void
threshold_shown(struct orpc *o, proto_item *item, const struct oaut_bstr *bstr)
{
    struct ndr *const n = &o->ndr;
    struct pla_threshold threshold;
    proto_item *path;
    proto_tree *tree;

    if (!pla_threshold_split(n->pinfo->pool, bstr->text, &threshold)) {
        expert_add_info(n->pinfo, item, &ei_text_syntax);
        return;
    }
    tree = proto_item_add_subtree(item, ett_param);
    path = proto_tree_add_string(tree, hf_threshold_path, n->tvb, 0, 0, threshold.path);
    proto_item_set_generated(path);
    show_path(o, path, threshold.path);
    proto_item_set_generated(proto_tree_add_string(tree, hf_threshold_operator, n->tvb, 0, 0,
                                                   threshold.operator == '<' ? "<" : ">"));
    if (threshold.is_number) {
        double_field_add(n->pinfo, tree, hf_threshold_value, n->tvb, 0, 0, threshold.value);
    } else {
        expert_add_info(n->pinfo, item, &ei_text_syntax);
    }
}

/*
 * The text with an XML declaration that is true of it: it was UTF-16 on the wire and is UTF-8 now, and from 4.6 on
 * Wireshark's XML dissector believes what the declaration says.
 */
static const char *
xml_in_utf8(struct pdu *pdu, const char *text)
{
    const char *end = strstr(text, "?>");
    char *copy, *encoding;

    if (end == NULL || !g_str_has_prefix(text, "<?xml")) {
        return text;
    }
    copy = wmem_strdup(pdu->o.ndr.pinfo->pool, text);
    encoding = strstr(copy, "encoding=");
    if (encoding != NULL && encoding - copy < end - text && g_ascii_strncasecmp(encoding + 10, "UTF-16", 6) == 0) {
        const char quote = encoding[9];

        memcpy(encoding + 10, "UTF-8", 5);
        encoding[15] = quote;
        encoding[16] = ' ';
    }
    return copy;
}

/* Keeps the text, in UTF-8, for Wireshark's XML dissector. */
static void
keep_xml(struct pdu *pdu, proto_item *item, const struct oaut_bstr *bstr)
{
    const char *root, *name;
    const size_t length = strlen(bstr->text);
    unsigned markup = 0;

    pla_xml_summary(pdu->o.ndr.pinfo->pool, bstr->text, &root, &name);
    if (root[0] != '\0') {
        next_info(pdu);
        wmem_strbuf_append_printf(pdu->info, "<%s>", brief(pdu, root));
        if (name[0] != '\0') {
            wmem_strbuf_append_printf(pdu->info, " \"%s\"", brief(pdu, name));
        }
        wmem_strbuf_append_printf(pdu->info, " (%u chars)", bstr->chars);
    }
    if (item == NULL || root[0] == '\0') {
        return;
    }
    for (const char *p = strpbrk(bstr->text, "<="); p != NULL && markup <= MAX_XML_MARKUP; p = strpbrk(p + 1, "<=")) {
        markup++;
    }
    if (markup > MAX_XML_MARKUP) {
        expert_add_info(pdu->o.ndr.pinfo, item, &ei_xml_too_large);
    } else {
        pdu->xml = tvb_new_child_real_data(pdu->o.ndr.tvb, (const uint8_t *)xml_in_utf8(pdu, bstr->text), (unsigned)length, (int)length);
        pdu->xml_tree = proto_item_add_subtree(item, ett_param);
    }
}

static void
show_secret(struct pdu *pdu, const struct pla_field *field, const struct oaut_bstr *bstr)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_item *item;

    if (show_passwords || bstr->nothing != OAUT_TEXT) {
        item = oaut_add_bstr(&pdu->o, n->tree, field->hf, bstr);
    } else {
        item = proto_tree_add_string_format_value(n->tree, field->hf, n->tvb, (int)bstr->start, (int)(bstr->end - bstr->start),
                                                  "", "(hidden, %u characters; see the protocol's preferences)",
                                                  bstr->chars);
    }
    if (bstr->nothing == OAUT_TEXT || pdu->has_text) {
        expert_add_info(n->pinfo, item, &ei_credentials);
    } else {
        expert_add_info_format(n->pinfo, item, &ei_credentials, "Neither user nor password: clears the stored credentials");
    }
}

static bool
read_bstr(struct pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    struct oaut_bstr bstr;
    proto_item *item;
    const bool ok = oaut_bstr(&pdu->o, n->tree, &bstr);

    if (!ok && bstr.chars == 0) {
        return false;
    }
    if (field->meaning == PLA_SECRET) {
        show_secret(pdu, field, &bstr);
        return ok;
    }
    item = oaut_add_bstr(&pdu->o, n->tree, field->hf, &bstr);
    if (bstr.nothing != OAUT_TEXT) {
        info(pdu, field->name, bstr.nothing == OAUT_EMPTY_STRING ? "\"\"" : "NULL");
        return ok;
    }
    if (field->meaning == PLA_XML) {
        keep_xml(pdu, item, &bstr);
        return ok;
    }
    pdu->has_text = true;
    info_text(pdu, field->name, bstr.text);
    switch (field->meaning) {
    case PLA_PATTERN:
        if (bstr.chars <= MAX_PATTERN) {
            add_generated_text(pdu, item, hf_pattern, pla_pattern_text(n->pinfo->pool, bstr.text));
        }
        break;
    case PLA_LABEL:
        if (ok) {
            pdu->named = bstr.text;
        }
        break;
    case PLA_ACCESS:
        if (!param->out) {
            expert_add_info(n->pinfo, item, &ei_access);
        }
        break;
    case PLA_SERVER_FILE:
        expert_add_info(n->pinfo, item, &ei_server_file);
        break;
    default:
        break;
    }
    return ok;
}

static bool
read_array(struct pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    const bool is_bytes = param->type == PLA_BYTES;
    struct oaut_array array = {
        .expected = is_bytes ? OAUT_SF_I1 : OAUT_SF_BSTR,
        .hf_string = is_bytes ? -1 : field->hf,
        .hf_bytes = is_bytes ? field->hf : -1,
        .string_shown = field->meaning == PLA_PATHS      ? path_shown :
                        field->meaning == PLA_THRESHOLDS ? threshold_shown : NULL,
    };
    proto_tree *const parent = n->tree;
    proto_item *item;
    bool ok;

    ndr_align(n, 4);
    n->tree = orpc_subtree(&pdu->o, parent, (unsigned)n->offset, &item, field->name);
    ok = oaut_safearray(&pdu->o, n->tree, &array);
    n->tree = parent;
    proto_item_append_text(item, " (SAFEARRAY): ");
    orpc_set_end(&pdu->o, item);
    if (array.null) {
        proto_item_append_text(item, "NULL");
        info(pdu, field->name, "NULL");
    } else {
        proto_item_append_text(item, "%u %s", array.count, is_bytes ? "bytes" : "elements");
        if (array.count == 0 || is_bytes) {
            info(pdu, field->name, wmem_strdup_printf(n->pinfo->pool, "(%u %s)", array.count, is_bytes ? "bytes" : "elements"));
        } else {
            info_text(pdu, field->name, array.first);
            if (array.count > 1) {
                wmem_strbuf_append_printf(pdu->info, " (+%u)", array.count - 1);
            }
        }
    }
    return ok;
}

/* What the code of a validated property means. */
static const char *
validation_text(struct pdu *pdu, uint32_t hresult)
{
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;
    const char *const name = hresult_name(scope, hresult);
    const char *const meaning = try_val_to_str(hresult, hresult_meanings);

    if (name == NULL) {
        return wmem_strdup_printf(scope, "0x%08x", hresult);
    }
    return meaning != NULL ? wmem_strdup_printf(scope, "%s: %s", name, meaning) : name;
}

/* Keywords are bit masks of 64 bits, [MS-PLA] 3.2.4.11.6. */
static bool
is_keywords(const struct pla_object *map)
{
    return map != NULL && map->role != NULL && g_str_has_prefix(map->role, "Keywords");
}

/* Whether a value map, or an item of one, holds keywords. */
static bool
is_mask(const struct pla_object *object)
{
    return is_keywords(object) || (object != NULL && is_keywords(object->parent));
}

static void
show_variant_value(struct pdu *pdu, proto_tree *tree, const struct pla_field *field, unsigned start,
                   const struct oaut_variant *variant)
{
    struct ndr *const n = &pdu->o.ndr;
    wmem_allocator_t *const scope = n->pinfo->pool;
    const int size = n->offset - (int)start;
    const char *text = variant->null ? "NULL" : variant->text;
    const bool validation = pdu->call->object != NULL && pdu->call->object->validation;
    const uint32_t code = (uint32_t)variant->integer;
    proto_item *item;

    if (variant->is_date && field->meaning == PLA_DATE) {
        text = oaut_date_text(scope, variant->date, true, false);
    } else if (variant->is_date && field->meaning == PLA_TIME) {
        text = oaut_date_text(scope, variant->date, false, true);
    }
    if (proto_registrar_get_ftype(field->hf) == FT_STRING) {
        item = proto_tree_add_string(tree, field->hf, n->tvb, (int)start, size, text);
    } else if (variant->is_integer) {
        item = add_number(pdu, tree, field, (int)start, size, variant->integer);
    } else {
        item = NULL;
    }
    if (field->meaning == PLA_VALUE && variant->is_integer &&
        (validation || try_val_to_str(code, hresult_meanings) != NULL)) {
        proto_item *const meaning = proto_tree_add_uint(proto_item_add_subtree(item, ett_param), hf_validation_hresult, n->tvb,
                                                        (int)start, size, code);

        proto_item_set_generated(meaning);
        proto_item_append_text(item, " (%s)", validation_text(pdu, code));
        expert_add_info_format(n->pinfo, item, &ei_validation, "%s", validation_text(pdu, code));
        text = wmem_strdup_printf(scope, "0x%08x (%s)", code, validation_text(pdu, code));
        info(pdu, field->name, text);
    } else if (field->meaning == PLA_VALUE && variant->is_integer && is_mask(pdu->call->object)) {
        text = wmem_strdup_printf(scope, "0x%" PRIx64, (uint64_t)variant->integer);
        proto_item_append_text(item, " (%s)", text);
        info(pdu, field->name, text);
    } else if (variant->is_integer || variant->null || variant->is_object) {
        info(pdu, field->name, text);
    } else {
        info_text(pdu, field->name, text);
    }
}

/* Says what an interface pointer refers to. Called for each, also without tree: the first pass fixes what is said. */
static void
show_reference(struct pdu *pdu, proto_item *item, const struct orpc_objref *ref)
{
    const struct pla_interface *const interface = pla_find_interface(&ref->iid);
    const unsigned number = pdu->num_objects++;
    const char *label = NULL;

    if (pdu->learning) {
        struct pla_object *const object = ref->standard ? pla_object_find(pdu->o.ndr.pinfo, &ref->ipid) : NULL;

        label = object != NULL ? pla_object_label(object) : NULL;
        if (pdu->seen->objects == NULL) {
            pdu->seen->objects = wmem_array_sized_new(wmem_file_scope(), sizeof label, 2);
        }
        wmem_array_append_one(pdu->seen->objects, label);
    } else if (pdu->seen->objects != NULL) {
        wmem_array_try_index(pdu->seen->objects, number, &label);
    }
    if (item == NULL) {
        return;
    }
    proto_item_append_text(item, " (%s", interface != NULL ? interface->name :
                           guids_resolve_guid_to_str(&ref->iid, pdu->o.ndr.pinfo->pool));
    if (label != NULL && label[0] != '\0') {
        proto_item_append_text(item, ", %s", label);
        add_generated_text(pdu, item, hf_reference, label);
    }
    proto_item_append_text(item, ")");
}

static bool
read_variant(struct pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_tree *const parent = n->tree;
    struct oaut_variant variant;
    proto_tree *tree;
    proto_item *item;
    unsigned start;
    bool ok;

    ndr_align(n, 4);
    start = (unsigned)n->offset;
    tree = orpc_subtree(&pdu->o, parent, start, &item, field->name);
    n->tree = tree;
    ok = oaut_variant_param(&pdu->o, tree, &variant);
    n->tree = parent;
    orpc_set_end(&pdu->o, item);
    proto_item_append_text(item, " (%s): %s", variant.null ? "VARIANT" : oaut_vartype_name(n->pinfo->pool, variant.vt),
                           variant.null ? "NULL" : variant.text);
    if (!ok) {
        return false;
    }
    show_variant_value(pdu, tree, field, start, &variant);
    if (variant.is_object && !variant.object.null) {
        show_reference(pdu, item, &variant.object);
    }
    if (pdu->learning && variant.is_integer && field->meaning == PLA_INDEX) {
        pdu->call->role = wmem_strdup_printf(wmem_file_scope(), "[%" PRId64 "]", variant.integer);
    }
    return true;
}

static bool
read_object(struct pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    const struct pla_interface *interface;
    struct orpc_objref ref;
    proto_item *item;
    const char *text;
    int start;
    bool ok;

    ndr_align(n, 4);
    start = n->offset;
    ok = orpc_interface_pointer(&pdu->o, n->tree, &ref);
    if (!ok) {
        return false;
    }
    text = ref.null ? "NULL" : ref.standard ? guid_to_str(n->pinfo->pool, &ref.ipid) : "OBJREF without IPID";
    if (pdu->learning && param->out && pdu->call->object != NULL) {
        const char *const role = pdu->call->role != NULL ? pdu->call->role : field->name;
        struct pla_object *const object = pla_object_returned(n->pinfo, &ref, pdu->call->object, role);

        if (object != NULL && (field->meaning == PLA_VALIDATION || (pdu->call->object->validation && pdu->call->role != NULL))) {
            object->validation = true;
        }
    }
    item = proto_tree_add_string(n->tree, field->hf, n->tvb, start, n->offset - start, text);
    if (!ref.null) {
        show_reference(pdu, item, &ref);
        orpc_show_objref(&pdu->o, item != NULL ? proto_item_add_subtree(item, ett_param) : NULL, &ref);
    }
    interface = pla_find_interface(&ref.iid);
    info(pdu, field->name, ref.null || interface == NULL ? text : interface->name);
    return true;
}

/* An object among what an enumerator returns: it comes from the collection, at which place is not said. */
static void
element_shown(struct orpc *o, proto_item *item, const struct orpc_objref *ref)
{
    struct pdu *const pdu = (struct pdu *)o;
    struct pla_object *const enumerator = pdu->call->object;

    if (pdu->learning && enumerator != NULL) {
        pla_object_returned(o->ndr.pinfo, ref, enumerator->parent != NULL ? enumerator->parent : enumerator, "[?]");
    }
    if (!ref->null) {
        show_reference(pdu, item, ref);
    }
}

/* Invoke's DISPID: what member it is. */
static bool
read_dispid(struct pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    uint32_t dispid;
    proto_item *item;

    if (!orpc_uint32(&pdu->o, -1, field->name, &dispid)) {
        return false;
    }
    if (pdu->learning) {
        pdu->call->member = pla_dispid_name(pdu->interface, (int32_t)dispid);
    }
    item = add_number(pdu, n->tree, field, n->offset - 4, 4, (int32_t)dispid);
    if (pdu->call->member != NULL) {
        proto_item_append_text(item, " (%s)", pdu->call->member);
        add_generated_text(pdu, item, hf_member, pdu->call->member);
        info(pdu, "member", brief(pdu, pdu->call->member));
    } else {
        info(pdu, "DISPID", wmem_strdup_printf(n->pinfo->pool, "%d", (int32_t)dispid));
    }
    return true;
}

/* Whether Invoke's arguments, those by reference included, are or may be a password. */
static bool
hides_arguments(const struct pdu *pdu)
{
    const char *const member = pdu->call->member;

    if (show_passwords) {
        return false;
    }
    return member != NULL ? g_ascii_strcasecmp(member, "SetCredentials") == 0 : pla_is_collector_set(pdu->interface);
}

/* The parameters of IDispatch and of enumerators that have a reader of their own. */
static bool
read_dispatch(struct pdu *pdu, const struct pla_param *param)
{
    const int hf = param->field->hf;
    uint32_t count, first;
    const char *name;
    bool ok;

    switch (param->type) {
    case PLA_DISPID:
        return read_dispid(pdu, param);
    case PLA_NAMES:
        ok = dispatch_names(&pdu->o, hf, &name);
        if (name[0] != '\0') {
            info_text(pdu, "name", name);
            if (pdu->learning) {
                pdu->call->member = wmem_strdup(wmem_file_scope(), name);
            }
        }
        return ok;
    case PLA_DISPIDS:
        ok = dispatch_numbers(&pdu->o, hf, true, &count, &first);
        if (ok && count > 0) {
            info(pdu, "DISPID", wmem_strdup_printf(pdu->o.ndr.pinfo->pool, "%d", (int32_t)first));
            if (pdu->learning && pdu->call->member != NULL) {
                pla_dispid_learn(pdu->interface, (int32_t)first, pdu->call->member);
            }
        }
        return ok;
    case PLA_VARREF_INDICES:
        return dispatch_numbers(&pdu->o, hf, false, &count, &first);
    case PLA_DISPPARAMS:
        return dispatch_params(&pdu->o, hf, hides_arguments(pdu));
    case PLA_EXCEPINFO:
        return dispatch_excepinfo(&pdu->o, hf);
    case PLA_ELEMENTS:
        return oaut_varying_variants(&pdu->o, pdu->o.ndr.tree, param->field->name, element_shown);
    default:
        return oaut_variant_array(&pdu->o, hides_arguments(pdu) ? NULL : pdu->o.ndr.tree, param->field->name);
    }
}

static bool
read_param(struct pdu *pdu, const struct pla_param *param)
{
    switch (param->type) {
    case PLA_U32:
    case PLA_I32:
    case PLA_U64:
        return read_number(pdu, param);
    case PLA_BOOL:
        return read_bool(pdu, param->field);
    case PLA_ENUM:
        return read_enum(pdu, param->field);
    case PLA_GUID:
        return read_guid(pdu, param->field);
    case PLA_BSTR:
        return read_bstr(pdu, param);
    case PLA_STRINGS:
    case PLA_BYTES:
        return read_array(pdu, param);
    case PLA_VARIANT:
        return read_variant(pdu, param->field);
    case PLA_OBJECT:
        return read_object(pdu, param);
    default:
        return read_dispatch(pdu, param);
    }
}

/*
 * HRESULT, the last thing in the stub. Where what is before it could not be read, it still
 * stands in the stub's last four bytes.
 */
static void
read_hresult(struct pdu *pdu, bool in_place)
{
    struct ndr *const n = &pdu->o.ndr;
    const int length = (int)tvb_reported_length(n->tvb);
    const char *name, *meaning;
    proto_item *item;
    uint32_t hresult;

    if (in_place) {
        ndr_align(n, 4);
        if (!orpc_room(&pdu->o, 4, "HRESULT")) {
            return;
        }
    } else {
        n->offset = (length & ~3) - 4;
        if (n->offset < 8) {
            return;
        }
    }
    hresult = perflib_tvb_get_uint32(n->tvb, n->offset, ndr_encoding(n));
    name = hresult_name(n->pinfo->pool, hresult);
    meaning = try_val_to_str(hresult, hresult_meanings);
    item = proto_tree_add_uint_format_value(n->tree, hf_hresult, n->tvb, n->offset, 4, hresult, "%s (0x%08x)%s%s",
                                            name != NULL ? name : "Unknown", hresult, meaning != NULL ? ", " : "",
                                            meaning != NULL ? meaning : "");
    if (!in_place) {
        expert_add_info(n->pinfo, item, &ei_hresult_found);
    }
    if ((hresult & 0x80000000) != 0) {
        expert_add_info_format(n->pinfo, item, &ei_failed, "%s failed: %s", pdu->method->name,
                               name != NULL ? name : "unknown HRESULT");
    }
    n->offset += 4;
    pdu->tap.has_hresult = true;
    pdu->tap.hresult = hresult;
}

static void
read_stub(struct pdu *pdu)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_param *param = pdu->method->params;
    bool ok;

    if (ndr_is_64(n)) {
        proto_tree_add_expert(n->tree, n->pinfo, &ei_ndr64, n->tvb, 0, -1);
        n->offset = (int)tvb_reported_length(n->tvb);
        if (pdu->response) {
            read_hresult(pdu, false);
        }
        return;
    }
    ok = pdu->response ? orpc_that(&pdu->o) : orpc_this(&pdu->o);
    if (ok && pdu->method->local != NULL) {
        proto_item *const item = proto_tree_add_item(n->tree, hf_stub, n->tvb, n->offset, (int)ndr_remaining(n), ENC_NA);

        expert_add_info_format(n->pinfo, item, &ei_not_on_wire, "Opnum %u is not used on the wire (locally %s)",
                               pdu->method->opnum, pdu->method->local);
        n->offset = (int)tvb_reported_length(n->tvb);
        return;
    }
    for (; ok && param->type != PLA_NONE; param++) {
        if (param->out == pdu->response) {
            ok = read_param(pdu, param);
        }
    }
    if (pdu->response) {
        read_hresult(pdu, ok);
    }
    if (!ok) {
        /* Said already; not to be called a long frame as well. */
        n->offset = (int)tvb_reported_length(n->tvb);
    }
}

/* What the call has taught once it is known to have succeeded. */
static void
learn(struct pdu *pdu)
{
    struct pla_call *const call = pdu->call;
    struct pla_object *const object = call->object;

    if (!pdu->response) {
        call->name = pdu->named != NULL ? wmem_strdup(wmem_file_scope(), pdu->named) : NULL;
        call->request.label_after = call->request.label;
        return;
    }
    call->answered = true;
    if (object == NULL) {
        return;
    }
    if (pdu->tap.has_hresult && (pdu->tap.hresult & 0x80000000) == 0) {
        if (pdu->named != NULL) {
            pla_object_set_name(object, pdu->named);
        } else if (call->name != NULL) {
            pla_object_set_name(object, call->name);
        }
    }
    call->response.label_after = pla_object_label(object);
    if (object->set == object && call->name != NULL) {
        /* Query and Commit are about the set they name, also where they fail. */
        call->set_name = pla_line_text(wmem_file_scope(), call->name, PLA_MAX_NAME);
    } else if (object->set != NULL) {
        call->set_name = object->set->name;
    }
}

/* Also after an exception: Info column, statistics and what was learned are those of what could be read. */
static void
finish(struct pdu *pdu)
{
    packet_info *const pinfo = pdu->o.ndr.pinfo;
    struct pla_call *const call = pdu->call;

    if (wmem_strbuf_get_len(pdu->info) > 0) {
        col_append_fstr(pinfo->cinfo, COL_INFO, ", %s", wmem_strbuf_get_str(pdu->info));
    }
    if (pdu->learning) {
        learn(pdu);
    }
    if (pdu->seen->label_after != NULL && pdu->seen->label_after[0] != '\0') {
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", brief(pdu, pdu->seen->label_after));
    }
    if (pdu->tap.has_hresult) {
        const char *const name = hresult_name(pinfo->pool, pdu->tap.hresult);

        if (name != NULL) {
            col_append_fstr(pinfo->cinfo, COL_INFO, " -> %s", name);
        } else {
            col_append_fstr(pinfo->cinfo, COL_INFO, " -> 0x%08x", pdu->tap.hresult);
        }
        if (pdu->tap.hresult == 0 && call->asynchronous) {
            col_append_str(pinfo->cinfo, COL_INFO, " (queued)");
        }
    }
    pdu->tap.interface_name = pdu->interface->name;
    pdu->tap.method_name = pdu->method->name;
    pdu->tap.is_response = pdu->response;
    if (call->object != NULL && call->object->set != NULL) {
        pdu->tap.set = call->object->set;
        pdu->tap.set_name = call->set_name;
        pdu->tap.server = call->object->server;
    }
    if (!pla_is_enumerator(pdu->interface) || (call->object != NULL && call->object->parent != NULL)) {
        /* Enumerators that are not known to be of our collections are not counted. */
        tap_queue_packet(tap_pla, pinfo, &pdu->tap);
    }
}

/* Last, so that nothing it meets can lose what is before it. */
static void
dissect_xml(struct pdu *pdu)
{
    packet_info *const pinfo = pdu->o.ndr.pinfo;
    const bool protocol_writable = col_get_writable(pinfo->cinfo, COL_PROTOCOL);
    const bool info_writable = col_get_writable(pinfo->cinfo, COL_INFO);

    if (pdu->xml == NULL) {
        return;
    }
    add_new_data_source(pinfo, pdu->xml, "XML (UTF-8)");
    col_set_writable(pinfo->cinfo, COL_PROTOCOL, false);
    col_set_writable(pinfo->cinfo, COL_INFO, false);
    TRY {
        call_dissector(xml_handle, pdu->xml, pinfo, pdu->xml_tree);
    }
    CATCH(DissectorError) {
        /* No bug: elements nested deeper than a tree of Wireshark's may be. */
        expert_add_info_format(pinfo, proto_tree_get_parent(pdu->xml_tree), &ei_xml_too_large,
                               "The XML cannot be shown in full: %s", GET_MESSAGE);
    }
    CATCH_NONFATAL_ERRORS {
        show_exception(pdu->xml, pinfo, pdu->xml_tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
    col_set_writable(pinfo->cinfo, COL_PROTOCOL, protocol_writable);
    col_set_writable(pinfo->cinfo, COL_INFO, info_writable);
}

static void
show_call(struct pdu *pdu)
{
    struct ndr *const n = &pdu->o.ndr;
    const dcerpc_call_value *const value = n->di->call_data;
    const struct pla_object *const object = pdu->call->object;
    static const e_guid_t null_guid;
    const char *label;

    proto_item_set_generated(proto_tree_add_string(n->tree, hf_interface, n->tvb, 0, 0, pdu->interface->name));
    if (hf_ipid != -1 && guid_cmp(&value->object_uuid, &null_guid) != 0) {
        proto_item_set_generated(proto_tree_add_guid(n->tree, hf_ipid, n->tvb, 0, 0, &value->object_uuid));
    }
    if (object == NULL) {
        return;
    }
    label = pdu->seen->label;
    if (label[0] != '\0') {
        proto_item_set_generated(proto_tree_add_string(n->tree, hf_object, n->tvb, 0, 0, label));
    }
    if (object->frame != n->pinfo->num) {
        proto_item_set_generated(proto_tree_add_uint(n->tree, hf_object_frame, n->tvb, 0, 0, object->frame));
    }
}

static int
dissect(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep, bool response)
{
    dcerpc_call_value *const value = di->call_data;
    static const e_guid_t null_guid;
    struct pdu *pdu;
    int left;

    pdu = wmem_new0(pinfo->pool, struct pdu);
    pdu->o.ndr = (struct ndr){ tvb, offset, pinfo, tree, di, drep };
    /* Both there: packet-dcerpc found us in what sub_dissectors() made of them. */
    pdu->interface = pla_find_interface(&value->uuid);
    pdu->method = pla_find_method(pdu->interface, value->opnum);
    pdu->response = response;
    pdu->info = wmem_strbuf_new(pinfo->pool, NULL);
    pdu->call = value->se_data;
    if (pdu->call == NULL) {
        pdu->call = wmem_new0(wmem_file_scope(), struct pla_call);
        value->se_data = pdu->call;
        pdu->learning = true;
        if (response) {
            proto_tree_add_expert(tree, pinfo, &ei_no_request, tvb, offset, 0);
        } else if (guid_cmp(&value->object_uuid, &null_guid) != 0) {
            pdu->call->object = pla_object_called(pinfo, &value->object_uuid, pdu->interface);
        }
    } else {
        pdu->learning = response && !pdu->call->answered;
    }
    pdu->seen = response ? &pdu->call->response : &pdu->call->request;
    if (pdu->learning && pdu->call->object != NULL) {
        pdu->seen->label = pla_object_label(pdu->call->object);
    }
    show_call(pdu);
    TRY {
        read_stub(pdu);
    }
    FINALLY {
        finish(pdu);
    }
    ENDTRY;
    dissect_xml(pdu);
    left = (int)ndr_remaining(&pdu->o.ndr);
    if (left > 0 && left < 8) {
        /* What some stacks pad a stub with. */
        return pdu->o.ndr.offset + left;
    }
    return pdu->o.ndr.offset;
}

static int
dissect_request(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    return dissect(tvb, offset, pinfo, tree, di, drep, false);
}

static int
dissect_response(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep)
{
    return dissect(tvb, offset, pinfo, tree, di, drep, true);
}

void
proto_register_pla(void)
{
    static hf_register_info hf[] = {
#define FIELD(variable, name, filter, type, display, strings, blurb) \
        { &hf_##variable, { name, "pla." filter, type, display, strings, 0, blurb, HFILL } }
        FIELD(interface, "Interface", "interface", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(object, "Object", "object", FT_STRING, BASE_NONE, NULL, "What the capture taught about the object the call is made to"),
        FIELD(object_frame, "Object first seen in", "object.frame", FT_FRAMENUM, BASE_NONE, NULL,
              "Answer that returned the object, or first call made to it"),
        FIELD(reference, "Refers to", "reference", FT_STRING, BASE_NONE, NULL, "What the capture taught about an interface pointer's object"),
        FIELD(hresult, "HRESULT", "hresult", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &hresult_vals_ext, NULL),
        FIELD(enum_width, "Bits of the enumeration", "enum.width", FT_UINT8, BASE_DEC, NULL,
              "16 as NDR has it or 32 as type-library marshallers send it, where the stub tells"),
        FIELD(member, "Member", "member", FT_STRING, BASE_NONE, NULL, "Name that goes with the DISPID"),
        FIELD(path_computer, "Computer", "path.computer", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(path_object, "Object", "path.object", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(path_parent, "Parent instance", "path.parent", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(path_instance, "Instance", "path.instance", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(path_index, "Instance index", "path.index", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(path_counter, "Counter", "path.counter", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(threshold_path, "Path", "threshold.path", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(threshold_operator, "Operator", "threshold.operator", FT_STRING, BASE_NONE, NULL, NULL),
        FIELD(threshold_value, "Threshold", "threshold.value", FT_DOUBLE, BASE_NONE, NULL, NULL),
        FIELD(pattern, "Stands for", "pattern", FT_STRING, BASE_NONE, NULL, "File-name pattern of [MS-PLA] 2.2.3.1 in words"),
        FIELD(validation_hresult, "Validation", "validation.hresult", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &hresult_vals_ext,
              "What is wrong with the property the item names"),
        FIELD(stub, "Stub data", "stub", FT_BYTES, BASE_NONE, NULL, NULL),
#undef FIELD
    };
    static hf_register_info opnum[PLA_NUM_INTERFACES];
    static int *ett[] = { &ett_pla, &ett_param };
    static ei_register_info ei[] = {
        { &ei_failed, { "pla.failed", PI_RESPONSE_CODE, PI_NOTE, "The call failed", EXPFILL } },
        { &ei_hresult_found, { "pla.hresult.found", PI_MALFORMED, PI_NOTE,
          "Found at the end of the stub, as what is before it could not be read", EXPFILL } },
        { &ei_not_on_wire, { "pla.not_on_wire", PI_PROTOCOL, PI_WARN, "Opnum is not used on the wire", EXPFILL } },
        { &ei_ndr64, { "pla.ndr64", PI_UNDECODED, PI_WARN, "Parameters in NDR64 are not decoded", EXPFILL } },
        { &ei_no_request, { "pla.no_request", PI_SEQUENCE, PI_NOTE, "The request is not in the capture", EXPFILL } },
        { &ei_credentials, { "pla.credentials", PI_SECURITY, PI_NOTE, "Sets the account a data collector set runs under", EXPFILL } },
        { &ei_access, { "pla.access", PI_SECURITY, PI_NOTE, "Changes who may do what (SDDL)", EXPFILL } },
        { &ei_server_file, { "pla.server_file", PI_SECURITY, PI_NOTE, "The server opens a path given by the client", EXPFILL } },
        { &ei_text_syntax, { "pla.text_syntax", PI_PROTOCOL, PI_WARN, "Text is not of the syntax of [MS-PLA] 2.2.10", EXPFILL } },
        { &ei_xml_too_large, { "pla.xml_too_large", PI_UNDECODED, PI_NOTE, "The XML has too many parts, or is nested too deeply, to be shown one by one", EXPFILL } },
        { &ei_validation, { "pla.validation_item", PI_RESPONSE_CODE, PI_NOTE, "Validation found something", EXPFILL } },
    };
    module_t *module;

    proto_pla = proto_register_protocol("Performance Logs and Alerts", "PLA", "pla");
    proto_register_field_array(proto_pla, hf, array_length(hf));
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        /* One name in the Protocol column each, and one filter for all of them. */
        /* Other servers have enumerators, too, so that their filter is their own. */
        proto_interface[i] = proto_register_protocol_in_name_only(
            pla_interfaces[i].name, pla_interfaces[i].name, pla_is_enumerator(&pla_interfaces[i]) ? "pla.enumerator" : "pla",
            proto_pla, FT_PROTOCOL);
        hf_opnum[i] = -1;
        /* Wireshark fills in the names of each interface's methods. */
        opnum[i] = (hf_register_info){ &hf_opnum[i], { "Operation", "pla.opnum", FT_UINT16, BASE_DEC, NULL, 0, NULL, HFILL } };
    }
    proto_register_field_array(proto_pla, opnum, array_length(opnum));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto_pla), ei, array_length(ei));
    pla_methods_register(proto_pla);
    orpc_register(proto_pla);
    oaut_register(proto_pla);
    dispatch_register(proto_pla);
    pla_objects_init();
    tap_pla = register_tap("pla");
    module = prefs_register_protocol(proto_pla, NULL);
    prefs_register_bool_preference(module, "show_passwords", "Show passwords",
                                   "Whether IDataCollectorSet::SetCredentials shows its password", &show_passwords);
}

/* Methods of an interface with those it inherits, as packet-dcerpc wants them. */
static dcerpc_sub_dissector *
sub_dissectors(const struct pla_interface *interface)
{
    const unsigned num = pla_num_opnums(interface);
    dcerpc_sub_dissector *const procs = wmem_alloc0_array(wmem_epan_scope(), dcerpc_sub_dissector, num + 1);
    unsigned count = 0;

    for (unsigned i = 0; i < num; i++) {
        const struct pla_method *const method = pla_find_method(interface, (uint16_t)i);

        if (method != NULL) {
            procs[count++] = (dcerpc_sub_dissector){ (uint16_t)i, method->name, dissect_request, dissect_response };
        }
    }
    return procs;
}

void
proto_reg_handoff_pla(void)
{
    xml_handle = find_dissector("xml");
    hf_ipid = foreign_field_find("dcom.ipid", FT_GUID);
    orpc_init();
    oaut_init();
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        e_guid_t iid = pla_interfaces[i].iid;
        const char *const taken = dcerpc_get_proto_name(&iid, 0);

        if (taken != NULL) {
            ws_message("PLA: this Wireshark decodes %s already (as %s), so the perflib plugin leaves it alone",
                       pla_interfaces[i].name, taken);
            continue;
        }
        dcerpc_init_uuid(proto_interface[i], ett_pla, &iid, 0, sub_dissectors(&pla_interfaces[i]), hf_opnum[i]);
    }
    for (unsigned i = 0; i < pla_num_classes; i++) {
        guids_add_guid(&pla_classes[i].clsid, pla_classes[i].name);
    }
}
