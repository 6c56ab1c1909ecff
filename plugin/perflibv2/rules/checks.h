/* checks.h
 * Checks of the rules of [MS-PCQ] for parsed stubs, lpData and sessions
 *
 * Sizes, counts and terminators are checked while parsing (lpdata.c). The checks here compare values with each other,
 * with the request and with the earlier capture.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_CHECKS_H
#define PERFLIB_PERFLIBV2_RULES_CHECKS_H

#include "perflibv2/pdu.h"

/* ---- session.c ---- */

/* Checks protection, transport and transfer syntax, in the first PDU that shows them: 2.1, 2.2. */
void rules_check_session(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub);

/* ---- call.c ---- */

/* Checks parameters and return code: 3.1.4.1. */
void rules_check_stub(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub);

/* Checks of single methods, see .judge_stub of struct operation */
void rules_check_enumeration(struct rules_report *report, const struct perflibv2_call *call,
    const struct pdu_stub *stub);
void rules_check_registration_call(struct rules_report *report, const struct perflibv2_call *call,
    const struct pdu_stub *stub);
/* EnumerateCounterSetInstances, QueryCounterData */
void rules_check_filled(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub);
/* OpenQueryHandle, CloseQueryHandle */
void rules_check_handle(struct rules_report *report, const struct perflibv2_call *call, const struct pdu_stub *stub);
void rules_check_validation(struct rules_report *report, const struct perflibv2_call *call,
    const struct pdu_stub *stub);

/* ---- query.c ---- */

/*
 * Checks lpData of any operation after it was parsed and learned from, adds findings to lp->report, and sorts them.
 * Buffers that the snap length cut are not checked.
 */
void rules_check_buffer(const struct pdu *pdu);

/*
 * Returns the first frame whose lists of counters (QueryCounterSetRegistrationInfo answers) may be used in checks of
 * the PDU. Earlier lists are from an earlier connection or pipe, or too old (LISTS_LAST): the provider may have been
 * upgraded.
 */
uint32_t rules_lists_since(const struct pdu *pdu);

/* Checks for opnums 0 to 2 */
void rules_check_guids(const struct pdu *pdu);

/* ---- registration.c ---- */

void rules_check_registration(const struct pdu *pdu);
void rules_check_instances(const struct pdu *pdu);
/* Checks that no two of count instances, from index first on, have the same name and id (2.2.4.5). */
void rules_check_unique_instances(const struct lpdata *lp, unsigned first, unsigned count);

/* ---- query.c ---- */

/* Checks for opnums 5 to 7 */
void rules_check_identifiers(const struct pdu *pdu);
void rules_check_index_map(const struct pdu *pdu);
void rules_check_data(const struct pdu *pdu);

#endif /* PERFLIB_PERFLIBV2_RULES_CHECKS_H */
