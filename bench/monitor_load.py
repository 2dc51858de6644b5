#!/usr/bin/env python3
"""Measures the stripped training_monitor under change: latency from a write at an API server to the event stream, CPU, memory.

usage: monitor_load.py BUILD [CLUSTERS [JOBS [RATE [SECONDS]]]] [-- FLAG...]
BUILD: a release build folder with training_monitor and serve_jobs; by default 100 clusters with 3 kinds of 1000 jobs,
500 changes a second for 30 seconds. FLAGs are given to training_monitor (--state FILE, --notify-config FILE).
"""
import json
import pathlib
import socket
import subprocess
import sys
import time

from monitor_bench import cpu_of, free_port, served_jobs, status_of, stripped_monitor, wait_live

KINDS = 3
# What the machine itself adds: how late a process wakes that asks for a millisecond of sleep.
CONTROL = """
import sys, time
late = []
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    begin = time.monotonic()
    time.sleep(0.001)
    late.append(time.monotonic() - begin - 0.001)
print(*sorted(late))
"""


def read_events(port, until):
    """Latencies in ns of the changes told until that time."""
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    found, rest, live = [], b"", False
    while time.monotonic() < until():
        rest += stream.recv(1 << 20)
        now = time.monotonic_ns()
        *blocks, rest = rest.split(b"\n\n")
        for block in blocks:
            if b"event: ready" in block:
                live = True
                yield None
            at = block.find(b'"message":"')
            if live and at >= 0 and b"event: job\n" in block:
                digits = block[at + 11:block.index(b'"', at + 11)]
                if digits.isdigit():
                    found.append(now - int(digits))
    yield found


def main():
    arguments, _, flags = " ".join(sys.argv[1:]).partition(" -- ")
    build, *numbers = arguments.split()
    clusters, jobs, rate, seconds = [int(n) for n in numbers] + [100, 1000, 500, 30][len(numbers):]
    total = clusters * jobs * KINDS   # clusters without the fourth kind are live all the same: it is not installed
    with served_jobs(pathlib.Path(build), "load-", clusters, jobs, KINDS) as (work, server):
        port = free_port()
        program = subprocess.Popen([stripped_monitor(pathlib.Path(build), work), "--clusters", work / "clusters", "--output",
                                    "none", "--listen", f"127.0.0.1:{port}", *flags.split()], stderr=subprocess.DEVNULL)
        try:
            _, wall = wait_live(program, f"http://127.0.0.1:{port}", clusters, total)
            synced_cpu = cpu_of(program.pid)
            end = float("inf")
            events = read_events(port, lambda: end)
            next(events)
            cpu = cpu_of(program.pid)
            server.stdin.write(f"change {rate}\n")
            server.stdin.flush()
            started, end = time.monotonic(), time.monotonic() + seconds
            control = subprocess.Popen([sys.executable, "-c", CONTROL, str(seconds)], stdout=subprocess.PIPE, text=True)
            latencies = sorted(next(events))
            passed, cpu = time.monotonic() - started, cpu_of(program.pid) - cpu
            memory = status_of(program.pid)
        finally:
            program.terminate()
            program.wait()
    if not latencies:
        sys.exit("no change was told")

    def quantiles(values, unit):
        at = {name: round(values[min(len(values) - 1, int(len(values) * q))] * unit, 2)
              for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))}
        return {**at, "max": round(values[-1] * unit, 2)}

    print(json.dumps({
        "objects": total, "clusters": clusters, "live_after_s": round(wall, 1), "sync_cpu_s": round(synced_cpu, 2),
        "changes_told": len(latencies), "changes_per_s": round(len(latencies) / passed, 1),
        "write_to_stream_ms": quantiles(latencies, 1e-6),
        "a_process_wakes_late_by_ms": quantiles([float(t) for t in control.communicate()[0].split()], 1e3),
        "cpu_percent": round(100 * cpu / passed, 1), "rss_mb": memory["VmRSS"] // 1024, "peak_mb": memory["VmHWM"] // 1024,
    }, indent=2))


if __name__ == "__main__":
    main()
