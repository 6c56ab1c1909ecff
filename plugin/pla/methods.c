/* methods.c
 * Tables of [MS-PLA]: methods and parameters
 *
 * Filter names follow one rule: the property's name for property methods, else the parameter's name, in snake_case. If
 * values of different kinds get the same name, the field's type fits all of them (a VARIANT is shown as text). The only
 * exception is the interface pointer "Actions" of IFolderActionCollection::AddRange, since there is also an enumeration
 * "Actions".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/method-table.h"

/* Fields of parameters */
static int hf_pla_data_collectors = -1;
static int hf_pla_duration = -1;
static int hf_pla_description = -1;
static int hf_pla_description_unresolved = -1;
static int hf_pla_display_name = -1;
static int hf_pla_display_name_unresolved = -1;
static int hf_pla_keywords = -1;
static int hf_pla_latest_output_location = -1;
static int hf_pla_name = -1;
static int hf_pla_output_location = -1;
static int hf_pla_root_path = -1;
static int hf_pla_segment = -1;
static int hf_pla_segment_max_duration = -1;
static int hf_pla_segment_max_size = -1;
static int hf_pla_serial_number = -1;
static int hf_pla_server = -1;
static int hf_pla_status = -1;
static int hf_pla_subdirectory = -1;
static int hf_pla_subdirectory_format = -1;
static int hf_pla_subdirectory_format_pattern = -1;
static int hf_pla_task = -1;
static int hf_pla_task_run_as_self = -1;
static int hf_pla_task_arguments = -1;
static int hf_pla_task_user_text_arguments = -1;
static int hf_pla_schedules = -1;
static int hf_pla_schedules_enabled = -1;
static int hf_pla_user_account = -1;
static int hf_pla_xml = -1;
static int hf_pla_security = -1;
static int hf_pla_stop_on_completion = -1;
static int hf_pla_data_manager = -1;
static int hf_pla_user = -1;
static int hf_pla_password = -1;
static int hf_pla_mode = -1;
static int hf_pla_validation = -1;
static int hf_pla_synchronous = -1;
static int hf_pla_key = -1;
static int hf_pla_value = -1;
static int hf_pla_enabled = -1;
static int hf_pla_check_before_running = -1;
static int hf_pla_min_free_disk = -1;
static int hf_pla_max_size = -1;
static int hf_pla_max_folder_count = -1;
static int hf_pla_resource_policy = -1;
static int hf_pla_folder_actions = -1;
static int hf_pla_report_schema = -1;
static int hf_pla_report_file_name = -1;
static int hf_pla_rule_target_file_name = -1;
static int hf_pla_events_file_name = -1;
static int hf_pla_rules = -1;
static int hf_pla_steps = -1;
static int hf_pla_bstr_folder = -1;
static int hf_pla_errors = -1;
static int hf_pla_cab_filename = -1;
static int hf_pla_destination_path = -1;
static int hf_pla_age = -1;
static int hf_pla_size = -1;
static int hf_pla_actions = -1;
static int hf_pla_send_cab_to = -1;
static int hf_pla_count = -1;
static int hf_pla_index = -1;
static int hf_pla_item = -1;
static int hf_pla_new_enum = -1;
static int hf_pla_actions_object = -1;
static int hf_pla_action = -1;
static int hf_pla_folder_action = -1;
static int hf_pla_data_collector_set = -1;
static int hf_pla_data_collector_type = -1;
static int hf_pla_file_name = -1;
static int hf_pla_file_name_format = -1;
static int hf_pla_file_name_format_pattern = -1;
static int hf_pla_log_append = -1;
static int hf_pla_log_circular = -1;
static int hf_pla_log_overwrite = -1;
static int hf_pla_data_source_name = -1;
static int hf_pla_performance_counters = -1;
static int hf_pla_log_file_format = -1;
static int hf_pla_sample_interval = -1;
static int hf_pla_segment_max_records = -1;
static int hf_pla_file_max_count = -1;
static int hf_pla_file_max_recursive_depth = -1;
static int hf_pla_file_max_total_size = -1;
static int hf_pla_files = -1;
static int hf_pla_management_queries = -1;
static int hf_pla_query_network_adapters = -1;
static int hf_pla_registry_keys = -1;
static int hf_pla_registry_max_recursive_depth = -1;
static int hf_pla_system_state_file = -1;
static int hf_pla_alert_thresholds = -1;
static int hf_pla_event_log = -1;
static int hf_pla_trigger_data_collector_set = -1;
static int hf_pla_guid = -1;
static int hf_pla_level = -1;
static int hf_pla_keywords_any = -1;
static int hf_pla_keywords_all = -1;
static int hf_pla_properties = -1;
static int hf_pla_filter_enabled = -1;
static int hf_pla_filter_type = -1;
static int hf_pla_filter_data = -1;
static int hf_pla_bstr_name = -1;
static int hf_pla_bstr_server = -1;
static int hf_pla_p_from = -1;
static int hf_pla_sddl = -1;
static int hf_pla_security_info = -1;
static int hf_pla_processes = -1;
static int hf_pla_start_date = -1;
static int hf_pla_end_date = -1;
static int hf_pla_start_time = -1;
static int hf_pla_days = -1;
static int hf_pla_p_provider = -1;
static int hf_pla_v_provider = -1;
static int hf_pla_providers = -1;
static int hf_pla_provider = -1;
static int hf_pla_pid = -1;
static int hf_pla_p_schedule = -1;
static int hf_pla_v_schedule = -1;
static int hf_pla_p_schedules = -1;
static int hf_pla_schedule = -1;
static int hf_pla_collector = -1;
static int hf_pla_collectors = -1;
static int hf_pla_bstr_xml = -1;
static int hf_pla_p_validation = -1;
static int hf_pla_p_collector = -1;
static int hf_pla_type = -1;
static int hf_pla_set = -1;
static int hf_pla_sets = -1;
static int hf_pla_filter = -1;
static int hf_pla_value_map_type = -1;
static int hf_pla_map = -1;
/* parameter Key of SetValue and GetValue; other keys (hf_pla_key) are the name of the called object */
static int hf_pla_key_of_value = -1;

static const struct pla_field values[] = {
    { &hf_pla_duration, NULL, "s", "no limit", PLA_PLAIN, NULL },
    { &hf_pla_name, NULL, NULL, NULL, PLA_LABEL, NULL },
    { &hf_pla_segment_max_duration, NULL, "s", "no limit", PLA_PLAIN, NULL },
    { &hf_pla_segment_max_size, NULL, "MB", "no limit", PLA_PLAIN, NULL },
    { &hf_pla_status, &pla_data_collector_set_status, NULL, NULL, PLA_STATUS, NULL },
    { &hf_pla_subdirectory_format, &pla_auto_path_format, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_subdirectory_format_pattern, NULL, NULL, NULL, PLA_PATTERN, NULL },
    { &hf_pla_xml, NULL, NULL, NULL, PLA_XML, NULL },
    { &hf_pla_security, NULL, NULL, NULL, PLA_ACCESS, NULL },
    { &hf_pla_password, NULL, NULL, NULL, PLA_SECRET, NULL },
    { &hf_pla_mode, &pla_commit_mode, NULL, NULL, PLA_COMMIT_MODE, NULL },
    { &hf_pla_keywords_any, NULL, NULL, NULL, PLA_KEYWORDS, NULL },
    { &hf_pla_keywords_all, NULL, NULL, NULL, PLA_KEYWORDS, NULL },
    { &hf_pla_validation, NULL, NULL, NULL, PLA_VALIDATION, NULL },
    { &hf_pla_synchronous, NULL, NULL, NULL, PLA_WAITS, NULL },
    { &hf_pla_key, NULL, NULL, NULL, PLA_LABEL, NULL },
    { &hf_pla_value, NULL, NULL, NULL, PLA_VALUE, NULL },
    { &hf_pla_min_free_disk, NULL, "MB", "no limit", PLA_PLAIN, NULL },
    { &hf_pla_max_size, NULL, "MB", "no limit", PLA_PLAIN, NULL },
    { &hf_pla_max_folder_count, NULL, NULL, "no limit", PLA_PLAIN, NULL },
    { &hf_pla_resource_policy, &pla_resource_policy, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_report_schema, NULL, NULL, NULL, PLA_XML, NULL },
    { &hf_pla_rules, NULL, NULL, NULL, PLA_XML, NULL },
    { &hf_pla_steps, &pla_data_manager_steps, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_errors, NULL, NULL, NULL, PLA_VALIDATION, NULL },
    { &hf_pla_cab_filename, NULL, NULL, NULL, PLA_SERVER_FILE, NULL },
    { &hf_pla_destination_path, NULL, NULL, NULL, PLA_SERVER_FILE, NULL },
    { &hf_pla_age, NULL, "days", NULL, PLA_PLAIN, NULL },
    { &hf_pla_size, NULL, "MB", "any size", PLA_PLAIN, NULL },
    { &hf_pla_actions, &pla_folder_action_steps, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_index, NULL, NULL, NULL, PLA_INDEX, NULL },
    { &hf_pla_data_collector_type, &pla_data_collector_type, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_file_name_format, &pla_auto_path_format, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_file_name_format_pattern, NULL, NULL, NULL, PLA_PATTERN, NULL },
    { &hf_pla_performance_counters, NULL, NULL, NULL, PLA_PATHS, NULL },
    { &hf_pla_log_file_format, &pla_file_format, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_sample_interval, NULL, "s", NULL, PLA_INTERVAL, NULL },
    { &hf_pla_segment_max_records, NULL, NULL, "no limit", PLA_PLAIN, NULL },
    { &hf_pla_file_max_count, NULL, NULL, "no limit", PLA_PLAIN, NULL },
    { &hf_pla_file_max_total_size, NULL, "MB", "no limit", PLA_PLAIN, NULL },
    { &hf_pla_alert_thresholds, NULL, NULL, NULL, PLA_THRESHOLDS, NULL },
    { &hf_pla_bstr_name, NULL, NULL, NULL, PLA_LABEL, NULL },
    { &hf_pla_sddl, NULL, NULL, NULL, PLA_ACCESS, NULL },
    { &hf_pla_security_info, &pla_security_info, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_start_date, NULL, NULL, NULL, PLA_DATE, NULL },
    { &hf_pla_end_date, NULL, NULL, NULL, PLA_DATE, NULL },
    { &hf_pla_start_time, NULL, NULL, NULL, PLA_TIME, NULL },
    { &hf_pla_days, &pla_week_days, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_bstr_xml, NULL, NULL, NULL, PLA_XML, NULL },
    { &hf_pla_p_validation, NULL, NULL, NULL, PLA_VALIDATION, NULL },
    { &hf_pla_type, &pla_data_collector_type, NULL, NULL, PLA_TYPE, NULL },
    { &hf_pla_value_map_type, &pla_value_map_type, NULL, NULL, PLA_PLAIN, NULL },
};

/*
 * Methods with which every collection begins. Collections differ in the type of the count and in the parameters of Add,
 * Remove and AddRange.
 */
#define COLLECTION(number, added, removed, range) \
    GET(7, "Count", number, hf_pla_count), \
        METHOD(8, "Item (Get)", ARG(VARIANT, hf_pla_index), RESULT(OBJECT, hf_pla_item)), \
        GET(9, "_NewEnum", OBJECT, hf_pla_new_enum), METHOD(10, "Add", ARG(OBJECT, added)), \
        METHOD(11, "Remove", ARG(VARIANT, removed)), METHOD(12, "Clear", NO_PARAMS), \
        METHOD(13, "AddRange", ARG(OBJECT, range))

static const struct pla_method idatacollectorset_methods[] = {
    GET(7, "DataCollectors", OBJECT, hf_pla_data_collectors),
    PROPERTY(8, "Duration", U32, hf_pla_duration),
    PROPERTY(10, "Description", BSTR, hf_pla_description),
    GET(12, "DescriptionUnresolved", BSTR, hf_pla_description_unresolved),
    PROPERTY(13, "DisplayName", BSTR, hf_pla_display_name),
    GET(15, "DisplayNameUnresolved", BSTR, hf_pla_display_name_unresolved),
    PROPERTY(16, "Keywords", STRINGS, hf_pla_keywords),
    PROPERTY(18, "LatestOutputLocation", BSTR, hf_pla_latest_output_location),
    GET(20, "Name", BSTR, hf_pla_name),
    GET(21, "OutputLocation", BSTR, hf_pla_output_location),
    PROPERTY(22, "RootPath", BSTR, hf_pla_root_path),
    PROPERTY(24, "Segment", BOOL, hf_pla_segment),
    PROPERTY(26, "SegmentMaxDuration", U32, hf_pla_segment_max_duration),
    PROPERTY(28, "SegmentMaxSize", U32, hf_pla_segment_max_size),
    PROPERTY(30, "SerialNumber", U32, hf_pla_serial_number),
    GET(32, "Server", BSTR, hf_pla_server),
    GET(33, "Status", ENUM, hf_pla_status),
    PROPERTY(34, "Subdirectory", BSTR, hf_pla_subdirectory),
    PROPERTY(36, "SubdirectoryFormat", ENUM, hf_pla_subdirectory_format),
    PROPERTY(38, "SubdirectoryFormatPattern", BSTR, hf_pla_subdirectory_format_pattern),
    PROPERTY(40, "Task", BSTR, hf_pla_task),
    PROPERTY(42, "TaskRunAsSelf", BOOL, hf_pla_task_run_as_self),
    PROPERTY(44, "TaskArguments", BSTR, hf_pla_task_arguments),
    PROPERTY(46, "TaskUserTextArguments", BSTR, hf_pla_task_user_text_arguments),
    GET(48, "Schedules", OBJECT, hf_pla_schedules),
    PROPERTY(49, "SchedulesEnabled", BOOL, hf_pla_schedules_enabled),
    GET(51, "UserAccount", BSTR, hf_pla_user_account),
    GET(52, "Xml", BSTR, hf_pla_xml),
    PROPERTY(53, "Security", BSTR, hf_pla_security),
    PROPERTY(55, "StopOnCompletion", BOOL, hf_pla_stop_on_completion),
    GET(57, "DataManager", OBJECT, hf_pla_data_manager),
    METHOD(58, "SetCredentials", ARG(BSTR, hf_pla_user), ARG(BSTR, hf_pla_password)),
    METHOD(59, "Query", ARG(BSTR, hf_pla_name), ARG(BSTR, hf_pla_server)),
    METHOD(60, "Commit", ARG(BSTR, hf_pla_name), ARG(BSTR, hf_pla_server), ARG(ENUM, hf_pla_mode),
        RESULT(OBJECT, hf_pla_validation)),
    METHOD(61, "Delete", NO_PARAMS),
    METHOD(62, "Start", ARG(BOOL, hf_pla_synchronous)),
    METHOD(63, "Stop", ARG(BOOL, hf_pla_synchronous)),
    METHOD(64, "SetXml", ARG(BSTR, hf_pla_xml), RESULT(OBJECT, hf_pla_validation)),
    METHOD(65, "SetValue", ARG(BSTR, hf_pla_key_of_value), ARG(BSTR, hf_pla_value)),
    METHOD(66, "GetValue", ARG(BSTR, hf_pla_key_of_value), RESULT(BSTR, hf_pla_value)),
};

static const struct pla_method idatamanager_methods[] = {
    PROPERTY(7, "Enabled", BOOL, hf_pla_enabled),
    PROPERTY(9, "CheckBeforeRunning", BOOL, hf_pla_check_before_running),
    PROPERTY(11, "MinFreeDisk", U32, hf_pla_min_free_disk),
    PROPERTY(13, "MaxSize", U32, hf_pla_max_size),
    PROPERTY(15, "MaxFolderCount", U32, hf_pla_max_folder_count),
    PROPERTY(17, "ResourcePolicy", ENUM, hf_pla_resource_policy),
    GET(19, "FolderActions", OBJECT, hf_pla_folder_actions),
    PROPERTY(20, "ReportSchema", BSTR, hf_pla_report_schema),
    PROPERTY(22, "ReportFileName", BSTR, hf_pla_report_file_name),
    PROPERTY(24, "RuleTargetFileName", BSTR, hf_pla_rule_target_file_name),
    PROPERTY(26, "EventsFileName", BSTR, hf_pla_events_file_name),
    PROPERTY(28, "Rules", BSTR, hf_pla_rules),
    METHOD(30, "Run", ARG(ENUM, hf_pla_steps), ARG(BSTR, hf_pla_bstr_folder), RESULT(OBJECT, hf_pla_errors)),
    METHOD(31, "Extract", ARG(BSTR, hf_pla_cab_filename), ARG(BSTR, hf_pla_destination_path)),
};

static const struct pla_method ifolderaction_methods[] = {
    PROPERTY(7, "Age", U32, hf_pla_age),
    PROPERTY(9, "Size", U32, hf_pla_size),
    PROPERTY(11, "Actions", ENUM, hf_pla_actions),
    PROPERTY(13, "SendCabTo", BSTR, hf_pla_send_cab_to),
};

static const struct pla_method ifolderactioncollection_methods[] = {
    COLLECTION(U32, hf_pla_action, hf_pla_index, hf_pla_actions_object),
    METHOD(14, "CreateFolderAction", RESULT(OBJECT, hf_pla_folder_action)),
};

static const struct pla_method idatacollector_methods[] = {
    GET(7, "DataCollectorSet", OBJECT, hf_pla_data_collector_set),
    LOCAL(8, "put_DataCollectorSet"),
    GET(9, "DataCollectorType", ENUM, hf_pla_data_collector_type),
    PROPERTY(10, "FileName", BSTR, hf_pla_file_name),
    PROPERTY(12, "FileNameFormat", ENUM, hf_pla_file_name_format),
    PROPERTY(14, "FileNameFormatPattern", BSTR, hf_pla_file_name_format_pattern),
    PROPERTY(16, "LatestOutputLocation", BSTR, hf_pla_latest_output_location),
    PROPERTY(18, "LogAppend", BOOL, hf_pla_log_append),
    PROPERTY(20, "LogCircular", BOOL, hf_pla_log_circular),
    PROPERTY(22, "LogOverwrite", BOOL, hf_pla_log_overwrite),
    PROPERTY(24, "Name", BSTR, hf_pla_name),
    GET(26, "OutputLocation", BSTR, hf_pla_output_location),
    GET(27, "Index", I32, hf_pla_index),
    LOCAL(28, "put_Index"),
    GET(29, "Xml", BSTR, hf_pla_xml),
    METHOD(30, "SetXml", ARG(BSTR, hf_pla_xml), RESULT(OBJECT, hf_pla_validation)),
    LOCAL(31, "CreateOutputLocation"),
};

static const struct pla_method iperformancecounterdatacollector_methods[] = {
    PROPERTY(32, "DataSourceName", BSTR, hf_pla_data_source_name),
    PROPERTY(34, "PerformanceCounters", STRINGS, hf_pla_performance_counters),
    PROPERTY(36, "LogFileFormat", ENUM, hf_pla_log_file_format),
    PROPERTY(38, "SampleInterval", U32, hf_pla_sample_interval),
    PROPERTY(40, "SegmentMaxRecords", U32, hf_pla_segment_max_records),
};

static const struct pla_method iconfigurationdatacollector_methods[] = {
    PROPERTY(32, "FileMaxCount", U32, hf_pla_file_max_count),
    PROPERTY(34, "FileMaxRecursiveDepth", U32, hf_pla_file_max_recursive_depth),
    PROPERTY(36, "FileMaxTotalSize", U32, hf_pla_file_max_total_size),
    PROPERTY(38, "Files", STRINGS, hf_pla_files),
    PROPERTY(40, "ManagementQueries", STRINGS, hf_pla_management_queries),
    PROPERTY(42, "QueryNetworkAdapters", BOOL, hf_pla_query_network_adapters),
    PROPERTY(44, "RegistryKeys", STRINGS, hf_pla_registry_keys),
    PROPERTY(46, "RegistryMaxRecursiveDepth", U32, hf_pla_registry_max_recursive_depth),
    PROPERTY(48, "SystemStateFile", BSTR, hf_pla_system_state_file),
};

static const struct pla_method ialertdatacollector_methods[] = {
    PROPERTY(32, "AlertThresholds", STRINGS, hf_pla_alert_thresholds),
    PROPERTY(34, "EventLog", BOOL, hf_pla_event_log),
    PROPERTY(36, "SampleInterval", U32, hf_pla_sample_interval),
    PROPERTY(38, "Task", BSTR, hf_pla_task),
    PROPERTY(40, "TaskRunAsSelf", BOOL, hf_pla_task_run_as_self),
    PROPERTY(42, "TaskArguments", BSTR, hf_pla_task_arguments),
    PROPERTY(44, "TaskUserTextArguments", BSTR, hf_pla_task_user_text_arguments),
    PROPERTY(46, "TriggerDataCollectorSet", BSTR, hf_pla_trigger_data_collector_set),
};

static const struct pla_method itracedataprovider_methods[] = {
    PROPERTY(7, "DisplayName", BSTR, hf_pla_display_name),
    PROPERTY(9, "Guid", GUID, hf_pla_guid),
    GET(11, "Level", OBJECT, hf_pla_level),
    GET(12, "KeywordsAny", OBJECT, hf_pla_keywords_any),
    GET(13, "KeywordsAll", OBJECT, hf_pla_keywords_all),
    GET(14, "Properties", OBJECT, hf_pla_properties),
    PROPERTY(15, "FilterEnabled", BOOL, hf_pla_filter_enabled),
    PROPERTY(17, "FilterType", U32, hf_pla_filter_type),
    PROPERTY(19, "FilterData", BYTES, hf_pla_filter_data),
    METHOD(21, "Query", ARG(BSTR, hf_pla_bstr_name), ARG(BSTR, hf_pla_bstr_server)),
    METHOD(22, "Resolve", ARG(OBJECT, hf_pla_p_from)),
    METHOD(23, "SetSecurity", ARG(BSTR, hf_pla_sddl)),
    METHOD(24, "GetSecurity", ARG(U32, hf_pla_security_info), RESULT(BSTR, hf_pla_sddl)),
    METHOD(25, "GetRegisteredProcesses", RESULT(OBJECT, hf_pla_processes)),
};

static const struct pla_method ischedule_methods[] = {
    PROPERTY(7, "StartDate", VARIANT, hf_pla_start_date),
    PROPERTY(9, "EndDate", VARIANT, hf_pla_end_date),
    PROPERTY(11, "StartTime", VARIANT, hf_pla_start_time),
    PROPERTY(13, "Days", ENUM, hf_pla_days),
};

static const struct pla_method itracedataprovidercollection_methods[] = {
    COLLECTION(I32, hf_pla_p_provider, hf_pla_v_provider, hf_pla_providers),
    METHOD(14, "CreateTraceDataProvider", RESULT(OBJECT, hf_pla_provider)),
    METHOD(15, "GetTraceDataProviders", ARG(BSTR, hf_pla_server)),
    METHOD(16, "GetTraceDataProvidersByProcess", ARG(BSTR, hf_pla_server), ARG(U32, hf_pla_pid)),
};

static const struct pla_method ischedulecollection_methods[] = {
    COLLECTION(I32, hf_pla_p_schedule, hf_pla_v_schedule, hf_pla_p_schedules),
    METHOD(14, "CreateSchedule", RESULT(OBJECT, hf_pla_schedule)),
};

static const struct pla_method idatacollectorcollection_methods[] = {
    COLLECTION(I32, hf_pla_collector, hf_pla_collector, hf_pla_collectors),
    METHOD(14, "CreateDataCollectorFromXml", ARG(BSTR, hf_pla_bstr_xml), RESULT(OBJECT, hf_pla_p_validation),
        RESULT(OBJECT, hf_pla_p_collector)),
    METHOD(15, "CreateDataCollector", ARG(ENUM, hf_pla_type), RESULT(OBJECT, hf_pla_collector)),
};

static const struct pla_method idatacollectorsetcollection_methods[] = {
    COLLECTION(I32, hf_pla_set, hf_pla_set, hf_pla_sets),
    METHOD(14, "GetDataCollectorSets", ARG(BSTR, hf_pla_server), ARG(BSTR, hf_pla_filter)),
};

static const struct pla_method ivaluemapitem_methods[] = {
    PROPERTY(7, "Description", BSTR, hf_pla_description),
    PROPERTY(9, "Enabled", BOOL, hf_pla_enabled),
    PROPERTY(11, "Key", BSTR, hf_pla_key),
    PROPERTY(13, "Value", VARIANT, hf_pla_value),
    PROPERTY(15, "ValueMapType", ENUM, hf_pla_value_map_type),
};

static const struct pla_method ivaluemap_methods[] = {
    GET(7, "Count", I32, hf_pla_count),
    METHOD(8, "Item (Get)", ARG(VARIANT, hf_pla_index), RESULT(OBJECT, hf_pla_item)),
    GET(9, "_NewEnum", OBJECT, hf_pla_new_enum),
    PROPERTY(10, "Description", BSTR, hf_pla_description),
    PROPERTY(12, "Value", VARIANT, hf_pla_value),
    PROPERTY(14, "ValueMapType", ENUM, hf_pla_value_map_type),
    METHOD(16, "Add", ARG(VARIANT, hf_pla_value)),
    METHOD(17, "Remove", ARG(VARIANT, hf_pla_value)),
    METHOD(18, "Clear", NO_PARAMS),
    METHOD(19, "AddRange", ARG(OBJECT, hf_pla_map)),
    METHOD(20, "CreateValueMapItem", RESULT(OBJECT, hf_pla_item)),
};

const e_guid_t idispatch_iid = DCOM_IID(0x00020400), iremunknown_iid = DCOM_IID(0x00000131),
               iremunknown2_iid = DCOM_IID(0x00000143), iremotescmactivator_iid = DCOM_IID(0x000001a0),
               iactivation_iid = { 0x4d9f4ab8, 0x7d1c, 0x11cf, { 0x86, 0x1e, 0x00, 0x20, 0xaf, 0x6e, 0x7c, 0x57 } },
               iobjectexporter_iid = { 0x99fcfec4, 0x5260, 0x101b, { 0xbb, 0xcb, 0x00, 0xaa, 0x00, 0x21, 0x34, 0x7a } };

/* clang-format off */
#define METHODS(name) { name##_methods, (unsigned)array_length(name##_methods) }
/* clang-format on */
#define IFACE(name, short_name, methods, first, kind) \
    { \
#name, short_name, PLA_GUID_OF(first), PLA_KIND_##kind, METHODS(methods) \
    }

const struct pla_interface pla_interfaces[PLA_NUM_INTERFACES] = {
    IFACE(IDataCollectorSet, "PLA Set", idatacollectorset, 0x03837520, SET),
    IFACE(IDataManager, "PLA Manager", idatamanager, 0x03837541, OTHER),
    IFACE(IFolderAction, "PLA Folder", ifolderaction, 0x03837543, OTHER),
    IFACE(IFolderActionCollection, "PLA Folders", ifolderactioncollection, 0x03837544, COLLECTION),
    IFACE(IDataCollector, "PLA Collector", idatacollector, 0x038374ff, OTHER),
    IFACE(IPerformanceCounterDataCollector, "PLA Counters", iperformancecounterdatacollector, 0x03837506, COLLECTOR),
    IFACE(IConfigurationDataCollector, "PLA Config", iconfigurationdatacollector, 0x03837514, COLLECTOR),
    IFACE(IAlertDataCollector, "PLA Alert", ialertdatacollector, 0x03837516, COLLECTOR),
    IFACE(ITraceDataCollector, "PLA Trace", pla_itracedatacollector, 0x0383750b, COLLECTOR),
    IFACE(IApiTracingDataCollector, "PLA ApiTrace", pla_iapitracingdatacollector, 0x0383751a, COLLECTOR),
    IFACE(ITraceDataProvider, "PLA Provider", itracedataprovider, 0x03837512, OTHER),
    IFACE(ISchedule, "PLA Schedule", ischedule, 0x0383753a, OTHER),
    IFACE(ITraceDataProviderCollection, "PLA Providers", itracedataprovidercollection, 0x03837510, COLLECTION),
    IFACE(IScheduleCollection, "PLA Schedules", ischedulecollection, 0x0383753d, COLLECTION),
    IFACE(IDataCollectorCollection, "PLA Collectors", idatacollectorcollection, 0x03837502, COLLECTION),
    IFACE(IDataCollectorSetCollection, "PLA Sets", idatacollectorsetcollection, 0x03837524, COLLECTION),
    IFACE(IValueMapItem, "PLA Value", ivaluemapitem, 0x03837533, OTHER),
    IFACE(IValueMap, "PLA Values", ivaluemap, 0x03837534, OTHER),
    { "IEnumVARIANT", "IEnumVARIANT", DCOM_IID(0x00020404), PLA_KIND_ENUMERATOR, METHODS(pla_ienumvariant) },
};

const struct pla_interface pla_dispatch_interface = { "IDispatch", "IDispatch", DCOM_IID(0x00020400), PLA_KIND_OTHER,
    METHODS(pla_idispatch) };

struct pla_field
pla_field_of(const int *hf)
{
    static const struct {
        const struct pla_field *values;
        size_t count;
    } tables[] = { { values, array_length(values) }, { pla_oaut_values, array_length(pla_oaut_values) },
        { pla_trace_values, array_length(pla_trace_values) } };
    struct pla_field field = { .hf = hf };

    for (size_t i = 0; i < array_length(tables); i++) {
        for (size_t k = 0; k < tables[i].count; k++) {
            if (tables[i].values[k].hf == hf) {
                field = tables[i].values[k];
            }
        }
    }
    field.name = proto_registrar_get_nth((unsigned)*hf)->name;
    return field;
}

void
pla_methods_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_data_collectors,
            { "DataCollectors", "pla.data_collectors", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the data collectors of the set", HFILL } },
        { &hf_pla_duration,
            { "Duration", "pla.duration", FT_UINT32, BASE_DEC, NULL, 0,
                "How long the set runs, in seconds; 0 is no limit", HFILL } },
        { &hf_pla_description,
            { "Description", "pla.description", FT_STRING, BASE_NONE, NULL, 0,
                "Description of the set, or of an item in a value map", HFILL } },
        { &hf_pla_description_unresolved,
            { "DescriptionUnresolved", "pla.description_unresolved", FT_STRING, BASE_NONE, NULL, 0,
                "Description before its resource string (@DLL,-ID) was resolved", HFILL } },
        { &hf_pla_display_name,
            { "DisplayName", "pla.display_name", FT_STRING, BASE_NONE, NULL, 0,
                "Name that tools show for the set or provider", HFILL } },
        { &hf_pla_display_name_unresolved,
            { "DisplayNameUnresolved", "pla.display_name_unresolved", FT_STRING, BASE_NONE, NULL, 0,
                "Display name before its resource string (@DLL,-ID) was resolved", HFILL } },
        { &hf_pla_keywords,
            { "Keywords", "pla.keywords", FT_STRING, BASE_NONE, NULL, 0, "Keywords that describe the set", HFILL } },
        { &hf_pla_latest_output_location,
            { "LatestOutputLocation", "pla.latest_output_location", FT_STRING, BASE_NONE, NULL, 0,
                "Folder (of a set) or file (of a data collector) that the latest run wrote", HFILL } },
        { &hf_pla_name,
            { "Name", "pla.name", FT_STRING, BASE_NONE, NULL, 0, "Name of the data collector set or data collector",
                HFILL } },
        { &hf_pla_output_location,
            { "OutputLocation", "pla.output_location", FT_STRING, BASE_NONE, NULL, 0,
                "Folder (of a set) or file (of a data collector) that a run starting now would write", HFILL } },
        { &hf_pla_root_path,
            { "RootPath", "pla.root_path", FT_STRING, BASE_NONE, NULL, 0,
                "Folder that contains the output folders of the set", HFILL } },
        { &hf_pla_segment,
            { "Segment", "pla.segment", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether a new file is started when a file reaches its maximum duration or size", HFILL } },
        { &hf_pla_segment_max_duration,
            { "SegmentMaxDuration", "pla.segment_max_duration", FT_UINT32, BASE_DEC, NULL, 0,
                "Duration in seconds after which a new file is started; 0 is no limit", HFILL } },
        { &hf_pla_segment_max_size,
            { "SegmentMaxSize", "pla.segment_max_size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size in MB at which a new file is started; 0 is no limit", HFILL } },
        { &hf_pla_serial_number,
            { "SerialNumber", "pla.serial_number", FT_UINT32, BASE_DEC, NULL, 0,
                "Number that plaSerialNumber appends to the name of the subdirectory", HFILL } },
        { &hf_pla_server,
            { "Server", "pla.server", FT_STRING, BASE_NONE, NULL, 0,
                "Computer that has the data collector set or trace provider", HFILL } },
        { &hf_pla_status,
            { "Status", "pla.status", FT_UINT32, BASE_DEC, NULL, 0,
                "Whether the set is stopped, running, compiling, pending or undefined", HFILL } },
        { &hf_pla_subdirectory,
            { "Subdirectory", "pla.subdirectory", FT_STRING, BASE_NONE, NULL, 0,
                "Folder below RootPath that the set writes to", HFILL } },
        { &hf_pla_subdirectory_format,
            { "SubdirectoryFormat", "pla.subdirectory_format", FT_UINT32, BASE_HEX, NULL, 0,
                "Suffix of the subdirectory's name, such as the date or the serial number", HFILL } },
        { &hf_pla_subdirectory_format_pattern,
            { "SubdirectoryFormatPattern", "pla.subdirectory_format_pattern", FT_STRING, BASE_NONE, NULL, 0,
                "Pattern that plaPattern adds to the subdirectory's name", HFILL } },
        { &hf_pla_task,
            { "Task", "pla.task", FT_STRING, BASE_NONE, NULL, 0,
                "Scheduled task that starts when the set stops or when the alert is raised", HFILL } },
        { &hf_pla_task_run_as_self,
            { "TaskRunAsSelf", "pla.task_run_as_self", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the task runs as the user of the set instead of its own user", HFILL } },
        { &hf_pla_task_arguments,
            { "TaskArguments", "pla.task_arguments", FT_STRING, BASE_NONE, NULL, 0,
                "Arguments that are passed to the task", HFILL } },
        { &hf_pla_task_user_text_arguments,
            { "TaskUserTextArguments", "pla.task_user_text_arguments", FT_STRING, BASE_NONE, NULL, 0,
                "Text that replaces usertext (in braces) in the task's arguments", HFILL } },
        { &hf_pla_schedules,
            { "Schedules", "pla.schedules", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the schedules that start the set", HFILL } },
        { &hf_pla_schedules_enabled,
            { "SchedulesEnabled", "pla.schedules_enabled", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the schedules may start the set", HFILL } },
        { &hf_pla_user_account,
            { "UserAccount", "pla.user_account", FT_STRING, BASE_NONE, NULL, 0, "Account of the set", HFILL } },
        { &hf_pla_xml, { "Xml", "pla.xml", FT_STRING, BASE_NONE, NULL, 0, "The set or data collector as XML", HFILL } },
        { &hf_pla_security,
            { "Security", "pla.security", FT_STRING, BASE_NONE, NULL, 0,
                "Who may do what with the set, as text in SDDL", HFILL } },
        { &hf_pla_stop_on_completion,
            { "StopOnCompletion", "pla.stop_on_completion", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the set stops when all its data collectors have finished", HFILL } },
        { &hf_pla_data_manager,
            { "DataManager", "pla.data_manager", FT_STRING, BASE_NONE, NULL, 0,
                "Object that deletes old data of the set and makes its reports", HFILL } },
        { &hf_pla_user,
            { "user", "pla.user", FT_STRING, BASE_NONE, NULL, 0, "Account that the set will run as", HFILL } },
        { &hf_pla_password,
            { "password", "pla.password", FT_STRING, BASE_NONE, NULL, 0, "Password of that user", HFILL } },
        { &hf_pla_mode,
            { "mode", "pla.mode", FT_UINT32, BASE_HEX, NULL, 0,
                "Action of Commit: create, modify or update the set, or only validate it", HFILL } },
        { &hf_pla_validation,
            { "validation", "pla.validation", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the problems found in the set, by property", HFILL } },
        { &hf_pla_synchronous,
            { "Synchronous", "pla.synchronous", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the call waits until the set has started or stopped", HFILL } },
        { &hf_pla_key, { "key", "pla.key", FT_STRING, BASE_NONE, NULL, 0, "Name of a value", HFILL } },
        { &hf_pla_value,
            { "value", "pla.value", FT_STRING, BASE_NONE, NULL, 0, "Value that belongs to the key", HFILL } },
        { &hf_pla_enabled,
            { "Enabled", "pla.enabled", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the data manager or the item is switched on", HFILL } },
        { &hf_pla_check_before_running,
            { "CheckBeforeRunning", "pla.check_before_running", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether disk space is checked before the set starts", HFILL } },
        { &hf_pla_min_free_disk,
            { "MinFreeDisk", "pla.min_free_disk", FT_UINT32, BASE_DEC, NULL, 0,
                "Free disk space in MB that must be left; 0 is no limit", HFILL } },
        { &hf_pla_max_size,
            { "MaxSize", "pla.max_size", FT_UINT32, BASE_DEC, NULL, 0,
                "Maximum size of all folders of the set in MB; 0 is no limit", HFILL } },
        { &hf_pla_max_folder_count,
            { "MaxFolderCount", "pla.max_folder_count", FT_UINT32, BASE_DEC, NULL, 0,
                "Maximum number of folders of the set; 0 is no limit", HFILL } },
        { &hf_pla_resource_policy,
            { "ResourcePolicy", "pla.resource_policy", FT_UINT32, BASE_DEC, NULL, 0,
                "Which folders are deleted first when a limit is exceeded", HFILL } },
        { &hf_pla_folder_actions,
            { "FolderActions", "pla.folder_actions", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the actions on old folders", HFILL } },
        { &hf_pla_report_schema,
            { "ReportSchema", "pla.report_schema", FT_STRING, BASE_NONE, NULL, 0,
                "XML that customizes the report (tracerpt)", HFILL } },
        { &hf_pla_report_file_name,
            { "ReportFileName", "pla.report_file_name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the file for the HTML report", HFILL } },
        { &hf_pla_rule_target_file_name,
            { "RuleTargetFileName", "pla.rule_target_file_name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the XML report that the rules are applied to", HFILL } },
        { &hf_pla_events_file_name,
            { "EventsFileName", "pla.events_file_name", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the file for the events found by tracerpt", HFILL } },
        { &hf_pla_rules,
            { "Rules", "pla.rules", FT_STRING, BASE_NONE, NULL, 0, "XML with the rules that are applied to the report",
                HFILL } },
        { &hf_pla_steps,
            { "Steps", "pla.steps", FT_UINT32, BASE_HEX, NULL, 0, "Steps that the data manager is to run", HFILL } },
        { &hf_pla_bstr_folder,
            { "bstrFolder", "pla.bstr_folder", FT_STRING, BASE_NONE, NULL, 0,
                "Folder that the data manager is to work on", HFILL } },
        { &hf_pla_errors,
            { "Errors", "pla.errors", FT_STRING, BASE_NONE, NULL, 0, "Object with the problems that occurred, by step",
                HFILL } },
        { &hf_pla_cab_filename,
            { "CabFilename", "pla.cab_filename", FT_STRING, BASE_NONE, NULL, 0, "Cabinet file that is unpacked",
                HFILL } },
        { &hf_pla_destination_path,
            { "DestinationPath", "pla.destination_path", FT_STRING, BASE_NONE, NULL, 0,
                "Folder that the cabinet file is unpacked into", HFILL } },
        { &hf_pla_age,
            { "Age", "pla.age", FT_UINT32, BASE_DEC, NULL, 0, "Age in days at which the action applies to a folder",
                HFILL } },
        { &hf_pla_size,
            { "Size", "pla.size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size in MB at which the action applies to a folder; 0 is any size", HFILL } },
        { &hf_pla_actions,
            { "Actions", "pla.actions", FT_UINT32, BASE_HEX, NULL, 0,
                "Actions on the folder, such as deleting it or making a cabinet", HFILL } },
        { &hf_pla_send_cab_to,
            { "SendCabTo", "pla.send_cab_to", FT_STRING, BASE_NONE, NULL, 0, "Folder that the cabinet is sent to",
                HFILL } },
        { &hf_pla_count,
            { "Count", "pla.count", FT_INT64, BASE_DEC, NULL, 0, "Number of items in the collection", HFILL } },
        { &hf_pla_index, { "Index", "pla.index", FT_STRING, BASE_NONE, NULL, 0, "Number or key of an item", HFILL } },
        { &hf_pla_item, { "Item", "pla.item", FT_STRING, BASE_NONE, NULL, 0, "Item that was asked for", HFILL } },
        { &hf_pla_new_enum,
            { "_NewEnum", "pla.new_enum", FT_STRING, BASE_NONE, NULL, 0, "Enumerator of the collection (IEnumVARIANT)",
                HFILL } },
        { &hf_pla_actions_object,
            { "Actions", "pla.actions_object", FT_STRING, BASE_NONE, NULL, 0, "Collection whose actions are added",
                HFILL } },
        { &hf_pla_action,
            { "Action", "pla.action", FT_STRING, BASE_NONE, NULL, 0, "Folder action that is added", HFILL } },
        { &hf_pla_folder_action,
            { "FolderAction", "pla.folder_action", FT_STRING, BASE_NONE, NULL, 0, "Folder action that was created",
                HFILL } },
        { &hf_pla_data_collector_set,
            { "DataCollectorSet", "pla.data_collector_set", FT_STRING, BASE_NONE, NULL, 0,
                "Set that the data collector belongs to", HFILL } },
        { &hf_pla_data_collector_type,
            { "DataCollectorType", "pla.data_collector_type", FT_UINT32, BASE_DEC, NULL, 0,
                "Kind of the data collector: counters, trace, configuration, alert or API trace", HFILL } },
        { &hf_pla_file_name,
            { "FileName", "pla.file_name", FT_STRING, BASE_NONE, NULL, 0,
                "Base name of the file that the data collector writes", HFILL } },
        { &hf_pla_file_name_format,
            { "FileNameFormat", "pla.file_name_format", FT_UINT32, BASE_HEX, NULL, 0,
                "Suffix of the file's name, such as the date or the serial number", HFILL } },
        { &hf_pla_file_name_format_pattern,
            { "FileNameFormatPattern", "pla.file_name_format_pattern", FT_STRING, BASE_NONE, NULL, 0,
                "Pattern that plaPattern adds to the file's name", HFILL } },
        { &hf_pla_log_append,
            { "LogAppend", "pla.log_append", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether data is appended to an existing file", HFILL } },
        { &hf_pla_log_circular,
            { "LogCircular", "pla.log_circular", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the oldest data is overwritten when the file is full", HFILL } },
        { &hf_pla_log_overwrite,
            { "LogOverwrite", "pla.log_overwrite", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether an existing file is overwritten", HFILL } },
        { &hf_pla_data_source_name,
            { "DataSourceName", "pla.data_source_name", FT_STRING, BASE_NONE, NULL, 0,
                "ODBC data source that receives the samples, if LogFileFormat is SQL", HFILL } },
        { &hf_pla_performance_counters,
            { "PerformanceCounters", "pla.performance_counters", FT_STRING, BASE_NONE, NULL, 0,
                "Paths of the counters to collect", HFILL } },
        { &hf_pla_log_file_format,
            { "LogFileFormat", "pla.log_file_format", FT_UINT32, BASE_DEC, NULL, 0,
                "Format of the log: text with commas or tabs, binary, or SQL", HFILL } },
        { &hf_pla_sample_interval,
            { "SampleInterval", "pla.sample_interval", FT_UINT32, BASE_DEC, NULL, 0, "Seconds between two samples",
                HFILL } },
        { &hf_pla_segment_max_records,
            { "SegmentMaxRecords", "pla.segment_max_records", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of samples after which a new file is started; 0 is no limit", HFILL } },
        { &hf_pla_file_max_count,
            { "FileMaxCount", "pla.file_max_count", FT_UINT32, BASE_DEC, NULL, 0,
                "Maximum number of files to collect; 0 is no limit", HFILL } },
        { &hf_pla_file_max_recursive_depth,
            { "FileMaxRecursiveDepth", "pla.file_max_recursive_depth", FT_UINT32, BASE_DEC, NULL, 0,
                "How many levels of subfolders are searched for files", HFILL } },
        { &hf_pla_file_max_total_size,
            { "FileMaxTotalSize", "pla.file_max_total_size", FT_UINT32, BASE_DEC, NULL, 0,
                "Maximum size of all collected files in MB; 0 is no limit", HFILL } },
        { &hf_pla_files, { "Files", "pla.files", FT_STRING, BASE_NONE, NULL, 0, "Files to collect", HFILL } },
        { &hf_pla_management_queries,
            { "ManagementQueries", "pla.management_queries", FT_STRING, BASE_NONE, NULL, 0, "WMI queries to run",
                HFILL } },
        { &hf_pla_query_network_adapters,
            { "QueryNetworkAdapters", "pla.query_network_adapters", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether information about the network adapters is collected", HFILL } },
        { &hf_pla_registry_keys,
            { "RegistryKeys", "pla.registry_keys", FT_STRING, BASE_NONE, NULL, 0, "Registry keys to collect", HFILL } },
        { &hf_pla_registry_max_recursive_depth,
            { "RegistryMaxRecursiveDepth", "pla.registry_max_recursive_depth", FT_UINT32, BASE_DEC, NULL, 0,
                "How many levels of subkeys are collected", HFILL } },
        { &hf_pla_system_state_file,
            { "SystemStateFile", "pla.system_state_file", FT_STRING, BASE_NONE, NULL, 0,
                "Name of the file for the state of the system", HFILL } },
        { &hf_pla_alert_thresholds,
            { "AlertThresholds", "pla.alert_thresholds", FT_STRING, BASE_NONE, NULL, 0,
                "Counter paths with the limits that raise the alert", HFILL } },
        { &hf_pla_event_log,
            { "EventLog", "pla.event_log", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether an alert is written to the event log", HFILL } },
        { &hf_pla_trigger_data_collector_set,
            { "TriggerDataCollectorSet", "pla.trigger_data_collector_set", FT_STRING, BASE_NONE, NULL, 0,
                "Set that is started when the alert is raised", HFILL } },
        { &hf_pla_guid,
            { "Guid", "pla.guid", FT_GUID, BASE_NONE, NULL, 0, "GUID of the trace session or trace provider", HFILL } },
        { &hf_pla_level,
            { "Level", "pla.level", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the levels of detail that the provider can log", HFILL } },
        { &hf_pla_keywords_any,
            { "KeywordsAny", "pla.keywords_any", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the keywords of which an event needs at least one", HFILL } },
        { &hf_pla_keywords_all,
            { "KeywordsAll", "pla.keywords_all", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the keywords that an event needs all of", HFILL } },
        { &hf_pla_properties,
            { "Properties", "pla.properties", FT_STRING, BASE_NONE, NULL, 0,
                "Object with further information that each event gets", HFILL } },
        { &hf_pla_filter_enabled,
            { "FilterEnabled", "pla.filter_enabled", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the filter data is passed to the provider", HFILL } },
        { &hf_pla_filter_type, { "FilterType", "pla.filter_type", FT_UINT32, BASE_DEC, NULL, 0, "Not used", HFILL } },
        { &hf_pla_filter_data,
            { "FilterData", "pla.filter_data", FT_BYTES, BASE_NONE, NULL, 0,
                "Data that the provider filters its events with", HFILL } },
        { &hf_pla_bstr_name,
            { "bstrName", "pla.bstr_name", FT_STRING, BASE_NONE, NULL, 0, "Name of the trace provider to look up",
                HFILL } },
        { &hf_pla_bstr_server,
            { "bstrServer", "pla.bstr_server", FT_STRING, BASE_NONE, NULL, 0,
                "Computer on which the trace provider is looked up", HFILL } },
        { &hf_pla_p_from,
            { "pFrom", "pla.p_from", FT_STRING, BASE_NONE, NULL, 0,
                "Object whose keywords, levels and properties complete this one", HFILL } },
        { &hf_pla_sddl,
            { "Sddl", "pla.sddl", FT_STRING, BASE_NONE, NULL, 0,
                "Who may do what with the trace provider, as text in SDDL", HFILL } },
        { &hf_pla_security_info,
            { "SecurityInfo", "pla.security_info", FT_UINT32, BASE_HEX, NULL, 0,
                "Parts of the security descriptor that are asked for (SECURITY_INFORMATION)", HFILL } },
        { &hf_pla_processes,
            { "Processes", "pla.processes", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the processes that use the provider", HFILL } },
        { &hf_pla_start_date,
            { "StartDate", "pla.start_date", FT_STRING, BASE_NONE, NULL, 0,
                "First day on which the schedule may start the set", HFILL } },
        { &hf_pla_end_date,
            { "EndDate", "pla.end_date", FT_STRING, BASE_NONE, NULL, 0,
                "Last day on which the schedule may start the set", HFILL } },
        { &hf_pla_start_time,
            { "StartTime", "pla.start_time", FT_STRING, BASE_NONE, NULL, 0, "Time of day at which the set starts",
                HFILL } },
        { &hf_pla_days,
            { "Days", "pla.days", FT_UINT32, BASE_HEX, NULL, 0, "Days of the week on which the set starts", HFILL } },
        { &hf_pla_p_provider,
            { "pProvider", "pla.p_provider", FT_STRING, BASE_NONE, NULL, 0, "Trace provider that is added", HFILL } },
        { &hf_pla_v_provider,
            { "vProvider", "pla.v_provider", FT_STRING, BASE_NONE, NULL, 0, "Trace provider that is removed", HFILL } },
        { &hf_pla_providers,
            { "providers", "pla.providers", FT_STRING, BASE_NONE, NULL, 0, "Collection whose trace providers are added",
                HFILL } },
        { &hf_pla_provider,
            { "Provider", "pla.provider", FT_STRING, BASE_NONE, NULL, 0, "Trace provider that was created", HFILL } },
        { &hf_pla_pid,
            { "Pid", "pla.pid", FT_UINT32, BASE_DEC, NULL, 0, "Process whose trace providers are listed", HFILL } },
        { &hf_pla_p_schedule,
            { "pSchedule", "pla.p_schedule", FT_STRING, BASE_NONE, NULL, 0, "Schedule that is added", HFILL } },
        { &hf_pla_v_schedule,
            { "vSchedule", "pla.v_schedule", FT_STRING, BASE_NONE, NULL, 0, "Schedule that is removed", HFILL } },
        { &hf_pla_p_schedules,
            { "pSchedules", "pla.p_schedules", FT_STRING, BASE_NONE, NULL, 0, "Collection whose schedules are added",
                HFILL } },
        { &hf_pla_schedule,
            { "Schedule", "pla.schedule", FT_STRING, BASE_NONE, NULL, 0, "Schedule that was created", HFILL } },
        { &hf_pla_collector,
            { "collector", "pla.collector", FT_STRING, BASE_NONE, NULL, 0,
                "Data collector that is added, removed or created", HFILL } },
        { &hf_pla_collectors,
            { "collectors", "pla.collectors", FT_STRING, BASE_NONE, NULL, 0,
                "Collection whose data collectors are added", HFILL } },
        { &hf_pla_bstr_xml,
            { "bstrXml", "pla.bstr_xml", FT_STRING, BASE_NONE, NULL, 0, "XML that the data collector is made from",
                HFILL } },
        { &hf_pla_p_validation,
            { "pValidation", "pla.p_validation", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the problems found in the XML", HFILL } },
        { &hf_pla_p_collector,
            { "pCollector", "pla.p_collector", FT_STRING, BASE_NONE, NULL, 0, "Data collector that was created",
                HFILL } },
        { &hf_pla_type,
            { "Type", "pla.type", FT_UINT32, BASE_DEC, NULL, 0, "Kind of the data collector to create", HFILL } },
        { &hf_pla_set,
            { "set", "pla.set", FT_STRING, BASE_NONE, NULL, 0, "Data collector set that is added or removed", HFILL } },
        { &hf_pla_sets,
            { "sets", "pla.sets", FT_STRING, BASE_NONE, NULL, 0, "Collection whose data collector sets are added",
                HFILL } },
        { &hf_pla_filter,
            { "filter", "pla.filter", FT_STRING, BASE_NONE, NULL, 0, "[MS-PLA] says that the server does not use it",
                HFILL } },
        { &hf_pla_value_map_type,
            { "ValueMapType", "pla.value_map_type", FT_UINT32, BASE_DEC, NULL, 0,
                "Kind of the map: one choice (index), several choices (flags), or problems (validation)", HFILL } },
        { &hf_pla_map, { "map", "pla.map", FT_STRING, BASE_NONE, NULL, 0, "Value map whose items are added", HFILL } },
        { &hf_pla_key_of_value, { "key", "pla.key", FT_STRING, BASE_NONE, NULL, 0, "Name of a value", HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    pla_oaut_methods_register(proto);
    pla_trace_methods_register(proto);
    pla_enums_register(proto);
}
