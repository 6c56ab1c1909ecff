# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random actions of a user, in a Wireshark whose plugin AddressSanitizer and UBSan watch: none crashes it, and nothing of ours
complains. What an action does depends on the seed and its number alone, and on what is open when it is done.

A few in each run of the tests. Many, or others, for which ctest has to wait longer:
PERFLIB_RANDOM_ACTIONS=500 PERFLIB_RANDOM_SEED=7 PERFLIB_TEST_SECONDS=7200 tests/run --gui -R gui-random
"""

import os
import random
import shutil
import subprocess
import time

from lib.captures import CAPTURES, REPOSITORY
from lib.desktop import GRAPH, PATIENCE, WATCHED, WINDOWS, Desktop, again
from lib.tshark import TROUBLE

ACTIONS, SEED = (int(os.environ.get(f"PERFLIB_RANDOM_{name}") or usual) for name, usual in (("ACTIONS", 40), ("SEED", 46)))

FILES = ["tcp-session", "both-apis", "pla-session", "perfdata-windows", "sealed-office", "sealed-kerberos", "sessions-smb", "habits",
         "handles", "rules", "foreign", "segments"]
TEXTS = ["", "1", "3", "0", "-1", "99999999999999999999", "processor", "(_total)", "*", "\\\\*\\*(*)\\*", "\\", "%s%n%s", '"', "'; --",
         "<b>bold</b><img src=x>", "x" * 200, "(((", "ä, ß", "/nonexistent", "Perf-Lib2", "a b c d e f", "{1..}"]
FILTERS = ["", "perflibv2", "perflibv2.query == 1", "perflibv2.cooked > 5", "perflibv2.path contains \"Processor\"", "perfdata || pla",
           "perflibv2.watch.cpu", "perflib_session.stopped", "_ws.expert", "frame.number > 100", "perflibv2.path ==", "no.such.field",
           "perflibv2.broken_rule", "perflibv2.value in {1 .. 100}", "pla.opnum == 3 || perfdata.cooked > 0", "tcp.len == 0"]
COLUMNS = (30, 60, 120, 300, -100, -30)
SIZES = (200, 400, 590, 800, 1280, 1390)
# Actions after which it is looked whether Wireshark still answers.
LIVES = 20
# Tables that stay open at the same time, at most.
OPEN = 4
# Windows that may stay open beside the main one. All others keep it from being used.
OTHERS = ("I/O Graph", "Expert Information", "Add the curve")


class User:
    """Does one of the actions at a time. None of them relies on what the ones before it have left."""

    def __init__(self, desktop, folder):
        self.desktop, self.folder = desktop, folder
        self.main = desktop.start(folder / f"{FILES[0]}.pcapng")
        self.done = []

    def windows(self):
        """Title -> window of all but the main one; those that may stay open first."""
        return {title: window for title, window in sorted(self.desktop.titles().items()) if window != self.main}

    def tables(self):
        return [window for title, window in self.windows().items() if any(f" {name} " in title for name in WINDOWS)]

    def to(self, window):
        """A window to the front. It may be gone, or another one in its way, so this does not wait for it."""
        self.desktop.tool("windowactivate", window)
        self.desktop.settle()

    def click(self, window, x, y):
        try:
            self.desktop.click(window, x, y)
        except (AttributeError, ZeroDivisionError):     # it has closed itself
            pass

    def alone(self):
        """Closes whatever keeps the main window from being used, and comes back to it."""
        for _ in range(9):
            stay = self.tables()
            blocking = [window for title, window in self.windows().items()
                        if window not in stay and not any(name in title for name in OTHERS)]
            if not blocking:
                break
            self.to(blocking[-1])
            self.desktop.keys("Escape")
        self.to(self.main)
        self.desktop.keys("Escape")

    def opened(self, *keys):
        """The window that keys open in the main one, if they do."""
        before = set(self.windows().values())
        self.desktop.keys(*keys)
        return next((window for window in self.windows().values() if window not in before), None)

    def type_filter(self, text):
        self.desktop.keys("ctrl+slash", "ctrl+a", "Delete")
        self.desktop.type(text)
        self.desktop.keys("Return")

    def dissection_of_ours(self, chance):
        """The last line of the details, which is ours where a packet is, and some line below it."""
        self.click(self.main, 180, 0.65)
        self.desktop.keys("End", "Right", *[chance.choice(["Down", "Right", "Up", "End"]) for _ in range(chance.randrange(5))])

    # The actions: each gets its own source of chance.

    def open_table(self, chance):
        tables = self.tables()
        if len(tables) >= OPEN:
            self.to(chance.choice(tables))
            self.desktop.keys("Escape")
            self.to(self.main)
        self.opened("alt+s", ["Up", "Right", *["Down"] * chance.randrange(len(WINDOWS)), "Return"])

    def use_table(self, chance):
        """Sorted, filtered, copied, its groups opened and closed, saved, closed."""
        if not self.tables():
            self.open_table(chance)
        tables = self.tables()
        if not tables:
            return
        window = chance.choice(tables)
        self.to(window)
        for _ in range(chance.randrange(1, 4)):
            use = chance.randrange(6)
            if use == 0:
                self.click(window, chance.choice(COLUMNS), 22)
            elif use == 1:
                self.click(window, 200, -58)
                self.desktop.keys("ctrl+a", "Delete")
                self.desktop.type(chance.choice(FILTERS))
                self.click(window, -51, -58)
            elif use == 2:
                self.desktop.tool("mousemove", "--window", window, 100, 90)
                self.desktop.tool("click", 3)
                self.desktop.settle()
                self.desktop.keys(*["Down"] * chance.randrange(1, 4), "Return")
            elif use == 3:
                self.click(window, 60, chance.choice((45, 65, 90, 120)))
                self.desktop.keys(*[chance.choice(["Left", "Right", "Down", "End", "Home"]) for _ in range(4)])
            elif use == 4:
                self.click(window, -144, -26)
                self.desktop.type(str(self.folder / f"saved{chance.randrange(3)}"))
                self.desktop.keys("Return", "Return")
            else:
                self.desktop.keys("Escape")
                break

    def use_tool(self, chance):
        """One of our three dialogs, answered up to three times with odd texts, or left."""
        self.opened("alt+t", chance.choice((["Up", "Right"], ["Up", "Right", "Down"], ["Up", "Right", "Up"])), "Return")
        for _ in range(chance.randrange(4)):
            dialogs = [window for title, window in self.windows().items()
                       if any(name in title for name in ("Watch a counter", "Password or keytab", "Capture report"))]
            if not dialogs:
                break
            self.to(dialogs[-1])
            fields = self.desktop.fields(dialogs[-1])
            for y in fields:
                self.click(dialogs[-1], -20, y)
                self.desktop.keys("ctrl+a", "Delete")
                self.desktop.type(chance.choice(TEXTS))
            self.desktop.keys("Return")

    def choose_packet(self, chance):
        if chance.randrange(2):
            self.type_filter("perflibv2 || perfdata || pla")
        self.click(self.main, 180, 0.3)
        if chance.randrange(3) == 0:
            self.desktop.keys("ctrl+g")
            self.desktop.type(str(chance.randrange(1, 400)))
            self.desktop.keys("Return")
        else:
            self.desktop.keys(chance.choice(["ctrl+Home", "ctrl+End"]), *[chance.choice(["ctrl+Up", "ctrl+Down"])] * chance.randrange(6))

    def read_details(self, chance):
        self.choose_packet(chance)
        self.dissection_of_ours(chance)
        self.desktop.keys(chance.choice(["ctrl+Right", "ctrl+Left", "shift+Right", "ctrl+c"]))

    def filter_by_detail(self, chance):
        """Apply, prepare, conversation, column: of the menu of a line. Not below them, where packets are written or colours asked for."""
        self.dissection_of_ours(chance)
        if chance.randrange(3) == 0:
            self.desktop.keys("ctrl+shift+i")
        else:
            self.desktop.keys("Menu", [*["Down"] * chance.randrange(4, 7), "Right", "Return"])

    def filter_packets(self, chance):
        self.type_filter(chance.choice(FILTERS))

    def read_again(self, chance):
        self.desktop.keys(chance.choice(["ctrl+r", "ctrl+shift+l"]))

    def open_file(self, chance):
        if chance.randrange(4) == 0:
            self.desktop.keys("ctrl+w")
        elif self.opened("ctrl+o"):
            self.desktop.type(str(self.folder / f"{chance.choice(FILES)}.pcapng"))
            self.desktop.keys("Return")

    def choose_profile(self, chance):
        """Ours, or the one without a name: not those of Wireshark's below them, which have other panes."""
        if self.opened("ctrl+shift+a"):
            self.desktop.keys("Home", *["Down"] * chance.randrange(2), "Return")

    def change_preference(self, chance):
        """Protocol Preferences of the menu of a line: switches, which take effect at once, and dialogs, which are left."""
        self.dissection_of_ours(chance)
        self.desktop.keys("Menu", ["Up", "Up", "Right", *["Down"] * chance.randrange(1, 16), "Return"])

    def resize(self, chance):
        window = chance.choice([self.main, *self.tables()])
        self.desktop.tool("windowsize", window, chance.choice(SIZES), chance.choice(SIZES[:4]))
        self.desktop.settle()

    def open_other(self, chance):
        self.opened(*chance.choice([("alt+s", "i"), ("alt+a", ["Up", "Return"])]))

    def leave_others(self, _):
        for title, window in self.windows().items():
            if any(name in title for name in OTHERS):
                self.to(window)
                self.desktop.keys("Escape")

    # How often each is done.
    WEIGHTS = {open_table: 5, use_table: 8, use_tool: 5, choose_packet: 3, read_details: 3, filter_by_detail: 3, filter_packets: 4,
               read_again: 3, open_file: 4, choose_profile: 2, change_preference: 3, resize: 2, open_other: 2, leave_others: 1}

    def do(self, number):
        chance = random.Random(f"{SEED} {number}")
        action, = chance.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))
        self.done.append(f"{number} {action.__name__}")
        self.alone()
        action(self, chance)
        self.assert_well()

    def assert_well(self):
        """It runs, and neither a sanitizer nor what we and Wireshark check ourselves has said anything."""
        self.desktop.tell_foreign_crash()
        complaints = [line for line in self.desktop.complaints() if TROUBLE.search(line) or "perflib" in line]
        assert self.desktop.wireshark.poll() is None and not complaints, "\n".join(
            [f"after {self.done[-10:]}: {self.desktop.wireshark.poll()}", *self.desktop.complaints()])

    def assert_alive(self):
        """The menu File opens: what keeps Wireshark busy, or waiting, is over some time."""
        self.alone()
        before, end = self.desktop.screen().pixels, time.monotonic() + PATIENCE
        self.desktop.keys("alt+f")
        while self.desktop.screen().pixels == before:
            assert time.monotonic() < end, f"hangs after {self.done[-LIVES:]}: {list(self.desktop.titles())}"
            time.sleep(0.2)
        self.desktop.keys("Escape")

    def end(self):
        """Ends Wireshark, which what is open may keep from it at first; its exit code."""
        for _ in range(5):
            self.alone()
            self.assert_well()
            self.desktop.tool("key", "ctrl+q")
            try:
                return self.desktop.wireshark.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                pass
        raise AssertionError(f"does not end: {list(self.desktop.titles())}")


@again
def test_random_actions_crash_nothing(sanitized_tshark, tmp_path):
    folder = tmp_path / "captures"
    folder.mkdir()
    folder.chmod(0o777)
    for name in FILES:
        shutil.copy(CAPTURES / f"{name}.pcapng", folder)
    # Whatever a menu opens.
    (folder / "xdg-open").write_text("#!/bin/sh\n")
    (folder / "xdg-open").chmod(0o755)
    profile = {f"profiles/perflib/{path.name}": path.read_text() for path in (REPOSITORY / "plugin" / "packaging" / "profile").iterdir()}
    desktop = Desktop(sanitized_tshark, tmp_path / "home", {"perflibv2_watch": WATCHED, "io_graphs": GRAPH, **profile})
    desktop.environment["PATH"] = f"{folder}:{desktop.environment['PATH']}"
    try:
        user = User(desktop, folder)
        for number in range(ACTIONS):
            user.do(number)
            if number % LIVES == LIVES - 1:
                user.assert_alive()
        assert user.end() == 0, desktop.complaints()
    finally:
        desktop.stop()
