# SPDX-License-Identifier: GPL-2.0-or-later
"""Performance data of the older API against what the servers were given and what they sent."""

import datetime
import math
import sys
from fractions import Fraction

import pytest

from lib.captures import CAPTURES, options_for, record_of

sys.path.insert(0, str(CAPTURES / "make"))

from perfcap.cooking import NotComputable, cook  # noqa: E402

CRAFTED = ["perfdata-windows", "perfdata-mid-capture"]
SAMBA = ["perfdata-samba", "perfdata-samba-sealed"]
# What the makers of the captures call a reason, where the plugin has other words.
REASONS = {"base of another counter": "not displayed", "type not computable": "type unknown"}
# Items made of what stands elsewhere; all others have bytes of their own.
GENERATED = {
    "perfdata.path", "perfdata.cooked", "perfdata.cooked.formula", "perfdata.cooked.reason", "perfdata.object.name", "perfdata.object.help",
    "perfdata.counter.name", "perfdata.counter.help", "perfdata.instance.parent", "perfdata.learned_in", "perfdata.poll.previous_frame",
    "perfdata.poll.interval", "perfdata.value_name", "perfdata.handle.opened_in", "perfdata.handle.closed_in", "perfdata.value_type",
}
# Subtrees, and the bits of a type the type itself stands for.
STRUCTURES = {"perfdata", "perfdata.data_block", "perfdata.object_type", "perfdata.counter_definition", "perfdata.instance_definition",
              "perfdata.counter_block"}
NOT_MEMBERS = GENERATED | STRUCTURES


def capture(name):
    return CAPTURES / f"{name}.pcapng"


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
            else:
                self._walk(child)

    def find(self, name):
        return self.items.get(name, [])

    def shows(self, name):
        return [item.show for item in self.find(name)]

    def members(self):
        """[field, what is shown] of everything that stands in the bytes, in order."""
        return [[item.name, item.show] for item in self.order
                if item.name.startswith("perfdata.") and item.name not in NOT_MEMBERS
                and not item.name.startswith("perfdata.counter_definition.counter_type.")]

    def values(self):
        """Each value with what belongs to it: the item a person opens, with all below."""
        return [item for block in self.find("perfdata.counter_block") for item in block.children
                if item.name in ("perfdata.path", "perfdata.value", "perfdata.value.text", "perfdata.value.bytes")]


def answers(tshark, path, two_pass=True, opnum=17, options=()):
    """The answers of an operation in order."""
    packets = tshark.packets(path, *options, display_filter=f"winreg.opnum == {opnum} && dcerpc.pkt_type == 2", two_pass=two_pass)
    return [Answer(packet) for packet in packets]


def as_shown(field, value):
    """What tshark shows for a value of the record."""
    if field in ("perfdata.data_block.system_time", "perfdata.data_block.perf_time_100nsec"):
        moment = datetime.datetime.fromisoformat(value)
        return f"{moment:%b} {moment.day:2d}, {moment:%Y %H:%M:%S}.{moment.microsecond:06d}000 UTC"
    if field == "perfdata.counter_definition.counter_type" or field.endswith("_title"):
        return f"0x{value:08x}"
    return str(value)


def expected_members(call):
    return [[field, as_shown(field, value)] for field, value in call["members"]]


def as_error(error):
    return f"0x{error:08x}"


def check_value(item, expected):
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
        assert item.first("perfdata.cooked").showname.rstrip("]").endswith(expected["cooked"]["unit_label"])
    else:
        reason = REASONS.get(expected["reason"], expected["reason"])
        assert item.first("perfdata.cooked.reason").show.startswith(reason), expected
        assert item.first("perfdata.cooked") is None


def check_call(answer, call):
    """What every QueryValue answer of performance data shows."""
    assert answer.shows("winreg.werror") == [as_error(call["error"])]
    assert answer.shows("perfdata.value_name") == [call["value_name"]]
    assert answer.shows("winreg.winreg_QueryValue.data_size") == [str(call["size"])]
    assert answer.shows("winreg.winreg_QueryValue.data_length") == [str(call["data_length"] or 0)]
    assert answer.shows("perfdata.value_type") == [str(call["type"])]


def check_titles(answer, titles):
    texts = answer.shows("perfdata.title.name") or answer.shows("perfdata.title.help")
    assert [[int(index), text] for index, text in zip(answer.shows("perfdata.title.index"), texts)] == titles


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", CRAFTED)
def test_crafted(tshark, name, two_pass):
    """Every member, name and cooked value of every call."""
    path = capture(name)
    calls = [call for call in record_of(path)["calls"] if call["opnum"] == 17]
    found = answers(tshark, path, two_pass)
    assert len(found) == len(calls)
    for call, answer in zip(calls, found):
        if call.get("plain"):
            assert not answer.find("perfdata")
            continue
        check_call(answer, call)
        if "members" in call:
            assert answer.members() == expected_members(call)
        if "titles" in call:
            check_titles(answer, call["titles"])
        assert len(answer.values()) == len(call.get("values", []))
        # In one pass a name is known from the frame on that teaches it.
        if two_pass or name == "perfdata-windows":
            for item, expected in zip(answer.values(), call.get("values", [])):
                check_value(item, expected)
