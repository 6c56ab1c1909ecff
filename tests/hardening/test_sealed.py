# SPDX-License-Identifier: GPL-2.0-or-later
"""Sealed captures that are damaged: decryption kept in step must not be led astray."""

import random

import pytest

from lib import lossy
from lib.captures import CAPTURES, options_for
from lib.tshark import DETAILS

NAMES = ["sealed-tcp", "sealed-spnego-smb2", "sealed-multi-pdu", "sealed-two-contexts", "sealed-smb1"]
# A bind stands before it; what follows is sealed.
SEALED_FROM = 20


def test_same_verifier_another_length(sanitized_tshark, tmp_path):
    """What was decrypted for a PDU is never taken for a longer one: Wireshark would read beyond it."""
    tmp_path.chmod(0o777)
    capture = CAPTURES / "sealed-tcp.pcapng"
    frames = lossy.frames_of(capture, tmp_path)
    variants = []
    for number in range(SEALED_FROM, SEALED_FROM + 60, 7):
        sealed = next(n for n in range(number, len(frames)) if lossy.carries_data(frames[n][1]))
        time, frame = frames[sealed]
        variants.append(frames[: sealed + 1] + [(time, lossy.lengthen(frame, 4096))] + frames[sealed + 1 : sealed + 10])
    path = tmp_path / "longer.pcap"
    lossy.write(path, variants)
    for passes in ([], ["-2"]):
        sanitized_tshark.run(path, *options_for(capture), *DETAILS, *passes)


@pytest.mark.parametrize("name", NAMES)
def test_damage_at_random_breaks_no_memory_rule(sanitized_tshark, tmp_path, name):
    """The same damage at each run."""
    tmp_path.chmod(0o777)
    capture = CAPTURES / f"{name}.pcapng"
    chance = random.Random(name)
    frames = lossy.frames_of(capture, tmp_path)[:150]
    path = tmp_path / "damaged.pcap"
    lossy.write(path, [lossy.damage(frames, chance) for _ in range(10)])
    for passes in ([], ["-2"]):
        sanitized_tshark.run(path, *options_for(capture), *DETAILS, *passes)
