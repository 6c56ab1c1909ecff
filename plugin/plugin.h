/* plugin.h
 * Registration functions of the plugin's protocols
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PLUGIN_H
#define PERFLIB_PLUGIN_H

/*
 * Wireshark calls each register function once at start, and each handoff function once after all protocols are
 * registered.
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

/* ---- report/report.c ---- */

/* Registers "-z perflib,report,FILE.html", the report on all protocols, and its item in the Tools menu. */
void register_perflib_report(void);

#endif /* PERFLIB_PLUGIN_H */
