/* needed.h
 * What a table says of calls that nobody could read for want of a key
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_NEEDED_H
#define PERFLIB_STATS_NEEDED_H

#include <stdbool.h>

#include "base/key-needed.h"

/* So many sentences a table ends with; a capture may hold any number of users. */
#define NEEDED_MAX 8u

/* The sentences of one table, without repetition; zero at first. */
struct needed {
    struct key_needed items[NEEDED_MAX];
    unsigned count;
    bool has_more; /* there are others */
    bool is_said;  /* needed_report() has told the user */
};

/* Returns whether the sentence is a new one, that is kept. It is copied. */
bool needed_add(struct needed *needed, const struct key_needed *item);
void needed_clear(struct needed *needed);

/*
 * What brings a sentence of what it takes to read what SMB 3 encrypts (struct key_needed): nobody knows whether there
 * are calls in it.
 */
#define NEEDED_TAP "perflib_session_encrypted"

/* Tells the user, once, why a file holds nothing: of the command "-z perflibv2,samples". Nothing without sentences. */
void needed_report(struct needed *needed, const char *command);

#endif /* PERFLIB_STATS_NEEDED_H */
