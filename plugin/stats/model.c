/* model.c
 * All tables of a capture, for statistics that need several tables
 *
 * Tap records are kept until their frame is counted, as in the sessions table: the user of the model listens to the
 * tap "frame", which is the last tap of each frame and has the user's filter.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/model.h"

#include <string.h>

#include <epan/expert.h>
#include <epan/to_str.h>

#include "base/fields.h"
#include "session/attempts.h"
#include "stats/tables.h"

/* Maximum number of names kept of the machines at one address. */
#define MOST_NAMES 4u

/* Tap record for a table, kept until the end of the frame. */
struct model_event {
    enum model_table table; /* table that counts the record; NUM_MODEL_TABLES: the record is an expert item */
    const void *tapped;
};

/* Data of a tap listener. Listeners cost time in each frame, so all tables of a tap share one. */
struct model_listening {
    struct model *model;
    const char *tap_name;
    uint64_t tables; /* bits (STAT_BIT) of the tables that count the tap's records */
};

/* All models ever made. They are reused: after closing, a model keeps its listeners and serves the next caller. */
static GSList *all_models;

static void
keep_event(struct model *model, const packet_info *pinfo, enum model_table table, const void *tapped)
{
    const struct model_event event = { table, tapped };

    if (!model->is_open) {
        return;
    }
    if (model->frame != pinfo->num) {
        g_array_set_size(model->events, 0);
        model->frame = pinfo->num;
    }
    g_array_append_val(model->events, event);
}

static tap_packet_status
model_listen(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, tap_flags_t flags _U_)
{
    const struct model_listening *listening = (const struct model_listening *)data;

    for (unsigned table = 0; table < NUM_MODEL_TABLES; table++) {
        if ((listening->tables & STAT_BIT(table)) != 0) {
            keep_event(listening->model, pinfo, (enum model_table)table, tapped);
        }
    }
    return TAP_PACKET_DONT_REDRAW;
}

static tap_packet_status
model_listen_to_expert(void *data _U_, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
    tap_flags_t flags _U_)
{
    for (GSList *link = all_models; link != NULL; link = link->next) {
        keep_event((struct model *)link->data, pinfo, NUM_MODEL_TABLES, tapped);
    }
    return TAP_PACKET_DONT_REDRAW;
}

/*
 * Listens to expert items, after checking whether others do: if not, dissectors need not find the expert items of
 * values, which saves time.
 */
static void
follow_expert(void)
{
    static bool is_listening;

    if (is_listening) {
        remove_tap_listener(&is_listening);
    }
    expert_items_are_ours(!have_tap_listener(find_tap_id("expert")));
    is_listening = true;
    helper_listen("expert", &is_listening, NULL, model_listen_to_expert, NULL);
}

static struct model *
model_new(void (*begin)(struct model *model))
{
    struct model *model = g_new0(struct model, 1);
    struct model_listening *all = g_new0(struct model_listening, NUM_STAT_TABLES);
    unsigned count = 0;

    model->events = g_array_new(FALSE, FALSE, sizeof(struct model_event));
    model->hosts = g_hash_table_new_full(wmem_str_hash, g_str_equal, g_free, g_free);
    for (unsigned i = 0; i < NUM_STAT_TABLES; i++) {
        const struct stat_table *table = &stat_tables[i];
        struct model_listening *listening = all;

        if (table->place < NUM_MODEL_TABLES) {
            model->tables[table->place] = stat_rows_new(table->kind, table->protocol, table->tap_name, "Capture");
        }
        /* Tables over the tap "frame" need no listener here: model_packet() is called for each frame. */
        if (strcmp(table->tap_name, "frame") == 0) {
            continue;
        }
        while (listening < all + count && strcmp(listening->tap_name, table->tap_name) != 0) {
            listening++;
        }
        count += listening == all + count;
        *listening = (struct model_listening){ model, table->tap_name, listening->tables | STAT_BIT(table->place) };
    }
    for (unsigned i = 0; i < count; i++) {
        helper_listen(all[i].tap_name, &all[i], NULL, model_listen, NULL);
    }
    model->sessions = model->tables[MODEL_SESSIONS];
    model->begin = begin;
    if (begin != NULL) {
        begin(model);
    }
    all_models = g_slist_prepend(all_models, model);
    return model;
}

struct model *
model_open(void (*begin)(struct model *model), bool is_filtered)
{
    struct model *model = NULL;

    for (GSList *link = all_models; link != NULL && model == NULL; link = link->next) {
        struct model *other = (struct model *)link->data;

        model = !other->is_open && other->begin == begin ? other : NULL;
    }
    model = model == NULL ? model_new(begin) : model;
    /* Models without a filter share one sessions table, so that connections are followed only once. */
    model->tables[MODEL_SESSIONS] = is_filtered ? model->sessions : sessions_of_all_frames();
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        stat_rows_use(model->tables[i]);
    }
    model_reset(model);
    model->is_open = true;
    follow_expert();
    return model;
}

void
model_begin_data(struct model *model)
{
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        model->tables[i]->is_data = true;
    }
}

void
model_reset(struct model *model)
{
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        stat_rows_clear(model->tables[i]);
    }
    g_hash_table_remove_all(model->hosts);
    g_free(model->expert.summary);
    g_free(model->expert.filter);
    model->expert = (struct model_expert){ 0 };
    g_array_set_size(model->events, 0);
    model->frame = model->packets = 0;
    nstime_set_zero(&model->first);
    nstime_set_zero(&model->last);
}

/* Learns the machine name of a poll's server. */
static void
model_learn_host(struct model *model, const packet_info *pinfo, const struct perf_tap_poll *poll)
{
    const char *server = address_to_str(pinfo->pool, &pinfo->src);
    const char *host = (const char *)g_hash_table_lookup(model->hosts, server);

    if (poll->needed != NULL || poll->is_passed_on) {
        return;
    }
    /* A learned name replaces the address. Names of further machines at the same address are appended, one per line. */
    if (host == NULL || strcmp(host, server) == 0) {
        g_hash_table_insert(model->hosts, g_strdup(server), g_strdup(poll->host));
    } else if (strcmp(poll->host, server) != 0 && strcmp(poll->host, host) != 0) {
        char **names = g_strsplit(host, "\n", -1);

        if (!g_strv_contains((const char *const *)names, poll->host) && g_strv_length(names) < MOST_NAMES) {
            g_hash_table_insert(model->hosts, g_strdup(server), g_strdup_printf("%s\n%s", host, poll->host));
        }
        g_strfreev(names);
    }
}

/* Counts an expert item if it is one of the plugin's. Keeps the text of the first error, else of the first warning. */
static void
model_count_expert(struct model_expert *expert, const expert_info_t *item)
{
    static const char *const protocols[] = { "perflibv2.", "perfdata.", "pla.", "perflib_session." };
    const char *name = proto_registrar_get_abbrev(item->hf_index);
    bool is_ours = false;

    for (size_t i = 0; i < array_length(protocols); i++) {
        is_ours = is_ours || g_str_has_prefix(name, protocols[i]);
    }
    if (!is_ours || item->severity < PI_WARN || g_str_has_prefix(name, "perflibv2.rule.")) {
        return;
    }
    if (expert->count++ == 0 || (item->severity >= PI_ERROR && !expert->has_error)) {
        g_free(expert->summary);
        g_free(expert->filter);
        expert->frame = item->packet_num;
        expert->summary = g_strdup(item->summary);
        expert->filter = g_strdup(name);
        expert->has_error = item->severity >= PI_ERROR;
    }
}

void
model_packet(struct model *model, const packet_info *pinfo)
{
    struct stat_rows *sessions = model->tables[MODEL_SESSIONS];

    if (model->packets++ == 0) {
        follow_expert();
        model->first = model->last = pinfo->abs_ts;
    }
    /* In merged captures times may go backwards. */
    if (nstime_cmp(&pinfo->abs_ts, &model->first) < 0) {
        model->first = pinfo->abs_ts;
    }
    if (nstime_cmp(&pinfo->abs_ts, &model->last) > 0) {
        model->last = pinfo->abs_ts;
    }
    for (unsigned i = 0; model->frame == pinfo->num && i < model->events->len; i++) {
        const struct model_event *event = &g_array_index(model->events, struct model_event, i);
        struct stat_rows *rows;

        if (event->table == NUM_MODEL_TABLES) {
            model_count_expert(&model->expert, (const expert_info_t *)event->tapped);
            continue;
        }
        rows = model->tables[event->table];
        if (event->table >= MODEL_COUNTERS) {
            model_learn_host(model, pinfo, (const struct perf_tap_poll *)event->tapped);
        }
        rows->kind->count(rows, pinfo, event->tapped);
    }
    if (sessions == model->sessions) {
        sessions->kind->count(sessions, pinfo, NULL);
    }
}

/* Returns what the capture lacks of a client's connections to one server, or (server is "") to all servers. */
static struct attempt_losses *
gather_lacks(const struct model *model, const char *client, const char *server)
{
    char *key = g_strdup_printf("%s %s", client, server);
    struct attempt_losses *lacks = (struct attempt_losses *)key_index_gather(model->lacks, key, sizeof *lacks);

    g_free(key);
    return lacks;
}

void
model_set_attempts(struct model *model, const GPtrArray *attempts, wmem_allocator_t *scope)
{
    model->attempts = attempts;
    model->lacks = key_index_new(scope);
    for (unsigned i = 0; i < attempts->len; i++) {
        const struct attempt *attempt = (const struct attempt *)g_ptr_array_index(attempts, i);

        attempt_add_losses(attempt, gather_lacks(model, attempt->client, attempt->server));
        attempt_add_losses(attempt, gather_lacks(model, attempt->client, ""));
    }
}

void
model_fill(struct model *model, wmem_allocator_t *scope)
{
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        stat_rows_fill(model->tables[i]);
    }
    g_free(model->capture);
    model->capture = capture_name();
    model_set_attempts(model, sessions_attempts(model->tables[MODEL_SESSIONS], scope), scope);
}

bool
model_lacks_frames(const struct model *model, const char *client, bool takes_cut)
{
    const struct attempt_losses *lacks = gather_lacks(model, client, "");

    return lacks->has_gaps || (takes_cut && lacks->first_cut != 0);
}

bool
model_was_cut_before(const struct model *model, const char *client, const char *server, uint32_t frame)
{
    const uint32_t first = gather_lacks(model, client, server)->first_cut;

    return first != 0 && first < frame;
}

void
model_command_open(struct model_command *command, const char *filter, void (*begin)(struct model *model))
{
    command->filter = g_strdup(filter);
    command->model = model_open(begin, filter != NULL);
}

void
model_command_reset(void *data)
{
    model_reset(((struct model_command *)data)->model);
}

tap_packet_status
model_command_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped _U_,
    tap_flags_t flags _U_)
{
    model_packet(((struct model_command *)data)->model, pinfo);
    return TAP_PACKET_REDRAW;
}

void
model_command_finish(void *data)
{
    struct model_command *command = (struct model_command *)data;

    /* The rows stay as they are: the next model_open() empties the tables. */
    command->model->is_open = false;
    expert_items_are_ours(false);
    g_free(command->filter);
}

const char *
model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column)
{
    const unsigned i = stat_rows_column(rows, column);
    const stat_tap_table_item_type *cell = &stat_rows_cells(rows, row)[i];
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    return i == rows->kind->num_columns ? "" : wmem_strdup(scope, stat_cell_text(rows, cell, i, number));
}

unsigned
model_number(const struct stat_rows *rows, unsigned row, const char *column)
{
    const unsigned i = stat_rows_column(rows, column);
    const stat_tap_table_item_type *cell = &stat_rows_cells(rows, row)[i];

    return i < rows->kind->num_columns && cell->type == TABLE_ITEM_UINT ? cell->value.uint_value : 0;
}

uint64_t
model_polls(const struct model *model)
{
    uint64_t polls = 0;

    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const struct stat_rows *rows = model->tables[MODEL_QUERIES + api];

        for (unsigned row = 0; row < stat_rows_count(rows); row++) {
            polls += api == MODEL_PERFDATA ? perfdata_queries_polls(rows, row) : model_number(rows, row, "polls");
        }
    }
    return polls;
}

const char *
model_host(const struct model *model, const char *address)
{
    const char *host = (const char *)g_hash_table_lookup(model->hosts, address);

    return host == NULL || strchr(host, '\n') != NULL ? address : host;
}

const char *
model_machine(wmem_allocator_t *scope, const struct model *model, const char *address)
{
    const char *host = (const char *)g_hash_table_lookup(model->hosts, address);
    char **names = g_strsplit(host == NULL ? address : host, "\n", -1), *text;

    if (g_strv_length(names) == MOST_NAMES) {
        g_free(names[MOST_NAMES - 1]);
        names[MOST_NAMES - 1] = g_strdup("others");
    }
    text = g_strjoinv(", ", names);
    g_strfreev(names);
    host = strcmp(text, address) == 0 ? address : wmem_strdup_printf(scope, "%s (%s)", text, address);
    g_free(text);
    return host;
}
