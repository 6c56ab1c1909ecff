# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings are told whether or not somebody builds a tree: Analyze > Expert Information and "-z expert" build none."""

import re

import pytest

from lib.captures import CAPTURES, all_captures, options_for
from lib.some import some

# io,stat with a filter makes Wireshark build trees that nobody sees.
A_TREE = ("-z", "io,stat,0,frame.number")


def told(output):
    """The rows of -z expert, each with its severity. Not those of Wireshark about Kerberos keys, which need a tree."""
    severity, rows = None, []
    for line in output.splitlines():
        if heading := re.fullmatch(r"(Errors|Warns|Notes|Chats|Comments) \(\d+\)", line):
            severity = heading[1]
        elif not line.strip():
            severity = None
        elif severity and not line.startswith("=====") and "Frequency" not in line and not re.search("keytype|num_tries", line):
            rows.append((severity, " ".join(line.split())))
    return sorted(rows)


@pytest.mark.parametrize("capture", all_captures(), ids=lambda capture: capture.stem)
def test_findings_need_no_tree(tshark, capture):
    options = options_for(capture)
    without = told(tshark.run(capture, "-q", "-z", "expert", *options))
    assert without == told(tshark.run(capture, "-q", "-z", "expert", *A_TREE, *options))
    assert some(without) == told(tshark.run(capture, "-V", "-z", "expert", *options))


# Whether the fields of a frame are columns, for which nothing more is made than they need, and what else tshark is told
MODES = {
    "columns": (True, ()),
    "columns in two passes": (True, ("-2",)),
    "fields": (False, ()),
    "fields in two passes": (False, ("-2",)),
}


@pytest.mark.parametrize("most", [10, 60, 300, 2000])
@pytest.mark.parametrize("name,protocol", [("tcp-session", "perflibv2"), ("big", "perflibv2"), ("instances-come-and-go", "perflibv2"),
                                           ("perfdata-windows", "perfdata"), ("perfdata-samba", "perfdata")])
def test_what_is_left_out_is_told_in_every_mode(tshark, name, protocol, most):
    """The room of a packet is counted as if all of it were shown."""
    capture, left_out = CAPTURES / f"{name}.pcapng", f"{protocol}.left_out"
    limit = ("-o", f"{protocol}.max_items:{most}")
    frames = {mode: tshark.fields(capture, "frame.number", display_filter=left_out, options=[*limit, *options], short=short)
              for mode, (short, options) in MODES.items()}
    frames["a filter that names values"] = tshark.fields(
        capture, "frame.number", display_filter=f"{left_out} && ({protocol}.cooked || frame)", options=limit, short=True)
    frames["a column"] = [row[:1] for row in tshark.fields(capture, "frame.number", left_out, options=limit) if row[1]]
    assert {str(found) for found in frames.values()} == {str(frames["fields"])}, frames
    assert frames["fields"] or most > 300 or name == "perfdata-samba"
