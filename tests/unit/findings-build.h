/* findings-build.h
 * A model made by hand, and its findings: attempts, tables of queries and names of machines
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FINDINGS_BUILD_H
#define PERFLIB_TESTS_UNIT_FINDINGS_BUILD_H

#include <string.h>

#include "compat.h"

#include <epan/wmem_scopes.h>

#include "check.h"
#include "session/attempts.h"
#include "stats/findings.h"

static wmem_allocator_t *scope;
static struct model model;
static wmem_array_t *findings;

/* An empty model without findings. */
static inline void
model_begin(void)
{
    if (scope == NULL) {
        wmem_init_scopes();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
        model.attempts = g_ptr_array_new();
        model.hosts = g_hash_table_new(g_str_hash, g_str_equal);
    }
    wmem_free_all(scope);
    g_ptr_array_set_size((GPtrArray *)model.attempts, 0);
    model_set_attempts(&model, model.attempts, scope);
    g_hash_table_remove_all(model.hosts);
    findings = wmem_array_new(scope, sizeof(struct report_finding));
}

/* The machines that answered at an address: "ONE", or "ONE\nTWO". */
static inline void
model_host_is(const char *address, const char *names)
{
    g_hash_table_insert(model.hosts, (void *)address, (void *)names);
}

static inline void
model_has_attempt(const struct attempt *attempt)
{
    g_ptr_array_add((GPtrArray *)model.attempts, (void *)attempt);
}

#endif /* PERFLIB_TESTS_UNIT_FINDINGS_BUILD_H */
