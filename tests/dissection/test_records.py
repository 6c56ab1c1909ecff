# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of every call of every recorded capture, as the peer that sent it says."""

import datetime
import re
from collections import Counter, defaultdict

import pytest

from lib import records
from lib.captures import options_for, record_of

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
NO_OFFSET = None


def nanoseconds(date, time):
    """Since 1970, of a date (year, month, day) and a time "HH:MM:SS.nnnnnnnnn"."""
    hours, minutes, seconds = time.split(":")
    seconds, _, fraction = seconds.partition(".")
    days = (datetime.date(*date) - datetime.date(1970, 1, 1)).days
    whole = ((days * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 10**9 + int(fraction.ljust(9, "0"))


def shown_time(show):
    """Wireshark 4.0 writes "Jan 18, 2024 00:45:45.678000000 UTC", later ones ISO 8601 in PDML."""
    if match := re.match(r"(\w{3}) +(\d+), (\d{4}) ([\d:.]+)", show):
        month, day, year, time = match.groups()
        return nanoseconds((int(year), MONTHS.index(month) + 1, int(day)), time)
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)[T ]([\d:.]+)", show)
    assert match, f"not a time: {show}"
    year, month, day, time = match.groups()
    return nanoseconds((int(year), int(month), int(day)), time)


def expected_time(name, value):
    if name == "perflibv2.data.perf_time_100ns":
        # FILETIME: 100 ns since 1601
        return (value - 116444736000000000) * 100
    date = (value["Year"], value["Month"], value["Day"])
    return nanoseconds(
        date, f"{value['Hour']}:{value['Minute']}:{value['Second']}.{value['Milliseconds']:03}"
    )


def without_lone_surrogates(text):
    """Wireshark keeps text as UTF-8, where a surrogate alone has no place."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def matches(expected, item):
    """Whether an item shows the expected value."""
    value = expected.value
    if expected.name in ("perflibv2.data.perf_time_100ns", "perflibv2.data.system_time"):
        return shown_time(item.show) == expected_time(expected.name, value)
    if isinstance(value, str):
        shown = without_lone_surrogates(value)
        return item.show in (shown, shown.replace("\\", "\\\\"))
    if item.show in ("True", "False"):
        return (item.show == "True") == bool(value)
    return int(item.show, 0) == value


def calls_of(packets):
    """(dcerpc item, perflibv2 item) of every PDU of these packets, in order."""
    for protocols in packets:
        rpc = None
        for protocol in protocols:
            if protocol.name == "dcerpc":
                rpc = protocol
            elif protocol.name == "perflibv2":
                yield rpc, protocol


def pair_with_record(packets, record):
    """Each PDU of the capture with its call in the record."""
    waiting = defaultdict(list)
    for call in record["calls"]:
        for is_request in (True, False):
            if call.get("request" if is_request else "response") is not None:
                waiting[call["call_id"], call["opnum"], is_request].append(call)
    for rpc, protocol in calls_of(packets):
        is_request = rpc.first("dcerpc.pkt_type").show == "0"
        opnum = int(protocol.first("perflibv2.opnum").show, 0)
        key = (int(rpc.first("dcerpc.cn_call_id").show), opnum, is_request)
        candidates = waiting[key]
        assert candidates, f"call {key} is not in the record"
        # Several connections may use one call id at a time: prefer the call whose parameters are these.
        best = min(candidates, key=lambda call: len(differences(call, is_request, protocol)))
        candidates.remove(best)
        yield best, is_request, protocol
    missing = [key for key, calls in waiting.items() if calls]
    assert not missing, f"not found in the capture (call id, opnum, is request): {missing}"


def differences(call, is_request, protocol):
    """What is wrong with a dissected call: one line each."""
    buffer = protocol.first("perflibv2.lpdata")
    start = buffer.position if buffer else 0
    end = start + buffer.size if buffer else 0
    inside, outside = defaultdict(list), defaultdict(list)
    for item in protocol.walk():
        if not item.name.startswith("perflibv2."):
            continue
        if buffer and item is not buffer and item.size and start <= item.position < end:
            inside[item.name, item.position - start].append(item)
        else:
            outside[item.name].append(item)

    wrong = []
    seen = Counter()
    for expected in records.expected_of(call, is_request):
        if expected.offset is NO_OFFSET:
            items = outside[expected.name]
            if expected.name != "perflibv2.opnum" and expected.name != "perflibv2.return_code":
                items = [item for item in items if item.size]
        else:
            items = inside[expected.name, expected.offset]
            seen[expected.name] += 1
            if expected.value == "" and not items:
                continue
        if len(items) != 1:
            wrong.append(f"{expected}: {len(items)} items" + "".join(f" {item.show}" for item in items))
        elif not matches(expected, items[0]):
            wrong.append(f"{expected}: shown as {items[0].show}")
        elif expected.size and items[0].size != expected.size:
            wrong.append(f"{expected}: {items[0].size} bytes marked")
    for (name, offset), items in inside.items():
        if name in records.LPDATA_FIELDS:
            seen[name] -= len(items)
            if seen[name] < 0:
                wrong.append(f"{name} at {offset} is not in the record: {items[0].show}")
    if not is_request:
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
    stubs = tshark.fields(
        recorded, "frame.number", display_filter="perflibv2 && (dcerpc.stub_data || dcerpc.encrypted_stub_data)",
        options=options_for(recorded),
    )
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
    for protocols in tshark.packets(
        recorded, *options_for(recorded), display_filter="perflibv2.counter.type", two_pass=True
    ):
        for protocol in protocols:
            for item in protocol.find("perflibv2.counter.type"):
                name = names.get(int(item.show, 0))
                assert name is None or name in item.showname
