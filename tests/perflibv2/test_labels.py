# SPDX-License-Identifier: GPL-2.0-or-later
"""What lines of the tree say while they are collapsed."""

import re

from lib import perflibv2 as p
from lib.captures import CAPTURES, record_of
from lib.named_query import session
from lib.some import some

SESSION = CAPTURES / "tcp-session.pcapng"
WATCH = ["-o", 'uat:perflibv2_watch:"cpu","\\x5cProcessor Information(_Total)\\x5c% Processor Time"']


def polls():
    """Frame -> (lpData's size, its blocks) of each poll with values."""
    calls = record_of(SESSION)["calls"]
    found = {call["response_frame"]: (call["response"]["pdwOutSize"], call["response"]["lpData"]["blocks"])
             for call in calls if call["opnum"] == 6 and (call.get("response") or {}).get("lpData", {}).get("blocks")}
    assert len(found) > 3
    return found


def lines(tshark, frame, *options):
    text = tshark.run(SESSION, "-2", "-O", "perflibv2", "-Y", f"frame.number == {frame}", *options)
    return [line.strip() for line in text.splitlines()]


def test_labels_of_a_poll_say_how_much_of_what(tshark):
    """The protocol, lpData, its header and each block: how much of what."""
    for frame, (size, blocks) in some(polls().items()):
        found = lines(tshark, frame)
        count = f"{len(blocks)} block" + ("s" if len(blocks) != 1 else "")
        (protocol,) = [line for line in found if line.startswith("Performance Counter Query Protocol")]
        assert re.fullmatch(rf"Performance Counter Query Protocol, QueryCounterData, query \d+, .*, {count}, {size} bytes", protocol)
        assert f"lpData: {size} bytes, {count}" in found
        assert any(re.fullmatch(rf"Data header, {count}, taken at 2026-03-02 08:00:\d\d\.\d{{3}} UTC", line) for line in found)
        for number, block in enumerate(blocks):
            (line,) = [line for line in found if line.startswith(f"Block {number}: ")]
            instances = len(block.get("instances") or [])
            if block.get("instances") is not None:
                assert re.search(rf"\(\*\)\\.+, {instances} instances?(, \d+ counters?)?$", line), line
                assert not line.startswith(f"Block {number}: PERF_")


def test_a_block_of_several_values(tshark):
    found = lines(tshark, 200)
    assert r"Block 3: Processor Information(*)\Interrupts/sec, 4 instances" in found
    assert r"Block 4: Processor Information\*, 31 counters" in found


def test_labels_of_other_answers_count_identifiers(tshark):
    (call,) = [call for call in record_of(SESSION)["calls"] if call["response_frame"] == 186]
    identifiers = len(call["response"]["lpData"]["identifiers"])
    assert f"lpData: {call['response']['pdwOutSize']} bytes, {identifiers} identifiers" in lines(tshark, 186)


def test_a_watched_value_has_its_unit(tshark):
    """11.000 % by the record, of one that is 11.0000093."""
    line = r"[Watched: cpu: 11.000 % (\\WIN-PERF01\Processor Information(_Total)\% Processor Time)]"
    assert line in lines(tshark, 200, *WATCH)
    ((value,),) = tshark.fields(SESSION, "perflibv2.watch.cpu", display_filter="frame.number == 200", options=["-2", *WATCH])
    assert 11 < float(value[0]) < 11.00002


def test_a_block_is_a_field(tshark):
    """So that Apply as Column and Apply as Filter work on its line: whatever is looked at, it says the same."""
    seen = [line.split(": ", 1)[1] for line in lines(tshark, 200) if re.match(r"Block \d+: ", line)]
    ((alone,),) = tshark.fields(SESSION, "perflibv2.block", display_filter="frame.number == 200", options=["-2"])
    # Wireshark 4.4 doubles backslashes in a column of fields.
    assert len(alone) == 11 and [re.sub(r"\\+", "/", text) for text in alone] == [re.sub(r"\\+", "/", text) for text in seen]
    wanted = 'perflibv2.block == "\\\\\\\\WIN-PERF01\\\\Processor Information(_Total)\\\\% Processor Time = 11.000 %"'
    assert tshark.fields(SESSION, "frame.number", display_filter=wanted, options=["-2"]) == [[["200"]]]


def test_a_line_of_239_bytes_is_whole(tshark, tmp_path):
    """Wireshark shows no more of a line: a longer one is cut at the end, and says so."""
    labels = [f'Identifier {number}: First, Reads, instance "' + str(number) * (length - 39) + '"' for number, length in enumerate(range(236, 243))]
    assert [len(label) for label in labels] == list(range(236, 243))
    capture, _ = session(*(p.identifier(1, re.search('"(.*)"', label)[1]) for label in labels))
    text = tshark.run(capture.write(tmp_path / "long.pcap"), "-O", "perflibv2", "-Y", "perflibv2.opnum == 7 && dcerpc.pkt_type == 0")
    found = [line.strip() for line in text.splitlines() if line.strip().startswith("Identifier ")]
    assert [(line, len(line.encode())) for line in found[:4]] == [(label, len(label)) for label in labels[:4]]
    for line, label in zip(found[4:], labels[4:], strict=True):
        assert line.endswith(("...", "\u2026")) and label.startswith(line.rstrip(".\u2026")) and len(line.encode()) == 239
