#!/usr/bin/env python3
"""Builds the programs of examples/tutorial against an installed kcontrol, and runs them: see ladder.py.

The first C++ program of README.md must be the first of them.
usage: run.py PREFIX BUILD_DIRECTORY
"""
import pathlib
import re
import subprocess
import sys

import ladder

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "tutorial" / "1_hello.cpp"


def snippet():
    found = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    if not found:
        sys.exit("README.md has no C++ program")
    return found.group(1)


def without_comments(text):
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.startswith("//"))


def build(prefix, folder):
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "1_hello.cpp"
    source.write_text(snippet())
    configure = ["cmake", "-S", ROOT / "tests/readme", "-B", folder / "build", "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSNIPPET={source}"]
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", folder / "build"], check=True)
    return folder / "build"


def main():
    prefix, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if without_comments(snippet()) != without_comments(EXAMPLE.read_text()):
        sys.exit(f"the README's program is not {EXAMPLE.relative_to(ROOT)}")
    built = build(prefix, folder)
    ladder.run(built, built)


if __name__ == "__main__":
    main()
