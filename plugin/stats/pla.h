/* pla.h
 * What packet-pla hands to statistics: one record a request, one a response
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_PLA_H
#define PERFLIB_STATS_PLA_H

#include "pla/methods.h"

struct pla_object;

struct pla_tap_call {
    const struct pla_interface *interface;
    const struct pla_method *method;
    bool response;
    bool has_hresult;
    uint32_t hresult;
    const struct pla_object *set;   /* data collector set the call is about, or NULL; file scope */
    const char *set_name;           /* what it was called then, or NULL; file scope */
    const char *server;             /* its address; file scope. NULL without set */
    const char *status;             /* answer of Status (Get), or NULL */
};

/* Registers the tap "pla" and its tables: -z pla,tree and -z pla,sets. Called once. */
void stats_pla_register(void);
/* Hands a record on; packet scope. */
void tap_pla_queue(packet_info *pinfo, const struct pla_tap_call *call);

#endif /* PERFLIB_STATS_PLA_H */
