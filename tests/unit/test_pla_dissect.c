/* test_pla_dissect.c
 * Calls of [MS-PLA] from stub to items, Info column and record: a parameter of every type, what it means, what it teaches
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#define BUILD_SIZE (32 + 16 + 2 * 50004) /* an XML of 50,001 tags and attributes */
#include "pla-calls.h"

#include <epan/dissectors/packet-dcom.h> /* needs those of packet-dcerpc.h */

/* The request of a method, up to its parameters, to an object that nothing is known of; of an answer, the same. */
static dcerpc_call_value *
ask(const char *iface, uint16_t opnum)
{
    static uint32_t ipid = 1000;

    begin_request();
    return new_call(&interface_of(iface)->iid, opnum, ipid++);
}

static uint32_t asked_in; /* the frame of the request */

static dcerpc_call_value *
answered(const char *iface, uint16_t opnum)
{
    dcerpc_call_value *call = ask(iface, opnum);

    dissect(call, false);
    asked_in = pinfo.num;
    begin_response();
    return call;
}

#define IFACE(name) "[pla.interface 0+0: " name "]"
#define OBJECT_IN   wmem_strdup_printf(pinfo.pool, "[pla.object.frame 0+0: %u]", asked_in)
#define S_OK_AT(at) "pla.hresult " #at "+4: 0 = S_OK (0x00000000)"

/* Numbers by unit, by what 0 means, by their field's type; where they stand: behind ORPCTHIS or ORPCTHAT. */
static void
test_numbers(void)
{
    static const struct {
        const char *iface;
        uint16_t opnum;
        bool is_answer;
        unsigned size;
        uint64_t value;
        const char *item, *info;
    } cases[] = {
        { "IDataCollectorSet", 9, false, 4, 60, "pla.duration 32+4: 60 s", "Duration=60 s" },
        { "IDataCollectorSet", 9, false, 4, 0, "pla.duration 32+4: 0 (no limit)", "Duration=0 (no limit)" },
        { "IDataCollectorSet", 9, false, 4, UINT32_MAX, "pla.duration 32+4: 4294967295 s", "Duration=4294967295 s" },
        { "IDataCollectorSet", 31, false, 4, 0, "pla.serial_number 32+4: 0", "SerialNumber=0" },
        { "IPerformanceCounterDataCollector", 39, false, 4, UINT32_MAX,
            "pla.sample_interval 32+4: 4294967295 (one sample only)", "SampleInterval=one sample only" },
        { "IPerformanceCounterDataCollector", 39, false, 4, 0, "pla.sample_interval 32+4: 0 s", "SampleInterval=0 s" },
        { "IFolderActionCollection", 7, true, 4, UINT32_MAX, "pla.count 8+4: 4294967295", "Count=4294967295" },
        { "IDataCollectorCollection", 7, true, 4, UINT32_MAX, "pla.count 8+4: -1", "Count=-1" },
        { "IDataCollector", 27, true, 4, UINT32_MAX - 4, "pla.index 8+4: -5", "Index=-5" },
        { "ITraceDataCollector", 63, true, 8, UINT64_MAX, "pla.session_id 8+8: 18446744073709551615",
            "SessionId=18446744073709551615" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        dcerpc_call_value *call =
            cases[i].is_answer ? answered(cases[i].iface, cases[i].opnum) : ask(cases[i].iface, cases[i].opnum);
        char info[100], end[100];

        add(cases[i].value, cases[i].size);
        if (cases[i].is_answer) {
            ADD(1);
        }
        CHECK(dissect(call, cases[i].is_answer) == (int)out.size, "%s", cases[i].info);
        snprintf(end, sizeof end, "pla.hresult %u+4: 1 = S_FALSE (0x00000001)", 8 + cases[i].size);
        CHECK_SHOWS(cases[i].item);
        if (cases[i].is_answer) {
            CHECK_SHOWS(end);
        }
        snprintf(info, sizeof info, "=, %s%s", cases[i].info, cases[i].is_answer ? " -> S_FALSE" : "");
        CHECK(strcmp(fake_columns[COL_INFO]->str, info) == 0, "%s, not %s", fake_columns[COL_INFO]->str, info);
        /* It needs nothing behind it; 4 bytes alone may be the code of a failure. */
        if (!cases[i].is_answer || cases[i].size == 8) {
            dissect_cut(call, cases[i].is_answer, (cases[i].is_answer ? 8 : 32) + cases[i].size);
            CHECK_SHOWS(cases[i].item);
        }
        /* Cut at any byte it is not read, which is said once, and nothing behind it is missed. */
        for (unsigned size = cases[i].is_answer ? 8 : 32; size < (cases[i].is_answer ? 8 : 32) + cases[i].size;
             size++) {
            CHECK(dissect_cut(call, cases[i].is_answer, size) == (int)size, "%s, %u bytes", cases[i].item, size);
            CHECK(strstr(fake_tree_text(), " needs ") != NULL || cases[i].is_answer, "%u: %s", size, fake_tree_text());
            CHECK(strstr(fake_tree_text(), cases[i].item) == NULL, "%u: %s", size, fake_tree_text());
        }
    }
}

/* A string of error information, [MS-DCOM] 2.2.21.3, at any place. NULL: none is sent. */
static void
add_error_string(const char *text)
{
    add(text == NULL ? 0 : 0xffffffff, 4);
    if (text != NULL) {
        add(99, 4);
        add(0, 4);
        add(strlen(text), 4);
        for (; *text != '\0'; text++) {
            add((uint8_t)*text, 2);
        }
    }
}

#define EXTENT_AT 28u

/*
 * ORPCTHAT with error information, [MS-DCOM] 2.2.13, 2.2.21.1 and 2.2.21.2, up to its strings; so many numbers stand
 * before it.
 */
static void
begin_error_info(unsigned lead)
{
    static const uint32_t extension[] = { 0x31c, 0, 0xc0, 0x46000000 }, error_object[] = { 0x31b, 0, 0xc0, 0x46000000 };

    begin();
    ADD(0, 0x20000, 1, 0, 0x20004, 1, 0x20008);
    ADD(0); /* max count of the extent: its data and what is behind them */
    add_u32s(extension, 4);
    ADD(0); /* its size */
    for (unsigned i = 0; i < lead; i++) {
        ADD(0x99);
    }
    ADD(0x574f454d, 4, 1, 2, 3, 4);
    add_u32s(error_object, 4);
    ADD(0, 0, 1, 0x77, 5, 6, 7, 8);
}

/* Ends it behind so many bytes of the extent, whatever stands behind these; the call fails. */
static bool
reads_error_info(dcerpc_call_value *call, unsigned size)
{
    unsigned end, room;

    add_align(4);
    end = out.size;
    room = end - EXTENT_AT - 24;
    memcpy(out.bytes + EXTENT_AT, &room, 4);
    memcpy(out.bytes + EXTENT_AT + 20, &size, 4);
    ADD(0x80070005);
    dissect(call, true);
    CHECK(strstr(fake_tree_text(), "pla.malformed.overrun") == NULL &&
            strstr(fake_tree_text(), "E_ACCESSDENIED") != NULL,
        "%s", fake_tree_text());
    out.size = end;
    return strstr(fake_tree_text(), "pla.malformed.structure: Error information ends within its strings") == NULL;
}

static void
test_error_info(void)
{
    /* Source, description and help file; "abc" ends within 4 bytes: what follows may stand there, or behind them. */
    static const struct {
        const char *texts[3];
        uint32_t between; /* unless 0: what is added behind each text of odd length */
    } cases[] = {
        { { "ab", "cdef", "gh" }, 0 },
        { { NULL, "cdef", NULL }, 0 },
        { { "abc", "de", "fgh" }, 0 },
        { { "abc", "de", "fgh" }, 0xeeee },
        { { "abc", NULL, "fgh" }, 0 },
        { { "abc", NULL, "fgh" }, 0xeeee },
        { { "abc", "d", NULL }, 0 },
        { { "abc", "d", NULL }, 0xeeee },
        { { NULL, NULL, "" }, 0 },
        { { "a", "", "" }, 0 },
        { { NULL, NULL, NULL }, 0 },
    };
    static const char *const fields[] = { "source", "description", "help_file" };
    const char *const hidden[] = { fake_hidden[0], fake_hidden[1] };
    dcerpc_call_value *call = answered("IDataCollectorSet", 8);

    fake_hidden[0] = fake_hidden[1] = NULL;
    for (size_t i = 0; i < array_length(cases); i++) {
        unsigned starts[3], size, at;

        begin_error_info(i % 3);
        at = out.size;
        for (unsigned j = 0; j < 3; j++) {
            add_error_string(cases[i].texts[j]);
            starts[j] = out.size - 2 * (cases[i].texts[j] == NULL ? 0 : (unsigned)strlen(cases[i].texts[j]));
            if (j < 2 && cases[i].between != 0 && (out.size & 2) != 0) {
                add(cases[i].between, 2);
            }
        }
        size = out.size - EXTENT_AT - 24;
        /* Behind it stands what would end it well. */
        add(0, 40);
        CHECK(reads_error_info(call, size), "%zu: broken: %s", i, fake_tree_text());
        for (unsigned j = 0; j < 3; j++) {
            const char *text = cases[i].texts[j],
                       *field = wmem_strdup_printf(pinfo.pool, "\n      pla.error_info.%s ", fields[j]);

            CHECK((strstr(fake_tree_text(), field) != NULL) == (text != NULL), "%zu: %s", i, fake_tree_text());
            CHECK(text == NULL ||
                    strstr(fake_tree_text(),
                        wmem_strdup_printf(pinfo.pool, "%s%u+%zu%s%s\n", field, starts[j], 2 * strlen(text),
                            text[0] == '\0' ? "" : ": ", text)) != NULL,
                "%zu: %s", i, fake_tree_text());
        }
        CHECK(strstr(fake_tree_text(),
                  wmem_strdup_printf(pinfo.pool, " pla.error_info.help_context %u+4: 119\n", at - 20)) != NULL &&
                strstr(fake_tree_text(), wmem_strdup_printf(pinfo.pool, " pla.error_info.iid %u+16: 5\n", at - 16)) !=
                    NULL,
            "%zu: %s", i, fake_tree_text());
        /* An empty description says nothing. */
        CHECK(cases[i].texts[1] == NULL || cases[i].texts[1][0] == '\0' ||
                strstr(fake_tree_text(),
                    wmem_strdup_printf(pinfo.pool, ": %s\n      dcom.objref.signature", cases[i].texts[1])) != NULL,
            "%zu: %s", i, fake_tree_text());
        CHECK(strstr(fake_tree_text(),
                  wmem_strdup_printf(pinfo.pool, "failed: E_ACCESSDENIED%s%s\n",
                      cases[i].texts[1] == NULL || cases[i].texts[1][0] == '\0' ? "" : ": ",
                      cases[i].texts[1] == NULL ? "" : cases[i].texts[1])) != NULL,
            "%zu: %s", i, fake_tree_text());
        for (unsigned less = 1; less <= EXTENT_AT + 24 + size - at; less++) {
            CHECK(!reads_error_info(call, size - less), "%zu: read of %u bytes less", i, less);
        }
    }
    /* Neither of the two values, and no room to align, or none that has it. */
    begin_error_info(0);
    add_error_string("abc");
    add(0xeeee, 4);
    add(0, 40);
    CHECK(!reads_error_info(call, out.size - 40 - EXTENT_AT - 24), "behind the end");
    begin_error_info(0);
    add(0xeeee, 4);
    add(0, 12);
    CHECK(!reads_error_info(call, out.size - EXTENT_AT - 24), "aligned");
    begin_error_info(0);
    for (unsigned i = 0; i < 4; i++) {
        add(0xeeee, 4);
    }
    CHECK(!reads_error_info(call, out.size - EXTENT_AT - 24), "four of them");
    CHECK(count_of(fake_tree_text(), "Error information ends") == 1, "%s", fake_tree_text());
    /* Other objects: of a byte less; without its signature; of another kind; of another class. */
    for (unsigned way = 0; way < 5; way++) {
        begin_error_info(0);
        add(0, 12);
        out.bytes[EXTENT_AT + 24 + (const uint8_t[]){ 0, 0, 0, 4, 24 }[way]] += way >= 2;
        reads_error_info(call, way < 2 ? 72 - way : out.size - EXTENT_AT - 24);
        CHECK((strstr(fake_tree_text(), "pla.error_info") != NULL) == (way == 0), "way %u: %s", way, fake_tree_text());
    }
    /* An extent that says to be longer than its room. */
    begin();
    ADD(0, 0x20000, 1, 0, 0x20004, 1, 0x20008, 4, 1, 2, 3, 4, 5, 0x99, 0x80070005);
    dissect(call, true);
    CHECK_SHOWS("    expert 48+4\n      ! pla.odd: ORPC_EXTENT size is above the room it was sent in");
    fake_hidden[0] = hidden[0];
    fake_hidden[1] = hidden[1];
}

/* ORPCTHAT with an array of no extents, [MS-DCOM] 2.2.13.1, takes 20 bytes: 4 more before a number of 8. */
static void
test_alignment(void)
{
    dcerpc_call_value *call = answered("ITraceDataCollector", 63);

    begin();
    ADD(0, 0x20000, 0, 0, 0, 0xeeeeeeee);
    add(5, 8);
    ADD(0);
    dissect(call, true);
    CHECK_TREE("aligned", IFACE("ITraceDataCollector"), OBJECT_IN, "pla.session_id 24+8: 5", S_OK_AT(32));
}

static void
test_bools(void)
{
    static const struct {
        uint16_t value;
        const char *item, *info;
    } cases[] = {
        { 0xffff, "pla.synchronous 32+2: true", "=, Synchronous=true" },
        { 1, "pla.synchronous 32+2: true\n  ! pla.odd: VARIANT_BOOL is neither 0x0000 nor 0xFFFF",
            "=, Synchronous=true" },
        { 0, "pla.synchronous 32+2: false", "=, Synchronous=false" },
    };
    dcerpc_call_value *call;

    for (size_t i = 0; i < array_length(cases); i++) {
        /* Start: one that does not wait is only queued when it is answered. */
        for (int failed = 0; failed < 2; failed++) {
            call = ask("IDataCollectorSet", 62);
            add(cases[i].value, 2);
            dissect(call, false);
            CHECK_TREE("Start", IFACE("IDataCollectorSet"), cases[i].item);
            CHECK(strcmp(fake_columns[COL_INFO]->str, cases[i].info) == 0, "%s", fake_columns[COL_INFO]->str);
            begin_response();
            ADD(failed ? 1 : 0);
            dissect(call, true);
            CHECK(strcmp(fake_columns[COL_INFO]->str,
                      failed                    ? "= -> S_FALSE"
                          : cases[i].value == 0 ? "= -> S_OK (queued)"
                                                : "= -> S_OK") == 0,
                "%s", fake_columns[COL_INFO]->str);
        }
    }
    /* Another flag says nothing of waiting. */
    call = ask("IDataCollectorSet", 25);
    add(0, 2);
    dissect(call, false);
    begin_response();
    ADD(0);
    dissect(call, true);
    CHECK_INFO(" -> S_OK");
}

/* 16 bits by the rules of NDR, 32 where a marshaller goes by the type library: [C706] 14.2.5.1 aside, both are met. */
static void
test_enums(void)
{
    static const struct {
        bool is_big;
        unsigned size;
        uint32_t value;
        const char *item, *width;
    } cases[] = {
        { false, 4, 1, "pla.resource_policy 32+4: 1 (plaDeleteOldest)", "[pla.enum.width 32+4: 32]" },
        { false, 2, 1, "pla.resource_policy 32+2: 1 (plaDeleteOldest)", "[pla.enum.width 32+2: 16]" },
        { false, 3, 1, "pla.resource_policy 32+2: 1 (plaDeleteOldest)", "[pla.enum.width 32+2: 16]" },
        { false, 4, 0xabcd0001, "pla.resource_policy 32+2: 1 (plaDeleteOldest)", "[pla.enum.width 32+2: 16]" },
        { false, 4, 0x10000, "pla.resource_policy 32+2: 0 (plaDeleteLargest)", "[pla.enum.width 32+2: 16]" },
        { true, 4, 0x0001abcd, "pla.resource_policy 32+2: 1 (plaDeleteOldest)", "[pla.enum.width 32+2: 16]" },
        { true, 4, 1, "pla.resource_policy 32+4: 1 (plaDeleteOldest)", "[pla.enum.width 32+4: 32]" },
        { false, 4, 0xffff,
            "pla.resource_policy 32+4: 65535 (none of ResourcePolicy)\n"
            "  ! pla.odd: Value is none of its enumeration's",
            "[pla.enum.width 32+4: 32]" },
        /* What stands behind it tells nothing of the width. */
        { false, 8, 1, "pla.resource_policy 32+4: 1 (plaDeleteOldest)", NULL },
    };
    dcerpc_call_value *call;

    for (size_t i = 0; i < array_length(cases); i++) {
        call = ask("IDataManager", 18);
        if (cases[i].is_big) {
            for (unsigned b = 0; b < 4; b++) {
                add(cases[i].value >> 8 * (3 - b), 1);
            }
        } else {
            add(cases[i].value, cases[i].size);
        }
        drep[0] = cases[i].is_big ? 0 : 0x10;
        CHECK(dissect(call, false) == (int)out.size, "%zu", i);
        drep[0] = 0x10;
        if (cases[i].width != NULL) {
            CHECK_TREE("enumeration", IFACE("IDataManager"), cases[i].item, cases[i].width);
        } else {
            CHECK_TREE("enumeration", IFACE("IDataManager"), cases[i].item);
        }
    }
    for (unsigned size = 32; size < 34; size++) {
        CHECK(dissect_cut(call, false, size) == (int)size, "%u", size);
        CHECK(strstr(fake_tree_text(), "ResourcePolicy needs 4 bytes; the stub has ") != NULL, "%s", fake_tree_text());
    }

    call = answered("IDataManager", 17);
    ADD(1, 0);
    dissect(call, true);
    CHECK_TREE("answer", IFACE("IDataManager"), OBJECT_IN, "pla.resource_policy 8+4: 1 (plaDeleteOldest)", S_OK_AT(12));
    CHECK_INFO(", ResourcePolicy=DeleteOldest -> S_OK");

    /* Flags, one of them without a name. */
    call = ask("ISchedule", 14);
    ADD(0x83);
    dissect(call, false);
    CHECK_TREE("flags", IFACE("ISchedule"), "pla.days 32+4: 131 (plaSunday|plaMonday|0x80)",
        "  pla.week_days.sunday 32+4: true", "  pla.week_days.monday 32+4: true", "  pla.week_days.tuesday 32+4: false",
        "  pla.week_days.wednesday 32+4: false", "  pla.week_days.thursday 32+4: false",
        "  pla.week_days.friday 32+4: false", "  pla.week_days.saturday 32+4: false", "[pla.enum.width 32+4: 32]");
    CHECK_INFO(", Days=Sunday|Monday|0x80");

    /* Combinations that have a name, and what is no flag at all. */
    static const struct {
        const char *iface;
        uint16_t opnum;
        uint32_t value;
        const char *item, *info;
    } flags[] = {
        { "ISchedule", 14, 0x7f, "pla.days 32+4: 127 (plaEveryday)", "=, Days=Everyday" },
        { "ISchedule", 14, 0, "pla.days 32+4: 0 (plaRunOnce)", "=, Days=RunOnce" },
        { "ISchedule", 14, 0x80, "pla.days 32+4: 128 (0x80)", "=, Days=0x80" },
        { "ISchedule", 14, 2, "pla.days 32+4: 2 (plaMonday)", "=, Days=Monday" },
    };
    for (size_t i = 0; i < array_length(flags); i++) {
        call = ask(flags[i].iface, flags[i].opnum);
        ADD(flags[i].value);
        dissect(call, false);
        CHECK_SHOWS(flags[i].item);
        CHECK(strcmp(fake_columns[COL_INFO]->str, flags[i].info) == 0, "%s", fake_columns[COL_INFO]->str);
    }

    /* Behind a text that ends off the boundary of 4, an enumeration of 16 bits that ends the stub. */
    call = ask("IDataCollectorSet", 60);
    add_bstr("AB");
    add_bstr("S");
    CHECK(out.size == 32 + 20 + 18, "%u", out.size);
    add(0x10, 2);
    dissect(call, false);
    CHECK_SHOWS("pla.mode 70+2: 16 (plaUpdateRunningInstance)");
    add(0, 4);
    dissect(call, false);
    CHECK_SHOWS("pla.mode 72+4: 0 (0x0)");
}

static void
test_texts(void)
{
    static const struct {
        const char *iface;
        uint16_t opnum;
        const char *text, *items, *info;
    } cases[] = {
        { "IDataCollectorSet", 11, "hello", "pla.description 32+26: hello", "Description=\"hello\"" },
        { "IDataCollectorSet", 11, "", "pla.description 32+16: (empty string)\n  [pla.bstr.nothing 32+16: 3]",
            "Description=\"\"" },
        { "IDataCollectorSet", 39, "yyyy", "pla.subdirectory_format_pattern 32+24: yyyy\n  [pla.pattern 0+0: year]",
            "SubdirectoryFormatPattern=\"yyyy\"" },
        { "IDataCollectorSet", 54, "D:", "pla.security 32+20: D:\n  ! pla.access", "Security=\"D:\"" },
        { "ITraceDataProvider", 23, "D:", "pla.sddl 32+20: D:\n  ! pla.access", "Sddl=\"D:\"" },
    };
    dcerpc_call_value *call;
    char pattern[300];

    for (size_t i = 0; i < array_length(cases); i++) {
        char info[100];

        call = ask(cases[i].iface, cases[i].opnum);
        add_bstr(cases[i].text);
        dissect(call, false);
        CHECK(g_str_has_suffix(fake_tree_text(), wmem_strdup_printf(pinfo.pool, "]\n%s\n", cases[i].items)),
            "%s, not %s", fake_tree_text(), cases[i].items);
        snprintf(info, sizeof info, "=, %s", cases[i].info);
        CHECK(strcmp(fake_columns[COL_INFO]->str, info) == 0, "%s", fake_columns[COL_INFO]->str);
    }
    /* The same when it is read: nobody is given rights. */
    call = answered("IDataCollectorSet", 53);
    add_bstr("D:");
    ADD(0);
    dissect(call, true);
    CHECK_TREE("Security (Get)", IFACE("IDataCollectorSet"), OBJECT_IN, "pla.security 8+20: D:", S_OK_AT(28));

    call = ask("IDataCollectorSet", 11);
    ADD(0);
    dissect(call, false);
    CHECK_TREE("no pointer", IFACE("IDataCollectorSet"), "pla.description 32+4: (NULL pointer)",
        "  [pla.bstr.nothing 32+4: 1]");
    CHECK_INFO(", Description=NULL");
    call = ask("IDataCollectorSet", 11);
    ADD(0x20000, 0, UINT32_MAX, 0);
    dissect(call, false);
    CHECK_TREE("null BSTR", IFACE("IDataCollectorSet"), "pla.description 32+16: (null BSTR)",
        "  [pla.bstr.nothing 32+16: 2]");
    CHECK_INFO(", Description=NULL");

    /* What is left of a text that reaches beyond the stub is shown; behind it nothing can be found. */
    call = ask("IDataCollectorSet", 58);
    ADD(0x20000, 9, 18, 9);
    add('U', 2);
    CHECK(dissect(call, false) == (int)out.size, "the rest is not left");
    CHECK_TREE("cut text", IFACE("IDataCollectorSet"), "expert 48+0",
        "  ! pla.malformed.overrun: BSTR text needs 18 bytes; the stub has 2 left", "pla.user 32+18: U");
    CHECK_INFO(", user=\"U\"");

    call = ask("IDataManager", 31);
    add_bstr("c:\\x.cab");
    add_bstr("d:\\");
    dissect(call, false);
    CHECK_TREE("files of the server", IFACE("IDataManager"), "pla.cab_filename 32+32: c:\\x.cab", "  ! pla.server_file",
        "pla.destination_path 64+22: d:\\", "  ! pla.server_file");
    CHECK_INFO(", CabFilename=\"c:\\x.cab\" DestinationPath=\"d:\\\"");

    /* Up to 256 characters a pattern is explained. */
    for (unsigned length = 256; length <= 257; length++) {
        memset(pattern, '-', length);
        pattern[length] = '\0';
        call = ask("IDataCollectorSet", 39);
        add_bstr(pattern);
        dissect(call, false);
        CHECK((strstr(fake_tree_text(), "pla.pattern") != NULL) == (length == 256), "%u", length);
    }
}

/* SetCredentials: what is hidden has no bytes, and is not said either. */
static void
test_passwords(void)
{
    dcerpc_call_value *call;

    for (int shown = 0; shown < 2; shown++) {
        *password_preference = shown != 0;
        call = ask("IDataCollectorSet", 58);
        add_bstr("me");
        add_bstr("secret");
        dissect(call, false);
        CHECK_TREE("SetCredentials", IFACE("IDataCollectorSet"), "pla.user 32+20: me",
            shown ? "pla.password 52+28: secret"
                  : "pla.password 52+0: () (hidden, 6 characters; see the protocol's preferences)",
            "  ! pla.credentials");
        CHECK_INFO(", user=\"me\"");
    }
    *password_preference = false;
    call = ask("IDataCollectorSet", 58);
    add_bstr("me");
    ADD(0);
    dissect(call, false);
    CHECK_TREE("no password", IFACE("IDataCollectorSet"), "pla.user 32+20: me", "pla.password 52+4: (NULL pointer)",
        "  [pla.bstr.nothing 52+4: 1]", "  ! pla.credentials");
    call = ask("IDataCollectorSet", 58);
    ADD(0);
    add_bstr("p");
    dissect(call, false);
    CHECK_SHOWS("pla.password 36+0: () (hidden, 1 characters; see the protocol's preferences)\n  ! pla.credentials");
    call = ask("IDataCollectorSet", 58);
    ADD(0, 0);
    dissect(call, false);
    CHECK_TREE("neither", IFACE("IDataCollectorSet"), "pla.user 32+4: (NULL pointer)", "  [pla.bstr.nothing 32+4: 1]",
        "pla.password 36+4: (NULL pointer)", "  [pla.bstr.nothing 36+4: 1]",
        "  ! pla.credentials: Neither user nor password: clears the stored credentials");
}

static void
test_xml(void)
{
    static const char xml[] = "<?xml encoding=\"UTF-16\"?><Set a='b'><Name>n</Name></Set>";
    dcerpc_call_value *call = ask("IDataCollectorSet", 64);
    GString *large;

    add_bstr(xml);
    dissect(call, false);
    CHECK(xml_read != NULL && strcmp(xml_read, "<?xml encoding=\"UTF-8\"?><Set a='b'><Name>n</Name></Set>") == 0, "%s",
        xml_read);
    CHECK(is_writable[COL_PROTOCOL] && is_writable[COL_INFO], "columns stay as they are");
    CHECK(strcmp(fake_columns[COL_INFO]->str,
              wmem_strdup_printf(pinfo.pool, "=, <Set> \"n\" (%u chars)", (unsigned)strlen(xml))) == 0,
        "%s", fake_columns[COL_INFO]->str);
    is_xml_too_deep = true;
    is_writable[COL_INFO] = false;
    dissect(call, false);
    CHECK_SHOWS("  ! pla.xml_too_large: The XML cannot be shown in full: too deep");
    CHECK(is_writable[COL_PROTOCOL] && !is_writable[COL_INFO], "columns stay as they are");
    is_xml_too_deep = false;
    is_writable[COL_INFO] = true;

    call = ask("IDataCollectorSet", 64);
    add_bstr("no element");
    dissect(call, false);
    CHECK(xml_read == NULL, "%s", xml_read);
    CHECK_INFO("");
    call = ask("IDataCollectorSet", 64);
    add_bstr("<a/>");
    dissect(call, false);
    CHECK(xml_read != NULL && strcmp(xml_read, "<a/>") == 0, "%s", xml_read);
    CHECK_INFO(", <a> (4 chars)");

    /* Up to 50,000 tags and attributes: more would make a tree of a million items. */
    large = g_string_new("<a>");
    while (large->len < 3 + 49999 - 1) {
        g_string_append(large, "=<");
    }
    for (unsigned markup = 49999; markup <= 50001; markup++) {
        call = ask("IDataCollectorSet", 64);
        add_bstr(large->str);
        dissect(call, false);
        CHECK((xml_read != NULL) == (markup <= 50000), "%u", markup);
        CHECK((strstr(fake_tree_text(), "\n  ! pla.xml_too_large\n") != NULL) == (markup > 50000), "%u", markup);
        g_string_append_c(large, '=');
    }
    g_string_free(large, TRUE);
}

/* [MS-OAUT] 2.2.30.10 of one dimension, after its outer referent. */
static void
begin_array(uint32_t sf, uint16_t size, uint16_t vt, uint32_t count)
{
    ADD(0x20000, 0x20004, 1);
    add(1, 2);
    add(vt != 0 ? 0x80 : 0, 2);
    ADD(size, (uint32_t)vt << 16, sf, count, 0x20008, count, 0, count);
}

static void
add_array_of_texts(const char *const *texts, uint32_t count)
{
    begin_array(8, 4, 8, count);
    for (uint32_t i = 0; i < count; i++) {
        ADD(0x30000 + i);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t chars = (uint32_t)strlen(texts[i]);

        add_align(4);
        ADD(chars, 2 * chars, chars);
        for (const char *c = texts[i]; *c != '\0'; c++) {
            add((uint8_t)*c, 2);
        }
    }
}

/* The items of the array's own fields are not this test's. */
static void
test_arrays(void)
{
    static const char *const features[] = { "auto", "static", "embedded", "fixedsize", "record", "have_iid",
        "have_vartype", "bstr", "unknown", "dispatch", "variant" };
    dcerpc_call_value *call = ask("IPerformanceCounterDataCollector", 35);

    fake_hidden[1] = "pla.safearray";
    add_array_of_texts((const char *const[]){ "\\\\PC\\Set(p/i#2)\\C", "none" }, 2);
    dissect(call, false);
    fake_hidden[1] = "ORPCTH";
    CHECK(strstr(fake_tree_text(), "PerformanceCounters (SAFEARRAY): 2 elements 32+") != NULL, "%s", fake_tree_text());
    CHECK_SHOWS("    [pla.path.computer 0+0: PC]\n    [pla.path.object 0+0: Set]\n    [pla.path.parent 0+0: p]\n"
                "    [pla.path.instance 0+0: i]\n    [pla.path.index 0+0: 2]\n    [pla.path.counter 0+0: C]");
    CHECK_SHOWS("  pla.performance_counters 136+20: none\n    ! pla.text_syntax");
    CHECK_INFO(", PerformanceCounters=\"\\\\PC\\Set(p/i#2)\\C\" (+1)");

    call = ask("IAlertDataCollector", 33);
    add_array_of_texts((const char *const[]){ "\\Set\\C<5", "\\Set\\C>x", "Set", "Set<7", "Set<x" }, 5);
    dissect(call, false);
    CHECK_SHOWS("  pla.alert_thresholds 100+28: \\Set\\C<5\n    [pla.threshold.path 0+0: \\Set\\C]\n      "
                "[pla.path.object 0+0: Set]\n"
                "      [pla.path.counter 0+0: C]\n    [pla.threshold.operator 0+0: <]\n"
                "    [pla.threshold.value 0+0: 5]");
    CHECK_SHOWS("    [pla.threshold.operator 0+0: >]\n    ! pla.text_syntax");
    CHECK_SHOWS("  pla.alert_thresholds 156+18: Set\n    ! pla.text_syntax");
    /* The path, or path and number, are wrong: said once, of what was sent. */
    CHECK_SHOWS("    [pla.threshold.path 0+0: Set]\n    [pla.threshold.operator 0+0: <]\n"
                "    [pla.threshold.value 0+0: 7]\n    ! pla.text_syntax");
    CHECK_SHOWS("    [pla.threshold.path 0+0: Set]\n    [pla.threshold.operator 0+0: <]\n    ! pla.text_syntax");
    CHECK_INFO(", AlertThresholds=\"\\Set\\C<5\" (+4)");

    /* 20,000 elements are shown; behind a text that can't be read nothing is, and only that is said. */
    for (unsigned broken = 0; broken < 2; broken++) {
        call = ask("IDataCollectorSet", 17);
        ADD(0x20000, 0x20004, 1);
        add(1, 2);
        add(0, 2);
        ADD(4, 0, 8, 20001, 0x20008, 20001, 0, 20001);
        for (uint32_t i = 0; i < 20001; i++) {
            ADD(broken ? 0x30000 + i : 0);
        }
        dissect(call, false);
        CHECK(count_of(fake_tree_text(), "  pla.keywords ") == (broken ? 0 : 20000), "%u",
            count_of(fake_tree_text(), "  pla.keywords "));
        CHECK((strstr(fake_tree_text(), "BSTR header needs") != NULL) == broken, "%u", broken);
        CHECK((strstr(fake_tree_text(), "Only the first 20000 array elements") != NULL) == !broken, "%u", broken);
        if (!broken) {
            CHECK_SHOWS("  pla.keywords 80+4: (NULL pointer)\n    [pla.bstr.nothing 80+4: 1]");
        }
    }
    call = ask("IDataCollectorSet", 17);
    add_array_of_texts((const char *const[]){ "one" }, 1);
    dissect(call, false);
    CHECK_INFO(", Keywords=\"one\"");
    /* The 11 flags of fFeatures, [MS-OAUT] 2.2.9, are details. */
    dcom_prefs_display_unmarshalling_details = true;
    fake_hidden[0] = "dcom.array";
    dissect(call, false);
    for (size_t i = 0; i < array_length(features); i++) {
        CHECK(strstr(fake_tree_text(), wmem_strdup_printf(pinfo.pool, "dcom.sa.features_%s ", features[i])) != NULL,
            "%s: %s", features[i], fake_tree_text());
    }
    fake_hidden[0] = "dcom.";
    dcom_prefs_display_unmarshalling_details = false;
    call = ask("IDataCollectorSet", 17);
    add_array_of_texts(NULL, 0);
    dissect(call, false);
    CHECK_INFO(", Keywords=(0 elements)");
    CHECK(strstr(fake_tree_text(), "Keywords (SAFEARRAY): 0 elements 32+") != NULL, "%s", fake_tree_text());
    call = ask("IDataCollectorSet", 17);
    ADD(0);
    dissect(call, false);
    CHECK_INFO(", Keywords=NULL");
    CHECK_SHOWS("Keywords (SAFEARRAY): NULL 32+4");

    call = ask("ITraceDataProvider", 20);
    begin_array(0x10, 1, 0x11, 3);
    add(0x030201, 3);
    dissect(call, false);
    CHECK_INFO(", FilterData=(3 bytes)");
    CHECK_SHOWS("  pla.filter_data 80+3: 010203");
    CHECK_SHOWS("FilterData (SAFEARRAY): 3 bytes 32+51");
}

/* [MS-OAUT] 2.2.29.1, after its referent; at 40 in a request. */
static void
begin_variant(uint16_t vt)
{
    add_align(4);
    ADD(0x20000);
    add_align(8);
    ADD(5, 0);
    add(vt, 2);
    add(0, 6);
    ADD(vt);
}

static void
test_variants(void)
{
    dcerpc_call_value *call = ask("ISchedule", 8);

    begin_variant(7);
    add_align(8);
    add(UINT64_C(0x3ff4000000000000), 8); /* 1.25: 1899-12-31, 6 o'clock */
    dissect(call, false);
    CHECK_SHOWS("StartDate (VT_DATE): 1899-12-31 06:00:00 32+40");
    CHECK_SHOWS("  pla.start_date 32+40: 1899-12-31");
    CHECK_INFO(", StartDate=\"1899-12-31\"");
    /* What is sent in place of a date is what it is. */
    call = ask("ISchedule", 8);
    begin_variant(3);
    ADD(5);
    dissect(call, false);
    CHECK_SHOWS("  pla.start_date 32+32: 5");
    call = ask("ISchedule", 12);
    begin_variant(7);
    add_align(8);
    add(UINT64_C(0x3ff4000000000000), 8);
    dissect(call, false);
    CHECK_SHOWS("  pla.start_time 32+40: 06:00:00");
    CHECK_INFO(", StartTime=\"06:00:00\"");
    call = ask("ISchedule", 12);
    begin_variant(3);
    ADD(5);
    dissect(call, false);
    CHECK_SHOWS("  pla.start_time 32+32: 5");
    call = ask("ISchedule", 12);
    ADD(0);
    dissect(call, false);
    CHECK_SHOWS("StartTime (VARIANT): NULL 32+4");
    CHECK_SHOWS("  pla.start_time 32+4: NULL");
    CHECK_INFO(", StartTime=NULL");

    /* What a number means is known of some codes, whatever they stand in, [MS-PLA] 2.2.2.11. */
    call = ask("IValueMapItem", 14);
    begin_variant(3);
    ADD(0x80300102);
    dissect(call, false);
    CHECK_SHOWS(
        "  pla.value 32+32: -2144337662 (PLA_E_DCS_SINGLETON_REQUIRED: exactly one data collector is required)\n"
        "    [pla.validation.hresult 32+32: 2150629634]\n"
        "    ! pla.validation_item: PLA_E_DCS_SINGLETON_REQUIRED: exactly one data collector is required");
    CHECK_INFO(", value=0x80300102 (PLA_E_DCS_SINGLETON_REQUIRED: exactly one data collector is required)");
    call = ask("IValueMapItem", 14);
    begin_variant(7);
    add_align(8);
    add(UINT64_C(0x3ff4000000000000), 8);
    dissect(call, false);
    CHECK_SHOWS("  pla.value 32+40: 1899-12-31 06:00:00");
    /* The same of an object that is not named. */
    call = new_call(&interface_of("IValueMapItem")->iid, 14, 0);
    begin_request();
    begin_variant(3);
    ADD(5);
    dissect(call, false);
    CHECK_INFO(", value=5");
    call = ask("IValueMapItem", 14);
    begin_variant(3);
    ADD(5);
    dissect(call, false);
    CHECK_SHOWS("  pla.value 32+32: 5");
    CHECK_INFO(", value=5");
    call = ask("IValueMapItem", 14);
    begin_variant(8);
    ADD(0x20004, 1, 2, 1);
    add('v', 2);
    dissect(call, false);
    CHECK_INFO(", value=\"v\"");
    call = ask("IValueMapItem", 14);
    begin_variant(8);
    ADD(0);
    dissect(call, false);
    CHECK_INFO(", value=NULL");
    CHECK_SHOWS("  pla.value 32+32: NULL");
    CHECK(dissect_cut(call, false, out.size - 1) == (int)out.size - 1, "cut");

    /* What is wrong stands in the innermost part it is wrong in: VARIANTs in a SAFEARRAY, the second lies. */
    call = ask("IValueMapItem", 14);
    begin_variant(0x200c);
    ADD(0x20004, 0x20008, 1, 1, 4, 0, 0xc, 2, 0x2000c, 2, 0, 2, 0x20010, 0x20014);
    for (uint32_t i = 0; i < 2; i++) {
        add_align(8);
        ADD(3, 0, 3, 0, i == 0 ? 3 : 8, 7 + i);
    }
    dissect(call, false);
    CHECK_SHOWS("  [0] VT_I4: 7 116+28\n  [1] VT_I4: 8 144+24\n    expert 160+4\n"
                "      ! pla.odd: VARIANT's union discriminant 0x8 does not go with its type 0x3");

    /* An object, which is not known to be returned by any member. */
    call = answered("IValueMapItem", 13);
    begin_variant(9);
    ADD(0x20004, 68, 68);
    add_objref(&(const e_guid_t){ .data1 = 0xabc }, 9, 9);
    ADD(0);
    dissect(call, true);
    CHECK_SHOWS("value (VT_DISPATCH): 00000009-0000-0000-0000-000000000000 (guid abc) 8+108");
    CHECK_INFO(", value=00000009-0000-0000-0000-000000000000 -> S_OK");
    CHECK(pla_object_find(&pinfo, &(const e_guid_t){ .data1 = 9 }) == NULL, "nothing is learned of it");
}

static void
check_record(const char *method, const char *set_name, const char *asked_name, const char *status)
{
    CHECK(told() != NULL && strcmp(told()->method_name, method) == 0, "%s: %s", method,
        told() == NULL ? "nothing" : told()->method_name);
    if (told() != NULL) {
        CHECK(g_strcmp0(told()->set_name, set_name) == 0 && g_strcmp0(told()->asked_name, asked_name) == 0 &&
                g_strcmp0(told()->status, status) == 0,
            "%s: %s, %s, %s", method, told()->set_name, told()->asked_name, told()->status);
    }
}

/* A set's name, what it returns, and what that returns, [MS-PLA] 3.2.4. */
static void
test_objects(void)
{
    const e_guid_t *set = &interface_of("IDataCollectorSet")->iid;
    dcerpc_call_value *call = new_call(set, 59, 1);

    begin_request();
    add_bstr("MySet");
    add_align(4);
    ADD(0);
    dissect(call, false);
    CHECK_TREE("Query", IFACE("IDataCollectorSet"), "pla.name 32+26: MySet", "pla.server 60+4: (NULL pointer)",
        "  [pla.bstr.nothing 60+4: 1]");
    check_record("Query", NULL, NULL, NULL);
    CHECK(!told()->is_response && told()->server != NULL && strcmp(told()->server, "PC") == 0 &&
            strcmp(told()->interface_name, "IDataCollectorSet") == 0,
        "record");
    begin_response();
    ADD(0);
    dissect(call, true);
    CHECK_INFO(" [MySet] -> S_OK");
    check_record("Query", "MySet", NULL, NULL);
    CHECK(told()->is_response && told()->has_hresult && told()->hresult == 0, "record");

    call = new_call(set, 7, 1);
    begin_request();
    dissect(call, false);
    CHECK_INFO(" [MySet]");
    answer_object(call, "IDataCollectorCollection", 2);
    CHECK_SHOWS("pla.data_collectors 8+80: 00000002-0000-0000-0000-000000000000 (IDataCollectorCollection, "
                "MySet.DataCollectors)\n"
                "  [pla.reference 0+0: MySet.DataCollectors]");
    CHECK_INFO(", DataCollectors=IDataCollectorCollection [MySet] -> S_OK");
    /* Shown again, nothing is learned anew, and the same is said. */
    pinfo.num -= 1;
    dissect(call, true);
    CHECK_INFO(", DataCollectors=IDataCollectorCollection [MySet] -> S_OK");

    /* CreateDataCollector: what it makes is called after its type. Item: after its place or its key. */
    call = new_call(&interface_of("IDataCollectorCollection")->iid, 15, 2);
    begin_request();
    ADD(3);
    dissect(call, false);
    CHECK_SHOWS("[pla.object 0+0: MySet.DataCollectors]");
    CHECK_INFO(", Type=Alert [MySet.DataCollectors]");
    answer_object(call, "IAlertDataCollector", 3);
    CHECK_SHOWS("  [pla.reference 0+0: MySet.DataCollectors.collector (Alert)]");

    call = new_call(&interface_of("IDataCollectorCollection")->iid, 8, 2);
    begin_request();
    begin_variant(3);
    ADD(2);
    dissect(call, false);
    CHECK_INFO(", Index=2 [MySet.DataCollectors]");
    answer_object(call, "IDataCollector", 4);
    CHECK_SHOWS("  [pla.reference 0+0: MySet.DataCollectors[2]]");

    call = new_call(&interface_of("IDataCollectorCollection")->iid, 8, 2);
    begin_request();
    begin_variant(8);
    ADD(0x20004, 1, 2, 1);
    add('k', 2);
    dissect(call, false);
    CHECK_INFO(", Index=\"k\" [MySet.DataCollectors]");
    answer_object(call, "IDataCollector", 5);
    CHECK_SHOWS("  [pla.reference 0+0: MySet.DataCollectors[\"k\"]]");

    /* Add: a request refers to what was known when it came, whenever it is shown. */
    call = new_call(&interface_of("IDataCollectorCollection")->iid, 10, 2);
    for (int shown = 0; shown < 2; shown++) {
        dcerpc_call_value *item = new_call(&interface_of("IDataCollectorCollection")->iid, 8, 2);

        begin_request();
        add_pointer("IDataCollector", 0x730, 0x730);
        dissect(call, false);
        CHECK(strstr(fake_tree_text(), "pla.reference") == NULL, "%d: %s", shown, fake_tree_text());
        begin_request();
        begin_variant(3);
        ADD(9);
        dissect(item, false);
        answer_object(item, "IDataCollector", 0x730);
        CHECK_SHOWS("  [pla.reference 0+0: MySet.DataCollectors[9]]");
    }

    /* No pointer; one without an IPID, of OBJREF_CUSTOM; of an interface that is none of [MS-PLA]'s. */
    call = new_call(set, 7, 1);
    begin_request();
    dissect(call, false);
    begin_response();
    ADD(0, 0);
    dissect(call, true);
    CHECK_SHOWS("pla.data_collectors 8+4: NULL");
    CHECK_INFO(", DataCollectors=NULL [MySet] -> S_OK");
    begin_response();
    ADD(0x20000, 68, 68);
    add_objref(&(const e_guid_t){ .data1 = 0xabc }, 6, 6);
    ADD(0);
    dissect(call, true);
    CHECK_SHOWS("pla.data_collectors 8+80: 00000006-0000-0000-0000-000000000000 (guid abc)");
    CHECK_INFO(", DataCollectors=00000006-0000-0000-0000-000000000000 [MySet] -> S_OK");
    out.bytes[24] = 4;
    dissect(call, true);
    CHECK(strstr(fake_tree_text(), ": OBJREF without IPID (guid abc)\n") != NULL, "%s", fake_tree_text());

    call = new_call(set, 33, 1);
    begin_request();
    dissect(call, false);
    begin_response();
    ADD(1, 0);
    dissect(call, true);
    CHECK_SHOWS("pla.status 8+4: 1 (plaRunning)");
    check_record("Status (Get)", "MySet", NULL, "Running");
}

/* What names a set: text that was read to its end, and that of its name. */
static void
test_names(void)
{
    static const struct {
        const char *name, *server, *learned;
        unsigned cut;
    } cases[] = {
        { "N", "PC2", "N", 0 },
        { "", "PC2", NULL, 0 },
        { "N", "", "N", 0 },
        { "Name", NULL, NULL, 2 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        dcerpc_call_value *call = ask("IDataCollectorSet", 59);

        add_bstr(cases[i].name);
        if (cases[i].server != NULL) {
            add_bstr(cases[i].server);
        }
        dissect_cut(call, false, out.size - cases[i].cut);
        begin_response();
        ADD(0);
        dissect(call, true);
        CHECK(told() != NULL && g_strcmp0(told()->set_name, cases[i].learned) == 0, "%zu: %s", i, told()->set_name);
    }
}

/* Commit: a name counts where the set was saved under it, and by what it would have been called if it failed. */
static void
test_commit(void)
{
    static const struct {
        uint32_t mode, hresult;
        const char *name, *asked;
    } cases[] = {
        { 3, 0, "New", NULL },
        { 0x1001, 0, NULL, NULL }, /* plaValidateOnly */
        { 1, 0x803000b7, NULL, "New" },
        { 0x1001, 0x803000b7, NULL, NULL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        dcerpc_call_value *call = ask("IDataCollectorSet", 60);

        add_bstr("New");
        ADD(0);
        add_align(4);
        ADD(cases[i].mode);
        dissect(call, false);
        begin_response();
        ADD(0, cases[i].hresult);
        dissect(call, true);
        check_record("Commit", cases[i].name, cases[i].asked, NULL);
        CHECK(told()->hresult == cases[i].hresult, "%x", told()->hresult);
        CHECK((strstr(fake_tree_text(), "\npla.validation 8+4: NULL\npla.hresult 12+4: ") != NULL), "%s",
            fake_tree_text());
        CHECK((strstr(fake_tree_text(),
                   ", a data collector set of that name exists\n  ! pla.failed: Commit failed: "
                   "PLA_E_DCS_ALREADY_EXISTS\n") != NULL) == (cases[i].hresult != 0),
            "%s", fake_tree_text());
    }
}

/* A value map of HRESULTs, [MS-PLA] 2.2.2.11, and of keywords: what its numbers mean. */
static void
test_value_maps(void)
{
    static const struct {
        const char *iface;
        uint16_t opnum;
        bool has_args;
        const char *item;
    } returns[] = {
        { "IDataCollectorSet", 64, true,
            "pla.value 32+32: 5 (0x00000005)\n    [pla.validation.hresult 32+32: 5]\n"
            "    ! pla.validation_item: 0x00000005" },
        { "ITraceDataProvider", 12, false, "pla.value 32+32: 5 (0x5)" },
        { "ITraceDataProvider", 13, false, "pla.value 32+32: 5 (0x5)" },
        { "ITraceDataProvider", 11, false, "pla.value 32+32: 5" },
    };

    for (size_t i = 0; i < array_length(returns); i++) {
        dcerpc_call_value *call = ask(returns[i].iface, returns[i].opnum);
        const uint32_t map = 0x500 + 2 * (uint32_t)i;

        if (returns[i].has_args) {
            add_bstr("<a/>");
        }
        dissect(call, false);
        answer_object(call, "IValueMap", map);
        /* Its own value, and that of an item of it. */
        for (uint32_t object = map; object <= map + 1; object++) {
            call = new_call(&interface_of(object == map ? "IValueMap" : "IValueMapItem")->iid, object == map ? 13 : 14,
                object);
            begin_request();
            begin_variant(3);
            ADD(5);
            dissect(call, false);
            CHECK_SHOWS(wmem_strdup_printf(pinfo.pool, "  %s", returns[i].item));
            call = new_call(&interface_of("IValueMap")->iid, 8, map);
            begin_request();
            begin_variant(3);
            ADD(0);
            dissect(call, false);
            answer_object(call, "IValueMapItem", map + 1);
        }
    }
    /* Of a validation, an item that the client makes: what it says is nothing that was found. */
    dcerpc_call_value *call = new_call(&interface_of("IValueMap")->iid, 20, 0x500);
    begin_request();
    dissect(call, false);
    answer_object(call, "IValueMapItem", 0x510);
    call = new_call(&interface_of("IValueMapItem")->iid, 14, 0x510);
    begin_request();
    begin_variant(3);
    ADD(5);
    dissect(call, false);
    CHECK_SHOWS("  pla.value 32+32: 5");
}

/* What a collection's enumerator returns comes from the collection: that of test_objects(). */
static void
test_enumerators(void)
{
    dcerpc_call_value *call = new_call(&interface_of("IDataCollectorCollection")->iid, 9, 2);

    begin_request();
    dissect(call, false);
    answer_object(call, "IEnumVARIANT", 0x601);
    call = new_call(&interface_of("IEnumVARIANT")->iid, 3, 0x601);
    begin_request();
    ADD(2);
    dissect(call, false);
    CHECK_INFO(", celt=2 [MySet.DataCollectors._NewEnum]");
    check_record("Next", "MySet", NULL, NULL);
    /* Three places: an object, of which no interface of [MS-PLA] is named, no object, nothing. */
    begin_response();
    ADD(3, 0, 3, 0x20000, 0x20004, 0);
    ADD(5, 0, 9, 0, 9, 0x20008, 68, 68);
    add_objref(&(const e_guid_t){ .data1 = 0xabc }, 0x602, 0x602);
    add_align(8);
    ADD(5, 0, 9, 0, 9, 0);
    ADD(2, 0);
    dissect(call, true);
    CHECK_SHOWS("  [0] VT_DISPATCH: 00000602-0000-0000-0000-000000000000 (guid abc, MySet.DataCollectors[?]) 32+100\n"
                "    DUALSTRINGARRAY 128+4\n"
                "    [pla.reference 0+0: MySet.DataCollectors[?]]");
    CHECK_SHOWS("  [1] VT_DISPATCH: NULL 132+28");
    CHECK_SHOWS("pla.p_celt_fetched 160+4: 2");
    call = new_call(&interface_of("IDataCollector")->iid, 27, 0x602);
    begin_request();
    dissect(call, false);
    CHECK_SHOWS("[pla.object 0+0: MySet.DataCollectors[?]]");
    /* Enumerators may be anybody's: such are read, and not counted. */
    call = ask("IEnumVARIANT", 3);
    ADD(2);
    dissect(call, false);
    CHECK(told() == NULL, "an enumerator of others");
    CHECK_INFO(", celt=2");
    begin_response();
    ADD(1, 0, 1, 0x20000);
    ADD(5, 0, 9, 0, 9, 0x20008, 68, 68);
    add_objref(&(const e_guid_t){ .data1 = 0xabc }, 0x603, 0x603);
    ADD(1, 0);
    dissect(call, true);
    CHECK(told() == NULL, "its answer");
    CHECK_SHOWS("pla.p_celt_fetched 124+4: 1");
    call = new_call(&interface_of("IEnumVARIANT")->iid, 3, 0);
    dissect(call, true);
    CHECK_SHOWS("pla.p_celt_fetched 124+4: 1");
}

/* Stubs that are not as they should be. */
static void
test_stubs(void)
{
    dcerpc_call_value *call = ask("IDataCollector", 8);

    ADD(1, 2);
    CHECK(dissect(call, false) == 40, "the stub is left");
    CHECK_TREE("not on the wire", IFACE("IDataCollector"), "pla.stub 32+8: 0100000002000000",
        "  ! pla.not_on_wire: Opnum 8 is not used on the wire (locally put_DataCollectorSet)");

    /* NDR64 is not read, but for the code that ends it. */
    call = ask("IDataCollectorSet", 9);
    call->flags = DCERPC_IS_NDR64;
    ADD(60);
    CHECK(dissect(call, false) == 36, "the stub is left");
    CHECK_TREE("NDR64", IFACE("IDataCollectorSet"), "expert 0+36", "  ! pla.ndr64");
    CHECK_INFO("");
    call = ask("IDataCollector", 8);
    call->flags = DCERPC_IS_NDR64;
    ADD(60);
    dissect(call, false);
    CHECK_TREE("NDR64 alone", IFACE("IDataCollector"), "expert 0+36", "  ! pla.ndr64");
    call = ask("IDataCollectorSet", 9);
    call->flags = DCERPC_IS_NDR64;
    ADD(60);
    dissect(call, false);
    begin_response();
    ADD(0, 0, 0x80070005);
    add(0, 3);
    CHECK(dissect(call, true) == 20 + 3, "what it is padded with");
    CHECK_SHOWS("expert 0+23\n  ! pla.ndr64\n"
                "pla.hresult 16+4: 2147942405 = E_ACCESSDENIED (0x80070005)\n"
                "  ! pla.hresult.found\n"
                "  ! pla.failed: Duration (Put) failed: E_ACCESSDENIED");
    CHECK_INFO(" -> E_ACCESSDENIED");

    begin_response();
    ADD(0x80070005);
    dissect(call, true);
    CHECK_SHOWS("pla.hresult 8+4: 2147942405 = E_ACCESSDENIED (0x80070005)");
    CHECK(dissect_cut(call, true, 11) == 11 && strstr(fake_tree_text(), "pla.hresult") == NULL, "%s", fake_tree_text());

    /* Invoke's DISPID is cut. */
    call = ask("IDataCollectorSet", 6);
    add(1, 2);
    dissect(call, false);
    CHECK_SHOWS("  ! pla.malformed.overrun: dispIdMember needs 4 bytes; the stub has 2 left");
    CHECK_INFO("");

    /* The answer to a request that is missing. */
    begin_response();
    ADD(5, 0);
    call = new_call(&interface_of("IDataCollectorSet")->iid, 8, 0x700);
    dissect(call, true);
    CHECK_TREE("no request", "expert 0+0", "  ! pla.no_request", IFACE("IDataCollectorSet"), "pla.duration 8+4: 5 s",
        S_OK_AT(12));
    dissect(call, true);
    CHECK(strstr(fake_tree_text(), "pla.no_request") == NULL, "said once a call: %s", fake_tree_text());
    CHECK(strstr(fake_tree_text(), "pla.object") == NULL, "whose it is the request would tell: %s", fake_tree_text());
    answer_object(new_call(&interface_of("IDataCollectorSet")->iid, 7, 0), "IDataCollectorCollection", 0x720);
    CHECK_SHOWS("pla.data_collectors 8+80: 00000720-0000-0000-0000-000000000000 (IDataCollectorCollection)");
    /* A call that says no object is of none. */
    call = new_call(&interface_of("IDataCollectorSet")->iid, 8, 0);
    begin_request();
    dissect(call, false);
    begin_response();
    ADD(5, 0);
    dissect(call, true);
    CHECK_TREE("no object", IFACE("IDataCollectorSet"), "pla.duration 8+4: 5 s", S_OK_AT(12));

    /* A failure alone, before there were any parameters; success is none without them. */
    call = answered("IDataCollectorSet", 8);
    ADD(0x803000aa);
    dissect(call, true);
    CHECK_TREE("alone", IFACE("IDataCollectorSet"), OBJECT_IN,
        "pla.hresult 8+4: 2150629546 = PLA_E_DCS_IN_USE (0x803000aa), the data collector set is running",
        "  ! pla.failed: Duration (Get) failed: PLA_E_DCS_IN_USE");
    call = answered("IDataCollectorSet", 8);
    ADD(1);
    dissect(call, true);
    CHECK_TREE("alone", IFACE("IDataCollectorSet"), OBJECT_IN, "pla.duration 8+4: 1 s", "expert 12+0",
        "  ! pla.malformed.overrun: HRESULT needs 4 bytes; the stub has 0 left");
    CHECK(told() != NULL && !told()->has_hresult, "no code");
    CHECK_INFO(", Duration=1 s");

    /* What can't be read leaves the code at the end. */
    call = answered("IDataCollectorSet", 10);
    ADD(0x20000, 9, 18, 9, 0x80301234);
    CHECK(dissect(call, true) == (int)out.size, "the rest is left");
    CHECK_SHOWS("pla.hresult 24+4: 2150634036 = Unknown (0x80301234)\n"
                "  ! pla.hresult.found\n"
                "  ! pla.failed: Description (Get) failed: unknown HRESULT");
    CHECK(strstr(fake_columns[COL_INFO]->str, " -> 0x80301234") != NULL, "%s", fake_columns[COL_INFO]->str);
    begin_response();
    add(0, 3);
    dissect(call, true);
    CHECK(strstr(fake_tree_text(), "pla.hresult") == NULL, "%s", fake_tree_text());

    /* Up to 7 bytes are padding. */
    for (unsigned more = 7; more <= 8; more++) {
        call = ask("IDataCollectorSet", 9);
        ADD(60);
        add(0, more);
        CHECK(dissect(call, false) == (more == 7 ? 43 : 36), "%u bytes more", more);
    }

    /* Without a tree the same is said and counted. */
    is_seen = false;
    call = ask("IDataCollectorSet", 9);
    ADD(60);
    CHECK(dissect(call, false) == 36 && told() != NULL, "no tree");
    CHECK_INFO(", Duration=60 s");
    is_seen = true;
}

/* What is registered, and what another Wireshark dissects by itself. */
static void
test_registered(void)
{
    CHECK(num_registered == PLA_NUM_INTERFACES - 1 && num_recognisers == 1 && num_hooked == 8, "%u", num_registered);
    for (unsigned i = 0, at = 0; i < PLA_NUM_INTERFACES; i++) {
        const struct pla_interface *iface = &pla_interfaces[i];
        unsigned count = 0;

        if (strcmp(iface->name, "IValueMap") == 0) {
            continue;
        }
        CHECK(guid_cmp(&registered[at].uuid, &iface->iid) == 0 && registered[at].proto == (int)i + 2 &&
                strcmp(named_guids[at], iface->name) == 0,
            "%s", iface->name);
        /* Each method once, with the name that it has. */
        for (dcerpc_sub_dissector PERFLIB_DCERPC_CONST *proc = registered[at].procs; proc->name != NULL; proc++) {
            CHECK(proc->name == pla_find_method(iface, proc->num)->name && proc->num >= 3, "%s", proc->name);
            count++;
        }
        CHECK(count ==
                    iface->own.count +
                        (iface->is_collector                               ? 29
                                : strcmp(iface->name, "IEnumVARIANT") == 0 ? 0
                                                                           : 4) ||
                strcmp(iface->name, "IEnumVARIANT") == 0,
            "%s has %u", iface->name, count);
        at++;
    }
    CHECK(num_named == PLA_NUM_INTERFACES - 1 + pla_num_classes, "%u", num_named);
}

/* What members return, [MS-PLA] Appendix A: Item of a collection, others wherever they are. */
static void
test_returned(void)
{
    static const char *const items[][2] = { { "IDataCollectorCollection", "IDataCollector" },
        { "IDataCollectorSetCollection", "IDataCollectorSet" }, { "IFolderActionCollection", "IFolderAction" },
        { "IScheduleCollection", "ISchedule" }, { "ITraceDataProviderCollection", "ITraceDataProvider" },
        { "IValueMap", "IValueMapItem" } };

    for (unsigned i = 0; i < PLA_NUM_INTERFACES; i++) {
        const struct pla_interface *iface = &pla_interfaces[i];
        const char *item = NULL;

        for (size_t j = 0; j < array_length(items); j++) {
            item = strcmp(items[j][0], iface->name) == 0 ? items[j][1] : item;
        }
        CHECK(pla_interface_returned(iface, "item") == (item == NULL ? NULL : interface_of(item)), "%s", iface->name);
        CHECK(pla_interface_returned(iface, "Schedules") == interface_of("IScheduleCollection"), "%s", iface->name);
        CHECK(pla_interface_returned(iface, "_NewEnum") == interface_of("IEnumVARIANT"), "%s", iface->name);
        CHECK(pla_interface_returned(iface, "Name") == NULL, "%s", iface->name);
        CHECK(pla_find_method(iface, (uint16_t)(pla_num_opnums(iface) - 1)) != NULL &&
                pla_find_method(iface, (uint16_t)pla_num_opnums(iface)) == NULL && pla_find_method(iface, 2) == NULL,
            "%s: opnums", iface->name);
    }
    CHECK(pla_interface_named("IUnknown") == NULL, "another interface");
    /* [MS-PLA] Appendix A: its IValueMap is no return value. */
    CHECK(pla_interface_returned(interface_of("IDataCollectorCollection"), "CreateDataCollectorFromXml") ==
            interface_of("IDataCollector"),
        "a collector made of XML");
}

static const struct rpc_fault *
fault_of(struct rpc_fault *fault, struct rpc_call *told_call, dcerpc_call_value *call, struct pla_call *state)
{
    *told_call = (struct rpc_call){ .uuid = call->uuid,
        .has_opnum = true,
        .opnum = call->opnum,
        .request_frame = 3,
        .state = state };
    *fault = (struct rpc_fault){ .call = told_call, .has_status = true, .status = 5 };
    return fault;
}

static tvbuff_t *
begin_fault(void)
{
    static uint8_t bytes[32];
    dcerpc_call_value none = { .opnum = 0 };

    stub_of(&none, true, 0);
    g_string_assign(fake_columns[COL_PROTOCOL], "DCERPC");
    return tvb_new_real_data(bytes, sizeof bytes, sizeof bytes);
}

/* Faults by what is known of their calls: object, method, interface or nothing. */
static void
test_faults(void)
{
    dcerpc_call_value *call = new_call(&interface_of("IDataCollectorSet")->iid, 8, 1);
    struct rpc_fault fault;
    struct rpc_call told_call;
    struct pla_call *state;
    tvbuff_t *tvb;

    begin_request();
    dissect(call, false);
    state = (struct pla_call *)rpc_notes_get(0)->state;
    CHECK(rpc_notes_get(0)->listener == &pla_listener && state == call->se_data, "who is told");
    CHECK(!state->answered, "answered");

    fault_of(&fault, &told_call, call, state);
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK_TREE("fault", "IDataCollectorSet, Duration (Get), fault nca_s_fault_access_denied 0+-1",
        "  [pla.opnum 0+0: 8]", "  " IFACE("IDataCollectorSet"), "  [pla.object 0+0: MySet]",
        wmem_strdup_printf(pinfo.pool, "  [pla.object.frame 0+0: %u]", state->object->frame),
        "  [pla.fault 24+4: 5 = nca_s_fault_access_denied (0x00000005)]",
        "    ! pla.faulted: Duration (Get) was answered with a fault: nca_s_fault_access_denied",
        "  [pla.fault.request_in 0+0: 3]");
    CHECK(strcmp(fake_columns[COL_INFO]->str, "Duration (Get) response [MySet] -> fault nca_s_fault_access_denied") ==
                0 &&
            strcmp(fake_columns[COL_PROTOCOL]->str, "PLA Set") == 0,
        "%s", fake_columns[COL_INFO]->str);
    check_record("Duration (Get)", "MySet", NULL, NULL);
    CHECK(told()->is_fault && told()->is_response && told()->fault == 5 && state->answered &&
            strcmp(told()->fault_text, "nca_s_fault_access_denied") == 0 &&
            strcmp(told()->interface_name, "IDataCollectorSet") == 0,
        "record");

    /* Without its request; without its opnum; nobody listens. */
    told_call.state = NULL;
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "Duration (Get) response -> fault nca_s_fault_access_denied") == 0, "%s",
        fake_columns[COL_INFO]->str);
    check_record("Duration (Get)", NULL, NULL, NULL);
    CHECK(strstr(fake_tree_text(), "pla.interface") == NULL, "%s", fake_tree_text());
    told_call.has_opnum = false;
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, NULL);
    CHECK(strcmp(fake_tree_text(), "") == 0, "%s", fake_tree_text());
    check_record("operation not known", NULL, NULL, NULL);
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK(g_str_has_prefix(fake_tree_text(), "IDataCollectorSet, operation not known, fault ") &&
            strstr(fake_tree_text(), "pla.opnum") == NULL,
        "%s", fake_tree_text());
    told_call.has_opnum = true;
    told_call.opnum = 99;
    is_listening = false;
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "Operation 99 response -> fault nca_s_fault_access_denied") == 0 &&
            told() == NULL,
        "%s", fake_columns[COL_INFO]->str);
    told_call.opnum = 0;
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK(strstr(fake_tree_text(), "\n  [pla.opnum 0+0: 0") != NULL, "the first operation: %s", fake_tree_text());
    told_call.opnum = 99;
    is_listening = true;

    /* None of ours: of another interface, of anybody's enumerator, or we are switched off; of an enumerator without IPID. */
    for (int i = 0; i < 4; i++) {
        fault_of(&fault, &told_call, call, i == 3 ? pla_call_new(NULL) : NULL);
        if (i == 3) {
            ((struct pla_call *)told_call.state)->iface = interface_of("IEnumVARIANT");
        }
        told_call.uuid = i == 0 ? (e_guid_t){ .data1 = 1 } : i == 1 ? interface_of("IEnumVARIANT")->iid : call->uuid;
        is_on = i != 2;
        tvb = begin_fault();
        pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
        CHECK(told() == NULL && strcmp(fake_tree_text(), "") == 0 &&
                strcmp(fake_columns[COL_PROTOCOL]->str, "DCERPC") == 0,
            "case %d", i);
    }
    is_on = true;
    call = ask("IEnumVARIANT", 4);
    ADD(1);
    dissect(call, false);
    fault_of(&fault, &told_call, call, (struct pla_call *)call->se_data);
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK(told() == NULL, "anybody's enumerator");
    /* One of our collection's, test_enumerators(). */
    call = new_call(&interface_of("IEnumVARIANT")->iid, 4, 0x601);
    begin_request();
    ADD(1);
    dissect(call, false);
    fault_of(&fault, &told_call, call, (struct pla_call *)call->se_data);
    tvb = begin_fault();
    pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
    check_record("Skip", "MySet", NULL, NULL);
    /* What Query asked for in vain is another set; what Commit would have called it is this one. */
    for (int i = 0; i < 2; i++) {
        call = new_call(&interface_of("IDataCollectorSet")->iid, i == 0 ? 59 : 60, 1);
        begin_request();
        add_bstr("Other");
        add_align(4);
        ADD(0, 1);
        dissect(call, false);
        fault_of(&fault, &told_call, call, (struct pla_call *)call->se_data);
        tvb = begin_fault();
        pla_listener.fault(&fault, tvb, &pinfo, &fake_root->node);
        check_record(i == 0 ? "Query" : "Commit", "MySet", i == 0 ? NULL : "Other", NULL);
        CHECK(g_strcmp0(told()->sought_name, i == 0 ? "Other" : NULL) == 0, "%s", told()->sought_name);
    }
}

static void
test_unread(void)
{
    struct rpc_call told_call = { .uuid = interface_of("ISchedule")->iid, .has_opnum = true, .opnum = 7 };
    struct rpc_unread unread = { .call = &told_call,
        .is_response = true,
        .is_last = true,
        .size = 99,
        .needed = "a key" };

    for (int i = 0; i < 5; i++) {
        begin_fault();
        told_call.has_opnum = i != 1;
        told_call.uuid = i == 2 ? (e_guid_t){ .data1 = 1 } : interface_of("ISchedule")->iid;
        is_on = i != 3;
        is_listening = i != 4;
        pla_listener.unread(&unread, &pinfo);
        CHECK((told() != NULL) == (i < 2), "case %d", i);
        if (i < 2) {
            check_record(i == 0 ? "StartDate (Get)" : "operation not known", NULL, NULL, NULL);
            CHECK(told()->is_unread && told()->is_response && told()->is_last && !told()->is_fault &&
                    strcmp(told()->needed, "a key") == 0 && strcmp(told()->interface_name, "ISchedule") == 0,
                "record");
        }
    }
    is_on = is_listening = true;
}

int
main(void)
{
    taken = &interface_of("IValueMap")->iid;
    pla_begin();
    test_registered();
    test_returned();
    taken = NULL;
    num_registered = num_named = 0;
    proto_reg_handoff_pla();
    test_numbers();
    test_error_info();
    test_alignment();
    test_bools();
    test_enums();
    test_texts();
    test_passwords();
    test_xml();
    test_arrays();
    test_variants();
    test_objects();
    test_names();
    test_commit();
    test_value_maps();
    test_enumerators();
    test_stubs();
    /* What is wrong is said of what is shown, and not once more when it is read before that. */
    CHECK(num_loose_experts == 0, "%u are said of nothing", num_loose_experts);
    test_faults();
    test_unread();
    return check_result();
}
