/* fuzz_session.c
 * libFuzzer target: whole captures through IP, TCP, SMB and DCERPC into the plugin, with all that listens
 *
 * An input (session.h) is what travelled on some connections, and what a person does with it. It is read as Wireshark
 * reads a file: once in order, with statistics, columns and a display filter; then, if the input says so, frames are
 * clicked on in any order, and the statistics are emptied and made anew; they are shown, and the file is closed.
 *
 * Findings are, beside what the sanitizers and Wireshark's own checks report: an input that takes more time or keeps
 * more memory than its size allows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session.h"
#include "wireshark.h"

#include <sanitizer/allocator_interface.h>
#include <wiretap/wtap.h>

#define IP_HEADER        20
#define TCP_HEADER       20
#define CONNECTIONS      8
/* What an input may cost: with the sanitizers, and each statistic at once. */
#define SECONDS          10.0
#define MEMORY_ANYHOW    (16u << 20)
#define MEMORY_EACH_BYTE 500u

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the next byte of each side stands. */
struct connection {
    uint32_t next[2];
};

static uint8_t *
put16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
    return to + 2;
}

static uint8_t *
put32(uint8_t *to, uint32_t value)
{
    return put16(put16(to, value >> 16), value & 0xffff);
}

/* A frame of IPv4 and TCP. setting: four bits of the header (session.h). */
static void
make_frame(const struct session_frame *from, unsigned setting, struct connection *connection, struct fuzz_frame *frame)
{
    static const uint16_t ports[] = { 49700, 445, 135, 139 };
    const bool from_server = from->flags & SESSION_FROM_SERVER, ends = from->flags & SESSION_ENDS;
    const uint16_t server_port = ports[setting & 3];
    const uint16_t client_port = (uint16_t)(49152 + (from->flags & SESSION_CONNECTION));
    const uint32_t server = 0xc0000201u + (setting >> 2 & 1), client = 0xc0000281u + (setting >> 3 & 1);
    uint8_t *to;

    frame->length = IP_HEADER + TCP_HEADER + from->length;
    frame->bytes = (uint8_t *)calloc(frame->length, 1);
    to = frame->bytes;
    to[0] = 0x45;
    put16(to + 2, frame->length);
    to[8] = 64;
    to[9] = 6;
    put32(put32(to + 12, from_server ? server : client), from_server ? client : server);
    to = put16(put16(to + IP_HEADER, from_server ? server_port : client_port), from_server ? client_port : server_port);
    to = put32(put32(to, connection->next[from_server]), connection->next[!from_server]);
    to[0] = 0x50;
    to[1] = ends ? 0x19 : 0x18;
    put16(to + 2, 0xffff);
    if (from->length) {
        memcpy(frame->bytes + IP_HEADER + TCP_HEADER, from->payload, from->length);
    }
    connection->next[from_server] += from->length + ends;
}

static void
finding(const char *what, double is, double allowed)
{
    fprintf(stderr, "%s: %.1f, allowed are %.1f\n", what, is, allowed);
    abort();
}

static unsigned
tree_flags(const struct session_frame *frame)
{
    return (frame->flags & SESSION_NO_TREE ? WIRESHARK_NO_TREE : 0) |
        (frame->flags & SESSION_HIDDEN ? WIRESHARK_HIDDEN : 0);
}

int
LLVMFuzzerInitialize(int *argc _U_, char ***argv _U_)
{
    wireshark_start(WTAP_ENCAP_RAW_IP);
    wireshark_listen();
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t before = __sanitizer_get_current_allocated_bytes();
    const clock_t begin = clock();
    struct connection connections[CONNECTIONS] = { { { 1, 1 } } };
    struct session_frame parsed[SESSION_MAX_FRAMES];
    struct fuzz_frame frames[SESSION_MAX_FRAMES];
    const struct session_frame *captured[SESSION_MAX_FRAMES];
    unsigned num_parsed, n = 0, milliseconds = 0, click;
    size_t kept;
    double seconds;

    if (size < SESSION_HEADER) {
        return -1;
    }
    num_parsed = session_parse(data, size, parsed);
    wireshark_set_preferences(data[0]);
    wireshark_open_file();
    memset(frames, 0, sizeof frames);
    for (unsigned i = 0; i < num_parsed; i++) {
        const unsigned number = parsed[i].flags & SESSION_CONNECTION;
        struct connection *connection = &connections[number];

        milliseconds += parsed[i].time * 20u;
        if (parsed[i].flags & SESSION_LOST) {
            connection->next[parsed[i].flags & SESSION_FROM_SERVER ? 1 : 0] += parsed[i].length;
            continue;
        }
        make_frame(&parsed[i], data[4 + number / 2] >> number % 2 * 4 & 0xf, connection, &frames[n]);
        wireshark_init_frame(&frames[n], n + 1, milliseconds);
        captured[n] = &parsed[i];
        wireshark_dissect(&frames[n],
            tree_flags(&parsed[i]) | WIRESHARK_TAPS | (data[1] & SESSION_COLUMNS ? WIRESHARK_COLUMNS : 0) |
                (data[1] & SESSION_FILTER ? WIRESHARK_FILTER : 0),
            data[1] & SESSION_WHICH_FILTER);
        n++;
    }
    if (data[1] & SESSION_SHOWN) {
        wireshark_draw(false);
    }

    click = data[2] | data[3] << 8;
    for (unsigned i = 0; i < n && data[1] & SESSION_AGAIN; i++, click = click * 25173 + 13849) {
        wireshark_dissect(&frames[click % n], click & 0x100 ? WIRESHARK_COLUMNS : 0, 0);
    }

    if (data[1] & SESSION_ANEW) {
        wireshark_reset();
        for (unsigned i = 0; i < n; i++) {
            wireshark_dissect(&frames[i], tree_flags(captured[i]) | WIRESHARK_TAPS, 0);
        }
    }
    wireshark_draw(data[1] & SESSION_ANEW);
    kept = __sanitizer_get_current_allocated_bytes();
    wireshark_reset();

    for (unsigned i = 0; i < n; i++) {
        frame_data_destroy(&frames[i].data);
        free(frames[i].bytes);
    }
    wireshark_close_file();
    seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > SECONDS) {
        finding("seconds of processor time", seconds, SECONDS);
    }
    /* Other allocators take megabytes at once. */
    if (strcmp(getenv("WIRESHARK_DEBUG_WMEM_OVERRIDE"), "simple") == 0 && kept > before &&
        kept - before > MEMORY_ANYHOW + MEMORY_EACH_BYTE * size) {
        finding("bytes kept", (double)(kept - before), (double)(MEMORY_ANYHOW + MEMORY_EACH_BYTE * size));
    }
    return 0;
}
