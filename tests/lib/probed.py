# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command beside a server that captures/probe may ask: `probed.py good|guilty|ndr64|cut [pipe | kerberos] -- COMMAND...`.

PORT in the command stands for the server's port. The guilty server breaks five rules of [MS-PCQ], and no other; the one called
ndr64 takes no NDR, cut sends half of each answer. kerberos: a KDC runs, too, and the server takes tickets.
"""

import contextlib
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "captures" / "make"))

from impacket.ntlm import compute_lmhash, compute_nthash  # noqa: E402

from perfcap import content, stubs, winreg  # noqa: E402
from perfcap.server import RpcServer, Settings  # noqa: E402
from perfcap.service import ERROR_NOT_ENOUGH_MEMORY, ERROR_SUCCESS, Service  # noqa: E402
from perfcap.smb import SmbServer  # noqa: E402

USER, PASSWORD = "CONTOSO\\perfuser", "Perf-Lib2"
ERROR_MORE_DATA = 234
GUILTY_OF = {"counter_reserved", "block_reserved", "handle_closed", "removed_unknown", "too_small"}


def with_number(answer, offset, number):
    """The answer with another number in its buffer, if that is long enough."""
    room, data = answer["lpData"]
    if len(data) >= offset + 4:
        answer["lpData"] = room, data[:offset] + struct.pack("<I", number) + data[offset + 4:]
    return answer


class Guilty(Service):
    def registration_info(self, arguments):
        """The first counter's Reserved, 44 bytes into _PERF_COUNTER_REG_INFO (2.2.4.2), behind the 32 of the counterset."""
        answer = super().registration_info(arguments)
        return with_number(answer, 32 + 44, 7) if arguments["RequestCode"] == 1 else answer

    def counter_data(self, arguments):
        """The first block's Reserved, 12 bytes into _PERF_COUNTER_HEADER (2.2.4.8), behind the 48 of _PERF_DATA_HEADER."""
        return with_number(super().counter_data(arguments), 48 + 12, 7)

    def close_query(self, arguments):
        return {**super().close_query(arguments), "phQuery": arguments["phQuery"]}

    def _remove(self, query, item):
        super()._remove(query, item)
        return ERROR_SUCCESS

    def _refuse(self, arguments, error, needed=0):
        return super()._refuse(arguments, ERROR_MORE_DATA if error == ERROR_NOT_ENOUGH_MEMORY else error, needed)


def half(marshal):
    """Stubs of answers lose their second half."""
    def cut(opnum, response, values, syntax):
        stub = marshal(opnum, response, values, syntax)
        return stub[:len(stub) // 2] if response else stub
    return cut


def main():
    split = sys.argv.index("--")
    words, command = sys.argv[1:split], sys.argv[split + 1:]
    machine = content.windows_machine(other=False)
    users = {USER.rpartition("\\")[2]: PASSWORD}
    with contextlib.ExitStack() as ends:
        keytab = None
        if "kerberos" in words:
            from perfcap import kerberos
            folder = ends.enter_context(tempfile.TemporaryDirectory())
            keytab = ends.enter_context(kerberos.Realm(*users.popitem(), folder)).keytab
        sys.exit(serve(words, machine, users, keytab, command))


def serve(words, machine, users, keytab, command):
    """The command's status."""
    if "cut" in words:
        stubs.marshal = half(stubs.marshal)
    pipe = "winreg" if "pipe" in words else None
    settings = Settings(keytab=keytab, users=users, require_privacy=True, pipe=pipe, max_fragment=4280 if pipe else 5840,
                        transfer=stubs.NDR64 if "ndr64" in words else stubs.NDR)
    server = RpcServer((Guilty if "guilty" in words else Service)(machine), settings,
                       interfaces={winreg.INTERFACE: winreg.Winreg(machine)})
    if pipe:
        hashes = {user: (compute_lmhash(word), compute_nthash(word)) for user, word in users.items()}
        SmbServer(machine.host, hashes, pipe, server.port)
    return subprocess.run([word.replace("PORT", str(server.port)) for word in command], check=False).returncode


if __name__ == "__main__":
    main()
