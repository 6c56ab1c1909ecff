/* methods-oaut.c
 * Tables of [MS-OAUT]: methods of IDispatch (3.1.4) and IEnumVARIANT (3.3.4), with the names of their IDL
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/method-table.h"

static int hf_pla_pctinfo = -1;
static int hf_pla_i_t_info = -1;
static int hf_pla_lcid = -1;
static int hf_pla_pp_t_info = -1;
static int hf_pla_riid = -1;
static int hf_pla_rgsz_names = -1;
static int hf_pla_c_names = -1;
static int hf_pla_rg_disp_id = -1;
static int hf_pla_disp_id_member = -1;
static int hf_pla_dw_flags = -1;
static int hf_pla_p_disp_params = -1;
static int hf_pla_p_var_result = -1;
static int hf_pla_p_excep_info = -1;
static int hf_pla_p_arg_err = -1;
static int hf_pla_c_var_ref = -1;
static int hf_pla_rg_var_ref_idx = -1;
static int hf_pla_rg_var_ref = -1;
static int hf_pla_celt = -1;
static int hf_pla_rg_var = -1;
static int hf_pla_p_celt_fetched = -1;
static int hf_pla_pp_enum = -1;

const struct pla_field pla_oaut_values[2] = {
    { &hf_pla_dw_flags, &pla_invoke_flags, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_celt, NULL, NULL, NULL, PLA_MOVES, NULL },
};

const struct pla_method pla_idispatch_methods[4] = {
    METHOD(3, "GetTypeInfoCount", RESULT(U32, hf_pla_pctinfo)),
    METHOD(4, "GetTypeInfo", ARG(U32, hf_pla_i_t_info), ARG(U32, hf_pla_lcid), RESULT(OBJECT, hf_pla_pp_t_info)),
    METHOD(5, "GetIDsOfNames", ARG(GUID, hf_pla_riid), ARG(NAMES, hf_pla_rgsz_names), ARG(U32, hf_pla_c_names),
        ARG(U32, hf_pla_lcid), RESULT(DISPIDS, hf_pla_rg_disp_id)),
    METHOD(6, "Invoke", ARG(DISPID, hf_pla_disp_id_member), ARG(GUID, hf_pla_riid), ARG(U32, hf_pla_lcid),
        ARG(U32, hf_pla_dw_flags), ARG(DISPPARAMS, hf_pla_p_disp_params), RESULT(VARIANT, hf_pla_p_var_result),
        RESULT(EXCEPINFO, hf_pla_p_excep_info), RESULT(U32, hf_pla_p_arg_err), ARG(U32, hf_pla_c_var_ref),
        ARG(VARREF_INDICES, hf_pla_rg_var_ref_idx), ARG(VARREFS, hf_pla_rg_var_ref),
        RESULT(VARREFS, hf_pla_rg_var_ref)),
};

/* Without the methods of IDispatch: IEnumVARIANT is derived from IUnknown. */
const struct pla_method pla_ienumvariant_methods[4] = {
    METHOD(3, "Next", ARG(U32, hf_pla_celt), RESULT(ELEMENTS, hf_pla_rg_var), RESULT(U32, hf_pla_p_celt_fetched)),
    METHOD(4, "Skip", ARG(U32, hf_pla_celt)),
    METHOD(5, "Reset", NO_PARAMS),
    METHOD(6, "Clone", RESULT(OBJECT, hf_pla_pp_enum)),
};

void
pla_oaut_methods_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_pctinfo,
            { "pctinfo", "pla.pctinfo", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of type descriptions that the object has: 0 or 1", HFILL } },
        { &hf_pla_i_t_info,
            { "iTInfo", "pla.i_t_info", FT_UINT32, BASE_DEC, NULL, 0, "Which type description is asked for", HFILL } },
        { &hf_pla_lcid, { "lcid", "pla.lcid", FT_UINT32, BASE_HEX, NULL, 0, "Language of the names (LCID)", HFILL } },
        { &hf_pla_pp_t_info,
            { "ppTInfo", "pla.pp_t_info", FT_STRING, BASE_NONE, NULL, 0, "Object that describes the type (ITypeInfo)",
                HFILL } },
        { &hf_pla_riid, { "riid", "pla.riid", FT_GUID, BASE_NONE, NULL, 0, "Reserved IID, always zero", HFILL } },
        { &hf_pla_rgsz_names,
            { "rgszNames", "pla.rgsz_names", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the method or property, then those of its arguments", HFILL } },
        { &hf_pla_c_names, { "cNames", "pla.c_names", FT_UINT32, BASE_DEC, NULL, 0, "Number of names", HFILL } },
        { &hf_pla_rg_disp_id,
            { "rgDispId", "pla.rg_disp_id", FT_INT32, BASE_DEC, NULL, 0, "DISPIDs of the names, in the same order",
                HFILL } },
        { &hf_pla_disp_id_member,
            { "dispIdMember", "pla.disp_id_member", FT_INT32, BASE_DEC, NULL, 0,
                "Number (DISPID) of the method or property", HFILL } },
        { &hf_pla_dw_flags,
            { "dwFlags", "pla.dw_flags", FT_UINT32, BASE_HEX, NULL, 0,
                "Whether a method is called, or a property is read or written", HFILL } },
        { &hf_pla_p_disp_params,
            { "pDispParams", "pla.p_disp_params", FT_NONE, BASE_NONE, NULL, 0, "Arguments of the call", HFILL } },
        { &hf_pla_p_var_result,
            { "pVarResult", "pla.p_var_result", FT_STRING, BASE_NONE, NULL, 0, "Result of the call", HFILL } },
        { &hf_pla_p_excep_info,
            { "pExcepInfo", "pla.p_excep_info", FT_NONE, BASE_NONE, NULL, 0, "Details of the error", HFILL } },
        { &hf_pla_p_arg_err,
            { "pArgErr", "pla.p_arg_err", FT_UINT32, BASE_DEC, NULL, 0, "Number of the argument that caused the error",
                HFILL } },
        { &hf_pla_c_var_ref,
            { "cVarRef", "pla.c_var_ref", FT_UINT32, BASE_DEC, NULL, 0, "Number of arguments passed by reference",
                HFILL } },
        { &hf_pla_rg_var_ref_idx,
            { "rgVarRefIdx", "pla.rg_var_ref_idx", FT_UINT32, BASE_DEC, NULL, 0,
                "Position of an argument that is passed by reference", HFILL } },
        { &hf_pla_rg_var_ref,
            { "rgVarRef", "pla.rg_var_ref", FT_NONE, BASE_NONE, NULL, 0, "Values of the arguments passed by reference",
                HFILL } },
        { &hf_pla_celt,
            { "celt", "pla.celt", FT_UINT32, BASE_DEC, NULL, 0, "Number of elements to return or skip", HFILL } },
        { &hf_pla_rg_var, { "rgVar", "pla.rg_var", FT_NONE, BASE_NONE, NULL, 0, "Elements that are returned", HFILL } },
        { &hf_pla_p_celt_fetched,
            { "pCeltFetched", "pla.p_celt_fetched", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of elements that are returned", HFILL } },
        { &hf_pla_pp_enum,
            { "ppEnum", "pla.pp_enum", FT_STRING, BASE_NONE, NULL, 0, "Copy of the enumerator", HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
}
