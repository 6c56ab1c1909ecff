# SPDX-License-Identifier: GPL-2.0-or-later
"""Sealed, and no key: what was used, whose password or key is needed, and what the tables say of calls that nobody could read."""

import csv
import re
from collections import Counter

import pytest

from lib import lossy, ntlm
from lib.captures import CAPTURES, options_for, record_of
from lib.pcap import ETHERNET, write_pcap
from lib.report import Page
from lib.some import some
from lib.tables import named_rows, read_tables

NTLM = "Set ntlmssp.nt_password to the password of "
OR_KEYTAB = ", or kerberos.file to a keytab with the user's arcfour-hmac key"
KERBEROS = "Set kerberos.file to a keytab with the key of host/win-perf01.perf.test@PERF.TEST, and kerberos.decrypt to TRUE"
# How each is sealed, by its record: the user's name and domain as the client sent them, the service's as the KDC knows it.
SENTENCES = {
    "sealed-tcp": {f"Encrypted (NTLM). {NTLM}CONTOSO\\perfuser{OR_KEYTAB}"},
    "sealed-smb2": {f"Encrypted (NTLM). {NTLM}perfuser{OR_KEYTAB}"},
    "sealed-smb1": {f"Encrypted ({how}). {NTLM}CONTOSO\\perfuser{OR_KEYTAB}" for how in ("NTLM", "SPNEGO with NTLM")},
    "sealed-spnego-samba": {f"Encrypted (SPNEGO with NTLM). {NTLM}CONTOSO\\perfuser, logged on from WIN-CLIENT{OR_KEYTAB}"},
    "sealed-kerberos": {f"Encrypted (Kerberos). {KERBEROS}"},
    "sealed-kerberos-spnego": {f"Encrypted (SPNEGO with Kerberos). {KERBEROS}"},
    "perfdata-samba-sealed": {f"Encrypted (NTLM). {NTLM}perf{OR_KEYTAB}"},
    "pla-sealed": {f"Encrypted (NTLM). {NTLM}WORKGROUP\\plauser{OR_KEYTAB}"},
}
PERFLIBV2 = sorted(name for name in SENTENCES if name.startswith("sealed"))
TABLES = {"perfdata-samba-sealed": ["perfdata,sessions", "perfdata,queries", "perfdata,counters"], "pla-sealed": ["pla,sessions", "pla,calls", "pla,sets"]}
OF_PERFLIBV2 = ["perflibv2,sessions", "perflibv2,calls", "perflibv2,usage", "perflibv2,missing", "perflibv2,watch", "perflibv2,queries", "perflibv2,counters", "perflibv2,rules"]


def asked(tables):
    return [word for table in tables for word in ("-z", table)]


def printed_tables(tshark, capture, tables, *options, alone):
    """Of each table its rows and what it says below them. alone: each is asked for in a run of its own."""
    runs = [[table] for table in tables] if alone else [tables]
    printed = [each for run in runs for each in read_tables(tshark.run(capture, *options, "-q", *asked(run)))]
    assert len(printed) == len(tables)
    return printed


def notes(tshark, capture, *options):
    """(frame, sentence) of each note."""
    rows = tshark.fields(capture, "frame.number", "_ws.expert.message", display_filter="perflib_session.no_key", options=options)
    return [(int(row[0][0]), [text.replace("\\\\", "\\") for text in row[1] if text.startswith("Encrypted (")][0]) for row in rows]


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
    ("sealed-tcp", ["-o", "ntlmssp.nt_password:wrong"], "Encrypted (NTLM). ntlmssp.nt_password is not the password of CONTOSO\\perfuser"),
    ("sealed-kerberos", ["-o", "kerberos.decrypt:TRUE"],
     "Encrypted (Kerberos). kerberos.file is not set, and no keytab given with -K contains the key of "
     "host/win-perf01.perf.test@PERF.TEST"),
    # As the profile has it: nobody gave a keytab, and a password would do.
    ("sealed-tcp", ["-o", "kerberos.decrypt:TRUE"],
     "Encrypted (NTLM). kerberos.file is not set, and no keytab given with -K contains the key. Set ntlmssp.nt_password to the "
     "password of CONTOSO\\perfuser, or kerberos.file to a keytab with the user's arcfour-hmac key"),
])
def test_wrong_key_is_told_with_what_would_do(tshark, name, options, sentence):
    assert {text for _, text in notes(tshark, CAPTURES / f"{name}.pcapng", *options)} == {sentence}


@pytest.mark.parametrize("name, kept, needed", [
    ("sealed-tcp", "!(dcerpc.pkt_type == 16)", "The logon is not in the capture, so no password helps"),
    ("sealed-kerberos-spnego", "!(dcerpc.pkt_type == 11 || dcerpc.pkt_type == 14)", None),
    ("sealed-tcp", "!(dcerpc.pkt_type == 12)", "The logon is not in the capture, so no password helps"),
])
def test_a_logon_that_is_missing(tshark, tmp_path, name, kept, needed):
    """Without the bind Wireshark does not know the interface, so that nobody asks for a key."""
    tmp_path.chmod(0o777)
    tshark.run(CAPTURES / f"{name}.pcapng", "-Y", kept, "-w", tmp_path / "part.pcapng")
    found = notes(tshark, tmp_path / "part.pcapng", *options_for(CAPTURES / f"{name}.pcapng"))
    assert {text.split("). ", 1)[1] for _, text in found} == ({needed} if needed else set())


@pytest.mark.parametrize("name", SENTENCES)
def test_every_table_ends_with_it(tshark, tmp_path, name):
    capture = CAPTURES / f"{name}.pcapng"
    tables = TABLES.get(name, OF_PERFLIBV2)
    printed = printed_tables(tshark, capture, tables, alone=name in ("sealed-tcp", *TABLES))
    for rows, said in printed:
        last = said[-len(SENTENCES[name]):]
        assert {next((text for text in SENTENCES[name] if line.startswith(text)), line) for line in last} == SENTENCES[name], rows
    tmp_path.chmod(0o777)
    protocol = tables[0].split(",")[0]
    if protocol == "pla":
        return
    files = {kind: tmp_path / f"{kind}.txt" for kind in ("samples", "pdh-csv")}
    if protocol == "perflibv2":
        files["catalog"] = tmp_path / "catalog.txt"
    said = tshark.complaint(capture, "-q", *asked(f"{protocol},{kind},{file}" for kind, file in files.items()))
    for kind, file in files.items():
        told = said.split(f"-z {protocol},{kind}: found nothing, and some calls could not be read\n")[1].splitlines()[: len(SENTENCES[name])]
        assert set(told) == SENTENCES[name], kind
        assert file.exists()
    # Files are still of their formats.
    assert len(list(csv.reader(files["samples"].read_text().splitlines()))) == 1
    if "catalog" in files:
        assert {line.removeprefix("# ") for line in files["catalog"].read_text().splitlines()[-len(SENTENCES[name]):]} == SENTENCES[name]


def test_files_with_something_read_say_nothing_of_keys(tshark, folder):
    """Calls in clear, then sealed ones without their key: files ask for keys only where there is nothing else to tell."""
    frames = [frame for name in ("tcp-session", "sealed-tcp") for frame in lossy.frames_of(CAPTURES / f"{name}.pcapng", folder)]
    path = write_pcap(folder / "both.pcap", frames, ETHERNET)
    assert len(notes(tshark, path)) == 1
    folder.chmod(0o777)
    files = {kind: folder / f"{kind}.txt" for kind in ("samples", "pdh-csv", "catalog")}
    assert "could be read" not in tshark.complaint(path, "-q", *asked(f"perflibv2,{kind},{file}" for kind, file in files.items()))
    assert not any(line.startswith("#") for file in some(files.values()) for line in some(file.read_text().splitlines()))


def test_tables_with_the_key_say_nothing(tshark):
    for name in ("sealed-smb1", "sealed-kerberos"):
        capture = CAPTURES / f"{name}.pcapng"
        output = tshark.run(capture, *options_for(capture), "-q", *asked(OF_PERFLIBV2))
        assert "Encrypted (" not in output and "sealed" not in output.replace(name, "")


@pytest.mark.parametrize("name", PERFLIBV2)
def test_operations_sizes_and_times(tshark, name):
    """As many calls of each operation as the server answered, with the bytes of their stubs."""
    capture = CAPTURES / f"{name}.pcapng"
    calls, sizes = Counter(), Counter()
    for call in record_of(capture)["calls"]:
        operation = call["method"].removeprefix("PerflibV2")
        calls[operation] += 1
        sizes[operation] += call["request_stub_len"] + call["response_stub_len"]
    rows = {}
    for row in named_rows(tshark.run(capture, "-q", "-z", "perflibv2,queries")):
        told = re.fullmatch(r"sealed: (\w+), ([0-9]+) answers? not read", row["State"])
        rows[told[1]] = row
        assert int(told[2]) == calls[told[1]]
        assert int(row["Polls"]) == (calls[told[1]] if told[1] == "QueryCounterData" else 0)
        assert float(row["Response ms"]) > 0
    assert {operation: int(row["Bytes"]) for operation, row in rows.items()} == sizes and sizes


def test_sealed_registry_calls_are_counted_by_operation(tshark):
    """What of them asks for performance data nobody can tell; the operations are in clear."""
    capture = CAPTURES / "perfdata-samba-sealed.pcapng"
    rows = named_rows(tshark.run(capture, "-q", "-z", "perfdata,queries"))
    found = {row["Value"]: int(row["Answers"]) for row in rows if row["Handle"] == "registry calls, sealed"}
    queried = sum(call["opnum"] == 17 for call in record_of(capture)["calls"])
    assert found["QueryValue"] == queried and found["OpenHKPD"] == 1
    # Around the data are the type, its counts, two sizes and the error code, each number of 4 bytes with a pointer.
    largest = max(44 + (len(call["response"]["data"]) // 2 + 3) // 4 * 4 for call in record_of(capture)["calls"] if call["opnum"] == 17)
    (row,) = [row for row in rows if row["Handle"] == "registry calls, sealed" and row["Value"] == "QueryValue"]
    assert int(row["Largest"]) == largest
    assert not tshark.fields(capture, "frame.number", display_filter="perfdata")


WRONG = ("is not the password", "has not the")


@pytest.mark.parametrize("name", ["sealed-tcp", "sealed-smb2", "sealed-kerberos", "sealed-kerberos-spnego", "sealed-spnego-samba"])
def test_the_right_key_is_never_called_wrong(tshark, folder, name):
    """Each frame left out, or behind the next: a request that is missing, or a part of the logon, is no wrong key."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)[:70]
    path = folder / "variants.pcap"
    for variants in ([frames[:n] + frames[n + 1 :] for n in range(len(frames))],
                     [lossy.in_sequence(frames[:n] + [frames[n + 1], frames[n]] + frames[n + 2 :]) for n in range(len(frames) - 1)]):
        lossy.write(path, variants)
        rows = tshark.fields(path, "_ws.expert.message", display_filter="perflib_session.no_request || perflib_session.no_key",
                             options=options_for(capture), short=True)
        # There are commas in them.
        said = {",".join(row[0]) for row in rows}
        assert any("request is missing" in text for text in said)
        assert not [text for text in said if any(words in text for words in WRONG)]


@pytest.mark.parametrize("name", ["sealed-kerberos", "sealed-kerberos-spnego"])
def test_a_damaged_answer_asks_for_no_key(tshark, folder, name):
    """A byte of one sealed answer is wrong, so it cannot be decrypted; the others are, so there is a key."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)
    ((frame,),) = tshark.fields(capture, "frame.number", display_filter="perflibv2.opnum == 3 && dcerpc.pkt_type == 2",
                                options=options_for(capture))[0]
    time, data = frames[int(frame) - 1]
    # Behind the headers of TCP and of the PDU, and some bytes of the stub.
    at = lossy.tcp_of(data)[0] + 20 + 24 + 16
    frames[int(frame) - 1] = time, data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
    path = write_pcap(folder / "damaged.pcap", frames, ETHERNET)
    assert notes(tshark, path, *options_for(capture)) == []
    said = tshark.fields(path, "frame.number", "_ws.expert.message", display_filter="perflib_session.no_request", options=options_for(capture))
    assert said == [[[frame], ["This sealed PDU was not decrypted: Wireshark could not decrypt it"]]]


def sentences(tshark, path, *options):
    return {sentence.split("). ", 1)[1] for _, sentence in notes(tshark, path, *options)}


def opened(tshark, path, *options):
    return [row for row in tshark.fields(path, "perflibv2.return_code", "perflibv2.value", display_filter="perflibv2", options=options) if any(row)]


def kept_in(path, data):
    path.write_bytes(data)
    path.chmod(0o644)
    return ["-o", "kerberos.decrypt:TRUE", "-K", str(path)]


@pytest.mark.parametrize("name, domain", [("sealed-tcp", "CONTOSO\\"), ("sealed-smb2", "")])
def test_letters_that_wireshark_does_not_take(tshark, folder, name, domain):
    """The password is right, but of letters beyond ASCII: a keytab opens it. No key does where the user's name has them."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)
    sent = opened(tshark, capture, *options_for(capture))
    path = write_pcap(folder / "umlaut.pcap", ntlm.as_another_user(frames, "Perf-Lib2", "monitor1", "Pässwört"), ETHERNET)
    assert sentences(tshark, path, "-o", "ntlmssp.nt_password:Pässwört") == {
        f"Wireshark does not support these letters in a password. Set kerberos.file to a keytab with the arcfour-hmac key of {domain}monitor1"}
    assert sent and opened(tshark, path, *kept_in(folder / "keytab", ntlm.keytab(("monitor1", "PERF.TEST", "Pässwört")))) == sent
    path = write_pcap(folder / "user.pcap", ntlm.as_another_user(frames, "Perf-Lib2", "perfüser", "Other"), ETHERNET)
    assert sentences(tshark, path, "-o", "ntlmssp.nt_password:Other") == {
        f"Wireshark does not support these letters in a user or domain, so no key helps: {domain}perfüser"}


def test_a_keytab_of_several_users(tshark, folder):
    """NTLM of users with passwords of their own, in one capture: each key of the keytab is tried."""
    capture = CAPTURES / "sealed-tcp.pcapng"
    frames = lossy.frames_of(capture, folder)
    users = {"monitor1": "One", "monitor2": "Zwölf"}
    path = folder / "two.pcap"
    lossy.write(path, [ntlm.as_another_user(frames, "Perf-Lib2", *user) for user in users.items()])
    keys = [(user, "PERF.TEST", password) for user, password in users.items()]
    sent = opened(tshark, capture, *options_for(capture))
    assert opened(tshark, path, *kept_in(folder / "both", ntlm.keytab(*keys))) == sent + sent
    one = kept_in(folder / "one", ntlm.keytab(keys[0]))
    assert opened(tshark, path, *one) == sent
    assert sentences(tshark, path, *one) == {
        "kerberos.file is not set, and no keytab given with -K contains the key. Set ntlmssp.nt_password to the password of CONTOSO\\monitor2, "
        "or kerberos.file to a keytab with the user's arcfour-hmac key"}


def test_another_user_on_the_same_ports(tshark, folder):
    """Ports are used again, the SYN is not in the capture: a password that opened the first logon is not the second one's."""
    capture = CAPTURES / "sealed-tcp.pcapng"
    frames = [frame for frame in lossy.frames_of(capture, folder) if not frame[1][lossy.tcp_of(frame[1])[0] + 13] & 7]     # FIN, SYN, RST
    begin = frames[-1][0] - frames[0][0] + 1000
    users = [ntlm.as_another_user(frames, "Perf-Lib2", *user) for user in (("monitor1", "One"), ("monitor2", "Two"), ("monitor3", "Three"))]
    path = write_pcap(folder / "again.pcap", lossy.in_sequence(
        [(time + begin * number, frame) for number, one in enumerate(users) for time, frame in one], acknowledged=True), ETHERNET)
    sent = opened(tshark, capture, *options_for(capture))
    for passes in ([], ["-2"]):
        options = ["-o", "ntlmssp.nt_password:One", *passes]
        assert opened(tshark, path, *options) == sent
        assert tshark.fields(path, "_ws.expert.message", display_filter="perflib_session.no_request", options=options) == []
        said = [text for row in tshark.fields(path, "_ws.expert.message", display_filter="perflib_session.no_key", options=options) for text in row[0] if text.startswith("Encrypted (")]
        said = [text.replace("\\\\", "\\") for text in said]    # Wireshark 4.4 doubles them
        assert said == [f"Encrypted (NTLM). ntlmssp.nt_password is not the password of CONTOSO\\monitor{number}" for number in (2, 3)]


def test_ntlm_without_extended_session_security(tshark, folder):
    """NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY, [MS-NLMP] 2.2.2.5, was not agreed upon."""
    capture = CAPTURES / "sealed-tcp.pcapng"
    changed = []
    for time, frame in lossy.frames_of(capture, folder):
        at = frame.find(ntlm.CHALLENGE)
        if at >= 0:
            frame = frame[: at + 22] + bytes([frame[at + 22] & ~8]) + frame[at + 23 :]
        changed.append((time, frame))
    path = write_pcap(folder / "old.pcap", changed, ETHERNET)
    assert sentences(tshark, path, *options_for(capture)) == {"Wireshark does not decrypt NTLM without extended session security"}


def test_smb3_that_encrypts_all(tshark):
    """By NTLM's password in one pass: the values of the session in clear. Wireshark makes no key in two, and a table says what is there."""
    clear, capture = CAPTURES / "perfdata-samba.pcapng", CAPTURES / "perfdata-samba-smb3-ntlm.pcapng"

    def values(path, *options):
        return [row for row in tshark.fields(path, "perfdata.value", "perfdata.path", display_filter="perfdata", options=options) if any(row)]

    assert values(capture, *options_for(capture)) == values(clear) != []
    said = tshark.run(capture, *options_for(capture), "-2", "-q", "-z", "perflibv2,sessions")
    assert "everything after the logon is encrypted by SMB 3" in said


OF_ALL = [*OF_PERFLIBV2, *(f"perfdata,{table}" for table in ("sessions", "queries", "counters", "usage", "missing", "watch")),
          *(f"pla,{table}" for table in ("sessions", "calls", "sets"))]
PASSWORD = NTLM + "perf, logged on from WIN-CLIENT" + OR_KEYTAB


@pytest.mark.parametrize("name, options, needed", [
    ("perfdata-samba-smb3-ntlm", [], f". Or read without -2. {PASSWORD}"),
    ("perfdata-samba-smb3-ntlm", ["-2"], f". Or read without -2. {PASSWORD}"),
    ("perfdata-samba-smb3-ntlm", ["-2", "key"], ". With -2, Wireshark does not derive that key from a password: leave out -2"),
    ("perfdata-samba-smb3-ntlm", ["-o", "ntlmssp.nt_password:wrong"], ". ntlmssp.nt_password is not the password of perf, logged on from WIN-CLIENT"),
    ("perfdata-samba-smb3-ntlm", ["key"], None),
    ("perfdata-samba-smb3", [], ""),
    ("perfdata-samba-smb3", ["-2"], ""),
    ("perfdata-samba-smb3", ["-2", "key"], None),
])
def test_calls_encrypted_by_smb3_are_told_once(tshark, tmp_path, name, options, needed):
    """Which calls it carries nobody knows: so the tree, each table of each protocol and each file say once what it takes."""
    capture = CAPTURES / f"{name}.pcapng"
    options = [word for option in options for word in (options_for(capture) if option == "key" else [option])]
    # The ID of the session as its Session Setup has it: [MS-SMB2] 2.2.1.2.
    (session,) = {row[0][0] for row in tshark.fields(capture, "smb2.sesid", display_filter="smb2.cmd == 1 && smb2.sesid != 0")}
    id = int(session, 0).to_bytes(8, "little").hex()
    expected = [] if needed is None else [f"Encrypted (SMB 3). Add the key of session {id} to smb2_seskey_list{needed}"]
    assert [sentence for _, sentence in notes(tshark, capture, *options)] == expected
    printed = printed_tables(tshark, capture, OF_ALL, *options, alone=not options)
    assert [rows for rows, said in printed if [sentence for sentence in said if "Encrypted (SMB 3)" in sentence] != expected] == []
    tmp_path.chmod(0o777)
    commands = [f"{protocol},{kind}" for protocol in ("perflibv2", "perfdata") for kind in ("samples", "pdh-csv")] + ["perflibv2,catalog"]
    files = {command: tmp_path / command.replace(",", "-") for command in (*commands, "perflib,report")}
    said = tshark.complaint(capture, *options, "-q", *asked(f"{command},{file}" for command, file in files.items()))
    for command in commands:
        told = "".join(f"{sentence}\n" for sentence in expected)
        assert said.count(f"-z {command}: found nothing, and some calls could not be read\n{told}") == len(expected), command
    page = Page(files["perflib,report"].read_text(encoding="utf-8"))
    assert all(sentence in page.sections["findings"].text for sentence in expected)
    assert [line.removeprefix("# ") for line in files["perflibv2,catalog"].read_text().splitlines() if "SMB 3" in line] == expected
