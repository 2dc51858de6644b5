"""One script on one real server with two operators: KubeRay 1.5.0 and ours. Pods, Services, Jobs, status and Events are
compared after each step; what differs on purpose is a row of EXPECTED, and docs/ray_operator.md lists the reasons.

Only by name, for KubeRay takes minutes to build: run.py ray_beside_kuberay, or scripts/test.sh --only kuberay.
"""
import json
import re
import unittest

import kuberay
import wait
from kuberay import OURS, THEIRS

BOTH = (THEIRS, OURS)
# Of what differs: where (a pattern), and why. A row that nothing matches any more fails the test.
EXPECTED = [
    (r"^Pod .*annotations\.ray\.kcontrol\.dev/template$", "by it a changed template is noticed"),
    (r"^Pod .*initContainers\[wait-gcs-ready\]\.args", "another script, which does the same"),
    (r"^Pod .*labels\.ray\.io/(worker-group-replica-index|replica-host-index)$",
     "KubeRay sets the labels of RayMultiHostIndexing behind a gate"),
    (r"^(RayCluster|RayJob) .*conditions\.SpecValid", "a refused specification is told in the status (#4974)"),
    (r"^(RayCluster|RayJob) .*conditions\.\w+\.observedGeneration$", "each condition says for which generation it holds"),
    (r"^(RayCluster|RayJob) \S+\.status\.observedGeneration$",
     "KubeRay does not write a status for it alone, and never in a RayJob"),
    (r"^(RayCluster|RayJob) \S+\.metadata\.generation$",
     "KubeRay adds finalizers by an update, which writes defaults into the specification"),
    (r"^RayJob (asleep|not-submitted)\.status\.rayClusterStatus", "it is as the cluster was when the rest was written"),
    (r"^(RayJob|RayCluster|Pod|Service|Event RayCluster|Event RayJob) interactive", "SidecarMode is not built"),
    (r"^RayJob \S+\.status\.message$", "KubeRay takes a new message with a new status only"),
    (r"^Event RayCluster \S+ Normal DeletedPod", "KubeRay tells of a suspension only"),
]
# Likewise, but not in each run.
SOMETIMES = [
    (r"^RayCluster \S+\.status\.(state|conditions\.RayClusterProvisioned)", "a head that is ready before there are workers is no provisioned cluster"),
]


def image():
    return {"name": "ray", "image": "rayproject/ray:2.46.0"}


def group(name, replicas, **more):
    return {"groupName": name, "replicas": replicas, "minReplicas": 0, "maxReplicas": 9, "rayStartParams": {},
            "template": {"spec": {"containers": [image()]}}, **more}


def spec(*groups, **more):
    return {"headGroupSpec": {"rayStartParams": {}, "template": {"spec": {"containers": [image()]}}},
            "workerGroupSpecs": list(groups), **more}


def ray(kind, name, what, **metadata):
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": name, **metadata}, "spec": what}


class BesideKubeRay(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.server = kuberay.RayServer()
        cls.addClassCleanup(cls.server.stop)
        cls.board = kuberay.Dashboard()
        cls.addClassCleanup(cls.board.stop)
        cls.real = cls.server.real
        for which in BOTH:
            cls.server.start(which, which)
        cls.met = set()

    # What is done, in both namespaces.
    def apply(self, *objects):
        for namespace in BOTH:
            self.real.apply(*[{**o, "metadata": {**o["metadata"], "namespace": namespace}} for o in objects])

    def patch(self, kind, name, *steps):
        for namespace in BOTH:
            self.real.kubectl("patch", kind, name, "-n", namespace, "--type=json", "-p", json.dumps(
                [{"op": op, "path": path, "value": value} for op, path, value in steps]))

    def merge(self, kind, name, change):
        for namespace in BOTH:
            self.real.kubectl("patch", kind, name, "-n", namespace, "--type=merge", "-p", json.dumps(change))

    def remove(self, *what):
        for namespace in BOTH:
            self.real.kubectl("delete", *what, "-n", namespace, "--wait=false")

    def pods(self, namespace, selector=""):
        found = json.loads(self.real.kubectl("get", "pods", "-n", namespace, "-l", selector, "-o", "json"))["items"]
        return sorted(found, key=lambda p: p["metadata"]["name"])

    # What is seen.
    def seen(self, namespace):
        """All that the operator makes and says, by kind and name; pods of a group have numbers in place of names."""
        out = {}
        kinds = "rayclusters,rayjobs,pods,services,jobs,serviceaccounts,roles,rolebindings"
        numbers = {}
        all_of_them = self.server.items(kinds, namespace)
        jobs = [o["metadata"]["name"] for o in all_of_them if o["kind"] == "RayJob"]
        for each in sorted(all_of_them, key=lambda o: o["metadata"]["creationTimestamp"]):
            kind, name = each["kind"], each["metadata"]["name"]
            if name == "default" and kind == "ServiceAccount":
                continue
            name = kuberay.normal(name, namespace, jobs)
            if kind == "Pod":
                numbers[name] = numbers.get(name, 0) + 1
                out[f"Pod {name} {numbers[name]}"] = kuberay.normal_pod(each, namespace, jobs)
            else:
                out[f"{kind} {name}"] = kuberay.normal(each, namespace, jobs)
        for kind, name, level, reason in kuberay.events(self.server, namespace):
            out[f"Event {kind} {kuberay.normal(name, namespace, jobs)} {level} {reason}"] = {"is": "there"}
        return out

    def compare(self, step):
        # Once nothing has changed for a while.
        theirs, ours = wait.settled(lambda: [self.seen(n) for n in BOTH], 5, 180)
        unknown = []
        for name in sorted(theirs.keys() | ours.keys()):
            a, b = theirs.get(name), ours.get(name)
            rows = kuberay.differences(a, b) if a is not None and b is not None else [("", a is not None, b is not None)]
            for path, x, y in rows:
                where = f"{name}{path}"
                row = next((i for i, (pattern, _) in enumerate(EXPECTED) if re.search(pattern, where)), None)
                if row is None and any(re.search(pattern, where) for pattern, _ in SOMETIMES):
                    continue
                if row is None:
                    unknown.append((step, where, json.dumps(x), json.dumps(y)))
                else:
                    self.met.add(row)
        for row in unknown:
            print("differs:", *row)
        self.assertEqual([], unknown[:20])

    def until(self, what, holds):
        wait.until(lambda: f"{what}: {self.server.log(THEIRS, THEIRS).read_text()[-1500:]}\n"
                           f"{self.server.log(OURS, OURS).read_text()[-1500:]}", holds, 240)

    def status(self, kind, name, namespace):
        found = self.real.kubectl("get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found")
        return json.loads(found).get("status", {}) if found else None

    def until_state(self, name, state):
        self.until(f"{name} is not {state}", lambda: all(
            (self.status("raycluster", name, n) or {}).get("state", "") == state for n in BOTH))

    def test_1_samples(self):
        samples = self.server.samples("ray-cluster*.yaml")
        self.assertGreater(len(samples), 25)
        for file, s in samples.items():  # several have one name
            s["metadata"]["name"] = re.sub("[^a-z0-9]+", "-", file.removeprefix("ray-").removesuffix(".yaml"))
        for namespace in BOTH:
            objects = [{**s, "metadata": {**s["metadata"], "namespace": namespace}} for s in samples.values()]
            self.real.kubectl("apply", "--validate=false", "-f", "-", stdin=json.dumps(
                {"apiVersion": "v1", "kind": "List", "items": objects}))
        with self.subTest("created"):
            self.compare("samples")
        self.remove("raycluster", "--all")
        self.until("clusters stay", lambda: not any(self.server.items("rayclusters,pods", n) for n in BOTH))
        self.remove("events", "--all")

    def test_2_life(self):
        self.apply(ray("RayCluster", "life", spec(group("a", 2), group("b", 1, numOfHosts=2))))
        self.until_state("life", "ready")
        with self.subTest("created"):
            self.compare("created")
        self.patch("raycluster", "life", ("replace", "/spec/workerGroupSpecs/0/replicas", 4))
        self.until("not 4", lambda: all(len(self.pods(n, "ray.io/group=a")) == 4 for n in BOTH))
        with self.subTest("scaled up"):
            self.compare("scaled up")
        for namespace in BOTH:
            named = self.pods(namespace, "ray.io/group=a")[0]["metadata"]["name"]
            self.real.kubectl("patch", "raycluster", "life", "-n", namespace, "--type=json", "-p", json.dumps([
                {"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": 3},
                {"op": "add", "path": "/spec/workerGroupSpecs/0/scaleStrategy", "value": {"workersToDelete": [named]}}]))
        self.until("not 3", lambda: all(len(self.pods(n, "ray.io/group=a")) == 3 for n in BOTH))
        for namespace in BOTH:
            self.real.kubectl("patch", "raycluster", "life", "-n", namespace, "--type=json", "-p", json.dumps([
                {"op": "replace", "path": "/spec/workerGroupSpecs/0/scaleStrategy", "value": {}}]))
        with self.subTest("workersToDelete"):
            self.compare("workersToDelete")
        for what in ("head", "worker"):
            for namespace in BOTH:
                one = self.pods(namespace, f"ray.io/node-type={what},ray.io/group!=b")[0]["metadata"]["name"]
                self.real.kubectl("delete", "pod", one, "-n", namespace, "--wait=false")
            self.until(f"no other {what}", lambda: all(len(self.pods(n)) == 6 for n in BOTH))
            with self.subTest("killed " + what):
                self.compare("killed " + what)
        self.merge("raycluster", "life", {"spec": {"suspend": True}})
        self.until_state("life", "suspended")
        with self.subTest("suspended"):
            self.compare("suspended")
        self.merge("raycluster", "life", {"spec": {"suspend": False}})
        self.until_state("life", "ready")
        with self.subTest("resumed"):
            self.compare("resumed")
        self.remove("raycluster", "life")
        self.until("pods stay", lambda: not any(self.pods(n) for n in BOTH))
        with self.subTest("deleted"):
            self.compare("deleted")

    def test_3_a_cluster_with_redis_is_deleted(self):
        self.apply(ray("RayCluster", "redis", spec(group("a", 1), gcsFaultToleranceOptions={
            "redisAddress": "redis:6379", "redisPassword": {"value": "5241590000000000"}})))
        self.until_state("redis", "ready")
        with self.subTest("created"):
            self.compare("redis")
        self.remove("raycluster", "redis")
        self.until("no Job", lambda: all("redis-redis-cleanup" in str(self.server.items("jobs", n)) for n in BOTH))
        jobs = [kuberay.normal(self.server.items("jobs", n)[0]["spec"], n) for n in BOTH]
        # KubeRay's template has what only pods have: a namespace, an owner.
        rows = [row for row in kuberay.differences(*jobs)
                if not re.search(r"args\[0\]|selector|labels|template\.metadata|annotations", row[0])]
        self.assertEqual(rows, [])
        self.until("it stays", lambda: all(self.status("raycluster", "redis", n) is None for n in BOTH))

    def test_4_jobs(self):
        def job(name, mode, **more):
            for namespace in BOTH:
                what = {"entrypoint": "python a.py", "submissionMode": mode, "jobId": f"{name}-in-{namespace}",
                        "rayClusterSpec": spec(group("a", 1)), **more}
                self.real.apply(ray("RayJob", name, what, namespace=namespace))

        def say(name, status, **more):
            for namespace in BOTH:
                self.board.say(f"{name}-in-{namespace}", status, **more)

        def until(name, status):
            self.until(f"{name} is not {status}", lambda: all(
                (self.status("rayjob", name, n) or {}).get("jobDeploymentStatus") == status for n in BOTH))

        runs = {"metadata": {"annotations": {"sim/run-ms": "15000"}},
                "spec": {"restartPolicy": "Never", "containers": [image()]}}
        job("well", "HTTPMode", shutdownAfterJobFinishes=True, ttlSecondsAfterFinished=3600)
        job("badly", "HTTPMode")
        job("again", "HTTPMode", backoffLimit=1)
        job("by-job", "K8sJobMode", submitterPodTemplate=runs)
        fails = {**runs, "metadata": {"annotations": {"sim/run-ms": "1000", "sim/exit-code": "1"}}}
        job("not-submitted", "K8sJobMode", submitterPodTemplate=fails, submitterConfig={"backoffLimit": 0})
        job("asleep", "HTTPMode", suspend=True, shutdownAfterJobFinishes=True)
        job("interactive", "SidecarMode")
        for name in ("well", "badly", "by-job"):
            say(name, "RUNNING")
            until(name, "Running")
        until("not-submitted", "Failed")
        until("asleep", "Suspended")
        self.until("no state", lambda: all(
            self.status("rayjob", "again", n).get("jobStatus") == "RUNNING" for n in BOTH))
        with self.subTest("running"):
            self.compare("jobs run")
        self.merge("rayjob", "asleep", {"spec": {"suspend": False}})
        until("asleep", "Running")
        for name, status in (("well", "SUCCEEDED"), ("badly", "FAILED"), ("by-job", "SUCCEEDED"), ("again", "FAILED")):
            say(name, status, end_time=1764410500000)
        for name, status in (("well", "Complete"), ("badly", "Failed"), ("by-job", "Complete"), ("again", "Failed")):
            until(name, status)
        self.merge("rayjob", "asleep", {"spec": {"suspend": True}})
        until("asleep", "Suspended")
        with self.subTest("ended"):
            self.compare("jobs end")
        self.remove("rayjob", "--all")
        self.until("jobs stay", lambda: not any(self.server.items("rayjobs,pods", n) for n in BOTH))

    def test_5_one_stops_and_the_other_starts(self):
        self.apply(ray("RayCluster", "kept", spec(group("a", 2), group("b", 2, numOfHosts=2))))
        self.apply(ray("RayCluster", "scales", spec(group("a", 2), enableInTreeAutoscaling=True)))
        for name in ("kept", "scales"):
            self.until_state(name, "ready")
        pods = lambda: {p["metadata"]["uid"]: p["metadata"]["resourceVersion"] for n in BOTH
                        for p in self.pods(n, "ray.io/cluster in (kept,scales)")}
        before = pods()
        self.assertEqual(len(before), 2 * (7 + 3))
        for which in BOTH:
            self.server.end(which)
        self.server.start(OURS, THEIRS)
        self.server.start(THEIRS, OURS)
        wait.stable(lambda: pods() == before, 20)
        # They serve what they have taken over.
        for name, replicas in (("kept", 3), ("scales", 3)):
            self.patch("raycluster", name, ("replace", "/spec/workerGroupSpecs/0/replicas", replicas))
        self.until("not served", lambda: all(
            len(self.pods(n, "ray.io/group=a,ray.io/cluster in (kept,scales)")) == 6 for n in BOTH))
        self.assertLess(before.keys(), pods().keys())
        for which in BOTH:
            self.server.end(which)
            self.server.start(which, which)

    def test_6_each_expected_difference_is_there(self):
        over = [EXPECTED[i] for i in range(len(EXPECTED)) if i not in self.met]
        self.assertEqual(over, [], "these differences are over")
