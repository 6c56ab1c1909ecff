/* file-scope.h
 * In place of Wireshark's file scope, which wants a capture to be open: one that lasts as long as the test
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FILE_SCOPE_H
#define PERFLIB_TESTS_UNIT_FILE_SCOPE_H

#include <epan/wmem_scopes.h>

wmem_allocator_t *
wmem_file_scope(void)
{
    return wmem_epan_scope();
}

#endif /* PERFLIB_TESTS_UNIT_FILE_SCOPE_H */
