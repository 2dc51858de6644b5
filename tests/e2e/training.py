"""The training operator on a real cluster, for tests: the program, what jobs look like, a server of data."""
import http.server
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import cluster
import wait

DEPLOY = cluster.ROOT / "examples" / "apps" / "training_operator" / "deploy" / "base"
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


class OperatorTest(unittest.TestCase):
    """The program KCONTROL_TRAINING_OPERATOR, with the rights of its manifests, on a cluster of its own."""

    find_assets = staticmethod(cluster.find_assets)

    @classmethod
    def setUpClass(cls):
        cls.program = os.environ.get("KCONTROL_TRAINING_OPERATOR")
        if not cls.program:
            raise unittest.SkipTest("KCONTROL_TRAINING_OPERATOR is not set")
        cls.assets, why = cls.find_assets()
        if cls.assets is None:
            raise unittest.SkipTest(why)
        work = tempfile.TemporaryDirectory(prefix="kcontrol-training-", ignore_cleanup_errors=True)
        cls.addClassCleanup(work.cleanup)
        cls.work = pathlib.Path(work.name)
        cls.log = cls.work / "operator.log"
        cls.data = DataServer()
        cls.addClassCleanup(cls.data.stop)
        cls.real = cluster.Cluster("training", cls.assets, work.name)
        cls.real.start()
        cls.addClassCleanup(cls.real.stop)
        # Installed by the program, as an administrator; then it works with the rights of its manifests.
        first = subprocess.Popen([cls.program, "--install-crds", "--kubeconfig", cls.real.admin],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=cls.log.open("ab"))
        cls.real.kubectl("create", "namespace", "training-operator")
        cls.real.kubectl("apply", "--server-side", "-f", cluster.ROOT / "tests" / "e2e" / "own_crds" / "podgroups_v1alpha1.yaml")
        wait.until(lambda: f"the kind is not installed: {cls.log.read_text()}", cls.is_installed, 60)
        first.terminate()
        first.wait(60)
        cls.real.kubectl("apply", "--server-side", "--force-conflicts", "-k", DEPLOY)
        token = cls.real.kubectl("-n", "training-operator", "create", "token", "training-operator").strip()
        cls.kubeconfig = cls.work / "operator.kubeconfig"
        cls.kubeconfig.write_text(cls.real.kubeconfig(token=token))
        cls.start()

    @classmethod
    def is_installed(cls):  # `kubectl wait` fails while there is no status at all
        found = cls.real.kubectl("get", "crd", "trainingjobs.ai.kcontrol.dev", "-o", "json", "--ignore-not-found")
        conditions = json.loads(found).get("status", {}).get("conditions") if found else None
        return any(c["type"] == "Established" and c["status"] == "True" for c in conditions or [])

    @classmethod
    def start(cls):
        with cls.log.open("ab") as log:
            cls.process = subprocess.Popen(
                [cls.program, "--kubeconfig", cls.kubeconfig, "--leader-elect", "--leader-election-namespace",
                 "training-operator", "--allow-address", "127.0.0.0/8"], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": cls.data.url, "OTEL_BSP_SCHEDULE_DELAY": "200"})
        cls.addClassCleanup(cls.process.kill)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

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
