/* plugin.h
 * What each protocol of the plugin registers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLUGIN_H
#define PERFLIB_PLUGIN_H

/* Called once by Wireshark at start, before any capture is read. */
void proto_register_perflibv2(void);
void proto_register_pla(void);
void proto_register_perfdata(void);
void proto_register_session(void);
void register_perflib_tables(void);
/* Called once after every protocol's registration. */
void proto_reg_handoff_perflibv2(void);
void proto_reg_handoff_pla(void);
void proto_reg_handoff_perfdata(void);
void proto_reg_handoff_session(void);
void handoff_perflib_tables(void);

#endif /* PERFLIB_PLUGIN_H */
