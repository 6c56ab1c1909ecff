# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA]: which object a call is made to, where it lives, how long its IPIDs are its own, and what a server calls its members."""

import itertools
import random
import uuid

import pytest

from lib.orpc import Stub, objref
from lib.pla import IID, OBJECT_EXPORTER, REMOTE_UNKNOWN, REMOTE_UNKNOWN_2, SETS_CLASS, Calls, Script, dispatch
from lib.tables import table_rows

SET, OTHER_SET, COLLECTORS, COLLECTOR, SCHEDULES, ENUMERATOR, CLONE = (uuid.UUID(int=0xA000 + number) for number in range(7))
BOTH_PASSES = pytest.mark.parametrize("options", [(), ("-2",)], ids=["one-pass", "two-pass"])
BOTH_ORDERS = pytest.mark.parametrize("big_endian", [False, True], ids=["little-endian", "big-endian"])
REQUESTS = "pla && dcerpc.pkt_type == 0"
RUNNING, STOPPED = 1, 0
DENIED, EXCEPTION = 0x80070005, 0x80020009


def second_server(first, **options):
    return type(first)(other=first, port=49301, server=bytes([10, 0, 0, 9]), **options)


def query(calls, name, ipid=SET, hresult=0):
    return calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr(name).bstr(None), None, hresult, ipid=ipid)


def status(calls, value, hresult=0, ipid=SET):
    return calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(value), hresult, ipid=ipid)


def count(calls, interface="IDataCollectorCollection", ipid=COLLECTORS):
    return calls.call(interface, 7, None, lambda stub: stub.u32(0), ipid=ipid)


def returned(calls, opnum, interface, ipid, oid, of=SET, **options):
    return calls.call("IDataCollectorSet", opnum, None,
                      lambda stub: stub.interface_pointer(objref(IID[interface], ipid, oid=oid, **options)), ipid=of)


def sets(tshark, calls, tmp_path, options=()):
    return table_rows(tshark.run(calls.capture.write(tmp_path / "sets.pcap"), "-q", "-z", "pla,sets", *options))


def shown(tshark, calls, tmp_path, field, options=(), display_filter=REQUESTS):
    path = calls.capture.write(tmp_path / "objects.pcap")
    rows = tshark.fields(path, field, display_filter=display_filter, options=options)
    return [row[0][0] if row[0] else None for row in rows]


# Answers that failed


@BOTH_PASSES
@BOTH_ORDERS
@pytest.mark.parametrize("answers, last", [
    ([(RUNNING, 0), (STOPPED, DENIED)], "Running"),
    ([(STOPPED, DENIED)], ""),
    ([(STOPPED, DENIED), (RUNNING, 0), (3, 0x80300002), (STOPPED, DENIED)], "Running"),
    ([(RUNNING, 0), (STOPPED, 0)], "Stopped"),
])  # fmt: skip
def test_the_status_of_an_answer_that_failed(tshark, tmp_path, answers, last, big_endian, options):
    """3.2.4.1.25: what stands before the code of a failure means nothing."""
    calls = query(Calls(big_endian=big_endian), "Set1")
    for value, hresult in answers:
        status(calls, value, hresult)
    assert [(row[0], row[4]) for row in sets(tshark, calls, tmp_path, options)] == [("Set1", last)]


@BOTH_PASSES
def test_the_status_of_a_script_that_failed(tshark, tmp_path, options):
    script = query(Script(), "Set1")
    script.named(SET, "Status", 33)
    for value, hresult in (RUNNING, 0), (STOPPED, EXCEPTION):
        script.invoke(SET, 33, kind="VT_I4", value=value, flags=2, hresult=hresult)
    assert [row[4] for row in sets(tshark, script, tmp_path, options)] == ["Running"]


# Where an object lives


def activated(how, address, big_endian):
    """An activation at 10.0.0.2 of an object that lives at 10.0.0.9, port 49301."""
    client = Script(port=135, big_endian=big_endian)
    reference = objref(IID["IDispatch"], SET, oid=70, address=address)
    if how == "RemoteActivation":
        client.activate_as_before(SETS_CLASS, reference, ["SERVER9[49301]", "10.0.0.9[49301]"])
    else:
        client.activate(SETS_CLASS, reference)
    return client, second_server(client, big_endian=big_endian)


@BOTH_PASSES
@BOTH_ORDERS
@pytest.mark.parametrize("how, address", [
    ("RemoteCreateInstance", "10.0.0.9[49301]"), ("RemoteCreateInstance", "10.0.0.9"), ("RemoteCreateInstance", "10.0.0.9[135]"),
    ("RemoteCreateInstance", "SERVER9[49301]"), ("RemoteCreateInstance", ["SERVER9", "fd00::9", "10.0.0.9"]),
    ("RemoteActivation", "10.0.0.9[49301]"), ("RemoteActivation", "SERVER9"),
])  # fmt: skip
def test_an_activation_through_another_machine(tshark, tmp_path, how, address, big_endian, options):
    """[MS-DCOM] 2.2.18.4, 2.2.19.3: bindings say where the object is called, whoever gave it."""
    client, server = activated(how, address, big_endian)
    server.named(SET, "Query", 60)
    server.invoke(SET, 60, [("VT_BSTR", None), ("VT_BSTR", "Set1")])
    server.query_interface(SET, [IID["IDataCollectorSet"]], [(0, 70, OTHER_SET)])
    status(server, RUNNING, ipid=OTHER_SET)
    assert sets(tshark, server, tmp_path, options) == [["Set1", "10.0.0.9", "3", "0", "Running", ""]]
    output = tshark.run(server.capture.write(tmp_path / "sessions.pcap"), "-q", "-z", "perflibv2,sessions", *options)
    assert "no call followed" not in output and "works" in output
    findings = tshark.run(tmp_path / "sessions.pcap", "-q", "-z", "perflib,findings", *options)
    assert "10.0.0.1 calls 2 servers: nothing is wrong." in findings


@BOTH_PASSES
def test_another_machine_than_the_binding_says(tshark, tmp_path, options):
    """An IPID is its server's: the same one elsewhere is nobody's that is known. Behind an address translation the object is where it was given."""
    client, server = activated("RemoteCreateInstance", "10.0.0.9[49301]", False)
    for port, last in (49302, 8), (49303, 2):
        Script(other=client, port=port, server=bytes([10, 0, 0, last])).named(SET, "Query", 60)
    assert shown(tshark, server, tmp_path, "ip.dst", options) == ["10.0.0.2"]


@BOTH_PASSES
def test_two_machines_by_name(tshark, tmp_path, options):
    """A name says nothing of an address: what one machine gives is no object of another's, though port, IPID and OID are alike."""
    first = Script()
    second = Script(other=first, server=bytes([10, 0, 0, 3]))
    for server, name in (first, "SERVER2"), (second, "SERVER3"):
        query(server, name)
        returned(server, 7, "IDataCollectorCollection", COLLECTORS, 82, address=f"{name}[49200]")
    for server in first, second:
        count(server)
    assert shown(tshark, first, tmp_path, "pla.object", options)[-2:] == ["SERVER2.DataCollectors", "SERVER3.DataCollectors"]


@BOTH_PASSES
def test_an_answer_gives_an_object_of_another_machine(tshark, tmp_path, options):
    first = query(Calls(), "Set1")
    second = second_server(first)
    returned(first, 7, "IDataCollectorCollection", COLLECTORS, 82, address="10.0.0.9[49301]")
    count(second)
    assert shown(tshark, second, tmp_path, "pla.object", options)[-1] == "Set1.DataCollectors"


class Resolver(Script):
    others = [*Script.others, OBJECT_EXPORTER]


@BOTH_PASSES
@BOTH_ORDERS
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("opnum", [0, 4], ids=["ResolveOxid", "ResolveOxid2"])
@pytest.mark.parametrize("status, oxid, expected", [(0, 11, "Set1.DataCollectors"), (0, 12, None), (1702, 11, None)], ids=["found", "other", "failed"])
def test_where_an_exporter_is(tshark, tmp_path, status, oxid, expected, opnum, when, big_endian, options):
    """[MS-DCOM] 3.1.2.5.1: an OBJREF has a name only, and the machine's resolver says where its objects are called."""
    first = query(Script(big_endian=big_endian), "Set1")
    server = second_server(first, big_endian=big_endian)
    resolver = Resolver(other=first, port=135, server=server.server, big_endian=big_endian)
    steps = [lambda: returned(first, 7, "IDataCollectorCollection", COLLECTORS, 82, oxid=11, address="SERVER9"),
             lambda: resolver.resolve(oxid, ["SERVER9[49301]", "10.0.0.9[49301]"], opnum, status)]
    for step in steps if when == "after" else reversed(steps):
        step()
    count(server)
    assert shown(tshark, server, tmp_path, "pla.object", options)[-1] == expected


STATUS, PUT_DURATION = 33, 9     # IDataCollectorSet


def without_bind(calls):
    begin = len(calls.capture.packets)
    calls.capture.bind(sorted(set(IID.values())), port=calls.port, big_endian=calls.big_endian)
    del calls.capture.packets[begin:]
    calls.bound = set(IID)
    return calls


@BOTH_PASSES
@BOTH_ORDERS
@pytest.mark.parametrize("opnum, answer", [
    (STATUS, None),                                         # as it should be
    (STATUS, lambda stub: stub.u32(0x12345678)),            # an HRESULT whose reserved bits are set, and no status
    (STATUS, lambda stub: stub.u32(0)),                     # no room for the status
    (PUT_DURATION, lambda stub: stub.u32(0).u32(0).u32(0).u32(0)),  # more than the HRESULT
], ids=["fits", "code", "short", "long"])
def test_an_answer_that_no_object_of_ours_has(tshark, tmp_path, opnum, answer, big_endian, options):
    """The IPID was given, but the bind of the context is not in the capture: an answer of another shape is another interface's."""
    first = query(Calls(big_endian), "Set1")
    returned(first, 7, "IDataCollectorCollection", COLLECTORS, 82, address="10.0.0.9[49301]")
    returned(first, 7, "IDataCollectorSet", OTHER_SET, 83, address="10.0.0.9[49301]")
    server = without_bind(second_server(first, big_endian=big_endian))
    asked = (lambda stub: stub.u32(60)) if opnum == PUT_DURATION else None
    raw = answer(Stub(big_endian).orpcthat()).bytes() if answer else None
    server.call("IDataCollectorSet", opnum, asked, lambda stub: stub.u32(RUNNING), ipid=OTHER_SET, raw=raw)
    frames = tshark.fields(server.capture.write(tmp_path / "shape.pcap"), "pla.opnum", options=options, display_filter="pla && ip.addr == 10.0.0.9")
    assert len(frames) == (2 if answer is None else 0 if options else 1)


@BOTH_PASSES
def test_a_request_that_no_object_of_ours_gets(tshark, tmp_path, options):
    """A call of the IPID through an interface with parameters, where ours has none."""
    first = query(Calls(), "Set1")
    returned(first, 7, "IDataCollectorSet", OTHER_SET, 83, address="10.0.0.9[49301]")
    server = without_bind(second_server(first))
    server.call("IDataCollectorSet", STATUS, lambda stub: stub.u32(1).u32(2).u32(3), lambda stub: stub.u32(RUNNING), ipid=OTHER_SET)
    assert tshark.fields(server.capture.write(tmp_path / "asked.pcap"), "pla.opnum", options=options, display_filter="pla && ip.addr == 10.0.0.9") == []


@BOTH_PASSES
def test_calls_to_other_interfaces_are_calls(tshark, tmp_path, options):
    """Interfaces of [MS-PLA] are bound, and none of them is called: that is no silence, and nothing is wrong."""
    script = Script()
    script.named(COLLECTOR, "Open", 3)
    path = script.capture.write(tmp_path / "others.pcap")
    output = tshark.run(path, "-q", "-z", "perflibv2,sessions", *options)
    assert "bound, but only other interfaces were called" in output and "no call followed" not in output


# Members and arguments by number


@BOTH_PASSES
@BOTH_ORDERS
@pytest.mark.parametrize("interface", ["IDispatch", "IDataCollectorSet"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first", "second"])
def test_members_of_two_servers(tshark, tmp_path, order, interface, big_endian, options):
    """[MS-OAUT] 3.1.4.3: each server gives its own numbers, whichever was asked last."""
    first = Script(big_endian=big_endian)
    servers = [first, second_server(first, big_endian=big_endian)]
    members = ["Duration", "SegmentMaxDuration"]
    for server in servers:
        query(server, "Set")
    for number in order:
        servers[number].named(SET, members[number], 5, interface=interface)
    for server in servers:
        server.invoke(SET, 5, [("VT_I4", 60)], flags=4, named=(-3,), interface=interface)
    assert shown(tshark, first, tmp_path, "pla.member", options, REQUESTS + " && pla.opnum == 6") == members


@BOTH_PASSES
def test_members_of_a_server_nobody_asked(tshark, tmp_path, options):
    """What another machine says of a number is no knowledge; what another port of the machine says is, unless two differ."""
    first = Script()
    second, third = second_server(first), Script(other=first, port=49302)
    for server in first, second, third:
        query(server, "Set")
    first.named(SET, "Duration", 5)
    for server in second, third:
        server.invoke(SET, 5, [("VT_I4", 60)])
    Script(other=first, port=49303).named(SET, "nothing", 6, hresult=0x80020006)
    query(fourth := Script(other=first, port=49304), "Set")
    fourth.named(SET, "Serial", 5)
    third.invoke(SET, 5, [("VT_I4", 60)])
    assert shown(tshark, first, tmp_path, "pla.member", options, REQUESTS + " && pla.opnum == 6") == [None, "Duration", None]


@BOTH_PASSES
def test_members_change_with_time(tshark, tmp_path, options):
    script = query(Script(), "Set")
    for member in "Duration", "Serial", "Duration", "duration", "Status":
        script.named(SET, member, 5)
        script.invoke(SET, 5, flags=2)
        script.named(SET, "Other", 5, hresult=0x80020006)
        script.invoke(SET, 5, flags=2)
    expected = [member for member in ("Duration", "Serial", "Duration", "duration", "Status") for _ in range(2)]
    assert shown(tshark, script, tmp_path, "pla.member", options, REQUESTS + " && pla.opnum == 6") == expected


COMMIT = {"name": ("VT_BSTR", "Named set"), "server": ("VT_BSTR", "WEB01"), "mode": ("VT_I4", 3)}
PLACES = ["name", "server", "mode"]
# As many as are named stand first, in any order; the others follow, the last one first: [MS-OAUT] 2.2.33.
FORMS = [(order, [name for name in reversed(PLACES) if name not in order]) for number in range(4)
         for order in itertools.permutations(PLACES, number) if set(order) == set(PLACES[3 - number:])]  # fmt: skip


@pytest.mark.parametrize("numbers", [None, (0, 1, 2), (71, 70, 0)], ids=["not asked", "in order", "the server's own"])
@BOTH_ORDERS
def test_arguments_by_name_are_found_in_any_order(tshark, tmp_path, numbers, big_endian):
    """Whatever is named, in whatever order: the set's name is the argument "name", and a mode that only validates gives none."""
    first, servers = None, 0
    expected = []
    for (order, others), mode in itertools.product(FORMS, (3, 0x1001)):
        script = Script(big_endian=big_endian, other=first, port=49400 + servers)
        first, servers = first or script, servers + 1
        asked = [name.capitalize() for name in order]
        if numbers is None:
            script.named(SET, "Commit", 10, interface="IDataCollectorSet")
        else:
            script.named(SET, "Commit", 10, arguments=asked, dispids=[numbers[PLACES.index(name)] for name in order], interface="IDataCollectorSet")
        values = dict(COMMIT, mode=("VT_I4", mode), name=("VT_BSTR", f"Set {servers}"))
        named = [(numbers or (0, 1, 2))[PLACES.index(name)] for name in order]
        script.invoke(SET, 10, [values[name] for name in (*order, *others)], named=named, interface="IDataCollectorSet")
        expected.append(f"Set {servers}" if mode == 3 else "(name not in the capture)")
    assert len(FORMS) == 1 + 1 + 2 + 6
    assert [row[0] for row in sets(tshark, first, tmp_path)] == expected


@BOTH_PASSES
def test_argument_without_a_number_is_not_number_zero(tshark, tmp_path, options):
    """The server numbers the mode and not its own name, so argument 0 is the first of the IDL, the set's name."""
    script = Script()
    script.named(SET, "Commit", 10, arguments=["Mode", "Server"], dispids=[2], interface="IDataCollectorSet")
    values = dict(COMMIT, mode=("VT_I4", 3), name=("VT_BSTR", "Set1"))
    script.invoke(SET, 10, [values[name] for name in PLACES], named=(0, 1, 2), interface="IDataCollectorSet")
    assert [row[0] for row in sets(tshark, script, tmp_path, options)] == ["Set1"]


@BOTH_PASSES
def test_arguments_by_reference_are_found_by_index(tshark, tmp_path, options):
    """[MS-OAUT] 3.1.4.4: rgVarRef holds those whose indices rgVarRefIdx has."""
    script = Script()
    script.named(SET, "Commit", 10, interface="IDataCollectorSet")
    script.invoke(SET, 10, [("VT_EMPTY",), ("VT_BSTR", "WEB01"), ("VT_EMPTY",)], interface="IDataCollectorSet",
                  references={2: ("VT_BSTR", "Set1", None, True), 0: ("VT_I4", 3, None, True)})
    assert [row[0] for row in sets(tshark, script, tmp_path, options)] == ["Set1"]


@BOTH_PASSES
def test_items_and_names_by_name(tshark, tmp_path, options):
    script = query(Script(), "Set1")
    returned(script, 7, "IDataCollectorCollection", COLLECTORS, 82)
    script.named(COLLECTORS, "Item", 0, arguments=["index"], dispids=[9], interface="IDataCollectorCollection")
    script.invoke(COLLECTORS, 0, [("VT_I4", 4)], "VT_DISPATCH", dispatch(COLLECTOR, 83), 2, named=(9,), interface="IDataCollectorCollection")
    script.named(COLLECTOR, "Name", 3)
    script.invoke(COLLECTOR, 3, [("VT_BSTR", "CPU")], flags=4, named=(-3,))
    script.invoke(COLLECTOR, 3, flags=2)
    assert shown(tshark, script, tmp_path, "pla.object", options)[-1] == 'Set1.DataCollectors[4] "CPU"'


# How long an IPID is an object's


@BOTH_PASSES
@BOTH_ORDERS
@pytest.mark.parametrize("released, is_other", [
    ([], False), ([{}], True), ([{"iid": REMOTE_UNKNOWN_2}], True), ([{"count": 4}], False), ([{"count": 4}, {"count": 1}], True),
    ([{"hresult": DENIED}], False), ([{"hresult": None}], False),
])  # fmt: skip
def test_an_ipid_that_is_given_again(tshark, tmp_path, released, is_other, big_endian, options):
    """[MS-DCOM] 3.1.1.5.6.1.3: once all references are back the object is gone, and IPID and OID may be another's."""
    script = query(Script(big_endian=big_endian), "Set1")
    returned(script, 7, "IDataCollectorCollection", COLLECTORS, 82)
    count(script)
    for release in released:
        script.release(COLLECTORS, **release)
    query(script, "Set2", OTHER_SET)
    returned(script, 7, "IDataCollectorCollection", COLLECTORS, 82, of=OTHER_SET)
    count(script)
    assert shown(tshark, script, tmp_path, "pla.object", options)[-1] == ("Set2" if is_other else "Set1") + ".DataCollectors"


@BOTH_PASSES
def test_references_are_counted(tshark, tmp_path, options):
    """Five with each OBJREF, and those of RemAddRef; several IPIDs are released at once."""
    script = query(Script(), "Set1")
    query(script, "Set2", OTHER_SET)
    expected = []
    for others, back, is_other in ((0, 5, True), (3, 5, False), (3, 8, True)):
        returned(script, 7, "IDataCollectorCollection", COLLECTORS, 82)
        if others:
            script.add_references(COLLECTORS, others)
        script.release(SCHEDULES, COLLECTORS, count=back)
        returned(script, 7, "IDataCollectorCollection", COLLECTORS, 82, of=OTHER_SET)
        count(script)
        expected.append(("Set2" if is_other else "Set1") + ".DataCollectors")
        script.release(COLLECTORS, count=20)
    labels = shown(tshark, script, tmp_path, "pla.object", options, REQUESTS + " && pla.opnum == 7 && pla.interface == IDataCollectorCollection")
    assert labels == expected


@BOTH_PASSES
def test_an_ipid_of_a_released_set(tshark, tmp_path, options):
    """Its references began before the capture: given again it is another set; only called, it may be the same."""
    script = query(Script(), "Set1")
    script.release(SET)
    status(script, RUNNING)
    script.release(SET)
    script.activate(SETS_CLASS, dispatch(SET, 70))
    script.named(SET, "Query", 60)
    assert [row[:3] for row in sets(tshark, script, tmp_path, options)] == [["Set1", "10.0.0.2", "2"], ["(name not in the capture)", "10.0.0.2", "1"]]


@BOTH_PASSES
def test_an_ipid_that_is_called_as_another_interface(tshark, tmp_path, options):
    """An IPID is one interface of one object; what it was called before stays for calls of that interface."""
    calls = query(Calls(), "Set1")
    returned(calls, 7, "IDataCollectorCollection", COLLECTORS, 82)
    for interface in "IDataCollectorCollection", "IScheduleCollection", "IDataCollectorCollection":
        count(calls, interface)
    calls.call("IDataManager", 7, None, lambda stub: stub.u16(0), ipid=SET)
    status(calls, RUNNING)
    assert shown(tshark, calls, tmp_path, "pla.object", options)[-5:] == [
        "Set1.DataCollectors", None, "Set1.DataCollectors", None, "Set1"]


# Enumerators


def next_of(calls, numbers, ipid=ENUMERATOR, hresult=0):
    """Next, [MS-OAUT] 3.3.4.1: elements by number, each an object of its own."""
    def elements(stub):
        stub.u32(len(numbers)).u32(0).u32(len(numbers)).raw(bytes([1, 0, 0, 0]) * len(numbers))
        for number in numbers:
            stub.variant_body("VT_DISPATCH", objref(IID["ISchedule"], schedule(number), oid=500 + number))
        return stub.u32(len(numbers))

    calls.call("IEnumVARIANT", 3, lambda stub: stub.u32(len(numbers)), elements, hresult, ipid=ipid)


def schedule(number):
    return uuid.UUID(int=0xB000 + number)


def enumerated(**options):
    calls = query(Calls(**options), "Set1")
    returned(calls, 48, "IScheduleCollection", SCHEDULES, 61)
    calls.call("IScheduleCollection", 9, None,
               lambda stub: stub.interface_pointer(objref(IID["IEnumVARIANT"], ENUMERATOR, oid=62)), ipid=SCHEDULES)
    return calls


def labels_of(tshark, calls, tmp_path, numbers, options):
    for number in numbers:
        calls.call("ISchedule", 7, None, lambda stub: stub.variant("VT_DATE", 1.0), ipid=schedule(number))
    return shown(tshark, calls, tmp_path, "pla.object", options, REQUESTS + " && pla.interface == ISchedule")


@BOTH_PASSES
@BOTH_ORDERS
def test_elements_are_told_apart(tshark, tmp_path, big_endian, options):
    """By their index, from 0 (3.2.4.14.2), however the enumerator comes there."""
    calls = enumerated(big_endian=big_endian)
    next_of(calls, [0, 1, 2])
    next_of(calls, [9], hresult=DENIED)
    next_of(calls, [3])
    calls.call("IEnumVARIANT", 4, lambda stub: stub.u32(2), ipid=ENUMERATOR)
    next_of(calls, [6], hresult=1)
    calls.call("IEnumVARIANT", 5, ipid=ENUMERATOR)
    calls.call("IEnumVARIANT", 4, lambda stub: stub.u32(4), ipid=ENUMERATOR)
    next_of(calls, [4, 5])
    assert labels_of(tshark, calls, tmp_path, range(7), options) == [f"Set1.Schedules[{number}]" for number in range(7)]


@BOTH_PASSES
@BOTH_ORDERS
def test_elements_of_a_clone(tshark, tmp_path, big_endian, options):
    """It begins where the first one is, and belongs to the collection."""
    calls = enumerated(big_endian=big_endian)
    next_of(calls, [0])
    calls.call("IEnumVARIANT", 6, None, lambda stub: stub.interface_pointer(objref(IID["IEnumVARIANT"], CLONE, oid=64)), ipid=ENUMERATOR)
    next_of(calls, [1, 2], CLONE)
    next_of(calls, [1], ENUMERATOR)
    next_of(calls, [3], CLONE)
    assert labels_of(tshark, calls, tmp_path, range(4), options) == [f"Set1.Schedules[{number}]" for number in range(4)]
    assert shown(tshark, calls, tmp_path, "pla.object", options, "pla.enumerator && dcerpc.pkt_type == 0")[-1] == "Set1.Schedules._NewEnum"


@BOTH_PASSES
def test_elements_after_an_answer_that_is_missing(tshark, tmp_path, options):
    """Where the enumerator is nobody knows, but what comes after what."""
    calls = enumerated()
    calls.exchange(IID["IEnumVARIANT"], 3, Stub().orpcthis().u32(5).bytes(), None, ENUMERATOR)
    next_of(calls, [7, 8])
    assert labels_of(tshark, calls, tmp_path, (7, 8), options) == ["Set1.Schedules[?]", "Set1.Schedules[?+1]"]


# Random sessions whose truth is known


class World:
    """Two servers with sets whose names, statuses and objects are known at every moment."""

    MEMBERS = ["Duration", "Serial", "Status", "SegmentMaxDuration"]

    def __init__(self, seed, big_endian):
        self.random = random.Random(seed)
        first = Script(big_endian=big_endian)
        self.servers = [first, second_server(first, big_endian=big_endian)]
        self.names = [{}, {}]  # by IPID: of sets
        self.collections = [{}, {}]  # by IPID: the set's IPID; None: released
        self.members = [{}, {}]
        self.status, self.expected, self.told, self.serial = {}, [], [], 0

    def step(self):
        where = self.random.randrange(2)
        self.server, self.sets, self.known = self.servers[where], self.names[where], self.collections[where]
        self.where = where
        self.failed = self.random.random() < 0.2
        self.random.choice([self.name, self.name, self.read_status, self.collectors, self.count, self.release, self.learn, self.use])()

    def hresult(self):
        return DENIED if self.failed else 0

    def some_set(self):
        ipid = uuid.UUID(int=0xC000 + self.random.randrange(3))
        if ipid not in self.sets:
            self.serial += 1
            query(self.server, f"Set {self.serial}", ipid)
            self.sets[ipid] = f"Set {self.serial}"
            self.expected.append(self.sets[ipid])
        return ipid

    def request(self, label):
        self.expected.append(label)

    def name(self):
        ipid = self.some_set()
        self.serial += 1
        self.server.call("IDataCollectorSet", 60, lambda stub: stub.bstr(f"Set {self.serial}").bstr(None).u32(3),
                         lambda stub: stub.interface_pointer(None), self.hresult(), ipid=ipid)
        self.request(self.sets[ipid])
        if not self.failed:
            self.sets[ipid] = f"Set {self.serial}"

    def read_status(self):
        ipid = self.some_set()
        value = self.random.randrange(4)
        status(self.server, value, self.hresult(), ipid)
        self.request(self.sets[ipid])
        if not self.failed:
            self.status[self.where, self.sets[ipid]] = ["Stopped", "Running", "Compiling", "Pending"][value]

    def collectors(self):
        """The same few IPIDs and OIDs are given again and again."""
        owner, ipid = self.some_set(), uuid.UUID(int=0xD000 + self.random.randrange(2))
        if self.known.get(ipid) not in (None, owner):
            return
        self.server.call("IDataCollectorSet", 7, None, lambda stub: stub.interface_pointer(
            objref(IID["IDataCollectorCollection"], ipid, oid=ipid.int, address=f"{'10.0.0.9' if self.where else '10.0.0.2'}[{self.server.port}]")),
            self.hresult(), ipid=owner)
        self.request(self.sets[owner])
        if not self.failed:
            self.known[ipid] = owner

    def live(self):
        return [ipid for ipid, owner in self.known.items() if owner is not None]

    def count(self):
        for ipid in self.live()[:1]:
            count(self.server, ipid=ipid)
            self.request(f"{self.sets[self.known[ipid]]}.DataCollectors")

    def release(self):
        for ipid in self.live()[-1:]:
            self.server.release(ipid, count=1000, hresult=self.hresult())
            if not self.failed:
                self.known[ipid] = None

    def learn(self):
        ipid, member, number = self.some_set(), self.random.choice(self.MEMBERS), self.random.randrange(40, 43)
        self.server.named(ipid, member, number, self.hresult(), interface="IDataCollectorSet")
        self.request(self.sets[ipid])
        if not self.failed:
            self.members[self.where][number] = member

    def use(self):
        ipid, number = self.some_set(), self.random.randrange(40, 43)
        self.server.invoke(ipid, number, kind="VT_EMPTY", flags=2, hresult=self.hresult(), interface="IDataCollectorSet")
        self.request(self.sets[ipid])
        self.told.append(self.members[self.where].get(number))


@pytest.mark.parametrize("seed", range(8))
def test_random_sessions_name_objects_as_they_were_named_then(tshark, tmp_path, seed):
    """Every call is said to be made to what it is made to, under the name that it had then; so are members, and the last status."""
    world = World(seed, big_endian=seed % 2 == 1)
    for _ in range(150):
        world.step()
    path = world.servers[0].capture.write(tmp_path / "random.pcap")
    two_pass = ["-2"] if seed % 4 > 1 else []
    rows = tshark.fields(path, "pla.object", "pla.member", "pla.opnum", display_filter=REQUESTS, options=two_pass)
    labels = [row[0][0] if row[0] else None for row in rows]
    # A set has no name before the answer to the call that gives it; in the second pass the first one counts back.
    first_names = {number for number, (label, expected) in enumerate(zip(labels, world.expected)) if label is None}
    assert len(labels) == len(world.expected)
    assert [label for number, label in enumerate(labels) if number not in first_names] == [
        label for number, label in enumerate(world.expected) if number not in first_names]
    assert len(first_names) == (0 if two_pass else sum(len(names) for names in world.names))
    assert [row[1][0] if row[1] else None for row in rows if row[2] == ["6"]] == world.told
    table = {(row[1] == "10.0.0.9", row[0]): row[4] for row in table_rows(tshark.run(path, "-q", "-z", "pla,sets", *two_pass))}
    for where, names in enumerate(world.names):
        for name in names.values():
            assert (where == 1, name) in table
    assert {key: value for key, value in table.items() if value} == {
        (where == 1, name): value for (where, name), value in world.status.items()}
