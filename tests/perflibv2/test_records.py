# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of every call of every recorded capture, as the peer that sent it says."""

from collections import Counter, defaultdict

import pytest

from lib import records
from lib.captures import options_for, record_of
from lib.values import shows


def pair_with_record(packets, record):
    """Each PDU of the capture with its call in the record."""
    waiting = records.calls_by_pdu(record)
    for frame, rpc, protocol in records.calls_of(packets):
        is_request = rpc.first("dcerpc.pkt_type").show == "0"
        opnum = int(protocol.first("perflibv2.opnum").show, 0)
        key = (opnum, int(rpc.first("dcerpc.cn_call_id").show), is_request)
        candidates = waiting[key]
        assert candidates, f"call {key} is not in the record"
        # Several connections may use one call id: the record says which frame it was, or the parameters tell.
        number = "request_frame" if is_request else "response_frame"
        here = [call for call in candidates if call.get(number, frame) == frame] or candidates
        best = here[0] if len(here) == 1 else min(here, key=lambda call: len(differences(call, is_request, protocol)))
        candidates.remove(best)
        yield best, is_request, protocol
    missing = [key for key, calls in waiting.items() if calls]
    assert not missing, f"not found in the capture (opnum, call id, is request): {missing}"


def differences(call, is_request, protocol):
    """What is wrong with a dissected call: one line each."""
    buffer = protocol.first("perflibv2.lpdata")
    start = buffer.position if buffer else 0
    end = start + buffer.size if buffer else 0
    inside, outside = defaultdict(list), defaultdict(list)
    # Of what a sender cut off in the middle a record lists nothing.
    incomplete = {id(item) for part in protocol.walk() if part.show.endswith(", incomplete") for item in part.walk()}
    for item in protocol.walk():
        if not item.name.startswith("perflibv2.") or id(item) in incomplete:
            continue
        if buffer and item is not buffer and item.size and start <= item.position < end:
            inside[item.name, item.position - start].append(item)
        else:
            outside[item.name].append(item)

    wrong = []
    seen = Counter()
    for expected in records.expected_of(call, is_request):
        if expected.offset is None:
            items = outside[expected.name]
            if expected.name not in ("perflibv2.opnum", "perflibv2.return_code", "perflibv2.fault.request_in"):
                items = [item for item in items if item.size]
        else:
            items = inside[expected.name, expected.offset]
            seen[expected.name] += 1
            if expected.value == "" and not items:
                continue
        if len(items) != 1:
            wrong.append(f"{expected}: {len(items)} items" + "".join(f" {item.show}" for item in items))
        elif not shows(items[0], expected.name, expected.value):
            wrong.append(f"{expected}: shown as {items[0].show}")
        elif expected.size and items[0].size != expected.size:
            wrong.append(f"{expected}: {items[0].size} bytes marked")
    for (name, offset), items in inside.items():
        if name in records.LPDATA_FIELDS:
            seen[name] -= len(items)
            if seen[name] < 0:
                wrong.append(f"{name} at {offset} is not in the record: {items[0].show}")
    if "fault" in call and not is_request:
        fault = protocol.first("perflibv2.fault")
        if fault and call["fault"]["name"] not in fault.showname:
            wrong.append(f"fault {call['fault']['name']}: shown as {fault.showname}")
    elif not is_request:
        code = protocol.first("perflibv2.return_code")
        name = call["return"].get("name")
        if code and name and name not in code.showname:
            wrong.append(f"return code {name}: shown as {code.showname}")
    return wrong


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_every_field(tshark, recorded, two_pass):
    record = record_of(recorded)
    packets = tshark.packets(recorded, *options_for(recorded), two_pass=two_pass)
    wrong = []
    for call, is_request, protocol in pair_with_record(packets, record):
        where = f"call {call['n']} ({call['method']} {'request' if is_request else 'response'})"
        wrong += [f"{where}: {line}" for line in differences(call, is_request, protocol)]
    assert not wrong, f"{len(wrong)} differences\n" + "\n".join(wrong[:40])


def test_nothing_is_left_as_stub_data(tshark, recorded):
    # A frame may hold fragments, whose data stays as it is, before the PDU that completes the call.
    stubs = [
        frame
        for frame, rpc, _ in records.calls_of(tshark.packets(recorded, *options_for(recorded)))
        if rpc.first("dcerpc.stub_data")
    ]
    assert stubs == []


def test_counter_types_are_named(tshark, recorded):
    """Every type that the record names is shown by that name."""
    record = record_of(recorded)
    names = {}
    for call in record["calls"]:
        data = (call.get("response") or {}).get("lpData") or {}
        for counter in [*(data.get("counters") or []), *([data["counter"]] if "counter" in data else [])]:
            if counter.get("type_name"):
                names[counter["Type"]] = counter["type_name"]
    shown = {
        (int(item.show, 0), item.showname)
        for protocols in tshark.packets(recorded, *options_for(recorded), display_filter="perflibv2.counter.type", two_pass=True)
        for protocol in protocols
        for item in protocol.find("perflibv2.counter.type")
    }
    assert names.keys() <= {number for number, _ in shown}
    assert [(number, label) for number, label in shown if number in names and f" {names[number]} (" not in label] == []
