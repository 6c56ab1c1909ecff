/* fuzz_calls.c
 * libFuzzer target: sessions of DCERPC calls through Wireshark's DCERPC dissector into the plugin
 *
 * An input is a session on one connection, so that what one call teaches (query handles, names, the
 * values of the last poll) meets what a later one says:
 *
 *     4 bytes   first field (Data1) of the interface's UUID, little-endian
 *     then for each PDU:
 *     1 byte    opnum
 *     1 byte    FLAG_*
 *     2 bytes   length of the stub, little-endian
 *     ...       the stub, or as much of it as is left
 *
 * Each session is dissected as Wireshark does it: in order without what comes later, then once more,
 * backwards as a person may click, with all that was learned. Wireshark ends the process when it meets
 * a dissector bug (WIRESHARK_ABORT_*), which libFuzzer reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wireshark.h"

#include <epan/dissectors/packet-dcerpc.h>
#include <epan/packet.h>
#include <wiretap/wtap.h>

enum {
    FLAG_RESPONSE = 0x01, /* to the last request with this opnum; else a request */
    FLAG_NDR64 = 0x02,    /* in the first PDU: the transfer syntax of the session */
    FLAG_BIG_ENDIAN = 0x04,
    FLAG_NO_TREE = 0x08, /* as tshark without -V */
    FLAG_HIDDEN = 0x10,  /* a tree nobody looks at, as with -Y */
    FLAG_OBJECT = 0x20,  /* a request to an object (DCOM), the same each time */
};

#define WINREG_DATA1 0x338cd001u

/* More PDUs than this teach nothing new. */
#define MAX_PDUS    64
#define MAX_STUB    60000
#define HEADER_SIZE 24
#define UUID_SIZE   16
/* Bind and its acknowledgement come before the PDUs of the input. */
#define NUM_BINDS   2

struct interface {
    uint32_t data1;
    e_guid_t uuid;
    uint16_t version;
};

struct pdu {
    bool from_server, no_tree, hidden;
    struct fuzz_frame frame;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static GArray *interfaces;
static heur_dtbl_entry_t *dcerpc_tcp;
/* What the next frame holds. */
static const struct pdu *current;

/* Interfaces that the plugin decodes, or takes part in (winreg). */
static void
add_interface(void *key, void *value, void *user_data _U_)
{
    const guid_key *id = (const guid_key *)key;
    const dcerpc_uuid_value *registered = (const dcerpc_uuid_value *)value;
    const char *filter = proto_get_protocol_filter_name(registered->proto_id);
    const struct interface found = { id->guid.data1, id->guid, id->ver };

    if (g_str_has_prefix(filter, "perflibv2") || g_str_has_prefix(filter, "pla") || strcmp(filter, "winreg") == 0) {
        g_array_append_val(interfaces, found);
    }
}

static const struct interface *
find_interface(uint32_t data1)
{
    for (unsigned i = 0; i < interfaces->len; i++) {
        const struct interface *interface = &g_array_index(interfaces, struct interface, i);
        if (interface->data1 == data1) {
            return interface;
        }
    }
    return NULL;
}

/* One connection between two addresses, with DCERPC on it. */
static int
dissect_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    static const uint8_t client[4] = { 192, 0, 2, 2 }, server[4] = { 192, 0, 2, 1 };
    const bool from_server = current->from_server;

    pinfo->ptype = PT_TCP;
    pinfo->srcport = from_server ? 49700 : 49152;
    pinfo->destport = from_server ? 49152 : 49700;
    set_address(&pinfo->net_src, AT_IPv4, 4, from_server ? server : client);
    set_address(&pinfo->net_dst, AT_IPv4, 4, from_server ? client : server);
    copy_address_shallow(&pinfo->src, &pinfo->net_src);
    copy_address_shallow(&pinfo->dst, &pinfo->net_dst);
    call_heur_dissector_direct(dcerpc_tcp, tvb, pinfo, tree, NULL);
    return (int)tvb_captured_length(tvb);
}

int
LLVMFuzzerInitialize(int *argc _U_, char ***argv _U_)
{
    wireshark_start(WTAP_ENCAP_USER0);
    interfaces = g_array_new(FALSE, FALSE, sizeof(struct interface));
    g_hash_table_foreach(dcerpc_uuids, add_interface, NULL);
    dcerpc_tcp = find_heur_dissector_by_unique_short_name("dcerpc_tcp");
    dissector_add_uint("wtap_encap", WTAP_ENCAP_USER0,
        create_dissector_handle(dissect_frame, proto_get_id_by_filter_name("dcerpc")));
    return 0;
}

static void
dissect(struct pdu *pdu)
{
    current = pdu;
    wireshark_dissect(&pdu->frame, (pdu->no_tree ? WIRESHARK_NO_TREE : 0) | (pdu->hidden ? WIRESHARK_HIDDEN : 0), 0);
}

static uint8_t *
put16(uint8_t *to, bool big_endian, uint16_t value)
{
    to[big_endian ? 1 : 0] = (uint8_t)value;
    to[big_endian ? 0 : 1] = (uint8_t)(value >> 8);
    return to + 2;
}

static uint8_t *
put32(uint8_t *to, bool big_endian, uint32_t value)
{
    to = put16(to, big_endian, (uint16_t)(big_endian ? value >> 16 : value));
    return put16(to, big_endian, (uint16_t)(big_endian ? value : value >> 16));
}

static uint8_t *
put_uuid(uint8_t *to, const e_guid_t *uuid)
{
    to = put32(to, false, uuid->data1);
    to = put16(to, false, uuid->data2);
    to = put16(to, false, uuid->data3);
    memcpy(to, uuid->data4, sizeof uuid->data4);
    return to + sizeof uuid->data4;
}

/* A PDU of size bytes with its common header; returns where its body begins. */
static uint8_t *
new_pdu(struct pdu *pdu, uint8_t type, bool big_endian, unsigned size, uint32_t call_id)
{
    uint8_t *to = (uint8_t *)g_malloc0(size);

    memset(pdu, 0, sizeof *pdu);
    pdu->frame.bytes = to;
    pdu->frame.length = size;
    to[0] = 5;
    to[2] = type;
    to[3] = 3; /* first and last fragment */
    to[4] = big_endian ? 0 : 0x10;
    put16(to + 8, big_endian, (uint16_t)size);
    return put32(to + 12, big_endian, call_id);
}

/* Bind and bind_ack of the interface, with one context and one transfer syntax. */
static void
add_binds(struct pdu *pdus, const struct interface *interface, bool ndr64)
{
    static const e_guid_t ndr = { 0x8a885d04, 0x1ceb, 0x11c9, { 0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60 } };
    static const e_guid_t ndr64_syntax = { 0x71710533, 0xbeba, 0x4937,
        { 0x83, 0x19, 0xb5, 0xdb, 0xef, 0x9c, 0xcc, 0x36 } };
    uint8_t *to = new_pdu(&pdus[0], PDU_BIND, false, 72, 1);

    put16(put16(to, false, 5840), false, 5840);
    to[8] = 1;  /* contexts */
    to[14] = 1; /* transfer syntaxes */
    to = put32(put_uuid(to + 16, &interface->uuid), false, interface->version);
    put32(put_uuid(to, ndr64 ? &ndr64_syntax : &ndr), false, ndr64 ? 1 : 2);

    to = new_pdu(&pdus[1], PDU_BIND_ACK, false, 56, 1);
    pdus[1].from_server = true;
    put16(put16(to, false, 5840), false, 5840);
    to[12] = 1; /* results, after an empty secondary address */
    put32(put_uuid(to + 20, ndr64 ? &ndr64_syntax : &ndr), false, ndr64 ? 1 : 2);
}

/* Makes PDUs of an input; returns how many. */
static unsigned
parse(const struct interface *interface, const uint8_t *data, size_t size, struct pdu *pdus)
{
    uint32_t last_call[256] = { 0 };
    unsigned n = NUM_BINDS;

    /* Wireshark's own code for winreg asserts that NDR64's counts fit 32 bits: of that nothing new is learned. */
    add_binds(pdus, interface, size >= 2 && data[1] & FLAG_NDR64 && interface->data1 != WINREG_DATA1);
    for (; n < MAX_PDUS && size >= 4; n++) {
        struct pdu *pdu = &pdus[n];
        const uint8_t opnum = data[0], flags = data[1];
        const bool response = flags & FLAG_RESPONSE, big_endian = flags & FLAG_BIG_ENDIAN;
        const bool object = !response && (flags & FLAG_OBJECT);
        unsigned length = MIN(data[2] | data[3] << 8, MAX_STUB);
        uint8_t *to;

        data += 4;
        size -= 4;
        length = (unsigned)MIN(length, size);
        if (!response) {
            last_call[opnum] = n + 1;
        }
        to = new_pdu(pdu, response ? PDU_RESP : PDU_REQ, big_endian, HEADER_SIZE + (object ? UUID_SIZE : 0) + length,
            last_call[opnum]);
        to = put32(to, big_endian, length);
        to = put16(to, big_endian, 0);
        if (!response) {
            put16(to, big_endian, opnum);
        }
        to += 2;
        if (object) {
            pdu->frame.bytes[3] |= 0x80;
            to = put_uuid(to, &interface->uuid);
        }
        memcpy(to, data, length);
        pdu->from_server = response;
        pdu->no_tree = flags & FLAG_NO_TREE;
        pdu->hidden = flags & FLAG_HIDDEN;
        data += length;
        size -= length;
    }
    return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pdu pdus[MAX_PDUS];
    const struct interface *interface;
    unsigned n;

    if (size < 8 || !(interface = find_interface(data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24))) {
        return -1;
    }
    wireshark_open_file();
    n = parse(interface, data + 4, size - 4, pdus);
    for (unsigned i = 0; i < n; i++) {
        wireshark_init_frame(&pdus[i].frame, i + 1, 1000 * i);
        dissect(&pdus[i]);
    }
    for (unsigned i = n; i-- > NUM_BINDS;) {
        dissect(&pdus[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        frame_data_destroy(&pdus[i].frame.data);
        g_free(pdus[i].frame.bytes);
    }
    wireshark_close_file();
    return 0;
}
