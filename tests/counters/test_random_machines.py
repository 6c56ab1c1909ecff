# SPDX-License-Identifier: GPL-2.0-or-later
"""Random sessions with several machines (lib/random_machines.py): no value is lost, none is wrong, no name is another counter's."""

import csv
import io
import random

import pytest

from lib import perflibv2 as p
from lib.named_query import unescaped
from lib.random_blocks import wrong_rows as wrong_blocks
from lib.random_machines import World, wrong_rows
from lib.sharkd import ask
from lib.some import some
from lib.wire import Capture

KINDS = {
    "agree": {}, "differ": {"differs": True}, "upgraded": {"upgrades": True}, "one-address": {"wall": True},
    "losses": {"losses": 0.15}, "begins-late": {"late": True}, "all": {"differs": True, "upgrades": True, "losses": 0.1},
    "transports": {"mixed": True, "differs": True}, "transports-late": {"mixed": True, "late": True, "restarts": True},
    "transports-one-address": {"mixed": True, "wall": True, "restarts": True, "differs": True}, "restarts": {"mixed": True, "restarts": True},
    "older": {"older": True, "mixed": True, "restarts": True}, "older-differs": {"older": True, "mixed": True, "differs": True},
    "older-losses": {"older": True, "mixed": True, "losses": 0.1}, "older-late": {"older": True, "mixed": True, "late": True},
    "restarts-all": {"mixed": True, "restarts": True, "differs": True, "upgrades": True, "losses": 0.1},
}
H, RATE = p.query_handle(1), 0x10410400


def samples(tshark, path, *passes, protocol="perflibv2"):
    return list(csv.DictReader(io.StringIO(tshark.run(path, *passes, "-q", "-z", f"{protocol},samples,-"))))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [16, 24, 32, 45, 66, 187])
def test_random_machines_are_told_apart_as_sent(tshark, tmp_path, kind, seed):
    world = World(seed, **KINDS[kind])
    path = world.capture.write(tmp_path / "random.pcap")
    for passes in ((), ("-2",)):
        # A context that only an answer tells is read from the second pass on.
        if passes or not world.late:
            assert wrong_rows(world, some(samples(tshark, path, *passes)), bool(passes)) == []
            if world.blocks:
                assert wrong_blocks(world.blocks, some(samples(tshark, path, *passes, protocol="perfdata"))) == []


def labels_of(tree):
    for node in tree:
        if node.get("f", "").startswith(("perflibv2", "perfdata")):
            yield node["l"].lower()
        yield from labels_of(node.get("n", []))


@pytest.mark.parametrize("kind", ["restarts-all", "older-losses"])
def test_frames_looked_at_in_any_order(tshark, tmp_path, kind):
    """As in Wireshark's window: from the last to the first, then anyhow, each frame shows what two passes show."""
    path = World(32, **KINDS[kind]).capture.write(tmp_path / "random.pcap")
    fields = [f"{protocol}.{name}" for protocol in ("perflibv2", "perfdata") for name in ("path", "cooked.reason", "poll.previous_frame")]
    rows = some(tshark.fields(path, "frame.number", *fields, options=["-2"], display_filter="perflibv2 || perfdata"))
    numbers = [int(row[0][0]) for row in rows][::-1]
    order = numbers + random.Random(kind).sample(numbers, len(numbers))
    answers = ask(tshark, [{"method": "load", "params": {"file": str(path)}}, *({"method": "frame", "params": {"frame": number, "proto": True}} for number in order)])
    shown = {}
    for place, number in enumerate(order, 2):
        labels = list(labels_of(answers[place]["tree"]))
        assert shown.setdefault(number, labels) == labels
    for (number,), *values in rows:
        text = "\n".join(shown[int(number)])
        assert [value for several in values for value in several if unescaped(value).lower() not in text] == []


def session(*steps):
    """
    Polls of one query, a second apart, whose raw values grow by 10 a second. steps: identifiers to add (a list) or remove (a
    tuple), "map", or the frame's blocks as a function of the raw value.
    """
    capture, added, seconds = Capture(), [], 0
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1, RATE), p.counter(2, RATE)]))
    peer.registration(5, p.strings([(1, "Reads"), (2, "Writes")]))
    peer.open(H)
    for step in steps:
        if step == "map":
            peer.info(H, *(item[:32] + bytes([index]) + item[33:] for index, item in enumerate(added)))
        elif isinstance(step, list):
            peer.validate(H, *step)
            added += step
        elif isinstance(step, tuple):
            peer.validate(H, *step, add=0)
            added = [item for item in added if item not in step]
        else:
            seconds += 1
            data = p.data(*step(10 * seconds), time=p.TIME + 10_000_000 * seconds)
            peer.poll(H, data[:8] + (10_000_000 * seconds).to_bytes(8, "little") + data[16:])
    return capture


ONE, ALL = p.identifier(1, "*", instance=p.NONE), p.identifier(p.NONE, "*", instance=p.NONE)
one = lambda raw: [p.block(4, p.multi_instances([p.instance("a", 1) + p.value(raw)]))]
every = lambda raw: [p.block(6, p.multi_counters([1, 2]) + p.multi_instances([p.instance("a", 1) + p.value(raw) + p.value(raw)]))]
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])


@PASSES
@pytest.mark.parametrize("first, blocks, second, more", [(ONE, one, ALL, every), (ALL, every, ONE, one)], ids=["then-all", "then-one"])
def test_a_counter_removed_and_added_by_another_identifier(tshark, tmp_path, first, blocks, second, more, passes):
    """It starts anew all the same."""
    capture = session([first], "map", blocks, (first,), [second], "map", more, more)
    rows = [row["cooked"] for row in samples(tshark, capture.write(tmp_path / "again.pcap"), *passes) if row["counter_id"] == "1"]
    assert rows == ["", "", "10"]


@PASSES
def test_a_counter_removed_whose_second_addition_was_not_captured(tshark, tmp_path, passes):
    capture = session([ONE], "map", one, (ONE,), [ONE], "map", one, one)
    del capture.frames[-8:-6]
    rows = samples(tshark, capture.write(tmp_path / "lost.pcap"), *passes)
    assert [row["cooked"] for row in rows] == ["", "", "10"]


def test_a_map_that_comes_after_its_first_poll(tshark, tmp_path):
    """In the second pass the poll is compared with the one before the change; what was added again has a first sample."""
    other, two = p.identifier(2, "*", instance=p.NONE), lambda raw: one(raw) + one(raw)
    for change, expected in (([[other]], ["", "10", "10"]), ([(ONE,), [ONE, other]], ["", "", "10"])):
        capture = session([ONE], "map", one, *change, two, "map", two)
        rows = samples(tshark, capture.write(tmp_path / "late.pcap"), "-2")
        assert [row["cooked"] for row in rows if row["counter_id"] == "1"] == expected
        assert [row["cooked"] for row in rows if row["counter_id"] == "2"] == ["", "10"]


@pytest.mark.parametrize("is_known_before", [True, False])
def test_instances_change_places_before_the_map_comes(tshark, tmp_path, is_known_before):
    """Each is compared with itself, whether or not an earlier poll had the counter, too."""
    def both(*order):
        return lambda raw: [p.block(4, p.multi_instances([p.instance(name, id) + p.value(raw * id) for name, id in order]))]

    a, b = ("a", 1), ("b", 2)
    before = [[ONE], "map", both(a, b), (ONE,)] if is_known_before else []
    capture = session(*before, [ONE, p.identifier(2, "*", instance=p.NONE)], lambda raw: 2 * both(a, b)(raw), lambda raw: 2 * both(b, a)(raw), "map")
    rows = samples(tshark, capture.write(tmp_path / "places.pcap"), "-2")
    assert [row["cooked"] for row in rows if row["counter_id"] == "1"][2 * is_known_before:] == ["", "", "20", "10"]
