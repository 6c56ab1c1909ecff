# SPDX-License-Identifier: GPL-2.0-or-later
"""Watched counters whose names are learned late."""

from lib import perflibv2 as p
from lib.sharkd import ask
from lib.wire import Capture

H = p.query_handle(1)


def test_name_learned_between_polls(tshark, tmp_path):
    """In one pass a counter is watched from the poll on that follows its name, whatever it was called before."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1, "x"))
    for number in range(2):
        peer.poll(H, p.data(p.block(1, p.value(40 + number))))
        peer.registration(3, p.text("Set"))
        peer.registration(5, p.strings([(1, "Reads")]))
    path = capture.write(tmp_path / "late.pcap")
    watch = ["-o", r'uat:perflibv2_watch:"reads","*\x5cSet(x)\x5cReads"']
    shown = tshark.fields(path, "perflibv2.watch.reads", display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2", options=watch)
    assert [row[0] for row in shown] == [[], ["41"]]


def labels_of(tree):
    for node in tree:
        yield node["l"]
        yield from labels_of(node.get("n", []))


def test_counter_put_on_the_list_is_watched_at_once(tshark, tmp_path):
    """A counter that is put on the list while a capture is open is watched at once, whatever was found out about its name."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1, "x"))
    frame = peer.poll(H, p.data(p.block(1, p.value(40))))[1]
    path = capture.write(tmp_path / "changes.pcap")
    look = {"method": "frame", "params": {"frame": frame, "proto": True}}
    lists = [
        {"method": "setconf", "params": {"name": "uat:perflibv2_watch", "value": f'"{name}","*(x)\\x5ccounter 1"'}} for name in ("first", "second")
    ]
    answers = ask(tshark, [lists[0], {"method": "load", "params": {"file": str(path)}}, look, lists[1], look])
    shown = [[label.split(":")[1].strip() for label in labels_of(answers[number]["tree"]) if "Watched:" in label] for number in (3, 5)]
    assert shown == [["first"], ["first", "second"]]
