# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA]: every method of every interface, and what the plugin makes of them.

The captures are written here (lib/orpc.py) from the specification; pla-methods.tsv is its list of methods.
"""

import re
import uuid
from collections import defaultdict

import pytest

from lib.orpc import NDR64, SF_BSTR, SF_I1, SF_I4, Capture, Stub, objref
from lib.pla import ENUMS, IID, INTERFACES, IPID, ONLY, SHORT_NAMES, XML, Calls, filter_name, invoke, invoked, names, pla_of, session_of_a_set, show
from lib.some import some

# [MS-PLA] 2.2.1, [MS-ERREF], winerror.h.
HRESULTS = {
    0: "S_OK", 1: "S_FALSE", 0x00300100: "PLA_S_PROPERTY_IGNORED", 0x80300002: "PLA_E_DCS_NOT_FOUND",
    0x80300045: "PLA_E_TOO_MANY_FOLDERS", 0x80300070: "PLA_E_NO_MIN_DISK", 0x803000AA: "PLA_E_DCS_IN_USE",
    0x803000B7: "PLA_E_DCS_ALREADY_EXISTS", 0x80300101: "PLA_E_PROPERTY_CONFLICT",
    0x80300102: "PLA_E_DCS_SINGLETON_REQUIRED", 0x80300103: "PLA_E_CREDENTIALS_REQUIRED",
    0x80300104: "PLA_E_DCS_NOT_RUNNING", 0x80300105: "PLA_E_CONFLICT_INCL_EXCL_API",
    0x80300106: "PLA_E_NETWORK_EXE_NOT_VALID", 0x80300107: "PLA_E_EXE_ALREADY_CONFIGURED",
    0x80300108: "PLA_E_EXE_PATH_NOT_VALID", 0x80300109: "PLA_E_DC_ALREADY_EXISTS",
    0x8030010A: "PLA_E_DCS_START_WAIT_TIMEOUT", 0x8030010B: "PLA_E_DC_START_WAIT_TIMEOUT",
    0x8030010C: "PLA_E_REPORT_WAIT_TIMEOUT", 0x8030010D: "PLA_E_NO_DUPLICATES",
    0x8030010E: "PLA_E_EXE_FULL_PATH_REQUIRED", 0x8030010F: "PLA_E_INVALID_SESSION_NAME",
    0x80300110: "PLA_E_PLA_CHANNEL_NOT_ENABLED", 0x80300111: "PLA_E_TASKSCHED_CHANNEL_NOT_ENABLED",
    0x80300112: "PLA_E_RULES_MANAGER_FAILED", 0x80300113: "PLA_E_CABAPI_FAILURE", 0x80004001: "E_NOTIMPL",
    0x80004002: "E_NOINTERFACE", 0x80004003: "E_POINTER", 0x80004004: "E_ABORT", 0x80004005: "E_FAIL",
    0x8000FFFF: "E_UNEXPECTED", 0x80070005: "E_ACCESSDENIED", 0x8007000E: "E_OUTOFMEMORY", 0x80070057: "E_INVALIDARG",
    0x80070002: "HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND)",
}
NAMELESS = [0x8123ABCD, 0x8007FFF0, 0x81230005]  # fmt: skip


class Style:
    """How a stack marshals what [MS-PLA] leaves open."""

    def __init__(self, name, enum_bits=32, pointers=2, referent=True, big_endian=False, extents=None):
        self.name, self.enum_bits, self.pointers, self.referent = name, enum_bits, pointers, referent
        self.big_endian, self.extents = big_endian, extents

    def __repr__(self):
        return self.name


STYLES = [
    Style("typelib"),
    Style("idl", enum_bits=16, pointers=1, referent=False),
    Style("big-endian", big_endian=True),
    Style("big-endian-16", big_endian=True, enum_bits=16, pointers=1),
    Style("extents", extents=[(uuid.UUID(int=5), b"abc"), (uuid.UUID(int=6), b"12345678")]),
]
VARIANTS = [("VT_I4", 70000), ("VT_UI4", 3), ("VT_I2", -2), ("VT_R8", 0.5), ("VT_BSTR", "t\u00e4xt"), ("VT_UI8", 2**63),
            ("VT_BOOL", 0xFFFF), ("VT_I8", -5), ("VT_EMPTY", None), ("VT_ERROR", 0x8000FFFF)]  # fmt: skip
VARIANT_TEXT = ["70000", "3", "-2", "0.5", "t\u00e4xt", str(2**63), "true", "-5", "VT_EMPTY", "0x8000ffff"]


def write_argument(stub, style, kind, filter_, number):
    """Writes a value that suits the type; returns what must be shown: [(field, show), ...]."""
    if kind in ("unsigned long", "ULONG"):
        value = 1000 + number
        stub.u32(value)
        return [(filter_, f"0x{value:08x}" if filter_ in ("pla.extended_modes", "pla.security_info") else str(value))]
    if kind == "long":
        stub.u32(0xFFFFFFFF - number)
        return [(filter_, str(-1 - number))]
    if kind == "ULONG64":
        stub.number("Q", 2**40 + number)
        return [(filter_, str(2**40 + number))]
    if kind == "VARIANT_BOOL":
        stub.u16(0xFFFF if number % 2 else 0)
        return [(filter_, str(number % 2))]
    if kind == "GUID":
        value = uuid.UUID(f"{number:08x}-1234-5678-9abc-def012345678")
        stub.guid(value)
        return [(filter_, str(value))]
    if kind == "BSTR":
        if filter_ == "pla.password":
            stub.bstr("secret")
            return [(filter_, "")]
        text = f"{filter_} \u00e4\u20ac\U0001f600 {number}"
        stub.bstr(text)
        return [(filter_, text)]
    if kind == "SAFEARRAY(BSTR)":
        texts = [f"{filter_} {number}", "\u65e5\u672c", ""]
        stub.safearray(SF_BSTR, texts, style.pointers)
        return [(filter_, text) for text in texts] + [("pla.safearray.pointers", str(style.pointers))]
    if kind == "SAFEARRAY(BYTE)":
        stub.safearray(SF_I1, bytes(range(7)), style.pointers, vartype=17, element_size=1)
        return [(filter_, "00:01:02:03:04:05:06")]
    if kind == "VARIANT":
        if filter_ == "pla.index":
            stub.variant("VT_I4", number, referent=style.referent)
            return [(filter_, str(number)), ("pla.variant.referent", str(int(style.referent)))]
        choice = number % len(VARIANTS)
        stub.variant(*VARIANTS[choice], referent=style.referent)
        return [(filter_, VARIANT_TEXT[choice])]
    if kind.rstrip("*") in IID:
        ipid = uuid.UUID(int=number + 1)
        stub.interface_pointer(objref(IID[kind.rstrip("*")], ipid, oid=number + 1))
        return [(filter_, str(ipid)), ("dcom.iid", IID[kind.rstrip("*")]), ("dcom.oxid", "0x1122334455667788")]
    flags, values = ENUMS[kind]
    value = sorted(values)[number % len(values)]
    stub.enum(value, style.enum_bits)
    return [(filter_, f"0x{value:08x}" if flags else str(value))]


def every_call(style):
    """A capture with every method once in each direction; yields what each PDU must show."""
    capture = Capture()
    capture.bind(list(dict.fromkeys(iid for iid, _ in INTERFACES.values())), big_endian=style.big_endian)
    expected = []
    number = 0
    for interface, (iid, methods) in INTERFACES.items():
        for opnum, (method, parameters) in sorted(methods.items()):
            request = Stub(style.big_endian).orpcthis(extents=style.extents)
            response = Stub(style.big_endian).orpcthat(extents=style.extents)
            fields = {False: [("dcom.ipid", str(IPID))], True: []}
            number += 1
            for out, name, kind in parameters:
                field = filter_name(interface, method, name, out)
                fields[out] += write_argument(response if out else request, style, kind, field, number)
            used = "NotUsedOnWire" not in method
            if used:
                fields[True].append(("pla.hresult", f"0x{list(HRESULTS)[number % len(HRESULTS)]:08x}"))
            response.u32(list(HRESULTS)[number % len(HRESULTS)])
            capture.request(iid, opnum, request.bytes(), IPID, big_endian=style.big_endian)
            capture.response(iid, response.bytes(), big_endian=style.big_endian)
            for out in (False, True):
                expected.append((interface, opnum, method, out, fields[out], used))
    return capture, expected


@pytest.mark.parametrize("style", STYLES, ids=repr)
def test_every_method_shows_each_argument(tshark, tmp_path, style):
    capture, expected = every_call(style)
    assert len({(interface, opnum) for interface, opnum, *_ in expected}) == 310 + 5 * 25
    path = capture.write(tmp_path / "all.pcap")
    packets = tshark.packets(path, *ONLY, display_filter="pla")
    assert len(packets) == len(expected)
    for packet, (interface, opnum, method, out, fields, used) in zip(packets, expected, strict=True):
        what = f"{interface} {opnum} {method} {'response' if out else 'request'}"
        tree = pla_of(packet)
        assert tree.showname.startswith(interface + ","), what
        assert tree.first("pla.interface").show == interface, what
        assert tree.first("pla.opnum").show == str(opnum), what
        assert method in tree.first("pla.opnum").showname, what
        items = defaultdict(list)
        for item in tree.walk():
            items[item.name].append(item)
        for name in dict.fromkeys(name for name, _ in fields):
            values = [value for field, value in fields if field == name]
            found = [show(item) for item in items[name]]
            # An interface pointer has an IPID too.
            assert (found[:1] if name == "dcom.ipid" else found) == values, f"{what}: {name}"
        assert "_ws.malformed" not in items and not any(name.startswith("pla.malformed") for name in items), what
        assert ("pla.not_on_wire" in items) == (not used), what
        assert not any("Long frame" in item.showname for protocol in packet for item in protocol.walk()), what


def test_up_to_seven_bytes_left_over_are_padding(tshark, tmp_path):
    """Wireshark says of more that the frame is too long."""
    calls = Calls()
    for left in range(10):
        calls.call("IDataCollectorSet", 9, raw_request=Stub().orpcthis().u32(60).bytes() + bytes(left))
    shown = [["Long frame" in item.showname for item in protocol.walk()] for protocol in
             (packet[-1] for packet in tshark.packets(calls.capture.write(tmp_path / "left.pcap"), display_filter="pla.opnum && dcerpc.pkt_type == 0"))]
    assert [any(each) for each in shown] == [False] * 8 + [True] * 2


def test_protocol_column_and_filter(tshark, tmp_path):
    capture, expected = every_call(STYLES[0])
    path = capture.write(tmp_path / "all.pcap")
    rows = tshark.fields(path, "_ws.col.Protocol", "_ws.col.Info", display_filter="pla")
    assert len(rows) == len(expected)
    for (protocol, information), (interface, _, method, out, _, _) in zip(rows, expected, strict=True):
        assert protocol == [SHORT_NAMES[interface]]
        assert information[0].startswith(f"{method} {'response' if out else 'request'}")
        assert "secret" not in information[0]
    assert [row for row in tshark.fields(path, "frame.number", display_filter="pla.opnum == 8 && pla.interface == ISchedule")]


def test_one_pass_and_two_say_the_same(tshark, tmp_path):
    """All but what objects are called: with two passes a name learned later is known."""
    capture, expected = every_call(STYLES[0])
    path = capture.write(tmp_path / "all.pcap")

    def shown(two_pass):
        lines = tshark.run(path, "-T", "pdml", *ONLY, "-Y", "pla", *(["-2"] if two_pass else [])).splitlines()
        return some(
            (re.sub(r" \((I\w+)(, [^\"]*)?\)\"", r' (\1)"', line) for line in lines
             if "<field" in line and "Response in" not in line and 'name="pla.object"' not in line and 'name="pla.reference"' not in line),
            len(expected))

    assert shown(False) == shown(True)


# A method that takes or returns each enumeration.
ENUM_METHODS = {
    kind.rstrip("*"): (interface, opnum, out)
    for interface, (_, methods) in INTERFACES.items()
    for opnum, (_, parameters) in methods.items()
    for out, _, kind in parameters
    if kind.rstrip("*") in ENUMS and len(parameters) == 1
} | {"CommitMode": ("IDataCollectorSet", 60, False), "DataManagerSteps": ("IDataManager", 30, False)}


@pytest.mark.parametrize("bits", [16, 32])
def test_enumerations_name_each_value_and_flag(tshark, tmp_path, bits):
    calls, expected = Calls(), []
    for kind, (flags, values) in ENUMS.items():
        interface, opnum, out = ENUM_METHODS[kind]
        combined = {value: name for value, name in values.items() if value & (value - 1) == 0 and value}
        wanted = list(values.items()) + (
            [(sum(combined), "|".join(combined.values())), (0x8000, "0x8000")] if flags else [(200, None)]
        )
        for value, name in wanted:
            if kind == "WeekDays" and value == 0x7F:
                name = "plaEveryday"

            def write(stub, kind=kind, value=value):
                if kind == "CommitMode":
                    stub.bstr("odd").bstr("server " * (value % 2))
                stub.enum(value, bits)
                if kind == "DataManagerSteps":
                    stub.bstr("folder")

            if out:
                calls.call(interface, opnum, None, write)
            else:
                calls.call(interface, opnum, write, lambda stub: stub.interface_pointer(None))
            expected.append((kind, flags, values, value, name, out))
    trees = calls.trees(tshark, tmp_path)
    assert len(trees) == 2 * len(expected)
    for number, (kind, flags, values, value, name, out) in enumerate(expected):
        tree = trees[2 * number + out]
        what = f"{kind} {value:#x} in {bits} bits"
        items = [item for item in tree.children if item.showname.endswith(f"({name})")]
        if name is None:
            items = [item for item in tree.children if f"none of {kind}" in item.showname]
        assert len(items) == 1, what
        if flags:
            shown = {item.showname.split("= ")[1].split(":")[0] for item in items[0].children if show(item) == "1"}
            assert shown == {single for bit, single in values.items() if bit & (bit - 1) == 0 and bit & value}, what
        if kind == "DataManagerSteps":
            assert tree.first("pla.bstr_folder").show == "folder", what
        if not out and kind not in ("DataManagerSteps",):
            assert tree.first("pla.enum.width").show == str(bits), what


def test_hresults_have_their_names(tshark, tmp_path):
    calls = Calls()
    for code in [*HRESULTS, *NAMELESS]:
        calls.call("IDataCollectorSet", 61, hresult=code)
    trees = calls.trees(tshark, tmp_path)[1::2]
    infos = calls.infos(tshark, tmp_path)[1::2]
    expected = [*HRESULTS.items(), *((code, f"0x{code:08x}") for code in NAMELESS)]
    for tree, info, (code, name) in some(zip(trees, infos, expected, strict=True)):
        assert tree.first("pla.hresult").show == f"0x{code:08x}"
        assert info.endswith("-> " + name)
        assert bool(tree.find("pla.failed")) == (code >= 0x80000000)
        if code in HRESULTS:
            assert name in tree.first("pla.hresult").showname
        if code == 0x80300002:
            assert "no such data collector set" in tree.first("pla.hresult").showname


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("big_endian", [False, True], ids=["little-endian", "big-endian"])
def test_idispatch_names_members_and_their_arguments(tshark, tmp_path, big_endian, two_pass):
    """Opnums 3 to 6, [MS-OAUT] 3.1.4."""
    calls = Calls(big_endian=big_endian)
    calls.call("IDataCollectorSet", 3, None, lambda stub: stub.u32(1))
    calls.call("IDataCollectorSet", 4, lambda stub: stub.u32(0).u32(0x409), lambda stub: stub.interface_pointer(None))
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "Duration"), lambda stub: stub.u32(1).u32(0x60020002))
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 0x60020002, [("VT_I4", 60)]), lambda stub: invoked(stub, 1003, 70000))
    calls.call("IDataCollectorSetCollection", 6, lambda stub: invoke(stub, 1, [], 2), invoked)
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "SetCredentials"), lambda stub: stub.u32(1).u32(77))
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 77, [("VT_BSTR", "Passw0rd!")], 1), invoked)
    output = tshark.run(calls.capture.write(tmp_path / "dispatch.pcap"), "-V", *(["-2"] if two_pass else []))
    assert "SetCredentials" in output and "Passw0rd!" not in output
    trees = calls.trees(tshark, tmp_path, two_pass=two_pass)
    for tree in trees:
        assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for item in tree.walk())
    assert trees[1].first("pla.pctinfo").show == "1"
    assert trees[4].first("pla.rgsz_names").show == "Duration"
    assert trees[5].first("pla.rg_disp_id").show == str(0x60020002)
    assert trees[6].first("pla.member").show == "Duration"
    assert trees[6].first("dcom.vt.i4").show == "60"
    assert [trees[6].first(f"pla.disp_params.{member}").show for member in ("c_args", "c_named_args", "named_arg")] == ["1", "1", "-3"]
    assert trees[7].first("pla.p_var_result").show == "42"
    shown = {item.name.removeprefix("pla.excep_info."): item.show for item in trees[7].walk() if item.name.startswith("pla.excep_info.")}
    assert shown == {"code": "1003", "source": "Source", "description": "What went wrong", "help_context": "70000", "scode": "0x80070057"}
    assert trees[7].first("pla.hresult").show == "0x00000000"
    assert trees[8].first("pla.member").show == "Count"


@pytest.mark.parametrize("texts", [("Source",), ()], ids=["one", "none"])
def test_an_exception_shows_no_text_that_did_not_come(tshark, tmp_path, texts):
    """It says that there are two; the stub ends within the counts of the next one, and that one is not there, not even as an empty one."""
    calls = Calls()
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 1, [], 2), raw=invoked(Stub().orpcthat(), texts=texts).bytes())
    tree = calls.trees(tshark, tmp_path)[1]
    shown = {item.name.removeprefix("pla.excep_info."): item.show for item in tree.walk() if item.name.startswith("pla.excep_info.")}
    assert shown == {"code": "0", "help_context": "0", "scode": "0x80070057", **dict(zip(["source", "description"], texts))}
    assert tree.first("pla.malformed.overrun")


def test_dispids_of_the_idl(tshark, tmp_path):
    """DISPID_NEWENUM, DISPID_VALUE and those that [MS-PLA] 6 gives; no name for others."""
    cases = [
        ("IScheduleCollection", -4, "_NewEnum"), ("IDataCollectorSet", 0, "Name"), ("IScheduleCollection", 0, "Item"),
        ("IScheduleCollection", 1, "Count"), ("IScheduleCollection", 2, None), ("ISchedule", 1, None),
    ]  # fmt: skip
    calls = Calls()
    for interface, number, _ in cases:
        calls.call(interface, 6, lambda stub, number=number: invoke(stub, number, [], 2), invoked)
    # GetIDsOfNames without any name, and one that fails: nothing to learn.
    calls.call("IDataCollectorSet", 5, names, lambda stub: stub.u32(0))
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, None), lambda stub: stub.u32(1).u32(3))
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "x"), lambda stub: stub.u32(0), hresult=0x80020006)
    trees = calls.trees(tshark, tmp_path)
    found = [(item := tree.first("pla.member")) and item.show for tree in trees[: 2 * len(cases) : 2]]
    assert found == [name for *_, name in cases]
    assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for tree in trees for item in tree.walk())


def test_ndr64_is_said_not_guessed(tshark, tmp_path):
    """What needs no parameter is told all the same: method, IPID, and the HRESULT that ends the stub."""
    capture = Capture()
    capture.bind([IID["IDataCollectorSet"]], syntax=NDR64)
    capture.request(IID["IDataCollectorSet"], 61, Stub().orpcthis().bytes(), IPID)
    capture.response(IID["IDataCollectorSet"], Stub().orpcthat().raw(bytes(8)).u32(0x803000AA).bytes())
    path = capture.write(tmp_path / "ndr64.pcap")
    trees = [pla_of(packet) for packet in tshark.packets(path, display_filter="pla")]
    assert all(tree.find("pla.ndr64") and tree.first("dcom.ipid").show == str(IPID) for tree in some(trees))
    assert trees[1].first("pla.hresult").show == "0x803000aa"
    assert tshark.fields(path, "_ws.col.Info", display_filter="pla")[1][0][0].endswith("Delete response -> PLA_E_DCS_IN_USE")


def test_lines_do_not_depend_on_a_tree(tshark, tmp_path):
    """tshark makes no tree where nobody looks at one: the same is learned and said."""
    capture, _ = every_call(STYLES[0])
    calls = session_of_a_set()
    calls.call("IPerformanceCounterDataCollector", 34, None, lambda stub: stub.safearray(SF_BSTR, [r"\A(b)\C", "x"]))
    calls.call("IAlertDataCollector", 33, lambda stub: stub.safearray(SF_BSTR, [r"\A\B>1"]))
    calls.call("IDataCollectorSet", 64, lambda stub: stub.bstr(XML), lambda stub: stub.interface_pointer(None))
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.little(1).little(0x7FFFFFFF).little(8).little(4).raw(b"N\0a\0"))
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.little(1).little(0x7FFFFFFF).little(8).little(4))
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "Duration"), lambda stub: stub.u32(1).u32(9))
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 9, [("VT_I4", 60)], references=[0]), invoked)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", array=lambda s: s.safearray_body(SF_I4, [1, 2, 3])))
    for written in (capture, calls.capture):
        path = written.write(tmp_path / "lines.pcap")
        column = ("-o", 'gui.column.format:"Info","%i"')
        lines = [line for line in tshark.run(path, *column).splitlines() if re.search(r" (request|response)\b", line)]
        assert len(lines) > 20
        assert lines == tshark.run(path, *column, "-Y", "pla").splitlines()  # a filter needs a tree
