/* methods-trace.c
 * Tables of [MS-PLA]: methods of ITraceDataCollector (3.2.4.9) and IApiTracingDataCollector (3.2.4.10)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/method-table.h"

static int hf_pla_buffer_size = -1;
static int hf_pla_buffers_lost = -1;
static int hf_pla_buffers_written = -1;
static int hf_pla_clock_type = -1;
static int hf_pla_events_lost = -1;
static int hf_pla_extended_modes = -1;
static int hf_pla_flush_timer = -1;
static int hf_pla_free_buffers = -1;
static int hf_pla_session_guid = -1;
static int hf_pla_is_kernel_trace = -1;
static int hf_pla_maximum_buffers = -1;
static int hf_pla_minimum_buffers = -1;
static int hf_pla_number_of_buffers = -1;
static int hf_pla_preallocate_file = -1;
static int hf_pla_process_mode = -1;
static int hf_pla_real_time_buffers_lost = -1;
static int hf_pla_session_id = -1;
static int hf_pla_session_name = -1;
static int hf_pla_session_thread_id = -1;
static int hf_pla_stream_mode = -1;
static int hf_pla_trace_data_providers = -1;
static int hf_pla_log_api_names_only = -1;
static int hf_pla_log_apis_recursively = -1;
static int hf_pla_exe_path = -1;
static int hf_pla_log_file_path = -1;
static int hf_pla_include_modules = -1;
static int hf_pla_include_apis = -1;
static int hf_pla_exclude_apis = -1;

const struct pla_field pla_trace_values[5] = {
    { &hf_pla_buffer_size, NULL, "KB", NULL, PLA_PLAIN, NULL },
    { &hf_pla_clock_type, &pla_clock_type, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_extended_modes, &pla_extended_modes, NULL, NULL, PLA_PLAIN, NULL },
    { &hf_pla_flush_timer, NULL, "s", "when a buffer is full", PLA_PLAIN, NULL },
    { &hf_pla_stream_mode, &pla_stream_mode, NULL, NULL, PLA_PLAIN, NULL },
};

const struct pla_method pla_itracedatacollector_methods[40] = {
    PROPERTY(32, "BufferSize", U32, hf_pla_buffer_size),
    GET(34, "BuffersLost", U32, hf_pla_buffers_lost),
    LOCAL(35, "put_BuffersLost"),
    GET(36, "BuffersWritten", U32, hf_pla_buffers_written),
    LOCAL(37, "put_BuffersWritten"),
    PROPERTY(38, "ClockType", ENUM, hf_pla_clock_type),
    GET(40, "EventsLost", U32, hf_pla_events_lost),
    LOCAL(41, "put_EventsLost"),
    PROPERTY(42, "ExtendedModes", U32, hf_pla_extended_modes),
    PROPERTY(44, "FlushTimer", U32, hf_pla_flush_timer),
    GET(46, "FreeBuffers", U32, hf_pla_free_buffers),
    LOCAL(47, "put_FreeBuffers"),
    PROPERTY(48, "Guid", GUID, hf_pla_session_guid),
    GET(50, "IsKernelTrace", BOOL, hf_pla_is_kernel_trace),
    PROPERTY(51, "MaximumBuffers", U32, hf_pla_maximum_buffers),
    PROPERTY(53, "MinimumBuffers", U32, hf_pla_minimum_buffers),
    PROPERTY(55, "NumberOfBuffers", U32, hf_pla_number_of_buffers),
    PROPERTY(57, "PreallocateFile", BOOL, hf_pla_preallocate_file),
    PROPERTY(59, "ProcessMode", BOOL, hf_pla_process_mode),
    GET(61, "RealTimeBuffersLost", U32, hf_pla_real_time_buffers_lost),
    LOCAL(62, "put_RealTimeBuffersLost"),
    GET(63, "SessionId", U64, hf_pla_session_id),
    LOCAL(64, "put_SessionId"),
    PROPERTY(65, "SessionName", BSTR, hf_pla_session_name),
    GET(67, "SessionThreadId", U32, hf_pla_session_thread_id),
    LOCAL(68, "put_SessionThreadId"),
    PROPERTY(69, "StreamMode", ENUM, hf_pla_stream_mode),
    GET(71, "TraceDataProviders", OBJECT, hf_pla_trace_data_providers),
};

const struct pla_method pla_iapitracingdatacollector_methods[14] = {
    PROPERTY(32, "LogApiNamesOnly", BOOL, hf_pla_log_api_names_only),
    PROPERTY(34, "LogApisRecursively", BOOL, hf_pla_log_apis_recursively),
    PROPERTY(36, "ExePath", BSTR, hf_pla_exe_path),
    PROPERTY(38, "LogFilePath", BSTR, hf_pla_log_file_path),
    PROPERTY(40, "IncludeModules", STRINGS, hf_pla_include_modules),
    PROPERTY(42, "IncludeApis", STRINGS, hf_pla_include_apis),
    PROPERTY(44, "ExcludeApis", STRINGS, hf_pla_exclude_apis),
};

void
pla_trace_methods_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_pla_buffer_size,
            { "BufferSize", "pla.buffer_size", FT_UINT32, BASE_DEC, NULL, 0, "Size of each trace buffer in KB",
                HFILL } },
        { &hf_pla_buffers_lost,
            { "BuffersLost", "pla.buffers_lost", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of trace buffers that could not be written", HFILL } },
        { &hf_pla_buffers_written,
            { "BuffersWritten", "pla.buffers_written", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of trace buffers that were written", HFILL } },
        { &hf_pla_clock_type,
            { "ClockType", "pla.clock_type", FT_UINT32, BASE_DEC, NULL, 0,
                "Clock that the time stamps of events come from", HFILL } },
        { &hf_pla_events_lost,
            { "EventsLost", "pla.events_lost", FT_UINT32, BASE_DEC, NULL, 0, "Number of events that were not written",
                HFILL } },
        { &hf_pla_extended_modes,
            { "ExtendedModes", "pla.extended_modes", FT_UINT32, BASE_HEX, NULL, 0,
                "Further logging modes (EVENT_TRACE_ modes of Windows)", HFILL } },
        { &hf_pla_flush_timer,
            { "FlushTimer", "pla.flush_timer", FT_UINT32, BASE_DEC, NULL, 0,
                "Seconds after which buffers are written; 0 is when a buffer is full", HFILL } },
        { &hf_pla_free_buffers,
            { "FreeBuffers", "pla.free_buffers", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of trace buffers that are not in use", HFILL } },
        { &hf_pla_session_guid,
            { "Guid", "pla.guid", FT_GUID, BASE_NONE, NULL, 0, "GUID of the trace session or trace provider", HFILL } },
        { &hf_pla_is_kernel_trace,
            { "IsKernelTrace", "pla.is_kernel_trace", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the trace contains events of the Windows kernel", HFILL } },
        { &hf_pla_maximum_buffers,
            { "MaximumBuffers", "pla.maximum_buffers", FT_UINT32, BASE_DEC, NULL, 0, "Maximum number of trace buffers",
                HFILL } },
        { &hf_pla_minimum_buffers,
            { "MinimumBuffers", "pla.minimum_buffers", FT_UINT32, BASE_DEC, NULL, 0, "Minimum number of trace buffers",
                HFILL } },
        { &hf_pla_number_of_buffers,
            { "NumberOfBuffers", "pla.number_of_buffers", FT_UINT32, BASE_DEC, NULL, 0, "Number of trace buffers",
                HFILL } },
        { &hf_pla_preallocate_file,
            { "PreallocateFile", "pla.preallocate_file", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether the file gets its maximum size at the start", HFILL } },
        { &hf_pla_process_mode,
            { "ProcessMode", "pla.process_mode", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether only the process that starts the trace writes events to it", HFILL } },
        { &hf_pla_real_time_buffers_lost,
            { "RealTimeBuffersLost", "pla.real_time_buffers_lost", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of trace buffers that could not be delivered in real time", HFILL } },
        { &hf_pla_session_id,
            { "SessionId", "pla.session_id", FT_UINT64, BASE_DEC, NULL, 0,
                "Number of the trace session; only the low 16 bits are valid", HFILL } },
        { &hf_pla_session_name,
            { "SessionName", "pla.session_name", FT_STRING, BASE_NONE, NULL, 0, "Name of the trace session", HFILL } },
        { &hf_pla_session_thread_id,
            { "SessionThreadId", "pla.session_thread_id", FT_UINT32, BASE_DEC, NULL, 0,
                "Thread that writes the trace buffers", HFILL } },
        { &hf_pla_stream_mode,
            { "StreamMode", "pla.stream_mode", FT_UINT32, BASE_DEC, NULL, 0,
                "Where events go: to a file, to a program in real time, or both", HFILL } },
        { &hf_pla_trace_data_providers,
            { "TraceDataProviders", "pla.trace_data_providers", FT_STRING, BASE_NONE, NULL, 0,
                "Object with the trace providers of the data collector", HFILL } },
        { &hf_pla_log_api_names_only,
            { "LogApiNamesOnly", "pla.log_api_names_only", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether only the names of called functions are logged, without arguments", HFILL } },
        { &hf_pla_log_apis_recursively,
            { "LogApisRecursively", "pla.log_apis_recursively", FT_BOOLEAN, BASE_NONE, NULL, 0,
                "Whether calls made inside a logged function are logged as well", HFILL } },
        { &hf_pla_exe_path,
            { "ExePath", "pla.exe_path", FT_STRING, BASE_NONE, NULL, 0, "Program whose API calls are logged", HFILL } },
        { &hf_pla_log_file_path,
            { "LogFilePath", "pla.log_file_path", FT_STRING, BASE_NONE, NULL, 0,
                "File that the API calls are logged to", HFILL } },
        { &hf_pla_include_modules,
            { "IncludeModules", "pla.include_modules", FT_STRING, BASE_NONE, NULL, 0,
                "Modules whose API calls are logged", HFILL } },
        { &hf_pla_include_apis,
            { "IncludeApis", "pla.include_apis", FT_STRING, BASE_NONE, NULL, 0, "Functions whose calls are logged",
                HFILL } },
        { &hf_pla_exclude_apis,
            { "ExcludeApis", "pla.exclude_apis", FT_STRING, BASE_NONE, NULL, 0, "Functions whose calls are not logged",
                HFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
}
