# SPDX-License-Identifier: GPL-2.0-or-later
"""Sealed captures of the kinds that Wireshark itself decrypts in part only, and what stands beside them."""

import struct
import subprocess
from dataclasses import replace

from impacket.smb import SMB_DIALECT

from . import content, kerberos
from .api import Api
from .client import Login, WinregClient
from .content import ALL_TYPES, BIG, PROCESS, PROCESSOR, windows_machine
from .lpdata import WILDCARD, Identifier
from .machine import SECOND
from .pdu import LEVEL_INTEGRITY
from .scenarios import WATCHED, poll, teach
from .session import PASSWORD, USER, Session, maker

NTLM = Login(USER, PASSWORD, 'CONTOSO')
SPNEGO = replace(NTLM, spnego=True)
MANY = [Identifier(PROCESS, counter, 4 * row, f'worker{row}', room=64) for row in range(64) for counter in (1, 2)]

FEW = WATCHED[:2]


def _machine():
    return windows_machine(other=False)


def _pipes(**options):
    return maker(_machine, smb=True, port=445, max_fragment=4280, require_privacy=True, **options)


def _watch(api, counters=WATCHED, many=False):
    """A query with its counters; many: others come and go in requests of several fragments."""
    query = api.open()
    if many:
        query.validate(MANY)
        query.validate(MANY, add=False)
    query.validate(counters)
    query.info()
    return query


def spnego_smb2(name, folder):
    def scenario(run):
        samba = [Api(run.connect(samba='seal,spnego,smb2', login=NTLM)) for _ in range(2)]
        other = Api(run.connect(login=SPNEGO))
        teach(samba[0], (PROCESSOR, PROCESS, ALL_TYPES))
        queries = [_watch(samba[0], many=True), _watch(samba[1], FEW), _watch(other, FEW, many=True)]
        poll(run, *queries)
        samba[1].info(ALL_TYPES, 6)
        for query in queries:
            query.close()
    session = Session(name, 'SPNEGO around NTLM over SMB2: three connections, fragments, mechListMIC',
                      [_pipes(older=True)], sealed=True, stock=False)
    session.run(scenario, folder)


def spnego_samba(name, folder):
    def scenario(run):
        apis = [Api(run.connect(samba='seal,spnego', login=NTLM)) for _ in range(2)]
        teach(apis[0], (PROCESSOR, PROCESS, ALL_TYPES))
        queries = [_watch(apis[0], many=True), _watch(apis[1], FEW)]
        poll(run, *queries)
        for query in queries:
            query.close()
    session = Session(name, 'SPNEGO around NTLM over ncacn_ip_tcp by Samba\'s client: mechListMIC, two connections',
                      [maker(_machine, require_privacy=True, older=True)], sealed=True, stock=False)
    session.run(scenario, folder)


def _two_pipes(login):
    def scenario(run):
        first = run.connect(login=login)
        second = run.connect(login=login, beside=first)
        older = run.connect(login=login, beside=first, older=True)
        api, also = Api(first), Api(second)
        key = older.open()
        teach(api, (PROCESSOR,))
        for room in (64, 4096):
            older.query(key, 'Counter 009', room)
        query, twin = _watch(api), _watch(also, FEW)
        for number in range(4):
            run.advance(SECOND)
            query.data()
            older.query(key, '238', 128 if number == 0 else 4096)
            twin.data()
        teach(also, (PROCESS,))
        older.close_key(key)
        query.close()
        twin.close()
    return scenario


def two_pipes(name, folder):
    session = Session(name, 'three pipes on one SMB2 connection take turns, sealed by NTLM: two of PerflibV2, one of winreg',
                      [_pipes(older=True)], sealed=True, stock=False)
    session.run(_two_pipes(NTLM), folder)


def two_pipes_spnego(name, folder):
    session = Session(name, 'three pipes on one SMB2 connection take turns, sealed by SPNEGO around NTLM',
                      [_pipes(older=True)], sealed=True, stock=False)
    session.run(_two_pipes(SPNEGO), folder)


def multi_pdu(name, folder):
    def scenario(run):
        clients = [run.connect(login=NTLM), run.connect(login=SPNEGO)]
        apis = [Api(client) for client in clients]
        teach(apis[0], (PROCESSOR,))
        queries = {client: [_watch(api, WATCHED[:3]), _watch(api, FEW)] for client, api in zip(clients, apis)}
        for _ in range(3):
            run.advance(SECOND)
            for client in clients:
                client.transport.gather()
                for query in queries[client]:
                    for room in (0, 4096):
                        client.ask(6, {'hQuery': query.handle, 'dwInSize': room})
                client.transport.release()
            for client in clients:
                for _ in range(4):
                    client.receive(6)
        for client in clients:
            client.transport.gather()
            for query in queries[client]:
                client.ask(4, {'phQuery': query.handle})
            client.transport.release()
            client.receive(4)
            client.receive(4)
    session = Session(name, 'several sealed PDUs in one frame: one connection with NTLM, one with SPNEGO around it',
                      [maker(_machine, require_privacy=True, coalesce=True)], sealed=True, stock=False)
    session.run(scenario, folder)


def big_frames(name, folder):
    """As a capture on the host that sends looks: the network card cuts the segments later."""
    def scenario(run):
        # a window that lets a whole frame through from the start
        subprocess.run(['sysctl', '-qw', 'net.ipv4.tcp_rmem=4096 1048576 6291456'], check=True)
        apis = [Api(run.connect(login=login)) for login in (NTLM, SPNEGO)]
        teach(apis[0], (BIG,))
        queries = []
        for api, counters in zip(apis, ((WILDCARD,), (1, 2, 3, 4, 5, 6, 7))):
            queries.append(api.open())
            queries[-1].validate([Identifier(BIG, counter, WILDCARD, '*') for counter in counters])
            queries[-1].info()
        poll(run, *queries, times=2)
        for query in queries:
            query.close()
    session = Session(name, 'sealed polls in frames of 60 KB, several fragments a frame: NTLM, and SPNEGO around it',
                      [maker(lambda: content.big_machine(200), require_privacy=True, coalesce=True)], sealed=True,
                      stock=False, only=(0, 1, 199))
    session.run(scenario, folder)


def two_contexts(name, folder):
    def scenario(run):
        first = run.connect(login=NTLM)
        second, older = first.more(SPNEGO), first.more(NTLM, WinregClient)
        apis = [Api(first), Api(second)]
        key = older.open()
        teach(apis[0], (PROCESSOR,))
        older.query(key, 'Counter 009', 4096)
        queries = [_watch(apis[0], FEW), _watch(apis[1], FEW, many=True)]
        for _ in range(3):
            run.advance(SECOND)
            queries[0].data()
            older.query(key, '238', 4096)
            queries[1].data()
        older.close_key(key)
        for query in queries:
            query.close()
    session = Session(name, 'three security contexts on one TCP connection, by alter_context: NTLM, SPNEGO around NTLM, NTLM',
                      [maker(_machine, require_privacy=True, older=True)], sealed=True, stock=False)
    session.run(scenario, folder)


def smb1(name, folder):
    def scenario(run):
        first = run.connect(login=NTLM)
        apis = [Api(client) for client in (first, run.connect(login=SPNEGO), run.connect(login=SPNEGO, beside=first))]
        teach(apis[0], (PROCESSOR,))
        queries = [_watch(apis[0], FEW, many=True), _watch(apis[1], FEW), _watch(apis[2], FEW)]
        poll(run, *queries, times=2)
        for api in apis:
            api.client.transport.transceive = True
        poll(run, *queries)
        for query in queries:
            query.close()
    session = Session(name, 'packet privacy over SMB1, by write and read and by TransactNmPipe: one connection with a pipe of NTLM and one of SPNEGO, one with SPNEGO only',
                      [_pipes(dialect=SMB_DIALECT)], sealed=True, stock=False)
    session.run(scenario, folder)


def port(name, folder):
    def scenario(run):
        apis = [Api(run.connect(login=login)) for login in (NTLM, SPNEGO)]
        teach(apis[0], (PROCESSOR,))
        queries = [_watch(apis[0], FEW, many=True), _watch(apis[1], FEW)]
        poll(run, *queries)
        for query in queries:
            query.close()
    session = Session(name, 'sealed, on a TCP port that Wireshark takes for HTTP: one connection with NTLM, one with SPNEGO',
                      [maker(_machine, require_privacy=True, port=8080)], sealed=True, stock=False,
                      decode_as='tcp.port==8080,dcerpc')
    session.run(scenario, folder)


CLIENT, SERVER = bytes((10, 20, 0, 15)), bytes((10, 20, 0, 21))


def _checksum(data):
    """RFC 1071."""
    total = sum(struct.unpack(f'>{(len(data) + 1) // 2}H', data + b'\0' * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def in_an_office(frame):
    """A frame of the loopback interface to or from port 445, between two computers of an office."""
    size = struct.unpack_from('>H', frame, 16)[0]
    ip, tcp = bytearray(frame[14:34]), bytearray(frame[34:14 + size])
    to_server = struct.unpack_from('>H', tcp, 2)[0] == 445
    source, target = (CLIENT, SERVER) if to_server else (SERVER, CLIENT)
    ip[10:20] = b'\0\0' + source + target
    ip[10:12] = struct.pack('>H', _checksum(bytes(ip)))
    tcp[16:18] = b'\0\0'
    tcp[16:18] = struct.pack('>H', _checksum(source + target + struct.pack('>HH', 6, len(tcp)) + bytes(tcp)))
    return b''.join(b'\x00\x15\x5d' + address[1:] for address in (target, source)) + frame[12:14] + bytes(ip + tcp)


def office(name, folder):
    def scenario(run):
        api = Api(run.connect(login=NTLM), '\\\\SRV-FILE01')
        api.countersets()
        teach(api, (PROCESSOR,))
        query = api.open()
        query.validate([Identifier(PROCESSOR, counter, 3, '_Total') for counter in (0, 6, 9)] +
                       [Identifier(PROCESSOR, 0, WILDCARD, '*')])
        query.info()
        poll(run, query, times=8)
        query.close()
    def rewritten(run, frames):
        return [[seconds, in_an_office(frame)] for seconds, frame in frames]
    make = maker(lambda: windows_machine('SRV-FILE01', other=False), smb=True, port=445, max_fragment=4280,
                 require_privacy=True)
    Session(name, 'a monitoring computer polls a file server of an office; recorded on 127.0.0.1, then rewritten to '
            '10.20.0.15 and 10.20.0.21', [make], sealed=True, edit=rewritten, mtu=1500).run(scenario, folder)


def no_key_exchange(name, folder):
    def scenario(run):
        apis = [Api(run.connect(login=replace(login, key_exchange=False))) for login in (NTLM, SPNEGO)]
        teach(apis[0], (PROCESSOR,))
        queries = [_watch(apis[0], FEW, many=True), _watch(apis[1], FEW, many=True)]
        poll(run, *queries)
        for query in queries:
            query.close()
    session = Session(name, 'NTLM without key exchange: checksums are not encrypted; one connection with NTLM, one with SPNEGO',
                      [maker(_machine, require_privacy=True)], sealed=True, stock=False)
    session.run(scenario, folder)


def integrity(name, folder):
    def scenario(run):
        signed = {'level': LEVEL_INTEGRITY}
        apis = [Api(run.connect(login=replace(login, **signed))) for login in (NTLM, SPNEGO)]
        apis.append(Api(run.connect(samba='sign,spnego', login=NTLM)))
        teach(apis[0], (PROCESSOR,))
        queries = [_watch(api, FEW, many=True) for api in apis]
        poll(run, *queries)
        for query in queries:
            query.close()
    session = Session(name, 'packet integrity: signed, not encrypted; NTLM, SPNEGO around NTLM, the same by Samba\'s client',
                      [maker(_machine, older=True)], sealed=True)
    session.run(scenario, folder)


def _kerberos(name, about, folder, client):
    def scenario(run):
        apis = [Api(run.connect(**client)) for _ in range(2)]
        teach(apis[0], (PROCESSOR,))
        queries = [_watch(apis[0], WATCHED[:3], many=True), _watch(apis[1], FEW)]
        poll(run, *queries)
        for query in queries:
            query.close()
    with kerberos.Realm(USER, PASSWORD, folder) as realm:
        session = Session(name, about, [maker(_machine, require_privacy=True, older=True, keytab=realm.keytab)],
                          sealed=True, realm=realm)
        session.run(scenario, folder)


def kerberos_raw(name, folder):
    _kerberos(name, 'packet privacy with Kerberos, without SPNEGO: two connections of a client on MIT\'s GSS-API', folder, {})


def kerberos_spnego(name, folder):
    _kerberos(name, 'packet privacy with Kerberos in SPNEGO: two connections of Samba\'s client', folder,
              {'samba': f'target_hostname={kerberos.HOST},seal,spnego', 'login': Login(USER, PASSWORD)})


CAPTURES = {
    'sealed-office': office,
    'sealed-spnego-samba': spnego_samba,
    'sealed-spnego-smb2': spnego_smb2,
    'sealed-two-pipes': two_pipes,
    'sealed-two-pipes-spnego': two_pipes_spnego,
    'sealed-two-contexts': two_contexts,
    'sealed-multi-pdu': multi_pdu,
    'sealed-big-frames': big_frames,
    'sealed-smb1': smb1,
    'sealed-port': port,
    'sealed-no-key-exchange': no_key_exchange,
    'signed': integrity,
    'sealed-kerberos': kerberos_raw,
    'sealed-kerberos-spnego': kerberos_spnego,
}
