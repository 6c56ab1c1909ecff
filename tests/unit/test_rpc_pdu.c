/* test_rpc_pdu.c
 * Headers of DCE/RPC's PDUs ([C706] 12.6.3) with their trailers ([MS-RPCE] 2.2.2.11), in either byte order, however they end
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "check.h"
#include "base/rpc-pdu.h"

static uint8_t bytes[128];

static void
put(unsigned at, uint32_t value, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++) {
        bytes[at + (big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    }
}

/* A PDU at offset 3: its length, and a trailer of so many bytes with 4 of padding before it. Returns where it ends. */
static unsigned
make(unsigned type, unsigned flags, unsigned length, unsigned auth_length, bool big)
{
    memset(bytes, 0, sizeof bytes);
    bytes[3] = 5;
    bytes[3 + 2] = (uint8_t)type;
    bytes[3 + 3] = (uint8_t)flags;
    bytes[3 + 4] = big ? 0 : 0x10;
    put(3 + 8, length, 2, big);
    put(3 + 10, auth_length, 2, big);
    put(3 + 12, 0x01020304, 4, big);
    put(3 + 16, 0x1000, 4, big);
    put(3 + 20, 7, 2, big);
    put(3 + 22, 6, 2, big);
    if (auth_length != 0 && length > auth_length + 8) {
        const unsigned at = 3 + length - auth_length - 8;

        bytes[at] = 10;
        bytes[at + 1] = 6;
        bytes[at + 2] = 4;
        put(at + 4, 0xA1B2C3D4, 4, big);
    }
    return 3 + length;
}

static bool
read_it(unsigned size, struct rpc_pdu *pdu)
{
    tvbuff_t *tvb = tvb_new_real_data(bytes, size, (int)size);
    const bool is_one = rpc_pdu_read(tvb, 3, pdu);

    tvb_free(tvb);
    return is_one;
}

static void
test_header_and_stub_are_found(void)
{
    for (unsigned big = 0; big < 2; big++) {
        struct rpc_pdu pdu;

        CHECK(read_it(make(PDU_REQ, 3, 80, 16, big), &pdu), "a request");
        CHECK_EQUAL(pdu.type, PDU_REQ, "header");
        CHECK_EQUAL(pdu.flags, 3, "header");
        CHECK_EQUAL(pdu.length, 80, "header");
        CHECK_EQUAL(pdu.auth_length, 16, "header");
        CHECK_EQUAL(pdu.call_id, 0x01020304, "header");
        CHECK(pdu.is_whole, "of a request");
        CHECK_EQUAL(pdu.is_little_endian, !big, "of a request");
        CHECK_EQUAL(pdu.context, 7, "of a request");
        CHECK_EQUAL(pdu.opnum, 6, "of a request");
        CHECK(pdu.stub_at == 24 && pdu.stub_length == 80 - 24 - 8 - 16, "%u bytes at %u", pdu.stub_length, pdu.stub_at);
        CHECK(pdu.has_trailer, "trailer");
        CHECK_EQUAL(pdu.auth_type, 10, "trailer");
        CHECK_EQUAL(pdu.auth_level, 6, "trailer");
        CHECK_EQUAL(pdu.auth_pad, 4, "trailer");
        CHECK_EQUAL(pdu.auth_context, 0xA1B2C3D4, "trailer");
        CHECK_EQUAL(pdu.auth_at, 80 - 16, "trailer");
        CHECK(read_it(make(PDU_REQ, 3 | 0x80, 80, 0, big), &pdu), "an object");
        CHECK_EQUAL(pdu.stub_at, 40, "an object");
        CHECK_EQUAL(pdu.stub_length, 40, "an object");
        CHECK(!pdu.has_trailer, "an object");
        CHECK(read_it(make(PDU_RESP, 3, 80, 0, big), &pdu), "a response");
        CHECK_EQUAL(pdu.stub_at, 24, "a response");
        CHECK_EQUAL(pdu.opnum, 0, "a response");
        CHECK_EQUAL(pdu.context, 7, "a response");
        CHECK(read_it(make(PDU_FAULT, 3, 36, 0, big), &pdu), "a fault");
        CHECK_EQUAL(pdu.stub_at, 32, "a fault");
        CHECK_EQUAL(pdu.stub_length, 4, "a fault");
        CHECK(read_it(make(PDU_BIND, 3, 60, 20, big), &pdu), "a bind");
        CHECK_EQUAL(pdu.stub_at, 0, "a bind");
        CHECK_EQUAL(pdu.stub_length, 0, "a bind");
        CHECK(pdu.has_trailer, "a bind");
    }
}

static void
test_cut_pdu_ends_where_the_capture_does(void)
{
    struct rpc_pdu pdu;

    make(PDU_REQ, 3, 80, 16, false);
    CHECK(!read_it(3 + 15, &pdu), "less than a header");
    CHECK(read_it(3 + 16, &pdu), "a header alone");
    CHECK(!pdu.is_whole, "a header alone");
    CHECK_EQUAL(pdu.opnum, 0, "a header alone");
    CHECK(!pdu.has_trailer, "a header alone");
    CHECK_EQUAL(pdu.stub_length, 32, "a header alone");
    CHECK(read_it(3 + 23, &pdu), "a byte less than a request's");
    CHECK_EQUAL(pdu.opnum, 0, "a byte less than a request's");
    CHECK_EQUAL(pdu.context, 0, "a byte less than a request's");
    CHECK(read_it(3 + 24, &pdu), "as much as a request's");
    CHECK_EQUAL(pdu.opnum, 6, "as much as a request's");
    CHECK(read_it(3 + 79, &pdu), "a byte less than all");
    CHECK(!pdu.is_whole, "a byte less than all");
    CHECK(!pdu.has_trailer, "a byte less than all");
    CHECK(read_it(3 + 81, &pdu), "more than all");
    CHECK(pdu.is_whole, "more than all");
    CHECK(pdu.has_trailer, "more than all");
}

/* A fault's status, [C706] 12.6.4.7, and a bind_nak's reason, 12.6.4.5: as far as they were captured. */
static void
test_status_and_reason_are_read(void)
{
    for (unsigned big = 0; big < 2; big++) {
        struct rpc_pdu pdu;

        make(PDU_FAULT, 3, 36, 0, big);
        put(3 + 24, 0x1C010003, 4, big);
        CHECK(read_it(3 + 28, &pdu) && pdu.has_status && pdu.status == 0x1C010003, "status 0x%x", pdu.status);
        CHECK(read_it(3 + 27, &pdu), "half of a status");
        CHECK(!pdu.has_status, "half of a status");
        CHECK_EQUAL(pdu.status, 0, "half of a status");
        make(PDU_BIND_NAK, 3, 18, 0, big);
        put(3 + 16, 8, 2, big);
        CHECK(read_it(3 + 18, &pdu) && pdu.reject_reason == 8 && !pdu.has_status, "reason %u", pdu.reject_reason);
        CHECK(read_it(3 + 17, &pdu), "half of a reason");
        CHECK_EQUAL(pdu.reject_reason, 0, "half of a reason");
        make(PDU_BIND_NAK, 3, 17, 0, big);
        CHECK(read_it(3 + 20, &pdu), "a bind_nak without one");
        CHECK_EQUAL(pdu.reject_reason, 0, "a bind_nak without one");
    }
}

/* The stub of a PDU, as far as it was captured, unless it is or may be sealed. */
static void
test_stub_in_clear_is_given(void)
{
    static const struct {
        unsigned length, auth_length, level, captured;
        unsigned stub; /* bytes of it; 0: none */
    } cases[] = {
        { 80, 0, 0, 80, 56 },
        { 80, 0, 0, 26, 2 },
        { 80, 0, 0, 24, 0 },
        { 24, 0, 0, 30, 0 },
        { 80, 16, 5, 80, 80 - 24 - 8 - 16 - 4 },
        { 80, 16, 6, 80, 0 },
        { 80, 16, 5, 79, 0 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const unsigned end = make(PDU_REQ, 3, cases[i].length, cases[i].auth_length, false);
        unsigned length;
        struct rpc_pdu pdu;
        const uint8_t *stub;
        tvbuff_t *tvb;

        if (cases[i].auth_length != 0) {
            bytes[end - cases[i].auth_length - 7] = (uint8_t)cases[i].level;
        }
        tvb = tvb_new_real_data(bytes, 3 + cases[i].captured, (int)(3 + cases[i].captured));
        CHECK(rpc_pdu_read(tvb, 3, &pdu), "case %u", (unsigned)i);
        stub = rpc_pdu_clear_stub(tvb, &pdu, &length);
        CHECK(length == cases[i].stub && (stub == NULL) == (length == 0) && (stub == NULL || stub == bytes + 3 + 24),
            "case %u: %u bytes", (unsigned)i, length);
        tvb_free(tvb);
    }
}

/* Messages of NTLM, which begin with a signature and a type, [MS-NLMP] 2.2.1. */
static void
test_ntlm_message_is_found(void)
{
    static const uint8_t token[] = { 0x60, 0x1E, 'N', 'T', 'L', 'M', 'S', 'S', 'P', 0, 3, 0, 0, 0, 9 };
    unsigned left;

    CHECK(rpc_token_ntlm(token, sizeof token, &left) == token + 2 && left == 13, "%u bytes", left);
    CHECK(rpc_token_ntlm(token, 14, &left) == token + 2 && left == 12, "%u bytes", left);
    CHECK(rpc_token_ntlm(token, 13, &left) == NULL, "a type that is cut off");
    CHECK(rpc_token_ntlm(token + 3, sizeof token - 3, &left) == NULL, "another signature");
}

/* What can't be. */
static void
test_impossible_lengths_are_refused(void)
{
    struct rpc_pdu pdu;
    unsigned size = make(PDU_REQ, 3, 24, 0, false);

    CHECK(read_it(size, &pdu), "no stub");
    CHECK_EQUAL(pdu.stub_length, 0, "no stub");
    size = make(PDU_REQ, 3, 23, 0, false);
    CHECK(!read_it(size + 8, &pdu), "shorter than its header");
    CHECK(!read_it(make(PDU_REQ, 0x83, 39, 0, false) + 8, &pdu), "than its object");
    CHECK(read_it(make(PDU_REQ, 0x83, 40, 0, false), &pdu), "than its object");
    CHECK(!read_it(make(PDU_BIND, 3, 15, 0, false) + 8, &pdu), "than any header");
    CHECK(read_it(make(PDU_BIND, 3, 16, 0, false), &pdu), "than any header");
    CHECK(read_it(make(PDU_REQ, 3, 47, 16, false), &pdu), "no room for a trailer");
    CHECK_EQUAL(pdu.auth_length, 0, "no room for a trailer");
    CHECK(!pdu.has_trailer, "no room for a trailer");
    CHECK_EQUAL(pdu.stub_length, 23, "no room for a trailer");
    CHECK(read_it(make(PDU_REQ, 3, 48, 16, false), &pdu), "just room");
    CHECK_EQUAL(pdu.auth_length, 16, "just room");
    CHECK(pdu.has_trailer, "just room");
    CHECK_EQUAL(pdu.stub_length, 0, "just room");
    size = make(PDU_REQ, 3, 80, 0, false);
    bytes[3] = 4;
    CHECK(!read_it(size, &pdu), "version 4");
    bytes[3] = 5;
    bytes[4] = 1;
    CHECK(read_it(size, &pdu), "version 5.1");
    bytes[4] = 2;
    CHECK(!read_it(size, &pdu), "version 5.2");
    bytes[4] = 0;
    bytes[5] = 20;
    CHECK(read_it(size, &pdu), "the last type");
    bytes[5] = 21;
    CHECK(!read_it(size, &pdu), "a type beyond the last");
    bytes[5] = PDU_REQ;
    bytes[7] = 0x20;
    CHECK(!read_it(size, &pdu), "no byte order");
    bytes[7] = 0x11;
    CHECK(read_it(size, &pdu), "EBCDIC");
    CHECK(pdu.is_little_endian, "EBCDIC");
}

static void
test_kinds_of_pdus_are_told(void)
{
    static const struct {
        unsigned type;
        bool is_clients, is_binding;
    } kinds[] = {
        { PDU_REQ, true, false },
        { PDU_RESP, false, false },
        { PDU_FAULT, false, false },
        { PDU_BIND, true, true },
        { 12, false, true },
        { 13, false, true },
        { PDU_ALTER, true, true },
        { 15, false, true },
        { PDU_AUTH3, true, true },
        { PDU_CO_CANCEL, true, false },
        { PDU_ORPHANED, true, false },
        { 17, false, false },
        { 10, false, false },
    };

    for (unsigned i = 0; i < array_length(kinds); i++) {
        const struct rpc_pdu pdu = { .type = (uint8_t)kinds[i].type };

        CHECK(rpc_pdu_is_clients(&pdu) == kinds[i].is_clients && rpc_pdu_is_binding(&pdu) == kinds[i].is_binding,
            "type %u", kinds[i].type);
    }
}

/* Padding belongs to the trailer, [MS-RPCE] 2.2.2.11; it can be more than there is of a stub only where somebody lies. */
static void
test_padding_belongs_to_the_trailer(void)
{
    struct rpc_pdu pdu;

    CHECK(read_it(make(PDU_RESP, 3, 80, 16, false), &pdu) && rpc_pdu_stub_size(&pdu) == 80 - 24 - 8 - 16 - 4,
        "%u bytes", rpc_pdu_stub_size(&pdu));
    CHECK(read_it(make(PDU_RESP, 3, 51, 16, false), &pdu) && pdu.stub_length == 3 && rpc_pdu_stub_size(&pdu) == 0,
        "%u bytes", rpc_pdu_stub_size(&pdu));
}

/* What a bind_ack says of each context, [C706] 12.6.4.4: behind the address, at a multiple of four. Cut at every byte. */
static void
test_bind_ack_says_a_result_a_context(void)
{
    for (unsigned length = 0; length <= 9; length++) {
        for (unsigned big = 0; big < 2; big++) {
            const unsigned list = (26 + length + 3) & ~3u, whole = list + 4 + 2 * 24;
            uint8_t pdu[128];
            tvbuff_t *tvb;

            /* What stands behind the list is no result. */
            memset(pdu, 0xEE, sizeof pdu);
            pdu[24 + big] = (uint8_t)length;
            pdu[25 - big] = 0;
            pdu[list] = 2;
            for (unsigned n = 0; n < 2; n++) {
                uint8_t *result = pdu + list + 4 + 24 * n;

                result[big] = (uint8_t)(n + 1);
                result[1 - big] = 0;
                result[2 + big] = (uint8_t)(n + 5);
                result[3 - big] = 0;
                memset(result + 4, (int)(0x10 + n), 16);
            }
            for (unsigned size = 24; size <= sizeof pdu; size++) {
                const struct rpc_pdu read = { .length = whole, .is_little_endian = big == 0 };
                const unsigned there = size < list + 4 ? 0 : MIN((size - list - 4) / 24, 2);
                struct rpc_contexts results;
                struct rpc_result result;

                tvb = tvb_new_real_data(pdu, size, (int)size);
                results = rpc_results_begin(tvb, &read);
                for (unsigned n = 0; n < there; n++) {
                    CHECK(rpc_results_next(&results, &result), "%u of %u bytes", n, size);
                    CHECK(result.result == n + 1 && result.reason == n + 5, "%u, %u", result.result, result.reason);
                    CHECK(result.syntax.data1 == 0x10101010 + 0x01010101 * n && result.syntax.data4[7] == 0x10 + n,
                        "%08x", result.syntax.data1);
                }
                CHECK(!rpc_results_next(&results, &result), "one more of %u bytes", size);
                tvb_free(tvb);
            }
        }
    }
}

int
main(void)
{
    wmem_init();
    test_bind_ack_says_a_result_a_context();
    test_header_and_stub_are_found();
    test_cut_pdu_ends_where_the_capture_does();
    test_status_and_reason_are_read();
    test_stub_in_clear_is_given();
    test_ntlm_message_is_found();
    test_impossible_lengths_are_refused();
    test_kinds_of_pdus_are_told();
    test_padding_belongs_to_the_trailer();
    wmem_cleanup();
    return check_result();
}
