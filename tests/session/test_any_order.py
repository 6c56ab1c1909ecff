# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of a sealed capture looked at in any order, as in Wireshark's window: sharkd is that without a window."""

import random

import pytest

from lib.captures import CAPTURES, options_for
from lib.sharkd import ask

NAMES = ["sealed-spnego-long", "sealed-two-pipes-spnego", "sealed-multi-pdu", "sealed-tcp"]


def names_of(tree):
    """Fields of a frame's tree and what they show, in their order."""
    for node in tree:
        if node.get("f", "").startswith("perflibv2"):
            yield node["l"]
        yield from names_of(node.get("n", []))


@pytest.mark.parametrize("name", NAMES)
def test_frames_in_any_order_are_decrypted(tshark, name):
    capture = CAPTURES / f"{name}.pcapng"
    (password,) = [option.split(":", 1)[1] for option in options_for(capture) if option.startswith("ntlmssp.")]
    rows = tshark.fields(capture, "frame.number", display_filter="dcerpc", options=options_for(capture))
    numbers = [int(row[0][0]) for row in rows]
    chance = random.Random(name)
    order = numbers[::-1] + chance.sample(numbers, len(numbers)) + numbers
    requests = [
        {"method": "setconf", "params": {"name": "ntlmssp.nt_password", "value": password}},
        {"method": "load", "params": {"file": str(capture)}},
        *({"method": "frame", "params": {"frame": number, "proto": True}} for number in order),
    ]
    answers = ask(tshark, requests)
    shown = {}
    for place, number in enumerate(order, 3):
        labels = list(names_of(answers[place]["tree"]))
        assert shown.setdefault(number, labels) == labels, f"frame {number} looks otherwise the second time"
        assert not any("was not decrypted" in label or "was not decoded" in label for label in labels)
    assert sum(len(labels) for labels in shown.values()) > len(numbers)
