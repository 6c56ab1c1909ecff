# SPDX-License-Identifier: GPL-2.0-or-later
"""plugin/manual/fields-*.md: what is registered, and a filter for each field that a bundled capture matches."""

import re
from dataclasses import dataclass

from lib.captures import CAPTURES, REPOSITORY, all_captures, options_for

FOLDER = REPOSITORY / "plugin" / "manual"
PROTOCOLS = {
    "perflibv2": "PerflibV2",
    "perfdata": "The older API",
    "pla": "Performance Logs and Alerts",
    "perflib_session": "Decryption",
}
# The captures a newcomer looks at come first.
FIRST = ["tcp-session", "perfdata-samba", "pla-session", "perfdata-windows", "pla-every-method", "sizes-without-padding"]
SEVERITIES = {"CHAT": "chat", "NOTE": "note", "WARN": "warning", "ERROR": "error"}
ROW = re.compile(r"^\| `([a-z][\w.]*)` \|.*\|$")
# Numbers that each recording makes anew.
OF_THE_RECORDING = re.compile(r"(handle|ipid|oid|oxid|frame|_in|in_frame|address|stub|time)$")


@dataclass
class Field:
    name: str
    label: str
    type: str
    protocol: str
    blurb: str


def glossary(tshark, kind):
    """tshark -G KIND, a list of cells a line."""
    result = tshark.result("-G", kind)
    assert result.returncode == 0
    return [line.split("\t") for line in result.stdout.decode().splitlines()]


def registered(tshark):
    """Fields of the plugin's protocols by name, in the order of their registration."""
    fields = {}
    for row in glossary(tshark, "fields"):
        if row[0] == "F" and row[4] in PROTOCOLS:
            fields.setdefault(row[2], Field(row[2], row[1], row[3].removeprefix("FT_"), row[4], row[7] if len(row) > 7 else ""))
    return fields


def severities():
    """Name of each expert item that is written out in the source, and its severity. Rules have a table of their own."""
    found = {}
    for path in sorted((REPOSITORY / "plugin").rglob("*.c")):
        for protocol, name, severity in re.findall(
            r'"([a-z_0-9]*)(\.[\w.]+)",\s*PI_\w+,\s*PI_(\w+),', path.read_text(encoding="utf-8")
        ):
            # Several protocols have what is named without one.
            found |= {of + name: SEVERITIES[severity] for of in [protocol] * bool(protocol) or PROTOCOLS}
    return found


def an_example(field, value):
    """A display filter that a packet matches whose field shows this value."""
    name = field.name
    if field.type == "BOOLEAN":
        return f"{name} == {int(value in ('1', 'True'))}"
    if OF_THE_RECORDING.search(name):
        return name
    if re.match("U?INT", field.type):
        return f"{name} == {value}"
    if field.type == "GUID":
        return f"{name} == {value}"
    if field.type == "DOUBLE":
        return f"{name} >= {int(float(value))}" if float(value) >= 0 else name
    if field.type == "STRING" and re.fullmatch(r"[\w %/.-]{1,40}", value, re.ASCII):
        return f'{name} == "{value}"'
    return name


def captures_in_order():
    captures = [capture for capture in all_captures() if capture.parent == CAPTURES]
    return sorted(captures, key=lambda path: FIRST.index(path.stem) if path.stem in FIRST else len(FIRST))


def examples(tshark, fields):
    """Name -> (filter, name of a capture that it matches), as far as there is one."""
    found = {}
    for capture in captures_in_order():
        missing = [name for name in fields if name not in found]
        if not missing:
            break
        # A column each; of a value only the first in a packet.
        for row in tshark.fields(capture, *missing, display_filter=" || ".join(PROTOCOLS) + " || pla.enumerator",
                                 options=("-2", *options_for(capture), "-E", "occurrence=f")):
            for name, cell in zip(missing, row):
                if cell and name not in found:
                    found[name] = (an_example(fields[name], cell[0]), capture.stem)
    return found


def cell_text(text):
    """Text within a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("[", "\\[")


def example_cell(example):
    return f"`{example[0]}` ({example[1]})" if example else ""


INTRODUCTION = """The example is a display filter. It matches packets of the
[sample capture](../../captures/README.md) named in parentheses. A row without an example is a field
that no sample capture shows once it is decrypted.
Do not edit this page: `tests/docs/fields` writes it."""
WATCHED = {"perflibv2": ["Fields of the [watch list](values.md#the-watch-list), `perflibv2.watch.NAME`, are not listed here."]}


def written(fields, found):
    """Name of each page -> its text."""
    experts = severities()
    rules = {name for name in fields if name.startswith("perflibv2.rule.")}
    made = {}
    for protocol, title in PROTOCOLS.items():
        rows = [f"| `{field.name}` | {field.type} | {cell_text(field.label)} | {cell_text(field.blurb)} | "
                f"{example_cell(found.get(field.name))} |"
                for field in fields.values() if field.protocol == protocol and field.name not in experts and field.name not in rules]
        if rows:
            made[f"fields-{protocol}.md"] = [f"# Fields: {title}", "", INTRODUCTION, *WATCHED.get(protocol, []), "",
                                             "| Filter | Type | Shown as | Meaning | Example |", "|---|---|---|---|---|", *rows]
    made["fields-expert.md"] = [
        "# Expert items", "", INTRODUCTION, "", "On this page: [Findings](#findings) · [Rules of [MS-PCQ]](#rules-of-ms-pcq)", "",
        "## Findings", "", "| Filter | Severity | What it says | Example |", "|---|---|---|---|",
        *(f"| `{name}` | {severity} | {cell_text(fields[name].label)} | {example_cell(found.get(name))} |"
          for name, severity in experts.items() if name in fields),
        "", "## Rules of [MS-PCQ]", "", "[RULES.md](../RULES.md) explains each rule.", "", "| Filter | Example |", "|---|---|",
        *(f"| `{name}` | {example_cell(found.get(name))} |" for name in sorted(rules)),
    ]
    return {name: "\n".join(lines).replace("|  |", "| |") + "\n" for name, lines in made.items()}


def pages():
    """Name of each page that is there -> its text."""
    return {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("fields-*.md")}


def names_of_page(text):
    """Filter names that begin a row of a page's tables."""
    return [match[1] for line in text.splitlines() if (match := ROW.match(line))]


def examples_of_page(text):
    """Capture -> filters that it must match."""
    found = {}
    for filter_text, capture in re.findall(r"\| `([^`]*)` \(([\w-]+)\) \|$", text, re.MULTILINE):
        found.setdefault(capture, []).append(filter_text)
    return found
