/* oaut-dispatch.h
 * The parameters of IDispatch, [MS-OAUT] 3.1.4, which scripts use to call by name
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_OAUT_DISPATCH_H
#define PERFLIB_PLA_OAUT_DISPATCH_H

#include "pla/oaut.h"

/*
 * GetIDsOfNames: array of pointers to names, an item each under hf (FT_STRING). *first: the member's name, packet
 * scope; "" where there is none.
 */
bool dispatch_names(struct orpc *o, int hf, const char **first);
/* Conformant array of 32-bit numbers, an item each under hf. *first is 0 where there is none. */
bool dispatch_numbers(struct orpc *o, int hf, bool is_signed, uint32_t *count, uint32_t *first);
/* DISPPARAMS under hf (FT_NONE). hide: the arguments are not to be shown. *first, *last: of them, if there is any. */
bool dispatch_params(struct orpc *o, int hf, bool hide, struct oaut_variant *first, struct oaut_variant *last);
/* EXCEPINFO under hf (FT_NONE). */
bool dispatch_excepinfo(struct orpc *o, int hf);

/* Fields and subtrees; called once, with the protocol that owns them. */
void dispatch_register(int proto);

#endif /* PERFLIB_PLA_OAUT_DISPATCH_H */
