# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of -z perflib,report in a browser: it shows all it has, at each width, in the light and in the dark, and complains of nothing."""

import re
import time
from fractions import Fraction

import pytest

from lib import perflibv2 as p
from lib.browser import Browser
from lib.captures import CAPTURES, record_of
from lib.report import SECTIONS, page_of
from lib.some import some
from lib.wire import Capture

PAGES = ["tcp-session", "habits", "sessions-smb", "sealed-smb2", "pla-session", "perfdata-windows", "foreign"]

# Texts whose color is too near to what is behind them: WCAG 2.1, 1.4.3, at level AA.
CONTRAST = """
(() => {
  const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const parts = text => { const n = text.match(/[0-9.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parts(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  let looked = 0;
  const bad = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !element.checkVisibility()) continue;
    if (element.closest('script')) continue;
    const style = getComputedStyle(element), back = behind(element), front = over(parts(style.color), back);
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a), ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    looked++;
    if (ratio < (large ? 3 : 4.5)) bad.push(`${element.tagName} ${element.textContent.slice(0, 40)}: ${ratio}`);
  }
  return {looked, bad};
})()
"""

# What a reader of the screen is told: headings in order, and a name for all that is no text.
NAMES = """
(() => {
  const bad = [];
  let level = 0;
  for (const heading of document.querySelectorAll('h1,h2,h3,h4')) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1 || !heading.textContent.trim()) bad.push(heading.outerHTML);
    level = now;
  }
  if (document.querySelectorAll('h1').length !== 1 || document.documentElement.lang !== 'en' || !document.title) bad.push('page');
  for (const plot of document.querySelectorAll('.plot'))
    if (plot.getAttribute('aria-hidden') !== 'true' || !plot.parentElement.querySelector('details.values')) bad.push('plot');
  for (const table of document.querySelectorAll('table'))
    if (!table.caption || [...table.querySelectorAll('th')].some(th => th.scope !== (th.closest('tbody') ? 'row' : 'col'))) bad.push('table');
  if (['header', 'main', 'footer'].some(name => document.querySelectorAll(name).length !== 1)) bad.push('landmarks');
  if (document.querySelectorAll('img,iframe,object,embed,link,[onclick]').length) bad.push('foreign');
  return bad;
})()
"""


@pytest.fixture(scope="module")
def browser():
    browser = Browser()
    yield browser
    browser.end()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


def written(tshark, folder, name):
    """The path of a capture's page."""
    path = folder / f"{name}.html"
    if not path.exists():
        path.write_text(page_of(tshark, CAPTURES / f"{name}.pcapng").source, encoding="utf-8")
    return path


def wait_for_charts(browser):
    """Charts are drawn one frame after they are on the page."""
    end = time.monotonic() + 20
    while browser.ask("[...document.querySelectorAll('.plot')].some(plot => !plot.querySelector('canvas'))"):
        assert time.monotonic() < end, "no charts"
        time.sleep(0.05)


@pytest.fixture(scope="module", params=PAGES)
def page(request, tshark, folder):
    page = page_of(tshark, CAPTURES / f"{request.param}.pcapng")
    page.path = folder / f"{request.param}.html"
    page.path.write_text(page.source, encoding="utf-8")
    return page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800, 390])
def test_page_shows_sections_that_have_rows_and_fits_the_width(browser, page, width, dark):
    browser.open(page.path, width, dark=dark)
    wait_for_charts(browser)
    assert browser.ask("document.querySelectorAll('details').forEach(d => d.open = true); 1")
    assert browser.ask("[...document.querySelectorAll('section')].map(s => s.id)") == SECTIONS
    # A section without rows is not shown.
    shown = browser.ask("[...document.querySelectorAll('section')].filter(s => s.checkVisibility()).map(s => s.id)")
    has_rows = {"findings": True, "servers": page.rows["sessions"], "making": True,
                "costs": any(page.rows[f"{name}-{table}"] for name in ("perflibv2", "perfdata") for table in ("usage", "queries")) or page.rows["pla-sets"],
                "missing": page.rows["perflibv2-missing"] or page.rows["perfdata-missing"],
                "rules": [row for row in page.rows["perflibv2-rules"] if row["verdict"] == "broken"],
                "charts": page.rows["perflibv2-counters"] or page.rows["perfdata-counters"]}
    assert shown == [name for name in SECTIONS if has_rows[name]]
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask("matchMedia('(prefers-color-scheme: dark)').matches") == dark
    contrast = browser.ask(CONTRAST)
    assert contrast["looked"] > 8 and contrast["bad"] == []
    assert browser.ask(NAMES) == []
    # Charts are drawn: some of their pixels are not those of the empty canvas.
    drawn = browser.ask("""[...document.querySelectorAll('.plot canvas:first-of-type')].map(canvas => canvas.width > 100 &&
        new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer).some(pixel => pixel))""")
    assert False not in drawn and bool(drawn) == bool(page.rows["curves"])
    # What follows the page's rules could do nothing else.
    assert browser.complaints == []
    assert browser.ask("""(() => { const s = document.createElement('script'); s.textContent = 'window.evil = 1';
        document.body.append(s); return window.evil === undefined; })()""")


@pytest.mark.parametrize("name", sorted(path.stem for path in CAPTURES.glob("*.pcapng")))
def test_printed_page_takes_one_to_four_sheets(browser, tshark, folder, name):
    browser.open(written(tshark, folder, name), 1280)
    wait_for_charts(browser)
    assert 1 <= browser.sheets() <= 4


@pytest.mark.parametrize("name", ["tcp-session", "perfdata-windows", "big"])
def test_printed_charts_have_curves_and_a_table_of_values(browser, tshark, folder, name):
    """Each chart has visible curves and a table of some of its values, equal to those of the tables. The page says if values are left out."""
    browser.open(written(tshark, folder, name), 1280)
    wait_for_charts(browser)
    charts = browser.ask("document.querySelectorAll('.chart').length")
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        shown = browser.ask("""[...document.querySelectorAll('.chart')].filter(chart => chart.checkVisibility()).map(chart => ({
            canvases: [...chart.querySelectorAll('canvas')].filter(c => c.checkVisibility()).length,
            heading: chart.querySelector('h3').textContent,
            names: [...chart.querySelectorAll('.legend .name')].map(name => name.textContent),
            rows: [...chart.querySelectorAll('table.printed tbody tr')].filter(row => row.checkVisibility()).map(row => [...row.children].map(c => c.textContent)),
        }))""")
        told = browser.ask("getComputedStyle(document.querySelector('.charts'), '::after').content")
    finally:
        browser.call("Emulation.setEmulatedMedia", media="screen")
    assert len(shown) == min(charts, 8) and (told == '"Not all of them are printed."') == (charts > 8)
    sent = page_of(tshark, CAPTURES / f"{name}.pcapng").curves().values()
    for chart in some(shown):
        assert chart["canvases"] == 1 and [row[0] for row in chart["rows"]] == chart["names"]
        counter = chart["heading"].split(" \u2013 ")[0]
        for name_of_series, *cells in chart["rows"]:
            values = [float(cell.replace("\u202f", "")) for cell in cells if cell]
            assert 1 <= len(values) <= 5
            # Six digits are shown.
            assert any(all(any(value == pytest.approx(one, rel=1e-5, abs=1e-9) for one in curve) for value in values)
                       for _, curve, _, row in sent if row["counter"] == counter and row["instance"] in (name_of_series, None)), (chart["heading"], values)
    assert browser.complaints == []


def test_what_encrypted_calls_did_is_unknown(browser, tshark, folder):
    """The number of added counters is unknown, not 0. Calls, and which of them were polls, are counted."""
    browser.open(written(tshark, folder, "sealed-smb2"), 1280)
    cells = browser.ask("[...document.querySelectorAll('#costs td[data-head=\"Counters added\"]')].map(td => td.textContent)")
    assert set(cells) == {"unknown"}
    polls = browser.ask("[...document.querySelectorAll('#costs td[data-head=\"Polls\"]')].map(td => td.textContent)")
    assert len(polls) == len(cells) and any(int(text) > 0 for text in polls)
    assert browser.complaints == []


def test_values_are_counted_by_name(browser, tshark, folder):
    """The box at the top counts cooked values, the table all values that came: bases and first samples, too."""
    record = record_of(CAPTURES / "tcp-session.pcapng")
    browser.open(written(tshark, folder, "tcp-session"), 1280)
    cooked = re.search(r"; ([\d\u202f]+) cooked values of ", browser.ask("document.getElementById('facts').textContent"))[1]
    received = browser.ask("[...document.querySelectorAll('#costs > .scroll td[data-head=\"Values received\"]')].map(td => td.textContent)")
    cooked, received = int(cooked.replace("\u202f", "")), sum(int(text.replace("\u202f", "")) for text in received)
    assert len(record["expected_cooked_values"]) <= cooked < received


def test_measured_numbers_have_three_digits(browser, tshark, folder):
    """The intervals and times of the table of countersets; numbers that were counted have all their digits."""
    page = page_of(tshark, CAPTURES / "tcp-session.pcapng")
    browser.open(written(tshark, folder, "tcp-session"), 1280)
    cell = "[...document.querySelectorAll('#costs > .scroll td[data-head=\"{}\"]')].map(td => td.textContent)"
    for head, key in (("Interval s", "interval_s"), ("Total response ms", "server_ms"), ("Share of response time %", "share_percent")):
        shown = [float(text) for text in browser.ask(cell.format(head))]
        assert shown == [float(f"{float(row[key]):.3g}") for row in some(page.rows["perflibv2-usage"])]
    assert [int(text.replace("\u202f", "")) for text in browser.ask(cell.format("Bytes"))] == [row["bytes"] for row in page.rows["perflibv2-usage"]]


@pytest.mark.parametrize("name", ["habits", "tcp-session", "both-apis", "perfdata-samba"])
def test_words_of_tables_are_whole(browser, tshark, folder, name):
    """Names stand on one line, sentences break between words, and no column is cut off."""
    browser.open(written(tshark, folder, name), 1280)
    looked, broken = browser.ask("""(() => {
        let looked = 0;
        const broken = [], range = document.createRange();
        for (const cell of document.querySelectorAll('td:not(.long)')) {
            const text = cell.firstChild;
            if (!text || !cell.checkVisibility()) continue;
            for (const word of text.data.matchAll(cell.className ? /.+/g : /[^ -]+/g)) {
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                looked++;
                if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) broken.push(word[0]);
            }
        }
        return [looked, broken];
    })()""")
    assert looked > 20 and broken == []
    # But for that of all counters, whose numbers may have twenty digits each.
    assert browser.ask("[...document.querySelectorAll('section > .scroll, section > details .scroll')].filter(s => s.scrollWidth > s.clientWidth).length") == 0


def test_values_under_the_pointer(browser, tshark, folder):
    """The record's values of the processor, at their times; then the latest again; and all of them in the table of values."""
    browser.open(written(tshark, folder, "tcp-session"), 1280)
    wait_for_charts(browser)
    browser.ask("window.chart = document.querySelector('.chart'); chart.scrollIntoView({block: 'center'}); 1")
    assert browser.ask("chart.querySelector('h3').textContent") == "% Processor Time \u2013 Processor Information"
    total = "[...chart.querySelectorAll('.legend li')].find(li => li.querySelector('.name').textContent === '_Total').querySelector('output').textContent"
    case = [case for case in record_of(CAPTURES / "tcp-session.pcapng")["expected_cooked_values"]
            if case.get("path", "").endswith("\\Processor Information(_Total)\\% Processor Time")]
    expected = [f"{float(Fraction(one['exact'])):.6g} %" for one in case]
    assert browser.ask(total) == expected[-1]
    left, top, width, height = browser.ask("(r => [r.left, r.top, r.width, r.height])(chart.querySelector('.plot').getBoundingClientRect())")
    shown, times = [], set()
    for part in range(0, 41):
        browser.move(left + 90 + part * (width - 96) / 40, top + height / 2)
        shown.append(browser.ask(total))
        times.add(browser.ask("chart.querySelector('.unit output').textContent"))
    assert list(dict.fromkeys(shown)) == expected
    assert len(times) == len(expected) and all(re.fullmatch(r" 08:00:0\d\.\d{3}", time) for time in times)
    browser.move(left, top - 200)
    assert browser.ask(total) == expected[-1]
    browser.ask("chart.querySelector('details').open = true; 1")
    time.sleep(0.3)
    cells = browser.ask("[...chart.querySelectorAll('details table')[1].querySelectorAll('tbody tr')].map(tr => tr.children[1].textContent)")
    assert [f"{cell} %" for cell in cells] == expected
    assert browser.complaints == []


def test_search_and_sorting_change_what_is_shown(browser, tshark, folder):
    browser.open(written(tshark, folder, "tcp-session"), 1280)
    wait_for_charts(browser)
    browser.ask("""(box => { box.value = 'worker SVCHOST io'; box.dispatchEvent(new Event('input')); })(document.querySelector('input')); 1""")
    time.sleep(0.6)
    headings = browser.ask("[...document.querySelectorAll('.chart h3')].map(h => h.textContent)")
    assert all("IO " in some_heading and "Contoso Worker" in some_heading for some_heading in some(headings))
    browser.ask("document.querySelector('.counters details').open = true; 1")
    column = "[...document.querySelectorAll('.counters tbody tr')].map(tr => Number(tr.children[6].textContent.replaceAll('\u202f', '')))"
    paths = browser.ask("[...document.querySelectorAll('.counters tbody tr')].map(tr => tr.children[0].textContent)")
    assert all("svchost" in path and "IO" in path for path in some(paths))
    button = "[...document.querySelectorAll('.counters th')].find(th => th.textContent === 'Max')"
    for sort, reverse in (("ascending", False), ("descending", True)):
        browser.ask(f"{button}.querySelector('button').click(); 1")
        assert browser.ask(f"{button}.getAttribute('aria-sort')") == sort
        values = browser.ask(column)
        assert len(values) > 2 and values == sorted(values, reverse=reverse)
    assert browser.complaints == []


def test_page_without_script_answers_and_says_where_the_rest_is(browser, tshark, folder):
    """The answer is there, and says where the rest is."""
    path = written(tshark, folder, "sessions-smb")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(path, 1280)
        text = browser.ask("document.body.innerText")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    for said in ("gets through to 4 of 8 servers", "denies access to its pipe winreg", "need JavaScript", "-z perflib,csv"):
        assert said in text


HOSTILE = ["</script><script>window.evil = 1</script>", "<img src=x onerror='window.evil=1'>", "\"'><svg onload=window.evil=1>", "{{css}}", "a\u202egnp.exe",
           "<!--<script>", "&lt;b&gt;"]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_are_text(browser, tshark, folder, tmp_path, name):
    """Of machine, counterset, instances and counters, in headings, legends, tables and charts."""
    tmp_path.chmod(0o755)
    capture = p.session_named(name)
    path = folder / "hostile.html"
    path.write_text(page_of(tshark, capture.write(tmp_path / "made.pcap")).source, encoding="utf-8")
    browser.open(path, 1280)
    wait_for_charts(browser)
    browser.ask("document.querySelectorAll('details').forEach(d => d.open = true); 1")
    time.sleep(0.3)
    shown = name.replace("\u202e", "\\u202E")
    assert shown in browser.ask("document.querySelector('.chart h3').textContent")
    assert browser.ask("window.evil === undefined && document.querySelectorAll('img, svg:not(.legend svg), iframe').length === 0")
    assert browser.complaints == []


def test_page_of_many_counters_is_small_and_quick(browser, tshark, folder, tmp_path):
    """Two thousand counters in two hundred polls: at most 5 MB, and laid out within four seconds."""
    tmp_path.chmod(0o755)
    capture = Capture()
    peer = p.Peer(capture)
    peer.teach()
    handle = p.query_handle(1)
    peer.mapped(handle, p.identifier(1, "*"))
    for at in range(200):
        rows = [p.instance(f"process {i}", i) + p.value(i * at % 997) for i in range(2000)]
        peer.poll(handle, p.data(p.block(4, p.multi_instances(rows)), time=p.TIME + at * 10_000_000), in_size=1 << 20)
    path = folder / "many.html"
    path.write_text(page_of(tshark, capture.write(tmp_path / "made.pcap")).source, encoding="utf-8")
    assert 1_000_000 < path.stat().st_size < 5_000_000
    browser.open(path, 1280)
    wait_for_charts(browser)
    charts = browser.ask("document.querySelectorAll('.chart').length")
    assert charts <= 12 and browser.ask("document.querySelectorAll('canvas').length") == 2 * charts
    assert browser.ask("Math.max(...drawn.map(({graph}) => graph.numRows() * (graph.numColumns() - 1)))") <= 8 * 2 * 8 * 64
    assert browser.ask("document.querySelectorAll('*').length") < 5000
    assert browser.complaints == []


def test_a_number_that_is_a_name_has_all_its_digits_together(browser, tshark, folder):
    """Object 5000 of OTHER-PC has no name; 12,077 bytes are a number."""
    browser.open(written(tshark, folder, "perfdata-windows"), 1280)
    cells = browser.ask("[...document.querySelectorAll('td')].map(td => td.textContent)")
    assert "5000" in cells and "5\u202f000" not in cells
    assert "12\u202f077" in cells
