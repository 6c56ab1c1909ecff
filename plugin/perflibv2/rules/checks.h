/* checks.h
 * The rules of [MS-PCQ] that what was parsed can be judged by: stubs, lpData and sessions
 *
 * What a walker needs to find its way (sizes, counts, terminators) it checks itself (lpdata.c). What a buffer says is
 * judged here, by what it, its request and the capture so far tell.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_CHECKS_H
#define PERFLIB_PERFLIBV2_RULES_CHECKS_H

#include "perflibv2/pdu.h"

/* ---- session.c ---- */

/* The session a PDU belongs to, where it is the first that shows it: 2.1, 2.2. */
void rules_check_session(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);

/* ---- call.c ---- */

/* Parameters and return code: 3.1.4.1. */
void rules_check_stub(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);

/* call.c: those of one method each. */
void rules_check_enumeration(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
void rules_check_registration_call(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
void rules_check_poll(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
void rules_check_no_instances(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
void rules_check_opened(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
void rules_check_closed(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);
void rules_check_validation(struct rules_report *report, const struct call *call, const struct pdu_stub *stub);

/* ---- query.c ---- */

/*
 * lpData of any operation, once it has been parsed and has taught what it can; findings go to lp->report, which is put
 * in order. Not judged is what a snap length has cut: what is left says little of what was sent.
 */
void rules_check_buffer(const struct pdu *pdu);

/* registration.c: opnums 0 to 2. */
void rules_check_guids(const struct pdu *pdu);

/* ---- registration.c ---- */

void rules_check_registration(const struct pdu *pdu);
void rules_check_instances(const struct pdu *pdu);
/* That no two of count instances, from the first-th of the buffer on, have the same name and id (2.2.4.5). */
void rules_check_unique_instances(const struct lpdata *lp, unsigned first, unsigned count);

/* ---- query.c ---- */

/* query.c: opnums 5 to 7. */
void rules_check_identifiers(const struct pdu *pdu);
void rules_check_index_map(const struct pdu *pdu);
void rules_check_data(const struct pdu *pdu);

#endif /* PERFLIB_PERFLIBV2_RULES_CHECKS_H */
