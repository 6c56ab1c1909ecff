/* polls.h
 * An answer of HKEY_PERFORMANCE_DATA as a poll: names and paths of its values, the previous sample, and cooked values
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_POLLS_H
#define PERFLIB_PERFDATA_POLLS_H

#include "counters/poll.h"
#include "perfdata/blocks.h"
#include "perfdata/names.h"

/* A block with the data to name and cook its values. Packet scope. */
struct perfdata_poll {
    struct poll base; /* first member; its blocks are the objects */
    const struct perfdata_block *block;
    const struct server *server; /* machine that the block names */
    const char ***instances;     /* [object][instance]: name in paths, "parent/name#1"; NULL: no instances */
    /* [object][instance]: .name is its name, .id the number of earlier instances with that name */
    struct series_row **rows;
    /* number of each object among those with its title index (number_objects()); NULL: title indexes are unique */
    uint16_t *numbers;
    bool has_rows;      /* rows are filled in */
    bool is_read_again; /* the packet was dissected before: the capture's other packets are known */
};

/*
 * Returns the series of polls in which a client asks a server for value_name, created on first use in the first pass.
 * Handles do not matter, since clients open and close the key at will.
 */
struct series_store *perfdata_series(const address *client, const struct server *server, const char *value_name,
    wmem_allocator_t *scratch);

/* Creates a poll of the packet and names its instances. Packet scope. */
struct perfdata_poll *perfdata_poll_new(packet_info *pinfo, tvbuff_t *tvb, const struct perfdata_block *block,
    const struct server *server);

/* Adds the poll to its series, in the first pass. */
const struct series_poll *perfdata_poll_remember(const struct perfdata_poll *poll, struct series_store *series,
    uint32_t frame, const struct rpc_position *request);
/*
 * Returns whether a sample belongs to the poll. A call may be answered twice with different data; only the first answer
 * is stored.
 */
bool perfdata_poll_is_sample(const struct perfdata_poll *poll, const struct series_poll *sample);

/* Fills in the columns of all objects. */
void perfdata_poll_fill_columns(struct perfdata_poll *poll);
/* Fills in columns and rows of all objects. */
void perfdata_poll_fill_rows(struct perfdata_poll *poll);

/* Returns an instance's name as sent, in UTF-8, or its unique id if it has no name. Never NULL. */
const char *perfdata_poll_sent_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance);
/*
 * Returns an instance's name printable and limited (base/text.h), without parent and number. Long names cost no more
 * than short ones. Never NULL.
 */
const char *perfdata_poll_own_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance);
/* Returns the name of an object or counter, or its title index if the name is unknown. Never NULL. */
const char *perfdata_poll_title(const struct perfdata_poll *poll, uint32_t index);
/* Returns the text of a text counter, as far as its counter block contains it. */
const char *perfdata_poll_sent_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter);

/* Text in a Windows code page: instance names of objects that have one, and ASCII texts */

/* ---- code-page.c ---- */

/*
 * Converts size bytes at offset to UTF-8, in scope. Bytes without a character in the code page become U+FFFD, as do all
 * bytes above ASCII if the code page is unknown.
 */
const char *code_page_text(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, unsigned size, uint32_t code_page);

#endif /* PERFLIB_PERFDATA_POLLS_H */
