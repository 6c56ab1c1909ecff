# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA]: what arguments hold, each as its type is read: texts, VARIANTs, arrays, dates, paths, patterns, XML, OBJREFs."""

import re
import struct

import pytest

from lib.orpc import NULL_POINTER, SF_BSTR, SF_HAVEIID, SF_I1, SF_I2, SF_I4, SF_I8, SF_UNKNOWN, SF_VARIANT, Stub, objref, objref_of
from lib.pla import IID, IPID, OTHER, SHORT_NAMES, XML, Calls, invoke, invoked, names, show
from lib.some import some


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
def test_text_is_shown_as_far_as_it_goes(tshark, tmp_path, data, text):
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


def test_variants_of_every_type_show_their_value(tshark, tmp_path):
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


def test_only_texts_are_quoted(tshark, tmp_path):
    """Quotes distinguish the texts "NULL" and "5" from NULL and 5. An object is shown by its IPID."""
    cases = [
        (lambda stub: stub.variant("VT_BSTR", "NULL"), '"NULL"'), (lambda stub: stub.variant("VT_BSTR", None), "NULL"),
        (lambda stub: stub.little(0), "NULL"), (lambda stub: stub.variant("VT_UNKNOWN", None), "NULL"),
        (lambda stub: stub.variant("VT_BSTR", "5"), '"5"'), (lambda stub: stub.variant("VT_I4", 5), "5"),
        (lambda stub: stub.variant("VT_BSTR", ""), '""'), (lambda stub: stub.variant("VT_BSTR", str(OTHER)), f'"{OTHER}"'),
        (lambda stub: stub.variant("VT_DISPATCH", objref(IID["IValueMapItem"], OTHER)), str(OTHER)),
    ]
    calls = Calls()
    for write, _ in cases:
        calls.call("IValueMapItem", 13, None, write)
    assert [re.search("value=(.*?)( \\[.*)? -> S_OK", info)[1] for info in calls.infos(tshark, tmp_path)[1::2]] == [text for _, text in cases]


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


def test_dates_count_days_from_1899(tshark, tmp_path):
    calls = Calls()
    for date, _ in DATES:
        calls.call("IValueMapItem", 14, lambda stub, date=date: stub.variant("VT_DATE", date))
    shown = [tree.first("pla.value").show.replace("-nan", "nan") for tree in calls.trees(tshark, tmp_path)[::2]]
    assert shown == [text for _, text in DATES]


def test_schedules_show_dates_times_and_weekdays(tshark, tmp_path):
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


def test_counter_paths_are_split_into_their_parts(tshark, tmp_path):
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


def test_alert_thresholds_have_path_operator_and_value(tshark, tmp_path):
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


def test_file_name_patterns_are_put_in_words(tshark, tmp_path):
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


def test_large_xml_loses_nothing_behind_it(tshark, tmp_path):
    """What follows it is not lost, whatever the XML dissector makes of it."""
    for copies, shown in ((2000, True), (200000, False)):
        text = "<a>" + "<b/>" * copies + "</a>"
        calls = Calls().call("IDataCollectorSet", 52, None, lambda stub, text=text: stub.bstr(text))
        path = calls.capture.write(tmp_path / "xml.pcap")
        row = tshark.fields(path, "pla.hresult", "pla.xml_too_large", display_filter="pla && dcerpc.pkt_type == 2")[-1]
        assert row[0] == ["0x00000000"]
        assert bool(row[1]) != shown


def test_passwords_are_hidden_unless_asked_for(tshark, tmp_path):
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


def test_arguments_by_reference_stand_outside_of_dispparams(tshark, tmp_path):
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


def test_large_arrays_are_cut_short_in_the_tree(tshark, tmp_path):
    texts = [rf"\Process(p#{number})\% Processor Time" for number in range(30000)]
    calls = Calls().call("IPerformanceCounterDataCollector", 34, None, lambda stub: stub.safearray(SF_BSTR, texts))
    _, (counters, not_shown, hresult, info) = calls.fields(
        tshark, tmp_path, "pla.performance_counters", "pla.not_shown", "pla.hresult", "_ws.col.Info")
    assert (len(counters), len(not_shown), hresult) == (20000, 1, ["0x00000000"])
    assert "(+29999)" in info[0]


def test_details_are_shown_on_request(tshark, tmp_path):
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
def test_each_kind_of_objref_shows_what_it_has(tshark, tmp_path, flags, body, fields, missing, expert):
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


@pytest.mark.parametrize("xml, root, cdata", [
    ('<?xml version="1.0"?><Set encoding="UTF-16"><Name>a</Name></Set>', "Set", "a"),
    ('<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE Set><!-- <Old> --><Set>a</Set>', "Set", "a"),
    ("<!-- <Old><Name>b</Name>", "Old", None),
    ("no markup", None, None),
])  # fmt: skip
def test_xml_of_any_form_shows_its_root(tshark, tmp_path, xml, root, cdata):
    calls = Calls().call("IDataCollectorSet", 64, lambda stub: stub.bstr(xml), lambda stub: stub.interface_pointer(None))
    info = calls.infos(tshark, tmp_path)[0]
    assert (f"<{root}>" in info) == (root is not None)
    found = [item.show for item in calls.trees(tshark, tmp_path)[0].find("xml.cdata")]
    assert cdata is None or found == [cdata]
