# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the tables share."""

import pytest

from lib.wire import Capture


@pytest.fixture
def capture(tmp_path):
    """A capture to be made up, and its path."""
    tmp_path.chmod(0o755)
    made = Capture()
    made.path = tmp_path / "made.pcap"
    return made
