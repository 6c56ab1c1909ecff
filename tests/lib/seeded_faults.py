#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows that the checkers of a Wireshark source tree see the plugin's fields: each reports a fault that is put there.

seeded_faults.py TREE PLUGIN FOLDER: TREE has tools/, PLUGIN is plugin/, FOLDER is where copies with faults are made. Every file
that registers fields gets one fault of each kind. A dissector that is as plain as can be gets them, too: a kind that a tree's
checkers do not report there is not known to them, and not expected elsewhere. All that they know must be reported in our files."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ENTRY = re.compile(
    r'\{ &(?P<hf>hf_\w+),\s*\{ "(?P<label>(?:[^"\\]|\\.)*)", "(?P<filter>[\w.]+)",\s*(?P<type>FT_\w+),\s*(?P<display>[\w |]+),'
    r"\s*(?P<strings>\w+(?:\([^()]*\))?|&\w+),\s*(?P<mask>\w+),[^{}]*HFILL \} \},")
EXPERT = re.compile(r'\{ &(?P<ei>ei_\w+),\s*\{ "(?P<filter>[\w.]+)",[^{}]*EXPFILL \} \},')
PLAIN = """#include <epan/packet.h>
#include <epan/expert.h>

static int proto_control = -1;
static int hf_control_first = -1;
static int hf_control_last = -1;
static expert_field ei_control_last = EI_INIT;

static int
dissect_control(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    proto_tree_add_item(tree, hf_control_first, tvb, 0, 4, ENC_LITTLE_ENDIAN);
    expert_add_info(pinfo, proto_tree_add_item(tree, hf_control_last, tvb, 4, 4, ENC_LITTLE_ENDIAN), &ei_control_last);
    return 8;
}

void
proto_register_control(void)
{
    static hf_register_info hf[] = {
        { &hf_control_first, { "First", "control.first", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
        { &hf_control_last, { "Last", "control.last", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
    };
    static ei_register_info ei[] = {
        { &ei_control_last, { "control.last.wrong", PI_PROTOCOL, PI_WARN, "Wrong", EXPFILL } },
    };

    proto_control = proto_register_protocol("Control", "CONTROL", "control");
    proto_register_field_array(proto_control, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto_control), ei, array_length(ei));
}
"""
# A finding that names none of these is no proof.
HF, TYPED, FILTER = "checkhf.pl", "check_typed_item_calls.py", "checkfiltername.pl"


@dataclass
class Seeded:
    """A source with a fault, and what the line of a checker that reports it holds."""

    text: str
    sign: str
    protocol: str = ""


def last_entry(text, pattern=ENTRY):
    """The last entry of the file's arrays: a checker that loses its way in those before does not see it."""
    return list(pattern.finditer(text))[-1]


def last_that_may_have_a_mask(text):
    """Of fields of a name like this any mask is taken to be right."""
    return [entry for entry in ENTRY.finditer(text) if not re.search("reserved|unknown|unused|spare", f"{entry['hf']} {entry['label']}".lower())][-1]


def replaced(text, entry, group, new):
    return text[:entry.start(group)] + new + text[entry.end(group):]


def without_use(text, name, pattern):
    """All that uses a field or an expert item uses another name."""
    kept = [match.span() for match in pattern.finditer(text) if name in match.groups()]
    kept += [match.span() for match in re.finditer(rf"^static (?:int|expert_field) {name} = [^;]*;", text, re.MULTILINE)]
    return re.sub(rf"\b{name}\b", lambda match: name if any(begin <= match.start() < end for begin, end in kept) else f"{name[:3]}elsewhere", text)


def unused_field(text):
    name = last_entry(text)["hf"]
    return Seeded(without_use(text, name, ENTRY), name)


def unregistered_field(text):
    entry = last_entry(text)
    return Seeded(text[:entry.start()] + text[entry.end():], entry["hf"])


def unused_expert(text):
    name = last_entry(text, EXPERT)["ei"]
    return Seeded(without_use(text, name, EXPERT), name)


def unregistered_expert(text):
    entry = last_entry(text, EXPERT)
    return Seeded(text[:entry.start()] + text[entry.end():], entry["ei"])


def uint_on_a_string(text):
    entry = last_entry(text)
    text = replaced(text, entry, "type", "FT_STRING")
    call = f"\nstatic void\nseeded(proto_tree *tree, tvbuff_t *tvb)\n{{\n    proto_tree_add_uint(tree, {entry['hf']}, tvb, 0, 4, 0);\n}}\n"
    return Seeded(text + call, f"proto_tree_add_uint(.., {entry['hf']},")


def torn_mask(text):
    entry = last_that_may_have_a_mask(text)
    # From the last of them to the first: each is where it was found.
    for group, new in (("mask", "0x00000505"), ("display", "BASE_HEX"), ("type", "FT_UINT32")):
        text = replaced(text, entry, group, new)
    return Seeded(text, entry["filter"])


def colon_in_the_label(text):
    entry = last_entry(text)
    return Seeded(replaced(text, entry, "label", "Seeded:"), entry["filter"])


def with_filter(change):
    def seed(text):
        entry = last_entry(text)
        name = change(*entry["filter"].split(".", 1))
        return Seeded(replaced(text, entry, "filter", name), name)
    return seed


# {kind of fault: the checker that has to see it, what makes it}
KINDS = {
    "an unused field": (HF, unused_field),
    "a field in no array": (HF, unregistered_field),
    "an unused expert item": (HF, unused_expert),
    "an expert item in no array": (HF, unregistered_expert),
    "a uint item on an FT_STRING field": (TYPED, uint_on_a_string),
    "a mask with a gap": (TYPED, torn_mask),
    "a label that ends with a colon": (TYPED, colon_in_the_label),
    "a filter of another protocol": (FILTER, with_filter(lambda protocol, rest: f"zzz.{rest}")),
    "a filter with ._": (FILTER, with_filter(lambda protocol, rest: f"{protocol}._{rest}")),
    "a filter with the protocol twice": (FILTER, with_filter(lambda protocol, rest: f"{protocol}.{protocol}_{rest}")),
    # Wireshark itself refuses it when it starts.
    "a filter with ..": (FILTER, with_filter(lambda protocol, rest: f"{protocol}..{rest}")),
}
# Whatever a tree's version: without these its checkers were not run as they should be.
ALWAYS_KNOWN = set(list(KINDS)[:5]) | {"a filter of another protocol", "a filter with ._"}


def sources(plugin):
    """{path below plugin/: text} of the files that register fields."""
    found = {str(path.relative_to(plugin)): path.read_text(encoding="utf-8") for path in sorted(plugin.rglob("*.c"))}
    return {name: text for name, text in found.items() if ENTRY.search(text)}


def registering(plugin):
    """{protocol: text} of the files that register a protocol and no fields, which checkfiltername.pl wants to see."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(plugin.rglob("*.c")))
    return {name: text for text in texts if not ENTRY.search(text)
            for name in re.findall(r'proto_register_protocol\([^;]*"(\w+)"\);', text)}


# Arrays that are filled in a loop: one list has all of a rule (rules/list.h), and Wireshark sets the strings of each interface's opnum.
FILLED_IN_A_LOOP = {"perflibv2/rules/rules.c": "ei[NUM_RULES]", "pla/packet-pla.c": "opnum[PLA_NUM_INTERFACES]"}


def is_plain(name, text):
    """Whether all rows are written as ENTRY and EXPERT, and all fields declared where they are used, so that checkers see them."""
    sized = re.findall(r"_register_info (\w+\[\w+\])", text)
    if sized != [array for file, array in FILLED_IN_A_LOOP.items() if file == name]:
        return False
    for kind, row in ("hf", ENTRY), ("ei", EXPERT):
        arrays = re.findall(rf"{kind}_register_info \w+\[\] = \{{\n(.*?)^ *\}};", text, re.MULTILINE | re.DOTALL)
        if len(row.findall(text)) != sum(len(re.findall(rf"\{{ &{kind}_\w+,", body)) for body in arrays):
            return False
    declared = re.findall(r"^static (?:int|expert_field) (\w+)(?:\[\w+\])?(?: = (?:-1|EI_INIT))?;", text, re.MULTILINE)
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\]|\\.)*"', "", text, flags=re.DOTALL)
    return set(re.findall(r"(?<![\w.>])(?:hf|ei|ett)_(?!register_info)\w+", code)) <= set(declared)


def not_plain(texts):
    """The files with fields or expert items that checkers may not see."""
    return [name for name, text in texts.items() if not is_plain(name, text)]


def copies(kind, texts):
    """{path: Seeded} of the files that can have a fault of this kind; None: without a fault."""
    seed = KINDS[kind][1] if kind else lambda text: Seeded(text, "")
    pattern = EXPERT if kind and "expert" in kind else ENTRY
    seeded = {name: seed(text) for name, text in texts.items() if pattern.search(text)}
    for name, each in seeded.items():
        each.protocol = ENTRY.search(texts[name])["filter"].partition(".")[0]
    return seeded


def written(seeded, folder):
    """The copies, as files."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, each in seeded.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(each.text, encoding="utf-8")
    return [folder / name for name in seeded]


def per_protocol(seeded, folder, registered):
    """
    Files for checkfiltername.pl, which looks at whole dissectors: all that registers fields of one protocol, and what else
    registers the protocol, as packet-PROTOCOL.c.
    """
    joined = {each.protocol: [registered.get(each.protocol, "")] for each in seeded.values()}
    for each in seeded.values():
        joined[each.protocol].append(each.text)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for protocol, parts in joined.items():
        (folder / f"packet-{protocol}.c").write_text("".join(parts), encoding="utf-8")
    return sorted(folder.iterdir())


def write_protocols():
    """Command: PLUGIN FOLDER. Prints the names of such files of the plugin as it is."""
    plugin, folder = map(Path, sys.argv[1:])
    print(*per_protocol(copies(None, sources(plugin)), folder, registering(plugin)))


def lines_of(tree, checker, texts, folder, registered):
    """What a checker prints of these sources, {path: Seeded}."""
    files = written(texts, folder / "files")
    if checker == HF:
        command = ["perl", "tools/checkhf.pl", *files]
    elif checker == TYPED:
        options = [option for option in ("--all-checks", "--mask", "--label") if f"'{option}'" in (tree / "tools" / TYPED).read_text(encoding="utf-8")]
        command = ["python3", f"tools/{TYPED}", *options, *(word for file in files for word in ("--file", file))]
    else:
        command = ["perl", "tools/checkfiltername.pl", *per_protocol(texts, folder / "protocols", registered)]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, errors="replace", check=False).stdout.splitlines()


def reported(tree, kind, texts, folder, registered, before={}):
    """The files of which the fault was reported, of those that got one. before: {checker and files: what it says of them unchanged}."""
    checker = KINDS[kind][0]
    seeded = copies(kind, texts)
    if (checker, *texts) not in before:
        before[checker, *texts] = set(lines_of(tree, checker, copies(None, texts), folder, registered))
    before = before[checker, *texts]
    lines = [line for line in lines_of(tree, checker, seeded, folder, registered) if line not in before]
    return {name for name, each in seeded.items()
            if any(re.search(rf"\b{re.escape(each.sign)}(?![\w.])", line) and (checker == FILTER or f"/{name}" in line) for line in lines)}, set(seeded)


def main():
    tree, plugin, folder = (Path(argument).resolve() for argument in sys.argv[1:])
    texts = sources(plugin)
    fields = sum(len(ENTRY.findall(text)) for text in texts.values())
    unseen, unknown = [f"not all fields of {name} are written in the usual way" for name in not_plain(texts)], []
    registered = registering(plugin)
    for kind in KINDS:
        if not reported(tree, kind, {"packet-control.c": PLAIN}, folder, {})[0]:
            unknown.append(kind)
            continue
        seen, seeded = reported(tree, kind, texts, folder, registered)
        unseen += [f"{KINDS[kind][0]} does not report {kind}: {name}" for name in sorted(seeded - seen)]
        print(f"{KINDS[kind][0]}: {kind}: reported in {len(seen)} of {len(seeded)} files")
    if unknown:
        print(f"not known to this tree: {', '.join(unknown)}")
    unseen += [f"the tree's checkers do not know {kind}" for kind in unknown if kind in ALWAYS_KNOWN]
    if unseen or not texts:
        sys.exit("\n".join(unseen) or f"no fields in {plugin}")
    print(f"seen: {fields} fields in {len(texts)} files")


if __name__ == "__main__":
    main()
