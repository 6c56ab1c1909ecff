/* efficiency.h
 * What a client could do with less: buffers that grow, polls that overlap or come late, counters polled twice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_EFFICIENCY_H
#define PERFLIB_PERFLIBV2_EFFICIENCY_H

struct pdu;

/* A request or an answer, read to its end; first pass only. What is to be said of it goes to the call. */
void efficiency_learn_request(const struct pdu *pdu);
void efficiency_learn_answer(const struct pdu *pdu);

#endif /* PERFLIB_PERFLIBV2_EFFICIENCY_H */
