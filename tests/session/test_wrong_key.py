# SPDX-License-Identifier: GPL-2.0-or-later
"""Sealed captures that are decrypted with a key that is not theirs: what comes of it is not read."""

import struct

import pytest

from lib import lossy
from lib.captures import CAPTURES, options_for
from lib.tables import verdicts

AUTHENTICATE = b"NTLMSSP\0" + struct.pack("<I", 3)


def with_other_key(capture, folder):
    """A copy in which each NTLM login sends another session key than the one its peers seal with: [MS-NLMP] 2.2.1.3."""
    changed = 0
    frames = []
    for seconds, frame in lossy.frames_of(capture, folder):
        frame = bytearray(frame)
        at = frame.find(AUTHENTICATE)
        if at >= 0:
            length, _, offset = struct.unpack_from("<HHI", frame, at + 52)
            if length == 16:    # SMB's own login may send none
                frame[at + offset] ^= 0xFF
                changed += 1
        frames.append((seconds, bytes(frame)))
    assert changed
    path = folder / "other-key.pcap"
    lossy.write(path, [frames])
    return path


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", ["sealed-tcp", "sealed-spnego-samba", "sealed-smb1"])
def test_no_value_is_shown(tshark, tmp_path, name, two_pass):
    tmp_path.chmod(0o777)
    capture = CAPTURES / f"{name}.pcapng"
    path = with_other_key(capture, tmp_path)
    options = [*options_for(capture), *(["-2"] if two_pass else [])]
    fields = ["perflibv2.machine", "perflibv2.handle", "perflibv2.return_code", "perflibv2.value", "_ws.malformed"]
    rows = tshark.fields(path, *fields, options=options, display_filter="dcerpc")
    assert rows and not any(cell for row in rows for cell in row)
    assert tshark.fields(path, "frame.number", options=options, display_filter="perflib_session.lost_step")
    table, _ = verdicts(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))
    assert table == {}, "nothing could be read, so that no rule could be checked"
