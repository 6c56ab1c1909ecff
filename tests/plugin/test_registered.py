# SPDX-License-Identifier: GPL-2.0-or-later
"""A tshark that registered its protocols beforehand says what one does that is started anew."""

import os
import subprocess

import pytest

from lib.captures import CAPTURES, REPOSITORY, options_for
from lib.registered import library

SESSION = CAPTURES / "tcp-session.pcapng"
SEALED = CAPTURES / "sealed-smb2.pcapng"
RUNS = [
    ("-r", SESSION, "-2", "-V"),
    ("-r", SESSION, "-q", "-z", "perflibv2,counters", "-z", "perflibv2,queries"),
    ("-r", SESSION, "-o", "perflibv2.max_items:100", "-o", 'uat:perflibv2_watch:"cpu","*"', "-T", "fields", "-e", "perflibv2.watch.cpu"),
    ("-r", SEALED, *options_for(SEALED), "-T", "fields", "-E", "separator=\n", "-e", "frame.number", "-e", "perflibv2.path", "-e", ""),
    ("-r", SESSION, "-Y", "no.such.field"),
    ("-r", "/nonexistent"),
    ("-G", "protocols"),
]


def said(result):
    return result.returncode, result.stdout, result.stderr


@pytest.fixture
def registered(tshark):
    assert library(), "registered.so was not built"
    return tshark


def test_same_as_started_anew(registered):
    # The first is repeated behind the others, which must leave nothing.
    for run in (*RUNS, RUNS[0]):
        assert said(registered.result(*run)) == said(registered.started_anew(*run)), run
    assert registered.registered and not registered.registered.ended()


def test_a_run_that_takes_too_long(registered, tmp_path):
    """It ends, and the next one is none the worse."""
    nobody_writes = tmp_path / "capture"
    os.mkfifo(nobody_writes)
    with pytest.raises(subprocess.TimeoutExpired):
        registered.result("-r", nobody_writes, timeout=0.1)
    assert registered.result("-r", SESSION, "-c", "1").returncode == 0


@pytest.fixture(scope="module")
def environments(tshark):
    return tshark.environment_of_commands(REPOSITORY), tshark.environment()


@pytest.mark.parametrize("command", [
    "tshark -r captures/tcp-session.pcapng -Y 'perflibv2.opnum == 6'",
    # Whether head has gone by the time of the fourth line is chance, and with it how tshark ends.
    "{ tshark -r captures/tcp-session.pcapng -Y perflibv2 || true; } | head -n 3",
    "tshark -r captures/tcp-session.pcapng -Y no.such.field",
    # What one that waits was not told, or cannot do.
    "cd captures && tshark -r tcp-session.pcapng -q -z perflibv2,calls",
    "WIRESHARK_PLUGIN_DIR=/nonexistent tshark -r captures/tcp-session.pcapng -Y perflibv2",
    "tshark -r - -q -z perflibv2,calls <captures/tcp-session.pcapng",
])
def test_commands_that_start_it(tshark, environments, command):
    """They say the same where tshark asks one that waits, which runs one after the other."""
    asked, anew = (
        subprocess.run(tshark.command("-c", f"set -o pipefail; {command}", program="bash"), cwd=REPOSITORY, env=environment,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        for environment in environments
    )
    assert said(asked) == said(anew)
