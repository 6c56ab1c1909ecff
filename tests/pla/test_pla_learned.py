# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA]: what calls tell of objects, and how those are named: sets, collections, validations, enumerators."""

import struct
import uuid

import pytest

from lib.orpc import Stub, objref
from lib.pla import IID, INTERFACES, OTHER, Calls, session_of_a_set
from lib.tables import data_tables, named_rows, table_rows


def test_what_the_capture_teaches(tshark, tmp_path):
    calls = session_of_a_set()
    infos = calls.infos(tshark, tmp_path)
    assert infos[8] == "Item (Get) request, Index=0 [DataCollectors]"
    assert infos[10].endswith('[DataCollectors.collector (PerformanceCounter) "CPU"]')  # the set has no name yet
    assert infos[13].endswith("[Set1] -> PLA_S_PROPERTY_IGNORED")
    assert infos[16].endswith("[Set1.validation[0]]")
    assert 'value=0x80070057 (E_INVALIDARG) [Set1.validation[0] "TaskArguments"]' in infos[19]
    assert infos[21].endswith("-> S_OK (queued)")
    assert infos[23] == "Status (Get) response, Status=Running [Set1] -> S_OK"
    assert infos[27] == "Query response -> PLA_E_DCS_NOT_FOUND"  # a call that failed teaches no name
    trees = calls.trees(tshark, tmp_path)
    assert trees[15].first("pla.reference").show == "Set1.validation[0]"
    assert trees[19].first("pla.validation.hresult").show == "0x80070057"
    assert trees[28].first("pla.reference").show == "Set1"
    # An object that is given is named by its interface and by what it is of.
    given = [item for at in (15, 28) for item in trees[at].walk() if any(child.name == "pla.reference" for child in item.children)]
    assert [item.showname.partition(" (")[2] for item in given] == [
        "IValueMapItem, Set1.validation[0])", "IDataCollectorSet, Set1)"]
    # Frames: 2 of the bind, then the calls. The set was first called in frame 3.
    assert trees[20].first("pla.object.frame").show == "3"
    assert trees[14].first("pla.object.frame").show == "16"


def test_two_servers_with_the_same_ipids(tshark, tmp_path):
    one, other = session_of_a_set(), Calls(server=bytes([10, 0, 0, 3]))
    other.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Other").bstr(None), ipid=uuid.UUID(int=100))
    other.call("IDataCollectorSet", 61, ipid=uuid.UUID(int=100))
    one.capture.packets += other.capture.packets
    infos = one.infos(tshark, tmp_path)
    assert infos[-1] == "Delete response [Other] -> S_OK"
    assert infos[20].endswith("[Set1]")


def test_tables_count_calls_and_errors_of_sets(tshark, tmp_path):
    path = session_of_a_set().capture.write(tmp_path / "calls.pcap")
    output = tshark.run(path, "-q", "-z", "pla,sets")
    rows = table_rows(output)
    assert rows[0][:2] == ["Set1", "10.0.0.2"]
    assert rows[0][2:4] == ["13", "1"]
    assert rows[0][4:6] == ["Running", "PLA_E_DCS_IN_USE (Start, frame 28)"]
    assert rows[1][:4] == ["Gone", "10.0.0.2", "1", "1"]
    assert rows[1][5] == "PLA_E_DCS_NOT_FOUND (Query, frame 30)"
    assert output == tshark.run(path, "-2", "-q", "-z", "pla,sets")
    # Operation and result -> calls, frames of the first and the last answer: those of the bind are 1 and 2, then each call has two.
    rows = {(row["operation"], row["result"]): (row["calls"], row["first_frame"], row["last_frame"])
            for row in data_tables(tshark, path)["pla-calls"]}
    sent = [
        ("IDataCollectorSet", 9, "S_OK"), ("IDataCollectorSet", 7, "S_OK"), ("IDataCollectorCollection", 15, "S_OK"),
        ("IDataCollector", 25, "S_OK"), ("IDataCollectorCollection", 8, "S_OK"), ("IPerformanceCounterDataCollector", 39, "S_OK"),
        ("IDataCollectorSet", 60, "PLA_S_PROPERTY_IGNORED"), ("IValueMap", 8, "S_OK"), ("IValueMapItem", 11, "S_OK"),
        ("IValueMapItem", 13, "S_OK"), ("IDataCollectorSet", 62, "S_OK"), ("IDataCollectorSet", 33, "S_OK"),
        ("IDataCollectorSet", 62, "PLA_E_DCS_IN_USE"), ("IDataCollectorSet", 59, "PLA_E_DCS_NOT_FOUND"),
        ("IDataCollectorSetCollection", 10, "S_OK"),
    ]
    assert rows == {(f"{interface}: {INTERFACES[interface][1][opnum][0]}", result): (1, frame, frame)
                    for frame, (interface, opnum, result) in zip(range(4, 34, 2), sent, strict=True)}


def test_set_without_name_gets_it_once_known(tshark, tmp_path):
    calls = Calls().call("IDataCollectorSet", 61, hresult=0x80004001)
    path = calls.capture.write(tmp_path / "calls.pcap")
    assert "(name not in the capture)" in tshark.run(path, "-q", "-z", "pla,sets")
    # The row becomes the set's once its name is known.
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.bstr("Late"))
    output = tshark.run(calls.capture.write(tmp_path / "calls.pcap"), "-q", "-z", "pla,sets")
    assert "(name" not in output
    assert "Late 10.0.0.2 2 1" in [" ".join(row[:4]) for row in table_rows(output)]


def test_calls_without_ipid_teach_nothing(tshark, tmp_path):
    """A peer that leaves out the object UUID: nothing to learn, everything else is shown."""
    calls = Calls()
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Set1").bstr(None), ipid=None)
    calls.call("IDataCollectorSet", 7, None,
               lambda stub: stub.interface_pointer(objref(IID["IDataCollectorCollection"], OTHER)), ipid=None)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 5), ipid=None)
    trees = calls.trees(tshark, tmp_path)
    assert not any(tree.find("pla.object") or tree.find("pla.reference") for tree in trees)
    assert trees[0].first("pla.name").show == "Set1" and not trees[0].find("dcom.ipid")
    assert trees[3].first("pla.data_collectors").show == str(OTHER)
    assert trees[5].first("pla.value").show == "5"
    assert calls.infos(tshark, tmp_path)[1] == "Query response -> S_OK"
    assert "Set1" not in tshark.run(calls.capture.write(tmp_path / "none.pcap"), "-q", "-z", "pla,sets")


def test_request_not_in_the_capture(tshark, tmp_path):
    """Of a request in two fragments the second was lost: the response is read without what the request taught."""
    calls = Calls()
    long = "x" * 40000
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Set1").bstr(long))
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.bstr("Set2"))
    # A fragment has at most 65000 bytes, so that the second of these 80000 is a segment of some 15000.
    second = next(packet for packet in calls.capture.packets if 14000 < len(packet) < 16000)
    calls.capture.packets.remove(second)
    trees = calls.trees(tshark, tmp_path)
    responses = [tree for tree in trees if tree.find("pla.hresult")]
    assert responses[0].find("pla.no_request") and not responses[0].find("pla.object")
    assert responses[0].first("pla.hresult").show == "0x00000000"
    assert responses[-1].first("pla.name").show == "Set2"


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_a_second_answer_teaches_nothing(tshark, tmp_path, two_pass):
    calls = Calls()
    calls.call("IDataCollectorSet", 7, None, lambda stub: stub.interface_pointer(None))
    late = Stub().orpcthat().interface_pointer(objref(IID["IDataCollectorCollection"], OTHER)).u32(0)
    calls.capture.response(IID["IDataCollectorSet"], late.bytes())
    calls.call("IDataCollectorCollection", 7, None, lambda stub: stub.u32(0), ipid=OTHER)
    trees = calls.trees(tshark, tmp_path, two_pass=two_pass)
    assert trees[1].first("pla.data_collectors").show == "NULL"
    assert trees[2].first("pla.data_collectors").show == str(OTHER) and not trees[2].find("pla.reference")
    assert not trees[3].find("pla.object")


def test_items_by_name_and_empty_names(tshark, tmp_path):
    """An index may be a text; a name may hold nothing but a zero."""
    calls = Calls()
    calls.call("IScheduleCollection", 8, lambda stub: stub.variant("VT_BSTR", "first"),
               lambda stub: stub.interface_pointer(objref(IID["ISchedule"], OTHER)))
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.bstr("\0"))
    infos = calls.infos(tshark, tmp_path)
    assert infos[0] == 'Item (Get) request, Index="first"'
    assert infos[3] == 'Name (Get) response, Name="" -> S_OK'
    tree = calls.trees(tshark, tmp_path)[0]
    assert tree.first("dcom.vt.bstr").show == "first"


def test_codes_of_a_validation(tshark, tmp_path):
    """In a value map of HRESULTs every number is one, known or not; elsewhere only [MS-PLA]'s own are taken for one."""
    calls = Calls()
    root, map_, item, enumerator, enumerated = (uuid.UUID(int=200 + number) for number in range(5))
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr("S").bstr(None).u32(1),
               lambda stub: stub.interface_pointer(objref(IID["IValueMap"], map_, oid=21)), ipid=root)
    calls.call("IValueMap", 9, None, lambda stub: stub.interface_pointer(objref(IID["IUnknown"], enumerator, oid=22)), ipid=map_)
    calls.call("IValueMap", 8, lambda stub: stub.variant("VT_I4", 0),
               lambda stub: stub.interface_pointer(objref(IID["IValueMapItem"], item, oid=23)), ipid=map_)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 0x8123ABCD - 2**32), ipid=item)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 0x80300101 - 2**32), ipid=OTHER)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 7), ipid=OTHER)
    calls.call("IEnumVARIANT", 3, lambda stub: stub.u32(1),
               lambda stub: stub.u32(1).u32(0).u32(1).u32(1).variant_body("VT_DISPATCH", objref(IID["IValueMapItem"], enumerated, oid=24)).u32(1),
               ipid=enumerator)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 9), ipid=enumerated)
    trees = calls.trees(tshark, tmp_path)
    assert [(code := trees[number].first("pla.validation.hresult")) and code.show for number in (7, 9, 11, 13)] == [
        "0x8123abcd", "0x80300101", None, "0x00000009"
    ]  # fmt: skip
    infos = calls.infos(tshark, tmp_path)
    assert "value=0x8123abcd (0x8123abcd)" in infos[7]
    assert "value=0x80300101 (PLA_E_PROPERTY_CONFLICT: properties contradict each other)" in infos[9]
    assert "value=7" in infos[11]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_enumerators_return_the_collections_objects(tshark, tmp_path, two_pass):
    """_NewEnum returns an IEnumVARIANT, [MS-OAUT] 3.3.4, whose Next returns the collection's objects in VARIANTs."""
    calls = Calls()
    root, collection, enumerator, one, other = (uuid.UUID(int=600 + number) for number in range(5))
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Set1").bstr(None), ipid=root)
    calls.call("IDataCollectorSet", 48, None,
               lambda stub: stub.interface_pointer(objref(IID["IScheduleCollection"], collection, oid=61)), ipid=root)
    calls.call("IScheduleCollection", 9, None,
               lambda stub: stub.interface_pointer(objref(IID["IEnumVARIANT"], enumerator, oid=62)), ipid=collection)

    def elements(stub):
        """Room for 8, the first is number 0, 5 are sent; then pCeltFetched."""
        stub.u32(8).u32(0).u32(5).raw(struct.pack("<I", 1) * 5)
        for number in range(3):
            stub.variant_body("VT_DISPATCH", objref(IID["ISchedule"], uuid.UUID(int=one.int + 10 * number), oid=163 + number))
        stub.variant_body("VT_DISPATCH", None)
        stub.variant_body("VT_BSTR", "text")
        return stub.u32(5)

    calls.call("IEnumVARIANT", 3, lambda stub: stub.u32(8), elements, 1, ipid=enumerator)
    calls.call("ISchedule", 7, None, lambda stub: stub.variant("VT_DATE", 1.0), ipid=one)
    calls.call("IEnumVARIANT", 4, lambda stub: stub.u32(2), ipid=enumerator)
    calls.call("IEnumVARIANT", 5, ipid=enumerator)
    calls.call("IEnumVARIANT", 6, None, lambda stub: stub.interface_pointer(objref(IID["IEnumVARIANT"], other, oid=64)), ipid=enumerator)
    # Of some other server's collection, or got before the capture began.
    calls.call("IEnumVARIANT", 3, lambda stub: stub.u32(8), elements, ipid=OTHER)
    calls.call("IEnumVARIANT", 3, lambda stub: stub.u32(8), elements, ipid=None)
    path = calls.capture.write(tmp_path / "enumerators.pcap")
    packets = tshark.packets(path, "-J", "pla pla.enumerator", display_filter="pla.opnum", two_pass=two_pass)
    everything = [packet[-1] for packet in packets]
    assert len(everything) == 20
    assert [len(tshark.fields(path, "frame.number", display_filter=name)) for name in ("pla", "pla.enumerator")] == [8, 12]
    # Only those of [MS-PLA]'s collections are counted.
    rows = named_rows(tshark.run(path, "-q", "-z", "pla,calls"))
    assert sum(int(row["Calls"]) for row in rows if row["Operation"].startswith("IEnumVARIANT: ")) == 4
    response = everything[7]
    assert [item.show for item in response.find("pla.reference")] == [f"Set1.Schedules[{index}]" for index in range(3)]
    assert response.first("dcom.iid").show == IID["ISchedule"]
    assert response.first("pla.p_celt_fetched").show == "5"
    assert response.first("pla.hresult").show == "0x00000001"
    assert response.first("dcom.vt.bstr").show == "text"
    assert everything[8].first("pla.object").show == "Set1.Schedules[0]"
    assert everything[10].first("pla.celt").show == "2"
    assert everything[15].first("pla.pp_enum").show == str(other)
    assert everything[17].first("pla.p_celt_fetched").show == "5"
    assert everything[19].first("pla.p_celt_fetched").show == "5"
    assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for tree in everything for item in tree.walk())
    row = tshark.fields(path, "_ws.col.Protocol", "_ws.col.Info", display_filter="pla.celt")[0]
    assert row == [["IEnumVARIANT"], ["Next request, celt=8 [Set1.Schedules._NewEnum]"]]


def test_masks_of_keywords_are_hexadecimal(tshark, tmp_path):
    """[MS-PLA] 3.2.4.11.6: the items of KeywordsAny and KeywordsAll are masks of 64 bits."""
    calls = Calls()
    map_, item = (uuid.UUID(int=500 + number) for number in range(2))
    opnum = next(
        number for number, (name, _) in INTERFACES["ITraceDataProvider"][1].items() if name == "KeywordsAny (Get)"
    )
    calls.call("ITraceDataProvider", opnum, None,
               lambda stub: stub.interface_pointer(objref(IID["IValueMap"], map_, oid=51)))
    calls.call("IValueMap", 8, lambda stub: stub.variant("VT_I4", 0),
               lambda stub: stub.interface_pointer(objref(IID["IValueMapItem"], item, oid=52)), ipid=map_)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_UI8", 0x8000000000000010), ipid=item)
    assert "value=0x8000000000000010" in calls.infos(tshark, tmp_path)[5]


def test_a_number_is_no_result_of_a_validation_because_it_looks_like_one(tshark, tmp_path):
    """0x00300100 is a mask in a map of keywords, a choice in a request, and too short in 64 bits. Only an answer about another map may report it."""
    calls = Calls()
    map_, unknown = (uuid.UUID(int=500 + number) for number in range(2))
    calls.call("ITraceDataProvider", 12, None, lambda stub: stub.interface_pointer(objref(IID["IValueMap"], map_, oid=51)))
    for ipid, kind, number in (map_, "VT_UI4", 0x300100), (unknown, "VT_UI4", 0x300100), (unknown, "VT_UI8", 0x100300100):
        def value(stub, kind=kind, number=number):
            return stub.variant(kind, number)

        calls.call("IValueMap", 13, value, None, ipid=ipid)
        calls.call("IValueMap", 12, None, value, ipid=ipid)
    infos = calls.infos(tshark, tmp_path)
    assert [number for number, text in enumerate(infos) if "PLA_S_PROPERTY_IGNORED" in text] == [9]
    assert "value=0x300100 " in infos[2] and "value=0x300100 " in infos[5]


def test_labels_stay_short(tshark, tmp_path):
    """However deep objects are nested, six steps are named."""
    calls = Calls()
    ipids = [uuid.UUID(int=300 + number) for number in range(9)]
    for number, (ipid, following) in enumerate(zip(ipids, ipids[1:], strict=False)):
        calls.call("IDataCollectorCollection", 8, lambda stub, number=number: stub.variant("VT_I4", number),
                   lambda stub, number=number, following=following: stub.interface_pointer(
                       objref(IID["IDataCollectorCollection"], following, oid=400 + number)), ipid=ipid)  # fmt: skip
    infos = calls.infos(tshark, tmp_path)
    assert infos[10].endswith("Index=5 [[0][1][2][3][4]]")
    assert infos[14].endswith("Index=7 [...[1][2][3][4][5][6]]")
