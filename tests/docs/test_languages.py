# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin and its scripts print is the same in a language that writes 4,5 for 4.5."""

import difflib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lib.captures import CAPTURES, REPOSITORY
from lib.lossy import frames_of
from lib.pcap import ETHERNET, write_pcap
from lib.tshark import Tshark

# Values of both APIs, rates, series, refusals, sessions that failed, and Automation's numbers.
NAMES = ("tcp-session", "both-apis", "counter-reset-and-wrap", "sessions-smb", "perfdata-samba", "pla-session", "handles")
# Tables that want a file or a folder.
FILES = {"catalog": "catalog", "csv": "csv", "ndjson": "ndjson", "pdh-csv": "pdh.csv", "report": "report.html", "samples": "samples.csv"}
WATCHED = ("-o", 'uat:perflibv2_watch:"processor","*\\x5c% Processor Time"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder where tshark may write, with the captures as one; the German comes from the sources of Debian's package locales."""
    folder = tmp_path_factory.mktemp("languages")
    folder.chmod(0o777)
    captures = [CAPTURES / f"{name}.pcapng" for name in NAMES]
    subprocess.run(["mergecap", "-a", "-w", folder / "all.pcapng", *captures], check=True)
    assert shutil.which("localedef") and Path("/usr/share/i18n/locales/de_DE").exists(), "package locales is not installed"
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], check=True)
    return folder


@pytest.fixture(scope="module")
def languages(tshark, folder):
    """tshark in either language."""
    return [Tshark(tshark.plugins, tshark.home, more=more.items())
            for more in ({"LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8", "LOCPATH": str(folder)})]


def assert_same(english, german):
    assert not list(difflib.unified_diff(english.splitlines(), german.splitlines(), "C", "de_DE", n=0))[:20]
    assert english == german


def test_the_german_is_one(languages):
    """Else all would be the same whatever the plugin does."""
    english, german = (subprocess.run(["awk", 'BEGIN { printf "%.1f", 1.5 }'], env=language.environment(), capture_output=True,
                                      text=True, check=True).stdout for language in languages)
    assert (english, german) == ("1.5", "1,5")


def test_tables_and_files_have_points_in_any_language(languages, folder):
    """Each table that tshark has of us, printed or in a file."""
    help_text = languages[0].result("-z", "help").stderr + languages[0].result("-z", "help").stdout
    tables = sorted(set(re.findall(rb"^ +((?:perflib|perflibv2|perfdata|pla),[\w-]+)", help_text, re.MULTILINE)))
    assert len(tables) > 20
    outputs = []
    for number, language in enumerate(languages):
        out = folder / str(number)
        out.mkdir()
        out.chmod(0o777)
        options = []
        for table in map(bytes.decode, tables):
            file = FILES.get(table.partition(",")[2])
            place = f",{out / table.partition(',')[0]}-{file}" if file else ""
            options += ["-z", table + place]
        printed = language.run(folder / "all.pcapng", "-2", *WATCHED, "-q", *options)
        files = {str(path.relative_to(out)): path.read_text(encoding="utf-8") for path in sorted(out.rglob("*")) if path.is_file()}
        outputs.append({"printed": printed, **files})
    english, german = outputs
    assert english.keys() == german.keys() and {"perflib-report.html", "perflibv2-samples.csv"} <= english.keys()
    assert re.search(r" \d+\.\d{3} ", english["printed"])
    for name, text in english.items():
        assert_same(text, german[name])


def test_items_have_points_in_any_language(languages, folder):
    """Of our protocols only: Wireshark's own write commas in some versions."""
    layers = "perflib_session,perflibv2,perfdata,pla"
    for options in (["-O", layers, "-Y", layers.replace(",", " || ")], ["-T", "json", "-J", layers.replace(",", " ")]):
        english, german = (language.run(folder / "all.pcapng", "-2", *WATCHED, *options) for language in languages)
        assert re.search(r"= \d+\.\d+|\d+\.\d+ %", english) or "json" in options
        assert_same(english, german)


def test_decode_prints_the_same_in_any_language(languages, tshark, tmp_path):
    """Which counters changed most for their size is arithmetic of a script's."""
    outputs = []
    for language in languages:
        environment = {**language.environment_of_commands(REPOSITORY), "PERFLIB_BUILD": str(tshark.plugins.parent)}
        del environment["WIRESHARK_PLUGIN_DIR"]
        page = tmp_path / "page.html"
        printed = ""
        for options in (["captures/tcp-session.pcapng"], ["captures/both-apis.pcapng"], ["captures/tcp-session.pcapng", "--report", page]):
            printed += subprocess.run([CAPTURES / "decode", *options], cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=300, check=True).stdout
        outputs.append(printed + page.read_text(encoding="utf-8"))
    assert_same(*outputs)


def test_batch_and_openmetrics_write_the_same_in_any_language(languages, tshark, tmp_path):
    source = tmp_path / "captures"
    source.mkdir()
    for name in ("tcp-session", "perfdata-samba"):
        shutil.copy(CAPTURES / f"{name}.pcapng", source)
    outputs = []
    for number, language in enumerate(languages):
        environment = language.environment({"PERFLIB_BUILD": str(tshark.plugins.parent)})
        del environment["WIRESHARK_PLUGIN_DIR"]
        out = tmp_path / str(number)
        subprocess.run([CAPTURES / "batch", source, out], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                       check=True)
        printed = {path.relative_to(out): path.read_text(encoding="utf-8") for path in sorted(out.glob("capture=*/*"))}
        samples = out / "capture=tcp-session.pcapng/perflibv2.csv"
        printed["openmetrics"] = subprocess.run([sys.executable, CAPTURES / "openmetrics", samples], env=environment, check=True,
                                                capture_output=True, text=True).stdout
        outputs.append(printed)
    english, german = outputs
    assert english.keys() == german.keys() and len(english) == 5
    for name, text in english.items():
        assert_same(text, german[name])


def test_compare_prints_the_same_in_any_language(languages, tshark, tmp_path):
    """What typeperf wrote stands for itself: here the plugin's own PDH-CSV, with one number another."""
    shutil.copy(CAPTURES / "tcp-session.pcapng", tmp_path)
    series = tshark.run(CAPTURES / "tcp-session.pcapng", "-2", "-q", "-z", "perflibv2,pdh-csv,-")
    (tmp_path / "typeperf.csv").write_text(series, encoding="utf-8")
    command = [sys.executable, CAPTURES / "truth" / "compare", "--all", "--tshark", " ".join(map(str, tshark.command())), tmp_path]
    english, german = (subprocess.run(command, env=language.environment(), capture_output=True, text=True, check=False).stdout
                       for language in languages)
    assert re.search(r"\d\.\d", english)
    assert_same(english, german)


def test_seconds_of_slow_answers_have_a_point(languages, folder):
    """Each answer takes 300 times as long as the server took."""
    frames = frames_of(CAPTURES / "both-apis.pcapng", folder)
    begin = frames[0][0]
    slow = folder / "slow.pcap"
    write_pcap(slow, [(begin + 300 * (time - begin), frame) for time, frame in frames], ETHERNET)
    english, german = (language.result("-r", slow, "-q", "-z", "perflib,findings", "-z", "perflibv2,sessions").stdout.decode()
                       for language in languages)
    assert re.search(r"\d\.\d to \d\.\d s to answer", english), english
    assert_same(english, german)
