# SPDX-License-Identifier: GPL-2.0-or-later
"""Random sessions whose truth is known: counters come and go, instances are born again, calls are lost, index maps come late."""

import csv
import io
import random
import struct

import pytest

from lib import perflibv2 as p
from lib.wire import Capture

H, RATE, SECOND = p.query_handle(1), 0x10410400, 10_000_000
COUNTERS, NAMES = 4, ("a", "b", "Chrome", "CHROME")


class Session:
    """Counter c of instance i rises by 10 * c + i a second: a rate tells whose it is."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.capture = Capture()
        self.peer = p.Peer(self.capture)
        self.peer.registration(1, p.counterset([p.counter(id, RATE) for id in range(1, COUNTERS + 1)]))
        self.peer.registration(3, p.text("Set"))
        self.peer.registration(5, p.strings([(id, f"Rate {id}") for id in range(1, COUNTERS + 1)]))
        self.peer.open(H)
        self.seconds = 0
        self.added, self.is_mapped, self.fresh = [], False, set()
        self.before = {}        # what the previous poll held -> its raw value, and when that was
        self.truth = {}         # (frame, counter, instance) -> rate; None: a first sample

    def change(self):
        counter = self.random.randint(1, COUNTERS)
        item = p.identifier(counter, "*", instance=p.NONE)
        self.peer.validate(H, item, add=int(counter not in self.added))
        if counter in self.added:
            self.added.remove(counter)
        else:
            self.added.append(counter)
            self.fresh.add(counter)
        self.is_mapped = False

    def map(self):
        if self.added and not self.is_mapped:
            self.random.shuffle(self.added)
            items = [p.identifier(counter, "*", instance=p.NONE) for counter in self.added]
            self.peer.info(H, *(item[:32] + struct.pack("<I", at) + item[36:] for at, item in enumerate(items)))
            self.is_mapped = True

    def poll(self):
        self.map()
        self.seconds += self.random.choice((1, 1, 1, 5))
        blocks, now = [], {}
        for counter in self.added:
            rows = []
            for i in self.random.sample(range(3), self.random.randint(0, 3)):
                # The third goes by one name in both cases.
                name = NAMES[i if i < 2 else self.random.choice((2, 3))]
                value = 1000 * counter + (10 * counter + i) * self.seconds
                rows.append(p.instance(name, i) + p.value(value))
                now[counter, i] = value
            blocks.append(p.block(4, p.multi_instances(rows)))
        data = p.data(*blocks, time=p.TIME + self.seconds * SECOND)
        frame = self.peer.poll(H, data[:8] + struct.pack("<Q", self.seconds * SECOND) + data[16:])[1]
        for counter, i in now:
            is_first = (counter, i) not in self.before or counter in self.fresh
            self.truth[str(frame), str(counter), i] = None if is_first else 10 * counter + i
        self.before, self.fresh = now, set()


@pytest.mark.parametrize("seed", range(12))
def test_rates_of_random_polls_are_those_of_the_sender(tshark, tmp_path, seed):
    session = Session(seed)
    session.change()
    for _ in range(25):
        session.random.choice((session.poll, session.poll, session.poll, session.change))()
    session.poll()
    path = session.capture.write(tmp_path / "random.pcap")
    for passes in (), ("-2",):
        found = {}
        for row in csv.DictReader(io.StringIO(tshark.run(path, *passes, "-q", "-z", "perflibv2,samples,-"))):
            i = int(row["instance_id"])
            assert row["instance"].lower() == NAMES[i].lower() and row["reason"] in ("", "first sample", "instance new")
            found[row["frame"], row["counter_id"], i] = float(row["cooked"]) if row["cooked"] else None
        assert found == session.truth
