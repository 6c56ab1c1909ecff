# SPDX-License-Identifier: GPL-2.0-or-later
"""Two counters of one id in a counterset, as Windows has them: told apart by their place, with no instance invented for the second."""

import pytest

from lib import perflibv2 as p
from lib.tables import counters_of, table_rows
from lib.wire import Capture

H = p.query_handle(1)
HEX = 0x00000000        # PERF_COUNTER_RAWCOUNT_HEX
IDS = [1, 2, 1]


def polled(tshark, tmp_path, names, content, instance_type=2):
    """(line of the path, value) of each value of the last of two polls, whatever stands between its path and its value."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2), p.counter(1, HEX)], instance_type=instance_type))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings(names))
    peer.mapped(H, p.identifier(p.NONE, "*"))
    for number in range(2):
        peer.poll(H, p.data(content(30 + number)))
    path = capture.write(tmp_path / "same-id.pcap")
    packet = tshark.packets(path, display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")[-1][-1]
    table = tshark.run(path, "-q", "-z", "perflibv2,counters")
    return [item.showname.strip("[]") for item in packet.find("perflibv2.path")], table


def counters_alone(number):
    return p.block(2, p.multi_counters(IDS) + b"".join(p.value(number + at) for at in range(3)))


def instances(number):
    return p.block(6, p.multi_counters(IDS) + p.multi_instances([p.instance("x") + b"".join(p.value(number + at) for at in range(3))]))


@pytest.mark.parametrize(("content", "where"), [(counters_alone, r"\\HOST\Set"), (instances, r"\\HOST\Set(x)")], ids=["one instance", "instances"])
def test_each_has_its_name_and_type(tshark, tmp_path, content, where):
    lines, table = polled(tshark, tmp_path, [(1, "Reads"), (2, "Errors"), (1, "State")], content, 2 if "(" in where else 0)
    assert lines == [rf"{where}\Reads = 31", rf"{where}\Errors = 32", rf"{where}\State = 0x21"]
    assert {row[0]: row[2] for row in table_rows(table)} == dict.fromkeys([rf"{where}\Reads", rf"{where}\Errors", rf"{where}\State"], "2")


@pytest.mark.parametrize(
    ("names", "first", "second"),
    [
        ([(1, "Reads"), (1, "Reads")], "Reads", "Reads (no. 2 of id 1)"),
        ([(1, "Reads")], "Reads", "counter 1 (no. 2 of this id)"),
        ([], "counter 1", "counter 1 (no. 2 of this id)"),
        ([(1, None), (1, "State")], "counter 1", "State (no. 2 of id 1)"),
    ],
)
def test_names_that_do_not_tell(tshark, tmp_path, names, first, second):
    """Two paths all the same, so that no table mixes their values."""
    lines, _ = polled(tshark, tmp_path, names, instances)
    assert [line.split(" = ")[0] for line in lines] == [rf"\\HOST\Set(x)\{first}", r"\\HOST\Set(x)\counter 2", rf"\\HOST\Set(x)\{second}"]


def single(tshark, tmp_path, counters, block):
    """The line of the value, and what is shown for its block, of a block that holds one counter of id 1; tables say the same."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset(counters))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Reads"), (2, "Errors"), (1, "State")]))
    peer.mapped(H, p.identifier(1, "x"))
    for _ in range(2):
        peer.poll(H, p.data(block))
    path = capture.write(tmp_path / "single.pcap")
    packet = tshark.packets(path, display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")[-1][-1]
    (line,) = [item.showname.strip("[]") for item in packet.find("perflibv2.path")]
    told = tshark.run(path, "-q", "-z", "perflibv2,samples,-")
    name = line.split(" = ")[0].split(": ")[0]
    assert name in counters_of(tshark.run(path, "-q", "-z", "perflibv2,counters"))
    # The name alone: of none of them where it is not known which it is.
    assert f',"{name.rsplit(chr(92), 1)[1]}",' in told
    return line


@pytest.mark.parametrize(
    ("second", "width", "line"),
    [
        (p.LARGE_RAWCOUNT, 4, r"\\HOST\Set(x)\Reads = 33"),
        (p.LARGE_RAWCOUNT, 8, r"\\HOST\Set(x)\State = 33"),
        (HEX, 4, r"\\HOST\Set(x)\counter 1 (one of 2 of this id): no value, type unknown, raw 33"),
        (p.RAWCOUNT, 4, r"\\HOST\Set(x)\counter 1 (one of 2 of this id) = 33"),
    ],
    ids=["by its size", "by the size of the second", "not at all", "what both are"],
)
def test_one_of_them_alone(tshark, tmp_path, second, width, line):
    """No place tells which it is; the size of its value may, else only what holds for both is said."""
    counters = [p.counter(1), p.counter(2), p.counter(1, second)]
    assert single(tshark, tmp_path, counters, p.block(1, p.value(33, width))) == line


def test_one_of_them_is_left_out(tshark, tmp_path):
    """As many as the counterset has, or their places say nothing."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2), p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Reads"), (2, "Errors"), (1, "State")]))
    peer.mapped(H, p.identifier(p.NONE, "x"))
    peer.poll(H, p.data(p.block(2, p.multi_counters([2, 1]) + p.value(5) + p.value(6, 8))))
    path = capture.write(tmp_path / "left.pcap")
    assert [item.showname.strip("[]") for item in tshark.packets(path)[-1][-1].find("perflibv2.path")] == [
        r"\\HOST\Set(x)\Errors = 5", r"\\HOST\Set(x)\State = 6"]


def test_catalog_holds_both_counters_of_one_id(tshark, tmp_path):
    """Records that follow each other are counters of one id, for a capture that does not tell them."""
    taught = Capture()
    peer = p.Peer(taught)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2), p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.registration(3, p.text("Set"))
    peer.registration(5, p.strings([(1, "Reads"), (2, "Errors"), (1, "State")]))
    taught.write(tmp_path / "taught.pcap")
    tmp_path.chmod(0o777)
    tshark.run(tmp_path / "taught.pcap", "-q", "-z", f"perflibv2,catalog,{tmp_path / 'known'}")
    records = (tmp_path / "known").read_text().splitlines()
    assert [record.split('","')[2:5] for record in records] == [
        ["1", "Reads", "PERF_COUNTER_RAWCOUNT"], ["1", "State", "PERF_COUNTER_LARGE_RAWCOUNT"], ["2", "Errors", "PERF_COUNTER_RAWCOUNT"]]
    capture = Capture()
    peer = p.Peer(capture)
    peer.mapped(H, p.identifier(p.NONE, "x"))
    peer.poll(H, p.data(p.block(2, p.multi_counters(IDS) + p.value(5) + p.value(6) + p.value(7, 8))))
    path = capture.write(tmp_path / "untaught.pcap")
    options = [option for record in records for option in ("-o", f"uat:perflibv2_counters:{record}")]
    assert [item.showname.strip("[]") for item in tshark.packets(path, *options)[-1][-1].find("perflibv2.path")] == [
        r"\\HOST\Set(x)\Reads = 5", r"\\HOST\Set(x)\Errors = 6", r"\\HOST\Set(x)\State = 7"]


def test_no_size_is_wrong(tshark, tmp_path):
    """A value of 4 bytes and one of 8, as the two counters of the id have: the peer is not blamed for the type of the other one."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2), p.counter(1, p.LARGE_RAWCOUNT)]))
    peer.mapped(H, p.identifier(p.NONE, "x"))
    for width in 4, 8:
        peer.poll(H, p.data(p.block(2, p.multi_counters(IDS) + p.value(1, width) + p.value(2) + p.value(3, 12 - width))))
    peer.poll(H, p.data(p.block(2, p.multi_counters(IDS) + p.value(1) + p.value(2, 8) + p.value(3, 8))))
    path = capture.write(tmp_path / "sizes.pcap")
    # The last one's counter 2 is wrong indeed.
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.rule.value_data_size") == [[[str(len(capture.frames))]]]


def test_catalog_of_two_servers_in_two_languages(tshark, tmp_path):
    """What both call counter 1 of a counterset of one counter is two names of one counter, not two counters."""
    taught = Capture()
    for address, name, counter in (("10.0.0.2", "Set", "Reads"), ("10.0.0.3", "Satz", "Lesen")):
        peer = p.Peer(taught, server=address)
        peer.registration(1, p.counterset([p.counter(1)]))
        peer.registration(3, p.text(name))
        peer.registration(5, p.strings([(1, counter)]))
    taught.write(tmp_path / "taught.pcap")
    tmp_path.chmod(0o777)
    tshark.run(tmp_path / "taught.pcap", "-q", "-z", f"perflibv2,catalog,{tmp_path / 'known'}")
    records = (tmp_path / "known").read_text().splitlines()
    assert [record.split('","')[1:4] for record in records] == [["Set", "1", "Reads"], ["Satz", "", ""], ["Satz", "1", "Lesen"]]
    capture = Capture()
    peer = p.Peer(capture)
    peer.mapped(H, p.identifier(1, "x"))
    peer.poll(H, p.data(p.block(1, p.value(5))))
    options = [option for record in records for option in ("-o", f"uat:perflibv2_counters:{record}")]
    packets = tshark.packets(capture.write(tmp_path / "untaught.pcap"), *options)
    assert [item.showname.strip("[]") for item in packets[-1][-1].find("perflibv2.path")] == [r"\\HOST\Satz(x)\Lesen = 5"]
