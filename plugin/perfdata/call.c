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
    const struct catalog_server *server;
    uint8_t handle[POLICY_HANDLE_SIZE];
};

static wmem_map_t *calls;       /* dcerpc_call_value * -> struct perfdata_call; file scope */
static wmem_map_t *keys;        /* struct handle_id -> struct perfdata_key, those open now; file scope */

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
handle_id(const struct catalog_server *server, const uint8_t *handle)
{
    struct handle_id id = { server, { 0 } };

    memcpy(id.handle, handle, POLICY_HANDLE_SIZE);
    return id;
}

static struct perfdata_key *
find_key(const struct catalog_server *server, const uint8_t *handle)
{
    const struct handle_id id = handle_id(server, handle);

    return (struct perfdata_key *)wmem_map_lookup(keys, &id);
}

static struct perfdata_key *
add_key(const struct catalog_server *server, const uint8_t *handle, unsigned unnamed_language, uint32_t opened_in)
{
    const struct handle_id id = handle_id(server, handle);
    struct perfdata_key *key = wmem_new0(wmem_file_scope(), struct perfdata_key);

    memcpy(key->handle, handle, POLICY_HANDLE_SIZE);
    key->server = server;
    key->unnamed_language = unnamed_language;
    key->opened_in = opened_in;
    wmem_map_insert(keys, wmem_memdup(wmem_file_scope(), &id, sizeof id), key);
    return key;
}

void
perfdata_call_init(void)
{
    calls = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    keys = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), handle_id_hash, handle_id_equal);
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

struct catalog_server *
perfdata_server_asked(const packet_info *pinfo)
{
    return catalog_server(&pinfo->dst, pinfo->destport);
}

struct catalog_server *
perfdata_server_answering(const packet_info *pinfo)
{
    return catalog_server(&pinfo->src, pinfo->srcport);
}

void
perfdata_call_note_key(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo)
{
    if (tvb_captured_length_remaining(tvb, offset) >= POLICY_HANDLE_SIZE) {
        tvb_memcpy(tvb, call->handle, offset, POLICY_HANDLE_SIZE);
        call->key = find_key(perfdata_server_asked(pinfo), call->handle);
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
    if (call->key != NULL && call->key->names_only
        && (name == NULL || perfdata_asked(name, 0, &language) == PERFDATA_ASKED_BLOCK)) {
        call->key = NULL;
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

void
perfdata_call_note_path(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di,
    uint8_t *drep)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
    const char *path = winreg_read_string(&n);

    call->opens_names = path != NULL && perfdata_names_key(path, &call->language);
}

/* NULL where it was not opened. */
static struct perfdata_key *
read_opened(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, unsigned language)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };
    uint8_t handle[POLICY_HANDLE_SIZE];

    if (tvb_captured_length_remaining(tvb, offset) < POLICY_HANDLE_SIZE + 4 || ndr_uint32(&n, -1) != 0) {
        return NULL;
    }
    tvb_memcpy(tvb, handle, offset, POLICY_HANDLE_SIZE);
    return add_key(perfdata_server_answering(pinfo), handle, language, pinfo->num);
}

void
perfdata_call_opened(tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di, uint8_t *drep, unsigned language)
{
    read_opened(tvb, offset, pinfo, di, drep, language);
}

void
perfdata_call_opened_key(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di,
    uint8_t *drep)
{
    struct perfdata_key *key;

    if (call->opens_names) {
        key = read_opened(tvb, offset, pinfo, di, drep, call->language);
        if (key != NULL) {
            key->names_only = true;
        }
    }
}

void
perfdata_call_closed(struct perfdata_call *call, tvbuff_t *tvb, int offset, packet_info *pinfo, dcerpc_info *di,
    uint8_t *drep)
{
    struct ndr n = { tvb, offset + POLICY_HANDLE_SIZE, pinfo, NULL, di, drep };

    if (call->key != NULL && tvb_captured_length_remaining(tvb, offset) >= POLICY_HANDLE_SIZE + 4
        && ndr_uint32(&n, -1) == 0) {
        const struct handle_id id = handle_id(call->key->server, call->key->handle);

        wmem_map_remove(keys, &id);
        call->key->closed_in = pinfo->num;
    }
}

void
perfdata_call_recognised(struct perfdata_call *call, packet_info *pinfo)
{
    struct catalog_server *server = perfdata_server_answering(pinfo);

    call->by_signature = true;
    /* An earlier answer may have made the same handle known since the request. */
    call->key = find_key(server, call->handle);
    if (call->key == NULL) {
        call->key = add_key(server, call->handle, PERFDATA_LANGUAGE_ENGLISH, 0);
    }
}
