/* compat.c
 * Uses of Wireshark's internals, and differences between its versions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include <epan/exceptions.h>

const char *
perflib_item_label(const proto_item *item)
{
    const field_info *fi = item == NULL ? NULL : PITEM_FINFO(item);

    return fi == NULL || fi->rep == NULL ? NULL : fi->rep->representation;
}

void
perflib_item_set_label(proto_item *item, item_label_t *label, size_t name_length)
{
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
    label->value_pos = name_length;
    label->value_len = name_length > 0 ? strlen(label->representation + name_length) : 0;
#else
    (void)name_length;
#endif
    PITEM_FINFO(item)->rep = label;
}

wmem_allocator_t *
perflib_tree_pool(const proto_tree *tree)
{
    return PNODE_POOL(tree);
}

bool
perflib_tree_is_seen(const proto_tree *tree)
{
    return tree != NULL && PTREE_DATA(tree)->visible;
}

bool
perflib_field_is_asked(int hf)
{
    return proto_registrar_get_nth((guint)hf)->ref_type != HF_REF_TYPE_NONE;
}

const header_field_info *
perflib_field_before(const header_field_info *field)
{
    return field->same_name_prev_id == -1 ? NULL : proto_registrar_get_nth((guint)field->same_name_prev_id);
}

unsigned
perflib_count_items(const proto_tree *tree, int hf)
{
    const header_field_info *field = proto_registrar_get_nth((guint)hf);
    unsigned count = 0;

    while (field->same_name_next != NULL) {
        field = field->same_name_next;
    }
    while (field != NULL) {
        const GPtrArray *items = proto_get_finfo_ptr_array(tree, field->id);

        count += items == NULL ? 0 : items->len;
        field = perflib_field_before(field);
    }
    return count;
}

unsigned
perflib_num_sources(const packet_info *pinfo)
{
    return g_slist_length(pinfo->data_src);
}

void
perflib_call_unseen(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, void *data, uint8_t *shown,
    unsigned size)
{
    const packet_info seen = *pinfo;

    pinfo->cinfo = NULL;
    pinfo->data_src = NULL;
    pinfo->layers = wmem_list_new(pinfo->pool);
    pinfo->proto_layers = NULL;
    pinfo->flags.in_error_pkt = 1;
    TRY
    {
        const GSList *last;

        call_dissector_only(handle, tvb, pinfo, NULL, data);
        last = g_slist_last(pinfo->data_src);
        if (last != NULL) {
            tvbuff_t *source = get_data_source_tvb((const struct data_source *)last->data);

            tvb_memcpy(source, shown, 0, MIN(size, tvb_captured_length(source)));
        }
    }
    FINALLY
    {
        g_slist_free(pinfo->data_src);
        *pinfo = seen;
    }
    ENDTRY;
}
