/* params.c
 * The parameters of a method
 *
 * No method has code of its own: methods.c says what each is made of, the readers below know one type each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <epan/to_str.h>

#include "base/text.h"
#include "pla/oaut.h"
#include "pla/packet.h"

static void
keep_role(struct pla_pdu *pdu, const char *role)
{
    if (pdu->learning) {
        pdu->call->role = line_text_copy(wmem_file_scope(), role, PLA_MAX_NAME);
    }
}

/* How an Item's object is called after the index or key it was asked for by. */
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

/* How a collector is called after its type. */
static void
keep_type(struct pla_pdu *pdu, uint32_t type)
{
    wmem_allocator_t *const scope = pdu->o.ndr.pinfo->pool;
    const char *const name = pla_enum_text(scope, &pla_data_collector_type, type, false);

    if (name != NULL) {
        keep_role(pdu, wmem_strdup_printf(scope, "collector (%s)", name));
    }
}

/* Notes an interface pointer; role NULL: the call did not return it. */
static void
note_object(struct pla_pdu *pdu, const struct pla_found *found)
{
    if (pdu->learning) {
        wmem_array_append_one(pdu->found, *found);
    }
}

/*
 * The IDL's enumerations are 16 bits by the rules of NDR; stacks that marshal by type library send
 * 32. All values fit into 16, so the width matters only for where the next parameter
 * starts; that is a multiple of 4 in both forms but at the end of a request.
 */
static bool
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
            /* The other half is padding that nobody set to zero. */
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
        return orpc_room(&pdu->o, 4, field->name);
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
        pdu->named = NULL;
    }
    return true;
}

static bool
pla_param_read_number(struct pla_pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    uint32_t value;
    uint64_t wide;

    if (param->type == PLA_U64) {
        ndr_align(n, 8);
        if (!orpc_room(&pdu->o, 8, field->name)) {
            return false;
        }
        wide = perflib_tvb_get_uint64(n->tvb, n->offset, ndr_encoding(n));
        pla_show_number(pdu, field, n->offset, 8, (int64_t)wide);
        n->offset += 8;
        return true;
    }
    if (!orpc_uint32(&pdu->o, -1, field->name, &value)) {
        return false;
    }
    pla_show_number(pdu, field, n->offset - 4, 4, param->type == PLA_I32 ? (int64_t)(int32_t)value : value);
    return true;
}

static bool
read_bool(struct pla_pdu *pdu, const struct pla_field *field)
{
    bool value;

    if (!oaut_variant_bool(&pdu->o, field->hf, &value)) {
        return false;
    }
    pla_info(pdu, field->name, value ? "true" : "false");
    if (pdu->learning && field->meaning == PLA_WAITS) {
        pdu->call->asynchronous = !value;
    }
    return true;
}

static bool
pla_param_read_guid(struct pla_pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    e_guid_t guid;

    if (!orpc_room(&pdu->o, 16, field->name)) {
        return false;
    }
    guid = ndr_guid(n, field->hf, NULL);
    pla_info(pdu, field->name, guid_to_str(n->pinfo->pool, &guid));
    return true;
}

static bool
read_bstr(struct pla_pdu *pdu, const struct pla_param *param)
{
    struct oaut_bstr bstr;
    const bool ok = oaut_bstr(&pdu->o, pdu->o.ndr.tree, &bstr);

    if (!ok && bstr.chars == 0) {
        return false;
    }
    pla_show_bstr(pdu, param->field, param->out, &bstr);
    if (ok && bstr.nothing == OAUT_TEXT && param->field->meaning == PLA_LABEL) {
        pdu->named = bstr.text;
    }
    return ok;
}

static bool
read_array(struct pla_pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    const bool is_bytes = param->type == PLA_BYTES;
    struct oaut_array array = {
        .expected = is_bytes ? OAUT_SF_I1 : OAUT_SF_BSTR,
        .hf_string = is_bytes ? -1 : field->hf,
        .hf_bytes = is_bytes ? field->hf : -1,
        .string_shown = field->meaning == PLA_PATHS ? pla_show_path
            : field->meaning == PLA_THRESHOLDS      ? pla_show_threshold
                                                    : NULL,
    };
    proto_tree *const parent = n->tree;
    proto_item *item;
    bool ok;

    ndr_align(n, 4);
    n->tree = orpc_subtree(&pdu->o, parent, (unsigned)n->offset, &item, field->name);
    ok = oaut_safearray(&pdu->o, n->tree, &array);
    n->tree = parent;
    pla_show_array(pdu, item, field, &array);
    return ok;
}

/* An object in a VARIANT: of Invoke's result it is what the member returned. */
static void
note_variant_object(struct pla_pdu *pdu, const struct pla_param *param, const struct oaut_variant *variant)
{
    const char *const member = pdu->call->member;
    struct pla_found found = { .ref = variant->object };

    if (param->out && member != NULL) {
        found.role = pdu->call->role != NULL ? pdu->call->role : member;
        found.iface = pla_interface_returned(pdu->iface, member);
    }
    note_object(pdu, &found);
}

/* Whether a member that a script reads of an object names it. */
static bool
is_label_member(const char *member)
{
    return member != NULL && (g_ascii_strcasecmp(member, "Name") == 0 || g_ascii_strcasecmp(member, "Key") == 0);
}

static bool
read_variant(struct pla_pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
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
    if (item != NULL) {
        proto_item_append_text(item, " (%s): %s",
            variant.null ? "VARIANT" : oaut_vartype_name(n->pinfo->pool, variant.vt),
            variant.null ? "NULL" : line_text_copy(n->pinfo->pool, variant.text, OAUT_LABEL_TEXT));
    }
    if (!ok) {
        return false;
    }
    pla_show_variant(pdu, tree, field, start, &variant);
    if (variant.is_object && !variant.object.null) {
        note_variant_object(pdu, param, &variant);
        pla_show_reference(pdu, item, &variant.object);
    }
    if (field->meaning == PLA_INDEX) {
        keep_index(pdu, &variant);
    } else if (variant.is_text && is_label_member(pdu->call->member)) {
        pdu->named = variant.text;
    }
    return true;
}

static bool
pla_param_read_object(struct pla_pdu *pdu, const struct pla_param *param)
{
    struct ndr *const n = &pdu->o.ndr;
    const struct pla_field *const field = param->field;
    const struct pla_call *const call = pdu->call;
    const struct pla_interface *iface;
    struct pla_found found = { .role = NULL };
    proto_item *item;
    const char *text;
    int start;

    ndr_align(n, 4);
    start = n->offset;
    if (!orpc_interface_pointer(&pdu->o, n->tree, &found.ref)) {
        return false;
    }
    text = found.ref.null    ? "NULL"
        : found.ref.standard ? guid_to_str(n->pinfo->pool, &found.ref.ipid)
                             : "OBJREF without IPID";
    if (param->out) {
        const bool item_of_validation = call->object != NULL && call->object->validation && call->role != NULL;

        found.role = call->role != NULL ? call->role : field->name;
        found.validation = field->meaning == PLA_VALIDATION || item_of_validation;
    }
    item = proto_tree_add_string(n->tree, field->hf, n->tvb, start, n->offset - start, text);
    if (!found.ref.null) {
        note_object(pdu, &found);
        pla_show_reference(pdu, item, &found.ref);
        orpc_show_objref(&pdu->o, orpc_item_tree(item), &found.ref);
    }
    iface = pla_find_interface(&found.ref.iid);
    pla_info(pdu, field->name, iface == NULL ? text : iface->name);
    return true;
}

/* An object among what an enumerator returns: it comes from the collection, at which place is not said. */
static void
element_shown(struct orpc *o, proto_item *item, const struct orpc_objref *ref)
{
    struct pla_pdu *const pdu = (struct pla_pdu *)o;
    const struct pla_object *const enumerator = pdu->call->object;
    struct pla_found found = { .ref = *ref, .role = "[?]", .from_collection = true };

    if (ref->null) {
        return;
    }
    if (enumerator != NULL && enumerator->parent != NULL && enumerator->parent->iface != NULL) {
        found.iface = pla_interface_returned(enumerator->parent->iface, "Item");
    }
    note_object(pdu, &found);
    pla_show_reference(pdu, item, ref);
}

/* Invoke's DISPID: what member it is. */
static bool
read_dispid(struct pla_pdu *pdu, const struct pla_field *field)
{
    struct ndr *const n = &pdu->o.ndr;
    uint32_t dispid;
    proto_item *item;

    if (!orpc_uint32(&pdu->o, -1, field->name, &dispid)) {
        return false;
    }
    if (pdu->learning) {
        pdu->call->member = pla_dispid_name(pdu->iface, pdu->call->object, (int32_t)dispid);
    }
    item = pla_show_plain_number(pdu, n->tree, field, n->offset - 4, 4, (int32_t)dispid);
    pla_show_member(pdu, item, (int32_t)dispid);
    return true;
}

/* Whether Invoke's arguments, those by reference included, are or may be a password. */
static bool
hides_arguments(const struct pla_pdu *pdu)
{
    const char *const member = pdu->call->member;

    if (pla_shows_passwords()) {
        return false;
    }
    return member != NULL ? g_ascii_strcasecmp(member, "SetCredentials") == 0
                          : pla_is_collector_set(pdu->iface) || pdu->iface == &pla_dispatch_interface;
}

/* What a member's first argument says about the object, or about what the call returns. */
static void
note_arguments(struct pla_pdu *pdu, const struct oaut_variant *first, const struct oaut_variant *last)
{
    const char *const member = pdu->call->member;

    if (member == NULL) {
        return;
    }
    if (g_ascii_strcasecmp(member, "Item") == 0) {
        keep_index(pdu, first);
    } else if (first->is_integer && g_ascii_strcasecmp(member, "CreateDataCollector") == 0) {
        keep_type(pdu, (uint32_t)first->integer);
    } else if (first->is_text &&
        (is_label_member(member) || g_ascii_strcasecmp(member, "Query") == 0 ||
            (g_ascii_strcasecmp(member, "Commit") == 0 &&
                !(last->is_integer && (last->integer & PLA_VALIDATE_ONLY) != 0)))) {
        pdu->named = first->text;
    }
}

static bool
pla_param_read_names(struct pla_pdu *pdu, int hf)
{
    const char *name;
    const bool ok = dispatch_names(&pdu->o, hf, &name);

    if (name[0] != '\0') {
        pla_info_text(pdu, "name", name);
        if (pdu->learning) {
            pdu->call->member = line_text_copy(wmem_file_scope(), name, PLA_MAX_NAME);
        }
    }
    return ok;
}

static bool
read_dispids(struct pla_pdu *pdu, int hf)
{
    uint32_t count, first;

    if (!dispatch_numbers(&pdu->o, hf, true, &count, &first)) {
        return false;
    }
    if (count > 0) {
        pla_info(pdu, "DISPID", wmem_strdup_printf(pdu->o.ndr.pinfo->pool, "%d", (int32_t)first));
        pdu->has_dispid = true;
        pdu->dispid = (int32_t)first;
    }
    return true;
}

static bool
read_arguments(struct pla_pdu *pdu, int hf)
{
    struct oaut_variant first, last;
    const bool ok = dispatch_params(&pdu->o, hf, hides_arguments(pdu), &first, &last);

    note_arguments(pdu, &first, &last);
    return ok;
}

bool
pla_read_param(struct pla_pdu *pdu, const struct pla_param *param)
{
    const struct pla_field *const field = param->field;
    uint32_t count, first;

    switch (param->type) {
    case PLA_U32:
    case PLA_I32:
    case PLA_U64: return pla_param_read_number(pdu, param);
    case PLA_BOOL: return read_bool(pdu, field);
    case PLA_ENUM: return read_enum(pdu, field);
    case PLA_GUID: return pla_param_read_guid(pdu, field);
    case PLA_BSTR: return read_bstr(pdu, param);
    case PLA_STRINGS:
    case PLA_BYTES: return read_array(pdu, param);
    case PLA_VARIANT: return read_variant(pdu, param);
    case PLA_OBJECT: return pla_param_read_object(pdu, param);
    case PLA_DISPID: return read_dispid(pdu, field);
    case PLA_NAMES: return pla_param_read_names(pdu, field->hf);
    case PLA_DISPIDS: return read_dispids(pdu, field->hf);
    case PLA_VARREF_INDICES: return dispatch_numbers(&pdu->o, field->hf, false, &count, &first);
    case PLA_DISPPARAMS: return read_arguments(pdu, field->hf);
    case PLA_EXCEPINFO: return dispatch_excepinfo(&pdu->o, field->hf);
    case PLA_ELEMENTS: return oaut_varying_variants(&pdu->o, pdu->o.ndr.tree, field->name, element_shown);
    default: return oaut_variant_array(&pdu->o, hides_arguments(pdu) ? NULL : pdu->o.ndr.tree, field->name, NULL, NULL);
    }
}
