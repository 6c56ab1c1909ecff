# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run of tshark takes. Limits of time are so many starts of tshark: a slow machine is as slow at both."""

import os
import re
import resource
import subprocess
import tempfile
import weakref
from functools import lru_cache
from math import ceil
from pathlib import Path

from lib.captures import CAPTURES
from lib.registered import Registered, library


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


@lru_cache
def counting(tshark):
    """One that has registered its protocols under valgrind, and the folder of what each run writes. seeds.so makes random numbers the same in each run."""
    folder = tempfile.TemporaryDirectory(prefix="perflib-counted-")
    os.chmod(folder.name, 0o777)
    wrapper = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes", f"--cachegrind-out-file={folder.name}/%p"]
    waiting = Registered(tshark.command(wrapper=wrapper, preloaded=[library(), library().with_name("seeds.so")]), tshark.environment())
    weakref.finalize(tshark, waiting.stop)
    return waiting, folder


def instructions(tshark, capture, *options):
    """Of a run of tshark, with what it took to register its protocols: no other work on the machine changes them."""
    waiting, folder = counting(tshark)
    result = waiting.run(["-r", str(capture), *options], timeout=1800, output=os.devnull)
    assert result.returncode == 0, result.stderr.decode("utf-8", "replace")
    (written,) = Path(folder.name).iterdir()
    counted = int(re.search(r"^summary: (\d+)", written.read_text(encoding="utf-8"), re.MULTILINE)[1])
    written.unlink()
    return counted


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
