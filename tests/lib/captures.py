# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of the repository and the records of what their peers sent."""

import json
import os
import sys
from functools import lru_cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CAPTURES = REPOSITORY / "captures"

sys.path.append(str(CAPTURES / "make"))
from perfcap import rules  # noqa: E402


def capture_folders():
    """captures/, and the folder PERFLIB_EXTRA_CAPTURES names, if any."""
    extra = os.environ.get("PERFLIB_EXTRA_CAPTURES")
    return [CAPTURES] + ([Path(extra)] if extra else [])


def all_captures():
    """Every capture, in order of name."""
    return sorted(capture for folder in capture_folders() for capture in folder.glob("*.pcapng"))


def _as_written(capture):
    path = Path(capture).with_suffix(".json")
    return json.loads(path.read_text(encoding="utf-8", errors="surrogatepass")) if path.exists() else None


@lru_cache(maxsize=None)
def _about(capture):
    """What the record says of the capture itself; empty where there is none. Asked for with each run of tshark."""
    record = _as_written(capture) or {}
    return {name: record.get(name) or {} for name in ("auth", "decode_as", "interface")}


def record_of(capture):
    """The record beside a capture, or None if it has none."""
    record = _as_written(capture)
    for call in (record or {}).get("calls") or []:
        response = call.get("response") or {}
        for block in (response.get("lpData") or {}).get("blocks") or []:
            if "instances_by_rule" in block:
                block["instances"] = rules.expand(block)
    return record


def recorded_captures():
    """Captures of PerflibV2 calls that have a record of every call."""
    return [
        capture
        for capture in all_captures()
        if _about(capture)["interface"].get("name") == "PerflibV2"
    ]


def options_for(capture):
    """What tshark needs to be told to read a capture: the password or the keytab of a sealed one, what to take for RPC."""
    auth = _about(capture)["auth"]
    password = auth.get("password") or auth.get("smb_password")
    options = ["-o", f"ntlmssp.nt_password:{password}"] if password else []
    if "smb2_session_key" in auth:
        options = ["-o", f'uat:smb2_seskey_list:{auth["smb2_session_id"]},{auth["smb2_session_key"]},"",""']
    elif "keytab" in auth:
        options = ["-o", "kerberos.decrypt:TRUE", "-K", str(Path(capture).with_name(auth["keytab"]))]
    decode_as = _about(capture)["decode_as"]
    return options + (["-d", decode_as] if decode_as else [])
