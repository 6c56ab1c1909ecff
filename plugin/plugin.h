/* plugin.h
 * What each protocol of the plugin registers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLUGIN_H
#define PERFLIB_PLUGIN_H

/*
 * Of each, register is called once by Wireshark at start, before any capture is read, and handoff once after every
 * protocol's registration.
 */

/* ---- perflibv2/packet-perflibv2.c ---- */

void proto_register_perflibv2(void);
void proto_reg_handoff_perflibv2(void);

/* ---- pla/packet-pla.c ---- */

void proto_register_pla(void);
void proto_reg_handoff_pla(void);

/* ---- perfdata/packet-perfdata.c ---- */

void proto_register_perfdata(void);
void proto_reg_handoff_perfdata(void);

/* ---- session/packet-session.c ---- */

void proto_register_session(void);
void proto_reg_handoff_session(void);

/* ---- stats/tables.c ---- */

void register_perflib_tables(void);
void handoff_perflib_tables(void);

#endif /* PERFLIB_PLUGIN_H */
