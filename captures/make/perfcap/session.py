# SPDX-License-Identifier: GPL-2.0-or-later
"""One capture: servers in a process of their own, clients, tcpdump, and the record made of it all."""

import subprocess
import time
from pathlib import Path

from impacket.ntlm import compute_lmhash, compute_nthash

from . import client, kerberos, lpdata, pdu, record, recorder, rules, samba_client, stubs, winreg
from .content import START
from .server import RpcServer, ServerProcess, Settings
from .service import Service
from .smb import SmbServer

FILETIME_OF_1970 = 116444736000000000
USER, PASSWORD = 'perfuser', 'Perf-Lib2'


class World:
    """What runs in the server process: machines with their services and listeners, one list of calls."""

    def __init__(self, makers):
        self.calls, counter, self.machines, self.ports, self.winreg = [], [0], [], [], None
        self.servers = []
        for make in makers:
            machine, service, settings, address, port, smb, older, dialect = make()
            interfaces = {}
            if older:
                self.winreg = interfaces[winreg.INTERFACE] = winreg.Winreg(machine)
            server = RpcServer(service, settings, address, 0 if smb else port, self.calls, counter, interfaces)
            self.machines.append(machine)
            self.servers.append(server)
            if smb:
                hashes = {user: (compute_lmhash(word), compute_nthash(word)) for user, word in settings.users.items()}
                self.smb = SmbServer(machine.host, hashes, settings.pipe, server.port, address, port, smb1=bool(dialect))
                server.port = port          # what the record calls the server's port
            self.ports.append(server.port)

    def advance(self, elapsed100ns, which=None):
        for number, machine in enumerate(self.machines):
            if which in (None, number):
                machine.advance(elapsed100ns)

    def change(self, which, method, *arguments):
        getattr(self.machines[which], method)(*arguments)

    def fail(self, which, opnum, statuses):
        self.servers[which].faults[opnum] = list(statuses)

    def log(self):
        return self.calls

    def winreg_log(self):
        return self.winreg.calls if self.winreg else []


def maker(machine, layout=lpdata.WINDOWS, address='127.0.0.1', port=49668, smb=False, service=None, older=False,
          dialect=None, **settings):
    """What World needs for one server; machine is a function that makes one; older: serve the older API, too."""
    def make():
        made = machine()
        if smb:
            settings.setdefault('pipe', 'winreg')
        return (made, Service(made, layout, **(service or {})), Settings(users={USER: PASSWORD}, **settings),
                address, port, smb, older, dialect)
    make.machine, make.address, make.smb, make.dialect = machine, address, smb, dialect
    return make


class Session:
    """Runs a scenario. Clients are numbered in the order in which they connect, as the servers number them."""

    def __init__(self, name, about, makers, sealed=False, stock=True, edit=None, only=None, brief=True, mtu=None, decode_as=None,
                 realm=None):
        self.name, self.about, self.makers = name, about, makers
        self.clients, self.moments, self.notes = [], [], {}
        self.connections = []
        self.sealed = sealed
        self.stock = stock          # Wireshark without the plugin decrypts it
        self.edit = edit            # changes the list of frames before it is written
        self.only = only            # instance ids for which expectations are listed
        self.brief = brief          # leave out what only helps to find a mistake in the record
        self.mtu = mtu              # of the loopback interface, which otherwise takes 64 KiB at once
        self.decode_as = decode_as  # what tshark must be told to take for RPC
        self.realm = realm          # a Realm, where Kerberos is the security
        self.marks = {}

    def run(self, scenario, folder):
        if self.mtu:
            subprocess.run(['ip', 'link', 'set', 'lo', 'mtu', str(self.mtu), 'gso_max_segs', '1'], check=True)
        self.server = ServerProcess(lambda: World(self.makers))
        self.ports = self.server.ports
        try:
            with recorder.Recorder(self.ports) as tape:
                scenario(self)
                for item in reversed(self.clients):     # the one others share is the first
                    if item is not None:
                        item.close()
            calls, winreg_calls = self.server.tell('log'), self.server.tell('winreg_log')
        finally:
            self.server.close()
            if self.mtu:
                subprocess.run(['ip', 'link', 'set', 'lo', 'mtu', '65536', 'gso_max_segs', '65535'], check=True)
        start = (START - FILETIME_OF_1970) / 1e7
        frames = recorder.shift(self.edit(self, tape.frames) if self.edit else tape.frames, self.moments, start)
        self.save(folder, frames, calls, winreg_calls)

    # -- for scenarios ---------------------------------------------------------------------------

    def connect(self, which=0, **options):
        """A client of server number which."""
        make, port = self.makers[which], self.ports[which]
        kind = client.WinregClient if options.pop('older', False) else client.Client
        if options.pop('plain', False):
            made = client.PlainClient(make.address, port, **options)
        elif self.realm and 'samba' not in options:
            made = kerberos.KerberosClient(make.address, port, self.realm)
        elif (samba := options.pop('samba', None)):
            # samba: the options of its binding string
            where = f'ncacn_np:{make.address}[\\pipe\\winreg,' if make.smb else f'ncacn_ip_tcp:{make.address}[{port},'
            made = samba_client.SambaClient(where + samba + ']', port, realm=self.realm and kerberos.REALM, **options)
        elif make.smb:
            transport = client.pipe_transport(make.address, make.machine().host, 'winreg', client.Login(USER, PASSWORD),
                                              options.pop('beside', None), make.dialect)
            made = kind(transport, max_fragment=4280, **options)
        else:
            made = kind(client.tcp_transport(make.address, port), **options)
        self.clients.append(made)
        self.connections.append({'connection': len(self.clients), 'server': which, 'client': made.implementation})
        return made

    def advance(self, elapsed100ns, which=None, frames=True):
        """Lets simulated time pass, in the machines (or one of them) and between the frames."""
        if frames:
            self.moments.append((time.time(), elapsed100ns / 1e7))
        self.server.tell('advance', elapsed100ns, which)
        time.sleep(0.002)

    def change(self, method, *arguments, which=0):
        self.server.tell('change', which, method, *arguments)

    def mark(self, name):
        """Remembers this moment for edit."""
        time.sleep(0.02)
        self.marks[name] = time.time()
        time.sleep(0.02)

    def note(self, text, older=False):
        """A remark on the next call; older: of the older API."""
        self.notes[older, len(self.server.tell('winreg_log' if older else 'log')) + 1] = text

    # -- the record ------------------------------------------------------------------------------

    def save(self, folder, frames, calls, winreg_calls):
        folder = Path(folder)
        capture = folder / f'{self.name}.pcapng'
        recorder.write_pcapng(capture, frames, f'perflib sample capture {self.name}: {self.about}')
        machines = {make.machine().host: make.machine() for make in self.makers}
        hosts = [make.machine().host for make in self.makers]
        for call in calls:
            call['host'] = hosts[self.connections[call['connection'] - 1]['server']]
        port_of = {number: item.client_port for number, item in enumerate(self.clients, 1)}
        if self.stock:
            numbers = recorder.dissected_calls(capture, self.secrets())
            calls, compared = record.number_calls(calls, numbers, port_of)
        else:
            streams = recorder.Streams(frames)
            calls, compared = record.number_sealed_calls(calls, streams, port_of)
        for call in calls:
            del call['pdus']
        for is_older, log in ((False, calls), (True, winreg_calls)):
            for call in log:
                if (is_older, call['n']) in self.notes:
                    call['note'] = self.notes[is_older, call['n']]
        result = self.header(max((call['auth_level'] for call in calls), default=pdu.LEVEL_NONE))
        calls, missing = record.split(calls)
        result['calls'] = calls
        if missing:
            result['calls_not_in_capture'] = missing
        cooked, refused = record.expected_values(calls, machines, self.only)
        result['expected_cooked_values'] = cooked
        result['expected_not_computable'] = refused
        result['query_handles'] = record.query_handles(calls)
        result['catalog'] = record.learn(calls)
        for call in calls + missing:
            self.fold(call, machines[call['host']])
            call.pop('step', None)
            if self.brief:
                call.pop('request_stub_hex', None)
                call.pop('response_stub_hex', None)
        if self.brief:
            for entry in cooked:
                del entry['inputs']
        if winreg_calls:
            for call in winreg_calls:
                if self.stock:
                    for which in ('request', 'response'):
                        key = port_of[call['connection']], call['call_id'], which
                        call[which + '_frame'] = numbers[key][-1][0]
                else:
                    record.frames_of_pdus(call, streams, port_of)
                for key in ('connection', 'call_id', 'pdus'):
                    del call[key]
            result['perfdata_calls'] = winreg_calls
        record.write(folder / f'{self.name}.json', result)
        print(f'{self.name}: {len(frames)} frames, {capture.stat().st_size} bytes, {len(calls)} calls, '
              f'{compared} stubs found in it, '
              f'{len(cooked)} cooked values, record of {(folder / (self.name + ".json")).stat().st_size} bytes')

    def secrets(self):
        """What tshark needs to decrypt the capture."""
        if self.realm:
            return ['-o', 'kerberos.decrypt:TRUE', '-K', str(self.realm.keytab)]
        return ['-o', f'ntlmssp.nt_password:{PASSWORD}']

    @staticmethod
    def fold(call, machine):
        """Blocks whose values follow a rule shrink to it."""
        for item in call.get('response', {}).get('lpData', {}).get('blocks', ()):
            for guid, counterset in machine.countersets.items():
                if str(guid) == item.get('counterset_of_identifier') and counterset.rule and 'instances' in item:
                    rules.fold(item, counterset.rule, call['step'])

    def header(self, level):
        smb = next(('SMB1' if make.dialect else 'SMB2' for make in self.makers if make.smb), None)
        facts = {
            'file': f'{self.name}.pcapng',
            'about': [self.about],
            'transport': f'ncacn_np \\PIPE\\winreg over {smb} (port 445)' if smb else 'ncacn_ip_tcp',
            'server_ports': self.ports,
            'interface': {'name': 'PerflibV2', 'uuid': stubs.INTERFACE, 'version': stubs.INTERFACE_VERSION},
            'auth': {**({'smb_user': USER, 'smb_password': PASSWORD} if smb else {}),
                     **({'user': USER, 'password': PASSWORD} if self.sealed else {}),
                     'level': pdu.LEVEL_NAMES[level]},
            'connections': self.connections,
        }
        if self.realm:
            facts['auth'] |= {'realm': kerberos.REALM, 'service': f'host/{kerberos.HOST}', 'keytab': kerberos.KEYTAB}
        if self.decode_as:
            facts['decode_as'] = self.decode_as
        if not self.stock:
            facts['stock_wireshark'] = 'does not decrypt it'
        return facts
