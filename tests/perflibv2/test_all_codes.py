# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of [MS-PCQ], row by row: return values of each method, the Status of an identifier, request codes, faults that refuse."""

import pytest

from lib import perflibv2 as p
from lib.some import some
from lib.wire import REQUEST, RESPONSE, Capture

NAMES = {
    0: "ERROR_SUCCESS", 3: "ERROR_PATH_NOT_FOUND", 5: "ERROR_ACCESS_DENIED", 8: "ERROR_NOT_ENOUGH_MEMORY", 0xE: "ERROR_OUTOFMEMORY",
    0x57: "ERROR_INVALID_PARAMETER", 0xB7: "ERROR_ALREADY_EXISTS", 0x5AA: "ERROR_NO_SYSTEM_RESOURCES", 0x1068: "ERROR_WMI_GUID_NOT_FOUND",
    0x1069: "ERROR_WMI_INSTANCE_NOT_FOUND", 0x106A: "ERROR_WMI_ITEMID_NOT_FOUND", 0x1073: "ERROR_WMI_INVALID_REGINFO",
    # Of no method:
    2: "ERROR_FILE_NOT_FOUND", 0x32: "ERROR_NOT_SUPPORTED", 0xEA: "ERROR_MORE_DATA", 0x490: "ERROR_NOT_FOUND",
}
# 3.1.4.1.1 to 3.1.4.1.8, by opnum.
LISTED = {
    0: {0, 5, 8, 0xE},
    1: {0, 5, 8, 0x57, 0x1068, 0x106A},
    2: {0, 5, 8, 0xE, 0x1068, 0x1069, 0x1073},
    3: {0, 5, 0xE, 0x5AA},
    4: {0, 5},
    5: {0, 5, 8},
    6: {0, 5, 8},
    7: {0, 5, 0xE, 0x57},
}
# 3.1.4.1.7: what a server says of one identifier.
STATUS_LISTED = {0, 3, 0xE, 0x57, 0xB7, 0x1068, 0x106A}
H = p.query_handle(1)


def answered(peer, opnum, code):
    """A call of each method that is answered by this code; the answer's frame."""
    return (
        lambda: peer.enumerate((), in_size=0, status=code),
        lambda: peer.registration(1, b"" if code else p.counterset(p.COUNTERS), status=code),
        lambda: peer.instances(*([] if code else [p.instance()]), status=code),
        lambda: peer.open(p.NULL_HANDLE if code else H, status=code),
        lambda: peer.close(H, status=code),
        lambda: peer.info(H, status=code),
        lambda: peer.poll(H, b"" if code else p.data(), status=code),
        lambda: peer.validate(H, p.identifier(1), status=code),
    )[opnum]()[1]


def test_every_return_value_has_its_name(tshark, tmp_path):
    capture, made = Capture(), {}
    for number, (opnum, code) in enumerate((opnum, code) for opnum in LISTED for code in NAMES):
        peer = p.Peer(capture, server=f"10.0.{number // 250}.{number % 250 + 1}")
        if opnum > 3:
            peer.open(H)
        made[answered(peer, opnum, code)] = (opnum, code)
    rows = tshark.fields(capture.write(tmp_path / "codes.pcap"), "frame.number", "perflibv2.opnum", "perflibv2.return_code",
                         "perflibv2.rule.return_code_listed", "_ws.col.Info", display_filter="dcerpc.pkt_type == 2")
    found = {int(row[0][0]): row for row in rows}
    for frame, (opnum, code) in some(made.items(), len(LISTED) * len(NAMES)):
        _, (shown,), (value,), unlisted, (info,) = found[frame]
        assert (int(shown), int(value, 0)) == (opnum, code)
        assert bool(unlisted) == (code not in LISTED[opnum]), f"{NAMES[code]} of opnum {opnum}"
        assert code == 0 or NAMES[code] in info, info


def test_every_status_of_an_identifier_has_its_name(tshark, tmp_path):
    capture, made = Capture(), {}
    for number, code in enumerate(NAMES):
        peer = p.Peer(capture, server=f"10.0.0.{number + 1}")
        peer.open(H)
        made[peer.validate(H, p.identifier(1), returned=p.identifier(1, status=code))[1]] = code
    packets = tshark.packets(capture.write(tmp_path / "status.pcap"), display_filter="perflibv2.identifier.status")
    shown = {}
    for packet in packets:
        for protocol in packet:
            for item in protocol.find("perflibv2.identifier.status"):
                shown[int(item.show, 0)] = (item.showname, bool(protocol.find("perflibv2.rule.validate_status")))
    assert shown.keys() == set(NAMES) == set(made.values())
    for code, (label, unlisted) in shown.items():
        assert NAMES[code] in label, label
        assert unlisted == (code not in STATUS_LISTED), label


# 3.1.4.1.2: what lpData holds by RequestCode; whether RequestLCID counts, or is a counter's id.
CODES = {
    1: (lambda: p.counterset(p.COUNTERS), "perflibv2.counterset.num_counters"),
    2: (lambda: p.counter(1), "perflibv2.counter.type"),
    3: (lambda: p.text("words"), "perflibv2.counterset.name"),
    4: (lambda: p.text("words"), "perflibv2.counterset.description"),
    5: (lambda: p.strings([(1, "words")]), "perflibv2.counter.name"),
    6: (lambda: p.strings([(1, "words")]), "perflibv2.counter.description"),
    7: (lambda: p.text("words"), "perflibv2.provider.name"),
    8: (lambda: p.SET.bytes_le, "perflibv2.provider.guid"),
    9: (lambda: p.text("words"), "perflibv2.counterset.name"),
    10: (lambda: p.strings([(1, "words")]), "perflibv2.counter.name"),
}


@pytest.mark.parametrize("code", range(12))
def test_every_request_code_reads_its_own_structure(tshark, tmp_path, code):
    capture = Capture()
    content = CODES[code][0]() if code in CODES else bytes(8)
    p.Peer(capture).registration(code, content, lcid=1)
    path = capture.write(tmp_path / "code.pcap")
    ((sent, lcid, counter, refused), (*_, )) = tshark.fields(
        path, "perflibv2.request_code", "perflibv2.request_lcid", "perflibv2.counter.id", "perflibv2.rule.request_code", display_filter="perflibv2")
    assert sent == [str(code)] and bool(refused) == (code not in CODES)
    assert (lcid == [], counter == ["1"]) == ((True, True) if code == 2 else (False, False))
    (broken,) = tshark.fields(path, "perflibv2.rule.request_lcid", display_filter="perflibv2 && dcerpc.pkt_type == 0")
    # Where it is no language and no counter it must be 0.
    assert bool(broken[0]) == (code in (1, 7, 8, 9, 10))
    names = sorted({name for _, name in CODES.values()})
    (row,) = tshark.fields(path, *names, "perflibv2.unknown", display_filter="perflibv2 && dcerpc.pkt_type == 2")
    of_code = CODES[code][1] if code in CODES else "perflibv2.unknown"
    assert row[[*names, "perflibv2.unknown"].index(of_code)], of_code


# [MS-RPCE] 2.2.1.1.8 and 2.2.1.1.7, by number; 2.1 of [MS-PCQ] wants the last level, and one of two services.
LEVELS = {0: "unknown", 1: "none", 2: "connect", 3: "call", 4: "packet", 5: "packet integrity"}
SERVICES = {9: "SPNEGO", 10: "NTLM", 14: "Schannel (TLS)", 16: "Kerberos", 68: "Netlogon", 99: "another"}


def test_every_level_and_service_of_authentication_is_named(tshark, tmp_path):
    capture, made = Capture(), {}
    for number, (level, service) in enumerate((level, service) for level in LEVELS for service in SERVICES):
        connection = p.Peer(capture, server=f"10.0.0.{number + 1}").connection
        connection.call_id += 1
        connection.protected(REQUEST, p.string("\\\\HOST"), level, service, opnum=3)
        made[len(capture.frames)] = (level, service, False)
        connection.protected(RESPONSE, H + bytes(4), level, service)
        made[len(capture.frames)] = (level, service, True)
    rows = tshark.fields(capture.write(tmp_path / "levels.pcap"), "frame.number", "_ws.expert.message", display_filter="perflibv2.opnum == 3")
    found = {int(number): [text for text in messages if "uthentication" in text or "authentication level" in text] for (number,), messages in rows}
    for frame, (level, service, answered) in some(made.items(), 2 * len(LEVELS) * len(SERVICES)):
        name = f"authentication level is {LEVELS[level]} ({level})"
        assert sum(name in text for text in found[frame]) == 1, (level, service, found[frame])
        named = [text for text in found[frame] if f"service is {SERVICES[service]} ({service}), expected SPNEGO (9) or NTLM (10)" in text]
        assert len(named) == (service not in (9, 10) and not answered), (level, service, found[frame])
        assert len(found[frame]) == 1 + len(named)
