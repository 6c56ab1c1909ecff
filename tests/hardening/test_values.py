# SPDX-License-Identifier: GPL-2.0-or-later
"""What the values of polls cost: linear in the capture, whatever it holds.

No test depends on a clock: processor time is bounded, far above what is needed and far below what a cost that grows
with the square would take.
"""

from functools import partial

from lib import costs
from lib import perflibv2 as p
from lib.wire import Capture

H = p.query_handle(1)
bounded = partial(costs.bounded, starts=50)


def test_inference_of_many_polls(tshark, tmp_path):
    """64 wildcards by 256 counters: what each block is of is worked out once, not pair by pair at each of 300 polls."""
    counters = range(256)
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(id) for id in counters]), in_size=1 << 20)
    peer.open(H)
    peer.validate(H, *(p.identifier(p.NONE, f"{number:02}*") for number in range(64)))
    block = p.block(6, p.multi_counters(counters) + p.multi_instances([]))
    named = [p.block(6, p.multi_counters(counters) + p.multi_instances([p.instance(f"{number:02}x") + b"".join(p.value() for _ in counters)]))
             for number in range(63)]
    for _ in range(300):
        peer.poll(H, p.data(*[block] * 64), in_size=1 << 20)
    peer.poll(H, p.data(*named, block), in_size=1 << 20)
    path = capture.write(tmp_path / "many.pcap")
    last = bounded(tshark, path, "-T", "fields", "-E", "aggregator=|", "-e", "perflibv2.block.link").splitlines()[-1].split("|")
    assert len(last) == 64 and all(link.startswith("inferred") for link in last)


def test_polls_of_a_query_that_changes(tshark, tmp_path):
    """4,000 identifiers and one block a poll, before each of which one identifier comes or goes: nothing can be inferred."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    for begin in range(0, 4000, 1000):
        peer.validate(H, *(p.identifier(number, "i") for number in range(begin, begin + 1000)))
    for number in range(25_000):
        peer.validate(H, p.identifier(1, "j"), add=1 - number % 2)
        peer.poll(H, p.data(p.block(1, p.value())))
    path = capture.write(tmp_path / "changes.pcap")
    bounded(tshark, path)


def test_bases_that_are_not_in_the_block(tshark, tmp_path):
    """200,000 counters in a block, each with a base that stands in none: a search goes through an index, not through the block."""
    many = range(1, 200_001)
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(id, p.SAMPLE_FRACTION, base=id + 1_000_000) for id in many]), in_size=1 << 30)
    peer.mapped(H, p.identifier(p.NONE), p.identifier(1_000_001))
    for _ in range(2):
        peer.poll(H, p.data(p.block(2, p.multi_counters(many) + p.value() * len(many)), p.block(1, p.value(9))), in_size=1 << 30)
    path = capture.write(tmp_path / "bases.pcap")
    rows = bounded(tshark, path, "-q", "-z", "perflibv2,counters").splitlines()
    assert len([row for row in rows if "\\counter " in row]) == len(many) + 1
