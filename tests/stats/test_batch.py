# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/batch: many captures, one table."""

import csv
import fcntl
import gzip
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from lib import lossy
from lib.captures import CAPTURES, REPOSITORY, options_for
from lib.pcap import ETHERNET, write_pcap
from lib.some import some
from lib.tables import data_tables

BATCH = CAPTURES / "batch"
MANUAL = (REPOSITORY / "plugin" / "manual" / "many.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Captures: one teaches names, one lacks them, one of the older API, one whose name is hard on shells; another OUT."""
    folder = tmp_path_factory.mktemp("captures")
    for name in ("perfdata-samba", "no-registration", "tcp-session"):
        shutil.copy(CAPTURES / f"{name}.pcapng", folder)
    (folder / "sub").mkdir()
    with gzip.open(folder / "sub" / "a =b,'c%é.PCAP.gz", "wb") as file:
        file.write((CAPTURES / "both-apis.pcapng").read_bytes())
    (folder / "no capture.txt").write_text("")
    # What batch keeps for itself has the captures' names, and is none.
    (folder / "other" / ".batch" / "catalog").mkdir(parents=True)
    shutil.copy(CAPTURES / "no-registration.pcapng", folder / "other" / ".batch" / "catalog")
    return folder


FOLDERS = {"capture=no-registration.pcapng", "capture=perfdata-samba.pcapng", "capture=sub%2Fa%20%3Db%2C%27c%25%C3%A9.PCAP.gz",
           "capture=tcp-session.pcapng"}


@pytest.fixture(scope="module")
def few(folder, tmp_path_factory):
    """Three of them, which need none of the fourth."""
    few = tmp_path_factory.mktemp("few")
    shutil.copytree(folder, few, dirs_exist_ok=True)
    (few / "perfdata-samba.pcapng").unlink()
    return few


@pytest.fixture(scope="module")
def environment(tshark):
    environment = tshark.environment({"PERFLIB_BUILD": str(tshark.plugins.parent)})
    del environment["WIRESHARK_PLUGIN_DIR"]
    return environment


@pytest.fixture(scope="module")
def batch(environment):
    def run(*arguments, check=True, cwd=REPOSITORY):
        result = subprocess.run([BATCH, *map(str, arguments)], env=environment, cwd=cwd, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=300, check=False)
        assert not check or result.returncode == 0, result.stderr
        return result

    return run


def outputs(out):
    """The samples: {file below OUT: bytes}."""
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.glob("capture=*/*"))}


def merged(out):
    """The tables of all captures: {file: bytes}."""
    return {file.name: file.read_bytes() for file in sorted((out / "tables").iterdir())}


@pytest.fixture(scope="module")
def whole(batch, folder, tmp_path_factory):
    """The samples of the folder, by all jobs at once."""
    out = tmp_path_factory.mktemp("batch") / "out"
    batch(folder, out, "-j", "8")
    return out


@pytest.fixture(scope="module")
def whole_of_few(whole):
    """The samples of the three."""
    return {name: content for name, content in outputs(whole).items() if not name.startswith("capture=perfdata-samba")}


def rows_of(file):
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_capture_has_its_folder(whole):
    assert {Path(name).parent.name for name in outputs(whole)} == FOLDERS
    assert {Path(name).name for name in outputs(whole)} == {"perflibv2.csv", "perfdata.csv"}
    assert not (whole / ".batch" / "bundle").exists()


def with_table(samples):
    """As they are where what captures taught has become the user's table, which comes before what is built in."""
    return samples.replace(b',"built-in"\r\n', b',"table"\r\n')


def test_each_is_what_tshark_says(whole, tshark, tmp_path):
    """The samples of a capture that needs nobody else's names."""
    tmp_path.chmod(0o777)
    for name, protocol in (("tcp-session", "perflibv2"), ("perfdata-samba", "perfdata")):
        tshark.run(CAPTURES / f"{name}.pcapng", "-2", "-q", "-z", f"{protocol},samples,{tmp_path / name}")
        assert (whole / f"capture={name}.pcapng" / f"{protocol}.csv").read_bytes() == with_table((tmp_path / name).read_bytes())


def test_tables_of_all_captures(whole, batch, folder, tshark, tmp_path):
    """Each row is one of a capture's, in both forms; those of a machine stand together. Another run makes the same bytes."""
    files = merged(whole)
    tables = {name.partition(".")[0] for name in files}
    assert files.keys() == {f"{table}.{form}" for table in tables for form in ("csv", "ndjson")}
    read = {table: [json.loads(line) for line in files[f"{table}.ndjson"].splitlines()] for table in tables}
    for table, rows in some(read.items()):
        cells = list(csv.reader(files[f"{table}.csv"].decode().splitlines()))
        assert cells[0][0] == "capture" and len(cells) == 1 + len(rows)
        assert [row for row, line in zip(rows, cells[1:]) if list(row) != cells[0] or not same_row(line, row)] == [], table
        assert {f"capture={row['capture']}" for row in rows} <= FOLDERS
        of = [(row.get("machine") or row.get("server") or "", row["capture"]) for row in rows]
        assert of == sorted(of)
    assert len({row["server"] for row in read["perflibv2-usage"] + read["perfdata-usage"]}) == 2
    for name in ("tcp-session", "perfdata-samba"):      # which need nobody else's names
        alone = data_tables(tshark, CAPTURES / f"{name}.pcapng", "-2")
        for table in ("sessions", "perflibv2-queries", "perflibv2-calls", "perfdata-usage", "perfdata-missing"):
            rows = [{key: row[key] for key in list(row)[1:]} for row in read[table] if row["capture"] == f"{name}.pcapng"]
            assert sorted(map(str, rows)) == sorted(map(str, alone.get(table, []))), table
    batch(folder, tmp_path / "again", "-j", "1")
    assert merged(tmp_path / "again") == files


def same_row(cells, row):
    """Whether the cells of a line of CSV are those of a row of JSON."""
    return all(cell == ("" if value is None else value) if not isinstance(value, (int, float)) else float(cell) == value
               for cell, value in zip(cells, row.values(), strict=True))


ODD = "-a&b 'c\"d\\e%f$HOME~*\n"


@pytest.mark.parametrize("joined", [(), ("--joined",)])
def test_folders_of_odd_names(batch, folder, whole, tmp_path, joined):
    """Characters that shells, parallel and printf take for their own; a dash at the beginning, a line break at the end."""
    source = tmp_path / f"{ODD}{{}},"
    source.mkdir()
    shutil.copy(folder / "tcp-session.pcapng", source)
    batch(*joined, source.name, f"{ODD}out", cwd=tmp_path)
    name = "joined" if joined else "tcp-session.pcapng"
    made = (tmp_path / f"{ODD}out" / f"capture={name}" / "perflibv2.csv").read_bytes()
    assert made == outputs(whole)["capture=tcp-session.pcapng/perflibv2.csv"]
    alone = [json.loads(line) for line in (tmp_path / f"{ODD}out" / "tables" / "perflibv2-queries.ndjson").open(encoding="utf-8")]
    assert len(alone) > 0 and {row["capture"] for row in alone} == {name}


def test_one_capture_names_the_counters_of_another(whole, tshark, tmp_path):
    tmp_path.chmod(0o777)
    tshark.run(CAPTURES / "no-registration.pcapng", "-2", "-q", "-z", f"perflibv2,samples,{tmp_path / 'alone'}")
    alone, taught = rows_of(tmp_path / "alone"), rows_of(whole / "capture=no-registration.pcapng" / "perflibv2.csv")
    assert len(alone) == len(taught)
    assert any(row["counterset"].startswith("{") for row in alone)
    assert {row["counterset"] for row in taught} == {"Processor Information", "Contoso Worker"}
    assert sum(row["cooked"] != "" for row in taught) > sum(row["cooked"] != "" for row in alone)


def test_interrupted_killed_and_resumed(batch, environment, few, whole_of_few, tmp_path):
    """
    Ctrl-C while captures are read a first time ends it: no samples are made that lack names. Killed later, what was done stays
    as it is; nothing is lost or doubled. A capture that came meanwhile is read, too. One job at a time makes the same.
    """
    out, logs = tmp_path / "out", tmp_path / "out" / ".batch"

    def stop(with_signal, log, *options):
        """What it says that gets a signal when a first job is done."""
        with subprocess.Popen([BATCH, few, out, "-j", "1", *options], env=environment, cwd=REPOSITORY, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
            deadline = time.monotonic() + 120
            while not log.exists() or log.read_text().count("\n") < 2:
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.02)
            os.killpg(process.pid, with_signal)
            assert process.wait(60) != 0
            return process.stderr.read()

    assert "continue with --resume" in stop(signal.SIGINT, logs / "catalog.joblog")
    assert not list(out.glob("capture=*"))
    stop(signal.SIGKILL, logs / "samples.joblog", "--resume")
    before = (logs / "samples.joblog").read_text().splitlines()[:2]
    assert outputs(out).keys() != whole_of_few.keys()
    new = few / "0 new.pcapng"
    shutil.copy(CAPTURES / "perfdata-xp.pcapng", new)
    try:
        batch(few, out, "-j", "2", "--resume")
    finally:
        new.unlink()
    found = outputs(out)
    assert found.pop("capture=0%20new.pcapng/perfdata.csv").count(b"\n") > 10
    del found["capture=0%20new.pcapng/perflibv2.csv"]
    assert found == whole_of_few
    lines = (logs / "samples.joblog").read_text().splitlines()
    assert lines[:2] == before
    assert sorted(int(line.split("\t")[0]) for line in lines[1:]) == [1, 2, 3, 4]


LONG = "\u6771\u4eac" * 35 + ".pcapng"        # 217 bytes, 637 when escaped


@pytest.fixture(scope="module")
def odd(batch, folder, tmp_path_factory):
    """
    Captures whose names are long, no UTF-8, or what a terminal takes for orders; the second long one is cut short, one is
    empty, one is none. Where they are, OUT, in which there is something of another, and what batch says.
    """
    captures, out = tmp_path_factory.mktemp("odd"), tmp_path_factory.mktemp("odd-out")
    (captures / "deep").mkdir()
    for name in (b"\xff\xe9.pcapng", b"deep/" + LONG.encode()):
        shutil.copy(CAPTURES / "no-registration.pcapng", os.path.join(os.fsencode(captures), name))
    content = (folder / "tcp-session.pcapng").read_bytes()
    (captures / "deep" / f"x{LONG}").write_bytes(content[:len(content) * 2 // 3 + 1])
    (captures / "empty.pcap").write_bytes(b"")
    (captures / "\x1b[31mred.pcap").write_text("no capture")
    (out / "capture=gone.pcap").mkdir(parents=True)
    return captures, out, batch(captures, out, check=False)


def test_names_that_are_long_or_no_utf8(odd):
    """Each capture has a folder, whatever it is called: bytes that are no UTF-8 are escaped, long names end with a checksum."""
    _, out, _ = odd
    rows = [json.loads(line) for line in (out / "tables" / "meta.ndjson").open(encoding="utf-8")]
    assert {row["capture"] for row in rows} == {path.parent.name.removeprefix("capture=") for path in out.glob("capture=*/perflibv2.csv")}
    shortened = [path.name for path in out.glob("capture=deep%2F*")]
    assert len(shortened) == 2 and all(re.fullmatch(r"[\w.%=-]{225}", name) for name in shortened)
    assert all(len(rows_of(out / name / "perflibv2.csv")) > 100 for name in [*shortened, "capture=%FF%E9.pcapng"])


def test_what_is_odd_is_said(odd):
    """Of which capture; an empty one; what is in OUT of others; never the bytes of a name that a terminal takes for orders."""
    lines = odd[2].stderr.splitlines()
    assert all(line.startswith(f"deep/x{LONG}: ") for line in some(line for line in lines if "cut short" in line))
    assert "empty.pcap: empty: nothing was captured, or it was not written yet" in lines
    assert "batch: in OUT, but none of these captures: capture=gone.pcap" in lines
    assert [line for line in lines if line.startswith("?[31mred.pcap: ")] and "\x1b" not in odd[2].stderr


def test_what_cannot_be_read(batch, odd):
    """It is said, and the others are read all the same, up to where one is cut short. It is tried again."""
    captures, out, result = odd
    assert result.returncode != 0 and "not all captures could be read" in result.stderr
    bad = "capture=%1B%5B31mred.pcap/perflibv2.csv"
    rows = {name: content.count(b"\n") for name, content in outputs(out).items() if name.endswith("perflibv2.csv")}
    assert bad not in rows and len([number for number in rows.values() if number > 100]) == 3
    shutil.copy(CAPTURES / "no-registration.pcapng", captures / "\x1b[31mred.pcap")
    batch(captures, out, "--resume-failed")
    assert len(rows_of(out / bad)) > 100


def test_no_room_for_tables(batch, tmp_path):
    """The disk is full for what becomes the tables of all: a failure of this capture."""
    (tmp_path / "in").mkdir()
    shutil.copy(CAPTURES / "no-registration.pcapng", tmp_path / "in" / "one.pcapng")
    out = tmp_path / "out"
    (out / ".batch" / "tables").mkdir(parents=True)
    (out / ".batch" / "tables" / "one.pcapng%part").symlink_to("/dev/full")
    result = batch(tmp_path / "in", out, check=False)
    assert result.returncode != 0 and "No space left on device" in result.stderr and "not all captures could be read" in result.stderr
    (out / ".batch" / "tables" / "one.pcapng%part").unlink(missing_ok=True)
    batch(tmp_path / "in", out, "--resume-failed")
    assert len(rows_of(out / "tables" / "perflibv2-queries.csv")) > 0


def test_other_machines_return_the_samples_and_keep_nothing(batch, few, whole_of_few, tmp_path):
    """A machine that is a folder: the plugin, the settings and the captures go there, the samples come back, nothing stays."""
    home, ssh = tmp_path / "other machine", tmp_path / "ssh"
    home.mkdir()
    # ssh OPTIONS HOST COMMAND
    ssh.write_text(f"""#!/bin/bash
while :; do case $1 in -l) shift 2 ;; -*) shift ;; *) break ;; esac; done
shift
[ "$1" != -- ] || shift
cd '{home}' && HOME='{home}' exec bash -c "$*"
""")
    ssh.chmod(0o755)
    here = tmp_path / "here"
    here.mkdir(mode=0o777)
    batch(few, tmp_path / "out", "-j", "1", "--sshlogin", f":,{ssh} other", cwd=here)
    assert not list(here.iterdir())
    assert outputs(tmp_path / "out") == whole_of_few
    assert merged(tmp_path / "out")["meta.ndjson"].count(b"\n") == 3
    assert "other" in {line.split("\t")[1].split(" ")[-1] for line in (tmp_path / "out/.batch/samples.joblog").open()}
    assert not list(home.iterdir())


def test_pieces_of_a_sealed_session_are_joined(batch, tshark, tmp_path):
    """A sealed session cut in three: handles and keys live on from piece to piece."""
    capture = CAPTURES / "sealed-tcp.pcapng"
    tmp_path.chmod(0o777)
    (tmp_path / "pieces").mkdir()
    frames = int(subprocess.run(["capinfos", "-Tmrc", capture], capture_output=True, text=True, check=True).stdout.split(",")[-1])
    cuts = [1, frames // 3, frames * 2 // 3, frames + 1]
    # Names in another order than that of time.
    for name, first, last in zip("bca", cuts, cuts[1:]):
        subprocess.run(["editcap", "-r", capture, tmp_path / "pieces" / f"{name}.pcapng", f"{first}-{last - 1}"],
                       capture_output=True, check=True)
    batch("--joined", tmp_path / "pieces", tmp_path / "out", "--", *options_for(capture))
    tshark.run(capture, *options_for(capture), "-2", "-q", "-z", f"perflibv2,samples,{tmp_path / 'whole'}")
    expected = with_table((tmp_path / "whole").read_bytes())
    assert expected.count(b"\n") > 500
    assert outputs(tmp_path / "out")["capture=joined/perflibv2.csv"] == expected
    assert {file.name for file in (tmp_path / "out" / ".batch").iterdir()} == {"catalog", "order", "tables"}


def test_options_of_tshark_come_as_they_are(batch, tmp_path):
    """
    They come as they are, whatever parallel or a shell would make of them, and files by where one stands. Here OUT is the folder,
    and was it before: what batch keeps for itself has the captures' names, and is none.
    """
    kept = tmp_path / "captures" / ".batch" / "catalog"
    kept.mkdir(parents=True)
    for folder in (tmp_path / "captures", kept):
        shutil.copy(CAPTURES / "tcp-session.pcapng", folder)
    batch("captures", "captures", "--", "-Y", "frame.number in {1,2} || frame contains \"{1} {}\" || tcp", "-X",
          "read_format:Wireshark/... - pcapng", cwd=tmp_path)
    assert list(outputs(tmp_path / "captures")) == [f"capture=tcp-session.pcapng/{name}.csv" for name in ("perfdata", "perflibv2")]
    assert len(rows_of(tmp_path / "captures/capture=tcp-session.pcapng/perflibv2.csv")) > 900
    assert (kept / "tcp-session.pcapng").read_bytes().startswith(b'"')


@pytest.mark.parametrize("arguments, message", [
    (["{tmp}/none", "{tmp}/out"], "no such folder"),
    (["{tmp}", "{tmp}/out"], "no capture in"),
    (["{tmp}", "{tmp}/a,b"], "must not contain a comma or a brace"),
    (["{tmp}", "{tmp}/{{1}}"], "must not contain a comma or a brace"),
    (["--joined", "{tmp}", "{tmp}/out", "-j", "2"], "options of parallel do not apply"),
    (["{tmp}", "{tmp}/out", "--joblog", "x"], "logs of parallel"),
    (["{tmp}"], "Usage"),
])
def test_wrong_arguments_are_refused_with_a_reason(batch, tmp_path, arguments, message):
    result = batch(*(argument.format(tmp=tmp_path) for argument in arguments), check=False)
    assert result.returncode != 0 and message in result.stderr


def test_two_batches_at_once_are_refused(batch, folder, tmp_path):
    """The second would take from the first what its jobs need."""
    out = tmp_path / "out"
    (out / ".batch").mkdir(parents=True)
    first = os.open(out / ".batch", os.O_RDONLY)
    fcntl.flock(first, fcntl.LOCK_EX)
    result = batch(folder, out, check=False)
    os.close(first)
    assert result.returncode != 0 and f"another captures/batch writes to {out}" in result.stderr
    assert not list(out.glob("capture=*"))


def block(kind, first):
    """A code block of the manual that begins so."""
    return re.search(rf"^```{kind}\n({re.escape(first)}.*?)^```", MANUAL, re.M | re.S)[1]


def test_manuals_sql_counts_what_the_files_hold(whole, tmp_path):
    """The one table, and what it comes to per counter, against the files."""
    (tmp_path / "OUT").symlink_to(whole)
    subprocess.run(["bash", "-euc", block("bash", "for file in OUT/")], cwd=tmp_path, check=True, timeout=60)
    expected = {}
    for name in outputs(whole):
        for row in rows_of(whole / name):
            if row["cooked"]:
                key = tuple(row[column] for column in ("server", "counterset", "instance", "counter"))
                expected.setdefault(key, []).append((row["time"], float(row["cooked"])))
    database = sqlite3.connect(tmp_path / "samples.db")
    assert database.execute("SELECT COUNT(*) FROM samples").fetchone()[0] == sum(len(rows_of(whole / name)) for name in outputs(whole))
    result = subprocess.run(["sqlite3", "-csv", "-header", "samples.db", block("sql", "WITH ")], cwd=tmp_path, check=True,
                            capture_output=True, text=True, timeout=60)
    found = list(csv.DictReader(result.stdout.splitlines()))
    assert len(found) == len(expected) > 100
    for row in found:
        values = expected[tuple(row[column] for column in ("server", "counterset", "instance", "counter"))]
        numbers = [value for _, value in values]
        assert int(row["samples"]) == len(values)
        assert float(row["total"]) == pytest.approx(sum(numbers), rel=1e-12)
        assert float(row["minimum"]) == pytest.approx(min(numbers), rel=1e-12)
        assert float(row["maximum"]) == pytest.approx(max(numbers), rel=1e-12)
        assert any(float(row["first"]) == pytest.approx(value, rel=1e-12) for when, value in values if when == min(values)[0])
        assert any(float(row["last"]) == pytest.approx(value, rel=1e-12) for when, value in values if when == max(values)[0])


def test_segments_out_of_order(batch, tshark, tmp_path):
    """In clear and sealed, where it takes the password to see that more can be read: the same as tshark makes of them in order."""
    tmp_path.chmod(0o777)
    (tmp_path / "disorder").mkdir()
    options = options_for(CAPTURES / "sealed-big-frames.pcapng")
    for name, begin in (("segments", 8), ("sealed-big-frames", 40)):
        frames = lossy.frames_of(CAPTURES / f"{name}.pcapng", tmp_path)
        write_pcap(tmp_path / "disorder" / f"{name}.pcap", lossy.with_segments_swapped(frames, begin), ETHERNET)
        ordered = write_pcap(tmp_path / f"{name}.pcap", frames, ETHERNET)
        tshark.run(ordered, *options, "-q", "-z", f"perflibv2,catalog,{tmp_path / name}.catalog")
        tshark.run(ordered, *options, "-2", "-q", "-z", f"perflibv2,samples,{tmp_path / name}.csv")
    batch(tmp_path / "disorder", tmp_path / "out", "--", *options)
    for name in ("segments", "sealed-big-frames"):
        found, expected = tmp_path / "out" / f"capture={name}.pcap" / "perflibv2.csv", tmp_path / f"{name}.csv"
        assert len(rows_of(expected)) > 100 and found.read_bytes() == with_table(expected.read_bytes())
        assert (tmp_path / "out" / ".batch" / "catalog" / f"{name}.pcap").read_bytes() == Path(f"{tmp_path / name}.catalog").read_bytes()
