# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run of tshark takes. Limits of time are so many starts of tshark: a slow machine is as slow at both."""

import os
import re
import resource
import subprocess
from functools import lru_cache
from math import ceil

from lib.captures import CAPTURES
from lib.registered import library


def used(tshark, capture, *options):
    """Processor seconds and megabytes that tshark takes to read a capture, once it has started."""
    result = tshark.waiting().run(["-r", str(capture), *options], timeout=600, output=os.devnull)
    assert result.returncode == 0, result.stderr.decode("utf-8", "replace")
    return result.used


def used_at_best(tshark, capture, *options, most, runs=3):
    """used() of the first run that took no more than so many seconds, or the least of all: what else a machine does may count as a run's."""
    taken = []
    while len(taken) < runs and (not taken or min(taken)[0] > most):
        taken.append(used(tshark, capture, *options))
    return min(taken)


def instructions(tshark, capture, *options):
    """
    Of a run of tshark: no other work on the machine changes them. Addresses are the same in each run under valgrind; seeds.so
    makes random numbers the same, too.
    """
    wrapper = ["env", f"LD_PRELOAD={library().with_name('seeds.so')}",
               "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    result = subprocess.run(
        tshark.command("-r", capture, *options, wrapper=wrapper), env=tshark.environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=1800, check=True,
    )
    return int(re.search(r"I\s+refs:\s+([\d,]+)", result.stderr)[1].replace(",", ""))


@lru_cache
def start(tshark):
    """Processor seconds that tshark takes to start, and to read a small capture: the most of three."""
    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert tshark.started_anew("-r", CAPTURES / "tcp-session.pcapng", "-q").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return max(once() for _ in range(3))


def bounded(tshark, capture, *options, starts, memory=resource.RLIM_INFINITY):
    """tshark's output; the process is killed where it takes more time than so many starts, or maps more bytes than memory."""
    seconds = ceil(starts * start(tshark))

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    result = subprocess.run(
        tshark.command("-r", capture, *options), env=tshark.environment(), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=3600, check=False, preexec_fn=limit,
    )
    assert result.returncode == 0, (result.returncode, seconds, result.stderr.decode("utf-8", "replace")[-2000:])
    return result.stdout.decode("utf-8", "replace")
