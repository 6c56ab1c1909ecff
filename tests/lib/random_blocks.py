# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random sessions of the older API with several machines, and what is true of each value: names in several languages that come
late, instances that come and go and change places, NDR and NDR64, calls that are lost, captures that begin late; alone, or beside
PerflibV2 in the sessions of lib/random_machines.py.
"""

import random

from lib.perfdata import Beside, Peer
from lib.wire import NDR64, WINREG
from perfdata import crafted
from perfdata.block import Builder, Counter, Instance, Object, names

WALL = "192.0.2.30"     # an address with several machines
OBJECTS = {5000: {5004: "PERF_COUNTER_COUNTER", 5006: "PERF_COUNTER_BULK_COUNT", 5008: "PERF_COUNTER_RAWCOUNT"},
           5100: {5104: "PERF_COUNTER_COUNTER", 5106: "PERF_COUNTER_LARGE_RAWCOUNT"}}
SINGLE = 5100
TITLES = {5000: "Reader", 5004: "Reads/sec", 5006: "Bytes/sec", 5008: "Queue", 5100: "Store", 5104: "Ops/sec", 5106: "Size"}
QUERIED = ["5000", "5100", "5000 5100", "Global"]
INSTANCES = ["a", "b", "c", "a#1", "Chrome", "chrome"]
RAW = {"PERF_COUNTER_RAWCOUNT", "PERF_COUNTER_LARGE_RAWCOUNT"}


class Blocks:
    def __init__(self, seed, differs=False, wall=False, losses=0, late=False, steps=45, beside=None):
        """beside: a random_machines.World whose machines and capture these are, and who makes the steps."""
        self.random, self.losses, self.late = random.Random(seed), losses, late
        self.differs, self.seconds, self.raws = differs, 0, 0
        self.beside = beside
        self.machines = [f"HOST{one.number}" for one in beside.machines] if beside else [f"PC{number}" for number in range(self.random.randint(1, 3))]
        self.peers, self.truth, self.before = [], {}, {}        # a series is a client's of a machine at an address and port, and of a value name
        self.lived = {machine: ["a", "b"] for machine in self.machines}
        for machine in self.machines:
            for _ in range(self.random.randint(1, 2)):
                self.connect(machine, wall)
        begun = len(self.capture.frames)
        for _ in range(0 if beside else steps):
            self.step()
        if late:
            del self.capture.frames[:begun]
            self.truth = {(frame - begun, raw): (*truth[:-1], truth[-1] and truth[-1] - begun) for (frame, raw), truth in self.truth.items()}

    def step(self):
        self.random.choices([self.poll, self.list, self.live], [6, 1.5, 2])[0]()

    def forget(self):
        """Nothing so far is in the capture."""
        self.truth.clear()
        self.before.clear()

    @property
    def capture(self):
        return self.peers[0].capture

    def connect(self, machine, wall):
        if self.beside:
            owner = self.beside.machines[int(machine[4:])]
            address, client = self.random.choice(owner.addresses), self.random.choice("34")
            client = f"fd00:1::{client}" if ":" in address else f"10.1.0.{client}"
            connection, syntax = self.beside.connection(owner, address, client, WINREG)
            self.enter(Beside(self.beside.capture, connection, syntax == NDR64), machine, (client, address, type(connection)))
            return
        address = WALL if wall else f"192.0.2.{20 + int(machine[2:])}"
        peer = Peer(wide=not self.late and self.random.random() < 0.4, opened=False, other=self.peers[0] if self.peers else None,
                    client=("192.0.2.10", 50000 + len(self.peers)), server=(address, crafted.PORT))
        self.enter(peer, machine)

    def enter(self, peer, machine, ends=None):
        peer.machine, peer.ends = machine, ends
        peer.handle = bytes(4) + bytes([len(self.peers) + 1] * 16)
        peer.open(handle=peer.handle)
        self.peers.append(peer)

    def title(self, machine, index, language):
        return TITLES[index] + (" de" if language == "007" else "") + (f" of {machine}" if self.differs else "")

    def lost(self, act):
        count = len(self.capture.frames)
        act()
        if self.random.random() < self.losses:
            del self.capture.frames[count:]
            return True
        return False

    def list(self):
        peer, language = self.random.choice(self.peers), self.random.choice(["009", "009", "007"])
        listed = names([(index, self.title(peer.machine, index, language)) for index in TITLES])
        self.lost(lambda: peer.query(f"Counter {language}", listed, peer.handle))

    def live(self):
        lived = self.random.sample(INSTANCES, self.random.randint(0, 4))
        self.lived[self.random.choice(self.machines)] = [name for name in lived if name != "chrome" or "Chrome" not in lived]

    def poll(self):
        peer, value = self.random.choice(self.peers), self.random.choice(QUERIED)
        self.seconds += self.random.choice([1, 1, 2, 5])
        now, objects = {}, []

        def number(index, counter, instance):
            self.raws += self.random.randint(1, 900)
            now[index, counter, instance.lower()] = self.raws
            return self.raws

        for index in OBJECTS if value == "Global" else map(int, value.split()):
            counters = [Counter(counter, type) for counter, type in OBJECTS[index].items()]
            make = lambda name: Instance(name, [number(index, counter, name) for counter in OBJECTS[index]])
            instances = make("") if index == SINGLE else [make(name) for name in self.random.sample(self.lived[peer.machine], len(self.lived[peer.machine]))]
            objects.append(Object(index, counters, instances, self.seconds * 1000, 1000))
        data = Builder(peer.machine, crafted.clock(self.seconds), objects).data
        if self.lost(lambda: peer.query(value, data, peer.handle)):
            return
        frame = len(self.capture.frames)
        earlier, then, when = self.before.get((peer.machine, peer.ends, value), (None, {}, 0))
        for slot, raw in now.items():
            type = OBJECTS[slot[0]][slot[1]]
            is_first = slot not in then
            cooked = float(raw) if type in RAW else None if is_first else (raw - then[slot]) / (self.seconds - when)
            self.truth[frame, raw] = (peer.machine, type, *slot, cooked, None if is_first else earlier)
        self.before[peer.machine, peer.ends, value] = frame, now, self.seconds


def wrong_rows(world, rows):
    wrong, found, labels = [], set(), {}
    for row in rows:
        key = int(row["frame"]), int(row["raw"])
        truth = world.truth.get(key)
        if truth is None or key in found:
            wrong.append((row, "was not sent, or twice"))
            continue
        found.add(key)
        machine, type, index, counter, instance, cooked, previous = truth
        said = float(row["cooked"]) if row["cooked"] else None
        known = [{str(of), *(world.title(machine, of, language) for language in ("009", "007"))} for of in (index, counter)]
        is_its = labels.setdefault(row["server"].lower(), machine) == machine or row["server"] == "10.9.9.9" if world.beside else row["server"] == machine
        right = [is_its, row["type"] == type, row["counterset_guid"] == str(index), row["counter_id"] == str(counter),
                 row["instance"].lower() == instance, row["counterset"] in known[0], row["counter"] in known[1],
                 said == cooked or said is not None and cooked is not None and abs(said - cooked) < 1e-6 * abs(cooked),
                 type in RAW or (row["previous_frame"] if said is not None else "") == str(previous or "")]
        if not all(right):
            wrong.append((row, truth, right))
    return wrong + [(key, truth) for key, truth in world.truth.items() if key not in found]
