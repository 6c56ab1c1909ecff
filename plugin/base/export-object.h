/* export-object.h
 * Bytes that people save as files: File, Export Objects, and tshark's --export-objects
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_EXPORT_OBJECT_H
#define PERFLIB_BASE_EXPORT_OBJECT_H

#include "compat.h"

/* Makes a protocol's objects known; returns what export_object_add() takes. Called once, at registration. */
int export_object_register(int proto);

/*
 * Hands the captured bytes of data to whoever exports objects. host: the server's name, as in paths. what: what they
 * are of, in words, as people see it. name: the file's name behind the frame's number; letters, digits and '-' of it
 * are kept, whatever it is made of. Nothing happens where nobody exports.
 */
void export_object_add(int exported, packet_info *pinfo, tvbuff_t *data, const char *host, const char *what,
    const char *name, const char *extension);

#endif /* PERFLIB_BASE_EXPORT_OBJECT_H */
