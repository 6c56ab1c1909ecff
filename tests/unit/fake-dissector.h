/* fake-dissector.h
 * In place of what a dissector registers itself with, and of what its packets are told to: one of Wireshark's protocols
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_DISSECTOR_H
#define PERFLIB_TESTS_UNIT_FAKE_DISSECTOR_H

#include <epan/conversation_filter.h>
#include <epan/dissectors/packet-dcerpc.h>
#include <epan/proto_data.h>

#include "base/menus.h"
#include "base/rpc-call.h"
#include "base/stub-check.h"
#include "counters/catalog.h"
#include "counters/poll.h"
#include "fake-address.h"
#include "fake-taps.h"
#include "fake-tree.h"
#include "file-scope.h"

/* Of the test: the protocol's filter name, its short one, and the interface it has. */
static const char *const fake_protocol, *const fake_short_name;
static const e_guid_t *const fake_interface;

static frame_data frame; /* .visited: in a later pass */
static dcerpc_info di;
static uint8_t drep[4] = { 0x10 };

int
proto_register_protocol(const char *name, const char *short_name, const char *filter_name)
{
    CHECK(strcmp(filter_name, fake_protocol) == 0 && strcmp(short_name, fake_short_name) == 0, "%s", name);
    return 1;
}

const char *
proto_get_protocol_filter_name(const int number)
{
    return number == 1 ? fake_protocol : "?";
}

static unsigned *max_items;

void
prefs_register_uint_preference(module_t *module, const char *name, const char *title, const char *description,
    unsigned base, unsigned *variable)
{
    (void)module;
    (void)title;
    (void)description;
    CHECK(base == 16 || (base == 10 && *variable > 0 && strcmp(name, "max_items") == 0), "%s", name);
    if (base == 10) {
        max_items = variable;
    }
}

void
register_conversation_filter(const char *name, const char *title, is_filter_valid_func is_valid,
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    build_filter_string_func build, void *data)
{
    (void)data;
#else
    build_filter_string_func build)
{
#endif
    (void)title;
    CHECK(strcmp(name, fake_protocol) == 0 && is_valid != NULL && build != NULL, "%s", name);
}

bool
perflib_tree_is_seen(const proto_tree *tree)
{
    return tree != NULL && fake_asked == NULL;
}

bool
perflib_field_is_asked(int hf)
{
    return fake_asked != NULL && fake_field(fake_asked) == hf;
}

/* A file is opened at once, and never closed. */
void
register_init_routine(void (*routine)(void))
{
    routine();
}

void
register_cleanup_routine(void (*routine)(void))
{
    (void)routine;
}

/* In place of base/, and of the watch list and tables of counters. */
static const struct rpc_listener *listener;
static stub_recogniser recognise;

void
stub_check_register(const e_guid_t *uuid, stub_check check, const struct rpc_listener *told_listener,
    const char *protocol)
{
    CHECK(guid_cmp(uuid, fake_interface) == 0 && check != NULL && protocol != NULL, "%s", protocol);
    listener = told_listener;
}

void
stub_recogniser_register(stub_recogniser told_recogniser)
{
    recognise = told_recogniser;
}

static const char *filtered; /* what the conversation's filter names; NULL: nothing */

void
query_filter_add(packet_info *info, int proto, const char *value)
{
    (void)info;
    CHECK(proto == 1, "%d", proto);
    filtered = value;
}

bool
query_filter_is_valid(packet_info *info, int proto)
{
    (void)info;
    return proto == 1;
}

char *
query_filter_of_texts_and_peers(packet_info *info, int proto, const char *field)
{
    (void)info;
    (void)proto;
    return g_strdup(field);
}

static const char *exported; /* name and extension */

int
export_object_register(int proto)
{
    return proto;
}

void
export_object_add(int number, packet_info *info, tvbuff_t *data, const char *host, const char *what, const char *name,
    const char *extension)
{
    (void)info;
    (void)host;
    CHECK(number == 1 && data != NULL && strcmp(what, name) == 0, "%s", what);
    exported = wmem_strdup_printf(pinfo.pool, "%s%s", name, extension);
}

void
fragment_text_drop(tvbuff_t *stub, packet_info *info, const dcerpc_info *to, const char *protocol)
{
    (void)stub;
    (void)info;
    CHECK(to == &di && strcmp(protocol, fake_short_name) == 0, "%s", protocol);
}

proto_item *
item_label_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value,
    const char *text)
{
    (void)tvb;
    (void)value;
    return fake_add_text(tree, hf, offset, length, "%s", text);
}

proto_item *
item_label_add_string_value(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, const char *value,
    const char *text)
{
    return item_label_add_string(tree, hf, tvb, offset, length, value, text);
}

proto_item *
item_label_add_double_value(proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length, double value,
    const char *text)
{
    (void)tvb;
    (void)value;
    return fake_add_text(tree, hf, offset, length, "%s", text);
}

/* The watch list holds what ends in time. */
static const char *watched;

bool
watch_begin(proto_tree *tree)
{
    return tree != NULL;
}

unsigned
watch_version(void)
{
    return 1;
}

bool
watch_matches(const char *folded)
{
    return g_str_has_suffix(folded, "time");
}

void
watch_add(packet_info *info, proto_tree *tree, tvbuff_t *tvb, int offset, int length, const char *path,
    const struct cook_result *cooked)
{
    (void)info;
    (void)tree;
    (void)tvb;
    watched = wmem_strdup_printf(pinfo.pool, "%s%s = %g %d+%d\n", watched, path, cooked->value, offset, length);
}

void
catalog_table_write_record(FILE *file, const e_guid_t *guid, const char *set_name, uint32_t id,
    const struct catalog_counter *counter)
{
    (void)file;
    (void)guid;
    (void)set_name;
    (void)id;
    (void)counter;
}

const char *
catalog_table_counterset_name(const e_guid_t *guid)
{
    (void)guid;
    return NULL;
}

bool
catalog_table_counter(const e_guid_t *guid, uint32_t id, unsigned twin, struct catalog_counter *to)
{
    (void)guid;
    (void)id;
    (void)twin;
    (void)to;
    return false;
}

unsigned
catalog_table_twins(const e_guid_t *guid, uint32_t id)
{
    (void)guid;
    (void)id;
    return 0;
}

unsigned
catalog_table_version(void)
{
    return 0;
}

/* A stub in NDR, in the byte order that drep says; each number stands at a multiple of its width. */
static struct {
    uint8_t bytes[20000];
    unsigned size;
} stub;

static inline void
begin_stub(void)
{
    stub.size = 0;
}

static inline void
put_number(uint64_t value, unsigned width)
{
    while (stub.size % width != 0) {
        stub.bytes[stub.size++] = 0;
    }
    for (unsigned i = 0; i < width; i++) {
        stub.bytes[stub.size++] = (uint8_t)(value >> 8 * (drep[0] != 0 ? i : width - 1 - i));
    }
}

static inline void
put_numbers(const uint32_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put_number(values[i], 4);
    }
}
#define PUT(...) put_numbers((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static unsigned snapped; /* so many bytes at the end are not captured */

static uint8_t fake_server = 9; /* its address's last byte */

static unsigned items_taken; /* so many items of the next packets are others' */

/* The next frame, a second later: a PDU of a call between 192.0.2.1 and that server. An answer takes half a second. */
static inline void
fake_packet_begin(dcerpc_call_value *call, bool response)
{
    static const uint8_t client[] = { 192, 0, 2, 1 };
    static uint8_t server[] = { 192, 0, 2, 0 };

    server[3] = fake_server;
    pinfo.fd = &frame;
    pinfo.num++;
    pinfo.abs_ts.secs++;
    pinfo.pool = wmem_epan_scope();
    pinfo.proto_data = NULL;
    pinfo.srcport = response ? 445 : 50000;
    pinfo.destport = response ? 50000 : 445;
    set_address(&pinfo.src, AT_IPv4, 4, response ? server : client);
    set_address(&pinfo.dst, AT_IPv4, 4, response ? client : server);
    di.call_data = call;
    di.ptype = response ? PDU_RESP : PDU_REQ;
    if (response) {
        call->req_time = (nstime_t){ pinfo.abs_ts.secs - 1, 500000000 };
        call->req_frame = pinfo.num - 1;
    }
    if (items_taken != 0) {
        guint *taken = wmem_new(pinfo.pool, guint);

        *taken = items_taken;
        p_add_proto_data(pinfo.pool, &pinfo, 1, 0, taken);
    }
    forget_told();
    filtered = NULL;
    exported = NULL;
    watched = "";
    rpc_notes_begin();
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_DISSECTOR_H */
