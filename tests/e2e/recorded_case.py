"""The case that the healer is measured by, on a real cluster: a driver hangs, the labeler says so, the healer taints the
node, an AWX that is in no hurry rolls the driver back, and the node is verified and let go. Meanwhile a job elsewhere
goes on, and one that waits for GPUs starts on CPUs.

Nodes and kubelets are kwok's, NVML is the tests' stand-in, AWX a server of the test's. KCONTROL_EXAMPLES, KCONTROL_LABELER,
KCONTROL_TRAINING_OPERATOR and KCONTROL_PROBES say where the programs are.
"""
import http.server
import json
import os
import signal
import subprocess
import threading
import time
import unittest

import cluster
import labeler
import operators
import probes
import wait
from training import training_job

CONDITION = "kcontrol.dev/GPUHealthy"
TAINT = "kcontrol.dev/gpu-unhealthy"
HANGS = "fault call=* hang_ms=3600000\n"
TOKEN = "of-the-test"


def node(name, **more):
    room = {"cpu": "64", "memory": "512Gi", "pods": "100", **more}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"gpu": "true", "name": name}, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "status": {"allocatable": room, "capacity": room}}


def policy(name, node_name, **spec):
    return {"apiVersion": "healing.kcontrol.dev/v1alpha1", "kind": "HealingPolicy", "metadata": {"name": name},
            "spec": {"nodeSelector": {"matchLabels": {"name": node_name}}, "drain": {"mode": "None"},
                     "verify": {"holdSeconds": 1}, **spec}}


class Awx:
    """Answers a launch late, and says of the job that it waits and runs before it is successful; then `repair` has
    been called."""

    def __init__(self, late, takes, repair):
        self.launches, self.over = [], threading.Event()
        awx = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                allowed = self.path == "/api/v2/job_templates/7/launch/" and self.headers["Authorization"] == f"Bearer {TOKEN}"
                if not allowed:
                    return self.say(403, {})
                awx.launches.append((time.monotonic(), body["extra_vars"]))
                awx.over.wait(late)
                self.say(201, {"id": 41, "ignored_fields": {}})

            def do_GET(self):
                since = time.monotonic() - awx.launches[0][0] - late if awx.launches else 0
                status = "pending" if since < takes / 3 else "running" if since < takes else "successful"
                if status == "successful":
                    repair()
                job = {"id": 41, "status": status, "extra_vars": json.dumps(awx.launches[0][1]) if awx.launches else "{}"}
                self.say(200, {"results": [job]} if "?" in self.path else job)

            def say(self, status, body):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


class HealerTest(operators.InstalledOperator):
    NAME = "gpu-healer"
    KINDS = ("healingpolicies.healing.kcontrol.dev", "noderepairs.healing.kcontrol.dev")
    OPTIONS = ("--allow-address", "127.0.0.1", "--listen=0")

    @classmethod
    def find_program(cls):
        return probes.app("gpu_healer")

    def make_node(self, name, **room):
        self.real.apply(node(name, **room))
        wait.until(lambda: f"not ready: {self.node(name)}", lambda: self.conditions(name).get("Ready") == "True")

    def node(self, name):
        return json.loads(self.real.kubectl("get", "node", name, "-o", "json"))

    def conditions(self, name):
        return {c["type"]: c["status"] for c in self.node(name).get("status", {}).get("conditions", [])}

    def taints(self, name):
        return {t["key"]: t["value"] for t in self.node(name)["spec"].get("taints", []) if t["key"] == TAINT}

    def cases(self, name):
        return [c for c in self.real.get("noderepairs")["items"] if c["spec"]["node"] == name]

    def phases(self, name):
        return [(c.get("status", {}).get("phase"), c.get("status", {}).get("reason")) for c in self.cases(name)]

    def until(self, what, holds, seconds=wait.DEADLINE):
        wait.until(lambda: f"{what}: {json.dumps(self.real.get('noderepairs'))}\n{self.log.read_text()[-3000:]}", holds, seconds)


class RecordedCase(HealerTest):
    """`play()` is the case. Times are in seconds; those of the labeler are its flags."""

    def start_training(self):
        program = os.environ.get("KCONTROL_TRAINING_OPERATOR")
        if not program or not labeler.is_built():
            raise unittest.SkipTest("the labeler, the fake NVML or the training operator is not built")
        log = self.work / "training.log"
        with log.open("wb") as file:
            process = subprocess.Popen([program, "--install-crds", "--kubeconfig", self.real.admin], stdin=subprocess.DEVNULL,
                                       stdout=file, stderr=file)
        self.addCleanup(process.wait, 60)
        self.addCleanup(process.send_signal, signal.SIGTERM)
        wait.until(lambda: f"not installed: {log.read_text()}", lambda: self.is_installed("trainingjobs.ai.kcontrol.dev"))

    def job(self, name):
        return self.real.get("trainingjob", name)

    def until_runs(self, name):
        wait.until(lambda: f"{name} does not run: {self.job(name).get('status')}; {self.real.kubectl('get', 'pods')}",
                   lambda: self.job(name).get("status", {}).get("phase") == "Running", 180)

    def write_inventory(self, more=""):
        fresh = self.work / "fresh.txt"
        fresh.write_text((labeler.FAKE / "inventories" / "a100-x8.txt").read_text() + more)
        fresh.rename(self.inventory)

    def play(self, unknown_after, known_after, hold, awx_late, awx_takes, fallback_after):
        """What happened, (seconds since the driver hangs, words), and the seconds of what is measured."""
        self.start_training()
        self.real.kubectl("cordon", "gpu-node-0")  # the cluster's own, which has GPUs
        for name in ("recorded", "beside"):
            self.make_node(name, **{"nvidia.com/gpu": "8"})
        self.make_node("cpus")
        self.inventory = self.work / "inventory.txt"
        self.write_inventory()
        one = labeler.Labeler(self.inventory, self.work / "labeler.log", "--kubeconfig", self.real.admin, "--node-name", "recorded",
                              "--report-health", "--sample-interval", "1s", "--nvml-timeout", "2s", "--health-unknown-after",
                              f"{unknown_after}s", "--health-known-after", f"{known_after}s")
        self.addCleanup(one.stop)
        self.until("the labeler says nothing", lambda: self.conditions("recorded").get(CONDITION) == "True")
        beside = training_job("beside", run_ms=3_600_000, workers=1, accelerator={"perWorker": 8})
        beside["spec"]["template"]["spec"]["nodeSelector"] = {"name": "beside"}
        self.real.apply(beside)
        self.until_runs("beside")
        before = self.real.get("pods", "-l", "ai.kcontrol.dev/job=beside")["items"]

        repaired = []

        def repair():
            if not repaired:
                repaired.append(time.monotonic())
                self.write_inventory()

        awx = Awx(awx_late, awx_takes, repair)
        self.addCleanup(awx.stop)
        self.real.kubectl("-n", self.NAME, "create", "secret", "generic", "awx", f"--from-literal=token={TOKEN}")
        step = {"url": awx.url, "jobTemplate": 7, "tokenFrom": {"name": "awx", "key": "token"},
                "extraVars": {"host": "{node}", "why": "{reason}"}}
        self.real.apply(policy("recorded", "recorded", drain={}, verify={"holdSeconds": hold},
                               repairs=[{"name": "driver", "steps": [{"name": "roll-back", "awx": step}]}]))
        seen = cluster.Recorder(self.real, "nodes")
        self.addCleanup(seen.stop)
        hangs = time.monotonic()
        self.write_inventory(HANGS)
        self.until("not tainted", lambda: self.taints("recorded") == {TAINT: "DriverHangs"}, 60 + unknown_after)
        waiting = training_job("waiting", run_ms=3_600_000, workers=1, accelerator={"perWorker": 8},
                               cpuFallback={"afterSeconds": fallback_after, "resources": {"cpu": "4", "memory": "8Gi"}})
        self.real.apply(waiting)
        self.until_runs("waiting")
        on_cpus = time.monotonic()
        self.until("not released", lambda: [p for p, _ in self.phases("recorded")] == ["Released"],
                   120 + awx_late + awx_takes + known_after + hold)
        self.until("still tainted", lambda: self.taints("recorded") == {})
        at = self.moments(seen, repaired[0])

        self.assertEqual([each for _, each in awx.launches],
                         [{"host": "recorded", "why": "DriverHangs", "kcontrol_token": self.cases("recorded")[0]["status"]["token"]}])
        after = self.real.get("pods", "-l", "ai.kcontrol.dev/job=beside")["items"]
        self.assertEqual([(p["metadata"]["uid"], p["status"]["phase"]) for p in after],
                         [(p["metadata"]["uid"], "Running") for p in before])
        self.assertEqual(self.job("beside")["status"]["attempt"], 1)
        pods = self.real.get("pods", "-l", "ai.kcontrol.dev/job=waiting")["items"]
        asked = [p["spec"]["containers"][0]["resources"].get("requests") for p in pods]
        self.assertEqual(asked, [{"cpu": "4", "memory": "8Gi"}], self.job("waiting")["status"])
        told = {c["type"]: c["status"] for c in self.job("waiting")["status"]["conditions"]}
        self.assertEqual((told.get("OnFallback"), self.job("waiting")["status"]["attempt"]), ("True", 1))
        timeline = sorted((moment - hangs, words) for moment, words in [
            (hangs, "every call into the driver hangs"), (at["ill"], "the Node's condition is Unknown, DriverHangs"),
            (at["tainted"], "the taint is on the Node"), (awx.launches[0][0], "AWX is asked for its job 7"),
            (on_cpus, "the job that waits for 8 GPUs runs on CPUs"), (repaired[0], "AWX says successful: the driver is rolled back"),
            (at["well"], "the condition is True"), (at["free"], "the taint is off")])
        measured = {"from the condition to the taint": at["tainted"] - at["ill"],
                    "from True to the taint's end, without holdSeconds": at["free"] - at["well"] - hold,
                    "in all": at["free"] - hangs}
        for moment, words in timeline:
            print(f"   {moment:7.2f} s  {words}")
        print(f"   {measured}", flush=True)
        return measured

    @staticmethod
    def moments(seen, repaired):
        """When a watch showed what, as its own clock has it."""
        out = {}
        for moment, (_, one) in zip(list(seen.moments), list(seen.versions)):
            if one["metadata"]["name"] != "recorded":
                continue
            status = next((c["status"] for c in one["status"].get("conditions", []) if c["type"] == CONDITION), None)
            tainted = any(t["key"] == TAINT for t in one["spec"].get("taints", []))
            if status == "Unknown":
                out.setdefault("ill", moment)
            if tainted:
                out.setdefault("tainted", moment)
            if status == "True" and moment > repaired and "tainted" in out:
                out.setdefault("well", moment)
            if not tainted and "tainted" in out:
                out.setdefault("free", moment)
        return out
