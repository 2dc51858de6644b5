#!/usr/bin/env python3
"""Checks the links between files in Markdown: what is linked is there, and has the heading that `#…` names.

Every page of docs/guide.md's level (docs/*.md) is reached from README.md or docs/guide.md. Addresses elsewhere are not asked.
A row of a table in docs/design/ that links to source files has, as `code`, only names that are in one of them.
usage: check_links.py [ROOT] [--self-test]
"""
import re
import sys

import lint

CODE = re.compile(r"^```.*?^```$|^(?:    ).*?$|`[^`\n]*`", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
FOLDERS = ("docs", "examples", "bench", "tests", ".github")


def anchors(text):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", head).lower()).replace(" ", "-") for head in HEADING.findall(text)}


def pages_of(root):
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.md"))


def unknown_names(page):
    """(line, name) in the tables of a page: what is said of files that do not have it any more."""
    for number, row in enumerate(page.read_text().splitlines(), 1):
        files = [page.parent / where for where in LINK.findall(row) if where.endswith(tuple(lint.SUFFIXES))]
        if not row.startswith("|") or not files or not all(file.exists() for file in files):
            continue
        known = set(re.findall(r"\w+", " ".join(file.read_text() for file in files)))
        for name in re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", row))):
            if name not in known:
                yield number, name


def check(root):
    messages, linked = [], set()
    for page in sorted((root / "docs/design").glob("*.md")):
        messages += [f"{page.relative_to(root)}:{number}: the files of this row have no {name}"
                     for number, name in unknown_names(page)]
    for page in pages_of(root):
        text = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), page.read_text())
        for match in LINK.finditer(text):
            where, _, anchor = match[1].partition("#")
            if "://" in where or where.startswith("mailto:"):
                continue
            target = (page.parent / where).resolve() if where else page
            place = f"{page.relative_to(root)}:{lint.line_of(text, match.start())}"
            if not target.exists():
                messages.append(f"{place}: there is no {match[1]}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                messages.append(f"{place}: {target.name} has no heading #{anchor}")
            if page in (root / "README.md", root / "docs/guide.md"):
                linked.add(target)
    for page in sorted((root / "docs").glob("*.md")):
        if page not in linked:
            messages.append(f"{page.relative_to(root)}: neither README.md nor docs/guide.md links it")
    return messages


GOOD = {"README.md": "[a](docs/a.md#the-first-one) `[not](a link)`\n", "docs/a.md": "# The first one\n[up](../README.md)\n",
        "src/a.cpp": "void f();\n", "docs/design/b.md": "| 1 | [a](../../src/a.cpp) | `f()` |\n| 2 | [up](../a.md) | `g` |\n"}
PLANTED = [
    ({**GOOD, "docs/a.md": "# The first one\n[gone](b.md)\n"}, "there is no b.md"),
    ({**GOOD, "docs/a.md": "# The second one\n"}, "has no heading #the-first-one"),
    ({**GOOD, "docs/b.md": "# Alone\n"}, "neither README.md nor docs/guide.md links it"),
    ({**GOOD, "src/a.cpp": "void g();\n"}, "docs/design/b.md:1: the files of this row have no f"),
    ({**GOOD, "docs/design/b.md": "| 1 | [a](../../src/b.cpp) | |\n"}, "there is no ../../src/b.cpp"),
]

if __name__ == "__main__":
    sys.exit(lint.main(check, PLANTED, GOOD, __doc__))
