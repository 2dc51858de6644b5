#!/usr/bin/env python3
"""Compiles every public header, so that a header that leans on what its user happened to include before it fails here.

Without --alone, one translation unit includes all headers of a room, or of a few small ones, those that include least of us
first. This finds headers that do not compile, and most missing includes. A src.hpp, which is all definitions of a library,
takes several times the memory of any other: its files are compiled as those of header-only mode, some rooms at a time, and by
clang 14 where that is installed, which takes half of g++'s time and two thirds of its memory. A definition that is not inline
then, which two files of a program would have twice, is found by its symbol.

With --alone each header is the first line of a translation unit of its own, which finds all missing includes, and two private
helpers of one name. Nothing is linked. CMAKE_CXX_COMPILER_LAUNCHER is used; a compiler cache finds a unit again if the units
are written to the same folder.

usage: compile_headers.py ROOT [--alone] [--folder FOLDER] [--jobs N] [--results FILE] | --self-test
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ("-std=c++20 -O0 -c -Wall -Wextra -Wconversion -Wshadow -Werror "
         "-DKCONTROL_SEPARATE_COMPILATION").split()
CLANG = shutil.which("clang++-14")
LINES = 8000 if CLANG else 3000  # of definitions in one unit
HEADERS = 45  # of rooms that share a unit, whose preamble they pay for together
WEBSOCKETS = 2500  # Beast's take the memory of so many lines
WHOLE = "src.hpp"


def public_headers(include):
    """Headers a user may include: all .hpp files that are not under a detail/ or impl/ folder."""
    return sorted(h for h in include.rglob("*.hpp") if not {"detail", "impl"} & set(h.relative_to(include).parts))


def name_of(include, header):
    return header.relative_to(include).as_posix()


def reached(include, header, known):
    """Our own headers that a header includes, itself among them; `known` keeps what was found."""
    name = name_of(include, header)
    if name not in known:
        known[name] = {name}
        for other in re.findall(r'#include [<"]([^>"]+\.hpp)[>"]', header.read_text()):
            if (include / other).is_file():
                known[name] |= reached(include, include / other, known)
    return known[name]


def lines_of(names):
    return "".join(f"#include <{name}>\n" for name in names)


def definitions(include):
    """The files of each src.hpp, each with the files of definitions that it includes, in units."""
    parts = []
    for whole in sorted(include.rglob(WHOLE)):
        size = LINES
        for name in re.findall(r"^#include <(.+\.ipp)>", whole.read_text(), re.M):
            files = [name]
            for file in files:
                files += [other for other in re.findall(r"^#include <(.+\.ipp)>", (include / file).read_text(), re.M) if other not in files]
            texts = [(include / file).read_text() for file in files]
            lines = sum(text.count("\n") + WEBSOCKETS * ("<boost/beast/websocket" in text) for text in texts)
            if size + lines > LINES:
                parts.append([])
                size = 0
            parts[-1].append(files)
            size += lines
    return parts


def always_included(text):
    """Our headers that a file includes outside of conditions."""
    depth = 0
    for line in text.split("\n"):
        depth += line.startswith("#if") - line.startswith("#endif")
        if depth == 0 and (found := re.match(r"#include <(kcontrol/.+\.hpp)>", line)):
            yield found[1]


def inline_definitions(include, part):
    """Their headers, which declare as ever, and then they themselves, as in header-only mode."""
    headers = dict.fromkeys(header for files in part for file in files for header in always_included((include / file).read_text()))
    return f"{lines_of(headers)}#undef KCONTROL_DECL\n#define KCONTROL_DECL inline\n{lines_of(files[0] for files in part)}"


def units(include, headers, alone):
    """{what is compiled: (how many headers it checks, its text)}"""
    if alone:
        return {name_of(include, h): (1, 2 * lines_of([name_of(include, h)])) for h in headers}
    known, rooms, shared = {}, {}, []
    for header in headers:
        if header.name != WHOLE:
            # kcontrol/ROOM/…; what lies in kcontrol/ itself is a room, too.
            rooms.setdefault("/".join(header.parent.relative_to(include).parts[:2]), []).append(header)
    for room, names in sorted(rooms.items()):
        if not shared or len(shared[-1][1]) + len(names) > HEADERS:
            shared.append((room, []))
        shared[-1][1].extend(names)
    found = {}
    for room, names in shared:
        names.sort(key=lambda h: (len(reached(include, h, known)), h))
        # Twice: a missing include guard shows.
        found[room] = len(names), 2 * lines_of(name_of(include, name) for name in names)
    for number, part in enumerate(definitions(include)):
        found[f"definitions/{number}"] = (1, inline_definitions(include, part))
    return found


def strong_symbols(file):
    """What an object file defines for all others."""
    listed = subprocess.run(["nm", "-C", "--defined-only", "--extern-only", str(file)], capture_output=True, text=True, check=True).stdout
    return [name for name in re.findall(r"^[0-9a-f]+ [TDBR] (.*)$", listed, re.M) if not name.startswith(("vtable for", "typeinfo "))]


def compile_unit(compiler, include, name, count, text, folder):
    """(name, headers in it, whether it compiles, what is wrong)"""
    source = pathlib.Path(folder) / (name.replace("/", "_") + ".cpp")
    source.write_text(text)
    made = source.with_suffix(".o")
    defines = name.startswith("definitions/")
    if defines and CLANG:
        compiler = [*compiler[:-1], CLANG]
    command = [*compiler, *FLAGS, f"-I{include}", str(source), "-o", str(made)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 0 and defines and (strong := strong_symbols(made)):
        return name, count, False, "These are not inline in header-only mode: KCONTROL_DECL is missing.\n" + "\n".join(strong)
    return name, count, run.returncode == 0, run.stderr


def check(include, alone, jobs, folder):
    """(headers that are in units that compile, headers that are in others, units, texts of the failures)"""
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
    compiler = [*filter(None, launcher.split(";")), os.environ.get("CXX", "g++")]
    every = units(include, public_headers(include), alone)
    good = bad = 0
    texts = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        # Definitions, and those with most headers, first: they take longest.
        work = sorted(every.items(), key=lambda unit: (not unit[0].startswith("definitions/"), -unit[1][0]))
        for name, count, ok, text in pool.map(lambda u: compile_unit(compiler, include, u[0], *u[1], folder), work):
            good, bad = good + ok * count, bad + (not ok)
            if not ok:
                texts.append(f"FAILED: {name} does not compile\n{text[:3000]}")
    return good, bad, len(every), texts


def found_in(files, way):
    """How many units of these files are bad."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(pathlib.Path(folder), way, 2, folder)[1]


def self_test():
    """Headers that fail, in both ways, and one that only fails alone; definitions that are not inline, or do not compile."""
    failures = []
    for files, together, alone in [
        ({"a.hpp": "#pragma once\nint a();\n", "b.hpp": '#pragma once\n#include <r/a.hpp>\nint b();\n'}, 0, 0),
        ({"a.hpp": "#pragma once\nstruct a {};\n", "b.hpp": "#pragma once\na b();\n"}, 0, 1),  # only order hides it
        ({"b.hpp": "#pragma once\nstruct b {};\n", "a.hpp": "#pragma once\nb a();\n"}, 1, 1),
        ({"a.hpp": "#pragma once\n#include <r/z.hpp>\n#include <r/y.hpp>\n", "y.hpp": "#pragma once\n", "z.hpp": "#pragma once\n",
          "b.hpp": "#pragma once\n#include <r/y.hpp>\nz b();\n"}, 1, 1),
        ({"a.hpp": "struct a {};\n"}, 1, 1),  # no include guard
        ({"a.hpp": "#pragma once\n", "detail/b.hpp": "no\n", "impl/c.hpp": "no\n"}, 0, 0),
    ]:
        found = [found_in({f"r/{name}": text for name, text in files.items()}, way) for way in (False, True)]
        if found != [together, alone]:
            failures.append(f"{files}: {found}")
    part = "#include <kcontrol/r/impl/a_part.ipp>\n"
    for text, expected in [("KCONTROL_DECL int a() { return 1; }\n", 0), ("int a() { return 1; }\n", 1), ("int size = 1;\n", 1),
                           ("template <typename T>\nint b() {\n    return 1;\n}\nnamespace {\nint c = b<int>();\n}\n", 0), ("no\n", 1)]:
        found = found_in({"kcontrol/src.hpp": "#pragma once\n#include <kcontrol/r/impl/a.ipp>\n", "kcontrol/r/impl/a.ipp": part + text,
                          "kcontrol/r/impl/a_part.ipp": "#include <kcontrol/r/a.hpp>\n",
                          "kcontrol/r/a.hpp": "#pragma once\n#ifndef KCONTROL_DECL\n#define KCONTROL_DECL\n#endif\nKCONTROL_DECL int a();\n"}, False)
        if found != expected:
            failures.append(f"definitions {text}: {found}")
    print("\n".join(failures) or "self-test: clean")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        good, bad, count, texts = check(arguments.root / "include", arguments.alone, arguments.jobs, folder)
    print("\n".join([*texts, f"{good} headers compile in {count} units, {bad} units do not", f"units: {count}"]))
    if arguments.results:
        with arguments.results.open("a") as file:
            file.write(f"{good} {bad} 0\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
