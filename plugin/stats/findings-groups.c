/* findings-groups.c
 * Findings of one problem as one, however many servers and clients have it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/findings.h"

#include <string.h>

const struct report_finding *
finding_member(const struct finding_group *group, unsigned index)
{
    return *(const struct report_finding *const *)wmem_array_index(group->members, index);
}

/* Returns the servers, or the clients, of a group: the only one, or how many. Allocated in `scope`. */
static const char *
ends_text(const struct model *model, const struct finding_group *group, bool is_server, wmem_allocator_t *scope)
{
    struct gathered ends = { .scope = scope };
    const char *end = NULL;

    for (unsigned i = 0; i < wmem_array_get_count(group->members); i++) {
        const struct report_finding *finding = finding_member(group, i);
        const char *address = is_server ? finding->server : finding->client;

        if (address != NULL) {
            end = is_server ? model_machine(scope, model, address) : address;
            gathered_add(&ends, is_server ? model_host(model, address) : address, 1);
        }
    }
    return gathered_count(&ends) > 1
        ? wmem_strdup_printf(scope, "each of %u %s", gathered_count(&ends), is_server ? "servers" : "clients")
        : end != NULL ? end
        : is_server   ? "the server"
                      : "the client";
}

/* Words a group. */
static void
group_say(const struct model *model, struct finding_group *group, wmem_allocator_t *scope)
{
    const struct report_finding *first = finding_member(group, 0);
    const char *client, *server;
    bool is_same_remedy = true, is_same_person = true;
    char *what;

    group->what = first->what;
    group->remedy = first->remedy;
    group->whom = first->whom;
    if (wmem_array_get_count(group->members) == 1) {
        return;
    }
    for (unsigned i = 1; i < wmem_array_get_count(group->members); i++) {
        is_same_remedy = is_same_remedy && strcmp(finding_member(group, i)->remedy, first->remedy) == 0;
        is_same_person = is_same_person && g_strcmp0(finding_member(group, i)->whom, first->whom) == 0;
    }
    client = ends_text(model, group, false, scope);
    server = ends_text(model, group, true, scope);
    what = wmem_strdup(scope, findings_fill(scope, first->problem, client, server));
    if (first->problem[0] != '{' || g_str_has_prefix(what, "each of ")) {
        what[0] = g_ascii_toupper(what[0]);
    }
    group->what = what;
    if (!is_same_remedy) {
        group->remedy = findings_fill(scope, remedies[first->code].remedy, client, server);
    }
    if (!is_same_person) {
        group->whom = findings_fill(scope, remedy_persons[remedies[first->code].whom].text, client, server);
    }
}

struct gathered
findings_groups(const struct model *model, const GArray *findings, wmem_allocator_t *scope)
{
    struct gathered groups = { .scope = scope };

    for (unsigned i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        const char *key = finding->problem == NULL
            ? wmem_strdup_printf(scope, "%u", i)
            : wmem_strdup_printf(scope, "%u %s", (unsigned)finding->code, finding->problem);
        struct finding_group *group = (struct finding_group *)gathered_add(&groups, key, sizeof *group);

        if (group->members == NULL) {
            group->members = wmem_array_new(scope, sizeof finding);
        }
        wmem_array_append_one(group->members, finding);
    }
    for (unsigned i = 0; i < gathered_count(&groups); i++) {
        group_say(model, (struct finding_group *)gathered_at(&groups, i), scope);
    }
    return groups;
}
