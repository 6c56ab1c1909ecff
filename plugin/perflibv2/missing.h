/* missing.h
 * What a call asked for and did not get, for statistics
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_MISSING_H
#define PERFLIB_PERFLIBV2_MISSING_H

#include "perflibv2/call.h"
#include "perflibv2/values.h"

/* A PDU of a call that is the call's own. */
struct missing_pdu {
    packet_info *pinfo;
    const char *operation;
    const struct call *call;
    bool is_response;
    const char *error;             /* of an answer: by name; NULL: it succeeded */
    uint32_t code;                 /* ... and by number */
    bool is_open;                  /* OpenQueryHandle */
    bool is_change;                /* ValidateCounters */
    const struct lpdata *lp;       /* NULL: it has none that can be read */
    const struct query_poll *poll; /* NULL: it is none */
    struct values *values;
};

/* Registers the tap; called once, at registration. */
void missing_init(void);
/* To be called where everything is learned. */
void missing_tell_pdu(const struct missing_pdu *pdu);
/* A PDU that could not be read for want of a key, which needed says; NULL: it is for another reason. */
void missing_needed(packet_info *pinfo, const char *needed);

#endif /* PERFLIB_PERFLIBV2_MISSING_H */
