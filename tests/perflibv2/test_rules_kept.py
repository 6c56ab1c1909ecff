# SPDX-License-Identifier: GPL-2.0-or-later
"""Who keeps the rules of [MS-PCQ], or departs from them as practice allows, is accused of nothing, and one fault is one finding."""

import struct
import subprocess
import uuid

import pytest

from lib import perflibv2 as p
from lib.broken_rules import H, NAMES, ONE
from lib.captures import CAPTURES, options_for, recorded_captures
from lib.rules import RULES, SESSION, findings, findings_of_each, silent
from lib.some import some
from lib.tables import verdicts
from lib.wire import FAULT, Capture, lost

UNKNOWN_SET = uuid.UUID(int=p.SET.int + 7)


def good_session(capture, server="10.9.9.9"):
    """Keeps every rule of calls and buffers."""
    peer = p.Peer(capture, server=server)
    peer.enumerate(guids=(), in_size=0, out=0, needed=2, status=p.NOT_ENOUGH_MEMORY)
    peer.enumerate(guids=(p.SET, p.OTHER_SET))
    peer.teach()
    peer.teach()
    for code in (3, 4):
        peer.registration(code, p.text("name"), lcid=0x409)
    for code in (7, 9):
        peer.registration(code, p.text("name"))
    for code in (5, 6):
        peer.registration(code, p.strings(NAMES), lcid=0x409)
    peer.registration(10, p.strings(NAMES))
    peer.registration(2, p.COUNTERS[2], lcid=3)
    peer.registration(8, p.SET.bytes_le)
    peer.registration(1, p.counterset(p.COUNTERS[:1], guid=p.OTHER_SET, instance_type=0), guid=p.OTHER_SET)
    peer.instances(p.instance(""), guid=p.OTHER_SET)
    peer.instances(p.instance("one", 1), p.instance("one", 2), p.instance("other", 1))
    peer.instances(status=p.INSTANCE_NOT_FOUND)
    wanted = [p.identifier(1), p.identifier(4), p.identifier(p.NONE), p.identifier(2, "*"), p.identifier(p.NONE, "*", instance=p.NONE),
              p.identifier(2, "gone"), p.identifier(1, None, guid=p.OTHER_SET), p.identifier(2, "o")]
    peer.open(H)
    peer.mapped(p.query_handle(7), *wanted)
    ids = range(1, 9)
    widths = [4, 8, 4, 4, 8, 8, 8, 4]
    values = b"".join(p.value(7, width) for width in widths)
    blocks = [
        p.block(1, p.value() + bytes(16)),      # spare room
        p.block(1, p.value()),
        p.block(2, p.multi_counters(ids) + values),
        p.block(4, p.multi_instances([p.instance("o") + p.value(1, 8), p.instance("ot") + p.value(2, 8)])),
        p.block(6, p.multi_counters(ids) + p.multi_instances([p.instance("one") + values])),
        p.block(0, status=0xE8),
        p.block(1, p.value()),
        p.block(1, p.value(3, 8)),
    ]
    peer.poll(p.query_handle(7), b"", in_size=0, needed=1000, status=p.NOT_ENOUGH_MEMORY)
    peer.poll(p.query_handle(7), p.data(*blocks))
    peer.validate(p.query_handle(7), wanted[0], add=0)
    peer.validate(H, p.identifier(1, "no"), returned=p.identifier(1, "no", status=3))
    peer.registration(1, b"", guid=UNKNOWN_SET, status=p.GUID_NOT_FOUND)
    peer.validate(H, p.identifier(1, guid=UNKNOWN_SET), returned=p.identifier(1, guid=UNKNOWN_SET, status=p.GUID_NOT_FOUND))
    peer.close(H)
    peer.close(p.query_handle(7))
    peer.open(H)    # again, once it was closed


# What the peers of the bundled captures do on purpose, or because of what the capture is about (captures/README.md).
SESSION_WITH_ERRORS = {"request_code", "validate_room"}
ON_PURPOSE = {
    "tcp-session": SESSION_WITH_ERRORS,
    "smb2-session": SESSION_WITH_ERRORS,
    "big-endian": SESSION_WITH_ERRORS,
    "ndr64": SESSION_WITH_ERRORS,
    "spec-layout": SESSION_WITH_ERRORS,
    "handles": {"handle_after_close"},
    "faults-tcp": {"handle_after_close"},
    # One of its servers counts no padding in sizes, so that what follows is aligned at none; the other pads no array of ids.
    "sizes-without-padding": {"alignment", "value_size", "instance_size", "multi_instances_size"},
    "sealed-kerberos": {"auth_service"},    # [MS-PCQ] 2.1 knows SPNEGO and NTLM only
}


# What only a session that is sealed, or over SMB, can keep; and what only a broken call can be answered well to.
NOT_IN_CLEAR = SESSION | {"auth_service"}
ANSWERS = {
    "request_code_refused": "request_code",
    "validate_refused": "validate_room",
    "handle_refused": "handle_after_close",
    "short_identifier_refused": "identifier_size",
}


def test_good_session_keeps_every_rule(tshark, tmp_path):
    capture = Capture()
    good_session(capture)
    path = capture.write(tmp_path / "good.pcap")
    rows, (*_, last) = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert {rule for rule, row in rows.items() if row[1]} == SESSION
    assert set(RULES) - rows.keys() == {"auth_service", *ANSWERS}
    assert last == "no rule broken"
    assert not any(rules - SESSION for rules in findings(tshark, path).values())


PRECISION_OBJECT_TIMER, OBJ_TIME_QUEUELEN, MULTI_BASE, TEXT = 0x20670500, 0x00650500, 0x42030500, 0x00000B00


def test_what_practice_allows_breaks_no_rule(tshark, tmp_path):
    """Where the text is stricter, wrong or silent (RULES.md) nothing is broken."""
    capture = Capture()
    peer = p.Peer(capture)
    counters = [
        p.counter(1, PRECISION_OBJECT_TIMER, base=2),       # a base counter in place of a time
        p.counter(2, 0x40030500),
        p.counter(3, p.MULTI_TIMER, multi=4),
        p.counter(4, MULTI_BASE),
        p.counter(5, OBJ_TIME_QUEUELEN, time=6, freq=6),    # 4 bytes by the text, 8 by the bits of its type
        p.counter(6, p.LARGE_RAWCOUNT),
        p.counter(7, TEXT),                                 # of any size
        p.counter(8, p.SAMPLE_FRACTION, base=9),
        p.counter(9, p.SAMPLE_BASE),
    ]
    peer.registration(1, p.counterset(counters, instance_type=0))
    peer.registration(2, counters[7], lcid=8)               # its base is known from before
    names = [(number, f"counter {number}") for number in range(1, 10)]
    offsets = [sum(len(p.text(text)) for _, text in names[:number]) for number in range(9)]
    peer.registration(5, p.strings(names, offsets=[*offsets[:8], p.NONE]))      # no name
    peer.open(H)
    wanted = [p.identifier(5, None), p.identifier(5, "", raw=bytes(16), instance=1), p.identifier(7, None), p.identifier(5, None, instance=3)]
    peer.mapped(p.query_handle(2), *wanted)
    text = p.text("any")
    text = struct.pack("<II", len(text), 16) + text
    peer.poll(p.query_handle(2), p.data(p.block(1, p.value(1, 4)), p.block(1, p.value(1, 8)), p.block(1, text), p.block(0, status=2)))
    # The same counters with other status and index, as a server returns them.
    peer.validate(H, p.identifier(index=5), returned=p.identifier(index=0, status=0xB7))
    # A call that fails for reasons that are not listed, without names even.
    peer.registration(1, b"", status=0x7FFE)
    path = capture.write(tmp_path / "allowed.pcap")
    rows, (*_, last) = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert {rule for rule, row in rows.items() if row[1]} == SESSION | {"counter_type_listed", "return_code_listed"}
    assert last == "no rule broken"


def changed(buffer, at, size, number):
    return buffer[:at] + (number % (1 << 8 * size)).to_bytes(size, "little") + buffer[at + size :]


def wrong_numbers(buffer, places):
    """(place, buffer) with one of the numbers of 4 bytes at these places changed in every way that is likely to happen."""
    for at in places:
        (number,) = struct.unpack_from("<I", buffer, at)
        for wrong in {number + 1, number - 1, number + 4, number + 8, number - 8, number * 2, 0, 0x10000 + number, 0xFFFFFFFF} - {number}:
            yield (at, wrong & 0xFFFFFFFF), changed(buffer, at, 4, wrong)


def test_one_wrong_number_in_a_poll_is_one_finding(tshark, tmp_path):
    """Sizes and counts of structures of each kind: what follows them is not judged until a place that can be trusted."""
    blocks = [
        p.block(1, p.value(5)), p.block(2, p.multi_counters([1, 2, 3]) + b"".join(p.value(number) for number in (5, 6, 7))),
        p.block(4, p.multi_instances([p.instance(name) + p.value() for name in ("one", "three", "fifteen")])), p.block(0, status=0xE8),
        p.block(6, p.multi_counters([1, 2, 3]) + p.multi_instances([p.instance(name) + p.value(7) * 3 for name in ("one", "three")])), p.block(1, p.value(9)),
    ]
    wanted = [p.identifier(1), p.identifier(p.NONE), p.identifier(1, "*"), p.identifier(2), p.identifier(p.NONE, "*"), p.identifier(2)]
    begins = [48 + sum(map(len, blocks[:number])) for number in range(len(blocks))]
    second, third, fifth = begins[1] + 16, begins[2] + 16, begins[4] + 16
    places = [begin + 8 for begin in begins] + [begins[0] + 16, begins[0] + 20, second, second + 4, second + 24, second + 28, second + 44]
    places += [third, third + 4, third + 8, third + 24, third + 28, fifth, fifth + 4, fifth + 24, fifth + 28, fifth + 32, fifth + 48, fifth + 52]
    whole = p.data(*blocks)

    def session(content):
        def make(peer):
            peer.registration(1, p.counterset([p.counter(id) for id in (1, 2, 3)]))
            peer.mapped(H, *wanted)
            peer.poll(H, content)

        return make

    made = [("whole", session(whole)), *((what, session(content)) for what, content in wrong_numbers(whole, places))]
    found = findings_of_each(tshark, tmp_path / "wrong.pcap", made)
    assert found.pop("whole") == set()
    assert len(found) > 150
    assert {what: rules for what, rules in found.items() if len(rules) > 1} == {}
    # A size of _PERF_MULTI_COUNTERS may end in the padding.
    assert {what for what, rules in found.items() if not rules} == {(second, 23), (fifth, 23)}


def test_one_wrong_number_in_identifiers_and_instances_is_one_finding(tshark, tmp_path):
    names = ("one", "fifteen", "three")
    items = b"".join(map(p.instance, names))
    identifiers = b"".join(p.identifier(1, name) for name in names)

    def sent(content):
        def make(peer):
            peer.open(H)
            peer.validate(H, content, returned=content, status=p.INVALID_PARAMETER)

        return make

    ends = [0, len(p.instance("one")), len(p.instance("one") + p.instance("fifteen"))]
    made = [(("instance", *what), lambda peer, content=content: peer.instances(content)) for what, content in wrong_numbers(items, ends)]
    ends = [20, 20 + len(p.identifier(1)), 20 + len(p.identifier(1) + p.identifier(1, "fifteen"))]
    made += [(("identifier", *what), sent(content)) for what, content in wrong_numbers(identifiers, ends)]
    found = findings_of_each(tshark, tmp_path / "wrong.pcap", made)
    assert len(found) > 40
    assert {what: rules for what, rules in found.items() if len(rules) > 1} == {}


def test_what_the_text_leaves_open(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    for code in (3, 4, 7, 9):
        name = p.text("a name")
        peer.registration(code, name + bytes(-len(name) % 4))
        peer.registration(code, name + bytes(-len(name) % 8))
    peer.registration(8, b"", needed=0, status=p.NOT_ENOUGH_MEMORY)     # memory of the server's
    for code in (4, 6):
        peer.registration(code, b"")                # nothing is described
    peer.open(H)
    # Of sizes in requests no multiple is demanded, as long as structures are aligned.
    peer.validate(H, p.identifier(raw=p.text("a")), returned=p.identifier(raw=p.text("a"), status=p.INVALID_PARAMETER))
    # Its answer is not in the capture, so whether it was removed before it was added again is not known.
    peer.validate(H, p.identifier(1))
    peer.connection.call_id += 1
    peer.validate(H, p.identifier(1))
    silent(tshark, capture.write(tmp_path / "open.pcap"))


def test_same_identifier_twice_in_one_call(tshark, tmp_path):
    """ERROR_ALREADY_EXISTS is said of previous calls (3.1.4.1.7): where the server takes both, the query has two."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(1))
    peer.info(H, p.identifier(1), p.identifier(1, index=1))
    peer.poll(H, p.data(ONE, ONE))
    silent(tshark, capture.write(tmp_path / "twice.pcap"))


def test_changes_that_are_accepted_or_refused_rightly(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(2, "*"), p.identifier(p.NONE, "two"), p.identifier(3, None))
    again = p.identifier(1)
    peer.validate(H, again, returned=again[:16] + struct.pack("<I", 0xB7) + again[20:])
    # What these remove may have been added: another case, another id, a pattern, all counters, no name.
    for item in (p.identifier(1, "ONE", instance=7), p.identifier(2, "three"), p.identifier(4, "Two"), p.identifier(3, "any")):
        peer.validate(H, item, add=0)
    # One that was not added is refused; one is removed that the capture lacks the adding of.
    peer = p.Peer(capture, server="10.1.1.2")
    peer.open(H)
    peer.validate(H, p.identifier(9), add=0, returned=p.identifier(9, status=p.INVALID_PARAMETER))
    lost(capture, lambda: peer.validate(H, p.identifier(9)))
    peer.validate(H, p.identifier(9), add=0)
    # A counterset, and a counter, that came after they had been refused, or are refused; all counters are no counter.
    peer = p.Peer(capture, server="10.1.1.3")
    peer.registration(1, b"", status=p.GUID_NOT_FOUND)
    peer.open(H)
    peer.validate(H, p.identifier(1), returned=p.identifier(1, status=p.GUID_NOT_FOUND))
    peer.teach()
    peer.validate(H, p.identifier(1), p.identifier(p.NONE))
    peer.validate(H, p.identifier(99), returned=p.identifier(99, status=0x106A))
    peer.registration(1, p.counterset([*p.COUNTERS, p.counter(99)]))
    peer.validate(H, p.identifier(99))
    # The provider's GUID is what is not found; a later answer is lost; another server's refusal.
    peer = p.Peer(capture, server="10.1.1.4")
    peer.registration(8, b"", status=p.GUID_NOT_FOUND)
    peer.registration(1, b"", guid=p.OTHER_SET, status=p.GUID_NOT_FOUND)
    peer.call(1, peer.machine + p.OTHER_SET.bytes_le + struct.pack("<III", 1, 0, 4096))
    peer.open(H)
    peer.validate(H, p.identifier(1), p.identifier(1, guid=p.OTHER_SET))
    silent(tshark, capture.write(tmp_path / "changes.pcap"))


def test_who_asks_for_which_instances(tshark, tmp_path):
    """A wildcard's InstanceId says nothing; who gives no name asks for all where instances have none (2.2.4.1)."""
    capture = Capture()
    several = p.block(4, p.multi_instances([p.instance("one", 3) + p.value(), p.instance("two", 4) + p.value()]))
    unnamed = p.block(4, p.multi_instances([p.instance("", 3) + p.value(), p.instance("", 4) + p.value()]))
    cases = [
        (2, p.identifier(1, "*", instance=0), several), (2, p.identifier(1, "*", instance=3), several), (2, p.identifier(1, "*", instance=p.NONE), several),
        (4, p.identifier(1, None), unnamed), (0xC, p.identifier(1, None), unnamed), (4, p.identifier(1, ""), several), (None, p.identifier(1, None), unnamed),
        (0, p.identifier(1, "*"), ONE), (4, p.identifier(1, "*"), ONE), (0xC, p.identifier(1, "*"), ONE), (None, p.identifier(1, "*"), ONE),
        # The client breaks a rule, and its server none.
        (2, p.identifier(1, None), ONE), (6, p.identifier(1, None), several),
        (2, p.identifier(1, "one", instance=p.NONE), ONE),
    ]
    for number, (kind, item, block) in enumerate(cases):
        peer = p.Peer(capture, server=f"10.1.1.{number + 1}")
        if kind is not None:
            peer.teach(instance_type=kind)
        peer.mapped(H, item)
        peer.poll(H, p.data(block))
    silent(tshark, capture.write(tmp_path / "instances.pcap"), but={"identifier_name"})


def test_identifiers_added_again_after_they_were_removed(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    for add in (1, 0, 1, 0):
        peer.validate(H, p.identifier(1), add=add)
    peer.validate(H, p.identifier(1), p.identifier(1))      # twice in one call, of which the text says nothing
    silent(tshark, capture.write(tmp_path / "again.pcap"))


def test_instance_ids_that_the_server_resolves(tshark, tmp_path):
    """Any was asked for, the index map says which one it took; a map alone does not tell what was asked."""
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.open(H)
    peer.validate(H, p.identifier(1, "one", instance=p.NONE))
    peer.info(H, p.identifier(1, "one", instance=7))
    several = p.data(p.block(4, p.multi_instances([p.instance("one", 7) + p.value(), p.instance("one", 8) + p.value()])))
    peer.poll(H, several)
    peer = p.Peer(capture, server="10.1.1.2")
    peer.info(H, p.identifier(1, "one", instance=7))
    peer.poll(H, several)
    silent(tshark, capture.write(tmp_path / "resolved.pcap"))


def test_what_failed_answers_left_blames_nobody(tshark, tmp_path):
    """The part that fitted, or what happened to stand there."""
    capture = Capture()
    peer = p.Peer(capture)
    whole = p.counterset(p.COUNTERS)
    peer.registration(1, whole[:100], in_size=100, needed=len(whole), status=p.NOT_ENOUGH_MEMORY)
    peer.instances(p.instance("a name")[:12], in_size=12, needed=24, status=p.NOT_ENOUGH_MEMORY)
    peer.open(H)
    peer.validate(H, p.identifier(1))
    blocks = p.data(ONE, ONE)
    peer.poll(H, blocks[:70], in_size=70, needed=len(blocks), status=p.NOT_ENOUGH_MEMORY)
    for status in (p.GUID_NOT_FOUND, p.INSTANCE_NOT_FOUND):
        peer.instances(bytes(range(1, 80)), status=status)
    peer.registration(1, b"\xff" * 90, status=p.GUID_NOT_FOUND)
    peer.validate(H, p.identifier(2), returned=b"\xff" * 48, status=p.INVALID_PARAMETER)
    peer.open(H, status=14)      # the handle of the query that is open, say
    peer.info(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    silent(tshark, capture.write(tmp_path / "failed.pcap"))


def test_type_that_changes_later(tshark, tmp_path):
    """Values from before a counter's type changed are not judged by the type it has in the end."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(1))
    peer.poll(H, p.data(ONE))
    peer.registration(1, p.counterset([p.counter(1, p.LARGE_RAWCOUNT)]))
    silent(tshark, capture.write(tmp_path / "type.pcap"))


def test_offsets_are_told_of_once_a_server(tshark, tmp_path):
    capture = Capture()
    for server in ("10.1.1.1", "10.1.1.2"):
        for _ in range(2):
            peer = p.Peer(capture, server=server)
            peer.registration(5, p.strings(NAMES, base=0))
            peer.registration(6, p.strings(NAMES, base=0))
    rows, _ = verdicts(tshark.run(capture.write(tmp_path / "offsets.pcap"), "-q", "-z", "perflibv2,rules"))
    assert rows["strings_offset_base"][:2] == (2, 2)


def test_offsets_that_tell_no_base(tshark, tmp_path):
    """Where no counter has a string nothing can be seen; two counters may have one string."""
    capture = Capture()
    peer = p.Peer(capture, server="10.1.1.1")
    peer.registration(6, p.strings([(1, None), (2, None)], base=0))
    peer = p.Peer(capture, server="10.1.1.2")
    peer.registration(5, p.strings([(1, "Reads"), (2, "Writes"), (3, "Reads")], offsets=[0, 12, 0]))
    silent(tshark, capture.write(tmp_path / "offsets.pcap"))
    names = tshark.fields(tmp_path / "offsets.pcap", "perflibv2.counter.name", display_filter="perflibv2.counter.name")
    assert names == [[["Reads", "Writes", "Reads"]]]


def test_names_that_wrong_offsets_do_not_teach(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach(instance_type=0)
    peer.registration(5, p.strings([(1, "Reads"), (2, "Writes"), (3, "State"), (4, "Base")], offsets=[2, 13, 26, 38]))
    peer.mapped(H, p.identifier(1, None), p.identifier(2, None), p.identifier(3, None))
    peer.poll(H, p.data(ONE, p.block(1, p.value(5, 8)), ONE))
    path = capture.write(tmp_path / "taught.pcap")
    (paths,), = tshark.fields(path, "perflibv2.path", display_filter="perflibv2.path")
    assert [name.rsplit("\\", 1)[1] for name in paths] == ["counter 1", "counter 2", "State"]


def test_sample_base_of_nothing_sampled_yet_is_no_verdict(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.mapped(H, p.identifier(4))
    peer.poll(H, p.data(p.block(1, p.value(0))))
    peer.poll(H, p.data(ONE))
    rows, (*_, last) = verdicts(tshark.run(capture.write(tmp_path / "base.pcap"), "-q", "-z", "perflibv2,rules"))
    assert rows["sample_base"][:2] == (2, 1) and rows["sample_base"][3] == "departs"
    assert last == "no rule broken"


def test_snap_length_is_blamed_on_nobody(tshark, tmp_path):
    """The good session cut at every length, each time on another server."""
    capture = Capture()
    for length in range(60, 640):
        begin = len(capture.frames)
        good_session(capture, server=f"10.8.{length // 250}.{length % 250 + 1}")
        capture.frames[begin:] = [(data[:length], original) for data, original in capture.frames[begin:]]
    path = capture.write(tmp_path / "cut.pcap")
    for options in ((), ("-2",)):
        rows, (*_, last) = verdicts(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))
        assert {rule for rule, row in some(rows.items()) if row[1]} <= SESSION
        assert last == "no rule broken"


BUNDLED = [capture for capture in recorded_captures() if capture.parent == CAPTURES]
# What is missing of a sealed stub puts the keystream of all that follow out of step, so Wireshark decrypts them to rubbish.
CORRECT_IN_CLEAR = [capture for capture in BUNDLED if capture.stem not in ON_PURPOSE and not capture.stem.startswith("sealed")]


@pytest.mark.parametrize("length", [120, 400])
@pytest.mark.parametrize("bundled", CORRECT_IN_CLEAR, ids=[capture.stem for capture in CORRECT_IN_CLEAR])
def test_captures_of_correct_peers_cut(tshark, tmp_path, bundled, length):
    cut = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", str(length), bundled, cut], check=True)
    output = tshark.run(cut, *options_for(bundled), "-q", "-z", "perflibv2,rules")
    rows, (_, verdict, *_) = verdicts(output)
    # What was left out of it, and why, may be told behind the verdict.
    assert verdict.startswith("no rule"), [(rule, row) for rule, row in rows.items() if row[3] == "broken"]


def test_good_answers_to_bad_calls(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(11, b"", status=p.INVALID_PARAMETER)
    peer.registration(0, b"", status=p.ACCESS_DENIED)
    peer.open(H)
    peer.validate(H, bytes(39), status=p.INVALID_PARAMETER)
    short = {"name": None, "size": 39}
    peer.validate(H, p.identifier(**short), returned=p.identifier(status=p.INVALID_PARAMETER, **short))
    peer.close(H)
    peer.poll(H, b"", status=6)
    rows, (*_, last) = verdicts(tshark.run(capture.write(tmp_path / "answers.pcap"), "-q", "-z", "perflibv2,rules"))
    for answer, request in ANSWERS.items():
        assert rows[answer][1] == 0 and rows[answer][3] == "held"
        assert rows[request][1] > 0 and rows[request][3] == "broken"
    assert last == "4 rules broken"


def test_calls_that_are_refused_as_a_whole(tshark, tmp_path):
    """A fault refuses a call on a closed handle; an error of the call, an identifier that is too short."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.validate(H, p.identifier(name=None, size=32), status=p.INVALID_PARAMETER)
    peer.close(H)
    peer.poll(H)
    # nca_s_fault_context_mismatch ([C706] 12.6.4.7: alloc_hint, context, cancel count, status)
    peer.connection.pdu(FAULT, struct.pack("<IHBBII", 32, 0, 0, 0, 0x1C00001A, 0), peer.connection.call_id)
    rows, _ = verdicts(tshark.run(capture.write(tmp_path / "refused.pcap"), "-q", "-z", "perflibv2,rules"))
    for rule in ("handle_refused", "short_identifier_refused"):
        assert rows[rule] == (1, 0, 0, "held")


@pytest.mark.parametrize("name", ["sealed-smb2", "sealed-tcp", "sealed-spnego"])
def test_correct_peers_break_no_rule(tshark, name):
    capture = CAPTURES / f"{name}.pcapng"
    output = tshark.run(capture, *options_for(capture), "-q", "-z", "perflibv2,rules")
    rows, (*_, last) = verdicts(output)
    assert last == "no rule broken"
    assert all(row[3] != "broken" for row in some(rows.values()))
    assert rows["auth_level"][3] == "held" and rows["auth_service"][3] == "held"
    assert rows["transport"][3] == ("held" if name == "sealed-smb2" else "departs")
    # No warning, no error.
    assert not tshark.fields(
        capture, "frame.number", display_filter="perflibv2 && _ws.expert.severity >= 0x00600000", options=options_for(capture)
    )


@pytest.mark.parametrize("bundled", BUNDLED, ids=[capture.stem for capture in BUNDLED])
def test_bundled_captures_break_what_they_mean_to(tshark, bundled):
    output = tshark.run(bundled, *options_for(bundled), "-q", "-z", "perflibv2,rules")
    rows, (*_, last) = verdicts(output)
    on_purpose = ON_PURPOSE.get(bundled.stem, set())
    assert {rule for rule, row in rows.items() if row[3] == "broken"} == on_purpose
    assert last == ("no rule broken" if not on_purpose else f"{len(on_purpose)} rule{'s' * (len(on_purpose) > 1)} broken")


@pytest.mark.parametrize("more, instance_type", [((9,), 0), ((9,), 2), ((), 0)], ids=["both", "counters", "instances"])
def test_counterset_that_changes_is_judged_as_it_was(tshark, tmp_path, more, instance_type):
    """What instances and strings it had before is not judged by what it is in the end, nor the other way round."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    peer.instances(p.instance("a"), p.instance("b"))
    peer.registration(5, p.strings(NAMES))
    peer.registration(1, p.counterset([*p.COUNTERS, *map(p.counter, more)], instance_type=instance_type))
    peer.registration(5, p.strings([*NAMES, *((number, "More") for number in more)]))
    peer.open(H)
    peer.validate(H, p.identifier(1, None if instance_type == 0 else "a"))
    silent(tshark, capture.write(tmp_path / "changed.pcap"))
