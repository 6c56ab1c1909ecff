/* watch-dialog.c
 * Tools, Performance Counters, Watch a counter...: puts a counter of the capture on the watch list, and plots it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include <string.h>

#include <epan/uat.h>
#include <wsutil/filesystem.h>
#include <wsutil/report_message.h>
#include <wsutil/strtoi.h>

#include "stats/key-index.h"

#define DIALOG_TITLE "Watch a counter"

/* Number of counters that the dialog lists, and the maximum length of their paths there in characters */
#define MAX_CANDIDATES 10u
#define CANDIDATE_MAX  100

/* Wireshark's table of curves, and its file in the profile */
#define CURVES      "I/O Graphs"
#define CURVES_FILE "io_graphs"

/* State of choosing a counter. */
struct choice {
    unsigned users;                      /* number of dialogs that use this choice */
    wmem_allocator_t *scope;             /* allocator of this struct and of .paths */
    struct key_index *paths;             /* counters of the capture that have values */
    unsigned candidates[MAX_CANDIDATES]; /* indexes in .paths of the counters that the dialog lists */
    unsigned num_candidates;
    unsigned num_matches; /* number of paths that match, listed or not */
    unsigned num_totals;  /* number of matching paths whose instance is _Total */
};

static void
choice_leave(void *data)
{
    struct choice *choice = (struct choice *)data;

    if (--choice->users == 0) {
        wmem_destroy_allocator(choice->scope);
    }
}

static tap_packet_status
collect_paths(void *paths, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;

    for (unsigned i = 0; poll->needed == NULL && i < poll->num_values; i++) {
        const struct perf_tap_value *value = &poll->values[i];

        if (value->path != NULL && value->cooked.reason == COOK_OK) {
            key_index_add_text((struct key_index *)paths, value->path);
        }
    }
    return TAP_PACKET_DONT_REDRAW;
}

static bool
has_all(const char *text, char *const *parts)
{
    while (*parts != NULL && strstr(text, *parts) != NULL) {
        parts++;
    }
    return *parts == NULL;
}

/*
 * Texts in paths, by which the list is ordered: totals of a machine, totals of a part such as (0,_Total), then others
 */
static const char *const totals[] = { "(_total)", "_total)", "" };

/*
 * Lists the paths that contain all parts of the user's input: totals first, since a machine may have hundreds of
 * processors.
 */
static void
list_candidates(struct choice *choice, char *const *parts)
{
    choice->num_candidates = 0;
    choice->num_matches = 0;
    choice->num_totals = 0;
    for (unsigned pass = 0; pass < array_length(totals); pass++) {
        for (unsigned i = 0; i < key_index_size(choice->paths); i++) {
            char *path = counter_path_fold(key_index_text(choice->paths, i));
            unsigned kind = 0;

            while (strstr(path, totals[kind]) == NULL) {
                kind++;
            }
            if (kind == pass && has_all(path, parts)) {
                choice->num_matches++;
                choice->num_totals += kind == 0;
                if (choice->num_candidates < MAX_CANDIDATES) {
                    choice->candidates[choice->num_candidates++] = i;
                }
            }
            g_free(path);
        }
    }
}

/* Returns the number of the path that is equal to a text regardless of case, or key_index_size() if there is none. */
static unsigned
find_equal(const struct key_index *paths, const char *folded)
{
    unsigned i = 0;
    bool is_equal = false;

    while (i < key_index_size(paths) && !is_equal) {
        char *path = counter_path_fold(key_index_text(paths, i));

        is_equal = strcmp(path, folded) == 0;
        i += !is_equal;
        g_free(path);
    }
    return i;
}

/*
 * Returns the path of the counter that the user means. The user may enter: a number of the list; nothing (the first of
 * the list); a whole path; or parts, separated by spaces, that only one path, or only one total, contains. Otherwise
 * lists the paths that match and returns NULL.
 */
static const char *
find_path(struct choice *choice, const char *meant)
{
    uint32_t number = 1;
    char *folded;
    unsigned equal;

    if (choice->num_candidates > 0 && (meant[0] == '\0' || ws_strtou32(meant, NULL, &number)) && number >= 1 &&
        number <= choice->num_candidates) {
        return key_index_text(choice->paths, choice->candidates[number - 1]);
    }
    folded = counter_path_fold(meant);
    equal = find_equal(choice->paths, folded);
    if (equal < key_index_size(choice->paths)) {
        g_free(folded);
        return key_index_text(choice->paths, equal);
    }
    list_candidates(choice, (char *[]){ folded, NULL });
    if (choice->num_matches == 0) {
        char **parts = g_strsplit(folded, " ", -1);

        list_candidates(choice, parts);
        g_strfreev(parts);
    }
    g_free(folded);
    return choice->num_matches == 1 || (choice->num_totals == 1 && meant[0] != '\0')
        ? key_index_text(choice->paths, choice->candidates[0])
        : NULL;
}

/* Returns true if the watch list contains the name with another pattern. */
static bool
is_taken(const char *name, const char *pattern)
{
    for (unsigned i = 0; i < perf_watch_count; i++) {
        const struct perf_watch entry = perf_watch_entry(i);

        if (strcmp(entry.name, name) == 0 && strcmp(entry.pattern, pattern) != 0) {
            return true;
        }
    }
    return false;
}

/*
 * Returns a name for a counter: "processor_time", or "processor_time_2" if the first is taken. Free it with
 * g_free().
 */
static char *
make_name(const char *path)
{
    const char *counter = strrchr(path, '\\');
    GString *name = g_string_new(NULL);
    size_t length;

    for (const char *at = counter == NULL ? path : counter + 1; *at != '\0'; at++) {
        if (g_ascii_isalnum(*at)) {
            g_string_append_c(name, g_ascii_tolower(*at));
        } else if (name->len > 0 && name->str[name->len - 1] != '_') {
            g_string_append_c(name, '_');
        }
    }
    while (name->len > 0 && name->str[name->len - 1] == '_') {
        g_string_truncate(name, name->len - 1);
    }
    if (name->len == 0) {
        g_string_append(name, "counter");
    }
    length = name->len;
    for (unsigned number = 2; is_taken(name->str, path); number++) {
        g_string_truncate(name, length);
        g_string_append_printf(name, "_%u", number);
    }
    return g_string_free(name, FALSE);
}

/*
 * Adds a curve of perflibv2.watch.NAME to the profile's file. Returns false if that fails, or if Wireshark has already
 * read the file, which it would then overwrite. Its records in memory belong to its dialog, so they are not changed.
 */
static bool
add_curve(const char *name)
{
    static const char *const colors[] = { "#1f6fb4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a" };
    char *path, *field, *text = NULL;
    bool is_there;

    if (uat_get_table_by_name(CURVES) != NULL) {
        return false;
    }
    path = get_persconffile_path(CURVES_FILE, true);
    field = g_strdup_printf("\"perflibv2.watch.%s\"", name);
    is_there = g_file_get_contents(path, &text, NULL, NULL) && strstr(text, field) != NULL;
    if (!is_there) {
        FILE *file = ws_fopen(path, "ab");
        const bool is_cut = text != NULL && text[0] != '\0' && !g_str_has_suffix(text, "\n");

        if (file != NULL) {
            fprintf(file, "%s\"Enabled\",\"%s\",\"\",\"%s\",\"Line\",\"MAX(Y Field)\",%s,\"None\",\"1\"\n",
                is_cut ? "\n" : "", name, colors[g_str_hash(name) % array_length(colors)], field);
            is_there = fclose(file) == 0;
        }
    }
    g_free(text);
    g_free(field);
    g_free(path);
    return is_there;
}

/* Shows the counter's curve (or tells the user how to add it), and filters the packets that contain the counter. */
static void
watch_dialog_show(const funnel_ops_t *ops, const char *name)
{
    char *filter = g_strdup_printf("perflibv2.watch.%s", name);

    ops->redissect_packets(ops->ops_id);
    /* The curve must be added before the filter is set: Wireshark would make another curve from the filter. */
    if (add_curve(name)) {
        if (process_stat_cmd_arg("io,stat")) {
            start_requested_stats();
        }
    } else {
        char *text = g_strdup_printf("%s is on the watch list.\n\n"
                                     "Wireshark has already loaded its curves, so add this one by hand:\n\n"
                                     "Statistics, I/O Graphs, +\n"
                                     "Y Axis:  MAX(Y Field)\n"
                                     "Y Field: %s\n",
            name, filter);

        ops->set_text(ops->new_text_window(ops->ops_id, "Add the curve"), text);
        g_free(text);
    }
    ops->set_filter(ops->ops_id, filter);
    ops->apply_filter(ops->ops_id);
    g_free(filter);
}

/*
 * Returns the question, with the counters that match. Free it with g_free(). The first line must not contain text of
 * the capture: HTML tags there would make the dialog show the question as HTML.
 */
static char *
make_question(const struct choice *choice, bool is_first)
{
    GString *text = g_string_new(is_first ? "Part of the counter's path, such as (_Total)\\% Processor Time" : NULL);

    if (!is_first && choice->num_matches == 0) {
        g_string_append(text, "No counter of the capture matches. Enter another part of its path.");
    } else if (!is_first) {
        g_string_append_printf(text, "%u counters match%s Enter a number (empty: 1), or more of the path.",
            choice->num_matches, choice->num_matches > MAX_CANDIDATES ? ". These are ten of them." : ".");
    }
    for (unsigned i = 0; i < choice->num_candidates; i++) {
        g_string_append_printf(text, "\n%u   ", i + 1);
        stat_append_short(text, key_index_text(choice->paths, choice->candidates[i]), CANDIDATE_MAX);
    }
    return g_string_free(text, FALSE);
}

static void watch_dialog_answered(char **answers, void *data);

static void
watch_dialog_ask(const funnel_ops_t *ops, struct choice *choice, bool is_first, const char *counter, const char *name)
{
    char *question = make_question(choice, is_first);
    const char *fields[] = { question, "Name (default: the counter's name)", NULL };
    const char *values[] = { counter, name, NULL };

    choice->users++;
    tools_menu_ask(ops, DIALOG_TITLE, fields, values, watch_dialog_answered, choice, choice_leave);
    g_free(question);
}

/* Handles the dialog's input: a counter and a name. */
static void
watch_dialog_answered(char **answers, void *data)
{
    struct choice *choice = (struct choice *)data;
    const funnel_ops_t *ops = funnel_get_funnel_ops();
    char *why = NULL, *name = NULL;
    const char *path = find_path(choice, g_strstrip(answers[0]));

    if (path == NULL) {
        watch_dialog_ask(ops, choice, false, choice->num_matches == 0 ? answers[0] : "", answers[1]);
    } else {
        name = g_strstrip(answers[1])[0] == '\0' ? make_name(path) : g_strdup(answers[1]);
        why = perf_watch_add(name, path);
        if (why != NULL) {
            report_failure("%s", why);
            watch_dialog_ask(ops, choice, choice->num_matches == 0, answers[0], answers[1]);
        } else {
            watch_dialog_show(ops, name);
        }
    }
    g_free(why);
    g_free(name);
    g_strfreev(answers);
}

void
watch_dialog_open(const funnel_ops_t *ops)
{
    static const char *const taps[] = { "perflibv2_poll", "perfdata_poll" };
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    struct choice *choice = wmem_new0(scope, struct choice);

    choice->scope = scope;
    choice->paths = key_index_new(scope);
    tools_menu_collect(ops, taps, collect_paths, choice->paths);
    if (key_index_size(choice->paths) == 0) {
        choice->users = 1;
        report_failure("There is no counter to watch. Open a capture that contains polls with readable values.");
        choice_leave(choice);
        return;
    }
    watch_dialog_ask(ops, choice, true, "", "");
}
