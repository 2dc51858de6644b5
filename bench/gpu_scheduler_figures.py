#!/usr/bin/env python3
"""gpu_scheduler beside kube-scheduler on a real API server, in one run: rows PB-22 of scripts/bench.sh.

usage: gpu_scheduler_figures.py PROGRAM [--nodes N] [--pods N] [--gangs N] [--members N]
Nodes have 8 GPUs, and stand in racks of 25. Pods request one GPU each; those of a gang are to be in one rack. All of them
wait when the scheduler starts: pods per second from the first binding to the last; CPU seconds and peak memory of the
process until then. kube-scheduler gets as many pods, without gangs: it would not place them together. Afterwards each GPU
of gpu_scheduler must have one pod at most, and each gang one rack. Nodes are objects that kwok would run; nothing runs the
pods. Prints rows "id TAB peer TAB variant TAB value TAB unit". Exit 1: a GPU was given twice; 3: no control plane is to be
had here.
"""
import argparse
import collections
import json
import pathlib
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import kubelets  # noqa: E402
import scheduling  # noqa: E402
import wait  # noqa: E402

OURS, THEIRS = "gpu-scheduler", "default-scheduler"
RACK, RECORD = "topology.kubernetes.io/rack", "scheduling.kcontrol.dev/allocation"


def pod(name, scheduler, gang=None, size=0):
    out = scheduling.pod(name, scheduler)
    amounts = {"cpu": "1", "memory": "4Gi", "nvidia.com/gpu": "1"}
    out["spec"]["containers"][0]["resources"] = {"limits": amounts, "requests": amounts}
    if gang and scheduler == OURS:
        out["metadata"]["labels"] = {"scheduling.kcontrol.dev/gang": gang}
        out["metadata"]["annotations"] = {"scheduling.kcontrol.dev/gang-size": str(size),
                                          "scheduling.kcontrol.dev/topology": f"required:{RACK}"}
    return out


class Bindings:
    """A handler of a Watch: when each pod was first seen with a node."""

    def __init__(self):
        self.at = {}

    def __call__(self, kind, seen):
        if kubelets.node_of(seen):
            self.at.setdefault(seen["metadata"]["name"], time.monotonic())


def excesses(pods, racks):
    """What is wrong with the placements of gpu_scheduler."""
    given, of_gang = collections.Counter(), collections.defaultdict(set)
    for each in pods:
        meta = each["metadata"]
        given.update(d["uuid"] for d in json.loads(meta["annotations"][RECORD])["devices"])
        if gang := meta.get("labels", {}).get("scheduling.kcontrol.dev/gang"):
            of_gang[gang].add(racks[kubelets.node_of(each)])
    return [u for u, n in given.items() if n > 1] + [g for g, where in of_gang.items() if len(where) > 1]


class Figures:
    def __init__(self, arguments):
        self.arguments = arguments
        self.real = scheduling.SchedulingCluster("gpu-figures")
        self.racks = {f"node-{i}": f"rack-{i // 25}" for i in range(arguments.nodes)}
        self.real.add_nodes(scheduling.node(name, {RACK: rack}, cpu="128", memory="2Ti", gpus="8")
                            for name, rack in self.racks.items())

    def measure(self, name):
        a = self.arguments
        pods = [pod(f"pod-{i}", name) for i in range(a.pods)]
        pods += [pod(f"gang-{g}-{i}", name, f"gang-{g}", a.members) for g in range(a.gangs) for i in range(a.members)]
        scheduling.in_threads(8, self.real.create, pods)
        bindings = Bindings()
        watch = kubelets.Watch(self.real, bindings)
        if name == THEIRS:
            process = self.real.start_kube_scheduler()
        else:
            process = scheduling.Replica(self.real, a.program, "gpu", "--leader-elect=false", "--install-crds").process
        wait.until(lambda: f"{len(bindings.at)} of {len(pods)} are bound by {name}; {watch.failure}",
                   lambda: len(bindings.at) == len(pods), 1800, 0.02)
        cpu, memory = scheduling.cpu_seconds(process.pid), scheduling.peak_memory(process.pid)
        times = sorted(bindings.at.values())
        variant = f"{a.nodes} nodes with 8 GPUs, {a.pods} pods and {a.gangs} gangs of {a.members}"
        peer = "kcontrol" if name == OURS else "kube-scheduler"
        for value, unit in (((len(pods) - 1) / (times[-1] - times[0]), "pods/s"), (cpu, "CPU s"), (memory / 1e6, "MB peak RSS")):
            print("PB-22", peer, variant, f"{value:.4g}", unit, sep="\t", flush=True)
        wrong = excesses(self.real.pods(), self.racks) if name == OURS else []
        process.kill()
        process.wait()
        watch.stop()
        self.real.call("DELETE", "/api/v1/namespaces/default/pods?gracePeriodSeconds=0")
        wait.until("pods do not go", lambda: not self.real.call(
            "GET", "/api/v1/namespaces/default/pods?limit=1")[1]["items"], 600)
        return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    for name, usual in (("nodes", 1250), ("pods", 6000), ("gangs", 500), ("members", 8)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    arguments = parser.parse_args()
    try:
        figures = Figures(arguments)
    except unittest.SkipTest as why:
        print(f"left out: {why}", file=sys.stderr)
        return 3
    try:
        figures.measure(THEIRS)
        wrong = figures.measure(OURS)
    finally:
        figures.real.stop()
    if wrong:
        print(f"given twice, or torn apart: {wrong[:10]}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
