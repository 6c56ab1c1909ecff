# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of captures/buffer, and what tshark's tables show of the captures that it makes."""

import json
import subprocess
from collections import defaultdict

from lib.captures import CAPTURES

BUFFER = CAPTURES / "buffer"


def make(*arguments, cwd=CAPTURES, command=(BUFFER,), env=None):
    return subprocess.run([*map(str, command), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False, env=env)


def made(*arguments, **how):
    """The lines that captures/buffer prints."""
    result = make(*arguments, **how)
    assert result.returncode == 0 and not result.stderr, result.stderr
    return result.stdout.splitlines()


def written(folder, **buffers):
    """Files of these buffers, in order."""
    paths = []
    for name, data in buffers.items():
        paths.append(folder / f"{name}.bin")
        paths[-1].write_bytes(data)
    return paths


def tables_of(tshark, capture, *options):
    """Samples of both APIs and the rows of all tables."""
    folder = capture.parent
    out = {api: folder / f"{capture.stem}-{api}.ndjson" for api in ("perflibv2", "perfdata")}
    said = tshark.run(capture, "-2", "-q", *options, *(word for api, file in out.items() for word in ("-z", f"{api},samples,{file}")),
                      "-z", "perflib,ndjson,-")
    tables = defaultdict(list)
    for line in said.splitlines():
        row = json.loads(line)
        tables[row["table"]].append(row)
    return [json.loads(line) for file in out.values() for line in file.read_text().splitlines()], tables


def rules_of(tables):
    return {row["rule"]: row for row in tables["perflibv2-rules"]}
