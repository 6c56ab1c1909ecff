# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures taken again with a short snap length: what is cut off is nobody's fault."""

import subprocess

import pytest

from lib.captures import REPOSITORY

SESSION = REPOSITORY / "captures" / "tcp-session.pcapng"


@pytest.fixture(params=[120, 200, 300, 500, 1000, 2000])
def cut_session(request, tmp_path):
    path = tmp_path / "cut.pcapng"
    subprocess.run(["editcap", "-s", str(request.param), SESSION, path], check=True)
    for readable in (path, tmp_path):
        readable.chmod(0o755)
    return path


def test_nothing_is_malformed(tshark, cut_session):
    assert tshark.fields(cut_session, "frame.number", display_filter="_ws.malformed", options=["-2"]) == []


def test_the_end_of_a_message_is_not_taken_for_it(tshark, cut_session):
    """Frame 114 holds the last fragment of an answer; of the fragments before a short snap length leaves less than there was."""
    rows = tshark.fields(cut_session, "perflibv2.return_size", "perflibv2.no_beginning", display_filter="frame.number == 114",
                         options=["-2"])
    whole = tshark.fields(SESSION, "perflibv2.return_size", display_filter="frame.number == 114", options=["-2"])
    assert len(whole) == 1
    if rows and rows[0][0]:
        assert rows[0][0] == whole[0][0]
    else:
        assert rows == [] or rows[0] == [[], []] or rows[0][1] != []
