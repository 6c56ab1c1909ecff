# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of calls, query handles and learned names against the records; names from a table instead of the capture."""

import csv
import re
import statistics
from collections import Counter, namedtuple
from fractions import Fraction

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, options_for, record_of, recorded_captures
from lib.sessions import Expected, Session, shown, value_items, values_of
from lib.some import some
from lib.tables import named_rows, query_rows
from lib.tshark import Tshark
from lib.values import without_lone_surrogates
from lib.wire import Capture

WITH_HANDLES = [capture for capture in recorded_captures() if (record_of(capture) or {}).get("query_handles")]


PASSES = [(), ("-2",)]
# Of a capture: its record, what its tables print by passes, the file of its catalog, the TCP stream of each frame, and the streams that ended.
Known = namedtuple("Known", "record printed catalog streams ended")


@pytest.fixture(scope="module", params=WITH_HANDLES, ids=[capture.stem for capture in WITH_HANDLES])
def known(request, tshark, tmp_path_factory):
    catalog = tmp_path_factory.mktemp("catalog") / "known"
    catalog.parent.chmod(0o777)
    printed = {}
    for passes in PASSES:
        written = () if passes else ("-z", f"perflibv2,catalog,{catalog}")
        printed[passes] = tshark.run(
            request.param, *options_for(request.param), *passes, "-q", "-z", "perflibv2,queries", "-z", "perflibv2,calls", *written)
    return Known(record_of(request.param), printed, catalog, *connections(tshark, request.param))


def answered(record, number):
    """A call of the record if the capture holds its request and its answer."""
    call = next((call for call in record["calls"] if call["n"] == number), None)
    return call if call and call.get("request") is not None and call.get("response") is not None else None


def connections(tshark, capture):
    """TCP stream of each frame, and the streams that were closed or reset in the capture."""
    rows = tshark.fields(capture, "frame.number", "tcp.stream", "tcp.flags.fin", "tcp.flags.reset", display_filter="tcp",
                         options=["--disable-protocol", "dcerpc", "--disable-protocol", "smb2"])
    ended = {stream[0] for _, stream, fin, reset in rows if {*fin, *reset} & {"1", "True"}}
    return {int(frame[0]): stream[0] for frame, stream, _, _ in rows}, ended


def handle_of(call):
    """The query handle that a request uses, or None."""
    handle = call["request"].get("hQuery") or call["request"].get("phQuery")
    return handle and handle["uuid"]


def stub_bytes(record, life):
    """What the peers sent as stubs in all calls on the handle that were answered; a fault has no stub."""
    known = {life["opened_by"], life["closed_by"], *life["polls"]}
    connections = {call.get("connection") for call in record["calls"] if call["n"] in known}
    calls = [call for call in record["calls"] if call["n"] == life["opened_by"] or
             (handle_of(call) == life["handle"] and (not known - {None} or call.get("connection") in connections))]
    answered_calls = [call for call in calls if call.get("response_frame")]
    # The first request behind SPNEGO ends in what is no part of the call: rpc_sec_verification_trailer, [MS-RPCE] 2.2.2.13.
    # OpenQueryHandle's has a pointer, three counts and the name, with nothing behind that but the trailer's alignment.
    trailers = sum(60 for call in answered_calls if call["opnum"] == 3 and
                   call["request_stub_len"] > 16 + 2 * (len(call["request"]["szMachine"]) + 3) + 40)
    return sum(call["request_stub_len"] + (call.get("response_stub_len") or 0) for call in answered_calls) - trailers


def life_of(record, life, streams, ended):
    """What the table of queries should say of a handle, but for the response time."""
    frame = {call["n"]: call for call in record["calls"]}
    added = [identifier["status"] for identifier in life["identifiers"] if answered(record, identifier["call"])]
    removed = [identifier["status"] for identifier in life["removed"] if answered(record, identifier["call"])]
    polls = [call for call in (answered(record, number) for number in life["polls"]) if call]
    times = [call["response"]["lpData"]["PerfTime100NSec"] for call in polls]
    intervals = [b - a for a, b in zip(times, times[1:]) if b >= a]     # time that went back is none
    opened, closed = life["opened_by"], life["closed_by"]
    faults = sum("fault" in call and handle_of(call) == life["handle"] for call in record["calls"])
    if opened is None and closed is None and not polls and faults:
        state = "answered only with faults"
    elif closed is not None:
        state = "closed" if opened is not None else "closed, not opened in the capture"
    elif any(streams[frame[call]["response_frame"]] in ended for call in (opened, *life["polls"]) if answered(record, call)):
        state = "leaked: its connection ended" if opened is not None else "leaked, not opened in the capture"
    else:
        state = "still open at the end" if opened is not None else "not opened in the capture, still open at the end"
    return {
        "opened": frame[opened]["response_frame"] if opened else 0,
        "closed": frame[closed]["request_frame"] if closed else 0,
        "added": added.count(0),
        "refused": len(added) - added.count(0) + len(removed) - removed.count(0),
        "removed": removed.count(0),
        "polls": len(polls),
        "bytes": stub_bytes(record, life),
        "probes": sum((answered(record, number) or {"request": {}})["request"].get("dwInSize") == 0 for number in life["size_probes"]),
        "faults": faults,
        "state": state,
        "median": statistics.median(intervals) / 10**7 if intervals else None,
        "longest": max(intervals) / 10**7 if intervals else None,
    }


@pytest.mark.parametrize("passes", PASSES, ids=["one-pass", "two-pass"])
def test_queries_and_calls_are_counted_as_recorded(known, passes):
    record, output = known.record, known.printed[passes]
    lives, calls = (output.split("PerflibV2 Queries:")[1], output.split("PerflibV2 Calls:")[1])

    rows = {}
    for row in query_rows(lives):
        assert (row["Handle"], row["Server"]) not in rows, "two rows for one handle"
        names = {"opened": "Opened in frame", "closed": "Closed in frame", "probes": "Size probes"}
        counts = ("opened", "closed", "added", "refused", "removed", "polls", "bytes", "probes", "faults")
        rows[row["Handle"], row["Server"]] = {
            **{name: int(row[names.get(name, name.capitalize())] or 0) for name in counts}, "state": row["State"],
            "median": float(row["Median s"]) if row["Median s"] else None,
            "longest": float(row["Longest s"]) if row["Longest s"] else None,
        }
        assert float(row["Response ms"]) >= 0 if row["State"] != "answered only with faults" else row["Response ms"] == ""
    for life in record["query_handles"]:
        expected = life_of(record, life, known.streams, known.ended)
        used = life["opened_by"] or life["closed_by"] or life["polls"] or expected["faults"]
        row = rows.pop((life["handle"], life["server"]), None)
        if row is None:
            # Nothing but requests that the server refused.
            assert not used
            continue
        for name in ("median", "longest"):
            assert row.pop(name) == pytest.approx(expected.pop(name), abs=0.0006)
        assert row == expected, life["handle"]
    assert not rows

    expected = Counter()
    for call in record["calls"]:
        if answered(record, call["n"]):
            expected[call["method"].removeprefix("PerflibV2"), call["return"]["name"]] += 1
        elif "fault" in call:
            expected[call["method"].removeprefix("PerflibV2"), "fault " + call["fault"]["name"]] += 1
    rows = named_rows(calls.split("PerflibV2 Queries:")[0])
    assert {(row["Operation"], row["Result"]): int(row["Calls"]) for row in rows} == expected and rows


def unescaped(field):
    """Wireshark writes all but printable ASCII as \\xNN, byte by byte."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), field.encode()).decode("utf-8")


def test_catalog_has_every_counter_that_was_taught(known):
    """Every counter that was taught with type and ids, and in the server's own language."""
    rows = [[unescaped(field) for field in row] for row in csv.reader(known.catalog.read_text(encoding="ascii").splitlines())]
    assert all(len(row) == 9 for row in some(rows))
    found = {}
    for guid, set_name, number, *rest in rows:
        found.setdefault((guid, number), []).append((set_name, *rest))
    for sets in known.record["catalog"].values():
        for guid, counterset in sets.items():
            for number, counter in counterset.get("counters", {}).items():
                assert any(says(row, counterset, counter) for row in found[guid, number]), (guid, number, counter, found[guid, number])


def is_name(shown_name, taught):
    """The server's own name if it was taught, else one of those that were; what was not taught may come from the built-in table."""
    names = {lcid: name for lcid, name in (taught.get("names") or {}).items() if name}
    if "0" in names:
        return shown_name == without_lone_surrogates(names["0"])
    known = {*names.values(), *([taught["english_name"]] if taught.get("english_name") else [])}
    return not known or shown_name in known


def says(row, counterset, counter):
    """Whether a record of the table (counterset, counter, type, ids) is what was taught."""
    if not is_name(row[0], counterset) or not is_name(row[1], counter):
        return False
    if "BaseCounterId" not in counter:
        return True
    ids = [counter[name] for name in ("BaseCounterId", "PerfTimeId", "PerfFreqId", "MultiId")]
    return row[2] in (counter["type"], row[2] if row[2].startswith("0x") else None) and list(row[3:]) == [
        "" if number == 2**32 - 1 else str(number) for number in ids
    ]


@pytest.fixture
def taught(tshark, tmp_path):
    """tshark with what a capture taught as its user's table of known counters."""

    def run(capture):
        home = tmp_path / "home"
        profile = home / ".config" / "wireshark"
        profile.mkdir(parents=True)
        for folder in (tmp_path, home, home / ".config", profile):
            folder.chmod(0o777)
        tshark.run(capture, *options_for(capture), "-q", "-z", f"perflibv2,catalog,{profile / 'perflibv2_counters'}")
        return Tshark(tshark.plugins, home)

    return run


def check_all_values(session):
    """Every path and value is what the record says, though the capture does not teach them."""
    expected, count = Expected(session.record), 0
    for poll in session.polls:
        for (block, instance, value), (_, item) in zip(values_of(poll.pdu.call), value_items(poll.pdu), strict=True):
            said = expected.take(poll, block, instance, value)
            if said and "path" in said:
                assert shown(item) == without_lone_surrogates(said["path"])
            if said and "exact" in said:
                exact = Fraction(said["exact"])
                assert abs(Fraction(item.first("perflibv2.cooked").show) - exact) <= abs(exact) / 10**12, shown(item)
                count += 1
    return count


def test_one_capture_explains_another(taught):
    """The server of no-registration is that of tcp-session."""
    session = Session(taught(CAPTURES / "tcp-session.pcapng"), CAPTURES / "no-registration.pcapng", False)
    assert check_all_values(session) == len(session.record["expected_cooked_values"])


def test_names_with_quotes_and_of_other_languages(taught, tmp_path):
    """What one session teaches names the same server's next one, whatever characters stand in it."""
    set_name, counter_name = '計測機器, "Größe" 𝔘', "100 % \\ \"sûr\", \u2028 , Schluss"
    shown = counter_name.replace("\u2028", "\\u2028")     # a line separator must not end the line
    tmp_path.chmod(0o777)
    first = Capture()
    peer = p.Peer(first)
    peer.registration(1, p.counterset([p.counter(1, p.LARGE_RAWCOUNT, multi=7)]))
    peer.registration(3, p.text(set_name))
    peer.registration(5, p.strings([(1, counter_name)]))
    first.write(tmp_path / "first.pcap")

    second, handle = Capture(), p.query_handle(1)
    peer = p.Peer(second)
    peer.mapped(handle, p.identifier(1, 'one"two'))
    frame = peer.poll(handle, p.data(p.block(1, p.value(2**63 + 1, 8))))[1]
    second.write(tmp_path / "second.pcap")

    tshark = taught(tmp_path / "first.pcap")
    rows = tshark.fields(tmp_path / "second.pcap", "frame.number", "perflibv2.path", "perflibv2.cooked.formula", display_filter="perflibv2.path")
    assert rows[0][0] == [str(frame)] and rows[0][2] == ["N1"]
    assert single_backslashes(rows[0][1][0]) == single_backslashes(f'\\HOST\\{set_name}(one"two)\\{shown}')


def single_backslashes(path):
    """-T fields of 4.4 and 4.6 doubles backslashes, that of 4.0 does not."""
    return re.sub(r"\\+", r"\\", path)


def test_user_table_on_the_command_line(tshark):
    """A record of the user's table wins over the built-in one and gives way to the capture; quotes, UTF-8, hexadecimal ids."""
    guid = "6d1f0a52-8c3e-4b7a-9f05-27c1d0e4b981"
    capture = CAPTURES / "no-registration.pcapng"
    options = [
        "-o", f'uat:perflibv2_counters:"{{{guid.upper()}}}","Täglich \\x22quoted\\x22, 機器","0x3","100% \\x5c sicher","PERF_COUNTER_COUNTER","","","",""',
        "-o", 'uat:perflibv2_counters:"b4fc721a-0378-476f-89ba-a5a79f810b36","Prozessor","","","","","","",""',
    ]
    paths = {single_backslashes(path) for row in tshark.fields(capture, "perflibv2.path", options=options) for path in row[0]}
    mine = [path for path in paths if '\\Täglich "quoted", 機器(' in path]
    assert any(path.endswith("\\100% \\ sicher") for path in mine)
    assert any(path.endswith("\\counter 4") for path in mine)
    assert not [path for path in paths if f"{{{guid}}}" in path or "\\Processor Information" in path]
    assert any("\\Prozessor(" in path and path.endswith("\\% Processor Time") for path in paths)
    learned = CAPTURES / "tcp-session.pcapng"
    assert tshark.fields(learned, "perflibv2.path", options=["-2", *options]) == tshark.fields(learned, "perflibv2.path", options=["-2"])


@pytest.mark.parametrize(
    "record, complaint",
    [
        ('"no guid","","","","","","","",""', "GUID must look like"),
        ('"b4fc721a-0378-476f-89ba-a5a79f810b3g","","","","","","","",""', "GUID must look like"),
        ('"b4fc721a-0378-476f-89ba+a5a79f810b36","","","","","","","",""', "GUID must look like"),
        ('"{b4fc721a-0378-476f-89ba-a5a79f810b36x","","","","","","","",""', "GUID must look like"),
        ('"xb4fc721a-0378-476f-89ba-a5a79f810b36}","","","","","","","",""', "GUID must look like"),
        ('"b4fc721a-0378-476f-89ba-a5a79f810b36","","-1","","","","","",""', "not a counter id"),
        ('"b4fc721a-0378-476f-89ba-a5a79f810b36","","4294967296","","","","","",""', "not a counter id"),
        ('"b4fc721a-0378-476f-89ba-a5a79f810b36","","1","","PERF_NONSENSE","","","",""', "neither the name nor the number"),
        ('"b4fc721a-0378-476f-89ba-a5a79f810b36","","1","","","0x","","",""', "not a counter id"),
    ],
)
def test_bad_records_of_the_user_table_are_refused(tshark, record, complaint):
    output = tshark.complaint(CAPTURES / "no-registration.pcapng", "-o", f"uat:perflibv2_counters:{record}")
    assert complaint in output


@pytest.mark.parametrize("end", ["FIN", "RST", None])
@pytest.mark.parametrize("passes", [[], ["-2"]], ids=["one-pass", "two-pass"])
def test_a_handle_is_leaked_where_its_connection_ended(tshark, tmp_path, end, passes):
    """Of two connections one ends, with the flags of either end; the handle that was closed before is not leaked."""
    capture = Capture()
    peer, other = p.Peer(capture), p.Peer(capture)
    for one, number in ((peer, 1), (peer, 2), (other, 3)):
        one.open(p.query_handle(number))
    peer.close(p.query_handle(2))
    other.poll(p.query_handle(4), p.data(p.block(1, p.value())))
    if end:
        peer.connection.end({"FIN": 0x11, "RST": 0x14}[end], from_server=end == "RST")
    path = capture.write(tmp_path / "leaked.pcap")
    rows = query_rows(tshark.run(path, *passes, "-q", "-z", "perflibv2,queries"))
    assert [row["State"] for row in rows] == [
        "leaked: its connection ended" if end else "still open at the end", "closed", "still open at the end",
        "not opened in the capture, still open at the end",
    ]


def test_intervals_leave_out_time_that_went_back(tshark, tmp_path):
    """A server whose clock was set: 10 s, back by 6 s, 3 s."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    peer.open(handle)
    for seconds in (0, 10, 4, 7):
        peer.poll(handle, p.data(p.block(1, p.value()), time=p.TIME + seconds * 10**7))
    (row,) = query_rows(tshark.run(capture.write(tmp_path / "back.pcap"), "-q", "-z", "perflibv2,queries"))
    assert (float(row["Median s"]), float(row["Longest s"])) == (6.5, 10)
