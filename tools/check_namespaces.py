#!/usr/bin/env python3
"""The namespace check: what the library defines stands in an inline namespace that names its ABI's version.

Two versions of the library in one process (a program and a plugin of it, say) then have different symbols, so neither
calls the other's functions by accident. Users never write it: kcontrol::client is found in it. The version is the one of
SOVERSION: major and minor. Where a namespace ends a comment says which.
usage: check_namespaces.py [ROOT] [--self-test]      check_namespaces.py --write: after a new version
"""
import pathlib
import re
import sys

import check_versions
import lint

LIBRARY = ("include", "src")
OPENED = re.compile(r"^namespace kcontrol(?P<abi>::inline v\d+_\d+)?(?P<rest>(?:::\w+)*) \{$", re.M)
OPENS = re.compile(r"(?:inline )?namespace(?: (?P<name>[\w:]+(?: \w+(?:::\w+)*)?))? \{$")
CLOSES = re.compile(r"}  // (?:inline )?namespace(?: [\w: ]+)?$")


def opens_library(path, rest, nested):
    """Whether a namespace that `path` opens is the library's, where `nested` are the names of those in kcontrol."""
    parts = rest.split("::")[1:]
    return path.parts[0] in LIBRARY or bool(parts and parts[0] in nested)


def nested_names(texts):
    return {match["rest"].split("::")[1] for path, text in texts.items() if path.parts[0] in LIBRARY
            for match in OPENED.finditer(text) if match["rest"]}


def corrected(root):
    """The files that differ from what they should be: {path: (old, new)}."""
    abi = "::inline " + check_versions.abi_namespace(root)
    texts = {path.relative_to(root): path.read_text()
             for path in lint.code_files(root, lint.CODE_DIRECTORIES + ("tools", "test_package"))}
    nested = nested_names(texts)
    changed = {}
    for path, text in texts.items():
        new = OPENED.sub(lambda m, path=path: f"namespace kcontrol{abi}{m['rest']} {{"
                         if opens_library(path, m["rest"], nested) else m[0], text)
        new = closed_by_name(new)
        if new != text:
            changed[path] = (text, new)
    return changed


def closed_by_name(text):
    """`text` with the name of each namespace where it ends, as clang-format would have it, which can't read `::inline`.
    A namespace that ends without a comment, as one of a few declarations may, stays as it is."""
    lines, depth, open_ones = text.split("\n"), 0, []
    for number, code in enumerate(lint.strip(text).split("\n")):
        if match := OPENS.match(lines[number]):
            name = "::".join(part.removeprefix("inline ") for part in (match["name"] or "").split("::")
                             if not re.fullmatch(r"inline v\d+_\d+", part))
            open_ones.append((depth, "}  // namespace" + (f" {name}" if name else "")))
        depth += code.count("{") - code.count("}")
        if open_ones and depth <= open_ones[-1][0]:
            _, wanted = open_ones.pop()
            if CLOSES.match(lines[number]):
                lines[number] = wanted
    return "\n".join(lines)


def check(root):
    return [f"{path}:{line}: {found!r} should be {wanted!r} (check_namespaces.py --write)"
            for path, (old, new) in corrected(root).items()
            for line, (found, wanted) in enumerate(zip(old.splitlines(), new.splitlines()), 1) if found != wanted]


VERSION = check_versions.HEADER_OF_1_2_3
RIGHT = "namespace kcontrol::inline v1_2::http {\nnamespace {\n}  // namespace\n}  // namespace kcontrol::http\n"
PLANTED = [
    (VERSION | {"include/a.hpp": "namespace kcontrol {\n"}, "'namespace kcontrol::inline v1_2 {'"),
    (VERSION | {"include/a.hpp": "namespace kcontrol::inline v1_1::http {\n"}, "a.hpp:1"),
    (VERSION | {"include/a.hpp": RIGHT, "tests/b.cpp": "namespace kcontrol::http {\n"}, "b.cpp:1"),
    (VERSION | {"include/a.hpp": RIGHT.replace("}  // namespace kcontrol::http", "}  // namespace kcontrol")}, "a.hpp:4"),
]
FEW = RIGHT.replace("namespace {\n}  // namespace\n", "namespace http {\nclass body;\n}\n")
CLEAN = VERSION | {"include/a.hpp": RIGHT, "include/b.hpp": FEW,
                   "tests/b.cpp": "namespace kcontrol::test {\nusing namespace kcontrol::http;\n"}

if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        here = pathlib.Path(__file__).resolve().parent.parent
        for path, (_, new) in corrected(here).items():
            (here / path).write_text(new)
    else:
        lint.main(check, PLANTED, CLEAN, __doc__.splitlines()[0])
