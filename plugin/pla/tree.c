/* tree.c
 * Display of a call: fields, expert items and the Info column
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>
#include <epan/to_str.h>

#include "base/fields.h"
#include "base/win32-names.h"
#include "counters/path.h"
#include "pla/text.h"

#define MAX_INFO_TEXT  60  /* maximum bytes of a string in the Info column */
#define MAX_PATTERN    256 /* maximum length of a file-name pattern that is explained */
/* maximum number of XML tags and attributes in a tree: each adds several items, and a packet may have a million */
#define MAX_XML_MARKUP 50000

static int hf_pla_interface = -1;
static int hf_pla_object = -1;
static int hf_pla_object_frame = -1;
static int hf_pla_reference = -1;
static int hf_pla_hresult = -1;
static int hf_pla_enum_width = -1;
static int hf_pla_member = -1;
static int hf_pla_path_computer = -1;
static int hf_pla_path_object = -1;
static int hf_pla_path_parent = -1;
static int hf_pla_path_instance = -1;
static int hf_pla_path_index = -1;
static int hf_pla_path_counter = -1;
static int hf_pla_threshold_path = -1;
static int hf_pla_threshold_operator = -1;
static int hf_pla_threshold_value = -1;
static int hf_pla_pattern = -1;
static int hf_pla_validation_hresult = -1;

static int hf_ws_dcom_ipid = -1; /* field of Wireshark's DCOM dissector */

static int ett_pla_param = -1;

static expert_field ei_pla_failed = EI_INIT;
static expert_field ei_pla_hresult_found = EI_INIT;
static expert_field ei_pla_credentials = EI_INIT;
static expert_field ei_pla_access = EI_INIT;
static expert_field ei_pla_server_file = EI_INIT;
static expert_field ei_pla_text_syntax = EI_INIT;
static expert_field ei_pla_xml_too_large = EI_INIT;
static expert_field ei_pla_validation_item = EI_INIT;

static dissector_handle_t xml_handle;
perflib_bool pla_shows_passwords = false;

/* Meanings of HRESULTs for a reader of a validation, [MS-PLA] 2.2.1 and 2.2.2.11. */
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
    { 0, NULL },
};

/* Appends a separator to the list of parameters for the Info column. */
static void
next_info(struct pla_pdu *pdu)
{
    if (wmem_strbuf_get_len(pdu->info) > 0) {
        wmem_strbuf_append_c(pdu->info, ' ');
    }
}

/* Returns a text shortened and escaped for the Info column. */
static const char *
brief(struct pla_pdu *pdu, const char *text)
{
    return line_text_copy(pdu->o.ndr.pinfo->pool, text, MAX_INFO_TEXT);
}

void
pla_info(struct pla_pdu *pdu, const char *name, const char *value)
{
    if (pdu->o.quiet) {
        next_info(pdu);
        wmem_strbuf_append_printf(pdu->info, "%s=%s", name, value);
    }
}

void
pla_info_text(struct pla_pdu *pdu, const char *name, const char *text)
{
    if (pdu->o.quiet) {
        next_info(pdu);
        wmem_strbuf_append_printf(pdu->info, "%s=\"%s\"", name, brief(pdu, text));
    }
}

static void
add_generated_text(struct pla_pdu *pdu, proto_item *item, int hf, const char *text)
{
    proto_tree *const tree = proto_item_add_subtree(item, ett_pla_param);

    proto_item_set_generated(proto_tree_add_string(tree, hf, pdu->o.ndr.tvb, 0, 0, text));
}

proto_item *
pla_show_plain_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value)
{
    proto_tree *const tree = pdu->o.ndr.tree;
    tvbuff_t *const tvb = pdu->o.ndr.tvb;

    switch (proto_registrar_get_ftype(*field->hf)) {
    case FT_INT64: return proto_tree_add_int64(tree, *field->hf, tvb, offset, size, value);
    case FT_UINT64: return proto_tree_add_uint64(tree, *field->hf, tvb, offset, size, (uint64_t)value);
    case FT_INT32: return proto_tree_add_int(tree, *field->hf, tvb, offset, size, (int32_t)value);
    case FT_STRING:
        return proto_tree_add_string(tree, *field->hf, tvb, offset, size,
            wmem_strdup_printf(pdu->o.ndr.pinfo->pool, "%" PRId64, value));
    default: return proto_tree_add_uint(tree, *field->hf, tvb, offset, size, (uint32_t)value);
    }
}

static void
show_plain(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field, int64_t value)
{
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;
    const bool is_unsigned = proto_registrar_get_ftype(*field->hf) == FT_UINT64;
    const char *text = is_unsigned ? wmem_strdup_printf(scope, "%" PRIu64, (uint64_t)value)
                                   : wmem_strdup_printf(scope, "%" PRId64, value);

    if (value == 0 && field->zero != NULL) {
        proto_item_append_text(item, " (%s)", field->zero);
        text = wmem_strdup_printf(scope, "0 (%s)", field->zero);
    } else if (value == UINT32_MAX && field->meaning == PLA_INTERVAL) {
        text = "one sample only";
        proto_item_append_text(item, " (%s)", text);
    } else if (field->unit != NULL) {
        proto_item_append_text(item, " %s", field->unit);
        text = wmem_strdup_printf(scope, "%s %s", text, field->unit);
    }
    pla_info(pdu, field->name, text);
}

void
pla_show_number(struct pla_pdu *pdu, const struct pla_field *field, int offset, int size, int64_t value)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_item *const item = pla_show_plain_number(pdu, field, offset, size, value);
    const struct pla_enum *const enumeration = field->enumeration;
    const char *text;

    if (enumeration == NULL) {
        show_plain(pdu, item, field, value);
        return;
    }
    text = pla_enum_text(n->pinfo->pool, enumeration, (uint32_t)value, true);
    if (text == NULL) {
        proto_item_append_text(item, " (none of %s)", enumeration->name);
        orpc_odd(&pdu->o, item, "Value is not in its enumeration");
        text = wmem_strdup_printf(n->pinfo->pool, "%" PRId64, value);
    } else {
        proto_item_append_text(item, " (%s)", text);
        text = pla_enum_text(n->pinfo->pool, enumeration, (uint32_t)value, false);
    }
    pla_info(pdu, field->name, text);
    if (item != NULL && enumeration->bits != NULL) {
        proto_tree *const bits = proto_item_add_subtree(item, ett_pla_param);

        for (int *const *bit = enumeration->bits; *bit != NULL; bit++) {
            proto_tree_add_boolean(bits, **bit, n->tvb, offset, size, (uint32_t)value);
        }
    }
}

void
pla_show_width(struct pla_pdu *pdu, int offset, unsigned bits)
{
    struct ndr *const n = &pdu->o.ndr;

    proto_item_set_generated(proto_tree_add_uint(n->tree, hf_pla_enum_width, n->tvb, offset, (int)bits / 8, bits));
}

/* Adds the parts of a counter path below its item. Returns false if the text is not a path. */
static bool
show_path_parts(struct orpc *o, proto_item *item, const char *text)
{
    struct ndr *const n = &o->ndr;
    struct counter_path path;
    proto_tree *tree;

    if (!counter_path_split(n->pinfo->pool, text, &path)) {
        return false;
    }
    tree = proto_item_add_subtree(item, ett_pla_param);
    const struct {
        int hf;
        const char *text;
    } parts[] = {
        { hf_pla_path_computer, path.computer },
        { hf_pla_path_object, path.object },
        { hf_pla_path_parent, path.parent },
        { hf_pla_path_instance, path.instance },
        { hf_pla_path_index, path.index },
        { hf_pla_path_counter, path.counter },
    };

    for (size_t i = 0; i < array_length(parts); i++) {
        if (parts[i].text != NULL) {
            proto_item_set_generated(proto_tree_add_string(tree, parts[i].hf, n->tvb, 0, 0, parts[i].text));
        }
    }
    return true;
}

void
pla_show_path(struct orpc *o, proto_item *item, const char *text)
{
    if (!show_path_parts(o, item, text)) {
        orpc_expert(o, item, &ei_pla_text_syntax, NULL);
    }
}

void
pla_show_threshold(struct orpc *o, proto_item *item, const char *text)
{
    struct ndr *const n = &o->ndr;
    struct pla_threshold threshold;
    proto_item *path;
    proto_tree *tree;
    bool is_path;

    if (!pla_threshold_split(n->pinfo->pool, text, &threshold)) {
        orpc_expert(o, item, &ei_pla_text_syntax, NULL);
        return;
    }
    tree = proto_item_add_subtree(item, ett_pla_param);
    path = proto_tree_add_string(tree, hf_pla_threshold_path, n->tvb, 0, 0, threshold.path);
    proto_item_set_generated(path);
    is_path = show_path_parts(o, path, threshold.path);
    proto_item_set_generated(
        proto_tree_add_string(tree, hf_pla_threshold_operator, n->tvb, 0, 0, threshold.relation == '<' ? "<" : ">"));
    if (threshold.is_number) {
        double_field_add(n->pinfo, tree, hf_pla_threshold_value, n->tvb, 0, 0, threshold.value);
    }
    /* The expert item is on the whole text: its parts have no bytes of their own. */
    if (!is_path || !threshold.is_number) {
        orpc_expert(o, item, &ei_pla_text_syntax, NULL);
    }
}

/* Adds a summary of XML to the Info column. Returns false if the text has no element. */
static bool
say_xml(struct pla_pdu *pdu, const struct oaut_bstr *bstr)
{
    const char *root, *name;

    pla_xml_summary(pdu->o.ndr.pinfo->pool, bstr->text, &root, &name);
    if (root[0] == '\0') {
        return false;
    }
    if (pdu->o.quiet) {
        next_info(pdu);
        wmem_strbuf_append_printf(pdu->info, "<%s>", brief(pdu, root));
        if (name[0] != '\0') {
            wmem_strbuf_append_printf(pdu->info, " \"%s\"", brief(pdu, name));
        }
        wmem_strbuf_append_printf(pdu->info, " (%u chars)", bstr->chars);
    }
    return true;
}

/* Stores the text in UTF-8 for Wireshark's XML dissector. */
static void
keep_xml(struct pla_pdu *pdu, proto_item *item, const struct oaut_bstr *bstr)
{
    unsigned markup = 0;
    const char *text;
    size_t length;

    if (!say_xml(pdu, bstr)) {
        return;
    }
    for (const char *p = strpbrk(bstr->text, "<="); p != NULL && markup <= MAX_XML_MARKUP; p = strpbrk(p + 1, "<=")) {
        markup++;
    }
    if (markup > MAX_XML_MARKUP) {
        orpc_expert(&pdu->o, item, &ei_pla_xml_too_large, NULL);
        return;
    }
    if (item == NULL) {
        return;
    }
    text = pla_xml_in_utf8(pdu->o.ndr.pinfo->pool, bstr->text);
    length = strlen(text);
    pdu->xml = tvb_new_child_real_data(pdu->o.ndr.tvb, (const uint8_t *)text, (unsigned)length, (int)length);
    pdu->xml_tree = proto_item_add_subtree(item, ett_pla_param);
}

static void
show_secret(struct pla_pdu *pdu, const struct pla_field *field, const struct oaut_bstr *bstr)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_item *item;

    if (pla_shows_passwords || bstr->nothing != OAUT_TEXT) {
        item = oaut_add_bstr(&pdu->o, *field->hf, bstr);
    } else {
        /* The item covers no bytes, since -T jsonraw, ek and PDML would show those of the password. */
        item = proto_tree_add_string_format_value(n->tree, *field->hf, n->tvb, (int)bstr->start, 0, "",
            "(hidden, %u characters; see the protocol's preferences)", bstr->chars);
    }
    if (bstr->nothing == OAUT_TEXT || pdu->has_text) {
        orpc_expert(&pdu->o, item, &ei_pla_credentials, NULL);
    } else {
        orpc_expert(&pdu->o, item, &ei_pla_credentials, "No user and no password: clears the stored credentials");
    }
}

void
pla_show_bstr(struct pla_pdu *pdu, const struct pla_field *field, bool out, const struct oaut_bstr *bstr)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_item *item;

    if (field->meaning == PLA_SECRET) {
        show_secret(pdu, field, bstr);
        return;
    }
    item = oaut_add_bstr(&pdu->o, *field->hf, bstr);
    if (bstr->nothing != OAUT_TEXT) {
        pla_info(pdu, field->name, bstr->nothing == OAUT_EMPTY_STRING ? "\"\"" : "NULL");
        return;
    }
    if (field->meaning == PLA_XML) {
        keep_xml(pdu, item, bstr);
        return;
    }
    pdu->has_text = true;
    pla_info_text(pdu, field->name, bstr->text);
    if (field->meaning == PLA_PATTERN && bstr->chars <= MAX_PATTERN) {
        add_generated_text(pdu, item, hf_pla_pattern, pla_pattern_text(n->pinfo->pool, bstr->text));
    } else if (field->meaning == PLA_ACCESS && !out) {
        orpc_expert(&pdu->o, item, &ei_pla_access, NULL);
    } else if (field->meaning == PLA_SERVER_FILE) {
        orpc_expert(&pdu->o, item, &ei_pla_server_file, NULL);
    }
}

void
pla_show_array(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field, const struct oaut_array *array)
{
    const bool is_bytes = array->expected == OAUT_SF_I1;
    const char *const what = is_bytes ? "bytes" : "elements";

    proto_item_append_text(item, " (SAFEARRAY): ");
    if (array->null) {
        proto_item_append_text(item, "NULL");
        pla_info(pdu, field->name, "NULL");
        return;
    }
    proto_item_append_text(item, "%u %s", array->count, what);
    if (array->count == 0 || is_bytes) {
        pla_info(pdu, field->name, wmem_strdup_printf(pdu->o.ndr.pinfo->pool, "(%u %s)", array->count, what));
        return;
    }
    pla_info_text(pdu, field->name, array->first);
    if (array->count > 1 && pdu->o.quiet) {
        wmem_strbuf_append_printf(pdu->info, " (+%u)", array->count - 1);
    }
}

/* Returns true if the object is a value map of keywords, or an item of one: its numbers are then 64-bit masks. */
static bool
is_mask(const struct pla_object *object)
{
    return object != NULL && (object->is_keywords || (object->parent != NULL && object->parent->is_keywords));
}

/* Adds a number that is, or may be, the result of a validation. */
static void
show_validation(struct pla_pdu *pdu, proto_item *item, const struct pla_field *field, unsigned start, uint32_t code)
{
    struct ndr *const n = &pdu->o.ndr;
    const char *const name = hresult_name(n->pinfo->pool, code),
                      *const meaning = try_val_to_str(code, hresult_meanings);
    const char *const text = name == NULL ? wmem_strdup_printf(n->pinfo->pool, "0x%08x", code)
        : meaning != NULL                 ? wmem_strdup_printf(n->pinfo->pool, "%s: %s", name, meaning)
                                          : name;
    proto_tree *const tree = proto_item_add_subtree(item, ett_pla_param);

    proto_item_set_generated(
        proto_tree_add_uint(tree, hf_pla_validation_hresult, n->tvb, (int)start, n->offset - (int)start, code));
    proto_item_append_text(item, " (%s)", text);
    orpc_expert(&pdu->o, item, &ei_pla_validation_item, text);
    pla_info(pdu, field->name, wmem_strdup_printf(n->pinfo->pool, "0x%08x (%s)", code, text));
}

void
pla_show_variant(struct pla_pdu *pdu, const struct pla_field *field, unsigned start, const struct oaut_variant *variant)
{
    struct ndr *const n = &pdu->o.ndr;
    const int size = n->offset - (int)start;
    const bool is_date = field->meaning == PLA_DATE, is_time = field->meaning == PLA_TIME;
    const char *text = variant->is_date && (is_date || is_time)
        ? oaut_date_text(n->pinfo->pool, variant->date, is_date, is_time)
        : variant->null ? "NULL"
                        : variant->text;
    const struct pla_object *const object = pdu->call->object;
    const uint32_t code = (uint32_t)variant->integer;
    const bool is_number = field->meaning == PLA_VALUE && variant->is_integer;
    const bool has_32_bits = (int32_t)code == variant->integer || code == variant->integer;
    /* If it is unknown what the value map is for, only answers can contain results of a validation. */
    const bool may_be_result = pdu->response && !is_mask(object) && try_val_to_str(code, hresult_meanings) != NULL;
    proto_item *const item = proto_tree_add_string(n->tree, *field->hf, n->tvb, (int)start, size, text);

    if (is_number && has_32_bits && (may_be_result || (object != NULL && object->validation))) {
        show_validation(pdu, item, field, start, code);
    } else if (is_number && is_mask(object)) {
        text = wmem_strdup_printf(n->pinfo->pool, "0x%" PRIx64, (uint64_t)variant->integer);
        proto_item_append_text(item, " (%s)", text);
        pla_info(pdu, field->name, text);
    } else if (variant->is_integer || variant->null || variant->is_object || variant->is_null_text) {
        pla_info(pdu, field->name, text);
    } else {
        pla_info_text(pdu, field->name, text);
    }
}

void
pla_show_member(struct pla_pdu *pdu, proto_item *item, int32_t dispid)
{
    const char *const member = pdu->call->member;

    if (member != NULL) {
        proto_item_append_text(item, " (%s)", member);
        add_generated_text(pdu, item, hf_pla_member, member);
        pla_info(pdu, "member", brief(pdu, member));
    } else {
        pla_info(pdu, "DISPID", wmem_strdup_printf(pdu->o.ndr.pinfo->pool, "%d", dispid));
    }
}

void
pla_show_reference(struct pla_pdu *pdu, proto_item *item, const struct orpc_objref *ref)
{
    const unsigned number = pdu->num_objects++;
    const struct pla_object *object;
    const struct pla_interface *iface;
    packet_info *const pinfo = pdu->o.ndr.pinfo;
    const char *label;

    if (item == NULL) {
        return;
    }
    object = pla_call_referred(pdu, number);
    iface = pla_find_interface(&ref->iid);
    proto_item_append_text(item, " (%s",
        iface != NULL ? iface->name : guids_resolve_guid_to_str(&ref->iid, pinfo->pool));
    label = object != NULL ? pla_object_label(pinfo->pool, object, pinfo->num) : "";
    if (label[0] != '\0') {
        proto_item_append_text(item, ", %s", pla_middle_text(pinfo->pool, label, OAUT_LABEL_TEXT));
        add_generated_text(pdu, item, hf_pla_reference, label);
    }
    proto_item_append_text(item, ")");
}

void
pla_show_hresult(struct pla_pdu *pdu, int offset, bool found)
{
    struct ndr *const n = &pdu->o.ndr;
    const uint32_t hresult = pdu->record.hresult;
    const char *const name = hresult_name(n->pinfo->pool, hresult);
    const char *const meaning = try_val_to_str(hresult, hresult_meanings);
    const char *const error = pdu->o.error_text;
    proto_item *const item =
        proto_tree_add_uint_format_value(n->tree, hf_pla_hresult, n->tvb, offset, 4, hresult, "%s (0x%08x)%s%s",
            name != NULL ? name : "Unknown", hresult, meaning != NULL ? ", " : "", meaning != NULL ? meaning : "");

    if (found) {
        orpc_expert(&pdu->o, item, &ei_pla_hresult_found, NULL);
    }
    if ((hresult & 0x80000000) != 0) {
        orpc_expert(&pdu->o, item, &ei_pla_failed,
            wmem_strdup_printf(n->pinfo->pool, "%s failed: %s%s%s", pdu->method->name,
                name != NULL ? name : "unknown HRESULT", error != NULL ? ": " : "",
                error != NULL ? line_text_copy(n->pinfo->pool, error, OAUT_LABEL_TEXT) : ""));
    }
}

void
pla_show_object(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const struct pla_interface *iface,
    const e_guid_t *ipid, const struct pla_object *object)
{
    static const e_guid_t null_guid;
    const char *const label = object == NULL ? "" : pla_object_label(pinfo->pool, object, pinfo->num);

    proto_item_set_generated(proto_tree_add_string(tree, hf_pla_interface, tvb, 0, 0, iface->name));
    if (hf_ws_dcom_ipid != -1 && ipid != NULL && guid_cmp(ipid, &null_guid) != 0) {
        proto_item_set_generated(proto_tree_add_guid(tree, hf_ws_dcom_ipid, tvb, 0, 0, ipid));
    }
    if (label[0] != '\0') {
        proto_item_set_generated(proto_tree_add_string(tree, hf_pla_object, tvb, 0, 0, label));
    }
    if (object != NULL && object->frame != pinfo->num) {
        proto_item_set_generated(proto_tree_add_uint(tree, hf_pla_object_frame, tvb, 0, 0, object->frame));
    }
}

void
pla_say_object(packet_info *pinfo, const struct pla_object *object)
{
    const char *const label = object == NULL ? "" : pla_object_label(pinfo->pool, object, pinfo->num);

    if (label[0] != '\0') {
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", pla_middle_text(pinfo->pool, label, MAX_INFO_TEXT));
    }
}

void
pla_finish_info(struct pla_pdu *pdu)
{
    packet_info *const pinfo = pdu->o.ndr.pinfo;
    const struct pla_call *const call = pdu->call;

    if (wmem_strbuf_get_len(pdu->info) > 0) {
        col_append_fstr(pinfo->cinfo, COL_INFO, ", %s", wmem_strbuf_get_str(pdu->info));
    }
    pla_say_object(pinfo, call->object);
    if (pdu->record.has_hresult) {
        const char *const name = hresult_name(pinfo->pool, pdu->record.hresult);

        col_append_fstr(pinfo->cinfo, COL_INFO, " -> %s",
            name != NULL ? name : wmem_strdup_printf(pinfo->pool, "0x%08x", pdu->record.hresult));
        if (pdu->record.hresult == 0 && call->asynchronous) {
            col_append_str(pinfo->cinfo, COL_INFO, " (queued)");
        }
        if (pdu->o.error_text != NULL) {
            col_append_fstr(pinfo->cinfo, COL_INFO, ": %s", brief(pdu, pdu->o.error_text));
        }
    }
}

void
pla_show_xml(struct pla_pdu *pdu)
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
    TRY
    {
        call_dissector(xml_handle, pdu->xml, pinfo, pdu->xml_tree);
    }
    CATCH(DissectorError)
    {
        /* Wireshark would report the exception as a bug, but the cause is XML nested too deep for its trees. */
        expert_add_info_format(pinfo, proto_tree_get_parent(pdu->xml_tree), &ei_pla_xml_too_large,
            "The XML cannot be shown in full: %s", GET_MESSAGE);
    }
    CATCH_NONFATAL_ERRORS
    {
        show_exception(pdu->xml, pinfo, pdu->xml_tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
    col_set_writable(pinfo->cinfo, COL_PROTOCOL, protocol_writable);
    col_set_writable(pinfo->cinfo, COL_INFO, info_writable);
}

void
pla_tree_init(void)
{
    xml_handle = find_dissector("xml");
    hf_ws_dcom_ipid = foreign_field_find("dcom.ipid", FT_GUID);
}

void
pla_tree_register(int proto, module_t *module)
{
    static hf_register_info hf[] = {
        { &hf_pla_interface,
            { "Interface", "pla.interface", FT_STRING, BASE_NONE, NULL, 0,
                "Interface of [MS-PLA] that the called object has", HFILL } },
        { &hf_pla_object,
            { "Object", "pla.object", FT_STRING, BASE_NONE, NULL, 0,
                "Object that is called, if the capture identifies it", HFILL } },
        { &hf_pla_object_frame,
            { "Object first seen in", "pla.object.frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Answer that returned the object, or the first call to it", HFILL } },
        { &hf_pla_reference,
            { "Refers to", "pla.reference", FT_STRING, BASE_NONE, NULL, 0,
                "Object of an interface pointer, if the capture identifies it", HFILL } },
        { &hf_pla_hresult,
            { "HRESULT", "pla.hresult", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &hresult_vals_ext, 0,
                "Result of the call: 0 or another success code, or an error", HFILL } },
        { &hf_pla_enum_width,
            { "Bits of the enumeration", "pla.enum.width", FT_UINT8, BASE_DEC, NULL, 0,
                "Size of the enumeration in the stub: 16 bits (NDR) or 32 bits (type-library marshallers). Shown only "
                "if the stub proves it",
                HFILL } },
        { &hf_pla_member,
            { "Member", "pla.member", FT_STRING, BASE_NONE, NULL, 0, "Name of the member with this DISPID", HFILL } },
        { &hf_pla_path_computer,
            { "Computer", "pla.path.computer", FT_STRING, BASE_NONE, NULL, 0, "Computer in the counter path", HFILL } },
        { &hf_pla_path_object,
            { "Object", "pla.path.object", FT_STRING, BASE_NONE, NULL, 0, "Counterset or object in the counter path",
                HFILL } },
        { &hf_pla_path_parent,
            { "Parent instance", "pla.path.parent", FT_STRING, BASE_NONE, NULL, 0,
                "Parent instance in the counter path", HFILL } },
        { &hf_pla_path_instance,
            { "Instance", "pla.path.instance", FT_STRING, BASE_NONE, NULL, 0, "Instance in the counter path", HFILL } },
        { &hf_pla_path_index,
            { "Instance index", "pla.path.index", FT_STRING, BASE_NONE, NULL, 0,
                "Number of the instance among those of the same name", HFILL } },
        { &hf_pla_path_counter,
            { "Counter", "pla.path.counter", FT_STRING, BASE_NONE, NULL, 0, "Counter in the counter path", HFILL } },
        { &hf_pla_threshold_path,
            { "Path", "pla.threshold.path", FT_STRING, BASE_NONE, NULL, 0, "Path of the counter that the alert watches",
                HFILL } },
        { &hf_pla_threshold_operator,
            { "Operator", "pla.threshold.operator", FT_STRING, BASE_NONE, NULL, 0,
                "Whether values above or below the threshold raise the alert", HFILL } },
        { &hf_pla_threshold_value,
            { "Threshold", "pla.threshold.value", FT_DOUBLE, BASE_NONE, NULL, 0,
                "Value beyond which the alert is raised", HFILL } },
        { &hf_pla_pattern,
            { "Stands for", "pla.pattern", FT_STRING, BASE_NONE, NULL, 0,
                "File-name pattern of [MS-PLA] 2.2.3.1 in words", HFILL } },
        { &hf_pla_validation_hresult,
            { "Validation", "pla.validation.hresult", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &hresult_vals_ext, 0,
                "Problem with the property that the item names", HFILL } },
    };
    static int *ett[] = { &ett_pla_param };
    static ei_register_info ei[] = {
        { &ei_pla_failed, { "pla.failed", PI_RESPONSE_CODE, PI_NOTE, "The call failed", EXPFILL } },
        { &ei_pla_hresult_found,
            { "pla.hresult.found", PI_MALFORMED, PI_NOTE,
                "Read from the end of the stub, because the part before it could not be read", EXPFILL } },
        { &ei_pla_credentials,
            { "pla.credentials", PI_SECURITY, PI_NOTE, "Sets the account a data collector set runs under", EXPFILL } },
        { &ei_pla_access, { "pla.access", PI_SECURITY, PI_NOTE, "Changes access rights (SDDL)", EXPFILL } },
        { &ei_pla_server_file,
            { "pla.server_file", PI_SECURITY, PI_NOTE, "The server opens a path given by the client", EXPFILL } },
        { &ei_pla_text_syntax,
            { "pla.text_syntax", PI_PROTOCOL, PI_WARN, "Text does not have the syntax of [MS-PLA] 2.2.10", EXPFILL } },
        { &ei_pla_xml_too_large,
            { "pla.xml_too_large", PI_UNDECODED, PI_NOTE,
                "The XML has too many parts, or is nested too deeply, to be shown in full", EXPFILL } },
        { &ei_pla_validation_item,
            { "pla.validation_item", PI_RESPONSE_CODE, PI_NOTE, "Validation reported a problem", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    prefs_register_bool_preference(module, "show_passwords", "Show passwords",
        "Show the password of IDataCollectorSet::SetCredentials", &pla_shows_passwords);
}
