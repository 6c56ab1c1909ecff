# SPDX-License-Identifier: GPL-2.0-or-later
"""Random sessions of the older API with several machines (lib/random_blocks.py), alone and beside PerflibV2."""

import csv
import io

import pytest

from lib.random_blocks import Blocks, wrong_rows
from lib.some import some

KINDS = {"alike": {}, "differ": {"differs": True}, "one-address": {"wall": True, "differs": True}, "losses": {"losses": 0.15}, "begins-late": {"late": True}}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_random_blocks_show_what_was_sent(tshark, tmp_path, kind, seed):
    world = Blocks(seed, **KINDS[kind])
    path = world.peers[0].write(tmp_path / "random.pcapng")
    for passes in ((), ("-2",)):
        # A context that only an answer tells is read from the second pass on.
        if passes or not world.late:
            rows = list(csv.DictReader(io.StringIO(tshark.run(path, *passes, "-q", "-z", "perfdata,samples,-"))))
            wrong = wrong_rows(world, some(rows))
            # In one pass a list that no block follows belongs to the only machine known there.
            assert [found for found in wrong if passes or kind != "one-address" or found[0].get("known_by") != "list"] == []
