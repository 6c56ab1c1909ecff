/* test_command.c
 * "-z PROTOCOL,NAME,FILE[,filter]": what is told of an argument, what a command is started with, how it ends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/command.h"

#include <string.h>

#include <epan/stat_tap_ui.h>

#include "check.h"
#include "fake-told.h"

/* In place of Wireshark's taps. */
static struct listener {
    const char *name, *filter;
    void *data;
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    tap_finish_cb finish;
} last, encrypted;
static unsigned num_listeners;
static const char *refusal;

GString *
register_tap_listener(const char *name, void *data, const char *filter, unsigned flags, tap_reset_cb reset,
    tap_packet_cb packet, tap_draw_cb draw, tap_finish_cb finish)
{
    const struct listener listener = { name, filter, data, reset, packet, draw, finish };

    if (strcmp(name, "perflib_session_encrypted") == 0) {
        CHECK((flags & TL_IS_DISSECTOR_HELPER) != 0 && filter == NULL, "flags %x", flags);
        encrypted = listener;
        num_listeners++;
        return NULL;
    }
    CHECK(flags == TL_REQUIRES_NOTHING, "flags %x", flags);
    last = listener;
    return refusal == NULL ? NULL : g_string_new(refusal);
}

static stat_tap_ui registered;
static void *registered_data;

void
register_stat_tap_ui(stat_tap_ui *ui, void *data)
{
    registered = *ui;
    registered_data = data;
}

/* In place of files: the last name that was asked for, and how many are there. */
static char file_name[100];
static int num_files;
static bool has_no_file;

struct output_file *
output_file_new(const char *name)
{
    snprintf(file_name, sizeof file_name, "%s", name);
    if (has_no_file) {
        return NULL;
    }
    num_files++;
    return (struct output_file *)&num_files;
}

void
output_file_free(struct output_file *output)
{
    CHECK(output == (struct output_file *)&num_files, "another file");
    num_files--;
}

/* A command that keeps a number. */
struct counting {
    struct command command;
    unsigned number;
};

static bool refuses;
static const char *begun_with;
static unsigned resets, finishes;

static bool
counting_begin(void *data, const char *filter)
{
    CHECK(((struct counting *)data)->number == 0, "not zero");
    begun_with = filter;
    return !refuses;
}

static void
counting_reset(void *data)
{
    resets++;
    ((struct counting *)data)->number = 0;
}

static tap_packet_status
counting_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped, tap_flags_t flags)
{
    (void)pinfo;
    (void)edt;
    (void)tapped;
    (void)flags;
    ((struct counting *)data)->number++;
    return TAP_PACKET_DONT_REDRAW;
}

static void
counting_draw(void *data)
{
    (void)data;
}

static void
counting_finish(void *data)
{
    (void)data;
    finishes++;
}

static const struct command_kind kind = {
    .name = "count",
    .size = sizeof(struct counting),
    .begin = counting_begin,
    .reset = counting_reset,
    .packet = counting_packet,
    .draw = counting_draw,
    .finish = counting_finish,
};
/* One that needs nothing of all that. */
static const struct command_kind plain = {
    .name = "plain",
    .size = sizeof(struct command),
    .reset = counting_reset,
    .packet = counting_packet,
    .draw = counting_draw,
};

static void
ask(const char *argument)
{
    told[0] = '\0';
    last = (struct listener){ .name = NULL };
    registered.tap_init_cb(argument, registered_data);
}

static void
test_arguments(void)
{
    struct counting *counting;

    command_register(&kind, "proto", "a_tap");
    CHECK(strcmp(registered.cli_string, "proto,count") == 0 && registered.group == REGISTER_PACKET_STAT_GROUP_UNSORTED,
        "%s", registered.cli_string);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const nameless[] = { "proto,count", "proto,count,", "proto,count,,filter" };

        ask(nameless[i]);
        CHECK(strcmp(told, "-z proto,count needs the name of a file: -z proto,count,FILE[,filter]") == 0 &&
                last.name == NULL && num_files == 0,
            "%s", told);
    }
    has_no_file = true;
    ask("proto,count,no/where");
    CHECK(last.name == NULL && strcmp(file_name, "no/where") == 0, "%s", file_name);
    has_no_file = false;

    ask("proto,count,file.csv");
    counting = (struct counting *)last.data;
    CHECK(last.name != NULL && strcmp(last.name, "a_tap") == 0 && last.filter == NULL && begun_with == NULL &&
            last.packet == counting_packet && last.draw == counting_draw && strcmp(file_name, "file.csv") == 0 &&
            num_files == 1 && strcmp(counting->command.name, "proto,count") == 0 && counting->command.kind == &kind,
        "%s", told);
    CHECK(num_listeners == 1, "%u", num_listeners);
    last.finish(counting);
    CHECK(num_files == 0 && finishes == 1, "%d files", num_files);

    ask("proto,count,file.csv,tcp.port == 1,2");
    CHECK(last.name != NULL && strcmp(last.filter, "tcp.port == 1,2") == 0 && strcmp(begun_with, last.filter) == 0 &&
            strcmp(file_name, "file.csv") == 0 && num_listeners == 1,
        "%s", last.filter);
    last.finish(last.data);

    refuses = true;
    ask("proto,count,file.csv");
    CHECK(last.name == NULL && num_files == 0, "%d files", num_files);
    refuses = false;
    refusal = "no filter";
    ask("proto,count,file.csv,nonsense");
    CHECK(strcmp(told, "-z proto,count,file.csv,nonsense: no filter") == 0 && num_files == 0, "%s", told);
    refusal = NULL;
}

/* What SMB 3 encrypts is said by each command, until it begins anew or ends. */
static void
test_encrypted(void)
{
    struct counting *counting, *other;
    struct command *third;

    ask("proto,count,one");
    counting = (struct counting *)last.data;
    ask("proto,count,two");
    other = (struct counting *)last.data;
    num_files++;
    third = (struct command *)command_open(&plain, "a report", "b_tap", (struct output_file *)&num_files);
    CHECK(third != NULL && strcmp(last.name, "b_tap") == 0 && last.filter == NULL && last.draw == NULL &&
            strcmp(third->name, "a report") == 0 && num_files == 3,
        "%d files", num_files);
    CHECK(encrypted.packet(encrypted.data, NULL, NULL, "a key", 0) == TAP_PACKET_DONT_REDRAW, "drawn");
    encrypted.packet(encrypted.data, NULL, NULL, "a key", 0);
    CHECK(counting->command.needed.count == 1 && other->command.needed.count == 1 && third->needed.count == 1 &&
            strcmp(other->command.needed.texts[0], "a key") == 0,
        "%u, %u", counting->command.needed.count, other->command.needed.count);
    resets = 0;
    last.reset(other);
    CHECK(other->command.needed.count == 0 && counting->command.needed.count == 1 && resets == 1, "%u", resets);
    finishes = 0;
    last.finish(counting);
    encrypted.packet(encrypted.data, NULL, NULL, "another key", 0);
    CHECK(other->command.needed.count == 1 && third->needed.count == 2, "%u", other->command.needed.count);
    last.finish(third);
    last.finish(other);
    CHECK(num_files == 0 && finishes == 2, "%d files", num_files);
    encrypted.packet(encrypted.data, NULL, NULL, "nobody's key", 0);
    CHECK(num_listeners == 1, "%u", num_listeners);
}

int
main(void)
{
    wmem_init_scopes();
    test_arguments();
    test_encrypted();
    return check_result();
}
