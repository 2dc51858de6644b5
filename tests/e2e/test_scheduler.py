"""The tutorial's scheduler (examples/tutorial/10_scheduler) at a real API server, with nodes that kwok simulates and
kubelets that admit pods as real ones do (kubelets.py). scheduler_chaos.py has what takes longer.

KCONTROL_TUTORIAL is the folder of the programs. Run alone: run.py test_scheduler
"""
import os
import pathlib
import time
import unittest

import cluster
import kubelets
import scheduling
import wait

NAME = "tutorial-scheduler"


class Waits:
    """A handler of Watch: how long pods of ours waited for their node, by their names, in seconds."""

    def __init__(self):
        self.since, self.took = {}, {}

    def __call__(self, kind, pod):
        name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        if pod["spec"]["schedulerName"] != NAME or kind == "DELETED":
            return
        if kubelets.node_of(pod):
            if name in self.since:
                self.took.setdefault(name, time.monotonic() - self.since[name])
        else:
            self.since.setdefault(name, time.monotonic())

    def longest(self):
        return max(self.took.items(), key=lambda item: item[1])


class SchedulerWorld(unittest.TestCase):
    """Nodes of 4 CPUs, kubelets on them, and what holds at the end of each test."""

    NODES = 25
    LONGEST = 15  # seconds that a pod waits that fits

    PREPARE = None  # of the API server: scheduling.SchedulingCluster

    @classmethod
    def setUpClass(cls):
        folder = os.environ.get("KCONTROL_TUTORIAL")
        if not folder:
            raise unittest.SkipTest("KCONTROL_TUTORIAL is not set")
        cls.program = pathlib.Path(folder) / "10_scheduler"
        cls.real = scheduling.SchedulingCluster("scheduler", cls.PREPARE)
        cls.addClassCleanup(cls.real.stop)
        # They stay: kwok sees only after a minute that a node of the same name is another one.
        cls.real.add_nodes(scheduling.node(f"node-{i}", gpus="4") for i in range(cls.NODES))
        cls.real.start_kwok()

    def setUp(self):
        self.watch_pods()
        self.replicas = []

    def watch_pods(self):
        room = self.real.allocatable()
        self.kubelets = kubelets.Kubelets(self.real, room)
        self.ledger = kubelets.Ledger(room, NAME)
        self.waits = Waits()
        self.watch = kubelets.Watch(self.real, self.ledger, self.waits, self.kubelets)

    def tearDown(self):
        for one in self.replicas:
            if one.process.poll() is None:
                one.kill()
        self.watch.stop()
        self.kubelets.stop()
        self.real.remove_pods(("default", "refused"))
        self.real.call("DELETE", "/apis/coordination.k8s.io/v1/namespaces/default/leases")

    def scheduler(self, *flags, name="tutorial", **more):
        one = scheduling.Replica(self.real, self.program, name, *(flags or ("--leader-elect=false",)), **more)
        self.replicas.append(one)
        return one

    def log(self):
        return "\n".join(one.log.read_text()[-2000:] for one in self.replicas)

    def create(self, pods, threads=4):
        scheduling.in_threads(threads, self.real.create, pods)

    def seen(self, prefix="", namespace="default"):
        """The pods of this namespace that the watch has seen, whose names begin so."""
        return [p for p in list(self.watch.pods.values())
                if p["metadata"]["namespace"] == namespace and p["metadata"]["name"].startswith(prefix)]

    def bound(self, *where):
        return [p for p in self.seen(*where) if kubelets.node_of(p)]

    def until_bound(self, count, prefix="", deadline=60.0, namespace="default"):
        begun = time.monotonic()

        def missing():
            waiting = [p for p in self.seen(prefix, namespace) if not kubelets.node_of(p)]
            return (f"{len(waiting)} of {count} pods wait, {waiting[:1]}; watch: {self.watch.failure}; "
                    f"{self.log()}")

        wait.until(missing, lambda: len(self.bound(prefix, namespace)) >= count, deadline, every=0.02)
        return time.monotonic() - begun

    def check_nodes(self):
        """No node holds more than its allocatable, and no kubelet has refused a pod."""
        self.assertIsNone(self.watch.failure)
        self.assertIsNone(self.kubelets.failure)
        self.assertEqual(self.ledger.excesses, [])
        self.assertEqual(self.kubelets.refused, [])


class SchedulerTest(SchedulerWorld):
    def test_pods_are_bound_and_a_restart_counts_them(self):
        one = self.scheduler()
        self.create(scheduling.pod(f"a-{i}", NAME, requests={"cpu": "1"}) for i in range(60))
        self.until_bound(60, "a-")
        one.kill()
        self.create(scheduling.pod(f"b-{i}", NAME, requests={"cpu": "1"}) for i in range(50))
        one.start()
        # 40 places are left.
        self.until_bound(40, "b-")
        waiting = lambda: [p for p in self.seen("b-") if not kubelets.node_of(p)
                           and scheduling.condition(p).get("reason") == "Unschedulable"]
        wait.until(lambda: f"{len(waiting())} say that they wait; {self.log()}", lambda: len(waiting()) == 10)
        for pod in waiting():
            self.assertRegex(scheduling.condition(pod)["message"], "^0/25 nodes are available: 25 Insufficient cpu\\.")
        self.check_nodes()

    def test_of_two_gangs_one_is_bound_and_the_other_holds_nothing(self):
        one = self.scheduler()
        wait.until(lambda: self.log(), lambda: self.answers(one))
        self.create(p for name in ("first", "second") for p in scheduling.gang(name, 100, NAME, {"cpu": "1"}))
        begun = time.monotonic()
        wait.until(lambda: f"{len(self.bound())} are bound; {self.log()}", lambda: len(self.bound()) >= 100, every=0.02)
        took = time.monotonic() - begun
        winner = self.bound()[0]["metadata"]["labels"]["scheduling.kcontrol.dev/gang"]
        loser = "second" if winner == "first" else "first"
        message = f"gang {loser}: 0 of 100 members fit: 0/25 nodes are available: 25 Insufficient cpu."

        def said():
            return [c for p in self.seen(f"{loser}-")
                    if (c := scheduling.condition(p)).get("message", "").startswith(message)]

        wait.until(lambda: f"{len(said())} say so: {self.seen(f'{loser}-')[:1]}", lambda: len(said()) == 100)
        self.assertEqual(len(self.bound(f"{winner}-")), 100)
        self.assertEqual(self.bound(f"{loser}-"), [])
        print(f"a gang of 100 was bound {took:.2f} s after the last of 200 pods was created")
        self.assertLess(took, 5)  # measures: what is promised of such a gang
        self.delete(f"{winner}-")
        self.until_bound(100, f"{loser}-")
        self.check_nodes()

    def delete(self, prefix):
        names = [p["metadata"]["name"] for p in self.seen(prefix)]
        scheduling.in_threads(4, lambda n: self.real.call("DELETE", f"/api/v1/namespaces/default/pods/{n}"), names)

    @staticmethod
    def answers(replica):
        try:
            return "scheduler_pending_pods" in replica.metrics()
        except OSError:
            return False


class PodGroupTest(SchedulerWorld):
    """Gangs by Kubernetes' own PodGroups, which an API server serves if it is told to: in 1.37 their beta, in 1.36 the
    alpha."""

    NODES = 2

    @classmethod
    def PREPARE(cls, work):
        cls.version = "v1alpha2" if cluster.minor() < 37 else "v1beta1"
        (work / "apiserver-options").write_text(
            f"--feature-gates=GenericWorkload=true\n--runtime-config=scheduling.k8s.io/{cls.version}=true\n")

    def test_members_wait_for_the_minimum_and_the_group_says_whether_it_is_placed(self):
        path = f"/apis/scheduling.k8s.io/{self.version}/namespaces/default/podgroups"
        self.scheduler()
        code, made = self.real.call("POST", path, {
            "apiVersion": f"scheduling.k8s.io/{self.version}", "kind": "PodGroup", "metadata": {"name": "four"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 4}}}})
        self.assertEqual(code, 201, made)
        placed = "PodGroupScheduled" if self.version == "v1alpha2" else "PodGroupInitiallyScheduled"

        def condition():
            found = self.real.call("GET", f"{path}/four")[1].get("status", {}).get("conditions", [])
            return {c["type"]: (c["status"], c["reason"]) for c in found}

        def member(number):
            pod = scheduling.pod(f"four-{number}", NAME, requests={"cpu": "1"})
            pod["spec"]["schedulingGroup"] = {"podGroupName": "four"}
            return pod

        self.create(member(i) for i in range(3))
        wait.until(lambda: f"{self.seen()}; {self.log()}",
                   lambda: len([p for p in self.seen() if "four" in scheduling.condition(p).get("message", "")]) == 3)
        self.assertEqual(self.bound(), [])
        self.create([member(3)])
        self.until_bound(4)
        wait.until(lambda: f"{condition()}; {self.log()}", lambda: condition() == {placed: ("True", "Scheduled")})
        self.check_nodes()


if __name__ == "__main__":
    unittest.main()
