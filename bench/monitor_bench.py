"""What the measurements of the training_monitor have in common: servers full of jobs, the program, and its numbers."""
import contextlib
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
    """How many clusters are live, and how many objects all have."""
    with urllib.request.urlopen(url + "/api/v1/clusters") as answer:
        items = json.load(answer)["items"]
    live = sum(c["state"] == "live" for c in items)
    return live, sum(k["objects"] for c in items for k in c["kinds"])


def stripped_monitor(build, work):
    monitor = work / "training_monitor"
    shutil.copy(build / "examples/apps/training_monitor/training_monitor", monitor)
    subprocess.run(["strip", monitor], check=True)
    return monitor


@contextlib.contextmanager
def served_jobs(build, name, clusters, *numbers):
    """A folder, and serve_jobs with its kubeconfigs in the folder's `clusters`; both go at the end."""
    work = pathlib.Path(tempfile.mkdtemp(prefix=name))
    (work / "clusters").mkdir()
    server = subprocess.Popen([build / "bench/serve_jobs", work / "clusters", *map(str, (clusters, *numbers))],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout.readline().strip() != "ready":
            sys.exit("serve_jobs did not start")
        yield work, server
    finally:
        server.stdin.close()
        server.wait()
        shutil.rmtree(work)


def wait_live(program, url, clusters, total, pause=0.2, why=lambda: ""):
    """Seconds until the monitor answered, and until it had all, from now on. `why` is asked where it fails."""
    begin, serving = time.monotonic(), None
    while True:
        try:
            now = objects(url)
            serving = serving or time.monotonic() - begin
            if now == (clusters, total):
                return serving, time.monotonic() - begin
        except OSError:
            pass
        if time.monotonic() - begin > 300 or program.poll() is not None:
            sys.exit("the monitor did not get there" + why())
        time.sleep(pause)
