# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture costs beyond tshark's start, whatever it holds: time and memory grow with its bytes, not with their square.

Each capture takes one thing to its extreme: one name for many values, many names that are alike, many names for one thing.
What a process may use is far above what is needed, and far below what each cost before it was bounded: processor time (no
clock is asked) and resident memory.
"""

import struct
import sys
import uuid
from itertools import product

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES
from lib.costs import instructions, start, used, used_at_best
from lib.tshark import Tshark
from lib.wire import Capture

sys.path[:0] = [str(CAPTURES / "make"), str(CAPTURES.parent / "tests" / "bench")]

import content  # noqa: E402
from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Builder, Counter, Instance, Object  # noqa: E402

# Processor time, in starts of tshark, and megabytes; for each megabyte of the capture, and besides.
STARTS, MEMORY = 6, 40
STARTS_PER_MB, MEMORY_PER_MB = 2, 40
# Tables keep lines of 400 bytes until they are printed. Wireshark 4.4 takes a tenth more for them than 4.0.
TABLES_PER_MB = 52
SHOWN_STARTS_PER_MB, SHOWN_PER_MB = 5, 200      # where every value becomes an item
H = p.query_handle(1)
EVERY_COUNTER = p.identifier(p.NONE, "*")


@pytest.fixture(scope="module")
def one_call(tshark, tmp_path_factory):
    """What a capture of one call takes."""
    capture = Capture()
    p.Peer(capture).open(H)
    return used(tshark, capture.write(tmp_path_factory.mktemp("one") / "one.pcap"))


def session(machine="\\\\HOST"):
    """A connection and a counterset with names; a handle that is asked for all its counters."""
    capture = Capture()
    peer = p.Peer(capture, machine=machine)
    peer.teach()
    peer.registration(3, p.text("Set"))
    peer.mapped(H, EVERY_COUNTER)
    return capture, peer


def poll(peer, ids, *rows):
    """A poll of instances; each row's values come with it."""
    peer.poll(H, p.data(p.block(6, p.multi_counters(ids) + p.multi_instances(rows))), in_size=1 << 30)


def long_instance_name(path):
    capture, peer = session()
    for second in range(2):
        poll(peer, range(20_000), p.instance("n" * 200_000 + str(second)) + p.value() * 20_000)
    return capture.write(path)


def long_machine_name(path):
    capture, peer = session("\\\\" + "M" * 100_000)
    poll(peer, range(40_000), p.instance("one") + p.value() * 40_000)
    return capture.write(path)


def one_name_for_all(path):
    capture, peer = session()
    poll(peer, [1], *(p.instance("x", number) + p.value() for number in range(40_000)))
    return capture.write(path)


def numbers_that_are_taken(path):
    """Names that look numbered, then those that would get the numbers."""
    capture, peer = session()
    names = [f"x#{number}" for number in range(1, 15_000)] + ["x"] * 15_000
    poll(peer, [1], *(p.instance(name, id) + p.value() for id, name in enumerate(names)))
    return capture.write(path)


def colliding(letters):
    """2**letters names with one hash to g_str_hash(): 33 * 'A' + 'b' is 33 * 'B' + 'A'."""
    return ["".join(name) for name in product(("Ab", "BA"), repeat=letters)]


def names_that_collide(path):
    capture, peer = session()
    poll(peer, [1], *(p.instance(name) + p.value() for name in colliding(15)))
    return capture.write(path)


def ever_new_instances(path):
    capture, peer = session()
    for second in range(100):
        poll(peer, [1], *(p.instance(f"{second}.{row}", row) + p.value() for row in range(300)))
    return capture.write(path)


def many_languages(path):
    capture = Capture()
    peer = p.Peer(capture)
    for lcid in range(1, 12_000):
        peer.registration(3, p.text(f"name {lcid}"), lcid=lcid)
    return capture.write(path)


def many_providers(path):
    capture = Capture()
    peer = p.Peer(capture)
    for number in range(4000):
        guid = uuid.UUID(int=number + 1)
        peer.registration(8, uuid.UUID(int=number + 5 << 32).bytes_le, guid=guid)
        peer.registration(7, p.text(f"provider {number}"), guid=guid)
    return capture.write(path)


def one_string_for_all(path):
    """Headers that lead to one long string."""
    count = 60_000
    end = 8 + 8 * count
    text = p.text("x" * 200_000)
    capture = Capture()
    headers = b"".join(struct.pack("<II", number, end) for number in range(count))
    p.Peer(capture).registration(5, struct.pack("<II", end + len(text), count) + headers + text, in_size=1 << 27)
    return capture.write(path)


def older_api(path, *objects):
    """One value of the older API that holds these objects, polled twice."""
    handle = crafted.handle_bytes(1)
    capture = wire.Capture()
    connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
    for second in (1, 2):
        data = Builder("PC", crafted.clock(second), list(objects), "<").data
        connection.call(wire.QUERY_VALUE, wire.query_request(handle, "Global", len(data)),
                        wire.query_response(wire.REG_BINARY, data, len(data), len(data)))
    write_pcapng(path, capture.frames, "")
    return path


RAW = Counter(5002, "PERF_COUNTER_RAWCOUNT")


def parent_with_a_long_name(path):
    return older_api(path, Object(5000, [RAW], [Instance("p" * 100_000, [1])]),
                     Object(5010, [RAW], [Instance(f"{number}", [number], parent=(5000, 0)) for number in range(8000)]))


def older_names_that_collide(path):
    return older_api(path, Object(5000, [RAW], [Instance(name, [1]) for name in colliding(15)]))


def older_name_for_all(path):
    return older_api(path, Object(5000, [RAW], [Instance("x", [1]) for _ in range(10_000)]))


def values_that_share_their_bytes(path):
    """An answer to QueryMultipleValues of which every value is the same block."""
    count = 3000
    handle = crafted.handle_bytes(1)
    block = Builder("PC", crafted.clock(1), [Object(5000, [RAW], [Instance(f"{n}", [n]) for n in range(2500)])], "<").data
    stub = wire.query_multiple_response([(f"{number}", wire.REG_BINARY, b"") for number in range(count)])[:-12]
    for number in range(count):
        stub = stub[: 16 + 16 * number] + struct.pack("<II", len(block), 0) + stub[24 + 16 * number :]
    stub += struct.pack("<I", len(block)) + block
    capture = wire.Capture()
    connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
    connection.call(wire.QUERY_MULTIPLE, wire.query_multiple_request(handle, ["2"], 64), stub + struct.pack("<II", len(block), 0))
    write_pcapng(path, capture.frames, "")
    return path


def value_names(path, amount, names, answers):
    """So many answers to each of as many calls, whose value names have 32,000 letters, or nearly."""
    handle = crafted.handle_bytes(1)
    small = Builder("PC", crafted.clock(0), [Object(5000, [RAW], [Instance("", [1])])]).data
    capture = wire.Capture()
    connection = wire.Connection(capture, (crafted.CLIENT, 50000), (crafted.SERVER, crafted.PORT), mss=60000)
    connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
    for number in range(amount):
        connection.call(wire.QUERY_VALUE, wire.query_request(handle, names(number), 65536),
                        wire.query_response(wire.REG_BINARY, small, len(small), len(small)))
        for _ in range(answers - 1):
            connection.response(wire.query_response(wire.REG_BINARY, small, len(small), len(small)))
    write_pcapng(path, capture.frames, "")
    return path


def ever_new_value_names(path):
    return value_names(path, 60, lambda number: f"{'5000 ' * 6400}{number}", 1)


def ever_new_objects_asked(path):
    return value_names(path, 20, lambda number: " ".join(f"{100_000 + number * 4600 + index}" for index in range(4600)), 1)


def one_value_name_for_all(path):
    return value_names(path, 1, lambda number: "5000 " * 6400, 1500)


CAPTURES_OF = (
    long_instance_name, long_machine_name, one_name_for_all, numbers_that_are_taken, names_that_collide, ever_new_instances,
    many_languages, many_providers, one_string_for_all, parent_with_a_long_name, older_names_that_collide, older_name_for_all,
    values_that_share_their_bytes, ever_new_value_names, ever_new_objects_asked, one_value_name_for_all,
)
TABLES = "-q", "-z", "perflibv2,counters", "-z", "perfdata,counters", "-z", "perflibv2,rules", "-z", "perfdata,queries", "-z", "perfdata,missing"


@pytest.mark.parametrize("make", CAPTURES_OF, ids=lambda make: make.__name__)
def test_cost_is_in_proportion_to_the_size(tshark, tmp_path, one_call, make):
    path = make(tmp_path / "costly.pcap")
    megabytes = path.stat().st_size / 1e6
    for options, starts_per_mb, memory_per_mb in (
        ((), STARTS_PER_MB, MEMORY_PER_MB), (TABLES, STARTS_PER_MB, TABLES_PER_MB), (("-V",), SHOWN_STARTS_PER_MB, SHOWN_PER_MB),
    ):
        most = (STARTS + starts_per_mb * megabytes) * start(tshark)
        taken = used_at_best(tshark, path, *options, most=most)
        seconds, memory = (now - then for now, then in zip(taken, one_call, strict=True))
        assert seconds < most, (options, seconds, megabytes)
        assert memory < MEMORY + memory_per_mb * megabytes, (options, memory, megabytes)
        print(make.__name__, options[:1], f"{megabytes:.2f} MB: {seconds:.2f} s {memory:.0f} MB")


@pytest.mark.parametrize(("make", "most"), [(content.large, 0.4), (content.small, 0.7)], ids=["large", "small"])
def test_memory_kept_of_polls_is_less_than_they_are(tshark, tmp_path, make, most):
    """A poll's value of 16 bytes is kept in 4 where it is near the one before, and little else of a poll is."""
    (tmp_path / "none").mkdir()
    alone = Tshark(tmp_path / "none", tmp_path)
    sizes, kept = [], []
    for megabytes in (3, 15):
        make(tmp_path / "polls.pcap", megabytes)
        sizes.append((tmp_path / "polls.pcap").stat().st_size / 1e6)
        kept.append(used(tshark, tmp_path / "polls.pcap")[1] - used(alone, tmp_path / "polls.pcap")[1])
    a_byte = (kept[1] - kept[0]) / (sizes[1] - sizes[0])
    print(make.__name__, f"{a_byte:.2f} bytes a byte")
    assert a_byte < most


def test_all_tables_cost_little_more_than_one(tshark, tmp_path, folder):
    """100 MB of small polls: at most 1.5 times what the table of counters takes, reckoned from 1,000 packets and 2,000 more."""
    capture, megabytes, few, many = tmp_path / "polls.pcap", 3, 1000, 3000
    content.small(capture, megabytes)
    packets = 100 / megabytes * len(tshark.fields(capture, "frame.number"))
    taken = []
    for table in "perflibv2,counters", f"perflib,ndjson,{folder}":
        first, then = (instructions(tshark, capture, "-c", str(count), "-q", "-z", table) for count in (few, many))
        taken.append(first + (then - first) / (many - few) * (packets - few))
    print(f"{taken[1] / taken[0]:.3f}")
    assert taken[1] < 1.5 * taken[0]
