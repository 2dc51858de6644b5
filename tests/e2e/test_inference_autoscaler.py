"""The inference autoscaler on a real cluster: Deployments are Kubernetes' own, kubelets are kwok's, and the answers of
Prometheus are scripted. Run alone: run.py test_inference_autoscaler
"""
import http.server
import json
import threading
import time

import operators
import probes
import wait


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


class InferenceAutoscalerTest(operators.InstalledOperator):
    NAME = "inference-autoscaler"
    KINDS = ("inferencescalers.autoscaling.kcontrol.dev",)
    OPTIONS = ("--allow-address", "127.0.0.0/8")

    @classmethod
    def find_program(cls):
        return probes.app("inference_autoscaler")

    def setUp(self):
        self.prometheus = Prometheus()
        self.addCleanup(self.prometheus.server_close)
        self.addCleanup(self.prometheus.shutdown)

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

    def test_memory_adds_a_replica_and_silence_takes_none(self):
        self.real.apply({"apiVersion": "apps/v1", "kind": "Deployment",
                         "metadata": {"name": "llama", "namespace": "default"},
                         "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "llama"}},
                                  "template": {"metadata": {"labels": {"app": "llama"}},
                                               "spec": {"containers": [{"name": "engine", "image": "vllm:1"}]}}}})
        self.real.apply({"apiVersion": "autoscaling.kcontrol.dev/v1alpha1", "kind": "InferenceScaler",
                         "metadata": {"name": "llama", "namespace": "default"},
                         "spec": {"target": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llama"},
                                  "minReplicas": 1, "maxReplicas": 3, "pollSeconds": 1,
                                  "metrics": {"prometheus": {"url": self.prometheus.url}},
                                  "rules": [{"name": "memory", "query": "memory", "threshold": 0.92, "forSeconds": 3,
                                             "down": False, "action": {"addReplicas": 1}}]}})
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
