# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of -z perflib,report in a browser: it shows all it has, at each width, in the light and in the dark, and complains of nothing."""

import pytest

from lib.browser import Browser
from lib.captures import CAPTURES
from lib.report import SECTIONS, page_of
from lib.some import some

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
  for (const svg of document.querySelectorAll('svg'))
    if (svg.getAttribute('role') !== 'img' || !svg.getAttribute('aria-label') || svg.tabIndex !== 0) bad.push('svg');
  for (const table of document.querySelectorAll('table'))
    if (!table.caption || [...table.querySelectorAll('th')].some(th => th.scope !== 'col')) bad.push('table');
  if (['header', 'main', 'footer'].some(name => document.querySelectorAll(name).length !== 1)) bad.push('landmarks');
  if (document.querySelectorAll('img,iframe,object,embed,link,[style],[onclick]').length) bad.push('foreign');
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


@pytest.fixture(scope="module", params=PAGES)
def page(request, tshark, folder):
    page = page_of(tshark, CAPTURES / f"{request.param}.pcapng")
    page.path = folder / f"{request.param}.html"
    page.path.write_text(page.source, encoding="utf-8")
    return page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 800, 390])
def test_page(browser, page, width, dark):
    browser.open(page.path, width, dark=dark)
    assert browser.ask("document.querySelectorAll('details').forEach(d => d.open = true); 1")
    assert browser.ask("[...document.querySelectorAll('section')].map(s => s.id)") == SECTIONS
    assert browser.ask("[...document.querySelectorAll('section')].every(s => s.querySelector('h2').checkVisibility())")
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask("matchMedia('(prefers-color-scheme: dark)').matches") == dark
    contrast = browser.ask(CONTRAST)
    assert contrast["looked"] > 20 and contrast["bad"] == []
    assert browser.ask(NAMES) == []
    # Curves are drawn: as many lines as there are points, within their box.
    drawn = browser.ask("""[...document.querySelectorAll('svg')].map(s => [s.dataset.v.split(' ').length,
        s.querySelector('path').getAttribute('d').match(/[ML]/g).length, s.getBoundingClientRect().width > 100,
        s.querySelector('path').getBBox().x >= 0 && s.querySelector('path').getBBox().width <= 300])""")
    assert len(drawn) == len(page.curves()) and all(points == lines and wide and fits for points, lines, wide, fits in drawn)
    # What follows the page's rules could do nothing else.
    assert browser.complaints == []
    assert browser.ask("""(() => { const s = document.createElement('script'); s.textContent = 'window.evil = 1';
        document.body.append(s); return window.evil === undefined; })()""")


@pytest.mark.parametrize("name", ["habits", "tcp-session", "both-apis", "perfdata-samba"])
def test_words_of_tables_are_whole(browser, tshark, folder, name):
    """Names stand on one line, sentences break between words, and no column is cut off."""
    path = folder / f"{name}-tables.html"
    path.write_text(page_of(tshark, CAPTURES / f"{name}.pcapng").source, encoding="utf-8")
    browser.open(path, 1280)
    looked, broken = browser.ask("""(() => {
        let looked = 0;
        const broken = [], range = document.createRange();
        for (const cell of document.querySelectorAll('td:not(.w)')) {
            const text = cell.firstChild;
            if (!text) continue;
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
    assert browser.ask("[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth).length") == 0


def test_drawings_of_a_row_are_level(browser, tshark, folder):
    """However many lines the names above them take."""
    path = folder / "level.html"
    path.write_text(page_of(tshark, CAPTURES / "tcp-session.pcapng").source, encoding="utf-8")
    browser.open(path, 1280)
    rows, heights, uneven = browser.ask("""(() => {
        let rows = 0, uneven = 0;
        const heights = new Set();
        for (const block of document.querySelectorAll('.curves')) {
            let before = null;
            for (const figure of block.children) {
                const svg = figure.querySelector('svg').getBoundingClientRect();
                if (!svg.width) continue;
                heights.add(figure.querySelector('b').getBoundingClientRect().height);
                if (before && svg.left > before.left) uneven += svg.top !== before.top;
                else rows++;
                before = svg;
            }
        }
        return [rows, heights.size, uneven];
    })()""")
    assert rows > 5 and heights > 1 and uneven == 0


def test_values_under_the_pointer(browser, tshark, folder):
    page = page_of(tshark, CAPTURES / "tcp-session.pcapng")
    path = folder / "pointer.html"
    path.write_text(page.source, encoding="utf-8")
    browser.open(path, 1280)
    # One that has groups, and a unit behind them.
    browser.ask("""window.svg = [...document.querySelectorAll('svg[data-u^=" "]')].find(svg => /[0-9]{4}[.]/.test(svg.dataset.v));
                   svg.closest('details')?.setAttribute('open', ''); svg.scrollIntoView({block: 'center'}); 1""")
    values = browser.ask("svg.dataset.v").split(" ")
    unit = browser.ask("svg.dataset.u")

    def shown_as(value):
        """With its unit, and digits in groups of three, as tables have them."""
        whole, point, part = value.partition(".")
        return f"{int(whole):,}".replace(",", "\u202f") + point + part + unit

    last = browser.ask("svg.parentNode.querySelector('output').textContent")
    assert last == shown_as(values[-1])
    left, top, width, height = browser.ask("(r => [r.left, r.top, r.width, r.height])(svg.getBoundingClientRect())")
    shown = []
    for part in range(0, 41):
        browser.move(left + 1 + part * (width - 2) / 40, top + height / 2)
        shown.append(browser.ask("svg.parentNode.querySelector('output').textContent"))
    assert [text.split("  ")[1] for text in dict.fromkeys(shown)] == [shown_as(value) for value in values]
    assert all(text[2] == ":" and text[5] == ":" for text in some(shown))
    browser.move(left, top - 200)
    assert browser.ask("svg.parentNode.querySelector('output').textContent") == last
    browser.ask("svg.focus(); 1")
    browser.key("ArrowLeft")
    browser.key("ArrowLeft")
    assert browser.ask("svg.parentNode.querySelector('output').textContent").split("  ")[1] == shown_as(values[-2])
    browser.ask("svg.blur(); 1")
    assert browser.ask("svg.parentNode.querySelector('output').textContent") == last
    assert browser.complaints == []
