/* sense.h
 * Whether decrypted bytes can be a stub of PerflibV2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_SENSE_H
#define PERFLIB_PERFLIBV2_SENSE_H

#include "base/stub-check.h"

/* See stub_check; [MS-PCQ] 3.1.4.1. */
int perflibv2_sense(const struct stub_sample *sample);

struct operation;

/* Whether a stub without a bind can only be that operation's: see stub_recogniser. */
bool perflibv2_proves(const struct stub_sample *sample, const struct operation *op);

#endif /* PERFLIB_PERFLIBV2_SENSE_H */
