# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what tshark shows with what a record says."""

import datetime
import re

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def nanoseconds(date, time):
    """Since 1970, of a date (year, month, day) and a time "HH:MM:SS.nnnnnnnnn"."""
    hours, minutes, seconds = time.split(":")
    seconds, _, fraction = seconds.partition(".")
    days = (datetime.date(*date) - datetime.date(1970, 1, 1)).days
    whole = ((days * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 10**9 + int(fraction.ljust(9, "0"))


def shown_time(show):
    """Wireshark 4.0 writes "Jan 18, 2024 00:45:45.678000000 UTC", later ones ISO 8601 in PDML."""
    if match := re.match(r"(\w{3}) +(\d+), (\d{4}) ([\d:.]+)", show):
        month, day, year, time = match.groups()
        return nanoseconds((int(year), MONTHS.index(month) + 1, int(day)), time)
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)[T ]([\d:.]+)", show)
    assert match, f"not a time: {show}"
    year, month, day, time = match.groups()
    return nanoseconds((int(year), int(month), int(day)), time)


def expected_time(name, value):
    if name == "perflibv2.data.perf_time_100ns":
        # FILETIME: 100 ns since 1601
        return (value - 116444736000000000) * 100
    date = (value["Year"], value["Month"], value["Day"])
    return nanoseconds(
        date, f"{value['Hour']}:{value['Minute']}:{value['Second']}.{value['Milliseconds']:03}"
    )


def without_lone_surrogates(text):
    """Wireshark keeps text as UTF-8, where a surrogate alone has no place."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def shows(show, name, value):
    """Whether an item that shows this shows the value that a record gives."""
    if name in ("perflibv2.data.perf_time_100ns", "perflibv2.data.system_time"):
        return shown_time(show) == expected_time(name, value)
    if isinstance(value, str):
        shown = without_lone_surrogates(value)
        return show in (shown, shown.replace("\\", "\\\\"))
    if show in ("True", "False"):
        return (show == "True") == bool(value)
    return int(show, 0) == value
