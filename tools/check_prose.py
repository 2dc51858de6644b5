#!/usr/bin/env python3
"""Checks the prose of the pages that users read: no sentence of more than 30 words, none that begins with a relative clause,
none of the words that say less than the field's own, and no maintainer's matter: names of tests, of lints and of private files.

usage: check_prose.py [ROOT] [--self-test]
Code, tables' headings, and comments are not read; code in a sentence counts as one word.
"""
import re

import lint

LONGEST = 30
# For maintainers: HACKING.md and what it names.
MAINTAINERS = ("docs/design.md", "docs/design/", "docs/worlds.md", "docs/fidelity.md")
# These name tests as evidence, row by row, or are about them.
NAMES_TESTS = ("README.md", "CHANGELOG.md", "docs/testing.md", "docs/faults.md", "docs/parity.md", "docs/apiserver.md")
# A folder `tests/` of the user's own project is meant where a program that is installed is given it.
MATTER = re.compile(r"(?<![\w/-])(?:tests/(?!$|[ `])[\w*./-]+|(?:\w+/)*detail/\w+(?:\.\w+)?|tools/(?:check_|clang_)\w+|scripts/test[\w-]*\.sh|\w+_test\.(?:cpp|py))")
WORDS = {
    r"told|untold": "notified, logged, reported",
    r"gone": "deleted, closed, removed",
    r"nobody|no one": "no client, no user, not …",
    r"(?:and|or|with) (?:its|their) kin": "and similar functions",
    r"troubles?": "error, failure",
    r"at rest": "idle, unchanged",
    r"let(?:s|ting)? go of": "discard, release, close",
    r"farewells?": "the reason of the disengagement",
    r"he|him|his": "it, the program, the user",
    r"(?:\d[\d,.]*(?: \w+)?|once|twice|times) an? (?:second|minute|hour|day|week|object|cluster|group|kind|node|pod|request)":
        "per, in place of a",
}
PATTERNS = [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.I), better) for pattern, better in WORDS.items()]
RELATIVE = re.compile(r"(?:What|Who|Whoever|Whatever|Whichever|Whose|Whom|Which|That which|Those that|Those who)\b")


def user_pages(root):
    pages = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md")),
             *sorted((root / "examples").rglob("README.md"))]
    return [p for p in pages if p.is_file() and not p.relative_to(root).as_posix().startswith(MAINTAINERS)]


def plain(text):
    """A line without its markup: `code` is one word, and a link is its text."""
    text = re.sub(r"`+[^`]*`+", "Code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]*>", " ", text)
    return re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", text)


def paragraphs(text):
    """(number of the first line, [lines]) of each piece that is read as one: a paragraph, a list's item, a table's cell."""
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    lines, piece, begin, code = text.split("\n"), [], 0, False
    for number, line in enumerate([*lines, ""], 1):
        fence = line.lstrip().startswith("```")
        after_text = bool(piece)
        if fence or code or not line.strip() or re.match(r"\s*(#|\||[-*+] |\d+\. |>)", line) or \
                (not after_text and re.match(r"(    |\t)", line)):
            if piece:
                yield begin, piece
            piece = []
            code = code != fence
            if fence or code or not line.strip() or line.startswith(("#", "    ", "\t")) and not re.match(r"\s+([-*+] |\d+\. )", line):
                continue
            if line.lstrip().startswith("|"):
                heads = number < len(lines) and re.match(r"\s*\|[\s:|-]+$", lines[number])
                if not heads and not re.match(r"\s*\|[\s:|-]+$", line):
                    for cell in re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "/"), line.strip().strip("|"))):
                        yield number, [cell]
                continue
            line = re.sub(r"^\s*([-*+]|\d+\.|>)\s+", "", line)
        if not piece:
            begin = number
        piece.append(line)


def sentences(begin, lines):
    """(number of the line in which it begins, its text) of each sentence."""
    words, start = [], begin
    text = " \n ".join(plain(line) for line in lines)
    number = begin
    for word in text.replace("\n", " \n ").split(" "):
        if word == "\n":
            number += 1
            continue
        if not word.strip():
            continue
        if not words:
            start = number
        words.append(word)
        if re.search(r"[.!?]['\")]*$", word) and not re.search(r"^(?:e\.g\.|i\.e\.|etc\.|vs\.|\w\.)$", word):
            yield start, " ".join(words)
            words = []
    if words:
        yield start, " ".join(words)


def faults(text, skip=lambda line: False):
    for begin, lines in paragraphs(text):
        if skip(lines[0]):
            continue
        for number, sentence in sentences(begin, lines):
            count = len(re.findall(r"[^\s]*\w[^\s]*", sentence))
            if count > LONGEST:
                yield number, f"{count} words in one sentence: {sentence[:60]}…"
            if not sentence.rstrip("'\")").endswith("?") and count > 3 and RELATIVE.match(sentence):
                yield number, f"begins with a relative clause: {sentence[:60]}…"
            for pattern, better in PATTERNS:
                if found := pattern.search(sentence):
                    yield number, f'"{found[0]}" (better: {better}): {sentence[:60]}…'


GOOD = """# What a page says
The informer lists again. `who told` it [a link](what.md) is one word.

    who is told, nobody knows

```cpp
// nobody
```
| what | told |
|---|---|
| `a|b` | It is logged 3 times per second. |

- An item: what follows is fine.
- What is a list?
"""
CLEAN = {"README.md": GOOD, "docs/design/b.md": "It was told.\n", "docs/a.md": "    kcontrol-lint src tests\n",
         "docs/testing.md": "`tests/watch`\n"}
PLANTED = [
    ("docs/a.md", "Word " * 30 + "end.", "docs/a.md:1: 31 words"),
    ("README.md", "What it is told is logged.", "relative clause"),
    ("CHANGELOG.md", "It was told.", '"told"'),
    ("examples/e/README.md", "| a | Nobody asks. |", '"Nobody"'),
    ("docs/a.md", "- an item that is\n  gone", '"gone"'),
    ("docs/a.md", "A pod, once a second.", "once a second"),
    ("docs/a.md", "It asks 5 times a second.", "times a second"),
    ("docs/a.md", "It is fine. Who comes\nfirst wins it.", "relative clause"),
    ("docs/a.md", "> It is in trouble.", '"trouble"'),
    ("docs/design.md", "It was told.", "no page was read"),
    ("docs/a.md", "See `tests/watch` for it.", "tests/watch is a maintainer's matter"),
    ("docs/a.md", "`sweep_test.cpp` holds it.", "sweep_test.cpp is a maintainer's"),
    ("docs/a.md", "    scripts/test.sh --only browser", "scripts/test.sh is a maintainer's"),
    ("docs/a.md", "It is in watch/detail/a.hpp.", "watch/detail/a.hpp is a maintainer's"),
    ("examples/e/README.md", "Run `tools/check_x.py`.", "tools/check_x is a maintainer's"),
]


def matters(text):
    """(line, name) of what only maintainers know, in prose and in code alike."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in MATTER.finditer(line):
            yield number, match[0]


def check(root):
    pages = user_pages(root)
    # A cell that names tests has the words of the tests: `room/file: how a case begins`.
    named = re.compile(r"\s*[a-z_]+/\w*(: |;|$)")
    found = [f"{page.relative_to(root)}:{number}: {message}" for page in pages
             for number, message in faults(page.read_text(), named.match if page.name == "parity.md" else lambda line: False)]
    found += [f"{page.relative_to(root)}:{number}: {name} is a maintainer's matter: HACKING.md has a table for it"
              for page in pages if page.relative_to(root).as_posix() not in NAMES_TESTS
              for number, name in matters(page.read_text())]
    return found if pages else ["no page was read"]


if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
