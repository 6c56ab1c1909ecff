/* fragment-text.c
 * Columns of a frame that holds the last fragment of a reassembled PDU
 *
 * Why: packet-dcerpc describes the frame's first fragment and closes the columns, so they would not show the operation
 * of the PDU that the frame completes.
 *
 * What would break this: another wording of its text in the Info column. Then the columns stay as packet-dcerpc left
 * them.
 *
 * Tried: Wireshark 4.0.17, 4.4.19, 4.6.9.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <string.h>

#include <epan/column-utils.h>

/* packet-dcerpc's column text for a first or middle fragment: "Response: call_id: 15, Fragment: Mid, ..." */
#define CALL_ID  " call_id: "
#define FRAGMENT ", Fragment: "

/* Returns whether packet-dcerpc's text from CALL_ID to end describes a fragment of this call. */
static bool
is_of_call(const char *said, const char *end, uint32_t call_id)
{
    const char *fragment = g_strstr_len(said, end - said, FRAGMENT);

    if (fragment == NULL || g_ascii_strtoull(said + strlen(CALL_ID), NULL, 10) != call_id ||
        g_strstr_len(fragment, end - fragment, CALL_ID) != NULL) {
        return false;
    }
    fragment += strlen(FRAGMENT);
    return g_str_has_prefix(fragment, "First") || g_str_has_prefix(fragment, "Mid");
}

void
fragment_text_drop(tvbuff_t *stub, packet_info *pinfo, const dcerpc_info *di, const char *protocol)
{
    const char *kind = di->ptype == PDU_REQ ? " request" : " response";
    column_info *cinfo = pinfo->cinfo;
    /* Only a reassembled stub is at offset 0 of its data source. For other stubs the columns stay as they are. */
    const char *text = cinfo == NULL || tvb_raw_offset(stub) != 0 ? NULL : col_get_text(cinfo, COL_INFO);
    const char *said = text == NULL ? NULL : strstr(text, CALL_ID);
    const char *operation;
    bool was_writable;

    /*
     * Leaves the columns alone unless Info ends with packet-dcerpc's text of a fragment, the operation (one word), and
     * " request" or " response".
     */
    if (said == NULL || !g_str_has_suffix(said, kind)) {
        return;
    }
    /* Both loops end within the text: CALL_ID contains blanks. */
    operation = said + strlen(said) - strlen(kind);
    while (g_ascii_isdigit(operation[-1])) {
        operation--;
    }
    while (g_ascii_isalpha(operation[-1])) {
        operation--;
    }
    if (!is_of_call(said, operation, di->call_id)) {
        return;
    }
    operation = wmem_strdup(pinfo->pool, operation);
    col_clear_fence(cinfo, COL_INFO);
    col_add_str(cinfo, COL_INFO, operation);
    was_writable = col_get_writable(cinfo, COL_PROTOCOL);
    col_set_writable(cinfo, COL_PROTOCOL, true);
    col_add_str(cinfo, COL_PROTOCOL, protocol);
    col_set_writable(cinfo, COL_PROTOCOL, was_writable);
}
