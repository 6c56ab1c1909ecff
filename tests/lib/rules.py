# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of [MS-PCQ] that the plugin judges, and which of them sessions break."""

import re

from lib import perflibv2 as p
from lib.captures import REPOSITORY
from lib.tables import verdicts
from lib.wire import Capture

ROW = re.compile(r'X\(RULE_\w+,\s*"perflibv2\.rule\.(\w+)", "([\d.]+)",\s*RULE_WHO_(\w+),\s*PI_(\w+),\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\)')
# A session in clear over TCP, as all of these are, departs from what is said of sessions (2.1).
SESSION = {"auth_level", "privacy_required", "transport"}


def rules_of_the_code():
    """id, section, who, severity, the rule and what is wrong where it is broken, as plugin/perflibv2/rules/list.h has them."""
    text = (REPOSITORY / "plugin" / "perflibv2" / "rules" / "list.h").read_text().replace("\\\n", "")
    rows = ROW.findall(text)
    assert len(rows) > 50
    return rows


RULES = [row[0] for row in rules_of_the_code()]


def findings(tshark, path, *options):
    """frame -> the rules that it breaks"""
    rows = tshark.fields(path, "frame.number", *("perflibv2.rule." + rule for rule in RULES), options=options)
    return {int(row[0][0]): {rule for rule, cell in zip(RULES, row[1:]) if cell} for row in rows}


def findings_of_each(tshark, path, made):
    """what was made -> the rules broken by it; made: (what, function that makes it)"""
    capture, begins = Capture(), []
    for number, (_, make) in enumerate(made):
        begins.append(len(capture.frames) + 1)
        make(p.Peer(capture, server=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"))
    found = findings(tshark, capture.write(path))
    ends = [*begins[1:], len(capture.frames) + 1]
    return {what: set().union(*(found.get(frame, set()) for frame in range(begin, end))) - SESSION
            for (what, _), begin, end in zip(made, begins, ends)}


def sentences(tshark, path):
    """frame -> all that expert items say there"""
    rows = tshark.fields(path, "frame.number", "_ws.expert.message")
    return {int(row[0][0]): "\n".join(row[1]) for row in rows}


def silent(tshark, path, but=frozenset()):
    """Only the rules in `but` are broken or departed from."""
    for options in ((), ("-2",)):
        rows, (*_, last) = verdicts(tshark.run(path, *options, "-q", "-z", "perflibv2,rules"))
        assert {rule for rule, row in rows.items() if row[1]} - SESSION == but
        assert last == "no rule broken" or but
