# SPDX-License-Identifier: GPL-2.0-or-later
"""README, the manual and its lists say what is true: names, links, and every command has output."""

import json
import os
import re
import subprocess

import pytest

from lib.captures import CAPTURES, REPOSITORY, options_for, record_of
from lib.cases import pdus_of
from lib.fields import PROTOCOLS, examples_of_page, glossary, names_of_page, registered, written
from lib.fields import pages as pages_of_fields
from lib.manual import anchor as anchor_of
from lib.manual import one_page, pages
from lib.pla import ENUMS, snake
from lib.some import some

MANUAL = one_page()
PAGES = sorted(path for path in REPOSITORY.rglob("*.md") if "build" not in path.relative_to(REPOSITORY).parts)
# Tables that Wireshark itself makes of what a plugin registers.
OF_WIRESHARK = {"dcerpc,srt"}


@pytest.fixture(scope="module")
def fields(tshark):
    return registered(tshark)


# --- Lists -----------------------------------------------------------------------------------------------------------

def test_every_field_is_listed(fields):
    """The pages of fields are what tests/docs/fields would write, but for new examples."""
    text = "\n".join(pages_of_fields().values())
    assert set(names_of_page(text)) == set(fields), "run tests/docs/fields"
    known = {}
    for line in text.splitlines():
        if match := re.match(r"\| `([^`]*)` \| .*\| `([^`]*)` \(([\w-]+)\) \|$", line):
            known[match[1]] = (match[2], match[3])
        elif match := re.match(r"\| `([^`]*)` \| `([^`]*)` \(([\w-]+)\) \|$", line):
            known[match[1]] = (match[2], match[3])
    assert written(fields, known) == pages_of_fields(), "run tests/docs/fields"


def test_every_field_says_what_it_is(fields):
    """Its description is not its name in other letters. (The name of an expert item, of type NONE, is a sentence itself.)"""
    plain = [field for field in fields.values() if field.type != "NONE"]
    assert len(plain) > 350

    def letters(text):
        return re.sub(r"\W|_", "", text).casefold()

    assert not [field.name for field in plain if letters(field.blurb) in ("", letters(field.label))]


# winperf.h: parts and flags of a counter type. [MS-PCQ] 2.2.4.2: Attrib. [MS-DTYP] 2.4.7, evntrace.h, [MS-OAUT] 3.1.4.4: flags beside those of [MS-PLA].
TYPE_BITS = {
    "size": 0x300, "kind": 0xC00, "subtype": 0x70000, "timer": 0x300000, "display": 0x70000000, "modifiers.delta": 0x400000,
    "modifiers.delta_base": 0x800000, "modifiers.inverse": 0x1000000, "modifiers.multi": 0x2000000}  # fmt: skip
ATTRIB_BITS = {"reference": 1, "no_display": 2, "no_group_separator": 4, "as_real": 8, "as_hex": 0x10}
FLAG_BITS = {
    "extended_modes": {"private_logger_mode": 0x800, "use_global_sequence": 0x4000, "use_local_sequence": 0x8000, "use_paged_memory": 0x1000000},
    "security_info": {"owner": 1, "group": 2, "dacl": 4, "sacl": 8, "label": 0x10, "attribute": 0x20, "scope": 0x40, "backup": 0x10000,
                      "unprotected_sacl": 0x10000000, "unprotected_dacl": 0x20000000, "protected_sacl": 0x40000000, "protected_dacl": 0x80000000},
    "invoke_flags": {"method": 1, "propertyget": 2, "propertyput": 4, "propertyputref": 8},
    **{snake(kind): {snake(name.removeprefix("pla")): bit for bit, name in values.items() if bit & (bit - 1) == 0 < bit}
       for kind, (flags, values) in ENUMS.items() if flags},
}


def test_only_flags_have_bits_and_they_are_those_of_their_number(tshark):
    """Width of the number and mask of each field that shows a part of one; all other fields show the whole."""
    expected = {f"{of}.{part}": (32, mask) for of in ("perflibv2.counter.type", "perfdata.counter_definition.counter_type")
                for part, mask in TYPE_BITS.items()}
    expected |= {f"perflibv2.counter.attrib.{flag}": (64, bit) for flag, bit in ATTRIB_BITS.items()}
    expected |= {f"pla.{kind}.{flag}": (32, bit) for kind, flags in FLAG_BITS.items() for flag, bit in flags.items()}
    found = {}
    for _, _, name, kind, protocol, width, mask, *_ in (row for row in glossary(tshark, "fields") if row[0] == "F"):
        if protocol in PROTOCOLS and (int(mask, 0) or kind == "FT_BOOLEAN" and width != "0"):
            found[name] = (int(width) if kind == "FT_BOOLEAN" else int(kind.removeprefix("FT_UINT")), int(mask, 0))
    assert found == expected


EXAMPLES = examples_of_page("\n".join(pages_of_fields().values()))


@pytest.mark.parametrize("capture", sorted(EXAMPLES))
def test_examples_of_fields_match(tshark, capture):
    filters = EXAMPLES[capture]
    path = CAPTURES / f"{capture}.pcapng"
    options = []
    for text in filters:
        options += ["-z", f"io,stat,0,{text}"]
    output = tshark.run(path, "-2", "-q", *options_for(path), *options)
    tables = output.split("IO Statistics")[1:]
    counts = [int(re.search(r"^\|\s*[\d.]+ <> +[\d.]+ +\| +(\d+) \|", table, re.MULTILINE)[1]) for table in tables]
    assert len(counts) == len(filters)
    assert [table for table, count in zip(tables, counts) if not count] == []


def test_every_table_is_described(tshark, bare_tshark):
    def tables(which):
        result = which.result("-z", "help")
        return {line.strip() for line in (result.stdout + result.stderr).decode().splitlines() if line.startswith("     ")}

    added = tables(tshark) - tables(bare_tshark)
    described = set(re.findall(r"^\| `-z (\w+,[\w-]+)", MANUAL, re.MULTILINE))
    assert described - OF_WIRESHARK == added


def preferences(which):
    """Name -> value of all preferences."""
    rows = ["\t".join(row) for row in glossary(which, "currentprefs")]
    return {match[1]: match[2] for row in rows if (match := re.match(r"#?([a-z_0-9.]+): ?(.*)$", row))}


def test_every_reason_is_explained():
    """Why a value was not computed."""
    source = (REPOSITORY / "plugin" / "cook" / "cooking.h").read_text(encoding="utf-8")
    reasons = re.findall(r'X\(COOK_\w+, "\w+", "([a-z][^"(]*[^"( ])', source)
    page = (REPOSITORY / "plugin" / "manual" / "values.md").read_text(encoding="utf-8")
    assert len(reasons) > 20
    assert [reason for reason in reasons if f"*{reason}*" not in page] == []


def test_every_preference_is_described(tshark, bare_tshark):
    plain = preferences(bare_tshark)
    added = {name: value for name, value in preferences(tshark).items() if name not in plain}
    text = MANUAL
    described = dict(re.findall(r"^\| `([a-z_0-9]+\.[a-z_0-9]+)` \| (\S+) \|", text, re.MULTILINE))
    assert {name: value for name, value in described.items() if name.split(".")[0] in PROTOCOLS} == added
    for name in some(re.findall(r"^\| `(\w+)` \(table\)", text, re.MULTILINE)):
        assert f"uat:{name}:" in text, f"no example of the table {name}"


def test_user_tables_are_described():
    sources = "".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "plugin").rglob("*.[ch]"))
    assert len(re.findall(r"\buat_new\(", sources)) == len(
        re.findall(r"^\| `\w+` \(table\)", MANUAL, re.MULTILINE)
    )


def test_every_rule_is_explained(fields):
    text = (REPOSITORY / "plugin" / "RULES.md").read_text(encoding="utf-8")
    explained = {f"perflibv2.rule.{name}" for name in re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)}
    assert explained == {name for name in fields if name.startswith("perflibv2.rule.")}


def test_filters_of_the_manual_exist(tshark, fields):
    """Whole names only: `perflibv2.counter.name`, not `.name`. Dissectors by name are those that cases know."""
    cases = (REPOSITORY / "tests" / "cases").glob("*/*.calls")
    dissectors = {name for case in cases for kind, _, name, _ in pdus_of(case) if kind == "="}
    known = {*fields, *tshark.protocols, *preferences(tshark), *dissectors}
    missing = []
    for path in PAGES:
        for name in re.findall(r"\b((?:%s)\.[a-z_][\w.]*[\w])" % "|".join(PROTOCOLS), path.read_text(encoding="utf-8")):
            group = any(field.startswith(name + ".") for field in fields)
            own = name.startswith("perflibv2.watch.")
            placeholder = re.search(r"\.[A-Z]{2}", name)
            file = name.endswith((".md", ".txt", ".csv", ".ndjson", ".so", ".c", ".h", ".om"))
            if name not in known and not (group or own or placeholder or file):
                missing.append(f"{path.name}: {name}")
    assert not missing, "\n".join(missing)


def test_every_capture_is_described():
    text = (CAPTURES / "README.md").read_text(encoding="utf-8").split("\n## The captures\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[\w-]+`(?:, `[\w-]+`)*) \|", text, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"[\w-]+", row)]
    assert sorted(named) == sorted(path.stem for path in CAPTURES.glob("*.pcapng"))


def test_one_password_for_all():
    """What captures/README.md promises."""
    auths = [(record_of(path) or {}).get("auth", {}) for path in CAPTURES.glob("*.pcapng")]
    assert {auth.get(key) for auth in auths for key in ("password", "smb_password")} == {None, "Perf-Lib2"}


# --- Links -----------------------------------------------------------------------------------------------------------

def anchors(path):
    """What GitHub and others make of the headings."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {anchor_of(heading) for heading in headings}


def test_links_lead_to_files_and_headings():
    links = [(path, target) for path in PAGES for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))]
    for path, target in some((path, target) for path, target in links if "://" not in target):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), f"{path}: {target}"
        assert not anchor or anchor in anchors(file), f"{path}: {target}"


WRITTEN = [path for path in PAGES if "tests" not in path.relative_to(REPOSITORY).parts]


@pytest.mark.parametrize("path", WRITTEN, ids=[str(path.relative_to(REPOSITORY)) for path in WRITTEN])
def test_lines_of_pages_stay_narrow(path):
    """Rows of tables, pictures and blocks of code can't be wrapped."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL).splitlines()
    assert [line for line in prose if len(line) > 100 and not line.startswith(("|", "!["))] == []


def test_pages_of_the_manual():
    """The entry leads to every page; one page is made of all of them, in which all links hold."""
    assert pages()[0].name == "perflib.md" and len(pages()) > 10
    linked = {(pages()[0].parent / name).resolve() for name in re.findall(r"\]\(([\w/.-]+\.md)", pages()[0].read_text(encoding="utf-8"))}
    assert {path for path in PAGES if path.parent.name in ("plugin", "manual")} - {pages()[0]} <= linked
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", MANUAL, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    made = [anchor_of(heading) for heading in headings]
    assert len(made) == len(set(made)), "two headings would have one anchor"
    for name, _, target in some(link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", MANUAL) if "://" not in link):
        if name:
            assert (REPOSITORY / "plugin" / name).exists(), name
        else:
            assert target in made, target
    assert "On this page" not in MANUAL


# --- Commands --------------------------------------------------------------------------------------------------------

def blocks(path):
    """The lines of each block marked as sh: what a reader can type as it stands."""
    return [block.splitlines() for block in re.findall(r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)]


def commands(path):
    return [line for block in blocks(path) for line in block]


BEFORE = {line: lines[:at] for path in PAGES for lines in blocks(path) for at, line in enumerate(lines)}
COMMANDS = [(path, line) for path in PAGES for line in commands(path)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that looks like the repository, where commands may write."""
    folder = tmp_path_factory.mktemp("commands")
    folder.chmod(0o777)
    for name in os.listdir(REPOSITORY):
        if not name.startswith("."):
            (folder / name).symlink_to(REPOSITORY / name)
    return folder


@pytest.fixture(scope="module")
def ran(tshark, folder):
    """Runs a command, once: what became of it, and the files that it wrote."""
    results = {}
    environment = tshark.environment_of_commands(folder)

    def run(line):
        if line not in results:
            # The lines above it in its block may have written what it reads.
            for above in BEFORE.get(line, ()):
                run(above)
            before = set(os.listdir(folder))
            result = subprocess.run(
                tshark.command("-c", line, program="bash"), cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=300, check=False,
            )
            results[line] = result, [folder / name for name in set(os.listdir(folder)) - before]
        return results[line]

    return run


@pytest.mark.parametrize("path, line", COMMANDS, ids=[f"{path.name}-{number}" for number, (path, _) in enumerate(COMMANDS)])
def test_command_has_output(ran, path, line):
    result, files = ran(line)
    assert result.returncode == 0, result.stderr.decode("utf-8", "replace")
    written = [file for file in files if file.suffix != ".pcapng"]
    # Output is more than the frame of a table, and more than empty lines.
    written += [file for folder in written if folder.is_dir() for file in folder.iterdir()]
    output = result.stdout.decode("utf-8", "replace") + "".join(file.read_text(encoding="utf-8") for file in written if file.is_file())
    told = [text for text in output.splitlines() if re.search(r"\d", text) and not text.startswith("Filter")]
    assert told, f"no output: {line}"
    assert not re.search(r"^tshark: (?!.*Broken pipe)", result.stderr.decode("utf-8", "replace"), re.MULTILINE)


SHOWN = [
    (path, line, shown) for path in PAGES
    for line, shown in re.findall(r"^```sh\n(.+)\n```\n(?:(?!```).*\n)*?```text\n((?:.*\n)*?)```$", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("path, line, shown", SHOWN, ids=[f"{path.name}-{number}" for number, (path, _, _) in enumerate(SHOWN)])
def test_output_is_as_shown(ran, path, line, shown):
    """Each line of a page's output, but for blanks and the columns' bars; "..." leaves something out."""
    def words(text):
        return " ".join(text.replace("|", " ").split())

    result, _ = ran(line)
    lines = [words(text) for text in result.stdout.decode("utf-8", "replace").splitlines()]
    for expected in some(shown.splitlines()):
        pattern = r".*".join(re.escape(words(part)) for part in expected.split("..."))
        assert any(re.fullmatch(pattern, text) for text in lines), expected


@pytest.mark.parametrize("page, number, capture", [
    ("plugin/manual/others.md", 0, "perfdata-samba"), ("plugin/manual/others.md", 1, "pla-session"),
])
def test_tree_is_as_shown(tshark, page, number, capture):
    """Blocks without a command: lines of the packet list, behind the protocol's name, and of the tree."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", (REPOSITORY / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    block = [text for language, text in blocks if not language][number]
    output = tshark.run(CAPTURES / f"{capture}.pcapng", "-2", "-P", "-O", "perflibv2,winreg,perfdata")
    missing = [line for line in block.splitlines() if re.split(" {2,}", line.strip())[-1] not in output]
    assert block and missing == []


def test_output_is_shown():
    assert len(SHOWN) >= 5


def test_pandas_reads_the_tables_as_the_page_says(ran):
    """The tables as pandas reads them: python3-pandas of Debian is large, so tests/run does not install it."""
    pytest.importorskip("pandas", reason="python3-pandas is not installed")
    page = (REPOSITORY / "plugin" / "manual" / "data.md").read_text(encoding="utf-8")
    program = re.search(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    (folder,) = ran("tshark -r captures/habits.pcapng -q -z perflib,csv,tables")[1]
    result = subprocess.run(["/usr/bin/python3", "-c", program], cwd=folder.parent, capture_output=True, text=True, timeout=300, check=True)
    assert re.search(r"^Processor +26432$", result.stdout, re.MULTILINE)
    assert re.search(r"^\d+ +client +polls_late +89$", result.stdout, re.MULTILINE)


def test_influxdb_lines_keep_times_and_tags(tmp_path):
    """Polls within a second keep their times, and no tag ends in a backslash: it would mask the comma behind it."""
    (command,) = [line for line in commands(REPOSITORY / "plugin" / "manual" / "tables.md") if line.startswith("jq ")]
    sample = {"server": "PC", "counterset": "Logical Disk", "counter": "a=b,c", "cooked": 0}
    (tmp_path / "influx.ndjson").write_text("".join(json.dumps(sample | one) + "\n" for one in (
        {"time": "2026-03-02T08:00:01.2500000Z", "instance": "C:\\"}, {"time": "2026-03-02T08:00:01.7500001Z", "cooked": 1.5},
        {"time": "2026-03-02T08:00:02.0000000Z", "cooked": None})))
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, timeout=60)
    # 1772438401 is date -d 2026-03-02T08:00:01Z +%s.
    assert (tmp_path / "influx.lp").read_text().splitlines() == [
        r"perflib,server=PC,counterset=Logical\ Disk,instance=C:,counter=a\=b\,c value=0 1772438401250000000",
        r"perflib,server=PC,counterset=Logical\ Disk,instance=-,counter=a\=b\,c value=1.5 1772438401750000100"]
