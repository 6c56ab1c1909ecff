# SPDX-License-Identifier: GPL-2.0-or-later
"""What an enemy could send to keep tshark busy: twice as much of it takes about twice the time, not four times."""

import struct
import sys
from pathlib import Path

import pytest

from lib import lossy
from lib import perflibv2 as p
from lib.captures import CAPTURES, options_for
from lib.costs import start, used, used_at_best
from lib.pcap import ETHERNET, write_pcap
from lib.wire import Capture

sys.path.insert(0, str(CAPTURES / "make"))

from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Builder, Counter, Instance, Object  # noqa: E402

# Instructions would be counted where there is a counter; the processor's time has room for what else goes on: starts of tshark.
MOST_GROWTH, ROOM = 2.3, 0.6
# The least of some runs counts.
RUNS, MOST_RUNS = 3, 6


def assert_linear(tshark, make, amount, *options):
    least, once = (min(used(tshark, path, *options)[0] for _ in range(RUNS)) for path in map(make, (1, amount)))
    most = least + MOST_GROWTH * (once - least) + ROOM * start(tshark)
    twice, _ = used_at_best(tshark, make(2 * amount), *options, most=most, runs=MOST_RUNS)
    print(f"{least:.2f} s, {once:.2f} s, {twice:.2f} <= {most:.2f} s")
    assert twice <= most


def test_authenticate_again_and_again(tshark, folder):
    """
    The AUTHENTICATE_MESSAGE before each sealed PDU: it would set Wireshark's cipher back, and each time all key stream had to
    be drawn again.
    """
    capture = CAPTURES / "sealed-tcp.pcapng"
    frames = lossy.frames_of(capture, folder)
    kinds = [frame[lossy.tcp_of(frame)[1] :][2:3] for _, frame in frames]
    auth3 = frames[kinds.index(b"\x10")]
    begin = kinds.index(b"\x10") + 1
    # A long sealed answer, whose number counts on.
    time, longest = max((frame for frame in frames[begin:]), key=lambda frame: len(frame[1]))

    def make(amount):
        given = frames[:begin]
        for number in range(amount):
            answer = bytearray(longest)
            struct.pack_into("<I", answer, len(answer) - 4, number)
            given += [auth3, (time, bytes(answer))]
        return write_pcap(Path(folder) / f"{amount}.pcap", lossy.in_sequence(given), ETHERNET)

    assert_linear(tshark, make, 250, *options_for(capture))


H = p.query_handle(1)


def query_of(amount):
    """A capture so far, and its peer: a query to which so many identifiers were added."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, *(p.identifier(1, f"i{number:06}") for number in range(amount)))
    return capture, peer


def one_of_many(folder):
    """Many identifiers, and index maps that name one of them each."""
    def make(amount):
        capture, peer = query_of(amount)
        for number in range(amount):
            peer.info(H, p.identifier(1, f"i{number:06}", index=number), in_size=1 << 20)
        return capture.write(Path(folder) / f"{amount}.pcap")
    return make


def removed_that_was_never_added(folder):
    """Many identifiers, and others that are removed."""
    def make(amount):
        capture, peer = query_of(amount)
        for number in range(amount):
            peer.validate(H, p.identifier(1, f"j{number:06}"), add=0)
        return capture.write(Path(folder) / f"{amount}.pcap")
    return make


@pytest.mark.parametrize("session", [one_of_many, removed_that_was_never_added], ids=lambda session: session.__name__)
def test_identifiers_take_linear_time(tshark, folder, session):
    assert_linear(tshark, session(folder), 2500)


def test_names_in_many_languages(tshark, folder):
    """A list of names in each language there may be, [MS-LCID] or not, and blocks of objects whose names are looked for."""
    def make(amount):
        capture = wire.Capture()
        connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
        handle = crafted.handle_bytes(1)
        connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
        for language in range(amount):
            names = f"{language + 10000}\0x\0\0".encode("utf-16-le")
            connection.call(wire.QUERY_VALUE, wire.query_request(handle, f"Counter {language + 0x100:03x}", len(names)),
                            wire.query_response(wire.REG_MULTI_SZ, names, len(names), len(names)))
        counters = [Counter(20000 + number, "PERF_COUNTER_RAWCOUNT") for number in range(amount)]
        data = Builder("PC", crafted.clock(1), [Object(5000, counters, [Instance("x", [1] * amount)])], "<").data
        for _ in range(4):
            connection.call(wire.QUERY_VALUE, wire.query_request(handle, "Global", len(data)),
                            wire.query_response(wire.REG_BINARY, data, len(data), len(data)))
        path = Path(folder) / f"{amount}.pcapng"
        write_pcapng(path, capture.frames, "")
        return path

    assert_linear(tshark, make, 1000, "-V")


def many_counters(folder):
    """Polls of many instances."""
    def make(amount):
        capture = Capture()
        peer = p.Peer(capture)
        peer.teach()
        peer.mapped(H, p.identifier(1, "*"))
        for poll in range(4):
            rows = [p.instance(f"i{number:06}", number) + p.value(number * poll) for number in range(amount)]
            peer.poll(H, p.data(p.block(4, p.multi_instances(rows)), time=p.TIME + poll * 10_000_000), in_size=1 << 22)
        return capture.write(Path(folder) / f"{amount}.pcap")
    return make


def many_attempts(folder):
    """Servers that each refuse a client."""
    def make(amount):
        capture = Capture()
        for number in range(amount):
            peer = p.Peer(capture, server=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
            peer.open(H, status=5)
        return capture.write(Path(folder) / f"{amount}.pcap")
    return make


def many_things_missing(folder):
    """Counters that are refused, each for a reason of its own."""
    def make(amount):
        capture = Capture()
        peer = p.Peer(capture)
        peer.teach()
        peer.open(H)
        for number in range(amount):
            peer.validate(H, p.identifier(1, f"i{number}"), returned=p.identifier(1, f"i{number}", status=0x20000000 + number))
        return capture.write(Path(folder) / f"{amount}.pcap")
    return make


@pytest.mark.parametrize("session, amount", [(many_counters, 6000), (many_attempts, 1500), (many_things_missing, 3000)],
                         ids=lambda value: getattr(value, "__name__", None))
def test_report_takes_linear_time(tshark, folder, session, amount):
    assert_linear(tshark, session(folder), amount, "-q", "-z", "perflib,report,-")
