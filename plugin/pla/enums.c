/* enums.c
 * Enumerations of [MS-PLA]: names of values, and one field per flag
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/methods.h"

#include <string.h>

/* Fields of the flags of each enumeration */
static int hf_pla_auto_path_format_pattern = -1;
static int hf_pla_auto_path_format_computer = -1;
static int hf_pla_auto_path_format_month_day_hour = -1;
static int hf_pla_auto_path_format_serial_number = -1;
static int hf_pla_auto_path_format_year_day_of_year = -1;
static int hf_pla_auto_path_format_year_month = -1;
static int hf_pla_auto_path_format_year_month_day = -1;
static int hf_pla_auto_path_format_year_month_day_hour = -1;
static int hf_pla_auto_path_format_month_day_hour_minute = -1;
static int hf_pla_commit_mode_create_new = -1;
static int hf_pla_commit_mode_modify = -1;
static int hf_pla_commit_mode_update_running_instance = -1;
static int hf_pla_commit_mode_flush_trace = -1;
static int hf_pla_commit_mode_validate_only = -1;
static int hf_pla_data_manager_steps_create_report = -1;
static int hf_pla_data_manager_steps_run_rules = -1;
static int hf_pla_data_manager_steps_create_html = -1;
static int hf_pla_data_manager_steps_folder_actions = -1;
static int hf_pla_data_manager_steps_resource_freeing = -1;
static int hf_pla_folder_action_steps_create_cab = -1;
static int hf_pla_folder_action_steps_delete_data = -1;
static int hf_pla_folder_action_steps_send_cab = -1;
static int hf_pla_folder_action_steps_delete_cab = -1;
static int hf_pla_folder_action_steps_delete_report = -1;
static int hf_pla_week_days_sunday = -1;
static int hf_pla_week_days_monday = -1;
static int hf_pla_week_days_tuesday = -1;
static int hf_pla_week_days_wednesday = -1;
static int hf_pla_week_days_thursday = -1;
static int hf_pla_week_days_friday = -1;
static int hf_pla_week_days_saturday = -1;
static int hf_pla_extended_modes_private_logger_mode = -1;
static int hf_pla_extended_modes_use_global_sequence = -1;
static int hf_pla_extended_modes_use_local_sequence = -1;
static int hf_pla_extended_modes_use_paged_memory = -1;
static int hf_pla_security_info_owner = -1;
static int hf_pla_security_info_group = -1;
static int hf_pla_security_info_dacl = -1;
static int hf_pla_security_info_sacl = -1;
static int hf_pla_security_info_label = -1;
static int hf_pla_security_info_attribute = -1;
static int hf_pla_security_info_scope = -1;
static int hf_pla_security_info_backup = -1;
static int hf_pla_security_info_unprotected_sacl = -1;
static int hf_pla_security_info_unprotected_dacl = -1;
static int hf_pla_security_info_protected_sacl = -1;
static int hf_pla_security_info_protected_dacl = -1;
static int hf_pla_invoke_flags_method = -1;
static int hf_pla_invoke_flags_propertyget = -1;
static int hf_pla_invoke_flags_propertyput = -1;
static int hf_pla_invoke_flags_propertyputref = -1;

static int *const auto_path_format_bits[] = { &hf_pla_auto_path_format_pattern, &hf_pla_auto_path_format_computer,
    &hf_pla_auto_path_format_month_day_hour, &hf_pla_auto_path_format_serial_number,
    &hf_pla_auto_path_format_year_day_of_year, &hf_pla_auto_path_format_year_month,
    &hf_pla_auto_path_format_year_month_day, &hf_pla_auto_path_format_year_month_day_hour,
    &hf_pla_auto_path_format_month_day_hour_minute, NULL };
static int *const commit_mode_bits[] = { &hf_pla_commit_mode_create_new, &hf_pla_commit_mode_modify,
    &hf_pla_commit_mode_update_running_instance, &hf_pla_commit_mode_flush_trace, &hf_pla_commit_mode_validate_only,
    NULL };
static int *const data_manager_steps_bits[] = { &hf_pla_data_manager_steps_create_report,
    &hf_pla_data_manager_steps_run_rules, &hf_pla_data_manager_steps_create_html,
    &hf_pla_data_manager_steps_folder_actions, &hf_pla_data_manager_steps_resource_freeing, NULL };
static int *const folder_action_steps_bits[] = { &hf_pla_folder_action_steps_create_cab,
    &hf_pla_folder_action_steps_delete_data, &hf_pla_folder_action_steps_send_cab,
    &hf_pla_folder_action_steps_delete_cab, &hf_pla_folder_action_steps_delete_report, NULL };
static int *const week_days_bits[] = { &hf_pla_week_days_sunday, &hf_pla_week_days_monday, &hf_pla_week_days_tuesday,
    &hf_pla_week_days_wednesday, &hf_pla_week_days_thursday, &hf_pla_week_days_friday, &hf_pla_week_days_saturday,
    NULL };
static int *const extended_modes_bits[] = { &hf_pla_extended_modes_private_logger_mode,
    &hf_pla_extended_modes_use_global_sequence, &hf_pla_extended_modes_use_local_sequence,
    &hf_pla_extended_modes_use_paged_memory, NULL };
static int *const security_info_bits[] = { &hf_pla_security_info_owner, &hf_pla_security_info_group,
    &hf_pla_security_info_dacl, &hf_pla_security_info_sacl, &hf_pla_security_info_label,
    &hf_pla_security_info_attribute, &hf_pla_security_info_scope, &hf_pla_security_info_backup,
    &hf_pla_security_info_unprotected_sacl, &hf_pla_security_info_unprotected_dacl,
    &hf_pla_security_info_protected_sacl, &hf_pla_security_info_protected_dacl, NULL };
static int *const invoke_flags_bits[] = { &hf_pla_invoke_flags_method, &hf_pla_invoke_flags_propertyget,
    &hf_pla_invoke_flags_propertyput, &hf_pla_invoke_flags_propertyputref, NULL };

/* Makes the list of named values of a struct pla_enum. */
/* clang-format off */
#define VALUES(...) (const value_string[]){ __VA_ARGS__, { 0, NULL } }
#define NO_VALUES (const value_string[]){ { 0, NULL } }
/* clang-format on */

const struct pla_enum pla_auto_path_format = { "AutoPathFormat", VALUES({ 0x0, "plaNone" }), auto_path_format_bits };
const struct pla_enum pla_clock_type = { "ClockType",
    VALUES({ 0x0, "plaTimeStamp" }, { 0x1, "plaPerformance" }, { 0x2, "plaSystem" }, { 0x3, "plaCycle" }), NULL };
const struct pla_enum pla_commit_mode = { "CommitMode", VALUES({ 0x3, "plaCreateOrModify" }), commit_mode_bits };
const struct pla_enum pla_data_collector_set_status = { "DataCollectorSetStatus",
    VALUES({ 0x0, "plaStopped" }, { 0x1, "plaRunning" }, { 0x2, "plaCompiling" }, { 0x3, "plaPending" },
        { 0x4, "plaUndefined" }),
    NULL };
const struct pla_enum pla_data_collector_type = { "DataCollectorType",
    VALUES({ 0x0, "plaPerformanceCounter" }, { 0x1, "plaTrace" }, { 0x2, "plaConfiguration" }, { 0x3, "plaAlert" },
        { 0x4, "plaApiTrace" }),
    NULL };
const struct pla_enum pla_data_manager_steps = { "DataManagerSteps", NO_VALUES, data_manager_steps_bits };
const struct pla_enum pla_file_format = { "FileFormat",
    VALUES({ 0x0, "plaCommaSeparated" }, { 0x1, "plaTabSeparated" }, { 0x2, "plaSql" }, { 0x3, "plaBinary" }), NULL };
const struct pla_enum pla_folder_action_steps = { "FolderActionSteps", NO_VALUES, folder_action_steps_bits };
const struct pla_enum pla_resource_policy = { "ResourcePolicy",
    VALUES({ 0x0, "plaDeleteLargest" }, { 0x1, "plaDeleteOldest" }), NULL };
const struct pla_enum pla_stream_mode = { "StreamMode",
    VALUES({ 0x1, "plaFile" }, { 0x2, "plaRealTime" }, { 0x3, "plaBoth" }, { 0x4, "plaBuffering" }), NULL };
const struct pla_enum pla_value_map_type = { "ValueMapType",
    VALUES({ 0x1, "plaIndex" }, { 0x2, "plaFlag" }, { 0x3, "plaFlagArray" }, { 0x4, "plaValidation" }), NULL };
const struct pla_enum pla_week_days = { "WeekDays", VALUES({ 0x0, "plaRunOnce" }, { 0x7f, "plaEveryday" }),
    week_days_bits };
const struct pla_enum pla_extended_modes = { "ExtendedModes", NO_VALUES, extended_modes_bits };
/* SECURITY_INFORMATION, [MS-DTYP] 2.4.7. */
const struct pla_enum pla_security_info = { "SECURITY_INFORMATION", NO_VALUES, security_info_bits };
const struct pla_enum pla_invoke_flags = { "dwFlags", NO_VALUES, invoke_flags_bits };

const char *
pla_enum_text(wmem_allocator_t *scope, const struct pla_enum *enumeration, uint32_t value, bool prefix)
{
    const char *name = try_val_to_str(value, enumeration->values);
    const size_t skip = !prefix ? strlen("pla") : 0;
    wmem_strbuf_t *text;

    if (name != NULL || enumeration->bits == NULL) {
        return name != NULL ? name + skip : NULL;
    }
    text = wmem_strbuf_new(scope, NULL);
    for (int *const *bit = enumeration->bits; *bit != NULL; bit++) {
        const header_field_info *const info = proto_registrar_get_nth((unsigned)**bit);

        if ((value & info->bitmask) != 0) {
            name = g_str_has_prefix(info->name, "pla") ? info->name + skip : info->name;
            wmem_strbuf_append_printf(text, "%s%s", wmem_strbuf_get_len(text) > 0 ? "|" : "", name);
            value &= ~(uint32_t)info->bitmask;
        }
    }
    if (value != 0 || wmem_strbuf_get_len(text) == 0) {
        wmem_strbuf_append_printf(text, "%s0x%x", wmem_strbuf_get_len(text) > 0 ? "|" : "", value);
    }
    return wmem_strbuf_get_str(text);
}

void
pla_enums_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_auto_path_format_pattern,
            { "plaPattern", "pla.auto_path_format.pattern", FT_BOOLEAN, 32, NULL, 0x00000001,
                "Adds the text made from the pattern property", HFILL } },
        { &hf_pla_auto_path_format_computer,
            { "plaComputer", "pla.auto_path_format.computer", FT_BOOLEAN, 32, NULL, 0x00000002,
                "Puts the name of the computer in front", HFILL } },
        { &hf_pla_auto_path_format_month_day_hour,
            { "plaMonthDayHour", "pla.auto_path_format.month_day_hour", FT_BOOLEAN, 32, NULL, 0x00000100,
                "Appends month, day and hour: MMddHH", HFILL } },
        { &hf_pla_auto_path_format_serial_number,
            { "plaSerialNumber", "pla.auto_path_format.serial_number", FT_BOOLEAN, 32, NULL, 0x00000200,
                "Appends the serial number: NNNNNN", HFILL } },
        { &hf_pla_auto_path_format_year_day_of_year,
            { "plaYearDayOfYear", "pla.auto_path_format.year_day_of_year", FT_BOOLEAN, 32, NULL, 0x00000400,
                "Appends the year and the day of the year: yyyyDDD", HFILL } },
        { &hf_pla_auto_path_format_year_month,
            { "plaYearMonth", "pla.auto_path_format.year_month", FT_BOOLEAN, 32, NULL, 0x00000800,
                "Appends year and month: yyyyMM", HFILL } },
        { &hf_pla_auto_path_format_year_month_day,
            { "plaYearMonthDay", "pla.auto_path_format.year_month_day", FT_BOOLEAN, 32, NULL, 0x00001000,
                "Appends year, month and day: yyyyMMdd", HFILL } },
        { &hf_pla_auto_path_format_year_month_day_hour,
            { "plaYearMonthDayHour", "pla.auto_path_format.year_month_day_hour", FT_BOOLEAN, 32, NULL, 0x00002000,
                "Appends year, month, day and hour: yyyyMMddHH", HFILL } },
        { &hf_pla_auto_path_format_month_day_hour_minute,
            { "plaMonthDayHourMinute", "pla.auto_path_format.month_day_hour_minute", FT_BOOLEAN, 32, NULL, 0x00004000,
                "Appends month, day, hour and minute: MMddHHmm", HFILL } },
        { &hf_pla_commit_mode_create_new,
            { "plaCreateNew", "pla.commit_mode.create_new", FT_BOOLEAN, 32, NULL, 0x00000001,
                "Save the set, which must not exist yet", HFILL } },
        { &hf_pla_commit_mode_modify,
            { "plaModify", "pla.commit_mode.modify", FT_BOOLEAN, 32, NULL, 0x00000002, "Change a set that exists",
                HFILL } },
        { &hf_pla_commit_mode_update_running_instance,
            { "plaUpdateRunningInstance", "pla.commit_mode.update_running_instance", FT_BOOLEAN, 32, NULL, 0x00000010,
                "Apply the changes to the running set", HFILL } },
        { &hf_pla_commit_mode_flush_trace,
            { "plaFlushTrace", "pla.commit_mode.flush_trace", FT_BOOLEAN, 32, NULL, 0x00000020,
                "Write the buffers of its traces now", HFILL } },
        { &hf_pla_commit_mode_validate_only,
            { "plaValidateOnly", "pla.commit_mode.validate_only", FT_BOOLEAN, 32, NULL, 0x00001000,
                "Only check the set, without saving it", HFILL } },
        { &hf_pla_data_manager_steps_create_report,
            { "plaCreateReport", "pla.data_manager_steps.create_report", FT_BOOLEAN, 32, NULL, 0x00000001,
                "Create the report with tracerpt", HFILL } },
        { &hf_pla_data_manager_steps_run_rules,
            { "plaRunRules", "pla.data_manager_steps.run_rules", FT_BOOLEAN, 32, NULL, 0x00000002,
                "Apply the rules to the report", HFILL } },
        { &hf_pla_data_manager_steps_create_html,
            { "plaCreateHtml", "pla.data_manager_steps.create_html", FT_BOOLEAN, 32, NULL, 0x00000004,
                "Convert the XML report to HTML", HFILL } },
        { &hf_pla_data_manager_steps_folder_actions,
            { "plaFolderActions", "pla.data_manager_steps.folder_actions", FT_BOOLEAN, 32, NULL, 0x00000008,
                "Run the folder actions", HFILL } },
        { &hf_pla_data_manager_steps_resource_freeing,
            { "plaResourceFreeing", "pla.data_manager_steps.resource_freeing", FT_BOOLEAN, 32, NULL, 0x00000010,
                "Delete folders by the resource policy if a limit is exceeded", HFILL } },
        { &hf_pla_folder_action_steps_create_cab,
            { "plaCreateCab", "pla.folder_action_steps.create_cab", FT_BOOLEAN, 32, NULL, 0x00000001,
                "Create a cabinet file", HFILL } },
        { &hf_pla_folder_action_steps_delete_data,
            { "plaDeleteData", "pla.folder_action_steps.delete_data", FT_BOOLEAN, 32, NULL, 0x00000002,
                "Delete all files except the report and the cabinet file", HFILL } },
        { &hf_pla_folder_action_steps_send_cab,
            { "plaSendCab", "pla.folder_action_steps.send_cab", FT_BOOLEAN, 32, NULL, 0x00000004,
                "Send the cabinet file to the folder SendCabTo", HFILL } },
        { &hf_pla_folder_action_steps_delete_cab,
            { "plaDeleteCab", "pla.folder_action_steps.delete_cab", FT_BOOLEAN, 32, NULL, 0x00000008,
                "Delete the cabinet file", HFILL } },
        { &hf_pla_folder_action_steps_delete_report,
            { "plaDeleteReport", "pla.folder_action_steps.delete_report", FT_BOOLEAN, 32, NULL, 0x00000010,
                "Delete the report", HFILL } },
        { &hf_pla_week_days_sunday,
            { "plaSunday", "pla.week_days.sunday", FT_BOOLEAN, 32, NULL, 0x00000001, "The set starts on Sundays",
                HFILL } },
        { &hf_pla_week_days_monday,
            { "plaMonday", "pla.week_days.monday", FT_BOOLEAN, 32, NULL, 0x00000002, "The set starts on Mondays",
                HFILL } },
        { &hf_pla_week_days_tuesday,
            { "plaTuesday", "pla.week_days.tuesday", FT_BOOLEAN, 32, NULL, 0x00000004, "The set starts on Tuesdays",
                HFILL } },
        { &hf_pla_week_days_wednesday,
            { "plaWednesday", "pla.week_days.wednesday", FT_BOOLEAN, 32, NULL, 0x00000008,
                "The set starts on Wednesdays", HFILL } },
        { &hf_pla_week_days_thursday,
            { "plaThursday", "pla.week_days.thursday", FT_BOOLEAN, 32, NULL, 0x00000010, "The set starts on Thursdays",
                HFILL } },
        { &hf_pla_week_days_friday,
            { "plaFriday", "pla.week_days.friday", FT_BOOLEAN, 32, NULL, 0x00000020, "The set starts on Fridays",
                HFILL } },
        { &hf_pla_week_days_saturday,
            { "plaSaturday", "pla.week_days.saturday", FT_BOOLEAN, 32, NULL, 0x00000040, "The set starts on Saturdays",
                HFILL } },
        { &hf_pla_extended_modes_private_logger_mode,
            { "EVENT_TRACE_PRIVATE_LOGGER_MODE", "pla.extended_modes.private_logger_mode", FT_BOOLEAN, 32, NULL,
                0x00000800, "Private session within the process of the provider", HFILL } },
        { &hf_pla_extended_modes_use_global_sequence,
            { "EVENT_TRACE_USE_GLOBAL_SEQUENCE", "pla.extended_modes.use_global_sequence", FT_BOOLEAN, 32, NULL,
                0x00004000, "Sequence numbers are unique across all sessions", HFILL } },
        { &hf_pla_extended_modes_use_local_sequence,
            { "EVENT_TRACE_USE_LOCAL_SEQUENCE", "pla.extended_modes.use_local_sequence", FT_BOOLEAN, 32, NULL,
                0x00008000, "Sequence numbers are unique within the session", HFILL } },
        { &hf_pla_extended_modes_use_paged_memory,
            { "EVENT_TRACE_USE_PAGED_MEMORY", "pla.extended_modes.use_paged_memory", FT_BOOLEAN, 32, NULL, 0x01000000,
                "Buffers in paged memory", HFILL } },
        { &hf_pla_security_info_owner,
            { "OWNER_SECURITY_INFORMATION", "pla.security_info.owner", FT_BOOLEAN, 32, NULL, 0x00000001, "The owner",
                HFILL } },
        { &hf_pla_security_info_group,
            { "GROUP_SECURITY_INFORMATION", "pla.security_info.group", FT_BOOLEAN, 32, NULL, 0x00000002,
                "The primary group", HFILL } },
        { &hf_pla_security_info_dacl,
            { "DACL_SECURITY_INFORMATION", "pla.security_info.dacl", FT_BOOLEAN, 32, NULL, 0x00000004,
                "The access rights (DACL)", HFILL } },
        { &hf_pla_security_info_sacl,
            { "SACL_SECURITY_INFORMATION", "pla.security_info.sacl", FT_BOOLEAN, 32, NULL, 0x00000008,
                "The auditing rules (SACL)", HFILL } },
        { &hf_pla_security_info_label,
            { "LABEL_SECURITY_INFORMATION", "pla.security_info.label", FT_BOOLEAN, 32, NULL, 0x00000010,
                "The integrity label", HFILL } },
        { &hf_pla_security_info_attribute,
            { "ATTRIBUTE_SECURITY_INFORMATION", "pla.security_info.attribute", FT_BOOLEAN, 32, NULL, 0x00000020,
                "Resource attributes", HFILL } },
        { &hf_pla_security_info_scope,
            { "SCOPE_SECURITY_INFORMATION", "pla.security_info.scope", FT_BOOLEAN, 32, NULL, 0x00000040,
                "Central access policy", HFILL } },
        { &hf_pla_security_info_backup,
            { "BACKUP_SECURITY_INFORMATION", "pla.security_info.backup", FT_BOOLEAN, 32, NULL, 0x00010000, "All of it",
                HFILL } },
        { &hf_pla_security_info_unprotected_sacl,
            { "UNPROTECTED_SACL_SECURITY_INFORMATION", "pla.security_info.unprotected_sacl", FT_BOOLEAN, 32, NULL,
                0x10000000, "The SACL inherits from its parent", HFILL } },
        { &hf_pla_security_info_unprotected_dacl,
            { "UNPROTECTED_DACL_SECURITY_INFORMATION", "pla.security_info.unprotected_dacl", FT_BOOLEAN, 32, NULL,
                0x20000000, "The DACL inherits from its parent", HFILL } },
        { &hf_pla_security_info_protected_sacl,
            { "PROTECTED_SACL_SECURITY_INFORMATION", "pla.security_info.protected_sacl", FT_BOOLEAN, 32, NULL,
                0x40000000, "The SACL does not inherit from its parent", HFILL } },
        { &hf_pla_security_info_protected_dacl,
            { "PROTECTED_DACL_SECURITY_INFORMATION", "pla.security_info.protected_dacl", FT_BOOLEAN, 32, NULL,
                0x80000000, "The DACL does not inherit from its parent", HFILL } },
        { &hf_pla_invoke_flags_method,
            { "DISPATCH_METHOD", "pla.invoke_flags.method", FT_BOOLEAN, 32, NULL, 0x00000001, "A method is called",
                HFILL } },
        { &hf_pla_invoke_flags_propertyget,
            { "DISPATCH_PROPERTYGET", "pla.invoke_flags.propertyget", FT_BOOLEAN, 32, NULL, 0x00000002,
                "A property is read", HFILL } },
        { &hf_pla_invoke_flags_propertyput,
            { "DISPATCH_PROPERTYPUT", "pla.invoke_flags.propertyput", FT_BOOLEAN, 32, NULL, 0x00000004,
                "A property is written", HFILL } },
        { &hf_pla_invoke_flags_propertyputref,
            { "DISPATCH_PROPERTYPUTREF", "pla.invoke_flags.propertyputref", FT_BOOLEAN, 32, NULL, 0x00000008,
                "A property is set to a reference to an object", HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
}
