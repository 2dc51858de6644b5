"""What may happen to a scheduler on a real cluster: it is killed, stopped and cut off, its bindings are refused, others
bind its pods, and kube-scheduler uses the same nodes. Group scheduler runs it.

In each test pods come and go, and there is always room for them. No node holds more than its allocatable, except
through the other scheduler, and no pod waits longer than 15 s. KCONTROL_SCHEDULER_KILLS: how often (20).
KCONTROL_SCHEDULER_SEED. KCONTROL_TUTORIAL is the folder of the programs. Run alone: run.py scheduler_chaos
"""
import contextlib
import os
import random
import signal
import threading
import time
import unittest

import kubelets
import proxy
import scheduling
import test_scheduler
import wait
import webhooks_refusing
from test_scheduler import NAME

LEASE = ("--leader-elect", "--leader-election-lease-duration=3s", "--leader-election-renew-deadline=2s",
         "--leader-election-retry-period=500ms")


class Load:
    """Creates so many pods per second while it is entered; each requests one CPU, and runs for half a second or one."""

    def __init__(self, test, rate, prefix="p", scheduler=NAME, namespace="default", run_ms=(500, 1000)):
        self.test, self.rate, self.prefix, self.scheduler = test, rate, prefix, scheduler
        self.namespace, self.run_ms, self.count, self.failure = namespace, run_ms, 0, None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        chance = random.Random(self.prefix)
        due = time.monotonic()
        try:
            while not self.stopping.is_set():
                self.test.real.create(scheduling.pod(
                    f"{self.prefix}-{self.count}", self.scheduler, self.namespace, requests={"cpu": "1"},
                    annotations={"sim/run-ms": str(chance.randint(*self.run_ms))}))
                self.count += 1
                due += 1 / self.rate
                self.stopping.wait(max(0.0, due - time.monotonic()))
        except Exception as failure:  # noqa: BLE001 - raised by the test
            self.failure = failure

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join()
        if self.failure:
            raise self.failure


class ChaosTest(test_scheduler.SchedulerWorld):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(os.environ.get("KCONTROL_SCHEDULER_SEED", "1"))
        self.times = int(os.environ.get("KCONTROL_SCHEDULER_KILLS", "20"))

    def some_time(self, most=1.5):
        time.sleep(self.chance.uniform(0.05, most))  # measures: at any moment

    def until_done(self, load, allowed=0.0):
        """All pods of the load have run, and none has waited too long."""
        prefix = f"{load.prefix}-"

        def ended():
            return [p for p in self.seen(prefix, load.namespace) if kubelets.is_over(p)]

        wait.until(lambda: f"{len(ended())} of {load.count} have run; watch: {self.watch.failure}; {self.log()}",
                   lambda: len(ended()) >= load.count, 120)
        failed = [p["metadata"]["name"] for p in ended() if p["status"]["phase"] == "Failed"]
        self.assertEqual(failed, [])
        name, took = self.waits.longest()
        print(f"{load.count} pods, {self.times} times; the longest wait was {took:.2f} s, of {name}")
        self.assertLess(took, self.LONGEST + allowed)

    def test_killed(self):
        one = self.scheduler()
        with Load(self, 25) as load:
            for _ in range(self.times):
                self.some_time()
                one.kill()
                one.start()
            self.some_time(3)
        self.until_done(load)
        self.check_nodes()

    @staticmethod
    def leader(replicas):
        """The replica that says that it leads, or None."""
        for one in replicas:
            with contextlib.suppress(OSError):
                if one.metric("leader_election_master_status") == 1:
                    return one
        return None

    def test_two_replicas(self):
        both = [self.scheduler(*LEASE, name=name) for name in ("east", "west")]
        with Load(self, 25) as load:
            for turn in range(self.times):
                leader = wait.until(self.log, lambda: self.leader(both), every=0.05)
                self.some_time()
                if turn % 2:
                    leader.kill()
                    leader.start()
                else:
                    leader.process.send_signal(signal.SIGSTOP)
                    other = [one for one in both if one is not leader]
                    wait.until(self.log, lambda: self.leader(other), every=0.05)
                    leader.process.send_signal(signal.SIGCONT)
        self.until_done(load, allowed=5)  # the Lease of the leader that was killed or stopped
        self.check_nodes()

    def test_answers_are_lost(self):
        relay = proxy.Proxy(self.real.url)
        self.addCleanup(relay.cut)
        config = self.real.work / "relay.kubeconfig"
        config.write_text(self.real.kubeconfig.read_text().replace(self.real.url, relay.url))
        self.scheduler(kubeconfig=config)
        with Load(self, 25) as load:
            for _ in range(self.times):
                self.some_time()
                relay.cut()
                self.some_time(0.3)
                relay.join()
        self.until_done(load)
        self.check_nodes()

    def test_others_bind_its_pods(self):
        taint = {"key": "others", "effect": "NoSchedule"}
        self.real.add_nodes([scheduling.node("others-0", taints=[taint], cpu="1000", pods="1000")])
        self.watch.stop()
        self.kubelets.stop()
        self.watch_pods()
        self.scheduler()
        stolen = []

        def steal(kind, pod):
            if kind != "ADDED" or kubelets.node_of(pod) or not self.chance.random() < 0.5:
                return
            meta = pod["metadata"]
            code, _ = self.real.call("POST", f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/binding", {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"], "uid": meta["uid"]},
                "target": {"apiVersion": "v1", "kind": "Node", "name": "others-0"}})
            if code == 201:
                stolen.append(meta["name"])

        thief = kubelets.Watch(self.real, steal)
        self.addCleanup(thief.stop)
        with Load(self, 25) as load:
            time.sleep(self.times)  # measures: for so long
        self.until_done(load)
        print(f"{len(stolen)} of {load.count} pods were bound by others")
        self.assertGreater(len(stolen), 0)
        self.assertLess(len(stolen), load.count)
        self.check_nodes()

    def test_a_webhook_refuses_the_bindings_of_a_namespace(self):
        self.real.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "refused"}})
        self.scheduler()
        with webhooks_refusing.Webhook(self.real, "refused", "the image is not signed", "pods/binding"):
            self.create(scheduling.pod(f"r-{i}", NAME, "refused", requests={"cpu": "1"}) for i in range(30))
            with Load(self, 20) as load:
                time.sleep(self.times)  # measures: for so long
            self.until_done(load)

            def said():
                return [c for p in self.seen("r-", "refused") if "the image is not signed" in
                        (c := scheduling.condition(p)).get("message", "") and c["reason"] == "SchedulerError"]

            wait.until(lambda: f"{len(said())} say why they wait: {self.seen('r-', 'refused')[:1]}",
                       lambda: len(said()) == 30)
            self.assertEqual(self.bound("r-", "refused"), [])
        took = self.until_bound(30, "r-", self.LONGEST, "refused")  # a backoff of 10 s, at most
        print(f"the refused pods were bound {took:.2f} s after the webhook went")
        self.check_nodes()

    def test_beside_kube_scheduler(self):
        one = self.scheduler()
        theirs = self.real.start_kube_scheduler()
        with Load(self, 20, "ours", run_ms=(1000, 2000)) as load, \
                Load(self, 20, "theirs", "default-scheduler", run_ms=(1000, 2000)) as other:
            time.sleep(self.times)  # measures: for so long
        ended = lambda prefix: [p for p in self.seen(prefix) if kubelets.is_over(p)]
        left = lambda: load.count - len(ended("ours-")) + other.count - len(ended("theirs-"))
        wait.until(lambda: f"{left()} of {load.count} + {other.count} have not ended; {self.log()}",
                   lambda: left() == 0, 120)
        theirs.kill()
        self.assertIsNone(self.watch.failure)
        for excess in self.ledger.excesses:
            self.assertTrue(excess[3], f"{excess}: no pod of another scheduler was there")
        counted = one.metric("scheduling_foreign_overcommit_total")
        print(f"{load.count} + {other.count} pods; beyond allocatable {len(self.ledger.excesses)} times, "
              f"scheduling_foreign_overcommit_total {counted:.0f}, refused by kubelets: {len(self.kubelets.refused)}")
        self.assertGreaterEqual(counted, len(self.ledger.excesses))
        name, took = self.waits.longest()
        self.assertLess(took, self.LONGEST, name)

    def test_fifty_gangs_run_once_each(self):
        self.scheduler()
        sizes = [self.chance.randint(1, 64) for _ in range(50)]
        members = [p for i, size in enumerate(sizes)
                   for p in scheduling.gang(f"g{i}", size, NAME, {"cpu": "1"}, run_ms=500)]
        self.chance.shuffle(members)
        first, last = {}, {}

        def when_bound(kind, pod):
            if kind != "DELETED" and kubelets.node_of(pod) and pod["metadata"]["uid"] not in seen:
                seen.add(pod["metadata"]["uid"])
                name = pod["metadata"]["labels"]["scheduling.kcontrol.dev/gang"]
                first.setdefault(name, time.monotonic())
                last[name] = time.monotonic()

        seen = set()
        self.watch.handlers += (when_bound,)
        begun = time.monotonic()
        self.create(members)
        over = lambda: [p for p in self.seen() if kubelets.is_over(p)]
        wait.until(lambda: f"{len(over())} of {len(members)} have run; {self.log()}",
                   lambda: len(over()) == len(members), 300)
        self.assertEqual({p["status"]["phase"] for p in over()}, {"Succeeded"})
        longest = max(last[name] - first[name] for name in first)
        print(f"50 gangs of {len(members)} members on {4 * self.NODES} places ran in {time.monotonic() - begun:.1f} s; "
              f"the first and the last binding of one were {longest:.2f} s apart at most")
        self.assertEqual(len(first), 50)
        self.check_nodes()


if __name__ == "__main__":
    unittest.main()
