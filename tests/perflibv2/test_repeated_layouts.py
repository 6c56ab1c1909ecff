# SPDX-License-Identifier: GPL-2.0-or-later
"""Polls laid out like those before, which are only compared with these, and polls of the same size that are laid out otherwise."""

import struct

import pytest

from lib import perflibv2 as p
from lib.named_query import H, session, unescaped

ALL = p.identifier(p.NONE, "*")
USUAL = dict(names="ab", counters=(1, 2), widths=(4, 8))


def poll(number, names="ab", counters=(1, 2), widths=(4, 8), ids=(1, 2)):
    """Two instances of two counters; value k of poll n is 10 * n + k."""
    rows, k = [], 0
    for name, id in zip(names, ids):
        values = []
        for width in widths:
            values.append(p.value(10 * number + k, width))
            k += 1
        rows.append(p.instance(name, id) + b"".join(values))
    return p.data(p.block(6, p.multi_counters(counters) + p.multi_instances(rows)), time=p.TIME + number * 10_000_000)


def expected(number, names="ab", counters=(1, 2), widths=(4, 8), ids=(1, 2)):
    words = {1: "Reads", 2: "Writes"}
    return [(rf"\\HOST\First({name})\{words[counter]}", 10 * number + 2 * row + column)
            for row, name in enumerate(names) for column, counter in enumerate(counters)]


def shown(tshark, path, *options):
    """(path, value) of all values of each poll."""
    rows = tshark.fields(path, "perflibv2.path", "perflibv2.value", options=options,
                         display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    return [list(zip(map(unescaped, paths), map(int, values), strict=True)) for paths, values in rows]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["once", "twice"])
@pytest.mark.parametrize("other", [
    {"names": "cb"}, {"names": "ac"}, {"names": "ba", "ids": (2, 1)}, {"counters": (2, 1)}, {"widths": (8, 4)}, {"widths": (8, 8)},
], ids=["renamed", "last renamed", "instances swapped", "counters swapped", "widths swapped", "wider"])
def test_what_differs_is_seen(tshark, tmp_path, other, passes):
    capture, peer = session(ALL, mapped=(0,))
    layouts = [{}] * 4 + [other] * 3 + [{}, other, {}, {}, {}]
    for number, layout in enumerate(layouts, 1):
        peer.poll(H, poll(number, **layout))
    path = capture.write(tmp_path / "polls.pcap")
    assert shown(tshark, path, *passes) == [expected(number, **layout) for number, layout in enumerate(layouts, 1)]


def test_a_name_that_comes_late(tshark, tmp_path):
    """The index map, and what the counterset is called, between polls that are all laid out alike."""
    capture, peer = session(taught=False)
    peer.validate(H, ALL, p.identifier(p.NONE, "*", guid=p.OTHER_SET))
    blocks = [poll(0)[48:]] * 2
    polls = [p.data(*blocks, time=p.TIME + number * 10_000_000) for number in range(12)]
    for number in range(4):
        peer.poll(H, polls[number])
    items = [ALL, p.identifier(p.NONE, "*", guid=p.OTHER_SET)]
    peer.info(H, *(item[:32] + struct.pack("<I", index) + item[36:] for index, item in enumerate(items)))
    for number in range(4, 8):
        peer.poll(H, polls[number])
    peer.registration(3, p.text("Renamed"))
    for number in range(8, 12):
        peer.poll(H, polls[number])
    path = capture.write(tmp_path / "late.pcap")
    rows = tshark.fields(path, "_ws.col.Info",
                         display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    said = [row[0][0].split(", ")[2] for row in rows]
    assert said == ["2 blocks"] + ["interval 1.000 s"] * 3 + ["First and 1 more"] * 4 + ["Renamed and 1 more"] * 4
