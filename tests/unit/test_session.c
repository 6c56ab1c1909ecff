/* test_session.c
 * How PDUs are handed on one by one: whose NTLM context each gets, what is said of it, and who is told
 *
 * In place of Wireshark's packet-dcerpc stands what notes how it is called. Key streams have tests of their own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/session.h"

#include <string.h>

#include <epan/dissectors/packet-smb2.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>

#include "fake-taps.h"
#include "file-scope.h"
#include "plugin.h"
#include "session/record.h"

#define NTLM  DCE_C_RPC_AUTHN_PROTOCOL_NTLMSSP
#define SEAL  DCE_C_AUTHN_LEVEL_PKT_PRIVACY
#define FIRST PDU_FLAG_FIRST_FRAG
#define LAST  PDU_FLAG_LAST_FRAG
#define WHOLE (FIRST | LAST)

/* NTLM's data of the conversation and of the frame, in place of keystream.c. */
static void *context_now;
static struct ntlm_frame frame_now;
static bool knows_ntlm = true;
static unsigned asked_known;
static char contexts[8], others_context, others_payload; /* only their addresses count */
static unsigned num_contexts;

void
ntlm_init(void)
{
}

bool
ntlm_is_known(packet_info *info, conversation_t *conversation, tvbuff_t *tvb)
{
    asked_known++;
    return info == &pinfo && conversation != NULL && tvb != NULL && knows_ntlm;
}

void *
ntlm_context(const conversation_t *conversation)
{
    CHECK(conversation != NULL, "no conversation");
    return context_now;
}

void
ntlm_set_context(conversation_t *conversation, void *context)
{
    CHECK(conversation != NULL, "no conversation");
    context_now = context;
}

struct ntlm_frame
ntlm_take_frame(packet_info *info)
{
    const struct ntlm_frame taken = frame_now;

    CHECK(info == &pinfo, "another packet");
    frame_now = (struct ntlm_frame){ NULL, NULL };
    return taken;
}

void
ntlm_put_frame(packet_info *info, struct ntlm_frame put)
{
    CHECK(info == &pinfo && frame_now.context == NULL && frame_now.decrypted == NULL, "put twice");
    frame_now = put;
}

static struct ntlm_login a_login;

struct ntlm_login *
ntlm_login_new(const uint8_t *message, unsigned size, uint32_t server_port)
{
    CHECK(message != NULL && size > 0 && server_port == 135, "port %u", server_port);
    return &a_login;
}

/* In place of stream.c: what the next sealed PDU comes to. */
static struct stream *streams[16];
static unsigned num_streams;
static struct stream_pdu next_opened;
static unsigned num_opened;
static const struct stream *opened_with; /* by the latest PDU; NULL: none was opened */
static stub_check checked_by;
static struct stub_sample sampled;
static uint32_t signature_noted;
static char plain;

struct stream *
stream_new(unsigned verifier, const struct ntlm_login *login)
{
    struct stream *stream = wmem_new0(wmem_epan_scope(), struct stream);

    stream->keys.verifier = verifier;
    stream->keys.login = login;
    stream->keys.cipher = 77;
    streams[num_streams++] = stream;
    return stream;
}

void
stream_note_signature(struct stream *stream, uint32_t number)
{
    CHECK(stream != NULL, "no stream");
    signature_noted = number;
}

struct stream_pdu *
stream_open(struct stream *stream, const struct rpc_pdu *pdu, tvbuff_t *tvb, packet_info *info,
    const struct stub_sample *sample, stub_check check)
{
    struct stream_pdu *opened = wmem_new(wmem_epan_scope(), struct stream_pdu);

    CHECK(info == &pinfo && pdu->at == 0 && perflib_tvb_get_uint8(tvb, 2) == pdu->type, "another PDU");
    opened_with = stream;
    num_opened++;
    checked_by = check;
    sampled = *sample;
    *opened = next_opened;
    opened->decrypted = next_opened.state == STREAM_OPENED ? &plain : NULL;
    return opened;
}

void
stream_reset_budget(void)
{
}

void
smb3_handoff(expert_field *item)
{
    CHECK(item != NULL, "no item");
}

void
smb3_reset(void)
{
}

/* Of the latest PDU: what statistics were told; NULL: nothing. */
static const struct session_tap *tapped;
static const char *needed;

/* In place of Wireshark's. */
static void (*begin_file)(void);
static perflib_bool *keep_in_step;
static const char *lacking; /* an entry that Wireshark has not */
static struct {
    const char *list, *name;
    heur_dissector_t dissector;
} added[4];
static unsigned num_added;
static heur_dtbl_entry_t inners[3];
static dissector_t decode_as;
static unsigned changed_port, called_inner;
static conversation_t conversation;
static bool is_conversation_known = true;
static unsigned num_searched; /* conversations that were looked up by both ends */
static uint64_t salt;
static unsigned num_sources;

int
proto_register_protocol(const char *name, const char *short_name, const char *filter_name)
{
    CHECK(strcmp(filter_name, "perflib_session") == 0, "%s, %s", name, short_name);
    return 1;
}

int
proto_get_id_by_filter_name(const char *name)
{
    CHECK(strcmp(name, "dcerpc") == 0, "%s", name);
    return 2;
}

void
register_init_routine(void (*routine)(void))
{
    begin_file = routine;
}

void
prefs_register_bool_preference(module_t *module, const char *name, const char *title, const char *description,
    perflib_bool *variable)
{
    (void)module;
    (void)title;
    (void)description;
    CHECK(strcmp(name, "keep_in_step") == 0 && *variable, "%s", name);
    keep_in_step = variable;
}

module_t *
prefs_find_module(const char *name)
{
    (void)name;
    return NULL;
}

dissector_handle_t
create_dissector_handle(dissector_t dissector, const int proto)
{
    CHECK(proto == 2, "%d", proto);
    decode_as = dissector;
    return (dissector_handle_t)(void *)&decode_as;
}

heur_dtbl_entry_t *
find_heur_dissector_by_unique_short_name(const char *name)
{
    static const char *const names[] = { "dcerpc_tcp", "dcerpc_smb2", "dcerpc_smb_transact" };

    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0 && (lacking == NULL || strcmp(name, lacking) != 0)) {
            return &inners[i];
        }
    }
    return NULL;
}

void
heur_dissector_add(const char *list, heur_dissector_t dissector, const char *title, const char *name, const int proto,
    heuristic_enable_e enable)
{
    CHECK(proto == 2 && enable == HEURISTIC_ENABLE && title != NULL, "%s", name);
    added[num_added].list = list;
    added[num_added].name = name;
    added[num_added++].dissector = dissector;
}

void
dissector_table_foreach(const char *table, DATFunc func, void *data)
{
    static char entry, port;

    CHECK(strcmp(table, "tcp.port") == 0, "%s", table);
    (void)port;
    func(table, FT_UINT16, GUINT_TO_POINTER(8080), &entry, data);
}

dissector_handle_t
dtbl_entry_get_handle(dtbl_entry_t *entry)
{
    return (dissector_handle_t)entry;
}

int
dissector_handle_get_protocol_index(const dissector_handle_t handle)
{
    CHECK(handle != NULL, "no handle");
    return 2;
}

void
dissector_change_uint(const char *table, const uint32_t pattern, dissector_handle_t handle)
{
    CHECK(strcmp(table, "tcp.port") == 0 && handle == (dissector_handle_t)(void *)&decode_as, "%s", table);
    changed_port = pattern;
}

int
call_dissector_only(dissector_handle_t handle, tvbuff_t *tvb, packet_info *info, proto_tree *tree, void *data)
{
    (void)tree;
    (void)data;
    CHECK(handle != NULL && info == &pinfo, "no handle");
    called_inner++;
    return (int)tvb_captured_length(tvb);
}

/* 4.4 made the one take a constant packet, 4.6 the other. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define FOUND_OF const packet_info
#else
#define FOUND_OF packet_info
#endif
#if PERFLIB_WIRESHARK_AT_LEAST(4, 5)
#define MADE_OF const packet_info
#else
#define MADE_OF packet_info
#endif

conversation_t *
find_or_create_conversation(MADE_OF *info)
{
    CHECK(info == &pinfo, "another packet");
    num_searched++;
    return &conversation;
}

conversation_t *
find_conversation_pinfo(FOUND_OF *info, const unsigned options)
{
    CHECK(info == &pinfo && options == 0, "%u", options);
    return is_conversation_known ? &conversation : NULL;
}

uint64_t
dcerpc_get_transport_salt(packet_info *info)
{
    CHECK(info == &pinfo, "another packet");
    return salt;
}

void
dcerpc_set_transport_salt(uint64_t to, packet_info *info)
{
    CHECK(info == &pinfo, "another packet");
    salt = to;
}

void
p_remove_proto_data(wmem_allocator_t *from, packet_info *info, int proto, uint32_t key)
{
    CHECK(from == pinfo.pool && info == &pinfo && proto == 2 && key == 0, "%d", proto);
}

const char *
dcerpc_get_proto_name(e_guid_t *uuid, uint16_t version)
{
    (void)uuid;
    (void)version;
    return "OURS";
}

unsigned
perflib_num_sources(const packet_info *info)
{
    CHECK(info == &pinfo, "another packet");
    return num_sources;
}

tvbuff_t *
perflib_source(const packet_info *info, unsigned i)
{
    (void)info;
    (void)i;
    return NULL;
}

static perflib_bool is_writable = true;

perflib_bool
col_get_writable(column_info *cinfo, const int column)
{
    (void)cinfo;
    CHECK(column == -1, "%d", column);
    return is_writable;
}

void
col_set_writable(column_info *cinfo, const int column, const perflib_bool writable)
{
    (void)cinfo;
    CHECK(column == -1, "%d", column);
    is_writable = writable;
}

const char *
col_get_text(column_info *cinfo, const int column)
{
    (void)cinfo;
    return fake_columns[column]->str;
}

void
col_append_sep_fstr(column_info *cinfo, const int column, const char *separator, const char *format, ...)
{
    va_list arguments;

    (void)cinfo;
    CHECK(separator == NULL, "another separator");
    va_start(arguments, format);
    g_string_append(fake_columns[column], fake_columns[column]->len > 0 ? ", " : "");
    g_string_append_vprintf(fake_columns[column], format, arguments);
    va_end(arguments);
}

/* Our interface, and who is told of its calls. */
static const e_guid_t ours = { 0x01020304, 0x0506, 0x0708, { 9, 10, 11, 12, 13, 14, 15, 16 } };
static const e_guid_t ndr = { 0x8a885d04, 0x1ceb, 0x11c9, { 0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60 } };
static const char *told_of_fault, *told_of_unread;
static struct rpc_unread unread;
static struct rpc_fault fault;

static void
take_fault(const struct rpc_fault *of, tvbuff_t *tvb, packet_info *info, proto_tree *tree)
{
    CHECK(tvb != NULL && info == &pinfo && tree == &fake_root->node, "another packet");
    fault = *of;
    told_of_fault = wmem_strdup_printf(wmem_epan_scope(), "%u %x", of->call->opnum, of->status);
}

static void
take_unread(const struct rpc_unread *of, packet_info *info)
{
    CHECK(info == &pinfo, "another packet");
    unread = *of;
    told_of_unread = wmem_strdup_printf(wmem_epan_scope(), "%u %s", of->call->opnum, of->reason);
}

static char state;              /* what our interface keeps of a call */
static struct rpc_lack unasked; /* the latest call that lacks its request */

static void
take_lacking(void *of, const struct rpc_lack *lack, const packet_info *info)
{
    CHECK((of == NULL || of == &state) && info == &pinfo, "another packet");
    unasked = *lack;
}

static const struct rpc_listener listener = { take_fault, take_unread, take_lacking };

static struct stub_sample checked; /* the latest */

static int
check_stub(const struct stub_sample *sample)
{
    checked = *sample;
    return sample->length == 13 ? STUB_NONSENSE : 0;
}

static bool
recognise(const struct stub_sample *sample, packet_info *info, struct stub_recognised *found)
{
    (void)info;
    *found = (struct stub_recognised){ ours, 1, "its stub" };
    return sample->opnum == 42;
}

/*
 * In place of packet-dcerpc: what it was given, a word each: its length, which context NTLM had, whether the frame held
 * something decrypted: "40B+". NTLMSSP makes a context of a token where there is none.
 */
static GString *given;
static void *data_given;
static bool opens = true;    /* what is decrypted it adds as a data source */
static int throws;           /* an exception */
static bool reads = true;    /* requests */
static bool rejects, leaves; /* something decrypted in the frame */

static perflib_bool
inner(tvbuff_t *tvb, packet_info *info, proto_tree *tree, void *data)
{
    const unsigned length = tvb_captured_length(tvb);
    dcerpc_call_value value = { .uuid = ours };
    dcerpc_info di = { .call_data = &value };
    struct rpc_pdu pdu;

    CHECK(info == &pinfo && (tree == NULL || tree == &fake_root->node) && data == data_given, "another packet");
    if (length == 0) {
        salt = data == NULL ? 5 : 6;
        return FALSE;
    }
    if (rpc_pdu_read(tvb, 0, &pdu) && rpc_pdu_is_binding(&pdu) && pdu.auth_length != 0 && context_now == NULL) {
        context_now = &contexts[num_contexts++];
    }
    g_string_append_printf(given, "%s%u%c%s", given->len == 0 ? "" : " ", length,
        context_now == NULL                  ? '-'
            : context_now == &others_context ? '?'
                                             : (char)('A' + ((char *)context_now - contexts)),
        frame_now.decrypted == NULL ? "" : "+");
    if (rpc_pdu_read(tvb, 0, &pdu) && pdu.type == PDU_REQ && reads) {
        di.call_id = pdu.call_id;
        value.opnum = pdu.opnum;
        rpc_call_note(&di, &listener, &state);
    }
    if (leaves) {
        frame_now.decrypted = &others_context;
    }
    num_sources += frame_now.decrypted == &plain && opens;
    if (throws != 0) {
        THROW(throws);
    }
    return !rejects;
}

/* PDUs under construction, which follow each other. */
static struct {
    uint8_t bytes[4000];
    unsigned size;
} wire;

static void
put(uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        wire.bytes[wire.size++] = (uint8_t)(value >> 8 * i);
    }
}

/* Ends a PDU that began at a place, with an auth_value where it has one. */
static void
end_pdu(unsigned at, uint8_t level, uint32_t context, const uint8_t *token, unsigned token_size)
{
    if (token_size != 0) {
        put(NTLM, 1);
        put(level, 1);
        put(0, 2);
        put(context, 4);
        memcpy(wire.bytes + wire.size, token, token_size);
        wire.size += token_size;
    }
    wire.bytes[at + 8] = (uint8_t)(wire.size - at);
    wire.bytes[at + 9] = (uint8_t)((wire.size - at) >> 8);
    wire.bytes[at + 10] = (uint8_t)token_size;
}

static unsigned
begin_pdu(uint8_t type, uint8_t flags, uint32_t id)
{
    const unsigned at = wire.size;

    put(5, 2);
    put(type, 1);
    put(flags, 1);
    put(0x10, 4);
    put(0, 4);
    put(id, 4);
    return at;
}

static uint8_t level = SEAL; /* of verifiers */

/* A request or response with a stub of so many bytes; verifier: 0 in clear, else it is sealed, by that context. */
static void
put_call(bool response, uint32_t id, unsigned opnum, unsigned stub_size, uint32_t verifier)
{
    static uint8_t mark;
    const unsigned at = begin_pdu(response ? PDU_RESP : PDU_REQ, WHOLE, id);
    uint8_t signature[16] = { 1 };

    signature[15] = ++mark;
    put(stub_size, 4);
    put(0, 2);
    put(response ? 0 : opnum, 2);
    memset(wire.bytes + wire.size, 0xab, stub_size);
    wire.size += stub_size;
    end_pdu(at, level, verifier, signature, verifier == 0 ? 0 : sizeof signature);
}

static void
put_fault(uint32_t id, uint32_t status)
{
    const unsigned at = begin_pdu(PDU_FAULT, WHOLE, id);

    put(0, 8);
    put(status, 4);
    put(0, 4);
    end_pdu(at, 0, 0, NULL, 0);
}

static void
put_guid(const e_guid_t *guid)
{
    put(guid->data1, 4);
    put(guid->data2, 2);
    put(guid->data3, 2);
    memcpy(wire.bytes + wire.size, guid->data4, 8);
    wire.size += 8;
}

/* A token of NTLM of that type, [MS-NLMP] 2.2.1; of a CHALLENGE_MESSAGE its flags stand at 20. */
static void
make_token(uint8_t *token, uint8_t type, uint32_t flags, uint8_t salted)
{
    memset(token, 0, 80);
    memcpy(token, "NTLMSSP", 8);
    token[8] = type;
    for (unsigned i = 0; i < 4; i++) {
        token[(type == NTLM_CHALLENGE ? 20 : 60) + i] = (uint8_t)(flags >> 8 * i);
    }
    token[79] = salted;
}

/* bind or alter_context of our interface, as presentation context 0; the security context begins. */
static void
put_bind(uint8_t type, uint32_t id, uint32_t context, const uint8_t *token)
{
    const unsigned at = begin_pdu(type, WHOLE, id);

    put(0, 8);
    put(1, 4);
    put(0, 2);
    put(1, 2);
    put_guid(&ours);
    put(1, 4);
    put_guid(&ndr);
    put(2, 4);
    end_pdu(at, SEAL, context, token, token == NULL ? 0 : 80);
}

static void
put_answer(uint8_t type, uint32_t id, uint32_t context, const uint8_t *token)
{
    const unsigned at = begin_pdu(type, WHOLE, id);

    put(0, type == PDU_AUTH3 ? 4 : 16);
    end_pdu(at, SEAL, context, token, token == NULL ? 0 : 80);
}

static frame_data frame;
static unsigned cut; /* so many bytes at the end are not captured */
static unsigned thrown;

/* Gives what was built to one of ours. */
static bool
deliver(unsigned way, bool from_client, void *data)
{
    volatile bool accepted = false;
    tvbuff_t *tvb = tvb_new_real_data((const uint8_t *)wmem_memdup(wmem_epan_scope(), wire.bytes, wire.size),
        wire.size - cut, (int)wire.size);

    data_given = data;
    pinfo.fd = &frame;
    pinfo.pool = wmem_epan_scope();
    pinfo.srcport = from_client ? 50000 : 135;
    pinfo.destport = from_client ? 135 : 50000;
    fake_tree_begin();
    g_string_assign(fake_columns[COL_PROTOCOL], "DCERPC");
    given = g_string_new("");
    told_of_fault = told_of_unread = NULL;
    forget_told();
    opened_with = NULL;
    num_opened = 0;
    thrown = 0;
    pinfo.desegment_len = 0;
    pinfo.desegment_offset = 0;
    TRY
    {
        accepted = added[way].dissector(tvb, &pinfo, &fake_root->node, data);
    }
    CATCH_ALL
    {
        thrown = (unsigned)exc->except_id.except_code;
    }
    ENDTRY;
    tapped = (const struct session_tap *)told_of("perflib_session");
    needed = (const char *)told_of("perflib_session_key");
    return accepted;
}

static bool
dissect_next(bool from_client)
{
    pinfo.num++;
    return deliver(0, from_client, NULL);
}

/* The same in a later pass. */
static bool
dissect_again(bool from_client)
{
    bool accepted;

    frame.visited = 1;
    accepted = deliver(0, from_client, NULL);
    frame.visited = 0;
    return accepted;
}

#define CHECK_GIVEN(text)    CHECK(strcmp(given->str, text) == 0, "%s", given->str)
#define CHECK_NOTHING_SAID() CHECK(strcmp(fake_tree_text(), "") == 0, "%s", fake_tree_text())

static void
new_capture(void)
{
    begin_file();
    num_streams = num_contexts = 0;
    next_opened = (struct stream_pdu){ .state = STREAM_OPENED };
    context_now = NULL;
    frame_now = (struct ntlm_frame){ NULL, NULL };
    wire.size = 0;
}

/* A login with that security context: three PDUs. */
static void
log_on(uint8_t type, uint32_t id, uint32_t context, uint32_t flags)
{
    uint8_t token[80];

    wire.size = 0;
    make_token(token, 1, 0, 0);
    put_bind(type, id, context, token);
    dissect_next(true);
    wire.size = 0;
    make_token(token, NTLM_CHALLENGE, flags, 0);
    put_answer(type == PDU_BIND ? PDU_BIND_ACK : PDU_ALTER_ACK, id, context, token);
    dissect_next(false);
    wire.size = 0;
    make_token(token, NTLM_AUTHENTICATE, flags, (uint8_t)context);
    put_answer(PDU_AUTH3, id, context, token);
    dissect_next(true);
    wire.size = 0;
}

#define USUAL (NTLM_EXTENDED_SESSION_SECURITY | NTLM_KEY_EXCHANGE)

/* SPNEGO's signature of its list of mechanisms, at the end of a login, has a number, too: [MS-SPNG] 3.3.5.1. */
static void
test_list_signature(void)
{
    static const uint8_t signature[] = { 4, 16, 1, 0, 0, 0, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 3, 0, 0,
        0 };
    uint8_t token[80 + sizeof signature];

    /* As it is; of another version; of NTLM, which has none. */
    for (unsigned way = 0; way < 3; way++) {
        unsigned at;

        new_capture();
        make_token(token, 1, 0, 0);
        put_bind(PDU_BIND, 1, 7, token);
        dissect_next(true);
        wire.size = 0;
        make_token(token, NTLM_CHALLENGE, USUAL, 0);
        put_answer(PDU_BIND_ACK, 1, 7, token);
        dissect_next(false);
        wire.size = 0;
        make_token(token, NTLM_AUTHENTICATE, USUAL, 7);
        memcpy(token + 80, signature, sizeof signature);
        token[82] += way == 1;
        at = begin_pdu(PDU_AUTH3, WHOLE, 1);
        put(0, 4);
        end_pdu(at, SEAL, 7, token, sizeof token);
        wire.bytes[wire.size - sizeof token - 8] = way == 2 ? NTLM : DCE_C_RPC_AUTHN_PROTOCOL_SPNEGO;
        signature_noted = 0;
        dissect_next(true);
        CHECK(num_streams == 2 && signature_noted == (way == 0 ? 3 : 0), "way %u: number %u", way, signature_noted);
    }
}

static void
test_registered(void)
{
    static const char *const lists[] = { "tcp", "smb2_pipe_subdissectors", "smb_transact" };
    static const char *const names[] = { "perflib_dcerpc_tcp", "perflib_dcerpc_smb2", "perflib_dcerpc_smb" };

    CHECK(num_added == 3, "%u", num_added);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(strcmp(added[i].list, lists[i]) == 0 && strcmp(added[i].name, names[i]) == 0, "%u: %s", i, added[i].name);
    }
    new_capture();
    CHECK(changed_port == 8080, "%u", changed_port);
    /* Where Wireshark's own is switched off there is none of ours. */
    put_call(false, 1, 0, 16, 0);
    inners[0].enabled = FALSE;
    CHECK(!dissect_next(true), "switched off");
    CHECK_GIVEN("");
    inners[0].enabled = TRUE;
    is_on = false;
    is_listening = true;
    CHECK(dissect_next(true) && tapped != NULL && tapped->way == SESSION_TCP && tapped->pdu.call_id == 1,
        "our protocol is switched off");
    CHECK_GIVEN("40-");
    is_listening = false;
    is_on = true;
}

/* What is in clear goes on one by one; in later passes as it came. */
static void
test_clear(void)
{
    new_capture();
    put_bind(PDU_BIND, 1, 0, NULL);
    CHECK(dissect_next(true), "bind");
    CHECK_GIVEN("72-");
    wire.size = 0;
    put_call(false, 1, 5, 16, 0);
    put_call(false, 2, 6, 8, 0);
    CHECK(dissect_next(true), "two");
    CHECK_GIVEN("40- 32-");
    CHECK_NOTHING_SAID();
    CHECK(dissect_again(true), "again");
    CHECK_GIVEN("72-");
    rejects = true;
    CHECK(!dissect_next(true), "Wireshark does not take it");
    rejects = false;
    /* A fault among them: one by one, and its interface is told. */
    wire.size = 0;
    put_call(true, 1, 0, 8, 0);
    put_fault(2, 0x1c010003);
    CHECK(dissect_next(false), "fault");
    CHECK_GIVEN("32- 32-");
    CHECK(told_of_fault != NULL && strcmp(told_of_fault, "6 1c010003") == 0 && fault.has_status &&
            !fault.not_executed && fault.call->listener == &listener && fault.call->state == &state,
        "%s", told_of_fault);
    wire.bytes[32 + 3] |= PDU_FLAG_DID_NOT_EXECUTE;
    dissect_again(false);
    CHECK(told_of_fault != NULL && fault.not_executed && fault.call->opnum == 6, "again");
    /* Its first fragment is no answer yet. */
    wire.bytes[32 + 3] = FIRST;
    dissect_next(false);
    CHECK(told_of_fault == NULL, "first fragment");
    throws = ReportedBoundsError;
    wire.bytes[32 + 3] = WHOLE;
    dissect_next(false);
    CHECK(thrown == ReportedBoundsError && told_of_fault == NULL, "an exception ends it before the fault");
    throws = 0;
    /* What follows the last and is none goes with it; so does one that comes again, whole. */
    wire.size = 0;
    put_fault(1, 5);
    put_fault(2, 5);
    put(0, 5);
    dissect_next(false);
    CHECK_GIVEN("32- 37-");
    wire.size = 0;
    put_fault(1, 5);
    put_fault(2, 5);
    put_fault(2, 5);
    wire.size -= 9;
    pinfo.can_desegment = 1;
    dissect_next(false);
    pinfo.can_desegment = 0;
    CHECK_GIVEN("32- 55-");
    /* The request of an answer is missing. */
    wire.size = 0;
    put_call(true, 99, 0, 8, 0);
    dissect_next(false);
    CHECK(unasked.call_id == 99 && unasked.is_response, "%u", unasked.call_id);
    /* Nobody reads one, alone or among others. */
    reads = false;
    for (unsigned with_fault = 0; with_fault < 2; with_fault++) {
        wire.size = 0;
        put_call(false, 100 + with_fault, 5, 8, 0);
        if (with_fault) {
            put_fault(2, 5);
        }
        dissect_next(true);
        CHECK(unasked.call_id == 100 + with_fault && !unasked.is_response && unasked.opnum == 5, "%u", unasked.call_id);
    }
    reads = true;
    wire.size = 0;
    put(0x474554, 3);
    put(0, 20);
    dissect_next(true);
    CHECK_GIVEN("23-");
}

/* Each PDU gets the context and the streams of its login. */
static void
test_sealed(void)
{
    uint8_t token[80], sealed[64];
    uint32_t early, late;

    new_capture();
    context_now = &others_context;
    frame_now = (struct ntlm_frame){ &others_context, &others_payload };
    asked_known = 0;
    log_on(PDU_BIND, 1, 7, USUAL);
    CHECK_GIVEN("108A");
    CHECK(asked_known == 1, "once is enough");
    CHECK(num_streams == 2 && streams[0]->keys.verifier == 8 && streams[1]->keys.login == NULL &&
            streams[0]->keys.cipher == 0 && streams[1]->keys.cipher == 0,
        "%u streams", num_streams);
    CHECK(context_now == &others_context && frame_now.decrypted == &others_payload, "what was there before");
    put_call(false, 1, 5, 16, 7);
    put_call(false, 2, 6, 24, 7);
    CHECK(dissect_next(true), "two");
    CHECK_GIVEN("64A+ 72A+");
    CHECK(opened_with == streams[1] && checked_by == check_stub && sampled.opnum == 6 && sampled.length == 24 &&
            sampled.is_first && sampled.is_last && sampled.is_little_endian && !sampled.is_response,
        "of the client: %u", sampled.opnum);
    CHECK(context_now == &others_context && frame_now.decrypted == &others_payload, "what was there before");
    CHECK_NOTHING_SAID();
    dissect_again(true);
    CHECK_GIVEN("64A+ 72A+");
    CHECK(opened_with == NULL, "once is enough");
    wire.size = 0;
    put_call(true, 2, 0, 16, 7);
    dissect_next(false);
    CHECK(opened_with == streams[0] && sampled.opnum == 6 && sampled.is_response, "of the server");
    CHECK_GIVEN("64A+");
    /* The same bytes twice in a frame are two PDUs; what stands in one fragment of several is told. */
    wire.size = 0;
    put_call(false, 3, 5, 16, 7);
    wire.bytes[3] = FIRST;
    memcpy(wire.bytes + 64, wire.bytes, 64);
    wire.size = 128;
    dissect_next(true);
    CHECK_GIVEN("64A+ 64A+");
    CHECK(num_opened == 2 && sampled.is_first && !sampled.is_last, "%u opened", num_opened);
    wire.bytes[3] = wire.bytes[64 + 3] = LAST;
    dissect_next(true);
    CHECK(!sampled.is_first && sampled.is_last, "the last fragment");
    /* Cut short: the context is that of the PDU before. */
    wire.size = 0;
    put_call(false, 4, 5, 16, 7);
    next_opened.state = STREAM_CUT;
    cut = 4;
    dissect_next(true);
    cut = 0;
    next_opened.state = STREAM_OPENED;
    CHECK(opened_with == streams[1], "cut");
    CHECK_GIVEN("60-");
    CHECK(strstr(fake_tree_text(), "\nexpert 0+60\n  ! perflib_session.cut: ") != NULL, "%s", fake_tree_text());
    /* A fault that answers it: what was kept of the request is handed on. */
    wire.size = 0;
    put_call(false, 5, 5, 16, 7);
    dissect_next(true);
    wire.size = 0;
    put_fault(5, 5);
    dissect_next(false);
    CHECK(told_of_fault != NULL && fault.call->state == &state, "%s", told_of_fault);
    /* What is signed alone is nothing to be opened. */
    level = DCE_C_AUTHN_LEVEL_PKT_INTEGRITY;
    wire.size = 0;
    put_call(false, 6, 5, 16, 7);
    dissect_next(true);
    CHECK_GIVEN("64?+");
    CHECK(opened_with == NULL, "signed");
    level = SEAL;
    /* Another login on the same connection. */
    log_on(PDU_ALTER, 3, 8, USUAL);
    CHECK(num_streams == 4, "%u streams", num_streams);
    put_call(false, 4, 5, 16, 8);
    put_call(false, 5, 6, 24, 7);
    dissect_next(true);
    CHECK_GIVEN("64B+ 72A+");
    CHECK(opened_with == streams[1], "the first login's");
    /* The AUTHENTICATE_MESSAGE once more begins nothing. */
    log_on(PDU_ALTER, 6, 8, USUAL);
    CHECK(num_streams == 4, "%u streams", num_streams);
    /* Without key exchange a checksum is in clear, and there is a login to begin anew with. */
    log_on(PDU_ALTER, 7, 9, NTLM_EXTENDED_SESSION_SECURITY);
    CHECK(num_streams == 6 && streams[5]->keys.verifier == 0 && streams[5]->keys.login == &a_login, "%u", num_streams);
    /* Older NTLM is Wireshark's own. */
    log_on(PDU_ALTER, 8, 10, NTLM_KEY_EXCHANGE);
    put_call(false, 9, 5, 16, 10);
    dissect_next(true);
    CHECK(opened_with == NULL, "older NTLM");
    /* Where the AUTHENTICATE_MESSAGE came behind what it sealed, nothing opens that, in no pass. */
    new_capture();
    log_on(PDU_BIND, 1, 7, USUAL);
    make_token(token, NTLM_CHALLENGE, USUAL, 0);
    put_answer(PDU_ALTER_ACK, 2, 11, token);
    dissect_next(false);
    wire.size = 0;
    put_call(false, 3, 5, 16, 11);
    memcpy(sealed, wire.bytes, sizeof sealed);
    dissect_next(true);
    CHECK(opened_with == NULL, "too early");
    early = pinfo.num;
    log_on(PDU_ALTER, 4, 11, USUAL);
    memcpy(wire.bytes, sealed, sizeof sealed);
    wire.size = sizeof sealed;
    late = pinfo.num;
    pinfo.num = early;
    dissect_again(true);
    pinfo.num = late;
    CHECK(opened_with == NULL, "too early");
    CHECK_GIVEN("64-");
    /* Where Wireshark keeps its data elsewhere, all is its own. */
    new_capture();
    knows_ntlm = false;
    log_on(PDU_BIND, 1, 7, USUAL);
    put_call(false, 1, 5, 16, 7);
    dissect_next(true);
    CHECK(opened_with == NULL && num_streams == 0, "elsewhere");
    knows_ntlm = true;
}

/* What became of sealed PDUs is said, and the interface is told. */
static void
test_outcomes(void)
{
    static const struct {
        enum stream_state state;
        const char *item, *reason;
    } cases[] = {
        { STREAM_LOST, "perflib_session.lost_step", "PDUs before it are missing" },
        { STREAM_LATE, "perflib_session.lost_step", "it came after its successors" },
        { STREAM_NONSENSE, "perflib_session.lost_step", "it makes no sense" },
        { STREAM_CUT, "perflib_session.cut", "it was not captured whole" },
    };

    new_capture();
    log_on(PDU_BIND, 1, 7, USUAL);
    for (unsigned i = 0; i < array_length(cases); i++) {
        wire.size = 0;
        put_call(false, 10 + i, 5, 16, 7);
        next_opened = (struct stream_pdu){ .state = cases[i].state, .last_frame = 99 };
        dissect_next(true);
        for (unsigned again = 0; again < 2; again++) {
            CHECK_GIVEN("64-");
            CHECK(strcmp(fake_tree_text(),
                      wmem_strdup_printf(pinfo.pool,
                          "[perflib_session.sealed 0+64: true]\nexpert 0+64\n  ! %s: This sealed PDU is not read: %s "
                          "(frame 99 is the last that was)\n",
                          cases[i].item, cases[i].reason)) == 0,
                "%s", fake_tree_text());
            CHECK(told_of_unread != NULL && strcmp(unread.reason, cases[i].reason) == 0 && unread.call->opnum == 5 &&
                    !unread.is_response && unread.is_last && unread.size == 16 && unread.needed == NULL,
                "%u: %s", i, told_of_unread);
            dissect_again(true);
        }
    }
    /* Set right. */
    wire.size = 0;
    put_call(false, 20, 5, 16, 7);
    next_opened = (struct stream_pdu){ .state = STREAM_OPENED, .last_frame = 98, .missing = 2, .skipped = 80 };
    dissect_next(true);
    CHECK_TREE("set right", "expert 0+64",
        "  ! perflib_session.set_right: Decryption set right: after frame 98, 2 sealed PDUs are missing, 80 bytes of "
        "key stream skipped");
    CHECK(told_of_unread == NULL, "%s", told_of_unread);
    next_opened.missing = 1;
    wire.size = 0;
    put_call(false, 21, 5, 16, 7);
    dissect_next(true);
    CHECK(strstr(fake_tree_text(), ", 1 sealed PDU is missing, ") != NULL, "%s", fake_tree_text());
    /* The answer to a call whose request is missing. */
    next_opened = (struct stream_pdu){ .state = STREAM_OPENED };
    opens = false;
    wire.size = 0;
    put_call(true, 77, 0, 16, 7);
    dissect_next(false);
    CHECK_TREE("no request", "[perflib_session.sealed 0+64: true]", "expert 0+64",
        "  ! perflib_session.no_request: This sealed PDU is not read: its request is missing");
    CHECK(told_of_unread != NULL && unread.is_response && !unread.call->has_opnum, "%s", told_of_unread);
    wire.size = 0;
    put_call(false, 22, 5, 16, 7);
    dissect_next(true);
    CHECK(told_of_unread != NULL && strcmp(unread.reason, "Wireshark did not decrypt it") == 0, "%s", told_of_unread);
    opens = true;
}

/* Without a key it is said once a connection. */
static void
test_no_key(void)
{
    new_capture();
    log_on(PDU_BIND, 1, 7, USUAL);
    next_opened = (struct stream_pdu){ .state = STREAM_NO_KEY };
    put_call(false, 1, 5, 16, 7);
    dissect_next(true);
    CHECK(g_str_has_prefix(fake_tree_text(),
              "[perflib_session.sealed 0+64: true]\nexpert 0+64\n  ! perflib_session.no_key: Sealed by NTLM, and no "
              "key: "),
        "%s", fake_tree_text());
    CHECK(needed != NULL && unread.needed == needed && strcmp(unread.reason, "there is no key") == 0, "%s", needed);
    dissect_again(true);
    CHECK(needed != NULL && strstr(fake_tree_text(), "no_key") != NULL, "again: %s", fake_tree_text());
    wire.size = 0;
    put_call(false, 2, 5, 16, 7);
    dissect_next(true);
    CHECK_TREE("the second", "[perflib_session.sealed 0+64: true]");
    CHECK(needed == NULL && unread.needed != NULL && told_of_unread != NULL, "%s", told_of_unread);
    /* There is nothing to be read of it. */
    wire.size = 0;
    put_call(false, 3, 5, 0, 7);
    dissect_next(true);
    CHECK_NOTHING_SAID();
    /* A bind begins another association. */
    log_on(PDU_BIND, 3, 7, USUAL);
    put_call(false, 4, 5, 16, 7);
    dissect_next(true);
    CHECK(needed != NULL, "another association");
}

/* What does not belong together is not handed on. */
static void
test_refused(void)
{
    new_capture();
    log_on(PDU_BIND, 1, 7, USUAL);
    put_call(false, 1, 5, 16, 7);
    dissect_next(true);
    wire.size = 0;
    put_call(true, 1, 0, 16, 0);
    for (unsigned pass = 0; pass < 2; pass++) {
        CHECK(pass == 0 ? dissect_next(false) : dissect_again(false), "taken");
        CHECK_GIVEN("");
        CHECK_TREE("refused", "expert 0+40",
            "  ! perflib_session.refused: This PDU is not read: it is not signed or sealed as its request is");
        CHECK(strcmp(fake_columns[COL_INFO]->str, "[not read: it is not signed or sealed as its request is]") == 0 &&
                strcmp(fake_columns[COL_PROTOCOL]->str, "DCERPC") == 0,
            "%s", fake_columns[COL_INFO]->str);
    }
    is_listening = true;
    dissect_again(false);
    CHECK(tapped == NULL, "what is refused");
    is_listening = false;
}

/* A PDU at the same place of the connection is the same. */
static void
test_copies(void)
{
    struct tcpinfo tcp = { .seq = 1000 };
    uint32_t first;

    new_capture();
    put_call(false, 1, 5, 16, 0);
    pinfo.num++;
    first = pinfo.num;
    CHECK(deliver(0, true, &tcp), "the first");
    CHECK_GIVEN("40-");
    pinfo.num++;
    put_call(false, 2, 6, 8, 0);
    CHECK(deliver(0, true, &tcp), "the copy, and another");
    CHECK_GIVEN("32-");
    CHECK_SHOWS(wmem_strdup_printf(pinfo.pool,
        "expert 0+40\n  ! perflib_session.copy: This PDU was captured twice: it is read in frame %u", first));
    CHECK(strcmp(fake_columns[COL_INFO]->str,
              wmem_strdup_printf(pinfo.pool, "[captured twice: see frame %u]", first)) == 0,
        "%s", fake_columns[COL_INFO]->str);
    pinfo.num++;
    tcp.seq = 1000;
    deliver(0, false, &tcp);
    CHECK_GIVEN("40- 32-");
    /* The second alone. */
    memmove(wire.bytes, wire.bytes + 40, 32);
    wire.size = 32;
    tcp.seq = 1040;
    pinfo.num++;
    deliver(0, true, &tcp);
    CHECK_GIVEN("");
    CHECK_SHOWS(wmem_strdup_printf(pinfo.pool,
        "expert 0+32\n  ! perflib_session.copy: This PDU was captured twice: it is read in frame %u", first + 1));
    /* The first 36 bytes of another that was read already, behind one that was not: the rest comes. */
    for (unsigned more = 0; more < 2; more++) {
        wire.size = 0;
        put_call(false, 3, 5, 16, 0);
        tcp.seq = 2000;
        pinfo.num++;
        pinfo.can_desegment = more;
        deliver(0, true, &tcp);
        CHECK(more == 0 ? given->len != 0 : given->len == 0, "copies of what is whole: %s", given->str);
        wire.size = 0;
        put_call(false, 4 + more, 5, 16, 0);
        put_call(false, 3, 5, 16, 0);
        wire.size -= 4;
        tcp.seq = 1960;
        pinfo.num++;
        deliver(0, true, &tcp);
        CHECK_GIVEN(more == 0 ? "40-" : "76-");
    }
    pinfo.can_desegment = 0;
}

/* Of SMB 2 its message, the direction and the place in the message. */
static void
test_copies_in_messages(void)
{
    smb2_conv_info_t messages = { 0 };
    smb2_fid_info_t file = { 0 };
    smb2_info_t smb2 = { .conv = &messages, .file = &file };
    static const struct {
        uint64_t number;
        bool is_response, is_copy;
    } cases[] = { { 4, false, false }, { 5, false, false }, { 4, true, false }, { 4, false, true }, { 5, false, true },
        { 4, true, true } };

    new_capture();
    put_call(false, 1, 5, 16, 0);
    put_call(false, 2, 5, 16, 0);
    for (size_t i = 0; i < array_length(cases); i++) {
        smb2.msg_id = cases[i].number;
        smb2.flags = cases[i].is_response ? SMB2_FLAGS_RESPONSE : 0;
        pinfo.num++;
        deliver(1, true, &smb2);
        CHECK_GIVEN(cases[i].is_copy ? "" : "40- 40-");
        CHECK(count_of(fake_tree_text(), "expert 0+40\n  ! perflib_session.copy") == cases[i].is_copy &&
                count_of(fake_tree_text(), "expert 40+40\n  ! perflib_session.copy") == cases[i].is_copy,
            "%zu: %s", i, fake_tree_text());
    }
    /* The second ends otherwise. */
    wire.bytes[79]++;
    pinfo.num++;
    deliver(1, true, &smb2);
    CHECK_GIVEN("40-");
}

/* TCP's segments: what is not whole comes again. */
static void
test_segments(void)
{
    new_capture();
    pinfo.can_desegment = 1;
    put_call(false, 1, 5, 16, 0);
    wire.size -= 4;
    dissect_next(true);
    CHECK_GIVEN("36-");
    CHECK_NOTHING_SAID();
    /* Less than a header, on a connection of ours. */
    wire.size = 15;
    CHECK(dissect_next(true), "a header's beginning");
    CHECK_GIVEN("15-");
    wire.size = 0;
    put_call(false, 1, 5, 16, 0);
    dissect_next(true);
    for (unsigned size = 1; size <= 16; size++) {
        wire.size = size;
        dissect_next(true);
        CHECK((pinfo.desegment_len == DESEGMENT_ONE_MORE_SEGMENT) == (size >= 2 && size < 16), "%u bytes", size);
        CHECK((given->len == 0) == (size >= 2 && size < 16), "%u bytes", size);
    }
    wire.size = 10;
    wire.bytes[0] = 4;
    dissect_next(true);
    CHECK(pinfo.desegment_len == 0, "no PDU");
    wire.bytes[0] = 5;
    is_conversation_known = false;
    dissect_next(true);
    CHECK(pinfo.desegment_len == 0, "another connection");
    is_conversation_known = true;
    pinfo.can_desegment = 0;
    dissect_next(true);
    CHECK(pinfo.desegment_len == 0, "there is no more");
    /* Statistics are told of what is whole. */
    pinfo.can_desegment = 1;
    is_listening = true;
    wire.size = 0;
    put_call(false, 1, 5, 16, 0);
    put_call(false, 2, 5, 16, 0);
    wire.size -= 4;
    dissect_next(true);
    CHECK(tapped != NULL && tapped->pdu.call_id == 1, "the second comes again");
    is_listening = false;
    pinfo.can_desegment = 0;
}

/* Decode As. */
static void
test_decode_as(void)
{
    tvbuff_t *tvb;

    new_capture();
    put_call(false, 1, 5, 16, 0);
    tvb = tvb_new_real_data(wire.bytes, wire.size, (int)wire.size);
    given = g_string_new("");
    data_given = NULL;
    called_inner = 0;
    CHECK(decode_as(tvb, &pinfo, &fake_root->node, NULL) == 40 && called_inner == 0, "a PDU");
    CHECK_GIVEN("40-");
    tvb = tvb_new_subset_remaining(tvb, 1);
    CHECK(decode_as(tvb, &pinfo, &fake_root->node, NULL) == 39 && called_inner == 1, "none");
    CHECK_GIVEN("40-");
    /* Less than a header is not enough to tell. */
    for (int size = 15; size <= 16; size++) {
        pinfo.can_desegment = 1;
        pinfo.desegment_len = 0;
        given = g_string_new("");
        decode_as(tvb_new_real_data(wire.bytes, (unsigned)size, size), &pinfo, &fake_root->node, NULL);
        pinfo.can_desegment = 0;
        CHECK((pinfo.desegment_len == DESEGMENT_ONE_MORE_SEGMENT) == (size < 16) && (given->len == 0) == (size < 16),
            "%d bytes", size);
    }
}

/* Decryption is Wireshark's own: of a frame's second PDU NTLMSSP would show what it kept of the first. */
static void
test_not_in_step(void)
{
    *keep_in_step = FALSE;
    new_capture();
    log_on(PDU_BIND, 1, 7, USUAL);
    CHECK(num_streams == 0, "%u streams", num_streams);
    context_now = &contexts[0];
    put_call(false, 1, 5, 16, 7);
    put_call(false, 2, 6, 24, 7);
    dissect_next(true);
    CHECK_GIVEN("64A 72A");
    frame_now.decrypted = &others_payload;
    wire.size = 0;
    put_call(false, 3, 5, 16, 7);
    leaves = true;
    dissect_next(true);
    leaves = false;
    CHECK_GIVEN("64-");
    CHECK(context_now == &contexts[0] && frame_now.decrypted == &others_payload, "what was there before");
    dissect_again(true);
    CHECK_GIVEN("64-");
    wire.size = 0;
    put_call(false, 4, 5, 0, 7);
    dissect_next(true);
    CHECK_GIVEN("48A+");
    *keep_in_step = TRUE;
}

/* No bind: a stub tells, and Wireshark gets the bind it lacks. */
static void
test_recognised(void)
{
    new_capture();
    put_call(false, 1, 41, 16, 0);
    dissect_next(true);
    CHECK_GIVEN("40-");
    CHECK_NOTHING_SAID();
    wire.size = 0;
    put_call(false, 2, 42, 16, 0);
    dissect_next(true);
    CHECK_GIVEN("72- 40-");
    CHECK_TREE("recognised", "expert 0+40",
        wmem_strdup_printf(pinfo.pool,
            "  ! perflib_session.recognised: The bind is not in the capture: recognised as OURS by the request in "
            "frame "
            "%u (its stub)",
            pinfo.num));
    CHECK(is_writable, "columns");
    is_listening = true;
    dissect_again(true);
    is_listening = false;
    CHECK_GIVEN("40-");
    CHECK(strstr(fake_tree_text(), "perflib_session.recognised") != NULL && tapped != NULL &&
            tapped->recognised != NULL && guid_cmp(tapped->recognised, &ours) == 0 && tapped->recognised_version == 1,
        "again: %s", fake_tree_text());
}

/* A context stays what it was where a change is refused, [C706] 12.6.4.4: Wireshark is told by the bind it lacks. */
static void
test_context_refused(void)
{
    unsigned at;

    new_capture();
    put_bind(PDU_BIND, 1, 0, NULL);
    dissect_next(true);
    wire.size = 0;
    put_bind(PDU_ALTER, 2, 0, NULL);
    dissect_next(true);
    CHECK_GIVEN("72-");
    wire.size = 0;
    at = begin_pdu(PDU_ALTER_ACK, WHOLE, 2);
    put(0, 12);
    put(1, 4);
    put(2, 2); /* provider_rejection */
    put(0, 22);
    end_pdu(at, 0, 0, NULL, 0);
    dissect_next(false);
    CHECK_GIVEN("72- 56-");
    dissect_again(false);
    CHECK_GIVEN("56-");
}

static guint
message_hash(const void *key)
{
    return (guint)((const smb2_saved_info_t *)key)->msg_id;
}

static gboolean
message_equal(const void *a, const void *b)
{
    return ((const smb2_saved_info_t *)a)->msg_id == ((const smb2_saved_info_t *)b)->msg_id;
}

/* SMB's pipes. */
static void
test_pipes(void)
{
    smb2_conv_info_t messages = { .unmatched = g_hash_table_new(message_hash, message_equal),
        .matched = g_hash_table_new(message_hash, message_equal) };
    smb2_saved_info_t create = { .msg_id = 7, .frame_req = 70 }, related = { .msg_id = 8, .frame_req = 70 };
    uint64_t first_salt;
    char pipe_name[] = "winreg";
    smb2_fid_info_t file = { .name = pipe_name };
    smb2_info_t smb2 = { .conv = &messages, .msg_id = 4, .file = &file };

    new_capture();
    is_listening = true;
    put_call(false, 1, 5, 16, 0);
    put_call(false, 2, 5, 16, 7);
    pinfo.num++;
    CHECK(deliver(1, true, &smb2), "SMB 2");
    CHECK_GIVEN("40- 64-");
    CHECK(strcmp(fake_columns[COL_PROTOCOL]->str, "2*DCERPC") == 0, "%s", fake_columns[COL_PROTOCOL]->str);
    CHECK(tapped != NULL && tapped->way == SESSION_SMB2 && tapped->file == &file && tapped->pipe_name == file.name &&
            tapped->pdu.at == 0 && tapped->pdu.call_id == 2 && tvb_reported_length(tapped->tvb) == 64 &&
            tapped->recognised == NULL && salt == 6,
        "record");
    wire.size = 0;
    put_call(false, 3, 5, 16, 7);
    pinfo.num++;
    deliver(1, true, &smb2);
    CHECK(strcmp(fake_columns[COL_PROTOCOL]->str, "DCERPC") == 0, "%s", fake_columns[COL_PROTOCOL]->str);
    wire.size = 0;
    put_call(false, 1, 5, 16, 0);
    pinfo.num++;
    CHECK(deliver(2, true, NULL), "SMB 1");
    CHECK(tapped != NULL && tapped->way == SESSION_SMB && tapped->fid == 5, "record");
    is_listening = false;
    /* A request that is related to the one before, which opens the file: [MS-SMB2] 3.2.4.1.4. Its answer names it. */
    g_hash_table_insert(messages.unmatched, &create, &create);
    smb2 = (smb2_info_t){ .conv = &messages, .msg_id = 8, .saved = &related };
    wire.size = 0;
    put_bind(PDU_BIND, 1, 0, NULL);
    pinfo.num++;
    deliver(1, true, &smb2);
    first_salt = salt;
    CHECK(first_salt == UINT64_MAX - pinfo.num, "a pipe of its own");
    smb2.flags = SMB2_FLAGS_RESPONSE;
    smb2.file = &(smb2_fid_info_t){ .name = pipe_name };
    pinfo.num++;
    wire.size = 0;
    put_call(true, 99, 0, 8, 0);
    unasked.call_id = 0;
    deliver(1, false, &smb2);
    CHECK(salt == first_salt && unasked.call_id == 99, "the same pipe, on which something was bound");
    /* One that is of another frame is not related. */
    create.frame_req = 69;
    smb2 = (smb2_info_t){ .conv = &messages, .msg_id = 8, .saved = &related };
    salt = 0;
    deliver(1, true, &smb2);
    CHECK(salt == 0, "no file");
    smb2.conv = NULL;
    deliver(1, true, &smb2);
    CHECK(salt == 0 && given->len != 0, "no conversation");
    g_hash_table_destroy(messages.unmatched);
    g_hash_table_destroy(messages.matched);
}

/* Gives the first bytes of what was built, then all of it, as Wireshark does with what comes in two messages. */
static void
deliver_pieces(unsigned way, bool from_client, unsigned first, smb2_info_t *smb2, uint64_t begun_in, uint64_t ended_in)
{
    const unsigned size = wire.size;

    pinfo.can_desegment = 1;
    for (unsigned i = 0; i < 2; i++) {
        wire.size = i == 0 ? first : size;
        if (smb2 != NULL) {
            smb2->msg_id = i == 0 ? begun_in : ended_in;
        }
        pinfo.num++;
        deliver(way, from_client, smb2);
        CHECK(i > 0 || given->len != 0, "the first piece");
    }
    pinfo.can_desegment = 0;
    wire.size = 0;
}

#define CHECK_TORN(is_torn, ...) \
    CHECK((given->len == 0) == (is_torn) && \
            (strstr(fake_tree_text(), "This PDU is not read: a part of it is not in the capture") != NULL) == \
                (is_torn), \
        __VA_ARGS__)

/* PDUs that came in several messages of a pipe: a message that is missing between them, and a stub that is nonsense. */
static void
test_pieces(void)
{
    smb2_conv_info_t messages = { .unmatched = g_hash_table_new(message_hash, message_equal),
        .matched = g_hash_table_new(message_hash, message_equal) };
    smb2_fid_info_t file = { 0 }, another = { 0 };
    smb2_info_t smb2 = { .conv = &messages, .msg_id = 20, .file = &file };
    /* What was asked for and never came, between messages 100 and 130 unless it says otherwise. */
    const struct {
        uint64_t pending, ended_in;
        smb2_fid_info_t *of, *own;
        bool is_torn;
    } cases[] = {
        { 0, 130, NULL, &file, false },
        { 101, 130, &file, &file, true },
        { 101, 130, &another, &file, false },
        { 101, 130, NULL, &file, false },
        { 101, 130, NULL, NULL, false },
        { 100, 130, &file, &file, false },
        { 101, 102, &file, &file, true },
        { 102, 102, &file, &file, false },
        { 103, 102, &file, &file, false },
        /* Not more than 16 are looked at. */
        { 116, 130, &file, &file, true },
        { 117, 130, &file, &file, false },
    };
    uint8_t *stub;

    new_capture();
    put_bind(PDU_BIND, 1, 0, NULL);
    wire.bytes[28] = 3; /* its presentation context */
    pinfo.num++;
    deliver(1, true, &smb2);
    wire.size = 0;
    for (size_t i = 0; i < array_length(cases); i++) {
        smb2_saved_info_t pending = { .msg_id = cases[i].pending, .file = cases[i].of };

        g_hash_table_insert(messages.unmatched, &pending, &pending);
        smb2.file = cases[i].own;
        put_call(false, 10 + (uint32_t)i, 5, 16, 0);
        deliver_pieces(1, true, 30, &smb2, 100, cases[i].ended_in);
        CHECK_TORN(cases[i].is_torn, "%zu: %s", i, fake_tree_text());
        g_hash_table_remove_all(messages.unmatched);
    }
    /* Nobody knows of messages. */
    smb2.conv = NULL;
    put_call(false, 30, 5, 16, 0);
    deliver_pieces(1, true, 30, &smb2, 100, 130);
    CHECK_TORN(false, "no conversation");
    put_call(false, 31, 5, 16, 0);
    deliver_pieces(2, true, 30, NULL, 0, 0);
    CHECK_TORN(false, "SMB 1");

    /* What the check of a stub is given: by a request itself, by the request of an answer. */
    smb2.conv = &messages;
    smb2.file = &file;
    for (unsigned response = 0; response < 2; response++) {
        put_call(response, 40, 6, 200, 0);
        wire.bytes[20] = 3;
        stub = wire.bytes + 24;
        stub[0] = 1;
        stub[199] = 2;
        memset(&checked, 0, sizeof checked);
        deliver_pieces(1, response == 0, 30, &smb2, 200 + 2 * response, 201 + 2 * response);
        CHECK_TORN(false, "%u: sense", response);
        CHECK(checked.opnum == 6 && checked.is_response == response && checked.length == 200 &&
                checked.head_length == 96 && checked.head[0] == 1 && checked.tail_length == 16 && checked.tail[15] == 2,
            "%u: operation %u, %u bytes, %u and %u of them", response, checked.opnum, checked.length,
            checked.head_length, checked.tail_length);
        put_call(response, 40, 6, 13, 0);
        wire.bytes[20] = 3;
        deliver_pieces(1, response == 0, 30, &smb2, 300 + 2 * response, 301 + 2 * response);
        CHECK_TORN(true, "%u: nonsense", response);
    }
    /* A single byte is enough; none, as of one that is sealed, is not looked at; nor is that of an unknown interface. */
    put_call(false, 50, 6, 1, 0);
    wire.bytes[20] = 3;
    memset(&checked, 0, sizeof checked);
    deliver_pieces(1, true, 24, &smb2, 400, 401);
    CHECK(checked.length == 1 && checked.head_length == 1, "%u bytes", checked.length);
    put_call(false, 51, 6, 13, 7);
    wire.bytes[20] = 3;
    memset(&checked, 0, sizeof checked);
    deliver_pieces(1, true, 30, &smb2, 402, 403);
    CHECK(checked.length == 0, "sealed");
    CHECK(strstr(fake_tree_text(), "a part of it") == NULL, "%s", fake_tree_text());
    put_call(false, 52, 6, 13, 0);
    wire.bytes[20] = 4;
    deliver_pieces(1, true, 30, &smb2, 404, 405);
    CHECK_TORN(false, "another context");
    g_hash_table_destroy(messages.unmatched);
    g_hash_table_destroy(messages.matched);
}

static unsigned
searched_in(uint32_t last_frame, bool from_client)
{
    conversation.last_frame = last_frame;
    num_searched = 0;
    wire.size = 0;
    put_call(!from_client, pinfo.num, 5, 16, 0);
    dissect_next(from_client);
    return num_searched;
}

/* A conversation that was found in this frame, between these ends, is the one that a search would find. */
static void
test_latest_conversation(void)
{
    static const uint8_t here[] = { 192, 0, 2, 1 }, there[] = { 192, 0, 2, 2 }, elsewhere[] = { 192, 0, 2, 3 };
    conversation_element_t key[] = { { .type = CE_ADDRESS }, { .type = CE_PORT, .port_val = 50000 },
        { .type = CE_ADDRESS }, { .type = CE_PORT, .port_val = 135 },
        { .type = CE_CONVERSATION_TYPE, .conversation_type_val = CONVERSATION_TCP } };
    conversation_element_t other = { .type = CE_CONVERSATION_TYPE };

    new_capture();
    set_address(&key[0].addr_val, AT_IPv4, sizeof here, here);
    set_address(&key[2].addr_val, AT_IPv4, sizeof there, there);
    conversation.key_ptr = key;
    set_address(&pinfo.src, AT_IPv4, sizeof here, here);
    set_address(&pinfo.dst, AT_IPv4, sizeof there, there);
    CHECK(searched_in(pinfo.num + 1, true) == 1, "the first");
    CHECK(searched_in(pinfo.num + 1, true) == 0, "found by who came before");
    CHECK(searched_in(pinfo.num, true) == 1, "found in the frame before: ports may be used again");
    /* Nobody comes from there to that port. */
    CHECK(searched_in(pinfo.num + 1, false) == 1, "ports of the other direction");
    set_address(&pinfo.src, AT_IPv4, sizeof there, there);
    set_address(&pinfo.dst, AT_IPv4, sizeof here, here);
    CHECK(searched_in(pinfo.num + 1, false) == 0, "an answer");
    CHECK(searched_in(pinfo.num + 1, true) == 1, "addresses of the other direction");
    set_address(&pinfo.src, AT_IPv4, sizeof here, here);
    set_address(&pinfo.dst, AT_IPv4, sizeof elsewhere, elsewhere);
    CHECK(searched_in(pinfo.num + 1, true) == 1, "to another");
    set_address(&pinfo.src, AT_IPv4, sizeof elsewhere, elsewhere);
    set_address(&pinfo.dst, AT_IPv4, sizeof there, there);
    CHECK(searched_in(pinfo.num + 1, true) == 1, "from another");
    set_address(&pinfo.src, AT_IPv4, sizeof here, here);
    key[1].port_val = 50001;
    CHECK(searched_in(pinfo.num + 1, true) == 1, "from another port");
    key[1].port_val = 50000;
    key[3].port_val = 136;
    CHECK(searched_in(pinfo.num + 1, true) == 1, "to another port");
    key[3].port_val = 135;
    pinfo.use_conv_addr_port_endpoints = true;
    CHECK(searched_in(pinfo.num + 1, true) == 1, "the packet names other ends");
    pinfo.use_conv_addr_port_endpoints = false;
    pinfo.conv_elements = &other;
    CHECK(searched_in(pinfo.num + 1, true) == 1, "the packet names something else");
    pinfo.conv_elements = NULL;
    CHECK(searched_in(pinfo.num + 1, true) == 0, "as before");
    new_capture();
    CHECK(searched_in(pinfo.num + 1, true) == 1, "of another capture");
    conversation = (conversation_t){ 0 };
    clear_address(&pinfo.src);
    clear_address(&pinfo.dst);
}

int
main(void)
{
    wmem_init_scopes();
    is_listening = false;
    for (unsigned i = 0; i < 3; i++) {
        inners[i].dissector = inner;
        inners[i].enabled = TRUE;
    }
    fake_field_add("", FT_NONE, NULL);
    proto_register_session();
    stub_check_register(&ours, check_stub, &listener, "ours");
    stub_recogniser_register(recognise);
    lacking = "dcerpc_smb2";
    proto_reg_handoff_session();
    CHECK(num_added == 2, "%u", num_added);
    num_added = 0;
    lacking = NULL;
    proto_reg_handoff_session();
    test_registered();
    test_clear();
    test_list_signature();
    test_sealed();
    test_outcomes();
    test_no_key();
    test_refused();
    test_copies();
    test_copies_in_messages();
    test_segments();
    test_decode_as();
    test_not_in_step();
    test_recognised();
    test_context_refused();
    test_pipes();
    test_pieces();
    test_latest_conversation();
    return check_result();
}
