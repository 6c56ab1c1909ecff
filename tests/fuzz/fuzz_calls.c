/* fuzz_calls.c
 * libFuzzer target: sessions of DCERPC calls, straight into the plugin's dissectors
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

#include "compat.h"

#include <epan/conversation.h>
#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/exceptions.h>
#include <epan/frame_data.h>
#include <epan/tvbuff.h>
#include <wiretap/wtap.h>
#include <wsutil/privileges.h>

enum {
    FLAG_RESPONSE   = 0x01, /* of the last request with this opnum; else a request */
    FLAG_NDR64      = 0x02,
    FLAG_BIG_ENDIAN = 0x04,
    FLAG_NO_TREE    = 0x08, /* as tshark without -V */
    FLAG_HIDDEN     = 0x10, /* a tree nobody looks at, as with -Y */
    FLAG_CUT        = 0x20, /* the capture ends eight bytes before the stub does */
};

/* More PDUs than this teach nothing new. */
#define MAX_PDUS 64

struct interface {
    uint32_t data1;
    e_guid_t uuid;
    uint16_t version;
    PERFLIB_DCERPC_CONST dcerpc_sub_dissector *procs;
};

struct pdu {
    uint8_t opnum, flags;
    const uint8_t *stub;
    unsigned length;
    dcerpc_call_value *call;
    frame_data frame;
};

void plugin_register(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static GArray *interfaces;

/* Interfaces that the plugin decodes, or takes part in (winreg). */
static void
add_interface(void *key, void *value, void *user_data _U_)
{
    const guid_key *id = (const guid_key *)key;
    const dcerpc_uuid_value *registered = (const dcerpc_uuid_value *)value;
    const char *filter = proto_get_protocol_filter_name(registered->proto_id);
    struct interface found = { id->guid.data1, id->guid, id->ver, registered->procs };

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

static const nstime_t *
frame_time(struct packet_provider_data *provider _U_, uint32_t frame _U_)
{
    static const nstime_t start = { 1700000000, 0 };

    return &start;
}

int
LLVMFuzzerInitialize(int *argc _U_, char ***argv _U_)
{
    g_setenv("WIRESHARK_ABORT_ON_DISSECTOR_BUG", "1", TRUE);
    g_setenv("WIRESHARK_ABORT_ON_TOO_MANY_ITEMS", "1", TRUE);
    /* One malloc for each block, which AddressSanitizer sees. */
    g_setenv("WIRESHARK_DEBUG_WMEM_OVERRIDE", "simple", TRUE);
    /* The user's own settings and plugins must not matter. */
    g_setenv("WIRESHARK_CONFIG_DIR", "/nonexistent", TRUE);

    init_process_policies();
    wtap_init(false);
    plugin_register();
    if (!epan_init(NULL, NULL, false)) {
        abort();
    }
    interfaces = g_array_new(FALSE, FALSE, sizeof(struct interface));
    g_hash_table_foreach(dcerpc_uuids, add_interface, NULL);
    return 0;
}

static void
dissect(epan_t *session, const struct interface *interface, struct pdu *pdu)
{
    static const uint8_t client[4] = { 192, 0, 2, 2 }, server[4] = { 192, 0, 2, 1 };
    const dcerpc_sub_dissector *proc = interface->procs;
    bool response = pdu->flags & FLAG_RESPONSE;
    unsigned captured = pdu->length;
    uint8_t drep[4] = { pdu->flags & FLAG_BIG_ENDIAN ? 0 : 0x10, 0, 0, 0 };
    dcerpc_dissect_fnct_t *dissector;
    epan_dissect_t edt;
    packet_info *pinfo = &edt.pi;
    dcerpc_info di;
    tvbuff_t *tvb;

    while (proc->name && proc->num != pdu->opnum) {
        proc++;
    }
    dissector = !proc->name ? NULL : response ? proc->dissect_resp : proc->dissect_rqst;
    if (!dissector) {
        return;
    }
    epan_dissect_init(&edt, session, !(pdu->flags & FLAG_NO_TREE), !(pdu->flags & FLAG_HIDDEN));
    pinfo->epan = session;
    pinfo->fd = &pdu->frame;
    pinfo->num = pdu->frame.num;
    pinfo->abs_ts = pdu->frame.abs_ts;
    pinfo->current_proto = "DCERPC";
    pinfo->layers = wmem_list_new(pinfo->pool);
    pinfo->ptype = PT_TCP;
    pinfo->srcport = response ? 49700 : 49152;
    pinfo->destport = response ? 49152 : 49700;
    set_address(&pinfo->net_src, AT_IPv4, 4, response ? server : client);
    set_address(&pinfo->net_dst, AT_IPv4, 4, response ? client : server);
    copy_address_shallow(&pinfo->src, &pinfo->net_src);
    copy_address_shallow(&pinfo->dst, &pinfo->net_dst);

    memset(&di, 0, sizeof di);
    di.conv = find_or_create_conversation(pinfo);
    di.call_id = pdu->call->req_frame;
    di.ptype = response ? PDU_RESP : PDU_REQ;
    di.hf_index = -1;
    di.call_data = pdu->call;

    if (pdu->flags & FLAG_CUT) {
        captured -= MIN(captured, 8);
    }
    tvb = tvb_new_real_data(pdu->stub, captured, (int)pdu->length);
    TRY {
        dissector(tvb, 0, pinfo, edt.tree, &di, drep);
    }
    CATCH_BOUNDS_ERRORS {
        /* "Malformed packet" or "packet size limited": what Wireshark makes of it. */
    }
    ENDTRY;
    tvb_free(tvb);
    epan_dissect_cleanup(&edt);
    pdu->frame.visited = 1;
}

/* Splits an input into PDUs; returns how many. */
static unsigned
parse(const uint8_t *data, size_t size, struct pdu *pdus)
{
    unsigned n = 0;

    while (n < MAX_PDUS && size >= 4) {
        struct pdu *pdu = &pdus[n++];
        unsigned length = data[2] | data[3] << 8;

        memset(pdu, 0, sizeof *pdu);
        pdu->opnum = data[0];
        pdu->flags = data[1];
        data += 4;
        size -= 4;
        pdu->stub = data;
        pdu->length = (unsigned)MIN(length, size);
        data += pdu->length;
        size -= pdu->length;
    }
    return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct packet_provider_funcs provider = { .get_frame_ts = frame_time };
    struct pdu pdus[MAX_PDUS];
    dcerpc_call_value *last[256] = { NULL };
    const struct interface *interface;
    epan_t *session;
    unsigned n;

    if (size < 8 || !(interface = find_interface(data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24))) {
        return 0;
    }
    n = parse(data + 4, size - 4, pdus);
    session = epan_new(NULL, &provider);

    for (unsigned i = 0; i < n; i++) {
        struct pdu *pdu = &pdus[i];
        wtap_rec record;

        memset(&record, 0, sizeof record);
        record.rec_type = REC_TYPE_PACKET;
        record.presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
        record.ts.secs = 1700000000 + i;
        frame_data_init(&pdu->frame, i + 1, &record, 0, 0);

        if (!(pdu->flags & FLAG_RESPONSE)) {
            dcerpc_call_value *call = wmem_new0(wmem_file_scope(), dcerpc_call_value);
            call->uuid = interface->uuid;
            call->ver = interface->version;
            call->opnum = pdu->opnum;
            call->req_frame = i + 1;
            call->req_time = record.ts;
            call->flags = pdu->flags & FLAG_NDR64 ? DCERPC_IS_NDR64 : 0;
            last[pdu->opnum] = call;
        }
        pdu->call = last[pdu->opnum];
        if (!pdu->call) {
            /* A response whose request was not captured never reaches a dissector. */
            pdu->length = 0;
            continue;
        }
        if (pdu->flags & FLAG_RESPONSE) {
            pdu->call->rep_frame = i + 1;
        }
        dissect(session, interface, pdu);
    }
    for (unsigned i = n; i-- > 0;) {
        if (pdus[i].call) {
            dissect(session, interface, &pdus[i]);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        frame_data_destroy(&pdus[i].frame);
    }
    epan_free(session);
    return 0;
}
