# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual, whose pages plugin/perflib.md lists in their order, as one page: for man, and for the zips for Windows."""

import os
import re
from pathlib import Path

ENTRY = Path(__file__).resolve().parents[1] / "perflib.md"


def pages():
    """The entry, then the pages of its list "Contents"."""
    contents = ENTRY.read_text(encoding="utf-8").partition("## Contents\n")[2].partition("\n## ")[0]
    return [ENTRY, *(ENTRY.parent / name for name in re.findall(r"^- \[[^]]*\]\((manual/[\w-]+\.md)\)", contents, re.MULTILINE))]


def anchor(heading):
    """What GitHub and others make of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def one_page():
    """All pages' Markdown: a page's title becomes a chapter, links between pages stay within, lists of a page's sections go."""
    found = {path: path.read_text(encoding="utf-8") for path in pages()}
    titles = {path: anchor(text.splitlines()[0].lstrip("# ")) for path, text in found.items()}

    def moved(path):
        def link(match):
            name, _, target = match[1].partition("#")
            file = (path.parent / name).resolve() if name else path
            if file in found:
                return f"](#{target or titles[file]})"
            return f"]({match[1]})" if "://" in name else f"]({os.path.relpath(file, ENTRY.parent)}{'#' * bool(target)}{target})"

        text = re.sub(r"\]\(([^)\s]+)\)", link, found[path])
        text = re.sub(r"^On this page: .*?\n\n", "", text, flags=re.MULTILINE | re.DOTALL)
        if path == ENTRY:
            return text
        # Headings only: a line of a code block may begin with "#", too.
        parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
        return "".join(re.sub(r"^#", "##", part, flags=re.MULTILINE) if number % 2 == 0 else part for number, part in enumerate(parts))

    return "\n".join(moved(path) for path in found)
