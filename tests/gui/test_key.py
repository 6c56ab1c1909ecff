# SPDX-License-Identifier: GPL-2.0-or-later
"""Tools, Performance Counters, Password or keytab...: what is encrypted is read as soon as the right key is given."""

import shutil

import pytest

from lib import lossy, ntlm
from lib.captures import CAPTURES
from lib.desktop import Desktop, again

TITLE, PASSWORD, WINDOW = "Password or keytab", "Perf-Lib2", "PerflibV2 Counters"


@pytest.fixture
def desktop(tshark, tmp_path):
    desktop = Desktop(tshark, tmp_path / "home")
    yield desktop
    desktop.stop()


def ask(desktop):
    return desktop.opened(TITLE, "alt+t", ["Up", "Right", "Down", "Return"])


def answer(desktop, dialog, password="", keytab=""):
    desktop.fill(dialog, [password, keytab])
    desktop.keys("Return")


def counters(desktop):
    """Rows of the window of counters."""
    desktop.open(WINDOW)
    try:
        return desktop.table(f"{WINDOW} ")[2:]
    finally:
        desktop.close(f"{WINDOW} ")


@again
def test_password_is_asked_for_until_it_is_right(desktop):
    """With a wrong one everything stays encrypted. None is written to the profile by us; with nothing encrypted there is no dialog."""
    desktop.start(CAPTURES / "sealed-office.pcapng")
    answer(desktop, ask(desktop), "wrong")
    desktop.wait(TITLE, is_there=False)
    answer(desktop, ask(desktop), PASSWORD)
    desktop.wait(TITLE, is_there=False)
    assert len(counters(desktop)) == 6
    settings = desktop.profile / "preferences"
    assert not settings.exists() or PASSWORD not in settings.read_text()
    desktop.focus(desktop.capture)
    desktop.keys("alt+t", ["Up", "Right", "Down", "Return"])
    assert not any(TITLE in title for title in desktop.titles())
    desktop.keys("Return")
    desktop.end_well()


@again
def test_keytab_that_exists_decrypts_kerberos(desktop, folder):
    """A file that is not there is refused; the right one decrypts Kerberos."""
    keytab = folder / "keys"
    shutil.copy(CAPTURES / "kerberos.keytab", keytab)
    keytab.chmod(0o644)
    desktop.start(CAPTURES / "sealed-kerberos.pcapng")
    answer(desktop, ask(desktop), keytab=str(folder / "none"))
    # The message.
    desktop.keys("Return")
    desktop.wait(TITLE, is_there=False)
    answer(desktop, ask(desktop), keytab=str(keytab))
    desktop.wait(TITLE, is_there=False)
    assert len(counters(desktop)) > 3
    desktop.end_well()


@again
def test_more_connections_than_the_dialog_names(desktop, folder):
    """Of nine users it names eight, and a line more says that there are others."""
    frames = lossy.frames_of(CAPTURES / "sealed-tcp.pcapng", folder)
    heights = []
    for count in 8, 9:
        path = folder / f"users{count}.pcap"
        lossy.write(path, [ntlm.as_another_user(frames, "Perf-Lib2", f"monitor{user}", "One") for user in range(count)])
        path.chmod(0o644)
        desktop.start(path)
        heights.append(desktop.size(ask(desktop))[1])
        desktop.keys("Escape")
        desktop.wait(TITLE, is_there=False)
        desktop.end_well()
    assert 8 < heights[1] - heights[0] < 40
