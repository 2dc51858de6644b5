"""Replicas that share clusters (tests/sharding_probe) at a real API server: the clusters are its namespaces s0, s1, …,
and each replica asks as a user of its own, so that the audit log tells who asked which cluster, in which order.

Of three processes one is killed, stopped or cut off, again and again. What it had is the others' within its lease time,
and no request of a former owner comes after the next one has claimed the cluster.

KCONTROL_PROBES is the folder of sharding_probe. KCONTROL_SHARD_KILLS: how many of each (3 otherwise; a hundred by
name). KCONTROL_SHARD_SEED. Run alone: run.py test_sharding
"""
import contextlib
import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest
import urllib.request

import probes
import proxy
import server
import wait

CLUSTERS = [f"s{i}" for i in range(9)]
LEASE, RENEW, RETRY, SETTLE = 3.0, 1.5, 0.4, 0.3
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {level: Request, verbs: [create, update, delete], resources: [{group: coordination.k8s.io, resources: [leases]}]}
- {level: Metadata, resources: [{group: "", resources: [configmaps]}]}
- {level: None}
"""


class Replica:
    """A process with a way of its own to the server. After a death the next one has another identity."""

    def __init__(self, test, name):
        self.test, self.name, self.number = test, name, 0
        self.relay = proxy.Proxy(test.real.url)
        self.start()

    @property
    def identity(self):
        return f"{self.name}{self.number}"

    def start(self):
        self.number += 1
        config = self.test.real.work / f"{self.name}.kubeconfig"
        config.write_text(self.test.real.kubeconfig.read_text().replace(self.test.real.url, self.relay.url))
        times = [str(int(seconds * 1000)) for seconds in (LEASE, RENEW, RETRY, SETTLE)]
        self.log = open(self.test.real.work / f"{self.identity}.log", "w")
        self.process = subprocess.Popen([self.test.program, config, self.identity, str(len(CLUSTERS)), *times],
                                        stdout=self.log, stderr=self.log)

    def end(self):
        self.relay.cut()
        self.process.kill()
        self.process.wait()
        self.log.close()


class Writers:
    """Who has written last in each cluster, and when this was told."""

    def __init__(self, real):
        self.last = {}
        path = "/api/v1/configmaps?labelSelector=probe%3Dyes&watch=true"
        stream = urllib.request.urlopen(real.url + path, context=real.context, timeout=7200)

        def read():
            for line in stream:
                stored = json.loads(line)["object"]
                self.last[stored["metadata"]["namespace"]] = (stored.get("data", {}).get("by", ""), time.monotonic())

        threading.Thread(target=read, daemon=True).start()

    def since(self, moment):
        """{cluster: who} of what was written after that."""
        return {c: who for c, (who, when) in self.last.items() if when > moment}


def audited(path):
    """The log's events in the order in which the requests came."""
    events = []
    with open(path, encoding="utf-8") as log:
        for line in log:
            if line.endswith("\n"):
                events.append(json.loads(line))
    return sorted(events, key=lambda e: e["requestReceivedTimestamp"])


def check(events):
    """(late requests, hand-overs, requests). A claim counts from when its request came; a late request is one of a
    replica to a cluster whose claim is another's, or nobody's, by then."""
    holder, late, handovers, requests, last = {}, [], 0, 0, {}
    for e in events:
        user = e.get("impersonatedUser", {}).get("username")
        if user is None:
            continue
        about = e.get("objectRef", {})
        if about.get("resource") == "leases":
            ok = e["responseStatus"]["code"] < 300
            name = about.get("name") or e.get("requestObject", {}).get("metadata", {}).get("name", "")
            if not ok or not name.startswith("probe-shard-"):
                continue
            cluster = name.split("-")[2]
            if e["verb"] == "delete":
                if holder.get(cluster) == user:
                    holder.pop(cluster)
            else:
                holder[cluster] = user
            continue
        cluster = about.get("namespace")
        if cluster not in CLUSTERS:
            continue
        requests += 1
        if holder.get(cluster) != user:
            late.append((cluster, user, e["verb"], e["requestReceivedTimestamp"], holder.get(cluster)))
        if last.get(cluster) not in (None, user):
            handovers += 1
        last[cluster] = user
    return late, handovers, requests


class ShardingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.program("sharding_probe")
        cls.real = server.Server("sharding", lambda work: (work / "audit-policy.yaml").write_text(POLICY))
        cls.addClassCleanup(cls.real.stop)
        for name in CLUSTERS:
            cls.real.ask("POST", "/api/v1/namespaces", json.dumps({"metadata": {"name": name}}))
            made = {"metadata": {"name": "work", "labels": {"probe": "yes"}}, "data": {"by": "", "n": ""}}
            wait.until(lambda: f"no ConfigMap in {name}", lambda: cls.real.ask(
                "POST", f"/api/v1/namespaces/{name}/configmaps", json.dumps(made))[0] in (201, 409))

    def setUp(self):
        random.seed(os.environ.get("KCONTROL_SHARD_SEED", "1"))
        self.count = int(os.environ.get("KCONTROL_SHARD_KILLS", "3"))
        self.writers = Writers(self.real)
        self.replicas = [Replica(self, name) for name in (self.id()[-4:] + "abc"[i] for i in range(3))]

    def tearDown(self):
        for one in self.replicas:
            one.end()
        for item in self.real.ask("GET", LEASES)[1]["items"]:
            self.real.ask("DELETE", f"{LEASES}/{item['metadata']['name']}")

    def all_owned(self, since, but=()):
        """Whether each cluster was written to since then, by one of the replicas that count."""
        alive = {one.identity for one in self.replicas if one not in but}
        now = self.writers.since(since)
        return len(now) == len(CLUSTERS) and set(now.values()) <= alive

    def until_owned(self, but=()):
        """How long that takes."""
        begun = time.monotonic()
        wait.until(lambda: f"not all clusters are worked on: {self.writers.last}",
                   lambda: self.all_owned(begun, but), every=0.02)
        return time.monotonic() - begun

    def until_spread(self):
        """Each of the replicas has its share."""
        begun = time.monotonic()

        def spread():
            now = self.writers.since(begun)
            return len(now) == len(CLUSTERS) and set(now.values()) == {one.identity for one in self.replicas}

        # By chance one has none of nine; then who has something may not change for a while.
        with contextlib.suppress(AssertionError):
            wait.until("spread", spread, 10, 0.05)  # measures: how long chance has; nothing fails after it
        self.until_owned()

    def work(self, what, back):
        """That often one of the replicas is struck by `what`, and is whole again after `back`."""
        took = []
        for _ in range(self.count):
            self.until_spread()
            time.sleep(random.uniform(0, 0.5))  # measures: from anywhere between two renewals
            victim = random.choice(self.replicas)
            had = sum(1 for who, _ in self.writers.last.values() if who == victim.identity)
            what(victim)
            seconds = self.until_owned(but=(victim,))
            took.append((round(seconds, 2), had))
            back(victim)
        self.until_owned()
        late, handovers, requests = check(audited(self.real.work / "audit.log"))
        self.assertEqual(late, [], "a replica asked a cluster that was another's")
        took = [seconds for seconds, had in took if had]
        print(f"{self.count} times; clusters worked on again after {min(took)} to {max(took)} s (lease {LEASE} s, "
              f"median {sorted(took)[len(took) // 2]} s); {handovers} hand-overs, {requests} requests, none late")
        # measures: after the lease time somebody works on them; a quiet machine needs 0.3 s more
        self.assertLess(max(took), LEASE + 4)
        self.assertGreater(handovers, 0)

    def test_killed(self):
        def kill(one):
            one.process.kill()
            one.process.wait()

        self.work(kill, lambda one: one.start())

    def test_stopped(self):
        self.work(lambda one: one.process.send_signal(signal.SIGSTOP),
                  lambda one: one.process.send_signal(signal.SIGCONT))

    def test_cut_off(self):
        self.work(lambda one: one.relay.cut(), lambda one: one.relay.join())


if __name__ == "__main__":
    unittest.main()
