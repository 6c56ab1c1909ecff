/* oaut-dispatch.c
 * Parameters of IDispatch, [MS-OAUT] 3.1.4
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/win32-names.h"
#include "pla/oaut.h"

static int hf_pla_disp_params_c_args = -1;
static int hf_pla_disp_params_c_named_args = -1;
static int hf_pla_disp_params_named_arg = -1;
static int hf_pla_excep_info_code = -1;
static int hf_pla_excep_info_source = -1;
static int hf_pla_excep_info_description = -1;
static int hf_pla_excep_info_help_file = -1;
static int hf_pla_excep_info_help_context = -1;
static int hf_pla_excep_info_scode = -1;

/* Reads a conformant array's count. Returns 0 if its elements of 4 bytes do not fit into the stub. */
static uint32_t
count_of_four(struct orpc *o, const char *what)
{
    const uint32_t count = orpc_uint32(o, -1, what);

    return orpc_room(o, (uint64_t)count * 4, what) ? count : 0;
}

uint32_t
dispatch_names(struct orpc *o, int hf, const char **names)
{
    struct ndr *const n = &o->ndr;
    proto_tree *const parent = n->tree;
    const uint32_t count = count_of_four(o, "rgszNames");
    const int referents = n->offset;

    for (uint32_t i = 0; i < DISPATCH_MAX_NAMES; i++) {
        names[i] = "";
    }
    n->offset += (int)(count * 4);
    for (uint32_t i = 0; !o->failed && i < count; i++) {
        struct ndr_wstring string;
        const char *name;
        unsigned start;

        if (tvb_get_letohl(n->tvb, referents + (int)(i * 4)) == 0) {
            continue;
        }
        ndr_align(n, 4);
        if (!orpc_room(o, 12, "Name's counts")) {
            break;
        }
        n->tree = orpc_may_show(o) ? parent : NULL;
        start = (unsigned)n->offset;
        name = ndr_wstring(n, hf, &string);
        n->tree = parent;
        if (string.overrun) {
            orpc_malformed(o, start, (unsigned)n->offset - start, "Name is longer than the stub");
        } else if (i < DISPATCH_MAX_NAMES) {
            names[i] = name;
        }
    }
    return count;
}

uint32_t
dispatch_numbers(struct orpc *o, int hf, bool is_signed, uint32_t *numbers)
{
    struct ndr *const n = &o->ndr;
    const uint32_t count = count_of_four(o, "Array of numbers");

    for (uint32_t i = 0; i < count; i++, n->offset += 4) {
        const uint32_t value = perflib_tvb_get_uint32(n->tvb, n->offset, ndr_encoding(n));

        if (i < DISPATCH_MAX_NAMES) {
            numbers[i] = value;
        }
        if (n->tree != NULL && orpc_may_show(o)) {
            if (is_signed) {
                proto_tree_add_int(n->tree, hf, n->tvb, n->offset, 4, (int32_t)value);
            } else {
                proto_tree_add_uint(n->tree, hf, n->tvb, n->offset, 4, value);
            }
        }
    }
    return count;
}

/* Begins a structure as a part of the stub, under hf (FT_NONE). */
static struct orpc_part
enter_structure(struct orpc *o, int hf)
{
    ndr_align(&o->ndr, 4);
    return orpc_enter_item(o, orpc_item(o, hf, (unsigned)o->ndr.offset, 0));
}

void
dispatch_params(struct orpc *o, int hf, bool hide, struct dispatch_arguments *arguments)
{
    struct oaut_array array = { .variants = arguments->values, .room = DISPATCH_MAX_NAMES };
    const struct orpc_part part = enter_structure(o, hf);
    proto_tree *const tree = o->ndr.tree;
    const uint32_t values = orpc_referent(o, "DISPPARAMS rgvarg");
    const uint32_t named = orpc_referent(o, "DISPPARAMS rgdispidNamedArgs");
    const uint32_t count = orpc_uint32(o, hf_pla_disp_params_c_args, "DISPPARAMS cArgs");

    orpc_uint32(o, hf_pla_disp_params_c_named_args, "DISPPARAMS cNamedArgs");
    if (!o->failed && values != 0) {
        if (hide) {
            proto_item_append_text(part.item, ": %u arguments, hidden", count);
            o->ndr.tree = NULL;
        }
        oaut_variants(o, "Arguments, last first", false, &array);
        o->ndr.tree = tree;
    }
    arguments->count = array.count;
    if (named != 0) {
        arguments->num_named = dispatch_numbers(o, hf_pla_disp_params_named_arg, true, arguments->named);
    }
    orpc_leave(o, part);
}

void
dispatch_excepinfo(struct orpc *o, int hf)
{
    const int texts[] = { hf_pla_excep_info_source, hf_pla_excep_info_description, hf_pla_excep_info_help_file };
    const struct orpc_part part = enter_structure(o, hf);
    uint32_t referents[array_length(texts)], scode;

    orpc_uint16(o, hf_pla_excep_info_code, "EXCEPINFO wCode");
    orpc_uint16(o, -1, "EXCEPINFO wReserved");
    for (size_t i = 0; i < array_length(texts); i++) {
        referents[i] = orpc_referent(o, "EXCEPINFO string");
    }
    orpc_uint32(o, hf_pla_excep_info_help_context, "EXCEPINFO dwHelpContext");
    orpc_uint32(o, -1, "EXCEPINFO pvReserved");
    orpc_uint32(o, -1, "EXCEPINFO pfnDeferredFillIn");
    scode = orpc_uint32(o, hf_pla_excep_info_scode, "EXCEPINFO scode");
    for (size_t i = 0; !o->failed && i < array_length(texts); i++) {
        if (referents[i] != 0) {
            const struct oaut_bstr bstr = oaut_bstr_blob(o);

            if (bstr.end > bstr.start) {
                oaut_add_bstr(o, texts[i], &bstr);
            }
        }
    }
    if (!o->failed) {
        proto_item_append_text(part.item, ": 0x%08x", scode);
    }
    orpc_leave(o, part);
}

void
dispatch_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_disp_params_c_args,
            { "cArgs", "pla.disp_params.c_args", FT_UINT32, BASE_DEC, NULL, 0, "Number of arguments", HFILL } },
        { &hf_pla_disp_params_c_named_args,
            { "cNamedArgs", "pla.disp_params.c_named_args", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of arguments that are passed by name", HFILL } },
        { &hf_pla_disp_params_named_arg,
            { "rgdispidNamedArgs", "pla.disp_params.named_arg", FT_INT32, BASE_DEC, NULL, 0,
                "DISPID of an argument that is passed by name", HFILL } },
        { &hf_pla_excep_info_code,
            { "wCode", "pla.excep_info.code", FT_UINT16, BASE_DEC, NULL, 0, "Error code; 0 if scode contains the error",
                HFILL } },
        { &hf_pla_excep_info_source,
            { "bstrSource", "pla.excep_info.source", FT_STRING, BASE_NONE, NULL, 0, "Program that caused the error",
                HFILL } },
        { &hf_pla_excep_info_description,
            { "bstrDescription", "pla.excep_info.description", FT_STRING, BASE_NONE, NULL, 0,
                "Explanation of the error", HFILL } },
        { &hf_pla_excep_info_help_file,
            { "bstrHelpFile", "pla.excep_info.help_file", FT_STRING, BASE_NONE, NULL, 0,
                "Help file that explains the error", HFILL } },
        { &hf_pla_excep_info_help_context,
            { "dwHelpContext", "pla.excep_info.help_context", FT_UINT32, BASE_DEC, NULL, 0, "Topic in the help file",
                HFILL } },
        { &hf_pla_excep_info_scode,
            { "scode", "pla.excep_info.scode", FT_UINT32, BASE_HEX | BASE_EXT_STRING, &hresult_vals_ext, 0,
                "Error code (HRESULT); 0 if wCode contains the error", HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
}
