# SPDX-License-Identifier: GPL-2.0-or-later
"""Performance data of the older API: sessions a test makes up, and what tshark shows of an answer."""

import datetime
import math
import re
import struct
import sys
from fractions import Fraction

from lib.captures import CAPTURES
from lib.tshark import LAYERS

sys.path.insert(0, str(CAPTURES / "make"))

from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata import crafted, wire  # noqa: E402
from perfdata.block import Builder  # noqa: E402

HANDLE = crafted.handle_bytes(1)

# What the makers of the captures call a reason, where the plugin has other words.
REASONS = {"base of another counter": "not displayed", "type not computable": "type unknown"}
# Items made of what stands elsewhere; all others have bytes of their own.
GENERATED = {
    "perfdata.path", "perfdata.cooked", "perfdata.cooked.formula", "perfdata.cooked.reason", "perfdata.cooked.pdh", "perfdata.object.name", "perfdata.object.help",
    "perfdata.counter.name", "perfdata.counter.help", "perfdata.instance.parent", "perfdata.learned_in", "perfdata.poll.previous_frame",
    "perfdata.poll.next_frame",
    "perfdata.poll.interval", "perfdata.value_name", "perfdata.handle.opened_in", "perfdata.handle.closed_in", "perfdata.value_type",
    "perfdata.requested", "perfdata.response_ms", "perfdata.table", "perfdata.table.row",
}
# Subtrees, and the bits of a type the type itself stands for.
STRUCTURES = {"perfdata", "perfdata.data_block", "perfdata.object_type", "perfdata.counter_definition", "perfdata.instance_definition",
              "perfdata.counter_block"}
NOT_MEMBERS = GENERATED | STRUCTURES
TIMES = ("perfdata.data_block.system_time", "perfdata.data_block.perf_time_100nsec")


class Answer:
    """A dissected answer of a registry call."""

    def __init__(self, packet):
        self.items = {}
        self.order = []
        for protocol in packet:
            self._walk(protocol)

    def _walk(self, item):
        self.items.setdefault(item.name, []).append(item)
        self.order.append(item)
        for child in item.children:
            if child.name == "_ws.expert":
                self.items.setdefault("expert", []).extend(c.name for c in child.children if not c.name.startswith("_ws."))
                self.items.setdefault("message", []).extend(c.show for c in child.children if c.name == "_ws.expert.message")
            else:
                self._walk(child)

    def find(self, name):
        return self.items.get(name, [])

    def shows(self, name):
        return [item.show for item in self.find(name)]

    def tells(self, expert):
        """How often an expert item is there."""
        return self.items.get("expert", []).count(f"perfdata.{expert}")

    def members(self):
        """[field, what is shown] of everything that stands in the bytes, in order."""
        return [[item.name, moment(item.show) if item.name in TIMES else item.show] for item in self.order
                if item.name.startswith("perfdata.") and item.name not in NOT_MEMBERS
                and not item.name.startswith(("perfdata.counter_definition.counter_type.", "perfdata.data_block.system_time."))]

    def values(self):
        """Each value with what belongs to it: the item a person opens, with all below."""
        return [item for block in self.find("perfdata.counter_block") for item in block.children
                if item.name in ("perfdata.path", "perfdata.value", "perfdata.value.text", "perfdata.value.bytes")]

    def titles(self):
        """[index, text] of each entry of a list of names or help texts."""
        texts = self.shows("perfdata.title.name") or self.shows("perfdata.title.help")
        return [[int(index), text] for index, text in zip(self.shows("perfdata.title.index"), texts, strict=True)]


def answers(tshark, path, two_pass=True, opnum=17, options=()):
    """The answers of an operation in order."""
    # What SMB3 has encrypted stands below smb2, not beside it.
    layers = LAYERS + (" smb2" if any("smb2_seskey_list" in option for option in options) else "")
    packets = tshark.packets(path, *options, display_filter=f"winreg.opnum == {opnum} && dcerpc.pkt_type == 2", two_pass=two_pass,
                             layers=layers)
    return [Answer(packet) for packet in packets]


def moment(text):
    """A time as tshark shows it: "Mar  2, 2026 12:00:00.000000000 UTC", from 4.6 on as ISO 8601."""
    whole, _, rest = text.partition(".")
    form = "%Y-%m-%dT%H:%M:%S" if whole[:4].isdigit() else "%b %d, %Y %H:%M:%S"
    fraction = re.match(r"\d*", rest).group()
    return datetime.datetime.strptime(whole, form).replace(microsecond=int(fraction[:6] or 0), tzinfo=datetime.timezone.utc)


def as_shown(field, value):
    """What tshark shows for a value of the record."""
    if field in TIMES:
        return datetime.datetime.fromisoformat(value)
    if field == "perfdata.counter_definition.counter_type" or field.endswith("_title"):
        return f"0x{value:08x}"
    return str(value)


def expected_members(call):
    return [[field, as_shown(field, value)] for field, value in call["members"]]


def as_error(error):
    return f"0x{error:08x}"


def check_value(item, expected):
    """A value against what its record or the arithmetic of captures/make say."""
    if "path" in expected:
        assert item.name == "perfdata.path"
        assert item.show == expected["path"]
    else:
        assert item.name != "perfdata.path"
    if "raw" in expected:
        assert item.first("perfdata.value").show == str(expected["raw"])
    if "text" in expected:
        assert item.first("perfdata.value.text").show == expected["text"]
    if "cooked" in expected:
        cooked = float(item.first("perfdata.cooked").show)
        exact = Fraction(expected["cooked"]["exact"])
        assert math.isclose(cooked, exact, rel_tol=1e-9), expected
        assert item.first("perfdata.cooked.formula").show.startswith(expected["cooked"]["formula"])
        unit = expected["cooked"]["unit_label"]
        # Of a value without a unit the number is the end, the last letters those of a hexadecimal one.
        ends = f" {unit}" if unit else tuple("0123456789abcdef")
        assert item.first("perfdata.cooked").showname.rstrip("]").endswith(ends), expected
    else:
        reason = REASONS.get(expected["reason"], expected["reason"])
        assert item.first("perfdata.cooked.reason").show.startswith(reason), expected
        assert item.first("perfdata.cooked") is None


class Peer:
    """Client and server of one connection. wide: NDR64; other: a peer in whose capture it goes."""

    def __init__(self, wide=False, opened=True, max_fragment=60000, other=None, client=(crafted.CLIENT, 50000),
                 server=(crafted.SERVER, crafted.PORT)):
        self.capture, self.wide = other.capture if other else wire.Capture(), wide
        self.connection = wire.Connection(self.capture, client, server, mss=60000,
                                          max_fragment=max_fragment, transfer=wire.NDR64 if wide else wire.NDR)
        if opened:
            self.open(wire.OPEN_DATA, HANDLE)

    def call(self, opnum, request, response):
        """Returns the frames of request and response."""
        self.connection.request(opnum, request)
        sent = len(self.capture.frames)
        self.connection.response(response)
        return sent, len(self.capture.frames)

    def open(self, opnum=wire.OPEN_DATA, handle=HANDLE, error=0):
        return self.call(opnum, wire.open_request(), wire.open_response(handle, error))

    def close(self, handle=HANDLE, error=0):
        return self.call(wire.CLOSE_KEY, wire.close_request(handle), wire.close_response(error))

    def query(self, name, data, handle=HANDLE, error=0, kind=wire.REG_BINARY):
        return self.call(wire.QUERY_VALUE, wire.query_request(handle, name, 65536, wide=self.wide),
                         wire.query_response(kind, data, len(data or b""), len(data or b""), error, wide=self.wide))

    def write(self, path):
        write_pcapng(path, self.capture.frames, "")
        return path


class Beside(Peer):
    """The same on a connection, or pipe, of lib/wire.py in a capture of other calls."""

    def __init__(self, capture, connection, wide):
        self.capture, self.wide, self.connection = capture, wide, connection

    def call(self, opnum, request, response):
        self.connection.call(opnum, request)
        sent = len(self.capture.frames)
        self.connection.response(response)
        return sent, len(self.capture.frames)


def replaced(data, place, number, size=4):
    """data with a little-endian number at place."""
    return data[:place] + struct.pack({4: "<I", 8: "<Q"}[size], number) + data[place + size:]


def built(*objects, seconds=1, order="<"):
    return Builder("PC", crafted.clock(seconds), list(objects), order).data


def polled(tshark, path, *blocks, name="Global", two_pass=True, options=()):
    """The answers to QueryValue calls that bring these values."""
    peer = Peer()
    for block in blocks:
        peer.query(name, block)
        peer.capture.wait(1)
    return answers(tshark, peer.write(path / "polls.pcapng"), two_pass, options=options)
