/* tree.h
 * What a person sees of an lpData buffer: trees with names, times and values
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_TREE_H
#define PERFLIB_PERFLIBV2_TREE_H

#include <epan/prefs.h>

#include <epan/expert.h>

#include "base/fields.h"
#include "counters/catalog.h"
#include "perflibv2/lpdata.h"
#include "perflibv2/queries.h"
#include "perflibv2/values.h"

/* How a buffer is shown. */
struct lpdata_view {
    packet_info *pinfo;
    const struct lpdata *lp;
    const struct server *server;   /* whose names; NULL: only the tables' */
    const e_guid_t *counterset;    /* that the buffer is about, from the request; NULL: not known */
    const struct query_poll *poll; /* what the capture taught of the poll; NULL: nothing */
    struct values *values;         /* of a poll */
    unsigned guid_encoding;        /* of the GUIDs of opnum 0, which are NDR and not lpData's little-endian */
    bool is_request;               /* of ValidateCounters: a Status says nothing yet */
    /* Set while a poll is shown: what somebody looks at of its values. */
    struct poll_view seen;
    bool raw_wanted, sizes_wanted;
    bool values_wanted;    /* any of these */
    unsigned next_finding; /* findings of lp->report shown so far */
    struct item_rest rest; /* values and structures there is no room for */
};

/* Registers fields, subtrees and preferences. */
void lpdata_tree_register(int proto, expert_module_t *expert, module_t *module);

/* PDH's code for a Win32 error of the server, where it has one. */
void lpdata_tree_pdh(proto_tree *tree, tvbuff_t *tvb, uint32_t error);
/*
 * A counterset's GUID or a counter's id, and the name learned for it, at offset in tvb. The same fields in stubs
 * and buffers. encoding: of the GUID or id. Wildcard ids are named so.
 */
void lpdata_tree_counterset(proto_tree *tree, tvbuff_t *tvb, unsigned offset, const e_guid_t *guid,
    const struct server *server, uint32_t frame);
void lpdata_tree_counter_id(proto_tree *tree, tvbuff_t *tvb, unsigned offset, uint32_t id, const e_guid_t *counterset,
    const struct server *server, uint32_t frame);

/* The trees, one for each walker of lpdata.h; findings are shown where they belong. */
void lpdata_tree_guids(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_registration(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_instances(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_identifiers(struct lpdata_view *view, proto_tree *tree);
void lpdata_tree_data(struct lpdata_view *view, proto_tree *tree);
/* What was not understood, as bytes, the findings not shown yet, and how many values were left out. */
void lpdata_tree_rest(struct lpdata_view *view, proto_tree *tree);

/* The name of a request code for the Info column ("counter names"); NULL for an unknown one. */
const char *lpdata_request_code_text(uint32_t request_code);
extern const value_string lpdata_request_code_vals[];

#endif /* PERFLIB_PERFLIBV2_TREE_H */
