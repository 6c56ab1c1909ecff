# SPDX-License-Identifier: GPL-2.0-or-later
"""tcpdump on the loopback interface, and what is done to its file afterwards."""

import bisect
import json
import re
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path


class Recorder:
    """Context manager; .frames afterwards: list of [seconds, bytes]."""

    def __init__(self, ports):
        self.filter = ' or '.join(f'tcp port {port}' for port in ports)
        self.frames = []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / 'lo.pcap'
        self.process = subprocess.Popen(
            ['tcpdump', '-i', 'lo', '-n', '-U', '-B', '32768', '-s', '262144', '--immediate-mode',
             '-Z', 'root', '-w', str(self.file), self.filter], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if 'listening on' in line:
                return self
        raise RuntimeError('tcpdump did not start; root is needed')

    def __exit__(self, kind, value, trace):
        time.sleep(0.4)                                 # the last ACKs
        self.process.send_signal(signal.SIGINT)
        rest = self.process.stderr.read()
        self.process.wait()
        dropped = re.search(r'(\d+) packets? dropped by kernel', rest)
        if kind is None:
            if dropped and int(dropped.group(1)):
                raise RuntimeError(f'tcpdump lost packets: {rest}')
            self.frames = read_pcap(self.file)
        self.folder.cleanup()


def read_pcap(path):
    """[seconds, bytes] of each frame of a little-endian microsecond pcap file."""
    data, frames, at = Path(path).read_bytes(), [], 24
    if data[:4] != b'\xd4\xc3\xb2\xa1':
        raise ValueError('not the kind of pcap file tcpdump writes here')
    while at + 16 <= len(data):
        seconds, micro, length, original = struct.unpack_from('<4I', data, at)
        if length != original:
            raise ValueError('cut frame')
        frames.append([seconds + micro / 1e6, data[at + 16:at + 16 + length]])
        at += 16 + length
    return frames


def _block(kind, body):
    body += b'\0' * (-len(body) % 4)
    length = 12 + len(body)
    return struct.pack('<II', kind, length) + body + struct.pack('<I', length)


def _option(code, value):
    return struct.pack('<HH', code, len(value)) + value + b'\0' * (-len(value) % 4)


def write_pcapng(path, frames, comment):
    """frames: (seconds, bytes), or (seconds, bytes, the packet's comment). Ethernet; time in microseconds."""
    end = struct.pack('<HH', 0, 0)
    data = _block(0x0A0D0D0A, struct.pack('<IHHq', 0x1A2B3C4D, 1, 0, -1) + _option(1, comment.encode()) + end)
    data += _block(1, struct.pack('<HHI', 1, 0, 262144) + _option(2, b'lo') + end)
    blocks = [data]
    for seconds, frame, *comments in frames:
        micro = round(seconds * 1e6)
        body = struct.pack('<5I', 0, micro >> 32, micro & 0xFFFFFFFF, len(frame), len(frame)) + frame
        if comments:
            body += b'\0' * (-len(body) % 4) + b''.join(_option(1, text.encode(errors='replace')) for text in comments) + end
        blocks.append(_block(6, body))
    Path(path).write_bytes(b''.join(blocks))


def _tcp(frame):
    """The TCP segment over IPv4 on Ethernet, with its header."""
    ip = frame[14:14 + struct.unpack('>H', frame[16:18])[0]]
    return ip[(ip[0] & 15) * 4:]


def tcp_payload(frame):
    """What a TCP segment over IPv4 on Ethernet carries."""
    tcp = _tcp(frame)
    return tcp[(tcp[12] >> 4) * 4:]


class Streams:
    """What went each way of each TCP connection, and the frame of each byte: no dissector is asked."""

    def __init__(self, frames):
        self.ways = {}              # (source port, destination port) -> [next sequence number, bytes, starts, frames]
        for number, (_, frame) in enumerate(frames, 1):
            tcp = _tcp(frame)
            source, target, sequence = struct.unpack_from('>HHI', tcp)
            payload = tcp_payload(frame)
            way = self.ways.setdefault((source, target), [sequence, bytearray(), [], []])
            if tcp[13] & 2:
                way[0] = sequence + 1 & 0xFFFFFFFF
            elif payload and sequence == way[0]:    # not one that was sent again
                way[2].append(len(way[1]))
                way[3].append(number)
                way[1] += payload
                way[0] = sequence + len(payload) & 0xFFFFFFFF

    def frame_of(self, client_port, which, raw):
        """The frame of the last byte of a PDU, which must stand in the capture once."""
        found = []
        for (source, target), (_, data, starts, frames) in self.ways.items():
            if (source if which == 'request' else target) == client_port:
                at = data.find(raw)
                while at >= 0:
                    found.append(frames[bisect.bisect_right(starts, at + len(raw) - 1) - 1])
                    at = data.find(raw, at + 1)
        if len(found) != 1:
            raise ValueError(f'a {which} of {len(raw)} bytes stands {len(found)} times in the capture')
        return found[0]


def shift(frames, moments, start):
    """Times as the simulated clock has them: moments (real seconds, simulated seconds to add from then on)."""
    if not frames:
        return []
    origin, shifted = frames[0][0], []
    for seconds, frame in frames:
        ahead = sum(more for when, more in moments if seconds >= when)
        shifted.append((start + seconds - origin + ahead, frame))
    return shifted


def dissected_calls(path, options=()):
    """(client's port, call id, 'request'/'response') -> list of (frame, stub in hex), one for each PDU.

    Read with tshark's own DCERPC dissector; the last entry of a call holds its reassembled stub.
    """
    command = ['tshark', '-n', '-r', str(path), *options, '-Y', 'dcerpc', '-T', 'json', '--no-duplicate-keys',
               '-J', 'frame tcp dcerpc', '-j', 'frame tcp dcerpc']
    packets = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found = {}
    for packet in packets:
        layers = packet['_source']['layers']
        for layer in layers['dcerpc'] if isinstance(layers['dcerpc'], list) else [layers['dcerpc']]:
            which = {'0': 'request', '2': 'response', '3': 'response'}.get(layer['dcerpc.pkt_type'])
            if which:
                port = int(layers['tcp']['tcp.srcport' if which == 'request' else 'tcp.dstport'])
                stub = layer.get('dcerpc.decrypted_stub_data', layer.get('dcerpc.stub_data', '')).replace(':', '')
                found.setdefault((port, int(layer['dcerpc.cn_call_id']), which), []).append(
                    (int(layers['frame']['frame.number']), stub))
    return found
