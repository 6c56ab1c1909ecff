# SPDX-License-Identifier: GPL-2.0-or-later
"""One capture that holds both APIs: one reading, whichever way a counter was fetched."""

import csv
import math

import pytest

from lib.captures import CAPTURES, options_for, record_of

CAPTURE = CAPTURES / "both-apis.pcapng"
# What the server shows under two names: instances of Processor and of Processor Information.
SAME = {"0": "0,0", "1": "0,1", "_Total": "_Total"}


# The same beside PerflibV2 where Wireshark alone decrypts neither: on pipes that take turns, in contexts of one connection.
SEALED = ("sealed-two-pipes", "sealed-two-pipes-spnego", "sealed-two-contexts")


def columns_of(tshark, capture, folder):
    """Per protocol: path -> cells of the CSV, "" for the times."""
    folder.chmod(0o777)
    read = {}
    for protocol in ("perflibv2", "perfdata"):
        path = folder / f"{protocol}.csv"
        tshark.run(capture, *options_for(capture), "-q", "-2", "-z", f"{protocol},pdh-csv,{path}")
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        read[protocol] = dict(zip(["", *header[1:]], zip(*rows)))
    return read


@pytest.fixture
def columns(tshark, tmp_path):
    return columns_of(tshark, CAPTURE, tmp_path)


def test_same_counter_same_numbers(columns):
    assert columns["perflibv2"][""] == columns["perfdata"][""]
    assert len(columns["perfdata"]) == 1 + 3 * len(SAME)
    for counter in ("% Processor Time", "% User Time", "Interrupts/sec"):
        for old, new in SAME.items():
            assert columns["perfdata"][f"\\\\WIN-PERF01\\Processor({old})\\{counter}"] == \
                columns["perflibv2"][f"\\\\WIN-PERF01\\Processor Information({new})\\{counter}"]


@pytest.mark.parametrize("name", ["both-apis", *SEALED])
def test_older_api_as_recorded(tshark, tmp_path, name):
    capture = CAPTURES / f"{name}.pcapng"
    columns = columns_of(tshark, capture, tmp_path)
    expected = {}
    for call in record_of(capture)["perfdata_calls"]:
        for value in call.get("values", []):
            expected.setdefault(value["path"], []).append(value.get("cooked", {}).get("value"))
    assert expected
    assert {path for path in columns["perfdata"] if path} == set(expected)
    for path, values in expected.items():
        for cell, value in zip(columns["perfdata"][path], values, strict=True):
            assert cell == " " if value is None else math.isclose(float(cell), value, rel_tol=1e-12), path


def test_no_frame_belongs_to_both_apis(tshark):
    """No frame belongs to both, and each shows only its own values."""
    frames = {
        protocol: {row[0][0] for row in tshark.fields(CAPTURE, "frame.number", display_filter=f"{protocol}.path")}
        for protocol in ("perflibv2", "perfdata")
    }
    assert len(frames["perflibv2"]) == len(frames["perfdata"]) == 4
    assert not frames["perflibv2"] & frames["perfdata"]
