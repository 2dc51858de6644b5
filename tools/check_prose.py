#!/usr/bin/env python3
"""Checks the prose of the pages that users read: no sentence of more than 30 words, none that begins with a relative clause,
none of the words that say less than the field's own.

usage: check_prose.py [ROOT] [PAGE]... | --self-test      prints PAGE:LINE: what is wrong, and exits with 1; or "clean"
Code, tables' headings, and comments are not read; code in a sentence counts as one word.
"""
import pathlib
import re
import sys
import tempfile

LONGEST = 30
# For maintainers: HACKING.md and what it names.
MAINTAINERS = ("docs/design.md", "docs/design/", "docs/worlds.md", "docs/fidelity.md")
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
BAD = {"Word " * 30 + "end.": "31 words", "What it is told is logged.": "relative clause", "It was told.": '"told"',
       "| a | Nobody asks. |": '"Nobody"', "- an item that is\n  gone": '"gone"', "A pod, once a second.": "once a second",
       "It asks 5 times a second.": "times a second", "It is fine. Who comes\nfirst wins it.": "relative clause",
       "> It is in trouble.": '"trouble"'}


def self_test():
    failed = 0
    for text, wanted in [(GOOD, None), *BAD.items()]:
        found = [message for _, message in faults(text)]
        if (wanted is None) != (not found) or wanted and not any(wanted in one for one in found):
            failed += 1
            print(f"{text!r}: {found}")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/design").mkdir(parents=True)
        for name in ("README.md", "docs/a.md", "docs/design/b.md"):
            (root / name).write_text("It was told.\n")
        if len(check(root, user_pages(root))) != 2:
            failed += 1
            print("the pages that are read")
    print(f"self-test: {len(BAD) + 2} cases, {failed} failures")
    return 1 if failed else 0


def check(root, pages):
    # A cell that names tests has the words of the tests: `room/file: how a case begins`.
    named = re.compile(r"\s*[a-z_]+/\w*(: |;|$)")
    return [f"{page.relative_to(root)}:{number}: {message}" for page in pages
            for number, message in faults(page.read_text(), named.match if page.name == "parity.md" else lambda line: False)]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    pages = [root / name for name in sys.argv[2:]] or user_pages(root)
    if not pages:
        print(f"{root}: no page was read")
        return 1
    found = check(root, pages)
    print("\n".join(found) or "clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
