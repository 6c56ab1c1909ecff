/* params.h
 * The parameters of a method: a reader for each type of methods.h
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_PARAMS_H
#define PERFLIB_PLA_PARAMS_H

#include "pla/call.h"

/* Reads one parameter; false where it could not be read to its end, which was said. */
bool pla_read_param(struct pla_pdu *pdu, const struct pla_param *param);

#endif /* PERFLIB_PLA_PARAMS_H */
