/* recognise.c
 * Recognises calls to objects of [MS-PLA] whose bind was not captured
 *
 * All DCOM calls begin alike, and their parameters distinguish few interfaces. Objects do: clients ask for those of
 * [MS-PLA] by CLSIDs and IIDs of their own, and an answer with an object, on any connection, shows the interface of
 * its IPID.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include "base/bytes.h"

#define ORPCTHIS_IS_SOUND 61 /* expected bits of pla_sense(): version and reserved members; some clients set flags */
#define ORPCTHIS_SIZE     32u
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

        if (iface != NULL && !pla_is_enumerator(iface)) {
            return true;
        }
    }
    return false;
}

bool
pla_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found)
{
    const struct pla_interface *iface;

    if (sample->is_response || pla_sense(sample) < ORPCTHIS_IS_SOUND) {
        return false;
    }
    iface = sample->object == NULL ? NULL : pla_object_interface(pinfo, sample->object);
    if (iface != NULL && pla_find_method(iface, (uint16_t)sample->opnum) != NULL) {
        *found = (struct stub_recognised){ iface->iid, 0, "its object" };
    } else if (sample->opnum == QUERY_INTERFACE && asks_for_ours(sample)) {
        *found = (struct stub_recognised){ iremunknown_iid, 0, "RemQueryInterface for one of [MS-PLA]" };
    } else if ((sample->opnum == CREATE_INSTANCE || sample->opnum == REMOTE_ACTIVATION) &&
        pla_hooks_find_class(sample->head, sample->head_length) != NULL) {
        *found = (struct stub_recognised){ sample->opnum == CREATE_INSTANCE ? iremotescmactivator_iid : iactivation_iid,
            0, "a class of [MS-PLA]" };
    } else {
        return false;
    }
    return true;
}
