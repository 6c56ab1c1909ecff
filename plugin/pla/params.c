/* params.c
 * Reads the parameters of a method
 *
 * No method has code of its own: methods.c lists the parameters of each, and the readers below handle one type each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <epan/to_str.h>

#define DISPID_PROPERTYPUT (-3) /* DISPID of the new value in a property put, [MS-OAUT] 2.2.32.1 */

static void
keep_role(struct pla_pdu *pdu, const char *role)
{
    if (pdu->learning) {
        pdu->call->role = line_text_copy(wmem_file_scope(), role, PLA_MAX_NAME);
    }
}

/* Records the index or key in a request of Item. Labels show the returned object by it: "[2]". */
static void
keep_index(struct pla_pdu *pdu, const struct oaut_variant *index)
{
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;

    if (index->is_integer) {
        keep_role(pdu, wmem_strdup_printf(scope, "[%" PRId64 "]", index->integer));
    } else if (index->is_text) {
        keep_role(pdu, wmem_strdup_printf(scope, "[\"%s\"]", line_text_copy(scope, index->text, PLA_MAX_NAME / 2)));
    }
}

/* Records the type in a request that creates a data collector. Labels of the new object show the type. */
static void
keep_type(struct pla_pdu *pdu, uint32_t type)
{
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;
    const char *const name = pla_enum_text(scope, &pla_data_collector_type, type, false);

    if (name != NULL) {
        keep_role(pdu, wmem_strdup_printf(scope, "collector (%s)", name));
    }
}

/*
 * Records an interface pointer, when this PDU is read for the first time. found->role: NULL if the call did not return
 * the object.
 */
static void
note_object(struct pla_pdu *pdu, const struct pla_found *found)
{
    if (pdu->learning) {
        wmem_array_append_one(pdu->found, *found);
    }
}

/*
 * Reads an enumeration. By IDL and NDR it has 16 bits; implementations that marshal by type library send 32. All values
 * fit into 16 bits, and the next parameter is aligned to 4 bytes in both cases, so both widths are read alike. Only a
 * request that ends with the enumeration may have 2 bytes less.
 */
static void
read_enum(struct pla_pdu *pdu, const struct pla_field *field)
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
        value = perflib_tvb_get_uint32(n->tvb, wide, ndr_encoding(n));
        offset = wide;
        if (value > 0xffff) {
            /* The other 16 bits are padding, which some implementations do not zero. */
            value = little ? value & 0xffff : value >> 16;
            width = 16;
        } else if (!pdu->response && end - wide == 4) {
            width = 32;
        }
        n->offset = wide + 4;
    } else if (end - narrow >= 2) {
        value = perflib_tvb_get_uint16(n->tvb, narrow, ndr_encoding(n));
        offset = narrow;
        width = 16;
        n->offset = narrow + 2;
    } else {
        orpc_room(&pdu->o, 4, field->name);
        return;
    }
    pla_show_number(pdu, field, offset, width == 16 ? 2 : 4, value);
    if (width != 0) {
        pla_show_width(pdu, offset, width);
    }
    if (field->meaning == PLA_STATUS) {
        pdu->record.status = pla_enum_text(n->pinfo->pool, field->enumeration, value, false);
    } else if (field->meaning == PLA_TYPE) {
        keep_type(pdu, value);
    } else if (field->meaning == PLA_COMMIT_MODE && (value & PLA_VALIDATE_ONLY) != 0) {
        pdu->call->only_validates = true;
    }
}

static void
read_wide_number(struct pla_pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;

    ndr_align(n, 8);
    if (orpc_room(&pdu->o, 8, field->name)) {
        const uint64_t value = perflib_tvb_get_uint64(n->tvb, n->offset, ndr_encoding(n));

        pla_show_number(pdu, field, n->offset, 8, (int64_t)value);
        n->offset += 8;
    }
}

static void
read_number(struct pla_pdu *pdu, const struct pla_field *field, bool is_signed)
{
    const uint32_t value = orpc_uint32(&pdu->o, -1, field->name);

    if (!pdu->o.failed) {
        pla_show_number(pdu, field, pdu->o.ndr.offset - 4, 4, is_signed ? (int64_t)(int32_t)value : value);
        if (pdu->learning && field->meaning == PLA_MOVES) {
            pdu->call->moves = value;
        }
    }
}

static void
read_bool(struct pla_pdu *pdu, const struct pla_field *field)
{
    const bool value = oaut_variant_bool(&pdu->o, *field->hf);

    if (pdu->o.failed) {
        return;
    }
    pla_info(pdu, field->name, value ? "true" : "false");
    if (pdu->learning && field->meaning == PLA_WAITS) {
        pdu->call->asynchronous = !value;
    }
}

static void
read_guid(struct pla_pdu *pdu, const struct pla_field *field)
{
    const e_guid_t guid = orpc_guid(&pdu->o, *field->hf, field->name);

    if (!pdu->o.failed) {
        pla_info(pdu, field->name, guid_to_str(pdu->o.ndr.pinfo->pool, &guid));
    }
}

static void
read_bstr(struct pla_pdu *pdu, const struct pla_param *param, const struct pla_field *field)
{
    const struct oaut_bstr bstr = oaut_bstr(&pdu->o);

    if (pdu->o.failed && bstr.chars == 0) {
        return;
    }
    pla_show_bstr(pdu, field, param->out, &bstr);
    if (!pdu->o.failed && bstr.nothing == OAUT_TEXT && field->meaning == PLA_LABEL) {
        pdu->named = bstr.text;
    }
}

static void
read_array(struct pla_pdu *pdu, const struct pla_param *param, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    const bool is_bytes = param->type == PLA_BYTES;
    struct oaut_array array = {
        .expected = is_bytes ? OAUT_SF_I1 : OAUT_SF_BSTR,
        .hf_string = is_bytes ? -1 : *field->hf,
        .hf_bytes = is_bytes ? *field->hf : -1,
        .string_shown = field->meaning == PLA_PATHS ? pla_show_path
            : field->meaning == PLA_THRESHOLDS      ? pla_show_threshold
                                                    : NULL,
    };
    struct orpc_part part;

    ndr_align(n, 4);
    part = orpc_enter(&pdu->o, field->name);
    oaut_safearray(&pdu->o, &array);
    orpc_leave(&pdu->o, part);
    pla_show_array(pdu, part.item, field, &array);
}

/* Records the object in a VARIANT. In an answer to Invoke, the called member returned the object. */
static void
note_variant_object(struct pla_pdu *pdu, const struct pla_param *param, const struct oaut_variant *variant)
{
    const char *const member = pdu->call->member;
    struct pla_found found = { .ref = variant->object };

    if (param->out && member != NULL) {
        found.role = pdu->call->role != NULL ? pdu->call->role : member;
        found.iface = pla_interface_returned(pdu->iface, member, &found.is_keywords);
    }
    note_object(pdu, &found);
}

/* Returns true if the member that a script reads contains the object's name. */
static bool
is_label_member(const char *member)
{
    return member != NULL && (g_ascii_strcasecmp(member, "Name") == 0 || g_ascii_strcasecmp(member, "Key") == 0);
}

static void
read_variant(struct pla_pdu *pdu, const struct pla_param *param, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    const char *const member = pdu->call->member;
    struct oaut_variant variant;
    struct orpc_part part;
    unsigned start;

    ndr_align(n, 4);
    start = (unsigned)n->offset;
    part = orpc_enter(&pdu->o, field->name);
    oaut_variant_param(&pdu->o, &variant);
    if (part.item != NULL) {
        proto_item_append_text(part.item, " (%s): %s",
            variant.null ? "VARIANT" : oaut_vartype_name(n->pinfo->pool, variant.vt),
            variant.null ? "NULL" : line_text_copy(n->pinfo->pool, variant.text, OAUT_LABEL_TEXT));
    }
    if (!pdu->o.failed) {
        pla_show_variant(pdu, field, start, &variant);
    }
    orpc_leave(&pdu->o, part);
    if (pdu->o.failed) {
        return;
    }
    if (variant.is_object && !variant.object.null) {
        note_variant_object(pdu, param, &variant);
        pla_show_reference(pdu, part.item, &variant.object);
    }
    if (field->meaning == PLA_INDEX) {
        keep_index(pdu, &variant);
    } else if (variant.is_text && is_label_member(member)) {
        pdu->named = variant.text;
    } else if (variant.is_integer && pdu->iface->kind == PLA_KIND_SET && member != NULL &&
        g_ascii_strcasecmp(member, "Status") == 0) {
        pdu->record.status =
            pla_enum_text(n->pinfo->pool, &pla_data_collector_set_status, (uint32_t)variant.integer, false);
    }
}

static void
read_object(struct pla_pdu *pdu, const struct pla_param *param, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_call *const call = pdu->call;
    const struct pla_interface *iface;
    struct pla_found found = { .role = NULL };
    struct orpc_part part;
    proto_item *item;
    const char *text;
    int start;

    ndr_align(n, 4);
    start = n->offset;
    orpc_interface_pointer(&pdu->o, &found.ref);
    if (pdu->o.failed) {
        return;
    }
    text = found.ref.null    ? "NULL"
        : found.ref.standard ? guid_to_str(n->pinfo->pool, &found.ref.ipid)
                             : "OBJREF without IPID";
    if (param->out) {
        const bool item_of_validation = call->object != NULL && call->object->validation && call->role != NULL;

        found.role = call->role != NULL ? call->role : field->name;
        found.is_keywords = field->meaning == PLA_KEYWORDS;
        found.validation = field->meaning == PLA_VALIDATION || item_of_validation;
    }
    item = proto_tree_add_string(n->tree, *field->hf, n->tvb, start, n->offset - start, text);
    if (!found.ref.null) {
        note_object(pdu, &found);
        pla_show_reference(pdu, item, &found.ref);
        part = orpc_enter_item(&pdu->o, item);
        orpc_show_objref(&pdu->o, &found.ref);
        orpc_leave(&pdu->o, part);
    }
    iface = pla_find_interface(&found.ref.iid);
    pla_info(pdu, field->name, iface == NULL ? text : iface->name);
}

/*
 * Returns the text by which labels name an element that an enumerator returned: its index in the collection if the
 * enumerator's position is known ([MS-OAUT] 3.3.4), else its index in this answer.
 */
static const char *
element_role(const struct pla_pdu *pdu, unsigned number)
{
    const struct pla_call *const call = pdu->call;
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;

    if (call->knows_next) {
        return wmem_strdup_printf(scope, "[%" PRIu64 "]", call->next + number);
    }
    return number == 0 ? "[?]" : wmem_strdup_printf(scope, "[?+%u]", number);
}

/* Records an object returned by an enumerator: it belongs to the enumerator's collection. */
static void
element_shown(struct orpc *o, proto_item *item, const struct orpc_objref *ref, unsigned number)
{
    struct pla_pdu *const pdu = (struct pla_pdu *)o;
    const struct pla_object *const enumerator = pdu->call->object;
    struct pla_found found = { .ref = *ref, .role = element_role(pdu, number), .is_element = true };

    if (ref->null) {
        return;
    }
    if (enumerator != NULL && enumerator->parent != NULL) {
        const struct pla_object *const collection = enumerator->parent;

        found.iface =
            collection->iface == NULL ? NULL : pla_interface_returned(collection->iface, "Item", &found.is_keywords);
        found.validation = collection->validation;
    }
    note_object(pdu, &found);
    pla_show_reference(pdu, item, ref);
}

/* Reads Invoke's DISPID and looks up the member. */
static void
read_dispid(struct pla_pdu *pdu, const struct pla_field *field)
{
    const int32_t dispid = (int32_t)orpc_uint32(&pdu->o, -1, field->name);

    if (pdu->o.failed) {
        return;
    }
    if (pdu->learning) {
        pdu->call->dispid = dispid;
        pdu->call->member = pla_dispid_name(pdu->o.ndr.pinfo, pdu->iface, pdu->call->object, PLA_NO_MEMBER, dispid);
    }
    pla_show_member(pdu, pla_show_plain_number(pdu, field, pdu->o.ndr.offset - 4, 4, dispid), dispid);
}

/* Returns true if the arguments of Invoke, including those by reference, contain or may contain a password. */
static bool
hides_arguments(const struct pla_pdu *pdu)
{
    const char *const member = pdu->call->member;

    if (pla_shows_passwords) {
        return false;
    }
    return member != NULL ? g_ascii_strcasecmp(member, "SetCredentials") == 0
                          : pdu->iface->kind == PLA_KIND_SET || pdu->iface == &pla_dispatch_interface;
}

/* Returns the index in the IDL of an argument that Invoke names by a DISPID, or -1 if unknown. */
static int
named_index(const struct pla_pdu *pdu, int32_t dispid)
{
    const struct pla_call *const call = pdu->call;
    const char *const name = pla_dispid_name(pdu->o.ndr.pinfo, pdu->iface, call->object, call->dispid, dispid);

    if (name != NULL) {
        return pla_parameter_index(pdu->iface, call->member, name);
    }
    /*
     * The new value of a property is its last argument, [MS-OAUT] 2.2.32.1. Type libraries number arguments in
     * order, so an unknown DISPID is taken as the index.
     */
    return dispid == DISPID_PROPERTYPUT ? (int)pdu->arguments->count - 1 : dispid;
}

/* Returns Invoke's argument with this index in the IDL, or NULL if it was not sent. */
static const struct oaut_variant *
argument_at(const struct pla_pdu *pdu, uint32_t index)
{
    const struct dispatch_arguments *const arguments = pdu->arguments;
    const uint32_t named = MIN(arguments->num_named, arguments->count);

    for (uint32_t i = 0; i < MIN(named, DISPATCH_MAX_NAMES); i++) {
        if (named_index(pdu, (int32_t)arguments->named[i]) == (int)index) {
            return &arguments->values[i];
        }
    }
    /* Named arguments are first, then the positional ones from last to first: [MS-OAUT] 2.2.33. */
    if (index < arguments->count - named && arguments->count - 1 - index < DISPATCH_MAX_NAMES) {
        return &arguments->values[arguments->count - 1 - index];
    }
    return NULL;
}

/* Learns from a member's arguments how labels name the called object, or the returned one. */
static void
note_arguments(struct pla_pdu *pdu)
{
    const char *const member = pdu->call->member;
    const struct oaut_variant *const first = argument_at(pdu, 0), *const mode = argument_at(pdu, 2);

    if (member == NULL || first == NULL) {
        return;
    }
    if (g_ascii_strcasecmp(member, "Item") == 0) {
        keep_index(pdu, first);
    } else if (first->is_integer && g_ascii_strcasecmp(member, "CreateDataCollector") == 0) {
        keep_type(pdu, (uint32_t)first->integer);
    } else if (first->is_text &&
        (is_label_member(member) || g_ascii_strcasecmp(member, "Query") == 0 ||
            g_ascii_strcasecmp(member, "Commit") == 0)) {
        pdu->named = first->text;
        pdu->call->only_validates = mode != NULL && mode->is_integer && (mode->integer & PLA_VALIDATE_ONLY) != 0;
    }
}

static void
read_names(struct pla_pdu *pdu, int hf)
{
    const char *names[DISPATCH_MAX_NAMES];
    const uint32_t sent = dispatch_names(&pdu->o, hf, names), count = MIN(sent, DISPATCH_MAX_NAMES);
    struct pla_call *const call = pdu->call;

    if (names[0][0] == '\0') {
        return;
    }
    pla_info_text(pdu, "name", names[0]);
    if (!pdu->learning) {
        return;
    }
    call->member = line_text_copy(wmem_file_scope(), names[0], PLA_MAX_NAME);
    call->num_arguments = count - 1;
    call->arguments = wmem_alloc_array(wmem_file_scope(), const char *, count);
    for (uint32_t i = 1; i < count; i++) {
        call->arguments[i - 1] = line_text_copy(wmem_file_scope(), names[i], PLA_MAX_NAME);
    }
}

static void
read_dispids(struct pla_pdu *pdu, int hf)
{
    const uint32_t sent = dispatch_numbers(&pdu->o, hf, true, pdu->dispids);

    pdu->num_dispids = MIN(sent, DISPATCH_MAX_NAMES);
    if (pdu->num_dispids > 0) {
        pla_info(pdu, "DISPID", wmem_strdup_printf(pdu->o.ndr.pinfo->pool, "%d", (int32_t)pdu->dispids[0]));
    }
}

static void
read_arguments(struct pla_pdu *pdu, int hf)
{
    pdu->arguments = wmem_new0(pdu->o.ndr.pinfo->pool, struct dispatch_arguments);
    dispatch_params(&pdu->o, hf, hides_arguments(pdu), pdu->arguments);
}

/* Reads the arguments passed by reference, which are sent a second time. After this, all arguments are known. */
static void
read_object_references(struct pla_pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    proto_tree *const tree = n->tree;
    struct oaut_variant values[DISPATCH_MAX_NAMES];
    struct oaut_array array = { .variants = values, .room = DISPATCH_MAX_NAMES };

    if (hides_arguments(pdu)) {
        n->tree = NULL;
    }
    oaut_variants(&pdu->o, field->name, false, &array);
    n->tree = tree;
    if (pdu->o.failed || !pdu->learning || pdu->arguments == NULL) {
        return;
    }
    for (uint32_t i = 0; i < MIN(array.count, DISPATCH_MAX_NAMES); i++) {
        if (pdu->arguments->references[i] < DISPATCH_MAX_NAMES) {
            pdu->arguments->values[pdu->arguments->references[i]] = values[i];
        }
    }
    note_arguments(pdu);
}

static void
read_elements(struct pla_pdu *pdu, const struct pla_field *field)
{
    struct oaut_array array = { .object_shown = element_shown };

    oaut_variants(&pdu->o, field->name, true, &array);
    pdu->num_elements = array.count;
}

void
pla_read_param(struct pla_pdu *pdu, const struct pla_param *param)
{
    const struct pla_field field = pla_field_of(param->hf);

    switch (param->type) {
    case PLA_U32: read_number(pdu, &field, false); break;
    case PLA_I32: read_number(pdu, &field, true); break;
    case PLA_U64: read_wide_number(pdu, &field); break;
    case PLA_BOOL: read_bool(pdu, &field); break;
    case PLA_ENUM: read_enum(pdu, &field); break;
    case PLA_GUID: read_guid(pdu, &field); break;
    case PLA_BSTR: read_bstr(pdu, param, &field); break;
    case PLA_STRINGS:
    case PLA_BYTES: read_array(pdu, param, &field); break;
    case PLA_VARIANT: read_variant(pdu, param, &field); break;
    case PLA_OBJECT: read_object(pdu, param, &field); break;
    case PLA_DISPID: read_dispid(pdu, &field); break;
    case PLA_NAMES: read_names(pdu, *field.hf); break;
    case PLA_DISPIDS: read_dispids(pdu, *field.hf); break;
    case PLA_VARREF_INDICES: dispatch_numbers(&pdu->o, *field.hf, false, pdu->arguments->references); break;
    case PLA_DISPPARAMS: read_arguments(pdu, *field.hf); break;
    case PLA_EXCEPINFO: dispatch_excepinfo(&pdu->o, *field.hf); break;
    case PLA_ELEMENTS: read_elements(pdu, &field); break;
    default: read_object_references(pdu, &field);
    }
}
