# SPDX-License-Identifier: GPL-2.0-or-later
"""Which sealed PDUs were not opened: each of them says so, with the right key, a wrong one and none."""

import pytest

from lib import lossy
from lib.captures import CAPTURES, all_captures, options_for
from lib.some import some

REQUEST, RESPONSE = "0", "2"
# Interfaces of DCOM itself ([MS-DCOM] 1.9), which any program calls: IRemoteSCMActivator, IRemUnknown, IRemUnknown2
OTHERS = {f"{first:08x}-0000-0000-c000-000000000046" for first in (0x1A0, 0x131, 0x143)}
PRIVACY = "6"   # RPC_C_AUTHN_LEVEL_PKT_PRIVACY, [MS-RPCE] 2.2.1.1.8
SEALED = [capture for capture in all_captures() if capture.stem.startswith("sealed-") or capture.stem in
          ("pla-sealed", "perfdata-samba-sealed", "faults-samba", "faults-smb1", "faults-smb2")]


def opened_or_not(tshark, capture, *options):
    """
    Of each frame with RPC: how many requests and responses it holds that are sealed, and how many say they were not opened.
    Contexts that are bound to interfaces of others must not say so.
    """
    rows = tshark.fields(capture, "tcp.stream", "dcerpc.pkt_type", "dcerpc.auth_level", "dcerpc.cn_ctx_id", "dcerpc.cn_bind_to_uuid",
                         "perflib_session.sealed", display_filter="dcerpc", options=options, short=True)
    assert all(PRIVACY in levels or not marks for _, _, levels, _, _, marks in some(rows))
    others, found = set(), []
    for stream, kinds, levels, contexts, interfaces, marks in rows:
        if interfaces:
            others |= {(*stream, context) for context, interface in zip(contexts, interfaces) if interface in OTHERS}
        elif PRIVACY in levels and any((*stream, context) in others for context in contexts):
            assert not marks
        elif PRIVACY in levels:
            found.append((sum(kind in (REQUEST, RESPONSE) for kind in kinds), len(marks)))
    return found


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("capture", SEALED, ids=lambda capture: capture.stem)
def test_each_sealed_pdu_is_marked_unless_opened(tshark, capture, two_pass):
    options = options_for(capture)
    passes = ["-2"] if two_pass else []
    opened = opened_or_not(tshark, capture, *options, *passes)
    assert sum(pdus for pdus, _ in opened) and not sum(marks for _, marks in opened)
    without_key = [word for at, word in enumerate(options) if "-d" in options[max(at - 1, 0):at + 1]]
    for key in ([], ["-o", "ntlmssp.nt_password:Wrong"]):
        closed = opened_or_not(tshark, capture, *without_key, *key, *passes)
        assert sum(pdus for pdus, _ in closed) and all(pdus == marks for pdus, marks in some(closed))


def test_after_a_loss_only_unread_frames_are_marked(tshark, tmp_path):
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


def test_capture_in_clear_has_no_mark(tshark):
    for name in ("tcp-session", "signed", "smb2-session"):
        capture = CAPTURES / f"{name}.pcapng"
        assert tshark.fields(capture, "frame.number", display_filter="perflibv2", options=options_for(capture))
        assert not tshark.fields(capture, "frame.number", display_filter="perflib_session.sealed", options=options_for(capture))


@pytest.mark.parametrize("name,is_marked", [("sealed-smb2", True), ("sealed-tcp", False)])
def test_a_bind_that_was_not_captured(tshark, tmp_path, name, is_marked):
    """Of a context without a bind it is said only where the pipe is the remote registry's: over TCP it may be anybody's."""
    tmp_path.chmod(0o777)
    capture = CAPTURES / f"{name}.pcapng"
    binds = {int(row[0][0]) for row in tshark.fields(capture, "frame.number", display_filter="dcerpc.pkt_type in {11, 12, 14, 15, 16}")}
    frames = lossy.frames_of(capture, tmp_path)
    path = tmp_path / "no-bind.pcap"
    lossy.write(path, [[frame for number, frame in enumerate(frames, 1) if number not in some(binds)]])
    sealed = tshark.fields(path, "frame.number", display_filter=f"dcerpc.auth_level == {PRIVACY}")
    assert bool(tshark.fields(path, "frame.number", display_filter="perflib_session.sealed")) == is_marked, some(sealed)
