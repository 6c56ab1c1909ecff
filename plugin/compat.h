/* compat.h
 * Differences between Wireshark 4.0, 4.4 and 4.6, and what no API of theirs promises, in one place
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

/* Numbers of a tvb in the byte order of an encoding: the functions were renamed. */
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

/* DCERPC's operation tables became const. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define PERFLIB_DCERPC_CONST const
#else
#define PERFLIB_DCERPC_CONST
#endif

/*
 * The start of a "-z" statistic tells from 4.6 on whether it could start. PERFLIB_STAT_INIT_CB(NAME, START)
 * defines a stat_tap_init_cb NAME out of bool START(const char *argument, void *data).
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
 * Conversation filters: callbacks got data of their own in 4.4. PERFLIB_CONVERSATION_FILTER(NAME, PROTO, FIELD, TEXT)
 * defines them (base/menus.h; TEXT: query_filter_text), and the second macro makes them known.
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

/* Wireshark's names for what takes the names of files; before 4.6 their header is not installed. */
#if __has_include(<wsutil/file_util.h>)
#ifndef _WIN32
#include <unistd.h>
#endif
#include <wsutil/file_util.h>
#elif defined(_WIN32)
/* Wireshark's libraries have them all the same; GLib's own know another structure than this compiler may. */
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

/* What preferences are kept in and callbacks return: 4.4 changed it from glib's boolean to C's. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
typedef bool perflib_bool;
#else
typedef gboolean perflib_bool;
#endif

/*
 * What other files would have to look into structures of Wireshark's for (tests/checks holds them to these): the next
 * Wireshark that changes one breaks compat.c alone.
 */

/* The label that an item was given; NULL: none yet, as Wireshark makes most when they are shown. */
const char *perflib_item_label(const proto_item *item);
/*
 * Gives an item of a tree that is seen its first label, which has to live as long as the tree; of it name_length bytes
 * are the field's name, 0: it has none. proto_item_set_text() would free it, and so must not be called for the item.
 */
void perflib_item_set_label(proto_item *item, item_label_t *label, size_t name_length);
/* What lives as long as a tree. */
wmem_allocator_t *perflib_tree_pool(const proto_tree *tree);
/* Whether somebody looks at the items of a tree, which may be NULL, and not only filters. */
bool perflib_tree_is_seen(const proto_tree *tree);
/*
 * Whether a filter or a column asks for the field: proto_field_is_referenced() is true of all that is seen. Of -T
 * fields Wireshark does not tell.
 */
bool perflib_field_is_asked(int hf);
/* The field of the same name that was registered before this one; NULL: none. Names find the latest. */
const header_field_info *perflib_field_before(const header_field_info *field);
/* Items of a field's name in the packet's tree by now: several fields may be registered under one name. */
unsigned perflib_count_items(const proto_tree *tree, int hf);
/* How many data sources the packet has: the frame, what was put together, what was decrypted. */
unsigned perflib_num_sources(const packet_info *pinfo);
/*
 * Calls a dissector so that nobody sees: without a tree, with no layer or data source left behind, and as what an error
 * message quotes, of which taps tell nobody. shown: the data of the last data source it added, size bytes at most, or
 * nothing. Copies *pinfo and puts it back, also where an exception passes. Read in the sources of 4.0.17, 4.4.18 and
 * 4.6.9: a Wireshark that kept a pointer into what is copied, or wrote what outlives the call there, would break it.
 */
void perflib_call_unseen(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, void *data, uint8_t *shown,
    unsigned size);

#endif /* PERFLIB_COMPAT_H */
