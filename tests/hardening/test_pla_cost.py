# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA] captures made to cost as much as they can: time and memory stay in proportion to the capture."""

import struct
import uuid

import pytest

from lib.costs import start, used, used_at_best
from lib.orpc import SF_BSTR, objref
from lib.pla import IID, Calls

# For each megabyte of capture, above what tshark needs to start and for a few calls.
STARTS, MEGABYTES = 2.5, 20


def ipid(number):
    return uuid.UUID(int=0x10000 + number)


def objects_that_collide():
    """OIDs that differ in their upper half alone, which simple hashes leave out."""
    calls, count = Calls(), 30_000
    references = [
        objref(IID["IDataCollector"], ipid(number), oid=number << 32, address="") for number in range(1, count + 1)
    ]

    def elements(stub):
        stub.u32(count).u32(0).u32(count).raw(struct.pack("<I", 1) * count)
        for reference in references:
            stub.variant_body("VT_DISPATCH", reference)
        return stub.u32(count)

    return calls.call("IEnumVARIANT", 3, lambda stub: stub.u32(count), elements)


def many_objects():
    calls = Calls()
    for number in range(10_000):
        calls.call("IDataCollectorSet", 20, None, lambda stub, number=number: stub.bstr(f"Set {number}"), ipid=ipid(number))
    return calls


def renamed_often():
    calls = Calls()
    for number in range(10_000):
        calls.call("IDataCollectorSet", 20, None, lambda stub, number=number: stub.bstr(f"Set {number}"))
    return calls


def deep_chain():
    """Each object returned by the one before."""
    calls = Calls()
    for number in range(6_000):
        calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_BSTR", "k" * 100),
                   lambda stub, number=number: stub.interface_pointer(
                       objref(IID["IDataCollectorCollection"], ipid(number + 1), oid=number + 1)), ipid=ipid(number))  # fmt: skip
    return calls


def long_names():
    calls = Calls()
    for number in range(200):
        calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("n" * 20_000).bstr("s" * 5_000), ipid=ipid(number))
    return calls


def long_arrays():
    path = "\\a(" + "(" * 300 + ")\\" * 300 + "x"
    calls = Calls()
    for _ in range(4):
        calls.call("IPerformanceCounterDataCollector", 35, lambda stub: stub.safearray(SF_BSTR, [path] * 500))
        calls.call("IDataCollectorSet", 17, lambda stub: stub.safearray(SF_BSTR, [""] * 40_000))
    return calls


def zeros():
    return Calls().call("IDataCollectorSet", 11, lambda stub: stub.bstr("\0" * 1_000_000))


# With -2 each packet is read twice.
PASSES = {("-q", "-z", "pla,sets"): 1, ("-2", "-q"): 2}


@pytest.fixture(scope="module")
def least(tshark, tmp_path_factory):
    """What one call costs with each of the options."""
    path = Calls().call("IDataCollectorSet", 61).capture.write(tmp_path_factory.mktemp("least") / "least.pcap")
    return {options: used(tshark, path, *options) for options in PASSES}


@pytest.mark.parametrize("case", [
    objects_that_collide, many_objects, renamed_often, deep_chain, long_names, long_arrays, zeros,
])  # fmt: skip
def test_cost_is_in_proportion_to_the_size(tshark, tmp_path, case, least):
    path = case().capture.write(tmp_path / "case.pcap")
    size = path.stat().st_size / 1e6
    assert size > 0.5
    for options, passes in PASSES.items():
        most = (2 + STARTS * size * passes) * start(tshark)
        taken = used_at_best(tshark, path, *options, most=most)
        seconds, megabytes = (now - then for now, then in zip(taken, least[options], strict=True))
        assert seconds < most, options
        assert megabytes < 10 + MEGABYTES * size, options
