/* wireshark.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "wireshark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <epan/column-info.h>
#include <epan/column.h>
#include <epan/dfilter/dfilter.h>
#include <epan/dissectors/packet-dcerpc.h>
#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/export_object.h>
#include <epan/maxmind_db.h>
#include <epan/packet.h>
#include <epan/prefs-int.h>
#include <epan/prefs.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree_priv.h>
#include <epan/tap.h>
#include <epan/tvbuff.h>
#include <wiretap/wtap.h>
#include <wsutil/buffer.h>
#include <wsutil/privileges.h>
#include <wsutil/report_message.h>
#include <wsutil/wslog.h>

#define START_OF_FILE 1700000000

#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define FOREACH_RESULT bool
#else
#define FOREACH_RESULT gboolean
#endif

typedef void (*routine)(void);
void plugin_register(void);

/* What each bit of wireshark_set_preferences sets, and what takes it back. */
static const struct {
    const char *on, *off;
} preferences[] = {
    { "perflibv2.max_items:100", "perflibv2.max_items:300000" },
    { "perfdata.max_items:100", "perfdata.max_items:300000" },
    { "pla.show_passwords:TRUE", "pla.show_passwords:FALSE" },
    { "perflib_session.keep_in_step:FALSE", "perflib_session.keep_in_step:TRUE" },
    { "ntlmssp.nt_password:other", "ntlmssp.nt_password:Perf-Lib2" },
    { "tcp.desegment_tcp_streams:FALSE", "tcp.desegment_tcp_streams:TRUE" },
};

static const char *const user_tables[] = {
    "uat:perflibv2_watch:\"cpu\",\"*% Processor Time\"",
    "uat:perflibv2_watch:\"all\",\"*\"",
    "uat:perflibv2_watch:\"odd\",\"\\\\\\\\?*(_Total#1)*\"",
};

static const char *const filters[] = {
    "perflibv2.cooked > 1",
    "perflibv2.path contains \"Processor\" || perfdata.path contains \"Process\"",
    "perflibv2.value == 3 || perfdata.value == 3",
    "perflibv2.watch.cpu > 0",
    "_ws.expert.message contains \"a\"",
    "perfdata.cooked",
    "pla || perflibv2.counter.name",
    "dcerpc.cn_status",
};
static dfilter_t *compiled[G_N_ELEMENTS(filters)];

/* Statistics without a table: most write a file, here one that is thrown away. */
static const char *const commands[] = {
    "perflibv2,pdh-csv,/dev/null",
    "perfdata,pdh-csv,/dev/null",
    "perflibv2,catalog,/dev/null",
};
static const char *const sample_commands[] = { "perflibv2,samples,", "perfdata,samples," };

static routine inits[1000], cleanups[1000];
static unsigned num_inits, num_cleanups;
static struct epan_session *session;
static int link_layer;
static column_info columns;
static GPtrArray *frames;
static bool are_trees_drawn;

/*
 * Wireshark's library and the plugin come here, not to Wireshark's own: an executable's symbols go first. A new epan
 * session for each input would take 25 ms, most of it for the lists of hosts and services.
 */
void
register_init_routine(routine init)
{
    if (num_inits < G_N_ELEMENTS(inits)) {
        inits[num_inits++] = init;
    }
}

void
register_cleanup_routine(routine cleanup)
{
    if (num_cleanups < G_N_ELEMENTS(cleanups)) {
        cleanups[num_cleanups++] = cleanup;
    }
}

/* Where addresses are: IP's dissectors ask, and the lists are made with those of hosts. No address is anywhere. */
static const mmdb_lookup_t nowhere = { .found = false };

const mmdb_lookup_t *
maxmind_db_lookup_ipv4(const ws_in4_addr *address _U_)
{
    return &nowhere;
}

const mmdb_lookup_t *
maxmind_db_lookup_ipv6(const ws_in6_addr *address _U_)
{
    return &nowhere;
}

void
wireshark_open_file(void)
{
    for (unsigned i = 0; i < num_inits; i++) {
        inits[i]();
    }
    frames = g_ptr_array_new();
}

void
wireshark_close_file(void)
{
    postseq_cleanup_all_protocols();
    for (unsigned i = 0; i < num_cleanups; i++) {
        cleanups[i]();
    }
    wmem_free_all(wmem_file_scope());
    g_ptr_array_free(frames, TRUE);
}

static const nstime_t *
frame_time(struct packet_provider_data *provider _U_, uint32_t number)
{
    return number >= 1 && number <= frames->len ? &((struct fuzz_frame *)frames->pdata[number - 1])->data.abs_ts : NULL;
}

static void
set(const char *preference)
{
    char *copy = g_strdup(preference), *message = NULL;
    const prefs_set_pref_e result = prefs_set_pref(copy, &message);

    if (result != PREFS_SET_OK && result != PREFS_SET_OBSOLETE) {
        fprintf(stderr, "preference %s: %s\n", preference, message ? message : "unknown");
        abort();
    }
    g_free(copy);
    g_free(message);
}

static void
say_nothing(const char *format _U_, va_list arguments _U_)
{
}

static int
dissect_nothing(tvbuff_t *tvb, int offset _U_, packet_info *pinfo _U_, proto_tree *tree _U_, dcerpc_info *di _U_,
    uint8_t *drep _U_)
{
    return (int)tvb_captured_length(tvb);
}

/*
 * Wireshark's own dissector of IDispatch, which the plugin asks for objects that are not of [MS-PLA], ends as a
 * dissector bug where a VARIANT has a type it has no field for (4.4: "Unregistered hf"). It is not what is tested.
 */
static void
replace_dispatch(void)
{
    static dcerpc_sub_dissector quiet[16]; /* instead of Wireshark's seven, which are constant */
    guid_key key = { { 0x00020400, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } }, 0 };
    dcerpc_uuid_value *dispatch = (dcerpc_uuid_value *)g_hash_table_lookup(dcerpc_uuids, &key);

    for (unsigned i = 0; i + 1 < G_N_ELEMENTS(quiet) && dispatch->procs[i].name != NULL; i++) {
        quiet[i] = dispatch->procs[i];
        quiet[i].dissect_rqst = quiet[i].dissect_resp = dissect_nothing;
    }
    dispatch->procs = quiet;
}

void
wireshark_start(int encap)
{
    /* Of plugins, the last to be registered has its handoff first. */
    static const proto_plugin before_ours = { .register_handoff = replace_dispatch };

    static const struct report_message_routines silence = { .vreport_failure = say_nothing,
        .vreport_warning = say_nothing };
    static const struct packet_provider_funcs provider = { .get_frame_ts = frame_time };

    link_layer = encap;
    g_setenv("WIRESHARK_ABORT_ON_DISSECTOR_BUG", "1", TRUE);
    g_setenv("WIRESHARK_ABORT_ON_TOO_MANY_ITEMS", "1", TRUE);
    /* One malloc for each block, which AddressSanitizer sees; "block" is twice as fast and sees less. */
    g_setenv("WIRESHARK_DEBUG_WMEM_OVERRIDE", "simple", FALSE);
    /* The user's own settings and plugins must not matter. */
    g_setenv("WIRESHARK_CONFIG_DIR", "/nonexistent", TRUE);
    g_setenv("G_DEBUG", "fatal-criticals", TRUE);

    ws_log_set_level(LOG_LEVEL_WARNING);
    init_report_message("fuzz", &silence);
    init_process_policies();
    wtap_init(false);
    plugin_register();
    proto_register_plugin(&before_ours);
    if (!epan_init(NULL, NULL, false)) {
        abort();
    }
    session = epan_new(NULL, &provider);
}

static void
table_reset(void *data)
{
    stat_tap_table_ui *table = ((stat_data_t *)data)->stat_tap_data;

    for (guint i = 0; table->stat_tap_reset_table_cb && i < table->tables->len; i++) {
        table->stat_tap_reset_table_cb(g_array_index(table->tables, stat_tap_table *, i));
    }
}

static void
print_cell(const stat_tap_table_item_type *cell, const char *format)
{
    switch (cell->type) {
    case TABLE_ITEM_UINT: printf(format, cell->value.uint_value); break;
    case TABLE_ITEM_INT: printf(format, cell->value.int_value); break;
    case TABLE_ITEM_STRING: printf(format, cell->value.string_value); break;
    case TABLE_ITEM_FLOAT: printf(format, cell->value.float_value); break;
    default: break;
    }
}

static void
table_draw(void *data)
{
    stat_tap_table_ui *ui = ((stat_data_t *)data)->stat_tap_data;

    for (guint i = 0; i < ui->tables->len; i++) {
        const stat_tap_table *table = g_array_index(ui->tables, stat_tap_table *, i);
        for (guint row = 0; row < table->num_elements; row++) {
            for (guint column = 0; column < table->num_fields; column++) {
                print_cell(&table->elements[row][column], ui->fields[column].field_format);
            }
        }
    }
}

static bool
is_ours(const char *name)
{
    return g_str_has_prefix(name, "perflibv2") || g_str_has_prefix(name, "perfdata") || g_str_has_prefix(name, "pla");
}

static void
listen(const char *tap, void *data, unsigned flags, tap_reset_cb reset, tap_packet_cb packet, tap_draw_cb draw)
{
    GString *error = register_tap_listener(tap, data, NULL, flags, reset, packet, draw, NULL);

    if (error) {
        fprintf(stderr, "%s: %s\n", tap, error->str);
        abort();
    }
}

/* As tshark does with "-z" of a table. */
static FOREACH_RESULT
listen_table(const void *key _U_, void *value, void *user_data _U_)
{
    stat_tap_table_ui *ui = (stat_tap_table_ui *)value;
    stat_data_t *data;

    if (is_ours(ui->cli_string)) {
        data = g_new0(stat_data_t, 1);
        data->stat_tap_data = ui;
        ui->stat_tap_init_cb(ui);
        listen(ui->tap_name, data, 0, table_reset, ui->packet_func, table_draw);
    }
    return false;
}

static void
tree_draw(void *data)
{
    stats_tree *tree = (stats_tree *)data;
    GString *text;

    if (are_trees_drawn) {
        text = stats_tree_format_as_str(tree, ST_FORMAT_PLAIN, stats_tree_get_default_sort_col(tree),
            stats_tree_is_default_sort_DESC(tree));
        fputs(text->str, stdout);
        g_string_free(text, TRUE);
    }
}

static void
listen_tree(void *key _U_, void *value, void *user_data _U_)
{
    stats_tree_cfg *cfg = (stats_tree_cfg *)value;
    stats_tree *tree;

    if (is_ours(cfg->tapname)) {
        tree = stats_tree_new(cfg, NULL, NULL);
        listen(cfg->tapname, tree, cfg->flags, stats_tree_reset, stats_tree_packet, tree_draw);
        if (cfg->init) {
            cfg->init(tree);
        }
    }
}

static void
forget_object(void *list _U_, export_object_entry_t *entry)
{
    eo_free_entry(entry);
}

/* As File > Export Objects does. */
static FOREACH_RESULT
listen_objects(const void *key _U_, void *value, void *user_data _U_)
{
    static export_object_list_t list = { .add_entry = forget_object };
    register_eo_t *eo = (register_eo_t *)value;

    if (is_ours(proto_get_protocol_filter_name(get_eo_proto_id(eo)))) {
        listen(get_eo_tap_listener_name(eo), &list, 0, NULL, get_eo_packet_func(eo), NULL);
    }
    return false;
}

static void
command(const char *argument)
{
    if (!process_stat_cmd_arg(argument)) {
        fprintf(stderr, "no statistic %s\n", argument);
        abort();
    }
}

/* The samples' form is told by the end of the file's name. */
static void
command_samples(const char *folder)
{
    static const char *const ends[] = { "null.csv", "null.ndjson" };

    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        char *link = g_build_filename(folder, ends[i], NULL);
        if (symlink("/dev/null", link) != 0) {
            abort();
        }
        for (size_t j = 0; j < G_N_ELEMENTS(sample_commands); j++) {
            char *argument = g_strconcat(sample_commands[j], link, NULL);
            command(argument);
            g_free(argument);
        }
        g_free(link);
    }
}

static void
listen_columns(void)
{
    set("gui.column.format:"
        "\"Number\",\"%m\",\"Protocol\",\"%p\",\"Info\",\"%i\","
        "\"Cooked\",\"%Cus:perflibv2.cooked:0:R\",\"First\",\"%Cus:perflibv2.cooked:1:U\","
        "\"Path\",\"%Cus:perflibv2.path:0:R\",\"Older\",\"%Cus:perfdata.cooked:0:R\","
        "\"Watched\",\"%Cus:perflibv2.watch.cpu:0:R\",\"All\",\"%Cus:perflibv2.watch.all:0:R\"");
    prefs_apply_all();
    build_column_format_array(&columns, prefs.num_cols, TRUE);
}

void
wireshark_listen(void)
{
    char *folder = g_dir_make_tmp("perflib-fuzz-XXXXXX", NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(user_tables); i++) {
        set(user_tables[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(preferences); i++) {
        set(preferences[i].off);
    }
    listen_columns();
    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
        df_error_t *message = NULL;
#else
        char *message = NULL;
#endif
        if (!dfilter_compile(filters[i], &compiled[i], &message)) {
            fprintf(stderr, "filter %s\n", filters[i]);
            abort();
        }
    }

    /* Statistics print what nobody reads. */
    if (!folder || !freopen("/dev/null", "w", stdout)) {
        abort();
    }
    stat_tap_iterate_tables(listen_table, NULL);
    stats_tree_presentation(listen_tree, NULL, NULL, NULL);
    eo_iterate_tables(listen_objects, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        command(commands[i]);
    }
    command_samples(folder);
    start_requested_stats();
    g_free(folder);
}

void
wireshark_draw(bool with_trees)
{
    are_trees_drawn = with_trees;
    draw_tap_listeners(TRUE);
}

void
wireshark_reset(void)
{
    reset_tap_listeners();
}

/* The server's port of which Wireshark itself knows nothing. */
#define OTHER_PORT 49700u
#define DECODE_AS  (1u << G_N_ELEMENTS(preferences))

static void
find_dcerpc(const char *table _U_, void *value, void *found)
{
    if (dissector_handle_get_protocol_index((dissector_handle_t)value) == proto_get_id_by_filter_name("dcerpc")) {
        *(dissector_handle_t *)found = (dissector_handle_t)value;
    }
}

/* As a person tells what a port is. */
static void
decode_as_dcerpc(bool is_told)
{
    dissector_handle_t handle = NULL;

    dissector_table_foreach_handle("tcp.port", find_dcerpc, &handle);
    if (handle == NULL) {
        fprintf(stderr, "tcp.port knows no dcerpc\n");
        abort();
    }
    if (is_told) {
        dissector_change_uint("tcp.port", OTHER_PORT, handle);
    } else {
        dissector_reset_uint("tcp.port", OTHER_PORT);
    }
}

void
wireshark_set_preferences(unsigned bits)
{
    static unsigned now;
    const unsigned changed = (bits ^ now) & ((2u << G_N_ELEMENTS(preferences)) - 1);

    if (changed & DECODE_AS) {
        decode_as_dcerpc(bits & DECODE_AS);
    }

    for (size_t i = 0; i < G_N_ELEMENTS(preferences); i++) {
        if (changed & 1u << i) {
            set(bits & 1u << i ? preferences[i].on : preferences[i].off);
        }
    }
    if (changed) {
        prefs_apply_all();
        now = bits & ((2u << G_N_ELEMENTS(preferences)) - 1);
    }
}

static void
describe(const struct fuzz_frame *frame, wtap_rec *record)
{
    memset(record, 0, sizeof *record);
    record->rec_type = REC_TYPE_PACKET;
    record->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
    record->ts = frame->data.abs_ts;
    record->rec_header.packet_header.pkt_encap = link_layer;
    record->rec_header.packet_header.caplen = frame->length;
    record->rec_header.packet_header.len = frame->length;
}

void
wireshark_init_frame(struct fuzz_frame *frame, uint32_t number, uint32_t milliseconds)
{
    wtap_rec record;

    frame->data.abs_ts.secs = START_OF_FILE + milliseconds / 1000;
    frame->data.abs_ts.nsecs = (int)(milliseconds % 1000 * 1000000);
    describe(frame, &record);
    frame_data_init(&frame->data, number, &record, 0, 0);
    g_ptr_array_add(frames, frame);
}

void
wireshark_dissect(struct fuzz_frame *frame, unsigned flags, unsigned filter)
{
    column_info *cinfo = flags & WIRESHARK_COLUMNS ? &columns : NULL;
    const dfilter_t *wanted = flags & WIRESHARK_FILTER ? compiled[filter % G_N_ELEMENTS(filters)] : NULL;
    const bool tree = !(flags & WIRESHARK_NO_TREE) || wanted;
    epan_dissect_t edt;
    wtap_rec record;

    describe(frame, &record);
    epan_dissect_init(&edt, session, tree, tree && !(flags & WIRESHARK_HIDDEN));
    if (wanted) {
        epan_dissect_prime_with_dfilter(&edt, wanted);
    }
    if (cinfo) {
        col_custom_prime_edt(&edt, cinfo);
    }
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
    record.rec_type_name = "Packet";
    ws_buffer_init(&record.data, frame->length);
    ws_buffer_append(&record.data, frame->bytes, frame->length);
    if (flags & WIRESHARK_TAPS) {
        epan_dissect_run_with_taps(&edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &record, &frame->data, cinfo);
    } else {
        epan_dissect_run(&edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &record, &frame->data, cinfo);
    }
#else
    tvbuff_t *tvb = tvb_new_real_data(frame->bytes, frame->length, (int)frame->length);
    if (flags & WIRESHARK_TAPS) {
        epan_dissect_run_with_taps(&edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &record, tvb, &frame->data, cinfo);
    } else {
        epan_dissect_run(&edt, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &record, tvb, &frame->data, cinfo);
    }
#endif
    if (wanted) {
        dfilter_apply_edt((dfilter_t *)wanted, &edt);
    }
    if (cinfo) {
        epan_dissect_fill_in_columns(&edt, FALSE, TRUE);
    }
    epan_dissect_cleanup(&edt);
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
    ws_buffer_free(&record.data);
#endif
    frame->data.visited = 1;
}
