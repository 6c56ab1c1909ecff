/* foreign-field.c
 * Fields of Wireshark's own protocols, found by name
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/foreign-field.h"

int
foreign_field_find(const char *name, enum ftenum type)
{
    const header_field_info *found = proto_registrar_get_byname(name);

    return found != NULL && found->type == type ? found->id : -1;
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
