# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA] as tests need it: interfaces, methods, parameters, enumerations, and the rule for filter names."""

import csv
import re
import struct
import uuid
from pathlib import Path

from lib.orpc import Capture, Stub, dual_string_array, guid_bytes, objref, objref_of

METHODS = Path(__file__).resolve().parents[1] / "pla" / "pla-methods.tsv"
COLLECTORS = {
    "IPerformanceCounterDataCollector", "IConfigurationDataCollector", "IAlertDataCollector", "ITraceDataCollector",
    "IApiTracingDataCollector",
}  # fmt: skip

# [MS-PLA] 2.2.2 and 2.2.9: values, and whether they are flags.
ENUMS = {
    "AutoPathFormat": (True, {
        0: "plaNone", 1: "plaPattern", 2: "plaComputer", 0x100: "plaMonthDayHour", 0x200: "plaSerialNumber",
        0x400: "plaYearDayOfYear", 0x800: "plaYearMonth", 0x1000: "plaYearMonthDay", 0x2000: "plaYearMonthDayHour",
        0x4000: "plaMonthDayHourMinute"}),
    "ClockType": (False, {0: "plaTimeStamp", 1: "plaPerformance", 2: "plaSystem", 3: "plaCycle"}),
    "CommitMode": (True, {
        1: "plaCreateNew", 2: "plaModify", 3: "plaCreateOrModify", 0x10: "plaUpdateRunningInstance",
        0x20: "plaFlushTrace", 0x1000: "plaValidateOnly"}),
    "DataCollectorSetStatus": (False, {
        0: "plaStopped", 1: "plaRunning", 2: "plaCompiling", 3: "plaPending", 4: "plaUndefined"}),
    "DataCollectorType": (False, {
        0: "plaPerformanceCounter", 1: "plaTrace", 2: "plaConfiguration", 3: "plaAlert", 4: "plaApiTrace"}),
    "DataManagerSteps": (True, {
        1: "plaCreateReport", 2: "plaRunRules", 4: "plaCreateHtml", 8: "plaFolderActions", 0x10: "plaResourceFreeing"}),
    "FileFormat": (False, {0: "plaCommaSeparated", 1: "plaTabSeparated", 2: "plaSql", 3: "plaBinary"}),
    "FolderActionSteps": (True, {
        1: "plaCreateCab", 2: "plaDeleteData", 4: "plaSendCab", 8: "plaDeleteCab", 0x10: "plaDeleteReport"}),
    "ResourcePolicy": (False, {0: "plaDeleteLargest", 1: "plaDeleteOldest"}),
    "StreamMode": (False, {1: "plaFile", 2: "plaRealTime", 3: "plaBoth", 4: "plaBuffering"}),
    "ValueMapType": (False, {1: "plaIndex", 2: "plaFlag", 3: "plaFlagArray", 4: "plaValidation"}),
    "WeekDays": (True, {
        0: "plaRunOnce", 1: "plaSunday", 2: "plaMonday", 4: "plaTuesday", 8: "plaWednesday", 0x10: "plaThursday",
        0x20: "plaFriday", 0x40: "plaSaturday", 0x7F: "plaEveryday"}),
}  # fmt: skip

# Where two parameters of one name differ in kind.
EXCEPTIONS = {("IFolderActionCollection", "AddRange", "Actions"): "pla.actions_object"}


def snake(name):
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().strip("_")


def filter_name(interface, method, parameter, out):
    """The rule: property methods use the property, others the parameter's name, in snake_case."""
    if (interface, method, parameter) in EXCEPTIONS:
        return EXCEPTIONS[(interface, method, parameter)]
    match = re.match(r"(\S+) \((Get|Put)\)", method)
    if match and not (match[1] == "Item" and not out):
        parameter = match[1]
    return "pla." + snake(parameter)


def read_methods():
    """interface -> (IID, {opnum: (method, [(out, name, type)])})"""
    interfaces = {}
    with open(METHODS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            _, methods = interfaces.setdefault(row["interface"], (row["IID"], {}))
            _, parameters = methods.setdefault(int(row["opnum"]), (row["method"], []))
            if row["direction"] in ("none", "notused"):
                continue
            out = row["direction"].startswith("out")
            parameters.append((out, row["param_name"], row["IDL_type"][:-1] if out else row["IDL_type"]))
    for name in COLLECTORS:
        interfaces[name][1].update(interfaces["IDataCollector"][1])
    return interfaces


INTERFACES = read_methods()
# What the Protocol column shows, which is narrow.
SHORT_NAMES = {
    "IDataCollectorSet": "PLA Set", "IDataManager": "PLA Manager", "IFolderAction": "PLA Folder",
    "IFolderActionCollection": "PLA Folders", "IDataCollector": "PLA Collector",
    "IPerformanceCounterDataCollector": "PLA Counters", "IConfigurationDataCollector": "PLA Config",
    "IAlertDataCollector": "PLA Alert", "ITraceDataCollector": "PLA Trace", "IApiTracingDataCollector": "PLA ApiTrace",
    "ITraceDataProvider": "PLA Provider", "ITraceDataProviderCollection": "PLA Providers", "ISchedule": "PLA Schedule",
    "IScheduleCollection": "PLA Schedules", "IDataCollectorCollection": "PLA Collectors",
    "IDataCollectorSetCollection": "PLA Sets", "IValueMapItem": "PLA Value", "IValueMap": "PLA Values",
}
IID = {name: iid for name, (iid, _) in INTERFACES.items()}
IID.update(IUnknown="00000000-0000-0000-c000-000000000046", IDispatch="00020400-0000-0000-c000-000000000046",
           IEnumVARIANT="00020404-0000-0000-c000-000000000046")


# Only what is looked at: a capture of every method is large as PDML.
ONLY = ("-J", "pla _ws.malformed")


def pla_of(packet):
    return next(protocol for protocol in packet if protocol.name == "pla")


def show(item):
    """A boolean's show is 1 in some versions and True in others."""
    return {"True": "1", "False": "0"}.get(item.show, item.show)


IPID = uuid.UUID("0000c001-1111-2222-3333-444444444444")
OTHER = uuid.UUID("0000c002-1111-2222-3333-444444444444")


XML = '<?xml version="1.0" encoding="UTF-16"?>\r\n<DataCollectorSet>\r\n\t<Name>T\u00e4st</Name>\r\n</DataCollectorSet>'


class Calls:
    """A capture of calls to a few interfaces, each answered with S_OK unless said otherwise. other: to another server in its capture."""

    others = []  # IIDs that are bound beside those of [MS-PLA]

    def __init__(self, big_endian=False, other=None, port=49200, server=None, **options):
        self.big_endian = big_endian
        self.capture = other.capture if other else Capture(**options)
        self.port, self.server = port, server or self.capture.server
        self.bound = set()

    def call(self, interface, opnum, request=None, response=None, hresult=0, ipid=IPID, raw=None, raw_request=None):
        """request, response: functions that write the parameters. raw, raw_request: their whole stubs instead."""
        asked, answered = Stub(self.big_endian).orpcthis(), Stub(self.big_endian).orpcthat()
        if request:
            request(asked)
        if response:
            response(answered)
        return self.exchange(IID[interface], opnum, asked.bytes() if raw_request is None else raw_request,
                             answered.u32(hresult).bytes() if raw is None else raw, ipid)

    def exchange(self, iid, opnum, request, response, ipid=None):
        """A call to any interface, as its whole stubs. response None: there is no answer."""
        self.capture.server = self.server
        if not self.bound:
            self.capture.bind(sorted(set(IID.values())) + self.others, port=self.port, big_endian=self.big_endian)
            self.bound = set(IID)
        self.capture.request(iid, opnum, request, ipid, port=self.port, big_endian=self.big_endian)
        if response is not None:
            self.capture.response(iid, response, port=self.port, big_endian=self.big_endian)
        return self

    def trees(self, tshark, tmp_path, *options, two_pass=False):
        path = self.capture.write(tmp_path / "calls.pcap")
        return [pla_of(packet) for packet in tshark.packets(path, *ONLY, *options, display_filter="pla", two_pass=two_pass)]

    def fields(self, tshark, tmp_path, *names, options=()):
        """One row per call and answer, one list of values per field: of many items in a third of the time."""
        return tshark.fields(self.capture.write(tmp_path / "calls.pcap"), *names, display_filter="pla", options=options)

    def infos(self, tshark, tmp_path, *options):
        return [row[0][0] for row in self.fields(tshark, tmp_path, "_ws.col.Info", options=options)]


# Parameters of IDispatch, [MS-OAUT] 3.1.4.
NO_IID = uuid.UUID(int=0)


def names(stub, *members):
    """GetIDsOfNames: a member and its arguments; None for a name not sent."""
    stub.guid(NO_IID).u32(len(members))
    for member in members:
        stub.u32(0 if member is None else 0x20000)
    for member in members:
        if member is not None:
            text = (member + "\0").encode("utf-16be" if stub.big_endian else "utf-16le")
            stub.u32(len(text) // 2).u32(0).u32(len(text) // 2).raw(text)
    return stub.u32(len(members)).u32(0x409)


def invoke(stub, member, arguments, flags=4, named=(-3,), references=()):
    """Invoke: arguments are those of Stub.variant_body, references the indices of arguments by reference, or a dict with others."""
    stub.u32(member & 0xFFFFFFFF).guid(NO_IID).u32(0x409).u32(flags)
    stub.u32(0x20000 if arguments else 0).u32(0x20004 if named else 0).u32(len(arguments)).u32(len(named))
    if arguments:
        stub.u32(len(arguments))
        for _ in arguments:
            stub.little(1)
        for argument in arguments:
            stub.variant_body(*argument)
    if named:
        stub.u32(len(named))
        for number in named:
            stub.u32(number & 0xFFFFFFFF)
    stub.u32(len(references)).u32(len(references))
    for index in references:
        stub.u32(index)
    stub.u32(len(references))
    for _ in references:
        stub.little(1)
    for index in references:
        stub.variant_body(*(references[index] if isinstance(references, dict) else arguments[index]))
    return stub


def invoked(stub, code=0, help_context=0, texts=("Source", "What went wrong")):
    """Answer of Invoke: a result, an EXCEPINFO ([MS-OAUT] 2.2.34), no arguments by reference."""
    stub.variant("VT_I4", 42)
    stub.u16(code).u16(0).u32(1).u32(1).u32(0).u32(help_context).u32(0).u32(0).u32(0x80070057)
    for text in texts:
        stub.blob(text)
    return stub.u32(0).u32(0)


# DCOM's own interfaces, [MS-DCOM] 1.9.
REMOTE_UNKNOWN = "00000131-0000-0000-c000-000000000046"
REMOTE_UNKNOWN_2 = "00000143-0000-0000-c000-000000000046"
ACTIVATOR = "000001a0-0000-0000-c000-000000000046"
ACTIVATION = "4d9f4ab8-7d1c-11cf-861e-0020af6e7c57"
OBJECT_EXPORTER = "99fcfec4-5260-101b-bbcb-00aa0021347a"
SETS_CLASS = uuid.UUID("03837521-098b-11d8-9414-505054503030")  # DataCollectorSet


def returned(stub, kind="VT_EMPTY", value=None):
    """What Invoke returns: a result, no exception, no arguments by reference."""
    stub.variant(kind, value)
    stub.u16(0).u16(0).u32(0).u32(0).u32(0).u32(0).u32(0).u32(0).u32(0)
    return stub.u32(0).u32(0)


def dispatch(ipid, oid):
    return objref(IID["IDispatch"], ipid, oid=oid)


class Script(Calls):
    """Calls under IDispatch, and what DCOM's own interfaces tell of the objects."""

    others = [REMOTE_UNKNOWN, REMOTE_UNKNOWN_2, ACTIVATOR, ACTIVATION]

    def stub(self):
        return Stub(self.big_endian)

    def activate(self, clsid, reference, bindings=b""):
        """RemoteCreateInstance, [MS-DCOM] 3.1.2.5.2.3.3: properties in an OBJREF_CUSTOM, each way; always little-endian."""
        properties = struct.pack("<II", 200, 0) + bytes(48) + guid_bytes(clsid) + bytes(40)
        custom = objref_of(4, "000001a2-0000-0000-c000-000000000046", guid_bytes("00000338-0000-0000-c000-000000000046")
                           + struct.pack("<II", 0, len(properties)) + properties)
        request = self.stub().orpcthis().u32(0).interface_pointer(custom)
        properties = struct.pack("<II", 200, 0) + bytes(60) + reference + bindings
        custom = objref_of(4, "000001a3-0000-0000-c000-000000000046", guid_bytes("00000339-0000-0000-c000-000000000046")
                           + struct.pack("<II", 0, len(properties)) + properties)
        response = self.stub().orpcthat().interface_pointer(custom).align(4).u32(0)
        return self.exchange(ACTIVATOR, 4, request.bytes(), response.bytes())

    def activate_as_before(self, clsid, reference, address):
        """RemoteActivation, 3.1.2.5.2.3.1. address: in the bindings of the object exporter."""
        request = self.stub().orpcthis().guid(clsid).u32(0).u32(0).u32(2).u32(0).u32(1).u32(0x20000)
        request.u32(1).guid(IID["IDispatch"]).u16(1).u32(1).u16(7)
        array = dual_string_array(address, self.big_endian)
        response = self.stub().orpcthat().number("Q", 11).u32(0x20000).u32(len(array) // 2 - 2).raw(array)
        response.guid(uuid.UUID(int=1)).u32(1).u16(5).u16(7).u32(0)
        response.u32(1).u32(0x20004).minterface_pointer(reference).align(4).u32(1).u32(0).u32(0)
        return self.exchange(ACTIVATION, 0, request.bytes(), response.bytes())

    def query_interface(self, ipid, wanted, found, hresult=0):
        """RemQueryInterface, [MS-DCOM] 3.1.1.5.6.1.1. wanted: IIDs; found: (HRESULT, oid, IPID) of each."""
        request = self.stub().orpcthis().guid(ipid).u32(5).u16(len(wanted)).u32(len(wanted))
        for iid in wanted:
            request.guid(iid)
        response = self.stub().orpcthat().u32(0x20000).u32(len(found))
        for code, oid, other in found:
            response.align(8).u32(code).u32(0).u32(0).u32(5).number("Q", 11).number("Q", oid).guid(other)
        return self.exchange(REMOTE_UNKNOWN, 3, request.bytes(), response.u32(hresult).bytes(), uuid.UUID(int=1))

    def release(self, *ipids, count=5, hresult=0, iid=REMOTE_UNKNOWN):
        """RemRelease, [MS-DCOM] 3.1.1.5.6.1.3. hresult None: it is not answered."""
        request = self.stub().orpcthis().u16(len(ipids)).u32(len(ipids))
        for ipid in ipids:
            request.guid(ipid).u32(count).u32(0)
        response = None if hresult is None else self.stub().orpcthat().u32(hresult).bytes()
        return self.exchange(iid, 5, request.bytes(), response, uuid.UUID(int=1))

    def add_references(self, ipid, count):
        """RemAddRef, [MS-DCOM] 3.1.1.5.6.1.2."""
        request = self.stub().orpcthis().u16(1).u32(1).guid(ipid).u32(count).u32(0)
        return self.exchange(REMOTE_UNKNOWN, 4, request.bytes(), self.stub().orpcthat().u32(1).u32(0).u32(0).bytes(), uuid.UUID(int=1))

    def named(self, ipid, name, dispid, hresult=0, arguments=(), dispids=(), interface="IDispatch"):
        """GetIDsOfNames of a member and its arguments."""
        def answer(stub):
            stub.u32(1 + len(dispids))
            for number in (dispid, *dispids):
                stub.u32(number)

        return self.call(interface, 5, lambda stub: names(stub, name, *arguments), answer, hresult, ipid=ipid)

    def invoke(self, ipid, dispid, arguments=(), kind="VT_EMPTY", value=None, flags=1, hresult=0, interface="IDispatch", named=(), references=()):
        return self.call(interface, 6, lambda stub: invoke(stub, dispid, list(arguments), flags, named, references),
                         lambda stub: returned(stub, kind, value), hresult, ipid=ipid)

    def resolve(self, oxid, addresses, opnum=0, status=0):
        """ResolveOxid (0) and ResolveOxid2 (4), [MS-DCOM] 3.1.2.5.1.1 and 3.1.2.5.1.4; OBJECT_EXPORTER is one of others."""
        request = self.stub().number("Q", oxid).u16(1).u32(1).u16(7)
        array = dual_string_array(addresses, self.big_endian)
        response = self.stub().u32(0 if status else 0x20000)
        if not status:
            response.u32(len(array) // 2 - 2).raw(array).align(4)
        response.guid(uuid.UUID(int=1)).u32(5)
        response = response.u16(5).u16(7) if opnum == 4 else response
        return self.exchange(OBJECT_EXPORTER, opnum, request.bytes(), response.u32(status).bytes())


def session_of_a_set():
    """A client that creates a set, as [MS-PLA] 4 shows it, then reads what validation found."""
    calls = Calls()
    ipids = [uuid.UUID(int=100 + number) for number in range(8)]
    set_, collectors, base, performance, validation, item, second, queried = ipids
    calls.call("IDataCollectorSet", 9, lambda stub: stub.u32(60), ipid=set_)
    calls.call("IDataCollectorSet", 7, None,
               lambda stub: stub.interface_pointer(objref(IID["IDataCollectorCollection"], collectors, oid=2)), ipid=set_)
    calls.call("IDataCollectorCollection", 15, lambda stub: stub.enum(0),
               lambda stub: stub.interface_pointer(objref(IID["IDataCollector"], base, oid=3)), ipid=collectors)
    calls.call("IDataCollector", 25, lambda stub: stub.bstr("CPU"), ipid=base)
    # The same object through another interface: the same OID, another IPID.
    calls.call("IDataCollectorCollection", 8, lambda stub: stub.variant("VT_I4", 0),
               lambda stub: stub.interface_pointer(objref(IID["IPerformanceCounterDataCollector"], performance, oid=3)),
               ipid=collectors)
    calls.call("IPerformanceCounterDataCollector", 39, lambda stub: stub.u32(5), ipid=performance)
    calls.call("IDataCollectorSet", 60, lambda stub: stub.bstr("Set1").bstr(None).u32(0x1),
               lambda stub: stub.interface_pointer(objref(IID["IValueMap"], validation, oid=4)), 0x00300100, ipid=set_)
    calls.call("IValueMap", 8, lambda stub: stub.variant("VT_UI4", 0),
               lambda stub: stub.interface_pointer(objref(IID["IValueMapItem"], item, oid=5)), ipid=validation)
    calls.call("IValueMapItem", 11, None, lambda stub: stub.bstr("TaskArguments"), ipid=item)
    calls.call("IValueMapItem", 13, None, lambda stub: stub.variant("VT_I4", 0x80070057 - 2**32), ipid=item)
    calls.call("IDataCollectorSet", 62, lambda stub: stub.u16(0), ipid=set_)
    calls.call("IDataCollectorSet", 33, None, lambda stub: stub.u32(1), ipid=set_)
    calls.call("IDataCollectorSet", 62, lambda stub: stub.u16(0xFFFF), hresult=0x803000AA, ipid=set_)
    calls.call("IDataCollectorSet", 59, lambda stub: stub.bstr("Gone").bstr(""), hresult=0x80300002, ipid=queried)
    calls.call("IDataCollectorSetCollection", 10, lambda stub: stub.interface_pointer(objref(IID["IDataCollectorSet"], set_)),
               ipid=second)
    return calls
