# SPDX-License-Identifier: GPL-2.0-or-later
"""A page of -z perflib,report, taken apart."""

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br"}
SECTIONS = ["findings", "sessions", "costs", "missing", "rules", "curves", "making"]


@dataclass
class Element:
    name: str
    attributes: dict
    children: list = field(default_factory=list)    # elements and texts

    def walk(self):
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def find(self, name, **attributes):
        return [element for element in self.walk() if element.name == name
                and all(element.attributes.get(key) == value for key, value in attributes.items())]

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} stands twice"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


class Page:
    """Well-formed, or an assertion fails."""

    def __init__(self, text):
        self.source = text
        parser = _Parser()
        parser.feed(text)
        parser.close()
        assert [element.name for element in parser.open] == [""]
        self.root = parser.root
        self.headline = self.root.find("h1")[0].text
        self.sections = {section.attributes["id"]: section for section in self.root.find("section")}

    def table(self, caption):
        """The rows of a table, each by the heads of its columns; [] where there is none."""
        for table in self.root.find("table"):
            if table.find("caption")[0].text == caption:
                heads = [head.text for head in table.find("th")]
                rows = [[cell.text for cell in row.find("td")] for row in table.find("tr")[1:]]
                assert rows and all(len(row) == len(heads) for row in rows)
                return [dict(zip(heads, row)) for row in rows]
        return []

    def curves(self):
        """block\\tlabel -> its (time, value as it is shown) in order, broken before those of the third list."""
        found, times, block = {}, [], ""
        for element in self.sections["curves"].walk():
            if element.name == "h3":
                block = element.text
            elif element.name == "figure":
                svg = element.find("svg")[0]
                if "data-t" in svg.attributes:
                    times = [float(time) for time in svg.attributes["data-t"].split(" ")]
                values = svg.attributes["data-v"].split(" ")
                path = element.find("path")[0].attributes["d"]
                assert len(times) == len(values) == len(re.findall("[ML]", path))
                begins = [at for at, letter in enumerate(re.findall("[ML]", path)) if letter == "M"]
                label = f"{block}\t{element.find('b')[0].text}"
                assert label not in found
                found[label] = (times, values, begins, svg.attributes["aria-label"], element.find("output")[0].text)
        return found

    def assert_harmless(self):
        """Nothing but its own style and script can run, and no text does more than to be read."""
        policy = self.root.find("meta", **{"http-equiv": "Content-Security-Policy"})[0].attributes["content"]
        assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-")
        for name in ("style", "script"):
            elements = self.root.find(name)
            assert len(elements) == 1 and not elements[0].attributes
            digest = base64.b64encode(hashlib.sha256(elements[0].text.encode()).digest()).decode()
            assert f"{name}-src 'sha256-{digest}'" in policy
        for element in self.root.walk():
            assert element.name in {"", "html", "head", "meta", "title", "style", "body", "header", "p", "span", "div", "h1", "dl",
                                    "dt", "dd", "main", "section", "h2", "h3", "ul", "li", "b", "br", "code", "details", "summary",
                                    "article", "ol", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption",
                                    "output", "svg", "path", "footer", "script"}
            for name in element.attributes:
                assert name in {"lang", "charset", "http-equiv", "content", "name", "class", "id", "scope", "role", "aria-label",
                                "tabindex", "viewbox", "preserveaspectratio", "d"} or name.startswith("data-"), name
        assert not re.search(r"https?:|//[a-z]", re.sub(r"http://www\.w3\.org/2000/svg", "", self.source))
        # Controls, bidirectional and invisible ones, other ends of lines, what is no character.
        bad = re.compile("[\0-\t\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]")
        assert not bad.search(self.source)


def page_of(tshark, path, *options, filter=""):
    """The page of a capture, which is always harmless and has all its sections."""
    text = tshark.run(path, *options, "-q", "-z", "perflib,report,-" + (f",{filter}" if filter else ""))
    page = Page(text)
    page.assert_harmless()
    assert list(page.sections) == SECTIONS
    return page
