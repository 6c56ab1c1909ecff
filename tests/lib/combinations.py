# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions of two things that go together, and what each of their frames must show: tests/perflibv2/test_combinations.py."""

import re

from lib import perflibv2 as p
from lib.named_query import unescaped
from lib.some import some

H, OTHER = p.query_handle(1), p.query_handle(2)
ONE = p.block(1, p.value())
PRECISION_OBJECT_TIMER = 0x20670500
NOT_ENOUGH_MEMORY, INVALID_PARAMETER, GUID_NOT_FOUND = p.NOT_ENOUGH_MEMORY, p.INVALID_PARAMETER, p.GUID_NOT_FOUND
# Rules of sessions are broken by all of these, which come in clear.
RULES = ("identifier_echo", "in_size_range", "too_small", "out_size_zero", "guid_count", "block_counter_ids", "lpdata_count", "handle_unique",
         "added_twice", "info_identifiers", "strings_offset", "string_terminated", "poll_blocks", "identifier_size", "data_time", "handle_server",
         "identifier_name", "info_counters", "value_data_size", "guid_limit", "request_code",
         "return_code", "machine_string", "system_time", "index_range")
FIELDS = {
    "paths": "perflibv2.path", "cooked": "perflibv2.cooked", "reasons": "perflibv2.cooked.reason", "links": "perflibv2.block.link",
    "line": "_ws.col.Info", "guids": "perflibv2.provider.guid", "providers": "perflibv2.provider.name", "names": "perflibv2.counterset.name",
    "counters": "perflibv2.counter.name", "instances": "perflibv2.instance.name", "opened": "perflibv2.handle.opened_in",
    "closed": "perflibv2.handle.closed_in", "query": "perflibv2.query", "previous": "perflibv2.poll.previous_frame", "sizes": "perflibv2.identifier.size",
}


def teach(peer, counters=((1, "Reads"), (2, "Writes")), guid=p.SET, **changes):
    peer.registration(1, p.counterset([p.counter(id) for id, _ in counters], guid=guid, **changes), guid=guid)
    peer.registration(3, p.text("Set"), guid=guid)
    peer.registration(5, p.strings(list(counters)), guid=guid)


def unmapped(peer, *identifiers):
    teach(peer)
    peer.open(H)
    peer.validate(H, *identifiers)


READS, WRITES = r"\\HOST\Set(x)\Reads", r"\\HOST\Set(x)\Writes"
UNDER_WAY = "unknown: the query was changed between request and answer"
NOT_ADDED = "unknown: the identifier with this Index in the QueryCounterInfo answer was not added"
AMBIGUOUS = "unknown: no QueryCounterInfo answer, and several identifiers are possible"


class Cases(list):
    """A decorator of functions that make a session and return what is to be shown: {frame: {word of FIELDS, or "rules": value}}."""

    def __call__(self, make):
        self.append(make)
        return make


def check_case(expectations, rows):
    """Each frame shows what its case returned."""
    for frame, expected in some(expectations.items()):
        for word, value in some(expected.items()):
            shown = rows[frame][word]
            if word == "line":
                assert re.search(value, shown[0]), f"frame {frame}: {shown[0]}"
            else:
                if word == "paths":
                    shown = [p.plain_host(unescaped(path)) for path in shown]
                assert shown == value, f"frame {frame}, {word}: {shown}, expected {value}"
