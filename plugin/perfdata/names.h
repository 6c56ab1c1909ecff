/* names.h
 * Names of title indexes: what "Counter 009" and "Help 009" answer
 *
 * An index below the system's limit names the same object or counter on every Windows, any other
 * only on the server that said so. A name learned from a server is therefore never
 * used for another; the built-in names are few and hold everywhere.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_NAMES_H
#define PERFLIB_PERFDATA_NAMES_H

#include "counters/catalog.h"

/* A list as it stands in an answer: a MULTI_SZ of index and text in turn. */
struct perfdata_names_list {
    const uint8_t *bytes;
    unsigned size; /* as far as it was captured */
    bool is_cut;   /* by the snap length */
    bool big_endian;
};

/* What a value name asks for. */
enum perfdata_asked {
    PERFDATA_ASKED_BLOCK, /* "Global", "2 6 238", "Foreign HOST ..." and whatever else */
    PERFDATA_ASKED_NAMES, /* "Counter 009", "Counter", "Counters" */
    PERFDATA_ASKED_HELP   /* "Help 009", "Help", Samba's "Explain 009" */
};

/*
 * Bytes: the name of a registry value has up to 16,383 characters. Kept whole, as two that differ at their end ask for
 * different objects; what shows it cuts it.
 */
#define PERFDATA_VALUE_NAME_MAX (3u * 16383u)

#define PERFDATA_LANGUAGE_ENGLISH 0x009u
#define PERFDATA_LANGUAGE_UI      0xFFFFu /* the server's own: HKEY_PERFORMANCE_NLSTEXT */

/* Reads a value name, which is compared without case. *language (unless NULL) is set where the name carries one. */
enum perfdata_asked perfdata_asked(const char *value_name, unsigned *language);
/* Whether a value name alone tells performance data, as "Counter 009" does and "Counter" does not. */
bool perfdata_asked_is_unmistakable(const char *value_name);
/* "Foreign HOST 2 4": data the server passes on from another computer, whose indexes are not its own. */
bool perfdata_asked_is_foreign(const char *value_name);

/* A word of a value name: a title index ("238"), or another word ("Global"). */
struct perfdata_word {
    const char *text; /* in scope */
    bool is_index;
    uint32_t index;
};
/*
 * The word at *at, which *at then stands behind; false where no other follows. Blanks part words, how many does not
 * matter.
 */
bool perfdata_asked_next(const char **at, struct perfdata_word *word, wmem_allocator_t *scope);
/* The value name as a key: the same for all names that ask for the same. In scope. */
const char *perfdata_asked_key(const char *value_name, wmem_allocator_t *scope);

/*
 * Whether a path below HKEY_LOCAL_MACHINE is that of a key which holds the lists of one language as plain values
 * "Counter" and "Help": SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009, or ...\CurrentLanguage, the server's
 * own. *language: which.
 */
bool perfdata_names_key(const char *path, unsigned *language);

/* One entry of a list. */
struct perfdata_name {
    unsigned offset; /* of the index's digits */
    unsigned text_offset;
    unsigned text_size; /* without terminator */
    unsigned end;       /* behind the text's terminator */
    uint32_t index;
};

/* The list that is all of tvb. */
struct perfdata_names_list perfdata_names_open(tvbuff_t *tvb);
/*
 * The entry at *offset, which *offset then leaves behind. False at the end, and where what stands there is no entry:
 * *wrong then says what, else it is NULL.
 */
bool perfdata_names_next(const struct perfdata_names_list *list, unsigned *offset, struct perfdata_name *name,
    const char **wrong);
/* The text of an entry, in scope. */
const char *perfdata_names_text(const struct perfdata_names_list *list, const struct perfdata_name *name,
    wmem_allocator_t *scope);

/*
 * All entries of an answer's list, in a language, names or help texts, taught to learn (NULL: nothing is taught).
 * Returns their number. First pass only.
 */
unsigned perfdata_names_read(tvbuff_t *tvb, struct server *learn, unsigned language, enum perfdata_asked asked,
    const packet_info *pinfo);
/* The name of a title index in a frame, else the built-in name, with frame 0. server may be NULL. */
struct catalog_text perfdata_names_title(const struct server *server, uint32_t index, uint32_t frame);
/*
 * What a value name asks for, with names for the title indexes that have one: "Processor, 5000", "Global". As in a
 * line, in scope.
 */
const char *perfdata_names_describe(const struct server *server, const char *value_name, uint32_t frame,
    wmem_allocator_t *scope);

#endif /* PERFLIB_PERFDATA_NAMES_H */
