# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers that number their handles (3.2) and give out a closed one again, with clients that come and go, and frames left out: nobody is
blamed, and no value has another counter's name, unless it says that calls are missing."""

import random

from lib import perflibv2 as p
from lib.lossy_sessions import LossySessions
from lib.wire import Capture

SEED, SESSIONS = 7, 240
COUNTERS = range(1, 6)
# What a client does next, and how often.
ACTS = {"open": 2, "change": 3, "info": 2, "poll": 4, "close": 2, "vanish": 1}


class Server:
    """Gives out the lowest number that is free; the value of a counter tells which one it is."""

    def __init__(self, capture, address, chance):
        self.capture, self.address, self.chance = capture, address, chance
        self.queries = {}       # number of the handle -> ids of its counters
        self.clients = [self.client(number) for number in range(3)]
        self.clients[0]["peer"].registration(1, p.counterset([p.counter(id) for id in COUNTERS]))

    def client(self, number):
        return {"number": number, "open": [], "peer": p.Peer(self.capture, server=self.address, client=f"11.0.0.{number + 1}")}

    def step(self):
        client = self.chance.choice(self.clients)
        peer, act = client["peer"], self.chance.choices(list(ACTS), ACTS.values())[0]
        if act == "open" or not client["open"]:
            number = next(number for number in range(1, 1000) if number not in self.queries)
            self.queries[number] = []
            client["open"].append(number)
            peer.open(p.query_handle(number))
            return
        number = self.chance.choice(client["open"])
        handle, ids = p.query_handle(number), self.queries[number]
        if act == "change":
            self.change(peer, handle, ids)
        elif act == "info":
            peer.info(handle, *(p.identifier(id, "x", index=index) for index, id in enumerate(ids)))
        elif act == "poll":
            peer.poll(handle, p.data(*(p.block(1, p.value(1000 + id)) for id in ids)))
        elif act == "close":
            peer.close(handle)
            client["open"].remove(number)
            del self.queries[number]
        else:
            if self.chance.random() < 0.5:
                peer.connection.end(0x11)
            for number in client["open"]:
                del self.queries[number]
            self.clients[self.clients.index(client)] = self.client(client["number"])

    def change(self, peer, handle, ids):
        missing = [id for id in COUNTERS if id not in ids]
        if missing and self.chance.random() < 0.7:
            more = self.chance.sample(missing, min(len(missing), self.chance.randint(1, 2)))
            peer.validate(handle, *(p.identifier(id, "x") for id in more))
            ids += more
        elif ids:
            peer.validate(handle, p.identifier(ids[-1], "x"), add=0)
            ids.pop()


def test_frames_left_out_of_many_lives(tshark, tmp_path):
    chance = random.Random(SEED)
    sessions = LossySessions(chance)
    for number in range(SESSIONS):
        session = Capture()
        session.clients = number * 40       # ports of its own
        server = Server(session, f"10.1.1.{number + 1}", chance)
        for _ in range(chance.randint(15, 45)):
            server.step()
        sessions.add(session.frames)
    named = 0
    for where, paths, values in sessions.polls(tshark, tmp_path / "lives.pcap", "perflibv2.value"):
        assert [int(name.rsplit(" ", 1)[1]) for name in paths] == [value - 1000 for value in values], where
        named += len(paths)
    assert named > 200
