#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records captures/pla-*.pcapng: impacket's DCOM client drives a data collector set on a server of ours.

All stubs are marshalled by impacket on both sides. Beside each capture goes a record of every call. Needs root (own network
namespace, packet capture, port 135) and Debian's python3-impacket, tcpdump and wireshark-common.

    captures/make/pla_impacket.py [--into DIR] [NAME...]
"""

import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from impacket.dcerpc.v5.dcom.oaut import VARENUM  # noqa: E402
from impacket.dcerpc.v5.rpcrt import RPC_C_AUTHN_LEVEL_NONE, RPC_C_AUTHN_LEVEL_PKT_PRIVACY  # noqa: E402
from perfcap.alone import main  # noqa: E402
from perfcap.recorder import Recorder, write_pcapng  # noqa: E402
from placap import client, model, server, stubs  # noqa: E402

USER, PASSWORD = 'plauser', 'Perf-Lib2'
SET_CLASS, SETS_CLASS = '03837531' + stubs.TAIL, '03837532' + stubs.TAIL
XML = ('<?xml version="1.0" encoding="UTF-16"?>\r\n<DataCollectorSet>\r\n\t<Name>Web servers</Name>\r\n'
       '\t<Duration>3600</Duration>\r\n\t<PerformanceCounterDataCollector>\r\n'
       '\t\t<Counter>\\Processor(_Total)\\% Processor Time</Counter>\r\n\t</PerformanceCounterDataCollector>\r\n'
       '</DataCollectorSet>\r\n')


def session(connection):
    """An administrator's day: make a set, let it be validated, run it, look around, delete it."""
    work = client.create(connection, SET_CLASS, 'IDataCollectorSet')
    work.put('DisplayName', 'Web-Server überwachen')
    work.put('Description', 'Prozessor, Speicher und 日本語')
    work.put('Keywords', ['web', 'größe', '監視'])
    work.put('RootPath', r'C:\PerfLogs\Admin\Web')
    work.put('Duration', 3600)
    work.put('Segment', True)
    work.put('SegmentMaxDuration', 0)
    work.put('SubdirectoryFormat', 0x0101)
    work.put('SubdirectoryFormat', 1)
    work.put('TaskArguments', '{usertext}')
    work.call('SetCredentials', r'WORKGROUP\plauser', PASSWORD)
    work.put('Security', 'D:P(A;;GA;;;BA)(A;;GR;;;LU)')
    work.call('SetValue', 'color', 'blue')
    work.call('GetValue', 'color')
    work.call('GetValue', 'nothing')

    collectors = work.get('DataCollectors')
    performance = collectors.call('CreateDataCollector', 0).query_interface('IPerformanceCounterDataCollector')
    performance.put('Name', 'Counters')
    performance.put('PerformanceCounters', [r'\Processor(_Total)\% Processor Time', r'\Memory\Available MBytes',
                                            r'\\WEB01\Process(w3wp/0#2)\Working Set'])
    performance.get('PerformanceCounters')
    performance.put('SampleInterval', 15)
    performance.put('LogFileFormat', 3)
    performance.put('FileNameFormat', 0x0203)
    performance.put('FileNameFormatPattern', r'yyyyMMdd\-NNN')
    alert = collectors.call('CreateDataCollector', 3).query_interface('IAlertDataCollector')
    alert.put('Name', 'Alerts')
    alert.put('AlertThresholds', [r'\Processor(_Total)\% Processor Time>90', r'\Memory\Available MBytes<100'])
    alert.put('TriggerDataCollectorSet', 'Dump')
    trace = collectors.call('CreateDataCollector', 1).query_interface('ITraceDataCollector')
    trace.put('StreamMode', 1)
    trace.put('ClockType', 1)
    trace.put('ExtendedModes', 0x01004000)
    trace.put('Guid', '9e814aad-3204-11d2-9a82-006008a86939')
    trace.get('SessionId')
    providers = trace.get('TraceDataProviders')
    provider = providers.call('CreateTraceDataProvider')
    provider.call('Query', 'Microsoft-Windows-HttpService', stubs.NULL_BSTR)
    provider.put('Guid', 'dd5ef90a-6398-47a4-ad34-4dcecdef795f')
    provider.put('FilterData', b'\x01\x02\x03\x00\xff')
    provider.get('FilterData')
    keywords = provider.get('KeywordsAny')
    keywords.put('Value', (VARENUM.VT_UI8, 0x8000000000000001))
    keywords.put('ValueMapType', 2)
    provider.get('Level').put('Value', (VARENUM.VT_I4, 5))
    providers.call('Add', provider)
    configuration = collectors.call('CreateDataCollector', 2).query_interface('IConfigurationDataCollector')
    configuration.put('RegistryKeys', [r'HKLM\SYSTEM\CurrentControlSet\Services\HTTP'])
    configuration.put('ManagementQueries', [r'root\cimv2:SELECT * FROM Win32_OperatingSystem'])
    collectors.get('Count')
    collectors.call('Item (Get)', (VARENUM.VT_I4, 1)).get('Name')
    collectors.fails('Item (Get)', (VARENUM.VT_UI4, 9))

    schedules = work.get('Schedules')
    schedule = schedules.call('CreateSchedule')
    schedule.put('StartDate', (VARENUM.VT_DATE, 45658.25))
    schedule.put('EndDate', (VARENUM.VT_DATE, 45688.0))
    schedule.put('StartTime', (VARENUM.VT_DATE, 0.75))
    schedule.put('Days', 0x3E)
    schedules.call('Add', schedule)
    manager = work.get('DataManager')
    manager.put('MinFreeDisk', 200)
    manager.put('ResourcePolicy', 1)
    action = manager.get('FolderActions').call('CreateFolderAction')
    action.put('Age', 7)
    action.put('Actions', 0x03)

    validation = work.call('Commit', 'Web servers', None, 0x0003)
    for number in range(validation.get('Count')):
        item = validation.call('Item (Get)', (VARENUM.VT_I4, number))
        item.get('Key')
        item.get('Value')
    work.fails('Commit', 'Web servers', 'WEB01', 0x0001)
    work.call('Start', False)
    work.get('Status')
    work.fails('Start', True)
    manager.call('Run', 0x0B, r'C:\PerfLogs\Admin\Web\20250101-001')
    manager.call('Extract', r'C:\PerfLogs\a.cab', r'\\fileserver\share')
    work.call('Stop', True)
    work.get('Xml')
    work.call('SetXml', XML)

    other = client.create(connection, SET_CLASS, 'IDataCollectorSet')
    other.fails('Query', 'No such set', stubs.NULL_BSTR)
    other.call('Query', 'Web servers', None)
    other.get('OutputLocation')
    sets = client.create(connection, SETS_CLASS, 'IDataCollectorSetCollection')
    sets.call('GetDataCollectorSets', stubs.NULL_BSTR, stubs.NULL_BSTR)
    sets.get('Count')
    sets.call('Item (Get)', (VARENUM.VT_I4, 0)).get('Name')
    other.call('Delete')


def argument(kind, number):
    """A value that suits the type, another for every call."""
    if kind in ('unsigned long', 'ULONG', 'long'):
        return 100 + number
    values = {'ULONG64': 1 << 40, 'VARIANT_BOOL': number % 2 == 1, 'GUID': f'{number:08x}-0000-4000-8000-0123456789ab',
              'BSTR': f'Text {number} äöü', 'SAFEARRAY(BSTR)': [f'Text {number}', 'zwei', ''],
              'SAFEARRAY(BYTE)': bytes(range(number % 7)), 'VARIANT': (VARENUM.VT_I4, 0)}
    return values.get(kind, 1)


def every_method(connection):
    """Each of the 300 methods once, each on an object that has it."""
    work = client.create(connection, SET_CLASS, 'IDataCollectorSet')
    collectors = work.get('DataCollectors')
    manager = work.get('DataManager')
    derived = {name: collectors.call('CreateDataCollector', number).query_interface(name)
               for number, name in enumerate(model.COLLECTOR_TYPES)}
    providers = derived['ITraceDataCollector'].get('TraceDataProviders')
    provider = providers.call('CreateTraceDataProvider')
    values = provider.get('Properties')
    schedules = work.get('Schedules')
    actions = manager.get('FolderActions')
    objects = {
        'IDataCollectorSet': work, 'IDataManager': manager, 'IFolderAction': actions.call('CreateFolderAction'),
        'IFolderActionCollection': actions, 'IDataCollector': collectors.call('Item (Get)', (VARENUM.VT_I4, 0)), **derived,
        'ITraceDataProvider': provider, 'ISchedule': schedules.call('CreateSchedule'),
        'ITraceDataProviderCollection': providers, 'IScheduleCollection': schedules, 'IDataCollectorCollection': collectors,
        'IDataCollectorSetCollection': client.create(connection, SETS_CLASS, 'IDataCollectorSetCollection'),
        'IValueMapItem': values.call('CreateValueMapItem'), 'IValueMap': values,
    }
    number = 0
    for interface, target in objects.items():
        for opnum, (method, parameters) in stubs.INTERFACES[interface].items():
            if interface in stubs.DERIVED and opnum < 32:
                continue
            number += 1
            arguments = [objects.get(kind.rstrip('*'), target) if kind.endswith('*') else argument(kind, number)
                         for out, _, kind in parameters if not out]
            try:
                target.call(method, *arguments)
            except client.Failed:
                pass


SCENARIOS = {
    'pla-session': (session, RPC_C_AUTHN_LEVEL_NONE),
    'pla-sealed': (session, RPC_C_AUTHN_LEVEL_PKT_PRIVACY),
    'pla-every-method': (every_method, RPC_C_AUTHN_LEVEL_NONE),
}


def record(name, into):
    scenario, level = SCENARIOS[name]
    random.seed(name)
    served = server.Server(model.Model(), level, {USER: PASSWORD})
    with Recorder(served.ports) as recorder:
        connection = client.connect(USER if level > 1 else '', PASSWORD if level > 1 else '', level)
        scenario(connection)
        connection.disconnect()
    write_pcapng(into / f'{name}.pcapng', recorder.frames, f'Made by captures/make/pla_impacket.py {name}')
    facts = {'interface': {'name': 'PLA'}, 'capture': f'{name}.pcapng',
             'client': "impacket's dcomrt and oaut", 'server': 'captures/make/placap, marshalling by impacket',
             'auth': {'level': level, **({'user': USER, 'password': PASSWORD} if level > 1 else {})}, 'calls': served.calls}
    (into / f'{name}.json').write_text(json.dumps(facts, ensure_ascii=False, separators=(',', ':')) + '\n', encoding='utf-8')
    print(f'{name}: {len(served.calls)} calls, {len(recorder.frames)} frames')


if __name__ == '__main__':
    main(__doc__, SCENARIOS, record)
