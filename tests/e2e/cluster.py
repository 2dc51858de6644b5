"""A real Kubernetes cluster for the tests, by way of scripts/control-plane."""
import base64
import json
import os
import pathlib
import re
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts" / "control-plane"


def find_assets(server_only=False, more=()):
    """(directory, None), or (None, why there is none). `more`: what assets.sh makes beside a cluster."""
    wanted = [] if server_only else ["--cluster", *more]
    run = subprocess.run([SCRIPTS / "assets.sh", *wanted], capture_output=True, text=True)
    if run.returncode == 3:
        return None, run.stderr.strip().splitlines()[-1]
    if run.returncode != 0:
        raise RuntimeError(f"assets.sh failed: {run.stderr[-2000:]}")
    return run.stdout.strip().splitlines()[-1], None


def other_version():
    """The version of Kubernetes that was asked for, if it is not the one whose answers the tests have word for word."""
    version = os.environ.get("KCONTROL_KUBERNETES_VERSION")
    if not version or f"k8s.io/kubernetes v{version}\n" in (SCRIPTS / "go.mod").read_text():
        return None
    return version


def minor():
    """37 of Kubernetes 1.37.2, which is the one under test."""
    pinned = re.search(r"\tk8s.io/kubernetes v(\S+)", (SCRIPTS / "go.mod").read_text())[1]
    return int((other_version() or pinned).split(".")[1])


def skip_other_version(test):
    """For what compares the words of one version."""
    if version := other_version():
        test.skipTest(f"the words are those of the pinned version of Kubernetes, not of {version}")


class Cluster:
    def __init__(self, name, assets, folder, options=()):
        self.name, self.assets, self.work, self.options = name, assets, pathlib.Path(folder) / name, list(options)
        self.admin = self.work / "admin.kubeconfig"

    def start(self):
        run = subprocess.run([SCRIPTS / "start.sh", "--cluster", *self.options, self.assets, self.work],
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"cluster {self.name} did not start: {run.stdout}{run.stderr}")
        self.url = run.stdout.strip().splitlines()[-1]

    def stop(self, crash=False):
        subprocess.run([SCRIPTS / "stop.sh", *(["--crash"] if crash else []), self.work], check=False)

    def kubectl(self, *arguments, stdin=None, check=True):
        run = subprocess.run([f"{self.assets}/kubectl", "--kubeconfig", self.admin, *arguments],
                             input=stdin, capture_output=True, text=True)
        if check and run.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(map(str, arguments))}: {run.stderr}")
        return run.stdout

    def apply(self, *objects):
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "-f", "-", stdin=json.dumps(items))

    def get(self, resource, *arguments):
        return json.loads(self.kubectl("get", resource, "-o", "json", *arguments))

    def merge(self, resource, name, patch, *arguments):
        self.kubectl("patch", resource, name, "--type=merge", "-p", json.dumps(patch), *arguments)

    def delete(self, resource, name, *arguments):
        self.kubectl("delete", resource, name, "--wait=false", *arguments)

    def service_account_token(self, name):
        self.kubectl("create", "serviceaccount", name, check=False)
        return self.kubectl("create", "token", name, "--duration=1h").strip()

    def kubeconfig(self, server=None, token=None):
        """The text of a kubeconfig for this cluster: with a token, or with the administrator's certificate."""
        text = self.admin.read_text()
        if server:
            text = re.sub(r'server: "[^"]*"', f'server: "{server}"', text)
        if token:
            text = re.sub(r"user: \{client-certificate-data.*?\}", f"user: {{token: {token}}}", text)
        return text

    def ca(self):
        return base64.b64encode((self.work / "ca.crt").read_bytes()).decode()


class Recorder:
    """What a watch of kubectl's saw, as an independent witness: every version of every object of one resource, and when
    (time.monotonic())."""

    def __init__(self, cluster, resource):
        self.versions, self.moments = [], []
        self.process = subprocess.Popen(
            [f"{cluster.assets}/kubectl", "--kubeconfig", cluster.admin, "get", resource, "-A", "-o", "json",
             "--watch", "--output-watch-events"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        decoder, text = json.JSONDecoder(), ""
        for line in self.process.stdout:
            text += line
            if not line.rstrip().endswith("}"):
                continue
            try:
                event, _ = decoder.raw_decode(text.lstrip())
            except ValueError:
                continue  # that was an inner object's end
            text = ""
            self.moments.append(time.monotonic())
            self.versions.append((event["type"], event["object"]))

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.thread.join()
