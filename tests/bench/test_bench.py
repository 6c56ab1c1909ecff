# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark measures what it says: its captures hold what is known of them, and floor, plugin and Lua read the same."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import content  # noqa: E402

from lib.captures import REPOSITORY  # noqa: E402
from lib.tshark import Tshark  # noqa: E402

SIZE = 0.01


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    for name, make in content.CONTENTS.items():
        make(folder / name, SIZE)
    return folder


def values(tshark, capture, field, options=()):
    """Of each packet that has any."""
    rows = [list(map(int, row[0])) for row in tshark.fields(capture, field, options=options)]
    return [row for row in rows if row]


def expected(instances, counters, polls):
    return [
        [content.step(counter, instance) * number for instance in instances(number) for counter in range(1, counters + 1)]
        for number in range(1, polls + 1)
    ]


def test_what_is_in_them(tshark, captures):
    assert values(tshark, captures / "small", "perflibv2.value") == expected(lambda _: range(10), 8, 6)
    assert values(tshark, captures / "large", "perflibv2.value") == expected(lambda _: range(560), 28, 2)
    assert values(tshark, captures / "changing", "perflibv2.value") == expected(lambda k: range(k, k + 560), 28, 2)
    assert values(tshark, captures / "older", "perfdata.value") == expected(lambda _: range(320), 30, 2)


def test_sealed_captures_are_opened(tshark, captures):
    assert values(tshark, captures / "sealed", "perflibv2.value", content.options_of("sealed"))


def test_floor_and_script_read_the_same(captures, home):
    plugins = Path(os.environ.get("PERFLIB_PLUGINS") or REPOSITORY / "build" / "plugins")
    floor = Tshark(plugins.parent / "bench" / "floor", home)
    alone = Tshark(captures, home)
    script = ["-X", f"lua_script:{Path(__file__).with_name('decode.lua')}"]
    known = expected(lambda _: range(10), 8, 6)
    assert values(floor, captures / "small", "floor.value") == known
    assert values(floor, captures / "small", "floor.value", ["-o", "floor.items:6"]) == known
    assert values(alone, captures / "small", "floorlua.value", script) == known


def test_values_come_to_what_is_known(tshark, captures):
    """A number, a rate, a percentage of 100 ns, an average; its base is not displayed."""
    rows = tshark.fields(captures / "small", "perflibv2.cooked")
    second = [list(map(float, row[0])) for row in rows if row[0]][1]
    wanted = []
    for instance in range(10):
        each = content.step(1, instance)
        wanted += [2 * each, 2 * each, 100 * 3 * each / content.SECOND, 4 / 5]
        wanted += [2 * 6 * each, 7 * each, 100 * 8 * each / content.SECOND]
    assert second == pytest.approx(wanted)
