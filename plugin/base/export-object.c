/* export-object.c
 * Data that users save as files
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/menus.h"

#include <epan/export_object.h>
#include <epan/tap.h>

/* Maximum length of an exported file's name, without the extension */
#define NAME_MAX_LENGTH 120

/* Object offered under File, Export Objects: the tap's record, in packet scope */
struct exported_object {
    tvbuff_t *data;
    const char *host, *what, *name, *extension;
};

/*
 * Returns a safe file name. Wireshark does not check the name, so it must not contain characters special to file
 * systems.
 */
static char *
file_name(uint32_t frame, const struct exported_object *object)
{
    GString *name = g_string_new(NULL);
    bool is_dash = false;

    g_string_printf(name, "%06u-", frame);
    for (const char *c = object->name; *c != '\0' && name->len < NAME_MAX_LENGTH; c++) {
        const bool is_plain = g_ascii_isalnum(*c);

        if (is_plain || !is_dash) {
            g_string_append_c(name, is_plain ? *c : '-');
        }
        is_dash = !is_plain;
    }
    g_string_append(name, object->extension);
    return g_string_free(name, FALSE);
}

static tap_packet_status
export_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const export_object_list_t *list = (const export_object_list_t *)data;
    const struct exported_object *object = (const struct exported_object *)tapped;
    const size_t length = tvb_captured_length(object->data);
    export_object_entry_t *entry = g_new0(export_object_entry_t, 1);

    entry->pkt_num = pinfo->num;
    entry->hostname = g_strdup(object->host);
    entry->content_type = g_strdup(object->what);
    entry->filename = file_name(pinfo->num, object);
    entry->payload_len = length;
    entry->payload_data = (uint8_t *)g_malloc(length);
    tvb_memcpy(object->data, entry->payload_data, 0, length);
    list->add_entry(list->gui_data, entry);
    return TAP_PACKET_REDRAW;
}

int
export_object_register(int proto)
{
    return register_export_object(proto, export_packet, NULL);
}

void
export_object_add(int exported, packet_info *pinfo, tvbuff_t *data, const char *host, const char *what,
    const char *name, const char *extension)
{
    struct exported_object *object;

    if (!have_tap_listener(exported) || tvb_captured_length(data) == 0) {
        return;
    }
    object = wmem_new(pinfo->pool, struct exported_object);
    *object = (struct exported_object){ data, host, what, name, extension };
    tap_queue_packet(exported, pinfo, object);
}
