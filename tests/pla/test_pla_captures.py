# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of impacket's DCOM client and its record of every call, against what the plugin shows."""

import json

import pytest

from lib.captures import CAPTURES, record_of
from lib.pla import ENUMS, INTERFACES, ONLY, SHORT_NAMES, filter_name, pla_of, show
from lib.tables import table_rows

NAMES = ["pla-session", "pla-sealed", "pla-every-method"]
VT_DATE = 7


def load(name):
    record = json.loads((CAPTURES / f"{name}.json").read_text(encoding="utf-8"))
    password = record["auth"].get("password")
    return record, ["-o", f"ntlmssp.nt_password:{password}"] if password else []


def shown_as(kind, field, value):
    """What must be shown for a value of the record: [(field, show), ...]."""
    if kind in ENUMS:
        return [(field, f"0x{value:08x}" if ENUMS[kind][0] else str(value))]
    if kind == "VARIANT_BOOL":
        return [(field, str(int(value)))]
    if kind == "BSTR":
        if field == "pla.password":
            return [(field, "")]
        # PDML does not keep line breaks.
        return [(field, " ".join(value.split()) if isinstance(value, str) else "")]
    if kind == "SAFEARRAY(BSTR)":
        return [(field, text) for text in value] + [("pla.safearray.pointers", "1")]
    if kind == "SAFEARRAY(BYTE)":
        return [(field, ":".join(value[i : i + 2] for i in range(0, len(value), 2)))] if value else []
    if kind == "VARIANT":
        if value["vt"] == VT_DATE:
            return [("dcom.vt.date", f"{value['value']:.10g}")]
        return [(field, str(value["value"]))]
    if kind.endswith("*"):
        if value is None:
            return [(field, "NULL")]
        return [(field, value["ipid"]), ("dcom.iid", value["iid"]), ("dcom.oxid", value["oxid"]), ("dcom.oid", value["oid"])]
    if field in ("pla.extended_modes", "pla.security_info"):
        return [(field, f"0x{value:08x}")]
    return [(field, str(value))]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", NAMES)
def test_every_call_is_as_recorded(tshark, name, two_pass):
    record, options = load(name)
    packets = tshark.packets(CAPTURES / f"{name}.pcapng", *ONLY, *options, display_filter="pla", two_pass=two_pass)
    trees = [pla_of(packet) for packet in packets]
    assert len(trees) == 2 * len(record["calls"])
    for call, request, response in zip(record["calls"], trees[::2], trees[1::2], strict=True):
        method, parameters = INTERFACES[call["interface"]][1][call["opnum"]]
        assert method == call["method"]
        for tree, out in ((request, False), (response, True)):
            what = f"{name} call {call['n']} {call['interface']}::{method} {'response' if out else 'request'}"
            assert tree.first("pla.interface").show == call["interface"], what
            assert tree.first("pla.opnum").show == str(call["opnum"]), what
            assert tree.first("dcom.ipid").show == call["ipid"], what
            assert not any(item.name.startswith(("pla.malformed", "pla.odd")) for item in tree.walk()), what
            values = call["response" if out else "request"]
            expected = [
                pair for direction, parameter, kind in parameters if direction == out
                for pair in shown_as(kind, filter_name(call["interface"], method, parameter, out), values[parameter])
            ]  # fmt: skip
            for field in dict.fromkeys(field for field, _ in expected):
                found = [" ".join(show(item).split()) for item in tree.find(field)]
                assert found == [value for other, value in expected if other == field], f"{what}: {field}"
        hresult = response.find("pla.hresult")
        assert [item.show for item in hresult] == [call["hresult"]["hex"]]
        assert call["hresult"]["name"] in hresult[0].showname


def test_every_method_is_in_a_capture():
    """All 300, each in both directions, marshalled by another stack."""
    record, _ = load("pla-every-method")
    seen = {(call["interface"], call["opnum"]) for call in record["calls"]}
    collector = INTERFACES["IDataCollector"][1]
    wanted = {
        (interface, opnum)
        for interface, (_, methods) in INTERFACES.items()
        for opnum, (method, _) in methods.items()
        if "NotUsedOnWire" not in method and (interface == "IDataCollector" or opnum not in collector or not interface.endswith("DataCollector"))
    }  # fmt: skip
    assert len(wanted) == 300
    assert wanted <= seen


def test_sealed_without_password_still_tells_the_calls(tshark):
    record, _ = load("pla-sealed")
    rows = tshark.fields(CAPTURES / "pla-sealed.pcapng", "_ws.col.Protocol", "_ws.col.Info", display_filter="pla")
    assert len(rows) == 2 * len(record["calls"])
    for call, (protocol, information) in zip(record["calls"], rows[::2], strict=True):
        assert protocol == [SHORT_NAMES[call["interface"]]]
        assert information == [f"{call['method']} request, sealed"]


def test_no_password_in_plain_sight(tshark):
    output = tshark.run(CAPTURES / "pla-session.pcapng", "-V", "-O", "pla")
    assert "Perf-Lib2" not in output


def test_names_follow_an_object_through_its_interfaces(tshark):
    """RemQueryInterface gives another IPID to the same object: the name stays with it."""
    rows = tshark.fields(
        CAPTURES / "pla-session.pcapng", "_ws.col.Info",
        display_filter='pla.object contains "Alerts" && pla.interface == "IDataCollector" && dcerpc.pkt_type == 0',
    )  # fmt: skip
    assert rows == [[['Name (Get) request [DataCollectors.collector (Alert) "Alerts"]']]]


def test_keyword_masks_are_hexadecimal(tshark):
    rows = tshark.fields(CAPTURES / "pla-session.pcapng", "_ws.col.Info", display_filter='pla.object contains "KeywordsAny" && pla.value')
    assert len(rows) == 1 and "value=0x8000000000000001" in rows[0][0][0]


def test_sets_of_the_session(tshark):
    output = tshark.run(CAPTURES / "pla-session.pcapng", "-q", "-z", "pla,sets")
    rows = [row for row in table_rows(output) if row[0] == "Web servers"]
    calls = record_of(CAPTURES / "pla-session.pcapng")["calls"]
    # Two objects were asked for the set; a query for another set failed on the second.
    failed = [call for call in calls if call["hresult"]["value"] >> 31 and call["request"].get("name") != "No such set"]
    last = failed[-1]
    ((name, server, _, failures, status, error, *_),) = rows
    assert (name, server, failures, status) == ("Web servers", "127.0.0.1", str(len(failed)), "Running")
    assert error.startswith(f"{last['hresult']['name']} ({last['method']}, frame ")
