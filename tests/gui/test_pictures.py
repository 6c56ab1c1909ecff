# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/make/pictures: it still finds in Wireshark and in the browser what each picture is about, and makes pictures of the
kept ones' sizes."""

import os
import runpy
import shutil
import struct
import subprocess
import sys

import pytest

from lib.captures import CAPTURES, REPOSITORY

SCRIPT = CAPTURES / "make" / "pictures"
PICTURES = runpy.run_path(str(SCRIPT))["PICTURES"]
KEPT = CAPTURES / "pictures"


def size(path):
    """Width and height in a PNG's header."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", data[16:24])


def test_each_is_shown_and_made_by_the_script():
    assert {path.stem for path in KEPT.iterdir()} == set(PICTURES)
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "plugin" / "manual").glob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert not [name for name in PICTURES if f"captures/pictures/{name}.png)" not in text]


# Pictures of the report need a browser; the others do not.
@pytest.mark.parametrize("name", [name for name in PICTURES if shutil.which("chromium") or not name.startswith("report")])
def test_picture_has_the_size_of_the_one_kept(name, tshark, tmp_path):
    subprocess.run([sys.executable, SCRIPT, "-o", tmp_path, name], env={**os.environ, "PERFLIB_PLUGINS": str(tshark.plugins)}, check=True)
    assert size(tmp_path / f"{name}.png") == size(KEPT / f"{name}.png")
