/* menus.h
 * What Wireshark's menus offer of a packet: its conversation's filter, and data to export
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_MENUS_H
#define PERFLIB_BASE_MENUS_H

#include "compat.h"

/* Analyze, Conversation Filter: all calls of the queries that the selected packet is about */

/* ---- query-filter.c ---- */

/* A packet is about the query of proto with this value of a field, which stays at least as long as the packet. */
void query_filter_add(packet_info *pinfo, int proto, const char *value);

bool query_filter_is_valid(packet_info *pinfo, int proto);
/* "field in {1, 2}": each value once. The text is the caller's. */
char *query_filter_of_numbers(packet_info *pinfo, int proto, const char *field);
/* The same with each value in quotation marks, between the packet's two addresses. */
char *query_filter_of_texts_and_peers(packet_info *pinfo, int proto, const char *field);

/* Bytes that people save as files: File, Export Objects, and tshark's --export-objects */

/* ---- export-object.c ---- */

/* Makes a protocol's objects known; returns what export_object_add() takes. Called once, at registration. */
int export_object_register(int proto);

/*
 * Hands the captured bytes of data to whoever exports objects. host: the server's name, as in paths. what: what they
 * are of, in words, as people see it. name: the file's name behind the frame's number; letters, digits and '-' of it
 * are kept, whatever it is made of. Nothing happens where nobody exports.
 */
void export_object_add(int exported, packet_info *pinfo, tvbuff_t *data, const char *host, const char *what,
    const char *name, const char *extension);

#endif /* PERFLIB_BASE_MENUS_H */
