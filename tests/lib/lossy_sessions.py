# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions made at random, with frames left out, many in one capture: nobody is blamed for what the capture lacks."""

import re
from bisect import bisect_right

from lib.captures import REPOSITORY
from lib.wire import Capture

SAID_OF_ALL = {"auth_level", "privacy_required", "transport"}      # all is in clear
RULES = set(re.findall(r'"perflibv2\.rule\.(\w+)"', (REPOSITORY / "plugin" / "perflibv2" / "rules" / "list.h").read_text())) - SAID_OF_ALL


def frame_and(rules):
    """A column of each frame's number and, behind it, a tick for each of these rules that is broken there."""
    return " || ".join(["frame.number", *(f"perflibv2.rule.{rule}" for rule in sorted(rules))])


def broken_in(tshark, path, frame, options):
    """The names of all rules that are broken in that frame."""
    (row,) = tshark.fields(path, *(f"perflibv2.rule.{rule}" for rule in RULES), display_filter=f"frame.number == {frame}", options=options)
    return sorted(rule for rule, cell in zip(RULES, row) if cell)


class LossySessions:
    def __init__(self, chance, disorder=False):
        """disorder: nothing is left out; frames change places, as several who capture at once give them."""
        self.chance, self.disorder = chance, disorder
        self.capture, self.first, self.lost = Capture(), [], []

    def add(self, frames):
        """A session of which nothing, a frame, some, or some in a row are left out, in turn; or several frames come later."""
        count, begin = len(frames), self.chance.randrange(len(frames))
        if self.disorder:
            later = set(self.chance.sample(range(count), self.chance.randint(1, 4)))
            places = sorted(range(count), key=lambda at: at + self.chance.choice([1.5, 1.5, 2.5, 4.5, 9.5]) * (at in later))
            self.lost.append(later)
            self.first.append(len(self.capture.frames) + 1)
            self.capture.frames += [frames[at] for at in places]
            return
        self.lost.append([
            set(), {begin}, set(self.chance.sample(range(count), count // self.chance.randint(4, 12) + 1)),
            set(range(begin, begin + self.chance.randint(2, count // 3))),
        ][len(self.lost) % 4])
        self.first.append(len(self.capture.frames) + 1)
        self.capture.frames += [frame for at, frame in enumerate(frames) if at not in self.lost[-1]]

    def polls(self, tshark, path, value, rules=frozenset()):
        """
        In one pass and in two: (where, paths, values) of each poll whose values all have names and types, and of which it
        is not said that calls are missing, where some are. None of the rules is broken, but those named. value: the field wanted.
        """
        self.capture.write(path)
        for options in ((), ("-2",)):
            rows = tshark.fields(path, frame_and(RULES - rules), "perflibv2.path", value, "perflibv2.block.link",
                                 display_filter="perflibv2", options=options, short=True)
            for (frame, *broken), paths, values, links in rows:
                number = bisect_right(self.first, int(frame)) - 1
                where = f"session {number} without {sorted(at + 1 for at in self.lost[number])}, frame {int(frame) - self.first[number] + 1}"
                assert not broken, f"{where}: {broken_in(tshark, path, frame, options)}"
                if len(paths) == len(values) and not (self.lost[number] and any("missing" in link for link in links)):
                    yield where, paths, [int(text) for text in values]
