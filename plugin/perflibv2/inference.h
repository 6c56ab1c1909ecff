/* inference.h
 * What a block of a poll is: what the identifier says that an index map gives it, or what can be inferred
 * where there is none
 *
 * [MS-PCQ] 2.2.4.6 and 2.2.4.8. Knows nothing of handles and of trees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_INFERENCE_H
#define PERFLIB_PERFLIBV2_INFERENCE_H

#include "counters/catalog.h"
#include "counters/series.h"
#include "perflibv2/lpdata.h"

/* What an identifier names (2.2.4.6). */
struct query_identifier {
    e_guid_t set;
    uint32_t counter_id;
    struct series_row instance; /* id and name as sent */
    bool is_as_added;           /* of an index map: the query is known to have it, in these words; */
    bool is_not_added;          /* ... in none that may mean the same */
};

/* For glib's hash tables; identifiers are the same where they name the same. */
guint query_identifier_hash(const void *identifier);
gboolean query_identifier_equal(const void *a, const void *b);

/* An instance of a buffer: its name stays where it stands in tvb. */
struct series_row inference_row(tvbuff_t *tvb, uint32_t id, unsigned name_offset, struct utf16_text name);
/* A copy whose name is in file scope. */
struct series_row inference_keep_row(const struct series_row *row);

/* What a block of a poll is said to be. */
enum link_kind {
    LINK_NONE,     /* it can't be told */
    LINK_MAPPED,   /* by Index of QueryCounterInfo (3.1.4.1.5) */
    LINK_INFERRED, /* by what was added and what the block holds */
};

/* Why it can't be told. */
enum link_cause {
    LINK_AMBIGUOUS,        /* more than one identifier may be meant */
    LINK_NOT_MAPPED,       /* there is an index map, but it has no identifier for the block, or several */
    LINK_OTHER_NUMBER,     /* there is an index map, but of another number of blocks */
    LINK_CONTRADICTED,     /* there is an index map, but the block can't answer the identifier */
    LINK_NOT_ADDED,        /* there is an index map, but what it says was not added to the query */
    LINK_NOT_OPENED,       /* the handle was opened before the capture, so what was added to it is not known */
    LINK_CALLS_MISSING,    /* calls that are missing may have changed the query */
    LINK_CHANGE_UNKNOWN,   /* what a change of the query came to is not known */
    LINK_CHANGE_UNDER_WAY, /* the query was being changed between request and answer */
};

struct query_link {
    enum link_kind kind;
    enum link_cause cause; /* LINK_NONE */
    bool calls_missing;    /* LINK_MAPPED: since the map, but the block fits what it says */
    bool is_unnumbered;    /* ... or that can't be told */
    uint32_t frame;        /* LINK_MAPPED: of the QueryCounterInfo answer */
    e_guid_t set;
    bool counter_known; /* for blocks without ids */
    uint32_t counter_id;
    bool instance_known; /* for blocks without instances */
    struct series_row instance;
};

/* What an identifier says of a block it belongs to. */
struct query_link inference_link_to(const struct query_identifier *id, enum link_kind kind, uint32_t frame);
/* How it is known what a block is of, or why it is not known, in words. */
const char *inference_link_text(const struct query_link *link);
/* Whether a link tells all that a block of this type does not say itself. */
bool inference_names_values(const struct query_link *link, uint32_t type);
/* Whether an identifier names no instance, or a pattern of names. */
bool inference_takes_names(const struct query_identifier *id);
/* Whether an identifier may mean several instances: by a pattern, or by any id (2.2.4.6). */
bool inference_takes_instances(const struct query_identifier *id);
/*
 * A name without its case, as far as it is ASCII, in scope: Windows tells no case apart. What else it holds is left
 * open.
 */
struct series_row inference_folded_name(const struct series_row *row, wmem_allocator_t *scope);
/*
 * Whether an instance is none that an identifier asks for: by its name, or what stands before a wildcard; by its id
 * only where there is no wildcard.
 */
bool inference_is_other_instance(const struct query_identifier *id, const struct series_row *instance);
/* Whether a block of that type, with these instances, can't be the answer to an identifier. */
bool inference_contradicts(uint32_t type, const struct series_row *rows, unsigned num_rows,
    const struct query_identifier *id);
/* Whether a counterset, all of whose counters are known, lacks one of those. */
bool inference_lacks_counters(const struct server *server, const e_guid_t *set, const uint32_t *counters,
    unsigned num_counters);

/* What is known of a query's identifiers while they stay the same: looked up once, for all polls. Not of any scope. */
struct inference;

/*
 * identifiers: struct query_identifier -> itself; it must outlive the inference unchanged. NULL where they are too
 * many.
 */
struct inference *inference_new(const struct server *server, GHashTable *identifiers);
void inference_free(struct inference *inference);

/*
 * A link for each block of a poll, file scope, or NULL where none can be told. The order of blocks proves nothing:
 * programs have seen both the order of addition and its reverse. What does prove is that only one identifier can have
 * asked for such a block, or that all that can agree. To be called with all identifiers of a query known only, and as
 * many blocks. Links that are those of the poll before are shared with it.
 */
const struct query_link *inference_links(struct inference *inference, const struct lpdata *data,
    wmem_allocator_t *scratch);
/* Whether something was learned since the last links, so that they may be out of date. */
bool inference_is_stale(const struct inference *inference);

#endif /* PERFLIB_PERFLIBV2_INFERENCE_H */
