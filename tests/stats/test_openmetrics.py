# SPDX-License-Identifier: GPL-2.0-or-later
"""captures/openmetrics: what polls that a test spells out become, and what Prometheus makes of it."""

import json
import re
import subprocess
import sys

import pytest

from lib.fakepolls import NOON, capture, fake_tshark, none, poll, real, text, whole  # noqa: F401
from lib.captures import REPOSITORY
from lib.prometheus import SCRIPT, create_blocks, dump, openmetrics as script, read_openmetrics, server
from lib.some import some


@pytest.fixture
def openmetrics(fake_tshark, capture, tmp_path):  # noqa: F811
    """The text of some polls, which is the same by way of samples of either kind, and its file."""

    def run(*polls):
        csv, ndjson, file = (tmp_path / name for name in ("samples.csv", "samples.ndjson", "polls.om"))
        fake_tshark.run(capture(*polls), "-q", "-z", f"fakepolls,samples,{csv}", "-z", f"fakepolls,samples,{ndjson}")
        text = script(csv)
        assert script(ndjson) == text
        file.write_text(text, encoding="utf-8")
        return text, file

    return run


def test_units_of_one_name():
    """A name without a unit that ends as with one: each its own family, under the same names in whatever order they come."""
    rows = [{"time": "2026-11-20T12:00:00.0000000Z", "server": "HOST", "counterset": "Set", "cooked": 1, **row}
            for row in ({"counter": "x percent"}, {"counter": "x", "unit": "%"}, {"counter": "Up Seconds"}, {"counter": "up", "unit": "s"},
                        {"counter": "in per second"}, {"counter": "In", "unit": "/s"})]
    expected = {"perflib_set_x_percent_value": None, "perflib_set_x_percent": "percent", "perflib_set_up_seconds_value": None,
                "perflib_set_up_seconds": "seconds", "perflib_set_in_per_second_value": None, "perflib_set_in_per_second": "per_second"}
    for order in (rows, rows[::-1]):
        families = read_openmetrics(script("\n".join(map(json.dumps, order)) + "\n"))
        assert {name: family.metadata.get("UNIT") for name, family in families.items()} == expected
        assert all(len(family.series) == 1 for family in some(families.values()))


def test_ids_are_labels():
    """Where samples have them: machines and countersets of one name are several series."""
    rows = [{"time": "2026-11-20T12:00:00.0000000Z", "server": "HOST", "server_address": f"10.0.0.{number % 2}", "counterset": "Set",
             "counterset_guid": guid, "counter": "c", "counter_id": 7, "cooked": number}
            for number, guid in enumerate(["a", "a", "b"])]
    (family,) = read_openmetrics(script("\n".join(map(json.dumps, rows)) + "\n")).values()
    assert {(labels["server_address"], labels["counterset_guid"], labels["counter_id"]): samples[0][0]
            for labels, samples in ((dict(labels), samples) for labels, samples in family.series.items())} == {
        ("10.0.0.0", "a", "7"): "0", ("10.0.0.1", "a", "7"): "1", ("10.0.0.0", "b", "7"): "2"}


def test_an_apostrophe_of_its_own(fake_tshark, capture):  # noqa: F811
    """In CSV one stands before what a spreadsheet would run: a name that begins so is another all the same."""
    names = ["=c", "'=c", "''=c", "'c"]
    csv = fake_tshark.run(capture(poll(*(whole(name, number) for number, name in enumerate(names)))), "-q", "-z", "fakepolls,samples,-")
    assert {dict(labels)["counter"]: samples[0][0] for family in some(read_openmetrics(script(csv)).values())
            for labels, samples in family.series.items()} == {name: str(number) for number, name in enumerate(names)}


def test_both_apis_in_one_stream(fake_tshark, capture):  # noqa: F811
    """tshark's second -z to standard output begins with a header of its own; values are as the samples say them."""
    csv = fake_tshark.run(capture(poll(whole("=c", 2**64 - 1))), "-q", "-z", "fakepolls,samples,-")
    other = csv.replace('"HOST"', '"OTHER"').replace(str(2**64 - 1), "-5")
    families = read_openmetrics(script(csv + other))
    assert {(dict(labels)["server"], dict(labels)["counter"]): samples[0][0] for labels, samples in families["perflib_set_c"].series.items()} == {
        ("HOST", "=c"): "18446744073709551615", ("OTHER", "=c"): "-5"}


@pytest.mark.parametrize("content", [b"Frame 1: 60 bytes\n", b'{"time":\n', b"time,frame\r\n1,2,3\r\n", b"\xff\n",
                                     b'{"time":"2026","cooked":1}\n', b'{"time":"2026-11-20T12:00:00.0000000Z","cooked":1,"unit":"ells"}\n'])
def test_input_that_is_no_samples_is_refused(content):
    """What is something else is said to be, in a line."""
    result = subprocess.run(SCRIPT, input=content, capture_output=True, timeout=60, check=False)
    assert result.returncode == 1 and result.stderr.startswith(b"openmetrics: ") and result.stderr.count(b"\n") == 1, result.stderr
    assert b"# EOF" not in result.stdout


SAMPLE = {"time": "2026-11-20T12:00:00.0000000Z", "server": "HOST", "counterset": "Set", "counter": "c", "cooked": 1}


@pytest.mark.parametrize("wrong", [{"cooked": "abc"}, {"cooked": "1 2"}, {"cooked": [1]}, {"cooked": None}, {"cooked": float("nan")},
                                   {"time": True}, {"server": ["x"]}, {"counterset": None}, {"unit": "furlong"}, {"cooked": "\u0661"},
                                   {"time": "2026-02-30T12:00:00.0000000Z"}, {"time": "2026-11-20T24:00:00.0000000Z"},
                                   {"time": "\u0662026-11-20T12:00:00.0000000Z"}])
def test_what_is_no_sample(wrong):
    """A line that tshark never writes is called so in a sentence, and nothing is made of it."""
    result = subprocess.run(SCRIPT, input=json.dumps(SAMPLE | wrong) + "\n", capture_output=True,
                            text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch("openmetrics: not a .*\n", result.stderr)


def test_two_files_are_refused_with_usage():
    """Two files: the second would be left out in silence."""
    result = subprocess.run([REPOSITORY / "captures" / "openmetrics", "one", "two"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "") and result.stderr.startswith("Usage: ")


def test_lines_that_end_twice():
    """As a shell of Windows makes them of CSV."""
    csv = ",".join(SAMPLE) + "\r\r\n" + ",".join(map(str, SAMPLE.values())) + "\r\r\n"
    (family,) = read_openmetrics(script(csv)).values()
    assert [[value for value, _ in samples] for samples in family.series.values()] == [["1"]]


def test_what_is_left_out_is_counted():
    """Three values within a millisecond, and a line break in a name."""
    lines = "".join(json.dumps(SAMPLE | {"time": f"2026-11-20T12:00:00.{at:07}Z", "cooked": at, "instance": "a\nb"}) + "\n"
                    for at in (0, 10, 20, 20_000))
    result = subprocess.run(SCRIPT, input=lines, capture_output=True, text=True, check=True)
    assert re.fullmatch("openmetrics: values left out, .*: 2\n", result.stderr)
    (family,) = read_openmetrics(result.stdout).values()
    assert [(dict(labels)["instance"], [value for value, _ in samples]) for labels, samples in family.series.items()] == [("a\nb", ["0", "20000"])]


def test_more_than_memory_keeps(tmp_path):
    """Values through SQLite's temporary file: all there, each once, each in its place. Three times as many take no more memory."""
    samples, text = tmp_path / "samples.ndjson", tmp_path / "polls.om"
    counters = 50

    def value(number, time):
        """Its 300 digits are kept as they are: few fill what SQLite keeps in memory."""
        return f"1{1000 * number + time:0299}"

    def peak(polls):
        with samples.open("w", encoding="utf-8") as file:
            for time in range(polls):
                for number in range(counters):
                    file.write(f'{{"time":"2026-11-20T12:{time // 60:02}:{time % 60:02}.0000000Z","counter":"c{number}","cooked":{value(number, time)}}}\n')
        command = [sys.executable, "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[2:], check=True, "
                   "stdout=open(sys.argv[1], 'wb')); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"]
        kilobytes = int(subprocess.run([*command, text, *SCRIPT, samples], capture_output=True, text=True, check=True, timeout=300).stdout)
        expected = "".join(f"# TYPE perflib_c{number} gauge\n# HELP perflib_c{number} : c{number}\n" + "".join(
            f'perflib_c{number}{{counter="c{number}"}} {value(number, time)} {NOON + time}.0000000\n' for time in range(polls))
            for number in range(counters)) + "# EOF\n"
        same = text.read_text(encoding="utf-8") == expected
        assert same
        return kilobytes

    small, large = peak(200), peak(600)
    assert large < small + 1_000, (small, large)


# The plugin of tests/taps knows one machine and one counter.
WHERE = 'server="HOST",server_address="00:00:00:00:00:00",counterset="Set",counterset_guid="238",'


def test_text_has_units_digits_times_and_escapes(openmetrics):
    """The whole of it: units, wholes of all digits, times of 100 ns, escapes; no texts, nothing that was not computed."""
    content, _ = openmetrics(
        poll(real("% Time", 0.1, "%"), whole("Größe", 2**64 - 1), text("t", "x"), none("n"), nanoseconds=123456700),
        poll(real("% Time", -1e300, "%"), real("a\\b\"c\x07", 2.5, "/s"), seconds=1),
    )
    assert content == f"""\
# TYPE perflib_set_time_percent gauge
# UNIT perflib_set_time_percent percent
# HELP perflib_set_time_percent Set: % Time
perflib_set_time_percent{{{WHERE}counter="% Time",counter_id="6"}} 0.1 {NOON}.1234567
perflib_set_time_percent{{{WHERE}counter="% Time",counter_id="6"}} -1e+300 {NOON + 1}.0000000
# TYPE perflib_set_gr_u00f6_u00df_e gauge
# HELP perflib_set_gr_u00f6_u00df_e Set: Größe
perflib_set_gr_u00f6_u00df_e{{{WHERE}counter="Größe",counter_id="6"}} 18446744073709551615 {NOON}.1234567
# TYPE perflib_set_a_b_c_a_per_second gauge
# UNIT perflib_set_a_b_c_a_per_second per_second
# HELP perflib_set_a_b_c_a_per_second Set: a\\\\b\\"c\\\\a
perflib_set_a_b_c_a_per_second{{{WHERE}counter="a\\\\b\\"c\\\\a",counter_id="6"}} 2.5 {NOON + 1}.0000000
# EOF
"""


def test_capture_without_polls_ends_at_once(openmetrics):
    assert openmetrics()[0] == "# EOF\n"


def test_names_that_come_out_the_same(openmetrics, tmp_path):
    """Series stay apart, families together: by counters and by units; in Prometheus, too."""
    content, file = openmetrics(
        poll(real("Bytes/sec", 1, "/s"), real("Bytes sec", 2, "/s"), real("Bytes-sec", 3, "%"), real("%x", 4), real("percent x", 5)),
        poll(real("bytes", 7, "/s"), real("日本", 8), real("日木", 9), seconds=2),
    )
    families = read_openmetrics(content)
    found = {name: {dict(labels)["server"] + ":" + dict(labels)["counter"]: samples[0][0] for labels, samples in family.series.items()}
             for name, family in families.items()}
    assert found == {
        "perflib_set_bytes_per_second": {"HOST:Bytes/sec": "1", "HOST:Bytes sec": "2", "HOST:bytes": "7"},
        "perflib_set_bytes_sec_percent": {"HOST:Bytes-sec": "3"},
        "perflib_set_percent_x": {"HOST:%x": "4", "HOST:percent x": "5"},
        "perflib_set_u65e5_u672c": {"HOST:日本": "8"},
        "perflib_set_u65e5_u6728": {"HOST:日木": "9"},
    }
    assert sorted(samples[0][0] for samples in dump(create_blocks(file, tmp_path / "tsdb")).values()) == [1, 2, 3, 4, 5, 7, 8, 9]


def test_times_are_in_order_and_as_prometheus_holds_them(openmetrics, tmp_path):
    """Polls out of order, several in one millisecond, before 1970 and after 9999; what Prometheus holds of them."""
    first = NOON * 1000
    content, file = openmetrics(
        poll(real("a", 3), seconds=3),
        poll(real("a", 1), seconds=1, nanoseconds=1000),
        poll(real("a", 99), seconds=1, nanoseconds=2000),       # the millisecond of the one before
        poll(real("a", 98), seconds=1, nanoseconds=1000),       # the very same time
        poll(real("a", 2), seconds=1, nanoseconds=1000000),
        poll(real("a", 97), seconds=-NOON - 1),
        poll(real("a", 96), seconds=253402300800 - NOON),
        poll(real("a", 5), real("a", 4), seconds=4),            # twice in one poll
        poll(real("a", 0), seconds=0),
        poll(real("a", 0.5), nanoseconds=999900),              # a double that Prometheus reads as the next millisecond
        poll(real("a", 95), nanoseconds=1000000),
    )
    (family,) = read_openmetrics(content).values()
    (samples,) = family.series.values()
    assert [value for value, _ in samples] == ["0", "0.5", "1", "2", "3", "5"]
    (held,) = dump(create_blocks(file, tmp_path / "tsdb")).values()
    assert held == [(0, first), (0.5, first + 1), (1, first + 1000), (2, first + 1001), (3, first + 3000), (5, first + 4000)]


def test_another_unit_makes_another_family(openmetrics):
    """A type that was learned late changes the unit: each has its family, and in that one series, in order of time."""
    content, _ = openmetrics(*(poll(real("a", number, "%" if number % 3 else ""), seconds=-number) for number in range(9)))
    families = read_openmetrics(content)
    assert [[value for value, _ in samples] for family in families.values() for samples in family.series.values()] == [
        ["6", "3", "0"], ["8", "7", "5", "4", "2", "1"]
    ]


def test_prometheus_answers_from_the_history(openmetrics, tmp_path):
    """A Prometheus answers from the history of a capture."""
    _, file = openmetrics(*(poll(real("% Time", 10 * time, "%"), real("other", 1), seconds=60 * time) for time in range(5)))
    with server(create_blocks(file, tmp_path / "tsdb"), tmp_path) as query:
        assert query("avg_over_time(perflib_set_time_percent[10m])", NOON + 240) == {
            frozenset({("server", "HOST"), ("server_address", "00:00:00:00:00:00"), ("counterset", "Set"), ("counterset_guid", "238"),
                       ("counter", "% Time"), ("counter_id", "6")}): 20
        }
        assert list(query('perflib_set_time_percent{counter="% Time"} > 25', NOON + 190).values()) == [30]


def test_no_room_for_the_temporary_file_of_pdh_csv(fake_tshark, capture, folder):  # noqa: F811
    """Nothing half is written, though the file itself, of 100 rows, would have room; tshark says why."""
    path = capture(*(poll(*(whole(f"c{number}", 1) for number in range(500))) for _ in range(100)))
    result = subprocess.run(
        fake_tshark.command("-r", path, "-q", "-z", f"fakepolls,pdh-csv,{folder / 'polls'}",
                            wrapper=("prlimit", "--fsize=100000", "env", "--ignore-signal=XFSZ")),
        env=fake_tshark.environment(), capture_output=True, text=True, timeout=60, check=False,
    )
    assert "temporary file: " in result.stderr
    assert not list(folder.iterdir())


def test_no_room_for_the_values():
    """SQLite's temporary file is full: the script says so, and writes nothing that looks whole."""
    # 300 digits each.
    lines = "".join(json.dumps({"time": "2026-11-20T12:00:00.0000000Z", "counterset": "S", "counter": f"c{number % 9}", "cooked": 10**299 + number})
                    + "\n" for number in range(10_000))
    result = subprocess.run(["prlimit", "--fsize=100000", *SCRIPT], input=lines.encode(),
                            capture_output=True, timeout=60, check=False)
    assert result.returncode == 1 and result.stderr.startswith(b"openmetrics: "), result.stderr
    assert b"# EOF" not in result.stdout


@pytest.mark.parametrize("rows", [1, 1_000], ids=["little", "much"])
def test_a_full_disk_is_called_so(rows):
    """In one line, whether the disk fills on the way or with what was kept until the end."""
    lines = "".join(json.dumps({"time": "2026-11-20T12:00:00.0000000Z", "counterset": "S", "counter": f"c{number}", "cooked": number}) + "\n"
                    for number in range(rows))
    with open("/dev/full", "wb") as full:
        result = subprocess.run(SCRIPT, input=lines, stdout=full, stderr=subprocess.PIPE, text=True,
                                timeout=60, check=False)
    assert result.returncode == 1
    assert re.fullmatch(r"openmetrics: .*No space left on device\n", result.stderr), result.stderr
