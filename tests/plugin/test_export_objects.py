# SPDX-License-Identifier: GPL-2.0-or-later
"""lpData and PERF_DATA_BLOCKs as files: every buffer, byte for byte, under names that a file system bears."""

import re

import pytest

from lib.captures import CAPTURES, record_of
from lib.some import some


def exported(tshark, capture, protocol, folder, *options):
    folder.chmod(0o777)
    tshark.run(capture, "-q", *options, "--export-objects", f"{protocol},{folder}/{protocol}")
    return {path.name: path.read_bytes() for path in (folder / protocol).iterdir()}


@pytest.mark.parametrize("options", [[], ["-2"]], ids=["one-pass", "two-pass"])
def test_every_buffer_is_exported_as_sent(tshark, tmp_path, options):
    capture = CAPTURES / "tcp-session.pcapng"
    files = exported(tshark, capture, "perflibv2", tmp_path, *options)
    sent = tshark.fields(capture, "frame.number", "perflibv2.lpdata", display_filter="perflibv2.lpdata", options=options)
    assert sorted((int(name[:6]), data.hex()) for name, data in files.items()) == sorted(
        (int(frame), data) for (frame,), buffers in sent for data in buffers if not data.startswith("<"))
    assert all(re.fullmatch(r"\d{6}-[A-Za-z0-9-]+\.(lpdata|failed)", name) for name in some(files))
    calls = {call[f"{which}_frame"]: call for call in record_of(capture)["calls"] for which in ("request", "response") if call.get(f"{which}_frame")}
    for name in some(files):
        call, is_request = calls[int(name[:6])], "-request" in name
        assert name.endswith(".failed") == (not is_request and call["return"]["value"] != 0)
        if call["opnum"] == 1:
            code, lcid = call["request"]["RequestCode"], call["request"]["RequestLCID"]
            assert f"-code-{code}-{'counter' if code == 2 else 'LCID'}-{lcid}." in name
        assert name.partition(".")[0].endswith("-remove") == (call["opnum"] == 7 and not call["request"]["dwAdd"])
    polls = [call for call in record_of(capture)["calls"] if call["opnum"] == 6 and call.get("response_frame")]
    names = " ".join(files)
    assert sum(f"{call['response_frame']:06}-QueryCounterData-response-query-" in names for call in polls) >= len(polls) - 2


def test_blocks_and_names_are_exported_by_what_was_asked(tshark, tmp_path):
    """The size of a block stands in it, at offset 20; what was asked stands in the file's name."""
    files = exported(tshark, CAPTURES / "perfdata-windows.pcapng", "perfdata", tmp_path)
    blocks = {name: data for name, data in files.items() if name.endswith(".perfdata")}
    whole = {name: data for name, data in blocks.items() if name.endswith("-Global.perfdata")}
    assert len(whole) > 3 and all(data[:8] == "PERF".encode("utf-16-le") for data in whole.values())
    assert all(int.from_bytes(data[20:24], "little") == len(data) for data in whole.values())
    names = {re.sub(r"^\d{6}-", "", name) for name in files}
    assert {"Global.perfdata", "230-232-238.perfdata", "Foreign-OTHER-PC-238.perfdata", "Counter-009.names"} <= names
    # Lists of names by their language, said by the value's name or by the key: that of HKEY_PERFORMANCE_NLSTEXT is not known.
    assert {name for name in names if name.endswith(".names")} == {"Counter-009.names", "HELP-009.names", "Counter.names"}
    assert all(re.fullmatch(r"[A-Za-z0-9-]+\.(perfdata|names|failed|bin)", name) for name in names)
