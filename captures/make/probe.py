#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The two halves of captures/probe: probe.py record FOLDER asks a server, probe.py verdict FOLDER TABLES tells what it broke.

Needs Debian's python3-impacket. The password is in the environment (PERFLIB_PASSWORD); for Kerberos the tickets are in a
credential cache (KRB5CCNAME: the name of a file).
"""

import argparse
import json
import os
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from impacket.krb5.ccache import CCache  # noqa: E402

from perfcap import probe, verdict  # noqa: E402
from perfcap.client import Login  # noqa: E402
from perfcap.recorder import write_pcapng  # noqa: E402
from perfcap.tap import Tap  # noqa: E402

COMMENT = 'captures/probe: the bytes are those that its sockets sent and received; the headers below them were written by it'
HARDLY_JUDGED = 3


def record(arguments):
    login = None
    if arguments.kerberos:
        login = Login('', '')
    elif arguments.user is not None:
        domain, _, user = arguments.user.rpartition('\\')
        login = Login(user, os.environ.get('PERFLIB_PASSWORD', ''), domain, spnego=True)
    target = probe.Target(arguments.server, arguments.address or arguments.server, arguments.tcp, login, arguments.kerberos)
    asking = probe.Probe(target, arguments.forbidden, arguments.interval, lambda text: print(text, file=sys.stderr))
    with Tap() as tap:
        told = asking.run()
    write_pcapng(arguments.folder / 'capture.pcapng', tap.frames, COMMENT)
    if arguments.kerberos:
        (arguments.folder / 'capture.keytab').write_bytes(keytab(CCache.loadFile(os.environ['KRB5CCNAME']).credentials))
    (arguments.folder / 'told.json').write_text(json.dumps({**told, 'ports': sorted(tap.ports)}) + '\n', encoding='utf-8')
    print(','.join(str(port) for port in sorted(tap.ports)))


def keytab(tickets):
    """A keytab of the sessions' keys of tickets for services: they open this recording, and nothing that comes after it."""
    def counted(data):
        return struct.pack('>H', len(data)) + data
    entries = [struct.pack('>H', 1) + counted(b'SESSION') + counted(b'session%d' % number) +
               struct.pack('>IIBH', 1, 0, 1, ticket['key']['keytype']) + counted(ticket['key']['keyvalue'])
               for number, ticket in enumerate(tickets, 1) if not ticket['server'].prettyPrint().startswith(b'krbtgt/')]
    return b'\5\2' + b''.join(struct.pack('>i', len(entry)) + entry for entry in entries)


def tell(arguments):
    told = json.loads((arguments.folder / 'told.json').read_text(encoding='utf-8'))
    notes = [json.loads(line) for line in (arguments.folder / 'ndjson' / 'notes.ndjson').read_text(encoding='utf-8').splitlines()]
    sealed = [note['text'] for note in notes if note['of'] == 'perflibv2-rules' and 'sealed' in note['text']]
    broken = verdict.tell(told, *(verdict.rows(arguments.tables / side) for side in ('answers', 'requests')), sealed)
    sys.exit(HARDLY_JUDGED if broken is None else int(broken > 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    halves = parser.add_subparsers(required=True)
    half = halves.add_parser('record')
    half.set_defaults(run=record)
    half.add_argument('folder', type=Path)
    half.add_argument('server')
    half.add_argument('--user')
    half.add_argument('--kerberos', action='store_true')
    half.add_argument('--address')
    half.add_argument('--tcp', type=int)
    half.add_argument('--forbidden', action='store_true')
    half.add_argument('--interval', type=float, default=1)
    half = halves.add_parser('verdict')
    half.set_defaults(run=tell)
    half.add_argument('folder', type=Path)
    half.add_argument('tables', type=Path)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == '__main__':
    main()
