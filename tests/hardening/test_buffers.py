# SPDX-License-Identifier: GPL-2.0-or-later
"""2,000 damaged buffers, which captures/buffer makes captures of, under AddressSanitizer and UBSan."""

import random
import struct
import subprocess

import pytest

from lib import perfdata
from lib import perflibv2 as p
from lib.captures import CAPTURES
from lib.some import some
from lib.tshark import DETAILS
from perfcap import buffers, dumps
from perfdata.block import names

ROWS = [p.instance(name, id) + p.value(5) + p.value(6, 8) for id, name in enumerate(("one", "three", "fifteen"))]
COUNTER = perfdata.crafted.Counter(6, "PERF_COUNTER_RAWCOUNT")
WHOLE = {
    "data": p.data(p.block(1, p.value(5)), p.block(2, p.multi_counters([1, 2, 9]) + p.value(5) * 3), p.block(0, status=0x1069),
                   p.block(6, p.multi_counters([1, 2]) + p.multi_instances(ROWS)), p.block(4, p.multi_instances(ROWS))),
    "listed": b"".join(item[:32] + struct.pack("<I", n) + item[36:] for n, item in enumerate((p.identifier(1, "one"), p.identifier(p.NONE, "*")))),
    "added": p.identifier(1, "one") + p.identifier(p.NONE, "*"),
    "removed": p.identifier(1, "one"),
    "instances": p.instance("one", 7) + p.instance("longer", 8),
    "countersets": p.SET.bytes_le + p.OTHER_SET.bytes_le,
    "counterset": p.counterset(p.COUNTERS),
    "counter": p.counter(1),
    "name": p.text("Queue"),
    "strings": p.strings([(1, "Reads"), (2, None), (9, "")]),
    "provider-guid": p.SET.bytes_le,
    "block": perfdata.built(perfdata.crafted.Object(238, [COUNTER], [perfdata.crafted.Instance("a", [1]), perfdata.crafted.Instance("b", [2])])),
    "titles": names([(1, "1847"), (6, "Jobs"), (238, "Queue")]),
}
ODD = (0, 1, 3, 7, 8, 15, 16, 39, 40, 47, 48, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF)
MUTATED, PER_CAPTURE = 2000, 500


def mutated(draw, data):
    """data with some damage: bytes, numbers, parts missing, repeated or moved."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at, end = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
        what = draw.randrange(6)
        if what == 0 and data:
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        elif what in (1, 2) and len(data) >= 4:
            place = draw.randrange(len(data) // 4) * 4
            data[place:place + 4] = struct.pack("<I", draw.choice((*ODD, len(data), len(data) + 8)))
        elif what == 3:
            del data[end:]
        elif what == 4:
            data[at:at] = data[at:end]
        else:
            del data[at:end]
    return bytes(data) or b"\0"


def test_mutated_buffers_are_taken_for_what_they_are_said_to_be(sanitized_tshark, tmp_path):
    """The command takes each for what it is said to be; every second poll is of a query whose identifiers are damaged, too."""
    draw = random.Random("mutated buffers")
    made = 0
    for number in range(MUTATED // PER_CAPTURE):
        folder = tmp_path / str(number)
        folder.mkdir()
        arguments = ["--counterset", p.SET]
        for n in range(PER_CAPTURE):
            kind = draw.choice([*WHOLE, "data", "data", "block"])
            path = folder / f"{n}.bin"
            data = mutated(draw, WHOLE[kind])
            # An array of GUIDs has no damage but in them.
            path.write_bytes((data[:len(data) // 16 * 16] or bytes(16)) if kind == "countersets" else data)
            arguments += ["--query", str(n // 8), f"{kind}:{path}"]
        result = subprocess.run([CAPTURES / "buffer", *map(str, arguments), "-o", folder / "made.pcapng"], capture_output=True, text=True, timeout=300,
                                check=False)
        assert result.returncode == 0, result.stderr
        made += sum(f"{folder}/" in line for line in result.stdout.splitlines()[:-1])
        sanitized_tshark.run(folder / "made.pcapng", "-2", *DETAILS, "-z", "perflibv2,rules", "-z", "perflibv2,counters", "-z", "perfdata,counters")
    assert made == MUTATED


def test_what_fits_a_damaged_buffer():
    """No damage makes the search for a structure, or what is read of one by its kind, fail."""
    draw = random.Random("damaged")
    found = 0
    for _ in range(5000):
        kind = draw.choice(list(WHOLE))
        data = mutated(draw, WHOLE[kind])
        found += bool(buffers.fitting(data))
        for kind in buffers.KINDS.values():
            buffers.time_of(kind, data), buffers.machine_of(kind, data), buffers.value_name_of(kind, data), buffers.countersets_of(kind, data)
        buffers.was_added(data)
        assert len(buffers.without_status(data)) == len(data)
    assert 0 < found < 5000


@pytest.mark.parametrize("kind", [kind for kind in WHOLE if kind not in ("added", "removed", "listed", "provider-guid")])
def test_what_fits_a_whole_buffer(kind):
    assert [found.name for found in buffers.fitting(WHOLE[kind])] == [kind]


def test_damaged_dumps_are_bytes_or_an_error():
    """A dump with damage is bytes, or an error with a sentence."""
    draw = random.Random("dumps")
    text = "".join(f"{at:08x}  {WHOLE['data'][at:at + 16].hex(' ')}  |...|\n" for at in range(0, 160, 16)) + "*\n000000b0\n"
    kinds = set()
    for _ in range(2000):
        damaged = bytearray(text.encode())
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(damaged))
            damaged[at:at + draw.choice((0, 1, 1, 60))] = bytes(draw.choice(b"0123456789abcdef *|\n:,{}x") for _ in range(draw.randrange(3)))
        try:
            kinds.add(dumps.bytes_of(bytes(damaged))[1])
        except dumps.Damaged as problem:
            kinds.add(str(problem).split()[0])
    assert {True, "line"} <= set(some(kinds, 2))
