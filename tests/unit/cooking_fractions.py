#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cooking_fractions.py COOK_LINES: random samples cooked by the plugin's arithmetic and, exactly, by fractions here.

The formulas below are a second statement of the same decisions, written from the table of types
and not from cooking.c. What must agree: the value to a relative error of 1e-12, whole numbers to the
last bit, the unit, an assumed wrap, and the reason where there is no value.
"""
import random
import subprocess
import sys
from fractions import Fraction

SEED = 20080
ROUNDS = 1500           # inputs of each type
WIDEST = 2**64 - 1


class NoValue(Exception):
    """Its text is the reason."""


def need(value, name):
    if not value["present"]:
        raise NoValue(f"base not in query{name}")


def longlong(bits):
    """64 bits as PDH keeps them."""
    bits %= 2**64
    return bits - 2**64 if bits >= 2**63 else bits


def signed(value):
    return longlong(value["now"]) if value["width"] == 8 else value["now"]


def increase(value, reason, sample):
    if value["width"] == 4 and value["now"] < value["before"] < 2**32:
        wrapped = value["now"] + 2**32 - value["before"]
        if wrapped < 2**31:
            sample["wrapped"] = True
            return Fraction(wrapped)
    elif longlong(value["now"] - value["before"]) >= 0:
        return Fraction(longlong(value["now"] - value["before"]))
    raise NoValue(reason)


def forward(now, before):
    if now < before:
        raise NoValue("time went back")


def passed(now, before):
    if now == before:
        raise NoValue("zero base (no time passed)")
    return Fraction(now - before)


def nonzero(value, reason):
    if value == 0:
        raise NoValue(reason)
    return Fraction(value)


def N1(s):
    return Fraction(signed(s["N"]))


def bits(s):
    return Fraction(s["N"]["now"])


def count(s):
    return bits(s) if s["as_hex"] else N1(s)


def dN(s):
    return increase(s["N"], "counter decreased", s)


def dB(s):
    return nonzero(increase(s["B"], "counter decreased (base)", s), "zero base")


def B1(s):
    return nonzero(positive(s["B"]), "zero base")


def positive(value):
    if signed(value) < 0:
        raise NoValue("negative base")
    return value["now"]


CLOCKS = {
    "t": lambda s: (s["T1"], s["T0"]),
    "x": lambda s: (s["X1"], s["X0"]),
    "o": lambda s: (s["O"]["now"], s["O"]["before"]),
}


def dT(s):
    return passed(*CLOCKS["t"](s))


def dX(s):
    return passed(*CLOCKS["x"](s))


def dO(s):
    return passed(*CLOCKS["o"](s))


def F(s):
    return nonzero(s["F1"], "zero base (frequency)")


def M1(s):
    return Fraction(positive(s["M"]))


def rate(s):
    increment, time, frequency = dN(s), dT(s), F(s)
    return increment / (time / frequency)


def average_timer(s):
    increment, operations, frequency = dN(s), dB(s), F(s)
    return increment / frequency / operations


def elapsed(s):
    if s["O"]["now"] == s["FO"]["now"] == 0:
        raise NoValue("no clock")
    if s["O"]["now"] < s["N"]["now"]:
        raise NoValue("time went back")
    return (s["O"]["now"] - bits(s)) / nonzero(s["FO"]["now"], "zero base (frequency)")


def over(time):
    return lambda s: dN(s) / time(s)


def percent(ratio):
    return lambda s: 100 * ratio(s)


def of_multi(time):
    def value(s):
        ratio = dN(s) / time(s)
        return 100 * ratio / nonzero(M1(s), "zero base")
    return value


def precision_object(s):
    return dN(s) / (dB(s) if s["has_base_id"] or s["B"]["present"] else dO(s))


# number: (value, unit, operands: p previous, t ticks, x 100 ns, o object time, f its frequency, b base, m multi)
TYPES = {
    0x00000000: (bits, "", ""),
    0x00000100: (bits, "", ""),
    0x00010000: (count, "", ""),
    0x00010100: (count, "", ""),
    0x00400400: (dN, "", "p"),
    0x00400500: (dN, "", "p"),
    0x10410400: (rate, "/s", "pt"),
    0x10410500: (rate, "/s", "pt"),
    0x00410400: (rate, "", "pt"),
    0x20410500: (percent(over(dT)), "%", "pt"),
    0x21410500: (percent(lambda s: 1 - dN(s) / dT(s)), "%", "pt"),
    0x20510500: (percent(over(dX)), "%", "px"),
    0x21510500: (percent(lambda s: 1 - dN(s) / dX(s)), "%", "px"),
    0x20610500: (percent(over(dO)), "%", "po"),
    0x20470500: (percent(over(dB)), "%", "pb"),
    0x20570500: (percent(over(dB)), "%", "pb"),
    0x20670500: (percent(precision_object), "%", "p?"),
    0x22410500: (of_multi(dT), "%", "ptm"),
    0x23410500: (percent(lambda s: -dN(s) / dT(s) + M1(s)), "%", "ptm"),
    0x22510500: (of_multi(dX), "%", "pxm"),
    0x23510500: (percent(lambda s: -dN(s) / dX(s) + M1(s)), "%", "pxm"),
    0x00450400: (over(dT), "", "pt"),
    0x00450500: (over(dT), "", "pt"),
    0x00550500: (over(dX), "", "px"),
    0x00650500: (over(dO), "", "po"),
    0x30020400: (average_timer, "s", "pb"),
    0x40020500: (over(dB), "", "pb"),
    0x20C20400: (percent(over(dB)), "%", "pb"),
    0x20020400: (percent(lambda s: N1(s) / B1(s)), "%", "b"),
    0x20020500: (percent(lambda s: N1(s) / B1(s)), "%", "b"),
    0x30240500: (elapsed, "s", "of"),
}
WHOLE = {0x00000000, 0x00000100, 0x00010000, 0x00010100, 0x00400400, 0x00400500}
NOT_DISPLAYED = {0x40030401, 0x40030402, 0x40030403, 0x40030500, 0x42030500, 0x40000200}
WITHOUT = {0x00000B00: "text", 0x80000000: "type unknown (no formula)", 0x12345678: "type unknown"}


def expected(s):
    """(value or None, unit, reason) of a sample."""
    number = s["type"]
    if not s["type_known"]:
        return None, "", "type unknown"
    if number in NOT_DISPLAYED:
        return None, "", "not displayed"
    if number in WITHOUT:
        return None, "", WITHOUT[number]
    value, unit, operands = TYPES[number]
    if "?" in operands:
        operands = operands.replace("?", "b" if s["has_base_id"] or s["B"]["present"] else "o")
    try:
        if not s["N"]["present"] or s["N"]["width"] not in (4, 8):
            raise NoValue("value neither 4 nor 8 bytes")
        if "p" in operands and not s["N"]["have_previous"]:
            raise NoValue("instance new" if s["polled_before"] else "first sample")
        for letter, key, name in (("b", "B", ""), ("o", "O", " (time counter)"),
                                  ("f", "FO", " (frequency counter)"), ("m", "M", " (multi counter)")):
            if letter in operands:
                need(s[key], name)
        for letter, key, name in (("b", "B", ""), ("o", "O", "time counter, ")):
            if "p" in operands and letter in operands and not s[key]["have_previous"]:
                raise NoValue(f"base unknown ({name}previous poll)")
        if "p" in operands and ("t" in operands or number == 0x30020400) and 0 not in (s["F0"], s["F1"]) and s["F0"] != s["F1"]:
            raise NoValue("frequency changed")
        for letter, clock in CLOCKS.items():
            if "p" in operands and letter in operands:
                forward(*clock(s))
        return value(s), unit, ""
    except NoValue as without:
        return None, unit, str(without)


def number_below(rng, limit):
    """Small, large and edge numbers alike."""
    pick = rng.random()
    if pick < 0.08:
        return rng.choice([0, 1, limit, limit - 1, limit // 2, limit // 2 + 1])
    return rng.getrandbits(rng.randint(1, limit.bit_length()))


def pair(rng, limit):
    """(before, now), mostly growing by an amount of any size."""
    before = number_below(rng, limit)
    pick = rng.random()
    if pick < 0.10:
        return before, number_below(rng, limit)
    if pick < 0.14:
        return before, before
    now = before + number_below(rng, limit >> rng.randint(0, limit.bit_length() - 2))
    return before, now % (limit + 1)


def raw(rng):
    width = rng.choice([4, 8, 8])
    before, now = pair(rng, 2**32 - 1 if width == 4 else WIDEST)
    return {"width": width, "present": rng.random() > 0.02, "have_previous": rng.random() > 0.02,
            "now": now, "before": before}


def sample(rng, number):
    s = {"type": number, "type_known": rng.random() > 0.01, "polled_before": rng.random() > 0.3,
         "has_base_id": rng.random() > 0.5, "as_hex": rng.random() < 0.1, "wrapped": False}
    for key in ("N", "B", "O", "FO", "M"):
        s[key] = raw(rng)
    if rng.random() < 0.02:
        s["N"]["width"] = rng.choice([0, 1, 2, 3, 5, 16])
    if rng.random() < 0.5:
        s["M"]["now"] = rng.randint(0, 256)
    s["T0"], s["T1"] = pair(rng, WIDEST)
    s["X0"], s["X1"] = pair(rng, WIDEST)
    s["F0"] = s["F1"] = rng.choice([10_000_000, 3_125_000, number_below(rng, WIDEST)])
    if rng.random() < 0.02:
        s["F0"] = number_below(rng, WIDEST)
    if rng.random() < 0.5:
        # Timers run beside their clock: what an inverse subtracts is then nearly one.
        ran = rng.randint(1, 2**40)
        for first, second in (("T0", "T1"), ("X0", "X1")):
            s[first] = 133_500_123_456_780_000
            s[second] = s[first] + ran
        s["O"].update(width=8, before=5_000_000, now=5_000_000 + ran)
        start = rng.getrandbits(60)
        s["N"].update(width=8, before=start, now=start + max(0, ran - rng.randint(-5, 1000)))
    return s


def line(s):
    def value(v):
        return f"{v['width']} {v['present']:d} {v['have_previous']:d} {v['now']} {v['before']}"
    return (f"{s['type']:x} {s['type_known']:d} {s['polled_before']:d} {s['has_base_id']:d} {s['as_hex']:d} {value(s['N'])} "
            f"{s['T0']} {s['X0']} {s['F0']} {s['T1']} {s['X1']} {s['F1']} "
            f"{value(s['B'])} {value(s['O'])} {value(s['FO'])} {value(s['M'])}\n")


def difference(s, answer):
    """What is wrong with an answer, or None."""
    value, unit, reason = expected(s)
    got, whole, is_whole, is_hex, got_unit, got_reason, formula, _needs = answer
    if got_reason != reason:
        return f"reason {got_reason!r}, expected {reason!r}"
    if got_unit != unit:
        return f"unit {got_unit!r}, expected {unit!r}"
    if value is None:
        return None
    if ("wrapped" in formula) != s["wrapped"]:
        return f"{formula}, expected {s['wrapped']} of wrapped"
    if bool(int(is_hex)) != (s["type"] in (0, 0x100) or s["as_hex"]):
        return f"is_hex {is_hex}"
    if bool(int(is_whole)) != (s["type"] in WHOLE) or (s["type"] in WHOLE and int(whole) != value):
        return f"whole {whole} ({is_whole}), expected {value}"
    exact = Fraction(float(got))        # raises for anything not finite
    if abs(exact - value) > abs(value) / 10**12:
        return f"value {got}, expected {float(value)!r} = {value}"
    return None


def main():
    rng = random.Random(SEED)
    samples = [sample(rng, number) for number in [*TYPES, *NOT_DISPLAYED, *WITHOUT] for _ in range(ROUNDS)]
    output = subprocess.run(sys.argv[1:], input="".join(map(line, samples)), text=True, check=True,
                            stdout=subprocess.PIPE).stdout.splitlines()
    assert len(output) == len(samples), f"{len(output)} answers to {len(samples)} lines"
    failed = 0
    reasons = {}
    for s, answer in zip(samples, output):
        answer = answer.split("\t")
        reasons[answer[6]] = reasons.get(answer[6], 0) + 1
        wrong = difference(s, answer)
        if wrong:
            failed += 1
            if failed <= 10:
                print(f"0x{s['type']:08x}: {wrong}\n  {line(s)}", end="", file=sys.stderr)
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"{count:6} {reason or 'a value'}")
    print(f"{len(samples)} inputs (seed {SEED}), {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
