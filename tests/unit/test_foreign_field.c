/* test_foreign_field.c
 * Fields of other protocols, found by name and type: one that Wireshark does not have is told
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include <epan/proto.h>

#include "base/foreign-field.h"
#include "check.h"

/* In place of Wireshark's. */
header_field_info *
proto_registrar_get_byname(const char *name)
{
    static header_field_info number = { .type = FT_UINT32, .id = 7 }, text = { .type = FT_STRING, .id = 0 };

    return strcmp(name, "x.number") == 0 ? &number : strcmp(name, "x.text") == 0 ? &text : NULL;
}

int
main(void)
{
    int number = -2, text = -2, other = -2;
    const struct foreign_field all[] = {
        { .hf = &number, .name = "x.number", .type = FT_UINT32 },
        { .hf = &text, .name = "x.text", .type = FT_STRING },
    };
    const struct foreign_field more[] = {
        { .hf = &other, .name = "x.other", .type = FT_STRING },
        { .hf = &number, .name = "x.number", .type = FT_UINT32 },
    };
    const struct foreign_field changed[] = { { .hf = &text, .name = "x.text", .type = FT_UINT32 } };
    const char *missing = foreign_fields_find(all, 2);

    CHECK(missing == NULL && number == 7 && text == 0, "%s, %d, %d", missing, number, text);
    missing = foreign_fields_find(more, 2);
    CHECK(missing != NULL && strcmp(missing, "x.other") == 0 && other == -1 && number == 7, "%s, %d", missing, other);
    missing = foreign_fields_find(changed, 1);
    CHECK(missing != NULL && strcmp(missing, "x.text") == 0 && text == -1, "of another type: %d", text);
    return check_result();
}
