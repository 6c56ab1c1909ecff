#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records captures/perfdata-samba*.pcapng: Samba answers, impacket asks.

Samba serves HKEY_PERFORMANCE_DATA out of two small databases. This fills them, lets a real smbd
answer over \\PIPE\\winreg, asks with impacket, and writes beside each capture what was put into the
databases and what came back. Needs root (own network namespace, packet capture) and Debian's
samba, python3-tdb, python3-impacket, tcpdump, wireshark-common.

    captures/make/perfdata_samba.py [--into DIR]
    captures/make/perfdata_samba.py --serve FOLDER -- COMMAND...      runs a command beside that smbd
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tdb
from impacket.dcerpc.v5 import rpcrt, rrp, transport
from impacket.dcerpc.v5.dtypes import NULL

from perfcap import kerberos
from perfcap.alone import end_daemons
from perfcap.client import Login
from perfcap.recorder import read_pcap
from perfcap.samba_client import SambaRegistry

SERVER = "PERFSRV"
USER = "perf"
PASSWORD = "Perf-Lib2"

# Counter types by the names of winperf.h, values as nt-counter types list them.
TYPES = {
    "PERF_COUNTER_COUNTER": 0x10410400,
    "PERF_COUNTER_BULK_COUNT": 0x10410500,
    "PERF_COUNTER_RAWCOUNT": 0x00010000,
    "PERF_COUNTER_LARGE_RAWCOUNT": 0x00010100,
    "PERF_100NSEC_TIMER": 0x20510500,
    "PERF_100NSEC_TIMER_INV": 0x21510500,
    "PERF_RAW_FRACTION": 0x20020400,
    "PERF_RAW_BASE": 0x40030403,
    "PERF_ELAPSED_TIME": 0x30240500,
    "PERF_AVERAGE_BULK": 0x40020500,
    "PERF_AVERAGE_BASE": 0x40030402,
}

# index: (name, help). Indexes of Windows where Samba can serve them: it adds a counter to objects of lower index only.
NAMES = {
    2: ("System", "The System performance object."),
    4: ("Memory", "The Memory performance object."),
    24: ("Available Bytes", "Physical memory available to processes, in bytes."),
    28: ("Page Faults/sec", "Pages faulted a second."),
    146: ("Context Switches/sec", "Switches from one thread to another, a second."),
    230: ("Process", "The Process performance object."),
    238: ("Processor", "The Processor performance object."),
    250: ("Threads", "Threads in the computer now."),
    674: ("System Up Time", "Seconds since the computer was last started."),
    696: ("% DPC Time", "Time spent in deferred procedure calls."),
    698: ("% Interrupt Time", "Time spent in hardware interrupts."),
    784: ("ID Process", "Identifier of this process."),
    1334: ("DPCs Queued/sec", "Deferred procedure calls queued, a second."),
    1350: ("% Registry Quota In Use", "Part of the registry quota that is in use."),
    1352: ("% Registry Quota In Use Base", "Base of % Registry Quota In Use."),
    1412: ("IO Read Operations/sec", "Read operations of the process, a second."),
    1750: ("Größe/Bytes", "A name that is not ASCII."),
}

# object index -> (number of instances, instance names), None for an object without instances.
OBJECTS = {2: None, 4: None, 230: ["Idle", "svchost", "svchost", "日本語"], 238: ["0", "1", "_Total"]}
# counter index -> (type, objects it stands in)
COUNTERS = {
    24: ("PERF_COUNTER_LARGE_RAWCOUNT", [4]),
    28: ("PERF_COUNTER_COUNTER", [4]),
    146: ("PERF_COUNTER_COUNTER", [2]),
    250: ("PERF_COUNTER_RAWCOUNT", [2]),
    674: ("PERF_ELAPSED_TIME", [2]),
    696: ("PERF_100NSEC_TIMER", [238]),
    698: ("PERF_100NSEC_TIMER_INV", [238]),
    784: ("PERF_COUNTER_RAWCOUNT", [230]),
    1334: ("PERF_COUNTER_COUNTER", [238]),
    1350: ("PERF_RAW_FRACTION", [2]),
    1352: ("PERF_RAW_BASE", [2]),
    1412: ("PERF_COUNTER_BULK_COUNT", [230]),
    1750: ("PERF_COUNTER_BULK_COUNT", [4]),
}
PERF_FREQ = 10000000
# FILETIME of 2026-03-02 12:00:00 UTC, a multiple of 2^8: Samba passes it through a double.
TIME_100NS = (134169264000000000 >> 8) << 8
TICKS = 500000000000


def poll_values(poll):
    """Counter and instance values of a poll, by index and by (object, instance)."""
    plain = {
        24: 4294967296 + 1048576 * poll,
        28: 70000 + 900 * poll,
        146: 123456 + 25000 * poll,
        250: 640 + poll,
        674: 0,
        1350: 40 + poll,
        1352: 160,
        1750: 5000000000 + 1234567 * poll,
        # Counters of objects with instances need a value of their own too, which Samba does not send.
        696: 1, 698: 1, 784: 1, 1334: 1, 1412: 1,
    }
    per_instance = {}
    for obj, instances in OBJECTS.items():
        for i, _ in enumerate(instances or []):
            values = {}
            for index, (_, objects) in COUNTERS.items():
                if obj in objects:
                    values[index] = {
                        696: 10000000 * (i + 1) + (2500000 + 500000 * i) * poll,
                        698: 3000000 * (i + 1) + 1000000 * (i + 1) * poll,
                        784: 4 + 100 * i,
                        1334: 1000 * (i + 1) + 250 * (i + 1) * poll,
                        1412: 6000000000 * i + 1500 * poll,
                    }[index]
            per_instance["%d/%d" % (obj, i)] = values
    clocks = {"PerfTime": TICKS + PERF_FREQ * 2 * poll, "PerfTime100nSec": TIME_100NS + 2 * 10000000 * poll // 256 * 256}
    return {"clocks": clocks, "counters": plain, "instances": per_instance}


def open_db(path):
    return tdb.open(path, 0, tdb.DEFAULT, os.O_RDWR | os.O_CREAT, 0o644)


def store(db, key, value):
    db.store(key.encode(), value if isinstance(value, bytes) else str(value).encode())


def write_names(folder):
    db = open_db(str(folder / "names.tdb"))
    store(db, "1", max(NAMES) // 2)
    for index, (name, text) in NAMES.items():
        store(db, str(index), name)
        store(db, str(index + 1), text)
    for obj, instances in OBJECTS.items():
        store(db, "%drel" % obj, "p")
        if instances is not None:
            store(db, "%dinst" % obj, len(instances))
            for i, name in enumerate(instances):
                store(db, "%di%dname" % (obj, i), name)
    for index, (kind, objects) in COUNTERS.items():
        store(db, "%drel" % index, "c[%s]" % ",".join(map(str, objects)))
        store(db, "%dtype" % index, TYPES[kind])
    store(db, "0PerfFreq", PERF_FREQ)
    db.close()


def write_data(folder, values):
    db = open_db(str(folder / "data.tdb"))
    for key, value in values["clocks"].items():
        store(db, "0" + key, value)
    for index, value in values["counters"].items():
        store(db, str(index), value)
    for key, counters in values["instances"].items():
        obj, i = key.split("/")
        # Samba lays an instance's values out by CounterSize, 8 for every type on a 64-bit machine.
        store(db, "%si%s" % (obj, i), b"".join(counters[c].to_bytes(8, "little") for c in sorted(counters)))
    db.close()


CONFIG = """[global]
netbios name = {server}
workgroup = WORKGROUP
server role = standalone server
security = user
passdb backend = tdbsam:{dir}/passdb.tdb
private dir = {dir}/private
lock directory = {dir}/lock
state directory = {dir}/state
cache directory = {dir}/cache
pid directory = {dir}/pid
ncalrpc dir = {dir}/ncalrpc
usershare path =
log file = {dir}/log.%m
log level = 1
load printers = no
disable spoolss = yes
bind interfaces only = yes
interfaces = 127.0.0.1/8
smb ports = 445
server max protocol = {dialect}
username map = {dir}/map
disable netbios = yes
{more}
"""

# SMB3 that encrypts all, with tickets for the keys of a keytab.
KERBEROS = """realm = {realm}
kerberos method = dedicated keytab
dedicated keytab file = {keytab}
server smb encrypt = required
"""
# SMB3 that encrypts all after a login with a password.
NTLM = "server smb encrypt = required\n"


class Server:
    """A private smbd in this process's network namespace."""

    def __init__(self, folder, realm=None, encrypts=False):
        self.folder = folder
        for name in ("private", "lock", "state/perfmon", "cache", "pid", "ncalrpc"):
            (folder / name).mkdir(parents=True)
        (folder / "map").write_text("root = %s WORKGROUP\\%s\n" % (USER, USER))
        self.config = folder / "smb.conf"
        self.config.write_text(CONFIG.format(
            server=SERVER, dir=folder, dialect="SMB3_11" if encrypts else "SMB2_10",
            more=KERBEROS.format(realm=kerberos.REALM, keytab=realm.keytab) if realm else NTLM if encrypts else ""))
        self.perfmon = folder / "state/perfmon"
        write_names(self.perfmon)
        write_data(self.perfmon, poll_values(0))
        subprocess.run(["smbpasswd", "-c", str(self.config), "-s", "-a", "root"], check=True,
                       input="%s\n%s\n" % (PASSWORD, PASSWORD), text=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(["smbd", "--foreground", "--no-process-group", "-s", str(self.config)],
                                        start_new_session=True)
        time.sleep(3)

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        end_daemons(self.folder / "pid")


class Bare:
    """The stub of BaseRegQueryValue as Windows sends it, which impacket can't: room for data, but none of it sent."""

    def __init__(self, handle, name, room):
        text = (name + "\0").encode("utf-16-le")
        count = len(text) // 2
        self.stub = handle.getData() + struct.pack("<HHLLLL", len(text), len(text), 0x20000, count, 0, count) + text
        self.stub += b"\0" * (-len(self.stub) % 4)
        self.stub += struct.pack("<LL", 0x20004, 0) + struct.pack("<LLLL", 0x20008, room, 0, 0)
        self.stub += struct.pack("<LL", 0x2000c, room) + struct.pack("<LL", 0x20010, 0)

    def getData(self):
        return self.stub


class Client:
    """Asks over \\PIPE\\winreg and writes down every call."""

    def __init__(self, sealed, realm=None, encrypts=False):
        self.calls = []
        if encrypts:
            # impacket logs on without a key that is exchanged, of which Wireshark makes none.
            self.dce = SambaRegistry(r"ncacn_np:127.0.0.1[\pipe\winreg,smb2%s]" % (",target_hostname=" + kerberos.HOST if realm else ""),
                                     Login(USER, PASSWORD), kerberos.REALM if realm else None)
            return
        pipe = transport.SMBTransport("127.0.0.1", 445, r"\winreg", USER, PASSWORD)
        self.dce = pipe.get_dce_rpc()
        if sealed:
            self.dce.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
            self.dce.set_auth_level(rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
        self.dce.connect()
        self.dce.bind(rrp.MSRPC_UUID_RRP)

    def note(self, method, opnum, request, response):
        self.calls.append({"n": len(self.calls) + 1, "method": method, "opnum": opnum, "request": request, "response": response})

    def open(self, method, opnum, call):
        try:
            handle = call(self.dce)["phKey"]
            self.note(method, opnum, {}, {"handle": handle.getData().hex(), "error": 0})
            return handle
        except rpcrt.DCERPCException as error:
            self.note(method, opnum, {}, {"error": error.get_error_code()})
            return None

    def query(self, handle, name, room, poll=None, offer=True):
        """One BaseRegQueryValue; room is the buffer offered, filled with blanks as impacket does, or not sent."""
        request = rrp.BaseRegQueryValue()
        request["hKey"] = handle
        request["lpValueName"] = name + "\0"
        request["lpType"] = 0
        if room is None:
            request["lpData"] = NULL
            request["lpcbData"] = 0
            request["lpcbLen"] = 0
        else:
            request["lpData"] = b" " * room if offer else b""
            request["lpcbData"] = room
            request["lpcbLen"] = room if offer else 0
        if offer or room is None:
            packet = self.dce.request(request, checkError=False)
        else:
            self.dce.call(17, Bare(handle, name, room))
            packet = rrp.BaseRegQueryValueResponse(self.dce.recv())
        data = packet["lpData"]
        self.note("QueryValue", 17,
                  {"handle": handle.getData().hex(), "value_name": name, "room": room, "offered": bool(offer and room)},
                  {"type": packet["lpType"], "data": None if data == b"" else b"".join(data).hex(), "data_size": packet["lpcbData"],
                   "data_length": packet["lpcbLen"], "error": packet["ErrorCode"]})
        if poll is not None:
            self.calls[-1]["poll"] = poll
        return packet

    def close(self, handle):
        answer = rrp.hBaseRegCloseKey(self.dce, handle)
        self.note("CloseKey", 5, {"handle": handle.getData().hex()}, {"error": answer["ErrorCode"]})


def session(client, server):
    write_data(server.perfmon, poll_values(0))
    local = rrp.hOpenLocalMachine(client.dce)["phKey"]
    key = rrp.hBaseRegOpenKey(client.dce, local, "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion")["phkResult"]
    client.query(key, "CurrentVersion", 512)
    client.close(key)
    data = client.open("OpenPerformanceData", 3, rrp.hOpenPerformanceData)
    client.query(data, "Counter 009", 512)
    for name in ("Counter 009", "Help 009", "Explain 009", "Add 009"):
        client.query(data, name, 4096)
    # Too small at first, as every client begins; then the poll itself.
    for poll in range(4):
        write_data(server.perfmon, poll_values(poll))
        if poll == 0:
            for room in (512, 1024):
                client.query(data, "Global", room)
        client.query(data, "Global", 8192, poll)
    for poll in range(4, 6):
        write_data(server.perfmon, poll_values(poll))
        client.query(data, "2 238", 8192, poll, offer=False)
    text = client.open("OpenPerformanceText", 32, rrp.hOpenPerformanceText)
    nls = client.open("OpenPerformanceNlsText", 33, rrp.hOpenPerformanceNlsText)
    for handle in (text, nls):
        if handle is not None:
            for name in ("Counter", "Help", "Counters"):
                client.query(handle, name, 4096)
            client.close(handle)
    client.close(data)
    # A handle that is no longer performance data's: the plain registry again.
    client.close(local)


def record(folder, name, sealed, into, realm=None, encrypts=False):
    server = Server(folder, realm, encrypts)
    pcap = folder / "raw.pcap"
    dump = subprocess.Popen(["tcpdump", "-i", "lo", "-U", "-s", "262144", "-w", str(pcap), "tcp", "port", "445"],
                            stderr=subprocess.DEVNULL)
    time.sleep(1)
    try:
        client = Client(sealed, realm, encrypts)
        session(client, server)
        client.dce.disconnect()
        time.sleep(1)
    finally:
        dump.send_signal(signal.SIGINT)
        dump.wait()
        server.stop()
    subprocess.run(["editcap", "-F", "pcapng", str(pcap), str(into / (name + ".pcapng"))], check=True)
    written = {
        "capture": name + ".pcapng", "interface": {"name": "winreg"}, "server": SERVER,
        "auth": {"user": USER, "password": PASSWORD if sealed or encrypts else None},
        "names": {str(k): v for k, v in NAMES.items()},
        "types": TYPES, "objects": OBJECTS, "counters": COUNTERS, "perf_freq": PERF_FREQ,
        "polls": [poll_values(p) for p in range(6)], "calls": client.calls,
    }
    if realm:
        session_id, key = kerberos.smb_session(read_pcap(pcap))
        written["auth"] = {"user": USER, "realm": kerberos.REALM, "service": "cifs/" + kerberos.HOST, "keytab": kerberos.KEYTAB,
                           "smb2_session_id": session_id, "smb2_session_key": key}
    (into / (name + ".json")).write_text(json.dumps(written, ensure_ascii=False, default=str) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=pathlib.Path, metavar="FOLDER")
    args = parser.parse_args()
    if args.serve:
        server = Server(args.serve)
        try:
            sys.exit(subprocess.run(args.names, check=False).returncode)
        finally:
            server.stop()
    if not args.inside:
        # An own network namespace: port 445 of the machine stays as it is.
        sys.exit(subprocess.call(["unshare", "--net", "--", sys.executable, __file__, *args.names, "--into", str(args.into.resolve()), "--inside"]))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for name, sealed, with_realm, encrypts in (
            ("perfdata-samba", False, False, False), ("perfdata-samba-sealed", True, False, False),
            ("perfdata-samba-smb3", False, True, True), ("perfdata-samba-smb3-ntlm", False, False, True)):
        if args.names and name not in args.names:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="perfdata-"))
        try:
            with kerberos.Realm(USER, PASSWORD, args.into) if with_realm else contextlib.nullcontext() as realm:
                record(folder, name, sealed, args.into, realm, encrypts)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
