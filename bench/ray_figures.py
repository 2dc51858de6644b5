#!/usr/bin/env python3
"""The Ray operator beside KubeRay on one real API server, in one run; docs/ray_operator.md has the figures.

usage: KCONTROL_EXAMPLES=BUILD/examples ray_figures.py [--clusters N] [--large N] [--workers N] [--qps N] [--idle SECONDS]
  large   so many clusters of so many workers, from nothing, by ours alone: seconds until all pods are there, and until
          all clusters are ready; the CPU seconds of the API server and of the operator meanwhile
  many    N clusters of a head and 2 workers, first by one operator, then by the other: seconds until all are ready, CPU
          seconds and peak memory of the process until then
  life    requests of an operator in the life of one cluster: created, ready, deleted
  idle    requests of an operator while nothing happens
Pods are kwok's. KubeRay has its own defaults but for --qps (0: its default, 100 a second). Prints rows "id TAB peer TAB
value TAB unit". Exit 3: no control plane is to be had here.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import kuberay  # noqa: E402
import ports  # noqa: E402
import wait  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_memory(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def requests(port):
    """By method, of the operator's own count."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode()
    out = {}
    for labels, value in re.findall(r"^rest_client_requests_total\{(.*)\} (\S+)$", text, re.M):
        method = re.search(r'method="(\w+)"', labels).group(1)
        out[method] = out.get(method, 0) + int(float(value))
    return out


def difference(after, before):
    return {m: n - before.get(m, 0) for m, n in sorted(after.items()) if n != before.get(m, 0)}


class Figures:
    def __init__(self, arguments):
        self.arguments = arguments
        self.server = kuberay.RayServer(nodes=8)
        self.real = self.server.real
        self.api_server = int((self.server.work / "kuberay" / "pids").read_text().split()[1])

    def row(self, what, which, value, unit):
        print(what, "KubeRay" if which == kuberay.THEIRS else "kcontrol", value, unit, sep="\t", flush=True)

    def start(self, which, namespace):
        port = ports.free_port()
        if which == kuberay.OURS:
            options = ["--metrics-bind-address", f"127.0.0.1:{port}"]
        else:
            options = [f"--metrics-addr=127.0.0.1:{port}"]
            if self.arguments.qps:
                options += [f"--qps={self.arguments.qps}", f"--burst={2 * self.arguments.qps}"]
        process = self.server.start(which, namespace, *options)
        wait.until(lambda: self.server.log(which, namespace).read_text()[-2000:], lambda: self.answers(port), 60)
        return process, port

    @staticmethod
    def answers(port):
        try:
            return requests(port) is not None
        except OSError:
            return False

    def make(self, namespace, number, workers):
        one = {"spec": {"containers": [{"name": "ray", "image": "rayproject/ray:2.46.0"}]}}
        group = {"groupName": "a", "replicas": workers, "minReplicas": 0, "maxReplicas": workers, "rayStartParams": {},
                 "template": one}
        self.real.apply(*[{"apiVersion": "ray.io/v1", "kind": "RayCluster",
                           "metadata": {"name": f"c-{i}", "namespace": namespace},
                           "spec": {"headGroupSpec": {"rayStartParams": {}, "template": one}, "workerGroupSpecs": [group]}}
                          for i in range(number)])

    def count(self, kind, namespace, holds):
        lines = self.real.kubectl("get", kind, "-n", namespace, "--no-headers", "-o", holds).splitlines()
        return lines

    def ready(self, namespace):
        return self.count("rayclusters", namespace, "jsonpath={range .items[*]}{.status.state}{'\\n'}{end}").count("ready")

    def pods(self, namespace):
        return len(self.count("pods", namespace, "jsonpath={range .items[*]}x{'\\n'}{end}"))

    def clear(self, namespace):
        self.real.kubectl("delete", "rayclusters", "--all", "-n", namespace, "--wait=false")
        wait.until("pods stay", lambda: self.pods(namespace) == 0, 600, every=2)

    def grow(self, which, namespace, number, workers, about):
        self.make(namespace, number, workers)
        process, _ = self.start(which, namespace)
        begun, api = time.monotonic(), cpu(self.api_server)
        made = None

        def all_ready():
            nonlocal made
            if made is None and self.pods(namespace) == number * (workers + 1):
                made = time.monotonic() - begun
            return made is not None and self.ready(namespace) == number

        wait.until(lambda: f"{self.ready(namespace)} of {number} are ready, {self.pods(namespace)} pods", all_ready, 1800, every=1)
        self.row(about, which, round(made, 1), "s until all pods are there")
        self.row(about, which, round(time.monotonic() - begun, 1), "s until all are ready")
        self.row(about, which, round(cpu(process.pid), 2), "CPU s")
        self.row(about, which, round(cpu(self.api_server) - api, 1), "CPU s of the API server")
        self.row(about, which, round(peak_memory(process.pid), 1), "MiB at most")

    def run(self):
        a = self.arguments
        print(f"load of the machine at the start: {os.getloadavg()[0]:.1f}", file=sys.stderr)
        if a.large:
            self.grow(kuberay.OURS, kuberay.OURS, a.large, a.workers, f"{a.large} clusters of {a.workers} workers")
            self.clear(kuberay.OURS)
            self.server.end(kuberay.OURS)
        for which in (kuberay.OURS, kuberay.THEIRS):
            if a.clusters:
                self.grow(which, which, a.clusters, 2, f"{a.clusters} clusters of 2 workers")
                self.clear(which)
                self.server.end(which)
            self.live(which)
        print(f"load of the machine at the end: {os.getloadavg()[0]:.1f}", file=sys.stderr)

    def live(self, which):
        _, port = self.start(which, which)
        time.sleep(5)
        before = requests(port)
        self.make(which, 1, 2)
        wait.until("not ready", lambda: self.ready(which) == 1, 120)
        time.sleep(self.arguments.idle)
        at_rest = requests(port)
        time.sleep(self.arguments.idle)
        self.row("idle", which, json.dumps(difference(requests(port), at_rest)), f"requests in {self.arguments.idle} s")
        self.clear(which)
        time.sleep(5)
        self.row("life", which, json.dumps(difference(requests(port), before)), "requests of a cluster of 2 workers")
        self.server.end(which)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, value in (("clusters", 1000), ("large", 100), ("workers", 100), ("qps", 0), ("idle", 60)):
        parser.add_argument("--" + name, type=int, default=value)
    try:
        figures = Figures(parser.parse_args())
    except unittest.SkipTest as why:
        print(why, file=sys.stderr)
        sys.exit(3)
    try:
        figures.run()
    finally:
        figures.server.stop()
