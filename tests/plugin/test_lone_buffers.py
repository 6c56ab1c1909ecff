# SPDX-License-Identifier: GPL-2.0-or-later
"""A buffer by itself, given to a dissector by name: what is read of it in its call, at the same places."""

import struct

import pytest

from lib import perflibv2 as p
from lib.cases import lines_of
from lib.pcap import write_pcap
from lib.perfdata import Peer as RegistryPeer
from lib.perfdata import built, crafted
from lib.rules import findings
from lib.some import some
from lib.wire import Capture
from perfdata.block import Builder, Counter, Instance, Object, names

# LINKTYPE_WIRESHARK_UPPER_PDU, and its tag that names a dissector.
UPPER_PDU, DISSECTOR = 252, 12
H = p.query_handle(1)


def write_alone(path, dissector, *buffers, lengths=()):
    """lengths: how many bytes of each buffer there were before a snap length cut it."""
    name = dissector.encode()
    name += bytes(-len(name) % 4)
    tags = struct.pack(">HH", DISSECTOR, len(name)) + name + bytes(4)
    return write_pcap(path, [(number * 1_000_000, tags + buffer, *(len(tags) + length for length in lengths[number:number + 1]))
                             for number, buffer in enumerate(buffers)], UPPER_PDU)


def lines(item, below):
    """What is shown below an item, without expert items, which a call has more of, and without what a call tells."""
    shown = [line for child in item.children for line in lines_of(child, below)]
    return [line for line in shown if not line.strip().startswith(("! ", "perflibv2.broken_rule", "perflibv2.block.link"))]


ROWS = [p.instance(name, id) + p.value(5) + p.value(6, 8) for id, name in enumerate(("one", "three", "fifteen"))]
DATA = p.data(p.block(1, p.value(5)), p.block(2, p.multi_counters([1, 2, 9]) + p.value(5) * 3), p.block(0, status=0x1069),
              p.block(6, p.multi_counters([1, 2]) + p.multi_instances(ROWS)), p.block(9, bytes(8)))
BUFFERS = {
    "perflibv2.data": (DATA, lambda peer: peer.poll(H, DATA)),
    "perflibv2.instances": (b"".join((p.instance("a", 7), p.instance("longer", 8))), lambda peer: peer.instances(p.instance("a", 7), p.instance("longer", 8))),
    "perflibv2.counterset": (p.counterset(p.COUNTERS), lambda peer: peer.registration(1, p.counterset(p.COUNTERS))),
    "perflibv2.strings": (p.strings([(1, "Reads"), (2, None), (9, "")]), lambda peer: peer.registration(5, p.strings([(1, "Reads"), (2, None), (9, "")]))),
    "perflibv2.identifiers": (p.identifier(1, "x", status=3) + p.identifier(p.NONE, "*"),
                              lambda peer: peer.validate(H, p.identifier(1, "x", status=3), p.identifier(p.NONE, "*"))),
}


TITLES = {"perflibv2.data": "Counter data", "perflibv2.instances": "Instances", "perflibv2.counterset": "Counterset",
          "perflibv2.strings": "Counter strings", "perflibv2.identifiers": "Counter identifiers"}


@pytest.mark.parametrize("name", BUFFERS)
def test_a_buffer_alone_says_its_kind_in_the_list_and_the_tree(tshark, tmp_path, name):
    path = write_alone(tmp_path / "alone.pcap", name, BUFFERS[name][0])
    ((protocol,), (info,)), = tshark.fields(path, "_ws.col.Protocol", "_ws.col.Info", display_filter="perflibv2")
    assert protocol == "PerflibV2" and info.partition(",")[0] == TITLES[name]
    (packet,) = tshark.packets(path, display_filter="perflibv2")
    (alone,) = [layer for layer in packet if layer.name == "perflibv2"]
    assert f", {TITLES[name]}" in alone.showname


COUNTS = {"perflibv2.data": "5 blocks", "perflibv2.instances": "2 instances", "perflibv2.counterset": f"{len(p.COUNTERS)} counters",
          "perflibv2.strings": "3 strings", "perflibv2.identifiers": "2 identifiers"}


def test_a_buffer_alone_says_how_much_it_holds(tshark, tmp_path):
    """One of each thing, several, and nothing."""
    ones = {"perflibv2.data": (p.data(p.block(1, p.value())), "1 block"), "perflibv2.instances": (p.instance("a", 7), "1 instance"),
            "perflibv2.counterset": (p.counterset(p.COUNTERS[:1]), "1 counter"), "perflibv2.strings": (p.strings([(1, "Reads")]), "1 string"),
            "perflibv2.identifiers": (p.identifier(1), "1 identifier")}
    empty = {"perflibv2.data": p.data(), "perflibv2.counterset": p.counterset([]), "perflibv2.strings": p.strings([])}
    for name in some(BUFFERS, 5):
        buffers = [BUFFERS[name][0], ones[name][0], *([empty[name]] if name in empty else [])]
        expected = [f"{TITLES[name]}, {COUNTS[name]}", f"{TITLES[name]}, {ones[name][1]}", *([TITLES[name]] if name in empty else [])]
        path = write_alone(tmp_path / f"{name}.pcap", name, *buffers)
        assert tshark.fields(path, "_ws.col.Info", display_filter="perflibv2") == [[[text]] for text in expected]


# A buffer of each kind that breaks one rule, and the rule.
BROKEN = {"perflibv2.instances": (p.instance("a", 7) * 2, "instance_unique"), "perflibv2.counterset": (p.counterset(p.COUNTERS, type=1), "counterset_type"),
          "perflibv2.strings": (p.strings([(1, "Reads")]) + bytes(8), "strings_size"), "perflibv2.identifiers": (p.identifier(1, reserved=1), "identifier_reserved")}


def test_each_kind_of_a_buffer_alone_is_judged(tshark, tmp_path):
    for name, (buffer, rule) in some(BROKEN.items(), 4):
        assert rule in findings(tshark, write_alone(tmp_path / f"{name}.pcap", name, buffer))[1], name
        assert findings(tshark, write_alone(tmp_path / f"{name}-kept.pcap", name, BUFFERS[name][0])) == {1: set()}, name


@pytest.mark.parametrize("name", BUFFERS)
def test_a_buffer_alone_is_read_as_in_its_call(tshark, tmp_path, name):
    buffer, call = BUFFERS[name]
    capture = Capture()
    frame = call(p.Peer(capture))[1]
    packets = tshark.packets(capture.write(tmp_path / "call.pcap"), display_filter=f"frame.number == {frame}")
    (within,) = [layer.first("perflibv2.lpdata") for layer in packets[0] if layer.name == "perflibv2"]
    (packet,) = tshark.packets(write_alone(tmp_path / "alone.pcap", name, buffer), display_filter="perflibv2")
    (alone,) = [layer for layer in packet if layer.name == "perflibv2"]
    expected = lines(within, within.position)
    assert len(expected) > 8
    assert lines(alone, alone.position) == expected


@pytest.mark.parametrize("buffer, rules", [
    (p.data(p.block(1, p.value(), reserved=1)), ["block_reserved"]),
    (p.data(p.block(1, p.value()), freq=0), ["perf_freq"]),
    (p.data(p.block(1, p.value())), []),
], ids=["reserved", "frequency", "good"])
def test_a_buffer_alone_is_judged_by_what_it_holds(tshark, tmp_path, buffer, rules):
    assert findings(tshark, write_alone(tmp_path / "alone.pcap", "perflibv2.data", buffer)) == {1: set(rules)}


def test_a_buffer_alone_teaches_nothing(tshark, tmp_path):
    """Names of a list of strings are not those of a counterset that comes after it."""
    path = write_alone(tmp_path / "strings.pcap", "perflibv2.strings", p.strings([(1, "Reads")]), p.strings([(1, "Reads")]))
    assert tshark.fields(path, "perflibv2.counter.name", "perflibv2.learned_in") == [[["Reads"], []]] * 2


def test_a_buffer_that_ends_anywhere_shows_no_item_beyond_its_end(tshark, tmp_path):
    path = write_alone(tmp_path / "cut.pcap", "perflibv2.data", *(DATA[:end] for end in range(1, len(DATA))))
    packets = tshark.packets(path, display_filter="perflibv2")
    for end, packet in some(enumerate(packets, 1), len(DATA) - 1):
        (layer,) = [layer for layer in packet if layer.name == "perflibv2"]
        assert [item.name for item in layer.walk() if item.size > 0 and item.position + item.size > layer.position + end] == [], end


@pytest.mark.parametrize("name", BUFFERS)
def test_a_buffer_alone_that_was_not_captured_whole_is_short_and_not_malformed(tshark, tmp_path, name):
    """No peer is blamed for a truncated frame. Padding may follow the last member; if only that is missing, the buffer is complete."""
    buffer = BUFFERS[name][0]
    path = write_alone(tmp_path / "snapped.pcap", name, *(buffer[:there] for there in range(1, len(buffer) + 1)), lengths=[len(buffer)] * len(buffer))
    short, malformed, broken = ([int(frame) for ((frame,),) in tshark.fields(path, "frame.number", display_filter=what)]
                                for what in ("_ws.short", "_ws.malformed", "perflibv2.broken_rule"))
    assert short[:len(buffer) - 9] == list(range(1, len(buffer) - 8)) and len(buffer) not in short
    # The type of DATA's last block is none.
    assert malformed == [] and (broken == [] or name == "perflibv2.data")


BLOCK = built(Object(230, [Counter(6, "PERF_COUNTER_RAWCOUNT"), Counter(8, "PERF_COUNTER_LARGE_RAWCOUNT")],
                     [Instance("one", [1, 2]), Instance("two", [3, 4])]))


def test_a_block_alone_is_read_as_in_its_answer(tshark, tmp_path):
    peer = RegistryPeer()
    frame = peer.query("Global", BLOCK)[1]
    packets = tshark.packets(peer.write(tmp_path / "answer.pcapng"), display_filter=f"frame.number == {frame}")
    within = next(item for layer in packets[0] if (item := layer.first("perfdata.data_block")))
    (packet,) = tshark.packets(write_alone(tmp_path / "alone.pcap", "perfdata.block", BLOCK), display_filter="perfdata")
    alone = next(item for layer in packet if (item := layer.first("perfdata.data_block")))
    expected = lines(within, within.position)
    assert len(expected) > 80 and lines(alone, alone.position) == expected


def test_a_list_of_names_alone_is_read(tshark, tmp_path):
    path = write_alone(tmp_path / "names.pcap", "perfdata.block", names([(1, "1847"), (2, "System"), (4, "Memory")]))
    assert tshark.fields(path, "perfdata.title.index", "perfdata.title.name") == [[["1", "2", "4"], ["1847", "System", "Memory"]]]


@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one-pass", "two-pass"])
def test_a_block_alone_says_what_it_holds_and_its_machine(tshark, tmp_path, options):
    """Whole lines. Two machines have one address here, or none: which of them a block without a name is of is not known."""
    def block(machine, values=2):
        return Builder(machine, crafted.clock(1), [Object(999, [Counter(6, "PERF_COUNTER_RAWCOUNT")], [Instance(str(at), [at]) for at in range(values)])]).data

    whole = block("PC")
    one, header = block("OTHER", 1), Builder("PC", crafted.clock(1), []).data
    lists = [names([(1, "1847"), (2, "System")]), names([(1, "1847")]), b"", b"P", whole[:4]]
    buffers = [whole, one, block(""), whole, header, *lists]
    path = write_alone(tmp_path / "alone.pcap", "perfdata.block", *buffers)
    rows = tshark.fields(path, "_ws.col.Protocol", "_ws.col.Info", "perfdata.path", "data", options=options)
    texts = ["1 object, 2 values", "1 object, 1 value", "1 object, 2 values", "1 object, 2 values", "0 objects, 0 values"]
    texts = [f"Performance data: {text}" for text in texts] + [f"Names of title indexes: {text}" for text in
                                                              ("2 entries", "1 entry", "0 entries", "0 entries", "0 entries")]
    assert [row[1] for row in rows] == [[f"{text}, {len(buffer)} bytes"] for text, buffer in zip(texts, buffers, strict=True)]
    assert all(row[0] == ["PerfData"] and row[3] == [] for row in some(rows))
    # Without a machine's name a path begins with the object, [MS-PLA] 2.2.10.
    begins = [["\\\\PC\\"] * 2, ["\\\\OTHER\\"], ["\\"] * 2, ["\\\\PC\\"] * 2, *[[]] * 6]
    # From 4.4 on -T fields writes a backslash as two.
    written = "\\" if tshark.version == (4, 0) else "\\\\"
    assert [[text.partition("999")[0].replace(written, "\\") for text in row[2]] for row in rows] == begins
