#!/usr/bin/env python3
"""Compiles a file several times without a cache and prints the best time against its budget.

The time is the processor's (user + system). On a shared or virtual machine even that varies by half and more, so the
budget may be given as a multiple of what a reference file takes, compiled in turn with it. The memory that g++ takes for
what it reads and makes goes with the time, and is the same in every run: what --memory-times guards.
usage: compile_time.py FILE (--budget SECONDS | --reference FILE --times FACTOR [--memory-times FACTOR]) [--runs N]
                       [--include DIR]... [--compiler C]
"""
import argparse
import os
import re
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


def memory_of(command):
    """Megabytes that g++ took in all, or None if the compiler does not tell."""
    run = subprocess.run([*command, "-ftime-report"], capture_output=True, text=True)
    total = re.search(r"^ TOTAL +:.* (\d+)([kMG])?\s*$", run.stderr, re.M)
    if run.returncode != 0 or total is None:
        return None
    return int(total.group(1)) * {None: 1e-6, "k": 1e-3, "M": 1, "G": 1e3}[total.group(2)]


def check_memory(file, reference, times):
    memory, base = memory_of(file), memory_of(reference)
    if memory is None or base is None:
        print("note: the compiler does not say how much memory it took")
        return True
    print(f"note: {os.path.basename(file[-3])} takes {memory:.0f} MB to compile: {memory / base:.2f} times "
          f"{os.path.basename(reference[-3])} (budget {times:.2f} times)")
    return memory <= times * base


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--budget", type=float)
    parser.add_argument("--reference")
    parser.add_argument("--times", type=float)
    parser.add_argument("--memory-times", type=float)
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
    light = arguments.memory_times is None or check_memory(command(arguments.file), command(arguments.reference),
                                                           arguments.memory_times)
    return 0 if factor <= arguments.times and light else 1


if __name__ == "__main__":
    sys.exit(main())
