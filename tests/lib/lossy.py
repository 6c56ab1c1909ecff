# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures derived of others: frames left out, put in another order or merged, many variants in one file.

Each variant gets addresses of its own, so that one run of tshark reads all of them as strangers to each other.
"""

import ipaddress
import struct
import subprocess
from pathlib import Path

from lib.pcap import ETHERNET, write_pcap

ETHERNET_HEADER = 14


def frames_of(capture, folder):
    """The frames of a capture: (time in microseconds, bytes)."""
    path = Path(folder) / "frames.pcap"
    subprocess.run(["editcap", "-F", "pcap", str(capture), str(path)], check=True)
    data = path.read_bytes()
    frames, at = [], 24
    while at < len(data):
        seconds, micros, length, _ = struct.unpack_from("<IIII", data, at)
        frames.append((seconds * 1_000_000 + micros, data[at + 16 : at + 16 + length]))
        at += 16 + length
    return frames


def address_of(variant):
    """The server's (and the client's) address in a variant."""
    return str(ipaddress.ip_address("10.0.0.1") + variant)


def moved(frame, variant):
    """The frame between addresses of the variant's own; checksums are not checked."""
    address = ipaddress.ip_address(address_of(variant)).packed
    return frame[: ETHERNET_HEADER + 12] + address * 2 + frame[ETHERNET_HEADER + 20 :]


def write(path, variants):
    """
    One capture of all variants, each a list of frames: time, bytes, and their number before a snap length cut them, if
    one did.
    Returns of each variant the number of its first frame.
    """
    first, all_frames = [], []
    for variant, frames in enumerate(variants):
        first.append(len(all_frames) + 1)
        all_frames += [(time, moved(frame, variant), *length) for time, frame, *length in frames]
    write_pcap(path, all_frames, ETHERNET)
    return first


def tcp_of(frame):
    """Offset of the TCP header and of what it carries."""
    tcp = ETHERNET_HEADER + (frame[ETHERNET_HEADER] & 15) * 4
    return tcp, tcp + (frame[tcp + 12] >> 4) * 4


def carries_data(frame):
    """Whether the segment is more than an ACK."""
    _, payload = tcp_of(frame)
    return len(frame) > payload


def lengthen(frame, more):
    """The segment after this one with the same PDU, but as many bytes more in its stub, behind the PDU's header."""
    tcp, payload = tcp_of(frame)
    (total,) = struct.unpack_from(">H", frame, ETHERNET_HEADER + 2)
    (sequence,) = struct.unpack_from(">I", frame, tcp + 4)
    (fragment,) = struct.unpack_from("<H", frame, payload + 8)
    changed = bytearray(frame[: payload + 24] + bytes(more) + frame[payload + 24 :])
    struct.pack_into(">H", changed, ETHERNET_HEADER + 2, total + more)
    struct.pack_into(">I", changed, tcp + 4, (sequence + len(frame) - payload) & 0xFFFFFFFF)
    struct.pack_into("<H", changed, payload + 8, fragment + more)
    return bytes(changed)


def damage(frames, random):
    """Frames left out, repeated and changed at random, behind their TCP headers."""
    damaged = []
    for time, frame in frames:
        _, payload = tcp_of(frame)
        chance = random.random()
        if chance < 0.03:
            continue
        changed = bytearray(frame)
        if chance < 0.15 and len(frame) > payload:
            for _ in range(random.randint(1, 4)):
                changed[random.randrange(payload, len(frame))] = random.choice([0, 1, 255, random.randrange(256)])
        damaged += [(time, bytes(changed))] * (2 if chance > 0.97 else 1)
    for _ in range(random.randrange(8)):
        at = random.randrange(len(damaged) - 1)
        damaged[at], damaged[at + 1] = damaged[at + 1], damaged[at]
    return damaged


def in_sequence(frames):
    """The same segments with TCP's numbers made anew, as if they had been sent in this order."""
    following, renewed = {}, []
    for time, frame in frames:
        tcp, payload = tcp_of(frame)
        ports = frame[tcp : tcp + 4]
        number = following.setdefault(ports, struct.unpack_from(">I", frame, tcp + 4)[0])
        is_counted = bool(frame[tcp + 13] & 3)      # SYN or FIN
        following[ports] = (number + len(frame) - payload + is_counted) & 0xFFFFFFFF
        changed = bytearray(frame)
        struct.pack_into(">I", changed, tcp + 4, number)
        renewed.append((time, bytes(changed)))
    return renewed


def merge_segments(frames, limit=60_000):
    """Segments of one direction that follow each other become one frame, as segmentation offload shows them."""
    merged = []
    for time, frame in frames:
        tcp, payload = tcp_of(frame)
        if merged and len(frame) > payload:
            before = merged[-1][1]
            before_tcp, before_payload = tcp_of(before)
            ports = slice(0, 4)
            (sequence,) = struct.unpack_from(">I", before, before_tcp + 4)
            (here,) = struct.unpack_from(">I", frame, tcp + 4)
            carried = len(before) - before_payload
            if (
                frame[tcp:][ports] == before[before_tcp:][ports]
                and carried
                and here == (sequence + carried) & 0xFFFFFFFF
                and len(before) + len(frame) < limit
            ):
                whole = before + frame[payload:]
                length = struct.pack(">H", len(whole) - ETHERNET_HEADER)
                merged[-1] = (merged[-1][0], whole[: ETHERNET_HEADER + 2] + length + whole[ETHERNET_HEADER + 4 :])
                continue
        merged.append((time, frame))
    return merged
