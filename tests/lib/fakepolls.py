# SPDX-License-Identifier: GPL-2.0-or-later
"""Polls that a test spells out, and tshark with the plugin that hands them to the statistics (tests/taps)."""

import os
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import pytest

from lib.captures import REPOSITORY
from lib.pcap import ETHERNET, write_pcap
from lib.tshark import Tshark

FIRST_SAMPLE, NOT_DISPLAYED = 6, 2      # enum cook_reason

NOON = int(datetime(2026, 11, 20, 12, tzinfo=timezone.utc).timestamp())


@pytest.fixture(scope="session")
def fake_tshark(home):
    """tshark with the plugin of tests/taps."""
    plugins = os.environ.get("PERFLIB_PLUGINS") or REPOSITORY / "build" / "plugins"
    return Tshark(Path(plugins).parent / "test-plugins", home)


def real(path, value, unit=""):
    return f"{path}\treal\t{value!r}\t{unit}"


def whole(path, value):
    return f"{path}\twhole\t{value}\t"


def text(path, value):
    return f"{path}\ttext\t{value}\t"


def none(path, reason=FIRST_SAMPLE):
    return f"{path}\tnone\t{reason}\t"


def poll(*samples, seconds=0, nanoseconds=0, host="HOST"):
    """A frame: when, seconds after noon, and the samples."""
    return "\n".join([f"{host}\t{NOON + seconds}\t{nanoseconds}", *samples, ""])


@pytest.fixture
def capture(tmp_path):
    """Writes polls, a frame each, into a capture file."""
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents:
        if parent == Path(tempfile.gettempdir()):
            break
        parent.chmod(parent.stat().st_mode | 0o011)

    def write(*polls):
        frames = [(number * 1_000_000, bytes(12) + b"\x88\xb5" + content.encode()) for number, content in enumerate(polls)]
        return write_pcap(tmp_path / "polls.pcap", frames, ETHERNET)

    return write
