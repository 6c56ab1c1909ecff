# SPDX-License-Identifier: GPL-2.0-or-later
"""The record beside a capture: all calls, and what follows from them (catalog, query handles, paths, values)."""

import hashlib
import json

from . import cooking
from .pdu import NCA_CONTEXT_MISMATCH
from .service import ERROR_NAMES


def return_value(code):
    return {'value': code, 'hex': f'0x{code:08x}', 'name': ERROR_NAMES.get(code, '')}


def number_calls(calls, dissected, port_of, compare=True):
    """Gives each call its n and, where the capture has them, its frames (the last fragment's frame).

    Whatever tshark reassembled must be what was sent; returns also how many stubs were compared.
    """
    result, compared = [], 0
    for n, call in enumerate(calls, 1):
        call = {'n': n, **call}
        for which in ('request', 'response'):
            pieces = dissected.get((port_of.get(call['connection']), call['call_id'], which))
            call[which + '_frame'] = pieces[-1][0] if pieces else None
            sha = call.get(which + '_stub_sha256')
            if not (compare and pieces and pieces[-1][1]):
                continue
            compared += 1
            if sha != hashlib.sha256(bytes.fromhex(pieces[-1][1])).hexdigest():
                raise ValueError(f'call {n}: the {which} in the capture is not what was sent')
        if isinstance(call.get('return'), int):
            call['return'] = return_value(call['return'])
        result.append(call)
    return result, compared


def number_sealed_calls(calls, streams, port_of):
    """The same without tshark, by the bytes that the server got and sent."""
    result = []
    for n, call in enumerate(calls, 1):
        call = {'n': n, **call}
        frames_of_pdus(call, streams, port_of)
        if isinstance(call.get('return'), int):
            call['return'] = return_value(call['return'])
        result.append(call)
    return result, 2 * len(result)


def frames_of_pdus(call, streams, port_of):
    """Sets request_frame and response_frame; all PDUs of the call must be in the capture."""
    for which, raws in call['pdus'].items():
        frames = [streams.frame_of(port_of[call['connection']], which, raw) for raw in raws]
        call[which + '_frame'] = frames[-1]


def split(calls):
    """(calls of which the capture holds something, the others).

    A response without its request is not dissected: RPC's responses don't tell their operation. A response
    that is not in the capture moves to response_not_in_capture.
    """
    inside, outside = [], []
    for call in calls:
        (outside if call['request_frame'] is None else inside).append(call)
        if call['request_frame'] is not None and call['response_frame'] is None and 'response' in call:
            call['response_not_in_capture'] = call.pop('response')
    return inside, outside


def _host(machine_name):
    return machine_name.lstrip('\\')


def _ok(call):
    return call.get('return', {}).get('value') == 0


def learn(calls):
    """Per host and counterset what answers to opnum 1 and 2 teach, with the calls that did."""
    hosts = {}
    for call in calls:
        if call.get('opnum') not in (1, 2) or not _ok(call) or 'response' not in call:
            continue
        request, tree = call['request'], call['response'].get('lpData', {})
        known = hosts.setdefault(_host(request['szMachine']), {}).setdefault(
            request['CounterSetGuid'], {'taught_by': []})
        known['taught_by'].append(call['n'])
        if call['opnum'] == 2:
            known.setdefault('instances', []).append(
                {'call': call['n'], 'instances': [[item['InstanceId'], item['name']] for item in tree['instances']]})
            continue
        counters = known.setdefault('counters', {})

        def put(counter_id, key, value):
            counters.setdefault(str(counter_id), {})[key] = value

        code, lcid = request['RequestCode'], request['RequestLCID']
        if code in (1, 2):
            for item in tree.get('counters', [tree.get('counter')]):
                put(item['CounterId'], 'type', item['type_name'] or item['Type'])
                for field in ('BaseCounterId', 'PerfTimeId', 'PerfFreqId', 'MultiId', 'DefaultScale', 'AggregateFunc'):
                    put(item['CounterId'], field, item[field])
            if code == 1:
                known['InstanceType'] = tree['counterset']['InstanceType']
        elif code == 3:
            known.setdefault('names', {})[str(lcid)] = tree['string']
        elif code == 4:
            known.setdefault('descriptions', {})[str(lcid)] = tree['string']
        elif code == 5:
            for item in tree['strings']:
                if item['string'] is not None:
                    counters.setdefault(str(item['dwCounterId']), {}).setdefault('names', {})[str(lcid)] = item['string']
        elif code == 6:
            for item in tree['strings']:
                if item['string'] is not None:
                    put(item['dwCounterId'], 'description', item['string'])
        elif code == 7:
            known['provider_name'] = tree['string']
        elif code == 8:
            known['provider_guid'] = tree['guid']
        elif code == 9:
            known['english_name'] = tree['string']
        elif code == 10:
            for item in tree['strings']:
                if item['string'] is not None:
                    put(item['dwCounterId'], 'english_name', item['string'])
    return hosts


def query_handles(calls):
    """The life of each handle, in the order in which handles are first seen."""
    handles = {}

    def of(call, which):
        value = call[which].get('hQuery') or call[which].get('phQuery')
        return value['uuid']

    for call in calls:
        if call.get('opnum') is None or call['opnum'] < 3 or 'request' not in call:
            continue
        opened = call['opnum'] == 3
        if 'response' not in call and 'fault' not in call or opened and not _ok(call):
            continue
        key = of(call, 'response' if opened else 'request')
        life = handles.setdefault((call['host'], key), {
            'handle': key, 'server': call['host'], 'host': None, 'opened_by': None, 'closed_by': None, 'identifiers': [], 'removed': [],
            'index_maps': [], 'polls': [], 'size_probes': [], 'used_after_close': [], 'connections': []})
        if call['connection'] not in life['connections']:
            life['connections'].append(call['connection'])
        if opened:
            life['opened_by'] = call['n']
            life['host'] = _host(call['request']['szMachine'])
            continue
        if life['closed_by'] is not None or call.get('fault', {}).get('status') == NCA_CONTEXT_MISMATCH:
            life['used_after_close'].append(call['n'])
            continue
        if 'fault' in call:
            continue
        if call['opnum'] == 4:
            if _ok(call):
                life['closed_by'] = call['n']
        elif call['opnum'] == 5 and _ok(call):
            life['index_maps'].append({'call': call['n'], 'map': [
                [item['Index'], item['CounterSetGuid'], item['CounterId'], item['InstanceId'], item['name']]
                for item in call['response']['lpData']['identifiers']]})
        elif call['opnum'] in (5, 6) and not _ok(call):
            if call['return']['value'] == 8:
                life['size_probes'].append(call['n'])
        elif call['opnum'] == 6:
            life['polls'].append(call['n'])
        elif call['opnum'] == 7 and _ok(call):
            into = life['identifiers' if call['request']['dwAdd'] else 'removed']
            for item in call['response']['lpData']['identifiers']:
                into.append({'call': call['n'], 'CounterSetGuid': item['CounterSetGuid'],
                             'CounterId': item['CounterId'], 'InstanceId': item['InstanceId'],
                             'name': item['name'], 'status': item['Status'],
                             'status_name': ERROR_NAMES.get(item['Status'], '')})
    return list(handles.values())


def path(host, machine, counterset, instance, counter, namesake):
    """[MS-PLA] 2.2.10, in the server's own language; None where the counter has no name.

    An instance without a name has no place in the syntax. namesake: how many instances of the name, but
    with other ids, the query had before.
    """
    if counter.name is None:
        return None
    middle = '' if instance is None or not instance[1] else f'({instance[1]}{f"#{namesake}" if namesake else ""})'
    return f'\\\\{host}\\{machine.counterset_name(counterset, 0)}{middle}\\{machine.counter_name(counter, 0)}'


def samples(tree):
    """(block, instance or None, leaf) of each value; instance is (id, name)."""
    for block in tree['blocks']:
        if block['dwType'] in (1, 2):
            named = block.get('instance')
            instance = (named['InstanceId'], named['name']) if named else None
            for leaf in block['data']:
                yield block, instance, leaf
        else:
            for item in block.get('instances', ()):
                for leaf in item['data']:
                    yield block, (item['InstanceId'], item['name']), leaf


def expected_values(calls, machines, only=None):
    """Cooked values, and reasons where there is none, for every value of every successful poll.

    only: instance ids to which to restrict it, for captures too big to list all.
    """
    cooked, refused = [], []
    hosts = {}                  # (server, handle) -> host the client named
    before = {}                 # (server, handle) -> (guid, counter, instance) -> (call, inputs), of its previous poll
    seen = {}                   # (server, handle) -> {(guid, counter, type of block)}, of its previous poll
    names = {}                  # ((server, handle), guid, counter, name) -> ids in order of appearance
    for call in calls:
        if call.get('opnum') == 3 and _ok(call) and 'response' in call:
            hosts[call['host'], call['response']['phQuery']['uuid']] = _host(call['request']['szMachine'])
        if call.get('opnum') != 6 or not _ok(call) or 'lpData' not in call.get('response', {}):
            continue
        handle, tree = call['request']['hQuery']['uuid'], call['response']['lpData']
        owner = call['host'], handle
        machine = machines[call['host']]
        values = {}
        for block, instance, leaf in samples(tree):
            values[block['counterset_of_identifier'], instance, leaf['counter_id']] = leaf['value']
        countersets = {str(key): item for key, item in machine.countersets.items()}
        now, kinds, kinds_before = {}, set(), seen.get(owner, ())
        for block, instance, leaf in samples(tree):
            guid = block['counterset_of_identifier']
            counterset = countersets[guid]
            counter = counterset.counter(leaf['counter_id'])
            inputs = {'N': leaf['value'], 'T': tree['PerfTimeStamp'], 'X': tree['PerfTime100NSec'],
                      'F': tree['PerfFreq']}
            for letter, reference in (('B', counter.base), ('M', counter.multi), ('O', counter.time),
                                      ('FO', counter.freq)):
                if reference is not None:
                    inputs[letter] = values.get((guid, instance, reference))
                    if letter == 'B':
                        inputs['B_size'] = counterset.counter(reference).value_size
            if only is not None and instance is not None and instance[0] not in only:
                continue
            key = (guid, counter.id, instance)
            old_call, old = before.get(owner, {}).get(key, (None, None))
            entry = {'server': machine.host, 'handle': handle, 'to_call': call['n'], 'block_index': block['index'], 'counterset': guid,
                     'counter_id': counter.id}
            if instance is not None:
                entry.update(instance=instance[1], instance_id=instance[0])
            entry['type'] = counter.type_name
            namesake = 0
            if instance is not None:
                ids = names.setdefault((owner, guid, counter.id, instance[1]), [])
                if instance[0] not in ids:
                    ids.append(instance[0])
                namesake = ids.index(instance[0])
            name = path(hosts.get(owner, machine.host), machine, counterset, instance, counter, namesake)
            if name:
                entry['path'] = name
            try:
                result = cooking.cook(counter.type_name, inputs, old,
                                      'instance new' if (guid, counter.id, block['dwType']) in kinds_before else 'first sample')
                if '0' in result['formula'].replace('100', ''):
                    entry['from_call'] = old_call
                entry.update(result)
                cooked.append(entry)
            except cooking.NotComputable as reason:
                if not isinstance(leaf['value'], str):      # text is shown, not computed
                    entry['reason'] = reason.reasons[0]
                    also = reason.reasons[1:]
                    if entry['reason'] == 'instance new' and block['dwType'] in (1, 2):
                        also = ['first sample']     # of what the identifier asks for
                    if also:
                        entry['reason_also'] = also
                    refused.append(entry)
            now[key] = (call['n'], inputs)
            kinds.add((guid, counter.id, block['dwType']))
        before[owner], seen[owner] = now, kinds
    return cooked, refused


def write(path, record):
    """JSON, one call and one expected value a line: compact, yet a change shows as a change of lines."""
    lists = ('calls', 'calls_not_in_capture', 'perfdata_calls', 'expected_cooked_values', 'expected_not_computable', 'query_handles')

    def dump(value):
        return json.dumps(value, ensure_ascii=True, separators=(',', ':'))

    parts = []
    for key, value in record.items():
        if key in lists and value:
            parts.append(f'{dump(key)}:[\n' + ',\n'.join(dump(item) for item in value) + '\n]')
        else:
            parts.append(f'{dump(key)}:{dump(value)}')
    text = '{\n' + ',\n'.join(parts) + '\n}\n'
    json.loads(text)
    path.write_text(text, 'ascii')
