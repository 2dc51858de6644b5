#!/usr/bin/env python3
"""Measures the client's transport over TLS: HTTP/2 and HTTP/1.1 against one server.

usage: transport_figures.py BENCH_TRANSPORT [--kubernetes | --instructions | --peers]
The server is bench/transport_server, Go's own, which is built for this (skipped without Go); with --kubernetes it is a real
kube-apiserver as tests/e2e starts it, with ConfigMaps. Prints a table; each figure is the best of three runs, for what
else runs on the machine only takes away. A CPU second is one of the client, the system's share included.
--instructions: a GET's, ours beside those of plain Beast (raw_beast, beside BENCH_TRANSPORT), by valgrind's callgrind:
user space only, the same on a busy machine as on an idle one.
--peers: GETs beside those of client-go and kube-rs, whose programs in bench/peer_clients are built for this (each
skipped, and that is counted, without Go or Rust). All take the bytes of the answer and look at its status, no more.
KCONTROL_PEERS is a folder where these builds are kept; else they are made anew, kube-rs' in minutes.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
MAPS = "/api/v1/namespaces/default/configmaps"


def best_of(rows, run):
    """The figures of one run by name: the largest of rates, the smallest of all others."""
    for line in run.splitlines():
        _, value, unit = line.split("\t")
        better = max if "/" in unit else min
        rows[unit] = better(rows.get(unit, float(value)), float(value))


def measure(program, url, ca, environment, *words):
    rows = {}
    for _ in range(3):
        run = subprocess.run([program, url, ca, *map(str, words)], capture_output=True, text=True,
                             env=os.environ | environment)
        if run.returncode != 0:
            sys.exit(f"{words}: {run.stderr}")
        best_of(rows, run.stdout)
    return rows


def table(title, ways, rows):
    print(f"\n| {title} | " + " | ".join(ways) + " |\n|---|" + "---|" * len(ways))
    for unit in rows[0]:
        print(f"| {unit} | " + " | ".join(f"{row[unit]:g}" if unit in row else "" for row in rows) + " |")


def run_all(program, url, ca, environment, get, large, watch, times):
    def each(ways, *words):
        return [measure(program, url, ca, environment, way, *words) for way in ways]
    both = ("http2", "http1")
    table("GETs of 1 KB, one at a time", both, each(both, "gets", times, 1, get))
    table("GETs of 1 KB, 16 at a time", both, each(both, "gets", times, 16, get))
    table("one answer of 50 MB, whole", both, each(both, "gets", 5, 1, large))
    table("one answer of 50 MB, as a stream", both, each(both, "read", 5, large))
    table("100 watches", both, each(both, "watches", 100, watch))
    table("connections after 100 requests at once", both, each(both, "idle", 100, get))


@contextlib.contextmanager
def go_server():
    """Its URL, and the file of its certificate."""
    if not shutil.which("go"):
        print("skipped: there is no Go")
        sys.exit(3)
    with tempfile.TemporaryDirectory() as folder:
        server, ca = f"{folder}/server", f"{folder}/ca.crt"
        subprocess.run(["go", "build", "-o", server, "main.go"], cwd=ROOT / "bench" / "transport_server", check=True,
                       env=os.environ | {"GO111MODULE": "off"})
        running = subprocess.Popen([server, ca], stdout=subprocess.PIPE, text=True)
        try:
            yield running.stdout.readline().strip(), ca
        finally:
            running.terminate()


def with_go(program):
    with go_server() as (url, ca):
        run_all(program, url, ca, {}, "/get", "/list/50", "/watch", 20000)


def instructions(program, url, ca, how, count):
    """What a program executes for so many requests, its start and its end included."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, url, ca, how,
                          "gets", str(count), "1", "/get"], capture_output=True, text=True)
    found = re.search(r"refs:\s+([\d,]+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{program}: {run.stderr[-2000:]}")
    return int(found[1].replace(",", ""))


def with_instructions(program):
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind")
        sys.exit(3)
    beast = str(pathlib.Path(program).with_name("raw_beast"))
    with go_server() as (url, ca):
        few, many = 200, 1200
        each = {name: (instructions(path, url, ca, how, many) - instructions(path, url, ca, how, few)) / (many - few)
                for name, path, how in (("Beast, HTTP/1.1", beast, "http1"), ("kcontrol, HTTP/1.1", program, "http1"),
                                        ("kcontrol, HTTP/2", program, "http2"))}
    print("\n| a GET of 1 KB | instructions | of Beast's |\n|---|---|---|")
    for name, count in each.items():
        print(f"| {name} | {count:.0f} | {100 * count / each['Beast, HTTP/1.1']:.0f} % |")


def build_client_go(folder):
    target = f"{folder}/client_go"
    subprocess.run(["go", "build", "-o", target, "."], cwd=ROOT / "bench" / "peer_clients" / "client_go", check=True)
    return target


def build_kube_rs(folder):
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", f"{folder}/rust"],
                   cwd=ROOT / "bench" / "peer_clients" / "kube_rs", check=True)
    return f"{folder}/rust/release/kube_rs"


def with_peers(program):
    skipped = 0
    with go_server() as (url, ca), tempfile.TemporaryDirectory() as folder:
        both = ("http2", "http1")
        clients = [("kcontrol", program, both)]
        for name, tool, build, ways in (("client-go", "go", build_client_go, both),
                                        ("kube-rs", "cargo", build_kube_rs, ("http1",))):
            if shutil.which(tool):
                clients.append((name, build(os.environ.get("KCONTROL_PEERS") or folder), ways))
            else:
                print(f"skipped: {name}, for there is no {tool}")
                skipped += 1
        runs = [(f"{name}, {way}", path, way) for name, path, ways in clients for way in ways]
        table("GETs of 1 KB, one at a time", [name for name, _, _ in runs],
              [measure(path, url, ca, {}, way, "gets", 20000, 1, "/get") for _, path, way in runs])
    print(f"{len(clients)} clients measured, {skipped} skipped")


def with_kubernetes(program):
    import server
    real = server.Server("transport")
    try:
        for i in range(100):
            body = {"metadata": {"name": f"large{i}"}, "data": {"x": "x" * 500_000}}
            assert real.ask("POST", MAPS, json.dumps(body))[0] == 201
        other = MAPS.replace("default", "kube-public")
        assert real.ask("POST", other, json.dumps({"metadata": {"name": "small"}, "data": {"x": "x" * 700}}))[0] == 201
        certificates = {"CLIENT_CERTIFICATE": str(real.work / "admin.crt"), "CLIENT_KEY": str(real.work / "admin.key")}
        run_all(program, real.url, str(real.work / "ca.crt"), certificates, f"{other}/small", MAPS,
                f"{other}?watch=1&timeoutSeconds=300", 3000)
    finally:
        real.stop()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ways = {"--kubernetes": with_kubernetes, "--instructions": with_instructions, "--peers": with_peers}
    ways.get(sys.argv[2] if len(sys.argv) > 2 else "", with_go)(sys.argv[1])
