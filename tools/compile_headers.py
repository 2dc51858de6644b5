#!/usr/bin/env python3
"""Compiles every public header, so that a header that leans on what its user happened to include before it fails here.

Without --alone, one translation unit per room includes all headers of that room, those that include least of us first. This
finds headers that do not compile, and most missing includes. With --alone each header is the first line of a translation unit
of its own, which finds all of them. Nothing is linked. CMAKE_CXX_COMPILER_LAUNCHER is used; a compiler cache finds a unit again if
the units are written to the same folder.
usage: compile_headers.py ROOT [--alone] [--folder FOLDER] [--jobs N] [--results FILE] | --self-test
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = ("-std=c++20 -O0 -c -Wall -Wextra -Wconversion -Wshadow -Werror "
         "-DKCONTROL_SEPARATE_COMPILATION").split()


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


def units(include, headers, alone):
    """{what is compiled: its headers, in the order in which they are included}"""
    if alone:
        return {name_of(include, h): [h] for h in headers}
    rooms, known = {}, {}
    for header in sorted(headers, key=lambda h: (len(reached(include, h, known)), h)):
        # kcontrol/ROOM/…; what lies in kcontrol/ itself is a unit, too.
        rooms.setdefault("/".join(header.parent.relative_to(include).parts[:2]), []).append(header)
    return rooms


def compile_unit(compiler, include, name, headers, folder):
    """(name, headers in it, whether it compiles, what the compiler says)"""
    source = pathlib.Path(folder) / (name.replace("/", "_") + ".cpp")
    # Twice: a missing include guard shows.
    lines = [f"#include <{name_of(include, header)}>\n" for header in headers]
    source.write_text("".join(2 * lines))
    command = [*compiler, *FLAGS, f"-I{include}", str(source), "-o", str(source.with_suffix(".o"))]
    run = subprocess.run(command, capture_output=True, text=True)
    return name, len(headers), run.returncode == 0, run.stderr


def check(include, alone, jobs, folder):
    """(headers that are in units that compile, headers that are in others, units, texts of the failures)"""
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
    compiler = [*filter(None, launcher.split(";")), os.environ.get("CXX", "g++")]
    every = units(include, public_headers(include), alone)
    good = bad = 0
    texts = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        # Those with most headers first: they take longest.
        work = sorted(every.items(), key=lambda unit: -len(unit[1]))
        for name, count, ok, text in pool.map(lambda u: compile_unit(compiler, include, *u, folder), work):
            good, bad = good + ok * count, bad + (not ok)
            if not ok:
                texts.append(f"FAILED: {name} does not compile\n{text[:3000]}")
    return good, bad, len(every), texts


def self_test():
    """Headers that fail, in both ways, and one that only fails alone."""
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
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / "r" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            found = [check(pathlib.Path(folder), way, 2, folder)[1] for way in (False, True)]
            if found != [together, alone]:
                failures.append(f"{files}: {found}")
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
