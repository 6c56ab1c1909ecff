/* menus.h
 * Menus for a packet: its query's conversation filter, and data to export
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_MENUS_H
#define PERFLIB_BASE_MENUS_H

#include "compat.h"

/* Analyze, Conversation Filter: all calls of the selected packet's queries */

/* ---- query-filter.c ---- */

/* Notes that a packet belongs to the query with this field value. value must live as long as the packet. */
void query_filter_add(packet_info *pinfo, int proto, const char *value);

bool query_filter_is_valid(packet_info *pinfo, int proto);
/*
 * Returns the filter "field in {1, 2}" with the values passed to query_filter_add(), each once. There must be a value.
 * The caller frees the filter with g_free().
 */
char *query_filter_of_numbers(packet_info *pinfo, int proto, const char *field);
/*
 * Returns the filter "field in {"a", "b"} && ip.addr == ..." with the values passed to query_filter_add() and the
 * packet's two addresses. There must be a value. The caller frees the filter with g_free().
 */
char *query_filter_of_texts_and_peers(packet_info *pinfo, int proto, const char *field);

/* Data that users save as files: File, Export Objects, and tshark's --export-objects */

/* ---- export-object.c ---- */

/* Registers a protocol's objects. Returns the argument for export_object_add(). Call it once, at start. */
int export_object_register(int proto);

/*
 * Offers the captured bytes of data for export; does nothing unless objects are being listed or exported. host: the
 * server's name as in paths. what: description for the user. name: file name after the frame number; characters other
 * than ASCII letters and digits become '-'.
 */
void export_object_add(int exported, packet_info *pinfo, tvbuff_t *data, const char *host, const char *what,
    const char *name, const char *extension);

#endif /* PERFLIB_BASE_MENUS_H */
