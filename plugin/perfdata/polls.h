/* polls.h
 * One answer of HKEY_PERFORMANCE_DATA as a sample: the names and paths of its values, the earlier
 * sample they are compared with, and what they amount to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_POLLS_H
#define PERFLIB_PERFDATA_POLLS_H

#include "compat.h"

#include "counters/poll.h"
#include "perfdata/blocks.h"
#include "perfdata/names.h"

/* A block with what it takes to name and cook its values. Packet scope. */
struct perfdata_poll {
    struct poll base; /* first: its blocks are the objects */
    const struct perfdata_block *block;
    const struct server *server; /* the machine that the block says it is of */
    const char ***instances;     /* by object and instance: "parent/name#1"; NULL where there is none */
    struct series_row **rows;    /* of the same: the name without case, and how many of that name stand before it */
    uint16_t *numbers;           /* of the objects; NULL: no title index stands twice. See number_objects() */
    bool has_rows;               /* somebody asked for them */
};

/*
 * The series of polls that client asks server for under value_name. Made on first use, first pass only. Two handles of
 * one client that ask for the same are one series: clients open and close the key as they like.
 */
struct series_store *perfdata_series(const address *client, const struct server *server, const char *value_name,
    wmem_allocator_t *scratch);

/* Names the instances. The poll lives as long as scope. */
struct perfdata_poll *perfdata_poll_new(wmem_allocator_t *scope, tvbuff_t *tvb, const struct perfdata_block *block,
    const struct server *server, uint32_t frame);

/* First pass: remembers the poll as the latest of its series. */
const struct series_poll *perfdata_poll_remember(const struct perfdata_poll *poll, struct series_store *series,
    uint32_t frame);
/*
 * Whether a sample is the poll's own. A call may be answered twice, and the second answer need not be like the first,
 * which was remembered.
 */
bool perfdata_poll_is_sample(const struct perfdata_poll *poll, const struct series_poll *sample);

/* Fills in the columns of all objects. */
void perfdata_poll_fill_columns(struct perfdata_poll *poll);
/* Fills in columns and rows of all objects. */
void perfdata_poll_fill_rows(struct perfdata_poll *poll);

/* An instance's name as sent, in UTF-8; its unique id where it has no name. Never NULL. */
const char *perfdata_poll_sent_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance);
/*
 * The same as it may stand in a line, bounded (base/text.h); without parent and number. Costs no more for a long name.
 * Never NULL.
 */
const char *perfdata_poll_own_name(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance);
/* The name of an object or a counter, or its title index where no name is known. Never NULL. */
const char *perfdata_poll_title(const struct perfdata_poll *poll, uint32_t index);
/* Where a value stands in its block: the object's. */
unsigned perfdata_poll_at(const struct perfdata_poll *poll, unsigned object, unsigned instance, unsigned counter);
/* The text of a text counter, as far as its counter block holds it. */
const char *perfdata_poll_sent_text(const struct perfdata_poll *poll, const struct perfdata_object *object,
    const struct perfdata_instance *instance, const struct perfdata_counter *counter);

/* Text in a Windows code page: instance names of objects that have one, and ASCII texts */

/* ---- code-page.c ---- */

/*
 * size bytes at offset as UTF-8, in scope. What a code page has no character for becomes U+FFFD, as does every byte
 * beyond ASCII of a code page that is not known.
 */
const char *code_page_text(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, unsigned size, uint32_t code_page);

#endif /* PERFLIB_PERFDATA_POLLS_H */
