# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine is who answers under one name at one address and port; names hold from the frame on that taught them."""

import csv
import io
import random
import uuid

import pytest

from lib import perflibv2 as p
from lib.named_query import unescaped
from lib.perfdata import Beside, Peer as OlderPeer
from lib.tables import data_tables, table_rows
from lib.wire import WINREG, Capture
from perfdata import crafted
from perfdata.block import Builder, Counter, Instance, Object, names

H, OTHER, THIRD = p.query_handle(1), p.query_handle(2), p.query_handle(3)
DELTA = 0x00400400
PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
WALL = "10.0.0.5"       # an address behind which there are several machines


def peer_of(capture, machine, client="192.0.2.2", server=WALL, **options):
    return p.Peer(capture, f"\\\\{machine}" if machine else "", client=client, server=server, **options)


def teach(peer, name, counters, lcid=0):
    peer.registration(1, p.counterset([p.counter(id, DELTA) for id, _ in counters]))
    peer.registration(3, p.text(name), lcid)
    peer.registration(5, p.strings(counters), lcid)


def poll(peer, handle, number, seconds=0):
    return peer.poll(handle, p.data(p.block(1, p.value(number)), time=p.TIME + 10_000_000 * seconds))[1]


def polls(tshark, file, *options):
    """The paths and cooked values of each poll in order."""
    return [([unescaped(path) for path in paths], cooked)
            for paths, cooked in tshark.fields(file, "perflibv2.path", "perflibv2.cooked", options=options,
                                               display_filter="perflibv2.data.perf_freq")]


def columns(tshark, file, protocol="perflibv2"):
    head, *_ = csv.reader(io.StringIO(tshark.run(file, "-2", "-q", "-z", f"{protocol},pdh-csv,-")))
    return head[1:]


@PASSES
def test_name_refused_first_names_no_machine(tshark, tmp_path, passes):
    capture = Capture()
    wrong = peer_of(capture, "WRONGHOST")
    wrong.open(H, status=p.INVALID_PARAMETER)
    wrong.enumerate(status=p.ACCESS_DENIED)
    right = peer_of(capture, "RIGHT")
    teach(right, "Set", [(1, "Reads")])
    right.mapped(H, p.identifier(1))
    poll(right, H, 5)
    file = capture.write(tmp_path / "refused.pcap")
    assert polls(tshark, file, *passes) == [([r"\\RIGHT\Set(one)\Reads"], [])]
    assert "WRONGHOST" not in tshark.run(file, "-q", "-z", "perflibv2,queries")


@PASSES
def test_a_name_that_a_fault_refused(tshark, tmp_path, passes):
    """On the same connection, whose handles are then no WRONGHOST's."""
    capture = Capture()
    peer = peer_of(capture, "RIGHT")
    connection = peer.connection
    connection.call_id += 1
    connection.request(3, p.string("\\\\WRONGHOST"))
    connection.pdu(3, bytes(8) + (5).to_bytes(4, "little") + bytes(4))
    peer.mapped(H, p.identifier(1))
    poll(peer, H, 5)
    assert polls(tshark, capture.write(tmp_path / "fault.pcap"), *passes) == [([rf"\\RIGHT\{{{p.SET}}}(one)\counter 1"], [])]


@PASSES
def test_two_machines_behind_one_address(tshark, tmp_path, passes):
    """Each has its own names and polls, and both number their handles alike."""
    capture = Capture()
    alfa, bravo = peer_of(capture, "ALFA"), peer_of(capture, "BRAVO", "192.0.2.3")
    teach(alfa, "Set", [(1, "Reads")])
    teach(bravo, "Satz", [(1, "Lesen")])
    for peer in alfa, bravo:
        peer.mapped(H, p.identifier(1))
    for second, (one, two) in enumerate([(5, 500), (7, 900)]):
        poll(alfa, H, one, second)
        poll(bravo, H, two, second)
    file = capture.write(tmp_path / "wall.pcap")
    alfas, bravos = r"\\ALFA\Set(one)\Reads", r"\\BRAVO\Satz(one)\Lesen"
    assert polls(tshark, file, *passes) == [([alfas], []), ([bravos], []), ([alfas], ["2"]), ([bravos], ["400"])]
    assert columns(tshark, file) == [alfas, bravos]
    assert tshark.fields(file, "frame.number", options=passes, display_filter="perflibv2.rule.handle_unique") == []


@PASSES
def test_a_handle_of_each_machine_on_one_connection(tshark, tmp_path, passes):
    """The handle's own OpenQueryHandle says whose it is."""
    capture = Capture()
    alfa = peer_of(capture, "ALFA")
    alfa.mapped(H, p.identifier(1))
    alfa.machine = p.string("BRAVO")
    alfa.mapped(OTHER, p.identifier(1))
    poll(alfa, H, 5)
    poll(alfa, OTHER, 6)
    assert polls(tshark, capture.write(tmp_path / "proxy.pcap"), *passes) == [
        ([rf"\\{machine}\{{{p.SET}}}(one)\counter 1"], []) for machine in ("ALFA", "BRAVO")]


@pytest.mark.parametrize("name", ["CLUSTER", ".", "localhost", "HOST.example.com"])
def test_two_addresses_of_one_name(tshark, tmp_path, name):
    """Two machines: the second is told by its address, which [MS-PLA] 2.2.10 allows in a path; and so in every row."""
    capture = Capture()
    made = [peer_of(capture, name, server=server) for server in ("10.0.0.6", "10.0.0.7")]
    for peer, (set_name, counter) in zip(made, [("Set", "Reads"), ("Satz", "Lesen")]):
        teach(peer, set_name, [(1, counter)])
        peer.mapped(H, p.identifier(1))
    for second in range(2):
        for number, peer in enumerate(made, 1):
            poll(peer, H, 10 ** number * (second + 1), second)
    file = capture.write(tmp_path / "names.pcap")
    first = "10.0.0.6" if name in (".", "localhost") else name      # every machine's own name is none
    expected = [rf"\\{first}\Set(one)\Reads", r"\\10.0.0.7\Satz(one)\Lesen"]
    assert polls(tshark, file) == [([expected[0]], []), ([expected[1]], []), ([expected[0]], ["10"]), ([expected[1]], ["100"])]
    assert columns(tshark, file) == expected
    hosts = csv.DictReader(io.StringIO(tshark.run(file, "-q", "-z", "perflibv2,samples,-")))
    assert {(row["server"], row["server_address"]) for row in hosts} == {(first, "10.0.0.6"), ("10.0.0.7", "10.0.0.7")}


@PASSES
def test_two_sites_merged_stay_two_machines(tshark, tmp_path, passes):
    """... with the same private addresses, client's and server's; only the ports of the clients differ."""
    capture = Capture()
    sites = [peer_of(capture, machine, "10.0.0.1") for machine in ("north", "SOUTH")]
    for number, peer in enumerate(sites):
        teach(peer, f"Set {number}", [(1, "Reads")])
        peer.open(H)
        peer.validate(H, p.identifier(1))
        peer.info(H, p.identifier(1))
    for peer in sites:
        poll(peer, H, 5)
        peer.close(H)
    file = capture.write(tmp_path / "sites.pcap")
    assert polls(tshark, file, *passes) == [([r"\\north\Set 0(one)\Reads"], []), ([r"\\SOUTH\Set 1(one)\Reads"], [])]
    assert tshark.fields(file, "frame.number", options=passes, display_filter="perflibv2.rule.handle_unique") == []


@pytest.mark.parametrize("names_of_it", [
    ("\\\\HOST", "host.example.com", "HOST.EXAMPLE.COM.", ""), ("host.example.com", "\\\\Host", WALL, "localhost"),
])
def test_one_machine_in_other_words(tshark, tmp_path, names_of_it):
    """Case, domain, backslashes, its address, no name at all: what one connection taught is the machine's."""
    capture = Capture()
    for number, name in enumerate(names_of_it):
        peer = p.Peer(capture, name, server=WALL)
        if number == 0:
            teach(peer, "Set", [(1, "Reads")])
        peer.mapped(H, p.identifier(1))
        poll(peer, H, 5)
        peer.close(H)
    found = polls(tshark, capture.write(tmp_path / "words.pcap"), "-2")
    label = names_of_it[0].strip("\\")
    assert found == [([rf"\\{label}\Set(one)\Reads"], [])] * len(names_of_it)


def test_nobody_says_a_name(tshark, tmp_path):
    """One machine at the address, however many connections go to it: its counters are the same on each."""
    capture = Capture()
    teach(peer_of(capture, ""), "Set", [(1, "Reads")])
    for number in range(3):
        peer = peer_of(capture, ("", WALL, "localhost")[number], client=f"192.0.2.{number + 10}")
        peer.mapped(p.query_handle(number + 1), p.identifier(1))
        poll(peer, p.query_handle(number + 1), number, number)
    file = capture.write(tmp_path / "nobody.pcap")
    label = rf"\\{WALL}\Set(one)\Reads"
    assert polls(tshark, file) == [([label], [])] * 3 and columns(tshark, file) == [label]


def test_no_name_beside_two_machines(tshark, tmp_path):
    """Whose each connection is nobody can tell: what may differ has labels that differ."""
    capture = Capture()
    for number, name in enumerate(["ALFA", "BRAVO"], 50):
        peer_of(capture, name, f"192.0.2.{number}").enumerate()
    for number in range(3):
        peer = peer_of(capture, "", f"192.0.2.{number + 1}")
        teach(peer, "Set", [(1, "Reads")])
        peer.mapped(p.query_handle(number + 1), p.identifier(1))
        poll(peer, p.query_handle(number + 1), 1)
    found = columns(tshark, capture.write(tmp_path / "beside.pcap"))
    assert len(found) == len(set(found)) == 3 and all(label.startswith(rf"\\{WALL}\Set(one)\Reads") for label in found)


@pytest.mark.parametrize("machine", ["", "SRV"])
def test_names_read_on_many_connections(tshark, tmp_path, machine):
    """... each with a text or a few: type and name of a counter come from two, and there are more than can be kept apart."""
    capture = Capture()
    guids = [uuid.UUID(int=p.SET.int + number) for number in range(20)]
    for number, guid in enumerate(guids):
        peer_of(capture, machine).registration(1, p.counterset([p.counter(1, DELTA)], guid=guid), guid=guid)
        peer = peer_of(capture, machine)
        peer.registration(3, p.text(f"Set {number}"), guid=guid)
        peer.registration(5, p.strings([(1, "Reads")]), guid=guid)
    last = peer_of(capture, machine)
    last.mapped(H, *(p.identifier(1, guid=guid) for guid in guids))
    for second in range(2):
        last.poll(H, p.data(*(p.block(1, p.value(number * second)) for number in range(20)), time=p.TIME + 10_000_000 * second))
    expected = [rf"\\{machine or WALL}\Set {number}(one)\Reads" for number in range(20)]
    assert polls(tshark, capture.write(tmp_path / "texts.pcap")) == [(expected, []), (expected, [str(number) for number in range(20)])]


def test_a_handle_opened_before_the_capture(tshark, tmp_path):
    """
    It is of the only machine at its address. Of several nobody knows which, so that its address is all it is called; the
    names of its counters are those of the machine that listed them there.
    """
    for several in (False, True):
        capture = Capture()
        late = peer_of(capture, "")
        poll(late, H, 5)
        alfa = peer_of(capture, "ALFA", "192.0.2.3")
        teach(alfa, "Set", [(1, "Reads")])
        alfa.open(OTHER)
        late.info(H, p.identifier(1))
        if several:
            peer_of(capture, "BRAVO", "192.0.2.4").open(THIRD)
        poll(late, H, 6, 1)
        expected = rf"\\{WALL if several else 'ALFA'}\Set(one)\Reads"
        found = polls(tshark, capture.write(tmp_path / f"late-{several}.pcap"), "-2")
        assert [paths for paths, _ in found] == [[expected]] * 2


@PASSES
def test_a_handle_known_by_its_connection(tshark, tmp_path, passes):
    """A connection goes to one machine: its other calls tell which."""
    capture = Capture()
    peer_of(capture, "BRAVO", "192.0.2.4").open(THIRD)
    alfa = peer_of(capture, "ALFA")
    teach(alfa, "Set", [(1, "Reads")])
    alfa.info(H, p.identifier(1))
    poll(alfa, H, 5)
    assert polls(tshark, capture.write(tmp_path / "connection.pcap"), *passes) == [([r"\\ALFA\Set(one)\Reads"], [])]


def older_block(system, value, seconds):
    return Builder(system, crafted.clock(seconds), [Object(5000, [Counter(5004, "PERF_COUNTER_DELTA")], Instance("", [value]))]).data


def older_values(tshark, file, *options):
    return [([unescaped(path) for path in paths], cooked, previous)
            for paths, cooked, previous in tshark.fields(
                file, "perfdata.path", "perfdata.cooked", "perfdata.poll.previous_frame", options=options,
                display_filter="perfdata.data_block && dcerpc.pkt_type == 2")]


@PASSES
def test_the_older_api_with_two_names(tshark, tmp_path, passes):
    """Two machines behind one address, whose lists of names come before anything says whose they are."""
    alfa = OlderPeer()
    bravo = OlderPeer(other=alfa, client=(crafted.CLIENT, 50001))
    alfa.query("Counter 009", names([(5000, "Reader"), (5004, "Reads")]))
    bravo.query("Counter 009", names([(5000, "Leser"), (5004, "Lesungen")]))
    frames = [peer.query("5000", older_block(system, value, second))[1]
              for second in (1, 2) for peer, system, value in ((alfa, "ALFA", 5 * second), (bravo, "BRAVO", 300 * second))]
    file = alfa.write(tmp_path / "older.pcapng")
    alfas, bravos = r"\\ALFA\Reader\Reads", r"\\BRAVO\Leser\Lesungen"
    assert older_values(tshark, file, *passes) == [
        ([alfas], [], []), ([bravos], [], []), ([alfas], ["5"], [str(frames[0])]), ([bravos], ["300"], [str(frames[1])])]
    assert columns(tshark, file, "perfdata") == [alfas, bravos]
    assert [row[0] for row in table_rows(tshark.run(file, "-q", "-z", "perfdata,counters"))] == [alfas, bravos]
    samples = csv.DictReader(io.StringIO(tshark.run(file, "-q", "-z", "perfdata,samples,-")))
    assert [row["server"] for row in samples] == ["ALFA", "BRAVO"] * 2


def test_two_numberings_behind_one_address(tshark, tmp_path):
    """Machines of one address lend each other titles, unless these differ for any index: then each has its own numbers."""
    for differs in (False, True):
        alfa = OlderPeer()
        bravo = OlderPeer(other=alfa, client=(crafted.CLIENT, 50001))
        alfa.query("Counter 009", names([(5000, "Reader"), (5004, "Reads")]))
        bravo.query("Counter 009", names([(5000, "Writer" if differs else "Reader")]))
        for peer, system in ((alfa, "ALFA"), (bravo, "BRAVO")):
            peer.query("5000", older_block(system, 5, 1))
        paths = [path for path, *_ in older_values(tshark, alfa.write(tmp_path / f"{differs}.pcapng"), "-2")]
        assert paths == [[r"\\ALFA\Reader\Reads"], [r"\\BRAVO\Writer\5004" if differs else r"\\BRAVO\Reader\Reads"]]


@PASSES
@pytest.mark.parametrize("listed, title", [
    (None, "5000"), ([(2, "System")], "5000"), ([(4, "Memory")], "Reader"), ([(4, "Memory"), (6, "% Processor Time")], "Reader"),
], ids=["nothing", "another index", "a common one", "a common one and another index"])
def test_titles_of_a_machine_that_is_certainly_another_one(tshark, tmp_path, listed, title, passes):
    """Blocks say whose they are. Indices above those of Windows are each machine's own, unless a common one says that they are alike."""
    alfa = OlderPeer()
    bravo = OlderPeer(other=alfa, client=(crafted.CLIENT, 50001))
    for peer, system in ((alfa, "ALFA"), (bravo, "BRAVO")):
        peer.query("4", older_block(system, 4, 1))
    alfa.query("Counter 009", names([(4, "Memory"), (5000, "Reader"), (5004, "Reads")]))
    if listed:
        bravo.query("Counter 009", names(listed))
    bravo.query("5000", older_block("BRAVO", 5, 2))
    paths = [path for path, *_ in older_values(tshark, alfa.write(tmp_path / "own.pcapng"), *passes)]
    assert paths[-1] == [rf"\\BRAVO\{title}\{'Reads' if title == 'Reader' else 5004}"]


@PASSES
def test_two_machines_on_many_connections(tshark, tmp_path, passes):
    """Each reads its list of names before a block says whose it is."""
    peers = []
    for number in range(14):
        peer = OlderPeer(other=peers[0] if peers else None, client=(crafted.CLIENT, 50000 + number))
        peers.append(peer)
        system = ("ALFA", "BRAVO")[number % 2]
        peer.query("Counter 009", names([(5000, f"Reader of {system}"), (5004, "Reads")]))
        peer.query("5000", older_block(system, number, number + 1))
    file = peers[0].write(tmp_path / "many.pcapng")
    expected = [rf"\\{system}\Reader of {system}\Reads" for system in ("ALFA", "BRAVO")]
    assert [paths for paths, *_ in older_values(tshark, file, *passes)] == [[path] for path in expected * 7]
    assert columns(tshark, file, "perfdata") == expected


@PASSES
def test_two_names_in_one_handle(tshark, tmp_path, passes):
    """What a block says of itself counts: none is compared with the other's."""
    peer = OlderPeer()
    frames = [peer.query("5000", older_block(system, value, second))[1]
              for second, (system, value) in enumerate([("ALFA", 5), ("BRAVO", 300), ("ALFA", 7), ("BRAVO", 400)], 1)]
    found = older_values(tshark, peer.write(tmp_path / "one-handle.pcapng"), *passes)
    assert found == [([r"\\ALFA\5000\5004"], [], []), ([r"\\BRAVO\5000\5004"], [], []),
                     ([r"\\ALFA\5000\5004"], ["2"], [str(frames[0])]), ([r"\\BRAVO\5000\5004"], ["100"], [str(frames[1])])]


OLDER_LIST = names([(5000, "Reader"), (5004, "Reads")])


def older_steps(steps, other=None, server=crafted.SERVER, titles=OLDER_LIST):
    """Calls to one address, "CONNECTION:list" or "CONNECTION:SYSTEM" each; SYSTEM "-": the block has no SystemName."""
    peers = {}
    for number, step in enumerate(steps.split(), 1):
        name, what = step.split(":")
        if name not in peers:
            first = next(iter(peers.values()), other)
            peers[name] = OlderPeer(other=first, client=(crafted.CLIENT, 50000 + len(peers)), server=(server, crafted.PORT))
        if what == "list":
            peers[name].query("Counter 009", titles, kind=7)
        elif what == "other":
            peers[name].query("Counter 009", names([(5000, "Leser"), (5004, "Lesungen")]), kind=7)
        else:
            peers[name].query("5000", older_block("" if what == "-" else what, number, number))
    return peers[name]


def older_known(tshark, file, *options):
    samples = csv.DictReader(io.StringIO(tshark.run(file, "-q", *options, "-z", "perfdata,samples,-")))
    return [(row["server"], row["counter"], row["known_by"]) for row in samples]


HERE, READS = crafted.SERVER, ("Reads", "list")
LENT, NOBODYS = ("Reads", "map-other-name"), ("5004", "id")


@pytest.mark.parametrize("steps, one, two", [
    # The list may be of another machine, which only later packets show; there is one machine; there are two.
    ("A:list B:BETA", [("BETA", *LENT)], [("BETA", *READS)]),
    ("A:list B:-", [(HERE, *LENT)], [(HERE, *READS)]),
    ("A:list B:BETA A:ALFA", [("BETA", *LENT), ("ALFA", *READS)], [("BETA", *NOBODYS), ("ALFA", *READS)]),
    # A block without a name is of the connection's machine. If the address has two, it is unknown which one.
    ("A:list A:ALFA B:BETA C:-", [("ALFA", *READS), ("BETA", *NOBODYS), (HERE, *LENT)], [("ALFA", *READS), ("BETA", *NOBODYS), (HERE, *LENT)]),
    ("C:- A:list A:ALFA B:BETA C:-", [(HERE, *NOBODYS), ("ALFA", *READS), ("BETA", *NOBODYS), (HERE, *LENT)],
     [(HERE, *LENT), ("ALFA", *READS), ("BETA", *NOBODYS), (HERE, *LENT)]),
    # The connection's own list, and the machine's that its blocks name.
    ("A:ALFA B:BETA C:list C:-", [("ALFA", *NOBODYS), ("BETA", *NOBODYS), (HERE, *READS)], [("ALFA", *NOBODYS), ("BETA", *NOBODYS), (HERE, *READS)]),
    ("A:ALFA A:list A:- B:BETA A:-", [("ALFA", *NOBODYS), ("ALFA", *READS), ("BETA", *NOBODYS), ("ALFA", *READS)],
     [("ALFA", *READS), ("ALFA", *READS), ("BETA", *NOBODYS), ("ALFA", *READS)]),
    # The two machines differ: neither lends.
    ("C:- A:list A:ALFA B:other B:BETA C:-", [(HERE, *NOBODYS), ("ALFA", *READS), ("BETA", "Lesungen", "list"), (HERE, *NOBODYS)],
     [(HERE, *NOBODYS), ("ALFA", *READS), ("BETA", "Lesungen", "list"), (HERE, *NOBODYS)]),
])
def test_whose_list_it_is(tshark, tmp_path, steps, one, two):
    file = older_steps(steps).write(tmp_path / "whose.pcapng")
    assert older_known(tshark, file) == one
    assert older_known(tshark, file, "-2") == two


@PASSES
def test_an_alias_is_no_second_machine(tshark, tmp_path, passes):
    """A client's name for the server, in a call of PerflibV2: of the list it takes nothing away. Blocks say the machine's own name."""
    capture = Capture()
    reader, poller = (Beside(capture, capture.connection(interface=WINREG), False) for _ in range(2))
    reader.open()
    reader.query("Counter 009", OLDER_LIST, kind=7)
    poller.open()
    poller.query("5000", older_block("HOST", 5, 1))
    p.Peer(capture, machine="\\\\ALIAS").enumerate()
    assert older_known(tshark, capture.write(tmp_path / "alias.pcap"), *passes) == [("HOST", "Reads", "list" if passes else "map-other-name")]


def test_one_pass_says_nothing_else_of_a_machine(tshark, tmp_path):
    """Random calls of two machines on three connections to each of many addresses: what one pass knows as the machine's own, two passes know so, too."""
    chance, last = random.Random(41), None
    for number in range(40):
        of = {"A": "ALFA", "B": "BETA", "C": chance.choice(("ALFA", "BETA"))}
        steps = [f"{name}:{chance.choice(('list', '-', of[name]))}" for name in chance.choices("ABC", k=8)]
        last = older_steps(" ".join(steps), other=last, server=f"192.0.2.{100 + number}", titles=names([(5000, f"Reader {number}"), (5004, f"Reads {number}")]))
    file = last.write(tmp_path / "random.pcapng")
    first, second = older_known(tshark, file), older_known(tshark, file, "-2")
    assert len(first) == len(second) > 150
    own = [number for number, row in enumerate(first) if row[2] == "list"]
    assert len(own) > 20 and [first[number][1:] for number in own] == [second[number][1:] for number in own]


@PASSES
def test_names_read_on_another_connection(tshark, tmp_path, passes):
    """... of the only machine there: whoever says no name is taken for it."""
    first = OlderPeer()
    first.query("Counter 009", names([(5000, "Reader"), (5004, "Reads")]))
    second = OlderPeer(other=first, client=(crafted.CLIENT, 50001))
    second.query("5000", older_block("ALFA", 5, 1))
    assert older_values(tshark, first.write(tmp_path / "elsewhere.pcapng"), *passes) == [([r"\\ALFA\Reader\Reads"], [], [])]


@PASSES
def test_names_taught_anew_leave_earlier_polls_theirs(tshark, tmp_path, passes):
    """A provider registers anew: what was polled before keeps its names, type and all."""
    capture = Capture()
    peer = peer_of(capture, "HOST")
    teach(peer, "Set", [(1, "Reads"), (2, "Writes")])
    peer.mapped(H, p.identifier(1))
    for second, number in enumerate((5, 7)):
        poll(peer, H, number, second)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2)]))
    peer.registration(3, p.text("Satz"))
    peer.registration(5, p.strings([(1, "Lesen")]))
    poll(peer, H, 9, 2)
    before, after = r"\\HOST\Set(one)\Reads", r"\\HOST\Satz(one)\Lesen"
    assert polls(tshark, capture.write(tmp_path / "anew.pcap"), *passes) == [([before], []), ([before], ["2"]), ([after], ["9"])]


@PASSES
def test_swapped_names_say_by_id_which_counter_it_is(tshark, tmp_path, passes):
    """... and a counter that takes another's name says by its id that it is not that one."""
    capture = Capture()
    peer = peer_of(capture, "HOST")
    teach(peer, "Set", [(1, "Reads"), (2, "Writes")])
    peer.mapped(H, p.identifier(p.NONE, "one"))
    both_counters = p.data(p.block(2, p.multi_counters([1, 2]) + p.value() * 2))
    peer.poll(H, both_counters)
    peer.registration(5, p.strings([(1, "Writes"), (2, "Reads")]))
    peer.poll(H, both_counters)
    assert [paths for paths, _ in polls(tshark, capture.write(tmp_path / "swapped.pcap"), *passes)] == [
        [r"\\HOST\Set(one)\Reads", r"\\HOST\Set(one)\Writes"],
        [r"\\HOST\Set(one)\Writes (id 1)", r"\\HOST\Set(one)\Reads (id 2)"]]


@PASSES
def test_lists_read_again_name_the_polls_before(tshark, tmp_path, passes):
    """The older API's; the first list names the polls before it where they are read once more."""
    peer = OlderPeer()
    peer.query("5000", older_block("ALFA", 5, 1))
    for number, (name, counter) in enumerate([("Reader", "Reads"), ("Leser", "Lesungen"), ("Reader", "Reads")], 2):
        peer.query("Counter 009", names([(5000, name), (5004, counter)]))
        peer.query("5000", older_block("ALFA", 5 * number, number))
    first = r"\\ALFA\Reader\Reads" if passes else r"\\ALFA\5000\5004"
    found = older_values(tshark, peer.write(tmp_path / "again.pcapng"), *passes)
    assert [paths for paths, *_ in found] == [[first], [r"\\ALFA\Reader\Reads"], [r"\\ALFA\Leser\Lesungen"], [r"\\ALFA\Reader\Reads"]]


def test_a_first_list_names_what_came_before(tshark, tmp_path):
    capture = Capture()
    peer = peer_of(capture, "HOST")
    peer.mapped(H, p.identifier(1))
    poll(peer, H, 5)
    teach(peer, "Set", [(1, "Reads")])
    assert polls(tshark, capture.write(tmp_path / "first.pcap"), "-2") == [([r"\\HOST\Set(one)\Reads"], [])]


@pytest.mark.parametrize("language, shown", [
    ("0", "Default"), ("407", "Deutsch"), ("c07", "Deutsch"), ("7", "Deutsch"), ("40c", "Français"), ("9", "English"), ("411", "Default"),
])
def test_names_are_in_the_language_asked_for(tshark, tmp_path, language, shown):
    capture = Capture()
    peer = peer_of(capture, "HOST")
    for name, lcid in ("Default", 0), ("Deutsch", 0x407), ("Italiano", 0x410), ("Français", 0x40C):
        teach(peer, name, [(1, name)], lcid)
    peer.registration(9, p.text("English"))
    peer.registration(10, p.strings([(1, "English")]))
    peer.mapped(H, p.identifier(1))
    poll(peer, H, 5)
    older = OlderPeer()
    for name, title in ("009", "English"), ("00C", "Français"), ("007", "Deutsch"):
        older.query(f"Counter {name}", names([(5000, title), (5004, title)]))
    older.query("5000", older_block("ALFA", 5, 1))
    option = ("-o", f"perflibv2.language:{language}")
    assert polls(tshark, capture.write(tmp_path / "language.pcap"), *option) == [([rf"\\HOST\{shown}(one)\{shown}"], [])]
    title = "English" if shown == "Default" else shown
    found = older_values(tshark, older.write(tmp_path / "language.pcapng"), *option)
    assert [paths for paths, *_ in found] == [[rf"\\ALFA\{title}\{title}"]]


def test_two_guids_of_one_name(tshark, tmp_path):
    """Two countersets, whose counters have names of their own."""
    capture = Capture()
    peer = peer_of(capture, "HOST")
    for guid, counter in (p.SET, "Reads"), (p.OTHER_SET, "Writes"):
        peer.registration(3, p.text("Set"), guid=guid)
        peer.registration(5, p.strings([(1, counter)]), guid=guid)
    peer.mapped(H, p.identifier(1), p.identifier(1, guid=p.OTHER_SET))
    peer.poll(H, p.data(p.block(1, p.value(5)), p.block(1, p.value(6))))
    samples = list(csv.DictReader(io.StringIO(tshark.run(capture.write(tmp_path / "guids.pcap"), "-q", "-z", "perflibv2,samples,-"))))
    assert {(row["counterset_guid"], row["counter"], row["raw"]) for row in samples} == {
        (str(p.SET), "Reads", "5"), (str(p.OTHER_SET), "Writes", "6")}


@PASSES
def test_tables_call_a_machine_by_one_name(tshark, tmp_path, passes):
    """Its name comes after its first calls: in one pass, too, each table has it in the end. A damaged list is ALFA's to mend."""
    older = OlderPeer()
    older.query("Counter 009", "2\0System\0\0005000\0Reader\0\0".encode("utf-16-le"), kind=7)
    older.query("5000", older_block("ALFA", 5, 1))
    tables = data_tables(tshark, older.write(tmp_path / "older.pcapng"), *passes)
    assert {row["server"] for table in ("perfdata-queries", "perfdata-missing", "perfdata-usage", "findings") for row in tables[table]} == {"ALFA"}
    assert {row["remedy"].split(":")[0] for row in tables["findings"] if row["code"] == "names_damaged"} == {"Rebuild the list on ALFA"}
    capture = Capture()
    late, named = peer_of(capture, ""), peer_of(capture, "BRAVO", "192.0.2.3")
    poll(late, H, 5)
    named.open(OTHER)
    tables = data_tables(tshark, capture.write(tmp_path / "late.pcap"), *passes)
    assert [row["server"] for row in tables["perflibv2-queries"]] == ["BRAVO"] * 2


@PASSES
def test_usage_of_an_object_whose_name_changes(tshark, tmp_path, passes):
    """One object is one row, by its number, under the latest name."""
    peer = OlderPeer()
    for number, lists in enumerate([[("Counter 007", "Leser")], [("Counter 009", "Reader")], []]):
        for value, title in lists:
            peer.query(value, names([(5000, title), (5004, "Reads")]))
        peer.query("5000", older_block("ALFA", 5, number + 1))
    (row,) = data_tables(tshark, peer.write(tmp_path / "usage.pcapng"), *passes)["perfdata-usage"]
    assert (row["counterset"], row["polls"]) == ("Reader", 3)


@PASSES
def test_usage_of_a_machine_whose_name_comes_late(tshark, tmp_path, passes):
    """One machine is one row under its name. If there are two names in the end, the polls without a name may be of either."""
    for others, expected in ([], [("BRAVO", 3)]), (["ALFA"], [(WALL, 1), ("BRAVO", 2)] if passes else [(WALL, 3)]):
        capture = Capture()
        peers = [peer_of(capture, ""), peer_of(capture, "BRAVO", "192.0.2.2")]
        for number, peer in enumerate(peers):
            if number:
                peer.open(H)
            peer.mapped(p.query_handle(4 + number), p.identifier(1))
            poll(peer, p.query_handle(4 + number), 5, number)
        for name in others:
            peer_of(capture, name, "192.0.2.4").open(OTHER)
        poll(peers[1], p.query_handle(5), 6, 2)
        rows = data_tables(tshark, capture.write(tmp_path / "late.pcap"), *passes)["perflibv2-usage"]
        assert sorted((row["server"], row["polls"]) for row in rows) == expected
