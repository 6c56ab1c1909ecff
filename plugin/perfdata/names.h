/* names.h
 * Names of title indexes, from answers to "Counter 009" and "Help 009"
 *
 * An index below the system's limit has the same meaning on every Windows, any other only on the server that sent it.
 * Names learned from one server are therefore never used for another. The few built-in names apply everywhere.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_NAMES_H
#define PERFLIB_PERFDATA_NAMES_H

#include "counters/catalog.h"

/* A list in an answer: a MULTI_SZ of alternating index and text */
struct perfdata_names_list {
    const uint8_t *bytes;
    unsigned size; /* number of captured bytes */
    bool is_cut;   /* cut by the snap length */
    bool big_endian;
};

/* Kinds of value names */
enum perfdata_asked {
    PERFDATA_ASKED_BLOCK, /* "Global", "2 6 238", "Foreign HOST ..." and any other text */
    PERFDATA_ASKED_NAMES, /* "Counter 009", "Counter", "Counters" */
    PERFDATA_ASKED_HELP   /* "Help 009", "Help", Samba's "Explain 009" */
};

/*
 * Maximum size in bytes: the name of a registry value has up to 16,383 characters. Names are kept whole, since names
 * that differ only at the end request different objects. They are cut only when shown.
 */
#define PERFDATA_VALUE_NAME_MAX (3u * 16383u)

#define PERFDATA_LANGUAGE_ENGLISH 0x009u
#define PERFDATA_LANGUAGE_UI      0xFFFFu /* the server's own language: HKEY_PERFORMANCE_NLSTEXT */

/*
 * Returns the kind of a value name, regardless of case. *language (unless language is NULL) is set if the name contains
 * one.
 */
enum perfdata_asked perfdata_asked(const char *value_name, unsigned *language);
/* Returns whether the value name alone proves performance data, as "Counter 009" does and "Counter" does not. */
bool perfdata_asked_is_unmistakable(const char *value_name);
/*
 * Returns whether the name is like "Foreign HOST 2 4": data that the server passes on from another computer, with that
 * computer's indexes.
 */
bool perfdata_asked_is_foreign(const char *value_name);

/* A word of a value name: a title index ("238") or another word ("Global") */
struct perfdata_word {
    const char *text; /* allocated in scope */
    bool is_index;
    uint32_t index;
};
/* Reads the word at *at and advances *at. Returns false at the end. Words are separated by any number of blanks. */
bool perfdata_asked_next(const char **at, struct perfdata_word *word, wmem_allocator_t *scope);
/* Returns a key that is equal for all value names with the same meaning. In scope. */
const char *perfdata_asked_key(const char *value_name, wmem_allocator_t *scope);

/*
 * Returns whether a path below HKEY_LOCAL_MACHINE contains the lists of one language as plain values "Counter" and
 * "Help": SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\009, or ...\CurrentLanguage for the server's own.
 * *language receives the language.
 */
bool perfdata_names_key(const char *path, unsigned *language);

/* An entry of a list */
struct perfdata_name {
    unsigned offset; /* offset of the index's digits */
    unsigned text_offset;
    unsigned text_size; /* size in bytes without terminator */
    unsigned end;       /* end of the text's terminator */
    uint32_t index;
};

/* Returns the list in a tvb. */
struct perfdata_names_list perfdata_names_open(tvbuff_t *tvb);
/*
 * Reads the entry at *offset and advances *offset. Returns false at the end or at an invalid entry; *wrong is then an
 * error text, else NULL.
 */
bool perfdata_names_next(const struct perfdata_names_list *list, unsigned *offset, struct perfdata_name *name,
    const char **wrong);
/* Returns the text of an entry, in scope. */
const char *perfdata_names_text(const struct perfdata_names_list *list, const struct perfdata_name *name,
    wmem_allocator_t *scope);

/*
 * Reads all entries of a list (names or help texts) in a language. learn: server that learns them; NULL: none. Returns
 * their number. *is_damaged: whether the list breaks off, though it was captured whole. First pass only.
 */
unsigned perfdata_names_read(tvbuff_t *tvb, struct server *learn, unsigned language, enum perfdata_asked asked,
    const packet_info *pinfo, bool *is_damaged);
/* Returns a title index's name as known in a frame or, if none is, the built-in name (frame 0). server may be NULL. */
struct catalog_text perfdata_names_title(const struct server *server, uint32_t index, uint32_t frame);
/* Returns a value name with names for its title indexes: "Processor, 5000", "Global". Printable, in scope. */
const char *perfdata_names_describe(const struct server *server, const char *value_name, uint32_t frame,
    wmem_allocator_t *scope);

#endif /* PERFLIB_PERFDATA_NAMES_H */
