# SPDX-License-Identifier: GPL-2.0-or-later
"""
Answers that come in parts, of which the capture lacks one: what does not belong together is not read, and nobody is blamed.

With PERFLIB_EVERY_FRAME each frame of every capture with SMB2 is left out in turn, which takes long; else those around split READs.
"""

import os
import re
import struct
from collections import defaultdict
from xml.etree import ElementTree

import pytest

from lib import lossy
from lib.captures import CAPTURES, REPOSITORY, all_captures, options_for
from lib.lossy_sessions import broken_in, frame_and
from lib.pcap import ETHERNET, write_pcap
from lib.some import some
from lib.tables import verdicts
from lib.wire import Capture, handle, string

RULES = sorted(set(re.findall(r'"perflibv2\.rule\.(\w+)"', (REPOSITORY / "plugin" / "perflibv2" / "rules" / "list.h").read_text())))
SENT = ["perflibv2.value", "perfdata.value", "perflibv2.return_code"]
VALUES = [*SENT, "perflibv2.path", "perfdata.path"]
# As many variants in one run.
AT_ONCE = 60
# One variant in so many goes on to the end of the session, the others so many frames behind what is left out.
TO_ITS_END, BEHIND = 4, 60
EVERY = bool(os.environ.get("PERFLIB_EVERY_FRAME"))
# Name, bytes of the client's buffer and of each READ (None: as it is), whether both ends have addresses of their own: in
# clear and sealed, PerflibV2 and the older API.
CASES = [
    ("smb2-overflow", None, False), ("smb2-overflow", None, True), ("smb2-overflow", (300, 200), False), ("both-apis", (1024,), True), ("perfdata-samba", (500, 300), True),
    ("perfdata-samba-sealed", (1024,), False), ("sealed-two-pipes", (500, 300), True), ("sealed-spnego-smb2", (1024,), False),
]
if EVERY:
    SMB2 = [capture.stem for capture in all_captures() if capture.parent == CAPTURES and b"\xfeSMB" in capture.read_bytes()]
    CASES += [(name, split, apart) for name in SMB2 for split in (None, (1024,), (500, 300)) for apart in (False, True)]


def messages(frames):
    """Which frames carry part of an answer, and the READs that fetch the rest."""
    parts = set()
    for number, (_, frame) in enumerate(frames):
        at = lossy.smb2_of(frame)
        if at is not None and struct.unpack_from("<I", frame, at + 8)[0] == lossy.OVERFLOW:
            parts.add(number)
    return parts


@pytest.mark.parametrize("name, split, apart", CASES)
def test_one_missing_frame_breaks_no_rule(tshark, folder, name, split, apart):
    """No rule is broken that the whole keeps, and no value shown that the whole lacks."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)
    if split:
        frames = lossy.split_reads(frames, *split)
    numbers = range(len(frames)) if EVERY else sorted(
        {n for part in sorted(messages(frames))[:8] for n in range(part - 1, part + 5) if n < len(frames)})
    assert numbers
    path = folder / "variants.pcap"
    rows, _ = verdicts(tshark.run(write_pcap(folder / "whole.pcap", frames, ETHERNET), *options_for(capture), "-q", "-z", "perflibv2,rules"))
    keeps = [rule for rule in RULES if rule not in rows or rows[rule][1] == 0]
    fields = ["frame.time_epoch", "ip.src", "ip.dst", *SENT, frame_and(keeps)]
    for begin in range(0, len(numbers), AT_ONCE):
        left_out = numbers[begin : begin + AT_ONCE]
        ends = [None if EVERY or at % TO_ITS_END == 0 else n + BEHIND for at, n in enumerate(left_out)]
        lossy.write(path, [frames, *(frames[:n] + frames[n + 1 : end] for n, end in zip(left_out, ends))], apart)
        found = defaultdict(lambda: defaultdict(list))
        for time, source, destination, *row in tshark.fields(path, *fields, display_filter="dcerpc", options=options_for(capture), short=True):
            found[lossy.variant_of(source, destination)][time[0]].append(row)
        whole = found[lossy.address_of(0)]
        assert sum(len(row[0]) + len(row[1]) for rows in whole.values() for row in rows)
        for variant, number in enumerate(left_out, 1):
            rows = found[lossy.address_of(variant)]
            for time, each in rows.items():
                for frame, *broken in (row[-1] for row in each):
                    assert not broken, f"without frame {number + 1}: {broken_in(tshark, path, frame, options_for(capture))}"
                for column, name in enumerate(SENT):
                    shown, sent = ([cell for row in known for cell in row[column]] for known in (each, whole[time]))
                    assert not shown or shown == sent, f"without frame {number + 1}: {name} at {time}"


@pytest.mark.parametrize("name", ["sealed-smb2", "sealed-two-pipes", "perfdata-samba", "perfdata-samba-sealed", "smb2-session", "faults-smb2"])
def test_torn_reads_are_read_as_one(tshark, folder, name):
    """Parts that belong together are read as if they had come at once."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)
    whole, *split = (write_pcap(folder / f"{number}.pcap", given, ETHERNET)
                     for number, given in enumerate([frames, lossy.split_reads(frames, 1024), lossy.split_reads(frames, 500, 300)]))
    for passes in ([], ["-2"]):
        def read(path):
            rows = tshark.fields(path, *VALUES, "perflib_session.refused", options=[*options_for(capture), *passes])
            return [row for row in rows if any(row)]

        sent = read(whole)
        assert sent and all(read(path) == sent for path in some(split))


def test_wrong_part_is_told_where_it_comes(tshark, folder):
    """In both passes, where the wrong part comes."""
    capture = CAPTURES / "perfdata-samba.pcapng"
    frames = lossy.split_reads(lossy.frames_of(capture, folder), 500, 300)
    part = sorted(messages(frames))[0]
    path = write_pcap(folder / "torn.pcap", frames[: part + 2] + frames[part + 3 :], ETHERNET)
    found = [tshark.fields(path, "frame.number", "_ws.expert.message", "_ws.col.Protocol", "_ws.col.Info", display_filter="perflib_session.refused",
                           options=passes) for passes in ([], ["-2"])]
    assert found[0] == found[1] and len(found[0]) == 1
    ((_, texts, (protocol,), (info,)),) = found[0]
    assert any("a part of it is not in the capture" in text for text in texts)
    assert protocol == "DCERPC" and re.search(r"\[not read: .*a part of it is not in the capture.*\]", info)


def answers(frames, port):
    """Frames from that port that are one sealed answer in one fragment."""
    for number, (_, frame) in enumerate(frames):
        tcp, at = lossy.tcp_of(frame)
        if struct.unpack_from(">H", frame, tcp) == (port,) and frame[at : at + 4] == b"\5\0\2\3" and len(frame) - at == struct.unpack_from("<H", frame, at + 8)[0]:
            yield number, at


@pytest.mark.parametrize("member, by", [(0, 1), (1, -1), (4, 1)], ids=["type", "level", "context"])
def test_another_context_than_the_requests(tshark, folder, member, by):
    """One answer in ten says that something else sealed it: [MS-RPCE] 2.2.2.11. It is not read, the others are."""
    capture = CAPTURES / "sealed-tcp.pcapng"
    frames = lossy.frames_of(capture, folder)
    (port,) = {struct.unpack_from(">H", frame, lossy.tcp_of(frame)[0])[0] for _, frame in frames
               if frame[lossy.tcp_of(frame)[1] :][:3] == b"\5\0\2"}
    changed = list(frames)
    numbers = list(answers(frames, port))[5::10]
    assert numbers
    for number, _ in numbers:
        time, frame = frames[number]
        altered = bytearray(frame)
        altered[len(frame) - 16 - 8 + member] += by
        changed[number] = (time, bytes(altered))
    path = write_pcap(folder / "changed.pcap", changed, ETHERNET)
    for passes in ([], ["-2"]):
        whole, found = (
            {int(row[0][0]): row[1:] for row in
             tshark.fields(file, "frame.number", "perflibv2.return_code", "perflibv2.value", display_filter="dcerpc || perflib_session.refused", options=[*options_for(capture), *passes])}
            for file in (write_pcap(folder / "whole.pcap", frames, ETHERNET), path))
        refused = {int(row[0][0]) for row in tshark.fields(path, "frame.number", display_filter="perflib_session.refused", options=[*options_for(capture), *passes])}
        assert refused == {number + 1 for number, _ in numbers}
        assert all(found[number] == whole[number] for number in some(number for number in whole if number not in refused))
        assert not any(any(found.get(number, [])) for number in refused)


def test_an_answer_in_clear_to_a_sealed_request(tshark, folder):
    """What nobody sealed is not the answer, whatever stands in it."""
    capture, clear = CAPTURES / "sealed-tcp.pcapng", CAPTURES / "tcp-session.pcapng"
    frames, others = (lossy.frames_of(each, folder) for each in (capture, clear))

    def server(given):
        return {struct.unpack_from(">H", frame, lossy.tcp_of(frame)[0])[0] for _, frame in given if frame[lossy.tcp_of(frame)[1] :][:3] == b"\5\0\2"}.pop()

    number, at = list(answers(frames, server(frames)))[3]
    other, other_at = list(answers(others, server(others)))[3]
    body = bytearray(others[other][1][other_at:])
    body[12:16] = frames[number][1][at + 12 : at + 16]      # the call's number
    frame = bytearray(frames[number][1][:at] + body)
    struct.pack_into(">H", frame, lossy.ETHERNET_HEADER + 2, len(frame) - lossy.ETHERNET_HEADER)
    changed = lossy.in_sequence(frames[:number] + [(frames[number][0], bytes(frame))] + frames[number + 1 :])
    path = write_pcap(folder / "clear.pcap", changed, ETHERNET)
    for passes in ([], ["-2"]):
        rows = tshark.fields(path, "frame.number", "perflibv2.return_code", display_filter="perflib_session.refused", options=[*options_for(capture), *passes])
        assert rows == [[[str(number + 1)], []]]
    # The note marks the whole PDU: [C706] 12.6.3.1, frag_length.
    pdml = ElementTree.fromstring(tshark.run(path, *options_for(capture), "-T", "pdml", "-Y", "perflib_session.refused"))
    (note,) = [item for item in pdml.iter("field") if item.find("./field/field[@name='perflib_session.refused']") is not None]
    assert (int(note.get("pos")), int(note.get("size"))) == (at, struct.unpack_from("<H", body, 8)[0])


def test_end_of_a_fragment_is_missing(tshark, folder):
    """
    Each fragment of an answer comes by READs of its own: without the last of one, what begins the next fragment of the same
    answer would fill it. It is refused, and no rule is broken that the whole keeps.
    """
    frames = lossy.split_reads(lossy.frames_of(CAPTURES / "smb2-session.pcapng", folder), 1024, 1024)
    # RESPONSE, flags without that of the first fragment; the answer to the READ before it ended the fragment before.
    later = [number for number, (_, frame) in enumerate(frames)
             if re.match(rb"\x05\x00\x02[\x00\x02]\x10\x00\x00\x00", frame[(lossy.smb2_of(frame) or 0) + lossy.SMB2_HEADER + 16 :])]
    ends = [number - 2 for number in later if frames[number - 2][1][lossy.smb2_of(frames[number - 2][1]) + 16] & 1]
    assert len(ends) > 2
    path = folder / "variants.pcap"
    lossy.write(path, [frames, *(frames[:n] + frames[n + 1 :] for n in ends)])
    found = defaultdict(list)
    for source, destination, *row in tshark.fields(path, "ip.src", "ip.dst", "perflib_session.refused", *(f"perflibv2.rule.{rule}" for rule in RULES),
                                                   display_filter="dcerpc || perflib_session.refused"):
        found[lossy.variant_of(source, destination)].append(row)

    def broken(variant):
        return {rule for row in found[lossy.address_of(variant)] for rule, cell in zip(RULES, row[1:]) if cell}

    for variant in range(1, len(ends) + 1):
        assert any(row[0] for row in found[lossy.address_of(variant)])
        assert broken(variant) <= broken(0)


def test_a_burst_is_missing(tshark, folder):
    """
    From the rest of a poll to the beginning of the next one, which is as long: the READ that asked for the rest was never
    answered, and what another one brings is not taken for it.
    """
    frames = lossy.frames_of(CAPTURES / "smb2-overflow.pcapng", folder)
    parts = sorted(messages(frames))
    bursts = [(part, later) for part, later in zip(parts, parts[1:]) if later - part <= 8 and len(frames[part][1]) == len(frames[later][1])]
    assert bursts
    path = folder / "variants.pcap"
    lossy.write(path, [frames, *(frames[: part + 2] + frames[later + 1 :] for part, later in bursts)])
    found = defaultdict(lambda: defaultdict(list))
    for time, source, destination, values, refused in tshark.fields(
            path, "frame.time_epoch", "ip.src", "ip.dst", "perflibv2.value", "perflib_session.refused", display_filter="dcerpc || perflib_session.refused"):
        found[lossy.variant_of(source, destination)][time[0]].append((values, refused))
    whole = found[lossy.address_of(0)]
    for variant in range(1, len(bursts) + 1):
        rows = found[lossy.address_of(variant)]
        assert any(refused for each in rows.values() for _, refused in each)
        for time, each in rows.items():
            shown, sent = ([value for values, _ in known for value in values] for known in (each, whole[time]))
            assert not shown or shown == sent


@pytest.mark.parametrize("passes", [(), ("-2",)])
def test_segments_end_within_a_header(tshark, folder, passes):
    """
    TCP cuts its stream where it likes: also within the common header of a PDU, 16 bytes ([C706] 12.6.3.1), behind the whole of
    the one before, which began in that segment or in an earlier one.
    """
    capture, sent = Capture(), []
    for tail in range(2, 16):
        for earlier in ((), (100,)):
            connection = capture.connection(fragment=200)
            sent.append(f"{tail}-{len(earlier)}-" + 150 * "M")
            with connection.in_one_frame(*earlier, 224 + tail):     # a header of 24 bytes and 200 of the stub
                connection.call(3, string(sent[-1]))
            connection.response(handle(tail) + bytes(4))
    path = capture.write(folder / "torn.pcap")
    machines = tshark.fields(path, "perflibv2.machine", display_filter="perflibv2.machine", options=passes)
    assert [name for (names,) in machines for name in names] == sent
    assert len(tshark.fields(path, "frame.number", display_filter="perflibv2.opnum == 3 && perflibv2.return_code == 0", options=passes)) == len(sent)


def in_two_writes(frames, first):
    """The same session with a client that writes a request longer than that in two messages, and reads its answer: [MS-SMB2] 3.3.5.13."""
    given, waiting = [], {}
    for time, frame in frames:
        at = lossy.smb2_of(frame)
        message = frame[at:] if at is not None else b""
        number = struct.unpack_from("<Q", message, 24)[0] * 10 if message else None

        def sent(like, command, more, body):
            head = bytearray(like[at : at + lossy.SMB2_HEADER])
            struct.pack_into("<H", head, 12, command)
            struct.pack_into("<Q", head, 24, number + more)
            return time, lossy.with_smb2(like, bytes(head) + body)

        if message and struct.unpack_from("<H", message, 12)[0] == lossy.IOCTL and number not in waiting:
            waiting[number] = frame
        elif message and number in waiting:
            asked = waiting.pop(number)
            file, (begin, length) = asked[at + 72 : at + 88], struct.unpack_from("<II", asked, at + 88)
            data = asked[at + begin : at + begin + length]
            for more, part in enumerate(part for part in (data[:first], data[first:]) if part):
                given.append(sent(asked, lossy.WRITE, more, struct.pack("<HHIQ", 49, 112, len(part), 0) + file + bytes(16) + part))
                given.append(sent(frame[: at + 8] + bytes(4) + frame[at + 12 :], lossy.WRITE, more, struct.pack("<HHIIHH", 17, 0, len(part), 0, 0, 0)))
            given.append(sent(asked, lossy.READ, 2, struct.pack("<HBBIQ", 49, 0x50, 0, 65536, 0) + file + bytes(17)))
            begin, length = lossy.smb2_data(message)
            given.append(sent(frame, lossy.READ, 2, struct.pack("<HBBIII", 17, 0x50, 0, length, 0, 0) + message[begin : begin + length]))
        else:
            given.append((time, frame) if not message else sent(frame, struct.unpack_from("<H", message, 12)[0], 0, message[lossy.SMB2_HEADER :]))
    assert len(given) > len(frames)
    return lossy.in_sequence(given)


def test_calls_of_one_number_in_two_writes(tshark, folder):
    """A client that waits for each answer may give all its calls one number: nothing is missing, all is read."""
    capture = CAPTURES / "smb2-overflow.pcapng"
    frames = lossy.frames_of(capture, folder)
    numbered = [(time, re.sub(rb"(\x05\x00[\x00\x02][\x00-\x03]\x10\x00\x00\x00.{4}).{4}", lambda found: found[1] + b"\7\0\0\0", frame, flags=re.DOTALL))
                for time, frame in in_two_writes(frames, 60)]
    path = write_pcap(folder / "numbered.pcap", numbered, ETHERNET)
    for passes in ([], ["-2"]):
        found, sent = ([row for row in tshark.fields(file, "perflibv2.opnum", *VALUES, options=passes) if any(row)] for file in (path, capture))
        assert found == sent
        assert not tshark.fields(path, "frame.number", display_filter="perflib_session.refused", options=passes)
