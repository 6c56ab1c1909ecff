/* winreg.h
 * Wireshark's dissector of the remote registry (winreg): hooks into its operation table, and functions that show
 * parameters as it does
 *
 * Wireshark's dissector remains in use for everything but performance data. [MS-RRP] 3.1.5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFDATA_WINREG_H
#define PERFLIB_PERFDATA_WINREG_H

#include "base/rpc-call.h"
#include "base/stub-check.h"

enum winreg_opnum {
    WINREG_OPEN_CLASSES_ROOT = 0,
    WINREG_OPEN_CURRENT_USER = 1,
    WINREG_OPEN_LOCAL_MACHINE = 2,
    WINREG_OPEN_PERFORMANCE_DATA = 3,
    WINREG_OPEN_USERS = 4,
    WINREG_CLOSE_KEY = 5,
    WINREG_CREATE_KEY = 6,
    WINREG_OPEN_KEY = 15,
    WINREG_QUERY_VALUE = 17,
    WINREG_OPEN_CURRENT_CONFIG = 27,
    WINREG_OPEN_DYN_DATA = 28,
    WINREG_QUERY_MULTIPLE_VALUES = 29,
    WINREG_OPEN_PERFORMANCE_TEXT = 32,
    WINREG_OPEN_PERFORMANCE_NLS_TEXT = 33,
    WINREG_QUERY_MULTIPLE_VALUES_2 = 34,
};

/* Registers the items shown in addition to winreg's fields; expert items belong to proto. */
void winreg_register(int proto);
/* UUID of the interface, [MS-RRP] 1.9 */
extern const e_guid_t winreg_uuid;
#define WINREG_VERSION 1

/* Hooks operations of winreg, at handoff, if this Wireshark has the fields that they show. */
void winreg_hook(const struct rpc_hook *operations, size_t count);

/* Wireshark's own fields, so that its filters and columns still work */
extern struct winreg_own_fields {
    int referent_id, referent_id64, null_pointer;
    int handle, name_len, name_size, value_name, type, data_size, data_length, error;
    int value_length, value_offset, buffer_size, needed;
} winreg;

/* Parameters: each function reads one, adds items to n->tree and advances. */

void winreg_handle(struct ndr *n);
/* Reads a winreg_String that is a value name. */
void winreg_value_name(struct ndr *n);
/*
 * Reads the pointer of a unique parameter. Returns false if the pointer is NULL; *sub receives the subtree of its
 * target.
 */
bool winreg_pointer(struct ndr *n, const char *label, proto_tree **sub);
/* Read the type of a value, [MS-RRP] 2.2.9: winreg_type() through a unique pointer, winreg_plain_type() without one. */
void winreg_type(struct ndr *n);
void winreg_plain_type(struct ndr *n);
/* Read lpcbData or lpcbLen of QueryValue, [MS-RRP] 3.1.5.17; 0 if the pointer is NULL. */
uint32_t winreg_data_size(struct ndr *n);
uint32_t winreg_data_length(struct ndr *n);
/* Reads the buffer's size after its bytes: ldwTotsize of QueryMultipleValues, or ldwRequiredSize of ...Values2. */
uint32_t winreg_buffer_size(struct ndr *n);
/*
 * Reads the byte array of a pointer. Returns NULL if the pointer is NULL. If the array's count exceeds the stub, the
 * array ends tail bytes before the stub's end, so that the parameters there can still be read. sub NULL: adds no items.
 */
tvbuff_t *winreg_data(struct ndr *n, unsigned tail, proto_tree **sub);
/* Adds an expert item about a count or offset that exceeds the stub. offset, size: bytes to highlight, all captured. */
void winreg_tell_overrun(const struct ndr *n, proto_tree *tree, int offset, int size, const char *text);

/* Returns the captured part of a winreg_String, or NULL if there is none. Adds no items. Packet scope. */
const char *winreg_read_string(struct ndr *n);

/* Plausibility of decrypted bytes as a stub of the remote registry */

/* ---- sense.c ---- */

/* Rates a stub as evidence for the remote registry, [MS-RRP] 3.1.5. A stub_check. */
int winreg_sense(const struct stub_sample *sample);

/* Returns whether an answer fits a context that was recognised as the remote registry. A stub_fit_check. */
enum stub_fit winreg_fit(const struct stub_kind *kind, const struct stub_sample *sample, packet_info *pinfo);
/* Returns whether a stub without a bind can only be of the remote registry, see stub_recogniser. */
bool winreg_proves(const struct stub_sample *sample);

#endif /* PERFLIB_PERFDATA_WINREG_H */
