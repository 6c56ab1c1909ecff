/* test_pla_hooks.c
 * What is learned of objects of [MS-PLA] under DCOM's own interfaces: calls by name, further IPIDs, activation
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla-calls.h"

static const e_guid_t null_guid;

/* Gives what was built to the hook of an operation. */
static int
hook_cut(dcerpc_call_value *call, bool response, unsigned size)
{
    struct ndr stub = stub_of(call, response, size);

    for (size_t i = 0; i < num_hooked; i++) {
        if (guid_cmp(hooked[i].uuid, &call->uuid) == 0 && hooked[i].opnum == call->opnum) {
            return (response ? hooked[i].response : hooked[i].request)(&stub);
        }
    }
    CHECK(false, "%u of %x is not hooked", call->opnum, call->uuid.data1);
    return 0;
}

static int
hook(dcerpc_call_value *call, bool response)
{
    return hook_cut(call, response, out.size);
}

/* An object that a native call made known. */
static void
know(const char *iface, uint32_t ipid)
{
    dcerpc_call_value *call =
        new_call(&interface_of(iface)->iid, strcmp(iface, "IDataCollectorSet") == 0 ? 61 : 12, ipid);

    begin_request();
    dissect(call, false);
}

static void
add_name(const char *name)
{
    const uint32_t units = (uint32_t)strlen(name) + 1;

    add_align(4);
    ADD(units, 0, units);
    add_text(name, 2);
}

/* [MS-OAUT] 3.1.4.3: one name, in the language 0x409. */
static dcerpc_call_value *
ask_for_name(uint32_t ipid, const char *name)
{
    dcerpc_call_value *call = new_call(&idispatch_iid, 5, ipid);

    begin_request();
    add_guid(&null_guid);
    ADD(1, 0x20000);
    add_name(name);
    add_align(4);
    ADD(1, 0x409);
    hook(call, false);
    return call;
}

static void
answer_with_dispid(dcerpc_call_value *call, uint32_t dispid, uint32_t hresult)
{
    begin_response();
    ADD(1, dispid, hresult);
    hook(call, true);
}

static void
add_variant(uint16_t vt, uint32_t discriminant)
{
    add_align(8);
    ADD(5, 0);
    add(vt, 2);
    add(0, 6);
    ADD(discriminant);
}

/* [MS-OAUT] 3.1.4.4: arguments of VT_I4 or VT_BSTR, the last first. */
struct argument {
    const char *text; /* NULL: the number */
    uint32_t number;
};

static dcerpc_call_value *
invoke(uint32_t ipid, uint32_t dispid, const struct argument *arguments, uint32_t count, uint32_t named)
{
    dcerpc_call_value *call = new_call(&idispatch_iid, 6, ipid);

    begin_request();
    ADD(dispid);
    add_guid(&null_guid);
    ADD(0x409, 1, count == 0 ? 0 : 0x20000, named == 0 ? 0 : 0x20004, count, named);
    if (count > 0) {
        ADD(count);
        for (uint32_t i = 0; i < count; i++) {
            ADD(0x30000 + i);
        }
    }
    for (uint32_t i = count; i-- > 0;) {
        add_variant(arguments[i].text != NULL ? 8 : 3, arguments[i].text != NULL ? 8 : 3);
        if (arguments[i].text != NULL) {
            add_bstr(arguments[i].text);
        } else {
            ADD(arguments[i].number);
        }
    }
    add_align(4);
    if (named != 0) {
        ADD(named);
        for (uint32_t i = 0; i < named; i++) {
            ADD((uint32_t)-3);
        }
    }
    /* cVarRef, rgVarRefIdx, rgVarRef */
    ADD(0, 0, 0);
    CHECK(hook(call, false) == (int)out.size, "the stub is left");
    return call;
}

/* 3.1.4.4: pVarResult of a text or an object, an EXCEPINFO of nothing, pArgErr, rgVarRef. */
static void
answer_invoke(dcerpc_call_value *call, const char *text, uint32_t object)
{
    begin_response();
    ADD(0x20000);
    if (text != NULL) {
        add_variant(8, 8);
        add_bstr(text);
    } else if (object != 0) {
        add_variant(9, 9);
        ADD(0x20004, 68, 68);
        add_objref(&idispatch_iid, object, object);
    } else {
        add_variant(3, 3);
        ADD(0);
    }
    add_align(4);
    ADD(0, 0, 0, 0, 0, 0, 0, 0); /* wCode, wReserved; three strings, help context, two that are reserved, scode */
    ADD(0, 0, 0);                /* pArgErr, rgVarRef, HRESULT */
    CHECK(hook(call, true) == (int)out.size, "the stub is left");
}

static void
test_dispatch(void)
{
    dcerpc_call_value *call;

    know("IDataCollectorSet", 1);
    call = ask_for_name(1, "DataCollectors");
    CHECK(asked_wireshark == 0, "Wireshark is asked");
    CHECK_TREE("GetIDsOfNames", "IDataCollectorSet under IDispatch 0+-1", "  [pla.opnum 0+0: 5]",
        "  [pla.interface 0+0: IDataCollectorSet]",
        wmem_strdup_printf(pinfo.pool, "  [pla.object.frame 0+0: %u]", pinfo.num - 1), "  pla.riid 32+16: 0",
        "  pla.rgsz_names 68+30: DataCollectors", "  pla.c_names 100+4: 1", "  pla.lcid 104+4: 1033");
    CHECK_INFO(", riid=00000000-0000-0000-0000-000000000000 name=\"DataCollectors\" cNames=1 lcid=1033");
    CHECK(strcmp(fake_columns[COL_PROTOCOL]->str, "PLA Set") == 0, "%s", fake_columns[COL_PROTOCOL]->str);
    /* From its counts on, the name is longer than the stub. */
    hook_cut(call, false, 68 + 28);
    CHECK_SHOWS("  expert 56+40\n    ! pla.malformed.structure: Name reaches beyond the stub");
    answer_with_dispid(call, 0x55, 0);
    CHECK_SHOWS("  pla.rg_disp_id 12+4: 85\n  pla.hresult 16+4: 0 = S_OK (0x00000000)");
    CHECK_INFO(", DISPID=85 -> S_OK");
    /* A failed one teaches nothing. */
    answer_with_dispid(ask_for_name(1, "Nothing"), 0x56, 0x80020006);
    call = invoke(1, 0x56, NULL, 0, 0);
    CHECK(strstr(fake_columns[COL_INFO]->str, ", DISPID=86 ") != NULL, "%s", fake_columns[COL_INFO]->str);

    call = invoke(1, 0x55, NULL, 0, 0);
    CHECK_SHOWS("  pla.disp_id_member 32+4: 85 (DataCollectors)\n    [pla.member 0+0: DataCollectors]");
    CHECK_SHOWS("  pla.p_disp_params 60+16\n"
                "    pla.disp_params.c_args 68+4: 0\n    pla.disp_params.c_named_args 72+4: 0\n"
                "  pla.c_var_ref 76+4: 0");
    CHECK(strstr(fake_columns[COL_INFO]->str, "=, member=DataCollectors ") != NULL, "%s", fake_columns[COL_INFO]->str);
    answer_invoke(call, NULL, 2);
    CHECK(strstr(fake_tree_text(), "(IDispatch") == NULL && strstr(fake_tree_text(), ", DataCollectors)") != NULL, "%s",
        fake_tree_text());
    CHECK_SHOWS("  pla.p_excep_info 116+32: 0x00000000\n    pla.excep_info.code 116+2: 0\n"
                "    pla.excep_info.help_context 132+4: 0\n    pla.excep_info.scode 144+4: 0");
    /* What it returned is known to be a collection. */
    call = invoke(2, 0, (const struct argument[]){ { NULL, 7 } }, 1, 0);
    CHECK(strcmp(fake_columns[COL_PROTOCOL]->str, "PLA Collectors") == 0, "%s", fake_columns[COL_PROTOCOL]->str);
    CHECK_SHOWS("  pla.disp_id_member 32+4: 0 (Item)\n    [pla.member 0+0: Item]");
    answer_invoke(call, NULL, 3);
    call = invoke(3, 0x60, NULL, 0, 0);
    CHECK_SHOWS("  [pla.object 0+0: DataCollectors[7]]");
    /* DISPIDs are signed; that of the enumerator is fixed. */
    invoke(2, (uint32_t)-4, NULL, 0, 0);
    CHECK_SHOWS("  pla.disp_id_member 32+4: -4 (_NewEnum)\n    [pla.member 0+0: _NewEnum]");
    answer_invoke(invoke(2, (uint32_t)-4, NULL, 0, 0), NULL, 7);
    /* The enumerator has no names of its own: its interface is of another library. */
    invoke(7, 0x61, NULL, 0, 0);
    CHECK(strcmp(fake_columns[COL_PROTOCOL]->str, "IDispatch") == 0, "%s", fake_columns[COL_PROTOCOL]->str);
    invoke(2, (uint32_t)-5, NULL, 0, 0);
    CHECK_SHOWS("  pla.disp_id_member 32+4: -5");
    /* By a key; by what kind it is made of. */
    answer_invoke(invoke(2, 0, (const struct argument[]){ { "k", 0 } }, 1, 0), NULL, 4);
    invoke(4, 0x60, NULL, 0, 0);
    CHECK_SHOWS("  [pla.object 0+0: DataCollectors[\"k\"]]");
    answer_with_dispid(ask_for_name(2, "createdatacollector"), 0x70, 0);
    answer_invoke(invoke(2, 0x70, (const struct argument[]){ { NULL, 3 } }, 1, 0), NULL, 5);
    invoke(5, 0x60, NULL, 0, 0);
    CHECK_SHOWS("  [pla.object 0+0: DataCollectors.collector (Alert)]");
    answer_with_dispid(ask_for_name(2, "Add"), 0x71, 0);
    answer_invoke(invoke(2, 0x71, (const struct argument[]){ { NULL, 3 } }, 1, 0), NULL, 6);
    invoke(6, 0x60, NULL, 0, 0);
    CHECK_SHOWS("  [pla.object 0+0: DataCollectors.Add]");
}

/* [MS-OAUT] 3.1.4.3 and .4 in full, and cut at every byte: what is missing is said once, and nothing is left. */
static void
test_dispatch_cut(void)
{
    static const struct {
        bool response;
        unsigned from;
        const char *items;
    } stubs[] = {
        { false, 36,
            "  pla.rgsz_names 72+10: Name\n  pla.rgsz_names 96+6: de\n  pla.c_names 104+4: 2\n"
            "  pla.lcid 108+4: 1033" },
        { true, 8,
            "  pla.rg_disp_id 12+4: 5\n  pla.rg_disp_id 16+4: -1\n"
            "  pla.hresult 20+4: 0 = S_OK (0x00000000)" },
        { true, 8,
            "  pla.p_excep_info 12+70: 0x80020009\n    pla.excep_info.code 12+2: 7\n"
            "    pla.excep_info.help_context 28+4: 3\n    pla.excep_info.scode 40+4: 2147614729\n"
            "    pla.excep_info.source 44+14: s\n    pla.excep_info.help_file 60+22: c:.hl\n"
            "  pla.p_arg_err 84+4: 1" },
        { false, 60, "    pla.disp_params.named_arg 140+4: -3\n  pla.c_var_ref 144+4: 0" },
        { false, 60, "  pla.c_var_ref 76+4: 1\n  pla.rg_var_ref_idx 84+4: 5" },
        { false, 36, "  pla.rgsz_names 72+6: de\n  pla.c_names 80+4: 2\n  pla.lcid 84+4: 1033" },
    };

    for (size_t i = 0; i < array_length(stubs); i++) {
        dcerpc_call_value *call = new_call(&idispatch_iid, i >= 2 && i <= 4 ? 6 : 5, 0x900 + (uint32_t)i);

        know(i >= 3 ? "IDataCollectorCollection" : "IDataCollectorSet", 0x900 + (uint32_t)i);
        begin_request();
        hook(call, false);
        switch (i) {
        case 0:
            call = new_call(&idispatch_iid, 5, 0x900);
            begin_request();
            add_guid(&null_guid);
            ADD(2, 0x20000, 0x20004);
            add_name("Name");
            out.size = 72 + 10;
            add_name("de");
            out.size = 96 + 6;
            add_align(4);
            ADD(2, 0x409);
            break;
        case 5:
            begin_request();
            add_guid(&null_guid);
            ADD(2, 0, 0x20004); /* the first is none */
            add_name("de");
            out.size = 72 + 6;
            add_align(4);
            ADD(2, 0x409);
            break;
        case 1:
            begin_response();
            ADD(2, 5, UINT32_MAX, 0);
            break;
        case 3: invoke(0x903, 0x60, (const struct argument[]){ { NULL, 1 }, { NULL, 2 } }, 2, 1); break;
        case 4:
            begin_request();
            ADD(0x60);
            add_guid(&null_guid);
            ADD(0x409, 1, 0, 0, 0, 0, 1, 1, 5, 1, 0x20000); /* no arguments; cVarRef, rgVarRefIdx, rgVarRef */
            add_variant(3, 3);
            ADD(7);
            break;
        default:
            begin_response();
            ADD(0);
            add(7, 2);
            add(0, 2);
            ADD(0x20000, 0, 0x20004, 3, 0, 0, 0x80020009, 1, 2, 1);
            add('s', 2);
            add_align(4);
            ADD(5, 10, 5);
            for (const char *c = "c:.hl"; *c != '\0'; c++) {
                add((uint8_t)*c, 2);
            }
            add_align(4);
            ADD(1, 0, 0);
            break;
        }
        CHECK(hook(call, stubs[i].response) == (int)out.size, "%zu: the stub is left", i);
        CHECK_SHOWS(stubs[i].items);
        for (unsigned size = stubs[i].from; size < out.size; size++) {
            const bool is_read = size + 4 > out.size && size % 4 == 0;

            CHECK(hook_cut(call, stubs[i].response, size) == (int)size, "%zu: %u bytes are left", i, size);
            CHECK(strstr(fake_tree_text(), "! pla.malformed.") != NULL || stubs[i].response || is_read,
                "%zu: %u bytes: %s", i, size, fake_tree_text());
            CHECK(g_strv_length(g_strsplit(fake_tree_text(), "! pla.malformed.", -1)) <= 2, "%zu: %u bytes: %s", i,
                size, fake_tree_text());
            /* EXCEPINFO's scode ends at 44, and its texts come then. */
            CHECK(size > 44 || strstr(fake_tree_text(), "pla.excep_info.source") == NULL, "%u bytes: %s", size,
                fake_tree_text());
        }
    }
}

/* Which argument, or which result, names an object. */
static void
test_names(void)
{
    static const struct {
        const char *member;
        struct argument arguments[3];
        uint32_t count;
        const char *result, *name;
    } cases[] = {
        { "Query", { { "Q", 0 }, { NULL, 0 } }, 2, NULL, "Q" },
        { "query", { { "Q", 0 } }, 1, NULL, "Q" },
        { "Query", { { NULL, 3 } }, 1, NULL, NULL },
        { "Commit", { { "C", 0 }, { NULL, 0 }, { NULL, 3 } }, 3, NULL, "C" },
        { "Commit", { { "C", 0 }, { NULL, 0 }, { NULL, 0x1001 } }, 3, NULL, NULL },
        { "Commit", { { "C", 0 } }, 1, NULL, "C" },
        { "Name", { { "N", 0 } }, 1, NULL, "N" },
        { "Key", { { "K", 0 } }, 1, NULL, "K" },
        { "Description", { { "D", 0 } }, 1, NULL, NULL },
        { "Name", { { NULL, 0 } }, 0, "R", "R" },
        { "Key", { { NULL, 0 } }, 0, "R", "R" },
        { "Description", { { NULL, 0 } }, 0, "R", NULL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const uint32_t ipid = 0x100 + (uint32_t)i;
        dcerpc_call_value *call;

        know("IDataCollectorSet", ipid);
        answer_with_dispid(ask_for_name(ipid, cases[i].member), 0x80, 0);
        call = invoke(ipid, 0x80, cases[i].arguments, cases[i].count, 0);
        answer_invoke(call, cases[i].result, 0);
        CHECK(told() != NULL && g_strcmp0(told()->set_name, cases[i].name) == 0, "%zu: %s", i, told()->set_name);
    }
}

/* DataCollectorSetStatus, [MS-PLA] 2.2.2.4: 0 is plaStopped. No other member of a set has it, nor others' Status. */
static void
test_status(void)
{
    static const struct {
        const char *iface, *member, *status;
    } cases[] = {
        { "IDataCollectorSet", "status", "Stopped" },
        { "IDataCollectorSet", "Duration", NULL },
        { "IDataCollectorSet", NULL, NULL },
        { "ISchedule", "Status", NULL },
    };

    for (uint32_t i = 0; i < array_length(cases); i++) {
        know(cases[i].iface, 0xc00 + i);
        if (cases[i].member != NULL) {
            answer_with_dispid(ask_for_name(0xc00 + i, cases[i].member), 0xd0 + i, 0);
        }
        answer_invoke(invoke(0xc00 + i, 0xd0 + i, NULL, 0, 0), NULL, 0);
        CHECK(told() != NULL && g_strcmp0(told()->status, cases[i].status) == 0, "%s: %s", cases[i].member,
            told()->status);
    }
}

/* Whether arguments are shown: none that are, or may be, a password. */
static void
test_passwords(void)
{
    static const struct {
        const char *iface, *member;
        bool is_hidden;
    } cases[] = {
        { "IDataCollectorSet", NULL, true },
        { "IDataCollectorSet", "SetCredentials", true },
        { "IDataCollectorSet", "setcredentials", true },
        { "IDataCollectorSet", "SetXml", false },
        { "IDataCollectorCollection", NULL, false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        for (int shown = 0; shown < 2; shown++) {
            const uint32_t ipid = 0x200 + 2 * (uint32_t)i + (uint32_t)shown, dispid = 0x90 + ipid;
            const bool is_hidden = cases[i].is_hidden && !shown;

            *password_preference = shown != 0;
            know(cases[i].iface, ipid);
            if (cases[i].member != NULL) {
                answer_with_dispid(ask_for_name(ipid, cases[i].member), dispid, 0);
            }
            invoke(ipid, dispid, (const struct argument[]){ { "me", 0 }, { "secret", 0 } }, 2, 1);
            CHECK((strstr(fake_tree_text(), "secret") == NULL) == is_hidden, "%zu: %s", i, fake_tree_text());
            CHECK((strstr(fake_tree_text(), "  pla.p_disp_params 60+124: 2 arguments, hidden\n") != NULL) == is_hidden,
                "%zu: %s", i, fake_tree_text());
            CHECK_SHOWS("    pla.disp_params.named_arg 180+4: -3");
        }
    }
    *password_preference = false;

    /* What is wrong with those that are hidden is said all the same. */
    begin_request();
    ADD(0x9f);
    add_guid(&null_guid);
    ADD(0x409, 1, 0x20000, 0, 1, 0, 1, 0x30000);
    add_variant(8, 3);
    add_bstr("secret");
    add_align(4);
    ADD(0, 0, 0);
    hook(new_call(&idispatch_iid, 6, 0x200), false);
    CHECK_SHOWS("  expert 104+4\n    ! pla.odd: VARIANT's union discriminant 0x3 does not go with its type 0x8");
    CHECK(strstr(fake_tree_text(), "secret") == NULL, "%s", fake_tree_text());
}

/* In a capture that began too late, who is asked for SetCredentials is taken for a set. */
static void
test_others(void)
{
    dcerpc_call_value *call = ask_for_name(0x300, "Name");

    CHECK(asked_wireshark == 1 && strcmp(fake_tree_text(), "") == 0 && told() == NULL, "an object of others");
    answer_with_dispid(call, 1, 0);
    CHECK(asked_wireshark == 1 && told() == NULL, "its answer");
    call = ask_for_name(0x301, "setcredentials");
    CHECK(asked_wireshark == 0 && strcmp(fake_columns[COL_PROTOCOL]->str, "IDispatch") == 0, "%s",
        fake_columns[COL_PROTOCOL]->str);
    CHECK(g_str_has_prefix(fake_tree_text(), "IDispatch under IDispatch 0+-1\n"), "%s", fake_tree_text());
    ask_for_name(0, "SetCredentials");
    CHECK(asked_wireshark == 1, "no object");
    know("IDataCollectorSet", 0x302);
    ask_for_name(0x302, "Name");
    is_on = false;
    ask_for_name(0x302, "Name");
    CHECK(asked_wireshark == 1, "switched off");
    is_on = true;
    call = ask_for_name(0x302, "Name");
    is_on = false;
    answer_with_dispid(call, 1, 0);
    CHECK(asked_wireshark == 1 && told() == NULL, "switched off before the answer");
    is_on = true;
    /* The answer to what was not seen. */
    answer_with_dispid(new_call(&idispatch_iid, 5, 0x302), 1, 0);
    CHECK(asked_wireshark == 1, "no request");
}

/* [MS-DCOM] 3.1.1.5.6.1.1: a request for so many interfaces, and its answer, with their IPIDs. */
static dcerpc_call_value *
query_interface(uint32_t ipid, const char *const *ifaces, uint32_t count)
{
    dcerpc_call_value *call = new_call(&iremunknown_iid, 3, 0x999);
    const e_guid_t id = { .data1 = ipid };

    begin_request();
    add_guid(&id);
    ADD(5);
    add(count, 2);
    add_align(4);
    ADD(count);
    for (uint32_t i = 0; i < count; i++) {
        add_guid(&interface_of(ifaces[i])->iid);
    }
    hook(call, false);
    CHECK(asked_wireshark == 1, "Wireshark shows it");
    return call;
}

/* 2.2.24: HRESULT, padding; flags, cPublicRefs, oxid, oid, ipid. */
static void
answer_query(dcerpc_call_value *call, const uint32_t *ipids, const uint32_t *hresults, uint32_t count, uint32_t hresult)
{
    begin_response();
    ADD(0x20000, count);
    add_align(8);
    for (uint32_t i = 0; i < count; i++) {
        const e_guid_t id = { .data1 = ipids[i] };

        ADD(hresults[i], 0, 0, 5, 0x1111, 0);
        add(UINT64_C(0x4200000000) + ipids[0], 8);
        add_guid(&id);
    }
    ADD(hresult);
    hook(call, true);
    CHECK(asked_wireshark == 1, "Wireshark shows it");
}

static const char *
interface_known(uint32_t ipid)
{
    const e_guid_t id = { .data1 = ipid };
    const struct pla_object *object = pla_object_find(&pinfo, &id);

    return object == NULL ? NULL : object->iface->name;
}

static void
test_query_interface(void)
{
    static const char *const ifaces[] = { "IDataCollectorSet", "ISchedule", "IDataManager" };
    const uint32_t fine[3] = { 0 }, second_failed[3] = { 0, 0x80004002, 1 };
    dcerpc_call_value *call;

    answer_query(query_interface(0x400, ifaces, 2), (const uint32_t[]){ 0x401, 0x402 }, fine, 2, 0);
    CHECK(g_strcmp0(interface_known(0x401), "IDataCollectorSet") == 0 && interface_known(0x403) == NULL, "%s",
        interface_known(0x401));
    {
        const e_guid_t id = { .data1 = 0x402 };
        const struct pla_object *object = pla_object_find(&pinfo, &id);

        CHECK(object != NULL && object->has_oid && object->oid == UINT64_C(0x4200000401), "an object");
        know("IFolderActionCollection", 0x409); /* the next packet is a call */
        CHECK(pla_object_interface(&pinfo, &id) == interface_of("ISchedule"), "what it stands for");
    }
    /* One of several that the object has not; more answers than questions; a failure of all. */
    answer_query(query_interface(0x410, ifaces, 3), (const uint32_t[]){ 0x411, 0x412, 0x413 }, second_failed, 3, 1);
    CHECK(interface_known(0x411) != NULL && interface_known(0x412) == NULL && interface_known(0x413) != NULL, "second");
    answer_query(query_interface(0x420, ifaces, 1), (const uint32_t[]){ 0x421, 0x422 }, fine, 2, 0);
    CHECK(interface_known(0x421) != NULL && interface_known(0x422) == NULL, "more than asked");
    query_interface(0x424, ifaces, 1);
    call = new_call(&iremunknown_iid, 3, 0x999);
    add_guid(&interface_of(ifaces[1])->iid); /* behind those that are counted */
    hook(call, false);
    answer_query(call, (const uint32_t[]){ 0x425, 0x426 }, fine, 2, 0);
    CHECK(interface_known(0x425) != NULL && interface_known(0x426) == NULL, "more than counted");
    answer_query(query_interface(0x430, ifaces, 1), (const uint32_t[]){ 0x431 }, fine, 1, 0x80070005);
    CHECK(interface_known(0x431) == NULL, "failed");
    /* A second answer; one without its request; cut anywhere. */
    call = query_interface(0x440, ifaces, 1);
    answer_query(call, (const uint32_t[]){ 0x441 }, fine, 1, 0);
    answer_query(call, (const uint32_t[]){ 0x442 }, fine, 1, 0);
    CHECK(interface_known(0x441) != NULL && interface_known(0x442) == NULL, "answered twice");
    begin_request();
    hook(call, false);
    answer_query(call, (const uint32_t[]){ 0x442 }, fine, 1, 0);
    CHECK(interface_known(0x442) == NULL, "seen again");
    answer_query(new_call(&iremunknown2_iid, 3, 0x999), (const uint32_t[]){ 0x443 }, fine, 1, 0);
    CHECK(interface_known(0x443) == NULL, "no request");
    for (unsigned cut = 1; cut < 60; cut++) {
        const uint32_t ipid = 0x450 + 2 * cut;

        call = query_interface(ipid, ifaces, 1);
        answer_query(new_call(&iremunknown2_iid, 3, 0x999), (const uint32_t[]){ ipid + 1 }, fine, 1, 0);
        hook_cut(call, true, out.size - cut);
        CHECK(asked_wireshark == 1 && interface_known(ipid + 1) == NULL, "cut by %u", cut);
    }
    /* A pointer to no results. */
    call = query_interface(0x446, ifaces, 1);
    answer_query(new_call(&iremunknown2_iid, 3, 0x999), (const uint32_t[]){ 0x447 }, fine, 1, 0);
    memset(out.bytes + 8, 0, 4);
    hook(call, true);
    CHECK(interface_known(0x447) == NULL, "no results");
    /* NDR64 is Wireshark's alone. */
    begin_request();
    call = new_call(&iremunknown_iid, 3, 0x999);
    call->flags = DCERPC_IS_NDR64;
    hook(call, false);
    CHECK(asked_wireshark == 1, "NDR64");
}

/* The bytes that name a class of [MS-PLA], 3.2.4.1 and others: all 16, wherever they stand. */
static void
test_classes(void)
{
    for (unsigned i = 0; i < pla_num_classes; i++) {
        for (unsigned at = 0; at < 4; at++) {
            begin();
            add(0, at);
            add_guid(&pla_classes[i].clsid);
            CHECK(pla_hooks_find_class(out.bytes, out.size) == &pla_classes[i], "%s", pla_classes[i].name);
            CHECK(pla_hooks_find_class(out.bytes, out.size - 1) == NULL, "%s, cut", pla_classes[i].name);
            out.bytes[out.size - 1] ^= 1;
            CHECK(pla_hooks_find_class(out.bytes, out.size) == NULL, "almost %s", pla_classes[i].name);
            add_guid(&pla_classes[0].clsid);
            CHECK(pla_hooks_find_class(out.bytes, out.size) == &pla_classes[0], "behind what is almost one");
        }
    }
}

/* Asks for a class. */
static dcerpc_call_value *
ask_for_class(unsigned number)
{
    dcerpc_call_value *call = new_call(&iactivation_iid, 0, 0);

    begin_request();
    add_guid(&pla_classes[number].clsid);
    hook(call, false);
    return call;
}

/* [MS-DCOM] 2.2.19.3: the port of a binding is its endpoint, in brackets, in UTF-16 with a terminator. */
static void
test_ports(void)
{
    static const struct {
        const char *bindings; /* of characters up to U+00FF; '~': '1' with another upper byte, '{': '[' with one */
        unsigned port;
    } cases[] = {
        { "10.0.0.1[49664]", 49664 },
        { "10.0.0.1[135]", 0 },
        { "10.0.0.1[136]", 136 },
        { "PC[0]", 0 },
        { "PC[]", 0 },
        { "PC[65535]", 65535 },
        { "PC[65536]", 0 },
        { "PC[4966x]", 0 },
        { "PC[4966", 0 },
        { "[x][1]", 1 },
        { "[1]", 1 },
        { "[9]", 9 },
        { "PC[1]x", 0 },
        { "PC{1]", 0 },
        { "PC[~]", 0 },
        { "PC[4~]", 0 },
        { "PC[4294967376]", 0 }, /* 2^32 + 80 */
        { "none", 0 },
        { "PC[", 0 },
        { "", 0 },
    };
    dcerpc_call_value *call = ask_for_class(0);

    for (size_t i = 0; i < array_length(cases); i++) {
        begin_response();
        for (const char *c = cases[i].bindings; *c != '\0'; c++) {
            add(*c == '~' ? 0x131 : *c == '{' ? 0x15b : (uint8_t)*c, 2);
        }
        add(0, 2);
        hook(call, true);
        CHECK(told_activation()->port == cases[i].port, "%s: %u", cases[i].bindings, told_activation()->port);
        hook_cut(call, true, out.size - 1);
        CHECK(told_activation()->port == 0, "%s, cut: %u", cases[i].bindings, told_activation()->port);
    }
    /* A reference at the end of the answer; one that is cut. */
    begin_response();
    add_objref(&interface_of(pla_classes[0].iface)->iid, 0x4400000000, 0xa00);
    out.size -= 4; /* [MS-DCOM] 2.2.18.4: the counts are all there is to it */
    CHECK(out.size == 8 + 68 - 4, "%u", out.size);
    hook(call, true);
    CHECK(interface_known(0xa00) == NULL, "cut");
    call = ask_for_class(0);
    begin_response();
    add_objref(&interface_of(pla_classes[0].iface)->iid, 0x4400000000, 0xa00);
    hook(call, true);
    CHECK(g_strcmp0(interface_known(0xa00), pla_classes[0].iface) == 0, "at the end");
    know("IFolderActionCollection", 0x409); /* the next packet is a call */
    CHECK(pla_object_interface(&pinfo, &(const e_guid_t){ .data1 = 0xa00 }) == interface_of(pla_classes[0].iface),
        "what it stands for");
}

/* An object of that OID and IPID, as an activation answers. */
static void
answer_activation(dcerpc_call_value *call, uint64_t oid, uint32_t ipid, uint32_t hresult)
{
    begin_response();
    add_objref(&interface_of(pla_classes[0].iface)->iid, oid, ipid);
    ADD(hresult);
    hook(call, true);
}

/* An answer teaches when it is read first, and where it says that an object was made. */
static void
test_activated_once(void)
{
    const e_guid_t ipid = { .data1 = 0xb00 };
    dcerpc_call_value *call = ask_for_class(0);
    struct pla_object *object;

    answer_activation(call, 0x4500000000, 0xb00, 0);
    object = pla_object_find(&pinfo, &ipid);
    CHECK(object != NULL && object->has_oid && object->oid == 0x4500000000, "an object");
    /* The IPID comes back as another object's. */
    answer_activation(ask_for_class(0), 0x4600000000, 0xb00, 0);
    object = pla_object_find(&pinfo, &ipid);
    CHECK(object != NULL && object->oid == 0x4600000000, "another");
    /* Somebody looks at the first answer once more. */
    answer_activation(call, 0x4500000000, 0xb00, 0);
    CHECK(pla_object_find(&pinfo, &ipid) == object && asked_wireshark == 1, "it stays the other's");

    answer_activation(ask_for_class(0), 0x4700000000, 0xb01, 0x80070005);
    CHECK(interface_known(0xb01) == NULL && told_activation()->hresult == 0x80070005, "none was made");
    answer_activation(ask_for_class(0), 0x4700000000, 0xb01, 0x00080012); /* CO_S_NOTALLINTERFACES */
    CHECK(interface_known(0xb01) != NULL && told_activation()->hresult == 0x00080012, "made, with fewer interfaces");
}

/* A class of ours named somewhere in the request; the objects and the port in the answer. */
static void
test_activation(void)
{

    for (unsigned i = 0; i < pla_num_classes; i++) {
        const struct pla_class *class = &pla_classes[i];
        const bool is_system = i & 1;
        dcerpc_call_value *call =
            new_call(is_system ? &iremotescmactivator_iid : &iactivation_iid, is_system ? 4 : 0, 0);
        const uint32_t ipid = 0x800 + 2 * i;
        const struct pla_call *state;

        begin_request();
        add(0, i);
        add_guid(&class->clsid);
        hook(call, false);
        CHECK(asked_wireshark == 1 && told_activation() != NULL &&
                strcmp(told_activation()->class_name, class->name) == 0 && !told_activation()->is_response &&
                !told_activation()->has_hresult && told_activation()->port == 0,
            "%s", class->name);
        state = (const struct pla_call *)rpc_notes_get(0)->state;
        CHECK(rpc_notes_get(0)->listener == &pla_listener && state->object == NULL &&
                strcmp(state->iface->name, class->iface) == 0 &&
                strcmp(state->activation, is_system ? "RemoteCreateInstance" : "RemoteActivation") == 0,
            "%s", class->name);
        begin_response();
        add(0, i);
        add_objref(&interface_of(class->iface)->iid, 0x4300000000 + ipid, ipid);
        add_objref(&idispatch_iid, 0x4300000000 + ipid, ipid + 1);
        add_text("10.0.0.1[49664]", 1);
        add_align(4);
        ADD(0x00070000 + i);
        add(0, i % 4);
        hook(call, true);
        CHECK(asked_wireshark == 1 && told_activation() != NULL && told_activation()->is_response &&
                told_activation()->has_hresult && told_activation()->hresult == 0x00070000 + i &&
                told_activation()->port == 49664,
            "%s: %u", class->name, told_activation()->port);
        CHECK(g_strcmp0(interface_known(ipid), class->iface) == 0 &&
                g_strcmp0(interface_known(ipid + 1), class->iface) == 0,
            "%s: %s", class->name, interface_known(ipid));
    }
    for (int i = 0; i < 3; i++) {
        dcerpc_call_value *call = new_call(&iactivation_iid, 0, 0);
        e_guid_t clsid = pla_classes[0].clsid;

        /* Another class of the same family; one that is cut; nobody listens. */
        clsid.data1 ^= i == 0 ? 0x80 : 0;
        begin_request();
        add_guid(&clsid);
        is_listening = i != 2;
        hook_cut(call, false, out.size - (i == 1));
        is_listening = true;
        CHECK(told_activation() == NULL && asked_wireshark == 1 && (rpc_notes_get(0) != NULL) == (i == 2), "case %d",
            i);
        if (i < 2) {
            hook(call, true);
            CHECK(told_activation() == NULL && asked_wireshark == 1, "case %d", i);
        } else {
            /* An answer too short for a code. */
            begin();
            add(0, 3);
            hook(call, true);
            CHECK(told_activation() != NULL && !told_activation()->has_hresult && told_activation()->port == 0,
                "short");
        }
    }
}

int
main(void)
{
    pla_begin();
    test_dispatch();
    test_dispatch_cut();
    test_names();
    test_status();
    test_passwords();
    test_others();
    test_query_interface();
    test_classes();
    test_ports();
    test_activated_once();
    test_activation();
    return check_result();
}
