# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of every call of every recorded capture, and what the capture teaches: paths, cooked values, handles, links and names."""

import os
import re
from collections import defaultdict
from fractions import Fraction

import pytest

from lib.captures import CAPTURES, record_of, recorded_captures
from lib.named_query import unescaped
from lib.records import differences, expected_of
from lib.sessions import Expected, Session, instance_of, server_of, shown, unnumbered, value_items, values_of
from lib.some import some
from lib.values import shows, without_lone_surrogates

CLOSE = Fraction(1, 10**12)
UINT32_MAX = 0xFFFFFFFF

# What the plugin knows of Processor Information without a capture: its public names, also of two counters without one on the wire.
BUILT_IN = "b4fc721a-0378-476f-89ba-a5a79f810b36"
BUILT_IN_NAMES = {22: "Average Idle Time Base", 27: "% Utility Base"} | {
    int(number): counter["names"]["0"]
    for number, counter in record_of(CAPTURES / "tcp-session.pcapng")["catalog"]["WIN-PERF01"][BUILT_IN]["counters"].items()
    if "names" in counter
}

# A server nobody has named yet.
ADDRESS = "its address"

# Many values, or those of tcp-session in another wrapping: once is enough.
TWO_PASSES_ONLY = {"big-endian", "ndr64", "sealed-smb2", "sealed-tcp", "segments", "smb2-overflow", "smb2-session", "spec-layout"}
# 600,000 items. What its polls show is looked at in one test below. Where it stands is left to sealed-big-frames, with the same block of
# 200 instances, what it comes to to the tables (stats/test_statistics.py), unless all is asked for.
ALL_ONLY = {"big"}
# Sealed in other ways, or carried in others: once, too, unless all is asked for. That what was sealed is opened in one pass the tests of
# sessions see.
ONCE = ("sealed-", "faults-", "signed")
ALL = bool(os.environ.get("PERFLIB_ALL"))

# All is refused, or nobody polls.
WITHOUT_POLLS = {"faults-refused", "refused-in-clear", "sealed-spnego"}


def sessions():
    for capture in recorded_captures():
        if ALL:
            passes = (False, True)
        elif capture.stem in TWO_PASSES_ONLY or capture.stem.startswith(ONCE):
            passes = (True,)
        else:
            passes = () if capture.stem in ALL_ONLY else (False, True)
        for two_pass in passes:
            yield pytest.param((capture, two_pass), id=f"{capture.stem}-{'two-pass' if two_pass else 'one-pass'}")


@pytest.fixture(scope="module", params=sessions())
def session(request, tshark):
    session = Session(tshark, *request.param)
    session.least = 0 if request.param[0].stem in WITHOUT_POLLS else 1
    return session


def test_every_field_is_as_recorded(session):
    wrong = []
    for pdu in some(session.pdus + session.faults):
        where = f"call {pdu.call['n']} ({pdu.call['method']} {'request' if pdu.is_request else 'response'})"
        wrong += [f"{where}: {line}" for line in differences(pdu.call, pdu.is_request, pdu.protocol)]
    assert not wrong, f"{len(wrong)} differences\n" + "\n".join(wrong[:40])


def test_nothing_is_left_as_stub_data(session):
    # A frame may hold fragments, whose data stays as it is, before the PDU that completes the call.
    assert [pdu.frame for pdu in some(session.pdus) if pdu.rpc.first("dcerpc.stub_data")] == []


def test_counter_types_are_named(session):
    """Every type that the record names is shown by that name."""
    names, shown = {}, set()
    for pdu in session.pdus:
        for counter in [*(pdu.lpdata.get("counters") or []), *([pdu.lpdata["counter"]] if "counter" in pdu.lpdata else [])]:
            if counter.get("type_name"):
                names[counter["Type"]] = counter["type_name"]
        shown |= {(int(item.show, 0), item.showname) for item in pdu.protocol.find("perflibv2.counter.type")}
    assert names.keys() <= {number for number, _ in shown}
    assert [(number, label) for number, label in shown if number in names and f" {names[number]} (" not in label] == []


def test_polls_of_many_values(tshark):
    """Every member of 80,000 values and their instances in the order of the polls, and the paths."""
    capture = CAPTURES / "big.pcapng"
    record = record_of(capture)
    polls = [call for call in record["calls"] if call["opnum"] == 6 and call["response"].get("lpData", {}).get("blocks")]
    ((guid, catalog),) = record["catalog"]["WIN-PERF01"].items()
    (name,) = {call["response"]["lpData"]["string"] for call in record["calls"]
               if call["opnum"] == 1 and call["request"]["RequestCode"] == 9 and call["return"]["value"] == 0}
    members = sorted({expected.name for expected in expected_of(polls[0], False) if expected.offset is not None})
    rows = tshark.fields(capture, "perflibv2.path", *members, display_filter="perflibv2.block.index", options=["-2"])
    for call, (paths, *cells) in zip(polls, rows, strict=True):
        said = defaultdict(list)
        for expected in expected_of(call, False):
            said[expected.name].append(expected.value)
        for member, texts in zip(members, cells):
            assert len(texts) == len(said[member])
            assert [(text, value) for text, value in zip(texts, said[member]) if not shows(text, member, value)] == [], member
        assert list(map(unescaped, paths)) == [
            rf"\\WIN-PERF01\{name}({instance['name']})\{catalog['counters'][str(value['counter_id'])]['english_name']}"
            for _, instance, value in values_of(call)]
        assert len(paths) == 40_000


def acceptable_paths(session, poll, block, instance, value, said):
    """The paths a value may have, by what has been taught when it is shown."""
    pdu, names = poll.pdu, session.names
    server, guid, counter = server_of(pdu.call), block["counterset_of_identifier"], value["counter_id"]
    name = instance_of(poll, block, instance)[1]
    taught = names.sets.get((server, guid)) and names.counters.get((server, guid, counter))
    if said and "path" in said and session.two_pass and taught and (guid, unnumbered(name)) not in session.ambiguous:
        return {without_lone_surrogates(said["path"])}
    host = names.machine(server, None if session.two_pass else pdu.frame)
    sets = session.names_known(session.names_of(names.sets, server, guid, now=pdu.frame), pdu.frame)
    counters = session.names_known(session.names_of(names.counters, server, guid, counter, now=pdu.frame), pdu.frame)
    sets = sets or {"Processor Information" if guid == BUILT_IN else f"{{{guid}}}"}
    counters = counters or {guid == BUILT_IN and BUILT_IN_NAMES.get(counter) or f"counter {counter}"}
    inside = f"({without_lone_surrogates(name)})" if name else ""
    return {f"\\\\{host or ADDRESS}\\{set_name}{inside}\\{counter_name}" for set_name in sets for counter_name in counters}


def is_one_of(path, acceptable, ambiguous):
    if path in acceptable:
        return True
    path = re.sub(r"^\\\\(\d+\.){3}\d+\\", lambda _: f"\\\\{ADDRESS}\\", path)
    return path in acceptable or (ambiguous and re.sub(r"#\d+\)\\", lambda _: ")\\", path) in acceptable)


def plain(reason):
    """A reason without what is said of it in parentheses."""
    return re.sub(r" \(.*\)$", "", reason.show)


def check_meaning(session, poll, value, said, item):
    """What is wrong with the cooked value or the reason below a path; nothing where the record says nothing."""
    pdu = poll.pdu
    key = (server_of(pdu.call), said["counterset"], said["counter_id"]) if said else None
    if not said:
        return None
    reason, cooked, formula = (item.first(f"perflibv2.{name}") for name in ("cooked.reason", "cooked", "cooked.formula"))
    types = session.names.types
    type_known = session.known([frame for of, frame in types.items() if of[1:] == key[1:]] if key else [], pdu.frame)
    if not type_known and reason and plain(reason) == "type unknown":
        return None
    if not type_known and said["counterset"] != BUILT_IN:
        return "has a value, though its type is not known"
    if "reason" in said:
        reasons = [said["reason"], *said.get("reason_also", [])]
        if cooked or not reason or plain(reason) not in reasons:
            return f"shown as {cooked.show if cooked else reason.show if reason else 'nothing'}: {reasons} expected"
        return None
    if not cooked and reason and (
        # What the plugin knows of the type it need not know of the base.
        (said["counterset"] == BUILT_IN and not type_known and reason.show == "base unknown")
        # The poll before is of before the query changed, and nothing tells what its blocks were.
        or (poll.previous and poll.previous.epoch is not poll.epoch and not poll.previous.epoch.map and reason.show == "first sample")
    ):
        return None
    if not cooked or reason:
        return f"has no value ({reason.show if reason else 'no reason'}), {said['value']} expected"
    exact = Fraction(said["exact"])
    if abs(Fraction(cooked.show) - exact) > abs(exact) * CLOSE:
        return f"is {cooked.show}, {said['value']} expected"
    if not formula or not formula.show.startswith(said["formula"]):
        return f"formula {formula.show if formula else 'missing'}, {said['formula']} expected"
    unit = said.get("unit_label")
    for label in (item.showname, cooked.showname):
        # 2.2.4.2, Attrib: Performance Monitor leaves such counters out.
        label = label.removesuffix(" (not for display)")
        if unit is not None and not label.endswith(f" {unit}" if unit else tuple("0123456789abcdef")):
            return f"label {label} without its unit {unit}"
    return None


def test_every_value_is_as_recorded(session):
    expected, wrong = Expected(session.record), []
    for poll in session.polls:
        pdu = poll.pdu
        items = value_items(pdu)
        values = list(values_of(pdu.call))
        assert [offset for offset, _ in items] == [value["offset"] for _, _, value in values], f"frame {pdu.frame}"
        for (block, instance, value), (_, item) in zip(values, items, strict=True):
            said = expected.take(poll, block, instance, value)
            where = f"frame {pdu.frame} block {block['index']} counter {value['counter_id']} {(instance or {}).get('name')}"
            if item.name != "perflibv2.path":
                if poll.epoch.map_frame and (session.two_pass or poll.had_map):
                    wrong.append(f"{where}: no path, though the block is mapped")
                continue
            acceptable = acceptable_paths(session, poll, block, instance, value, said)
            name = unnumbered(instance_of(poll, block, instance)[1])
            if not is_one_of(shown(item), acceptable, (block["counterset_of_identifier"], name) in session.ambiguous):
                wrong.append(f"{where}: {shown(item)}, not {acceptable}")
            trouble = check_meaning(session, poll, value, said, item)
            if trouble:
                wrong.append(f"{where}: {shown(item)} {trouble}")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong[:30])
    if session.two_pass and session.polls:
        left = [value for values in expected.values.values() for value in values]
        assert not left, f"{len(left)} values of the record not found, the first {left[0]}"


def gaps_of(protocol):
    """(offset, size) of the bytes of a stub that no item shows, whether or not a structure around them does."""
    begin, end = protocol.position, protocol.position + protocol.size
    at = begin
    for first, last in sorted({(item.position, item.position + item.size) for item in protocol.walk()
                               if item.size and item.name.startswith(("perflibv2.", "dcerpc.", "winreg.")) and item.name not in ("perflibv2.lpdata", "perflibv2.block")}):
        if first > at:
            yield at - begin, min(first, end) - at
        at = max(at, last)
    if at < end:
        yield at - begin, end - at


def test_items_cover_the_stub(session):
    """But for what aligns it: 7 bytes at most."""
    assert [(pdu.frame, gap) for pdu in some(session.pdus) for gap in gaps_of(pdu.protocol) if gap[1] > 7] == []


def test_no_two_values_of_a_poll_share_a_path(session):
    """But for a counter that two identifiers of the query ask for."""
    seen = {}
    values = ((poll.pdu.frame, sent, item) for poll in session.polls
              for sent, (_, item) in zip(values_of(poll.pdu.call), value_items(poll.pdu), strict=True))
    for frame, (block, instance, value), item in some(values, session.least):
        whose = instance or block.get("instance") or {}
        identity = (block["counterset_of_identifier"], value["counter_id"], whose.get("InstanceId"), whose.get("name"))
        if item.name == "perflibv2.path" and block["dwType"] in (4, 6):
            assert seen.setdefault((frame, shown(item)), identity) == identity, f"frame {frame}"


def test_previous_poll_and_interval(session):
    for poll in some(session.polls, session.least):
        frame, interval = (poll.pdu.protocol.first(f"perflibv2.poll.{name}") for name in ("previous_frame", "interval"))
        if poll.previous is None:
            assert frame is None and interval is None, f"frame {poll.pdu.frame}"
            continue
        assert int(frame.show) == poll.previous.pdu.frame
        passed = poll.pdu.lpdata["PerfTime100NSec"] - poll.previous.pdu.lpdata["PerfTime100NSec"]
        assert float(interval.show) == pytest.approx(passed / 10**7, abs=1e-9)


def blocks_of(pdu):
    """The items of a poll's blocks."""
    return [item for item in pdu.protocol.walk() if any(child.name == "perflibv2.block.index" for child in item.children)]


def child(item, name):
    return next((child for child in item.children if child.name == name), None)


def test_what_blocks_are_of(session):
    """By the index map where there is one; what is inferred is right; nothing is said of what can't be known."""
    assert any(poll.pdu.lpdata["blocks"] for poll in session.polls) == bool(session.least)
    for poll in session.polls:
        pdu = poll.pdu
        has_map = poll.epoch.map_frame is not None and (session.two_pass or poll.had_map)
        for sent, item in zip(pdu.lpdata["blocks"], blocks_of(pdu), strict=True):
            where = f"frame {pdu.frame} block {sent['index']}"
            link = child(item, "perflibv2.block.link")
            guid, counter = child(item, "perflibv2.counterset.guid"), child(item, "perflibv2.counter.id")
            mapped_in = link.first("perflibv2.block.mapped_in")
            if has_map:
                identifier = poll.epoch.map[sent["index"]]
                assert int(mapped_in.show) == poll.epoch.map_frame, where
                assert guid.show == identifier["CounterSetGuid"] == sent["counterset_of_identifier"], where
                assert counter is None or int(counter.show) == identifier["CounterId"], where
                assert sent["dwType"] not in (1, 4) or counter is not None, where
                continue
            assert mapped_in is None, where
            if link.show.startswith("unknown"):
                assert guid is None and counter is None, where
                assert "perflibv2.path" not in {below.name for below in item.walk()}, where
            else:
                assert link.show.startswith("inferred"), where
                assert guid.show == sent["counterset_of_identifier"], where
                assert counter is None or int(counter.show) == sent["identifier"]["CounterId"], where


def test_what_can_be_proved_without_an_index_map_is_said(tshark):
    """Of the queries of no-counter-info the third asks for one thing, so that its one block can't be of anything else."""
    session = Session(tshark, CAPTURES / "no-counter-info.pcapng", True)
    third = session.record["query_handles"][2]
    assert len(third["identifiers"]) == 1 and not third["index_maps"]
    links = [item.show for pdu in session.pdus if pdu.call["n"] in third["polls"] and not pdu.is_request
             for item in pdu.protocol.find("perflibv2.block.link")]
    assert len(links) == len(third["polls"]) and all(link.startswith("inferred") for link in links)


def handle_of(pdu):
    if pdu.call["opnum"] < 3 or (pdu.call["opnum"] > 4 and not pdu.is_request):
        return None
    handle = pdu.sent.get("hQuery") or pdu.sent.get("phQuery") or {}
    return None if not handle or set(handle["uuid"]) <= set("0-") else handle["uuid"]


def lives(record):
    """(handle, server) -> numbers of the calls that opened and closed it, and that used it afterwards."""
    if "query_handles" in record:
        return {(life["handle"], life["server"]): (life["opened_by"], life["closed_by"], life["used_after_close"]) for life in record["query_handles"]}
    opened = {call["response"]["phQuery"]["uuid"]: call["n"] for call in record["calls"] if call["opnum"] == 3 and call["return"]["value"] == 0}
    closed = {
        call["request"]["phQuery" if "phQuery" in call["request"] else "hQuery"]["uuid"]: call["n"]
        for call in record["calls"] if call["opnum"] == 4 and call["return"]["value"] == 0
    }
    return {(handle, None): (opened[handle], closed.get(handle), []) for handle in opened}


def test_handles_know_their_opening_and_closing(session):
    known = lives(session.record)
    done = set()
    for pdu in some(session.pdus):
        handle = handle_of(pdu)
        done.add((pdu.call["n"], pdu.is_request))
        if handle is None:
            continue
        opened_by, closed_by, used_after = known.get((handle, pdu.call.get("host"))) or known.get((handle, None), (None, None, []))
        where = f"frame {pdu.frame}, call {pdu.call['n']}"
        item = pdu.protocol.first("perflibv2.handle")
        assert item.show == handle, where
        opened_in, closed_in = (child(item, f"perflibv2.handle.{name}") for name in ("opened_in", "closed_in"))
        not_opened, not_closed = (item.find(f"perflibv2.handle.{name}") for name in ("not_opened", "not_closed"))
        if opened_by is None:
            assert opened_in is None and not_opened, where
        else:
            assert int(opened_in.show) == session.frames[opened_by, False] and not not_opened, where
        if closed_by is None or not (session.two_pass or (closed_by, False) in done):
            assert closed_in is None, where
        elif session.two_pass or pdu.call["n"] != closed_by:
            assert int(closed_in.show) == session.frames[closed_by, True], where
        opens = pdu.call["opnum"] == 3
        assert bool(not_closed) == (opens and closed_by is None and session.two_pass), where
        after_close = pdu.protocol.find("perflibv2.rule.handle_after_close")
        assert bool(after_close) == (pdu.is_request and closed_by is not None and pdu.call["n"] in used_after), where


def learned(item):
    """(name, frame that taught it or None) of an item with a learned name."""
    frame = item.first("perflibv2.learned_in")
    return shown(item), int(frame.show) if frame else None


def check_name(session, pdu, item, names, key, built_in, where):
    """item: the learned name shown, or None; names: of this kind, in session.names; key: whose it is."""
    taught = session.names_of(names, *key, now=pdu.frame - 1)
    known = session.names_known(names.get(key, {}), pdu.frame - 1)
    if item is None:
        assert not known, f"{where}: no name, though {known} was taught"
        return
    name, frame = learned(item)
    if frame is None:
        assert name == built_in and not known, where
    else:
        assert frame in taught.get(name, []), f"{where}: {name} from frame {frame}, taught: {taught}"
        assert session.two_pass or frame <= pdu.frame, where


def next_generated(siblings, index, name):
    follower = siblings[index + 1] if index + 1 < len(siblings) else None
    return follower if follower and follower.name == name and follower.generated else None


def test_names_stand_wherever_guids_and_ids_stand(session):
    checked = 0
    for pdu in session.pdus:
        server = server_of(pdu.call)
        asked = (pdu.call.get("request") or {}).get("CounterSetGuid")

        def look(item, guid, pdu=pdu, server=server, asked=asked):
            nonlocal checked
            for index, below in enumerate(item.children):
                where = f"frame {pdu.frame} {below.name} {below.show}"
                if below.name == "perflibv2.counterset.guid":
                    guid = below.show
                    name = child(below, "perflibv2.counterset.name") or next_generated(item.children, index, "perflibv2.counterset.name")
                    built_in = "Processor Information" if guid == BUILT_IN else None
                    check_name(session, pdu, name, session.names.sets, (server, guid), built_in, where)
                    checked += 1
                elif below.name == "perflibv2.counter.id" and int(below.show) != UINT32_MAX:
                    if item.children[index + 1 : index + 2] and item.children[index + 1].name == "perflibv2.string.offset":
                        continue    # beside it stands the name itself
                    whose, counter = guid or asked, int(below.show)
                    name = next_generated(item.children, index, "perflibv2.counter.name")
                    built_in = BUILT_IN_NAMES.get(counter) if whose == BUILT_IN else None
                    check_name(session, pdu, name, session.names.counters, (server, whose, counter), built_in, where)
                    checked += 1
                look(below, guid)

        look(pdu.protocol, None)
    assert checked or not session.polls
