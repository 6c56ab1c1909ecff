# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of a formula, as a person reads them, come to what the peers of the capture computed."""

import re
from collections import defaultdict
from fractions import Fraction

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, record_of
from lib.wire import Capture


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


def test_frame_of_a_previous_value_that_is_not_of_the_poll_before(tshark, tmp_path):
    """Only formulas that look back name it: a number as it is, or of one poll, is compared with nothing."""
    timer, raw_fraction, raw_base, handle = 0x20510500, 0x20020400, 0x40030403, p.query_handle(1)
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(1), p.counter(2, timer), p.counter(3, raw_fraction, base=4), p.counter(4, raw_base)]))
    peer.mapped(handle, p.identifier(p.NONE, "*"))
    ids, frames = p.multi_counters([1, 2, 3, 4]), []
    for number in range(3):
        row = p.instance("x") + p.value(5) + p.value(1000 * number, 8) + p.value(1) + p.value(4)
        block = p.block(6, ids + p.multi_instances([] if number == 1 else [row]))
        frames.append(peer.poll(handle, p.data(block, time=p.TIME + number))[1])
    path = capture.write(tmp_path / "before.pcap")
    text = tshark.run(path, "-V", "-Y", f"frame.number == {frames[2]}")
    formulas = re.findall(r"\[Formula: (\S+?)[;\] ].*", text)
    noted = [line.split()[1].strip("];") for line in text.splitlines() if f"(previous value in frame {frames[0]})" in line]
    assert formulas == ["N1", "100*(N1-N0)/(X1-X0)", "100*N1/B1"] and noted == ["100*(N1-N0)/(X1-X0)"]
