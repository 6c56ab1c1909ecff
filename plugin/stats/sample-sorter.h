/* sample-sorter.h
 * Puts the values of a capture, which come by time, in order of their series, in bounded memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_STATS_SAMPLE_SORTER_H
#define PERFLIB_STATS_SAMPLE_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of a series at a time; series belong to families. The order is that of the members. */
struct sorted_sample {
    uint32_t family;
    uint32_t series;
    int64_t time; /* 100 ns */
    union {
        double real;
        uint64_t whole;
    } value;
    bool is_whole;
};

struct sample_sorter;

/*
 * run: how many are kept in memory, at least 1; the others lie in a temporary file. It takes 40 bytes for each
 * of them, and some KB more for each run of the file while they are read.
 */
struct sample_sorter *sample_sorter_new(size_t run);
void sample_sorter_free(struct sample_sorter *sorter);
/* Forgets all. */
void sample_sorter_clear(struct sample_sorter *sorter);

/* false: the temporary file could not be written; the user was told. */
bool sample_sorter_add(struct sample_sorter *sorter, const struct sorted_sample *sample);
/*
 * Visits all in order, those of one family, series and time in the order in which they came. More may be added, and
 * visited, later. false: the temporary file could not be read; the user was told.
 */
bool sample_sorter_visit(struct sample_sorter *sorter, void (*visit)(const struct sorted_sample *sample, void *data),
    void *data);

#endif /* PERFLIB_STATS_SAMPLE_SORTER_H */
