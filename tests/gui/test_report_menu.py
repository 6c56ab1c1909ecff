# SPDX-License-Identifier: GPL-2.0-or-later
"""Tools, Performance Counters, Capture report: the page of the capture that Wireshark shows, which its browser is given."""

import shutil
import time

from lib.captures import CAPTURES
from lib.desktop import PATIENCE, Desktop, again
from lib.report import SECTIONS, Page, page_of


@again
def test_report_of_the_capture_shown(tshark, tmp_path):
    """Twice, as the second has the tables of the first; beside a window that counts the same with a filter."""
    desktop = Desktop(tshark, tmp_path / "home")
    folder = tmp_path / "captures"
    folder.mkdir()
    folder.chmod(0o777)
    capture = folder / "tcp-session.pcapng"
    shutil.copy(CAPTURES / "tcp-session.pcapng", capture)
    capture.chmod(0o644)
    browser = folder / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {folder}/opened\n')
    browser.chmod(0o755)
    desktop.environment["PATH"] = f"{folder}:{desktop.environment['PATH']}"
    try:
        desktop.start(capture, "-z", "perflibv2,counters,frame.number < 100")
        expected = page_of(tshark, capture)
        written, opened = folder / "tcp-session-report.html", folder / "opened"
        for begin in (0, 1):
            desktop.opened("Capture report", "alt+t", "Up", "Right", "Return")
            desktop.keys("Return")
            if begin:
                # The file exists: it is replaced by who says so.
                assert written.read_text() == "old"
                desktop.wait("Capture report")
                desktop.keys("Return")
            end = time.monotonic() + PATIENCE
            while not (opened.exists() and opened.read_text()) and time.monotonic() < end:
                time.sleep(0.2)
            page = Page(written.read_text(encoding="utf-8"))
            page.assert_harmless()
            assert opened.read_text().strip() == written.as_uri()
            assert list(page.sections) == SECTIONS and "tcp-session.pcapng" in page.root.find("title")[0].text
            # tshark that serves many runs does not know the capture's name.
            assert page.headline == expected.headline and page.curves() == expected.curves()
            assert {**page.rows, "meta": []} == {**expected.rows, "meta": []}
            written.write_text("old")
            written.chmod(0o666)
            opened.unlink()
        assert desktop.end() == 0
        assert desktop.complaints() == []
    finally:
        desktop.stop()
