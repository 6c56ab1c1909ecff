/* test_watch_dialog.c
 * Watch a counter...: which counters are listed, which one is meant, what it is called, and what stays open how long
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include <stdarg.h>
#include <string.h>

#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "check.h"
#include "stats/path-index.h"
#include "stats/tables.h"

/* In place of the Tools menu, of taps and of what the user is told. */
static void (*chosen)(const funnel_ops_t *ops);
static char told[500];

void
tools_menu_add(const char *name, void (*choose)(const funnel_ops_t *ops))
{
    CHECK(strcmp(name, "Watch a counter...") == 0, "%s", name);
    chosen = choose;
}

void
report_failure(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(told, sizeof told, format, arguments);
    va_end(arguments);
}

static tap_packet_cb collect;
static void *collected;
static unsigned num_listeners, num_asked;
static unsigned missing_taps; /* bits */

GString *
register_tap_listener(const char *name, void *data, const char *filter, unsigned flags, tap_reset_cb reset,
    tap_packet_cb packet, tap_draw_cb draw, tap_finish_cb finish)
{
    static const char *const taps[] = { "perflibv2_poll", "perfdata_poll" };

    CHECK(filter == NULL && flags == TL_REQUIRES_NOTHING && reset == NULL && draw == NULL && finish == NULL, "%s",
        name);
    CHECK(num_asked < array_length(taps) && strcmp(name, taps[num_asked % array_length(taps)]) == 0, "%s", name);
    if (missing_taps & 1u << num_asked++) {
        return g_string_new("no such tap");
    }
    collect = packet;
    collected = data;
    num_listeners++;
    return NULL;
}

void
remove_tap_listener(void *data)
{
    CHECK(data == collected && num_listeners > 0, "%u", num_listeners);
    num_listeners--;
}

/* In place of the index of paths: one at a time, which is freed once nobody looks at it any more. */
static struct path_index {
    const char *texts[10];
    unsigned count;
    bool is_there;
} index_of_all;

struct path_index *
path_index_new(void)
{
    CHECK(!index_of_all.is_there, "the one before is not freed");
    index_of_all.count = 0;
    index_of_all.is_there = true;
    return &index_of_all;
}

void
path_index_free(struct path_index *index)
{
    CHECK(index->is_there, "freed again");
    index->is_there = false;
}

unsigned
path_index_add_text(struct path_index *index, const char *text)
{
    index->texts[index->count] = text;
    return index->count++;
}

unsigned
path_index_size(const struct path_index *index)
{
    return index->count;
}

const char *
path_index_text(const struct path_index *index, unsigned number)
{
    CHECK(number < index->count, "%u", number);
    return index->texts[number];
}

/* In place of the watch list: two entries, and what is added. */
static char added_name[100], added_pattern[100];

unsigned
perf_watch_count(void)
{
    return 2;
}

struct perf_watch
perf_watch_entry(unsigned index)
{
    static const struct perf_watch entries[] = { { "used", "\\\\PC\\Set\\Used", true }, { "other", "x", true } };

    return entries[index];
}

char *
perf_watch_add(const char *name, const char *pattern)
{
    snprintf(added_name, sizeof added_name, "%s", name);
    snprintf(added_pattern, sizeof added_pattern, "%s", pattern);
    return strcmp(name, "refused") == 0 ? g_strdup("This name cannot be") : NULL;
}

/* In place of Wireshark's windows. */
static const char *const *paths; /* of the capture */
static funnel_ops_t ops;
static char list[1000], shown[100];
static bool is_window_open;
static text_win_close_cb_t closed;
static void *closed_data;

static void
retap(funnel_ops_id_t *id)
{
    (void)id;
    for (unsigned i = 0; paths[i] != NULL; i++) {
        struct perf_tap_sample samples[] = {
            { .path = paths[i] },
            { .path = NULL },
            { .path = "not cooked", .cooked = { .reason = COOK_FIRST_SAMPLE } },
            { .path = "behind the last" },
        };
        const struct perf_tap_poll poll = { .num_samples = array_length(samples) - 1, .samples = samples };
        const struct perf_tap_poll sealed = { .needed = "a key", .num_samples = 1, .samples = samples };

        samples[1].path = NULL;
        CHECK(collect(collected, NULL, NULL, &poll, 0) == TAP_PACKET_DONT_REDRAW, "drawn");
        samples[0].path = "sealed";
        collect(collected, NULL, NULL, &sealed, 0);
    }
}

static funnel_text_window_t *
open_window(funnel_ops_id_t *id, const char *title)
{
    (void)id;
    CHECK(title[0] != '\0' && !is_window_open, "%s", title);
    is_window_open = true;
    return (funnel_text_window_t *)&is_window_open;
}

static void
destroy_window(funnel_text_window_t *window)
{
    CHECK(window == (funnel_text_window_t *)&is_window_open && is_window_open, "another window");
    is_window_open = false;
    closed(closed_data);
}

static void
set_close(funnel_text_window_t *window, text_win_close_cb_t close, void *data)
{
    CHECK(window == (funnel_text_window_t *)&is_window_open, "another window");
    closed = close;
    closed_data = data;
}

static void
set_text(funnel_text_window_t *window, const char *text)
{
    CHECK(window == (funnel_text_window_t *)&is_window_open, "another window");
    snprintf(list, sizeof list, "%s", text);
}

static struct {
    unsigned count;
    char values[2][100];
    funnel_dlg_cb_t answered;
    funnel_dlg_cb_data_free_t left;
    void *data;
} dialog;

static void
ask(funnel_ops_id_t *id, const char *title, const char **names, const char **values, funnel_dlg_cb_t callback,
    void *data, funnel_dlg_cb_data_free_t data_free)
{
    (void)id;
    CHECK(title[0] != '\0' && names[1] != NULL && names[2] == NULL && values[2] == NULL, "%s", title);
    dialog.count++;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(dialog.values[i], sizeof dialog.values[i], "%s", values[i]);
    }
    dialog.answered = callback;
    dialog.left = data_free;
    dialog.data = data;
}

/* What is done to have the packets shown, in this order. */
static void
redissect(funnel_ops_id_t *id)
{
    (void)id;
    snprintf(shown, sizeof shown, "redissected, ");
}

static void
set_filter(funnel_ops_id_t *id, const char *filter)
{
    (void)id;
    snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s", filter);
}

static void
apply_filter(funnel_ops_id_t *id)
{
    (void)id;
    snprintf(shown + strlen(shown), sizeof shown - strlen(shown), ", applied");
}

const funnel_ops_t *
funnel_get_funnel_ops(void)
{
    return &ops;
}

/* Chooses the menu's entry in a capture with those counters. */
static void
choose(const char *const *counters)
{
    paths = counters;
    dialog.count = num_asked = 0;
    told[0] = shown[0] = added_name[0] = added_pattern[0] = '\0';
    chosen(&ops);
    CHECK(num_asked == 2 && num_listeners == 0, "%u asked for, %u listen", num_asked, num_listeners);
}

/* Answers the dialog, which then is gone. */
static void
answer(const char *counter, const char *name)
{
    char **answers = g_new0(char *, 3);
    void *data = dialog.data;

    answers[0] = g_strdup(counter);
    answers[1] = g_strdup(name);
    dialog.answered(answers, data);
    dialog.left(data);
}

static void
test_answers(void)
{
    static const char *const counters[] = { "\\\\PC\\Set\\% One", "\\\\PC\\Set\\Used", "\\\\PC\\Set(i)\\Used",
        "\\\\PC\\Set\\\\", "\\\\PC\\Set\\__3 (x)/y!", "2", NULL };
    static const struct {
        const char *counter, *name;    /* as the user typed them */
        const char *pattern, *watched; /* what is put on the list; NULL: nothing */
        const char *told;              /* ... and then, why */
    } cases[] = {
        { "1", "", "\\\\PC\\Set\\% One", "one", NULL },
        { " 1 ", " mine ", "\\\\PC\\Set\\% One", "mine", NULL },
        { "one", "  ", "\\\\PC\\Set\\% One", "one", NULL },
        { "%", "", "\\\\PC\\Set\\% One", "one", NULL },
        { "% ONE", "", "\\\\PC\\Set\\% One", "one", NULL },
        /* The name may be there already, for another counter. */
        { "2", "", "\\\\PC\\Set\\Used", "used", NULL },
        { "3", "", "\\\\PC\\Set(i)\\Used", "used_2", NULL },
        /* A whole path is one, also where it is part of another. */
        { "\\\\pc\\set\\used", "", "\\\\PC\\Set\\Used", "used", NULL },
        { "4", "", "\\\\PC\\Set\\\\", "counter", NULL },
        { "5", "", "\\\\PC\\Set\\__3 (x)/y!", "3_x_y", NULL },
        { "6", "", "2", "2", NULL },
        { "", "", NULL, NULL, "Choose a counter: its number in the list, or a part of its path." },
        { "0", "", NULL, NULL, "No counter of the capture has \"0\" in its path." },
        { "7", "", NULL, NULL, "No counter of the capture has \"7\" in its path." },
        { "none", "", NULL, NULL, "No counter of the capture has \"none\" in its path." },
        { "used", "x", NULL, NULL,
            "2 counters of the capture have \"used\" in their paths: choose one by its number." },
        { "1", "refused", "\\\\PC\\Set\\% One", "refused", "This name cannot be" },
    };

    for (size_t i = 0; i < 2 * array_length(cases); i++) {
        const size_t c = i / 2;

        choose(counters);
        CHECK(strcmp(list,
                  "1\t\\\\PC\\Set\\% One\n2\t\\\\PC\\Set\\Used\n3\t\\\\PC\\Set(i)\\Used\n4\t\\\\PC\\Set\\\\\n"
                  "5\t\\\\PC\\Set\\__3 (x)/y!\n6\t2\n") == 0,
            "%s", list);
        CHECK(dialog.count == 1 && dialog.values[0][0] == '\0' && dialog.values[1][0] == '\0' && told[0] == '\0', "%s",
            told);
        /* The list may be closed before. */
        if (i % 2 != 0) {
            destroy_window((funnel_text_window_t *)&is_window_open);
        }
        answer(cases[c].counter, cases[c].name);
        CHECK(strcmp(added_pattern, cases[c].pattern == NULL ? "" : cases[c].pattern) == 0 &&
                strcmp(added_name, cases[c].watched == NULL ? "" : cases[c].watched) == 0,
            "%zu: %s: %s", c, added_name, added_pattern);
        CHECK(strcmp(told, cases[c].told == NULL ? "" : cases[c].told) == 0, "%s", told);
        CHECK(index_of_all.is_there == (cases[c].told != NULL), "%zu: freed too early, or never", c);
        if (cases[c].told == NULL) {
            char *expected = g_strdup_printf("redissected, perflibv2.watch.%s, applied", cases[c].watched);

            CHECK(strcmp(shown, expected) == 0 && dialog.count == 1 && !is_window_open, "%zu: %s", c, shown);
            g_free(expected);
        } else {
            /* It is asked again, with what was typed. */
            CHECK(shown[0] == '\0' && dialog.count == 2 && is_window_open == (i % 2 == 0) &&
                    strcmp(dialog.values[0], cases[c].counter) == 0 && strcmp(dialog.values[1], cases[c].name) == 0,
                "%zu: %s, %s", c, dialog.values[0], dialog.values[1]);
            answer("1", "last");
            CHECK(strcmp(shown, "redissected, perflibv2.watch.last, applied") == 0 && !is_window_open, "%s", shown);
        }
    }
    /* The dialog is left first. */
    choose(counters);
    dialog.left(dialog.data);
    CHECK(index_of_all.is_there, "the list is open");
    destroy_window((funnel_text_window_t *)&is_window_open);
}

/* Who types nothing has not chosen the only counter. */
static void
test_only_counter(void)
{
    static const char *const one[] = { "\\\\PC\\Set\\Used", NULL };

    choose(one);
    answer("", "");
    CHECK(g_str_has_prefix(told, "Choose a counter: ") && shown[0] == '\0', "%s, %s", told, shown);
    answer("used", "");
    CHECK(strcmp(shown, "redissected, perflibv2.watch.used, applied") == 0, "%s", shown);
}

/* Without one of the protocols, or both, too. */
static void
test_no_counters(void)
{
    static const char *const none[] = { NULL };

    for (missing_taps = 0; missing_taps < 4; missing_taps++) {
        choose(none);
        CHECK(g_str_has_prefix(told, "There is no counter to watch: ") && dialog.count == 0 && !is_window_open, "%s",
            told);
    }
}

int
main(void)
{
    ops = (funnel_ops_t){ .new_text_window = open_window, .set_text = set_text, .set_close_cb = set_close };
    ops.destroy_text_window = destroy_window;
    ops.new_dialog = ask;
    ops.retap_packets = retap;
    ops.redissect_packets = redissect;
    ops.set_filter = set_filter;
    ops.apply_filter = apply_filter;
    watch_dialog_register();
    test_answers();
    test_only_counter();
    test_no_counters();
    return check_result();
}
