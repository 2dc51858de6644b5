#!/usr/bin/env python3
"""Compiles a file several times without a cache and prints the best time against its budget.

The time is the processor's (user + system), which is that of the clock on an idle machine and not the neighbours'.
usage: compile_time.py FILE --budget SECONDS [--runs N] [--include DIR]... [--compiler C]
"""
import argparse
import os
import resource
import subprocess
import sys


def compile_once(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        sys.exit(run.stderr[:3000])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    arguments = parser.parse_args()
    command = [arguments.compiler, "-std=c++20", "-O0", "-DKCONTROL_SEPARATE_COMPILATION",
               *(f"-I{i}" for i in arguments.include), "-c", arguments.file, "-o", os.devnull]
    times = [compile_once(command) for _ in range(arguments.runs)]
    print(f"note: {os.path.basename(arguments.file)} compiles in {min(times):.2f} s, best of {arguments.runs} "
          f"(budget {arguments.budget:.1f} s)")
    return 0 if min(times) <= arguments.budget else 1


if __name__ == "__main__":
    sys.exit(main())
