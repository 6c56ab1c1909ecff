/* test_sample_sorter.c
 * Many runs in the file are one order
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/sample-sorter.h"

#include <stdlib.h>

#include "check.h"

#define NUM_SAMPLES 5000u

static struct sorted_sample samples[NUM_SAMPLES]; /* in order of arrival, which value.whole holds */
static struct sorted_sample visited[NUM_SAMPLES];
static unsigned num_visited;

static void
visit(const struct sorted_sample *sample, void *data)
{
    CHECK(data == visited, "of another visit");
    CHECK(num_visited < NUM_SAMPLES, "too many");
    if (num_visited < NUM_SAMPLES) {
        visited[num_visited++] = *sample;
    }
}

/* Whether one has to be visited before the other. */
static bool
is_before(const struct sorted_sample *one, const struct sorted_sample *other)
{
    if (one->family != other->family) {
        return one->family < other->family;
    }
    if (one->series != other->series) {
        return one->series < other->series;
    }
    if (one->time != other->time) {
        return one->time < other->time;
    }
    return one->value.whole < other->value.whole;
}

/* Adds samples [from, to) and visits all so far. */
static void
add_and_visit(struct sample_sorter *sorter, unsigned from, unsigned to)
{
    static bool seen[NUM_SAMPLES];

    for (unsigned i = from; i < to; i++) {
        CHECK(sample_sorter_add(sorter, &samples[i]), "%u", i);
    }
    num_visited = 0;
    CHECK(sample_sorter_visit(sorter, visit, visited), "%u", to);
    CHECK(num_visited == to, "%u of %u", num_visited, to);
    for (unsigned i = 0; i < to; i++) {
        seen[i] = false;
    }
    for (unsigned i = 0; i < num_visited; i++) {
        const uint64_t number = visited[i].value.whole;

        CHECK(i == 0 || is_before(&visited[i - 1], &visited[i]), "%u", i);
        CHECK(number < to && !seen[number], "%u", i);
        CHECK(visited[i].time == samples[number].time && visited[i].is_whole == samples[number].is_whole, "%u", i);
        seen[number] = true;
    }
}

int
main(void)
{
    static const size_t runs[] = { 1, 2, 7, 256, 300, 1024, NUM_SAMPLES, 2 * NUM_SAMPLES };

    srand(1);
    for (unsigned i = 0; i < NUM_SAMPLES; i++) {
        samples[i] = (struct sorted_sample){ .family = (uint32_t)(rand() % 5),
            .series = (uint32_t)(rand() % 9),
            .time = rand() % 20 - 10,
            .value.whole = i,
            .is_whole = rand() % 2 == 0 };
    }
    for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct sample_sorter *sorter = sample_sorter_new(runs[i]);

        add_and_visit(sorter, 0, 0);
        add_and_visit(sorter, 0, NUM_SAMPLES / 3);
        /* Visiting changes nothing for what comes later. */
        add_and_visit(sorter, NUM_SAMPLES / 3, NUM_SAMPLES);
        sample_sorter_clear(sorter);
        add_and_visit(sorter, 0, 100);
        sample_sorter_free(sorter);
    }
    return check_result();
}
