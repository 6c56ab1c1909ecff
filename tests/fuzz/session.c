/* session.c
 * Inputs of fuzz_session: read, changed as frames and fields may go wrong, and two made one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_HEADER 4

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
    uint8_t *out, size_t max_size, unsigned seed);

unsigned
session_parse(const uint8_t *data, size_t size, struct session_frame *frames)
{
    unsigned n = 0;
    size_t at = SESSION_HEADER;

    for (; n < SESSION_MAX_FRAMES && at <= size && size - at >= FRAME_HEADER; n++) {
        struct session_frame *frame = &frames[n];
        size_t length = data[at + 2] | data[at + 3] << 8;
        frame->flags = data[at];
        frame->time = data[at + 1];
        at += FRAME_HEADER;
        length = length > SESSION_MAX_PAYLOAD ? SESSION_MAX_PAYLOAD : length;
        length = length > size - at ? size - at : length;
        frame->length = (uint16_t)length;
        frame->payload = data + at;
        at += length;
    }
    return n;
}

/* Numbers for one mutation. */
static uint32_t state;

static unsigned
below(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return limit ? state % limit : 0;
}

/* An input in the making: its frames' payloads are copies. */
struct making {
    uint8_t header[SESSION_HEADER];
    unsigned n;
    struct session_frame frames[SESSION_MAX_FRAMES];
    uint8_t *bytes[SESSION_MAX_FRAMES];
};

static void
set_payload(struct making *making, unsigned i, const uint8_t *payload, size_t length)
{
    uint8_t *copy = (uint8_t *)malloc(length + 1);

    if (length) {
        memcpy(copy, payload, length);
    }
    free(making->bytes[i]);
    making->bytes[i] = copy;
    making->frames[i].payload = copy;
    making->frames[i].length = (uint16_t)length;
}

static void
take(struct making *making, const uint8_t *data, size_t size)
{
    memset(making, 0, sizeof *making);
    memcpy(making->header, data, size < SESSION_HEADER ? size : SESSION_HEADER);
    making->n = session_parse(data, size, making->frames);
    for (unsigned i = 0; i < making->n; i++) {
        set_payload(making, i, making->frames[i].payload, making->frames[i].length);
    }
}

/* Frames that do not fit are left out. Ends the making. */
static size_t
give(struct making *making, uint8_t *out, size_t max_size)
{
    size_t at = SESSION_HEADER;

    memcpy(out, making->header, SESSION_HEADER);
    for (unsigned i = 0; i < making->n; i++) {
        const struct session_frame *frame = &making->frames[i];
        if (max_size - at >= FRAME_HEADER + (size_t)frame->length) {
            out[at] = frame->flags;
            out[at + 1] = frame->time;
            out[at + 2] = (uint8_t)frame->length;
            out[at + 3] = (uint8_t)(frame->length >> 8);
            memcpy(out + at + FRAME_HEADER, frame->payload, frame->length);
            at += FRAME_HEADER + (size_t)frame->length;
        }
        free(making->bytes[i]);
    }
    return at;
}

static void
drop(struct making *making, unsigned i)
{
    free(making->bytes[i]);
    making->n--;
    memmove(&making->frames[i], &making->frames[i + 1], (making->n - i) * sizeof making->frames[0]);
    memmove(&making->bytes[i], &making->bytes[i + 1], (making->n - i) * sizeof making->bytes[0]);
    making->bytes[making->n] = NULL;
}

static void
insert(struct making *making, unsigned i, const struct session_frame *frame)
{
    const struct session_frame copy = *frame;

    if (making->n == SESSION_MAX_FRAMES) {
        return;
    }
    memmove(&making->frames[i + 1], &making->frames[i], (making->n - i) * sizeof making->frames[0]);
    memmove(&making->bytes[i + 1], &making->bytes[i], (making->n - i) * sizeof making->bytes[0]);
    making->n++;
    making->frames[i] = copy;
    making->bytes[i] = NULL;
    set_payload(making, i, copy.payload, copy.length);
}

static void
swap(struct making *making, unsigned i, unsigned j)
{
    const struct session_frame frame = making->frames[i];
    uint8_t *bytes = making->bytes[i];

    making->frames[i] = making->frames[j];
    making->bytes[i] = making->bytes[j];
    making->frames[j] = frame;
    making->bytes[j] = bytes;
}

static uint32_t
get(const uint8_t *from, unsigned width)
{
    uint32_t value = 0;

    for (unsigned i = width; i-- > 0;) {
        value = value << 8 | from[i];
    }
    return value;
}

/* A number at a place where a field may be: a length, count, offset, pointer, type, or a part of a value. */
static void
change_field(uint8_t *payload, size_t length)
{
    static const uint32_t numbers[] = {
        0,
        1,
        2,
        3,
        4,
        8,
        16,
        40,
        0x7f,
        0x80,
        0xff,
        0x100,
        0x7fff,
        0x8000,
        0xffff,
        0x10000,
        0x7fffffff,
        0x80000000,
        0xfffffff8,
        0xffffffff,
        0x00010000,
        0x00010100,
        0x00000500,
        0x20410400,
        0x20570500,
        0x21410500,
        0x21510500,
        0x30020400,
        0x40030402,
        0x40030403,
        0x40030500,
        0x22410400,
        0x00000b00,
        0x10410400,
        0x10410500,
        0x20020400,
        0x20470500,
        0x23510500,
        0x30240500,
        0x40020500,
        0x00000200,
        1702,
        234,
        122,
    };
    const unsigned widths[] = { 4, 4, 4, 2, 2, 1 };
    const unsigned width = widths[below(6)];
    uint32_t value;
    size_t at;

    if (length < width) {
        return;
    }
    at = below((unsigned)(length - width + 1)) / width * width;
    value = get(payload + at, width);
    switch (below(8)) {
    case 0: value += 1; break;
    case 1: value -= 1; break;
    case 2: value += below(2) ? 8 : (uint32_t)-8; break;
    case 3: /* another field's */
        value = get(payload + below((unsigned)(length - width + 1)) / width * width, width);
        break;
    case 4: /* what is left */ value = (uint32_t)(length - at) - below(12); break;
    case 5: value ^= 1u << below(8 * width); break;
    default: value = numbers[below((unsigned)(sizeof numbers / sizeof numbers[0]))]; break;
    }
    for (unsigned i = 0; i < width; i++) {
        payload[at + i] = (uint8_t)(value >> 8 * i);
    }
}

/* The lengths that frame a PDU follow its payload: else nothing behind would be read. */
static void
mend_lengths(uint8_t *payload, size_t length)
{
    if (length >= 16 && payload[0] == 5 && payload[1] == 0) {
        const bool little_endian = payload[4] & 0x10;
        payload[little_endian ? 8 : 9] = (uint8_t)length;
        payload[little_endian ? 9 : 8] = (uint8_t)(length >> 8);
    } else if (length >= 8 && payload[0] == 0 && memcmp(payload + 5, "SMB", 3) == 0) {
        payload[1] = 0;
        payload[2] = (uint8_t)((length - 4) >> 8);
        payload[3] = (uint8_t)(length - 4);
    }
}

static void
change_payload(struct making *making, unsigned i)
{
    struct session_frame *frame = &making->frames[i];
    size_t length = frame->length;
    const size_t most = length + 64 < SESSION_MAX_PAYLOAD ? length + 64 : SESSION_MAX_PAYLOAD;
    uint8_t *room;

    switch (below(8)) {
    case 0:
        room = (uint8_t *)calloc(most + 1, 1);
        if (length) {
            memcpy(room, frame->payload, length);
        }
        length = LLVMFuzzerMutate(room, length, most);
        set_payload(making, i, room, length);
        free(room);
        break;
    case 1: frame->length = (uint16_t)below((unsigned)length + 1); break;
    default:
        for (unsigned changes = 1 + below(2); changes > 0; changes--) {
            change_field(making->bytes[i], length);
        }
        return;
    }
    if (below(5)) {
        mend_lengths(making->bytes[i], frame->length);
    }
}

/* Two frames one behind the other become one, or one becomes two. */
static void
cut_anew(struct making *making, unsigned i)
{
    struct session_frame *frame = &making->frames[i];
    struct session_frame rest = *frame;

    if (below(2)) {
        const unsigned at = below(frame->length + 1u);
        rest.payload += at;
        rest.length = (uint16_t)(rest.length - at);
        frame->length = (uint16_t)at;
        insert(making, i + 1, &rest);
    } else if (i + 1 < making->n && frame->length + making->frames[i + 1].length <= SESSION_MAX_PAYLOAD) {
        const struct session_frame *next = &making->frames[i + 1];
        const size_t length = (size_t)frame->length + next->length;
        uint8_t *both = (uint8_t *)malloc(length + 1);
        memcpy(both, frame->payload, frame->length);
        memcpy(both + frame->length, next->payload, next->length);
        set_payload(making, i, both, length);
        free(both);
        drop(making, i + 1);
    }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct making making;
    unsigned i, j;

    state = seed | 1;
    take(&making, data, size);
    if (making.n == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    i = below(making.n);
    j = below(making.n);
    switch (below(16)) {
    case 0: making.header[below(2) ? 1 : below(SESSION_HEADER)] ^= (uint8_t)(1u << below(8)); break;
    case 1: drop(&making, i); break;
    case 2: insert(&making, i, &making.frames[i]); break;
    case 3: swap(&making, i, j); break;
    case 4: /* said again later, or on another connection */
        insert(&making, j, &making.frames[i]);
        making.frames[j].flags ^= (uint8_t)below(256) & SESSION_CONNECTION;
        break;
    case 5: making.frames[i].flags ^= (uint8_t)(1u << below(8)); break;
    case 6: making.frames[i].time = (uint8_t)below(256); break;
    case 7: cut_anew(&making, i); break;
    default: change_payload(&making, i); break;
    }
    return give(&making, data, max_size);
}

/* The beginning of one session, and frames of another behind it or between. */
size_t
LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
    uint8_t *out, size_t max_size, unsigned seed)
{
    struct session_frame others[SESSION_MAX_FRAMES];
    const unsigned num_others = session_parse(second, second_size, others);
    struct making making;
    unsigned from, count;

    state = seed | 1;
    take(&making, first, first_size);
    if (num_others > 0) {
        const uint8_t connection = (uint8_t)below(8);
        unsigned at = below(making.n + 1);
        const bool between = below(2);
        from = below(num_others);
        count = 1 + below(num_others - from);
        while (!between && making.n > at) {
            drop(&making, making.n - 1);
        }
        for (unsigned i = from; i < from + count; i++, at++) {
            struct session_frame frame = others[i];
            frame.flags ^= connection & (seed & 1 ? SESSION_CONNECTION : 0);
            insert(&making, at < making.n ? at : making.n, &frame);
        }
    }
    return give(&making, out, max_size);
}
