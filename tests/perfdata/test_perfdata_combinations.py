# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes by one name and is two things: handles, titles and series of several clients and servers."""

import pytest

from lib.perfdata import HANDLE, Peer, answers, crafted, wire
from perfdata.block import Builder, Counter, Instance, Object, names

DELTA = Counter(5004, "PERF_COUNTER_DELTA")
ONE_PASS = pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
# The same address with another port, and another address with the same port.
OTHERS = [("192.0.2.99", crafted.PORT), (crafted.SERVER, crafted.PORT + 1)]


def block(value, system="PC", seconds=1):
    return Builder(system, crafted.clock(seconds), [Object(5000, [DELTA], Instance("", [value]))]).data


def shown(answer):
    """Path and cooked value, if any."""
    (value,) = answer.values()
    cooked = value.first("perfdata.cooked")
    return value.show, cooked and cooked.show


@ONE_PASS
@pytest.mark.parametrize("server", OTHERS, ids=["address", "port"])
def test_two_servers_keep_their_own_names_and_polls(tshark, tmp_path, two_pass, server):
    """One handle, one title index, one value name: each server has its own."""
    one = Peer()
    two = Peer(other=one, server=server)
    one.query("Counter 009", names([(5000, "Eins"), (5004, "Wert")]))
    two.query("Counter 009", names([(5000, "Zwei")]))
    for number in 1, 2:
        one.query("5000", block(10 * number, "ONE", number))
        two.query("5000", block(100 * number, "TWO", number))
    polls = [answer for answer in answers(tshark, one.write(tmp_path / "two.pcapng"), two_pass) if answer.values()]
    assert [shown(answer) for answer in polls] == [
        ("\\\\ONE\\Eins\\Wert", None), ("\\\\TWO\\Zwei\\5004", None),
        ("\\\\ONE\\Eins\\Wert", "10"), ("\\\\TWO\\Zwei\\5004", "100"),
    ]


@ONE_PASS
@pytest.mark.parametrize("server", OTHERS, ids=["address", "port"])
def test_handle_of_two_servers(tshark, tmp_path, two_pass, server):
    """Closed on one it is open on the other; the key of one server is none of the other's."""
    one = Peer()
    two = Peer(other=one, server=server, opened=False)
    opened = two.call(wire.OPEN_DATA, wire.open_request(), wire.open_response(HANDLE))[1]
    closed = one.close()[1]
    two.query("Counter", names([(5000, "Zwei")]))
    one.query("Counter", names([(5000, "Eins")]))
    of_two, of_one = answers(tshark, one.write(tmp_path / "handles.pcapng"), two_pass)
    assert of_two.titles() == [[5000, "Zwei"]] and of_two.shows("perfdata.handle.opened_in") == [str(opened)]
    assert of_two.shows("perfdata.handle.closed_in") == []
    # Closed: what is asked of it now may be any key's.
    assert not of_one.find("perfdata") and closed


def test_one_handle_on_many_servers(tshark, tmp_path):
    """All at once: whichever of them share a place in some table, each answers for itself."""
    one = Peer(opened=False)
    servers = [one, *(Peer(other=one, server=(f"192.0.2.{number}", crafted.PORT), opened=False) for number in range(100, 140))]
    opened = [server.open()[1] for server in servers]
    for server in servers:
        server.query("Counter", names([(5000, "Zwei")]))
    found = answers(tshark, one.write(tmp_path / "many.pcapng"))
    assert [answer.shows("perfdata.handle.opened_in") for answer in found] == [[str(frame)] for frame in opened]


@ONE_PASS
def test_two_clients_are_compared_each_with_its_own(tshark, tmp_path, two_pass):
    """Each is compared with what it got before, whatever the other got in between."""
    one = Peer()
    two = Peer(other=one, client=("192.0.2.77", 50000))
    for number, (peer, name) in enumerate([(one, "Global"), (two, "Global"), (one, "global "), (two, "GLOBAL"), (one, "5000")], 1):
        peer.query(name, block(number * number, seconds=number))
    values = [shown(answer)[1] for answer in answers(tshark, one.write(tmp_path / "clients.pcapng"), two_pass)]
    assert values == [None, None, str(9 - 1), str(16 - 4), None]
