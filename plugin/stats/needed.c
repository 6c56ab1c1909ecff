/* needed.c
 * Missing keys: the sentences below a table about calls that were not decrypted
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/needed.h"

#include <string.h>

#include <wsutil/report_message.h>

bool
needed_add(struct needed *needed, const struct key_needed *item)
{
    for (unsigned i = 0; i < needed->count; i++) {
        if (strcmp(needed->items[i].text, item->text) == 0) {
            return false;
        }
    }
    if (needed->count == NEEDED_MAX) {
        needed->has_more = true;
        return false;
    }
    needed->items[needed->count++] = (struct key_needed){ item->code, g_strdup(item->text) };
    return true;
}

void
needed_clear(struct needed *needed)
{
    for (unsigned i = 0; i < needed->count; i++) {
        g_free((char *)needed->items[i].text);
    }
    memset(needed, 0, sizeof *needed);
}

void
needed_report(struct needed *needed, const char *command)
{
    GString *all;

    if (needed->count == 0 || needed->is_said) {
        return;
    }
    needed->is_said = true;
    all = g_string_new(NULL);
    for (unsigned i = 0; i < needed->count; i++) {
        g_string_append_printf(all, "\n%s", needed->items[i].text);
    }
    report_warning("-z %s: found nothing, and some calls could not be read%s", command, all->str);
    g_string_free(all, TRUE);
}
