# SPDX-License-Identifier: GPL-2.0-or-later
"""What the clients do, capture by capture."""

import uuid

from . import content, lpdata, recorder, stubs
from .api import HOST, Api
from .client import Fault, Login
from .content import (ALL_TYPES, BIG, GLOBAL_AGGREGATE, HISTORY, OTHER_TYPES, PROCESS, PROCESSOR, UNKNOWN_SET,
                      windows_machine)
from .lpdata import WILDCARD, Identifier
from .machine import SECOND
from .session import PASSWORD, USER, Session, maker

def registration(api, other=True):
    """Everything the server can tell of its countersets: each request code, sizes asked first."""
    api.countersets()
    api.countersets(room=16, probe=False)
    for guid in (PROCESSOR, PROCESS, ALL_TYPES) + ((OTHER_TYPES,) if other else ()) + (GLOBAL_AGGREGATE, HISTORY):
        api.info(guid, 1)
        api.info(guid, 3, probe=False, room=512)
    api.info(PROCESSOR, 2, 26, probe=False, room=48)
    api.info(ALL_TYPES, 2, 18)
    api.info(PROCESSOR, 2, 99, probe=False, room=48)
    for lcid in (0, 0x409, 0x407, 0x411):
        api.info(GLOBAL_AGGREGATE, 3, lcid, probe=False, room=512)
        api.info(GLOBAL_AGGREGATE, 5, lcid)
    api.info(GLOBAL_AGGREGATE, 5, 0x40C)
    api.info(PROCESSOR, 4)
    api.info(ALL_TYPES, 4, 0x409)
    for guid in (PROCESSOR, PROCESS, ALL_TYPES) + ((OTHER_TYPES,) if other else ()):
        api.info(guid, 5)
    api.info(ALL_TYPES, 6)
    api.info(GLOBAL_AGGREGATE, 6)
    api.info(PROCESSOR, 7)
    api.info(PROCESSOR, 8)
    api.info(ALL_TYPES, 7, probe=False, room=300)
    api.info(ALL_TYPES, 8, probe=False, room=16)
    api.info(PROCESSOR, 9)
    api.info(GLOBAL_AGGREGATE, 9)
    api.info(PROCESSOR, 10)
    api.info(GLOBAL_AGGREGATE, 10, probe=False, room=4096)
    api.info(UNKNOWN_SET, 1)


def enumerate_all_instances(api):
    api.instances(PROCESSOR)
    api.instances(PROCESS)
    api.instances(ALL_TYPES)
    api.instances(GLOBAL_AGGREGATE, probe=False, room=256)
    api.instances(HISTORY)
    api.instances(UNKNOWN_SET)


def full_session(session, client, other=True, polls=5, transceive=None, strict=False):
    """Section 4.1 and everything around it, with two handles that take turns.

    strict: only what the specification lets a client send. other: ask for types it does not list, too.
    """
    api = Api(client)
    registration(api, other)
    if not strict:
        api.info(PROCESSOR, 11, probe=False, room=64)   # no such request code
        api.info(PROCESSOR, 0, probe=False, room=64)
    enumerate_all_instances(api)

    first, second = api.open(), api.open()
    first.info(1024)                                    # nothing in it yet
    first.data(1024)
    first.validate([
        Identifier(PROCESSOR, 0, 3, '_Total', room=32),
        Identifier(PROCESSOR, 26, 3, '_Total'),
        Identifier(PROCESSOR, 27, 3, '_Total'),
        Identifier(PROCESSOR, 3, WILDCARD, '*'),
        Identifier(PROCESSOR, WILDCARD, 0, '0,0'),
        Identifier(ALL_TYPES, 9),
        Identifier(ALL_TYPES, 8),
        Identifier(ALL_TYPES, 18),
        Identifier(ALL_TYPES, 19, 0, ''),
        Identifier(ALL_TYPES, 13),                      # its base stays out of the query
        Identifier(PROCESSOR, 0, 17, '7,7'),            # no such instance: reported at each poll
        Identifier(UNKNOWN_SET, 1),
        Identifier(PROCESSOR, 99, 0, '0,0'),
        Identifier(ALL_TYPES, 9),                       # twice
    ])
    second.validate([Identifier(ALL_TYPES, WILDCARD)])
    second.validate([
        Identifier(PROCESS, WILDCARD, WILDCARD, '*'),
        Identifier(PROCESS, 3, WILDCARD, 'svchost*'),
        Identifier(PROCESS, 2, WILDCARD, 'no such*'),
        Identifier(GLOBAL_AGGREGATE, WILDCARD, WILDCARD, '*'),
    ] + ([Identifier(OTHER_TYPES, WILDCARD)] if other else []))
    if not strict:
        second.validate([], data=b'\0' * 39)            # shorter than one identifier
    first.info()
    second.info()
    for number in range(polls):
        if number:
            session.advance(SECOND + 1_237 * number)
        if number == 1:
            session.change('set_value', PROCESSOR, '_Total', 26, 3257130132376)
            session.change('set_value', PROCESSOR, '_Total', 27, 1446745353)
        for query in (first, second):
            if transceive is not None:
                client.transport.transceive = (number + (query is first)) % 2 == 0
            query.data()
        if number == 2:
            # one counter goes and comes back: the numbering of blocks changes twice
            first.validate([Identifier(PROCESSOR, 3, WILDCARD, '*'), Identifier(PROCESSOR, 5, 3, '_Total')], add=False)
            first.info()
        if number == 3:
            first.validate([Identifier(PROCESSOR, 3, WILDCARD, '*')])
            first.info()
    many = [Identifier(PROCESS, counter, 4 * (row % 10), f'worker{row}', room=64)
            for row in range(40) for counter in (1, 2)]
    second.validate(many)                               # a request of several fragments
    second.validate(many, add=False)
    first.close()
    second.close()


# -- captures ------------------------------------------------------------------------------------

def tcp_session(name, folder):
    session = Session(name, 'a full clear session over ncacn_ip_tcp', [maker(windows_machine)], brief=False)
    session.run(lambda run: full_session(run, run.connect()), folder)


def smb2_session(name, folder):
    session = Session(name, 'the same session over \\PIPE\\winreg on SMB2, by pipe write/read and by transceive',
                      [maker(windows_machine, smb=True, port=445, max_fragment=4280)])
    session.run(lambda run: full_session(run, run.connect(), transceive=True), folder)


def sealed_smb2(name, folder):
    session = Session(name, 'packet privacy with NTLM over SMB2: what a correct client and server send',
                      [maker(lambda: windows_machine(other=False), smb=True, port=445, max_fragment=4280,
                             require_privacy=True)], sealed=True)
    session.run(lambda run: full_session(run, run.connect(login=Login(USER, PASSWORD)), other=False, strict=True,
                                         transceive=True), folder)


def sealed_tcp(name, folder):
    session = Session(name, 'packet privacy with NTLM over ncacn_ip_tcp: what a correct client and server send',
                      [maker(lambda: windows_machine(other=False), require_privacy=True)], sealed=True)
    login = Login(USER, PASSWORD, 'CONTOSO')
    session.run(lambda run: full_session(run, run.connect(login=login), other=False, strict=True), folder)


SPNEGO_LOGIN = Login(USER, PASSWORD, 'CONTOSO', spnego=True)


def sealed_spnego(name, folder):
    """One call a connection: Wireshark 4.0 decrypts the first PDU of each direction only."""
    def scenario(run):
        def api():
            return Api(run.connect(login=SPNEGO_LOGIN))
        api().countersets(room=16, probe=False)
        api().info(PROCESSOR, 1, probe=False, room=4096)
        api().info(PROCESSOR, 10, probe=False, room=4096)
        api().instances(PROCESS, probe=False, room=1024)
        api().open()
    session = Session(name, 'packet privacy with SPNEGO around NTLM over ncacn_ip_tcp, one call a connection',
                      [maker(lambda: windows_machine(other=False), require_privacy=True)], sealed=True)
    session.run(scenario, folder)


def sealed_spnego_long(name, folder):
    """As Windows does it; Wireshark's keystream falls behind by the checksums it does not count."""
    def scenario(run):
        api = Api(run.connect(login=SPNEGO_LOGIN))
        api.countersets()
        api.info(PROCESSOR, 1)
        query = api.open()
        query.validate([Identifier(PROCESSOR, 0, WILDCARD, '*')])
        query.data()
        query.close()
    session = Session(name, 'SPNEGO around NTLM, several calls a connection: Wireshark 4.0 decrypts the first only',
                      [maker(lambda: windows_machine(other=False), require_privacy=True)], sealed=True,
                      stock=False)
    session.run(scenario, folder)


def refused_in_clear(name, folder):
    """A server that insists on packet privacy, a client that asks in clear."""
    def scenario(run):
        api = Api(run.connect())
        api.countersets(room=8, probe=False)
        api.info(PROCESSOR, 1, probe=False, room=2048)
        api.instances(PROCESSOR, probe=False, room=512)
        api.open()
    session = Session(name, 'every call refused with ERROR_ACCESS_DENIED for want of packet privacy',
                      [maker(windows_machine, require_privacy=True)])
    session.run(scenario, folder)


def big(name, folder):
    def scenario(run):
        api = Api(run.connect())
        api.info(BIG, 1)
        api.info(BIG, 9)
        api.info(BIG, 10)
        api.instances(BIG)
        query = api.open()
        query.validate([Identifier(BIG, WILDCARD, WILDCARD, '*')])
        query.info()
        query.data()
        run.advance(SECOND)
        query.data()
        query.close()
    session = Session(name, 'a counterset block of 2000 instances by 20 counters, two polls of many fragments',
                      [maker(content.big_machine)], brief=False, only=(0, 1, 2, 499, 1000, 1999))
    session.run(scenario, folder)


def big_endian(name, folder):
    session = Session(name, 'big-endian integers in PDUs and stubs; lpData stays little-endian',
                      [maker(windows_machine)])
    session.run(lambda run: full_session(run, run.connect(plain=True, big_endian=True), polls=3), folder)


def ndr64(name, folder):
    session = Session(name, 'NDR64 stubs', [maker(windows_machine, transfer=stubs.NDR64)])
    session.run(lambda run: full_session(run, run.connect(ndr64=True), polls=3), folder)


def spec_layout(name, folder):
    session = Session(name, 'lpData laid out as the text of [MS-PCQ] says',
                      [maker(windows_machine, layout=lpdata.TEXT, service={'check_instances': True})])
    session.run(lambda run: full_session(run, run.connect(), polls=3), folder)


def sizes_without_padding(name, folder):
    """Two servers: one leaves padding out of its sizes, the other does not pad id arrays at all."""
    def scenario(run):
        for which in (0, 1):
            api = Api(run.connect(which), ('\\\\WIN-PERF01', '\\\\WIN-PERF02')[which])
            for guid in (PROCESSOR, PROCESS):
                api.info(guid, 1)
                api.info(guid, 3, probe=False, room=256)
                api.info(guid, 5)
                api.instances(guid)
            query = api.open()
            query.validate([Identifier(PROCESSOR, WILDCARD, 0, '0,0'), Identifier(PROCESS, WILDCARD, WILDCARD, '*'),
                            Identifier(PROCESSOR, 3, WILDCARD, '*'), Identifier(PROCESSOR, 3, 0, '0,0')])
            query.info()
            query.data()
            run.advance(SECOND)
            query.data()
            query.close()
    session = Session(name, 'sizes that leave out the padding, and id arrays of odd length without padding', [
        maker(windows_machine, layout=lpdata.PAD_OUTSIDE),
        maker(lambda: windows_machine('WIN-PERF02'), layout=lpdata.NO_ID_PAD, port=49669)])
    session.run(scenario, folder)


def smb2_overflow(name, folder):
    """How Windows calls: answers longer than 1024 bytes come with STATUS_BUFFER_OVERFLOW, the rest is read."""
    def scenario(run):
        client = run.connect()
        client.transport.transceive, client.transport.output = True, 1024
        api = Api(client)
        teach(api, (PROCESSOR, PROCESS, ALL_TYPES))
        query = api.open()
        query.validate(WATCHED)
        query.info()
        poll(run, query)
        query.close()
    session = Session(name, 'pipe transceive with answers in parts (STATUS_BUFFER_OVERFLOW)',
                      [maker(windows_machine, smb=True, port=445, max_fragment=4280)])
    session.run(scenario, folder)


def segments(name, folder):
    """An Ethernet's MTU: PDUs that span TCP segments."""
    def scenario(run):
        api = Api(run.connect())
        teach(api, (PROCESSOR, PROCESS, ALL_TYPES))
        api.info(ALL_TYPES, 6)
        query = api.open()
        query.validate(WATCHED)
        query.info()
        poll(run, query)
        query.close()
    Session(name, 'PDUs that span TCP segments', [maker(windows_machine)], mtu=1500).run(scenario, folder)


def both_apis(name, folder):
    """One counter fetched both ways over the same pipe, at the same moments."""
    def scenario(run):
        api, older = Api(run.connect()), run.connect(older=True)
        teach(api, (PROCESSOR,))
        query = api.open()
        query.validate([Identifier(PROCESSOR, counter, WILDCARD, '*') for counter in (0, 1, 3)])
        query.info()
        key = older.open()
        for room in (64, 4096):
            older.query(key, 'Counter 009', room)
        for room in (128, 256):
            older.query(key, '238', room)
        for _ in range(4):
            run.advance(SECOND)
            query.data()
            older.query(key, '238', 4096)
        older.close_key(key)
        query.close()
    session = Session(name, 'both APIs over one pipe: the same counters fetched by PerflibV2 and from HKEY_PERFORMANCE_DATA',
                      [maker(windows_machine, smb=True, port=445, max_fragment=4280, older=True)])
    session.run(scenario, folder)


# -- what a capture teaches and what it does not ---------------------------------------------------

WATCHED = [Identifier(PROCESSOR, 0, WILDCARD, '*'), Identifier(PROCESSOR, 3, 3, '_Total'),
           Identifier(PROCESSOR, WILDCARD, 0, '0,0'), Identifier(PROCESS, WILDCARD, WILDCARD, '*')]


def teach(api, guids=(PROCESSOR, PROCESS)):
    for guid in guids:
        api.info(guid, 1)
        api.info(guid, 9)
        api.info(guid, 10)


def poll(run, *queries, times=3, interval=SECOND):
    for _ in range(times):
        run.advance(interval)
        for query in queries:
            query.data()


def no_counter_info(name, folder):
    def scenario(run):
        api = Api(run.connect())
        teach(api)
        first, second = api.open(), api.open()      # the second numbers its counters from the last added
        first.validate(WATCHED)
        second.validate(WATCHED)
        third = api.open()                          # nothing but this can be in its answers
        third.validate([Identifier(PROCESSOR, 3, 3, '_Total')])
        poll(run, first, second, third)
        for query in (first, second, third):
            query.close()
    Session(name, 'nobody asks for the index map (opnum 5)', [maker(windows_machine)]).run(scenario, folder)


def no_registration(name, folder):
    def scenario(run):
        api = Api(run.connect())
        query = api.open()
        query.validate(WATCHED)
        query.info()
        poll(run, query)
        query.close()
    Session(name, 'nobody asks for names and types (opnum 1)', [maker(windows_machine)]).run(scenario, folder)


def mid_capture(name, folder):
    """Starts when handles are open: one knows nothing, one asks for its index map, one adds once more.

    Without a bind Wireshark does not know whose calls these are; so the client goes on over a second
    connection of the same association group, which the capture has from its start.
    """
    def scenario(run):
        first = run.connect()
        api = Api(first)
        teach(api, (PROCESSOR,))
        handles = [api.open().handle for _ in range(3)]
        for handle in handles:
            query = Query(api, handle)
            query.validate(WATCHED[:3])
            query.info()
            query.data()
        run.mark('start')
        run.advance(SECOND)
        api = Api(run.connect(group=first.group))
        silent, asking, adding = (Query(api, handle) for handle in handles)
        asking.info()
        teach(api, (PROCESS,))
        poll(run, silent, asking, adding, times=2)
        adding.validate(WATCHED[3:])
        poll(run, adding, times=2)
        adding.info()
        poll(run, adding, times=1)
        teach(api, (PROCESSOR,))
        poll(run, silent, asking, adding, times=2)
        for query in (silent, asking, adding):
            query.close()

    def edit(run, frames):
        return [frame for frame in frames if frame[0] >= run.marks['start']]
    Session(name, 'the capture starts after handles were opened and counters added', [maker(windows_machine)],
            edit=edit).run(scenario, folder)


def lost_request(name, folder):
    """Two frames are missing: the request of one poll, the response of another."""
    def scenario(run):
        api = Api(run.connect())
        teach(api)
        query = api.open()
        query.validate(WATCHED)
        query.info()
        for number in range(6):
            run.advance(SECOND)
            if number in (2, 4):
                run.mark(f'poll {number}')
            query.data()
            if number in (2, 4):
                run.mark(f'end {number}')
        query.close()

    def edit(run, frames):
        kept = []
        for number, which in ((2, 0), (4, 1)):
            inside = [frame for frame in frames if run.marks[f'poll {number}'] <= frame[0] < run.marks[f'end {number}']]
            with_data = [frame for frame in inside if recorder.tcp_payload(frame[1])]
            kept.append(id(with_data[which]))
        return [frame for frame in frames if id(frame) not in kept]
    Session(name, 'the request of one poll and the response of another were not captured', [maker(windows_machine)],
            edit=edit).run(scenario, folder)


def polls_out_of_order(name, folder):
    def scenario(run):
        api = Api(run.connect())
        teach(api, (PROCESSOR, ALL_TYPES))
        query = api.open()
        query.validate([Identifier(PROCESSOR, WILDCARD, WILDCARD, '*'), Identifier(ALL_TYPES, WILDCARD)])
        query.info()
        poll(run, query, times=2)
        query.data()                                    # again at once: no time passed
        run.advance(SECOND)
        run.change('turn_clock', -5 * SECOND)           # counters went on, both clocks went back
        query.data()
        poll(run, query, times=2)
        query.close()
    Session(name, 'the clocks go back between two polls', [maker(windows_machine)], brief=False).run(scenario, folder)


def retransmissions(name, folder):
    """Data segments that come twice: at once, and after three more frames."""
    def scenario(run):
        api = Api(run.connect())
        teach(api)
        query = api.open()
        query.validate(WATCHED)
        query.info()
        poll(run, query, times=4)
        query.close()

    def edit(run, frames):
        result, late = [], []
        for number, frame in enumerate(frames):
            result.append(frame)
            late = [(wait - 1, again) for wait, again in late]
            result += [[frame[0] + 0.00001, again] for wait, again in late if wait <= 0]
            late = [item for item in late if item[0] > 0]
            if recorder.tcp_payload(frame[1]):
                if number % 5 == 0:
                    result.append([frame[0] + 0.00001, frame[1]])
                elif number % 7 == 0:
                    late.append((3, frame[1]))
        return result
    Session(name, 'TCP segments that were sent twice', [maker(windows_machine)], edit=edit).run(scenario, folder)


def instances_come_and_go(name, folder):
    def scenario(run):
        api = Api(run.connect())
        teach(api)
        query = api.open()
        query.validate([Identifier(PROCESS, WILDCARD, WILDCARD, '*'), Identifier(PROCESS, 3, WILDCARD, 'svchost*'),
                        Identifier(PROCESS, 8, 90, 'backup')])
        query.info()
        query.data()
        run.advance(SECOND)
        run.change('add_instance', PROCESS, 90, 'backup')       # appears
        query.data()
        run.advance(SECOND)
        run.change('remove_instance', PROCESS, 12, 'svchost#1')  # vanishes
        query.data()
        run.advance(SECOND)
        run.change('remove_instance', PROCESS, 90, 'backup')
        query.data()
        run.advance(SECOND)
        run.change('add_instance', PROCESS, 90, 'backup')       # comes back, counts from the start again
        run.change('add_instance', PROCESS, 91, 'svchost#1')    # an old name with a new id
        run.change('add_instance', PROCESS, 92, 'svchost')      # the name of one that is still there
        api.instances(PROCESS)
        query.data()
        run.advance(SECOND)
        query.data()
        query.close()
    Session(name, 'instances appear, vanish and come back', [maker(windows_machine)]).run(scenario, folder)


def counter_reset_and_wrap(name, folder):
    """Each line of steps is what a poll finds; see the record for what follows from it."""
    steps = [
        # 32-bit rate, 64-bit rate, sample fraction and base, average and base, raw fraction and base, multi timer's M
        {1: 0xFFFFFF00, 7: 1 << 40, 13: 100, 14: 0xFFFFFFF0, 20: 500, 21: 0xFFFFFFFE, 34: 5, 35: 10, 42: 4},
        {1: 0x00000100, 7: (1 << 40) + 7000, 13: 110, 14: 0x10, 20: 900, 21: 2, 34: 5, 35: 0, 42: 0},   # wraps; zero base
        {1: 0x00000080, 7: 3, 13: 120, 14: 0x10, 20: 1000, 21: 2, 34: 0, 35: 10, 42: 4},        # resets; base stands still
        {1: 0x80000081, 7: 5000, 13: 4, 14: 0x20, 20: 1200, 21: 7, 34: 10, 35: 10, 42: 4},      # 2^31 + 1 more is no wrap
        {1: 0x00000080, 7: (1 << 64) - 1, 13: 5, 14: 0x40, 20: 1300, 21: 0, 34: 10, 35: 10, 42: 4},
        {1: 0x00000090, 7: 10, 13: 6, 14: 0x41, 20: 1400, 21: 1, 34: 10, 35: 10, 42: 4},
    ]

    def scenario(run):
        api = Api(run.connect())
        teach(api, (ALL_TYPES, OTHER_TYPES))
        query = api.open()
        query.validate([Identifier(ALL_TYPES, WILDCARD), Identifier(OTHER_TYPES, WILDCARD)])
        query.info()
        for number, step in enumerate(steps):
            if number:
                run.advance(SECOND)
            for counter, value in step.items():
                run.change('set_value', ALL_TYPES, '', counter, value)
            run.change('set_value', OTHER_TYPES, '', 1, (10, 4294967290, 5, 3000000000, 2, 3)[number])
            run.change('set_value', OTHER_TYPES, '', 2, (10, 1 << 50, 5, 6, 6, 7)[number])
            query.data()
        query.close()
    Session(name, 'counters that are reset or wrap, bases that are zero or stand still',
            [maker(windows_machine)], brief=False).run(scenario, folder)


def two_servers(name, folder):
    """Three in fact: two addresses, two ports of one of them; handles of all three have the same UUIDs."""
    hosts = ['\\\\WIN-PERF01', '\\\\WIN-PERF02', '\\\\WIN-PERF03']

    def scenario(run):
        apis = [Api(run.connect(which), host) for which, host in enumerate(hosts)]
        for api in apis[:2]:
            teach(api)
        queries = [api.open() for api in apis]
        for query in queries:
            query.validate(WATCHED)
        for query in queries:
            query.info()
        for number in range(3):
            run.advance(SECOND, 0)
            run.advance(SECOND // 2, 1, frames=False)
            run.advance(2 * SECOND, 2, frames=False)
            for query in queries:
                query.data()
        teach(apis[2])
        for query in reversed(queries):
            query.close()
    session = Session(name, 'servers with the same GUIDs and different names, at two addresses and two ports', [
        maker(windows_machine),
        maker(content.other_server('WIN-PERF02', 'Second '), address='127.0.0.2'),
        maker(content.other_server('WIN-PERF03', 'Third '), port=49669)])
    session.run(scenario, folder)


def handles(name, folder):
    """Handles used wrongly, left open, and used from several connections that take turns."""
    def refused(call, *arguments, **options):
        try:
            call(*arguments, **options)
        except Fault:
            return
        raise AssertionError('the server should have refused this')

    def scenario(run):
        clients = [run.connect()]
        clients += [run.connect(group=clients[0].group), run.connect(group=clients[0].group)]
        apis = [Api(client) for client in clients]
        teach(apis[0])
        queries = [api.open() for api in apis] + [apis[0].open()]
        queries[0].validate(WATCHED[:1])
        queries[1].validate(WATCHED[1:3])
        queries[2].validate(WATCHED[3:])
        for query in queries[:3]:
            query.info()
        poll(run, *queries[:3])
        shared = Query(apis[1], queries[2].handle)      # a handle of another connection
        poll(run, queries[2], shared, times=2)
        queries[0].close()
        refused(queries[0].data, 1024)                  # after close
        refused(queries[0].info, 1024)
        refused(queries[0].close)
        never = Query(apis[2], (0, uuid.UUID('00000000-dead-4eef-8000-00000000cafe')))
        refused(never.data, 1024)                       # never opened
        refused(never.validate, WATCHED[:1])
        poll(run, queries[1], times=1)
        queries[1].close()
        # queries[2] and [3] stay open; the last of them never got a counter
    Session(name, 'handles used after close, never opened, left open, shared by connections that take turns',
            [maker(windows_machine)]).run(scenario, folder)


def multi_pdu(name, folder):
    """Several requests in one TCP segment, answers that come together; two connections interleaved."""
    def scenario(run):
        clients = [run.connect(plain=True), run.connect(plain=True)]
        opened = []
        for client in clients:
            api = Api(client)
            teach(api, (PROCESSOR,))
            opened += [api.open(), api.open()]
        for query in opened:
            query.validate(WATCHED[:3])
            query.info()
        for number in range(3):
            run.advance(SECOND)
            for client in clients:
                asked = [client.request(6, {'hQuery': query.handle, 'dwInSize': room})[1]
                         for query in opened if query.client is client for room in (0, 4096)]
                client.sock.sendall(b''.join(asked))
            for client in clients:
                for _ in range(4):
                    client.receive(6)
        for client in clients:
            client.sock.sendall(b''.join(client.request(4, {'phQuery': query.handle})[1]
                                         for query in opened if query.client is client))
            client.receive(4)
            client.receive(4)
    session = Session(name, 'several PDUs in one frame, on two connections at once',
                      [maker(windows_machine, coalesce=True)])
    session.run(scenario, folder)


def locale(name, folder):
    """A German server asked for German, Japanese and English names, and for its own language."""
    def scenario(run):
        api = Api(run.connect())
        api.info(PROCESSOR, 1)
        for lcid in (0x407, 0x409, 0x411, 0):
            api.info(PROCESSOR, 3, lcid, probe=False, room=256)
            api.info(PROCESSOR, 5, lcid)
        api.info(PROCESSOR, 5, 0x40C)                   # a language that is not installed
        api.info(PROCESSOR, 9)
        api.info(PROCESSOR, 10)
        query = api.open()
        query.validate(WATCHED[:3])
        query.info()
        poll(run, query)
        query.close()
    Session(name, 'names of one counterset in three languages', [maker(content.translated_machine)]).run(scenario, folder)


CAPTURES = {
    'tcp-session': tcp_session,
    'smb2-session': smb2_session,
    'sealed-smb2': sealed_smb2,
    'sealed-tcp': sealed_tcp,
    'sealed-spnego': sealed_spnego,
    'sealed-spnego-long': sealed_spnego_long,
    'refused-in-clear': refused_in_clear,
    'big': big,
    'big-endian': big_endian,
    'ndr64': ndr64,
    'smb2-overflow': smb2_overflow,
    'segments': segments,
    'both-apis': both_apis,
    'spec-layout': spec_layout,
    'sizes-without-padding': sizes_without_padding,
    'no-counter-info': no_counter_info,
    'no-registration': no_registration,
    'mid-capture': mid_capture,
    'lost-request': lost_request,
    'polls-out-of-order': polls_out_of_order,
    'retransmissions': retransmissions,
    'instances-come-and-go': instances_come_and_go,
    'counter-reset-and-wrap': counter_reset_and_wrap,
    'two-servers': two_servers,
    'handles': handles,
    'multi-pdu': multi_pdu,
    'locale': locale,
}
