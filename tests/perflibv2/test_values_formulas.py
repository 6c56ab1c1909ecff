# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of a formula, as a person reads them, come to what the peers of the capture computed."""

import re
from collections import defaultdict
from fractions import Fraction

import pytest

from lib.captures import CAPTURES, record_of


def computed(text):
    """What an expression of whole numbers comes to, exactly."""
    assert re.fullmatch(r"[-+*/()0-9]+", text), text
    return eval(re.sub(r"\d+", r"Fraction(\g<0>)", text), {"Fraction": Fraction})


@pytest.mark.parametrize("name", ["tcp-session", "smb2-session", "two-servers", "instances-come-and-go", "counter-reset-and-wrap", "spec-layout"])
def test_numbers_come_to_the_value(tshark, name):
    capture = CAPTURES / f"{name}.pcapng"
    record = record_of(capture)
    frames = {call["n"]: call["response_frame"] for call in record["calls"] if call.get("response_frame")}
    expected = defaultdict(set)
    for value in record["expected_cooked_values"]:
        expected[frames[value["to_call"]]].add(Fraction(value["exact"]))
    lines = tshark.run(capture, "-2", "-V", "-Y", "perflibv2.cooked.formula").splitlines()
    frame, checked, alone = None, 0, 0
    for line in lines:
        if line.startswith("Frame "):
            frame = int(line.split()[1].rstrip(":,"))
        elif "[Formula: " in line and "wrapped" not in line:
            numbers = re.search(r"; here ([^ \]]+)", line)
            if numbers:
                assert computed(numbers[1]) in expected[frame], line
                checked += 1
            else:
                assert re.search(r"\[Formula: N1[] ]", line), line
                alone += 1
    assert checked > 0 and checked + alone > 10
