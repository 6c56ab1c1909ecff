# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflibv2,sessions of binds and answers that are shorter than they say, of damaged captures, of very many attempts."""

import random
import struct
import time

import pytest

from lib import lossy
from lib.captures import CAPTURES
from lib.wire import Capture, Connection

TABLE = ("-q", "-z", "perflibv2,sessions")
BIND, BIND_ACK, BIND_NAK, FAULT, REQUEST, RESPONSE = 11, 12, 13, 3, 0, 2


def test_short_pdus_are_not_read_beyond_their_end(sanitized_tshark, tmp_path):
    """Of a PDU that is shorter than its type, or than it says, nothing is read."""
    tmp_path.chmod(0o777)
    capture = Capture()
    whole = bytes(range(1, 80))
    for kind in (BIND, BIND_ACK, BIND_NAK, FAULT, REQUEST, RESPONSE):
        for length in (16, 18, 20, 24, 25, 26, 28, 30, 44, 50, 60, 71):
            for server_port in (135, 49700):
                connection = capture.connection(server_port=server_port)
                header = bytes([5, 0, kind, 3]) + b"\x10\0\0\0" + struct.pack("<HHI", length, 0, 1)
                connection._send(header + whole[:length - 16], kind in (BIND_ACK, BIND_NAK, FAULT, RESPONSE), None)
    path = capture.write(tmp_path / "short.pcap")
    for passes in ([], ["-2"]):
        sanitized_tshark.run(path, *TABLE, *passes)


@pytest.mark.parametrize("name", ["sessions-smb", "sessions-tcp"])
def test_damage_at_random_breaks_no_memory_rule(sanitized_tshark, tmp_path, name):
    """The same damage at each run."""
    tmp_path.chmod(0o777)
    chance = random.Random(name)
    frames = lossy.frames_of(CAPTURES / f"{name}.pcapng", tmp_path)
    path = tmp_path / "damaged.pcap"
    lossy.write(path, [lossy.damage(frames, chance) for _ in range(10)])
    for passes in ([], ["-2"]):
        sanitized_tshark.run(path, *TABLE, "-z", "pla,sessions", "-z", "perfdata,sessions", *passes)


def refused(count, tmp_path):
    """That many clients, each of which is refused by servers that take turns, and then asks another in vain."""
    capture = Capture()
    for number in range(count):
        ends = {"client": f"10.0.{number // 60000}.1", "client_port": 5000 + number % 60000,
                "server": f"192.0.2.{number % 200}"}
        connection = Connection(capture, server_port=445, bind=False, **ends)
        connection.end(0x02)
        connection.end(0x14, from_server=True)
        connection = Connection(capture, **ends)
        connection.call(0, b"")
    return capture.write(tmp_path / f"{count}.pcap")


def test_cost_is_linear(tshark, tmp_path):
    tmp_path.chmod(0o777)
    seconds = []
    for count in (3000, 12000):
        path = refused(count, tmp_path)
        tshark.run(path)
        begin = time.perf_counter()
        assert "connection refused" in tshark.run(path, *TABLE)
        seconds.append(time.perf_counter() - begin)
    assert seconds[1] < 10 * seconds[0]
