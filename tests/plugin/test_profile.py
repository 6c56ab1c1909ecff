# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile that comes with the plugin: which frames its colours mark, and whether they can be read."""

import re
import shutil
from collections import Counter

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, REPOSITORY, options_for
from lib.some import some
from lib.tshark import Tshark
from lib.wire import Capture

PROFILE = REPOSITORY / "plugin" / "packaging" / "profile"
RULE = re.compile(r"^@(?P<name>[^@]+)@(?P<filter>.+)@\[(?P<back>\d+,\d+,\d+)\]\[(?P<text>\d+,\d+,\d+)\]$")
RULES = [RULE.match(line).groupdict() for line in (PROFILE / "colorfilters").read_text(encoding="utf-8").splitlines()
         if not line.startswith("#")]


@pytest.fixture(scope="module")
def profiled(tshark, tmp_path_factory):
    """tshark whose user has the profile."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(PROFILE, home / ".config" / "wireshark" / "profiles" / "perflib")
    for path in [home, *home.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    return Tshark(tshark.plugins, home)


def colours(tshark, capture, *fields, options=None):
    """Frame -> (name of the rule that colours it or None, further fields)."""
    capture = CAPTURES / f"{capture}.pcapng" if isinstance(capture, str) else capture
    options = ["-C", "perflib", "--color", *(options_for(capture) if options is None else options)]
    rows = tshark.fields(capture, "frame.number", "frame.coloring_rule.name", *fields, options=options)
    assert rows
    return {int(frame): (rule[0] if rule else None, *more) for (frame,), rule, *more in rows}


def luminance(colour):
    """Relative luminance of WCAG 2.1."""
    parts = [int(part) / 0xFFFF for part in colour.split(",")]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["name"])
def test_text_can_be_read(rule):
    """WCAG 2.1, 1.4.3: a contrast of 4.5:1 at least."""
    light, dark = sorted(map(luminance, (rule["back"], rule["text"])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_colours_and_names_of_rules_differ():
    assert len({rule["back"] for rule in RULES}) == len(RULES) == len({rule["name"] for rule in RULES})


def test_what_was_not_reached(profiled):
    """The frames that stopped an attempt, which test_stopped.py names; resets and errors of others have no colour. tshark knows
    none of them. Frames without data alone are grey."""
    (rule,) = [rule for rule in RULES if rule["name"] == "Not reached"]
    assert rule["filter"] == "perflib_session.stopped"
    frames = colours(profiled, "sessions-smb", "tcp.len")
    grey = {frame for frame, (name, _) in frames.items() if name == "No data"}
    assert grey == {frame for frame, (_, length) in frames.items() if length == ["0"]} != set()


@pytest.mark.parametrize("name, values", [("sealed-tcp", True), ("sealed-kerberos-spnego", True), ("pla-sealed", False)])
def test_sealed_calls_are_painted_unless_opened(profiled, name, values):
    """With the key nothing is painted as sealed, without it or with a wrong one no call is painted as opened. Info says so, too."""
    frames = colours(profiled, name, "_ws.col.Info").values()
    opened = Counter(rule for rule, _ in frames)
    assert opened["Sealed"] == 0 and opened["Performance counters"] and not any("sealed" in info for _, (info,) in frames)
    assert bool(opened["Values"]) == values
    for options in ([], ["-o", "ntlmssp.nt_password:Wrong"]):
        frames = colours(profiled, name, "_ws.col.Info", options=options).values()
        closed = Counter(rule for rule, _ in frames)
        assert all((rule == "Sealed") == info.endswith(", sealed") for rule, (info,) in some(frames))
        assert closed["Sealed"] and not closed["Values"] and not closed["Performance counters"]


def test_rules_of_the_specification(profiled):
    """Those whose breaking counts as broken have the colour, and no other."""
    table = (REPOSITORY / "plugin" / "RULES.md").read_text(encoding="utf-8")
    severities = dict(re.findall(r"^\| `(\w+)` \| [\d.]+ \| \w+ \| (error|warning|note) \|", table, re.M))
    fields = [f"perflibv2.rule.{name}" for name in some(severities)]
    frames = colours(profiled, "rules", "perflibv2.broken_rule", *fields)
    for frame, (colour, named, *found) in frames.items():
        departs = {name for name, rows in zip(severities, found) if rows}
        broken = {name for name in departs if severities[name] != "note"}
        assert set(named) == broken, frame
        assert (colour == "Rule of [MS-PCQ] broken") == bool(broken), frame
    assert {name for _, named, *_ in frames.values() for name in named} > {"block_size", "counter_type"}


def test_a_departure_beside_a_warning_of_another_protocol(profiled, tmp_path):
    """A lost segment (a warning of TCP) where a client without privacy is noted breaks no rule. Bytes that can't be read do."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.connection.sequence[0] += 100
    asked, told = peer.enumerate()
    peer.open(p.query_handle(1))
    cut = peer.poll(p.query_handle(1), p.data(p.block(1, p.value(), size=4096)))[1]
    path = capture.write(tmp_path / "lost.pcap")
    frames = colours(profiled, path, "_ws.expert.severity", options=[])
    assert len(set(frames[asked][1])) == 2
    assert {frame: frames[frame][0] for frame in (asked, told, cut)} == {
        asked: "Performance counters", told: "Performance counters", cut: "Rule of [MS-PCQ] broken"}
    assert profiled.fields(path, "frame.number", display_filter=f"perflibv2.rule.structure_fits && frame.number == {cut}")


def test_errors_of_the_older_api(profiled):
    """An answer with ERROR_MORE_DATA asks for a larger buffer; any other error is a failure."""
    capture = CAPTURES / "perfdata-windows.pcapng"
    painted = {int(frame): rule for frame, (rule,) in colours(profiled, "perfdata-windows").items()}
    errors = {int(frame): int(error, 0) for (frame,), (error,) in profiled.fields(
        capture, "frame.number", "winreg.werror", display_filter="perfdata && winreg.werror")}
    probes = [frame for frame, error in errors.items() if error == 234]
    assert len(probes) > 5 and all(painted[frame] == "Buffer too small" for frame in probes)
    fine = [painted[frame] for frame, error in errors.items() if error == 0]
    assert not {"Failed", "Buffer too small"} & set(some(fine))


def test_buttons_match_what_their_names_say(profiled):
    """Each is a filter that some capture matches; that of sealed calls matches those that were not opened alone, and that of
    trouble is for Wireshark alone."""
    buttons = dict(re.findall(r'^"TRUE","(\w[^"]*)","([^"]+)"', (PROFILE / "dfilter_buttons").read_text(encoding="utf-8"), re.M))
    assert set(buttons) >= {"Counters", "Values", "Trouble", "Failed", "Rules", "Sealed"}
    capture = CAPTURES / "sealed-tcp.pcapng"
    for name, button in buttons.items():
        button = button.replace("\\x22", '"')
        rows = profiled.fields(CAPTURES / ("rules.pcapng" if name == "Rules" else "sealed-tcp.pcapng"), "frame.number", display_filter=button,
                               options=["-C", "perflib", *options_for(capture)])
        assert bool(rows) == (name not in ("Sealed", "Trouble")), name
    assert profiled.fields(capture, "frame.number", display_filter=buttons["Sealed"], options=["-C", "perflib"])


def test_each_column_has_a_width():
    preferences = (PROFILE / "preferences").read_text(encoding="utf-8")
    columns = re.findall(r'^ "[^"]+", "(%[^"]+)"', preferences, re.M)
    (widths,) = re.findall(r"^column\.width: (.*)$", (PROFILE / "recent").read_text(encoding="utf-8"), re.M)
    widths = widths.split(", ")
    # Wireshark tells a column of its own by its fields, without the occurrence. It loses spaces that are not in quotation marks.
    fields = [re.sub(r":\d+:R$", "", column) for column in columns]
    assert widths[::2] == [f'"{field}"' if " " in field else field for field in fields] and len(columns) == 9
    pixels = dict(zip(fields, map(int, widths[1::2])))
    # All in a window of 1280, with its scroll bar.
    assert all(40 <= width <= (600 if field == "%i" else 200) for field, width in some(pixels.items())) and sum(pixels.values()) < 1265


@pytest.mark.parametrize("name", ["tcp-session", "both-apis", "perfdata-samba", "sealed-tcp"])
def test_the_graph_shows_something(profiled, name):
    """Of every capture with polls: the first curve is the response time."""
    rows = [re.findall(r'"([^"]*)"', line) for line in (PROFILE / "io_graphs").read_text(encoding="utf-8").splitlines()]
    assert all(len(row) == 9 and row[0] == "Enabled" for row in some(rows))
    found = profiled.fields(CAPTURES / f"{name}.pcapng", rows[0][6], display_filter=f"({rows[0][2]}) && {rows[0][6]}",
                            options=["-C", "perflib", *options_for(CAPTURES / f"{name}.pcapng")])
    assert found and all(0 <= float(time) < 10 for time in some(time for row in found for time in row[0]))


@pytest.mark.parametrize("name, protocols", [
    ("tcp-session", {"perflibv2"}), ("both-apis", {"perflibv2", "perfdata"}), ("pla-session", {"pla"}), ("faults-refused", {"perflibv2"}),
    ("pla-sealed", {"perflib_session"})])
def test_response_times_are_milliseconds_of_each_protocol(profiled, name, protocols):
    """In milliseconds with three digits: what packet-dcerpc counts in seconds, of open calls, faults and sealed calls."""
    protocols_of_all = ["perflibv2", "perfdata", "pla", "perflib_session"]
    (column,) = re.findall(r'"Response ms", "%Cus:(.*):1:R"', (PROFILE / "preferences").read_text(encoding="utf-8"))
    assert column == " || ".join(f"{protocol}.response_ms" for protocol in protocols_of_all)
    path = CAPTURES / f"{name}.pcapng"
    rows = profiled.fields(path, "dcerpc.time", *column.split(" || "), display_filter=column)
    cells = profiled.run(path, "-o", f'gui.column.format:"R","%Cus:{column}:1:R"', "-Y", column).split()
    shown = set()
    for (seconds, *times), cell in some(zip(rows, cells, strict=True)):
        (first, *_), *_ = [time for time in times if time]
        assert float(first) in [round(float(second) * 1000, 3) for second in seconds] and cell == f"{float(first):.3f}"
        shown |= {protocol for protocol, time in zip(protocols_of_all, times, strict=True) if time}
    assert shown == protocols


def test_the_column_of_watched_counters(profiled):
    """What the list's counters come to, each by its name; those of the record at frame 204 are 77 %."""
    rows = profiled.fields(CAPTURES / "tcp-session.pcapng", "frame.number", "perflibv2.watched", display_filter="perflibv2.watched",
                           options=["-2", "-C", "perflib"])
    assert ["processor 77.000 %"] in [watched for frame, watched in rows if frame == ["204"]]
    assert len(rows) == 4
