/* list.h
 * Table of the rules of [MS-PCQ] that a capture can show to be broken
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_LIST_H
#define PERFLIB_PERFLIBV2_RULES_LIST_H

/*
 * X(id, filter, section, who, severity, rule, fault), ordered by section as in the table of rules. filter is the expert
 * item's name, fault its text. ERROR: a peer would reject it; WARN: a MUST, or an equally definite sentence; NOTE: a
 * SHOULD, or a point in which Windows deviates from the text: notes do not count as broken. See RULES.md.
 */
/* clang-format off */
#define PERFLIBV2_RULES(X) \
    X(AUTH_LEVEL,           "perflibv2.rule.auth_level", "2.1", CLIENT, NOTE, \
      "Calls are made with packet privacy", \
      "A call is made without packet privacy") \
    X(AUTH_SERVICE,         "perflibv2.rule.auth_service", "2.1", CLIENT, WARN, \
      "The authentication service is SPNEGO or NTLM", \
      "The authentication service is neither SPNEGO nor NTLM") \
    X(PRIVACY_REQUIRED,     "perflibv2.rule.privacy_required", "2.1", SERVER, NOTE, \
      "A call without packet privacy is refused", \
      "A call without packet privacy is answered") \
    X(TRANSPORT,            "perflibv2.rule.transport", "2.1", BOTH, NOTE, \
      "The transport is ncacn_np", \
      "The transport is not ncacn_np") \
    X(TRANSFER_SYNTAX,      "perflibv2.rule.transfer_syntax", "2.2", BOTH, NOTE, \
      "The transfer syntax is NDR", \
      "The transfer syntax is not NDR") \
    X(STRUCTURE_FITS,       "perflibv2.rule.structure_fits", "2.2.4", BOTH, ERROR, \
      "Every structure lies within its buffer", \
      "A structure reaches beyond its buffer") \
    X(TRAILING_BYTES,       "perflibv2.rule.trailing_bytes", "2.2.4", BOTH, WARN, \
      "Nothing follows the last structure of a buffer", \
      "Bytes follow the last structure of a buffer") \
    X(ALIGNMENT,            "perflibv2.rule.alignment", "2.2.4", BOTH, WARN, \
      "Every structure begins at a multiple of 8 from the start of lpData", \
      "A structure does not begin at a multiple of 8 from the start of lpData") \
    X(GUID_UNIQUE,          "perflibv2.rule.guid_unique", "2.2.4.1", SERVER, NOTE, \
      "No counterset is enumerated twice", \
      "A counterset is enumerated twice") \
    X(COUNTERSET_TYPE,      "perflibv2.rule.counterset_type", "2.2.4.1", SERVER, WARN, \
      "CounterSetType is 0", \
      "CounterSetType is not 0") \
    X(INSTANCE_TYPE,        "perflibv2.rule.instance_type", "2.2.4.1", SERVER, WARN, \
      "InstanceType is one of the listed values", \
      "InstanceType is not a listed value") \
    X(DETAIL_LEVEL,         "perflibv2.rule.detail_level", "2.2.4.1", SERVER, WARN, \
      "DetailLevel is one of the listed values, or one of winperf.h", \
      "DetailLevel is neither a listed value nor one of winperf.h") \
    X(DETAIL_LEVEL_LISTED,  "perflibv2.rule.detail_level_listed", "2.2.4.1", SERVER, NOTE, \
      "DetailLevel is 100 or 200", \
      "DetailLevel is neither 100 nor 200") \
    X(COUNTER_ID_UNIQUE,    "perflibv2.rule.counter_id_unique", "2.2.4.2", SERVER, NOTE, \
      "CounterId is unique within its counterset", \
      "A counterset has two counters with the same CounterId") \
    X(COUNTER_TYPE,         "perflibv2.rule.counter_type", "2.2.4.2", SERVER, WARN, \
      "Type is one of the listed values, or one of winperf.h", \
      "Type is neither a listed value nor one of winperf.h") \
    X(COUNTER_TYPE_LISTED,  "perflibv2.rule.counter_type_listed", "2.2.4.2", SERVER, NOTE, \
      "Type is one of the listed values", \
      "Type is not a listed value") \
    X(ATTRIB,               "perflibv2.rule.attrib", "2.2.4.2", SERVER, WARN, \
      "Attrib has no bits but the listed ones", \
      "Attrib has bits that are not listed") \
    X(ATTRIB_COMBINATION,   "perflibv2.rule.attrib_combination", "2.2.4.2", SERVER, NOTE, \
      "Attrib combines only what may be combined", \
      "Attrib combines what must not be combined") \
    X(DEFAULT_SCALE,        "perflibv2.rule.default_scale", "2.2.4.2", SERVER, WARN, \
      "DefaultScale lies within -10 to 10", \
      "DefaultScale lies outside -10 to 10") \
    X(BASE_ID,              "perflibv2.rule.base_id", "2.2.4.2", SERVER, WARN, \
      "BaseCounterId names a counter of the set where the type requires one", \
      "BaseCounterId names no counter of the set, but the type requires one") \
    X(BASE_TYPE,            "perflibv2.rule.base_type", "2.2.4.2", SERVER, WARN, \
      "BaseCounterId names a counter of the type required", \
      "BaseCounterId names a counter of another type than the one required") \
    X(PERF_TIME_ID,         "perflibv2.rule.perf_time_id", "2.2.4.2", SERVER, WARN, \
      "PerfTimeId names a counter of the set where the type requires one", \
      "PerfTimeId names no counter of the set, but the type requires one") \
    X(PERF_TIME_TYPE,       "perflibv2.rule.perf_time_type", "2.2.4.2", SERVER, WARN, \
      "PerfTimeId names a PERF_COUNTER_LARGE_RAWCOUNT", \
      "PerfTimeId names a counter that is no PERF_COUNTER_LARGE_RAWCOUNT") \
    X(PERF_FREQ_ID,         "perflibv2.rule.perf_freq_id", "2.2.4.2", SERVER, WARN, \
      "PerfFreqId names a counter of the set where the type requires one", \
      "PerfFreqId names no counter of the set, but the type requires one") \
    X(PERF_FREQ_TYPE,       "perflibv2.rule.perf_freq_type", "2.2.4.2", SERVER, WARN, \
      "PerfFreqId names a PERF_COUNTER_LARGE_RAWCOUNT", \
      "PerfFreqId names a counter that is no PERF_COUNTER_LARGE_RAWCOUNT") \
    X(MULTI_ID,             "perflibv2.rule.multi_id", "2.2.4.2", SERVER, WARN, \
      "MultiId names a counter of the set where the type requires one", \
      "MultiId names no counter of the set, but the type requires one") \
    X(MULTI_TYPE,           "perflibv2.rule.multi_type", "2.2.4.2", SERVER, WARN, \
      "MultiId names a PERF_COUNTER_RAWCOUNT", \
      "MultiId names a counter that is no PERF_COUNTER_RAWCOUNT") \
    X(AGGREGATE,            "perflibv2.rule.aggregate", "2.2.4.2", SERVER, WARN, \
      "AggregateFunc is one of the listed values", \
      "AggregateFunc is not a listed value") \
    X(COUNTER_RESERVED,     "perflibv2.rule.counter_reserved", "2.2.4.2", SERVER, WARN, \
      "Reserved of _PERF_COUNTER_REG_INFO is 0", \
      "Reserved of _PERF_COUNTER_REG_INFO is not 0") \
    X(VALUE_DATA_SIZE,      "perflibv2.rule.value_data_size", "2.2.4.2", SERVER, WARN, \
      "dwDataSize is what the counter's type says", \
      "dwDataSize does not agree with the counter's type") \
    X(SAMPLE_BASE,          "perflibv2.rule.sample_base", "2.2.4.2", SERVER, NOTE, \
      "A PERF_SAMPLE_BASE is above 0", \
      "A PERF_SAMPLE_BASE is 0") \
    X(STRINGS_SIZE,         "perflibv2.rule.strings_size", "2.2.4.3", SERVER, WARN, \
      "dwSize of _STRING_BUFFER_HEADER equals the size of the data", \
      "dwSize of _STRING_BUFFER_HEADER differs from the size of the data") \
    X(STRINGS_COUNTERS,     "perflibv2.rule.strings_counters", "2.2.4.3", SERVER, NOTE, \
      "dwCounters is the number of counters in the counterset", \
      "dwCounters differs from the number of counters in the counterset") \
    X(STRINGS_COUNTER_ID,   "perflibv2.rule.strings_counter_id", "2.2.4.4", SERVER, WARN, \
      "dwCounterId is of a counter in the counterset", \
      "dwCounterId is of no counter in the counterset") \
    X(STRINGS_OFFSET,       "perflibv2.rule.strings_offset", "2.2.4.4", SERVER, ERROR, \
      "dwOffset points to a string inside the buffer", \
      "dwOffset does not point to a string inside the buffer") \
    X(STRINGS_OFFSET_BASE,  "perflibv2.rule.strings_offset_base", "2.2.4.4", SERVER, NOTE, \
      "dwOffset counts from the end of the _STRING_COUNTER_HEADER structures", \
      "dwOffset does not count from the end of the _STRING_COUNTER_HEADER structures") \
    X(INSTANCE_UNIQUE,      "perflibv2.rule.instance_unique", "2.2.4.5", SERVER, NOTE, \
      "No two instances have the same name and id", \
      "Two instances have the same name and id") \
    X(IDENTIFIER_SIZE,      "perflibv2.rule.identifier_size", "2.2.4.6", BOTH, WARN, \
      "Size of _PERF_COUNTER_IDENTIFIER covers structure and name, a server's a multiple of 8", \
      "Size of _PERF_COUNTER_IDENTIFIER does not cover structure and name, or a server's is no multiple of 8") \
    X(IDENTIFIER_RESERVED,  "perflibv2.rule.identifier_reserved", "2.2.4.6", CLIENT, WARN, \
      "Reserved of _PERF_COUNTER_IDENTIFIER is 0", \
      "Reserved of _PERF_COUNTER_IDENTIFIER is not 0") \
    X(IDENTIFIER_STATUS,    "perflibv2.rule.identifier_status", "2.2.4.6", SERVER, WARN, \
      "Status of an identifier is a Win32 error code", \
      "Status of an identifier is no Win32 error code") \
    X(DATA_TOTAL_SIZE,      "perflibv2.rule.data_total_size", "2.2.4.7", SERVER, WARN, \
      "dwTotalSize equals the size of the data", \
      "dwTotalSize differs from the size of the data") \
    X(DATA_NUM_COUNTERS,    "perflibv2.rule.data_num_counters", "2.2.4.7", SERVER, WARN, \
      "dwNumCounter equals the number of _PERF_COUNTER_HEADER blocks", \
      "dwNumCounter differs from the number of _PERF_COUNTER_HEADER blocks") \
    X(DATA_TIME,            "perflibv2.rule.data_time", "2.2.4.7", SERVER, WARN, \
      "PerfTime100NSec and SystemTime are points in time", \
      "PerfTime100NSec or SystemTime is no point in time") \
    X(SYSTEM_TIME,          "perflibv2.rule.system_time", "2.2.4.7", SERVER, NOTE, \
      "SystemTime is the time of PerfTime100NSec, wDayOfWeek its day", \
      "SystemTime is not the time of PerfTime100NSec, or wDayOfWeek is not its day") \
    X(PERF_FREQ,            "perflibv2.rule.perf_freq", "2.2.4.7", SERVER, NOTE, \
      "PerfFreq is above 0", \
      "PerfFreq is 0") \
    X(BLOCK_INSTANCES,      "perflibv2.rule.block_instances", "2.2.4.8", SERVER, WARN, \
      "The instances of a block are those its identifier asks for", \
      "A block has other instances than its identifier asks for") \
    X(BLOCK_SINGLE,         "perflibv2.rule.block_single", "2.2.4.8", SERVER, WARN, \
      "A block of a single instance does not answer a wildcard of a multiple-instance counterset", \
      "A block of a single instance answers a wildcard of a multiple-instance counterset") \
    X(BLOCK_STATUS,         "perflibv2.rule.block_status", "2.2.4.8", SERVER, WARN, \
      "dwStatus is a Win32 error code", \
      "dwStatus is no Win32 error code") \
    X(BLOCK_VALUE_STATUS,   "perflibv2.rule.block_value_status", "2.2.4.8", SERVER, NOTE, \
      "dwStatus of a block that holds values is 0", \
      "dwStatus of a block that holds values is not 0") \
    X(BLOCK_SIZE,           "perflibv2.rule.block_size", "2.2.4.8", SERVER, WARN, \
      "dwSize of _PERF_COUNTER_HEADER covers its block and is a multiple of 8", \
      "dwSize of _PERF_COUNTER_HEADER does not cover its block, or is no multiple of 8") \
    X(BLOCK_TYPE,           "perflibv2.rule.block_type", "2.2.4.8", SERVER, WARN, \
      "dwType is one of the listed values", \
      "dwType is not a listed value") \
    X(BLOCK_RESERVED,       "perflibv2.rule.block_reserved", "2.2.4.8", SERVER, WARN, \
      "Reserved of _PERF_COUNTER_HEADER is 0", \
      "Reserved of _PERF_COUNTER_HEADER is not 0") \
    X(VALUE_SIZE,           "perflibv2.rule.value_size", "2.2.4.9", SERVER, WARN, \
      "dwSize of _PERF_COUNTER_DATA covers header and data and is a multiple of 8", \
      "dwSize of _PERF_COUNTER_DATA does not cover header and data, or is no multiple of 8") \
    X(MULTI_INSTANCES_SIZE, "perflibv2.rule.multi_instances_size", "2.2.4.10", SERVER, WARN, \
      "dwTotalSize of _PERF_MULTI_INSTANCES covers header and instances", \
      "dwTotalSize of _PERF_MULTI_INSTANCES does not cover header and instances") \
    X(MULTI_COUNTERS_SIZE,  "perflibv2.rule.multi_counters_size", "2.2.4.11", SERVER, WARN, \
      "dwSize of _PERF_MULTI_COUNTERS covers header and ids", \
      "dwSize of _PERF_MULTI_COUNTERS does not cover header and ids") \
    X(MACHINE_STRING,       "perflibv2.rule.machine_string", "3.1.4", CLIENT, ERROR, \
      "szMachine is a null-terminated string whose counts agree", \
      "szMachine is no null-terminated string, or its counts disagree") \
    X(LPDATA_COUNT,         "perflibv2.rule.lpdata_count", "3.1.4.1", BOTH, ERROR, \
      "lpData ends where its count and the sizes beside it say", \
      "lpData does not end where its count and the sizes beside it say") \
    X(IN_SIZE_RANGE,        "perflibv2.rule.in_size_range", "3.1.4.1", CLIENT, ERROR, \
      "dwInSize lies within the method's range", \
      "dwInSize lies outside the method's range") \
    X(HANDLE_NULL,          "perflibv2.rule.handle_null", "3.1.4.1", CLIENT, ERROR, \
      "A query handle that is used is not NULL", \
      "A query handle that is used is NULL") \
    X(MAX_COUNT,            "perflibv2.rule.max_count", "3.1.4.1", SERVER, ERROR, \
      "The maximum count of lpData equals dwInSize", \
      "The maximum count of lpData differs from dwInSize") \
    X(ARRAY_OFFSET,         "perflibv2.rule.array_offset", "3.1.4.1", SERVER, ERROR, \
      "lpData is sent from its first element on", \
      "lpData is not sent from its first element on") \
    X(OUT_SIZE_ROOM,        "perflibv2.rule.out_size_room", "3.1.4.1", SERVER, ERROR, \
      "pdwOutSize is not above dwInSize", \
      "pdwOutSize is above dwInSize") \
    X(OUT_SIZE_NEEDED,      "perflibv2.rule.out_size_needed", "3.1.4.1", SERVER, WARN, \
      "pdwOutSize is not above pdwRtnSize", \
      "pdwOutSize is above pdwRtnSize") \
    X(OUT_SIZE_ALL,         "perflibv2.rule.out_size_all", "3.1.4.1", SERVER, WARN, \
      "pdwOutSize is not below pdwRtnSize where a call succeeds", \
      "pdwOutSize is below pdwRtnSize although the call succeeds") \
    X(TOO_SMALL,            "perflibv2.rule.too_small", "3.1.4.1", SERVER, WARN, \
      "ERROR_NOT_ENOUGH_MEMORY is returned where, and only where, pdwRtnSize is above dwInSize", \
      "ERROR_NOT_ENOUGH_MEMORY does not agree with pdwRtnSize and dwInSize") \
    X(RETURN_CODE,          "perflibv2.rule.return_code", "3.1.4.1", SERVER, WARN, \
      "The return value is a Win32 error code", \
      "The return value is no Win32 error code") \
    X(RETURN_CODE_LISTED,   "perflibv2.rule.return_code_listed", "3.1.4.1", SERVER, NOTE, \
      "The return value is one the method lists", \
      "The return value is none that the method lists") \
    X(OUT_SIZE_ZERO,        "perflibv2.rule.out_size_zero", "3.1.4.1.1", SERVER, WARN, \
      "pdwOutSize is 0 where dwInSize is below the number of GUIDs", \
      "pdwOutSize is not 0 although dwInSize is below the number of GUIDs") \
    X(GUID_COUNT,           "perflibv2.rule.guid_count", "3.1.4.1.1", SERVER, WARN, \
      "All GUIDs are returned where there is room for them", \
      "Not all GUIDs are returned although there is room for them") \
    X(GUID_LIMIT,           "perflibv2.rule.guid_limit", "3.1.4.1.1", SERVER, NOTE, \
      "There are no more GUIDs than range() allows to ask for", \
      "There are more GUIDs than range() allows to ask for") \
    X(REQUEST_CODE,         "perflibv2.rule.request_code", "3.1.4.1.2", CLIENT, ERROR, \
      "RequestCode is one of the listed values", \
      "RequestCode is not a listed value") \
    X(REQUEST_LCID,         "perflibv2.rule.request_lcid", "3.1.4.1.2", CLIENT, WARN, \
      "RequestLCID is 0 where the request code has no use for it", \
      "RequestLCID is not 0 although the request code has no use for it") \
    X(REQUEST_CODE_REFUSED, "perflibv2.rule.request_code_refused", "3.1.4.1.2", SERVER, WARN, \
      "A request code that is not listed is answered with ERROR_INVALID_PARAMETER", \
      "A request code that is not listed is not answered with ERROR_INVALID_PARAMETER") \
    X(REGISTRATION_EMPTY,   "perflibv2.rule.registration_empty", "3.1.4.1.2", SERVER, WARN, \
      "A successful QueryCounterSetRegistrationInfo returns what was asked for", \
      "A successful QueryCounterSetRegistrationInfo does not return what was asked for") \
    X(COUNTERSET_GUID,      "perflibv2.rule.counterset_guid", "3.1.4.1.2", SERVER, WARN, \
      "CounterSetGuid is the one that was asked for", \
      "CounterSetGuid is not the one that was asked for") \
    X(REG_NUM_COUNTERS,     "perflibv2.rule.reg_num_counters", "3.1.4.1.2", SERVER, WARN, \
      "NumCounters equals the number of _PERF_COUNTER_REG_INFO structures", \
      "NumCounters differs from the number of _PERF_COUNTER_REG_INFO structures") \
    X(COUNTER_ID,           "perflibv2.rule.counter_id", "3.1.4.1.2", SERVER, WARN, \
      "CounterId is the one that was asked for", \
      "CounterId is not the one that was asked for") \
    X(STRINGS_ALIGNED,      "perflibv2.rule.strings_aligned", "3.1.4.1.2", SERVER, WARN, \
      "A string buffer's size is a multiple of 8", \
      "A string buffer's size is no multiple of 8") \
    X(STRING_TERMINATED,    "perflibv2.rule.string_terminated", "3.1.4.1.2", SERVER, WARN, \
      "Strings are null-terminated", \
      "A string is not null-terminated") \
    X(INSTANCE_SIZE,        "perflibv2.rule.instance_size", "3.1.4.1.3", SERVER, WARN, \
      "Size of _PERF_INSTANCE_HEADER covers header and name and is a multiple of 8", \
      "Size of _PERF_INSTANCE_HEADER does not cover header and name, or is no multiple of 8") \
    X(INSTANCE_TERMINATED,  "perflibv2.rule.instance_terminated", "3.1.4.1.3", SERVER, WARN, \
      "Instance names are null-terminated", \
      "An instance name is not null-terminated") \
    X(INSTANCE_SINGLE,      "perflibv2.rule.instance_single", "3.1.4.1.3", SERVER, WARN, \
      "A single-instance counterset has one instance", \
      "A single-instance counterset has not exactly one instance") \
    X(INSTANCES_NONE,       "perflibv2.rule.instances_none", "3.1.4.1.3", SERVER, NOTE, \
      "ERROR_WMI_INSTANCE_NOT_FOUND is returned where there is no instance", \
      "ERROR_WMI_INSTANCE_NOT_FOUND is not returned although there is no instance") \
    X(HANDLE_OPENED,        "perflibv2.rule.handle_opened", "3.1.4.1.4", SERVER, WARN, \
      "A successful OpenQueryHandle returns a handle that is not NULL", \
      "A successful OpenQueryHandle returns a NULL handle") \
    X(HANDLE_SERVER,        "perflibv2.rule.handle_server", "3.1.4.1.5", CLIENT, ERROR, \
      "A query handle is used on the server that opened it", \
      "A query handle is used on another server than the one that opened it") \
    X(INFO_IDENTIFIERS,     "perflibv2.rule.info_identifiers", "3.1.4.1.5", SERVER, WARN, \
      "QueryCounterInfo returns as many identifiers as were added", \
      "QueryCounterInfo returns more or fewer identifiers than were added") \
    X(INFO_COUNTERS,        "perflibv2.rule.info_counters", "3.1.4.1.5", SERVER, WARN, \
      "QueryCounterInfo returns counters and instances that were added", \
      "QueryCounterInfo returns counters or instances that were not added") \
    X(INDEX_RANGE,          "perflibv2.rule.index_range", "3.1.4.1.5", SERVER, WARN, \
      "Index is below the number of identifiers", \
      "Index is not below the number of identifiers") \
    X(INDEX_UNIQUE,         "perflibv2.rule.index_unique", "3.1.4.1.5", SERVER, WARN, \
      "No two identifiers have the same Index", \
      "Two identifiers have the same Index") \
    X(INFO_PADDING,         "perflibv2.rule.info_padding", "3.1.4.1.5", SERVER, WARN, \
      "Padding behind instance names of QueryCounterInfo is 0", \
      "Padding behind instance names of QueryCounterInfo is not 0") \
    X(BLOCK_IDENTIFIER,     "perflibv2.rule.block_identifier", "3.1.4.1.5", SERVER, WARN, \
      "A block answers the identifier whose Index is its position", \
      "A block does not answer the identifier whose Index is its position") \
    X(POLL_EMPTY,           "perflibv2.rule.poll_empty", "3.1.4.1.6", SERVER, WARN, \
      "A successful QueryCounterData returns a _PERF_DATA_HEADER", \
      "A successful QueryCounterData returns no _PERF_DATA_HEADER") \
    X(INSTANCE_PADDING,     "perflibv2.rule.instance_padding", "3.1.4.1.6", SERVER, WARN, \
      "Padding behind instance names in counter data is 0", \
      "Padding behind instance names in counter data is not 0") \
    X(POLL_BLOCKS,          "perflibv2.rule.poll_blocks", "3.1.4.1.6", SERVER, WARN, \
      "QueryCounterData returns a block for each identifier of the query", \
      "QueryCounterData does not return a block for each identifier of the query") \
    X(BLOCK_ERROR_ALONE,    "perflibv2.rule.block_error_alone", "3.1.4.1.6", SERVER, WARN, \
      "A PERF_ERROR_RETURN block holds the header only", \
      "A PERF_ERROR_RETURN block holds more than the header") \
    X(BLOCK_ERROR_STATUS,   "perflibv2.rule.block_error_status", "3.1.4.1.6", SERVER, WARN, \
      "dwStatus of a PERF_ERROR_RETURN block is an error", \
      "dwStatus of a PERF_ERROR_RETURN block is no error") \
    X(BLOCK_COUNTER_IDS,    "perflibv2.rule.block_counter_ids", "3.1.4.1.6", SERVER, WARN, \
      "The counter ids of a block are of its counterset", \
      "A counter id of a block is not of its counterset") \
    X(VALIDATE_ROOM,        "perflibv2.rule.validate_room", "3.1.4.1.7", CLIENT, ERROR, \
      "lpData of ValidateCounters holds one _PERF_COUNTER_IDENTIFIER at least", \
      "lpData of ValidateCounters holds no _PERF_COUNTER_IDENTIFIER") \
    X(ADD_VALUE,            "perflibv2.rule.add_value", "3.1.4.1.7", CLIENT, WARN, \
      "dwAdd is TRUE or FALSE", \
      "dwAdd is neither TRUE nor FALSE") \
    X(VALIDATE_REFUSED,     "perflibv2.rule.validate_refused", "3.1.4.1.7", SERVER, WARN, \
      "A buffer without room for one _PERF_COUNTER_IDENTIFIER is refused", \
      "A buffer without room for one _PERF_COUNTER_IDENTIFIER is accepted") \
    X(IDENTIFIER_TERMINATED, "perflibv2.rule.identifier_terminated", "3.1.4.1.7", BOTH, WARN, \
      "Instance names in identifiers are null-terminated", \
      "An instance name in an identifier is not null-terminated") \
    X(IDENTIFIER_NAME,      "perflibv2.rule.identifier_name", "3.1.4.1.7", CLIENT, WARN, \
      "An identifier of a multiple-instance counterset has an instance name", \
      "An identifier of a multiple-instance counterset has no instance name") \
    X(IDENTIFIER_ECHO,      "perflibv2.rule.identifier_echo", "3.1.4.1.7", SERVER, WARN, \
      "ValidateCounters returns the identifiers it was sent", \
      "ValidateCounters does not return the identifiers it was sent") \
    X(SHORT_IDENTIFIER_REFUSED, "perflibv2.rule.short_identifier_refused", "3.1.4.1.7", SERVER, WARN, \
      "An identifier whose Size is below 40 is refused", \
      "An identifier whose Size is below 40 is accepted") \
    X(ADDED_TWICE,          "perflibv2.rule.added_twice", "3.1.4.1.7", SERVER, WARN, \
      "An identifier that an earlier call added is refused", \
      "An identifier that an earlier call added is accepted again") \
    X(REMOVED_UNKNOWN,      "perflibv2.rule.removed_unknown", "3.1.4.1.7", SERVER, WARN, \
      "The removal of an identifier that was not added is refused", \
      "The removal of an identifier that was not added is accepted") \
    X(ALREADY_EXISTS,       "perflibv2.rule.already_exists", "3.1.4.1.7", SERVER, WARN, \
      "ERROR_ALREADY_EXISTS is returned only for identifiers being added", \
      "ERROR_ALREADY_EXISTS is returned for an identifier that was not being added") \
    X(ADDED_GUID,           "perflibv2.rule.added_guid", "3.1.4.1.7", SERVER, WARN, \
      "An identifier of a counterset that the server does not have is refused", \
      "An identifier of a counterset that the server does not have is accepted") \
    X(ADDED_COUNTER,        "perflibv2.rule.added_counter", "3.1.4.1.7", SERVER, WARN, \
      "An identifier of a counter that its counterset does not have is refused", \
      "An identifier of a counter that its counterset does not have is accepted") \
    X(VALIDATE_STATUS,      "perflibv2.rule.validate_status", "3.1.4.1.7", SERVER, NOTE, \
      "Status of an identifier is one of the listed values", \
      "Status of an identifier is not a listed value") \
    X(BLOCK_ALL_COUNTERS,   "perflibv2.rule.block_all_counters", "3.1.4.1.7", SERVER, WARN, \
      "A block for CounterId 0xFFFFFFFF has all counters of the counterset, each once", \
      "A block for CounterId 0xFFFFFFFF lacks counters of the counterset, or has one twice") \
    X(HANDLE_AFTER_CLOSE,   "perflibv2.rule.handle_after_close", "3.1.4.1.8", CLIENT, ERROR, \
      "A query handle is not used after it was closed", \
      "A query handle is used after it was closed") \
    X(HANDLE_CLOSED,        "perflibv2.rule.handle_closed", "3.1.4.1.8", SERVER, WARN, \
      "phQuery is NULL after a successful CloseQueryHandle", \
      "phQuery is not NULL after a successful CloseQueryHandle") \
    X(HANDLE_REFUSED,       "perflibv2.rule.handle_refused", "3.1.4.1.8", SERVER, WARN, \
      "A call on a closed query handle is refused", \
      "A call on a closed query handle is not refused") \
    X(HANDLE_UNIQUE,        "perflibv2.rule.handle_unique", "3.2", SERVER, WARN, \
      "A query handle that is open is not given out again", \
      "A query handle that is open is given out again")
/* clang-format on */

#define RULE_ENUM(id, filter, section, who, severity, sentence, fault) RULE_##id,
enum perflibv2_rule { PERFLIBV2_RULES(RULE_ENUM) NUM_RULES };
#undef RULE_ENUM

enum rule_who { RULE_WHO_CLIENT, RULE_WHO_SERVER, RULE_WHO_BOTH };

struct rule {
    const char *filter; /* "perflibv2.rule.<id>" */
    const char *section;
    enum rule_who who;
    int severity;         /* PI_ERROR, PI_WARN, PI_NOTE */
    const char *sentence; /* the rule */
    const char *fault;    /* title of its findings: what is wrong if it is broken */
};
extern const struct rule perflibv2_rules[NUM_RULES];

#endif /* PERFLIB_PERFLIBV2_RULES_LIST_H */
