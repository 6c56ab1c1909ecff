# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of a script each of whose captures is made in a network namespace of its own."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys


def main(description, scenarios, record, addresses=()):
    """NAME... [--into FOLDER]: calls record(name, folder) for each, in a network with these addresses beside 127.0.0.1."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(scenarios))
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.inside:
        # Nothing of this machine's own ports is touched.
        for name in arguments.names or scenarios:
            subprocess.run(["unshare", "--net", "--", sys.executable, sys.argv[0], name, "--into", str(arguments.into.resolve()),
                            "--inside"], check=True)
        return
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in addresses:
        subprocess.run(["ip", "address", "add", address + "/8", "dev", "lo"], check=True)
    for name in arguments.names:
        record(name, arguments.into)


def end_daemons(folder):
    """Ends what wrote its number into a file there: Samba's helpers outlive it."""
    for pidfile in folder.glob("*.pid"):
        try:
            os.kill(int(pidfile.read_text()), signal.SIGTERM)
        except (ProcessLookupError, ValueError):
            pass
