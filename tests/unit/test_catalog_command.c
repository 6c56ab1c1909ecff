/* test_catalog_command.c
 * -z perflibv2,catalog,FILE: what the capture taught, and why it may have taught nothing
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <string.h>

#include "check.h"
#include "fake-output.h"
#include "perflibv2/record.h"
#include "stats/tables.h"

void
catalog_write(FILE *into)
{
    fputs("taught\n", into);
}

int
main(void)
{
    static const struct {
        const char *unread[2], *needed[2]; /* of two calls; the first is there in any case */
        unsigned calls;
        const char *written, *told;
    } cases[] = {
        { { NULL }, { NULL }, 0, "taught\n", "" },
        { { NULL }, { NULL }, 1, "taught\n", "" },
        { { "sealed" }, { NULL }, 1, "taught\n", "" },
        { { "sealed", "sealed" }, { "key", "other" }, 2, "taught\n# key\n# other\n",
            "-z perflibv2,catalog: no call could be read\nkey\nother" },
        { { "sealed", NULL }, { "key" }, 2, "taught\n", "" },
        { { NULL, "sealed" }, { NULL, "key" }, 2, "taught\n", "" },
    };
    const struct command_kind *kind = &perflibv2_catalog_command;
    struct command *command = (struct command *)g_malloc0(kind->size);

    *command = (struct command){ .kind = kind, .name = "perflibv2,catalog" };
    for (size_t i = 0; i < array_length(cases); i++) {
        kind->reset(command);
        needed_clear(&command->needed);
        told[0] = '\0';
        for (unsigned call = 0; call < cases[i].calls; call++) {
            const struct perflibv2_tap record = { .unread = cases[i].unread[call], .needed = cases[i].needed[call] };

            CHECK(kind->packet(command, NULL, NULL, &record, 0) == TAP_PACKET_DONT_REDRAW, "drawn");
        }
        kind->draw(command);
        CHECK(strcmp(written->str, cases[i].written) == 0 && strcmp(told, cases[i].told) == 0, "%zu: %s%s", i,
            written->str, told);
    }
    has_no_file = true;
    kind->draw(command);
    CHECK(written->len == 0, "written nowhere");
    needed_clear(&command->needed);
    g_free(command);
    g_string_free(written, TRUE);
    return check_result();
}
