# SPDX-License-Identifier: GPL-2.0-or-later
"""AddressSanitizer and UBSan watch the plugin inside tshark."""

import os
import random
import struct
import subprocess
import uuid

import pytest

from lib import orpc, pla
from lib import perflibv2 as p
from lib.captures import all_captures, options_for
from lib.tshark import DETAILS
from lib.wire import Capture, align, handle, string, varying_response

CAPTURES = all_captures()
# Damaged copies are made of these, all in one file: starting tshark with a sanitizer is what takes time.
SMALL = [capture for capture in CAPTURES if capture.stat().st_size < 300_000]
# Passwords, keys and ports of all captures at once: each option with its value, once.
OPTIONS = [word for pair in sorted({pair for capture in CAPTURES for pair in zip(*[iter(options_for(capture))] * 2)}) for word in pair]
TABLES = [
    "dcerpc,srt,da5a86c5-12c2-4943-ab30-7f74a813d853,1.0",
    "perfdata,counters", "perfdata,queries", "perfdata,sessions", "perfdata,usage", "perfdata,watch",
    "perflibv2,calls", "perflibv2,counters", "perflibv2,queries", "perflibv2,rules", "perflibv2,sessions",
    "perflibv2,missing", "perflibv2,usage", "perflibv2,watch", "perfdata,missing", "perflib,findings",
    "pla,calls", "pla,sessions", "pla,sets",
]
# Lists of the user's, which are freed at the end.
LISTS = ["-o", 'uat:perflibv2_watch:"reads","*Reads*"', "-o", f'uat:perflibv2_counters:"{p.SET}","Mine","1","Reads","","","","",""']
# What is drawn at random: one draw is much like another.
SEEDS = range(2 if os.environ.get("PERFLIB_ALL") else 1)
FILES = [
    "perfdata,pdh-csv", "perfdata,samples", "perflib,csv", "perflib,ndjson", "perflib,report", "perflibv2,catalog", "perflibv2,pdh-csv",
    "perflibv2,samples",
]


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """All but the large captures, one after the other in one file."""
    path = tmp_path_factory.mktemp("everything") / "everything.pcapng"
    subprocess.run(["mergecap", "-a", "-w", path, *SMALL], check=True)
    return path


@pytest.mark.parametrize("capture", CAPTURES, ids=[capture.stem for capture in CAPTURES])
def test_full_tree_of_each_capture_is_clean(sanitized_tshark, capture):
    sanitized_tshark.run(capture, *options_for(capture), "-2", *DETAILS)


def test_tables_and_a_filter(sanitized_tshark, everything, tmp_path):
    tmp_path.chmod(0o777)
    tables = [argument for table in TABLES for argument in ("-z", table)]
    tables += [argument for file in FILES for argument in ("-z", f"{file},{tmp_path}/{file.replace(',', '-')}")]
    # A tshark of its own takes all apart at its end; of GLib's slices, too, each is a malloc.
    sanitized_tshark.run(
        everything, *OPTIONS, *LISTS, "-q", *tables, "-Y", "perflibv2.cooked > 0 || perflibv2.path contains \"x\"",
        env={"G_SLICE": "always-malloc"},
    )


def test_table_without_columns_breaks_no_memory_rule(sanitized_tshark, tmp_path):
    """A capture with polls of which nothing is known."""
    tmp_path.chmod(0o777)
    capture = Capture()
    p.Peer(capture).poll(p.query_handle(1), p.data(p.block(1, p.value())))
    path = capture.write(tmp_path / "polls.pcap")
    sanitized_tshark.run(path, "-q", "-z", f"perflibv2,pdh-csv,{tmp_path}/polls.csv")
    assert (tmp_path / "polls.csv").read_bytes().startswith(b'"(PDH-CSV 4.0) (UTC)(0)"\r\n"')


@pytest.mark.parametrize("seed", SEEDS)
def test_flipped_bytes_break_no_memory_rule(sanitized_tshark, everything, tmp_path, seed):
    damaged = tmp_path / "flipped.pcapng"
    subprocess.run(["editcap", "-E", "0.003", "--seed", str(seed), "-o", "60", everything, damaged], check=True)
    sanitized_tshark.run(damaged, *OPTIONS, "-2", *DETAILS)


def blocks_of(capture):
    """A pcapng file as its blocks; those of type 6 are packets."""
    data = capture.read_bytes()
    position = 0
    while position < len(data):
        kind, length = struct.unpack_from("<II", data, position)
        yield kind, data[position : position + length]
        position += length


@pytest.mark.parametrize("seed", SEEDS)
def test_packets_lost_doubled_and_out_of_order(sanitized_tshark, everything, tmp_path, seed):
    chance = random.Random(seed)
    head, packets = [], []
    for kind, block in blocks_of(everything):
        if kind != 6:
            head.append(block)
            continue
        what = chance.random()
        if what < 0.03:
            continue
        place = len(packets) if what < 0.94 else max(0, len(packets) - chance.randint(1, 8))
        packets.insert(place, block)
        if what > 0.98:
            packets.append(block)
    path = tmp_path / "shuffled.pcapng"
    path.write_bytes(b"".join(head + packets))
    sanitized_tshark.run(path, *OPTIONS, "-2", *DETAILS)


def snapped(block, length):
    """A packet of which that many bytes were captured."""
    captured, original = struct.unpack_from("<II", block, 20)
    data = block[28 : 28 + min(captured, length)]
    total = struct.pack("<I", 32 + len(align(data, 4)))
    return block[:4] + total + block[8:20] + struct.pack("<II", len(data), original) + align(data, 4) + total


@pytest.mark.parametrize("seed", SEEDS)
def test_snap_length_breaks_no_memory_rule(sanitized_tshark, everything, tmp_path, seed):
    """Each packet ends behind some header, in a stub's first numbers or amid its data."""
    chance = random.Random(seed)
    path = tmp_path / "cut.pcapng"
    path.write_bytes(b"".join(
        snapped(block, chance.choice([96, 200, 500])) if kind == 6 else block for kind, block in blocks_of(everything)
    ))
    sanitized_tshark.run(path, *OPTIONS, "-2", *DETAILS)


def hostile_buffers():
    """lpData with numbers as large as they come, and whether every opnum gets it, or polls alone."""
    huge = struct.pack("<I", 0xFFFFFFFF)
    chance = random.Random(1)
    yield b"", True
    for size in (1, 7, 8, 15, 16, 39, 40, 47, 48, 49, 64, 256, 4096):
        yield huge * (size // 4) + huge[: size % 4], True
        yield bytes(size), True
        yield bytes(chance.randrange(256) for _ in range(size)), True
        # Small numbers get further than large ones.
        yield b"".join(struct.pack("<I", chance.choice([0, 1, 2, 4, 6, 8, 16, 24, 48, size])) for _ in range(size // 4)), True
    data_header = struct.pack("<II", 48, 0xFFFFFFFF) + bytes(40)
    for block_type in (0, 1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFF):
        for block_size in (0, 8, 15, 16, 17, 24, 32, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF):
            for inner in (0, 8, 16, 0xFFFFFFFF):
                block = struct.pack("<IIII", 0, block_type, block_size, 0) + struct.pack("<II", inner, 0xFFFFFFFF) * 6
                # To other opnums the first of its type is like the next ones.
                yield data_header + block, not block_size and not inner


def test_hostile_numbers_break_no_memory_rule(sanitized_tshark, tmp_path):
    capture = Capture()
    connection = capture.connection()
    guid = handle()[4:]
    for data, everywhere in hostile_buffers():
        for out_size, count in ((len(data), len(data)), (0xFFFFFFFF, 0xFFFFFFFF), (len(data), 0x7FFFFFFF)):
            response = varying_response(out_size, 0, 0xFFFFFFFF, data, 0, count)
            connection.call(6, handle() + struct.pack("<I", 4), response)
            if not everywhere:
                continue
            for code in (1, 2, 3, 5, 8, 99):
                request = string("\\\\H") + guid + struct.pack("<III", code, 0, len(data))
                connection.call(1, request, response)
            connection.call(0, string("\\\\H") + struct.pack("<I", 4), response)
            connection.call(2, string("\\\\H") + guid + struct.pack("<I", 4), response)
            connection.call(5, handle() + struct.pack("<I", 4), response)
            connection.call(
                7,
                align(handle() + struct.pack("<II", len(data), count) + data, 4) + struct.pack("<I", 1),
                align(struct.pack("<I", count) + data, 4) + bytes(4),
            )
    path = capture.write(tmp_path / "hostile.pcap")
    sanitized_tshark.run(path, "-2", *DETAILS, timeout=600)


def one_more_than_fits():
    """[MS-PLA] calls with arrays at the plugin's limits, one element below and one above: names, arguments, bindings, parents of an object."""
    script, ipids = pla.Script(), [uuid.UUID(int=0xE000 + number) for number in range(20)]
    script.others = [*script.others, pla.OBJECT_EXPORTER]
    for count in (7, 8, 9):
        arguments = [("VT_BSTR", "Set1")] * count
        script.named(ipids[0], "Commit", 10, arguments=["Name"] * (count - 1), dispids=[*range(count - 1)], interface="IDataCollectorSet")
        for named in [*range(count)], []:
            script.invoke(ipids[0], 10, arguments, named=named, references=[*range(count)], interface="IDataCollectorSet")
        script.invoke(ipids[0], 10, arguments[:1], references={at: ("VT_I4", at, None, True) for at in reversed(range(count))}, interface="IDataCollectorSet")
        addresses = [f"10.0.0.{at}[49200]" for at in range(count)]
        script.activate(pla.SETS_CLASS, orpc.objref(pla.IID["IDispatch"], ipids[count], oid=count, address=addresses))
        script.activate(pla.SETS_CLASS, pla.dispatch(ipids[count], count), b"".join((address + "\0").encode("utf-16-le") for address in addresses))
        script.resolve(0x1122334455667788, addresses)
    # More numbers than names were asked for, and what is in none of the tables.
    script.named(ipids[0], "Oddity", 99, dispids=[1, 2], interface="IDataCollectorSet")
    script.invoke(ipids[0], 99, kind="VT_DISPATCH", value=pla.dispatch(ipids[1], 1), flags=2, interface="IDataCollectorSet")
    script.call("IDataCollectorSet", 39, lambda stub: stub.bstr("QQ"))
    for length in range(60, 67):
        named = orpc.objref(pla.IID["IDispatch"], ipids[9], oid=9, address="h" * (length - 7) + "[49200]")
        script.activate(pla.SETS_CLASS, named, b"g\0" * length + b"]\0\0\0")
    for above, below in zip(ipids[10:], ipids[11:]):
        script.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", 0), lambda stub, below=below: stub.interface_pointer(
            orpc.objref(pla.IID["IDataCollectorCollection"], below, oid=below.int)), ipid=above)
    script.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", 0), ipid=ipids[-1])
    return script.capture


def test_one_more_than_fits_breaks_no_memory_rule(sanitized_tshark, tmp_path):
    sanitized_tshark.run(one_more_than_fits().write(tmp_path / "more.pcap"), "-2", *DETAILS, "-z", "pla,sets", "-z", "pla,sessions")


def test_valgrind_finds_no_memory_never_written(tshark):
    """Memory never written, which the sanitizers above do not see."""
    capture = next((one for one in CAPTURES if one.stem == "tcp-session"), None)
    assert capture, "captures/tcp-session.pcapng is missing"
    result = subprocess.run(
        tshark.command(
            "-2", *DETAILS, "-r", capture,
            wrapper=["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=no", "--keep-stacktraces=none", "--num-callers=20"],
        ),
        env=tshark.environment({"G_SLICE": "always-malloc", "WIRESHARK_DEBUG_WMEM_OVERRIDE": "simple"}),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600, check=False,
    )
    assert result.returncode == 0, result.stderr
