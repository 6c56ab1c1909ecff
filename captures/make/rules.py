#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes captures/rules.pcapng: for each rule of [MS-PCQ] a session that breaks it, on a server of its own.

The sessions are those of tests/perflibv2/test_rules.py, which says of each in which frame it breaks what. They were
never on a wire.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "tests" / "perflibv2")]

import test_rules  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, _ = test_rules.all_broken(Path(folder) / "rules.pcap")
        subprocess.run(["editcap", "-F", "pcapng", path, REPOSITORY / "captures" / "rules.pcapng"], check=True)


if __name__ == "__main__":
    main()
