# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA] calls that are damaged, hostile, cut short or larger than can be shown."""

import struct

import pytest

from lib.orpc import (
    SF_BSTR, SF_ERROR, SF_HAVEIID, SF_I1, SF_I4, SF_RECORD, SF_UNKNOWN, SF_VARIANT, Stub, objref,
)  # fmt: skip
from lib.pla import IID, IPID, ONLY, OTHER, XML, Calls, invoke, names, pla_of, show
from lib.some import some


# What may lie, and what must be said. Every response keeps its HRESULT.
def lying_bstr(stub):
    stub.little(1).little(0x7FFFFFFF).little(8).little(4).raw("Name".encode("utf-16le"))


def lying_array(stub):
    """The elements' max count, the last word before the elements."""
    stub.safearray(SF_BSTR, [])
    struct.pack_into("<I", stub.data, len(stub.data) - 4, 0x3FFFFFFF)


def odd_variant(vt):
    """A VARIANT of a type that can't be read; [MS-OAUT] 2.2.29.1."""
    return lambda stub: stub.little(1).align(8).raw(struct.pack("<IIHHHHI", 3, 0, vt, 0, 0, 0, vt))


def odd_array(sftype):
    """A SAFEARRAY of elements that can't be read; [MS-OAUT] 2.2.30.10."""
    return lambda stub: stub.little(1).raw(struct.pack("<IIHHIIIII", 1, 1, 1, 0, 4, 0, sftype, 0, 1)).raw(bytes(12))


MALFORMED = {
    "BSTR longer than the stub": ("IDataCollectorSet", 20, lying_bstr, "pla.malformed.overrun"),
    "array longer than the stub": ("IDataCollectorSet", 16, lying_array, "pla.malformed.overrun"),
    "no array": ("IDataCollectorSet", 16, lambda stub: stub.little(1).raw(bytes(range(1, 41))), "pla.malformed.structure"),
    "OBJREF without signature": (
        "IDataCollectorSet", 7, lambda stub: stub.interface_pointer(b"WOEM" + bytes(64)), "pla.malformed.structure"),
    "OBJREF longer than the stub": (
        "IDataCollectorSet", 7, lambda stub: stub.u32(1).u32(0xFFFFFFF0).u32(64).raw(bytes(64)), "pla.malformed.overrun"),
    "VARIANT of no type": (
        "IValueMapItem", 13, odd_variant(0x99),
        "pla.malformed.structure"),
    "VARIANT of a record": (
        "IValueMapItem", 13, odd_variant(0x24),
        "pla.malformed.structure"),
    "VARIANT that holds a VARIANT in place": (
        "IValueMapItem", 13, odd_variant(12),
        "pla.malformed.structure"),
    "VARIANT with unknown flags": (
        "IValueMapItem", 13, odd_variant(0x1003),
        "pla.malformed.structure"),
    "array that could not be marshalled": (
        "IDataCollectorSet", 16, odd_array(SF_ERROR),
        "pla.malformed.structure"),
    "array of records": (
        "IDataCollectorSet", 16, odd_array(SF_RECORD),
        "pla.malformed.structure"),
    "missing parameter": ("IDataCollectorSet", 63, None, None),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_values_are_told_and_the_result_found(tshark, tmp_path, case):
    interface, opnum, write, expert = MALFORMED[case]
    calls = Calls().call(interface, opnum, None, write, hresult=0x80300101)
    tree = calls.trees(tshark, tmp_path)[1]
    if expert:
        assert any(item.name.startswith(expert) for item in tree.walk()), [item.name for item in tree.walk()]
        # An OBJREF has its own length, so that what follows is found all the same.
        assert bool(tree.find("pla.hresult.found")) == (case != "OBJREF without signature")
    assert [item.show for item in tree.find("pla.hresult")] == ["0x80300101"]
    assert calls.infos(tshark, tmp_path)[1].endswith("-> PLA_E_PROPERTY_CONFLICT")


def nested(stub, depth):
    """VARIANTs in SAFEARRAYs in VARIANTs."""
    def array(target, left):
        target.safearray_body(SF_VARIANT, [lambda t: t.variant_body(
            "VT_I4", 1, array=(lambda u: array(u, left - 1)) if left else None)])  # fmt: skip

    stub.variant("VT_I4", array=lambda target: array(target, depth))


def test_arrays_nested_too_deeply(tshark, tmp_path):
    """The same begun with a SAFEARRAY."""
    def array(target, left):
        target.safearray_body(SF_VARIANT, [lambda t: t.variant_body("VT_I4", 1, array=lambda u: array(u, left - 1))] if left else [])

    calls = Calls().call("IDataCollectorSet", 16, None, lambda stub: array(stub.little(1), 20))
    tree = calls.trees(tshark, tmp_path)[1]
    assert any("VARIANTs nested too deeply" in item.showname for item in tree.walk())
    assert tree.first("pla.hresult").show == "0x00000000"


def many_bounds(stub, count, elements):
    """[MS-OAUT] 2.2.30.10: conformance, cDims, fFeatures, cbElements, cLocks, cLocks' VARTYPE, sfType, Size, referent, bounds."""
    stub.little(1).little(1)
    stub.raw(struct.pack("<IHHIHHIII", count, count, 0, 1, 0, 0, SF_I1, 0, 0x1000))
    stub.raw(struct.pack("<II", elements, 0) * count)
    return stub.little(0)


def test_many_dimensions_are_not_multiplied_beyond_size(tshark, tmp_path):
    """Bounds whose product passes 32 bits, and more of them than are shown."""
    calls = Calls()
    calls.call("ITraceDataProvider", 19, None, lambda stub: many_bounds(stub, 4, 0x1000))
    calls.call("ITraceDataProvider", 19, None, lambda stub: many_bounds(stub, 20, 1))
    calls.call("ITraceDataProvider", 19, None, lambda stub: many_bounds(stub, 2, 0xFFFFFFFF))
    trees = calls.trees(tshark, tmp_path)[1::2]
    assert [len(tree.find("dcom.sa.bound_elements")) for tree in trees] == [4, 16, 2]
    # Not multiplied further than what Size can say: 4096 to the third is the first product above.
    assert any("68719476736 elements" in item.showname for item in trees[0].walk())
    assert any(f"{0xFFFFFFFF ** 2} elements" in item.showname for item in trees[2].walk())
    assert all(tree.first("pla.hresult").show == "0x00000000" for tree in some(trees))


MANY = 30000  # above the elements that are shown


@pytest.mark.parametrize("kind, write, shown, field", [
    ("VARIANTs", lambda s: s.safearray_body(SF_VARIANT, [lambda t: t.variant_body("VT_I2", 3)] * MANY), 20000, "dcom.vt.i2"),
    ("numbers", lambda s: s.safearray_body(SF_I4, [3] * MANY), 20001, "dcom.vt.i4"),
    ("objects", lambda s: s.safearray_body(SF_UNKNOWN, [b"MEOW" + bytes(20)] * MANY), 20000, "dcom.objref.signature"),
])  # fmt: skip
def test_many_elements_end_the_tree_but_not_the_reading(tshark, tmp_path, kind, write, shown, field):
    """The tree ends early, what follows the array does not."""
    calls = Calls().call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", array=write))
    _, (elements, not_shown, hresult) = calls.fields(tshark, tmp_path, field, "pla.not_shown", "pla.hresult")
    assert (len(elements), len(not_shown), hresult) == (shown, 1, ["0x00000000"])


def test_many_names_and_numbers(tshark, tmp_path):
    calls = Calls()
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, *["n"] * MANY),
               lambda stub: stub.u32(MANY).raw(struct.pack("<I", 7) * MANY))
    request, response = calls.fields(tshark, tmp_path, "pla.rgsz_names", "pla.lcid", "pla.rg_disp_id", "pla.hresult")
    assert len(request[0]) == len(response[2]) == 20000
    assert request[1] == ["0x00000409"]
    assert response[3] == ["0x00000000"]


def test_many_extents_and_bindings(tshark, tmp_path):
    calls = Calls()
    extents = Stub().orpcthat([(IPID, b"data")] * 70).u32(0)
    binding, security = struct.pack("<HHH", 7, 0x61, 0), struct.pack("<HHH", 10, 0xFFFF, 0)
    strings, securities = binding * 100 + b"\0\0", security * 100 + b"\0\0"
    body = struct.pack("<IIQQ", 0, 5, 1, 2) + OTHER.bytes_le
    for array in (
        struct.pack("<HH", (len(strings) + len(securities)) // 2, len(strings) // 2) + strings + securities,
        struct.pack("<HH", (2 + len(securities)) // 2, 1) + bytes(2) + securities,
    ):
        data = b"MEOW" + struct.pack("<I", 1) + bytes(16) + body + array
        calls.call("IDataCollectorSet", 7, None, lambda stub, data=data: stub.interface_pointer(data))
    calls.call("IDataCollectorSet", 61, raw=extents.bytes())
    trees = calls.trees(tshark, tmp_path)[1::2]
    assert len(trees[0].find("dcom.dualstringarray.network_addr")) == 64
    assert not trees[0].find("dcom.dualstringarray.security_authn_svc")
    assert len(trees[1].find("dcom.dualstringarray.security_authn_svc")) == 64
    assert len(trees[2].find("dcom.extent.id")) == 64
    assert all(tree.first("pla.hresult").show == "0x00000000" for tree in some(trees))


def test_deep_xml_has_items_or_says_it_has_none(tshark, tmp_path):
    """Wireshark's tree has a depth of its own, which is larger from 4.4 on: either there are items, or it is said that there are none."""
    text = "<a>" * 2000 + "</a>" * 2000
    calls = Calls().call("IDataCollectorSet", 52, None, lambda stub: stub.bstr(text))
    row = tshark.fields(
        calls.capture.write(tmp_path / "deep.pcap"), "pla.hresult", "pla.xml_too_large", "xml.tag", display_filter="pla && dcerpc.pkt_type == 2"
    )
    assert len(row) == 1 and row[0][0] == ["0x00000000"]
    assert row[0][1] or len(row[0][2]) == 2000


def test_odd_values_are_said(tshark, tmp_path):
    calls = Calls()
    calls.call("IDataCollectorSet", 25, lambda stub: stub.u16(1))
    calls.call("IDataCollectorSet", 11, lambda stub: stub.little(1).little(2).little(6).little(2).raw(b"a\0b\0"))
    calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_BSTR, ["a", "b"], size=3))
    trees = calls.trees(tshark, tmp_path)[::2]
    assert all(tree.find("pla.odd") for tree in some(trees))
    assert show(trees[0].first("pla.segment")) == "1"
    assert trees[1].first("pla.description").show == "ab"
    assert [item.show for item in trees[2].find("pla.keywords")] == ["a", "b"]
    assert not any(item.name.startswith("pla.malformed") for tree in trees for item in tree.walk())


def test_deep_nesting_is_bounded(tshark, tmp_path):
    calls = Calls().call("IValueMapItem", 13, None, lambda stub: nested(stub, 100))
    tree = calls.trees(tshark, tmp_path)[1]
    assert any("too deeply" in item.showname for item in tree.walk())
    assert tree.first("pla.hresult").show == "0x00000000"


def samples():
    """Stubs with every kind of parameter, to be damaged."""

    def ok(extents=None):
        return Stub().orpcthat(extents)

    yield "IPerformanceCounterDataCollector", 34, ok().safearray(SF_BSTR, [r"\A(b/c#1)\D", "x"]).u32(0)
    yield "IDataCollectorSet", 16, ok(extents=[(IPID, b"data")]).safearray(SF_BSTR, ["k"], pointers=1).u32(0)
    yield "IValueMapItem", 13, ok().variant("VT_I4", array=lambda s: s.safearray_body(
        SF_VARIANT, [lambda t: t.variant_body("VT_BSTR", "deep")])).u32(0)  # fmt: skip
    yield "IDataCollectorCollection", 14, ok().interface_pointer(objref(IID["IValueMap"], OTHER)).interface_pointer(
        objref(IID["IDataCollector"], IPID, oid=9)).u32(0)  # fmt: skip
    yield "IDataCollectorSet", 52, ok().bstr(XML).u32(0)
    yield "ITraceDataProvider", 19, ok().safearray(SF_I1, b"12345").u32(0)
    yield "ITraceDataCollector", 48, ok().guid(IPID).u32(0)
    yield "ITraceDataCollector", 63, ok().number("Q", 2**40).u32(0)
    yield "IDataCollectorSet", 33, ok().u32(1).u32(0)
    yield "IValueMapItem", 13, ok().variant("VT_UNKNOWN", objref(IID["IValueMap"], OTHER)).u32(0)
    yield "IValueMapItem", 13, ok().little(1).variant_body(
        "VT_VARIANT", lambda t: t.variant_body("VT_I4", 11), by_reference=True).u32(0)  # fmt: skip
    for sf in (SF_UNKNOWN, SF_HAVEIID):
        yield "IValueMapItem", 13, ok().variant("VT_UNKNOWN", array=lambda s, sf=sf: s.safearray_body(
            sf, [objref(IID["IValueMap"], OTHER), objref(IID["IValueMap"], OTHER)])).u32(0)  # fmt: skip
    yield "IDataCollectorSet", 5, ok().u32(2).u32(9).u32(10).u32(0)
    yield "IEnumVARIANT", 3, ok().u32(1).u32(0).u32(1).u32(1).variant_body("VT_I4", 5).u32(1).u32(0)
    yield "IDataCollectorSet", 6, ok().variant("VT_DATE", 1.5).raw(struct.pack("<HH", 1, 0)).u32(1).u32(0).u32(0).u32(0).u32(
        0).u32(0).u32(0).blob("Source").u32(0).u32(1).u32(1).variant_body("VT_R8", 2.5).u32(0)  # fmt: skip


def requests():
    """The same, from the client."""
    yield "IDataCollectorSet", 5, names(Stub().orpcthis(), "Duration", None, "x")
    yield "IDataCollectorSet", 6, invoke(Stub().orpcthis(extents=[(IPID, b"data")]), 7, [("VT_I4", 5), ("VT_BSTR", "x")], references=[0, 1])
    yield "IDataCollectorSet", 59, Stub().orpcthis().bstr("Set1").bstr("server")


LIES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x20000000)


def test_every_number_may_lie(tshark, tmp_path):
    """Each 32-bit word of each sample replaced by extreme values: no bug, no exception, bounded output."""
    calls = Calls()
    for interface, opnum, stub in samples():
        for position in range(0, len(stub.data), 4):
            for value in LIES:
                data = bytearray(stub.data)
                struct.pack_into("<I", data, position, value)
                calls.call(interface, opnum, raw=bytes(data))
    for interface, opnum, stub in requests():
        for position in range(0, len(stub.data) & ~3, 4):
            for value in LIES:
                data = bytearray(stub.data)
                struct.pack_into("<I", data, position, value)
                calls.call(interface, opnum, raw_request=bytes(data))
    path = calls.capture.write(tmp_path / "lies.pcap")
    output = tshark.run(path, "-V", "-O", "pla")  # raises on a dissector bug
    assert "Exception occurred" not in output


def test_stub_cut_at_every_length_is_told(tshark, tmp_path):
    """Each sample cut at each byte, as its peer might send it: said clearly, never by an exception."""
    names = ("pla.malformed.overrun", "pla.malformed.structure", "_ws.expert.message")
    calls = Calls()
    for interface, opnum, stub in samples():
        for length in range(len(stub.data)):
            calls.call(interface, opnum, raw=bytes(stub.data[:length]))
    rows = calls.fields(tshark, tmp_path, *names)[1::2]
    calls = Calls()
    for interface, opnum, stub in requests():
        for length in range(len(stub.data)):
            calls.call(interface, opnum, raw_request=bytes(stub.data[:length]))
    rows += calls.fields(tshark, tmp_path, *names)[::2]
    for overrun, structure, messages in some(rows):
        assert overrun or structure
        assert not any("Exception occurred" in message for message in messages)


@pytest.mark.parametrize("snaplen", [120, 130, 150, 170, 200, 240])
def test_snap_length_is_nobodys_fault(tshark, tmp_path, snaplen):
    calls = Calls()
    for interface, opnum, stub in samples():
        calls.call(interface, opnum, lambda stub: stub.bstr("xml") if opnum == 14 else stub, raw=stub.bytes())
    path = calls.capture.write(tmp_path / "cut.pcap", snaplen=snaplen, whole=2)
    output = tshark.run(path, "-o", "tcp.desegment_tcp_streams:FALSE", "-V")
    assert "Packet size limited during capture" in output
    packets = tshark.packets(path, "-o", "tcp.desegment_tcp_streams:FALSE", *ONLY, display_filter="pla && dcerpc.pkt_type == 2")
    # At 120 bytes each request, of 126 and more, is cut within its ORPCTHIS, and no answer is read.
    for packet in some(packets, snaplen > 120):
        names = [item.name for protocol in packet for item in protocol.walk()]
        assert not any(name.startswith("pla.malformed") for name in names)
