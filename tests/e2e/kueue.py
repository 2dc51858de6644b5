"""A real Kueue beside a cluster's other controllers, with its webhooks, and queues for tests."""
import base64
import json
import os
import pathlib
import subprocess
import urllib.error
import urllib.request

import cluster
import ports
import wait

# Of the others the kinds are not installed.
SERVED = {("", "pods"), ("batch", "jobs"), ("kubeflow.org", "pytorchjobs"), ("kueue.x-k8s.io", "workloads"),
          ("kueue.x-k8s.io", "clusterqueues"), ("kueue.x-k8s.io", "resourceflavors")}
NAMESPACE, SERVICE, SECRET = "kueue-system", "kueue-webhook-service", "kueue-webhook-server-cert"
CONFIGURATION = """apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
health: {{healthProbeBindAddress: "127.0.0.1:{health}"}}
metrics: {{bindAddress: "127.0.0.1:{metrics}"}}
webhook: {{host: 127.0.0.1, port: {webhook}, certDir: {certificates}}}
leaderElection: {{leaderElect: false}}
internalCertManagement: {{enable: true, webhookServiceName: {service}, webhookSecretName: {secret}}}
integrations: {{frameworks: [batch/job, kubeflow.org/pytorchjob, pod]}}
managedJobsNamespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: default}}}}
"""


def find_assets():
    """As cluster.find_assets(), with Kueue among the programs."""
    return cluster.find_assets(more=["--kueue"])


class Kueue:
    def __init__(self, real, assets, folder):
        self.real, self.assets, self.folder = real, pathlib.Path(assets), pathlib.Path(folder)
        self.log = self.folder / "kueue.log"
        self.process = None

    def start(self):
        self.real.kubectl("create", "namespace", NAMESPACE)
        manifests = self.assets / "kueue.d"
        crds = [f for f in sorted(manifests.glob("*.yaml")) if f.name != "manifests.yaml"]
        self.real.kubectl("create", *[a for f in crds for a in ("-f", f)])
        self.real.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        at = {name: ports.free_port() for name in ("health", "metrics", "webhook")}
        self.register(manifests / "manifests.yaml", at["webhook"])
        certificates = self.folder / "kueue-certificates"
        certificates.mkdir()
        configuration = self.folder / "kueue.yaml"
        configuration.write_text(CONFIGURATION.format(certificates=certificates, service=SERVICE, secret=SECRET, **at))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.assets / "kueue", "--config", configuration, "--feature-gates", "VisibilityOnDemand=false"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "KUBECONFIG": str(self.real.admin)})
        # It makes its certificates itself, in a Secret that would be mounted there.
        made = lambda: self.real.get("secret", SECRET, "-n", NAMESPACE).get("data", {}).get("tls.crt")
        wait.until(lambda: f"Kueue makes no certificate: {self.log.read_text()[-3000:]}", made)
        for name, text in self.real.get("secret", SECRET, "-n", NAMESPACE)["data"].items():
            (certificates / name).write_bytes(base64.b64decode(text))
        wait.until(lambda: f"Kueue is not ready: {self.log.read_text()[-3000:]}", lambda: self.is_ready(at["health"]))

    def is_ready(self, port):
        if self.process.poll() is not None:
            raise RuntimeError(f"Kueue has ended: {self.log.read_text()[-3000:]}")
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=60).status == 200
        except (urllib.error.URLError, OSError):
            return False

    def register(self, manifests, port):
        """Its webhooks; their service leads to this machine."""
        text = self.real.kubectl("create", "--dry-run=client", "-o", "json", "-f", manifests)
        decoder, found = json.JSONDecoder(), []
        while text.strip():
            one, end = decoder.raw_decode(text.lstrip())
            found += one.get("items", [one])
            text = text.lstrip()[end:]
        for one in found:
            one["metadata"]["name"] = "kueue-" + one["metadata"]["name"]
            one["webhooks"] = [w for w in one["webhooks"] if any(
                (g, r.split("/")[0]) in SERVED for rule in w["rules"] for g in rule["apiGroups"] for r in rule["resources"])]
            for hook in one["webhooks"]:
                hook["clientConfig"]["service"].update({"name": SERVICE, "namespace": NAMESPACE, "port": port})
        self.real.apply(
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": SERVICE, "namespace": NAMESPACE},
             "spec": {"type": "ExternalName", "externalName": "localhost"}},
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET, "namespace": NAMESPACE}}, *found)

    def add_queue(self, name, **quota):
        """A LocalQueue in the namespace default with so much of each resource, where those of more priority go first."""
        flavor = {"name": name, "resources": [{"name": r, "nominalQuota": str(n)} for r, n in quota.items()]}
        version = "kueue.x-k8s.io/v1beta1"
        self.real.apply(
            {"apiVersion": version, "kind": "ResourceFlavor", "metadata": {"name": name}},
            {"apiVersion": version, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": {
                "namespaceSelector": {}, "preemption": {"withinClusterQueue": "LowerPriority"},
                "resourceGroups": [{"coveredResources": list(quota), "flavors": [flavor]}]}},
            {"apiVersion": version, "kind": "LocalQueue", "metadata": {"name": name, "namespace": "default"},
             "spec": {"clusterQueue": name}})

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
