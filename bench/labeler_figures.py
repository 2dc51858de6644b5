#!/usr/bin/env python3
"""Measures the stripped gpu_labeler on a node of 8 GPUs, with a real kube-apiserver on loopback.

usage: labeler_figures.py BUILD [CHANGES [IDLE_SECONDS]]     BUILD: a release build folder with gpu_labeler; 50 changes
                                                             of the labels and 60 s without any by default
KCONTROL_PROBES names the folder with libfake_nvml.so where that is not BUILD/tests (release builds have no tests). The
GPUs are those of this stand-in for NVML, which answers at once: what a read takes is the program's own time.
"""
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


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    idle_seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    work = pathlib.Path(tempfile.mkdtemp(prefix="labeler-figures-"))
    program = work / "gpu_labeler"
    shutil.copy(build / "examples/gpu_labeler/gpu_labeler", program)
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
        reads, writes = [], []
        for number in range(1, changes + 1):
            wait.until(lambda: f"write {number} does not come", lambda: running.metric("gpu_labeler_writes_total") == number)
            reads.append(running.metric("gpu_labeler_last_read_duration_seconds"))
            writes.append(running.metric("gpu_labeler_last_write_duration_seconds"))
            use(LOST if number % 2 else "")
        wait.until("the last write does not come", lambda: running.metric("gpu_labeler_writes_total") == changes + 1)
        pid, before = running.process.pid, running.metric("gpu_labeler_writes_total")
        cpu, version = cpu_of(pid), api.ask("GET", "/api/v1/nodes/n")[1]["metadata"]["resourceVersion"]
        time.sleep(idle_seconds)
        cpu = cpu_of(pid) - cpu
        idle_writes = running.metric("gpu_labeler_writes_total") - before
        same = api.ask("GET", "/api/v1/nodes/n")[1]["metadata"]["resourceVersion"] == version
        memory = status_of(pid)
        stopped = running.stop()[1]
    finally:
        if running and running.process.poll() is None:
            running.process.kill()
            running.process.wait()
        api.stop()
    print(f"stripped size                        {program.stat().st_size / 1e6:.2f} MB")
    print(f"a read of 8 GPUs, median/99 %/most   {quantiles(reads)}")
    print(f"a write, from begin to answer        {quantiles(writes)}")
    print(f"both                                 {quantiles([r + w for r, w in zip(reads, writes)])}")
    print(f"RSS now / peak                       {memory['VmRSS'] / 1024:.1f} MB / {memory['VmHWM'] / 1024:.1f} MB, "
          f"{memory['Threads']} threads")
    print(f"writes in {idle_seconds} s without a change     {idle_writes:.0f}, the Node is {'the same' if same else 'another'}")
    print(f"CPU in that time, read each second   {cpu:.2f} s")
    print(f"SIGTERM to end                       {stopped * 1e3:.0f} ms")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
