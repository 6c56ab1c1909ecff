/* sense.c
 * Checks decrypted bytes for the header that starts the stub of every DCOM call
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

/* Version in ORPCTHIS: COMVERSION, [MS-DCOM] 2.2.11. */
#define COM_MAJOR     5u
#define COM_MINOR_MAX 7u

/* Interfaces of DCOM that are called on the same connections as those of [MS-PLA]. */
static const e_guid_t *const companions[] = { &iremunknown_iid, &iremunknown2_iid, &iremotescmactivator_iid,
    &idispatch_iid };

/* Rates the start of a request as an ORPCTHIS, [MS-DCOM] 2.2.13.3. Returns the rating of a stub_check. */
static int
this_sense(struct stub_reader *r)
{
    const uint32_t version = stub_read_uint32(r);
    const uint32_t major = r->sample->is_little_endian ? version & 0xffff : version >> 16;
    const uint32_t minor = r->sample->is_little_endian ? version >> 16 : version & 0xffff;
    const uint32_t flags = stub_read_uint32(r), reserved = stub_read_uint32(r);

    if (major != COM_MAJOR || minor > COM_MINOR_MAX || reserved != 0) {
        return STUB_NONSENSE;
    }
    return 16 + 13 + 32 + (flags == 0 ? 32 : 0);
}

/* Rates the start of an answer as an ORPCTHAT, [MS-DCOM] 2.2.13.4. Returns the rating of a stub_check. */
static int
that_sense(struct stub_reader *r)
{
    const uint32_t flags = stub_read_uint32(r);
    const uint64_t extensions = stub_read_count(r);

    return (flags == 0 ? 32 : 0) + (extensions == 0 ? 32 : 0);
}

int
pla_sense(const struct stub_sample *sample)
{
    struct stub_reader reader = { .sample = sample };
    int sense = 0;

    if (sample->is_first) {
        sense = sample->is_response ? that_sense(&reader) : this_sense(&reader);
        if (reader.overrun) {
            return STUB_NONSENSE;
        }
    }
    return sense;
}

void
pla_sense_register(const struct rpc_listener *listener)
{
    for (unsigned i = 0; i < PLA_NUM_INTERFACES; i++) {
        /* NULL: a call of IEnumVARIANT alone does not show that a client uses [MS-PLA]; other servers have it, too. */
        stub_check_register(&pla_interfaces[i].iid, pla_sense, listener,
            pla_interfaces[i].kind == PLA_KIND_ENUMERATOR ? NULL : "pla");
        stub_fit_register(&pla_interfaces[i].iid, pla_fit);
    }
    for (unsigned i = 0; i < array_length(companions); i++) {
        stub_check_register(companions[i], pla_sense, NULL, NULL);
        stub_fit_register(companions[i], pla_fit);
    }
}
