/* test_proofs.c
 * Which stubs prove their protocol, on any pipe or on the registry's: requests and answers of PerflibV2, QueryValue
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/winreg.h"
#include "stub-samples.h"

/* Here the head is the whole stub. */
static bool
proves(bool is_registry_pipe)
{
    finish();
    sample.head_length = sample.length;
    sample.is_registry_pipe = is_registry_pipe;
    return perflibv2_proves(&sample, &operations[sample.opnum]);
}

/* The same of the registry's calls; the sample says whether the pipe is the registry's. */
static bool
proves_winreg(void)
{
    finish();
    sample.head_length = sample.length;
    return winreg_proves(&sample);
}

static void
put_text(const char *text)
{
    put_count((uint32_t)strlen(text) + 1);
    put_count(0);
    put_count((uint32_t)strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++) {
        const uint8_t low_first[2] = { (uint8_t)text[i], 0 }, high_first[2] = { 0, (uint8_t)text[i] };

        put_bytes(sample.is_little_endian ? low_first : high_first, 2);
    }
    sample.length = (sample.length + 3) & ~3u;
}

/* Two identifiers of 40 and 48 bytes; lpData is little-endian in any stub. */
static void
put_identifiers(void)
{
    static const uint8_t sizes[2] = { 40, 48 };

    for (unsigned i = 0; i < 2; i++) {
        bytes[sample.length] = (uint8_t)(i + 1);
        bytes[sample.length + 20] = sizes[i];
        sample.length += sizes[i];
    }
}

static void
begin_as(unsigned opnum, bool is_response, bool is_little_endian, bool is_ndr64)
{
    begin(opnum, is_response);
    sample.is_little_endian = is_little_endian;
    sample.is_ndr64 = is_ndr64;
}

/* Requests that tell PerflibV2 anywhere, those that do only on the registry's pipe, and what none of them is. */
static void
check_requests_and_answers_prove_perflibv2(bool is_little_endian, bool is_ndr64)
{
    begin_as(0, false, is_little_endian, is_ndr64);
    put_text("HOST");
    put(4096);
    CHECK(!proves(false), "a name and a number, as others ask, too");
    CHECK(proves(true), "a name and a number, as others ask, too");
    begin_as(0, false, is_little_endian, is_ndr64);
    put_text("\\\\HOST");
    put(4096);
    CHECK(proves(false), "EnumerateCounterSet");
    sample.length += 8;
    CHECK(!proves(false), "more than it has");
    CHECK(!proves(true), "more than it has");
    for (unsigned opnum = 1; opnum < 3; opnum++) {
        begin_as(opnum, false, is_little_endian, is_ndr64);
        put_text("\\\\HOST-1.example");
        put_bytes("0123456789abcdef", 16);
        if (opnum == 1) {
            PUT(5, 0x409);
        }
        put(0);
        CHECK(proves(false), "a request with a counterset");
        bytes[sample.is_ndr64 ? 24 : 12] = '<';
        bytes[sample.is_ndr64 ? 25 : 13] = '<';
        CHECK(!proves(false) || !sample.is_little_endian, "a text that is no machine's name");
    }
    begin_as(3, false, is_little_endian, is_ndr64);
    put_text("HOST");
    CHECK(!proves(false), "nothing but a name");
    CHECK(proves(true), "nothing but a name");
    begin_as(3, false, is_little_endian, is_ndr64);
    put_text("\\\\HOST");
    CHECK(proves(false), "a name with backslashes");
    for (unsigned opnum = 4; opnum < 7; opnum++) {
        begin_as(opnum, false, is_little_endian, is_ndr64);
        put_handle();
        if (opnum != 4) {
            put(4096);
        }
        CHECK(!proves(false), "a handle and a size");
        CHECK(proves(true), "a handle and a size");
        memset(bytes, 0, 20);
        CHECK(!proves(true), "no handle");
    }
    begin_as(7, false, is_little_endian, is_ndr64);
    put_handle();
    put(88);
    put_count(88);
    put_identifiers();
    put(1);
    CHECK(proves(false), "ValidateCounters");
    bytes[sample.length - 4 - 48 + 20] = 40;
    CHECK(!proves(false), "identifiers that do not come to the size");
    begin_as(6, true, is_little_endian, is_ndr64);
    put_lpdata_sizes(48);
    bytes[sample.length] = 48;
    sample.length += 48;
    put(0);
    CHECK(proves(false), "a poll");
    bytes[sample.length - 4 - 48] = 47;
    CHECK(!proves(false), "a poll of another size");
    begin_as(5, true, is_little_endian, is_ndr64);
    PUT(0, 88);
    put_count(16);
    put_count(0);
    put_count(0);
    put(8);
    CHECK(!proves(false), "an answer without lpData");
    /* Each stub that is cut, and chance. */
    for (unsigned opnum = 0; opnum < 8; opnum++) {
        uint32_t seed = opnum + 1;

        for (unsigned i = 0; i < 20000; i++) {
            begin_as(opnum, i & 1, is_little_endian, is_ndr64);
            sample.is_last = (i & 2) == 0;
            sample.length = i % 200;
            for (unsigned b = 0; b < sample.length; b++) {
                seed = seed * 1664525 + 1013904223;
                bytes[b] = (uint8_t)(seed >> 24) & (i & 4 ? 0x0f : 0xff) & (i & 8 ? 0x3f : 0xff);
            }
            CHECK(!proves(false), "chance %u of opnum %u", i, opnum);
        }
    }
}

/* What an answer must be to be told: by one thing that is otherwise it is none. */
static void
check_answer_proves_if_all_its_numbers_agree(void)
{
    static const struct {
        unsigned opnum;
        uint32_t out, needed, max, offset, actual, first, there, code;
        bool is_first_fragment, is_proven;
    } cases[] = {
        { OP_QUERY_COUNTER_DATA, 48, 48, 48, 0, 48, 48, 48, 0, false, true },
        { OP_QUERY_COUNTER_DATA, 48, 48, 48, 0, 48, 47, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 48, 48, 48, 0, 48, 47, 48, 0, false, true },
        { OP_QUERY_COUNTER_INFO, 48, 0xffffff, 48, 0, 48, 0, 48, 0, false, true },
        { OP_QUERY_COUNTER_INFO, 48, 0x1000000, 48, 0, 48, 0, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 48, 48, 0xffffff, 0, 48, 0, 48, 0, false, true },
        { OP_QUERY_COUNTER_INFO, 48, 48, 0x1000000, 0, 48, 0, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 48, 48, 47, 0, 48, 0, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 48, 48, 48, 1, 48, 0, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 49, 49, 49, 0, 48, 0, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 0, 0, 0, 0, 0, 0, 0, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 4, 4, 4, 0, 4, 0, 4, 0, false, true },
        { OP_QUERY_COUNTER_INFO, 48, 48, 48, 0, 48, 0, 48, 5, false, false },
        { OP_QUERY_COUNTER_INFO, 48, 48, 48, 0, 48, 0, 44, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 48, 48, 48, 0, 48, 0, 56, 0, false, false },
        { OP_ENUMERATE_COUNTER_SET, 3, 3, 256, 0, 3, 0, 48, 0, false, true },
        { OP_ENUMERATE_COUNTER_SET, 4, 4, 256, 0, 4, 0, 48, 0, false, false },
        { OP_QUERY_COUNTER_INFO, 400, 400, 400, 0, 400, 0, 48, 0, true, true },
        { OP_QUERY_COUNTER_INFO, 52, 52, 52, 0, 52, 0, 48, 0, true, false }, /* with the code it is all there */
        { OP_QUERY_COUNTER_INFO, 53, 53, 53, 0, 53, 0, 48, 0, true, true },
        { OP_OPEN_QUERY_HANDLE, 48, 48, 48, 0, 48, 0, 48, 0, false, false },
        { OP_VALIDATE_COUNTERS, 48, 48, 48, 0, 48, 0, 48, 0, false, false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin(cases[i].opnum, true);
        sample.is_last = !cases[i].is_first_fragment;
        PUT(cases[i].out, cases[i].needed, cases[i].max, cases[i].offset, cases[i].actual, cases[i].first);
        sample.length += cases[i].there - (cases[i].there == 0 ? 0 : 4);
        if (cases[i].there == 0) {
            sample.length -= 4;
        }
        put(cases[i].code);
        CHECK(proves(false) == cases[i].is_proven && proves(true) == cases[i].is_proven, "answer %zu", i);
        sample.is_first = false;
        CHECK(!proves(true), "answer %zu, not its beginning", i);
    }
    /* Of a first fragment the whole length counts, not what is looked at of it: 20 bytes of counts and 100 of lpData. */
    for (uint32_t actual = 100; actual <= 101; actual++) {
        BEGIN_WITH(OP_QUERY_COUNTER_INFO, true, actual, actual, actual, 0, actual);
        sample.length += 100;
        sample.is_last = false;
        finish();
        CHECK(perflibv2_proves(&sample, &operations[OP_QUERY_COUNTER_INFO]) == (actual == 101), "%u bytes of lpData",
            actual);
        /* Where more was needed than came it is told on the pipe alone. */
        bytes[4] = 200;
        CHECK(!proves(false) && proves(true) == (actual == 101), "%u bytes of lpData, of 200", actual);
    }
}

/* A request code of more than a byte is none; identifiers tell as far as a fragment goes. */
static void
check_request_proves_by_code_size_and_identifiers(void)
{
    static const struct {
        unsigned there; /* bytes of identifiers, of 88 */
        bool is_last, is_proven;
    } cases[] = { { 88, true, true }, { 88, false, true }, { 60, false, true }, { 40, false, true },
        { 39, false, false }, { 0, false, false }, { 60, true, false } };

    for (uint32_t code = 255; code <= 256; code++) {
        begin(OP_QUERY_REGISTRATION_INFO, false);
        put_text("HOST");
        put_bytes("0123456789abcdef", 16);
        PUT(code, 0, 0);
        CHECK(proves(false) == (code == 255) && proves(true), "code %u", code);
        bytes[12] = '<';
        CHECK(!proves(true), "no name of a machine");
    }
    /* Behind code and language stands the size. */
    for (unsigned way = 0; way < 2; way++) {
        begin(OP_QUERY_REGISTRATION_INFO, false);
        put_text("HOST1"); /* without padding behind it */
        put_bytes("0123456789abcdef", 16);
        PUT(1, way == 0 ? 0x409 : 0x7fffffff, way == 0 ? 0x7fffffff : 0x409);
        sample.is_last = false;
        CHECK(proves(false) == (way == 1), "a small size tells, a small language does not");
    }
    /* ValidateCounters ends with dwAdd; less than 8 bytes behind it may be padding. */
    for (unsigned padding = 0; padding <= 8; padding += 4) {
        begin(OP_VALIDATE_COUNTERS, false);
        put_handle();
        PUT(88, 88);
        put_identifiers();
        put(1);
        sample.length += padding;
        CHECK(proves(false) == (padding < 8), "%u bytes of padding", padding);
        bytes[0] = 1;
        CHECK(!proves(true), "a handle with attributes");
    }
    for (size_t i = 0; i < array_length(cases); i++) {
        const unsigned begins = 20 + 4 + 4;

        begin(OP_VALIDATE_COUNTERS, false);
        put_handle();
        PUT(88, 88);
        put_identifiers();
        sample.length = begins + cases[i].there;
        if (cases[i].there == 88) {
            put(1);
        }
        sample.is_last = cases[i].is_last;
        CHECK(proves(false) == cases[i].is_proven && proves(true) == cases[i].is_proven, "identifiers %zu", i);
    }
}

/* szMachine, where nothing else is asked for: as names of machines are, with backslashes it is nobody else's. */
static void
check_only_names_of_machines_prove(void)
{
    static const struct {
        const char *name;
        bool on_pipe, anywhere;
    } cases[] = { { "HOST", true, false }, { "h0st-1.a_b:2", true, false }, { "\\\\HOST", true, true },
        { "\\HOST", true, false }, { "", true, false }, { "\\\\", true, false }, { "\\\\\\HOST", false, false },
        { "H\\OST", false, false }, { "a b", false, false }, { "<a", false, false }, { "a,", false, false } };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin(OP_OPEN_QUERY_HANDLE, false);
        put_text(cases[i].name);
        CHECK(proves(true) == cases[i].on_pipe && proves(false) == cases[i].anywhere, "%s", cases[i].name);
    }
}

/* The pointers of QueryValue are unique ones, [MS-RRP] 3.1.5.17: each may be null, and then no number follows. */
static void
check_each_pointer_of_query_value_may_be_null(void)
{
    static const struct {
        uint32_t type;
        bool has_type, has_size, has_length, is_proven;
    } cases[] = {
        { 0, true, true, true, true },
        { 11, true, true, true, true },
        { 12, true, true, true, false },
        { 0, false, true, true, true },
        { 0, true, false, true, true },
        { 0, true, true, false, true },
        { 0, false, false, false, true },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const bool given[] = { cases[i].has_type, cases[i].has_size, cases[i].has_length };
        const uint32_t numbers[] = { cases[i].type, 4096, 0 };

        begin_on_key(17);
        put_text("Global");
        for (unsigned pointer = 0; pointer < array_length(given); pointer++) {
            put(given[pointer] ? 0x00020004 : 0);
            if (given[pointer]) {
                put(numbers[pointer]);
            }
            /* No buffer after the type. */
            if (pointer == 0) {
                put(0);
            }
        }
        CHECK(proves_winreg() == cases[i].is_proven, "pointers %zu", i);
        /* Less than 8 bytes may be padding. */
        PUT(0, 0);
        CHECK(!proves_winreg(), "pointers %zu, and something more", i);
    }
}

/* Up to the type: what is asked for is "Global". */
static void
begin_query_value(void)
{
    begin_on_key(17);
    put_text("Global");
    PUT(0x00020004, 0);
}

/* The buffer of QueryValue: how much it has room for, where its data begins (at 0 always) and how much there is. */
static void
check_query_value_proves_if_its_buffer_fits(void)
{
    static const struct {
        uint32_t max, offset, actual, bytes;
        bool is_closed, is_proven;
    } cases[] = {
        { 16, 0, 0, 0, false, true },
        { 16, 0, 16, 16, false, true },
        { 16, 1, 0, 0, false, false },
        { 16, 0, 17, 17, false, false },
        { UINT32_MAX, 0, UINT32_MAX, 0, false, false },
        { 4096, 0, 4096, 16, false, false },
        { 16, 0, 16, 16, true, false },
    };
    static const uint8_t data[20];

    for (size_t i = 0; i < array_length(cases); i++) {
        begin_query_value();
        PUT(0x00020008, cases[i].max, cases[i].offset, cases[i].actual);
        put_bytes(data, (cases[i].bytes + 3) & ~3u);
        PUT(0x0002000c, cases[i].max, 0x00020010, cases[i].actual);
        if (cases[i].is_closed) {
            memset(bytes, 0, 20);
        }
        CHECK(proves_winreg() == cases[i].is_proven, "buffer %zu", i);
    }
    /* NDR64's counts have 64 bits, of which none may be left out. */
    for (uint8_t high = 0; high < 2; high++) {
        begin(17, false);
        sample.is_ndr64 = true;
        put_handle();
        /* A structure with a pointer stands at a multiple of 8. */
        PUT(0, 0x000e000e);
        put_count(0x00020000);
        put_text("Global");
        put_count(0x00020004);
        put(0);
        put_count(0x00020008);
        for (unsigned i = 0; i < 3; i++) {
            put_count(0);
            bytes[sample.length - 4] = i == 1 ? 0 : high;
        }
        put_count(0x0002000c);
        put(0);
        put_count(0x00020010);
        put(0);
        CHECK(proves_winreg() == (high == 0), "a buffer of %u times 4 GB", high);
    }
}

/* QueryValue as [MS-RRP] 3.1.5.17 has it is told anywhere; an answer by the block's signature. */
static void
check_registry_call_proves_where_its_names_and_data_fit(void)
{
    static const unsigned named[] = { 6, 7, 15, 17 };

    begin_query_value();
    PUT(0, 0x00020008, 4096, 0x0002000c, 0);
    CHECK(proves_winreg(), "QueryValue");
    sample.opnum = 16;
    CHECK(!winreg_proves(&sample), "QueryMultipleValues says something else");
    sample.opnum = 17;
    bytes[20] = 0x10;
    CHECK(!winreg_proves(&sample), "a name of another size");
    BEGIN_WITH(17, true, 0x00020000, 3, 0x00020004, 4096, 0, 64);
    put_bytes("P\0E\0R\0F", 8);
    CHECK(proves_winreg(), "performance data");
    sample.opnum = 16;
    CHECK(!winreg_proves(&sample), "an answer to something else");
    sample.opnum = 17;
    memset(bytes + 8, 0, 4);
    CHECK(!winreg_proves(&sample), "a pointer to nothing");
    bytes[8] = 1;
    CHECK(winreg_proves(&sample), "any other pointer");
    bytes[24] = 'Q';
    CHECK(!winreg_proves(&sample), "other data");
    for (uint32_t size = 7; size <= 8; size++) {
        BEGIN_WITH(17, true, 0x00020000, 3, 0x00020004, size, 0, size);
        put_bytes("P\0E\0R\0F", 8);
        CHECK(proves_winreg() == (size == 8), "%u bytes", size);
    }
    begin(5, false);
    put_handle();
    finish();
    CHECK(!winreg_proves(&sample), "CloseKey anywhere");
    sample.is_registry_pipe = true;
    CHECK(winreg_proves(&sample), "CloseKey on the registry's pipe");
    bytes[0] = 255;
    CHECK(winreg_proves(&sample), "8 bits of attributes");
    bytes[1] = 1;
    CHECK(!winreg_proves(&sample), "9 bits of attributes");
    /* BaseRegCreateKey, DeleteKey, OpenKey and QueryValue name something on a key. */
    for (size_t i = 0; i < array_length(named); i++) {
        begin_on_key(named[i]);
        put_text("Global");
        sample.is_registry_pipe = true;
        CHECK(proves_winreg(), "%u", named[i]);
        bytes[20] = 0x10;
        CHECK(!winreg_proves(&sample), "%u: a name of another size", named[i]);
    }
}

static bool
fits(void)
{
    finish();
    sample.head_length = sample.length;
    return perflibv2_fits(&sample, &perflibv2_operations[sample.opnum]);
}

/* OpenQueryHandle and CloseQueryHandle: a call that succeeded returns a handle, or none. */
static void
check_answer_with_a_handle_fits_its_code(bool is_little_endian, bool is_ndr64)
{
    for (unsigned i = 0; i < 16; i++) {
        const bool is_close = (i & 1) != 0, is_null = (i & 2) != 0, failed = (i & 4) != 0, has_more = (i & 8) != 0;

        begin_as(is_close ? 4 : 3, true, is_little_endian, is_ndr64);
        put(0);
        for (unsigned k = 0; k < 4; k++) {
            put(!is_null && k == 3);
        }
        put(failed ? 5 : 0);
        /* Less than 8 bytes may be padding. */
        put(0);
        if (has_more) {
            put(0);
        }
        CHECK_EQUAL(fits(), !has_more && (failed || is_null == is_close), "case %u", i);
    }
}

/* 2.2.4.5 to 2.2.4.7: lpData of so many bytes, and little-endian numbers in it; others are 0. */
static void
check_answer_with_data_fits_its_beginning(bool is_little_endian, bool is_ndr64)
{
    static const unsigned words_behind[] = { 0, 2, 1, 0 }; /* by kind */
    static const struct {
        unsigned opnum, size, at, number, second; /* .second is behind the number */
        uint32_t code;
        bool fits;
    } answers[] = {
        /* _PERF_DATA_HEADER of 48 bytes: dwTotalSize, or a number of blocks of 16 bytes that there is room for */
        { 6, 0, 0, 0, 0, 0, false },
        { 6, 0, 0, 0, 0, 8, true },
        { 6, 47, 0, 47, 0, 0, false },
        { 6, 47, 0, 47, 0, 8, true },
        { 6, 48, 0, 48, 9, 0, true },
        { 6, 48, 0, 47, 0, 0, true },
        { 6, 48, 0, 47, 1, 0, false },
        { 6, 48, 0, 47, 1, 8, true },
        { 6, 63, 0, 47, 1, 0, false },
        { 6, 64, 0, 47, 1, 0, true },
        { 6, 64, 0, 47, 2, 0, false },
        /* _PERF_COUNTER_IDENTIFIER of 40 bytes: Size */
        { 5, 0, 0, 0, 0, 0, true },
        { 5, 39, 20, 0xff, 0, 0, true },
        { 5, 40, 20, 40, 0xff, 0, true },
        { 5, 40, 20, 41, 0, 0, false },
        { 5, 80, 20, 80, 0, 0, true },
        { 5, 80, 20, 81, 0, 0, false },
        /* _PERF_INSTANCE_HEADER of 8 bytes: Size */
        { 2, 7, 0, 0xff, 0, 0, true },
        { 2, 8, 0, 8, 0xff, 0, true },
        { 2, 8, 0, 9, 0, 0, false },
        { 2, 8, 0, 9, 0, 5, true },
        { 2, 60, 0, 60, 0, 0, true },
        { 2, 60, 0, 61, 0, 0, false },
        /* All else begins with anything. */
        { 1, 64, 0, 0xff, 0xff, 0, true },
    };

    for (unsigned i = 0; i < array_length(answers); i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            begin_as(answers[i].opnum, true, is_little_endian, is_ndr64);
            put_lpdata_sizes(answers[i].size);
            if (answers[i].size >= answers[i].at + 8) {
                bytes[sample.length + answers[i].at] = (uint8_t)answers[i].number;
                bytes[sample.length + answers[i].at + 4] = (uint8_t)answers[i].second;
            } else if (answers[i].size > answers[i].at) {
                bytes[sample.length + answers[i].at] = (uint8_t)answers[i].number;
            }
            sample.length = (sample.length + answers[i].size + 3) & ~3u;
            put(answers[i].code);
            /* Behind the return code are less than 8 bytes of padding. */
            for (unsigned k = 0; k < words_behind[kind]; k++) {
                put(0);
            }
            sample.is_last = kind != 3;
            CHECK_EQUAL(fits(), kind == 3 || (kind != 1 && answers[i].fits), "answer %u, kind %u", i, kind);
        }
    }
    /* More than there is: the rest may follow in another fragment. */
    for (unsigned is_last = 0; is_last < 2; is_last++) {
        begin_as(1, true, is_little_endian, is_ndr64);
        put_lpdata_sizes(1000);
        put(0);
        sample.is_last = is_last != 0;
        CHECK_EQUAL(fits(), !is_last, "more than there is");
    }
}

int
main(void)
{
    for (unsigned i = 0; i < 4; i++) {
        check_answer_with_a_handle_fits_its_code((i & 1) != 0, (i & 2) != 0);
        check_answer_with_data_fits_its_beginning((i & 1) != 0, (i & 2) != 0);
    }
    check_requests_and_answers_prove_perflibv2(true, false);
    check_requests_and_answers_prove_perflibv2(false, false);
    check_requests_and_answers_prove_perflibv2(true, true);
    check_requests_and_answers_prove_perflibv2(false, true);
    check_answer_proves_if_all_its_numbers_agree();
    check_request_proves_by_code_size_and_identifiers();
    check_only_names_of_machines_prove();
    check_registry_call_proves_where_its_names_and_data_fit();
    check_each_pointer_of_query_value_may_be_null();
    check_query_value_proves_if_its_buffer_fits();
    return check_result();
}
