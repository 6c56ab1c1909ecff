/* query-filter.h
 * Analyze, Conversation Filter: all calls of the queries that the selected packet is about
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_QUERY_FILTER_H
#define PERFLIB_BASE_QUERY_FILTER_H

#include "compat.h"

/*
 * A packet is about the query of proto with this value of a field: a number, or text, which the filter has in quotation
 * marks and which lasts as long as the packet.
 */
void query_filter_add_number(packet_info *pinfo, int proto, uint32_t number);
void query_filter_add_text(packet_info *pinfo, int proto, const char *text);

bool query_filter_is_valid(packet_info *pinfo, int proto);
/* "field in {1, 2}"; the text is the caller's. */
char *query_filter_text(packet_info *pinfo, int proto, const char *field);
/* The same, between the packet's two addresses. */
char *query_filter_text_of_peers(packet_info *pinfo, int proto, const char *field);

#endif /* PERFLIB_BASE_QUERY_FILTER_H */
