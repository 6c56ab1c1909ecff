# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,report: one page about a capture. Its numbers are those of the tables, and of what was sent."""

import json
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
from lib.report import PAGE_ONLY, Page, page_of
from lib.some import some
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


def rows_of(tshark, path, *options, filter=""):
    """The rows of all tables, as programs get them."""
    output = tshark.run(path, *options, "-q", "-z", "perflib,ndjson,-" + (f",{filter}" if filter else ""))
    tables = defaultdict(list)
    for row in map(json.loads, filter_lines(output)):
        tables[row["table"]].append(row)
    return tables


def filter_lines(output):
    return [line for line in output.split("\n") if line.startswith("{")]


@pytest.mark.parametrize("capture", [path for path in all_captures()], ids=lambda path: path.stem)
def test_it_says_what_the_tables_say(tshark, page_by, capture):
    """Of each sample: the same rows, and each finding as it reads; with the key, too."""
    for options in some([(), options_for(capture)] if options_for(capture) else [()]):
        page, rows = page_by(capture, *options), rows_of(tshark, capture, *options)
        found = rows["findings"]
        shown = {name: told for name, told in page.rows.items() if name not in PAGE_ONLY and told}
        for row in page.rows["left_out"]:
            assert len(rows[row["of"]]) == len(shown[row["of"]]) + row["rows"]
            rows[row["of"]] = rows[row["of"]][:len(shown[row["of"]])]
        assert shown == {name: told for name, told in rows.items() if told}
        assert page.headline == page.meta["headline"] and page.headline.endswith(".")
        assert_findings_are(page, found)
        # One sentence.
        assert not re.search(r"[.!?] ", page.headline)
        if options:
            assert "sealed" not in page.headline


def assert_findings_are(page, rows):
    """Each row is a place of one finding, once; a finding with one place reads as its row, one with several by their number."""
    waiting = list(rows)
    for finding in page.findings:
        assert finding["places"] and finding["remedy"] == finding["remedy"].strip()
        several = len(finding["places"]) > 1
        for place in finding["places"]:
            row = next(row for row in waiting if (row["frame"], row["filter"], row["pdh"]) == (place["frame"], place["filter"], place["pdh"])
                       and (row["detail"] or (several and row["what"]) or None) == place["detail"]
                       and (not several or finding["places"][0]["where"] or row["machine"] is None))
            waiting.remove(row)
            if several and row["machine"]:
                assert place["where"].startswith(f"{row['client'] or 'client'} to ") and row["machine"] in place["where"]
            if not several:
                assert (finding["severity"], finding["what"], finding["remedy"], finding["who"]) == \
                    (row["severity"], row["what"], row["remedy"] or "", row["who"])
            assert finding["who"] is None or bool(row["who"])
    assert waiting == []
    headings = [finding["what"] for finding in page.findings]
    assert len(headings) == len(set(headings))
    for heading in headings:
        # Names of errors, faults and codes, and GUIDs, are details.
        assert not re.search(r"\b(ERROR|STATUS|PDH|RPC|nca|PLA|E)_\w+|0x[0-9a-f]{8}|\{[0-9a-f]{8}-", heading, re.IGNORECASE), heading


def test_servers_are_those_of_the_sessions(pages):
    """Stopped ones have a card with each stage; those that answer have a line each."""
    compared = 0
    for name, page in pages.items():
        section = page.sections["servers"]
        cards, lines = section.find("article"), section.find("li", kind="good") + section.find("li", kind="warning")
        stopped = [row for row in page.rows["sessions"] if row["state"] == "stopped" and "; worked " not in row["outcome"]
                   and "service started" not in row["outcome"]]
        assert len(cards) >= len(stopped), name
        for row in stopped:
            (card,) = [card for card in cards if row["outcome"] in card.text and f"from frame {row['first_frame']} on" in card.text]
            wanted = "" if row["wants"] in ("(not said)", "(nothing bound)") else f" for {row['wants']}"
            times = f", {row['times']} times" if row["times"] > 1 else ""
            assert f"client {row['client']}{wanted} over {row['over']}{times}, from frame" in card.text, row
            compared += 1
        servers = {row["server"] for row in page.rows["sessions"]}
        told = {re.search(r"[0-9.]+(?=\)|$)", element.find(kind)[0].text.split(" \u2715")[0].split(" ?")[0].strip())[0]
                for elements, kind in ((cards, "h3"), (lines, "b")) for element in elements}
        assert told == servers, name
    assert compared > 3


@pytest.mark.parametrize("name, server, stages", [
    # The reasons are in the captures' record: what each server was told to do.
    ("sessions-smb", "127.0.1.5", "+TCP +logon +share -pipe bind call value"),
    ("sessions-smb", "127.0.1.3", "+TCP +logon -share pipe bind call value"),
    ("sessions-smb", "127.0.1.8", "+TCP +logon +share +pipe -bind call value"),
    ("faults-refused", "127.0.0.1", "+TCP +bind -call value"),
])
def test_how_far_it_came(page_by, name, server, stages):
    for card in page_by(capture_of(name)).sections["servers"].find("article"):
        if card.find("h3")[0].text.startswith(server):
            shown = [step.text.replace("\u2713 ", "+").replace("\u2715 ", "-") for step in card.find("ol")[0].find("li")]
            assert " ".join(shown) == stages
            return
    raise AssertionError("no card")


@pytest.mark.parametrize("name", ["tcp-session", "instances-come-and-go", "counter-reset-and-wrap"])
def test_curves_have_what_was_sent(page_by, name):
    """Of each counter that the record computes: the same values, in the same order. A chart has nine digits."""
    curves = {path: curve for (_, path, _), curve in page_by(capture_of(name)).curves().items()}
    sent = defaultdict(list)
    for case in record_of(capture_of(name))["expected_cooked_values"]:
        if "path" in case:
            sent[case["path"]].append(float(Fraction(case["exact"])))
    compared = 0
    for path, values in sent.items():
        if path in curves and len(curves[path][1]) == len(values):
            assert curves[path][1] == pytest.approx(values, rel=1e-6, abs=1e-6), path
            compared += len(values)
    assert compared > 20
    # No constant has a curve.
    assert all(min(values) < max(values) for _, values, _, _ in some(curves.values()))


@pytest.mark.parametrize("name", ["tcp-session", "two-servers", "perfdata-windows"])
def test_curves_are_those_of_the_counters(tshark, page_by, name):
    """As many points as values, at the times of their packets, between the counter's minimum and maximum."""
    page = page_by(capture_of(name))
    frames = {round(float(time), 3) for ((time,),) in tshark.fields(capture_of(name), "frame.time_relative")}
    for (of, path, number), (times, values, _, row) in some(page.curves().items()):
        assert {round(time, 3) for time in times} <= frames
        assert len(values) == row["samples"], path
        assert [min(values), max(values)] == pytest.approx([float(row["min"]), float(row["max"])], rel=1e-8)
    drawn = {(of, number) for of, _, number in page.curves()}
    for of in ("perflibv2-counters", "perfdata-counters"):
        for number, row in enumerate(page.rows[of]):
            assert ((of, number) in drawn) == (row["samples"] > 0 and float(row["min"]) < float(row["max"]))


def made(tmp_path, capture):
    tmp_path.chmod(0o755)
    return capture.write(tmp_path / "made.pcap")


def test_poll_without_a_value_leaves_a_gap(tshark, tmp_path):
    """A counter that a poll lacks has a gap there; a constant one has no curve."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1), p.identifier(2))
    there = [True, True, False, True, False, True, True]
    for at, is_there in enumerate(there):
        block = p.block(1, p.value(10 + at, 8)) if is_there else p.block(0, status=0xD2)
        peer.poll(handle, p.data(p.block(1, p.value(5)), block, time=p.TIME + at * 10_000_000))
    _, values, gaps, _ = page_of(tshark, made(tmp_path, capture)).only_curve()
    assert (values, gaps) == ([10, 11, 13, 15, 16], [2, 3])


def test_many_values_are_thinned(tshark, tmp_path):
    """What is left out lies between what stays: the smallest and the largest are there."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1))
    numbers = [7_000_000 if at == 1234 else 1 if at == 2345 else 1000 + at * 37 % 101 for at in range(3000)]
    begin = len(capture.frames) + 1
    for at, number in enumerate(numbers):
        peer.poll(handle, p.data(p.block(1, p.value(number)), time=p.TIME + at * 10_000_000))
    times, values, _, row = page_of(tshark, made(tmp_path, capture)).only_curve()
    assert 100 < len(values) <= 514 and times == sorted(set(times))
    # A frame a millisecond, of which every second one is an answer.
    assert values == [numbers[round(1000 * time - begin) // 2] for time in times]
    assert {7_000_000, 1} <= set(values) and row["samples"] == len(numbers)


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
    assert 500_000 < len(page.source) < 5_000_000
    left_out = {row["of"]: row["rows"] for row in page.rows["left_out"]}
    assert len(page.rows["perflibv2-missing"]) + left_out["perflibv2-missing"] == 1500
    assert len(page.rows["perflibv2-counters"]) + left_out.get("perflibv2-counters", 0) == 1500
    assert len(page.curves()) > 500


def test_findings_are_bounded(tshark, tmp_path):
    """Of a thousand servers that refuse: the page has some, and says how many more there are."""
    capture = Capture()
    for at in range(1000):
        peer = p.Peer(capture, server=f"192.0.{2 + at // 200}.{10 + at % 200}")
        refused(peer)
        peer.connection.end(0x11)
    page = page_of(tshark, made(tmp_path, capture))
    assert len(page.source) < 1_000_000
    (finding,) = page.findings
    assert finding["what"] == "Each of 1000 servers denies access to the counters"
    assert len(finding["places"]) == 100 and "994 more, not all of them here: -z perflib,findings" in page.sections["findings"].text
    assert page.headline == "192.0.2.2 gets through to 0 of 1000 servers: each of 1000 servers denies access to the counters."
    left_out = {row["of"]: row["rows"] for row in page.rows["left_out"]}
    assert len(page.rows["findings"]) + left_out["findings"] == 1000
    assert len(page.sections["servers"].find("article")) == 100 and "900 more: -z perflib" in page.sections["servers"].text


HOSTILE = ["</script><script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "a\u202egnp.exe\u202c\u2066b\u2069\u200f",
           "x\u2028y\u2029z\u0085", "nul\0nul", "&lt;b&gt;&amp;", "\x1b[31m\x07\x7f", "{S}{C}%s%n", "]]><!--", "\ufeff\ufffe\ue000"]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_text(tshark, tmp_path, name):
    """In machine, counterset, counter and instance; of values, and of what never came."""
    capture = p.session_named(name)
    path = made(tmp_path, capture)
    page = page_of(tshark, path)
    readable = re.match(r"[\w ]*", name)[0]
    assert page.curves() and page.rows["perflibv2-missing"] and readable in page.only_curve()[3]["path"]
    # A filter is the user's own.
    assert "frame.number < 1000" in page_of(tshark, path, filter="frame.number < 1000").meta["filter"]


def test_hostile_users_and_pipes(tshark, tmp_path):
    """Names in SMB and NTLM: the same capture with letters of them replaced."""
    source = capture_of("sessions-smb").read_bytes()
    old, new = "perf".encode("utf-16-le"), "<b>&".encode("utf-16-le")
    assert source.count(old) > 3
    path = tmp_path / "hostile.pcapng"
    tmp_path.chmod(0o755)
    path.write_bytes(source.replace(old, new))
    page = page_of(tshark, path)
    assert [row for row in page.rows["sessions"] if "user <b>&" in row["outcome"]]


@pytest.mark.parametrize("name, said, not_said", [
    ("sessions-smb", ["gets through to 4 of 8 servers", "127.0.1.5 denies access to its pipe winreg", "Performance Monitor Users",
                      "0x800007D0 PDH_CSTATUS_NO_MACHINE", "Remote Registry", "Frame 350"], ["nothing is wrong"]),
    ("habits", ["2 polls were late", "6 buffers were too small", "perflibv2.poll.overlap"], ["never had"]),
    ("sealed-smb2", ["sealed", "the password of perfuser", "whoever owns the account"], ["nothing is wrong"]),
    ("faults-refused", ["127.0.0.1 (client) gets no counters: 127.0.0.1 (server) denies access to the call"], []),
    ("pla-session", ["data collector set"], []),
    ("foreign", ["No client asks for performance counters", "ports 445 and 135"], []),
    ("two-servers", ["polls 3 servers"], []),
])
def test_page_says_what_the_capture_shows(page_by, name, said, not_said):
    page = page_by(capture_of(name))
    text = page.text
    for sentence in some(said):
        assert sentence in text
    for sentence in not_said:
        assert sentence not in page.headline


def test_wastes_say_whose_they_are(page_by):
    """Each sentence once, with the client and the API; its number is the headline's."""
    page = page_by(capture_of("habits"))
    said = page.problems
    assert len(said) == len(set(said)) == 4 and all(sentence.startswith("192.0.2.2 ") for sentence in said)
    assert ("192.0.2.2 offered 6 buffers that were too small: a PerflibV2 query and a value of performance data of WIN-PERF01"
            in said)
    assert [finding["who"] for finding in page.findings] == 4 * ["whoever runs 192.0.2.2"]
    # One trip that asks for the size is usual, and counts in neither place.
    page = page_by(capture_of("both-apis"))
    assert [row["too_small"] for row in page.rows["perfdata-queries"]] == [1, 2]
    assert "; 2 buffers were too small." in page.headline
    assert page.problems == ["127.0.0.1 offered 2 buffers that were too small: a value of performance data of WIN-PERF01"]


def test_wastes_have_their_frames(tshark, page_by):
    """Each begins where it is seen first: where a filter finds it, and not where the query was opened."""
    frames = {row["what"]: row["frame"] for row in page_by(capture_of("habits")).rows["findings"]}
    for word, display_filter, at in [
        ("late", "perflibv2.poll.late", 0),
        ("polled again", "perflibv2.poll.overlap", 0),
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
    ([("2", "1", True), ("2", "7", False)], "192.0.2.2 gets through to 1 of 2 servers: 192.0.2.7 denies"),
    ([("2", "1", False), ("3", "1", False)], "2 clients get no counters: 192.0.2.1 denies"),
    # Who tried again, and got in, has nothing to complain of.
    ([("2", "1", False), ("2", "1", True)], "192.0.2.2 polls HOST (192.0.2.1) every 1 s: it works, but see the notes."),
])
def test_server_that_refuses_some_is_neither_closed_nor_flawless(tshark, tmp_path, attempts, said):
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
    assert page.findings[0]["severity"] == ("note" if "it works" in said else "error")


@pytest.mark.parametrize("seconds, said", [(0.5, []), (9, []), (11, ["HOST (192.0.2.1) answers, but has not answered all calls yet"])])
def test_the_end_of_a_capture_blames_nobody(tshark, tmp_path, seconds, said):
    """The last poll is not answered; the capture goes on for so long, with another client's calls."""
    capture = Capture()
    peer = p.Peer(capture)
    polled(peer, 1, 3)
    peer.call(6, p.query_handle(1) + struct.pack("<I", 4096))
    capture.wait(int(1000 * seconds))
    polled(p.Peer(capture, client="192.0.2.9"), 2, 0)
    assert page_of(tshark, made(tmp_path, capture)).problems == said


def test_what_its_user_saw(page_by):
    """Who did not get as far as a call was not connected, whatever the reason: "permissions set on the registry", too (PdhConnectMachine,
    Microsoft Learn). A refused call is PDH_ACCESS_DENIED. Tools for data collector sets show the HRESULT, and no code of PDH."""
    seen = {}
    for name in ("sessions-smb", "sessions-tcp", "faults-refused", "pla-session"):
        for finding in page_by(capture_of(name)).findings:
            for place in finding["places"]:
                seen[finding["what"].split(" ", 1)[-1]] = place["pdh"].split(" ")[1:] if place["pdh"] else []
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
    assert page_of(tshark, made(tmp_path, capture)).problems == ["HOST (192.0.2.1) answers, but sometimes it is too busy to take the call"]


def test_refusals_of_what_worked_before(tshark, tmp_path):
    """Three polls of the older API have values; then three are refused."""
    peer = perfdata.Peer()
    for at in range(6):
        answer = perfdata.built(Object(238, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance("0", [at])]), seconds=at)
        peer.query("238", answer if at < 3 else None, error=0 if at < 3 else p.ACCESS_DENIED)
        peer.capture.wait(1)
    page = page_of(tshark, peer.write(tmp_path / "refused.pcapng"))
    assert page.headline.endswith("; 3 calls failed or got no answer.")
    assert page.problems == ["PC (192.0.2.20) answers, but sometimes it denies access to a call"]
    assert page.findings[0]["places"][0]["detail"] == "QueryValue: ERROR_ACCESS_DENIED (0x00000005)"


def test_the_call_without_an_answer(tshark, tmp_path):
    """Its frame is told, not that of the connection's first."""
    capture = Capture()
    peer = p.Peer(capture)
    polled(peer, 1)
    frame, _ = peer.poll(p.query_handle(1))
    peer.connection.end(0x14, True)
    page = page_of(tshark, made(tmp_path, capture))
    assert page.headline.endswith("; 1 call failed or got no answer.")
    assert f"Frame {frame}. " in page.sections["findings"].text and page.problems == ["HOST (192.0.2.1) answers, but once it closed the connection on its own"]


def test_registry_alone_gets_no_good_word(tshark, tmp_path):
    """Who reads other values of it gets no good word for its counters."""
    peer = perfdata.Peer(opened=False)
    peer.open(wire.OPEN_LOCAL_MACHINE)
    peer.query("ProductName", "Windows\0".encode("utf-16-le"), kind=1)
    headline = page_of(tshark, peer.write(tmp_path / "registry.pcapng")).headline
    assert headline == "192.0.2.10 calls 192.0.2.20, but not for performance counters."


def test_a_loss_blames_nobody(page_by):
    """The answer to one poll was not captured."""
    text = page_by(capture_of("lost-request")).sections["findings"].text
    assert "answers, but once it was captured with gaps" in text and "Who acts: whoever took the capture." in text
    assert "administrator" not in text and "hang" not in text


def test_nobody_gets_as_far(tshark, tmp_path):
    """A client whose SYNs to SMB's port have no answer."""
    syn = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 40, 0, 0x4000, 64, 6, 0, 192, 0, 2, 2, 192, 0, 2, 1)
    syn += struct.pack(">HHIIBBHHH", 50000, 445, 1000, 0, 5 << 4, 2, 65535, 0, 0)
    page = page_of(tshark, write_pcap(tmp_path / "syn.pcap", [(at * 3_000_000, syn) for at in range(4)], RAW_IP))
    assert page.headline == "No client was seen asking for performance counters; 1 attempt ended too early to tell."
    text = page.sections["findings"].text
    assert "192.0.2.1 does not answer" in text and "Who acts: whoever runs the network." in text


def test_what_opens_what_is_sealed(tshark, tmp_path):
    """A logon that was not captured, SMB 3, and both a clear and a sealed session."""
    tmp_path.chmod(0o755)
    late, both = tmp_path / "late.pcapng", tmp_path / "both.pcapng"
    subprocess.run(["editcap", "-r", capture_of("sealed-spnego"), late, "30-60"], check=True, capture_output=True)
    subprocess.run(["mergecap", "-w", both, capture_of("sealed-tcp"), capture_of("perfdata-windows")], check=True)
    for path, headline, remedy, not_said in [
        (late, "", "Start the capture before the client connects: restart the monitoring program.", "and make"),
        (capture_of("perfdata-samba-smb3"), "the answers are encrypted, and you need a key", "-o uat:smb2_seskey_list", "nt_password:PASSWORD"),
        (both, "; some answers are encrypted, and you need a key to read them.", "Who acts: whoever owns the account.", "Start the capture"),
        (capture_of("sealed-tcp"), "; the answers are encrypted, and you need a key to read them.", "Who acts: whoever owns the account.", ""),
    ]:
        page = page_of(tshark, path)
        text = next(item.text for item in page.sections["findings"].find("li") if "The calls are encrypted" in item.text)
        assert headline in page.headline and remedy in text and (not not_said or not_said not in text), path


def test_what_had_nothing_to_be_divided_by(tshark, tmp_path):
    """A fraction whose base stands still is no fault of anybody."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(p.query_handle(1), p.identifier(7), p.identifier(8))
    for at in range(3):
        peer.poll(p.query_handle(1), p.data(p.block(1, p.value(5, 8)), p.block(1, p.value(9)), time=p.TIME + at * 10_000_000))
    (finding,) = page_of(tshark, made(tmp_path, capture)).findings
    assert "never had a value: HOST sent a denominator of zero" in finding["what"] and "zero base" in finding["places"][0]["detail"]
    assert "administrator" not in finding["who"]
    assert finding["severity"] == "note"


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
        _, values, _, _ = page_of(tshark, path).only_curve()
        assert {7000000, 1} <= set(values) and values.index(7000000) < values.index(1)


def test_remedies_ask_for_no_less_than_windows_does(page_by):
    """[MS-PCQ] 3.1.4, [MS-PLA] 2.1: below privacy a server refuses, whoever asks. An object without a clock is no error to look up."""
    # A line of the table ends with a backslash.
    source = re.sub(r"\\$", "", (REPOSITORY / "plugin" / "stats" / "remedies.h").read_text(encoding="utf-8"), flags=re.MULTILINE)
    denied = re.findall(r'X\(\w+, "(?:call_denied|counters_denied|set_denied|value_denied)",\s*"[^"]*",\s*((?:"[^"]*"\s*)+),', source)
    assert len(denied) == 4 and all("privacy" in re.sub(r'"\s*"', "", remedy) for remedy in denied)
    text = page_by(capture_of("perfdata-samba")).sections["findings"].text
    # Samba's object has a PerfTime and a PerfFreq of 0: nobody set a clock back.
    assert "PERFSRV sends zero as PerfTime and PerfFreq" in text and "set back" not in text and "Look up the code" not in text


def test_many_servers_leave_the_first_line_readable(tshark, tmp_path):
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
    assert len(page.sections["servers"].find("li")) == 50


def test_machines_behind_one_address(tshark, tmp_path):
    """Each of them is counted, by its name."""
    capture = Capture()
    for number in range(1, 4):
        polled(p.Peer(capture, machine=f"\\\\M{number}"), number)
    page = page_of(tshark, made(tmp_path, capture))
    assert page.headline.startswith("192.0.2.2 polls 3 servers every ")
    assert {row["server"] for row in page.rows["perflibv2-queries"]} == {"M1", "M2", "M3"}


def test_two_reports_have_a_filter_each(tshark, page_by, tmp_path):
    """Of one command, each with a filter of its own."""
    tmp_path.chmod(0o777)
    tshark.run(capture_of("tcp-session"), "-q", "-z", f"perflib,report,{tmp_path}/a.html",
               "-z", f"perflib,report,{tmp_path}/b.html,frame.number < 100")
    pages = [Page((tmp_path / name).read_text(encoding="utf-8")) for name in ("a.html", "b.html")]
    assert pages[0].source.strip() == page_by(capture_of("tcp-session")).source.strip()
    assert pages[1].source.strip() == page_by(capture_of("tcp-session"), filter="frame.number < 100").source.strip()


def test_each_code_has_its_texts():
    """The name of a code, which programs read, is that of the code, and no other's."""
    rows = re.findall(r'X\(FINDING_(\w+), "(\w+)",', (REPOSITORY / "plugin" / "stats" / "remedies.h").read_text(encoding="utf-8"))
    assert len(rows) > 50 and [name for _, name in rows] == [code.lower() for code, _ in rows]


def test_empty_capture_has_a_headline_and_no_curve(tshark, tmp_path):
    page = page_of(tshark, write_pcap(tmp_path / "empty.pcap", [], ETHERNET))
    assert page.headline == "No client asks for performance counters in this capture." and page.curves() == {}


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


def test_filter_is_named_and_limits_the_packets(page_by):
    page = page_by(capture_of("tcp-session"), filter="frame.number < 100")
    assert page.meta["filter"] == "frame.number < 100" and page.meta["packets"] == 99


def test_decode_makes_pages_and_replaces_no_capture(tshark, tmp_path):
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
    assert page.meta["packets"] == 99 and "PerflibV2 Calls" not in page.source
    assert result.returncode == 0 and page.headline in result.stdout and "PerflibV2 Calls" in result.stdout
    result = decode(whole, "--report", "-")
    assert result.returncode == 0 and result.stdout.startswith("<!DOCTYPE html>") and not (tmp_path / "-").exists()
