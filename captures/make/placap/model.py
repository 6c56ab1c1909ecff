# SPDX-License-Identifier: GPL-2.0-or-later
"""What the server's objects do: enough of [MS-PLA] 3.2.4 for a session to make sense."""

from impacket.dcerpc.v5.dcom.oaut import VARENUM

from . import stubs

S_OK, IGNORED, NOT_FOUND, IN_USE, EXISTS, INVALID, CONFLICT = (
    0, 0x00300100, 0x80300002, 0x803000AA, 0x803000B7, 0x80070057, 0x80300101)
CLASSES = {'03837531' + stubs.TAIL: 'IDataCollectorSet', '03837532' + stubs.TAIL: 'IDataCollectorSetCollection'}
COLLECTOR_TYPES = ('IPerformanceCounterDataCollector', 'ITraceDataCollector', 'IConfigurationDataCollector',
                   'IAlertDataCollector', 'IApiTracingDataCollector')
DEFAULTS = {'unsigned long': 0, 'ULONG': 0, 'long': 0, 'ULONG64': 0x2A, 'VARIANT_BOOL': False,
            'GUID': '00000000-0000-0000-0000-000000000000', 'BSTR': stubs.NULL_BSTR, 'SAFEARRAY(BSTR)': [],
            'SAFEARRAY(BYTE)': b'', 'VARIANT': (VARENUM.VT_I4, 0)}
FIRST_VALUES = {'StreamMode': 1, 'ValueMapType': 1}


class Object:
    def __init__(self, number, interface, **properties):
        self.number, self.interface = number, interface
        self.properties, self.items = properties, []


class Model:
    def __init__(self):
        self.last = 0x7A00
        self.stored = {}                # name -> data collector set

    def new(self, interface, **properties):
        self.last += 1
        return Object(self.last, interface, **properties)

    def create(self, clsid):
        return self.new(CLASSES[clsid])

    def call(self, target, interface, method, arguments):
        """Returns ({out parameter: value, an object as (object, interface)}, HRESULT)."""
        parameters = stubs.INTERFACES[interface][stubs.opnum_of(interface, method)][1]
        outs = [(name, kind) for out, name, kind in parameters if out]
        special = getattr(self, method.replace(' (Get)', '_get').lower(), None)
        if special:
            return special(target, outs, **arguments)
        name, verb = stubs.property_of(method)
        if verb == 'Put':
            target.properties[name] = next(iter(arguments.values()))
            return {}, S_OK
        if verb == 'Get':
            return {outs[0][0]: self.value(target, name, outs[0][1])}, S_OK
        # Whatever else returns an object returns a new one.
        return {out: self.fresh(kind) for out, kind in outs}, S_OK

    def fresh(self, kind):
        if kind.endswith('*'):
            interface = kind.rstrip('*')
            return self.new(interface), interface
        return DEFAULTS.get(kind, FIRST_VALUES.get(kind, 0))

    def value(self, target, name, kind):
        if name not in target.properties:
            target.properties[name] = self.fresh(kind)
        return target.properties[name]

    # Collections

    def count_get(self, target, outs):
        return {outs[0][0]: len(target.items)}, S_OK

    def item_get(self, target, outs, **arguments):
        (_, index), = arguments.values()
        if not 0 <= index < len(target.items):
            return {outs[0][0]: None}, INVALID
        return {outs[0][0]: (target.items[index], outs[0][1].rstrip('*'))}, S_OK

    def add(self, target, _, **arguments):
        target.items += [item for item in arguments.values() if isinstance(item, Object)]
        return {}, S_OK

    def remove(self, target, _, **arguments):
        (_, index), = arguments.values()
        if index >= len(target.items):
            return {}, INVALID
        del target.items[index]
        return {}, S_OK

    def clear(self, target, _):
        target.items = []
        return {}, S_OK

    def createdatacollector(self, target, outs, Type):
        collector = self.new(COLLECTOR_TYPES[Type], DataCollectorType=Type)
        target.items.append(collector)
        return {outs[0][0]: (collector, 'IDataCollector')}, S_OK

    def getdatacollectorsets(self, target, _, server, filter):
        target.items = list(self.stored.values())
        return {}, S_OK

    # Data collector sets

    def query(self, target, _, **arguments):
        name = next(iter(arguments.values()))
        if target.interface != 'IDataCollectorSet':
            target.properties['DisplayName'] = name
            return {}, S_OK
        if name not in self.stored:
            return {}, NOT_FOUND
        target.properties = self.stored[name].properties
        return {}, S_OK

    def commit(self, target, outs, name, server, mode):
        target.properties.update(Name=name, Server=server)
        if mode & 3 == 1 and name in self.stored:
            return {outs[0][0]: None}, EXISTS
        problems = []
        if 'TaskArguments' in target.properties and 'Task' not in target.properties:
            problems.append(('TaskArguments', IGNORED))
        if target.properties.get('SubdirectoryFormat') == 1 and not target.properties.get('SubdirectoryFormatPattern'):
            problems.append(('SubdirectoryFormatPattern', CONFLICT))
        if not mode & 0x1000:
            self.stored[name] = target
        validation = self.new('IValueMap', ValueMapType=4)
        validation.items = [
            self.new('IValueMapItem', Key=key, Enabled=True, ValueMapType=4,
                     Value=(VARENUM.VT_I4, code - (code >> 31 << 32))) for key, code in problems]
        return {outs[0][0]: (validation, 'IValueMap')}, IGNORED if problems else S_OK

    def delete(self, target, _):
        self.stored.pop(target.properties.get('Name'), None)
        return {}, S_OK

    def start(self, target, _, Synchronous):
        if target.properties.get('Status'):
            return {}, IN_USE
        target.properties['Status'] = 1
        return {}, S_OK

    def stop(self, target, _, Synchronous):
        if not target.properties.get('Status'):
            return {}, 0x80300104
        target.properties['Status'] = 0
        return {}, S_OK

    def setvalue(self, target, _, key, value):
        target.properties.setdefault('values', {})[key] = value
        return {}, S_OK

    def getvalue(self, target, outs, key):
        return {outs[0][0]: target.properties.get('values', {}).get(key, stubs.NULL_BSTR)}, S_OK

    def xml_get(self, target, outs):
        name = target.properties.get('Name')
        name = name if isinstance(name, str) else ''
        return {outs[0][0]: '<?xml version="1.0" encoding="UTF-16"?>\r\n<DataCollectorSet>\r\n\t<Status>0</Status>\r\n'
                f'\t<Name>{name}</Name>\r\n</DataCollectorSet>\r\n'}, S_OK
