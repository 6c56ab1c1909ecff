# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,report: names that are made to be markup, a large capture, and a file that cannot be written."""

import random
import struct
import sys

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, REPOSITORY
from lib.report import page_of
from lib.wire import Capture
from stats.test_sessions_blame import stopped_at

sys.path.append(str(REPOSITORY / "tests" / "bench"))

import content  # noqa: E402

PIECES = ["<", ">", "</script>", "<!--", "-->", "<script>", "&", "&lt;", "&#0;", "'", '"', "\\", "\\u003c", "`", "${1}", "{{js}}", "{S}", "%n", "\n",
          "\u202e", "\u2066", "\u200f", "\u061c", "\u2028", "\ufeff", "\x07", "\x85", "\ud800", "\udfff", "\U0001f600", "a", "B", " ", "0", "\u0130"]


@pytest.mark.parametrize("seed", range(12))
def test_names_made_of_pieces(tshark, tmp_path, seed):
    """Of machine, counterset, counters and instances, each of its own: page_of() finds that nothing is markup, script or invisible."""
    tmp_path.chmod(0o755)
    name = "".join(random.Random(seed).choices(PIECES, k=12))
    page = page_of(tshark, p.session_named(name).write(tmp_path / "made.pcap"))
    plain = page_of(tshark, p.session_named("x").write(tmp_path / "plain.pcap"))
    # The page has the same parts as that of a harmless name, whatever is in the texts.
    assert [(element.name, element.attributes.get("class")) for element in page.root.walk()] == \
        [(element.name, element.attributes.get("class")) for element in plain.root.walk()]
    assert {table: len(rows) for table, rows in page.rows.items()} == {table: len(rows) for table, rows in plain.rows.items()}
    assert page.only_curve()[1] == plain.only_curve()[1]


@pytest.fixture(scope="module", params=["large", "small"])
def hundred(request, tmp_path_factory):
    """A capture of 100 MB."""
    path = tmp_path_factory.mktemp("hundred") / request.param
    path.parent.chmod(0o755)
    content.CONTENTS[request.param](path, 100)
    assert path.stat().st_size > 99_000_000
    yield path
    path.unlink()


def test_a_page_of_100_mb(tshark, hundred):
    """At most 5 MB. The points and rows that a browser draws are bounded, too, so it opens at once."""
    page = page_of(tshark, hundred)
    assert len(page.source.encode()) < 5_000_000
    curves = page.curves()
    assert curves and sum(len(values) for _, values, _, _ in curves.values()) <= 80_000
    assert sum(len(rows) for table, rows in page.rows.items() if table != "curves") < 10_000
    # The smallest and the largest value of each are points, the first and the last poll are its ends.
    for times, values, _, row in list(curves.values())[:100]:
        assert [min(values), max(values)] == pytest.approx([float(row["min"]), float(row["max"])], rel=1e-8) and times == sorted(times)


@pytest.mark.parametrize("name", ["no/such/folder/page.html", ""], ids=["no folder", "a folder"])
def test_a_page_that_cannot_be_written(tshark, tmp_path, name):
    """The sentence says which file it is, with its folder, and why; nothing is left there."""
    tmp_path.chmod(0o777)
    told = tshark.complaint(CAPTURES / "tcp-session.pcapng", "-q", "-z", f"perflib,report,{tmp_path}/{name}")
    assert f"{tmp_path}/{name}" in told
    assert list(tmp_path.iterdir()) == [] and len(told.strip().splitlines()) == 1


def made(capture, tmp_path):
    tmp_path.chmod(0o755)
    return capture.write(tmp_path / "made.pcap")


@pytest.mark.parametrize("polls", [2, 256, 257, 258, 259, 512])
def test_up_to_512_values_are_points_each(tshark, tmp_path, polls):
    """Two values that are merged are two points, also if they are equal: the smaller and the larger one, in the order in which they came."""
    numbers = [1000 + (at if at % 4 < 2 else at // 2) * 37 % 101 for at in range(polls)]
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(p.query_handle(1), p.identifier(1))
    begin = len(capture.frames)
    for at, number in enumerate(numbers):
        peer.poll(p.query_handle(1), p.data(p.block(1, p.value(number)), time=p.TIME + at * 20_000))
    times, values, gaps, _ = page_of(tshark, made(capture, tmp_path)).only_curve()
    # A frame is sent each millisecond; answers are every second one.
    assert (values, gaps) == (numbers, []) and [round(1000 * time) for time in times] == [begin + 1 + 2 * at for at in range(polls)]


@pytest.mark.parametrize(("servers", "hidden", "more"), [(2, "", ""), (6, "", ""), (7, "1 more", ""), (100, "94 more", ""),
                                                         (101, "95 more, not all of them here: -z perflib,findings", "1 more: -z perflibv2,sessions")])
def test_one_problem_of_many_servers_has_its_places(tshark, tmp_path, servers, hidden, more):
    """Six are seen at first, and a hundred are on the page; so are as many cards."""
    capture = Capture()
    for last in range(servers):
        peer = p.Peer(capture, server=f"192.0.2.{10 + last}")
        peer.call(3, peer.machine, p.NULL_HANDLE + struct.pack("<I", p.ACCESS_DENIED))
        peer.connection.end(0x11)
    page = page_of(tshark, made(capture, tmp_path))
    (finding,) = page.findings
    assert len(finding["places"]) == len(page.sections["servers"].find("article")) == min(servers, 100)
    assert [summary.text for summary in page.sections["findings"].find("summary")] == [hidden] * bool(hidden)
    assert [line.text for line in page.sections["servers"].find("p", kind="minor") if "more" in line.text] == [more] * bool(more)


# [MS-ERREF] 2.3.1: each is another problem.
REFUSALS = [("logon", status) for status in (0xC000006D, 0xC0000234, 0xC0000072, 0xC0000193, 0xC0000071, 0xC0000224, 0xC000006E, 0xC000015B,
                                             0xC000005E, 0xC000018D, 0xC0000022)] + [("tree", 0xC0000022), ("tree", 0xC00000CC), ("pipe", 0xC0000034)]


@pytest.mark.parametrize("problems", [12, 13, 14])
def test_twelve_problems_are_seen_at_first(tshark, tmp_path, problems):
    capture = Capture()
    for last, (step, status) in enumerate(REFUSALS[:problems], 10):
        stopped_at(capture, step, status, server=f"192.0.2.{last}")
    page = page_of(tshark, made(capture, tmp_path))
    lists = [element.attributes.get("start") for element in page.sections["findings"].find("ol", kind="todo")]
    assert len(page.findings) == problems and lists == ([None, "13"] if problems > 12 else [None])
    assert [summary.text for summary in page.sections["findings"].find("summary")] == [f"{problems - 12} more"] * (problems > 12)


@pytest.mark.parametrize(("connections", "more"), [(1, ""), (2, "; 1 more connection"), (3, "; 2 more connections")])
@pytest.mark.parametrize("polls_at", [0, -1], ids=["first", "last"])
def test_a_server_has_one_line_for_all_connections(tshark, tmp_path, connections, more, polls_at):
    """That of the one which got furthest."""
    capture = Capture()
    for number in range(connections):
        begin = len(capture.frames) + 1
        peer = p.Peer(capture)
        peer.teach()
        peer.mapped(p.query_handle(number), p.identifier(1))
        if number == polls_at % connections:
            peer.poll(p.query_handle(number), p.data(p.block(1, p.value())))
            first = begin
    (line,) = page_of(tshark, made(capture, tmp_path)).sections["servers"].find("li", kind="good")
    assert line.text == f"HOST (192.0.2.1) \u2713 works. client 192.0.2.2 for PerflibV2 over TCP 49700, from frame {first} on{more}"


def test_page_says_that_there_is_nothing_to_do(tshark, tmp_path):
    """Either all is well, or nothing was captured."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(p.query_handle(1))
    for traffic, said in ((capture, "Nothing: no call failed"), (Capture(), "Capture whole packets on the client or the server, ports 445 and 135")):
        page = page_of(tshark, made(traffic, tmp_path))
        assert page.findings == [] and page.sections["findings"].find("p")[0].text.startswith(said)
