/* stub-check.c
 * Whether decrypted bytes can be the stub of their operation
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/stub-check.h"

#include "base/guid-map.h"

/* GUID to check: a function's address does not fit a pointer to data, so a struct holds it. */
struct entry {
    stub_check check;
};

static wmem_map_t *entries;

void
stub_check_register(const e_guid_t *uuid, stub_check check)
{
    struct entry *entry = wmem_new(wmem_epan_scope(), struct entry);

    if (entries == NULL) {
        entries = wmem_map_new(wmem_epan_scope(), guid_map_hash, guid_map_equal);
    }
    entry->check = check;
    wmem_map_insert(entries, uuid, entry);
}

stub_check
stub_check_find(const e_guid_t *uuid)
{
    const struct entry *entry = entries == NULL ? NULL : (const struct entry *)wmem_map_lookup(entries, uuid);

    return entry == NULL ? NULL : entry->check;
}

uint32_t
stub_sample_uint32(const struct stub_sample *sample, const uint8_t *bytes)
{
    return sample->is_little_endian ?
        (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0] :
        (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}
