# SPDX-License-Identifier: GPL-2.0-or-later
"""[MS-PLA] as tests need it: interfaces, methods, parameters, enumerations, and the rule for filter names."""

import csv
import re
from pathlib import Path

METHODS = Path(__file__).resolve().parents[1] / "dissection" / "pla-methods.tsv"
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
IID = {name: iid for name, (iid, _) in INTERFACES.items()}
IID.update(IUnknown="00000000-0000-0000-c000-000000000046", IDispatch="00020400-0000-0000-c000-000000000046")


# Only what is looked at: a capture of every method is large as PDML.
ONLY = ("-J", "pla _ws.malformed")


def pla_of(packet):
    return next(protocol for protocol in packet if protocol.name == "pla")


def show(item):
    """A boolean's show is 1 in some versions and True in others."""
    return {"True": "1", "False": "0"}.get(item.show, item.show)
