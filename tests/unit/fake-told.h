/* fake-told.h
 * In place of Wireshark's, which shows it: what the user was told last, and how often
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_TOLD_H
#define PERFLIB_TESTS_UNIT_FAKE_TOLD_H

#include <stdarg.h>
#include <stdio.h>

#include <glib.h>
#include <wsutil/report_message.h>

static char told[1000];
static unsigned times_told;

static inline void
take_told(const char *format, va_list arguments)
{
    vsnprintf(told, sizeof told, format, arguments);
    times_told++;
}

void
report_warning(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    take_told(format, arguments);
    va_end(arguments);
}

void
report_failure(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    take_told(format, arguments);
    va_end(arguments);
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_TOLD_H */
