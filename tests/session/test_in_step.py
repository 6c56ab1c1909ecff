# SPDX-License-Identifier: GPL-2.0-or-later
"""Decryption of sealed DCE/RPC that is kept in step, and captures in which there is nothing to do."""

import re

import pytest

from lib import lossy
from lib.captures import CAPTURES, all_captures, options_for, record_of
from lib.pcap import ETHERNET, write_pcap
from lib.some import some

OFF = ("-o", "perflib_session.keep_in_step:FALSE")
# Read by every test of their own; here they would only take time.
LONG = {"big"}


def is_sealed_by_ntlm(capture):
    return "ntlmssp.nt_password" in " ".join(options_for(capture))


CLEAR = [capture for capture in all_captures() if not is_sealed_by_ntlm(capture) and capture.stem not in LONG]
# What Wireshark decrypts rightly by itself: one context a connection, one PDU a frame, NTLM alone, nothing lost.
PLAIN_NTLM = [CAPTURES / f"{name}.pcapng" for name in ("sealed-tcp", "sealed-smb2", "pla-sealed", "signed")]


@pytest.mark.parametrize("capture", CLEAR + PLAIN_NTLM, ids=lambda capture: capture.stem)
def test_nothing_changes_where_wireshark_is_right(tshark, capture):
    """No layer, data source, column or item more or less."""
    options = [*options_for(capture), "-V", "-P"]
    on, off = (tshark.run(capture, *options, *more) for more in ((), OFF))
    if on != off:
        # How many keys Kerberos tries before the right one follows from where they lie in memory.
        on, off = (re.sub(r"num_tries=\d+", "", output) for output in (on, off))
    assert on == off


def test_off_is_wireshark_as_it_is(tshark, bare_tshark):
    """What the plugin does not decode itself looks as without it."""
    capture = CAPTURES / "sealed-spnego-long.pcapng"
    fields = ["frame.number", "dcerpc.encrypted_stub_data", "ntlmssp.verf.body", "frame.protocols"]
    options = options_for(capture)
    with_plugin = tshark.fields(capture, *fields, options=[*options, *OFF, "--disable-protocol", "perflibv2"])
    without = bare_tshark.fields(capture, *fields, options=options)
    assert [row[:3] for row in with_plugin] == [row[:3] for row in without]


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
def test_preference_decides_whether_calls_stay_readable(tshark, two_pass):
    """sealed-spnego-long: the preference off, Wireshark 4.0 reads the first call only (captures/README.md)."""
    capture = CAPTURES / "sealed-spnego-long.pcapng"
    calls = len(record_of(capture)["calls"])
    passes = ["-2"] if two_pass else []
    for options, whole in ((passes, True), ([*passes, *OFF], False)):
        rows = tshark.fields(
            capture, "perflibv2.return_code", "_ws.malformed", display_filter="perflibv2",
            options=[*options_for(capture), *options],
        )
        codes = [code for row in rows for code in row[0]]
        assert (len(codes) == calls and not any(row[1] for row in rows)) == whole


@pytest.mark.parametrize("two_pass", [False, True], ids=["one-pass", "two-pass"])
@pytest.mark.parametrize("name", ["sealed-big-frames", "sealed-tcp"])
def test_off_shows_nothing_twice(tshark, folder, name, two_pass):
    """Of several PDUs in a frame Wireshark decrypts the first; its bytes are not shown for the others, nor what lies behind them."""
    capture = CAPTURES / f"{name}.pcapng"
    path = folder / "merged.pcap"
    lossy.write(path, [lossy.merge_segments(lossy.frames_of(capture, folder))])
    options = [*options_for(capture), *OFF, *(["-2"] if two_pass else [])]
    fields = ["dcerpc.decrypted_stub_data", "dcerpc.pkt_type"]
    rows = tshark.fields(path, *fields, display_filter="dcerpc.decrypted_stub_data", options=options)
    assert any(len(kinds) > 1 for _, kinds in rows)
    assert all(len(stubs) == 1 for stubs, _ in some(rows))


@pytest.mark.parametrize("kind", [0, 2], ids=["request", "answer"])
def test_first_sealed_call_may_be_cut_behind_a_signed_list(tshark, tmp_path, kind):
    """The signature of the mechanism list has number 0, [MS-SPNG] 3.3.5.1: the call has number 1, so that none before it is missing,
    even where its own bytes cannot show it."""
    capture = CAPTURES / "sealed-spnego-samba.pcapng"
    options = options_for(capture)
    calls = tshark.fields(capture, "frame.number", options=options, display_filter=f"perflibv2 && dcerpc.pkt_type == {kind}")
    ((number,),) = calls[0]
    frames = lossy.frames_of(capture, tmp_path)
    time, data = frames[int(number) - 1]
    frames[int(number) - 1] = time, data[:-1], len(data)
    path = write_pcap(tmp_path / "cut.pcap", frames, ETHERNET)
    found = tshark.fields(path, "frame.number", options=options, display_filter=f"perflibv2.opnum && dcerpc.pkt_type == {kind}")
    assert {row[0][0] for row in found} >= {row[0][0] for row in some(calls[1:])}
    assert tshark.fields(path, "frame.number", options=options, display_filter="perflib_session.lost_step") == []
