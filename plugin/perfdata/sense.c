/* sense.c
 * Whether decrypted bytes can be a stub of the remote registry: handles, names and codes that have little choice
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/sense.h"

#include "perfdata/winreg.h"

/* What a request begins with, or what an answer holds beside its code. */
enum shape { NOTHING_KNOWN, HANDLE, HANDLE_AND_NAME, NO_HANDLE_MORE, VALUE };

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
        /* Those from 5 on to 23 are calls on a key, those before open one by a name that is a pointer. */
        return opnum >= WINREG_CLOSE_KEY && opnum <= 23 ? HANDLE : NOTHING_KNOWN;
    }
}

static enum shape
response_shape(unsigned opnum)
{
    switch (opnum) {
    case WINREG_CLOSE_KEY: return NO_HANDLE_MORE;
    case WINREG_OPEN_KEY:
    case WINREG_OPEN_PERFORMANCE_TEXT:
    case WINREG_OPEN_PERFORMANCE_NLS_TEXT: return HANDLE;
    case WINREG_QUERY_VALUE: return VALUE;
    default: return opnum < WINREG_CLOSE_KEY ? HANDLE : NOTHING_KNOWN;
    }
}

/* RPC_HKEY: its attributes are a small number (Windows sends 0, Samba 1), and all of it is zero once it is closed. */
static int
perfdata_handle_sense(struct stub_reader *r, bool is_closed)
{
    bool is_null;
    const uint32_t attributes = stub_read_handle(r, &is_null);

    return attributes > UINT8_MAX ? STUB_NONSENSE : is_closed && is_null && attributes == 0 ? 160 : 24;
}

/* RRP_UNICODE_STRING, [MS-RRP] 2.2.4: sizes, a pointer, then maximum count, offset and actual count. */
static int
name_sense(struct stub_reader *r)
{
    uint64_t max, offset, actual;

    stub_read_uint32(r);
    if (stub_read_count(r) == 0) {
        return 0;
    }
    max = stub_read_count(r);
    offset = stub_read_count(r);
    actual = stub_read_count(r);
    return offset > UINT16_MAX || max > UINT16_MAX ? STUB_NONSENSE : offset != 0 || actual > max ? 0 : 32 + 16;
}

/* The answer to QueryValue begins with a pointer to the value's type. */
static int
value_sense(struct stub_reader *r)
{
    if (stub_read_count(r) == 0) {
        return 0;
    }
    return stub_read_uint32(r) > MOST_VALUE_TYPE ? STUB_NONSENSE : 28;
}

static int
shape_sense(enum shape shape, struct stub_reader *r)
{
    int handle, name;

    switch (shape) {
    case HANDLE:
    case NO_HANDLE_MORE: return perfdata_handle_sense(r, shape == NO_HANDLE_MORE);
    case HANDLE_AND_NAME:
        handle = perfdata_handle_sense(r, false);
        name = name_sense(r);
        return handle == STUB_NONSENSE || name == STUB_NONSENSE ? STUB_NONSENSE : handle + name;
    case VALUE: return value_sense(r);
    case NOTHING_KNOWN: break;
    }
    return 0;
}

int
winreg_sense(const struct stub_sample *sample)
{
    struct stub_reader reader = stub_read(sample);
    int sense = 0;

    if (sample->length < 4) {
        return 0;
    }
    if (sample->is_first) {
        sense = shape_sense((sample->is_response ? response_shape : request_shape)(sample->opnum), &reader);
        if (sense == STUB_NONSENSE || reader.overrun) {
            return STUB_NONSENSE;
        }
    }
    /* Every answer ends with a Win32 error. */
    if (sample->is_last && sample->is_response) {
        return stub_last_uint32(sample) > UINT16_MAX ? STUB_NONSENSE : sense + 16;
    }
    return sense;
}
