# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables as a terminal shows them: each fits, over all captures, and what they mean is the same in all."""

import re
import unicodedata

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, all_captures, options_for, record_of
from lib.some import some
from lib.tables import named_rows, read_tables
from lib.wire import Capture

WIDTH = 120
# Columns that are left out where there is no room.
OPTIONAL = {"Counters:": ["First"], "Usage:": ["Counters", "Instances", "Wasted bytes %", "Interval s"], "Sessions:": ["Slowest ms"]}
TABLES = [*(f"perflibv2,{name}" for name in "counters watch queries calls usage missing sessions rules".split()),
          *(f"perfdata,{name}" for name in "counters watch queries usage missing sessions".split()),
          *(f"pla,{name}" for name in "calls sets sessions".split())]


def cells_of(text):
    """The cells of a terminal that a text fills: letters of East Asia fill two."""
    return len(text) if text.isascii() else sum(0 if unicodedata.category(letter) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
               for letter in text)


@pytest.mark.parametrize("capture", all_captures(), ids=lambda capture: capture.stem)
def test_every_table_fits(tshark, capture):
    """With and without the key; the bars of a view stand below each other, whatever the letters."""
    for options in some([[], *([options_for(capture)] if options_for(capture) else [])]):
        output = tshark.run(capture, *options, "-2", "-q", *(option for table in TABLES for option in ("-z", table)))
        assert len(read_tables(output)) == len(TABLES)
        for line in some(output.split("\n")):
            assert cells_of(line) <= WIDTH, line
        for table in re.split("^=+\n", output, flags=re.MULTILINE):
            heads = [head.strip() for line in table.split("\n")[2:3] for head in line.split("|")]
            left_out = [name for names in re.findall(r"^No room for: (.*)\. Windows and files", table, re.MULTILINE) for name in names.split(", ")]
            expected = next((names for title, names in OPTIONAL.items() if title in table.split("\n")[0]), [])
            if len(table.split("\n")) > 4:         # it has rows
                assert [name for name in expected if name not in heads] == left_out, (heads, left_out)


def test_columns_without_room_are_named(tshark):
    """They are in files, and a line says which."""
    output = tshark.run(CAPTURES / "both-apis.pcapng", "-2", "-q", "-z", "perflibv2,usage")
    assert "No room for: Wasted bytes %, Interval s. Windows and files have these columns." in output.splitlines()


def test_letters_of_all_widths(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    names = ["Z\u00fcrich", "\u6771\u4eac", "plain", "e\u0301"]
    peer.mapped(p.query_handle(1), p.identifier(1, "*"))
    peer.poll(p.query_handle(1), p.data(p.block(4, p.multi_instances([p.instance(name, at) + p.value(at) for at, name in enumerate(names)]))))
    output = tshark.run(capture.write(tmp_path / "letters.pcap"), "-q", "-z", "perflibv2,counters")
    rows = [line for line in output.split("\n") if line.endswith(" |")]
    assert len(rows) == 1 + len(names) and all(any(name in row for row in rows) for name in names)
    bars = [[cells_of(row[:at]) for at, letter in enumerate(row) if letter == "|"] for row in rows]
    assert all(places == bars[0] for places in bars)


@pytest.mark.parametrize("name", ["two-servers", "tcp-session"])
def test_bytes_mean_the_same(tshark, name):
    """A connection's are those of all its calls: of the handles on it, and of the calls on none."""
    capture = CAPTURES / f"{name}.pcapng"
    calls = record_of(capture)["calls"]
    (queries, _), (sessions, _) = read_tables(tshark.run(capture, "-q", "-z", "perflibv2,sessions", "-z", "perflibv2,queries"))
    usage = named_rows(tshark.run(capture, "-2", "-q", "-z", "perflibv2,usage"))

    def stubs(chosen):
        return sum(call["request_stub_len"] + call["response_stub_len"] for call in chosen)

    handles = [call for call in calls if call["opnum"] in range(3, 9)]
    polls = [call for call in calls if call["opnum"] == 6 and call["return"]["value"] == 0]
    assert sum(int(row["Bytes"]) for row in sessions) == stubs(calls) > 0
    assert sum(int(row["Bytes"]) for row in queries) == stubs(handles) > 0
    with_values = [call for call in polls if call["response"]["lpData"].get("blocks")]
    assert abs(sum(int(row["Bytes"]) for row in usage) - stubs(with_values)) <= len(usage)
