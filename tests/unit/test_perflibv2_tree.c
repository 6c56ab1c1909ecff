/* test_perflibv2_tree.c
 * What a person sees of lpData: [MS-PCQ] 2.2.4, structure by structure
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2-calls.h"

#define NONE PERF_ID_NONE

/* What has tests of its own. */
static const char *const hidden[] = { "dcerpc.", "perflibv2.counter.type", "perflibv2.data.system_time.",
    "perflibv2.table", "perflibv2.learned_in" };

static struct made *last; /* its answer is the stub */

/* 2.2.4.2, of no special display. */
static void
add_counter(uint32_t id, uint32_t type, uint32_t base, uint32_t time, uint32_t freq, uint32_t multi)
{
    ADD(id, type, 0, 0, 100, 0, base, time, freq, multi, 0, 0);
}

/* Teaches the names of a counterset and of its counters, in the order of their ids. */
static void
name_set(uint32_t set, const char *name, unsigned count, const uint32_t *ids, const char *const *names)
{
    unsigned at = 8 + 8 * count;

    begin();
    add_text(name, 2);
    answer(ask_registration(set, PERF_REG_COUNTERSET_NAME_STRING, 0), 0);
    CHECK_SHOWS(wmem_strdup_printf(pinfo.pool, "  perflibv2.counterset.name 0+%u: %s", out.size, name));
    begin();
    ADD(0, count);
    for (unsigned i = 0; i < count; i++) {
        ADD(ids[i], names[i] == NULL ? NONE : at);
        at += names[i] == NULL ? 0 : ((unsigned)strlen(names[i]) + 1) * 2;
    }
    for (unsigned i = 0; i < count; i++) {
        if (names[i] != NULL) {
            add_text(names[i], 2);
        }
    }
    out.bytes[0] = (uint8_t)out.size;
    answer(ask_registration(set, PERF_REG_COUNTER_NAME_STRINGS, 0), 0);
}

static void
test_names(void)
{
    static const uint32_t ids[] = { 6, 7, 9 };
    static const char *const names[] = { "Busy time", "Base", NULL };
    struct made *call;

    name_set(1, "Set", 3, ids, names);
    CHECK_TREE("strings", "perflibv2.out_size 0+4: 62", "perflibv2.return_size 4+4: 62",
        "perflibv2.lpdata 20+62: 62 bytes, 3 strings", "  perflibv2.strings.size 0+4: 62",
        "  perflibv2.strings.counters 4+4: 3", "  expert 0+4",
        "    ! perflibv2.rule.strings_aligned: The string buffer has 62 bytes, not a multiple of 8",
        "    [perflibv2.broken_rule 0+4: strings_aligned]", "  Counter 6: Busy time 8+8",
        "    perflibv2.counter.id 8+4: 6", "    perflibv2.string.offset 12+4: 32 = 32, from the start of the buffer",
        "    perflibv2.counter.name 32+20: Busy time", "    expert 8+24",
        "      ! perflibv2.rule.strings_offset_base: dwOffset counts from the start of the buffer, as "
        "Windows does, not from the end of the headers",
        "  Counter 7: Base 16+8", "    perflibv2.counter.id 16+4: 7",
        "    perflibv2.string.offset 20+4: 52 = 52, from the start of the buffer",
        "    perflibv2.counter.name 52+10: Base", "  Counter 9: no string 24+8", "    perflibv2.counter.id 24+4: 9",
        "    perflibv2.string.offset 28+4: 4294967295 = none (0xffffffff)", "perflibv2.return_code 84+4: 0");
    CHECK_INFO(", 3 counter names, Set");
    begin();
    ADD(40, 2, 5, 0, 6, 10);
    add_text("Help", 2);
    add_text("!", 2);
    add(0, 2);
    answer(ask_registration(1, PERF_REG_COUNTER_HELP_STRINGS, 0), 0);
    CHECK_TREE("help", "perflibv2.out_size 0+4: 40", "perflibv2.return_size 4+4: 40",
        "perflibv2.lpdata 20+40: 40 bytes, 2 strings", "  perflibv2.strings.size 0+4: 40",
        "  perflibv2.strings.counters 4+4: 2", "  Counter 5: Help 8+8", "    perflibv2.counter.id 8+4: 5",
        "    perflibv2.string.offset 12+4: 0 = 0, from the end of the headers",
        "    perflibv2.counter.description 24+10: Help", "  Counter 6: ! 16+8", "    perflibv2.counter.id 16+4: 6",
        "    perflibv2.string.offset 20+4: 10 = 10, from the end of the headers",
        "    perflibv2.counter.description 34+4: !", "perflibv2.return_code 60+4: 0");
    CHECK_INFO(", 2 counter descriptions, Set");
    begin();
    ADD(1, 0, 0, 0, 0x2222, 0, 0, 0);
    call = ask_machine(OP_ENUMERATE_COUNTER_SET, 3);
    CHECK_TREE("ask", "perflibv2.machine 12+10: \\\\PC", "perflibv2.in_size 24+4: 3");
    CHECK_INFO(", \\\\PC");
    answer_of(call, 3, 16, 0);
    CHECK_TREE("guids", "perflibv2.out_size 0+4: 2", "perflibv2.return_size 4+4: 2", "perflibv2.lpdata 20+32: 32 bytes",
        "  perflibv2.counterset.guid 0+16: 1 (Set)", "    [perflibv2.counterset.name 0+0: Set]",
        "  perflibv2.counterset.guid 16+16: 2222", "perflibv2.return_code 52+4: 0");
    CHECK_INFO(", 2 countersets");
    begin();
    add_text("Helpful", 2);
    answer(ask_registration(1, PERF_REG_COUNTERSET_HELP_STRING, 0), 0);
    CHECK_TREE("set help", "perflibv2.out_size 0+4: 16", "perflibv2.return_size 4+4: 16",
        "perflibv2.lpdata 20+16: 16 bytes", "  perflibv2.counterset.description 0+16: Helpful",
        "perflibv2.return_code 36+4: 0");
    CHECK_INFO(", counterset description \"Helpful\", Set");
    begin();
    add_text("Eng", 2);
    answer(ask_registration(1, PERF_REG_COUNTERSET_ENGLISH_NAME, 0), 0);
    CHECK_TREE("english", "perflibv2.out_size 0+4: 8", "perflibv2.return_size 4+4: 8", "perflibv2.lpdata 20+8: 8 bytes",
        "  perflibv2.counterset.name 0+8: Eng", "perflibv2.return_code 28+4: 0");
    CHECK_INFO(", counterset English name \"Eng\"");
    begin();
    add_text("Prov", 2);
    answer(ask_registration(1, PERF_REG_PROVIDER_NAME, 0), 0);
    CHECK_TREE("prov name", "perflibv2.out_size 0+4: 10", "perflibv2.return_size 4+4: 10",
        "perflibv2.lpdata 20+10: 10 bytes", "  perflibv2.provider.name 0+10: Prov", "perflibv2.return_code 32+4: 0");
    CHECK_INFO(", provider name \"Prov\", Set");
    begin();
    ADD(0x77, 0, 0, 0);
    answer(ask_registration(1, PERF_REG_PROVIDER_GUID, 0), 0);
    CHECK_TREE("prov guid", "perflibv2.out_size 0+4: 16", "perflibv2.return_size 4+4: 16",
        "perflibv2.lpdata 20+16: 16 bytes", "  perflibv2.provider.guid 0+16: 77",
        "  [perflibv2.provider.name 0+0: Prov]", "perflibv2.return_code 36+4: 0");
    CHECK_INFO(", provider GUID {00000077-0000-0000-0000-000000000000}, Set");
    begin();
    ADD(0x78, 0, 0, 0);
    answer(ask_registration(2, PERF_REG_PROVIDER_GUID, 0), 0);
    CHECK_TREE("prov guid 2", "perflibv2.out_size 0+4: 16", "perflibv2.return_size 4+4: 16",
        "perflibv2.lpdata 20+16: 16 bytes", "  perflibv2.provider.guid 0+16: 78", "perflibv2.return_code 36+4: 0");
    CHECK_INFO(", provider GUID {00000078-0000-0000-0000-000000000000}");
}

static void
test_registration(void)
{
    static const uint32_t ids[] = { 0, 1 };
    static const char *const names[] = { "Zero", "One" };

    begin();
    ADD(1, 0, 0, 0, 0, 100, 3, 2);
    ADD(5, PERF_COUNTER_RAWCOUNT, 0x18, 0, 200, 0xffffffff, NONE, NONE, NONE, NONE, 1, 0);
    add_counter(6, PERF_RAW_FRACTION, 7, 0, 0, 0);
    add_counter(7, PERF_RAW_BASE, NONE, NONE, NONE, NONE);
    answer(ask_registration(1, PERF_REG_COUNTERSET_STRUCT, 0), 0);
    CHECK_TREE("struct", "perflibv2.out_size 0+4: 176", "perflibv2.return_size 4+4: 176",
        "perflibv2.lpdata 20+176: 176 bytes, 3 counters", "  Counterset 0+32", "    perflibv2.counterset.guid 0+16: 1",
        "    [perflibv2.counterset.name 0+0: Set]", "    perflibv2.counterset.type 16+4: 0",
        "    perflibv2.counterset.detail_level 20+4: 100", "    perflibv2.counterset.num_counters 24+4: 3",
        "    perflibv2.counterset.instance_type 28+4: 2", "  Counter 5, PERF_COUNTER_RAWCOUNT 32+48",
        "    perflibv2.counter.id 32+4: 5", "    perflibv2.counter.attrib 40+8: 24",
        "      perflibv2.counter.attrib.as_real 40+8", "      perflibv2.counter.attrib.as_hex 40+8",
        "    perflibv2.counter.detail_level 48+4: 200", "    perflibv2.counter.default_scale 52+4: -1",
        "    perflibv2.counter.base_id 56+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_time_id 60+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_freq_id 64+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.multi_id 68+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.aggregate 72+4: 1", "    perflibv2.counter.reserved 76+4: 0", "    expert 40+8",
        "      ! perflibv2.rule.attrib_combination: Attrib of counter 5 is 0x18: \"display as "
        "hexadecimal\" is not to be combined with what else is set; Windows' own documentation allows it",
        "  Counter 6 Busy time, PERF_RAW_FRACTION 80+48", "    perflibv2.counter.id 80+4: 6",
        "    [perflibv2.counter.name 0+0: Busy time]", "    perflibv2.counter.attrib 88+8: 0",
        "    perflibv2.counter.detail_level 96+4: 100", "    perflibv2.counter.default_scale 100+4: 0",
        "    perflibv2.counter.base_id 104+4: 7 (Base)", "    perflibv2.counter.perf_time_id 108+4: 0",
        "    perflibv2.counter.perf_freq_id 112+4: 0", "    perflibv2.counter.multi_id 116+4: 0",
        "    perflibv2.counter.aggregate 120+4: 0", "    perflibv2.counter.reserved 124+4: 0",
        "  Counter 7 Base, PERF_RAW_BASE 128+48", "    perflibv2.counter.id 128+4: 7",
        "    [perflibv2.counter.name 0+0: Base]", "    perflibv2.counter.attrib 136+8: 0",
        "    perflibv2.counter.detail_level 144+4: 100", "    perflibv2.counter.default_scale 148+4: 0",
        "    perflibv2.counter.base_id 152+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_time_id 156+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_freq_id 160+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.multi_id 164+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.aggregate 168+4: 0", "    perflibv2.counter.reserved 172+4: 0",
        "perflibv2.return_code 196+4: 0");
    CHECK_INFO(", 3 counters, Set");
    begin();
    add_counter(6, PERF_RAW_FRACTION, 7, 0, 0, 0);
    answer(ask_registration(1, PERF_REG_COUNTER_STRUCT, 6), 0);
    CHECK_TREE("one", "perflibv2.out_size 0+4: 48", "perflibv2.return_size 4+4: 48",
        "perflibv2.lpdata 20+48: 48 bytes, 1 counter", "  Counter 6 Busy time, PERF_RAW_FRACTION 0+48",
        "    perflibv2.counter.id 0+4: 6", "    [perflibv2.counter.name 0+0: Busy time]",
        "    perflibv2.counter.attrib 8+8: 0", "    perflibv2.counter.detail_level 16+4: 100",
        "    perflibv2.counter.default_scale 20+4: 0", "    perflibv2.counter.base_id 24+4: 7 (Base)",
        "    perflibv2.counter.perf_time_id 28+4: 0", "    perflibv2.counter.perf_freq_id 32+4: 0",
        "    perflibv2.counter.multi_id 36+4: 0", "    perflibv2.counter.aggregate 40+4: 0",
        "    perflibv2.counter.reserved 44+4: 0", "perflibv2.return_code 68+4: 0");
    CHECK_INFO(", counter 6, Busy time, Set");
    name_set(2, "Two", 2, ids, names);
    begin();
    ADD(2, 0, 0, 0, 0, 100, 2, 0);
    add_counter(0, PERF_COUNTER_LARGE_RAWCOUNT, NONE, NONE, NONE, NONE);
    add_counter(1, PERF_OBJ_TIME_TIMER, 0, 0, 0, 1);
    answer(ask_registration(2, PERF_REG_COUNTERSET_STRUCT, 0), 0);
    CHECK_TREE("zero is an operand", "perflibv2.out_size 0+4: 128", "perflibv2.return_size 4+4: 128",
        "perflibv2.lpdata 20+128: 128 bytes, 2 counters", "  Counterset 0+32", "    perflibv2.counterset.guid 0+16: 2",
        "    [perflibv2.counterset.name 0+0: Two]", "    perflibv2.counterset.type 16+4: 0",
        "    perflibv2.counterset.detail_level 20+4: 100", "    perflibv2.counterset.num_counters 24+4: 2",
        "    perflibv2.counterset.instance_type 28+4: 0", "  Counter 0 Zero, PERF_COUNTER_LARGE_RAWCOUNT 32+48",
        "    perflibv2.counter.id 32+4: 0", "    [perflibv2.counter.name 0+0: Zero]",
        "    perflibv2.counter.attrib 40+8: 0", "    perflibv2.counter.detail_level 48+4: 100",
        "    perflibv2.counter.default_scale 52+4: 0",
        "    perflibv2.counter.base_id 56+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_time_id 60+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_freq_id 64+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.multi_id 68+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.aggregate 72+4: 0", "    perflibv2.counter.reserved 76+4: 0",
        "  Counter 1 One, PERF_OBJ_TIME_TIMER 80+48", "    perflibv2.counter.id 80+4: 1",
        "    [perflibv2.counter.name 0+0: One]", "    perflibv2.counter.attrib 88+8: 0",
        "    perflibv2.counter.detail_level 96+4: 100", "    perflibv2.counter.default_scale 100+4: 0",
        "    perflibv2.counter.base_id 104+4: 0", "    perflibv2.counter.perf_time_id 108+4: 0 (Zero)",
        "    perflibv2.counter.perf_freq_id 112+4: 0", "    perflibv2.counter.multi_id 116+4: 1 (One)",
        "    perflibv2.counter.aggregate 120+4: 0", "    perflibv2.counter.reserved 124+4: 0",
        "perflibv2.return_code 148+4: 0");
    CHECK_INFO(", 2 counters, Two");
    name_set(3, "Three", 2, ids, names);
    begin();
    ADD(3, 0, 0, 0, 0, 100, 2, 0);
    add_counter(0, PERF_RAW_BASE, NONE, NONE, NONE, NONE);
    add_counter(1, PERF_RAW_FRACTION, 0, 0, 0, 0);
    answer(ask_registration(3, PERF_REG_COUNTERSET_STRUCT, 0), 0);
    CHECK_TREE("zero is a base", "perflibv2.out_size 0+4: 128", "perflibv2.return_size 4+4: 128",
        "perflibv2.lpdata 20+128: 128 bytes, 2 counters", "  Counterset 0+32", "    perflibv2.counterset.guid 0+16: 3",
        "    [perflibv2.counterset.name 0+0: Three]", "    perflibv2.counterset.type 16+4: 0",
        "    perflibv2.counterset.detail_level 20+4: 100", "    perflibv2.counterset.num_counters 24+4: 2",
        "    perflibv2.counterset.instance_type 28+4: 0", "  Counter 0 Zero, PERF_RAW_BASE 32+48",
        "    perflibv2.counter.id 32+4: 0", "    [perflibv2.counter.name 0+0: Zero]",
        "    perflibv2.counter.attrib 40+8: 0", "    perflibv2.counter.detail_level 48+4: 100",
        "    perflibv2.counter.default_scale 52+4: 0",
        "    perflibv2.counter.base_id 56+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_time_id 60+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.perf_freq_id 64+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.multi_id 68+4: 4294967295 = none (0xffffffff)",
        "    perflibv2.counter.aggregate 72+4: 0", "    perflibv2.counter.reserved 76+4: 0",
        "  Counter 1 One, PERF_RAW_FRACTION 80+48", "    perflibv2.counter.id 80+4: 1",
        "    [perflibv2.counter.name 0+0: One]", "    perflibv2.counter.attrib 88+8: 0",
        "    perflibv2.counter.detail_level 96+4: 100", "    perflibv2.counter.default_scale 100+4: 0",
        "    perflibv2.counter.base_id 104+4: 0 (Zero)", "    perflibv2.counter.perf_time_id 108+4: 0",
        "    perflibv2.counter.perf_freq_id 112+4: 0", "    perflibv2.counter.multi_id 116+4: 0",
        "    perflibv2.counter.aggregate 120+4: 0", "    perflibv2.counter.reserved 124+4: 0",
        "perflibv2.return_code 148+4: 0");
    CHECK_INFO(", 2 counters, Three");
    name_set(4, "Four", 2, ids, names);
    begin();
    ADD(4, 0, 0, 0, 0, 100, 2, 0);
    add_counter(0, PERF_COUNTER_RAWCOUNT, NONE, NONE, NONE, NONE);
    add_counter(1, PERF_RAW_FRACTION, 0, 0, 0, 0);
    answer(ask_registration(4, PERF_REG_COUNTERSET_STRUCT, 0), 0);
    CHECK(strstr(fake_tree_text(), "\n    perflibv2.counter.base_id 104+4: 0\n") != NULL, "zero is neither: %s",
        fake_tree_text());
}

static void
test_identifiers(void)
{
    struct made *call;

    begin();
    add_instance("abc", 97);
    add_instance("a", 98);
    answer(ask_instances(1), 0);
    CHECK_TREE("instances", "perflibv2.out_size 0+4: 32", "perflibv2.return_size 4+4: 32",
        "perflibv2.lpdata 20+32: 32 bytes, 2 instances", "  Instance \"abc\" (97) 0+16",
        "    perflibv2.instance.size 0+4: 16", "    perflibv2.instance.id 4+4: 97",
        "    perflibv2.instance.name 8+8: abc", "  Instance \"a\" (98) 16+16", "    perflibv2.instance.size 16+4: 16",
        "    perflibv2.instance.id 20+4: 98", "    perflibv2.instance.name 24+4: a",
        "    perflibv2.padding 28+4: 00000000", "perflibv2.return_code 52+4: 0");
    CHECK_INFO(", 2 instances");
    open_handle(0x11);
    CHECK_TREE("open", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 11", "  [perflibv2.query 0+0: 1]",
        "  [perflibv2.handle.opened_in 0+0: 44]", "perflibv2.return_code 20+4: 0");
    CHECK_INFO(", query 1");
    begin();
    add_counter_identifier(1, 6, NONE, "*", 0, 0);
    add_counter_identifier(0x99, NONE, 5, "cpu1", 77, 1);
    add_counter_identifier(1, 5, 97, "", 0, 2);
    call = validate(0x11, true);
    CHECK_TREE("validate", "perflibv2.handle.attributes 0+4: 0", "perflibv2.handle 4+16: 11",
        "  [perflibv2.query 0+0: 1]", "  [perflibv2.handle.opened_in 0+0: 44]", "perflibv2.in_size 20+4: 144",
        "perflibv2.lpdata 28+144: 144 bytes, 3 identifiers", "  Identifier 0: Set, Busy time, all instances 0+48",
        "    perflibv2.counterset.guid 0+16: 1", "    [perflibv2.counterset.name 0+0: Set]",
        "    perflibv2.identifier.status_sent 16+4: 0", "    perflibv2.identifier.size 20+4: 48",
        "    perflibv2.counter.id 24+4: 6", "    [perflibv2.counter.name 0+0: Busy time]",
        "    perflibv2.instance.id 28+4: 4294967295 = any (0xffffffff)", "    perflibv2.identifier.index 32+4: 0",
        "    perflibv2.identifier.reserved 36+4: 0", "    perflibv2.instance.name 40+4: (*) * (PERF_WILDCARD_INSTANCE)",
        "    perflibv2.padding 44+4: 00000000",
        "  Identifier 1: 00000099-0000-0000-0000-000000000000, all counters, instance \"cpu1\" 48+56",
        "    perflibv2.counterset.guid 48+16: 99", "    perflibv2.identifier.status_sent 64+4: 77",
        "    perflibv2.identifier.size 68+4: 56",
        "    perflibv2.counter.id 72+4: 4294967295 = PERF_WILDCARD_COUNTER (0xffffffff)",
        "    perflibv2.instance.id 76+4: 5", "    perflibv2.identifier.index 80+4: 1",
        "    perflibv2.identifier.reserved 84+4: 0", "    perflibv2.instance.name 88+10: cpu1",
        "    perflibv2.padding 98+6: 000000000000", "  Identifier 2: Set, counter 5 104+40",
        "    perflibv2.counterset.guid 104+16: 1", "    [perflibv2.counterset.name 0+0: Set]",
        "    perflibv2.identifier.status_sent 120+4: 0", "    perflibv2.identifier.size 124+4: 40",
        "    perflibv2.counter.id 128+4: 5", "    perflibv2.instance.id 132+4: 97",
        "    [perflibv2.instance.name 0+0: abc]", "    perflibv2.identifier.index 136+4: 2",
        "    perflibv2.identifier.reserved 140+4: 0", "    expert 124+4",
        "      ! perflibv2.rule.identifier_name: Size of identifier 2 is 40, but its counterset has "
        "several instances: a name was expected",
        "      [perflibv2.broken_rule 124+4: identifier_name]", "perflibv2.add 172+4: true");
    CHECK_INFO(", query 1, add 3 identifiers");
    out.bytes[48 + 16] = 0x68;
    out.bytes[48 + 17] = 0x10;
    validated(call, 0);
    CHECK_TREE("validated", "[perflibv2.handle 0+0: 11]", "  [perflibv2.query 0+0: 1]",
        "perflibv2.lpdata 4+144: 144 bytes, 3 identifiers", "  Identifier 0: Set, Busy time, all instances 0+48",
        "    perflibv2.counterset.guid 0+16: 1", "    [perflibv2.counterset.name 0+0: Set]",
        "    perflibv2.identifier.status 16+4: 0", "    perflibv2.identifier.size 20+4: 48",
        "    perflibv2.counter.id 24+4: 6", "    [perflibv2.counter.name 0+0: Busy time]",
        "    perflibv2.instance.id 28+4: 4294967295 = any (0xffffffff)", "    perflibv2.identifier.index 32+4: 0",
        "    perflibv2.identifier.reserved 36+4: 0", "    perflibv2.instance.name 40+4: (*) * (PERF_WILDCARD_INSTANCE)",
        "    perflibv2.padding 44+4: 00000000",
        "  Identifier 1: 00000099-0000-0000-0000-000000000000, all counters, instance \"cpu1\": "
        "ERROR_WMI_GUID_NOT_FOUND 48+56",
        "    perflibv2.counterset.guid 48+16: 99", "    perflibv2.identifier.status 64+4: 4200",
        "      ! perflibv2.identifier_status: Identifier 1: ERROR_WMI_GUID_NOT_FOUND",
        "    [perflibv2.cooked.pdh 0+0: 3221228472]", "    perflibv2.identifier.size 68+4: 56",
        "    perflibv2.counter.id 72+4: 4294967295 = PERF_WILDCARD_COUNTER (0xffffffff)",
        "    perflibv2.instance.id 76+4: 5", "    perflibv2.identifier.index 80+4: 1",
        "    perflibv2.identifier.reserved 84+4: 0", "    perflibv2.instance.name 88+10: cpu1",
        "    perflibv2.padding 98+6: 000000000000", "  Identifier 2: Set, counter 5 104+40",
        "    perflibv2.counterset.guid 104+16: 1", "    [perflibv2.counterset.name 0+0: Set]",
        "    perflibv2.identifier.status 120+4: 0", "    perflibv2.identifier.size 124+4: 40",
        "    perflibv2.counter.id 128+4: 5", "    perflibv2.instance.id 132+4: 97",
        "    [perflibv2.instance.name 0+0: abc]", "    perflibv2.identifier.index 136+4: 2",
        "    perflibv2.identifier.reserved 140+4: 0", "perflibv2.return_code 148+4: 0");
    CHECK_INFO(", query 1, added 2, refused 1");
}

/* The time of begin_data(): Friday, 2012-12-14 23:06:40. */
static void
set_time(void)
{
    static const uint8_t time[16] = { 2012 % 256, 2012 / 256, 12, 0, 5, 0, 14, 0, 23, 0, 6, 0, 40 };

    memcpy(out.bytes + 32, time, sizeof time);
}

/* A query of one counter of one instance type, and two polls of it. */
static void
test_aggregates(void)
{
    static const char *const names[] = { "x", "y" };

    begin();
    ADD(5, 0, 0, 0, 0, 100, 1, 6);
    ADD(5, PERF_COUNTER_RAWCOUNT, 0, 0, 100, 0, NONE, NONE, NONE, NONE, 1, 0);
    answer(ask_registration(5, PERF_REG_COUNTERSET_STRUCT, 0), 0);
    name_set(5, "Five", 1, (const uint32_t[]){ 5 }, (const char *const[]){ "Run time" });
    open_handle(0x15);
    begin();
    add_counter_identifier(5, 5, NONE, "*", 0, 0);
    validated(validate(0x15, true), 0);
    answer(ask_query(OP_QUERY_COUNTER_INFO, 0x15, 4096), 0);
    begin_data(1, 1000, UINT64_C(130000000000000000));
    add_block(0, NULL, 2, names, (const uint64_t[]){ 10, 20 }, 4);
    end_data();
    set_time();
    last = ask_query(OP_QUERY_COUNTER_DATA, 0x15, 4096);
    answer(last, 0);
    CHECK_TREE("aggregates", "[perflibv2.handle 0+0: 15]", "  [perflibv2.query 0+0: 4]", "perflibv2.out_size 0+4: 136",
        "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+136: 136 bytes, 1 block",
        "  Data header, 1 block, taken at 2012-12-14 23:06:40.000 UTC 0+48", "    perflibv2.data.total_size 0+4: 136",
        "    perflibv2.data.num_counters 4+4: 1", "    perflibv2.data.perf_time_stamp 8+8: 1000",
        "    perflibv2.data.perf_time_100ns 16+8: 1355526400.000000000 (130000000000000000)",
        "    perflibv2.data.perf_freq 24+8: 10000000", "    perflibv2.data.system_time 32+16: 1355526400.000000000",
        "  [perflibv2.aggregate.path 0+0: (\\\\PC\\Five\\Run time) \\\\PC\\Five\\Run time = 30, total, "
        "aggregated from 2 instances]",
        "    [perflibv2.aggregate 0+0: 30 = 30]",
        "  perflibv2.block 48+88: (Five(*)\\Run time, 2 instances) Block 0: Five(*)\\Run time, 2 instances",
        "    [perflibv2.block.index 48+0: 0]", "    perflibv2.block.status 48+4: 0", "    perflibv2.block.type 52+4: 4",
        "    perflibv2.block.size 56+4: 88", "    perflibv2.block.reserved 60+4: 0",
        "    [perflibv2.counterset.guid 0+0: 5]", "    [perflibv2.counterset.name 0+0: Five]",
        "    [perflibv2.counter.id 0+0: 5]", "    [perflibv2.counter.name 0+0: Run time]",
        "    [perflibv2.block.link 0+0: by Index of QueryCounterInfo]", "      [perflibv2.block.mapped_in 0+0: 70]",
        "    perflibv2.multi_instances.total_size 64+4: 72", "    perflibv2.multi_instances.instances 68+4: 2",
        "    Instance \"x\" (120) 72+32", "      perflibv2.instance.size 72+4: 16",
        "      perflibv2.instance.id 76+4: 120", "      perflibv2.instance.name 80+4: x",
        "      perflibv2.padding 84+4: 00000000", "      [perflibv2.path 96+4: \\\\PC\\Five(x)\\Run time = 10]",
        "        perflibv2.value.data_size 88+4: 4", "        perflibv2.value.size 92+4: 16",
        "        perflibv2.value 96+4: 10", "        [perflibv2.cooked 0+0: 10]",
        "        [perflibv2.cooked.formula 0+0: N1]", "    Instance \"y\" (121) 104+32",
        "      perflibv2.instance.size 104+4: 16", "      perflibv2.instance.id 108+4: 121",
        "      perflibv2.instance.name 112+4: y", "      perflibv2.padding 116+4: 00000000",
        "      [perflibv2.path 128+4: \\\\PC\\Five(y)\\Run time = 20]", "        perflibv2.value.data_size 120+4: 4",
        "        perflibv2.value.size 124+4: 16", "        perflibv2.value 128+4: 20",
        "        [perflibv2.cooked 0+0: 20]", "        [perflibv2.cooked.formula 0+0: N1]",
        "perflibv2.return_code 156+4: 0");
    CHECK_INFO(", query 4, 1 block, 136 bytes, Five");
    CHECK(strcmp(watched,
              "\\\\PC\\Five(x)\\Run time = 10 96+4\n"
              "\\\\PC\\Five(y)\\Run time = 20 128+4\n"
              "\\\\PC\\Five\\Run time = 30 0+0\n") == 0,
        "%s", watched);
}

/* What nobody knows the query of: values as they are; what is odd among them. */
static void
test_unnamed(void)
{
    static const char *const names[] = { "x", "y" };
    unsigned at;

    begin_data(6, 1000, UINT64_MAX);
    add_block(0, NULL, 0, NULL, (const uint64_t[]){ 42 }, 4);
    add_block(2, (const uint32_t[]){ 8, 9 }, 0, NULL, (const uint64_t[]){ 5, 6 }, 8);
    add_block(0, NULL, 2, names, (const uint64_t[]){ 3, 4 }, 4);
    at = begin_block(PERF_MULTIPLE_COUNTERS, 0);
    ADD(16, 2, 1, 2);
    ADD(6, 16, 0x44332211, 0x6655);
    ADD(0, 8);
    end_block(at);
    at = begin_block(9, 0);
    ADD(1, 2);
    end_block(at);
    at = begin_block(PERF_SINGLE_COUNTER, 0);
    ADD(4, 16, 7, 0, 0xaaaaaaaa, 0xbbbbbbbb);
    end_block(at);
    ADD(0x11111111, 0x22222222);
    end_data();
    set_time();
    last = ask_query(OP_QUERY_COUNTER_DATA, 0x99, 4096);
    answer(last, 0);
    CHECK_TREE("unnamed", "[perflibv2.handle 0+0: 99]", "  [perflibv2.query 0+0: 3]", "perflibv2.out_size 0+4: 360",
        "perflibv2.return_size 4+4: 360", "perflibv2.lpdata 20+360: 360 bytes, 6 blocks",
        "  Data header, 6 blocks, taken at 2012-12-14 23:06:40.000 UTC 0+48", "    perflibv2.data.total_size 0+4: 360",
        "    perflibv2.data.num_counters 4+4: 6", "    perflibv2.data.perf_time_stamp 8+8: 1000",
        "    perflibv2.data.perf_time_100ns 16+8: 0xffffffffffffffff", "    perflibv2.data.perf_freq 24+8: 10000000",
        "    perflibv2.data.system_time 32+16: 1355526400.000000000", "    expert 16+8",
        "      ! perflibv2.rule.data_time: PerfTime100NSec is 0xffffffffffffffff, which is no point in time",
        "      [perflibv2.broken_rule 16+8: data_time]",
        "  perflibv2.block 48+32: (PERF_SINGLE_COUNTER, 1 value) Block 0: PERF_SINGLE_COUNTER, 1 value",
        "    [perflibv2.block.index 48+0: 0]", "    perflibv2.block.status 48+4: 0", "    perflibv2.block.type 52+4: 1",
        "    perflibv2.block.size 56+4: 32", "    perflibv2.block.reserved 60+4: 0",
        "    [perflibv2.block.link 0+0: not known: no QueryCounterInfo answer, and the handle was "
        "opened before the capture]",
        "    perflibv2.value 72+4: 42", "      perflibv2.value.data_size 64+4: 4",
        "      perflibv2.value.size 68+4: 16",
        "  perflibv2.block 80+64: (PERF_MULTIPLE_COUNTERS, 2 counters) Block 1: PERF_MULTIPLE_COUNTERS, 2 counters",
        "    [perflibv2.block.index 80+0: 1]", "    perflibv2.block.status 80+4: 0", "    perflibv2.block.type 84+4: 2",
        "    perflibv2.block.size 88+4: 64", "    perflibv2.block.reserved 92+4: 0",
        "    [perflibv2.block.link 0+0: not known: no QueryCounterInfo answer, and the handle was "
        "opened before the capture]",
        "    perflibv2.multi_counters.size 96+4: 16", "    perflibv2.multi_counters.counters 100+4: 2",
        "    2 counter ids 104+8", "      perflibv2.counter.id 104+4: 8", "      perflibv2.counter.id 108+4: 9",
        "    perflibv2.value 120+8: 5", "      perflibv2.value.data_size 112+4: 8",
        "      perflibv2.value.size 116+4: 16", "    perflibv2.value 136+8: 6",
        "      perflibv2.value.data_size 128+4: 8", "      perflibv2.value.size 132+4: 16",
        "  perflibv2.block 144+88: (PERF_MULTIPLE_INSTANCES, 2 instances) Block 2: "
        "PERF_MULTIPLE_INSTANCES, 2 instances",
        "    [perflibv2.block.index 144+0: 2]", "    perflibv2.block.status 144+4: 0",
        "    perflibv2.block.type 148+4: 4", "    perflibv2.block.size 152+4: 88",
        "    perflibv2.block.reserved 156+4: 0",
        "    [perflibv2.block.link 0+0: not known: no QueryCounterInfo answer, and the handle was "
        "opened before the capture]",
        "    perflibv2.multi_instances.total_size 160+4: 72", "    perflibv2.multi_instances.instances 164+4: 2",
        "    Instance \"x\" (120) 168+32", "      perflibv2.instance.size 168+4: 16",
        "      perflibv2.instance.id 172+4: 120", "      perflibv2.instance.name 176+4: x",
        "      perflibv2.padding 180+4: 00000000", "      perflibv2.value 192+4: 3",
        "        perflibv2.value.data_size 184+4: 4", "        perflibv2.value.size 188+4: 16",
        "    Instance \"y\" (121) 200+32", "      perflibv2.instance.size 200+4: 16",
        "      perflibv2.instance.id 204+4: 121", "      perflibv2.instance.name 208+4: y",
        "      perflibv2.padding 212+4: 00000000", "      perflibv2.value 224+4: 4",
        "        perflibv2.value.data_size 216+4: 4", "        perflibv2.value.size 220+4: 16",
        "  perflibv2.block 232+56: (PERF_MULTIPLE_COUNTERS, 2 counters) Block 3: PERF_MULTIPLE_COUNTERS, 2 counters",
        "    [perflibv2.block.index 232+0: 3]", "    perflibv2.block.status 232+4: 0",
        "    perflibv2.block.type 236+4: 2", "    perflibv2.block.size 240+4: 56",
        "    perflibv2.block.reserved 244+4: 0",
        "    [perflibv2.block.link 0+0: not known: no QueryCounterInfo answer, and the handle was "
        "opened before the capture]",
        "    perflibv2.multi_counters.size 248+4: 16", "    perflibv2.multi_counters.counters 252+4: 2",
        "    2 counter ids 256+8", "      perflibv2.counter.id 256+4: 1", "      perflibv2.counter.id 260+4: 2",
        "    perflibv2.value.bytes 272+6: 112233445566", "      perflibv2.value.data_size 264+4: 6",
        "      perflibv2.value.size 268+4: 16", "    perflibv2.value.bytes 288+0: no data",
        "      perflibv2.value.data_size 280+4: 0", "      perflibv2.value.size 284+4: 8",
        "  perflibv2.block 288+24: (unknown type, 0 values) Block 4: unknown type, 0 values",
        "    [perflibv2.block.index 288+0: 4]", "    perflibv2.block.status 288+4: 0",
        "    perflibv2.block.type 292+4: 9", "    perflibv2.block.size 296+4: 24",
        "    perflibv2.block.reserved 300+4: 0",
        "    [perflibv2.block.link 0+0: not known: no QueryCounterInfo answer, and the handle was "
        "opened before the capture]",
        "    perflibv2.unknown 304+8: 0100000002000000", "    expert 292+4",
        "      ! perflibv2.rule.block_type: dwType of _PERF_COUNTER_HEADER is 9, which is none of 0, 1, 2, 4 and 6",
        "      [perflibv2.broken_rule 292+4: block_type]",
        "  perflibv2.block 312+40: (PERF_SINGLE_COUNTER, 1 value) Block 5: PERF_SINGLE_COUNTER, 1 value",
        "    [perflibv2.block.index 312+0: 5]", "    perflibv2.block.status 312+4: 0",
        "    perflibv2.block.type 316+4: 1", "    perflibv2.block.size 320+4: 40",
        "    perflibv2.block.reserved 324+4: 0",
        "    [perflibv2.block.link 0+0: not known: no QueryCounterInfo answer, and the handle was "
        "opened before the capture]",
        "    perflibv2.value 336+4: 7", "      perflibv2.value.data_size 328+4: 4",
        "      perflibv2.value.size 332+4: 16", "    perflibv2.padding 344+8: aaaaaaaabbbbbbbb",
        "  perflibv2.unknown 352+8: 1111111122222222", "  expert 352+8",
        "    ! perflibv2.rule.trailing_bytes: 8 bytes follow the last structure, which ends at offset 352",
        "    [perflibv2.broken_rule 352+8: trailing_bytes]", "perflibv2.return_code 380+4: 0");
    CHECK_INFO(", query 3, 6 blocks, 360 bytes");
    fake_asked = "perflibv2.value.bytes";
    give_again(last, true);
    fake_asked = NULL;
    CHECK(strstr(fake_tree_text(), "\n    perflibv2.value.bytes 272+6: 112233445566\n") != NULL, "%s",
        fake_tree_text());
}

/* What is not known: the language of a name, the type of counter 0. */
static void
test_unknown(void)
{
    unsigned block;

    begin();
    ADD(26, 1, 9, 16);
    add_text("Nine", 2);
    answer(ask_registration(1, PERF_REG_COUNTER_ENGLISH_NAMES, 0), 0);
    CHECK_SHOWS("    perflibv2.string.offset 12+4: 16 = 16, from the start of the buffer\n"
                "    perflibv2.counter.name 16+10: Nine");
    CHECK_INFO(", 1 counter English names, Set");
    name_set(6, "Six", 1, (const uint32_t[]){ 0 }, (const char *const[]){ "Zero" });
    begin();
    add_counter(1, PERF_OBJ_TIME_TIMER, NONE, 0, NONE, NONE);
    answer(ask_registration(6, PERF_REG_COUNTER_STRUCT, 1), 0);
    CHECK_SHOWS("    perflibv2.counter.perf_time_id 28+4: 0");
    /* A type of block: what it holds, of which there may be nothing. Padding is none of an error. */
    begin_data(3, 1000, 130000000000000000);
    end_block(begin_block(9, 0));
    block = begin_block(9, 0);
    ADD(0x11, 0x22);
    end_block(block);
    block = begin_block(PERF_ERROR_RETURN, 0x1068);
    ADD(0x33, 0x44);
    end_block(block);
    end_data();
    set_time();
    answer(ask_query(OP_QUERY_COUNTER_DATA, 0x99, 4096), 0);
    CHECK_SHOWS("    perflibv2.unknown 80+8: 1100000022000000");
    CHECK_SHOWS("    perflibv2.padding 104+8: 3300000044000000");
    CHECK(count_of(fake_tree_text(), "perflibv2.unknown") == 1, "%s", fake_tree_text());
}

/* Somebody asks for one field: what it takes to find that is made, and no labels. */
static void
test_asked(void)
{
    fake_hidden[5] = "perflibv2.data.";
    fake_hidden[6] = "perflibv2.block.";
    fake_hidden[7] = "perflibv2.multi_";
    fake_asked = "perflibv2.value";
    give_again(last, true);
    CHECK_TREE("value asked", "[perflibv2.handle 0+0: 15]", "  [perflibv2.query 0+0: 4]", "perflibv2.out_size 0+4: 136",
        "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+136: 136 bytes", "  Data header 0+48",
        "  perflibv2.block 48+88", "    [perflibv2.counterset.guid 0+0: 5]",
        "    [perflibv2.counterset.name 0+0: Five]", "    [perflibv2.counter.id 0+0: 5]",
        "    [perflibv2.counter.name 0+0: Run time]", "    Instance \"\" (120) 72+32",
        "      perflibv2.instance.size 72+4: 16", "      perflibv2.instance.id 76+4: 120",
        "      perflibv2.padding 84+4: 00000000", "      perflibv2.value 96+4: 10", "    Instance \"\" (121) 104+32",
        "      perflibv2.instance.size 104+4: 16", "      perflibv2.instance.id 108+4: 121",
        "      perflibv2.padding 116+4: 00000000", "      perflibv2.value 128+4: 20", "perflibv2.return_code 156+4: 0");
    CHECK_INFO(", query 4, 1 block, 136 bytes, Five");
    fake_asked = "perflibv2.value.data_size";
    give_again(last, true);
    CHECK_SHOWS("      perflibv2.padding 84+4: 00000000\n      perflibv2.value.data_size 88+4: 4");
    fake_asked = "perflibv2.path";
    give_again(last, true);
    CHECK_TREE("path asked", "[perflibv2.handle 0+0: 15]", "  [perflibv2.query 0+0: 4]", "perflibv2.out_size 0+4: 136",
        "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+136: 136 bytes", "  Data header 0+48",
        "  perflibv2.block 48+88", "    [perflibv2.counterset.guid 0+0: 5]",
        "    [perflibv2.counterset.name 0+0: Five]", "    [perflibv2.counter.id 0+0: 5]",
        "    [perflibv2.counter.name 0+0: Run time]", "    Instance \"\" (120) 72+32",
        "      perflibv2.instance.size 72+4: 16", "      perflibv2.instance.id 76+4: 120",
        "      perflibv2.padding 84+4: 00000000", "      [perflibv2.path 96+4: \\\\PC\\Five(x)\\Run time]",
        "    Instance \"\" (121) 104+32", "      perflibv2.instance.size 104+4: 16",
        "      perflibv2.instance.id 108+4: 121", "      perflibv2.padding 116+4: 00000000",
        "      [perflibv2.path 128+4: \\\\PC\\Five(y)\\Run time]", "perflibv2.return_code 156+4: 0");
    CHECK_INFO(", query 4, 1 block, 136 bytes, Five");
    fake_asked = "perflibv2.value.size";
    give_again(last, true);
    CHECK_TREE("size asked", "[perflibv2.handle 0+0: 15]", "  [perflibv2.query 0+0: 4]", "perflibv2.out_size 0+4: 136",
        "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+136: 136 bytes", "  Data header 0+48",
        "  perflibv2.block 48+88", "    [perflibv2.counterset.guid 0+0: 5]",
        "    [perflibv2.counterset.name 0+0: Five]", "    [perflibv2.counter.id 0+0: 5]",
        "    [perflibv2.counter.name 0+0: Run time]", "    Instance \"\" (120) 72+32",
        "      perflibv2.instance.size 72+4: 16", "      perflibv2.instance.id 76+4: 120",
        "      perflibv2.padding 84+4: 00000000", "      perflibv2.value.data_size 88+4: 4",
        "      perflibv2.value.size 92+4: 16", "    Instance \"\" (121) 104+32",
        "      perflibv2.instance.size 104+4: 16", "      perflibv2.instance.id 108+4: 121",
        "      perflibv2.padding 116+4: 00000000", "      perflibv2.value.data_size 120+4: 4",
        "      perflibv2.value.size 124+4: 16", "perflibv2.return_code 156+4: 0");
    CHECK_INFO(", query 4, 1 block, 136 bytes, Five");
    fake_asked = "perflibv2.instance.id";
    give_again(last, true);
    CHECK_TREE("id asked", "[perflibv2.handle 0+0: 15]", "  [perflibv2.query 0+0: 4]", "perflibv2.out_size 0+4: 136",
        "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+136: 136 bytes", "  Data header 0+48",
        "  perflibv2.block 48+88", "    [perflibv2.counterset.guid 0+0: 5]",
        "    [perflibv2.counterset.name 0+0: Five]", "    [perflibv2.counter.id 0+0: 5]",
        "    [perflibv2.counter.name 0+0: Run time]", "    Instance \"\" (120) 72+32",
        "      perflibv2.instance.size 72+4: 16", "      perflibv2.instance.id 76+4: 120",
        "      perflibv2.padding 84+4: 00000000", "    Instance \"\" (121) 104+32",
        "      perflibv2.instance.size 104+4: 16", "      perflibv2.instance.id 108+4: 121",
        "      perflibv2.padding 116+4: 00000000", "perflibv2.return_code 156+4: 0");
    CHECK_INFO(", query 4, 1 block, 136 bytes, Five");
    fake_asked = "perflibv2.aggregate";
    give_again(last, true);
    CHECK_TREE("aggregate asked", "[perflibv2.handle 0+0: 15]", "  [perflibv2.query 0+0: 4]",
        "perflibv2.out_size 0+4: 136", "perflibv2.return_size 4+4: 136", "perflibv2.lpdata 20+136: 136 bytes",
        "  Data header 0+48",
        "  [perflibv2.aggregate.path 0+0: (\\\\PC\\Five\\Run time) \\\\PC\\Five\\Run time = 30, total, "
        "aggregated from 2 instances]",
        "    [perflibv2.aggregate 0+0: 30 = 30]", "  perflibv2.block 48+88", "    [perflibv2.counterset.guid 0+0: 5]",
        "    [perflibv2.counterset.name 0+0: Five]", "    [perflibv2.counter.id 0+0: 5]",
        "    [perflibv2.counter.name 0+0: Run time]", "    Instance \"\" (120) 72+32",
        "      perflibv2.instance.size 72+4: 16", "      perflibv2.instance.id 76+4: 120",
        "      perflibv2.padding 84+4: 00000000", "    Instance \"\" (121) 104+32",
        "      perflibv2.instance.size 104+4: 16", "      perflibv2.instance.id 108+4: 121",
        "      perflibv2.padding 116+4: 00000000", "perflibv2.return_code 156+4: 0");
    CHECK_INFO(", query 4, 1 block, 136 bytes, Five");
    fake_asked = NULL;
    is_seen = false;
    give_again(last, true);
    CHECK(strcmp(fake_tree_text(), "") == 0, "%s", fake_tree_text());
    is_seen = true;
}

/* However few items are wanted: what is not shown is counted, and no more than these are. */
static void
test_budget(struct made *call)
{
    const unsigned all = *max_items;
    bool was_whole = false;

    memset(fake_hidden, 0, sizeof fake_hidden);
    for (unsigned most = 1; most < 300; most++) {
        const char *text;
        unsigned missing, left_out = 0;

        *max_items = most;
        give_again(call, true);
        text = fake_tree_text();
        if (strstr(text, "! perflibv2.left_out: ") != NULL) {
            left_out = (unsigned)atoi(strstr(text, "! perflibv2.left_out: ") + strlen("! perflibv2.left_out: "));
        }
        CHECK((left_out > 0) == (strstr(text, "expert 0+0\n") != NULL), "of all, and of no byte");
        /* Blocks and values; of blocks that are shown their ids, and the table of their values. */
        missing = 5 - count_of(text, ") Block ") + 11 - count_of(text, "[perflibv2.path ");
        missing += count_of(text, ") Block 2: ") * 4 + count_of(text, ") Block 3: ") * 2 -
            count_of(text, "      perflibv2.counter.id ") - count_of(text, "[perflibv2.table ");
        CHECK(left_out == missing, "%u items: %u left out, not %u", most, left_out, missing);
        /* The data header, what stands before lpData and what is broken are not counted. */
        CHECK(count_of(text, "\n") <= most + most / 3 + 36, "%u items: %u", most, count_of(text, "\n"));
        was_whole |= left_out == 0;
    }
    CHECK(was_whole, "there is room at last");
    *max_items = all;
    /* What a filter asks for is there beyond that, up to what Wireshark itself can hold. */
    fake_asked = "perflibv2.path";
    for (unsigned room = 0; room <= 1000; room += 1000) {
        items_taken = 900000 - room;
        give_again(call, true);
        CHECK((strstr(fake_tree_text(),
                   "\n  expert 0+0\n    ! perflibv2.out_of_reach: Filters and columns miss 16 values or "
                   "structures of this packet: it can hold no more than 900000 items;") != NULL) == (room == 0),
            "%s", fake_tree_text());
        CHECK((strstr(fake_tree_text(), "perflibv2.out_of_reach") != NULL) == (room == 0), "%s", fake_tree_text());
    }
    items_taken = 0;
    fake_asked = NULL;
    memcpy(fake_hidden, hidden, sizeof hidden);
}

/*
 * Of strings that stand behind each other each takes five: itself, its id, its offset, its text and what is wrong with
 * it. Those that do not take far more.
 */
static void
test_budget_of_strings(void)
{
    static const uint32_t offsets[] = { NONE, 56, 60, 64, 64, 56 };
    const unsigned all = *max_items;
    struct made *call = ask_registration(88, PERF_REG_COUNTER_NAME_STRINGS, 0);

    begin();
    ADD(68, 6);
    for (uint32_t i = 0; i < 6; i++) {
        ADD(i, offsets[i]);
    }
    add_text("a", 2);
    add_text("b", 2);
    add_text("c", 2);
    answer(call, 0);
    for (unsigned most = 1; most < 400; most += most < 99 ? 1 : 200) {
        const char *text;
        unsigned shown;

        *max_items = most;
        give_again(call, true);
        text = fake_tree_text();
        shown = count_of(text, "\n  Counter ");
        CHECK(shown == (most < 100 ? MIN(most / 5, 4) : 6), "%u items: %s", most, text);
        CHECK(strstr(text, wmem_strdup_printf(pinfo.pool, "! perflibv2.left_out: %u ", 6 - shown)) != NULL ||
                shown == 6,
            "%u items: %s", most, text);
    }
    *max_items = all;
}

/* Of strings: the header alone, and less than that; what is wrong with one stands below it. */
static void
test_strings(void)
{
    begin();
    ADD(8, 0);
    answer(ask_registration(1, PERF_REG_COUNTER_NAME_STRINGS, 0), 0);
    CHECK_SHOWS("perflibv2.lpdata 20+8: 8 bytes\n  perflibv2.strings.size 0+4: 8\n  perflibv2.strings.counters 4+4: 0");
    begin();
    ADD(8);
    answer(ask_registration(1, PERF_REG_COUNTER_NAME_STRINGS, 0), 0);
    CHECK(strstr(fake_tree_text(), "perflibv2.strings.") == NULL, "%s", fake_tree_text());
    CHECK_SHOWS("  perflibv2.unknown 0+4: 08000000");
    begin();
    ADD(32, 2, 1, 24, 2, 1000);
    add_text("abc", 2);
    answer(ask_registration(88, PERF_REG_COUNTER_NAME_STRINGS, 0), 0);
    CHECK_SHOWS("    perflibv2.counter.name 24+8: abc\n  Counter 2 16+8\n    perflibv2.counter.id 16+4: 2\n"
                "    perflibv2.string.offset 20+4: 1000 = 1000, from the start of the buffer\n    expert 20+4");
    /* Of one thing there is no more than one to miss. */
    begin();
    ADD(0x2222, 0, 0, 0);
    fake_asked = "perflibv2.path";
    items_taken = 900000;
    answer_of(ask_machine(OP_ENUMERATE_COUNTER_SET, 3), 3, 16, 0);
    CHECK(strstr(fake_tree_text(), "! perflibv2.out_of_reach: Filters and columns miss 1 ") != NULL, "%s",
        fake_tree_text());
    fake_asked = NULL;
    items_taken = 0;
}

static void
test_data(void)
{
    static const uint32_t three[] = { 5, 6, 7 };
    static const char *const names[] = { "abc", "a" };
    struct made *call;

    open_handle(0x12);
    begin();
    add_counter_identifier(1, 6, NONE, "*", 0, 0);
    add_counter_identifier(2, 0, 0, "", 0, 1);
    add_counter_identifier(1, NONE, NONE, "*", 0, 2);
    add_counter_identifier(2, NONE, 0, "", 0, 3);
    add_counter_identifier(2, 1, 0, "", 0, 4);
    validated(validate(0x12, true), 0);
    call = ask_query(OP_QUERY_COUNTER_INFO, 0x12, 4096);
    answer(call, 0);
    CHECK_TREE("map", "[perflibv2.handle 0+0: 12]", "  [perflibv2.query 0+0: 2]", "perflibv2.out_size 0+4: 216",
        "perflibv2.return_size 4+4: 216", "perflibv2.lpdata 20+216: 216 bytes, 5 identifiers",
        "  Identifier 0: Set, Busy time, all instances 0+48", "    perflibv2.counterset.guid 0+16: 1",
        "    [perflibv2.counterset.name 0+0: Set]", "    perflibv2.identifier.status 16+4: 0",
        "    perflibv2.identifier.size 20+4: 48", "    perflibv2.counter.id 24+4: 6",
        "    [perflibv2.counter.name 0+0: Busy time]", "    perflibv2.instance.id 28+4: 4294967295 = any (0xffffffff)",
        "    perflibv2.identifier.index 32+4: 0", "    perflibv2.identifier.reserved 36+4: 0",
        "    perflibv2.instance.name 40+4: (*) * (PERF_WILDCARD_INSTANCE)", "    perflibv2.padding 44+4: 00000000",
        "  Identifier 1: Two, Zero 48+40", "    perflibv2.counterset.guid 48+16: 2",
        "    [perflibv2.counterset.name 0+0: Two]", "    perflibv2.identifier.status 64+4: 0",
        "    perflibv2.identifier.size 68+4: 40", "    perflibv2.counter.id 72+4: 0",
        "    [perflibv2.counter.name 0+0: Zero]", "    perflibv2.instance.id 76+4: 0",
        "    perflibv2.identifier.index 80+4: 1", "    perflibv2.identifier.reserved 84+4: 0",
        "  Identifier 2: Set, all counters, all instances 88+48", "    perflibv2.counterset.guid 88+16: 1",
        "    [perflibv2.counterset.name 0+0: Set]", "    perflibv2.identifier.status 104+4: 0",
        "    perflibv2.identifier.size 108+4: 48",
        "    perflibv2.counter.id 112+4: 4294967295 = PERF_WILDCARD_COUNTER (0xffffffff)",
        "    perflibv2.instance.id 116+4: 4294967295 = any (0xffffffff)", "    perflibv2.identifier.index 120+4: 2",
        "    perflibv2.identifier.reserved 124+4: 0",
        "    perflibv2.instance.name 128+4: (*) * (PERF_WILDCARD_INSTANCE)", "    perflibv2.padding 132+4: 00000000",
        "  Identifier 3: Two, all counters 136+40", "    perflibv2.counterset.guid 136+16: 2",
        "    [perflibv2.counterset.name 0+0: Two]", "    perflibv2.identifier.status 152+4: 0",
        "    perflibv2.identifier.size 156+4: 40",
        "    perflibv2.counter.id 160+4: 4294967295 = PERF_WILDCARD_COUNTER (0xffffffff)",
        "    perflibv2.instance.id 164+4: 0", "    perflibv2.identifier.index 168+4: 3",
        "    perflibv2.identifier.reserved 172+4: 0", "  Identifier 4: Two, One 176+40",
        "    perflibv2.counterset.guid 176+16: 2", "    [perflibv2.counterset.name 0+0: Two]",
        "    perflibv2.identifier.status 192+4: 0", "    perflibv2.identifier.size 196+4: 40",
        "    perflibv2.counter.id 200+4: 1", "    [perflibv2.counter.name 0+0: One]",
        "    perflibv2.instance.id 204+4: 0", "    perflibv2.identifier.index 208+4: 4",
        "    perflibv2.identifier.reserved 212+4: 0", "perflibv2.return_code 236+4: 0");
    CHECK_INFO(", query 2, 5 identifiers");
    for (unsigned poll = 0; poll < 2; poll++) {
        begin_data(5, 1000 + poll * 10000000, UINT64_C(130000000000000000) + poll * 10000000);
        add_block(0, NULL, 2, names, (const uint64_t[]){ 1, 2 }, 4);
        add_block(0, NULL, 0, NULL, (const uint64_t[]){ 42 }, 8);
        add_block(3, three, 2, names, (const uint64_t[]){ 9, 1, 2, 8, 3, 4 }, 4);
        add_block(2, (const uint32_t[]){ 0, 1 }, 0, NULL, (const uint64_t[]){ 5, 6 }, 8);
        end_block(begin_block(PERF_ERROR_RETURN, 0x1068));
        end_data();
        set_time();
        call = ask_query(OP_QUERY_COUNTER_DATA, 0x12, 4096);
        answer(call, 0);
        CHECK(strcmp(watched,
                  "\\\\PC\\Set(abc)\\Busy time = 50 96+4\n"
                  "\\\\PC\\Set(a)\\Busy time = 50 128+4\n"
                  "\\\\PC\\Set(abc)\\Busy time = 50 256+4\n"
                  "\\\\PC\\Set(a)\\Busy time = 75 320+4\n") == 0,
            "%s", watched);
        if (poll == 0) {
            CHECK_TREE("poll", "[perflibv2.handle 0+0: 12]", "  [perflibv2.query 0+0: 2]",
                "perflibv2.out_size 0+4: 424", "perflibv2.return_size 4+4: 424",
                "perflibv2.lpdata 20+424: 424 bytes, 5 blocks",
                "  Data header, 5 blocks, taken at 2012-12-14 23:06:40.000 UTC 0+48",
                "    perflibv2.data.total_size 0+4: 424", "    perflibv2.data.num_counters 4+4: 5",
                "    perflibv2.data.perf_time_stamp 8+8: 1000",
                "    perflibv2.data.perf_time_100ns 16+8: 1355526400.000000000 (130000000000000000)",
                "    perflibv2.data.perf_freq 24+8: 10000000",
                "    perflibv2.data.system_time 32+16: 1355526400.000000000",
                "  perflibv2.block 48+88: (Set(*)\\Busy time, 2 instances) Block 0: Set(*)\\Busy time, 2 instances",
                "    [perflibv2.block.index 48+0: 0]", "    perflibv2.block.status 48+4: 0",
                "    perflibv2.block.type 52+4: 4", "    perflibv2.block.size 56+4: 88",
                "    perflibv2.block.reserved 60+4: 0", "    [perflibv2.counterset.guid 0+0: 1]",
                "    [perflibv2.counterset.name 0+0: Set]", "    [perflibv2.counter.id 0+0: 6]",
                "    [perflibv2.counter.name 0+0: Busy time]",
                "    [perflibv2.block.link 0+0: by Index of QueryCounterInfo]",
                "      [perflibv2.block.mapped_in 0+0: 52]", "    perflibv2.multi_instances.total_size 64+4: 72",
                "    perflibv2.multi_instances.instances 68+4: 2", "    Instance \"abc\" (97) 72+32",
                "      perflibv2.instance.size 72+4: 16", "      perflibv2.instance.id 76+4: 97",
                "      perflibv2.instance.name 80+8: abc",
                "      [perflibv2.path 96+4: \\\\PC\\Set(abc)\\Busy time = 50.000 %]",
                "        perflibv2.value.data_size 88+4: 4", "        perflibv2.value.size 92+4: 16",
                "        perflibv2.value 96+4: 1", "        [perflibv2.cooked 0+0: 50.000 %]",
                "        [perflibv2.cooked.formula 0+0: 100*N1/B1; here 100*1/2]", "    Instance \"a\" (97) 104+32",
                "      perflibv2.instance.size 104+4: 16", "      perflibv2.instance.id 108+4: 97",
                "      perflibv2.instance.name 112+4: a", "      perflibv2.padding 116+4: 00000000",
                "      [perflibv2.path 128+4: \\\\PC\\Set(a)\\Busy time = 50.000 %]",
                "        perflibv2.value.data_size 120+4: 4", "        perflibv2.value.size 124+4: 16",
                "        perflibv2.value 128+4: 2", "        [perflibv2.cooked 0+0: 50.000 %]",
                "        [perflibv2.cooked.formula 0+0: 100*N1/B1; here 100*2/4]",
                "  perflibv2.block 136+32: (\\\\PC\\Two\\Zero = 42) Block 1: \\\\PC\\Two\\Zero = 42",
                "    [perflibv2.block.index 136+0: 1]", "    perflibv2.block.status 136+4: 0",
                "    perflibv2.block.type 140+4: 1", "    perflibv2.block.size 144+4: 32",
                "    perflibv2.block.reserved 148+4: 0", "    [perflibv2.counterset.guid 0+0: 2]",
                "    [perflibv2.counterset.name 0+0: Two]", "    [perflibv2.counter.id 0+0: 0]",
                "    [perflibv2.counter.name 0+0: Zero]",
                "    [perflibv2.block.link 0+0: by Index of QueryCounterInfo]",
                "      [perflibv2.block.mapped_in 0+0: 52]", "    [perflibv2.path 160+8: \\\\PC\\Two\\Zero = 42]",
                "      perflibv2.value.data_size 152+4: 8", "      perflibv2.value.size 156+4: 16",
                "      perflibv2.value 160+8: 42", "      [perflibv2.cooked 0+0: 42]",
                "      [perflibv2.cooked.formula 0+0: N1]",
                "  perflibv2.block 168+176: (Set(*)\\*, 2 instances, 3 counters) Block 2: Set(*)\\*, 2 instances, "
                "3 counters",
                "    [perflibv2.block.index 168+0: 2]", "    perflibv2.block.status 168+4: 0",
                "    perflibv2.block.type 172+4: 6", "    perflibv2.block.size 176+4: 176",
                "    perflibv2.block.reserved 180+4: 0", "    [perflibv2.counterset.guid 0+0: 1]",
                "    [perflibv2.counterset.name 0+0: Set]",
                "    [perflibv2.block.link 0+0: by Index of QueryCounterInfo]",
                "      [perflibv2.block.mapped_in 0+0: 52]", "    perflibv2.multi_counters.size 184+4: 24",
                "    perflibv2.multi_counters.counters 188+4: 3", "    3 counter ids 192+12",
                "      perflibv2.counter.id 192+4: 5", "      perflibv2.counter.id 196+4: 6",
                "      [perflibv2.counter.name 0+0: Busy time]", "      perflibv2.counter.id 200+4: 7",
                "      [perflibv2.counter.name 0+0: Base]", "    perflibv2.padding 204+4: 00000000",
                "    perflibv2.multi_instances.total_size 208+4: 136",
                "    perflibv2.multi_instances.instances 212+4: 2", "    Instance \"abc\" (97) 216+64",
                "      perflibv2.instance.size 216+4: 16", "      perflibv2.instance.id 220+4: 97",
                "      perflibv2.instance.name 224+8: abc",
                "      [perflibv2.path 240+4: \\\\PC\\Set(abc)\\counter 5 = 0x9]",
                "        perflibv2.value.data_size 232+4: 4", "        perflibv2.value.size 236+4: 16",
                "        perflibv2.value 240+4: 9", "        [perflibv2.cooked 0+0: 0x9]",
                "        [perflibv2.cooked.formula 0+0: N1]",
                "      [perflibv2.path 256+4: \\\\PC\\Set(abc)\\Busy time = 50.000 %]",
                "        perflibv2.value.data_size 248+4: 4", "        perflibv2.value.size 252+4: 16",
                "        perflibv2.value 256+4: 1", "        [perflibv2.cooked 0+0: 50.000 %]",
                "        [perflibv2.cooked.formula 0+0: 100*N1/B1; here 100*1/2]",
                "      [perflibv2.path 272+4: \\\\PC\\Set(abc)\\Base: no value, not displayed]",
                "        perflibv2.value.data_size 264+4: 4", "        perflibv2.value.size 268+4: 16",
                "        perflibv2.value 272+4: 2", "        [perflibv2.cooked.reason 0+0: not displayed]",
                "    Instance \"a\" (97) 280+64", "      perflibv2.instance.size 280+4: 16",
                "      perflibv2.instance.id 284+4: 97", "      perflibv2.instance.name 288+4: a",
                "      perflibv2.padding 292+4: 00000000",
                "      [perflibv2.path 304+4: \\\\PC\\Set(a)\\counter 5 = 0x8]",
                "        perflibv2.value.data_size 296+4: 4", "        perflibv2.value.size 300+4: 16",
                "        perflibv2.value 304+4: 8", "        [perflibv2.cooked 0+0: 0x8]",
                "        [perflibv2.cooked.formula 0+0: N1]",
                "      [perflibv2.path 320+4: \\\\PC\\Set(a)\\Busy time = 75.000 %]",
                "        perflibv2.value.data_size 312+4: 4", "        perflibv2.value.size 316+4: 16",
                "        perflibv2.value 320+4: 3", "        [perflibv2.cooked 0+0: 75.000 %]",
                "        [perflibv2.cooked.formula 0+0: 100*N1/B1; here 100*3/4]",
                "      [perflibv2.path 336+4: \\\\PC\\Set(a)\\Base: no value, not displayed]",
                "        perflibv2.value.data_size 328+4: 4", "        perflibv2.value.size 332+4: 16",
                "        perflibv2.value 336+4: 4", "        [perflibv2.cooked.reason 0+0: not displayed]",
                "  perflibv2.block 344+64: (Two\\*, 2 counters) Block 3: Two\\*, 2 counters",
                "    [perflibv2.block.index 344+0: 3]", "    perflibv2.block.status 344+4: 0",
                "    perflibv2.block.type 348+4: 2", "    perflibv2.block.size 352+4: 64",
                "    perflibv2.block.reserved 356+4: 0", "    [perflibv2.counterset.guid 0+0: 2]",
                "    [perflibv2.counterset.name 0+0: Two]",
                "    [perflibv2.block.link 0+0: by Index of QueryCounterInfo]",
                "      [perflibv2.block.mapped_in 0+0: 52]", "    perflibv2.multi_counters.size 360+4: 16",
                "    perflibv2.multi_counters.counters 364+4: 2", "    2 counter ids 368+8",
                "      perflibv2.counter.id 368+4: 0", "      [perflibv2.counter.name 0+0: Zero]",
                "      perflibv2.counter.id 372+4: 1", "      [perflibv2.counter.name 0+0: One]",
                "    [perflibv2.path 384+8: \\\\PC\\Two\\Zero = 5]", "      perflibv2.value.data_size 376+4: 8",
                "      perflibv2.value.size 380+4: 16", "      perflibv2.value 384+8: 5",
                "      [perflibv2.cooked 0+0: 5]", "      [perflibv2.cooked.formula 0+0: N1]",
                "    [perflibv2.path 400+8: \\\\PC\\Two\\One: no value, first sample]",
                "      perflibv2.value.data_size 392+4: 8", "      perflibv2.value.size 396+4: 16",
                "      perflibv2.value 400+8: 6", "      [perflibv2.cooked.pdh 0+0: 3221228474]",
                "      [perflibv2.cooked.reason 0+0: first sample]",
                "  perflibv2.block 408+16: (Two, PERF_ERROR_RETURN, ERROR_WMI_GUID_NOT_FOUND) Block 4: Two, "
                "PERF_ERROR_RETURN, ERROR_WMI_GUID_NOT_FOUND",
                "    [perflibv2.block.index 408+0: 4]", "    perflibv2.block.status 408+4: 4200",
                "      ! perflibv2.block_error: Block 4: ERROR_WMI_GUID_NOT_FOUND", "    perflibv2.block.type 412+4: 0",
                "    perflibv2.block.size 416+4: 16", "    perflibv2.block.reserved 420+4: 0",
                "    [perflibv2.counterset.guid 0+0: 2]", "    [perflibv2.counterset.name 0+0: Two]",
                "    [perflibv2.counter.id 0+0: 1]", "    [perflibv2.counter.name 0+0: One]",
                "    [perflibv2.block.link 0+0: by Index of QueryCounterInfo]",
                "      [perflibv2.block.mapped_in 0+0: 52]", "    [perflibv2.cooked.pdh 0+0: 3221228472]",
                "perflibv2.return_code 444+4: 0");
            CHECK_INFO(", query 2, 5 blocks, 424 bytes, Set and 1 more");
        }
    }
    CHECK_SHOWS("  [perflibv2.poll.previous_frame 0+0: 54]\n  [perflibv2.poll.interval 0+0: 1]");
    CHECK_INFO(", query 2, 5 blocks, 424 bytes, Set and 1 more, interval 1.000 s");
    test_budget(call);
}

int
main(void)
{
    perflibv2_begin();
    memcpy(fake_hidden, hidden, sizeof hidden);
    test_names();
    test_registration();
    test_identifiers();
    test_data();
    test_unnamed();
    test_aggregates();
    test_asked();
    test_unknown();
    test_strings();
    test_budget_of_strings();
    return check_result();
}
