/* watch-dialog.c
 * Tools, Performance Counters, Watch a counter...: puts a counter of the capture on the watch list
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/tables.h"

#include "compat.h"

#include <string.h>

#include <epan/tap.h>
#include <wsutil/report_message.h>
#include <wsutil/strtoi.h>

#include "stats/path-index.h"

#define DIALOG_TITLE "Watch a counter"

/* State of choosing a counter: the dialog, and the window with the list of counters. */
struct choice {
    unsigned users; /* number of dialogs and windows that use it */
    struct path_index *paths;
    funnel_text_window_t *window; /* window with the list; NULL if closed */
};

static void
choice_leave(void *data)
{
    struct choice *choice = (struct choice *)data;

    if (--choice->users == 0) {
        path_index_free(choice->paths);
        g_free(choice);
    }
}

static void
window_closed(void *data)
{
    ((struct choice *)data)->window = NULL;
    choice_leave(data);
}

static tap_packet_status
collect_paths(void *paths, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct perf_tap_poll *poll = (const struct perf_tap_poll *)tapped;

    for (unsigned i = 0; poll->needed == NULL && i < poll->num_samples; i++) {
        const struct perf_tap_sample *sample = &poll->samples[i];

        if (sample->path != NULL && sample->cooked.reason == COOK_OK) {
            path_index_add_text((struct path_index *)paths, sample->path);
        }
    }
    return TAP_PACKET_DONT_REDRAW;
}

/* Returns the counters of the capture that have values. */
static struct path_index *
capture_paths(const funnel_ops_t *ops)
{
    static const char *const taps[] = { "perflibv2_poll", "perfdata_poll" };
    struct path_index *paths = path_index_new();
    unsigned num_heard = 0;

    for (size_t i = 0; i < array_length(taps); i++) {
        /* Wireshark identifies a listener by its data pointer. */
        GString *error =
            register_tap_listener(taps[i], paths, NULL, TL_REQUIRES_NOTHING, NULL, collect_paths, NULL, NULL);

        if (error == NULL) {
            num_heard++;
        } else {
            g_string_free(error, TRUE);
        }
    }
    ops->retap_packets(ops->ops_id);
    for (; num_heard > 0; num_heard--) {
        remove_tap_listener(paths);
    }
    return paths;
}

/*
 * Returns the path of the counter given by its number or a part of its path. Returns NULL, and sets *why, if none or
 * several match.
 */
static const char *
find_path(const struct path_index *paths, const char *meant, char **why)
{
    const char *found = NULL;
    char *part = counter_path_fold(meant);
    unsigned count = 0;
    uint32_t number;

    if (ws_strtou32(meant, NULL, &number) && number >= 1 && number <= path_index_size(paths)) {
        g_free(part);
        return path_index_text(paths, number - 1);
    }
    for (unsigned i = 0; part[0] != '\0' && i < path_index_size(paths); i++) {
        char *path = counter_path_fold(path_index_text(paths, i));
        const bool is_it = strcmp(path, part) == 0;

        if (is_it || strstr(path, part) != NULL) {
            found = path_index_text(paths, i);
            count = is_it ? 1 : count + 1;
        }
        g_free(path);
        if (is_it) {
            break;
        }
    }
    g_free(part);
    if (count == 1) {
        return found;
    }
    *why = meant[0] == '\0' ? g_strdup("Enter a counter: its number in the list, or a part of its path.")
        : count == 0
        ? g_strdup_printf("No counter of the capture has \"%s\" in its path.", meant)
        : g_strdup_printf("%u counters of the capture have \"%s\" in their paths: choose one by its number.", count,
              meant);
    return NULL;
}

/* Returns true if the watch list has the name for another pattern. */
static bool
is_taken(const char *name, const char *pattern)
{
    for (unsigned i = 0; i < perf_watch_count(); i++) {
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

static void watch_dialog_ask(const funnel_ops_t *ops, struct choice *choice, const char *counter, const char *name);

/* Sets the display filter to packets with the counter. */
static void
show_watch_table(const funnel_ops_t *ops, const char *name)
{
    char *filter = g_strdup_printf("perflibv2.watch.%s", name);

    ops->redissect_packets(ops->ops_id);
    ops->set_filter(ops->ops_id, filter);
    ops->apply_filter(ops->ops_id);
    g_free(filter);
}

/* Handles the dialog's input: a counter and a name. */
static void
watch_dialog_answered(char **answers, void *data)
{
    struct choice *choice = (struct choice *)data;
    const funnel_ops_t *ops = funnel_get_funnel_ops();
    char *why = NULL, *name = NULL;
    const char *counter = g_strstrip(answers[0]), *path = find_path(choice->paths, counter, &why);

    if (path != NULL) {
        name = g_strstrip(answers[1])[0] == '\0' ? make_name(path) : g_strdup(answers[1]);
        why = perf_watch_add(name, path);
    }
    if (why != NULL) {
        report_failure("%s", why);
        watch_dialog_ask(ops, choice, counter, answers[1]);
    } else {
        if (choice->window != NULL) {
            ops->destroy_text_window(choice->window);
        }
        show_watch_table(ops, name);
    }
    g_free(why);
    g_free(name);
    g_strfreev(answers);
}

static void
watch_dialog_ask(const funnel_ops_t *ops, struct choice *choice, const char *counter, const char *name)
{
    const char *fields[] = { "Counter (its number in the list, or a part of its path)",
        "Name (default: the counter's name)", NULL };
    const char *values[] = { counter, name, NULL };

    choice->users++;
    ops->new_dialog(ops->ops_id, DIALOG_TITLE, fields, values, watch_dialog_answered, choice, choice_leave);
}

/* Handles the menu item: lists the capture's counters and asks for one of them. */
static void
watch_dialog_open(const funnel_ops_t *ops)
{
    struct choice *choice = g_new0(struct choice, 1);
    GString *text;

    choice->paths = capture_paths(ops);
    choice->users = 1;
    if (path_index_size(choice->paths) == 0) {
        report_failure("There is no counter to watch. Open a capture that contains polls with readable values.");
        choice_leave(choice);
        return;
    }
    text = g_string_new(NULL);
    for (unsigned i = 0; i < path_index_size(choice->paths); i++) {
        g_string_append_printf(text, "%u\t%s\n", i + 1, path_index_text(choice->paths, i));
    }
    choice->window = ops->new_text_window(ops->ops_id, "Counters of the capture");
    ops->set_close_cb(choice->window, window_closed, choice);
    ops->set_text(choice->window, text->str);
    g_string_free(text, TRUE);
    watch_dialog_ask(ops, choice, "", "");
}

void
watch_dialog_register(void)
{
    tools_menu_add("Watch a counter...", watch_dialog_open);
}
