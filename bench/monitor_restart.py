#!/usr/bin/env python3
"""Measures how soon the training_monitor is live again when it remembers many jobs: killed in the middle, started anew.

usage: monitor_restart.py BUILD [CLUSTERS [JOBS]]     BUILD: a release build folder with training_monitor and
                                                     serve_jobs; 10 clusters with 4 kinds of 2500 jobs by default

Live: it serves, every cluster is live and every job is there. The servers run on the same machine and cost CPU, too; what
the monitor itself used is printed beside the wall time. Fails if not every job was remembered, or if one is told as gone
or finished meanwhile.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

from monitor_bench import cpu_of, free_port, served_jobs, status_of, wait_live

RUNS = 5


def get(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def metric(url, name):
    return int(float(re.search(rf"^{name} (\S+)$", get(url + "/metrics"), re.MULTILINE).group(1)))


class Run:
    """One life of the monitor: how long it took to serve and to be live, in seconds."""

    def __init__(self, program, work, clusters, total):
        url = f"http://127.0.0.1:{free_port()}"
        self.url = url
        self.log = work / "log"
        self.process = subprocess.Popen([program, "--clusters", work / "clusters", "--output", "none", "--log-format", "json",
                                         "--state", work / "state.db", "--listen", url.removeprefix("http://")],
                                        stderr=self.log.open("w"))
        self.serving, self.live = wait_live(self.process, url, clusters, total, pause=0.05,
                                            why=lambda: ": " + self.log.read_text()[-2000:])
        self.cpu = cpu_of(self.process.pid)
        self.rss = status_of(self.process.pid)["VmRSS"]

    def opened(self):
        """Milliseconds the state file took, and the jobs in it, as the log says."""
        for line in self.log.read_text().splitlines():
            entry = json.loads(line)
            if "the state file is open" in line:
                return int(entry["milliseconds"]), int(entry["jobs"])
        sys.exit("the log does not tell of the state file")

    def wait_written(self):
        while metric(self.url, "training_monitor_state_waiting_changes") > 0:
            time.sleep(0.05)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def measure(program, work, clusters, total):
    first = Run(program, work, clusters, total)
    first.wait_written()
    first.kill()
    size = sum(file.stat().st_size for file in work.glob("state.db*"))
    print(f"first start              {first.live:.2f} s to live; {total} jobs in {clusters} clusters")
    print(f"state file               {size / 1e6:.1f} MB, {size / total:.0f} B/job")
    lives = []
    for _ in range(RUNS):
        run = Run(program, work, clusters, total)
        milliseconds, remembered = run.opened()
        run.wait_written()
        gone = json.loads(get(run.url + "/api/v1/gone"))["items"]
        run.kill()
        if remembered != total or gone:
            sys.exit(f"remembered {remembered} jobs of {total}; {len(gone)} told as gone or finished")
        lives.append(run.live)
        print(f"restart                  {run.live:.2f} s to live, {run.serving:.2f} s to serve; file read in {milliseconds} ms; "
              f"{run.cpu:.2f} s CPU to live; RSS {run.rss / 1024:.0f} MB")
    print(f"restart, median / worst  {sorted(lives)[len(lives) // 2]:.2f} s / {max(lives):.2f} s of {RUNS}")


def main():
    build = pathlib.Path(sys.argv[1])
    clusters = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 2500
    with served_jobs(build, "restart-", clusters, jobs) as (work, _):
        measure(build / "examples/apps/training_monitor/training_monitor", work, clusters, clusters * jobs * 4)


if __name__ == "__main__":
    main()
