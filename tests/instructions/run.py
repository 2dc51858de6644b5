#!/usr/bin/env python3
"""Counts the instructions it takes to decode a pod, and compares them with those that are on record.

usage: run.py PROGRAM [--update] | --self-test      PROGRAM is bench/decode_count of a release build

full, projection, metadata and dynamic are decoded with a pool, as an informer does it: of the same three pods most is
recalled. alone is a whole pod without one, of which all is read.

Time on a shared machine varies by half; instructions under callgrind do not. What is counted is the difference of
two runs, the second of twice the rounds, so that start-up cancels out. What the processor can do is kept out of it:
simdjson's kernel and glibc's string functions are pinned to those of SSE 4.2. Other compilers and libraries give other
numbers, so the record says what it was made with; elsewhere nothing is compared.

Exit status: 0 within 5 % of the record, 1 above it, 77 nothing to compare (no valgrind, or another system).
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PODS = HERE / "pods.ndjson"
RECORD = HERE / "record.json"
VARIANTS = ("full", "alone", "projection", "metadata", "dynamic")
ROUNDS = 60
TOLERANCE = 5  # per cent
SKIPPED = 77
PINNED = {
    "SIMDJSON_FORCE_IMPLEMENTATION": "westmere",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM",
}


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def system():
    """What the counts depend on."""
    compiler = os.environ.get("CXX", "g++")
    return {
        "machine": platform.machine(),
        "compiler": pathlib.Path(compiler).name.split("-")[0] + " " + output(compiler, "-dumpfullversion"),
        "libc": " ".join(platform.libc_ver()),
        "simdjson": output("pkg-config", "--modversion", "simdjson"),
    }


def count(program, variant, rounds):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [program, str(PODS), variant, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **PINNED})
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout}{done.stderr[-2000:]}")
    printed = dict(line.split("\t") for line in done.stdout.splitlines())
    if printed["kernel"] != PINNED["SIMDJSON_FORCE_IMPLEMENTATION"]:
        sys.exit(f"{program} ran with simdjson's kernel {printed['kernel']}: this processor has no SSE 4.2?")
    return int(collected.group(1)), int(printed["objects"])


def per_pod(program, variant):
    once, objects = count(program, variant, ROUNDS)
    twice, double_objects = count(program, variant, 2 * ROUNDS)
    return (twice - once) // (double_objects - objects)


def judge(measured, recorded):
    """The lines to print, and whether all is within the tolerance."""
    lines, good = [], True
    for variant in VARIANTS:
        now, then = measured[variant], recorded.get(variant)
        if not isinstance(then, int) or then <= 0:
            lines.append(f"{variant}: {now} instructions a pod, and no record")
            good = False
            continue
        word = "ok"
        if now * 100 > then * (100 + TOLERANCE):
            word, good = "TOO MANY", False
        elif now * 100 < then * (100 - TOLERANCE):
            word = "fewer: record it with --update, or the guard is loose"
        lines.append(f"{variant}: {now} instructions a pod, {then} on record ({now / then - 1:+.1%}) {word}")
    return lines, good


def self_test():
    recorded = dict.fromkeys(VARIANTS, 1000)
    cases = (
        (recorded, recorded, True),
        ({**recorded, "full": 1050}, recorded, True),
        ({**recorded, "full": 1051}, recorded, False),
        ({**recorded, "dynamic": 2000}, recorded, False),
        ({**recorded, "dynamic": 1}, recorded, True),
        (recorded, {}, False),
        (recorded, {**recorded, "full": 0}, False),
    )
    for measured, record, wanted in cases:
        if judge(measured, record)[1] != wanted:
            sys.exit(f"self-test: {measured} against {record} should be {wanted}")
    print("the comparison finds what it should")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    update = "--update" in arguments
    programs = [a for a in arguments if not a.startswith("--")]
    if len(programs) != 1 or len(arguments) != 1 + update:
        sys.exit(__doc__)
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    here = system()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if not update and record.get("system") != here:
        print(f"skipped: instructions are on record for {record.get('system')}, this is {here}")
        return SKIPPED
    measured = {variant: per_pod(programs[0], variant) for variant in VARIANTS}
    if update:
        RECORD.write_text(json.dumps({"system": here, "instructions": measured}, indent=4) + "\n")
        print(f"recorded in {RECORD}: {measured}")
        return 0
    lines, good = judge(measured, record["instructions"])
    print("\n".join(lines))
    if not good:
        print(
            f"Decoding takes more instructions than before. If that is worth it: tests/instructions/run.py "
            f"{programs[0]} --update, and say in the commit what they buy."
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
