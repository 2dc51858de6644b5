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
