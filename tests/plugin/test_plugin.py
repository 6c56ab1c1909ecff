# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin as Wireshark sees it."""

import functools
import operator
import re
import subprocess

import pytest

from lib.captures import CAPTURES
from lib.fields import glossary
from lib.registered import library
from lib.some import some

OURS = ("perflibv2.", "pla.", "perfdata.", "perflib_session.")
# Fields without bytes that need no brackets: taken from the PDU's header, hidden, or empty.
WITHOUT_BRACKETS = {"perflibv2.opnum", "pla.opnum", "pla.password", "perflibv2.lpdata", "perflibv2.value.bytes"}


def added_fields(tshark, bare_tshark):
    """Lines of the glossary for the plugin's fields, split."""
    added = set(map(tuple, glossary(tshark, "fields"))) - set(map(tuple, glossary(bare_tshark, "fields")))
    return [row for row in added if row[0] == "F"]


def test_plugin_is_loaded_by_tshark(tshark):
    assert any(re.fullmatch(r"perflib\.(so|dll)\s*", row[0]) for row in glossary(tshark, "plugins"))


def test_registers_its_protocol(tshark):
    names = glossary(tshark, "protocols")
    assert [name[1:3] for name in names if name[2] == "perflibv2"] == [["PerflibV2", "perflibv2"]]


def test_field_names_belong_to_a_protocol_of_the_plugin(tshark, bare_tshark):
    """No field of the plugin is named outside its own protocols."""
    names = {field[2] for field in added_fields(tshark, bare_tshark)}
    assert {name.split(".")[0] for name in names} == {"perflibv2", "pla", "perfdata", "perflib_session"}


def test_parts_of_numbers_stand_below_the_whole(tshark, bare_tshark):
    """
    The glossary's mask of each field of the plugin: a number is shown without some of its bits only below one with all. The flags of
    [MS-PLA] are below numbers of 32 bits with other names. No bit belongs to two parts.
    """
    fields = added_fields(tshark, bare_tshark)
    masks = {field[2]: int(field[6] or "0", 0) for field in fields}
    bits = {field[2]: int(field[3].removeprefix("FT_UINT")) for field in fields if field[3].startswith("FT_UINT") and not masks[field[2]]}
    parts = {}
    for _, _, name, kind, _, width, *_ in some((field for field in fields if masks[field[2]]), 70):
        whole = max((number for number in bits if name.startswith(f"{number}.")), key=len, default=name.rpartition(".")[0])
        parts.setdefault(whole, []).append(masks[name])
        assert whole in bits or (kind == "FT_BOOLEAN" and whole.startswith("pla.")), name
        assert masks[name] < 1 << bits.get(whole, 32), name
        assert kind != "FT_BOOLEAN" or int(width) == bits.get(whole, 32), f"{name}: {width} bits"
    for whole, found in parts.items():
        assert sum(found) == functools.reduce(operator.or_, found), f"{whole}: two parts have a bit in common"


def without_bytes(item):
    """The plugin's generated items in the tree of an item, except expert items."""
    if item.name.startswith(OURS) and item.generated and item.name not in WITHOUT_BRACKETS:
        yield item
    for child in item.children if item.name != "_ws.expert" else ():
        yield from without_bytes(child)


@pytest.mark.parametrize("name", ["tcp-session", "perfdata-windows", "pla-session", "both-apis", "rules", "faults-tcp"])
def test_conclusions_of_a_dissector_are_in_brackets(tshark, name):
    """As everywhere in Wireshark: brackets distinguish them from the contents of the packet."""
    capture, ours = CAPTURES / f"{name}.pcapng", "perflibv2 || perfdata || pla"
    lines = {line.strip() for line in tshark.run(capture, "-2", "-V", "-Y", ours).splitlines()}
    packets = tshark.packets(capture, display_filter=ours, two_pass=True)
    items = some((item for packet in packets for layer in packet for item in without_bytes(layer)), 500)
    assert {item.name: item.showname for item in items if f"[{item.showname}]" not in lines} == {}


def test_order_does_not_hang_on_the_c_librarys_sort(tshark):
    """Equals come out of C's qsort in any order, and of that of Windows in another: here in the reverse one."""
    capture = CAPTURES / "rules.pcapng"
    command = tshark.command("-r", capture, "-V", preloaded=[library().with_name("ties.so")])
    result = subprocess.run(command, env=tshark.environment(), capture_output=True, text=True, check=True)
    assert result.stdout.count("Expert Info") > 100
    assert result.stdout == tshark.run(capture, "-V")
