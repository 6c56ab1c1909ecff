# SPDX-License-Identifier: GPL-2.0-or-later
"""What instances are called: no two of a set get one path, whatever they are called and whenever it becomes known what they are of."""

import pytest

from lib import perflibv2 as p
from lib.named_query import H, session, unescaped
from lib.perfdata import built, polled
from lib.tables import table_rows
from perfdata.block import Counter, Instance, Object

RAW = Counter(5002, "PERF_COUNTER_RAWCOUNT")

LONG = 300


def instances(*rows):
    """A block of one counter's values: names, ids and values."""
    return p.block(4, p.multi_instances([p.instance(name, id) + p.value(number) for name, id, number in rows]))


def polls(tshark, path, two_pass=True):
    """Of each poll (path, raw value)."""
    rows = tshark.fields(path, "perflibv2.path", "perflibv2.value", options=["-2"] if two_pass else [],
                         display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    return [list(zip(map(unescaped, paths), map(int, values), strict=True)) for paths, values in rows]


def paths_of(found):
    """value -> path, over all polls; a value is an instance's own here."""
    return {value: path for poll in found for path, value in poll}


def test_a_real_name_that_looks_numbered(tshark, tmp_path):
    capture, peer = session(p.identifier(1, "*"))
    peer.poll(H, p.data(instances(("x", 1, 10), ("x", 2, 20), ("x#1", 3, 30))))
    peer.poll(H, p.data(instances(("x#1", 3, 30), ("x", 2, 20), ("x", 1, 10))))
    found = polls(tshark, capture.write(tmp_path / "x.pcap"))
    assert paths_of(found) == {10: r"\\HOST\First(x)\Reads", 20: r"\\HOST\First(x#1)\Reads", 30: r"\\HOST\First(x#1#1)\Reads"}


def test_one_instance_has_one_name(tshark, tmp_path):
    """In whichever order the blocks of two counters bring the instances."""
    capture, peer = session(p.identifier(1, "*"), p.identifier(2, "*"), mapped=(0, 1))
    peer.poll(H, p.data(instances(("x", 1, 10), ("x", 2, 20)), instances(("x", 2, 21), ("x", 1, 11))))
    found = polls(tshark, capture.write(tmp_path / "x.pcap"))
    assert paths_of(found) == {
        10: r"\\HOST\First(x)\Reads", 20: r"\\HOST\First(x#1)\Reads", 21: r"\\HOST\First(x#1)\Writes", 11: r"\\HOST\First(x)\Writes",
    }


def mapped_late(*layouts):
    """Polls of two identifiers that nothing tells apart, then the index map, then the last poll again."""
    identifiers = p.identifier(1, "*"), p.identifier(2, "*")
    capture, peer = session(*identifiers)
    for layout in layouts:
        peer.poll(H, p.data(*(instances(*rows) for rows in layout)))
    peer.info(H, identifiers[0], identifiers[1][:32] + b"\1\0\0\0" + identifiers[1][36:])
    peer.poll(H, p.data(*(instances(*rows) for rows in layouts[-1])))
    return capture, peer


def test_a_map_after_two_layouts(tshark, tmp_path):
    """Instances of one name, each in a poll of its own, before it is known what they are of; another one after that."""
    capture, peer = mapped_late(
        ([("x", 1, 10), ("y", 5, 50)], [("x", 1, 11)]),
        ([("x", 2, 20), ("y", 5, 50)], [("x", 2, 21)]),
        ([("x", 2, 20), ("x", 3, 30)], [("x", 3, 31), ("x", 2, 21)]),
    )
    peer.poll(H, p.data(instances(("x", 4, 40), ("x", 2, 20)), instances(("x", 4, 41), ("x", 1, 11))))
    expected = {
        10: r"\\HOST\First(x)\Reads", 20: r"\\HOST\First(x#1)\Reads", 30: r"\\HOST\First(x#2)\Reads", 40: r"\\HOST\First(x#3)\Reads",
        11: r"\\HOST\First(x)\Writes", 21: r"\\HOST\First(x#1)\Writes", 31: r"\\HOST\First(x#2)\Writes", 41: r"\\HOST\First(x#3)\Writes",
        50: r"\\HOST\First(y)\Reads",
    }
    path = capture.write(tmp_path / "late.pcap")
    found = polls(tshark, path)
    assert len(found) == 5 and paths_of(found) == expected
    # In the table each is a row.
    table = tshark.run(path, "-2", "-q", "-z", "perflibv2,counters")
    assert {row[0] for row in table_rows(table)} == set(expected.values())


@pytest.mark.parametrize("names, shown", [
    (["x", "x", "x#1"], ["x", "x#1", "x#1#1"]),
    (["x", "x#1", "x"], ["x", "x#1", "x#2"]),
    (["n" * LONG + "1", "n" * LONG + "2"], ["n" * 253 + "...", "n" * 253 + "...#1"]),
])
def test_older_apis_paths_have_shortened_names(tshark, tmp_path, names, shown):
    (answer,) = polled(tshark, tmp_path, built(Object(5000, [RAW], [Instance(name, [at]) for at, name in enumerate(names)])))
    assert [value.show for value in answer.values()] == [rf"\\PC\5000({name})\5002" for name in shown]
    # The whole name stands where it was sent.
    assert answer.shows("perfdata.instance.name") == names


def test_long_names_are_shortened_and_stay_two(tshark, tmp_path):
    """Shortened in paths, but two are still two, and the field has the whole name."""
    names = "n" * LONG + "1", "n" * LONG + "2"
    capture, peer = session(p.identifier(1, "*"))
    peer.poll(H, p.data(instances((names[0], 1, 10), (names[1], 2, 20))))
    path = capture.write(tmp_path / "long.pcap")
    short = "n" * 253 + "..."
    assert paths_of(polls(tshark, path)) == {10: rf"\\HOST\First({short})\Reads", 20: rf"\\HOST\First({short}#1)\Reads"}
    assert [names[1]] == tshark.fields(path, "perflibv2.instance.name", display_filter=f'perflibv2.instance.name == "{names[1]}"')[0][0][1:]
