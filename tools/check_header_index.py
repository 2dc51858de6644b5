#!/usr/bin/env python3
"""Checks docs/headers.md, which says which header declares which public name: each header exists below include/kcontrol,
is not private, and declares the name in the namespace that the row says; no name is there twice; the rows are sorted.

usage: check_header_index.py [ROOT] | --self-test      prints what is wrong and exits with 1, or "clean"
"""
import re
import sys

import lint

PAGE = "docs/headers.md"
ROW = re.compile(r"\| `([\w:]+)` \| `([\w./]+)` \| (\S.*\S) \|")


def declares(code, name):
    """Whether a type, function or variable of that name is declared at the level of a namespace; forward declarations
    of types do not count."""
    name = re.escape(name)
    a_type = rf"^(?:class|struct|enum class|enum|concept|using)\s+(?:\[\[\w+\]\]\s*)?{name}\b(?!\s*;)"
    # At the beginning of a line, since members are indented.
    other = rf"^(?!class\b|struct\b|enum\b|using\b|namespace\b|#)[A-Za-z\[][^;{{}}()#]*?(?<!class )(?<!struct )(?<!enum )\b{name}\s*[({{=;\[]"
    return bool(re.search(a_type, code, re.M) or re.search(other, code, re.M))


def is_in_namespace(code, qualifier):
    if not qualifier:
        return bool(re.search(r"^namespace kcontrol(?:::inline \w+)? \{", code, re.M))
    return bool(re.search(rf"^namespace (?:kcontrol(?:::inline \w+)?::)?(?:\w+::)*{re.escape(qualifier)} \{{", code, re.M))


def check(root):
    messages, names = [], []
    for number, line in enumerate((root / PAGE).read_text().splitlines(), 1):
        if not line.startswith("| `"):
            continue
        row = ROW.fullmatch(line)
        if not row:
            messages.append(f"{PAGE}:{number}: expected | `NAME` | `HEADER` | what it is |")
            continue
        qualified, header, _ = row.groups()
        if qualified in names:
            messages.append(f"{PAGE}:{number}: {qualified} is there twice")
        elif names and qualified < names[-1]:
            messages.append(f"{PAGE}:{number}: {qualified} stands behind {names[-1]}; the rows are sorted by name")
        names.append(qualified)
        file = root / "include/kcontrol" / header
        if {"detail", "impl"} & set(file.parts):
            messages.append(f"{PAGE}:{number}: {header} is private")
        elif not file.is_file():
            messages.append(f"{PAGE}:{number}: there is no include/kcontrol/{header}")
        else:
            code = lint.strip(file.read_text())
            qualifier, _, name = qualified.rpartition("::")
            if not declares(code, name):
                messages.append(f"{PAGE}:{number}: include/kcontrol/{header} does not declare {name}")
            elif not is_in_namespace(code, qualifier):
                messages.append(f"{PAGE}:{number}: {name} is not in the namespace {qualifier or 'kcontrol'}")
    if not names:
        messages.append(f"{PAGE}: no row was read")
    return messages


HEADER = """// class missing {};
namespace kcontrol::inline v0_1 {
class forward;
template <class T>
class shape final {
    void member();
};
template <class T>
concept solid = true;
enum class colour { red };
class [[nodiscard]] held {};
using alias = int;
KCONTROL_DECL result<std::vector<int>> paint(
    shape& s);
inline constexpr colour best{colour::red};
result<void>
wrapped(int n);
}
"""
HTTP = "namespace kcontrol::inline v0_1::http {\nclass server {};\n}\n"
NAMES = ("alias", "best", "colour", "held", "paint", "shape", "solid", "wrapped")


def tree(*rows):
    text = "| name | header | what |\n|---|---|---|\n" + "".join(f"{row}\n" for row in rows)
    return {PAGE: text, "include/kcontrol/a/b.hpp": HEADER, "include/kcontrol/http/server.hpp": HTTP,
            "include/kcontrol/a/detail/c.hpp": HEADER}


def row_of(name, header="a/b.hpp"):
    return f"| `{name}` | `{header}` | what it is |"


GOOD = tree(*[row_of(name) for name in NAMES[:3]], row_of("held"), row_of("http::server", "http/server.hpp"),
            *[row_of(name) for name in NAMES[4:]])
PLANTED = [
    (tree(row_of("shape", "a/c.hpp")), "there is no include/kcontrol/a/c.hpp"),
    (tree(row_of("shape", "a/detail/c.hpp")), "is private"),
    (tree(row_of("forward")), "does not declare forward"),
    (tree(row_of("member")), "does not declare member"),
    (tree(row_of("missing")), "does not declare missing"),
    (tree(row_of("red")), "does not declare red"),
    (tree(row_of("http::shape")), "is not in the namespace http"),
    (tree(row_of("server", "http/server.hpp")), "is not in the namespace kcontrol"),
    (tree(row_of("shape"), row_of("shape")), "shape is there twice"),
    (tree(row_of("shape"), row_of("paint")), "paint stands behind shape"),
    (tree("| `shape` | a/b.hpp | |"), "expected | `NAME`"),
    (tree(), "no row was read"),
]

if __name__ == "__main__":
    sys.exit(lint.main(check, PLANTED, GOOD, __doc__))
