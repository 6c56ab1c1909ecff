/* seen.c
 * Results of the first dissection of PDUs, for later passes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "session/pdu-ctx.h"

#include "base/hash.h"

struct seen_key {
    uint32_t frame;
    uint32_t offset; /* offset of the PDU in its data source */
    uint32_t length; /* stub length, so that a decrypted stub is never shown for a PDU of another length */
    uint32_t call_id;
    uint32_t mark[2]; /* last bytes of the verifier, to distinguish PDUs in different data sources of a frame */
};

HASH_BYTES(seen_key, sizeof(struct seen_key))

static wmem_map_t *all_seen; /* struct seen_key to struct session_seen */
static bool any_kept;        /* true if seen_keep() was called: unencrypted PDUs must be looked up, too */

void
seen_reset(void)
{
    any_kept = false;
    all_seen = wmem_map_new(wmem_file_scope(), seen_key_hash, seen_key_equal);
}

struct session_seen *
seen_find(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, bool makes)
{
    struct session_seen *seen;
    struct seen_key key;

    memset(&key, 0, sizeof key);
    key.frame = pinfo->num;
    key.offset = (uint32_t)tvb_raw_offset(tvb) + pdu->at;
    key.length = pdu->stub_length;
    key.call_id = pdu->call_id;
    if (pdu->has_trailer && pdu->auth_length >= sizeof key.mark) {
        tvb_memcpy(tvb, key.mark, (int)(pdu->at + pdu->auth_at + pdu->auth_length - sizeof key.mark), sizeof key.mark);
    }
    seen = (struct session_seen *)wmem_map_lookup(all_seen, &key);
    if (seen == NULL && makes && !pinfo->fd->visited) {
        seen = wmem_new0(wmem_file_scope(), struct session_seen);
        wmem_map_insert(all_seen, wmem_memdup(wmem_file_scope(), &key, sizeof key), seen);
    }
    return seen;
}

struct session_seen *
seen_keep(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    any_kept = true;
    return seen_find(tvb, pdu, pinfo, true);
}

const char *
seen_refuse(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo, const char *reason)
{
    seen_keep(tvb, pdu, pinfo)->refused = reason;
    return reason;
}

const char *
seen_refusal(tvbuff_t *tvb, const struct rpc_pdu *pdu, const packet_info *pinfo)
{
    const struct session_seen *seen = any_kept ? seen_find(tvb, pdu, pinfo, false) : NULL;

    return seen == NULL ? NULL : seen->refused;
}

bool
seen_any_of(tvbuff_t *tvb, const struct rpc_pdus *all, const packet_info *pinfo)
{
    for (unsigned i = 0; any_kept && i < all->count; i++) {
        if (seen_find(tvb, &all->pdus[i], pinfo, false) != NULL) {
            return true;
        }
    }
    return false;
}

struct session_pdu *
seen_new_record(struct pdu_ctx *p)
{
    struct session_pdu *record = wmem_new0(p->pinfo->pool, struct session_pdu);
    struct session_seen *seen = p->seen;

    record->transport = p->transport->kind;
    record->header = p->pdu;
    if (!p->pinfo->fd->visited) {
        const struct binding *binding =
            pdu_has_stub(&p->pdu) ? calls_binding_of(&p->pipe->calls, p->pdu.context) : NULL;

        record->calls = &p->pipe->calls;
        record->call = p->call == NULL ? NULL : &p->call->rpc;
        if (binding != NULL && binding->recognition != NULL) {
            seen = seen_keep(p->tvb, &p->pdu, p->pinfo);
            seen->binding = binding;
            seen->of = p->call;
        } else if (any_kept && seen == NULL) {
            seen = seen_find(p->tvb, &p->pdu, p->pinfo, false);
        }
        record->binding = binding;
    }
    if (seen != NULL) {
        record->binding = record->binding != NULL ? record->binding : seen->binding;
        record->call = record->call != NULL || seen->of == NULL ? record->call : &seen->of->rpc;
        record->lacks_beginning = seen->lacks_beginning;
    }
    return record;
}
