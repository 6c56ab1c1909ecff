# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's window without a window."""

import json
import subprocess


def ask(tshark, requests):
    """sharkd's answers, by id."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", "id": n, **request}) + "\n" for n, request in enumerate(requests, 1))
    result = subprocess.run(
        tshark.command("-", program="sharkd"), env=tshark.environment(), input=lines, capture_output=True, text=True,
        timeout=300, check=False,
    )
    answers = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return {answer["id"]: answer.get("result") for answer in answers if "id" in answer}
