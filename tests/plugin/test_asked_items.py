# SPDX-License-Identifier: GPL-2.0-or-later
"""The limit of items holds for what is shown. A filter or a column that names a field gets all of its values."""

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


@pytest.mark.parametrize("protocol", CASES)
@pytest.mark.parametrize("limit", [0, 200])
def test_fields_beyond_the_limit(tshark, protocol, limit):
    """-T fields of what a filter on the path lets pass: every value, in the same order."""
    fields = CASES[protocol][1]
    whole = rows(tshark, protocol, fields=fields)
    cut = rows(tshark, protocol, "-o", f"{protocol}.max_items:{limit}", fields=[*fields, "left_out", "out_of_reach"])
    assert whole and [row[:-2] for row in cut] == whole
    assert any(row[-2] for row in cut) and not any(row[-1] for row in cut)


@pytest.mark.parametrize("protocol", CASES)
def test_filters_beyond_the_limit(tshark, protocol):
    """A filter finds the last value of a poll; what it finds is not shown."""
    capture, _ = CASES[protocol]
    paths = [row[0] for row in rows(tshark, protocol, fields=["path"])]
    path = unescaped(max(paths, key=len)[-1]).replace("\\", "\\\\").replace(chr(34), "\\" + chr(34))
    options = ["-o", f"{protocol}.max_items:20"]
    found = f'{protocol}.path == "{path}"'
    frames = [row[0] for row in tshark.fields(capture, "frame.number", options=["-2"], display_filter=found)]
    assert frames
    assert [row[0] for row in tshark.fields(capture, "frame.number", options=["-2", *options], display_filter=found)] == frames
    text = tshark.run(capture, "-2", *options, "-V", "-Y", found)
    assert "not shown" in text and "Cooked value" not in text
    columns = ["-o", f'gui.column.format:"Path","%Cus:{protocol}.path:0"']
    *_, last = tshark.run(capture, "-2", *options, *columns, "-Y", found).splitlines()
    assert last == tshark.run(capture, "-2", *columns, "-Y", found).splitlines()[-1] and last
