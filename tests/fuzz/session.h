/* session.h
 * The input of fuzz_session: what travelled on up to eight TCP connections
 *
 *     1 byte    preferences that are set, and Decode As (see wireshark.c)
 *     1 byte    SESSION_*: what is done with the frames, and in the lowest three bits the display filter
 *     2 bytes   what is clicked on, the seed of it
 *     4 bytes   for each of eight connections four bits, the first lowest: port of the server (2 bits: of PORTS),
 *               server (1 bit), client (1 bit)
 *     then for each frame:
 *     1 byte    SESSION_* and, in the lowest three bits, the connection
 *     1 byte    time since the frame before, in units of 20 milliseconds
 *     2 bytes   length of the payload, little-endian
 *     ...       the payload, or as much of it as is left
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_FUZZ_SESSION_H
#define PERFLIB_FUZZ_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SESSION_WHICH_FILTER = 0x07,
    SESSION_SHOWN = 0x08, /* statistics are drawn before they are made anew, as well */
    SESSION_AGAIN = 0x10, /* frames are dissected again in any order, as a person clicks */
    SESSION_ANEW = 0x20,  /* statistics are emptied and made anew, as after a change of preferences */
    SESSION_FILTER = 0x40,
    SESSION_COLUMNS = 0x80,
};

enum {
    SESSION_CONNECTION = 0x07,
    SESSION_FROM_SERVER = 0x08,
    SESSION_NO_TREE = 0x10,
    SESSION_HIDDEN = 0x20,
    SESSION_LOST = 0x40, /* it travelled, but was not captured */
    SESSION_ENDS = 0x80, /* the sender closes the connection (FIN) */
};

#define SESSION_HEADER      8
#define SESSION_MAX_FRAMES  128
#define SESSION_MAX_PAYLOAD 60000

struct session_frame {
    uint8_t flags, time;
    uint16_t length;
    const uint8_t *payload;
};

/* Returns how many frames an input has, at most SESSION_MAX_FRAMES. The payloads are the input's. */
unsigned session_parse(const uint8_t *data, size_t size, struct session_frame *frames);

#endif /* PERFLIB_FUZZ_SESSION_H */
