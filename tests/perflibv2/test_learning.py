# SPDX-License-Identifier: GPL-2.0-or-later
"""What single answers of PerflibV2 teach and what they don't: names of several languages, answers that are cut, types without a name."""

import csv

import pytest

from lib import perflibv2 as p
from lib.some import some
from lib.wire import Capture

HANDLE = p.query_handle(1)
BRACED = f"{{{p.SET}}}"
PROCESSOR_INFORMATION = p.uuid.UUID("b4fc721a-0378-476f-89ba-a5a79f810b36")

SET_STRUCT, COUNTER_STRUCT, SET_NAME, SET_HELP, COUNTER_NAMES, COUNTER_HELP, PROVIDER_NAME, PROVIDER_GUID, SET_ENGLISH, COUNTER_ENGLISH = range(1, 11)


def polled(tshark, path, *answers, counter=1, guid=p.SET, machine="\\\\HOST", polls=((p.value(), p.TIME),)):
    """Each path item of polls of one counter, after answers of QueryCounterSetRegistrationInfo: (code, content) or (code, content, lcid)."""
    capture = Capture()
    peer = p.Peer(capture, machine)
    for code, content, *lcid in answers:
        peer.registration(code, content, *lcid, guid=guid)
    peer.mapped(HANDLE, p.identifier(counter, "one", guid=guid))
    for value, time in polls:
        peer.poll(HANDLE, p.data(p.block(1, value), time=time))
    packets = tshark.packets(capture.write(path / "taught.pcap"), display_filter="perflibv2.opnum == 6 && dcerpc.pkt_type == 2")
    return [item for protocols in packets for protocol in protocols for item in protocol.find("perflibv2.path")]


@pytest.mark.parametrize("names, shown", [
    ([(SET_NAME, "Old"), (SET_NAME, "New")], "New"),
    ([(SET_NAME, "Same"), (SET_NAME, "Same")], "Same"),
    ([(SET_ENGLISH, "English")], "English"),
    ([(SET_ENGLISH, "English"), (SET_NAME, "Deutsch", 7)], "Deutsch"),
    ([(SET_NAME, "Deutsch", 7), (SET_ENGLISH, "English")], "Deutsch"),
    ([(SET_NAME, "Deutsch", 7), (SET_NAME, "Français", 12)], "Deutsch"),
    ([(SET_NAME, "Deutsch", 7), (SET_NAME, "The server's")], "The server's"),
    ([(SET_NAME, "Deutsch", 7), (SET_NAME, "Französisch", 12), (SET_NAME, "Neu", 7)], "Neu"),
    ([(SET_NAME, ""), (SET_ENGLISH, "English")], "English"),
    ([(SET_NAME, "")], BRACED),
    ([(SET_HELP, "What it is")], BRACED),
])
def test_name_of_a_counterset(tshark, tmp_path, names, shown):
    """In the server's default language, else in the first asked for, else in English; the latest of a language."""
    (item,) = polled(tshark, tmp_path, *((code, p.text(text), *lcid) for code, text, *lcid in names))
    assert item.show == f"\\\\HOST\\{shown}(one)\\counter 1"


@pytest.mark.parametrize("content, named", [
    (p.strings([(1, "First"), (2, "Second")], pad=False), {1: "First", 2: "Second"}),
    (p.strings([(1, "First"), (2, "Second")], pad=False)[:-2], {1: "First", 2: "counter 2"}),
    (p.strings([(1, "First"), (2, "Second")], offsets=[p.NONE, 0], pad=False), {1: "counter 1", 2: "First"}),
    (p.strings([(1, "First"), (2, "Second")], offsets=[0, 4096], pad=False), {1: "First", 2: "counter 2"}),
    (p.strings([(1, "First")])[:7], {1: "counter 1"}),
    (b"", {1: "counter 1"}),
])
def test_names_come_from_whole_strings_alone(tshark, tmp_path, content, named):
    """A string that is not there as a whole names nothing."""
    for counter, name in some(named.items()):
        (item,) = polled(tshark, tmp_path, (COUNTER_NAMES, content), counter=counter)
        assert item.show == f"\\\\HOST\\{BRACED}(one)\\{name}"


@pytest.mark.parametrize("answers, shown", [
    ([(COUNTER_ENGLISH, "English")], "English"),
    ([(COUNTER_ENGLISH, "English"), (COUNTER_NAMES, "Deutsch", 7)], "Deutsch"),
    ([(COUNTER_HELP, "What it is")], "counter 1"),
])
def test_name_of_a_counter(tshark, tmp_path, answers, shown):
    """As that of a counterset."""
    (item,) = polled(tshark, tmp_path, *((code, p.strings([(1, text)]), *lcid) for code, text, *lcid in answers))
    assert item.show == f"\\\\HOST\\{BRACED}(one)\\{shown}"


@pytest.mark.parametrize("code, content, reason", [
    (SET_STRUCT, p.counterset([p.counter(1)]), None),
    (SET_STRUCT, p.counterset([p.counter(1)], num=3), None),
    (SET_STRUCT, p.counterset([p.counter(1)])[:31], "type unknown"),
    (SET_STRUCT, p.counterset([p.counter(1)])[:32 + 47], "type unknown"),
    (SET_STRUCT, b"", "type unknown"),
    (COUNTER_STRUCT, p.counter(1), None),
    (COUNTER_STRUCT, p.counter(1)[:47], "type unknown"),
    (COUNTER_STRUCT, p.counter(2), "type unknown"),
    (0, p.counterset([p.counter(1)]), "type unknown"),
    (11, p.counterset([p.counter(1)]), "type unknown"),
])
def test_types_come_from_whole_structures_alone(tshark, tmp_path, code, content, reason):
    """A structure that is not whole, or of a request code that does not exist, says nothing of a type."""
    (item,) = polled(tshark, tmp_path, (code, content))
    if reason is None:
        assert item.first("perflibv2.cooked").show == "5"
    else:
        assert item.first("perflibv2.cooked") is None and item.first("perflibv2.cooked.reason").show == reason


def test_unknown_request_code_is_answered_with_bytes(tshark, tmp_path):
    """What it answers is shown as bytes, the return code stands."""
    capture = Capture()
    p.Peer(capture).registration(11, b"\1\2\3\4\5\6\7\x08")
    (protocols,) = tshark.packets(capture.write(tmp_path / "code.pcap"), display_filter="perflibv2.opnum == 1 && dcerpc.pkt_type == 2")
    (protocol,) = [protocol for protocol in protocols if protocol.name == "perflibv2"]
    assert protocol.first("perflibv2.unknown").value == "0102030405060708"
    assert protocol.first("perflibv2.return_code").show in ("0", "0x00000000")


def test_type_of_the_tables(tshark, tmp_path):
    """A name was taught, the type was not: Processor Information's counter 0 is a PERF_100NSEC_TIMER_INV, 100 * (1 - 0.25 s / 1 s)."""
    polls = [(p.value(1000, 8), p.TIME), (p.value(2_501_000, 8), p.TIME + 10_000_000)]
    before, after = polled(tshark, tmp_path, (COUNTER_NAMES, p.strings([(0, "% Prozessorzeit")])), counter=0, guid=PROCESSOR_INFORMATION, polls=polls)
    assert before.first("perflibv2.cooked.reason").show == "first sample"
    assert after.show == "\\\\HOST\\Processor Information(one)\\% Prozessorzeit"
    assert after.first("perflibv2.cooked").show == "75"


@pytest.mark.parametrize("machine, host", [("\\\\HOST", "HOST"), ("HOST", "HOST"), ("\\\\", "192.0.2.1"), ("", "192.0.2.1")])
def test_name_of_the_server(tshark, tmp_path, machine, host):
    """szMachine without backslashes; where nothing is left, the address."""
    (item,) = polled(tshark, tmp_path, machine=machine)
    assert item.show == f"\\\\{host}\\{BRACED}(one)\\counter 1"


def test_providers_have_the_name_taught_for_their_guid(tshark, tmp_path):
    """The GUID of a provider is shown with the name that was taught for it, whichever countersets brought the two."""
    capture = Capture()
    peer = p.Peer(capture)
    provider = p.OTHER_SET.bytes_le
    peer.registration(PROVIDER_GUID, provider)
    peer.registration(PROVIDER_GUID, provider[:15])
    peer.registration(PROVIDER_NAME, p.text(""))
    frame = peer.registration(PROVIDER_NAME, p.text("Provider"))[1]
    shown = peer.registration(PROVIDER_GUID, provider)[1]
    peer.registration(PROVIDER_GUID, provider, guid=p.OTHER_SET)
    rows = tshark.fields(capture.write(tmp_path / "provider.pcap"), "perflibv2.provider.guid", "perflibv2.provider.name", "perflibv2.learned_in",
                         display_filter="perflibv2.request_code == 8 && dcerpc.pkt_type == 2 || perflibv2.provider.guid")
    named = [row for row in rows if row[0] and row[1]]
    assert named == [[[str(p.OTHER_SET)], ["Provider"], [str(frame)]]] * len(named) and named
    (row,) = tshark.fields(tmp_path / "provider.pcap", "perflibv2.provider.name", display_filter=f"frame.number == {shown}")
    assert row == [["Provider"]]


def test_catalog_of_a_type_without_a_name(tshark, tmp_path):
    """It is written as a number, and read back as one."""
    tmp_path.chmod(0o777)
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(SET_STRUCT, p.counterset([p.counter(1, 0x00ABCDEF), p.counter(2, p.RAWCOUNT, base=1)]))
    tshark.run(capture.write(tmp_path / "taught.pcap"), "-q", "-z", f"perflibv2,catalog,{tmp_path}/known")
    text = (tmp_path / "known").read_text(encoding="ascii")
    assert list(csv.reader(text.splitlines())) == [
        [str(p.SET), "", "1", "", "0x00abcdef", "", "", "", ""],
        [str(p.SET), "", "2", "", "PERF_COUNTER_RAWCOUNT", "1", "", "", ""],
    ]
    for line in text.splitlines():
        assert "0x" not in tshark.complaint(tmp_path / "taught.pcap", "-o", f"uat:perflibv2_counters:{line}")
