/* sense.h
 * Whether decrypted bytes can be a stub of DCOM
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_SENSE_H
#define PERFLIB_PLA_SENSE_H

#include "base/stub-check.h"

/* See stub_check; [MS-DCOM] 2.2.13. Calls of any object: those of [MS-PLA] go over the same connections. */
int pla_sense(const struct stub_sample *sample);

/* Registers it for every interface that is met where [MS-PLA] is spoken; the listener is of those of [MS-PLA]. */
void pla_sense_register(const struct rpc_listener *listener);

#endif /* PERFLIB_PLA_SENSE_H */
