# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures for the cases of lib/combinations.py."""

from types import SimpleNamespace

import pytest

from lib import perflibv2 as p
from lib.combinations import FIELDS, RULES
from lib.wire import Capture


@pytest.fixture(scope="module")
def case_sessions(request, tmp_path_factory):
    """The cases of a file, each on a server of its own, in one capture."""
    capture = Capture()
    made = []
    for number, make in enumerate(request.module.case):
        made.append(make(p.Peer(capture, server=f"10.3.{number // 250}.{number % 250 + 1}")))
    return SimpleNamespace(path=capture.write(tmp_path_factory.mktemp("combinations") / "cases.pcap"), made=made)


@pytest.fixture(scope="module", params=[(), ("-2",)], ids=["one-pass", "two-passes"])
def case_rows(request, tshark, case_sessions):
    """frame -> {word: values}"""
    names = [*FIELDS.values(), *(f"perflibv2.rule.{rule}" for rule in RULES)]
    found = {}
    for number, row in enumerate(tshark.fields(case_sessions.path, *names, options=request.param), 1):
        found[number] = dict(zip(FIELDS, row)) | {"rules": {rule for rule, cell in zip(RULES, row[len(FIELDS):], strict=True) if cell}}
    return found
