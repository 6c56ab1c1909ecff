/* test_sense.c
 * Whether stubs are told from rubbish: each operation's as the specifications lay it out, and bytes by chance
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/winreg.h"
#include "pla/methods.h"
#include "pla/packet.h"
#include "stub-samples.h"

/* [MS-PCQ] 3.1.4.1.1 to 3.1.4.1.8, in both byte orders and both transfer syntaxes. */
static void
check_each_operation_makes_sense_as_specified(bool is_little_endian, bool is_ndr64)
{
    static const uint8_t identifier_guid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

#define BEGIN(opnum, is_response) \
    do { \
        begin(opnum, is_response); \
        sample.is_little_endian = is_little_endian; \
        sample.is_ndr64 = is_ndr64; \
    } while (0)
    for (unsigned opnum = 0; opnum < 4; opnum++) {
        BEGIN(opnum, false);
        put_string(9);
        put(0);
        /* Each of its three counts is what it must be: 32 bits, 16 of a maximum, 32. */
        check_sense(sense_of_perflibv2, "a request with szMachine", 80);
    }
    for (unsigned opnum = 4; opnum < 7; opnum++) {
        BEGIN(opnum, false);
        put_handle();
        if (opnum != 4) {
            put(4096);
        }
        check_sense(sense_of_perflibv2, "a request with a handle", ENOUGH);
    }
    BEGIN(7, false);
    put_handle();
    put(40);
    put_count(40);
    sample.length += 40;
    put(1);
    check_sense(sense_of_perflibv2, "ValidateCounters", ENOUGH);
    for (unsigned opnum = 0; opnum < 7; opnum++) {
        if (opnum == 3 || opnum == 4) {
            continue;
        }
        BEGIN(opnum, true);
        put_lpdata_sizes(16);
        sample.length += 16;
        put(0);
        /* An offset of 0: 32 bits, two equal counts 20, two small sizes 12 each, a Win32 error 16. */
        check_sense(sense_of_perflibv2, "an answer with lpData", 92);
        put(0x12345678);
        check_nonsense(sense_of_perflibv2, "an answer that ends with no Win32 error");
    }
    BEGIN(3, true);
    put_handle();
    put(0);
    check_sense(sense_of_perflibv2, "OpenQueryHandle's answer", ENOUGH);
    BEGIN(4, true);
    sample.length = 20;
    put(0);
    check_sense(sense_of_perflibv2, "CloseQueryHandle's answer", ENOUGH);
    BEGIN(7, true);
    put_count(40);
    put_bytes(identifier_guid, sizeof identifier_guid);
    for (unsigned i = 0; i < 6; i++) {
        const uint8_t little_endian[4] = { i == 0 ? 5 : i == 1 ? 40 : 0 };

        put_bytes(little_endian, sizeof little_endian);
    }
    put(0);
    /* A small size: 12 bits, Status and Size of an identifier 16 each, a Win32 error 16. */
    check_sense(sense_of_perflibv2, "ValidateCounters' answer", 60);
#undef BEGIN
}

/* An answer that ends with a handle of zeros and this code. */
static void
begin_handle_of_zeros(unsigned opnum, uint32_t code)
{
    begin(opnum, true);
    sample.length = 20;
    put(code);
}

static void
check_rubbish_is_no_call_of_perflibv2(void)
{
    BEGIN_WITH(3, false, 9, 0x12345678, 9);
    sample.length += 20;
    check_nonsense(sense_of_perflibv2, "szMachine that begins far away");
    BEGIN_WITH(3, false, 9, 0, 0x12345678);
    sample.length += 20;
    check_nonsense(sense_of_perflibv2, "szMachine of a gigabyte");
    BEGIN_WITH(6, false, 0x12345678);
    sample.length += 20;
    check_nonsense(sense_of_perflibv2, "a handle with attributes by chance");
    /* Odd peers: no proof, but to be judged. */
    BEGIN_WITH(3, false, 9, 1, 8);
    sample.length += 20;
    check_sense(sense_of_perflibv2, "szMachine that begins at its second character", 0);
    BEGIN_WITH(6, false, 1);
    sample.length += 20;
    check_sense(sense_of_perflibv2, "a handle with an attribute", 0);
    begin_handle_of_zeros(4, 0x80070005);
    check_sense(sense_of_perflibv2, "an HRESULT for a Win32 error", 0);
    BEGIN_WITH(6, false, 0);
    check_nonsense(sense_of_perflibv2, "a stub that is too short");
    BEGIN_WITH(6, true, 16, 16, 4096, 0x12345678, 16);
    sample.length += 20;
    check_nonsense(sense_of_perflibv2, "lpData that begins far away");
    BEGIN_WITH(8, false, 0);
    check_sense(sense_of_perflibv2, "an operation that does not exist", 0);
    BEGIN_WITH(8, true, 0x12345678);
    check_sense(sense_of_perflibv2, "an answer to none that exists", 0);
    begin(6, false);
    sample.length = 24;
    finish();
    CHECK(sense_of_perflibv2(&sample) < 100, "a handle of zeros is sure sense where it is closed, else not: %d bits",
        sense_of_perflibv2(&sample));
    begin(6, true);
    check_sense(sense_of_perflibv2, "no stub", 0);
    /* Of a fragment that is not the last the code is elsewhere, and of one that is not the first the rest. */
    BEGIN_WITH(6, true, 60000, 60000, 65536, 0, 60000, 0xffffffff);
    sample.is_last = false;
    check_sense(sense_of_perflibv2, "a first fragment", ENOUGH);
    BEGIN_WITH(6, true, 0xffffffff, 0);
    sample.is_first = false;
    check_sense(sense_of_perflibv2, "a last fragment", 16);
}

/* [MS-RRP] 3.1.5 */
/* A string has no control character, and ends with its terminator, which stands nowhere else. */
static void
check_string_has_no_control_character(void)
{
    static const struct {
        uint16_t units[3];
        bool is_string;
    } cases[] = {
        { { 0x20, 'b', 0 }, true },
        { { 'a', 0x20, 0 }, true },
        { { 0x1f, 'b', 0 }, false },
        { { 'a', 0x1f, 0 }, false },
        { { 'a', 0x0120, 0 }, true },
        { { 'a', 0, 0 }, false },
        { { 'a', 'b', 0x20 }, false },
        { { 'a', 'b', 1 }, false },
    };

    for (size_t i = 0; i < 2 * array_length(cases); i++) {
        const bool is_big = i % 2 != 0;
        uint8_t text[12 + 6] = { 0 };
        const struct stub_sample of_text = { .head = text,
            .head_length = sizeof text,
            .length = sizeof text,
            .is_little_endian = !is_big };
        struct stub_reader reader = { .sample = &of_text };
        unsigned units;

        text[is_big ? 3 : 0] = text[is_big ? 11 : 8] = 3;
        for (unsigned j = 0; j < 3; j++) {
            text[12 + 2 * j + is_big] = (uint8_t)cases[i / 2].units[j];
            text[12 + 2 * j + !is_big] = (uint8_t)(cases[i / 2].units[j] >> 8);
        }
        units = stub_read_string(&reader);
        CHECK(units == (cases[i / 2].is_string ? 3 : 0), "%zu: %u", i / 2, units);
    }
}

/* [C706] 14.3.4.2: the counts of a string; all of it is there. */
static void
check_string_counts_agree(void)
{
    static const struct {
        uint8_t max, offset, actual, third;
        unsigned units;
    } cases[] = { { 3, 0, 3, 0, 3 }, { 4, 0, 3, 0, 3 }, { 2, 0, 3, 0, 0 }, { 3, 1, 3, 0, 0 }, { 3, 0, 0, 0, 0 },
        { 4, 0, 4, 'c', 0 } };

    for (size_t i = 0; i < array_length(cases); i++) {
        const uint8_t text[] = { cases[i].max, 0, 0, 0, cases[i].offset, 0, 0, 0, cases[i].actual, 0, 0, 0, 'a', 0, 'b',
            0, cases[i].third, 0, 0, 0 };
        const struct stub_sample of_text = { .head = text,
            .head_length = sizeof text - 2,
            .length = sizeof text - 2,
            .is_little_endian = true };
        struct stub_reader reader = { .sample = &of_text };
        const unsigned units = stub_read_string(&reader);

        CHECK(units == cases[i].units, "%zu: %u", i, units);
        CHECK(reader.offset == 12 + 2 * units, "%zu: at %u", i, reader.offset);
    }
}

/* All was read but what stubs are padded with, less than 8 bytes, of which the head may be a part alone. */
static void
check_stub_is_read_to_its_end(void)
{
    static const struct {
        unsigned skipped;
        bool is_read;
    } cases[] = { { 4, false }, { 12, false }, { 13, true }, { 20, true }, { 21, false }, { UINT_MAX, false } };
    const uint8_t zeros[8] = { 0 };
    struct stub_sample of_bytes = { .head = zeros, .head_length = sizeof zeros, .length = 20 };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct stub_reader reader = { .sample = &of_bytes };

        stub_skip(&reader, cases[i].skipped);
        CHECK(stub_is_read(&reader) == cases[i].is_read, "%u", cases[i].skipped);
    }
    of_bytes.length = 4;
    {
        struct stub_reader reader = { .sample = &of_bytes };

        stub_skip(&reader, UINT_MAX);
        CHECK(!stub_is_read(&reader), "beyond a short one");
    }
}

static void
check_winreg_requests_and_answers_make_sense(void)
{
    begin_on_key(17);
    put_string(7);
    put(0);
    check_sense(winreg_sense, "QueryValue", ENOUGH);
    begin(17, false);
    put_handle();
    PUT(0, 0);
    check_sense(winreg_sense, "QueryValue of no name", 24);
    begin_on_key(17);
    PUT(7, 0x12345678, 7);
    check_nonsense(winreg_sense, "a name that begins far away");
    begin(29, false);
    put_handle();
    check_sense(winreg_sense, "QueryMultipleValues", 24);
    begin(5, false);
    put_handle();
    check_sense(winreg_sense, "CloseKey", 24);
    BEGIN_WITH(3, false, 0x00020000);
    check_sense(winreg_sense, "OpenPerformanceData", 0);
    for (unsigned i = 0; i < 4; i++) {
        static const unsigned opens[] = { 2, 3, 15, 32 };

        begin(opens[i], true);
        put_handle();
        put(0);
        check_sense(winreg_sense, "a key that is opened", ENOUGH);
    }
    begin_handle_of_zeros(5, 0);
    check_sense(winreg_sense, "CloseKey's answer", ENOUGH);
    BEGIN_WITH(17, true, 0x00020000, 3, 0);
    check_sense(winreg_sense, "QueryValue's answer", ENOUGH);
    BEGIN_WITH(17, true, 0, 2);
    check_sense(winreg_sense, "QueryValue's answer without a type", 16);
    BEGIN_WITH(17, true, 0x00020000, 0x12345678, 0);
    check_nonsense(winreg_sense, "a type that does not exist");
    BEGIN_WITH(24, true, 0x12345678);
    check_nonsense(winreg_sense, "a code that is no Win32 error");
    begin(24, true);
    check_sense(winreg_sense, "no stub", 0);
    begin_on_key(15);
    put_string(7);
    PUT(0, 0x02000000);
    check_sense(winreg_sense, "OpenKey", ENOUGH);
    BEGIN_WITH(5, false, 0, 0);
    check_nonsense(winreg_sense, "a handle that is cut");
}

/* Calls on a key, [MS-RRP] 3.1.5: 24 bits of a handle's attributes are zero; nothing is known of other requests. */
static void
check_winreg_counts_bits_of_each_operation(void)
{
    for (unsigned opnum = 0; opnum <= 36; opnum++) {
        const bool is_named = opnum == 15 || opnum == 17;
        const bool is_on_key = (opnum >= 5 && opnum <= 23) || opnum == 29 || opnum == 34;
        const bool gives_key = opnum < 5 || opnum == 15 || opnum == 32 || opnum == 33;

        for (uint32_t attributes = 255; attributes <= 256; attributes++) {
            BEGIN_WITH(opnum, false, attributes);
            sample.length = 20;
            PUT(0x000e000e, 0x00020000);
            put_string(7);
            check_bits(winreg_sense,
                !is_on_key              ? 0
                    : attributes == 256 ? STUB_NONSENSE
                    : is_named          ? 24 + 32 + 16
                                        : 24,
                "request", opnum);
            /* An answer ends with its code, of which 16 bits are zero. */
            BEGIN_WITH(opnum, true, attributes);
            sample.length = 20;
            put(0xffff);
            check_bits(winreg_sense,
                attributes == 256 && (gives_key || opnum == 5) ? STUB_NONSENSE
                    : opnum == 17                              ? 28 + 16
                    : gives_key || opnum == 5                  ? 24 + 16
                                                               : 16,
                "answer", opnum);
        }
        begin_handle_of_zeros(opnum, 0x10000);
        check_bits(winreg_sense, STUB_NONSENSE, "answer with no Win32 error", opnum);
        BEGIN_WITH(opnum, true, 0x10000);
        sample.is_first = sample.is_last = false;
        check_bits(winreg_sense, 0, "a fragment between", opnum);
        begin(opnum, true);
        sample.length = 3;
        check_bits(winreg_sense, 0, "3 bytes", opnum);
        BEGIN_WITH(opnum, false, 0x10000);
        sample.is_first = false;
        check_bits(winreg_sense, 0, "a last fragment of a request", opnum);
    }
}

/* At each limit: a name's counts, a value's type, a handle that is no more. */
static void
check_winreg_counts_bits_up_to_each_limit(void)
{
    static const struct {
        uint32_t max, offset, actual;
        int bits;
    } names[] = { { 7, 0, 7, 72 }, { 0xffff, 0, 7, 72 }, { 0x10000, 0, 7, STUB_NONSENSE }, { 7, 0, 8, 24 },
        { 7, 1, 7, 24 }, { 7, 0xffff, 7, 24 }, { 7, 0x10000, 7, STUB_NONSENSE } };

    for (size_t i = 0; i < array_length(names); i++) {
        begin_on_key(17);
        PUT(names[i].max, names[i].offset, names[i].actual);
        sample.length += 40;
        check_bits(winreg_sense, names[i].bits, "name", (unsigned)i);
    }
    for (uint32_t type = 10; type <= 12; type++) {
        BEGIN_WITH(17, true, 0x00020000, type, 0);
        check_bits(winreg_sense, type <= 11 ? 28 + 16 : STUB_NONSENSE, "type", type);
    }
    /* All of a closed handle is zero, and the code behind it. */
    begin_handle_of_zeros(5, 0);
    check_bits(winreg_sense, 160 + 16, "closed", 0);
    BEGIN_WITH(5, true, 1);
    sample.length = 20;
    put(0);
    check_bits(winreg_sense, 24 + 16, "closed", 1);
    begin(5, true);
    put_handle();
    put(5);
    check_bits(winreg_sense, 24 + 16, "not closed", 5);
    begin_handle_of_zeros(3, 5);
    check_bits(winreg_sense, 24 + 16, "not opened", 5);
    begin(3, true);
    sample.length = 16;
    check_bits(winreg_sense, STUB_NONSENSE, "cut", 16);
}

/* Each value that is as it must be tells as many bits as it could have been otherwise; what no peer sends tells all. */
static void
check_perflibv2_counts_bits_up_to_each_limit(void)
{
    static const struct {
        uint32_t max, offset, actual;
        int bits;
    } names[] = { { 7, 0, 7, 80 }, { 0xffff, 0, 7, 48 }, { 0x10000, 0, 7, 32 }, { 0xffffff, 0, 7, 32 },
        { 0x1000000, 0, 7, STUB_NONSENSE }, { 7, 0, 0xffffff, 48 }, { 7, 0, 0x1000000, STUB_NONSENSE }, { 7, 1, 7, 48 },
        { 7, 0xffff, 7, 48 }, { 7, 0x10000, 7, STUB_NONSENSE } };
    static const struct {
        uint32_t attributes;
        int bits;
    } handles[] = { { 0, 32 }, { 1, 0 }, { 0xffff, 0 }, { 0x10000, STUB_NONSENSE } };
    static const struct {
        uint32_t size;
        int bits;
    } sizes[] = { { 0, 12 }, { 0xfffff, 12 }, { 0x100000, 6 }, { 0x3ffffff, 6 }, { 0x4000000, 0 } };
    static const struct {
        uint32_t out, needed, max, offset, actual;
        int bits;
    } answers[] = { { 8, 8, 8, 0, 8, 76 }, { 8, 8, 8, 0, 7, 56 }, { 8, 8, 8, 1, 8, 44 }, { 8, 8, 8, 0xffff, 8, 44 },
        { 8, 8, 8, 0x10000, 8, STUB_NONSENSE }, { 8, 0x100000, 8, 0, 8, 70 }, { 8, 8, 0x4000000, 0, 8, 64 } };
    static const struct {
        uint32_t status, size;
        int bits;
    } identifiers[] = { { 0, 40, 32 }, { 0xffff, 0xffff, 32 }, { 0x10000, 40, 16 }, { 0, 39, 16 }, { 0, 0x10000, 16 } };
    static const struct {
        uint32_t code;
        int bits;
    } codes[] = { { 0, 16 }, { 0xffff, 16 }, { 0x10000, STUB_NONSENSE }, { 0x80070005, 0 }, { 0x80000005, 0 },
        { 0xc0000005, 0 }, { 0x80060005, STUB_NONSENSE }, { 0xc0010005, STUB_NONSENSE } };

    for (unsigned i = 0; i < array_length(names); i++) {
        BEGIN_WITH(OP_OPEN_QUERY_HANDLE, false, names[i].max, names[i].offset, names[i].actual);
        check_bits(sense_of_perflibv2, names[i].bits, "name", i);
    }
    for (unsigned i = 0; i < array_length(handles); i++) {
        for (unsigned opnum = OP_CLOSE_QUERY_HANDLE; opnum <= OP_QUERY_COUNTER_DATA; opnum++) {
            begin(opnum, false);
            put_handle();
            bytes[0] = (uint8_t)handles[i].attributes;
            bytes[1] = (uint8_t)(handles[i].attributes >> 8);
            bytes[2] = (uint8_t)(handles[i].attributes >> 16);
            put(0x4000000); /* a size that tells nothing; of Close it is none of it */
            check_bits(sense_of_perflibv2, handles[i].bits, "handle", i);
        }
    }
    for (unsigned i = 0; i < array_length(sizes); i++) {
        begin(OP_QUERY_COUNTER_INFO, false);
        put_handle();
        put(sizes[i].size);
        check_bits(sense_of_perflibv2, 32 + sizes[i].bits, "size", i);
        for (uint32_t more = 0; more < 2; more++) {
            begin(OP_VALIDATE_COUNTERS, false);
            put_handle();
            PUT(sizes[i].size, sizes[i].size + more);
            check_bits(sense_of_perflibv2, 32 + sizes[i].bits + (more ? 0 : 32), "size and count", i);
        }
    }
    for (unsigned i = 0; i < array_length(answers); i++) {
        BEGIN_WITH(OP_QUERY_COUNTER_INFO, true, answers[i].out, answers[i].needed, answers[i].max, answers[i].offset,
            answers[i].actual);
        put(0x80070000); /* a code that tells nothing */
        check_bits(sense_of_perflibv2, answers[i].bits, "answer", i);
    }
    for (unsigned i = 0; i < array_length(identifiers); i++) {
        BEGIN_WITH(OP_VALIDATE_COUNTERS, true, 40);
        sample.length += 16;
        PUT(identifiers[i].status, identifiers[i].size, 0x80070000);
        check_bits(sense_of_perflibv2, 12 + identifiers[i].bits, "identifier", i);
    }
    BEGIN_WITH(OP_VALIDATE_COUNTERS, true, 0, 0x80070000);
    check_bits(sense_of_perflibv2, 12, "without identifiers", 0);
    for (unsigned i = 0; i < array_length(codes); i++) {
        begin_handle_of_zeros(OP_CLOSE_QUERY_HANDLE, codes[i].code);
        check_bits(sense_of_perflibv2, codes[i].bits == STUB_NONSENSE ? STUB_NONSENSE : 160 + codes[i].bits, "code", i);
        /* Of the last fragment but not the first it is all that is known. */
        sample.is_first = false;
        check_bits(sense_of_perflibv2, codes[i].bits, "code alone", i);
        sample.is_last = false;
        check_bits(sense_of_perflibv2, 0, "a fragment between", i);
    }
    begin_handle_of_zeros(OP_OPEN_QUERY_HANDLE, 5);
    check_bits(sense_of_perflibv2, 32 + 16, "not opened", 5);
    begin(OP_CLOSE_QUERY_HANDLE, true);
    put_handle();
    put(5);
    check_bits(sense_of_perflibv2, 32 + 16, "not closed", 5);
    BEGIN_WITH(NUM_OPS, false, 0);
    check_bits(sense_of_perflibv2, 0, "no operation", NUM_OPS);
    begin(OP_OPEN_QUERY_HANDLE, false);
    sample.length = 3;
    check_bits(sense_of_perflibv2, 0, "too short", 3);
}

/* The version of ORPCTHIS, [MS-DCOM] 2.2.13, and its flags. */
static void
begin_orpc(bool is_little_endian)
{
    begin(7, false);
    sample.is_little_endian = is_little_endian;
    PUT(is_little_endian ? 0x00070005 : 0x00050007, 0);
}

static void
check_orpcthis_and_orpcthat_make_sense(bool is_little_endian)
{
    begin_orpc(is_little_endian);
    put(0);
    sample.length += 20;
    check_sense(pla_sense, "ORPCTHIS", ENOUGH);
    BEGIN_WITH(7, false, 0x00070006, 0, 0);
    check_nonsense(pla_sense, "another version of DCOM");
    begin_orpc(is_little_endian);
    put(1);
    sample.length += 20;
    check_nonsense(pla_sense, "ORPCTHIS with what is reserved");
    BEGIN_WITH(7, true, 0);
    check_nonsense(pla_sense, "an answer without ORPCTHAT");
    BEGIN_WITH(7, true, 0, 0, 0x80300100);
    check_sense(pla_sense, "ORPCTHAT", 64);
    BEGIN_WITH(7, true, 0);
    sample.is_first = false;
    check_bits(pla_sense, 0, "a last fragment", 1);
}

/* ORPCTHIS: 16 bits of the major version, 13 of the minor, which is 7 at most, 32 reserved, 32 flags. */
static void
check_orpc_counts_version_flags_and_extensions(bool is_little_endian)
{
    for (uint32_t minor = 0; minor <= 8; minor++) {
        for (uint32_t flags = 0; flags < 2; flags++) {
            begin(7, false);
            sample.is_little_endian = is_little_endian;
            PUT(is_little_endian ? minor << 16 | 5 : 5u << 16 | minor, flags, 0);
            sample.length += 20;
            check_bits(pla_sense, minor == 8 ? STUB_NONSENSE : 16 + 13 + 32 + (flags == 0 ? 32 : 0), "version", minor);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        begin(7, true);
        sample.is_little_endian = is_little_endian;
        put(i & 1);
        put_count(i & 2 ? 0x00020000 : 0);
        put(0);
        check_bits(pla_sense, (i & 1 ? 0 : 32) + (i & 2 ? 0 : 32), "ORPCTHAT", i);
    }
}

/* Who is asked of which interface, and whose it is: what other servers have, too, is nobody's. */
static void
check_each_interface_has_its_check(void)
{
    static const struct rpc_listener *const listener = (const struct rpc_listener *)(const void *)room;
    const e_guid_t *const companions[] = { &iremunknown_iid, &iremunknown2_iid, &iremotescmactivator_iid,
        &idispatch_iid };

    wmem_init_scopes();
    pla_sense_register(listener);
    for (unsigned i = 0; i < PLA_NUM_INTERFACES; i++) {
        const struct stub_kind *kind = stub_kind_find(&pla_interfaces[i].iid);

        CHECK(kind != NULL && kind->check == pla_sense && kind->listener == listener &&
                (strncmp(pla_interfaces[i].name, "IEnum", 5) == 0
                        ? kind->protocol == NULL
                        : kind->protocol != NULL && strcmp(kind->protocol, "pla") == 0),
            "%s", pla_interfaces[i].name);
    }
    for (size_t i = 0; i < array_length(companions); i++) {
        const struct stub_kind *kind = stub_kind_find(companions[i]);

        CHECK(kind != NULL && kind->check == pla_sense && kind->listener == NULL && kind->protocol == NULL, "%zu", i);
    }
    CHECK(stub_kind_find(&iactivation_iid) == NULL, "not one of them");
}

/* Bytes by chance make sense nowhere, however often it is tried. */
static void
check_random_bytes_make_no_sense(void)
{
    static const stub_check checks[] = { sense_of_perflibv2, winreg_sense, pla_sense };
    uint32_t seed = 1;

    for (unsigned i = 0; i < 60000; i++) {
        begin(i % 36, i & 1);
        sample.length = 8 + i % 200;
        for (unsigned b = 0; b < sample.length; b++) {
            seed = seed * 1664525 + 1013904223;
            bytes[b] = (uint8_t)(seed >> 24);
        }
        finish();
        for (size_t c = 0; c < array_length(checks); c++) {
            const int sense = checks[c](&sample);

            CHECK(sense < ENOUGH + 10, "chance %u makes %d bits", i, sense);
        }
    }
}

/* Numbers stand at multiples of their size; what lies behind the stub is all ones, and too much only where it ends there. */
static void
check_numbers_are_aligned_and_bounded(void)
{
    static const uint8_t stub[20] = { 1, 0, 0, 0, 2, 0, 9, 9, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0 };
    struct stub_sample whole = { .is_last = true,
        .is_little_endian = true,
        .length = 20,
        .head = stub,
        .head_length = 20 };
    struct stub_sample part = whole;
    struct stub_reader reader = { .sample = &whole };
    bool is_null;

    CHECK_EQUAL(stub_read_uint32(&reader), 1, "the first");
    stub_skip(&reader, 2);
    CHECK_EQUAL(stub_read_uint32(&reader), 3, "padding before the third");
    whole.is_ndr64 = true;
    CHECK(stub_left(&reader) == 8, "%u left", stub_left(&reader));
    reader = (struct stub_reader){ .sample = &whole };
    stub_skip(&reader, 12);
    CHECK_EQUAL(stub_read_count(&reader), UINT64_C(0xFFFFFFFF00000000), "no room for a count behind its padding");
    CHECK(reader.overrun, "no room for a count behind its padding");
    reader = (struct stub_reader){ .sample = &whole };
    stub_skip(&reader, 4);
    CHECK_EQUAL(stub_read_count(&reader), UINT64_C(0x400000003), "a count behind its padding");
    CHECK(!reader.overrun, "a count behind its padding");
    whole.is_little_endian = false;
    reader = (struct stub_reader){ .sample = &whole };
    stub_skip(&reader, 8);
    CHECK_EQUAL(stub_read_count(&reader), UINT64_C(0x0300000004000000), "a count, big-endian");
    CHECK_EQUAL(stub_read_lpdata_uint32(&reader), 0, "the last, in little-endian whatever the stub is");
    CHECK(!reader.overrun, "the last, in little-endian whatever the stub is");

    part.is_last = false;
    reader = (struct stub_reader){ .sample = &part };
    stub_skip(&reader, 24);
    CHECK(!reader.overrun, "a fragment that goes on elsewhere");
    CHECK_EQUAL(stub_read_uint32(&reader), UINT32_MAX, "a fragment that goes on elsewhere");
    CHECK(!reader.overrun, "a fragment that goes on elsewhere");
    part.is_last = true;
    reader = (struct stub_reader){ .sample = &part };
    stub_skip(&reader, 20);
    CHECK(!reader.overrun, "the end is not beyond the end");
    stub_skip(&reader, 1);
    CHECK(reader.overrun, "one more is");

    reader = (struct stub_reader){ .sample = &part };
    CHECK_EQUAL(stub_read_handle(&reader, &is_null), 1, "a handle that ends in zeros");
    CHECK(!is_null, "a handle that ends in zeros");
}

int
main(void)
{
    check_numbers_are_aligned_and_bounded();
    check_each_operation_makes_sense_as_specified(true, false);
    check_each_operation_makes_sense_as_specified(false, false);
    check_each_operation_makes_sense_as_specified(true, true);
    check_each_operation_makes_sense_as_specified(false, true);
    check_rubbish_is_no_call_of_perflibv2();
    check_string_has_no_control_character();
    check_string_counts_agree();
    check_stub_is_read_to_its_end();
    check_winreg_requests_and_answers_make_sense();
    check_winreg_counts_bits_of_each_operation();
    check_perflibv2_counts_bits_up_to_each_limit();
    check_winreg_counts_bits_up_to_each_limit();
    check_orpcthis_and_orpcthat_make_sense(true);
    check_orpcthis_and_orpcthat_make_sense(false);
    check_orpc_counts_version_flags_and_extensions(true);
    check_orpc_counts_version_flags_and_extensions(false);
    check_each_interface_has_its_check();
    check_random_bytes_make_no_sense();
    return check_result();
}
