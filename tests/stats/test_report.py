# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,report: one page about a capture. Its numbers are those of the tables, and of what was sent."""

import re
import struct
import subprocess
from collections import defaultdict
from fractions import Fraction
from functools import lru_cache, partial

import pytest

from lib import perfdata, perflibv2 as p
from lib.captures import CAPTURES, REPOSITORY, all_captures, options_for, record_of
from lib.pcap import ETHERNET, RAW_IP, write_pcap
from lib.report import Page, page_of
from lib.some import some
from lib.tables import named_rows, same_digits, verdicts
from lib.wire import FAULT, Capture
from perfdata import wire
from perfdata.block import Counter, Instance, Object

# Of each protocol; sealed without a key; what fails; nothing of ours.
SOME = ["tcp-session", "habits", "perfdata-windows", "perfdata-samba", "both-apis", "pla-session", "sealed-smb2", "sessions-smb",
        "sessions-tcp", "sizes-without-padding", "two-servers", "handles", "foreign"]


def capture_of(name):
    return CAPTURES / f"{name}.pcapng"


@pytest.fixture(scope="module")
def page_by(tshark):
    """The page of a capture by its path and options of tshark."""
    return lru_cache(maxsize=None)(partial(page_of, tshark))


@pytest.fixture(scope="module")
def pages(page_by):
    return {name: page_by(capture_of(name)) for name in SOME}


def ungrouped(text):
    """Digits of the page come in groups of three."""
    assert not re.search(r"(?<![\d.])\d{4,}\.\d*$", text), text
    return text.replace("\u202f", "")


def number(text):
    return float(ungrouped(text) or 0)


INTERVALS = {"Median interval s": "Median s", "Longest interval s": "Longest s"}

# Caption of the page's table, the command, and the columns under other names.
SHOWN = [
    ("Queries (PerflibV2)", "perflibv2,queries", {"Counters added": "Added", **INTERVALS}),
    ("Values read (performance data of the registry)", "perfdata,queries", INTERVALS),
    ("Countersets", "perflibv2,usage", {"Counterset or object": "Counterset", "Share of its time %": "Share %"}),
    ("Objects (performance data of the registry)", "perfdata,usage",
     {"Counterset or object": "Counterset", "Share of its time %": "Share %"}),
    ("PerflibV2", "perflibv2,missing", {"Why it did not come": "Why not received", "What PDH says": "PDH's code"}),
    ("Performance data of the registry", "perfdata,missing",
     {"Why it did not come": "Why not received", "What PDH says": "PDH's code"}),
    ("Data collector sets ([MS-PLA])", "pla,sets", {}),
]


@pytest.fixture(scope="module")
def printed(tshark):
    """Of each capture the number of packets, and what each table prints."""
    tables = ["perflibv2,sessions", "perflibv2,counters", "perfdata,counters", "perflibv2,rules", *(command for _, command, _ in SHOWN)]

    def of(name):
        rows, output = tshark.fields_and_tables(capture_of(name), "frame.number", tables=tables)
        _, *bodies = re.split("^=+\n(.*?)^=+\n", output, flags=re.MULTILINE | re.DOTALL)
        # What is asked for last comes first.
        return len(rows), dict(zip(reversed(tables), bodies[::2], strict=True))

    return {name: of(name) for name in SOME}


WASTE = {"Size probes", "Too small", "Wasted %", "Late", "Overlap", "Twice", "Other host"}


@pytest.mark.parametrize("caption, command, names", SHOWN, ids=[command for _, command, _ in SHOWN])
def test_tables_are_the_same(printed, pages, caption, command, names):
    compared = 0
    for name, page in pages.items():
        rows = page.table(caption)
        columns = {head: names.get(head, head) for row in rows for head in row}
        # Sentences stand below the tables of tshark.
        told = [row for row in named_rows(printed[name][1][command]) if len(row) > 2]
        assert len(rows) == min(len(told), 200)
        keys = sorted(tuple(ungrouped(row[head]) for head in columns) for row in rows)
        # Who wastes nothing has no row there. Of sealed calls that are no polls the page says nothing of polls.
        expected = sorted(tuple("" if column == "Polls" and row.get("State", "").startswith("sealed") and row[column] == "0"
                                else row.get(column) or ("0" if column in WASTE else "") for column in columns.values()) for row in told)
        assert keys == expected
        compared += len(rows)
    assert compared > 1


def test_rules_are_the_same(printed, pages):
    broken = 0
    for name, page in pages.items():
        table, sentences = verdicts(printed[name][1]["perflibv2,rules"]) if name != "foreign" else ({}, [])
        for caption, verdict in (("Rules of [MS-PCQ] that were broken", "broken"), ("Departures", "departs")):
            shown = {row["perflibv2.rule."]: tuple(int(row[head]) for head in ("Checked", "Broken", "First frame"))
                     for row in page.table(caption)} if page.table(caption) else {}
            if name == "foreign":
                assert shown == {}
                continue
            assert shown == {rule: row[:3] for rule, row in table.items() if row[3] == verdict}
            broken += len(shown)
        for sentence in (one for one in sentences if not one.startswith("Sealed by")):
            assert sentence in page.sections["rules"].text
    assert broken > 4


def test_sessions_are_the_same(printed, pages):
    compared = 0
    for name, page in pages.items():
        rows = [row for row in named_rows(printed[name][1]["perflibv2,sessions"]) if row.get("Over")]
        tries = [attempt for pair in page.root.find("article") for attempt in pair.find("div")]
        assert len(tries) == len(rows)
        for row in rows:
            texts = [attempt.text for attempt in tries if f"from frame {row['First frame']} on" in attempt.text]
            assert any(row["Outcome"] in text and row["Over"] in text and (row["For"][0] == "(" or row["For"] in text) for text in texts)
            if row["Calls"] != "0":
                calls, faults = (f"{row[name]} {name[:-1].lower()}{'' if row[name] == '1' else 's'}" for name in ("Calls", "Faults"))
                assert any(f"{calls}, {faults}, {int(row['Bytes']):,} bytes".replace(",", "\u202f").replace("\u202f ", ", ") in text
                           for text in texts)
        compared += len(rows)
    assert compared > 20


def test_facts(printed, pages):
    """What stands at the top is the sum of what stands in the tables."""
    for name, page in some(pages.items()):
        facts = {div.find("dt")[0].text: div.find("dd")[0].text for div in page.root.find("dl")[0].find("div")}
        packets, tables = printed[name]
        assert number(facts["Packets"]) == packets
        sessions = [row for row in named_rows(tables["perflibv2,sessions"]) if row.get("Over")]
        assert number(facts["Calls"]) == sum(number(row["Calls"]) for row in sessions)
        assert number(facts["Attempts"]) == sum(number(row["Times"]) for row in sessions)
        counters = [row for protocol in ("perflibv2", "perfdata") for row in named_rows(tables[f"{protocol},counters"])
                    if "Samples" in row]
        if facts["Counters"] == "unknown":
            assert facts["Values"] == "unknown" and not counters and "no key" in page.sections["making"].text
            continue
        assert number(facts["Counters"]) == len(counters)
        assert number(facts["Values"]) == sum(number(row["Samples"]) for row in counters)


@pytest.mark.parametrize("name, polls", [("perfdata-samba-smb3", "unknown"), ("sealed-kerberos", "8"), ("sealed-tcp", None), ("foreign", "0")])
def test_what_nobody_could_see_is_not_none(page_by, name, polls):
    """How many polls were in what is sealed: by their operation numbers ([MS-PCQ] 3.1.4.1), or nobody knows."""
    page = page_by(capture_of(name))
    facts = {div.find("dt")[0].text: div.find("dd")[0].text for div in page.root.find("dl")[0].find("div")}
    sent = [call for call in (record_of(capture_of(name)) or {"calls": []})["calls"] if call["method"].endswith("QueryCounterData")] \
        if name.startswith("sealed") else []
    assert facts["Polls"] == (polls or str(len(sent))) and (not sent or facts["Polls"] == str(len(sent)))
    assert {facts["Counters"], facts["Values"]} == {"0" if name == "foreign" else "unknown"}
    for row in page.table("Queries (PerflibV2)") or []:
        assert row["State"].startswith("sealed: ") and row["Polls"] == (str(len(sent)) if "QueryCounterData" in row["State"] else "")


@pytest.mark.parametrize("name", ["tcp-session", "instances-come-and-go", "counter-reset-and-wrap"])
def test_curves_have_what_was_sent(page_by, name):
    """Of each counter that the record computes: the same values, in the same order."""
    curves = page_by(capture_of(name)).curves()
    sent = defaultdict(list)
    cases = [case for case in record_of(capture_of(name))["expected_cooked_values"] if "path" in case]
    for case in cases:
        machine, counterset, instance, counter = re.fullmatch(r"\\\\([^\\]*)\\(.*?)(?:\((.*)\))?\\([^\\]*)", case["path"]).groups()
        sent[f"{counterset} on {machine}\t{instance + ', ' if instance else ''}{counter}"].append(case["exact"])
    compared = 0
    for label, values in sent.items():
        if label in curves and len(curves[label][1]) == len(values):
            assert all(same_digits(cell, Fraction(value)) for cell, value in some(zip(curves[label][1], values))), label
            compared += len(values)
    # The record counts a counter twice that two identifiers ask for, and writes some names in another way.
    assert compared > 0.6 * sum(map(len, sent.values())) > 20


@pytest.mark.parametrize("protocol, name", [("perflibv2", "tcp-session"), ("perflibv2", "two-servers"), ("perfdata", "perfdata-windows")])
def test_curves_are_the_samples(tshark, page_by, protocol, name):
    """As many points as values, at the times of their packets; and what is said of them stands in the table."""
    page = page_by(capture_of(name))
    frames, output = tshark.fields_and_tables(capture_of(name), "frame.time_relative", tables=[f"{protocol},counters"])
    by_time = defaultdict(int)
    points = [time for curve in page.curves().values() for time in curve[0]]
    assert points and {round(time, 3) for time in points} <= {round(float(time), 3) for ((time,),) in frames}
    for _, values, _, label, last in page.curves().values():
        assert f": {len(values)} values from " in label and ungrouped(last.split(" ")[0]) == values[-1]
        by_time[len(values)] += 1
    table = [row for row in named_rows(output) if row.get("Samples", "0") != "0"]
    counted = defaultdict(int)
    for row in table:
        counted[int(row["Samples"])] += 1
    left_out = re.search(r"(\d+) more counters? (?:is|are) not drawn", page.source)
    assert sum(by_time.values()) + (int(left_out.group(1)) if left_out else 0) == sum(counted.values())
    assert [samples for samples, count in some(by_time.items()) if count > counted[samples]] == []


def made(tmp_path, capture):
    tmp_path.chmod(0o755)
    return capture.write(tmp_path / "made.pcap")


def test_gaps(tshark, tmp_path):
    """A counter that a poll lacks has a gap there; one that comes back alone is a dot."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1), p.identifier(2))
    there = [True, True, False, True, False, True, True]
    for at, is_there in enumerate(there):
        block = p.block(1, p.value(10 + at, 8)) if is_there else p.block(0, status=0xD2)
        peer.poll(handle, p.data(p.block(1, p.value(5)), block, time=p.TIME + at * 10_000_000))
    curves = page_of(tshark, made(tmp_path, capture)).curves()
    assert sorted((values, begins) for _, values, begins, _, _ in curves.values()) == [
        (["10.000", "11.000", "13.000", "15.000", "16.000"], [0, 2, 3]), (["5.000"] * 7, [0])] or sorted(
        (values, begins) for _, values, begins, _, _ in curves.values()) == [
        (["10", "11", "13", "15", "16"], [0, 2, 3]), (["5"] * 7, [0])]


def test_many_values_are_thinned(tshark, tmp_path):
    """What is left out lies between what stays: the smallest and the largest are there, and the page says so."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1))
    polls = 3000
    for at in range(polls):
        number = 7_000_000 if at == 1234 else 1 if at == 2345 else 1000 + at % 10
        peer.poll(handle, p.data(p.block(1, p.value(number)), time=p.TIME + at * 10_000_000))
    page = page_of(tshark, made(tmp_path, capture))
    (times, values, _, label, _), = page.curves().values()
    assert 100 < len(values) <= 514 and times == sorted(times)
    assert {7_000_000.0, 1.0} <= set(map(float, values)) and f"{polls} values from 1" in label
    assert "thinned" in page.sections["making"].text


def test_size_of_the_page_is_bounded(tshark, tmp_path):
    """Thousands of counters, and things that never came, of many machines."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1, "*"))
    for at in range(6):
        rows = [p.instance("n" * 200 + str(i), i) + p.value(i * at) for i in range(1500)]
        peer.poll(handle, p.data(p.block(4, p.multi_instances(rows)), time=p.TIME + at * 10_000_000), in_size=1 << 20)
    for at in range(1500):
        peer.validate(handle, p.identifier(7, f"{at}" * 50), returned=p.identifier(7, f"{at}" * 50, status=0x1069))
    page = page_of(tshark, made(tmp_path, capture))
    assert len(page.source) < 2_000_000
    assert len(page.curves()) <= 400 and len(page.table("PerflibV2")) <= 200
    assert re.search(r"\d+ more counters are not drawn", page.source)


HOSTILE = ["</script><script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "a\u202egnp.exe\u202c\u2066b\u2069\u200f",
           "x\u2028y\u2029z\u0085", "nul\0nul", "&lt;b&gt;&amp;", "\x1b[31m\x07\x7f", "{S}{C}%s%n", "]]><!--", "\ufeff\ufffe\ue000"]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names(tshark, tmp_path, name):
    """In machine, counterset, counter and instance; of values, and of what never came."""
    capture = Capture()
    peer = p.Peer(capture, machine="\\\\" + name)
    handle = p.query_handle(1)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2)]))
    peer.registration(3, p.text(name))
    peer.registration(5, p.strings([(1, name), (2, name + "2")]))
    peer.mapped(handle, p.identifier(1, name), p.identifier(2, "2" + name))
    for at in range(3):
        peer.poll(handle, p.data(p.block(1, p.value(at)), p.block(0, status=0xD2), time=p.TIME + at * 10_000_000))
    path = made(tmp_path, capture)
    page = page_of(tshark, path)
    readable = re.match(r"[\w ]*", name)[0]
    assert page.curves() and page.table("PerflibV2") and readable in page.sections["curves"].text
    # A filter is the user's own.
    assert "frame.number < 1000" in page_of(tshark, path, filter="frame.number < 1000").sections["making"].text


def test_hostile_users_and_pipes(tshark, tmp_path):
    """Names in SMB and NTLM: the same capture with letters of them replaced."""
    source = capture_of("sessions-smb").read_bytes()
    old, new = "perf".encode("utf-16-le"), "<b>&".encode("utf-16-le")
    assert source.count(old) > 3
    path = tmp_path / "hostile.pcapng"
    tmp_path.chmod(0o755)
    path.write_bytes(source.replace(old, new))
    page = page_of(tshark, path)
    assert "user <b>&" in page.sections["sessions"].text


@pytest.mark.parametrize("capture", [path for path in all_captures()], ids=lambda path: path.stem)
def test_every_capture(page_by, capture):
    """Well-formed, and nothing in it but what belongs there; with the key, too."""
    assert page_by(capture).headline.endswith(".")
    if options_for(capture):
        page = page_by(capture, *options_for(capture))
        assert "sealed" not in page.headline


@pytest.mark.parametrize("name, said, not_said", [
    ("sessions-smb", ["gets through to 0 of 8 servers", "127.0.1.5 denies access to its pipe winreg", "Performance Monitor Users",
                      "0x800007D0 PDH_CSTATUS_NO_MACHINE", "Remote Registry", "frame 350"], ["nothing is wrong"]),
    ("habits", ["2 polls were late", "6 buffers were too small", "perflibv2.poll.overlap"], ["never had"]),
    ("sealed-smb2", ["sealed", "the password of perfuser", "whoever owns the account"], ["nothing is wrong"]),
    ("faults-refused", ["gets no counters: 127.0.0.1 denies access to the call"], []),
    ("pla-session", ["data collector set"], []),
    ("foreign", ["Nobody asks for performance counters", "ports 445 and 135"], []),
    ("two-servers", ["polls 3 servers"], []),
])
def test_what_it_says(page_by, name, said, not_said):
    page = page_by(capture_of(name))
    text = page.root.text
    for sentence in some(said):
        assert sentence in text
    for sentence in not_said:
        assert sentence not in page.headline


def findings_in(page):
    return [item.find("b")[0].text for item in page.sections["findings"].find("li")]


def test_habits_say_whose_they_are(page_by):
    """Each sentence once, with the client and the API; its number is the headline's."""
    page = page_by(capture_of("habits"))
    said = findings_in(page)
    assert len(said) == len(set(said)) == 4 and all(sentence.startswith("192.0.2.2 ") for sentence in said)
    assert ("192.0.2.2 tried 6 times with a buffer that was too small: a PerflibV2 query and a value of performance data of WIN-PERF01"
            in said)
    assert page.sections["findings"].text.count("Talk to whoever runs 192.0.2.2.") == 4
    # One trip that asks for the size is usual, and counts in neither place.
    page = page_by(capture_of("both-apis"))
    assert [row["Too small"] for row in page.table("Values read (performance data of the registry)")] == ["1", "2"]
    assert "; 2 buffers were too small." in page.headline
    assert findings_in(page) == ["127.0.0.1 tried 2 times with a buffer that was too small: a value of performance data of WIN-PERF01"]


def test_habits_have_their_frames(tshark, page_by):
    """Each begins where it is seen first: where a filter finds it, and not where the query was opened."""
    frames = {item.find("b")[0].text: int(item.find("span")[0].text.removeprefix("frame "))
              for item in page_by(capture_of("habits")).sections["findings"].find("li")}
    for word, display_filter, at in [
        ("late", "perflibv2.poll.late", 0),
        ("asked again", "perflibv2.poll.overlap", 0),
        ("twice", "perfdata.poll.twice", 0),
        # ERROR_NOT_ENOUGH_MEMORY, of polls; the first one is usual.
        ("too small", "perflibv2.opnum == 6 && perflibv2.return_code == 8", 1),
    ]:
        found = [int(frame) for ((frame,),) in tshark.fields(capture_of("habits"), "frame.number", display_filter=display_filter)]
        assert [frame for text, frame in frames.items() if word in text] == [found[at]], word


def refused(peer):
    """OpenQueryHandle: ERROR_ACCESS_DENIED"""
    peer.call(3, peer.machine, p.NULL_HANDLE + struct.pack("<I", p.ACCESS_DENIED))


def polled(peer, number, polls=3):
    peer.teach()
    peer.mapped(p.query_handle(number), p.identifier(1))
    for at in range(polls):
        peer.capture.wait(998)
        peer.poll(p.query_handle(number), p.data(p.block(1, p.value(at)), time=p.TIME + at * 10_000_000))


@pytest.mark.parametrize("attempts, said", [
    ([("3", "1", False), ("2", "1", True)], "2 clients poll HOST (192.0.2.1) every 1 s, but some attempts fail: HOST (192.0.2.1) denies"),
    ([("2", "1", True), ("2", "1", False)], "192.0.2.2 polls HOST (192.0.2.1) every 1 s, but some attempts fail: HOST (192.0.2.1) denies"),
    ([("2", "1", True), ("2", "7", False), ("3", "7", True)], "2 clients poll 2 servers every 1 s, but some attempts fail: "),
    ([("2", "1", True), ("2", "7", False)], "192.0.2.2 gets through to 1 of 2 servers. 192.0.2.7 denies"),
    ([("2", "1", False), ("3", "1", False)], "2 clients get no counters: 192.0.2.1 denies"),
    # Who tried again, and got in, has nothing to complain of.
    ([("2", "1", False), ("2", "1", True)], "192.0.2.2 polls HOST (192.0.2.1) every 1 s: it works, with something to note."),
])
def test_who_gets_through(tshark, tmp_path, attempts, said):
    """A server that lets one in and refuses another is neither closed nor without a flaw."""
    capture = Capture()
    for number, (client, server, works) in enumerate(attempts, 1):
        peer = p.Peer(capture, client=f"192.0.2.{client}", **({} if server == "1" else {"server": f"192.0.2.{server}"}))
        if works:
            polled(peer, number)
        else:
            refused(peer)
        peer.connection.end(0x11)
    page = page_of(tshark, made(tmp_path, capture))
    assert page.headline.replace("\u00a0", " ").startswith(said)
    assert page.sections["findings"].find("li")[0].attributes["class"] == ("hint" if "it works" in said else "bad")


@pytest.mark.parametrize("seconds, said", [(0.5, []), (9, []), (11, ["HOST (192.0.2.1) answers, but not all calls so far"])])
def test_the_end_of_a_capture_blames_nobody(tshark, tmp_path, seconds, said):
    """The last poll is not answered; the capture goes on for so long, with another client's calls."""
    capture = Capture()
    peer = p.Peer(capture)
    polled(peer, 1, 3)
    peer.call(6, p.query_handle(1) + struct.pack("<I", 4096))
    capture.wait(int(1000 * seconds))
    polled(p.Peer(capture, client="192.0.2.9"), 2, 0)
    assert findings_in(page_of(tshark, made(tmp_path, capture))) == said


def test_what_its_user_saw(page_by):
    """Who did not get as far as a call was not connected, whatever the reason: "permissions set on the registry", too (PdhConnectMachine,
    Microsoft Learn). A refused call is PDH_ACCESS_DENIED. Tools for data collector sets show the HRESULT, and no code of PDH."""
    seen = {}
    for name in ("sessions-smb", "sessions-tcp", "faults-refused", "pla-session"):
        for item in page_by(capture_of(name)).sections["findings"].find("li"):
            seen[item.find("b")[0].text.split(" ", 1)[-1]] = [code.text.split(" ")[1] for code in item.find("code")]
    assert seen["denies access to its pipe winreg"] == seen["refuses access to its share IPC$"] == ["PDH_CSTATUS_NO_MACHINE"]
    assert seen["refuses the TCP connection"] == ["PDH_CSTATUS_NO_MACHINE"] and seen["denies access to the call"] == ["PDH_ACCESS_DENIED"]
    assert seen["refuses to create the object"] == []
    assert not [codes for text, codes in some(seen.items()) if "data collector set" in text and codes]


def test_how_often_it_failed(tshark, tmp_path):
    """Four polls are answered with a fault, four with values."""
    capture = Capture()
    peer = p.Peer(capture)
    polled(peer, 1, 1)
    for at in range(1, 8):
        if at % 2:
            peer.call(6, p.query_handle(1) + struct.pack("<I", 4096))
            peer.connection.pdu(FAULT, struct.pack("<IHBBII", 0, 0, 0, 0, 0x1C010014, 0))     # nca_s_server_too_busy
        else:
            peer.poll(p.query_handle(1), p.data(p.block(1, p.value(at)), time=p.TIME + at * 10_000_000))
    assert findings_in(page_of(tshark, made(tmp_path, capture))) == ["HOST (192.0.2.1) answers, but at times it is too busy to take the call"]


def test_refusals_of_what_worked_before(tshark, tmp_path):
    """Three polls of the older API have values; then three are refused."""
    peer = perfdata.Peer()
    for at in range(6):
        answer = perfdata.built(Object(238, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance("0", [at])]), seconds=at)
        peer.query("238", answer if at < 3 else None, error=0 if at < 3 else p.ACCESS_DENIED)
        peer.capture.wait(1)
    page = page_of(tshark, peer.write(tmp_path / "refused.pcapng"))
    assert page.headline.endswith("; 3 calls failed or had no answer.")
    assert findings_in(page) == ["PC (192.0.2.20) answers, but at times it denies access to a call: QueryValue: ERROR_ACCESS_DENIED (0x00000005)"]


def test_the_call_without_an_answer(tshark, tmp_path):
    """Its frame is told, not that of the connection's first."""
    capture = Capture()
    peer = p.Peer(capture)
    polled(peer, 1)
    frame, _ = peer.poll(p.query_handle(1))
    peer.connection.end(0x14, True)
    page = page_of(tshark, made(tmp_path, capture))
    assert page.headline.endswith("; 1 call failed or had no answer.")
    assert f"but once it did not answer frame {frame}" in page.sections["findings"].text


def test_the_registry_alone(tshark, tmp_path):
    """Who reads other values of it gets no good word for its counters."""
    peer = perfdata.Peer(opened=False)
    peer.open(wire.OPEN_LOCAL_MACHINE)
    peer.query("ProductName", "Windows\0".encode("utf-16-le"), kind=1)
    headline = page_of(tshark, peer.write(tmp_path / "registry.pcapng")).headline
    assert headline == "192.0.2.10 calls 192.0.2.20, but not for performance counters."


def test_a_loss_blames_nobody(page_by):
    """The answer to one poll was not captured."""
    text = page_by(capture_of("lost-request")).sections["findings"].text
    assert "answers, but once it was not captured whole" in text and "Talk to whoever took the capture." in text
    assert "administrator" not in text and "hang" not in text


def test_nobody_gets_as_far(tshark, tmp_path):
    """A client whose SYNs to SMB's port have no answer."""
    syn = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 40, 0, 0x4000, 64, 6, 0, 192, 0, 2, 2, 192, 0, 2, 1)
    syn += struct.pack(">HHIIBBHHH", 50000, 445, 1000, 0, 5 << 4, 2, 65535, 0, 0)
    page = page_of(tshark, write_pcap(tmp_path / "syn.pcap", [(at * 3_000_000, syn) for at in range(4)], RAW_IP))
    assert page.headline == "Nobody asks for performance counters as far as can be seen; 1 attempt ended before saying for what."
    text = page.sections["findings"].text
    assert "192.0.2.1 does not answer" in text and "Talk to whoever runs the network." in text


def test_what_opens_what_is_sealed(tshark, tmp_path):
    """A logon that was not captured, SMB 3, and both a clear and a sealed session."""
    tmp_path.chmod(0o755)
    late, both = tmp_path / "late.pcapng", tmp_path / "both.pcapng"
    subprocess.run(["editcap", "-r", capture_of("sealed-spnego"), late, "30-60"], check=True, capture_output=True)
    subprocess.run(["mergecap", "-w", both, capture_of("sealed-tcp"), capture_of("perfdata-windows")], check=True)
    for path, headline, remedy, not_said in [
        (late, "", "Start the capture before the client connects: restart its program. Talk to whoever took the capture.", "and make"),
        (capture_of("perfdata-samba-smb3"), "the answers are sealed, and a key is needed", "-o uat:smb2_seskey_list", "nt_password:PASSWORD"),
        (both, "; some answers are sealed, and a key is needed to read them.", "Talk to whoever owns the account.", "Start the capture"),
        (capture_of("sealed-tcp"), "; the answers are sealed, and a key is needed to read them.", "Talk to whoever owns the account.", ""),
    ]:
        page = page_of(tshark, path)
        text = next(item.text for item in page.sections["findings"].find("li") if item.text.startswith("Calls are sealed"))
        assert headline in page.headline and remedy in text and (not not_said or not_said not in text), path


def test_what_had_nothing_to_be_divided_by(tshark, tmp_path):
    """A fraction whose base stands still is no fault of anybody."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(p.query_handle(1), p.identifier(7), p.identifier(8))
    for at in range(3):
        peer.poll(p.query_handle(1), p.data(p.block(1, p.value(5, 8)), p.block(1, p.value(9)), time=p.TIME + at * 10_000_000))
    (finding,) = page_of(tshark, made(tmp_path, capture)).sections["findings"].find("li")
    assert "never had a value: zero base" in finding.text and "administrator" not in finding.text
    assert finding.attributes["class"] == "hint"


def test_frames_of_one_time_are_thinned(tshark, tmp_path):
    """The smallest and the largest value stay points where all frames have one time, and where time goes back."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(p.query_handle(1), p.identifier(1))
    for at in range(1100):
        number = 7_000_000 if at == 777 else 1 if at == 935 else 1000 + at % 7
        peer.poll(p.query_handle(1), p.data(p.block(1, p.value(number)), time=p.TIME + at * 10_000_000))
    for name, step in (("one", 0), ("back", -1000)):
        path = write_pcap(tmp_path / name, [(1_700_000_000_000_000 + step * at, *frame) for at, frame in enumerate(capture.frames)], RAW_IP)
        (_, values, _, _, _), = page_of(tshark, path).curves().values()
        assert {"7000000", "1"} <= set(values) and values.index("7000000") < values.index("1")


def test_remedies_ask_for_no_less_than_windows_does(page_by):
    """[MS-PCQ] 3.1.4, [MS-PLA] 2.1: below privacy a server refuses, whoever asks. An object without a clock is no error to look up."""
    source = (REPOSITORY / "plugin" / "stats" / "remedies.c").read_text(encoding="utf-8")
    denied = re.findall(r'\{ "(?:call_denied|counters_denied|set_denied|value_denied)",\s*"[^"]*",\s*((?:"[^"]*"\s*)+),', source)
    assert len(denied) == 4 and all("privacy" in re.sub(r'"\s*"', "", remedy) for remedy in denied)
    text = page_by(capture_of("perfdata-samba")).sections["findings"].text
    # Samba's object has a PerfTime and a PerfFreq of 0: nobody set a clock back.
    assert "PERFSRV sends PerfTime and PerfFreq as zero" in text and "set back" not in text and "Look the code up" not in text


def test_many_servers(tshark, tmp_path):
    """The first line stays one that can be read; hostile names in it, too."""
    capture = Capture()
    for at in range(50):
        peer = p.Peer(capture, server=f"192.0.2.{at + 10}", machine="\\\\" + HOSTILE[at % len(HOSTILE)] + str(at))
        handle = p.query_handle(1)
        peer.teach()
        peer.mapped(handle, p.identifier(1))
        for poll in range(3):
            peer.poll(handle, p.data(p.block(1, p.value(poll)), time=p.TIME + poll * 10_000_000))
    page = page_of(tshark, made(tmp_path, capture))
    assert "192.0.2.2 polls 50 servers every " in page.headline and len(page.headline) < 200
    assert len(page.root.find("article")) == 50


def test_machines_behind_one_address(tshark, tmp_path):
    """Each of them is counted, by its name."""
    capture = Capture()
    for number in range(1, 4):
        polled(p.Peer(capture, machine=f"\\\\M{number}"), number)
    page = page_of(tshark, made(tmp_path, capture))
    assert page.headline.startswith("192.0.2.2 polls 3 servers every ")
    assert {row["Server"] for row in page.table("Queries (PerflibV2)")} == {"M1", "M2", "M3"}


def test_two_reports(tshark, page_by, tmp_path):
    """Of one command, each with a filter of its own."""
    tmp_path.chmod(0o777)
    tshark.run(capture_of("tcp-session"), "-q", "-z", f"perflib,report,{tmp_path}/a.html",
               "-z", f"perflib,report,{tmp_path}/b.html,frame.number < 100")
    pages = [Page((tmp_path / name).read_text(encoding="utf-8")) for name in ("a.html", "b.html")]
    assert pages[0].source.strip() == page_by(capture_of("tcp-session")).source.strip()
    assert pages[1].source.strip() == page_by(capture_of("tcp-session"), filter="frame.number < 100").source.strip()


def test_each_code_has_its_texts():
    """The name of a code, which programs read, is that of the code, and no other's."""
    stats = REPOSITORY / "plugin" / "stats"
    codes = re.findall(r"^    FINDING_(\w+),$", (stats / "remedies.h").read_text(encoding="utf-8"), re.MULTILINE)
    rows = re.findall(r'\[FINDING_(\w+)\] = \{ "(\w+)",', (stats / "remedies.c").read_text(encoding="utf-8"))
    assert len(codes) > 50 and sorted(codes) == sorted(code for code, _ in rows)
    assert [name for _, name in rows] == [code.lower() for code, _ in rows]


def test_nothing_captured(tshark, tmp_path):
    page = page_of(tshark, write_pcap(tmp_path / "empty.pcap", [], ETHERNET))
    assert page.headline == "Nobody asks for performance counters in this capture." and page.curves() == {}


@pytest.mark.parametrize("name", ["a <b>.pcapng", "a &lt;.pcapng"], ids=["brackets", "ampersand"])
def test_the_capture_has_its_name(tshark, tmp_path, name):
    """With a process of its own, whose command line it is on; in each way to say it."""
    tmp_path.chmod(0o777)
    path = tmp_path / name
    path.write_bytes(capture_of("tcp-session").read_bytes())
    for options in (["-r", path], [f"-r{path}"], ["-qr", path]):
        result = subprocess.run(tshark.command(*options, "-q", "-z", "perflib,report,-"), env=tshark.environment(),
                                stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True)
        page = Page(result.stdout)
        page.assert_harmless()
        assert page.root.find("title")[0].text.endswith(name)


def test_two_passes_and_other_tables(tshark, page_by):
    """Two passes teach names first; and tables of the same command, with filters of their own, count their own."""
    output = tshark.run(capture_of("tcp-session"), "-q", "-z", "perflibv2,counters,frame.number < 100", "-z", "perflib,report,-")
    page = Page(output[output.index("<!DOCTYPE"):output.index("</html>") + 8])
    alone = page_by(capture_of("tcp-session"))
    assert page.source.strip() == alone.source.strip()
    assert page_by(capture_of("tcp-session"), "-2").curves()


def test_filter(page_by):
    page = page_by(capture_of("tcp-session"), filter="frame.number < 100")
    assert "frame.number < 100" in page.sections["making"].text
    assert "99 packets" in page.sections["making"].text


def test_decode_makes_them(tshark, tmp_path):
    """A capture is never replaced by its page; one that was cut short has a page; a filter counts; other tables stay outside."""
    def decode(*arguments):
        return subprocess.run([CAPTURES / "decode", *arguments], capture_output=True, text=True, check=False, cwd=tmp_path,
                              env=tshark.environment({"PERFLIB_BUILD": str(tshark.plugins.parent)}))

    tmp_path.chmod(0o755)
    whole, cut, out = tmp_path / "whole.pcapng", tmp_path / "cut.pcapng", tmp_path / "out.html"
    whole.write_bytes(capture_of("tcp-session").read_bytes())
    assert "is the capture" in decode(whole, "--report", "./whole.pcapng").stderr
    assert whole.read_bytes() == capture_of("tcp-session").read_bytes()
    cut.write_bytes(whole.read_bytes()[:60000])
    result = decode(cut, "--report", out)
    assert result.returncode != 0 and "cut short" in result.stderr
    assert Page(out.read_text(encoding="utf-8")).headline in result.stdout
    result = decode(whole, "frame.number < 100", "--report", out, "-z", "perflibv2,calls")
    page = Page(out.read_text(encoding="utf-8"))
    assert "99 packets" in page.sections["making"].text and "PerflibV2 Calls" not in page.source
    assert result.returncode == 0 and page.headline in result.stdout and "PerflibV2 Calls" in result.stdout
    result = decode(whole, "--report", "-")
    assert result.returncode == 0 and result.stdout.startswith("<!DOCTYPE html>") and not (tmp_path / "-").exists()
