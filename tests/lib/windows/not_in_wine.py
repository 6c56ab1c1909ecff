# SPDX-License-Identifier: GPL-2.0-or-later
"""A plugin for pytest that leaves out what not-in-wine.txt names, and says which of its names it met."""

from pathlib import Path

NAMES = [line.split("  ")[0] for line in Path(__file__).with_name("not-in-wine.txt").read_text(encoding="utf-8").splitlines() if "  " in line]
MET = {}


def pytest_collection_modifyitems(config, items):
    left_out = []
    for item in items:
        name = next((name for name in NAMES if name in item.nodeid), None)
        if name:
            MET[name] = MET.get(name, 0) + 1
            left_out.append(item)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter):
    for name, count in MET.items():
        terminalreporter.write_line(f"cannot be: {name}  {count}")
