/* plugin.c
 * Entry points Wireshark looks for in a plugin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* Exports the plugin's entry points. Only in this file: it would declare Wireshark's data as exported, too. */
#define WS_BUILD_DLL

#include "compat.h"

#include <epan/proto.h>

#include "plugin.h"

/* A build inside Wireshark's source tree does not define these. It defines PLUGIN_VERSION. */
#ifndef PERFLIB_VERSION
#define PERFLIB_VERSION PLUGIN_VERSION
#endif
#ifndef PERFLIB_WANT_MAJOR
#define PERFLIB_WANT_MAJOR WIRESHARK_VERSION_MAJOR
#define PERFLIB_WANT_MINOR WIRESHARK_VERSION_MINOR
#endif

WS_DLL_PUBLIC_DEF const char plugin_version[] = PERFLIB_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = PERFLIB_WANT_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = PERFLIB_WANT_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
WS_DLL_PUBLIC uint32_t plugin_describe(void);

static const proto_plugin plugins[] = {
    { proto_register_perflibv2, proto_reg_handoff_perflibv2 },
    { proto_register_pla, proto_reg_handoff_pla },
    { proto_register_perfdata, proto_reg_handoff_perfdata },
    { proto_register_session, proto_reg_handoff_session },
    { register_perflib_report, NULL },
    { register_perflib_tables, handoff_perflib_tables },
    { NULL, NULL },
};

void
plugin_register(void)
{
    for (const proto_plugin *plugin = plugins; plugin->register_protoinfo != NULL; plugin++) {
        proto_register_plugin(plugin);
    }
}

/* Returns the kinds of plugin that "tshark -G plugins" and About Wireshark show. Wireshark 4.0 does not call it. */
uint32_t
plugin_describe(void)
{
    return WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER;
}
