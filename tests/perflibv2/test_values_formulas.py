# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of a formula, as a person reads them, come to what the peers of the capture computed."""

import re
from collections import defaultdict
from fractions import Fraction

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, record_of
from lib.tables import counters_of
from lib.wire import Capture


def computed(text):
    """What an expression of whole numbers comes to, exactly."""
    assert re.fullmatch(r"[-+*/()0-9]+", text), text
    return eval(re.sub(r"\d+", r"Fraction(\g<0>)", text), {"Fraction": Fraction})


@pytest.mark.parametrize("name", ["tcp-session", "smb2-session", "two-servers", "instances-come-and-go", "counter-reset-and-wrap", "spec-layout"])
def test_numbers_come_to_the_value(tshark, name):
    capture = CAPTURES / f"{name}.pcapng"
    record = record_of(capture)
    frames = {call["n"]: call["response_frame"] for call in record["calls"] if call.get("response_frame")}
    expected = defaultdict(set)
    for value in record["expected_cooked_values"]:
        expected[frames[value["to_call"]]].add(Fraction(value["exact"]))
    lines = tshark.run(capture, "-2", "-V", "-Y", "perflibv2.cooked.formula").splitlines()
    frame, checked, alone = None, 0, 0
    for line in lines:
        if line.startswith("Frame "):
            frame = int(line.split()[1].rstrip(":,"))
        elif "[Formula: " in line and "wrapped" not in line:
            numbers = re.search(r"; here ([^ \]]+)", line)
            if numbers:
                assert computed(numbers[1]) in expected[frame], line
                checked += 1
            else:
                assert re.search(r"\[Formula: N1[] ]", line), line
                alone += 1
    assert checked > 0 and checked + alone > 10


def test_what_was_not_in_the_poll_before_is_compared_with_nothing(tshark, tmp_path):
    """An instance that was gone for a poll is new: only formulas that look back lack a value."""
    timer, raw_fraction, raw_base, handle = 0x20510500, 0x20020400, 0x40030403, p.query_handle(1)
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2, timer), p.counter(3, raw_fraction, base=4), p.counter(4, raw_base)]))
    peer.mapped(handle, p.identifier(p.NONE, "*"))
    ids, frames = p.multi_counters([1, 2, 3, 4]), []
    for number in range(4):
        row = p.instance("x") + p.value(5) + p.value(1000 * number, 8) + p.value(1) + p.value(4)
        other = p.instance("y", 1) + p.value(5) + p.value(1000 * number, 8) + p.value(1) + p.value(4)
        block = p.block(6, ids + p.multi_instances([other] if number == 1 else [row, other]))
        frames.append(peer.poll(handle, p.data(block, time=p.TIME + number))[1])
    path = capture.write(tmp_path / "before.pcap")
    for frame, reasons in ((frames[1], 0), (frames[2], 1), (frames[3], 0)):
        text = tshark.run(path, "-V", "-Y", f"frame.number == {frame}")
        assert text.count("No value: instance new") == reasons
    formulas = re.findall(r"\[Formula: (\S+?)[;\] ].*", text)
    assert formulas == 2 * ["N1", "100*(N1-N0)/(X1-X0)", "100*N1/B1"] and "previous value in frame" not in text


BULK_COUNT, LARGE_RAWCOUNT_HEX, TIMER_INV, LARGE_DELTA = 0x10410500, 0x100, 0x21410500, 0x00400500


def cooked(tshark, path, frame):
    """Of a poll {counter: what follows its path in the value's line}."""
    lines = re.findall(r"^ *\[\\\\HOST\\.*?\\([^\\=:]+?)(?: = |: )(.*)\]$", tshark.run(path, "-V", "-Y", f"frame.number == {frame}"), re.M)
    assert lines
    return dict(lines)


def two_polls(path, counters, first, second, freqs=(10_000_000, 10_000_000)):
    """A query for all counters, (type, attrib), of an instance; the frames of two polls, a second apart by all clocks."""
    capture, handle = Capture(), p.query_handle(1)
    peer = p.Peer(capture)
    ids = range(1, len(counters) + 1)
    peer.registration(1, p.counterset([p.counter(id, type, attrib=attrib) for id, (type, attrib) in zip(ids, counters)]))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(id, f"c{id}") for id in ids]))
    peer.mapped(handle, p.identifier(p.NONE, "*"))
    frames = []
    for number, (values, freq) in enumerate(zip((first, second), freqs)):
        row = p.instance("x") + b"".join(p.value(v % 2**64, 8) for v in values)
        data = p.data(p.block(6, p.multi_counters(ids) + p.multi_instances([row])), time=p.TIME + number * 10_000_000, freq=freq)
        ticks = 1000 + number * 10_000_000
        frames.append(peer.poll(handle, data[:8] + ticks.to_bytes(8, "little") + data[16:])[1])
    capture.write(path)
    return frames


def test_64_bits_are_signed(tshark, tmp_path):
    """PDH keeps raw values as LONGLONG. Hexadecimal ones have no sign, by their type or by Attrib; a difference below zero is no value."""
    path = tmp_path / "signed.pcap"
    counters = [(p.LARGE_RAWCOUNT, 0), (LARGE_RAWCOUNT_HEX, 0), (p.LARGE_RAWCOUNT, 0x10), (BULK_COUNT, 0), (BULK_COUNT, 0), (LARGE_DELTA, 0)]
    frames = two_polls(path, counters, [5, 5, 5, -4, 5000, 2**63 - 1], [-(2**62) - 1, -1, -2, 10, -1, -(2**63)])
    values = cooked(tshark, path, frames[1])
    assert values == {"c1": "-4611686018427387905", "c2": "0xffffffffffffffff", "c3": "0xfffffffffffffffe", "c4": "14.000 /s",
                      "c5": "no value, counter decreased", "c6": "1"}
    formulas = re.findall(r"; here ([^ \]]+)", tshark.run(path, "-V", "-Y", f"frame.number == {frames[1]}"))
    assert [computed(text) for text in formulas] == [14, 1]
    table = tshark.run(path, "-q", "-z", "perflibv2,counters")
    row = counters_of(table)[r"\\HOST\Set(x)\c1"]
    # Where there is no room for the first value it is left out.
    assert row[1] == "2" and row[2] in ("5", "")
    assert row[3:8] == ["-4611686018427387905", "-4611686018427387905", "-2.30584e+18", "5", str(frames[0])]
    for name, digits in (("samples", '"c1","PERF_COUNTER_LARGE_RAWCOUNT",13835058055282163711,,-4611686018427387905,'),
                         ("pdh-csv", '"-4611686018427387905"')):
        file = tmp_path / f"{name}.csv"
        tshark.run(path, "-q", "-z", f"perflibv2,{name},{file}")
        assert digits in file.read_text()


def test_frequency_that_changes_makes_no_value(tshark, tmp_path):
    """Ticks of different length are no time; what goes by the 100 ns time is not concerned."""
    path = tmp_path / "frequency.pcap"
    frames = two_polls(path, [(BULK_COUNT, 0), (0x20410500, 0), (0x20510500, 0), (p.LARGE_RAWCOUNT, 0)], [0] * 4, [5_000_000] * 4,
                       freqs=(10_000_000, 3_000_000))
    assert cooked(tshark, path, frames[1]) == {"c1": "no value, frequency changed", "c2": "no value, frequency changed", "c3": "50.000 %", "c4": "5000000"}


def test_inverse_timers_are_multiplied_first(tshark, tmp_path):
    """4,400,000 of 10,000,000 ticks idle: 56 % to the last digit. 26,667,000: 100*(1-2.6667), below zero and shown."""
    path = tmp_path / "inverse.pcap"
    two_polls(path, [(TIMER_INV, 0), (TIMER_INV, 0)], [0, 0], [4_400_000, 26_667_000])
    file = tmp_path / "samples.csv"
    tshark.run(path, "-q", "-z", f"perflibv2,samples,{file}")
    values = [line.split(",")[12] for line in file.read_text().splitlines()[3:]]
    assert values == ["56", "-166.67"]


def test_pdh_codes_beside_reasons_and_refusals(tshark, tmp_path):
    """The codes of pdhmsg.h; none beside a value, unless PDH refuses it, and none for what its documentation does not speak of."""
    path = tmp_path / "pdh.pcap"
    two_polls(path, [(BULK_COUNT, 0), (TIMER_INV, 0), (p.LARGE_RAWCOUNT, 0), (p.LARGE_RAW_BASE, 0)], [9, 0, 1, 1], [5, 20_000_000, -1, 2])
    polls = tshark.fields(path, "perflibv2.cooked.pdh", display_filter="perflibv2.data.num_counters")
    # Rate and timer need two samples; then one decreased, and the other is -100 %.
    assert polls == [[["0xc0000bba", "0xc0000bba"]], [["0x800007d8", "0x800007d8"]]]
    assert "PDH's code: PDH_CALC_NEGATIVE_VALUE (0x800007d8)" in tshark.run(path, "-V")
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.cooked.pdh == 0xc0000bba")) == 1

    capture, handle = Capture(), p.query_handle(1)
    peer = p.Peer(capture)
    peer.open(handle)
    asked = [p.identifier(id, "x") for id in range(1, 6)]
    peer.validate(handle, *asked, returned=b"".join(
        p.identifier(id, "x", status=status) for id, status in zip(range(1, 6), (0, p.GUID_NOT_FOUND, 0x106A, 3, p.INVALID_PARAMETER))))
    peer.poll(handle, p.data(p.block(0, status=p.INSTANCE_NOT_FOUND)))
    peer.registration(3, b"", status=p.ACCESS_DENIED)
    path = capture.write(tmp_path / "refused.pcap")
    found = tshark.fields(path, "perflibv2.cooked.pdh", display_filter="perflibv2.cooked.pdh")
    assert found == [[["0xc0000bb8", "0xc0000bb9", "0x800007d1"]], [["0x800007d1"]], [["0xc0000bdb"]]]
