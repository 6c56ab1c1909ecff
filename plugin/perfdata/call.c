/* call.c
 * The state of the registry calls and keys that have to do with performance data
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/call.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "perfdata/names.h"

/* The key of a map of handles: the server makes them unique. */
struct handle_id {
    const struct server *server;
    uint8_t handle[POLICY_HANDLE_SIZE];
};

/* What is known of an open handle. File scope. */
struct open_handle {
    struct perfdata_key *key; /* NULL: another key of the registry */
    const char *path;         /* of that, below its root; NULL: unknown, or of no interest */
};

/* No key of interest has a longer path. */
#define PATH_MAX_LENGTH 128u

static wmem_map_t *calls;   /* dcerpc_call_value * -> struct perfdata_call; file scope */
static wmem_map_t *handles; /* struct handle_id -> struct open_handle, those open now; file scope */

static unsigned
handle_id_hash(const void *p)
{
    const struct handle_id *id = (const struct handle_id *)p;

    return hash_join(wmem_strong_hash(id->handle, POLICY_HANDLE_SIZE), g_direct_hash(id->server));
}

static gboolean
handle_id_equal(const void *a, const void *b)
{
    const struct handle_id *x = (const struct handle_id *)a;
    const struct handle_id *y = (const struct handle_id *)b;

    return x->server == y->server && memcmp(x->handle, y->handle, POLICY_HANDLE_SIZE) == 0;
}

static struct handle_id
handle_id(const struct server *server, const uint8_t *handle)
{
    struct handle_id id = { server, { 0 } };

    memcpy(id.handle, handle, POLICY_HANDLE_SIZE);
    return id;
}

static const struct open_handle *
find_handle(const struct server *server, const uint8_t *handle)
{
    const struct handle_id id = handle_id(server, handle);

    return (const struct open_handle *)wmem_map_lookup(handles, &id);
}

/* A handle is opened; what it was before it is no more. */
static struct open_handle *
add_handle(const struct server *server, const uint8_t *handle)
{
    const struct handle_id id = handle_id(server, handle);
    struct open_handle *opened = (struct open_handle *)wmem_map_lookup(handles, &id);

    if (opened == NULL) {
        opened = wmem_new(wmem_file_scope(), struct open_handle);
        wmem_map_insert(handles, wmem_memdup(wmem_file_scope(), &id, sizeof id), opened);
    }
    opened->key = NULL;
    opened->path = NULL;
    return opened;
}

static struct perfdata_key *
add_key(const struct server *server, const uint8_t *handle, unsigned unnamed_language, uint32_t opened_in)
{
    struct perfdata_key *key = wmem_new0(wmem_file_scope(), struct perfdata_key);

    memcpy(key->handle, handle, POLICY_HANDLE_SIZE);
    key->server = server;
    key->unnamed_language = unnamed_language;
    key->opened_in = opened_in;
    add_handle(server, handle)->key = key;
    return key;
}

void
perfdata_call_init(void)
{
    calls = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    handles = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), handle_id_hash, handle_id_equal);
}

struct perfdata_call *
perfdata_call_find(const dcerpc_info *di)
{
    return (struct perfdata_call *)wmem_map_lookup(calls, di->call_data);
}

struct perfdata_call *
perfdata_call_get(const dcerpc_info *di)
{
    struct perfdata_call *call = perfdata_call_find(di);

    if (call == NULL) {
        call = wmem_new0(wmem_file_scope(), struct perfdata_call);
        wmem_map_insert(calls, di->call_data, call);
    }
    return call;
}

void
perfdata_call_make_parts(struct perfdata_call *call, unsigned count)
{
    if (call->parts == NULL) {
        call->parts = wmem_alloc0_array(wmem_file_scope(), struct perfdata_call, count + 1);
        call->num_parts = count;
    }
}

struct server *
perfdata_server_asked(const packet_info *pinfo)
{
    return server_at(&pinfo->dst, pinfo->destport);
}

struct server *
perfdata_server_answering(const packet_info *pinfo)
{
    return server_at(&pinfo->src, pinfo->srcport);
}

void
perfdata_call_note_key(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo)
{
    const struct open_handle *opened;

    if (tvb_captured_length_remaining(tvb, offset) < POLICY_HANDLE_SIZE) {
        return;
    }
    tvb_memcpy(tvb, call->handle, offset, POLICY_HANDLE_SIZE);
    call->has_handle = true;
    opened = find_handle(perfdata_server_asked(pinfo), call->handle);
    if (opened != NULL) {
        call->key = opened->key;
        call->key_is_other = opened->key == NULL;
    }
}

void
perfdata_call_note_value(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di,
    uint8_t *drep)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
    const char *name;
    unsigned language;

    perfdata_call_note_key(call, tvb, offset, pinfo);
    name = winreg_read_string(&n);
    call->value_name = name == NULL ? NULL : wmem_strdup(wmem_file_scope(), line_text(pinfo->pool, name));
    if (call->key != NULL && call->key->names_only &&
        (name == NULL || perfdata_asked(name, 0, &language) == PERFDATA_ASKED_BLOCK)) {
        call->key = NULL;
        call->key_is_other = true;
    }
}

void
perfdata_call_note_values(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo)
{
    perfdata_call_note_key(call, tvb, offset, pinfo);
    if (call->key != NULL && call->key->names_only) {
        call->key = NULL;
    }
}

/* The path without what stands before its first and behind its last name. */
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
perfdata_call_note_path(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di,
    uint8_t *drep)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
    const struct open_handle *parent;
    const char *path;

    perfdata_call_note_key(call, tvb, offset, pinfo);
    path = winreg_read_string(&n);
    if (path == NULL || !call->has_handle) {
        return;
    }
    path = trim_path(pinfo->pool, path);
    parent = find_handle(perfdata_server_asked(pinfo), call->handle);
    if (parent != NULL && parent->path != NULL && *parent->path != '\0') {
        path = *path == '\0' ? parent->path : wmem_strdup_printf(pinfo->pool, "%s\\%s", parent->path, path);
    }
    if (strlen(path) <= PATH_MAX_LENGTH) {
        call->path = wmem_strdup(wmem_file_scope(), path);
    }
}

/* The handle that an answer opens; false where it opens none, or where that was not captured. */
static bool
read_opened(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, uint8_t *handle)
{
    static const uint8_t no_handle[POLICY_HANDLE_SIZE];
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };

    if (tvb_captured_length_remaining(tvb, offset) < POLICY_HANDLE_SIZE + 4) {
        return false;
    }
    tvb_memcpy(tvb, handle, offset, POLICY_HANDLE_SIZE);
    /* CreateKey has a pointer where the others have their return code. */
    return memcmp(handle, no_handle, sizeof no_handle) != 0 &&
        (di->call_data->opnum == WINREG_CREATE_KEY || ndr_uint32(&n, -1) == 0);
}

void
perfdata_call_opened(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, unsigned language)
{
    uint8_t handle[POLICY_HANDLE_SIZE];

    if (read_opened(tvb, offset, pinfo, di, drep, handle)) {
        add_key(perfdata_server_answering(pinfo), handle, language, pinfo->num);
    }
}

void
perfdata_call_opened_key(const struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo,
    dcerpc_info *di, uint8_t *drep)
{
    struct server *server = perfdata_server_answering(pinfo);
    uint8_t handle[POLICY_HANDLE_SIZE];
    unsigned language;

    if (!read_opened(tvb, offset, pinfo, di, drep, handle)) {
        return;
    }
    if (call != NULL && call->path != NULL && perfdata_names_key(call->path, &language)) {
        add_key(server, handle, language, pinfo->num)->names_only = true;
    } else {
        add_handle(server, handle)->path = call != NULL ? call->path : "";
    }
}

void
perfdata_call_closed(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di,
    uint8_t *drep)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };

    if (call->has_handle && tvb_captured_length_remaining(tvb, offset) >= POLICY_HANDLE_SIZE + 4 &&
        ndr_uint32(&n, -1) == 0) {
        const struct handle_id id = handle_id(perfdata_server_answering(pinfo), call->handle);

        wmem_map_remove(handles, &id);
        if (call->key != NULL) {
            call->key->closed_in = pinfo->num;
        }
    }
}

void
perfdata_call_recognised(struct perfdata_call *call, packet_info *pinfo)
{
    struct server *server = perfdata_server_answering(pinfo);
    /* An earlier answer may have made the same handle known since the request. */
    const struct open_handle *opened = find_handle(server, call->handle);

    call->by_signature = true;
    call->key = opened != NULL && opened->key != NULL ? opened->key
                                                      : add_key(server, call->handle, PERFDATA_LANGUAGE_ENGLISH, 0);
}
