# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/decode as a newcomer meets it."""

import os
import re
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from lib import lossy
from lib import perflibv2 as p
from lib.captures import CAPTURES, REPOSITORY
from lib.pcap import ETHERNET, write_pcap
from lib.some import some
from lib.tables import named_rows, table_rows
from lib.tshark import UNPRIVILEGED
from lib.wire import Capture

DECODE = CAPTURES / "decode"


@pytest.fixture(scope="module")
def decode(tshark):
    """Runs captures/decode on what is built already."""
    usual = {**tshark.environment_of_commands(REPOSITORY), "PERFLIB_BUILD": str(tshark.plugins.parent)}
    del usual["WIRESHARK_PLUGIN_DIR"]

    def run(*arguments, home=None, command=(DECODE,)):
        environment = dict(usual)
        if home:
            environment["HOME"] = str(home)
        return subprocess.run(
            [*map(str, command), *map(str, arguments)], cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=600, check=False,
        )
    return run


def lines_of(result):
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_counters_first_then_how_to_see_more(decode, tmp_path):
    lines = lines_of(decode())
    assert lines[0] == "PerflibV2 Counters:" and not [line for line in lines if "nt_password" in line]
    first = lines.index(r"\\WIN-PERF01") + 2
    assert lines[first - 1] == "Processor Information" and lines[first].startswith(r"(_Total)\% Processor Time")
    assert len(lines) < 40
    more = [line.split("#")[0].strip() for line in lines if "/decode captures/tcp-session.pcapng" in line]
    assert len(more) >= 4
    page = tmp_path / "OUT.html"
    for line in more:
        shown = lines_of(decode("-c", line.replace("OUT.html", str(page)), command=("bash",)))
        assert page.read_text().startswith("<!") if "--report" in line else len(shown) > 5, line


README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^\| (\d+)\. [^|]*\? \| `(captures/decode [^`|]*)` \|$", README, re.MULTILINE)


def test_readme_asks_five_questions_before_installing():
    """README's chapter before installing, which captures/decode refers to."""
    chapters = re.findall(r"^## (.*)$", README, re.MULTILINE)
    assert chapters[chapters.index("Install") - 1] == "It does not work: what does the capture say?"
    assert [int(number) for number, _ in QUESTIONS] == list(range(1, 6))


@pytest.mark.parametrize("line", [line for _, line in QUESTIONS], ids=[number for number, _ in QUESTIONS])
def test_question_is_answered(decode, line):
    assert len([text for text in lines_of(decode("-c", line, command=("bash",))) if re.search(r"\d", text)]) > 2


def test_readmes_command_prints_readmes_lines(decode):
    """The command of its second block prints the lines of the third, but for blanks."""
    command, shown = re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[1:3]
    lines = [" ".join(line.replace("|", " ").split()) for line in lines_of(decode("-c", command.strip(), command=("bash",)))]
    assert [line for line in shown.splitlines() if " ".join(line.replace("|", " ").split()) not in lines] == []


def test_no_room_for_a_report(decode, tmp_path):
    """A page that cannot be written whole is not there; a place that is no file stays."""
    (tmp_path / "sed").write_text(f'#!/bin/sh\n{shutil.which("sed")} "$@" | head -c 1000\nexit 4\n')
    (tmp_path / "sed").chmod(0o755)
    out = tmp_path / "out.html"
    out.write_text("the page before")
    result = decode("--report", out, command=("env", f"PATH={tmp_path}:{os.environ['PATH']}", DECODE))
    assert result.returncode != 0 and f"{out} could not be written completely" in result.stderr and not out.exists()
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    result = decode("--report", full)
    assert result.returncode != 0 and f"{full} could not be written completely" in result.stderr
    assert full.is_symlink() and Path("/dev/full").exists()


def test_counters_that_say_most(decode, tshark):
    """Twenty, of each counter one instance: _Total, or the one that changed most; and how many more there are."""
    session = CAPTURES / "tcp-session.pcapng"
    lines = lines_of(decode(session))
    shown = named_rows("\n".join(lines))
    every = {row["Counter"]: row for row in named_rows(tshark.run(session, "-2", "-q", "-z", "perflibv2,counters"))}
    assert len(shown) == 20 and all(every[row["Counter"]] == row for row in some(shown))
    assert f"{len(every) - 20} more counters: all of them with -q -z perflibv2,counters" in lines

    def swing(row):
        least, largest = float(row["Min"]), float(row["Max"])
        return (largest - least) / max(abs(least), abs(largest)) if largest != least else 0

    kept = {re.sub(r"\(.*\)", "", row["Counter"]): row for row in shown}
    assert len(kept) == 20
    rivals = [row for path, row in every.items() if "0x" not in row["Max"] and row["Samples"] != "0" and path.endswith("% Processor Time")]
    assert r"\\WIN-PERF01\Processor Information(_Total)\% Processor Time" in {row["Counter"] for row in shown} and len(rivals) > 3
    instances = {path.split("(")[0] for path in every if "(" in path}
    alone = [row for path, row in every.items() if "(" not in path and path.rsplit("\\", 1)[0] not in instances
             and "0x" not in row["Max"] and row["Samples"] != "0"]
    least = min(swing(row) for row in shown)
    left = [swing(row) for row in alone if row["Counter"] not in {one["Counter"] for one in shown}]
    assert max(left) <= least + 0.0005


@pytest.mark.parametrize("capture, title", [
    ("pla-session", "PLA Data Collector Sets:"),
    ("perfdata-samba", "PerfData Counters:"),
])
def test_only_tables_with_rows(decode, capture, title):
    lines = lines_of(decode(CAPTURES / f"{capture}.pcapng"))
    assert [line for line in lines if re.fullmatch(r"(PerflibV2|PLA|PerfData) .*:", line)] == [title]


@pytest.mark.parametrize("name", ["=====", "Filter for statistics"])
def test_a_name_that_looks_like_a_line_of_the_table(decode, tmp_path, name):
    """It is printed like any other, and no table without rows is."""
    capture = Capture()
    peer, handle, other = p.Peer(capture), p.query_handle(1), uuid.UUID(int=7)
    for guid, text in ((p.SET, name), (other, "Other")):
        peer.registration(1, p.counterset([p.counter(1)], guid=guid), guid=guid)
        peer.registration(3, p.text(text), guid=guid)
        peer.registration(5, p.strings([(1, "Reads")]), guid=guid)
    peer.mapped(handle, p.identifier(1, "one"), p.identifier(1, "two", guid=other))
    peer.poll(handle, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    lines = lines_of(decode(capture.write(tmp_path / "names.pcap")))
    rows = [line.split("|")[0].strip() for line in lines if line.endswith(" |")]
    assert rows == ["Counter", r"(one)\Reads", r"(two)\Reads"]
    assert [line for line in lines if line in (name, "Other")] == [name, "Other"]


def test_nothing_to_show_says_why(decode):
    """What stopped the clients stands in place of the values, and where to look for more."""
    lines = lines_of(decode(CAPTURES / "refused-in-clear.pcapng"))
    assert "It does not work" in lines[0]
    assert any("ERROR_ACCESS_DENIED" in line for line in lines)


def test_sealed_without_the_password(decode):
    lines = lines_of(decode(CAPTURES / "sealed-tcp.pcapng"))
    assert any("Set ntlmssp.nt_password to the password of" in line for line in lines)
    (more,) = [line for line in lines if "-o ntlmssp.nt_password:SECRET" in line]
    command = more.split("#")[0].strip().replace("SECRET", "Perf-Lib2")
    assert "-o ntlmssp.nt_password:Perf-Lib2" in command and lines_of(decode("-c", command, command=("bash",)))[0] == "PerflibV2 Counters:"


@pytest.mark.parametrize("capture, key", [
    ("sealed-tcp", ("-o", "ntlmssp.nt_password:Perf-Lib2")),
    ("sealed-kerberos", ("-o", "kerberos.decrypt:TRUE", "-o", f"kerberos.file:{CAPTURES / 'kerberos.keytab'}")),
])
def test_more_of_what_a_key_opened(decode, tmp_path, capture, key):
    """The commands that it suggests repeat the options it was given. Without the key they would show nothing."""
    result = decode(CAPTURES / f"{capture}.pcapng", *key)
    more = [line.split("  #")[0].strip() for line in lines_of(result) if "  # " in line]
    full, page = [line for line in more if " -O " in line], [line for line in more if "--report" in line]
    assert len(more) >= 5 and len(full) == len(page) == 1
    assert "Cooked value" in decode("-c", full[0], command=("bash",)).stdout
    report = tmp_path / "OUT.html"
    lines_of(decode("-c", page[0].replace("OUT.html", str(report)), command=("bash",)))
    assert "Processor Time" in report.read_text(encoding="utf-8")


def test_segments_out_of_order(decode, tshark, folder):
    """
    Segments of one answer that change places: all counters are there as in order. Where one is missing Wireshark would wait for
    it: then they stay as they are.
    """
    frames = lossy.frames_of(CAPTURES / "segments.pcapng", folder)
    disorder = lossy.with_segments_swapped(frames, 8)

    def counters(given):
        path = write_pcap(folder / "given.pcap", given, ETHERNET)
        return [row[:3] for row in table_rows("\n".join(lines_of(decode(path))))]

    assert counters(disorder) == counters(frames) != []
    early = next(n for n in range(10, len(frames)) if lossy.carries_data(frames[n][1]))
    path = write_pcap(folder / "lost.pcap", disorder[:early] + disorder[early + 1 :], ETHERNET)
    command = [REPOSITORY / "tests" / "lib" / "in-order", path]
    assert not subprocess.run(command, env=tshark.environment(), capture_output=True, text=True, check=True).stdout


def test_examples_of_its_help(decode, tmp_path):
    usage = decode("--help").stdout
    examples = re.findall(r"^  captures/decode FILE (.*?)(?:  +.*)?$", usage, re.MULTILINE)
    assert len(examples) >= 4
    for example in examples:
        file, example = ("sealed-tcp", example.replace("SECRET", "Perf-Lib2")) if "SECRET" in example else ("tcp-session", example)
        # Of a page the first sentence is printed.
        page = tmp_path / "OUT.html"
        shown = f" && head -c 20000 {page}" if "OUT.html" in example else " | head -c 20000"
        result = decode("-c", f"captures/decode captures/{file}.pcapng {example.replace('OUT.html', str(page))}{shown}", command=("bash",))
        assert len([line for line in result.stdout.splitlines() if line.strip()]) > 2, example


def test_options_of_tshark_replace_ours(decode):
    """A filter of the user's own goes in place of ours; without one only our calls are shown."""
    assert len(lines_of(decode("-Y", "perflibv2.opnum == 6"))) == 26
    numbers = lines_of(decode("-T", "fields", "-e", "perflibv2.opnum"))
    assert len(numbers) == 224 and all(numbers)


def test_arguments_in_any_order(decode):
    """A capture, and a display filter that is no option; behind options, too."""
    session = CAPTURES / "tcp-session.pcapng"
    expected = lines_of(decode(session, "-Y", "perflibv2.opnum == 6"))
    assert len(expected) == 26
    for arguments in ((session, "perflibv2.opnum == 6"), ("-Y", "perflibv2.opnum == 6", session), ("perflibv2.opnum==6", session)):
        assert lines_of(decode(*arguments)) == expected


@pytest.mark.parametrize("arguments, message", [
    (("no-such.pcapng",), "no such capture: no-such.pcapng"),
    (("no/such",), "no such capture: no/such"),
    ((CAPTURES,), "can't read"),
    ((CAPTURES / "tcp-session.pcapng", CAPTURES / "big.pcapng"), "one capture at a time"),
    (("EMPTY",), "is empty"),
    ((CAPTURES / "README.md",), "isn't a capture file"),
    ((CAPTURES / "pictures" / "poll.png",), "poll.png is not a network capture"),
    (("-Y",), "-Y needs a value"),
    (("perflibv2.nosuch",), "no such capture or display filter: perflibv2.nosuch"),
    (("tcp-session.pcpng",), "no such capture or display filter: tcp-session.pcpng"),
    (("perflibv2.opnum ==",), "expected"),
    (("--report", "/nonexistent/page.html"), "no such folder for the report: /nonexistent"),
    (("--report", CAPTURES), "captures is a folder"),
])
def test_what_is_wrong_is_said(decode, tmp_path, arguments, message):
    empty = tmp_path / "empty.pcapng"
    empty.write_bytes(b"")
    result = decode(*(empty if argument == "EMPTY" else argument for argument in arguments))
    assert result.returncode != 0 and message in result.stderr


@pytest.mark.parametrize("table", ["perflibv2,pdh-csv,NOWHERE/file.csv", "perflib,ndjson,NOWHERE/folder", "perflibv2,samples,/dev/full",
                                   "perflib,csv", "perflib,ndjson,NOWHERE,no.such.field"])
def test_a_table_that_is_not_written_is_a_failure(decode, tmp_path, table):
    """tshark succeeds; one sentence says why there is no file. Other tables are written."""
    written = tmp_path / "queries.csv"
    tmp_path.chmod(0o777)
    table = table.replace("NOWHERE", "/nonexistent" if "," not in table.partition("NOWHERE")[2] else str(tmp_path / "some"))
    result = decode(CAPTURES / "habits.pcapng", "-q", "-z", table, "-z", f"perflibv2,samples,{written}")
    said = [line for line in result.stderr.splitlines() if "ritten: " in line]
    assert result.returncode == 1 and len(said) == 1 and said[0].startswith("tshark: "), result.stderr
    assert decode(CAPTURES / "habits.pcapng", "-q", "-z", f"perflibv2,samples,{written}").returncode == 0 and written.stat().st_size > 1000


def test_a_capture_of_something_else(decode, tmp_path):
    """It is one, but nothing of ours is in it: which is no failure, and no reason to look for what stopped a client."""
    lines = lines_of(decode(write_pcap(tmp_path / "other.pcap", [(0, bytes(60))], ETHERNET)))
    assert len(lines) == 1 and "other.pcap contains no performance counters" in lines[0] and "It does not work" in lines[0]


def test_every_call_in_full_of_both_apis(decode):
    (more,) = [line.split("#")[0] for line in lines_of(decode(CAPTURES / "both-apis.pcapng")) if "# every call in full" in line]
    text = decode("-c", more, command=("bash",)).stdout
    assert re.search(r"^ +\[?Cooked value", text, re.MULTILINE) and "Signature: PERF" in text


def test_through_a_symbolic_link(decode, tmp_path):
    (tmp_path / "link").symlink_to(DECODE)
    assert lines_of(decode(command=(tmp_path / "link",)))[0] == "PerflibV2 Counters:"


def test_installed_plugin_is_no_second_one(decode, tshark, tmp_path):
    (plugin,) = Path(tshark.plugins).glob("*/epan/perflib.so")
    folder = tmp_path / ".local/lib/wireshark/plugins" / plugin.parts[-3] / "epan"
    folder.mkdir(parents=True)
    shutil.copy(plugin, folder)
    (tmp_path / ".config/wireshark").mkdir(parents=True)
    (tmp_path / ".config/wireshark/preferences").write_text("ntlmssp.nt_password: Perf-Lib2\n")
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o755)
    result = decode(CAPTURES / "sealed-tcp.pcapng", home=tmp_path)
    assert "multiple directories" not in result.stderr
    assert lines_of(result)[0] == "PerflibV2 Counters:", "the user's settings count"


def test_a_build_of_another_clone_stays(tmp_path, tshark):
    """It is neither used nor wiped."""
    cache = tmp_path / "CMakeCache.txt"
    cache.write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={tmp_path}\nCMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
    for path in (tmp_path, cache):
        path.chmod(0o777)
    result = subprocess.run([DECODE], cwd=REPOSITORY, env=tshark.environment({"PERFLIB_BUILD": str(tmp_path)}),
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode != 0 and "was made for another clone" in result.stderr
    assert cache.read_text().count("\n") == 2


# What apt says without a network: it goes on with the lists that it has, and finds no package, or no way to it.
OFFLINE = r"""for i in $(seq 400); do
    echo "Err:$i http://deb.debian.org/debian bookworm InRelease"
    echo "  Temporary failure resolving 'deb.debian.org'"
done
case "$*" in *update) exit ;; esac
echo "W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease"
echo "E: The first of two errors"
echo "E: Unable to locate package no-such-package"
exit 100"""


@pytest.mark.parametrize("command, said", [
    ("install_packages no-such-package", "bash: could not install: no-such-package"),
    ("unpack_package no-such-package {folder}/tools || exit 1", "could not fetch: no-such-package"),
])
def test_without_a_network_one_sentence_says_so(tmp_path, command, said):
    """One sentence, with the last of apt's errors, not all that apt says."""
    for name, script in {"sudo": 'exec "$@"', "apt-get": OFFLINE}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    command = f". {REPOSITORY}/tests/lib/setup.sh; {command.format(folder=tmp_path)}"
    result = subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 1
    assert (result.stdout + result.stderr).splitlines()[1:] == [
        f"{said} (E: Unable to locate package no-such-package; no network?)"]


def test_sudo_is_asked_once(tmp_path):
    """Where sudo does not let the user, it is not asked again, and the command for root is told."""
    asked = tmp_path / "asked"
    for name, script in {"sudo": f'echo "$@" >>"{asked}"; exit 1', "apt-get": "exit 1"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    tmp_path.chmod(0o777)
    result = subprocess.run(
        [UNPRIVILEGED, "bash", "-c", f'. {REPOSITORY}/tests/lib/setup.sh; install_packages no-such-package'],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert result.returncode == 1
    assert "apt-get install --no-install-recommends no-such-package" in result.stderr
    assert asked.read_text() == "-v\n"
