# SPDX-License-Identifier: GPL-2.0-or-later
"""Lays out PERF_DATA_BLOCK as Windows does (winperf.h, "Performance Data Format") and notes every member on the way.

A block is built from a model: objects with counters, instances and their values. Beside the bytes comes the
list of members in the order in which they stand, each as [field, value] with the filter name a decoder gives it.
"""

import datetime
import struct
from dataclasses import dataclass, field

from perfcap.countertypes import BASE_TYPES, TYPES, value_size

NO_INSTANCES, METADATA_MULTIPLE, METADATA_SINGLE = -1, -2, -3
NO_UNIQUE_ID = -1


@dataclass
class Counter:
    """type: name of winperf.h. size, offset: of the value, None as Windows would. multi: a second number follows."""

    index: int
    type: str
    size: int = None
    offset: int = None
    scale: int = 0
    detail: int = 100
    help_index: int = None
    ascii: bool = False

    def number(self):
        return TYPES[self.type] | (0x10000 if self.ascii else 0)

    def bytes(self):
        return value_size(TYPES[self.type]) if self.size is None else self.size


@dataclass
class Instance:
    """values: one a counter, a number, text, bytes or None; multi: the second numbers of multi counters by position."""

    name: str
    values: list
    parent: tuple = (0, 0)          # title index of the parent object, position of the instance there
    unique_id: int = NO_UNIQUE_ID
    multi: dict = field(default_factory=dict)


@dataclass
class Object:
    """instances: a list, or a single Instance for an object without instances, or one of the numbers above."""

    index: int
    counters: list
    instances: object
    perf_time: int = 0
    perf_freq: int = 0
    code_page: int = 0
    detail: int = 100
    packing: int = 8
    default_counter: int = -1
    last_byte_length: int = None    # what the last counter block says of itself, where that is not the truth


@dataclass
class Clock:
    perf_time: int
    perf_freq: int
    time_100ns: int


def filetime_to_datetime(time_100ns):
    return datetime.datetime(1601, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=time_100ns // 10)


class Builder:
    """One block. order: '<', or '>' for a big-endian server. After build(): .data, .members, .values."""

    def __init__(self, system, clock, objects, order="<", total=None):
        self.system, self.clock, self.objects, self.order = system, clock, objects, order
        self.forced_total = total
        self.members = []
        self.values = []
        self.data = self.build()

    def put(self, out, structure, layout):
        """layout: (member, struct code, value). A member that begins with a dot is the name of a field outside the structure."""
        for member, code, value in layout:
            if code == "bytes":
                out += value
                shown = value.hex(":")
            else:
                out += struct.pack(self.order + code, value)
                shown = value
            if member is not None:
                self.members.append([f"perfdata{member}" if member.startswith(".") else f"perfdata.{structure}.{member}", shown])

    def text(self, string, encoding=None):
        return (string + "\0").encode(encoding or ("utf-16-le" if self.order == "<" else "utf-16-be"), "surrogatepass")

    def padding(self, out, multiple=8):
        room = -len(out) % multiple
        if room:
            self.put(out, None, [(".padding", "bytes", bytes(room))])

    def build(self):
        # What the header says of the whole is known when the objects are there; its members stand first all the same.
        bodies = b"".join(self.object(o) for o in self.objects)
        members, self.members = self.members, []
        length = len(self.header(0, 0))
        self.members = []
        total = length + len(bodies) if self.forced_total is None else self.forced_total
        header = self.header(total, length)
        self.members += members
        return bytes(header + bodies)

    def header(self, total, length):
        out, name = bytearray(), self.text(self.system)
        moment = filetime_to_datetime(self.clock.time_100ns)
        system_time = struct.pack(self.order + "8H", moment.year, moment.month, moment.isoweekday() % 7, moment.day, moment.hour,
                                  moment.minute, moment.second, moment.microsecond // 1000)
        signature = "PERF".encode("utf-16-le" if self.order == "<" else "utf-16-be")
        self.put(out, "data_block", [(None, "bytes", signature)])
        self.members.append(["perfdata.data_block.signature", "PERF"])
        self.put(out, "data_block", [
            ("little_endian", "I", int(self.order == "<")), ("version", "I", 1), ("revision", "I", 1),
            ("total_byte_length", "I", total), ("header_length", "I", length), ("num_object_types", "I", len(self.objects)),
            ("default_object", "i", 238), (None, "bytes", system_time)])
        self.members.append(["perfdata.data_block.system_time",
                             moment.replace(microsecond=moment.microsecond // 1000 * 1000).isoformat()])
        self.put(out, "data_block", [
            (".padding", "bytes", bytes(4)),
            ("perf_time", "Q", self.clock.perf_time), ("perf_freq", "Q", self.clock.perf_freq), (None, "Q", self.clock.time_100ns)])
        self.members.append(["perfdata.data_block.perf_time_100nsec", moment.isoformat()])
        self.put(out, "data_block", [("system_name_length", "I", len(name)), ("system_name_offset", "I", 88), (None, "bytes", name)])
        self.members.append(["perfdata.data_block.system_name", self.system])
        self.padding(out)
        return out

    def offsets(self, obj):
        """Where each counter's value stands in the counter block, and how long that block is."""
        at, offsets = 4, []
        for counter in obj.counters:
            size = counter.bytes()
            if counter.offset is not None:
                offsets.append(counter.offset)
                at = max(at, counter.offset + size)
            else:
                align = min(size or 1, obj.packing) if size in (0, 4, 8) else 4
                at += -at % (align or 1)
                offsets.append(at)
                at += size
            if "MULTI" in counter.type and counter.type not in BASE_TYPES:
                at += 4
        return offsets, at + -at % 8

    def object(self, obj):
        offsets, block_length = self.offsets(obj)
        count = obj.instances if isinstance(obj.instances, int) else len(obj.instances) if isinstance(obj.instances, list) else NO_INSTANCES
        mark = len(self.members)
        body = self.object_parts(obj, offsets, block_length, 0, count)
        struct.pack_into(self.order + "I", body, 0, len(body))
        self.members[mark][1] = len(body)
        return body

    def object_parts(self, obj, offsets, block_length, total, count):
        out = bytearray()
        self.put(out, "object_type", [
            ("total_byte_length", "I", total), ("definition_length", "I", 64 + 40 * len(obj.counters)), ("header_length", "I", 64),
            ("object_name_title_index", "I", obj.index), ("object_name_title", "I", 0),
            ("object_help_title_index", "I", obj.index + 1), ("object_help_title", "I", 0), ("detail_level", "I", obj.detail),
            ("num_counters", "I", len(obj.counters)), ("default_counter", "i", obj.default_counter), ("num_instances", "i", count),
            ("code_page", "I", obj.code_page), ("perf_time", "Q", obj.perf_time), ("perf_freq", "Q", obj.perf_freq)])
        for counter, offset in zip(obj.counters, offsets):
            help_index = (counter.index + 1 if counter.index else 0) if counter.help_index is None else counter.help_index
            self.put(out, "counter_definition", [
                ("byte_length", "I", 40), ("counter_name_title_index", "I", counter.index), ("counter_name_title", "I", 0),
                ("counter_help_title_index", "I", help_index), ("counter_help_title", "I", 0), ("default_scale", "i", counter.scale),
                ("detail_level", "I", counter.detail), ("counter_type", "I", counter.number()), ("counter_size", "I", counter.bytes()),
                ("counter_offset", "I", offset)])
        if isinstance(obj.instances, Instance):
            self.counter_block(out, obj, 0, obj.instances, offsets, block_length)
        elif isinstance(obj.instances, list):
            for position, instance in enumerate(obj.instances):
                self.instance(out, obj, position, instance, offsets, block_length)
        return out

    def instance(self, out, obj, position, instance, offsets, block_length):
        encoding = f"cp{obj.code_page}" if obj.code_page else None
        name = self.text(instance.name, encoding) if instance.name else b""
        length = 24 + len(name)
        length += -length % 8
        self.put(out, "instance_definition", [
            ("byte_length", "I", length), ("parent_object_title_index", "I", instance.parent[0]),
            ("parent_object_instance", "I", instance.parent[1]), ("unique_id", "i", instance.unique_id),
            ("name_offset", "I", 24 if name else 0), ("name_length", "I", len(name)), (None, "bytes", name)])
        if name:
            self.members.append(["perfdata.instance.name", instance.name])
        self.padding(out)
        self.counter_block(out, obj, position, instance, offsets, block_length)

    def counter_block(self, out, obj, position, instance, offsets, block_length):
        block = bytearray(block_length)
        is_last = not isinstance(obj.instances, list) or position == len(obj.instances) - 1
        said = obj.last_byte_length if is_last and obj.last_byte_length is not None else block_length
        struct.pack_into(self.order + "I", block, 0, said)
        self.members.append(["perfdata.counter_block.byte_length", said])
        end = 4
        for number, (counter, offset, value) in enumerate(zip(obj.counters, offsets, instance.values)):
            size = counter.bytes()
            entry = {"object": obj, "instance": position, "counter": number, "type": counter.type}
            if isinstance(value, int):
                if size == 8 and value_size(TYPES[counter.type]) == 4:
                    struct.pack_into(self.order + "Q", block, offset, value | 0xABCD << 32)
                else:
                    struct.pack_into(self.order + {4: "I", 8: "Q"}[size], block, offset, value)
                self.members.append(["perfdata.value", value])
                entry["value"] = value
            elif isinstance(value, str):
                encoded = self.text(value, "ascii" if counter.ascii else None).ljust(size, b"\0")
                block[offset:offset + size] = encoded[:size]
                self.members.append(["perfdata.value.text", value])
                entry["text"] = value
            elif value is not None:
                block[offset:offset + len(value)] = value
                self.members.append(["perfdata.value.bytes", value.hex(":")])
            end = max(end, offset + size)
            if number in instance.multi:
                struct.pack_into(self.order + "I", block, offset + size, instance.multi[number])
                self.members.append(["perfdata.value.multi", instance.multi[number]])
                entry["multi"] = instance.multi[number]
            self.values.append(entry)
        if end < block_length:
            self.members.append(["perfdata.padding", bytes(block[end:]).hex(":")])
        out += block


def names(pairs, order="<"):
    """The value of "Counter 009": MULTI_SZ of index and text in turn."""
    encoding = "utf-16-le" if order == "<" else "utf-16-be"
    return "".join(f"{index}\0{text}\0" for index, text in pairs).encode(encoding) + b"\0\0"
