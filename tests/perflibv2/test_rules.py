# SPDX-License-Identifier: GPL-2.0-or-later
"""Every rule of [MS-PCQ], broken; the table of verdicts; plugin/RULES.md."""

import re

import pytest

from lib import perflibv2 as p
from lib.broken_rules import CASES, H, all_broken
from lib.captures import CAPTURES, REPOSITORY, record_of
from lib.fields import glossary
from lib.rules import RULES, SESSION, findings, rules_of_the_code, sentences
from lib.some import some
from lib.tables import named_rows, table_sentences, verdicts
from lib.wire import Capture


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    return all_broken(tmp_path_factory.mktemp("rules") / "broken.pcap")


def test_bundled_capture_breaks_every_rule(tshark):
    """captures/rules.pcapng, which captures/make/rules.py writes of these cases."""
    found = {rule for rules in findings(tshark, CAPTURES / "rules.pcapng").values() for rule in rules}
    assert found == set(RULES), "run captures/make/rules.py"


@pytest.fixture(scope="module")
def broken_findings(tshark, broken):
    return findings(tshark, broken[0])


@pytest.fixture(scope="module")
def broken_sentences(tshark, broken):
    return sentences(tshark, broken[0])


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{case.rule}-{i}" for i, case in enumerate(CASES)])
def test_broken_rule_and_only_it(broken, broken_findings, broken_sentences, number):
    made = broken[1][number]
    found = {}
    for frame in made.frames:
        for rule in broken_findings.get(frame, ()):
            found.setdefault(rule, set()).add(frame)
    for rule in SESSION - made.expected.keys():
        found.pop(rule, None)
    assert found == made.expected
    said = p.plain_host("\n".join(broken_sentences[frame] for frame in made.expected[made.case.rule]))
    for words in made.case.says:
        assert words in said


def places_of(item, case, outer=None):
    """(position, size) of the items that an expert item of a case stands below."""
    if item.name == f"perflibv2.rule.{case.rule}" and case.says[0] in p.plain_host(item.showname):
        yield outer
    for child in item.children:
        yield from places_of(child, case, outer if item.name == "_ws.expert" else (item.position, item.size))


def test_findings_stand_at_their_bytes(tshark, broken):
    path, made = broken
    packets = dict(enumerate(tshark.packets(path, display_filter="frame"), 1))
    for case, frame in some(((one.case, frame) for one in made for frame in one.expected[one.case.rule]), len(CASES)):
        (protocol,) = (protocol for protocol in packets[frame] if protocol.name == "perflibv2")
        begin = protocol.first("perflibv2.lpdata").position if case.at else protocol.position
        offset, size = case.at or case.stub
        places = {(position - begin, size) for position, size in places_of(protocol, case)}
        assert places == {(offset if offset >= 0 else protocol.size + offset, size)}, f"{case.rule} in frame {frame}"


def test_every_rule_is_broken_somewhere():
    assert {case.rule for case in CASES} == set(RULES)


def test_only_ten_findings_of_a_rule_are_shown(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.registration(1, p.counterset([p.counter(number, reserved=number) for number in range(1, 26)]))
    path = capture.write(tmp_path / "many.pcap")
    messages = tshark.fields(path, "_ws.expert.message", display_filter="perflibv2.rule.counter_reserved")[0][0]
    assert [message for message in messages if "Reserved" in message] == [
        f"Reserved of counter {number} is 0x{number:x}, expected 0" for number in range(1, 11)
    ]
    rows, (*_, last) = verdicts(tshark.run(path, "-q", "-z", "perflibv2,rules"))
    assert rows["counter_reserved"][:2] == (25, 25)
    assert last == "1 rule broken"


def who_of(tshark, path, rule):
    return {row["Rule"]: row["Who"] for row in named_rows(tshark.run(path, "-q", "-z", "perflibv2,rules"))}[rule]


def test_who_broke_what_binds_both(tshark, tmp_path):
    bad = p.identifier(1, size=4096)

    def client(peer):
        peer.validate(H, bad, returned=p.identifier(1), status=p.INVALID_PARAMETER)

    def server(peer):
        peer.instances(p.instance(size=4096, raw=p.text("one")))

    for who, sessions in (("client", [client]), ("server", [server]), ("both", [client, server])):
        capture = Capture()
        peer = p.Peer(capture)
        peer.open(H)
        peer.validate(H, p.identifier(1))
        for session in sessions:
            session(peer)
        assert who_of(tshark, capture.write(tmp_path / "who.pcap"), "structure_fits") == who


def test_every_connection_is_judged_once(tshark, tmp_path):
    capture = Capture()
    for number in range(3):
        peer = p.Peer(capture, server="10.1.1.1")
        for _ in range(4):
            peer.enumerate()
    rows, _ = verdicts(tshark.run(capture.write(tmp_path / "connections.pcap"), "-q", "-z", "perflibv2,rules"))
    assert [rows[rule][:2] for rule in sorted(SESSION)] == [(3, 3)] * 3


def test_table_counts_and_filters(tshark, broken, broken_findings):
    path, made = broken
    output = tshark.run(path, "-q", "-z", "perflibv2,rules")
    rows, (*_, last) = verdicts(output)
    assert rows.keys() == set(RULES)
    for rule in RULES:
        frames = [frame for frame, found in broken_findings.items() if rule in found]
        assert rows[rule][2] == min(frames), rule
        assert rows[rule][0] >= rows[rule][1] >= len(frames), rule
    severities = {row[0]: row[3] for row in rules_of_the_code()}
    assert last == f"{sum(severity != 'NOTE' for severity in severities.values())} rules broken"
    assert {rule for rule, row in rows.items() if row[3] == "departs"} == {
        rule for rule, severity in severities.items() if severity == "NOTE"
    }
    one = next(case for case in made if case.case.rule == "default_scale")
    output = tshark.run(path, "-q", "-z", f"perflibv2,rules,frame.number=={one.frames[-1]}")
    rows, (*_, last) = verdicts(output)
    assert last == "1 rule broken"
    assert rows["default_scale"][1:] == (1, one.frames[-1], "broken")


def test_table_says_what_holds(tshark, broken):
    rows = named_rows(tshark.run(broken[0], "-q", "-z", "perflibv2,rules"))
    assert {row["Rule"]: row["Rule:"] for row in rows} == {rule[0]: rule[4] for rule in rules_of_the_code()}


def test_rules_come_in_order(tshark):
    """Broken ones, then departures, each by section; then how many held, and how many were not checked, and which."""
    output = tshark.run(CAPTURES / "tcp-session.pcapng", "-q", "-z", "perflibv2,rules")
    rows = named_rows(output)
    keys = [(["broken", "departs"].index(row["Verdict"]), [int(number) for number in row["Section"].split(".")]) for row in rows]
    assert keys == sorted(keys) and {key[0] for key in keys} == {0, 1}
    told = [re.fullmatch("([0-9]+) rules (held|not checked): (.*)", sentence) for sentence in table_sentences(output)[:2]]
    assert table_sentences(output)[2:] == ["112 of 115 rules could be checked", "2 rules broken"]
    assert [sentence[2] for sentence in told] == ["held", "not checked"]
    names = [name.split()[0] for sentence in told for name in sentence[3].split(", ")] + [row["Rule"] for row in rows]
    assert sorted(names) == sorted(rule[0] for rule in rules_of_the_code())
    sections = {rule[0]: position for position, rule in enumerate(sorted(rules_of_the_code(), key=lambda rule: [int(n) for n in rule[1].split(".")]))}
    for sentence in told:
        places = [sections[name.split()[0]] for name in sentence[3].split(", ")]
        assert len(places) == int(sentence[1]) > 1


def test_second_pass_finds_the_same(tshark, broken, broken_findings):
    assert findings(tshark, broken[0], "-2") == broken_findings


def test_sealed_without_key_is_no_verdict(tshark):
    output = tshark.run(CAPTURES / "sealed-smb2.pcapng", "-q", "-z", "perflibv2,rules")
    requests_and_answers = sum(call["request_fragments"] + call["response_fragments"] for call in
                               record_of(CAPTURES / "sealed-smb2.pcapng")["calls"])
    assert verdicts(output)[1] == [
        f"0 of {len(RULES)} rules could be checked", "no rule could be checked: no PerflibV2 call was decoded",
        f"{requests_and_answers} sealed PDUs left out: there is no key ({requests_and_answers})",
        "Encrypted (NTLM). Set ntlmssp.nt_password to the password of perfuser, or kerberos.file to a keytab with the user's arcfour-hmac key",
    ]


def test_bad_filter_is_an_error(tshark, broken):
    arguments = (broken[0], "-q", "-z", "perflibv2,rules,no such filter(")
    assert 'Filter "no such filter(" is invalid' in tshark.complaint(*arguments)
    assert tshark.run(*arguments, check=False) == ""


def rules_of_the_page():
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| (\w+) \| (\w+) \| (.*) \|$",
                      (REPOSITORY / "plugin" / "RULES.md").read_text(), re.MULTILINE)
    return [(id, section, who.upper(), severity.upper(), holds) for id, section, who, severity, holds in rows]


def test_page_and_code_agree():
    words = {"WARNING": "WARN"}
    page = [(id, section, who, words.get(severity, severity), holds) for id, section, who, severity, holds in rules_of_the_page()]
    assert page == [row[:5] for row in rules_of_the_code()]


def test_findings_are_titled_with_the_fault(tshark):
    """Wireshark groups findings by their titles, which say what is wrong and not what the rule is."""
    titles = {line[2]: line[1] for line in glossary(tshark, "fields") if line[0] == "F"}
    for rule, section, _, _, sentence, fault in some(rules_of_the_code()):
        assert titles[f"perflibv2.rule.{rule}"] == f"{fault} ([MS-PCQ] {section})"
        assert fault != sentence
    assert titles["perflibv2.rule.request_code"] == "RequestCode is not a listed value ([MS-PCQ] 3.1.4.1.2)"


def test_status_of_a_request_is_none(tshark, tmp_path):
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    sent, answered = peer.validate(H, p.identifier(status=0xB7), returned=p.identifier(status=0xB7))
    path = capture.write(tmp_path / "status.pcap")

    def frames(display_filter):
        return [int(row[0][0]) for row in tshark.fields(path, "frame.number", display_filter=display_filter)]

    assert frames("perflibv2.identifier.status == 0xb7") == [answered]
    assert frames("perflibv2.identifier_status") == [answered]
    assert frames("perflibv2.identifier.status_sent == 0xb7") == [sent]


def test_expert_information_without_a_tree(tshark, tmp_path):
    """-z expert asks for no tree; what is wrong with a poll is told all the same."""
    capture = Capture()
    peer = p.Peer(capture)
    peer.open(H)
    peer.poll(H, p.data(p.block(1, p.value(), reserved=1)))
    path = capture.write(tmp_path / "expert.pcap")
    assert "Reserved of block 0 is 0x1" in tshark.run(path, "-q", "-z", "expert")
