# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA]: what calls mean, and what they teach about objects."""

import itertools
import re
import struct
import uuid

import pytest

from lib.orpc import SF_I1, SF_I8, Stub, objref, objref_of
from lib.pla import IID, Calls, invoke, names
from lib.some import some
from lib.tables import table_rows

SET, COLLECTORS, COLLECTOR, ITEM = (uuid.UUID(int=0x8000 + number) for number in range(4))
ERROR_EXTENSION = "0000031c-0000-0000-c000-000000000046"  # [MS-DCOM] 1.9
ERROR_OBJECT = "0000031b-0000-0000-c000-000000000046"
IERRORINFO = "1cf2b120-547d-101b-8e65-08002b2bd119"


def sets_table(tshark, calls, tmp_path, *options):
    output = tshark.run(calls.capture.write(tmp_path / "sets.pcap"), "-q", "-z", "pla,sets", *options)
    return table_rows(output)


def commit(calls, name, hresult=0, ipid=SET, mode=1):
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr(name).bstr(None).u32(mode),
               lambda stub: stub.interface_pointer(None), hresult, ipid=ipid)


def query(calls, name, hresult=0):
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr(name).bstr(None), None, hresult, ipid=SET)


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_a_failed_commit_is_of_the_set_that_it_names(tshark, tmp_path, two_pass):
    """3.2.4.1.54: name is that of the set to write. The set in the object, and another with that name, fail in nothing; validating names it, too."""
    options = ["-2"] if two_pass else []
    calls = Calls()
    commit(calls, "First", 0x803000B7)
    calls.call("IDataCollectorSet", 9, lambda stub: stub.u32(5), ipid=SET)
    commit(calls, "Set1")
    commit(calls, "Copy", 0x80070005)
    commit(calls, "set1", 0x80070005, ipid=COLLECTOR)
    commit(calls, "First", 0x80300105, mode=0x1001)
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "Query"), lambda stub: stub.u32(1).u32(98), ipid=SET)
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 98, [("VT_BSTR", ""), ("VT_BSTR", "Gone")], 1, named=()),
               lambda stub: stub.variant("VT_EMPTY", None).u16(0).u16(0).raw(bytes(28)).u32(0).u32(0), 0x80020009, ipid=SET)
    calls.call("IDataCollectorSet", 61, ipid=SET)
    assert sets_table(tshark, calls, tmp_path, *options) == [
        ["First", "10.0.0.2", "2", "2", "", "PLA_E_CONFLICT_INCL_EXCL_API (Commit, frame 14)"],
        ["Set1", "10.0.0.2", "5", "1", "", "E_ACCESSDENIED (Commit, frame 12)"],
        ["Copy", "10.0.0.2", "1", "1", "", "E_ACCESSDENIED (Commit, frame 10)"],
        ["Gone", "10.0.0.2", "1", "1", "", "DISP_E_EXCEPTION (Invoke, frame 18)"]]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_a_commit_that_only_validates_names_nothing(tshark, tmp_path, two_pass):
    """plaValidateOnly, 2.2.2.2; a script says it in the last argument of Invoke, which stands first."""
    options = ["-2"] if two_pass else []
    calls = Calls()
    commit(calls, "Draft", mode=0x1001)
    commit(calls, "Set1", mode=1)
    commit(calls, "Draft", mode=0x1000)
    calls.call("IDataCollectorSet", 61, ipid=SET)
    assert [row[0] for row in sets_table(tshark, calls, tmp_path, *options)] == ["Set1"]
    for mode, name in ((0x1001, "(name not in the capture)"), (1, "Set1")):
        calls = Calls()
        calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "Commit"), lambda stub: stub.u32(1).u32(99), ipid=SET)
        calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 99, [("VT_I4", mode), ("VT_BSTR", ""), ("VT_BSTR", "Set1")], 1, named=()),
                   lambda stub: stub.variant("VT_EMPTY", None).u16(0).u16(0).raw(bytes(28)).u32(0).u32(0), ipid=SET)
        assert [row[0] for row in sets_table(tshark, calls, tmp_path, *options)] == [name]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_an_ipid_that_comes_back_as_another_object(tshark, tmp_path, two_pass):
    """The server took it for another OID once the first was released: what was the first one's is not the second's."""
    calls = Calls()
    commit(calls, "Set1")
    for oid in (2, 2, 3):
        calls.call("IDataCollectorSet", 7, None,
                   lambda stub: stub.interface_pointer(objref(IID["IDataCollectorCollection"], COLLECTORS, oid=2)), ipid=SET)
        calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", oid),
                   lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], COLLECTOR, oid=oid + 10)), ipid=COLLECTORS)
        calls.call("IDataCollector", 13, ipid=COLLECTOR)
    path = calls.capture.write(tmp_path / "back.pcap")
    objects = [row[0] for (row,) in tshark.fields(path, "pla.object", display_filter="pla.opnum == 13 && dcerpc.pkt_type == 0", options=["-2"] if two_pass else [])]
    assert objects == ["Set1.DataCollectors[2]", "Set1.DataCollectors[2]", "Set1.DataCollectors[3]"]


def test_two_machines_behind_one_address(tshark, tmp_path):
    """Each on a port of its own, with the same IPIDs; what an activation returned is called on any port."""
    one = Calls()
    two = Calls(other=one, port=49300)
    commit(one, "Set1")
    commit(two, "Set2")
    for calls in (one, two):
        calls.call("IDataCollectorSet", 61, ipid=SET)
    assert [row[0] for row in sets_table(tshark, one, tmp_path)] == ["Set1", "Set2"]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_a_set_that_was_sought_in_vain(tshark, tmp_path, two_pass):
    """Query fails, then the same object is another set: whose error that was, the name tells that was asked for."""
    options = ["-2"] if two_pass else []
    calls = Calls()
    query(calls, "No such set", 0x80300002)
    query(calls, "Set1")
    query(calls, "Nor this", 0x80300002)
    query(calls, "No such set", 0x80300002)
    calls.call("IDataCollectorSet", 61, ipid=SET)
    assert sets_table(tshark, calls, tmp_path, *options) == [
        ["No such set", "10.0.0.2", "2", "2", "", "PLA_E_DCS_NOT_FOUND (Query, frame 10)"],
        ["Set1", "10.0.0.2", "2", "0", "", ""],
        ["Nor this", "10.0.0.2", "1", "1", "", "PLA_E_DCS_NOT_FOUND (Query, frame 8)"]]


def test_a_set_that_got_no_name(tshark, tmp_path):
    """The set that already exists is another than the one in the object."""
    calls = Calls().call("IDataCollectorSet", 9, lambda stub: stub.u32(5), ipid=SET)
    commit(calls, "First", 0x803000B7)
    assert sets_table(tshark, calls, tmp_path) == [
        ["(name not in the capture)", "10.0.0.2", "1", "0", "", ""],
        ["First", "10.0.0.2", "1", "1", "", "PLA_E_DCS_ALREADY_EXISTS (Commit, frame 6)"]]


def test_a_name_learned_later_counts_back_with_two_passes(tshark, tmp_path):
    calls = Calls().call("IDataCollectorSet", 9, lambda stub: stub.u32(5), ipid=SET)
    commit(calls, "Set1")
    calls.call("IDataCollectorSet", 61, ipid=SET)
    commit(calls, "Set2")
    path = calls.capture.write(tmp_path / "later.pcap")

    def labels(*options):
        return [row[0] for row in tshark.fields(path, "pla.object", display_filter="pla", options=options)]

    assert labels() == [[], [], [], ["Set1"], ["Set1"], ["Set1"], ["Set1"], ["Set2"]]
    assert labels("-2") == [["Set1"]] * 7 + [["Set2"]]


def collection(calls, **options):
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr(options.get("name", "Set1")).bstr(None), ipid=SET)
    calls.call("IDataCollectorSet", 7, None,
               lambda stub: stub.interface_pointer(objref(IID["IDataCollectorCollection"], COLLECTORS, oid=82)), ipid=SET)


def test_nothing_of_a_failed_answer_is_learned(tshark, tmp_path):
    """Left-over bytes of an interface pointer and of a name, behind them a failure."""
    calls = Calls()
    calls.call("IDataCollectorSet", 7, None,
               lambda stub: stub.interface_pointer(objref(IID["IDataCollectorCollection"], COLLECTORS, oid=82)).align(4),
               0x80004005, ipid=SET)
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.bstr("Gone"), 0x80004005, ipid=SET)
    calls.call("IDataCollectorCollection", 7, None, lambda stub: stub.u32(0), ipid=COLLECTORS)
    calls.call("IDataCollectorSet", 61, ipid=SET)
    trees = calls.trees(tshark, tmp_path)
    assert trees[1].first("pla.data_collectors").show == str(COLLECTORS)
    assert not any(tree.find("pla.reference") or tree.find("pla.object") for tree in trees)


def test_long_labels_are_cut_in_the_middle(tshark, tmp_path):
    calls = Calls()
    collection(calls, name="Web servers of the whole company, \u00e4\u00f6\u00fc, and then some more of them")
    calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", 12345),
               lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], COLLECTOR, oid=83)), ipid=COLLECTORS)
    calls.call("IDataCollector", 25, lambda stub: stub.bstr("CPU"), ipid=COLLECTOR)
    label = re.search(r"\[(.*)\] -> S_OK$", calls.infos(tshark, tmp_path)[-1])[1]
    assert label.startswith("Web servers of") and label.endswith('DataCollectors[12345] "CPU"') and "..." in label
    assert len(label.encode()) <= 60
    tree = calls.trees(tshark, tmp_path)[-1]
    assert tree.first("pla.object").show.endswith('of them.DataCollectors[12345] "CPU"')


def test_items_by_key_have_the_keys_name(tshark, tmp_path):
    calls = Calls()
    collection(calls)
    calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_BSTR", "CPU"),
               lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], COLLECTOR, oid=83)), ipid=COLLECTORS)
    calls.call("IDataCollector", 27, None, lambda stub: stub.u32(7), ipid=COLLECTOR)
    trees = calls.trees(tshark, tmp_path)
    assert trees[5].first("pla.reference").show == 'Set1.DataCollectors["CPU"]'
    assert trees[6].first("pla.object").show == 'Set1.DataCollectors["CPU"]'
    path = calls.capture.write(tmp_path / "key.pcap")
    for wanted, frame in (('pla.index == "CPU"', "7"), ('pla.index == "7"', "10")):
        assert tshark.fields(path, "frame.number", display_filter=wanted) == [[[frame]]]


def test_collectors_say_their_type(tshark, tmp_path):
    calls = Calls()
    collection(calls)
    for number in range(5):
        calls.call("IDataCollectorCollection", 15, lambda stub, number=number: stub.enum(number),
                   lambda stub, number=number: stub.interface_pointer(
                       objref(IID["IDataCollector"], uuid.UUID(int=0x8100 + number), oid=90 + number)), ipid=COLLECTORS)
    found = [tree.first("pla.reference").show for tree in calls.trees(tshark, tmp_path)[5::2]]
    assert found == [f"Set1.DataCollectors.collector ({kind})"
                     for kind in ("PerformanceCounter", "Trace", "Configuration", "Alert", "ApiTrace")]


def test_numbers_and_bits_are_read_by_their_meaning(tshark, tmp_path):
    """SessionId is unsigned; SECURITY_INFORMATION, [MS-DTYP] 2.4.7; a folder action's Size is where it begins."""
    calls = Calls()
    calls.call("ITraceDataCollector", 63, None, lambda stub: stub.number("Q", 2**64 - 3))
    calls.call("ITraceDataProvider", 24, lambda stub: stub.u32(0x80000005), lambda stub: stub.bstr("D:"))
    calls.call("IFolderAction", 10, lambda stub: stub.u32(0))
    infos = calls.infos(tshark, tmp_path)
    assert "SessionId=18446744073709551613 " in infos[1]
    assert "SecurityInfo=OWNER_SECURITY_INFORMATION|DACL_SECURITY_INFORMATION|PROTECTED_DACL_SECURITY_INFORMATION" in infos[2]
    assert infos[4].endswith("Size=0 (any size)")
    path = calls.capture.write(tmp_path / "calls.pcap")
    for name, count in (("owner", 1), ("group", 0), ("dacl", 1), ("protected_dacl", 1), ("unprotected_dacl", 0)):
        assert len(tshark.fields(path, "frame.number", display_filter=f"pla.security_info.{name} == 1")) == count, name


# Methods that return a BSTR, an interface pointer, a VARIANT, an array, an enumeration, two pointers.
ALONE = [("IDataCollectorSet", 20), ("IDataCollectorSet", 7), ("IValueMapItem", 13), ("IDataCollectorSet", 16), ("IDataCollectorSet", 33),
         ("IDataCollectorCollection", 14)]  # fmt: skip


def test_a_failure_of_the_hresult_alone(tshark, tmp_path):
    """A server that failed before it had any parameters: said as it is, nothing is malformed."""
    calls = Calls()
    for interface, opnum in ALONE:
        calls.call(interface, opnum, (lambda stub: stub.bstr("x")) if opnum == 14 else None, hresult=0x80070005)
    for method, tree, info in some(zip(ALONE, calls.trees(tshark, tmp_path)[1::2], calls.infos(tshark, tmp_path)[1::2], strict=True)):
        assert tree.first("pla.hresult").show == "0x80070005", method
        assert not any(item.name.startswith(("pla.malformed", "pla.odd", "pla.hresult.found")) for item in tree.walk()), method
        assert info.endswith(" response -> E_ACCESSDENIED"), method


def test_success_needs_its_parameters(tshark, tmp_path):
    calls = Calls().call("IDataCollectorSet", 20)
    tree = calls.trees(tshark, tmp_path)[1]
    assert any(item.name.startswith("pla.malformed") for item in tree.walk())


FILTER_DATA = {
    "zeros": bytes(16), "sixteen": bytes(range(16)), "none": b"", "ones": b"\1\0\0\0" * 8,
    "words": struct.pack("<6I", 1, 1, 0, 0x10, 4, 1), "many": bytes(range(200)),
    # Bytes that look like a header themselves.
    "header": struct.pack("<IHHIIIII", 1, 1, 0, 1, 0, 0x10, 4, 0x1000) + struct.pack("<III", 4, 0, 4) + b"data",
}


@pytest.mark.parametrize("sent", ["request", "response"])
def test_filter_data_of_one_pointer_or_two(tshark, tmp_path, sent):
    """Told apart by all that the header says of sizes, [MS-OAUT] 2.2.30.10."""
    calls, cases = Calls(), list(itertools.product(FILTER_DATA, (0, 0x80), (1, 2)))
    for kind, features, pointers in cases:
        def write(stub, kind=kind, features=features, pointers=pointers):
            stub.safearray(SF_I1, FILTER_DATA[kind], pointers, vartype=17 if features else 0, features=features, element_size=1)
            return stub.align(4) if sent == "response" else stub

        calls.call("ITraceDataProvider", 20 if sent == "request" else 19, write if sent == "request" else None,
                   write if sent == "response" else None)
    trees = calls.trees(tshark, tmp_path)[0 if sent == "request" else 1::2]
    for case, tree in some(zip(cases, trees, strict=True)):
        kind, _, pointers = case
        assert tree.first("pla.safearray.pointers").show == str(pointers), case
        found = tree.first("pla.filter_data")
        assert (found.show.replace(":", "") if found else "") == FILTER_DATA[kind].hex(), case
        assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for item in tree.walk()), case


@pytest.mark.parametrize("declaration", [
    'version="1.0" encoding="UTF-16LE"', "version='1.0' encoding='utf-16'", 'version="1.0" encoding = "UTF-16" standalone="yes"',
    'version="1.0" encoding="ISO-10646-UCS-2"', 'version="1.0" encoding="GBK"', 'version="1.0"', 'version="1.0" encoding=UTF-16',
])  # fmt: skip
def test_encoding_of_xml_is_that_it_is_shown_in(tshark, tmp_path, declaration):
    """The declaration is true of the UTF-8 it is shown in, whatever it said of what was sent, and whole."""
    calls = Calls().call("IDataCollectorSet", 64, lambda stub: stub.bstr(f"<?xml {declaration}?><Set><Name>\u00e4</Name></Set>"),
                         lambda stub: stub.interface_pointer(None))
    tree = calls.trees(tshark, tmp_path)[0].first("pla.xml")
    assert [item.show for item in tree.find("xml.cdata")] == ["\u00e4"]
    lines = " ".join(item.showname for item in tree.walk())
    quoted = re.search(r"""encoding *= *(["'])""", declaration)
    if quoted:
        assert re.search(rf"""encoding *= *{quoted[1]}UTF-8{quoted[1]}( standalone="yes")?""", lines)
        assert "UTF-16" not in " ".join(item.showname for child in tree.children for item in child.walk())


def test_a_null_bstr_inside_a_variant(tshark, tmp_path):
    calls = Calls()
    for value in (None, "", "NULL"):
        calls.call("IValueMapItem", 13, None, lambda stub, value=value: stub.variant("VT_BSTR", value))
    infos = calls.infos(tshark, tmp_path)[1::2]
    assert ["value=NULL " in infos[0], 'value="" ' in infos[1], 'value="NULL" ' in infos[2]] == [True] * 3


def error_information(source, description, helpfile, aligned=False, lead=b""):
    """[MS-DCOM] 2.2.21.2; strings with their terminators, each after its signature."""
    data = struct.pack("<II", 0, 17) + uuid.UUID(IID["IDataCollectorSet"]).bytes_le
    for text in (source, description, helpfile):
        if text is None:
            data += struct.pack("<I", 0)
            continue
        units = len(text) + 1
        data += struct.pack("<IIII", 0xFFFFFFFF, units, 0, units) + (text + "\0").encode("utf-16le")
        data += bytes(-len(data) % 4) if aligned else b""
    reference = objref_of(4, IERRORINFO, uuid.UUID(ERROR_OBJECT).bytes_le + struct.pack("<II", 0, len(data)) + data)
    return lead + reference


@pytest.mark.parametrize("aligned", [False, True], ids=["packed", "aligned"])
@pytest.mark.parametrize("lead", [b"", bytes(4), bytes(8)], ids=["reference", "size", "two sizes"])
def test_error_information_shows_source_and_description(tshark, tmp_path, aligned, lead):
    """What IErrorInfo says comes in an extension of ORPCTHAT, [MS-DCOM] 2.2.21.1."""
    calls = Calls()
    for texts in (("pla.dll", "The set is locked.\x1b", "pla.chm"), (None, "Why", None), ("x", None, None)):
        stub = Stub().orpcthat(extents=[(ERROR_EXTENSION, error_information(*texts, aligned, lead))])
        calls.call("IDataCollectorSet", 61, raw=stub.u32(0x80004005).bytes(), ipid=SET)
    trees = calls.trees(tshark, tmp_path)[1::2]
    texts = [[(item := tree.first("pla.error_info." + name)) and item.show for name in ("source", "description", "help_file")]
             for tree in trees]
    assert texts[0][0] == "pla.dll" and texts[0][1].startswith("The set is locked.") and texts[0][2] == "pla.chm"
    assert texts[1:] == [[None, "Why", None], ["x", None, None]]
    assert trees[0].first("pla.error_info.iid").show == IID["IDataCollectorSet"]
    assert trees[0].first("pla.error_info.help_context").show == "17"
    infos = calls.infos(tshark, tmp_path)[1::2]
    assert re.search(r"-> E_FAIL: The set is locked\.\\{1,2}(x1b|033)$", infos[0]) and infos[1].endswith("-> E_FAIL: Why")
    assert infos[2].endswith("-> E_FAIL")
    assert not any(item.name.startswith("pla.malformed") for tree in trees for item in tree.walk())


def test_error_information_that_is_cut(tshark, tmp_path):
    """Each length: said, or shown as bytes, without an exception."""
    whole = error_information("pla.dll", "Locked", "pla.chm")
    calls = Calls()
    for length in range(1, len(whole)):
        stub = Stub().orpcthat(extents=[(ERROR_EXTENSION, whole[:length])])
        calls.call("IDataCollectorSet", 61, raw=stub.u32(0x80004005).bytes(), ipid=SET)
    trees = calls.trees(tshark, tmp_path)[1::2]
    assert all(tree.first("pla.hresult").show == "0x80004005" for tree in some(trees))
    assert not any("Exception" in item.showname for tree in trees for item in tree.walk())


# Of which some 150 are those of the layers below.
@pytest.mark.parametrize("items", [180, 200, 220])
def test_a_full_tree_loses_nothing_that_is_learned(tshark, tmp_path, items):
    """However few items a user's Wireshark shows, names, counts and the Info column are those of the whole call."""
    calls = Calls()
    interfaces = ("IDataCollectorSet", "IDataCollectorCollection", "IPerformanceCounterDataCollector", "IDataCollector")
    calls.capture.bind([IID[name] for name in interfaces])
    calls.bound = set(IID)
    collection(calls)
    elements = [rf"\Process(p#{number})\% User Time" for number in range(200)]
    calls.call("IPerformanceCounterDataCollector", 35, lambda stub: stub.safearray(8, elements), ipid=COLLECTOR)
    calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", 3),
               lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], COLLECTOR, oid=83)), ipid=COLLECTORS)
    calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(1), ipid=SET)
    path = calls.capture.write(tmp_path / "full.pcap")
    columns = ("-o", 'gui.column.format:"Info","%i"')
    few = ("-o", f"gui.max_tree_items:{items}")
    if not tshark.bears(path, *columns, "-P", "-V", *few):
        pytest.skip("Wireshark itself does not bear this limit")

    def lines(*options):
        output = tshark.run(path, *columns, *options, check=False)
        return [re.sub(r"\[Dissector bug.*", "", line).strip() for line in output.splitlines()
                if re.match(r"\S+ (\(\w+\) )?(request|response)\b", line)]

    whole = lines()
    assert len(whole) == 10
    assert lines("-P", "-V", *few) == whole
    assert sets_table(tshark, calls, tmp_path)[0][:5] == ["Set1", "10.0.0.2", "4", "0", "Running"]
    table = tshark.run(path, "-V", *few, "-z", "pla,sets", check=False)
    assert "Dissector bug" in table
    assert table_rows(table)[0][:5] == ["Set1", "10.0.0.2", "4", "0", "Running"]


def test_text_of_the_wire_is_escaped_and_bounded(tshark, tmp_path):
    """In labels of VARIANTs, of Invoke's arguments, of bindings and roles, as in all else."""
    nasty = "a\x1b[31m\nb" + "x" * 5000
    calls = Calls()
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_BSTR", nasty))
    calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_BSTR", nasty),
               lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], COLLECTOR, address=nasty)), ipid=COLLECTORS)
    calls.call("IDataCollector", 25, lambda stub: stub.bstr(nasty), ipid=COLLECTOR)
    path = calls.capture.write(tmp_path / "nasty.pcap")
    output = tshark.run(path, "-V", "-O", "pla") + tshark.run(path)
    assert "\x1b" not in output
    assert max(map(len, output.splitlines())) < 2000


@pytest.mark.parametrize("vartype, field", [(5, "dcom.vt.r8"), (7, "dcom.vt.date")])
def test_columns_of_many_numbers(tshark, tmp_path, vartype, field):
    """Wireshark writes beyond a custom column that hundreds of floating numbers stand in: it gets no more than have room."""
    values = [0x3FF3C0CA428C59FB] * 3000  # 1.2345678
    kind = {5: "VT_R8", 7: "VT_DATE"}[vartype]
    calls = Calls().call("IValueMapItem", 13, None, lambda stub: stub.variant(
        kind, array=lambda s: s.safearray_body(SF_I8, values, vartype=vartype, element_size=8)))  # fmt: skip
    path = calls.capture.write(tmp_path / "many.pcap")
    output = tshark.run(path, "-o", f'gui.column.format:"N","%Cus:{field}:0:R"', "-Y", "pla.value")
    assert output.startswith("1.23456")
    assert tshark.fields(path, "pla.hresult", display_filter="pla.value") == [[["0x00000000"]]]
