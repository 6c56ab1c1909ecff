/* test_decode_as.c
 * Ports that the user decodes as DCERPC: which entries of Wireshark's table are replaced, and whom they call then
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include "check.h"

#define DCERPC 77

/* In place of Wireshark's. A handle is known by its address. */
static struct handle {
    int protocol;
} handles[4];
enum { OWN, INNER, INNER_TOO, OTHERS };
#define HANDLE(n) ((dissector_handle_t)&handles[n])

static struct entry {
    uint32_t port;
    dissector_handle_t handle;
} table[8];
static unsigned num_entries;

static int
own_dissector(tvbuff_t *tvb _U_, packet_info *pinfo _U_, proto_tree *tree _U_, void *data _U_)
{
    return 0;
}

dissector_handle_t
create_dissector_handle(dissector_t dissector, const int proto)
{
    CHECK(dissector == own_dissector, "another dissector");
    handles[OWN].protocol = proto;
    return HANDLE(OWN);
}

dissector_handle_t
dtbl_entry_get_handle(dtbl_entry_t *entry)
{
    return ((struct entry *)entry)->handle;
}

int
dissector_handle_get_protocol_index(const dissector_handle_t handle)
{
    CHECK(handle != NULL, "an entry without a dissector");
    return handle == NULL ? DCERPC : ((struct handle *)handle)->protocol;
}

void
dissector_table_foreach(const char *name, DATFunc take, void *data)
{
    CHECK_STRING(name, "tcp.port", "table");
    for (unsigned i = 0; i < num_entries; i++) {
        take(name, FT_UINT16, GUINT_TO_POINTER(table[i].port), &table[i], data);
    }
}

void
dissector_change_uint(const char *name, const uint32_t port, dissector_handle_t handle)
{
    unsigned changed = 0;

    CHECK_STRING(name, "tcp.port", "table");
    for (unsigned i = 0; i < num_entries; i++) {
        if (table[i].port == port) {
            table[i].handle = handle;
            changed++;
        }
    }
    CHECK(changed == 1, "port %u", port);
}

static struct {
    dissector_handle_t handle;
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    void *data;
} called;

int
call_dissector_only(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    called.handle = handle;
    called.tvb = tvb;
    called.pinfo = pinfo;
    called.tree = tree;
    called.data = data;
    return 42;
}

static void
test_ports_of_dcerpc_alone_are_taken(void)
{
    const struct entry before[] = {
        { 135, HANDLE(INNER) },
        { 80, HANDLE(OTHERS) },
        { 0, NULL },
        { 65535, HANDLE(INNER) },
        { 593, HANDLE(INNER) },
        { 49664, HANDLE(OWN) },
    };

    num_entries = array_length(before);
    memcpy(table, before, sizeof before);
    decode_as_take();
    for (unsigned i = 0; i < num_entries; i++) {
        const dissector_handle_t expected = before[i].handle == HANDLE(INNER) ? HANDLE(OWN) : before[i].handle;

        CHECK(table[i].port == before[i].port && table[i].handle == expected, "port %u", before[i].port);
    }
}

static void
test_replaced_dissector_is_called_within(void)
{
    int tvb, tree, data;
    packet_info pinfo = { .num = 1 };

    for (unsigned file = 0; file < 3; file++) {
        /* The second file has no new entry, the third one another. */
        if (file == 2) {
            table[0].handle = HANDLE(INNER_TOO);
        }
        decode_as_take();
        memset(&called, 0, sizeof called);
        CHECK_EQUAL(decode_as_call_inner((tvbuff_t *)&tvb, &pinfo, (proto_tree *)&tree, &data), 42, "file %u", file);
        CHECK(called.handle == HANDLE(file == 2 ? INNER_TOO : INNER), "file %u", file);
        CHECK(called.tvb == (tvbuff_t *)&tvb && called.pinfo == &pinfo && called.tree == (proto_tree *)&tree &&
                called.data == &data,
            "file %u", file);
        CHECK(table[0].handle == HANDLE(OWN), "file %u", file);
    }
}

int
main(void)
{
    wmem_init_scopes();
    handles[INNER].protocol = handles[INNER_TOO].protocol = DCERPC;
    handles[OTHERS].protocol = DCERPC + 1;
    decode_as_init(own_dissector, DCERPC);
    CHECK_EQUAL(handles[OWN].protocol, DCERPC, "entries look unchanged to the user");
    test_ports_of_dcerpc_alone_are_taken();
    test_replaced_dissector_is_called_within();
    return check_result();
}
