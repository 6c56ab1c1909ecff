# SPDX-License-Identifier: GPL-2.0-or-later
"""IPIDs and OIDs are a server's own: the same numbers on two servers are two objects."""

import uuid

import pytest

from lib.orpc import objref, objref_of
from lib.pla import IID, Calls

SET, COLLECTIONS, COLLECTORS = (uuid.UUID(int=0x1000 + number) for number in range(3))
BOTH_PASSES = pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])


def name(calls, text):
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.bstr(text), ipid=SET)


def returned(calls, interface, opnum, ipid, oid):
    """A method of the set that returns an object."""
    calls.call("IDataCollectorSet", opnum, None, lambda stub: stub.interface_pointer(objref(IID[interface], ipid, oid=oid)), ipid=SET)


def count(calls, ipid):
    calls.call("IDataCollectorCollection", 7, None, lambda stub: stub.u32(1), ipid=ipid)


def labels(first, tshark, tmp_path, two_pass):
    """What each request is said to be made to."""
    path = first.capture.write(tmp_path / "servers.pcap")
    rows = tshark.fields(path, "pla.object", display_filter="pla && dcerpc.pkt_type == 0", options=["-2"] if two_pass else [])
    return [row[0][0] if row[0] else None for row in rows]


@BOTH_PASSES
def test_two_servers_name_their_own_objects(tshark, tmp_path, two_pass):
    """One IPID for the sets of both, one for what they return, and one OID: each is called what its own server says."""
    one = Calls()
    two = Calls(other=one, port=49201, server=bytes([10, 0, 0, 3]))
    for calls, text in (one, "One"), (two, "Two"):
        name(calls, text)
        returned(calls, "IDataCollectorCollection", 7, COLLECTORS, 77)
    for calls in one, two, one:
        count(calls, COLLECTORS)
    assert labels(one, tshark, tmp_path, two_pass)[-3:] == ["One.DataCollectors", "Two.DataCollectors", "One.DataCollectors"]


@BOTH_PASSES
def test_one_object_by_two_interfaces(tshark, tmp_path, two_pass):
    """Another IPID of an OID that is known is the same object, on that server and on no other."""
    one = Calls()
    two = Calls(other=one, port=49201, server=bytes([10, 0, 0, 3]))
    name(one, "One")
    returned(one, "IDataCollectorCollection", 7, COLLECTORS, 77)
    returned(one, "IDataCollectorCollection", 7, COLLECTIONS, 77)
    name(two, "Two")
    returned(two, "IDataCollectorCollection", 7, COLLECTORS, 78)
    count(one, COLLECTIONS)
    count(two, COLLECTIONS)
    count(two, COLLECTORS)
    first, unknown, second = labels(one, tshark, tmp_path, two_pass)[-3:]
    assert (first, second) == ("One.DataCollectors", "Two.DataCollectors")
    assert unknown is None or "One" not in unknown and "Two" not in unknown


@BOTH_PASSES
def test_one_ipid_and_one_oid_on_many_servers(tshark, tmp_path, two_pass):
    """All of them at once: whichever of them share a place in some table, each has its own name."""
    first = Calls()
    servers = [first, *(Calls(other=first, port=49201 + number, server=bytes([10, 0, 1, number])) for number in range(40))]
    for number, calls in enumerate(servers):
        name(calls, f"Set {number}")
        returned(calls, "IDataCollectorCollection", 7, COLLECTORS, 77)
    for calls in servers:
        calls.call("IDataCollectorSet", 9, lambda stub: stub.u32(5), ipid=SET)
    for calls in servers:
        count(calls, COLLECTORS)
    expected = [f"Set {number}{part}" for part in ("", ".DataCollectors") for number in range(len(servers))]
    assert labels(first, tshark, tmp_path, two_pass)[2 * len(servers):] == expected


@BOTH_PASSES
def test_a_reference_without_an_ipid(tshark, tmp_path, two_pass):
    """Of an OBJREF_CUSTOM, [MS-DCOM] 2.2.18.6, no OID is known, and 0 is one like any other."""
    calls = Calls()
    name(calls, "One")
    custom = objref_of(4, IID["IDataCollectorCollection"], uuid.UUID(int=1).bytes_le + bytes(8))
    calls.call("IDataCollectorSet", 7, None, lambda stub: stub.interface_pointer(custom).align(4), ipid=SET)
    returned(calls, "IScheduleCollection", 48, COLLECTIONS, 0)
    calls.call("IScheduleCollection", 7, None, lambda stub: stub.u32(1), ipid=COLLECTIONS)
    assert labels(calls, tshark, tmp_path, two_pass)[-1] == "One.Schedules"


@BOTH_PASSES
def test_a_name_without_a_set(tshark, tmp_path, two_pass):
    """A collector whose beginning the capture lacks has a name of its own, and stands in no set."""
    calls = Calls()
    for _ in range(2):
        calls.call("IDataCollector", 24, None, lambda stub: stub.bstr("Log"), ipid=COLLECTORS)
    assert labels(calls, tshark, tmp_path, two_pass)[1] == '"Log"'
