#!/usr/bin/env python3
"""Whether gdb shows objects with the pretty-printers of tools/gdb.

usage: run.py SOURCE_ROOT BUILD_FOLDER       exit 77: there is no gdb
"""

import pathlib
import shutil
import subprocess
import sys

WANTED = [
    'inside = "short"',
    'outside = "a string of more than seven bytes"',
    "none = absent",
    'parts = list of 2 = {{name = "p1", number = 1}, {name = "a part with a long name", number = 2}}',
    'labels = dict of 1 = {["app"] = "web"}',
    'main = present = {value = {name = "m", number = 0}}',
    "missing = absent",
    "refused = null",
    "at = 1970-01-02T00:00:00Z",
]


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if shutil.which("gdb") is None:
        return 77
    build.mkdir(parents=True, exist_ok=True)
    program = build / "objects"
    sources = [root / "tests/gdb/objects.cpp"]
    subprocess.run(
        ["g++", "-std=c++20", "-g", "-O0", "-DKCONTROL_SEPARATE_COMPILATION", f"-I{root}/include"]
        + [*map(str, sources), "-o", str(program)],  # it calls nothing that would have to be linked
        check=True,
    )
    shown = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", "-ex", f"source {root}/tools/gdb/kcontrol_printers.py", "-ex", "break look_here"]
        + ["-ex", "run", "-ex", "up", "-ex", "print o", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    missing = [text for text in WANTED if text not in shown.stdout]
    for text in missing:
        print(f"gdb does not show: {text}")
    if missing:
        print(shown.stdout + shown.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
