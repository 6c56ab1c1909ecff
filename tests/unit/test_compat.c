/* test_compat.c
 * What is asked of Wireshark's own structures: labels, who looks, how many items have a field's name, and calls that
 * nobody sees
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include <epan/column-info.h>

#include "check.h"

/* In place of Wireshark's fields: three of one name, in the order in which they are linked, one of another. */
enum { LAST_OF_THREE, OTHER, FIRST_OF_THREE, SECOND_OF_THREE, NUM_FIELDS };

static header_field_info fields[NUM_FIELDS] = {
    [FIRST_OF_THREE] = { .id = FIRST_OF_THREE,
        .same_name_next = &fields[SECOND_OF_THREE],
        .same_name_prev_id = -1,
        .type = FT_UINT32 },
    [SECOND_OF_THREE] = { .id = SECOND_OF_THREE,
        .same_name_next = &fields[LAST_OF_THREE],
        .same_name_prev_id = FIRST_OF_THREE,
        .type = FT_UINT32 },
    [LAST_OF_THREE] = { .id = LAST_OF_THREE, .same_name_prev_id = SECOND_OF_THREE, .type = FT_UINT32 },
    [OTHER] = { .id = OTHER, .same_name_prev_id = -1, .type = FT_UINT32 },
};
static unsigned num_items[NUM_FIELDS]; /* 0: not even a list of them */
static proto_tree tree;

header_field_info *
proto_registrar_get_nth(unsigned hf)
{
    CHECK(hf < NUM_FIELDS, "no field has the number %u", hf);
    return hf < NUM_FIELDS ? &fields[hf] : NULL;
}

GPtrArray *
proto_get_finfo_ptr_array(const proto_tree *asked_tree, const int hf)
{
    GPtrArray *items;

    CHECK(asked_tree == &tree && hf >= 0 && hf < NUM_FIELDS, "items of %d", hf);
    if (hf < 0 || hf >= NUM_FIELDS || num_items[hf] == 0) {
        return NULL;
    }
    items = g_ptr_array_new();
    g_ptr_array_set_size(items, (int)num_items[hf]);
    return items;
}

static void
test_items_labels_and_readers_are_found(void)
{
    item_label_t label = { .representation = "Name: value" };
    field_info info = { .rep = NULL };
    proto_item item = { .finfo = NULL };
    tree_data_t data = { .visible = false };
    proto_tree seen = { .tree_data = &data };

    CHECK(perflib_item_label(NULL) == NULL, "no item, or none that is kept");
    CHECK(perflib_item_label(&item) == NULL, "no item, or none that is kept");
    item.finfo = &info;
    CHECK(perflib_item_label(&item) == NULL, "no label");
    for (unsigned name_length = 0; name_length <= 6; name_length += 6) {
        perflib_item_set_label(&item, &label, name_length);
        CHECK(perflib_item_label(&item) == label.representation, "its label");
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
        CHECK(label.value_pos == name_length && label.value_len == (name_length == 0 ? 0 : 5), "%u, %u",
            (unsigned)label.value_pos, (unsigned)label.value_len);
#endif
    }
    CHECK(!perflib_tree_is_seen(NULL), "nobody looks");
    CHECK(!perflib_tree_is_seen(&seen), "nobody looks");
    data.visible = true;
    CHECK(perflib_tree_is_seen(&seen), "somebody does");
    fields[OTHER].ref_type = HF_REF_TYPE_DIRECT;
    CHECK(perflib_field_is_asked(OTHER), "one field is asked for");
    CHECK(!perflib_field_is_asked(FIRST_OF_THREE), "one field is asked for");
}

static void
test_items_of_all_fields_of_a_name_are_counted(void)
{
    static const int three[] = { FIRST_OF_THREE, SECOND_OF_THREE, LAST_OF_THREE };

    CHECK_EQUAL(perflib_count_items(&tree, OTHER), 0, "none");
    num_items[OTHER] = 1000;
    num_items[FIRST_OF_THREE] = 1;
    num_items[LAST_OF_THREE] = 100;
    for (unsigned middle = 0; middle <= 10; middle += 10) {
        num_items[SECOND_OF_THREE] = middle;
        for (unsigned i = 0; i < array_length(three); i++) {
            CHECK(perflib_count_items(&tree, three[i]) == 101 + middle, "from %d: %u", three[i],
                perflib_count_items(&tree, three[i]));
        }
    }
    CHECK_EQUAL(perflib_count_items(&tree, OTHER), 1000, "another's are not counted");
}

/* A dissector that adds so many data sources, the last of which is of these bytes. */
static const uint8_t plain[] = { 11, 12, 13, 14 }, other[] = { 21, 22, 23, 24 };
static unsigned num_added, times_called;
static int a_handle, an_argument;
static packet_info pinfo;

int
call_dissector_only(dissector_handle_t handle, tvbuff_t *tvb, packet_info *called, proto_tree *called_tree, void *data)
{
    CHECK(handle == (dissector_handle_t)&a_handle, "what it is given");
    CHECK(data == &an_argument, "what it is given");
    CHECK_EQUAL(perflib_tvb_get_uint8(tvb, 0), 1, "what it is given");
    CHECK(called == &pinfo, "what it is given");
    CHECK(called_tree == NULL, "nobody sees");
    CHECK(called->cinfo == NULL, "nobody sees");
    CHECK(called->data_src == NULL, "nobody sees");
    CHECK(called->proto_layers == NULL, "nobody sees");
    CHECK_EQUAL(wmem_list_count(called->layers), 0, "nobody sees");
    CHECK(called->flags.in_error_pkt, "nobody sees");
    for (unsigned i = 0; i < num_added; i++) {
        add_new_data_source(called, tvb_new_real_data(i + 1 == num_added ? plain : other, 4, 4), "Decrypted");
    }
    wmem_list_append(called->layers, &an_argument);
    called->cinfo = (column_info *)&a_handle;
    times_called++;
    return 1;
}

static void
test_unseen_call_leaves_nothing_behind(void)
{
    static const uint8_t sealed[] = { 1, 2, 3 };
    tvbuff_t *tvb = tvb_new_real_data(sealed, sizeof sealed, sizeof sealed);
    column_info columns;
    wmem_list_t *layers;
    GSList *sources;

    pinfo.pool = wmem_epan_scope();
    layers = wmem_list_new(pinfo.pool);
    pinfo.cinfo = &columns;
    pinfo.layers = layers;
    pinfo.proto_layers = wmem_map_new(pinfo.pool, g_direct_hash, g_direct_equal);
    add_new_data_source(&pinfo, tvb, "Frame");
    sources = pinfo.data_src;
    for (num_added = 0; num_added < 3; num_added++) {
        for (unsigned size = 0; size <= 5; size++) {
            const wmem_map_t *proto_layers = pinfo.proto_layers;
            const unsigned expected = num_added == 0 ? 0 : MIN(size, 4);
            uint8_t shown[6];

            memset(shown, 0xee, sizeof shown);
            perflib_call_unseen((dissector_handle_t)&a_handle, tvb, &pinfo, &an_argument, size == 0 ? NULL : shown,
                size);
            CHECK(memcmp(shown, plain, expected) == 0 && shown[expected] == 0xee, "%u sources, %u bytes: %u", num_added,
                size, shown[expected]);
            CHECK(pinfo.cinfo == &columns, "nothing is left behind");
            CHECK(pinfo.layers == layers, "nothing is left behind");
            CHECK_EQUAL(wmem_list_count(layers), 0, "nothing is left behind");
            CHECK(pinfo.proto_layers == proto_layers, "nothing is left behind");
            CHECK(!pinfo.flags.in_error_pkt, "nothing is left behind");
            CHECK(pinfo.data_src == sources, "nor a data source");
            CHECK_EQUAL(perflib_num_sources(&pinfo), 1, "nor a data source");
        }
    }
    CHECK(times_called == 3 * 6, "%u", times_called);
}

int
main(void)
{
    wmem_init_scopes();
    test_items_labels_and_readers_are_found();
    test_items_of_all_fields_of_a_name_are_counted();
    test_unseen_call_leaves_nothing_behind();
    return check_result();
}
