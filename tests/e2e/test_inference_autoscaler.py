"""The inference autoscaler on a real cluster: Deployments are Kubernetes' own, kubelets are kwok's. The answers of
Prometheus are scripted, or a real Prometheus has what an exporter says. Run alone: run.py test_inference_autoscaler

KCONTROL_FLOW_SECONDS: how long GPU memory must be above 92 % in the test of the flow, 6 s where it is not set. 180 is the
default of a scaler, and then the test uses the default rules.
"""
import collections
import http.server
import json
import os
import subprocess
import threading
import time
import unittest
import urllib.parse
import urllib.request

import operators
import probes
import test_prometheus
import wait

FLOW_SECONDS, POLL_SECONDS = int(os.environ.get("KCONTROL_FLOW_SECONDS", "6")), 2


class Prometheus(http.server.ThreadingHTTPServer):
    """Answers each query with `value`, or with 503 if it is None."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.value = 0.5
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        value = self.server.value
        result = [] if value is None else [{"metric": {}, "value": [time.time(), str(value)]}]
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
        self.send_response(503 if value is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


def deployment(name, replicas=2, **spec):
    pod = {"containers": [{"name": "engine", "image": "vllm:1"}]} | spec
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": pod}}}


def scaler(name, url, **spec):
    return {"apiVersion": "autoscaling.kcontrol.dev/v1alpha1", "kind": "InferenceScaler",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"target": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
                     "metrics": {"prometheus": {"url": url}}} | spec}


class InstalledAutoscaler(operators.InstalledOperator):
    NAME = "inference-autoscaler"
    KINDS = ("inferencescalers.autoscaling.kcontrol.dev",)
    OPTIONS = ("--allow-address", "127.0.0.0/8")

    @classmethod
    def find_program(cls):
        return probes.app("inference_autoscaler")

    def get(self, kind, name):
        found = self.real.kubectl("get", kind, name, "-o", "json", "--ignore-not-found")
        return json.loads(found) if found else {}

    def replicas(self):
        return self.get("deployment", "llama").get("spec", {}).get("replicas")

    def condition(self, kind):
        found = {c["type"]: c for c in self.get("isc", "llama").get("status", {}).get("conditions", [])}
        return found.get(kind, {"status": "", "message": ""})

    def until(self, what, holds):
        wait.until(lambda: f"{what}: {self.replicas()}, {self.get('isc', 'llama')}\n{self.log.read_text()[-3000:]}", holds)


class InferenceAutoscalerTest(InstalledAutoscaler):
    def setUp(self):
        self.prometheus = Prometheus()
        self.addCleanup(self.prometheus.server_close)
        self.addCleanup(self.prometheus.shutdown)

    def test_memory_adds_a_replica_and_silence_takes_none(self):
        self.real.apply(deployment("llama"))
        self.real.apply(scaler("llama", self.prometheus.url, maxReplicas=3, pollSeconds=1,
                               rules=[{"name": "memory", "query": "memory", "threshold": 0.92, "forSeconds": 3,
                                       "down": False, "action": {"addReplicas": 1}}]))
        self.until("no value is known", lambda: self.condition("MetricsKnown")["status"] == "True")
        self.assertEqual(self.replicas(), 2)
        self.prometheus.value = 0.93
        self.until("nothing is added", lambda: self.replicas() == 3)
        self.assertIn("memory", self.get("isc", "llama")["status"]["decision"]["sentence"])
        self.prometheus.value = None
        self.until("silence is not seen", lambda: self.condition("MetricsKnown")["status"] == "False")
        self.assertEqual(self.replicas(), 3)
        self.real.apply({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                         "metadata": {"name": "old", "namespace": "default"},
                         "spec": {"maxReplicas": 9, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment",
                                                                       "name": "llama"}}})
        self.until("the conflict is not seen", lambda: "HorizontalPodAutoscaler old" in self.condition("Conflict")["message"])


class Engines(test_prometheus.Exporter):
    """Says of each pod how full its GPU is and how long its requests take, of which a tenth is slower than `slow` ms."""

    Engine = collections.namedtuple("Engine", "used slow")

    def __init__(self):
        self.pods, self.begun = {}, time.monotonic()
        super().__init__()

    def metrics(self):
        lines, requests = [], int(100 * (time.monotonic() - self.begun))
        for name, engine in self.pods.items():
            labels = f'namespace="default",pod="{name}"'
            lines += [f"DCGM_FI_DEV_FB_USED{{{labels}}} {engine.used * 80000:.0f}",
                      f"DCGM_FI_DEV_FB_FREE{{{labels}}} {80000 - engine.used * 80000:.0f}",
                      f"vllm:num_requests_waiting{{{labels}}} 0"]
            # P95 is in the middle of the bucket of the slow tenth.
            for bound, count in ((engine.slow - 1, 0.9), (engine.slow + 1, 1), ("+Inf", 1)):
                le = bound if bound == "+Inf" else bound / 1000
                lines.append(f'http_request_duration_seconds_bucket{{{labels},le="{le}"}} {int(count * requests * 10)}')
            lines.append(f"http_request_duration_seconds_count{{{labels}}} {requests * 10}")
        return "\n".join(lines) + "\n"


class Replicas:
    """The replicas of a Deployment as a watch of kubectl's saw them, each with the time at which it came."""

    def __init__(self, real, name):
        self.seen = []
        self.process = subprocess.Popen(
            [f"{real.assets}/kubectl", "--kubeconfig", real.admin, "get", "deployment", name, "--watch", "--no-headers",
             "-o", "custom-columns=R:.spec.replicas,G:.metadata.generation"], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.seen.append((time.monotonic(), *map(int, line.split())))

    def became(self, replicas):
        return next((at for at, number, _ in self.seen if number == replicas), None)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@unittest.skipUnless(test_prometheus.PROMETHEUS,
                     "no Prometheus 3: scripts/prometheus.sh builds one, or name one in KCONTROL_PROMETHEUS")
class InferenceFlowTest(InstalledAutoscaler):
    """Each row of the flow, each with a Deployment of its own: by the default rules, for a shorter time."""

    Engine = Engines.Engine
    NAMES = {"quiet": Engine(0.92, 800), "memory": Engine(0.5, 500), "both": Engine(0.921, 1900), "slow": Engine(0.5, 801)}

    def setUp(self):
        self.engines = Engines()
        self.addCleanup(self.engines.stop)
        folder = self.work / "prometheus"
        folder.mkdir()
        self.prometheus = test_prometheus.Prometheus(folder, self.engines.port)
        self.addCleanup(lambda: self.prometheus.kill())
        self.prometheus.start()

    def rules(self, for_seconds):
        own = '{namespace="{namespace}",pod=~"{pods}"}'
        used, free, duration = "DCGM_FI_DEV_FB_USED" + own, "DCGM_FI_DEV_FB_FREE" + own, "http_request_duration_seconds"
        return [{"name": "gpu-memory", "query": f"avg({used}/({used}+{free}))", "threshold": 0.92, "down": False,
                 "forSeconds": for_seconds, "action": {"addReplicas": 1}},
                {"name": "p95", "query": f"histogram_quantile(0.95,sum by(le)(rate({duration}_bucket{own}[1m])))",
                 "threshold": 0.8, "action": {"proportional": True}}]

    def ask(self, query):
        """The value of a query, as Prometheus itself gives it."""
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(self.prometheus.url + path, timeout=60) as answer:
            result = json.load(answer)["data"]["result"]
        return float(result[0]["value"][1]) if result else None

    def pods(self, name):
        items = self.real.get("pods", "-l", f"app={name}")["items"]
        return [p["metadata"]["name"] for p in items if p["status"].get("phase") == "Running"]

    def versions(self, name):
        return [self.get(kind, name)["metadata"]["resourceVersion"] for kind in ("deployment", "isc")]

    def test_each_row_of_the_flow(self):
        self.real.apply(*(deployment(name) for name in self.NAMES))
        names = {name: wait.until("no pods", lambda name=name: p if len(p := self.pods(name)) == 2 else None)
                 for name in self.NAMES}
        self.engines.pods = {pod: self.NAMES[name] for name, pods in names.items() for pod in pods}
        quantile = 'histogram_quantile(0.95,sum by(le)(rate(http_request_duration_seconds_bucket{pod=~"%s.*"}[1m])))'
        for name in self.NAMES:  # what the test goes by is what Prometheus says
            wait.until(f"no P95 of {name}", lambda name=name: self.ask(quantile % name))
        self.assertAlmostEqual(self.ask(quantile % "slow"), 0.801, 6)
        self.assertAlmostEqual(self.ask(quantile % "quiet"), 0.8, 6)
        for_seconds = {"both": 0, "memory": FLOW_SECONDS}
        defaults = {"maxReplicas": 3, "pollSeconds": POLL_SECONDS}
        for name in self.NAMES:
            rules = {} if FLOW_SECONDS == 180 and name != "both" else {"rules": self.rules(for_seconds.get(name, 180))}
            self.real.apply(scaler(name, self.prometheus.url, **defaults, **rules))
        watch = Replicas(self.real, "memory")
        self.addCleanup(watch.stop)
        for name, rule in (("both", "gpu-memory"), ("slow", "p95")):
            found = wait.until(lambda name=name: f"{name} stays: {self.get('isc', name)}",
                               lambda name=name: self.get("isc", name).get("status", {}).get("lastScale"))
            self.assertEqual((found["from"], found["to"], found["rule"]), (2, 3, rule))
        self.assertIn("p95 is 0.801, > 0.8: 3 replicas instead of 2", self.get("isc", "slow")["status"]["decision"]["sentence"])
        for name in ("quiet", "memory"):
            wait.until(f"{name} knows no value", lambda name=name: any(
                c["type"] == "MetricsKnown" and c["status"] == "True"
                for c in self.get("isc", name).get("status", {}).get("conditions", [])))
        before = self.versions("quiet")

        begun = time.monotonic()
        self.engines.pods |= {pod: self.Engine(0.921, 500) for pod in names["memory"]}
        memory = 'avg(DCGM_FI_DEV_FB_USED{pod=~"memory.*"})'
        wait.until("Prometheus doesn't see it", lambda: self.ask(memory) == 0.921 * 80000, every=0.05)
        known = time.monotonic()
        at = wait.until(lambda: f"nothing is added: {watch.seen}", lambda: watch.became(3), FLOW_SECONDS + 90)
        self.assertGreaterEqual(at - begun, FLOW_SECONDS)
        self.assertLessEqual(at - known, FLOW_SECONDS + POLL_SECONDS + 1)
        self.assertEqual(self.get("isc", "memory")["status"]["lastScale"]["rule"], "gpu-memory")
        # One more, and no second one: maxReplicas is 3, and the rule holds. Where no rule holds, nothing was written.
        self.assertEqual(watch.seen[-1][1], 3)
        self.assertEqual(self.versions("quiet"), before)
