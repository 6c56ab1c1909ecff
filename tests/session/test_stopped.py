# SPDX-License-Identifier: GPL-2.0-or-later
"""perflib_session.stopped: the frames in which attempts stopped, once the capture was counted. Wireshark does so at once; sharkd
when it is asked for a statistic."""

import pytest

from lib.captures import CAPTURES, options_for, record_of
from lib.pcap import ETHERNET, write_pcap
from lib.lossy import frames_of
from lib.sharkd import ask
from lib.some import some
from lib.tables import data_tables


def stopped(tshark, path, *filters):
    """Of each filter the frames that match."""
    requests = [{"method": "load", "params": {"file": str(path)}}, {"method": "tap", "params": {"tap0": "conv:TCP"}}]
    answers = ask(tshark, requests + [{"method": "frames", "params": {"filter": text}} for text in filters])
    return [[frame["num"] for frame in answers[number]] for number in range(3, 3 + len(filters))]


@pytest.mark.parametrize("name", ["sessions-smb", "sessions-tcp", "faults-refused"])
def test_frames_that_stopped_an_attempt(tshark, name):
    """All of them, with the reason that the table of sessions has, and no others."""
    path = CAPTURES / f"{name}.pcapng"
    rows = [row for row in data_tables(tshark, path)["sessions"] if row["state"] == "stopped" and row["outcome_code"] != "encrypted"]
    codes = sorted({row["outcome_code"] for row in some(rows)})
    found, *by_code = stopped(tshark, path, "perflib_session.stopped", *(f'perflib_session.stopped == "{code}"' for code in codes))
    assert len(found) == sum(row["times"] for row in rows)
    assert sorted(sum(by_code, [])) == sorted(found)
    assert [len(frames) for frames in by_code] == [sum(row["times"] for row in rows if row["outcome_code"] == code) for code in codes]


def test_reason_marks_no_bytes_of_the_frame(tshark):
    """It is about the attempt, not about a part of the packet: nothing is highlighted where it is chosen."""
    path = CAPTURES / "sessions-tcp.pcapng"
    ((frame, *_),) = stopped(tshark, path, "perflib_session.stopped")
    requests = [{"method": "load", "params": {"file": str(path)}}, {"method": "tap", "params": {"tap0": "conv:TCP"}},
                {"method": "frame", "params": {"frame": frame, "proto": True}}]
    (item,) = [item for item in ask(tshark, requests)[3]["tree"] if item["f"].startswith("perflib_session.stopped ")]
    assert item["g"] and "h" not in item
