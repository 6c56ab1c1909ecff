/* hooks.h
 * DCOM's own interfaces, as far as calls to them are about objects of [MS-PLA]
 *
 * Scripts call an object's members under IDispatch; RemQueryInterface tells the object's other IPIDs; activation tells
 * the first one. Wireshark dissects all three: it gets copies of its operation tables that ask us first.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_HOOKS_H
#define PERFLIB_PLA_HOOKS_H

#include "pla/methods.h"

/* Called once at start. */
void pla_hooks_register(void);
/* Called once at handoff, when Wireshark's own interfaces are there. */
void pla_hooks_init(void);

/* A class of [MS-PLA] that is named anywhere in these bytes, or NULL. */
const struct pla_class *pla_hooks_find_class(const uint8_t *bytes, unsigned length);

#endif /* PERFLIB_PLA_HOOKS_H */
