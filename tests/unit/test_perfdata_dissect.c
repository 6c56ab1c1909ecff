/* test_perfdata_dissect.c
 * Calls of the registry about performance data, from stub to items, Info column and records; what they teach
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "compat.h"

#include "fake-dissector.h"
#include "perfdata-build.h"
#include "perfdata/answer.h"
#include "perfdata/polls.h"
#include "plugin.h"

/* What has tests of its own. */
static const char *const hidden[] = { "winreg.", "Value Name", "dcerpc.", "perfdata.table",
    "perfdata.counter_definition.counter_type.", "perfdata.data_block.system_time." };

static const char *const fake_protocol = "perfdata", *const fake_short_name = "PerfData";
static const e_guid_t *const fake_interface = &winreg_uuid;

/* In place of base/. */
static const struct rpc_hook *hooked;
static size_t num_hooked;
static unsigned asked_wireshark;

void
rpc_hook(const struct rpc_hook *hooks, size_t count)
{
    hooked = hooks;
    num_hooked = count;
}

int
rpc_hook_ask_wireshark(const struct ndr *of, bool is_response)
{
    (void)of;
    (void)is_response;
    asked_wireshark++;
    return -1;
}

const char *
rpc_operation_name(const e_guid_t *uuid, uint16_t version, unsigned opnum)
{
    CHECK(guid_cmp(uuid, &winreg_uuid) == 0 && version == 1, "version %u", version);
    return opnum == WINREG_QUERY_VALUE ? "QueryValue" : opnum == WINREG_OPEN_PERFORMANCE_DATA ? "OpenHKPD" : NULL;
}

int
winreg_sense(const struct stub_sample *sample)
{
    (void)sample;
    return 0;
}

bool
winreg_proves(const struct stub_sample *sample)
{
    return sample->length == 20;
}

/* Stubs: [MS-RRP] 3.1.5. */

/* 20 bytes; 0: no handle. */
static void
put_handle(uint32_t handle)
{
    PUT(0, handle, 0, 0, 0);
}

/* RRP_UNICODE_STRING with its terminator; NULL: none. */
static void
put_text(const char *text)
{
    const uint32_t units = text == NULL ? 0 : (uint32_t)strlen(text) + 1;

    put_number(2 * units, 2);
    put_number(2 * units, 2);
    PUT(text == NULL ? 0 : 0x20000);
    if (text != NULL) {
        PUT(units, 0, units);
        for (uint32_t i = 0; i < units; i++) {
            put_number((uint8_t)text[i], 2);
        }
    }
}

static struct ndr
packet_of(dcerpc_call_value *call, bool response, unsigned size)
{
    struct ndr n = { .pinfo = &pinfo, .di = &di, .drep = drep };

    fake_packet_begin(call, response);
    n.tvb =
        tvb_new_real_data((const uint8_t *)wmem_memdup(wmem_epan_scope(), stub.bytes, size), size - snapped, (int)size);
    n.tree = fake_tree_begin();
    g_string_assign(fake_columns[COL_INFO], "=");
    g_string_assign(fake_columns[COL_PROTOCOL], "WINREG");
    asked_wireshark = 0;
    return n;
}

/* Where the capture or the stub ends too early Wireshark says so. */
static int
end_of(rpc_stub_reader reader, struct ndr *n)
{
    volatile int end = -2;

    TRY
    {
        end = reader(n);
    }
    CATCH2(BoundsError, ReportedBoundsError)
    {
    }
    ENDTRY;
    return end;
}

/* Gives the stub that was built to our function for its operation; Wireshark is asked where there is none. */
static int
give(dcerpc_call_value *call, bool response)
{
    struct ndr n = packet_of(call, response, stub.size);

    for (size_t i = 0; i < num_hooked; i++) {
        const rpc_stub_reader reader = response ? hooked[i].response : hooked[i].request;

        if (hooked[i].opnum == call->opnum && guid_cmp(hooked[i].uuid, &winreg_uuid) == 0 && reader != NULL) {
            return end_of(reader, &n);
        }
    }
    CHECK(!response, "%u is not hooked", call->opnum);
    asked_wireshark++;
    return -1;
}

static dcerpc_call_value *
new_call(uint16_t opnum)
{
    dcerpc_call_value *call = wmem_new0(wmem_epan_scope(), dcerpc_call_value);

    call->uuid = winreg_uuid;
    call->opnum = opnum;
    begin_stub();
    return call;
}

/* The end of a call that opens a handle. */
static void
end_opening(dcerpc_call_value *call, uint32_t handle, uint32_t error)
{
    begin_stub();
    put_handle(handle);
    PUT(error);
    if (call->opnum == WINREG_CREATE_KEY) {
        PUT(1, 0);
    }
    give(call, true);
    CHECK(asked_wireshark == 1, "Wireshark shows it");
}

/* A call that opens a handle by what is asked of another; path NULL: a root. */
static dcerpc_call_value *
open_key(uint16_t opnum, uint32_t parent, const char *path, uint32_t handle, uint32_t error)
{
    dcerpc_call_value *call = new_call(opnum);

    put_handle(parent);
    if (path != NULL) {
        put_text(path);
    }
    PUT(0, 0);
    give(call, false);
    end_opening(call, handle, error);
    return call;
}

/* Of the request so many bytes are not captured. */
static void
close_key(uint32_t handle, unsigned cut)
{
    dcerpc_call_value *call = new_call(WINREG_CLOSE_KEY);

    put_handle(handle);
    snapped = cut;
    give(call, false);
    snapped = 0;
    begin_stub();
    put_handle(0);
    PUT(0);
    give(call, true);
}

static dcerpc_call_value *
query(uint32_t handle, const char *name, uint32_t room)
{
    dcerpc_call_value *call = new_call(WINREG_QUERY_VALUE);

    put_handle(handle);
    put_text(name);
    PUT(0x20004, 0, 0x20008, room, 0, 0, 0x2000c, room, 0x20010, 0);
    give(call, false);
    return call;
}

/* Where the data of an answer begin: behind the type and the counts of the array. */
#define DATA_AT 24

static void
answer(dcerpc_call_value *call, const uint8_t *data, unsigned size, uint32_t error)
{
    begin_stub();
    PUT(0x20004, 3, 0x20008, size, 0, size);
    memcpy(stub.bytes + stub.size, data, size);
    stub.size += size;
    PUT(0x2000c, size, 0x20010, size, error);
    give(call, true);
}

static const struct perfdata_tap *
answered(void)
{
    return (const struct perfdata_tap *)told_of("perfdata");
}

/* Somebody looks at the answer again, or Wireshark makes a second pass: it stays what it was. */
static void
check_same_again(dcerpc_call_value *call, const char *what)
{
    const char *before = fake_tree_text();

    pinfo.num--;
    pinfo.abs_ts.secs--;
    give(call, true);
    CHECK(strcmp(fake_tree_text(), before) == 0, "%s, before:\n%s\nand again:\n%s", what, before, fake_tree_text());
}

/* 238 is "Processor" and 6 "% Processor Time" on every Windows; 5000 and 5002 are nobody's. */
static void
build_poll(uint64_t value, uint64_t time_100ns)
{
    unsigned start;

    begin(false, 1);
    put(SYSTEM_TIME_AT + 2, 6, 2); /* 2020-06, */
    put(SYSTEM_TIME_AT + 4, 1, 2); /* a Monday, */
    put(SYSTEM_TIME_AT + 6, 15, 2);
    put(SYSTEM_TIME_AT + 8, 10, 2);
    put(SYSTEM_TIME_AT + 10, 20, 2);
    put(SYSTEM_TIME_AT + 12, 30, 2);
    put(SYSTEM_TIME_AT + 14, 400, 2);
    put(PERF_TIME_100NS_AT, time_100ns, 8);
    start = begin_object(238, 2, 2);
    add_counter(6, PERF_100NSEC_TIMER, 8, 8);
    add_counter(5002, PERF_COUNTER_RAWCOUNT, 4, 4);
    for (unsigned i = 0; i < 2; i++) {
        add_instance((char)('a' + i), 0, 0);
        add(16, 4);
        add(7 + i, 4);
        add(value, 8);
    }
    end_object(start);
    put(20, out.size, 4);
}

static void
test_poll(void)
{
    const struct perfdata_return *ended;
    const struct perf_tap_poll *values;
    dcerpc_call_value *call;

    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 1, 0);
    ended = (const struct perfdata_return *)told_of("perfdata_return");
    CHECK(ended != NULL && strcmp(ended->operation, "OpenPerformanceData") == 0 && ended->is_open && ended->error == 0,
        "the end of an opening");
    call = query(1, "238", 4096);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Processor, room for 4096 bytes") == 0 &&
            strcmp(fake_columns[COL_PROTOCOL]->str, "PerfData") == 0 && asked_wireshark == 0 &&
            strcmp(filtered, "238") == 0,
        "%s", fake_columns[COL_INFO]->str);
    CHECK(told_of("perfdata_missing") != NULL &&
            ((const struct perf_tap_missing *)told_of("perfdata_missing"))->num_items == 1,
        "what is asked for");
    CHECK(rpc_notes_get(0)->listener == listener && rpc_notes_get(0)->state == perfdata_call_find(&di), "who is told");
    CHECK_TREE("request", "Windows Performance Data, Processor, room for 4096 bytes 0+-1",
        "  [perfdata.value_name 0+0: 238]", "  [perfdata.requested 0+0: 238 (Processor, built in)]",
        "  [perfdata.handle.opened_in 0+0: 2]", "Pointer to Handle (policy_handle) 0+20",
        "Pointer to Type (winreg_Type) 48+4", "Pointer to Data (uint8) 56+4", "Pointer to Data Size (uint32) 72+4",
        "Pointer to Data Length (uint32) 80+4");
    build_poll(1000, 130000000000000000);
    answer(call, out.bytes, out.size, 0);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Processor: 1 object, 4 values, 336 bytes") == 0, "%s",
        fake_columns[COL_INFO]->str);
    CHECK_TREE("answer", "Windows Performance Data, Processor: 1 object, 4 values, 336 bytes 0+-1",
        "  [perfdata.value_name 0+0: 238]", "  [perfdata.requested 0+0: 238 (Processor, built in)]",
        "  [perfdata.handle.opened_in 0+0: 2]",
        "  perfdata.data_block 0+-1: (PC, 1 object, 4 values) Performance data block of PC, 1 object, 4 values",
        "    Data header, taken at 2020-06-15 10:20:30.400 UTC 0+96", "      perfdata.data_block.signature 0+8: PERF",
        "      perfdata.data_block.little_endian 8+4: 1", "      perfdata.data_block.version 12+4: 1",
        "      perfdata.data_block.revision 16+4: 1", "      perfdata.data_block.total_byte_length 20+4: 336",
        "      perfdata.data_block.header_length 24+4: 96", "      perfdata.data_block.num_object_types 28+4: 1",
        "      perfdata.data_block.default_object 32+4: -1",
        "      perfdata.data_block.system_time 36+16: 1592216430.400000000", "      perfdata.padding 52+4: eeeeeeee",
        "      perfdata.data_block.perf_time 56+8: 1229782938533634594",
        "      perfdata.data_block.perf_freq 64+8: 10000000",
        "      perfdata.data_block.perf_time_100nsec 72+8: 1355526400.000000000",
        "      perfdata.data_block.system_name_length 80+4: 6", "      perfdata.data_block.system_name_offset 84+4: 88",
        "      perfdata.data_block.system_name 88+6: PC", "      perfdata.padding 94+2: 0000",
        "    perfdata.object_type 96+240: (Processor(*)\\*, 2 instances, 2 counters) "
        "Object 0: Processor(*)\\*, 2 instances, 2 counters",
        "      perfdata.object_type.total_byte_length 96+4: 240",
        "      perfdata.object_type.definition_length 100+4: 144", "      perfdata.object_type.header_length 104+4: 64",
        "      perfdata.object_type.object_name_title_index 108+4: 238",
        "      perfdata.object_type.object_name_title 112+4: 0",
        "      perfdata.object_type.object_help_title_index 116+4: 239",
        "      perfdata.object_type.object_help_title 120+4: 0", "      perfdata.object_type.detail_level 124+4: 100",
        "      perfdata.object_type.num_counters 128+4: 2", "      perfdata.object_type.default_counter 132+4: -1",
        "      perfdata.object_type.num_instances 136+4: 2", "      perfdata.object_type.code_page 140+4: 0",
        "      perfdata.object_type.perf_time 144+8: 555", "      perfdata.object_type.perf_freq 152+8: 777",
        "      [perfdata.object.name 0+0: Processor (built in)]", "      2 counter definitions 160+80",
        "        perfdata.counter_definition 160+40: Counter 0: % Processor Time, PERF_100NSEC_TIMER",
        "          perfdata.counter_definition.byte_length 160+4: 40",
        "          perfdata.counter_definition.counter_name_title_index 164+4: 6",
        "          perfdata.counter_definition.counter_name_title 168+4: 0",
        "          perfdata.counter_definition.counter_help_title_index 172+4: 7",
        "          perfdata.counter_definition.counter_help_title 176+4: 0",
        "          perfdata.counter_definition.default_scale 180+4: -2",
        "          perfdata.counter_definition.detail_level 184+4: 200",
        "          perfdata.counter_definition.counter_type 188+4: 542180608",
        "          perfdata.counter_definition.counter_size 192+4: 8",
        "          perfdata.counter_definition.counter_offset 196+4: 8",
        "          [perfdata.counter.name 0+0: % Processor Time (built in)]",
        "        perfdata.counter_definition 200+40: Counter 1: 5002, PERF_COUNTER_RAWCOUNT",
        "          perfdata.counter_definition.byte_length 200+4: 40",
        "          perfdata.counter_definition.counter_name_title_index 204+4: 5002",
        "          perfdata.counter_definition.counter_name_title 208+4: 0",
        "          perfdata.counter_definition.counter_help_title_index 212+4: 5003",
        "          perfdata.counter_definition.counter_help_title 216+4: 0",
        "          perfdata.counter_definition.default_scale 220+4: -2",
        "          perfdata.counter_definition.detail_level 224+4: 200",
        "          perfdata.counter_definition.counter_type 228+4: 65536",
        "          perfdata.counter_definition.counter_size 232+4: 4",
        "          perfdata.counter_definition.counter_offset 236+4: 4", "      2 instances 240+96",
        "        perfdata.instance_definition 240+48: Instance 0: a",
        "          perfdata.instance_definition.byte_length 240+4: 32",
        "          perfdata.instance_definition.parent_object_title_index 244+4: 0",
        "          perfdata.instance_definition.parent_object_instance 248+4: 0",
        "          perfdata.instance_definition.unique_id 252+4: -1",
        "          perfdata.instance_definition.name_offset 256+4: 24",
        "          perfdata.instance_definition.name_length 260+4: 4", "          perfdata.instance.name 264+4: a",
        "          perfdata.padding 268+4: 00000000",
        "          perfdata.counter_block 272+16: Counter block, 2 values",
        "            perfdata.counter_block.byte_length 272+4: 16",
        "            [perfdata.path 280+8: \\\\PC\\Processor(a)\\% Processor Time: no value, first sample]",
        "              perfdata.value 280+8: 1000", "              [perfdata.cooked.pdh 0+0: 3221228474]",
        "              [perfdata.cooked.reason 0+0: first sample]",
        "            [perfdata.path 276+4: \\\\PC\\Processor(a)\\5002 = 7]", "              perfdata.value 276+4: 7",
        "              [perfdata.cooked 0+0: 7]", "              [perfdata.cooked.formula 0+0: N1]",
        "        perfdata.instance_definition 288+48: Instance 1: b",
        "          perfdata.instance_definition.byte_length 288+4: 32",
        "          perfdata.instance_definition.parent_object_title_index 292+4: 0",
        "          perfdata.instance_definition.parent_object_instance 296+4: 0",
        "          perfdata.instance_definition.unique_id 300+4: -1",
        "          perfdata.instance_definition.name_offset 304+4: 24",
        "          perfdata.instance_definition.name_length 308+4: 4", "          perfdata.instance.name 312+4: b",
        "          perfdata.padding 316+4: 00000000",
        "          perfdata.counter_block 320+16: Counter block, 2 values",
        "            perfdata.counter_block.byte_length 320+4: 16",
        "            [perfdata.path 328+8: \\\\PC\\Processor(b)\\% Processor Time: no value, first sample]",
        "              perfdata.value 328+8: 1000", "              [perfdata.cooked.pdh 0+0: 3221228474]",
        "              [perfdata.cooked.reason 0+0: first sample]",
        "            [perfdata.path 324+4: \\\\PC\\Processor(b)\\5002 = 8]", "              perfdata.value 324+4: 8",
        "              [perfdata.cooked 0+0: 8]", "              [perfdata.cooked.formula 0+0: N1]",
        "Pointer to Type (winreg_Type) 0+4", "Pointer to Data (uint8) 8+4", "Pointer to Data Size (uint32) 360+4",
        "Pointer to Data Length (uint32) 368+4");
    CHECK(answered() != NULL && !answered()->has_interval && !answered()->failed && answered()->size == 336 &&
            strcmp(answered()->value_name, "238") == 0 && strcmp(answered()->host, "PC") == 0 &&
            answered()->opened_in == 2 && answered()->closed_in == 0 && answered()->response_time.secs == 0 &&
            answered()->response_time.nsecs == 500000000,
        "record");
    /* Request: handle, name, type, data, two sizes; answer: type, data, two sizes, error. */
    CHECK(answered()->bytes == 20 + 28 + 40 + (24 + 336 + 20), "%u bytes", answered()->bytes);
    CHECK(strcmp(exported, "238.perfdata") == 0, "%s", exported);
    values = (const struct perf_tap_poll *)told_of("perfdata_poll");
    CHECK(values != NULL && strcmp(values->host, "PC") == 0 && strcmp(values->query, "238") == 0 &&
            values->bytes == answered()->bytes && values->seconds == 0.5,
        "values");

    /* A second later: half of it was used. */
    call = query(1, "238", 4096);
    build_poll(1000 + 5000000, 130000000000000000 + 10000000);
    answer(call, out.bytes, out.size, 0);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Processor: 1 object, 4 values, 336 bytes, 1.000 s after frame 4") ==
            0,
        "%s", fake_columns[COL_INFO]->str);
    CHECK_SHOWS("    [perfdata.poll.previous_frame 0+0: 4]\n    [perfdata.poll.interval 0+0: 1]");
    CHECK_SHOWS("            [perfdata.path 280+8: \\\\PC\\Processor(a)\\% Processor Time = 50.000 %]\n"
                "              perfdata.value 280+8: 5001000\n"
                "              [perfdata.cooked 0+0: 50.000 %]");
    CHECK(strcmp(watched,
              "\\\\PC\\Processor(a)\\% Processor Time = 50 280+8\n"
              "\\\\PC\\Processor(b)\\% Processor Time = 50 328+8\n") == 0,
        "%s", watched);
    CHECK(answered() != NULL && answered()->has_interval && answered()->interval == 1, "record");
    /* Counters are known by their indexes, wherever they stand. */
    for (unsigned swapped = 0; swapped < 2; swapped++) {
        unsigned start;

        begin(false, 1);
        put(PERF_TIME_100NS_AT, 130000000000000000 + 10000000 * swapped, 8);
        start = begin_object(238, 2, 1);
        add_counter(swapped ? 5004 : 6, swapped ? PERF_COUNTER_LARGE_RAWCOUNT : PERF_100NSEC_TIMER, 8, 8);
        add_counter(swapped ? 6 : 5004, swapped ? PERF_100NSEC_TIMER : PERF_COUNTER_LARGE_RAWCOUNT, 8, 16);
        add_instance('a', 0, 0);
        add(24, 8);
        add(swapped ? 9 : 1000, 8);
        add(swapped ? 2501000 : 9, 8);
        end_object(start);
        put(20, out.size, 4);
        call = query(1, "238 swapped", 4096);
        answer(call, out.bytes, out.size, 0);
    }
    CHECK_SHOWS("            [perfdata.path 288+8: \\\\PC\\Processor(a)\\% Processor Time = 25.000 %]");
    check_same_again(call, "2 counters of 1 instance");

    /* Nobody listens; then somebody does not want us. */
    is_listening = false;
    call = query(1, "238", 4096);
    build_poll(1000, 130000000000000000);
    answer(call, out.bytes, out.size, 0);
    CHECK(answered() == NULL && told_of("perfdata_poll") == NULL && told_of("perfdata_return") == NULL, "nobody");
    /* The clock was set back: an interval that is none. */
    CHECK(strstr(fake_columns[COL_INFO]->str, ", -1.000 s after frame 6") != NULL, "%s", fake_columns[COL_INFO]->str);
    is_listening = true;
    is_on = false;
    call = query(1, "238", 4096);
    CHECK(asked_wireshark == 1 && strcmp(fake_tree_text(), "") == 0, "switched off");
    answer(call, out.bytes, out.size, 0);
    CHECK(asked_wireshark == 1 && strcmp(fake_tree_text(), "") == 0 && answered() == NULL, "switched off");
    is_on = true;
}

/* What is none of a sample. */
static void
test_answers(void)
{
    static const uint8_t bytes[] = { 1, 2, 3, 4 };
    dcerpc_call_value *call;
    struct perfdata_return const *ended;

    /* The buffer was too small: 3.1.5.17; what it holds is no sample. */
    call = query(1, "5000", 4);
    answer(call, bytes, 4, 0xea);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, 5000, Error: WERR_MORE_DATA") == 0, "%s",
        fake_columns[COL_INFO]->str);
    CHECK_SHOWS("Windows Performance Data, 5000, Error: WERR_MORE_DATA 0+-1\n"
                "  [perfdata.value_name 0+0: 5000]\n  [perfdata.requested 0+0: 5000]\n"
                "  [perfdata.handle.opened_in 0+0: 2]\n"
                "  perfdata.data 0+4: Data of a failed call, no sample: 4 bytes");
    CHECK(answered()->failed && answered()->too_small && answered()->size == 4, "record");
    ended = (const struct perfdata_return *)told_of("perfdata_return");
    CHECK(strcmp(ended->operation, "QueryValue") == 0 && !ended->is_open && ended->error == 0xea, "end");
    CHECK(strcmp(exported, "5000.failed") == 0, "%s", exported);
    call = query(1, "5000", 4);
    answer(call, bytes, 4, 5);
    CHECK(answered()->failed && !answered()->too_small, "record");

    call = query(1, "5000", 4096);
    answer(call, bytes, 4, 0);
    CHECK_SHOWS("  perfdata.data 0+4: Not a performance data block: 4 bytes");
    CHECK(!answered()->failed && strcmp(exported, "5000.bin") == 0, "%s", exported);
    /* No data at all: what Windows sends for a client that asks for the size. */
    call = query(1, "5000", 0);
    begin_stub();
    PUT(0x20004, 3, 0, 0x2000c, 9, 0x20010, 0, 0xea);
    CHECK(give(call, true) == 32, "the stub is left");
    CHECK(strstr(fake_tree_text(), "perfdata.data ") == NULL && answered()->too_small && answered()->size == 0 &&
            exported == NULL,
        "%s", fake_tree_text());
    /* What is behind the return code was not captured: it is known. */
    call = query(1, "5000", 0);
    begin_stub();
    PUT(0x20004, 3, 0, 0x2000c, 9, 0x20010, 0, 0xea, 0);
    snapped = 4;
    give(call, true);
    snapped = 0;
    CHECK(answered() != NULL && answered()->too_small, "the return code is the last that was captured");
    /* Of the block the header alone was captured. */
    call = query(1, "238", 4096);
    build_poll(1000, 130000000015000000);
    snapped = out.size - 88 + 20;
    answer(call, out.bytes, out.size, 0);
    snapped = 0;
    CHECK(strstr(fake_tree_text(), "      perfdata.data_block.perf_freq 64+8: 10000000\n") != NULL, "%s",
        fake_tree_text());
    /* The return code was not captured: nobody knows how it ended. */
    snapped = 4;
    call = query(1, "5000", 4096);
    answer(call, bytes, 4, 0);
    snapped = 0;
    CHECK(answered() == NULL && told_of("perfdata_return") == NULL, "record");
    CHECK_SHOWS("  perfdata.data 0+4: Not a performance data block: 4 bytes");
    /* Its sample is there, and none of itself. */
    snapped = 4;
    call = query(1, "238 cut", 4096);
    build_poll(1000, 130000000015000000);
    answer(call, out.bytes, out.size, 0);
    CHECK(strstr(fake_tree_text(), " = 7]") != NULL && strstr(fake_tree_text(), "previous_frame") == NULL, "%s",
        fake_tree_text());
    check_same_again(call, "no return code");
    snapped = 0;
    /* It was never sent: the call failed. */
    call = query(1, "238 broken", 4096);
    begin_stub();
    PUT(0x20004, 3, 0x20008, out.size, 0, out.size);
    memcpy(stub.bytes + stub.size, out.bytes, out.size);
    stub.size += out.size;
    PUT(0x2000c, out.size, 0x20010, out.size);
    give(call, true);
    CHECK(strcmp(exported, "238 broken.failed") == 0 && answered() == NULL, "%s", exported);
    CHECK_SHOWS("            [perfdata.path 280+8: \\\\PC\\Processor(a)\\% Processor Time]");
    call = query(1, "5000", 4096);
    answer(call, bytes, 0, 0);
    CHECK(strstr(fake_tree_text(), "perfdata.data ") == NULL, "%s", fake_tree_text());

    /* The signature alone is what a block begins with. */
    build_poll(1000, 130000000015000000);
    answer(query(1, "238", 8), out.bytes, 8, 0);
    CHECK(strcmp(exported, "238.perfdata") == 0, "%s", exported);

    /* A header alone is what Windows sends where the buffer is too small for more. */
    call = query(1, "238", 96);
    begin(false, 0);
    answer(call, out.bytes, out.size, 0xea);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Processor, Error: WERR_MORE_DATA: header only, 96 bytes") == 0, "%s",
        fake_columns[COL_INFO]->str);
    CHECK(strstr(fake_tree_text(), "Performance data block of PC, header only\n") != NULL, "%s", fake_tree_text());

    /* A second answer in the same frame is shown, and otherwise nobody's. */
    call = query(1, "238", 4096);
    build_poll(1000, 130000000020000000);
    answer(call, out.bytes, out.size, 0);
    check_same_again(call, "once more");
    CHECK(answered() != NULL, "once more");
    pinfo.num--;
    pinfo.abs_ts.secs--;
    build_poll(1000, 130000000020000001);
    answer(call, out.bytes, out.size, 0);
    CHECK(strstr(fake_columns[COL_INFO]->str, " after frame ") == NULL, "another one at its place: %s",
        fake_columns[COL_INFO]->str);
    /* It is compared with none; what needs no other is there. */
    CHECK_SHOWS("            [perfdata.path 280+8: \\\\PC\\Processor(a)\\% Processor Time]\n"
                "              perfdata.value 280+8: 1000\n"
                "            [perfdata.path 276+4: \\\\PC\\Processor(a)\\5002 = 7]");
    for (unsigned way = 0; way < 4; way++) {
        pinfo.num--;
        pinfo.abs_ts.secs--;
        build_poll(1000, 130000000020000000);
        switch (way) {
        case 0: put(56, 1, 8); break;       /* PerfTime */
        case 1: put(96 + 32, 1, 4); break;  /* NumCounters */
        case 2: put(28, 0, 4); break;       /* NumObjectTypes */
        default: put(96 + 40, 1, 4); break; /* NumInstances */
        }
        answer(call, out.bytes, out.size, 0);
        CHECK(strstr(fake_columns[COL_INFO]->str, " after frame ") == NULL, "way %u: %s", way,
            fake_columns[COL_INFO]->str);
    }
    give(call, true);
    CHECK(answered() == NULL && told_of("perfdata_poll") == NULL, "another frame's");
    CHECK(strstr(fake_columns[COL_INFO]->str, " after frame ") == NULL, "%s", fake_columns[COL_INFO]->str);

    /*
     * Two buffers were too small: of requests of 88 bytes and answers of 48, then 380, 2 * (88 + 48) of 740 bytes
     * were in vain, from the first request to half a second and 4 packets later. What is said of the call is said of
     * its answer alone.
     */
    for (unsigned i = 0; i < 2; i++) {
        call = query(1, "239", 4);
        answer(call, bytes, 4, 0xea);
        check_same_again(call, "a buffer that is too small counts once");
    }
    call = query(1, "239", 4096);
    build_poll(1000, 130000000025000000);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS("  expert 0+0\n    ! perfdata.growing_buffer: 3 round trips, 4.500 s, 37 % of the bytes wasted before "
                "the answer fitted");
    give(call, true);
    CHECK(strstr(fake_tree_text(), "growing_buffer") == NULL, "%s", fake_tree_text());
}

/*
 * An array that announces more than there is ends, in whole units of eight, where what must follow it would begin. In
 * NDR64 those are two pointers of 8 bytes to 4, between them aligned, and the return code of an answer.
 */
static void
test_tails(void)
{
    for (unsigned cut = 0; cut < 2; cut++) {
        dcerpc_call_value *call = new_call(WINREG_QUERY_VALUE);

        call->flags = DCERPC_IS_NDR64;
        put_handle(1);
        PUT(0, 10 | 10 << 16, 0, 0x20000, 0, 5, 0, 0, 0, 5, 0);
        PUT('5' | '0' << 16, '0' | '0' << 16, 0, 0);
        PUT(0x20004, 0, 0, 0, 0x20008, 0, 1000, 0, 0, 0, 1000, 0);
        PUT(1, 2, 3, 4);
        PUT(0x2000c, 0, 1000, 0, 0x20010, 0, 0);
        stub.size -= cut;
        give(call, false);
        CHECK(strstr(fake_tree_text(), cut ? "has 43 left: 8 are taken" : "has 44 left: 16 are taken") != NULL, "%s",
            fake_tree_text());
        begin_stub();
        PUT(0x20004, 0, 3, 0, 0x20008, 0, 1000, 0, 0, 0, 1000, 0);
        PUT(1, 2, 3, 4);
        PUT(0x2000c, 0, 1000, 0, 0x20010, 0, 1000, 5);
        stub.size -= cut;
        give(call, true);
        CHECK(strstr(fake_tree_text(), cut ? "has 47 left: 8 are taken" : "has 48 left: 16 are taken") != NULL, "%s",
            fake_tree_text());
        CHECK(cut || (answered()->size == 16 && answered()->failed), "record");
    }
}

/* The name of a value stands below its pointer; behind a handle's 20 bytes, two lengths and the pointer three counts. */
static void
test_value_name(void)
{
    memset(fake_hidden, 0, sizeof fake_hidden);
    query(1, "238", 4096);
    CHECK_SHOWS("Value Name: 238 20+28\n"
                "  winreg.winreg_String.name_len 20+2: 8\n  winreg.winreg_String.name_size 22+2: 8\n"
                "  Value Name 24+4\n    dcerpc.referent_id 24+4: 131072\n"
                "    dcerpc.array.max_count 28+4: 4\n    dcerpc.array.offset 32+4: 0\n"
                "    dcerpc.array.actual_count 36+4: 4\n    winreg.winreg_QueryValue.value_name 40+8: 238");
    memcpy(fake_hidden, hidden, sizeof hidden);
}

/* What is asked for, and not in a whole block; who is told of it. */
static void
test_objects_asked_for(void)
{
    dcerpc_call_value *call = query(1, "238 5000", 4096);

    build_poll(1000, 130000000030000000);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS("  expert 0+0\n    ! perfdata.not_answered: Asked for, but not in the answer: 5000");
    call = query(1, "Global", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK(strstr(fake_tree_text(), "perfdata.not_answered") == NULL, "%s", fake_tree_text());
    /* What a number of 32 bits can't hold is no index, though 2 is "System". */
    query(1, "4294967298", 4096);
    CHECK_SHOWS("  [perfdata.requested 0+0: 4294967298]");
    for (unsigned words = 512; words <= 513; words++) {
        GString *name = g_string_new("5000");

        for (unsigned i = 1; i < words; i++) {
            g_string_append(name, " 5000");
        }
        query(1, name->str, 4096);
        g_string_free(name, TRUE);
        CHECK(count_of(fake_tree_text(), "[perfdata.requested ") == 512, "%u words: %u", words,
            count_of(fake_tree_text(), "[perfdata.requested "));
        CHECK((strstr(fake_tree_text(), "Only the first 512 words of the value name are shown") != NULL) ==
                (words == 513),
            "%u words", words);
    }
    /* Of another computer indexes have no names, and values are that computer's. */
    call = query(1, "Foreign OTHER 238", 4096);
    CHECK_SHOWS("  [perfdata.requested 0+0: Foreign]\n  [perfdata.requested 0+0: OTHER]\n"
                "  [perfdata.requested 0+0: 238 (Processor, built in)]");
    answer(call, out.bytes, out.size, 0);
    CHECK(strstr(fake_tree_text(), "\\\\PC@192.0.2.9\\Processor(a)") != NULL, "%s", fake_tree_text());
    CHECK(strcmp(((const struct perf_tap_poll *)told_of("perfdata_poll"))->host, "PC@192.0.2.9") == 0, "host");
}

static unsigned
build_names(uint8_t *bytes, const char *const *texts)
{
    unsigned size = 0;

    for (; *texts != NULL; texts++) {
        for (const char *c = *texts;; c++) {
            bytes[size++] = (uint8_t)*c;
            bytes[size++] = 0;
            if (*c == '\0') {
                break;
            }
        }
    }
    bytes[size++] = 0;
    bytes[size++] = 0;
    return size;
}

/* Lists of names and help texts, and what polls after them show. */
static void
test_names(void)
{
    uint8_t names[100], help[100];
    const unsigned names_size = build_names(names, (const char *const[]){ "5002", "Widgets", "5003", "W", NULL }),
                   help_size = build_names(help, (const char *const[]){ "5003", "Counts", NULL });
    dcerpc_call_value *call;
    uint32_t learned;

    open_key(WINREG_OPEN_PERFORMANCE_TEXT, 0, NULL, 2, 0);
    CHECK(strcmp(((const struct perfdata_return *)told_of("perfdata_return"))->operation, "OpenPerformanceText") == 0,
        "operation");
    call = query(2, "Counter", 4096);
    CHECK_SHOWS("  [perfdata.requested 0+0: Counter]");
    answer(call, names, names_size, 0);
    learned = pinfo.num;
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Counter: 2 entries, 42 bytes") == 0, "%s",
        fake_columns[COL_INFO]->str);
    CHECK_SHOWS("  Names of title indexes, 2 entries 0+-1\n"
                "    perfdata.title.index 0+10: 5002: Widgets\n      perfdata.title.name 10+16: Widgets\n"
                "    perfdata.title.index 26+10: 5003: W\n      perfdata.title.name 36+4: W");
    CHECK(strcmp(exported, "Counter.names") == 0, "%s", exported);
    call = query(2, "Help", 4096);
    answer(call, help, help_size, 0);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Help: 1 entry, 26 bytes") == 0, "%s", fake_columns[COL_INFO]->str);
    CHECK_SHOWS("  Help texts of title indexes, 1 entry 0+-1\n"
                "    perfdata.title.index 0+10: 5003: Counts\n      perfdata.title.help 10+14: Counts");
    /* What was refused holds no names, nor does nothing; a byte does, and a block is none of them. */
    answer(query(2, "Counter 007", 4096), names, names_size, 0xea);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Counter 007, Error: WERR_MORE_DATA") == 0, "%s",
        fake_columns[COL_INFO]->str);
    answer(query(2, "Counter 007", 4096), names, 0, 0);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Counter 007") == 0, "%s", fake_columns[COL_INFO]->str);
    answer(query(2, "Counter 007", 4096), names, 1, 0);
    CHECK(g_str_has_prefix(fake_columns[COL_INFO]->str, "=, Counter 007: 0 entries, "), "%s",
        fake_columns[COL_INFO]->str);
    build_poll(1000, 130000000035000000);
    answer(query(1, "Counter 007", 4096), out.bytes, out.size, 0);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Counter 007: 1 object, 4 values, 336 bytes") == 0, "%s",
        fake_columns[COL_INFO]->str);
    /* A language is no index, and 6 is "% Processor Time". */
    query(2, "Counter 006", 4096);
    CHECK_SHOWS("  [perfdata.requested 0+0: Counter]\n  [perfdata.requested 0+0: 006]");
    /* One that breaks off, and bytes behind the end. */
    call = query(2, "Counter 007", 4096);
    answer(call, names, 26 + 5, 0);
    CHECK(strstr(fake_tree_text(), "    expert 26+5\n      ! perfdata.bad_names: the list breaks off at offset 26: ") !=
            NULL,
        "%s", fake_tree_text());

    call = query(1, "238", 4096);
    build_poll(1000, 130000000040000000);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS(wmem_strdup_printf(pinfo.pool,
        "          perfdata.counter_definition.counter_offset 236+4: 4\n"
        "          [perfdata.counter.name 0+0: Widgets]\n            [perfdata.learned_in 0+0: %u]\n"
        "          [perfdata.counter.help 0+0: Counts]\n            [perfdata.learned_in 0+0: %u]",
        learned, learned + 2));
    CHECK_SHOWS("            [perfdata.path 276+4: \\\\PC\\Processor(a)\\Widgets = 7]");
}

/* Which keys hold names or data: by how they were opened. */
static void
test_keys(void)
{
    static const char perflib[] = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib";
    static const struct {
        uint16_t root, opnum;
        const char *first, *second;
        uint32_t error;
        bool is_names;
    } cases[] = {
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, perflib, "009", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_CREATE_KEY, perflib, "009", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY,
            "\\\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\\\", "\\009\\", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, "",
            "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009",
            "", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, "\\",
            "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, perflib, "CurrentLanguage", 0, true },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, perflib, "Other", 0, false },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, perflib, "009", 5, false },
        { WINREG_OPEN_LOCAL_MACHINE, WINREG_OPEN_KEY, "SOFTWARE", "009", 0, false },
        { WINREG_OPEN_USERS, WINREG_OPEN_KEY, perflib, "009", 0, true },
    };
    uint8_t names[100];
    const unsigned size = build_names(names, (const char *const[]){ "6000", "x", NULL });
    uint32_t handle = 100;

    for (size_t i = 0; i < array_length(cases); i++, handle += 3) {
        dcerpc_call_value *call;

        open_key(cases[i].root, 0, NULL, handle, 0);
        open_key(cases[i].opnum, handle, cases[i].first, handle + 1, 0);
        open_key(cases[i].opnum, handle + 1, cases[i].second, handle + 2, cases[i].error);
        call = query(handle + 2, "Counter", 4096);
        CHECK((asked_wireshark == 0) == cases[i].is_names, "%zu: request", i);
        answer(call, names, size, 0);
        CHECK((asked_wireshark == 0) == cases[i].is_names, "%zu: answer", i);
        CHECK(!cases[i].is_names || strstr(fake_columns[COL_INFO]->str, ": 1 entry, ") != NULL, "%s",
            fake_columns[COL_INFO]->str);
        /* Another value of such a key is none of ours, whatever it looks like. */
        call = query(handle + 2, "238", 4096);
        CHECK(asked_wireshark == 1, "%zu: another value", i);
        build_poll(1000, 130000000050000000);
        answer(call, out.bytes, out.size, 0);
        CHECK((asked_wireshark == 1) == (cases[i].error == 0), "%zu: another value's answer", i);
    }
    /* A key whose name is not there: it is none of ours, whatever is read with it. */
    open_key(WINREG_OPEN_LOCAL_MACHINE, 0, NULL, handle, 0);
    open_key(WINREG_OPEN_KEY, handle, NULL, handle + 1, 0);
    answer(query(handle + 1, "Counter 009", 4096), names, size, 0);
    CHECK(asked_wireshark == 1, "no name");
    /* Below it, and below one whose opening is not in the capture, a whole path tells. */
    for (unsigned i = 1; i < 4; i += 2) {
        open_key(WINREG_OPEN_KEY, handle + i, "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009",
            handle + 2, 0);
        query(handle + 2, "Counter", 4096);
        CHECK(asked_wireshark == 0, "below handle %u", i);
    }
}

/* From when to when a handle is one of performance data. */
static void
test_handles(void)
{
    dcerpc_call_value *call;
    static const char connections[2];
    const struct perfdata_tap *closed;
    uint32_t opened_in;

    open_key(WINREG_OPEN_PERFORMANCE_NLS_TEXT, 0, NULL, 3, 0);
    opened_in = pinfo.num;
    CHECK(strcmp(((const struct perfdata_return *)told_of("perfdata_return"))->operation, "OpenPerformanceNlsText") ==
            0,
        "operation");
    /* Closing fails, then succeeds. */
    for (uint32_t error = 6; error != UINT32_MAX; error -= 6, error = error > 6 ? UINT32_MAX : error) {
        call = new_call(WINREG_CLOSE_KEY);
        put_handle(3);
        give(call, false);
        CHECK(asked_wireshark == 1 && rpc_notes_get(0)->listener == listener, "Wireshark shows it");
        begin_stub();
        put_handle(0);
        PUT(error);
        give(call, true);
        closed = answered();
        CHECK(asked_wireshark == 1 && (closed != NULL) == (error == 0), "error %u", error);
        if (closed != NULL) {
            CHECK(closed->is_close && closed->opened_in == opened_in && closed->closed_in == pinfo.num &&
                    closed->handle[4] == 3 && closed->key != NULL && strcmp(closed->host, "PC") == 0,
                "record");
        }
        if (error == 0) {
            break;
        }
        query(3, "238", 4096);
        CHECK(asked_wireshark == 0, "still open");
    }
    query(3, "238", 4096);
    CHECK(asked_wireshark == 1, "closed");
    for (unsigned cut = 1; cut <= 4; cut++) {
        call = new_call(WINREG_CLOSE_KEY);
        put_handle(2);
        give(call, false);
        begin_stub();
        put_handle(0);
        PUT(0);
        snapped = cut;
        give(call, true);
        snapped = 0;
        CHECK(answered() == NULL && asked_wireshark == 1, "%u bytes of its end were not captured", cut);
        query(2, "238", 4096);
        CHECK(asked_wireshark == 0, "still open");
    }
    /* Nobody listens when one is closed. */
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 9, 0);
    is_listening = false;
    close_key(9, 0);
    CHECK(answered() == NULL, "nobody");
    is_listening = true;
    /* None was opened: an error, no handle, an answer that is cut. */
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 4, 5);
    CHECK(((const struct perfdata_return *)told_of("perfdata_return"))->error == 5, "error");
    query(4, "238", 4096);
    CHECK(asked_wireshark == 1, "failed");
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 0, 0);
    query(0, "238", 4096);
    CHECK(asked_wireshark == 1, "no handle");
    call = new_call(WINREG_OPEN_PERFORMANCE_DATA);
    put_handle(5);
    give(call, true);
    CHECK(told_of("perfdata_return") == NULL && asked_wireshark == 1, "cut");
    query(5, "238", 4096);
    CHECK(asked_wireshark == 1, "cut");
    /* On two connections: of a handle that was closed on one, that of the other is left. */
    for (int closed_on = 0; closed_on < 2; closed_on++) {
        const uint32_t handle = 0x50 + (uint32_t)closed_on;

        for (int i = 0; i < 2; i++) {
            di.conv = (conversation_t *)(void *)&connections[i];
            open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, handle, 0);
        }
        di.conv = (conversation_t *)(void *)&connections[closed_on];
        close_key(handle, 0);
        query(handle, "238", 4096);
        CHECK((asked_wireshark == 0) == (closed_on == 0), "closed on connection %d", closed_on);
        di.conv = (conversation_t *)(void *)&connections[!closed_on];
        query(handle, "238", 4096);
        CHECK(asked_wireshark == 0, "open on connection %d", !closed_on);
    }
    di.conv = NULL;
    /* When somebody looks again at how one was closed, its number may be another's. */
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 10, 0);
    opened_in = pinfo.num;
    call = new_call(WINREG_CLOSE_KEY);
    for (unsigned pass = 0; pass < 2; pass++) {
        begin_stub();
        put_handle(10);
        give(call, false);
        begin_stub();
        put_handle(0);
        PUT(0);
        give(call, true);
        closed = answered();
        CHECK(closed != NULL && closed->is_close && closed->opened_in == opened_in, "pass %u", pass);
        open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 10, 0);
    }
    /* The same number for another key. */
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 6, 0);
    query(6, "238", 4096);
    CHECK(asked_wireshark == 0, "ours");
    open_key(WINREG_OPEN_USERS, 0, NULL, 6, 0);
    query(6, "238", 4096);
    CHECK(asked_wireshark == 1, "another's");
    /* An opening that is shown again opens nothing anew. */
    end_opening(open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 7, 0), 8, 0);
    query(8, "238", 4096);
    CHECK(asked_wireshark == 1, "never opened");
    end_opening(open_key(WINREG_OPEN_USERS, 0, NULL, 8, 0), 7, 0);
    query(7, "238", 4096);
    CHECK(asked_wireshark == 0, "ours");
}

/* A handle whose opening is not in the capture: what was read with it tells. */
static void
test_recognised(void)
{
    static const struct {
        const char *name;
        bool is_block, is_ours;
    } cases[] = {
        { "238", true, true },
        { "238", false, false },
        { "Counter 009", false, true },
        { "Counter", false, false },
        { NULL, true, true },
        { NULL, false, false },
    };
    const struct perfdata_key *key;
    dcerpc_call_value *call;

    for (size_t i = 0; i < array_length(cases); i++) {
        const uint32_t handle = 0x1000 + (uint32_t)i;

        call = query(handle, cases[i].name, 4096);
        CHECK(asked_wireshark == 1, "%zu: a request alone tells nothing", i);
        build_poll(1000, 130000000060000000);
        if (!cases[i].is_block) {
            out.size = 4;
        }
        answer(call, out.bytes, out.size, 0);
        CHECK((asked_wireshark == 0) == cases[i].is_ours, "%zu: %u", i, asked_wireshark);
        CHECK((strstr(fake_tree_text(), "\n  ! perfdata.recognised\n") != NULL) == cases[i].is_ours, "%zu: %s", i,
            fake_tree_text());
        CHECK(cases[i].name != NULL || !cases[i].is_ours ||
                g_str_has_prefix(fake_tree_text(), "Windows Performance Data, value name not in the capture: 1 object"),
            "%s", fake_tree_text());
        if (!cases[i].is_ours) {
            build_poll(1000, 130000000060000000);
            answer(call, out.bytes, out.size, 0);
            CHECK(asked_wireshark == 1, "%zu: the answer was another", i);
        }
        /* From then on it is known. */
        call = query(handle, "5000", 4096);
        CHECK((asked_wireshark == 0) == cases[i].is_ours, "%zu: known", i);
        CHECK(strstr(fake_tree_text(), "perfdata.handle.opened_in") == NULL, "%s", fake_tree_text());
    }
    /* Its request is not in the capture: nobody knows how many bytes it had. */
    build_poll(1000, 130000000065000000);
    answer(new_call(WINREG_QUERY_VALUE), out.bytes, out.size, 0);
    CHECK(answered()->bytes == 0, "%u bytes", answered()->bytes);
    key = answered()->key;
    /* A handle that was not captured is nobody's, nor is it that of a request that is not there. */
    close_key(1, 20);
    query(1, "238", 4096);
    CHECK(asked_wireshark == 0, "still open");
    build_poll(1000, 130000000066000000);
    answer(new_call(WINREG_QUERY_VALUE), out.bytes, out.size, 0);
    CHECK(answered()->key == key, "the same as before");
    snapped = 88 - 19;
    query(1, "238", 4096);
    snapped = 0;
    CHECK(asked_wireshark == 1, "a byte of the handle is missing");
    /* An answer without data. */
    call = query(0x2000, "238", 0);
    begin_stub();
    PUT(0x20004, 3, 0, 0x2000c, 9, 0x20010, 0, 0xea);
    give(call, true);
    CHECK(asked_wireshark == 1, "nothing tells");
}

/* What is wrong stands below the structure that it is of, at the member that says it. */
static void
check_problems(void)
{
    static const struct {
        unsigned place;
        uint32_t number;
        const char *shown;
    } cases[] = {
        { 12, 2,
            "    expert 12+8\n      ! perfdata.unknown_version: Version 2, Revision 1: only 1 and 1 are known\n"
            "    Data header, taken at 2020-2021-2023 2024:2025:2026.2027 UTC 0+96" },
        { 104, 63,
            "      expert 104+4\n        ! perfdata.bad_length: PERF_OBJECT_TYPE.HeaderLength is 63: outside 64..188, "
            "counter definitions are looked for at 64\n      perfdata.object_type.total_byte_length 96+4: 188" },
        { 192, 8,
            "          expert 192+4\n            ! perfdata.wide_dword: CounterSize is 8 but type 0x00010000 is of a "
            "DWORD: the low 4 bytes are taken\n          perfdata.counter_definition.byte_length 160+4: 40" },
        { 256, 33,
            "          expert 256+4\n            ! perfdata.bad_length: PERF_INSTANCE_DEFINITION.NameOffset is 33: "
            "outside 24..32\n          perfdata.instance_definition.byte_length 240+4: 32" },
        { 80, UINT32_MAX, "      perfdata.data_block.system_name 88+196: PC" },
        /* A definition with what is appended to it; one that says to reach beyond the object has nothing of that. */
        { 200, 60,
            "        perfdata.counter_definition 200+60: Counter 1: 5010, PERF_COUNTER_RAWCOUNT\n"
            "          perfdata.counter_definition.byte_length 200+4: 60" },
        { 200, 60, "      2 counter definitions 160+100" },
        { 200, 85,
            "        perfdata.counter_definition 200+40: Counter 1: 5010, PERF_COUNTER_RAWCOUNT\n          expert "
            "200+4\n"
            "            ! perfdata.bad_length: PERF_COUNTER_DEFINITION.ByteLength is 85: outside 40..84" },
        { 200, 85, "          perfdata.counter_definition.counter_offset 236+4: 8\n      1 instance 240+44" },
        /* An instance's item ends with the object, whatever it says. */
        { 240, UINT32_MAX,
            "        perfdata.instance_definition 240+44: Instance 0: a\n          expert 240+4\n"
            "            ! perfdata.bad_length: PERF_INSTANCE_DEFINITION.ByteLength is 4294967295: outside 24..44\n"
            "          perfdata.instance_definition.byte_length 240+4: 4294967295" },
        { 240, 0,
            "      1 instance 240+24\n        perfdata.instance_definition 240+24: Instance 0: \n          expert "
            "260+4\n"
            "            ! perfdata.bad_length: PERF_INSTANCE_DEFINITION.NameLength is 4: only 0 bytes are left in it\n"
            "          expert 240+4\n"
            "            ! perfdata.bad_length: PERF_INSTANCE_DEFINITION.ByteLength is 0: outside 24..44" },
        { 272, 13,
            "          expert 272+4\n            ! perfdata.bad_length: PERF_COUNTER_BLOCK.ByteLength is 13: outside "
            "4..12\n          perfdata.instance_definition.byte_length 240+4: 32" },
        { 196, 3,
            "              perfdata.value.bytes 275+4: 00070000\n                ! perfdata.value_outside: "
            "CounterOffset 3 is within the counter block's own ByteLength" },
    };
    unsigned start;

    for (size_t i = 0; i < array_length(cases); i++) {
        begin(false, 1);
        start = begin_object(5100, 2, 1);
        add_counter(5008, PERF_COUNTER_RAWCOUNT, 4, 4);
        add_counter(5010, PERF_COUNTER_RAWCOUNT, 4, 8);
        add_instance('a', 0, 0);
        add(12, 4);
        add(7, 4);
        add(8, 4);
        end_object(start);
        put(20, out.size, 4);
        put(cases[i].place, cases[i].number, 4);
        answer(query(1, "5100", 4096), out.bytes, out.size, 0);
        CHECK_SHOWS(cases[i].shown);
    }
    /* Where a counter block has no room was not captured. */
    put(196, 4, 4);
    put(240, 43, 4);
    snapped = 20 + 14;
    answer(query(1, "5100", 4096), out.bytes, out.size, 0);
    snapped = 0;
    CHECK_SHOWS(
        "          expert 270+0\n            ! perfdata.bad_length: no room for PERF_COUNTER_BLOCK at offset 283");
    /* A counter block without an instance: below the object. What follows it may be cut by the capture. */
    begin(false, 1);
    start = begin_object(5100, 0, PERF_NO_INSTANCES);
    add(5, 4);
    end_object(start);
    add(0, 16);
    put(20, out.size, 4);
    for (unsigned cut = 0; cut <= 16; cut += 8) {
        snapped = cut == 0 ? 0 : 20 + cut; /* what stands behind the data, and of these so many bytes */
        answer(query(1, "5100", 4096), out.bytes, out.size, 0);
        CHECK_SHOWS(wmem_strdup_printf(pinfo.pool,
            "    expert %u+%u\n      ! perfdata.trailing_bytes: 16 bytes follow the last object", 164u, 16 - cut));
        CHECK_SHOWS(
            "      expert 160+4\n        ! perfdata.bad_length: PERF_COUNTER_BLOCK.ByteLength is 5: outside 4..4");
    }
    snapped = 0;
}

/* What stands below objects and instances, and what is wrong with them. */
static void
test_trees(void)
{
    const char *const bad = "CounterOffset 100 and CounterSize 4 reach beyond the counter block's 16 bytes";
    dcerpc_call_value *call;
    unsigned start;

    /* Threads within a process; one whose parent is not there; a value outside its block, and one of 6 bytes. */
    begin(false, 3);
    start = begin_object(230, 1, 1);
    add_counter(5002, PERF_COUNTER_RAWCOUNT, 4, 4);
    add_instance('p', 0, 0);
    add(8, 4);
    add(3, 4);
    end_object(start);
    start = begin_object(232, 3, 2);
    add_counter(5002, PERF_COUNTER_RAWCOUNT, 4, 100);
    add_counter(5004, PERF_COUNTER_RAWCOUNT, 6, 4);
    add_counter(5006, PERF_COUNTER_TEXT, 6, 10);
    for (uint32_t i = 0; i < 2; i++) {
        add_instance('t', 230, i);
        add(16, 4);
        add(UINT64_C(0x0605040302010), 6);
        add('x', 2);
        add(0, 4);
    }
    end_object(start);
    /* An object without instances, of one counter: its line is what it comes to. */
    start = begin_object(5100, 1, PERF_NO_INSTANCES);
    add_counter(5002, PERF_COUNTER_RAWCOUNT, 4, 4);
    add(12, 4);
    add(9, 4);
    add(0xeeeeeeee, 4);
    end_object(start);
    put(20, out.size, 4);
    call = query(1, "230 232", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS("        perfdata.instance_definition 200+40: Instance 0: \\\\PC\\Process(p)\\Widgets = 3");
    CHECK_SHOWS("          [perfdata.instance.parent 428+8: Process(p)]");
    CHECK_SHOWS("        perfdata.instance_definition 472+48: Instance 1: t");
    CHECK_SHOWS(
        "          expert 476+8\n"
        "            ! perfdata.no_parent: instance 1 of object 230 (Process), its parent, is not in this answer");
    CHECK_SHOWS(wmem_strdup_printf(pinfo.pool, "                ! perfdata.value_outside: %s", bad));
    CHECK(strstr(fake_tree_text(), "\\\\PC\\Thread(p/t)\\5004: no value, value neither 4 nor 8 bytes") != NULL, "%s",
        fake_tree_text());
    CHECK_SHOWS("              perfdata.value.bytes 460+6: 102030405060");
    CHECK_SHOWS("            [perfdata.path 466+6: \\\\PC\\Thread(p/t)\\5006 = \"x\"]\n"
                "              perfdata.value.text 466+6: x");
    CHECK_SHOWS("    perfdata.object_type 520+116: (\\\\PC\\5100\\Widgets = 9) Object 2: \\\\PC\\5100\\Widgets = 9");
    CHECK_SHOWS("      perfdata.counter_block 624+12: Counter block, 1 value\n"
                "        perfdata.counter_block.byte_length 624+4: 12\n"
                "        [perfdata.path 628+4: \\\\PC\\5100\\Widgets = 9]\n"
                "          perfdata.value 628+4: 9\n          [perfdata.cooked 0+0: 9]\n"
                "          [perfdata.cooked.formula 0+0: N1]\n"
                "        perfdata.padding 632+4: eeeeeeee");
    /* Bytes behind the objects. */
    add(0, 4);
    put(20, out.size, 4);
    call = query(1, "230 232", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS("    perfdata.data 0+4: Not part of an object: 4 bytes");
    snapped = 24; /* they, and what stands behind the data */
    call = query(1, "230 232", 4096);
    answer(call, out.bytes, out.size, 0);
    snapped = 0;
    CHECK(strstr(fake_tree_text(), "Not part of an object") == NULL, "%s", fake_tree_text());
    CHECK_SHOWS("        perfdata.padding 632+4: eeeeeeee");
    check_problems();
    /* An object whose names are of a code page, here 1252: 0xf6 and 0xdf are U+00F6 and U+00DF there; text of a counter. */
    begin(false, 1);
    start = begin_object(5100, 1, 1);
    put(start + 44, 1252, 4);
    add_counter(5006, 0x10b00, 5, 4); /* winperf.h: PERF_COUNTER_TEXT, PERF_TEXT_ASCII */
    add_instance('G', 0, 0);
    put(out.size - 8, UINT64_C(0x63626165dff647), 8);
    put(out.size - 12, 7, 4);
    add(12, 4);
    add(0x65646362, 4);
    add(0x66, 4);
    end_object(start);
    put(20, out.size, 4);
    call = query(1, "5100", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS("          perfdata.instance.name 224+7: G\xc3\xb6\xc3\x9f"
                "eabc\n          perfdata.padding 231+1: 00");
    CHECK_SHOWS("            [perfdata.path 236+5: \\\\PC\\5100(G\xc3\xb6\xc3\x9f"
                "eabc)\\5006 = \"bcdef\"]\n"
                "              perfdata.value.text 236+5: bcdef");
    /* Another process or thread of the same name, by ID Process and ID Thread: of the second of two instances. */
    for (uint32_t poll = 0; poll < 5; poll++) {
        static const uint32_t processes[] = { 4, 5, 5, 5, 5 }, threads[] = { 8, 8, 8, 9, 9 };
        static const char *const texts[] = { NULL, "ID Process was 4 before and is 5 now", NULL,
            "ID Thread was 8 before and is 9 now", NULL };

        begin(false, 1);
        put(PERF_TIME_100NS_AT, 130000000100000000 + poll * 10000000, 8);
        start = begin_object(232, 3, 2);
        add_counter(784, PERF_COUNTER_RAWCOUNT, 4, 4);
        add_counter(6, PERF_100NSEC_TIMER, 8, 16);
        add_counter(804, PERF_COUNTER_RAWCOUNT, 4, 8);
        for (unsigned i = 0; i < 2; i++) {
            add_instance((char)('p' + i), 0, 0);
            add(24, 4);
            add(i == 0 ? 3 : processes[poll], 4);
            add(i == 0 ? 7 : threads[poll], 4);
            add(0, 4);
            add(1000, 8);
        }
        end_object(start);
        put(20, out.size, 4);
        call = query(1, "232 804", 4096);
        answer(call, out.bytes, out.size, 0);
        CHECK(count_of(fake_tree_text(), "perfdata.other_process") == (texts[poll] != NULL), "%s", fake_tree_text());
        CHECK(count_of(fake_tree_text(), "% Processor Time: no value, other process]") == (texts[poll] != NULL), "%s",
            fake_tree_text());
        if (texts[poll] != NULL) {
            const char *second = strstr(fake_tree_text(), ": Instance 1: q\n");

            CHECK(second != NULL &&
                    strstr(second,
                        wmem_strdup_printf(pinfo.pool,
                            "\n          ! perfdata.other_process: %s: values are of different processes or threads\n",
                            texts[poll])) != NULL,
                "%s", fake_tree_text());
        }
    }
    /* Whose ID can't be read is taken for the same. */
    put(out.size - 20, 6, 4);
    put(start + 64 + 32, 6, 4);
    put(PERF_TIME_100NS_AT, 130000000100000000 + 60000000, 8);
    call = query(1, "232 804", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK(strstr(fake_tree_text(), "perfdata.other_process") == NULL &&
            strstr(fake_tree_text(), "% Processor Time = 0.000 %]") != NULL,
        "%s", fake_tree_text());
    /* A counter without a name has no line. */
    begin(false, 1);
    start = begin_object(5100, 2, 1);
    add_counter(0, PERF_COUNTER_RAWCOUNT, 4, 4);
    add_counter(0, PERF_COUNTER_NODATA, 0, 0); /* which has no place in the block, and wants none */
    add_instance('p', 0, 0);
    add(8, 4);
    add(3, 4);
    end_object(start);
    put(20, out.size, 4);
    call = query(1, "5100", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS("        perfdata.instance_definition 240+40: Instance 0: p");
    CHECK_SHOWS("            perfdata.value 276+4: 3 (counter 0, PERF_COUNTER_RAWCOUNT)");
    CHECK(strstr(fake_tree_text(), "perfdata.value_outside") == NULL, "%s", fake_tree_text());
    CHECK_SHOWS("        perfdata.counter_definition 160+40: Counter 0: without a name, PERF_COUNTER_RAWCOUNT");
    /* What cannot be true of an instance stands with it. */
    put(240 + 20, 99, 4);
    call = query(1, "5100", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK_SHOWS(
        "          expert 260+4\n"
        "            ! perfdata.bad_length: PERF_INSTANCE_DEFINITION.NameLength is 99: only 8 bytes are left in it");
    /* And of the block. */
    put(12, 2, 4);
    call = query(1, "5100", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK(strstr(fake_tree_text(), ": Version 2, Revision 1") != NULL, "%s", fake_tree_text());
    /* Kinds of objects that hold nothing. */
    for (int32_t kind = -3; kind <= 0; kind++) {
        static const char *const texts[] = { "5100\\*, metadata only, 2 counters",
            "5100(*)\\*, metadata only, 2 counters", NULL, "5100(*)\\*, no instances now, 2 counters" };

        if (kind == PERF_NO_INSTANCES) {
            continue;
        }
        begin(false, 1);
        start = begin_object(5100, 2, kind);
        add_counter(5008, PERF_COUNTER_RAWCOUNT, 4, 4);
        add_counter(5010, PERF_COUNTER_RAWCOUNT, 4, 8);
        end_object(start);
        put(20, out.size, 4);
        call = query(1, "5100", 4096);
        answer(call, out.bytes, out.size, 0);
        CHECK_SHOWS(wmem_strdup_printf(pinfo.pool, "    perfdata.object_type 96+144: (%s) Object 0: %s",
            texts[kind + 3], texts[kind + 3]));
    }
}

/* The poll-th of an object of all that is computed from more than a value and its like before. */
static void
build_values(unsigned poll, unsigned instances)
{
    unsigned start;

    begin(false, 1);
    put(56, 1000000 * poll, 8); /* PerfTime */
    put(64, 1000000, 8);        /* PerfFreq */
    put(PERF_TIME_100NS_AT, UINT64_C(130000000200000000) + 10000000 * poll, 8);
    start = begin_object(5200, 8, (int32_t)instances);
    put(start + 48, 1000 * poll, 8); /* PerfTime and PerfFreq of the object */
    put(start + 56, 10000000, 8);
    add_counter(5202, PERF_RAW_FRACTION, 4, 8);
    add_counter(0, PERF_RAW_BASE, 4, 12);
    add_counter(5206, PERF_AVERAGE_BULK, 8, 16);
    add_counter(5208, PERF_AVERAGE_BASE, 4, 24);
    add_counter(5210, PERF_OBJ_TIME_TIMER, 8, 32);
    add_counter(5212, PERF_ELAPSED_TIME, 8, 40);
    add_counter(5214, PERF_COUNTER_MULTI_TIMER, 8, 48);
    add_counter(5216, PERF_COUNTER_DELTA, 4, 60);
    for (unsigned i = 0; i < instances; i++) {
        const unsigned at = out.size;

        add_instance('a', 0, 0);
        if (i == 1) {
            put(at + 12, 42, 4); /* UniqueID and no name */
            put(at + 16, 0, 8);
        }
        add(64, 4);
        add(0, 4);
        add(1 + i, 4);
        add(4, 4);
        add(100 * poll * (i + 1), 8);
        add(10 * poll, 8);
        add(250 * poll * (i + 1), 8);
        add(i, 8);
        add(500000 * poll, 8);
        add(2 + 2 * i, 4);
        add(7 * poll, 4);
    }
    end_object(start);
    put(20, out.size, 4);
}

#define LINE(counter, text) \
    CHECK(strstr(fake_tree_text(), \
              wmem_strdup_printf(pinfo.pool, "\\\\PC\\5200(%s)\\%s%s]\n", names[i], counter, text)) != NULL, \
        "%s(%s): %s is not in %s", counter, names[i], text, fake_tree_text())

static void
test_values(void)
{
    static const char *const names[] = { "a", "42", "a#1", "a#2" };
    /* (2000 - i) of 10,000,000 a second. */
    static const char *const ages[] = { " = 0.0002 s (start time 0: counted from the year 1601)", " = 0.0001999 s",
        " = 0.0001998 s", " = 0.0001997 s" };
    const struct perf_tap_poll *values;
    dcerpc_call_value *call = query(1, "5200", 4096);
    struct perf_tap_origin origin;

    build_values(1, 3);
    answer(call, out.bytes, out.size, 0);
    call = query(1, "5200", 4096);
    build_values(2, 4);
    answer(call, out.bytes, out.size, 0);
    for (unsigned i = 0; i < 4; i++) {
        /* One value and its base; differences of both; by the object's clock. */
        LINE("5202", wmem_strdup_printf(pinfo.pool, " = %u.000 %%", 25 * (i + 1)));
        LINE("5206", i == 3 ? ": no value, instance new" : wmem_strdup_printf(pinfo.pool, " = %u.000", 10 * (i + 1)));
        LINE("5210",
            i == 3 ? ": no value, instance new" : wmem_strdup_printf(pinfo.pool, " = %u.000 %%", 25 * (i + 1)));
        LINE("5212", ages[i]);
        /* 500,000 of a second's 1,000,000 ticks, of so many. */
        LINE("5214",
            i == 3 ? ": no value, instance new" : wmem_strdup_printf(pinfo.pool, " = %.3f %%", 50.0 / (2 + 2 * i)));
        LINE("5216", i == 3 ? ": no value, instance new" : " = 7");
        CHECK_SHOWS(
            wmem_strdup_printf(pinfo.pool, "              perfdata.value.multi %u+4: %u", 568 + 96 * i, 2 + 2 * i));
    }
    /* A base has no line, and is shown as what it is. */
    CHECK(strstr(fake_tree_text(), ": 4 (counter 1, PERF_RAW_BASE)\n") != NULL, "%s", fake_tree_text());
    /* Formulas have the names of this API's structures. */
    CHECK(strstr(fake_tree_text(), "O the object's PerfTime") != NULL &&
            strstr(fake_tree_text(), "PerfTimeStamp") == NULL,
        "%s", fake_tree_text());
    values = (const struct perf_tap_poll *)told_of("perfdata_poll");
    CHECK(values->num_samples == 4 * 7, "%u values", values->num_samples);
    for (unsigned i = 0; i < values->num_samples; i++) {
        memset(&origin, 0, sizeof origin);
        values->tell(values, &values->samples[i], &origin);
        CHECK(strcmp(origin.set_id, "5200") == 0 && strcmp(origin.known_by, "id") == 0 && origin.has_type &&
                origin.counter_id == (uint32_t)atoi(origin.counter),
            "%u: %s", i, origin.counter);
        CHECK(origin.has_instance_id == (strcmp(origin.instance, "42") == 0) &&
                (!origin.has_instance_id || origin.instance_id == 42),
            "%u: %s", i, origin.instance);
        CHECK(origin.has_base == (origin.counter_id == 5202 || origin.counter_id == 5206) &&
                (!origin.has_base || origin.base == (origin.counter_id == 5202 ? 4 : 20)),
            "%u: %s", i, origin.counter);
    }
    /* "Widgets" was taught by a list, test_names(); "% Processor Time" is built in. */
    call = query(1, "238", 4096);
    build_poll(1000, 130000000300000000);
    answer(call, out.bytes, out.size, 0);
    /* No time may pass. */
    call = query(1, "238", 4096);
    answer(call, out.bytes, out.size, 0);
    CHECK(answered()->has_interval && answered()->interval == 0, "record");
    values = (const struct perf_tap_poll *)told_of("perfdata_poll");
    for (unsigned i = 0; i < values->num_samples; i++) {
        values->tell(values, &values->samples[i], &origin);
        CHECK(strcmp(origin.known_by, strcmp(origin.counter, "Widgets") == 0 ? "list" : "built-in") == 0, "%s: %s",
            origin.counter, origin.known_by);
    }
}

/* However few items are wanted: what is not shown is counted, and no more than these are. */
static void
test_budget(void)
{
    const unsigned all = *max_items;
    bool was_whole = false;
    uint8_t names[100];
    const unsigned names_size = build_names(names, (const char *const[]){ "2", "a", "4", "b", "6", "c", NULL });

    memset(fake_hidden, 0, sizeof fake_hidden);
    /* An entry of a list is two items. */
    for (unsigned most = 1; most <= 6; most++) {
        *max_items = most;
        answer(query(2, "Counter 00a", 4096), names, names_size, 0);
        CHECK(count_of(fake_tree_text(), "perfdata.title.index ") == most / 2 &&
                count_of(fake_tree_text(), "! perfdata.left_out: ") == (most < 6),
            "%u items: %s", most, fake_tree_text());
    }
    for (unsigned most = 10; most < 400; most += most < 200 ? 1 : 20) {
        dcerpc_call_value *call = query(1, "238", 4096);
        const char *text;
        unsigned shown, definitions, missing, left_out = 0;

        *max_items = most;
        build_poll(1000, 130000000400000000 + 10000000 * most);
        answer(call, out.bytes, out.size, 0);
        text = fake_tree_text();
        shown = count_of(text, "[perfdata.path ");
        definitions = count_of(text, "Counter 0: ") + count_of(text, "Counter 1: ");
        if (strstr(text, "! perfdata.left_out: ") != NULL) {
            left_out = (unsigned)atoi(strstr(text, "! perfdata.left_out: ") + strlen("! perfdata.left_out: "));
        }
        /* An object counts as its values; the table of them is one thing more. */
        missing = strstr(text, "Object 0: ") == NULL
            ? 4
            : 4 - shown + 2 - definitions + (strstr(text, "[perfdata.table ") == NULL);
        CHECK(left_out == missing, "%u items: %u left out, not %u", most, left_out, missing);
        /* The items of the object are as many at most; the header's are not counted. */
        text = strstr(text, "perfdata.object_type ");
        CHECK(text == NULL || count_of(text, "\n") - count_of(strstr(text, "\nPointer to Type"), "\n") <= most,
            "%u items: %u", most, count_of(text, "\n"));
        was_whole |= left_out == 0;
    }
    CHECK(was_whole, "there is room at last");
    *max_items = all;
    /* What a filter asks for is there beyond that, up to what Wireshark itself can hold: an object counts as its values. */
    fake_asked = "perfdata.path";
    for (unsigned room = 0; room <= 1000; room += 1000) {
        items_taken = 450000 - room;
        build_poll(1000, 130000000850000000);
        answer(query(1, "238", 4096), out.bytes, out.size, 0);
        CHECK((strstr(fake_tree_text(),
                   "! perfdata.out_of_reach: Filters and columns miss 4 values or structures of this "
                   "packet: it can hold no more than 450000 items;") != NULL) == (room == 0),
            "%s", fake_tree_text());
        CHECK((strstr(fake_tree_text(), "perfdata.out_of_reach") != NULL) == (room == 0), "%s", fake_tree_text());
    }
    items_taken = 0;
    fake_asked = NULL;
    memcpy(fake_hidden, hidden, sizeof hidden);
}

/* One value of several: its name's pointer, length, offset in the buffer, type, [MS-RRP] 2.2.14. */
struct part {
    const char *name;
    uint32_t length, offset;
};

static dcerpc_call_value *
query_several(uint32_t handle)
{
    dcerpc_call_value *call = new_call(WINREG_QUERY_MULTIPLE_VALUES);

    put_handle(handle);
    give(call, false);
    CHECK(asked_wireshark == 1, "Wireshark shows the request");
    return call;
}

static void
answer_several(dcerpc_call_value *call, const struct part *parts, uint32_t count, const uint8_t *data, unsigned size)
{
    begin_stub();
    PUT(count, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        PUT(parts[i].name == NULL ? 0 : 0x20000 + i, parts[i].length, parts[i].offset, 3);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].name != NULL) {
            put_number(0, 4);
            stub.size -= 4;
            put_text(parts[i].name);
        }
    }
    PUT(0x20100, size, 0, size);
    memcpy(stub.bytes + stub.size, data, size);
    stub.size += size;
    PUT(size, 0);
    give(call, true);
}

static void
test_several(void)
{
    dcerpc_call_value *call = query_several(1);
    const char *opened;
    unsigned size;

    build_poll(1000, 130000000070000000);
    size = out.size;
    answer_several(call,
        (const struct part[]){ { "238", size, 0 }, { NULL, 4, 8 }, { "5000", 1, size }, { "230", size + 1, 0 } }, 4,
        out.bytes, size);
    CHECK(asked_wireshark == 0, "ours");
    CHECK(((const struct perf_tap_poll *)told_of("perfdata_poll"))->bytes == 336, "bytes of the buffer alone");
    CHECK(answered()->size == 4, "the last that is no outsider has %u bytes", answered()->size);
    CHECK(g_str_has_prefix(fake_columns[COL_INFO]->str, "=, Processor: 1 object, 4 values, 336 bytes, ") &&
            g_str_has_suffix(fake_columns[COL_INFO]->str, "; 5000; Process"),
        "%s", fake_columns[COL_INFO]->str);
    CHECK_SHOWS("  Value 1:  0+-1\n    perfdata.data 0+4: Not a performance data block: 4 bytes\n"
                "Value 0: 238 12+16\n  perfdata.value_type 24+4: 3\n"
                "Value 1:  28+16\n  perfdata.value_type 40+4: 3\n"
                "Value 2: 5000 44+16\n  perfdata.value_type 56+4: 3\n"
                "  expert 48+8\n    ! perfdata.array_count: 1 bytes at offset 336 lie outside the buffer's 336\n"
                "Value 3: 230 60+16\n  perfdata.value_type 72+4: 3\n"
                "  expert 64+8\n    ! perfdata.array_count: 337 bytes at offset 0 lie outside the buffer's 336\n"
                "Pointer to Data (uint8) 164+4");
    CHECK(g_str_has_prefix(fake_tree_text(),
              "Windows Performance Data, several values 0+-1\n"
              "  [perfdata.handle.opened_in 0+0: 2]\n"
              "  Value 0: 238 0+-1\n    perfdata.data_block 0+-1: "),
        "%s", fake_tree_text());
    /* Shown again: a value without a name has none. */
    begin_stub();
    put_handle(1);
    give(call, false);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Processor") == 0, "%s", fake_columns[COL_INFO]->str);
    call = query_several(1);
    begin_stub();
    PUT(1, 0, 1, 0, 0, 0, 3, 0, 0, 0); /* a value, and no buffer that would hold it */
    give(call, true);
    CHECK(asked_wireshark == 0 && strstr(fake_tree_text(), "perfdata.data") == NULL, "%s", fake_tree_text());
    call = query_several(1);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=") == 0, "%s", fake_columns[COL_INFO]->str);
    answer_several(call, (const struct part[]){ { "5000", 0, size } }, 1, out.bytes, size);
    CHECK(strstr(fake_tree_text(), "perfdata.array_count") == NULL, "nothing lies at the end: %s", fake_tree_text());
    call = query_several(1);
    /* Not more than four times the buffer is read. */
    answer_several(call,
        (const struct part[]){ { "238", size, 0 }, { "238", size, 0 }, { "238", size, 0 }, { "238", size, 0 },
            { "238", size, 0 } },
        5, out.bytes, size);
    CHECK(g_strv_length(g_strsplit(fake_columns[COL_INFO]->str, ": 1 object", -1)) == 1 + 4 &&
            g_str_has_suffix(fake_columns[COL_INFO]->str, "; Processor"),
        "%s", fake_columns[COL_INFO]->str);
    /* Shown again, what was asked for is known by the request, too: as far as it was read. */
    begin_stub();
    put_handle(1);
    give(call, false);
    CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Processor; Processor; Processor; Processor") == 0, "%s",
        fake_columns[COL_INFO]->str);
    /* Whoever answers once more says what was asked for, too: here for names, "1" and "1847". */
    call = query_several(1);
    for (unsigned i = 0; i < 2; i++) {
        static const uint8_t names[] = { '1', 0, 0, 0, '1', 0, '8', 0, '4', 0, '7', 0, 0, 0, 0, 0 };

        answer_several(call, (const struct part[]){ { "Counter 009", sizeof names, 0 } }, 1, names, sizeof names);
        CHECK(strcmp(fake_columns[COL_INFO]->str, "=, Counter 009: 1 entry, 16 bytes") == 0, "answer %u: %s", i,
            fake_columns[COL_INFO]->str);
    }
    /* Shown again it is of the same handle, whatever has its number now. */
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 11, 0);
    opened = wmem_strdup_printf(pinfo.pool, "  [perfdata.handle.opened_in 0+0: %u]", pinfo.num);
    call = query_several(11);
    for (unsigned i = 0; i < 2; i++) {
        open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 11, 0);
        begin_stub();
        put_handle(11);
        give(call, false);
        answer_several(call, (const struct part[]){ { "238", size, 0 } }, 1, out.bytes, size);
        CHECK_SHOWS(opened);
    }
    call = query_several(0x9999);
    answer_several(call, (const struct part[]){ { "238", size, 0 } }, 1, out.bytes, size);
    CHECK(asked_wireshark == 1, "another key's");
}

/* What is seen while the protocol is switched off teaches nothing. */
static void
test_off(void)
{
    dcerpc_call_value *call;

    is_on = false;
    open_key(WINREG_OPEN_PERFORMANCE_DATA, 0, NULL, 0x60, 0);
    CHECK(told_of("perfdata_return") == NULL, "record");
    open_key(WINREG_OPEN_LOCAL_MACHINE, 0, NULL, 0x61, 0);
    open_key(WINREG_OPEN_KEY, 0x61, "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009", 0x62, 0);
    open_key(WINREG_OPEN_USERS, 0, NULL, 0x63, 0);
    call = new_call(WINREG_OPEN_KEY);
    put_handle(0x61);
    give(call, false);
    CHECK(perfdata_call_find(&di) == NULL, "a key");
    call = new_call(WINREG_CLOSE_KEY);
    put_handle(1);
    give(call, false);
    begin_stub();
    put_handle(0);
    PUT(0);
    give(call, true);
    CHECK(answered() == NULL && perfdata_call_find(&di) == NULL, "closed");
    call = query_several(1);
    CHECK(perfdata_call_find(&di) == NULL, "several values");
    is_on = true;
    answer_several(call, (const struct part[]){ { "238", 4, 0 } }, 1, out.bytes, 4);
    CHECK(asked_wireshark == 1, "its request was not seen");
    query(0x60, "238", 4096);
    CHECK(asked_wireshark == 1, "opened meanwhile");
    query(0x62, "Counter", 4096);
    CHECK(asked_wireshark == 1, "opened meanwhile");
    build_poll(1000, 130000000075000000);
    answer(query(0x63, "238", 4096), out.bytes, out.size, 0);
    CHECK(asked_wireshark == 0, "opened meanwhile, as another key: nobody knows");
    query(1, "238", 4096);
    CHECK(asked_wireshark == 0, "closed meanwhile");
}

static tvbuff_t *
begin_fault(struct rpc_fault *fault, struct rpc_call *told_call, uint16_t opnum, void *state)
{
    static uint8_t bytes[32];
    dcerpc_call_value none = { .opnum = 0 };

    packet_of(&none, true, 0);
    *told_call = (struct rpc_call){ .uuid = winreg_uuid,
        .has_opnum = true,
        .opnum = opnum,
        .request_frame = 3,
        .request_time = { pinfo.abs_ts.secs - 2, 0 },
        .state = state };
    *fault = (struct rpc_fault){ .call = told_call, .has_status = true, .status = 5 };
    return tvb_new_real_data(bytes, sizeof bytes, sizeof bytes);
}

static void
test_faults(void)
{
    dcerpc_call_value *call = query(1, "238", 4096);
    struct rpc_fault fault;
    struct rpc_call told_call;
    tvbuff_t *tvb =
        begin_fault(&fault, &told_call, WINREG_QUERY_VALUE, perfdata_call_find(&(dcerpc_info){ .call_data = call }));

    listener->fault(&fault, tvb, &pinfo, &fake_root->node);
    CHECK_TREE("fault", "Windows Performance Data, QueryValue, fault nca_s_fault_access_denied 0+32",
        "  [perfdata.value_name 0+0: 238]", "  [perfdata.requested 0+0: 238 (Processor, built in)]",
        "  [perfdata.handle.opened_in 0+0: 2]", "  [perfdata.fault 24+4: 5 = nca_s_fault_access_denied (0x00000005)]",
        "    ! perfdata.faulted: QueryValue was answered with a fault: nca_s_fault_access_denied",
        "  [perfdata.fault.request_in 0+0: 3]");
    CHECK(strcmp(fake_columns[COL_INFO]->str, "QueryValue response, Processor, fault nca_s_fault_access_denied") == 0 &&
            strcmp(fake_columns[COL_PROTOCOL]->str, "PerfData") == 0,
        "%s", fake_columns[COL_INFO]->str);
    CHECK(answered()->failed && strcmp(answered()->operation, "QueryValue") == 0 &&
            strcmp(answered()->value_name, "238") == 0 && answered()->key != NULL &&
            answered()->response_time.secs == 2,
        "record");
    /* The answer was there: what comes in another frame is nobody's. */
    build_poll(1000, 130000000080000000);
    answer(call, out.bytes, out.size, 0);
    CHECK(answered() == NULL, "an answer after the fault");

    /* An opening, whose request tells nothing; a value that only performance data has; others. */
    static const struct {
        uint16_t opnum;
        const char *name;
        uint32_t handle;
        const char *info;
    } cases[] = {
        { WINREG_OPEN_PERFORMANCE_DATA, NULL, 0, "OpenHKPD response, fault nca_s_fault_access_denied" },
        { WINREG_OPEN_PERFORMANCE_TEXT, NULL, 0, "operation not known response, fault nca_s_fault_access_denied" },
        { WINREG_OPEN_PERFORMANCE_NLS_TEXT, NULL, 0, "operation not known response, fault nca_s_fault_access_denied" },
        { WINREG_OPEN_USERS, NULL, 0, "=" },
        { WINREG_QUERY_VALUE, "Counter 009", 0x7777, "QueryValue response, fault nca_s_fault_access_denied" },
        { WINREG_QUERY_VALUE, "Counter", 0x7777, "=" },
        { WINREG_QUERY_VALUE, "Counter 009", 0x71, "=" }, /* of a key that is known, and none of these */
    };
    open_key(WINREG_OPEN_LOCAL_MACHINE, 0, NULL, 0x70, 0);
    open_key(WINREG_OPEN_KEY, 0x70, "SOFTWARE\\Other", 0x71, 0);
    for (size_t i = 0; i < array_length(cases); i++) {
        for (int off = 0; off < 2; off++) {
            void *state = NULL;

            if (cases[i].name != NULL) {
                call = query(cases[i].handle, cases[i].name, 4096);
                state = perfdata_call_find(&(dcerpc_info){ .call_data = call });
            }
            tvb = begin_fault(&fault, &told_call, cases[i].opnum, state);
            is_on = !off;
            listener->fault(&fault, tvb, &pinfo, NULL);
            CHECK(strcmp(fake_columns[COL_INFO]->str, off ? "=" : cases[i].info) == 0, "%zu: %s", i,
                fake_columns[COL_INFO]->str);
            CHECK((answered() != NULL) == (fake_columns[COL_INFO]->str[0] != '='), "%zu: record", i);
            CHECK(answered() == NULL || (answered()->key == NULL && strcmp(answered()->host, "PC") == 0), "%zu: record",
                i);
            is_on = true;
        }
    }
}

static void
test_unread(void)
{
    struct rpc_call told_call = { .uuid = winreg_uuid, .has_opnum = true, .opnum = WINREG_QUERY_VALUE };
    struct rpc_unread unread = { .call = &told_call, .is_last = true, .size = 99, .reason = "why", .needed = "key" };
    const struct perf_tap_poll *values;
    struct stub_recognised found = { .version = 0 };

    for (unsigned i = 0; i < 4; i++) {
        const bool off = i >= 2;
        struct rpc_fault none;
        struct rpc_call no_call;

        begin_fault(&none, &no_call, 0, NULL);
        is_on = !off;
        unread.is_response = i % 2 != 0;
        listener->unread(&unread, &pinfo);
        is_on = true;
        values = (const struct perf_tap_poll *)told_of("perfdata_poll");
        CHECK((answered() == NULL) == off && (values == NULL) == off, "case %u", i);
        CHECK(off ||
                (strcmp(answered()->unread, "why") == 0 && strcmp(answered()->needed, "key") == 0 &&
                    answered()->size == 99 && answered()->is_last && answered()->is_response == unread.is_response &&
                    strcmp(answered()->operation, "QueryValue") == 0 && strcmp(values->needed, "key") == 0),
            "record");
    }
    CHECK(!recognise(&(const struct stub_sample){ .length = 21, .opnum = 17 }, &pinfo, &found) && found.version == 0,
        "what proves nothing");
    CHECK(!recognise(&(const struct stub_sample){ .length = 20, .opnum = 99 }, &pinfo, &found), "no operation");
    CHECK(recognise(&(const struct stub_sample){ .length = 20, .opnum = 17 }, &pinfo, &found) && found.version == 1 &&
            guid_cmp(&found.uuid, &winreg_uuid) == 0,
        "winreg");
}

int
main(void)
{
    wmem_init_scopes();
    memcpy(fake_hidden, hidden, sizeof hidden);
    server_init();
    identity_init();
    proto_register_perfdata();
    proto_reg_handoff_perfdata();
    test_poll();
    test_answers();
    test_tails();
    test_value_name();
    test_objects_asked_for();
    test_names();
    test_keys();
    test_handles();
    test_recognised();
    test_trees();
    test_values();
    test_budget();
    test_several();
    test_off();
    test_faults();
    test_unread();
    return check_result();
}
