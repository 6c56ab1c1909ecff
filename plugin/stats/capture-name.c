/* capture-name.c
 * The name of the capture that is read
 *
 * Wireshark's windows tell it. tshark tells nobody, but was told itself, on its command line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/model.h"

#include <string.h>

#include <glib.h>

#include "stats/tables.h"

/* The words this process was started with; none: not known. To be freed with g_strfreev(). */
static char **
command_words(void)
{
#ifdef _WIN32
    return g_win32_get_command_line();
#else
    GPtrArray *words = g_ptr_array_new();
    char *text;
    gsize length;

    /* Linux alone has it. */
    if (g_file_get_contents("/proc/self/cmdline", &text, &length, NULL)) {
        for (gsize at = 0; at < length; at += strlen(text + at) + 1) {
            g_ptr_array_add(words, g_strdup(text + at));
        }
        g_free(text);
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
#endif
}

/* What stands behind -r in one word; "": the next word. NULL: it is another option. */
static const char *
after_r(const char *word)
{
    /* Options without a value, which may stand in one word with -r. */
    const size_t flags = word[0] == '-' ? 1 + strspn(word + 1, "2lnpPqQSVxgI") : 0;

    return g_str_has_prefix(word, "--read-file=") ? word + strlen("--read-file=")
        : strcmp(word, "--read-file") == 0        ? ""
        : flags > 0 && word[flags] == 'r'         ? word + flags + 1
                                                  : NULL;
}

char *
capture_name(void)
{
    const char *shown = tools_menu_capture();
    char *name = NULL;
    char **words;

    if (shown != NULL) {
        return g_path_get_basename(shown);
    }
    words = command_words();
    /* The first word is the program, and no option. */
    for (char **word = words; name == NULL && *word != NULL; word++) {
        const char *value = after_r(*word);

        if (value != NULL && value[0] == '\0') {
            value = word[1];
        }
        if (value != NULL) {
            name = strcmp(value, "-") == 0 ? g_strdup("standard input") : g_path_get_basename(value);
        }
    }
    g_strfreev(words);
    return name;
}
