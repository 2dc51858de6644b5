#!/usr/bin/env python3
"""The format check: every file is as clang-format 14 writes it with .clang-format. Mend with clang-format-14 -i.

usage: check_format.py [ROOT] [--self-test]
"""
import pathlib
import shutil
import subprocess

import lint

STYLE = pathlib.Path(__file__).resolve().parent.parent / ".clang-format"


def check(root):
    tool = shutil.which("clang-format-14")
    if tool is None:
        return ["clang-format-14 is not installed"]
    files = [str(f) for f in lint.code_files(root)]
    if not files:
        return []
    run = subprocess.run([tool, f"--style=file:{STYLE}", "--dry-run", "-Werror", *files],
                         capture_output=True, text=True)
    bad = sorted({line.split(":")[0] for line in run.stderr.splitlines() if ": error: " in line})
    if run.returncode != 0 and not bad:
        return [run.stderr]
    return [f"{pathlib.Path(file).relative_to(root)}: not formatted" for file in bad]


PLANTED = [("include/kcontrol/base/a.hpp", "int  f( ){return 1 ;}\n", "not formatted")]
CLEAN = {"include/kcontrol/base/a.hpp": "int f() { return 1; }\n"}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
