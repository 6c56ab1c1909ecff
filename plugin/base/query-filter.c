/* query-filter.c
 * Analyze, Conversation Filter: all calls of the selected packet's queries
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/menus.h"

#include <epan/proto_data.h>
#include <epan/to_str.h>

/* Key of a packet's queries in p_add_proto_data(). base/item-budget.c uses key 0, perhaps with the same protocol. */
enum { QUERIES_KEY = 2 };

/* Returns the values added by query_filter_add() (const char *, not escaped), or NULL if there are none. */
static wmem_array_t *
query_filter_values(packet_info *pinfo, int proto)
{
    return (wmem_array_t *)p_get_proto_data(pinfo->pool, pinfo, proto, QUERIES_KEY);
}

void
query_filter_add(packet_info *pinfo, int proto, const char *value)
{
    wmem_array_t *values = query_filter_values(pinfo, proto);

    if (values == NULL) {
        values = wmem_array_new(pinfo->pool, sizeof value);
        p_add_proto_data(pinfo->pool, pinfo, proto, QUERIES_KEY, values);
    }
    wmem_array_append_one(values, value);
}

bool
query_filter_is_valid(packet_info *pinfo, int proto)
{
    return query_filter_values(pinfo, proto) != NULL;
}

static void
append_in_quotes(GString *filter, const char *text)
{
    g_string_append_c(filter, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            g_string_append_c(filter, '\\');
        }
        g_string_append_c(filter, *text);
    }
    g_string_append_c(filter, '"');
}

/* Returns the filter "field in {...}" with each value that was passed to query_filter_add(), once. */
static GString *
query_filter_make(packet_info *pinfo, int proto, const char *field, bool is_text)
{
    wmem_array_t *values = query_filter_values(pinfo, proto);
    GHashTable *said = g_hash_table_new(g_str_hash, g_str_equal);
    GString *filter = g_string_new(field);

    for (unsigned i = 0; i < wmem_array_get_count(values); i++) {
        char *value = *(char **)wmem_array_index(values, i);

        if (g_hash_table_add(said, value)) {
            g_string_append(filter, i == 0 ? " in {" : ", ");
            if (is_text) {
                append_in_quotes(filter, value);
            } else {
                g_string_append(filter, value);
            }
        }
    }
    g_hash_table_destroy(said);
    return g_string_append_c(filter, '}');
}

char *
query_filter_of_numbers(packet_info *pinfo, int proto, const char *field)
{
    return g_string_free(query_filter_make(pinfo, proto, field, false), FALSE);
}

char *
query_filter_of_texts_and_peers(packet_info *pinfo, int proto, const char *field)
{
    GString *filter = query_filter_make(pinfo, proto, field, true);
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
