/* capture-name.c
 * File name of the capture being read
 *
 * Wireshark's windows show it. tshark does not provide it, so it is taken from tshark's command line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/model.h"

#include <string.h>

#include "stats/tables.h"

/* Returns the arguments of this process, or NULL if unknown. Free them with g_strfreev(). */
static char **
command_words(void)
{
#ifdef _WIN32
    return g_win32_get_command_line();
#else
    GPtrArray *words = g_ptr_array_new();
    char *text;
    gsize length;

    /* /proc exists on Linux only. */
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

/* Returns the file name after -r in the same argument, "" if it is the next argument, or NULL for another option. */
static const char *
after_r(const char *word)
{
    /* Options without a value can precede r in the same argument: -nr FILE. */
    const size_t flags = word[0] == '-' ? 1 + strspn(word + 1, "2lnpPqQSVxgI") : 0;

    return g_str_has_prefix(word, "--read-file=") ? word + strlen("--read-file=")
        : strcmp(word, "--read-file") == 0        ? ""
        : flags > 0 && word[flags] == 'r'         ? word + flags + 1
                                                  : NULL;
}

char *
capture_name(void)
{
    char *shown = tools_menu_capture(), *name = NULL;
    char **words;

    if (shown != NULL) {
        name = g_path_get_basename(shown);
        g_free(shown);
        return name;
    }
    words = command_words();
    /* The first argument is the program's name. */
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
