# SPDX-License-Identifier: GPL-2.0-or-later
"""What polls cost by instructions, which no other work on the machine changes: of what 3 MB take more than 1 MB, as in tests/bench/RESULTS.md.

Limits are a hundredth or two above what was counted with Wireshark 4.0 and an optimised plugin: a run differs by 0.002 from the next. Other versions of Wireshark take more or
fewer instructions themselves, and coverage is counted by instructions: there only half as much again is too much.
"""

import sys

import pytest

from lib.captures import REPOSITORY
from lib.costs import instructions
from lib.tshark import Tshark

sys.path.insert(0, str(REPOSITORY / "tests" / "bench"))

import content  # noqa: E402

MEGABYTES = 1, 3
COUNTERS = "-q", "-z", "perflibv2,counters"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """tshark without the plugin."""
    folder = tmp_path_factory.mktemp("none")
    return Tshark(folder, folder)


@pytest.fixture(scope="module")
def counted(tshark, alone, tmp_path_factory):
    """Ratio to tshark alone, which only reads, of a content and options."""
    folder = tmp_path_factory.mktemp("polls")
    kept = {}

    def of(program, name, *options):
        if (program, name, options) not in kept:
            runs = []
            for size in MEGABYTES:
                path = folder / f"{name}-{size}"
                if not path.exists():
                    content.CONTENTS[name](path, size)
                runs.append(instructions(program, path, *options))
            kept[program, name, options] = runs[1] - runs[0]
        return kept[program, name, options]

    return lambda name, *options: of(tshark, name, *options) / of(alone, name)


def is_comparable(tshark):
    (plugin,) = tshark.plugins.glob("*/epan/perflib.so")
    return tshark.version == (4, 0) and b"__gcov" not in plugin.read_bytes()


@pytest.mark.parametrize(("name", "options", "most"), [
    ("small", (), 1.11),
    ("large", (), 1.06),
    ("large", COUNTERS, 2.44),
], ids=["small", "large", "counters"])
def test_instructions_stay_below_their_ratio(tshark, counted, name, options, most):
    ratio = counted(name, *options)
    print(f"{ratio:.3f}")
    assert ratio < (most if is_comparable(tshark) else 1.5 * most)


@pytest.mark.parametrize(("what", "name", "most"), [
    ("report", "large", 1.2),
    ("report", "small", 1.41),
    ("ndjson", "large", 1.11),
    ("ndjson", "small", 1.36),
])
def test_instructions_of_all_tables(tshark, counted, tmp_path, what, name, most):
    """The page, which has all tables and curves, and all tables as files, to the table of counters alone."""
    tmp_path.chmod(0o777)
    written = tmp_path / what
    ratio = counted(name, "-q", "-z", f"perflib,{what},{written}") / counted(name, *COUNTERS)
    print(f"{ratio:.3f}")
    assert "</html>" in written.read_text() if what == "report" else (written / "perflibv2-counters.ndjson").stat().st_size > 0
    assert ratio < (most if is_comparable(tshark) else 1.5 * most)
