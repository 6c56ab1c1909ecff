# SPDX-License-Identifier: GPL-2.0-or-later
"""A client that asks for more than it needs: buffers that grow, polls late or before an answer, values polled twice."""

import socket
import subprocess
import time

from . import content
from .api import Api
from .content import PROCESSOR, windows_machine
from .lpdata import WILDCARD, Identifier
from .machine import SECOND
from .scenarios import teach
from .session import Session, maker

# Addresses of documentation (RFC 5737): what is called at a loopback address may be any host behind a tunnel.
CLIENT, SERVERS = '192.0.2.2', ['192.0.2.10', '192.0.2.11']
NAMES = ['WIN-PERF01', 'WIN-PERF02']
COUNTERS = [Identifier(PROCESSOR, 0, WILDCARD, '*'), Identifier(PROCESSOR, 3, 3, '_Total')]
ROOM = 1024
PAUSE = 0.01            # between requests: frames of their own; the server waits longer for more of them


def newer(run, api, other):
    """PerflibV2 on two servers, one of which is called by the other's name in the end."""
    teach(api, (PROCESSOR,))
    other.countersets()
    query = api.open()
    query.validate(COUNTERS)
    query.info()
    for room in (32, 64, 128):
        query.client.call('QueryCounterData', hQuery=query.handle, dwInSize=room)
        run.advance(SECOND // 10)
    run.note('perflibv2.growing_buffer: the fourth buffer fits')
    query.data(ROOM)
    for _ in range(6):
        run.advance(SECOND)
        query.data(ROOM)
    run.advance(5 * SECOND)
    run.note('perflibv2.poll.late: a second lay between those before')
    query.data(ROOM)
    run.advance(SECOND)
    run.note('perflibv2.poll.overlap: the next request came before the answer')
    for _ in range(2):
        query.client.ask(6, {'hQuery': query.handle, 'dwInSize': ROOM})
        time.sleep(PAUSE)
    for _ in range(2):
        query.client.receive(6)
    query.close()
    other.machine = api.machine
    run.note('perflibv2.machine.other: the name of the other server')
    other.countersets(room=16, probe=False)


def older(run, client):
    """HKEY_PERFORMANCE_DATA, whose clients are told no size."""
    key = client.open()
    client.query(key, 'Counter 009', ROOM)
    for room in (64, 128, 256):
        client.query(key, '238', room)
        run.advance(SECOND // 10)
    run.note('perfdata.growing_buffer: the fourth buffer fits', older=True)
    client.query(key, '238', ROOM)
    for _ in range(6):
        run.advance(SECOND)
        client.query(key, '238', ROOM)
    run.advance(5 * SECOND)
    run.note('perfdata.poll.late: a second lay between those before', older=True)
    client.query(key, '238', ROOM)
    run.advance(SECOND)
    run.note('perfdata.poll.overlap: the next request came before the answer', older=True)
    for _ in range(2):
        client.ask(key, '238', ROOM)
        time.sleep(PAUSE)
    for _ in range(2):
        client.receive()
    second = client.open()
    for number in range(3):
        for handle in (key, second):
            run.advance(SECOND // 2)
            if number == 1:
                run.note('perfdata.poll.twice: another handle polled the same since the poll before', older=True)
            client.query(handle, '238', ROOM)
    for handle in (key, second):
        client.close_key(handle)


def habits(name, folder):
    def scenario(run):
        clients = [run.connect(0), run.connect(1), run.connect(0, older=True)]
        for client in clients:
            client.transport.get_socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        newer(run, *(Api(client, '\\\\' + name) for client, name in zip(clients, NAMES)))
        older(run, clients[2])
    for address in (CLIENT, *SERVERS):
        subprocess.run(['ip', 'address', 'replace', f'{address}/32', 'dev', 'lo'], check=True)
    for address in SERVERS:
        subprocess.run(['ip', 'route', 'replace', 'local', address, 'dev', 'lo', 'src', CLIENT, 'table', 'local'], check=True)
    session = Session(name, 'a client that asks for more than it needs, by both APIs: growing buffers, polls late and before '
                      'an answer, values polled twice, another host called', [
                          maker(windows_machine, address=SERVERS[0], coalesce=True, patience=0.1, older=True),
                          maker(content.other_server(NAMES[1], 'Second '), address=SERVERS[1])])
    session.run(scenario, folder)


CAPTURES = {'habits': habits}
