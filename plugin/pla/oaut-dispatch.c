/* oaut-dispatch.c
 * The parameters of IDispatch, [MS-OAUT] 3.1.4
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"
#include "base/win32-names.h"
#include "pla/oaut.h"

/* X(variable, title, filter, type, base, strings, mask, what it is) */
/* clang-format off */
#define DISPATCH_FIELDS(X) \
    X(num_args, "cArgs", "pla.disp_params.c_args", FT_UINT32, BASE_DEC, NULL, 0, NULL) \
    X(num_named_args, "cNamedArgs", "pla.disp_params.c_named_args", FT_UINT32, BASE_DEC, NULL, 0, NULL) \
    X(named_arg, "rgdispidNamedArgs", "pla.disp_params.named_arg", FT_INT32, BASE_DEC, NULL, 0, NULL) \
    X(code, "wCode", "pla.excep_info.code", FT_UINT16, BASE_DEC, NULL, 0, NULL) \
    X(source, "bstrSource", "pla.excep_info.source", FT_STRING, BASE_NONE, NULL, 0, NULL) \
    X(description, "bstrDescription", "pla.excep_info.description", FT_STRING, BASE_NONE, NULL, 0, NULL) \
    X(help_file, "bstrHelpFile", "pla.excep_info.help_file", FT_STRING, BASE_NONE, NULL, 0, NULL) \
    X(help_context, "dwHelpContext", "pla.excep_info.help_context", FT_UINT32, BASE_DEC, NULL, 0, NULL) \
    X(scode, "scode", "pla.excep_info.scode", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &hresult_vals_ext, 0, NULL)
/* clang-format on */
DISPATCH_FIELDS(FIELD_VARIABLE)

static int ett_dispatch = -1;

/* A conformant array's count, and room for its elements of 4 bytes. */
static bool
array_of_four(struct orpc *o, const char *what, uint32_t *count)
{
    return orpc_uint32(o, -1, what, count) && orpc_room(o, (uint64_t)*count * 4, what);
}

bool
dispatch_names(struct orpc *o, int hf, const char **first)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    uint32_t count;
    int referents;

    *first = "";
    if (!array_of_four(o, "rgszNames", &count)) {
        return false;
    }
    referents = n->offset;
    n->offset += (int)(count * 4);
    for (uint32_t i = 0; i < count; i++) {
        struct ndr_wstring string;
        const char *name;

        if (tvb_get_letohl(n->tvb, referents + (int)(i * 4)) == 0) {
            continue;
        }
        ndr_align(n, 4);
        if (!orpc_room(o, 12, "Name's counts")) {
            return false;
        }
        n->tree = orpc_may_show(o) ? parent : NULL;
        name = ndr_wstring(n, hf, &string);
        n->tree = parent;
        if (string.overrun) {
            return orpc_malformed(o, 0, "Name reaches beyond the stub");
        }
        if (i == 0) {
            *first = name;
        }
    }
    return true;
}

bool
dispatch_numbers(struct orpc *o, int hf, bool is_signed, uint32_t *count, uint32_t *first)
{
    struct ndr *const n = &o->ndr;

    *first = 0;
    if (!array_of_four(o, "Array of numbers", count)) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++, n->offset += 4) {
        const uint32_t value = perflib_tvb_get_uint32(n->tvb, n->offset, ndr_encoding(n));

        if (i == 0) {
            *first = value;
        }
        if (n->tree != NULL && orpc_may_show(o)) {
            if (is_signed) {
                proto_tree_add_int(n->tree, hf, n->tvb, n->offset, 4, (int32_t)value);
            } else {
                proto_tree_add_uint(n->tree, hf, n->tvb, n->offset, 4, value);
            }
        }
    }
    return true;
}

bool
dispatch_params(struct orpc *o, int hf, bool hide, struct oaut_variant *first, struct oaut_variant *last)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    proto_item *item;
    uint32_t arguments, named, num_arguments, num_named, unused;
    bool ok;

    *first = *last = (struct oaut_variant){ .text = "" };
    ndr_align(n, 4);
    item = proto_tree_add_item(parent, hf, n->tvb, n->offset, 0, ENC_NA);
    n->tree = item != NULL ? proto_item_add_subtree(item, ett_dispatch) : NULL;
    ok = orpc_referent(o, n->tree, "DISPPARAMS rgvarg", &arguments) &&
        orpc_referent(o, n->tree, "DISPPARAMS rgdispidNamedArgs", &named) &&
        orpc_uint32(o, hf_num_args, "DISPPARAMS cArgs", &num_arguments) &&
        orpc_uint32(o, hf_num_named_args, "DISPPARAMS cNamedArgs", &num_named);
    if (ok && arguments != 0) {
        if (hide) {
            proto_item_append_text(item, ": %u arguments, hidden", num_arguments);
        }
        /* The last argument comes first, [MS-OAUT] 2.2.33. */
        ok = oaut_variant_array(o, hide ? NULL : n->tree, "Arguments, last first", last, first);
    }
    if (ok && named != 0) {
        ok = dispatch_numbers(o, hf_named_arg, true, &num_named, &unused);
    }
    orpc_set_end(o, item);
    n->tree = parent;
    return ok;
}

bool
dispatch_excepinfo(struct orpc *o, int hf)
{
    const int texts[] = { hf_source, hf_description, hf_help_file };
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    uint32_t referents[array_length(texts)];
    proto_item *item;
    uint16_t code, reserved;
    uint32_t unused, scode = 0;
    bool ok;

    ndr_align(n, 4);
    item = proto_tree_add_item(parent, hf, n->tvb, n->offset, 0, ENC_NA);
    n->tree = item != NULL ? proto_item_add_subtree(item, ett_dispatch) : NULL;
    ok = orpc_uint16(o, hf_code, "EXCEPINFO wCode", &code) && orpc_uint16(o, -1, "EXCEPINFO wReserved", &reserved);
    for (size_t i = 0; i < array_length(texts); i++) {
        ok = ok && orpc_referent(o, n->tree, "EXCEPINFO string", &referents[i]);
    }
    ok = ok && orpc_uint32(o, hf_help_context, "EXCEPINFO dwHelpContext", &unused) &&
        orpc_uint32(o, -1, "EXCEPINFO pvReserved", &unused) &&
        orpc_uint32(o, -1, "EXCEPINFO pfnDeferredFillIn", &unused) &&
        orpc_uint32(o, hf_scode, "EXCEPINFO scode", &scode);
    for (size_t i = 0; ok && i < array_length(texts); i++) {
        struct oaut_bstr bstr;

        if (referents[i] != 0) {
            ok = oaut_bstr_blob(o, n->tree, &bstr);
            oaut_add_bstr(o, n->tree, texts[i], &bstr);
        }
    }
    if (ok) {
        proto_item_append_text(item, ": 0x%08x", scode);
    }
    orpc_set_end(o, item);
    n->tree = parent;
    return ok;
}

void
dispatch_register(int proto)
{
    static hf_register_info hf[] = { DISPATCH_FIELDS(FIELD_REGISTERED) };
    static int *ett[] = { &ett_dispatch };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
}
