# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields as columns: Wireshark 4.0 and 4.4 crash over hundreds of FT_DOUBLE values in one, so there are never that many."""

import pytest

from lib.captures import CAPTURES

# Room for 2048 bytes, a value takes 32 at most; proto_custom_set() of Wireshark's epan/proto.c.
ROOM = 2048 // 32

# 40,000 values a poll; twenty counters a block of 2000 instances.
BIG = CAPTURES / "big.pcapng"
WATCH = ["-o", r'uat:perflibv2_watch:"every","*"']
OLDER = CAPTURES / "perfdata-windows.pcapng"


def column(fields, occurrence=0):
    return f'"%Cus:{fields}:{occurrence}:R"'


def columns(*formats):
    titled = (f'"{title}",{each}' for title, each in zip("ABCD", formats))
    return ["-o", "gui.column.format:" + ",".join(titled)]


NAMES = ["perflibv2.cooked", "perflibv2.watch.every", "perflibv2.poll.interval"]


@pytest.fixture(scope="module")
def values(tshark):
    """Name -> what each poll that has any has of it."""
    rows = tshark.fields(BIG, *NAMES, display_filter=" || ".join(NAMES), options=WATCH)
    return {name: [row[number] for row in rows if row[number]] for number, name in enumerate(NAMES)}


@pytest.mark.parametrize("name", NAMES)
def test_column_of_many_values(tshark, values, name):
    lines = tshark.run(BIG, *WATCH, *columns(column(name))).splitlines()
    cells = [cell.strip().split(",") for cell in lines if cell.strip()]
    assert cells, "no poll shows a value"
    for cell, whole in zip(cells, values[name], strict=True):
        assert cell == whole[: len(cell)]
        assert len(cell) == min(len(whole), ROOM - 1)


@pytest.mark.parametrize(
    "formats",
    [
        [column("perflibv2.path || perflibv2.cooked")],
        [column("perflibv2.cooked || perflibv2.path"), column("perflibv2.cooked")],
        [column("perflibv2.watch.every || perflibv2.cooked")],
        [column("perflibv2.cooked", 1), column("perflibv2.cooked", 39000), column("perflibv2.cooked", -1)],
    ],
    ids=["behind another field", "before another field", "two of ours", "one occurrence"],
)
def test_columns_of_several_fields(tshark, formats):
    assert tshark.run(BIG, *WATCH, *columns(*formats)).strip()


def test_column_of_one_occurrence_knows_all(tshark, values):
    """Only columns that show every occurrence lack room."""
    lines = tshark.run(BIG, *columns(column("perflibv2.cooked", -1))).splitlines()
    cells = [line.strip() for line in lines if line.strip()]
    assert cells == [whole[-1] for whole in values["perflibv2.cooked"]]


def test_column_of_the_older_api(tshark):
    assert tshark.run(OLDER, *columns(column("perfdata.cooked"))).strip()
