/* call.c
 * State of registry calls and keys that concern performance data
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include "base/hash.h"
#include "session/session-pdu.h"

/* A winreg connection. File scope. */
struct peers {
    struct server_link link;
    const struct server *server; /* server at the connection's address and port */
};

/*
 * Key for handles. Each handle is stored twice: for its connection, since several machines at an address may use equal
 * handles, and for its address, since a client may use a handle on several connections.
 */
struct handle_id {
    const void *whose;
    uint8_t handle[POLICY_HANDLE_SIZE];
};

/* A known handle. File scope. */
struct open_handle {
    struct perfdata_key *key; /* NULL: a key without performance data */
    const char *path;         /* path of the key below its root; NULL: unknown or irrelevant */
    bool is_closed;
};

/* Longer than the path of any relevant key */
#define PATH_MAX_LENGTH 128u

HASH_BYTES(handle_id, offsetof(struct handle_id, handle) + POLICY_HANDLE_SIZE)
/* struct handle_id -> struct open_handle */
static struct file_map all_handles = { handle_id_hash, handle_id_equal, NULL };
/* conversation -> struct peers */
static struct file_map all_peers = { g_direct_hash, g_direct_equal, NULL };
/* dcerpc_call_value * -> struct perfdata_call */
static struct file_map all_calls = { g_direct_hash, g_direct_equal, NULL };

static struct peers *
peers_of(const packet_info *pinfo, const dcerpc_info *di)
{
    struct peers *peers = (struct peers *)wmem_map_lookup(file_map(&all_peers), di->conv);

    if (peers == NULL) {
        peers = wmem_new0(wmem_file_scope(), struct peers);
        peers->server = server_of(pinfo, di->ptype != PDU_REQ);
        wmem_map_insert(file_map(&all_peers), di->conv, peers);
    }
    return peers;
}

static struct handle_id
handle_id(const void *whose, const uint8_t *handle)
{
    struct handle_id id = { whose, { 0 } };

    memcpy(id.handle, handle, POLICY_HANDLE_SIZE);
    return id;
}

/* Returns the state of an open handle, or NULL. */
static struct open_handle *
find_handle(const struct peers *peers, const uint8_t *handle)
{
    const struct handle_id own = handle_id(peers, handle), any = handle_id(peers->server, handle);
    struct open_handle *opened = (struct open_handle *)wmem_map_lookup(file_map(&all_handles), &own);

    if (opened == NULL || opened->is_closed) {
        opened = (struct open_handle *)wmem_map_lookup(file_map(&all_handles), &any);
    }
    return opened == NULL || opened->is_closed ? NULL : opened;
}

static void
insert_handle(const void *whose, const uint8_t *handle, struct open_handle *opened)
{
    const struct handle_id id = handle_id(whose, handle);

    wmem_map_insert(file_map(&all_handles), wmem_memdup(wmem_file_scope(), &id, sizeof id), opened);
}

/* Notes an opened handle, replacing its earlier meaning. */
static struct open_handle *
add_handle(const struct peers *peers, const uint8_t *handle)
{
    struct open_handle *opened = wmem_new0(wmem_file_scope(), struct open_handle);

    insert_handle(peers, handle, opened);
    insert_handle(peers->server, handle, opened);
    return opened;
}

static struct perfdata_key *
add_key(const packet_info *pinfo, const dcerpc_info *di, const uint8_t *handle, unsigned unnamed_language,
    uint32_t opened_in)
{
    struct perfdata_key *key = wmem_new0(wmem_file_scope(), struct perfdata_key);
    struct peers *peers = peers_of(pinfo, di);

    memcpy(key->handle, handle, POLICY_HANDLE_SIZE);
    key->server = server_asked(&peers->link, server_address_of(pinfo, true), NULL);
    key->unnamed_language = unnamed_language;
    key->opened_in = opened_in;
    add_handle(peers, handle)->key = key;
    return key;
}

struct perfdata_call *
perfdata_call_find(const dcerpc_info *di)
{
    return (struct perfdata_call *)wmem_map_lookup(file_map(&all_calls), di->call_data);
}

struct perfdata_call *
perfdata_call_get(const dcerpc_info *di)
{
    struct perfdata_call *call = perfdata_call_find(di);

    if (call == NULL) {
        call = wmem_new0(wmem_file_scope(), struct perfdata_call);
        wmem_map_insert(file_map(&all_calls), di->call_data, call);
    }
    return call;
}

struct server *
perfdata_call_names(const struct perfdata_call *call, const packet_info *pinfo, const dcerpc_info *di)
{
    return server_is_named(call->key->server)
        ? call->key->server
        : server_asked(&peers_of(pinfo, di)->link, server_address_of(pinfo, true), NULL);
}

void
perfdata_call_says(struct perfdata_call *call, const char *machine, bool foreign, const packet_info *pinfo,
    const dcerpc_info *di)
{
    struct perfdata_key *key = call->key;
    struct server *server;

    if (foreign) {
        call->server = server_beyond(key->server, machine == NULL ? "?" : machine);
        return;
    }
    server = machine == NULL ? perfdata_call_names(call, pinfo, di)
                             : server_answered(&peers_of(pinfo, di)->link, server_address_of(pinfo, true), machine, 0);
    key->server = server_is_named(key->server) ? key->server : server;
    call->server = server;
}

/* Returns a reader after a stub's first parameter, a handle. It adds no items. */
static struct ndr
behind_handle(const struct ndr *stub)
{
    struct ndr n = *stub;

    n.offset += POLICY_HANDLE_SIZE;
    n.tree = NULL;
    return n;
}

void
perfdata_call_note_key(struct perfdata_call *call, const struct ndr *stub)
{
    const struct open_handle *opened;

    if (tvb_captured_length_remaining(stub->tvb, stub->offset) < POLICY_HANDLE_SIZE) {
        return;
    }
    tvb_memcpy(stub->tvb, call->handle, stub->offset, POLICY_HANDLE_SIZE);
    call->has_handle = true;
    opened = find_handle(peers_of(stub->pinfo, stub->di), call->handle);
    if (opened != NULL) {
        call->key = opened->key;
        call->key_is_other = opened->key == NULL;
    }
}

void
perfdata_call_note_value(struct perfdata_call *call, const struct ndr *stub)
{
    struct ndr n = behind_handle(stub);
    const char *name;

    perfdata_call_note_key(call, stub);
    call->position = session_pdu_position(session_pdu_of(stub->pinfo));
    call->position.frame = stub->pinfo->num;
    name = winreg_read_string(&n);
    call->value_name = name == NULL
        ? NULL
        : wmem_strdup(wmem_file_scope(), line_text_max(stub->pinfo->pool, name, PERFDATA_VALUE_NAME_MAX));
    if (call->key != NULL && call->key->names_only &&
        (name == NULL || perfdata_asked(name, NULL) == PERFDATA_ASKED_BLOCK)) {
        call->key = NULL;
        call->key_is_other = true;
    }
}

/* Returns the path without leading and trailing backslashes. */
static const char *
trim_path(wmem_allocator_t *scope, const char *path)
{
    size_t length;

    while (*path == '\\') {
        path++;
    }
    length = strlen(path);
    while (length > 0 && path[length - 1] == '\\') {
        length--;
    }
    return wmem_strndup(scope, path, length);
}

void
perfdata_call_note_path(struct perfdata_call *call, const struct ndr *stub)
{
    struct ndr n = behind_handle(stub);
    const struct open_handle *parent;
    const char *path;

    perfdata_call_note_key(call, stub);
    path = winreg_read_string(&n);
    if (path == NULL) {
        return;
    }
    path = trim_path(stub->pinfo->pool, path);
    parent = find_handle(peers_of(stub->pinfo, stub->di), call->handle);
    if (parent != NULL && parent->path != NULL && *parent->path != '\0') {
        path = *path == '\0' ? parent->path : wmem_strdup_printf(stub->pinfo->pool, "%s\\%s", parent->path, path);
    }
    if (strlen(path) <= PATH_MAX_LENGTH) {
        call->path = wmem_strdup(wmem_file_scope(), path);
    }
}

/* Reads the handle that an answer opens. Returns false if the call failed, or the handle was not captured. */
static bool
read_opened(const struct ndr *stub, uint8_t *handle)
{
    static const uint8_t no_handle[POLICY_HANDLE_SIZE];
    struct ndr n = behind_handle(stub);

    if (tvb_captured_length_remaining(stub->tvb, stub->offset) < POLICY_HANDLE_SIZE + 4) {
        return false;
    }
    tvb_memcpy(stub->tvb, handle, stub->offset, POLICY_HANDLE_SIZE);
    /* In an answer to CreateKey a pointer follows the handle, else the return code. */
    return memcmp(handle, no_handle, sizeof no_handle) != 0 &&
        (stub->di->call_data->opnum == WINREG_CREATE_KEY || ndr_uint32(&n, -1) == 0);
}

void
perfdata_call_opened(const struct ndr *stub, unsigned language)
{
    uint8_t handle[POLICY_HANDLE_SIZE];

    if (read_opened(stub, handle)) {
        add_key(stub->pinfo, stub->di, handle, language, stub->pinfo->num);
    }
}

void
perfdata_call_opened_key(const struct perfdata_call *call, const struct ndr *stub)
{
    uint8_t handle[POLICY_HANDLE_SIZE];
    unsigned language;

    if (!read_opened(stub, handle)) {
        return;
    }
    if (call != NULL && call->path != NULL && perfdata_names_key(call->path, &language)) {
        add_key(stub->pinfo, stub->di, handle, language, stub->pinfo->num)->names_only = true;
        /* The path is kept since OpenKey with this handle and an empty path opens the same key again. */
        find_handle(peers_of(stub->pinfo, stub->di), handle)->path = call->path;
    } else {
        add_handle(peers_of(stub->pinfo, stub->di), handle)->path = call != NULL ? call->path : "";
    }
}

void
perfdata_call_closed(struct perfdata_call *call, const struct ndr *stub)
{
    struct ndr n = behind_handle(stub);

    if (call->has_handle && tvb_captured_length_remaining(stub->tvb, stub->offset) >= POLICY_HANDLE_SIZE + 4 &&
        ndr_uint32(&n, -1) == 0) {
        struct open_handle *opened = find_handle(peers_of(stub->pinfo, stub->di), call->handle);

        if (opened != NULL) {
            opened->is_closed = true;
        }
        if (call->key != NULL) {
            call->key->closed_in = stub->pinfo->num;
        }
    }
}

void
perfdata_call_recognised(struct perfdata_call *call, packet_info *pinfo, const dcerpc_info *di)
{
    /* An answer between the request and this one may have revealed the handle. */
    const struct open_handle *opened = find_handle(peers_of(pinfo, di), call->handle);

    call->by_signature = true;
    call->key = opened != NULL && opened->key != NULL ? opened->key
                                                      : add_key(pinfo, di, call->handle, PERFDATA_LANGUAGE_ENGLISH, 0);
}
