/* sample-sorter.c
 * Puts the values of a capture, which come by time, in order of their series, in bounded memory
 *
 * Values are sorted in runs as long as memory allows. Full runs go to a temporary file; to visit all, the runs are
 * merged.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/sample-sorter.h"

#include <errno.h>
#include <stdio.h>

#include <glib.h>

#include "stats/temporary-file.h"

#define BUFFER_SIZE 256u /* samples of a run that are read at a time */

/* A run in the file */
struct run {
    fpos_t start;
    size_t size;
};

struct sample_sorter {
    size_t max_run;
    GArray *recent; /* struct sorted_sample; the run in the making */
    GArray *runs;   /* struct run */
    struct temporary_file file;
};

/* A run while it is merged with the others. */
struct sorter_source {
    unsigned number;                        /* order of arrival */
    const struct sorted_sample *next, *end; /* in memory */
    /* Of runs in the file: */
    struct sorted_sample *buffer;
    fpos_t position; /* of what comes after the buffer */
    size_t left;     /* ... samples */
};

struct sample_sorter *
sample_sorter_new(size_t run)
{
    struct sample_sorter *sorter = g_new0(struct sample_sorter, 1);

    sorter->max_run = run;
    sorter->recent = g_array_new(FALSE, FALSE, sizeof(struct sorted_sample));
    sorter->runs = g_array_new(FALSE, FALSE, sizeof(struct run));
    return sorter;
}

void
sample_sorter_free(struct sample_sorter *sorter)
{
    temporary_file_close(&sorter->file);
    g_array_free(sorter->recent, TRUE);
    g_array_free(sorter->runs, TRUE);
    g_free(sorter);
}

void
sample_sorter_clear(struct sample_sorter *sorter)
{
    temporary_file_close(&sorter->file);
    g_array_set_size(sorter->recent, 0);
    g_array_set_size(sorter->runs, 0);
}

static int
compare_samples(const void *a, const void *b)
{
    const struct sorted_sample *one = (const struct sorted_sample *)a;
    const struct sorted_sample *other = (const struct sorted_sample *)b;
    int order = (one->family > other->family) - (one->family < other->family);

    if (order == 0) {
        order = (one->series > other->series) - (one->series < other->series);
    }
    return order != 0 ? order : (one->time > other->time) - (one->time < other->time);
}

/* Puts the run in the making behind those of the file. */
static bool
write_run(struct sample_sorter *sorter)
{
    struct run run = { .size = sorter->recent->len };

    if (sorter->file.stream == NULL && !temporary_file_open(&sorter->file)) {
        return false;
    }
    g_array_sort(sorter->recent, compare_samples); /* which leaves equals in their order */
    if (fseek(sorter->file.stream, 0, SEEK_END) != 0 || fgetpos(sorter->file.stream, &run.start) != 0 ||
        fwrite(sorter->recent->data, sizeof(struct sorted_sample), run.size, sorter->file.stream) != run.size) {
        temporary_file_complain(errno);
        return false;
    }
    g_array_append_val(sorter->runs, run);
    g_array_set_size(sorter->recent, 0);
    return true;
}

bool
sample_sorter_add(struct sample_sorter *sorter, const struct sorted_sample *sample)
{
    if (sorter->recent->len >= sorter->max_run && !write_run(sorter)) {
        return false;
    }
    g_array_append_vals(sorter->recent, sample, 1);
    return true;
}

/* Reads on where the buffer is used up. false: the file can't be read. */
static bool
sorter_fill(FILE *file, struct sorter_source *source)
{
    const size_t size = MIN(source->left, BUFFER_SIZE);

    if (source->next < source->end || size == 0) {
        return true;
    }
    if (fsetpos(file, &source->position) != 0 || fread(source->buffer, sizeof source->buffer[0], size, file) != size ||
        fgetpos(file, &source->position) != 0) {
        return false;
    }
    source->left -= size;
    source->next = source->buffer;
    source->end = source->buffer + size;
    return true;
}

static bool
comes_before(const struct sorter_source *one, const struct sorter_source *other)
{
    const int order = compare_samples(one->next, other->next);

    return order < 0 || (order == 0 && one->number < other->number);
}

/* Lets the source at a place of the heap, which may be too far up, sink to where it belongs. */
static void
sink(struct sorter_source **heap, unsigned size, unsigned place)
{
    while (2 * place + 1 < size) {
        unsigned child = 2 * place + 1;
        struct sorter_source *source = heap[place];

        if (child + 1 < size && comes_before(heap[child + 1], heap[child])) {
            child++;
        }
        if (!comes_before(heap[child], source)) {
            break;
        }
        heap[place] = heap[child];
        heap[child] = source;
        place = child;
    }
}

/* heap: size sources that have a next sample, in any order. */
static bool
sorter_merge(FILE *file, struct sorter_source **heap, unsigned size,
    void (*visit)(const struct sorted_sample *sample, void *data), void *data)
{
    for (unsigned place = size / 2; place-- > 0;) {
        sink(heap, size, place);
    }
    while (size > 0) {
        struct sorter_source *first = heap[0];

        visit(first->next++, data);
        if (!sorter_fill(file, first)) {
            return false;
        }
        if (first->next == first->end) {
            heap[0] = heap[--size];
        }
        sink(heap, size, 0);
    }
    return true;
}

bool
sample_sorter_visit(struct sample_sorter *sorter, void (*visit)(const struct sorted_sample *sample, void *data),
    void *data)
{
    FILE *file = sorter->file.stream;
    const unsigned num_runs = sorter->runs->len;
    struct sorter_source *sources = g_new0(struct sorter_source, num_runs + 1);
    struct sorter_source **heap = g_new(struct sorter_source *, num_runs + 1);
    unsigned size = 0;
    bool is_read = true;

    g_array_sort(sorter->recent, compare_samples);
    for (unsigned i = 0; i < num_runs && is_read; i++) {
        const struct run *run = &g_array_index(sorter->runs, struct run, i);

        sources[i] = (struct sorter_source){ .number = i,
            .position = run->start,
            .left = run->size,
            .buffer = g_new(struct sorted_sample, MIN(run->size, BUFFER_SIZE)) };
        is_read = sorter_fill(file, &sources[i]);
        heap[size++] = &sources[i];
    }
    if (sorter->recent->len > 0) {
        sources[num_runs] = (struct sorter_source){ .number = num_runs,
            .next = &g_array_index(sorter->recent, struct sorted_sample, 0) };
        sources[num_runs].end = sources[num_runs].next + sorter->recent->len;
        heap[size++] = &sources[num_runs];
    }
    is_read = is_read && sorter_merge(file, heap, size, visit, data);
    if (!is_read) {
        temporary_file_complain(errno);
    }
    for (unsigned i = 0; i < num_runs; i++) {
        g_free(sources[i].buffer);
    }
    g_free(sources);
    g_free(heap);
    return is_read;
}
