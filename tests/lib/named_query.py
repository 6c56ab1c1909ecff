# SPDX-License-Identifier: GPL-2.0-or-later
"""A query whose countersets have names, for tests of what its blocks are called."""

import struct

from lib import perflibv2 as p
from lib.wire import Capture

H = p.query_handle(1)
# Two countersets with several instances and a counter each; the second has a counter more.
NAMES = {p.SET: ("First", {1: "Reads", 2: "Writes"}), p.OTHER_SET: ("Second", {1: "Reads", 2: "Writes", 9: "Errors"})}


def session(*identifiers, taught=True, mapped=None):
    """A query with these identifiers, whose names are known; mapped: the Index of each in the answer to QueryCounterInfo."""
    capture = Capture()
    peer = p.Peer(capture)
    for guid, (name, counters) in NAMES.items():
        if taught:
            peer.registration(1, p.counterset([p.counter(id) for id in counters], guid=guid), guid=guid)
        peer.registration(3, p.text(name), guid=guid)
        peer.registration(5, p.strings(list(counters.items())), guid=guid)
    peer.open(H)
    peer.validate(H, *identifiers)
    if mapped:
        peer.info(H, *(item[:32] + struct.pack("<I", index) + item[36:] for item, index in zip(identifiers, mapped)))
    return capture, peer


def unescaped(path):
    """From 4.4 on -T fields writes a backslash as two."""
    return path.replace("\\\\", "\\") if path.startswith("\\\\\\\\") else path
