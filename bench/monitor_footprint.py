#!/usr/bin/env python3
"""Measures the stripped training_monitor: size, time to live, memory and CPU, first full and then idle.

usage: monitor_footprint.py BUILD [CLUSTERS [JOBS]]     BUILD: a release build folder with training_monitor and
                                                       serve_jobs; 10 clusters with 4 kinds of 10000 jobs by default
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def status_of(pid):
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return {k: int(fields[k].split()[0]) for k in ("VmRSS", "VmHWM", "Threads")}


def cpu_of(pid):
    parts = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def objects(url):
    with urllib.request.urlopen(url + "/api/v1/clusters") as answer:
        items = json.load(answer)["items"]
    live = sum(c["state"] == "live" for c in items)
    return live, sum(k["objects"] for c in items for k in c["kinds"])


def main():
    build = pathlib.Path(sys.argv[1])
    clusters = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    work = pathlib.Path(tempfile.mkdtemp(prefix="footprint-"))
    monitor = work / "training_monitor"
    shutil.copy(build / "examples/training_monitor/training_monitor", monitor)
    subprocess.run(["strip", monitor], check=True)
    (work / "clusters").mkdir()
    server = subprocess.Popen([build / "bench/serve_jobs", work / "clusters", str(clusters), str(jobs)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout.readline().strip() != "ready":
            sys.exit("serve_jobs did not start")
        url = f"http://127.0.0.1:{free_port()}"
        begin = time.monotonic()
        program = subprocess.Popen([monitor, "--clusters", work / "clusters", "--output", "none",
                                    "--listen", url.removeprefix("http://")], stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    live, seen = objects(url)
                    if live == clusters and seen == clusters * jobs * 4:
                        break
                except OSError:
                    pass
                if time.monotonic() - begin > 300 or program.poll() is not None:
                    sys.exit("the monitor did not get there")
                time.sleep(0.2)
            wall = time.monotonic() - begin
            synced_cpu = cpu_of(program.pid)
            after = status_of(program.pid)
            time.sleep(30)
            idle_cpu = cpu_of(program.pid) - synced_cpu
            idle = status_of(program.pid)
        finally:
            program.terminate()
            program.wait()
    finally:
        server.stdin.close()
        server.wait()
    total = clusters * jobs * 4
    print(f"stripped size            {monitor.stat().st_size / 1e6:.2f} MB")
    print(f"objects                  {total} in {clusters} clusters")
    print(f"all live after           {wall:.1f} s wall, {synced_cpu:.2f} s CPU, {synced_cpu / total * 1e6:.1f} us CPU/object")
    print(f"RSS when live / peak     {after['VmRSS'] / 1024:.0f} MB / {after['VmHWM'] / 1024:.0f} MB")
    print(f"RSS after 30 s idle      {idle['VmRSS'] / 1024:.0f} MB, {idle['VmRSS'] * 1024 / max(total, 1):.0f} B/object")
    print(f"CPU of 30 s idle         {idle_cpu:.2f} s")
    print(f"threads                  {idle['Threads']}")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
