# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark itself: every window of ours says what tshark says, copied and saved."""

import csv
import re
import shutil
import struct
import uuid

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES
from lib.desktop import TOOLS, WINDOWS, Desktop, words
from lib.some import some
from lib.tables import counters_of, table_rows
from lib.wire import Capture

LARGE_RAWCOUNT_HEX, MINUS_ONE = 0x00000100, 2**64 - 1
# Frames that a slow Wireshark takes long to read: it shows its progress meanwhile, and draws.
LARGE = 40_000

SESSION = CAPTURES / "tcp-session.pcapng"
WATCHED = '"cpu","\\x5cProcessor Information(_Total)\\x5c% Processor Time"\n'


def test_tools_are_there():
    """These tests are made where the tools are; that they are is said by whoever asked for them."""
    assert all(shutil.which(tool) for tool in TOOLS)


@pytest.fixture
def desktop(tshark, tmp_path):
    desktop = Desktop(tshark, tmp_path / "home", {"perflibv2_watch": WATCHED})
    yield desktop
    desktop.stop()


def saved(desktop, title):
    """The rows of the CSV that a window saves."""
    path = desktop.home / "saved.csv"
    path.unlink(missing_ok=True)
    desktop.click(desktop.focus(f"{title} "), -144, -26)
    # The type of file: below its name, behind plain text.
    desktop.click(desktop.focus("Save Statistics"), 316, -26)
    desktop.keys("Down", "Return", "alt+n", "ctrl+a")
    desktop.type(str(path))
    desktop.keys("Return")
    desktop.wait("Save Statistics", is_there=False)
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = [next(csv.reader([head]))]
    # Wireshark writes quotes within a text as they are; the first and the last column have names.
    for line in lines:
        match = re.fullmatch(r'"(.*?)",("[ \da-fx.-]*",".*),"(\\\\.*)"', line)
        if match:
            rows.append([match[1], *next(csv.reader([match[2]])), match[3]])
    return rows


COLUMNS = ["Counter", "Last", "Max", "Mean", "Min", "Samples", "Max in frame", "Min in frame", "Unit", "First", "Path"]


def check_counters(desktop, header, expected):
    """Numbers have the digits that tshark prints; a name is the path without its group, its numbers padded."""
    assert words(header) == " ".join(COLUMNS)
    names, *lines = saved(desktop, "PerflibV2 Counters")
    assert names == COLUMNS
    lines = {line[-1]: line[:-1] for line in lines}
    assert len(lines) == len(expected) > 100
    for path, (unit, samples, first, last, least, mean, most, frame) in expected.items():
        name, *cells = lines[re.sub(r" \(aggregated from \d+ instances?\)$", "", path)]
        assert path.endswith(re.sub(r"^\([\d, ]+\)", lambda found: found[0].replace(" ", ""), name)) and name.startswith(("(", "\\"))
        if samples == "0":
            assert cells == ["", "", "", "", "0", unit, ""] and unit
            continue
        # A terminal may have fewer columns; flags and addresses have no mean.
        told = [last, most, "" if last.startswith("0x") else mean, least, samples, frame, "", unit, first]
        assert len(told) == len(cells) and told[0] and told[1] and cells[6]
        assert [text for text in told if text] == [cell.strip() for text, cell in zip(told, cells) if text]
    assert any(cells[1] == "0x800000d00000beef" for cells in lines.values())


def polled(path, values):
    """The path of a capture with one poll of a counter. values: {instance: raw value, which may be negative}."""
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    peer.registration(1, p.counterset([p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.mapped(handle, p.identifier(1, "*"))
    peer.poll(handle, p.data(p.block(4, p.multi_instances(
        [p.instance(name, number) + p.value(value % 2**64, 8) for number, (name, value) in enumerate(values.items())]))))
    return capture.write(path)


def test_counters_are_sorted_as_numbers_with_all_digits(desktop, tmp_path):
    """Instances and values are sorted as numbers, those of more than 53 bits, too, hexadecimal ones last; no digit is lost."""
    values = {"10": 2**63 - 1, "2": 2**53 + 1, "0,3": 7, "_Total": MINUS_ONE, "x 12": 86}
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    peer.registration(1, p.counterset([p.counter(1, p.LARGE_RAWCOUNT), p.counter(2, LARGE_RAWCOUNT_HEX)]))
    peer.mapped(handle, p.identifier(p.NONE, "*"))
    peer.poll(handle, p.data(p.block(6, p.multi_counters((1, 2)) + p.multi_instances(
        [p.instance(name, number) + p.value(value, 8) * 2 for number, (name, value) in enumerate(values.items())]))))
    capture.write(tmp_path / "order.pcap")
    desktop.start(tmp_path / "order.pcap")
    window = desktop.open("PerflibV2 Counters")
    rows = saved(desktop, "PerflibV2 Counters")[1:]
    assert [row[0].partition(")")[0] + ")" for row in rows[::2]] == ["( 0, 3)", "( 2)", "(10)", "(_Total)", "(x 12)"]
    # Below the title of the column Last.
    desktop.click(window, 300, 22)
    lasts = [row[1].strip() for row in saved(desktop, "PerflibV2 Counters")[1:]]
    numbers = sorted(-1 if value == MINUS_ONE else value for value in values.values())
    assert lasts[:5] == [str(number) for number in numbers] and sorted(lasts[5:]) == sorted(map(hex, values.values()))
    assert desktop.end() == 0
    assert desktop.complaints() == []


def test_order_of_negative_numbers(desktop, tmp_path):
    """They are sorted as numbers, too, before all others: those of equally many digits as well."""
    values = [-101, 3, -9, -15, 0, -12, -100, -2**40, 200, -99, -1, -12]
    desktop.start(polled(tmp_path / "order.pcap", {f"i{number}": value for number, value in enumerate(values)}))
    window = desktop.open("PerflibV2 Counters")
    for order in (sorted(values), sorted(values, reverse=True)):
        # The middle of the column Last.
        desktop.click(window, 240, 22)
        assert [row[1].strip() for row in saved(desktop, "PerflibV2 Counters")[1:]] == list(map(str, order))
    desktop.end_well()


def test_drawn_while_it_reads(desktop, tmp_path):
    """Wireshark draws windows while a large capture is read: they end with what all of its packets say."""
    (desktop.profile / "preferences").write_text("statistics.update_interval:100\n")
    capture = Capture()
    peer = p.Peer(capture)
    handle = p.query_handle(1)
    peer.registration(1, p.counterset([p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.mapped(handle, p.identifier(p.NONE, "*"))
    filler = struct.pack(">BBHHHBBH4s4sHHHH", 0x45, 0, 28, 0, 0, 64, 17, 0, bytes([192, 0, 2, 9]), bytes([192, 0, 2, 8]), 9, 9, 8, 0)
    for values in ({"b": 10}, {"a": 21, "b": 22}, {"a": 31, "b": 32, "c": 33}):
        peer.poll(handle, p.data(p.block(6, p.multi_counters((1,)) + p.multi_instances(
            [p.instance(name, ord(name)) + p.value(value, 8) for name, value in values.items()]))))
        for _ in range(LARGE):
            capture.add(filler)
    capture.write(tmp_path / "large.pcap")
    desktop.start(tmp_path / "large.pcap")
    with desktop.slow():
        desktop.open("PerflibV2 Counters")
    # Last and Samples.
    assert [(row[0][:3], row[1].strip(), row[5].strip()) for row in saved(desktop, "PerflibV2 Counters")[1:]] == [
        ("(a)", "31", "2"), ("(b)", "32", "3"), ("(c)", "33", "1")]
    desktop.end_well()


def test_single_counterset_stands_above_its_counters(desktop):
    """Its machine and name are above its counters: these begin further to the right than a line that is not below another."""
    (desktop.profile / "preferences").write_text("ntlmssp.nt_password: Perf-Lib2\n")
    desktop.start(CAPTURES / "sealed-office.pcapng")
    window = desktop.open("PerflibV2 Counters")
    desktop.tool("windowmove", "--sync", window, 0, 0)
    desktop.settle()
    screen, height = desktop.screen(), desktop.size(window)[1]

    def begins(y):
        """Where something dark begins on a line of the screen, beyond the boxes of the tree."""
        return next((x for x in range(32, 300) if max(screen.row(y, x, 1)[:3]) < 120), 300)

    found = [begins(y) for y in range(34, height - 120)]
    letters = {x for x in found if x < 300}
    first, second = min(letters), min(x for x in letters if x > min(letters) + 12)
    # Two lines, how many counters and the counterset; and below it all the others.
    assert 0 < sum(x < second for x in found) < sum(second <= x < 300 for x in found), (first, second, found)
    assert desktop.end() == 0


def test_windows_say_what_tshark_says(desktop, tshark):
    """Each says what tshark says, and the queries and rules come in their order."""
    desktop.start(SESSION)
    commands = [option for command in WINDOWS.values() for option in ("-z", command)]
    watch = ["-o", "uat:perflibv2_watch:" + WATCHED.strip()]
    printed = tshark.run(SESSION, "-2", "-q", *watch, *commands)
    for title in WINDOWS:
        text = printed.split(f"\n{title}:\n")[1].split("\n=====")[0]
        expected = table_rows(text)
        desktop.open(title)
        if not expected:
            desktop.close(f"{title} ")
            continue
        _, header, *rows = desktop.table(f"{title} ")
        shown = {words(row) for row in rows}
        if title == "PerflibV2 Counters":
            check_counters(desktop, header, counters_of(text))
            desktop.close(f"{title} ")
            continue
        # A terminal may have fewer rows and columns, and the machine on a line of its own.
        assert len(rows) >= len(expected), title
        if title in ("PerflibV2 Calls", "PerflibV2 Watch List", "PerflibV2 Rules", "PLA Calls"):
            for cells in expected:
                assert any(not [cell for cell in cells[1:] if words(cell) not in row] for row in shown), (title, cells)
        if title == "PerflibV2 Rules":
            verdicts = [words(row).split()[0] for row in rows]
            assert verdicts == sorted(verdicts)
        elif title == "PerflibV2 Queries":
            frames = [int(words(row).split()[0]) for row in rows]
            assert frames == sorted(frames)
        desktop.close(f"{title} ")
    assert desktop.end() == 0
    assert desktop.complaints() == []


def test_long_and_foreign_names(desktop, tmp_path):
    """Right-to-left and East Asian names as they are; a long one does not move the numbers out of the window, and Path has it whole."""
    names = ["ذاكرة الخادم 12", "מעבד (כולל)", "処理器情報 計測機器", "프로세서 0", "<b>bold</b><img src=x>", "x" * 120 + "y", "1" * 100]
    desktop.start(polled(tmp_path / "names.pcap", {name: 100 + number for number, name in enumerate(names)}))
    desktop.open("PerflibV2 Counters")
    rows = saved(desktop, "PerflibV2 Counters")[1:]
    assert len(rows) == len(names)
    for row in rows:
        assert len(row[0]) < 70 and names[int(row[1]) - 100] in row[-1]
        assert len(names[int(row[1]) - 100]) > 60 or names[int(row[1]) - 100] in row[0]
    desktop.end_well()


def test_names_in_other_windows(desktop, tmp_path):
    """The same in columns of servers and countersets: right-to-left and East Asian names whole, a long one without its middle."""
    names = ["ذاكرة الخادم", "処理器情報 計測機器", "프로세서 0", "<b>bold</b>", "begin" + "x" * 190 + "end"]
    capture = Capture()
    for number, name in enumerate(names):
        counterset, handle = uuid.UUID(int=0x100 + number), p.query_handle(number + 1)
        peer = p.Peer(capture, machine=f"\\\\{name}", server=f"10.0.0.{number + 2}")
        peer.registration(1, p.counterset([p.counter(1), p.counter(2)], guid=counterset), guid=counterset)
        peer.registration(3, p.text(name), guid=counterset)
        peer.open(handle)
        known, refused = p.identifier(1, "*", guid=counterset), p.identifier(2, name, guid=counterset)
        peer.validate(handle, known, refused, returned=known + p.identifier(2, name, guid=counterset, status=3))
        peer.info(handle, known)
        for _ in range(3):
            peer.poll(handle, p.data(p.block(4, p.multi_instances([p.instance(name, 1) + p.value(5, 4)]))))
    capture.write(tmp_path / "names.pcap")
    desktop.start(tmp_path / "names.pcap")
    for title, ends in {"PerflibV2 Missing": 2, "PerflibV2 Queries": 1, "PerflibV2 Usage": 2, "Performance Monitoring Findings": 1}.items():
        desktop.open(title)
        rows = desktop.table(f"{title} ")
        desktop.close(f"{title} ")
        assert all(sum(name in row for row in rows) == 1 for name in some(names[:-1])), (title, rows)
        long, = (row for row in rows if "begin" in row)
        assert long.count("begin") >= ends and long.count("…") >= ends and not re.search("x{60}", long.partition("…")[0]), (title, long)
    desktop.end_well()
