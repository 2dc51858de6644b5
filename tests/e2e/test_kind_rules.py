"""Kinds that the monitor reads by rules, on a real API server with the rights of the shipped manifests: those that come
with the program, and one of a rule file. Their CRDs are small ones of our own: no operator acts, tests write what one
would."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import cluster
import jobs
import monitor as monitors
import wait
from server import Server
from test_new_kinds import READER, binding

KINDS = {"TFJob": ("kubeflow.org", "v1", "tfjobs"), "XGBoostJob": ("kubeflow.org", "v1", "xgboostjobs"),
         "PaddleJob": ("kubeflow.org", "v1", "paddlejobs"), "JAXJob": ("kubeflow.org", "v1", "jaxjobs"),
         "JobSet": ("jobset.x-k8s.io", "v1alpha2", "jobsets"), "RayJob": ("ray.io", "v1alpha1", "rayjobs"),
         "RayCluster": ("ray.io", "v1", "rayclusters"),
         "LeaderWorkerSet": ("leaderworkerset.x-k8s.io", "v1", "leaderworkersets"),
         "Experiment": ("lab.example.com", "v1", "experiments")}
POD = {"template": {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}}
RULES = """
kinds:
- group: lab.example.com
  versions: [v1]
  kind: Experiment
  plural: experiments
  name: LabRun
  states:
  - {state: Failed, condition: Broken}
  - {state: Running, field: status.phase, values: [going]}
  reason: status.phase
  replicas:
  - {type: Pod, desired: spec.width, active: status.up}
  gpus:
  - {templates: [spec.template], times: [spec.width]}
"""


def definition(kind):
    group, version, plural = KINDS[kind]
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "annotations": {"api-approved.kubernetes.io": "unapproved"}},
            "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                                       "spec": anything, "status": anything}}}}]}}


@unittest.skipIf(monitors.binary() is None, "the training_monitor program is not built")
class KindRules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-rules-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server("rules", lambda work: (work / "tokens.csv").write_text("token-of-reader,reader,reader\n"))
        self.addCleanup(self.server.stop)
        for file in ("namespace.yaml", "reader.yaml"):
            self.kubectl("apply", "-f", READER / file)
        lab = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "lab"},
               "rules": [{"apiGroups": ["lab.example.com"], "resources": ["experiments"], "verbs": ["get", "list", "watch"]}]}
        items = [lab, binding("reader", "training-monitor")]
        more = binding("reader", "lab")
        more["metadata"]["name"] = "lab"
        self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": [*items, more]}))
        self.files = self.folder / "clusters"
        self.files.mkdir()
        admin = self.server.kubeconfig.read_text()
        login = "user: {token: token-of-reader}"
        (self.files / "c.kubeconfig").write_text(re.sub(r"user: \{client-certificate-data.*?\}", login, admin))
        self.rules = self.folder / "rules.yaml"
        self.rules.write_text(RULES)

    def kubectl(self, *arguments, stdin=None):
        command = [f"{self.server.assets}/kubectl", "--kubeconfig", self.server.work / "admin.kubeconfig", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout

    def path(self, kind, name=""):
        group, version, plural = KINDS[kind]
        return f"/apis/{group}/{version}/namespaces/default/{plural}" + (f"/{name}" if name else "")

    def make(self, kind, spec, status, **metadata):
        group, version, _ = KINDS[kind]
        thing = {"apiVersion": f"{group}/{version}", "kind": kind, "spec": spec, "status": status,
                 "metadata": {"name": "one", "namespace": "default", **metadata}}
        code, answer = self.server.ask("POST", self.path(kind), json.dumps(thing))
        self.assertEqual(code, 201, answer)
        return answer

    def status(self, kind, status):
        code, answer = self.server.ask("PATCH", self.path(kind, "one"), json.dumps({"status": status}),
                                       "application/merge-patch+json")
        self.assertEqual(code, 200, answer)

    def until(self, kind, state, name="one", **members):
        def there():
            job = self.monitor.job("c", "default", kind, name)
            return job and job["state"] == state and all(job[k] == v for k, v in members.items())

        wait.until(lambda: f"{kind} is not {state} {members}: {self.monitor.jobs('c')} {self.monitor.cluster('c')}",
                   there)

    def test_every_kind_shows(self):
        self.monitor = monitors.Monitor(self.files, self.folder / "monitor.log", "--kinds", "all", "--kind-rules", self.rules)
        self.addCleanup(self.monitor.process.wait)
        self.addCleanup(self.monitor.process.kill)
        # Nothing of it is installed, and that is no error.
        wait.until(lambda: f"not live: {self.monitor.cluster('c')}", lambda: (
            (c := self.monitor.cluster("c")) and c["state"] == "live"
            and {k["kind"] for k in c["kinds"] if k["state"] == "not-installed"} >= set(KINDS)))
        for kind in KINDS:
            self.server.install_crd(json.dumps(definition(kind)), "application/json")
        for kind, specs in (("TFJob", "tf"), ("XGBoostJob", "xgb"), ("PaddleJob", "paddle"), ("JAXJob", "jax")):
            spec = {f"{specs}ReplicaSpecs": {"Worker": {"replicas": 2, **POD}}}
            self.make(kind, spec, {"conditions": jobs.conditions(("Created", "True"))})
            self.until(kind, "Created", gpus=4)
            self.status(kind, {"conditions": jobs.conditions(("Created", "True"), ("Running", "True")),
                               "replicaStatuses": {"Worker": {"active": 2}}})
            self.until(kind, "Running", replicas={"Worker": {"desired": 2, "active": 2, "succeeded": 0, "failed": 0}})
        made = self.make("JobSet", {"replicatedJobs": [{"name": "w", "replicas": 3, "template": {"spec": POD}}]},
                         {"replicatedJobsStatus": [{"name": "w", "ready": 3, "active": 3}]})
        self.until("JobSet", "Running", gpus=6)
        # Its Jobs are parts of it.
        owner = {"apiVersion": made["apiVersion"], "kind": "JobSet", "name": "one", "uid": made["metadata"]["uid"],
                 "controller": True}
        for name, owners in (("part", [owner]), ("whole", [])):
            job = jobs.batch(name)
            job["metadata"]["ownerReferences"] = owners
            code, answer = self.server.ask("POST", "/apis/batch/v1/namespaces/default/jobs", json.dumps(job))
            self.assertEqual(code, 201, answer)
        self.until("Job", "Created", "whole")
        self.assertIsNone(self.monitor.job("c", "default", "Job", "part"))
        self.status("JobSet", {"conditions": jobs.conditions(("Failed", "True"))})
        self.until("JobSet", "Failed", reason="TestFailed")
        self.make("RayJob", {"rayClusterSpec": {"headGroupSpec": POD}}, {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"})
        self.until("RayJob", "Running", gpus=2, apiVersion="ray.io/v1alpha1")  # the only one that is served here
        self.status("RayJob", {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED", "reason": "AppFailed", "message": "exit 1"})
        self.until("RayJob", "Failed", reason="AppFailed", message="exit 1")
        self.make("RayCluster", {"headGroupSpec": {}}, {"state": "ready", "desiredWorkerReplicas": 2, "readyWorkerReplicas": 1})
        self.until("RayCluster", "Running", replicas={"Worker": {"desired": 2, "active": 1, "succeeded": 0, "failed": 0}})
        self.make("LeaderWorkerSet", {"replicas": 2, "leaderWorkerTemplate": {"size": 3, "workerTemplate": POD["template"]}},
                  {"conditions": jobs.conditions(("Available", "True")), "readyReplicas": 2})
        self.until("LeaderWorkerSet", "Running", gpus=12)
        self.make("Experiment", {"width": 4, **POD}, {"phase": "going", "up": 3})
        self.until("LabRun", "Running", gpus=8, reason="going", apiVersion="lab.example.com/v1")
        one = json.loads(self.monitor.get_raw("/api/v1/jobs/c/default/labrun/one")[1])
        self.assertEqual((one["resource"], one["podLabel"]), ("experiments.lab.example.com", None))
        self.assertEqual(len(self.monitor.items("/api/v1/jobs?kind=labrun,jobset")), 2)
        code, _ = self.server.ask("DELETE", self.path("Experiment", "one"))
        self.assertEqual(code, 200)
        wait.until("it stays", lambda: not self.monitor.job("c", "default", "LabRun", "one"))
        self.assertEqual(self.monitor.stop(), 0)

    def test_a_wrong_file_is_refused_with_all_that_is_wrong(self):
        self.rules.write_text(RULES.replace("Failed,", "Broken,").replace("desired: spec.width", "desired: 'a[0]'"))
        for more in ((), ("--once",)):
            done = subprocess.run([monitors.binary(), "--clusters", self.files, "--kind-rules", self.rules, "--listen", "0", *more],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            told = done.stderr.splitlines()
            self.assertEqual(len(told), 2, told)
            self.assertIn(f"--kind-rules: {self.rules}: kinds[0].states[0].state: \"Broken\" is not one of", told[0])
            self.assertIn("training_monitor: kinds[0].replicas[0].desired: \"a[0]\" is no path", told[1])


if __name__ == "__main__":
    unittest.main()
