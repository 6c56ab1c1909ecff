# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of what is installed share."""

import subprocess

import pytest


@pytest.fixture(scope="session")
def build(tshark):
    """The folder that the plugin was built in, with all that is installed; make would look at a hundred tests besides."""
    folder = tshark.plugins.parent
    subprocess.run(["cmake", "--build", folder, "--target", "perflib", "man", "debian-changelog"], check=True, capture_output=True)
    return folder
