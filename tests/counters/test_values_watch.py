# SPDX-License-Identifier: GPL-2.0-or-later
"""Watched counters whose names are learned late."""

from lib import perflibv2 as p
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
