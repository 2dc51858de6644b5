#!/usr/bin/env python3
"""What lists in pages and streamed lists (watch lists) cost a real kube-apiserver and its clients: one informer of pods, and
50 that start at once.

usage: watch_lists.py BUILD [PODS [CLIENTS]]     BUILD: a release build folder with bench/bench_informer; 10000 and 50 by
                                                 default
Prints for each number of clients, encoding and way: CPU of the server and of a client for each pod, the memory that the
server took beyond what it had, and the time until the last client was synced. KCONTROL_KUBERNETES_VERSION chooses the
server. The pods are the benchmarks' corpus (see scripts/bench.sh), put into etcd as they are; the server has read them all
before it is measured. Memory is the high-water mark of the resident set less what it was before the row: it says how far
the Go runtime let it grow, and is rough. Anybody may read that server; it listens on loopback and ends with this program.
"""
import pathlib
import statistics
import subprocess
import sys
import time

from apiserver_cpu import pods_served
from monitor_bench import cpu_of


def memory(pid, name):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def measured(pid, command, clients, count):
    """The server's and a client's microseconds for each pod, MiB, and seconds."""
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")
    before, at_rest = cpu_of(pid), memory(pid, "VmRSS")
    running = [subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True) for _ in range(clients)]
    rows = [[line.split("\t") for line in one.communicate()[0].splitlines()] for one in running]
    if any(one.returncode != 0 for one in running):
        sys.exit(f"{' '.join(map(str, command))} failed")
    synced = [{unit: float(value) for phase, value, unit in one if phase == "sync"} for one in rows]
    checks = {value for one in rows for phase, value, _ in one if phase == "check"}
    if len(checks) != 1 or not next(iter(checks)).startswith(f"{count}:"):
        sys.exit(f"the clients do not have the same {count} objects: {checks}")
    spent = (cpu_of(pid) - before) / clients / count * 1e6
    return (spent, statistics.mean(one["us CPU/object"] for one in synced), memory(pid, "VmHWM") - at_rest,
            max(one["s"] for one in synced))


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    ours = pathlib.Path(sys.argv[1]).resolve() / "bench" / "bench_informer"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    many = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    with pods_served("watch-lists", count, ours) as (api, pid):
        print(f"| clients | encoding | list | server, us of CPU for each pod | client, us | server's memory, MiB | synced, s |\n"
              "|---|---|---|---|---|---|---|")
        for clients in (1, many):
            for encoding, prefix in (("JSON", ""), ("Protocol Buffers", "protobuf-")):
                for way, infix in (("in pages", ""), ("streamed", "streamed-")):
                    command = [ours, api.url, api.work / "ca.crt", f"{prefix}{infix}full"]
                    if clients == 1:
                        measured(pid, command, 1, count)  # what is read for the first time is another matter
                    time.sleep(3)
                    row = measured(pid, command, clients, count)
                    print(f"| {clients} | {encoding} | {way} | " + " | ".join(f"{value:.1f}" for value in row) + " |",
                          flush=True)


if __name__ == "__main__":
    main()
