"""Clusters from a real API server's own objects: Secrets by label, Cluster API's Secrets, ClusterProfiles, namespaces,
and the contexts of a file, as one union. Each of them is that same server, and a controller works in all that have engaged.

KCONTROL_PROBES is the folder of cluster_sources_probe. Run alone: run.py test_cluster_sources
"""
import base64
import json
import pathlib
import signal
import subprocess
import threading
import unittest

import probes
import server
import wait

CRD = pathlib.Path(__file__).parent / "own_crds" / "clusterprofiles_v1alpha1.yaml"
SECRETS = "/api/v1/namespaces/default/secrets"
PROFILES = "/apis/multicluster.x-k8s.io/v1alpha1/namespaces/default/clusterprofiles"
MERGE = "application/merge-patch+json"


def coded(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


class ClusterSourcesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = probes.program("cluster_sources_probe")
        cls.real = server.Server("cluster-sources")
        cls.addClassCleanup(cls.real.stop)
        cls.real.install_crd(CRD.read_text(), "application/yaml")
        cls.write("POST", "/api/v1/namespaces", {"metadata": {"name": "team-a"}})
        for namespace, name in (("default", "seen"), ("team-a", "theirs")):
            cls.write("POST", f"/api/v1/namespaces/{namespace}/configmaps",
                      {"metadata": {"name": name, "labels": {"probe": "yes"}}})
        cls.log = cls.real.work / "probe.log"
        log = cls.log.open("ab")
        cls.addClassCleanup(log.close)
        cls.process = subprocess.Popen(
            [program, cls.real.kubeconfig, cls.real.work / "admin.crt", cls.real.work / "admin.key"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        cls.addClassCleanup(cls.process.kill)
        cls.lines, cls.told = [], ""
        threading.Thread(target=cls.read, daemon=True).start()
        wait.until(lambda: f"the context is no cluster: {cls.told!r} {cls.log.read_text()[-2000:]}",
                   lambda: "file#" in cls.told)

    @classmethod
    def read(cls):
        for line in cls.process.stdout:
            cls.lines.append(line.strip())
            if line.startswith("clusters"):
                cls.told = line.strip()

    @classmethod
    def write(cls, method, path, body=None, content_type="application/json"):
        code, answer = cls.real.ask(method, path, body and json.dumps(body), content_type)
        if code not in (200, 201):
            raise AssertionError(f"{method} {path}: {code} {answer}")
        return answer

    @classmethod
    def kubeconfig(cls, url=None):
        work = cls.real.work
        authority = coded((work / "ca.crt").read_bytes())
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": url or cls.real.url,
                                                   "certificate-authority-data": authority}}],
            "users": [{"name": "u", "user": {"client-certificate-data": coded((work / "admin.crt").read_bytes()),
                                             "client-key-data": coded((work / "admin.key").read_bytes())}}]})

    def until_told(self, *words, missing=()):
        wait.until(lambda: f"{words} but not {missing}: {self.told!r}\n{self.log.read_text()[-2000:]}",
                   lambda: all(w in self.told for w in words) and not any(w in self.told for w in missing))

    def until_reconciled(self, cluster, name):
        wait.until(lambda: f"{cluster} {name}: {self.lines}\n{self.log.read_text()[-2000:]}",
                   lambda: f"{cluster} {name}" in self.lines)

    def test_secrets(self):
        """One by multicluster-runtime's label and key; another of Cluster API, beside a Secret that is no kubeconfig."""
        label = {"sigs.k8s.io/multicluster-runtime-kubeconfig": "true"}
        self.write("POST", SECRETS, {"metadata": {"name": "east", "labels": label},
                                     "data": {"kubeconfig": coded(self.kubeconfig())}})
        self.until_reconciled("secret#east", "default/seen")
        capi = {"cluster.x-k8s.io/cluster-name": "west"}
        for name, data in (("west-kubeconfig", self.kubeconfig()), ("west-ca", "x")):
            self.write("POST", SECRETS, {"metadata": {"name": name, "labels": capi},
                                         "type": "cluster.x-k8s.io/secret", "data": {"value": coded(data)}})
        self.until_reconciled("capi#west", "default/seen")
        self.assertNotIn("west-ca", self.told)
        # What can't be used keeps what was good; with a warning that names the Secret and repeats no credential.
        self.write("PATCH", f"{SECRETS}/east", {"data": {"kubeconfig": coded("x: [")}}, MERGE)
        self.until_told("secret#east [", "east")
        self.assertNotIn("BEGIN", self.told)
        # A plain http server is refused from a Secret.
        self.write("POST", SECRETS, {"metadata": {"name": "plain", "labels": label},
                                     "data": {"kubeconfig": coded(self.kubeconfig("http://127.0.0.1:1"))}})
        self.until_told("secret#plain (")
        for name in ("east", "plain", "west-kubeconfig", "west-ca"):
            self.write("DELETE", f"{SECRETS}/{name}")
        self.until_told("file#", missing=["secret#", "capi#"])

    def test_cluster_profiles(self):
        access = {"name": "admin", "cluster": {"server": self.real.url, "certificate-authority-data":
                                               coded((self.real.work / "ca.crt").read_bytes())}}
        healthy = {"type": "ControlPlaneHealthy", "status": "True", "reason": "Up", "message": "",
                   "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.write("POST", PROFILES, {"apiVersion": "multicluster.x-k8s.io/v1alpha1", "kind": "ClusterProfile",
                                      "metadata": {"name": "north"}, "spec": {"clusterManager": {"name": "fleet"}}})
        self.until_told("profile#north (", "ControlPlaneHealthy")
        status = f"{PROFILES}/north/status"
        other = {**access, "name": "cloud"}
        self.write("PATCH", status, {"status": {"conditions": [healthy], "accessProviders": [other]}}, MERGE)
        self.until_told("profile#north (", "only cloud")
        self.write("PATCH", status, {"status": {"accessProviders": [access]}}, MERGE)
        self.until_reconciled("profile#north", "default/seen")
        self.write("DELETE", f"{PROFILES}/north")
        self.until_told("file#", missing=["profile#"])

    def test_namespaces(self):
        """A namespace is a cluster while it has the label, and shows its own objects alone."""
        self.write("PATCH", "/api/v1/namespaces/team-a", {"metadata": {"labels": {"tenant": "yes"}}}, MERGE)
        self.until_reconciled("ns#team-a", "team-a/theirs")
        self.assertNotIn("ns#team-a default/seen", self.lines)
        self.write("PATCH", "/api/v1/namespaces/team-a", {"metadata": {"labels": {"tenant": None}}}, MERGE)
        self.until_told("file#", missing=["ns#"])

    def test_zz_it_ends(self):
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
