#!/usr/bin/env python3
"""Renames the library's names in a program's own sources by the tables of docs/upgrading.md.

usage: rename_names.py [--write] [--table PAGE] FILE|DIRECTORY...
       rename_names.py --self-test
It prints FILE:LINE: OLD -> NEW for each header and each unambiguous name, and renames them with --write. It lists
common words, such as `ask`, for a person to decide: FILE:LINE and the class whose member has the new name. It lists
headers that have no new name as well. Texts in quotes stay. It exits with 0, or with 2 if it can't read something.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

import lint

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "upgrading.md"
SUFFIXES = {".c++", ".cc", ".cpp", ".cppm", ".cxx", ".h", ".h++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".ixx"}
SECTIONS = {"Headers": "headers", "Headers of the API server for tests": "headers",
            "Names that the script renames": "names", "Names that the script lists": "members"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]kcontrol/([^>"\n]+)[>"]', re.M)
ANY_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.M)
CELL = re.compile(r"`([^`]+)`")


class tables:
    """The tables of the page: headers and names as {old: new}, members as [(header, class or "", old, new)].

    `removed` are headers without a new one, and folders ("apiserver/") whose other headers have none.
    """

    def __init__(self, page):
        self.headers, self.removed, self.names, self.members, self.rows = {}, [], {}, [], []
        section = None
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                section = SECTIONS.get(line.lstrip("# "))
            cells = CELL.findall(line) if section and line.startswith("| `") else []
            if section == "headers" and "| none" in line:
                self.removed.append(cells[0])
            elif section == "headers" and len(cells) == 2:
                self.headers[cells[0]] = cells[1]
                self.rows.append((cells[1], "", ""))
            elif len(cells) == 3:
                owner, _, old = cells[1].rpartition("::")
                self.rows.append((cells[0], old, cells[2]))
                if section == "names":
                    self.names[old] = cells[2]
                else:
                    self.members.append((cells[0], owner, old, cells[2]))


def word(names):
    return re.compile(r"(?<![\w])(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?![\w])")


class renaming:
    """What is to be done in one text."""

    def __init__(self, by):
        self.by = by
        self.name = word(by.names) if by.names else None
        self.members = [(self.pattern(owner, old), header, owner, old, new) for header, owner, old, new in by.members]

    def pattern(self, owner, old):
        """Uses of a member: of an object, of the class, or in a derived class. Without an owner: of a function or type."""
        if not owner:
            return re.compile(rf"(?<![\w.>])({old})\b(?!\s*[=;,)])")
        classes = "|".join({owner, self.by.names.get(owner, owner)})
        return re.compile(rf"(?:\.|->|\b(?:{classes})::)\s*({old})\b|\b({old})(?=\s*\([^;{{}}]*\boverride\b)")

    def edits(self, text):
        """[(begin, end, new text)], in order: headers of #include lines, and names outside of texts in quotes."""
        out = [(match.start(1), match.end(1), self.by.headers[match.group(1)])
               for match in INCLUDE.finditer(lint.strip(text, keep_strings=True)) if match.group(1) in self.by.headers]
        if self.name:
            code = re.sub(lint.TOKEN, lambda match: match.group(0) if match.group(0).startswith("/")
                          else lint.blank(match, False), text)
            lines = [(match.start(), match.end()) for match in ANY_INCLUDE.finditer(text)]
            for match in self.name.finditer(code):
                if not any(begin <= match.start() < end for begin, end in lines):
                    out.append((match.start(), match.end(), self.by.names[match.group(0)]))
        return sorted(out)

    def lost_headers(self, text):
        """[(line, header)] of #include lines whose header has no new name."""
        found = [(lint.line_of(text, match.start(1)), match.group(1))
                 for match in INCLUDE.finditer(lint.strip(text, keep_strings=True))]
        return [(line, header) for line, header in found if header not in self.by.headers and any(
            header.startswith(old) if old.endswith("/") else header == old for old in self.by.removed)]

    def doubts(self, text):
        """[(line, old, [(header, class, new)])] of common words."""
        code, found = lint.strip(text), {}
        for pattern, header, owner, old, new in self.members:
            for match in pattern.finditer(code):
                found.setdefault((match.start(match.lastindex), old), []).append((header, owner, new))
        return [(lint.line_of(text, at), old, candidates) for (at, old), candidates in sorted(found.items())]


def sources(paths):
    for path in paths:
        if path.is_dir():
            for folder, folders, files in os.walk(path):
                folders[:] = sorted(name for name in folders if not name.startswith((".", "build")))
                yield from (pathlib.Path(folder) / name for name in sorted(files)
                            if pathlib.Path(name).suffix in SUFFIXES)
        else:
            yield path


def describe(old, candidates):
    return "; or ".join(f"{owner + '::' if owner else ''}{old} ({header}) is {new} now"
                        for header, owner, new in candidates)


def run(by, paths, write, out=print):
    """The numbers of renamed names, of files with some, and of places to look at."""
    todo = renaming(by)
    renamed = files = places = 0
    for path in sources(paths):
        try:
            text = path.read_bytes().decode("utf-8")  # keeps the ends of lines
        except UnicodeDecodeError:
            out(f"{path}: not UTF-8, so it is not read")
            continue
        edits = todo.edits(text)
        for begin, end, new in edits:
            out(f"{path}:{lint.line_of(text, begin)}: {text[begin:end]} -> {new}")
        for line, header in todo.lost_headers(text):
            places += 1
            out(f"{path}:{line}: look at {header}: the library has no such public header any more")
        for line, old, candidates in todo.doubts(text):
            places += 1
            out(f"{path}:{line}: look at {old}: {describe(old, candidates)}")
        renamed += len(edits)
        files += 1 if edits else 0
        if write and edits:
            for begin, end, new in reversed(edits):
                text = text[:begin] + new + text[end:]
            path.write_bytes(text.encode("utf-8"))
    return renamed, files, places


SAMPLE_PAGE = """# What your program must change
## Headers
| old | new |
|---|---|
| `runtime/log_pace.hpp` | `runtime/log_rate_limit.hpp` |
## Headers of the API server for tests
| `apiserver/fault.hpp` | `testing/fault.hpp` |
| `apiserver/` | none for the other headers |
| `testing/src.hpp` | none: link `kcontrol::testing` |
## Names that the script renames
| header | old | new |
|---|---|---|
| `runtime/log_rate_limit.hpp` | `log_pace` | `log_rate_limit` |
| `controller/options.hpp` | `controller_options::see_own_writes` | `read_own_writes` |
## Names that the script lists
| header | old | new |
|---|---|---|
| `controller/object_polls.hpp` | `object_polls::ask` | `poll` |
| `codec/release_workspace.hpp` | `rest` | `release_workspace` |
"""
SAMPLE = """#include <kcontrol/runtime/log_pace.hpp>
#include <other/runtime/log_pace.hpp>
// log_pace: how often
kcontrol::log_pace pace; int my_log_pace, log_pace_2;
auto options() { return kcontrol::controller_options().see_own_writes(5s); }
const char* text = "log_pace, see_own_writes";
void f(polls& p, pool& q) { p.ask(1); rest(q); int ask = 0, rest = 1; use(ask, "p.ask(2)", rest); }  // p.ask(3)
#include <kcontrol/apiserver/fault.hpp>
#include <kcontrol/apiserver/cel.hpp>
#include <kcontrol/testing/src.hpp>
"""
EXPECTED = (SAMPLE.replace("<kcontrol/runtime/log_pace.hpp>", "<kcontrol/runtime/log_rate_limit.hpp>")
            .replace("// log_pace:", "// log_rate_limit:").replace("kcontrol::log_pace", "kcontrol::log_rate_limit")
            .replace("().see_own_writes", "().read_own_writes").replace("apiserver/fault", "testing/fault"))


def sample_failures():
    with tempfile.TemporaryDirectory() as folder:
        page, file = pathlib.Path(folder) / "upgrading.md", pathlib.Path(folder) / "src" / "main.cpp"
        (pathlib.Path(folder) / "src" / "build").mkdir(parents=True)
        (pathlib.Path(folder) / "src" / "build" / "made.cpp").write_text(SAMPLE)
        page.write_text(SAMPLE_PAGE)
        by, lines = tables(page), []
        file.write_bytes(SAMPLE.replace("\n", "\r\n").encode())
        first = run(by, [file.parent], False, lines.append)
        if first != (5, 1, 4):
            yield f"counted {first} instead of (5, 1, 4): {lines}"
        if file.read_bytes() != SAMPLE.replace("\n", "\r\n").encode():
            yield "a file was changed without --write"
        places = [line for line in lines if ":7: look at" in line]
        if len(places) != 2 or "object_polls::ask (controller/object_polls.hpp) is poll now" not in places[0]:
            yield f"the common words were not listed: {lines}"
        if not any(":9: look at apiserver/cel.hpp" in line for line in lines):
            yield f"a header without a new name was not listed: {lines}"
        run(by, [file.parent], True, lines.append)
        if file.read_bytes() != EXPECTED.replace("\n", "\r\n").encode():
            yield "renamed to:\n" + file.read_text()
        if run(by, [file.parent], True, lines.append) != (0, 0, 4):
            yield "a second run still renames"


def page_failures(page, root):
    """Every new name is in a header of that name, wherever its folder is, and no unambiguous old one is."""
    headers = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        for name in files:
            if name.endswith(".hpp"):
                headers.setdefault(name, []).append(pathlib.Path(folder) / name)
    by = tables(page)
    if min(len(by.headers), len(by.names), len(by.members)) == 0:
        yield f"{page}: a table is empty"
    for header, old, new in by.rows:
        texts = [path.read_text(encoding="utf-8") for path in headers.get(header.rpartition("/")[2], [])]
        if not texts:
            yield f"{page}: there is no header {header}"
        elif new and not any(word([new]).search(text) for text in texts):
            yield f"{page}: {header} has no {new}"
        elif old in by.names and any(word([old]).search(text) for text in texts):
            yield f"{page}: {header} still has {old}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", metavar="FILE|DIRECTORY", type=pathlib.Path, nargs="*")
    parser.add_argument("--write", action="store_true", help="rename; without it nothing is changed")
    parser.add_argument("--table", metavar="PAGE", type=pathlib.Path, default=PAGE, help="default: docs/upgrading.md")
    parser.add_argument("--self-test", action="store_true", help="rename in a temporary tree, and check the page")
    arguments = parser.parse_args()
    if arguments.self_test:
        failures = [*sample_failures(), *page_failures(arguments.table, ROOT)]
        print("\n".join(failures) if failures else "self-test: 0 failures")
        return 1 if failures else 0
    if not arguments.paths:
        parser.error("name the files or directories of your program")
    missing = [str(path) for path in arguments.paths if not path.exists()]
    if missing:
        parser.error("there is no " + ", no ".join(missing))
    renamed, files, places = run(tables(arguments.table), arguments.paths, arguments.write)
    done = "renamed" if arguments.write else "to rename (--write does it)"
    print(f"{renamed} names in {files} files {done}; {places} places to look at")
    return 0


if __name__ == "__main__":
    sys.exit(main())
