# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin as Wireshark sees it."""

import re
import subprocess

from lib.captures import CAPTURES
from lib.registered import library


def glossary(tshark, kind):
    result = subprocess.run(
        tshark.command("-G", kind), env=tshark.environment(), capture_output=True, text=True, check=True
    )
    return result.stdout


def test_plugin_is_loaded_by_tshark(tshark):
    assert re.search(r"^perflib\.(so|dll)\s", glossary(tshark, "plugins"), re.MULTILINE)


def test_registers_its_protocol(tshark):
    names = [line.split("\t") for line in glossary(tshark, "protocols").splitlines()]
    assert [name[1:3] for name in names if name[2] == "perflibv2"] == [["PerflibV2", "perflibv2"]]


def test_field_names_belong_to_a_protocol_of_the_plugin(tshark, bare_tshark):
    """No field of the plugin is named outside its own protocols."""
    added = set(glossary(tshark, "fields").splitlines()) - set(glossary(bare_tshark, "fields").splitlines())
    names = {line.split("\t")[2] for line in added if line.startswith("F\t")}
    assert {name.split(".")[0] for name in names} == {"perflibv2", "pla", "perfdata", "perflib_session"}


def test_order_does_not_hang_on_the_c_librarys_sort(tshark):
    """Equals come out of C's qsort in any order, and of that of Windows in another: here in the reverse one."""
    capture = CAPTURES / "rules.pcapng"
    command = tshark.command("-r", capture, "-V", preloaded=[library().with_name("ties.so")])
    result = subprocess.run(command, env=tshark.environment(), capture_output=True, text=True, check=True)
    assert result.stdout.count("Expert Info") > 100
    assert result.stdout == tshark.run(capture, "-V")
