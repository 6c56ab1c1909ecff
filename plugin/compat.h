/* compat.h
 * The only place for differences between Wireshark 4.0, 4.4 and 4.6, and for uses of Wireshark's internals
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COMPAT_H
#define PERFLIB_COMPAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <ws_version.h>
#include <epan/packet.h>
#include <epan/wmem_scopes.h>
#include <wsutil/wmem/wmem.h>

#if defined(__MINGW32__) && !defined(_UCRT)
#error \
    "Wireshark for Windows uses the universal C runtime: build with MinGW's UCRT flavour (x86_64-w64-mingw32ucrt-gcc)"
#endif

#if __has_include(<wsutil/plugins.h>)
#include <wsutil/plugins.h>
#endif
#ifndef WS_PLUGIN_DESC_DISSECTOR
#define WS_PLUGIN_DESC_DISSECTOR (UINT32_C(1) << 0)
#endif
#ifndef WS_PLUGIN_DESC_TAP_LISTENER
#define WS_PLUGIN_DESC_TAP_LISTENER (UINT32_C(1) << 2)
#endif

#define PERFLIB_WIRESHARK_AT_LEAST(major, minor) \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* Read a number of a tvb in the byte order of an encoding. Wireshark 4.4 renamed these functions. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define perflib_tvb_get_uint8  tvb_get_uint8
#define perflib_tvb_get_uint16 tvb_get_uint16
#define perflib_tvb_get_uint32 tvb_get_uint32
#define perflib_tvb_get_uint64 tvb_get_uint64
#else
#define perflib_tvb_get_uint8  tvb_get_guint8
#define perflib_tvb_get_uint16 tvb_get_guint16
#define perflib_tvb_get_uint32 tvb_get_guint32
#define perflib_tvb_get_uint64 tvb_get_guint64
#endif

/* Wireshark 4.4 made packet-dcerpc's operation tables const. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define PERFLIB_DCERPC_CONST const
#else
#define PERFLIB_DCERPC_CONST
#endif

/*
 * Since 4.6 the start function of a "-z" statistic returns whether it succeeded. PERFLIB_STAT_INIT_CB(NAME, START)
 * defines a stat_tap_init_cb NAME from bool START(const char *argument, void *data).
 */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
#define PERFLIB_STAT_INIT_CB(name, start) \
    static bool name(const char *argument, void *data) \
    { \
        return start(argument, data); \
    }
#else
#define PERFLIB_STAT_INIT_CB(name, start) \
    static void name(const char *argument, void *data) \
    { \
        start(argument, data); \
    }
#endif

/*
 * Conversation filters: callbacks got a data argument in 4.4. PERFLIB_CONVERSATION_FILTER(NAME, PROTO, FIELD, TEXT)
 * defines the callbacks NAME_is_valid() and NAME_build(); TEXT: query_filter_of_numbers() or another function of
 * base/menus.h that returns the filter. PERFLIB_REGISTER_CONVERSATION_FILTER() registers the callbacks.
 */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define PERFLIB_FILTER_BOOL           bool
#define PERFLIB_FILTER_PARAMETERS     packet_info *pinfo, void *data _U_
#define PERFLIB_FILTER_ARGUMENTS(...) __VA_ARGS__, NULL
#else
#define PERFLIB_FILTER_BOOL           gboolean
#define PERFLIB_FILTER_PARAMETERS     packet_info *pinfo
#define PERFLIB_FILTER_ARGUMENTS(...) __VA_ARGS__
#endif
#define PERFLIB_CONVERSATION_FILTER(name, proto, field, text) \
    static PERFLIB_FILTER_BOOL name##_is_valid(PERFLIB_FILTER_PARAMETERS) \
    { \
        return query_filter_is_valid(pinfo, proto); \
    } \
    static char *name##_build(PERFLIB_FILTER_PARAMETERS) \
    { \
        return text(pinfo, proto, field); \
    }
#define PERFLIB_REGISTER_CONVERSATION_FILTER(protocol, title, name) \
    register_conversation_filter(PERFLIB_FILTER_ARGUMENTS(protocol, title, name##_is_valid, name##_build))

/* Wireshark's file functions, which take UTF-8 names on Windows. Before 4.6 their header is not installed. */
#if __has_include(<wsutil/file_util.h>)
#ifndef _WIN32
#include <unistd.h>
#endif
#include <wsutil/file_util.h>
#elif defined(_WIN32)
/*
 * Wireshark's libraries export these functions. GLib's equivalents may use another stat structure than this compiler.
 */
#include <sys/stat.h>
WS_DLL_PUBLIC FILE *ws_stdio_fopen(const char *name, const char *mode);
WS_DLL_PUBLIC int ws_stdio_rename(const char *name, const char *to);
WS_DLL_PUBLIC int ws_stdio_stat64(const char *name, struct _stat64 *status);
WS_DLL_PUBLIC int ws_stdio_unlink(const char *name);
#define ws_fopen   ws_stdio_fopen
#define ws_rename  ws_stdio_rename
#define ws_stat64  ws_stdio_stat64
#define ws_unlink  ws_stdio_unlink
#define ws_statb64 struct _stat64
#else
#include <sys/stat.h>
#include <glib/gstdio.h>
#define ws_fopen   g_fopen
#define ws_rename  g_rename
#define ws_unlink  g_unlink
#define ws_stat64  g_stat
#define ws_fstat64 fstat
#define ws_statb64 GStatBuf
#endif

/* Type of boolean preferences and return type of callbacks: 4.4 changed gboolean to bool. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
typedef bool perflib_bool;
#else
typedef gboolean perflib_bool;
#endif

/*
 * Functions that read or write members of Wireshark's structures that no API promises (tests/checks allows that in
 * compat.c only).
 */

/* Returns an item's label, or NULL if none was set: Wireshark makes most labels when they are shown. */
const char *perflib_item_label(const proto_item *item);
/*
 * Sets the label of an item in a visible tree that has no label yet. The label must live as long as the tree;
 * proto_item_set_text() must not be called for the item, since it would free the label. name_length: offset of the
 * value in the label, after "NAME: "; 0: no name.
 * Why: proto_item_set_text() formats every label anew, which took most of the time for a large tree. What would break
 * this: another place of an item's label, or labels with more members. Tried: Wireshark 4.0.17, 4.4.19, 4.6.9.
 */
void perflib_item_set_label(proto_item *item, item_label_t *label, size_t name_length);
/* Returns the allocator for memory that lives as long as a tree. */
wmem_allocator_t *perflib_tree_pool(const proto_tree *tree);
/* Returns whether a tree is shown, not only built for a filter. tree may be NULL. */
bool perflib_tree_is_seen(const proto_tree *tree);
/*
 * Returns whether a filter or a column names the field; tshark's -e does not count. proto_field_is_referenced() cannot
 * replace this: it is true for all fields of a visible tree.
 */
bool perflib_field_is_asked(int hf);
/*
 * Returns the field of the same name that was registered before this one, or NULL. A look-up by name finds only the
 * latest.
 */
const header_field_info *perflib_field_before(const header_field_info *field);
/* Returns the number of items in the packet's tree whose field has the same name as hf. */
unsigned perflib_count_items(const proto_tree *tree, int hf);
/* Returns the number of data sources of the packet: the frame, reassembled and decrypted data. */
unsigned perflib_num_sources(const packet_info *pinfo);
/*
 * Calls a dissector invisibly: without tree and columns, with its layers and data sources removed afterwards, and
 * marked as inside an error packet, so that taps ignore it. shown: receives up to size bytes of the last data source
 * that the dissector added; unchanged if it added none.
 * Restores *pinfo, even after an exception. Breaks if Wireshark keeps a pointer to a removed data source or layer, or
 * if the dissector must leave something in *pinfo. Checked with the sources of 4.0.17, 4.4.18 and 4.6.9.
 */
void perflib_call_unseen(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, void *data, uint8_t *shown,
    unsigned size);

#endif /* PERFLIB_COMPAT_H */
