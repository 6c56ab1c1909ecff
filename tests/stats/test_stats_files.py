# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that -z writes: whole or not at all, and never over what is being read."""

import os
import stat
import subprocess
import threading
from contextlib import contextmanager

import pytest

from lib.captures import CAPTURES
from lib.fakepolls import capture, fake_tshark, none, poll, text, whole  # noqa: F401
from lib.some import some

TITLES = {"pdh-csv": '"(PDH-CSV 4.0) (UTC)(0)"', "samples": "time,frame,client,"}
FULL = ("prlimit", "--fsize=4096", "env", "--ignore-signal=XFSZ")
# Root's tshark of the tests keeps root's reach over files: not here.
ORDINARY = ("setpriv", "--inh-caps=-all", "--ambient-caps=-all") if os.getuid() == 0 else ()


@pytest.fixture
def polls(capture):  # noqa: F811
    """A capture whose CSV takes 6 KB, but its values little."""
    return capture(poll(*(whole(f"{column:600}", column) for column in range(10))))


@pytest.fixture(params=TITLES)
def kind(request):
    return request.param


@pytest.fixture
def title(kind):
    return TITLES[kind]


@pytest.fixture
def ask(fake_tshark, kind):  # noqa: F811
    """Runs tshark -r CAPTURE -z COMMAND,FILE and returns what it complains of; of the last run what it printed into a file."""

    def run(path, *files, options=(), wrapper=(), command=f"fakepolls,{kind}", tshark=fake_tshark, stdout=subprocess.DEVNULL):
        arguments = ["-r", path, "-q", *options, *(argument for file in files for argument in ("-z", f"{command},{file}"))]
        if wrapper or stdout != subprocess.DEVNULL:
            result = subprocess.run(
                tshark.command(*arguments, wrapper=wrapper), env=tshark.environment(), stdin=subprocess.DEVNULL, stdout=stdout,
                stderr=subprocess.PIPE, timeout=60, check=False,
            )
        else:
            result = tshark.result(*arguments, timeout=60)
            run.printed = result.stdout.decode()
        return "\n".join(line for line in result.stderr.decode().splitlines() if "Running as user" not in line)

    return run


def test_file_has_the_rights_that_umask_leaves(ask, polls, folder, title):
    """As others are created: with the rights that umask leaves."""
    assert ask(polls, folder / "x.csv") == ""
    assert (folder / "x.csv").read_text().startswith(title)
    assert stat.S_IMODE((folder / "x.csv").stat().st_mode) == 0o666 & ~os_umask()
    assert [file.name for file in folder.iterdir()] == ["x.csv"]


def os_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_older_file_is_replaced(ask, polls, folder, title):
    (folder / "x.csv").write_text("old\n" * 10000)
    assert ask(polls, folder / "x.csv") == ""
    assert (folder / "x.csv").read_text().startswith(title)
    assert "old" not in (folder / "x.csv").read_text()


@pytest.mark.parametrize("way", ["name", "symbolic link", "link to a link", "hard link"])
@pytest.mark.parametrize("options", [[], ["-2"]], ids=["one-pass", "two-pass"])
def test_the_capture_being_read_is_not_overwritten(ask, polls, folder, way, options):
    other = folder / "other"
    if way == "hard link":
        os.link(polls, other)
    elif way == "symbolic link":
        other.symlink_to(polls)
    elif way == "link to a link":
        (folder / "first").symlink_to(os.path.relpath(polls, folder))
        other.symlink_to("first")
    else:
        other = polls
    before = polls.read_bytes()
    assert "is not written: it is the capture that is being read" in ask(polls, other, options=options)
    assert polls.read_bytes() == before


@pytest.mark.parametrize("kind", ["catalog"])
def test_the_capture_is_not_overwritten_with_what_it_taught(ask, tshark, tmp_path):
    path = tmp_path / "tcp.pcapng"
    path.write_bytes((CAPTURES / "tcp-session.pcapng").read_bytes())
    assert "is not written" in ask(path, path, command="perflibv2,catalog", tshark=tshark)
    assert path.read_bytes() == (CAPTURES / "tcp-session.pcapng").read_bytes()


def test_the_capture_being_written_is_not_overwritten(ask, polls, folder):
    """tshark -w opens its file after -z looked at it, whether or not it was there before."""
    new, old = folder / "new.pcap", folder / "old.pcap"
    old.write_text("old")
    for file in (new, old):
        assert "is not written: another program changed it" in ask(polls, file, options=["-w", file, "-F", "pcap"])
        assert file.read_bytes()[24:] == polls.read_bytes()[24:]
    assert sorted(file.name for file in folder.iterdir()) == ["new.pcap", "old.pcap"]


def test_one_file_for_two(ask, fake_tshark, polls, folder, title):  # noqa: F811
    """The first one is written, unless tshark ends at the second, as 4.6 does."""
    assert ask(polls, folder / "x.csv", folder / "x.csv").count("another -z option also writes it") == 1
    if fake_tshark.version >= (4, 6):
        assert not list(folder.iterdir())
    else:
        assert (folder / "x.csv").read_text().startswith(title)


def test_a_link_stays_a_link(ask, polls, folder, title):
    for name, target in (("there", "target"), ("dangling", "none yet")):
        if name == "there":
            (folder / target).write_text("old")
        (folder / name).symlink_to(target)
        assert ask(polls, folder / name) == ""
        assert (folder / name).is_symlink() and (folder / target).read_text().startswith(title)


def test_a_full_disk_leaves_what_was(ask, polls, folder):
    (folder / "old.csv").write_text("old")
    told = ask(polls, folder / "old.csv", folder / "new.csv", wrapper=FULL)
    assert "old.csv" in told and "new.csv" in told
    assert {file.name: file.read_text() for file in folder.iterdir()} == {"old.csv": "old"}


def test_folder_without_permission_is_named_and_left_empty(ask, polls, folder):
    folder.chmod(0o555)
    assert "x.csv" in ask(polls, folder / "x.csv", wrapper=ORDINARY)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["no/such/folder/x.csv", ""], ids=["no folder", "a folder"])
def test_file_that_cannot_be_made_is_named(ask, polls, folder, name):
    assert str(folder) in ask(polls, folder / name)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/proc/self/fd/1"])
@pytest.mark.parametrize("plain", [True, False], ids=["into a file", "into a pipe"])
def test_standard_output_takes_the_table(ask, polls, name, plain, title):
    if plain:
        assert ask(polls, name) == ""
        assert ask.printed.startswith(title)
    else:
        reader, writer = os.pipe()
        assert ask(polls, name, stdout=writer) == ""
        os.close(writer)
        with os.fdopen(reader) as file:
            assert file.read().startswith(title)


@contextmanager
def reading(command):
    """A program that reads from a pipe. It is killed at the end, because without a writer it would wait for ever."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_named_pipe_takes_the_table(ask, polls, folder, title):
    os.mkfifo(folder / "pipe")
    (folder / "pipe").chmod(0o666)
    with reading(["cat", folder / "pipe"]) as cat:
        assert ask(polls, folder / "pipe") == ""
        assert cat.communicate(timeout=30)[0].startswith(title)


def test_a_pipe_that_nobody_reads(ask, polls, folder):
    """tshark says so and ends, rather than to wait where no signal ends it."""
    os.mkfifo(folder / "pipe")
    (folder / "pipe").chmod(0o666)
    assert "pipe\" is not written: no program reads from it" in ask(polls, folder / "pipe")


def test_a_pipe_whose_reader_is_late(ask, polls, folder, title):
    os.mkfifo(folder / "pipe")
    (folder / "pipe").chmod(0o666)
    with reading(["sh", "-c", 'sleep 2; exec cat "$1"', "sh", folder / "pipe"]) as cat:
        assert ask(polls, folder / "pipe") == ""
        assert cat.communicate(timeout=30)[0].startswith(title)


@pytest.mark.parametrize("kind", ["pdh-csv"])
@pytest.mark.parametrize("command", ["perflibv2,pdh-csv", "perflibv2,samples", "perflibv2,catalog", "perflib,report"])
@pytest.mark.parametrize("name", ["/dev/full", "-"])
def test_a_full_disk_is_called_so(ask, tshark, command, name):
    """Whatever writes a file, little or much: the reason is that there is no room, not any other."""
    with open("/dev/full", "wb") as full:
        told = ask(CAPTURES / "tcp-session.pcapng", name, options=["-2"], command=command, tshark=tshark,
                   stdout=full if name == "-" else subprocess.DEVNULL)
    assert f'"{name}" is not written: No space left on device' in told, told


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"]


@pytest.mark.parametrize("kind", ["pdh-csv"])
def test_formulas_and_control_characters(ask, capture, folder):  # noqa: F811
    """Texts, and names of columns; numbers below zero stay numbers."""
    names = [f"{formula}name" for formula in FORMULAS if formula[0] not in "\t\n"]
    path = capture(
        poll(*(whole(name, 5) for name in names), "real\treal\t-17.5\t", text("bell", "a\x07\x1b[31m\x9b"), text("b", "=1+1"))
    )
    assert ask(path, folder / "x.csv") == ""
    content = (folder / "x.csv").read_bytes().decode()
    header, row = content.split("\r\n")[:-1]
    assert header.split(",")[1:] == [
        '"\'=1+1name"', '"\'+1name"', '"\'-1name"', '"\'@SUM(A1)name"', '"\\r=1name"', '"real"', '"bell"', '"b"'
    ]
    assert row.split(",")[6] == '"-17.5"'
    assert row.split(",")[8] == '"\'=1+1"'
    assert all(character.isprintable() for character in some(header + row))


@pytest.mark.parametrize("kind", ["samples"])
def test_samples_are_written_whole_in_both_forms(ask, capture, folder):  # noqa: F811
    """The whole of both forms: quotes, languages, control characters, formulas, numbers of all sizes, and nothing."""
    path = capture(
        poll("real\treal\t-0.1\t%", whole("Größe <\"x\">", 2**64 - 1), nanoseconds=123456700),
        poll(text("=t", "@a\x07\\\""), none("none"), seconds=1),
        poll(seconds=2),
    )
    for name in ("x.csv", "x.ndjson"):
        assert ask(path, folder / name) == ""
    time = "2026-11-20T12:00:0"
    ids = ',"00:00:00:00:00:00","238",6,"list"'
    assert (folder / "x.csv").read_bytes().decode().split("\r\n") == [
        "time,frame,client,server,query,counterset,instance,instance_id,counter,type,raw,base,cooked,unit,reason,interval,"
        "previous_frame,text,aggregated_from,server_address,counterset_guid,counter_id,known_by",
        f'"{time}0.1234567Z",1,"00:00:00:00:00:00","HOST","1","Set",,,"real",,0,,-0.1,"%",,,,,{ids}',
        f'"{time}0.1234567Z",1,"00:00:00:00:00:00","HOST","1","Set",,,"Größe <""x"">",,18446744073709551615,,18446744073709551615,,,,,,{ids}',
        f'"{time}1.0000000Z",2,"00:00:00:00:00:00","HOST","1","Set",,,"\'=t",,,,,,"text",,,"\'@a\\a\\""",{ids}',
        f'"{time}1.0000000Z",2,"00:00:00:00:00:00","HOST","1","Set",,,"none",,0,,,,"first sample",,,,{ids}',
        "",
    ]
    more = '"server_address":"00:00:00:00:00:00","counterset_guid":"238","counter_id":6,"known_by":"list"'
    head = '"client":"00:00:00:00:00:00","server":"HOST","query":"1","counterset":"Set"'
    assert (folder / "x.ndjson").read_bytes().decode().split("\n") == [
        f'{{"time":"{time}0.1234567Z","frame":1,{head},"counter":"real","raw":0,"cooked":-0.1,"unit":"%",{more}}}',
        f'{{"time":"{time}0.1234567Z","frame":1,{head},"counter":"Größe \\u003c\\"x\\">","raw":18446744073709551615,'
        f'"cooked":18446744073709551615,{more}}}',
        f'{{"time":"{time}1.0000000Z","frame":2,{head},"counter":"=t","reason":"text","text":"@a\\\\a\\\\\\"",{more}}}',
        f'{{"time":"{time}1.0000000Z","frame":2,{head},"counter":"none","raw":0,"reason":"first sample",{more}}}',
        "",
    ]


@pytest.mark.parametrize("kind", ["samples"])
def test_samples_without_polls_have_their_titles(ask, capture, folder):  # noqa: F811
    for name, content in (("x.csv", "time,frame,client"), ("x.ndjson", "")):
        assert ask(capture(), folder / name) == ""
        assert (folder / name).read_text().startswith(content)


def test_live_feed_writes_rows_of_each_poll_at_once(tshark):
    """A poll's rows are there before more of the capture comes, or what kept them from being written is said."""
    content = (CAPTURES / "counter-reset-and-wrap.pcapng").read_bytes()
    frames = [int(frame) for ((frame,),) in tshark.fields(CAPTURES / "counter-reset-and-wrap.pcapng", "frame.number",
                                                          display_filter="perflibv2.path")]
    # Where each frame's block ends, [pcapng] 4.3: type 6, and its length.
    ends, at = [], 0
    while at < len(content):
        kind, length = (int.from_bytes(content[at + i:at + i + 4], "little") for i in (0, 4))
        at += length
        if kind == 6:
            ends.append(at)
    with open("/dev/full", "wb") as full, \
            subprocess.Popen(tshark.command("-l", "-r", "-", "-q", "-z", "perflibv2,samples,-"), env=tshark.environment(),
                             stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE) as process:
        # A full disk is told of at the first poll; it is not told again.
        patience = threading.Timer(60, process.kill)
        patience.start()
        process.stdin.write(content[:ends[frames[0]]])
        process.stdin.flush()
        while (line := process.stderr.readline()) and b"No space" not in line:
            pass
        assert b'"-" is not written: No space left on device' in line
        process.stdin.write(content[ends[frames[0]]:])
        process.stdin.close()
        assert b"No space" not in process.stderr.read()
        patience.cancel()
    whole_output = tshark.run(CAPTURES / "counter-reset-and-wrap.pcapng", "-q", "-z", "perflibv2,samples,-")
    expected = [line for line in whole_output.splitlines() if line.split(",")[1] in ("frame", str(frames[0]))]
    assert len(frames) > 1 and len(expected) > 1
    with subprocess.Popen(tshark.command("-l", "-r", "-", "-q", "-z", "perflibv2,samples,-"), env=tshark.environment(),
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        patience = threading.Timer(60, process.kill)
        patience.start()
        # What packet-tcp and the reader keep back is let go by the frame behind the poll's.
        process.stdin.write(content[:ends[frames[0]]])
        process.stdin.flush()
        seen = [process.stdout.readline().decode().rstrip() for _ in expected]
        assert seen == expected
        process.stdin.write(content[ends[frames[0]]:])
        process.stdin.close()
        rest = process.stdout.read().decode()
        patience.cancel()
    assert len(rest.splitlines()) == len(whole_output.splitlines()) - len(expected)


def test_a_file_that_is_replaced_keeps_its_mode(ask, polls, tmp_path):
    """Who alone could read it is the only one who can afterwards."""
    tmp_path.chmod(0o777)
    file = tmp_path / "private"
    file.write_text("before")
    file.chmod(0o640)
    ask(polls, file)
    assert file.read_text() != "before" and stat.S_IMODE(file.stat().st_mode) == 0o640


def test_two_statistics_of_one_file(fake_tshark, polls, tmp_path):  # noqa: F811
    """The second is refused, whatever the file is called. The first one is written, unless tshark ends there, as 4.6 does."""
    tmp_path.chmod(0o777)
    file = tmp_path / "both"
    (tmp_path / "link").symlink_to(file)
    for other in (file, tmp_path / "link"):
        complaint = fake_tshark.complaint(polls, "-q", "-z", f"fakepolls,samples,{file}", "-z", f"fakepolls,pdh-csv,{other}")
        assert f'"{other}" is not written: another -z option also writes it' in complaint
        assert file.exists() == (fake_tshark.version < (4, 6))
        if file.exists():
            assert file.read_text().startswith(TITLES["samples"])
            file.unlink()
    assert "another -z" not in fake_tshark.complaint(polls, "-q", "-z", "fakepolls,samples,/dev/null", "-z", "fakepolls,pdh-csv,/dev/null")
