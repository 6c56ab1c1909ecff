/* languages.h
 * Names of language identifiers, [MS-LCID] 2.2
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_LANGUAGES_H
#define PERFLIB_BASE_LANGUAGES_H

#include <epan/packet.h>

/* "German (Germany)" by LCID: those of Windows' own languages. For VALS_EXT_PTR(). */
extern value_string_ext language_vals_ext;

#endif /* PERFLIB_BASE_LANGUAGES_H */
