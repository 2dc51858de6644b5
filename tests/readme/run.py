#!/usr/bin/env python3
"""Builds the programs of examples/tutorial against an installed kcontrol, and runs them: see ladder.py.

The first C++ program of README.md must be the first of them, the first two of docs/testing_controllers.md its
controller_test and 8_tests, which must pass.
usage: run.py PREFIX BUILD_DIRECTORY
"""
import pathlib
import re
import subprocess
import sys

import ladder

ROOT = pathlib.Path(__file__).resolve().parents[2]
# program: the page that shows it, and which of its blocks it is
SHOWN = {"1_hello": ("README.md", 0), "controller_test": ("docs/testing_controllers.md", 0),
         "8_tests": ("docs/testing_controllers.md", 1)}


def snippet(program):
    page, number = SHOWN[program]
    blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / page).read_text(), re.S)
    if len(blocks) <= number:
        sys.exit(f"{page} has no C++ program {number + 1}")
    return blocks[number]


def without_comments(text):
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.startswith("//"))


def check_snippet(program):
    example = ROOT / "examples" / "tutorial" / f"{program}.cpp"
    if without_comments(snippet(program)) != without_comments(example.read_text()):
        sys.exit(f"the program of {SHOWN[program][0]} is not {example.relative_to(ROOT)}")


def build(prefix, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for program in SHOWN:
        (folder / f"{program}.cpp").write_text(snippet(program))
    configure = ["cmake", "-S", ROOT / "tests/readme", "-B", folder / "build", "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSNIPPETS={folder}"]
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", folder / "build"], check=True)
    return folder / "build"


def main():
    prefix, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for program in SHOWN:
        check_snippet(program)
    built = build(prefix, folder)
    for program in ("controller_test", "8_tests"):
        if subprocess.run([built / program], timeout=60).returncode != 0:
            sys.exit(f"the test in {SHOWN[program][0]} fails")
    ladder.run(built, built)


if __name__ == "__main__":
    main()
