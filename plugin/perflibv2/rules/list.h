/* list.h
 * Rules of [MS-PCQ] that a capture can show to be broken
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_PERFLIBV2_RULES_LIST_H
#define PERFLIB_PERFLIBV2_RULES_LIST_H

/*
 * The rules, ordered by section as in the table of rules. See RULES.md.
 * X(number, filter, section, who, severity, sentence, fault), as in struct rule
 */
/* clang-format off */
#define PERFLIBV2_RULES(X) \
    X(RULE_AUTH_LEVEL, "perflibv2.rule.auth_level", "2.1", RULE_WHO_CLIENT, PI_NOTE, \
        "Calls are made with packet privacy", "A call is made without packet privacy") \
    X(RULE_AUTH_SERVICE, "perflibv2.rule.auth_service", "2.1", RULE_WHO_CLIENT, PI_WARN, \
        "The authentication service is SPNEGO or NTLM", "The authentication service is neither SPNEGO nor NTLM") \
    X(RULE_PRIVACY_REQUIRED, "perflibv2.rule.privacy_required", "2.1", RULE_WHO_SERVER, PI_NOTE, \
        "A call without packet privacy is refused", "A call without packet privacy is answered") \
    X(RULE_TRANSPORT, "perflibv2.rule.transport", "2.1", RULE_WHO_BOTH, PI_NOTE, "The transport is ncacn_np", \
        "The transport is not ncacn_np") \
    X(RULE_TRANSFER_SYNTAX, "perflibv2.rule.transfer_syntax", "2.2", RULE_WHO_BOTH, PI_NOTE, \
        "The transfer syntax is NDR", "The transfer syntax is not NDR") \
    X(RULE_STRUCTURE_FITS, "perflibv2.rule.structure_fits", "2.2.4", RULE_WHO_BOTH, PI_ERROR, \
        "Every structure is within its buffer", "A structure exceeds its buffer") \
    X(RULE_TRAILING_BYTES, "perflibv2.rule.trailing_bytes", "2.2.4", RULE_WHO_BOTH, PI_WARN, \
        "Nothing follows the last structure of a buffer", "Bytes follow the last structure of a buffer") \
    X(RULE_ALIGNMENT, "perflibv2.rule.alignment", "2.2.4", RULE_WHO_BOTH, PI_WARN, \
        "Every structure begins at a multiple of 8 from the start of lpData", \
        "A structure does not begin at a multiple of 8 from the start of lpData") \
    X(RULE_GUID_UNIQUE, "perflibv2.rule.guid_unique", "2.2.4.1", RULE_WHO_SERVER, PI_NOTE, \
        "No counterset is enumerated twice", "A counterset is enumerated twice") \
    X(RULE_COUNTERSET_TYPE, "perflibv2.rule.counterset_type", "2.2.4.1", RULE_WHO_SERVER, PI_WARN, \
        "CounterSetType is 0", "CounterSetType is not 0") \
    X(RULE_INSTANCE_TYPE, "perflibv2.rule.instance_type", "2.2.4.1", RULE_WHO_SERVER, PI_WARN, \
        "InstanceType is one of the listed values", "InstanceType is not a listed value") \
    X(RULE_DETAIL_LEVEL, "perflibv2.rule.detail_level", "2.2.4.1", RULE_WHO_SERVER, PI_WARN, \
        "DetailLevel is listed in the text, or defined in winperf.h", \
        "DetailLevel is neither listed in the text nor defined in winperf.h") \
    X(RULE_DETAIL_LEVEL_LISTED, "perflibv2.rule.detail_level_listed", "2.2.4.1", RULE_WHO_SERVER, PI_NOTE, \
        "DetailLevel is 100 or 200", "DetailLevel is neither 100 nor 200") \
    X(RULE_COUNTER_ID_UNIQUE, "perflibv2.rule.counter_id_unique", "2.2.4.2", RULE_WHO_SERVER, PI_NOTE, \
        "CounterId is unique within its counterset", "A counterset has two counters with the same CounterId") \
    X(RULE_COUNTER_TYPE, "perflibv2.rule.counter_type", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "Type is listed in the text, or defined in winperf.h", \
        "Type is neither listed in the text nor defined in winperf.h") \
    X(RULE_COUNTER_TYPE_LISTED, "perflibv2.rule.counter_type_listed", "2.2.4.2", RULE_WHO_SERVER, PI_NOTE, \
        "Type is one of the listed values", "Type is not a listed value") \
    X(RULE_ATTRIB, "perflibv2.rule.attrib", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, "Attrib has only listed bits", \
        "Attrib has bits that are not listed") \
    X(RULE_ATTRIB_COMBINATION, "perflibv2.rule.attrib_combination", "2.2.4.2", RULE_WHO_SERVER, PI_NOTE, \
        "Attrib combines only bits that may be combined", "Attrib combines bits that must not be combined") \
    X(RULE_DEFAULT_SCALE, "perflibv2.rule.default_scale", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "DefaultScale is between -10 and 10", "DefaultScale is not between -10 and 10") \
    X(RULE_BASE_ID, "perflibv2.rule.base_id", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "BaseCounterId names a counter of the counterset if the type requires one", \
        "BaseCounterId names no counter of the counterset, although the type requires one") \
    X(RULE_BASE_TYPE, "perflibv2.rule.base_type", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "BaseCounterId names a counter of the required type", "BaseCounterId names a counter of the wrong type") \
    X(RULE_PERF_TIME_ID, "perflibv2.rule.perf_time_id", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "PerfTimeId names a counter of the counterset if the type requires one", \
        "PerfTimeId names no counter of the counterset, although the type requires one") \
    X(RULE_PERF_TIME_TYPE, "perflibv2.rule.perf_time_type", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "PerfTimeId names a counter of type PERF_COUNTER_LARGE_RAWCOUNT", \
        "PerfTimeId names a counter whose type is not PERF_COUNTER_LARGE_RAWCOUNT") \
    X(RULE_PERF_FREQ_ID, "perflibv2.rule.perf_freq_id", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "PerfFreqId names a counter of the counterset if the type requires one", \
        "PerfFreqId names no counter of the counterset, although the type requires one") \
    X(RULE_PERF_FREQ_TYPE, "perflibv2.rule.perf_freq_type", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "PerfFreqId names a counter of type PERF_COUNTER_LARGE_RAWCOUNT", \
        "PerfFreqId names a counter whose type is not PERF_COUNTER_LARGE_RAWCOUNT") \
    X(RULE_MULTI_ID, "perflibv2.rule.multi_id", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "MultiId names a counter of the counterset if the type requires one", \
        "MultiId names no counter of the counterset, although the type requires one") \
    X(RULE_MULTI_TYPE, "perflibv2.rule.multi_type", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "MultiId names a counter of type PERF_COUNTER_RAWCOUNT", \
        "MultiId names a counter whose type is not PERF_COUNTER_RAWCOUNT") \
    X(RULE_AGGREGATE, "perflibv2.rule.aggregate", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "AggregateFunc is one of the listed values", "AggregateFunc is not a listed value") \
    X(RULE_COUNTER_RESERVED, "perflibv2.rule.counter_reserved", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "Reserved of _PERF_COUNTER_REG_INFO is 0", "Reserved of _PERF_COUNTER_REG_INFO is not 0") \
    X(RULE_VALUE_DATA_SIZE, "perflibv2.rule.value_data_size", "2.2.4.2", RULE_WHO_SERVER, PI_WARN, \
        "dwDataSize matches the counter's type", "dwDataSize does not match the counter's type") \
    X(RULE_SAMPLE_BASE, "perflibv2.rule.sample_base", "2.2.4.2", RULE_WHO_SERVER, PI_NOTE, \
        "A PERF_SAMPLE_BASE is above 0", "A PERF_SAMPLE_BASE is 0") \
    X(RULE_STRINGS_SIZE, "perflibv2.rule.strings_size", "2.2.4.3", RULE_WHO_SERVER, PI_WARN, \
        "dwSize of _STRING_BUFFER_HEADER equals the size of the data", \
        "dwSize of _STRING_BUFFER_HEADER differs from the size of the data") \
    X(RULE_STRINGS_COUNTERS, "perflibv2.rule.strings_counters", "2.2.4.3", RULE_WHO_SERVER, PI_NOTE, \
        "dwCounters is the number of counters in the counterset", \
        "dwCounters differs from the number of counters in the counterset") \
    X(RULE_STRINGS_COUNTER_ID, "perflibv2.rule.strings_counter_id", "2.2.4.4", RULE_WHO_SERVER, PI_WARN, \
        "dwCounterId is the id of a counter in the counterset", \
        "dwCounterId is not the id of a counter in the counterset") \
    X(RULE_STRINGS_OFFSET, "perflibv2.rule.strings_offset", "2.2.4.4", RULE_WHO_SERVER, PI_ERROR, \
        "dwOffset points to a string inside the buffer", "dwOffset does not point to a string inside the buffer") \
    X(RULE_STRINGS_OFFSET_BASE, "perflibv2.rule.strings_offset_base", "2.2.4.4", RULE_WHO_SERVER, PI_NOTE, \
        "dwOffset counts from the end of the _STRING_COUNTER_HEADER structures", \
        "dwOffset does not count from the end of the _STRING_COUNTER_HEADER structures") \
    X(RULE_INSTANCE_UNIQUE, "perflibv2.rule.instance_unique", "2.2.4.5", RULE_WHO_SERVER, PI_NOTE, \
        "No two instances have the same name and id", "Two instances have the same name and id") \
    X(RULE_IDENTIFIER_SIZE, "perflibv2.rule.identifier_size", "2.2.4.6", RULE_WHO_BOTH, PI_WARN, \
        "Size of _PERF_COUNTER_IDENTIFIER covers structure and name, and is a multiple of 8 in answers", \
        "Size of _PERF_COUNTER_IDENTIFIER does not cover structure and name, or is not a multiple of 8 in an answer") \
    X(RULE_IDENTIFIER_RESERVED, "perflibv2.rule.identifier_reserved", "2.2.4.6", RULE_WHO_CLIENT, PI_WARN, \
        "Reserved of _PERF_COUNTER_IDENTIFIER is 0", "Reserved of _PERF_COUNTER_IDENTIFIER is not 0") \
    X(RULE_IDENTIFIER_STATUS, "perflibv2.rule.identifier_status", "2.2.4.6", RULE_WHO_SERVER, PI_WARN, \
        "Status of an identifier is a Win32 error code", "Status of an identifier is not a Win32 error code") \
    X(RULE_DATA_TOTAL_SIZE, "perflibv2.rule.data_total_size", "2.2.4.7", RULE_WHO_SERVER, PI_WARN, \
        "dwTotalSize equals the size of the data", "dwTotalSize differs from the size of the data") \
    X(RULE_DATA_NUM_COUNTERS, "perflibv2.rule.data_num_counters", "2.2.4.7", RULE_WHO_SERVER, PI_WARN, \
        "dwNumCounter equals the number of _PERF_COUNTER_HEADER blocks", \
        "dwNumCounter differs from the number of _PERF_COUNTER_HEADER blocks") \
    X(RULE_DATA_TIME, "perflibv2.rule.data_time", "2.2.4.7", RULE_WHO_SERVER, PI_WARN, \
        "PerfTime100NSec and SystemTime are valid times", "PerfTime100NSec or SystemTime is not a valid time") \
    X(RULE_SYSTEM_TIME, "perflibv2.rule.system_time", "2.2.4.7", RULE_WHO_SERVER, PI_NOTE, \
        "SystemTime agrees with PerfTime100NSec, and wDayOfWeek with SystemTime", \
        "SystemTime does not agree with PerfTime100NSec, or wDayOfWeek does not agree with SystemTime") \
    X(RULE_PERF_FREQ, "perflibv2.rule.perf_freq", "2.2.4.7", RULE_WHO_SERVER, PI_NOTE, "PerfFreq is above 0", \
        "PerfFreq is 0") \
    X(RULE_BLOCK_INSTANCES, "perflibv2.rule.block_instances", "2.2.4.8", RULE_WHO_SERVER, PI_WARN, \
        "A block has the instances that its identifier asks for", \
        "A block has other instances than its identifier asks for") \
    X(RULE_BLOCK_SINGLE, "perflibv2.rule.block_single", "2.2.4.8", RULE_WHO_SERVER, PI_WARN, \
        "A block of a single instance does not answer a wildcard of a multiple-instance counterset", \
        "A block of a single instance answers a wildcard of a multiple-instance counterset") \
    X(RULE_BLOCK_STATUS, "perflibv2.rule.block_status", "2.2.4.8", RULE_WHO_SERVER, PI_WARN, \
        "dwStatus is a Win32 error code", "dwStatus is not a Win32 error code") \
    X(RULE_BLOCK_VALUE_STATUS, "perflibv2.rule.block_value_status", "2.2.4.8", RULE_WHO_SERVER, PI_NOTE, \
        "dwStatus of a block with values is 0", "dwStatus of a block with values is not 0") \
    X(RULE_BLOCK_SIZE, "perflibv2.rule.block_size", "2.2.4.8", RULE_WHO_SERVER, PI_WARN, \
        "dwSize of _PERF_COUNTER_HEADER covers its block and is a multiple of 8", \
        "dwSize of _PERF_COUNTER_HEADER does not cover its block, or is not a multiple of 8") \
    X(RULE_BLOCK_TYPE, "perflibv2.rule.block_type", "2.2.4.8", RULE_WHO_SERVER, PI_WARN, \
        "dwType is one of the listed values", "dwType is not a listed value") \
    X(RULE_BLOCK_RESERVED, "perflibv2.rule.block_reserved", "2.2.4.8", RULE_WHO_SERVER, PI_WARN, \
        "Reserved of _PERF_COUNTER_HEADER is 0", "Reserved of _PERF_COUNTER_HEADER is not 0") \
    X(RULE_VALUE_SIZE, "perflibv2.rule.value_size", "2.2.4.9", RULE_WHO_SERVER, PI_WARN, \
        "dwSize of _PERF_COUNTER_DATA covers header and data and is a multiple of 8", \
        "dwSize of _PERF_COUNTER_DATA does not cover header and data, or is not a multiple of 8") \
    X(RULE_MULTI_INSTANCES_SIZE, "perflibv2.rule.multi_instances_size", "2.2.4.10", RULE_WHO_SERVER, PI_WARN, \
        "dwTotalSize of _PERF_MULTI_INSTANCES covers header and instances", \
        "dwTotalSize of _PERF_MULTI_INSTANCES does not cover header and instances") \
    X(RULE_MULTI_COUNTERS_SIZE, "perflibv2.rule.multi_counters_size", "2.2.4.11", RULE_WHO_SERVER, PI_WARN, \
        "dwSize of _PERF_MULTI_COUNTERS covers header and ids", \
        "dwSize of _PERF_MULTI_COUNTERS does not cover header and ids") \
    X(RULE_MACHINE_STRING, "perflibv2.rule.machine_string", "3.1.4", RULE_WHO_CLIENT, PI_ERROR, \
        "szMachine is a null-terminated string whose counts agree", \
        "szMachine is not a null-terminated string, or its counts disagree") \
    X(RULE_LPDATA_COUNT, "perflibv2.rule.lpdata_count", "3.1.4.1", RULE_WHO_BOTH, PI_ERROR, \
        "The size of lpData agrees with its count and the size parameters", \
        "The size of lpData does not agree with its count or the size parameters") \
    X(RULE_IN_SIZE_RANGE, "perflibv2.rule.in_size_range", "3.1.4.1", RULE_WHO_CLIENT, PI_ERROR, \
        "dwInSize is within the method's range", "dwInSize is outside the method's range") \
    X(RULE_HANDLE_NULL, "perflibv2.rule.handle_null", "3.1.4.1", RULE_WHO_CLIENT, PI_ERROR, \
        "Calls do not use a NULL query handle", "A call uses a NULL query handle") \
    X(RULE_MAX_COUNT, "perflibv2.rule.max_count", "3.1.4.1", RULE_WHO_SERVER, PI_ERROR, \
        "The maximum count of lpData equals dwInSize", "The maximum count of lpData differs from dwInSize") \
    X(RULE_ARRAY_OFFSET, "perflibv2.rule.array_offset", "3.1.4.1", RULE_WHO_SERVER, PI_ERROR, \
        "lpData starts with its first element", "lpData does not start with its first element") \
    X(RULE_OUT_SIZE_ROOM, "perflibv2.rule.out_size_room", "3.1.4.1", RULE_WHO_SERVER, PI_ERROR, \
        "pdwOutSize is not above dwInSize", "pdwOutSize is above dwInSize") \
    X(RULE_OUT_SIZE_NEEDED, "perflibv2.rule.out_size_needed", "3.1.4.1", RULE_WHO_SERVER, PI_WARN, \
        "pdwOutSize is not above pdwRtnSize", "pdwOutSize is above pdwRtnSize") \
    X(RULE_OUT_SIZE_ALL, "perflibv2.rule.out_size_all", "3.1.4.1", RULE_WHO_SERVER, PI_WARN, \
        "pdwOutSize is not below pdwRtnSize if a call succeeds", \
        "pdwOutSize is below pdwRtnSize although the call succeeds") \
    X(RULE_TOO_SMALL, "perflibv2.rule.too_small", "3.1.4.1", RULE_WHO_SERVER, PI_WARN, \
        "ERROR_NOT_ENOUGH_MEMORY is returned if, and only if, pdwRtnSize is above dwInSize", \
        "ERROR_NOT_ENOUGH_MEMORY does not agree with pdwRtnSize and dwInSize") \
    X(RULE_RETURN_CODE, "perflibv2.rule.return_code", "3.1.4.1", RULE_WHO_SERVER, PI_WARN, \
        "The return value is a Win32 error code", "The return value is not a Win32 error code") \
    X(RULE_RETURN_CODE_LISTED, "perflibv2.rule.return_code_listed", "3.1.4.1", RULE_WHO_SERVER, PI_NOTE, \
        "The return value is listed for the method", "The return value is not listed for the method") \
    X(RULE_OUT_SIZE_ZERO, "perflibv2.rule.out_size_zero", "3.1.4.1.1", RULE_WHO_SERVER, PI_WARN, \
        "pdwOutSize is 0 if dwInSize is below the number of GUIDs", \
        "pdwOutSize is not 0 although dwInSize is below the number of GUIDs") \
    X(RULE_GUID_COUNT, "perflibv2.rule.guid_count", "3.1.4.1.1", RULE_WHO_SERVER, PI_WARN, \
        "All GUIDs are returned if there is room for them", \
        "Not all GUIDs are returned although there is room for them") \
    X(RULE_GUID_LIMIT, "perflibv2.rule.guid_limit", "3.1.4.1.1", RULE_WHO_SERVER, PI_NOTE, \
        "There are at most 256 GUIDs, the most that a client can ask for", \
        "There are more than 256 GUIDs, the most that a client can ask for") \
    X(RULE_REQUEST_CODE, "perflibv2.rule.request_code", "3.1.4.1.2", RULE_WHO_CLIENT, PI_ERROR, \
        "RequestCode is one of the listed values", "RequestCode is not a listed value") \
    X(RULE_REQUEST_LCID, "perflibv2.rule.request_lcid", "3.1.4.1.2", RULE_WHO_CLIENT, PI_WARN, \
        "RequestLCID is 0 if the request code does not use it", \
        "RequestLCID is not 0, although the request code does not use it") \
    X(RULE_REQUEST_CODE_REFUSED, "perflibv2.rule.request_code_refused", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "A request code that is not listed is answered with ERROR_INVALID_PARAMETER", \
        "A request code that is not listed is not answered with ERROR_INVALID_PARAMETER") \
    X(RULE_REGISTRATION_EMPTY, "perflibv2.rule.registration_empty", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "A successful QueryCounterSetRegistrationInfo returns the requested data", \
        "A successful QueryCounterSetRegistrationInfo does not return the requested data") \
    X(RULE_COUNTERSET_GUID, "perflibv2.rule.counterset_guid", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "CounterSetGuid is the requested one", "CounterSetGuid is not the requested one") \
    X(RULE_REG_NUM_COUNTERS, "perflibv2.rule.reg_num_counters", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "NumCounters equals the number of _PERF_COUNTER_REG_INFO structures", \
        "NumCounters differs from the number of _PERF_COUNTER_REG_INFO structures") \
    X(RULE_COUNTER_ID, "perflibv2.rule.counter_id", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "CounterId is the requested one", "CounterId is not the requested one") \
    X(RULE_STRINGS_ALIGNED, "perflibv2.rule.strings_aligned", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "A string buffer's size is a multiple of 8", "A string buffer's size is not a multiple of 8") \
    X(RULE_STRING_TERMINATED, "perflibv2.rule.string_terminated", "3.1.4.1.2", RULE_WHO_SERVER, PI_WARN, \
        "Strings are null-terminated", "A string is not null-terminated") \
    X(RULE_INSTANCE_SIZE, "perflibv2.rule.instance_size", "3.1.4.1.3", RULE_WHO_SERVER, PI_WARN, \
        "Size of _PERF_INSTANCE_HEADER covers header and name and is a multiple of 8", \
        "Size of _PERF_INSTANCE_HEADER does not cover header and name, or is not a multiple of 8") \
    X(RULE_INSTANCE_TERMINATED, "perflibv2.rule.instance_terminated", "3.1.4.1.3", RULE_WHO_SERVER, PI_WARN, \
        "Instance names are null-terminated", "An instance name is not null-terminated") \
    X(RULE_INSTANCE_SINGLE, "perflibv2.rule.instance_single", "3.1.4.1.3", RULE_WHO_SERVER, PI_WARN, \
        "A single-instance counterset has one instance", \
        "A single-instance counterset does not have exactly one instance") \
    X(RULE_INSTANCES_NONE, "perflibv2.rule.instances_none", "3.1.4.1.3", RULE_WHO_SERVER, PI_NOTE, \
        "ERROR_WMI_INSTANCE_NOT_FOUND is returned if there is no instance", \
        "ERROR_WMI_INSTANCE_NOT_FOUND is not returned although there is no instance") \
    X(RULE_HANDLE_OPENED, "perflibv2.rule.handle_opened", "3.1.4.1.4", RULE_WHO_SERVER, PI_WARN, \
        "A successful OpenQueryHandle returns a handle that is not NULL", \
        "A successful OpenQueryHandle returns a NULL handle") \
    X(RULE_HANDLE_SERVER, "perflibv2.rule.handle_server", "3.1.4.1.5", RULE_WHO_CLIENT, PI_ERROR, \
        "A query handle is used on the server that opened it", \
        "A query handle is used on another server than the one that opened it") \
    X(RULE_INFO_IDENTIFIERS, "perflibv2.rule.info_identifiers", "3.1.4.1.5", RULE_WHO_SERVER, PI_WARN, \
        "QueryCounterInfo returns as many identifiers as were added", \
        "QueryCounterInfo returns more or fewer identifiers than were added") \
    X(RULE_INFO_COUNTERS, "perflibv2.rule.info_counters", "3.1.4.1.5", RULE_WHO_SERVER, PI_WARN, \
        "QueryCounterInfo returns counters and instances that were added", \
        "QueryCounterInfo returns counters or instances that were not added") \
    X(RULE_INDEX_RANGE, "perflibv2.rule.index_range", "3.1.4.1.5", RULE_WHO_SERVER, PI_WARN, \
        "Index is below the number of identifiers", "Index is not below the number of identifiers") \
    X(RULE_INDEX_UNIQUE, "perflibv2.rule.index_unique", "3.1.4.1.5", RULE_WHO_SERVER, PI_WARN, \
        "No two identifiers have the same Index", "Two identifiers have the same Index") \
    X(RULE_INFO_PADDING, "perflibv2.rule.info_padding", "3.1.4.1.5", RULE_WHO_SERVER, PI_WARN, \
        "Padding after instance names of QueryCounterInfo is 0", \
        "Padding after instance names of QueryCounterInfo is not 0") \
    X(RULE_BLOCK_IDENTIFIER, "perflibv2.rule.block_identifier", "3.1.4.1.5", RULE_WHO_SERVER, PI_WARN, \
        "A block answers the identifier whose Index is its position", \
        "A block does not answer the identifier whose Index is its position") \
    X(RULE_POLL_EMPTY, "perflibv2.rule.poll_empty", "3.1.4.1.6", RULE_WHO_SERVER, PI_WARN, \
        "A successful QueryCounterData returns a _PERF_DATA_HEADER", \
        "A successful QueryCounterData returns no _PERF_DATA_HEADER") \
    X(RULE_INSTANCE_PADDING, "perflibv2.rule.instance_padding", "3.1.4.1.6", RULE_WHO_SERVER, PI_WARN, \
        "Padding after instance names in counter data is 0", "Padding after instance names in counter data is not 0") \
    X(RULE_POLL_BLOCKS, "perflibv2.rule.poll_blocks", "3.1.4.1.6", RULE_WHO_SERVER, PI_WARN, \
        "QueryCounterData returns a block for each identifier of the query", \
        "QueryCounterData does not return a block for each identifier of the query") \
    X(RULE_BLOCK_ERROR_ALONE, "perflibv2.rule.block_error_alone", "3.1.4.1.6", RULE_WHO_SERVER, PI_WARN, \
        "A PERF_ERROR_RETURN block consists of the header only", \
        "A PERF_ERROR_RETURN block contains more than the header") \
    X(RULE_BLOCK_ERROR_STATUS, "perflibv2.rule.block_error_status", "3.1.4.1.6", RULE_WHO_SERVER, PI_WARN, \
        "dwStatus of a PERF_ERROR_RETURN block is an error", "dwStatus of a PERF_ERROR_RETURN block is not an error") \
    X(RULE_BLOCK_COUNTER_IDS, "perflibv2.rule.block_counter_ids", "3.1.4.1.6", RULE_WHO_SERVER, PI_WARN, \
        "The counter ids of a block belong to its counterset", \
        "A counter id of a block does not belong to its counterset") \
    X(RULE_VALIDATE_ROOM, "perflibv2.rule.validate_room", "3.1.4.1.7", RULE_WHO_CLIENT, PI_ERROR, \
        "lpData of ValidateCounters contains at least one _PERF_COUNTER_IDENTIFIER", \
        "lpData of ValidateCounters contains no _PERF_COUNTER_IDENTIFIER") \
    X(RULE_ADD_VALUE, "perflibv2.rule.add_value", "3.1.4.1.7", RULE_WHO_CLIENT, PI_WARN, "dwAdd is TRUE or FALSE", \
        "dwAdd is neither TRUE nor FALSE") \
    X(RULE_VALIDATE_REFUSED, "perflibv2.rule.validate_refused", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "A buffer without room for one _PERF_COUNTER_IDENTIFIER is refused", \
        "A buffer without room for one _PERF_COUNTER_IDENTIFIER is accepted") \
    X(RULE_IDENTIFIER_TERMINATED, "perflibv2.rule.identifier_terminated", "3.1.4.1.7", RULE_WHO_BOTH, PI_WARN, \
        "Instance names in identifiers are null-terminated", \
        "An instance name in an identifier is not null-terminated") \
    X(RULE_IDENTIFIER_NAME, "perflibv2.rule.identifier_name", "3.1.4.1.7", RULE_WHO_CLIENT, PI_WARN, \
        "An identifier of a multiple-instance counterset has an instance name", \
        "An identifier of a multiple-instance counterset has no instance name") \
    X(RULE_IDENTIFIER_ECHO, "perflibv2.rule.identifier_echo", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "ValidateCounters returns the identifiers that it received", \
        "ValidateCounters does not return the identifiers that it received") \
    X(RULE_SHORT_IDENTIFIER_REFUSED, "perflibv2.rule.short_identifier_refused", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "An identifier whose Size is below 40 is refused", "An identifier whose Size is below 40 is accepted") \
    X(RULE_ADDED_TWICE, "perflibv2.rule.added_twice", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "An identifier that an earlier call added is refused", \
        "An identifier that an earlier call added is accepted again") \
    X(RULE_REMOVED_UNKNOWN, "perflibv2.rule.removed_unknown", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "The removal of an identifier that was not added is refused", \
        "The removal of an identifier that was not added is accepted") \
    X(RULE_ALREADY_EXISTS, "perflibv2.rule.already_exists", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "ERROR_ALREADY_EXISTS is returned only for identifiers being added", \
        "ERROR_ALREADY_EXISTS is returned for an identifier that was not being added") \
    X(RULE_ADDED_GUID, "perflibv2.rule.added_guid", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "An identifier of a counterset that the server does not have is refused", \
        "An identifier of a counterset that the server does not have is accepted") \
    X(RULE_ADDED_COUNTER, "perflibv2.rule.added_counter", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "An identifier of a counter that its counterset does not have is refused", \
        "An identifier of a counter that its counterset does not have is accepted") \
    X(RULE_VALIDATE_STATUS, "perflibv2.rule.validate_status", "3.1.4.1.7", RULE_WHO_SERVER, PI_NOTE, \
        "Status of an identifier is one of the listed values", "Status of an identifier is not a listed value") \
    X(RULE_BLOCK_ALL_COUNTERS, "perflibv2.rule.block_all_counters", "3.1.4.1.7", RULE_WHO_SERVER, PI_WARN, \
        "A block for CounterId 0xFFFFFFFF has all counters of the counterset, each once", \
        "A block for CounterId 0xFFFFFFFF does not have all counters of the counterset, or has one twice") \
    X(RULE_HANDLE_AFTER_CLOSE, "perflibv2.rule.handle_after_close", "3.1.4.1.8", RULE_WHO_CLIENT, PI_ERROR, \
        "A query handle is not used after it was closed", "A query handle is used after it was closed") \
    X(RULE_HANDLE_CLOSED, "perflibv2.rule.handle_closed", "3.1.4.1.8", RULE_WHO_SERVER, PI_WARN, \
        "phQuery is NULL after a successful CloseQueryHandle", \
        "phQuery is not NULL after a successful CloseQueryHandle") \
    X(RULE_HANDLE_REFUSED, "perflibv2.rule.handle_refused", "3.1.4.1.8", RULE_WHO_SERVER, PI_WARN, \
        "A call on a closed query handle is refused", "A call on a closed query handle is not refused") \
    X(RULE_HANDLE_UNIQUE, "perflibv2.rule.handle_unique", "3.2", RULE_WHO_SERVER, PI_WARN, \
        "An open query handle is not given out again", "An open query handle is given out again")
/* clang-format on */

#define RULE_NUMBER(number, ...) number,
enum perflibv2_rule { PERFLIBV2_RULES(RULE_NUMBER) NUM_RULES };
#undef RULE_NUMBER

enum rule_who { RULE_WHO_CLIENT, RULE_WHO_SERVER, RULE_WHO_BOTH };

struct rule {
    const char *filter; /* "perflibv2.rule.<id>" */
    const char *section;
    enum rule_who who;
    /*
     * PI_ERROR: a peer would reject the PDU; PI_WARN: [MS-PCQ] says MUST, or is as definite; PI_NOTE: it says SHOULD,
     * or Windows deviates from it. PI_NOTE violations do not count as broken rules.
     */
    int severity;
    const char *sentence; /* the rule as a sentence */
    const char *fault;    /* title of the rule's findings, which describes the violation */
};

/* ---- rules-report.c ---- */

extern const struct rule perflibv2_rules[NUM_RULES];

#endif /* PERFLIB_PERFLIBV2_RULES_LIST_H */
