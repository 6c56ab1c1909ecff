# SPDX-License-Identifier: GPL-2.0-or-later
"""A counter's structure, 2.2.4.2: which other counters it names, and what it says of itself in words."""

import pytest

from lib import perflibv2 as p
from lib.some import some
from lib.wire import Capture

ROLES = {"base": "base_id", "time": "perf_time_id", "freq": "perf_freq_id", "multi": "multi_id"}
# A type that is computed with each of them, and one with none. 0x30240500 is PERF_ELAPSED_TIME: (T - N) / F.
TYPES = {p.RAWCOUNT: (), p.AVERAGE_BULK: ("base",), p.OBJ_TIME_TIMER: ("time",), 0x30240500: ("time", "freq"), p.MULTI_TIMER: ("multi",)}
# Counter 0 of these types, and the roles that it can have. 0x40000200 is PERF_COUNTER_NODATA, 0x10410400 a rate, None: it is not there.
ZEROTH = {p.AVERAGE_BASE: set(ROLES), p.LARGE_RAWCOUNT: set(ROLES) - {"base"}, p.RAWCOUNT: set(ROLES) - {"base"},
          0x40000200: {"base"}, 0x10410400: set(), None: set()}


def cases():
    for type, needs in TYPES.items():
        for zeroth, roles in ZEROTH.items():
            for role in ROLES:
                yield type, zeroth, role, 0, "name 0" if role in needs and role in roles else None
        for role in ROLES:
            # Any other id is meant, needed or not, if there is a counter with it and its name is known.
            yield type, None, role, 6, "name 6"
            yield type, None, role, 7, None
            yield type, None, role, 8, None


@pytest.fixture(scope="module")
def made(tshark, tmp_path_factory):
    """Each case, and the items of its answer."""
    capture, frames = Capture(), {}
    for number, case in enumerate(cases()):
        type, zeroth, role, id, _ = case
        peer = p.Peer(capture, server=f"10.4.{number // 250}.{number % 250 + 1}")
        peer.registration(5, p.strings([(0, "name 0"), (5, "name 5"), (6, "name 6"), (8, None)]))
        others = [p.counter(0, zeroth)] if zeroth is not None else []
        frames[peer.registration(1, p.counterset([p.counter(5, type, **{role: id}), p.counter(6), p.counter(8), *others]))[1]] = case
    path = capture.write(tmp_path_factory.mktemp("related") / "related.pcap")
    packets = tshark.packets(path, display_filter="perflibv2.counterset.num_counters")
    return [(case, [item for layer in packet for item in layer.walk()]) for case, packet in zip(frames.values(), packets, strict=True)]


def test_related_counter_is_named_where_it_is_meant(made):
    """0 may mean that there is none: it is named only where the type needs it, and counter 0 can be that."""
    for (type, zeroth, role, id, name), items in some(made, len(TYPES) * (len(ZEROTH) + 3) * len(ROLES)):
        # The first counter is the one that names others.
        shown = {key: next(item.showname for item in items if item.name == f"perflibv2.counter.{field}") for key, field in ROLES.items()}
        text = shown.pop(role)
        assert text.partition(": ")[2] == (str(id) if name is None else f"{id} ({name})"), (hex(type), zeroth, role, id)
        assert {line.partition(": ")[2] for line in shown.values()} == {"none (0xffffffff)"}, (hex(type), zeroth, role, id)
