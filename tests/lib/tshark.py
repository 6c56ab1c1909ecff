# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tshark with the plugin and reads what it says."""

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
import weakref
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from lib.registered import Asked, Registered, library

UNPRIVILEGED = Path(__file__).with_name("unprivileged")

# The layers the tests look at; PDML of all of them is ten times larger.
LAYERS = "dcerpc perflibv2 pla perfdata winreg xml _ws.expert _ws.malformed _ws.short"

# All items of ours, and of other layers a line each: where only the sanitizers read them.
DETAILS = ("-V", "-O", "dcerpc,perflibv2,pla,perfdata,winreg")

# A plugin that was not loaded, a bug Wireshark caught, or a sanitizer's report.
TROUBLE = re.compile(r"Dissector bug|couldn't|runtime error:|ERROR: \w+Sanitizer|CRITICAL|\*\* \(")


@lru_cache
def sanitizer_library(plugins):
    """The AddressSanitizer that the plugin was built with, which has to be in the process before it."""
    (plugin,) = plugins.glob("*/epan/perflib.so")
    name = re.search(rb"libclang_rt\.asan[\w.-]*\.so", plugin.read_bytes()).group().decode()
    return subprocess.run(["clang", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()


# Makers' and ports' names, four megabytes that Wireshark 4.0 reads whenever it starts: a third of the time that takes.
# No test wants them; 4.4 and 4.6 have them built in.
DATA = Path("/usr/share/wireshark")
NOT_READ = {"enterprises.tsv", "manuf", "services", "wka"}


@lru_cache
def data_folder():
    """Wireshark's own files without those: None where they are somewhere else."""
    if not DATA.is_dir():
        return None
    folder = Path(tempfile.mkdtemp(prefix="perflib-data-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    for file in DATA.iterdir():
        if file.name not in NOT_READ:
            (folder / file.name).symlink_to(file)
    return folder


@dataclass(slots=True)
class Item:
    """A field of a dissected packet as PDML describes it."""

    name: str
    show: str
    showname: str
    position: int
    size: int
    value: str | None
    children: list["Item"] = field(default_factory=list)

    @property
    def generated(self):
        """Whether the item has no bytes of its own in the packet."""
        return self.size == 0

    def walk(self):
        """This item and all below it, in the order in which they are shown."""
        waiting = [self]
        while waiting:
            item = waiting.pop()
            yield item
            if item.children:
                waiting.extend(reversed(item.children))

    def find(self, name):
        """All items of that name, this one included."""
        return [item for item in self.walk() if item.name == name]

    def first(self, name):
        """The first item of that name, or None."""
        return next((item for item in self.walk() if item.name == name), None)


def _item(element, value_at=None):
    """value_at: the position of the value that it stands below."""
    said = element.attrib.get
    name, position, children = said("name", ""), int(said("pos", 0)), []
    # PDML adds the parent's position to that of an item that begins before its parent, as the
    # sizes below a value do.
    if value_at is not None and position > value_at:
        position -= value_at
    if len(element):
        within = position if name.startswith(("perflibv2.path", "perflibv2.value")) else None
        children = [_item(child, within) for child in element]
    # Of a boolean 4.0 says 1.
    show = {"True": "1", "False": "0"}.get(said("show", ""), said("show", ""))
    return Item(name, show, said("showname", ""), position, int(said("size", 0)), said("value"), children)


def may_lack_values(cell):
    """A column has room for 2047 bytes, and for 63 numbers that aren't whole: plugin/test_columns.py. Cut is between characters."""
    return cell.count(",") == 62 or len(cell.encode()) > 2043


class Tshark:
    """tshark as another user than root, in UTC, without anybody's settings."""

    def __init__(self, plugins, home, sanitized=False, wrapper=(), more=()):
        """wrapper, more: what stands before each of its commands, and what its environment has besides."""
        self.plugins = plugins
        self.home = home
        self.sanitized = sanitized
        self.wrapper = wrapper
        self.more = more
        self.registered = None

    def environment(self, extra=()):
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WIRESHARK_", "XDG_"))
        }
        environment.update(
            HOME=str(self.home),
            LC_ALL="C.UTF-8",
            TZ="UTC",
            WIRESHARK_PLUGIN_DIR=str(self.plugins),
        )
        if data_folder():
            environment["WIRESHARK_DATA_DIR"] = str(data_folder())
        if self.sanitized:
            # Every block is a malloc of its own: AddressSanitizer sees where it ends, fills it with rubbish and knows when it is freed.
            environment["WIRESHARK_DEBUG_WMEM_OVERRIDE"] = "simple"
        environment.update(self.more)
        environment.update(extra)
        return environment

    def command(self, *arguments, program="tshark", wrapper=(), preloaded=()):
        """The command line that runs a Wireshark program with the plugin."""
        command = [str(UNPRIVILEGED), *self.wrapper, *wrapper]
        if self.sanitized:
            preloaded = [sanitizer_library(self.plugins), *preloaded]
        if preloaded:
            # Only tshark gets them, not the shell around it.
            command += ["env", f"LD_PRELOAD={':'.join(map(str, preloaded))}"]
        if self.sanitized:
            # Wireshark keeps what it registered until the process ends: no leaks.
            command += ["ASAN_OPTIONS=detect_leaks=0:abort_on_error=0", "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"]
        return [*command, program, *map(str, arguments)]

    def result(self, *arguments, env=(), timeout=300):
        """What became of a run of tshark: a subprocess.CompletedProcess."""
        arguments = [str(argument) for argument in arguments]
        # The protocols are registered once for all runs, but those of a script.
        if not env and library() and "-X" not in arguments:
            return self.waiting().run(arguments, timeout)
        return self.started_anew(*arguments, env=env, timeout=timeout)

    def waiting(self):
        """One that has registered its protocols: a Registered."""
        if self.registered is None or self.registered.ended():
            self.registered = Registered(self.command(preloaded=[library()]), self.environment())
            weakref.finalize(self, self.registered.stop)
        return self.registered

    def environment_of_commands(self, cwd):
        """environment() for commands that start tshark in that folder, of which one that has registered its protocols takes most."""
        asked = Asked(self.command(preloaded=[library()]), self.environment(), cwd)
        weakref.finalize(self, asked.stop)
        return self.environment({"PATH": f"{asked.folder}:{os.environ['PATH']}"})

    def started_anew(self, *arguments, env=(), timeout=300):
        """The same of one that registers its protocols itself."""
        return subprocess.run(
            self.command(*arguments), env=self.environment(env), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
            check=False,
        )

    def run(self, capture, *options, env=(), timeout=300, check=True):
        """tshark -r CAPTURE OPTIONS: its output, if all went well."""
        result = self.result("-r", capture, *options, env=env, timeout=timeout)
        output = result.stdout.decode("utf-8", "replace")
        errors = result.stderr.decode("utf-8", "replace")
        if check:
            assert result.returncode == 0, f"tshark ended with {result.returncode}:\n{errors}"
            assert not TROUBLE.search(errors), errors
            if "Dissector bug" in output:
                raise AssertionError(next(line for line in output.splitlines() if "Dissector bug" in line))
        return output

    def complaint(self, capture, *options):
        """What tshark says to standard error, whether or not it goes on."""
        return self.result("-r", capture, *options).stderr.decode("utf-8", "replace")

    def bears(self, capture, *options):
        """Whether Wireshark itself lives on with such options: 4.4 and 4.6 end where an item of a frame or column is one too many."""
        return not re.search(r'Unhandled exception \("Adding (frame|_ws)\.', self.complaint(capture, *options))

    def fields(self, capture, *names, display_filter=None, options=(), short=False):
        """One row per packet, one list of values per field."""
        return self.fields_and_tables(capture, *names, display_filter=display_filter, options=options, short=short)[0]

    def fields_and_tables(self, capture, *names, display_filter=None, options=(), tables=(), short=False):
        """
        The same, and what the tables (-z) of all packets print: a second run would dissect all of them again. short: packets
        have few values, without commas, tabs or line breaks. They are columns then (of a boolean a tick), which takes a third
        of the time: for -T fields the tree is made as if all of it was shown.
        """
        if short:
            columns = ",".join(f'"{number}","%Cus:{name}:0:U"' for number, name in enumerate(names))
            arguments = [*options, "-T", "tabs", "-o", f"gui.column.format:{columns}"]
        else:
            arguments = [*options, "-T", "fields", "-E", "separator=\x1f", "-E", "aggregator=\x1e"]
            for name in names:
                arguments += ["-e", name]
        if display_filter:
            arguments += ["-Y", display_filter]
        for table in tables:
            arguments += ["-z", table]
        # A field's own line breaks are escaped by tshark. Not splitlines(): the aggregator would be one, too.
        rows, line, printed = self.run(capture, *arguments).partition("\n" + "=" * 40)
        assert bool(line) == bool(tables), "a table, or none, behind the rows"
        separator, aggregator = "\t," if short else "\x1f\x1e"
        rows = [row.split(separator) for row in rows.split("\n")[:-1]]
        if short:
            assert all(len(row) == len(names) for row in rows)
            assert not [cell for row in rows for cell in row if len(cell) > 124 and may_lack_values(cell)]
        return [[cell.split(aggregator) if cell else [] for cell in row] for row in rows], line[1:] + printed

    def json(self, capture, *options):
        """tshark -T json; a key that stands several times in a packet is kept as a list of pairs."""
        return json.loads(
            self.run(capture, *options, "-T", "json"), object_pairs_hook=lambda pairs: pairs
        )

    @cached_property
    def version(self):
        """Wireshark's version, as (4, 0)."""
        said = self.result("--version").stdout.decode()
        return tuple(map(int, re.search(r"\(Wireshark\) (\d+)\.(\d+)", said).groups()))

    @cached_property
    def protocols(self):
        """Filter names of all protocols this tshark knows."""
        result = self.result("-G", "protocols")
        return {line.split("\t")[2] for line in result.stdout.decode().splitlines()}

    def packets(self, capture, *options, display_filter="perflibv2", two_pass=False, layers=LAYERS):
        """Every packet the filter passes, as a list of its protocols (Item); of other layers than these the name only."""
        # From 4.4 on tshark refuses the name of a protocol that it does not have.
        layers = " ".join(layer for layer in layers.split() if layer in self.protocols)
        arguments = ["-T", "pdml", "-J", layers, *options, *(["-2"] if two_pass else [])]
        if display_filter:
            arguments += ["-Y", display_filter]
        tree = ElementTree.fromstring(self.run(capture, *arguments))
        return [[_item(protocol) for protocol in packet] for packet in tree]
