/* test_capture_name.c
 * The capture that is read: what Wireshark's window tells, or the command line; and what stands in the Tools menu
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/model.h"

#include <string.h>

#include <epan/plugin_if.h>

#include "check.h"
#include "compat.h"
#include "heap.h"
#include "stats/tables.h"

static ws_info_t *shown;

/* In place of what a window tells. */
void
plugin_if_get_ws_info(ws_info_t **info)
{
    *info = shown;
}

static const funnel_ops_t *ops;

const funnel_ops_t *
funnel_get_funnel_ops(void)
{
    return ops;
}

static struct {
    const char *name;
    funnel_menu_callback callback;
    void *data;
} menu[2];
static unsigned in_menu;

void
funnel_register_menu(const char *name, register_stat_group_t group, funnel_menu_callback callback, void *data,
    funnel_menu_callback_data_free data_free, perflib_bool retap)
{
    CHECK(group == REGISTER_TOOLS_GROUP_UNSORTED && data_free == NULL && !retap, "%s", name);
    menu[in_menu].name = name;
    menu[in_menu].callback = callback;
    menu[in_menu++].data = data;
}

static const funnel_ops_t *first_got, *second_got;

static void
choose_first(const funnel_ops_t *got)
{
    first_got = got;
}

static void
choose_second(const funnel_ops_t *got)
{
    second_got = got;
}

static void
test_menu_opens_for_the_capture_that_was_chosen(void)
{
    static const funnel_ops_t anything;

    tools_menu_add("First", choose_first);
    tools_menu_add("Second", choose_second);
    CHECK(in_menu == 2 && strcmp(menu[0].name, "Performance Counters/First") == 0 &&
            strcmp(menu[1].name, "Performance Counters/Second") == 0,
        "%u", in_menu);
    ops = &anything;
    menu[1].callback(menu[1].data);
    CHECK(second_got == &anything, "the second");
    CHECK(first_got == NULL, "the second");
    menu[0].callback(menu[0].data);
    CHECK(first_got == &anything, "the first");
    ops = NULL;
    first_got = &anything;
    menu[0].callback(menu[0].data);
    CHECK(first_got == &anything, "chosen where nothing can be asked");
}

static void
test_window_title_names_the_capture(void)
{
    char name[] = "/home/me/one.pcapng";
    ws_info_t info = { .ws_info_supported = true, .cf_filename = name };
    char *got;

    shown = &info;
    got = tools_menu_capture();
    CHECK(strcmp(got, name) == 0, "%s", got);
    g_free(got);
    got = capture_name();
    CHECK(strcmp(got, "one.pcapng") == 0, "%s", got);
    g_free(got);
    CHECK_HEAP(g_free(tools_menu_capture()), "the path is kept");
    CHECK_HEAP(g_free(tools_menu_path("x.html")), "a path beside it is kept");
    CHECK_HEAP(g_free(capture_name()), "the name is kept");
#ifndef _WIN32
    {
        char relative[] = "two.pcapng", *here = g_get_current_dir(), *path = g_build_filename(here, relative, NULL);

        got = tools_menu_path("x.html");
        CHECK_STRING(got, "/home/me/x.html", "beside the capture");
        g_free(got);
        got = tools_menu_path("/elsewhere/x.html");
        CHECK_STRING(got, "/elsewhere/x.html", "elsewhere");
        g_free(got);
        info.cf_filename = relative;
        got = tools_menu_capture();
        CHECK_STRING(got, path, "in this folder");
        g_free(got);
        g_free(path);
        g_free(here);
        info.cf_filename = name;
    }
#endif
    info.ws_info_supported = false;
    CHECK(tools_menu_capture() == NULL, "no window tells");
    CHECK(tools_menu_path("/x.html") == NULL, "no window tells");
    info.ws_info_supported = true;
    info.cf_filename = NULL;
    CHECK(tools_menu_capture() == NULL, "a window without a capture");
    shown = NULL;
    CHECK(tools_menu_capture() == NULL, "no window");
}

#ifndef _WIN32
static const char *words; /* each with its terminator; NULL: the system does not tell */
static size_t words_size;

/* In place of what the system tells of this process. */
gboolean
g_file_get_contents(const char *name, char **contents, gsize *length, GError **error _U_)
{
    CHECK(strcmp(name, "/proc/self/cmdline") == 0, "%s", name);
    if (words != NULL) {
        *contents = (char *)g_memdup2(words, words_size + 1);
        *length = words_size;
    }
    return words != NULL;
}

static void
test_command_line_names_the_file_read(void)
{
#define WORDS(text) text "\0", sizeof(text)
    static const struct {
        const char *words;
        size_t size;
        const char *name;
    } cases[] = {
        { WORDS("tshark\0-r\0/tmp/two.pcap\0-q"), "two.pcap" },
        { WORDS("tshark\0-q\0-z\0perflib,report,a.html\0-r\0two.pcap"), "two.pcap" },
        { WORDS("tshark\0-rtwo.pcap"), "two.pcap" },
        { WORDS("tshark\0-2nQr\0two.pcap"), "two.pcap" },
        { WORDS("tshark\0-Vrtwo.pcap"), "two.pcap" },
        { WORDS("tshark\0--read-file=/a/b/two.pcap"), "two.pcap" },
        { WORDS("tshark\0--read-file\0/a/b/two.pcap"), "two.pcap" },
        { WORDS("tshark\0-r\0-"), "standard input" },
        { WORDS("tshark\0-r-"), "standard input" },
        { WORDS("tshark\0-r\0one.pcap\0-r\0two.pcap"), "one.pcap" },
        { WORDS("tshark\0-or\0-i\0eth0"), NULL },
        { WORDS("tshark\0r\0two.pcap"), NULL },
        { WORDS("tshark\0Vr\0two.pcap"), NULL },
        { WORDS("tshark\0\0-r\0two.pcap"), "two.pcap" },
        { WORDS("tshark\0-nV\0two.pcap"), NULL },
        { WORDS("tshark\0--read-files\0two.pcap"), NULL },
        { WORDS("tshark\0-q\0-r"), NULL },
        { WORDS("tshark"), NULL },
        { WORDS("t-rone.pcap\0-r\0two.pcap"), "two.pcap" },
        { "", 0, NULL },
        { NULL, 0, NULL },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        char *name;

        words = cases[i].words;
        words_size = cases[i].size;
        name = capture_name();
        CHECK(g_strcmp0(name, cases[i].name) == 0, "case %zu: %s", i, name);
        g_free(name);
        CHECK_HEAP(g_free(capture_name()), "case %zu is kept", i);
    }
}
#endif

int
main(void)
{
    wmem_init_scopes();
    test_menu_opens_for_the_capture_that_was_chosen();
    test_window_title_names_the_capture();
#ifndef _WIN32
    test_command_line_names_the_file_read();
#endif
    return check_result();
}
