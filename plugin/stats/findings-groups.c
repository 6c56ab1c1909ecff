/* findings-groups.c
 * Groups the findings of one problem, of any number of servers and clients
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/findings.h"

const struct report_finding *
finding_member(const struct finding_group *group, unsigned index)
{
    return *(const struct report_finding *const *)wmem_array_index(group->members, index);
}

/*
 * Returns a group's server (or client), or "each of 3 servers" if the group has several. *count: set to the number of
 * servers (or clients); 0 if no finding names one. Allocated in `scope`.
 */
static const char *
ends_text(const struct model *model, const struct finding_group *group, bool is_server, wmem_allocator_t *scope,
    unsigned *count)
{
    struct key_index *ends = key_index_new(scope);
    const char *end = NULL;

    for (unsigned i = 0; i < wmem_array_get_count(group->members); i++) {
        const struct report_finding *finding = finding_member(group, i);
        const char *address = is_server ? finding->server : finding->client;

        if (address != NULL) {
            end = is_server ? model_machine(scope, model, address) : address;
            key_index_gather(ends, is_server ? model_host(model, address) : address, 1);
        }
    }
    *count = key_index_size(ends);
    return *count > 1 ? wmem_strdup_printf(scope, "each of %u %s", *count, is_server ? "servers" : "clients")
        : end != NULL ? end
        : is_server   ? "the server"
                      : "the client";
}

/*
 * Sets the members of a group that are texts. A group of several findings gets texts about all its servers and clients.
 */
static void
group_say(const struct model *model, struct finding_group *group, wmem_allocator_t *scope)
{
    const struct report_finding *first = finding_member(group, 0);
    const char *client, *server;
    unsigned clients, servers;

    group->what = group->clause = first->what;
    group->remedy = first->remedy;
    group->whom = first->whom;
    if (wmem_array_get_count(group->members) == 1) {
        return;
    }
    client = ends_text(model, group, false, scope, &clients);
    server = ends_text(model, group, true, scope, &servers);
    group->what = group->clause = findings_problem(scope, first->problem, first->code, client, server);
    if ((first->problem < PROBLEM_CLIENT ? servers : first->problem == PROBLEM_CLIENT ? clients : 0) > 1) {
        group->what = wmem_strdup_printf(scope, "%c%s", g_ascii_toupper(group->clause[0]), group->clause + 1);
    }
    group->remedy = findings_remedy(scope, first->code, client, server, servers == 1 ? first->server : NULL);
    if (group->whom != NULL) {
        group->whom = findings_fill(scope, remedy_persons[remedies[first->code].whom].text, client, server);
    }
}

struct key_index *
findings_groups(const struct model *model, wmem_array_t *findings, wmem_allocator_t *scope)
{
    struct key_index *groups = key_index_new(scope);

    for (unsigned i = 0; i < wmem_array_get_count(findings); i++) {
        const struct report_finding *finding = finding_at(findings, i);
        const char *key = finding->problem == PROBLEM_SINGLE
            ? wmem_strdup_printf(scope, "%u", i)
            : wmem_strdup_printf(scope, "%u %u", (unsigned)finding->code, (unsigned)finding->problem);
        struct finding_group *group = (struct finding_group *)key_index_gather(groups, key, sizeof *group);

        if (group->members == NULL) {
            group->members = wmem_array_new(scope, sizeof finding);
        }
        wmem_array_append_one(group->members, finding);
    }
    for (unsigned i = 0; i < key_index_size(groups); i++) {
        group_say(model, (struct finding_group *)key_index_data(groups, i), scope);
    }
    return groups;
}
