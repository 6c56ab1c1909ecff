/* sense.c
 * Whether decrypted bytes can be a stub of PerflibV2: handles, counts and codes that have little choice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <string.h>

#include "base/bytes.h"
#include "perflibv2/lpdata.h"

/* What no peer sends where it should send less or nothing, however odd it is; of chance bytes most are more. */
#define ODD_SIZE  0x1000000u
#define ODD_COUNT 0x10000u

/* szMachine: maximum and actual count, and the offset between them. */
static int
machine_sense(struct stub_reader *r)
{
    const uint64_t max = stub_read_count(r), offset = stub_read_count(r), actual = stub_read_count(r);

    if (offset >= ODD_COUNT || max >= ODD_SIZE || actual >= ODD_SIZE) {
        return STUB_NONSENSE;
    }
    return (offset == 0 ? 32 : 0) + (max <= UINT16_MAX ? 16 : 0) + (max == actual ? 32 : 0);
}

/* A handle: its attributes are zero. After Close it is all zero. */
static int
perflibv2_handle_sense(struct stub_reader *r, bool is_closed)
{
    bool is_null;
    const uint32_t attributes = stub_read_handle(r, &is_null);

    if (attributes != 0) {
        return attributes < ODD_COUNT ? 0 : STUB_NONSENSE;
    }
    return is_closed && is_null ? 160 : 32;
}

/* A size of a buffer. */
static int
size_sense(uint64_t size)
{
    return size < 1u << 20 ? 12 : size < 1u << 26 ? 6 : 0;
}

/* An identifier's Status and Size, behind its GUID: _PERF_COUNTER_IDENTIFIER, [MS-PCQ] 2.2.4.5 */
static int
identifier_sense(struct stub_reader *r)
{
    uint32_t status, size;

    if (stub_left(r) < 24) {
        return 0;
    }
    stub_skip(r, 16);
    status = stub_read_lpdata_uint32(r);
    size = stub_read_lpdata_uint32(r);
    return (status <= UINT16_MAX ? 16 : 0) + (size >= LP_IDENTIFIER_SIZE && size <= UINT16_MAX ? 16 : 0);
}

static int
request_sense(struct stub_reader *r, const struct operation *op)
{
    uint32_t size;
    int sense;

    if (op->request & P_MACHINE) {
        return machine_sense(r);
    }
    sense = perflibv2_handle_sense(r, false);
    if (sense == STUB_NONSENSE || !(op->request & P_IN_SIZE)) {
        return sense;
    }
    size = stub_read_uint32(r);
    sense += size_sense(size);
    return (op->request & P_CONFORMANT) && stub_read_count(r) == size ? sense + 32 : sense;
}

/* pdwOutSize, pdwRtnSize and the counts of lpData. */
static int
sizes_sense(struct stub_reader *r)
{
    const uint32_t out_size = stub_read_uint32(r), return_size = stub_read_uint32(r);
    const uint64_t max = stub_read_count(r), offset = stub_read_count(r), actual = stub_read_count(r);

    if (offset >= ODD_COUNT) {
        return STUB_NONSENSE;
    }
    return (offset == 0 ? 32 : 0) + (actual == out_size ? 20 : 0) + size_sense(return_size) + size_sense(max);
}

static int
response_sense(struct stub_reader *r, const struct operation *op)
{
    int sense;

    if (op->response & P_OUT_SIZES) {
        return sizes_sense(r);
    }
    if (op->response & P_HANDLE) {
        return perflibv2_handle_sense(r, op->effect == CLOSES_QUERY);
    }
    sense = size_sense(stub_read_count(r));
    return sense + identifier_sense(r);
}

int
perflibv2_sense(const struct stub_sample *sample, const struct operation *op)
{
    struct stub_reader reader = stub_read(sample);
    int sense = 0;

    if (sample->length < 4) {
        return 0;
    }
    if (sample->is_first) {
        sense = sample->is_response ? response_sense(&reader, op) : request_sense(&reader, op);
        if (sense == STUB_NONSENSE || reader.overrun) {
            return STUB_NONSENSE;
        }
    }
    /* A return code is a Win32 error. Where it is an HRESULT or an NTSTATUS of the same facility a peer is odd. */
    if (sample->is_last && sample->is_response) {
        const uint32_t code = stub_last_uint32(sample);
        const uint32_t high = code >> 16;

        if (high == 0) {
            return sense + 16;
        }
        return high == 0x8007 || high == 0x8000 || high == 0xc000 ? sense : STUB_NONSENSE;
    }
    return sense;
}

/* How much of a stub must be as PerflibV2 has it: over the registry's pipe, and where any interface may be. */
#define ENOUGH_ON_PIPE   40
#define ENOUGH_ANYWHERE  100
#define WORTH_OF_END     16 /* that the parameters are all of a stub, */
#define WORTH_OF_MACHINE 64 /* ... that one is a machine's name; other interfaces ask for any name, */
#define WORTH_OF_SLASHES 64 /* ... and has backslashes before it */

/* szMachine as names of machines are; an empty one tells less. */
static int
machine_proof(struct stub_reader *r)
{
    const unsigned length = stub_read_string(r);
    const uint8_t *name = r->sample->head + r->offset - 2 * length;
    unsigned slashes = 0;

    if (length == 0) {
        return STUB_NONSENSE;
    }
    for (unsigned i = 0; i + 1 < length; i++) {
        const uint16_t unit = bytes_uint16(name + 2 * i, !r->sample->is_little_endian);

        if (unit == '\\' && i == slashes && slashes < 2) {
            slashes++;
        } else if (unit < 0x80 && !g_ascii_isalnum((char)unit) && strchr("-._:", (char)unit) == NULL) {
            return STUB_NONSENSE;
        }
    }
    return length == slashes + 1 ? ENOUGH_ON_PIPE : WORTH_OF_MACHINE + (slashes == 2 ? WORTH_OF_SLASHES : 0);
}

/* lpData of identifiers, one behind the other, as far as the fragment goes. */
static int
identifiers_proof(struct stub_reader *r, uint32_t size)
{
    const unsigned begin = r->offset;

    if (size < LP_IDENTIFIER_SIZE || (r->sample->is_last && size > r->sample->length - MIN(begin, r->sample->length))) {
        return STUB_NONSENSE;
    }
    while (r->offset - begin < size && stub_left(r) >= LP_IDENTIFIER_SIZE) {
        const unsigned at = r->offset;
        uint32_t length;

        stub_skip(r, 20);
        length = stub_read_lpdata_uint32(r);
        if (length < LP_IDENTIFIER_SIZE || length > UINT16_MAX || length % 8 != 0 || length > size - (at - begin)) {
            return STUB_NONSENSE;
        }
        r->offset = at;
        stub_skip(r, length);
    }
    return r->offset - begin == size || (!r->sample->is_last && r->offset != begin) ? 64 : STUB_NONSENSE;
}

static int
request_proof(struct stub_reader *r, unsigned parameters)
{
    int proof = 0, name = 0;
    uint32_t size = 0;
    bool is_null = false;

    if (parameters & P_MACHINE) {
        name = machine_proof(r);
    } else if (stub_read_handle(r, &is_null) == 0) {
        proof += 32;
    }
    if (name == STUB_NONSENSE || is_null || name + proof == 0) {
        return STUB_NONSENSE;
    }
    proof += name;
    if (parameters & P_COUNTERSET) {
        stub_skip(r, 16);
    }
    if (parameters & P_REQUEST_CODE) {
        proof += stub_read_uint32(r) <= UINT8_MAX ? 24 : 0;
        stub_read_uint32(r);
    }
    if (parameters & P_IN_SIZE) {
        size = stub_read_uint32(r);
        proof += size_sense(size);
    }
    if (parameters & P_CONFORMANT) {
        const int identifiers = stub_read_count(r) == size ? identifiers_proof(r, size) : STUB_NONSENSE;

        if (identifiers == STUB_NONSENSE) {
            return identifiers;
        }
        proof += identifiers;
    }
    if (parameters & P_ADD) {
        stub_read_uint32(r);
    }
    if (!r->sample->is_last) {
        return proof;
    }
    if (!stub_is_read(r)) {
        return STUB_NONSENSE;
    }
    return proof + WORTH_OF_END;
}

/* Only answers with lpData are like no others. */
static int
response_proof(struct stub_reader *r, unsigned parameters, unsigned element)
{
    const uint32_t out_size = stub_read_uint32(r), return_size = stub_read_uint32(r);
    const uint64_t max = stub_read_count(r), offset = stub_read_count(r), actual = stub_read_count(r);
    const unsigned begin = r->offset, length = r->sample->length;
    int proof = 32 + 32 + 16;

    if (!(parameters & P_VARYING) || actual == 0 || actual != out_size || max < actual || offset != 0 ||
        max >= ODD_SIZE || return_size >= ODD_SIZE) {
        return STUB_NONSENSE;
    }
    proof += return_size == out_size ? 16 : 0;
    if (r->sample->opnum == OP_QUERY_COUNTER_DATA && stub_read_lpdata_uint32(r) != out_size) {
        return STUB_NONSENSE;
    }
    r->offset = begin;
    if (!r->sample->is_last) {
        return actual * element + begin > length ? proof + WORTH_OF_END : STUB_NONSENSE;
    }
    stub_skip(r, (unsigned)actual * element);
    if (stub_read_uint32(r) != 0 || !stub_is_read(r)) {
        return STUB_NONSENSE;
    }
    return proof + 32 + WORTH_OF_END;
}

bool
perflibv2_proves(const struct stub_sample *sample, const struct operation *op)
{
    struct stub_reader reader = stub_read(sample);
    int proof;

    if (!sample->is_first) {
        return false;
    }
    proof =
        sample->is_response ? response_proof(&reader, op->response, op->element) : request_proof(&reader, op->request);
    return proof >= (sample->is_registry_pipe ? ENOUGH_ON_PIPE : ENOUGH_ANYWHERE);
}
