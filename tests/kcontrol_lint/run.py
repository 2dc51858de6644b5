#!/usr/bin/env python3
"""What kcontrol-lint reads, says and returns. usage: run.py [PROGRAM]     (without: the one of the source tree)"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = [sys.argv[1]] if len(sys.argv) > 1 else [sys.executable, "-B", str(ROOT / "tools/kcontrol_lint/kcontrol_lint.py"), "0.0"]
BAD = "awaitable<void> f(int p) {\n    int q = p;\n    co_await g({q, p});\n}\n"
GOOD = "awaitable<void> f(int p) {\n    const auto q = g(p);\n    co_await h(q);\n}\n"
failures = []


def lint(folder, *arguments):
    run = subprocess.run([*PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def expect(what, outcome, status, *texts):
    if outcome[0] != status or not all(text in outcome[1] + outcome[2] for text in texts):
        failures.append(f"{what}: status {outcome[0]}, not {status}\n{outcome[1]}{outcome[2]}wanted: {texts}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    files = {"main.cpp": BAD, "good.cpp": GOOD, "notes.txt": BAD, "src/deep/er.cc": BAD, "src/a.hpp": GOOD, "src/b.hxx": GOOD,
             "build/CMakeCache.txt": "", "build/made.cpp": BAD, ".hidden/x.cpp": BAD, "good/x.cpp": GOOD, "empty/readme.md": "",
             "build/inner/made.cpp": BAD}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "latin.cpp").write_bytes(GOOD.encode() + "// é\n".encode("latin-1"))

    bad = lint(folder, ".")
    expect("a project whose sources are in its root", bad, 1, "main.cpp:3: a braced initialiser", "src/deep/er.cc:3: ")
    if len(bad[1].splitlines()) != 2:
        failures.append(f"a project: two are wrong, and no file of a build or a hidden folder is read:\n{bad[1]}")
    expect("a file", lint(folder, "main.cpp"), 1, "main.cpp:3: a braced initialiser beside a co_await: name it, then co_await it")
    expect("good files", lint(folder, "good.cpp", "src/a.hpp", "latin.cpp"), 0, "clean: 3 files read")
    expect("one of several", lint(folder, "good.cpp", "main.cpp"), 1, "main.cpp:3: ")
    expect("a good folder", lint(folder, "good"), 0, "clean: 1 file read")
    expect("a file of another name", lint(folder, "notes.txt"), 1, "notes.txt:3: ")
    expect("a folder without a C++ file", lint(folder, "empty"), 2, "no C++ file in empty: nothing was read")
    expect("such a folder beside a good one", lint(folder, "good", "empty"), 2, "no C++ file in empty")
    expect("a file that is not there", lint(folder, "good.cpp", "no.cpp"), 2, "no.cpp can't be read: No such file")
    expect("nothing", lint(folder), 2, "a file or a folder is missing")
    expect("an option that it does not know", lint(folder, "--fix", "main.cpp"), 2, "unknown option --fix")
    expect("--help", lint(folder, "--help"), 0, "usage: kcontrol-lint FILE|FOLDER...")
    expect("the folder of a build that is named", lint(folder / "build", "."), 1, "made.cpp:3: ")

print("\n".join(failures) if failures else "kcontrol-lint: all is well")
sys.exit(1 if failures else 0)
