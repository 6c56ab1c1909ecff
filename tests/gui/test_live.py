# SPDX-License-Identifier: GPL-2.0-or-later
"""A live capture, through a pipe: the tables do not follow it, as the manual says, and Apply counts all packets so far."""

import os
import subprocess
import time
from pathlib import Path

from lib.captures import CAPTURES
from lib.desktop import PATIENCE, Desktop
from lib.tables import table_rows

SESSION = CAPTURES / "tcp-session.pcapng"
TITLE, PACKETS = "PerflibV2 Calls", 150


def calls(desktop):
    """Operation, return code and number of calls of each row."""
    return {tuple(row.split()[:3]) for row in desktop.table(f"{TITLE} ")[2:]}


def test_apply_counts_what_came(tshark, tmp_path):
    for name, packets in (("begin", f"1-{PACKETS}"), ("end", f"{PACKETS + 1}-9999")):
        subprocess.run(["editcap", "-F", "pcap", "-r", SESSION, tmp_path / name, packets], check=True)
    desktop = Desktop(tshark, tmp_path / "home", {"preferences": "gui.ask_unsaved: FALSE\n"})
    # dumpcap gives up root's reach over files: it gets the folder that packets come from and go to as one that is open.
    folder = os.open(desktop.home, os.O_RDONLY)
    opened = Path(f"/proc/self/fd/{folder}")
    desktop.environment["TMPDIR"] = str(opened)
    pipe = desktop.home / "live"
    os.mkfifo(pipe)
    pipe.chmod(0o666)
    # Open for reading, too: so that it does not wait for Wireshark.
    writer = os.open(pipe, os.O_RDWR)
    try:
        os.write(writer, (tmp_path / "begin").read_bytes())
        desktop.start(opened / pipe.name, "-k", read="-i", open_files=[folder])
        desktop.open(TITLE)
        begun = calls(desktop)
        # Without the header of the file.
        os.write(writer, (tmp_path / "end").read_bytes()[24:])
        expected = {tuple(row[:3]) for row in table_rows(tshark.run(SESSION, "-q", "-z", "perflibv2,calls"))}
        end, shown = time.monotonic() + PATIENCE, begun
        while shown != expected and time.monotonic() < end:
            desktop.click(desktop.focus(f"{TITLE} "), -51, -58)
            shown = calls(desktop)
        assert len(begun) > 3 and begun != expected == shown
        desktop.end_well()
    finally:
        desktop.stop()
        os.close(writer)
        os.close(folder)
