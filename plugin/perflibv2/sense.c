/* sense.c
 * Whether decrypted bytes can be a stub of PerflibV2: handles, counts and codes that have little choice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/sense.h"

#include "perflibv2/lpdata.h"
#include "perflibv2/operations.h"

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
request_sense(const struct stub_sample *sample, struct stub_reader *r)
{
    int sense;
    uint32_t size;

    switch (sample->opnum) {
    case OP_ENUMERATE_COUNTER_SET:
    case OP_QUERY_REGISTRATION_INFO:
    case OP_ENUMERATE_INSTANCES:
    case OP_OPEN_QUERY_HANDLE: return machine_sense(r);
    case OP_CLOSE_QUERY_HANDLE: return perflibv2_handle_sense(r, false);
    case OP_QUERY_COUNTER_INFO:
    case OP_QUERY_COUNTER_DATA:
    case OP_VALIDATE_COUNTERS:
        sense = perflibv2_handle_sense(r, false);
        size = stub_read_uint32(r);
        if (sense == STUB_NONSENSE) {
            return sense;
        }
        sense += size_sense(size);
        return sample->opnum == OP_VALIDATE_COUNTERS && stub_read_count(r) == size ? sense + 32 : sense;
    default: return 0;
    }
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
response_sense(const struct stub_sample *sample, struct stub_reader *r)
{
    int sense;

    switch (sample->opnum) {
    case OP_ENUMERATE_COUNTER_SET:
    case OP_QUERY_REGISTRATION_INFO:
    case OP_ENUMERATE_INSTANCES:
    case OP_QUERY_COUNTER_INFO:
    case OP_QUERY_COUNTER_DATA: return sizes_sense(r);
    case OP_OPEN_QUERY_HANDLE:
    case OP_CLOSE_QUERY_HANDLE: return perflibv2_handle_sense(r, sample->opnum == OP_CLOSE_QUERY_HANDLE);
    case OP_VALIDATE_COUNTERS: sense = size_sense(stub_read_count(r)); return sense + identifier_sense(r);
    default: return 0;
    }
}

int
perflibv2_sense(const struct stub_sample *sample)
{
    struct stub_reader reader = stub_read(sample);
    int sense = 0;

    if (sample->opnum >= NUM_OPS || sample->length < 4) {
        return 0;
    }
    if (sample->is_first) {
        sense = sample->is_response ? response_sense(sample, &reader) : request_sense(sample, &reader);
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
