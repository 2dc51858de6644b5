#!/usr/bin/env python3
"""gpu_scheduler beside kube-scheduler on a real API server, in one run: rows PB-22 of scripts/bench.sh.

usage: gpu_scheduler_figures.py PROGRAM [--nodes N] [--pods N] [--gangs N] [--members N]
Nodes have 8 GPUs, and stand in racks of 25. Pods request one GPU each; those of a gang are to be in one rack. All of them
wait when the scheduler starts: pods per second from the first binding to the last; CPU seconds and peak memory of the
process until then. kube-scheduler gets as many pods, without gangs: it would not place them together. Afterwards each GPU
of gpu_scheduler must have one pod at most, and each gang one rack; and it is asked 20 times over HTTP why a pod waits that
requests more GPUs than are free (median). Nodes are objects that kwok would run; nothing runs the pods. Prints rows
"id TAB peer TAB variant TAB value TAB unit", and progress on standard error. Exit 1: a GPU was given twice; 3: no control
plane is to be had here.
"""
import argparse
import collections
import http.client
import json
import pathlib
import statistics
import sys
import time

import scheduler_run  # the first: it finds what follows
import kubelets
import scheduling
import wait
from scheduler_run import THEIRS

OURS = "gpu-scheduler"
RACK, RECORD = "topology.kubernetes.io/rack", "scheduling.kcontrol.dev/allocation"


def pod(name, scheduler, gpus=1, gang=None, size=0):
    out = scheduling.pod(name, scheduler)
    amounts = {"cpu": "1", "memory": "4Gi", "nvidia.com/gpu": str(gpus)}
    out["spec"]["containers"][0]["resources"] = {"limits": amounts, "requests": amounts}
    if gang and scheduler == OURS:
        out["metadata"]["labels"] = {"scheduling.kcontrol.dev/gang": gang}
        out["metadata"]["annotations"] = {"scheduling.kcontrol.dev/gang-size": str(size),
                                          "scheduling.kcontrol.dev/topology": f"required:{RACK}"}
    return out


def excesses(pods, racks):
    """What is wrong with the placements of gpu_scheduler."""
    given, of_gang = collections.Counter(), collections.defaultdict(set)
    for each in pods:
        meta = each["metadata"]
        given.update(d["uuid"] for d in json.loads(meta["annotations"][RECORD])["devices"])
        if gang := meta.get("labels", {}).get("scheduling.kcontrol.dev/gang"):
            of_gang[gang].add(racks[kubelets.node_of(each)])
    return [u for u, n in given.items() if n > 1] + [g for g, where in of_gang.items() if len(where) > 1]


class Figures(scheduler_run.SchedulerRun):
    def __init__(self, arguments):
        self.arguments, self.replica = arguments, None
        self.racks = {f"node-{i}": f"rack-{i // 25}" for i in range(arguments.nodes)}
        super().__init__("gpu-figures", OURS, (scheduling.node(name, {RACK: rack}, cpu="128", memory="2Ti", gpus="8")
                                               for name, rack in self.racks.items()))

    def start(self, name):
        if name == THEIRS:
            return self.real.start_kube_scheduler()
        self.replica = scheduling.Replica(self.real, self.arguments.program, "gpu", "--leader-elect=false", "--install-crds")
        return self.replica.process

    def ask(self, target):
        connection = http.client.HTTPConnection("127.0.0.1", self.replica.port, timeout=60)
        connection.request("GET", target)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def why(self):
        """Seconds for each of 20 questions."""
        self.real.create(pod("late", OURS, 9))
        wait.until("late does not wait", lambda: self.ask("/api/v1/why?pod=default/late")[0] == 200)
        took = []
        for _ in range(20):
            begun = time.monotonic()
            self.ask("/api/v1/why?pod=default/late")
            took.append(time.monotonic() - begun)
        return took

    def measure(self):
        a, wrong = self.arguments, []
        variant = f"{a.nodes} nodes with 8 GPUs, {a.pods} pods and {a.gangs} gangs of {a.members}"
        for name in (OURS, THEIRS):
            pods = [pod(f"pod-{i}", name) for i in range(a.pods)]
            pods += [pod(f"gang-{g}-{i}", name, 1, f"gang-{g}", a.members) for g in range(a.gangs) for i in range(a.members)]
            process, watch = self.throughput("PB-22", variant, name, pods)
            if name == OURS:
                wrong = excesses(self.real.pods(), self.racks)
                self.row("PB-22", name, variant, 1e3 * statistics.median(self.why()), "ms, why over HTTP")
            self.end(process, watch)
        if wrong:
            print(f"given twice, or torn apart: {wrong[:10]}", file=sys.stderr)
        return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    for name, usual in (("nodes", 1250), ("pods", 6000), ("gangs", 500), ("members", 8)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    arguments = parser.parse_args()
    return scheduler_run.run(lambda: Figures(arguments), Figures.measure)


if __name__ == "__main__":
    sys.exit(main())
