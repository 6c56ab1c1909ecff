/* faults.h
 * Calls to objects of [MS-PLA] that a fault answered, and PDUs that were sealed and not read
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_FAULTS_H
#define PERFLIB_PLA_FAULTS_H

#include "base/rpc-call.h"

/* To be noted with a struct pla_call of each request: rpc_call_note(). */
extern const struct rpc_listener pla_listener;

/* Fields and expert items; called once, with the protocol that owns them and the tap "pla". */
void pla_faults_register(int proto, int tap);

#endif /* PERFLIB_PLA_FAULTS_H */
