# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls as bytes, and the dump of what a person must see of each: two files a case, NAME.calls and NAME.dump.

A line of NAME.calls is one PDU: `>` or `<` for a request or a response, the number of the call, the number of the
operation (of DCOM IID/number/IPID), and the stub in hexadecimal. Lines that begin with # are for readers. NAME.dump holds, for each PDU that is to
be looked at, the line `> CALL` or `< CALL` (`again` for a second answer), the Info column, where that matters, and the items of our
protocol: name, place in the stub and size, value. `!` stands before an expert item.

A line `= NUMBER DISSECTOR BYTES` is a buffer without a call, handed to a dissector by name as `text2pcap -P` does; its
dump begins with `= NUMBER`.
"""

import re
import struct
from datetime import datetime

from lib import orpc
from lib.pcap import write_pcap
from lib.wire import PERFLIBV2, WINREG, Capture

INFO = "Info: "


def pdus_of(calls):
    """(direction, call, operation, stub) of each line."""
    for line in calls.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            direction, call, operation, stub = (line.split(" ") + [""])[:4]
            yield direction, call, operation, bytes.fromhex(stub)


def write_capture(calls, path):
    """The capture of these calls; returns which PDU each frame holds: {frame: '> 1'}."""
    pdus = list(pdus_of(calls))
    write, send = (to_dissectors() if pdus[0][0] == "=" else to_objects(pdus) if "/" in pdus[0][2]
                   else to_interface(calls.parent.name))
    frames = {}
    for direction, call, operation, stub in pdus:
        pdu = f"{direction} {call}"
        frames[send(direction == ">", int(call), operation, stub)] = pdu + " again" * (pdu in frames.values())
    write(path)
    return frames


def to_interface(protocol):
    """Calls of one interface: an operation is its number."""
    capture = Capture()
    connection = capture.connection(interface={"perflibv2": PERFLIBV2, "perfdata": WINREG}[protocol])

    def send(is_request, call, opnum, stub):
        # A second between two PDUs; the bind has the first number of a call.
        capture.wait(999)
        if is_request:
            connection.request(int(opnum), stub, 1 + call)
        else:
            connection.response(stub, 1 + call)
        return len(capture.frames)

    return capture.write, send


def to_objects(pdus):
    """Calls of DCOM objects: an operation is IID/number/IPID."""
    capture = orpc.Capture()
    capture.bind(sorted({operation.split("/")[0] for _, _, operation, _ in pdus}))

    def send(is_request, _, operation, stub):
        iid, opnum, ipid = operation.split("/")
        return capture.request(iid, int(opnum), stub, ipid) if is_request else capture.response(iid, stub)

    return capture.write, send


UPPER_PDU = 252  # LINKTYPE_WIRESHARK_UPPER_PDU
DISSECTOR_NAME = 12  # its tag


def to_dissectors():
    """Buffers without calls: an operation is the name of a dissector."""
    frames = []

    def send(_, __, dissector, buffer):
        name = dissector.encode() + bytes(-len(dissector) % 4)
        frames.append((0, struct.pack(">HH", DISSECTOR_NAME, len(name)) + name + bytes(4) + buffer))
        return len(frames)

    return lambda path: write_pcap(path, frames, UPPER_PDU), send


# Shown of every counter or call, and tested elsewhere: where a name was learned, bits of a type, tables of values, other
# protocols' structures.
LEFT_OUT = re.compile(r"dcerpc\.|dcom\.|ORPCTH|[\w.]+(\.opnum|\.response_ms|\.learned_in|\.table|\.counter\.type|counter_type\.\w.*|\.system_time\..*)\b")


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
    """An item and what is below it, a line each. Places count from origin, those below lpData or a data block from its beginning."""
    indent = "  " * depth
    if item.name == "_ws.expert":
        kind = next(child.name for child in item.children if not child.name.startswith("_ws."))
        yield f"{indent}! {kind}: {item.first('_ws.expert.message').show}"
        return
    # Flags that are not set; a text that is an expert item's and nothing else.
    flag = item.showname.startswith(".") or item.showname[:1] == "0"
    if LEFT_OUT.match(item.name or item.show) or (flag and item.show == "0"):
        return
    is_expert = item.name == "" and item.children and item.children[0].name == "_ws.expert" and item.children[0].first("_ws.expert.message").show == item.show
    if not is_expert:
        place = f" {item.position - origin}+{item.size}" if item.size else ""
        name, value = (item.name, value_of(item)) if item.name else (item.show, "")
        yield indent + name + place + (f": {value}" if value else "")
        depth += 1
    if item.name.endswith((".lpdata", ".data_block")):
        origin = item.position
    for child in item.children:
        yield from lines_of(child, origin, depth)


def dumps(tshark, path, frames, protocol, *options):
    """{'> 1': lines}: what is shown of each PDU."""
    infos = tshark.fields(path, "frame.number", "_ws.col.Info", options=options)
    # From 4.4 on -T fields doubles backslashes.
    info = {int(number[0]): text[0].replace("\\\\", "\\") if tshark.version >= (4, 4) else text[0] for number, text in infos}
    shown = {}
    for packet in tshark.packets(path, *options, display_filter=protocol, layers=f"frame dcerpc {protocol}"):
        number = int(next(layer for layer in packet if layer.name == "frame").first("frame.number").show)
        rpc = next((layer for layer in packet if layer.name == "dcerpc"), None)
        (layer,) = [layer for layer in packet if layer.name == protocol]
        if rpc is None:
            stub = layer.position
        else:
            stub = rpc.position + (40 if rpc.first("dcerpc.pkt_type").show == "0" and rpc.first("dcerpc.obj_id") else 24)
        shown[frames[number]] = [INFO + re.sub(r"^.*? (?:request|response)", "", info[number]),
                                 *(line for item in layer.children for line in lines_of(item, stub))]
    return shown


def expected_dumps(file):
    """{'> 1': lines} of NAME.dump."""
    expected = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"[<>=] \d+( again)?", line):
            expected[line] = lines = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return expected
