/* test_oaut.c
 * VARIANTs of every type, by value and by reference, and the objects in them; cut at every byte
 *
 * [MS-OAUT] 2.2.7 to 2.2.30
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>

#include "oaut-build.h"

static void
check_variant_has_the_value_sent(void)
{
    for (size_t i = 0; i < array_length(values); i++) {
        const struct value *value = &values[i];
        struct oaut_variant v;

        begin_param(value->vt);
        add_bits(value);
        CHECK_READ(PARAM_AT, &v, value->text, value->name);
        CHECK(v.vt == value->vt && v.is_integer == value->is_integer && (!v.is_integer || v.integer == value->integer),
            "%s: type %u, integer %d: %" PRId64, value->name, v.vt, v.is_integer, v.integer);
        CHECK(v.is_date == (value->vt == 7) && !v.is_text && !v.is_null_text && !v.is_object && !v.null, "%s",
            value->name);
        CHECK(items_have(value->field, (int)(out.size - value->size), (int)value->size), "%s: no item at %u",
            value->name, out.size - value->size);
        CHECK(items_have("dcom.variant_type", 16, 2) && items_have("dcom.variant_size", 8, 4), "%s: header",
            value->name);
        check_cuts(PARAM_AT, value->name);

        /* By reference: a referent, then the value as it is aligned behind it. */
        begin_pointers(0x4000 | value->vt, 1);
        add_bits(value);
        CHECK_READ(PARAM_AT, &v, value->text, value->name);
        CHECK(v.vt == (0x4000 | value->vt) && v.is_integer == value->is_integer && v.integer == value->integer, "%s",
            value->name);
        CHECK(items_have(value->field, (int)(out.size - value->size), (int)value->size), "%s by reference: no item",
            value->name);
        check_cuts(PARAM_AT, value->name);
        begin_param(0x4000 | value->vt);
        ADD(0);
        CHECK_READ(PARAM_AT, &v, "NULL", value->name);
    }
}

/* Whether the parameter begins with a referent nobody says: what makes sense tells. Here both could begin at once. */
static void
check_referent_is_told_by_what_makes_sense(void)
{
    for (size_t i = 0; i < array_length(values); i++) {
        const struct value *value = &values[i];

        for (unsigned by_reference = 0; by_reference < 2; by_reference++) {
            for (unsigned sent = 0; sent < 2; sent++) {
                const uint16_t vt = (uint16_t)(value->vt | (by_reference ? 0x4000 : 0));
                struct oaut_variant v;

                begin();
                if (sent) {
                    ADD(0x20000);
                }
                begin_variant(vt, vt);
                if (by_reference) {
                    ADD(0x20004);
                }
                add_bits(value);
                CHECK_READ(0, &v, value->text, value->name);
                CHECK(items_have("dcom.variant_type", sent ? 16 : 8, 2), "%s", value->name);
            }
        }
    }
}

static void
check_decimal_has_96_bits(void)
{
    static const struct {
        unsigned scale, sign;
        uint64_t low;
        const char *text;
    } decimals[] = {
        { 0, 0, 0, "0" },
        { 0, 0x80, 7, "-7" },
        { 1, 0, 7, "0.7" },
        { 3, 0x80, 12, "-0.012" },
        { 2, 0, 12345, "123.45" },
        { 5, 0, 12345, "0.12345" },
        { 4, 0x80, 12345, "-1.2345" },
        { 28, 0, 1, "0.0000000000000000000000000001" },
        { 0, 0, UINT64_MAX, "18446744073709551615" },
        { 19, 0x80, UINT64_MAX, "-1.8446744073709551615" },
        { 29, 0, 5, "00001d00000000000500000000000000" },
    };

    for (size_t i = 0; i < array_length(decimals); i++) {
        struct oaut_variant v;

        begin_param(0xe);
        align(8);
        add(0, 2);
        add(decimals[i].scale, 1);
        add(decimals[i].sign, 1);
        ADD(0);
        add(decimals[i].low, 8);
        CHECK_READ(PARAM_AT, &v, decimals[i].text, "VT_DECIMAL");
    }
    {
        struct oaut_variant v;

        begin_param(0xe);
        align(8);
        ADD(0, 1, 0, 0);
        CHECK_READ(PARAM_AT, &v, "00000000010000000000000000000000", "VT_DECIMAL of more than 64 bits");
    }
}

static void
check_bstr_has_the_text_sent(void)
{
    struct oaut_variant v;

    for (unsigned by_reference = 0; by_reference < 2; by_reference++) {
        const uint16_t vt = by_reference ? 0x4008 : 8;

        begin_pointers(vt, 1 + by_reference);
        add_bstr("abc");
        CHECK_READ(PARAM_AT, &v, "abc", "VT_BSTR");
        CHECK(v.is_text, "a text");
        CHECK(!v.is_null_text, "a text");
        CHECK(!v.is_integer, "a text");
        /* The text with its referent and its header. */
        CHECK(items_have("dcom.vt.bstr", (int)out.size - 6 - 16, 22), "no item");
        check_cuts(PARAM_AT, "VT_BSTR");
        CHECK(!reads(PARAM_AT, out.size - 2, &v) && strcmp(v.text, "ab") == 0, "what there is of it: %s", v.text);

        begin_pointers(vt, 1 + by_reference);
        add_bstr("");
        CHECK_READ(PARAM_AT, &v, "", "an empty one");
        CHECK(v.is_text, "an empty text is one");
        CHECK(!v.is_null_text, "an empty text is one");

        begin_pointers(vt, 1 + by_reference);
        ADD(0, 0xffffffff, 0);
        CHECK_READ(PARAM_AT, &v, "NULL", "a null BSTR");
        CHECK(!v.is_text, "no text");
        CHECK(v.is_null_text, "no text");

        begin_pointers(vt, by_reference);
        ADD(0);
        CHECK_READ(PARAM_AT, &v, "NULL", "a null pointer");
        CHECK(!v.is_text, "no text");
        CHECK(v.is_null_text, "no text");

        begin_pointers((uint16_t)(vt | 0x2000), 1 + by_reference);
        begin_array(2, 8, 8, 3);
        ADD(0x50000, 0, 0x50004);
        add_bstr("first");
        add_bstr("third");
        CHECK_READ(PARAM_AT, &v, "3 elements: first", "VT_BSTR array");
        CHECK(!v.is_text, "the last one's item");
        CHECK(items_have("dcom.vt.bstr", (int)out.size - 10 - 12, 22), "the last one's item");
        check_cuts(PARAM_AT, "VT_BSTR array");
    }

    /* Counts that disagree are said, and the smaller one is believed. */
    begin_abc(3, 4, 3);
    CHECK(reads(PARAM_AT, out.size, &v) && strcmp(v.text, "ab") == 0 && (unsigned)orpc.ndr.offset == out.size,
        "cBytes is less: %s", v.text);
    CHECK(items_only_expert((int)out.size - 18, 12, "BSTR counts disagree: max count 3, cBytes 4, clSize 3"), "%s",
        experts[0].text);
    begin_abc(3, 4, 2);
    CHECK(reads(PARAM_AT, out.size, &v) && strcmp(v.text, "ab") == 0 && (unsigned)orpc.ndr.offset == out.size,
        "clSize is less: %s", v.text);
    CHECK(items_only_expert((int)out.size - 18, 12, "BSTR counts disagree: max count 3, cBytes 4, clSize 2"), "%s",
        experts[0].text);
    /* Characters are counted in whole ones: here by their bytes, by the room for them where there are less. */
    for (uint32_t bytes = 3; bytes <= 6; bytes++) {
        struct oaut_bstr bstr;

        begin();
        ADD(0x20000, 3, bytes, 3);
        add(0x20002, 4);
        add(0x2000, 2);
        read_from(0, out.size);
        bstr = oaut_bstr(&orpc);
        CHECK(bstr.chars == (bytes <= 4 ? 2 : 3), "%u bytes: %u characters", bytes, bstr.chars);
    }
    /* cBytes of a null BSTR, but there is a text. */
    begin_abc(2, 0xffffffff, 2);
    CHECK(reads(PARAM_AT, out.size, &v) && strcmp(v.text, "ab") == 0, "of two characters: %s", v.text);
    begin_param(8);
    ADD(0x20004, 1, 0xffffffff, 1);
    add('a', 2);
    CHECK(reads(PARAM_AT, out.size, &v) && strcmp(v.text, "a") == 0 && v.is_text && !v.is_null_text, "%s", v.text);
    CHECK(items_only_expert((int)out.size - 14, 12, "BSTR counts disagree: max count 1, cBytes 4294967295, clSize 1"),
        "%s", experts[0].text);
    /* A zero within it does not end it; the ones at its end are not shown. */
    begin_param(8);
    ADD(0x20004, 5, 10, 5);
    add('a', 2);
    add(0, 2);
    add('c', 2);
    add(0, 4);
    CHECK_READ(PARAM_AT, &v,
        "a\xe2\x90\x80"
        "c",
        "a zero within");
}

static void
check_objects_are_found_in_variants(void)
{
    static const uint16_t types[] = { 9, 0xd };
    /* [MS-DCOM] 2.2.18.4 and .6 */
    enum { STANDARD = 1, CUSTOM = 2 };
    static const struct {
        const char *field;
        int at, length;
        unsigned is_of;
    } parts[] = { { "dcom.objref.signature", 0, 4, STANDARD | CUSTOM },
        { "dcom.objref.flags", 4, 4, STANDARD | CUSTOM }, { "dcom.iid", 8, 16, STANDARD | CUSTOM },
        { "dcom.stdobjref.flags", 24, 4, STANDARD }, { "dcom.stdobjref.public_refs", 28, 4, STANDARD },
        { "dcom.oxid", 32, 8, STANDARD }, { "dcom.oid", 40, 8, STANDARD }, { "dcom.ipid", 48, 16, STANDARD },
        { "dcom.dualstringarray.num_entries", 64, 2, STANDARD },
        { "dcom.dualstringarray.security_offset", 66, 2, STANDARD }, { "dcom.clsid", 24, 16, CUSTOM },
        { "dcom.nospec", 40, 28, CUSTOM } };

    for (size_t i = 0; i < array_length(types); i++) {
        for (unsigned by_reference = 0; by_reference < 2; by_reference++) {
            const uint16_t vt = (uint16_t)(types[i] | (by_reference ? 0x4000 : 0));
            struct oaut_variant v;

            for (unsigned is_standard = 0; is_standard < 2; is_standard++) {
                begin_pointers(vt, 1 + by_reference);
                add_object(is_standard);
                CHECK_READ(PARAM_AT, &v, is_standard ? "b3b2b1b0-b5b4-b7b6-b8b9-babbbcbdbebf" : "OBJREF", "an object");
                CHECK(v.is_object, "an object");
                CHECK_EQUAL(v.object.standard, is_standard, "an object");
                CHECK(!v.object.null, "an object");
                CHECK_EQUAL(v.object.size, 68, "an object");
                CHECK_EQUAL(v.object.offset, out.size - 68, "an object");
                CHECK(!is_standard || v.object.oid == 0x22, "its OID");
                for (size_t j = 0; j < array_length(parts); j++) {
                    CHECK(items_have(parts[j].field, (int)v.object.offset + parts[j].at, parts[j].length) ==
                            ((parts[j].is_of & (is_standard ? STANDARD : CUSTOM)) != 0),
                        "%s", parts[j].field);
                }
                check_cuts(PARAM_AT, "an object");
            }
            begin_pointers(vt, by_reference);
            ADD(0);
            CHECK_READ(PARAM_AT, &v, "NULL", "no object");

            begin_pointers((uint16_t)(vt | 0x2000), 1 + by_reference);
            begin_array(2, types[i], 0, 3);
            ADD(0x60000, 0, 0x60004);
            add_object(true);
            add_object(true);
            CHECK_READ(PARAM_AT, &v, "3 elements", "an array of objects");
            CHECK(!v.is_object, "an array is no object");
            check_cuts(PARAM_AT, "an array of objects");
        }
    }
}

/* An OBJREF of each kind, as long as it is, and shorter: what is shown of it, from its beginning. [MS-DCOM] 2.2.18 */
static void
check_objref_of_each_kind_is_shown_as_far_as_it_goes(void)
{
    enum { STANDARD = 1, HANDLER = 2, CUSTOM = 4, EXTENDED = 8 };
    static const struct {
        uint32_t flags;
        unsigned size;
        int clsid, bindings, rest; /* where they stand; 0: there are none */
        bool is_cut;
    } cases[] = {
        { STANDARD, 24 + 40 + 24, 0, 64, 0, false },
        { HANDLER, 24 + 40 + 16 + 8, 64, 80, 0, false },
        { CUSTOM, 24 + 16 + 8, 24, 0, 40, false },
        { EXTENDED, 24 + 40 + 24, 0, 0, 64, false },
        { CUSTOM, 24 + 16, 24, 0, 0, false },
        { CUSTOM, 24 + 15, 0, 0, 24, false },
        { CUSTOM, 24, 0, 0, 0, false },
        { STANDARD, 24 + 39, 0, 0, 24, true },
        { STANDARD, 24, 0, 0, 0, true },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct oaut_variant v;
        int at;
        unsigned num_rests = 0;

        begin_param(0xd);
        ADD(0x20004, cases[i].size, cases[i].size, 0x574f454d, cases[i].flags);
        at = (int)out.size - 8;
        add(0, cases[i].size - 8);
        CHECK(reads(PARAM_AT, out.size, &v) && num_experts == cases[i].is_cut, "%zu: %s", i, experts[0].text);
        CHECK(!cases[i].is_cut || items_only_expert(at, (int)cases[i].size, "OBJREF is truncated within its STDOBJREF"),
            "%zu: %s", i, experts[0].text);
        CHECK(items_have("dcom.objref.flags", at + 4, 4), "%zu: flags", i);
        CHECK(items_have("dcom.clsid", at + 24, 16) == (cases[i].clsid == 24) &&
                items_have("dcom.clsid", at + 64, 16) == (cases[i].clsid == 64),
            "%zu: class", i);
        CHECK(items_have("dcom.dualstringarray.num_entries", at + 64, 2) == (cases[i].bindings == 64) &&
                items_have("dcom.dualstringarray.num_entries", at + 80, 2) == (cases[i].bindings == 80) &&
                !items_have("dcom.dualstringarray.num_entries", at + 24, 2),
            "%zu: bindings", i);
        for (unsigned j = 0; j < num_items; j++) {
            num_rests +=
                items[j].hf >= FIRST_FIELD && strcmp(field_names[items[j].hf - FIRST_FIELD], "dcom.nospec") == 0;
        }
        CHECK(num_rests == (cases[i].rest != 0), "%zu: %u rests", i, num_rests);
        CHECK(cases[i].rest == 0 || items_have("dcom.nospec", at + cases[i].rest, (int)cases[i].size - cases[i].rest),
            "%zu: the rest", i);
    }
    /* Shorter than what all begin with. */
    for (unsigned size = 8; size <= 23; size += 15) {
        struct oaut_variant v;

        begin_param(0xd);
        ADD(0x20004, size, size, 0x574f454d, CUSTOM);
        add(0, size - 8);
        CHECK(reads(PARAM_AT, out.size, &v) && num_experts == 1 &&
                strcmp(experts[0].text, "OBJREF without its signature MEOW") == 0,
            "%u bytes: %s", size, experts[0].text);
        CHECK(!items_have("dcom.objref.signature", (int)(out.size - size), 4), "%u bytes", size);
    }
    /* With another signature, and its end cut off by the capture, which must not be asked for. */
    for (unsigned cut = 0; cut <= 16; cut += 8) {
        struct oaut_variant v;

        begin_param(0xd);
        ADD(0x20004, 40, 40, 0x4d454f57);
        add(0, 36);
        read_from(PARAM_AT, out.size);
        orpc.ndr.tvb = tvb_new_real_data(out.bytes, out.size - cut, (int)out.size);
        oaut_variant_param(&orpc, &v);
        CHECK(items_only_expert((int)out.size - 40, 40 - (int)cut, "OBJREF without its signature MEOW"),
            "%u bytes cut: %s, %d+%d", cut, experts[0].text, experts[0].start, experts[0].length);
    }
}

/* [MS-DCOM] 2.2.19: a zero ends the bindings of each kind, whatever room is left behind it. */
static void
check_zero_ends_the_bindings(void)
{
    static const uint16_t words[] = { 14, 8, 7, 'a', 0, 0, 0, 0, 0, 0, 10, 0xffff, 0, 0, 0, 0 };
    const unsigned size = 24 + 40 + sizeof words;
    struct oaut_variant v;
    int at;

    begin_param(0xd);
    ADD(0x20004, size, size, 0x574f454d, 1);
    add(0, 16 + 40);
    at = (int)out.size;
    for (size_t i = 0; i < array_length(words); i++) {
        add(words[i], 2);
    }
    CHECK(reads(PARAM_AT, out.size, &v), "%s", experts[0].text);
    CHECK(items_have("dcom.dualstringarray.tower_id", at + 4, 2), "string bindings");
    CHECK(items_have("dcom.dualstringarray.network_addr", at + 6, 2), "string bindings");
    CHECK(!items_have("dcom.dualstringarray.tower_id", at + 10, 2), "string bindings");
    CHECK(items_have("dcom.dualstringarray.security_authn_svc", at + 20, 2), "security bindings");
    CHECK(items_have("dcom.dualstringarray.security_authz_svc", at + 22, 2), "security bindings");
    CHECK(!items_have("dcom.dualstringarray.security_authn_svc", at + 26, 2), "security bindings");
}

static void
check_empty_variants_are_shown(void)
{
    struct oaut_variant v;

    begin_param(0);
    CHECK_READ(PARAM_AT, &v, "VT_EMPTY", "VT_EMPTY");
    CHECK_EQUAL(v.vt, 0, "empty, but a VARIANT");
    CHECK(!v.null, "empty, but a VARIANT");
    CHECK(!v.is_integer, "empty, but a VARIANT");
    begin_param(1);
    CHECK_READ(PARAM_AT, &v, "VT_NULL", "VT_NULL");
    /* With a referent and without, the last of its stub. */
    for (unsigned i = 0; i < 4; i++) {
        const uint16_t vt = (uint16_t)(i % 2);

        begin();
        if (i >= 2) {
            ADD(0x20000);
        }
        begin_variant(vt, vt);
        CHECK_READ(0, &v, vt == 0 ? "VT_EMPTY" : "VT_NULL", "nothing at the end");
    }

    /* No VARIANT at all. */
    begin();
    ADD(0x11111111, 0);
    CHECK_READ(PARAM_AT, &v, "", "no VARIANT");
    CHECK(v.null, "none was sent");
}

/* Its referent is shown where it is, whether or not padding follows: a field of PLA's own, without a number here. */
static void
check_referent_is_shown_where_it_is(void)
{
    for (unsigned lead = 0; lead < 2; lead++) {
        struct oaut_variant v;
        unsigned found = 0;

        begin();
        add(0x11111111, 4 * lead);
        ADD(0x20000);
        begin_variant(3, 3);
        ADD(5);
        CHECK_READ(4 * lead, &v, "5", "a number");
        for (unsigned i = 0; i < num_items; i++) {
            found += items[i].hf == -1 && items[i].start == (int)(4 * lead) && items[i].length == 4;
        }
        CHECK(found == 1, "%u are shown", found);
    }
}

/* Types that no VARIANT may have, and a discriminant of another type. */
static void
check_types_that_no_variant_may_have_are_told(void)
{
    static const uint16_t types[] = { 0xc, 0xf, 0x18, 0x19, 0x24, 0x25, 0x40, 0x800, 0x1003, 0x8003, 0x2024, 0x4024 };
    struct oaut_variant v;

    for (size_t i = 0; i < array_length(types); i++) {
        begin_param(types[i]);
        ADD(0x20004, 1, 2, 3);
        CHECK(!reads(PARAM_AT, out.size, &v) && strcmp(v.text, "") == 0 && v.vt == types[i], "0x%x was read", types[i]);
        CHECK(items_only_expert(16, 2, "VARIANT of a type that cannot be read"), "0x%x: %s", types[i], experts[0].text);
    }
    begin_param_as(3, 2);
    ADD(5);
    CHECK(reads(PARAM_AT, out.size, &v), "is read by its type");
    CHECK_STRING(v.text, "5", "is read by its type");
    CHECK(items_only_expert(24, 4, "VARIANT's union discriminant 0x2 does not match its type 0x3"), "%s",
        experts[0].text);
    /* Of an array the discriminant has but the flags, or all. */
    begin_param_as(0x2003, 0x2003);
    ADD(0);
    CHECK_READ(PARAM_AT, &v, "NULL", "an array's whole type");
    begin_param_as(0x6003, 0x2000);
    ADD(0x20004, 0);
    CHECK(reads(PARAM_AT, out.size, &v), "a flag is missing");
    CHECK_EQUAL(num_experts, 1, "a flag is missing");
}

static void
check_types_have_their_names(void)
{
    static const struct {
        uint16_t vt;
        const char *name;
    } names[] = {
        { 0, "VT_EMPTY" },
        { 0x11, "VT_UI1" },
        { 0x2008, "VT_ARRAY|VT_BSTR" },
        { 0x400c, "VT_BYREF|VT_VARIANT" },
        { 0x6003, "VT_BYREF|VT_ARRAY|VT_I4" },
        { 0xf, "0xf" },
        { 0x2fff, "VT_ARRAY|0xfff" },
    };

    for (size_t i = 0; i < array_length(names); i++) {
        CHECK(strcmp(oaut_vartype_name(pinfo.pool, names[i].vt), names[i].name) == 0, "%s",
            oaut_vartype_name(pinfo.pool, names[i].vt));
    }
}

/* 2.2.25: days since 1899-12-30, whose fraction counts forward. */
static void
check_dates_count_from_1899(void)
{
    static const struct {
        double date;
        const char *text;
    } dates[] = {
        { 45658.25, "2025-01-01 06:00:00" },
        { 36585, "2000-02-29 00:00:00" },
        { 36586, "2000-03-01 00:00:00" },
        { 2, "1900-01-01 00:00:00" },
        { 61, "1900-03-01 00:00:00" }, /* 1900 had no 29th of February */
        { 25569, "1970-01-01 00:00:00" },
        { -657434, "0100-01-01 00:00:00" },
        { 2958465.9, "9999-12-31 21:36:00" },
        { 1.5, "1899-12-31 12:00:00" },
        { -0.5, "1899-12-30 12:00:00" },
        { 1.0 - 0.4 / 86400, "1899-12-31 00:00:00" }, /* less than half a second before midnight */
        { 1.0 - 0.6 / 86400, "1899-12-30 23:59:59" },
        { 2958466, "2.95847e+06 (out of range)" },
        { -657435, "-657435 (out of range)" },
    };

    for (size_t i = 0; i < array_length(dates); i++) {
        const char *text = oaut_date_text(pinfo.pool, dates[i].date, true, true);

        CHECK(strcmp(text, dates[i].text) == 0, "%s, not %s", text, dates[i].text);
    }
    CHECK_STRING(oaut_date_text(pinfo.pool, 45658.25, true, false), "2025-01-01", "the date alone");
    CHECK_STRING(oaut_date_text(pinfo.pool, 45658.28125, false, true), "06:45:00", "the time alone");
    CHECK(strstr(oaut_date_text(pinfo.pool, NAN, true, true), "out of range") != NULL, "no number");
}

/* Referents, counts and what is reserved, where Wireshark's preference asks for them. */
static void
check_details_are_shown_where_asked_for(void)
{
    static const struct detail {
        const char *field;
        int start, length;
    } of_text[] = { { "dcom.pointer_val", 4, 4 }, { "dcom.variant_rpc_res", 12, 4 }, { "dcom.variant_wres", 18, 2 },
        { "dcom.variant_wres", 20, 2 }, { "dcom.variant_wres", 22, 2 }, { "dcom.variant_type32", 24, 4 },
        { "dcom.pointer_val", 28, 4 }, { "dcom.array_size", 32, 4 }, { "dcom.byte_length", 36, 4 } },
      of_object[] = { { "dcom.pointer_val", 28, 4 }, { "dcom.array_size", 32, 4 }, { "dcom.ip_cnt_data", 36, 4 } },
      of_array[] = { { "dcom.pointer_val", 0, 4 }, { "dcom.pointer_val", 4, 4 }, { "dcom.array_size", 8, 4 },
          { "dcom.sa.locks", 20, 2 }, { "dcom.array_size", 44, 4 }, { "dcom.array_size", 52, 4 },
          { "dcom.byte_length", 56, 4 } },
      of_any[] = { { "dcom.sa.dims16", 12, 2 }, { "dcom.sa.features", 14, 2 }, { "dcom.sa.element_size", 16, 4 },
          { "dcom.sa.vartype", 24, 4 }, { "dcom.sa.elements", 28, 4 }, { "dcom.sa.bound_elements", 36, 4 },
          { "dcom.sa.low_bound", 40, 4 }, { "dcom.vt.bstr", 52, 14 } };
    struct oaut_array array = { .hf_string = -1, .hf_bytes = -1 };
    struct oaut_variant v;
    unsigned features = 0;

    for (int i = 0; i < num_fields; i++) {
        features += g_str_has_prefix(field_names[i], "dcom.sa.features_");
    }
    CHECK(features == 11, "fFeatures has 11 flags, [MS-OAUT] 2.2.9: %u", features);
    for (int asked = 0; asked < 2; asked++) {
        dcom_prefs_display_unmarshalling_details = asked;
        begin_pointers(8, 1);
        add_bstr("ab");
        CHECK(reads(PARAM_AT, out.size, &v), "a text");
        for (size_t i = 0; i < array_length(of_text); i++) {
            CHECK(items_have(of_text[i].field, of_text[i].start, of_text[i].length) == asked, "%s at %d",
                of_text[i].field, of_text[i].start);
        }
        CHECK(!items_have("dcom.variant_wres", 24, 2), "three are reserved");
        begin_param(0xd);
        ADD(0x20004, 24, 24, 0x574f454d, 8, 0, 0, 0, 0);
        reads(PARAM_AT, out.size, &v);
        for (size_t i = 0; i < array_length(of_object); i++) {
            CHECK(items_have(of_object[i].field, of_object[i].start, of_object[i].length) == asked, "%s at %d",
                of_object[i].field, of_object[i].start);
        }
        begin();
        ADD(0x20000);
        begin_array(2, 8, 0, 1);
        ADD(0x50000);
        add_bstr("x");
        read_from(0, out.size);
        oaut_safearray(&orpc, &array);
        for (size_t i = 0; i < array_length(of_array); i++) {
            CHECK(items_have(of_array[i].field, of_array[i].start, of_array[i].length) == asked, "%s at %d",
                of_array[i].field, of_array[i].start);
        }
        for (size_t i = 0; i < array_length(of_any); i++) {
            CHECK(items_have(of_any[i].field, of_any[i].start, of_any[i].length), "%s at %d", of_any[i].field,
                of_any[i].start);
        }
    }
    dcom_prefs_display_unmarshalling_details = false;
}

int
main(void)
{
    pinfo.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    orpc_init();
    oaut_init();
    check_variant_has_the_value_sent();
    check_referent_is_told_by_what_makes_sense();
    check_decimal_has_96_bits();
    check_bstr_has_the_text_sent();
    check_objects_are_found_in_variants();
    check_objref_of_each_kind_is_shown_as_far_as_it_goes();
    check_zero_ends_the_bindings();
    check_empty_variants_are_shown();
    check_referent_is_shown_where_it_is();
    check_types_that_no_variant_may_have_are_told();
    check_types_have_their_names();
    check_dates_count_from_1899();
    check_details_are_shown_where_asked_for();
    wmem_destroy_allocator(pinfo.pool);
    return check_result();
}
