/* fake-file.h
 * In place of Wireshark's, which takes an open file: memory that lasts as long as one
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_FILE_H
#define PERFLIB_TESTS_UNIT_FAKE_FILE_H

#include <epan/wmem_scopes.h>

/* Of the test, which makes it first. */
static wmem_allocator_t *scope;

wmem_allocator_t *
wmem_file_scope(void)
{
    return scope;
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_FILE_H */
