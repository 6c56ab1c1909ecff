/* test_oaut_arrays.c
 * SAFEARRAYs, also of VARIANTs: of every type, by reference, with one referent and two, and such as contradict themselves
 *
 * [MS-OAUT] 2.2.7 to 2.2.30
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "oaut-build.h"

static void
check_safearray_has_the_elements_sent(void)
{
    for (size_t i = 0; i < array_length(values); i++) {
        const struct value *value = &values[i];

        for (unsigned by_reference = 0; by_reference < 2 && value->sf != 0; by_reference++) {
            for (unsigned referents = 1; referents <= 2; referents++) {
                char text[100];
                struct oaut_variant v;

                begin_pointers((uint16_t)(0x2000 | value->vt | (by_reference ? 0x4000 : 0)), by_reference);
                ADD(0x20008);
                begin_array(referents, value->sf, value->vt, 3);
                for (unsigned j = 0; j < 3; j++) {
                    add_bits(value);
                }
                if (value->size == 1) {
                    snprintf(text, sizeof text, "3 elements: %02x%02x%02x", (unsigned)value->bits,
                        (unsigned)value->bits, (unsigned)value->bits);
                } else {
                    snprintf(text, sizeof text, "3 elements: %s", value->text);
                }
                CHECK_READ(PARAM_AT, &v, text, value->name);
                CHECK(!v.is_integer && !v.is_date, "%s: an array is no number", value->name);
                for (unsigned j = 1; j <= 3 && value->size > 1; j++) {
                    CHECK(items_have(value->field, (int)(out.size - j * value->size), (int)value->size),
                        "%s: no item of the last but %u", value->name, j - 1);
                }
                CHECK(items_have("dcom.sa.elements", (int)out.size - (int)(3 * value->size) - 20, 4) ||
                        value->size == 8,
                    "%s: Size", value->name);
                if (referents == 2) {
                    check_cuts(PARAM_AT, value->name);
                }
                /* None at all. */
                begin_param((uint16_t)(0x2000 | value->vt));
                ADD(0x20008);
                begin_array(referents, value->sf, value->vt, 0);
                align(value->size);
                CHECK_READ(PARAM_AT, &v, "0 elements", value->name);
                begin_param((uint16_t)(0x2000 | value->vt));
                ADD(0);
                CHECK_READ(PARAM_AT, &v, "NULL", value->name);
            }
        }
    }
}

/* VARIANTs are found in VARIANTs by reference, and in arrays. */
static void
check_variants_are_found_in_variants(void)
{
    struct oaut_variant v;

    begin_param(0x400c);
    ADD(0x20004, 0x20008);
    begin_variant(3, 3);
    ADD(11);
    CHECK_READ(PARAM_AT, &v, "11", "VT_VARIANT by reference");
    CHECK_EQUAL(v.vt, 3, "the inner one's type and value");
    CHECK(v.is_integer, "the inner one's type and value");
    CHECK_EQUAL(v.integer, 11, "the inner one's type and value");
    check_cuts(PARAM_AT, "VT_VARIANT by reference");
    begin_param(0x400c);
    ADD(0x20004, 0);
    CHECK_READ(PARAM_AT, &v, "NULL", "VT_VARIANT by reference to none");

    for (unsigned by_reference = 0; by_reference < 2; by_reference++) {
        begin_pointers((uint16_t)(0x200c | (by_reference ? 0x4000 : 0)), 1 + by_reference);
        begin_array(2, 0xc, 0, 3);
        ADD(0x50000, 0, 0x50004);
        begin_variant(8, 8);
        ADD(0x50008);
        add_bstr("deep");
        begin_variant(2, 2);
        add(9, 2);
        CHECK_READ(PARAM_AT, &v, "3 elements: deep", "VT_VARIANT array");
        CHECK(items_have("dcom.vt.i2", (int)out.size - 2, 2), "the last one's item");
        check_cuts(PARAM_AT, "VT_VARIANT array");
    }

    /* Eight deep are read, nine are not. */
    for (unsigned depth = 8; depth <= 9; depth++) {
        bool ok;

        begin_param(0x400c);
        for (unsigned i = 1; i < depth; i++) {
            ADD(0x20004, 0x20008);
            begin_variant(i + 1 < depth ? 0x400c : 3, i + 1 < depth ? 0x400c : 3);
        }
        ADD(5);
        ok = reads(PARAM_AT, out.size, &v);
        CHECK(ok == (depth == 8), "%u deep", depth);
        if (ok) {
            CHECK(strcmp(v.text, "5") == 0 && num_experts == 0, "%u deep: %s", depth, v.text);
        } else {
            CHECK(items_only_expert((int)out.size - 24, 20, "VARIANTs nested too deeply to be read"), "%s",
                experts[0].text);
        }
    }
}

/* Arrays whose counts disagree, and of types that cannot be read. */
static void
check_arrays_that_contradict_themselves_are_told(void)
{
    struct oaut_array array = { .hf_string = -1, .hf_bytes = -1 };
    struct oaut_variant v;

    begin_pointers(0x2003, 1);
    begin_array(2, 3, 3, 2);
    out.bytes[out.size - 4] = 1; /* the elements' own count */
    ADD(7);
    CHECK(reads(PARAM_AT, out.size, &v) && strcmp(v.text, "1 elements: 7") == 0, "%s", v.text);
    CHECK(items_only_expert((int)out.size - 8, 4, "SAFEARRAY has 1 elements, Size says 2"), "%s", experts[0].text);

    begin_pointers(0x2003, 1);
    begin_array(2, 3, 3, 2);
    out.bytes[out.size - 12] = 3; /* its only bound */
    ADD(7, 8);
    CHECK(reads(PARAM_AT, out.size, &v) && strcmp(v.text, "2 elements: 7") == 0, "%s", v.text);
    CHECK(items_only_expert((int)out.size - 8 - 20, 4, "SAFEARRAY Size 2 differs from its bounds' 3 elements"), "%s",
        experts[0].text);

    begin_pointers(0x2003, 1);
    begin_array(2, 0xa, 0, 1);
    ADD(7);
    CHECK(!reads(PARAM_AT, out.size, &v) &&
            items_only_expert((int)out.size - 28, 4, "SAFEARRAY whose marshalling failed (SF_ERROR)"),
        "%s", experts[0].text);
    begin_pointers(0x2003, 1);
    begin_array(2, 0x24, 0, 1);
    ADD(7);
    CHECK(!reads(PARAM_AT, out.size, &v) &&
            items_only_expert((int)out.size - 28, 4, "SAFEARRAY of a type that cannot be read"),
        "%s", experts[0].text);

    /* As a parameter, of a type that its IDL promises. */
    for (unsigned referents = 1; referents <= 2; referents++) {
        begin();
        ADD(0x20000);
        begin_array(referents, 8, 0, 2);
        ADD(0x50000, 0x50004);
        add_bstr("x");
        add_bstr("yz");
        read_from(0, out.size);
        array.expected = OAUT_SF_BSTR;
        oaut_safearray(&orpc, &array);
        CHECK(!orpc.failed && array.count == 2 && strcmp(array.first, "x") == 0 && !array.null && num_experts == 0 &&
                (unsigned)orpc.ndr.offset == out.size,
            "%u referents: %s", referents, experts[0].text);
        read_from(0, out.size);
        array.expected = OAUT_SF_I1;
        oaut_safearray(&orpc, &array);
        CHECK(!orpc.failed && array.count == 2 &&
                items_only_expert((int)(4 * referents) + 16, 4, "SAFEARRAY of SF_BSTR where the IDL says SF_I1"),
            "%u referents: %s at %d", referents, experts[0].text, experts[0].start);
    }
    begin();
    ADD(0);
    read_from(0, out.size);
    array.count = 0;
    oaut_safearray(&orpc, &array);
    CHECK(!orpc.failed, "none");
    CHECK(array.null, "none");
    CHECK_EQUAL(array.count, 0, "none");
    CHECK_STRING(array.first, "", "none");
    begin();
    ADD(0x20000, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99);
    read_from(0, out.size);
    oaut_safearray(&orpc, &array);
    CHECK(orpc.failed && items_only_expert(4, 28, "SAFEARRAY is not valid with one pointer or with two") &&
            num_items == 0,
        "%s, %u items", experts[0].text, num_items);
    read_from(0, 3);
    oaut_safearray(&orpc, &array);
    CHECK(orpc.failed, "nobody knows whether there is one");
    CHECK(!array.null, "nobody knows whether there is one");
    /* What the capture cut off can't tell, and is nobody's fault. */
    for (unsigned captured = 8; captured < 32; captured++) {
        volatile bool has_thrown = false;

        read_from(0, out.size);
        orpc.ndr.tvb = tvb_new_real_data(out.bytes, captured, (int)out.size);
        TRY
        {
            oaut_safearray(&orpc, &array);
        }
        CATCH(BoundsError)
        {
            has_thrown = true;
        }
        ENDTRY;
        CHECK(has_thrown && num_experts == 0, "%u bytes captured: %s", captured, experts[0].text);
    }
}

/* What may be read with one pointer and with two: what agrees more; two where both agree. */
static void
check_form_of_an_array_is_the_one_that_agrees_more(void)
{
    struct oaut_array array = { .hf_string = -1, .hf_bytes = -1 };
    /*
     * An array of SF_I1, each of a byte, with one pointer. Where nothing else is set, it begins once more 4 bytes on: its
     * Size is then the type, the referent of its elements the Size, its low bound the elements of a bound, and its first
     * four bytes the max count.
     */
    static const struct {
        uint32_t size, referent, low_bound, count, data, expected;
        unsigned behind; /* bytes behind those four */
        unsigned form;
    } cases[] = {
        { 3, 0x40000, 0, 3, 0x030201, 0, 0, 1 },
        { 3, 0x40000, 0, 3, 0x030201, OAUT_SF_I1, 0, 1 },
        { 3, 0x40000, 0, 3, 0x030201, OAUT_SF_BSTR, 0, 2 }, /* neither is what it should be */
        { 3, 0x40000, 0, 2, 0x030201, OAUT_SF_I1, 0, 1 },
        { 0xa, 0x40000, 0, 0xa, 0x030201, 0, 6, 1 }, /* SF_ERROR, which has no size */
        { 3, 5, 5, 3, 4, 0, 40, 1 },                 /* max count */
        { 3, 5, 6, 3, 5, 0, 40, 1 },                 /* bound */
        { 3, 5, 5, 3, 5, 0, 19, 1 },                 /* room for five numbers of 4 bytes */
        { 3, 5, 5, 3, 5, 0, 20, 2 },
        { 3, 5, 5, 3, 5, OAUT_SF_I1, 20, 1 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        begin();
        ADD(0x20000, 1, 1, 1, 0, OAUT_SF_I1, cases[i].size, cases[i].referent, cases[i].size, cases[i].low_bound,
            cases[i].count, cases[i].data);
        add(0, cases[i].behind);
        read_from(0, out.size);
        array.expected = cases[i].expected;
        array.first = NULL;
        oaut_safearray(&orpc, &array);
        CHECK(items_have("dcom.sa.elements", cases[i].form == 2 ? 28 : 24, 4), "%zu: not with %u pointers", i,
            cases[i].form);
    }
    /* Two pointers, and no element, which nothing follows: with one it would be of three bytes, of which four are there. */
    begin();
    ADD(0x20000, 1, 1, 1, 4, OAUT_SF_I1, 3, 0, 3, 0, 3, 0);
    read_from(0, out.size);
    array.expected = 0;
    oaut_safearray(&orpc, &array);
    CHECK(items_have("dcom.sa.elements", 28, 4), "both agree");
    CHECK(!orpc.failed, "both agree");

    /* Of a header's first 20 bytes it is known where it begins. */
    for (unsigned size = 27; size <= 28; size++) {
        begin();
        ADD(0x20000, 0x30000, 1, 1, 1, 0, 3);
        CHECK(out.size == 28, "%u", out.size);
        read_from(0, size);
        oaut_safearray(&orpc, &array);
        CHECK(orpc.failed &&
                items_only_expert(size == 28 ? 8 : 4, 0,
                    size == 28 ? "SAFEARRAY header needs 28 bytes; the stub has 20 left"
                               : "SAFEARRAY header needs 28 bytes; the stub has 23 left"),
            "%s", experts[0].text);
    }
}

int
main(void)
{
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    orpc_init();
    oaut_init();
    check_safearray_has_the_elements_sent();
    check_variants_are_found_in_variants();
    check_arrays_that_contradict_themselves_are_told();
    check_form_of_an_array_is_the_one_that_agrees_more();
    wmem_destroy_allocator(pinfo.pool);
    return check_result();
}
