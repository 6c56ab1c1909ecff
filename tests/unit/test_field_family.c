/* test_field_family.c
 * Fields under the name of each protocol that has them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/fields.h"

#include <string.h>

#include "check.h"

static int hf_first, hf_second;
static hf_register_info *registered;
static int num_registered;

/* In place of Wireshark's. */
void
proto_register_field_array(const int parent, hf_register_info *hf, const int num_records)
{
    CHECK(parent == 4 && hf_first == -1 && hf_second == -1, "%d", parent);
    registered = hf;
    num_registered = num_records;
}

int
main(void)
{
    hf_register_info fields[] = {
        { &hf_first, { "First", ".first", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_second, { "Second", "", FT_STRING, BASE_NONE, NULL, 0, "A text", HFILL } },
    };

    wmem_init_scopes();
    field_family_register(4, "x.y", fields, array_length(fields));
    /* They last longer than what they were made of. */
    memset(fields, 0, sizeof fields);
    CHECK(num_registered == 2 && registered[0].p_id == &hf_first && registered[1].p_id == &hf_second, "%d",
        num_registered);
    CHECK(strcmp(registered[0].hfinfo.abbrev, "x.y.first") == 0 && strcmp(registered[1].hfinfo.abbrev, "x.y") == 0,
        "%s", registered[0].hfinfo.abbrev);
    CHECK(strcmp(registered[1].hfinfo.name, "Second") == 0 && registered[1].hfinfo.type == FT_STRING &&
            strcmp(registered[1].hfinfo.blurb, "A text") == 0,
        "all else");
    return check_result();
}
