/* model.h
 * All tables of a capture, for statistics that need several tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_MODEL_H
#define PERFLIB_STATS_MODEL_H

#include "compat.h"

#include "stats/command.h"
#include "stats/key-index.h"
#include "stats/rows.h"

enum model_api { MODEL_PERFLIBV2, MODEL_PERFDATA, NUM_MODEL_APIS };

/* Tables of a model: those that the report page and files are made of. Sessions and findings: for all protocols. */
enum model_table {
    MODEL_SESSIONS,
    MODEL_RULES,
    MODEL_SETS,
    MODEL_CALLS,
    MODEL_PLA_CALLS,
    MODEL_QUERIES, /* first of the tables that exist once for each enum model_api */
    MODEL_USAGE = MODEL_QUERIES + NUM_MODEL_APIS,
    MODEL_MISSING = MODEL_USAGE + NUM_MODEL_APIS,
    MODEL_WATCH = MODEL_MISSING + NUM_MODEL_APIS,
    MODEL_COUNTERS = MODEL_WATCH + NUM_MODEL_APIS,
    MODEL_FINDINGS = MODEL_COUNTERS + NUM_MODEL_APIS, /* filled by findings_table_fill() only */
    NUM_MODEL_TABLES
};

/* Expert items of the plugin that are warnings or errors, except broken rules, which have a table. */
struct model_expert {
    unsigned count; /* number of expert items */
    uint32_t frame; /* frame of the item in .summary */
    bool has_error; /* true if any expert item is an error */
    /* text of the first error, else of the first warning, and a display filter for items of its kind; NULL if none */
    char *summary, *filter;
};

/* All tables of a capture, each filled as by its -z option. A model lives as long as the process. */
struct model {
    struct stat_rows *tables[NUM_MODEL_TABLES];
    void *data;                /* set by .begin, for example to the report's curves; else NULL */
    const GPtrArray *attempts; /* array of struct attempt * (session/attempts.h) */
    struct key_index *lacks;   /* what connections lack, by "client server" and by "client " */
    char *capture;             /* file name of the capture, set by model_fill(); NULL if unknown */
    unsigned packets;          /* number of counted packets */
    nstime_t first, last;      /* earliest and latest time stamp of the counted packets */
    GHashTable *hosts;         /* maps an address to the names of machines that answered there, one per line */
    struct model_expert expert;
    /* sessions of frames that pass the user's filter; without filter, .tables has sessions_of_all_frames() instead */
    struct stat_rows *sessions;
    GArray *events; /* tap records of .frame, kept until model_packet() counts them */
    uint32_t frame;
    bool is_open;
    void (*begin)(struct model *model); /* as given to model_open() */
};

/*
 * Returns an empty model that starts counting now. The caller owns it until model_command_finish(); it may then be
 * reused by a caller with the same `begin`. begin: called for each newly made model, before its tables are used; may be
 * NULL. is_filtered: true if the user's filter may exclude frames.
 */
struct model *model_open(void (*begin)(struct model *model), bool is_filtered);
/* A `begin` for model_open(): the tables get all columns that files have. */
void model_begin_data(struct model *model);
void model_reset(struct model *model);
/* Counts a frame. Must be called by the listener of the tap "frame", after the frame's other tap records. */
void model_packet(struct model *model, const packet_info *pinfo);
/* Sets model->attempts (array of struct attempt *), and in `scope` model->lacks. */
void model_set_attempts(struct model *model, const GPtrArray *attempts, wmem_allocator_t *scope);
/* Updates the rows of all tables. scope: allocator for model->attempts and model->lacks. */
void model_fill(struct model *model, wmem_allocator_t *scope);

/* Command that writes a model's tables to a file. The structure of each such command begins with this one. */
struct model_command {
    struct command command; /* must be the first member */
    char *filter;           /* the user's display filter; NULL if none */
    struct model *model;
};
/* Opens the command's model. begin: as for model_open(). */
void model_command_open(struct model_command *command, const char *filter, void (*begin)(struct model *model));
/* Callbacks for struct command_kind. Their data is a struct model_command. */
void model_command_reset(void *data);
tap_packet_status model_command_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
    tap_flags_t flags);
void model_command_finish(void *data);

/* Returns the cell in the column with this key as text, or "" if it is empty. Allocated in `scope`. */
const char *model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column);
/* Returns a cell as a whole number, or 0 if it is empty. */
unsigned model_number(const struct stat_rows *rows, unsigned row, const char *column);
uint64_t model_polls(const struct model *model);
/*
 * Returns true if segments of a client's connections are missing or arrived too late to be read. takes_cut: also if
 * frames were truncated. client: its address.
 */
bool model_lacks_frames(const struct model *model, const char *client, bool takes_cut);
/*
 * Returns true if a frame before `frame` was truncated on a connection of a client to a server, by their addresses.
 * server: "" for any.
 */
bool model_was_cut_before(const struct model *model, const char *client, const char *server, uint32_t frame);
/*
 * Returns the machine name used in paths for an address, or the address if the name is unknown or several machines
 * answered there.
 */
const char *model_host(const struct model *model, const char *address);
/* Returns an address, preceded by the names of its machines if polls contain them. Allocated in `scope`. */
const char *model_machine(wmem_allocator_t *scope, const struct model *model, const char *address);

/* ---- capture-name.c ---- */

/* Returns the file name of the capture without its folder, or NULL if unknown. Free it with g_free(). */
char *capture_name(void);

#endif /* PERFLIB_STATS_MODEL_H */
