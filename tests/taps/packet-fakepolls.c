/* packet-fakepolls.c
 * A protocol that queues the polls its packets spell out, to test statistics without a performance API
 *
 * An Ethernet frame of type 0x88B5 (IEEE 802 local experimental) holds UTF-8 text. First line: host, seconds and
 * nanoseconds since 1970. Each further line: path, kind, value, unit; fields are separated by tabs. Kinds: real (a
 * double), whole (64 bits), text, none (value: number of the reason).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

#include "compat.h"

#include <epan/tap.h>

#include "counters/record.h"
#include "stats/rows.h"
#include "stats/command.h"
#include "stats/tables.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = "0";
WS_DLL_PUBLIC_DEF const int plugin_want_major = PERFLIB_WANT_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = PERFLIB_WANT_MINOR;

WS_DLL_PUBLIC void plugin_register(void);

static int proto_fakepolls = -1;
static int fakepolls_tap = -1;

/* Paths as the dissectors hand them out: file scope, one pointer for each path of a host */
static wmem_map_t *paths;

static const char *
intern(const char *host, const char *path)
{
    char *key = wmem_strdup_printf(wmem_file_scope(), "%s\t%s", host, path);
    const char *known = (const char *)wmem_map_lookup(paths, key);

    if (!known) {
        known = wmem_strdup(wmem_file_scope(), path);
        wmem_map_insert(paths, key, (void *)known);
    }
    return known;
}

static void
tell_origin(const struct perf_tap_poll *poll _U_, const struct perf_tap_value *value, struct perf_tap_origin *origin)
{
    *origin = (struct perf_tap_origin){ .set = "Set",
        .set_id = "238",
        .counter = value->path,
        .has_counter_id = true,
        .counter_id = 6,
        .known_by = "list" };
}

/* Of the beginning of a path, "\\\\HOST\\Counterset"; 0 where it is none. */
static size_t
set_length(const char *path)
{
    const size_t host = strncmp(path, "\\\\", 2) == 0 ? 2 + strcspn(path + 2, "\\") : 0;

    return host == 0 || path[host] == '\0' ? 0 : host + 1 + strcspn(path + host + 1, "(\\");
}

static struct perf_tap_value
read_value(packet_info *pinfo, const char *host, const char *line)
{
    struct perf_tap_value value = { .cooked.reason = COOK_OK };
    char **fields = g_strsplit(line, "\t", 4);

    value.identity = value.path = intern(host, fields[0]);
    value.set_length = set_length(value.path);
    for (enum cook_unit unit = COOK_UNIT_NONE; unit <= COOK_UNIT_SECONDS; unit++) {
        if (strcmp(fields[3], cook_unit_text(unit)) == 0) {
            value.cooked.unit = unit;
        }
    }
    if (strcmp(fields[1], "real") == 0) {
        value.cooked.value = g_ascii_strtod(fields[2], NULL);
    } else if (strcmp(fields[1], "whole") == 0) {
        value.raw = value.cooked.whole = g_ascii_strtoull(fields[2], NULL, 10);
        value.cooked.is_whole = true;
        value.cooked.value = (double)value.cooked.whole;
    } else if (strcmp(fields[1], "text") == 0) {
        value.text = wmem_strdup(pinfo->pool, fields[2]);
        value.cooked.reason = COOK_TEXT;
    } else {
        value.cooked.reason = (enum cook_reason)atoi(fields[2]);
    }
    g_strfreev(fields);
    return value;
}

static int
dissect_fakepolls(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    char *text = (char *)tvb_get_string_enc(pinfo->pool, tvb, 0, tvb_captured_length(tvb), ENC_UTF_8);
    char **lines = g_strsplit(text, "\n", -1);
    char **head = g_strsplit(lines[0], "\t", 3);
    struct perf_tap_poll *poll = wmem_new0(pinfo->pool, struct perf_tap_poll);
    struct perf_tap_value *values = wmem_alloc_array(pinfo->pool, struct perf_tap_value, g_strv_length(lines));

    proto_tree_add_item(tree, proto_fakepolls, tvb, 0, -1, ENC_NA);
    poll->host = wmem_strdup(wmem_file_scope(), head[0]);
    poll->time.secs = (time_t)g_ascii_strtoll(head[1], NULL, 10);
    poll->time.nsecs = atoi(head[2]);
    poll->query = "1";
    poll->tell = tell_origin;
    poll->values = values;
    for (unsigned i = 1; lines[i] && lines[i][0]; i++) {
        values[poll->num_values++] = read_value(pinfo, poll->host, lines[i]);
    }
    g_strfreev(head);
    g_strfreev(lines);
    if (have_tap_listener(fakepolls_tap)) {
        tap_queue_packet(fakepolls_tap, pinfo, poll);
    }
    return tvb_captured_length(tvb);
}

static void
proto_register_fakepolls(void)
{
    static const struct command_option files[] = {
        { &pdh_csv_command, "fakepolls,pdh-csv", "fakepolls_poll" },
        { &samples_command, "fakepolls,samples", "fakepolls_poll" },
    };

    proto_fakepolls = proto_register_protocol("Polls for tests", "FakePolls", "fakepolls");
    fakepolls_tap = register_tap("fakepolls_poll");
    paths = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
    stat_rows_register(stat_rows_new(&counters_table, "fakepolls", "fakepolls_poll", "FakePolls"));
    command_register(&files[0]);
    command_register(&files[1]);
}

static void
proto_reg_handoff_fakepolls(void)
{
    dissector_add_uint("ethertype", 0x88B5, create_dissector_handle(dissect_fakepolls, proto_fakepolls));
}

void
plugin_register(void)
{
    static const proto_plugin plugin = { proto_register_fakepolls, proto_reg_handoff_fakepolls };

    proto_register_plugin(&plugin);
}
