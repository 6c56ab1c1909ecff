/* winreg.h
 * Wireshark's dissector of the remote registry: our functions in its operation table, and parameters shown as it
 * shows them
 *
 * Wireshark's dissector stays: it is asked for everything that is not performance data. [MS-RRP] 3.1.5.
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
    WINREG_QUERY_MULTIPLE_VALUES = 29,
    WINREG_OPEN_PERFORMANCE_TEXT = 32,
    WINREG_OPEN_PERFORMANCE_NLS_TEXT = 33,
    WINREG_QUERY_MULTIPLE_VALUES_2 = 34,
};

/* Registers what is shown beside winreg's own fields; expert items are of proto. */
void winreg_register(int proto);
/* The interface, [MS-RRP] 1.9. */
extern const e_guid_t winreg_uuid;
#define WINREG_VERSION 1

/* At handoff: puts these functions into winreg's operation table, if this Wireshark has the fields that they show. */
void winreg_hook(const struct rpc_hook *operations, size_t count);

/* Wireshark's own fields, so that its filters and columns go on working. */
extern struct winreg_own_fields {
    int referent_id, referent_id64, null_pointer;
    int handle, name_len, name_size, value_name, type, data_size, data_length, error;
    int value_length, value_offset, buffer_size, needed;
} winreg;

/* Parameters. Each reads, shows below n->tree and advances. */

void winreg_handle(struct ndr *n);
/* A winreg_String that is a value name. */
void winreg_value_name(struct ndr *n);
/* The pointer of a unique parameter; returns whether it points. *sub receives the tree of what it points to. */
bool winreg_pointer(struct ndr *n, const char *label, proto_tree **sub);
/* The type of a registry value, [MS-RRP] 2.2.9: behind a pointer, and as it stands in an entry of several values. */
void winreg_type(struct ndr *n);
void winreg_plain_type(struct ndr *n);
/* Behind a pointer; 0 where that is NULL. */
uint32_t winreg_data_size(struct ndr *n);
uint32_t winreg_data_length(struct ndr *n);
/* What stands behind several values: the size of the buffer, named as the operation names it. */
uint32_t winreg_buffer_size(struct ndr *n);
/*
 * The array of bytes behind a pointer; NULL where there is none. Of a count that lies beyond the stub, what stands
 * before the stub's last tail bytes is taken, so that those can still be read. sub NULL: nothing is shown nor told.
 */
tvbuff_t *winreg_data(struct ndr *n, unsigned tail, proto_tree **sub);
/* Tells of a count or an offset that leads beyond the stub: of these bytes, which are captured, below tree. */
void winreg_tell_overrun(const struct ndr *n, proto_tree *tree, int offset, int size, const char *text);

/*
 * The text of a winreg_String, without items, as far as it was captured. NULL where there is none. Packet scope.
 */
const char *winreg_read_string(struct ndr *n);

/* Whether decrypted bytes can be a stub of the remote registry */

/* ---- sense.c ---- */

/* See stub_check; [MS-RRP] 3.1.5. */
int winreg_sense(const struct stub_sample *sample);

/* Whether a stub without a bind can only be one of the remote registry: see stub_recogniser. */
bool winreg_proves(const struct stub_sample *sample);

#endif /* PERFLIB_PERFDATA_WINREG_H */
