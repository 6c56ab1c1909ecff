/* recognise.h
 * Calls without a bind that are about objects of [MS-PLA]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_RECOGNISE_H
#define PERFLIB_PLA_RECOGNISE_H

#include "base/stub-check.h"

/* See stub_recogniser: calls to objects that are known, requests for such objects. */
bool pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found);

#endif /* PERFLIB_PLA_RECOGNISE_H */
