#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records captures/foreign.pcapng: RPC that has nothing to do with performance data, over SMB2 and TCP.

impacket asks; Samba's smbd and samba-dcerpcd answer: srvsvc, wkssvc, samr, lsarpc, spoolss, svcctl, eventlog, dssetup, the endpoint mapper.
Beside the capture goes a record of what became of each call. Needs what sessions.py needs.

    captures/make/foreign.py [--into DIR]
"""

import json
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from impacket.dcerpc.v5 import dssp, epm, even, lsad, lsat, rprn, samr, scmr, srvs, transport, wkst
from impacket.dcerpc.v5.dtypes import NULL
from impacket.smbconnection import SMBConnection

from perfcap.alone import main
from perfcap.recorder import Recorder, write_pcapng
from sessions import ADDRESSES, PASSWORD, SAMBA_DCERPCD, USER, Samba

WHERE = "files"


def ask_srvsvc(dce):
    yield lambda: srvs.hNetrServerGetInfo(dce, 101)
    yield lambda: srvs.hNetrShareEnum(dce, 1)
    yield lambda: srvs.hNetrShareGetInfo(dce, "IPC$\0", 1)
    yield lambda: srvs.hNetrRemoteTOD(dce)
    yield lambda: srvs.hNetrSessionEnum(dce, NULL, NULL, 10)
    yield lambda: srvs.hNetrFileEnum(dce, NULL, NULL, 3)
    yield lambda: srvs.hNetrServerDiskEnum(dce, 0)
    yield lambda: srvs.hNetprNameValidate(dce, "name\0", 1)


def ask_wkssvc(dce):
    yield lambda: wkst.hNetrWkstaGetInfo(dce, 100)
    yield lambda: wkst.hNetrWkstaUserEnum(dce, 1)
    yield lambda: wkst.hNetrWkstaTransportEnum(dce, 0)


def ask_samr(dce):
    kept = {}

    def connect():
        kept["server"] = samr.hSamrConnect(dce)["ServerHandle"]

    def open_domain():
        sid = samr.hSamrLookupDomainInSamServer(dce, kept["server"], "PERFSRV")["DomainId"]
        kept["domain"] = samr.hSamrOpenDomain(dce, kept["server"], domainId=sid)["DomainHandle"]

    def open_user():
        kept["user"] = samr.hSamrOpenUser(dce, kept["domain"], userId=1000)["UserHandle"]
    yield connect
    yield lambda: samr.hSamrEnumerateDomainsInSamServer(dce, kept["server"])
    yield open_domain
    for level in range(1, 14):
        yield lambda level=level: samr.hSamrQueryInformationDomain(dce, kept["domain"], level)
    yield lambda: samr.hSamrEnumerateUsersInDomain(dce, kept["domain"])
    yield lambda: samr.hSamrEnumerateGroupsInDomain(dce, kept["domain"])
    yield lambda: samr.hSamrEnumerateAliasesInDomain(dce, kept["domain"])
    yield lambda: samr.hSamrLookupNamesInDomain(dce, kept["domain"], ["root"])
    yield lambda: samr.hSamrQueryDisplayInformation(dce, kept["domain"])
    yield open_user
    yield lambda: samr.hSamrQueryInformationUser(dce, kept["user"])
    yield lambda: samr.hSamrGetGroupsForUser(dce, kept["user"])
    for name in ("user", "domain", "server"):
        yield lambda name=name: samr.hSamrCloseHandle(dce, kept[name])


def ask_lsarpc(dce):
    kept = {}

    def open_policy():
        kept["policy"] = lsad.hLsarOpenPolicy2(dce)["PolicyHandle"]
    yield open_policy
    for level in (lsad.POLICY_INFORMATION_CLASS.PolicyPrimaryDomainInformation, lsad.POLICY_INFORMATION_CLASS.PolicyAccountDomainInformation,
                  lsad.POLICY_INFORMATION_CLASS.PolicyAuditEventsInformation):
        yield lambda level=level: lsad.hLsarQueryInformationPolicy2(dce, kept["policy"], level)
        yield lambda level=level: lsad.hLsarQueryInformationPolicy(dce, kept["policy"], level)
    yield lambda: lsad.hLsarEnumerateAccounts(dce, kept["policy"])
    yield lambda: lsad.hLsarEnumeratePrivileges(dce, kept["policy"])
    yield lambda: lsat.hLsarLookupNames(dce, kept["policy"], ["root"])
    yield lambda: lsat.hLsarLookupSids(dce, kept["policy"], ["S-1-5-32-544"])
    yield lambda: lsat.hLsarGetUserName(dce)
    yield lambda: lsad.hLsarClose(dce, kept["policy"])


def ask_spoolss(dce):
    kept = {}

    def open_server():
        kept["server"] = rprn.hRpcOpenPrinter(dce, f"\\\\{ADDRESSES[WHERE]}\0")["pHandle"]
    yield lambda: rprn.hRpcEnumPrinters(dce, rprn.PRINTER_ENUM_LOCAL, level=1)
    yield lambda: rprn.hRpcEnumPrinterDrivers(dce, NULL, NULL, 1)
    yield open_server
    yield lambda: rprn.hRpcClosePrinter(dce, kept["server"])


def ask_svcctl(dce):
    kept = {}

    def open_manager():
        kept["manager"] = scmr.hROpenSCManagerW(dce)["lpScHandle"]

    def open_service():
        kept["service"] = scmr.hROpenServiceW(dce, kept["manager"], "Spooler\0")["lpServiceHandle"]
    yield open_manager
    yield lambda: scmr.hREnumServicesStatusW(dce, kept["manager"])
    yield open_service
    yield lambda: scmr.hRQueryServiceStatus(dce, kept["service"])
    yield lambda: scmr.hRQueryServiceConfigW(dce, kept["service"])
    yield lambda: scmr.hRCloseServiceHandle(dce, kept["manager"])


def ask_eventlog(dce):
    kept = {}

    def open_log():
        kept["log"] = even.hElfrOpenELW(dce, "System")["LogHandle"]
    yield open_log
    yield lambda: even.hElfrNumberOfRecords(dce, kept["log"])
    yield lambda: even.hElfrOldestRecordNumber(dce, kept["log"])


def ask_dssetup(dce):
    yield lambda: dssp.hDsRolerGetPrimaryDomainInformation(dce, 1)


INTERFACES = {
    "srvsvc": (srvs.MSRPC_UUID_SRVS, ask_srvsvc), "wkssvc": (wkst.MSRPC_UUID_WKST, ask_wkssvc), "samr": (samr.MSRPC_UUID_SAMR, ask_samr),
    "lsarpc": (lsad.MSRPC_UUID_LSAD, ask_lsarpc), "spoolss": (rprn.MSRPC_UUID_RPRN, ask_spoolss), "svcctl": (scmr.MSRPC_UUID_SCMR, ask_svcctl),
    "eventlog": (even.MSRPC_UUID_EVEN, ask_eventlog), "lsass": (dssp.MSRPC_UUID_DSSP, ask_dssetup),
}


def ask(rpc, name, said):
    uuid, questions = INTERFACES[name]
    dce = rpc.get_dce_rpc()
    dce.connect()
    dce.bind(uuid)
    for question in questions(dce):
        try:
            question()
            said.append("answered")
        except Exception as error:      # whatever the server thinks of it
            said.append(str(error)[:80])
    dce.disconnect()


def over_all(said, folder):
    samba = Samba(folder)
    samba.config.write_text(samba.config.read_text().replace("disable spoolss = yes", "disable spoolss = no"))
    where = ADDRESSES[WHERE]
    try:
        samba.start("smbd")
        samba.start(SAMBA_DCERPCD, "--libexec-rpcds")
        connection = SMBConnection(where, where, timeout=10)
        connection.login(USER, PASSWORD)
        for name in INTERFACES:
            answers = said.setdefault(f"SMB2 {name}", [])
            try:
                ask(transport.SMBTransport(where, 445, "\\" + name, smb_connection=connection), name, answers)
            except Exception as error:
                answers.append(str(error)[:80])
        connection.close()
        for name in INTERFACES:
            answers = said.setdefault(f"TCP {name}", [])
            try:
                port = int(epm.hept_map(where, INTERFACES[name][0], protocol="ncacn_ip_tcp").split("[")[1][:-1])
                ask(transport.TCPTransport(where, port), name, answers)
            except Exception as error:
                answers.append(str(error)[:80])
    finally:
        samba.close()


def record(name, into):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="foreign-"))
    said = {}
    try:
        with Recorder((135, 445, *range(49152, 49160))) as recorder:
            over_all(said, folder)
            time.sleep(0.3)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    write_pcapng(into / f"{name}.pcapng", recorder.frames, f"Made by captures/make/foreign.py {name}")
    facts = {"capture": f"{name}.pcapng", "interface": {"name": "foreign"}, "client": "impacket", "server": "Samba",
             "answers": said}
    (into / f"{name}.json").write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{name}: {sum(map(len, said.values()))} calls, {len(recorder.frames)} frames")


if __name__ == "__main__":
    main(__doc__, {"foreign": None}, record, ADDRESSES.values())
