/* method-table.h
 * Macros and declarations for the tables of methods: methods.c and the files of groups of interfaces
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLA_METHOD_TABLE_H
#define PERFLIB_PLA_METHOD_TABLE_H

#include "pla/methods.h"

/* clang-format off */
#define ARG(type, hf) { false, PLA_##type, &(hf) }
#define RESULT(type, hf) { true, PLA_##type, &(hf) }
#define NO_PARAMS { false, PLA_NONE, NULL }
#define PARAMS(...) (const struct pla_param[]){ __VA_ARGS__, NO_PARAMS }
#define METHOD(opnum, name, ...) { opnum, name, NULL, PARAMS(__VA_ARGS__) }
/* clang-format on */
#define GET(opnum, property, type, hf)      METHOD(opnum, property " (Get)", RESULT(type, hf))
#define PUT(opnum, property, type, hf)      METHOD(opnum, property " (Put)", ARG(type, hf))
/* Property with a get method and, at the next opnum, a put method. */
#define PROPERTY(opnum, property, type, hf) GET(opnum, property, type, hf), PUT((opnum) + 1, property, type, hf)
/* clang-format off */
#define LOCAL(opnum, local) { opnum, "Opnum" #opnum "NotUsedOnWire", local, PARAMS(NO_PARAMS) }
/* clang-format on */

/* ---- methods-oaut.c ---- */

extern const struct pla_method pla_idispatch_methods[4];
extern const struct pla_method pla_ienumvariant_methods[4];
/* Fields whose values are shown with more than their type says: with a unit, a meaning of 0, or an enum pla_meaning */
extern const struct pla_field pla_oaut_values[2];
/* Registers the fields of parameters of IDispatch and IEnumVARIANT. */
void pla_oaut_methods_register(int proto);

/* ---- methods-trace.c ---- */

extern const struct pla_method pla_itracedatacollector_methods[40];
extern const struct pla_method pla_iapitracingdatacollector_methods[14];
extern const struct pla_field pla_trace_values[5];
/* Registers the fields of parameters of ITraceDataCollector and IApiTracingDataCollector. */
void pla_trace_methods_register(int proto);

#endif /* PERFLIB_PLA_METHOD_TABLE_H */
