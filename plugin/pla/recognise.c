/* recognise.c
 * Recognises calls to objects of [MS-PLA] whose bind was not captured
 *
 * All DCOM calls begin alike, and parameters identify few interfaces. Objects identify more: clients ask for objects of
 * [MS-PLA] by its CLSIDs and IIDs, and an answer that contains an object, on any connection, shows the interface of an
 * IPID.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include "base/bytes.h"

/* rating (in bits) by pla_sense() of a valid ORPCTHIS with flags: 16 + 13 of the version, 32 of the reserved member */
#define ORPCTHIS_IS_SOUND 61
#define ORPCTHIS_SIZE     32u
#define ORPCTHIS_EXTENTS  28u /* offsets of the pointers to extents, [MS-DCOM] 2.2.13.3 and 2.2.13.4 */
#define ORPCTHAT_EXTENTS  4u
#define ORPCTHAT_SIZE     8u
#define ORPCTHAT_FLAGS    0x1fu /* all flags of [MS-DCOM] 2.2.13.4 */
#define HRESULT_SIZE      4u
#define HRESULT_RESERVED  0x58000000u /* bits R, N and X, [MS-ERREF] 2.1 */
#define PADDING           8u
#define QUERY_SIZE        28u /* size of ripid, cRefs, cIids and the array's count: [MS-DCOM] 3.1.1.5.6.1.1 */
#define IID_SIZE          16u
#define QUERY_INTERFACE   3u
#define CREATE_INSTANCE   4u
#define REMOTE_ACTIVATION 0u

/* Returns true if a RemQueryInterface asks for an interface of [MS-PLA]. */
static bool
asks_for_ours(const struct stub_sample *sample)
{
    const bool is_big_endian = !sample->is_little_endian;
    const uint8_t *query = sample->head + ORPCTHIS_SIZE;
    unsigned count;

    if (sample->head_length < ORPCTHIS_SIZE + QUERY_SIZE || bytes_uint32(query - 4, is_big_endian) != 0) {
        return false;
    }
    count = bytes_uint32(query + 24, is_big_endian);
    if (count != bytes_uint16(query + 20, is_big_endian) ||
        count > (sample->head_length - ORPCTHIS_SIZE - QUERY_SIZE) / IID_SIZE) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const e_guid_t iid = bytes_guid(query + QUERY_SIZE + i * IID_SIZE, is_big_endian);
        const struct pla_interface *iface = pla_find_interface(&iid);

        if (iface != NULL && iface->kind != PLA_KIND_ENUMERATOR) {
            return true;
        }
    }
    return false;
}

/*
 * Returns false if the stub, in one PDU, has the wrong size: no byte for the method's parameters or, if the method has
 * none, more bytes than padding. With extents after the header the size is not checked, and NDR64 stubs do not fit.
 */
static bool
has_room(const struct pla_method *method, const struct stub_sample *sample)
{
    const unsigned pointer = sample->is_ndr64 ? 8 : 4;
    const unsigned before = sample->is_response ? ORPCTHAT_EXTENTS : ORPCTHIS_EXTENTS;
    unsigned size = (before + pointer - 1) / pointer * pointer + pointer;
    bool has_any = false;

    if (!sample->is_last || sample->head_length < size) {
        return true;
    }
    if (bytes_uint32(sample->head + size - pointer, !sample->is_little_endian) != 0) {
        return !sample->is_ndr64;
    }
    size += sample->is_response ? HRESULT_SIZE : 0;
    for (const struct pla_param *param = method->params; param != NULL && param->type != PLA_NONE; param++) {
        has_any = has_any || param->out == sample->is_response;
    }
    return has_any ? sample->length > size : sample->length >= size && sample->length - size < PADDING;
}

enum stub_fit
pla_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo _U_)
{
    const struct pla_interface *iface = pla_find_interface(kind->uuid);
    const struct pla_method *method = iface == NULL ? NULL : pla_find_method(iface, (uint16_t)sample->opnum);
    const bool is_whole = sample->is_first && sample->is_last && sample->head_length == sample->length;
    uint32_t code;

    if (is_whole &&
        (sample->length < ORPCTHAT_SIZE + HRESULT_SIZE ||
            (stub_return_code(sample, &code) && (code & HRESULT_RESERVED) != 0) ||
            bytes_uint32(sample->head, !sample->is_little_endian) > ORPCTHAT_FLAGS ||
            (method != NULL && !has_room(method, sample)))) {
        return STUB_MISFIT;
    }
    return STUB_FITS;
}

bool
pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found)
{
    const struct pla_interface *iface;
    const struct pla_method *method;

    if (sample->is_response || pla_sense(sample) < ORPCTHIS_IS_SOUND) {
        return false;
    }
    iface = sample->object == NULL ? NULL : pla_object_interface(pinfo, sample->object);
    method = iface == NULL ? NULL : pla_find_method(iface, (uint16_t)sample->opnum);
    if (method != NULL && has_room(method, sample)) {
        *found = (struct stub_recognised){ iface->iid, 0, "its object" };
    } else if (sample->opnum == QUERY_INTERFACE && asks_for_ours(sample)) {
        *found = (struct stub_recognised){ iremunknown_iid, 0, "RemQueryInterface for an interface of [MS-PLA]" };
    } else if ((sample->opnum == CREATE_INSTANCE || sample->opnum == REMOTE_ACTIVATION) &&
        pla_hooks_find_class(sample->head, sample->head_length) != NULL) {
        *found = (struct stub_recognised){ sample->opnum == CREATE_INSTANCE ? iremotescmactivator_iid : iactivation_iid,
            0, "a class of [MS-PLA]" };
    } else {
        return false;
    }
    return true;
}
