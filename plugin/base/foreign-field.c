/* foreign-field.c
 * Fields of Wireshark's own protocols, found by name
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <epan/tap.h>

int
foreign_field_find(const char *name, enum ftenum type)
{
    const header_field_info *found = proto_registrar_get_byname(name);

    /*
     * A name may have several fields, and the look-up finds the latest: dcom.sa.vartype exists with 32 and with 16
     * bits.
     */
    while (found != NULL && found->type != type) {
        found = perflib_field_before(found);
    }
    return found != NULL ? found->id : -1;
}

const char *
foreign_fields_find(const struct foreign_field *fields, size_t count)
{
    const char *missing = NULL;

    for (size_t i = 0; i < count; i++) {
        *fields[i].hf = foreign_field_find(fields[i].name, fields[i].type);
        if (*fields[i].hf == -1) {
            missing = fields[i].name;
        }
    }
    return missing;
}

static bool listeners_are_ours;

void
expert_items_are_ours(bool is_ours)
{
    listeners_are_ours = is_ours;
}

bool
expert_items_are_asked(proto_tree *tree)
{
    /* Looked up once, since each poll calls this function. Both are registered before any packet is dissected. */
    static int expert_tap, expert_protocol;

    if (expert_tap == 0) {
        expert_tap = find_tap_id("expert");
        expert_protocol = proto_get_id_by_filter_name("_ws.expert");
    }
    return (!listeners_are_ours && have_tap_listener(expert_tap)) || proto_field_is_referenced(tree, expert_protocol);
}

const char *
foreign_field_value_name(const char *name, uint32_t value)
{
    const header_field_info *found = proto_registrar_get_byname(name);

    if (found == NULL || (found->type != FT_UINT8 && found->type != FT_UINT16 && found->type != FT_UINT32) ||
        (found->display & (BASE_RANGE_STRING | BASE_VAL64_STRING | BASE_UNIT_STRING)) != 0 ||
        (found->display & FIELD_DISPLAY_E_MASK) == BASE_CUSTOM) {
        return NULL;
    }
    return (found->display & BASE_EXT_STRING) != 0 ? try_val_to_str_ext(value, (value_string_ext *)found->strings)
                                                   : try_val_to_str(value, (const value_string *)found->strings);
}
