"""The GPU scheduler at a real API server, with nodes that kwok simulates. What it gave is added up by UUID from the pods
alone, after each change.

KCONTROL_GPU_SCHEDULER is the program. Run alone: run.py test_gpu_scheduler
"""
import json
import os
import pathlib
import subprocess
import time
import unittest
import urllib.request

import kubelets
import scheduling
import wait

NAME = "gpu-scheduler"
RECORD = "scheduling.kcontrol.dev/allocation"
MEMORY = 40960


class Given:
    """A handler of Watch: what each GPU gives, and what was given twice."""

    def __init__(self):
        self.pods, self.excesses = {}, []

    def __call__(self, kind, pod):
        uid = pod["metadata"]["uid"]
        self.pods.pop(uid, None)
        record = pod["metadata"].get("annotations", {}).get(RECORD)
        if kind != "DELETED" and record and kubelets.node_of(pod) and not kubelets.is_over(pod):
            self.pods[uid] = json.loads(record)["devices"]
        self.check()

    def sums(self):
        out = {}
        for devices in list(self.pods.values()):
            for device in devices:
                held = out.setdefault(device["uuid"], [0, 0, 0])
                held[0] += "memoryMiB" not in device
                held[1] += device.get("memoryMiB", 0)
                held[2] += device.get("cores", 0)
        return out

    def check(self):
        for uuid, (wholes, memory, cores) in self.sums().items():
            if wholes > 1 or (wholes and memory) or memory > MEMORY or cores > 100:
                self.excesses.append((uuid, wholes, memory, cores))


def shared_node(name, gpus):
    registered = [{"id": f"GPU-{name}-{i}", "index": i, "count": 10, "devmem": MEMORY, "devcore": 100, "type": "A100",
                   "health": True} for i in range(gpus)]
    out = scheduling.node(name, gpus=str(10 * gpus), cpu="64", pods="200")
    out["metadata"]["annotations"]["hami.io/node-nvidia-register"] = json.dumps(registered)
    return out


def half(name):
    out = scheduling.pod(name, NAME)
    amounts = {"nvidia.com/gpu": "1", "nvidia.com/gpumem": str(MEMORY // 2), "nvidia.com/gpucores": "50"}
    out["spec"]["containers"][0]["resources"] = {"limits": amounts, "requests": amounts}
    return out


class GpuSchedulerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = os.environ.get("KCONTROL_GPU_SCHEDULER")
        if not program:
            raise unittest.SkipTest("KCONTROL_GPU_SCHEDULER is not set")
        cls.program = pathlib.Path(program)
        cls.real = scheduling.SchedulingCluster("gpu-scheduler")
        cls.addClassCleanup(cls.real.stop)
        cls.real.add_nodes([shared_node("gpu-0", 4), shared_node("gpu-1", 4)])
        cls.real.start_kwok()

    def setUp(self):
        self.given = Given()
        self.watch = kubelets.Watch(self.real, self.given)
        self.one = scheduling.Replica(self.real, self.program, "gpu", "--leader-elect=false", "--install-crds")

    def tearDown(self):
        if self.one.process.poll() is None:
            self.one.kill()
        self.watch.stop()
        self.real.remove_pods()

    def log(self):
        return self.one.log.read_text()[-2000:] if hasattr(self.one, "log") else (
            self.real.work / "gpu.log").read_text()[-2000:]

    def bound(self):
        return [p for p in list(self.watch.pods.values()) if kubelets.node_of(p)]

    def test_halves_at_once_on_eight_gpus_two_on_each(self):
        scheduling.in_threads(8, self.real.create, [half(f"h-{i}") for i in range(16)])
        wait.until(lambda: f"{len(self.bound())} are bound; {self.log()}", lambda: len(self.bound()) == 16, every=0.05)
        self.assertEqual(sorted(self.given.sums().values()), [[0, MEMORY, 100]] * 8)
        self.real.create(half("late"))
        late = lambda: next((p for p in self.watch.pods.values() if p["metadata"]["name"] == "late"), {})
        wait.until(lambda: f"{late()}; {self.log()}", lambda: scheduling.condition(late()).get("message"))
        self.assertIn("2 node(s) had too little free memory", scheduling.condition(late())["message"])
        self.assertEqual(self.given.excesses, [])

    def command(self, *arguments):
        run = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_the_page_and_the_commands(self):
        scheduling.in_threads(8, self.real.create, [half(f"c-{i}") for i in range(16)])
        wait.until(lambda: f"{len(self.bound())} are bound; {self.log()}", lambda: len(self.bound()) == 16, every=0.05)
        self.real.create(half("late"))
        address = f"http://127.0.0.1:{self.one.port}"
        with urllib.request.urlopen(address + "/api/v1/events", timeout=60) as stream:
            self.assertTrue(stream.readline().startswith(b"id: "))
            self.assertEqual(stream.readline(), b"event: nodes\n")
            self.assertEqual(len(json.loads(stream.readline().removeprefix(b"data: "))["items"]), 2)
        with urllib.request.urlopen(address + "/api/v1/nodes", timeout=60) as answer:
            nodes = json.load(answer)["items"]
        self.assertEqual([len(g["holds"]) for n in nodes for g in n["gpus"]], [2] * 8)
        with urllib.request.urlopen(address + "/", timeout=60) as page:
            self.assertIn(b"<title>GPU scheduler</title>", page.read())
        why = json.loads(self.command("explain", "default/late", "--kubeconfig", self.real.kubeconfig))
        self.assertEqual(why["state"], "waiting")
        self.assertEqual({n["name"]: n["plugin"] for n in why["nodes"]}, {"gpu-0": "Gpu", "gpu-1": "Gpu"})
        self.assertIn("fits when 1 more GPU is free on gpu-", why["would"][0])
        for flags in ([], ["--anonymize"]):
            file = self.real.work / "snapshot.json"
            said = self.command("snapshot", "--out", file, "--kubeconfig", self.real.kubeconfig, *flags)
            self.assertEqual(said, f"{file}: 1 decision\n")
            self.assertEqual("gpu-0" in file.read_text(), not flags)
            self.assertEqual(self.command("replay", file), f"{file}: 1 decision, all the same\n")

    def test_a_program_that_is_killed_meanwhile_gives_nothing_twice(self):
        for wave in range(5):
            scheduling.in_threads(8, self.real.create, [half(f"w{wave}-{i}") for i in range(6)])
            wait.until(lambda: self.log(), lambda: len(self.bound()) >= min(16, 2 + 3 * wave), every=0.01)
            self.one.kill()
            self.one.start()
        wait.until(lambda: f"{len(self.bound())} are bound; {self.log()}", lambda: len(self.bound()) == 16, every=0.05)
        self.assertEqual(sorted(self.given.sums().values()), [[0, MEMORY, 100]] * 8)
        self.assertEqual(self.given.excesses, [])
        self.assertIsNone(self.watch.failure)


DRA = "/apis/resource.k8s.io/v1"


class ClaimWatch(kubelets.Watch):
    PATH = f"{DRA}/resourceclaims"


class GivenDevices:
    """A handler of ClaimWatch: which claim has which device, and what two claims had at once."""

    def __init__(self):
        self.claims, self.twice = {}, []

    def __call__(self, kind, claim):
        uid = claim["metadata"]["uid"]
        self.claims.pop(uid, None)
        results = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
        if kind != "DELETED" and results:
            self.claims[uid] = {(r["pool"], r["device"]) for r in results}
        given = [device for devices in list(self.claims.values()) for device in devices]
        self.twice += [device for device in set(given) if given.count(device) > 1]


def gpu_slice(node, gpus):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{node}-gpus"},
            "spec": {"driver": "gpu.nvidia.com", "nodeName": node,
                     "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                     "devices": [{"name": f"gpu-{i}", "attributes": {"uuid": {"string": f"GPU-{node}-{i}"}}}
                                 for i in range(gpus)]}}


def devices(count, **more):
    exactly = {"deviceClassName": "gpu.nvidia.com", "count": count, **more}
    return {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}


def claiming(name, scheduler=NAME, **source):
    return scheduling.pod(name, scheduler, resourceClaims=[{"name": "gpu", **source}])


def requesting(name, gpus):
    amounts = {"nvidia.com/gpu": str(gpus)}
    return scheduling.pod(name, NAME, containers=[
        {"name": "c", "image": "i", "resources": {"requests": amounts, "limits": amounts}}])


class GpuClaimsTest(unittest.TestCase):
    """ResourceClaims of 8 GPUs, with the rights of the manifests alone; kube-controller-manager's resourceclaim
    controller makes claims of templates, and frees those whose pods were deleted."""

    @classmethod
    def setUpClass(cls):
        program = os.environ.get("KCONTROL_GPU_SCHEDULER")
        if not program:
            raise unittest.SkipTest("KCONTROL_GPU_SCHEDULER is not set")
        cls.program = pathlib.Path(program)
        real = cls.real = scheduling.SchedulingCluster("gpu-claims")
        cls.addClassCleanup(real.stop)
        real.add_nodes([scheduling.node(name, cpu="64", pods="200") for name in ("gpu-0", "gpu-1")])
        real.start_kwok()
        real.start("controllers", f"{real.tools}/kube-controller-manager", "--kubeconfig", real.kubeconfig,
                   "--controllers", "resourceclaim-controller", "--leader-elect=false", "--secure-port", "0")
        real.apply({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"},
                    "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}],
                             "extendedResourceName": "nvidia.com/gpu"}})
        for node in ("gpu-0", "gpu-1"):
            real.apply(gpu_slice(node, 4))
        deploy = pathlib.Path(__file__).parents[2] / "examples" / "apps" / "gpu_scheduler" / "deploy" / "base"
        real.kubectl("apply", "-k", deploy)
        token = real.kubectl("-n", NAME, "create", "token", NAME).strip()
        cls.kubeconfig = real.work / "scheduler.kubeconfig"
        cls.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": real.url, "certificate-authority-data": real.ca()}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": NAME}}]}))

    def setUp(self):
        self.given = GivenDevices()
        self.watches = [kubelets.Watch(self.real), ClaimWatch(self.real, self.given)]
        self.replicas = []

    def tearDown(self):
        for one in self.replicas:
            if one.process.poll() is None:
                one.kill()
        for watch in self.watches:
            watch.stop()
        self.real.remove_pods()
        self.real.call("DELETE", f"{DRA}/namespaces/default/resourceclaims")
        wait.until(lambda: f"claims do not go: {self.claims()}", lambda: not self.claims())
        self.assertEqual(self.given.twice, [])
        self.assertEqual([w.failure for w in self.watches], [None, None])

    def claims(self):
        return self.real.call("GET", f"{DRA}/namespaces/default/resourceclaims")[1]["items"]

    def start(self, name, *flags):
        self.replicas.append(scheduling.Replica(self.real, self.program, name, "--install-crds", *flags,
                                                kubeconfig=self.kubeconfig))
        return self.replicas[-1]

    def make(self, kind, name, spec):
        path = f"{DRA}/namespaces/default/{kind.lower()}s"
        thing = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}
        code, made = self.real.call("POST", path, thing)
        self.assertEqual(code, 201, made)

    def pods(self):
        return {p["metadata"]["name"]: p for p in list(self.watches[0].pods.values())}

    def bound(self):
        return {name: kubelets.node_of(p) for name, p in self.pods().items() if kubelets.node_of(p)}

    def until_bound(self, count):
        def said():
            logs = "".join((self.real.work / f"{one.name}.log").read_text()[-1500:] for one in self.replicas)
            return f"{self.bound()} of {count}; {[scheduling.condition(p) for p in self.pods().values()]}; {logs}"
        wait.until(said, lambda: len(self.bound()) == count, every=0.05)

    def test_a_template_a_shared_claim_and_a_sentence(self):
        self.start("one", "--leader-elect=false")
        self.make("ResourceClaimTemplate", "pair", {"spec": devices(2)})
        self.make("ResourceClaim", "shared", devices(3))
        for name in ("a", "b"):
            self.real.create(claiming(name, resourceClaimName="shared"))
        self.real.create(claiming("t", resourceClaimTemplateName="pair"))
        self.until_bound(3)
        self.assertEqual(self.bound()["a"], self.bound()["b"])
        self.assertNotEqual(self.bound()["a"], self.bound()["t"])
        users = {c["metadata"]["name"]: [u["name"] for u in c["status"]["reservedFor"]] for c in self.claims()}
        self.assertEqual(sorted(users.pop("shared")), ["a", "b"])
        self.assertEqual(list(users.values()), [["t"]])
        self.make("ResourceClaim", "late", devices(4))
        self.real.create(claiming("late", resourceClaimName="late"))
        late = lambda: scheduling.condition(self.pods().get("late", {})).get("message", "")
        wait.until(lambda: f"the condition says {late()!r}", lambda: "cannot allocate all claims" in late())
        self.assertIn("claim default/late, request gpu: 4 devices are needed, 1 of 4 is free", late())
        self.assertIn("claim default/late, request gpu: 4 devices are needed, 2 of 4 are free", late())
        wrong = "device.attributes['gpu.nvidia.com'].tier == 'gold'"
        self.make("ResourceClaim", "wrong", devices(1, selectors=[{"cel": {"expression": wrong}}]))
        self.real.create(claiming("wrong", resourceClaimName="wrong"))
        says = lambda: scheduling.condition(self.pods().get("wrong", {})).get("message", "")
        wait.until(lambda: f"the condition says {says()!r}",
                   lambda: "spec.devices.requests[0].exactly.selectors[0].cel.expression" in says())
        self.assertIn("no such key: tier", says())
        for name in ("a", "b"):
            self.real.call("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")
        wait.until(lambda: f"late waits: {late()}", lambda: "late" in self.bound())

    def test_replicas_that_are_killed_give_no_gpu_twice(self):
        for i in range(16):
            self.make("ResourceClaim", f"c-{i}", devices(1))
        replicas = [self.start(name, "--leader-elect", "--leader-election-namespace", NAME) for name in ("one", "two")]
        scheduling.in_threads(8, self.real.create, [claiming(f"p-{i}", resourceClaimName=f"c-{i}") for i in range(16)])
        for victim in replicas:
            # Whoever leads is killed in the middle of it, the other one takes over.
            before = len(self.bound())
            wait.until("nothing is bound", lambda: len(self.bound()) >= min(8, before + 1), every=0.01)
            victim.kill()
            victim.start()
        self.until_bound(8)
        first = list(self.bound())
        for name in first:
            self.real.call("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")
        wait.until(lambda: f"{self.bound()} are bound", lambda: len(set(self.bound()) - set(first)) == 8)

    def test_extended_resources_get_one_claim_each_also_if_the_program_is_killed(self):
        one = self.start("one", "--leader-elect=false")
        scheduling.in_threads(8, self.real.create, [requesting(f"p-{i}", 1) for i in range(12)])
        for count in (2, 5):
            wait.until("nothing is bound", lambda: len(self.bound()) >= count, every=0.01)
            one.kill()
            one.start()
        self.until_bound(8)
        made = {c["metadata"]["ownerReferences"][0]["name"]: c for c in self.claims()
                if c.get("status", {}).get("allocation")}
        self.assertEqual(set(made), set(self.bound()))
        for name, claim in made.items():
            self.assertEqual(self.pods()[name]["status"]["extendedResourceClaimStatus"], {
                "requestMappings": [{"containerName": "c", "requestName": "container-0-request-0",
                                     "resourceName": "nvidia.com/gpu"}],
                "resourceClaimName": claim["metadata"]["name"]})
            self.assertTrue(claim["metadata"]["name"].startswith(f"{name}-extended-resources-"))
            self.assertEqual(claim["status"]["allocation"]["devices"]["results"][0]["pool"], self.bound()[name])
            self.assertEqual([u["name"] for u in claim["status"]["reservedFor"]], [name])
        # A deleted pod's devices go to one that waits.
        for name in list(self.bound()):
            self.real.call("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")
        wait.until(lambda: f"{self.bound()} are bound", lambda: len(set(self.bound()) - set(made)) == 4)

    def test_two_schedulers_race_for_one_claim(self):
        self.make("ResourceClaim", "one", devices(1))
        for name in ("left", "right"):
            self.start(name, "--leader-elect=false", "--scheduler-name", name)
        pods = [claiming(f"{name}-{i}", name, resourceClaimName="one") for name in ("left", "right") for i in range(8)]
        scheduling.in_threads(8, self.real.create, pods)
        self.until_bound(16)
        self.assertEqual(len(set(self.bound().values())), 1)
        self.assertEqual(len(self.claims()[0]["status"]["reservedFor"]), 16)
