# SPDX-License-Identifier: GPL-2.0-or-later
"""What is looked at must be there: a test of nothing succeeds."""


def some(rows, least=1):
    """The rows as a list, or an error where there are fewer than at least so many."""
    rows = list(rows)
    assert len(rows) >= least, f"{len(rows)} rows where at least {least} should be"
    return rows
