# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA] as scripts use it, under IDispatch ([MS-OAUT] 3.1.4), and what DCOM's own calls tell of the objects."""

import ipaddress
import re
import struct
import uuid

import pytest

from lib.orpc import Capture
from lib.pla import ACTIVATOR, IID, INTERFACES, SETS_CLASS, Script, dispatch

SET, COLLECTORS, COLLECTOR, OTHER_SET, FOREIGN = (uuid.UUID(int=0x7000 + number) for number in range(5))
QUERY, CREDENTIALS, GET_COLLECTORS, STATUS = 1610743860, 1610743859, 1610743808, 1610743834


def session():
    script = Script()
    script.activate(SETS_CLASS, dispatch(SET, 70))
    script.named(SET, "Query", QUERY)
    script.invoke(SET, QUERY, [("VT_BSTR", "server"), ("VT_BSTR", "Set1")])
    script.named(SET, "SetCredentials", CREDENTIALS)
    script.invoke(SET, CREDENTIALS, [("VT_BSTR", "Passw0rd!"), ("VT_BSTR", "DOM\\user")])
    script.named(SET, "DataCollectors", GET_COLLECTORS)
    script.invoke(SET, GET_COLLECTORS, kind="VT_DISPATCH", value=dispatch(COLLECTORS, 71), flags=2)
    script.invoke(COLLECTORS, 0, [("VT_BSTR", "CPU")], kind="VT_DISPATCH", value=dispatch(COLLECTOR, 72), flags=2)
    script.invoke(COLLECTOR, 5, flags=2)
    return script


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_script_session_names_objects_and_members(tshark, tmp_path, two_pass):
    script = session()
    path = script.capture.write(tmp_path / "script.pcap")
    options = ["-2"] if two_pass else []
    trees = script.trees(tshark, tmp_path, two_pass=two_pass)
    assert len(trees) == 16
    assert [tree.first("pla.interface").show for tree in trees[::2]] == ["IDataCollectorSet"] * 6 + [
        "IDataCollectorCollection", "IDataCollector"]
    assert [tree.first("pla.opnum").show for tree in trees[::2]] == ["5", "6", "5", "6", "5", "6", "6", "6"]
    assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for tree in trees for item in tree.walk())
    members = [(item := tree.first("pla.member")) and item.show for tree in trees[::2]]
    assert members == [None, "Query", None, "SetCredentials", None, "DataCollectors", "Item", None]
    assert trees[4].first("pla.object").show == "Set1"
    assert trees[11].first("pla.reference").show == "Set1.DataCollectors"
    assert trees[13].first("pla.reference").show == 'Set1.DataCollectors["CPU"]'
    assert trees[14].first("pla.object").show == 'Set1.DataCollectors["CPU"]'
    everything = tshark.run(path, "-V", *options) + tshark.run(path, *options)
    assert "hidden" in everything and "Passw0rd!" not in everything
    rows = tshark.fields(path, "_ws.col.Protocol", "_ws.col.Info", display_filter="pla", options=options)
    assert rows[2][0] == ["PLA Set"]
    assert rows[12][1][0].startswith("Invoke request, member=Item") and rows[12][1][0].endswith("[Set1.DataCollectors]")
    packets = tshark.packets(path, *options, display_filter="pla")
    assert not any("Long frame" in item.showname for packet in packets for layer in packet for item in layer.walk())


def test_what_scripts_make_has_the_names_they_give(tshark, tmp_path):
    script = session()
    script.named(COLLECTORS, "CreateDataCollector", 15)
    script.invoke(COLLECTORS, 15, [("VT_I4", 3)], kind="VT_DISPATCH", value=dispatch(OTHER_SET, 75))
    script.named(OTHER_SET, "Name", 24)
    script.invoke(OTHER_SET, 24, [("VT_BSTR", "Full disk")], flags=4)
    script.invoke(OTHER_SET, 24, kind="VT_BSTR", value="Full", flags=2)
    trees = script.trees(tshark, tmp_path)
    assert trees[19].first("pla.reference").show == "Set1.DataCollectors.collector (Alert)"
    assert trees[20].first("pla.interface").show == "IDataCollector"
    assert [trees[number].first("pla.object").show[37:] for number in (22, 23, 25)] == ["", ' "Full disk"', ' "Full"']


def test_default_member_of_who_knows_what(tshark, tmp_path):
    """DISPID_VALUE of an object of which only IDispatch is known has no name."""
    script = Script()
    script.activate(SETS_CLASS, dispatch(SET, 70))
    script.named(SET, "Oddity", 99)
    script.invoke(SET, 99, kind="VT_DISPATCH", value=dispatch(FOREIGN, 76), flags=2)
    script.invoke(FOREIGN, 0, flags=2)
    tree = script.trees(tshark, tmp_path)[4]
    assert tree.first("pla.interface").show == "IDispatch" and not tree.find("pla.member")


def test_a_script_session_is_counted(tshark, tmp_path):
    path = session().capture.write(tmp_path / "script.pcap")
    assert re.search(r"Set1 +\|10\.0\.0\.2 +\| +8 \| +0 \|", tshark.run(path, "-q", "-z", "pla,sets"))


def test_passwords_of_scripts_on_request(tshark, tmp_path):
    path = session().capture.write(tmp_path / "script.pcap")
    assert "Passw0rd!" in tshark.run(path, "-V", "-o", "pla.show_passwords:TRUE")
    # The protocol switched off, Wireshark's own dissection is back.
    output = tshark.run(path, "-V", "--disable-protocol", "pla")
    assert "under IDispatch" not in output and "IDispatch" in output


def test_members_count_for_the_interface(tshark, tmp_path):
    """What a script was told of a set's members holds for the next set, and under the interface's own IID."""
    script = session()
    script.call("IDataCollectorSet", 61, ipid=OTHER_SET)
    script.invoke(OTHER_SET, CREDENTIALS, [("VT_BSTR", "Passw0rd!"), ("VT_BSTR", "u")])
    script.invoke(OTHER_SET, CREDENTIALS, [("VT_BSTR", "Passw0rd!"), ("VT_BSTR", "u")], interface="IDataCollectorSet")
    trees = script.trees(tshark, tmp_path)
    assert [trees[number].first("pla.member").show for number in (18, 20)] == ["SetCredentials"] * 2
    assert "Passw0rd!" not in tshark.run(script.capture.write(tmp_path / "script.pcap"), "-V")


def test_credentials_in_a_capture_that_began_too_late(tshark, tmp_path):
    """Nothing tells whose object it is, but that it is asked for SetCredentials."""
    script = Script()
    script.named(SET, "setcredentials", CREDENTIALS)
    script.invoke(SET, CREDENTIALS, [("VT_BSTR", "Passw0rd!"), ("VT_BSTR", "u")])
    script.named(None, "SetCredentials", CREDENTIALS)
    path = script.capture.write(tmp_path / "late.pcap")
    assert "Passw0rd!" not in tshark.run(path, "-V")
    assert len(tshark.fields(path, "frame.number", display_filter='pla.interface == "IDispatch"')) == 4


def test_objects_of_others_are_left_alone(tshark, tmp_path):
    """IDispatch is everybody's: only objects that are known to be [MS-PLA]'s are ours."""
    script = session()
    script.named(FOREIGN, "Open", 3)
    script.invoke(FOREIGN, 3, [("VT_I4", 7)])
    path = script.capture.write(tmp_path / "script.pcap")
    assert len(tshark.fields(path, "frame.number", display_filter="pla")) == 16
    assert len(tshark.fields(path, "frame.number", display_filter="dcerpc.opnum == 6 && !pla && dcerpc.pkt_type == 0")) == 1


def test_an_object_of_no_known_interface(tshark, tmp_path):
    """Returned by a call of [MS-PLA]'s, under IDispatch alone: members by object, and what may be a password is hidden."""
    one, other = uuid.UUID(int=0x7100), uuid.UUID(int=0x7101)
    script = Script()
    for number, ipid in enumerate((one, other)):
        script.call("IDataCollectorSet", 48, None, lambda stub, n=number, i=ipid: stub.interface_pointer(dispatch(i, 80 + n)), ipid=SET)
    script.named(one, "Start", 9)
    script.invoke(one, 9, [("VT_BSTR", "open")])
    script.invoke(other, 9, [("VT_BSTR", "maybe")])
    trees = script.trees(tshark, tmp_path)
    assert [trees[number].first("pla.interface").show for number in (4, 6, 8)] == ["IDispatch"] * 3
    assert trees[6].first("pla.member").show == "Start" and trees[6].first("dcom.vt.bstr").show == "open"
    assert not trees[8].find("pla.member") and not trees[8].find("dcom.vt.bstr")


def test_a_failed_lookup_teaches_no_member(tshark, tmp_path):
    script = Script()
    script.call("IDataCollectorSet", 61, ipid=SET)
    script.named(SET, "Nonsense", 5, hresult=0x80020006)
    script.invoke(SET, 5)
    trees = script.trees(tshark, tmp_path)
    assert trees[3].first("pla.hresult").show == "0x80020006"
    assert not trees[4].find("pla.member")


@pytest.mark.parametrize("failed", [False, True], ids=["answered", "failed"])
def test_activation_that_is_not_ours(tshark, tmp_path, failed):
    """Another class, or no reference in the answer: nothing is known."""
    script = Script()
    if failed:
        script.activate(SETS_CLASS, b"")
    else:
        script.activate(uuid.UUID(int=5), dispatch(SET, 70))
    script.named(SET, "Query", QUERY)
    path = script.capture.write(tmp_path / "other.pcap")
    assert not tshark.fields(path, "frame.number", display_filter="pla")


# pla.h of the Windows SDK: CLSID's first part, and what is made. [MS-PLA] 3.2.1 has eight of them.
CLASSES = {
    0x03837521: "IDataCollectorSet", 0x03837525: "IDataCollectorSetCollection", 0x0383751C: "IDataCollectorSet", 0x03837530: "IDataCollectorSetCollection",
    0x03837531: "IDataCollectorSet", 0x03837532: "IDataCollectorSetCollection", 0x03837546: "IDataCollectorSet", 0x03837547: "IDataCollectorSetCollection",
    0x03837538: "IDataCollectorSet", 0x03837539: "IDataCollectorSetCollection", 0x03837526: "IDataCollectorSet", 0x03837527: "IDataCollectorSetCollection",
    0x03837528: "IDataCollectorSet", 0x03837529: "IDataCollectorSetCollection", 0x03837513: "ITraceDataProvider", 0x03837511: "ITraceDataProviderCollection",
}  # fmt: skip


@pytest.mark.parametrize("how", ["now", "as before", "at the end", "big-endian"])
def test_every_class_makes_its_interface(tshark, tmp_path, how):
    """The CLSID may be anywhere in the request, also at its end; other CLSIDs of the same family make nothing of ours."""
    first, expected = None, []
    for number, (start, interface) in enumerate({0x03837510: None, **CLASSES, 0x03837548: None}.items()):
        script = Script(big_endian=how == "big-endian", other=first, port=49300 + number)
        first = first or script
        clsid, ipid = uuid.UUID(f"{start:08x}{SETS_CLASS.hex[8:]}"), uuid.UUID(int=0x8000 + number)
        if how == "now":
            script.activate(clsid, dispatch(ipid, 70 + number))
        elif how == "at the end":
            answer = script.stub().orpcthat().raw(dispatch(ipid, 70 + number)).align(4).u32(0)
            script.exchange(ACTIVATOR, 4, script.stub().orpcthis().guid(clsid).bytes(), answer.bytes())
        else:
            script.activate_as_before(clsid, dispatch(ipid, 70 + number), f"10.0.0.2[{49300 + number}]")
        script.named(ipid, "Oddity", 99)
        expected += [interface] * 2 if interface else []
    assert [tree.first("pla.interface").show for tree in first.trees(tshark, tmp_path)] == expected


@pytest.mark.parametrize("lower", [False, True], ids=["as in the IDL", "in other letters"])
def test_every_member_returns_its_interface_to_a_script(tshark, tmp_path, lower):
    """A script gets an IDispatch of each: what it is tells the IDL by the member's name, and by whose member it is."""
    script, expected = Script(), []
    for interface, (_, methods) in INTERFACES.items():
        for number, (method, parameters) in methods.items():
            returned = [kind.rstrip("*") for out, _, kind in parameters if out and kind.startswith("I")]
            member = method.split(" ")[0]
            if returned and member != "_NewEnum":
                above, below = (uuid.UUID(int=0x8000 + 2 * len(expected) + at) for at in (0, 1))
                script.call(interface, 3, None, lambda stub: stub.u32(1), ipid=above)
                script.named(above, member.lower() if lower else member, 50 + number)
                script.invoke(above, 50 + number, kind="VT_DISPATCH", value=dispatch(below, 1000 + len(expected)), flags=2)
                script.named(below, "Oddity", 99)
                expected.append((interface, member, returned[-1]))
    trees = script.trees(tshark, tmp_path)
    assert len(trees) == 8 * len(expected) and len(expected) > 30
    found = [trees[8 * at + 6].first("pla.interface").show for at in range(len(expected))]
    assert [(*names, shown) for (*names, _), shown in zip(expected, found)] == expected


class Capture6(Capture):
    """The same over IPv6, of whose objects Wireshark keeps no book."""

    CLIENT, SERVER = (ipaddress.ip_address(f"2001:db8::{last}").packed for last in (1, 2))

    def _segment(self, port, from_client, payload):
        super()._segment(port, from_client, payload)
        packet = self.packets.pop()
        source, target = (self.CLIENT, self.server) if from_client else (self.server, self.CLIENT)
        tcp = packet[14 + 12 + 2 * len(source) :]
        header = struct.pack(">IHBB", 6 << 28, len(tcp), 6, 64) + source + target
        self.packets.append(packet[:12] + b"\x86\xdd" + header + tcp)


@pytest.mark.parametrize("six", [False, True], ids=["IPv4", "IPv6"])
def test_query_interface_keeps_the_objects_name(tshark, tmp_path, six):
    """RemQueryInterface gives an object further IPIDs: its name is known under each; what was refused is no IPID."""
    script = Script()
    if six:
        script.capture = Capture6()
        script.server = script.capture.server
    second, third, refused, failed = (uuid.UUID(int=0x7200 + number) for number in range(4))
    script.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Set1").bstr(None), ipid=SET)
    script.query_interface(SET, [IID["IDispatch"], IID["IUnknown"]], [(0, 70, second), (0x80004002, 0, refused)])
    script.named(second, "Status", STATUS)
    script.query_interface(second, [IID["IDataCollectorSet"]], [(0, 70, third)])
    script.call("IDataCollectorSet", 61, ipid=third)
    script.named(refused, "Status", STATUS)
    # The answer to one that failed says nothing.
    script.query_interface(SET, [IID["IDispatch"]], [(0, 70, failed)], hresult=0x80004005)
    script.named(failed, "Status", STATUS)
    # Enumerators are everybody's: one says nothing of the object that has it, nor what that is asked for.
    script.query_interface(FOREIGN, [IID["IEnumVARIANT"]], [(0, 71, OTHER_SET)])
    script.named(FOREIGN, "Status", STATUS)
    path = script.capture.write(tmp_path / "query.pcap")
    infos = [row[0][0] for row in tshark.fields(path, "_ws.col.Info", display_filter="pla")]
    assert infos[2:] == [
        f'GetIDsOfNames request, riid={uuid.UUID(int=0)} name="Status" cNames=1 lcid=1033 [Set1]',
        f"GetIDsOfNames response, DISPID={STATUS} [Set1] -> S_OK",
        "Delete request [Set1]",
        "Delete response [Set1] -> S_OK",
    ]
