# SPDX-License-Identifier: GPL-2.0-or-later
"""A tshark that has registered its protocols and waits for command lines: see registered.c."""

import os
import select
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from lib.captures import REPOSITORY


def library():
    """What is loaded before all others, or None where it was not built."""
    path = Path(os.environ.get("PERFLIB_REGISTERED") or REPOSITORY / "build" / "tests" / "registered.so")
    return path if path.exists() else None


class Registered:
    def __init__(self, command, environment):
        self.folder = tempfile.TemporaryDirectory(prefix="perflib-tshark-")
        os.chmod(self.folder.name, 0o755)
        self.output, self.errors, self.early = (Path(self.folder.name) / name for name in ("output", "errors", "early"))
        for file in (self.output, self.errors):
            file.touch()
            file.chmod(0o666)   # tshark's user may be another
        with self.early.open("wb") as early:
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=early,
                start_new_session=True,
            )

    def run(self, arguments, timeout, output=None):
        """
        As subprocess.run() with its output captured, or written to a file; what was said while protocols were registered is said
        in each run. Its used is the processor seconds and the megabytes that the run took.
        """
        strings = [output or self.output, self.errors, "tshark", *arguments]
        request = [str(len(strings)), *strings]
        try:
            self.process.stdin.write(b"".join(os.fsencode(string) + b"\0" for string in request))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass    # It ended; the next line says how.
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.stop()
            raise subprocess.TimeoutExpired(arguments, timeout)
        said = self.process.stdout.readline().split()
        assert said, f"tshark ended while it registered:\n{self.early.read_text(errors='replace')}"
        result = subprocess.CompletedProcess(
            arguments, os.waitstatus_to_exitcode(int(said[0])), b"" if output else self.output.read_bytes(),
            self.early.read_bytes() + self.errors.read_bytes(),
        )
        result.used = float(said[1]), int(said[2]) / 1000
        return result

    def ended(self):
        return self.process.poll() is not None

    def stop(self):
        """Ends it, and a run under way."""
        if not self.ended():
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.folder.cleanup()


# What tells tshark where its files are, and how to write.
TOLD = ["HOME", "LC_ALL", "TZ", "WIRESHARK_PLUGIN_DIR", "WIRESHARK_DATA_DIR", "WIRESHARK_CONFIG_DIR", "XDG_CONFIG_HOME"]


class Asked:
    """The same for commands that start tshark themselves: a folder for PATH whose tshark asks this one, see ask-registered."""

    def __init__(self, command, environment, cwd):
        self.files = tempfile.TemporaryDirectory(prefix="perflib-tshark-")
        self.folder = Path(self.files.name)
        self.folder.chmod(0o755)
        (self.folder / "tshark").symlink_to(Path(__file__).with_name("ask-registered"))
        (self.folder / "itself").symlink_to(shutil.which("tshark"))
        (self.folder / "told").write_text("\n".join([str(cwd), *(environment.get(name, "") for name in TOLD), ""]))
        for name in ("requests", "replies"):
            os.mkfifo(self.folder / name)
            (self.folder / name).chmod(0o666)
        # Held open, so that requests end with this process, not with who asked.
        self.requests = os.open(self.folder / "requests", os.O_RDWR)
        with ((self.folder / "requests").open("rb") as requests, (self.folder / "replies").open("r+b", 0) as replies,
              (self.folder / "early").open("wb") as early):
            self.process = subprocess.Popen(
                command, env=environment, cwd=cwd, stdin=requests, stdout=replies, stderr=early, start_new_session=True,
            )

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.requests)
        self.files.cleanup()
