#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the captures of performance data that were never on a wire: perfdata_crafted.py [--into FOLDER] [NAME...].

Needs neither root nor a network. The same content at each run.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from perfcap.recorder import write_pcapng  # noqa: E402
from perfdata.crafted import CAPTURES  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CAPTURES))
    parser.add_argument("--into", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    for name in arguments.names or CAPTURES:
        capture, calls = CAPTURES[name]()
        write_pcapng(arguments.into / f"{name}.pcapng", capture.frames, "written by captures/make/perfdata_crafted.py, never on a wire")
        record = {"capture": f"{name}.pcapng", "interface": {"name": "winreg"}, "calls": calls}
        (arguments.into / f"{name}.json").write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
