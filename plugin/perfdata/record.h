/* record.h
 * What the performance data dissector hands to statistics: one record an answer
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_RECORD_H
#define PERFLIB_PERFDATA_RECORD_H

#include "compat.h"

#define POLICY_HANDLE_SIZE 20

/* A handle of one of the keys with performance data or its names, from its opening to its closing. File scope. */
struct perfdata_key {
    uint8_t handle[POLICY_HANDLE_SIZE];
    const struct catalog_server *server;
    unsigned unnamed_language;  /* of "Counter" and "Help" without a language */
    bool names_only;            /* a plain key of the registry: its other values are none of ours */
    uint32_t opened_in;         /* frame; 0: not in the capture, recognised by what was read with it */
    uint32_t closed_in;         /* 0: not closed */
};

/* Queued to the tap "perfdata"; packet scope. */
struct perfdata_tap {
    const struct perfdata_key *key;
    bool is_close;              /* the handle was closed; all else is of QueryValue answers */
    const char *value_name;     /* file scope; NULL: unknown */
    uint32_t error;
    uint32_t size;              /* bytes of data */
    bool has_interval;          /* a sample, and not the first */
    double interval;            /* seconds since the one before */
    nstime_t response_time;
};

#endif /* PERFLIB_PERFDATA_RECORD_H */
