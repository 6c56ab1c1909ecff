# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers whose RPC runtime answers calls with a fault, in clear and sealed, over TCP and pipes."""

from dataclasses import replace

from impacket.smb import SMB_DIALECT

from . import stubs
from .api import Api
from .client import Login
from .content import PROCESS, PROCESSOR, windows_machine
from .lpdata import Identifier
from .machine import SECOND
from .pdu import ACCESS_DENIED, DISCONNECTED, NCA_CONTEXT_MISMATCH, SERVER_TOO_BUSY
from .scenarios import WATCHED, teach
from .session import PASSWORD, USER, Session, maker

OPEN_DATA, CLOSE_KEY, QUERY_VALUE = 3, 5, 17        # of winreg
NTLM = Login(USER, PASSWORD, 'CONTOSO')
SPNEGO = replace(NTLM, spnego=True)
MANY = [Identifier(PROCESSOR, counter, 4 * row, f'worker{row}', room=64) for row in range(64) for counter in (1, 2)]


def _machine():
    return windows_machine(other=False)


def _refused(run, operation, status, call, *arguments, **options):
    """A call that the server answers with a fault of that status. operation: its opnum, or its name."""
    opnum = operation if isinstance(operation, int) else stubs.OPNUMS[operation]
    run.server.tell('fail', 0, opnum, [status])
    try:
        call(*arguments, **options)
    except Exception as error:      # each client has its own
        run.server.tell('fail', 0, opnum, [])
        return error
    raise AssertionError('the server should have refused this')


def _query(api, counters=WATCHED):
    query = api.open()
    query.validate(counters)
    query.info()
    return query


def tcp(name, folder):
    """Faults of every kind in a session that goes on: what they answered has changed nothing."""
    def scenario(run):
        api = Api(run.connect())
        _refused(run, 'EnumerateCounterSet', SERVER_TOO_BUSY, api.countersets)
        teach(api, (PROCESSOR, PROCESS))
        _refused(run, 'OpenQueryHandle', ACCESS_DENIED, api.open)
        query = _query(api)
        query.data()
        run.advance(SECOND)
        _refused(run, 'QueryCounterData', DISCONNECTED, query.data)
        run.advance(SECOND)
        query.data()
        _refused(run, 'ValidateCounters', SERVER_TOO_BUSY, query.validate, MANY)        # of several fragments
        _refused(run, 'ValidateCounters', SERVER_TOO_BUSY, query.validate, WATCHED[:1], add=False)
        run.advance(SECOND)
        query.data()
        _refused(run, 'QueryCounterInfo', DISCONNECTED, query.info)
        query.close()
        _refused(run, 'CloseQueryHandle', NCA_CONTEXT_MISMATCH, query.close)
        older = run.connect(older=True)
        _refused(run, OPEN_DATA, ACCESS_DENIED, older.open)
        key = older.open()
        older.query(key, 'Counter 009', 4096)
        older.query(key, '238', 4096)
        _refused(run, QUERY_VALUE, DISCONNECTED, older.query, key, '238', 4096)
        run.advance(SECOND)
        older.query(key, '238', 4096)
        _refused(run, CLOSE_KEY, NCA_CONTEXT_MISMATCH, older.close_key, key)
    session = Session(name, 'faults of several kinds in clear; what they answered has changed nothing',
                      [maker(_machine, older=True)])
    session.run(scenario, folder)


def refused(name, folder):
    """A server that refuses whoever calls in clear, by a fault."""
    def scenario(run):
        api = Api(run.connect())
        _refused(run, 'EnumerateCounterSet', ACCESS_DENIED, api.countersets)
        _refused(run, 'OpenQueryHandle', ACCESS_DENIED, api.open)
    session = Session(name, 'every call refused by a fault for want of packet privacy', [maker(_machine)])
    session.run(scenario, folder)


def _sealed(run, connect):
    """Two sessions that a fault ends: impacket does not count a fault's signature."""
    for operation, status, what in (('QueryCounterData', DISCONNECTED, 'data'), ('CloseQueryHandle', ACCESS_DENIED, 'close')):
        api = Api(connect())
        teach(api, (PROCESSOR,))
        query = _query(api, WATCHED[:2])
        query.data()
        run.advance(SECOND)
        query.data()
        _refused(run, operation, status, getattr(query, what))


def smb2(name, folder):
    def scenario(run):
        _sealed(run, lambda: run.connect(login=NTLM))
        older = run.connect(login=SPNEGO, older=True)
        key = older.open()
        older.query(key, '238', 4096)
        _refused(run, QUERY_VALUE, DISCONNECTED, older.query, key, '238', 4096)
    session = Session(name, 'sealed sessions over SMB2 that a fault ends: NTLM, and the older API with SPNEGO around it',
                      [maker(_machine, smb=True, port=445, max_fragment=4280, older=True)], sealed=True, stock=False)
    session.run(scenario, folder)


def smb1(name, folder):
    def scenario(run):
        _sealed(run, lambda: run.connect(login=SPNEGO))
    session = Session(name, 'sealed sessions over SMB1 that a fault ends',
                      [maker(_machine, smb=True, port=445, max_fragment=4280, dialect=SMB_DIALECT)], sealed=True, stock=False)
    session.run(scenario, folder)


def samba(name, folder):
    """Samba signs no faults, so that its client goes on behind one."""
    def scenario(run):
        api = Api(run.connect(samba='seal,spnego', login=NTLM))
        teach(api, (PROCESSOR, PROCESS))
        query = _query(api)
        query.data()
        _refused(run, 'ValidateCounters', SERVER_TOO_BUSY, query.validate, MANY)
        run.advance(SECOND)
        query.data()
        query.close()
    session = Session(name, "faults in a sealed session of Samba's client, which goes on",
                      [maker(_machine, older=True, signed_faults=False)], sealed=True, stock=False)
    session.run(scenario, folder)


CAPTURES = {
    'faults-tcp': tcp,
    'faults-refused': refused,
    'faults-smb2': smb2,
    'faults-smb1': smb1,
    'faults-samba': samba,
}
