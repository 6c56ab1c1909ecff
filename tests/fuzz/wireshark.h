/* wireshark.h
 * Wireshark in the process of a fuzz target: its dissectors, all that listens to them, one file after another
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_FUZZ_WIRESHARK_H
#define PERFLIB_FUZZ_WIRESHARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat.h"

#include <epan/frame_data.h>

/* What the process does with a frame. */
enum {
    WIRESHARK_NO_TREE = 0x01, /* as tshark without -V */
    WIRESHARK_HIDDEN = 0x02,  /* a tree nobody looks at, as with -Y */
    WIRESHARK_TAPS = 0x04,    /* the statistics that listen hear it */
    WIRESHARK_COLUMNS = 0x08, /* the packet list's columns are filled in */
    WIRESHARK_FILTER = 0x10,  /* a display filter on our fields is applied */
};

struct fuzz_frame {
    uint8_t *bytes;
    unsigned length;
    frame_data data;
};

/* Starts Wireshark with the plugin. encap: what each frame begins with (WTAP_ENCAP_*). To be called once. */
void wireshark_start(int encap);

/* Each of the plugin's statistics listens, and each command that writes a file writes to no file. */
void wireshark_listen(void);
/* What a window or tshark shows now; with_trees: the "tree" statistics, too, which cost most. Reset empties all. */
void wireshark_draw(bool with_trees);
void wireshark_reset(void);

/* Sets the preferences whose bits are set, and takes back the others. Cheap where it is what it was. */
void wireshark_set_preferences(unsigned bits);

/* What was learned from one file goes with it. */
void wireshark_open_file(void);
void wireshark_close_file(void);

/* The frames of the file, in order; a frame's time is milliseconds since the first. */
void wireshark_init_frame(struct fuzz_frame *frame, uint32_t number, uint32_t milliseconds);
/* flags: WIRESHARK_*; filter: which, of some. The first time a frame is dissected is its first pass. */
void wireshark_dissect(struct fuzz_frame *frame, unsigned flags, unsigned filter);

#endif /* PERFLIB_FUZZ_WIRESHARK_H */
