/* ties.c
 * A qsort that leaves equals the other way round, as C allows: loaded with LD_PRELOAD, it shows what relies on more
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>
#include <string.h>

/* Merges the sorted halves; of equals that of the right half comes first. */
static void
sort(const char **items, const char **room, size_t count, int (*compare)(const void *, const void *))
{
    const size_t half = count / 2;
    size_t left = 0, right = half;

    if (count < 2) {
        return;
    }
    sort(items, room, half, compare);
    sort(items + half, room, count - half, compare);
    for (size_t i = 0; i < count; i++) {
        const int from_right = left == half || (right < count && compare(items[right], items[left]) <= 0);

        room[i] = items[from_right ? right++ : left++];
    }
    memcpy(items, room, count * sizeof *items);
}

void
qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *copy = malloc(count * size + 1);
    const char **items = malloc((2 * count + 1) * sizeof *items);

    if (copy == NULL || items == NULL) {
        abort();
    }
    memcpy(copy, base, count * size);
    for (size_t i = 0; i < count; i++) {
        items[i] = copy + i * size;
    }
    sort(items, items + count, count, compare);
    for (size_t i = 0; i < count; i++) {
        memcpy((char *)base + i * size, items[i], size);
    }
    free(items);
    free(copy);
}
