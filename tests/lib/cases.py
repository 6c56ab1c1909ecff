# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls as bytes, and the dump of what a person must see of each: two files a case, NAME.calls and NAME.dump.

A line of NAME.calls is one PDU: `>` or `<` for a request or a response, the number of the call, the number of the
operation, and the stub in hexadecimal. Lines that begin with # are for readers. NAME.dump holds, for each PDU that is to
be looked at, the line `> CALL` or `< CALL` (`again` for a second answer), the Info column and the items of our protocol: name, place in the stub and
size, value. `!` stands before an expert item.
"""

import re
from datetime import datetime

from lib.wire import Capture

INFO = "Info: "


def write_capture(calls, path):
    """The capture of these calls; returns which PDU each frame holds: {frame: '> 1'}."""
    capture = Capture()
    connection = capture.connection()
    frames = {}
    for line in calls.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        direction, call, opnum, stub = (line.split(" ") + [""])[:4]
        if direction == ">":
            connection.request(int(opnum), bytes.fromhex(stub), 1 + int(call))
        else:
            connection.response(bytes.fromhex(stub), 1 + int(call))
        pdu = f"{direction} {call}"
        frames[len(capture.frames)] = pdu + " again" * (pdu in frames.values())
        capture.wait(999)
    capture.write(path)
    return frames


# Shown of every counter or call, and tested elsewhere: where a name was learned, bits of a type, tables of values.
LEFT_OUT = re.compile(r"dcerpc\.|\w+\.opnum$|\w+\.learned_in$|\w+\.counter\.type\b|\w+\.table\b|\w+\.data\.system_time\.")


def value_of(item):
    """Numbers in decimal, times as ISO 8601 has them, whichever Wireshark writes them; of bytes what the label says."""
    if re.fullmatch(r"0x[0-9a-f]+", item.show):
        return str(int(item.show, 16))
    if re.fullmatch(r"[0-9a-f]{2}(:[0-9a-f]{2})+", item.show):
        return item.showname.partition(": ")[2]
    if time := re.fullmatch(r"(\w{3} +\d+, \d{4} [\d:]{8})(\.\d{9}) UTC", item.show):
        return f"{datetime.strptime(time[1], '%b %d, %Y %H:%M:%S')}{time[2]}"
    return re.sub(r"^(\d{4}-\d\d-\d\d)T([\d:.]+)Z$", r"\1 \2", item.show)


def lines_of(item, origin, depth=0):
    """An item and what is below it, a line each. Places count from origin, those below lpData from its beginning."""
    indent = "  " * depth
    if item.name == "_ws.expert":
        kind = next(child.name for child in item.children if not child.name.startswith("_ws."))
        yield f"{indent}! {kind}: {item.first('_ws.expert.message').show}"
        return
    # Flags that are not set; a text that is an expert item's and nothing else.
    flag = item.showname.startswith(".") or item.showname[:1] == "0"
    if LEFT_OUT.match(item.name) or (flag and item.show == "0"):
        return
    is_expert = item.name == "" and item.children and item.children[0].name == "_ws.expert" and item.children[0].first("_ws.expert.message").show == item.show
    if not is_expert:
        place = f" {item.position - origin}+{item.size}" if item.size else ""
        name, value = (item.name, value_of(item)) if item.name else (item.show, "")
        yield indent + name + place + (f": {value}" if value else "")
        depth += 1
    if item.name.endswith(".lpdata"):
        origin = item.position
    for child in item.children:
        yield from lines_of(child, origin, depth)


def dumps(tshark, path, frames, protocol, *options):
    """{'> 1': lines}: what is shown of each PDU."""
    infos = tshark.fields(path, "frame.number", "_ws.col.Info", options=options)
    info = {int(number[0]): text[0] for number, text in infos}
    shown = {}
    for packet in tshark.packets(path, *options, display_filter=protocol, layers=f"frame dcerpc {protocol}"):
        number = int(next(layer for layer in packet if layer.name == "frame").first("frame.number").show)
        rpc = next(layer for layer in packet if layer.name == "dcerpc")
        (layer,) = [layer for layer in packet if layer.name == protocol]
        stub = rpc.position + 24
        shown[frames[number]] = [INFO + re.sub(r"^.*? (?:request|response)", "", info[number]),
                                 *(line for item in layer.children for line in lines_of(item, stub))]
    return shown


def expected_dumps(file):
    """{'> 1': lines} of NAME.dump."""
    expected = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"[<>] \d+( again)?", line):
            expected[line] = lines = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return expected
