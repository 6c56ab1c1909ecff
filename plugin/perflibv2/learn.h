/* learn.h
 * What an answer teaches the catalog
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_LEARN_H
#define PERFLIB_PERFLIBV2_LEARN_H

#include "counters/catalog.h"
#include "perflibv2/lpdata.h"

/*
 * Teaches what a successful QueryCounterSetRegistrationInfo answer says of a counterset. What a cut or malformed buffer lacks is not
 * taught; what it has is. First pass only. scratch: packet scope.
 */
void learn_registration(struct catalog_server *server, const e_guid_t *counterset, uint32_t request_code, uint32_t lcid,
                        const struct lpdata *lp, uint32_t frame, wmem_allocator_t *scratch);

/* Teaches the instances of a counterset: EnumerateCounterSetInstances. */
void learn_instances(struct catalog_server *server, const e_guid_t *counterset, const struct lpdata *lp, uint32_t frame,
                     wmem_allocator_t *scratch);
/* Teaches the instances that identifiers name: QueryCounterInfo. Patterns and "any instance" name none. */
void learn_identifiers(struct catalog_server *server, const struct lpdata *lp, uint32_t frame, wmem_allocator_t *scratch);

#endif /* PERFLIB_PERFLIBV2_LEARN_H */
