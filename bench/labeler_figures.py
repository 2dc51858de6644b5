#!/usr/bin/env python3
"""Measures the stripped gpu_labeler on a node of 8 GPUs, with a real kube-apiserver on loopback.

usage: labeler_figures.py BUILD [CHANGES [IDLE_SECONDS]]     BUILD: a release build folder with gpu_labeler; 50 changes
                                                             of the labels and 60 s without any by default
KCONTROL_PROBES names the folder with libfake_nvml.so where that is not BUILD/tests (release builds have no tests). The
GPUs are those of this stand-in for NVML, which answers at once: what a read takes is the program's own time. After each
write a bare client sends the same one for another Node: what that takes is the API server's, and that of a machine that
does other work besides. KCONTROL_BENCH_ALONE=1 (as root) runs the labeler, etcd and the API server before all else, so
that other work does not show in the times.
"""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from monitor_bench import cpu_of, status_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
LOST = "fault call=nvmlDeviceGetName gpu=3 return=15\n"


def quantiles(values):
    """Median, 99th percentile and largest in ms."""
    ordered = sorted(values)
    return " / ".join(f"{ordered[min(len(ordered) - 1, int(q * len(ordered)))] * 1e3:.2f}" for q in (0.5, 0.99, 1.0)) + " ms"


def run_before_all_else(pid, priority):
    """All its threads, and those it starts."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setscheduler(int(thread), os.SCHED_FIFO, os.sched_param(priority))


def memory_of(pid):
    """Its parts in KB."""
    lines = (pathlib.Path(f"/proc/{pid}") / name for name in ("smaps_rollup", "status"))
    fields = dict(line.split(":", 1) for file in lines for line in file.read_text().splitlines()[1:] if ":" in line)
    return {name: int(fields[name].split()[0]) for name in ("Pss", "RssAnon", "RssFile")}


class BareClient:
    """Applies the labels and annotations of the Node `like` to another one, one of them a new value each time."""

    def __init__(self, api, like, name):
        api.ask("POST", "/api/v1/nodes", json.dumps({"metadata": {"name": name}}))
        there = api.ask("GET", f"/api/v1/nodes/{like}")[1]["metadata"]
        self.labels = {key: value for key, value in there["labels"].items() if key.startswith("nvidia.com/")}
        self.node = {"apiVersion": "v1", "kind": "Node",
                     "metadata": {"name": name, "labels": self.labels, "annotations": there["annotations"]}}
        self.link = http.client.HTTPSConnection(api.url.split("//")[1], context=api.context)
        self.seconds = []

    def write(self, count):
        self.labels["nvidia.com/gpu.count"] = str(count)
        body, begin = json.dumps(self.node), time.monotonic()
        self.link.request("PATCH", f"/api/v1/nodes/{self.node['metadata']['name']}?fieldManager=bare&force=true", body,
                          {"Content-Type": "application/apply-patch+yaml", "Accept": "application/json"})
        answer = self.link.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"a bare write is answered with {answer.status}")
        self.seconds.append(time.monotonic() - begin)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    idle_seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    work = pathlib.Path(tempfile.mkdtemp(prefix="labeler-figures-"))
    program = work / "gpu_labeler"
    shutil.copy(build / "examples/apps/gpu_labeler/gpu_labeler", program)
    subprocess.run(["strip", program], check=True)
    os.environ["KCONTROL_LABELER"] = str(program)
    os.environ.setdefault("KCONTROL_PROBES", str(build / "tests"))
    import labeler
    import server
    import wait

    inventory, text = work / "inventory.txt", (labeler.FAKE / "inventories" / "a100-x8.txt").read_text()

    def use(more):
        (work / "fresh").write_text(text + more)
        (work / "fresh").rename(inventory)

    use("")
    api = server.Server("labeler-figures")
    running = None
    try:
        api.ask("POST", "/api/v1/nodes", json.dumps({"metadata": {"name": "n"}}))
        running = labeler.Labeler(inventory, work / "log", "--kubeconfig", api.kubeconfig, "--node-name", "n", "--schedule",
                                  "@every 1s", "--sample-interval", "1s")
        if os.environ.get("KCONTROL_BENCH_ALONE"):
            etcd, server_pid = (api.work / "pids").read_text().split()
            # The one that waits for the other goes before it: none of them takes another's time while it has work.
            for pid, priority in ((running.process.pid, 3), (etcd, 2), (server_pid, 1)):
                run_before_all_else(pid, priority)
        reads, writes, bare = [], [], None
        for number in range(1, changes + 1):
            wait.until(lambda: f"write {number} does not come", lambda: running.metric("gpu_labeler_writes_total") == number)
            reads.append(running.metric("gpu_labeler_last_read_duration_seconds"))
            writes.append(running.metric("gpu_labeler_last_write_duration_seconds"))
            bare = bare or BareClient(api, "n", "other")
            bare.write(number)
            use(LOST if number % 2 else "")
        wait.until("the last write does not come", lambda: running.metric("gpu_labeler_writes_total") == changes + 1)
        pid, before = running.process.pid, running.metric("gpu_labeler_writes_total")
        cpu, version = cpu_of(pid), api.ask("GET", "/api/v1/nodes/n")[1]["metadata"]["resourceVersion"]
        time.sleep(idle_seconds)
        cpu = cpu_of(pid) - cpu
        idle_writes = running.metric("gpu_labeler_writes_total") - before
        same = api.ask("GET", "/api/v1/nodes/n")[1]["metadata"]["resourceVersion"] == version
        memory = {**status_of(pid), **memory_of(pid)}
        stopped = running.stop()[1]
    finally:
        if running and running.process.poll() is None:
            running.process.kill()
            running.process.wait()
        api.stop()
    print(f"stripped size                        {program.stat().st_size / 1e6:.2f} MB")
    print(f"a read of 8 GPUs, median/99 %/most   {quantiles(reads)}")
    print(f"a write, from begin to answer        {quantiles(writes)}")
    print(f"the same write by a bare client      {quantiles(bare.seconds[1:])}")  # the first one connects
    print(f"a read and a write                   {quantiles([r + w for r, w in zip(reads, writes)])}")
    print(f"RSS now / peak                       {memory['VmRSS'] / 1024:.1f} MB / {memory['VmHWM'] / 1024:.1f} MB, "
          f"{memory['Threads']} threads")
    print(f"of it own memory / files; PSS        {memory['RssAnon'] / 1024:.1f} MB / {memory['RssFile'] / 1024:.1f} MB; "
          f"{memory['Pss'] / 1024:.1f} MB")
    print(f"writes in {idle_seconds} s without a change     {idle_writes:.0f}, the Node is {'the same' if same else 'another'}")
    print(f"CPU in that time, read each second   {cpu:.2f} s")
    print(f"SIGTERM to end                       {stopped * 1e3:.0f} ms")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
