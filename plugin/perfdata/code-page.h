/* code-page.h
 * Text in a Windows code page: instance names of objects that have one, and ASCII texts
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_CODE_PAGE_H
#define PERFLIB_PERFDATA_CODE_PAGE_H

#include "compat.h"

/*
 * size bytes at offset as UTF-8, in scope. What a code page has no character for becomes U+FFFD, as does every byte
 * beyond ASCII of a code page that is not known.
 */
const char *code_page_text(wmem_allocator_t *scope, tvbuff_t *tvb, unsigned offset, unsigned size, uint32_t code_page);

#endif /* PERFLIB_PERFDATA_CODE_PAGE_H */
