# SPDX-License-Identifier: GPL-2.0-or-later
"""What an enemy could send to keep tshark busy: twice as much of it takes about twice the time, not four times."""

import struct
import sys
import uuid
from pathlib import Path

import pytest

from lib import lossy, pla
from lib import perflibv2 as p
from lib.captures import CAPTURES, options_for
from lib.costs import instructions
from lib.pcap import ETHERNET, write_pcap
from lib.wire import BIND, NDR, PERFLIBV2, Capture, Connection

sys.path.insert(0, str(CAPTURES / "make"))

from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Builder, Counter, Instance, Object  # noqa: E402

# 2 if the cost is linear, 4 if it is quadratic
MOST_GROWTH = 2.3


def assert_linear(tshark, make, amount, *options):
    """Of instructions: what 4 * amount takes more than 2 * amount, to what 2 * amount takes more than amount."""
    once, twice, four = (instructions(tshark, make(times * amount), *options) for times in (1, 2, 4))
    growth = (four - twice) / (twice - once)
    print(f"{once / 1e6:.0f}, {twice / 1e6:.0f}, {four / 1e6:.0f} million: {growth:.2f}")
    assert growth <= MOST_GROWTH


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


def test_refused_connections_take_linear_time(tshark, folder):
    """Clients, each of which is refused by servers that take turns, and then asks another in vain."""
    def make(amount):
        capture = Capture()
        for number in range(amount):
            ends = {"client": "10.0.0.1", "client_port": 5000 + number, "server": f"192.0.2.{number % 200}"}
            connection = Connection(capture, server_port=445, bind=False, **ends)
            connection.end(0x02)
            connection.end(0x14, from_server=True)
            Connection(capture, **ends).call(0, b"")
        return capture.write(Path(folder) / f"{amount}.pcap")

    assert_linear(tshark, make, 1500, "-q", "-z", "perflibv2,sessions")


def test_borrowed_names_take_linear_time(tshark, folder):
    """A machine polls counters of a set that only another listed; others are known by their names and addresses."""
    def make(amount):
        capture = Capture()
        for machine, server in ("ALIAS", "192.0.2.9"), ("HOST", "192.0.2.11"), ("HOST.example.com", "192.0.2.12"):
            p.Peer(capture, server=server, machine=machine).registration(3, p.text("TheSet"))
        other = p.Peer(capture, server="192.0.2.20", machine="OTHER")
        other.registration(1, p.counterset([p.counter(id) for id in range(amount)]))
        other.registration(5, p.strings([(id, f"c{id}") for id in range(amount)]))
        peer = p.Peer(capture, server="192.0.2.9", machine="HOST.example.com")
        peer.mapped(H, *(p.identifier(id) for id in range(amount)))
        for second in range(2):
            peer.poll(H, p.data(*[p.block(1, p.value(5 + second, 4))] * amount, time=p.TIME + 10_000_000 * second))
        return capture.write(Path(folder) / f"{amount}.pcap")

    assert_linear(tshark, make, 500, "-2", "-q", "-z", "perflibv2,samples,-")


def test_bindings_take_linear_time(tshark, folder):
    """Binds that offer the same context many times, each in the place of the one before: read again, each has to find its own."""
    def make(amount):
        capture = Capture()
        connection = capture.connection(bind=False)
        context = struct.pack("<HBB", 0, 1, 0) + uuid.UUID(PERFLIBV2[0]).bytes_le + struct.pack("<HH", *PERFLIBV2[1:])
        context += uuid.UUID(NDR[0]).bytes_le + struct.pack("<I", NDR[1])
        token = b"NTLMSSP\0" + struct.pack("<II", 1, 0xE2088297) + bytes(24)
        trailer = struct.pack("<BBBBI", 10, 6, 0, 0, 1) + token
        for _ in range(amount):
            connection.call_id += 1
            body = struct.pack("<HHIB3x", 5840, 5840, 0, 30) + context * 30
            connection.pdu(BIND, body + trailer, auth_length=len(token))
        return capture.write(Path(folder) / f"{amount}.pcap")

    assert_linear(tshark, make, 700, "-2", "-q", "-z", "perflibv2,sessions")


def test_connections_without_a_name_take_linear_time(tshark, folder):
    """Connections that name no machine, each with a catalog of its own, while the first of two machines there is polled."""
    def make(amount):
        capture = Capture()
        first = p.Peer(capture, machine="\\\\FIRST")
        first.teach()
        first.mapped(H, *(p.identifier(1, f"i{number}") for number in range(10)))
        p.Peer(capture, machine="\\\\SECOND").teach()
        for number in range(amount):
            p.Peer(capture, machine="localhost").teach()
            first.poll(H, p.data(*[p.block(1, p.value(number, 4))] * 10, time=p.TIME + number * 10_000_000))
        return capture.write(Path(folder) / f"{amount}.pcap")

    assert_linear(tshark, make, 400, "-q", "-z", "perflibv2,samples,-")


def test_machines_behind_machines_take_linear_time(tshark, folder):
    """Machines at one address, each of which passes on the data of a machine that has the same name as those of the others."""
    def make(amount):
        capture = wire.Capture()
        for number in range(amount):
            connection = wire.Connection(capture, (crafted.CLIENT, 20000 + number), (crafted.SERVER, crafted.PORT), mss=60000)
            handle = crafted.handle_bytes(number + 1)
            connection.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(handle))
            for machine, name in (f"PC{number}", "Global"), ("FAR", "foreign FAR 5000"):
                things = [Object(5000, [Counter(20000, "PERF_COUNTER_RAWCOUNT")], [Instance("x", [1])])]
                data = Builder(machine, crafted.clock(number), things, "<").data
                connection.call(wire.QUERY_VALUE, wire.query_request(handle, name, len(data)),
                                wire.query_response(wire.REG_BINARY, data, len(data), len(data)))
        path = Path(folder) / f"{amount}.pcapng"
        write_pcapng(path, capture.frames, "")
        return path

    assert_linear(tshark, make, 200, "-q", "-z", "perfdata,samples,-")


def an_objref_after_another(amount):
    """Activations, whose OBJREFs each claim bindings far into the others, up to 128 kB."""
    claimed = b"MEOW" + struct.pack("<I", 1) + b"\5" * 16 + b"\1" * 24 + b"\3" * 16 + struct.pack("<HH", 0xFFF0, 0xFFF0)
    calls = pla.Script()
    for _ in range(8):
        calls.activate(pla.SETS_CLASS, claimed * amount)
    return calls


def ever_new_objects(amount):
    """An IPID whose object is another at each query, then called as what it was at first."""
    calls = pla.Script()
    calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(1))
    for number in range(amount):
        calls.query_interface(pla.IPID, [pla.IID["IDataCollector"]], [(0, 1000 + number, uuid.UUID(int=5000 + number))])
    for _ in range(amount):
        calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(1))
    return calls


def ever_new_dispids(amount):
    """A member whose DISPID has another name at each request for it, and calls of it at another port."""
    calls = pla.Script()
    for number in range(amount):
        calls.named(pla.IPID, f"Name{number}", 500, interface="IDataCollectorSet")
    others = pla.Script(other=calls, port=49300)
    for _ in range(amount):
        others.invoke(uuid.UUID(int=1), 500, interface="IDataCollectorSet")
    return calls


@pytest.mark.parametrize("calls, amount", [(an_objref_after_another, 450), (ever_new_objects, 400), (ever_new_dispids, 1000)],
                         ids=lambda value: getattr(value, "__name__", None))
def test_objects_take_linear_time(tshark, folder, calls, amount):
    def make(amount):
        return calls(amount).capture.write(Path(folder) / f"{amount}.pcap")

    assert_linear(tshark, make, amount, "-q", "-z", "pla,sets")
