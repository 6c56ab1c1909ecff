/* test_perfdata_missing.c
 * What a value name asked for and its answer did not hold: in words, and as statistics are told of it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include <string.h>

#include <epan/tap.h>

#include "base/win32-names.h"
#include "check.h"
#include "counters/record.h"
#include "perfdata/polls.h"

#define TAP 5

static perflib_bool is_listening;
static const struct perf_tap_missing *told;
static packet_info pinfo;

/* In place of Wireshark's tap, and of what servers taught: that 238 is the processor, from frame 10 on. */
int
register_tap(const char *name)
{
    CHECK(strcmp(name, "perfdata_missing") == 0, "%s", name);
    return TAP;
}

perflib_bool
have_tap_listener(int tap)
{
    return is_listening && tap == TAP;
}

void
tap_queue_packet(int tap, packet_info *to, const void *data)
{
    CHECK(tap == TAP && to == &pinfo && told == NULL, "tap %d", tap);
    told = (const struct perf_tap_missing *)data;
}

const char *
server_host(const struct server *server)
{
    return (const char *)server;
}

struct catalog_text
catalog_title(const struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t frame)
{
    CHECK(strcmp(server_host(server), "SAYS") == 0 && kind == CATALOG_NAME, "of another server");
    return (struct catalog_text){ index == 99238 && frame >= 10 ? "Prozessor" : NULL, 10 };
}

void
catalog_learn_title(struct server *server, uint32_t index, enum catalog_text_kind kind, uint32_t lcid, const char *text,
    uint32_t frame)
{
    (void)server;
    (void)index;
    (void)kind;
    (void)lcid;
    (void)frame;
    CHECK(false, "%s is learned", text);
}

static char host[] = "PC", says[] = "SAYS";
static struct perfdata_object objects[3];
static struct perfdata_block block;
static struct perfdata_poll poll;
static struct perfdata_key key;
static struct perfdata_call call;
static struct perfdata_answer answer;

/* An answer with the objects 99238 and 99004, to a call for that value. */
static void
begin(const char *value_name)
{
    objects[0].name_index = 99238;
    objects[1].name_index = 99004;
    objects[2].name_index = 99006; /* which is none of the block's */
    block = (struct perfdata_block){ .objects = objects, .objects_read = 2 };
    poll = (struct perfdata_poll){ .base = { .scope = pinfo.pool, .frame = 10 },
        .block = &block,
        .server = (struct server *)(void *)says };
    key = (struct perfdata_key){ .server = (struct server *)(void *)host };
    call = (struct perfdata_call){ .key = &key, .value_name = value_name };
    answer = (struct perfdata_answer){ .is_own = true, .has_error = true, .poll = &poll };
    told = NULL;
}

static void
check_objects(const char *value_name, const char *expected)
{
    const char *text;

    begin(value_name);
    text = perfdata_missing_objects(&pinfo, &call, &answer);
    CHECK(expected == NULL ? text == NULL : text != NULL && strcmp(text, expected) == 0, "%s: %s", value_name, text);
}

static void
test_objects(void)
{
    check_objects("99238", NULL);
    check_objects("99238 99004", NULL);
    check_objects("99006", "99006");
    check_objects("99006 99238 99008 99006", "99006, 99008");
    check_objects("99001 99002 99003 99005 99006 99007 99008 99009 99010 99011",
        "99001, 99002, 99003, 99005, 99006, 99007, 99008, 99009, 99010, 99011");
    check_objects("99001 99002 99003 99005 99006 99007 99008 99009 99010 99011 99012 99238 99013",
        "99001, 99002, 99003, 99005, 99006, 99007, 99008, 99009, 99010, 99011 and 2 more");
    check_objects("Global", NULL);
    check_objects("Foreign PC 99006", NULL);
    begin("99238");
    objects[0].name_index = 1;
    CHECK(strcmp(perfdata_missing_objects(&pinfo, &call, &answer), "99238 (Prozessor)") == 0, "its name");
    poll.base.frame = 9;
    CHECK(strcmp(perfdata_missing_objects(&pinfo, &call, &answer), "99238") == 0, "a name that was taught later");

    /* Where the block is not all that the server had to say, nothing is said. */
    for (unsigned i = 0; i < 8; i++) {
        begin(i == 0 ? NULL : "99006");
        switch (i) {
        case 1: answer.poll = NULL; break;
        case 2: poll.block = NULL; break;
        case 3: answer.failed = true; break;
        case 4: answer.is_own = false; break;
        case 5: block.incomplete = true; break;
        case 6: block.cut_by_capture = true; break;
        case 7: block.header_only = true; break;
        default: break;
        }
        CHECK(perfdata_missing_objects(&pinfo, &call, &answer) == NULL, "case %u", i);
    }
}

static void
check_item(unsigned i, enum perf_tap_missing_kind kind, const char *what, const char *why, uint32_t pdh)
{
    if (told == NULL || i >= told->num_items) {
        CHECK(false, "nothing told");
        return;
    }
    CHECK(told->items[i].kind == kind && strcmp(told->items[i].what, what) == 0 && told->items[i].pdh == pdh &&
            (why == NULL ? told->items[i].why == NULL
                         : told->items[i].why != NULL && strcmp(told->items[i].why, why) == 0),
        "%d, %s, %s, %08x", told->items[i].kind, told->items[i].what, told->items[i].why, told->items[i].pdh);
}

#define CHECK_TOLD(count) \
    CHECK(told != NULL && told->num_items == (count) && strcmp(told->host, "PC") == 0 && told->needed == NULL, "%u", \
        told == NULL ? 0 : told->num_items)

static void
test_records(void)
{
    const struct perf_tap_poll values = { .num_samples = 0 };

    /* Nobody listens. */
    begin("99006");
    CHECK(!perfdata_missing_is_wanted(), "wanted");
    perfdata_missing_request(&pinfo, &call);
    perfdata_missing_answer(&pinfo, &call, &answer, &values);
    perfdata_missing_fault(&pinfo, &call, "a fault", 5);
    perfdata_missing_needed(&pinfo, "a key");
    CHECK(told == NULL, "told");

    is_listening = true;
    CHECK(perfdata_missing_is_wanted(), "not wanted");
    perfdata_missing_request(&pinfo, &call);
    CHECK_TOLD(1);
    check_item(0, MISSING_ASKED, "value \"99006\"", "not captured: its answer", 0);
    begin(NULL);
    perfdata_missing_request(&pinfo, &call);
    check_item(0, MISSING_ASKED, "value \"?\"", "not captured: its answer", 0);

    begin("99006 99238");
    perfdata_missing_answer(&pinfo, &call, &answer, &values);
    CHECK_TOLD(3);
    CHECK(told->values == &values, "its values");
    check_item(0, MISSING_RECEIVED, "value \"99006 99238\"", NULL, 0);
    check_item(1, MISSING_REFUSED, "object 99006", "no such object in the answer", 0xC0000BB8);
    check_item(2, MISSING_RECEIVED, "object 99238 (Prozessor)", NULL, 0xC0000BB8);
    begin("99006");
    perfdata_missing_answer(&pinfo, &call, &answer, NULL);
    CHECK_TOLD(2);
    CHECK(told->values == NULL, "it has no values");

    /* Why nothing came. */
    begin("99006");
    answer.failed = true;
    answer.error = 5;
    perfdata_missing_answer(&pinfo, &call, &answer, NULL);
    CHECK_TOLD(1);
    check_item(0, MISSING_REFUSED, "value \"99006\"", "ERROR_ACCESS_DENIED", 0xC0000BDB);
    begin("99006");
    answer.failed = true;
    answer.error = 0xABCDE;
    perfdata_missing_answer(&pinfo, &call, &answer, NULL);
    check_item(0, MISSING_REFUSED, "value \"99006\"", "unknown error", 0);
    begin("99006");
    answer.failed = true;
    answer.has_error = false;
    answer.error = 5;
    perfdata_missing_answer(&pinfo, &call, &answer, NULL);
    check_item(0, MISSING_REFUSED, "value \"99006\"", "not captured: the return code", 0);
    told = NULL;
    answer.is_broken = true;
    perfdata_missing_answer(&pinfo, &call, &answer, NULL);
    check_item(0, MISSING_REFUSED, "value \"99006\"", "answer without a return code", 0);
    begin("99006");
    answer.is_own = false;
    perfdata_missing_answer(&pinfo, &call, &answer, &values);
    CHECK(told == NULL, "nobody's answer");

    begin("99006");
    perfdata_missing_fault(&pinfo, &call, "nca_s_fault_access_denied", 5);
    CHECK_TOLD(1);
    check_item(0, MISSING_REFUSED, "value \"99006\"", "fault nca_s_fault_access_denied", 0xC0000BDB);
    begin("99006");
    perfdata_missing_needed(&pinfo, NULL);
    CHECK(told == NULL, "nothing is needed");
    perfdata_missing_needed(&pinfo, "a key");
    CHECK(told != NULL && strcmp(told->needed, "a key") == 0 && told->num_items == 0 && told->values == NULL, "a key");
}

int
main(void)
{
    wmem_init_scopes();
    pinfo.pool = wmem_epan_scope();
    win32_names_init();
    perfdata_missing_init();
    test_objects();
    test_records();
    return check_result();
}
