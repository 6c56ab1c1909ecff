/* sense.c
 * Plausibility of decrypted bytes as a stub of PerflibV2, by handles, counts and codes with few valid values
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/pdu.h"

#include <string.h>

/*
 * Array counts from ODD_SIZE on, and array offsets or handle attributes from ODD_COUNT on, are nonsense: no
 * implementation sends them, but most random bytes are larger.
 */
#define ODD_SIZE  0x1000000u
#define ODD_COUNT 0x10000u

/* Sum of weights from which a stub proves the interface: on the pipe of the remote registry, and on other transports */
#define ENOUGH_ON_PIPE   40
#define ENOUGH_ANYWHERE  100
#define WORTH_OF_END     16 /* parameters fill the stub exactly */
#define WORTH_OF_MACHINE 64 /* szMachine is a plausible machine name; strings of other interfaces rarely are */
#define WORTH_OF_SLASHES 64 /* a machine's name begins with backslashes */

/* State while a stub is scored as a possible [MS-PCQ] call, parameter by parameter */
struct weighing {
    const struct operation *op;
    bool is_proof; /* true: count only properties that no other interface has */
    bool is_done;  /* further parameters cannot be located or add no weight */
    uint32_t size; /* dwInSize or pdwOutSize */
    uint32_t return_size;
};

/* Reads the numbers of a parameter, up to an array's elements. */
static struct stub_numbers
read_numbers(struct stub_reader *r, const struct parameter *parameter)
{
    struct stub_numbers read = { { 0 }, { 0 } };

    for (unsigned i = 0; i < parameter->counts; i++) {
        read.counts[i] = stub_read_count(r);
    }
    for (unsigned i = 0; i < parameter->size / 4; i++) {
        read.numbers[i] = stub_read_uint32(r);
    }
    return read;
}

/* Rates szMachine's counts as evidence for the interface: maximum, offset and actual count. */
static int
machine_sense(const uint64_t counts[STUB_VARYING_COUNTS])
{
    const uint64_t max = counts[0], offset = counts[1], actual = counts[2];

    if (offset >= ODD_COUNT || max >= ODD_SIZE || actual >= ODD_SIZE) {
        return STUB_NONSENSE;
    }
    return (offset == 0 ? 32 : 0) + (max <= UINT16_MAX ? 16 : 0) + (max == actual ? 32 : 0);
}

/* Rates szMachine as a plausible machine name; an empty name counts less. */
static int
machine_proof(struct stub_reader *r, const uint64_t counts[STUB_VARYING_COUNTS])
{
    const unsigned length = stub_read_text(r, counts[0], counts[1], counts[2]);
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

int
sense_machine(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w)
{
    w->is_done = !w->is_proof;
    return w->is_proof ? machine_proof(r, read->counts) : machine_sense(read->counts);
}

int
sense_request_code(struct stub_reader *r _U_, const struct stub_numbers *read, struct weighing *w _U_)
{
    return read->numbers[0] <= UINT8_MAX ? 24 : 0;
}

/* Returns whether a handle's GUID is zero. */
static bool
is_null_handle(const struct stub_numbers *handle)
{
    return (handle->numbers[1] | handle->numbers[2] | handle->numbers[3] | handle->numbers[4]) == 0;
}

/* Rates a handle as evidence for the interface. Its attributes are zero; after Close all of it is zero. */
int
sense_handle(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w)
{
    const uint32_t attributes = read->numbers[0];
    const bool is_null = is_null_handle(read);

    if (w->is_proof) {
        return attributes == 0 && !is_null ? 32 : STUB_NONSENSE;
    }
    if (attributes != 0) {
        return attributes < ODD_COUNT ? 0 : STUB_NONSENSE;
    }
    return r->sample->is_response && w->op->effect == CLOSES_QUERY && is_null ? 160 : 32;
}

/* Rates the size of a buffer as evidence for the interface. */
static int
size_sense(uint64_t size)
{
    return size < 1u << 20 ? 12 : size < 1u << 26 ? 6 : 0;
}

int
sense_in_size(struct stub_reader *r _U_, const struct stub_numbers *read, struct weighing *w)
{
    w->size = read->numbers[0];
    return size_sense(w->size);
}

int
sense_out_sizes(struct stub_reader *r _U_, const struct stub_numbers *read, struct weighing *w)
{
    w->size = read->numbers[0];
    w->return_size = read->numbers[1];
    return w->is_proof ? 0 : size_sense(w->return_size);
}

/* Rates lpData of an answer, up to the return code, as evidence for the interface. */
static int
varying_proof(struct stub_reader *r, const struct weighing *w, uint64_t max, uint64_t offset, uint64_t actual)
{
    const unsigned begin = r->offset;
    const int proof = 32 + 32 + 16 + (w->return_size == w->size ? 16 : 0);

    if (actual == 0 || actual != w->size || max < actual || offset != 0 || max >= ODD_SIZE ||
        w->return_size >= ODD_SIZE) {
        return STUB_NONSENSE;
    }
    if (r->sample->opnum == OP_QUERY_COUNTER_DATA && stub_read_lpdata_uint32(r) != w->size) {
        return STUB_NONSENSE;
    }
    r->offset = begin;
    if (!r->sample->is_last) {
        return actual * w->op->element + begin > r->sample->length ? proof + WORTH_OF_END : STUB_NONSENSE;
    }
    stub_skip(r, (unsigned)actual * w->op->element);
    return stub_read_uint32(r) == 0 && stub_is_read(r) ? proof + 32 + WORTH_OF_END : STUB_NONSENSE;
}

int
sense_varying(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w)
{
    const uint64_t max = read->counts[0], offset = read->counts[1], actual = read->counts[2];

    w->is_done = true;
    if (w->is_proof) {
        return varying_proof(r, w, max, offset, actual);
    }
    if (offset >= ODD_COUNT) {
        return STUB_NONSENSE;
    }
    return (offset == 0 ? 32 : 0) + (actual == w->size ? 20 : 0) + size_sense(max);
}

/* Rates Status and Size of an answer's first identifier as evidence for the interface. */
static int
identifier_sense(struct stub_reader *r)
{
    uint32_t status, size;

    if (stub_left(r) < AT_identifier_size + SIZE_identifier_size) {
        return 0;
    }
    stub_skip(r, AT_identifier_status);
    status = stub_read_lpdata_uint32(r);
    size = stub_read_lpdata_uint32(r);
    return (status <= UINT16_MAX ? 16 : 0) + (size >= LP_IDENTIFIER_SIZE && size <= UINT16_MAX ? 16 : 0);
}

/* Rates adjacent identifiers in lpData as evidence for the interface, as far as the fragment contains them. */
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

        stub_skip(r, AT_identifier_size);
        length = stub_read_lpdata_uint32(r);
        if (length < LP_IDENTIFIER_SIZE || length > UINT16_MAX || length % 8 != 0 || length > size - (at - begin)) {
            return STUB_NONSENSE;
        }
        r->offset = at;
        stub_skip(r, length);
    }
    return r->offset - begin == size || (!r->sample->is_last && r->offset != begin) ? 64 : STUB_NONSENSE;
}

int
sense_conformant(struct stub_reader *r, const struct stub_numbers *read, struct weighing *w)
{
    const uint64_t count = read->counts[0];

    w->is_done = !w->is_proof;
    if (w->is_proof) {
        return count == w->size ? identifiers_proof(r, w->size) : STUB_NONSENSE;
    }
    if (r->sample->is_response) {
        return size_sense(count) + identifier_sense(r);
    }
    return count == w->size ? 32 : 0;
}

/* Adds up the weights of a stub's parameters. */
static int
weigh(struct stub_reader *r, const struct operation *op, bool is_proof)
{
    const unsigned parameters = r->sample->is_response ? op->response : op->request;
    struct weighing w = { .op = op, .is_proof = is_proof };
    int sum = 0;

    for (unsigned i = 0; i < STUB_NUM_PARAMETERS && !w.is_done; i++) {
        const struct parameter *parameter = &stub_parameters[i];
        struct stub_numbers read;
        int worth;

        if (!(parameters & parameter->bit)) {
            continue;
        }
        read = read_numbers(r, parameter);
        if (r->lacks && !is_proof) {
            break;
        }
        worth = parameter->sense == NULL ? 0 : parameter->sense(r, &read, &w);
        if (worth == STUB_NONSENSE) {
            return STUB_NONSENSE;
        }
        sum += worth;
    }
    return sum;
}

int
perflibv2_sense(const struct stub_sample *sample, const struct operation *op)
{
    struct stub_reader reader = { .sample = sample };
    uint32_t code;
    int sense = 0;

    if (sample->length < 4) {
        return 0;
    }
    if (sample->is_first) {
        sense = weigh(&reader, op, false);
        if (sense == STUB_NONSENSE || reader.overrun) {
            return STUB_NONSENSE;
        }
    }
    /* A return code is a Win32 error. Some implementations send an HRESULT or NTSTATUS instead. */
    if (stub_return_code(sample, &code)) {
        const uint32_t high = code >> 16;

        if (high == 0) {
            return sense + 16;
        }
        return high == 0x8007 || high == 0x8000 || high == 0xc000 ? sense : STUB_NONSENSE;
    }
    return sense;
}

/* Returns whether the bytes at the reader can begin the operation's lpData of `size` bytes in an answer. */
static bool
beginning_fits(struct stub_reader r, const struct operation *op, unsigned size)
{
    uint32_t number;

    if (stub_left(&r) < MIN(size, LP_DATA_HEADER_SIZE)) {
        return true;
    }
    if (op->parse == lpdata_parse_data && size >= LP_DATA_HEADER_SIZE) {
        number = stub_read_lpdata_uint32(&r);
        return number == size || stub_read_lpdata_uint32(&r) <= (size - LP_DATA_HEADER_SIZE) / LP_COUNTER_HEADER_SIZE;
    }
    if (op->parse == lpdata_parse_identifiers && size >= LP_IDENTIFIER_SIZE) {
        stub_skip(&r, AT_identifier_size);
        number = stub_read_lpdata_uint32(&r);
        return number <= size;
    }
    return op->parse != lpdata_parse_instances || size < LP_INSTANCE_HEADER_SIZE || stub_read_lpdata_uint32(&r) <= size;
}

bool
perflibv2_fits(const struct stub_sample *sample, const struct operation *op)
{
    struct stub_reader r = { .sample = sample }, data = r;
    uint64_t size = 0;
    bool is_null = false;
    uint32_t code;

    for (unsigned i = 0; i < STUB_NUM_PARAMETERS; i++) {
        const struct parameter *parameter = &stub_parameters[i];
        struct stub_numbers read;

        if (!(op->response & parameter->bit)) {
            continue;
        }
        read = read_numbers(&r, parameter);
        if (r.lacks) {
            return !r.overrun;
        }
        if (parameter->bit == P_HANDLE) {
            is_null = is_null_handle(&read);
        }
        if (parameter->counts > 0) {
            size = read.counts[parameter->counts - 1] * op->element;
            if (size > sample->length) {
                return !sample->is_last;
            }
            data = r;
            stub_skip(&r, (unsigned)size);
        }
    }
    if (!sample->is_last || stub_left(&r) < 4) {
        return true;
    }
    code = stub_read_uint32(&r);
    if (r.overrun || !stub_is_read(&r)) {
        return false;
    }
    return code != WIN32_SUCCESS ||
        !((op->effect == OPENS_QUERY && is_null) || (op->effect == CLOSES_QUERY && !is_null) ||
            (op->parse == lpdata_parse_data && size < LP_DATA_HEADER_SIZE) ||
            !beginning_fits(data, op, (unsigned)size));
}

bool
perflibv2_proves(const struct stub_sample *sample, const struct operation *op)
{
    struct stub_reader reader = { .sample = sample };
    int proof;

    /* Answers without lpData also fit other interfaces, so they prove nothing. */
    if (!sample->is_first || (sample->is_response && !(op->response & P_VARYING))) {
        return false;
    }
    proof = weigh(&reader, op, true);
    if (!sample->is_response && sample->is_last && proof != STUB_NONSENSE) {
        proof = stub_is_read(&reader) ? proof + WORTH_OF_END : STUB_NONSENSE;
    }
    return proof >= (sample->is_registry_pipe ? ENOUGH_ON_PIPE : ENOUGH_ANYWHERE);
}
