#!/usr/bin/env python3
"""The tutorial's scheduler beside kube-scheduler on a real API server, in one run: rows of scripts/bench.sh.

usage: scheduler_figures.py PROGRAM [--only PB-19|PB-20] [--nodes N] [--pods N] [--rate N] [--seconds N]
  PB-19  N pods wait for N nodes when the scheduler starts: pods per second from the first binding to the last; CPU
         seconds and peak memory of the process until then
  PB-20  so many pods per second are created, for so many seconds: the time from a pod's creation to its binding, as a
         client of the server sees it
Nodes are objects that kwok would run; nothing runs the pods, for the schedulers do not need it. kube-scheduler's limits
of requests are raised to 5,000 per second. Prints rows "id TAB peer TAB variant TAB value TAB unit". Exit 3: no control
plane is to be had here.
"""
import argparse
import pathlib
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import kubelets  # noqa: E402
import scheduling  # noqa: E402
import wait  # noqa: E402

OURS, THEIRS = "tutorial-scheduler", "default-scheduler"
REQUESTS = {"cpu": "100m", "memory": "64Mi"}


class Bindings:
    """A handler of a Watch: when each pod was first seen with a node."""

    def __init__(self):
        self.at = {}

    def __call__(self, kind, pod):
        if kubelets.node_of(pod):
            self.at.setdefault(pod["metadata"]["name"], time.monotonic())


class Figures:
    def __init__(self, arguments):
        self.arguments = arguments
        self.real = scheduling.SchedulingCluster("figures")
        self.real.add_nodes(scheduling.node(f"node-{i}", {"topology.kubernetes.io/zone": f"zone-{i % 3}"}, cpu="32",
                                            memory="256Gi") for i in range(arguments.nodes))

    def start(self, name):
        """The process of that scheduler."""
        if name == THEIRS:
            return self.real.start_kube_scheduler()
        return scheduling.Replica(self.real, self.arguments.program, "tutorial", "--leader-elect=false").process

    def row(self, number, name, variant, value, unit):
        peer = "kcontrol" if name == OURS else "kube-scheduler"
        print(number, peer, variant, f"{value:.4g}", unit, sep="\t", flush=True)

    def watch(self):
        bindings = Bindings()
        return bindings, kubelets.Watch(self.real, bindings)

    def end(self, process, watch):
        process.kill()
        process.wait()
        watch.stop()
        self.real.call("DELETE", "/api/v1/namespaces/default/pods?gracePeriodSeconds=0")
        wait.until("pods do not go", lambda: not self.real.call(
            "GET", "/api/v1/namespaces/default/pods?limit=1")[1]["items"], 600)

    def throughput(self, name):
        count = self.arguments.pods
        scheduling.in_threads(8, self.real.create, (
            scheduling.pod(f"pod-{i}", name, requests=REQUESTS) for i in range(count)))
        bindings, watch = self.watch()
        process = self.start(name)
        wait.until(lambda: f"{len(bindings.at)} of {count} are bound by {name}; {watch.failure}",
                   lambda: len(bindings.at) == count, 1800, 0.02)
        cpu, memory = scheduling.cpu_seconds(process.pid), scheduling.peak_memory(process.pid)
        times = sorted(bindings.at.values())
        variant = f"{self.arguments.nodes} nodes, {count} waiting pods"
        self.row("PB-19", name, variant, (count - 1) / (times[-1] - times[0]), "pods/s")
        self.row("PB-19", name, variant, cpu, "CPU s")
        self.row("PB-19", name, variant, memory / 1e6, "MB peak RSS")
        self.end(process, watch)

    def latency(self, name):
        count = self.arguments.rate * self.arguments.seconds
        bindings, watch = self.watch()
        process = self.start(name)
        self.real.create(scheduling.pod("first", name, requests=REQUESTS))
        wait.until(lambda: f"{name} binds nothing", lambda: bindings.at, 120, 0.02)
        created, begun, lock = {}, time.monotonic(), threading.Lock()
        numbers = iter(range(count))

        def create():
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                time.sleep(max(0.0, begun + number / self.arguments.rate - time.monotonic()))  # measures: the rate
                created[f"pod-{number}"] = time.monotonic()
                self.real.create(scheduling.pod(f"pod-{number}", name, requests=REQUESTS))

        threads = [threading.Thread(target=create) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait.until(lambda: f"{len(bindings.at)} of {count}", lambda: len(bindings.at) == count + 1, 120, 0.02)
        took = sorted(bindings.at[pod] - when for pod, when in created.items())
        variant = f"{self.arguments.nodes} nodes, {self.arguments.rate} pods/s"
        self.row("PB-20", name, variant, 1e3 * took[len(took) // 2], "ms p50, creation to binding")
        self.row("PB-20", name, variant, 1e3 * took[len(took) * 99 // 100], "ms p99, creation to binding")
        self.end(process, watch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", choices=["PB-19", "PB-20"])
    for name, usual in (("nodes", 5000), ("pods", 10000), ("rate", 50), ("seconds", 20)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    arguments = parser.parse_args()
    try:
        figures = Figures(arguments)
    except unittest.SkipTest as why:
        print(f"left out: {why}", file=sys.stderr)
        return 3
    try:
        for number, measure in (("PB-19", figures.throughput), ("PB-20", figures.latency)):
            if arguments.only in (None, number):
                measure(THEIRS)
                measure(OURS)
    finally:
        figures.real.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
