# SPDX-License-Identifier: GPL-2.0-or-later
"""-z perflib,report: names that are made to be markup, a large capture, and a file that cannot be written."""

import random
import sys

import pytest

from lib import perflibv2 as p
from lib.captures import CAPTURES, REPOSITORY
from lib.report import page_of

sys.path.append(str(REPOSITORY / "tests" / "bench"))

import content  # noqa: E402

PIECES = ["<", ">", "</script>", "<!--", "-->", "<script>", "&", "&lt;", "&#0;", "'", '"', "\\", "\\u003c", "`", "${1}", "{{js}}", "{S}", "%n", "\n",
          "\u202e", "\u2066", "\u200f", "\u061c", "\u2028", "\ufeff", "\x07", "\x85", "\ud800", "\udfff", "\U0001f600", "a", "B", " ", "0", "\u0130"]


@pytest.mark.parametrize("seed", range(12))
def test_names_made_of_pieces(tshark, tmp_path, seed):
    """Of machine, counterset, counters and instances, each of its own: page_of() finds that nothing is markup, script or invisible."""
    tmp_path.chmod(0o755)
    name = "".join(random.Random(seed).choices(PIECES, k=12))
    page = page_of(tshark, p.session_named(name).write(tmp_path / "made.pcap"))
    plain = page_of(tshark, p.session_named("x").write(tmp_path / "plain.pcap"))
    # The page has the same parts as that of a harmless name, whatever is in the texts.
    assert [(element.name, element.attributes.get("class")) for element in page.root.walk()] == \
        [(element.name, element.attributes.get("class")) for element in plain.root.walk()]
    assert {table: len(rows) for table, rows in page.rows.items()} == {table: len(rows) for table, rows in plain.rows.items()}
    assert page.only_curve()[1] == plain.only_curve()[1]


@pytest.fixture(scope="module", params=["large", "small"])
def hundred(request, tmp_path_factory):
    """A capture of 100 MB."""
    path = tmp_path_factory.mktemp("hundred") / request.param
    path.parent.chmod(0o755)
    content.CONTENTS[request.param](path, 100)
    assert path.stat().st_size > 99_000_000
    yield path
    path.unlink()


def test_a_page_of_100_mb(tshark, hundred):
    """At most 5 MB. The points and rows that a browser draws are bounded, too, so it opens at once."""
    page = page_of(tshark, hundred)
    assert len(page.source.encode()) < 5_000_000
    curves = page.curves()
    assert curves and sum(len(values) for _, values, _, _ in curves.values()) <= 80_000
    assert sum(len(rows) for table, rows in page.rows.items() if table != "curves") < 10_000
    # The smallest and the largest value of each are points, the first and the last poll are its ends.
    for times, values, _, row in list(curves.values())[:100]:
        assert [min(values), max(values)] == pytest.approx([float(row["min"]), float(row["max"])], rel=1e-8) and times == sorted(times)


@pytest.mark.parametrize("name", ["no/such/folder/page.html", ""], ids=["no folder", "a folder"])
def test_a_page_that_cannot_be_written(tshark, tmp_path, name):
    """The sentence says which file it is, with its folder, and why; nothing is left there."""
    tmp_path.chmod(0o777)
    told = tshark.complaint(CAPTURES / "tcp-session.pcapng", "-q", "-z", f"perflib,report,{tmp_path}/{name}")
    assert f"{tmp_path}/{name}" in told
    assert list(tmp_path.iterdir()) == [] and len(told.strip().splitlines()) == 1
