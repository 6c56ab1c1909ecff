# SPDX-License-Identifier: GPL-2.0-or-later
"""A page of -z perflib,report, taken apart as a reader without JavaScript sees it, and its rows, from which JavaScript makes the rest."""

import base64
import hashlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta"}
SECTIONS = ["findings", "servers", "costs", "missing", "rules", "charts", "making"]
# Not among the rows of -z perflib,ndjson.
PAGE_ONLY = {"curves", "left_out"}


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
                and all(element.attributes.get({"kind": "class"}.get(key, key)) == value for key, value in attributes.items())]

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


def place_of(item):
    """Where to look, as it reads."""
    spans = {span.attributes["class"]: span.text for span in item.find("span")}
    codes = {code.attributes.get("class"): code.text for code in item.find("code")}
    frame = re.search(r"(?:^|[.:] )Frame (\d+)\. (?:Windows|Display|$)", item.text)
    return {"where": spans.get("where"), "detail": spans.get("detail"), "frame": int(frame[1]) if frame else None,
            "filter": codes.get("filter"), "pdh": codes.get(None)}


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
        self.rows = defaultdict(list)
        for line in self.root.find("script", id="data")[0].text.strip().split("\n"):
            row = json.loads(line)
            self.rows[row["table"]].append(row)

    @property
    def meta(self):
        return self.rows["meta"][0]

    @property
    def findings(self):
        """What to do, as it reads: severity, what, remedy, who, and the places: of several findings that are one, those of each."""
        found = []
        for item in self.sections["findings"].find("li"):
            if "class" not in item.attributes:
                continue
            first, remedy, *who = item.find("p")
            places = [place for place in item.find("li") if "class" not in place.attributes]
            assert first.find("span")[0].text == item.attributes["class"]
            found.append({"severity": item.attributes["class"], "what": first.find("b")[0].text, "remedy": remedy.text,
                          "who": re.fullmatch(r"Who acts: (.*)\.", who[0].text)[1] if who else None,
                          "places": [place_of(place) for place in places]})
        return found

    @property
    def problems(self):
        return [finding["what"] for finding in self.findings]

    @property
    def text(self):
        """All that is read without JavaScript."""
        return "\n".join(self.sections[name].text for name in ("findings", "servers")) + self.headline

    def curves(self):
        """Path -> times in seconds since the capture's first packet, values, points after a gap, the counter's row."""
        found, times = {}, []
        for curve in self.rows["curves"]:
            times = curve.get("t", times)
            assert len(times) == len(curve["v"])
            row = self.rows[curve["of"]][curve["row"]]
            found[(curve["of"], row["path"], curve["row"])] = ([time / 1000 for time in times], curve["v"], curve.get("gaps", []), row)
        return found

    def only_curve(self):
        (curve,) = self.curves().values()
        return curve

    def assert_harmless(self):
        """Nothing but its own style and scripts can run, and no text does more than to be read."""
        policy = self.root.find("meta", **{"http-equiv": "Content-Security-Policy"})[0].attributes["content"]
        digest = {name: ["'sha256-" + base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode() + "'"
                         for element in self.root.find(name) if element.attributes.get("id") != "data"] for name in ("style", "script")}
        assert len(digest["style"]) == 1 and len(digest["script"]) == 2
        assert policy == ("default-src 'none'; base-uri 'none'; form-action 'none'; "
                          f"style-src {digest['style'][0]}; script-src {' '.join(digest['script'])}")
        data, library, own = self.root.find("script")
        assert data.attributes == {"type": "application/json", "id": "data"} and "<" not in data.text
        assert not library.attributes and not own.attributes
        for element in self.root.walk():
            assert element.name in {"", "html", "head", "meta", "title", "style", "body", "header", "p", "span", "div", "h1", "h2", "h3",
                                    "main", "section", "ul", "ol", "li", "b", "code", "details", "summary", "article", "footer", "noscript",
                                    "script"}
            for name in element.attributes:
                assert name in {"lang", "charset", "http-equiv", "content", "name", "class", "id", "type", "start"}, name
        readable = self.source.replace(library.text, "").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:", readable) and not re.search(r"url\(|@import", self.root.find("style")[0].text)
        assert "sourceMappingURL" not in library.text
        # Controls, bidirectional and invisible ones, other ends of lines, what is no character.
        bad = re.compile("[\0-\t\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]")
        assert not bad.search(readable)


def page_of(tshark, path, *options, filter=""):
    """The page of a capture, which is always harmless and has all its sections."""
    text = tshark.run(path, *options, "-q", "-z", "perflib,report,-" + (f",{filter}" if filter else ""))
    page = Page(text)
    page.assert_harmless()
    assert list(page.sections) == SECTIONS
    return page
