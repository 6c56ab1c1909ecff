# SPDX-License-Identifier: GPL-2.0-or-later
"""OpenMetrics text read by its rules, and the tools of Prometheus."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lib.captures import REPOSITORY

# By this Python: the one that a PATH has may be a script that looks for it.
SCRIPT = [sys.executable, REPOSITORY / "captures" / "openmetrics"]

NAME = "[a-zA-Z_][a-zA-Z0-9_]*"
LABEL = re.compile(rf'({NAME})="((?:[^"\\\n]|\\[\\"n])*)"')
SAMPLE = re.compile(rf'({NAME})\{{((?:{LABEL.pattern},?)*)\}} (\S+) ([0-9]+\.[0-9]+)')


def tool(name):
    """A program of Prometheus: the system's, or the one that tests/run unpacked. Without it the test is left out."""
    plugins = Path(os.environ.get("PERFLIB_PLUGINS") or REPOSITORY / "build" / "plugins")
    found = shutil.which(name) or shutil.which(name, path=plugins.parent / "tools" / "usr" / "bin")
    if not found:
        pytest.skip("Prometheus could not be fetched")
    return found


@dataclass
class Family:
    metadata: dict                                  # TYPE, UNIT, HELP
    series: dict = field(default_factory=dict)      # frozenset of labels -> [(value, time)] as written


def read_openmetrics(text):
    """Families by name, of a text that keeps the rules of OpenMetrics 1.0 for gauges: what belongs together stands together."""
    *lines, end = text.split("\n")[:-1]
    assert end == "# EOF" and text.endswith("\n")
    families, family, latest = {}, None, None
    for line in lines:
        if line.startswith("# "):
            _, kind, name, rest = line.split(" ", 3)
            if kind == "TYPE":
                assert name not in families, f"{name} stands in two places"
                family = families[name] = Family({})
            assert families[name] is family and not family.series and kind not in family.metadata, line
            family.metadata[kind] = rest
            continue
        name, labels, value, when = SAMPLE.fullmatch(line).group(1, 2, 5, 6)
        assert families[name] is family and family.metadata["TYPE"] == "gauge", line
        assert name.endswith(f"_{family.metadata['UNIT']}" if "UNIT" in family.metadata else ""), line
        pairs = [(name, re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), text))
                 for name, text in LABEL.findall(labels)]
        assert len(dict(pairs)) == len(pairs), line
        key = frozenset(pairs)
        assert key == latest or key not in family.series, f"a series stands in two places: {line}"
        latest = key
        samples = family.series.setdefault(key, [])
        assert not samples or float(samples[-1][1]) < float(when), f"time goes back: {line}"
        samples.append((value, when))
    return families


def openmetrics(samples):
    """What captures/openmetrics makes of a file of samples, or of the text of one."""
    named = isinstance(samples, Path)
    result = subprocess.run([*SCRIPT, *([samples] if named else [])], input=None if named else samples.encode(), capture_output=True,
                            timeout=300, check=False)
    assert result.returncode == 0 and re.fullmatch(rb"(openmetrics: values left out, [^\n]*\n)?", result.stderr), result.stderr
    return result.stdout.decode()


def create_blocks(text, folder):
    """The folder of a Prometheus that holds what the text does."""
    result = subprocess.run(
        [tool("promtool"), "tsdb", "create-blocks-from", "openmetrics", text, folder],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert result.returncode == 0 and "error" not in result.stderr, result.stderr
    return folder


def dump(folder, match="{__name__=~'.+'}"):
    """What a Prometheus's folder holds: {labels: [(value, milliseconds)]}."""
    (folder / "wal").mkdir(exist_ok=True)
    # Newer ones work in a folder of that name.
    (folder.parent / "data").mkdir(exist_ok=True)
    result = subprocess.run([tool("promtool"), "tsdb", "dump", f"--match={match}", folder], capture_output=True, text=True,
                            timeout=60, check=True, cwd=folder.parent)
    series = {}
    for line in result.stdout.splitlines():
        labels, value, when = re.fullmatch(r"\{(.*)\} (\S+) (-?\d+)", line).groups()
        pairs = frozenset((name, json.loads(f'"{text}"')) for name, text in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels))
        series.setdefault(pairs, []).append((float(value), int(when)))
    return series


@contextmanager
def server(folder, scratch):
    """A Prometheus on a folder; gives a function that asks it: query(expression, time) -> {labels: value}."""
    (scratch / "none.yml").write_text("")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [tool("prometheus"), f"--storage.tsdb.path={folder}", f"--config.file={scratch / 'none.yml'}",
               f"--web.listen-address={address}", "--storage.tsdb.retention.time=100y"]

    def query(expression, when):
        parameters = urllib.parse.urlencode({"query": expression, "time": when})
        with opener.open(f"http://{address}/api/v1/query?{parameters}", timeout=30) as answer:
            return {frozenset(row["metric"].items()): float(row["value"][1]) for row in json.load(answer)["data"]["result"]}

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            for _ in range(300):
                try:
                    query("vector(1)", 0)
                    break
                except OSError:
                    assert process.poll() is None, process.stderr.read()
                    time.sleep(0.1)
            yield query
        finally:
            process.terminate()
