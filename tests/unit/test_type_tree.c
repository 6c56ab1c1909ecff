/* test_type_tree.c
 * The bit fields of a counter type, as winperf.h names them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <string.h>

#include "base/fields.h"
#include "check.h"

#define AT 12

static struct counter_type_fields fields;
static hf_register_info registered[20];
static unsigned num_registered;

/* What was shown, and of which type. */
static int shown[20];
static unsigned num_shown;
static int a_tree, a_subtree;
static proto_item type_item;

/* In place of base/field-family.c and of Wireshark's. */
void
field_family_register(int proto, const char *prefix, const hf_register_info *hf, size_t count)
{
    CHECK(proto == 3 && strcmp(prefix, "x.type") == 0 && count <= array_length(registered), "%d, %s", proto, prefix);
    for (size_t i = 0; i < count; i++) {
        /* All but the whole are bits of it. */
        CHECK((hf[i].hfinfo.bitmask == 0) == (i == 0), "%s", hf[i].hfinfo.abbrev);
        registered[i] = hf[i];
        *hf[i].p_id = (int)i + 100;
    }
    num_registered = (unsigned)count;
}

void
proto_register_subtree_array(int *const *indices, const int num)
{
    CHECK(num == 1 && *indices[0] == -1, "%d", num);
    *indices[0] = 55;
}

proto_item *
proto_tree_add_item(proto_tree *tree, int hfindex, tvbuff_t *tvb _U_, const int start, int length,
    const unsigned encoding)
{
    CHECK(start == AT && length == 4 && encoding == ENC_BIG_ENDIAN, "%d, %d", start, length);
    CHECK(tree == (proto_tree *)(num_shown == 0 ? &a_tree : &a_subtree), "field %u", num_shown);
    if (num_shown < array_length(shown)) {
        shown[num_shown++] = hfindex;
    }
    return &type_item;
}

proto_tree *
proto_item_add_subtree(proto_item *item, const int idx)
{
    CHECK(item == &type_item && idx == 55, "%d", idx);
    return (proto_tree *)&a_subtree;
}

/* What a field shows of a type. */
static const char *
text_of(int hf, uint32_t type)
{
    const header_field_info *field = &registered[hf - 100].hfinfo;
    uint64_t mask = field->bitmask;
    uint32_t value = type;

    if (field->type == FT_BOOLEAN) {
        CHECK(field->display == 32, "%s", field->name);
        return (type & mask) != 0 ? field->name : "";
    }
    if (mask == 0) {
        return "";
    }
    for (value &= (uint32_t)mask; (mask & 1) == 0; mask >>= 1) {
        value >>= 1;
    }
    return field->strings == NULL ? "" : val_to_str_const(value, (const value_string *)field->strings, "?");
}

static void
check_types(void)
{
    static const struct {
        uint32_t type;
        const char *shown;
    } cases[] = {
        { 0x00000000, "DISPLAY_NO_SUFFIX TIMER_TICK NUMBER_HEX TYPE_NUMBER SIZE_DWORD" },
        { 0x00010100, "DISPLAY_NO_SUFFIX TIMER_TICK NUMBER_DECIMAL TYPE_NUMBER SIZE_LARGE" },
        { 0x00020000, "DISPLAY_NO_SUFFIX TIMER_TICK NUMBER_DEC_1000 TYPE_NUMBER SIZE_DWORD" },
        { 0x10410400, "DISPLAY_PER_SEC DELTA_COUNTER TIMER_TICK COUNTER_RATE TYPE_COUNTER SIZE_DWORD" },
        { 0x23510500,
            "DISPLAY_PERCENT MULTI_COUNTER INVERSE_COUNTER DELTA_COUNTER TIMER_100NS COUNTER_RATE TYPE_COUNTER "
            "SIZE_LARGE" },
        { 0x20670500, "DISPLAY_PERCENT DELTA_COUNTER OBJECT_TIMER COUNTER_PRECISION TYPE_COUNTER SIZE_LARGE" },
        { 0x20C20400, "DISPLAY_PERCENT DELTA_BASE DELTA_COUNTER TIMER_TICK COUNTER_FRACTION TYPE_COUNTER SIZE_DWORD" },
        { 0x30240500, "DISPLAY_SECONDS OBJECT_TIMER COUNTER_ELAPSED TYPE_COUNTER SIZE_LARGE" },
        { 0x00450400, "DISPLAY_NO_SUFFIX DELTA_COUNTER TIMER_TICK COUNTER_QUEUELEN TYPE_COUNTER SIZE_DWORD" },
        { 0x40030402, "DISPLAY_NOSHOW TIMER_TICK COUNTER_BASE TYPE_COUNTER SIZE_DWORD" },
        { 0x00060400, "DISPLAY_NO_SUFFIX TIMER_TICK COUNTER_HISTOGRAM TYPE_COUNTER SIZE_DWORD" },
        { 0x00000400, "DISPLAY_NO_SUFFIX TIMER_TICK COUNTER_VALUE TYPE_COUNTER SIZE_DWORD" },
        { 0x00000B00, "DISPLAY_NO_SUFFIX TIMER_TICK TEXT_UNICODE TYPE_TEXT SIZE_VARIABLE_LEN" },
        { 0x00010B00, "DISPLAY_NO_SUFFIX TIMER_TICK TEXT_ASCII TYPE_TEXT SIZE_VARIABLE_LEN" },
        /* Of the fourth kind a subtype has no name. */
        { 0x40010E00, "DISPLAY_NOSHOW TIMER_TICK TYPE_ZERO SIZE_ZERO" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        char found[300] = "";

        num_shown = 0;
        CHECK(type_tree_add((proto_tree *)&a_tree, NULL, AT, &fields, ENC_BIG_ENDIAN, cases[i].type) == &type_item,
            "%zu", i);
        CHECK(num_shown == COUNTER_TYPE_TREE_ITEMS && shown[0] == fields.type, "%u items", num_shown);
        for (unsigned f = 1; f < num_shown; f++) {
            const char *text = text_of(shown[f], cases[i].type);

            if (text[0] != '\0') {
                CHECK(g_str_has_prefix(text, "PERF_"), "%s", text);
                g_strlcat(found, found[0] == '\0' ? "" : " ", sizeof found);
                g_strlcat(found, text + strlen("PERF_"), sizeof found);
            }
            CHECK(f == 1 || shown[f] != shown[f - 1], "%u stands twice", f);
        }
        CHECK(strcmp(found, cases[i].shown) == 0, "0x%08x: %s, not %s", cases[i].type, found, cases[i].shown);
    }
}

int
main(void)
{
    type_tree_register(&fields, 3, "x.type");
    CHECK(num_registered == 13, "%u", num_registered);
    for (unsigned i = 0; i < num_registered; i++) {
        /* One name for all subtypes, as one has but one. */
        CHECK((strcmp(registered[i].hfinfo.abbrev, ".subtype") == 0) ==
                g_str_equal(registered[i].hfinfo.name, "Subtype"),
            "%s", registered[i].hfinfo.abbrev);
    }
    check_types();
    return check_result();
}
