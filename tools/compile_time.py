#!/usr/bin/env python3
"""Compiles a file several times without a cache and prints the best time against its budget.

The time is the processor's (user + system). On a shared or virtual machine even that varies by half and more, so the
budget may be given as a multiple of what a reference file takes, compiled in turn with it.
usage: compile_time.py FILE (--budget SECONDS | --reference FILE --times FACTOR) [--runs N] [--include DIR]...
                       [--compiler C]
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
    parser.add_argument("--budget", type=float)
    parser.add_argument("--reference")
    parser.add_argument("--times", type=float)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    arguments = parser.parse_args()
    if (arguments.budget is None) == (arguments.reference is None or arguments.times is None):
        parser.error("give either --budget, or --reference and --times")

    def command(file):
        return [arguments.compiler, "-std=c++20", "-O0", "-DKCONTROL_SEPARATE_COMPILATION",
                *(f"-I{i}" for i in arguments.include), "-c", file, "-o", os.devnull]

    times, references = [], []
    for _ in range(arguments.runs):
        if arguments.reference:
            references.append(compile_once(command(arguments.reference)))
        times.append(compile_once(command(arguments.file)))
    best = min(times)
    name = os.path.basename(arguments.file)
    if arguments.reference is None:
        print(f"note: {name} compiles in {best:.2f} s, best of {arguments.runs} (budget {arguments.budget:.1f} s)")
        return 0 if best <= arguments.budget else 1
    factor = best / min(references)
    print(f"note: {name} compiles in {best:.2f} s, best of {arguments.runs}: {factor:.2f} times "
          f"{os.path.basename(arguments.reference)} (budget {arguments.times:.2f} times)")
    return 0 if factor <= arguments.times else 1


if __name__ == "__main__":
    sys.exit(main())
