/* item-label.c
 * Labels of items that end in names from the wire
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/item-label.h"

#include <string.h>

#include "base/text.h"

/* Room in a label for what most labels begin with, before names: Wireshark makes it when the item is shown. */
#define LABEL_HEAD_MAX 40

void
item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text)
{
    const field_info *fi = item == NULL ? NULL : PITEM_FINFO(item);
    const size_t used = fi != NULL && fi->rep != NULL ? strlen(fi->rep->representation) : LABEL_HEAD_MAX;

    if (used + 4 < ITEM_LABEL_LENGTH) {
        proto_item_append_text(item, "%s", line_text_max(scope, text, ITEM_LABEL_LENGTH - 1 - used));
    }
}
