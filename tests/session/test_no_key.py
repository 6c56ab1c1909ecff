# SPDX-License-Identifier: GPL-2.0-or-later
"""Sealed, and no key: what was used, whose password or key is needed, and what the tables say of calls that nobody could read."""

import csv
import re
from collections import Counter

import pytest

from lib.captures import CAPTURES, options_for, record_of
from lib.tables import table_rows

NTLM = "ntlmssp.nt_password must be the password of "
KERBEROS = "kerberos.file must be a keytab with the key of host/win-perf01.perf.test@PERF.TEST, and kerberos.decrypt TRUE"
# How each is sealed, by its record: the user's name and domain as the client sent them, the service's as the KDC knows it.
SENTENCES = {
    "sealed-tcp": {f"Sealed by NTLM, and no key: {NTLM}CONTOSO\\perfuser"},
    "sealed-smb2": {f"Sealed by NTLM, and no key: {NTLM}perfuser"},
    "sealed-smb1": {f"Sealed by {how}, and no key: {NTLM}CONTOSO\\perfuser" for how in ("NTLM", "SPNEGO with NTLM")},
    "sealed-spnego-samba": {f"Sealed by SPNEGO with NTLM, and no key: {NTLM}CONTOSO\\perfuser, logged on from WIN-CLIENT"},
    "sealed-kerberos": {f"Sealed by Kerberos, and no key: {KERBEROS}"},
    "sealed-kerberos-spnego": {f"Sealed by SPNEGO with Kerberos, and no key: {KERBEROS}"},
    "perfdata-samba-sealed": {f"Sealed by NTLM, and no key: {NTLM}perf"},
    "pla-sealed": {f"Sealed by NTLM, and no key: {NTLM}WORKGROUP\\plauser"},
}
PERFLIBV2 = sorted(name for name in SENTENCES if name.startswith("sealed"))
TABLES = {"perfdata-samba-sealed": ["perfdata,sessions", "perfdata,queries", "perfdata,counters"], "pla-sealed": ["pla,sessions", "pla,calls", "pla,sets"]}
OF_PERFLIBV2 = ["perflibv2,sessions", "perflibv2,calls", "perflibv2,usage", "perflibv2,watch", "perflibv2,queries", "perflibv2,counters", "perflibv2,rules"]


def notes(tshark, capture, *options):
    """(frame, sentence) of each note."""
    rows = tshark.fields(capture, "frame.number", "_ws.expert.message", display_filter="perflib_session.no_key", options=options)
    return [(int(row[0][0]), [text.replace("\\\\", "\\") for text in row[1] if "no key" in text][0]) for row in rows]


@pytest.mark.parametrize("name", SENTENCES)
def test_each_connection_says_once_what_it_takes(tshark, name):
    """At the first sealed PDU of each connection or pipe; in the second pass at the same. With the key there is nothing to say."""
    capture = CAPTURES / f"{name}.pcapng"
    found = notes(tshark, capture)
    assert {sentence for _, sentence in found} == SENTENCES[name]
    assert notes(tshark, capture, "-2") == found
    assert notes(tshark, capture, *options_for(capture)) == []
    record = record_of(capture)
    if name in PERFLIBV2:
        first = {}
        for call in record["calls"]:
            first.setdefault(call["connection"], call["request_frame"])
        # A request of several fragments begins before its last.
        assert len(found) == len(first)
        assert all(frame <= last for (frame, _), last in zip(sorted(found), sorted(first.values())))


@pytest.mark.parametrize("name, options, sentence", [
    ("sealed-tcp", ["-o", "ntlmssp.nt_password:wrong"], "Sealed by NTLM, and no key: ntlmssp.nt_password is not the password of CONTOSO\\perfuser"),
    ("sealed-kerberos", ["-o", "kerberos.decrypt:TRUE"],
     "Sealed by Kerberos, and no key: the keytab given (kerberos.file) has not the key of host/win-perf01.perf.test@PERF.TEST"),
])
def test_another_key(tshark, name, options, sentence):
    assert {text for _, text in notes(tshark, CAPTURES / f"{name}.pcapng", *options)} == {sentence}


@pytest.mark.parametrize("name, kept, needed", [
    ("sealed-tcp", "!(dcerpc.pkt_type == 16)", "its logon is not in the capture, so that no password helps"),
    ("sealed-kerberos-spnego", "!(dcerpc.pkt_type == 11 || dcerpc.pkt_type == 14)", None),
    ("sealed-tcp", "!(dcerpc.pkt_type == 12)", "its logon is not in the capture, so that no password helps"),
])
def test_a_logon_that_is_missing(tshark, tmp_path, name, kept, needed):
    """Without the bind Wireshark does not know the interface, so that nobody asks for a key."""
    tmp_path.chmod(0o777)
    tshark.run(CAPTURES / f"{name}.pcapng", "-Y", kept, "-w", tmp_path / "part.pcapng")
    found = notes(tshark, tmp_path / "part.pcapng", *options_for(CAPTURES / f"{name}.pcapng"))
    assert {text.split(": ", 1)[1] for _, text in found} == ({needed} if needed else set())


@pytest.mark.parametrize("name", SENTENCES)
def test_every_table_ends_with_it(tshark, tmp_path, name):
    capture = CAPTURES / f"{name}.pcapng"
    tables = TABLES.get(name, OF_PERFLIBV2)
    for table in tables:
        # Behind the 0 of a first column of numbers.
        lines = [re.sub(r"^ +0 \|", "", line).rstrip(" |") for line in tshark.run(capture, "-q", "-z", table).splitlines()]
        last = [line for line in lines if line and not line.startswith(("===", "---"))][-len(SENTENCES[name]):]
        assert {next((text for text in SENTENCES[name] if line.startswith(text)), line) for line in last} == SENTENCES[name], table
    tmp_path.chmod(0o777)
    protocol = tables[0].split(",")[0]
    if protocol == "pla":
        return
    files = {kind: tmp_path / f"{kind}.txt" for kind in ("samples", "pdh-csv")}
    if protocol == "perflibv2":
        files["catalog"] = tmp_path / "catalog.txt"
    said = tshark.complaint(capture, "-q", *(word for kind, file in files.items() for word in ("-z", f"{protocol},{kind},{file}")))
    for kind, file in files.items():
        told = said.split(f"-z {protocol},{kind}: no call could be read\n")[1].splitlines()[: len(SENTENCES[name])]
        assert set(told) == SENTENCES[name], kind
        assert file.exists()
    # Files are still of their formats.
    assert len(list(csv.reader(files["samples"].read_text().splitlines()))) == 1
    if "catalog" in files:
        assert {line.removeprefix("# ") for line in files["catalog"].read_text().splitlines()[-len(SENTENCES[name]):]} == SENTENCES[name]


def test_tables_with_the_key_say_nothing(tshark):
    for name in ("sealed-smb1", "sealed-kerberos"):
        capture = CAPTURES / f"{name}.pcapng"
        output = tshark.run(capture, *options_for(capture), "-q", *(word for table in OF_PERFLIBV2 for word in ("-z", table)))
        assert "no key" not in output and "sealed" not in output.replace(name, "")


@pytest.mark.parametrize("name", PERFLIBV2)
def test_operations_sizes_and_times(tshark, name):
    """As many calls of each operation as the server answered, with the bytes of their stubs."""
    capture = CAPTURES / f"{name}.pcapng"
    calls, sizes = Counter(), Counter()
    for call in record_of(capture)["calls"]:
        operation = call["method"].removeprefix("PerflibV2")
        calls[operation] += 1
        sizes[operation] += call["response_stub_len"]
    rows = [row[1:] for row in table_rows(tshark.run(capture, "-q", "-z", "perflibv2,queries")) if row[1].startswith("sealed: ")]
    assert {row[0].removeprefix("sealed: "): int(row[8]) for row in rows} == sizes
    for row in rows:
        operation = row[0].removeprefix("sealed: ")
        assert row[11].startswith(f"{calls[operation]} call") and row[11].endswith("sealed and not read")
        assert int(row[7]) == (calls[operation] if operation == "QueryCounterData" else 0)
        assert float(row[-1]) > 0


def test_registry_calls(tshark):
    """What of them asks for performance data nobody can tell; the operations are in clear."""
    capture = CAPTURES / "perfdata-samba-sealed.pcapng"
    rows = [row[1:] for row in table_rows(tshark.run(capture, "-q", "-z", "perfdata,queries"))]
    found = {row[2]: int(row[5]) for row in rows if row[0] == "registry calls, sealed"}
    queried = sum(call["opnum"] == 17 for call in record_of(capture)["calls"])
    assert found["QueryValue"] == queried and found["OpenHKPD"] == 1
    assert not tshark.fields(capture, "frame.number", display_filter="perfdata")
