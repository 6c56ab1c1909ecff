/* fake-expert.h
 * In place of Wireshark's, whose type differs by version: what an item is said to be wrong with
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_EXPERT_H
#define PERFLIB_TESTS_UNIT_FAKE_EXPERT_H

#include <stdarg.h>

#include "compat.h"

#include <epan/expert.h>

/* Of the test. */
static void take_expert(const char *format, va_list arguments);

#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
proto_item *
#else
void
#endif
expert_add_info_format(packet_info *pinfo _U_, proto_item *item _U_, expert_field *ei _U_, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    take_expert(format, arguments);
    va_end(arguments);
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    return item;
#endif
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_EXPERT_H */
