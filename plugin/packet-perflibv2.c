/* packet-perflibv2.c
 * PerflibV2, the Performance Counter Query Protocol [MS-PCQ]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"
#include "ndr.h"
#include "plugin.h"
#include "win32-names.h"

static int proto_perflibv2 = -1;

void
proto_register_perflibv2(void)
{
    win32_names_init();
    proto_perflibv2 = proto_register_protocol("Performance Counter Query Protocol", "PerflibV2", "perflibv2");
}

void
proto_reg_handoff_perflibv2(void)
{
    ndr_init();
}
