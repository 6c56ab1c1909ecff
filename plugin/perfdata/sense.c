/* sense.c
 * Whether decrypted bytes can be a stub of the remote registry: handles, names and codes that have little choice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/winreg.h"

#include "base/win32-names.h"
#include "perfdata/blocks.h"

/* Parameters at the beginning of a request, or of an answer apart from the return code */
enum shape { NOTHING_KNOWN, HANDLE, HANDLE_AND_NAME, CLOSED_HANDLE, VALUE };

#define MOST_VALUE_TYPE 11u

static enum shape
request_shape(unsigned opnum)
{
    switch (opnum) {
    case WINREG_OPEN_KEY:
    case WINREG_QUERY_VALUE: return HANDLE_AND_NAME;
    case WINREG_QUERY_MULTIPLE_VALUES:
    case WINREG_QUERY_MULTIPLE_VALUES_2: return HANDLE;
    default:
        /* Opnums 5 to 23 begin with a key's handle. Lower ones open a root key, and begin with an arbitrary pointer. */
        return opnum >= WINREG_CLOSE_KEY && opnum <= 23 ? HANDLE : NOTHING_KNOWN;
    }
}

static enum shape
response_shape(unsigned opnum)
{
    switch (opnum) {
    case WINREG_CLOSE_KEY: return CLOSED_HANDLE;
    case WINREG_OPEN_KEY:
    case WINREG_OPEN_PERFORMANCE_TEXT:
    case WINREG_OPEN_PERFORMANCE_NLS_TEXT: return HANDLE;
    case WINREG_QUERY_VALUE: return VALUE;
    default: return opnum < WINREG_CLOSE_KEY ? HANDLE : NOTHING_KNOWN;
    }
}

/*
 * Rates RPC_HKEY as evidence for the interface: its attributes are a small number (Windows 0, Samba 1), and a closed
 * handle is all zero.
 */
static int
perfdata_handle_sense(struct stub_reader *r, bool is_closed)
{
    bool is_null;
    const uint32_t attributes = stub_read_handle(r, &is_null);

    return attributes > UINT8_MAX ? STUB_NONSENSE : is_closed && is_null && attributes == 0 ? 160 : 24;
}

/* Aligns for a structure with a pointer: to a multiple of 8 in NDR64. */
static void
align_string(struct stub_reader *r)
{
    if (r->sample->is_ndr64) {
        r->offset = (r->offset + 7) & ~7u;
    }
}

/*
 * Rates RRP_UNICODE_STRING ([MS-RRP] 2.2.4) as evidence for the interface: sizes, pointer, then maximum count, offset
 * and actual count.
 */
static int
name_sense(struct stub_reader *r)
{
    uint64_t max, offset, actual;

    align_string(r);
    stub_read_uint32(r);
    if (stub_read_count(r) == 0) {
        return 0;
    }
    max = stub_read_count(r);
    offset = stub_read_count(r);
    actual = stub_read_count(r);
    return offset > UINT16_MAX || max > UINT16_MAX ? STUB_NONSENSE : offset != 0 || actual > max ? 0 : 32 + 16;
}

static int
shape_sense(enum shape shape, struct stub_reader *r)
{
    int handle, name;

    switch (shape) {
    case HANDLE:
    case CLOSED_HANDLE: return perfdata_handle_sense(r, shape == CLOSED_HANDLE);
    case HANDLE_AND_NAME:
        handle = perfdata_handle_sense(r, false);
        name = name_sense(r);
        return handle == STUB_NONSENSE || name == STUB_NONSENSE ? STUB_NONSENSE : handle + name;
    case VALUE:
        /* The answer to QueryValue begins with a pointer to the value's type. */
        return stub_read_count(r) == 0 ? 0 : stub_read_uint32(r) > MOST_VALUE_TYPE ? STUB_NONSENSE : 28;
    case NOTHING_KNOWN: break;
    }
    return 0;
}

int
winreg_sense(const struct stub_sample *sample)
{
    struct stub_reader reader = { .sample = sample };
    uint32_t code;
    int sense = 0;

    if (sample->length < 4) {
        return 0;
    }
    if (sample->is_first) {
        sense = shape_sense((sample->is_response ? response_shape : request_shape)(sample->opnum), &reader);
        /* Numbers that were not captured read as 0xff: they show nothing. */
        sense = reader.lacks ? 0 : sense;
        if (sense == STUB_NONSENSE || reader.overrun) {
            return STUB_NONSENSE;
        }
    }
    /* Every answer ends with a Win32 error. */
    if (stub_return_code(sample, &code)) {
        return code > UINT16_MAX ? STUB_NONSENSE : sense + 16;
    }
    return sense;
}

/* Returns whether the sizes of an RRP_UNICODE_STRING are those of its text with terminator ([MS-RRP] 2.2.4). */
static bool
proves_name(struct stub_reader *r)
{
    unsigned sizes, low, high, units;

    align_string(r);
    sizes = stub_read_uint32(r);
    low = sizes & 0xffff;
    high = sizes >> 16;
    if (stub_read_count(r) == 0 || (units = stub_read_string(r)) == 0) {
        return false;
    }
    return (r->sample->is_little_endian ? low : high) == 2 * units &&
        (r->sample->is_little_endian ? high : low) >= 2 * units;
}

/* Reads a unique pointer to a number. */
static uint32_t
pointed_number(struct stub_reader *r)
{
    return stub_read_count(r) == 0 ? 0 : stub_read_uint32(r);
}

/* Returns whether this is a QueryValue request, [MS-RRP] 3.1.5.17, with plausible sizes of the buffer. */
static bool
proves_query(struct stub_reader *r)
{
    bool is_null;

    if (stub_read_handle(r, &is_null) > UINT8_MAX || is_null || !proves_name(r) ||
        pointed_number(r) > MOST_VALUE_TYPE) {
        return false;
    }
    if (stub_read_count(r) != 0) {
        const uint64_t max = stub_read_count(r), offset = stub_read_count(r), actual = stub_read_count(r);

        if (offset != 0 || actual > max || actual > r->sample->length) {
            return false;
        }
        stub_skip(r, (unsigned)actual);
    }
    pointed_number(r);
    pointed_number(r);
    return !r->overrun && stub_is_read(r);
}

/* Returns whether this is performance data: type REG_BINARY, beginning with a signature. */
static bool
proves_value(struct stub_reader *r)
{
    return pointed_number(r) == 3 && stub_read_count(r) != 0 && stub_read_count(r) >= 8 && stub_read_count(r) == 0 &&
        stub_read_count(r) >= 8 && perfdata_has_signature(r->sample->head + r->offset, stub_left(r));
}

/*
 * Returns whether a request belongs to winreg. On the pipe winreg less evidence suffices, as the only other interface
 * there is PerflibV2.
 */
static bool
proves_on_pipe(const struct stub_sample *sample, struct stub_reader *r)
{
    bool is_null, is_given;
    uint32_t attributes;

    if (response_shape(sample->opnum) == HANDLE && request_shape(sample->opnum) != HANDLE_AND_NAME) {
        /* A call that opens a root key has a meaningless server name and the requested access. */
        is_given = stub_read_count(r) != 0;
        r->offset += is_given ? 2 : 0;
        stub_read_uint32(r);
        return !r->overrun && stub_is_read(r);
    }
    attributes = stub_read_handle(r, &is_null);
    if (attributes > UINT8_MAX || is_null || r->overrun) {
        return false;
    }
    switch (sample->opnum) {
    case WINREG_CLOSE_KEY: return sample->length == r->offset;
    case WINREG_CREATE_KEY:
    case WINREG_CREATE_KEY + 1:
    case WINREG_OPEN_KEY:
    case WINREG_QUERY_VALUE: return proves_name(r);
    default: return sample->opnum <= WINREG_QUERY_MULTIPLE_VALUES_2;
    }
}

bool
winreg_proves(const struct stub_sample *sample)
{
    struct stub_reader reader = { .sample = sample };

    if (!sample->is_first) {
        return false;
    }
    if (sample->is_response) {
        return sample->opnum == WINREG_QUERY_VALUE && proves_value(&reader);
    }
    if (sample->is_registry_pipe) {
        return proves_on_pipe(sample, &reader);
    }
    return sample->opnum == WINREG_QUERY_VALUE && proves_query(&reader);
}

/* Returns whether this is an answer to QueryValue, [MS-RRP] 3.1.5.17, whose sizes agree with its data. */
static bool
value_fits(struct stub_reader *r)
{
    uint64_t actual = 0, length;
    bool has_data;

    if (pointed_number(r) > MOST_VALUE_TYPE) {
        return false;
    }
    has_data = stub_read_count(r) != 0;
    if (has_data) {
        const uint64_t max = stub_read_count(r), offset = stub_read_count(r);

        actual = stub_read_count(r);
        if (offset != 0 || actual > max) {
            return false;
        }
        if (actual > r->sample->length) {
            return !r->sample->is_last;
        }
        stub_skip(r, (unsigned)actual);
    }
    if (!r->sample->is_last) {
        return true;
    }
    pointed_number(r);
    length = pointed_number(r);
    return (stub_read_uint32(r) != WIN32_SUCCESS || !has_data || length == 0 || length == actual) && !r->overrun &&
        stub_is_read(r);
}

enum stub_fit
winreg_fit(const struct stub_kind *kind _U_, const struct stub_sample *sample, packet_info *pinfo _U_)
{
    struct stub_reader reader = { .sample = sample };
    const enum shape shape = response_shape(sample->opnum);
    bool fits = true, is_null;

    if (!sample->is_first || sample->head_length < sample->length) {
        return STUB_FITS;
    }
    if (shape == VALUE) {
        fits = value_fits(&reader);
    } else if (shape != NOTHING_KNOWN) {
        /* After success, a handle is zero if the key was closed, and not zero if it was opened. */
        stub_read_handle(&reader, &is_null);
        fits = (stub_read_uint32(&reader) != WIN32_SUCCESS || is_null == (shape == CLOSED_HANDLE)) && !reader.overrun &&
            stub_is_read(&reader);
    }
    return !fits ? STUB_MISFIT : winreg_proves(sample) ? STUB_PROVES : STUB_FITS;
}
