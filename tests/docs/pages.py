"""Reads the C++ of a page of docs/: its blocks, and the HTML comments that say how each is compiled.

    <!-- cpp prelude         declarations for what follows on the page, which the reader does not see
    extern db store;
    -->
    <!-- cpp: MARK, MARK -->    directly above a block; see MARKS. Without one a block with `int main(` is a program, which
                                 must compile as it stands; any other is the body of a coroutine that returns a
                                 result<void>, where the names of prelude.hpp are known.
"""
import dataclasses
import re

MARKS = {
    "declarations": "the block stands outside of functions",
    "returns TYPE": "the block is the body of a function that returns TYPE, and no coroutine",
    "coroutine TYPE": "the block is the body of a coroutine that returns an awaitable<TYPE>",
    "file NAME": "a header that programs of the page include by this name",
    "name NAME": "later blocks of the page may use what this one declares",
    "uses NAME": "the block sees what the block of that name declares",
    "run": "a program that is linked with kcontrol::testing and must end with status 0",
    "not compiled: REASON": "nobody compiles it, for this reason",
}
# In the item of a list a block is indented, and its mark as well.
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?:<!-- cpp: (?P<marks>[^\n]*?) -->\n(?P=indent))?```cpp\n(?P<code>.*?)^(?P=indent)```$",
                   re.S | re.M)
ANY_FENCE = re.compile(r"^[ \t]*```.*?^[ \t]*```$|^<!-- cpp prelude\n.*?^-->$", re.S | re.M)
INDENTED = re.compile(r"(?<=\n\n)(?:(?: {4}|\t)[^\n]*\n|[ \t]*\n(?=(?: {4}|\t)))+")
# A statement with a call, a qualified call, a word of C++ alone. SQL ends its statements as C++ does.
LOOKS_LIKE_CPP = re.compile(r"^(?!\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b).*(?:\(.*;\s*(?://.*)?$|\w::[\w:.]+\()"
                            r"|\bco_(?:await|return)\b|^\s*#include [<\"]", re.M)
PRELUDE = re.compile(r"^<!-- cpp prelude\n(?P<code>.*?)^-->$", re.S | re.M)
INCLUDE = re.compile(r"^[ \t]*#include [^\n]*$", re.M)


class bad_page(Exception):
    """The message names the page and the line."""


@dataclasses.dataclass
class block:
    line: int  # of the first line of its code
    code: str
    kind: str  # program, fragment, declarations, file, prelude or left_out
    returns: str = "kcontrol::awaitable<kcontrol::result<void>>"
    coroutine: bool = True
    name: str = ""
    uses: list = dataclasses.field(default_factory=list)
    run: bool = False
    reason: str = ""


def read(path, text):
    """The blocks of a page in their order; raises bad_page."""
    found = [(match.start(), read_block(path, text, match)) for match in FENCE.finditer(text)]
    for match in PRELUDE.finditer(text):
        found.append((match.start(), block(line_of(text, match.start("code")), match["code"], "prelude")))
    # What the expressions above do not take would be neither compiled nor counted.
    shown = len(re.findall(r"^[ \t>]*(?:```|~~~) *(?:cpp|c\+\+|cc|cxx)\b", text, re.M | re.I))
    if shown != sum(one.kind != "prelude" for _, one in found):
        raise bad_page(f"{path}: a block of C++ is not closed, or does not begin with ```cpp alone")
    refuse_indented(path, text)
    marks = len(re.findall(r"^[ \t>]*<!-- cpp:", text, re.M))
    if marks != sum(match["marks"] is not None for match in FENCE.finditer(text)):
        raise bad_page(f"{path}: a mark `<!-- cpp: … -->` does not stand directly above a block")
    blocks = [one for _, one in sorted(found, key=lambda pair: pair[0])]
    names = {one.name for one in blocks if one.name}
    for one in blocks:
        if missing := [name for name in one.uses if name not in names]:
            raise bad_page(f"{path}:{one.line}: no block has the name {missing[0]!r}")
    return blocks


def refuse_indented(path, text):
    """C++ in a block without a fence would not be compiled."""
    plain = ANY_FENCE.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), text)
    for match in INDENTED.finditer(plain):
        if LOOKS_LIKE_CPP.search(match[0]):
            raise bad_page(f"{path}:{line_of(text, match.start())}: an indented block of C++ is not compiled: write ```cpp above and "
                           "``` below it (or ```text, if it is none)")


def read_block(path, text, match):
    code, line = match["code"], line_of(text, match.start("code"))
    code = re.sub(rf"^{match['indent']}", "", code, flags=re.M)
    one = block(line, code, "program" if re.search(r"^int main\(", code, re.M) else "fragment")
    for mark in split_marks(match["marks"] or ""):
        word, _, rest = mark.partition(" ")
        if mark == "declarations":
            one.kind = mark
        elif mark == "run" and one.kind == "program":
            one.run = True
        elif word in ("returns", "coroutine") and rest:
            one.coroutine = word == "coroutine"
            one.returns = f"kcontrol::awaitable<{rest}>" if one.coroutine else rest
        elif word == "file" and re.fullmatch(r"\w+\.hpp", rest):
            one.kind, one.name = "file", rest
        elif word == "name" and rest:
            one.name = rest
        elif word == "uses" and rest:
            one.uses.append(rest)
        elif mark.startswith("not compiled:"):
            one.kind, one.reason = "left_out", mark.removeprefix("not compiled:").strip()
            if len(one.reason) < 10:
                raise bad_page(f"{path}:{line}: a block that is not compiled needs a reason")
        else:
            raise bad_page(f"{path}:{line}: {mark!r} is no mark; there are: {', '.join(MARKS)}")
    return one


def split_marks(text):
    """The marks; a reason may hold commas and is the last one, and types may hold them in <>."""
    before, reason, after = text.partition("not compiled:")
    marks = [mark.strip() for mark in re.split(r",(?![^<]*>)", before) if mark.strip()]
    return marks + ([reason + after] if reason else [])


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def unit(path, blocks):
    """One translation unit of all blocks of a page that are no programs."""
    blocks = [one for one in blocks if one.kind in ("prelude", "fragment", "declarations")]
    includes = [line.strip() for one in blocks for line in INCLUDE.findall(one.code)]
    parts = ['#include "prelude.hpp"', *dict.fromkeys(includes), "namespace page {"]
    for number, one in enumerate(blocks):
        lines = f'#line {one.line} "{path}"\n{INCLUDE.sub("", one.code)}'
        if one.kind == "prelude":
            parts.append(lines)
            continue
        own = f"of_{one.name}" if one.name else f"block_{number}"
        parts.append(f"namespace {own} {{")
        parts += [f"using namespace of_{name};" for name in one.uses]
        if one.kind == "declarations":
            parts.append(lines)
        else:
            end = "    co_return kcontrol::result<void>();\n" if one.coroutine and "result<void>" in one.returns else ""
            if not one.coroutine and one.returns != "void":
                end = "    throw 0;\n"  # a fragment need not return
            parts.append(f"{one.returns} body() {{\n{lines}{end}}}")
        parts.append(f"}}  // namespace {own}")
    return "\n".join([*parts, "}  // namespace page", ""])
