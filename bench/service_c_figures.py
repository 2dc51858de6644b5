#!/usr/bin/env python3
"""What a C program pays for an election and the endpoints of a Service: libkcontrol_service.so beside client-go as a C shared library.

usage: bench/service_c_figures.py LIBRARY API_SERVER [--runs N] [--idle SECONDS]

LIBRARY is libkcontrol_service.so of preset service, API_SERVER is tests/api_server of a release build. Needs Go, cc and strip. The
programs are examples/service_c/poll.c and bench/service_c_peer/. Times are from the start of the process to its line, the median of
N runs (7); memory and threads are what the last run has after SECONDS (5) of idleness. Where there is no Go, it says so and ends
with status 3.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "service_c"))
from run import Cluster, Program  # noqa: E402

PEER = ROOT / "bench" / "service_c_peer"


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


def build_peer(folder):
    if not shutil.which("go"):
        print("skipped: there is no Go", file=sys.stderr)
        sys.exit(3)
    run("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", folder / "libpeer.so", ".", cwd=PEER)
    run("cc", "-O2", PEER / "program.c", "-o", folder / "peer", folder / "libpeer.so", f"-Wl,-rpath,{folder}")
    return folder / "peer", folder / "libpeer.so"


def build_own(folder, library):
    stripped = folder / "libkcontrol_service.so.0"
    run("strip", "--strip-unneeded", library, "-o", stripped)
    run("cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", f"-I{ROOT}/include", ROOT / "examples/service_c/poll.c", "-o",
        folder / "own", stripped, f"-Wl,-rpath,{folder}")
    return folder / "own", stripped


def memory_of(pid):
    """Resident and private KiB, and threads."""
    rows = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    kib = {key: int(value.split()[0]) for key, value in rows.items()}
    threads = len(list(pathlib.Path(f"/proc/{pid}/task").iterdir()))
    return kib["Rss"], kib["Private_Clean"] + kib["Private_Dirty"], threads


def one_run(program, cluster, lease, idle):
    start = time.monotonic()
    with Program(program, "default", lease, "web", KUBECONFIG=str(cluster.kubeconfig)) as it:
        wanted, times = {"leading": "leading", "endpoints": ":8080"}, {}
        while len(times) < len(wanted):
            line = it.line()
            if line is None:
                raise SystemExit(f"{program} has ended: {it.seen}")
            for name, part in wanted.items():
                if part in line:
                    times.setdefault(name, (time.monotonic() - start) * 1000)
        time.sleep(idle)
        memory = memory_of(it.process.pid)
        it.end()
    return times, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("api_server", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--idle", type=float, default=5)
    options = parser.parse_args()
    print("| | library, stripped | start → leading | start → endpoints | RSS | private | threads |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = {"kcontrol": build_own(folder, options.library), "client-go, c-shared": build_peer(folder)}
        with Cluster(options.api_server) as cluster:
            cluster.add_service(addresses=["10.77.0.1"])
            for what, (program, library) in programs.items():
                runs = [one_run(program, cluster, f"{program.name}-{i}", options.idle if i + 1 == options.runs else 0)
                        for i in range(options.runs)]
                leading, endpoints = (statistics.median(times[key] for times, _ in runs) for key in ("leading", "endpoints"))
                resident, private, threads = runs[-1][1]
                print(f"| {what} | {os.stat(library).st_size / 1e6:.1f} MB | {leading:.0f} ms | {endpoints:.0f} ms | "
                      f"{resident / 1024:.1f} MiB | {private / 1024:.1f} MiB | {threads} |")


if __name__ == "__main__":
    main()
