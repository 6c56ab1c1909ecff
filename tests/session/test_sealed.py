# SPDX-License-Identifier: GPL-2.0-or-later
"""Which sealed PDUs were not opened: each of them says so, with the right key, a wrong one and none."""

import pytest

from lib import lossy
from lib.captures import CAPTURES, all_captures, options_for
from lib.some import some

REQUEST, RESPONSE = "0", "2"
PRIVACY = "6"   # RPC_C_AUTHN_LEVEL_PKT_PRIVACY, [MS-RPCE] 2.2.1.1.8
SEALED = [capture for capture in all_captures() if capture.stem.startswith("sealed-") or capture.stem in
          ("pla-sealed", "perfdata-samba-sealed", "faults-samba", "faults-smb1", "faults-smb2")]


def opened_or_not(tshark, capture, *options):
    """Of each frame with RPC: how many requests and responses it holds that are sealed, and how many say they were not opened."""
    rows = tshark.fields(capture, "dcerpc.pkt_type", "dcerpc.auth_level", "perflib_session.sealed", display_filter="dcerpc", options=options, short=True)
    assert all(PRIVACY in levels or not marks for _, levels, marks in some(rows))
    return [(sum(kind in (REQUEST, RESPONSE) for kind in kinds), len(marks)) for kinds, levels, marks in rows if PRIVACY in levels]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("capture", SEALED, ids=lambda capture: capture.stem)
def test_each_sealed_pdu(tshark, capture, two_pass):
    options = options_for(capture)
    passes = ["-2"] if two_pass else []
    opened = opened_or_not(tshark, capture, *options, *passes)
    assert sum(pdus for pdus, _ in opened) and not sum(marks for _, marks in opened)
    without_key = [word for at, word in enumerate(options) if "-d" in options[max(at - 1, 0):at + 1]]
    for key in ([], ["-o", "ntlmssp.nt_password:Wrong"]):
        closed = opened_or_not(tshark, capture, *without_key, *key, *passes)
        assert sum(pdus for pdus, _ in closed) and all(pdus == marks for pdus, marks in some(closed))


def test_after_a_loss(tshark, tmp_path):
    """Only what could not be read says so: the frames whose item tells why."""
    tmp_path.chmod(0o777)
    capture = CAPTURES / "sealed-big-frames.pcapng"
    frames = lossy.frames_of(capture, tmp_path)
    path = tmp_path / "lost.pcap"
    lossy.write(path, [frames[:30] + frames[31:]])
    options = options_for(capture)
    why = "perflib_session.lost_step || perflib_session.cut || perflib_session.no_request"
    marked, told = ({row[0][0] for row in tshark.fields(path, "frame.number", display_filter=wanted, options=options)}
                    for wanted in ("perflib_session.sealed", why))
    assert told and marked == told
    assert tshark.fields(path, "frame.number", display_filter="perflibv2.path && !perflib_session.sealed", options=options)


def test_a_capture_in_clear(tshark):
    for name in ("tcp-session", "signed", "smb2-session"):
        capture = CAPTURES / f"{name}.pcapng"
        assert tshark.fields(capture, "frame.number", display_filter="perflibv2", options=options_for(capture))
        assert not tshark.fields(capture, "frame.number", display_filter="perflib_session.sealed", options=options_for(capture))
