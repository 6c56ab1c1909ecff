# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures that are measured: of any size, and it is known what is in them.

Counter c (from 1) of instance i (from 0) is 1000 * c * (i + 1) * k in the k-th poll (from 1), one second after the one
before. Five types take turns: a number, a rate, a percentage, an average and its base. Segments are of 1460 bytes and
fragments of 5840, as on Ethernet.
"""

import struct
import sys
import tempfile
from array import array
from itertools import chain
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "captures" / "make")]

from lib import lossy  # noqa: E402
from lib import perflibv2 as p  # noqa: E402
from lib.captures import CAPTURES, options_for  # noqa: E402
from lib.wire import Capture  # noqa: E402
from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Builder, Counter, Instance, Object  # noqa: E402

NUMBER, RATE, PERCENT, AVERAGE, BASE = 0x00010100, 0x10410500, 0x20510500, 0x40020500, 0x40030402
OLDER_TYPES = ("PERF_COUNTER_LARGE_RAWCOUNT", "PERF_COUNTER_BULK_COUNT", "PERF_100NSEC_TIMER")
OLDER_NAMES = 5000
VALUE_HEAD = 8 | 16 << 32           # dwDataSize and dwSize of a value of 8 bytes
SECOND = 10_000_000
HANDLE = p.query_handle(1)
ON_ETHERNET = {"fragment": 5840 - 24, "segment": 1460}


def counter_types(counters):
    return [(NUMBER, RATE, PERCENT, AVERAGE, BASE)[number % 5] for number in range(counters)]


def step(counter, instance):
    return 1000 * counter * (instance + 1)


def taught(counters):
    """A client that has asked what there is to know of a counterset, and added all of it to a query."""
    capture = Capture()
    peer = p.Peer(capture, **ON_ETHERNET)
    types = counter_types(counters)
    structures = [
        p.counter(number, type, base=number + 1 if type == AVERAGE else p.NONE)
        for number, type in enumerate(types, 1)
    ]
    peer.registration(1, p.counterset(structures), in_size=1 << 16)
    peer.registration(3, p.text("Processor Information"))
    names = [(number, f"% Time of kind {number}") for number in range(1, counters + 1)]
    peer.registration(5, p.strings(names), in_size=1 << 16)
    peer.mapped(HANDLE, p.identifier(p.NONE, "*"))
    return capture, peer


def poll(counters, instances, number):
    """A PERF_COUNTERSET block; instances: their numbers."""
    rows = []
    for instance in instances:
        words = chain.from_iterable((VALUE_HEAD, step(counter, instance) * number) for counter in range(1, counters + 1))
        rows.append(p.instance(f"{instance // 64},{instance % 64}", instance) + struct.pack(f"<{2 * counters}Q", *words))
    block = p.block(6, p.multi_counters(range(1, counters + 1)) + p.multi_instances(rows))
    data = bytearray(p.data(block, time=p.TIME + number * SECOND))
    struct.pack_into("<Q", data, 8, number * SECOND)
    return bytes(data)


def perflibv2(path, polls, instances, counters):
    """Polls that are laid out alike."""
    capture, peer = taught(counters)
    words = array("Q", poll(counters, range(instances), 0))
    steps = array("Q", poll(counters, range(instances), 1))
    moving = [at for at in range(6, len(words)) if steps[at] != words[at]]
    assert len(moving) == instances * counters
    deltas = [steps[at] for at in moving]
    # Values stand in every other word of an instance.
    runs = [(moving[row * counters], deltas[row * counters : (row + 1) * counters]) for row in range(instances)]
    for number in range(1, polls + 1):
        words[1], words[2] = number * SECOND, p.TIME + number * SECOND
        for at, run in runs:
            words[at : at + 2 * counters : 2] = array("Q", [delta * number for delta in run])
        peer.poll(HANDLE, words.tobytes(), in_size=1 << 22)
    capture.write(path)


def large(path, megabytes):
    """15,680 values a poll: 3.65 polls a megabyte."""
    perflibv2(path, max(2, round(3.65 * megabytes)), 560, 28)


def small(path, megabytes):
    """80 values a poll: 550 polls a megabyte."""
    perflibv2(path, max(2, round(550 * megabytes)), 10, 8)


def block(path, megabytes):
    """Two polls of one block of 84,000 values, whatever the size."""
    perflibv2(path, 2, 3000, 28)


def changing(path, megabytes):
    """No poll is laid out like the one before: an instance goes, another comes."""
    capture, peer = taught(28)
    for number in range(1, max(2, round(3.65 * megabytes)) + 1):
        peer.poll(HANDLE, poll(28, range(number, number + 560), number), in_size=1 << 22)
    capture.write(path)


def older(path, megabytes):
    """PERF_DATA_BLOCK: 320 processes with 30 counters."""
    handle = crafted.handle_bytes(1)
    capture = wire.Capture()
    client = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT))
    client.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
    counters = [Counter(OLDER_NAMES + 2 * number, OLDER_TYPES[number % 3]) for number in range(1, 31)]
    names = {OLDER_NAMES: "Process"} | {counter.index: f"Time of kind {counter.index}" for counter in counters}
    text = "".join(f"{index}\0{name}\0" for index, name in names.items()).encode("utf-16-le") + b"\0\0"
    client.call(wire.QUERY_VALUE, wire.query_request(handle, "Counter 009", 65536),
                wire.query_response(wire.REG_MULTI_SZ, text, len(text), len(text)))
    written = number = 0
    while written < megabytes * 1e6 or number < 2:
        number += 1
        rows = [Instance(f"process{row}", [step(counter, row) * number for counter in range(1, 31)]) for row in range(320)]
        data = Builder("PC", crafted.clock(number), [Object(OLDER_NAMES, counters, rows)], "<").data
        client.call(wire.QUERY_VALUE, wire.query_request(handle, str(OLDER_NAMES), len(data)),
                    wire.query_response(wire.REG_BINARY, data, len(data), len(data)))
        capture.wait(1)
        written += len(data)
    write_pcapng(path, capture.frames, "")


SEALED = CAPTURES / "sealed-big-frames.pcapng"


def sealed(path, megabytes):
    """A session of the repository's captures, sealed by NTLM, as often as it takes, between other addresses each time."""
    with tempfile.TemporaryDirectory() as folder:
        frames = lossy.frames_of(SEALED, folder)
    lossy.write(path, [frames] * max(1, round(megabytes * 1e6 / sum(len(frame) for _, frame in frames))))


def start(path, megabytes=0):
    """One call: what every run costs."""
    capture = Capture()
    p.Peer(capture).open(HANDLE)
    capture.write(path)


CONTENTS = {make.__name__: make for make in (large, small, changing, older, sealed)}


def options_of(content):
    """What tshark needs to be told."""
    if content == "sealed":
        return options_for(SEALED)
    return ["-o", "perflibv2.max_items:900000"] if content == "block" else []
