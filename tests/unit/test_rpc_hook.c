/* test_rpc_hook.c
 * Our functions among an interface's own: which are called, with what, and what stays Wireshark's
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/rpc-call.h"

#include <string.h>

#include "check.h"

static const e_guid_t first_uuid = { 1, 2, 3, { 4 } }, second_uuid = { 1, 2, 3, { 5 } },
                      absent_uuid = { 1, 2, 3, { 6 } };

/* In place of what packet-dcerpc keeps of interfaces. */
static guint
key_hash(const void *key)
{
    return ((const guid_key *)key)->guid.data4[0];
}

static gboolean
key_equal(const void *a, const void *b)
{
    const guid_key *one = (const guid_key *)a, *two = (const guid_key *)b;

    return guid_cmp(&one->guid, &two->guid) == 0 && one->ver == two->ver;
}

/* Each function returns what tells it from the others, and notes what it was given. */
static struct ndr given;

/* clang-format off */
#define WIRESHARKS(name, result) \
    static int name(tvbuff_t *tvb, int offset, packet_info *pinfo, proto_tree *tree, dcerpc_info *di, uint8_t *drep) \
    { \
        given = (struct ndr){ tvb, offset, pinfo, tree, di, drep }; \
        return result; \
    }
#define OURS(name, result) \
    static int name(struct ndr *stub) \
    { \
        given = *stub; \
        return result; \
    }
/* clang-format on */
WIRESHARKS(their_request_3, 103)
WIRESHARKS(their_response_3, 203)
WIRESHARKS(their_request_4, 104)
WIRESHARKS(their_response_4, 204)
WIRESHARKS(their_second_request, 113)
WIRESHARKS(their_second_response, 213)
OURS(our_request_3, 303)
OURS(our_response_3, 403)
OURS(our_response_4, 404)
OURS(our_second_request, 313)
OURS(our_absent, 1)

static const dcerpc_sub_dissector first_table[] = {
    { 3, "Three", their_request_3, their_response_3 },
    { 4, "Four", their_request_4, their_response_4 },
    { 5, "Five", their_request_4, NULL },
    { 6, "Six", NULL, their_response_4 },
    { 9, "Nine", their_request_4, their_response_4 },
    { 0, NULL, NULL, NULL },
};
static const dcerpc_sub_dissector second_table[] = {
    { 3, "Three of it", their_second_request, their_second_response },
    { 0, NULL, NULL, NULL },
};
static dcerpc_sub_dissector wiresharks_first[array_length(first_table)];
static dcerpc_sub_dissector wiresharks_second[array_length(second_table)];
static dcerpc_uuid_value first = { .procs = wiresharks_first }, second = { .procs = wiresharks_second };

static const dcerpc_sub_dissector *
operation(const dcerpc_uuid_value *interface, unsigned opnum)
{
    const dcerpc_sub_dissector *found = interface->procs;

    while (found->name != NULL && found->num != opnum) {
        found++;
    }
    return found;
}

static int places[5];

/* Asks a function of the table as packet-dcerpc does, with arguments that can be told apart. */
static int
call(dcerpc_dissect_fnct_t *function, const e_guid_t *uuid, uint16_t opnum)
{
    static dcerpc_call_value value;
    static dcerpc_info di;
    static uint8_t drep[4];
    int result;

    value = (dcerpc_call_value){ .uuid = *uuid, .opnum = opnum };
    di = (dcerpc_info){ .call_data = &value };
    result = function((tvbuff_t *)&places[0], 42, (packet_info *)&places[1], (proto_tree *)&places[2], &di, drep);
    CHECK(given.tvb == (tvbuff_t *)&places[0], "what the function was given");
    CHECK_EQUAL(given.offset, 42, "what the function was given");
    CHECK(given.pinfo == (packet_info *)&places[1], "what the function was given");
    CHECK(given.tree == (proto_tree *)&places[2], "what the function was given");
    CHECK(given.di == &di, "what the function was given");
    CHECK(given.drep == drep, "what the function was given");
    return result;
}

static int
ask_wireshark(const e_guid_t *uuid, uint16_t opnum, bool is_response)
{
    dcerpc_call_value value = { .uuid = *uuid, .opnum = opnum };
    dcerpc_info di = { .call_data = &value };
    uint8_t drep[4];
    const struct ndr stub = { (tvbuff_t *)&places[3], 17, (packet_info *)&places[1], (proto_tree *)&places[2], &di,
        drep };
    const int result = rpc_hook_ask_wireshark(&stub, is_response);

    CHECK(given.tvb == stub.tvb, "from where the stub is read on");
    CHECK_EQUAL(given.offset, 17, "from where the stub is read on");
    CHECK(given.pinfo == stub.pinfo, "from where the stub is read on");
    CHECK(given.tree == stub.tree, "from where the stub is read on");
    CHECK(given.di == &di, "from where the stub is read on");
    CHECK(given.drep == drep, "from where the stub is read on");
    return result;
}

static void
check_hooked_operation_is_ours_alone(void)
{
    const dcerpc_sub_dissector *three = operation(&first, 3), *four = operation(&first, 4),
                               *nine = operation(&first, 9);
    const dcerpc_sub_dissector *of_second = operation(&second, 3);

    CHECK_EQUAL(call(three->dissect_rqst, &first_uuid, 3), 303, "both");
    CHECK_EQUAL(call(three->dissect_resp, &first_uuid, 3), 403, "both");
    CHECK_EQUAL(call(four->dissect_rqst, &first_uuid, 4), 104, "the response alone");
    CHECK_EQUAL(call(four->dissect_resp, &first_uuid, 4), 404, "the response alone");
    CHECK_EQUAL(call(nine->dissect_rqst, &first_uuid, 9), 104, "neither");
    CHECK_EQUAL(call(nine->dissect_resp, &first_uuid, 9), 204, "neither");
    CHECK_EQUAL(call(of_second->dissect_rqst, &second_uuid, 3), 313, "the same number of another interface");
    CHECK_EQUAL(call(of_second->dissect_resp, &second_uuid, 3), 213, "the same number of another interface");
    CHECK(operation(&first, 5)->dissect_rqst == their_request_4, "what Wireshark does not dissect stays so");
    CHECK(operation(&first, 5)->dissect_resp == NULL, "what Wireshark does not dissect stays so");
    CHECK(operation(&first, 6)->dissect_rqst == NULL, "what Wireshark does not dissect stays so");
    CHECK(operation(&first, 6)->dissect_resp == their_response_4, "what Wireshark does not dissect stays so");

    CHECK_EQUAL(ask_wireshark(&first_uuid, 3, false), 103, "Wireshark's");
    CHECK_EQUAL(ask_wireshark(&first_uuid, 3, true), 203, "Wireshark's");
    CHECK_EQUAL(ask_wireshark(&first_uuid, 4, true), 204, "of each");
    CHECK_EQUAL(ask_wireshark(&second_uuid, 3, false), 113, "of each");
    CHECK_EQUAL(ask_wireshark(&second_uuid, 3, true), 213, "of another");
}

static void
check_wiresharks_tables_are_not_written(void)
{
    size_t count = 0;

    CHECK_EQUAL(memcmp(wiresharks_first, first_table, sizeof first_table), 0, "Wireshark's own are never written");
    CHECK_EQUAL(memcmp(wiresharks_second, second_table, sizeof second_table), 0, "Wireshark's own are never written");
    while (first.procs[count].name != NULL) {
        CHECK(first.procs[count].num == first_table[count].num &&
                strcmp(first.procs[count].name, first_table[count].name) == 0,
            "%zu", count);
        count++;
    }
    CHECK(count == array_length(first_table) - 1, "as many as before, not %zu", count);
}

static void
check_operation_has_its_name(void)
{
    const char *three = rpc_operation_name(&first_uuid, 7, 3), *nine = rpc_operation_name(&first_uuid, 7, 9),
               *other = rpc_operation_name(&second_uuid, 1, 3);

    CHECK(three != NULL, "first and last");
    if (three != NULL) {
        CHECK_STRING(three, "Three", "first and last");
        CHECK(nine != NULL, "first and last");
        CHECK_STRING(nine, "Nine", "first and last");
    }
    CHECK(other != NULL, "another's");
    if (other != NULL) {
        CHECK_STRING(other, "Three of it", "another's");
    }
    CHECK(rpc_operation_name(&first_uuid, 7, 7) == NULL, "no such");
    CHECK(rpc_operation_name(&first_uuid, 7, 0) == NULL, "no such");
    CHECK(rpc_operation_name(&first_uuid, 1, 3) == NULL, "no such interface");
    CHECK(rpc_operation_name(&absent_uuid, 7, 3) == NULL, "no such interface");
}

int
main(void)
{
    static guid_key first_key, second_key;
    static const struct rpc_hook hooks[] = {
        { &first_uuid, 7, 9, our_absent, our_absent }, /* not given: nothing comes before the first */
        { &first_uuid, 7, 3, our_request_3, our_response_3 }, { &first_uuid, 7, 4, NULL, our_response_4 },
        { &first_uuid, 7, 5, our_absent, our_absent }, { &first_uuid, 7, 6, our_absent, our_absent },
        { &first_uuid, 7, 7, our_absent, our_absent }, { &absent_uuid, 7, 3, our_absent, our_absent },
        { &absent_uuid, 7, 9, our_absent, our_absent }, /* which the one before has, and keeps */
        { &second_uuid, 1, 3, our_second_request, NULL }, { &absent_uuid, 7, 3, our_absent, our_absent },
        { &first_uuid, 7, 9, our_absent, our_absent }, /* nor does anything behind the last */
    };

    wmem_init_scopes();
    memcpy(wiresharks_first, first_table, sizeof first_table);
    memcpy(wiresharks_second, second_table, sizeof second_table);
    first_key = (guid_key){ first_uuid, 7 };
    second_key = (guid_key){ second_uuid, 1 };
    dcerpc_uuids = g_hash_table_new(key_hash, key_equal);
    g_hash_table_insert(dcerpc_uuids, &first_key, &first);
    g_hash_table_insert(dcerpc_uuids, &second_key, &second);
    rpc_hook(hooks + 1, array_length(hooks) - 2);
    check_hooked_operation_is_ours_alone();
    check_wiresharks_tables_are_not_written();
    check_operation_has_its_name();
    return check_result();
}
