# SPDX-License-Identifier: GPL-2.0-or-later
"""Other people's listeners see what is in the capture, and nothing that was made up to decrypt it."""

import pytest

from lib.captures import CAPTURES, all_captures, options_for

# Prints of each record the number of its frame.
LISTENER = """
local listener = Listener.new("ntlmssp")
function listener.packet(pinfo)
    io.stdout:write("RECORD " .. pinfo.number .. "\\n")
end
"""
SEALED = [capture for capture in all_captures() if "ntlmssp.nt_password" in " ".join(options_for(capture))]


@pytest.mark.parametrize("capture", SEALED, ids=lambda capture: capture.stem)
def test_a_logon_is_told_where_it_stands(tshark, bare_tshark, folder, capture):
    """As many records of the tap ntlmssp, in the same frames, as without the plugin."""
    script = folder / "listener.lua"
    script.write_text(LISTENER)

    def records(program, *more):
        # Scripts are read when protocols register.
        output = program.run(capture, *options_for(capture), *more, "-q", "-X", f"lua_script:{script}", env={"PERFLIB_ALONE": "1"})
        return [line for line in output.splitlines() if line.startswith("RECORD")]

    found = records(tshark)
    assert found == records(bare_tshark)
    assert len(found) >= 3
