# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture's record says a dissector must find, call by call.

A record names parameters and members as the IDL of [MS-PCQ] does and gives the
offsets of the structures in lpData. Where the members stand in each structure
is taken from [MS-PCQ] 2.2.4, and the fields' public names are the plugin's.
"""

from collections import Counter, defaultdict
from typing import NamedTuple

from lib.values import shows


def calls_of(packets):
    """(frame number, dcerpc item, perflibv2 item) of every PDU of these packets, in order."""
    for protocols in packets:
        rpc = None
        frame = int(protocols[0].first("num").show)
        for protocol in protocols:
            if protocol.name == "dcerpc":
                rpc = protocol
            elif protocol.name == "perflibv2":
                yield frame, rpc, protocol


def calls_by_pdu(record):
    """The calls of a record by (opnum, call id, is request), those of each key in the order in which they were made."""
    calls = defaultdict(list)
    for call in record["calls"]:
        for is_request in (True, False):
            if call.get("request" if is_request else "response") is not None or (not is_request and "fault" in call):
                calls[call["opnum"], call["call_id"], is_request].append(call)
    return calls


class Expected(NamedTuple):
    """One field: its name, where in lpData it stands (None for parameters) and its value."""

    name: str
    offset: int | None
    size: int | None
    value: object
    # Where the structure ends that it is a member of: what ends earlier is not understood. None: it is none's.
    end: int | None = None

    def __str__(self):
        where = "" if self.offset is None else f" at {self.offset}, {self.size} bytes"
        return f"{self.name}{where} = {self.value!r}"


# Members of the structures of [MS-PCQ] 2.2.4: member, size, field.
COUNTERSET_REG_INFO = (
    ("CounterSetGuid", 16, "counterset.guid"),
    ("CounterSetType", 4, "counterset.type"),
    ("DetailLevel", 4, "counterset.detail_level"),
    ("NumCounters", 4, "counterset.num_counters"),
    ("InstanceType", 4, "counterset.instance_type"),
)
COUNTER_REG_INFO = (
    ("CounterId", 4, "counter.id"),
    ("Type", 4, "counter.type"),
    ("Attrib", 8, "counter.attrib"),
    ("DetailLevel", 4, "counter.detail_level"),
    ("DefaultScale", 4, "counter.default_scale"),
    ("BaseCounterId", 4, "counter.base_id"),
    ("PerfTimeId", 4, "counter.perf_time_id"),
    ("PerfFreqId", 4, "counter.perf_freq_id"),
    ("MultiId", 4, "counter.multi_id"),
    ("AggregateFunc", 4, "counter.aggregate"),
    ("Reserved", 4, "counter.reserved"),
)
STRING_BUFFER_HEADER = (("dwSize", 4, "strings.size"), ("dwCounters", 4, "strings.counters"))
STRING_COUNTER_HEADER = (("dwCounterId", 4, "counter.id"), ("dwOffset", 4, "string.offset"))
INSTANCE_HEADER = (("Size", 4, "instance.size"), ("InstanceId", 4, "instance.id"))
COUNTER_IDENTIFIER = (
    ("CounterSetGuid", 16, "counterset.guid"),
    ("Status", 4, "identifier.status"),
    ("Size", 4, "identifier.size"),
    ("CounterId", 4, "counter.id"),
    ("InstanceId", 4, "instance.id"),
    ("Index", 4, "identifier.index"),
    ("Reserved", 4, "identifier.reserved"),
)
DATA_HEADER = (
    ("dwTotalSize", 4, "data.total_size"),
    ("dwNumCounter", 4, "data.num_counters"),
    ("PerfTimeStamp", 8, "data.perf_time_stamp"),
    ("PerfTime100NSec", 8, "data.perf_time_100ns"),
    ("PerfFreq", 8, "data.perf_freq"),
    ("SystemTime", 16, "data.system_time"),
)
COUNTER_HEADER = (
    ("dwStatus", 4, "block.status"),
    ("dwType", 4, "block.type"),
    ("dwSize", 4, "block.size"),
    ("Reserved", 4, "block.reserved"),
)
COUNTER_DATA = (("dwDataSize", 4, "value.data_size"), ("dwSize", 4, "value.size"))

LPDATA_FIELDS = frozenset(
    "perflibv2." + name
    for members in (
        COUNTERSET_REG_INFO,
        COUNTER_REG_INFO,
        STRING_BUFFER_HEADER,
        STRING_COUNTER_HEADER,
        INSTANCE_HEADER,
        COUNTER_IDENTIFIER,
        DATA_HEADER,
        COUNTER_HEADER,
        COUNTER_DATA,
    )
    for _, _, name in members
) | {
    "perflibv2.identifier.status_sent",
    "perflibv2.counterset.name",
    "perflibv2.counterset.description",
    "perflibv2.counter.name",
    "perflibv2.counter.description",
    "perflibv2.provider.name",
    "perflibv2.provider.guid",
    "perflibv2.instance.name",
    "perflibv2.multi_counters.size",
    "perflibv2.multi_counters.counters",
    "perflibv2.multi_instances.total_size",
    "perflibv2.multi_instances.instances",
    "perflibv2.value",
    "perflibv2.value.text",
}

# What a string or GUID of a RequestCode (3.1.4.1.2) is.
TEXT_OF_REQUEST_CODE = {
    3: "counterset.name",
    4: "counterset.description",
    5: "counter.name",
    6: "counter.description",
    7: "provider.name",
    9: "counterset.name",
    10: "counter.name",
}


def structure(members, record, offset=None):
    """The fields of one structure; offset where the record does not give it."""
    position = record["offset"] if offset is None else offset
    end = position + sum(size for _, size, _ in members)
    for member, size, name in members:
        yield Expected("perflibv2." + name, position, size, record[member], end)
        position += size


def text(name, offset, value):
    """A string's bytes may or may not count a terminator: no size."""
    if value is not None:
        yield Expected("perflibv2." + name, offset, None, value)


def values(data):
    for value in data or []:
        yield from structure(COUNTER_DATA, value)
        content = value["value"]
        if value["dwDataSize"] == 0:
            continue
        name = "value.text" if isinstance(content, str) else "value"
        yield Expected("perflibv2." + name, value["offset"] + 8, None, content)


def instances(record):
    for instance in record or []:
        yield from structure(INSTANCE_HEADER, instance)
        yield from text("instance.name", instance["offset"] + 8, instance["name"])
        yield from values(instance.get("data"))


def identifiers(record):
    for identifier in record or []:
        yield from structure(COUNTER_IDENTIFIER, identifier)
        if not identifier.get("no_name_bytes"):
            yield from text("instance.name", identifier["offset"] + 40, identifier["name"])


def block(record):
    yield from structure(COUNTER_HEADER, record)
    if "multi_counters_dwSize" in record:
        offset = record["multi_counters_offset"]
        ids = record["counter_ids"]
        yield Expected("perflibv2.multi_counters.size", offset, 4, record["multi_counters_dwSize"], offset + 8)
        yield Expected("perflibv2.multi_counters.counters", offset + 4, 4, len(ids))
        for i, counter_id in enumerate(ids):
            yield Expected("perflibv2.counter.id", offset + 8 + 4 * i, 4, counter_id)
    if "multi_instances_dwTotalSize" in record:
        offset = record["multi_instances_offset"]
        yield Expected("perflibv2.multi_instances.total_size", offset, 4, record["multi_instances_dwTotalSize"], offset + 8)
        yield Expected("perflibv2.multi_instances.instances", offset + 4, 4, record["multi_instances_dwInstances"])
    yield from instances(record.get("instances"))
    yield from values(record.get("data"))


def lpdata(parameters, request_code, is_request):
    """Everything inside lpData."""
    for i, guid in enumerate(parameters.get("lpData_guids") or []):
        yield Expected("perflibv2.counterset.guid", 16 * i, 16, guid)
    record = parameters.get("lpData") or {}
    if "counterset" in record:
        yield from structure(COUNTERSET_REG_INFO, record["counterset"])
    for counter in record.get("counters") or []:
        yield from structure(COUNTER_REG_INFO, counter)
    if "counter" in record:
        yield from structure(COUNTER_REG_INFO, record["counter"])
    if "strings" in record:
        yield from structure(STRING_BUFFER_HEADER, record, 0)
        for string in record["strings"] or []:
            yield from structure(STRING_COUNTER_HEADER, string)
            yield from text(
                TEXT_OF_REQUEST_CODE[request_code], string.get("string_offset_in_lpData"), string["string"]
            )
    if "string" in record:
        yield from text(TEXT_OF_REQUEST_CODE[request_code], 0, record["string"])
    if "guid" in record:
        yield Expected("perflibv2.provider.guid", 0, 16, record["guid"])
    if "dwTotalSize" in record:
        yield from structure(DATA_HEADER, record, 0)
    for one in record.get("blocks") or []:
        yield from block(one)
    yield from instances(record.get("instances"))
    for expected in identifiers(record.get("identifiers")):
        # What a client leaves there is no status.
        is_status = is_request and expected.name == "perflibv2.identifier.status"
        yield expected._replace(name="perflibv2.identifier.status_sent") if is_status else expected


def parameters_of_request(call):
    request = call["request"]
    handle = request.get("hQuery") or request.get("phQuery")
    yield "perflibv2.opnum", call["opnum"]
    if "szMachine" in request:
        yield "perflibv2.machine", request["szMachine"]
    if handle:
        yield "perflibv2.handle.attributes", handle["attributes"]
        yield "perflibv2.handle", handle["uuid"]
    if "CounterSetGuid" in request:
        yield "perflibv2.counterset.guid", request["CounterSetGuid"]
    if "RequestCode" in request:
        code = request["RequestCode"]
        yield "perflibv2.request_code", code
        yield "perflibv2.counter.id" if code == 2 else "perflibv2.request_lcid", request["RequestLCID"]
    if "dwInSize" in request:
        yield "perflibv2.in_size", request["dwInSize"]
    if "dwAdd" in request:
        yield "perflibv2.add", request["dwAdd"]


def parameters_of_response(call):
    response = call["response"]
    yield "perflibv2.opnum", call["opnum"]
    if "phQuery" in response:
        yield "perflibv2.handle.attributes", response["phQuery"]["attributes"]
        yield "perflibv2.handle", response["phQuery"]["uuid"]
    if "pdwOutSize" in response:
        yield "perflibv2.out_size", response["pdwOutSize"]
        yield "perflibv2.return_size", response["pdwRtnSize"]
    yield "perflibv2.return_code", call["return"]["value"]


def expected_of(call, is_request):
    """All that a dissector must find in the request or response of a call."""
    if not is_request and "fault" in call:
        return [Expected("perflibv2.opnum", None, None, call["opnum"]),
                Expected("perflibv2.fault", None, None, call["fault"]["status"]),
                Expected("perflibv2.fault.request_in", None, None, call["request_frame"])]
    parameters = parameters_of_request(call) if is_request else parameters_of_response(call)
    found = [Expected(name, None, None, value) for name, value in parameters]
    side = call["request" if is_request else "response"]
    found += lpdata(side, call["request"].get("RequestCode"), is_request)
    return found


def differences(call, is_request, protocol):
    """What is wrong with a dissected call: one line each."""
    buffer = protocol.first("perflibv2.lpdata")
    start = buffer.position if buffer else 0
    end = start + buffer.size if buffer else 0
    inside, outside = defaultdict(list), defaultdict(list)
    for item in protocol.walk():
        if not item.name.startswith("perflibv2."):
            continue
        if buffer and item is not buffer and item.size and start <= item.position < end:
            inside[item.name, item.position - start].append(item)
        else:
            outside[item.name].append(item)

    wrong = []
    seen = Counter()
    for expected in expected_of(call, is_request):
        if expected.offset is None:
            items = outside[expected.name]
            if expected.name not in ("perflibv2.opnum", "perflibv2.return_code", "perflibv2.fault.request_in"):
                items = [item for item in items if item.size]
        else:
            items = inside[expected.name, expected.offset]
            seen[expected.name] += 1
            if expected.value == "" and not items:
                continue
        if len(items) != 1:
            wrong.append(f"{expected}: {len(items)} items" + "".join(f" {item.show}" for item in items))
        elif not shows(items[0].show, expected.name, expected.value):
            wrong.append(f"{expected}: shown as {items[0].show}")
        elif expected.size and items[0].size != expected.size:
            wrong.append(f"{expected}: {items[0].size} bytes marked")
    for (name, offset), items in inside.items():
        if name in LPDATA_FIELDS:
            seen[name] -= len(items)
            if seen[name] < 0:
                wrong.append(f"{name} at {offset} is not in the record: {items[0].show}")
    if "fault" in call and not is_request:
        fault = protocol.first("perflibv2.fault")
        if fault and call["fault"]["name"] not in fault.showname:
            wrong.append(f"fault {call['fault']['name']}: shown as {fault.showname}")
    elif not is_request:
        code = protocol.first("perflibv2.return_code")
        name = call["return"].get("name")
        if code and name and name not in code.showname:
            wrong.append(f"return code {name}: shown as {code.showname}")
    return wrong
