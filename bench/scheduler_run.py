"""What the figures of schedulers on a real API server share: rows, and one run of a scheduler before waiting pods."""
import pathlib
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import kubelets  # noqa: E402
import scheduling  # noqa: E402
import wait  # noqa: E402

THEIRS = "default-scheduler"
BEGUN = time.monotonic()


def progress(what):
    print(f"{time.monotonic() - BEGUN:7.1f} s: {what}", file=sys.stderr, flush=True)


def counted(what, things):
    """The things; progress says how many of them were taken."""
    for number, each in enumerate(things, 1):
        if number % 1000 == 0:
            progress(f"{number} {what}")
        yield each


class Bindings:
    """A handler of a Watch: when each pod was first seen with a node."""

    def __init__(self):
        self.at = {}

    def __call__(self, kind, pod):
        name = pod["metadata"]["name"]
        if name not in self.at and kubelets.node_of(pod):
            self.at[name] = time.monotonic()
            if len(self.at) % 1000 == 0:
                progress(f"{len(self.at)} bound")


class SchedulerRun:
    """A real API server with nodes. start(name) of a subclass starts the scheduler of that name. Skipped where no control
    plane is to be had."""

    def __init__(self, name, ours, nodes):
        self.ours, self.real = ours, scheduling.SchedulingCluster(name)
        try:
            self.real.add_nodes(counted("nodes", nodes))
        except BaseException:
            self.real.stop()
            raise

    def row(self, number, name, variant, value, unit):
        peer = "kcontrol" if name == self.ours else "kube-scheduler"
        print(number, peer, variant, f"{value:.4g}", unit, sep="\t", flush=True)

    def watch(self):
        bindings = Bindings()
        return bindings, kubelets.Watch(self.real, bindings)

    def throughput(self, number, variant, name, pods):
        """All pods wait when it starts: pods per second from the first binding to the last, and CPU and memory until
        then. Returns the process and the watch, for end()."""
        pods = list(pods)
        progress(f"{len(pods)} pods for {name} are created")
        scheduling.in_threads(8, self.real.create, pods)
        bindings, watch = self.watch()
        progress(f"{name} starts")
        process = self.start(name)
        wait.until(lambda: f"{len(bindings.at)} of {len(pods)} are bound by {name}; {watch.failure}",
                   lambda: len(bindings.at) == len(pods) or process.poll() is not None, 1800, 0.02)
        if process.poll() is not None:
            raise RuntimeError(f"{name} ended with status {process.returncode}; {len(bindings.at)} of {len(pods)} are bound")
        cpu, memory = scheduling.cpu_seconds(process.pid), scheduling.peak_memory(process.pid)
        times = sorted(bindings.at.values())
        self.row(number, name, variant, (len(pods) - 1) / (times[-1] - times[0]), "pods/s")
        self.row(number, name, variant, cpu, "CPU s")
        self.row(number, name, variant, memory / 1e6, "MB peak RSS")
        return process, watch

    def end(self, process, watch):
        process.kill()
        process.wait()
        watch.stop()
        progress("deleting the pods")
        # One by one: a busy server gives up the request for all of them.
        pods = "/api/v1/namespaces/default/pods"
        names = [pod["metadata"]["name"] for pod in self.real.pods()]
        scheduling.in_threads(8, lambda name: self.real.call("DELETE", f"{pods}/{name}?gracePeriodSeconds=0"), names)
        wait.until("pods do not go", lambda: not self.real.call("GET", f"{pods}?limit=1")[1]["items"], 600)


def run(make, measure):
    """make() a SchedulerRun, and measure(it). Returns the exit status: what measure() returns, or 3 without a control
    plane."""
    try:
        figures = make()
    except unittest.SkipTest as why:
        print(f"left out: {why}", file=sys.stderr)
        return 3
    try:
        return measure(figures)
    finally:
        figures.real.stop()
