# SPDX-License-Identifier: GPL-2.0-or-later
"""A call that the capture shows, and yet nobody reads: sealed, cut, without its bind. It may have closed a handle or changed a query.

The server is a good one: a rule that breaks accuses it wrongly. The same sessions without that call show that the rule would speak.
"""

import struct

import pytest

from lib import perflibv2 as p
from lib.wire import FIRST_FRAGMENT, LAST_FRAGMENT, REQUEST, RESPONSE, Capture

H = p.query_handle(1)
PRIVACY, KERBEROS = 6, 16       # [MS-RPCE] 2.2.1.1.8, 2.2.1.1.7
SESSION = {"auth_level", "auth_service", "privacy_required", "transport"}
OPEN, CLOSE, POLL, VALIDATE = 3, 4, 6, 7
PASSES = pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])


def of(peer, **options):
    """Another connection of the same client and server, whose calls are numbered from 1."""
    (client, _), (server, _) = peer.connection.ends
    other = p.Peer(peer.capture, server=server, client=client, **options)
    other.connection.call_id = 0
    return other


# How the request of a call of that operation is sent, so that nobody reads it.


def sealed(connection, opnum):
    connection.protected(REQUEST, bytes(32), PRIVACY, KERBEROS, opnum)


def cut(connection, opnum):
    """It ends in the handle, or in the name of the machine."""
    connection.request(opnum, H + bytes(12), snap=12)


def begun(connection, opnum):
    """The last fragment is missing; it may come yet, until there is an answer."""
    connection.pdu(REQUEST, struct.pack("<IHH", 64, 0, opnum) + bytes(32), flags=FIRST_FRAGMENT)


def ended(connection, opnum):
    """The first fragment is missing."""
    connection.pdu(REQUEST, struct.pack("<IHH", 32, 0, opnum) + bytes(32), flags=LAST_FRAGMENT)


def lost(_connection, _opnum):
    """Nothing of it is there."""


def unread(how, elsewhere=True, answered=True, **options):
    """A function that makes such a call for a peer: on another connection, or on its own."""
    def make(peer, opnum):
        connection = (of(peer, **options) if elsewhere else peer).connection
        connection.call_id += 1
        how(connection, opnum)
        if answered and how is sealed:
            connection.protected(RESPONSE, bytes(32), PRIVACY, KERBEROS)
        elif answered:
            stub = {OPEN: H, CLOSE: p.NULL_HANDLE, VALIDATE: struct.pack("<I", 40) + p.identifier(1, name=None)}[opnum]
            connection.response(stub + bytes(4))

    return make


def unnumbered(peer, _opnum):
    """All calls of another connection have one number, so that nobody can tell that one is missing."""
    other = of(peer)
    for _ in range(2):
        other.connection.call_id = 0
        other.enumerate()


SEEN, ALL = (sealed, cut, ended), (sealed, cut, ended, begun, lost)
UNREAD = {
    **{f"{how.__name__} elsewhere": unread(how) for how in ALL},
    **{f"{how.__name__} elsewhere, no answer": unread(how, answered=False) for how in SEEN},
    **{f"{how.__name__} elsewhere, no bind": unread(how, bind=False) for how in (*SEEN, lost)},
    **{f"{how.__name__} elsewhere, no bind, no answer": unread(how, answered=False, bind=False) for how in SEEN},
    **{f"{how.__name__} here": unread(how, elsewhere=False) for how in ALL},
    "unnumbered": unnumbered,
}
# name -> (rule, function): it makes the session, with what happens in between, and returns the frame that breaks the rule if nothing did.
SESSIONS = {}


def session(rule):
    def keep(make):
        SESSIONS[make.__name__] = (rule, make)
        return make

    return keep


@session("handle_unique")
def given_out_again(peer, between):
    peer.open(H)
    between(peer, CLOSE)
    return peer.open(H)[1]


@session("handle_unique")
def given_out_again_under_way(peer, between):
    """The call that opens it was sent before."""
    peer.open(H)
    peer.connection.call_id += 1
    sent = peer.connection.call_id
    peer.connection.request(OPEN, peer.machine)
    between(peer, CLOSE)
    peer.connection.response(H + bytes(4), call_id=sent)
    return len(peer.capture.frames)


@session("handle_unique")
def given_to_another_client(peer, between):
    (client, _), (server, _) = peer.connection.ends
    peer.open(H)
    between(peer, CLOSE)
    p.Peer(peer.capture, server=server, client=client.replace("10.2", "10.3")).open(H)
    return peer.poll(H, p.data())[1]


@session("handle_refused")
def closed_and_opened(peer, between):
    peer.open(H)
    peer.close(H)
    between(peer, OPEN)
    return peer.poll(H, p.data())[1]


def change(peer, between):
    """Counter 1 is added to a query, and another change may have followed."""
    peer.open(H)
    peer.validate(H, p.identifier(1))
    between(peer, VALIDATE)


@session("added_twice")
def added_again(peer, between):
    change(peer, between)
    return peer.validate(H, p.identifier(1))[1]


@session("info_counters")
def told_of_another(peer, between):
    change(peer, between)
    return peer.info(H, p.identifier(2))[1]


@session("poll_blocks")
def polled_another_number(peer, between):
    change(peer, between)
    return peer.poll(H, p.data())[1]


def made(path, between):
    """{frame: rule that it would break} of all sessions, each between ends of its own."""
    capture, frames = Capture(), {}
    for number, (rule, make) in enumerate(SESSIONS.values()):
        peer = p.Peer(capture, server=f"10.2.1.{number + 1}", client=f"10.2.2.{number + 1}")
        peer.connection.call_id = 0
        frames[make(peer, between)] = rule
    capture.write(path)
    return frames


def broken(tshark, path, options):
    rows = tshark.fields(path, "frame.number", "perflibv2.broken_rule", display_filter="perflibv2.broken_rule", options=options)
    return {int(frame): set(rules) - SESSION for (frame,), rules in rows if set(rules) - SESSION}


@PASSES
@pytest.mark.parametrize("between", [lambda peer, opnum: None, lambda peer, opnum: unread(sealed)(peer, POLL)], ids=["nothing", "a poll"])
def test_without_it_the_server_is_to_blame(tshark, tmp_path, options, between):
    """... and so where what nobody reads can have changed nothing."""
    frames = made(tmp_path / "none.pcap", between)
    found = broken(tshark, tmp_path / "none.pcap", options)
    assert {frame: rule for frame, rule in frames.items() if rule in found.get(frame, ())} == frames


@PASSES
@pytest.mark.parametrize("between", UNREAD)
def test_nobody_is_to_blame(tshark, tmp_path, options, between):
    made(tmp_path / "unread.pcap", UNREAD[between])
    assert broken(tshark, tmp_path / "unread.pcap", options) == {}
