/* query-filter.c
 * Analyze, Conversation Filter: all calls of the queries that the selected packet is about
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/menus.h"

#include <string.h>

#include <epan/proto_data.h>
#include <epan/to_str.h>

/* Of a protocol's data in packet scope, beside the budget of items and the place of answers. */
enum { QUERIES_KEY = 2 };

/* The values of a packet, each as it stands in a filter: const char *. */
static wmem_array_t *
query_filter_values(packet_info *pinfo, int proto)
{
    return (wmem_array_t *)p_get_proto_data(pinfo->pool, pinfo, proto, QUERIES_KEY);
}

static const char *
query_filter_at(wmem_array_t *values, unsigned i)
{
    return *(const char **)wmem_array_index(values, i);
}

static void
query_filter_add(packet_info *pinfo, int proto, const char *value)
{
    wmem_array_t *values = query_filter_values(pinfo, proto);

    if (values == NULL) {
        values = wmem_array_new(pinfo->pool, sizeof value);
        p_add_proto_data(pinfo->pool, pinfo, proto, QUERIES_KEY, values);
    }
    for (unsigned i = 0; i < wmem_array_get_count(values); i++) {
        if (strcmp(query_filter_at(values, i), value) == 0) {
            return;
        }
    }
    wmem_array_append_one(values, value);
}

void
query_filter_add_number(packet_info *pinfo, int proto, uint32_t number)
{
    query_filter_add(pinfo, proto, wmem_strdup_printf(pinfo->pool, "%u", number));
}

void
query_filter_add_text(packet_info *pinfo, int proto, const char *text)
{
    wmem_strbuf_t *quoted = wmem_strbuf_new(pinfo->pool, "\"");

    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            wmem_strbuf_append_c(quoted, '\\');
        }
        wmem_strbuf_append_c(quoted, *text);
    }
    wmem_strbuf_append_c(quoted, '"');
    query_filter_add(pinfo, proto, wmem_strbuf_finalize(quoted));
}

bool
query_filter_is_valid(packet_info *pinfo, int proto)
{
    return query_filter_values(pinfo, proto) != NULL;
}

static GString *
query_filter_make(packet_info *pinfo, int proto, const char *field)
{
    wmem_array_t *values = query_filter_values(pinfo, proto);
    GString *filter = g_string_new(field);

    for (unsigned i = 0; i < wmem_array_get_count(values); i++) {
        g_string_append(filter, i == 0 ? " in {" : ", ");
        g_string_append(filter, query_filter_at(values, i));
    }
    return g_string_append_c(filter, '}');
}

char *
query_filter_text(packet_info *pinfo, int proto, const char *field)
{
    return g_string_free(query_filter_make(pinfo, proto, field), FALSE);
}

char *
query_filter_text_of_peers(packet_info *pinfo, int proto, const char *field)
{
    GString *filter = query_filter_make(pinfo, proto, field);
    const address *const peers[] = { &pinfo->net_src, &pinfo->net_dst };

    for (size_t i = 0; i < array_length(peers); i++) {
        if (peers[i]->type == AT_IPv4 || peers[i]->type == AT_IPv6) {
            char *text = address_to_str(NULL, peers[i]);

            g_string_append_printf(filter, " && %s == %s", peers[i]->type == AT_IPv4 ? "ip.addr" : "ipv6.addr", text);
            wmem_free(NULL, text);
        }
    }
    return g_string_free(filter, FALSE);
}
