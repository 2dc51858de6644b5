"""The training operator on a real cluster, for tests: the program, what jobs look like, a server of data."""
import http.server
import json
import os
import threading
import unittest

import cluster
import operators
import wait

ACCOUNT = "system:serviceaccount:training-operator:training-operator"


def training_job(name, run_ms=1000, exit_code=0, **spec):
    return {"apiVersion": "ai.kcontrol.dev/v1alpha1", "kind": "TrainingJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"workers": 2,
                     "template": {"metadata": {"annotations": {"sim/run-ms": str(run_ms), "sim/exit-code": str(exit_code)}},
                                  "spec": {"containers": [{"name": "trainer", "image": "example.com/bert:1"}]}},
                     **spec}}


class DataServer:
    """Versions of datasets on loopback: what is behind a path is what a test says; /hang never answers. It is the
    collector of spans as well, by POST."""

    def __init__(self):
        self.answers, self.over, self.spans, self.resources = {}, threading.Event(), [], []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/hang":
                    server.over.wait()
                    return
                status, headers, body = server.answers.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                length = len(body) if isinstance(body, bytes) else body
                self.send_header("Content-Length", str(length))
                self.end_headers()
                try:
                    for _ in range(0 if isinstance(body, bytes) else length >> 20):
                        self.wfile.write(b" " * (1 << 20))
                    self.wfile.write(body if isinstance(body, bytes) else b"")
                except OSError:
                    pass  # it has read enough

            def do_POST(self):
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for each in sent["resourceSpans"]:
                    server.resources.append({a["key"]: a["value"] for a in each["resource"]["attributes"]})
                    server.spans += [span for scope in each["scopeSpans"] for span in scope["spans"]]
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def version(self, path, version):
        self.answers[path] = (200, {"Delta-Table-Version": version}, b"")
        return self.url + path

    def stop(self):
        self.over.set()
        self.http.shutdown()
        self.http.server_close()


class OperatorTest(operators.InstalledOperator):
    """The program KCONTROL_TRAINING_OPERATOR, with the rights of its manifests, on a cluster of its own."""

    NAME = "training-operator"
    KINDS = ("trainingjobs.ai.kcontrol.dev",)
    OPTIONS = ("--allow-address", "127.0.0.0/8")

    @classmethod
    def find_program(cls):
        program = os.environ.get("KCONTROL_TRAINING_OPERATOR")
        if not program:
            raise unittest.SkipTest("KCONTROL_TRAINING_OPERATOR is not set")
        return program

    @classmethod
    def environment(cls):
        return {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": cls.data.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}

    @classmethod
    def setUpClass(cls):
        cls.data = DataServer()
        cls.addClassCleanup(cls.data.stop)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        cls.real.kubectl("apply", "--server-side", "-f", cluster.ROOT / "tests" / "e2e" / "own_crds" / "podgroups_v1alpha1.yaml")

    def job(self, name):
        found = self.real.kubectl("get", "trainingjob", name, "-o", "json", "--ignore-not-found")
        return json.loads(found) if found else None

    def status(self, name):
        return (self.job(name) or {}).get("status", {})

    def told(self, name, kind="Running"):
        return next((c["message"] for c in self.status(name).get("conditions", []) if c["type"] == kind), "")

    def pods(self, name):
        return self.real.get("pods", "-l", f"ai.kcontrol.dev/job={name}")["items"]

    def until_phase(self, name, phase, seconds=60):
        wait.until(lambda: f"{name} is not {phase}: {self.status(name)}\n{self.log.read_text()[-3000:]}",
                   lambda: self.status(name).get("phase") == phase, seconds)

    def until_gone(self, name):
        wait.until(lambda: f"{name} does not go: {self.job(name)}", lambda: self.job(name) is None, 60)
        wait.until(lambda: f"pods stay: {self.pods(name)}", lambda: not self.pods(name), 60)

    def apply(self, job):
        self.real.apply(job)
        return job["metadata"]["name"]
