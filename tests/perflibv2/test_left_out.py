# SPDX-License-Identifier: GPL-2.0-or-later
"""
Good sessions with frames left out, captured twice or in another order: nobody is blamed, and nothing is said that the
whole session does not say.

Every single frame of three sessions, and groups at random, the same each time. Of the long sessions a sample, unless
PERFLIB_EVERY_FRAME=1.
"""

import csv
import os
import random
import re
from bisect import bisect_right
from collections import defaultdict, namedtuple

import pytest

from lib import lossy
from lib.captures import CAPTURES, REPOSITORY

RULE = re.compile(r'"(perflibv2\.rule\.\w+)", "[\d.]+",\s*\w+,\s*PI_(\w+),')
RULES = dict(RULE.findall((REPOSITORY / "plugin" / "perflibv2" / "rules" / "list.h").read_text().replace("\\\n", "")))
LONG = set() if os.environ.get("PERFLIB_EVERY_FRAME") else {"tcp-session", "smb2-session"}
SEED = 12

# How many frames one run of tshark is given to leave out, one at a time, and groups beside them.
SAMPLE, GROUPS = 10, 10
# How many orders.
ORDERS = 12
AT_ONCE = 60


def variants_of(frames, name):
    """Sets of frames to leave out: single ones, some at random, and some in a row."""
    chance = random.Random(f"{SEED} {name}")
    numbers = range(len(frames))
    single = chance.sample(numbers, SAMPLE) if name in LONG else numbers
    groups = [set(chance.sample(numbers, chance.randint(2, len(frames) // 6))) for _ in range(GROUPS)]
    for _ in range(GROUPS):
        begin, size = chance.randrange(len(frames)), chance.randint(2, len(frames) // 4)
        groups.append(set(range(begin, min(begin + size, len(frames)))))
    return [{number} for number in sorted(single)] + groups


def orders_of(frames, name):
    """
    The frames' numbers as two interfaces, a mirrored port or a merged file show them: TCP's numbers tell what was sent
    once, and in which order.
    """
    chance = random.Random(f"{SEED} {name} order")
    whole = list(range(len(frames)))
    doubled = [[number for number in whole for _ in range(2)], whole * 2]
    for _ in range(ORDERS):
        order = list(whole)
        for _ in range(chance.choice([1, 1, 2, 8])):
            at = chance.randrange(len(order) - 1)
            match chance.randrange(4):
                case 0:     # captured twice
                    order.insert(at + 1, order[at])
                case 1:     # and the second time later
                    order.insert(chance.randrange(at + 1, len(order) + 1), order[at])
                case 2:
                    order[at], order[at + 1] = order[at + 1], order[at]
                case _:
                    order.insert(min(at + chance.randint(2, 9), len(order) - 1), order.pop(at))
        doubled.append(order)
    return doubled


# Of a value, by the columns of the table of samples; previous: the number in the whole of the frame with the poll before.
Row = namedtuple("Row", "previous counterset counter instance type base raw text cooked")


class Sessions:
    """What tshark says of each variant, by the numbers its frames have in the whole. variants: lists of those numbers."""

    def __init__(self, tshark, folder, frames, variants):
        path, table = folder / "variants.pcap", folder / "samples.csv"
        self.kept = variants
        self.first = lossy.write(path, [[frames[number] for number in numbers] for numbers in variants])
        self.names = set()      # taught by the whole, in whatever language
        self.rules = [defaultdict(set) for _ in variants]
        self.samples = [defaultdict(list) for _ in variants]
        of_whole = f"frame.number <= {len(variants[0])} && (perflibv2.counterset.name || perflibv2.counter.name)"
        rows = tshark.fields(path, "frame.number", "perflibv2.counterset.name", "perflibv2.counter.name", *RULES, short=True,
                             display_filter=" || ".join([f"({of_whole})", *RULES]), options=["-z", f"perflibv2,samples,{table}"])
        for (frame,), sets, counters, *rules in rows:
            variant, number = self.place(int(frame))
            if variant == 0:
                self.names |= {*sets, *counters}
            for rule, cell in zip(RULES, rules):
                if cell:
                    self.rules[variant][rule].add(number)
        in_whole = set()
        with open(table, encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            columns = next(lines)
            frame, previous, *others = map(columns.index, ["frame", "previous_frame", *Row._fields[1:]])
            for line in lines:
                variant, number = self.place(int(line[frame]))
                before = self.place(int(line[previous]))[1] if line[previous] else None
                row = Row(before, *[line[column] for column in others])
                self.samples[variant][number].append(row)
                if variant == 0:
                    in_whole |= {row.counterset, row.counter}
        # Those that only a session can show that lacks them in the language the whole is shown in.
        self.names -= in_whole

    def place(self, frame):
        """Variant, and number in the whole, of a frame of the file."""
        variant = bisect_right(self.first, frame) - 1
        return variant, self.kept[variant][frame - self.first[variant]]


def is_same_instance(name, whole):
    """The number that tells equal names of instances apart depends on which were seen."""
    plain, whole_plain = (re.sub(r"\\?#\d+$", "", text) for text in (name, whole))
    return not name or bool({name, plain} & {whole, whole_plain})


def is_said(cell, whole, unnamed):
    """Whether a cell says nothing, or what it says in the whole."""
    return cell in ("", whole) or re.fullmatch(unnamed, cell) is not None


def differences(row, whole, names):
    """What a row says that the same value's row in the whole session does not."""
    if row == whole:
        return []
    wrong = []
    for column, unnamed in (("counterset", r"\{[0-9a-f-]+\}"), ("counter", r"counter \d+"), ("type", ""), ("base", "")):
        cell = getattr(row, column)
        if not is_said(cell, getattr(whole, column), unnamed) and cell not in names:
            wrong.append(column)
    if not is_same_instance(row.instance, whole.instance):
        wrong.append("instance")
    if not is_said(row.raw, whole.raw, "") or not is_said(row.text, whole.text, ""):
        wrong.append("raw")
    # Over another interval it comes to something else.
    if row.previous == whole.previous and not is_said(row.cooked, whole.cooked, ""):
        wrong.append("cooked")
    return wrong


def first_that_differs(rows, whole, names):
    """The first row of a poll that is none of the whole's, in their order; of blocks nothing is known of, only that is said."""
    others = iter(whole)
    for row in rows:
        if "unknown" not in (row.counterset, row.counter) and all(differences(row, other, names) for other in others):
            return row
    return None


def check(tshark, folder, frames, chosen):
    """Against the whole: variants, by what is said of them. Returns how many values they showed."""
    said = 0
    names = list(chosen)
    for begin in range(0, len(names), AT_ONCE):
        variants = names[begin : begin + AT_ONCE]
        sessions = Sessions(tshark, folder, frames, [range(len(frames)), *(chosen[where] for where in variants)])
        whole, samples = sessions.rules[0], sessions.samples[0]
        for where, rules, found in zip(variants, sessions.rules[1:], sessions.samples[1:]):
            for rule, numbers in rules.items():
                # Some notes are said where they first apply.
                expected = set(range(len(frames))) if RULES[rule] == "NOTE" and whole[rule] else whole[rule]
                assert numbers <= expected, f"{where}: {rule} in {sorted(number + 1 for number in numbers - expected)}"
            # From Wireshark 4.4 on a connection that begins again once it has ended is another one.
            times = 2 if chosen[where] == [*range(len(frames))] * 2 else 1
            for number, rows in found.items():
                row = first_that_differs(rows, samples[number] * times, sessions.names)
                assert row is None, f"{where}, in {number + 1}: {row} is not in the whole"
                said += len(rows)
    return said


NAMES = ["tcp-session", "smb2-session", "instances-come-and-go", "no-counter-info", "handles"]


@pytest.mark.parametrize("name", NAMES)
def test_frames_left_out_accuse_nobody(tshark, folder, name):
    frames = lossy.frames_of(CAPTURES / f"{name}.pcapng", folder)
    chosen = {
        f"without {sorted(number + 1 for number in left_out)}":
            [number for number in range(len(frames)) if number not in left_out]
        for left_out in variants_of(frames, name)
    }
    assert check(tshark, folder, frames, chosen) > 100


@pytest.mark.parametrize("name", NAMES)
def test_frames_doubled_and_out_of_order(tshark, folder, name):
    frames = lossy.frames_of(CAPTURES / f"{name}.pcapng", folder)
    chosen = {f"in the order {[number + 1 for number in order]}": order for order in orders_of(frames, name)}
    assert check(tshark, folder, frames, chosen) > 100
