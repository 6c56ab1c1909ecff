# SPDX-License-Identifier: GPL-2.0-or-later
"""The server's side of the eight operations, on a Machine; knows nothing of RPC."""

import fnmatch
import uuid
from random import Random

from . import lpdata
from .lpdata import WILDCARD, Block, Identifier

ERROR_SUCCESS = 0
ERROR_ACCESS_DENIED = 5
ERROR_NOT_ENOUGH_MEMORY = 8
ERROR_INVALID_PARAMETER = 0x57
ERROR_ALREADY_EXISTS = 0xB7
ERROR_NO_DATA = 0xE8
ERROR_PATH_NOT_FOUND = 3
ERROR_NOT_FOUND = 0x490
ERROR_RESOURCE_LANG_NOT_FOUND = 0x717
ERROR_WMI_GUID_NOT_FOUND = 0x1068
ERROR_WMI_INSTANCE_NOT_FOUND = 0x1069
ERROR_WMI_ITEMID_NOT_FOUND = 0x106A

ERROR_NAMES = {value: name for name, value in globals().items() if name.startswith('ERROR_')}

NULL_HANDLE = (0, uuid.UUID(int=0))


class BadHandle(Exception):
    """The RPC runtime refuses the context handle (a fault, not a return code)."""


class Query:
    def __init__(self, reverse):
        self.identifiers = []           # in order of addition
        self.reverse = reverse          # Index counts from the last added

    def ordered(self):
        return list(reversed(self.identifiers)) if self.reverse else list(self.identifiers)


class Service:
    """layout: lpdata.Layout. reverse: every second query numbers its counters from the last added;
    both orders have been seen. check_instances: refuse instances that don't exist when they are added
    (the text of 3.1.4.1.7) instead of reporting them at each poll (what Windows does)."""

    def __init__(self, machine, layout=lpdata.WINDOWS, seed=1, reverse=True, check_instances=False):
        self.machine, self.layout, self.reverse = machine, layout, reverse
        self.check_instances = check_instances
        self.random = Random(seed)
        self.queries = {}
        self.tree = None                # of the last lpData, for the record

    def _fits(self, arguments, data, tree, size=None):
        """The out parameters of opnums 0, 1, 2, 5 and 6: all or, when the buffer is small, nothing."""
        size = len(data) if size is None else size
        room = arguments['dwInSize']
        if size > room:
            return self._refuse(arguments, ERROR_NOT_ENOUGH_MEMORY, size)
        self.tree = tree
        return {'pdwOutSize': size, 'pdwRtnSize': size, 'lpData': (room, data), 'return': ERROR_SUCCESS}

    def _refuse(self, arguments, error, needed=0):
        self.tree = None
        return {'pdwOutSize': 0, 'pdwRtnSize': needed, 'lpData': (arguments['dwInSize'], b''), 'return': error}

    def _query(self, handle):
        try:
            return self.queries[handle]
        except KeyError:
            raise BadHandle(handle) from None

    def call(self, opnum, arguments):
        return (self.enumerate_countersets, self.registration_info, self.enumerate_instances, self.open_query,
                self.close_query, self.counter_info, self.counter_data, self.validate_counters)[opnum](arguments)

    def enumerate_countersets(self, arguments):
        guids = list(self.machine.countersets)
        if len(guids) > arguments['dwInSize']:
            answer = self._refuse(arguments, ERROR_NOT_ENOUGH_MEMORY, len(guids))
            answer['lpData'] = (arguments['dwInSize'], [])
            return answer
        self.tree = None
        return {'pdwOutSize': len(guids), 'pdwRtnSize': len(guids), 'lpData': (arguments['dwInSize'], guids),
                'return': ERROR_SUCCESS}

    def registration_info(self, arguments):
        code, lcid = arguments['RequestCode'], arguments['RequestLCID']
        counterset = self.machine.countersets.get(arguments['CounterSetGuid'])
        if not 1 <= code <= 10:
            return self._refuse(arguments, ERROR_INVALID_PARAMETER)
        if counterset is None:
            return self._refuse(arguments, ERROR_WMI_GUID_NOT_FOUND)
        if code in (3, 4, 5, 6) and lcid and lcid not in self.machine.languages:
            return self._refuse(arguments, ERROR_RESOURCE_LANG_NOT_FOUND)
        if code == 1:
            made = lpdata.counterset_reg_info(counterset, self.layout)
        elif code == 2:
            counter = counterset.counter(lcid)
            if counter is None:
                return self._refuse(arguments, ERROR_WMI_ITEMID_NOT_FOUND)
            made = lpdata.one_counter(counter, self.layout)
        elif code == 3:
            made = lpdata.string(self.machine.counterset_name(counterset, lcid))
        elif code == 4:
            if counterset.help is None:
                return self._refuse(arguments, ERROR_NOT_FOUND)
            made = lpdata.string(counterset.help)
        elif code == 5:
            made = lpdata.strings(((counter.id, self.machine.counter_name(counter, lcid))
                                   for counter in counterset.counters), self.layout)
        elif code == 6:
            if not counterset.has_counter_help:
                return self._refuse(arguments, ERROR_NOT_FOUND)
            made = lpdata.strings(((counter.id, counter.help) for counter in counterset.counters), self.layout)
        elif code == 7:
            made = lpdata.string(counterset.provider_name)
        elif code == 8:
            made = lpdata.guid(counterset.provider_guid)
        elif code == 9:
            made = lpdata.string(counterset.name)
        else:
            made = lpdata.strings(((counter.id, counter.name) for counter in counterset.counters), self.layout)
        return self._fits(arguments, *made)

    def enumerate_instances(self, arguments):
        counterset = self.machine.countersets.get(arguments['CounterSetGuid'])
        if counterset is None:
            return self._refuse(arguments, ERROR_WMI_GUID_NOT_FOUND)
        if not counterset.instances:
            return self._refuse(arguments, ERROR_WMI_INSTANCE_NOT_FOUND)
        return self._fits(arguments, *lpdata.instances(counterset.instances, self.layout))

    def open_query(self, arguments):
        handle = (0, uuid.UUID(int=self.random.getrandbits(128), version=4))
        self.queries[handle] = Query(self.reverse and len(self.queries) % 2 == 1)
        self.tree = None
        return {'phQuery': handle, 'return': ERROR_SUCCESS}

    def close_query(self, arguments):
        self._query(arguments['phQuery'])
        del self.queries[arguments['phQuery']]
        self.tree = None
        return {'phQuery': NULL_HANDLE, 'return': ERROR_SUCCESS}

    def counter_info(self, arguments):
        query = self._query(arguments['hQuery'])
        items = []
        for index, item in enumerate(query.ordered()):
            items.append(Identifier(item.guid, item.counter_id, item.instance_id, item.name, 0, 0, index))
        return self._fits(arguments, *lpdata.identifiers(items))

    def counter_data(self, arguments):
        query = self._query(arguments['hQuery'])
        blocks = [self._block(item) for item in query.ordered()]
        return self._fits(arguments, *lpdata.counter_values(blocks, self.machine.clock, self.layout))

    def validate_counters(self, arguments):
        query = self._query(arguments['hQuery'])
        data = arguments['lpData']
        self.tree = None
        if len(data) < 40:
            return {'lpData': data, 'return': ERROR_INVALID_PARAMETER}
        items, end = lpdata.parse_identifiers(data)
        if end != len(data):
            return {'lpData': data, 'return': ERROR_INVALID_PARAMETER}
        for item in items:
            item.status = self._add(query, item) if arguments['dwAdd'] else self._remove(query, item)
        data, self.tree = lpdata.identifiers(items)
        return {'lpData': data, 'return': ERROR_SUCCESS}

    # -- queries ---------------------------------------------------------------------------------

    @staticmethod
    def _same(one, other):
        return (one.guid, one.counter_id, one.instance_id, one.name or '') == \
               (other.guid, other.counter_id, other.instance_id, other.name or '')

    def _add(self, query, item):
        counterset = self.machine.countersets.get(item.guid)
        if counterset is None:
            return ERROR_WMI_GUID_NOT_FOUND
        if item.counter_id != WILDCARD and counterset.counter(item.counter_id) is None:
            return ERROR_WMI_ITEMID_NOT_FOUND
        if any(self._same(item, known) for known in query.identifiers):
            return ERROR_ALREADY_EXISTS
        if self.check_instances and not self._instances(counterset, item):
            return ERROR_PATH_NOT_FOUND
        query.identifiers.append(item)
        return ERROR_SUCCESS

    def _remove(self, query, item):
        for known in query.identifiers:
            if self._same(item, known):
                query.identifiers.remove(known)
                return ERROR_SUCCESS
        return ERROR_INVALID_PARAMETER

    @staticmethod
    def _is_pattern(name):
        return name is not None and ('*' in name or '?' in name)

    def _instances(self, counterset, item):
        """Active instances an identifier asks for; in its name * and ? are wildcards, nothing else is."""
        if counterset.single:
            return counterset.instances
        pattern = ''.join(f'[{char}]' if char == '[' else char for char in item.name or '')
        return [instance for instance in counterset.instances
                if item.instance_id in (WILDCARD, instance.id) and
                (fnmatch.fnmatchcase(instance.name, pattern) if self._is_pattern(item.name)
                 else instance.name == (item.name or ''))]

    def _block(self, item):
        counterset = self.machine.countersets[item.guid]
        counters = counterset.counters if item.counter_id == WILDCARD else [counterset.counter(item.counter_id)]
        found = self._instances(counterset, item)
        many_counters = item.counter_id == WILDCARD
        many_instances = not counterset.single and self._is_pattern(item.name)
        if not found and not many_instances:
            return Block(0, ERROR_NO_DATA, identifier=item)
        rows = [(instance, [self.machine.value(counterset, instance, counter) for counter in counters])
                for instance in found]
        if not many_instances:
            rows = rows[:1]
            if counterset.single:
                rows = [(None, rows[0][1])]
        kind = (6 if many_counters else 4) if many_instances else (2 if many_counters else 1)
        return Block(kind, 0, tuple(counters), tuple(rows), item)
