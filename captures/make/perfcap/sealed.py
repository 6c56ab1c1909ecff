# SPDX-License-Identifier: GPL-2.0-or-later
"""Sealed captures of the kinds that Wireshark itself decrypts in part only, and what stands beside them."""

from dataclasses import replace

from .client import Login, WinregClient
from .content import ALL_TYPES, PROCESS, PROCESSOR, windows_machine
from .lpdata import WILDCARD, Identifier
from .machine import SECOND
from .scenarios import WATCHED, Api, poll, teach
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


CAPTURES = {
    'sealed-spnego-samba': spnego_samba,
    'sealed-spnego-smb2': spnego_smb2,
    'sealed-two-pipes': two_pipes,
    'sealed-two-pipes-spnego': two_pipes_spnego,
}
