# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for all captures: what correct peers sent is understood, in one pass and in two."""

import pytest

from lib.captures import all_captures, options_for
from lib.some import some

# Nobody gets as far as a call of ours; with -2 Wireshark makes no key of the last one's.
WITHOUT_CALLS = {("foreign", False), ("foreign", True), ("sessions-smb", False), ("sessions-smb", True), ("perfdata-samba-smb3-ntlm", True)}
# Peers that were made to break rules: all of them, and one whose request has no stub.
INCORRECT = {"rules", "sessions-tcp"}
# A client that does well else was made to send less than one identifier, which has 40 bytes; the server returns it.
TOO_LITTLE = ["00" * 39]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("capture", all_captures(), ids=lambda capture: capture.stem)
def test_every_item_of_every_capture_is_understood(tshark, capture, two_pass):
    rows = tshark.fields(capture, "_ws.expert.message", "perflibv2.unknown", "frame.number", display_filter="perflibv2 || pla || perfdata",
                         options=[*options_for(capture), *(["-2"] if two_pass else [])])
    if (capture.stem, two_pass) in WITHOUT_CALLS:
        assert rows == []
        return
    wrong = [row for row in some(rows) if row[1] not in ([], TOO_LITTLE) or any("Malformed" in message for message in row[0])]
    assert bool(wrong) == (capture.stem in INCORRECT), wrong[:5]
