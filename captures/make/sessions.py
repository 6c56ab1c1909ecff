#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Records captures/sessions-*.pcapng: clients that do not get what they want, and some that do.

impacket asks; Samba's smbd and samba-dcerpcd answer, or refuse, or are not there; where no real server would do what is
wanted (a bind_nak, silence, an object refused), servers of ours on perfcap's and placap's PDUs do. Beside each capture goes a
record of what the client saw. Needs root (own network namespace, packet capture, ports 135 and 445) and Debian's samba,
python3-tdb, python3-impacket, tcpdump, wireshark-common and iproute2.

    captures/make/sessions.py [--into DIR] [NAME...]
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from impacket.dcerpc.v5 import epm, rpcrt, rrp, transport
from impacket.dcerpc.v5.dcomrt import DCOMConnection
from impacket.smb import SMB_DIALECT
from impacket.smbconnection import SessionError, SMBConnection
from impacket.uuid import string_to_bin, uuidtup_to_bin

from perfcap import pdu, stubs
from perfcap.alone import end_daemons, main
from perfcap.pdu import Pdu
from perfcap.recorder import Recorder, write_pcapng
from perfdata_samba import CONFIG
from placap import stubs as pla

USER, PASSWORD = "perf", "Perf-Lib2"
PERFLIBV2 = uuidtup_to_bin((stubs.INTERFACE, "1.0"))
WINREG = rrp.MSRPC_UUID_RRP
SAMBA_DCERPCD = "/usr/libexec/samba/samba-dcerpcd"
# Each kind of failure has a server of its own, so that what works for one says nothing of another.
ADDRESSES = {name: f"127.0.1.{number}" for number, name in enumerate(
    ("refused", "password", "share", "missing", "denied", "files", "smb1", "context", "mapper", "port", "protection",
     "nak", "silent", "mute", "closing", "object", "fault"), 1)}


class Samba:
    """A private smbd, and the samba-dcerpcd that has its pipes, in this process's network namespace."""

    def __init__(self, folder):
        self.folder, self.config, self.processes = folder, folder / "smb.conf", []
        for name in ("private", "lock", "state", "cache", "pid", "ncalrpc", "files"):
            (folder / name).mkdir(parents=True)
        (folder / "files" / "report.txt").write_text("nothing\n")
        (folder / "map").write_text(f"root = {USER} WORKGROUP\\{USER}\n")
        self.configure("")
        subprocess.run(["smbpasswd", "-c", str(self.config), "-s", "-a", "root"], check=True,
                       input=f"{PASSWORD}\n{PASSWORD}\n", text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def configure(self, more):
        text = CONFIG.format(server="PERFSRV", dir=self.folder, dialect="SMB2_10",
                             more="server min protocol = NT1\nrpc start on demand helpers = no\n" + more +
                             f"\n[files]\npath = {self.folder}/files\nread only = no\n"
                             f"[closed]\npath = {self.folder}/files\nhosts deny = ALL\n")
        self.config.write_text(text.replace("interfaces = 127.0.0.1/8", "interfaces = " + " ".join(ADDRESSES.values())))

    def start(self, *command):
        self.processes.append(subprocess.Popen([*command, "-s", str(self.config), "--foreground", "--no-process-group"],
                                               start_new_session=True, stderr=subprocess.DEVNULL))
        time.sleep(2)

    def change(self, more):
        self.configure(more)
        subprocess.run(["smbcontrol", "-s", str(self.config), "smbd", "reload-config"], check=True)
        time.sleep(1)

    def stop(self, process):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:       # its workers may hold it up
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                self.stop(process)
        end_daemons(self.folder / "pid")


class Clients:
    """Makes attempts and writes down what became of each."""

    def __init__(self):
        self.attempts = []

    def attempt(self, where, what, over, port, run):
        """run returns what is to be noted of an attempt that works: its number of calls; else it raises."""
        entry = {"server": ADDRESSES[where], "port": port, "over": over, "for": what, "began": time.time()}
        self.attempts.append(entry)
        try:
            entry["calls"] = run() or 0
            entry["works"] = True
        except SessionError as error:
            entry.update(works=False, status=error.getErrorCode(), name=error.getErrorString()[0])
        except rpcrt.DCERPCException as error:
            entry.update(works=False, status=error.get_error_code(), text=str(error))
        except (OSError, socket.timeout) as error:
            entry.update(works=False, text=type(error).__name__)
        except Exception as error:      # impacket wraps some of them
            entry.update(works=False, text=str(error))
        entry["ended"] = time.time()
        time.sleep(0.05)
        return entry

    def pipe(self, where, name="winreg", password=PASSWORD, dialect=None, interface=WINREG, calls=1, level=None, word=PASSWORD):
        """An attempt at a pipe, with as many calls of the registry."""
        def run():
            connection = SMBConnection(ADDRESSES[where], ADDRESSES[where], preferredDialect=dialect, timeout=10)
            try:
                connection.login(USER, password)
                rpc = transport.SMBTransport(ADDRESSES[where], 445, "\\" + name, smb_connection=connection)
                return self.talk(rpc, interface, calls, level, word)
            finally:
                connection.close()
        return self.attempt(where, "winreg" if interface == WINREG else "PerflibV2", "SMB1" if dialect else "SMB2", 445, run)

    def tcp(self, where, port, interface=WINREG, calls=1, level=None, word=PASSWORD):
        def run():
            rpc = transport.TCPTransport(ADDRESSES[where], port)
            rpc.set_connect_timeout(3)
            return self.talk(rpc, interface, calls, level, word)
        return self.attempt(where, "winreg" if interface == WINREG else "PerflibV2", "TCP", port, run)

    @staticmethod
    def talk(rpc, interface, calls, level, word):
        dce = rpc.get_dce_rpc()
        if level:
            dce.set_credentials(USER, word)
            dce.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
            dce.set_auth_level(level)
        dce.connect()
        rpc.get_socket().settimeout(2)
        try:
            dce.bind(interface)
            for _ in range(calls):
                if interface == WINREG:
                    rrp.hOpenLocalMachine(dce)
                else:
                    dce.call(0, b"")
                    dce.recv()
            return calls
        finally:
            dce.disconnect()

    def map(self, where, interface):
        """Asks the endpoint mapper; the port is in the entry."""
        found = {}

        def run():
            found["port"] = int(epm.hept_map(ADDRESSES[where], interface, protocol="ncacn_ip_tcp").split("[")[1][:-1])
        entry = self.attempt(where, "winreg" if interface == WINREG else "PerflibV2", "mapper", 135, run)
        entry.update(found)
        return entry


def over_smb(clients, folder):
    """Samba: everything between a port that is closed and a call."""
    samba = Samba(folder)
    try:
        clients.pipe("refused")
        samba.start("smbd")
        for _ in range(3):
            clients.pipe("password", password="Password1")
            time.sleep(0.3)
        clients.pipe("missing")
        clients.pipe("missing")
        clients.pipe("smb1", dialect=SMB_DIALECT)
        samba.start(SAMBA_DCERPCD, "--libexec-rpcds")
        clients.pipe("missing", calls=3)
        clients.pipe("smb1", dialect=SMB_DIALECT, calls=2)
        clients.pipe("refused", calls=2)
        clients.pipe("password", calls=2)
        clients.pipe("context", interface=PERFLIBV2)
        clients.pipe("protection", level=rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY, word="Password1")
        samba.change("nt pipe support = no")
        clients.pipe("denied")
        samba.change("[IPC$]\npath = /tmp\nhosts deny = ALL")
        clients.pipe("share")
        files(clients)
    finally:
        samba.close()


def files(clients):
    """No pipe: none of our business."""
    def run():
        connection = SMBConnection(ADDRESSES["files"], ADDRESSES["files"])
        connection.login(USER, PASSWORD)
        tree = connection.connectTree("files")
        connection.closeFile(tree, connection.openFile(tree, "report.txt"))
        for share, name in (("files", "missing.txt"), ("closed", None)):
            try:
                tree = connection.connectTree(share)
                connection.openFile(tree, name)
            except SessionError:
                pass
        connection.close()
    clients.attempt("files", "files", "SMB2", 445, run)


class Odd(threading.Thread):
    """A server that does to each connection what no real one would: handle(pdu) returns what is sent, or None to close."""

    def __init__(self, where, port, handle):
        super().__init__(daemon=True)
        self.handle = handle
        self.listener = socket.create_server((ADDRESSES[where], port))
        self.start()

    def run(self):
        while True:
            sock, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        try:
            while (answer := self.handle(pdu.parse(pdu.receive(sock)))) is not None:
                sock.sendall(answer)
            # A reset: impacket waits for ever where a connection is closed.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except (EOFError, ConnectionError):
            pass
        sock.close()


def accept_bind(incoming):
    items = pdu.unpack_bind(incoming.body, "<")[3]
    results = [(0, 0, item.transfers[0]) for item in items]
    return Pdu(pdu.BIND_ACK, 3, incoming.call_id, pdu.pack_bind_ack(results, "<", 4280, 1, "49700"), "<").pack()


def naks(incoming):
    return Pdu(pdu.BIND_NAK, 3, incoming.call_id, struct.pack("<HBBB", 8, 1, 5, 0), "<").pack()


def is_silent(incoming):
    return b""


def is_mute(incoming):
    return accept_bind(incoming) if incoming.type == pdu.BIND else b""


def closes(incoming):
    return accept_bind(incoming) if incoming.type == pdu.BIND else None


def faults(incoming):
    if incoming.type == pdu.BIND:
        return accept_bind(incoming)
    return Pdu(pdu.FAULT, 0x23, incoming.call_id, struct.pack("<IHBBII", 32, 0, 0, 0, 5, 0), "<").pack()


def over_tcp(clients, folder):
    """The endpoint mapper, and what servers may do to a bind or a call."""
    samba = Samba(folder)
    try:
        samba.start("smbd")
        samba.start(SAMBA_DCERPCD, "--libexec-rpcds")
        clients.map("mapper", PERFLIBV2)
        found = clients.map("port", WINREG)
        clients.tcp("port", found["port"], calls=3, level=rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
        samba.stop(samba.processes[1])
        clients.tcp("port", found["port"])
        for where, port, handle in (("nak", 49700, naks), ("silent", 49701, is_silent), ("mute", 49702, is_mute),
                                    ("closing", 49703, closes), ("fault", 49704, faults)):
            Odd(where, port, handle)
            clients.tcp(where, port, PERFLIBV2)
        refused_object(clients)
        time.sleep(1)
    finally:
        samba.close()


def refused_object(clients):
    """RemoteCreateInstance is answered with E_ACCESSDENIED and nothing else."""
    def handle(incoming):
        if incoming.type == pdu.BIND:
            return accept_bind(incoming)
        if struct.unpack("<H", incoming.body[6:8])[0] != 4:      # ServerAlive2 of IObjectExporter
            stub = struct.pack("<HHIII", 5, 7, 0, 0, 0)
        else:
            stub = struct.pack("<IIII", 0, 0, 0, 0x80070005)     # ORPCTHAT, ppActProperties NULL, HRESULT
        return Pdu(pdu.RESPONSE, 3, incoming.call_id, struct.pack("<IHBB", len(stub), 0, 0, 0) + stub, "<").pack()

    def run():
        connection = DCOMConnection(ADDRESSES["object"], "", "", authLevel=rpcrt.RPC_C_AUTHN_LEVEL_NONE)
        try:
            connection.CoCreateInstanceEx(string_to_bin("03837531" + pla.TAIL), uuidtup_to_bin(
                (pla.IID["IDataCollectorSet"], "0.0")))
        finally:
            connection.disconnect()
    Odd("object", 135, handle)
    clients.attempt("object", "PLA", "object", 135, run)


SCENARIOS = {"sessions-smb": (over_smb, (445,)), "sessions-tcp": (over_tcp, (135, *range(49152, 49160), *range(49700, 49705)))}


def record(name, into):
    scenario, ports = SCENARIOS[name]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sessions-"))
    clients = Clients()
    try:
        with Recorder(ports) as recorder:
            scenario(clients, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    write_pcapng(into / f"{name}.pcapng", recorder.frames, f"Made by captures/make/sessions.py {name}")
    facts = {"capture": f"{name}.pcapng", "interface": {"name": "attempts"}, "client": "impacket",
             "addresses": ADDRESSES, "auth": {"user": USER, "password": PASSWORD}, "attempts": clients.attempts}
    (into / f"{name}.json").write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{name}: {len(clients.attempts)} attempts, {len(recorder.frames)} frames")


if __name__ == "__main__":
    main(__doc__, SCENARIOS, record, ADDRESSES.values())
