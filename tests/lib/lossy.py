# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures derived of others: frames left out, put in another order or merged, many variants in one file.

Each variant gets addresses of its own, so that one run of tshark reads all of them as strangers to each other.
"""

import ipaddress
import struct
import subprocess
from functools import lru_cache
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


@lru_cache(maxsize=None)
def _addresses(variant, apart):
    """Of the server and the client, as IP has them. Asked for with each frame."""
    server = ipaddress.ip_address(address_of(variant))
    return server.packed, (server + 65536 if apart else server).packed


def moved(frame, variant, apart=False):
    """
    The frame between addresses of the variant's own; checksums are not checked. apart: both ends have one each, the server
    (its port is the lower one) that of the variant.
    """
    server, client = _addresses(variant, apart)
    tcp = tcp_of(frame)[0]
    is_servers = frame[tcp : tcp + 2] < frame[tcp + 2 : tcp + 4]
    ends = server + client if is_servers else client + server
    return frame[: ETHERNET_HEADER + 12] + ends + frame[ETHERNET_HEADER + 20 :]


def variant_of(sources, destinations):
    """The address that tells the variant of a frame, of what tshark says of ip.src and ip.dst."""
    return min(sources[0], destinations[0], key=ipaddress.ip_address)


def write(path, variants, apart=False):
    """
    One capture of all variants, each a list of frames: time, bytes, and their number before a snap length cut them, if
    one did. apart: client and server have addresses of their own.
    Returns of each variant the number of its first frame.
    """
    first, all_frames = [], []
    for variant, frames in enumerate(variants):
        first.append(len(all_frames) + 1)
        all_frames += [(time, moved(frame, variant, apart), *length) for time, frame, *length in frames]
    write_pcap(path, all_frames, ETHERNET)
    return first


def tcp_of(frame):
    """Offset of the TCP header and of what it carries."""
    tcp = ETHERNET_HEADER + (frame[ETHERNET_HEADER] & 15) * 4
    return tcp, tcp + (frame[tcp + 12] >> 4) * 4


def sides_of(frames):
    """The frames of clients and those of servers: who sends a SYN is a client; the server's port is the lower one where none is there."""
    clients, sides = set(), ([], [])
    for frame in frames:
        tcp = tcp_of(frame[1])[0]
        source, target = ((frame[1][26 + 4 * end : 30 + 4 * end], frame[1][tcp + 2 * end : tcp + 2 * end + 2]) for end in (0, 1))
        if frame[1][tcp + 13] & 0x12 == 2:
            clients.add((source, target))
        is_servers = (target, source) in clients or ((source, target) not in clients and source[1] < target[1])
        sides[is_servers].append(frame)
    return sides


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


def in_sequence(frames, acknowledged=False):
    """The same segments with TCP's numbers made anew, as if they had been sent in this order. acknowledged: all before each."""
    following, renewed = {}, []
    for time, frame in frames:
        tcp, payload = tcp_of(frame)
        ports = frame[tcp : tcp + 4]
        number = following.setdefault(ports, struct.unpack_from(">I", frame, tcp + 4)[0])
        is_counted = bool(frame[tcp + 13] & 3)      # SYN or FIN
        following[ports] = (number + len(frame) - payload + is_counted) & 0xFFFFFFFF
        changed = bytearray(frame)
        struct.pack_into(">I", changed, tcp + 4, number)
        if acknowledged and ports[2:] + ports[:2] in following:
            struct.pack_into(">I", changed, tcp + 8, following[ports[2:] + ports[:2]])
        renewed.append((time, bytes(changed)))
    return renewed


def with_segments_swapped(frames, begin):
    """From that frame on segments of one direction that follow each other change places, two by two."""
    disorder, number = list(frames), begin
    while number + 1 < len(disorder):
        (_, one), (_, other) = disorder[number : number + 2]
        if one[34:38] == other[34:38] and carries_data(one) and carries_data(other):
            disorder[number : number + 2] = disorder[number + 1], disorder[number]
            number += 1
        number += 1
    assert disorder != frames
    return disorder


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


# SMB2 in a frame of its own, behind four bytes of length: [MS-SMB2] 2.2.1, 2.2.20, 2.2.32
SMB2_HEADER, CREATE, CLOSE, READ, WRITE, IOCTL, OVERFLOW = 64, 5, 6, 8, 9, 11, 0x80000005


def smb2_of(frame):
    """Offset of the SMB2 message, or None: it is another frame. Messages stand alone in theirs."""
    _, payload = tcp_of(frame)
    return payload + 4 if frame[payload + 4 : payload + 8] == b"\xfeSMB" else None


def with_smb2(frame, message):
    """The frame with another message."""
    _, payload = tcp_of(frame)
    whole = frame[:payload] + struct.pack(">I", len(message)) + message
    return whole[: ETHERNET_HEADER + 2] + struct.pack(">H", len(whole) - ETHERNET_HEADER) + whole[ETHERNET_HEADER + 4 :]


def smb2_data(message):
    """Where what a READ or a FSCTL_PIPE_TRANSCEIVE brings back begins, and how much it is."""
    (command,) = struct.unpack_from("<H", message, 12)
    if command == READ:
        return message[SMB2_HEADER + 2], struct.unpack_from("<I", message, SMB2_HEADER + 4)[0]
    return struct.unpack_from("<II", message, SMB2_HEADER + 32)


def split_reads(frames, first, rest=None):
    """
    The same session with a client whose buffer holds that many bytes of an answer, and whose READs fetch the rest, all at once
    or as much at a time: as Windows does it.
    """
    rest = rest or 65535
    split, requests, renumbered = [], {}, {}
    for time, frame in frames:
        at = smb2_of(frame)
        if at is None:
            split.append((time, frame))
            continue
        message = bytearray(frame[at:])
        command, is_answer = struct.unpack_from("<H", message, 12)[0], message[16] & 1
        (number,) = struct.unpack_from("<Q", message, 24)
        # Room for the READs behind each message.
        renumbered.setdefault(number, number * 100)
        struct.pack_into("<Q", message, 24, renumbered[number])
        if not is_answer:
            requests[number] = (frame, bytes(message))
        status = struct.unpack_from("<I", message, 8)[0]
        if not is_answer or command not in (READ, IOCTL) or status or number not in requests:
            split.append((time, with_smb2(frame, bytes(message))))
            continue
        begin, length = smb2_data(message)
        if length <= first:
            split.append((time, with_smb2(frame, bytes(message))))
            continue
        asked, request = requests[number]
        file = request[SMB2_HEADER + 16 :][:16] if command == READ else request[SMB2_HEADER + 8 :][:16]
        data = bytes(message[begin : begin + length])
        part = message[:begin] + data[:first]
        struct.pack_into("<I", part, 8, OVERFLOW)
        struct.pack_into("<I", part, SMB2_HEADER + (4 if command == READ else 36), first)
        split.append((time, with_smb2(frame, bytes(part))))
        sent = first
        while sent < length:
            piece = data[sent : sent + rest]
            sent += len(piece)
            time += 1
            head = bytearray(request[:SMB2_HEADER])
            renumbered[number] += 1
            struct.pack_into("<H", head, 12, READ)
            struct.pack_into("<Q", head, 24, renumbered[number])
            body = struct.pack("<HBBIQ", 49, 0x50, 0, len(piece), 0) + file + struct.pack("<IIIHHB", 0, 0, 0, 0, 0, 0)
            split.append((time, with_smb2(asked, bytes(head) + body)))
            head = bytearray(message[:SMB2_HEADER])
            struct.pack_into("<I", head, 8, OVERFLOW if sent < length else 0)
            struct.pack_into("<H", head, 12, READ)
            struct.pack_into("<Q", head, 24, renumbered[number])
            body = struct.pack("<HBBIII", 17, 0x50, 0, len(piece), 0, 0) + piece
            split.append((time, with_smb2(frame, bytes(head) + body)))
    return in_sequence(split)


def _command(frame, at):
    """Command of an SMB2 message, and whether it is an answer."""
    return struct.unpack_from("<H", frame, at + 12)[0], frame[at + 16] & 1


def _compound(messages):
    """Messages in one frame, each but the first related to the one before: [MS-SMB2] 3.2.4.1.4."""
    whole = b""
    for number, (frame, at) in enumerate(messages):
        message = bytearray(frame[at:])
        command, is_answer = _command(frame, at)
        if number:
            struct.pack_into("<I", message, 16, struct.unpack_from("<I", message, 16)[0] | 4)
            file = {READ: 16, WRITE: 16, IOCTL: 8, CLOSE: 8}.get(command)
            if file and not is_answer:
                message[SMB2_HEADER + file : SMB2_HEADER + file + 16] = b"\xff" * 16
        if number + 1 < len(messages):
            message += bytes(-len(message) % 8)
            struct.pack_into("<I", message, 20, len(message))
        whole += message
    return with_smb2(messages[0][0], whole)


def with_related(frames, follow):
    """
    The same session with a client that sends requests of these commands together, (first, next) each, instead of waiting for
    the answer, which comes with the next one's.
    """
    exchanges, others = [], {}
    for number, (_, frame) in enumerate(frames):
        at = smb2_of(frame)
        if at is not None and not _command(frame, at)[1]:
            others[struct.unpack_from("<Q", frame, at + 24)] = number
        elif at is not None and struct.unpack_from("<Q", frame, at + 24) in others:
            exchanges.append((others.pop(struct.unpack_from("<Q", frame, at + 24)), number))
    groups = []
    for exchange in exchanges:
        before = groups[-1][-1] if groups else None
        commands = before and tuple(_command(frames[each[0]][1], smb2_of(frames[each[0]][1]))[0] for each in (before, exchange))
        if commands in follow and exchange[0] > before[1]:
            groups[-1].append(exchange)
        else:
            groups.append([exchange])
    given = list(frames)
    for group in groups:
        if len(group) > 1:
            for place, numbers in ((group[0][0], [sent for sent, _ in group]), (group[-1][1], [answer for _, answer in group])):
                whole = _compound([(frames[number][1], smb2_of(frames[number][1])) for number in numbers])
                for number in numbers:
                    given[number] = None
                given[place] = (frames[place][0], whole)
    given = [frame for frame in given if frame is not None]
    assert len(given) < len(frames)
    return in_sequence(given, acknowledged=True)
