# SPDX-License-Identifier: GPL-2.0-or-later
"""A tshark that registered its protocols beforehand says what one does that is started anew."""

import os
import subprocess

import pytest

from lib.captures import CAPTURES, options_for
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
