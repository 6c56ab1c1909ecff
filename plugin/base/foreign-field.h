/* foreign-field.h
 * Fields of Wireshark's own protocols, found by name: so that their filters find our items, too
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_FOREIGN_FIELD_H
#define PERFLIB_BASE_FOREIGN_FIELD_H

#include "base/field-family.h"

struct foreign_field {
    int *hf; /* receives the field; -1 where Wireshark has none of this name and type */
    const char *name;
    enum ftenum type; /* what our items are added as: of another type Wireshark would not take them */
};

/* Fields as a table of X(variable, name, type): their variables are FIELD_VARIABLE's (base/field-family.h). */
/* clang-format off */
#define FOREIGN_FIELD(variable, name, type) { &hf_##variable, name, type },
/* clang-format on */

/* A field of this name and type, or -1. At handoff, when all protocols have registered theirs. */
int foreign_field_find(const char *name, enum ftenum type);
/* The same for a table of them. Returns the name of one that is missing, or NULL. */
const char *foreign_fields_find(const struct foreign_field *fields, size_t count);
/*
 * What Wireshark calls a value of such a field, NULL where it has no name for it: its tables of NTSTATUS, of faults and
 * the like are its own. Constant.
 */
const char *foreign_field_value_name(const char *name, uint32_t value);

#endif /* PERFLIB_BASE_FOREIGN_FIELD_H */
