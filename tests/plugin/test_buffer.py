# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/buffer: a capture made of buffers that a program was given."""

import os
import struct
import subprocess
import uuid

import pytest

from lib import perfdata
from lib import perflibv2 as p
from lib.buffers import BUFFER, made, make, rules_of, tables_of, written
from lib.some import some
from lib.wire import Capture
from perfcap import dumps

# --- What a file is ---

FREQ = 10_000_000
RATE = 0x10410400       # PERF_COUNTER_COUNTER: (N1-N0)/((D1-D0)/F)


def poll(value, seconds, time=True):
    """One value of counter 1, at so many seconds after TIME."""
    data = p.data(p.block(1, p.value(value)), time=p.TIME + seconds * FREQ if time else 0, freq=FREQ)
    return data[:8] + struct.pack("<Q", seconds * FREQ) + data[16:]


def listed(*identifiers):
    """Identifiers as PerfQueryCounterInfo returns them, numbered in Index."""
    return b"".join(item[:32] + struct.pack("<I", index) + item[36:] for index, item in enumerate(identifiers))


BUFFERS = {
    "counterset": p.counterset([p.counter(1, RATE)]),
    "name": p.text("Queue"),
    "strings": p.strings([(1, "Jobs/sec")]),
    "identifiers": listed(p.identifier(1, "one")),
    "first": poll(5, 10),
    "second": poll(25, 12),
}
PATH = r"\\PC\Queue(one)\Jobs/sec"


def cooked(tshark, capture):
    """(time, path, cooked value, reason) of each value."""
    rows, _ = tables_of(tshark, capture)
    return [(row["time"], rf"\\{row['server']}\{row['counterset']}({row['instance']})\{row['counter']}", row.get("cooked"), row.get("reason")) for row in rows]


EXPECTED = [("2023-11-14T22:13:30.0000000Z", PATH, None, "first sample"), ("2023-11-14T22:13:32.0000000Z", PATH, 10, None)]


def test_kinds_are_found_out(tshark, tmp_path):
    """TIME is 2023-11-14T22:13:20; 20 jobs more in 2 seconds."""
    tmp_path.chmod(0o777)
    lines = made("--machine", "PC", *written(tmp_path, **BUFFERS), "-o", tmp_path / "made.pcapng")
    kinds = ["a counterset and its counters", "a counterset's name", "names of counters", "identifiers that a query has", "counter values", "counter values"]
    assert len(lines) == 7 and all(kind in line for kind, line in zip(kinds, lines))
    assert cooked(tshark, tmp_path / "made.pcapng") == EXPECTED


def test_added_identifiers_tell_what_the_blocks_are(tshark, tmp_path):
    """Those of PerfAddCounters have no Index; with none at all, what the blocks are is not known, and no rule is broken."""
    tmp_path.chmod(0o777)
    content = {"counterset": p.counterset([p.counter(1, RATE), p.counter(2, p.LARGE_RAWCOUNT)]), "name": BUFFERS["name"],
               "strings": p.strings([(1, "Jobs/sec"), (2, "Bytes")])}
    blocks = p.block(1, p.value(4)), p.block(2, p.multi_counters([1, 2]) + p.value(5) + p.value(6, 8))
    data = [p.data(*blocks, time=p.TIME + n * FREQ) for n in range(2)]
    paths = written(tmp_path, **content, added=p.identifier(1, "one") + p.identifier(p.NONE, "two"), first=data[0], second=data[1])
    assert any("identifiers that were added" in line for line in made("--machine", "PC", *paths, "-o", tmp_path / "made.pcapng"))
    assert {path for _, path, _, _ in cooked(tshark, tmp_path / "made.pcapng")} == {
        PATH, PATH.replace("one", "two"), PATH.replace("one", "two").replace("Jobs/sec", "Bytes")}
    made(*(path for path in paths if path.stem != "added"), "-o", tmp_path / "alone.pcapng")
    rows, tables = tables_of(tshark, tmp_path / "alone.pcapng")
    assert len(rows) == 6 and not [row for row in tables["perflibv2-rules"] if row["verdict"] == "broken"]
    assert {row["code"] for row in tables["findings"]} == {"type_unknown"} and "leaked" not in some(tables["perflibv2-queries"])[0]["state"]


def test_registry_block_and_names_make_a_capture(tshark, tmp_path):
    """A block, and a list of names, of one machine, which the block names."""
    tmp_path.chmod(0o777)
    counter = perfdata.crafted.Counter(6, "PERF_COUNTER_RAWCOUNT")
    block = perfdata.built(perfdata.crafted.Object(238, [counter], perfdata.crafted.Instance("", [17])))
    titles = perfdata.crafted.names([(1, "1847"), (6, "Jobs"), (238, "Queue")])
    lines = made(*written(tmp_path, names=titles, block=block), "-o", tmp_path / "made.pcapng")
    assert "names of title indexes" in lines[0] and "PERF_DATA_BLOCK" in lines[1]
    rows, tables = tables_of(tshark, tmp_path / "made.pcapng")
    assert [(row["server"], row["counterset"], row["counter"], row["raw"]) for row in rows] == [("PC", "Queue", "Jobs", 17)]
    assert not tables["findings"] and not tables["perfdata-missing"]


def test_which_structure_is_asked_where_two_fit(tshark, tmp_path):
    """An instance called 1234560 of 48 bytes is also an identifier: its size of 48 would be the last digit."""
    (path,) = written(tmp_path, both=p.instance(size=48, id=1, raw=p.text("1234560").ljust(40, b"\0")))
    result = make("--counterset", p.SET, path, "-o", tmp_path / "made.pcapng")
    assert result.returncode == 1 and result.stderr == (
        f"buffer: {path} may be identifiers (PerfQueryCounterInfo, PerfAddCounters) or instances (PerfEnumerateCounterSetInstances). "
        f"Say which: identifiers:{path} or instances:{path}\n")
    made("--counterset", p.SET, f"instances:{path}", "-o", tmp_path / "made.pcapng")
    assert tshark.fields(tmp_path / "made.pcapng", "perflibv2.instance.name", display_filter="perflibv2.instance.size") == [[["1234560"]]]


def test_a_damaged_buffer_is_asked_for_and_judged(tshark, tmp_path):
    """dwTotalSize is 8 too large: no structure fits; as data it breaks that rule."""
    tmp_path.chmod(0o777)
    (path,) = written(tmp_path, damaged=p.data(p.block(1, p.value()), total=48 + 32 + 8))
    result = make(path, "-o", tmp_path / "made.pcapng")
    assert result.returncode == 1 and "no structure fits all of its 80 bytes" in result.stderr and f"data:{path}" in result.stderr
    made(f"data:{path}", "-o", tmp_path / "made.pcapng")
    _, tables = tables_of(tshark, tmp_path / "made.pcapng")
    assert [row["rule"] for row in tables["perflibv2-rules"] if row["verdict"] == "broken"] == ["data_total_size"]
    assert "rule_broken" in {row["code"] for row in tables["findings"]}


def test_a_buffer_that_was_not_filled(tmp_path):
    """A program often saves the whole of its buffer."""
    (path,) = written(tmp_path, data=poll(1, 1) + bytes(4096))
    result = make(path, "-o", tmp_path / "made.pcapng")
    assert result.returncode == 1 and f"Its first {len(poll(1, 1))} bytes are a whole structure: cut the rest off" in result.stderr


@pytest.mark.parametrize("length", range(0, 48, 4))
def test_cut_buffer_is_refused_with_a_reason(tmp_path, length):
    (path,) = written(tmp_path, cut=BUFFERS["first"][:length])
    result = make(path, "-o", tmp_path / "made.pcapng")
    # 4 bytes could be the name "P" of a counterset.
    expected = {0: "is empty", 4: "but of which counterset?"}.get(length, "no structure fits")
    assert result.returncode == 1 and expected in result.stderr and not (tmp_path / "made.pcapng").exists()


# --- Hex dumps ---

DUMPED = BUFFERS["identifiers"] + bytes(64) + bytes(range(37)) + b"ab cd"


def rows_of(data, line, width=16, repeats=False):
    """The lines of a dump: line(offset, bytes). repeats: equal lines are one and an asterisk."""
    lines, last = [], None
    for at in range(0, len(data), width):
        piece = data[at:at + width]
        if repeats and piece == last:
            lines += ["*"] * (lines[-1] != "*")
        else:
            lines.append(line(at, piece))
        last = piece
    return lines


def printable(piece):
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in piece)


DUMPS = {
    "xxd": rows_of(DUMPED, lambda at, piece: f"{at:08x}: {piece.hex(' ', -2):39}  {printable(piece)}"),
    "xxd -p": rows_of(DUMPED, lambda at, piece: piece.hex(), 30),
    "xxd -i": ["unsigned char data[] = {", *rows_of(DUMPED, lambda at, piece: "".join(f" 0x{byte:02x}," for byte in piece), 12), "};",
               f"unsigned int data_len = {len(DUMPED)};"],
    "hexdump -C": rows_of(DUMPED, lambda at, piece: f"{at:08x}  {(piece[:8].hex(' ') + '  ' + piece[8:].hex(' ')):48}  |{printable(piece)}|", repeats=True)
    + [f"{len(DUMPED):08x}"],
    "od -Ax -tx1": rows_of(DUMPED, lambda at, piece: f"{at:06x} {piece.hex(' ')}", repeats=True) + [f"{len(DUMPED):06x}"],
    "Format-Hex 5": ["", "", r"           Path: C:\buffers\data.bin", "", "           00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F", "",
                     *rows_of(DUMPED, lambda at, piece: f"{at:08X}   {piece.hex(' ').upper():47}  {printable(piece)}"), "", ""],
    "Format-Hex 7": ["", "   Label: data.bin", "", "          Offset Bytes                                           Ascii",
                     "                 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F",
                     "          ------ ----------------------------------------------- -----",
                     *rows_of(DUMPED, lambda at, piece: f"{at:016X} {piece.hex(' ').upper():47} {printable(piece)}"), ""],
    "WinDbg db": ["0:000> db 000001f3`5c2a0000 L78", *rows_of(DUMPED, lambda at, piece: (
        f"000001f3`{0x5c2a0000 + at:08x}  {'-'.join((piece[:8].hex(' '), piece[8:].hex(' '))).rstrip('-'):48} {printable(piece)}"))],
    "BitConverter": [DUMPED.hex("-").upper()],
    "numbers": [str(byte) for byte in DUMPED],
    "C#": ["var data = new byte[] {", ", ".join(f"0x{byte:X}" for byte in DUMPED), "}; // as received"],
}
WRITTEN_AS = {
    "unix": lambda lines: "\n".join([*lines, ""]).encode(),
    "crlf": lambda lines: "\r\n".join([*lines, ""]).encode(),
    "utf-16": lambda lines: "\r\n".join([*lines, ""]).encode("utf-16"),
    "utf-16-be": lambda lines: b"\xfe\xff" + "\r\n".join([*lines, ""]).encode("utf-16-be"),
    "utf-8-bom": lambda lines: "\r\n".join([*lines, ""]).encode("utf-8-sig"),
}


@pytest.mark.parametrize("notation", DUMPS)
@pytest.mark.parametrize("written_as", WRITTEN_AS)
def test_hex_dump_of_each_form_gives_its_bytes(notation, written_as):
    assert dumps.bytes_of(WRITTEN_AS[written_as](DUMPS[notation])) == (DUMPED, True)


def test_dumps_and_buffers_make_the_same_capture(tshark, tmp_path):
    tmp_path.chmod(0o777)
    paths = written(tmp_path, **BUFFERS)
    for path, text in zip(paths, (
            lambda data: "\n".join(rows_of(data, lambda at, piece: f"{at:08x}: {piece.hex(' ', -2):39}  {printable(piece)}")),
            lambda data: "{" + ",".join(map(hex, data)) + "}",
            lambda data: "\r\n".join(["", *rows_of(data, lambda at, piece: f"{at:08X}   {piece.hex(' ').upper():47}  {printable(piece)}")]))):
        path.write_text(text(path.read_bytes()), encoding="utf-16")
    assert sum("from a hex dump" in line for line in made("--machine", "PC", *paths, "-o", tmp_path / "made.pcapng")) == 3
    assert cooked(tshark, tmp_path / "made.pcapng") == EXPECTED


@pytest.mark.parametrize("text, complaint", [
    ("0000000 0100 0302 0504 0706\n0000008 0908\n", "numbers of several bytes"),
    ("00000000`00000000  00000001 00000002\n", "numbers of several bytes"),
    ("00000000: 0001 0203  ....\n00000010: 0405 0607  ....\n", "line 1 has 4 bytes, the offsets say 16"),
    ("00000000  00 01 02 03  |....|\n*\n00000003\n", "line 2 repeats the one before, but the offsets do not say how often"),
    ("00000000  00 01 02 03  |....|\n*\nffffffffffff0000\n", "line 2 repeats the one before, but the offsets do not say how often"),
    ("{ 0x01, 0x02 } { 0x03 }", "it has 2 arrays, but a file is one buffer"),
    ("{ 1, 2, 300 }", "numbers above 255"),
])
def test_damaged_dump_is_refused_with_a_reason(tmp_path, text, complaint):
    path = tmp_path / "dump.txt"
    path.write_text(text)
    result = make(path, "-o", tmp_path / "made.pcapng")
    assert result.returncode == 1 and f"{path} looks like a hex dump, but" in result.stderr and complaint in result.stderr


# --- What is told of the made capture ---

def test_only_the_buffers_are_judged(tshark, tmp_path):
    """Of a recorded capture of the same calls the plugin tells transport, protection and late polls."""
    tmp_path.chmod(0o777)
    polls = {f"poll{n}": poll(n, at) for n, at in enumerate((1, 2, 3, 4, 5, 6, 60))}
    made("--machine", "PC", *written(tmp_path, counterset=BUFFERS["counterset"], identifiers=BUFFERS["identifiers"], **polls), "-o", tmp_path / "made.pcapng")
    capture = Capture()
    peer, handle = p.Peer(capture, machine=r"\\PC"), p.query_handle(1)
    peer.teach()
    peer.mapped(handle, p.identifier(1, "one"))
    for n, at in enumerate((1, 2, 3, 4, 5, 6, 60)):
        capture.wait(54_000 if at == 60 else 1000)
        peer.poll(handle, poll(n, at))
    capture.write(tmp_path / "recorded.pcap")
    outside = {"auth_level", "privacy_required", "transport", "return_code", "max_count", "lpdata_count", "handle_unique", "in_size_range", "machine_string"}
    for name, is_told in (("made.pcapng", False), ("recorded.pcap", True)):
        rows, tables = tables_of(tshark, tmp_path / name)
        rules = rules_of(tables)
        assert len(rows) == 7 and len({rule for rule in outside if rules[rule]["checked"]}) == (len(outside) if is_told else 0)
        assert {row["code"] for row in tables["findings"]} == ({"polls_late"} if is_told else set())
        assert rules["data_total_size"]["checked"] == 7 and rules["strings_size"]["checked"] == 0


def test_late_blocks_are_not_told(tshark, tmp_path):
    """A recorded client that polls like this is late once."""
    tmp_path.chmod(0o777)
    moments = (1, 2, 3, 4, 5, 6, 60)
    counter = perfdata.crafted.Counter(6, "PERF_COUNTER_RAWCOUNT")
    blocks = [perfdata.built(perfdata.crafted.Object(238, [counter], perfdata.crafted.Instance("", [at])), seconds=at) for at in moments]
    made(*written(tmp_path, **{f"block{n}": block for n, block in enumerate(blocks)}), "-o", tmp_path / "made.pcapng")
    peer = perfdata.Peer()
    for block, at, before in zip(blocks, moments, (0, *moments)):
        peer.capture.wait(at - before)
        peer.query("238", block)
    peer.write(tmp_path / "recorded.pcapng")
    for name, codes in (("made.pcapng", set()), ("recorded.pcapng", {"polls_late"})):
        rows, tables = tables_of(tshark, tmp_path / name)
        assert [row["raw"] for row in rows] == list(moments) and {row["code"] for row in tables["findings"]} == codes


def test_capture_that_was_made_says_so(tshark, tmp_path):
    """The file, each request, and each answer say that the capture was made."""
    first, second = written(tmp_path, first=poll(1, 1), second=poll(2, 2))
    made(first, second, "-o", tmp_path / "made.pcapng")
    rows = tshark.fields(tmp_path / "made.pcapng", "frame.comment", "dcerpc.obj_id", "dcerpc.pkt_type")
    assert [comment for (comment, _, kind) in rows if "2" in kind][-2:] == [
        [f"captures/buffer: counter values (PerfQueryCounterData) of {path.name}"] for path in (first, second)]
    assert {uuid.UUID(value) for _, values, kind in rows if "0" in kind for value in some(values)} == {uuid.UUID("6d0bbd9c-5f1e-4c0b-9c43-b0ffe25c0de5")}
    assert b"Made by captures/buffer" in (tmp_path / "made.pcapng").read_bytes()[:200]


def test_times_of_polls_are_their_own_or_every_seconds_apart(tshark, tmp_path):
    """Of buffers that hold none, --every seconds apart; else their own, in order."""
    def times(*arguments):
        made(*arguments, "-o", tmp_path / "made.pcapng")
        return [float(time) for ((time,),) in tshark.fields(tmp_path / "made.pcapng", "frame.time_epoch", display_filter="perflibv2.data.total_size")]

    one, two, three = times("--every", "2.5", *written(tmp_path, a=poll(1, 1, False), b=poll(2, 2, False), c=poll(3, 3, False)))
    assert (two - one, three - two) == (pytest.approx(2.5, abs=1e-5), pytest.approx(2.5, abs=1e-5))
    assert times(*written(tmp_path, a=poll(1, 1), b=poll(2, 601))) == [1_700_000_001, 1_700_000_601]
    one, two = times(*written(tmp_path, a=poll(1, 601), b=poll(2, 1)))
    assert one == 1_700_000_601 and one < two < one + 1


def test_several_machines_and_queries(tshark, tmp_path):
    tmp_path.chmod(0o777)
    names = written(tmp_path, **{name: BUFFERS[name] for name in ("counterset", "name", "strings")})
    one = written(tmp_path, one_map=listed(p.identifier(1, "one")), one=poll(5, 1))
    two = written(tmp_path, two_map=listed(p.identifier(1, "two")), two=poll(7, 1))
    made("--machine", "A", *names, "--query", "7", *one, "--query=9", *two, "--machine", r"\\B", *names, *two, "-o", tmp_path / "made.pcapng")
    rows, _ = tables_of(tshark, tmp_path / "made.pcapng")
    assert sorted((row["server"], row["instance"], row["raw"]) for row in rows) == [("A", "one", 5), ("A", "two", 7), ("B", "two", 7)]
    assert len({row["query"] for row in rows}) == 3


def test_counterset_of_strings_is_found_or_asked_for(tshark, tmp_path):
    """Its own buffer before, a GUID, or the only one there is; else it is asked for."""
    (strings,) = written(tmp_path, strings=BUFFERS["strings"])
    result = make(strings, "-o", tmp_path / "made.pcapng")
    assert result.returncode == 1 and "but of which counterset?" in result.stderr
    for before, after in (([], written(tmp_path, identifiers=BUFFERS["identifiers"])), (["--counterset", p.SET], [])):
        made(*before, strings, *after, "-o", tmp_path / "made.pcapng")
        assert [guid for (guid,) in tshark.fields(tmp_path / "made.pcapng", "perflibv2.counterset.guid", display_filter="perflibv2.request_code")] == [
            [str(p.SET)]] * len(some([1]))


# --- The command ---

@pytest.mark.parametrize("arguments, complaint", [
    ([], "which buffers?"),
    (["FIRST"], "where to? -o OUT.pcapng is missing"),
    (["NONE", "-o", "OUT"], "no such file"),
    (["FIRST", "-o"], "-o needs a value"),
    (["--evry", "1", "FIRST", "-o", "OUT"], "unknown option: --evry"),
    (["--every", "soon", "FIRST", "-o", "OUT"], "--every soon is no number of seconds"),
    (["--every", "nan", "FIRST", "-o", "OUT"], "--every nan is no number of seconds"),
    (["--query", "x", "FIRST", "-o", "OUT"], "--query x is no number"),
    (["--counterset", "x", "FIRST", "-o", "OUT"], "--counterset x is no GUID"),
    (["FIRST", "-o", "FIRST"], "is one of the buffers"),
    (["FIRST", "-o", "SECOND"], "exists and is no capture"),
    (["FIRST", "-o", "FOLDER"], "is a folder: -o needs the name of a capture"),
    (["FIRST", "-o", "FOLDER/none/OUT"], "can't write"),
    (["FOLDER", "-o", "OUT"], "has no files of --export-objects"),
    (["/dev/zero", "-o", "OUT"], "/dev/zero is larger than 256 MiB"),
    (["FIRST", "-o", "/dev/full"], "can't write /dev/full: No space left on device"),
    (["countersets:TEXT", "-o", "OUT"], "10 bytes are no array of GUIDs"),
    (["TEXT", "-o", "OUT"], "It is text, but no hex dump. Say what it is"),
])
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, arguments, complaint):
    first, second = written(tmp_path, first=poll(1, 1), second=poll(2, 2))
    (tmp_path / "folder").mkdir()
    places = {"FIRST": first, "SECOND": second, "NONE": tmp_path / "none", "OUT": tmp_path / "out.pcapng", "FOLDER": tmp_path / "folder",
              "FOLDER/none/OUT": tmp_path / "folder" / "none" / "out.pcapng", "TEXT": tmp_path / "text"}
    places["countersets:TEXT"] = f"countersets:{places['TEXT']}"
    places["TEXT"].write_text("Hello all\n")
    result = make(*(places.get(argument, argument) for argument in arguments))
    assert result.returncode == 1 and result.stderr.startswith("buffer: ") and result.stderr.count("\n") == 1 and complaint in result.stderr
    assert first.read_bytes() == poll(1, 1) and second.read_bytes() == poll(2, 2)


def test_help_shows_usage_in_88_columns():
    result = make("--help")
    assert result.returncode == 0 and result.stdout.startswith("Usage: captures/buffer [OPTION...] [KIND:]FILE... -o OUT.pcapng\n")
    assert all(len(line) <= 88 for line in some(result.stdout.splitlines()))


def test_names_and_times_that_are_odd(tmp_path):
    """A file whose name is no UTF-8; a poll of the first second of 1970."""
    path = os.fsencode(tmp_path) + b"/\xff.bin"
    with open(path, "wb") as file:
        file.write(p.data(p.block(1, p.value()), time=116_444_736_000_000_001))
    result = subprocess.run([BUFFER, path, "-o", tmp_path / "made.pcapng"], capture_output=True, timeout=60, check=False)
    assert result.returncode == 0 and not result.stderr and b"\\udcff.bin: counter values" in result.stdout


def test_from_an_odd_folder_through_a_link(tmp_path):
    folder = tmp_path / "it's \"odd\" & $HOME; *"
    folder.mkdir()
    (folder / "buffer").symlink_to(BUFFER)
    (folder / "data:x").write_bytes(poll(1, 1))
    lines = made("data:x", "data:data:x", "-o", "out file.pcapng", cwd=folder, command=("./buffer",))
    assert lines[-1] == "out file.pcapng: 2 buffers. To see them: captures/decode 'out file.pcapng'"
    assert (folder / "out file.pcapng").stat().st_size > 500
