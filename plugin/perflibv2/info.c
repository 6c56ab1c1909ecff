/* info.c
 * Text of the Info column and of the protocol's item
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <stdarg.h>
#include <string.h>

#include <epan/to_str.h>
#include <wsutil/str_util.h>

void
info_text(const struct pdu *pdu, const char *text)
{
    proto_item *item = pdu->n.tree == NULL ? NULL : proto_tree_get_parent(pdu->n.tree);

    /* col_append_str() would look for the column's end byte by byte. */
    col_append_lstr(pdu->n.pinfo->cinfo, COL_INFO, text, COL_ADD_LSTR_TERMINATOR);
    if (perflib_tree_is_seen(pdu->n.tree)) {
        item_label_append(pdu->n.pinfo->pool, item, text);
    }
}

/* Returns false if the column's text is not shown, as with -q. */
static bool
info_is_seen(const struct pdu *pdu)
{
    return pdu->n.pinfo->cinfo != NULL || perflib_tree_is_seen(pdu->n.tree);
}

void
info_add(const struct pdu *pdu, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    info_text(pdu,
        wmem_strconcat(pdu->n.pinfo->pool, ", ", wmem_strdup_vprintf(pdu->n.pinfo->pool, format, arguments), NULL));
    va_end(arguments);
}

/* Appends a number without printf(): parsing formats would take most of the time of small polls. */
static void
add_whole(struct line *line, uint64_t number)
{
    char digits[DIGITS_MAX];

    digits_whole(digits, number);
    line_add(line, digits);
}

void
info_query(const struct pdu *pdu, const struct query *query)
{
    static const char start[] = ", query ";
    char text[sizeof start + DIGITS_MAX];

    if (info_is_seen(pdu)) {
        memcpy(text, start, sizeof start);
        digits_whole(&text[sizeof start - 1], query->number);
        info_text(pdu, text);
    }
}

static void
info_count(const struct pdu *pdu, unsigned count, const char *noun)
{
    info_add(pdu, "%s", count_text(pdu->n.pinfo->pool, count, noun));
}

void
info_counterset(const struct pdu *pdu, const e_guid_t *guid)
{
    const struct catalog_text name = catalog_counterset_name(pdu->call->server, guid, pdu->n.pinfo->num);
    const char *text = guid_to_str(pdu->n.pinfo->pool, guid);

    if (name.text != NULL) {
        info_add(pdu, "%s {%s}", name.text, text);
    } else {
        info_add(pdu, "{%s}", text);
    }
}

void
info_request_code(const struct pdu *pdu, uint32_t code, uint32_t lcid)
{
    const char *text = try_val_to_str(code, lpdata_request_code_texts);
    const char *language = try_val_to_str_ext(lcid, &language_vals_ext);

    if (text == NULL) {
        info_add(pdu, "request code %u", code);
    } else if (code == PERF_REG_COUNTER_STRUCT) {
        info_add(pdu, "%s %u", text, lcid);
    } else if (lcid == 0) {
        info_add(pdu, "%s", text);
    } else if (language != NULL) {
        info_add(pdu, "%s in %s", text, language);
    } else {
        info_add(pdu, "%s in language 0x%04x", text, lcid);
    }
    info_counterset(pdu, &pdu->call->counterset);
}

/*
 * Returns the name of a poll's first counterset and the number of others, for example "Process and 2 more"; NULL: no
 * name is known. From 16 names on, the number is inexact ("15+ more").
 */
static const char *
poll_countersets(const struct pdu *pdu)
{
    const struct query_poll *poll = pdu->poll;
    const char *names[16] = { NULL };
    struct poll_sets sets;
    bool is_kept;

    if (poll == NULL) {
        return NULL;
    }
    sets = (struct poll_sets){ poll->epoch, poll->inferred, poll->values->layout, pdu->values->base.names, NULL, 0 };
    is_kept = pdu->lp.known != NULL && memcmp(&poll->query->sets, &sets, offsetof(struct poll_sets, first)) == 0;
    for (unsigned b = 0; !is_kept && b < poll->num_blocks && sets.count < array_length(names); b++) {
        const struct query_link *link = &values_block(pdu->values, b)->link;
        const char *name = link->kind == LINK_NONE
            ? NULL
            : catalog_counterset_name(pdu->call->server, &link->set, pdu->n.pinfo->num).text;
        unsigned n = 0;

        while (n < sets.count && name != NULL && strcmp(names[n], name) != 0) {
            n++;
        }
        if (n == sets.count && name != NULL) {
            names[sets.count++] = name;
        }
    }
    if (!is_kept) {
        sets.first = names[0];
        poll->query->sets = sets;
    }
    sets = poll->query->sets;
    return sets.count < 2 ? sets.first
                          : wmem_strdup_printf(pdu->n.pinfo->pool, "%s and %u%s more", sets.first, sets.count - 1,
                                sets.count < array_length(names) ? "" : "+");
}

void
info_poll(struct pdu *pdu)
{
    const struct query_poll *poll = pdu->poll;
    const unsigned blocks = lpdata_count(pdu->lp.blocks);
    char digits[DIGITS_MAX];
    const char *set;
    struct line line;

    if (!info_is_seen(pdu)) {
        return;
    }
    set = poll_countersets(pdu);
    line_begin(&line);
    if (set != NULL) {
        line_add(&line, ", ");
        line_add(&line, set);
    }
    if (poll != NULL && poll->values->previous != NULL) {
        line_add(&line, ", interval ");
        digits_thousandths(digits, series_interval(poll->values));
        line_add(&line, digits);
        line_add(&line, " s");
        if (poll->values->lost > 0) {
            line_add(&line, ", ");
            line_add(&line, poll_lost_text(pdu->n.pinfo->pool, poll->values));
        }
    }
    line_add(&line, ", ");
    add_whole(&line, blocks);
    line_add(&line, blocks == 1 ? " block, " : " blocks, ");
    add_whole(&line, tvb_reported_length(pdu->lp.tvb));
    line_add(&line, " bytes");
    info_text(pdu, line.text);
}

/* Maximum length of an answer's text in the Info column */
#define INFO_TEXT_MAX 80

/* Appends what an answer with registration information contains, for example a name or the number of counters. */
void
info_registration(struct pdu *pdu)
{
    const struct perflibv2_call *call = pdu->call;
    const struct lpdata *lp = &pdu->lp;
    wmem_allocator_t *pool = pdu->n.pinfo->pool;
    const char *what = call->has_request ? try_val_to_str(call->request_code, lpdata_request_code_texts) : NULL;
    const char *set =
        what == NULL ? NULL : catalog_counterset_name(call->server, &call->counterset, pdu->n.pinfo->num).text;
    const char *counter;

    if (what == NULL) {
        info_count(pdu, tvb_reported_length(lp->tvb), "byte");
        return;
    }
    switch (call->request_code) {
    case PERF_REG_COUNTERSET_STRUCT: info_count(pdu, lpdata_count(lp->counters), "counter"); break;
    case PERF_REG_COUNTER_STRUCT:
        info_add(pdu, "%s %u", what, call->request_lcid);
        counter = catalog_counter_name(call->server, &call->counterset, call->request_lcid, pdu->n.pinfo->num).text;
        if (counter != NULL) {
            info_add(pdu, "%s", counter);
        }
        break;
    case PERF_REG_COUNTER_NAME_STRINGS:
    case PERF_REG_COUNTER_HELP_STRINGS:
    case PERF_REG_COUNTER_ENGLISH_NAMES: info_add(pdu, "%u %s", lpdata_count(lp->strings), what); break;
    case PERF_REG_PROVIDER_GUID:
        if (lp->has_provider) {
            info_add(pdu, "%s {%s}", what, guid_to_str(pool, &lp->provider));
        }
        break;
    default:
        info_add(pdu, "%s \"%s\"", what,
            line_text_max(pool, utf16_line(pool, lp->tvb, 0, lp->string, ENC_LITTLE_ENDIAN), INFO_TEXT_MAX));
        /* The answer itself is the counterset's name, so do not add that name again. */
        if (call->request_code != PERF_REG_COUNTERSET_HELP_STRING && call->request_code != PERF_REG_PROVIDER_NAME) {
            set = NULL;
        }
        break;
    }
    if (set != NULL) {
        info_add(pdu, "%s", set);
    }
}

void
info_elements(struct pdu *pdu)
{
    if (pdu->op->parse == lpdata_parse_guids) {
        info_count(pdu, tvb_reported_length(pdu->lp.tvb) / LP_GUID_SIZE, "counterset");
    } else if (pdu->op->parse == lpdata_parse_instances) {
        info_count(pdu, pdu->lp.num_instances, "instance");
    } else {
        info_count(pdu, lpdata_count(pdu->lp.identifiers), "identifier");
    }
}

/* Appends the number of identifiers in a ValidateCounters request, or how many an answer accepts and refuses. */
void
info_change(struct pdu *pdu)
{
    const struct perflibv2_call *call = pdu->call;
    const unsigned identifiers = lpdata_count(pdu->lp.identifiers);

    if (!pdu->is_response) {
        info_add(pdu, "%s %u identifier%s", call->add ? "add" : "remove", identifiers, plurality(identifiers, "", "s"));
        return;
    }
    for (unsigned i = 0; i < identifiers; i++) {
        pdu->refused += lpdata_identifier(&pdu->lp, i)->status != 0;
    }
    info_add(pdu, "%s %u, refused %u",
        !call->has_request ? "accepted"
            : call->add    ? "added"
                           : "removed",
        identifiers - pdu->refused, pdu->refused);
}

const char *
info_lpdata(const struct pdu *pdu)
{
    const struct lpdata *lp = &pdu->lp;
    const struct {
        unsigned count;
        const char *noun;
    } all[] = {
        { lpdata_count(lp->blocks), "block" },
        { lpdata_count(lp->identifiers), "identifier" },
        { lp->num_instances, "instance" },
        { lpdata_count(lp->counters), "counter" },
        { lpdata_count(lp->strings), "string" },
    };

    for (size_t i = 0; pdu->has_lpdata && i < array_length(all); i++) {
        if (all[i].count > 0) {
            return wmem_strdup_printf(pdu->n.pinfo->pool, ", %s",
                count_text(pdu->n.pinfo->pool, all[i].count, all[i].noun));
        }
    }
    return "";
}
