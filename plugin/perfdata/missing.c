/* missing.c
 * Requested values that no answer contained
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <epan/tap.h>

#include "counters/missing.h"
#include "session/session-pdu.h"

#define MOST_NAMED 10 /* maximum number of objects in a note */

static struct perf_tap_asked
asked_value(packet_info *pinfo, const struct perfdata_call *call)
{
    return (struct perf_tap_asked){ .kind = ASKED_CALL,
        .text = wmem_strdup_printf(pinfo->pool, "value \"%s\"", call->value_name != NULL ? call->value_name : "?") };
}

/* An object in the value name; without duplicates */
struct asked_object {
    uint32_t index;
    bool is_there, has_no_instances;
};

/* Returns the requested objects if the answer's block is complete, else NULL. */
static wmem_array_t *
asked_objects(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer)
{
    const struct perfdata_block *block = answer->poll == NULL ? NULL : answer->poll->block;
    const char *at = call->value_name;
    struct perfdata_word word;
    wmem_array_t *objects;
    wmem_map_t *there, *seen;

    if (block == NULL || at == NULL || answer->failed || !answer->is_own || block->incomplete ||
        block->cut_by_capture || block->header_only || perfdata_asked_is_foreign(at)) {
        return NULL;
    }
    objects = wmem_array_new(pinfo->pool, sizeof(struct asked_object));
    there = wmem_map_new(pinfo->pool, g_direct_hash, g_direct_equal);
    seen = wmem_map_new(pinfo->pool, g_direct_hash, g_direct_equal);
    for (unsigned o = 0; o < block->objects_read; o++) {
        wmem_map_insert(there, GUINT_TO_POINTER(block->objects[o].name_index), (void *)&block->objects[o]);
    }
    while (perfdata_asked_next(&at, &word, pinfo->pool)) {
        const struct perfdata_object *found =
            (const struct perfdata_object *)wmem_map_lookup(there, GUINT_TO_POINTER(word.index));
        const struct asked_object object = { word.index, found != NULL, found != NULL && found->num_instances == 0 };

        if (word.is_index && wmem_map_insert(seen, GUINT_TO_POINTER(word.index), seen) == NULL) {
            wmem_array_append_one(objects, object);
        }
    }
    return objects;
}

static const char *
object_text(const struct perfdata_answer *answer, uint32_t index)
{
    const struct perfdata_poll *poll = answer->poll;
    const struct catalog_text title = perfdata_names_title(poll->server, index, poll->base.frame);

    return title.text == NULL ? wmem_strdup_printf(poll->base.scope, "%u", index)
                              : wmem_strdup_printf(poll->base.scope, "%u (%s)", index, title.text);
}

const char *
perfdata_missing_objects(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer)
{
    wmem_array_t *objects = asked_objects(pinfo, call, answer);
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, NULL);
    unsigned count = 0;

    for (unsigned i = 0; objects != NULL && i < wmem_array_get_count(objects); i++) {
        const struct asked_object *object = (const struct asked_object *)wmem_array_index(objects, i);

        if (!object->is_there && count++ < MOST_NAMED) {
            wmem_strbuf_append_printf(text, "%s%s", count == 1 ? "" : ", ", object_text(answer, object->index));
        }
    }
    if (count > MOST_NAMED) {
        wmem_strbuf_append_printf(text, " and %u more", count - MOST_NAMED);
    }
    return count == 0 ? NULL : wmem_strbuf_finalize(text);
}

void
perfdata_missing_request(packet_info *pinfo, const struct perfdata_call *call)
{
    struct missing *missing =
        session_pdu_is_assumed(session_pdu_of(pinfo)) ? NULL : missing_new(tap_perfdata_missing, pinfo);

    if (missing != NULL) {
        const struct perf_tap_asked asked = asked_value(pinfo, call);

        missing_asked(missing, &asked, false);
        missing_tell(missing, server_host(call->key->server), NULL);
    }
}

void
perfdata_missing_answer(packet_info *pinfo, const struct perfdata_call *call, const struct perfdata_answer *answer,
    const struct perf_tap_poll *values)
{
    struct missing *missing = !answer->is_own ? NULL : missing_new(tap_perfdata_missing, pinfo);
    struct perf_tap_asked asked;
    wmem_array_t *objects;

    if (missing == NULL) {
        return;
    }
    asked = asked_value(pinfo, call);
    missing_answered(missing, &asked,
        (struct perf_tap_why){ answer->has_error ? answer->error != 0 ? WHY_ERROR
                    : answer->is_damaged                              ? WHY_NAMES_DAMAGED
                                                                      : WHY_RECEIVED
                : answer->is_broken              ? WHY_NO_RETURN_CODE
                                                 : WHY_RETURN_CODE_NOT_CAPTURED,
            .status = answer->error });
    objects = asked_objects(pinfo, call, answer);
    for (unsigned i = 0; objects != NULL && i < wmem_array_get_count(objects); i++) {
        const struct asked_object *object = (const struct asked_object *)wmem_array_index(objects, i);
        const struct perf_tap_asked asked_object = {
            .kind = ASKED_OBJECT,
            .text = wmem_strdup_printf(pinfo->pool, "object %s", object_text(answer, object->index)),
            .set = perfdata_names_title(answer->poll->server, object->index, answer->poll->base.frame).text,
            .set_id = wmem_strdup_printf(pinfo->pool, "%u", object->index),
        };

        missing_answered(missing, &asked_object,
            (struct perf_tap_why){ .code = !object->is_there ? WHY_NO_OBJECT
                    : object->has_no_instances               ? WHY_NO_INSTANCES
                                                             : WHY_RECEIVED });
    }
    missing_tell(missing, server_host(call->key->server), values);
}

void
perfdata_missing_fault(packet_info *pinfo, const struct perfdata_call *call, const struct rpc_fault *fault)
{
    struct missing *missing = missing_new(tap_perfdata_missing, pinfo);

    if (missing != NULL) {
        const struct perf_tap_asked asked = asked_value(pinfo, call);

        missing_answered(missing, &asked,
            (struct perf_tap_why){ fault->has_status ? WHY_FAULT : WHY_FAULT_NOT_CAPTURED, .status = fault->status });
        missing_tell(missing, server_host(call->key->server), NULL);
    }
}
