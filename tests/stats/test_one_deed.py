# SPDX-License-Identifier: GPL-2.0-or-later
"""One deed is one finding: what follows from it, and the same call in another table, are no further ones."""

import struct
import uuid

import pytest

from lib.orpc import Stub
from lib.pla import IID, Calls
from lib.tables import data_tables, table_sentences
from lib.wire import FAULT

PASSES = pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one-pass", "two-passes"])
SET = uuid.UUID(int=0xA000)
RUNNING, DENIED, NOT_FOUND = 1, 0x80070005, 0x80300002  # Status 1, E_ACCESSDENIED, PLA_E_DCS_NOT_FOUND
DISCONNECTED = 0x80010108  # RPC_E_DISCONNECTED, as the status of a fault


def findings(tshark, path, *options):
    """The code of each finding, and the verdict."""
    rows = data_tables(tshark, path, *options).get("findings", [])
    return [row["code"] for row in rows], " ".join(table_sentences(tshark.run(path, *options, "-q", "-z", "perflib,findings")))


def query(calls, hresult=0):
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Set1").bstr(None), None, hresult, ipid=SET)


def status(calls, hresult=0):
    calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(RUNNING), hresult, ipid=SET)


def status_fault(calls):
    calls.exchange(IID["IDataCollectorSet"], 33, Stub().orpcthis().bytes(), None, SET)
    fault = struct.pack("<IHBBII", 32, 0, 0, 0, DISCONNECTED, 0)
    calls.capture.send(calls.port, False, calls.capture.pdu(FAULT, fault, calls.capture.call[calls.port]))


def elsewhere(calls):
    """A denied call on another object than a set."""
    calls.call("IDataCollectorSetCollection", 7, None, lambda stub: stub.u32(0), DENIED)


@PASSES
@pytest.mark.parametrize("made, codes, says", [
    ((query, status, (status, DENIED)), ["set_call_denied"], "; 1 call on data collector sets failed."),
    ((query, (status, NOT_FOUND)), ["set_not_found"], "; 1 call on data collector sets failed."),
    # Nothing works: the client is stopped, and its set is not to blame.
    (((query, DENIED),), ["set_denied"], "gets no counters: 10.0.0.2 denies access to a data collector set."),
    (((query, DENIED), (status, DENIED)), ["set_denied"], "gets no counters: 10.0.0.2 denies access to a data collector set."),
    ((query, status, status_fault), ["object_lost"], "; 1 call failed or got no answer."),
    # Two deeds.
    ((query, (status, DENIED), elsewhere), ["set_call_denied", "denied_at_times"], "; 1 call failed or got no answer; 1 call on data collector sets failed."),
    ((query, (status, DENIED), status_fault), ["set_call_denied", "object_lost"], "; 1 call failed or got no answer; 1 call on data collector sets failed."),
])  # fmt: skip
def test_a_failed_call_on_a_data_collector_set(tshark, tmp_path, made, codes, says, passes):
    calls = Calls()
    for step in made:
        make, *arguments = step if isinstance(step, tuple) else (step,)
        make(calls, *arguments)
    found, verdict = findings(tshark, calls.capture.write(tmp_path / "sets.pcap"), *passes)
    assert found == codes and verdict.endswith(says), verdict
