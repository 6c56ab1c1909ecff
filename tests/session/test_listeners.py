# SPDX-License-Identifier: GPL-2.0-or-later
"""Other people's listeners see what is in the capture, and nothing that was made up to decrypt it."""

import pytest

from lib.captures import all_captures, options_for
from lib.tshark import Tshark

# Prints of each record the number of its frame.
LISTENER = """
local listener = Listener.new("ntlmssp")
function listener.packet(pinfo)
    io.stdout:write("RECORD " .. pinfo.number .. "\\n")
end
"""
SEALED = [capture for capture in all_captures() if "ntlmssp.nt_password" in " ".join(options_for(capture))]


@pytest.fixture(scope="module")
def listening(tshark, bare_tshark, tmp_path_factory):
    """tshark with the plugin and without, of a user with that script, which is read once when protocols register."""
    home = tmp_path_factory.mktemp("home")
    scripts = home / ".local" / "lib" / "wireshark" / "plugins"
    scripts.mkdir(parents=True)
    (scripts / "listener.lua").write_text(LISTENER)
    home.chmod(0o777)
    return [Tshark(program.plugins, home) for program in (tshark, bare_tshark)]


@pytest.mark.parametrize("capture", SEALED, ids=lambda capture: capture.stem)
def test_a_logon_is_told_where_it_stands(listening, capture):
    """As many records of the tap ntlmssp, in the same frames, as without the plugin."""
    found, without = ([line for line in program.run(capture, *options_for(capture), "-q").splitlines() if line.startswith("RECORD")]
                      for program in listening)
    assert found == without
    assert len(found) >= 3
