# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA]: every method of every interface, and what the plugin makes of them.

The captures are written here (lib/orpc.py) from the specification; pla-methods.tsv is its list of methods.
"""

import re
import struct
import uuid
from collections import defaultdict

import pytest

from lib.orpc import (
    NDR64, NULL_POINTER, SF_BSTR, SF_HAVEIID, SF_I1, SF_I2, SF_I4, SF_I8, SF_UNKNOWN, SF_VARIANT, Capture, Stub, objref,
    objref_of,
)  # fmt: skip
from lib.pla import (
    ENUMS, IID, INTERFACES, IPID, ONLY, OTHER, SHORT_NAMES, XML, Calls, filter_name, invoke, invoked, names, pla_of, show,
)  # fmt: skip
from lib.some import some
from lib.tables import named_rows, table_rows

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
NAMELESS = [0x8123ABCD, 0x8007FFF0]  # fmt: skip

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
def test_every_method(tshark, tmp_path, style):
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
def test_enumerations(tshark, tmp_path, bits):
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


def test_hresults(tshark, tmp_path):
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


def test_three_kinds_of_nothing(tshark, tmp_path):
    calls = Calls()
    for nothing in (NULL_POINTER, None, "", "text"):
        calls.call("IDataCollectorSet", 59, lambda stub, nothing=nothing: stub.bstr("n").bstr(nothing))
    names = []
    for tree in calls.trees(tshark, tmp_path)[::2]:
        server = tree.first("pla.server")
        kind = server.first("pla.bstr.nothing")
        names.append(kind.showname.split(": ")[1].split(" (")[0] if kind else server.show)
    assert names == ["NULL pointer", "null BSTR", "empty string", "text"]


@pytest.mark.parametrize(
    "data, text",
    [
        ("a\0b\0\0", "a\u2400b"),
        ("\ud800x".encode("utf-16le", "surrogatepass"), "\ufffdx"),
        (b"a\0b\0c", "ab"),
        ("\U0001f600" * 3, "\U0001f600" * 3),
        ("x" * 70000, "x" * 70000),
    ],
    ids=["zeros", "unpaired surrogate", "odd length", "surrogates", "long"],
)
def test_text(tshark, tmp_path, data, text):
    trees = Calls().call("IDataCollectorSet", 11, lambda stub: stub.bstr(data)).trees(tshark, tmp_path)
    shown = trees[0].first("pla.description").show
    assert shown == text or (len(text) > 1000 and text.startswith(shown[:100]))
    assert not trees[0].find("pla.odd")


def test_control_characters_stay_out_of_lines(tshark, tmp_path):
    calls = Calls()
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("a\nb\x1b[31m\\c" + "\u00e4" * 100).bstr(None))
    # The cut at 60 bytes does not go through a character.
    calls.call("IDataCollectorSet", 14, lambda stub: stub.bstr("\t\x7f\r" + "\u00e4" * 100), ipid=OTHER)
    path = calls.capture.write(tmp_path / "control.pcap")
    lines = tshark.run(path, "-Y", "pla").splitlines() + tshark.run(path, "-q", "-z", "pla,sets").splitlines()
    # Wireshark's own way to write the escape character changed.
    assert sum(bool(re.search(r"a\\nb\\(x1b|033)\[31m\\c", line)) for line in lines) == 3
    assert not any("\x1b" in line for line in lines)
    assert "..." in lines[0]
    (name,) = [re.search("DisplayName=(.*)$", line)[1].replace(r"\177", r"\x7f") for line in lines if "DisplayName=" in line]
    assert re.fullmatch(r'"\\t\\x7f\\r\u00e4+\.\.\."', name) and len(name.encode()) <= 62


def test_variants(tshark, tmp_path):
    """Every type a value-map item may hold, also arrays, and VARIANTs in arrays in VARIANTs."""
    cases = [
        (lambda stub: stub.variant("VT_I1", -1), "-1"),
        (lambda stub: stub.variant("VT_UI1", 255), "255"),
        (lambda stub: stub.variant("VT_UI2", 65535), "65535"),
        (lambda stub: stub.variant("VT_INT", -7), "-7"),
        (lambda stub: stub.variant("VT_UINT", 7), "7"),
        (lambda stub: stub.variant("VT_R4", 1.5), "1.5"),
        (lambda stub: stub.variant("VT_CY", -12345), "-1.2345"),
        (lambda stub: stub.variant("VT_CY", 50001), "5.0001"),
        (lambda stub: stub.variant("VT_DATE", 45658.25), "2025-01-01 06:00:00"),
        (lambda stub: stub.variant("VT_NULL"), "VT_NULL"),
        (lambda stub: stub.variant("VT_BSTR", None), "NULL"),
        (lambda stub: stub.variant("VT_BSTR", ""), ""),
        (lambda stub: stub.variant("VT_DISPATCH", objref(IID["IValueMapItem"], OTHER)), str(OTHER)),
        (lambda stub: stub.variant("VT_UNKNOWN", None), "NULL"),
        (lambda stub: stub.variant("VT_I2", array=lambda s: s.safearray_body(SF_I2, [1, -2])), "2 elements: 1"),
        (lambda stub: stub.variant("VT_UI4", array=lambda s: s.safearray_body(SF_I4, [-1], vartype=19)), "1 elements: 4294967295"),
        (lambda stub: stub.variant("VT_DATE", array=lambda s: s.safearray_body(SF_I8, [0], vartype=7)), "1 elements: 1899-12-30 00:00:00"),
        (lambda stub: stub.variant("VT_BSTR", array=lambda s: s.safearray_body(SF_BSTR, ["a", "b"])), "2 elements: a"),
        (lambda stub: stub.variant("VT_I4", array=lambda s: s.safearray_body(SF_VARIANT, [
            lambda t: t.variant_body("VT_BSTR", "deep"), lambda t: t.variant_body("VT_I4", 5)])), "2 elements: deep"),
        (lambda stub: stub.variant("VT_BOOL", 0xFFFF), "true"),
        (lambda stub: stub.variant("VT_BOOL", 0), "false"),
        (lambda stub: stub.variant("VT_DECIMAL", struct.pack("<HBBIQ", 0, 3, 0x80, 0, 12)), "-0.012"),
        (lambda stub: stub.variant("VT_DECIMAL", struct.pack("<HBBIQ", 0, 0, 0, 0, 2**64 - 1)), str(2**64 - 1)),
        (lambda stub: stub.variant("VT_DECIMAL", struct.pack("<HBBIQ", 0, 0, 0, 1, 0)), "00000000010000000000000000000000"),
        (lambda stub: stub.variant("VT_DECIMAL", struct.pack("<HBBIQ", 0, 29, 0, 0, 5)), "00001d00000000000500000000000000"),
        (lambda stub: stub.little(1).variant_body("VT_I4", 9, by_reference=True), "9"),
        (lambda stub: stub.little(1).align(8).raw(struct.pack("<IIHHHHIII", 4, 0, 0x400C, 0, 0, 0, 0x400C, 1, 0)), "NULL"),
        (lambda stub: stub.variant("VT_UNKNOWN", objref_of(4, IID["IValueMap"], bytes(16) + b"custom")), "OBJREF"),
        (lambda stub: stub.variant("VT_UI1", array=lambda s: s.safearray_body(SF_I1, range(1, 21), vartype=17)),
         "20 elements: 0102030405060708090a0b0c0d0e0f10"),
        # cLocks names a type that is unknown, or of another size than the elements: those of sfType then.
        (lambda stub: stub.variant("VT_I4", array=lambda s: s.safearray_body(SF_I4, [-1], vartype=0x99)), "1 elements: -1"),
        (lambda stub: stub.variant("VT_I4", array=lambda s: s.safearray_body(SF_I4, [-1], vartype=18)), "1 elements: -1"),
        (lambda stub: stub.little(1).variant_body("VT_I4", by_reference=False), "NULL"),
        (lambda stub: stub.little(1).variant_body("VT_BSTR", "far", by_reference=True), "far"),
        (lambda stub: stub.little(1).variant_body(
            "VT_VARIANT", lambda t: t.variant_body("VT_I4", 11), by_reference=True), "11"),
        (lambda stub: stub.variant("VT_UNKNOWN", array=lambda s: s.safearray_body(
            SF_UNKNOWN, [None, objref(IID["IValueMap"], OTHER)])), "2 elements"),
        (lambda stub: stub.variant("VT_UNKNOWN", array=lambda s: s.safearray_body(
            SF_HAVEIID, [objref(IID["IValueMap"], OTHER)])), "1 elements"),
        (lambda stub: stub.variant("VT_I4", array=lambda s: s.little(0)), "NULL"),
        (lambda stub: stub.little(0), "NULL"),
        (lambda stub: stub.variant("VT_I8", 20, referent=False), "20"),
        (lambda stub: stub.variant("VT_EMPTY", referent=False), "VT_EMPTY"),
    ]  # fmt: skip
    calls = Calls()
    for write, _ in cases:
        calls.call("IValueMapItem", 13, None, write)
    for number, (tree, (_, text)) in some(enumerate(zip(calls.trees(tshark, tmp_path)[1::2], cases, strict=True))):
        assert tree.first("pla.value").show == text, number
        assert tree.first("pla.hresult").show == "0x00000000", number
        assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for item in tree.walk()), number


def test_variant_off_the_boundary(tshark, tmp_path):
    """After an ORPCTHAT of 60 bytes the VARIANT starts at 64, be there a referent or not."""
    stub = Stub().u32(0).u32(0x20000).u32(1).u32(0).u32(0x20004).u32(1).u32(0x20008)
    stub.u32(8).guid(IPID).u32(8).raw(b"8 bytes.")
    assert len(stub.data) == 60
    calls = Calls().call("IValueMapItem", 13, raw=stub.variant("VT_I4", 5).u32(0).bytes())
    tree = calls.trees(tshark, tmp_path)[1]
    assert tree.first("pla.value").show == "5" and tree.first("pla.hresult").show == "0x00000000"
    assert show(tree.first("pla.variant.referent")) == "1"


DATES = [
    (0.0, "1899-12-30 00:00:00"),
    (-1.25, "1899-12-29 06:00:00"),  # the fraction counts forward: [MS-OAUT] 2.2.25
    (2.0, "1900-01-01 00:00:00"),
    (36585.999999, "2000-03-01 00:00:00"),  # rounds up to the next day
    (36585.5, "2000-02-29 12:00:00"),
    (2958465.0, "9999-12-31 00:00:00"),
    (-657434.0, "0100-01-01 00:00:00"),
    (1e300, "1e+300 (out of range)"),
    (float("nan"), "nan (out of range)"),
]


def test_dates(tshark, tmp_path):
    calls = Calls()
    for date, _ in DATES:
        calls.call("IValueMapItem", 14, lambda stub, date=date: stub.variant("VT_DATE", date))
    shown = [tree.first("pla.value").show.replace("-nan", "nan") for tree in calls.trees(tshark, tmp_path)[::2]]
    assert shown == [text for _, text in DATES]


def test_schedules(tshark, tmp_path):
    calls = Calls()
    for opnum in (8, 10, 12):
        calls.call("ISchedule", opnum, lambda stub: stub.variant("VT_DATE", 45658.25))
    calls.call("ISchedule", 14, lambda stub: stub.enum(0x2A))
    trees = calls.trees(tshark, tmp_path)[::2]
    assert trees[0].first("pla.start_date").show == "2025-01-01"
    assert trees[1].first("pla.end_date").show == "2025-01-01"
    assert trees[2].first("pla.start_time").show == "06:00:00"
    assert "Monday|Wednesday|Friday" in calls.infos(tshark, tmp_path)[6]


def test_units_and_special_numbers(tshark, tmp_path):
    calls = Calls()
    calls.call("IDataCollectorSet", 9, lambda stub: stub.u32(0))
    calls.call("IAlertDataCollector", 37, lambda stub: stub.u32(0xFFFFFFFF))
    calls.call("IFolderAction", 8, lambda stub: stub.u32(30))
    infos = calls.infos(tshark, tmp_path)
    assert infos[0] == "Duration (Put) request, Duration=0 (no limit)"
    assert infos[2] == "SampleInterval (Put) request, SampleInterval=one sample only"
    assert infos[4] == "Age (Put) request, Age=30 days"


def test_safearray_of_another_type(tshark, tmp_path):
    """A SAFEARRAY is read by its own sfType, whatever the IDL says."""
    calls = Calls()
    calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_I4, [7, 8]))
    calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_BSTR, []))
    calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_BSTR, NULL_POINTER))
    calls.call("IDataCollectorSet", 17, lambda stub: stub.little(1).little(0))
    calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_BSTR, ["a", NULL_POINTER, None]))
    # Without FADF_HAVEVARTYPE nothing says more than sfType.
    calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_I4, [7, 8], features=0))
    trees = calls.trees(tshark, tmp_path)[::2]
    assert [item.show for item in trees[0].find("dcom.vt.i4")] == ["7", "8"]
    assert trees[0].find("pla.safearray.type")
    types = [tree.first("dcom.sa.vartype").showname.partition(": ")[2] for tree in (trees[0], trees[5])]
    assert types == ["SF_I4 (3), elements VT_I4", "SF_I4 (3)"]
    assert not trees[1].find("pla.keywords") and not trees[2].find("pla.keywords") and not trees[3].find("pla.keywords")
    assert [item.first("pla.bstr.nothing") is not None for item in trees[4].find("pla.keywords")] == [False, True, True]
    for tree in trees:
        assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for item in tree.walk())


PATHS = [
    (r"\\srv01\Process(explorer/0#12)\% Processor Time", ("srv01", "Process", "explorer", "0", "12", "% Processor Time")),
    (r"\Memory\Pages/sec", (None, "Memory", None, None, None, "Pages/sec")),
    (r"\Process(*)\% User Time", (None, "Process", None, "*", None, "% User Time")),
    (r"\Process(svchost#3)\ID Process", (None, "Process", None, "svchost", "3", "ID Process")),
    (r"\LogicalDisk(C:)\Avg. Disk sec/Read", (None, "LogicalDisk", None, "C:", None, "Avg. Disk sec/Read")),
    (r"\WF (System.Workflow) 4.0(_Total)\Workflows (all)", (None, "WF (System.Workflow) 4.0", None, "_Total", None, "Workflows (all)")),
    (r"\A(b (c))\D", (None, "A", None, "b (c)", None, "D")),
    (r"\Cache\Copy (sync) Reads/sec", (None, "Cache", None, None, None, "Copy (sync) Reads/sec")),
    (r"\A(C#)\B", (None, "A", None, "C#", None, "B")),
    (r"\A(svc3)\B", (None, "A", None, "svc3", None, "B")),
    (r"\A(12)\B", (None, "A", None, "12", None, "B")),
    (r"\A(b))\B", (None, "A", None, "b)", None, "B")),
    (r"\A(b\C", (None, "A(b", None, None, None, "C")),
]  # fmt: skip
PARTS = ("computer", "object", "parent", "instance", "index", "counter")


def test_counter_paths(tshark, tmp_path):
    bad = ["", "Memory\\Pages", "\\Memory", "\\\\srv", "\\(x)\\y", "\\a\\", "\\\\\\Memory\\x", "\\\\srv\\\\x"]
    texts = [path for path, _ in PATHS] + bad
    calls = Calls().call("IPerformanceCounterDataCollector", 35, lambda stub: stub.safearray(SF_BSTR, texts))
    items = calls.trees(tshark, tmp_path)[0].find("pla.performance_counters")
    assert [item.show for item in items] == texts
    for item, (path, parts) in zip(items, PATHS, strict=False):
        found = tuple((part := item.first("pla.path." + name)) and part.show for name in PARTS)
        assert found == parts, path
    for item in items[len(PATHS) :]:
        assert item.find("pla.text_syntax") and not item.find("pla.path.counter"), item.show


def test_alert_thresholds(tshark, tmp_path):
    cases = [
        (r"\Processor(_Total)\% Processor Time>90", r"\Processor(_Total)\% Processor Time", ">", "90"),
        (r"\Memory\Available MBytes < 12.5", r"\Memory\Available MBytes", "<", "12.5"),
        (r"\A<B>(x)\C>1e3", r"\A<B>(x)\C", ">", "1000"),
    ]
    texts = [case[0] for case in cases] + [r"\Memory\Pages/sec", r"\Memory\Pages/sec>many", r"\Memory\Pages/sec>5 MB"]
    calls = Calls().call("IAlertDataCollector", 33, lambda stub: stub.safearray(SF_BSTR, texts))
    items = calls.trees(tshark, tmp_path)[0].find("pla.alert_thresholds")
    for item, (text, path, operator, value) in zip(items, cases, strict=False):
        assert item.first("pla.threshold.path").show == path, text
        assert item.first("pla.threshold.operator").show == operator, text
        assert float(item.first("pla.threshold.value").show) == float(value), text
        assert item.first("pla.path.counter"), text
    assert all(item.find("pla.text_syntax") for item in some(items[3:]))


def test_file_name_patterns(tshark, tmp_path):
    cases = {
        "yyyyMMdd\\-NNN": 'year, month with 2 digits, day with 2 digits, "-", serial number with 3 digits',
        "MMMM d, yyyy \\a\\t h:mmtt": 'month name, " ", day, ", ", year, " at ", hour (12-hour clock), ":", '
        "minute with 2 digits, AM or PM",
        "Q": "Q (not a pattern)",
        "N": "serial number",
        "yyyy\\": 'year, "\\"',
        "y" * 257: None,
    }
    calls = Calls()
    for pattern in cases:
        calls.call("IDataCollectorSet", 39, lambda stub, pattern=pattern: stub.bstr(pattern))
    for tree, (pattern, meaning) in some(zip(calls.trees(tshark, tmp_path)[::2], cases.items(), strict=True)):
        item = tree.first("pla.subdirectory_format_pattern")
        assert item.show == pattern
        found = item.first("pla.pattern")
        assert (found and found.show) == meaning


@pytest.mark.parametrize("interface, opnum, field", [
    ("IDataCollectorSet", 64, "pla.xml"), ("IDataCollector", 30, "pla.xml"), ("ITraceDataCollector", 30, "pla.xml"),
    ("IDataCollectorCollection", 14, "pla.bstr_xml"), ("IDataManager", 29, "pla.rules"), ("IDataManager", 21, "pla.report_schema"),
])  # fmt: skip
def test_xml_is_handed_on(tshark, tmp_path, interface, opnum, field):
    calls = Calls().call(
        interface, opnum, lambda stub: stub.bstr(XML),
        lambda stub: stub.interface_pointer(None) if opnum == 64 or opnum == 30 else stub,
    )  # fmt: skip
    tree = calls.trees(tshark, tmp_path)[0]
    assert [item.show for item in tree.first(field).find("xml.cdata")] == ["T\u00e4st"]
    assert f'<DataCollectorSet> "T\u00e4st" ({len(XML)} chars)' in calls.infos(tshark, tmp_path)[0]
    rows = tshark.fields(calls.capture.write(tmp_path / "x.pcap"), "_ws.col.Protocol", display_filter="xml")
    assert rows == [[[SHORT_NAMES[interface]]]]


def test_large_xml(tshark, tmp_path):
    """What follows it is not lost, whatever the XML dissector makes of it."""
    for copies, shown in ((2000, True), (200000, False)):
        text = "<a>" + "<b/>" * copies + "</a>"
        calls = Calls().call("IDataCollectorSet", 52, None, lambda stub, text=text: stub.bstr(text))
        path = calls.capture.write(tmp_path / "xml.pcap")
        row = tshark.fields(path, "pla.hresult", "pla.xml_too_large", display_filter="pla && dcerpc.pkt_type == 2")[-1]
        assert row[0] == ["0x00000000"]
        assert bool(row[1]) != shown


def test_passwords(tshark, tmp_path):
    calls = Calls()
    calls.call("IDataCollectorSet", 58, lambda stub: stub.bstr("DOM\\user").bstr("Passw0rd!"))
    calls.call("IDataCollectorSet", 58, lambda stub: stub.bstr(None).bstr(None))
    calls.call("IDataCollectorSet", 58, lambda stub: stub.bstr("DOM\\user").bstr(None))
    path = calls.capture.write(tmp_path / "calls.pcap")
    assert "Passw0rd" not in tshark.run(path, "-V") + tshark.run(path)
    assert "9 characters" in tshark.run(path, "-V")
    # Nor are its bytes the item's, which other formats show.
    items = [item for tree in calls.trees(tshark, tmp_path) for item in tree.walk() if item.name == "pla.password"]
    assert items and "hidden" in items[0].showname and items[0].size == 0
    shown = tshark.run(path, "-V", "-o", "pla.show_passwords:TRUE")
    assert "password: Passw0rd!" in shown
    assert "Passw0rd" not in tshark.run(path, "-o", "pla.show_passwords:TRUE")
    clears = ["clears" in " ".join(item.showname for item in tree.walk()) for tree in calls.trees(tshark, tmp_path)[::2]]
    assert clears == [False, True, False]


def session():
    """A client that creates a set, as [MS-PLA] 4 shows it, then reads what validation found."""
    calls = Calls()
    ipids = [uuid.UUID(int=100 + number) for number in range(8)]
    set_, collectors, base, performance, validation, item, second, queried = ipids
    calls.call("IDataCollectorSet", 9, lambda stub: stub.u32(60), ipid=set_)
    calls.call("IDataCollectorSet", 7, None,
               lambda stub: stub.interface_pointer(objref(IID["IDataCollectorCollection"], collectors, oid=2)), ipid=set_)
    calls.call("IDataCollectorCollection", 15, lambda stub: stub.enum(0),
               lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], base, oid=3)), ipid=collectors)
    calls.call("IDataCollector", 25, lambda stub: stub.bstr("CPU"), ipid=base)
    # The same object through another interface: the same OID, another IPID.
    calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", 0),
               lambda stub: stub.interface_pointer(objref(IID["IPerformanceCounterDataCollector"], performance, oid=3)),
               ipid=collectors)
    calls.call("IPerformanceCounterDataCollector", 39, lambda stub: stub.u32(5), ipid=performance)
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr("Set1").bstr(None).u32(0x1),
               lambda stub: stub.interface_pointer(objref(IID["IValueMap"], validation, oid=4)), 0x00300100, ipid=set_)
    calls.call("IValueMap", 8, lambda stub: stub.variant("VT_UI4", 0),
               lambda stub: stub.interface_pointer(objref(IID["IValueMapItem"], item, oid=5)), ipid=validation)
    calls.call("IValueMapItem", 11, None, lambda stub: stub.bstr("TaskArguments"), ipid=item)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 0x80070057 - 2**32), ipid=item)
    calls.call("IDataCollectorSet", 62, lambda stub: stub.u16(0), ipid=set_)
    calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(1), ipid=set_)
    calls.call("IDataCollectorSet", 62, lambda stub: stub.u16(0xFFFF), hresult=0x803000AA, ipid=set_)
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Gone").bstr(""), hresult=0x80300002, ipid=queried)
    calls.call("IDataCollectorSetCollection", 10, lambda stub: stub.interface_pointer(objref(IID["IDataCollectorSet"], set_)),
               ipid=second)
    return calls


def test_what_the_capture_teaches(tshark, tmp_path):
    calls = session()
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
    one, other = session(), Calls(server=bytes([10, 0, 0, 3]))
    other.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Other").bstr(None), ipid=uuid.UUID(int=100))
    other.call("IDataCollectorSet", 61, ipid=uuid.UUID(int=100))
    one.capture.packets += other.capture.packets
    infos = one.infos(tshark, tmp_path)
    assert infos[-1] == "Delete response [Other] -> S_OK"
    assert infos[20].endswith("[Set1]")


def test_taps(tshark, tmp_path):
    path = session().capture.write(tmp_path / "calls.pcap")
    output = tshark.run(path, "-q", "-z", "pla,sets")
    rows = table_rows(output)
    assert rows[0][:2] == ["Set1", "10.0.0.2"]
    assert rows[0][2:4] == ["13", "1"]
    assert rows[0][4:6] == ["Running", "PLA_E_DCS_IN_USE (Start, frame 28)"]
    assert rows[1][:4] == ["Gone", "10.0.0.2", "1", "1"]
    assert rows[1][5] == "PLA_E_DCS_NOT_FOUND (Query, frame 30)"
    assert output == tshark.run(path, "-2", "-q", "-z", "pla,sets")
    rows = named_rows(tshark.run(path, "-q", "-z", "pla,calls"))
    assert sum(int(row["Calls"]) for row in rows) == 15
    assert sum(int(row["Calls"]) for row in rows if row["Operation"].startswith("IDataCollectorSet: ")) == 7
    assert [row["Calls"] for row in rows if row["Result"] == "PLA_E_DCS_IN_USE"] == ["1"]


def test_a_set_without_name(tshark, tmp_path):
    calls = Calls().call("IDataCollectorSet", 61, hresult=0x80004001)
    path = calls.capture.write(tmp_path / "calls.pcap")
    assert "(name not in the capture)" in tshark.run(path, "-q", "-z", "pla,sets")
    # The row becomes the set's once its name is known.
    calls.call("IDataCollectorSet", 20, None, lambda stub: stub.bstr("Late"))
    output = tshark.run(calls.capture.write(tmp_path / "calls.pcap"), "-q", "-z", "pla,sets")
    assert "(name" not in output
    assert "Late 10.0.0.2 2 1" in [" ".join(row[:4]) for row in table_rows(output)]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("big_endian", [False, True], ids=["little-endian", "big-endian"])
def test_idispatch(tshark, tmp_path, big_endian, two_pass):
    """Opnums 3 to 6, [MS-OAUT] 3.1.4."""
    calls = Calls(big_endian=big_endian)
    calls.call("IDataCollectorSet", 3, None, lambda stub: stub.u32(1))
    calls.call("IDataCollectorSet", 4, lambda stub: stub.u32(0).u32(0x409), lambda stub: stub.interface_pointer(None))
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "Duration"), lambda stub: stub.u32(1).u32(0x60020002))
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 0x60020002, [("VT_I4", 60)]), invoked)
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
    assert trees[6].first("pla.disp_params.named_arg").show == "-3"
    assert trees[7].first("pla.p_var_result").show == "42"
    assert trees[7].first("pla.excep_info.description").show == "What went wrong"
    assert trees[7].first("pla.excep_info.scode").show == "0x80070057"
    assert trees[7].first("pla.hresult").show == "0x00000000"
    assert trees[8].first("pla.member").show == "Count"


def test_arguments_by_reference(tshark, tmp_path):
    """They stand outside of DISPPARAMS, [MS-OAUT] 3.1.4.4: rgVarRefIdx and rgVarRef. Passwords are hidden there, too."""
    secret = [("VT_BSTR", "Passw0rd!"), ("VT_BSTR", "DOM\\user")]
    calls = Calls()
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 99, secret, 1, references=[0]), invoked)
    calls.call("IDataCollectorSet", 5, lambda stub: names(stub, "setcredentials", None, "password"),
               lambda stub: stub.u32(3).u32(77).u32(0).u32(1))
    calls.call("IDataCollectorSet", 6, lambda stub: invoke(stub, 77, secret, 1, (), references=[1, 0]), invoked)
    calls.call("ISchedule", 6, lambda stub: invoke(stub, 99, [("VT_I4", 5)], 4, (-3,), references=[0]), invoked)
    path = calls.capture.write(tmp_path / "references.pcap")
    assert "Passw0rd!" not in tshark.run(path, "-V")
    assert tshark.run(path, "-V", "-o", "pla.show_passwords:TRUE", "-O", "pla").count("VT_BSTR: Passw0rd!") == 8
    trees = calls.trees(tshark, tmp_path)
    assert [item.show for item in trees[2].find("pla.rgsz_names")] == ["setcredentials", "password"]
    assert [item.show for item in trees[3].find("pla.rg_disp_id")] == ["77", "0", "1"]
    assert [item.show for item in trees[4].find("pla.rg_var_ref_idx")] == ["1", "0"]
    assert [item.show for item in trees[6].find("dcom.vt.i4")] == ["5", "5"]
    assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for tree in trees for item in tree.walk())
    infos = calls.infos(tshark, tmp_path)
    assert "DISPID=99" in infos[0] and "DISPID=99" in infos[6] and "member=setcredentials" in infos[4]


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


def test_large_arrays_are_cut_short_in_the_tree(tshark, tmp_path):
    texts = [rf"\Process(p#{number})\% Processor Time" for number in range(30000)]
    calls = Calls().call("IPerformanceCounterDataCollector", 34, None, lambda stub: stub.safearray(SF_BSTR, texts))
    _, (counters, not_shown, hresult, info) = calls.fields(
        tshark, tmp_path, "pla.performance_counters", "pla.not_shown", "pla.hresult", "_ws.col.Info")
    assert (len(counters), len(not_shown), hresult) == (20000, 1, ["0x00000000"])
    assert "(+29999)" in info[0]


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
    calls = session()
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


def test_details_on_request(tshark, tmp_path):
    """Referents and counts, by the preference of Wireshark's own DCOM dissectors."""
    calls = Calls().call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_BSTR, ["abc"]))
    assert not calls.trees(tshark, tmp_path)[0].find("dcom.pointer_val")
    tree = calls.trees(tshark, tmp_path, "-o", "dcom.display_unmarshalling_details:TRUE")[0]
    # Of the extensions, of the array outside and inside; the elements' referents are no items.
    assert [int(item.show, 0) for item in tree.find("dcom.pointer_val")] == [0, 0x72657355, 1]
    # Bounds, elements, characters.
    assert [item.show for item in tree.find("dcom.array_size")] == ["1", "1", "3"]
    assert tree.first("dcom.sa.features_have_vartype") and tree.first("dcom.byte_length").show == "6"


STANDARD = struct.pack("<IIQQ", 0, 5, 11, 12) + OTHER.bytes_le


@pytest.mark.parametrize(
    "flags, body, fields, missing, expert",
    [
        # OBJREF_STANDARD whose DUALSTRINGARRAY is left out.
        (1, STANDARD, {"dcom.oid": "0x000000000000000c"}, "dcom.dualstringarray.num_entries", None),
        (1, STANDARD[:39], {}, "dcom.oid", "pla.malformed.structure"),
        # OBJREF_HANDLER: the handler's class is between STDOBJREF and DUALSTRINGARRAY.
        (2, STANDARD + IPID.bytes_le + struct.pack("<HHHHH", 2, 2, 0, 0, 0),
         {"dcom.clsid": str(IPID), "dcom.dualstringarray.num_entries": "2"}, None, None),
        (2, STANDARD + bytes(15), {"dcom.ipid": str(OTHER)}, "dcom.clsid", None),
        # OBJREF_CUSTOM: a class and what it alone can read; no STDOBJREF.
        (4, IPID.bytes_le + b"data", {"dcom.clsid": str(IPID), "dcom.nospec": "64:61:74:61"}, "dcom.oid", None),
        (4, IPID.bytes_le, {"dcom.clsid": str(IPID)}, "dcom.nospec", None),
        # OBJREF_EXTENDED.
        (8, STANDARD + b"more", {"dcom.oid": "0x000000000000000c", "dcom.nospec": "6d:6f:72:65"},
         "dcom.dualstringarray.num_entries", None),
    ],
    ids=["standard", "standard cut", "handler", "handler cut", "custom", "custom without data", "extended"],
)
def test_kinds_of_objref(tshark, tmp_path, flags, body, fields, missing, expert):
    """[MS-DCOM] 2.2.18.4 to 2.2.18.7."""
    data = objref_of(flags, IID["IValueMap"], body)
    calls = Calls().call("IDataCollectorSet", 60, lambda stub: stub.bstr("n").bstr(None).u32(1),
                         lambda stub: stub.interface_pointer(data).align(4))  # fmt: skip
    tree = calls.trees(tshark, tmp_path)[1].first("pla.validation")
    assert tree.first("dcom.objref.flags").show == f"0x{flags:08x}"
    assert tree.first("dcom.iid").show == IID["IValueMap"]
    for name, value in fields.items():
        assert tree.first(name).show == value, name
    assert not missing or not tree.find(missing)
    whole = calls.trees(tshark, tmp_path)[1]
    assert bool(whole.find("pla.malformed.structure")) == (expert is not None)
    assert whole.first("pla.hresult").show == "0x00000000"


def test_calls_without_ipid(tshark, tmp_path):
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
def test_enumerators(tshark, tmp_path, two_pass):
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


def test_masks_of_keywords(tshark, tmp_path):
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


@pytest.mark.parametrize("xml, root, cdata", [
    ('<?xml version="1.0"?><Set encoding="UTF-16"><Name>a</Name></Set>', "Set", "a"),
    ('<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE Set><!-- <Old> --><Set>a</Set>', "Set", "a"),
    ("<!-- <Old><Name>b</Name>", "Old", None),
    ("no markup", None, None),
])  # fmt: skip
def test_forms_of_xml(tshark, tmp_path, xml, root, cdata):
    calls = Calls().call("IDataCollectorSet", 64, lambda stub: stub.bstr(xml), lambda stub: stub.interface_pointer(None))
    info = calls.infos(tshark, tmp_path)[0]
    assert (f"<{root}>" in info) == (root is not None)
    found = [item.show for item in calls.trees(tshark, tmp_path)[0].find("xml.cdata")]
    assert cdata is None or found == [cdata]
