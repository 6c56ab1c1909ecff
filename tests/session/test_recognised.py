# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures without the beginning: calls on a context that no bind explains are recognised by what they hold."""

import re

import pytest

from lib.captures import CAPTURES, options_for, record_of
from lib.lossy import frames_of
from lib.pcap import ETHERNET, write_pcap
from lib.sessions import values_of

# bind, bind_ack, bind_nak, alter_context, its answer, AUTH3: the version, the type, flags, no strange byte order.
BINDING = re.compile(rb"\x05\x00[\x0b-\x10]\x03[\x00\x10]\x00\x00\x00")
PASSES = pytest.mark.parametrize("options", [(), ("-2",)], ids=["one pass", "two passes"])


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """The frames of a capture by its name."""
    folder = tmp_path_factory.mktemp("frames")
    return lambda name: frames_of(CAPTURES / f"{name}.pcapng", folder)


def without_binds(frames):
    left = [frame for frame in frames if not BINDING.search(frame[1])]
    assert len(left) < len(frames)
    return left


def polled(call):
    """The numbers that the record of a call has in its answer."""
    is_poll = call.get("opnum") == 6 and (call.get("response") or {}).get("lpData", {}).get("blocks")
    return [value["value"] for _, _, value in values_of(call) if value["dwDataSize"] in (4, 8)] if is_poll else []


def sent(name):
    return [value for call in record_of(CAPTURES / f"{name}.pcapng")["calls"] for value in polled(call)]


def shown(tshark, path, *options):
    rows = tshark.fields(path, "perflibv2.value", options=options)
    return [int(value, 0) for (values,) in rows for value in values]


@PASSES
@pytest.mark.parametrize("name", [
    "tcp-session", "smb2-session", "both-apis", "ndr64", "big-endian", "smb2-overflow", "no-counter-info", "no-registration", "spec-layout",
    "locale", "instances-come-and-go", "multi-pdu", "two-servers", "segments", "mid-capture",
])
def test_binds_are_missing(tshark, tmp_path, frames, name, options):
    """All values that the server sent are there, as the record has them, and each of the calls says how it is known."""
    path = write_pcap(tmp_path / "cut.pcap", without_binds(frames(name)), ETHERNET)
    expected = sent(name)
    assert expected
    # Connections take turns: values of a frame stand in the order of its PDUs.
    assert sorted(shown(tshark, path, *options)) == sorted(expected)
    rows = tshark.fields(path, "perflib_session.recognised", "_ws.expert.message", display_filter="perflibv2", options=options)
    assert rows and all(row[0] for row in rows)
    said = {text for row in rows for text in row[1] if "recognised" in text}
    assert said and all(re.match(r"The bind is not in the capture: recognised as (PerflibV2|WINREG) by the re\w+ in frame \d+ \(\w+\)", text) for text in said)


@PASSES
@pytest.mark.parametrize("name", ["perfdata-samba", "both-apis", "habits", "perfdata-xp", "perfdata-windows"])
def test_binds_of_the_registry_are_missing(tshark, tmp_path, frames, name, options):
    """The older API: what the whole capture shows, which other tests compare with its record."""
    capture = CAPTURES / f"{name}.pcapng"
    path = write_pcap(tmp_path / "cut.pcap", without_binds(frames(name)), ETHERNET)
    fields = ("perfdata.value", "perfdata.path")
    whole = tshark.fields(capture, *fields, display_filter="perfdata.value", options=options)
    assert whole and tshark.fields(path, *fields, display_filter="perfdata.value", options=options) == whole


@PASSES
@pytest.mark.parametrize("name", ["pla-session", "pla-every-method"])
def test_binds_of_objects_are_missing(tshark, tmp_path, frames, name, options):
    """[MS-PLA]: each call of the record, by the objects that activation and other answers gave."""
    path = write_pcap(tmp_path / "cut.pcap", without_binds(frames(name)), ETHERNET)
    calls = [call for call in record_of(CAPTURES / f"{name}.pcapng")["calls"] if call["interface"].startswith("I")]
    rows = tshark.fields(path, "pla.opnum", "pla.hresult", display_filter="pla && dcerpc.pkt_type == 2", options=options)
    assert [(int(opnum[0]), int(result[-1], 0)) for opnum, result in rows] == [(call["opnum"], call["hresult"]["value"]) for call in calls]
