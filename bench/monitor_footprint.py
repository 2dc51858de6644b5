#!/usr/bin/env python3
"""Measures the stripped training_monitor: size, time to live, memory and CPU, first full and then idle.

usage: monitor_footprint.py BUILD [CLUSTERS [JOBS]]     BUILD: a release build folder with training_monitor and
                                                       serve_jobs; 10 clusters with 4 kinds of 10000 jobs by default
"""
import pathlib
import subprocess
import sys
import time

from monitor_bench import cpu_of, free_port, served_jobs, status_of, stripped_monitor, wait_live


def main():
    build = pathlib.Path(sys.argv[1])
    clusters = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    total = clusters * jobs * 4
    with served_jobs(build, "footprint-", clusters, jobs) as (work, _):
        monitor = stripped_monitor(build, work)
        size = monitor.stat().st_size
        url = f"http://127.0.0.1:{free_port()}"
        program = subprocess.Popen([monitor, "--clusters", work / "clusters", "--output", "none",
                                    "--listen", url.removeprefix("http://")], stderr=subprocess.DEVNULL)
        try:
            _, wall = wait_live(program, url, clusters, total)
            synced_cpu = cpu_of(program.pid)
            after = status_of(program.pid)
            time.sleep(30)
            idle_cpu = cpu_of(program.pid) - synced_cpu
            idle = status_of(program.pid)
        finally:
            program.terminate()
            program.wait()
    print(f"stripped size            {size / 1e6:.2f} MB")
    print(f"objects                  {total} in {clusters} clusters")
    print(f"all live after           {wall:.1f} s wall, {synced_cpu:.2f} s CPU, {synced_cpu / total * 1e6:.1f} us CPU/object")
    print(f"RSS when live / peak     {after['VmRSS'] / 1024:.0f} MB / {after['VmHWM'] / 1024:.0f} MB")
    print(f"RSS after 30 s idle      {idle['VmRSS'] / 1024:.0f} MB, {idle['VmRSS'] * 1024 / max(total, 1):.0f} B/object")
    print(f"CPU of 30 s idle         {idle_cpu:.2f} s")
    print(f"threads                  {idle['Threads']}")


if __name__ == "__main__":
    main()
