/* stub-check.c
 * Plausibility of decrypted bytes as the stub of an operation
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/stub-check.h"

#include <limits.h>

#include "base/bytes.h"
#include "base/hash.h"

static wmem_map_t *kinds; /* GUID -> struct stub_kind */

void
stub_check_register(const e_guid_t *uuid, stub_check check, const struct rpc_listener *listener, const char *protocol)
{
    struct stub_kind *kind = wmem_new(wmem_epan_scope(), struct stub_kind);

    if (kinds == NULL) {
        kinds = wmem_map_new(wmem_epan_scope(), guid_map_hash, guid_map_equal);
    }
    *kind = (struct stub_kind){ .uuid = uuid, .check = check, .listener = listener, .protocol = protocol };
    wmem_map_insert(kinds, uuid, kind);
}

const struct stub_kind *
stub_kind_find(const e_guid_t *uuid)
{
    return kinds == NULL ? NULL : (const struct stub_kind *)wmem_map_lookup(kinds, uuid);
}

void
stub_fit_register(const e_guid_t *uuid, stub_fit_check fit)
{
    ((struct stub_kind *)wmem_map_lookup(kinds, uuid))->fit = fit;
}

enum stub_fit
stub_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo)
{
    if (kind->check != NULL && kind->check(sample) == STUB_NONSENSE) {
        return STUB_MISFIT;
    }
    return kind->fit == NULL ? STUB_FITS : kind->fit(kind, sample, pinfo);
}

void
stub_kinds_foreach(GHFunc take, void *data)
{
    if (kinds != NULL) {
        wmem_map_foreach(kinds, take, data);
    }
}

/* Registered functions that recognise an interface by a stub, one per protocol; NULL: unused */
static stub_recogniser recognisers[4];

void
stub_recogniser_register(stub_recogniser recogniser)
{
    for (unsigned i = 0; i < array_length(recognisers); i++) {
        if (recognisers[i] == NULL) {
            recognisers[i] = recogniser;
            return;
        }
    }
}

bool
stub_recognise(const struct stub_sample *sample, packet_info *pinfo, struct stub_recognised *found)
{
    for (unsigned i = 0; i < array_length(recognisers) && recognisers[i] != NULL; i++) {
        if (recognisers[i](sample, pinfo, found)) {
            return true;
        }
    }
    return false;
}

uint32_t
stub_read_handle(struct stub_reader *reader, bool *is_null)
{
    const uint32_t attributes = stub_read_uint32(reader);

    *is_null = true;
    for (unsigned i = 0; i < 4; i++) {
        *is_null = stub_read_uint32(reader) == 0 && *is_null;
    }
    return attributes;
}

void
stub_skip(struct stub_reader *reader, unsigned size)
{
    reader->offset += MIN(size, UINT_MAX - reader->offset);
    /* Reading beyond a fragment is an overrun only if it is the last one: others are continued. */
    reader->overrun = reader->overrun || (reader->offset > reader->sample->length && reader->sample->is_last);
}

unsigned
stub_left(const struct stub_reader *reader)
{
    return reader->offset >= reader->sample->head_length ? 0 : reader->sample->head_length - reader->offset;
}

static uint32_t
stub_own_read_uint32(struct stub_reader *reader, bool is_little_endian)
{
    uint32_t value = UINT32_MAX;

    reader->offset = (reader->offset + 3) & ~3u;
    if (stub_left(reader) >= 4) {
        value = bytes_uint32(reader->sample->head + reader->offset, !is_little_endian);
    } else {
        reader->lacks = true;
    }
    stub_skip(reader, 4);
    return value;
}

uint32_t
stub_read_uint32(struct stub_reader *reader)
{
    return stub_own_read_uint32(reader, reader->sample->is_little_endian);
}

uint32_t
stub_read_lpdata_uint32(struct stub_reader *reader)
{
    return stub_own_read_uint32(reader, true);
}

uint16_t
stub_read_octets_uint16(struct stub_reader *reader)
{
    const uint16_t value =
        stub_left(reader) >= 2 ? bytes_uint16(reader->sample->head + reader->offset, false) : UINT16_MAX;

    stub_skip(reader, 2);
    return value;
}

uint64_t
stub_read_count(struct stub_reader *reader)
{
    uint64_t first, second;

    if (!reader->sample->is_ndr64) {
        return stub_read_uint32(reader);
    }
    reader->offset = (reader->offset + 7) & ~7u;
    first = stub_read_uint32(reader);
    second = stub_read_uint32(reader);
    return reader->sample->is_little_endian ? second << 32 | first : first << 32 | second;
}

bool
stub_return_code(const struct stub_sample *sample, uint32_t *code)
{
    if (!sample->is_response || !sample->is_last || sample->tail_length < 4) {
        return false;
    }
    *code = bytes_uint32(sample->tail + sample->tail_length - 4, !sample->is_little_endian);
    return true;
}

unsigned
stub_read_string(struct stub_reader *reader)
{
    const uint64_t max = stub_read_count(reader), offset = stub_read_count(reader), actual = stub_read_count(reader);

    return stub_read_text(reader, max, offset, actual);
}

unsigned
stub_read_text(struct stub_reader *reader, uint64_t max, uint64_t offset, uint64_t actual)
{
    const uint8_t *text;

    if (offset != 0 || actual > max || actual > stub_left(reader) / 2) {
        return 0;
    }
    text = reader->sample->head + reader->offset;
    for (unsigned i = 0; i < actual; i++) {
        const uint16_t unit = bytes_uint16(text + 2 * i, !reader->sample->is_little_endian);

        if (i + 1 == actual ? unit != 0 : unit < 0x20) {
            return 0;
        }
    }
    stub_skip(reader, (unsigned)actual * 2);
    return (unsigned)actual;
}

bool
stub_is_read(const struct stub_reader *reader)
{
    return reader->offset <= reader->sample->length && reader->sample->length - reader->offset < 8;
}
