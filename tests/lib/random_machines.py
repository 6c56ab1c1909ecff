# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random sessions of several clients with several machines, and what is true of each value: whose it is, which counter, and
with which poll it is compared. Machines have several names and addresses, two may share one address; counters are added and
removed, instances come and go, providers are upgraded, lists and index maps come late, calls are lost.
"""

import random
import struct
import uuid
from dataclasses import dataclass, field

from lib import perflibv2 as p
from lib.random_blocks import Blocks
from lib.smb import Pipe
from lib.wire import NDR, NDR64, PERFLIBV2, WINREG, Capture

RATE, BULK, GAUGE, LARGE = 0x10410400, 0x10410500, 0x00010000, 0x00010100
TYPES = {RATE: "PERF_COUNTER_COUNTER", BULK: "PERF_COUNTER_BULK_COUNT", GAUGE: "PERF_COUNTER_RAWCOUNT", LARGE: "PERF_COUNTER_LARGE_RAWCOUNT"}
WIDTH = {RATE: 4, BULK: 8, GAUGE: 4, LARGE: 8}
SECOND = 10_000_000
GUIDS = [uuid.UUID(int=p.SET.int + (number << 64)) for number in range(3)]
OWN_WORDS = {"map", "list", "inferred"}       # "doubtful" may be so of a name that is borrowed
WALL = "10.9.9.9"       # an address behind which two machines share a port
INSTANCES = [("a", 1), ("b", 2), ("Chrome", 3), ("CHROME", 3), ("b", 4), ("a#1", 5)]


@dataclass
class Set:
    """A counterset as a machine's provider describes it."""
    name: str
    is_single: bool
    counters: dict      # id -> (name, type)


@dataclass
class Machine:
    number: int
    addresses: list
    sets: dict          # GUID -> [(frame from which it holds, Set)]
    instances: dict     # GUID -> {(name, id)} that live
    listed: dict = field(default_factory=dict)      # GUID, and (GUID, WALL) -> frame of its first whole list, with all names
    named: dict = field(default_factory=dict)       # (GUID, request code, address) -> frame of the first answer to it
    handles: int = 0
    all_instances: list = field(default_factory=lambda: list(INSTANCES))

    def has_said(self, truth, code):
        """Whether the machine had said it by then, at the address of the poll: at another address another machine may have."""
        return self.named.get((truth.guid, code, truth.address), truth.frame + 1) <= truth.frame

    def set_in(self, guid, frame):
        return next(known for begin, known in reversed(self.sets[guid]) if begin <= frame)


@dataclass
class Query:
    peer: p.Peer
    machine: Machine
    handle: bytes
    number: int
    guid: uuid.UUID
    items: list = field(default_factory=list)       # (counter id or all, instance or None) in the order of the index map
    is_mapped: bool = False
    was_ever_mapped: bool = False
    before: dict = field(default_factory=dict)      # slot -> (frame, seconds, raw) in the previous poll
    fresh: set = field(default_factory=set)         # items added since then
    unknown: bool = False                           # a call that changes it was lost since the previous poll
    stale: bool = False                             # the same since the latest map
    is_early: bool = False                          # it was opened before the capture, which lacks what was added so far


@dataclass
class Truth:
    machine: Machine
    address: str
    guid: uuid.UUID
    counter: int
    type: int
    instance: tuple
    frame: int
    cooked: float | None            # None: a first sample
    previous: int | None
    may_be_first: bool = False      # calls are lost, so it is unknown whether it was in between
    may_be_doubtful: bool = False   # a change was lost after the map, so it is unknown whether the map still holds


class World:
    def __init__(self, seed, differs=False, wall=False, upgrades=False, losses=0, steps=80, late=False, mixed=False, restarts=False, older=False):
        self.random = random.Random(seed)
        self.capture = Capture()
        self.seconds, self.losses, self.upgrades, self.differs = 0, losses, upgrades, differs
        self.late, self.mixed, self.restarts, self.smbs = late, mixed, restarts, {}
        self.truth, self.queries, self.handles, self.raws = {}, [], 0, 0
        self.wall = wall
        definitions = {guid: self.definition(number, "") for number, guid in enumerate(GUIDS)}
        self.machines = []
        for number in range(self.random.randint(2, 3)):
            addresses = [f"10.0.0.{number + 1}", f"fd00::{number + 1}"] + [WALL] * (wall and number < 2)
            sets = {guid: [(0, self.definition(at, f" of {number}") if differs else definitions[guid])] for at, guid in enumerate(GUIDS)}
            self.machines.append(Machine(number, addresses, sets, {guid: set(INSTANCES[:2]) for guid in GUIDS}))
        self.peers = []
        for machine in self.machines:
            for _ in range(self.random.randint(1, 4)):
                self.connect(machine)
        # The older API of the same machines, in the same capture.
        self.blocks = Blocks(seed, differs, losses=losses, beside=self) if older else None
        if late:
            self.begin_late()
        for _ in range(steps):
            self.step()

    def chance(self, share):
        return self.random.random() < share

    def definition(self, at, whose):
        ids = self.random.sample(range(1, 9), self.random.randint(2, 4))
        names = self.random.sample(["Reads", "Writes", "Bytes", "Ops/sec", "Queue", "Errors"], len(ids))
        return Set(f"Set {at}{whose}", self.chance(0.3), {id: (name + whose, self.random.choice(list(WIDTH))) for id, name in zip(ids, names)})

    def spelling(self, machine, address):
        host = f"host{machine.number}"
        names = [host, host.upper(), f"{host}.", f"\\{host}", f"\\\\{host}", f"{host}.example.com", f"{host}.example.com.", f"alias{machine.number}"]
        if address != WALL:
            none = ["", ".", "localhost", "127.0.0.1", address, f"[{address}]" if ":" in address else address,
                    f"{address}%3" if ":" in address else address, *machine.addresses[:2],
                    f"{address.replace(':', '-')}.ipv6-literal.net" if ":" in address else address]
            names += none
        return self.random.choice(names)

    def connect(self, machine):
        address = self.random.choice(machine.addresses)
        client = self.random.choice(["3", "4"])
        connection, syntax = self.connection(machine, address, f"fd00:1::{client}" if ":" in address else f"10.1.0.{client}", PERFLIBV2)
        peer = p.Peer(self.capture, "", connection, transfer_syntax=syntax)
        peer.owner, peer.address = machine, address
        peer.machine = p.string(self.spelling(machine, address))
        self.peers.append(peer)

    def connection(self, machine, address, client, interface):
        """A connection of TCP or a pipe, and its transfer syntax."""
        # Wireshark 4.0 itself misreads a QueryValue of NDR64 whose bind is missing.
        syntaxes = [NDR] if not self.mixed or self.late and interface == WINREG else [NDR, NDR64]
        options = {"server": address, "client": client, "interface": interface, "transfer_syntax": self.random.choice(syntaxes)}
        if self.mixed and self.chance(0.5):
            # Where the Creates are not in the capture, nothing tells several pipes of a connection apart.
            pipe = Pipe(self.capture, self.smbs.get((machine.number, address, client)) if not self.late and self.chance(0.7) else None, **options)
            self.smbs[machine.number, address, client] = pipe.smb
            return pipe, options["transfer_syntax"]
        return self.capture.connection(**options), options["transfer_syntax"]

    def begin_late(self):
        """The calls so far are not in the capture. The connections go on."""
        for _ in range(self.random.randint(0, 30)):
            self.step()
        self.capture.frames.clear()
        self.truth.clear()
        if self.blocks:
            self.blocks.forget()
        for query in self.queries:
            query.is_early = True
            query.before, query.unknown, query.is_mapped = {}, True, self.chance(0.5) and query.is_mapped
        for machine in self.machines:
            machine.listed.clear()
            machine.named.clear()
            machine.sets = {guid: [(0, sets[-1][1])] for guid, sets in machine.sets.items()}

    def lost(self, act):
        """Does so, and whether its frames were lost."""
        count = len(self.capture.frames)
        act()
        if self.chance(self.losses):
            del self.capture.frames[count:]
            return True
        return False

    def step(self):
        if self.blocks and self.chance(0.4):
            self.blocks.step()
        action = self.random.choices([self.teach, self.open, self.change, self.map, self.poll, self.live, self.close, self.rename, self.upgrade, self.restart, self.tell_instances],
                                     [3, 3, 5, 3, 14, 3, 0.5, 0.5, 0.7, *([1, 2] if self.restarts else [0, 0])])[0]
        action()

    def rename(self):
        """A client goes on under another name of the same machine; or it connects anew."""
        peer = self.random.choice(self.peers)
        if self.chance(0.5):
            self.connect(peer.owner)
        else:
            peer.machine = p.string(self.spelling(peer.owner, peer.address))

    def restart(self):
        """A machine, whose instances have other ids then, or all clients of it start anew: no handle is closed, and they begin at 1 again."""
        machine = self.random.choice(self.machines)
        if self.chance(0.5):
            machine.all_instances = [(name, id % 5 + 1) for name, id in machine.all_instances]
            machine.instances = {guid: {(name, id % 5 + 1) for name, id in lived} for guid, lived in machine.instances.items()}
        self.queries = [query for query in self.queries if query.machine is not machine]
        self.peers = [peer for peer in self.peers if peer.owner is not machine]
        self.smbs = {}
        machine.handles = 0
        for _ in range(self.random.randint(1, 3)):
            self.connect(machine)

    def tell_instances(self):
        peer, guid = self.random.choice(self.peers), self.random.choice(GUIDS)
        self.lost(lambda: peer.instances(*(p.instance(*one) for one in sorted(peer.owner.instances[guid])), guid=guid))

    def teach(self, peer=None, guid=None):
        whole = peer is not None
        peer = peer or self.random.choice(self.peers)
        guid = guid or self.random.choice(GUIDS)
        known = peer.owner.sets[guid][-1][1]
        parts = 0
        if whole or self.chance(0.8):
            counters = [p.counter(id, type) for id, (_, type) in known.counters.items()]
            content = p.counterset(counters, guid=guid, instance_type=0 if known.is_single else 2)
            parts += self.say(peer, guid, 1, content)
        if whole or self.chance(0.8):
            parts += self.say(peer, guid, 3, p.text(known.name))
        if whole or self.chance(0.8):
            names = [(id, name) for id, (name, _) in known.counters.items()]
            parts += self.say(peer, guid, 5, p.strings(names))
        if parts == 3:
            for place in (guid, (guid, peer.address)):
                peer.owner.listed.setdefault(place, len(self.capture.frames))

    def say(self, peer, guid, code, content):
        if self.lost(lambda: peer.registration(code, content, guid=guid)):
            return 0
        peer.owner.named.setdefault((guid, code, peer.address), len(self.capture.frames))
        return 1

    def upgrade(self):
        """A provider lists other counters from now on, under each name of its machine."""
        if not self.upgrades:
            return
        machine, guid = self.random.choice(self.machines), self.random.choice(GUIDS)
        if any(query.machine is machine and query.guid == guid for query in self.queries):
            return
        old = machine.sets[guid][-1][1]
        new = Set(old.name, old.is_single, {id: (f"New {name}", self.random.choice(list(WIDTH))) for id, (name, _) in old.counters.items()})
        machine.sets[guid].append((len(self.capture.frames), new))
        for peer in self.peers:
            if peer.owner is machine:
                losses, self.losses = self.losses, 0
                self.teach(peer, guid)
                self.losses = losses

    def open(self):
        if len(self.queries) >= 6:
            return
        peer = self.random.choice(self.peers)
        self.handles += 1
        peer.owner.handles += 1
        number = peer.owner.handles if self.restarts else self.handles
        query = Query(peer, peer.owner, p.query_handle(number), self.handles, self.random.choice(GUIDS))
        self.lost(lambda: peer.open(query.handle))
        self.queries.append(query)

    def identifier(self, query, item, index=0, status=0):
        counter, instance = item
        name, id = instance if instance else ("" if query.machine.sets[query.guid][-1][1].is_single else "*", p.NONE)
        if instance and self.restarts and query.number % 3 == 0:
            name = None     # by its id alone, which the machine's list of instances names
        return p.identifier(p.NONE if counter is None else counter, name, guid=query.guid, instance=id, index=index, status=status)

    def change(self):
        if not self.queries:
            return
        query = self.random.choice(self.queries)
        known = query.machine.sets[query.guid][-1][1]
        if query.items and self.chance(0.35):
            item, add = self.random.choice(query.items), 0
        else:
            item, add = (self.random.choice([*known.counters, None]), None if known.is_single or self.chance(0.7) else self.random.choice(query.machine.all_instances[:2])), 1
            covered = {(counter, instance) for held in query.items for counter, instance in self.covers(query, known, held)}
            if covered & set(self.covers(query, known, item)):
                return      # a value that a poll contains twice: perflibv2/test_values_same_id.py
        if self.lost(lambda: query.peer.validate(query.handle, self.identifier(query, item), add=add)):
            query.unknown = query.stale = True
        if add:
            query.items.insert(self.random.randint(0, len(query.items)), item)
            query.fresh.add(item)
        else:
            query.items.remove(item)
            query.unknown = query.unknown or query.is_early     # what else that identifier covered is not known
        query.is_mapped = False

    @staticmethod
    def covers(query, known, item):
        counter, instance = item
        counters = known.counters if counter is None else [counter]
        return [(id, name) for id in counters for name in ([instance] if instance else [None] if known.is_single else query.machine.all_instances)]

    def map(self, query=None):
        query = query or (self.queries and self.random.choice(self.queries))
        if not query or not query.items:
            return
        items = [self.identifier(query, item, index) for index, item in enumerate(query.items)]
        self.random.shuffle(items)
        if not self.lost(lambda: query.peer.info(query.handle, *items)):
            query.is_mapped = True

    def live(self):
        machine, guid = self.random.choice(self.machines), self.random.choice(GUIDS)
        machine.instances[guid] = set(self.random.sample(machine.all_instances, self.random.randint(0, 4)))
        if {"Chrome", "CHROME"} <= {name for name, _ in machine.instances[guid]}:
            machine.instances[guid] -= {one for one in machine.instances[guid] if one[0] == "CHROME"}

    def close(self):
        if self.queries:
            query = self.queries.pop(self.random.randrange(len(self.queries)))
            self.lost(lambda: query.peer.close(query.handle))

    def poll(self):
        polled = [query for query in self.queries if query.items]
        if not polled:
            return
        query = self.random.choice(polled)
        if not query.is_mapped and self.chance(0.7):
            self.map(query)
        self.seconds += self.random.choice((1, 1, 2, 7))
        known = query.machine.sets[query.guid][-1][1]
        blocks, now, rows = [], {}, []
        for item in query.items:
            blocks.append(self.block(query, known, item, now, rows))
        data = p.data(*blocks, time=p.TIME + self.seconds * SECOND)
        data = data[:8] + struct.pack("<Q", self.seconds * SECOND) + data[16:]
        if self.lost(lambda: query.peer.poll(query.handle, data)):
            # Identifiers added since the last captured poll stay new.
            return
        frame = len(self.capture.frames)
        now = {slot: (frame, self.seconds, raw) for slot, raw in now.items()}
        for item, slot, raw in rows:
            before = None if item in query.fresh else query.before.get(slot)
            type = known.counters[slot[0]][1]
            cooked = float(raw) if type in (GAUGE, LARGE) else None if before is None else (raw - before[2]) / (self.seconds - before[1])
            self.truth[frame, raw] = Truth(query.machine, query.peer.address, query.guid, slot[0], type, slot[1], frame, cooked, before and before[0], query.unknown, query.stale)
        query.before, query.fresh, query.unknown, query.stale = now, set(), False, query.stale and not query.is_mapped

    def value(self, counter, type, instance, now, rows, item):
        """The capture has each raw value once, so the value says whose it is."""
        self.raws += self.random.randint(1, 900)
        slot = counter, (instance[0].lower(), instance[1]) if instance else None
        now[slot] = self.raws
        rows.append((item, slot, self.raws))
        return p.value(self.raws, WIDTH[type])

    def block(self, query, known, item, now, rows):
        counter, instance = item
        ids = list(known.counters) if counter is None else [counter]
        values = lambda of: b"".join(self.value(id, known.counters[id][1], of, now, rows, item) for id in ids)
        head = p.multi_counters(ids) if counter is None else b""
        if known.is_single or instance:
            if instance and instance not in query.machine.instances[query.guid]:
                return p.block(0, status=0xE8)
            return p.block(2 if counter is None else 1, head + values(instance))
        lived = self.random.sample(sorted(query.machine.instances[query.guid]), len(query.machine.instances[query.guid]))
        return p.block(6 if counter is None else 4, head + p.multi_instances([p.instance(*one) + values(one) for one in lived]))


def wrong_rows(world, rows, two_passes):
    """
    Errors in the rows of samples: [(row, error)]. Where the machines agree and nothing was lost, every counter of a set
    that was listed has its name in the second pass.
    """
    is_alike = not world.differs and not world.upgrades
    is_whole = two_passes and is_alike and not world.losses and not world.late
    found, wrong, labels = set(), [], {}
    nameless = {int(row["frame"]) for row in rows if row["counter"] == "unknown"}      # a later poll can't be compared with it
    for row in rows:
        key = int(row["frame"]), int(row["raw"]) if row["raw"] else None
        truth = world.truth.get(key)
        if truth is None or key in found:
            wrong.append((row, "a value that was not sent, or twice"))
            continue
        found.add(key)
        sets = [known for _, known in truth.machine.sets[truth.guid]]
        own = truth.machine.set_in(truth.guid, truth.frame)
        word = row["known_by"]
        if word == "doubtful" and (truth.may_be_first or truth.may_be_doubtful):
            continue        # a change was lost, and the row says that it may be so
        if row["counter_id"] not in ("", str(truth.counter)):
            wrong.append((row, f"is counter {truth.counter}"))
        if row["counterset_guid"] not in ("", str(truth.guid)):
            wrong.append((row, f"is of {truth.guid}"))
        # The machine, or another one, said it later.
        is_own = word in OWN_WORDS and truth.machine.has_said(truth, 5)
        allowed = {known.counters[truth.counter][0] for known in ([own] if is_own else sets)}
        # Behind a wall another machine's list may be taken for its own, until it listed the set there.
        first_list = truth.machine.listed.get((truth.guid, WALL) if truth.address == WALL else truth.guid)
        is_lent = not is_alike and (first_list is None or not two_passes and first_list > truth.frame)
        if row["counter"] not in allowed | {"unknown", f"counter {truth.counter}"} and (word in OWN_WORDS or not is_lent):
            wrong.append((row, f"is called {allowed}"))
        has_set = not world.differs or truth.machine.has_said(truth, 3)
        if row["counterset"] not in {own.name, "unknown", f"{{{truth.guid}}}"} and has_set:
            wrong.append((row, f"is of {own.name}"))
        if truth.instance and row["instance"].split("#")[0] and row["instance"].lower().split("#")[0] != truth.instance[0].split("#")[0]:
            wrong.append((row, f"is of instance {truth.instance}"))
        if row["type"] == TYPES[truth.type]:
            cooked = float(row["cooked"]) if row["cooked"] else None
            if cooked is None and truth.cooked is not None and not truth.may_be_first and truth.previous not in nameless or cooked is not None and truth.cooked is None and not truth.may_be_first:
                wrong.append((row, f"comes to {truth.cooked} since frame {truth.previous}"))
            elif cooked is not None and truth.cooked is not None and (abs(cooked - truth.cooked) > 1e-6 * abs(cooked) or truth.type in (RATE, BULK) and int(row["previous_frame"]) != truth.previous):
                wrong.append((row, f"is {truth.cooked} since frame {truth.previous}"))
        elif row["type"] and not world.upgrades and not is_lent:
            wrong.append((row, f"is {TYPES[truth.type]}"))
        if labels.setdefault(row["server"].lower(), truth.machine.number) != truth.machine.number and row["server"] != WALL:
            wrong.append((row, f"is of machine {truth.machine.number}"))
        if is_whole and truth.guid in truth.machine.listed and row["counter_id"] and row["counter"] not in allowed:
            wrong.append((row, f"has the name {allowed}"))
    wrong += [(world.truth[key], "is not in the table") for key in world.truth if key not in found]
    return wrong
