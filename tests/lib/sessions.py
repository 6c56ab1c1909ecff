# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture's dissected calls beside their record, and what the record teaches by which call."""

import re
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass

from lib.captures import options_for, record_of
from lib.records import calls_by_pdu, calls_of
from lib.values import without_lone_surrogates

NAME_CODES = {3, 5, 9, 10}      # request codes that ask for names


@dataclass
class Pdu:
    frame: int
    call: dict
    is_request: bool
    protocol: object
    rpc: object

    @property
    def sent(self):
        """What the record says of this PDU."""
        return self.call["request" if self.is_request else "response"]

    @property
    def lpdata(self):
        return self.sent.get("lpData") or {}


def pair(packets, record):
    """The PDUs of a capture in order, each with its call of the record."""
    waiting = calls_by_pdu(record)
    pdus = []
    for frame, rpc, protocol in calls_of(packets):
        is_request = rpc.first("dcerpc.pkt_type").show == "0"
        opnum = int(protocol.first("perflibv2.opnum").show, 0)
        calls = waiting[opnum, int(rpc.first("dcerpc.cn_call_id").show), is_request]
        number = "request_frame" if is_request else "response_frame"
        call = next(call for call in calls if call.get(number, frame) == frame)
        calls.remove(call)
        pdus.append(Pdu(frame, call, is_request, protocol, rpc))
    missing = [key for key, calls in waiting.items() if calls]
    assert not missing, f"not found in the capture (opnum, call id, is request): {missing}"
    return pdus


def values_of(call):
    """(block, instance, value) of each value of a poll in the order in which they were sent; instance None where a block has but one."""
    for block in call["response"]["lpData"]["blocks"]:
        for instance in block.get("instances") or [None]:
            for value in (block if instance is None else instance).get("data") or []:
                yield block, instance, value


def server_of(call):
    return call.get("host") or call.get("server_port")


class Names:
    """Names and types of countersets and counters, each with the frames that taught it, from the answers of the record."""

    def __init__(self, pdus):
        self.sets = defaultdict(dict)       # (server, guid) -> name -> frames
        self.counters = defaultdict(dict)   # (server, guid, id) -> name -> frames
        self.instances = defaultdict(dict)  # (server, guid, id) -> name -> frames
        self.types = {}                     # (server, guid, id) -> frame
        self.machines = {}
        for pdu in pdus:
            if pdu.is_request:
                machine = (pdu.sent.get("szMachine") or "").strip("\\")
                if machine:
                    self.machines.setdefault(server_of(pdu.call), (machine, pdu.frame))
            elif pdu.call["return"]["value"] == 0:
                self.learn(pdu)

    def machine(self, server, now=None):
        """The name a server was called by (up to a frame), or None."""
        name, frame = self.machines.get(server, (None, None))
        return name if now is None or (name and frame <= now) else None

    @staticmethod
    def add(names, key, name, frame):
        names[key].setdefault(without_lone_surrogates(name), []).append(frame)

    def learn(self, pdu):
        call, server, data = pdu.call, server_of(pdu.call), pdu.lpdata
        guid = (call.get("request") or {}).get("CounterSetGuid")
        code = (call.get("request") or {}).get("RequestCode")
        if call["opnum"] == 1 and code in NAME_CODES:
            if data.get("string"):
                self.add(self.sets, (server, guid), data["string"], pdu.frame)
            for string in data.get("counters") or data.get("strings") or []:
                if string.get("string"):
                    self.add(self.counters, (server, guid, string["dwCounterId"]), string["string"], pdu.frame)
        elif call["opnum"] == 1:
            for counter in [*(data.get("counters") or []), *([data["counter"]] if "counter" in data else [])]:
                if "CounterId" in counter and "Type" in counter:
                    self.types.setdefault((server, guid, counter["CounterId"]), pdu.frame)
        elif call["opnum"] == 2:
            for instance in data.get("instances") or []:
                self.add(self.instances, (server, guid, instance["InstanceId"]), instance["name"], pdu.frame)
        elif call["opnum"] == 5:
            for identifier in data.get("identifiers") or []:
                key = (server, identifier["CounterSetGuid"], identifier["InstanceId"])
                self.add(self.instances, key, identifier.get("name") or "", pdu.frame)


class Expected:
    """What the values of the polls come to."""

    def __init__(self, record):
        self.values = defaultdict(deque)
        for value in [*record["expected_cooked_values"], *record.get("expected_not_computable", [])]:
            key = value["to_call"], value["block_index"], value["counter_id"], value.get("instance") or "", value.get("instance_id")
            self.values[key].append(value)

    def take(self, poll, block, instance, value):
        """What the record says of one value of a poll, or None. To be asked in the order of values_of()."""
        number, name = instance_of(poll, block, instance)
        key = poll.pdu.call["n"], block["index"], value["counter_id"], name
        # Some records leave the id out.
        found = self.values.get((*key, number)) or self.values.get((*key, None))
        return found.popleft() if found else None


class Epoch:
    """A query between two changes: within it an index map holds."""

    def __init__(self):
        self.map_frame = None
        self.map = {}       # index -> identifier


# previous: the poll of the same handle before this one, or None
Poll = namedtuple("Poll", "pdu epoch had_map previous")


def instance_of(poll, block, instance):
    """(id, name) of the instance a value is of."""
    if instance is None:
        instance = poll.epoch.map.get(block["index"], block.get("identifier") or {})
    name = instance.get("name") or ""
    # For a pattern a counterset without instances answers with its one.
    return instance.get("InstanceId"), "" if {"*", "?"} & set(name) else name


def unnumbered(name):
    return re.sub(r"#\d+$", "", name)


def ambiguous_names(polls):
    """(counterset, name) of names that several instances have at one time or another: their paths get a number."""
    instances = {}
    for poll in polls:
        for block, instance, _ in values_of(poll.pdu.call):
            whose = instance_of(poll, block, instance)
            instances.setdefault((block["counterset_of_identifier"], unnumbered(whose[1])), set()).add(whose)
    return {name for name, whose in instances.items() if len(whose) > 1}


class Session:
    """A dissected capture and all its record says."""

    def __init__(self, tshark, capture, two_pass, *options):
        self.two_pass = two_pass
        self.record = record_of(capture)
        packets = tshark.packets(capture, *options_for(capture), *options, two_pass=two_pass)
        pdus = pair(packets, self.record)
        # A fault has nothing to learn from.
        self.faults = [pdu for pdu in pdus if pdu.rpc.first("dcerpc.pkt_type").show == "3"]
        self.pdus = [pdu for pdu in pdus if pdu.rpc.first("dcerpc.pkt_type").show != "3"]
        self.names = Names(self.pdus)
        self.frames = {(pdu.call["n"], pdu.is_request): pdu.frame for pdu in self.pdus}
        self.polls = list(self._polls())
        self.ambiguous = ambiguous_names(self.polls)

    def _polls(self):
        epochs, last = {}, {}
        for pdu in self.pdus:
            call = pdu.call
            if pdu.is_request or call["return"]["value"] != 0 or call["opnum"] not in (3, 5, 6, 7):
                continue
            handle = (pdu.sent if call["opnum"] == 3 else call["request"])["phQuery" if call["opnum"] == 3 else "hQuery"]["uuid"]
            key = (server_of(call), call.get("server_port"), handle)
            epoch = epochs.setdefault(key, Epoch())
            if call["opnum"] in (3, 7):
                epochs[key] = Epoch()
            elif call["opnum"] == 5 and epoch.map_frame is None and pdu.lpdata.get("identifiers"):
                epoch.map_frame = pdu.frame
                epoch.map = {identifier["Index"]: identifier for identifier in pdu.lpdata["identifiers"]}
            elif call["opnum"] == 6 and "blocks" in pdu.lpdata:
                last[key] = Poll(pdu, epoch, epoch.map_frame is not None, last.get(key))
                yield last[key]

    def known(self, frames, now):
        """Whether one of these frames has been read when frame `now` is shown."""
        return bool(frames) and (self.two_pass or min(frames) <= now)

    def names_of(self, names, server, *rest, now):
        """
        {name: frames} of a counterset or counter. What a machine has not said by frame `now` it borrows from the others,
        which say the same in every capture with a record (manual: "How a name is known").
        """
        own = names.get((server, *rest), {})
        if self.names_known(own, now):
            return own
        lent = {}
        for (other, *key), taught in names.items():
            if key == list(rest) and other != server:
                for name, frames in taught.items():
                    lent.setdefault(name, []).extend(frames)
        return lent or own

    def names_known(self, names, now):
        """Of names with the frames that taught them those known when frame `now` is shown."""
        return {name for name, frames in names.items() if self.known(frames, now)}


def shown(item):
    """PDML of some versions doubles backslashes."""
    return item.show.replace("\\\\", "\\").replace("\\", "\\\\", 1) if item.show.startswith("\\\\\\\\") else item.show


def value_items(pdu):
    """(offset of the value, item) of every value of a poll in the order of the tree: paths, and raw values without one."""
    buffer = pdu.protocol.first("perflibv2.lpdata")
    found = []

    def walk(item):
        for child in item.children:
            if child.name in ("perflibv2.path", "perflibv2.value", "perflibv2.value.text", "perflibv2.value.bytes"):
                found.append((child.position - buffer.position - 8, child))
            else:
                walk(child)

    walk(buffer)
    return found
