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

import scheduler_run  # the first: it finds what follows
import scheduling
import wait
from scheduler_run import THEIRS

OURS = "tutorial-scheduler"
REQUESTS = {"cpu": "100m", "memory": "64Mi"}


class Figures(scheduler_run.SchedulerRun):
    def __init__(self, arguments):
        self.arguments = arguments
        super().__init__("figures", OURS, (scheduling.node(
            f"node-{i}", {"topology.kubernetes.io/zone": f"zone-{i % 3}"}, cpu="32", memory="256Gi")
            for i in range(arguments.nodes)))

    def start(self, name):
        """The process of that scheduler."""
        if name == THEIRS:
            return self.real.start_kube_scheduler()
        return scheduling.Replica(self.real, self.arguments.program, "tutorial", "--leader-elect=false").process

    def waiting(self, name):
        count = self.arguments.pods
        self.end(*self.throughput("PB-19", f"{self.arguments.nodes} nodes, {count} waiting pods", name, (
            scheduling.pod(f"pod-{i}", name, requests=REQUESTS) for i in range(count))))

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


def measure(figures):
    for number, of in (("PB-19", figures.waiting), ("PB-20", figures.latency)):
        if figures.arguments.only in (None, number):
            of(THEIRS)
            of(OURS)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", choices=["PB-19", "PB-20"])
    for name, usual in (("nodes", 5000), ("pods", 10000), ("rate", 50), ("seconds", 20)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    arguments = parser.parse_args()
    return scheduler_run.run(lambda: Figures(arguments), measure)


if __name__ == "__main__":
    sys.exit(main())
