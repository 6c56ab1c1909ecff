# SPDX-License-Identifier: GPL-2.0-or-later
"""Performance data of the older API against what the servers were given and what they sent."""

import csv
import datetime
import math
import re
import subprocess
from fractions import Fraction

import pytest

from lib.captures import CAPTURES, options_for, record_of
from lib.perfdata import answers, as_error, check_value, expected_members
from lib.some import some
from lib.tables import counters_of, query_rows, same_digits
from perfcap.cooking import NotComputable, cook
from perfcap.recorder import write_pcapng
from perfdata import crafted, wire
from perfdata.block import Builder, names

CRAFTED = ["perfdata-windows", "perfdata-mid-capture", "perfdata-xp"]
SAMBA = ["perfdata-samba", "perfdata-samba-sealed", "perfdata-samba-smb3"]


def capture(name):
    return CAPTURES / f"{name}.pcapng"


def test_query_multiple_values_gives_a_poll_each(tshark):
    """Several values in one answer: each is a poll of its own series."""
    path = capture("perfdata-windows")
    calls = [call for call in record_of(path)["calls"] if call["opnum"] == 29]
    found = answers(tshark, path, opnum=29)
    assert len(found) == len(calls) == 2
    for call, answer in zip(calls, found):
        assert answer.shows("winreg.werror") == [as_error(0)]
        assert answer.shows("perfdata.value_name") == call["value_names"]
        assert answer.members() == expected_members(call)
        assert len(answer.values()) == len(call["values"])
        for item, expected in zip(answer.values(), call["values"]):
            check_value(item, expected)


def check_call(answer, call):
    """What every QueryValue answer of performance data shows."""
    assert answer.shows("winreg.werror") == [as_error(call["error"])]
    assert answer.shows("perfdata.value_name") == [call["value_name"]]
    assert answer.shows("winreg.winreg_QueryValue.data_size") == [str(call["size"])]
    assert answer.shows("winreg.winreg_QueryValue.data_length") == [str(call["data_length"] or 0)]
    assert answer.shows("perfdata.value_type") == [str(call["type"])]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_captures_show_every_value_of_every_call(tshark, name, two_pass):
    """Every member, name and cooked value of every call."""
    path = capture(name)
    calls = [call for call in record_of(path)["calls"] if call["opnum"] == 17]
    found = answers(tshark, path, two_pass)
    assert len(found) == len(calls)
    for call, answer in zip(calls, found):
        if call.get("plain"):
            assert not answer.find("perfdata")
            continue
        check_call(answer, call)
        if "members" in call:
            assert answer.members() == expected_members(call)
        if "titles" in call:
            assert answer.titles() == call["titles"]
        assert len(answer.values()) == len(call.get("values", []))
        # In one pass a name is known from the frame on that teaches it.
        if two_pass or name != "perfdata-mid-capture":
            for item, expected in zip(answer.values(), call.get("values", [])):
                check_value(item, expected)


# What a real Samba server sent, against what was put into its databases.

def samba_objects(record, poll):
    """(object, instance or None, counter index, type, raw) in the order in which Samba lays them out."""
    content = record["polls"][poll]
    for obj, instances in sorted(record["objects"].items(), key=lambda entry: int(entry[0])):
        counters = [(int(c), kind) for c, (kind, objects) in record["counters"].items() if int(obj) in objects]
        for i, instance in enumerate(instances) if instances else [(None, None)]:
            name = instance
            if instances and (n := instances[:i].count(instance)):
                name = f"{instance}#{n}"
            for index, kind in sorted(counters):
                raw = content["counters"][str(index)] if i is None else content["instances"][f"{obj}/{i}"][str(index)]
                yield int(obj), name, index, kind, raw


def samba_expected(record, poll, before):
    """What the values of a poll are and come to; before: the poll they are compared with, or None."""
    frequency = record["perf_freq"]

    def letters(number, position):
        listed = list(samba_objects(record, number))
        clocks = record["polls"][number]["clocks"]
        inputs = {"T": clocks["PerfTime"], "X": clocks["PerfTime100nSec"], "F": frequency, "O": 0, "FO": 0, "N": listed[position][4]}
        if position + 1 < len(listed) and listed[position + 1][3] == "PERF_RAW_BASE":
            inputs["B"] = listed[position + 1][4]
        return inputs

    for position, (obj, instance, index, kind, raw) in enumerate(samba_objects(record, poll)):
        where = f"({instance})" if instance else ""
        expected = {"path": f"\\\\{record['server']}\\{record['names'][str(obj)][0]}{where}\\{record['names'][str(index)][0]}"}
        # Samba sends a zero outside of instances as the character it keeps it as.
        expected["raw"] = 48 if raw == 0 and instance is None else raw
        try:
            new = letters(poll, position)
            new["N"] = expected["raw"]
            cooked = cook(kind, new, None if before is None else letters(before, position))
            expected["cooked"] = {key: cooked[key] for key in ("exact", "unit_label", "formula")}
        except NotComputable as reason:
            # The object has no clock: its PerfTime and PerfFreq are 0.
            expected["reason"] = "no clock" if kind == "PERF_ELAPSED_TIME" else str(reason)
        yield expected


@pytest.mark.parametrize("name", SAMBA)
def test_samba_captures_show_every_value_of_every_poll(tshark, name):
    """Every value of every poll, every name, and what is said of Samba's own ways."""
    path = capture(name)
    record = record_of(path)
    calls = [call for call in record["calls"] if call["opnum"] == 17]
    found = answers(tshark, path, options=options_for(path))
    assert len(found) == len(calls)
    latest = {}
    for call, answer in zip(calls, found):
        asked, response = call["request"]["value_name"], call["response"]
        assert answer.shows("winreg.werror") == [as_error(response["error"])]
        assert answer.shows("winreg.winreg_QueryValue.data_size") == [str(response["data_size"])]
        if asked == "CurrentVersion":
            assert not answer.find("perfdata")
            continue
        assert answer.shows("perfdata.value_name") == [asked]
        if "poll" in call:
            check_samba_poll(answer, record, call, latest)
        elif response["error"] != 0:
            assert not answer.find("perfdata.data_block") and not answer.find("perfdata.title.index")
        elif asked.startswith(("Counter", "Help", "Explain")):
            check_samba_names(answer, record, asked)
        else:
            # Header and zeros, or part of the objects: no sample.
            assert "perfdata.short_block" in answer.items["expert"] and "perfdata.no_sample" in answer.items["expert"]
            assert not answer.find("perfdata.cooked.formula") or not answer.find("perfdata.poll.previous_frame")


def check_samba_poll(answer, record, call, latest):
    value_name, poll = call["request"]["value_name"], call["poll"]
    expected = list(samba_expected(record, poll, latest.get(value_name)))
    assert len(answer.values()) == len(expected)
    for item, value in zip(answer.values(), expected):
        check_value(item, value)
    assert bool(answer.find("perfdata.poll.previous_frame")) == (value_name in latest)
    latest[value_name] = poll
    assert answer.items["expert"].count("perfdata.header_left_out") == 1
    # A 64-bit Samba sends 8 bytes for every type.
    wide = sum(1 for kind, objects in record["counters"].values() for _ in objects if record["types"][kind] & 0x300 == 0)
    assert answer.items["expert"].count("perfdata.wide_dword") == wide
    total, header = int(answer.shows("perfdata.data_block.total_byte_length")[0]), int(answer.shows("perfdata.data_block.header_length")[0])
    assert total + header == call["response"]["data_size"]
    assert answer.shows("perfdata.data_block.system_name") == [record["server"]]


def check_samba_names(answer, record, asked):
    listed = sorted((int(index), texts) for index, texts in record["names"].items())
    if asked.startswith("Counter"):
        last = max(int(index) for index in record["names"]) // 2
        assert answer.titles() == [[1, str(last)]] + [[index, texts[0]] for index, texts in listed]
    else:
        assert answer.titles() == [[index + 1, texts[1]] for index, texts in listed]


# The rest of the registry.

def whole_packets(tshark, path, *options):
    output = tshark.run(path, "-T", "pdml", *options)
    return [packet.split("</packet>")[0] for packet in output.split("<packet>")[1:]]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", SAMBA + CRAFTED)
def test_other_calls_are_untouched(tshark, bare_tshark, name, two_pass):
    """Every packet without performance data looks exactly as without the plugin, field by field."""
    path = capture(name)
    # tests/session says what decryption is kept in step for.
    options = [*options_for(path), *(["-2"] if two_pass else [])]
    off = ["-o", "perflib_session.keep_in_step:FALSE"]
    with_plugin, without = whole_packets(tshark, path, *options, *off), whole_packets(bare_tshark, path, *options)
    assert len(with_plugin) == len(without)
    changed = [number for number, (ours, theirs) in enumerate(zip(with_plugin, without), 1) if ours != theirs]
    ours = [number for number, packet in enumerate(with_plugin, 1) if 'name="perfdata' in packet]
    assert changed == ours
    winreg = [packet for packet in with_plugin if 'name="winreg"' in packet]
    assert len(winreg) > len(ours) > 0


@pytest.mark.parametrize("name", ["perfdata-samba", "perfdata-windows"])
@pytest.mark.parametrize("protocol", ["perfdata", "winreg"])
def test_disabled_protocol_gives_the_old_view_back(tshark, bare_tshark, protocol, name):
    """Without the protocol the old view is back."""
    path = capture(name)
    bare = ["--disable-protocol", "winreg"] if protocol == "winreg" else []
    assert whole_packets(tshark, path, "--disable-protocol", protocol) == whole_packets(bare_tshark, path, *bare)


def test_fields_of_winreg_stay(tshark):
    """Filters on Wireshark's own fields find performance data as before."""
    path = capture("perfdata-samba")
    found = answers(tshark, path)
    blocks = [answer for answer in found if answer.find("perfdata.data_block")]
    assert blocks
    for answer in blocks:
        for name in ("winreg.opnum", "winreg.werror", "winreg.winreg_QueryValue.type", "dcerpc.array.actual_count", "dcerpc.referent_id"):
            assert answer.find(name), name
    requests = tshark.fields(path, "winreg.handle", "winreg.winreg_QueryValue.value_name",
                             display_filter="winreg.opnum == 17 && dcerpc.pkt_type == 0 && perfdata")
    calls = [call for call in record_of(path)["calls"] if call["opnum"] == 17][1:]
    assert [[row[0][0].replace(":", ""), row[1][0]] for row in requests] == [
        [call["request"]["handle"], call["request"]["value_name"]] for call in calls]


def test_handles_are_followed_from_opening_to_closing(tshark):
    """Each handle is followed from its opening to its closing; a name that is learned says where."""
    path = capture("perfdata-windows")
    opened = [int(row[0][0]) for row in tshark.fields(path, "frame.number",
                                                     display_filter="winreg.opnum in {3, 32, 33} && dcerpc.pkt_type == 2")]
    closed = [int(row[0][0]) for row in tshark.fields(path, "frame.number", display_filter="winreg.opnum == 5 && dcerpc.pkt_type == 2")]
    rows = tshark.fields(path, "winreg.opnum", "perfdata.handle.opened_in", "perfdata.handle.closed_in", "perfdata.value_name",
                         display_filter="perfdata", options=["-2"])
    assert {(int(row[1][0]), int(row[2][0])) for row in rows} == {(opened[0], closed[2]), (opened[1], closed[1]), (opened[2], closed[0])}
    names = [row for row in tshark.fields(path, "perfdata.learned_in", display_filter="perfdata.object.name") if row[0]]
    assert names and {int(frame) for row in names for frame in row[0]} <= {13, 15, 19}


def test_recognised_without_its_opening(tshark):
    """A capture that begins later: what begins with the signature is performance data, and said to be taken for it."""
    found = answers(tshark, capture("perfdata-mid-capture"), two_pass=False)
    recognised = ["perfdata.recognised" in answer.items.get("expert", []) for answer in found]
    # The plain registry value is none; after the first block or list of names the handle is known.
    assert recognised == [False, True, False, True, False, False, False, False, False]
    assert [bool(answer.find("perfdata")) for answer in found] == [False] + [True] * 8


def test_ndr64_is_read_as_ndr_is(tshark, tmp_path):
    """The other transfer syntax, which 64-bit Windows prefers."""
    handle, data = crafted.handle_bytes(9), crafted.machine(1)
    server, recorded = crafted.Server(crafted.HOST, crafted.ENGLISH), wire.Capture()
    connection = wire.Connection(recorded, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), transfer=wire.NDR64)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
    titles = names(sorted(crafted.ENGLISH.items()))
    builders = [Builder(crafted.HOST, crafted.clock(seconds), data) for seconds in (1, 2)]
    for name, value in [("Counter 009", titles)] + [("Global", builder.data) for builder in builders]:
        connection.call(wire.QUERY_VALUE, wire.query_request(handle, name, 4096, b" " * 13, wide=True),
                        wire.query_response(3, value, len(value), len(value), wide=True))
    lying = wire.query_response(3, titles, 77, 78, error=5, actual=1 << 40, wide=True)
    connection.call(wire.QUERY_VALUE, wire.query_request(handle, "Counter 009", None, wide=True), lying)
    path = tmp_path / "ndr64.pcapng"
    write_pcapng(path, recorded.frames, "")
    first, *polls, lie = answers(tshark, path)
    assert first.titles() == [list(entry) for entry in sorted(crafted.ENGLISH.items())]
    for answer, builder in zip(polls, builders, strict=True):
        assert answer.shows("winreg.werror") == [as_error(0)]
        assert answer.shows("winreg.winreg_QueryValue.data_size") == [str(len(builder.data))]
        assert answer.members() == expected_members({"members": builder.members})
        for item, expected in some(zip(answer.values(), server.expect("Global", builder), strict=True)):
            check_value(item, expected)
    # The array's count reaches beyond the stub: what stands at its end is found all the same.
    assert (lie.shows("winreg.werror"), lie.shows("winreg.winreg_QueryValue.data_size"), lie.shows("winreg.winreg_QueryValue.data_length")) == (
        [as_error(5)], ["77"], ["78"])
    requests = tshark.fields(path, "winreg.winreg_QueryValue.value_name", "winreg.winreg_QueryValue.data_size", "winreg.handle",
                             display_filter="winreg.opnum == 17 && dcerpc.pkt_type == 0")
    assert [[row[0][0], row[1][0]] for row in requests] == [["Counter 009", "4096"], ["Global", "4096"], ["Global", "4096"], ["Counter 009", "0"]]
    assert {row[2][0].replace(":", "") for row in requests} == {handle.hex()}


def test_doubts_about_numbers_are_told(tshark):
    """What a person should know before trusting a number."""
    polls = [answer for answer in answers(tshark, capture("perfdata-windows")) if answer.find("perfdata.data_block")]
    told = [answer.items.get("expert", []) for answer in polls]
    # An svchost ends before the third poll, another begins before the fifth: names move from one process to another.
    assert [experts.count("perfdata.other_process") for experts in told[:5]] == [0, 0, 1, 0, 1]
    # LogicalDisk D: names a PhysicalDisk that is not in the answer; so do threads whose process was not asked for.
    assert all("perfdata.no_parent" in experts for experts in some(told[:5]))
    assert [number for number, experts in enumerate(told) if "perfdata.big_endian" in experts] == [len(told) - 2, len(told) - 1]
    # No good server's block is called malformed.
    malformed = {"perfdata.bad_length", "perfdata.value_outside", "perfdata.short_block", "perfdata.array_count", "perfdata.bad_names"}
    assert not malformed & {expert for experts in told for expert in experts}


def test_formulas_with_their_numbers(tshark):
    """In the words of this API's structures; the numbers come to the value."""
    computed = 0
    for answer in answers(tshark, capture("perfdata-windows")):
        for value in answer.values():
            formula = value.first("perfdata.cooked.formula")
            if formula is None:
                continue
            assert not re.search("PerfTimeStamp|PerfTimeId|PerfFreqId|PerfTime100NSec", formula.show), formula.show
            numbers = re.search(r"; here ([-+*/()0-9]+)", formula.showname)
            if numbers and "wrapped" not in formula.show:
                cooked = float(value.first("perfdata.cooked").show)
                fractions = re.sub(r"(\d+)", r"Fraction(\1)", numbers.group(1))
                assert math.isclose(eval(fractions), cooked, rel_tol=1e-9), formula.showname  # noqa: S307
                computed += 1
    assert computed > 200
    shown = {formula.show for answer in answers(tshark, capture("perfdata-windows")) for formula in answer.find("perfdata.cooked.formula")}
    assert "(O1-N1)/FO1; O the object's PerfTime, FO its PerfFreq" in shown
    assert "100*(N1-N0)/(X1-X0); X PerfTime100nSec" in shown and "100*(N1-N0)/(T1-T0); T PerfTime" in shown


# Tables and CSV.

def cooked_by_path(name):
    """path -> the exact cooked values in order, of all polls of a crafted capture."""
    series = {}
    for call in record_of(capture(name))["calls"]:
        for value in call.get("values", []):
            if "path" in value and value["type"] != "PERF_COUNTER_NODATA" and "text" not in value:
                series.setdefault(value["path"], [])
                if "cooked" in value:
                    series[value["path"]].append(Fraction(value["cooked"]["exact"]))
    return series


def test_counters_table_has_first_last_least_mean_and_most(tshark):
    rows = counters_of(tshark.run(capture("perfdata-windows"), "-q", "-z", "perfdata,counters"))
    series = cooked_by_path("perfdata-windows")
    assert set(rows) == set(series)
    for path, values in series.items():
        assert int(rows[path][1]) == len(values), path
        if values:
            expected = [values[0], values[-1], min(values), sum(values) / len(values), max(values)]
            for cell, value in zip(rows[path][2:7], expected, strict=True):
                assert cell == "" and ("0x" in rows[path][3] or value == expected[0]) or same_digits(cell, value), path


def test_csv_has_every_cell_of_the_record(tshark, tmp_path):
    """Every cell; polls of the same moment share a row, whichever value name they were asked under."""
    tmp_path.chmod(0o777)
    tshark.run(capture("perfdata-windows"), "-q", "-z", f"perfdata,pdh-csv,{tmp_path}/values.csv")
    header, *rows = csv.reader((tmp_path / "values.csv").open(encoding="utf-8", newline=""))
    assert header[0] == "(PDH-CSV 4.0) (UTC)(0)"
    expected = {}
    for call in record_of(capture("perfdata-windows"))["calls"]:
        if "values" not in call:
            continue
        moment = next(value for field, value in call["members"] if field == "perfdata.data_block.perf_time_100nsec")
        row = expected.setdefault(datetime.datetime.fromisoformat(moment).strftime("%m/%d/%Y %H:%M:%S.000"), {})
        for value in call["values"]:
            if "cooked" in value and "path" in value:
                # Of two polls of one moment the first stands.
                row.setdefault(value["path"], Fraction(value["cooked"]["exact"]))
    written = {row[0]: {path: cell for path, cell in zip(header[1:], row[1:]) if cell != " "} for row in rows}
    assert set(written) == set(expected)
    for moment, row in expected.items():
        numbers = {path: cell for path, cell in written[moment].items() if path in row}
        assert set(numbers) == set(row)
        for path, value in row.items():
            assert math.isclose(Fraction(numbers[path]), value, rel_tol=1e-15), (moment, path)


def test_queries_table_counts_what_each_handle_asked(tshark):
    """What was asked with each handle, how often, how large, how many attempts were too small."""
    rows = query_rows(tshark.run(capture("perfdata-windows"), "-q", "-z", "perfdata,queries"))
    expected = {}
    for call in record_of(capture("perfdata-windows"))["calls"]:
        asked = {17: [(call.get("value_name"), call.get("data_length"))],
                 29: zip(call.get("value_names", []), call.get("data_lengths", []))}.get(call["opnum"], [])
        for value_name, length in asked:
            row = expected.setdefault((call["handle"], value_name), [0, 0, 0])
            if call["error"] == 0:
                row[0] += 1
                row[2] = max(row[2], length)
            else:
                row[1] += 1
    found = {(row["Handle"], row["Value"]): [int(row[name] or 0) for name in ("Answers", "Too small", "Largest")] for row in rows}
    assert found == expected
    assert all(row["Opened in frame"] and row["Closed in frame"] and row["Failed"] == "0" and float(row["Response ms"]) > 0 for row in some(rows))
    # Of the intervals of the record; what was polled once or never has none. Global's are 1, 2, 0 and 1 seconds.
    assert {row["Value"]: (row["Median s"], row["Longest s"]) for row in rows if row["Median s"]} == {
        "Global": ("1.000", "2.000"), **dict.fromkeys(("230 232 238", "Foreign OTHER-PC 238", "238", "2", "4"), ("1.000", "1.000"))}


def test_watch_list_gives_the_older_api_a_field(tshark):
    """A watched counter has a field of its own on the older API, too."""
    path = "\\\\WIN-PERF01\\Processor(_Total)\\% Processor Time"
    rows = tshark.fields(capture("perfdata-windows"), "frame.number", "perflibv2.watch.cpu",
                         display_filter="perflibv2.watch.cpu",
                         options=["-o", 'uat:perflibv2_watch:"cpu","*WIN-PERF01\\x5cProcessor(_Total)\\x5c% Processor Time"'])
    expected = cooked_by_path("perfdata-windows")[path]
    assert [float(row[1][0]) for row in rows] == [float(value) for value in expected]


def plain(path):
    """From 4.4 on tshark doubles the backslashes of fields."""
    return path.replace("\\", "")


def test_one_reading_of_both_interfaces(tshark, tmp_path):
    """A capture that holds both APIs: the same path syntax, tables and CSV, whichever way a counter was fetched."""
    tmp_path.chmod(0o777)
    both = tmp_path / "both.pcapng"
    subprocess.run(["mergecap", "-w", both, capture("tcp-session"), capture("perfdata-windows")], check=True)
    values = {}
    for protocol in ("perflibv2", "perfdata"):
        tshark.run(both, "-q", "-2", "-z", f"{protocol},pdh-csv,{tmp_path}/{protocol}.csv")
        header, *rows = csv.reader((tmp_path / f"{protocol}.csv").open(encoding="utf-8", newline=""))
        assert rows and all(re.fullmatch(r"\\\\[^\\]+\\[^\\]+\\.+", path) for path in some(header[1:]))
        values[protocol] = {plain(path) for path in header[1:]}
    rows = tshark.fields(both, "perflibv2.path", "perflibv2.aggregate.path", "perfdata.path", options=["-2"])
    assert values["perfdata"] <= {plain(path) for row in rows for path in row[2]}
    assert values["perflibv2"] <= {plain(path) for row in rows for path in row[0] + row[1]}
