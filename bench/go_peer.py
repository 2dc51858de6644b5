"""Builds the Go programs of bench/ that measure peers. They take the modules that ../shared/peers/go names, or those of the
folder KCONTROL_SHARED."""
import os
import pathlib
import shutil
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ.get("KCONTROL_SHARED", BENCH.parents[1] / "shared")) / "peers" / "go"


def build(folder, name):
    """The program bench/NAME/main.go, built in `folder`; None where there is no Go, or no MODULES."""
    if not shutil.which("go") or not MODULES.is_dir():
        return None
    source = folder / "peer"
    source.mkdir()
    for file in (BENCH / name / "main.go", MODULES / "go.mod", MODULES / "go.sum"):
        (source / file.name).write_bytes(file.read_bytes())
    print("building the peer", file=sys.stderr)
    subprocess.run(["go", "build", "-ldflags=-s -w", "-o", folder / name, "."], cwd=source, check=True,
                   env=os.environ | {"GOFLAGS": "-mod=mod"})
    return folder / name
