# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/probe, with servers on 127.0.0.1: one that keeps all rules, one that breaks five, one that has no PerflibV2."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lib.captures import CAPTURES, REPOSITORY
from lib.probed import GUILTY_OF, PASSWORD, USER
from lib.rules import rules_of_the_code
from lib.some import some
from lib.tables import named_rows
from perfcap.verdict import WHY

LIB = REPOSITORY / "tests" / "lib"
PROBE = CAPTURES / "probe"
BOUND = {row[0] for row in rules_of_the_code() if row[2] != "CLIENT"}
OF_CLIENTS = {row[0] for row in rules_of_the_code() if row[2] != "SERVER"}
# Only a call that no client may make gives occasion to judge these, and breaks those.
NEEDS_FORBIDDEN = {"request_code_refused": "request_code", "validate_refused": "validate_room",
                   "short_identifier_refused": "identifier_size", "handle_refused": "handle_after_close"}
JUDGED_IN_REQUESTS = {"transport", "transfer_syntax"}
NETWORK = subprocess.run([LIB / "network", "true"], capture_output=True, check=False).returncode == 0


class Verdict:
    """What the probe printed: rule -> frame by verdict, rule -> why by "not judged"."""

    def __init__(self, result, folder):
        self.result, self.folder, self.out = result, folder, result.stdout
        self.by = {title: {} for title in ("Broken", "Departed", "Held")}
        self.why = {}
        section = ""
        for line in self.out.splitlines():
            if re.match(r"\S", line):
                section = line.split()[0].rstrip(":")
            elif section in self.by and line:
                frame, rule = re.match(r"  frame (\d+): (\w+) \([\d.]+\): ", line).groups()
                assert rule not in self.by[section]
                self.by[section][rule] = int(frame)
            elif section == "Not" and line.startswith("    "):
                self.why.update(dict.fromkeys(re.findall(r"\w+", line), reason))
            elif section == "Not":
                reason = line.strip().removesuffix(":")

    @property
    def judged(self):
        return {rule: frame for found in self.by.values() for rule, frame in found.items()}

    def step(self, name):
        return re.search(rf"^  {re.escape(name)}: (.*)$", self.out, re.MULTILINE)[1]


@pytest.fixture
def probe(tshark, tmp_path):
    """Runs captures/probe beside a server of that kind; server (): what answers already."""
    environment = tshark.environment({"PERFLIB_BUILD": str(tshark.plugins.parent)})
    del environment["WIRESHARK_PLUGIN_DIR"]
    tmp_path.chmod(0o755)

    def run(server, *options, beside=(), user=USER, password=PASSWORD, host="127.0.0.1", stdin=None):
        """password None: the terminal stdin is asked for it, and whether to begin."""
        if "pipe" in server and not NETWORK:
            pytest.skip("no network name space can be made here")
        folder = tmp_path / "out"
        command = [PROBE, host, "--interval", "0", "--into", folder, *options, *([] if stdin else ["--yes"])]
        command += ["--user", user] if user else []
        if server:
            beside = [sys.executable, LIB / "probed.py", *server, "--"]
            if {"pipe", "kerberos"} & set(server):
                beside.insert(0, LIB / "network")
            if "pipe" not in server:
                command += ["--tcp", "PORT"]
        secret = {"PERFLIB_PASSWORD": password} if password else {}
        result = subprocess.run([*map(str, beside), *map(str, command)], env={**environment, **secret}, stdin=stdin or subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=300, check=False)
        return Verdict(result, folder)
    return run


def frames_of(tshark, verdict, name):
    """Frames where a field is, in the probe's capture."""
    ports = {int(port) for row in tshark.fields(verdict.folder / "capture.pcapng", "tcp.dstport", options=("-Y", "tcp.flags == 2"))
             for port in row[0]}
    rows = tshark.fields(verdict.folder / "capture.pcapng", "frame.number", name, options=(
        "-o", f"ntlmssp.nt_password:{PASSWORD}", "-Y", f"tcp.srcport in {{{','.join(map(str, ports))}}}"))
    return {int(row[0][0]) for row in rows if row[1]}


def test_each_rule_has_a_reason():
    assert set(WHY) == BOUND and len(BOUND) == 102


@pytest.mark.parametrize("server", [("good", "pipe"), ("good",)], ids=" ".join)
def test_good_server_breaks_no_rule(probe, tshark, server):
    verdict = probe(server)
    assert verdict.result.returncode == 0, verdict.result.stderr
    assert not verdict.by["Broken"] and len(verdict.judged) >= 85
    assert set(verdict.why) == NEEDS_FORBIDDEN.keys() | JUDGED_IN_REQUESTS and all(some(verdict.why.values()))
    assert set(verdict.judged) | set(verdict.why) == BOUND and not set(verdict.judged) & set(verdict.why)
    assert "The probe itself broke no rule for clients. It departed from auth_level" in verdict.out
    assert f"{len(verdict.judged)} of 102 rules that bind a server were judged: 0 broken" in verdict.out
    # Each frame is an answer's.
    answers = frames_of(tshark, verdict, "perflibv2.opnum")
    assert set(some(verdict.judged.values())) <= answers
    # All is left that it says: each rule's row, and a session that worked.
    rows = [json.loads(line) for line in (verdict.folder / "ndjson" / "perflibv2-rules.ndjson").read_text(encoding="utf-8").splitlines()]
    assert {row["rule"] for row in rows} == BOUND | OF_CLIENTS and not [row for row in rows if row["verdict"] == "broken"]
    assert {path.name for path in verdict.folder.iterdir()} == {"capture.pcapng", "ndjson"}
    assert PASSWORD not in verdict.out + verdict.result.stderr
    assert verdict.step("the older API").startswith("answered (Counter 009: ")
    assert verdict.step("NDR64") == "refused: the server refuses the bind: proposed_transfer_syntaxes_not_supported"
    assert verdict.step("big-endian integers, in clear").startswith("answered")


def test_what_no_client_may_send(probe):
    verdict = probe(("good",), "--forbidden")
    assert verdict.result.returncode == 0, verdict.result.stderr
    assert not verdict.by["Broken"] and set(verdict.why) == JUDGED_IN_REQUESTS
    (broken,) = re.findall(r"^The probe itself broke (.*?)\. It", verdict.out, re.MULTILINE)
    assert set(broken.split(", ")) == set(NEEDS_FORBIDDEN.values()) <= OF_CLIENTS


def test_a_server_that_breaks_five_rules(probe, tshark):
    verdict = probe(("guilty",))
    assert verdict.result.returncode == 1, verdict.result.stderr
    assert set(verdict.by["Broken"]) == GUILTY_OF and len(GUILTY_OF) == 5
    for rule, frame in verdict.by["Broken"].items():
        assert frame == min(frames_of(tshark, verdict, f"perflibv2.rule.{rule}"))
    assert "The probe itself broke no rule for clients" in verdict.out


def test_server_of_ndr64_alone_is_asked_in_it(probe):
    """What takes no NDR is asked in NDR64, sealed."""
    verdict = probe(("ndr64",))
    assert verdict.result.returncode == 0, verdict.result.stderr
    assert verdict.step("PerflibV2").startswith("answered") and verdict.step("NDR64").startswith("answered")
    assert verdict.step("the older API") == "refused: the server refuses the bind: proposed_transfer_syntaxes_not_supported"
    assert not verdict.by["Broken"] and set(verdict.why) == NEEDS_FORBIDDEN.keys() | JUDGED_IN_REQUESTS
    assert "broke no rule for clients. It departed from transport, transfer_syntax." in verdict.out


def test_server_that_denies_all_breaks_no_rule(probe):
    """A server that wants packet privacy denies all, which is right."""
    verdict = probe(("good",), user=None)
    assert verdict.result.returncode == 3 and "privacy_required" in verdict.by["Held"] and not verdict.by["Broken"]
    assert set(verdict.why.values()) == {"PerflibV2 was not served (denied: ERROR_ACCESS_DENIED)"}


def test_wrong_password_fails_and_judges_nothing(probe):
    verdict = probe(("good",), password="Perf-Lib3")
    assert verdict.result.returncode == 3 and verdict.step("PerflibV2") == "failed: the server closed the connection"
    assert set(verdict.why.values()) == {"PerflibV2 was not served (failed: the server closed the connection)"}


def test_answers_that_nobody_can_read(probe):
    verdict = probe(("cut",))
    assert verdict.result.returncode == 3 and "Traceback" not in verdict.result.stderr
    assert verdict.step("PerflibV2").startswith("answered with what nobody can read (to ")


def test_refused_connection_is_said_to_be_refused(probe):
    if not NETWORK:
        pytest.skip("no network name space can be made here")
    verdict = probe((), beside=[LIB / "network"])
    assert verdict.result.returncode == 3 and "Connection refused" in verdict.step("PerflibV2")
    assert set(verdict.why) == BOUND
    # What the recording says of it itself.
    (session,) = [json.loads(line) for line in (verdict.folder / "ndjson" / "sessions.ndjson").read_text(encoding="utf-8").splitlines()]
    assert session["stage"] == "TCP" and session["server"] == "127.0.0.1"


def test_unknown_name_is_said_to_be_unknown(probe):
    if not NETWORK:
        pytest.skip("no network name space can be made here")
    verdict = probe((), "--address", "nowhere.invalid", beside=[LIB / "network"])
    assert verdict.result.returncode == 2 and not verdict.out and not verdict.folder.exists()
    assert "127.0.0.1 could not be reached: unknown name, or no network" in verdict.result.stderr


def has(program, *modules):
    """Whether a server's program and Debian's modules for Python are there."""
    return shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin") and not subprocess.run(
        [sys.executable, "-c", f"import {', '.join(modules)}"], capture_output=True, check=False).returncode


def test_probe_with_tickets_is_sealed_and_judged(probe, tshark):
    """Sealed with tickets; what is left opens the capture."""
    if not has("krb5kdc", "gssapi") or not has("kinit", "gssapi"):
        pytest.skip("no KDC of MIT's to give tickets")
    if not NETWORK:
        pytest.skip("no network name space can be made here")
    verdict = probe(("good", "kerberos"), "--kerberos", "--address", "127.0.0.1", user="perf.test\\perfuser", host="win-perf01.perf.test")
    assert verdict.result.returncode == 0, verdict.result.stderr
    assert not verdict.by["Broken"] and set(verdict.why) == NEEDS_FORBIDDEN.keys() | JUDGED_IN_REQUESTS
    assert "The probe itself broke no rule for clients." in verdict.out
    assert verdict.step("the older API").startswith("answered (Counter 009: ")
    services = tshark.fields(verdict.folder / "capture.pcapng", "dcerpc.auth_type", options=("-Y", "perflibv2"))
    assert {value for row in services for value in row[0]} == {"9"}
    queries = named_rows(tshark.run(verdict.folder / "capture.pcapng", "-o", "kerberos.decrypt:TRUE", "-K",
                                    str(verdict.folder / "capture.keytab"), "-q", "-z", "perflibv2,queries"))
    assert [row["State"] for row in queries] == ["closed"] * 3


def test_smbd_answers_the_older_api_alone(probe, tmp_path):
    """Debian's smbd has the older API, and no PerflibV2."""
    if os.geteuid() != 0 or not has("smbd", "gssapi", "tdb"):
        pytest.skip("no smbd of Samba's to be asked")
    if not NETWORK:
        pytest.skip("no network name space can be made here")
    beside = [LIB / "network", sys.executable, CAPTURES / "make" / "perfdata_samba.py", "--serve", tmp_path / "samba", "--"]
    verdict = probe((), beside=beside, user="WORKGROUP\\perf")
    refused = "refused: the server refuses the bind: abstract_syntax_not_supported"
    assert verdict.result.returncode == 3, verdict.result.stderr
    assert {verdict.step(name) for name in ("PerflibV2", "NDR64", "big-endian integers, in clear")} == {refused}
    # smbd has no Help 009, and cuts a block that does not fit without saying so.
    assert re.fullmatch(r"answered \(Counter 009: \d+ bytes; Help 009: error 2; Global: \d+ bytes, but cut to 1024 bytes before, "
                        r"where ERROR_MORE_DATA was expected\)", verdict.step("the older API"))
    assert set(verdict.why) == BOUND and set(verdict.why.values()) == {f"PerflibV2 was not served ({refused})"}
    assert "broke no rule for clients." in verdict.out


@pytest.mark.parametrize("arguments, says", [
    (["--user", "x"], "Usage:"),
    (["one", "two"], "one server at a time: one and two"),
    (["one", "--tcp"], "--tcp needs a value"),
    (["one", "--tcp", "70000"], "--tcp needs a port number: 70000"),
    (["one", "--tcp", "135", "--pipe"], "either --pipe or --tcp"),
    (["one", "--interval", "soon"], "--interval needs a number of seconds: soon"),
    (["one", "--write"], "unknown option: --write"),
    (["one", "--into", "/"], "/ already exists: move it away"),
    (["one", "--into", "/nowhere/out"], "can't make /nowhere/out"),
    (["one"], "no terminal to ask on: --yes starts without asking"),
    (["one", "--yes", "--user", "CONTOSO\\me"], "PERFLIB_PASSWORD is not set, and there is no terminal to ask for the password of CONTOSO\\me"),
])
def test_wrong_arguments_ask_nothing(arguments, says, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "PERFLIB_PASSWORD"}
    result = subprocess.run([PROBE, *arguments], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=60, check=False)
    assert result.returncode == 2 and says in result.stderr and not result.stdout
    assert not list(Path(tmp_path).iterdir())


def answering(words):
    """A terminal where somebody has typed that already."""
    ours, theirs = os.openpty()
    os.write(ours, words.encode())
    return ours, theirs


def test_answer_no_asks_nothing(tmp_path):
    ours, theirs = answering("n\n")
    result = subprocess.run([PROBE, "127.0.0.1"], cwd=tmp_path, stdin=theirs, capture_output=True, text=True, timeout=60, check=False)
    os.close(ours)
    assert result.returncode == 2 and "Begin? [y/N]" in result.stderr and not list(Path(tmp_path).iterdir())


def test_the_password_is_asked_for(probe):
    ours, theirs = answering(f"y\n{PASSWORD}\n")
    verdict = probe(("good",), password=None, stdin=theirs)
    os.close(ours)
    assert verdict.result.returncode == 0 and f"Password of {USER}:" in verdict.result.stderr
    assert PASSWORD not in verdict.out + verdict.result.stderr and len(verdict.judged) >= 85


def test_says_what_it_will_do(tmp_path):
    result = subprocess.run([PROBE, "\\\\SRV", "--forbidden"], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=60, check=False)
    assert result.returncode == 2
    for words in ("This asks SRV for performance counters over the pipe \\PIPE\\winreg (TCP port 445), without a logon, unencrypted",
                  "makes calls that no client may make", "changes nothing else on SRV", "perflib-probe-SRV"):
        assert words in result.stderr
