/* call.c
 * Facts learned from a call: objects, names, and the data collector set
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

struct pla_call *
pla_call_new(struct pla_object *object)
{
    struct pla_call *const call = wmem_new0(wmem_file_scope(), struct pla_call);

    call->object = object;
    return call;
}

/* Returns true if the call was answered with an HRESULT of success. Valid after the answer was read. */
static bool
succeeded(const struct pla_pdu *pdu)
{
    return pdu->record.has_hresult && (pdu->record.hresult & 0x80000000) == 0;
}

/* Records an object that the answer returned. The parent of elements and clones of an enumerator is its collection. */
static void
learn_returned(struct pla_pdu *pdu, const struct pla_found *found)
{
    const struct pla_call *const call = pdu->call;
    const bool is_of_collection = pdu->iface->kind == PLA_KIND_ENUMERATOR && call->object->parent != NULL;
    const bool is_clone = is_of_collection && !found->is_element;
    struct pla_object *const object =
        pla_object_returned(pdu->o.ndr.pinfo, &found->ref, is_of_collection ? call->object->parent : call->object,
            is_clone ? call->object->role : found->role, found->iface);

    if (object == NULL) {
        return;
    }
    object->validation |= found->validation;
    object->is_keywords |= found->is_keywords;
    if (is_clone) {
        object->next = call->next;
        object->knows_next = call->knows_next;
    }
}

/* Opnums of IEnumVARIANT */
enum { NEXT = 3, SKIP, RESET };

/* Copies an enumerator's position to the call, for the answer. After a request Next or Skip the position is unknown. */
static void
ask_enumerator(struct pla_pdu *pdu)
{
    struct pla_object *const enumerator = pdu->call->object;

    pdu->call->next = enumerator->next;
    pdu->call->knows_next = enumerator->knows_next;
    if (pdu->method->opnum == NEXT || pdu->method->opnum == SKIP) {
        enumerator->knows_next = false;
    }
}

static void
move_enumerator(const struct pla_pdu *pdu, bool has_moved)
{
    const struct pla_call *const call = pdu->call;
    struct pla_object *const enumerator = call->object;

    if (pdu->method->opnum == NEXT || pdu->method->opnum == SKIP) {
        enumerator->next = call->next;
        enumerator->knows_next = call->knows_next;
        if (has_moved) {
            enumerator->next += pdu->method->opnum == NEXT ? pdu->num_elements : call->moves;
        }
    } else if (pdu->method->opnum == RESET && has_moved) {
        enumerator->next = 0;
        enumerator->knows_next = true;
    }
}

/* Returns the objects of a PDU's interface pointers, as known at the time of the call. */
static wmem_array_t *
referred_objects(struct pla_pdu *pdu)
{
    const unsigned count = wmem_array_get_count(pdu->found);
    wmem_array_t *objects;

    if (count == 0) {
        return NULL;
    }
    objects = wmem_array_sized_new(wmem_file_scope(), sizeof(struct pla_object *), count);
    for (unsigned i = 0; i < count; i++) {
        const struct pla_found *const found = (const struct pla_found *)wmem_array_index(pdu->found, i);
        const struct pla_object *const object =
            found->ref.standard ? pla_object_find(pdu->o.ndr.pinfo, &found->ref.ipid) : NULL;

        wmem_array_append_one(objects, object);
    }
    return objects;
}

static void
learn_answer(struct pla_pdu *pdu)
{
    struct pla_call *const call = pdu->call;
    struct pla_object *const object = call->object;
    const char *const name = pdu->named != NULL ? line_text_copy(pdu->o.ndr.pinfo->pool, pdu->named, PLA_MAX_NAME)
        : call->only_validates                  ? NULL
                                                : call->name;

    if (object != NULL) {
        for (unsigned i = 0; i < wmem_array_get_count(pdu->found); i++) {
            const struct pla_found *const found = (const struct pla_found *)wmem_array_index(pdu->found, i);

            if (found->role != NULL) {
                learn_returned(pdu, found);
            }
        }
        if (name != NULL) {
            pla_name_add(&object->names, pdu->o.ndr.pinfo->num, name);
        }
    }
    if (pdu->num_dispids == 0 || call->member == NULL) {
        return;
    }
    pla_dispid_learn(pdu->o.ndr.pinfo, pdu->iface, object, PLA_NO_MEMBER, (int32_t)pdu->dispids[0], call->member);
    for (unsigned i = 0; i < call->num_arguments && i + 1 < pdu->num_dispids; i++) {
        pla_dispid_learn(pdu->o.ndr.pinfo, pdu->iface, object, (int32_t)pdu->dispids[0], (int32_t)pdu->dispids[i + 1],
            call->arguments[i]);
    }
}

void
pla_call_learn(struct pla_pdu *pdu)
{
    struct pla_call *const call = pdu->call;
    const bool moves = call->object != NULL && pdu->iface->kind == PLA_KIND_ENUMERATOR;

    if (!pdu->response) {
        if (moves) {
            ask_enumerator(pdu);
        }
        call->name = pdu->named != NULL ? line_text_copy(wmem_file_scope(), pdu->named, PLA_MAX_NAME) : NULL;
        call->request_objects = referred_objects(pdu);
        return;
    }
    call->answered = true;
    if (moves) {
        move_enumerator(pdu, succeeded(pdu));
    }
    if (succeeded(pdu)) {
        learn_answer(pdu);
    }
    call->response_objects = referred_objects(pdu);
}

/* Adds the data collector set to the record. */
static void
record_set(const struct pla_call *call, uint32_t frame, struct pla_tap *record)
{
    const struct pla_object *const set = call->object != NULL ? call->object->set : NULL;

    if (set != NULL) {
        record->set = set;
        record->set_name = pla_name_in(&set->names, frame);
        record->server = set->server;
    }
}

/*
 * Adds to the record the set that a failed Query or Commit names: the one that was to be loaded into the object, or
 * written. It failed for that set, whatever set the object contains.
 */
static void
record_failed_name(const struct pla_call *call, struct pla_tap *record)
{
    if (record->set != NULL && record->set == call->object) {
        record->asked_name = call->name;
    }
}

void
pla_call_record(struct pla_pdu *pdu)
{
    pdu->record.interface_name = pdu->iface->name;
    pdu->record.method_name = pdu->method->name;
    pdu->record.is_response = pdu->response;
    record_set(pdu->call, pdu->o.ndr.pinfo->num, &pdu->record);
    if (pdu->response && !succeeded(pdu)) {
        pdu->record.status = NULL;
        record_failed_name(pdu->call, &pdu->record);
    }
}

void
pla_call_record_fault(const struct pla_call *call, uint32_t frame, struct pla_tap *record)
{
    record_set(call, frame, record);
    record_failed_name(call, record);
}

const struct pla_object *
pla_call_referred(const struct pla_pdu *pdu, unsigned number)
{
    wmem_array_t *const objects = pdu->response ? pdu->call->response_objects : pdu->call->request_objects;
    const struct pla_object *object = NULL;

    if (objects != NULL) {
        wmem_array_try_index(objects, number, &object);
    }
    return object;
}
