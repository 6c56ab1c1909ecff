# SPDX-License-Identifier: GPL-2.0-or-later
"""AddressSanitizer and UBSan watch the plugin inside tshark."""

import random
import shutil
import struct
import subprocess

import pytest

from lib.captures import all_captures, options_for
from lib.wire import Capture, align, handle, string, varying_response

CAPTURES = all_captures()
# Damaged copies are made of these: what is larger takes long and tells no more.
SMALL = [capture for capture in CAPTURES if capture.stat().st_size < 300_000]

captures = pytest.mark.parametrize("capture", CAPTURES, ids=[capture.stem for capture in CAPTURES])
small_captures = pytest.mark.parametrize("capture", SMALL, ids=[capture.stem for capture in SMALL])


@captures
def test_full_tree(sanitized_tshark, capture):
    sanitized_tshark.run(capture, *options_for(capture), "-V")


@captures
def test_two_passes_and_a_filter(sanitized_tshark, capture):
    # wmem's plain allocator: one malloc for each block, which AddressSanitizer sees.
    sanitized_tshark.run(
        capture, *options_for(capture), "-2", "-R", "frame", "-Y", "perflibv2.value > 0 || perflibv2.return_code",
        env={"WIRESHARK_DEBUG_WMEM_OVERRIDE": "simple"},
    )


@captures
def test_without_tree(sanitized_tshark, capture):
    sanitized_tshark.run(capture, *options_for(capture))


@pytest.mark.parametrize("seed", range(3))
@small_captures
def test_flipped_bytes(sanitized_tshark, tmp_path, capture, seed):
    damaged = tmp_path / "flipped.pcapng"
    subprocess.run(["editcap", "-E", "0.004", "--seed", str(seed), "-o", "60", capture, damaged], check=True)
    sanitized_tshark.run(damaged, *options_for(capture), "-2", "-V")


def classic_pcap(capture, folder):
    """The capture as a list of packets (header and data of classic pcap), and the file's header."""
    path = folder / "classic.pcap"
    subprocess.run(["editcap", "-F", "pcap", capture, path], check=True)
    data = path.read_bytes()
    packets, position = [], 24
    while position < len(data):
        (length,) = struct.unpack_from("<8xI", data, position)
        packets.append(data[position : position + 16 + length])
        position += 16 + length
    return data[:24], packets


@pytest.mark.parametrize("seed", range(2))
@small_captures
def test_packets_lost_doubled_and_out_of_order(sanitized_tshark, tmp_path, capture, seed):
    header, packets = classic_pcap(capture, tmp_path)
    chance = random.Random(seed)
    shuffled = []
    for packet in packets:
        what = chance.random()
        if what < 0.05:
            continue
        place = len(shuffled) if what < 0.9 else max(0, len(shuffled) - chance.randint(1, 8))
        shuffled.insert(place, packet)
        if what > 0.97:
            shuffled.append(packet)
    path = tmp_path / "shuffled.pcap"
    path.write_bytes(header + b"".join(shuffled))
    sanitized_tshark.run(path, *options_for(capture), "-2", "-V")


@pytest.mark.parametrize("length", [96, 200, 500])
@small_captures
def test_snap_length(sanitized_tshark, tmp_path, capture, length):
    cut = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", str(length), capture, cut], check=True)
    sanitized_tshark.run(cut, *options_for(capture), "-2", "-V")


def hostile_buffers():
    """lpData of every opnum with numbers as large as they come."""
    huge = struct.pack("<I", 0xFFFFFFFF)
    chance = random.Random(1)
    yield b""
    for size in (1, 7, 8, 15, 16, 39, 40, 47, 48, 49, 64, 256, 4096):
        yield huge * (size // 4) + huge[: size % 4]
        yield bytes(size)
        yield bytes(chance.randrange(256) for _ in range(size))
        # Small numbers get further than large ones.
        yield b"".join(struct.pack("<I", chance.choice([0, 1, 2, 4, 6, 8, 16, 24, 48, size])) for _ in range(size // 4))
    data_header = struct.pack("<II", 48, 0xFFFFFFFF) + bytes(40)
    for block_type in (0, 1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFF):
        for block_size in (0, 8, 15, 16, 17, 24, 32, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF):
            for inner in (0, 8, 16, 0xFFFFFFFF):
                block = struct.pack("<IIII", 0, block_type, block_size, 0) + struct.pack("<II", inner, 0xFFFFFFFF) * 6
                yield data_header + block


def test_hostile_numbers(sanitized_tshark, tmp_path):
    capture = Capture()
    connection = capture.connection()
    guid = handle()[4:]
    for data in hostile_buffers():
        for out_size, count in ((len(data), len(data)), (0xFFFFFFFF, 0xFFFFFFFF), (len(data), 0x7FFFFFFF)):
            response = varying_response(out_size, 0, 0xFFFFFFFF, data, 0, count)
            for code in (1, 2, 3, 5, 8, 99):
                request = string("\\\\H") + guid + struct.pack("<III", code, 0, len(data))
                connection.call(1, request, response)
            connection.call(0, string("\\\\H") + struct.pack("<I", 4), response)
            connection.call(2, string("\\\\H") + guid + struct.pack("<I", 4), response)
            connection.call(5, handle() + struct.pack("<I", 4), response)
            connection.call(6, handle() + struct.pack("<I", 4), response)
            connection.call(
                7,
                align(handle() + struct.pack("<II", len(data), count) + data, 4) + struct.pack("<I", 1),
                align(struct.pack("<I", count) + data, 4) + bytes(4),
            )
    path = capture.write(tmp_path / "hostile.pcap")
    sanitized_tshark.run(path, "-2", "-V", timeout=600)


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_valgrind(tshark):
    """Memory never written, which the sanitizers above do not see."""
    capture = next((one for one in CAPTURES if one.stem == "tcp-session"), None)
    assert capture, "captures/tcp-session.pcapng is missing"
    result = subprocess.run(
        tshark.command(
            "-2", "-V", "-r", capture,
            wrapper=["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=no", "--num-callers=20"],
        ),
        env=tshark.environment({"G_SLICE": "always-malloc", "WIRESHARK_DEBUG_WMEM_OVERRIDE": "simple"}),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600, check=False,
    )
    assert result.returncode == 0, result.stderr
