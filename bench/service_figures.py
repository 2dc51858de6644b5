#!/usr/bin/env python3
"""What the parts of kcontrol::service cost: from a change of an EndpointSlice to its snapshot, beside client-go's informer.

usage: bench/service_figures.py BUILD [--rate N] [--seconds N] [--slices N]

BUILD is a release build with the targets serve_endpoints and bench_service. The server runs on the first half of the
cores, the followers one after the other on the second half: kcontrol, client-go, and both again. Needs Go for the peer,
which takes the modules that ../shared/peers/go names, or those of the folder KCONTROL_SHARED; without them kcontrol is
measured alone, and standard error says so.
"""
import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import go_peer


def pinned(first_half):
    cores = os.cpu_count()
    if cores < 2 or not shutil.which("taskset"):
        return []
    return ["taskset", "-c", f"0-{cores // 2 - 1}" if first_half else f"{cores // 2}-{cores - 1}"]


@contextlib.contextmanager
def served(build, kubeconfig, arguments):
    server = subprocess.Popen([*pinned(True), build / "bench/serve_endpoints", kubeconfig, str(arguments.slices),
                               str(arguments.rate)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout.readline() != "ready\n":
            sys.exit("serve_endpoints did not start")
        yield server
    finally:
        server.stdin.close()
        server.wait()


def follow(build, folder, command, arguments):
    """The rows that a follower prints; changes begin when it is live."""
    kubeconfig = folder / "kubeconfig"
    with served(build, kubeconfig, arguments) as server:
        words = [kubeconfig if word == "KUBECONFIG" else word for word in command]
        with subprocess.Popen([*pinned(False), *words, str(arguments.seconds)], stdout=subprocess.PIPE,
                              text=True) as follower:
            if follower.stdout.readline() != "live\n":
                sys.exit(f"{command[0]} did not begin")
            server.stdin.write("\n")
            server.stdin.flush()
            rows = [line.rstrip("\n").split("\t") for line in follower.stdout]
        if follower.returncode:
            sys.exit(f"{command[0]} failed")
    return {unit: value for _, value, unit in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rate", type=int, default=1000, help="changes a second")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--slices", type=int, default=20, help="of ten endpoints each")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peer = go_peer.build(folder, "service_peer")
        if not peer:
            print(f"left out: client-go needs Go, and the modules of {go_peer.MODULES}", file=sys.stderr)
        print("| follower | changes seen | µs, p50 | µs, p99 | µs CPU a change |\n|---|---|---|---|---|")
        for _ in range(2):
            runs = [("kcontrol", [build / "bench/bench_service", "changes", "KUBECONFIG"])]
            if peer:
                runs.append(("client-go", [peer, "KUBECONFIG"]))
            for who, command in runs:
                row = follow(build, folder, command, arguments)
                print(f"| {who} | {row['changes seen']} | {row['us p50']} | {row['us p99']} | {row['us CPU/change']} |",
                      flush=True)
    reads = subprocess.run([build / "bench/bench_service", "reads"], check=True, capture_output=True, text=True)
    print(f"\nA read of the newest snapshot, eight threads: {reads.stdout.split()[1]} ns of CPU.")


if __name__ == "__main__":
    main()
