# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run of tshark takes. Limits of time are so many starts of tshark: a slow machine is as slow at both."""

import os
import resource
import subprocess
from functools import lru_cache
from math import ceil

from lib.captures import CAPTURES


def used(tshark, capture, *options, seconds=600):
    """Processor seconds and megabytes that tshark takes to read a capture; it is killed at that many seconds."""
    seconds = ceil(seconds)
    process = subprocess.Popen(
        tshark.command("-r", capture, *options), env=tshark.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )
    errors = process.stderr.read().decode("utf-8", "replace")
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, errors
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


@lru_cache
def start(tshark):
    """Processor seconds that tshark takes to start, and to read a small capture: the most of three."""
    return max(used(tshark, CAPTURES / "tcp-session.pcapng", "-q")[0] for _ in range(3))


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
