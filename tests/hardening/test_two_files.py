# SPDX-License-Identifier: GPL-2.0-or-later
"""Two files in one process: whatever was read before, a capture reads as it does alone."""

import itertools
import subprocess

import pytest

from lib import sharkd
from lib.captures import CAPTURES
from lib.some import some

# One of each kind that keeps something of its own while a file is open.
KINDS = ["tcp-session", "both-apis", "two-servers", "handles", "instances-come-and-go", "mid-capture", "perfdata-mid-capture",
         "pla-session", "sealed-tcp", "sealed-two-pipes-spnego", "sessions-tcp", "faults-smb2", "habits"]
PASSWORD = {"method": "setconf", "params": {"name": "ntlmssp.nt_password", "value": "Perf-Lib2"}}
# Whose trees are compared, beside the list of all.
LOOKED_AT = 12


def reading(name):
    """Loads a capture, lists its frames, counts its calls, opens some frames of its end, where most is known."""
    return [
        {"method": "load", "params": {"file": str(CAPTURES / f"{name}.pcapng")}},
        {"method": "frames"},
        {"method": "tap", "params": {"tap0": "nstat:perflibv2,calls", "tap1": "nstat:pla,calls"}},
    ]


def trees(count):
    return [{"method": "frame", "params": {"frame": number, "proto": True}} for number in range(max(1, count - LOOKED_AT), count + 1)]


@pytest.fixture(scope="module")
def alone(tshark):
    """{name: what sharkd says of the capture as the only one of its process}"""
    output = subprocess.run(["capinfos", "-T", "-r", "-c", "-M", *(CAPTURES / f"{name}.pcapng" for name in KINDS)],
                            capture_output=True, text=True, check=True).stdout
    said = {}
    for name, line in zip(KINDS, output.splitlines(), strict=True):
        count = int(line.split("\t")[1])
        requests = [PASSWORD, *reading(name), *trees(count)]
        answers = sharkd.ask(tshark, requests)
        said[name] = [answers[number] for number in range(2, len(requests) + 1)]
        assert all(some(said[name])) and len(said[name][1]) == count, name
    return said


def all_pairs():
    """A walk in which each kind follows each other one, and itself."""
    walk, left = [KINDS[0]], {(a, b) for a, b in itertools.product(KINDS, KINDS)}
    while left:
        behind = [b for b in KINDS if (walk[-1], b) in left]
        if not behind:
            walk.append(next(a for a, b in sorted(left)))
            continue
        left.discard((walk[-1], behind[-1]))
        walk.append(behind[-1])
    return walk


def test_each_reads_as_alone_after_each(tshark, alone):
    walk = all_pairs()
    assert set(zip(walk, walk[1:])) >= set(itertools.product(KINDS, KINDS))
    requests, starts = [PASSWORD], []
    for name in walk:
        starts.append(len(requests) + 1)
        requests += [*reading(name), *trees(len(alone[name][1]))]
    answers = sharkd.ask(tshark, requests)
    for before, name, start in zip([None, *walk], walk, starts):
        assert [answers.get(start + i) for i in range(len(alone[name]))] == alone[name], f"{name} after {before}"


@pytest.mark.parametrize("preference, value, usual", [
    ("perflibv2.max_items", "10", "300000"),
    ("perflib_session.keep_in_step", "FALSE", "TRUE"),
    ("ntlmssp.nt_password", "wrong", "Perf-Lib2"),
])
def test_a_preference_changed_in_between(tshark, alone, preference, value, usual):
    """What was read under another preference leaves nothing."""
    change, back = ([{"method": "setconf", "params": {"name": preference, "value": text}}] for text in (value, usual))
    requests, starts = [PASSWORD], {}
    for name in KINDS:
        requests += change + reading(name) + back
        starts[name] = len(requests) + 1
        requests += [*reading(name), *trees(len(alone[name][1]))]
    answers = sharkd.ask(tshark, requests)
    for name in KINDS:
        assert [answers.get(starts[name] + i) for i in range(len(alone[name]))] == alone[name], name
