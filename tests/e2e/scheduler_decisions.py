"""Random pods in random clusters on a real API server: kube-scheduler decides where each goes, and so does
kcontrol::scheduling, on the same state (tests/scheduling_probe). Group scheduler runs it.

Both place the pod, or both refuse it; kube-scheduler's node passes our filters; the messages are equal, up to what
post filters add. docs/scheduling.md lists what differs on purpose. KCONTROL_PROBES is the folder of scheduling_probe.
KCONTROL_DECISION_CLUSTERS: how many clusters (100), of 20 pods each. KCONTROL_DECISION_SEED: the first (1).
Run alone: run.py scheduler_decisions
"""
import json
import os
import subprocess
import time
import unittest

import kubelets
import probes
import scheduling
import wait

NAMESPACES = ("random-a", "random-b")
PODS = 20


class Decider:
    """scheduling_probe, which decides on the states that it is given."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "decide"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def decide(self, state):
        self.process.stdin.write(json.dumps(state) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def without_post_filters(message):
    for end in (" no new claims to deallocate", " preemption: "):
        message = message.partition(end)[0]
    return message.rstrip(", ")


def difference(pod, ours):
    """How kube-scheduler's decision about a pod differs from ours, or None."""
    node, said = kubelets.node_of(pod), scheduling.condition(pod)
    if bool(node) != ours["placed"]:
        return f"kube-scheduler: {node or said['message']}; ours: {ours['feasible'] or ours['message']}"
    if node:
        return None if node in ours["feasible"] else f"{node} is refused: {ours['refused'].get(node)}"
    theirs = without_post_filters(said["message"])
    return None if theirs == ours["message"] else f"kube-scheduler: {theirs}; ours: {ours['message']}"


class DecisionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("scheduling_probe")
        cls.real = scheduling.SchedulingCluster("decisions")
        cls.addClassCleanup(cls.real.stop)
        cls.real.start_kube_scheduler()
        cls.decider = Decider(cls.program)
        cls.addClassCleanup(cls.decider.stop)

    def make(self, seed):
        run = subprocess.run([self.program, "cluster", str(seed), "3", "20", str(PODS), "0", "default-scheduler"],
                             capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    def decided(self, pod):
        """The pod, with kube-scheduler's decision."""
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        seen = {}

        def has_decision():
            seen["pod"] = self.real.call("GET", path)[1]
            return kubelets.node_of(seen["pod"]) or scheduling.condition(seen["pod"]).get("message")

        wait.until(lambda: f"no decision: {seen['pod']}", has_decision, 60, every=0.005)
        return seen["pod"]

    def remove(self, pod):
        meta = pod["metadata"]
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        self.real.call("DELETE", f"{path}?gracePeriodSeconds=0")

    def compare(self, pod, state):
        """The pod as kube-scheduler left it, and the difference."""
        made = self.real.create(pod)
        ours = self.decider.decide({**state, "pod": made})
        theirs = self.decided(made)
        return theirs, difference(theirs, ours)

    def try_cluster(self, seed, counts):
        random = self.make(seed)
        self.real.add_nodes(random["nodes"])
        state = {"nodes": self.real.call("GET", "/api/v1/nodes")[1]["items"], "pods": [],
                 "namespaces": self.real.call("GET", "/api/v1/namespaces")[1]["items"]}
        differences = []
        for pod in random["pods"]:
            theirs, differs = self.compare(pod, state)
            if differs:
                # It may have decided before it saw the last change of the cluster.
                self.remove(theirs)
                time.sleep(1)  # measures: until its caches are up to date
                counts["again"] += 1
                theirs, differs = self.compare(pod, state)
            if differs:
                differences.append(f"seed {seed}, {pod['metadata']['name']}: {differs}")
            if kubelets.node_of(theirs):
                state["pods"].append(theirs)
                counts["placed"] += 1
            else:
                counts["refused"] += 1
                self.remove(theirs)
        self.real.remove_pods(NAMESPACES)
        self.real.call("DELETE", "/api/v1/nodes")
        return differences

    def test_as_kube_scheduler_decides(self):
        first = int(os.environ.get("KCONTROL_DECISION_SEED", "1"))
        clusters = int(os.environ.get("KCONTROL_DECISION_CLUSTERS", "100"))
        shared = self.make(first)
        for one in shared["namespaces"]:
            self.real.create(one)
        for one in shared["priorityClasses"]:
            self.real.create({**one, "preemptionPolicy": "Never"})  # no pod changes the state for others
        counts, differences = {"placed": 0, "refused": 0, "again": 0}, []
        for seed in range(first, first + clusters):
            differences += self.try_cluster(seed, counts)
        print(f"{clusters} clusters, {clusters * PODS} pods: {counts['placed']} placed, {counts['refused']} refused, "
              f"{counts['again']} decided again, {len(differences)} differ")
        self.assertEqual(differences, [])
        self.assertGreater(counts["placed"], clusters * PODS // 4)
        self.assertGreater(counts["refused"], clusters * PODS // 20)


if __name__ == "__main__":
    unittest.main()
