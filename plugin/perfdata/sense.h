/* sense.h
 * Whether decrypted bytes can be a stub of the remote registry
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_SENSE_H
#define PERFLIB_PERFDATA_SENSE_H

#include "base/stub-check.h"

/* See stub_check; [MS-RRP] 3.1.5. */
int winreg_sense(const struct stub_sample *sample);

/* Whether a stub without a bind can only be one of the remote registry: see stub_recogniser. */
bool winreg_proves(const struct stub_sample *sample);

#endif /* PERFLIB_PERFDATA_SENSE_H */
