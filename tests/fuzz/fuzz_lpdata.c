/* fuzz_lpdata.c
 * libFuzzer target: the walkers of lpData alone, thousands of times faster than whole sessions (fuzz_calls.c)
 *
 * An input is one byte that chooses the walker, one that says how much of the buffer a snap length left, and the buffer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdint.h>
#include <stdlib.h>

#include "walk.h"

#include <epan/tvbuff.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the tree, the rules and the history rely on. */
static void
check(const struct lpdata *lp, unsigned captured)
{
    const unsigned blocks = lpdata_count(lp->blocks);
    unsigned previous_end = 0;

    if (lp->parsed > tvb_reported_length(lp->tvb) || lp->num_values > lp->room_for_values) {
        abort();
    }
    for (unsigned i = 0; i < lp->num_values; i++) {
        const struct lp_value *value = &lp->values[i];

        if (value->offset < previous_end || value->offset + LP_COUNTER_DATA_SIZE + value->data_size > captured) {
            abort();
        }
        previous_end = value->offset + LP_COUNTER_DATA_SIZE;
    }
    for (unsigned b = 0; b < blocks; b++) {
        const struct lp_block *block = lpdata_block(lp, b);
        const unsigned rows = lpdata_type_has_instances(block->type) ? block->num_instances : 1;
        const unsigned columns = lpdata_type_has_ids(block->type) ? block->num_ids : 1;

        if (block->first_value + block->num_values > lp->num_values ||
            block->first_instance + block->num_instances > lp->num_instances ||
            (block->is_complete && block->num_values != (uint64_t)rows * columns)) {
            abort();
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static wmem_allocator_t *scope;
    struct lpdata lp;
    unsigned sent, captured;
    tvbuff_t *tvb;

    if (size < 2) {
        return 0;
    }
    if (scope == NULL) {
        wmem_init();
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    }
    sent = (unsigned)size - 2;
    captured = data[1] == 0 ? sent : sent * (data[1] - 1u) / 255;
    tvb = tvb_new_real_data(data + 2, captured, (int)sent);
    lpdata_init(&lp, tvb, scope, rules_report_new(scope, true, true));
    walk(&lp, data[0] % NUM_WALKS);
    check(&lp, captured);
    tvb_free(tvb);
    wmem_free_all(scope);
    return 0;
}
