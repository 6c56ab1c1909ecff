# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflibv2,sessions of binds and answers that are shorter than they say, and of damaged captures."""

import random
import struct

import pytest

from lib import lossy
from lib.captures import CAPTURES
from lib.wire import Capture

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
