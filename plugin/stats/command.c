/* command.c
 * tshark's "-z PROTOCOL,NAME,FILE[,filter]": statistics that write a file instead of showing a table
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/command.h"

#include <string.h>

#include <wsutil/report_message.h>

#include "counters/record.h"
#include "stats/rows.h"

static GSList *all_commands; /* struct command of all started commands */

static void
command_reset(void *data)
{
    struct command *command = (struct command *)data;

    needed_clear(&command->needed);
    command->kind->reset(data);
}

static void
command_finish(void *data)
{
    struct command *command = (struct command *)data;

    all_commands = g_slist_remove(all_commands, command);
    if (command->kind->finish != NULL) {
        command->kind->finish(data);
    }
    output_file_free(command->output);
    g_ptr_array_free(command->patterns, TRUE);
    needed_clear(&command->needed);
    g_free(data);
}

/* Adds the missing key of a connection encrypted by SMB 3 to each command, since its calls may concern any of them. */
static tap_packet_status
command_encrypted(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped,
    tap_flags_t flags _U_)
{
    for (GSList *link = all_commands; link != NULL; link = link->next) {
        needed_add(&((struct command *)link->data)->needed, (const struct key_needed *)tapped);
    }
    return TAP_PACKET_DONT_REDRAW;
}

static void
free_pattern(void *pattern)
{
    g_pattern_spec_free((GPatternSpec *)pattern);
}

/* Parses each "path=PATTERN" in the text after the file name. Returns the filter after the last one, or NULL. */
static const char *
take_patterns(GPtrArray *patterns, const char *rest)
{
    static const char begin[] = "path=";

    while (rest != NULL && g_str_has_prefix(rest, begin)) {
        const char *pattern = rest + strlen(begin), *end = pattern;
        unsigned depth = 0;
        char *copy;

        /* A comma in parentheses belongs to an instance: "Processor Information(0,_Total)". */
        for (; *end != '\0' && (*end != ',' || depth > 0); end++) {
            depth += *end == '(';
            depth -= *end == ')' && depth > 0;
        }
        copy = g_strndup(pattern, (gsize)(end - pattern));
        g_ptr_array_add(patterns, perf_pattern_new(copy));
        g_free(copy);
        rest = *end == ',' ? end + 1 : NULL;
    }
    return rest;
}

bool
command_wants(const struct command *command, const char *path)
{
    bool is_wanted = command->patterns->len == 0;
    char *folded;

    if (is_wanted || path == NULL) {
        return is_wanted;
    }
    folded = counter_path_fold(path);
    for (unsigned i = 0; i < command->patterns->len && !is_wanted; i++) {
        is_wanted = g_pattern_match_string((GPatternSpec *)g_ptr_array_index(command->patterns, i), folded);
    }
    g_free(folded);
    return is_wanted;
}

static void *
command_start(const struct command_option *what, const char *argument, struct output_file *output, const char *folder,
    const char *filter, tap_draw_cb draw)
{
    static bool is_listening;
    const struct command_kind *kind = what->kind;
    struct command *command = (struct command *)g_malloc0(kind->size);
    GString *error;

    *command = (struct command){ .kind = kind, .name = what->name, .output = output, .folder = folder };
    command->patterns = g_ptr_array_new_with_free_func(free_pattern);
    if (kind->has_patterns) {
        filter = take_patterns(command->patterns, filter);
    }
    if (kind->begin != NULL && !kind->begin(command, filter)) {
        command_finish(command);
        return NULL;
    }
    if (!is_listening) {
        is_listening = true;
        helper_listen(NEEDED_TAP, &is_listening, NULL, command_encrypted, NULL);
    }
    error = register_tap_listener(what->tap_name, command, filter, TL_REQUIRES_NOTHING, command_reset, kind->packet,
        draw, command_finish);
    if (error != NULL) {
        report_failure("Nothing is written: -z %s: %s", argument, error->str);
        g_string_free(error, TRUE);
        command_finish(command);
        return NULL;
    }
    all_commands = g_slist_prepend(all_commands, command);
    return command;
}

/* Starts the command of a -z argument: "COMMAND,FILE[,filter]". The file name cannot contain a comma. */
static bool
command_asked(const char *argument, void *data)
{
    const struct command_option *what = (const struct command_option *)data;
    const size_t length = strlen(what->name);
    const char *name = argument[length] == ',' ? argument + length + 1 : "";
    const char *end = strchr(name, ',');
    char *copy = g_strndup(name, strcspn(name, ","));
    struct output_file *output = NULL;
    bool has_begun = false;

    if (copy[0] == '\0') {
        report_failure("Nothing is written: -z %s needs the name of a %s: -z %s,%s[,filter]", what->name,
            what->kind->has_folder ? "folder" : "file", what->name, what->kind->has_folder ? "FOLDER" : "FILE");
    } else if (!what->kind->has_folder) {
        output = output_file_new(copy);
    }
    if (copy[0] != '\0' && (output != NULL || what->kind->has_folder)) {
        has_begun = command_start(what, argument, output, copy, end != NULL ? end + 1 : NULL, what->kind->draw) != NULL;
    }
    g_free(copy);
    return has_begun;
}

PERFLIB_STAT_INIT_CB(command_init, command_asked)

void
command_register(const struct command_option *option)
{
    stat_tap_ui ui = {
        .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
        .tap_init_cb = command_init,
        .cli_string = option->name,
    };

    register_stat_tap_ui(&ui, (void *)option);
}

void *
command_open(const struct command_option *option, struct output_file *output)
{
    return command_start(option, option->name, output, NULL, NULL, NULL);
}
