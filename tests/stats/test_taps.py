# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics both performance APIs share, fed with polls a test spells out (tests/taps)."""

import csv
import subprocess

import pytest

from lib.fakepolls import NOON, NOT_DISPLAYED, capture, fake_tshark, none, poll, real, text, whole  # noqa: F401
from lib.tables import counters_of

@pytest.fixture
def pdh_csv(fake_tshark, capture, tmp_path):
    """The rows of the CSV file for polls, and its bytes."""

    def run(*polls, options=(), display_filter="", env=()):
        output = tmp_path / "polls.csv"
        argument = f"fakepolls,pdh-csv,{output}" + (f",{display_filter}" if display_filter else "")
        fake_tshark.run(capture(*polls), "-q", *options, "-z", argument, env=env)
        content = output.read_bytes()
        rows = list(csv.reader(content.decode("utf-8").split("\r\n")[:-1]))
        return rows, content

    return run


TITLE = "(PDH-CSV 4.0) (UTC)(0)"


def at(clock):
    return f"11/20/2026 {clock}"


def test_csv_is_what_perfmon_writes(pdh_csv):
    """Every cell in quotes, a quoted blank where there is no value, lines end in CR LF."""
    _, content = pdh_csv(
        poll(none(r"\\A\S(x)\rate"), whole(r"\\A\S(x)\count", 5)),
        poll(real(r"\\A\S(x)\rate", 12.5), whole(r"\\A\S(x)\count", 6), seconds=1),
    )
    assert content == (
        b'"(PDH-CSV 4.0) (UTC)(0)","\\\\A\\S(x)\\rate","\\\\A\\S(x)\\count"\r\n'
        b'"11/20/2026 12:00:00.000"," ","5"\r\n'
        b'"11/20/2026 12:00:01.000","12.5","6"\r\n'
    )


def test_csv_columns_come_in_order_of_appearance(pdh_csv):
    """A column that appears late is blank in the rows before."""
    rows, _ = pdh_csv(
        poll(whole("z", 1)),
        poll(whole("z", 2), whole("a", 3), seconds=1),
        poll(whole("a", 4), none("m"), seconds=2),
    )
    assert rows == [
        [TITLE, "z", "a", "m"],
        [at("12:00:00.000"), "1", " ", " "],
        [at("12:00:01.000"), "2", "3", " "],
        [at("12:00:02.000"), " ", "4", " "],
    ]


def test_csv_rows_of_one_time_are_one(pdh_csv):
    """Over handles, servers and connections; the first value of a cell stands, a missing one is filled."""
    rows, _ = pdh_csv(
        poll(whole(r"\\A\x", 1), none(r"\\A\y"), host="A"),
        poll(whole(r"\\B\x", 2), host="B"),
        poll(whole(r"\\A\y", 3), whole(r"\\A\x", 99), host="A"),
        poll(whole(r"\\B\x", 4), seconds=1, host="B"),
    )
    assert rows == [
        [TITLE, r"\\A\x", r"\\A\y", r"\\B\x"],
        [at("12:00:00.000"), "1", "3", "2"],
        [at("12:00:01.000"), " ", " ", "4"],
    ]


def test_csv_one_host_of_two_servers(pdh_csv):
    """The same path of two machines is two columns."""
    rows, _ = pdh_csv(poll(whole("p", 1), host="A"), poll(whole("p", 2), seconds=1, host="B"))
    assert [row[1:] for row in rows] == [["p", "p"], ["1", " "], [" ", "2"]]


def test_csv_rows_are_ordered_by_time(pdh_csv):
    rows, _ = pdh_csv(
        poll(whole("a", 3), seconds=2),
        poll(whole("a", 1), seconds=0),
        poll(whole("a", 2), whole("b", 7), seconds=1),
        poll(whole("b", 8), seconds=0),
    )
    assert [row[1:] for row in rows] == [["a", "b"], ["1", "8"], ["2", "7"], ["3", " "]]


def test_csv_times_are_cut_to_milliseconds(pdh_csv):
    """Milliseconds are cut, not rounded; polls 100 ns apart are two rows; years from 1601 to 60056."""
    seconds = -NOON
    first_filetime = -11644473600       # 1601-01-01
    last_filetime = (2**64 - 1) // 10**7 - 11644473600
    rows, _ = pdh_csv(
        poll(whole("a", 1), nanoseconds=999_999_900),
        poll(whole("a", 2), nanoseconds=999_999_800),
        poll(whole("a", 3), seconds=seconds + first_filetime),
        poll(whole("a", 4), seconds=seconds - 1),
        poll(whole("a", 5), seconds=seconds + 951782399, nanoseconds=1_000_000),
        poll(whole("a", 6), seconds=seconds + last_filetime),
        poll(whole("a", 7), seconds=seconds + 10**15),
    )
    assert rows[1:] == [
        ["01/01/1601 00:00:00.000", "3"],
        ["12/31/1969 23:59:59.000", "4"],
        ["02/28/2000 23:59:59.001", "5"],
        [at("12:00:00.999"), "2"],
        [at("12:00:00.999"), "1"],
        ["05/28/60056 05:36:10.000", "6"],
        [" ", "7"],
    ]


def test_csv_without_a_time(pdh_csv):
    """Before the year 1, and a time that is none."""
    rows, _ = pdh_csv(poll(whole("a", 1), seconds=-(10**15)), poll(whole("a", 2), nanoseconds=-1))
    assert rows[1:] == [[" ", "1"], [" ", "2"]]


def test_csv_numbers_are_read_back_as_they_were(pdh_csv):
    """Whole numbers have all digits; doubles are read back as they were, from no more digits than that takes."""
    reals = [0.1, 1 / 3, 12.3, 1e-300, 2.0**128, 5e-324, 123456789012345.6, -175.0, 100.0, 2 / 3 * 1e17]
    wholes = [0, 2**53 + 1, 2**64 - 1, 133500123456780001]
    rows, _ = pdh_csv(
        poll(*(real(f"r{i}", value) for i, value in enumerate(reals)), *(whole(f"w{i}", value) for i, value in enumerate(wholes)))
    )
    cells = rows[1][1:]
    assert [float(cell) for cell in cells[: len(reals)]] == reals
    assert [len(cell.strip("-").split("e")[0].replace(".", "").lstrip("0")) for cell in cells[:3]] == [1, 16, 3]
    assert cells[len(reals) :] == [str(value) for value in wholes]


def test_csv_quotes_and_languages(pdh_csv):
    path = 'Ärger "Größe" (計測機器, 𝔘𝔫𝔦)'
    rows, content = pdh_csv(poll(text(path, 'says "yes", no\rnew line'), text("b", ""), text("c", '"')))
    assert rows[0][1] == path
    assert rows[1][1:] == ['says "yes", no\\rnew line', "", '"']
    assert f'"{path.replace(chr(34), chr(34) * 2)}"'.encode() in content


def test_csv_leaves_out_what_is_never_displayed(pdh_csv):
    rows, _ = pdh_csv(poll(none("base", NOT_DISPLAYED), whole("a", 1)), poll(seconds=1))
    assert rows == [[TITLE, "a"], [at("12:00:00.000"), "1"], [at("12:00:01.000"), " "]]


def test_csv_without_polls_has_its_title(pdh_csv):
    rows, _ = pdh_csv()
    assert rows == [[TITLE]]


def test_csv_filter_follows_the_files_name(pdh_csv):
    """What follows the file's name is a display filter, commas and all."""
    rows, _ = pdh_csv(*(poll(whole("a", i), seconds=i) for i in range(5)), display_filter="frame.number in {2, 4}")
    assert [row[1] for row in rows] == ["a", "1", "3"]


def test_csv_of_two_passes_counts_once(pdh_csv):
    rows, _ = pdh_csv(poll(whole("a", 1)), poll(whole("a", 2), seconds=1), options=["-2"])
    assert [row[1] for row in rows] == ["a", "1", "2"]


def test_csv_wide_and_long(pdh_csv):
    """More cells than any buffer holds, in an order that makes the temporary file jump."""
    columns, times = 300, 200
    rows, _ = pdh_csv(
        *(
            poll(*(whole(f"c{column}", time * 1000 + column) for column in range(time % 7, columns, 3)), seconds=time)
            for time in reversed(range(times))
        )
    )
    assert len(rows) == times + 1 and {len(row) for row in rows} == {columns + 1}
    index = {name: number for number, name in enumerate(rows[0])}
    for time, row in enumerate(rows[1:]):
        for column in range(columns):
            polled = column >= time % 7 and (column - time % 7) % 3 == 0
            assert row[index[f"c{column}"]] == (str(time * 1000 + column) if polled else " ")


@pytest.mark.parametrize(
    "argument, complaint",
    [
        ("fakepolls,pdh-csv", "needs the name of a file"),
        ("fakepolls,pdh-csv,", "needs the name of a file"),
        ("fakepolls,pdh-csv,,frame", "needs the name of a file"),
        ("fakepolls,pdh-csv,/no/such/folder/x.csv", "/no/such/folder/x.csv"),
        ("fakepolls,pdh-csv,/dev/null,no such filter", "no such filter"),
        ("fakepolls,pdh-csv,/dev/full", "/dev/full"),
        ("fakepolls,pdh-csvfoo,/dev/null", "needs the name of a file"),
    ],
)
def test_csv_complains_of_arguments_it_cannot_take(fake_tshark, capture, argument, complaint):
    assert complaint in fake_tshark.complaint(capture(poll(whole("a", 1))), "-q", "-z", argument)


@pytest.mark.parametrize("columns, rows", [(1, 1), (1, 2000), (2000, 1)], ids=["little", "many rows", "many columns"])
def test_csv_complains_of_a_full_disk(fake_tshark, capture, columns, rows):
    """Whether it fills up with the header, with a row, or when the file is closed."""
    polls = (poll(*(whole(f"counter {column}", 1) for column in range(columns)), seconds=row) for row in range(rows))
    assert "/dev/full" in fake_tshark.complaint(capture(*polls), "-q", "-z", "fakepolls,pdh-csv,/dev/full")


@pytest.mark.parametrize("name, is_written", [("polls.csv", False), ("-", True)])
def test_csv_of_instances_that_always_change(fake_tshark, capture, tmp_path, name, is_written):
    """1300 polls of 10 new counters each: 1300 rows of 13,000 cells, nearly all blanks of 4 bytes. A capture of some 250 KB."""
    path = capture(*(poll(*(whole(f"{row}c{column}", 1) for column in range(10)), seconds=row) for row in range(1300)))
    assert path.stat().st_size * 200 < 1300 * 1299 * 10 * 4
    result = subprocess.run(
        fake_tshark.command("-r", path, "-q", "-z", f"fakepolls,pdh-csv,{name if is_written else tmp_path / name}"),
        env=fake_tshark.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )
    told = "13000 counters at 1300 times would need 67 MB of blanks, more than 200 times the size of the capture. Use -z fakepolls,samples,FILE"
    assert (told in result.stderr) != is_written
    assert not (tmp_path / "polls.csv").exists()


@pytest.mark.parametrize("values", [2200, 3000], ids=["at the end", "on the way"])
def test_csv_complains_of_a_temporary_file_that_is_full(fake_tshark, capture, tmp_path, values):
    """No file may grow beyond 32 KiB, a value takes 16 bytes, and the last of 2200 are still in memory at the end."""
    path = capture(poll(*(whole(f"c{column}", 1) for column in range(values))))
    limit = ("prlimit", "--fsize=32768", "env", "--ignore-signal=XFSZ")
    result = subprocess.run(
        fake_tshark.command("-r", path, "-q", "-z", f"fakepolls,pdh-csv,{tmp_path}/polls.csv", wrapper=limit),
        env=fake_tshark.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "temporary file: File too large" in result.stderr


def table(output):
    return counters_of(output)


@pytest.fixture
def counters(fake_tshark, capture):
    def run(*polls, display_filter="", options=()):
        argument = "fakepolls,counters" + (f",{display_filter}" if display_filter else "")
        return fake_tshark.run(capture(*polls), "-q", *options, "-z", argument)

    return run


def test_counters_table_has_first_last_least_mean_and_most(counters):
    """3 values 2, 9, 4: mean 5. A counter that never had a value shows that."""
    output = counters(
        poll(none(r"\\A\S(x)\%"), whole(r"\\A\count", 10), none("never"), none("base", NOT_DISPLAYED), text("t", "text")),
        poll(real(r"\\A\S(x)\%", 2.0, "%"), whole(r"\\A\count", 20), none("never"), seconds=1),
        poll(real(r"\\A\S(x)\%", 9.0, "%"), seconds=2),
        poll(real(r"\\A\S(x)\%", 4.0, "%"), whole(r"\\A\count", 0), seconds=3),
    )
    assert table(output) == {
        r"\\A\S(x)\%": ["%", "3", "2.000", "4.000", "2.000", "5.000", "9.000", "3"],
        r"\\A\count": ["", "3", "10", "0", "0", "10.000", "20", "2"],
        "never": ["first sample", "0", "", "", "", "", "", ""],
    }
    assert "FakePolls Counters" in output


def test_counters_mean_loses_nothing(counters):
    """1e16 + 1000 times 0.5 - 1e16: added one by one in doubles every half would be lost."""
    values = [1e16, *[0.5] * 1000, -1e16]
    output = counters(*(poll(real("a", value), seconds=i) for i, value in enumerate(values)))
    assert float(table(output)["a"][5]) == pytest.approx(500 / 1002, abs=0.0005)


def test_counters_filter_limits_the_polls(counters):
    output = counters(*(poll(whole("a", i), seconds=i) for i in range(5)), display_filter="frame.number in {2, 4}")
    assert table(output)["a"][1:4] == ["2", "1", "3"]


def test_counters_asked_for_twice_are_not_counted_twice(fake_tshark, capture):
    output = fake_tshark.run(
        capture(poll(whole("a", 1))), "-q", "-z", "fakepolls,counters", "-z", "fakepolls,counters,frame"
    )
    assert table(output)["a"][1] == "1"
