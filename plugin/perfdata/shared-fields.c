/* shared-fields.c
 * Fields and subtrees of perfdata that counters/ and base/ use to add items for it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include "base/systemtime.h"

static int hf_perfdata_path = -1;
static int hf_perfdata_cooked = -1;
static int hf_perfdata_cooked_formula = -1;
static int hf_perfdata_cooked_reason = -1;
static int hf_perfdata_cooked_pdh = -1;
static int hf_perfdata_poll_previous_frame = -1;
static int hf_perfdata_poll_next_frame = -1;
static int hf_perfdata_poll_interval = -1;
static int hf_perfdata_learned_in = -1;
static int hf_perfdata_table = -1;
static int hf_perfdata_table_row = -1;
static int hf_perfdata_counter_definition_counter_type = -1;
static int hf_perfdata_counter_definition_counter_type_size = -1;
static int hf_perfdata_counter_definition_counter_type_kind = -1;
static int hf_perfdata_counter_definition_counter_type_subtype_number = -1;
static int hf_perfdata_counter_definition_counter_type_subtype_counter = -1;
static int hf_perfdata_counter_definition_counter_type_subtype_text = -1;
static int hf_perfdata_counter_definition_counter_type_subtype_zero = -1;
static int hf_perfdata_counter_definition_counter_type_timer = -1;
static int hf_perfdata_counter_definition_counter_type_display = -1;
static int hf_perfdata_counter_definition_counter_type_modifiers_delta = -1;
static int hf_perfdata_counter_definition_counter_type_modifiers_delta_base = -1;
static int hf_perfdata_counter_definition_counter_type_modifiers_inverse = -1;
static int hf_perfdata_counter_definition_counter_type_modifiers_multi = -1;
static int hf_perfdata_data_block_system_time_year = -1;
static int hf_perfdata_data_block_system_time_month = -1;
static int hf_perfdata_data_block_system_time_day_of_week = -1;
static int hf_perfdata_data_block_system_time_day = -1;
static int hf_perfdata_data_block_system_time_hour = -1;
static int hf_perfdata_data_block_system_time_minute = -1;
static int hf_perfdata_data_block_system_time_second = -1;
static int hf_perfdata_data_block_system_time_milliseconds = -1;

static int ett_perfdata_value = -1;
static int ett_perfdata_learned_name = -1;
static int ett_perfdata_table = -1;
static int ett_perfdata_counter_type = -1;
static int ett_perfdata_system_time = -1;

struct poll_fields perfdata_poll_fields;
struct counter_type_fields perfdata_type_fields;
struct systemtime_fields perfdata_time_fields;

void
perfdata_shared_fields_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_perfdata_path,
            { "Path", "perfdata.path", FT_STRING, BASE_NONE, NULL, 0,
                "Path of the counter: \\\\MACHINE\\Counterset(Instance)\\Counter ([MS-PLA] 2.2.10)", HFILL } },
        { &hf_perfdata_cooked,
            { "Cooked value", "perfdata.cooked", FT_DOUBLE, BASE_NONE, NULL, 0, "Value as Performance Monitor shows it",
                HFILL } },
        { &hf_perfdata_cooked_formula,
            { "Formula", "perfdata.cooked.formula", FT_STRING, BASE_NONE, NULL, 0,
                "How the cooked value is computed, with the numbers. N value, T PerfTime, F PerfFreq, X "
                "PerfTime100nSec, O and FO time and frequency of the object's clock, B base, M multi; 1 this poll, 0 "
                "previous poll",
                HFILL } },
        { &hf_perfdata_cooked_reason,
            { "No value", "perfdata.cooked.reason", FT_STRING, BASE_NONE, NULL, 0, "Why there is no cooked value",
                HFILL } },
        { &hf_perfdata_cooked_pdh,
            { "PDH's code", "perfdata.cooked.pdh", FT_UINT32, BASE_HEX, VALS(pdh_code_vals), 0,
                "Error code that typeperf and other PDH tools show in this case", HFILL } },
        { &hf_perfdata_poll_previous_frame,
            { "Previous poll in frame", "perfdata.poll.previous_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Earlier poll that the cooked values are computed from", HFILL } },
        { &hf_perfdata_poll_next_frame,
            { "Next poll in frame", "perfdata.poll.next_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Later poll whose cooked values are computed from this one", HFILL } },
        { &hf_perfdata_poll_interval,
            { "Seconds since previous poll", "perfdata.poll.interval", FT_DOUBLE, BASE_NONE, NULL, 0,
                "Seconds between this poll and the previous one, by the server's clock", HFILL } },
        { &hf_perfdata_learned_in,
            { "Learned in frame", "perfdata.learned_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                "Frame that this name was learned from", HFILL } },
        { &hf_perfdata_table,
            { "Table", "perfdata.table", FT_NONE, BASE_NONE, NULL, 0, "Values of the object, one instance per line",
                HFILL } },
        { &hf_perfdata_table_row,
            { "Row", "perfdata.table.row", FT_NONE, BASE_NONE, NULL, 0,
                "Row of the table: counter names, or an instance and its values", HFILL } },
        { &hf_perfdata_counter_definition_counter_type,
            { "Counter type", "perfdata.counter_definition.counter_type", FT_UINT32, BASE_HEX | BASE_EXT_STRING,
                &counter_type_vals_ext, 0, "Counter type: how cooked values are computed", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_size,
            { "Size", "perfdata.counter_definition.counter_type.size", FT_UINT32, BASE_DEC,
                VALS(counter_type_size_vals), PERF_TYPE_SIZE_MASK, "Size of the value: 32 bits, 64 bits, or variable",
                HFILL } },
        { &hf_perfdata_counter_definition_counter_type_kind,
            { "Type", "perfdata.counter_definition.counter_type.kind", FT_UINT32, BASE_DEC,
                VALS(counter_type_kind_vals), PERF_TYPE_KIND_MASK, "Kind of value: a number, a counter, a text or zero",
                HFILL } },
        { &hf_perfdata_counter_definition_counter_type_subtype_number,
            { "Subtype", "perfdata.counter_definition.counter_type.subtype", FT_UINT32, BASE_DEC,
                VALS(counter_type_number_vals), PERF_TYPE_SUBTYPE_MASK,
                "How the number, counter or text is computed or displayed", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_subtype_counter,
            { "Subtype", "perfdata.counter_definition.counter_type.subtype", FT_UINT32, BASE_DEC,
                VALS(counter_type_counter_vals), PERF_TYPE_SUBTYPE_MASK,
                "How the number, counter or text is computed or displayed", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_subtype_text,
            { "Subtype", "perfdata.counter_definition.counter_type.subtype", FT_UINT32, BASE_DEC,
                VALS(counter_type_text_vals), PERF_TYPE_SUBTYPE_MASK,
                "How the number, counter or text is computed or displayed", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_subtype_zero,
            { "Subtype", "perfdata.counter_definition.counter_type.subtype", FT_UINT32, BASE_DEC, NULL,
                PERF_TYPE_SUBTYPE_MASK, "How the number, counter or text is computed or displayed", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_timer,
            { "Timer", "perfdata.counter_definition.counter_type.timer", FT_UINT32, BASE_DEC,
                VALS(counter_type_timer_vals), PERF_TYPE_TIMER_MASK, "Clock that the counter uses", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_display,
            { "Display", "perfdata.counter_definition.counter_type.display", FT_UINT32, BASE_DEC,
                VALS(counter_type_display_vals), PERF_TYPE_DISPLAY_MASK, "Unit that tools display after the value",
                HFILL } },
        { &hf_perfdata_counter_definition_counter_type_modifiers_delta,
            { "PERF_DELTA_COUNTER", "perfdata.counter_definition.counter_type.modifiers.delta", FT_BOOLEAN, 32, NULL,
                PERF_TYPE_DELTA_COUNTER, "The result is a difference of two samples", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_modifiers_delta_base,
            { "PERF_DELTA_BASE", "perfdata.counter_definition.counter_type.modifiers.delta_base", FT_BOOLEAN, 32, NULL,
                PERF_TYPE_DELTA_BASE, "The base is a difference of two samples", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_modifiers_inverse,
            { "PERF_INVERSE_COUNTER", "perfdata.counter_definition.counter_type.modifiers.inverse", FT_BOOLEAN, 32,
                NULL, PERF_TYPE_INVERSE_COUNTER, "The result is subtracted from 1", HFILL } },
        { &hf_perfdata_counter_definition_counter_type_modifiers_multi,
            { "PERF_MULTI_COUNTER", "perfdata.counter_definition.counter_type.modifiers.multi", FT_BOOLEAN, 32, NULL,
                PERF_TYPE_MULTI_COUNTER, "The value is a sum over several instances", HFILL } },
        { &hf_perfdata_data_block_system_time_year,
            { "Year", "perfdata.data_block.system_time.year", FT_UINT16, BASE_DEC, NULL, 0, "wYear: year of SystemTime",
                HFILL } },
        { &hf_perfdata_data_block_system_time_month,
            { "Month", "perfdata.data_block.system_time.month", FT_UINT16, BASE_DEC, NULL, 0,
                "wMonth: month of SystemTime, 1 to 12", HFILL } },
        { &hf_perfdata_data_block_system_time_day_of_week,
            { "Day of week", "perfdata.data_block.system_time.day_of_week", FT_UINT16, BASE_DEC,
                VALS(systemtime_weekday_vals), 0, "wDayOfWeek: weekday of SystemTime, 0 is Sunday", HFILL } },
        { &hf_perfdata_data_block_system_time_day,
            { "Day", "perfdata.data_block.system_time.day", FT_UINT16, BASE_DEC, NULL, 0,
                "wDay: day of the month of SystemTime", HFILL } },
        { &hf_perfdata_data_block_system_time_hour,
            { "Hour", "perfdata.data_block.system_time.hour", FT_UINT16, BASE_DEC, NULL, 0, "wHour: hour of SystemTime",
                HFILL } },
        { &hf_perfdata_data_block_system_time_minute,
            { "Minute", "perfdata.data_block.system_time.minute", FT_UINT16, BASE_DEC, NULL, 0,
                "wMinute: minute of SystemTime", HFILL } },
        { &hf_perfdata_data_block_system_time_second,
            { "Second", "perfdata.data_block.system_time.second", FT_UINT16, BASE_DEC, NULL, 0,
                "wSecond: second of SystemTime", HFILL } },
        { &hf_perfdata_data_block_system_time_milliseconds,
            { "Milliseconds", "perfdata.data_block.system_time.milliseconds", FT_UINT16, BASE_DEC, NULL, 0,
                "wMilliseconds: milliseconds of SystemTime", HFILL } },
    };
    static int *ett[] = { &ett_perfdata_value, &ett_perfdata_learned_name, &ett_perfdata_table,
        &ett_perfdata_counter_type, &ett_perfdata_system_time };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    perfdata_poll_fields = (struct poll_fields){
        .path = hf_perfdata_path,
        .cooked = hf_perfdata_cooked,
        .formula = hf_perfdata_cooked_formula,
        .reason = hf_perfdata_cooked_reason,
        .pdh = hf_perfdata_cooked_pdh,
        .previous_frame = hf_perfdata_poll_previous_frame,
        .next_frame = hf_perfdata_poll_next_frame,
        .interval = hf_perfdata_poll_interval,
        .learned_in = hf_perfdata_learned_in,
        .table = hf_perfdata_table,
        .table_row = hf_perfdata_table_row,
        .ett_value = ett_perfdata_value,
        .ett_name = ett_perfdata_learned_name,
        .ett_table = ett_perfdata_table,
    };
    perfdata_type_fields = (struct counter_type_fields){
        .type = hf_perfdata_counter_definition_counter_type,
        .size = hf_perfdata_counter_definition_counter_type_size,
        .kind = hf_perfdata_counter_definition_counter_type_kind,
        .subtype = { hf_perfdata_counter_definition_counter_type_subtype_number,
            hf_perfdata_counter_definition_counter_type_subtype_counter,
            hf_perfdata_counter_definition_counter_type_subtype_text,
            hf_perfdata_counter_definition_counter_type_subtype_zero },
        .timer = hf_perfdata_counter_definition_counter_type_timer,
        .display = hf_perfdata_counter_definition_counter_type_display,
        .delta = hf_perfdata_counter_definition_counter_type_modifiers_delta,
        .delta_base = hf_perfdata_counter_definition_counter_type_modifiers_delta_base,
        .inverse = hf_perfdata_counter_definition_counter_type_modifiers_inverse,
        .multi = hf_perfdata_counter_definition_counter_type_modifiers_multi,
        .ett = ett_perfdata_counter_type,
    };
    perfdata_time_fields = (struct systemtime_fields){
        .hf = { hf_perfdata_data_block_system_time_year, hf_perfdata_data_block_system_time_month,
            hf_perfdata_data_block_system_time_day_of_week, hf_perfdata_data_block_system_time_day,
            hf_perfdata_data_block_system_time_hour, hf_perfdata_data_block_system_time_minute,
            hf_perfdata_data_block_system_time_second, hf_perfdata_data_block_system_time_milliseconds },
        .ett = ett_perfdata_system_time,
    };
}
