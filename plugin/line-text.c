/* line-text.c
 * Text from the wire as it may stand in a line: of the Info column, of a tree, of a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "line-text.h"

#include <string.h>

#include <glib.h>

#include <ws_version.h>
#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR == 0
#include <epan/strutil.h>
#else
#include <wsutil/str_util.h>
#endif

const char *
line_text(wmem_allocator_t *scope, const char *text)
{
    const char *c = text;

    while (g_ascii_isprint(*c)) {
        c++;
    }
    if (*c == '\0') {
        return text;
    }
    /* Through void, because its bytes became signed after 4.0. */
    return format_text(scope, (const void *)text, strlen(text));
}
