/* calls-table.h
 * -z perflibv2,calls and -z pla,calls: how often each operation was called, and what came of it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_CALLS_TABLE_H
#define PERFLIB_STATS_CALLS_TABLE_H

#include "compat.h"

/* One call that a record tells of, as the table counts it. Texts are constant, or packet scope. */
struct counted_call {
    const char *interface_name; /* NULL where the protocol has one */
    const char *operation;
    const char *result; /* in words; NULL: a code without a name, */
    uint32_t code;      /* the code, where result is NULL or it is a fault's: */
    bool is_fault;      /* a fault's status */
    const char *needed; /* set for whatever was sealed, and not read for want of a key: which */
};

/*
 * Tells what a record of the tap counts for: false where it is not the end of a call. scope: the packet's.
 */
typedef bool (*describe_call)(const void *tapped, wmem_allocator_t *scope, struct counted_call *call);

/* Makes "-z PROTOCOL,calls" and the window "TITLE Calls" known, over a tap. The names are copied. */
void calls_table_register(const char *protocol, const char *tap_name, const char *title, describe_call describe);

#endif /* PERFLIB_STATS_CALLS_TABLE_H */
