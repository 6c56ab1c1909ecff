# SPDX-License-Identifier: GPL-2.0-or-later
"""A value is counted once and under its own name: asked for twice, told late what it is, renamed, drawn again."""

import csv
import struct

import pytest

from lib import perflibv2 as p
from lib import sharkd
from lib.captures import CAPTURES
from lib.named_query import H, session
from lib.some import some
from lib.tables import named_rows

SECOND = 10_000_000
READS, WRITES = r"\\HOST\First(x)\Reads", r"\\HOST\First(x)\Writes"


def watched(*names):
    """Instances of these names on the watch list."""
    return [word for name in names for word in ("-o", f'uat:perflibv2_watch:"{name}","*({name})*"')]


def one(number):
    return p.block(1, p.value(number))


def polled(capture, peer, *polls):
    """A poll a second with these blocks; the numbers of the frames that answer."""
    frames = []
    for number, blocks in enumerate(polls):
        if blocks is None:
            continue
        frames.append(peer.poll(H, p.data(*blocks, time=p.TIME + number * SECOND))[1])
        capture.wait(1000)
    return frames


def rows_of(tshark, file, table, *options):
    return named_rows(tshark.run(file, *options, "-q", "-z", f"perflibv2,{table}"))


def samples_of(tshark, file, *options):
    """(counter, raw value) of each sample, in order."""
    text = tshark.run(file, *options, "-q", "-z", "perflibv2,samples,-")
    rows = list(csv.DictReader(line for line in text.splitlines() if line))
    return [(row["counter"], row["raw"]) for row in rows]


def test_a_counter_under_two_identifiers(tshark, folder):
    """The server sends its value in two blocks: all tables and files count one."""
    capture, peer = session(p.identifier(1, "x"), p.identifier(1, "x", instance=p.NONE), mapped=[0, 1])
    polled(capture, peer, *[(one(number), one(number)) for number in (5, 6, 8)])
    file = capture.write(folder / "twice.pcap")
    (counter,) = rows_of(tshark, file, "counters")
    assert counter["Counter"] == READS and [counter[name] for name in ("Samples", "First", "Last")] == ["3", "5", "8"]
    assert float(counter["Mean"]) == pytest.approx(19 / 3, abs=0.001)
    (usage,) = rows_of(tshark, file, "usage")
    assert (usage["Polls"], usage["Values"]) == ("3", "3")
    (watch,) = rows_of(tshark, file, "watch", *watched("x"))
    assert [watch[name] for name in ("Counters", "Samples", "Field")] == ["1", "3", "matches one counter"]
    assert samples_of(tshark, file) == [("Reads", "5"), ("Reads", "6"), ("Reads", "8")]
    table = list(csv.reader(line for line in tshark.run(file, "-q", "-z", "perflibv2,pdh-csv,-").splitlines() if line))
    assert [row[1:] for row in table] == [[READS], ["5"], ["6"], ["8"]]


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_an_index_map_that_comes_late(tshark, folder, passes):
    """It says that the blocks stand the other way round: no value is under the other's name, and in two passes none is lost."""
    identifiers = [p.identifier(1, "x"), p.identifier(2, "x")]
    capture, peer = session(*identifiers)
    polled(capture, peer, (one(5), one(50)), (one(6), one(51)))
    peer.info(H, *(item[:32] + struct.pack("<I", 1 - place) + item[36:] for place, item in enumerate(identifiers)))
    polled(capture, peer, None, None, (one(7), one(52)))
    file = capture.write(folder / "late.pcap")
    polls = [("5", "50"), ("6", "51"), ("7", "52")]
    raw = polls[0 if passes else 2 :]
    before = [("unknown", value) for poll in polls[: 0 if passes else 2] for value in poll]
    named = [sample for writes, reads in raw for sample in (("Writes", writes), ("Reads", reads))]
    assert samples_of(tshark, file, *passes) == before + named
    found = {row["Counter"]: [row[name] for name in ("Samples", "First", "Last")] for row in rows_of(tshark, file, "counters", *passes)}
    unknown = [path for path in found if "unknown" in path]
    assert len(unknown) == (0 if passes else 2)
    assert {path: values for path, values in found.items() if path not in unknown} == {WRITES: [str(len(raw)), raw[0][0], "7"], READS: [str(len(raw)), raw[0][1], "52"]}


@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_a_renamed_instance_on_the_watch_list(tshark, folder, passes):
    """Of the same InstanceId, and a neighbour that keeps its name: each name has the values that were sent under it."""
    capture, peer = session(p.identifier(1, "*"), mapped=[0])
    sent = [("a", 5), ("a", 6), ("b", 8), ("b", 9)]
    frames = polled(capture, peer, *[
        (p.block(4, p.multi_instances([p.instance(name, 7) + p.value(number), p.instance("c", 8) + p.value(100 + place)])),)
        for place, (name, number) in enumerate(sent)])
    file = capture.write(folder / "renamed.pcap")
    options = [*passes, *watched("a", "b", "c")]
    fields = tshark.fields(file, "frame.number", *(f"perflibv2.watch.{name}" for name in "abc"), display_filter="perflibv2.block.type",
                           options=options)
    assert fields == [[[str(frame)], *([str(number)] if name == one else [] for one in "ab"), [str(100 + place)]]
                      for place, (frame, (name, number)) in enumerate(zip(frames, sent))]
    found = {row["Name"]: (row["Counters"], row["Samples"], row["First counter"]) for row in rows_of(tshark, file, "watch", *options)}
    assert found == {name: ("1", samples, rf"\\HOST\First({name})\Reads") for name, samples in (("a", "2"), ("b", "2"), ("c", "4"))}


@pytest.fixture(scope="module")
def tables(tshark):
    """Those that sharkd knows."""
    (known,) = (answer["nstat"] for answer in sharkd.ask(tshark, [{"method": "info"}]).values())
    tables = [table["tap"] for table in known if table["tap"].split(":")[1].split(",")[0] in ("perflibv2", "perfdata", "pla")]
    assert {"nstat:perflibv2,counters", "nstat:perfdata,usage", "nstat:pla,sets"} <= set(tables)
    return tables


@pytest.mark.parametrize("name", ["tcp-session", "both-apis", "pla-session", "sessions-tcp"])
def test_tables_opened_twice_count_each_their_own(tshark, tables, name):
    """In one process, both at a time and one after the other: nothing of the one is in the other, or missing there."""
    load = [{"method": "load", "params": {"file": str(CAPTURES / f"{name}.pcapng")}}]
    asked = [{"method": "tap", "params": {"tap0": table}} for table in tables]
    together = [{"method": "tap", "params": {"tap0": table, "tap1": table}} for table in tables]
    answers = sharkd.ask(tshark, [*load, *asked, *together, *asked])
    first = [answers[number + 2]["taps"][0] for number in range(len(tables))]
    assert len([row for said in first for table in said["tables"] for row in table["i"]]) > 10
    for place, expected in enumerate(first):
        both = answers[place + 2 + len(tables)]["taps"]
        assert both == [expected] * 2, tables[place]
        assert answers[place + 2 + 2 * len(tables)]["taps"] == [expected], tables[place]
