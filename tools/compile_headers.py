#!/usr/bin/env python3
"""Compiles every public header as the first line of a translation unit of its own.

A header that leans on what its user happened to include before it fails here. Syntax only: nothing is linked.
usage: compile_headers.py ROOT [--jobs N] [--results FILE]
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

FLAGS = ("-std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Werror "
         "-DKCONTROL_SEPARATE_COMPILATION").split()


def public_headers(include):
    """Headers a user may include: all .hpp files that are not under a detail/ or impl/ folder."""
    return sorted(h for h in include.rglob("*.hpp") if not {"detail", "impl"} & set(h.relative_to(include).parts))


def compile_header(compiler, include, header, folder):
    name = header.relative_to(include).as_posix()
    source = pathlib.Path(folder) / (name.replace("/", "_") + ".cpp")
    # Twice: a missing include guard shows.
    source.write_text(f"#include <{name}>\n#include <{name}>\n")
    run = subprocess.run([compiler, *FLAGS, f"-I{include}", str(source)], capture_output=True, text=True)
    return name, run.returncode == 0, run.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path)
    arguments = parser.parse_args()
    include = arguments.root / "include"
    compiler = os.environ.get("CXX", "g++")
    headers = public_headers(include)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, ok, text in pool.map(lambda h: compile_header(compiler, include, h, folder), headers):
            failed += not ok
            if not ok:
                print(f"FAILED: {name} does not compile on its own\n{text[:3000]}")
    print(f"{len(headers)} headers, {failed} failed")
    if arguments.results:
        with arguments.results.open("a") as file:
            file.write(f"{len(headers) - failed} {failed} 0\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
