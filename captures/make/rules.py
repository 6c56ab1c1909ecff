#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes captures/rules.pcapng: for each rule of [MS-PCQ] a session that breaks it, on a server of its own.

The sessions are those of tests/lib/broken_rules.py, which says of each in which frame it breaks what. They were
never on a wire.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))

from lib.broken_rules import all_broken  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, _ = all_broken(Path(folder) / "rules.pcap")
        subprocess.run(["editcap", "-F", "pcapng", path, REPOSITORY / "captures" / "rules.pcapng"], check=True)


if __name__ == "__main__":
    main()
