/* field-family.c
 * Fields that several protocols have, each under its own name
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

void
field_family_register(int proto, const char *prefix, const hf_register_info *fields, size_t count)
{
    hf_register_info *kept = (hf_register_info *)wmem_memdup(wmem_epan_scope(), fields, count * sizeof *fields);

    for (size_t i = 0; i < count; i++) {
        *kept[i].p_id = -1;
        kept[i].hfinfo.abbrev = wmem_strdup_printf(wmem_epan_scope(), "%s%s", prefix, fields[i].hfinfo.abbrev);
    }
    proto_register_field_array(proto, kept, (int)count);
}
