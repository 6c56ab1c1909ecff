# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames captured twice or more, as both directions of a mirrored port and every component of a host give them."""

import re
import struct

import pytest

from lib import lossy
from lib.captures import CAPTURES, options_for
from lib.pcap import ETHERNET, write_pcap
from lib.some import some
from lib.tables import read_tables

# In clear and sealed, over TCP and SMB2, of all three protocols; answers of many fragments in `big` and `sealed-tcp`.
NAMES = ["big", "tcp-session", "sealed-tcp", "sealed-big-frames", "sealed-spnego-smb2", "sealed-kerberos-spnego",
         "sealed-no-key-exchange", "sealed-two-contexts", "smb2-session", "both-apis", "faults-tcp", "perfdata-samba-sealed",
         "pla-sealed", "segments", "signed", "two-servers", "faults-smb1", "sealed-smb1"]
FIELDS = ["frame.time_epoch", "perflibv2.opnum", "perflibv2.path", "perflibv2.value", "perflibv2.cooked", "perflibv2.return_code",
          "perflibv2.fault", "perfdata.path", "perfdata.value", "pla.opnum", "pla.hresult", "perflib_session.lost_step"]
OURS = "perflibv2 || perfdata || pla || perflib_session.lost_step"
ALL = ["calls", "queries", "rules", "counters", "usage"]


def several(frames, times, later):
    """Each frame that many times, the copies behind so many frames of others."""
    given = []
    for number in range(len(frames) + later * times):
        for copy in range(times):
            if 0 <= number - copy * later < len(frames):
                given.append(frames[number - copy * later])
    return given


def read(tshark, path, options):
    """What tshark says of each PDU: rows of fields, as they are printed."""
    fields = [argument for name in FIELDS for argument in ("-e", name)]
    printed = tshark.run(path, *options, "-T", "fields", *fields, "-Y", OURS)
    assert printed
    return printed


HOW = {"thrice": (3, 0), "twice": (2, 0), "one-later": (2, 1), "seven-later": (2, 7)}
EVERY_WAY = {*NAMES[:5], "faults-smb1", "sealed-smb1"}
# The first of its two polls, of 119 fragments, and what comes before.
FRAMES = {"big": 92}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_read_twice(tshark, folder, name):
    """The same calls and values at the same times, once each."""
    capture = CAPTURES / f"{name}.pcapng"
    options = options_for(capture)
    frames = lossy.frames_of(capture, folder)[: FRAMES.get(name)]
    whole = write_pcap(folder / "whole.pcap", frames, ETHERNET)
    sent = {passes: read(tshark, whole, [*options, *passes]) for passes in ((), ("-2",))}
    wrong = []
    for how in HOW if name in EVERY_WAY else ["thrice"]:
        path = write_pcap(folder / "several.pcap", several(frames, *HOW[how]), ETHERNET)
        wrong += [(how, passes) for passes in sent if read(tshark, path, [*options, *passes]) != sent[passes]]
    assert not wrong


def with_cut_copies(frames):
    """Two who capture, one of them with a snap length."""
    return [each for time, frame in frames for each in ((time, frame), (time, frame[:150], len(frame)))]


@pytest.mark.parametrize(("times", "copied"), [(3, lambda frames: several(frames, 3, 0)), (2, with_cut_copies)], ids=["whole", "cut"])
def test_copy_names_the_frame_that_was_read(tshark, folder, times, copied):
    """Each copy names the frame that was read, in both passes."""
    capture = CAPTURES / "sealed-tcp.pcapng"
    frames = lossy.frames_of(capture, folder)
    path = write_pcap(folder / "several.pcap", copied(frames), ETHERNET)
    # Without this 4.0's TCP drops the cut ones.
    options = [*options_for(capture), "-o", f"tcp.reassemble_out_of_order:{copied is with_cut_copies}"]
    said = [tshark.fields(path, "frame.number", "_ws.expert.message", "_ws.col.Protocol", "_ws.col.Info", display_filter="perflib_session.copy",
                          options=[*options, *passes]) for passes in ([], ["-2"])]
    assert said[0] == said[1]
    if tshark.version >= (4, 6) and copied is not with_cut_copies:
        # 4.6's TCP does not hand on a segment that it has seen whole.
        assert said[0] == []
        return
    frames_named = [(int(number[0]), int(text.rsplit(" ", 1)[1])) for number, texts, *_ in said[0] for text in texts if "captured twice" in text]
    # The Info column names the copied frame, too.
    for _, texts, (protocol,), (info,) in said[0]:
        named = [text.rsplit(" ", 1)[1] for text in texts if "captured twice" in text]
        assert protocol == "DCERPC" and all(f"[captured twice: see frame {frame}]" in info for frame in some(named))
    assert len(frames_named) > 20
    for number, original in frames_named:
        assert (number - 1) // times == (original - 1) // times and original < number


def told(row):
    """Without the columns that name frames and times of answers."""
    return {name: cell for name, cell in row.items() if not re.fullmatch(r"\d+(\.\d+)?( ms| s|µs)?", cell)}


def test_tables_count_once(tshark, folder):
    """One table of all captures' calls; sessions are in it, too."""
    for name in ("tcp-session", "sealed-spnego-smb2"):
        capture = CAPTURES / f"{name}.pcapng"
        frames = lossy.frames_of(capture, folder)
        tables = [argument for table in ALL for argument in ("-z", f"perflibv2,{table}")]
        read = []
        for file, given in (("whole", frames), ("several", several(frames, 3, 0))):
            path = write_pcap(folder / f"{file}.pcap", given, ETHERNET)
            read.append([rows for rows, _ in read_tables(tshark.run(path, *options_for(capture), "-q", *tables))])
        whole, found = read
        assert len(whole) == len(ALL) and all(whole)
        for rows, expected in zip(found, whole, strict=True):
            assert [told(row) for row in rows] == [told(row) for row in expected]


def test_sent_again_in_larger_segments(tshark, folder):
    """What TCP sends again may be cut elsewhere: a PDU is known by its own place in the stream."""
    capture = CAPTURES / "tcp-session.pcapng"
    frames = lossy.frames_of(capture, folder)
    merged = lossy.merge_segments(frames)
    assert len(merged) < len(frames)
    # A long frame, once what is in it was read.
    last = {time: number for number, (time, _) in enumerate(frames)}
    behind = {}
    for time, frame in merged:
        if frame not in [other for _, other in frames]:
            behind.setdefault(last[time] + 6, []).append((time, frame))
    given = [each for number, frame in enumerate(frames) for each in [frame, *behind.get(number, [])]]
    path = write_pcap(folder / "again.pcap", given, ETHERNET)
    assert len(given) > len(frames)
    found, sent = (read(tshark, file, []) for file in (path, write_pcap(folder / "whole.pcap", frames, ETHERNET)))
    assert sorted(found.splitlines()) == sorted(sent.splitlines())


def test_the_same_numbers_on_another_connection(tshark, folder):
    """Ports and numbers are used again, the beginning is missing: other bytes at a place that was read are read, too."""
    capture = CAPTURES / "tcp-session.pcapng"
    frames = lossy.frames_of(capture, folder)
    changed = []
    for time, frame in frames:
        other = bytearray(frame)
        _, at = lossy.tcp_of(frame)
        while at + 16 <= len(frame):
            (length,) = struct.unpack_from("<H", frame, at + 8)
            if length < 16:
                break
            (call_id,) = struct.unpack_from("<I", frame, at + 12)
            struct.pack_into("<I", other, at + 12, call_id + 1000)
            at += length
        changed.append((time, bytes(other)))
    without_syn = [frame for frame in frames if not frame[1][lossy.tcp_of(frame[1])[0] + 13] & 7]
    again = [frame for frame in changed if not frame[1][lossy.tcp_of(frame[1])[0] + 13] & 7]
    path = write_pcap(folder / "again.pcap", without_syn + again, ETHERNET)
    assert not tshark.fields(path, "frame.number", display_filter="perflib_session.copy")


@pytest.mark.parametrize("name", ["tcp-session", "sealed-tcp", "sealed-spnego-samba"])
def test_the_copy_is_cut(tshark, folder, name):
    """Wireshark hands on the cut copies, too, where it puts segments in order."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)
    options = [*options_for(capture), "-o", "tcp.reassemble_out_of_order:TRUE"]
    for passes in ([], ["-2"]):
        found, sent = (read(tshark, file, [*options, *passes]) for file in (
            write_pcap(folder / "cut.pcap", with_cut_copies(frames), ETHERNET), write_pcap(folder / "whole.pcap", frames, ETHERNET)))
        assert found == sent, passes
