#!/usr/bin/env python3
"""Whether scripts/bench.sh refuses what it should, in words, and table.py's tables are right. Measures nothing.

usage: run.py SOURCE_ROOT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
BENCH = ROOT / "scripts" / "bench.sh"
# Arguments, and what standard error must say: the argument, and what is right.
REFUSED = [
    (["PB-99"], ["PB-99", "PB-1"]),
    (["--frobnicate"], ["--frobnicate", "--help"]),
    (["--objects"], ["--objects", "value"]),
    (["--objects", "0"], ["--objects", "'0'"]),
    (["--objects", "many"], ["--objects", "'many'"]),
    (["--objects", "99999999"], ["--objects", "9999999"]),
    (["--corpus", "/no/such"], ["/no/such.watch.ndjson"]),
    (["--corpus", "/no/such", "--with-peers"], ["--corpus", "--with-peers"]),
]


def run(arguments, **environment):
    return subprocess.run(["bash", BENCH, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def problems():
    for arguments, wanted in REFUSED:
        said = run(arguments)
        if said.returncode != 2 or said.stdout or any(word not in said.stderr for word in wanted):
            yield f"{arguments}: status {said.returncode}, wanted 2 and {wanted}: {said.stdout}{said.stderr}"
    said = run(["--help"])
    text = BENCH.read_text()
    known = text[text.index("KNOWN=(") + len("KNOWN="):].split(")")[0].strip("(").split()
    options = ["--with-peers", "--objects", "--corpus", "--keep"]
    missing = [word for word in known + options if word not in said.stdout]
    if said.returncode != 0 or said.stderr or missing:
        yield f"--help: status {said.returncode}, without {missing}: {said.stderr}"
    with tempfile.TemporaryDirectory() as empty:
        said = run(["--with-peers"], KCONTROL_SHARED=f"{empty}/none", XDG_CACHE_HOME=empty)
        if said.returncode != 1 or "alone" not in said.stderr or "--corpus" not in said.stderr or said.stdout:
            yield f"without the peers and a corpus: status {said.returncode}: {said.stdout}{said.stderr}"
    table = subprocess.run([sys.executable, ROOT / "bench/table.py", "--self-test"], capture_output=True, text=True)
    if table.returncode != 0:
        yield f"table.py: {table.stderr}"


found = list(problems())
print("\n".join(found) or "clean")
sys.exit(1 if found else 0)
