/* methods.c
 * What the interfaces of [MS-PLA] have: interfaces, methods, parameters, enumerations
 *
 * One rule gives the filter names: property methods use the property, other methods the
 * parameter's name, in snake_case. Where the rule gives one name to values of different
 * kinds, the field's type fits all of them (a VARIANT is shown as text); only
 * IFolderActionCollection::AddRange's interface pointer "Actions" has a name of its own
 * beside the enumeration "Actions".
 *
 * So "pla.duration" is found as F(duration, ...) in PLA_FIELDS, "pla.commit_mode.validate_only" as
 * B(commit_mode, validate_only, ...) in PLA_BITS; names that stand in one piece are those of fields that no
 * parameter has (grep '"pla\.').
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "pla/methods.h"

/* The flags of each enumeration, a field each: enumeration, field, bit, name in the IDL, meaning. */
/* clang-format off */
#define AUTO_PATH_FORMAT_BITS(B) \
    B(auto_path_format, pattern, 0x0001, "plaPattern", "Adds the pattern property") \
    B(auto_path_format, computer, 0x0002, "plaComputer", "Computer name as prefix") \
    B(auto_path_format, month_day_hour, 0x0100, "plaMonthDayHour", "MMddHH") \
    B(auto_path_format, serial_number, 0x0200, "plaSerialNumber", "NNNNNN") \
    B(auto_path_format, year_day_of_year, 0x0400, "plaYearDayOfYear", "yyyyDDD") \
    B(auto_path_format, year_month, 0x0800, "plaYearMonth", "yyyyMM") \
    B(auto_path_format, year_month_day, 0x1000, "plaYearMonthDay", "yyyyMMdd") \
    B(auto_path_format, year_month_day_hour, 0x2000, "plaYearMonthDayHour", "yyyyMMddHH") \
    B(auto_path_format, month_day_hour_minute, 0x4000, "plaMonthDayHourMinute", "MMddHHmm")
#define COMMIT_MODE_BITS(B) \
    B(commit_mode, create_new, 0x0001, "plaCreateNew", "Save; must not exist") \
    B(commit_mode, modify, 0x0002, "plaModify", "Update existing") \
    B(commit_mode, update_running_instance, 0x0010, "plaUpdateRunningInstance", "Apply to running set") \
    B(commit_mode, flush_trace, 0x0020, "plaFlushTrace", "Flush trace buffers") \
    B(commit_mode, validate_only, 0x1000, "plaValidateOnly", "Validate only")
#define DATA_MANAGER_STEPS_BITS(B) \
    B(data_manager_steps, create_report, 0x0001, "plaCreateReport", "Create report (tracerpt)") \
    B(data_manager_steps, run_rules, 0x0002, "plaRunRules", "Apply rules") \
    B(data_manager_steps, create_html, 0x0004, "plaCreateHtml", "XML report to HTML") \
    B(data_manager_steps, folder_actions, 0x0008, "plaFolderActions", "Run folder actions") \
    B(data_manager_steps, resource_freeing, 0x0010, "plaResourceFreeing", "Apply resource policy")
#define FOLDER_ACTION_STEPS_BITS(B) \
    B(folder_action_steps, create_cab, 0x0001, "plaCreateCab", "Create cabinet") \
    B(folder_action_steps, delete_data, 0x0002, "plaDeleteData", "Delete files except report and cab") \
    B(folder_action_steps, send_cab, 0x0004, "plaSendCab", "Send cab to SendCabTo") \
    B(folder_action_steps, delete_cab, 0x0008, "plaDeleteCab", "Delete cab") \
    B(folder_action_steps, delete_report, 0x0010, "plaDeleteReport", "Delete report")
#define WEEK_DAYS_BITS(B) \
    B(week_days, sunday, 0x0001, "plaSunday", NULL) \
    B(week_days, monday, 0x0002, "plaMonday", NULL) \
    B(week_days, tuesday, 0x0004, "plaTuesday", NULL) \
    B(week_days, wednesday, 0x0008, "plaWednesday", NULL) \
    B(week_days, thursday, 0x0010, "plaThursday", NULL) \
    B(week_days, friday, 0x0020, "plaFriday", NULL) \
    B(week_days, saturday, 0x0040, "plaSaturday", NULL)
#define EXTENDED_MODES_BITS(B) \
    B(extended_modes, private_logger_mode, 0x0800, "EVENT_TRACE_PRIVATE_LOGGER_MODE", "Session within a provider") \
    B(extended_modes, use_global_sequence, 0x4000, "EVENT_TRACE_USE_GLOBAL_SEQUENCE", "Unique across sessions") \
    B(extended_modes, use_local_sequence, 0x8000, "EVENT_TRACE_USE_LOCAL_SEQUENCE", "Unique within a session") \
    B(extended_modes, use_paged_memory, 0x1000000, "EVENT_TRACE_USE_PAGED_MEMORY", "Pageable buffers")
#define SECURITY_INFO_BITS(B) \
    B(security_info, owner, 0x1, "OWNER_SECURITY_INFORMATION", NULL) \
    B(security_info, group, 0x2, "GROUP_SECURITY_INFORMATION", NULL) \
    B(security_info, dacl, 0x4, "DACL_SECURITY_INFORMATION", NULL) \
    B(security_info, sacl, 0x8, "SACL_SECURITY_INFORMATION", NULL) \
    B(security_info, label, 0x10, "LABEL_SECURITY_INFORMATION", "Integrity label") \
    B(security_info, attribute, 0x20, "ATTRIBUTE_SECURITY_INFORMATION", "Resource attributes") \
    B(security_info, scope, 0x40, "SCOPE_SECURITY_INFORMATION", "Central access policy") \
    B(security_info, backup, 0x10000, "BACKUP_SECURITY_INFORMATION", "All of it") \
    B(security_info, unprotected_sacl, 0x10000000, "UNPROTECTED_SACL_SECURITY_INFORMATION", NULL) \
    B(security_info, unprotected_dacl, 0x20000000, "UNPROTECTED_DACL_SECURITY_INFORMATION", NULL) \
    B(security_info, protected_sacl, 0x40000000, "PROTECTED_SACL_SECURITY_INFORMATION", NULL) \
    B(security_info, protected_dacl, 0x80000000, "PROTECTED_DACL_SECURITY_INFORMATION", NULL)
#define INVOKE_FLAGS_BITS(B) \
    B(invoke_flags, method, 0x1, "DISPATCH_METHOD", NULL) \
    B(invoke_flags, propertyget, 0x2, "DISPATCH_PROPERTYGET", NULL) \
    B(invoke_flags, propertyput, 0x4, "DISPATCH_PROPERTYPUT", NULL) \
    B(invoke_flags, propertyputref, 0x8, "DISPATCH_PROPERTYPUTREF", NULL)
#define PLA_BITS(B) \
    AUTO_PATH_FORMAT_BITS(B) COMMIT_MODE_BITS(B) DATA_MANAGER_STEPS_BITS(B) FOLDER_ACTION_STEPS_BITS(B) \
    WEEK_DAYS_BITS(B) EXTENDED_MODES_BITS(B) SECURITY_INFO_BITS(B) INVOKE_FLAGS_BITS(B)
/* clang-format on */

#define BIT_VARIABLE(enumeration, bit, mask, idl_name, blurb) static int hf_##enumeration##_##bit = -1;
#define BIT_POINTER(enumeration, bit, mask, idl_name, blurb)  &hf_##enumeration##_##bit,
PLA_BITS(BIT_VARIABLE)

/* The values that have a name; the flags of a list above. */
/* clang-format off */
#define VALUES(...) (const value_string[]){ __VA_ARGS__, { 0, NULL } }
#define NO_VALUES (const value_string[]){ { 0, NULL } }
#define FLAGS(flags) (int *const[]){ flags(BIT_POINTER) NULL }
/* clang-format on */

static const struct pla_enum auto_path_format_enum = { "AutoPathFormat", VALUES({ 0x0, "plaNone" }),
    FLAGS(AUTO_PATH_FORMAT_BITS) };
static const struct pla_enum clock_type_enum = { "ClockType",
    VALUES({ 0x0, "plaTimeStamp" }, { 0x1, "plaPerformance" }, { 0x2, "plaSystem" }, { 0x3, "plaCycle" }), NULL };
static const struct pla_enum commit_mode_enum = { "CommitMode", VALUES({ 0x3, "plaCreateOrModify" }),
    FLAGS(COMMIT_MODE_BITS) };
const struct pla_enum pla_data_collector_set_status = { "DataCollectorSetStatus",
    VALUES({ 0x0, "plaStopped" }, { 0x1, "plaRunning" }, { 0x2, "plaCompiling" }, { 0x3, "plaPending" },
        { 0x4, "plaUndefined" }),
    NULL };
const struct pla_enum pla_data_collector_type = { "DataCollectorType",
    VALUES({ 0x0, "plaPerformanceCounter" }, { 0x1, "plaTrace" }, { 0x2, "plaConfiguration" }, { 0x3, "plaAlert" },
        { 0x4, "plaApiTrace" }),
    NULL };
static const struct pla_enum data_manager_steps_enum = { "DataManagerSteps", NO_VALUES,
    FLAGS(DATA_MANAGER_STEPS_BITS) };
static const struct pla_enum file_format_enum = { "FileFormat",
    VALUES({ 0x0, "plaCommaSeparated" }, { 0x1, "plaTabSeparated" }, { 0x2, "plaSql" }, { 0x3, "plaBinary" }), NULL };
static const struct pla_enum folder_action_steps_enum = { "FolderActionSteps", NO_VALUES,
    FLAGS(FOLDER_ACTION_STEPS_BITS) };
static const struct pla_enum resource_policy_enum = { "ResourcePolicy",
    VALUES({ 0x0, "plaDeleteLargest" }, { 0x1, "plaDeleteOldest" }), NULL };
static const struct pla_enum stream_mode_enum = { "StreamMode",
    VALUES({ 0x1, "plaFile" }, { 0x2, "plaRealTime" }, { 0x3, "plaBoth" }, { 0x4, "plaBuffering" }), NULL };
static const struct pla_enum value_map_type_enum = { "ValueMapType",
    VALUES({ 0x1, "plaIndex" }, { 0x2, "plaFlag" }, { 0x3, "plaFlagArray" }, { 0x4, "plaValidation" }), NULL };
static const struct pla_enum week_days_enum = { "WeekDays", VALUES({ 0x0, "plaRunOnce" }, { 0x7f, "plaEveryday" }),
    FLAGS(WEEK_DAYS_BITS) };
static const struct pla_enum extended_modes_enum = { "ExtendedModes", NO_VALUES, FLAGS(EXTENDED_MODES_BITS) };
/* SECURITY_INFORMATION, [MS-DTYP] 2.4.7. */
static const struct pla_enum security_info_enum = { "SECURITY_INFORMATION", NO_VALUES, FLAGS(SECURITY_INFO_BITS) };
static const struct pla_enum invoke_flags_enum = { "dwFlags", NO_VALUES, FLAGS(INVOKE_FLAGS_BITS) };

/* Filter name, name in the IDL, type, display, enumeration, unit, what 0 means, what it is, description. */
/* clang-format off */
#define PLA_FIELDS(F) \
    F(data_collectors, "DataCollectors", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(duration, "Duration", UINT32, BASE_DEC, NULL, "s", "no limit", PLAIN, NULL) \
    F(description, "Description", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(description_unresolved, "DescriptionUnresolved", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(display_name, "DisplayName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(display_name_unresolved, "DisplayNameUnresolved", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(keywords, "Keywords", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(latest_output_location, "LatestOutputLocation", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(name, "Name", STRING, BASE_NONE, NULL, NULL, NULL, LABEL, NULL) \
    F(output_location, "OutputLocation", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(root_path, "RootPath", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(segment, "Segment", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(segment_max_duration, "SegmentMaxDuration", UINT32, BASE_DEC, NULL, "s", "no limit", PLAIN, NULL) \
    F(segment_max_size, "SegmentMaxSize", UINT32, BASE_DEC, NULL, "MB", "no limit", PLAIN, NULL) \
    F(serial_number, "SerialNumber", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(server, "Server", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(status, "Status", UINT32, BASE_DEC, &pla_data_collector_set_status, NULL, NULL, STATUS, NULL) \
    F(subdirectory, "Subdirectory", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(subdirectory_format, "SubdirectoryFormat", UINT32, BASE_HEX, &auto_path_format_enum, NULL, NULL, PLAIN, NULL) \
    F(subdirectory_format_pattern, "SubdirectoryFormatPattern", STRING, BASE_NONE, NULL, NULL, NULL, PATTERN, NULL) \
    F(task, "Task", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(task_run_as_self, "TaskRunAsSelf", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(task_arguments, "TaskArguments", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(task_user_text_arguments, "TaskUserTextArguments", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(schedules, "Schedules", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(schedules_enabled, "SchedulesEnabled", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(user_account, "UserAccount", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(xml, "Xml", STRING, BASE_NONE, NULL, NULL, NULL, XML, NULL) \
    F(security, "Security", STRING, BASE_NONE, NULL, NULL, NULL, ACCESS, NULL) \
    F(stop_on_completion, "StopOnCompletion", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(data_manager, "DataManager", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(user, "user", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(password, "password", STRING, BASE_NONE, NULL, NULL, NULL, SECRET, NULL) \
    F(mode, "mode", UINT32, BASE_HEX, &commit_mode_enum, NULL, NULL, COMMIT_MODE, NULL) \
    F(validation, "validation", STRING, BASE_NONE, NULL, NULL, NULL, VALIDATION, NULL) \
    F(synchronous, "Synchronous", BOOLEAN, BASE_NONE, NULL, NULL, NULL, WAITS, NULL) \
    F(key, "key", STRING, BASE_NONE, NULL, NULL, NULL, LABEL, NULL) \
    F(value, "value", STRING, BASE_NONE, NULL, NULL, NULL, VALUE, NULL) \
    F(enabled, "Enabled", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(check_before_running, "CheckBeforeRunning", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(min_free_disk, "MinFreeDisk", UINT32, BASE_DEC, NULL, "MB", "no limit", PLAIN, NULL) \
    F(max_size, "MaxSize", UINT32, BASE_DEC, NULL, "MB", "no limit", PLAIN, NULL) \
    F(max_folder_count, "MaxFolderCount", UINT32, BASE_DEC, NULL, NULL, "no limit", PLAIN, NULL) \
    F(resource_policy, "ResourcePolicy", UINT32, BASE_DEC, &resource_policy_enum, NULL, NULL, PLAIN, NULL) \
    F(folder_actions, "FolderActions", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(report_schema, "ReportSchema", STRING, BASE_NONE, NULL, NULL, NULL, XML, NULL) \
    F(report_file_name, "ReportFileName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(rule_target_file_name, "RuleTargetFileName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(events_file_name, "EventsFileName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(rules, "Rules", STRING, BASE_NONE, NULL, NULL, NULL, XML, NULL) \
    F(steps, "Steps", UINT32, BASE_HEX, &data_manager_steps_enum, NULL, NULL, PLAIN, NULL) \
    F(bstr_folder, "bstrFolder", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(errors, "Errors", STRING, BASE_NONE, NULL, NULL, NULL, VALIDATION, NULL) \
    F(cab_filename, "CabFilename", STRING, BASE_NONE, NULL, NULL, NULL, SERVER_FILE, NULL) \
    F(destination_path, "DestinationPath", STRING, BASE_NONE, NULL, NULL, NULL, SERVER_FILE, NULL) \
    F(age, "Age", UINT32, BASE_DEC, NULL, "days", NULL, PLAIN, NULL) \
    F(size, "Size", UINT32, BASE_DEC, NULL, "MB", "any size", PLAIN, "Minimum: the action is taken from it on") \
    F(actions, "Actions", UINT32, BASE_HEX, &folder_action_steps_enum, NULL, NULL, PLAIN, NULL) \
    F(send_cab_to, "SendCabTo", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(count, "Count", INT64, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(index, "Index", STRING, BASE_NONE, NULL, NULL, NULL, INDEX, "A number, or a key, of an item") \
    F(item, "Item", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(new_enum, "_NewEnum", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(actions_object, "Actions", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(action, "Action", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(folder_action, "FolderAction", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(data_collector_set, "DataCollectorSet", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(data_collector_type, "DataCollectorType", UINT32, BASE_DEC, &pla_data_collector_type, NULL, NULL, PLAIN, NULL) \
    F(file_name, "FileName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(file_name_format, "FileNameFormat", UINT32, BASE_HEX, &auto_path_format_enum, NULL, NULL, PLAIN, NULL) \
    F(file_name_format_pattern, "FileNameFormatPattern", STRING, BASE_NONE, NULL, NULL, NULL, PATTERN, NULL) \
    F(log_append, "LogAppend", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(log_circular, "LogCircular", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(log_overwrite, "LogOverwrite", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(data_source_name, "DataSourceName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(performance_counters, "PerformanceCounters", STRING, BASE_NONE, NULL, NULL, NULL, PATHS, NULL) \
    F(log_file_format, "LogFileFormat", UINT32, BASE_DEC, &file_format_enum, NULL, NULL, PLAIN, NULL) \
    F(sample_interval, "SampleInterval", UINT32, BASE_DEC, NULL, "s", NULL, INTERVAL, NULL) \
    F(segment_max_records, "SegmentMaxRecords", UINT32, BASE_DEC, NULL, NULL, "no limit", PLAIN, NULL) \
    F(file_max_count, "FileMaxCount", UINT32, BASE_DEC, NULL, NULL, "no limit", PLAIN, NULL) \
    F(file_max_recursive_depth, "FileMaxRecursiveDepth", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(file_max_total_size, "FileMaxTotalSize", UINT32, BASE_DEC, NULL, "MB", "no limit", PLAIN, NULL) \
    F(files, "Files", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(management_queries, "ManagementQueries", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(query_network_adapters, "QueryNetworkAdapters", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(registry_keys, "RegistryKeys", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(registry_max_recursive_depth, "RegistryMaxRecursiveDepth", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(system_state_file, "SystemStateFile", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(alert_thresholds, "AlertThresholds", STRING, BASE_NONE, NULL, NULL, NULL, THRESHOLDS, NULL) \
    F(event_log, "EventLog", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(trigger_data_collector_set, "TriggerDataCollectorSet", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(buffer_size, "BufferSize", UINT32, BASE_DEC, NULL, "KB", NULL, PLAIN, NULL) \
    F(buffers_lost, "BuffersLost", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(buffers_written, "BuffersWritten", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(clock_type, "ClockType", UINT32, BASE_DEC, &clock_type_enum, NULL, NULL, PLAIN, NULL) \
    F(events_lost, "EventsLost", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(extended_modes, "ExtendedModes", UINT32, BASE_HEX, &extended_modes_enum, NULL, NULL, PLAIN, NULL) \
    F(flush_timer, "FlushTimer", UINT32, BASE_DEC, NULL, "s", "when a buffer is full", PLAIN, NULL) \
    F(free_buffers, "FreeBuffers", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(guid, "Guid", GUID, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(is_kernel_trace, "IsKernelTrace", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(maximum_buffers, "MaximumBuffers", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(minimum_buffers, "MinimumBuffers", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(number_of_buffers, "NumberOfBuffers", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(preallocate_file, "PreallocateFile", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(process_mode, "ProcessMode", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(real_time_buffers_lost, "RealTimeBuffersLost", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(session_id, "SessionId", UINT64, BASE_DEC, NULL, NULL, NULL, PLAIN, "Only the low 16 bits are valid") \
    F(session_name, "SessionName", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(session_thread_id, "SessionThreadId", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(stream_mode, "StreamMode", UINT32, BASE_DEC, &stream_mode_enum, NULL, NULL, PLAIN, NULL) \
    F(trace_data_providers, "TraceDataProviders", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(log_api_names_only, "LogApiNamesOnly", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(log_apis_recursively, "LogApisRecursively", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(exe_path, "ExePath", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(log_file_path, "LogFilePath", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(include_modules, "IncludeModules", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(include_apis, "IncludeApis", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(exclude_apis, "ExcludeApis", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(level, "Level", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(keywords_any, "KeywordsAny", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(keywords_all, "KeywordsAll", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(properties, "Properties", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(filter_enabled, "FilterEnabled", BOOLEAN, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(filter_type, "FilterType", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, "Not used") \
    F(filter_data, "FilterData", BYTES, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(bstr_name, "bstrName", STRING, BASE_NONE, NULL, NULL, NULL, LABEL, NULL) \
    F(bstr_server, "bstrServer", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_from, "pFrom", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(sddl, "Sddl", STRING, BASE_NONE, NULL, NULL, NULL, ACCESS, NULL) \
    F(security_info, "SecurityInfo", UINT32, BASE_HEX, &security_info_enum, NULL, NULL, PLAIN, "SECURITY_INFORMATION") \
    F(processes, "Processes", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(start_date, "StartDate", STRING, BASE_NONE, NULL, NULL, NULL, DATE, NULL) \
    F(end_date, "EndDate", STRING, BASE_NONE, NULL, NULL, NULL, DATE, NULL) \
    F(start_time, "StartTime", STRING, BASE_NONE, NULL, NULL, NULL, TIME, NULL) \
    F(days, "Days", UINT32, BASE_HEX, &week_days_enum, NULL, NULL, PLAIN, NULL) \
    F(p_provider, "pProvider", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(v_provider, "vProvider", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(providers, "providers", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(provider, "Provider", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(pid, "Pid", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_schedule, "pSchedule", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(v_schedule, "vSchedule", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_schedules, "pSchedules", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(schedule, "Schedule", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(collector, "collector", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(collectors, "collectors", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(bstr_xml, "bstrXml", STRING, BASE_NONE, NULL, NULL, NULL, XML, NULL) \
    F(p_validation, "pValidation", STRING, BASE_NONE, NULL, NULL, NULL, VALIDATION, NULL) \
    F(p_collector, "pCollector", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(type, "Type", UINT32, BASE_DEC, &pla_data_collector_type, NULL, NULL, TYPE, NULL) \
    F(set, "set", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(sets, "sets", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(filter, "filter", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, "[MS-PLA] says that the server does not use it") \
    F(value_map_type, "ValueMapType", UINT32, BASE_DEC, &value_map_type_enum, NULL, NULL, PLAIN, NULL) \
    F(map, "map", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    /* IDispatch, [MS-OAUT] 3.1.4; names as in its IDL. */ \
    F(pctinfo, "pctinfo", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(i_t_info, "iTInfo", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(lcid, "lcid", UINT32, BASE_HEX, NULL, NULL, NULL, PLAIN, NULL) \
    F(pp_t_info, "ppTInfo", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(riid, "riid", GUID, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(rgsz_names, "rgszNames", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(c_names, "cNames", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(rg_disp_id, "rgDispId", INT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(disp_id_member, "dispIdMember", INT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(dw_flags, "dwFlags", UINT32, BASE_HEX, &invoke_flags_enum, NULL, NULL, PLAIN, NULL) \
    F(p_disp_params, "pDispParams", NONE, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_var_result, "pVarResult", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_excep_info, "pExcepInfo", NONE, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_arg_err, "pArgErr", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(c_var_ref, "cVarRef", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(rg_var_ref_idx, "rgVarRefIdx", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(rg_var_ref, "rgVarRef", NONE, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    /* IEnumVARIANT, [MS-OAUT] 3.3.4. */ \
    F(celt, "celt", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(rg_var, "rgVar", NONE, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL) \
    F(p_celt_fetched, "pCeltFetched", UINT32, BASE_DEC, NULL, NULL, NULL, PLAIN, NULL) \
    F(pp_enum, "ppEnum", STRING, BASE_NONE, NULL, NULL, NULL, PLAIN, NULL)
/* clang-format on */

#define FIELD_VARIABLE(filter, idl_name, ftype, display, enumeration, unit, zero, what, blurb) \
    static struct pla_field field_##filter = { -1, idl_name, enumeration, unit, zero, PLA_##what };
PLA_FIELDS(FIELD_VARIABLE)

/* SetValue and GetValue have a key too, which names no object. */
static struct pla_field field_key_of_value = { -1, "key", NULL, NULL, NULL, PLA_PLAIN };

/* clang-format off */
#define ARG(type, filter) { false, PLA_##type, &field_##filter }
#define RESULT(type, filter) { true, PLA_##type, &field_##filter }
#define NO_PARAMS { false, PLA_NONE, NULL }
#define PARAMS(...) (const struct pla_param[]){ __VA_ARGS__, NO_PARAMS }
#define METHOD(opnum, name, ...) { opnum, name, NULL, PARAMS(__VA_ARGS__) }
/* clang-format on */
#define GET(opnum, property, type, filter) METHOD(opnum, property " (Get)", RESULT(type, filter))
#define PUT(opnum, property, type, filter) METHOD(opnum, property " (Put)", ARG(type, filter))
/* A property that is read by one method and set by the next. */
#define PROPERTY(opnum, property, type, filter) \
    GET(opnum, property, type, filter), PUT((opnum) + 1, property, type, filter)
/* What every collection begins with: the type of its count, and the parameters of Add, Remove and AddRange. */
#define COLLECTION(number, added, removed, range) \
    GET(7, "Count", number, count), METHOD(8, "Item (Get)", ARG(VARIANT, index), RESULT(OBJECT, item)), \
        GET(9, "_NewEnum", OBJECT, new_enum), METHOD(10, "Add", ARG(OBJECT, added)), \
        METHOD(11, "Remove", ARG(VARIANT, removed)), METHOD(12, "Clear", NO_PARAMS), \
        METHOD(13, "AddRange", ARG(OBJECT, range))
/* clang-format off */
#define LOCAL(opnum, local) { opnum, "Opnum" #opnum "NotUsedOnWire", local, PARAMS(NO_PARAMS) }
/* clang-format on */

static const struct pla_method idispatch_methods[] = {
    METHOD(3, "GetTypeInfoCount", RESULT(U32, pctinfo)),
    METHOD(4, "GetTypeInfo", ARG(U32, i_t_info), ARG(U32, lcid), RESULT(OBJECT, pp_t_info)),
    METHOD(5, "GetIDsOfNames", ARG(GUID, riid), ARG(NAMES, rgsz_names), ARG(U32, c_names), ARG(U32, lcid),
        RESULT(DISPIDS, rg_disp_id)),
    METHOD(6, "Invoke", ARG(DISPID, disp_id_member), ARG(GUID, riid), ARG(U32, lcid), ARG(U32, dw_flags),
        ARG(DISPPARAMS, p_disp_params), RESULT(VARIANT, p_var_result), RESULT(EXCEPINFO, p_excep_info),
        RESULT(U32, p_arg_err), ARG(U32, c_var_ref), ARG(VARREF_INDICES, rg_var_ref_idx), ARG(VARREFS, rg_var_ref),
        RESULT(VARREFS, rg_var_ref)),
};

static const struct pla_method idatacollectorset_methods[] = {
    GET(7, "DataCollectors", OBJECT, data_collectors),
    PROPERTY(8, "Duration", U32, duration),
    PROPERTY(10, "Description", BSTR, description),
    GET(12, "DescriptionUnresolved", BSTR, description_unresolved),
    PROPERTY(13, "DisplayName", BSTR, display_name),
    GET(15, "DisplayNameUnresolved", BSTR, display_name_unresolved),
    PROPERTY(16, "Keywords", STRINGS, keywords),
    PROPERTY(18, "LatestOutputLocation", BSTR, latest_output_location),
    GET(20, "Name", BSTR, name),
    GET(21, "OutputLocation", BSTR, output_location),
    PROPERTY(22, "RootPath", BSTR, root_path),
    PROPERTY(24, "Segment", BOOL, segment),
    PROPERTY(26, "SegmentMaxDuration", U32, segment_max_duration),
    PROPERTY(28, "SegmentMaxSize", U32, segment_max_size),
    PROPERTY(30, "SerialNumber", U32, serial_number),
    GET(32, "Server", BSTR, server),
    GET(33, "Status", ENUM, status),
    PROPERTY(34, "Subdirectory", BSTR, subdirectory),
    PROPERTY(36, "SubdirectoryFormat", ENUM, subdirectory_format),
    PROPERTY(38, "SubdirectoryFormatPattern", BSTR, subdirectory_format_pattern),
    PROPERTY(40, "Task", BSTR, task),
    PROPERTY(42, "TaskRunAsSelf", BOOL, task_run_as_self),
    PROPERTY(44, "TaskArguments", BSTR, task_arguments),
    PROPERTY(46, "TaskUserTextArguments", BSTR, task_user_text_arguments),
    GET(48, "Schedules", OBJECT, schedules),
    PROPERTY(49, "SchedulesEnabled", BOOL, schedules_enabled),
    GET(51, "UserAccount", BSTR, user_account),
    GET(52, "Xml", BSTR, xml),
    PROPERTY(53, "Security", BSTR, security),
    PROPERTY(55, "StopOnCompletion", BOOL, stop_on_completion),
    GET(57, "DataManager", OBJECT, data_manager),
    METHOD(58, "SetCredentials", ARG(BSTR, user), ARG(BSTR, password)),
    METHOD(59, "Query", ARG(BSTR, name), ARG(BSTR, server)),
    METHOD(60, "Commit", ARG(BSTR, name), ARG(BSTR, server), ARG(ENUM, mode), RESULT(OBJECT, validation)),
    METHOD(61, "Delete", NO_PARAMS),
    METHOD(62, "Start", ARG(BOOL, synchronous)),
    METHOD(63, "Stop", ARG(BOOL, synchronous)),
    METHOD(64, "SetXml", ARG(BSTR, xml), RESULT(OBJECT, validation)),
    METHOD(65, "SetValue", ARG(BSTR, key_of_value), ARG(BSTR, value)),
    METHOD(66, "GetValue", ARG(BSTR, key_of_value), RESULT(BSTR, value)),
};

static const struct pla_method idatamanager_methods[] = {
    PROPERTY(7, "Enabled", BOOL, enabled),
    PROPERTY(9, "CheckBeforeRunning", BOOL, check_before_running),
    PROPERTY(11, "MinFreeDisk", U32, min_free_disk),
    PROPERTY(13, "MaxSize", U32, max_size),
    PROPERTY(15, "MaxFolderCount", U32, max_folder_count),
    PROPERTY(17, "ResourcePolicy", ENUM, resource_policy),
    GET(19, "FolderActions", OBJECT, folder_actions),
    PROPERTY(20, "ReportSchema", BSTR, report_schema),
    PROPERTY(22, "ReportFileName", BSTR, report_file_name),
    PROPERTY(24, "RuleTargetFileName", BSTR, rule_target_file_name),
    PROPERTY(26, "EventsFileName", BSTR, events_file_name),
    PROPERTY(28, "Rules", BSTR, rules),
    METHOD(30, "Run", ARG(ENUM, steps), ARG(BSTR, bstr_folder), RESULT(OBJECT, errors)),
    METHOD(31, "Extract", ARG(BSTR, cab_filename), ARG(BSTR, destination_path)),
};

static const struct pla_method ifolderaction_methods[] = {
    PROPERTY(7, "Age", U32, age),
    PROPERTY(9, "Size", U32, size),
    PROPERTY(11, "Actions", ENUM, actions),
    PROPERTY(13, "SendCabTo", BSTR, send_cab_to),
};

static const struct pla_method ifolderactioncollection_methods[] = {
    COLLECTION(U32, action, index, actions_object),
    METHOD(14, "CreateFolderAction", RESULT(OBJECT, folder_action)),
};

static const struct pla_method idatacollector_methods[] = {
    GET(7, "DataCollectorSet", OBJECT, data_collector_set),
    LOCAL(8, "put_DataCollectorSet"),
    GET(9, "DataCollectorType", ENUM, data_collector_type),
    PROPERTY(10, "FileName", BSTR, file_name),
    PROPERTY(12, "FileNameFormat", ENUM, file_name_format),
    PROPERTY(14, "FileNameFormatPattern", BSTR, file_name_format_pattern),
    PROPERTY(16, "LatestOutputLocation", BSTR, latest_output_location),
    PROPERTY(18, "LogAppend", BOOL, log_append),
    PROPERTY(20, "LogCircular", BOOL, log_circular),
    PROPERTY(22, "LogOverwrite", BOOL, log_overwrite),
    PROPERTY(24, "Name", BSTR, name),
    GET(26, "OutputLocation", BSTR, output_location),
    GET(27, "Index", I32, index),
    LOCAL(28, "put_Index"),
    GET(29, "Xml", BSTR, xml),
    METHOD(30, "SetXml", ARG(BSTR, xml), RESULT(OBJECT, validation)),
    LOCAL(31, "CreateOutputLocation"),
};

static const struct pla_method iperformancecounterdatacollector_methods[] = {
    PROPERTY(32, "DataSourceName", BSTR, data_source_name),
    PROPERTY(34, "PerformanceCounters", STRINGS, performance_counters),
    PROPERTY(36, "LogFileFormat", ENUM, log_file_format),
    PROPERTY(38, "SampleInterval", U32, sample_interval),
    PROPERTY(40, "SegmentMaxRecords", U32, segment_max_records),
};

static const struct pla_method iconfigurationdatacollector_methods[] = {
    PROPERTY(32, "FileMaxCount", U32, file_max_count),
    PROPERTY(34, "FileMaxRecursiveDepth", U32, file_max_recursive_depth),
    PROPERTY(36, "FileMaxTotalSize", U32, file_max_total_size),
    PROPERTY(38, "Files", STRINGS, files),
    PROPERTY(40, "ManagementQueries", STRINGS, management_queries),
    PROPERTY(42, "QueryNetworkAdapters", BOOL, query_network_adapters),
    PROPERTY(44, "RegistryKeys", STRINGS, registry_keys),
    PROPERTY(46, "RegistryMaxRecursiveDepth", U32, registry_max_recursive_depth),
    PROPERTY(48, "SystemStateFile", BSTR, system_state_file),
};

static const struct pla_method ialertdatacollector_methods[] = {
    PROPERTY(32, "AlertThresholds", STRINGS, alert_thresholds),
    PROPERTY(34, "EventLog", BOOL, event_log),
    PROPERTY(36, "SampleInterval", U32, sample_interval),
    PROPERTY(38, "Task", BSTR, task),
    PROPERTY(40, "TaskRunAsSelf", BOOL, task_run_as_self),
    PROPERTY(42, "TaskArguments", BSTR, task_arguments),
    PROPERTY(44, "TaskUserTextArguments", BSTR, task_user_text_arguments),
    PROPERTY(46, "TriggerDataCollectorSet", BSTR, trigger_data_collector_set),
};

static const struct pla_method itracedatacollector_methods[] = {
    PROPERTY(32, "BufferSize", U32, buffer_size),
    GET(34, "BuffersLost", U32, buffers_lost),
    LOCAL(35, "put_BuffersLost"),
    GET(36, "BuffersWritten", U32, buffers_written),
    LOCAL(37, "put_BuffersWritten"),
    PROPERTY(38, "ClockType", ENUM, clock_type),
    GET(40, "EventsLost", U32, events_lost),
    LOCAL(41, "put_EventsLost"),
    PROPERTY(42, "ExtendedModes", U32, extended_modes),
    PROPERTY(44, "FlushTimer", U32, flush_timer),
    GET(46, "FreeBuffers", U32, free_buffers),
    LOCAL(47, "put_FreeBuffers"),
    PROPERTY(48, "Guid", GUID, guid),
    GET(50, "IsKernelTrace", BOOL, is_kernel_trace),
    PROPERTY(51, "MaximumBuffers", U32, maximum_buffers),
    PROPERTY(53, "MinimumBuffers", U32, minimum_buffers),
    PROPERTY(55, "NumberOfBuffers", U32, number_of_buffers),
    PROPERTY(57, "PreallocateFile", BOOL, preallocate_file),
    PROPERTY(59, "ProcessMode", BOOL, process_mode),
    GET(61, "RealTimeBuffersLost", U32, real_time_buffers_lost),
    LOCAL(62, "put_RealTimeBuffersLost"),
    GET(63, "SessionId", U64, session_id),
    LOCAL(64, "put_SessionId"),
    PROPERTY(65, "SessionName", BSTR, session_name),
    GET(67, "SessionThreadId", U32, session_thread_id),
    LOCAL(68, "put_SessionThreadId"),
    PROPERTY(69, "StreamMode", ENUM, stream_mode),
    GET(71, "TraceDataProviders", OBJECT, trace_data_providers),
};

static const struct pla_method iapitracingdatacollector_methods[] = {
    PROPERTY(32, "LogApiNamesOnly", BOOL, log_api_names_only),
    PROPERTY(34, "LogApisRecursively", BOOL, log_apis_recursively),
    PROPERTY(36, "ExePath", BSTR, exe_path),
    PROPERTY(38, "LogFilePath", BSTR, log_file_path),
    PROPERTY(40, "IncludeModules", STRINGS, include_modules),
    PROPERTY(42, "IncludeApis", STRINGS, include_apis),
    PROPERTY(44, "ExcludeApis", STRINGS, exclude_apis),
};

static const struct pla_method itracedataprovider_methods[] = {
    PROPERTY(7, "DisplayName", BSTR, display_name),
    PROPERTY(9, "Guid", GUID, guid),
    GET(11, "Level", OBJECT, level),
    GET(12, "KeywordsAny", OBJECT, keywords_any),
    GET(13, "KeywordsAll", OBJECT, keywords_all),
    GET(14, "Properties", OBJECT, properties),
    PROPERTY(15, "FilterEnabled", BOOL, filter_enabled),
    PROPERTY(17, "FilterType", U32, filter_type),
    PROPERTY(19, "FilterData", BYTES, filter_data),
    METHOD(21, "Query", ARG(BSTR, bstr_name), ARG(BSTR, bstr_server)),
    METHOD(22, "Resolve", ARG(OBJECT, p_from)),
    METHOD(23, "SetSecurity", ARG(BSTR, sddl)),
    METHOD(24, "GetSecurity", ARG(U32, security_info), RESULT(BSTR, sddl)),
    METHOD(25, "GetRegisteredProcesses", RESULT(OBJECT, processes)),
};

static const struct pla_method ischedule_methods[] = {
    PROPERTY(7, "StartDate", VARIANT, start_date),
    PROPERTY(9, "EndDate", VARIANT, end_date),
    PROPERTY(11, "StartTime", VARIANT, start_time),
    PROPERTY(13, "Days", ENUM, days),
};

static const struct pla_method itracedataprovidercollection_methods[] = {
    COLLECTION(I32, p_provider, v_provider, providers),
    METHOD(14, "CreateTraceDataProvider", RESULT(OBJECT, provider)),
    METHOD(15, "GetTraceDataProviders", ARG(BSTR, server)),
    METHOD(16, "GetTraceDataProvidersByProcess", ARG(BSTR, server), ARG(U32, pid)),
};

static const struct pla_method ischedulecollection_methods[] = {
    COLLECTION(I32, p_schedule, v_schedule, p_schedules),
    METHOD(14, "CreateSchedule", RESULT(OBJECT, schedule)),
};

static const struct pla_method idatacollectorcollection_methods[] = {
    COLLECTION(I32, collector, collector, collectors),
    METHOD(14, "CreateDataCollectorFromXml", ARG(BSTR, bstr_xml), RESULT(OBJECT, p_validation),
        RESULT(OBJECT, p_collector)),
    METHOD(15, "CreateDataCollector", ARG(ENUM, type), RESULT(OBJECT, collector)),
};

static const struct pla_method idatacollectorsetcollection_methods[] = {
    COLLECTION(I32, set, set, sets),
    METHOD(14, "GetDataCollectorSets", ARG(BSTR, server), ARG(BSTR, filter)),
};

static const struct pla_method ivaluemapitem_methods[] = {
    PROPERTY(7, "Description", BSTR, description),
    PROPERTY(9, "Enabled", BOOL, enabled),
    PROPERTY(11, "Key", BSTR, key),
    PROPERTY(13, "Value", VARIANT, value),
    PROPERTY(15, "ValueMapType", ENUM, value_map_type),
};

static const struct pla_method ivaluemap_methods[] = {
    GET(7, "Count", I32, count),
    METHOD(8, "Item (Get)", ARG(VARIANT, index), RESULT(OBJECT, item)),
    GET(9, "_NewEnum", OBJECT, new_enum),
    PROPERTY(10, "Description", BSTR, description),
    PROPERTY(12, "Value", VARIANT, value),
    PROPERTY(14, "ValueMapType", ENUM, value_map_type),
    METHOD(16, "Add", ARG(VARIANT, value)),
    METHOD(17, "Remove", ARG(VARIANT, value)),
    METHOD(18, "Clear", NO_PARAMS),
    METHOD(19, "AddRange", ARG(OBJECT, map)),
    METHOD(20, "CreateValueMapItem", RESULT(OBJECT, item)),
};

/* No IDispatch below it: derived from IUnknown. */
static const struct pla_method ienumvariant_methods[] = {
    METHOD(3, "Next", ARG(U32, celt), RESULT(ELEMENTS, rg_var), RESULT(U32, p_celt_fetched)),
    METHOD(4, "Skip", ARG(U32, celt)),
    METHOD(5, "Reset", NO_PARAMS),
    METHOD(6, "Clone", RESULT(OBJECT, pp_enum)),
};

const e_guid_t idispatch_iid = DCOM_IID(0x00020400), iremunknown_iid = DCOM_IID(0x00000131),
               iremunknown2_iid = DCOM_IID(0x00000143), iremotescmactivator_iid = DCOM_IID(0x000001a0),
               iactivation_iid = { 0x4d9f4ab8, 0x7d1c, 0x11cf, { 0x86, 0x1e, 0x00, 0x20, 0xaf, 0x6e, 0x7c, 0x57 } };

/* All IIDs share what follows their first group, [MS-PLA] 1.9. */
/* clang-format off */
#define PLA_GUID_OF(first) { first, 0x098b, 0x11d8, { 0x94, 0x14, 0x50, 0x50, 0x54, 0x50, 0x30, 0x30 } }
#define METHODS(name) { name##_methods, (unsigned)array_length(name##_methods) }
/* clang-format on */
#define IFACE(name, short_name, methods, first, is_collector) \
    { \
#name, short_name, PLA_GUID_OF(first), is_collector, METHODS(methods) \
    }

const struct pla_interface pla_interfaces[PLA_NUM_INTERFACES] = {
    IFACE(IDataCollectorSet, "PLA Set", idatacollectorset, 0x03837520, false),
    IFACE(IDataManager, "PLA Manager", idatamanager, 0x03837541, false),
    IFACE(IFolderAction, "PLA Folder", ifolderaction, 0x03837543, false),
    IFACE(IFolderActionCollection, "PLA Folders", ifolderactioncollection, 0x03837544, false),
    IFACE(IDataCollector, "PLA Collector", idatacollector, 0x038374ff, false),
    IFACE(IPerformanceCounterDataCollector, "PLA Counters", iperformancecounterdatacollector, 0x03837506, true),
    IFACE(IConfigurationDataCollector, "PLA Config", iconfigurationdatacollector, 0x03837514, true),
    IFACE(IAlertDataCollector, "PLA Alert", ialertdatacollector, 0x03837516, true),
    IFACE(ITraceDataCollector, "PLA Trace", itracedatacollector, 0x0383750b, true),
    IFACE(IApiTracingDataCollector, "PLA ApiTrace", iapitracingdatacollector, 0x0383751a, true),
    IFACE(ITraceDataProvider, "PLA Provider", itracedataprovider, 0x03837512, false),
    IFACE(ISchedule, "PLA Schedule", ischedule, 0x0383753a, false),
    IFACE(ITraceDataProviderCollection, "PLA Providers", itracedataprovidercollection, 0x03837510, false),
    IFACE(IScheduleCollection, "PLA Schedules", ischedulecollection, 0x0383753d, false),
    IFACE(IDataCollectorCollection, "PLA Collectors", idatacollectorcollection, 0x03837502, false),
    IFACE(IDataCollectorSetCollection, "PLA Sets", idatacollectorsetcollection, 0x03837524, false),
    IFACE(IValueMapItem, "PLA Value", ivaluemapitem, 0x03837533, false),
    IFACE(IValueMap, "PLA Values", ivaluemap, 0x03837534, false),
    { "IEnumVARIANT", "IEnumVARIANT", DCOM_IID(0x00020404), false, METHODS(ienumvariant) },
};

static const struct pla_methods idispatch = METHODS(idispatch);
static const struct pla_methods idatacollector = METHODS(idatacollector);

const struct pla_interface pla_dispatch_interface = { "IDispatch", "IDispatch", DCOM_IID(0x00020400), false,
    METHODS(idispatch) };

/* [MS-PLA] 3.2.1 lists the eight categories, the Windows SDK the others. */
const struct pla_class pla_classes[] = {
    { PLA_GUID_OF(0x03837521), "DataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837525), "DataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x0383751c), "TraceSession", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837530), "TraceSessionCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837531), "ServerDataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837532), "ServerDataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837546), "SystemDataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837547), "SystemDataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837538), "BootTraceSession", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837539), "BootTraceSessionCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837526), "LegacyDataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837527), "LegacyDataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837528), "LegacyTraceSession", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837529), "LegacyTraceSessionCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837513), "TraceDataProvider", "ITraceDataProvider" },
    { PLA_GUID_OF(0x03837511), "TraceDataProviderCollection", "ITraceDataProviderCollection" },
};
const unsigned pla_num_classes = array_length(pla_classes);

const struct pla_interface *
pla_find_interface(const e_guid_t *iid)
{
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        if (guid_cmp(&pla_interfaces[i].iid, iid) == 0) {
            return &pla_interfaces[i];
        }
    }
    return NULL;
}

const struct pla_interface *
pla_interface_named(const char *name)
{
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        if (strcmp(pla_interfaces[i].name, name) == 0) {
            return &pla_interfaces[i];
        }
    }
    return NULL;
}

/* What a member returns, [MS-PLA] Appendix A: needed where a script calls it by name and gets an IDispatch. */
static const struct {
    const char *of; /* an interface; NULL: any that has the member */
    const char *member;
    const char *returned;
} returned_interfaces[] = {
    { "IDataCollectorCollection", "Item", "IDataCollector" },
    { "IDataCollectorSetCollection", "Item", "IDataCollectorSet" },
    { "IFolderActionCollection", "Item", "IFolderAction" },
    { "IScheduleCollection", "Item", "ISchedule" },
    { "ITraceDataProviderCollection", "Item", "ITraceDataProvider" },
    { "IValueMap", "Item", "IValueMapItem" },
    { NULL, "DataCollectors", "IDataCollectorCollection" },
    { NULL, "DataCollectorSet", "IDataCollectorSet" },
    { NULL, "DataManager", "IDataManager" },
    { NULL, "FolderActions", "IFolderActionCollection" },
    { NULL, "Schedules", "IScheduleCollection" },
    { NULL, "TraceDataProviders", "ITraceDataProviderCollection" },
    { NULL, "Level", "IValueMap" },
    { NULL, "KeywordsAny", "IValueMap" },
    { NULL, "KeywordsAll", "IValueMap" },
    { NULL, "Properties", "IValueMap" },
    { NULL, "GetRegisteredProcesses", "IValueMap" },
    { NULL, "Commit", "IValueMap" },
    { NULL, "SetXml", "IValueMap" },
    { NULL, "Run", "IValueMap" },
    { NULL, "CreateDataCollector", "IDataCollector" },
    { NULL, "CreateDataCollectorFromXml", "IDataCollector" },
    { NULL, "CreateFolderAction", "IFolderAction" },
    { NULL, "CreateSchedule", "ISchedule" },
    { NULL, "CreateTraceDataProvider", "ITraceDataProvider" },
    { NULL, "CreateValueMapItem", "IValueMapItem" },
    { NULL, "_NewEnum", "IEnumVARIANT" },
};

const struct pla_interface *
pla_interface_returned(const struct pla_interface *iface, const char *member)
{
    for (size_t i = 0; i < array_length(returned_interfaces); i++) {
        const char *const of = returned_interfaces[i].of;

        if (g_ascii_strcasecmp(returned_interfaces[i].member, member) == 0 &&
            (of == NULL || strcmp(of, iface->name) == 0)) {
            return pla_interface_named(returned_interfaces[i].returned);
        }
    }
    return NULL;
}

bool
pla_is_enumerator(const struct pla_interface *iface)
{
    return iface->own.methods == ienumvariant_methods;
}

bool
pla_is_collector_set(const struct pla_interface *iface)
{
    return iface != NULL && iface->own.methods == idatacollectorset_methods;
}

static const struct pla_method *
pla_method_find(const struct pla_methods *methods, uint16_t opnum)
{
    /* Of a number below the first it is beyond all. */
    const unsigned index = (unsigned)opnum - methods->methods[0].opnum;

    return index < methods->count ? &methods->methods[index] : NULL;
}

const struct pla_method *
pla_find_method(const struct pla_interface *iface, uint16_t opnum)
{
    const struct pla_method *method = pla_method_find(&iface->own, opnum);

    if (method == NULL) {
        method = pla_method_find(&idispatch, opnum);
    }
    if (method == NULL && iface->is_collector) {
        method = pla_method_find(&idatacollector, opnum);
    }
    return method;
}

unsigned
pla_num_opnums(const struct pla_interface *iface)
{
    return iface->own.methods[iface->own.count - 1].opnum + 1u;
}

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
pla_methods_register(int proto)
{
#define BIT_HF(enumeration, bit, mask, idl_name, blurb) \
    { &hf_##enumeration##_##bit, { idl_name, "pla." #enumeration "." #bit, FT_BOOLEAN, 32, NULL, mask, blurb, HFILL } },
#define FIELD_HF(filter, idl_name, ftype, display, enumeration, unit, zero, what, blurb) \
    { &field_##filter.hf, { idl_name, "pla." #filter, FT_##ftype, display, NULL, 0, blurb, HFILL } },
    static hf_register_info hf[] = {
        PLA_BITS(BIT_HF) PLA_FIELDS(
            FIELD_HF){ &field_key_of_value.hf, { "key", "pla.key", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
}
