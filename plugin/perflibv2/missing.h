/* missing.h
 * What a call asked for and did not get, for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_MISSING_H
#define PERFLIB_PERFLIBV2_MISSING_H

#include "perflibv2/pdu.h"

/* Registers the tap; called once, at registration. */
void missing_init(void);
/*
 * A PDU of a call that is the call's own; to be called where everything is learned. error: of an answer by name, NULL
 * where it succeeded, and by number.
 */
void missing_tell_pdu(const struct pdu *pdu, const char *error, uint32_t code);
/* A PDU that could not be read for want of a key, which needed says; NULL: it is for another reason. */
void missing_needed(packet_info *pinfo, const char *needed);

#endif /* PERFLIB_PERFLIBV2_MISSING_H */
