/* needed.h
 * Missing keys: the sentences below a table about calls that were not decrypted
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_NEEDED_H
#define PERFLIB_STATS_NEEDED_H

#include "compat.h"

#include "base/key-needed.h"

/* Maximum number of sentences about missing keys below a table; a capture may have any number of users. */
#define NEEDED_MAX 8u

/* Missing keys, each with a sentence for the user (shown below a table); no duplicates. Initialised to zero. */
struct needed {
    struct key_needed items[NEEDED_MAX];
    unsigned count;
    bool has_more; /* true if there are more than NEEDED_MAX sentences */
    bool is_said;  /* true once needed_report() has shown them to the user */
};

/* Adds a copy of an item. Returns false if its sentence is already there, or if there are NEEDED_MAX items already. */
bool needed_add(struct needed *needed, const struct key_needed *item);
void needed_clear(struct needed *needed);

/*
 * Tap with the missing keys (struct key_needed) of connections encrypted by SMB 3. It is unknown whether such a
 * connection has calls of the plugin's interfaces.
 */
#define NEEDED_TAP "perflib_session_encrypted"

/*
 * Informs the user, once, why a file may be empty; does nothing if there are no sentences. command: for example
 * "perflibv2,samples".
 */
void needed_report(struct needed *needed, const char *command);

#endif /* PERFLIB_STATS_NEEDED_H */
