# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of captures made to cost as much as they can: time and memory stay in proportion to the capture.

The limits are at least twice what is needed, and a fraction of what the square of the capture would take.
"""

import itertools
import struct

from lib import costs
from lib import perflibv2 as p
from lib.fakepolls import capture, fake_tshark, poll, text, whole  # noqa: F401
from lib.tables import named_rows, table_rows
from lib.wire import Capture

STARTS = 20
GIGABYTE = 1 << 30


def bounded(tshark, path, *arguments):
    """tshark's tables; the process is killed where it takes too much."""
    options = [option for argument in arguments for option in ("-z", argument)]
    return costs.bounded(tshark, path, "-q", *options, starts=STARTS, memory=GIGABYTE)


def test_each_of_many_return_codes_has_its_row(tshark, tmp_path):
    """Each has its row, however many there are."""
    session = Capture()
    peer = p.Peer(session)
    codes = range(0x20000000, 0x20000000 + 50_000)
    for begin in codes[::500]:
        part = range(begin, begin + 500)
        with peer.connection.in_one_frame():
            for code in part:
                peer.connection.request(3, peer.machine, call_id=code)
        with peer.connection.in_one_frame():
            for code in part:
                peer.connection.response(bytes(20) + struct.pack("<I", code), call_id=code)
    output = bounded(tshark, session.write(tmp_path / "codes.pcap"), "perflibv2,calls")
    rows = named_rows(output)
    assert {row["Result"] for row in rows} == {f"0x{code:08x}" for code in codes}
    assert len(rows) == len(codes) and all(row["Calls"] == "1" for row in rows)


def names_of_one_hash(count):
    """Names that glib's g_str_hash() has one number for: 33 * E + z is 33 * F + Y."""
    return ("".join(pairs) for pairs in itertools.islice(itertools.product(("Ez", "FY"), repeat=17), count))


def test_paths_that_collide_take_bounded_time(fake_tshark, capture, tmp_path):  # noqa: F811
    names = list(names_of_one_hash(25_000))
    polls = (poll(*(whole(name, 1) for name in names[start : start + 1000])) for start in range(0, len(names), 1000))
    output = bounded(fake_tshark, capture(*polls), "fakepolls,counters", f"fakepolls,pdh-csv,{tmp_path}/x.csv")
    assert (tmp_path / "x.csv").read_text().count(",") == 2 * len(names)
    assert len(table_rows(output)) == len(names)


def test_texts_that_collide_take_bounded_time(fake_tshark, capture, tmp_path):  # noqa: F811
    names = list(names_of_one_hash(25_000))
    polls = (
        poll(*(text(f"t{n}", name) for n, name in enumerate(names[start : start + 1000])), seconds=start)
        for start in range(0, len(names), 1000)
    )
    bounded(fake_tshark, capture(*polls), f"fakepolls,pdh-csv,{tmp_path}/x.csv")
    assert len((tmp_path / "x.csv").read_text().splitlines()) == len(names) / 1000 + 1


def test_many_paths_take_bounded_time_and_memory(fake_tshark, capture, tmp_path):  # noqa: F811
    """As many rows, and columns, as a capture of some megabytes has room for."""
    count = 100_000
    polls = (poll(*(whole(f"path {n}", 1) for n in range(start, start + 5000))) for start in range(0, count, 5000))
    path = capture(*polls)
    output = bounded(fake_tshark, path, "fakepolls,counters", f"fakepolls,pdh-csv,{tmp_path}/x.csv")
    assert sum(line.endswith("|") for line in output.splitlines()) == count + 1


def test_long_names_are_cut(fake_tshark, capture, tmp_path):  # noqa: F811
    """In tables and files alike, not within a character."""
    path = capture(*(poll(whole(f"{n}" + "ü" * 20_000, 1), text("text", "ä" * 30_000), seconds=n) for n in range(50)))
    output = bounded(fake_tshark, path, "fakepolls,counters", f"fakepolls,pdh-csv,{tmp_path}/x.csv")
    # A terminal has the beginning in a cell, and the name itself, which ends its line, below.
    assert len(output) < 50 * 2500 and sum(line.endswith("üü...") for line in output.splitlines()) == 50
    content = (tmp_path / "x.csv").read_text(encoding="utf-8")
    assert len(content) < 100 * 2500 and content.count('üü..."') == content.count('ää..."') == 50
