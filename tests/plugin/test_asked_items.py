# SPDX-License-Identifier: GPL-2.0-or-later
"""The limit of items holds for what is shown. A filter or a column that names a field gets all of its values."""

import re

import pytest

from lib.captures import CAPTURES
from lib.named_query import unescaped

CASES = {
    "perflibv2": (CAPTURES / "big.pcapng", ["path", "cooked", "value", "instance.name", "block.index"]),
    "perfdata": (CAPTURES / "perfdata-windows.pcapng", ["path", "cooked", "value", "instance.name", "object.name"]),
}


def rows(tshark, protocol, *options, fields=()):
    capture, _ = CASES[protocol]
    return tshark.fields(capture, *(f"{protocol}.{field}" for field in fields), options=["-2", *options],
                         display_filter=f"{protocol}.path")


@pytest.fixture(scope="module", params=CASES)
def everything(request, tshark):
    """A protocol and its rows without a limit."""
    return request.param, rows(tshark, request.param, fields=CASES[request.param][1])


@pytest.mark.parametrize("limit", [0, 200])
def test_fields_beyond_the_limit(tshark, everything, limit):
    """-T fields of what a filter on the path lets pass: every value, in the same order."""
    protocol, whole = everything
    cut = rows(tshark, protocol, "-o", f"{protocol}.max_items:{limit}", fields=[*CASES[protocol][1], "left_out", "out_of_reach"])
    assert whole and [row[:-2] for row in cut] == whole
    assert any(row[-2] for row in cut) and not any(row[-1] for row in cut)


def test_filters_beyond_the_limit(tshark, everything):
    """A filter finds the last value of a poll; what it finds is not shown."""
    protocol, whole = everything
    capture, _ = CASES[protocol]
    path = unescaped(max((row[0] for row in whole), key=len)[-1]).replace("\\", "\\\\").replace(chr(34), "\\" + chr(34))
    options = ["-o", f"{protocol}.max_items:20"]
    found = f'{protocol}.path == "{path}"'
    columns = ["-o", f'gui.column.format:"Number","%m","Path","%Cus:{protocol}.path:0"']
    lines = tshark.run(capture, "-2", *columns, "-Y", found).splitlines()
    assert lines and len(lines[-1].split(None, 1)) == 2
    assert tshark.run(capture, "-2", *options, *columns, "-Y", found).splitlines() == lines
    text = tshark.run(capture, "-2", *options, "-V", "-Y", found)
    assert re.findall(r"^Frame (\d+):", text, re.MULTILINE) == [line.split()[0] for line in lines]
    assert "not shown" in text and "Cooked value" not in text
