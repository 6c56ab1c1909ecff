# SPDX-License-Identifier: GPL-2.0-or-later
"""
[MS-PLA]: random sessions of several servers whose objects are known: given by answers, enumerators, RemQueryInterface and
scripts, released, their IPIDs given again, answers that fail, names and numbers of members that are each server's own.
"""

import random
import uuid

import pytest

from lib.orpc import objref
from lib.pla import IID, SETS_CLASS, Script
from lib.some import some

COLLECTIONS = {7: ("IDataCollectorCollection", "DataCollectors"), 48: ("IScheduleCollection", "Schedules")}
ELEMENTS = {"IDataCollectorCollection": "IDataCollector", "IScheduleCollection": "ISchedule"}
MEMBERS = ["Duration", "SegmentMaxDuration", "Serial", "Description"]
FAILURES = [0x80070005, 0x80300002]


class Object:
    def __init__(self, interface, label, ipid, oid):
        self.interface, self.label, self.ipid, self.oid = interface, label, ipid, oid
        self.references, self.next, self.collection = 5, 0, None


class Server:
    """One exporter of objects. IPIDs and OIDs that were released are given again."""

    def __init__(self, world, number):
        self.world, self.number = world, number
        first = world.servers[0].script if world.servers else None
        self.address = f"10.0.0.{number + 2}"
        self.script = Script(other=first, port=49300 + number, server=bytes([10, 0, 0, number + 2]))
        self.objects, self.spare, self.members, self.given = [], [], {}, 0

    def number_of(self):
        """An IPID and OID: those of a released object where there are some. Servers number alike."""
        if self.spare and self.world.chance(0.6):
            return self.spare.pop()
        self.given += 1
        # Where objects of one server are given by another, none has the IPID of another one.
        begin = 0x10000 * self.number if self.world.is_shared else 0
        return uuid.UUID(int=0xA000 + begin + self.given), 100 + begin + self.given


class World:
    def __init__(self, seed, steps=40):
        self.random, self.servers, self.truth, self.is_shared = random.Random(seed), [], [], seed % 2 == 1
        for number in range(self.random.randint(1, 3)):
            self.servers.append(Server(self, number))
        for server in self.servers:
            self.new_set(server)
        actions = [self.new_set, self.query, self.collection, self.item, self.enumerate, self.next, self.clone, self.ask, self.fail,
                   self.release, self.learn_member, self.call_member]
        for _ in range(steps):
            self.random.choice(actions)(self.random.choice(self.servers))

    def chance(self, share):
        return self.random.random() < share

    def any(self, server, *interfaces):
        return self.random.choice([one for one in server.objects if one.interface in interfaces] or [None])

    def called(self, server, one, member=None, is_new=False):
        """A request to that object was sent: what it must be said to be. is_new: its answer gives it the name."""
        self.truth.append((server.address, one.label, member, is_new))

    def give(self, server, interface, label):
        return Object(interface, label, *server.number_of())

    def reference(self, server, one, iid=None):
        return objref(iid or IID[one.interface], one.ipid, oid=one.oid, address=f"{server.address}[{server.script.port}]")

    def new_set(self, server):
        name = f"Set{len(self.truth)} of {server.number}"
        one = self.give(server, "IDataCollectorSet", name)
        server.script.activate(SETS_CLASS, self.reference(server, one))
        server.objects.append(one)
        self.rename(server, one, name, is_new=True)

    def rename(self, server, one, name, hresult=0, is_new=False):
        server.script.call("IDataCollectorSet", 59, lambda stub: stub.bstr(name).bstr(None), None, hresult, ipid=one.ipid)
        self.called(server, one, is_new=is_new)

    def query(self, server):
        """A Query that fails gives no name."""
        one = self.any(server, "IDataCollectorSet")
        if one:
            self.rename(server, one, "Wrong", self.random.choice(FAILURES))

    def collection(self, server):
        parent = self.any(server, "IDataCollectorSet")
        if not parent:
            return
        opnum = self.random.choice(list(COLLECTIONS))
        interface, role = COLLECTIONS[opnum]
        lives = self.random.choice(self.servers) if self.is_shared else server
        one = self.give(lives, interface, f"{parent.label}.{role}")
        server.script.call("IDataCollectorSet", opnum, None, lambda stub: stub.interface_pointer(self.reference(lives, one)), ipid=parent.ipid)
        self.called(server, parent)
        lives.objects.append(one)

    def item(self, server):
        """A member of a collection by its index, from 1 as from 0: the label has what was asked for."""
        parent = self.any(server, *ELEMENTS)
        if not parent:
            return
        index = self.random.randint(0, 9)
        one = self.give(server, ELEMENTS[parent.interface], f"{parent.label}[{index}]")
        server.script.call(parent.interface, 8, lambda stub: stub.variant("VT_I4", index),
                           lambda stub: stub.interface_pointer(self.reference(server, one)), ipid=parent.ipid)
        self.called(server, parent)
        server.objects.append(one)

    def enumerate(self, server):
        parent = self.any(server, *ELEMENTS)
        if not parent:
            return
        one = self.give(server, "IEnumVARIANT", None)
        one.collection = parent
        server.script.call(parent.interface, 9, None, lambda stub: stub.interface_pointer(self.reference(server, one)), ipid=parent.ipid)
        self.called(server, parent)
        server.objects.append(one)

    def next(self, server):
        one = self.any(server, "IEnumVARIANT")
        if not one:
            return
        hresult = self.random.choice([0, 0, 1, self.random.choice(FAILURES)])
        count = self.random.randint(1, 3)
        of = ELEMENTS[one.collection.interface]
        elements = [self.give(server, of, f"{one.collection.label}[{one.next + at}]") for at in range(count)]

        def answer(stub):
            stub.u32(count + hresult % 2).u32(0).u32(count).raw(bytes([1, 0, 0, 0]) * count)
            for element in elements:
                stub.variant_body("VT_DISPATCH", self.reference(server, element))
            return stub.u32(count)

        server.script.call("IEnumVARIANT", 3, lambda stub: stub.u32(count + hresult % 2), answer, hresult, ipid=one.ipid)
        if hresult < 2:
            one.next += count
            server.objects += elements
        else:
            server.spare += [(element.ipid, element.oid) for element in elements]

    def clone(self, server):
        one = self.any(server, "IEnumVARIANT")
        if not one:
            return
        other = self.give(server, "IEnumVARIANT", None)
        other.collection, other.next = one.collection, one.next
        server.script.call("IEnumVARIANT", 6, None, lambda stub: stub.interface_pointer(self.reference(server, other)), ipid=one.ipid)
        server.objects.append(other)

    def ask(self, server):
        """A call that only reads: of the object that its IPID is now."""
        one = self.any(server, "IDataCollectorSet", "IDataCollectorCollection", "IScheduleCollection", "ISchedule", "IDataCollector")
        if not one:
            return
        opnum, answer = {"IDataCollectorSet": (33, lambda stub: stub.u32(1)), "ISchedule": (7, lambda stub: stub.variant("VT_DATE", 1.0)),
                         "IDataCollector": (19, lambda stub: stub.u32(0))}.get(one.interface, (7, lambda stub: stub.u32(0)))
        server.script.call(one.interface, opnum, None, answer, ipid=one.ipid)
        self.called(server, one)

    def fail(self, server):
        """An answer that fails gives nothing, whatever its bytes are."""
        parent = self.any(server, "IDataCollectorSet")
        if not parent:
            return
        ipid, oid = server.number_of()
        one = Object("IScheduleCollection", "", ipid, oid)
        server.script.call("IDataCollectorSet", 48, None, lambda stub: stub.interface_pointer(self.reference(server, one)),
                           self.random.choice(FAILURES), ipid=parent.ipid)
        self.called(server, parent)
        server.spare.append((ipid, oid))

    def release(self, server):
        one = self.any(server, "ISchedule", "IDataCollector", "IEnumVARIANT", "IScheduleCollection", "IDataCollectorCollection")
        if one and not any(other.collection is one for other in server.objects):
            if self.chance(0.3):
                server.script.add_references(one.ipid, 2)
                one.references += 2
            server.script.release(one.ipid, count=one.references)
            server.objects.remove(one)
            server.spare.append((one.ipid, one.oid))

    def learn_member(self, server):
        one = self.any(server, "IDataCollectorSet")
        if one:
            member, dispid = self.random.choice(MEMBERS), self.random.randint(500, 503)
            hresult = self.random.choice([0, 0, 0x80020006])
            server.script.named(one.ipid, member, dispid, hresult, interface="IDataCollectorSet")
            self.called(server, one)
            if not hresult:
                server.members[dispid] = member

    def call_member(self, server):
        one = self.any(server, "IDataCollectorSet")
        if one and server.members:
            dispid = self.random.choice(list(server.members))
            server.script.invoke(one.ipid, dispid, flags=2, interface="IDataCollectorSet")
            self.called(server, one, server.members[dispid])


def wrong_calls(world, rows):
    """Requests in order with the address they go to, the object, the member by a number; those of enumerators are not compared."""
    found = [(address[0], (label or [None])[0], (member or [None])[0]) for address, label, member, interface in rows if interface[0] != "IEnumVARIANT"]
    return [(at, said, true) for at, (said, true) in enumerate(zip(found, world.truth, strict=True))
            if said[0] != true[0] or said[2] != true[2] or (said[1] or (true[3] and true[1]) or "").split(' "')[0] != true[1]]


@pytest.mark.parametrize("seed", range(12))
def test_random_objects_are_named_as_their_world_names_them(tshark, tmp_path, seed):
    world = World(seed)
    path = world.servers[0].script.capture.write(tmp_path / "random.pcap")
    for options in ((), ("-2",)):
        rows = tshark.fields(path, "ip.dst", "pla.object", "pla.member", "pla.interface", display_filter="pla && dcerpc.pkt_type == 0", options=options)
        assert wrong_calls(world, some(rows)) == []
